//! The requests that are forwarded to workers, and the question before them.

use std::io::{self, IsTerminal as _};

use crate::api::Session;
use crate::cli::output::{self, CliError};
use crate::cli::prompt;
use crate::cli::route_args::RouteArguments;
use crate::domain::routing::{Hop, RoutePlan, words};
use crate::settings::Settings;
use crate::store::text_file;

/// The word that confirms.
const WORD: &str = "send";

/// The request that a route run forwards to workers, with the payload read from its file; `None` unless
/// `--send` and `--payload` are given, an error if the file is unreadable.
pub(super) fn hop(arguments: &RouteArguments) -> Result<Option<Hop>, CliError> {
    let Some((path, file)) = arguments.send.as_ref().zip(arguments.payload.as_ref()) else {
        return Ok(None);
    };
    Ok(Some(Hop {
        path: path.clone(),
        payload: text_file::read(file, text_file::LONGEST_PAYLOAD)
            .map_err(|why| CliError::Usage(format!("--payload: {why}")))?,
        retries: arguments.retries.unwrap_or(0),
    }))
}

/// Checks that there is a terminal to confirm on, or `--yes`.
///
/// # Errors
///
/// When there is neither.
pub(super) fn check_can_confirm(arguments: &RouteArguments) -> Result<(), CliError> {
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    if arguments.yes || can_ask {
        return Ok(());
    }
    Err(CliError::Usage(
        "nothing was sent: no terminal to confirm on. Add --yes to send without asking".to_owned(),
    ))
}

/// Prints the receivers and the content of the requests that a route run forwards, and asks for confirmation
/// unless `yes`; an error if it is refused. Does nothing if none are forwarded.
pub(super) async fn confirm(
    (session, settings): (&Session, &Settings),
    plan: &RoutePlan,
    warmup: Option<&RoutePlan>,
    yes: bool,
) -> Result<(), CliError> {
    let Some(hop) = &plan.hop else { return Ok(()) };
    let route = session.client().config().route.to_string();
    for annotation_lines in words::describe_recipients(plan, hop, &route) {
        output::print_message(&annotation_lines);
    }
    if let Some(warmup) = warmup {
        output::print_message(&format!(
            "Warm-up, sent first and not measured: {}",
            words::describe_plan(warmup)
        ));
    }
    output::print_message(words::billing_notice(settings.is_sandbox()));
    if yes {
        return Ok(());
    }
    prompt::confirm(WORD, "start", "nothing was sent").await
}
