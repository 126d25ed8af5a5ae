//! The route lab.
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::theme::Theme;
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::remote::Now;
use crate::app::route_lab::RouteView;

/// Draws a part of the lab.
pub fn draw(
    _buffer: &mut Buffer,
    _area: Rect,
    _view: &RouteView,
    _model: &Model,
    _now: Now,
    _theme: &Theme,
    _facts: &mut Facts,
) -> Option<Position> {
    None
}
