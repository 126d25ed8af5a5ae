//! Plain words: `4090 europe 200gb 3d` becomes conditions, a price model, an order, storage and a job.
//!
//! `token` splits the text, `grammar` divides it into clauses, `meaning` turns these into conditions and settings. A
//! clause that is not understood in full is refused in full. Conditions of the query language and quoted texts keep
//! their place.

mod clause;
mod cluster;
mod grammar;
mod id;
mod list;
mod meaning;
mod models;
mod proposal;
mod question;
mod readings;
mod settings;
mod term;
mod text;
mod token;
mod vocabulary;

use std::ops::Range;

pub use cluster::Cluster;
pub use meaning::Meaning;
pub use models::Names;
pub use question::{PriceLimit, Question};
pub use settings::Settings;

use super::language::{self, LanguageError, Mode, Parsed, Suggestion};
use super::{Catalog, Condition, Dialect};

/// The maximum length of a text with plain words, in bytes; a longer one is not a description of a need.
const LONGEST: usize = 1024;

/// Words with a meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// The range in bytes of the text.
    pub span: Range<usize>,
    pub meaning: Meaning,
}

/// A text with its plain words interpreted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    text: String,
    /// The conditions of the words, and the text with blanks in place of the interpreted and refused words.
    pub query: String,
    pub meaning: Meaning,
    pub phrases: Vec<Phrase>,
    /// Fields that an `or` extends with further values: `gpu_name=H200 or b200`.
    added: Vec<&'static str>,
    /// The clauses that are not understood: words that filter rows, or errors, depending on the mode.
    pub refused: Vec<LanguageError>,
    /// Those of them that say more than that words are unknown: `until friday` without a job.
    pub reasons: Vec<LanguageError>,
    /// The unknown words, as ranges in bytes, of clauses that are not understood because of them: `beyond` of
    /// `beyond $5`.
    pub unknown: Vec<Range<usize>>,
    /// The words of refused clauses, which are blanks in the query.
    words: Vec<String>,
    /// The reason nothing of the text may be sent: it is ambiguous or contradicts itself. `None` if it may.
    pub unclear: Option<LanguageError>,
    /// The readings of an ambiguous text, for the user to choose from.
    pub readings: Vec<Suggestion>,
}

/// Interprets the plain words of a text; one longer than 1024 bytes is left as it is.
///
/// `names` are the models of the loaded rows, in addition to those that every market has.
///
/// ```
/// use bourse_domain::{Dialect, OFFERS, plain};
/// let names = plain::Names::default();
/// let reading = plain::read("4090 europe dph<0.5", &OFFERS, &Dialect::SANDBOX, &names);
/// assert_eq!(reading.meaning.conditions, "gpu_name=RTX_4090 geolocation in EUROPE");
/// ```
pub fn read(text: &str, catalog: &'static Catalog, dialect: &'static Dialect, names: &Names) -> Reading {
    let market = MarketWords {
        catalog,
        dialect,
        names,
    };
    if text.len() > LONGEST {
        let (text, query) = (text.to_owned(), text.to_owned());
        return Reading {
            text,
            query,
            ..Reading::default()
        };
    }
    Reading::new(text, market)
}

/// The market that a text is read for.
#[derive(Clone, Copy)]
struct MarketWords<'a> {
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    names: &'a Names,
}

/// A word that filters rows, as text that reads back as this word: in quotes if it is empty, has blanks,
/// quotes, commas or signs of operators, or is the name of a field or understood as plain words.
pub fn quoted(word: &str, catalog: &'static Catalog, dialect: &'static Dialect) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | '<' | '>' | '=' | '!');
    let is_known = vocabulary::is_known(word) || catalog.named(word).is_some();
    let is_read = || !read(word, catalog, dialect, &Names::default()).is_empty();
    if !word.is_empty() && word.chars().all(is_plain) && !is_known && !is_read() {
        word.to_owned()
    } else {
        language::quoted(word)
    }
}

/// The plain words of a search for offers that names a network volume, which is no offer; conditions of the query
/// language are left out. `None` if it names none.
pub fn volume_words(text: &str) -> Option<String> {
    readings::volume_words(text, &super::OFFERS)
}

