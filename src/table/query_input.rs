//! Typing in the query bar.
//!
//! Plain words are read, other words filter the loaded rows at once, completion is offered, and
//! Enter turns the text into the query.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::bar::Understood;
use super::browser::Browser;
use super::suggestions;
use super::typed_words::{RATE_WITHOUT_MODEL, asks_of_market, describe_term, named_models, refused_phrases};
use crate::domain::cost::VolumeTerm;
use crate::domain::field::Kind;
use crate::domain::language::{Candidate, Completion};
use crate::domain::local::LocalTime;
use crate::domain::plain::{Cluster, PriceLimit, Question, Reading, Settings};
use crate::domain::throughput::WorkUnit;
use crate::domain::{
    CellRef, Condition, Direction, Field, Listing, Operand, Operator, OrderKey, Resource, Value, country, language,
    plain,
};

impl Browser {
    /// Starts editing the query as [`Self::edit_query`] does, without a typed id: another one, or a description, replaces
    /// it.
    pub(crate) fn edit_query_anew(&mut self) {
        if self.typed_id().is_some() {
            self.bar.input.set(language::print_briefly(&self.query.conditions));
        }
        self.edit_query();
    }

    /// Starts editing the query at the end of its text, with completion.
    pub(crate) fn edit_query(&mut self) {
        self.bar.edit();
        self.query_typed();
    }

    /// Handles a change of the bar's text: its words and plain conditions filter the rows at once, and
    /// completion is updated. An incomplete condition leaves the rows as the running query has them.
    pub(crate) fn query_typed(&mut self) {
        self.bar.error = None;
        let text = self.bar.input.text().to_owned();
        let reading = self.read_words();
        if let Ok((mut parsed, _)) = reading.renewed(&|text| parse_bar(self, text)) {
            keep_last_id(&mut parsed);
            let active = self.query.active().cloned().collect::<Vec<_>>();
            let is_changed = parsed.conditions != active || !reading.meaning.settings.texts().is_empty();
            // All workergroups are loaded, whatever the query.
            self.bar.is_other_query = is_changed && self.resource() != Resource::Workergroups;
            if asks_of_market(&reading) {
                parsed.words.clear();
            }
            let words = without_unfinished_word(parsed.words, &text, self);
            let preview = self.preview(&reading);
            self.narrow_while_typing(words, preview);
        } else {
            // An incomplete condition: the words of the running query filter until it is complete.
            self.bar.is_other_query = false;
            self.restore_words();
        }
        let listing = self.listing();
        let counted = OnceCell::new();
        let mut completion = language::complete(
            &text,
            self.bar.input.cursor_byte(),
            self.query.catalog(),
            self.dialect(),
            &|field| {
                let counts = counted.get_or_init(|| value_counts(listing, field));
                let mut values = suggestions::seen_values(listing, field);
                // They are in alphabetical order, which stays among equally frequent ones.
                values.sort_by_key(|value| Reverse(counts.get(value.as_str())));
                values
            },
        );
        self.offer_meaning(&text, &mut completion);
        let known = counted.into_inner().unwrap_or_default();
        let counts = self.candidate_counts(&completion, &known);
        self.bar.offer(completion, counts);
    }

    /// Reads the plain words of the bar, and shows their meaning and a warning, if any, beside it.
    pub(crate) fn read_words(&mut self) -> Reading {
        let reading = plain::read(
            self.bar.input.text(),
            self.query.catalog(),
            self.dialect(),
            &self.models(),
        );
        let phrases = reading.phrases.iter();
        let mut said = reading.renewed(&|text| parse_bar(self, text)).ok();
        if let Some((parsed, _)) = &mut said {
            self.ask_anew(&reading, parsed);
        }
        let is_new = |condition: &&Condition| !self.query.active().any(|running| running == *condition);
        let warning = said.as_ref().and_then(|(parsed, _)| {
            let mut added = parsed.conditions.iter().filter(is_new);
            added.find_map(|condition| language::warning(condition, self.dialect()))
        });
        let lacks_model = reading.meaning.settings.rate.is_some()
            && said
                .as_ref()
                .is_some_and(|(parsed, _)| named_models(&parsed.conditions).is_empty());
        let warning = warning.or(lacks_model.then(|| RATE_WITHOUT_MODEL.to_owned()));
        let text = self.bar.input.text();
        let replaced = said.as_ref().map(|(_, replaced)| replaced.as_slice());
        let term = self.term_of(&reading).map(describe_term);
        let joined = |meaning: String, replaced: Option<&[Condition]>| {
            let changes = replaced.and_then(|replaced| describe_changes(&reading, text, replaced));
            let texts = [Some(meaning), term.clone(), changes].into_iter().flatten();
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ")
        };
        // While a condition is incomplete, what is kept is what was before it.
        let kept = said.as_ref().map_or_else(
            || self.bar.understood.kept.clone(),
            |(parsed, _)| self.kept_phrases(&reading, parsed),
        );
        let of_volumes = self.volume_meaning();
        let own = |meaning: String| of_volumes.clone().unwrap_or(meaning);
        self.bar.understood = Understood {
            spans: phrases.map(|phrase| phrase.span.clone()).collect(),
            text: own(joined(reading.meaning.text(), replaced)),
            brief: own(joined(self.brief_meaning(&reading), replaced.map(|_| &[][..]))),
            // The search of offers stays as it is.
            kept: if of_volumes.is_some() { Vec::new() } else { kept },
            gpus: gpus_per_offer(&reading),
            warning,
            aside: self.aside(&reading, text),
            conditions: said.map(|(parsed, _)| parsed.conditions),
        };
        reading
    }

