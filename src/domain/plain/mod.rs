//! Plain words: `4090 europe 200gb 3d` becomes conditions, a price model, an order, storage and a
//! job.
//!
//! A fixed grammar: `token` splits the text, `grammar` reads phrases from its tables, and
//! [`read`] lays them out as a query that [`language::parse`] parses. What no rule reads keeps its
//! place in the text, and so do conditions of the query language and quoted texts.

mod amount;
mod choice;
mod clauses;
mod cursor;
mod english;
mod gpus;
mod grammar;
mod meaning;
mod measure;
mod measures;
mod nouns;
mod orders;
mod phrases;
mod price;
mod settings;
mod spaced;
mod token;
mod words;

use std::ops::Range;

pub use meaning::Meaning;
pub use settings::{JobWords, Settings};

use self::cursor::Cursor;
use self::grammar::Fact;
use self::meaning::{Context, Note};
use self::token::{Kind, Token};
use self::words::FILLERS;
use super::catalog::{Catalog, Resource};
use super::dialect::Dialect;
use super::language::{self, LanguageError, Mode, Parsed};
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

/// A phrase and what it says, before the readings are known.
type Spoken = (Range<usize>, Vec<Fact>);

/// A span of the new text, and the span of the original that it replaces.
type Replaced = (Range<usize>, Range<usize>);

/// A text with its plain words read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The text with conditions in place of the words that mean them.
    pub query: String,
    /// What words say besides conditions.
    pub settings: Settings,
    pub phrases: Vec<Phrase>,
    /// The parts of `query` that replace parts of the text, in order.
    replaced: Vec<Replaced>,
    /// Bounds without a number, since that is a model, and what to write instead.
    unpriced: Vec<(Range<usize>, String)>,
}

/// Reads the plain words of a text. Workergroups have none.
///
/// ```
/// use bourse::domain::{Dialect, OFFERS, plain};
/// let reading = plain::read("4090 europe dph<0.5", &OFFERS, &Dialect::SANDBOX);
/// assert_eq!(reading.query, "gpu_name=RTX_4090 geolocation in EUROPE dph<0.5");
/// ```
pub fn read(text: &str, catalog: &'static Catalog, dialect: &'static Dialect) -> Reading {
    let mut phrases = Vec::new();
    let mut replacements = Vec::new();
    let mut unpriced = Vec::new();
    if text.len() <= LONGEST && catalog.resource != Resource::Workergroups {
        let tokens = token::tokens(text, catalog);
        let (found, separators) = scanned(&tokens, catalog.resource);
        phrases = settled(found, catalog, dialect);
        if catalog.resource == Resource::Offers {
            unpriced = clauses::unpriced(Cursor { tokens: &tokens });
        }
        if !phrases.is_empty() {
            replacements = separators
                .into_iter()
                .map(|span| (span, String::new()))
                .collect();
        }
    }
    let mut settings = Settings::default();
    for phrase in &phrases {
        let Some(meaning) = phrase.readings.first() else {
            continue;
        };
        settings.add(&meaning.settings);
        replacements.push((phrase.span.clone(), meaning.conditions.clone()));
    }
    settings.settle(catalog);
    replacements.sort_by_key(|(span, _)| span.start);
    let (query, replaced) = rewritten(text, &replacements);
    Reading {
        query,
        settings,
        phrases,
        replaced,
        unpriced,
    }
}

