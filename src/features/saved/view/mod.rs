//! The list of saved searches and presets, to run, save, rename, delete and sort them.

mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::confirm::{Confirm, Entered, Prompt, accept};
use crate::core::views::keys::{edits, of_list, only};
use crate::domain::saved::{LONGEST_NAME, NameError, SavedSearch, SearchChange, SearchSpec, presets};
use crate::domain::{Dialect, Resource, language};
use crate::features::history::prices::History;
use crate::features::saved as searches;
use crate::keys::{Action, Context, Step};
use crate::table::browser::Browser;
use crate::tui::input_widget::InputWidget;
use crate::tui::list::{Item, List};
use crate::tui::text_input::TextInput;

/// The subject of a line in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    Save,
    /// A saved search, by its name.
    Saved(String),
    /// A preset, by its name.
    Preset(String),
    /// Show the hidden presets again.
    ShowPresets,
}

/// A search that was just saved or renamed, to be selected in the list.
struct Added(String);

#[derive(Debug)]
pub(crate) struct Saved {
    list: List<Entry>,
}

impl Saved {
    /// Opens the list of saved searches with the one saved last selected, or else the first saved one, or
    /// else its first line. Always true.
    pub fn open(cx: &mut Cx<'_>) -> bool {
        let added = cx.drafts().take::<Added>().map(|Added(name)| name);
        cx.try_open(|state| {
            let mut view = Self {
                list: List::new(items(state)),
            };
            let first = || state.searches.saved.first().map(|search| search.name.clone());
            if let Some(name) = added.or_else(first) {
                view.relist(state, Some(&Entry::Saved(name)));
            }
            Some(view)
        })
    }

    /// The line (from 0) of an entry in the filtered list; `None` if it is not listed, and for `None`.
    fn line_of(&self, entry: Option<&Entry>) -> Option<usize> {
        let mut shown = self.list.shown();
        shown.position(|item| item.value.is_some() && item.value.as_ref() == entry)
    }

    /// Updates the list to the current searches; the typed text stays, and the selected entry, or its line
    /// number if the entry is gone. With `select`, that entry is selected, and a typed text that would hide
    /// it is cleared.
    fn relist(&mut self, state: &State, select: Option<&Entry>) {
        let before = self.list.selected();
        let entry = select.cloned().or_else(|| self.entry());
        self.list.replace(items(state), None);
        if self.line_of(entry.as_ref()).is_none() && select.is_some() {
            // The typed text would hide it.
            self.list.input = TextInput::default();
            self.list.narrow();
        }
        let line = self.line_of(entry.as_ref()).unwrap_or(before);
        self.list.select(line, false);
    }

    /// The subject of the selected line; `None` for a heading or an empty list.
    fn entry(&self) -> Option<Entry> {
        self.list.current().and_then(|item| item.value.clone())
    }

    /// The selected saved search or preset; `None` for other lines.
    fn search<'a>(&self, state: &'a State) -> Option<&'a SavedSearch> {
        match self.entry()? {
            Entry::Saved(name) => state.searches.named(&name),
            Entry::Preset(name) => searches::preset(&name),
            Entry::Save | Entry::ShowPresets => None,
        }
    }

    /// Changes the saved searches, and updates the list.
    fn change(&mut self, change: SearchChange, cx: &mut Cx<'_>) {
        cx.change_searches(change);
        self.relist(cx.state(), None);
    }

    /// Carries out Enter on an entry: saves the current search, shows hidden presets, or runs the search.
    fn submit(&mut self, entry: &Entry, cx: &mut Cx<'_>) {
        match entry {
            Entry::Save => {
                ask_name(true, cx);
            }
            Entry::ShowPresets => self.change(SearchChange::ShowPresets, cx),
            Entry::Saved(_) | Entry::Preset(_) => {
                if let Some(search) = self.search(cx.state()).cloned() {
                    searches::run(&search, cx);
                }
            }
        }
    }

    /// Deletes a saved search after a question, or hides a preset at once; nothing for other lines.
    fn remove(&mut self, entry: Entry, cx: &mut Cx<'_>) {
        match entry {
            Entry::Saved(name) => {
                let text = format!("“{name}” will be deleted.");
                let delete = move |cx: &mut Cx<'_>| {
                    cx.toast(format!("Deleted “{name}”"));
                    cx.change_searches(SearchChange::Delete(name));
                };
                let title = "Delete the saved search?";
                cx.open(Confirm::new(title, text, "delete", delete).danger());
            }
            Entry::Preset(name) => {
                self.change(SearchChange::Hide(name), cx);
                cx.toast("Preset hidden: “Show hidden presets” brings it back");
            }
            Entry::Save | Entry::ShowPresets => {}
        }
    }
}

