//! Completion of the command line: commands, flags and their values, and queries as in the query
//! bar.
//!
//! The scripts in `assets/completions` pass the line up to the cursor; the candidates are computed
//! here, once for all shells.

mod line;

use std::io::Write as _;

use clap::{Arg, Command};
use clap_complete::Shell;

use self::line::{Line, Quote};
use super::args::CompleteArguments;
use super::help;
use super::output::{self, CliError};
use crate::domain::workergroup::Key;
use crate::domain::{Catalog, Dialect, OFFERS, VOLUMES, WORKERGROUPS, language};
use crate::sandbox::faults::{self, CATALOGUE, Profile};
use crate::store::{Config, Paths};

/// The dialect whose filters are offered: it has all of them.
const DIALECT: &Dialect = &Dialect::SANDBOX;

/// Prints the completion script of a shell.
pub fn script(shell: Shell) -> Result<(), CliError> {
    let own = match shell {
        Shell::Bash => include_str!("../../assets/completions/bourse.bash"),
        Shell::Zsh => include_str!("../../assets/completions/bourse.zsh"),
        Shell::Fish => include_str!("../../assets/completions/bourse.fish"),
        // Other shells complete commands, flags and choices only.
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut help::command(), "bourse", &mut script);
            return output::write(&script);
        }
    };
    output::write(own.as_bytes())
}

/// `bourse __complete`: prints the candidates for the last word of a line, one per line.
pub fn complete(arguments: &CompleteArguments) -> Result<(), CliError> {
    let line = Line::read(&arguments.line);
    let candidates = candidates(&line);
    let replaced = arguments.word.as_deref();
    let mut out = Vec::new();
    for text in render(arguments.shell, &line, &candidates, replaced) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{text}");
    }
    output::write(&out)
}

/// A candidate for the word at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    text: String,
    doc: String,
    /// Whether more follows within the word, so that no blank is added.
    is_begun: bool,
}

impl Candidate {
    fn new(text: impl Into<String>, doc: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            doc: doc.into(),
            is_begun: false,
        }
    }

    fn begun(text: impl Into<String>, doc: impl Into<String>) -> Self {
        Self {
            is_begun: true,
            ..Self::new(text, doc)
        }
    }
}

/// The candidates at the end of a line.
fn candidates(line: &Line) -> Vec<Candidate> {
    let mut root = help::command();
    root.build();
    let mut place = Place::new(&root);
    let Some((current, before)) = line.words.split_last() else {
        return Vec::new();
    };
    // The first word is the program.
    for word in before.iter().skip(1) {
        place.pass(&word.text);
    }
    place.candidates(&current.text)
}

/// The state after reading part of a line.
struct Place<'c> {
    command: &'c Command,
    path: Vec<&'c str>,
    /// The flag whose value comes next.
    awaited: Option<&'c Arg>,
    /// The words that are neither flags nor their values.
    positionals: Vec<String>,
    /// Whether `--` was typed: no flag follows.
    is_plain: bool,
}

impl<'c> Place<'c> {
    const fn new(command: &'c Command) -> Self {
        Self {
            command,
            path: Vec::new(),
            awaited: None,
            positionals: Vec::new(),
            is_plain: false,
        }
    }

    fn pass(&mut self, word: &str) {
        if self.awaited.take().is_some() {
            return;
        }
        if !self.is_plain && word == "--" {
            self.is_plain = true;
        } else if !self.is_plain && word.len() > 1 && word.starts_with('-') {
            let takes_next = !word.starts_with("--") || !word.contains('=');
            self.awaited = self
                .flag(word.split('=').next().unwrap_or(word))
                .filter(|argument| takes_next && takes_value(argument));
        } else if let Some(own) = self.subcommand(word) {
            self.path.push(own.get_name());
            self.command = own;
        } else {
            self.positionals.push(word.to_owned());
        }
    }

