//! The help: all keys, those of the current view first, the query language, and the signs on the
//! screen.

mod draw;
mod topics;

use ratatui::layout::Rect;

use crate::core::commands::Commands;
use crate::core::copy_item::CopyItem;
use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::keys::of_list;
use crate::core::{Pane, State};
use crate::domain::text::visible;
use crate::features::copy_export::copy::{copy_item, reachable_items};
use crate::features::user_commands;
use crate::keys::{Action, BINDINGS, Binding, Context, bindings};
use crate::tui::input_widget::InputWidget;
use crate::tui::list::{Item, List};

/// The heading of the files.
const FILES: &str = "Files";

#[derive(Debug, Clone)]
enum HelpEntry {
    /// A line to read, of the topic with this heading.
    Read(&'static str),
    Key(&'static Binding),
    Copy(CopyItem),
    /// A user's command, by its index in the configuration.
    Own(u16),
}

#[derive(Debug)]
pub(crate) struct Help {
    list: List<HelpEntry>,
    commands: Commands,
}

impl Help {
    /// The help for the focused view: its keys, own commands, topics, files and copies, then the keys of all
    /// other views.
    pub fn new(commands: Commands, state: &State) -> Self {
        let contexts = commands.contexts;
        let mut items = Vec::new();
        for (index, context) in contexts.iter().enumerate() {
            let (title, about) = match (index, context) {
                (0, Context::Table) => (state.pane.title(), about(*context, state)),
                (0, _) => (context.title(), about(*context, state)),
                _ => (context.title(), ""),
            };
            items.push(Item::heading(title, about));
            items.extend(bindings(*context).map(|row| key_here(row, &commands, state)));
        }
        items.extend(own(&commands, state));
        for (title, lines) in topics::ALL {
            items.push(Item::heading(title, ""));
            let topic = lines.iter();
            items.extend(topic.map(|(sign, text)| Item::new(*sign, *text, HelpEntry::Read(title))));
        }
        items.push(Item::heading(FILES, ""));
        items.extend(files(state));
        items.extend(copies(&commands, state));
        let mut seen: Vec<Context> = contexts.to_vec();
        for row in BINDINGS {
            if !seen.contains(&row.context) {
                seen.push(row.context);
                items.push(Item::heading(row.context.title(), ""));
                items.extend(bindings(row.context).map(|row| key_elsewhere(row, state)));
            }
        }
        Self {
            list: List::new(items).known_as(names),
            commands,
        }
    }

    /// Runs the selected action, own command or copy; for a disabled action, closes the help and shows the
    /// reason. Nothing happens on other lines.
    fn submit(&self, cx: &mut Cx<'_>) {
        match self.list.current().and_then(|item| item.value.clone()) {
            None | Some(HelpEntry::Read(_)) => {}
            Some(HelpEntry::Key(row)) => match self.commands.disabled(row.action, cx.state()) {
                Some(why) => {
                    cx.close();
                    cx.complain(why);
                }
                None => cx.run_command(&self.commands, row.action),
            },
            Some(HelpEntry::Own(index)) => cx.run_command(&self.commands, Action::Command(index)),
            Some(HelpEntry::Copy(item)) => {
                cx.close();
                copy_item(&item, cx);
            }
        }
    }
}

/// The hidden names by which a line is also found in the help: of an action its name in the configuration and other
/// words, of a topic's line its heading. Empty for other lines.
fn names(entry: &HelpEntry) -> Vec<&'static str> {
    match entry {
        HelpEntry::Key(row) => row.names(),
        HelpEntry::Read(topic) => vec![topic],
        HelpEntry::Copy(_) | HelpEntry::Own(_) => Vec::new(),
    }
}

/// All keys of an action as text; `(palette)` if it has none.
fn keys(row: &Binding, state: &State) -> String {
    match state.keymap.all_keys(row) {
        none if none.is_empty() => "(palette)".to_owned(),
        all => all,
    }
}

/// A line of the help for a key of the current view, with the reason if it is disabled or another view takes
/// it first.
fn key_here(row: &'static Binding, commands: &Commands, state: &State) -> Item<HelpEntry> {
    let why = match state.keymap.owner_of(commands.contexts, row) {
        Some(owner) if owner != row.context => Some(format!("here this key belongs to: {}", owner.title())),
        _ => commands.disabled(row.action, state),
    };
    Item::new(keys(row, state), row.help, HelpEntry::Key(row)).disabled(why)
}

/// A line of the help for a key of another view, whose title follows the description.
fn key_elsewhere(row: &'static Binding, state: &State) -> Item<HelpEntry> {
    // Found by typing, it is under no heading.
    let text = format!("{} [{}]", row.help, row.context.title());
    Item::new(keys(row, state), text, HelpEntry::Key(row))
}

/// Two lines of the help: the path of the configuration, and the command that prints all other paths.
fn files(state: &State) -> [Item<HelpEntry>; 2] {
    let path = state.markets.market_list.file.as_deref();
    let config = path.map_or_else(|| "no home folder, no file".to_owned(), |path| visible(path, 200));
    [
        Item::new("config.toml", config, HelpEntry::Read(FILES)),
        Item::new(
            "bourse paths",
            "prints the paths of all files and folders",
            HelpEntry::Read(FILES),
        ),
    ]
}

/// The lines of the help for all of the user's own commands, with the kind of row each runs on, below a
/// heading; empty if there are none.
fn own(commands: &Commands, state: &State) -> Vec<Item<HelpEntry>> {
    let named = (0_u16..).zip(&state.settings.values.commands);
    let items: Vec<Item<HelpEntry>> = named
        .map(|(index, named)| {
            let action = Action::Command(index);
            let key = state.keymap.own_key(action);
            let (name, what) = (visible(&named.name, 40), user_commands::describe(&named.value));
            let text = format!("{name}, on {}: {what}", named.value.on.nouns());
            let key = key.unwrap_or_else(|| "(palette)".to_owned());
            Item::new(key, text, HelpEntry::Own(index)).disabled(commands.disabled(action, state))
        })
        .collect();
    if items.is_empty() {
        return items;
    }
    std::iter::once(Item::heading("Your commands", ""))
        .chain(items)
        .collect()
}

/// The texts that the copy menu offers here, with their letters, below a heading; those that cannot be copied
/// now are disabled with the reason. Empty where the menu cannot be opened or offers nothing.
fn copies(commands: &Commands, state: &State) -> Vec<Item<HelpEntry>> {
    let menu = state.keymap.key_of(Action::Copy);
    let items: Vec<Item<HelpEntry>> = reachable_items(commands, state)
        .into_iter()
        .map(|item| {
            let (title, text) = (format!("{menu} {}", item.letter), format!("Copy {}", item.what));
            let (name, disabled) = (item.name, item.text.as_ref().err().map(ToString::to_string));
            Item::new(title, text, HelpEntry::Copy(item))
                .note(name)
                .disabled(disabled)
        })
        .collect();
    if items.is_empty() {
        return items;
    }
    std::iter::once(Item::heading("Copy menu", "")).chain(items).collect()
}

/// A short description of the open pane, or of the query line; empty for other contexts.
const fn about(context: Context, state: &State) -> &'static str {
    match (context, state.pane) {
        (Context::TableQuery | Context::Query, _) => {
            "conditions such as gpu_name=RTX_4090, or words that narrow the rows"
        }
        (Context::Table, Pane::Offers) => "machines for rent",
        (Context::Table, Pane::Volumes) => "network disks for rent",
        (Context::Workergroups, _) => "the workers behind your serverless endpoints",
        (Context::Table, Pane::Requests) => "what was sent and received",
        _ => "",
    }
}

impl View for Help {
    fn contexts(&self) -> &'static [Context] {
        &[Context::List, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let is_text = matches!(
            self.list.current().map(|item| &item.value),
            Some(Some(HelpEntry::Read(_)))
        );
        match action {
            Action::Submit if is_text => Availability::Hidden,
            action => of_list(&self.list, action),
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("run"),
            Action::Help => Some("close"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Submit => self.submit(cx),
            Action::Back | Action::Help => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::help(self, area, scene);
    }
}
