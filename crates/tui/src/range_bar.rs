//! A bar filled to a share, in one line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::theme::Theme;

/// A bar of half a line's height, in steps of half a cell; `share`, from 0 to 1, of `width` cells long. Any
/// share above zero is visible.
pub fn filled(share: f64, width: u16) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 2 x width
    let rounded = (share.clamp(0.0, 1.0) * f64::from(width) * 2.0).round() as usize;
    let halves = rounded.max(usize::from(share > 0.0 && width > 0));
    "▄".repeat(halves / 2) + ["", "▖"][halves % 2]
}

/// A bar from 0 to 1: `▄▄▄▄▁▁▁▁▁`.
#[derive(Debug, Clone, Copy)]
pub struct RangeBar<'a> {
    share: f64,
    style: Style,
    theme: &'a Theme,
}

impl<'a> RangeBar<'a> {
    /// A bar filled to `share`, which is clamped to 0 to 1.
    pub const fn new(share: f64, theme: &'a Theme) -> Self {
        Self {
            share: share.clamp(0.0, 1.0),
            style: theme.focus,
            theme,
        }
    }

    /// Sets the style of the filled part, which is that of the focus by default.
    #[must_use]
    pub const fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// The bar as text of `width` cells: the filled part, then a thin track.
    pub fn line(self, width: u16) -> Line<'static> {
        let filled = filled(self.share, width);
        let rest = usize::from(width).saturating_sub(filled.chars().count());
        Line::from(vec![
            Span::styled(filled, self.style),
            Span::styled("▁".repeat(rest), self.theme.border),
        ])
    }
}

impl Widget for RangeBar<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        self.line(area.width).render(area, buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_filled_to_its_share() {
        let bar = |share| RangeBar::new(share, &Theme::MONO).line(10).to_string();
        assert_eq!(bar(0.0), "▁▁▁▁▁▁▁▁▁▁");
        assert_eq!(bar(0.01), "▖▁▁▁▁▁▁▁▁▁");
        assert_eq!(bar(0.5), "▄▄▄▄▄▁▁▁▁▁");
        assert_eq!(bar(0.55), "▄▄▄▄▄▖▁▁▁▁");
        assert_eq!(bar(1.0), "▄▄▄▄▄▄▄▄▄▄");
        assert_eq!(bar(7.0), "▄▄▄▄▄▄▄▄▄▄");
    }
}
