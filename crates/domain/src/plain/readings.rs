//! Chooses among the divisions of a text: a single meaning is used, several are offered.

use std::ops::Range;

use super::grammar::{self, Fact, Group};
use super::meaning::{Context, Meaning, clash};
use super::settings::Settings;
use super::text::Text;
use super::token::{self, Kind, Token};
use super::vocabulary::{self, Dim, Role};
use super::{MarketWords, Phrase, Reading};
use crate::cost::JobWords;
use crate::country;
use crate::deadline::Deadline;
use crate::language::{self, LanguageError, Mode, Suggestion};
use crate::{Catalog, Resource};

/// How to fix a clause that is not understood. The reasons below include their own fix.
const FIX: &str = "remove it, or write a condition such as num_gpus>=2";
const PERIOD: &str = "may be the price of an hour or of the job: add 'per hour' or 'in total'";
const MACHINES: &str = "leaves open the GPUs in all and on each: write 2 nodes of 8 GPUs, or 16 GPUs over 2 nodes";
const MONEY: &str = "is not in US dollars, in which the market counts";
const LENGTH: &str = "is about a job: name either its hours or its work, such as 3d or 500M tokens, once";
const TWICE: &str = "are two values for the same thing: join them with 'or' or 'to', or remove one";
const VOLUMES: &str =
    "network volumes are rented apart from offers: search them on the tab Volumes, or with bourse volumes";
const MANY: &str = "this text has too many readings: write commas between its parts, or conditions such as num_gpus>=2";

impl Reading {
    /// Interprets a text: the only reading it has, or one that is unclear and lists the readings to choose
    /// from.
    pub(super) fn new(text: &str, market: MarketWords<'_>) -> Self {
        let mut rivals = Self::rivals(text, market);
        let mut reading = if rivals.len() == 1 {
            rivals.remove(0)
        } else {
            Self::ambiguous(text, &rivals, market)
        };
        if market.catalog.resource == Resource::Offers
            && let Some(span) = network_volume(text, market.catalog)
        {
            reading.unclear = Some(LanguageError::new(span, VOLUMES));
        }
        reading
    }

    /// The readings with different meanings: those with the fewest refused words whose clauses continue as far as
    /// possible.
    ///
    /// If one of them contradicts itself, the text does.
    fn rivals(text: &str, market: MarketWords<'_>) -> Vec<Self> {
        let tokens = token::tokens(text, market.catalog);
        let split = Text::new(&tokens, market);
        let (divisions, is_cut) = grammar::divisions(&split);
        let readings = divisions.iter().map(|parts| {
            let reading = Self::of_groups(text, &tokens, &grammar::groups(&split, parts), market);
            let rank = (
                reading.refused.len(),
                grammar::loose(&split, parts),
                reading.unclear.is_none(),
            );
            (rank, reading)
        });
        let mut readings: Vec<_> = readings.collect();
        // Stable: the division with the fewest parts stays first.
        readings.sort_by_key(|(rank, _)| *rank);
        let best = readings[0].0;
        let mut rivals: Vec<(_, Self)> = Vec::new();
        for (_, mut reading) in readings.into_iter().take_while(|(rank, _)| *rank == best) {
            let meaning = reading.conditions_and_settings(market);
            if is_cut {
                reading.unclear = Some(LanguageError::new(0..text.len(), MANY));
            }
            let is_taken = reading.unclear.is_none() && reading.refused.is_empty();
            if rivals.is_empty() || is_taken && rivals.iter().all(|(rival, _)| *rival != meaning) {
                rivals.push((meaning, reading));
            }
        }
        rivals.into_iter().map(|(_, reading)| reading).collect()
    }

