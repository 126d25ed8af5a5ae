//! The query bar, what could stand at its cursor, and the line of settings under it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint::{self, piece};
use crate::app::browser::Browser;
use crate::app::facts::{Facts, Target};
use crate::app::keys::Keymap;
use crate::app::needs::Need;
use crate::app::sort_editor::arrow;
use crate::domain::format;
use crate::domain::language::{self, LanguageError, Token};
use crate::domain::{Condition, Dialect, Resource};
use crate::widgets::theme::Theme;

/// Draws the bar; gives the cursor's place while it is edited.
pub fn draw(
    buffer: &mut Buffer,
    line: Rect,
    browser: &Browser,
    keymap: &Keymap,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    facts.targets.push((paint::area(line), Target::Bar));
    let bar = &browser.bar;
    let prompt_style = if bar.editing { theme.accent } else { theme.dim };
    let x = paint::text(buffer, line.x, line.y, 3, " / ", prompt_style);
    let width = line.right().saturating_sub(x).saturating_sub(1);
    let text = bar.input.text();
    if text.is_empty() && !bar.editing {
        let key = keymap.way_to("query");
        let note = format!("no conditions: every record comes (press {key} to add some)");
        paint::text(buffer, x, line.y, width, &note, theme.dim);
        return None;
    }
    let scroll = if bar.editing {
        bar.input.scroll(usize::from(width))
    } else {
        0
    };
    let mut column = 0;
    let tokens = language::highlight(text, browser.query.catalog());
    for (at, character) in text.char_indices() {
        let style = tokens
            .iter()
            .find(|(span, _)| span.contains(&at))
            .map_or(theme.text, |(_, token)| style_of(*token, theme));
        let style = match &bar.error {
            Some(error) if error.span.contains(&at) => theme.error,
            _ => style,
        };
        let cells = unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
        if column >= scroll && column - scroll + cells <= usize::from(width) {
            let place = x + u16::try_from(column - scroll).unwrap_or(0);
            let mut bytes = [0; 4];
            paint::text(
                buffer,
                place,
                line.y,
                2,
                character.encode_utf8(&mut bytes),
                style,
            );
        }
        column += cells;
    }
    // What runs off the line is marked at the ends.
    if column > scroll + usize::from(width) {
        let end = (x + width).saturating_sub(1);
        paint::text(buffer, end, line.y, 1, "…", theme.dim);
    }
    if scroll > 0 {
        paint::text(buffer, x, line.y, 1, "…", theme.dim);
    }
    bar.editing.then(|| {
        let cursor = bar.input.cursor_column().saturating_sub(scroll);
        Position::new(x + u16::try_from(cursor).unwrap_or(0).min(width), line.y)
    })
}

const fn style_of(token: Token, theme: &Theme) -> Style {
    match token {
        Token::Field => theme.accent,
        Token::Operator => theme.dim,
        Token::Value => theme.good,
        Token::Word => theme.warning,
        Token::Error => theme.error,
    }
}

/// Draws what could stand at the cursor, in a box under the bar.
pub fn candidates(buffer: &mut Buffer, area: Rect, browser: &Browser, theme: &Theme) {
    const MOST: usize = 8;
    let bar = &browser.bar;
    let Some(completion) = &bar.completion else {
        return;
    };
    if bar.error.is_some() {
        return;
    }
    let top = area.y + 2;
    let room = usize::from(area.bottom().saturating_sub(top + 2));
    let first = bar.chosen().saturating_sub(MOST - 1);
    let shown = completion
        .candidates
        .iter()
        .enumerate()
        .skip(first)
        .take(MOST.min(room));
    let width = area.width.saturating_sub(4).min(90);
    let label_width = 24.min(width / 2);
    for (y, (index, candidate)) in (top..).zip(shown) {
        let is_chosen = index == bar.chosen();
        let strip = Rect::new(area.x + 2, y, width, 1);
        crate::ui::picker::blank(buffer, strip);
        let style = if is_chosen {
            theme.selected
        } else {
            theme.text
        };
        paint::fill(buffer, strip, style);
        let sign = if is_chosen { "> " } else { "  " };
        let x = paint::text(buffer, strip.x, y, 2, sign, style);
        paint::text(
            buffer,
            x,
            y,
            label_width,
            &candidate.label,
            style.patch(theme.accent),
        );
        let doc = if is_chosen { style } else { theme.dim };
        paint::text(
            buffer,
            x + label_width + 1,
            y,
            width.saturating_sub(label_width + 3),
            &candidate.doc,
            doc,
        );
    }
}

