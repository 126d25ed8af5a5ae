//! The route lab: runs, their figures and charts, and the dialogs on top.
//!
//! ```text
//!  Route lab  chat, 500 requests, 8 at once, 50/s, cost 100               run 2 of 2
//!  RUNNING ########........ 42%  9s  210 sent, 3 in flight   load injected 21,000
//!  [Overview]  Latency  Timeline  Workers  Attempts
//!  ...                                                                     page
//! ```

mod attempts;
mod charts;
mod compare;
mod dialogs;
mod figures;
mod words;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint::{self, piece};
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::keys::Keymap;
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::app::route_lab::{LabRun, Page, RouteLab, RouteView};
use crate::domain::routing::{End, Phase, Run};
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// From this size on the overview shows every chart at once.
const LARGE: (u16, u16) = (140, 30);

/// A line of pieces of text.
type Line = Vec<(String, Style)>;

/// Draws a part of the lab; gives the cursor's place where text is typed.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    view: &RouteView,
    model: &Model,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let lab = &model.route_lab;
    // Between the header and the status line; the footer is not in `area`.
    let place = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(2),
        ..area
    };
    match view {
        RouteView::Lab => {
            lab_view(buffer, place, model, now, theme, facts);
            if lab.shown().is_none()
                && matches!(model.overlays.last(), Some(Overlay::Route(RouteView::Lab)))
            {
                welcome(buffer, place, &model.keymap, theme);
            }
            None
        }
        RouteView::Search => {
            lab_view(buffer, place, model, now, theme, facts);
            Some(dialogs::search(buffer, place, lab, theme))
        }
        RouteView::Form => dialogs::form(buffer, area, model, theme, facts),
        RouteView::Attempt { place: at, scroll } => {
            attempts::detail(buffer, place, lab, *at, *scroll, theme, facts);
            None
        }
        RouteView::NextHop { place: at } => dialogs::next_hop(buffer, place, model, *at, theme),
        RouteView::Export => Some(dialogs::export(buffer, area, model, theme)),
        RouteView::Compare { other, scroll } => {
            compare::draw(buffer, place, model, (*other, *scroll), now, theme, facts);
            None
        }
    }
}

/// The run that goes on, in a few words for the status line.
pub fn going_on(lab: &RouteLab, keymap: &Keymap, now: Now) -> Option<String> {
    let run = lab.active()?.run();
    if run.plan().is_single() {
        return Some("route request under way".to_owned());
    }
    let word = match run.phase() {
        Phase::Paused => "paused",
        _ => "running",
    };
    let share = run.progress(now.mono) * 100.0;
    let key = keymap.way_to("route-lab");
    Some(format!("route series {word}, {share:.0}% ({key} shows it)"))
}

/// What stands where no run is yet.
fn welcome(buffer: &mut Buffer, area: Rect, keymap: &Keymap, theme: &Theme) {
    let (new, back) = (keymap.way_to("new-run"), keymap.way_to("back"));
    let lines = [
        "Route lab".to_owned(),
        "Ask the routing endpoint for a worker, once or in a series, and see how requests are \
         shared, how long they take and what fails."
            .to_owned(),
        format!("Press {new} to fill in a request. {back} goes back."),
    ];
    super::message(buffer, area, theme, &lines);
}

fn lab_view(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    blank(buffer, area);
    let lab = &*model.route_lab;
    let Some(lab_run) = lab.shown() else {
        return;
    };
    title(buffer, area, lab, lab_run, theme);
    status(buffer, area, lab, lab_run, now, theme);
    tabs(buffer, area, lab, &model.keymap, theme);
    let body = Rect {
        y: area.y + 4,
        height: area.height.saturating_sub(4),
        ..area
    };
    let body = inset(body);
    page(buffer, body, lab, lab_run, now, theme, facts);
}

/// One cell in from left and right.
const fn inset(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    }
}

fn title(buffer: &mut Buffer, area: Rect, lab: &RouteLab, lab_run: &LabRun, theme: &Theme) {
    let right = format!("run {} of {} ", lab.shown_place() + 1, lab.runs().len());
    let room = area.width.saturating_sub(paint::cells(&right) + 2);
    let parts = [
        piece(" Route lab  ", theme.heading),
        piece(words::plan(lab_run.run().plan()), theme.text),
    ];
    paint::pieces(buffer, area.x, area.y, room, &parts);
    paint::right(buffer, area.x, area.y, area.width, &right, theme.dim);
}

