//! Plain words: `4090 europe 200gb 3d` becomes conditions, a price model, an order, storage and a job.
//!
//! `token` splits the text, `grammar` divides it into clauses, `meaning` says what they ask for. A clause that
//! is not understood in full is refused in full. Conditions of the query language and quoted texts keep
//! their place.

mod clause;
mod grammar;
mod list;
mod meaning;
mod models;
mod proposal;
mod settings;
mod text;
mod token;
mod vocabulary;

use std::ops::Range;

pub use meaning::Meaning;
pub use models::Names;
pub use settings::{Cluster, JobWords, Settings};

use self::grammar::{Fact, Item, What};
use self::text::Text;
use self::vocabulary::Role;
use super::catalog::{Catalog, Resource};
use super::country;
use super::dialect::Dialect;
use super::language::{self, LanguageError, Mode, Parsed, quoted as quotes};
use super::query::Condition;

/// The longest text that is read, in bytes; a longer one is no description of a need.
const LONGEST: usize = 2048;

/// Words that have a meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// In bytes of the text.
    pub span: Range<usize>,
    /// What they can mean, likeliest first; several if they are ambiguous.
    pub readings: Vec<Meaning>,
}

/// A text with its plain words read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// The text as typed.
    text: String,
    /// The text with blanks in place of what was read or refused, and the conditions that the words mean.
    pub query: String,
    /// What words say besides conditions.
    pub settings: Settings,
    pub phrases: Vec<Phrase>,
    /// Fields that `or` gives further values: `gpu_name=H200 or b200`.
    added: Vec<&'static str>,
    /// The clauses that are not understood: words that filter rows, or errors.
    pub refused: Vec<LanguageError>,
    /// The words of refused clauses that are blanks in the query.
    words: Vec<String>,
}

/// Reads the plain words of a text. Workergroups have none. `names` are the models of the loaded rows, beside
/// those that every market has.
///
/// ```
/// use bourse::domain::{Dialect, OFFERS, plain};
/// let names = plain::Names::default();
/// let reading = plain::read("4090 europe dph<0.5", &OFFERS, &Dialect::SANDBOX, &names);
/// assert_eq!(reading.conditions(), "gpu_name=RTX_4090 geolocation in EUROPE");
/// ```
pub fn read(text: &str, catalog: &'static Catalog, dialect: &'static Dialect, names: &Names) -> Reading {
    let mut reading = Reading::default();
    (reading.text, reading.query) = (text.to_owned(), text.to_owned());
    if text.len() > LONGEST || catalog.resource == Resource::Workergroups {
        return reading;
    }
    let tokens = token::tokens(text, catalog, names);
    let words = Text::new(&tokens, catalog, names);
    let items = grammar::items(&words);
    let span = |items: &[Item]| tokens[items[0].start].span.start..tokens[items[items.len() - 1].next - 1].span.end;
    let (mut clauses, mut refused) = (Vec::new(), Vec::new());
    for (is_refused, group) in grammar::groups(&words, &items) {
        if is_refused {
            // `under 3090`: what is bound says why it is refused.
            let leads = group.len() == 2 && matches!(group[0].what, What::Unknown(true));
            let facts = if leads { group[1].facts() } else { &[] };
            refused.push((span(&group), facts.to_vec()));
            continue;
        }
        for item in group.iter().filter(|item| !item.facts().is_empty()) {
            if let (What::Or, [Fact::Choice(field, ..), ..]) = (&group[0].what, item.facts()) {
                reading.added.push(field);
            }
            clauses.push((span(std::slice::from_ref(item)), item.facts().to_vec()));
        }
    }
    let mut context = meaning::Context::of(&clauses, catalog, dialect);
    // Words without a condition are words like any others unless something was understood.
    let is_idle = clauses.iter().all(|(_, facts)| facts[..] == [Fact::Idle]);
    for (span, facts) in clauses {
        let readings = context.readings(&facts, &text[span.clone()]);
        match readings.first().filter(|_| !is_idle) {
            None => refused.push((span, facts)),
            Some(meaning) => {
                reading.settings.add(&meaning.settings);
                reading.phrases.push(Phrase { span, readings });
            }
        }
    }
    reading.settings.settle(catalog);
    refused.sort_by_key(|(span, _)| span.start);
    if !reading.is_empty() {
        reading.query = " ".repeat(text.len());
        let is_opaque = |item: Option<&Item>| item.is_some_and(|item| matches!(item.what, What::Opaque));
        for (index, item) in items.iter().enumerate() {
            // A comma beside a condition has rules of its own.
            let is_beside = is_opaque(items.get(index + 1)) || index > 0 && is_opaque(items.get(index - 1));
            if is_opaque(Some(item)) || is_beside && matches!(item.what, What::Break) {
                let span = span(std::slice::from_ref(item));
                reading.query.replace_range(span.clone(), &text[span]);
            }
        }
    }
    for (span, facts) in refused {
        let words = &text[span.clone()];
        let is_word = words.chars().all(char::is_alphanumeric) && !country::begins(words);
        if is_word && vocabulary::roles(&words.to_lowercase()).is_empty() {
            reading.query.replace_range(span.clone(), words);
        } else {
            reading.query.replace_range(span.clone(), &" ".repeat(words.len()));
            let words = words.split([' ', ',', ';', '\t', '\n']).filter(|word| !word.is_empty());
            reading.words.extend(words.map(str::to_owned));
        }
        let (message, suggestion) = (refusal(words, &facts), None);
        reading.refused.push(LanguageError {
            message,
            span,
            suggestion,
        });
    }
    reading.query = format!("{} {}", reading.query, reading.conditions());
    reading
}

