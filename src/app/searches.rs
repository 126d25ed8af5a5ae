//! The saved searches and the presets: a list to run, save, rename, delete and order them.

use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::prompt::{Prompt, Question};
use super::remote::Now;
use super::{Model, actions};
use crate::domain::saved::{NameError, SavedSearch, SearchChange, SearchSpec, Searches, presets};
use crate::domain::{Dialect, Resource, language};
use crate::widgets::list::{Item, List};
use crate::widgets::text_input::TextInput;

/// What a line of the list stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Save the running search.
    Save,
    /// A saved search, by its name.
    Saved(String),
    /// A preset, by its name.
    Preset(String),
    /// Show the hidden presets again.
    ShowPresets,
}

/// The list.
#[derive(Debug)]
pub struct SearchList {
    /// Its lines.
    pub picker: List<Entry>,
    /// What each line would do, in words.
    previews: Vec<(Entry, Vec<String>)>,
}

impl SearchList {
    /// The list of `searches`; `running` is the text of the query that can be saved, if one can.
    pub fn new(searches: &Searches, dialect: &'static Dialect, running: Option<&str>) -> Self {
        let mut list = Self {
            picker: List::new(items(searches, dialect, running)),
            previews: previews(searches, dialect),
        };
        list.select_first_search();
        list
    }

    /// Running one is wanted more often than saving one.
    fn select_first_search(&mut self) {
        let place = self
            .picker
            .shown()
            .position(|item| matches!(item.value, Some(Entry::Saved(_) | Entry::Preset(_))));
        if let Some(place) = place {
            self.picker.select(place, false);
        }
    }

    /// Lists anew after a change; what is typed and selected stays.
    fn place(&self, entry: Option<&Entry>) -> Option<usize> {
        let mut shown = self.picker.shown();
        shown.position(|item| item.value.is_some() && item.value.as_ref() == entry)
    }

    pub(super) fn relist(
        &mut self,
        searches: &Searches,
        dialect: &'static Dialect,
        running: Option<&str>,
        select: Option<&Entry>,
    ) {
        let before = self.picker.selected();
        let typed = self.picker.input.clone();
        self.picker = List::new(items(searches, dialect, running));
        self.picker.input = typed;
        self.picker.narrow();
        if self.place(select).is_none() && select.is_some() {
            // What was typed found something else.
            self.picker.input = TextInput::default();
            self.picker.narrow();
        }
        let place = self.place(select).unwrap_or(before);
        self.picker.select(place, false);
        self.previews = previews(searches, dialect);
    }

    /// What the selected line would do or run, in words.
    pub fn preview(&self) -> &[String] {
        let entry = self.entry();
        let found = self
            .previews
            .iter()
            .find(|(own, _)| Some(own) == entry.as_ref());
        found.map_or(&[], |(_, lines)| lines)
    }

    /// What the selected line stands for.
    pub fn entry(&self) -> Option<Entry> {
        self.picker.current().and_then(|item| item.value.clone())
    }
}

fn preset(name: &str) -> Option<&'static SavedSearch> {
    presets().iter().find(|preset| preset.name == name)
}

fn heading(title: &str) -> Item<Entry> {
    Item {
        title: title.to_owned(),
        text: String::new(),
        note: String::new(),
        disabled: None,
        value: None,
    }
}

fn items(
    searches: &Searches,
    dialect: &'static Dialect,
    running: Option<&str>,
) -> Vec<Item<Entry>> {
    let item = |search: &SavedSearch, is_preset: bool| {
        let is_startup = searches.startup.as_ref() == Some(&search.name);
        let nouns = match search.spec.resource {
            Resource::Volumes => "volumes",
            other => other.nouns(),
        };
        let name = search.name.clone();
        Item {
            title: name.clone(),
            text: if is_preset {
                search.note.clone()
            } else {
                brief(&search.spec, dialect).query
            },
            note: match (is_startup, is_preset) {
                (true, _) => format!("{nouns}, at start"),
                (false, true) => format!("{nouns}, preset"),
                (false, false) => nouns.to_owned(),
            },
            disabled: search.read(dialect).err().map(|error| error.to_string()),
            value: Some(if is_preset {
                Entry::Preset(name)
            } else {
                Entry::Saved(name)
            }),
        }
    };
    let mut items = Vec::new();
    if let Some(running) = running {
        items.push(Item {
            title: "Save the running search".to_owned(),
            text: running.to_owned(),
            note: "new".to_owned(),
            disabled: None,
            value: Some(Entry::Save),
        });
    }
    items.push(heading("Your searches"));
    if searches.saved.is_empty() {
        items.push(heading("  (none saved yet)"));
    }
    items.extend(searches.saved.iter().map(|search| item(search, false)));
    items.push(heading("Presets that ship with bourse"));
    items.extend(searches.presets().map(|search| item(search, true)));
    let hidden = presets().len() - searches.presets().count();
    if hidden > 0 {
        items.push(Item {
            title: "Show hidden presets".to_owned(),
            text: match hidden {
                1 => "1 is hidden".to_owned(),
                more => format!("{more} are hidden"),
            },
            note: String::new(),
            disabled: None,
            value: Some(Entry::ShowPresets),
        });
    }
    items
}

