//! The form of a new workergroup.

use serde_json::Value as Json;

use super::parameters::{Key, PARAMETERS, Parameter, ParameterKind};
use super::search::group_search;
use super::{NewWorkergroup, Objection};
use crate::catalog::OFFERS;
use crate::dialect::Dialect;
use crate::field::Operator;
use crate::json_split;
use crate::language::{self, LanguageError, Mode};
use crate::listing::Listing;
use crate::query::{Condition, DEFAULT_STORAGE_GB, Operand, Query};
use crate::value::Value;

/// The number of workers from which a warning asks to double-check.
const MANY_WORKERS: u32 = 100;

/// The texts of a form, one per parameter. A parameter is set, and sent, if its text is not empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    texts: [String; PARAMETERS.len()],
    /// Whether parameters that are not set are sent with their documented defaults.
    pub send_defaults: bool,
    /// The parts of the original search that a workergroup cannot have, in a sentence; `None` if there are none.
    omitted: Option<String>,
}

impl Draft {
    /// The text of a parameter as typed; empty if it is not set.
    pub fn text(&self, key: Key) -> &str {
        &self.texts[key as usize]
    }

    /// Replaces the text of a parameter, which is not checked; an empty one unsets it.
    pub fn put(&mut self, key: Key, text: impl Into<String>) {
        self.texts[key as usize] = text.into();
    }

    /// Whether the text of a parameter is not empty; blanks count as text.
    pub fn is_set(&self, key: Key) -> bool {
        !self.text(key).is_empty()
    }

    /// Whether no parameter of the form has a text.
    pub fn is_blank(&self) -> bool {
        self.texts.iter().all(String::is_empty)
    }

    /// A draft with all parameters in the record of a listed group that are texts or numbers, and with its
    /// search in any form, as far as the query language can express it.
    ///
    /// Name and id of the same thing exclude each other: the endpoint's name and the template's hash are
    /// used.
    pub fn from_record(listing: &Listing, row: usize) -> Self {
        let mut draft = Self::default();
        let json = listing.json(row).unwrap_or_default();
        let record = json_split::object(json).unwrap_or_default();
        for parameter in &PARAMETERS {
            let text = match record.get(parameter.name) {
                Some(Json::String(text)) => text.clone(),
                Some(Json::Number(number)) => number
                    .as_f64()
                    .filter(|_| number.is_f64())
                    .map_or_else(|| number.to_string(), |number| number.to_string()),
                _ => continue,
            };
            draft.put(parameter.key, text);
        }
        if let Some(search) = group_search(listing, row) {
            draft.put(Key::SearchParams, search.text.unescaped());
        }
        for (first, second) in [
            (Key::EndpointName, Key::EndpointId),
            (Key::TemplateHash, Key::TemplateId),
        ] {
            if draft.is_set(first) {
                draft.put(second, "");
            }
        }
        draft
    }

    /// A draft whose search is the active ones of these conditions, printed; unset without any. Every other
    /// parameter is unset.
    pub fn from_conditions(conditions: &[Condition]) -> Self {
        let mut draft = Self::default();
        draft.put(Key::SearchParams, language::print(conditions));
        draft
    }

    /// A draft with the parts of an offer query that a workergroup supports: the active conditions, except on
    /// computed columns, and a storage other than the default 8 GB as the launch argument `--disk`, with a
    /// condition on the disk if the query has none and `dialect` sends it. The rest is named in a warning.
    ///
    /// `words` filter the loaded rows, so they are omitted.
    pub fn from_query(query: &Query, words: &[String], dialect: &'static Dialect) -> Self {
        // Computed columns are bourse's own.
        let (computed, mut conditions): (Vec<_>, Vec<_>) = query
            .active()
            .cloned()
            .partition(|condition| condition.field.is_computed());
        let disk = query
            .storage
            .filter(|gb| (gb - DEFAULT_STORAGE_GB).abs() > f64::EPSILON);
        if let Some(gb) = disk
            && let Some(field) = OFFERS.by_key("disk_space")
            && dialect.sends(field)
            && !conditions.iter().any(|condition| condition.field == field)
        {
            let room = Operand::One(Value::Number(gb));
            conditions.push(Condition::new(field, Operator::Gte, room));
        }
        let mut draft = Self::from_conditions(&conditions);
        if let Some(gb) = disk {
            draft.put(Key::LaunchArgs, format!("--disk {gb}"));
        }
        let mut omitted = Vec::new();
        if !computed.is_empty() {
            let text = language::print_briefly(&computed);
            omitted.push(format!("Omitted, because the market can't filter on it: {text}"));
        }
        let usual = language::default_query(query.resource, dialect);
        let mut without = Vec::new();
        if query.offer_type != usual.offer_type {
            without.push(format!("{} prices", query.offer_type.wire()));
        }
        if query.order != usual.order {
            let columns: Vec<_> = query.order.iter().map(|key| key.field.label).collect();
            without.push(format!("sort {}", columns.join(", ")));
        }
        if let Some(limit) = query.limit.filter(|_| query.limit != usual.limit) {
            without.push(format!("limit {limit}"));
        }
        if !words.is_empty() {
            without.push(format!("words {}", words.join(" ")));
        }
        if !without.is_empty() {
            omitted.push(format!("Not part of a workergroup: {}", without.join(", ")));
        }
        draft.omitted = (!omitted.is_empty()).then(|| omitted.join("; "));
        draft
    }

