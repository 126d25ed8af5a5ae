//! `bourse writes check`: shows damaged lines of the write history and writes with an unknown
//! outcome, beside the market's current list, and settles them as the user decides.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use clap::{Args, Subcommand, ValueEnum};

use super::market_flags;
use crate::api::client::current_time;
use crate::api::{Reply, Request};
use crate::cli::args::{ArgumentError, ReplyFormat};
use crate::cli::documents::{WriteEntry, WriteMembers, Writes};
use crate::cli::output::{self, CliError};
use crate::cli::prompt;
use crate::cli::search::reply;
use crate::core::unsettled;
use crate::domain::format::{counted, moment};
use crate::domain::journal::{self, Damage, Entry, Line, Outcome, Verdict, WriteKind};
use crate::domain::text::message;
use crate::domain::time::UnixTime;
use crate::domain::workergroup::candidates;
use crate::domain::{CellRef, Listing, RowId, WORKERGROUPS};
use crate::runtime::writes::is_of_market;
use crate::settings::{Market, Settings};
use crate::store::{Journal, JournalError, Paths};

/// The maximum number of workergroups shown beside an entry.
const MOST: usize = 8;

#[derive(Debug, Subcommand)]
pub enum WritesCommand {
    /// Show and settle writes whose outcome is unknown, and lines that can't be read
    Check(CheckArguments),
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Settle the entry on this line of the write history, or `damaged` for all lines that can't be read
    ///
    /// A line that can't be read is moved to writes.jsonl.damaged beside the write history.
    #[arg(long, value_name = "LINE", value_parser = parse_target)]
    pub settle: Vec<SettleTarget>,

    /// Say what became of the write on that line
    #[arg(long = "as", value_name = "OUTCOME", value_enum, requires = "settle")]
    pub outcome: Option<Settled>,

    /// Settle without asking; required without a terminal
    #[arg(long, requires = "settle")]
    pub yes: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t, conflicts_with = "settle")]
    pub format: ReplyFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleTarget {
    Line(u64),
    /// Every line that cannot be read.
    Damaged,
}

/// Parses the entries to settle: the number of a line, or `damaged`.
fn parse_target(text: &str) -> Result<SettleTarget, ArgumentError> {
    if text == "damaged" {
        return Ok(SettleTarget::Damaged);
    }
    let line = text.parse().map(SettleTarget::Line);
    line.map_err(|_| ArgumentError::JournalLine)
}

/// The outcome that the user sets for a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Settled {
    /// It happened: the workergroup exists, or the volume is unlisted
    Done,
    /// It did not happen, and can be sent again
    NotDone,
}

/// An entry that is open: a damaged line, or a write with an unknown outcome.
#[derive(Debug, Clone)]
enum Unsettled {
    Damaged(Damage),
    Unknown { line: u64, entry: Entry },
}

impl Unsettled {
    /// The line of the write history that the entry is on.
    const fn line(&self) -> u64 {
        match self {
            Self::Damaged(damage) => damage.line,
            Self::Unknown { line, .. } => *line,
        }
    }

    /// Whether the flag's target names this entry.
    fn is_chosen(&self, target: SettleTarget) -> bool {
        match target {
            SettleTarget::Line(line) => line == self.line(),
            SettleTarget::Damaged => matches!(self, Self::Damaged(_)),
        }
    }

    /// Whether the market's list of workergroups can show something about the entry; false for an unlisting.
    const fn is_comparable(&self) -> bool {
        match self {
            Self::Damaged(_) => true,
            Self::Unknown { entry, .. } => matches!(entry.intent.kind, WriteKind::CreateWorkergroup),
        }
    }
}

