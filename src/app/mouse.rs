//! What the mouse does; everything it does has a key.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::facts::Target;
use super::keymap::Action;
use super::message::Effect;
use super::overlay::Overlay;
use super::remote::Now;
use super::{Model, actions, insights, markets};

/// Lines that a turn of the wheel moves.
const WHEEL: isize = 3;

/// Decides what a mouse event means.
pub(super) fn happened(model: &mut Model, now: Now, event: MouseEvent) -> Vec<Effect> {
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

/// Whether a click reaches the table: nothing is over it, and no query is typed.
fn has_table(model: &Model) -> bool {
    model.overlays.is_empty() && !model.takes_text()
}

fn turned(model: &mut Model, now: Now, by: isize) -> Vec<Effect> {
    super::stack::wheel(model, now, by).unwrap_or_else(|| {
        wheel(model, now, by);
        Vec::new()
    })
}

fn wheel(model: &mut Model, now: Now, by: isize) {
    match model.overlays.last_mut() {
        Some(Overlay::View(_)) => {}
        Some(Overlay::Help(picker) | Overlay::Palette(picker)) => picker.step(by),
        Some(Overlay::Insight(_)) => insights::wheel(model, now, by),
        Some(Overlay::Markets(_) | Overlay::MarketForm(_)) => markets::wheel(model, now, by),
        Some(Overlay::Sort(editor)) => editor.picker.step(by),
        Some(Overlay::Searches(list)) => list.picker.step(by),
        Some(Overlay::Columns(editor)) => editor.picker.step(by),
        Some(Overlay::Filter(editor)) => editor.step(by),
        Some(Overlay::Prompt(_) | Overlay::Question(_) | Overlay::Settings(_)) => {}
        Some(Overlay::Volume(_)) | None => {}
    }
}

fn clicked(model: &mut Model, now: Now, target: Target) -> Vec<Effect> {
    match target {
        Target::Tab(place) => {
            let action = [
                Action::Offers,
                Action::Volumes,
                Action::Workergroups,
                Action::Requests,
            ];
            return action
                .get(place)
                .map(|action| actions::perform(model, now, *action))
                .unwrap_or_default();
        }
        Target::Rule => model.state.split.hold(),
        Target::Hint(action) => return actions::perform(model, now, action),
        Target::Line(index) => match model.overlays.last_mut() {
            Some(Overlay::Help(picker) | Overlay::Palette(picker)) => {
                picker.select(index, false);
                return actions::perform(model, now, Action::Submit);
            }
            Some(Overlay::Insight(_)) => return insights::clicked(model, now, index),
            Some(Overlay::Markets(_) | Overlay::MarketForm(_)) => {
                return markets::click(model, now, index);
            }
            Some(Overlay::Sort(editor)) => {
                editor.picker.select(index, false);
                return actions::perform(model, now, Action::Toggle);
            }
            Some(Overlay::Searches(list)) => {
                list.picker.select(index, false);
                return actions::perform(model, now, Action::Submit);
            }
            Some(Overlay::Volume(form)) => form.focus(index),
            Some(Overlay::Columns(editor)) => {
                editor.picker.select(index, false);
                return actions::perform(model, now, Action::Toggle);
            }
            Some(Overlay::Filter(editor)) => {
                let action = editor.click(index);
                return actions::perform(model, now, action);
            }
            Some(Overlay::Settings(settings)) => {
                settings.select(index);
                if settings.current().is_choice() {
                    return actions::perform(model, now, Action::Toggle);
                }
            }
            _ => {}
        },
        Target::Header(field) if has_table(model) => {
            if let Some(browser) = model.browser_mut() {
                return browser.sort_by(field, now);
            }
        }
        Target::Bar if model.overlays.is_empty() => {
            return actions::perform(model, now, Action::Query);
        }
        _ => {}
    }
    Vec::new()
}
