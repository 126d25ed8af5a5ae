//! Draws the plot: braille dots by GPU model, the Pareto front as a staircase, a crosshair at the
//! selected row, and its card.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::canvas::{Line as Stroke, Points};
use ratatui::widgets::{Paragraph, Wrap};

use super::Plot;
use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels};
use crate::domain::insight::{Alike, Goal, Point, Scale, only_value};
use crate::domain::{CellRef, Dialect, Field, Listing, Unit, format};
use crate::table::browser::Browser;
use crate::tui::panel::{Panel, Size};
use crate::tui::theme::{SERIES, SERIES_SIGNS, Theme};

/// Width of the card that describes the selected row, in cells.
const CARD: u16 = 44;

/// Draws the plot or the histogram, and the card of the selected row.
pub(super) fn plot(view: &Plot, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(browser) = scene.state.browser() else {
        return;
    };
    let (chart, card) = if scene.size == Size::Compact {
        let [chart, card] = Layout::vertical([Constraint::Fill(1), Constraint::Length(5)]).areas(area);
        (chart, card)
    } else {
        let [chart, card] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(CARD)]).areas(area);
        (chart, card)
    };
    let (x, y) = (name(view.x, browser.dialect()), name(view.y, browser.dialect()));
    let title = if view.histogram {
        format!("Distribution of {x}")
    } else {
        format!("{y} (y) by {x} (x)")
    };
    let mut facts = title;
    if view.absent > 0 {
        facts = format!("{facts} · {} without a value", view.absent);
    }
    if view.unfit > 0 {
        facts = format!("{facts} · {} unfit", view.unfit);
    }
    let facts = format!("{facts} · {}", browser.count_label());
    let panel = scene.tabbed_panel("Plot").note(facts).foot(front_note(view));
    let inner = scene.framed(panel, chart);
    match &view.scales {
        None => {
            let text = "No row has both numbers.";
            scene.render(Line::styled(text, scene.theme.dim), inner);
        }
        Some((scale, _)) if view.histogram => {
            let values: Vec<f64> = view.points.iter().map(|point| point.x).collect();
            let selected = browser.selected_row().and_then(|row| view.point(row));
            let axis = Axis(scale, Labels::Of(view.x));
            let marked = selected.map(|point| point.x);
            if !chart::histogram("", (&values, marked), &axis, inner, scene) {
                let text = match only_value(&values) {
                    Some((value, many)) if many > 1 => {
                        let value = format::with_unit(view.x, value, browser.dialect());
                        format!("All {} rows: {value}", format::grouped(many))
                    }
                    Some(_) | None => "Too few different values for a distribution.".to_owned(),
                };
                scene.render(Line::styled(text, scene.theme.dim), inner);
            }
        }
        Some((x, y)) => scatter(view, browser, (x, y), inner, scene),
    }
    draw_selected(view, browser, card, scene);
}

/// The note on the Pareto front: the number of its rows, and whether low or high is better on each axis.
fn front_note(view: &Plot) -> String {
    let end = |goal: Goal| match goal {
        Goal::Least => "low",
        Goal::Most => "high",
    };
    format!(
        "◆ Pareto front: {}, {} {} and {} {}",
        format::counted(view.front.members().len(), "row", "rows"),
        end(view.goals.0),
        view.x.label,
        end(view.goals.1),
        view.y.label
    )
}

/// The label of a field with its unit, unless the label has it already or the number is a `DLPerf` score.
fn name(field: &Field, dialect: &Dialect) -> String {
    let symbol = field.unit.symbol(dialect);
    if symbol.is_empty() || field.unit == Unit::Dlperf || field.label.contains(symbol) || field.label.starts_with('$') {
        field.label.to_owned()
    } else {
        format!("{} {symbol}", field.label)
    }
}

/// The series of points: a name for the legend with the GPU models it has. The models with the most points
/// have one each, the others share the last; empty if the rows have no model.
fn series<'a>(view: &Plot, listing: &'a Listing) -> Vec<(String, Vec<&'a str>)> {
    let Some(field) = listing.catalog().by_key("gpu_name") else {
        return Vec::new();
    };
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for point in &view.points {
        let CellRef::Text(model) = listing.cell(point.row as usize, field) else {
            continue;
        };
        match counts.iter_mut().find(|(selected, _)| *selected == model) {
            Some((_, count)) => *count += 1,
            None => counts.push((model, 1)),
        }
    }
    counts.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(right.0)));
    let shown = if counts.len() > SERIES {
        SERIES - 1
    } else {
        counts.len()
    };
    let rest: Vec<&str> = counts.iter().skip(shown).map(|(model, _)| *model).collect();
    let clean = |model: &str| crate::domain::Untrusted::from(model).screen(16);
    let mut series: Vec<_> = counts
        .iter()
        .take(shown)
        .map(|(model, _)| (clean(model), vec![*model]))
        .collect();
    if !rest.is_empty() {
        series.push((format!("{} others", rest.len()), rest));
    }
    series
}

