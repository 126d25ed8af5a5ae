//! The further meanings of typed words: a command, volumes, the rate of a GPU model.

use super::bar::Aside;
use super::browser::Browser;
use super::query_input::parse_id;
use crate::domain::cost::VolumeTerm;
use crate::domain::language::{self, Parsed};
use crate::domain::plain::{self, Question, Reading};
use crate::domain::quantity::{Quantity, write};
use crate::domain::{Condition, Operator, Resource, Value};

impl Browser {
    /// The words of a text that may be meant for a command, if any.
    pub(super) fn aside(&self, reading: &Reading, text: &str) -> Option<Aside> {
        let unread = refused(reading, text).collect::<Vec<_>>().join(" ");
        if !unread.is_empty() {
            return Some(Aside::Unread(unread));
        }
        let is_exclusion = |own: &Condition| {
            matches!(own.field.key, "host_id" | "machine_id") && matches!(own.operator, Operator::Neq | Operator::Nin)
        };
        let excludes = self.meant_conditions(reading).iter().any(is_exclusion);
        excludes.then_some(Aside::Exclusion)
    }

    /// Leaves the search before out of a question that names a GPU model of its own: it is about all offers of that
    /// model. Why an offer is missing is asked of the search before. Words of a question filter no rows.
    pub(super) fn ask_anew(&self, reading: &Reading, parsed: &mut Parsed) {
        if !asks_of_market(reading) {
            return;
        }
        parsed.words.clear();
        let meant = self.meant_conditions(reading);
        if meant.iter().any(|own| own.field.key == "gpu_name") {
            let usual = language::default_conditions(self.query.catalog(), self.dialect());
            parsed
                .conditions
                .retain(|own| meant.contains(own) || usual.contains(own));
        }
    }

    /// The plain words of a query typed for offers that names a network volume; `None` for any other.
    pub(crate) fn volume_words(&self) -> Option<String> {
        let is_offers = self.resource() == Resource::Offers;
        plain::volume_words(self.bar.input.text()).filter(|_| is_offers)
    }

    /// The meaning of words that name a network volume, which are searched there; `None` for any other, and on other
    /// panes than Offers.
    pub(super) fn volume_meaning(&self) -> Option<String> {
        let words = self.volume_words()?;
        let volumes = Resource::Volumes.catalog();
        let reading = plain::read(&words, volumes, self.dialect(), &plain::Names::default());
        let (gb, days) = reading.volume_size_and_days(self.dialect());
        let term = gb.zip(days).map(|(gb, days)| describe_term(VolumeTerm { gb, days }));
        let parts = [reading.meaning.text()].into_iter().chain(term);
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        Some(format!("network volumes: {}", parts.join(" · ")))
    }
}

/// Whether words ask a question about the market, which a view answers, rather than why an offer is missing.
pub(super) const fn asks_of_market(reading: &Reading) -> bool {
    match reading.meaning.settings.question {
        Some(Question::Alert | Question::History | Question::Workergroup | Question::Plan) => true,
        Some(Question::Missing) | None => false,
    }
}

/// A rate without a GPU model, and the remedy.
pub(crate) const RATE_WITHOUT_MODEL: &str = "A rate is that of a GPU model: name one, or fill in Rate of the job";

/// The GPU models that conditions ask for; empty if they name none, or exclude some.
pub(super) fn named_models(conditions: &[Condition]) -> Vec<String> {
    let mut of_models = conditions
        .iter()
        .filter(|own| own.enabled && own.field.key == "gpu_name");
    let (Some(condition), None) = (of_models.next(), of_models.next()) else {
        return Vec::new();
    };
    let model = |value: &Value| match value {
        Value::Text(model) => Some(model.clone()),
        Value::Number(_) | Value::Flag(_) | Value::Version(_) | Value::Null => None,
    };
    match condition.operator {
        Operator::Eq | Operator::In => condition.operand.values().iter().filter_map(model).collect(),
        Operator::Neq | Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte | Operator::Nin => Vec::new(),
    }
}

/// The phrases that are not understood, without ids.
fn refused<'a>(reading: &Reading, text: &'a str) -> impl Iterator<Item = &'a str> {
    let refused = reading.refused.iter().map(|part| &text[part.span.clone()]);
    refused.filter(|words| !words.split_whitespace().all(|word| parse_id(word).is_some()))
}

/// The phrases of several words that are not understood, without ids and those with a reason of their own.
pub(super) fn refused_phrases<'a>(reading: &Reading, text: &'a str) -> Vec<&'a str> {
    let reasons: Vec<_> = reading
        .reasons
        .iter()
        .map(|reason| &text[reason.span.clone()])
        .collect();
    refused(reading, text)
        .filter(|words| words.contains(' ') && !reasons.contains(words))
        .collect()
}

/// A phrase for pricing volumes for a size and term: `bill 2TB for 3 months`.
pub(super) fn describe_term(term: VolumeTerm) -> String {
    let [size, time] =
        [(term.gb, Quantity::Gigabytes), (term.days, Quantity::Term)].map(|(value, quantity)| write(value, quantity));
    format!("bill {size} for {time}")
}
