//! The theme picker: the whole screen previews the selected theme.

mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::message::{ConfigCommand, Effect};
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::keys::{Action, Context};
use crate::tui::theme::Theme as Styles;

#[derive(Debug)]
pub(crate) struct Theme {
    selected: usize,
    /// The previous theme, restored unless another one is chosen.
    before: Option<Styles>,
}

impl Theme {
    /// The picker, on the current theme.
    pub fn new(state: &State) -> Option<Self> {
        let themes = &state.settings.themes;
        let current = themes.all.iter().position(|known| known.name == themes.chosen);
        (!themes.all.is_empty()).then(|| Self {
            selected: current.unwrap_or(0),
            before: themes.shown,
        })
    }

    fn select(&mut self, index: usize, cx: &mut Cx<'_>) {
        let themes = cx.themes();
        self.selected = index.min(themes.all.len().saturating_sub(1));
        if let Some(named) = themes.all.get(self.selected) {
            themes.shown = named.theme;
        }
    }

    fn choose(&mut self, cx: &mut Cx<'_>) {
        self.select(self.selected, cx);
        self.before = cx.state().settings.themes.shown;
        let named = cx.state().settings.themes.all.get(self.selected);
        if let Some(name) = named.map(|named| named.name.clone()) {
            if name != cx.state().settings.themes.chosen {
                cx.themes().chosen.clone_from(&name);
                cx.themes().saved = Some(name.clone());
                cx.effect(Effect::Config(ConfigCommand::SaveTheme(name)));
            }
            cx.close();
        }
    }
}

/// Whether an action has nothing to do with colors.
const fn is_foreign(action: Action) -> bool {
    matches!(
        action,
        Action::New
            | Action::Settings
            | Action::Refresh
            | Action::Remove
            | Action::Job
            | Action::Copy
            | Action::Export
            | Action::RouteLab
            | Action::Unlist
            | Action::SavedSearches
            | Action::Alerts
            | Action::Theme
    )
}

impl View for Theme {
    fn contexts(&self) -> &'static [Context] {
        &[Context::Items, Context::Global, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("use this theme"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        if is_foreign(action) {
            Availability::Hidden
        } else {
            Availability::Available
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            let index = self.selected.saturating_add_signed(lines);
            self.select(index, cx);
            return Outcome::Handled;
        }
        match action {
            Action::Submit => self.choose(cx),
            Action::Back => cx.close(),
            // Who types a theme's name should not end up elsewhere.
            action if is_foreign(action) => {}
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if line == self.selected {
            self.choose(cx);
        } else {
            self.select(line, cx);
        }
        Outcome::Handled
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.themes().shown = self.before;
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::theme(self, area, scene);
    }
}