fn previews(searches: &Searches, dialect: &'static Dialect) -> Vec<(Entry, Vec<String>)> {
    let saving = "Keeps the running search under a name, for this profile.".to_owned();
    let showing = "Lists the presets that you have hidden again.".to_owned();
    let describe = |search: &SavedSearch| describe(search, dialect);
    let saved = searches.saved.iter();
    let presets = presets().iter();
    [
        (Entry::Save, vec![saving]),
        (Entry::ShowPresets, vec![showing]),
    ]
    .into_iter()
    .chain(saved.map(|search| (Entry::Saved(search.name.clone()), describe(search))))
    .chain(presets.map(|search| (Entry::Preset(search.name.clone()), describe(search))))
    .collect()
}

/// A search as it would be saved today: older files list the countries of a group one by one. One
/// that cannot be read any more is as it was.
fn brief(spec: &SearchSpec, dialect: &'static Dialect) -> SearchSpec {
    let Ok((query, words)) = spec.read(dialect) else {
        return spec.clone();
    };
    let today = SearchSpec::of(&query, &words);
    SearchSpec {
        query: today.query,
        off: today.off,
        ..spec.clone()
    }
}

/// A search in words.
fn describe(search: &SavedSearch, dialect: &'static Dialect) -> Vec<String> {
    let spec = &brief(&search.spec, dialect);
    let mut lines = Vec::new();
    if !search.note.is_empty() {
        lines.push(search.note.clone());
    }
    lines.push(if spec.query.is_empty() {
        "no conditions".to_owned()
    } else {
        spec.query.clone()
    });
    if !spec.off.is_empty() {
        lines.push(format!("switched off: {}", spec.off.join(" ")));
    }
    let catalog = spec.resource.catalog();
    let order = spec.order.as_deref().unwrap_or(catalog.order);
    let limit = spec.limit.or(catalog.limit).filter(|limit| *limit > 0);
    let mut rest = vec![if order.is_empty() {
        "no order".to_owned()
    } else {
        format!("order {order}")
    }];
    rest.extend(limit.map(|limit| format!("at most {limit}")));
    rest.extend(spec.offer_type.clone());
    rest.extend(spec.storage.map(|gigabytes| format!("{gigabytes} GB disk")));
    rest.extend(search.job.map(|job| format!("job {}", job.brief())));
    lines.push(rest.join(", "));
    lines
}

/// Opens the list.
pub(super) fn open(model: &mut Model) {
    let running = running(model);
    let list = SearchList::new(
        &model.state.searches,
        model.state.profile.dialect,
        running.as_deref(),
    );
    model.overlays.push(Overlay::Searches(list));
}

/// The text of the running query, where there is one.
fn running(model: &Model) -> Option<String> {
    model
        .browser()
        .map(|browser| language::print_briefly(&browser.query.conditions))
}

/// Lists anew if the list is open.
fn relist(model: &mut Model, select: Option<&Entry>) {
    let running = running(model);
    let dialect = model.state.profile.dialect;
    for overlay in &mut model.overlays {
        if let Overlay::Searches(list) = overlay {
            list.relist(&model.state.searches, dialect, running.as_deref(), select);
        }
    }
}

/// Does what an action asks of the list.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let Some(Overlay::Searches(list)) = model.overlays.last() else {
        return Vec::new();
    };
    let Some(entry) = list.entry() else {
        return Vec::new();
    };
    match (action, entry) {
        (Action::Submit, entry) => return chosen(model, now, entry),
        (Action::Toggle, Entry::Saved(name) | Entry::Preset(name)) => {
            let is_startup = model.state.searches.startup.as_ref() == Some(&name);
            let startup = (!is_startup).then_some(name);
            return change(model, SearchChange::Startup(startup), None);
        }
        (Action::MoveUp, Entry::Saved(name)) => return shift(model, name, -1),
        (Action::MoveDown, Entry::Saved(name)) => return shift(model, name, 1),
        (Action::Remove, Entry::Saved(name)) => model
            .overlays
            .push(Overlay::Question(Question::delete_search(&name))),
        (Action::Remove, Entry::Preset(name)) => {
            let effects = change(model, SearchChange::Hide(name), None);
            model.show(Toast::new(
                "Hidden: “Show hidden presets” at the end brings it back",
                now,
            ));
            return effects;
        }
        (Action::Rename, Entry::Saved(name)) => model
            .overlays
            .push(Overlay::Prompt(Prompt::rename_search(&name))),
        (Action::Rename | Action::MoveUp | Action::MoveDown, Entry::Preset(_)) => {
            let text = "Presets stay as they are: run one and save it as your own";
            model.show(Toast::error(text, now));
        }
        _ => {}
    }
    Vec::new()
}

