//! All keys, those of the current view first; the query language; the signs on the screen.

mod draw;
mod topics;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::app::commands::{Commands, copy_item};
use crate::app::copy::CopyItem;
use crate::app::keymap::{Action, BINDINGS, Binding, Context, bindings};
use crate::app::view::{Cx, Outcome, Placement, Region, Scene, View};
use crate::app::{Pane, State};
use crate::widgets::list::{Item, List};

#[derive(Debug, Clone)]
enum Entry {
    Read,
    Key(&'static Binding),
    Copy(CopyItem),
}

#[derive(Debug)]
pub(super) struct Help {
    list: List<Entry>,
    commands: Commands,
}

impl Help {
    /// The help for the focused view.
    pub fn new(commands: Commands, state: &State) -> Self {
        let own = commands.contexts;
        let mut items = Vec::new();
        for (place, context) in own.iter().enumerate() {
            let about = if place == 0 {
                about(*context, state)
            } else {
                ""
            };
            items.push(heading(context.title(), about));
            items.extend(bindings(*context).map(|row| own_key(row, &commands, state)));
        }
        for (title, lines) in topics::ALL {
            items.push(heading(title, ""));
            items.extend(lines.iter().map(|(title, text)| Item {
                title: (*title).to_owned(),
                text: (*text).to_owned(),
                note: String::new(),
                disabled: None,
                value: Some(Entry::Read),
            }));
        }
        items.extend(copies(&commands, state));
        let mut seen: Vec<Context> = own.to_vec();
        for row in BINDINGS {
            if !seen.contains(&row.context) {
                seen.push(row.context);
                items.push(heading(row.context.title(), ""));
                items.extend(bindings(row.context).map(|row| other_key(row, state)));
            }
        }
        Self {
            list: List::new(items),
            commands,
        }
    }

    fn submit(&self, cx: &mut Cx<'_>) {
        match self.list.current().and_then(|item| item.value.clone()) {
            None | Some(Entry::Read) => {}
            Some(Entry::Key(row)) => match self.commands.disabled(row.action) {
                Some(why) => {
                    cx.close();
                    cx.complain(why);
                }
                None => self.commands.run(row.action, cx),
            },
            Some(Entry::Copy(item)) => {
                cx.close();
                copy_item(&item, cx);
            }
        }
    }
}

fn heading(title: &str, text: &str) -> Item<Entry> {
    Item {
        title: title.to_owned(),
        text: text.to_owned(),
        note: String::new(),
        disabled: None,
        value: None,
    }
}

fn keys(row: &Binding, state: &State) -> String {
    match state.keymap.all_keys(row) {
        none if none.is_empty() => "(palette)".to_owned(),
        all => all,
    }
}

/// A key of the current view, with the reason if it is disabled.
fn own_key(row: &'static Binding, commands: &Commands, state: &State) -> Item<Entry> {
    let why = match state.keymap.owner_of(commands.contexts, row) {
        Some(owner) if owner != row.context => {
            Some(format!("here this key belongs to: {}", owner.title()))
        }
        _ => commands.disabled(row.action).map(str::to_owned),
    };
    Item {
        title: keys(row, state),
        text: row.help.to_owned(),
        note: row.name.to_owned(),
        disabled: why,
        value: Some(Entry::Key(row)),
    }
}

fn other_key(row: &'static Binding, state: &State) -> Item<Entry> {
    Item {
        title: keys(row, state),
        // In search results there are no headings.
        text: format!("{} [{}]", row.help, row.context.title()),
        note: row.name.to_owned(),
        disabled: None,
        value: Some(Entry::Key(row)),
    }
}

/// The letters of the copy menu.
fn copies(commands: &Commands, state: &State) -> Vec<Item<Entry>> {
    let menu = state.keymap.key_of(Action::Copy);
    let items: Vec<Item<Entry>> = commands
        .copies
        .iter()
        .map(|item| Item {
            title: format!("{menu} {}", item.letter),
            text: format!("Copy {}", item.what),
            note: item.name.to_owned(),
            disabled: item.text.clone().err(),
            value: Some(Entry::Copy(item.clone())),
        })
        .collect();
    if items.is_empty() {
        return items;
    }
    std::iter::once(heading("Copy menu", ""))
        .chain(items)
        .collect()
}

/// A short description of the screen.
const fn about(context: Context, state: &State) -> &'static str {
    match (context, state.pane) {
        (Context::Query, _) => {
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

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("run"),
            Action::Help => Some("close"),
            _ => None,
        }
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            self.list.step(lines);
            return Outcome::Handled;
        }
        match action {
            Action::Submit => self.submit(cx),
            Action::Back | Action::Help => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Outcome {
        self.list.key(key);
        Outcome::Handled
    }

    fn paste(&mut self, text: &str, _: &mut Cx<'_>) -> Outcome {
        self.list.paste(text);
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN {
            return Outcome::Ignored;
        }
        self.list.select(line, false);
        self.update(Action::Submit, cx)
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::help(self, area, scene);
    }
}
