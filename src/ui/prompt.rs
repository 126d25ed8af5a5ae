//! The small dialogs: a line of text, a yes.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::paint;
use crate::app::facts::{Facts, Target};
use crate::app::keymap::{Action, Context};
use crate::app::keys::Keymap;
use crate::app::prompt::Question;
use crate::domain::text::visible;
use crate::ui::picker::frame;
use crate::widgets::text_input::TextInput;
use crate::widgets::theme::Theme;

const CONTEXTS: &[Context] = &[Context::Dialog];

/// The widest dialog.
const WIDEST: u16 = 76;

/// Draws an editable line, scrolled so that the cursor is in sight; gives the cursor's place.
pub fn line(buffer: &mut Buffer, area: Rect, input: &TextInput, theme: &Theme) -> Position {
    let width = usize::from(area.width.max(1));
    let scroll = input.scroll(width.saturating_sub(1));
    let mut skipped = 0;
    let shown: String = input
        .text()
        .chars()
        .skip_while(|character| {
            let is_left = skipped < scroll;
            skipped += unicode_width::UnicodeWidthChar::width(*character).unwrap_or(0);
            is_left
        })
        .collect();
    buffer.set_style(area.intersection(buffer.area), theme.text);
    paint::text(buffer, area.x, area.y, area.width, &shown, theme.text);
    let column = u16::try_from(input.cursor_column().saturating_sub(scroll)).unwrap_or(0);
    Position::new(area.x + column.min(area.width), area.y)
}

/// The most lines of a question.
const MOST_LINES: usize = 12;

/// Draws a dialog that asks for a yes.
pub fn question(
    buffer: &mut Buffer,
    area: Rect,
    question: &Question,
    keymap: &Keymap,
    theme: &Theme,
    facts: &mut Facts,
) {
    let width = area.width.saturating_sub(4).min(WIDEST);
    let mut lines: Vec<String> = question
        .text
        .split('\n')
        .flat_map(|part| match part {
            "" => vec![String::new()],
            part => paint::wrap(&visible(part, 600), width.saturating_sub(4)),
        })
        .collect();
    // On a small screen the words count more than the space between them.
    let room = usize::from(area.height.saturating_sub(5)).clamp(1, MOST_LINES);
    if lines.len() > room {
        lines.retain(|line| !line.is_empty());
    }
    lines.truncate(room);
    let height = u16::try_from(lines.len()).unwrap_or(4);
    let inner = frame(buffer, area, (width, height + 4), &question.title, theme);
    for (y, line) in (inner.y..).zip(&lines) {
        paint::text(buffer, inner.x + 1, y, inner.width - 1, line, theme.text);
    }
    let y = inner.bottom().saturating_sub(1).min(inner.y + height + 1);
    let yes = keymap.key_in(CONTEXTS, Action::Yes);
    let mut x = inner.x + 1;
    for (key, word, action) in [
        (yes, format!(" {}", question.yes()), Action::Yes),
        (
            keymap.key_in(CONTEXTS, Action::Back),
            " cancel".to_owned(),
            Action::Back,
        ),
    ] {
        let parts = [paint::piece(key, theme.key), paint::piece(word, theme.text)];
        let end = paint::pieces(buffer, x, y, inner.right().saturating_sub(x), &parts);
        let button = Rect::new(x, y, end - x, 1);
        facts
            .targets
            .push((paint::area(button), Target::Hint(action)));
        x = end + 3;
    }
}