/// The phrases of a text and what each says, and the words and signs that only join them.
fn scanned(tokens: &[Token], resource: Resource) -> (Vec<Spoken>, Vec<Range<usize>>) {
    let cursor = Cursor { tokens };
    let (mut found, mut separators) = (Vec::new(), Vec::new());
    let mut at = 0;
    // Whether the words are about what the machine is for: unknown ones are no mistake there.
    let mut is_purpose = false;
    while let Some(token) = tokens.get(at) {
        if let Some((facts, next)) = grammar::phrase(cursor, at, resource) {
            is_purpose &= matches!(facts[..], [Fact::Idle(_)]);
            found.push((token.span.start..tokens[next - 1].span.end, facts));
            at = next;
            continue;
        }
        let is_separate = |at: usize| tokens.get(at).is_none_or(|token| !token.glued);
        is_purpose = (is_purpose || clauses::opens(token)) && token.kind != Kind::Comma;
        let joins = match token.kind {
            Kind::Comma => !next_to_opaque(tokens, at),
            Kind::Word => {
                FILLERS.contains(&&*token.text)
                    && is_separate(at)
                    && tokens
                        .get(at + 1)
                        .is_none_or(|next| !next.glued || next.kind == Kind::Comma)
            }
            Kind::Slash | Kind::Plus => is_separate(at) && is_separate(at + 1),
            Kind::Number(_)
            | Kind::Bound(_)
            | Kind::Dollar
            | Kind::Percent
            | Kind::Dash
            | Kind::Times
            | Kind::Opaque => false,
        };
        if joins {
            separators.push(token.span.clone());
        } else if is_purpose && token.kind == Kind::Word && is_separate(at) && is_separate(at + 1) {
            let facts = vec![Fact::Idle(token.text.clone())];
            found.push((token.span.clone(), facts));
        } else {
            is_purpose = false;
        }
        at += 1;
    }
    separators.extend(slashes(tokens, &found));
    accept_unverified(&mut found);
    // Words without a condition are words like any others unless something was understood.
    let is_idle = |(_, facts): &Spoken| matches!(facts[..], [Fact::Idle(_)]);
    if found.iter().all(is_idle) {
        found.clear();
    }
    (found, separators)
}

/// The slashes between two phrases: `a100/8x/eu`.
fn slashes(tokens: &[Token], found: &[Spoken]) -> Vec<Range<usize>> {
    let is_between = |slash: &&Token| {
        slash.kind == Kind::Slash
            && found.iter().any(|(span, _)| span.end == slash.span.start)
            && found.iter().any(|(span, _)| span.start == slash.span.end)
    };
    let slashes = tokens.iter().filter(is_between);
    slashes.map(|slash| slash.span.clone()).collect()
}

/// `unverified 3080 ok` accepts hosts that are not verified; `unverified` alone wants them.
fn accept_unverified(found: &mut [Spoken]) {
    let position = |wanted: &dyn Fn(&Fact) -> bool| {
        let is_wanted = |(_, facts): &Spoken| matches!(&facts[..], [fact] if wanted(fact));
        found.iter().position(is_wanted)
    };
    let unverified =
        position(&|fact| matches!(fact, Fact::Conditions(text) if text == "verified=false"));
    let accepted =
        position(&|fact| matches!(fact, Fact::Idle(words) if ["ok", "okay"].contains(&&**words)));
    if let (Some(unverified), Some(accepted)) = (unverified, accepted)
        && unverified < accepted
    {
        found[unverified].1 = vec![Fact::Free("verified")];
    }
}

/// Whether a comma separates conditions of the query language, which have their own rules.
fn next_to_opaque(tokens: &[Token], at: usize) -> bool {
    let is_opaque = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|token| token.kind == Kind::Opaque)
    };
    is_opaque(at.checked_sub(1)) || is_opaque(Some(at + 1))
}

/// The phrases with their readings, without those that mean nothing for the resource.
fn settled(
    found: Vec<Spoken>,
    catalog: &'static Catalog,
    dialect: &'static Dialect,
) -> Vec<Phrase> {
    let context = Context::of(found.iter().flat_map(|(_, facts)| facts), catalog, dialect);
    let mut chosen = meaning::Chosen::default();
    let phrases = found.into_iter().map(|(span, facts)| Phrase {
        span,
        readings: context.readings(&facts, &mut chosen),
    });
    phrases
        .filter(|phrase| !phrase.readings.is_empty())
        .collect()
}

/// A text with parts replaced, and the spans of the parts in the new and the old text. Blanks
/// around an empty replacement are not doubled.
fn rewritten(text: &str, replacements: &[(Range<usize>, String)]) -> (String, Vec<Replaced>) {
    let mut query = String::new();
    let mut replaced = Vec::new();
    let mut end = 0;
    for (span, new) in replacements {
        let between = text.get(end..span.start).unwrap_or_default();
        // The hyphen of `us-based` belonged to the words.
        let is_hyphen = end > 0 && matches!(between, "-" | "–");
        query.push_str(if is_hyphen { " " } else { between });
        // Phrases separated by a slash alone get a blank.
        let needs_blank =
            !new.is_empty() && query.ends_with(|last: char| !last.is_whitespace() && last != ',');
        if needs_blank {
            query.push(' ');
        }
        let start = query.len();
        query.push_str(new);
        replaced.push((start..query.len(), span.clone()));
        end = span.end;
    }
    query.push_str(text.get(end..).unwrap_or_default());
    (query, replaced)
}

