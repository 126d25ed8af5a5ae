//! Draws a request: its facts above, the two bodies below, side by side or one at a time.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Paragraph, Wrap};

use super::{RequestDetails, SIDES, Side, text as facts};
use crate::api::redact::REMOVED;
use crate::core::frame_layout::Target;
use crate::core::view::Scene;
use crate::core::views::member_notes;
use crate::core::views::member_notes::MemberNote;
use crate::domain::format::counted;
use crate::keys::Action;
use crate::tui::panel::{Panel, Size};
use crate::tui::report::Report;
use crate::tui::text::{cells, wrap_line};
use crate::tui::viewport::Viewport;

/// Maximum width of the request beside its response, in cells.
///
/// Few request bodies are wider.
const WIDEST_REQUEST: u16 = 80;

/// Minimum height of the panel with the command line.
const LEAST_CURL: u16 = 6;

/// Draws a request: its facts above, the two bodies below, and the request as `curl` where there is room
/// under its body. A compact screen shows one body at a time.
pub(super) fn details(view: &RequestDetails, area: Rect, scene: &mut Scene<'_, '_>) {
    let local = scene.state.local_time(scene.now);
    let lines = facts::summary(&view.entry, &local, scene.theme);
    let is_compact = scene.size == Size::Compact;
    let frame = if is_compact { 1 } else { 2 };
    let width = area.width.saturating_sub(if is_compact { 0 } else { 4 });
    let rows: usize = lines.iter().map(|line| wrap_line(line, width, 0).len()).sum();
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).min(area.height / 3);
    let [head, bodies] = Layout::vertical([Constraint::Length(rows + frame), Constraint::Fill(1)]).areas(area);
    let title = format!("Request {}: {}", view.number, view.entry.operation.label());
    let inner = scene.panel(Panel::new(title), head);
    scene.render(Paragraph::new(lines).wrap(Wrap { trim: false }), inner);
    if is_compact {
        one_body(view, bodies, scene);
    } else {
        let request = WIDEST_REQUEST.min(bodies.width * 2 / 5);
        let [left, right] = Layout::horizontal([Constraint::Length(request), Constraint::Fill(1)]).areas(bodies);
        let below = below_body(view, 2, left);
        let left = Rect {
            height: left.height - below.height,
            ..left
        };
        body(view, Side::Request, left, scene);
        as_curl(view, below, scene);
        body(view, Side::Response, right, scene);
    }
}

/// Draws the request as the `curl` command line that can be copied, up to 4,000 cells of it.
fn as_curl(view: &RequestDetails, area: Rect, scene: &mut Scene<'_, '_>) {
    if area.is_empty() {
        return;
    }
    let key = scene.key(Action::Copy);
    let inner = scene.framed(Panel::new("As curl").foot(format!("{key} copy")), area);
    let lines = facts::as_curl(&view.entry, inner.width, scene.theme);
    scene.render(Paragraph::new(lines), inner);
}

/// The name of the request's or response's body, for its panel.
const fn title(side: Side) -> &'static str {
    match side {
        Side::Request => "Request body",
        Side::Response => "Response body",
    }
}

/// Draws the request's or response's body in a panel, with a note if a secret was removed from it.
fn body(view: &RequestDetails, side: Side, area: Rect, scene: &mut Scene<'_, '_>) {
    let mut panel = Panel::new(title(side)).focused(view.focus == side);
    let lacks_secret = match side {
        Side::Request => view.lacks_secret.0,
        Side::Response => view.lacks_secret.1,
    };
    if lacks_secret {
        panel = panel.foot(format!("{REMOVED} replaces a secret"));
    }
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let viewport = text(view, side, inner, scene);
    scene.clickable(area, Target::Item(side.region(), 0));
    scene.label_border(area, cells(title(side)), &lines_label(viewport));
}

/// Draws the focused body under the tabs of both.
fn one_body(view: &RequestDetails, area: Rect, scene: &mut Scene<'_, '_>) {
    let side = view.focus;
    let open = SIDES.iter().position(|tab| *tab == side).unwrap_or(0);
    let below = match side {
        Side::Request => below_body(view, 1, area),
        Side::Response => Rect::default(),
    };
    let area = Rect {
        height: area.height - below.height,
        ..area
    };
    let panel = Panel::new("Bodies").tabs(["Request", "Response"], open).focused(true);
    let width = panel.tab_areas(area).last().map_or(0, |tab| tab.right() - area.x);
    let inner = scene.panel(panel, area);
    let viewport = text(view, side, inner, scene);
    scene.label_border(area, width, &lines_label(viewport));
    as_curl(view, below, scene);
}

/// The area below the request's body and its frame of `frame` lines, for the command line; empty without room for it.
fn below_body(view: &RequestDetails, frame: usize, area: Rect) -> Rect {
    let rows = u16::try_from(view.request.lines().len() + frame).unwrap_or(u16::MAX);
    if area.height.saturating_sub(rows) < LEAST_CURL {
        return Rect::default();
    }
    let [_, below] = Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(area);
    below
}

/// Draws the text of a body, and beside its parameters or the members of its records their names and meanings; returns its
/// viewport.
fn text(view: &RequestDetails, side: Side, area: Rect, scene: &mut Scene<'_, '_>) -> Viewport {
    let report = report(view, side);
    let viewport = scene.report(side.region(), report, area);
    let [of_request, of_response] = &view.fields;
    let fields = match side {
        Side::Request => of_request,
        Side::Response => of_response,
    };
    let note = |line: usize| {
        let field = (*fields.get(line)?)?;
        Some(MemberNote { field, value: None })
    };
    let lines = report.visible(viewport, scene.theme);
    member_notes::draw(&lines, note, area, scene);
    viewport
}

/// The range of visible lines of a body, or the number of its lines if all are visible.
fn lines_label(viewport: Viewport) -> String {
    if viewport.page < viewport.total {
        viewport.label()
    } else {
        counted(viewport.total, "line", "lines")
    }
}

/// The scrollable text of the request's or response's body.
const fn report(view: &RequestDetails, side: Side) -> &Report {
    match side {
        Side::Request => &view.request,
        Side::Response => &view.response,
    }
}
