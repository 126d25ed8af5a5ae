//! What the mouse does; everything it does has a key.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::facts::Target;
use super::keymap::Action;
use super::message::Effect;
use super::overlay::Overlay;
use super::remote::Now;
use super::{Model, Owner, actions, insights, markets};

/// Lines that a turn of the wheel moves.
const WHEEL: isize = 3;

/// Decides what a mouse event means.
pub(super) fn happened(model: &mut Model, now: Now, event: MouseEvent) -> Vec<Effect> {
    match event.kind {
        MouseEventKind::ScrollDown => return turned(model, now, event.column, WHEEL),
        MouseEventKind::ScrollUp => return turned(model, now, event.column, -WHEEL),
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
            model.state.split.drag(event.column, model.state.size.0);
        }
        MouseEventKind::Up(MouseButton::Left) => model.state.split.let_go(),
        _ => {}
    }
    Vec::new()
}

/// Whether the table is in sight and within reach: nothing over it, or the detail beside it.
fn has_table(model: &Model) -> bool {
    model.owner() == Owner::Table
}

fn turned(model: &mut Model, now: Now, column: u16, by: isize) -> Vec<Effect> {
    super::stack::wheel(model, now, by).unwrap_or_else(|| {
        wheel(model, now, column, by);
        Vec::new()
    })
}

fn wheel(model: &mut Model, now: Now, column: u16, by: isize) {
    if has_table(model)
        && column < model.state.split.table(model.state.size.0)
        && let Some(browser) = model.browser_mut()
    {
        return browser.step(by);
    }
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
        Some(Overlay::Volume(_)) => {}
        None => {
            if let Some(browser) = model.browser_mut() {
                browser.step(by);
            }
        }
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
        Target::Row(index) if has_table(model) => {
            let is_alone = model.overlays.is_empty();
            let Some(browser) = model.browser_mut() else {
                return Vec::new();
            };
            if browser.cursor() == index && is_alone {
                return actions::perform(model, now, Action::Open);
            }
            browser.select(index);
        }
        Target::Bar if matches!(model.owner(), Owner::Table | Owner::Pane) => {
            return actions::perform(model, now, Action::Query);
        }
        _ => {}
    }
    Vec::new()
}
