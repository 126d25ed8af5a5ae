//! The rail: the position of a price among comparable ones, in one line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::theme::Theme;

/// A price between the 5th and the 95th percentile of its peers: `┄●┄┄┄│┄┄┄┄┄┄`, with `│` at their median.
///
/// Prices outside are drawn at the nearer end.
#[derive(Debug, Clone, Copy)]
pub struct Rail<'a> {
    low: f64,
    median: f64,
    high: f64,
    price: f64,
    theme: &'a Theme,
    shows_median: bool,
    better: Option<bool>,
}

/// The comparison of a price with its peers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// In the lowest third between the 5th percentile and the median.
    Low,
    /// Near the median.
    Middle,
    /// In the highest third between the median and the 95th percentile.
    High,
}

impl Tone {
    /// The style of a price, for which less is better: good if low, a warning if high, else plain.
    pub const fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Low => theme.good,
            Self::Middle => Style::new(),
            Self::High => theme.warning,
        }
    }
}

impl<'a> Rail<'a> {
    /// The rail of a price among peers with these percentiles: 5th, 50th and 95th, in the price's unit.
    pub const fn new([low, median, high]: [f64; 3], price: f64, theme: &'a Theme) -> Self {
        Self {
            low,
            median,
            high,
            price,
            theme,
            shows_median: false,
            better: Some(false),
        }
    }

    /// Sets whether more is better (`Some(true)`), less is better (`Some(false)`, as for a price), or neither
    /// (`None`), which the point shows by its style.
    #[must_use]
    pub const fn better(mut self, better: Option<bool>) -> Self {
        self.better = better;
        self
    }

    /// Draws a price that differs from the median beside it, where both fall on one cell: for a median that is a
    /// limit, of which the side matters.
    #[must_use]
    pub const fn beside_median(mut self) -> Self {
        self.shows_median = true;
        self
    }

    /// The position of a value between the 5th and the 95th percentile, from 0 to 1; the middle if they are equal.
    fn position(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 }
    }

    /// The comparison of the price with its peers: low in the lowest third between the 5th percentile and the
    /// median, high in the highest third between the median and the 95th, else middle. Middle if the
    /// percentiles are equal.
    ///
    /// Of evenly spread peers, a fifth is low and a fifth is high.
    pub fn tone(&self) -> Tone {
        let is_spread = self.high > self.low;
        match self.price {
            price if is_spread && price <= self.low + (self.median - self.low) / 3.0 => Tone::Low,
            price if is_spread && price >= self.high - (self.high - self.median) / 3.0 => Tone::High,
            _ => Tone::Middle,
        }
    }

    /// The style of the point: good at the better end, a warning at the other, else plain.
    fn point_style(&self) -> Style {
        match (self.better, self.tone()) {
            (None, _) | (_, Tone::Middle) => Tone::Middle,
            (Some(false), Tone::Low) | (Some(true), Tone::High) => Tone::Low,
            (Some(false), Tone::High) | (Some(true), Tone::Low) => Tone::High,
        }
        .style(self.theme)
    }

    /// The positions of the median and of the price in a rail of `width` cells, from 0.
    fn cells(&self, width: u16) -> (u16, u16) {
        let last = f64::from(width.saturating_sub(1));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most the width
        let cell = |value: f64| (self.position(value) * last).round() as u16;
        let (median, price) = (cell(self.median), cell(self.price));
        if !self.shows_median || median != price {
            return (median, price);
        }
        let beside = match self.price {
            price if price < self.median => median.saturating_sub(1),
            price if price > self.median => median.saturating_add(1).min(width.saturating_sub(1)),
            _ => median,
        };
        (median, beside)
    }

    /// The rail as text of `width` cells; the price hides the median where both fall on one cell, unless
    /// [`Rail::beside_median`] forbids it.
    pub fn line(&self, width: u16) -> Line<'static> {
        let (median, price) = self.cells(width);
        let mut line = Line::default();
        let mut next = 0;
        let point = ("●", self.point_style());
        for cell in [median.min(price), median.max(price)] {
            if cell >= width || cell < next {
                continue;
            }
            let (sign, style) = if cell == price { point } else { ("│", self.theme.dim) };
            line.push_span(track(cell - next, self.theme));
            line.push_span(Span::styled(sign, style));
            next = cell + 1;
        }
        line.push_span(track(width.saturating_sub(next), self.theme));
        line
    }
}

