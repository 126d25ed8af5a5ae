//! What each verb means for whoever owns the keyboard.

use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::Now;
use super::{Model, Pane, basket, groups, insights};
use crate::domain::country;
use crate::domain::field::Kind;
use crate::domain::text::visible;
use crate::domain::{Field, Listing, Resource};
use crate::widgets::text_input::TextInput;

/// Does what an action asks for.
pub(super) fn perform(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    if let Some(why) = model.disabled(action) {
        model.show(Toast::error(why, now));
        return Vec::new();
    }
    if let Some(effects) = super::stack::update(model, now, action) {
        return effects;
    }
    if let Some(effects) = super::stack::open(model, now, action) {
        return effects;
    }
    match action {
        Action::QuitNow => return vec![Effect::Quit],
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Redraw],
        Action::EditConfig => return vec![Effect::EditConfig],
        Action::ReloadConfig => return vec![Effect::ReloadConfig],
        Action::Copy => super::copy::open(model),
        Action::Export => super::export::open(model, now),
        Action::NextPane => return go_to(model, now, model.state.pane.shifted(1)),
        Action::PreviousPane => return go_to(model, now, model.state.pane.shifted(3)),
        Action::Offers => return go_to(model, now, Pane::Offers),
        Action::Volumes => return go_to(model, now, Pane::Volumes),
        Action::Workergroups => return go_to(model, now, Pane::Workergroups),
        Action::Requests => return go_to(model, now, Pane::Requests),
        Action::Basket => return basket::open(model, now),
        Action::ThreePrices | Action::ForgetJob | Action::Related => {
            return insights::open(model, now, action);
        }
        _ => {
            if let Some(effects) = groups::perform(model, now, action) {
                return effects;
            }
            return if model.overlays.is_empty() {
                on_table(model, now, action)
            } else {
                on_overlay(model, now, action)
            };
        }
    }
    Vec::new()
}

pub(super) fn go_to(model: &mut Model, now: Now, pane: Pane) -> Vec<Effect> {
    model.state.groups.hide();
    let mut effects = super::stack::close_from(model, now, 0);
    model.state.pane = pane;
    effects.extend(groups::pane_shown(model, now));
    let crate::app::State {
        browsers, tickets, ..
    } = &mut model.state;
    let Some(resource) = pane.resource() else {
        return effects;
    };
    let browser = &mut browsers[resource];
    if browser.is_untouched() {
        effects.extend(browser.ask(tickets, now));
    }
    effects
}

/// Asks for what the pane in sight needs; without a table there, for the offers.
pub(super) fn start(model: &mut Model, now: Now) -> Vec<Effect> {
    match model.state.pane {
        Pane::Requests => model.state.browsers[Resource::Offers].ask(&mut model.state.tickets, now),
        pane => go_to(model, now, pane),
    }
}

pub(super) fn refresh(model: &mut Model, now: Now) -> Vec<Effect> {
    model.state.refresh_pane(now)
}

/// What an action means over a pane with a table, where neither the pane's view nor another takes
/// it.
pub(super) fn on_table(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    if model.browser().is_none() {
        return Vec::new();
    }
    match action {
        Action::Open => model.overlays.push(Overlay::Detail { scroll: 0 }),
        _ => super::stack::ignored(model, now, action),
    }
    Vec::new()
}

fn on_overlay(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    if let Some(Overlay::View(_)) = model.overlays.last() {
        super::stack::ignored(model, now, action);
        return Vec::new();
    }
    let page = model.facts.overlay_page.max(1);
    match model.overlays.last() {
        Some(Overlay::Insight(_)) => return insights::act(model, now, action),
        Some(Overlay::Basket(_)) => return basket::act(model, now, action),
        _ => {}
    }
    if action == Action::Back {
        model.state.groups.hide();
        model.overlays.pop();
        return Vec::new();
    }
    match model.overlays.last_mut() {
        Some(Overlay::Copy(_)) => return super::copy::act(model, now, action),
        Some(Overlay::Export(_)) => return super::export::act(model, action),
        Some(Overlay::Question(_)) => return super::prompt::act(model, action),
        Some(Overlay::Detail { scroll }) => {
            let most = model.facts.overlay_lines.saturating_sub(page);
            if let Some(step) = movement(action, page) {
                *scroll = scroll.saturating_add_signed(step).min(most);
                return Vec::new();
            }
            return on_detail(model, action);
        }
        _ => {}
    }
    Vec::new()
}

fn on_detail(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(browser) = model.browser_mut() else {
        return Vec::new();
    };
    match action {
        Action::Right => browser.step(1),
        Action::Left => browser.step(-1),
        _ => {}
    }
    Vec::new()
}

/// By how many lines an action moves, if it moves.
pub(super) fn movement(action: Action, page: usize) -> Option<isize> {
    action.motion(page)
}

/// Types into the search line of an overlay and narrows its list.
pub(super) fn type_into(overlay: &mut Overlay, edit: impl FnOnce(&mut TextInput) -> bool) {
    match overlay {
        Overlay::Export(form) => form.edit(edit),
        // These take their text elsewhere, or none.
        Overlay::View(_)
        | Overlay::Insight(_)
        | Overlay::Detail { .. }
        | Overlay::Question(_)
        | Overlay::Basket(_)
        | Overlay::Copy(_) => {}
    }
}

/// The different values of a text field that are here, for completion and choices.
pub(super) fn seen_values(listing: Option<&Listing>, field: &Field) -> Vec<String> {
    let Some(listing) = listing else {
        return Vec::new();
    };
    let known = listing.catalog().fields().iter().find(|own| *own == field);
    let Some(own) = known else { return Vec::new() };
    let mut values: Vec<String> = listing
        .column(own)
        .texts()
        .iter()
        .map(|text| match own.kind {
            Kind::Country => country::code(text.compared()).to_owned(),
            _ => text.compared().to_owned(),
        })
        .filter(|text| !text.is_empty() && visible(text, 80) == *text)
        .collect();
    values.sort();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use crate::app::keymap::{BINDINGS, Chord, Context};

    #[test]
    fn every_key_of_the_table_can_be_read() {
        for row in BINDINGS {
            for key in row.keys {
                assert!(Chord::parse(key).is_some(), "{key} of {}", row.name);
            }
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_context() {
        for (index, row) in BINDINGS.iter().enumerate() {
            for other in &BINDINGS[index + 1..] {
                let shared = row.keys.iter().find(|key| other.keys.contains(key));
                assert!(
                    row.context != other.context || shared.is_none(),
                    "{shared:?} means {} and {}",
                    row.name,
                    other.name
                );
            }
        }
    }

    #[test]
    fn single_letters_never_fire_where_text_is_typed() {
        for row in BINDINGS.iter().filter(|row| {
            matches!(
                row.context,
                Context::Query
                    | Context::List
                    | Context::Always
                    | Context::Form
                    | Context::Editor
                    | Context::ListEdit
                    | Context::Checkbox
                    | Context::Choice
            )
        }) {
            for key in row.keys {
                let is_letter = key.len() == 1 && key.chars().all(char::is_alphanumeric);
                assert!(!is_letter, "{key} of {}", row.name);
            }
        }
    }
}
