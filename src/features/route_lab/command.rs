//! `bourse route`: requests workers and shows how the requests are distributed among them.

mod against;
pub(crate) mod document;
mod drive;
mod send;
mod show;
mod worker;

use against::Against;

use crate::api::attempt::route_call;
use crate::api::{Request, Secret, Session};
use crate::cli::args::Format;
use crate::cli::output::CliError;
use crate::cli::route_args::RouteArguments;
use crate::cli::{output, search};
use crate::domain::Untrusted;
use crate::domain::dialect::{Dialect, RouteKey};
use crate::domain::routing::{
    DEFAULT_RATE, End, OutcomeKind, Phase, PollPolicy, Requirement, RoutePlan, Run, Stop, words,
};
use crate::domain::text::visible;
use crate::settings::Settings;

/// Concurrency of a run by duration.
///
/// With one slot, a slow reply would hold back the requests due after it.
const DURATION_CONCURRENCY: u32 = 4;

/// Runs `bourse route`: requests workers as the flags plan it, after a warm-up that is not measured if one is
/// asked for, and prints the replies or figures; with `--curl`, only prints the first request as a command.
/// Requests that are forwarded to workers need a confirmation or `--yes`. An error if a requirement is broken
/// or no request succeeded.
pub async fn route(settings: &Settings, arguments: &RouteArguments) -> Result<(), CliError> {
    let requirements = requirements(arguments)?;
    let plan = plan(arguments, settings.dialect)?;
    let against = arguments.against.as_deref();
    let against = against.map(|path| Against::read(path, &plan)).transpose()?;
    if plan.hop.is_some() {
        send::check_can_confirm(arguments)?;
    }
    let connection = settings.connect().await?;
    let session = &connection.session;
    if arguments.curl {
        return curl(settings, session, &plan);
    }
    let key = match settings.dialect.route_key {
        RouteKey::Profile => None,
        RouteKey::Group => Some(group_key(session, &arguments.endpoint).await?),
    };
    let warmup = arguments.warmup.map(|number| RoutePlan {
        stop: Stop::Count(number),
        rate: None,
        polls_alone: true,
        ..plan.clone()
    });
    if plan.hop.is_some() {
        let connected = (session, settings);
        send::confirm(connected, &plan, warmup.as_ref(), arguments.yes).await?;
        session.workers().prepare().await;
    }
    if let Some(warmup) = warmup {
        announce("warm-up, ", &warmup);
        let ended = drive::run(session, warmup, key.clone(), false).await?;
        if was_stopped(&ended.run) {
            return Err(CliError::Failed(
                "stopped during the warm-up: nothing was measured".to_owned(),
            ));
        }
    }
    announce("", &plan);
    let mut ended = drive::run(session, plan, key, arguments.format == Format::Json).await?;
    ended.warmup = arguments.warmup.unwrap_or(0);
    show::show(&ended, against.as_ref(), arguments.format, arguments.show_secrets)?;
    verdict(&ended.run, &requirements)
}

/// Notes on stderr the load that a route run injects and the time of its release; only on a market that
/// releases load, and if the plan injects any. `what` precedes the plan.
fn announce(what: &str, plan: &RoutePlan) {
    if plan.replay_timeout.is_some() && plan.injects_load() {
        output::note(&format!(
            "{what}{}: {}",
            words::describe_plan(plan),
            words::describe_load(plan)
        ));
    }
}

/// Whether the route run was stopped before the end of its plan, by a signal or by a key refused repeatedly.
fn was_stopped(run: &Run) -> bool {
    run.phase() == Phase::Ended(End::Stopped)
}

/// The requirements of `--require`; empty without the flag.
///
/// # Errors
///
/// When the list cannot be parsed, or one of them is about workers' responses and no request is forwarded.
fn requirements(arguments: &RouteArguments) -> Result<Vec<Requirement>, CliError> {
    let Some(list) = &arguments.require else {
        return Ok(Vec::new());
    };
    let requirements = Requirement::parse_list(list).map_err(|why| CliError::Usage(format!("--require: {why}")))?;
    let is_measured = |requirement: &&Requirement| arguments.send.is_some() || requirement.is_of_router();
    match requirements.iter().find(|requirement| !is_measured(requirement)) {
        None => Ok(requirements),
        Some(requirement) => Err(CliError::Usage(format!(
            "--require: {requirement} is not measured: add --send PATH --payload FILE to send requests to workers"
        ))),
    }
}

