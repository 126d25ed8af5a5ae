//! The Requests pane: every call in a line, and one of them whole. Only the lines in sight are made.

mod editor;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::paint::{self, Piece, piece};
use super::prompt;
use super::records::first_row;
use crate::api::LedgerEntry;
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::app::requests::opened::{self, GUTTER, LABEL, Opened, Role, size, span, waited};
use crate::app::requests::{RequestView, split};
use crate::domain::local::LocalTime;
use crate::domain::text::visible;
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// The fewest cells of the status, which takes what the others leave.
const STATUS: u16 = 11;

/// The fewest cells of the status that also hold the beginning of what went wrong.
const REASON: u16 = 24;

/// Cells in front of the list: the signs of the selection and of a failure.
const SIGNS: u16 = 3;

/// What a column shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Time,
    Operation,
    Call,
    Status,
    Took,
    Sent,
    Received,
    Attempt,
    Waited,
}

/// The columns with their titles and cells, and which leave first where there is little room.
const COLUMNS: [(Column, &str, u16, u8); 9] = [
    (Column::Time, "time", 8, 0),
    (Column::Operation, "operation", 22, 0),
    (Column::Call, "request", 36, 9),
    (Column::Status, "status", STATUS, 0),
    (Column::Took, "took", 6, 3),
    (Column::Sent, "sent", 6, 7),
    (Column::Received, "received", 8, 5),
    (Column::Attempt, "try", 3, 6),
    (Column::Waited, "waited", 6, 8),
];

impl Column {
    const fn is_right(self) -> bool {
        matches!(
            self,
            Self::Took | Self::Sent | Self::Received | Self::Attempt | Self::Waited
        )
    }
}

/// Chooses the columns for a width and gives each its place: first cell and cells.
fn place(width: u16, time: u16) -> Vec<(Column, &'static str, u16, u16)> {
    let room = width.saturating_sub(SIGNS);
    let mut columns: Vec<_> = COLUMNS.to_vec();
    columns[0].2 = time;
    let taken = |columns: &[(Column, &str, u16, u8)]| -> u16 {
        columns.iter().map(|(.., cells, _)| cells + 1).sum::<u16>() - 1
    };
    while taken(&columns) > room
        && let Some(least) = columns.iter().map(|(.., leaves)| *leaves).max()
        && least > 0
    {
        columns.retain(|(.., leaves)| *leaves != least);
    }
    let spare = room.saturating_sub(taken(&columns));
    let mut x = SIGNS;
    columns
        .into_iter()
        .map(|(column, title, cells, _)| {
            let more = if column == Column::Status { spare } else { 0 };
            let placed = (column, title, x, cells + more);
            x += cells + more + 1;
            placed
        })
        .collect()
}

/// Draws the pane under what may lie over it.
pub fn pane(
    buffer: &mut Buffer,
    body: Rect,
    model: &Model,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let list = match split(body.width) {
        Some((width, _)) if is_opened(model) => Rect { width, ..body },
        _ => body,
    };
    let line = Rect { height: 1, ..list };
    facts.targets.push((paint::area(line), Target::Bar));
    words_line(buffer, line, model, theme);
    let table = Rect {
        y: list.y + 1,
        height: list.height.saturating_sub(1),
        ..list
    };
    facts.page = usize::from(table.height.saturating_sub(1));
    if model.requests.shown().is_empty() {
        super::message(buffer, table, theme, &empty_note(model));
    } else {
        rows(buffer, table, model, &model.local_time(now), theme, facts);
    }
}

/// Whether a call is shown whole.
fn is_opened(model: &Model) -> bool {
    let detail = Overlay::is_request_detail;
    model.overlays.iter().any(detail)
}

/// The words that narrow the list, or how to type some.
fn words_line(buffer: &mut Buffer, line: Rect, model: &Model, theme: &Theme) {
    let is_typing = matches!(
        model.overlays.last(),
        Some(Overlay::Request(RequestView::Search))
    );
    let style = if is_typing { theme.accent } else { theme.dim };
    let x = paint::text(buffer, line.x, line.y, 3, " / ", style);
    let room = line.right().saturating_sub(x);
    let input = &model.requests.input;
    if is_typing || !input.is_empty() {
        let field = Rect::new(x, line.y, room.saturating_sub(1), 1);
        prompt::line(buffer, field, input, theme);
    } else {
        let key = model.keymap.way_to("narrow-requests");
        let note = format!("every call of this run, latest first (press {key} to narrow the list)");
        paint::text(buffer, x, line.y, room, &note, theme.dim);
    }
}

/// What stands in place of a list without entries.
fn empty_note(model: &Model) -> Vec<String> {
    let way = |name| model.keymap.way_to(name);
    if model.ledger.is_empty() {
        return vec![
            "Nothing was sent yet.".to_owned(),
            format!(
                "Every call will be listed here with its time, status and bodies. Press {} for the \
                 offers: they are asked for at once.",
                way("offers")
            ),
        ];
    }
    vec![
        format!(
            "None of the {} requests match “{}”.",
            model.ledger.len(),
            visible(model.requests.input.text(), 60)
        ),
        "Esc shows them all again.".to_owned(),
    ]
}

