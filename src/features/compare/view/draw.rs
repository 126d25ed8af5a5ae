//! Draws the comparison: the verdict, a column for each row, the totals.

use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line as TextLine;
use ratatui::widgets::{StatefulWidget, Widget};

use super::verdict::letter;
use super::{Compare, HEADERS, Line, Values};
use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::features::history::rating;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::{cells, fit, wrap};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// Minimum width of a column, in cells.
const COLUMN: u16 = 18;

/// Minimum width of the labels, in cells.
const LABEL: u16 = 18;

/// Minimum width and height of a card below the values.
const LEAST_CARD: (u16, u16) = (48, 12);

/// Positions of the labels and the visible columns.
struct Grid {
    label: Rect,
    columns: Vec<Rect>,
    first: usize,
}

impl Grid {
    /// The grids of the two halves of a wide area in which the lines go on at the right; a single one if all lines fit
    /// into `rows` rows, and if the halves would not have room for all columns.
    fn halves(view: &Compare, area: Rect, rows: u16) -> Vec<Self> {
        /// The least cells of a column in half of the area.
        const ROOMY: u16 = 28;
        let half = |width| Layout::horizontal([Fill(1); 2]).spacing(3).split(width);
        let grids: Vec<Self> = half(area).iter().map(|area| Self::new(view, *area)).collect();
        let has_all = |grid: &Self| {
            grid.columns.len() == view.rows.len() && grid.columns.iter().all(|column| column.width >= ROOMY)
        };
        if view.lines.len() > usize::from(rows) && grids.iter().all(has_all) {
            grids
        } else {
            vec![Self::new(view, area)]
        }
    }

    /// The grid of compared rows with as many columns as fit, including the current one; they fill the width.
    fn new(view: &Compare, area: Rect) -> Self {
        let labels = view.lines.iter().filter_map(|line| match line {
            Line::Heading(_) => None,
            Line::Values(values) => Some(cells(values.label)),
        });
        // Two labels that start alike must not be cut to the same text.
        let label = labels.max().unwrap_or(0).max(LABEL).min(area.width / 2);
        let room = area.width.saturating_sub(label + 1);
        // An id is shown in full, with the letter and the sign in front of it.
        let ids = view.rows.iter().map(|row| cells(&row.id.to_string()) + 6);
        let narrowest = ids.max().unwrap_or(0).max(COLUMN);
        let many = view.rows.len().max(1);
        let fitting = usize::from((room / (narrowest + 1)).max(1)).min(many);
        let first = (view.cursor + 1).saturating_sub(fitting);
        let [label, _, rest] = Layout::horizontal([Length(label), Length(1), Fill(1)]).areas(area);
        let columns = Layout::horizontal(vec![Fill(1); fitting]).spacing(1);
        Self {
            label,
            columns: columns.split(rest).to_vec(),
            first,
        }
    }
}