    /// The GPU models seen in this pane's rows so far.
    fn models(&self) -> plain::Names {
        let seen = self.names.get("gpu_name").into_iter().flatten();
        seen.map(String::as_str).collect()
    }

    /// The conditions of plain words that can filter the loaded rows while they are typed, without those on
    /// computed columns; none if they cannot be parsed.
    fn preview(&self, reading: &Reading) -> Vec<Condition> {
        let conditions = self.meant_conditions(reading).into_iter();
        conditions.filter(|condition| !condition.field.is_computed()).collect()
    }

    /// Puts the meaning of the words at the cursor before the other candidates. If the text is ambiguous, its
    /// readings replace the candidates; if there are candidates, only where the cursor is in the ambiguous
    /// words.
    fn offer_meaning(&self, text: &str, completion: &mut Completion) {
        let cursor = self.bar.input.cursor_byte();
        let before = &text[..text.floor_char_boundary(cursor)];
        let reading = plain::read(before, self.query.catalog(), self.dialect(), &self.models());
        let phrase = reading.phrase_at(cursor);
        let mut readings = plain::read(text, self.query.catalog(), self.dialect(), &self.models()).readings;
        // Words that are understood are complete, and nothing is sent before a reading is chosen.
        let is_idle = phrase.is_some() || completion.candidates.is_empty();
        readings.retain(|reading| is_idle || reading.span.start < cursor && cursor <= reading.span.end);
        if let Some(first) = readings.first() {
            let span = first.span.clone();
            let candidates = readings.into_iter().map(|reading| Candidate {
                label: format!("{} → {}", &text[span.clone()], reading.replacement),
                insert: reading.replacement,
                doc: String::new(),
            });
            *completion = Completion {
                candidates: candidates.collect(),
                span: span.clone(),
                values_of: None,
            };
            return;
        }
        let Some(phrase) = phrase.filter(|phrase| !phrase.meaning.is_idle()) else {
            return;
        };
        let words = &before[phrase.span.clone()];
        // Settings have no conditions: their words stay.
        let insert = if phrase.meaning.settings == Settings::default() {
            &phrase.meaning.conditions
        } else {
            words
        };
        let mut candidates = vec![Candidate {
            insert: insert.to_owned(),
            label: format!("{words} → {}", phrase.meaning.text()),
            doc: String::new(),
        }];
        if completion.span == phrase.span && completion.values_of.is_none() {
            candidates.append(&mut completion.candidates);
        }
        *completion = Completion {
            span: phrase.span.clone(),
            candidates,
            values_of: None,
        };
    }

