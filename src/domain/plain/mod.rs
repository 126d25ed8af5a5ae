//! Plain words: `4090 europe 200gb 3d` becomes conditions, a price model, an order, storage and a job.
//!
//! `token` splits the text, `grammar` divides it into clauses, `meaning` says what they ask for. A clause that
//! is not understood in full is refused in full. Conditions of the query language and quoted texts keep
//! their place.

mod grammar;
mod lists;
mod meaning;
mod measures;
mod models;
mod phrases;
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
use super::language::{self, LanguageError, Mode, Parsed, Suggestion};
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
    let mut reading = understood(text, catalog, dialect, names);
    for index in 0..reading.refused.len() {
        let span = reading.refused[index].span.clone();
        reading.refused[index].suggestion = proposed(text, span, catalog, names, &|text| {
            understood(text, catalog, dialect, names)
        });
    }
    reading
}

fn understood(text: &str, catalog: &'static Catalog, dialect: &'static Dialect, names: &Names) -> Reading {
    let mut reading = Reading {
        query: text.to_owned(),
        ..Reading::default()
    };
    if text.len() > LONGEST || catalog.resource == Resource::Workergroups {
        return reading;
    }
    let tokens = token::tokens(text, catalog, names);
    let words = Text::new(&tokens, catalog, names);
    let items = grammar::items(&words);
    let span = |items: &[Item]| tokens[items[0].start].span.start..tokens[items[items.len() - 1].next - 1].span.end;
    let groups = grammar::groups(&words, &items);
    let accepted = groups.iter().filter(|(is_refused, _)| !is_refused);
    let mut found = Vec::new();
    for (_, group) in accepted {
        for item in group.iter().filter(|item| !item.facts().is_empty()) {
            if matches!(group[0].what, What::Or) {
                reading.added.extend(item.facts().iter().filter_map(Fact::field));
            }
            found.push((span(std::slice::from_ref(item)), item.facts().to_vec()));
        }
    }
    let mut context = meaning::Context::of(found.iter().flat_map(|(_, facts)| facts), catalog, dialect);
    let mut replacements = Vec::new();
    let refused = groups.iter().filter(|(is_refused, _)| *is_refused);
    // `under 3090`: what is bound says why it is refused.
    let facts = |group: &[Item]| match group {
        [first, second] if matches!(first.what, What::Unknown { leads: true, .. }) => second.facts().to_vec(),
        _ => Vec::new(),
    };
    let refused = refused.map(|(_, group)| (span(group), facts(group)));
    let mut refused: Vec<_> = refused.collect();
    // Words without a condition are words like any others unless something was understood.
    let is_idle = |(_, facts): &(_, Vec<Fact>)| facts[..] == [Fact::Idle];
    if found.iter().all(is_idle) {
        refused.extend(found.into_iter().map(|(span, _)| (span, Vec::new())));
    } else {
        for (span, facts) in found {
            let readings = context.readings(&facts, &text[span.clone()]);
            match readings.first() {
                None => refused.push((span, facts)),
                Some(meaning) => {
                    reading.settings.add(&meaning.settings);
                    replacements.push((span.clone(), meaning.conditions.clone()));
                    reading.phrases.push(Phrase { span, readings });
                }
            }
        }
    }
    reading.settings.settle(catalog);
    refused.sort_by_key(|(span, _)| span.start);
    for (span, facts) in refused {
        let own = &text[span.clone()];
        let is_word = own.chars().all(char::is_alphanumeric) && !country::begins(own);
        if !is_word || !vocabulary::roles(&own.to_lowercase()).is_empty() {
            let words = own.split([' ', ',', ';', '\t', '\n']);
            let words = words.filter(|word| !word.is_empty()).map(quotes);
            replacements.push((span.clone(), words.collect::<Vec<_>>().join(" ")));
        }
        let (message, suggestion) = (refusal(own, &facts), None);
        reading.refused.push(LanguageError {
            message,
            span,
            suggestion,
        });
    }
    if !reading.phrases.is_empty() {
        let is_outside = |span: &Range<usize>| {
            let mut refused = reading.refused.iter().map(|own| &own.span);
            refused.all(|own| span.end <= own.start || own.end <= span.start)
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
        What::Clause(_) | What::Unknown { .. } | What::Opaque => false,
    };
    items.iter().enumerate().filter(is_joint).map(|(_, item)| item)
}

/// Why a clause is refused, and what to write.
fn refusal(words: &str, facts: &[Fact]) -> String {
    match facts {
        [
            Fact::Choice {
                field: "gpu_name",
                names,
                ..
            },
        ] if let Some((bound, model)) = words.rsplit_once(' ')
            && model.starts_with(|first: char| first.is_ascii_digit()) =>
        {
            let names = names.join(" or ");
            format!(
                "{model} is a GPU ({names}), no price: write '{bound} ${model}' for a price, or '{model}' for the GPU"
            )
        }
        [Fact::Price(..)] => {
            format!("'{words}' may be the price of an hour or of the job: add 'per hour' or 'in total'")
        }
        _ => format!("'{words}' is not understood: remove it, or write a condition such as num_gpus>=2"),
    }
}

/// The text with one word spelled differently so that its clause is understood.
fn proposed(
    text: &str,
    clause: Range<usize>,
    catalog: &Catalog,
    names: &Names,
    read: &dyn Fn(&str) -> Reading,
) -> Option<Suggestion> {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words = text[clause]
        .split([' ', ',', ';'])
        .filter(|word| word.chars().count() > 2);
    let is_function = |word: &str| {
        vocabulary::roles(word)
            .iter()
            .any(|role| matches!(role, Role::Filler | Role::Number(_)))
    };
    for word in words {
        let span = start(word)..start(word) + word.len();
        let lower = word.to_lowercase();
        let is_known = !vocabulary::roles(&lower).is_empty()
            || country::named(&lower, false).is_some()
            || catalog.named(word).is_some();
        let is_short = lower.len() < 4 && !lower.starts_with(|first: char| first.is_ascii_digit());
        if is_known || is_short || !names.models(&lower).is_empty() {
            continue;
        }
        let letters = |word: &str| {
            let mut letters: Vec<_> = word.chars().collect();
            letters.sort_unstable();
            letters
        };
        // Another digit names another model, which may exist.
        let digits = |word: &str| letters(&word.replace(|c: char| !c.is_ascii_digit(), ""));
        let is_near = |known: &&str| {
            // One letter more or less is at most four bytes; a pasted text is compared with nothing.
            known.len().abs_diff(lower.len()) <= 4
                && strsim::damerau_levenshtein(known, &lower) == 1
                && (known.len() != lower.len() || digits(known) == digits(&lower))
                && !is_function(known)
        };
        let mut near: Vec<String> = names.spellings().filter(is_near).map(str::to_owned).collect();
        near.extend(
            vocabulary::words()
                .chain(country::names())
                .filter(is_near)
                .map(str::to_owned),
        );
        // Swapped letters are likelier than others.
        near.sort_by_key(|known| {
            (
                letters(known) != letters(&lower),
                known.len() != lower.len(),
                known.clone(),
            )
        });
        near.dedup();
        let span_of = || span.clone();
        let proposal = |replacement| Suggestion {
            span: span_of(),
            replacement,
        };
        let is_understood = |proposal: &Suggestion| {
            let touches = |own: &LanguageError| own.span.start <= span.start && span.start < own.span.end;
            !read(&proposal.apply(text)).refused.iter().any(touches)
        };
        if let Some(found) = near.into_iter().map(proposal).find(is_understood) {
            return Some(found);
        }
    }
    None
}

/// Parts of a new text, and those of the old one that they replace.
type Replaced = Vec<(Range<usize>, Range<usize>)>;

/// A text with parts replaced, and the spans of the parts in the new and the old text. Blanks around an empty
/// replacement are not doubled.
fn rewritten(text: &str, replacements: &[(Range<usize>, String)]) -> (String, Replaced) {
    let (mut query, mut replaced, mut end) = (String::new(), Vec::new(), 0);
    for (span, new) in replacements {
        let between = text.get(end..span.start).unwrap_or_default();
        // The hyphen of `us-based` belonged to the words.
        let is_hyphen = end > 0 && matches!(between, "-" | "–");
        query.push_str(if is_hyphen { " " } else { between });
        if !new.is_empty() && query.ends_with(|last: char| !last.is_whitespace() && last != ',') {
            query.push(' ');
        }
        let start = query.len();
        query.push_str(new);
        let is_glued = |next: char| !next.is_whitespace() && next != ',';
        if !new.is_empty() && text[span.end..].starts_with(is_glued) {
            query.push(' ');
        }
        replaced.push((start..query.len(), span.clone()));
        end = span.end;
    }
    query.push_str(text.get(end..).unwrap_or_default());
    (query, replaced)
}

fn quotes(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

/// A word that filters rows, quoted if it would be read as anything else.
pub fn quoted(word: &str, catalog: &'static Catalog, dialect: &'static Dialect) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | '<' | '>' | '=' | '!');
    let is_free = || {
        understood(word, catalog, dialect, &Names::default()).phrases.is_empty()
            && vocabulary::roles(&word.to_lowercase())
                .iter()
                .all(|role| matches!(role, Role::Number(_)))
    };
    let is_word = word.chars().all(is_plain) && !word.is_empty() && catalog.named(word).is_none() && is_free();
    if is_word { word.to_owned() } else { quotes(word) }
}