/// A word that filters rows, quoted if it would be read as anything else.
pub fn quoted(word: &str, catalog: &'static Catalog, dialect: &'static Dialect) -> String {
    let is_plain =
        |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | '<' | '>' | '=' | '!');
    let is_word = word.chars().all(is_plain)
        && !word.is_empty()
        && catalog.named(word).is_none()
        && read(word, catalog, dialect).is_empty();
    if is_word {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('"', "\"\""))
}

impl Reading {
    /// The conditions that the words mean.
    pub fn conditions(&self) -> String {
        let meanings = self
            .phrases
            .iter()
            .filter_map(|phrase| phrase.readings.first());
        let texts = meanings.map(|meaning| meaning.conditions.as_str());
        texts
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// All that the words mean, in one line; empty without any.
    pub fn text(&self) -> String {
        let conditions = Some(self.conditions()).filter(|text| !text.is_empty());
        let texts: Vec<_> = conditions
            .into_iter()
            .chain(self.settings.texts())
            .chain(Note::texts(self.notes()))
            .collect();
        texts.join(" · ")
    }

    /// The state that the rows can be filtered by; none if several places are named, as any of them
    /// is wanted then.
    pub fn state(&self) -> Option<&str> {
        let readings = self
            .phrases
            .iter()
            .filter_map(|phrase| phrase.readings.first());
        let mut places = readings.filter(|meaning| {
            meaning.state.is_some() || meaning.conditions.starts_with("geolocation")
        });
        let first = places.next()?;
        let is_only = places.next().is_none() && !first.conditions.contains('[');
        first.state.as_deref().filter(|_| is_only)
    }

    fn notes(&self) -> impl Iterator<Item = &Note> {
        let meanings = self
            .phrases
            .iter()
            .filter_map(|phrase| phrase.readings.first());
        meanings.filter_map(|meaning| meaning.note.as_ref())
    }

    /// Whether any word was read.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// The phrase that contains a byte of the text or ends at it.
    pub fn phrase_at(&self, at: usize) -> Option<&Phrase> {
        let phrases = self.phrases.iter();
        phrases
            .rev()
            .find(|phrase| phrase.span.start < at && at <= phrase.span.end)
    }

    /// Parses the conditions like [`language::parse`]. Errors are about the original text.
    pub fn parse(
        &self,
        catalog: &'static Catalog,
        dialect: &'static Dialect,
        seed: &[Condition],
        mode: Mode,
    ) -> Result<Parsed, LanguageError> {
        language::parse(&self.query, catalog, dialect, seed, mode)
            .map_err(|error| self.located(error))
    }

    /// An error with its position in the original text. A suggestion that touches replaced parts
    /// is dropped: it would edit a text that nobody typed.
    pub fn located(&self, mut error: LanguageError) -> LanguageError {
        let span = self.original(&error.span);
        let is_typed = |suggested: &Range<usize>| {
            self.replaced
                .iter()
                .all(|(new, _)| new.end <= suggested.start || suggested.end <= new.start)
        };
        error.suggestion = error
            .suggestion
            .filter(|suggestion| is_typed(&suggestion.span))
            .map(|suggestion| language::Suggestion {
                span: self.original(&suggestion.span),
                ..suggestion
            });
        let is_there = |(own, _): &&(Range<usize>, String)| own.contains(&span.start);
        if let Some((own, message)) = self.unpriced.iter().find(is_there) {
            error.message.clone_from(message);
            error.span = own.clone();
            error.suggestion = None;
            return error;
        }
        error.span = span;
        error
    }

    /// Maps a span of the query back to the typed text.
    fn original(&self, span: &Range<usize>) -> Range<usize> {
        let place = |at: usize, is_end: bool| {
            let (mut new_end, mut old_end) = (0, 0);
            for (new, old) in &self.replaced {
                if at < new.start || (is_end && at == new.start) {
                    break;
                }
                if at < new.end || (is_end && at == new.end) {
                    return if is_end { old.end } else { old.start };
                }
                (new_end, old_end) = (new.end, old.end);
            }
            old_end + (at - new_end)
        };
        let start = place(span.start, false);
        let end = if span.is_empty() {
            start
        } else {
            place(span.end, true)
        };
        start..end.max(start)
    }
}
