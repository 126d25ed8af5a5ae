//! The workergroup that is being filled in. It is shared: the form edits it, the confirmation sends
//! it, preflight and planner work on it, and it outlives all of them.

use crate::domain::Dialect;
use crate::domain::language::Suggestion;
use crate::domain::workergroup::{Draft, Key, NewWorkergroup, Objection};

/// Tells one draft from the next: what was worked out for one is not shown for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DraftNumber(u32);

/// The draft, what would be sent for it, and the draft that it replaced.
#[derive(Debug)]
pub struct GroupDraft {
    dialect: &'static Dialect,
    number: DraftNumber,
    draft: Draft,
    built: Result<NewWorkergroup, Vec<Objection>>,
    advice: Vec<Objection>,
    fix: Option<Suggestion>,
    replaced: Option<Draft>,
}

impl GroupDraft {
    pub fn new(dialect: &'static Dialect) -> Self {
        let draft = Draft::default();
        Self {
            dialect,
            number: DraftNumber::default(),
            built: draft.build(dialect),
            advice: Vec::new(),
            draft,
            fix: None,
            replaced: None,
        }
    }

    pub const fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Which draft it is; editing it keeps the number.
    pub const fn number(&self) -> DraftNumber {
        self.number
    }

    /// What would be sent, or what is wrong.
    pub const fn built(&self) -> Result<&NewWorkergroup, &Vec<Objection>> {
        self.built.as_ref()
    }

    /// Everything wrong with it, in the order of the parameters.
    pub fn objections(&self) -> &[Objection] {
        self.built.as_ref().err().map_or(&[], Vec::as_slice)
    }

    /// What should be known before sending.
    pub fn advice(&self) -> &[Objection] {
        &self.advice
    }

    /// Whether a draft can be brought back.
    pub const fn has_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    /// What would fix the mistake in the search.
    pub fn fix(&self) -> Option<&str> {
        self.fix.as_ref().map(|fix| fix.replacement.as_str())
    }

    /// Fixes the mistake in the search as suggested.
    pub fn apply_fix(&mut self) {
        if let Some(fix) = self.fix.take() {
            let text = fix.apply(self.draft.text(Key::SearchParams));
            self.put(Key::SearchParams, &text);
        }
    }

    /// Changes a parameter; an empty text leaves it out.
    pub fn put(&mut self, key: Key, text: &str) {
        if self.draft.text(key) != text {
            self.draft.put(key, text);
            self.changed();
        }
    }

    /// Whether documented defaults are sent for parameters that are not set.
    pub fn send_defaults(&mut self, is_on: bool) {
        self.draft.send_defaults = is_on;
        self.changed();
    }

    /// Starts from another draft; the one that was there can be brought back.
    pub fn load(&mut self, draft: Draft) {
        self.number = DraftNumber(self.number.0.wrapping_add(1));
        let old = std::mem::replace(&mut self.draft, draft);
        if !old.is_blank() && old != self.draft {
            self.replaced = Some(old);
        }
        self.changed();
    }

    /// Brings back the draft that another one replaced.
    pub fn swap(&mut self) {
        if let Some(draft) = self.replaced.take() {
            self.load(draft);
        }
    }

    /// Starts over after the group was created.
    pub fn clear(&mut self) {
        self.load(Draft::default());
        self.replaced = None;
    }

    fn changed(&mut self) {
        self.built = self.draft.build(self.dialect);
        let objections = self.built.as_ref().err();
        let is_wrong = |parameter: &str| {
            objections.is_some_and(|all| all.iter().any(|one| one.parameter == parameter))
        };
        self.advice = self.draft.advice(self.dialect);
        // Advice on what cannot be read would be about something else.
        self.advice.retain(|advice| !is_wrong(advice.parameter));
        self.fix = self
            .draft
            .conditions(self.dialect)
            .err()
            .and_then(|error| error.suggestion);
    }
}