impl Reading {
    fn meanings(&self) -> Vec<&Meaning> {
        self.phrases
            .iter()
            .filter_map(|phrase| phrase.readings.first())
            .collect()
    }

    /// The conditions that the words mean.
    pub fn conditions(&self) -> String {
        let texts = self.meanings().into_iter().map(|meaning| meaning.conditions.as_str());
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// All that the words mean, in one line; empty without any.
    pub fn text(&self) -> String {
        meaning::text(&self.meanings(), &self.settings)
    }

    /// The state that the rows can be filtered by; none if several places are named, as any of them is wanted
    /// then.
    pub fn state(&self) -> Option<&str> {
        let meanings = self.meanings();
        let is_place = |own: &&&Meaning| own.state.is_some() || own.conditions.starts_with("geolocation");
        let mut places = meanings.iter().filter(is_place);
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
        self.phrases
            .iter()
            .rev()
            .find(|phrase| phrase.span.start < at && at <= phrase.span.end)
    }

    /// Parses the conditions like [`language::parse`]. Errors are about the original text. Where words are
    /// errors, so is a clause that is not understood.
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
        let refused = self.refused.first().filter(|_| mode != Mode::Bar);
        // The language knows best what is wrong with a single word.
        let is_word = |own: &LanguageError| self.replaced.iter().all(|(_, old)| *old != own.span);
        let is_first = |error: &LanguageError, own: &LanguageError| {
            error.span.start < own.span.start || is_word(own) && own.suggestion.is_none()
        };
        match (parsed, refused) {
            (Err(error), Some(refused)) if is_first(&error, refused) => Err(error),
            (_, Some(refused)) => Err(refused.clone()),
            (parsed, None) => parsed,
        }
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
        let own = parse(&words).map_err(|error| self.located(error))?;
        parsed.conditions.retain(|old| !own.removed.contains(&old.field));
        parsed.removed.extend(own.removed);
        let (conditions, replaced) = language::renew(parsed.conditions, own.conditions, &self.added);
        Ok((Parsed { conditions, ..parsed }, replaced))
    }

    /// An error with its position in the original text. A suggestion that touches replaced parts is dropped: it
    /// would edit a text that nobody typed.
    pub fn located(&self, mut error: LanguageError) -> LanguageError {
        let is_typed = |own: &Suggestion| {
            self.replaced
                .iter()
                .all(|(new, _)| new.end <= own.span.start || own.span.end <= new.start)
        };
        let suggestion = error.suggestion.filter(is_typed);
        error.suggestion = suggestion.map(|own| Suggestion {
            span: self.original(&own.span),
            ..own
        });
        error.span = self.original(&error.span);
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
        let end = if span.is_empty() { start } else { place(span.end, true) };
        start..end.max(start)
    }
}