/// Draws the comparison: the verdict, the header and the values of each column, and the totals where the
/// height allows; below them, where there is room, the cards of the compared rows side by side.
pub(super) fn comparison(view: &Compare, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let many = view.rows.len();
    let mut notes = Vec::new();
    if view.only_differences {
        notes.push("differing rows only".to_owned());
    }
    let frame = match scene.size {
        Size::Compact => (0, 1),
        Size::Medium | Size::Wide => (4, 2),
    };
    let width = area.width.saturating_sub(frame.0);
    let sentences = view.verdict.iter().cloned().chain(ratings(view, scene));
    let verdict: Vec<String> = sentences.flat_map(|sentence| wrap(&sentence, width)).collect();
    let above = u16::try_from(verdict.len()).unwrap_or(0);
    let totals = totals(view, area.height, width);
    let below = u16::try_from(totals.len()).unwrap_or(0);
    let around = frame.1 + above + 2 + below;
    let area = above_cards(view, around, area, scene);
    let mut shown = Viewport::default();
    let page = area.height.saturating_sub(around);
    let halves = Grid::halves(view, Rect::new(0, 0, width, 1), page).len();
    let page = page * u16::try_from(halves).unwrap_or(1);
    shown.scroll_to(view.top, view.lines.len(), Rect::new(0, 0, 1, page));
    if shown.total > shown.page {
        notes.push(shown.label());
    }
    let inner = scene.panel(
        Panel::new(format!("Compare {many} {}", view.resource.nouns()))
            .note(notes.join(" · "))
            .foot("* best in its row")
            .focused(true),
        area,
    );
    let [top, head, body, foot] = Layout::vertical([Length(above), Length(2), Fill(1), Length(below)]).areas(inner);
    draw_verdict(&verdict, top, scene);
    let grids = Grid::halves(view, inner, body.height);
    for grid in &grids {
        headers(view, grid, head, scene);
    }
    if view.lines.is_empty() && many > 1 {
        let text = TextLine::styled("No differences.", theme.dim);
        scene.render(text, body);
    }
    let lines = Body {
        view,
        grids: &grids,
        theme,
    };
    scene.scroll(Region::MAIN, lines, body);
    for (row, line) in foot.rows().zip(totals) {
        scene.render(TextLine::styled(line, theme.text), row);
    }
}

/// Draws the cards where all lines of the comparison, with `around` others, leave room for them below; returns the area
/// of the comparison.
fn above_cards(view: &Compare, around: u16, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let lines = u16::try_from(view.lines.len())
        .unwrap_or(u16::MAX)
        .saturating_add(around);
    if area.height < lines.saturating_add(LEAST_CARD.1) {
        return area;
    }
    let [area, below] = Layout::vertical([Length(lines), Fill(1)]).areas(area);
    cards(view, below, scene);
    area
}

/// Draws the cards of the compared rows side by side, as many as fit, including the current one; nothing in an empty
/// area.
fn cards(view: &Compare, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(listing) = scene.state.browsers[view.resource]
        .listing()
        .filter(|_| !area.is_empty())
    else {
        return;
    };
    let fitting = usize::from((area.width / LEAST_CARD.0).max(1)).min(view.rows.len());
    let first = (view.cursor + 1).saturating_sub(fitting);
    let columns = Layout::horizontal(vec![Fill(1); fitting]).split(area);
    for (compared, column) in view.rows.iter().skip(first).zip(columns.iter()) {
        if let Some(row) = listing.row(compared.id) {
            scene.card(view.resource, row, *column);
        }
    }
}

/// A sentence for each row on its price, compared with the recorded market; empty on a compact screen, and
/// without the rows that lack a record.
fn ratings(view: &Compare, scene: &Scene<'_, '_>) -> Vec<String> {
    if scene.size == Size::Compact {
        return Vec::new();
    }
    let browser = &scene.state.browsers[view.resource];
    let rated = view.rows.iter().enumerate().filter_map(|(index, compared)| {
        let row = browser.listing()?.row(compared.id)?;
        let sentence = rating::describe_offer_price(scene.state, view.resource, row)?;
        Some(format!("{}: {sentence}.", letter(index)))
    });
    rated.collect()
}

/// The totals of renting all compared rows, as lines of `width` cells; empty if there are none, or if the
/// view is at most 14 lines high.
fn totals(view: &Compare, height: u16, width: u16) -> Vec<String> {
    if height <= 14 || view.totals.is_empty() {
        return Vec::new();
    }
    wrap(&format!("If you rent all: {}", view.totals.join(" · ")), width)
}

/// Draws the verdict of the comparison, one sentence a line; those that begin with `!` are warnings.
fn draw_verdict(verdict: &[String], area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    for (row, sentence) in area.rows().zip(verdict) {
        let style = if sentence.starts_with('!') {
            theme.warning
        } else {
            theme.accent
        };
        scene.render(TextLine::styled(sentence.as_str(), style), row);
    }
}

