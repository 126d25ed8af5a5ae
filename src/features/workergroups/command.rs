//! `bourse groups`: the workergroups of the account.

use crate::api::Request;
use crate::cli::args::{GroupsArguments, GroupsCommand};
use crate::cli::output;
use crate::cli::output::CliError;
use crate::cli::table::{Priced, View};
use crate::cli::wanted;
use crate::cli::write;
use crate::domain::Resource;
use crate::domain::response_check::ResponseCheck;
use crate::features::annotations::command::Answer;
use crate::features::search::command as search;
use crate::settings::Settings;

pub async fn groups(settings: &Settings, arguments: &GroupsArguments) -> Result<(), CliError> {
    if let Some(GroupsCommand::Create(own)) = &arguments.command {
        return write::create(settings, own).await;
    }
    // The listing takes no parameters: conditions, order and limit apply to what it holds.
    let query = wanted::query(settings, Resource::Workergroups, &arguments.search, false)?;
    let view = View::new(
        &arguments.search,
        query.catalog(),
        settings.dialect,
        arguments.show_secrets,
        Priced::default(),
    )?;
    let connection = settings.connect().await?;
    if arguments.search.curl {
        if query.active().next().is_some() {
            output::note("the listing takes no parameters: conditions are left out of the command");
        }
        return search::print_curl(settings, &connection.session, &Request::ListWorkergroups);
    }
    let listing = search::fetch(&connection.session, &Request::ListWorkergroups).await;
    settings.keep_pacing(&connection.session);
    let listing = listing?;
    let mut rows = search::rows(&listing, &query, settings.dialect);
    let found = rows.len();
    let shown = arguments.search.rows.or(query.limit);
    rows.truncate(shown.map_or(usize::MAX, |shown| shown as usize));
    search::show(&listing, &rows, &view)?;
    search::tell_skipped(&listing);
    let answer = Answer {
        listing: &listing,
        query: &query,
        dialect: settings.dialect,
        check: &ResponseCheck::default(),
        rows: &rows,
    };
    answer.tell();
    output::note_shown(rows.len(), found, "workergroups");
    Ok(())
}
