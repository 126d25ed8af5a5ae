//! `bourse unlist` and `bourse groups create`: writes without a screen, under the rules of the
//! dashboard.
//!
//! The request is printed, confirmed by typing or by `--yes`, sent once and never retried. It is
//! journalled: the intent before the first byte, the outcome after the reply.

pub(crate) mod check;
mod supply;
mod unsettled;

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::de::IgnoredAny;
use tokio::time::Instant;

use self::supply::Supply;
pub use self::supply::report as supply_report;
use super::args::{ReplyFormat, UnlistArguments, WriteArguments};
use super::create_args::{CreateArguments, Settlement, flag};
use super::output::{self, CliError};
use super::prompt;
use super::sandbox::Stop;
use super::wanted::annotations;
use crate::api::client::current_time;
use crate::api::{ApiError, Progress, Reply, Request, Session};
use crate::core::mutations::{Mutations, READ_ONLY, RequestPreview, SendBlocked};
use crate::core::{Effect, Profile, mutations};
use crate::domain::journal::{Entry, Verdict, WriteKind};
use crate::domain::language::{self, LanguageError};
use crate::domain::text::visible;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::workergroup::{Draft, Key, NewWorkergroup, Objection};
use crate::domain::{Condition, Operand, Operator, Query, Resource, Untrusted, Value, WORKERGROUPS};
use crate::features::markets::command::profile_of;
use crate::features::workergroups::creation::CREATE;
use crate::runtime::writes::{IntendedWrite, Journalled, OpenedJournal, journalled};
use crate::sandbox::Running;
use crate::settings::{Market, Settings, config};
use crate::store::{Journal, Paths};
use crate::table::remote::Tickets;

/// A write from the command line.
struct Write {
    kind: WriteKind,
    request: Request,
    /// Its name in the journal.
    subject: String,
    /// The word that confirms it.
    word: String,
    /// The check to make if its outcome is unknown, as advice.
    check: String,
    /// The outcome that the user sets for an identical write sent before.
    settle: Option<Settlement>,
    /// The supply of a new workergroup, to check before it is sent.
    supply: Option<Supply>,
}

/// `bourse unlist`: unlists a volume listing after a confirmation, or prints the request.
pub async fn unlist(settings: &Settings, arguments: &UnlistArguments) -> Result<(), CliError> {
    let id = arguments.id;
    let write = Write {
        kind: WriteKind::UnlistVolume,
        request: Request::UnlistVolume { id },
        subject: id.to_string(),
        word: id.to_string(),
        check: format!("Check listing {id} in the market's console before you unlist it again."),
        settle: None,
        supply: None,
    };
    perform(settings, write, arguments.write).await
}

/// `bourse groups create`: creates a workergroup after checking its parameters and cost, or prints the
/// request.
pub async fn create(settings: &Settings, arguments: &CreateArguments) -> Result<(), CliError> {
    let draft = &without_banned(settings, arguments);
    let new = draft
        .build(settings.dialect)
        .map_err(|objections| refused(&objections, |key| draft.text(key)))?;
    for advice in draft.advice(settings.dialect) {
        output::note(&named(&advice));
    }
    let write = Write {
        kind: WriteKind::CreateWorkergroup,
        subject: new.subject(),
        word: CREATE.to_owned(),
        check: format!(
            "Run {} to see whether it exists before you create it again.",
            list_command(settings, &new)
        ),
        request: Request::CreateWorkergroup(new),
        settle: arguments.earlier,
        supply: Supply::new(draft, arguments.over_limit, settings),
    };
    perform(settings, write, arguments.write).await
}

/// The parameters of a new workergroup, with the user's bans added to its search as far as the market can
/// filter on them, which is noted on stderr; unchanged with `--no-bans` or an unreadable search.
fn without_banned(settings: &Settings, arguments: &CreateArguments) -> Draft {
    let mut draft = arguments.parameters.0.clone();
    // A search that cannot be read is refused as it is.
    let Ok(conditions) = draft.conditions(settings.dialect) else {
        return draft;
    };
    if arguments.no_bans {
        return draft;
    }
    let mut query = Query::empty(Resource::Offers);
    query.conditions = conditions;
    let bans = annotations(settings).conditions(&query, settings.dialect);
    if !bans.is_empty() {
        let text = language::print_briefly(&bans);
        output::note(&format!(
            "your bans are part of its search: {text} (--no-bans leaves them out)"
        ));
        query.conditions.extend(bans);
        let search = Draft::from_conditions(&query.conditions);
        draft.put(Key::SearchParams, search.text(Key::SearchParams));
    }
    draft
}