fn rows(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    local: &LocalTime,
    theme: &Theme,
    facts: &mut Facts,
) {
    let shown = model.requests.shown();
    let cursor = model.requests.cursor();
    facts.top = first_row(facts.top, cursor, shown.len(), facts.page);
    let in_sight: Vec<_> = shown
        .iter()
        .enumerate()
        .skip(facts.top)
        .take(facts.page)
        .filter_map(|(place, number)| Some((place, model.ledger.get(*number)?)))
        .collect();
    let times: Vec<String> = in_sight
        .iter()
        .map(|(_, entry)| local.clock(entry.at))
        .collect();
    let time = times.iter().map(|time| paint::cells(time)).max();
    let columns = place(area.width, time.unwrap_or(8).clamp(8, 14));
    for (column, title, x, width) in &columns {
        let x = area.x + x;
        if column.is_right() {
            paint::right(buffer, x, area.y, *width, title, theme.heading);
        } else {
            paint::text(buffer, x, area.y, *width, title, theme.heading);
        }
    }
    for ((y, (index, entry)), time) in (area.y + 1..area.bottom()).zip(in_sight).zip(times) {
        let strip = Rect::new(area.x, y, area.width, 1);
        facts.targets.push((paint::area(strip), Target::Row(index)));
        let is_selected = index == cursor;
        if is_selected {
            paint::fill(buffer, strip, theme.selected);
        }
        let plain = if is_selected {
            theme.selected
        } else {
            theme.text
        };
        let is_bad = entry.error.is_some();
        let sign = match (is_selected, is_bad) {
            (true, true) => ">!",
            (true, false) => "> ",
            (false, true) => " !",
            (false, false) => "  ",
        };
        paint::text(buffer, strip.x, y, SIGNS, sign, plain);
        for (column, _, x, width) in &columns {
            let text = cell(*column, *width, entry, &time);
            let style = if is_bad && !is_selected && *column == Column::Status {
                theme.error
            } else {
                plain
            };
            let x = strip.x + x;
            if column.is_right() {
                paint::right(buffer, x, y, *width, &text, style);
            } else {
                paint::text(buffer, x, y, *width, &text, style);
            }
        }
    }
}

fn cell(column: Column, width: u16, entry: &LedgerEntry, time: &str) -> String {
    match column {
        Column::Time => time.to_owned(),
        Column::Operation => entry.operation.label().to_owned(),
        Column::Call => call(entry),
        Column::Status if width < REASON => entry.status_words(),
        Column::Status => outcome(entry),
        Column::Took => span(entry.took),
        Column::Sent => size(entry.bytes_sent),
        Column::Received => size(entry.bytes_received),
        Column::Attempt => entry.attempt.to_string(),
        Column::Waited => waited(entry).unwrap_or_else(|| "-".to_owned()),
    }
}

/// Method and path of a call.
fn call(entry: &LedgerEntry) -> String {
    let behind = entry.url.split_once("://").map_or("", |(_, rest)| rest);
    let path = behind.find('/').map_or("/", |at| &behind[at..]);
    format!("{} {}", entry.method.name(), visible(path, 200))
}

/// The status in words, and what went wrong.
fn outcome(entry: &LedgerEntry) -> String {
    let status = entry.status_words();
    match &entry.error {
        Some(error) => format!("{status}: {}", visible(error, 300)),
        None => status,
    }
}

/// The status line: how many there are, the selected one in full, what is under way.
pub fn status<'a>(model: &'a Model, now: Now, theme: &Theme) -> Vec<Piece<'a>> {
    let requests = &model.requests;
    let (shown, kept) = (requests.shown().len(), model.ledger.len());
    let noun = if kept == 1 { "request" } else { "requests" };
    let mut text = match shown {
        0 => format!("no {noun}"),
        _ if shown == kept => format!("{}/{kept} {noun}", requests.cursor() + 1),
        _ => format!("{}/{shown} of {kept} {noun}", requests.cursor() + 1),
    };
    if model.ledger.total() > kept as u64 {
        text.push_str(", older ones are not kept");
    }
    let mut parts = vec![piece(text, theme.text)];
    for flight in requests.flights() {
        let seconds = (now.mono - flight.since).max(0.0);
        let label = flight.operation.label();
        let text = match &flight.waiting {
            Some(waiting) => format!(
                " · {label}: {}, going in {:.0}s (try {}, Esc stops)",
                visible(&waiting.why, 200),
                (waiting.until - now.mono).max(0.0).ceil(),
                flight.attempt
            ),
            None => format!(" · {label}: asking, {seconds:.0}s (Esc stops)"),
        };
        parts.push(piece(text, theme.accent));
    }
    let selected = requests.selected();
    if let Some(entry) = selected.and_then(|number| model.ledger.get(number)) {
        let text = format!(" · {}: {}", call(entry), outcome(entry));
        parts.push(piece(text, theme.dim));
    }
    parts
}