/// Draws the letter, id and title of each visible column of the comparison, clickable, with the current one
/// marked; if not all fit, their range is in the place of the labels.
fn headers(view: &Compare, grid: &Grid, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    if grid.columns.len() < view.rows.len() {
        let last = grid.first + grid.columns.len();
        let text = format!("{}–{last} of {}", grid.first + 1, view.rows.len());
        let cell = Rect {
            height: 1,
            y: area.y,
            ..grid.label
        };
        scene.render(fit(TextLine::styled(text, theme.dim), cell.width), cell);
    }
    let shown = view.rows.iter().enumerate().skip(grid.first);
    for (column, (index, row)) in grid.columns.iter().zip(shown) {
        let cell = Rect {
            y: area.y,
            height: area.height,
            ..*column
        };
        scene.clickable(cell, Target::Item(HEADERS, index));
        let is_current = index == view.cursor;
        let (style, sign) = if is_current {
            (theme.selected, '›')
        } else {
            (theme.heading, ' ')
        };
        let id = format!("{sign}{}  {}", letter(index), row.id);
        let title = TextLine::styled(format!("    {}", row.title), theme.text);
        let [first, second] = Layout::vertical([Length(1); 2]).areas(cell);
        if is_current {
            scene.frame.buffer_mut().set_style(first, style);
        }
        scene.render(fit(TextLine::styled(id, style), first.width), first);
        scene.render(fit(title, second.width), second);
    }
}

/// The body of the comparison, as a scrolling widget.
struct Body<'a> {
    view: &'a Compare,
    grids: &'a [Grid],
    theme: &'a Theme,
}

impl Body<'_> {
    /// Writes a line of values: the label, and the cells of the visible columns with a `*` before the best;
    /// dim if all are equal.
    fn values(&self, values: &Values, (grid, row): (&Grid, Rect), buffer: &mut Buffer) {
        let theme = self.theme;
        let differs = values.differs();
        let label = if differs { theme.text } else { theme.dim };
        put(values.label, label, grid.label, row, buffer);
        for (index, column) in grid.columns.iter().enumerate() {
            let index = grid.first + index;
            let (sign, style) = match (values.best.contains(&index), differs) {
                (true, _) => ("* ", theme.good),
                (false, true) => ("  ", theme.text),
                (false, false) => ("  ", theme.dim),
            };
            let text = format!("{sign}{}", values.text(index));
            put(&text, style, *column, row, buffer);
        }
    }
}

/// Writes a cell at the intersection of a column and a row.
fn put(text: &str, style: Style, column: Rect, row: Rect, buffer: &mut Buffer) {
    let cell = Rect {
        x: column.x,
        width: column.width,
        ..row
    };
    fit(TextLine::styled(text, style), cell.width).render(cell, buffer);
}

impl StatefulWidget for Body<'_> {
    type State = Viewport;

    fn render(self, area: Rect, buffer: &mut Buffer, viewport: &mut Viewport) {
        let halves = u16::try_from(self.grids.len()).unwrap_or(1);
        let page = Rect {
            height: area.height * halves,
            ..area
        };
        viewport.scroll_to(self.view.top, self.view.lines.len(), page);
        viewport.rows = area;
        let places = self
            .grids
            .iter()
            .flat_map(|grid| area.rows().map(move |row| (grid, row)));
        for (line, (grid, row)) in viewport.visible().zip(places) {
            match self.view.lines.get(line) {
                Some(Line::Heading(title)) => {
                    put(title, self.theme.heading, grid.label, row, buffer);
                }
                Some(Line::Values(values)) => self.values(values, (grid, row), buffer),
                None => {}
            }
            if self.view.find.matches(line) {
                let style = if self.view.find.current() == Some(line) {
                    self.theme.selected
                } else {
                    self.theme.highlight
                };
                let label = Rect {
                    x: grid.label.x,
                    width: grid.label.width,
                    ..row
                };
                buffer.set_style(label, style);
            }
        }
    }
}
