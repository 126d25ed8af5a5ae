//! Dialogs around one form: implementing [`FormView`] gives the rest of [`View`].

use std::fmt;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::message::News;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::keys::{Action, Context, KeyTarget as _};
use crate::table::remote::Ticket;
use crate::tui::form::{Form, FormEvent};
use crate::tui::input_widget::InputWidget;

/// A dialog around one form.
///
/// Keys, pastes and clicks go to the form; the view handles its values and buttons. Methods with
/// the name of a [`View`] method do the same.
pub(crate) trait FormView: fmt::Debug + Send {
    /// The identity of a field of the form.
    type Field: Copy + Eq;

    /// The form that the dialog is made of.
    fn form(&self) -> &Form<Self::Field>;

    /// The form that the dialog is made of, mutable.
    fn form_mut(&mut self) -> &mut Form<Self::Field>;

    /// The contexts in which its keys are looked up; those of the form by default.
    fn contexts(&self) -> &'static [Context] {
        self.form().contexts()
    }

    /// Handles a press of the button `key`, or Enter in a form that submits from any field.
    fn submitted(&mut self, key: Self::Field, cx: &mut Cx<'_>);

    /// Called after the value of the field `key` was typed or chosen.
    fn changed(&mut self, _key: Self::Field, _cx: &mut Cx<'_>) {}

    /// Handles an action that the form does not use; by default, `Back` closes the dialog and others are
    /// ignored.
    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if action == Action::Back {
            cx.close();
        }
        Outcome::handled_if(action == Action::Back)
    }

    /// Whether an action is available; all are by default.
    fn availability(&self, _action: Action, _state: &State) -> Availability {
        Availability::Available
    }

    /// The name of an action's effect here, or `None` if the word of the key table fits.
    fn hint(&self, action: Action) -> Option<&'static str>;

    /// Called after rows, prices or marks of a pane have changed.
    fn rows_changed(&mut self, _state: &State) {}

    /// Called when it gets the keyboard: it was opened, or the view above has closed.
    fn on_top(&mut self, _cx: &mut Cx<'_>) {}

    /// Called when an effect has ended: a file was written, a market connected, a write completed.
    fn tick(&mut self, _cx: &mut Cx<'_>) {}

    /// Handles the news of one of its tickets.
    fn on_news(&mut self, _news: News, _cx: &mut Cx<'_>) {}

    /// Called before it closes, to abort its requests and store its draft.
    fn closing(&mut self, _cx: &mut Cx<'_>) {}

    /// Draws the dialog, its form included, into `area`.
    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>);
}

/// Calls the view's handler for an event of its form; false if the form ignored its input.
fn pass_on<V: FormView>(view: &mut V, event: FormEvent<V::Field>, cx: &mut Cx<'_>) -> bool {
    match event {
        FormEvent::Submitted(key) => view.submitted(key, cx),
        FormEvent::Changed(key) => view.changed(key, cx),
        FormEvent::Moved => {}
        FormEvent::Ignored => return false,
    }
    true
}

impl<V: FormView> View for V {
    fn contexts(&self) -> &'static [Context] {
        FormView::contexts(self)
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(self.form_mut())
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        if let Some(key) = self.form().focused() {
            self.changed(key, cx);
        }
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        FormView::availability(self, action, state)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        FormView::hint(self, action)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let event = self.form_mut().update(action.command());
        if pass_on(self, event, cx) {
            Outcome::Handled
        } else {
            self.act(action, cx)
        }
    }

    fn click(&mut self, region: Region, field: usize, cx: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN {
            return Outcome::Ignored;
        }
        let event = self.form_mut().click(field);
        Outcome::handled_if(pass_on(self, event, cx))
    }

    fn rows_changed(&mut self, state: &State) {
        FormView::rows_changed(self, state);
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        FormView::on_top(self, cx);
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        FormView::tick(self, cx);
    }

    fn on_news(&mut self, _: Ticket, news: News, cx: &mut Cx<'_>) {
        FormView::on_news(self, news, cx);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        FormView::closing(self, cx);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        FormView::draw(self, area, scene);
    }
}

/// Names the form of a [`FormView`]: its field `form`, with keys of this type.
macro_rules! has_form {
    ($key:ty) => {
        type Field = $key;

        fn form(&self) -> &crate::tui::form::Form<$key> {
            &self.form
        }

        fn form_mut(&mut self) -> &mut crate::tui::form::Form<$key> {
            &mut self.form
        }
    };
}
pub(crate) use has_form;