    /// Makes the typed query the running one, with its settings, job and term, from the default search if the
    /// bar resets; the caller sends it. `None` if it has a mistake, which is shown; the text then stays in
    /// the bar.
    pub(crate) fn run_typed(&mut self, local: &LocalTime) -> Option<Ran> {
        let text = self.bar.input.text().trim().to_owned();
        let reading = plain::read(&text, self.query.catalog(), self.dialect(), &self.models());
        match reading.renewed(&|text| parse_bar(self, text)) {
            Err(error) => {
                self.bar.error = Some(error);
                None
            }
            Ok((mut parsed, replaced)) => {
                let asks_why = take_why(&mut parsed.words);
                self.ask_anew(&reading, &mut parsed);
                let limit = take_limit(&reading.meaning.settings, &mut parsed.conditions);
                keep_last_id(&mut parsed);
                let kept = self.kept_phrases(&reading, &parsed);
                // A condition typed behind others is meant to add to them; a sentence may not be.
                let kept =
                    (!reading.is_empty() && !kept.is_empty()).then(|| format!("from before: {}", kept.join(", ")));
                let changes = describe_changes(&reading, &text, &replaced);
                let summary: Vec<_> = changes.into_iter().chain(kept).collect();
                // The preview moved the selection, which belongs to the rows without it.
                if !reading.is_empty() {
                    self.restore_words();
                }
                let mut before = self.query.clone();
                if self.bar.resets {
                    self.reset();
                }
                let settings = &reading.meaning.settings;
                self.take_job(settings, local);
                if let Some(term) = self.term_of(&reading) {
                    self.set_term(Some(term));
                }
                let must_ask = self.take_query(parsed.conditions, parsed.words, settings);
                // Whether another order needs a request depends on the limit, which `must_ask` has covered.
                before.order.clone_from(&self.query.order);
                self.bar.ran(&text);
                self.show_query_in_bar();
                Some(Ran {
                    must_ask: must_ask || self.asks_other_than(&before),
                    summary: (!summary.is_empty()).then(|| summary.join(" · ")),
                    cluster: settings.cluster,
                    rate: settings
                        .rate
                        .map(|(unit, rate)| (unit, named_models(&self.query.conditions), rate)),
                    question: settings.question.or(asks_why.then_some(Question::Missing)),
                    limit,
                    workers: settings.workers,
                })
            }
        }
    }

    /// Applies offer type, storage, order, job and row limit from the plain words of the command line; those
    /// not given stay, and so do conditions and filter words.
    pub fn take_settings(&mut self, settings: &Settings, local: &LocalTime) {
        let (conditions, words) = (self.query.conditions.clone(), self.ran_words().to_vec());
        self.take_job(settings, local);
        self.take_query(conditions, words, settings);
    }

    /// Sets the job that plain words describe, if they do; details not given are those of the current job.
    ///
    /// If there was no job and the order was the default, offers are then sorted by the lowest bill.
    fn take_job(&mut self, settings: &Settings, local: &LocalTime) {
        if !settings.job.is_job() {
            return;
        }
        let storage = settings.storage.or(self.query.storage);
        let job = settings.job.apply_to(self.computed.job, storage, local);
        let reorders = self.computed.job.is_none() && self.is_ranked_by_score();
        self.set_job(Some(job));
        if reorders && let Some(field) = self.query.catalog().column("job_cost") {
            let direction = Direction::Ascending;
            self.query.order = vec![OrderKey { field, direction }];
        }
    }

    /// The size and term that plain words give for pricing volumes, with the current ones for what they leave
    /// out; `None` if they give neither, or no time while there is none, or on another pane.
    pub(super) fn term_of(&self, reading: &Reading) -> Option<VolumeTerm> {
        let (gb, days) = reading.volume_size_and_days(self.dialect());
        if self.resource() != Resource::Volumes || gb.is_none() && days.is_none() {
            return None;
        }
        let current = self.computed.term;
        let days = days.or(current.map(|term| term.days))?;
        let gb = gb.unwrap_or(current.unwrap_or_default().gb);
        Some(VolumeTerm { gb, days })
    }

    /// The only filter word of the query last run, if it is a number of at least four digits: the id of an
    /// offer or machine, which need not exist. `None` otherwise and for workergroups.
    pub fn typed_id(&self) -> Option<u64> {
        match self.ran_words() {
            [word] if self.resource() != Resource::Workergroups => parse_id(word),
            _ => None,
        }
    }

    /// The id of the one offer or machine that the search is about: its only filter word, or the value of an
    /// `id=` condition; `None` without either.
    pub fn sought_id(&self) -> Option<u64> {
        let by_id = |condition: &Condition| match &condition.operand {
            Operand::One(value) if condition.field.key == "id" && condition.operator == Operator::Eq => {
                value.whole().and_then(|id| u64::try_from(id).ok())
            }
            _ => None,
        };
        self.typed_id().or_else(|| self.query.active().find_map(by_id))
    }

    /// Leaves the bar and restores the running query; Up recalls the typed text.
    pub(crate) fn cancel_typed(&mut self) {
        let running = self.query_text();
        self.bar.leave(&running);
        self.restore_words();
        self.show_query_in_bar();
    }