/// Asks for a name and saves the current search under it, after a question if that replaces one; false if the
/// pane has no search.
///
/// `in_list`: the list of saved searches is open below and selects the new search afterwards.
pub(crate) fn ask_name(in_list: bool, cx: &mut Cx<'_>) -> bool {
    let Some(browser) = cx.state().browser() else {
        return false;
    };
    let query = language::print_briefly(&browser.query.conditions);
    let proposed = proposed_name(browser);
    let save = move |typed: &str, cx: &mut Cx<'_>| match cx.state().searches.check_name(typed) {
        Ok(name) => {
            save(name, in_list, cx);
            Entered::Accepted
        }
        Err(NameError::Taken) => {
            let name = typed.trim().to_owned();
            let text = format!("There is a search named “{name}”. This one would replace it.");
            let replace = move |cx: &mut Cx<'_>| {
                save(name, in_list, cx);
                accept(cx);
            };
            let title = "Replace the saved search?";
            cx.open(Confirm::new(title, text, "replace", replace).danger());
            Entered::Asked
        }
        Err(error) => Entered::Rejected(error.to_string()),
    };
    let text = format!("Query, sort order, limit, price type, storage and job: {query}");
    let prompt = Prompt::new("Save this search", "Name", "save", save).text(text);
    cx.open(prompt.proposes(proposed));
    true
}

/// A name for the search, with its words and its job: `4090 Europe 3 days`; cut to the longest allowed name.
fn proposed_name(browser: &Browser) -> String {
    let job = browser.computed.job.map(|job| job.length());
    let words = std::iter::once(browser.name())
        .chain(browser.ran_words().to_vec())
        .chain(job);
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(LONGEST_NAME).collect()
}

/// Saves the current search under a name, replacing a search of that name, with a toast that names the key to
/// run it (`in_list`) or to list it. Nothing if the pane has no search.
fn save(name: String, in_list: bool, cx: &mut Cx<'_>) {
    let keymap = &cx.state().keymap;
    let hint = if in_list {
        format!("{} runs it", keymap.key_in(&[Context::List], Action::Submit))
    } else {
        format!("{} lists it", keymap.key_of(Action::SavedSearches))
    };
    if let Some(search) = searches::current(name, cx.state()) {
        cx.toast(format!("Saved “{}”: {hint}", search.name));
        cx.drafts().put(Added(search.name.clone()));
        cx.change_searches(SearchChange::Put(search));
    }
}

/// Asks for another name for the saved search `from`, and renames it. The name of another search is rejected;
/// its present name is accepted and changes nothing.
fn ask_new_name(from: String, cx: &mut Cx<'_>) {
    let before = from.clone();
    let rename = move |typed: &str, cx: &mut Cx<'_>| match cx.state().searches.check_name(typed) {
        // Keeping its own name is no conflict.
        Err(NameError::Taken) if typed.trim() == from => Entered::Accepted,
        Err(error) => Entered::Rejected(error.to_string()),
        Ok(to) => {
            cx.drafts().put(Added(to.clone()));
            let from = from.clone();
            cx.change_searches(SearchChange::Rename { from, to });
            Entered::Accepted
        }
    };
    cx.open(Prompt::new("Rename the search", "Name", "rename", rename).value(&before));
}

