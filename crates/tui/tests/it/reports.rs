//! Reports and wrapped text.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bourse_tui::report::{LongText, Report, ReportLayout, ReportLines};
use bourse_tui::text::wrap;
use bourse_tui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::StatefulWidget as _;

/// A text of many lines that counts how many of them are made.
#[derive(Debug)]
struct Counted {
    lines: usize,
    made: Arc<AtomicUsize>,
}

impl LongText for Counted {
    fn count(&self) -> usize {
        self.lines
    }

    fn line(&self, index: usize) -> Line<'static> {
        self.made.fetch_add(1, Ordering::Relaxed);
        Line::from(format!("line {index}"))
    }

    fn searched(&self, index: usize, _: usize) -> String {
        format!("line {index}")
    }
}

#[test]
fn a_frame_of_a_text_makes_no_more_lines_than_a_few_pages_however_long_it_is() {
    let made_of = |lines: usize| {
        let made = Arc::default();
        let mut report = Report::default().with_cursor();
        report.set_text(Box::new(Counted {
            lines,
            made: Arc::clone(&made),
        }));
        report.select(lines / 2);
        let area = Rect::new(0, 0, 80, 50);
        let mut layout = ReportLayout::default();
        let widget = ReportLines::new(&report, &Theme::MONO);
        widget.render(area, &mut Buffer::empty(area), &mut layout);
        made.load(Ordering::Relaxed)
    };
    let few = made_of(10_000);
    assert_eq!(few, made_of(1_000_000));
    assert!(few <= 4 * 50, "{few}");
}

#[test]
fn a_list_of_countries_breaks_after_a_comma_only() {
    let lines = wrap("geolocation in [IS,CH,SE] over 20,000", 20);
    assert_eq!(lines, ["geolocation in [IS,", "CH,SE] over 20,000"]);
}
