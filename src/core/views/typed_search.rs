//! The words that narrow a list: they are typed in a line above it, while the arrows still select
//! its rows.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::keys::Action;
use crate::tui::input_widget::InputWidget;
use crate::tui::text::cells;
use crate::tui::text_input::TextInput;

/// The words of a list, and whether they are being typed.
#[derive(Debug, Default)]
pub(crate) struct TypedSearch {
    pub words: TextInput,
    pub is_typing: bool,
}

/// The effect of an action while words are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TypedEvent {
    Ignored,
    /// The words were kept or cleared.
    Changed,
    /// The selection moves by this number of rows.
    Step(isize),
}

impl TypedSearch {
    /// Handles an action while words are typed: Enter ends typing, Esc also clears them, and Up or Down steps
    /// through the list. Others are ignored.
    pub fn update(&mut self, action: Action) -> TypedEvent {
        match action {
            Action::Submit => self.is_typing = false,
            Action::Back => {
                self.is_typing = false;
                self.words.set("");
            }
            Action::Older => return TypedEvent::Step(-1),
            Action::Newer => return TypedEvent::Step(1),
            _ => return TypedEvent::Ignored,
        }
        TypedEvent::Changed
    }

    /// Whether the line of words is shown: it is being typed, or has words.
    pub fn is_shown(&self) -> bool {
        self.is_typing || !self.words.is_empty()
    }

    /// Whether a text contains every one of the words, in any case and order; true without words.
    pub fn matches(&self, text: &str) -> bool {
        let (words, text) = (self.words.text().to_lowercase(), text.to_lowercase());
        words.split_whitespace().all(|word| text.contains(word))
    }

    /// The input of the words; `None` unless they are being typed.
    pub fn widget(&mut self) -> Option<&mut dyn InputWidget> {
        let words: &mut dyn InputWidget = &mut self.words;
        self.is_typing.then_some(words)
    }

    /// Draws the line of words; a click on it reports `region`.
    pub fn draw(&self, placeholder: &str, region: Region, area: Rect, scene: &mut Scene<'_, '_>) {
        line((&self.words, placeholder), self.is_typing, region, area, scene);
    }
}

/// Draws an input with its placeholder behind the key that opens it, with the cursor only while it is typed;
/// a click on it reports `region`.
pub(crate) fn line(
    (input, placeholder): (&TextInput, &str),
    is_typing: bool,
    region: Region,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) {
    let key = format!("{} ", scene.key(Action::Query));
    let lead = cells(&key);
    scene.render(Line::styled(key, scene.theme.accent), area);
    let typed = Rect {
        x: area.x + lead,
        width: area.width.saturating_sub(lead),
        ..area
    };
    scene.clickable(area, Target::Item(region, 0));
    scene.input(input, placeholder, typed);
    if !is_typing {
        scene.cursor = None;
    }
}
