//! The numbers of a volume among those of all loaded ones, each with its rail, and the other volumes.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::draw::titled;
use super::{Detail, overview};
use crate::core::view::Scene;
use crate::domain::insight::{self, Spread, axes, numeric};
use crate::domain::text::truncate;
use crate::domain::{Dialect, Field, Kind, Listing, Resource, format};
use crate::tui::rail::Rail;
use crate::tui::text::cells;
use crate::tui::theme::Theme;

/// Width of a number and of a rail, in cells.
const NUMBER: usize = 10;
const RAIL: u16 = 16;

/// Maximum width of a field's name, in cells.
const LABEL: usize = 18;

/// Minimum width of the table of alternatives beside that of the numbers, in cells.
const ALTERNATIVES: u16 = 62;

/// The blank cells between both.
const GAP: u16 = 3;

/// Minimum height of a useful table, with its title and its header.
pub(super) const LEAST_HEIGHT: u16 = 5;

/// A number of a record, and the spread of its field in all loaded records.
#[derive(Debug)]
pub(super) struct Figure {
    field: &'static Field,
    value: f64,
    spread: Spread,
}

/// The numbers of a volume whose fields differ between the loaded ones; empty for other resources, which have many
/// fields.
pub(super) fn figures(listing: &Listing, row: usize, resource: Resource) -> Vec<Figure> {
    match resource {
        Resource::Offers | Resource::Workergroups => return Vec::new(),
        Resource::Volumes => {}
    }
    let numbers = axes(listing).filter(|field| matches!(field.kind, Kind::Number | Kind::Integer));
    let figure = |field: &'static Field| {
        let column = listing.column(field);
        Some(Figure {
            field,
            value: numeric(column, field.kind, row)?,
            spread: Spread::from_values(insight::numbers(listing, field))
                .filter(|spread| spread.lowest < spread.highest)?,
        })
    };
    numbers.filter_map(figure).collect()
}

/// Draws the numbers of a volume among those of all loaded ones, and the other volumes beside them, or below them
/// where the area is narrow; only the parts that have room, and nothing for other resources.
pub(super) fn draw(view: &Detail, area: Rect, scene: &mut Scene<'_, '_>) {
    match view.resource {
        Resource::Offers | Resource::Workergroups => return,
        Resource::Volumes => {}
    }
    let lines = lines(&view.figures, scene.state.profile.dialect, scene.theme);
    let width = u16::try_from(lines.iter().map(Line::width).max().unwrap_or(0)).unwrap_or(u16::MAX);
    let [left, right] = if area.width >= width + GAP + ALTERNATIVES {
        Layout::horizontal([Constraint::Length(width), Constraint::Fill(1)])
            .spacing(GAP)
            .areas(area)
    } else {
        let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
        let height = if width <= area.width { height } else { 0 };
        Layout::vertical([Constraint::Max(height), Constraint::Fill(1)]).areas(area)
    };
    if left.height >= LEAST_HEIGHT && left.width >= width && !view.figures.is_empty() {
        let loaded = scene.state.browsers[view.resource].listing().map_or(0, Listing::len);
        let title = format!("Among the {} loaded", format::grouped(loaded));
        let below_title = titled(&title, left, scene);
        scene.lines(&lines, below_title);
    }
    draw_alternatives(view, right, scene);
}

/// Draws the alternatives to a record, as many as fit; nothing in less than five lines.
pub(super) fn draw_alternatives(view: &Detail, area: Rect, scene: &mut Scene<'_, '_>) {
    if area.height >= LEAST_HEIGHT
        && let Some(block) = overview::alternatives_block(view, scene)
    {
        scene.lines(&block.lines_in(area.width), area);
    }
}

/// A header, and a line for each number: the value, its rail between the lowest and the highest value of all loaded
/// records, and their median.
fn lines(figures: &[Figure], dialect: &Dialect, theme: &Theme) -> Vec<Line<'static>> {
    let label = |figure: &Figure| truncate(&figure.field.header(dialect), LABEL);
    let labels = figures.iter().map(|figure| usize::from(cells(&label(figure))));
    let width = labels.max().unwrap_or(0);
    let head = format!(
        "{:width$} {:>NUMBER$} {:>NUMBER$} {:rail$} {:<NUMBER$} {:>NUMBER$}",
        "",
        "this one",
        "lowest",
        "",
        "highest",
        "median",
        rail = usize::from(RAIL)
    );
    let line = |figure: &Figure| {
        let Figure { field, value, spread } = figure;
        let number = |value: f64| truncate(&format::number(field, value), NUMBER);
        let rail = Rail::new([spread.lowest, spread.median, spread.highest], *value, theme).better(field.better);
        let mut line = Line::from(vec![
            Span::styled(format!("{:width$} ", label(figure)), theme.dim),
            Span::styled(format!("{:>NUMBER$} ", number(*value)), theme.text),
            Span::styled(format!("{:>NUMBER$} ", number(spread.lowest)), theme.dim),
        ]);
        line.extend(rail.line(RAIL));
        line.push_span(Span::styled(
            format!(" {:<NUMBER$} ", number(spread.highest)),
            theme.dim,
        ));
        line.push_span(Span::styled(format!("{:>NUMBER$}", number(spread.median)), theme.dim));
        line
    };
    std::iter::once(Line::styled(head, theme.dim))
        .chain(figures.iter().map(line))
        .collect()
}