/// Draws the line of settings: type, storage, order, limit and what is local.
pub fn settings(
    buffer: &mut Buffer,
    line: Rect,
    browser: &Browser,
    keymap: &Keymap,
    theme: &Theme,
) {
    if let Some(error) = &browser.bar.error {
        caret(buffer, line, browser, error, theme);
        return;
    }
    let query = &browser.query;
    let dialect: &'static Dialect = browser.dialect();
    let mut parts = Vec::new();
    let mut add = |text: String, style: Style| {
        if !parts.is_empty() {
            parts.push(piece(" · ", theme.border));
        }
        parts.push(piece(text, style));
    };
    // First, so that no narrow screen hides which conditions the market has not applied.
    if let Some(text) = not_applied(browser.unmet_conditions(), keymap) {
        add(text, theme.warning);
    }
    if query.resource != Resource::Workergroups {
        let local: Vec<_> = browser
            .local_conditions()
            .into_iter()
            .map(language::print_condition_briefly)
            .collect();
        if !local.is_empty() {
            add(format!("local: {}", local.join(" ")), theme.warning);
        }
    }
    if query.resource == Resource::Offers {
        add(query.offer_type.wire().to_owned(), theme.text);
        let (storage, is_estimate) = browser.storage();
        // The one price that ranks, compares and sums up; the job's disk is that of $/h.
        let basis = browser.figures.job.map_or_else(
            || format!("hourly prices with {} disk", format::gigabytes(storage)),
            |job| format!("job prices for {}", job.brief()),
        );
        if is_estimate {
            add(format!("{basis} (estimate)"), theme.warning);
        } else {
            add(basis, theme.text);
        }
        if query.unbundled && dialect.bundling_parameter.is_some() {
            add("not bundled".to_owned(), theme.text);
        }
    }
    if let Some(term) = &browser.figures.term {
        let (size, days) = (format::gigabytes(term.gb), format::trimmed(term.days, 2));
        add(format!("term prices for {size}, {days} days"), theme.text);
    }
    let order: Vec<_> = browser
        .sorting_keys()
        .iter()
        .map(|key| format!("{}{}", key.field.label, arrow(key.direction)))
        .collect();
    if !order.is_empty() {
        add(format!("sort {}", order.join(" ")), theme.text);
    }
    for (need, labels) in browser.unmet_order() {
        let (labels, words) = (labels.join(", "), need.words());
        let key = keymap.key_of(need.action());
        add(format!("sort {labels} needs {words}: {key}"), theme.warning);
    }
    if let Some(limit) = query.limit {
        add(format!("at most {limit}"), theme.text);
    }
    let off: Vec<_> = query
        .conditions
        .iter()
        .filter(|condition| !condition.enabled)
        .map(language::print_condition_briefly)
        .collect();
    if !off.is_empty() {
        add(format!("off: {}", off.join(" ")), theme.dim);
    }
    paint::pieces(
        buffer,
        line.x + 1,
        line.y,
        line.width.saturating_sub(2),
        &parts,
    );
}

/// Which conditions are not applied and what to do about it, if there are any.
pub fn not_applied(unmet: Vec<(Need, &Condition)>, keymap: &Keymap) -> Option<String> {
    let texts: Vec<String> = unmet
        .into_iter()
        .map(|(need, condition)| {
            let condition = language::print_condition_briefly(condition);
            let key = keymap.key_of(need.action());
            format!("{condition}: {} ({key})", need.remedy())
        })
        .collect();
    (!texts.is_empty()).then(|| format!("not applied: {}", texts.join(", ")))
}

/// Draws a caret under the mistake in the bar.
fn caret(buffer: &mut Buffer, line: Rect, browser: &Browser, error: &LanguageError, theme: &Theme) {
    const PROMPT: u16 = 3;
    let text = browser.bar.input.text();
    let width = line.width.saturating_sub(PROMPT + 1);
    let scroll = u16::try_from(browser.bar.input.scroll(usize::from(width))).unwrap_or(0);
    let before = text.get(..error.span.start).map_or(0, paint::cells);
    let under = text.get(error.span.clone()).map_or(1, paint::cells).max(1);
    let x = line.x + PROMPT + before.saturating_sub(scroll).min(width);
    let room = line.right().saturating_sub(x);
    let carets = "^".repeat(usize::from(under));
    paint::text(buffer, x, line.y, room, &carets, theme.error);
}
