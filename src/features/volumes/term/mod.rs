//! The form for the size and term that volumes are priced for, with the bill beside it.

mod draw;

use ratatui::layout::Rect;

use crate::core::view::{Availability, Cx, Outcome, Scene};
use crate::core::views::form_view::{FormView, has_form};
use crate::core::{Pane, State};
use crate::domain::cost::{Input, VolumeTerm};
use crate::domain::quantity::{Quantity, QuantityError};
use crate::domain::{Dialect, Resource, plain, quantity};
use crate::keys::Action;
use crate::tui::form::{Field, Form};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TermField {
    Size,
    Span,
    Apply,
    Clear,
}

/// The size and term of a volume in one sentence, `2 TB for 3 months`, which either field takes; `None`
/// unless it has both, in range, and nothing else.
fn sentence(text: &str, dialect: &'static Dialect) -> Option<VolumeTerm> {
    let words = plain::read(text, Resource::Volumes.catalog(), dialect, &plain::Names::default());
    let (gb, days) = words.volume_size_and_days(dialect);
    let term = gb.zip(days).filter(|_| words.refused.is_empty());
    let term = term.map(|(gb, days)| VolumeTerm { gb, days })?;
    let is_valid = |value: f64, input: Input| (0.0..=input.maximum()).contains(&value);
    (is_valid(term.gb, Input::VolumeGb) && is_valid(term.days, Input::Days)).then_some(term)
}

impl TermField {
    /// Parses the text of a volume's size in GB or, for `Span`, of a term in days; an error if it is no such
    /// quantity or out of range.
    fn read(self, text: &str) -> Result<f64, QuantityError> {
        let (quantity, input) = match self {
            Self::Size | Self::Apply | Self::Clear => (Quantity::Gigabytes, Input::VolumeGb),
            Self::Span => (Quantity::Term, Input::Days),
        };
        quantity::within(text, quantity, 0.0..=input.maximum())
    }

    /// The name of the field or button in the form.
    const fn label(self) -> &'static str {
        match self {
            Self::Size => "Size",
            Self::Span => "Term",
            Self::Apply => "Price volumes",
            Self::Clear => "Clear pricing",
        }
    }
}

#[derive(Debug)]
pub struct Term {
    form: Form<TermField>,
    is_priced: bool,
    dialect: &'static Dialect,
    /// The term in the fields, or the first invalid field.
    chosen: Result<VolumeTerm, (TermField, QuantityError)>,
}

impl Term {
    /// The form with the term that volumes are priced for, or else a typical one.
    pub fn new(state: &State) -> Self {
        let priced = state.browsers[Resource::Volumes].computed.term;
        let term = priced.unwrap_or_default();
        let dialect = state.profile.dialect;
        let field = |key: TermField, text: String, note: &'static str| {
            Field::text(key, key.label(), text)
                .note(note)
                .check(move |text| match sentence(text, dialect) {
                    Some(_) => Ok(()),
                    None => key.read(text).map(drop),
                })
        };
        let size = quantity::write(term.gb, Quantity::Gigabytes);
        let span = quantity::write(term.days, Quantity::Term);
        let mut fields = vec![
            field(TermField::Size, size, "500GB, 2TB"),
            field(TermField::Span, span, "3 months, 45 days, 2w"),
            Field::button(TermField::Apply, TermField::Apply.label()),
        ];
        if priced.is_some() {
            fields.push(Field::button(TermField::Clear, TermField::Clear.label()));
        }
        Self {
            form: Form::new(fields).submits(TermField::Apply),
            is_priced: priced.is_some(),
            dialect,
            chosen: Ok(term),
        }
    }

    /// Updates the chosen term from the fields: a sentence in one of them decides, otherwise both are read,
    /// and the first invalid one makes it an error.
    fn reread(&mut self) {
        let read = |key: TermField| {
            let value = key.read(self.form.text(key));
            value.map_err(|why| (key, why))
        };
        let sentences = [TermField::Size, TermField::Span].map(|key| sentence(self.form.text(key), self.dialect));
        if let Some(term) = sentences.into_iter().flatten().next() {
            self.chosen = Ok(term);
            return;
        }
        self.chosen = read(TermField::Size).and_then(|gb| {
            let days = read(TermField::Span)?;
            Ok(VolumeTerm { gb, days })
        });
    }

    /// Prices the volumes for the term in the fields and closes the form; nothing while a field is invalid.
    fn apply(&mut self, cx: &mut Cx<'_>) {
        if !self.form.validate() {
            return;
        }
        if let Ok(term) = self.chosen {
            cx.price_term(Some(term));
            if cx.state().pane == Pane::Volumes {
                let size = quantity::write(term.gb, Quantity::Gigabytes);
                let span = quantity::write(term.days, Quantity::Term);
                cx.toast(format!("Volumes priced for {size}, {span}"));
            }
            cx.close();
        }
    }

    /// Removes the columns priced for a term, and closes the form.
    fn clear(cx: &mut Cx<'_>) {
        cx.price_term(None);
        cx.toast("Term pricing cleared");
        cx.close();
    }
}

impl FormView for Term {
    has_form!(TermField);

    fn submitted(&mut self, key: TermField, cx: &mut Cx<'_>) {
        if key == TermField::Clear {
            Self::clear(cx);
        } else {
            self.apply(cx);
        }
    }

    fn changed(&mut self, _: TermField, _: &mut Cx<'_>) {
        self.reread();
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back => cx.close(),
            Action::Remove => Self::clear(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(action, Action::Remove if !self.is_priced))
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.form.focused()) {
            (Action::Submit, Some(TermField::Clear)) => Some("clear pricing"),
            (Action::Submit, _) => Some("price volumes"),
            (Action::Remove, _) => Some("clear pricing"),
            _ => None,
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::term(self, area, scene);
    }
}
