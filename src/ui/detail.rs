//! One record, whole: every field of the catalog by section with its unit and meaning, the members
//! that the catalog does not know, and the record's own JSON.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::insights::worth;
use super::paint;
use super::volume;
use crate::api::redact;
use crate::app::browser::Browser;
use crate::app::facts::Facts;
use crate::app::keys::Keymap;
use crate::app::remote::Now;
use crate::domain::field::{Kind, Section};
use crate::domain::format;
use crate::domain::listing::FullRecord;
use crate::domain::local::LocalTime;
use crate::domain::secrets::{is_secret_name, without_own_key};
use crate::domain::text::{json_for_terminal, truncate, visible};
use crate::domain::workergroup::group_search;
use crate::domain::{CellRef, Dialect, Field, Listing, Resource, Source};
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// Cells of the label column.
const LABEL: usize = 20;

/// Cells of the value column.
const VALUE: usize = 24;

/// From this width on, lines that do not fit below each other stand in two columns, read like those
/// of a newspaper: wide enough that what a field means stays beside its value.
const TWO_COLUMNS: u16 = 190;

/// What stands for a text without a character.
const EMPTY: &str = "(empty)";

/// The longest name of an unknown member that is shown, in characters.
const LONGEST_NAME: usize = 200;

/// The longest value of an unknown member that is shown, in characters.
const LONGEST_VALUE: usize = 4096;

/// Cells that a secret is shown in at most.
const SECRET: usize = 512;

/// What is looked at, and how.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Whose selected record it is.
    pub browser: &'a Browser,
    /// Lines scrolled away at the top.
    pub scroll: usize,
    /// Where and when it is read.
    pub local: &'a LocalTime,
    /// Whether the record's secrets are shown.
    pub reveals: bool,
    /// The moment.
    pub now: Now,
    /// The keys that are named.
    pub keymap: &'a Keymap,
}

/// Draws the selected record.
pub fn draw(buffer: &mut Buffer, area: Rect, view: &View<'_>, theme: &Theme, facts: &mut Facts) {
    let View {
        browser,
        scroll,
        now,
        ..
    } = *view;
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
    let end = paint::text(buffer, area.x, area.y, area.width, &title, theme.heading);
    let all = |width: u16| {
        let mut all = if browser.resource() == Resource::Volumes {
            volume::detail(view, listing, row, width, theme)
        } else {
            worth::lines(browser, listing, row, now, theme, width)
        };
        all.extend(lines(listing, row, view, width, theme));
        all
    };
    let height = usize::from(area.height.saturating_sub(1));
    let (mut columns, mut width) = (1, area.width.saturating_sub(2));
    let mut lines = all(width);
    if area.width >= TWO_COLUMNS && lines.len() > height {
        (columns, width) = (2, (area.width / 2).saturating_sub(2));
        lines = all(width);
    }
    let page = height * usize::from(columns);
    facts.overlay_page = page;
    facts.overlay_lines = lines.len();
    let scroll = scroll.min(lines.len().saturating_sub(page));
    if lines.len() > page {
        let last = (scroll + page).min(lines.len());
        let room = area.right().saturating_sub(end);
        let long = format!("{}-{last} of {} lines ", scroll + 1, lines.len());
        let place = if paint::cells(&long) <= room {
            long
        } else {
            format!("{last}/{} ", lines.len())
        };
        paint::right(buffer, end, area.y, room, &place, theme.dim);
    }
    for (column, part) in (0..columns).zip(lines[scroll..].chunks(height.max(1))) {
        let left = area.x + 1 + column * (width + 2);
        for (y, line) in (area.y + 1..area.bottom()).zip(part) {
            let mut x = left;
            for (text, style) in line {
                x = paint::text(buffer, x, y, (left + width).saturating_sub(x), text, *style);
            }
        }
    }
}

type Line = Vec<(String, Style)>;

fn lines(listing: &Listing, row: usize, view: &View<'_>, width: u16, theme: &Theme) -> Vec<Line> {
    let mut lines = Vec::new();
    let record = listing.whole(row);
    for section in Section::ALL {
        lines.extend(section_lines(&record, row, view, section, width, theme));
    }
    let unknown = listing.unknown_members(row);
    if !unknown.is_empty() {
        lines.push(heading("Members that bourse does not know", theme));
        for (name, value) in unknown {
            let value = if is_secret_name(&name) {
                "(hidden)".to_owned()
            } else {
                let value = redact::record(&value.to_string());
                let cell = |secret| record.cell(secret);
                json_for_terminal(&without_own_key(listing.catalog(), &value, cell))
            };
            lines.extend(unknown_lines(
                &visible(&name, LONGEST_NAME),
                &value,
                width,
                theme,
            ));
        }
        lines.push(Vec::new());
    }
    lines.push(heading("The record as it came", theme));
    lines.extend(json_lines(listing, row, width, theme));
    lines
}

/// A member that no catalog knows: its name, whole, and behind or below it its value, whole.
fn unknown_lines(name: &str, value: &str, width: u16, theme: &Theme) -> Vec<Line> {
    let indent = u16::try_from(LABEL).unwrap_or(0) + 1;
    let (mut lines, mut start) = (Vec::new(), format!("{name:LABEL$} "));
    if usize::from(paint::cells(name)) > LABEL {
        lines.push(vec![(name.to_owned(), theme.dim)]);
        start = " ".repeat(LABEL + 1);
    }
    for part in paint::wrap(
        &visible(value, LONGEST_VALUE),
        width.saturating_sub(indent).max(16),
    ) {
        let start = std::mem::replace(&mut start, " ".repeat(LABEL + 1));
        lines.push(vec![(start, theme.dim), (part, theme.text)]);
    }
    lines
}

