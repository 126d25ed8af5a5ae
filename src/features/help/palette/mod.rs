//! The command palette: every action, saved search, market, field and copy by name.
//!
//! Each kind of line is a function that returns items; `Palette::new` chains them. Before anything
//! is typed, only commands and markets are listed, by group.

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::commands::Commands;
use crate::core::copy_item::CopyItem;
use crate::core::view::{Availability, Cx, Open, Outcome, Placement, Scene, View};
use crate::core::views::keys::{command_named, of_list};
use crate::domain::Field;
use crate::domain::saved::SavedSearch;
use crate::domain::text::visible;
use crate::features::copy_export::copy::{copy_item, reachable_items};
use crate::features::{markets, saved as searches, user_commands};
use crate::keys::{Action, Binding, Context, Group};
use crate::tui::dialog;
use crate::tui::input_widget::InputWidget;
use crate::tui::list::{Item, List};
use crate::tui::panel::{Panel, Tone};
use crate::tui::text::capitalized;

#[derive(Debug, Clone)]
enum PaletteEntry {
    Do(&'static Binding),
    Connect(u16),
    NewMarket,
    /// Runs a user's command, by its index in the configuration.
    Own(u16),
    Copy(CopyItem),
    Run(Box<SavedSearch>),
    SortBy(&'static Field),
    Condition(&'static Field),
    /// Shows the column, or hides it.
    Column(&'static Field),
}

impl PaletteEntry {
    /// The group under whose heading it is listed.
    const fn group(&self) -> Group {
        match self {
            Self::Do(row) => row.action.group(),
            Self::Connect(_) | Self::NewMarket => Group::Connect,
            Self::Own(_) => Group::Build,
            Self::Copy(_) => Group::Save,
            Self::Run(_) | Self::SortBy(_) | Self::Condition(_) => Group::Find,
            Self::Column(_) => Group::Look,
        }
    }

    /// Whether it is listed while `text` is typed: copies and searches only once there is a text, undo only
    /// before there is one, or once its whole name is typed.
    ///
    /// There are hundreds of fields, so they are listed only after the word for their use, such as `sort`.
    fn is_listed(&self, text: &str) -> bool {
        let wants = |word: &str| text.to_lowercase().starts_with(word);
        match self {
            // Half a word never undoes anything.
            Self::Do(row) if row.action == Action::Undo => {
                text.is_empty() || text.to_lowercase().split_whitespace().any(|word| word == "undo")
            }
            Self::Do(_) | Self::Connect(_) | Self::NewMarket | Self::Own(_) => true,
            Self::Copy(_) | Self::Run(_) => !text.is_empty(),
            Self::SortBy(_) => wants("sort"),
            Self::Condition(_) => wants("filter"),
            Self::Column(_) => wants("column"),
        }
    }

    /// Names of an entry that are searched and not shown: of an action those in the configuration, and what people call
    /// it. Empty for entries that are found by their titles alone.
    fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Do(row) => row.names(),
            Self::NewMarket => vec!["new market", "add market", "server", "api key"],
            Self::Connect(_)
            | Self::Own(_)
            | Self::Copy(_)
            | Self::Run(_)
            | Self::SortBy(_)
            | Self::Condition(_)
            | Self::Column(_) => Vec::new(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Palette {
    list: List<PaletteEntry>,
    commands: Commands,
}

impl Palette {
    /// The command palette for the focused view.
    pub fn new(commands: Commands, state: &State) -> Self {
        let list = lines(&commands, state);
        Self { list, commands }
    }

    /// Carries out the selected line; if it is disabled, only shows the reason.
    fn submit(&self, cx: &mut Cx<'_>) {
        let Some(item) = self.list.current() else {
            return;
        };
        if let Some(why) = &item.disabled {
            return cx.complain(why.clone());
        }
        match &item.value {
            None => {}
            Some(PaletteEntry::Do(row)) => cx.run_command(&self.commands, row.action),
            Some(PaletteEntry::Connect(index)) => cx.run_command(&self.commands, Action::Market(*index)),
            Some(PaletteEntry::NewMarket) => {
                cx.close();
                cx.open_on(Open::NewMarket);
            }
            Some(PaletteEntry::Own(index)) => cx.run_command(&self.commands, Action::Command(*index)),
            Some(PaletteEntry::Copy(form)) => {
                cx.close();
                copy_item(form, cx);
            }
            Some(PaletteEntry::Run(search)) => {
                cx.close();
                searches::run(search, cx);
            }
            Some(PaletteEntry::SortBy(field)) => {
                cx.go_to(cx.state().pane);
                let now = cx.now;
                if let Some(browser) = cx.pane_table() {
                    let superseded = browser.sort_by(field, now);
                    cx.abort(superseded);
                }
            }
            Some(PaletteEntry::Column(field)) => {
                cx.go_to(cx.state().pane);
                if let Some(browser) = cx.pane_table() {
                    if browser.columns.contains(field) {
                        browser.hide_columns(&[field.key]);
                    } else {
                        browser.columns.push(field);
                    }
                }
            }
            Some(PaletteEntry::Condition(field)) => {
                cx.go_to(cx.state().pane);
                if let Some(browser) = cx.pane_table() {
                    browser.begin_condition(field);
                }
            }
        }
    }
}

/// The lines of the command palette. Searches and fields are among them if the focused view is above a table,
/// markets and own commands if it lets their actions through.
fn lines(commands: &Commands, state: &State) -> List<PaletteEntry> {
    let mut items = actions(commands, state);
    if commands.reaches_table() {
        items.extend(saved(state));
        items.extend(fields(state));
    }
    items.extend(copies(commands, state));
    if commands.reaches_markets() {
        items.extend(connections(state));
        items.extend(own(commands, state));
    }
    let list = List::new(grouped(items));
    list.known_as(PaletteEntry::names).listing(PaletteEntry::is_listed)
}

/// The lines of the command palette under the headings of their groups, in each those available now first;
/// groups without a line have no heading.
fn grouped(mut items: Vec<Item<PaletteEntry>>) -> Vec<Item<PaletteEntry>> {
    items.sort_by_key(|item| item.disabled.is_some());
    let groups = Group::ALL.iter().flat_map(|group| {
        let is_in = |item: &&Item<PaletteEntry>| item.value.as_ref().is_some_and(|entry| entry.group() == *group);
        let lines: Vec<_> = items.iter().filter(is_in).cloned().collect();
        let heading = (!lines.is_empty()).then(|| Item::heading(group.title(), ""));
        heading.into_iter().chain(lines)
    });
    groups.collect()
}

/// An action's name in the configuration as a label: `saved-searches` is "Saved searches".
pub(crate) fn label(name: &str) -> String {
    capitalized(&name.replace('-', " "))
}

/// The effect of an action; empty if its name already states it: `next-pane` is "Next pane".
pub(crate) fn action_effect(row: &Binding) -> &'static str {
    if label(row.name) == row.help { "" } else { row.help }
}

/// The actions of the focused view, then those of the table below, each once; moves, the keys of lists and
/// the palette itself are left out.
fn actions(commands: &Commands, state: &State) -> Vec<Item<PaletteEntry>> {
    let mut seen = vec![Action::Palette];
    commands
        .rows()
        .filter(|row| row.context != Context::List && !row.moves())
        .filter(|row| {
            // The same action in another context, or under another key, is listed once.
            let is_new = !seen.contains(&row.action);
            seen.push(row.action);
            is_new
        })
        .map(|row| Item {
            title: label(row.name),
            text: action_effect(row).to_owned(),
            note: key(row, commands, state),
            disabled: commands.disabled(row.action, state),
            value: Some(PaletteEntry::Do(row)),
        })
        .collect()
}

/// The key of an action as text; empty if another context takes the key first, or if it has none.
fn key(row: &Binding, commands: &Commands, state: &State) -> String {
    let taken = state.keymap.owner_of(commands.contexts, row);
    if taken.is_some_and(|owner| owner != row.context) {
        return String::new();
    }
    state.keymap.shown_key(row)
}

/// A line for each text of the copy menu, with the keys to copy it; those without a text are disabled with
/// the reason.
fn copies(commands: &Commands, state: &State) -> Vec<Item<PaletteEntry>> {
    let menu = state.keymap.key_of(Action::Copy);
    let copies = reachable_items(commands, state).into_iter();
    copies
        .map(|copy| Item {
            title: label(copy.name),
            text: format!("Copy {}", copy.what),
            note: format!("{menu} {}", copy.letter),
            disabled: copy.text.as_ref().err().map(ToString::to_string),
            value: Some(PaletteEntry::Copy(copy)),
        })
        .collect()
}

/// A palette line for each saved search, then for each preset; those that cannot be read are disabled with
/// the error.
fn saved(state: &State) -> Vec<Item<PaletteEntry>> {
    let item = |search: &SavedSearch| Item {
        title: format!("Search: {}", search.name),
        text: if search.note.is_empty() {
            search.spec.query.clone()
        } else {
            search.note.clone()
        },
        note: search.spec.resource.nouns().to_owned(),
        disabled: search.read(state.profile.dialect).err().map(|error| error.to_string()),
        value: Some(PaletteEntry::Run(Box::new(search.clone()))),
    };
    let saved = state.searches.saved.iter().map(item);
    saved.chain(state.searches.presets().map(item)).collect()
}

/// The palette lines for the fields of the pane: to sort by, to start a condition on, or to show as columns.
/// Empty if the pane has no table.
fn fields(state: &State) -> Vec<Item<PaletteEntry>> {
    let Some(browser) = state.browser() else {
        return Vec::new();
    };
    let catalog = browser.query.catalog();
    let item = |what: &str, field: &'static Field, entry: PaletteEntry| Item {
        title: format!("{what} {}", field.label),
        text: field.doc.to_owned(),
        note: std::iter::once(field.key)
            .chain(field.aliases.iter().copied())
            .collect::<Vec<_>>()
            .join(" "),
        disabled: None,
        value: Some(entry),
    };
    let sortable = catalog.columns().filter(|field| field.sortable);
    let sorts = sortable.map(|field| item("Sort by", field, PaletteEntry::SortBy(field)));
    let filters = catalog.filters().into_iter();
    let conditions = filters.map(|field| item("Filter on", field, PaletteEntry::Condition(field)));
    let all = catalog.columns();
    let columns = all.map(|field| item("Column", field, PaletteEntry::Column(field)));
    sorts.chain(conditions).chain(columns).collect()
}

/// The palette lines for the user's own commands that run on the rows of the open pane; those for other rows
/// are left out.
fn own(commands: &Commands, state: &State) -> Vec<Item<PaletteEntry>> {
    let named = (0_u16..).zip(&state.settings.values.commands);
    named
        .filter(|(_, named)| state.pane.resource() == Some(named.value.on))
        .map(|(index, named)| Item {
            title: visible(&label(&named.name), 60),
            text: user_commands::describe(&named.value),
            note: state.keymap.own_key(Action::Command(index)).unwrap_or_default(),
            disabled: commands.disabled(Action::Command(index), state),
            value: Some(PaletteEntry::Own(index)),
        })
        .collect()
}

/// A line for each configured market, which connects to it, and one for a new market; the former are disabled if the
/// market cannot be changed now.
fn connections(state: &State) -> Vec<Item<PaletteEntry>> {
    let held = markets::switch_blocked_reason(state);
    let new = Item {
        title: "New market".to_owned(),
        text: "Add a market by its address and key".to_owned(),
        note: String::new(),
        disabled: None,
        value: Some(PaletteEntry::NewMarket),
    };
    let markets = (0_u16..)
        .zip(&state.markets.market_list.markets)
        .map(|(index, market)| Item {
            title: format!("Market: {}", market.name),
            text: match &market.address {
                Some(address) => format!("Connect to {address}"),
                None => "Connect to the sandbox inside bourse".to_owned(),
            },
            note: String::new(),
            disabled: held.clone(),
            value: Some(PaletteEntry::Connect(index)),
        });
    markets.chain([new]).collect()
}

impl View for Palette {
    fn contexts(&self) -> &'static [Context] {
        &[Context::List, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        of_list(&self.list, action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        (action == Action::Submit).then_some("run")
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Submit => self.submit(cx),
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.list)
    }

    // Actions that need rows become available when rows arrive.
    fn rows_changed(&mut self, state: &State) {
        let title = self.list.current().map(|item| item.title.clone());
        let input = std::mem::take(&mut self.list.input);
        self.list = lines(&self.commands, state);
        self.list.input = input;
        self.list.narrow();
        let line = self.list.shown().position(|item| Some(&item.title) == title.as_ref());
        self.list.select(line.unwrap_or_default(), false);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let width = area.width.saturating_sub(4).min(130);
        // As high as its lines, below a top that stays while typing.
        let all = dialog::centred(width, area.height.saturating_sub(1).min(34), area);
        let lines = u16::try_from(self.list.shown().len().max(1)).unwrap_or(u16::MAX);
        let height = lines.saturating_add(3).min(all.height);
        let area = Rect {
            y: all.y,
            height,
            ..area
        };
        let mut panel = Panel::new("Commands")
            .note(format!("{}", self.list.shown().len()))
            .tone(Tone::Focused);
        if self.list.shown().len() == 0 {
            let command = command_named(self.list.input.text(), scene.state);
            let sentences = format!("Sentences and ids: {} on Offers", scene.key(Action::Query));
            let texts: Vec<_> = command.into_iter().chain([sentences]).collect();
            panel = panel.foot(texts.join(" · "));
        }
        let inner = dialog::open(panel, (width, height), area, scene.frame.buffer_mut(), scene.theme);
        scene.searched_list(&self.list, inner);
    }
}
