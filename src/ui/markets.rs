//! The list of markets with what is known of each, and the form for one.
//!
//! ```text
//! +- Markets -------------------------------------------------------------+
//! | > sandbox * inside bourse            sandbox     own key              |
//! |   vast      https://console.vast.ai  vast        no key               |
//! |                                                                       |
//! | K gives sandbox another key: the key was refused (status 401)         |
//! | sandbox: a market inside bourse                                       |
//! | The sandbox makes a key of its own.                                   |
//! +-----------------------------------------------------------------------+
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{paint, picker, prompt, records};
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::markets::form::{Line, Purpose};
use crate::app::markets::{Market, MarketForm, MarketList};
use crate::widgets::theme::Theme;

/// The widest box.
const WIDEST: u16 = 110;

/// Cells of the labels in the form.
const LABEL: u16 = 10;

/// Lines below the list: what is known of the selected market, and what is said.
const BELOW: u16 = 7;

/// What stands for the address of the sandbox.
const INSIDE: &str = "inside bourse";

/// Draws the list.
pub fn list(
    buffer: &mut Buffer,
    area: Rect,
    list: &MarketList,
    model: &Model,
    theme: &Theme,
    facts: &mut Facts,
) {
    let markets = &model.markets.roster.markets;
    let count = u16::try_from(markets.len()).unwrap_or(u16::MAX);
    let size = (
        area.width.saturating_sub(2).min(WIDEST),
        area.height
            .saturating_sub(2)
            .min(count.saturating_add(BELOW + 2)),
    );
    let inner = picker::frame(buffer, area, size, "Markets", theme);
    let below = BELOW.min(inner.height.saturating_sub(2));
    let rows = Rect {
        height: inner.height.saturating_sub(below).min(count),
        ..inner
    };
    let page = usize::from(rows.height);
    facts.overlay_page = page;
    facts.overlay_lines = markets.len();
    let first = records::first_row(0, list.selected, markets.len(), page);
    for (y, (index, market)) in (rows.y..rows.bottom()).zip(markets.iter().enumerate().skip(first))
    {
        let strip = Rect::new(rows.x, y, rows.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let style = if index == list.selected {
            paint::fill(buffer, strip, theme.selected);
            theme.selected
        } else {
            theme.text
        };
        let sign = if index == list.selected { "> " } else { "  " };
        paint::text(buffer, strip.x, y, 2, sign, style);
        row(buffer, strip, market, model, style);
    }
    // What was tried last comes first: on small screens the rest gives way.
    let mut lines: Vec<(String, Style)> = said(list, model, theme).into_iter().collect();
    lines.extend(known(markets.get(list.selected), theme));
    let width = inner.width.saturating_sub(2);
    let wrapped = lines.into_iter().flat_map(|(text, style)| {
        let parts = paint::wrap(&text, width);
        parts.into_iter().map(move |part| (part, style))
    });
    let top = rows.bottom() + u16::from(below > 3);
    for (y, (text, style)) in (top..inner.bottom()).zip(wrapped) {
        paint::text(buffer, inner.x + 1, y, width, &text, style);
    }
}

/// One market in a line: its name, whether it is spoken to, address, dialect, key, read-only.
fn row(buffer: &mut Buffer, strip: Rect, market: &Market, model: &Model, style: Style) {
    let names = model.markets.roster.markets.iter();
    let widest = names.map(|market| paint::cells(&market.name)).max();
    let is_wide = strip.width >= 60;
    // From the right: writes, key, dialect; the address takes what is left.
    let is_locked = |market: &Market| market.read_only;
    let any_locked = model.markets.roster.markets.iter().any(is_locked);
    let (key, dialect, locked) = (14, 12, if any_locked { 10 } else { 0 });
    let room = match strip.width {
        100.. => 32,
        _ if is_wide => 14,
        narrow => narrow.saturating_sub(key + 5),
    };
    let name = widest.unwrap_or(0).min(room);
    let right = key + if is_wide { dialect + locked } else { 0 };
    let mut x = strip.x + 2;
    paint::text(buffer, x, strip.y, name, &market.name, style);
    x += name + 1;
    let is_active = market.name == model.profile.name;
    paint::text(
        buffer,
        x,
        strip.y,
        1,
        if is_active { "*" } else { "" },
        style,
    );
    x += 2;
    let room = strip.right().saturating_sub(x + right + 1);
    let address = market.address.as_deref().unwrap_or(INSIDE);
    paint::text(buffer, x, strip.y, room, address, style);
    x = strip.right().saturating_sub(right);
    if is_wide {
        paint::text(buffer, x, strip.y, dialect, market.dialect.name, style);
        x += dialect;
    }
    paint::text(buffer, x, strip.y, key, market.key.short(), style);
    if is_wide && market.read_only {
        paint::text(buffer, x + key, strip.y, locked, "read-only", style);
    }
}

/// What is known of a market, in lines.
fn known(market: Option<&Market>, theme: &Theme) -> Vec<(String, Style)> {
    let Some(market) = market else {
        return vec![("No market is known.".to_owned(), theme.dim)];
    };
    let mut place = match (&market.address, &market.route) {
        (None, _) => "a market inside bourse: nothing to configure, nothing to pay.".to_owned(),
        (Some(address), None) => address.clone(),
        (Some(address), Some(route)) => format!("{address}, routing {route}"),
    };
    if market.read_only {
        place.push_str(" (read-only)");
    }
    // The whole name: in the line it may be cut.
    place = format!("{}: {place}", market.name);
    vec![(place, theme.dim), (market.key.sentence(), theme.dim)]
}

/// What is under way, or what came of what was tried.
fn said(list: &MarketList, model: &Model, theme: &Theme) -> Option<(String, Style)> {
    let markets = &model.markets;
    if let Some(name) = markets.connecting() {
        return Some((
            format!("Connecting to {name} … Esc stops it."),
            theme.accent,
        ));
    }
    if let Some(name) = markets.testing() {
        return Some((format!("Asking {name} … one request."), theme.accent));
    }
    if let Some(said) = &list.said {
        let (sign, style) = if said.is_error {
            ("! ", theme.error)
        } else {
            ("", theme.good)
        };
        return Some((format!("{sign}{}", said.text), style));
    }
    let wrong = markets.roster.wrong.as_ref()?;
    Some((
        format!("! The configuration is not used: {wrong}"),
        theme.error,
    ))
}

/// Draws the form; gives the cursor's place in a line that is typed.
pub fn form(
    buffer: &mut Buffer,
    area: Rect,
    form: &MarketForm,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let title = match &form.purpose {
        Purpose::Add => "New market".to_owned(),
        Purpose::KeyOf(market) => format!("The key of {}", market.name),
    };
    let lines = form.lines();
    let count = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let size = (
        area.width.saturating_sub(2).min(WIDEST - 20),
        area.height.min(count + 6),
    );
    let inner = picker::frame(buffer, area, size, &title, theme);
    let shown = inner.height.saturating_sub(3).clamp(1, count);
    let first = records::first_row(0, form.at(), lines.len(), usize::from(shown));
    facts.overlay_page = usize::from(shown);
    let mut cursor = None;
    for (y, (index, line)) in
        (inner.y..inner.y + shown).zip(lines.iter().copied().enumerate().skip(first))
    {
        let strip = Rect::new(inner.x, y, inner.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_at = index == form.at();
        let is_wrong = form.early_objection(line).is_some();
        let sign = match (is_at, is_wrong) {
            (true, _) => "> ",
            (false, true) => "! ",
            (false, false) => "  ",
        };
        let style = match (is_at, is_wrong) {
            (true, _) => theme.accent,
            (false, true) => theme.error,
            (false, false) => theme.dim,
        };
        let x = paint::text(buffer, strip.x, y, 2, sign, style);
        paint::text(buffer, x, y, LABEL, line.label(), style);
        let room = strip.right().saturating_sub(x + LABEL + 1);
        let value = Rect::new(x + LABEL, y, room, 1);
        if let Some(place) = draw_value(buffer, value, form, line, theme)
            && is_at
        {
            cursor = Some(place);
        }
    }
    let wrong = form.complaint.clone();
    let wrong = wrong.or_else(|| form.early_objection(form.line()));
    let (note, style) = wrong.map_or_else(
        || (form.note(form.line()), theme.dim),
        |wrong| (format!("! {wrong}"), theme.error),
    );
    let top = inner.y + shown + u16::from(inner.height > shown + 3);
    let width = inner.width.saturating_sub(2);
    for (y, text) in (top..inner.bottom()).zip(paint::wrap(&note, width)) {
        paint::text(buffer, inner.x + 1, y, width, &text, style);
    }
    cursor
}

/// Draws the value of a line; gives the cursor's place in it. Of a key only its mask is drawn.
fn draw_value(
    buffer: &mut Buffer,
    area: Rect,
    form: &MarketForm,
    line: Line,
    theme: &Theme,
) -> Option<Position> {
    if let Some(input) = form.input(line) {
        return Some(prompt::line(buffer, area, input, theme));
    }
    if line == Line::Key {
        let mask = form.key().mask();
        paint::text(buffer, area.x, area.y, area.width, &mask, theme.text);
        let stars = u16::try_from(form.key().stars()).unwrap_or(0);
        return Some(Position::new(area.x + stars.min(area.width), area.y));
    }
    let choice = format!("< {} >", form.choice(line));
    paint::text(buffer, area.x, area.y, area.width, &choice, theme.text);
    None
}
