//! `bourse groups`: the workergroups of the account.

use super::args::GroupsArguments;
use super::output::CliError;
use super::search;
use super::settings::Settings;
use crate::api::Request;
use crate::domain::{Resource, language};

/// `bourse groups`
pub async fn groups(settings: &Settings, arguments: &GroupsArguments) -> Result<(), CliError> {
    let connection = settings.connect().await?;
    let listing = search::fetch(&connection.session, &Request::ListWorkergroups).await;
    settings.keep_pacing(&connection.session);
    let listing = listing?;
    search::tell_skipped(&listing);
    let query = language::default_query(Resource::Workergroups, settings.dialect);
    let rows = search::rows(&listing, &query, settings.dialect);
    search::show(
        &listing,
        &rows,
        arguments.format,
        settings.dialect,
        arguments.show_secrets,
    )
}