    /// The conditions of the typed search, else of the documented default search if its text is empty; an
    /// error if the text cannot be parsed.
    pub fn conditions(&self, dialect: &'static Dialect) -> Result<Vec<Condition>, LanguageError> {
        let text = if self.is_set(Key::SearchParams) {
            self.text(Key::SearchParams)
        } else {
            OFFERS.defaults
        };
        read_search(text, dialect)
    }

    /// The request to send, or all validation errors, in the order of the parameters.
    pub fn build(&self, dialect: &'static Dialect) -> Result<NewWorkergroup, Vec<Objection>> {
        let mut objections = Vec::new();
        let new = {
            let mut form = Form {
                draft: self,
                objections: &mut objections,
            };
            NewWorkergroup {
                endpoint_name: form.line(Key::EndpointName),
                endpoint_id: form.id(Key::EndpointId),
                template_hash: form.line(Key::TemplateHash),
                template_id: form.id(Key::TemplateId),
                search_params: form.search(dialect),
                launch_args: form.line(Key::LaunchArgs),
                min_load: form.number(Key::MinLoad),
                target_util: form.number(Key::TargetUtil),
                cold_mult: form.number(Key::ColdMult),
                cold_workers: form.whole(Key::ColdWorkers),
                max_workers: form.whole(Key::MaxWorkers),
                test_workers: form.whole(Key::TestWorkers),
                gpu_ram: form.whole(Key::GpuRam),
            }
        };
        for objection in new.check() {
            let is_known = |known: &Objection| known.parameter == objection.parameter;
            // An endpoint with a validation error is not missing.
            let is_named = objection.parameter == Key::EndpointName.wire()
                && self.is_set(Key::EndpointId)
                && objections.iter().any(|known| known.parameter == Key::EndpointId.wire());
            if !is_named && !objections.iter().any(is_known) {
                let span = Key::named(objection.parameter).map(|key| 0..self.text(key).len());
                objections.push(Objection { span, ..objection });
            }
        }
        if objections.is_empty() {
            return Ok(new);
        }
        objections.sort_by_key(|objection| Key::named(objection.parameter));
        Err(objections)
    }

    /// Warnings about the search: the parts that a workergroup cannot have, a missing `verified` or
    /// `rentable`, and fields that `dialect` does not send.
    fn search_advice(&self, conditions: &[Condition], dialect: &Dialect) -> Vec<Objection> {
        let lacks = |key: &&str| !conditions.iter().any(|condition| condition.field.key == *key);
        let missing = ["verified", "rentable"].into_iter().filter(lacks);
        let unsent = conditions.iter().filter(|condition| !dialect.sends(condition.field));
        let messages = (self.omitted.iter().cloned())
            .chain(missing.map(|key| format!("the search lacks {key}=true")))
            .chain(unsent.map(|condition| format!("the market may ignore {}", condition.field.key)));
        messages
            .map(|message| Objection::new(Key::SearchParams.wire(), message))
            .collect()
    }

    /// Warnings before sending, each at its parameter, such as a missing `verified` or many workers; none of
    /// them prevents it.
    pub fn advice(&self, dialect: &'static Dialect) -> Vec<Objection> {
        let has_template = self.is_set(Key::TemplateHash) || self.is_set(Key::TemplateId);
        let conditions = self.conditions(dialect).unwrap_or_default();
        let mut advice = if self.is_set(Key::SearchParams) {
            self.search_advice(&conditions, dialect)
        } else {
            Vec::new()
        };
        let mut tell = |key: Key, message: String| advice.push(Objection::new(key.wire(), message));
        if !self.is_set(Key::SearchParams) && !has_template {
            tell(
                Key::SearchParams,
                "without a template or a search, any verified machine may be rented".to_owned(),
            );
        }
        let says_memory = conditions
            .iter()
            .any(|condition| matches!(condition.field.key, "gpu_ram" | "gpu_total_ram"));
        if self.is_set(Key::GpuRam) && !has_template && !says_memory {
            let size = self.text(Key::GpuRam).trim();
            tell(
                Key::GpuRam,
                format!("to filter on memory, add gpu_ram>={size} to the search"),
            );
        }
        let workers = self.text(Key::MaxWorkers).trim().parse::<u32>();
        if let Ok(workers) = workers
            && workers > MANY_WORKERS
        {
            tell(
                Key::MaxWorkers,
                format!("up to {workers} machines may be rented at once"),
            );
        }
        for parameter in &PARAMETERS {
            if let Some(reason) = parameter.inert
                && self.is_set(parameter.key)
            {
                tell(parameter.key, reason.to_owned());
            }
        }
        advice
    }
}

