//! `bourse offers --all`: loads every offer of a search.

use std::time::Instant;

use super::report::Why;
use super::rules::{OVER_BUDGET, Plan, USUAL_LIMIT};
use crate::api::{Progress, Reply, Request, Session};
use crate::cli::args::SearchArguments;
use crate::cli::output;
use crate::cli::output::{CliError, ProgressLine};
use crate::cli::wanted::Wanted;
use crate::domain::annotations::Annotations;
use crate::domain::{Dialect, Listing, Query};

/// Sets up a search of the command line for all offers with up to `budget` requests; `--limit` is then the
/// number of offers requested at once (3,000 by default).
///
/// A usage error together with `--curl` or `--limit 0`.
pub fn set_up_all(wanted: &mut Wanted, arguments: &SearchArguments, budget: u32) -> Result<(), CliError> {
    let wrong = match arguments.limit {
        _ if arguments.curl => "--curl prints one request, and --all may send several: leave out one of them",
        Some(0) => "--all compares each response with the limit: leave out --limit 0",
        Some(_) | None => {
            wanted.all = Some(budget);
            wanted.query.limit = Some(arguments.limit.unwrap_or(USUAL_LIMIT));
            return Ok(());
        }
    };
    Err(CliError::Usage(wrong.to_owned()))
}

/// Loads all offers of a search, without banned ones, with up to `budget` requests; notes on stderr how
/// complete they are. An error if the first request fails.
///
/// Ctrl-C ends it early with the offers so far.
pub async fn load(
    session: &Session,
    query: &Query,
    bans: &Annotations,
    budget: u32,
    dialect: &'static Dialect,
) -> Result<Box<Listing>, CliError> {
    let mut query = query.clone();
    query.conditions.extend(bans.conditions(&query, dialect));
    let mut plan = Plan::new(&query, query.limit.unwrap_or(USUAL_LIMIT), budget, dialect);
    let (mut line, started) = (ProgressLine::new(), Instant::now());
    while let Some(query) = plan.next_search() {
        let request = Request::Search(query);
        let text = plan.progress().text(started.elapsed().as_secs_f64());
        line.show(&text);
        let call = session.run(&request, |progress| {
            if let Progress::Waiting { span, .. } = progress {
                line.show(&format!("{text}, waiting {:.1} s", span.as_secs_f64()));
            }
        });
        let response = tokio::select! {
            response = call => response,
            _ = tokio::signal::ctrl_c() => {
                plan.stop("interrupted");
                continue;
            }
        };
        match response.and_then(Reply::into_records) {
            Ok(mut listing) => {
                bans.hide_banned(&mut listing);
                plan.take(*listing);
                if let Some(estimate) = plan.estimate() {
                    line.clear();
                    output::note(&estimate);
                }
            }
            Err(error) => plan.fail(error)?,
        }
    }
    drop(line);
    plan.verdict().iter().for_each(|line| output::note(line));
    if plan.open().iter().any(|open| open.why == Why::Stopped(OVER_BUDGET)) {
        output::note("--requests N sends more; a narrower search needs fewer");
    }
    let listing = plan.into_listing();
    listing
        .map(Box::new)
        .map_err(|error| CliError::Failed(error.to_string()))
}