/// Prints the first request of the plan as one `curl` command, and sends nothing.
fn curl(settings: &Settings, session: &Session, plan: &RoutePlan) -> Result<(), CliError> {
    if settings.dialect.route_key == RouteKey::Group {
        output::note(
            "this market routes with the workergroup's own key: set BOURSE_API_KEY to it \
             (bourse groups --show-secrets)",
        );
    }
    search::print_curl(
        settings,
        session,
        &Request::Route(route_call(plan, plan.cost, None, None)),
    )
}

/// The plan of a route run from its flags; one request by default, and with a duration up to 4 requests at
/// once at the default rate. A usage error names the flag or parameter that makes it invalid.
fn plan(arguments: &RouteArguments, dialect: &Dialect) -> Result<RoutePlan, CliError> {
    let (stop, concurrency, rate) = match (arguments.duration, arguments.number) {
        (Some(span), _) => (
            Stop::Duration(span.as_secs_f64()),
            DURATION_CONCURRENCY,
            Some(DEFAULT_RATE),
        ),
        (None, number) => (Stop::Count(number.unwrap_or(1)), 1, None),
    };
    let mut plan = RoutePlan {
        cost: arguments.cost,
        stop,
        concurrency: arguments.concurrency.map_or(concurrency, u32::from),
        rate: arguments.rate.or(rate),
        poll: PollPolicy {
            patience: arguments.patience.as_secs_f64(),
            ..PollPolicy::default()
        },
        ..RoutePlan::single(arguments.endpoint.as_str()).for_dialect(dialect)
    };
    if let Some(hop) = send::hop(arguments)? {
        plan = plan.sending(hop);
    }
    match plan.check().first() {
        None => Ok(plan),
        Some(objection) if ["path", "payload"].contains(&objection.parameter) => {
            let flag = if objection.parameter == "path" {
                "send"
            } else {
                "payload"
            };
            let file = arguments.payload.as_deref().filter(|_| flag == "payload");
            let file = file.map_or_else(String::new, |file| {
                format!("{}: ", visible(&file.to_string_lossy(), 400))
            });
            Err(CliError::Usage(format!("--{flag}: {file}{}", objection.message)))
        }
        Some(objection) => Err(CliError::Usage(format!(
            "{}: {}",
            objection.parameter, objection.message
        ))),
    }
}

/// The key of the workergroup that serves an endpoint, by which the public service routes; loads the
/// workergroups first. An error if none with a key serves it.
async fn group_key(session: &Session, endpoint: &str) -> Result<Secret, CliError> {
    let listing = search::fetch(session, &Request::ListWorkergroups).await?;
    super::key_serving(&listing, endpoint).ok_or_else(|| {
        CliError::Failed(format!(
            "no workergroup with a key serves the endpoint '{}': see bourse groups",
            Untrusted::from(endpoint).screen(80)
        ))
    })
}

/// The result of `bourse route`: an error for a broken requirement, for a run without an assignment, and for
/// one without a 2xx of a worker if requests are forwarded.
///
/// With requirements, also for a run that was stopped early. Broken requirements are printed here, other
/// reasons before.
fn verdict(run: &Run, requirements: &[Requirement]) -> Result<(), CliError> {
    if !requirements.is_empty() && was_stopped(run) {
        return Err(CliError::Failed(
            "stopped early: the requirements were not checked".to_owned(),
        ));
    }
    let broken: Vec<_> = requirements
        .iter()
        .filter_map(|requirement| requirement.broken_by(run.stats(), run.plan().hop.is_some()))
        .collect();
    for words in &broken {
        output::complain(words);
    }
    if !broken.is_empty() {
        return Err(CliError::NotMet);
    }
    let stats = run.stats();
    let good = match run.plan().hop {
        Some(_) => stats.worker_calls.good,
        None => stats.count(OutcomeKind::Assigned),
    };
    if good > 0 {
        return Ok(());
    }
    Err(CliError::Quiet)
}
