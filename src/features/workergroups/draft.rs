//! The draft of a workergroup, shared by the form, the confirmation and the preflight. It outlives
//! all of them.

use crate::domain::language::{self, Mode, Suggestion};
use crate::domain::workergroup::{Draft, Key, NewWorkergroup, Objection};
use crate::domain::{Condition, Dialect, OFFERS, plain};

/// The identity of a draft, so that results for one are not shown for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DraftNumber(u32);

/// The draft, the request built from it, and the draft that it replaced.
#[derive(Debug)]
pub struct GroupDraft {
    dialect: &'static Dialect,
    number: DraftNumber,
    draft: Draft,
    built: Result<NewWorkergroup, Vec<Objection>>,
    advice: Vec<Objection>,
    fix: Option<Suggestion>,
    /// The conditions that the search means, if it is in plain words and understood in full.
    meant: Option<Vec<Condition>>,
    replaced: Option<Draft>,
}

impl GroupDraft {
    /// A blank draft for the `dialect` of a market; it has replaced none.
    pub fn new(dialect: &'static Dialect) -> Self {
        let draft = Draft::default();
        Self {
            dialect,
            number: DraftNumber::default(),
            built: draft.build(dialect),
            advice: Vec::new(),
            draft,
            fix: None,
            meant: None,
            replaced: None,
        }
    }

    pub const fn draft(&self) -> &Draft {
        &self.draft
    }

    /// The number of the draft, which editing does not change and replacing it does.
    pub const fn number(&self) -> DraftNumber {
        self.number
    }

    /// The request that the draft makes, or its validation errors.
    pub const fn built(&self) -> Result<&NewWorkergroup, &Vec<Objection>> {
        self.built.as_ref()
    }

    /// All validation errors, in the order of the parameters; empty for a valid draft.
    pub fn objections(&self) -> &[Objection] {
        self.built.as_ref().err().map_or(&[], Vec::as_slice)
    }

    /// Warnings about the draft, without those on parameters that have an error.
    pub fn advice(&self) -> &[Objection] {
        &self.advice
    }

    /// Whether a replaced draft can be restored.
    pub const fn has_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    /// The text that would replace the mistake in the draft's search; `None` without a mistake or suggestion.
    pub fn fix(&self) -> Option<&str> {
        self.fix.as_ref().map(|fix| fix.replacement.as_str())
    }

    /// Applies the suggested fix to the search; nothing without one.
    pub fn apply_fix(&mut self) {
        if let Some(fix) = self.fix.take() {
            let text = fix.apply(self.draft.text(Key::SearchParams));
            self.put(Key::SearchParams, &text);
        }
    }

    /// Replaces a search in plain words by the conditions that they mean; false if it is none, or not understood in
    /// full.
    pub fn take_words(&mut self) -> bool {
        let Some(conditions) = &self.meant else {
            return false;
        };
        self.put(Key::SearchParams, &language::print(conditions));
        true
    }

    /// Changes the text of a parameter; an empty one unsets it.
    pub fn put(&mut self, key: Key, text: &str) {
        if self.draft.text(key) != text {
            self.draft.put(key, text);
            self.changed();
        }
    }

    /// Sets whether documented defaults are sent for parameters that are not set.
    pub fn send_defaults(&mut self, is_on: bool) {
        self.draft.send_defaults = is_on;
        self.changed();
    }

    /// Replaces the draft under a new number. The old one can be restored; if it was blank or the same, an
    /// earlier one stays the one to restore.
    pub fn load(&mut self, draft: Draft) {
        self.number = DraftNumber(self.number.0.wrapping_add(1));
        let old = std::mem::replace(&mut self.draft, draft);
        if !old.is_blank() && old != self.draft {
            self.replaced = Some(old);
        }
        self.changed();
    }

    /// Swaps the draft with the one it replaced, under a new number; nothing if there is none. A blank draft
    /// cannot be swapped back.
    pub fn swap(&mut self) {
        if let Some(draft) = self.replaced.take() {
            self.load(draft);
        }
    }

    /// Starts an empty draft after the group was created; the old one cannot be restored.
    pub fn clear(&mut self) {
        self.load(Draft::default());
        self.replaced = None;
    }

    /// Rebuilds the request, with its errors, advice and suggested fix.
    fn changed(&mut self) {
        self.built = self.draft.build(self.dialect);
        let objections = self.built.as_ref().err();
        let is_wrong = |parameter: &str| {
            objections.is_some_and(|all| all.iter().any(|objection| objection.parameter == parameter))
        };
        self.advice = self.draft.advice(self.dialect);
        // A warning about a parameter with an error would only distract.
        self.advice.retain(|advice| !is_wrong(advice.parameter));
        let error = self.draft.conditions(self.dialect).err();
        self.meant = error.as_ref().and_then(|_| self.meant_conditions());
        let whole = 0..self.draft.text(Key::SearchParams).len();
        let meant = self.meant.as_ref().map(|conditions| Suggestion {
            span: whole,
            replacement: language::print(conditions),
        });
        self.fix = meant.or(error.and_then(|error| error.suggestion));
    }

    /// The meaning of the draft's search, if that is in plain words, in few words; `None` if it is not understood in full.
    pub fn meaning(&self) -> Option<String> {
        self.meant.as_deref().map(language::print_briefly)
    }

    /// The conditions that the draft's search means in plain words, `4090 eu`, and those of the default search on other
    /// fields; `None` if it means none, or is not understood in full.
    ///
    /// Nobody translates the words on the way to the market: the conditions are shown before they are sent.
    fn meant_conditions(&self) -> Option<Vec<Condition>> {
        let text = self.draft.text(Key::SearchParams);
        let reading = plain::read(text, &OFFERS, self.dialect, &plain::Names::default());
        let parsed = reading.parse(&OFFERS, self.dialect, &[], Mode::Strict).ok()?;
        let mut conditions = parsed.conditions;
        if conditions.is_empty() {
            return None;
        }
        let mut usual = language::default_conditions(&OFFERS, self.dialect);
        usual.retain(|usual| conditions.iter().all(|own| own.field != usual.field));
        conditions.extend(usual);
        Some(conditions)
    }
}
