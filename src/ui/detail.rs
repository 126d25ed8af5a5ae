//! One record, whole: every field of the catalog by section with its unit and meaning, the members
//! that the catalog does not know, and the record's own JSON.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::insights::worth;
use super::paint;
use super::picker::blank;
use super::theme::Theme;
use super::volume;
use crate::app::browser::Browser;
use crate::app::facts::Facts;
use crate::app::remote::Now;
use crate::domain::field::{Kind, Section};
use crate::domain::format;
use crate::domain::listing::Whole;
use crate::domain::text::{json_for_terminal, truncate, visible};
use crate::domain::{Dialect, Listing, Resource};

/// Cells of the label column.
const LABEL: usize = 20;

/// Cells of the value column.
const VALUE: usize = 24;

/// Draws the selected record.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    browser: &Browser,
    scroll: usize,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    blank(buffer, area);
    let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
        paint::text(
            buffer,
            area.x + 1,
            area.y,
            area.width,
            "No record is selected.",
            theme.dim,
        );
        return;
    };
    let id = listing
        .id(row)
        .map_or_else(String::new, |id| id.to_string());
    let title = format!(
        " {} {id}   {} of {} ",
        browser.resource().noun(),
        browser.cursor() + 1,
        browser.view().len()
    );
    paint::text(buffer, area.x, area.y, area.width, &title, theme.heading);
    let width = area.width.saturating_sub(2);
    let mut all = if browser.resource() == Resource::Volumes {
        volume::detail(browser, listing, row, now, width, theme)
    } else {
        worth::lines(browser, listing, row, now, theme, width)
    };
    all.extend(lines(listing, row, browser, width, theme));
    let lines = all;
    let page = usize::from(area.height.saturating_sub(1));
    facts.overlay_page = page;
    facts.overlay_lines = lines.len();
    let scroll = scroll.min(lines.len().saturating_sub(page));
    if lines.len() > page {
        let place = format!("{}-{} of {} lines ", scroll + 1, scroll + page, lines.len());
        paint::right(buffer, area.x, area.y, area.width, &place, theme.dim);
    }
    for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(scroll)) {
        let mut x = area.x + 1;
        for (text, style) in line {
            x = paint::text(buffer, x, y, area.right().saturating_sub(x), text, *style);
        }
    }
}

type Line = Vec<(String, Style)>;

fn lines(listing: &Listing, row: usize, browser: &Browser, width: u16, theme: &Theme) -> Vec<Line> {
    let mut lines = Vec::new();
    let record = listing.whole(row);
    for section in Section::ALL {
        lines.extend(section_lines(&record, row, browser, section, width, theme));
    }
    let unknown = listing.unknown_members(row);
    if !unknown.is_empty() {
        lines.push(heading("Members that bourse does not know", theme));
        for (name, value) in unknown {
            let label = truncate(&visible(&name, LABEL), LABEL);
            let value = visible(&json_for_terminal(&value.to_string()), 400);
            lines.push(vec![
                (format!("{label:LABEL$} "), theme.dim),
                (value, theme.text),
            ]);
        }
        lines.push(Vec::new());
    }
    lines.push(heading("The record as it came", theme));
    lines.extend(json_lines(listing, row, width, theme));
    lines
}

fn heading(title: &str, theme: &Theme) -> Line {
    vec![(title.to_owned(), theme.heading)]
}

fn section_lines(
    record: &Whole,
    row: usize,
    browser: &Browser,
    section: Section,
    width: u16,
    theme: &Theme,
) -> Vec<Line> {
    let dialect: &'static Dialect = browser.dialect();
    let mut lines: Vec<Line> = Vec::new();
    for field in browser.query.catalog().section(section) {
        let value = if field.kind == Kind::Secret {
            "(hidden)".to_owned()
        } else {
            format::detail(record, field, dialect)
        };
        let is_estimate = browser
            .listing()
            .is_some_and(|listing| listing.is_estimated(field));
        let value = if is_estimate && record.cell(field).number().is_some() {
            format!("~{value} estimate")
        } else {
            value
        };
        let is_blank = matches!(value.as_str(), format::NOT_SENT | format::NULL);
        let style = match (browser.is_violating(row, field), is_blank) {
            (true, _) => theme.warning,
            (false, true) => theme.dim,
            (false, false) => theme.text,
        };
        let label = truncate(field.label, LABEL);
        let mut line = vec![(format!("{label:LABEL$} "), theme.dim)];
        let room = usize::from(width).saturating_sub(LABEL + 1 + VALUE + 1);
        if room < 20 || paint::cells(&value) > 24 {
            line.push((value, style));
        } else {
            let pad = VALUE.saturating_sub(usize::from(paint::cells(&value)));
            line.push((format!("{value}{} ", " ".repeat(pad)), style));
            line.push((truncate(field.doc, room), theme.dim));
        }
        lines.push(line);
    }
    if lines.is_empty() {
        return lines;
    }
    lines.insert(0, heading(section.title(), theme));
    lines.push(Vec::new());
    lines
}

/// The record's JSON, pretty-printed; strangers' characters stay escaped, secrets stay hidden.
fn json_lines(listing: &Listing, row: usize, width: u16, theme: &Theme) -> Vec<Line> {
    let Some(json) = listing.json(row) else {
        return Vec::new();
    };
    let secrets: Vec<_> = listing
        .catalog()
        .fields()
        .iter()
        .filter(|field| field.kind == Kind::Secret)
        .map(|field| field.key)
        .collect();
    let pretty = match serde_json::from_str::<serde_json::Value>(json) {
        Ok(mut value) => {
            if let Some(object) = value.as_object_mut() {
                for secret in secrets {
                    if let Some(hidden) = object.get_mut(secret) {
                        *hidden = "(hidden)".into();
                    }
                }
            }
            serde_json::to_string_pretty(&value).unwrap_or_default()
        }
        Err(_) => "its JSON cannot be shown".to_owned(),
    };
    json_for_terminal(&pretty)
        .lines()
        .map(|line| vec![(truncate(line, usize::from(width)), theme.text)])
        .collect()
}