/// The usage error with all validation errors of a workergroup draft, each under its flag; `text` returns a
/// parameter's value, in which a mistake of the search is underlined.
fn refused<'t>(objections: &[Objection], text: impl Fn(Key) -> &'t str) -> CliError {
    let lines: Vec<_> = objections
        .iter()
        .map(|objection| {
            let key = Key::named(objection.parameter).filter(|key| *key == Key::SearchParams);
            match (key.map(&text), &objection.span) {
                (Some(text), Some(span)) => {
                    let error = LanguageError {
                        message: objection.message.clone(),
                        span: span.clone(),
                        suggestion: None,
                    };
                    format!("--{}:\n{}", flag(Key::SearchParams), error.render(text))
                }
                _ => named(objection),
            }
        })
        .collect();
    CliError::Usage(lines.join("\n"))
}

/// A validation error or warning after its flag: `--min-load: …`.
fn named(objection: &Objection) -> String {
    let flag = Key::named(objection.parameter).map_or(objection.parameter, flag);
    format!("--{flag}: {}", objection.message)
}

/// The shell command that lists the workergroups of the new one's endpoint, on the same market.
fn list_command(settings: &Settings, new: &NewWorkergroup) -> String {
    let (key, value) = match (&new.endpoint_name, new.endpoint_id) {
        (Some(name), _) => ("endpoint_name", Value::Text(name.clone())),
        (None, id) => ("endpoint_id", Value::Number(id.unwrap_or_default() as f64)),
    };
    let condition = WORKERGROUPS.by_key(key).map(|field| {
        let condition = Condition::new(field, Operator::Eq, Operand::One(value));
        visible(&language::print_condition(&condition), 400)
    });
    let words = ["bourse", "groups"].map(str::to_owned).into_iter();
    shell_words::join(words.chain(condition).chain(market_flags(settings)))
}

/// The flags that choose the market in another command; empty for the sandbox.
fn market_flags(settings: &Settings) -> Vec<String> {
    match &settings.market {
        Market::Embedded(_) => Vec::new(),
        Market::Remote { management, .. } if settings.profile == config::CUSTOM => {
            vec!["--base-url".to_owned(), management.to_string()]
        }
        Market::Remote { .. } => vec!["--profile".to_owned(), settings.profile.clone()],
    }
}

/// The journalled writes to this market, oldest first, also of earlier runs; empty, and no file created, if
/// nothing was ever written.
pub fn written(settings: &Settings, session: &Session) -> Vec<Entry> {
    let file = settings.paths.as_ref().map(Paths::journal_file);
    if !file.is_some_and(|file| file.exists()) {
        return Vec::new();
    }
    OpenedJournal::open(settings, &profile_of(settings, session)).entries
}

