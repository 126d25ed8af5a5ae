//! Text that is typed or pasted in the lab, and the mouse.

use crossterm::event::{KeyCode, KeyEvent};

use super::act::{act, advance, select_attempt};
use super::{Entry, RouteView};
use crate::app::Model;
use crate::app::keymap::Action;
use crate::app::message::Effect;
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::widgets::text_input::TextInput;

/// Takes a key as text; false if no part of the lab is on top.
pub(in crate::app) fn typed(model: &mut Model, key: KeyEvent) -> bool {
    let Some(Overlay::Route(view)) = model.overlays.last() else {
        return false;
    };
    if *view == RouteView::Form && model.state.route_lab.form.focus() == Entry::Mode {
        match key.code {
            KeyCode::Left => model.state.route_lab.form.turn(true),
            KeyCode::Right | KeyCode::Char(' ') => model.state.route_lab.form.turn(false),
            _ => {}
        }
        return true;
    }
    edit(model, |input| {
        input.key(key);
    });
    true
}

/// Takes a paste; gives how many characters were refused, or nothing if no part of the lab is on
/// top.
pub(in crate::app) fn pasted(model: &mut Model, text: &str) -> Option<usize> {
    if !matches!(model.overlays.last(), Some(Overlay::Route(_))) {
        return None;
    }
    let mut refused = 0;
    edit(model, |input| refused = input.paste(text).refused);
    Some(refused)
}

fn edit(model: &mut Model, change: impl FnOnce(&mut TextInput)) {
    let Some(Overlay::Route(view)) = model.overlays.last() else {
        return;
    };
    let lab = &mut model.state.route_lab;
    match view {
        RouteView::Form => {
            if let Some(input) = lab.form.input_mut() {
                change(input);
                lab.form.objections.clear();
            }
        }
        RouteView::Search => {
            change(&mut lab.attempts.input);
            lab.attempts.search(true);
            advance(lab);
        }
        RouteView::Export => change(&mut lab.export_path),
        RouteView::NextHop { .. } => change(lab.hop.input_mut()),
        _ => {}
    }
}

/// A click on a line.
pub(in crate::app) fn click(model: &mut Model, now: Now, line: usize) -> Vec<Effect> {
    match model.overlays.last() {
        Some(Overlay::Route(RouteView::Form)) => model.state.route_lab.form.select(line),
        Some(Overlay::Route(RouteView::Lab | RouteView::Search)) => {
            let lab = &mut model.state.route_lab;
            if lab.attempts.cursor(lab.samples()) == line {
                return act(model, now, Action::Open);
            }
            select_attempt(lab, line);
        }
        _ => {}
    }
    Vec::new()
}

/// The wheel: as the keys that move.
pub(in crate::app) fn wheel(model: &mut Model, now: Now, by: isize) {
    let action = if by > 0 { Action::Down } else { Action::Up };
    for _ in 0..by.unsigned_abs() {
        act(model, now, action);
    }
}