    fn subcommand(&self, name: &str) -> Option<&'c Command> {
        let command = self.command;
        command
            .get_subcommands()
            .find(|own| own.get_name() == name)
            .filter(|_| self.positionals.is_empty() && !self.is_plain)
    }

    /// The flag with that spelling.
    fn flag(&self, word: &str) -> Option<&'c Arg> {
        let command = self.command;
        command.get_arguments().find(|argument| {
            let long = word.strip_prefix("--");
            let short = word
                .strip_prefix('-')
                .filter(|rest| rest.chars().count() == 1);
            long.is_some_and(|name| {
                argument.get_long() == Some(name)
                    || argument
                        .get_all_aliases()
                        .is_some_and(|aliases| aliases.contains(&name))
            }) || short.is_some_and(|name| argument.get_short() == name.chars().next())
        })
    }

    fn candidates(&self, word: &str) -> Vec<Candidate> {
        if let Some(argument) = self.awaited {
            return self.values(argument, word);
        }
        if !self.is_plain && word.starts_with('-') {
            return match word.split_once('=') {
                Some((name, value)) => {
                    let values = self.flag(name).map(|argument| self.values(argument, value));
                    prefixed(&format!("{name}="), values.unwrap_or_default())
                }
                None => self.flags(word),
            };
        }
        let mut found = Vec::new();
        if self.positionals.is_empty() && !self.is_plain {
            let own = self
                .command
                .get_subcommands()
                .filter(|own| !own.is_hide_set() && own.get_name().starts_with(word));
            found.extend(own.map(|own| Candidate::new(own.get_name(), about(own))));
            // Fields that begin like a command are offered once no command matches.
            if !found.is_empty() && !word.is_empty() {
                return found;
            }
        }
        if let Some(argument) = self.command.get_positionals().next() {
            found.extend(self.values(argument, word));
        }
        found
    }

    fn flags(&self, word: &str) -> Vec<Candidate> {
        let arguments = self.command.get_arguments();
        arguments
            .filter(|argument| !argument.is_hide_set() || argument.is_global_set())
            .filter_map(|argument| {
                let name = format!("--{}", argument.get_long()?);
                name.starts_with(word)
                    .then(|| Candidate::new(name, first_line(argument)))
            })
            .collect()
    }

    /// The possible values of a flag or positional argument.
    fn values(&self, argument: &Arg, word: &str) -> Vec<Candidate> {
        let catalog = self.catalog();
        let id = argument.get_id().as_str();
        match id {
            "profile" => {
                let known = profiles().into_iter().map(|name| Candidate::new(name, ""));
                known.filter(|known| known.text.starts_with(word)).collect()
            }
            "faults" => listed(word, faults),
            "order" => listed(word, |last| orders(catalog, last)),
            "columns" => listed(word, |last| columns(catalog, last)),
            "query" => query(&self.positionals, word, catalog),
            _ if id == Key::SearchParams.wire() => query(&[], word, &OFFERS),
            _ => {
                let choices = argument.get_possible_values();
                choices
                    .iter()
                    .filter(|choice| choice.get_name().starts_with(word))
                    .map(|choice| {
                        let doc = choice.get_help().map(ToString::to_string);
                        Candidate::new(choice.get_name(), doc.unwrap_or_default())
                    })
                    .collect()
            }
        }
    }

    fn catalog(&self) -> &'static Catalog {
        match self.path.first() {
            Some(&"volumes") => &VOLUMES,
            Some(&"groups") => &WORKERGROUPS,
            _ => &OFFERS,
        }
    }
}

fn takes_value(argument: &Arg) -> bool {
    argument
        .get_num_args()
        .is_some_and(|range| range.takes_values())
}