/// Previews, checks, confirms and sends a write, and reports its outcome. A dry run only prints the request,
/// and `--earlier created` only settles the earlier writes.
async fn perform(settings: &Settings, mut write: Write, how: WriteArguments) -> Result<(), CliError> {
    if !how.dry_run && write.settle != Some(Settlement::Created) {
        allowed(settings, how)?;
    }
    let connection = settings.connect().await?;
    let profile = profile_of(settings, &connection.session);
    let consent = mutations::preview(&write.request, &profile);
    let supply = write.supply.take_if(|_| write.settle != Some(Settlement::Created));
    let checked = match supply {
        Some(supply) => {
            let is_wanted = how.dry_run || !how.yes;
            supply.check(settings, &connection.session, is_wanted).await
        }
        None => None,
    };
    if how.dry_run {
        return print_request(&consent, checked.as_ref(), how.format);
    }
    let over_limit = match &checked {
        Some(checked) => checked.allow()?,
        None => None,
    };
    output::print_message(preview(&consent).trim_end());
    let mut opened = OpenedJournal::open(settings, &profile);
    if profile.is_sandbox {
        // The sandbox differs in every run: of the writes to an earlier one, only workergroups persist.
        let is_kept = |entry: &Entry| entry.intent.kind == WriteKind::CreateWorkergroup;
        opened.entries.retain(is_kept);
    }
    if let Some(why) = &opened.blocked {
        return Err(not_sent(why));
    }
    if let Some(note) = &opened.note {
        output::note(note);
    }
    let mut mutations = Mutations::default();
    mutations.history = opened.entries;
    let journal = opened.journal;
    unsettled::print_unsettled(&mutations, &write);
    if unsettled::settle(&mut mutations, &journal, &write)? {
        return Ok(());
    }
    if !how.yes {
        prompt::confirm(&write.word, "send it", "nothing was sent").await?;
    }
    mutations.begin(write.kind);
    mutations.exceed_limit(write.kind, over_limit);
    let kept = (mutations, journal);
    let sent = send(&connection.session, &profile, kept, write, how.format).await;
    settings.keep_pacing(&connection.session);
    if let Some(why) = connection.sandbox.as_ref().and_then(Running::take_unsaved) {
        output::note(&format!("the sandbox can't save the change: {why}"));
    }
    sent
}

/// Prints the request of a dry run, in JSON also its cost if that was checked. Then an error if it would not
/// be sent, as it exceeds the limit; also an error if printing fails.
fn print_request(
    consent: &RequestPreview,
    checked: Option<&supply::Checked>,
    format: ReplyFormat,
) -> Result<(), CliError> {
    let text = match format {
        ReplyFormat::Text => preview(consent),
        ReplyFormat::Json => {
            let cost = checked.map(|checked| format!(", \"cost\": {}", serde_json::json!(checked.cost())));
            format!(
                "{{\"v\": {}, \"kind\": \"request\", \"method\": \"{}\", \"url\": {}, \"body\": {}{}}}\n",
                output::DOCUMENT_VERSION,
                consent.method,
                serde_json::Value::from(url(consent)),
                consent.body,
                cost.unwrap_or_default()
            )
        }
    };
    output::print(&text)?;
    checked.map_or(Ok(()), |checked| checked.allow().map(drop))
}

/// Checks that the market is not read-only, and that there is a terminal to confirm on unless `--yes` is
/// given; the error is the reason nothing is sent.
fn allowed(settings: &Settings, how: WriteArguments) -> Result<(), CliError> {
    if settings.read_only {
        return Err(CliError::Failed(format!("nothing was sent: {READ_ONLY}")));
    }
    let can_ask = io::stdin().is_terminal() && io::stderr().is_terminal();
    if !how.yes && !can_ask {
        return Err(CliError::Usage(
            "nothing was sent: no terminal to confirm on. Add --yes to send without asking, \
             or --dry-run to see the request"
                .to_owned(),
        ));
    }
    Ok(())
}

/// The address that a previewed write is sent to.
fn url(consent: &RequestPreview) -> String {
    format!("{}{}", consent.base, consent.path)
}

/// The text of a write before it is confirmed, in three lines: method and address, the key by name, and body.
fn preview(consent: &RequestPreview) -> String {
    format!(
        "{} {}\n{}\n{}\n",
        consent.method,
        url(consent),
        consent.key,
        consent.body
    )
}

/// Waits until the rate limit allows the write; returns the effect that sends it. An error if a signal
/// arrives, it was not confirmed, or the same was sent before with an unknown outcome.
async fn turn(
    mutations: &mut Mutations,
    request: &Request,
    profile: &Profile,
    now: &impl Fn() -> Now,
    stop: &mut Stop,
) -> Result<Effect, CliError> {
    let mut tickets = Tickets::default();
    loop {
        match mutations.send(request.clone(), profile, tickets.take(), now()) {
            Ok(effect) => return Ok(effect),
            Err(SendBlocked::NotConfirmed) => return Err(not_sent("not confirmed")),
            Err(SendBlocked::Unsettled) => return Err(not_sent("the same was sent before")),
            Err(SendBlocked::TooEarly(seconds)) => {
                output::note(&format!("sending in {} s: rate limited", seconds.ceil()));
                let span = Duration::try_from_secs_f64(seconds).unwrap_or_default();
                tokio::select! {
                    biased;
                    () = stop.wait() => return Err(not_sent("interrupted")),
                    () = tokio::time::sleep(span) => {}
                }
            }
        }
    }
}