/// `bourse writes check`: prints what is unsettled on this market, or settles the chosen entries after a
/// confirmation. Without `--settle` it fails if anything is unsettled; writes to other markets are only noted
/// on stderr.
pub async fn check(settings: &Settings, arguments: &CheckArguments) -> Result<(), CliError> {
    let path = settings.paths.as_ref().map(Paths::journal_file);
    let journal = path.as_deref().map_or_else(Journal::default, Journal::at);
    let history = journal.read().map_err(|error| CliError::Failed(error.to_string()))?;
    let address = match &settings.market {
        Market::Embedded(_) => None,
        Market::Remote { management, .. } => Some(management.to_string()),
    };
    let mut open: Vec<Unsettled> = history.damage.iter().cloned().map(Unsettled::Damaged).collect();
    for entry in journal::entries(history.lines.clone()) {
        if entry.verdict() != Verdict::Unknown {
            continue;
        }
        let is_here = is_of_market(&entry.intent, &settings.profile, address.as_deref());
        // An unlisting in an embedded sandbox ended with it.
        let has_ended = address.is_none() && entry.intent.kind == WriteKind::UnlistVolume;
        match history.line_of(&entry.intent) {
            Some(line) if is_here && !has_ended => open.push(Unsettled::Unknown { line, entry }),
            _ if is_here => {}
            _ => output::note(&format!(
                "not of this market: {} (profile {} at {})",
                unsettled::describe(&entry),
                message(&entry.intent.profile),
                message(&entry.intent.address)
            )),
        }
    }
    open.sort_by_key(Unsettled::line);
    let chosen = chosen(&open, arguments)?;
    let is_settling = !arguments.settle.is_empty();
    let shown = if is_settling { &chosen } else { &open };
    let listing = if shown.iter().any(Unsettled::is_comparable) {
        listed(settings).await
    } else {
        Err(String::new())
    };
    if arguments.format == ReplyFormat::Json {
        output::print_line("writes", document(shown, listing.as_deref().ok()))?;
    } else if shown.is_empty() {
        return output::print("nothing to settle\n");
    } else {
        let texts = shown.iter().map(|open| describe(open, listing.as_deref(), settings));
        output::print(&texts.collect::<String>())?;
    }
    if !is_settling {
        let left = counted(open.len(), "entry is", "entries are");
        let why = format!("{left} to be settled: look whether it happened, then add --settle LINE");
        return (open.is_empty()).then_some(()).ok_or(CliError::Failed(why));
    }
    if !arguments.yes {
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            let why = "nothing was settled: no terminal to confirm on. Add --yes to settle without asking";
            return Err(CliError::Usage(why.to_owned()));
        }
        prompt::confirm("settle", "settle it", "nothing was settled").await?;
    }
    settle(&journal, &chosen, arguments.outcome)
}

/// The entries that `--settle` names; an error if a line is not to be settled, or `--as` is missing for a
/// write or given for a damaged line.
fn chosen(open: &[Unsettled], arguments: &CheckArguments) -> Result<Vec<Unsettled>, CliError> {
    for target in &arguments.settle {
        if let (SettleTarget::Line(line), false) = (target, open.iter().any(|open| open.is_chosen(*target))) {
            return Err(CliError::Failed(format!(
                "nothing was settled: line {line} needs no decision"
            )));
        }
    }
    let is_chosen = |open: &&Unsettled| arguments.settle.iter().any(|target| open.is_chosen(*target));
    let chosen: Vec<Unsettled> = open.iter().filter(is_chosen).cloned().collect();
    for open in &chosen {
        let line = open.line();
        let mistake = match (open, arguments.outcome) {
            (Unsettled::Unknown { .. }, None) => format!("line {line} is a write: add --as done or --as not-done"),
            (Unsettled::Damaged(_), Some(_)) => {
                format!("line {line} can't be read: leave --as out, and it is moved aside")
            }
            (Unsettled::Unknown { .. }, Some(_)) | (Unsettled::Damaged(_), None) => continue,
        };
        return Err(CliError::Usage(format!("nothing was settled: {mistake}")));
    }
    Ok(chosen)
}

/// Records the decision on each chosen write in the journal (`settled` other than done: it did not happen),
/// moves damaged lines out of it, and prints each change.
fn settle(journal: &Journal, chosen: &[Unsettled], settled: Option<Settled>) -> Result<(), CliError> {
    let not_settled = |error: JournalError| CliError::Failed(format!("not settled: {error}"));
    let mut damage = Vec::new();
    for open in chosen {
        match open {
            Unsettled::Damaged(line) => damage.push(line.clone()),
            Unsettled::Unknown { line, entry } => {
                let (verdict, words) = match (settled, entry.intent.kind) {
                    (Some(Settled::Done), WriteKind::CreateWorkergroup) => (Verdict::Done, "created"),
                    (Some(Settled::Done), WriteKind::UnlistVolume) => (Verdict::Done, "unlisted"),
                    (_, WriteKind::CreateWorkergroup) => (Verdict::Refused, "not created"),
                    (_, WriteKind::UnlistVolume) => (Verdict::Refused, "not unlisted"),
                };
                let outcome = Outcome {
                    key: entry.intent.key.clone(),
                    at: current_time(),
                    verdict,
                    words: format!("{words}, as you decided"),
                };
                journal.append(&Line::Outcome(outcome)).map_err(not_settled)?;
                output::print(&format!("line {line}: marked as {words}\n"))?;
            }
        }
    }
    if damage.is_empty() {
        return Ok(());
    }
    let aside = journal.set_aside(&damage).map_err(not_settled)?;
    let lines = counted(damage.len(), "line", "lines");
    output::print(&format!("moved {lines} to {}\n", aside.display()))
}

/// The market's current list of workergroups, or the reason it could not be loaded.
async fn listed(settings: &Settings) -> Result<Box<Listing>, String> {
    let connection = settings.connect().await.map_err(|error| error.to_string())?;
    let replied = reply(&connection.session, &Request::ListWorkergroups).await;
    settings.keep_pacing(&connection.session);
    let listing = replied.and_then(Reply::into_records);
    listing.map_err(|error| error.to_string())
}