impl View for Saved {
    fn contexts(&self) -> &'static [Context] {
        edits(!self.list.input.is_empty())
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.entry()?) {
            (Action::Submit, Entry::Save) => Some("save"),
            (Action::Submit, Entry::ShowPresets) => Some("show"),
            (Action::Submit, Entry::Saved(_) | Entry::Preset(_)) => Some("run"),
            (Action::Toggle, _) => Some("run at start"),
            (Action::Settings, _) => Some("history"),
            (Action::Remove, Entry::Preset(_)) => Some("hide"),
            (Action::Remove, _) => Some("delete"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let used: &[Action] = match self.entry() {
            Some(Entry::Saved(_)) => &[
                Action::Toggle,
                Action::Shift(Step::Back),
                Action::Shift(Step::Forward),
                Action::Remove,
                Action::Edit,
                Action::Settings,
            ],
            Some(Entry::Preset(_)) => &[Action::Toggle, Action::Remove, Action::Settings],
            Some(Entry::Save | Entry::ShowPresets) | None => &[],
        };
        match action {
            Action::Submit => of_list(&self.list, action),
            action => only(used, action),
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if action == Action::Back {
            cx.close();
            return Outcome::Handled;
        }
        match (action, self.entry()) {
            (Action::Submit, Some(entry)) => self.submit(&entry, cx),
            (Action::Toggle, Some(Entry::Saved(name) | Entry::Preset(name))) => {
                let is_startup = cx.state().searches.startup.as_ref() == Some(&name);
                self.change(SearchChange::Startup((!is_startup).then_some(name)), cx);
            }
            (Action::Shift(Step::Back), Some(Entry::Saved(name))) => {
                self.change(SearchChange::Shift { name, by: -1 }, cx);
            }
            (Action::Shift(Step::Forward), Some(Entry::Saved(name))) => {
                self.change(SearchChange::Shift { name, by: 1 }, cx);
            }
            (Action::Remove, Some(entry)) => self.remove(entry, cx),
            (Action::Settings, Some(Entry::Saved(_) | Entry::Preset(_))) => {
                let dialect = cx.state().profile.dialect;
                let search = self.search(cx.state());
                if let Some(Ok((query, _, _))) = search.map(|search| search.read(dialect)) {
                    History::open_for_search(&query, cx);
                }
            }
            (Action::Edit, Some(Entry::Saved(name))) => ask_new_name(name, cx),
            (Action::Edit | Action::Shift(_), Some(Entry::Preset(_))) => {
                cx.complain("Presets can't be changed: run one and save it as your own");
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        let added = cx.drafts().take::<Added>().map(|Added(name)| Entry::Saved(name));
        self.relist(cx.state(), added.as_ref());
    }

    // Another window may have changed the searches.
    fn tick(&mut self, cx: &mut Cx<'_>) {
        self.relist(cx.state(), None);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::saved(self, area, scene);
    }
}

/// The lines of the list of saved searches: saving the current search (if the pane has one), the saved ones,
/// the presets, and a line to show hidden presets (if there are any). A search that cannot be read is
/// disabled.
fn items(state: &State) -> Vec<Item<Entry>> {
    let (searches, dialect) = (&state.searches, state.profile.dialect);
    let item = |search: &SavedSearch, is_preset: bool| {
        let is_startup = searches.startup.as_ref() == Some(&search.name);
        let nouns = match search.spec.resource {
            Resource::Volumes => "volumes",
            resource @ (Resource::Offers | Resource::Workergroups) => resource.nouns(),
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
                (true, _) => format!("{nouns}, start"),
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
    if let Some(browser) = state.browser() {
        items.push(Item {
            title: "Save this search".to_owned(),
            text: language::print_briefly(&browser.query.conditions),
            note: "new".to_owned(),
            disabled: None,
            value: Some(Entry::Save),
        });
    }
    items.push(Item::heading("Your searches", ""));
    if searches.saved.is_empty() {
        items.push(Item::heading("  None yet", ""));
    }
    items.extend(searches.saved.iter().map(|search| item(search, false)));
    items.push(Item::heading("Presets", ""));
    items.extend(searches.presets().map(|search| item(search, true)));
    let hidden = presets().len() - searches.presets().count();
    if hidden > 0 {
        items.push(Item {
            title: "Show hidden presets".to_owned(),
            text: format!("{hidden} hidden"),
            note: String::new(),
            disabled: None,
            value: Some(Entry::ShowPresets),
        });
    }
    items
}

/// The specification of a saved search with its query written as it would be saved today; one that cannot be
/// read is returned unchanged.
///
/// Older files list the countries of a group one by one.
fn brief(spec: &SearchSpec, dialect: &'static Dialect) -> SearchSpec {
    let Ok((query, words)) = spec.read(dialect) else {
        return spec.clone();
    };
    let today = SearchSpec::new(&query, &words);
    SearchSpec {
        query: today.query,
        off: today.off,
        ..spec.clone()
    }
}
