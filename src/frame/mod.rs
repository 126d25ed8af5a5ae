//! The frame around the views: [`draw`] draws header, views and footer from the model, and returns
//! its measurements. Nothing here changes the model.

pub(crate) mod footer;
pub(crate) mod header;
mod repair;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier};

use crate::core::Model;
use crate::core::frame_layout::FrameLayout;
use crate::core::view::{Placement, Scene};
use crate::domain::time::Now;
use crate::tui::finish::finish;
use crate::tui::panel::Size;
use crate::tui::theme::Theme;

pub use repair::draw_repair;

const SMALLEST: (u16, u16) = (40, 10);

/// Draws header, views and footer of the model; returns the measurements of the frame. On a terminal below
/// 40x10 cells only a note is drawn.
pub fn draw(frame: &mut Frame<'_>, model: &Model, now: Now, theme: &Theme) -> FrameLayout {
    let theme = model.state.settings.themes.shown.as_ref().unwrap_or(theme);
    let mut layout = FrameLayout::default();
    if is_too_small(frame, theme) {
        return layout;
    }
    let cursor = screen(frame, model, now, theme, &mut layout);
    finish(frame.buffer_mut(), theme);
    if let Some(position) = cursor {
        frame.set_cursor_position(position);
    }
    layout
}

/// Draws a note on a screen that is too small for the dashboard; returns whether it is.
fn is_too_small(frame: &mut Frame<'_>, theme: &Theme) -> bool {
    let area = frame.area();
    let is_small = area.width < SMALLEST.0 || area.height < SMALLEST.1;
    if is_small {
        let note = format!("bourse needs {}x{} cells", SMALLEST.0, SMALLEST.1);
        // A buffer panics where it has no cell.
        if !area.is_empty() {
            let buffer = frame.buffer_mut();
            buffer.set_string(area.x, area.y, note, theme.text);
        }
        finish(frame.buffer_mut(), theme);
    }
    is_small
}

/// The inputs of drawing: the model, the time and the colours.
#[derive(Clone, Copy)]
struct Brush<'a> {
    model: &'a Model,
    now: Now,
    theme: &'a Theme,
}

impl<'a> Brush<'a> {
    /// The drawing context of the view at `depth`, its index in the stack.
    fn scene<'s, 'b>(self, frame: &'s mut Frame<'b>, layout: &'s mut FrameLayout, depth: usize) -> Scene<'s, 'b>
    where
        'a: 's,
    {
        Scene {
            size: Size::new(frame.area().width, frame.area().height),
            state: &self.model.state,
            views: self.model.views,
            before: &self.model.layout,
            cursor: None,
            tabs: None,
            theme: self.theme,
            now: self.now,
            frame,
            layout,
            depth,
        }
    }
}

/// Draws header, pane, open views and footer, without the views that a page covers; returns the position of
/// the text cursor, `None` if it is hidden.
fn screen(frame: &mut Frame<'_>, model: &Model, now: Now, theme: &Theme, layout: &mut FrameLayout) -> Option<Position> {
    let brush = Brush { model, now, theme };
    let area = frame.area();
    let [top, body, bottom] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    let lit = header::draw(model, top, &mut brush.scene(frame, layout, 0));
    // A view covered by a page is not drawn, but keeps its area.
    let mut above = model.overlays.iter();
    let page = above.rposition(|view| view.placement() == Placement::Page);
    let hidden = page.map_or(0, |page| page + 1);
    let covered = model.layout.viewports.iter();
    layout.viewports.extend(covered.filter(|(depth, _, _)| *depth < hidden));
    let mut cursor = None;
    if hidden == 0 {
        let pane_theme = match Size::new(area.width, area.height) {
            _ if !model.overlays.is_empty() => theme.unfocused(),
            // On a wide screen focus moves between panels, so it has to stand out.
            Size::Wide => Theme {
                thick_focus: true,
                ..*theme
            },
            Size::Compact | Size::Medium => *theme,
        };
        let brush = Brush {
            theme: &pane_theme,
            ..brush
        };
        let mut scene = brush.scene(frame, layout, 0);
        model.pane_view().draw(body, &mut scene);
        cursor = scene.cursor;
    }
    // Header and footer stay visible under every overlay.
    if !model.overlays.is_empty() {
        let tabs = Rect {
            width: lit.x - top.x,
            ..top
        };
        cursor = overlays(frame, (tabs, body), brush, page.unwrap_or(0), layout);
    }
    let mut scene = brush.scene(frame, layout, 0);
    footer::hints(model, bottom, &mut scene);
    header::long_notice(model, top, cursor, &mut scene);
    cursor
}

/// Draws the open views from index `first` on, and dims what is under dialogs; returns the text cursor of the
/// topmost one, `None` if that has none.
fn overlays(
    frame: &mut Frame<'_>,
    (tabs, body): (Rect, Rect),
    brush: Brush<'_>,
    first: usize,
    layout: &mut FrameLayout,
) -> Option<Position> {
    let mut cursor = None;
    let covered = brush.theme.unfocused();
    let views = &brush.model.overlays;
    for (index, view) in views.iter().enumerate().skip(first) {
        if view.placement() != Placement::Page {
            dim(frame, tabs, brush.theme);
            dim(frame, body, brush.theme);
        }
        let theme = if index + 1 < views.len() { &covered } else { brush.theme };
        let brush = Brush { theme, ..brush };
        let mut scene = brush.scene(frame, layout, index + 1);
        view.draw(body, &mut scene);
        cursor = scene.cursor;
    }
    cursor
}

/// Removes color and weight behind a dialog in an area, including the tint of a selected row.
fn dim(frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let behind = theme
        .backdrop
        .bg(theme.background.unwrap_or(Color::Reset))
        .remove_modifier(Modifier::REVERSED | Modifier::UNDERLINED);
    frame.buffer_mut().set_style(area, behind);
}
