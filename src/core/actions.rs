//! Carries out actions for the focused view.

use super::analysis;
use super::feature::Event;
use super::message::{Effect, Toast};
use super::model::Model;
use super::state::State;
use super::unsettled::told;
use crate::domain::Resource;
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::remote::Now;

pub(crate) fn perform(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
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
        Action::NextPane => return go_to(model, now, model.state.pane.shifted(1)),
        Action::PreviousPane => return go_to(model, now, model.state.pane.shifted(3)),
        Action::Pane(pane) => return go_to(model, now, pane),
        Action::ForgetLimits => {
            model.state.mutations.forget_limits();
            model.show(Toast::new("Learned rate limits forgotten", now));
            return vec![Effect::ForgetLimits];
        }
        Action::ForgetJob => return analysis::forget_job(model, now),
        _ => super::stack::ignored(model, now, action),
    }
    Vec::new()
}

pub(crate) fn go_to(model: &mut Model, now: Now, pane: Pane) -> Vec<Effect> {
    let mut effects = super::stack::close_from(model, now, 0);
    model.state.pane = pane;
    effects.extend(model.state.emit(now, Event::PaneOpened));
    effects.extend(pane_shown(model, now));
    let State { browsers, tickets, .. } = &mut model.state;
    let Some(resource) = pane.resource() else {
        return effects;
    };
    let browser = &mut browsers[resource];
    if browser.is_untouched() {
        effects.extend(browser.ask(tickets, now));
    }
    effects
}

/// Opens the view again that was left open over the pane.
fn pane_shown(model: &mut Model, now: Now) -> Vec<Effect> {
    let pane = model.state.pane;
    let left_open = model.state.left_open.take_if(|(left, _)| *left == pane);
    let opened = left_open.and_then(|(_, action)| super::stack::open(model, now, action));
    opened.unwrap_or_default()
}

/// Requests what the open pane needs; without a table there, the offers.
pub(crate) fn start(model: &mut Model, now: Now) -> Vec<Effect> {
    // This pane shows no notices.
    let untold = model.state.mutations.untold().next().map(told);
    if let Some(text) = untold.filter(|_| model.state.pane == Pane::Requests) {
        model.show(Toast::error(text, now));
    }
    match model.state.pane {
        Pane::Requests => model.state.browsers[Resource::Offers].ask(&mut model.state.tickets, now),
        pane @ (Pane::Offers | Pane::Volumes | Pane::Workergroups) => go_to(model, now, pane),
    }
}

#[cfg(test)]
mod tests {
    use crate::keys::{BINDINGS, Chord, Context};

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
