//! Completion of the command line: commands, flags and their values, and queries as in the query
//! bar.
//!
//! The scripts in `assets/completions` pass the line up to the cursor. clap's engine reads it; this
//! module adds profiles, faults, fields, operators, values, and the quoting of shells.

use std::ffi::OsStr;
use std::io::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use clap_complete::engine::{self, ArgValueCompleter, CompletionCandidate};

use super::args::CompleteArguments;
use super::help;
use super::output::{self, CliError};
use crate::domain::workergroup::Key;
use crate::domain::{Catalog, Dialect, OFFERS, VOLUMES, WORKERGROUPS, language};
use crate::sandbox::faults::{self, CATALOGUE, PROFILES};
use crate::settings::Config;
use crate::store::Paths;

/// The dialect whose filters are offered.
///
/// The sandbox's dialect has all of them.
const DIALECT: &Dialect = &Dialect::SANDBOX;

/// The tag of candidates that can be continued, after which no space is added.
const BEGUN: &str = "begun";

/// Prints the completion script of a shell; those of bash, zsh and fish also complete values and queries,
/// others only commands, flags and choices.
pub fn script(shell: Shell) -> Result<(), CliError> {
    let embedded = match shell {
        Shell::Bash => include_str!("../../assets/completions/bourse.bash"),
        Shell::Zsh => include_str!("../../assets/completions/bourse.zsh"),
        Shell::Fish => include_str!("../../assets/completions/bourse.fish"),
        // Other shells complete commands, flags and choices only.
        shell => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut help::command(), "bourse", &mut script);
            return output::write(&script);
        }
    };
    output::write(embedded.as_bytes())
}

/// `bourse __complete`: prints the candidates for the last word of a line, one per line; if a command begins
/// with that word (not empty), only commands. Nothing for a line without words.
pub fn complete(arguments: &CompleteArguments) -> Result<(), CliError> {
    let (words, quote) = split(&arguments.line);
    let Some((word, before)) = words.split_last() else {
        return Ok(());
    };
    let mut command = with_values(help::command(), &OFFERS);
    let line = words.iter().map(Into::into).collect();
    let candidates = engine::complete(&mut command, line, before.len(), None);
    let mut candidates: Vec<Candidate> = candidates.into_iter().flatten().map(Candidate::from).collect();
    // Fields that begin like a command are offered once no command matches.
    if !word.is_empty() && candidates.iter().any(|candidate| candidate.is_command) {
        candidates.retain(|candidate| candidate.is_command);
    }
    let mut out = Vec::new();
    for text in render(arguments, word, quote, &candidates) {
        // Writing to a Vec cannot fail.
        let _ = writeln!(out, "{text}");
    }
    output::write(&out)
}

/// The words of an unfinished line, the last one up to the cursor and perhaps empty, and the quote that is
/// open there. No words if the line cannot be split.
fn split(line: &str) -> (Vec<String>, Option<char>) {
    // With a letter at its end the last word is never empty.
    let closed = [None, Some('\''), Some('"')].into_iter().find_map(|quote| {
        let end = quote.map_or_else(String::new, String::from);
        let words = shell_words::split(&format!("{line}x{end}"));
        words.ok().map(|words| (words, quote))
    });
    let (mut words, quote) = closed.unwrap_or_default();
    words.last_mut().and_then(String::pop);
    (words, quote)
}

/// A completion of the last word.
struct Candidate {
    text: String,
    doc: String,
    is_command: bool,
    is_begun: bool,
}

impl From<CompletionCandidate> for Candidate {
    fn from(completed: CompletionCandidate) -> Self {
        // Shells read a candidate per line, and a tab before its help.
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let doc = completed.get_help().map(ToString::to_string);
        let id = completed.get_id().map(String::as_str).unwrap_or_default();
        Self {
            text: plain(&completed.get_value().to_string_lossy()),
            doc: plain(doc.unwrap_or_default().lines().next().unwrap_or_default()),
            is_command: id.starts_with("command::"),
            is_begun: completed.get_tag() == Some(&StyledStr::from(BEGUN)),
        }
    }
}

