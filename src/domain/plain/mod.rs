//! Plain words: `4090 europe 200gb 3d` becomes conditions, a price model, an order, storage and a job.
//!
//! `token` splits the text, `grammar` divides it into clauses, `meaning` says what they ask for. A clause that
//! is not understood in full is refused in full. Conditions of the query language and quoted texts keep
//! their place.

mod attributes;
mod clauses;
mod grammar;
mod meaning;
mod models;
mod proposal;
mod quantity;
mod settings;
mod token;
mod vocabulary;

use std::ops::Range;

pub use meaning::Meaning;
pub use models::Names;
pub use settings::{Cluster, JobWords, Settings};

use self::grammar::{Fact, Item, What};
use self::quantity::Text;
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
    /// The text with conditions in place of the words that mean them, and the words of refused clauses quoted.
    pub query: String,
    /// What words say besides conditions.
    pub settings: Settings,
    pub phrases: Vec<Phrase>,
    /// Fields that `or` gives further values: `gpu_name=H200 or h100`.
    added: Vec<&'static str>,
    /// The clauses that are not understood: words that filter rows, or errors.
    pub refused: Vec<LanguageError>,
    /// Parts of `query`, and those of the text that they replace, in order.
    replaced: Replaced,
}

/// Reads the plain words of a text. Workergroups have none. `names` are the models of the loaded rows, beside
/// those that every market has.
///
/// ```
/// use bourse::domain::{Dialect, OFFERS, plain};
/// let names = plain::Names::default();
/// let reading = plain::read("4090 europe dph<0.5", &OFFERS, &Dialect::SANDBOX, &names);
/// assert_eq!(reading.query, "gpu_name=RTX_4090 geolocation in EUROPE dph<0.5");
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
            let leads = group.len() == 2 && matches!(group[0].what, What::Unknown(true, _));
            let facts = if leads { group[1].facts() } else { &[] };
            refused.push((span(&group), facts.to_vec()));
            continue;
        }
        for item in group.iter().filter(|item| !item.facts().is_empty()) {
            if matches!(group[0].what, What::Or) {
                reading.added.extend(item.facts().iter().filter_map(Fact::field));
            }
            clauses.push((span(std::slice::from_ref(item)), item.facts().to_vec()));
        }
    }
    let mut context = meaning::Context::of(&clauses, catalog, dialect);
    let mut replacements = Vec::new();
    // Words without a condition are words like any others unless something was understood.
    let is_idle = clauses.iter().all(|(_, facts)| facts[..] == [Fact::Idle]);
    for (span, facts) in clauses {
        let readings = context.readings(&facts, &text[span.clone()]);
        match readings.first().filter(|_| !is_idle) {
            None => refused.push((span, facts)),
            Some(meaning) => {
                reading.settings.add(&meaning.settings);
                replacements.push((span.clone(), meaning.conditions.clone()));
                reading.phrases.push(Phrase { span, readings });
            }
        }
    }
    reading.settings.settle(catalog);
    refused.sort_by_key(|(span, _)| span.start);
    for (span, facts) in refused {
        let words = &text[span.clone()];
        let is_word = words.chars().all(char::is_alphanumeric) && !country::begins(words);
        if !is_word || !vocabulary::roles(&words.to_lowercase()).is_empty() {
            let words = words.split([' ', ',', ';', '\t', '\n']).filter(|word| !word.is_empty());
            replacements.push((span.clone(), words.map(quotes).collect::<Vec<_>>().join(" ")));
        }
        let (message, suggestion) = (refusal(words, &facts), None);
        reading.refused.push(LanguageError {
            message,
            span,
            suggestion,
        });
    }
    if !reading.phrases.is_empty() {
        let is_outside = |span: &Range<usize>| {
            let mut refused = reading.refused.iter().map(|error| &error.span);
            refused.all(|error| span.end <= error.start || error.end <= span.start)
        };
        let joints = joints(&items).map(|item| span(std::slice::from_ref(item)));
        replacements.extend(joints.filter(is_outside).map(|span| (span, String::new())));
    }
    replacements.sort_by_key(|(span, _)| span.start);
    (reading.query, reading.replaced) = rewritten(text, &replacements);
    reading
}

