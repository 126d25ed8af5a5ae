//! The theme picker: the whole screen previews the selected theme.

mod draw;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::core::State;
use crate::core::message::{ConfigCommand, Effect};
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::core::views::keys::of_list;
use crate::keys::{Action, Context};
use crate::tui::input_widget::InputWidget as _;
use crate::tui::list::{Item, List};
use crate::tui::theme::Theme as Styles;

#[derive(Debug)]
pub(crate) struct Theme {
    /// The themes by their places in the settings.
    list: List<usize>,
    /// The previous theme, restored unless another one is chosen.
    before: Option<Styles>,
}

impl Theme {
    /// The theme picker, with the current theme selected; `None` if there are no themes.
    pub fn new(state: &State) -> Option<Self> {
        let themes = &state.settings.themes;
        let items = themes.all.iter().enumerate().map(|(index, named)| {
            let note = match (named.is_users, named.name == themes.chosen) {
                (_, true) => "current",
                (true, false) => "yours",
                (false, false) => "",
            };
            Item::new(&named.name, "", index).note(note)
        });
        let mut list = List::new(items.collect());
        let current = themes.all.iter().position(|known| known.name == themes.chosen);
        list.select(current.unwrap_or(0), false);
        (!themes.all.is_empty()).then_some(Self {
            list,
            before: themes.shown,
        })
    }

    /// The selected theme's index in the settings; `None` if no theme matches the typed words.
    fn selected(&self) -> Option<usize> {
        self.list.current()?.value
    }
    /// Shows the selected theme on the whole screen, without saving it.
    fn preview(&self, cx: &mut Cx<'_>) {
        let themes = cx.themes();
        if let Some(named) = self.selected().and_then(|index| themes.all.get(index)) {
            themes.shown = named.theme;
        }
    }

    /// Applies the selected theme and closes the picker; it is saved in the configuration if it is another
    /// one than before. Nothing happens if no theme matches the typed words.
    fn choose(&mut self, cx: &mut Cx<'_>) {
        let Some(selected) = self.selected() else {
            return;
        };
        self.preview(cx);
        self.before = cx.state().settings.themes.shown;
        let named = cx.state().settings.themes.all.get(selected);
        if let Some(name) = named.map(|named| named.name.clone()) {
            if name != cx.state().settings.themes.chosen {
                cx.themes().chosen.clone_from(&name);
                cx.effect(Effect::Config(ConfigCommand::SaveTheme(name)));
            }
            cx.close();
        }
    }
}

impl View for Theme {
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
        (action == Action::Submit).then_some("use this theme")
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            self.list.step(lines);
            self.preview(cx);
            return Outcome::Handled;
        }
        match action {
            Action::Submit => self.choose(cx),
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let viewport = cx.viewport(Region::MAIN);
        let is_typed = self.list.typed(key, viewport);
        self.preview(cx);
        Outcome::handled_if(is_typed)
    }

    fn click(&mut self, _: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if line == self.list.selected() {
            self.choose(cx);
        } else {
            self.list.select(line, false);
            self.preview(cx);
        }
        Outcome::Handled
    }

    /// Ends the preview: the theme from before is shown again, or the chosen one.
    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.themes().shown = self.before;
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::theme(self, area, scene);
    }
}
