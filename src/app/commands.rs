//! What can be done from where the keyboard is: what help and palette list.

use super::able::reach;
use super::keymap::{Action, BINDINGS, Binding, Context, bindings};
use super::view::Cx;
use super::{Browser, Model, copy};
use crate::domain::Field;

/// The commands of whoever has the keyboard, at the moment a list of them opens over it.
#[derive(Debug)]
pub struct Commands {
    /// Where keys are looked up.
    pub contexts: &'static [Context],
    /// What can be reached by closing what is open over the table.
    below: Option<&'static [Context]>,
    /// Whether nothing is open over the pane.
    is_pane: bool,
    disabled: Vec<(Action, String)>,
    /// What can be copied.
    pub copies: Vec<CopyCommand>,
}

/// A line of the copy menu.
#[derive(Debug, Clone)]
pub struct CopyCommand {
    /// The row of the key table.
    pub binding: &'static Binding,
    /// What it copies.
    pub what: String,
    /// Why there is nothing to copy, if there is not.
    pub disabled: Option<String>,
}

impl Commands {
    /// The commands of whoever has the keyboard now.
    pub(super) fn of(model: &Model) -> Self {
        let mut disabled: Vec<(Action, String)> = Vec::new();
        for row in BINDINGS {
            if !disabled.iter().any(|(own, _)| *own == row.action)
                && let Some(why) = model.disabled(row.action)
            {
                disabled.push((row.action, why));
            }
        }
        let mut commands = Self {
            contexts: model.contexts(),
            below: reach(model),
            is_pane: model.overlays.is_empty(),
            disabled,
            copies: Vec::new(),
        };
        if commands.rows().any(|row| row.action == Action::Copy) {
            let items = copy::menu(model).unwrap_or_default();
            commands.copies = items
                .into_iter()
                .filter_map(|item| {
                    let mut rows = bindings(Context::CopyMenu);
                    Some(CopyCommand {
                        binding: rows.find(|row| row.action == item.action)?,
                        what: item.what,
                        disabled: item.text.err(),
                    })
                })
                .collect();
        }
        commands
    }

    /// Whether the table below can be reached.
    pub const fn reaches_table(&self) -> bool {
        self.below.is_some()
    }

    /// Whether another market can be connected to from here.
    pub const fn reaches_markets(&self) -> bool {
        self.below.is_some() || self.is_pane
    }

    /// The rows of whoever has the keyboard, then those of the table below.
    pub fn rows(&self) -> impl Iterator<Item = &'static Binding> {
        let below = self.below.unwrap_or_default();
        let below = below
            .iter()
            .filter(|context| !self.contexts.contains(context));
        let contexts = self.contexts.iter().chain(below);
        contexts.flat_map(|context| bindings(*context))
    }

    /// Why an action cannot be taken now, if it cannot.
    pub fn disabled(&self, action: Action) -> Option<&str> {
        let own = self.disabled.iter().find(|(own, _)| *own == action);
        own.map(|(_, why)| why.as_str())
    }

    /// Does an action where it means something: for whoever had the keyboard, else for the table
    /// below. The list that calls this closes.
    pub fn run(&self, action: Action, cx: &mut Cx<'_>) {
        let knows = |contexts: &[Context]| {
            let mut rows = BINDINGS.iter().filter(|row| row.action == action);
            rows.any(|row| contexts.contains(&row.context))
        };
        if matches!(action, Action::Market(_)) || knows(self.contexts) {
            cx.close();
            cx.perform(action);
        } else if self.below.is_some_and(knows) {
            cx.go_to(cx.state.pane);
            cx.perform(action);
        } else {
            let row = BINDINGS.iter().find(|row| row.action == action);
            let place = row.map_or("elsewhere", |row| row.context.title());
            cx.close();
            cx.complain(format!("Only available in: {place}"));
        }
    }
}

impl Browser {
    /// Starts a condition on a field in the query bar.
    pub fn begin_condition(&mut self, field: &Field) {
        self.bar.edit();
        let text = format!("{}{} ", self.bar.input.text(), field.key);
        self.bar.input.set(text);
        self.query_typed();
    }
}
