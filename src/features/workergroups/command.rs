//! `bourse groups`: lists the workergroups of the account.

use super::look::Look;
use super::{SUPPLY_COLUMNS, SUPPLY_FIGURES, sent, supply_command};
use crate::api::{Request, Session};
use crate::cli::args::{GroupsArguments, GroupsCommand};
use crate::cli::notes::Answer;
use crate::cli::output::CliError;
use crate::cli::search::Extent;
use crate::cli::table::{Priced, View};
use crate::cli::{output, search, wanted, write};
use crate::domain::journal::Entry;
use crate::domain::response_check::ResponseCheck;
use crate::domain::workergroup::{Preflight, Recruitment};
use crate::domain::{Listing, Resource};
use crate::settings::Settings;

/// Runs `bourse groups`: lists the workergroups that meet the conditions, with `--curl` prints the request
/// instead; or runs the subcommand `create` or `supply`.
///
/// The market filters nothing: conditions, order and limit apply to its list.
pub async fn groups(settings: &Settings, arguments: &GroupsArguments) -> Result<(), CliError> {
    match &arguments.command {
        Some(GroupsCommand::Create(options)) => return write::create(settings, options).await,
        Some(GroupsCommand::Supply(options)) => return supply_command::supply(settings, options).await,
        None => {}
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
    let mut listing = listing?;
    let mut rows = search::rows(&listing, &query, settings.dialect);
    let matched = rows.len();
    let shown = arguments.search.rows.or(query.limit);
    rows.truncate(shown.map_or(usize::MAX, |shown| shown as usize));
    let writes = write::written(settings, &connection.session);
    let sent = sent::columns(&writes, &listing);
    listing.set_columns(sent);
    if view.asks_for(&SUPPLY_COLUMNS) {
        let checked = check_supply(&mut listing, &rows, settings, &connection.session).await;
        settings.keep_pacing(&connection.session);
        checked?;
    }
    search::show(&listing, &rows, &view, &[], Extent::new(&listing, &query, matched))?;
    search::print_skipped(&listing);
    let answer = Answer {
        listing: &listing,
        query: &query,
        dialect: settings.dialect,
        check: &ResponseCheck::default(),
        rows: &rows,
    };
    answer.print();
    print_sent_limits(&listing, &rows, &writes);
    output::note_shown(rows.len(), matched, "workergroups");
    output::require_rows(arguments.search.fail_empty, rows.is_empty())
}

/// Notes on stderr, for each of the `rows`, the limits that were sent when the group was created here and
/// that the market does not return unchanged.
fn print_sent_limits(listing: &Listing, rows: &[u32], writes: &[Entry]) {
    for row in rows.iter().map(|row| *row as usize) {
        let limits = sent::describe_unreturned_limits(writes, listing, row);
        if let (Some(id), false) = (listing.id(row), limits.is_empty()) {
            output::note(&format!("workergroup {id}: {}", limits.join("; ")));
        }
    }
}

/// Fills the supply columns of the `rows`, with one search for all groups that recruit alike.
///
/// If a group has no valid search, its cells stay empty and a note gives the reason; a search that fails is
/// an error.
async fn check_supply(
    listing: &mut Listing,
    rows: &[u32],
    settings: &Settings,
    session: &Session,
) -> Result<(), CliError> {
    let mut reports: Vec<(Recruitment, Preflight)> = Vec::new();
    let mut columns = SUPPLY_COLUMNS.map(|_| vec![None; listing.len()]);
    for row in rows.iter().map(|row| *row as usize) {
        let recruitment = match Look::at_row(listing, row, settings.dialect, &[]) {
            Ok(look) => look.search,
            Err(why) => {
                let id = listing.id(row).map_or_else(String::new, |id| format!(" {id}"));
                output::note(&format!("supply of workergroup{id} is not checked: {why}"));
                continue;
            }
        };
        let report = supply_command::cached_report(settings, session, &recruitment, &mut reports).await;
        let report = report.map_err(|why| CliError::Failed(why.to_string()))?;
        for (column, figure) in columns.iter_mut().zip(SUPPLY_FIGURES) {
            column[row] = figure(&report);
        }
    }
    listing.set_columns(SUPPLY_COLUMNS.into_iter().zip(columns));
    Ok(())
}