/// The command line with completers for profiles, faults, orders, columns and queries, also of its
/// subcommands. `catalog` is that of the query, except in `volumes` and `groups`, which have their own.
/// Arguments that take a path are left to the shell.
fn with_values(command: Command, catalog: &'static Catalog) -> Command {
    let command = command.mut_args(|argument| {
        match argument.get_id().as_str() {
            "profile" => completed(argument, profiles),
            "faults" => completed(argument, |word| listed(word, faults)),
            "order" => completed(argument, move |word| listed(word, |last| orders(catalog, last))),
            "columns" => completed(argument, move |word| listed(word, |last| columns(catalog, last))),
            "query" => completed(argument, move |word| query(word, catalog)),
            id if id == Key::SearchParams.wire() => completed(argument, |word| query(word, &OFFERS)),
            // A path is the shell's business.
            _ if argument.get_value_hint() != ValueHint::Unknown => argument.value_hint(ValueHint::Other),
            _ => argument,
        }
    });
    command.mut_subcommands(|subcommand| {
        let catalog = match subcommand.get_name() {
            "volumes" => &VOLUMES,
            "groups" => &WORKERGROUPS,
            _ => catalog,
        };
        with_values(subcommand, catalog)
    })
}

/// The argument with a function that returns the candidates for its word.
fn completed(argument: Arg, candidates: impl Fn(&str) -> Vec<CompletionCandidate> + Send + Sync + 'static) -> Arg {
    let candidates = move |word: &OsStr| candidates(&word.to_string_lossy());
    argument.add(ArgValueCompleter::new(candidates))
}

/// A candidate with the help `doc` that can be continued, after which no space is added.
fn begun(text: impl Into<String>, doc: impl Into<StyledStr>) -> CompletionCandidate {
    CompletionCandidate::new(text.into())
        .help(Some(doc.into()))
        .tag(Some(BEGUN.into()))
}

/// The names of profiles that begin with `word`, from the user's configuration and built in; the built-in
/// ones alone if the file cannot be read.
fn profiles(word: &str) -> Vec<CompletionCandidate> {
    let config = Paths::of_user()
        .and_then(|paths| Config::load(&paths.config_file()).ok())
        .unwrap_or_default();
    let names = config.profile_names().into_iter().filter(|name| name.starts_with(word));
    names.map(CompletionCandidate::new).collect()
}

/// The candidates for the last item of a comma-separated list, each with the items before it in front.
fn listed(word: &str, candidates: impl FnOnce(&str) -> Vec<CompletionCandidate>) -> Vec<CompletionCandidate> {
    let (before, last) = word.split_at(word.rfind(',').map_or(0, |comma| comma + 1));
    let candidates = candidates(last).into_iter();
    candidates.map(|candidate| candidate.add_prefix(before)).collect()
}

/// The fault profiles and faults that begin with `word`, and after an `@` the operations they affect.
fn faults(word: &str) -> Vec<CompletionCandidate> {
    if let Some((rule, start)) = word.split_once('@') {
        return faults::operations()
            .filter(|name| name.starts_with(start))
            .map(|name| begun(format!("{rule}@{name}"), ""))
            .collect();
    }
    let profiles = PROFILES.iter().map(|profile| (profile.name, profile.help));
    let faults = CATALOGUE.iter().map(|fault| (fault.name, fault.help));
    profiles
        .chain(faults)
        .filter(|(name, _)| name.starts_with(word))
        .map(|(name, help)| begun(name, help))
        .collect()
}

/// The sortable fields that begin with `word`, each ascending and descending.
fn orders(catalog: &Catalog, word: &str) -> Vec<CompletionCandidate> {
    catalog
        .fields()
        .iter()
        .filter(|field| field.sortable && field.key.starts_with(word))
        .flat_map(|field| {
            [
                begun(field.key, field.doc),
                begun(format!("{}-", field.key), "descending"),
            ]
        })
        .collect()
}

