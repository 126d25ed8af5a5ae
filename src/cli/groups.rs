//! `bourse groups`: the workergroups of the account.

use super::args::GroupsArguments;
use super::notes::Answer;
use super::output::CliError;
use super::search;
use super::settings::Settings;
use crate::api::Request;
use crate::domain::response_check::ResponseCheck;
use crate::domain::{Resource, language};

/// `bourse groups`
pub async fn groups(settings: &Settings, arguments: &GroupsArguments) -> Result<(), CliError> {
    let connection = settings.connect().await?;
    let listing = search::fetch(&connection.session, &Request::ListWorkergroups).await;
    settings.keep_pacing(&connection.session);
    let listing = listing?;
    let query = language::default_query(Resource::Workergroups, settings.dialect);
    let rows = search::rows(&listing, &query, settings.dialect);
    search::show(&listing, &rows, arguments.format, arguments.show_secrets)?;
    search::tell_skipped(&listing);
    let answer = Answer {
        listing: &listing,
        query: &query,
        dialect: settings.dialect,
        check: &ResponseCheck::default(),
        rows: &rows,
    };
    answer.tell();
    Ok(())
}
