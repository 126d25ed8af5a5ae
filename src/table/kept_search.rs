//! What a typed search keeps of the running one.

use super::browser::Browser;
use crate::domain::language::Parsed;
use crate::domain::plain::Reading;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::text::visible;
use crate::domain::{Condition, OfferType, format, language};

impl Browser {
    /// The conditions of the plain words in a text; none if they cannot be parsed.
    pub(super) fn meant_conditions(&self, reading: &Reading) -> Vec<Condition> {
        let (text, mode) = (&reading.meaning.conditions, language::Mode::Bar);
        let parsed = language::parse(text, self.query.catalog(), self.dialect(), &[], mode);
        parsed.map(|parsed| parsed.conditions).unwrap_or_default()
    }

    /// The meaning of plain words as phrases for the screen, without notes: `RTX 4090 · job 3d`.
    pub(super) fn brief_meaning(&self, reading: &Reading) -> String {
        let conditions = self.meant_conditions(reading);
        let mut settings = reading.meaning.settings.clone();
        // The words for a disk set its condition, too.
        settings.storage = settings.storage.filter(|_| !names_disk(&conditions));
        let phrases = conditions
            .iter()
            .map(|own| language::describe_condition(own, self.dialect()));
        phrases.chain(settings.texts()).collect::<Vec<_>>().join(" · ")
    }

    /// Phrases for what the typed text keeps of the running search besides the default search: filter words,
    /// the conditions of the text that are running already, job, price type, term and disk. Empty after a
    /// reset.
    pub(super) fn kept_phrases(&self, reading: &Reading, parsed: &Parsed) -> Vec<String> {
        if self.bar.resets {
            return Vec::new();
        }
        let defaults = language::default_conditions(self.query.catalog(), self.dialect());
        let meant = self.meant_conditions(reading);
        let is_kept = |own: &&Condition| self.query.active().any(|running| running == *own) && !defaults.contains(own);
        let kept = || {
            parsed
                .conditions
                .iter()
                .filter(is_kept)
                .filter(|own| !meant.contains(own))
        };
        let words = self.ran_words().iter().filter(|word| parsed.words.contains(word));
        let words = words.map(|word| format!("“{}”", visible(word, usize::MAX)));
        let phrases = kept().map(|own| language::describe_condition(own, self.dialect()));
        let settings = &reading.meaning.settings;
        let job = self.computed.job.filter(|_| !settings.job.is_job());
        let model = self.query.offer_type;
        let is_other_model = model != OfferType::default() && settings.offer_type.is_none();
        let term = self.computed.term.filter(|_| self.term_of(reading).is_none());
        let storage = self.query.storage.filter(|gb| {
            let is_default = (gb - DEFAULT_STORAGE_GB).abs() <= f64::EPSILON;
            !is_default && !names_disk(&parsed.conditions) && settings.storage.is_none() && self.computed.job.is_none()
        });
        words
            .chain(phrases)
            .chain(job.map(|job| job.length()))
            .chain(is_other_model.then(|| model.wire().to_owned()))
            .chain(term.map(|term| format!("term {} d", format::trimmed(term.days, 2))))
            .chain(storage.map(|gb| format!("{} disk", format::gigabytes(gb))))
            .collect()
    }
}

/// Whether one of the conditions is on the disk.
fn names_disk(conditions: &[Condition]) -> bool {
    conditions.iter().any(|own| own.field.key == "disk_space")
}