/// Draws what lies over the list; gives the cursor's place where text is typed.
pub fn overlay(
    buffer: &mut Buffer,
    (area, body): (Rect, Rect),
    model: &Model,
    view: RequestView,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let place = match split(body.width) {
        Some((list, width)) => Rect {
            x: body.x + list,
            width,
            ..body
        },
        None => body,
    };
    match view {
        RequestView::Search => {
            let input = &model.requests.input;
            let room = usize::from(body.width.saturating_sub(4));
            let column = input.cursor_column() - input.scroll(room.saturating_sub(1));
            let x = body.x + 3 + u16::try_from(column).unwrap_or(0);
            Some(Position::new(x.min(body.right() - 1), body.y))
        }
        RequestView::Detail => {
            if let Some(opened) = &model.requests.opened {
                let is_typing = matches!(
                    model.overlays.last(),
                    Some(Overlay::Request(RequestView::Find))
                );
                detail(buffer, place, model, opened, is_typing, theme, facts);
            }
            None
        }
        RequestView::Find => model.requests.opened.as_ref().map(|opened| {
            let y = place.bottom().saturating_sub(1);
            find_line(buffer, Rect::new(place.x, y, place.width, 1), opened, theme)
        }),
        RequestView::Editor => {
            let draft = model.requests.draft.as_ref()?;
            editor::draw(buffer, area, model, draft, theme, facts)
        }
    }
}

fn detail(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    opened: &Opened,
    is_typing: bool,
    theme: &Theme,
    facts: &mut Facts,
) {
    blank(buffer, area);
    let has_find = is_typing || !opened.find.input.is_empty();
    let lines = area.height.saturating_sub(1 + u16::from(has_find));
    let page = usize::from(lines);
    facts.overlay_page = page;
    facts.overlay_lines = opened.len();
    let what = model
        .ledger
        .get(opened.number)
        .map_or("gone from the list", |entry| entry.operation.label());
    let title = format!(" Request {}: {what} ", opened.number);
    paint::text(buffer, area.x, area.y, area.width, &title, theme.heading);
    if opened.len() > page {
        let top = opened.top(page);
        let place = format!("{}-{} of {} lines ", top + 1, top + page, opened.len());
        let taken = paint::cells(&title);
        let room = area.width.saturating_sub(taken);
        paint::right(buffer, area.x + taken, area.y, room, &place, theme.dim);
    }
    for (y, line) in (area.y + 1..area.y + 1 + lines).zip(opened.pieces(page)) {
        detail_line(buffer, Rect::new(area.x, y, area.width, 1), &line, theme);
    }
    if has_find {
        let y = area.bottom().saturating_sub(1);
        find_line(buffer, Rect::new(area.x, y, area.width, 1), opened, theme);
    }
}

fn detail_line(buffer: &mut Buffer, strip: Rect, line: &opened::Piece<'_>, theme: &Theme) {
    let style = match line.role {
        Role::Heading => theme.heading,
        Role::Fact | Role::Body => theme.text,
        Role::Bad => theme.error,
        Role::Note => theme.dim,
    };
    // A sign besides the colour: the eye finds it, and no colour is needed.
    if line.matches.iter().any(|(.., is_current)| *is_current) {
        paint::text(buffer, strip.x, strip.y, GUTTER, ">", theme.accent);
    }
    let label = match line.role {
        Role::Fact | Role::Bad if line.is_first => LABEL.min(line.text.len()),
        _ => 0,
    };
    let mut cuts: Vec<usize> = vec![0, label, line.text.len()];
    for (start, end, _) in &line.matches {
        cuts.extend([*start, *end]);
    }
    cuts.sort_unstable();
    cuts.dedup();
    let mut x = strip.x + GUTTER + line.indent;
    for pair in cuts.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let found = line
            .matches
            .iter()
            .find(|(from, to, _)| *from <= start && end <= *to);
        let base = if end <= label { theme.dim } else { style };
        let style = match found {
            Some((.., true)) => theme.selected,
            Some((.., false)) => marked(base),
            None => base,
        };
        let Some(text) = line.text.get(start..end) else {
            continue;
        };
        x = paint::text(
            buffer,
            x,
            strip.y,
            strip.right().saturating_sub(x),
            text,
            style,
        );
    }
}

/// A match that is not the one that is looked at.
fn marked(style: Style) -> Style {
    style.add_modifier(Modifier::UNDERLINED.union(Modifier::BOLD))
}

/// What is looked for and how often it is there; gives the cursor's place.
fn find_line(buffer: &mut Buffer, line: Rect, opened: &Opened, theme: &Theme) -> Position {
    blank(buffer, line);
    let count = match opened.find.place() {
        _ if opened.find.input.is_empty() => "type what to look for".to_owned(),
        (_, 0) => "not in it".to_owned(),
        (at, count) => format!("match {at} of {count}"),
    };
    let count = format!(" {count} ");
    let x = paint::text(buffer, line.x, line.y, 3, " / ", theme.accent);
    let taken = paint::cells(&count);
    let room = line.right().saturating_sub(x + taken);
    let field = Rect::new(x, line.y, room, 1);
    let cursor = prompt::line(buffer, field, &opened.find.input, theme);
    paint::right(buffer, x + room, line.y, taken, &count, theme.dim);
    cursor
}