/// Does what a line of the list stands for.
pub(super) fn chosen(model: &mut Model, now: Now, entry: Entry) -> Vec<Effect> {
    match entry {
        Entry::Save => {
            ask_name(model);
            Vec::new()
        }
        Entry::ShowPresets => change(model, SearchChange::ShowPresets, None),
        Entry::Saved(name) => match model.state.searches.named(&name).cloned() {
            Some(search) => run(model, now, &search),
            None => Vec::new(),
        },
        Entry::Preset(name) => match preset(&name) {
            Some(search) => run(model, now, search),
            None => Vec::new(),
        },
    }
}

fn shift(model: &mut Model, name: String, by: isize) -> Vec<Effect> {
    let entry = Entry::Saved(name.clone());
    change(model, SearchChange::Shift { name, by }, Some(&entry))
}

/// Asks for a name for the running search.
pub(super) fn ask_name(model: &mut Model) {
    if let Some(running) = running(model) {
        model
            .overlays
            .push(Overlay::Prompt(Prompt::save_search(&running)));
    }
}

/// Opens the pane of a search and runs it.
pub(super) fn run(model: &mut Model, now: Now, search: &SavedSearch) -> Vec<Effect> {
    match search.read(model.state.profile.dialect) {
        Err(error) => {
            let text = format!("“{}” cannot run: {error}", search.name);
            model.show(Toast::error(text, now));
            Vec::new()
        }
        Ok((query, words, job)) => {
            model.overlays.clear();
            model.state.pane = super::Pane::of(search.spec.resource);
            if let Some(browser) = model.browser_mut() {
                browser.load_saved(query, words, job);
                // The rows that are here stand in the new order now.
                browser.select(0);
                let text = browser.query_text();
                browser.bar.remember(&text);
            }
            actions::refresh(model, now)
        }
    }
}

/// Makes a change here and has it kept.
fn change(model: &mut Model, change: SearchChange, select: Option<&Entry>) -> Vec<Effect> {
    let before = model.state.searches.clone();
    model.state.searches.apply(&change);
    model.state.keep.pending += 1;
    relist(model, select);
    vec![Effect::KeepSearches { change, before }]
}

/// Takes the searches as the file has them, with what other programs changed.
pub(super) fn kept(model: &mut Model, result: Result<Searches, String>) {
    model.state.keep.pending = model.state.keep.pending.saturating_sub(1);
    match result {
        // With another change on its way this answer is old already.
        Ok(searches) if model.state.keep.pending == 0 => {
            model.state.searches = searches;
            relist(model, None);
        }
        Ok(_) => {}
        Err(why) => model.kept(Err(why)),
    }
}

/// Takes a typed name: for the running search, or for one that had another.
pub(super) fn named(model: &mut Model, now: Now, typed: &str, from: Option<&str>) -> Vec<Effect> {
    let checked = match model.state.searches.check_name(typed) {
        // Its own name is not taken by another.
        Err(NameError::Taken) if from == Some(typed.trim()) => Ok(typed.trim().to_owned()),
        checked => checked,
    };
    match (checked, from) {
        (Err(NameError::Taken), None) => {
            let question = Question::replace_search(typed.trim());
            model.overlays.push(Overlay::Question(question));
            Vec::new()
        }
        (Err(error), _) => {
            if let Some(Overlay::Prompt(prompt)) = model.overlays.last_mut() {
                prompt.error = Some(error.to_string());
            }
            Vec::new()
        }
        (Ok(name), None) => {
            model.overlays.pop();
            save(model, now, name)
        }
        (Ok(to), Some(from)) => {
            model.overlays.pop();
            let entry = Entry::Saved(to.clone());
            let from = from.to_owned();
            change(model, SearchChange::Rename { from, to }, Some(&entry))
        }
    }
}

/// Saves the running search under a name that is free or may be taken.
pub(super) fn save(model: &mut Model, now: Now, name: String) -> Vec<Effect> {
    let Some(browser) = model.browser() else {
        return Vec::new();
    };
    let spec = SearchSpec::of(&browser.query, browser.ran_words());
    let is_priced = browser.resource() == Resource::Offers;
    let job = browser.figures.job.filter(|_| is_priced);
    let entry = Entry::Saved(name.clone());
    let key = model.state.keymap.way_to("saved-searches");
    let in_list = model
        .overlays
        .iter()
        .any(|overlay| matches!(overlay, Overlay::Searches(_)));
    let text = if in_list {
        let run = model.state.keymap.way_to("search-run");
        format!("Saved “{name}”: {run} runs it")
    } else {
        format!("Saved “{name}”: {key} lists it")
    };
    model.show(Toast::new(text, now));
    let search = SavedSearch {
        name,
        note: String::new(),
        job,
        spec,
    };
    change(model, SearchChange::Put(search), Some(&entry))
}

/// Deletes a saved search.
pub(super) fn delete(model: &mut Model, now: Now, name: String) -> Vec<Effect> {
    model.show(Toast::new(format!("Deleted “{name}”"), now));
    change(model, SearchChange::Delete(name), None)
}