    /// The reading of one division: its groups as phrases, or as refused words, and the query that they form.
    /// It is unclear if two phrases contradict each other.
    fn of_groups(text: &str, tokens: &[Token], groups: &[Group], market: MarketWords<'_>) -> Self {
        let (text, query) = (text.to_owned(), text.to_owned());
        let mut own = Self {
            text,
            query,
            ..Self::default()
        };
        let context = Context { market, groups };
        let mut meanings = Vec::new();
        for group in groups {
            let (span, facts) = (group.span.clone(), group.facts.as_deref());
            if let (true, Some([Fact::Choice(field, ..)])) = (group.adds, facts) {
                own.added.push(field);
            }
            if let Some(meaning) = facts.and_then(|facts| context.meaning(facts)) {
                meanings.push((meaning.clone(), facts.unwrap_or_default()));
                own.meaning.add(meaning.clone());
                own.phrases.push(Phrase { span, meaning });
            } else {
                if group.is_partly_known() {
                    own.unknown.extend(group.unknown.iter().cloned());
                }
                let reason = reason(&own.text, group, market);
                own.reasons.extend(reason.clone());
                own.refused
                    .push(reason.unwrap_or_else(|| not_understood(&own.text, group)));
            }
        }
        if let Some((left, right)) = clash(&meanings, market) {
            let [left, right] = [left, right].map(|at| own.phrases[at].span.clone());
            let message = format!(
                "'{}' and '{}' {TWICE}",
                &own.text[left.clone()],
                &own.text[right.clone()]
            );
            own.unclear = Some(LanguageError::new(left.start..right.end, message));
        }
        own.meaning.settings.settle(market.catalog);
        own.write_query(tokens);
        own
    }

    /// Writes the query: conditions as typed in their place and blanks for the other words, or the text as it
    /// is if no words are understood, then the conditions of the phrases. Of refused words a single unknown
    /// one stays in its place; others are moved to `words`.
    fn write_query(&mut self, tokens: &[Token]) {
        if !self.is_empty() {
            self.query = " ".repeat(self.text.len());
            for (at, token) in tokens.iter().enumerate() {
                let is_opaque = |at: usize| tokens.get(at).is_some_and(|token| token.kind == Kind::Opaque);
                // A comma next to a condition has rules of its own.
                if is_opaque(at) || token.kind == Kind::Break && (is_opaque(at + 1) || at > 0 && is_opaque(at - 1)) {
                    self.query
                        .replace_range(token.span.clone(), &self.text[token.span.clone()]);
                }
            }
        }
        for error in &self.refused {
            let (words, span) = (&self.text[error.span.clone()], error.span.clone());
            let is_word = words.chars().all(char::is_alphanumeric) && !country::is_name_prefix(words);
            if is_word && !vocabulary::is_known(words) {
                self.query.replace_range(span, words);
            } else {
                self.query.replace_range(span, &" ".repeat(words.len()));
                let words = words.split([' ', ',', ';', '\t', '\n']).filter(|word| !word.is_empty());
                self.words.extend(words.map(str::to_owned));
            }
        }
        self.query = format!("{} {}", self.query, self.meaning.conditions);
    }

    /// All conditions of the text in an order that does not depend on the words, and the settings: equal for
    /// readings that mean the same.
    fn conditions_and_settings(&self, market: MarketWords<'_>) -> (Vec<String>, Settings) {
        let read = language::parse(&self.query, market.catalog, market.dialect, &[], Mode::Bar);
        let parsed = read.map(|parsed| parsed.conditions).unwrap_or_default();
        let mut printed: Vec<_> = parsed.iter().map(language::print_condition).collect();
        printed.sort();
        printed.dedup();
        (printed, self.meaning.settings.clone())
    }

    /// The reading of an ambiguous text: the phrases that all readings share, and the readings to choose from
    /// whose text reads back as the same meaning.
    fn ambiguous(text: &str, rivals: &[Self], market: MarketWords<'_>) -> Self {
        let is_shared = |phrase: &&Phrase| rivals.iter().all(|rival| rival.phrases.contains(phrase));
        let phrases = || {
            rivals
                .iter()
                .flat_map(|rival| &rival.phrases)
                .filter(|phrase| !is_shared(phrase))
        };
        let start = phrases().map(|phrase| phrase.span.start).min().unwrap_or(0);
        let end = phrases().map(|phrase| phrase.span.end).max().unwrap_or(text.len());
        let is_inside = |phrase: &&Phrase| phrase.span.start < end && phrase.span.end > start;
        let mut own = Self {
            text: text.to_owned(),
            query: text.to_owned(),
            ..Self::default()
        };
        let mut texts = Vec::new();
        for rival in rivals {
            let mut meaning = Meaning::default();
            rival
                .phrases
                .iter()
                .filter(is_inside)
                .for_each(|phrase| meaning.add(phrase.meaning.clone()));
            texts.push(format!("'{}'", meaning.written()));
            let apart = if text[end..].starts_with(|next: char| !next.is_whitespace()) {
                " "
            } else {
                ""
            };
            let (span, replacement) = (start..end, meaning.written() + apart);
            let reading = Suggestion { span, replacement };
            // A word outside may have another meaning next to the inserted text.
            let again = Self::rivals(&reading.apply(text), market);
            let is_right = |again: &Self| {
                again.unclear.is_none()
                    && again.conditions_and_settings(market) == rival.conditions_and_settings(market)
            };
            own.readings
                .extend(Some(reading).filter(|_| again.len() == 1 && is_right(&again[0])));
        }
        own.phrases = rivals[0]
            .phrases
            .iter()
            .filter(|phrase| !is_inside(phrase))
            .cloned()
            .collect();
        own.phrases
            .iter()
            .for_each(|phrase| own.meaning.add(phrase.meaning.clone()));
        let message = format!("'{}' can mean {}", &text[start..end], texts.join(" or "));
        own.unclear = Some(LanguageError::new(start..end, message));
        own
    }
}

