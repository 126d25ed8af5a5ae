//! The funnel: what each condition costs, alone and last.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{left, list, page, right, standing};
use crate::app::browser::Browser;
use crate::app::facts::Facts;
use crate::app::insights::why::Why;
use crate::app::remote::Now;
use crate::domain::language;
use crate::ui::paint;
use crate::widgets::theme::Theme;

/// Lines that the list keeps on a low screen: its header and a few conditions.
const LIST: u16 = 4;

/// Draws the funnel.
pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    browser: &Browser,
    view: &Why,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let nouns = browser.resource().nouns();
    let note = standing(&view.remote, now).unwrap_or_else(|| view.loaded.clone());
    let area = page(buffer, body, "Why so few?", &note, theme);
    let Some(funnel) = &view.funnel else {
        let text = format!("One search for {nouns} without any condition tells what each costs.");
        let lines = paint::wrap(&text, area.width.saturating_sub(2));
        for (y, line) in (area.y..area.bottom()).zip(lines) {
            paint::text(buffer, area.x + 1, y, area.width, &line, theme.text);
        }
        return;
    };
    let text = format!(
        "{} of {} {nouns} that were loaded without conditions meet all of them.",
        funnel.matching, funnel.total
    );
    let mut top = area.y;
    let room = usize::from(area.height.saturating_sub(LIST));
    for line in paint::wrap(&text, area.width.saturating_sub(2))
        .into_iter()
        .take(room)
    {
        paint::text(buffer, area.x + 1, top, area.width, &line, theme.text);
        top += 1;
    }
    let gap = u16::from(area.bottom().saturating_sub(top) > LIST);
    let area = Rect::new(
        area.x,
        top + gap,
        area.width,
        area.bottom().saturating_sub(top + gap),
    );
    let name = if area.width >= 100 { 40 } else { 28 };
    let columns = [
        left("condition", name),
        right("alone", 7),
        right("last", 7),
        left("", area.width.saturating_sub(name + 7 + 7 + 6)),
    ];
    let cells = |index: usize| {
        let line = &funnel.lines[index];
        let note = if !line.judged {
            "no record says anything about it".to_owned()
        } else if let Some(loose) = view.loosened(index) {
            format!("looser: {}", language::print_condition_briefly(&loose))
        } else if line.silent > 0 {
            format!("{} do not say", line.silent)
        } else {
            String::new()
        };
        let style = if line.last > 0 {
            theme.warning
        } else {
            theme.text
        };
        vec![
            (view.text(line.condition), theme.text),
            (format!("-{}", line.alone), theme.text),
            (format!("+{}", line.last), style),
            (note, theme.dim),
        ]
    };
    let foot = "alone: rows that it takes away by itself. last: rows that come back without it.";
    let mut lines = paint::wrap(foot, area.width.saturating_sub(2));
    if usize::from(area.height) < usize::from(LIST) + lines.len() {
        lines.clear();
    }
    let height = u16::try_from(lines.len()).unwrap_or(0);
    let table = Rect {
        height: area.height.saturating_sub(height),
        ..area
    };
    list(
        buffer,
        table,
        &columns,
        funnel.lines.len(),
        view.cursor,
        cells,
        theme,
        facts,
    );
    for (y, line) in (table.bottom()..area.bottom()).zip(lines) {
        paint::text(buffer, area.x + 1, y, area.width, &line, theme.dim);
    }
}