/// Parses a search for offers in the query language, in which bare words and computed columns are errors; no
/// default conditions are added.
fn read_search(text: &str, dialect: &'static Dialect) -> Result<Vec<Condition>, LanguageError> {
    language::parse(text, &OFFERS, dialect, &[], Mode::Market).map(|parsed| parsed.conditions)
}

struct Form<'a> {
    draft: &'a Draft,
    objections: &'a mut Vec<Objection>,
}

impl<'a> Form<'a> {
    /// The text of a parameter: as typed, else its default if defaults are sent; `None` if neither, or for
    /// the search if a template is set, which has its own.
    fn wanted(&self, key: Key) -> Option<&'a str> {
        let draft: &'a Draft = self.draft;
        if draft.is_set(key) {
            return Some(draft.text(key));
        }
        let has_template = draft.is_set(Key::TemplateHash) || draft.is_set(Key::TemplateId);
        // The default search would override the template's.
        let is_wanted = draft.send_defaults && !(key == Key::SearchParams && has_template);
        key.parameter().default.filter(|_| is_wanted)
    }

    /// Adds an error for a parameter that marks its whole text.
    fn object(&mut self, key: Key, message: String) {
        let span = 0..self.draft.text(key).len();
        self.objections.push(Objection::new(key.wire(), message).at(span));
    }

    /// The trimmed text of a parameter; `None` if it is not set. A blank text or control characters add an
    /// error, but the text is returned.
    fn line(&mut self, key: Key) -> Option<String> {
        let text = self.wanted(key)?;
        if text.trim().is_empty() {
            self.object(key, "is blank: enter a value or clear it".to_owned());
        } else if text.chars().any(char::is_control) {
            self.object(key, "must be one line without control characters".to_owned());
        }
        Some(text.trim().to_owned())
    }

    /// The number of a parameter, a ratio also from a percentage (`90%` is 0.9); `None` if it is not set, or
    /// malformed, which adds an error.
    fn number(&mut self, key: Key) -> Option<f64> {
        let text = self.wanted(key)?.trim();
        let Parameter { kind, .. } = key.parameter();
        let (digits, factor) = match text.strip_suffix('%') {
            Some(digits) if *kind == ParameterKind::Ratio => (digits.trim_end(), 100.0),
            _ => (text, 1.0),
        };
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => Some(number / factor),
            _ => {
                self.object(key, "must be a number".to_owned());
                None
            }
        }
    }

    /// The whole number of a parameter, at most a million; `None` if it is not set, or malformed, which adds
    /// an error.
    fn whole(&mut self, key: Key) -> Option<u32> {
        let text = self.wanted(key)?.trim();
        let number = text.parse().ok().filter(|number| *number <= 1_000_000);
        if number.is_none() {
            let least = u8::from(key == Key::MaxWorkers);
            self.object(key, format!("must be a whole number from {least} to 1000000"));
        }
        number
    }

    /// The id of a parameter, above 0; `None` if it is not set, or malformed, which adds an error.
    fn id(&mut self, key: Key) -> Option<i64> {
        let text = self.wanted(key)?.trim();
        let number = text.parse().ok().filter(|number| *number > 0);
        if number.is_none() {
            self.object(key, "must be a whole number above 0".to_owned());
        }
        number
    }

    /// The search in the market's language; `None` if it is not set, or if it has a mistake or no condition,
    /// which adds an error.
    ///
    /// If it differs from the printed form only in blanks and `True` or `False`, it is sent as typed;
    /// anything that only bourse understands (units, ranges, other spellings) is sent as printed.
    fn search(&mut self, dialect: &'static Dialect) -> Option<String> {
        let text = self.wanted(Key::SearchParams)?;
        match read_search(text, dialect) {
            Ok(conditions) if conditions.is_empty() => {
                self.object(Key::SearchParams, "has no conditions: any machine matches".to_owned());
                None
            }
            Ok(conditions) => {
                let printed = language::print(&conditions);
                let typed = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let plain = typed.replace("=True", "=true").replace("=False", "=false");
                Some(if plain == printed { typed } else { printed })
            }
            Err(error) => {
                self.objections
                    .push(Objection::new(Key::SearchParams.wire(), error.message).at(error.span));
                None
            }
        }
    }
}