/// The text of an open entry of the write history: its content, the market's current workergroups that it may
/// be about, and the commands that settle it.
fn describe(open: &Unsettled, listing: Result<&Listing, &String>, settings: &Settings) -> String {
    let line = open.line();
    let (head, content, how) = match open {
        Unsettled::Damaged(damage) => (
            "can't be read; it may be a write whose outcome is unknown".to_owned(),
            damage.text.clone(),
            vec![(String::new(), "moves it aside")],
        ),
        Unsettled::Unknown { entry, .. } => {
            let why = entry.outcome.as_ref().map(|outcome| outcome.words.as_str());
            let head = format!(
                "{}: {}",
                unsettled::describe(entry),
                why.unwrap_or("no response was recorded")
            );
            let group = entry.intent.group.as_ref().map(|group| message(&group.body()));
            let ways = [(" --as done", "if it happened"), (" --as not-done", "if not")];
            let how = ways.map(|(flags, what)| (flags.to_owned(), what)).to_vec();
            (head, group.unwrap_or_default(), how)
        }
    };
    let mut text = format!("line {line}: {head}\n");
    let mut add = |line: &str| {
        let _ = writeln!(text, "  {line}"); // writing to a String cannot fail
    };
    if !content.is_empty() {
        add(&content);
    }
    add(&describe_current_groups(open, listing));
    for (flags, what) in how {
        let words = ["bourse", "writes", "check"].map(str::to_owned).into_iter();
        let command = shell_words::join(words.chain(market_flags(settings)));
        add(&format!("{what}: {command} --settle {line}{flags}"));
    }
    text
}

/// A phrase on the listed workergroups that an entry may have created, at most 8 of them, or the reason none
/// are listed.
fn describe_current_groups(open: &Unsettled, listing: Result<&Listing, &String>) -> String {
    if !open.is_comparable() {
        return "the market doesn't list your volumes: look in its console".to_owned();
    }
    let listing = match listing {
        Ok(listing) => listing,
        Err(why) => return format!("workergroups not listed: {why}"),
    };
    let groups = possible_groups(open, listing);
    let shown = groups.iter().take(MOST).map(|id| describe_group(*id, listing));
    let more = groups.len().saturating_sub(MOST);
    let more = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    let shown = format!("{}{more}", shown.collect::<Vec<_>>().join("; "));
    match (open, groups.is_empty()) {
        (Unsettled::Damaged(_), true) => "the market lists no workergroup now".to_owned(),
        (Unsettled::Damaged(_), false) => format!("the market lists now: {shown}"),
        (Unsettled::Unknown { .. }, true) => {
            "the market lists no workergroup like it now; it may still appear".to_owned()
        }
        (Unsettled::Unknown { .. }, false) => format!("the market lists now, like it: {shown}"),
    }
}

/// The listed workergroups that an entry may have created, newest first; all of them for a damaged line.
fn possible_groups(entry: &Unsettled, listing: &Listing) -> Vec<RowId> {
    let mut groups = match entry {
        Unsettled::Unknown { entry, .. } => candidates(&[], listing, &entry.intent.new_workergroup()),
        Unsettled::Damaged(_) => (0..listing.len()).filter_map(|row| listing.id(row)).collect(),
    };
    groups.sort_by_key(|id| std::cmp::Reverse(id.0));
    groups
}

/// The text of a listed workergroup: id, endpoint, time of creation in UTC; the id alone if it is not listed.
fn describe_group(id: RowId, listing: &Listing) -> String {
    let Some(row) = listing.row(id) else {
        return id.to_string();
    };
    let field = |key: &str| WORKERGROUPS.by_key(key);
    let name = field("endpoint_name").and_then(|field| listing.column(field).text(row));
    let endpoint = name.map_or_else(String::new, |name| format!(" {}", name.for_confirmation()));
    let created = match field("created_at").map(|field| listing.cell(row, field)) {
        Some(CellRef::Number(seconds)) => format!(", created {} UTC", moment(UnixTime::new(seconds))),
        _ => String::new(),
    };
    format!("{id}{endpoint}{created}")
}

/// The JSON document of open entries of the write history; without a listing, no workergroups like them.
fn document(open: &[Unsettled], listing: Option<&Listing>) -> Writes {
    let matching = |open: &Unsettled| {
        let listing = listing.filter(|_| open.is_comparable());
        listing.map(|listing| possible_groups(open, listing).iter().map(|id| id.0).collect::<Vec<_>>())
    };
    let entries = open.iter().map(|entry| {
        let (line, members) = match entry {
            Unsettled::Damaged(damage) => (
                damage.line,
                WriteMembers::Damaged {
                    text: damage.text.clone(),
                },
            ),
            Unsettled::Unknown { line, entry } => (*line, WriteMembers::unknown(&entry.intent)),
        };
        WriteEntry {
            line,
            is_damaged: matches!(entry, Unsettled::Damaged(_)),
            members,
            listed: matching(entry),
        }
    });
    Writes {
        entries: entries.collect(),
    }
}
