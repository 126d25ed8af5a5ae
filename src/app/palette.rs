//! The palette: every action, saved search and field by name; and what choosing a line of it, or of
//! the help, does.
//!
//! Each sort of line is a function that gives items; `open` chains them. Another sort of thing to
//! go to by name is a variant of [`Entry`], such a function, and an arm in `choose`.

use super::able::reach;
use super::copy::CopyItem;
use super::keymap::{Action, BINDINGS, Binding, Context, bindings};
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::Now;
use super::{Model, actions, markets, searches};
use crate::domain::Field;
use crate::domain::saved::SavedSearch;
use crate::widgets::list::{Item, List};

/// What a line stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Something to read; choosing it does nothing.
    Read,
    /// An action.
    Do(Action),
    /// What the copy menu copies under that name.
    Copy(&'static str),
    /// A saved search or a preset.
    Search(searches::Entry),
    /// Sort by a field.
    SortBy(&'static Field),
    /// Begin a condition on a field.
    Condition(&'static Field),
}

/// Opens the palette over whoever owns the keyboard.
pub(super) fn open(model: &mut Model) {
    let mut items = actions(model);
    if reach(model).is_some() {
        items.extend(saved(model));
        items.extend(fields(model));
    }
    items.extend(copies(model));
    if reach(model).is_some() || model.overlays.is_empty() {
        items.extend(markets::palette(model));
    }
    model.overlays.push(Overlay::Palette(List::new(items)));
}

/// The actions of the owner of the keyboard, then those of the table under it.
fn actions(model: &Model) -> Vec<Item<Entry>> {
    let own = model.contexts();
    let others = reach(model).unwrap_or_default();
    let others = others.iter().filter(|context| !own.contains(context));
    let mut seen = vec![Action::Palette];
    own.iter()
        .chain(others)
        .filter(|context| !matches!(context, Context::Movement | Context::List))
        .flat_map(|context| bindings(*context))
        .filter(|row| {
            // The same in another context, or under another key, is one thing to do.
            let is_new = !seen.contains(&row.action);
            seen.push(row.action);
            is_new
        })
        .map(|row| Item {
            title: row.name.to_owned(),
            text: row.help.to_owned(),
            note: key(model, row),
            disabled: model.disabled(row.action),
            value: Some(Entry::Do(row.action)),
        })
        .collect()
}

/// The forms of the copy menu that there are from where the person is.
pub(super) fn forms(model: &Model) -> Vec<CopyItem> {
    let mut contexts = model.contexts().iter().chain(reach(model).unwrap_or(&[]));
    let can_copy = contexts.any(|context| bindings(*context).any(|row| row.action == Action::Copy));
    can_copy
        .then(|| super::copy::items(&model.state))
        .flatten()
        .unwrap_or_default()
}

fn copies(model: &Model) -> Vec<Item<Entry>> {
    let menu = model.state.keymap.key_of(Action::Copy);
    forms(model)
        .into_iter()
        .map(|form| Item {
            title: form.name.to_owned(),
            text: format!("Copy {}", form.what),
            note: format!("{menu} {}", form.letter),
            disabled: form.text.err(),
            value: Some(Entry::Copy(form.name)),
        })
        .collect()
}

/// The key of a row, unless something in front of it takes the key here.
fn key(model: &Model, row: &Binding) -> String {
    let taken = model.state.keymap.owner_of(model.contexts(), row);
    if taken.is_some_and(|owner| owner != row.context) {
        return String::new();
    }
    model.state.keymap.shown_key(row)
}

fn saved(model: &Model) -> Vec<Item<Entry>> {
    let item = |search: &SavedSearch, entry: searches::Entry| Item {
        title: format!("search {}", search.name),
        text: if search.note.is_empty() {
            search.spec.query.clone()
        } else {
            search.note.clone()
        },
        note: search.spec.resource.nouns().to_owned(),
        disabled: search
            .spec
            .read(model.state.profile.dialect)
            .err()
            .map(|error| error.to_string()),
        value: Some(Entry::Search(entry)),
    };
    let own = model.state.searches.saved.iter();
    let own = own.map(|search| item(search, searches::Entry::Saved(search.name.clone())));
    let presets = model.state.searches.presets();
    own.chain(presets.map(|search| item(search, searches::Entry::Preset(search.name.clone()))))
        .collect()
}

/// The fields of the pane in sight: to sort by, and to begin a condition on.
fn fields(model: &Model) -> Vec<Item<Entry>> {
    let Some(browser) = model.browser() else {
        return Vec::new();
    };
    let catalog = browser.query.catalog();
    let item = |what: &str, field: &'static Field, entry: Entry| Item {
        title: format!("{what} {}", field.label),
        text: field.doc.to_owned(),
        note: std::iter::once(field.key)
            .chain(field.aliases.iter().copied())
            .collect::<Vec<_>>()
            .join(" "),
        disabled: None,
        value: Some(entry),
    };
    let sorts = catalog.columns().filter(|field| field.sortable);
    let sorts = sorts.map(|field| item("sort by", field, Entry::SortBy(field)));
    let conditions = catalog.filters().into_iter();
    let conditions = conditions.map(|field| item("condition on", field, Entry::Condition(field)));
    sorts.chain(conditions).collect()
}

/// Does what the selected line of the palette or the help stands for. One that cannot be done now
/// says why, and the list stays.
pub(super) fn chosen(model: &mut Model, now: Now) -> Vec<Effect> {
    let Some(Overlay::Help(picker) | Overlay::Palette(picker)) = model.overlays.last() else {
        return Vec::new();
    };
    let Some(item) = picker.current() else {
        return Vec::new();
    };
    match (item.disabled.clone(), item.value.clone()) {
        (Some(why), _) => model.show(Toast::error(why, now)),
        (None, None | Some(Entry::Read)) => {}
        (None, Some(entry)) => {
            model.overlays.pop();
            return choose(model, now, entry);
        }
    }
    Vec::new()
}

fn choose(model: &mut Model, now: Now, entry: Entry) -> Vec<Effect> {
    match entry {
        Entry::Read => Vec::new(),
        Entry::Do(action) => act(model, now, action),
        Entry::Copy(name) => {
            let forms = super::copy::items(&model.state).unwrap_or_default();
            let form = forms.iter().find(|form| form.name == name);
            match form.map(super::copy::copy) {
                Some(Ok(effect)) => vec![effect],
                Some(Err(why)) => {
                    model.show(Toast::error(format!("Not copied: {why}"), now));
                    Vec::new()
                }
                None => Vec::new(),
            }
        }
        Entry::Search(entry) => searches::chosen(model, now, entry),
        Entry::SortBy(field) => {
            let mut effects = back_to_table(model, now);
            if let Some(browser) = model.browser_mut() {
                effects.extend(browser.sort_by(field, now));
            }
            effects
        }
        Entry::Condition(field) => {
            let mut effects = back_to_table(model, now);
            if let Some(browser) = model.browser_mut() {
                browser.bar.edit();
                let text = format!("{}{} ", browser.bar.input.text(), field.key);
                browser.bar.input.set(text);
                browser.query_typed();
            }
            effects.extend(super::stack::resumed(model, now));
            effects
        }
    }
}

/// Does an action where it has a meaning: for the owner of the keyboard, else for the table under
/// it, with everything over that closed.
fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let knows = |contexts: &[Context]| {
        let mut rows = BINDINGS.iter().filter(|row| row.action == action);
        rows.any(|row| contexts.contains(&row.context))
    };
    let is_here = knows(model.contexts()) && model.has_use_for(action);
    if matches!(action, Action::Market(_)) || is_here {
        return actions::perform(model, now, action);
    }
    if reach(model).is_some_and(knows) {
        let mut effects = back_to_table(model, now);
        effects.extend(actions::perform(model, now, action));
        return effects;
    }
    if knows(model.contexts()) {
        // It cannot be done here, and says why.
        return actions::perform(model, now, action);
    }
    let row = BINDINGS.iter().find(|row| row.action == action);
    let place = row.map_or("elsewhere", |row| row.context.title());
    model.show(Toast::error(format!("That is for: {place}"), now));
    Vec::new()
}

/// Closes everything over the table of the pane in sight.
fn back_to_table(model: &mut Model, now: Now) -> Vec<Effect> {
    if model.overlays.is_empty() {
        return Vec::new();
    }
    let pane = model.state.pane;
    actions::go_to(model, now, pane)
}
