//! Two runs side by side.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::words;
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::remote::Now;
use crate::app::route_lab::LabRun;
use crate::domain::format;
use crate::domain::routing::{Figure, LEAST_VALUES, Verdict, compare};
use crate::ui::paint::{self, piece};
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// From this width on the columns have room for the largest figures and the verdict.
const WIDE: u16 = 92;

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
    let note = format!(
        "better, worse: rank test (Mann-Whitney, p < 0.05, {LEAST_VALUES} or more values each)"
    );
    paint::text(buffer, area.x, area.y + 3, area.width, &note, theme.dim);
    let of = |lab_run: &LabRun| lab_run.run().elapsed(now.mono);
    let figures = compare(
        (first.run().stats(), of(first)),
        (second.run().stats(), of(second)),
    );
    let columns = if area.width >= WIDE {
        [20, 12, 12, 9]
    } else {
        [19, 9, 9, 8]
    };
    let [label, value, difference, change] = columns;
    let head = format!(
        "{:label$} {:>value$} {:>value$} {:>difference$} {:>change$}",
        "",
        format!("run {}", first.number),
        format!("run {}", second.number),
        if area.width >= WIDE {
            "difference"
        } else {
            "diff"
        },
        "change"
    );
    paint::text(buffer, area.x, area.y + 4, area.width, &head, theme.heading);
    let list = super::below(area, 5);
    let page = usize::from(list.height);
    facts.overlay_page = page;
    facts.overlay_lines = figures.len();
    let scroll = scroll.min(figures.len().saturating_sub(page));
    for (y, figure) in (list.y..list.bottom()).zip(figures.iter().skip(scroll)) {
        line(buffer, (list.x, y, list.width), columns, figure, theme);
    }
}

fn line(
    buffer: &mut Buffer,
    (x, y, width): (u16, u16, u16),
    columns: [usize; 4],
    figure: &Figure,
    theme: &Theme,
) {
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
    let has_both = figure.first.is_some() && figure.second.is_some();
    let (verdict, style) = match figure.verdict.filter(|_| has_both) {
        Some(Verdict::Better) => ("better", theme.good),
        Some(Verdict::Worse) => ("worse", theme.error),
        Some(Verdict::Unclear) => ("no clear difference", theme.dim),
        None => ("", theme.text),
    };
    let [label, value, wide, narrow] = columns;
    let [first, second] = shown;
    let parts = [
        piece(format!("{:label$} ", figure.label), theme.dim),
        piece(format!("{first:>value$} {second:>value$} "), theme.text),
        piece(
            format!("{difference:>wide$} {change:>narrow$} {verdict}"),
            style,
        ),
    ];
    paint::pieces(buffer, x, y, width, &parts);
}
