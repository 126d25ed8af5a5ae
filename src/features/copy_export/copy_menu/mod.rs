//! The copy menu: the texts to copy with their letters, and a preview.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::copy;
use crate::core::State;
use crate::core::copy_item::CopyItem;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::text::visible;
use crate::keys::{Action, Context};
use crate::tui::dialog;
use crate::tui::list::{Item, List};
use crate::tui::panel::{Panel, Tone};
use crate::tui::text::wrap;

const WIDEST: u16 = 116;

/// Maximum number of preview lines.
const TEXT: u16 = 7;

#[derive(Debug)]
pub struct CopyMenu {
    items: Vec<CopyItem>,
    list: List<usize>,
}

impl CopyMenu {
    /// The menu of these items, each with its letter; those without a text are disabled.
    pub fn new(items: Vec<CopyItem>) -> Self {
        let lines = items.iter().enumerate().map(|(index, item)| {
            let title = format!("{}  {}", item.letter, item.what);
            Item::new(title, "", index).disabled(item.text.as_ref().err().map(ToString::to_string))
        });
        let list = List::new(lines.collect());
        Self { items, list }
    }

    /// The menu of the open request or pane, as of [`copy::items`]; `None` if there is nothing to copy from.
    pub fn of_pane(state: &State) -> Option<Self> {
        copy::items(state).map(Self::new)
    }

    /// The selected item; `None` if the menu is empty.
    fn current(&self) -> Option<&CopyItem> {
        self.items.get(self.list.current()?.value?)
    }
}

/// Copies an item and closes the menu; shows the reason if the item has no text. `Ignored` without an item.
fn take(item: Option<&CopyItem>, cx: &mut Cx<'_>) -> Outcome {
    match item.map(copy::copy) {
        None => return Outcome::Ignored,
        Some(Ok(effect)) => {
            cx.effect(effect);
            cx.close();
        }
        Some(Err(why)) => cx.complain(format!("Not copied: {why}")),
    }
    Outcome::Handled
}

impl View for CopyMenu {
    fn contexts(&self) -> &'static [Context] {
        &[Context::List, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        (action == Action::Submit).then_some("copy")
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::Submit => match self.current().map(|item| &item.text) {
                Some(Ok(_)) => Availability::Available,
                Some(Err(why)) => Availability::Disabled(format!("Not copied: {why}")),
                None => Availability::Hidden,
            },
            _ => Availability::Available,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(by) = cx.motion(action) {
            self.list.step(by);
            return Outcome::Handled;
        }
        match action {
            Action::Submit => take(self.current(), cx),
            Action::Back => {
                cx.close();
                Outcome::Handled
            }
            _ => Outcome::Ignored,
        }
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let is_plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(letter) if is_plain => take(self.items.iter().find(|item| item.letter == letter), cx),
            _ => Outcome::Ignored,
        }
    }

    fn click(&mut self, _: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        self.list.select(line, false);
        take(self.current(), cx)
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let items = u16::try_from(self.items.len()).unwrap_or(u16::MAX);
        let width = WIDEST.min(area.width.saturating_sub(4));
        // Space for the longest preview, so that the dialog does not move with the selection.
        let text = Rect::new(0, 0, width.saturating_sub(4), TEXT);
        let previews = self.items.iter().map(|item| preview(item, text).len());
        let text = u16::try_from(previews.max().unwrap_or(0)).unwrap_or(TEXT);
        let size = (width, items.saturating_add(text + 3).min(area.height));
        let panel = Panel::new("Copy").note("press a letter").tone(Tone::Focused);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        let [list, _, text] =
            Layout::vertical([Constraint::Length(items), Constraint::Length(1), Constraint::Fill(1)]).areas(inner);
        scene.list(Region::MAIN, &self.list, list);
        let lines = self.current().map(|item| preview(item, text)).unwrap_or_default();
        let lines: Vec<Line<'_>> = lines
            .into_iter()
            .map(|line| Line::styled(line, scene.theme.dim))
            .collect();
        scene.render(Paragraph::new(lines), text);
    }
}

/// The beginning of an item's text in lines that fit the area, with its full length if it is cut; the reason
/// if there is no text, and a placeholder for a secret.
fn preview(item: &CopyItem, area: Rect) -> Vec<String> {
    let text = match &item.text {
        Ok(_) if item.is_secret => "(hidden; copied in full)",
        Ok(text) => text,
        Err(error) => return wrap(&visible(&error.to_string(), 400), area.width),
    };
    let rows = usize::from(area.height);
    let room = usize::from(area.width) * rows;
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if lines.len() > rows {
            break;
        }
        // Non-breaking spaces show the text as it is copied, cut at the end of the line.
        let solid = visible(line, room + 1).replace(' ', "\u{a0}");
        lines.extend(wrap(&solid, area.width));
    }
    if lines.len() > rows {
        lines.truncate(rows.saturating_sub(1));
        lines.push(format!("… {} bytes in all", text.len()));
    }
    lines
}