fn about(command: &Command) -> String {
    command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn first_line(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string);
    help.unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The names of all profiles.
fn profiles() -> Vec<String> {
    let config = Paths::of_user()
        .and_then(|paths| Config::load(&paths.config_file()).ok())
        .unwrap_or_default();
    config.names().into_iter().map(str::to_owned).collect()
}

/// The candidates for the last item of a comma-separated list.
fn listed(word: &str, candidates: impl FnOnce(&str) -> Vec<Candidate>) -> Vec<Candidate> {
    let last = word.rfind(',').map_or(0, |comma| comma + 1);
    prefixed(&word[..last], candidates(&word[last..]))
}

fn prefixed(start: &str, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    for candidate in &mut candidates {
        candidate.text.insert_str(0, start);
    }
    candidates
}

/// Fault profiles and names, and after an `@` the operations that they affect.
fn faults(word: &str) -> Vec<Candidate> {
    if let Some((rule, start)) = word.split_once('@') {
        return faults::operations()
            .filter(|name| name.starts_with(start))
            .map(|name| Candidate::begun(format!("{rule}@{name}"), ""))
            .collect();
    }
    let profiles = Profile::ALL.map(|profile| (profile.name(), profile.help()));
    let faults = CATALOGUE.iter().map(|fault| (fault.name, fault.help));
    profiles
        .into_iter()
        .chain(faults)
        .filter(|(name, _)| name.starts_with(word))
        .map(|(name, help)| Candidate::begun(name, help))
        .collect()
}

/// Fields to sort by, ascending and descending.
fn orders(catalog: &Catalog, word: &str) -> Vec<Candidate> {
    catalog
        .fields()
        .iter()
        .filter(|field| field.sortable && field.key.starts_with(word))
        .flat_map(|field| {
            [
                Candidate::begun(field.key, field.doc),
                Candidate::begun(format!("{}-", field.key), "descending"),
            ]
        })
        .collect()
}

fn columns(catalog: &Catalog, word: &str) -> Vec<Candidate> {
    catalog
        .fields()
        .iter()
        .filter(|field| field.is_column() && field.key.starts_with(word))
        .map(|field| Candidate::begun(field.key, field.doc))
        .collect()
}

/// The query bar's candidates at the end of a query. A complete field is offered with its
/// operators.
fn query(words: &[String], word: &str, catalog: &'static Catalog) -> Vec<Candidate> {
    let mut before = words.join(" ");
    if !before.is_empty() {
        before.push(' ');
    }
    let from = before.len();
    let seen = |_: &_| Vec::new();
    let at = |text: &str| language::complete(text, text.len(), catalog, DIALECT, &seen);
    let text = format!("{before}{word}");
    let completion = at(&text);
    let Some(kept) = text.get(from..completion.span.start.max(from)) else {
        return Vec::new();
    };
    let is_field = |insert: &str| catalog.by_key(insert).is_some();
    let fields: Vec<_> = completion
        .candidates
        .iter()
        .filter(|candidate| is_field(&candidate.insert))
        .collect();
    if let ([only], true) = (&fields[..], completion.candidates.len() == 1) {
        let whole = format!(
            "{}{}",
            &text[..completion.span.start.max(from)],
            only.insert
        );
        let operators = at(&whole).candidates.into_iter();
        return operators
            .filter(|candidate| !is_field(&candidate.insert))
            .map(|candidate| Candidate::begun(format!("{kept}{}", candidate.insert), candidate.doc))
            .collect();
    }
    completion
        .candidates
        .into_iter()
        .map(|candidate| Candidate::begun(format!("{kept}{}", candidate.insert), candidate.doc))
        .collect()
}

/// The candidates in the shell's format. `replaced` is the part of the last word that bash
/// replaces: bash splits words at more characters than blanks.
fn render(
    shell: Shell,
    line: &Line,
    candidates: &[Candidate],
    replaced: Option<&str>,
) -> Vec<String> {
    let clean = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    if shell == Shell::Fish {
        // fish quotes by itself.
        let plain = candidates.iter();
        return plain
            .map(|candidate| format!("{}\t{}", clean(&candidate.text), clean(&candidate.doc)))
            .collect();
    }
    let Some(current) = line.words.last() else {
        return Vec::new();
    };
    let needs_quotes = candidates
        .iter()
        .any(|candidate| !line::is_plain(&candidate.text));
    // All quoted alike, so that the shell can insert their common prefix.
    let quote = match current.quote {
        Quote::None if needs_quotes => Quote::Single,
        quote => quote,
    };
    // A quote that is already open stays in place.
    let opening = match current.quote {
        Quote::None => quote,
        _ => Quote::None,
    };
    let written = |candidate: &Candidate| {
        let mut text = line::quoted(&clean(&candidate.text), quote);
        if !candidate.is_begun {
            text.push_str(quote.sign());
            text.push(' ');
        }
        text
    };
    match shell {
        Shell::Zsh => candidates
            .iter()
            .map(|candidate| {
                let text = format!("{}{}", opening.sign(), written(candidate));
                let doc = clean(&candidate.doc);
                let shown = match &*doc {
                    "" => clean(&candidate.text),
                    doc => format!("{}  {doc}", clean(&candidate.text)),
                };
                format!("{text}\t{shown}")
            })
            .collect(),
        _ => candidates
            .iter()
            .map(|candidate| bash(&written(candidate), current, opening, replaced))
            .collect(),
    }
}

/// A candidate for bash: the replacement for `replaced`, which starts after an opening quote or
/// after a character of `COMP_WORDBREAKS`.
fn bash(text: &str, current: &line::Word, opening: Quote, replaced: Option<&str>) -> String {
    let kept = replaced
        .filter(|_| current.quote == Quote::None)
        .and_then(|replaced| current.raw.strip_suffix(replaced))
        .unwrap_or_default();
    let rest = text.strip_prefix(kept).unwrap_or(text);
    format!("{}{rest}", opening.sign())
}
