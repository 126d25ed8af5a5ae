//! An offer and the volumes that go with it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::paint;
use super::volume::steps;
use crate::app::Model;
use crate::app::basket::{Basket, Line, source, volumes};
use crate::app::facts::{Facts, Target};
use crate::app::remote::{Now, Phase};
use crate::domain::cost::{HOURS_PER_MONTH, Outlives, Proximity, Room};
use crate::domain::format::{self, trimmed};
use crate::domain::{Listing, Resource};
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// Lines of arithmetic below the table.
const STEPS: u16 = 4;

/// Draws the view over the pane.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    basket: &Basket,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    blank(buffer, area);
    let mut y = area.y;
    let mut line = |y: &mut u16, text: &str, style: Style| {
        if *y < area.bottom() {
            paint::text(
                buffer,
                area.x + 1,
                *y,
                area.width.saturating_sub(1),
                text,
                style,
            );
            *y += 1;
        }
    };
    for (text, style) in head(model, basket, area, now, theme) {
        line(&mut y, &text, style);
    }
    let Some(listing) = volumes(model) else {
        return;
    };
    if basket.lines.is_empty() {
        return;
    }
    line(&mut y, &header(area.width), theme.heading);
    let rest = area.bottom().saturating_sub(y);
    let below = if rest > STEPS + 2 { STEPS } else { 0 };
    let list = Rect::new(area.x, y, area.width, rest - below);
    rows(buffer, list, listing, basket, theme, facts);
    if below > 0
        && let Some(Ok(both)) = basket.current().map(|line| &line.both)
    {
        let top = list.bottom() + 1;
        for (y, parts) in (top..area.bottom()).zip(steps(&both.steps, area.width, theme)) {
            let mut x = area.x + 1;
            for (text, style) in &parts {
                x = paint::text(buffer, x, y, area.right().saturating_sub(x), text, *style);
            }
        }
    }
}

/// The lines above the table: as many as leave room for it.
fn head(
    model: &Model,
    basket: &Basket,
    area: Rect,
    now: Now,
    theme: &Theme,
) -> Vec<(String, Style)> {
    let term = model.browsers[Resource::Volumes]
        .figures
        .term
        .unwrap_or_default();
    let size = format!(
        "with {} of volume for {} days ({} changes it); a month has 720 h",
        format::gigabytes(term.gb),
        trimmed(term.days, 4),
        model.keymap.way_to("basket-term")
    );
    let mut head = vec![(title(model, basket), theme.heading), (size, theme.dim)];
    for (text, style) in notes(model, basket, now, theme) {
        let parts = paint::wrap(&text, area.width.saturating_sub(2));
        head.extend(parts.into_iter().map(|part| (part, style)));
    }
    let table = if basket.lines.is_empty() { 0 } else { 3 };
    let room = usize::from(area.height).saturating_sub(table).max(1);
    if head.len() > room {
        // The size is in the form, too.
        head.remove(1);
        head.truncate(room);
    }
    head
}

fn title(model: &Model, basket: &Basket) -> String {
    let offers = model.browsers[Resource::Offers].listing();
    let row = offers.and_then(|offers| Some((offers, offers.row(basket.offer)?)));
    let what = row.map_or_else(String::new, |(offers, row)| {
        let cell = |key: &str| {
            let field = Resource::Offers.catalog().by_key(key);
            field.map_or_else(String::new, |field| format::cell(offers, row, field, 24))
        };
        format!(
            "{}x {}, {}",
            cell("num_gpus"),
            cell("gpu_name"),
            cell("geolocation")
        )
    });
    let price = match &basket.hourly {
        Ok(hourly) => format!("${hourly:.4}/h, ${:.2} a month", hourly * HOURS_PER_MONTH),
        Err(gap) => format!("price unknown: {gap}"),
    };
    format!("Offer {} ({what}): {price}", basket.offer)
}

