//! What each verb means for whoever owns the keyboard.

use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::Now;
use super::sort_editor::SortEditor;
use super::{
    Model, Pane, column_editor, filter_editor, groups, insights, leaving, markets, search_settings,
    volume_form,
};
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
    // Overlays that are no views yet mean something else by opening.
    let opens = action != Action::Open || model.overlays.is_empty();
    if opens && let Some(effects) = super::stack::open(model, now, action) {
        return effects;
    }
    match action {
        Action::Quit => return leaving::leave(model),
        Action::QuitNow => return vec![Effect::Quit],
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Redraw],
        Action::Help => super::help::open(model),
        Action::Palette => super::palette::open(model),
        Action::Markets => return markets::open(model),
        Action::Market(place) => return markets::chosen(model, place),
        Action::SavedSearches => super::searches::open(model),
        Action::NextPane => return go_to(model, now, model.state.pane.shifted(1)),
        Action::PreviousPane => return go_to(model, now, model.state.pane.shifted(3)),
        Action::Offers => return go_to(model, now, Pane::Offers),
        Action::Volumes => return go_to(model, now, Pane::Volumes),
        Action::Workergroups => return go_to(model, now, Pane::Workergroups),
        Action::Requests => return go_to(model, now, Pane::Requests),
        Action::Job if volume_form::is_meant(model) => volume_form::open(model),
        Action::Job | Action::ForgetJob | Action::Summary | Action::Compare | Action::Funnel => {
            return insights::open(model, now, action);
        }
        _ => {
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
    let mut effects = super::stack::close_from(model, now, 0);
    model.state.pane = pane;
    model.state.requests.opened = None;
    effects.extend(groups::pane_shown(model, now));
    let crate::app::State {
        browsers, tickets, ..
    } = &mut model.state;
    let Some(resource) = pane.resource() else {
        return effects;
    };
    let browser = &mut browsers[resource];
    let untouched = browser.listing().is_none()
        && !browser.remote().is_loading()
        && browser.remote().error().is_none();
    if untouched {
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
    let Some(browser) = model.browser_mut() else {
        return Vec::new();
    };
    match action {
        Action::Sort => {
            let editor = SortEditor::new(
                browser.query.order.clone(),
                browser.query.catalog(),
                browser.dialect(),
            );
            model.overlays.push(Overlay::Sort(editor));
        }
        Action::Columns => column_editor::open(model),
        Action::Filter => filter_editor::open(model),
        Action::Settings => search_settings::open(model),
        Action::SaveSearch => super::searches::ask_name(model),
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
        Some(Overlay::Volume(_)) => return volume_form::act(model, now, action),
        Some(Overlay::Columns(_)) => return column_editor::act(model, action),
        Some(Overlay::Filter(_)) => return filter_editor::act(model, now, action),
        Some(Overlay::Settings(_)) => return search_settings::act(model, now, action),
        Some(Overlay::Markets(_) | Overlay::MarketForm(_)) => {
            return markets::act(model, now, action);
        }
        _ => {}
    }
    if action == Action::Back {
        model.overlays.pop();
        return Vec::new();
    }
    match model.overlays.last_mut() {
        Some(Overlay::Help(picker) | Overlay::Palette(picker)) => {
            if let Some(step) = movement(action, page) {
                picker.step(step);
            } else if action == Action::Submit {
                return super::palette::chosen(model, now);
            }
        }
        Some(Overlay::Sort(editor)) => {
            if let Some(step) = movement(action, page) {
                editor.picker.step(step);
                return Vec::new();
            }
            match action {
                Action::Toggle => editor.toggle(),
                Action::Remove => editor.remove(),
                Action::MoveUp => editor.shift(-1),
                Action::MoveDown => editor.shift(1),
                Action::Submit => {
                    let keys = editor.accept();
                    model.overlays.pop();
                    if let Some(browser) = model.browser_mut() {
                        return browser.set_order(keys, now);
                    }
                }
                _ => {}
            }
        }
        Some(Overlay::Searches(list)) => {
            if let Some(step) = movement(action, page) {
                list.picker.step(step);
                return Vec::new();
            }
            return super::searches::act(model, now, action);
        }
        Some(Overlay::Prompt(_) | Overlay::Question(_)) => {
            return super::prompt::act(model, now, action);
        }
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
        Overlay::Help(picker) | Overlay::Palette(picker) => {
            if edit(&mut picker.input) {
                picker.narrow();
            }
        }
        Overlay::Sort(editor) => {
            if edit(&mut editor.picker.input) {
                editor.picker.narrow();
            }
        }
        Overlay::Insight(insight) => insight.type_into(edit),
        Overlay::Searches(list) => {
            if edit(&mut list.picker.input) {
                list.picker.narrow();
            }
        }
        Overlay::Prompt(prompt) => {
            if edit(&mut prompt.input) {
                prompt.error = None;
            }
        }
        Overlay::Volume(form) => form.edit(edit),
        Overlay::Columns(editor) => {
            if edit(&mut editor.picker.input) {
                editor.picker.narrow();
            }
        }
        Overlay::Filter(editor) => editor.type_into(edit),
        Overlay::Settings(settings) => settings.type_into(edit),
        // These take their text elsewhere, or none.
        Overlay::View(_) | Overlay::Question(_) | Overlay::Markets(_) | Overlay::MarketForm(_) => {}
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
                    | Context::Sort
                    | Context::Searches
                    | Context::Prompt
                    | Context::Form
                    | Context::Job
                    | Context::VolumeCost
                    | Context::Editor
                    | Context::Columns
                    | Context::Filter
                    | Context::Condition
                    | Context::Tick
                    | Context::Settings
                    | Context::Choice
                    | Context::MarketForm
            )
        }) {
            for key in row.keys {
                let is_letter = key.len() == 1 && key.chars().all(char::is_alphanumeric);
                assert!(!is_letter, "{key} of {}", row.name);
            }
        }
    }
}