/// Draws the points in a color per GPU model, the Pareto front, the marked and the selected rows, and the
/// legend below. Nothing is drawn if the area is too small for axes.
fn scatter(view: &Plot, browser: &Browser, (x, y): (&Scale, &Scale), area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(listing) = browser.listing() else {
        return;
    };
    let series = series(view, listing);
    let legend = legend(&series, area.width, scene.theme);
    let lines = u16::try_from(legend.len()).unwrap_or(0);
    let [area, key] = Layout::vertical([Constraint::Fill(1), Constraint::Length(lines)]).areas(area);
    let (across, upwards) = (Axis(x, Labels::Of(view.x)), Axis(y, Labels::Of(view.y)));
    let Some(plot) = chart::axes(&across, Some(&upwards), area, scene) else {
        return;
    };
    let theme = scene.theme;
    let at = |point: &Point| Some((x.position(point.x)?, y.position(point.y)?));
    let cloud = Cloud {
        groups: dots(view, listing, &series, theme, &at),
        staircase: view.front.members().iter().filter_map(at).collect(),
        marked: marked(view, browser, listing).filter_map(at).collect(),
        selected: browser.selected_row().and_then(|row| view.point(row)).and_then(at),
    };
    cloud.draw(plot, scene);
    scene.render(Paragraph::new(legend), key);
}

/// The names of the series in their colours, or with their signs where there are none, in as few
/// lines as possible; empty for one series.
fn legend(series: &[(String, Vec<&str>)], width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    if series.len() < 2 {
        return lines;
    }
    for (index, ((name, _), style)) in series.iter().zip(theme.series).enumerate() {
        let sign = if theme.has_series_colours() {
            SERIES_SIGNS[0]
        } else {
            SERIES_SIGNS[index]
        };
        let entry = [
            Span::styled(format!("{sign} "), style),
            Span::styled(format!("{name}  "), theme.dim),
        ];
        let wide: usize = entry.iter().map(Span::width).sum();
        match lines.last_mut() {
            Some(line) if line.width() + wide <= usize::from(width) => line.spans.extend(entry),
            _ => lines.push(Line::from(entry.to_vec())),
        }
    }
    lines
}

/// The points of the marked rows; those without a point are left out.
fn marked<'a>(view: &'a Plot, browser: &'a Browser, listing: &'a Listing) -> impl Iterator<Item = &'a Point> {
    let is_marked = |point: &&Point| {
        let id = listing.id(point.row as usize);
        id.is_some_and(|id| browser.marks.contains(&id))
    };
    view.points.iter().filter(is_marked)
}

/// A position on the plot; both coordinates are from 0 to 1.
type Spot = (f64, f64);

/// The positions of the points of every series, with its color; all points in one group if there are no
/// series. Points for which `at` has no position are left out.
fn dots(
    view: &Plot,
    listing: &Listing,
    series: &[(String, Vec<&str>)],
    theme: &Theme,
    at: &dyn Fn(&Point) -> Option<Spot>,
) -> Vec<(Color, Vec<Spot>)> {
    let model = listing.catalog().by_key("gpu_name");
    let of = |names: &[&str]| -> Vec<Spot> {
        let is_of_group = |point: &&Point| {
            let cell = model.map(|field| listing.cell(point.row as usize, field));
            names.is_empty() || matches!(cell, Some(CellRef::Text(text)) if names.contains(&text))
        };
        view.points.iter().filter(is_of_group).filter_map(at).collect()
    };
    if series.is_empty() {
        return vec![(color(theme.series[0]), of(&[]))];
    }
    let styled = series.iter().zip(theme.series);
    styled.map(|((_, names), style)| (color(style), of(names))).collect()
}

/// The foreground color of a style, or the terminal's default if it has none.
fn color(style: Style) -> Color {
    style.fg.unwrap_or(Color::Reset)
}

/// The points between the axes, as drawn on the canvas.
struct Cloud {
    groups: Vec<(Color, Vec<Spot>)>,
    staircase: Vec<Spot>,
    marked: Vec<Spot>,
    selected: Option<Spot>,
}

impl Cloud {
    /// Draws the Pareto front as a staircase, a crosshair through the selected row, the points in their
    /// colors or with their signs, and above them `◆` for the front, `■` for marked rows and `◎` for the
    /// selected one.
    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let (front, cross) = (color(theme.good), color(theme.border));
        let has_colours = theme.has_series_colours() || self.groups.len() == 1;
        let stroke = |(x1, y1): Spot, (x2, y2): Spot, color| Stroke { x1, y1, x2, y2, color };
        let canvas = chart::canvas(area).paint(|context| {
            for step in self.staircase.windows(2) {
                // Between two members of the front nothing beats the worse of both: a step, not
                // a slope.
                let corner = (step[1].0, step[0].1);
                context.draw(&stroke(step[0], corner, front));
                context.draw(&stroke(corner, step[1], front));
            }
            if let Some((x, y)) = self.selected {
                context.draw(&stroke((x, 0.0), (x, 1.0), cross));
                context.draw(&stroke((0.0, y), (1.0, y), cross));
            }
            context.layer();
            for (color, coords) in &self.groups {
                if has_colours {
                    let color = *color;
                    context.draw(&Points { coords, color });
                }
            }
        });
        scene.render(canvas, area);
        if !has_colours {
            for ((_, coords), sign) in self.groups.iter().zip(SERIES_SIGNS) {
                for at in one_per_cell(coords, area) {
                    chart::sign(at, (sign, theme.text), area, scene);
                }
            }
        }
        let signs = [
            (&self.staircase[..], "◆", theme.good),
            (&self.marked, "■", theme.warning),
            (self.selected.as_slice(), "◎", theme.selected),
        ];
        for (spots, sign, style) in signs {
            for at in spots {
                chart::sign(*at, (sign, style), area, scene);
            }
        }
    }
}