    /// The number of loaded rows with each candidate's value, in order; of a country group, those of its
    /// countries, and of `any`, all. Empty if the candidates are not values of a text or flag.
    fn candidate_counts(&self, completion: &Completion, counts: &Counts<'_>) -> Vec<usize> {
        let (Some(listing), Some(field)) = (self.listing(), completion.values_of) else {
            return Vec::new();
        };
        if !matches!(field.kind, Kind::Text | Kind::Country | Kind::Flag) {
            return Vec::new();
        }
        let count = |label: &str| counts.get(label).copied().unwrap_or(0);
        completion
            .candidates
            .iter()
            .map(|candidate| match country::group(&candidate.label) {
                Some(codes) if field.kind == Kind::Country => codes.iter().map(|code| count(code)).sum(),
                _ if candidate.label == language::ANY => listing.len(),
                _ => count(&candidate.label),
            })
            .collect()
    }
}

/// The result of running a typed query.
pub(crate) struct Ran {
    /// Whether the market must be queried.
    pub must_ask: bool,
    /// Conditions that words replaced, words that are not understood, and what a sentence keeps of the search before.
    pub summary: Option<String>,
    /// The cluster to plan, if the words ask for one.
    pub cluster: Option<Cluster>,
    /// The rate of a GPU that the words give, in units of work per second, and the GPU models that the query names.
    pub rate: Option<(WorkUnit, Vec<String>, f64)>,
    /// A question that a view answers; for the missing offer see [`Browser::sought_id`].
    pub question: Option<Question>,
    /// The limit of an alert, if the words ask for one and give its price.
    pub limit: Option<PriceLimit>,
    /// The most workers of a workergroup.
    pub workers: Option<u32>,
}

/// Removes the maximum price from the conditions of words that ask for an alert, and returns it; `None`, and nothing
/// removed, if they ask for none or give no price. A price without `per gpu` is that of a GPU unless the conditions want
/// several.
fn take_limit(settings: &Settings, conditions: &mut Vec<Condition>) -> Option<PriceLimit> {
    let is_limit = |own: &Condition| {
        matches!(own.field.key, "dph_total" | "dph_per_gpu") && matches!(own.operator, Operator::Lt | Operator::Lte)
    };
    let at = conditions.iter().position(is_limit)?;
    let Operand::One(Value::Number(dollars)) = conditions[at].operand else {
        return None;
    };
    if settings.question != Some(Question::Alert) {
        return None;
    }
    let is_several = conditions.iter().any(|own| own.field.key == "num_gpus");
    let is_per_gpu = conditions.remove(at).field.key == "dph_per_gpu" || !is_several;
    Some(PriceLimit { dollars, is_per_gpu })
}

/// The fewest digits of an id: shorter numbers are counts.
const LEAST_DIGITS: usize = 4;

/// The word as an id: at least four digits and nothing else; else `None`.
pub(crate) fn parse_id(word: &str) -> Option<u64> {
    let is_id = word.len() >= LEAST_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_id)
}

/// The id in a question why an offer is missing: `why`, `missing` or `hidden` and then an id; `None` if the
/// words are anything else.
fn questioned_id<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<u64> {
    let mut words = words.into_iter();
    let (question, number) = (words.next()?, words.next()?);
    let is_question = ["why", "missing", "hidden"].contains(&question.to_lowercase().as_str());
    parse_id(number).filter(|_| is_question && words.next().is_none())
}

/// Removes the first of the words if it is `why`, `missing` or `hidden` and exactly one id follows, and
/// returns true; false, and nothing removed, otherwise.
fn take_why(words: &mut Vec<String>) -> bool {
    let asks_why = questioned_id(words.iter().map(String::as_str)).is_some();
    if asks_why {
        words.remove(0);
    }
    asks_why
}

/// Removes all ids but the last from the words, and the conditions `id=` beside it, as two ids find no row; nothing if
/// no word is an id.
fn keep_last_id(parsed: &mut language::Parsed) {
    let Some(last) = parsed.words.iter().rposition(|word| parse_id(word).is_some()) else {
        return;
    };
    let mut at = 0..;
    parsed
        .words
        .retain(|word| at.next() == Some(last) || parse_id(word).is_none());
    let is_id = |condition: &Condition| condition.field.key == "id" && condition.operator == Operator::Eq;
    parsed.conditions.retain(|condition| !is_id(condition));
}

/// The exact number of GPUs in one offer that the words ask for; `None` for one, and for a cluster.
fn gpus_per_offer(reading: &Reading) -> Option<u32> {
    let mut conditions = reading.meaning.conditions.split(' ');
    let gpus = conditions.find_map(|condition| condition.strip_prefix("num_gpus=")?.parse().ok());
    gpus.filter(|gpus| *gpus > 1 && reading.meaning.settings.cluster.is_none())
}