impl Reading {
    /// Whether no words of the text were understood, apart from conditions of the query language.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }

    /// The last phrase that contains byte `at` of the text or ends there, but does not begin there; `None` if
    /// there is none.
    pub fn phrase_at(&self, at: usize) -> Option<&Phrase> {
        let mut phrases = self.phrases.iter().rev();
        phrases.find(|phrase| phrase.span.start < at && at <= phrase.span.end)
    }

    /// Parses the conditions like `language::parse`. Errors refer to the original text; an ambiguous or
    /// contradictory one is an error.
    ///
    /// In modes in which bare words are errors, so is a clause that is not understood; the error suggests a
    /// spelling that is.
    pub fn parse(
        &self,
        catalog: &'static Catalog,
        dialect: &'static Dialect,
        seed: &[Condition],
        mode: Mode,
    ) -> Result<Parsed, LanguageError> {
        if let Some(unclear) = &self.unclear {
            return Err(unclear.clone());
        }
        let parse = |text: &str| language::parse(text, catalog, dialect, seed, mode);
        let all = || parse(&self.query).map_err(|error| self.located(error));
        let parsed = match &self.added[..] {
            // An incomplete condition must not continue in those of the words.
            [] => parse(&self.query[..self.text.len()]).and_then(|_| all()),
            _ => self.renewed(&parse).map(|(parsed, _)| parsed),
        };
        if let Some(question) = self.question().filter(|_| mode != Mode::Bar) {
            return Err(question);
        }
        let Some(mut refused) = self.refused.first().filter(|_| mode != Mode::Bar).cloned() else {
            return parsed;
        };
        refused.suggestion = proposal::proposed(&self.text, &refused.span, catalog, dialect);
        // The language gives the best error for a single word.
        let is_word = refused.suggestion.is_none() && !self.query[refused.span.clone()].trim().is_empty();
        Err(match parsed {
            Err(error) if error.span.start < refused.span.start || is_word => error,
            _ => refused,
        })
    }

    /// The error that the text asks a question, where no view can answer it; `None` if it asks none.
    fn question(&self) -> Option<LanguageError> {
        let mut phrases = self.phrases.iter();
        phrases.find_map(|phrase| {
            let question = phrase.meaning.settings.question?;
            let words = &self.text[phrase.span.clone()];
            let message = format!("'{words}' is a question: {}", question.advice());
            Some(LanguageError::new(phrase.span.clone(), message))
        })
    }

    /// Parses the conditions; those of the words replace conditions on the same fields, or extend them after
    /// an `or`. Also returns the replaced ones. An error if the text is ambiguous or contradicts itself.
    pub fn renewed(
        &self,
        parse: &dyn Fn(&str) -> Result<Parsed, LanguageError>,
    ) -> Result<(Parsed, Vec<Condition>), LanguageError> {
        if let Some(unclear) = &self.unclear {
            return Err(unclear.clone());
        }
        let mut parsed = parse(&self.query[..self.text.len()])?;
        let words = " ".repeat(self.text.len()) + &self.query[self.text.len()..];
        let meant = parse(&words).map_err(|error| self.located(error))?;
        parsed.conditions.retain(|old| !meant.removed.contains(&old.field));
        parsed.removed.extend(meant.removed);
        parsed.words.extend(self.words.iter().cloned());
        let (conditions, replaced) = language::overlay(parsed.conditions, meant.conditions, &self.added);
        Ok((Parsed { conditions, ..parsed }, replaced))
    }

    /// An error in the query with its position in the original text. One in the conditions of words is at the
    /// words, without its suggestion; any other is unchanged.
    fn located(&self, mut error: LanguageError) -> LanguageError {
        let mut end = self.text.len();
        if error.span.end <= end {
            return error;
        }
        let phrase = self.phrases.iter().find(|phrase| {
            let length = phrase.meaning.conditions.len();
            end += length + usize::from(length > 0);
            error.span.start < end
        });
        error.suggestion = None;
        error.span = phrase.map_or(end..end, |phrase| phrase.span.clone());
        error
    }
}