fn heading(title: &str, theme: &Theme) -> Line {
    vec![(title.to_owned(), theme.heading)]
}

fn section_lines(
    record: &FullRecord,
    row: usize,
    view: &View<'_>,
    section: Section,
    width: u16,
    theme: &Theme,
) -> Vec<Line> {
    let browser = view.browser;
    let mut lines: Vec<Line> = Vec::new();
    for field in browser.query.catalog().section(section) {
        let value = value(record, field, row, view);
        let is_estimate = browser
            .listing()
            .is_some_and(|listing| listing.is_estimated(field));
        let is_number = record.cell(field).number().is_some();
        let value = if is_estimate && is_number {
            format!("~{value} estimate")
        } else {
            value
        };
        let is_reserved = browser
            .listing()
            .is_some_and(|listing| listing.is_reserved_price(field));
        let value = if is_reserved && is_number {
            format!("{value} reserved")
        } else {
            value
        };
        let value = if value.is_empty() {
            EMPTY.to_owned()
        } else {
            value
        };
        let is_blank = matches!(
            value.as_str(),
            format::NOT_SENT | format::NULL | format::UNKNOWN | EMPTY
        );
        let style = match (browser.is_violating(row, field), is_blank) {
            (true, _) => theme.warning,
            (false, true) => theme.dim,
            (false, false) => theme.text,
        };
        let label = truncate(field.label, LABEL);
        let label = (format!("{label:LABEL$} "), theme.dim);
        let taken = usize::from(paint::cells(&value));
        let room = usize::from(width).saturating_sub(LABEL + 1 + VALUE + 1);
        if room >= 20 && taken <= VALUE {
            let value = format!("{value}{} ", " ".repeat(VALUE - taken));
            let mut start = Some(vec![label, (value, style)]);
            for part in paint::wrap(field.doc, u16::try_from(room).unwrap_or(u16::MAX)) {
                let blank = || vec![(" ".repeat(LABEL + 1 + VALUE + 1), theme.dim)];
                let mut line = start.take().unwrap_or_else(blank);
                line.push((part, theme.dim));
                lines.push(line);
            }
            lines.extend(start);
            continue;
        }
        let room = width.saturating_sub(21).max(16); // behind the label
        let mut label = Some(label);
        for part in paint::wrap(&value, room) {
            let start = label.take().unwrap_or((" ".repeat(LABEL + 1), theme.dim));
            lines.push(vec![start, (part, style)]);
        }
        // The hundred fields of an offer would be a long way to scroll with their meanings.
        if width >= 60 || browser.resource() == Resource::Workergroups {
            for part in paint::wrap(field.doc, room) {
                lines.push(vec![(" ".repeat(LABEL + 1), theme.dim), (part, theme.dim)]);
            }
        }
    }
    if lines.is_empty() {
        return lines;
    }
    lines.insert(0, heading(section.title(), theme));
    lines.push(Vec::new());
    lines
}

/// A field's value as it is shown here.
fn value(record: &FullRecord, field: &Field, row: usize, view: &View<'_>) -> String {
    let dialect: &'static Dialect = view.browser.dialect();
    let text = match (field.kind, record.cell(field)) {
        (Kind::Secret, CellRef::Missing | CellRef::Null) => format::detail(record, field, dialect),
        (Kind::Secret, CellRef::Text(_)) if view.reveals => record
            .text(field)
            .map_or_else(String::new, |secret| secret.screen(SECRET)),
        (Kind::Secret, _) => {
            return format!("(hidden; {} shows it)", view.keymap.way_to("secrets"));
        }
        (Kind::Timestamp, CellRef::Number(epoch)) => view.local.detail(epoch),
        _ => format::detail(record, field, dialect),
    };
    if !matches!(field.source, Source::Search(_)) {
        return text;
    }
    let left_out = view
        .browser
        .listing()
        .and_then(|listing| group_search(listing, row))
        .map_or_else(Vec::new, |search| search.left_out);
    if left_out.is_empty() {
        return text;
    }
    let names: Vec<_> = left_out.iter().map(|name| name.screen(24)).collect();
    format!("{text} (and, below: {})", names.join(", "))
}

/// The record's JSON, pretty-printed; strangers' characters stay escaped, secrets stay hidden.
fn json_lines(listing: &Listing, row: usize, width: u16, theme: &Theme) -> Vec<Line> {
    let Some(json) = listing.json(row) else {
        return Vec::new();
    };
    let shown = redact::record(json);
    let pretty = serde_json::from_str::<serde_json::Value>(&shown).map_or_else(
        |_| "its JSON cannot be shown".to_owned(),
        |value| serde_json::to_string_pretty(&value).unwrap_or_default(),
    );
    let shown = json_for_terminal(&pretty);
    let mut lines = Vec::new();
    for line in shown.lines() {
        let parts = paint::wrap_indented(line, width).into_iter();
        lines.extend(parts.map(|part| vec![(part, theme.text)]));
    }
    lines
}