/// A notice on how a text was read, such as `replaces gpu_name=RTX_4090`: a question why an offer is missing,
/// replaced conditions, and phrases that are not understood; `None` if there are none of these.
fn describe_changes(reading: &Reading, text: &str, replaced: &[Condition]) -> Option<String> {
    let (questions, refused): (Vec<_>, Vec<_>) = refused_phrases(reading, text)
        .into_iter()
        .partition(|words| questioned_id(words.split_whitespace()).is_some());
    let question = questions.first().map(|_| "shows the filters that hide it".to_owned());
    let replaced = (!replaced.is_empty()).then(|| format!("replaces {}", language::print_briefly(replaced)));
    let fate = if asks_of_market(reading) {
        "not understood"
    } else {
        "not understood, filters the rows"
    };
    let refused = (!refused.is_empty()).then(|| format!("{fate}: {}", refused.join(", ")));
    // The words beside an unknown one are understood without it.
    let unknown: Vec<_> = reading.unknown.iter().map(|word| &text[word.clone()]).collect();
    let refused = refused.map(|refused| match &unknown[..] {
        [] => refused,
        unknown => format!("{refused} (unknown: {})", unknown.join(", ")),
    });
    let reasons = reading.reasons.iter().map(ToString::to_string);
    let texts: Vec<_> = question
        .into_iter()
        .chain(replaced)
        .chain(refused)
        .chain(reasons)
        .collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}

/// The number of rows for each value of a field.
type Counts<'a> = HashMap<&'a str, usize>;

/// The number of rows with each text or boolean of a field; countries by code. Numbers and texts over 320
/// bytes are left out.
fn value_counts<'a>(listing: Option<&'a Listing>, field: &Field) -> Counts<'a> {
    /// Maximum length of a candidate, in bytes.
    ///
    /// Nobody chooses a value longer than a line, and counting hashes each of them.
    const LONGEST: usize = 320;
    let mut counts = Counts::new();
    let Some(listing) = listing else {
        return counts;
    };
    let column = listing.column(field);
    for row in 0..listing.len() {
        let value = match column.cell(row) {
            CellRef::Text(text) if field.kind == Kind::Country => country::code(text),
            CellRef::Text(text) => text,
            CellRef::Flag(true) => "true",
            CellRef::Flag(false) => "false",
            CellRef::Number(_) | CellRef::Missing | CellRef::Null | CellRef::Bad(_) => continue,
        };
        if value.len() <= LONGEST {
            *counts.entry(value).or_default() += 1;
        }
    }
    counts
}

/// The words without the last one, if that is still being typed and may become a field name or a place.
fn without_unfinished_word(mut words: Vec<String>, text: &str, browser: &Browser) -> Vec<String> {
    let may_become_a_name = |word: &str| {
        let word = word.to_lowercase();
        let catalog = browser.query.catalog();
        let is_location = catalog.resource != Resource::Workergroups && country::is_name_prefix(&word);
        is_location
            || catalog.fields().iter().chain(catalog.computed()).any(|field| {
                std::iter::once(&field.key)
                    .chain(field.aliases)
                    .any(|name| name.starts_with(&word))
            })
    };
    if words
        .last()
        .is_some_and(|word| text.ends_with(word.as_str()) && may_become_a_name(word))
    {
        words.pop();
    }
    words
}

/// Parses the bar's text into conditions and filter words.
///
/// Defaults at its start can be overridden by conditions typed after them: `verified=true … verified=false`
/// means unverified, not a contradiction.
fn parse_bar(browser: &Browser, text: &str) -> Result<language::Parsed, language::LanguageError> {
    let (catalog, dialect) = (browser.query.catalog(), browser.dialect());
    let defaults = language::default_conditions(catalog, dialect);
    let mut seed = Vec::new();
    let mut behind = 0;
    while let Some(condition) = defaults.iter().find(|condition| {
        let printed = language::print_condition_briefly(condition);
        let rest = text[behind..].trim_start();
        rest.strip_prefix(&printed)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }) {
        let blanks = text[behind..].len() - text[behind..].trim_start().len();
        behind += blanks + language::print_condition_briefly(condition).len();
        seed.push(condition.clone());
    }
    // Blanks instead of the defaults keep all later positions in the text.
    let rest = format!("{}{}", " ".repeat(behind), &text[behind..]);
    language::parse(&rest, catalog, dialect, &seed, language::Mode::Bar)
}