/// What is to be said about where the lines come from, and why there are none.
fn notes(model: &Model, basket: &Basket, now: Now, theme: &Theme) -> Vec<(String, Style)> {
    let mut notes = Vec::new();
    match model.stock.phase() {
        Phase::Loading { since, waiting, .. } => {
            let text = match waiting {
                Some(waiting) => format!(
                    "{}, going in {:.0} s",
                    waiting.why,
                    (waiting.until - now.mono).max(0.0).ceil()
                ),
                None => format!("Asking for volumes … {:.0} s", (now.mono - since).max(0.0)),
            };
            notes.push((text, theme.accent));
        }
        Phase::Failed(error) => notes.push((format!("! {error}. r asks again."), theme.error)),
        _ => {}
    }
    let Some(source) = source(model) else {
        return notes;
    };
    let count = basket.lines.len();
    let text = match basket.lines.first().map(|line| line.by) {
        Some(Proximity::Cluster) => format!("{count} {source} are in its cluster."),
        Some(Proximity::Country) => format!(
            "No volume in its cluster is known; {count} {source} are in its country. Nothing says \
             that the machine can mount them."
        ),
        None => format!(
            "None {source} is in its cluster or country. r asks the market for all of them."
        ),
    };
    notes.push((text, theme.dim));
    notes
}

/// From this width on there is room for where a volume stands and how large it is.
const WIDE: u16 = 76;

fn header(width: u16) -> String {
    if width < WIDE {
        format!(
            "  {:>8} {:>7} {:>9} {:>9} {}",
            "Volume", "$/GB/mo", "Vol. $/mo", "Both $/mo", "Availability"
        )
    } else {
        format!(
            "  {:>10} {:>8} {:>9} {:>9} {:>10}  {:<7} {}",
            "Volume", "Space", "$/GB/mo", "Vol. $/mo", "Both $/mo", "With it", "Availability"
        )
    }
}

fn rows(
    buffer: &mut Buffer,
    list: Rect,
    listing: &Listing,
    basket: &Basket,
    theme: &Theme,
    facts: &mut Facts,
) {
    let page = usize::from(list.height);
    facts.overlay_page = page;
    facts.overlay_lines = basket.lines.len();
    let first = super::records::first_row(0, basket.cursor, basket.lines.len(), page);
    let lines = basket.lines.iter().enumerate().skip(first);
    for (y, (index, line)) in (list.y..list.bottom()).zip(lines) {
        let strip = Rect::new(list.x, y, list.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_selected = index == basket.cursor;
        let style = if is_selected {
            theme.selected
        } else {
            theme.text
        };
        if is_selected {
            paint::fill(buffer, strip, style);
        }
        let sign = if is_selected { ">" } else { " " };
        let text = format!("{sign}{}", cells(listing, line, list.width));
        paint::text(buffer, list.x, y, list.width, &text, style);
    }
}

fn cells(listing: &Listing, line: &Line, width: u16) -> String {
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key);
        field.map_or_else(String::new, |field| {
            format::cell(listing, line.row, field, 10)
        })
    };
    let money =
        |amount: Option<f64>| amount.map_or("-".to_owned(), |amount| format!("{amount:.2}"));
    let proximity = match line.by {
        Proximity::Cluster => "cluster",
        Proximity::Country => "country",
    };
    let id = line.id.to_string();
    let price = cell("storage_cost");
    let alone = money(line.volume.as_ref().ok().map(|cost| cost.per_month));
    let both = money(line.both.as_ref().ok().map(|both| both.total));
    let there = availability(line);
    if width < WIDE {
        format!(" {id:>8} {price:>7} {alone:>9} {both:>9} {there}")
    } else {
        let space = cell("disk_space");
        format!(" {id:>10} {space:>8} {price:>9} {alone:>9} {both:>10}  {proximity:<7} {there}")
    }
}

fn availability(line: &Line) -> String {
    const HOUR: f64 = 3600.0;
    let Ok(cost) = &line.volume else {
        return String::new();
    };
    let term = match cost.outlives {
        Outlives::Yes { .. } => "whole term".to_owned(),
        Outlives::No { short_by } => format!("! ends {} early", format::span(short_by * HOUR)),
        Outlives::Unknown => "?".to_owned(),
    };
    match cost.room {
        Room::ShortBy(gb) => format!("{term}, ! {} too little", format::gigabytes(gb)),
        Room::Enough | Room::Unknown => term,
    }
}