/// A dotted track of this width in cells.
fn track(cells: u16, theme: &Theme) -> Span<'static> {
    /// The track of the widest rail.
    const TRACK: &str = "┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄";
    let bytes = usize::from(cells) * "┄".len();
    match TRACK.get(..bytes) {
        Some(text) => Span::styled(text, theme.border),
        None => Span::styled("┄".repeat(usize::from(cells)), theme.border),
    }
}

impl Widget for Rail<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let selected = self.theme.selected;
        let cell = buffer.cell(area.as_position());
        let is_selected = selected.bg.is_some() && cell.is_some_and(|cell| Some(cell.bg) == selected.bg);
        self.line(area.width).render(area, buffer);
        if is_selected {
            // On the stripe of a selected row not every tint can be read.
            buffer.set_style(area, selected);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(price: f64, width: u16) -> String {
        Rail::new([1.0, 2.0, 5.0], price, &Theme::MONO).line(width).to_string()
    }

    #[test]
    fn a_price_stands_between_the_percentiles() {
        assert_eq!(drawn(1.0, 9), "●┄│┄┄┄┄┄┄");
        assert_eq!(drawn(3.0, 9), "┄┄│┄●┄┄┄┄");
        assert_eq!(drawn(2.0, 9), "┄┄●┄┄┄┄┄┄");
        // A price beyond an end is drawn at the end.
        assert_eq!(drawn(0.1, 9), "●┄│┄┄┄┄┄┄");
        assert_eq!(drawn(90.0, 9), "┄┄│┄┄┄┄┄●");
        assert_eq!(drawn(3.0, 0), "");
    }

    #[test]
    fn a_price_near_a_limit_stands_on_its_side_of_it() {
        let drawn = |price| {
            let rail = Rail::new([0.15, 0.3, 0.6], price, &Theme::MONO).beside_median();
            rail.line(14).to_string()
        };
        assert_eq!(drawn(0.2836), "┄┄┄●│┄┄┄┄┄┄┄┄┄");
        assert_eq!(drawn(0.301), "┄┄┄┄│●┄┄┄┄┄┄┄┄");
        assert_eq!(drawn(0.3), "┄┄┄┄●┄┄┄┄┄┄┄┄┄");
        assert_eq!(drawn(0.5), "┄┄┄┄│┄┄┄┄┄●┄┄┄");
    }

    #[test]
    fn equal_prices_are_in_the_middle() {
        let rail = Rail::new([2.0, 2.0, 2.0], 2.0, &Theme::MONO);
        assert_eq!(rail.line(5).to_string(), "┄┄●┄┄");
        assert_eq!(rail.tone(), Tone::Middle);
    }

    #[test]
    fn the_ends_are_good_and_bad() {
        let tone = |price| Rail::new([1.0, 4.0, 7.0], price, &Theme::MONO).tone();
        assert_eq!(
            [1.0, 2.0, 2.1, 5.9, 6.0, 7.0].map(tone),
            [Tone::Low, Tone::Low, Tone::Middle, Tone::Middle, Tone::High, Tone::High]
        );
    }

    #[test]
    fn the_better_end_is_good() {
        let theme = &Theme::DARK;
        let style = |better, price| {
            let line = Rail::new([1.0, 2.0, 5.0], price, theme).better(better).line(9);
            let point = line.spans.into_iter().find(|span| span.content == "●");
            point.map(|span| span.style)
        };
        assert_eq!(style(Some(false), 1.0), Some(theme.good));
        assert_eq!(style(Some(false), 5.0), Some(theme.warning));
        assert_eq!(style(Some(true), 1.0), Some(theme.warning));
        assert_eq!(style(Some(true), 5.0), Some(theme.good));
        assert_eq!([1.0, 5.0].map(|price| style(None, price)), [Some(Style::new()); 2]);
    }

    #[test]
    fn the_widget_draws_the_line_and_keeps_the_background() {
        let area = Rect::new(0, 0, 9, 1);
        let mut buffer = Buffer::empty(area);
        buffer.set_style(area, Theme::DARK.selected);
        let rail = Rail::new([1.0, 2.0, 5.0], 3.0, &Theme::DARK);
        rail.render(area, &mut buffer);
        let symbols: String = (0..9).map(|x| buffer[(x, 0)].symbol()).collect();
        assert_eq!(symbols, drawn(3.0, 9));
        assert!((0..9).all(|x| Some(buffer[(x, 0)].bg) == Theme::DARK.selected.bg));
        assert!((0..9).all(|x| Some(buffer[(x, 0)].fg) == Theme::DARK.selected.fg));
    }
}
