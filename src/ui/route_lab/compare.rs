//! Two runs side by side.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::words;
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::remote::Now;
use crate::domain::format;
use crate::domain::routing::{Figure, compare};
use crate::ui::paint::{self, piece};
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// Draws the comparison of the run in sight with the one of that number.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    (other, scroll): (u64, usize),
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    blank(buffer, area);
    let lab = &model.route_lab;
    let found = lab.runs().iter().find(|run| run.number == other);
    let (Some(first), Some(second)) = (found, lab.shown()) else {
        let esc = model.keymap.way_to("back");
        let text = format!("The other run is not kept any more. {esc} goes back.");
        paint::text(buffer, area.x + 1, area.y, area.width, &text, theme.dim);
        return;
    };
    let area = super::inset(area);
    paint::text(
        buffer,
        area.x,
        area.y,
        area.width,
        "Two runs",
        theme.heading,
    );
    for (y, run) in [(1, first), (2, second)] {
        let line = format!(
            "run {}: {}, {}",
            run.number,
            words::plan(run.run().plan()),
            format::moment(run.run().started_at())
        );
        paint::text(buffer, area.x, area.y + y, area.width, &line, theme.text);
    }
    let figures = compare(
        &first.run().summary(now.mono),
        &second.run().summary(now.mono),
    );
    let head = format!(
        "{:20} {:>12} {:>12} {:>12} {:>9}",
        "",
        format!("run {}", first.number),
        format!("run {}", second.number),
        "difference",
        "change"
    );
    paint::text(buffer, area.x, area.y + 4, area.width, &head, theme.heading);
    let list = super::below(area, 5);
    let page = usize::from(list.height);
    facts.overlay_page = page;
    facts.overlay_lines = figures.len();
    let scroll = scroll.min(figures.len().saturating_sub(page));
    for (y, figure) in (list.y..list.bottom()).zip(figures.iter().skip(scroll)) {
        line(buffer, (list.x, y, list.width), figure, theme);
    }
}

fn line(buffer: &mut Buffer, (x, y, width): (u16, u16, u16), figure: &Figure, theme: &Theme) {
    let signed = |text: String, value: f64| {
        if value > 0.0 {
            format!("+{text}")
        } else {
            text
        }
    };
    let shown = [figure.first, figure.second].map(|value| words::figure(figure, value));
    // What reads the same is the same: a tenth of a percent is no news.
    let is_same = shown[0] == shown[1];
    let difference = figure.difference().filter(|_| !is_same);
    let difference = difference.map_or_else(String::new, |difference| {
        signed(words::difference(figure, difference), difference)
    });
    let change = figure.change().filter(|_| !is_same);
    let change = change.map_or_else(String::new, |change| signed(words::share(change), change));
    let (verdict, style) = match figure.improved().filter(|_| !is_same) {
        Some(true) => ("better", theme.good),
        Some(false) => ("worse", theme.error),
        None => ("", theme.text),
    };
    let parts = [
        piece(format!("{:20} ", figure.label), theme.dim),
        piece(format!("{:>12} {:>12} ", shown[0], shown[1]), theme.text),
        piece(format!("{difference:>12} {change:>9} {verdict}"), style),
    ];
    paint::pieces(buffer, x, y, width, &parts);
}