/// Why a clause is refused, and what to write.
fn refusal(words: &str, facts: &[Fact]) -> String {
    let is_number = |model: &str| model.starts_with(|first: char| first.is_ascii_digit());
    match (facts, words.rsplit_once(' ')) {
        ([Fact::Choice("gpu_name", names, _)], Some((bound, model))) if is_number(model) => {
            let names = names.join(" or ");
            format!(
                "{model} is a GPU ({names}), no price: write '{bound} ${model}' for a price, or '{model}' for the GPU"
            )
        }
        ([Fact::Price(..)], _) => {
            format!("'{words}' may be the price of an hour or of the job: add 'per hour' or 'in total'")
        }
        _ => format!("'{words}' is not understood: remove it, or write a condition such as num_gpus>=2"),
    }
}

/// A word that filters rows, quoted if it would be read as anything else.
pub fn quoted(word: &str, catalog: &'static Catalog, dialect: &'static Dialect) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | '<' | '>' | '=' | '!');
    let roles = vocabulary::roles(&word.to_lowercase());
    let is_free = word.chars().all(is_plain)
        && !word.is_empty()
        && catalog.named(word).is_none()
        && roles.iter().all(|role| matches!(role, Role::Number(_)))
        && read(word, catalog, dialect, &Names::default()).is_empty();
    if is_free { word.to_owned() } else { quotes(word) }
}

impl Reading {
    fn meanings(&self) -> Vec<&Meaning> {
        let phrases = self.phrases.iter();
        phrases.filter_map(|phrase| phrase.readings.first()).collect()
    }

    /// The conditions that the words mean.
    pub fn conditions(&self) -> String {
        meaning::conditions(&self.meanings())
    }

    /// All that the words mean, in one line; empty without any.
    pub fn text(&self) -> String {
        meaning::text(&self.meanings(), &self.settings)
    }

    /// The state that the rows can be filtered by; none if several places are named, as any of them is wanted
    /// then.
    pub fn state(&self) -> Option<&str> {
        let meanings = self.meanings().into_iter();
        let is_place = |meaning: &&Meaning| meaning.state.is_some() || meaning.conditions.starts_with("geolocation");
        let mut places = meanings.filter(is_place);
        let first = places.next()?;
        let is_only = places.next().is_none() && !first.conditions.contains('[');
        first.state.as_deref().filter(|_| is_only)
    }

    /// Whether no word was read.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// The phrase that contains a byte of the text or ends at it.
    pub fn phrase_at(&self, at: usize) -> Option<&Phrase> {
        let mut phrases = self.phrases.iter().rev();
        phrases.find(|phrase| phrase.span.start < at && at <= phrase.span.end)
    }

    /// Parses the conditions like [`language::parse`]. Errors are about the original text. Where words are
    /// errors, so is a clause that is not understood, with a spelling that is.
    pub fn parse(
        &self,
        catalog: &'static Catalog,
        dialect: &'static Dialect,
        seed: &[Condition],
        mode: Mode,
    ) -> Result<Parsed, LanguageError> {
        let parse = |text: &str| language::parse(text, catalog, dialect, seed, mode);
        let all = || parse(&self.query).map_err(|error| self.located(error));
        let parsed = match &self.added[..] {
            // A condition that ends too early does not go on in words.
            [] => parse(self.typed()).and_then(|_| all()),
            _ => self.renewed(&parse).map(|(parsed, _)| parsed),
        };
        let Some(mut refused) = self.refused.first().filter(|_| mode != Mode::Bar).cloned() else {
            return parsed;
        };
        refused.suggestion = proposal::proposed(&self.text, &refused.span, catalog, dialect);
        // The language knows best what is wrong with a single word.
        let is_word = refused.suggestion.is_none() && !self.query[refused.span.clone()].trim().is_empty();
        Err(match parsed {
            Err(error) if error.span.start < refused.span.start || is_word => error,
            _ => refused,
        })
    }

    /// The text with blanks in place of words.
    fn typed(&self) -> &str {
        &self.query[..self.text.len()]
    }

    /// Parses the conditions, of which those that words mean replace those on the same fields, or add to
    /// them. Also returns what is replaced.
    pub fn renewed(
        &self,
        parse: &dyn Fn(&str) -> Result<Parsed, LanguageError>,
    ) -> Result<(Parsed, Vec<Condition>), LanguageError> {
        let mut parsed = parse(self.typed())?;
        let words = " ".repeat(self.text.len()) + &self.query[self.text.len()..];
        let meant = parse(&words).map_err(|error| self.located(error))?;
        parsed.conditions.retain(|old| !meant.removed.contains(&old.field));
        parsed.removed.extend(meant.removed);
        parsed.words.extend(self.words.iter().cloned());
        let (conditions, replaced) = language::renew(parsed.conditions, meant.conditions, &self.added);
        Ok((Parsed { conditions, ..parsed }, replaced))
    }

    /// An error in the query with its position in the original text: what words mean is that of the words.
    fn located(&self, mut error: LanguageError) -> LanguageError {
        let mut end = self.text.len();
        if error.span.end <= end {
            return error;
        }
        let phrase = self.phrases.iter().find(|phrase| {
            let length = phrase.readings[0].conditions.len();
            end += length + usize::from(length > 0);
            error.span.start < end
        });
        error.suggestion = None;
        error.span = phrase.map_or(end..end, |phrase| phrase.span.clone());
        error
    }
}