/// The words and signs that only join clauses; a comma beside a condition has rules of its own.
fn joints(items: &[Item]) -> impl Iterator<Item = &Item> {
    let is_opaque = |index: usize| items.get(index).is_some_and(|item| matches!(item.what, What::Opaque));
    let is_joint = move |(index, item): &(usize, &Item)| match item.what {
        What::Joint | What::Or => true,
        What::Break => !is_opaque(index.wrapping_sub(1)) && !is_opaque(index + 1),
        What::Clause(_) | What::Unknown(..) | What::Opaque => false,
    };
    items.iter().enumerate().filter(is_joint).map(|(_, item)| item)
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

/// Parts of a new text, and those of the old one that they replace.
type Replaced = Vec<(Range<usize>, Range<usize>)>;

/// A text with parts replaced, and the spans of the parts in the new and the old text. Blanks around an empty
/// replacement are not doubled.
fn rewritten(text: &str, replacements: &[(Range<usize>, String)]) -> (String, Replaced) {
    let (mut query, mut replaced, mut end) = (String::new(), Vec::new(), 0);
    let is_glued = |side: char| !side.is_whitespace() && side != ',';
    for (span, new) in replacements {
        let between = text.get(end..span.start).unwrap_or_default();
        // The hyphen of `us-based` belonged to the words.
        let is_hyphen = end > 0 && matches!(between, "-" | "–");
        query.push_str(if is_hyphen { " " } else { between });
        if !new.is_empty() && query.ends_with(is_glued) {
            query.push(' ');
        }
        let start = query.len();
        query.push_str(new);
        if !new.is_empty() && text[span.end..].starts_with(is_glued) {
            query.push(' ');
        }
        replaced.push((start..query.len(), span.clone()));
        end = span.end;
    }
    query.push_str(text.get(end..).unwrap_or_default());
    (query, replaced)
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
        let parsed = match &self.added[..] {
            [] => parse(&self.query).map_err(|error| self.located(error)),
            _ => self.renewed(&parse).map(|(parsed, _)| parsed),
        };
        let Some(mut refused) = self.refused.first().filter(|_| mode != Mode::Bar).cloned() else {
            return parsed;
        };
        refused.suggestion = proposal::proposed(&self.text, &refused.span, catalog, dialect);
        // The language knows best what is wrong with a single word.
        let is_word = refused.suggestion.is_none() && self.replaced.iter().all(|(_, old)| *old != refused.span);
        Err(match parsed {
            Err(error) if error.span.start < refused.span.start || is_word => error,
            _ => refused,
        })
    }

    /// Parses the conditions, of which those that words mean replace those on the same fields, or add to
    /// them. Also returns what is replaced.
    pub fn renewed(
        &self,
        parse: &dyn Fn(&str) -> Result<Parsed, LanguageError>,
    ) -> Result<(Parsed, Vec<Condition>), LanguageError> {
        let (mut typed, mut words) = (self.query.clone(), " ".repeat(self.query.len()));
        for (span, old) in &self.replaced {
            if self.phrases.iter().any(|phrase| phrase.span == *old) {
                words.replace_range(span.clone(), &self.query[span.clone()]);
                typed.replace_range(span.clone(), &" ".repeat(span.len()));
            }
        }
        let mut parsed = parse(&typed).map_err(|error| self.located(error))?;
        let meant = parse(&words).map_err(|error| self.located(error))?;
        parsed.conditions.retain(|old| !meant.removed.contains(&old.field));
        parsed.removed.extend(meant.removed);
        let (conditions, replaced) = language::renew(parsed.conditions, meant.conditions, &self.added);
        Ok((Parsed { conditions, ..parsed }, replaced))
    }

    /// An error with its position in the original text. A suggestion that touches replaced parts is dropped: it
    /// would edit a text that nobody typed.
    pub fn located(&self, mut error: LanguageError) -> LanguageError {
        error.suggestion = error.suggestion.take().and_then(|mut edit| {
            let is_apart = |new: &Range<usize>| new.end <= edit.span.start || edit.span.end <= new.start;
            let is_typed = self.replaced.iter().all(|(new, _)| is_apart(new));
            edit.span = self.original(&edit.span);
            is_typed.then_some(edit)
        });
        error.span = self.original(&error.span);
        error
    }

    /// Maps a span of the query back to the typed text.
    fn original(&self, span: &Range<usize>) -> Range<usize> {
        let old = |at: usize, is_end: bool| {
            let is_behind = |new: &Range<usize>| if is_end { at > new.start } else { at >= new.start };
            let parts = self.replaced.iter().take_while(|(new, _)| is_behind(new));
            match parts.last() {
                Some((new, old)) if at < new.end || is_end && at == new.end => {
                    [old.start, old.end][usize::from(is_end)]
                }
                Some((new, old)) => old.end + (at - new.end),
                None => at,
            }
        };
        let start = old(span.start, false);
        let end = if span.is_empty() { start } else { old(span.end, true) };
        start..end.max(start)
    }
}