fn status(
    buffer: &mut Buffer,
    area: Rect,
    lab: &RouteLab,
    lab_run: &LabRun,
    now: Now,
    theme: &Theme,
) {
    let run = lab_run.run();
    let (word, style) = phase_words(run, theme);
    let mut parts = vec![piece(format!(" {word} "), style)];
    if lab_run.is_active() && !run.plan().is_single() {
        let progress = run.progress(now.mono);
        let cells = if area.width < 100 { 8 } else { 16 };
        parts.push(piece(charts::gauge(progress, cells), theme.accent));
        parts.push(piece(format!(" {:.0}%", progress * 100.0), theme.text));
    }
    parts.push(piece(
        format!(
            "  {}  {} sent",
            words::span(run.elapsed(now.mono)),
            words::count(run.requests())
        ),
        theme.text,
    ));
    let polls = run.sent() - run.requests();
    if polls > 0 {
        let unit = if polls == 1 { "poll" } else { "polls" };
        let text = format!(", {} {unit}", words::count(polls));
        parts.push(piece(text, theme.text));
    }
    if run.in_flight() > 0 {
        parts.push(piece(
            format!(", {} in flight", run.in_flight()),
            theme.text,
        ));
    }
    let late = run.backlog(now.mono);
    if late > 0 {
        let text = if lab_run.is_active() {
            format!(", {} due but not sent", words::count(late))
        } else {
            format!(", {} never sent", words::count(late))
        };
        parts.push(piece(text, theme.warning));
    }
    parts.push(piece("  load injected ", theme.dim));
    parts.push(piece(words::amount(run.load_injected()), theme.text));
    if lab.runs().len() > 1 {
        let all = words::amount(lab.load_injected());
        parts.push(piece(format!(" (all runs {all})"), theme.dim));
    }
    if let Some(note) = words::early_end(run) {
        parts.push(piece(format!("  {note}"), theme.warning));
    }
    if let Some(note) = lab_run.note {
        parts.push(piece(format!("  {note}"), theme.error));
    }
    paint::pieces(buffer, area.x, area.y + 1, area.width, &parts);
}

/// Where a run stands, in a word.
fn phase_words(run: &Run, theme: &Theme) -> (&'static str, Style) {
    match run.phase() {
        Phase::Running => ("RUNNING", theme.accent),
        Phase::Paused => ("PAUSED", theme.warning),
        Phase::Draining if run.plan().is_single() => ("ASKING", theme.accent),
        Phase::Draining if run.waiting() > 0 => ("POLLING", theme.accent),
        Phase::Draining => ("LAST REPLIES", theme.accent),
        Phase::Ended(End::Done) => ("DONE", theme.good),
        Phase::Ended(End::Stopped) => ("STOPPED", theme.warning),
        Phase::Ended(End::Capped | End::NoWorker) => ("ENDED", theme.warning),
    }
}

fn tabs(buffer: &mut Buffer, area: Rect, lab: &RouteLab, keymap: &Keymap, theme: &Theme) {
    let mut x = area.x + 1;
    for page in Page::ALL {
        let is_open = page == lab.page;
        let (text, style) = if is_open {
            (format!("[{}]", page.title()), theme.selected)
        } else {
            (format!(" {} ", page.title()), theme.dim)
        };
        let room = area.right().saturating_sub(x);
        x = paint::text(buffer, x, area.y + 2, room, &text, style) + 1;
    }
    let way = |name| keymap.way_to(name);
    let mut hint = format!("{} {} page ", way("previous-page"), way("next-page"));
    if lab.runs().len() > 1 {
        let (before, after) = (way("previous-run"), way("next-run"));
        hint = format!("{hint} {before} {after} run ");
    }
    let room = area.right().saturating_sub(x);
    if paint::cells(&hint) <= room {
        paint::right(buffer, x, area.y + 2, room, &hint, theme.dim);
    }
}

fn page(
    buffer: &mut Buffer,
    body: Rect,
    lab: &RouteLab,
    lab_run: &LabRun,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let run = lab_run.run();
    match lab.page {
        Page::Overview if run.plan().is_single() => {
            attempts::single(buffer, body, lab, now, theme, facts);
        }
        Page::Overview if body.width >= LARGE.0 && body.height >= LARGE.1 => {
            everything(buffer, body, lab, run, now, theme, facts);
        }
        Page::Overview => {
            let used = figures::draw(buffer, body, run, now, theme);
            let rest = below(body, used + 1);
            if rest.height >= 5 {
                charts::timeline(buffer, rest, run, now, theme);
            }
        }
        Page::Latency => charts::histogram(buffer, body, run, theme),
        Page::Timeline => charts::timeline(buffer, body, run, now, theme),
        Page::Workers => charts::workers(buffer, body, run, lab.scroll, theme, facts),
        Page::Attempts => attempts::table(buffer, body, lab, theme, facts),
    }
}

/// What is left of an area below `used` rows.
const fn below(area: Rect, used: u16) -> Rect {
    Rect {
        y: area.y.saturating_add(used),
        height: area.height.saturating_sub(used),
        ..area
    }
}

/// Every chart at once.
fn everything(
    buffer: &mut Buffer,
    body: Rect,
    lab: &RouteLab,
    run: &Run,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let left = body.width / 2 - 1;
    let column = |x: u16, y: u16, width: u16, height: u16| Rect {
        x: body.x + x,
        y: body.y + y,
        width,
        height,
    };
    let top = 14;
    let middle = ((body.height - top) / 3).clamp(8, 14);
    let bottom = body.height - top - middle;
    let right = body.width - left - 2;
    figures::draw(buffer, column(0, 0, left, top - 1), run, now, theme);
    charts::histogram(buffer, column(left + 2, 0, right, top - 1), run, theme);
    charts::timeline(
        buffer,
        column(0, top, body.width, middle - 1),
        run,
        now,
        theme,
    );
    let low = top + middle;
    let place = column(0, low, left, bottom);
    charts::workers(buffer, place, run, lab.scroll, theme, facts);
    attempts::latest(buffer, column(left + 2, low, right, bottom), run, theme);
}