/// The words of a text that name a network volume, as a range in bytes; `None` if none do.
fn network_volume(text: &str, catalog: &'static Catalog) -> Option<Range<usize>> {
    let tokens = token::tokens(text, catalog);
    let mut pairs = tokens.windows(2);
    let pair = pairs.find(|pair| {
        let is_volume = matches!(&*pair[1].text, "volume" | "volumes" | "storage");
        pair[0].text == "network" && is_volume && pair.iter().all(|token| token.kind == Kind::Word)
    })?;
    Some(pair[0].span.start..pair[1].span.end)
}

/// The plain words of a text that names a network volume, without the conditions of the query language in it; `None`
/// if it names none.
pub(super) fn volume_words(text: &str, catalog: &'static Catalog) -> Option<String> {
    network_volume(text, catalog)?;
    let mut words = text.to_owned();
    for token in token::tokens(text, catalog) {
        if token.kind == Kind::Opaque {
            words.replace_range(token.span.clone(), &" ".repeat(token.span.len()));
        }
    }
    Some(words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether some words name money other than dollars.
fn is_foreign(words: &str) -> bool {
    let is_unit = |role: &Role| matches!(role, Role::Unit(Dim::Foreign, _));
    let mut words = words.split(|sign: char| !sign.is_alphabetic() && !matches!(sign, '€' | '£'));
    words.any(|word| vocabulary::roles(&word.to_lowercase()).iter().any(is_unit))
}

/// The error for a group of words of the text without a meaning, if more is known than that words are unknown; with the
/// fix if they are a time.
fn reason(text: &str, group: &Group, market: MarketWords<'_>) -> Option<LanguageError> {
    let span = group.span.clone();
    let (from, to) = (group.unknown.first(), group.unknown.last());
    let unknown = from.zip(to).map_or(span.clone(), |(from, to)| from.start..to.end);
    let (whole, time) = (&text[span.clone()], &text[unknown.clone()]);
    if market.catalog.resource == Resource::Offers && time.parse::<Deadline>().is_ok() {
        let message = format!("'{time}' is a time: write 'by {time}' for a deadline");
        return Some(LanguageError::new(span, message).suggest(unknown, format!("by {time}")));
    }
    let reason = match group.facts.as_deref() {
        _ if is_foreign(whole) => MONEY,
        _ if group.is_partly_known() => return None,
        Some([Fact::Price(_)]) => PERIOD,
        Some([Fact::Set(settings)]) if settings.job != JobWords::default() => LENGTH,
        Some([Fact::Machines(_)]) => MACHINES,
        _ => return None,
    };
    Some(LanguageError::new(span, format!("'{whole}' {reason}")))
}

/// The error for a group of words of the text without a meaning, which names those to blame.
fn not_understood(text: &str, group: &Group) -> LanguageError {
    let span = group.span.clone();
    let whole = &text[span.clone()];
    let message = if group.is_partly_known() {
        let names = group.unknown.iter().map(|word| format!("'{}'", &text[word.clone()]));
        let names = names.collect::<Vec<_>>().join(" and ");
        format!("'{whole}' is not understood because of {names}: {FIX}")
    } else {
        format!("'{whole}' is not understood: {FIX}")
    };
    LanguageError::new(span, message)
}