/// The columns whose keys begin with `word`, computed ones left out.
fn columns(catalog: &Catalog, word: &str) -> Vec<CompletionCandidate> {
    catalog
        .fields()
        .iter()
        .filter(|field| field.is_column() && field.key.starts_with(word))
        .map(|field| begun(field.key, field.doc))
        .collect()
}

/// The query bar's candidates at the end of a query, each as the whole text. A field name that is the only
/// candidate is completed with each of its operators instead.
fn query(word: &str, catalog: &'static Catalog) -> Vec<CompletionCandidate> {
    let seen = |_: &_| Vec::new();
    let at = |text: &str| language::complete(text, text.len(), catalog, DIALECT, &seen);
    let completion = at(word);
    let Some(kept) = word.get(..completion.span.start) else {
        return Vec::new();
    };
    let is_field = |insert: &str| catalog.by_key(insert).is_some();
    let found = match &completion.candidates[..] {
        [only] if is_field(&only.insert) => {
            let mut operators = at(&format!("{kept}{}", only.insert)).candidates;
            operators.retain(|candidate| !is_field(&candidate.insert));
            operators
        }
        _ => completion.candidates,
    };
    let candidates = found.into_iter();
    let whole = candidates.map(|candidate| begun(format!("{kept}{}", candidate.insert), candidate.doc));
    whole.collect()
}

/// The candidates as lines in the shell's format: for bash without the part of `word` that it keeps, for zsh
/// and fish with a tab and a description. All are quoted if one needs it, and a finished one ends in a space,
/// except for fish, which does both by itself. `quote` is the one open in `word`.
fn render(arguments: &CompleteArguments, word: &str, quote: Option<char>, candidates: &[Candidate]) -> Vec<String> {
    // All quoted alike, so that the shell can insert their common prefix.
    let needs_quotes = candidates.iter().any(|candidate| !is_plain(&candidate.text));
    let used = quote.or(needs_quotes.then_some('\''));
    let sign = used.map_or_else(String::new, String::from);
    // A quote that is already open stays in place.
    let opening = if quote.is_none() { &*sign } else { "" };
    let written = |candidate: &Candidate| {
        let text = quoted(&candidate.text, used);
        let end = if candidate.is_begun { "" } else { &format!("{sign} ") };
        format!("{text}{end}")
    };
    // bash splits words at more characters than spaces, and replaces only the part after the last one.
    let replaced = arguments.word.as_deref().filter(|_| quote.is_none());
    let kept = replaced.and_then(|replaced| word.strip_suffix(replaced));
    let line = |candidate: &Candidate| match arguments.shell {
        // fish quotes by itself.
        Shell::Fish => format!("{}\t{}", candidate.text, candidate.doc),
        Shell::Zsh if candidate.doc.is_empty() => format!("{opening}{}\t{}", written(candidate), candidate.text),
        Shell::Zsh => format!("{opening}{}\t{}  {}", written(candidate), candidate.text, candidate.doc),
        _ => {
            let text = written(candidate);
            let rest = text.strip_prefix(kept.unwrap_or_default()).unwrap_or(&text);
            format!("{opening}{rest}")
        }
    };
    candidates.iter().map(line).collect()
}

/// Whether a word needs no quoting in a shell: only ASCII letters, digits and `-_=.,:/@+`.
fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_=.,:/@+".contains(c))
}

/// A text inside the quote, without the quotes, with characters escaped that would end it or be expanded;
/// unchanged without a quote.
fn quoted(text: &str, quote: Option<char>) -> String {
    match quote {
        Some('\'') => text.replace('\'', r"'\''"),
        Some(_) => ["\\", "\"", "$", "`"]
            .iter()
            .fold(text.to_owned(), |text, sign| text.replace(sign, &format!("\\{sign}"))),
        None => text.to_owned(),
    }
}
