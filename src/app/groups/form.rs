//! The form in which a workergroup is filled in. It belongs to the pane and not to the overlay that
//! shows it: leaving it, a smaller window or another pane lose nothing that was typed.

use crate::domain::Dialect;
use crate::domain::language::Suggestion;
use crate::domain::workergroup::{Draft, Key, NewWorkergroup, Objection};
use crate::widgets::text_input::TextInput;

/// What the keyboard is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// The text of a parameter.
    Field(Key),
    /// The switch that sends the documented defaults too.
    SendDefaults,
    /// The button that looks at what the search finds.
    Preflight,
    /// The button that leads to the confirmation.
    Create,
}

impl Focus {
    /// All places, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        const BUTTONS: [Focus; 3] = [Focus::SendDefaults, Focus::Preflight, Focus::Create];
        (0..Key::ALL.len() + BUTTONS.len()).map(|place| match Key::ALL.get(place) {
            Some(key) => Self::Field(*key),
            None => BUTTONS[place - Key::ALL.len()],
        })
    }

    /// Its place among [`Focus::all`].
    pub fn place(self) -> usize {
        Self::all().position(|focus| focus == self).unwrap_or(0)
    }
}

/// Tells one draft from the next: what was worked out for one is not shown for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DraftNumber(u32);

/// The form.
#[derive(Debug)]
pub struct Form {
    dialect: &'static Dialect,
    number: DraftNumber,
    inputs: [TextInput; Key::ALL.len()],
    focus: Focus,
    draft: Draft,
    built: Result<NewWorkergroup, Vec<Objection>>,
    advice: Vec<Objection>,
    mend: Option<Suggestion>,
    /// Whether creating was tried: from then on every objection is shown.
    tried: bool,
    /// The draft that another one took the place of.
    replaced: Option<Draft>,
    /// Whether the form comes back with its pane.
    pub resumes: bool,
}

impl Form {
    /// A form with nothing in it.
    pub fn new(dialect: &'static Dialect) -> Self {
        let draft = Draft::default();
        Self {
            dialect,
            number: DraftNumber::default(),
            inputs: std::array::from_fn(|_| TextInput::default()),
            focus: Focus::Field(Key::EndpointName),
            built: draft.build(dialect),
            advice: Vec::new(),
            draft,
            mend: None,
            tried: false,
            replaced: None,
            resumes: false,
        }
    }

    /// What was filled in.
    pub const fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Which draft it is; editing it keeps the number.
    pub const fn number(&self) -> DraftNumber {
        self.number
    }

    /// What would be sent, or what stands against it.
    pub const fn built(&self) -> Result<&NewWorkergroup, &Vec<Objection>> {
        self.built.as_ref()
    }

    /// What should be known before sending.
    pub fn advice(&self) -> &[Objection] {
        &self.advice
    }

    /// The line of a parameter.
    pub const fn input(&self, key: Key) -> &TextInput {
        &self.inputs[key as usize]
    }

    /// What the keyboard is at.
    pub const fn focus(&self) -> Focus {
        self.focus
    }

    /// Whether a draft can be brought back.
    pub const fn has_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    /// The objections that are shown: to what was typed, and after a try to what is missing.
    pub fn objections(&self) -> impl Iterator<Item = &Objection> {
        let all = self.built.as_ref().err().into_iter().flatten();
        all.filter(|objection| {
            self.tried || Key::named(objection.parameter).is_none_or(|key| self.draft.is_set(key))
        })
    }

    /// The first objection to a parameter that is shown.
    pub fn objection(&self, key: Key) -> Option<&Objection> {
        self.objections()
            .find(|objection| objection.parameter == key.wire())
    }

    /// What would mend the mistake in the search.
    pub fn mend(&self) -> Option<&str> {
        self.mend.as_ref().map(|mend| mend.replacement.as_str())
    }

    /// Mends the mistake in the search as suggested.
    pub fn take_mend(&mut self) {
        if let Some(mend) = self.mend.take() {
            let key = Key::SearchParams;
            let text = mend.apply(self.draft.text(key));
            self.inputs[key as usize].set(text.clone());
            self.draft.put(key, text);
            self.changed();
        }
    }

    /// Moves to another place.
    pub fn step(&mut self, by: isize) {
        let last = Focus::all().len() - 1;
        let place = self.focus.place().saturating_add_signed(by).min(last);
        self.focus = Focus::all().nth(place).unwrap_or(self.focus);
    }

    /// Moves to a place.
    pub const fn go_to(&mut self, focus: Focus) {
        self.focus = focus;
    }

    /// Edits the line that the keyboard is at; a blank turns the switch.
    pub fn edit(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        match self.focus {
            Focus::Field(key) => {
                let input = &mut self.inputs[key as usize];
                if edit(input) {
                    self.draft.put(key, self.inputs[key as usize].text());
                    self.changed();
                }
            }
            Focus::SendDefaults => {
                let mut probe = TextInput::default();
                if edit(&mut probe) && probe.text() == " " {
                    self.flip_defaults();
                }
            }
            Focus::Preflight | Focus::Create => {}
        }
    }

    /// Turns the switch that sends the documented defaults.
    pub fn flip_defaults(&mut self) {
        self.draft.send_defaults = !self.draft.send_defaults;
        self.changed();
    }

    /// Puts a draft into the form; the one that was there can be brought back.
    pub fn load(&mut self, draft: Draft) {
        self.number = DraftNumber(self.number.0.wrapping_add(1));
        let old = std::mem::replace(&mut self.draft, draft);
        if !old.is_blank() && old != self.draft {
            self.replaced = Some(old);
        }
        for key in Key::ALL {
            self.inputs[key as usize].set(self.draft.text(key));
        }
        self.focus = Focus::Field(Key::EndpointName);
        self.tried = false;
        self.changed();
    }

    /// Brings the draft back that another one took the place of.
    pub fn swap(&mut self) {
        if let Some(draft) = self.replaced.take() {
            self.load(draft);
        }
    }

    /// Empties the form after its group was created.
    pub fn done(&mut self) {
        self.load(Draft::default());
        self.replaced = None;
    }

    /// Notes that creating was tried; goes to the first thing that stands against it, if any does.
    pub fn attempt(&mut self) -> Option<&NewWorkergroup> {
        self.tried = true;
        let first = self.built.as_ref().err().and_then(|list| list.first());
        if let Some(key) = first.and_then(|objection| Key::named(objection.parameter)) {
            self.focus = Focus::Field(key);
        }
        self.built.as_ref().ok()
    }

    fn changed(&mut self) {
        self.built = self.draft.build(self.dialect);
        let objections = self.built.as_ref().err();
        let objected = |parameter: &str| {
            objections.is_some_and(|all| all.iter().any(|one| one.parameter == parameter))
        };
        self.advice = self.draft.advice(self.dialect);
        // What cannot be read is mended first.
        self.advice.retain(|advice| !objected(advice.parameter));
        self.mend = self
            .draft
            .conditions(self.dialect)
            .err()
            .and_then(|error| error.suggestion);
    }
}
