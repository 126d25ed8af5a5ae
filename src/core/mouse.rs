//! The mouse; everything it does has a key.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::actions;
use super::frame_layout::Target;
use super::message::Effect;
use super::model::Model;
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::remote::Now;

/// Lines per turn of the wheel.
const WHEEL: isize = 3;

pub(crate) fn on_event(model: &mut Model, now: Now, event: MouseEvent) -> Vec<Effect> {
    match event.kind {
        MouseEventKind::ScrollDown => return turned(model, now, WHEEL),
        MouseEventKind::ScrollUp => return turned(model, now, -WHEEL),
        MouseEventKind::Down(MouseButton::Left) => {
            model.state.split.let_go();
            if let Some(effects) = super::stack::clicked(model, now, event.column, event.row) {
                return effects;
            }
            if let Some(target) = model.facts.at(event.column, event.row) {
                return clicked(model, now, target);
            }
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some((x, width)) = model.facts.split {
                let column = event.column.saturating_sub(x);
                model.state.split.drag(column, width);
            }
        }
        MouseEventKind::Up(MouseButton::Left) => model.state.split.let_go(),
        _ => {}
    }
    Vec::new()
}

/// Whether a click reaches the table: no view is over it, and no query is being edited.
fn has_table(model: &Model) -> bool {
    model.overlays.is_empty() && !model.takes_text()
}

fn turned(model: &mut Model, now: Now, by: isize) -> Vec<Effect> {
    super::stack::wheel(model, now, by).unwrap_or_default()
}

fn clicked(model: &mut Model, now: Now, target: Target) -> Vec<Effect> {
    match target {
        Target::Tab(place) => {
            return Pane::ALL
                .get(place)
                .map(|pane| actions::perform(model, now, Action::Pane(*pane)))
                .unwrap_or_default();
        }
        Target::Rule => model.state.split.hold(),
        Target::Hint(action) => return actions::perform(model, now, action),
        Target::Header(field) if has_table(model) => {
            if let Some(browser) = model.browser_mut() {
                return browser.sort_by(field, now);
            }
        }
        _ => {}
    }
    Vec::new()
}