/// The first position in each cell.
///
/// A hundred thousand points cost no more than fill the plot.
fn one_per_cell(spots: &[Spot], area: Rect) -> Vec<Spot> {
    let mut seen = vec![false; usize::from(area.width) * usize::from(area.height)];
    let is_new = |spot: &Spot| {
        let (column, row) = chart::dot_cell(*spot, Rect { x: 0, y: 0, ..area });
        let cell = seen.get_mut(usize::from(row) * usize::from(area.width) + usize::from(column));
        cell.is_some_and(|is_seen| !std::mem::replace(is_seen, true))
    };
    spots.iter().copied().filter(is_new).collect()
}

/// Draws the panel of the row selected on the plot: its two numbers, the row that beats it, and (not on a
/// compact screen) its card. Nothing is drawn without a selected row.
fn draw_selected(view: &Plot, browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
        return;
    };
    let is_compact = scene.size == Size::Compact;
    let (chart, card) = if is_compact {
        (area, Rect::default())
    } else {
        let [chart, card] = Layout::vertical([Constraint::Length(6), Constraint::Fill(1)]).areas(area);
        (chart, card)
    };
    let title = if is_compact {
        let id = listing.id(row).map(|id| id.to_string());
        format!("{} {}", id.unwrap_or_default(), name_of(listing, row))
    } else {
        "On this plot".to_owned()
    };
    let inner = scene.panel(Panel::new(title), chart);
    scene.clickable(area, Target::Item(Region::PREVIEW, row));
    let lines = standing(view, browser, listing, row, scene.theme);
    scene.render(Paragraph::new(lines).wrap(Wrap { trim: false }), inner);
    if !is_compact {
        scene.card(browser.resource(), row, card);
    }
}

/// The number of GPUs, the model and the location of a row as text: `2× RTX 4090 Spain`.
fn name_of(listing: &Listing, row: usize) -> String {
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key)?;
        Some(format::cell(listing, row, field, 24))
    };
    let count = cell("num_gpus").map(|count| format!("{count}×"));
    let parts = [count, cell("gpu_name"), cell("geolocation")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The lines on a row of the plot: both its numbers and the row that beats it, or the reason it has no point.
fn standing(view: &Plot, browser: &Browser, listing: &Listing, row: usize, theme: &Theme) -> Vec<Line<'static>> {
    let number = |field: &Field, value: f64| {
        Line::from(vec![
            Span::styled(format!("{}  ", field.label), theme.dim),
            Span::raw(format::with_unit(field, value, browser.dialect())),
        ])
    };
    let absent = |why: &str| vec![Line::styled(format!("Not plotted: {why}."), theme.warning)];
    let unfit = browser.displayed().shortfall(row).map(|short| short.to_string());
    match view.point(row) {
        None => absent(unfit.as_deref().unwrap_or("a number is missing")),
        Some(point) => vec![
            number(view.x, point.x),
            number(view.y, point.y),
            verdict(view, listing, point, theme),
        ],
    }
}

/// A line that says whether the point is on the Pareto front, or which row beats it and by how much on each
/// axis.
fn verdict(view: &Plot, listing: &Listing, point: &Point, theme: &Theme) -> Line<'static> {
    let Some(lead) = view.front.beaten_by(point.row) else {
        return Line::styled("◆ on the Pareto front: nothing beats it", theme.good);
    };
    let id = listing.id(lead.row as usize);
    let lead_id = id.map(|id| id.to_string()).unwrap_or_default();
    let alike = Alike::of(listing);
    let other = alike.name(lead.row as usize);
    let other = other.filter(|_| !alike.are_alike(point.row as usize, lead.row as usize));
    let other = other.map_or_else(String::new, |gpus| format!(" ({gpus})"));
    let share = |goal: Goal, share: Option<f64>| {
        let sign = match goal {
            Goal::Least => '−',
            Goal::Most => '+',
        };
        match share.map(|share| format::trimmed(share * 100.0, 1)) {
            Some(percent) if percent != "0" => format!("{sign}{percent}%"),
            _ => "same".to_owned(),
        }
    };
    Line::styled(
        format!(
            "{lead_id}{other} beats it: {} {}, {} {}",
            view.x.label,
            share(view.goals.0, lead.x_share),
            view.y.label,
            share(view.goals.1, lead.y_share)
        ),
        theme.warning,
    )
}
