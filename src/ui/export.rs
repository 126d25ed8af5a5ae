//! The form for a file: a line for each choice, and the path.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::paint::{self, piece};
use super::prompt;
use crate::app::export::{ExportForm, Format, Line, Subject};
use crate::app::facts::{Facts, Target};
use crate::app::keys::Keymap;
use crate::ui::picker::frame;
use crate::widgets::theme::Theme;

/// The widest form.
const WIDEST: u16 = 84;

/// Cells of the label column.
const LABEL: u16 = 9;

/// Draws the form; gives the cursor's place when the path is being edited.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    form: &ExportForm,
    keymap: &Keymap,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let lines = form.lines();
    let height = u16::try_from(lines.len()).unwrap_or(4) + 5;
    let width = area.width.saturating_sub(4).min(WIDEST);
    let title = match form.subject {
        Subject::Records(resource) => format!("Export {}", resource.nouns()),
        Subject::Calls if form.counts.0 == 1 => "Export 1 request as HAR".to_owned(),
        Subject::Calls => format!("Export {} requests as HAR", form.counts.0),
    };
    let inner = frame(buffer, area, (width, height), &title, theme);
    let mut cursor = None;
    for (y, (index, line)) in (inner.y..inner.bottom()).zip(lines.iter().enumerate()) {
        let strip = Rect::new(inner.x, y, inner.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_at = index == form.at;
        let sign = if is_at { "> " } else { "  " };
        let style = if is_at { theme.accent } else { theme.dim };
        let x = paint::text(buffer, strip.x, y, 2, sign, style);
        paint::text(buffer, x, y, LABEL, label(*line), style);
        let value = Rect::new(x + LABEL, y, strip.right().saturating_sub(x + LABEL + 1), 1);
        if *line == Line::File {
            let place = prompt::line(buffer, value, &form.path, theme);
            cursor = is_at.then_some(place);
        } else {
            choices(buffer, value, form, *line, theme);
        }
    }
    let y = inner.bottom() - 2;
    let note = match (&form.error, form.line()) {
        (Some(error), _) => format!("! {error}"),
        (None, Line::File) => "The path is seen from the folder in which bourse runs.".to_owned(),
        (None, _) => format!(
            "{} changes the choice, {} writes the file.",
            keymap.way_to("form-choose"),
            keymap.way_to("form-write")
        ),
    };
    let style = if form.error.is_some() {
        theme.error
    } else {
        theme.dim
    };
    for (y, line) in (y..inner.bottom()).zip(paint::wrap(&note, inner.width.saturating_sub(2))) {
        paint::text(buffer, inner.x + 1, y, inner.width - 1, &line, style);
    }
    cursor
}

const fn label(line: Line) -> &'static str {
    match line {
        Line::Format => "Format",
        Line::Rows => "Rows",
        Line::Columns => "Columns",
        Line::File => "File",
    }
}

/// Two choices beside each other, the taken one in brackets.
fn choices(buffer: &mut Buffer, area: Rect, form: &ExportForm, line: Line, theme: &Theme) {
    let (first, second, is_second) = match line {
        Line::Format => (
            "CSV, for spreadsheets".to_owned(),
            "JSON, as it came".to_owned(),
            form.format == Format::Json,
        ),
        Line::Rows => (
            format!("all {} in view", form.counts.0),
            format!("{} marked", form.counts.1),
            form.marked_only,
        ),
        Line::Columns => (
            "of the table".to_owned(),
            "all fields".to_owned(),
            form.all_fields,
        ),
        Line::File => return,
    };
    let shown = |text: String, is_taken: bool| {
        if is_taken {
            piece(format!("[{text}]"), theme.accent)
        } else {
            piece(format!(" {text} "), theme.dim)
        }
    };
    let parts = [shown(first, !is_second), shown(second, is_second)];
    paint::pieces(buffer, area.x, area.y, area.width, &parts);
}