/// Waits for the rate limit, sends the write once, and reports its outcome, in JSON by printing the market's
/// reply; a signal while waiting for the reply leaves the outcome unknown.
async fn send(
    session: &Session,
    profile: &Profile,
    (mut mutations, journal): (Mutations, Journal),
    write: Write,
    format: ReplyFormat,
) -> Result<(), CliError> {
    let (kind, request) = (write.kind, write.request.clone());
    let mut stop = Stop::new()?;
    let started = Instant::now();
    let now = || Now {
        mono: MonotonicTime::after(started.elapsed()),
        epoch: current_time(),
    };
    let effect = turn(&mut mutations, &request, profile, &now, &mut stop).await?;
    let Effect::Write { request, intent, .. } = effect else {
        return Err(not_sent("not a write"));
    };
    let reply = Arc::new(Mutex::new(None));
    let notify = {
        let reply = Arc::clone(&reply);
        Box::new(move |progress| {
            if let Progress::Tried(entry) = progress {
                let mut reply = reply.lock().unwrap_or_else(PoisonError::into_inner);
                *reply = entry.response;
            }
        })
    };
    let calls = Arc::new(session.clone());
    let intended = IntendedWrite { request, intent };
    let sent = journalled(calls, journal, intended, notify, current_time);
    let Journalled { result, unsaved, .. } = tokio::select! {
        biased;
        () = stop.wait() => {
            return Err(unknown("interrupted before the reply arrived", &write.check));
        }
        sent = sent => sent,
    };
    unsaved.as_deref().into_iter().for_each(output::note);
    if format == ReplyFormat::Json
        && let Some(reply) = &*reply.lock().unwrap_or_else(PoisonError::into_inner)
        && serde_json::from_str::<IgnoredAny>(reply.unescaped()).is_ok()
    {
        output::print_json(&format!("{}\n", reply.unescaped()))?;
    }
    let completed = mutations.complete(kind, &result, now());
    let (verdict, words) = completed.map_or((Verdict::Unknown, String::new()), |completed| {
        let words = match completed.verdict {
            Verdict::Done => mutations::sentence(&completed),
            Verdict::Refused | Verdict::Unknown => completed.message,
        };
        (completed.verdict, words)
    });
    report(&write, format, (verdict, &words), &result)
}

/// Prints the outcome of a done write, nothing in JSON; one that is refused or unknown is the error.
fn report(
    write: &Write,
    format: ReplyFormat,
    (verdict, words): (Verdict, &str),
    result: &Result<Reply, ApiError>,
) -> Result<(), CliError> {
    match verdict {
        Verdict::Done if format == ReplyFormat::Json => Ok(()),
        Verdict::Done => {
            let subject = Untrusted::from(write.subject.clone()).screen(200);
            let line = match result {
                Ok(Reply::Created { id }) => format!("Workergroup {id} created for {subject}\n"),
                _ => format!("{words}\n"),
            };
            output::print(&line)
        }
        Verdict::Refused => Err(CliError::Failed(match write.kind {
            WriteKind::UnlistVolume => format!("not unlisted: {words}"),
            WriteKind::CreateWorkergroup => format!("not created: {words}"),
        })),
        Verdict::Unknown => Err(unknown(words, &write.check)),
    }
}

/// The error of a write that was not sent, for this reason: exit status 1.
fn not_sent(why: &str) -> CliError {
    CliError::Failed(format!("nothing was sent: {why}"))
}

/// The error of a write whose outcome is unknown: exit status 3, with the check to make.
fn unknown(why: &str, check: &str) -> CliError {
    CliError::Unknown(format!(
        "outcome unknown: {why}. The request was sent once and is not repeated.\n{check}"
    ))
}
