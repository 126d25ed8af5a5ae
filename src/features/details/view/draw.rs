//! Draws the details: the tabs and the open one.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use ratatui::widgets::canvas::Points;

use super::json::json_of;
use super::overview::Block;
use super::spread::Spread;
use super::{Detail, Tab, among, below, fields, overview};
use crate::core::view::{Region, Scene};
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels};
use crate::core::views::member_notes;
use crate::domain::insight::Scale;
use crate::domain::{Resource, format};
use crate::features::details::preview::Subject;
use crate::features::history::prices::draw_similar_lows;
use crate::features::workergroups::preflight;
use crate::features::workergroups::preflight::summary;
use crate::keys::Action;
use crate::tui::panel::{Panel, Size};
use crate::tui::scrolled::Scrolled;
use crate::tui::text::{capitalized, fit, wrap_explained, wrap_line};
use crate::tui::viewport::Viewport;

/// Maximum width of the card beside other columns.
///
/// Bars and lines gain nothing beyond it.
const CARD: u16 = 66;

/// Maximum height of a chart, including title and axis: on a normal screen, and on a tall one.
const TALLEST: [u16; 2] = [16, 30];

/// Minimum height of a useful chart, with its title and its axis.
const LEAST_CHART: u16 = 8;

/// Height of the commands with their title and a blank line.
const COMMANDS: u16 = 4;

/// The indent of wrapped lines, after the labels.
const INDENT: u16 = 19;

/// Draws the details of the selected record: the tabs and the open one, or a note that the record is gone.
pub(super) fn detail(view: &Detail, area: Rect, scene: &mut Scene<'_, '_>) {
    let browser = &scene.state.browsers[view.resource];
    let Some(row) = browser.selected_row() else {
        let inner = scene.panel(Panel::new("Details").focused(true), area);
        scene.render(Line::styled("The record is gone.", scene.theme.dim), inner);
        return;
    };
    let id = browser.selected().map(|id| id.to_string());
    let noun = browser.resource().noun();
    let mut note = format!(
        "{} of {}",
        format::grouped(browser.cursor() + 1),
        format::grouped(browser.view().len())
    );
    if view.id.is_some_and(|id| browser.marks.contains(&id)) {
        note = format!("marked · {note}");
    }
    let title = format!("{noun} {}", id.unwrap_or_default());
    let all = Tab::for_resource(view.resource);
    let open = all.iter().position(|tab| *tab == view.tab).unwrap_or(0);
    let panel = Panel::new(capitalized(&title))
        .tabs(all.iter().map(|tab| tab.title()), open)
        .focused(true)
        .sized(scene.size)
        .on_blank();
    let body = panel.inner(area);
    let viewport = match view.tab {
        Tab::Overview => draw_overview(view, row, body, scene),
        Tab::Fields => {
            // Workergroups and volumes have few fields.
            match view.resource {
                Resource::Workergroups if scene.size == Size::Wide => draw_group_fields(view, row, body, scene),
                Resource::Workergroups if scene.size == Size::Medium => draw_fields_and_supply(view, row, body, scene),
                Resource::Volumes => draw_volume_fields(view, body, scene),
                Resource::Offers | Resource::Workergroups => fields::draw(view, body, scene),
            }
            None
        }
        Tab::Machine => {
            if let Some(machine) = &view.machine {
                machine.draw(body, scene);
            }
            None
        }
        Tab::Json => Some(draw_json(view, row, body, scene)),
    };
    let lines = viewport.filter(|viewport| viewport.page < viewport.total);
    let note = lines.map_or_else(|| note.clone(), |lines| format!("{note} · lines {}", lines.label()));
    scene.framed(panel.note(note), area);
}

/// Draws the fields of a workergroup, and its JSON, its conditions and the offers that its search finds beside them.
/// Many offers take the whole height, and the JSON is below the fields.
fn draw_group_fields(view: &Detail, row: usize, area: Rect, scene: &mut Scene<'_, '_>) {
    let [left, right] = Layout::horizontal([Constraint::Fill(1); 2]).spacing(3).areas(area);
    let report = summary::supply_report_of_row(scene.state, row).or(view.loaded.as_ref());
    let offers = report.map_or(0, |report| report.cheapest.len());
    let rest = if offers > usize::from(area.height / 2) {
        let height = fields::height(view, left, scene);
        let [top, below] = Layout::vertical([Constraint::Max(height), Constraint::Fill(1)]).areas(left);
        fields::draw(view, top, scene);
        let below = draw_record(row, below, scene);
        draw_search(row, below, scene);
        right
    } else {
        fields::draw(view, left, scene);
        let below = draw_record(row, right, scene);
        draw_search(row, below, scene)
    };
    let rest = draw_offers(view, row, rest, scene);
    draw_mixes(row, rest, scene);
}

/// Draws the fields of a workergroup; below them its conditions and its JSON, beside the offers that its search finds.
fn draw_fields_and_supply(view: &Detail, row: usize, area: Rect, scene: &mut Scene<'_, '_>) {
    let height = fields::height(view, area, scene);
    let [top, rest] = Layout::vertical([Constraint::Max(height), Constraint::Fill(1)])
        .spacing(1)
        .areas(area);
    fields::draw(view, top, scene);
    let [left, right] = Layout::horizontal([Constraint::Fill(1); 2]).spacing(3).areas(rest);
    let below = draw_search(row, left, scene);
    let below = draw_record(row, below, scene);
    draw_mixes(row, below, scene);
    draw_offers(view, row, right, scene);
}

/// Draws the fields of a volume, and where there is room below them its numbers among those of all loaded volumes
/// and the alternatives.
fn draw_volume_fields(view: &Detail, area: Rect, scene: &mut Scene<'_, '_>) {
    let height = fields::height(view, area, scene);
    let [top, rest] = Layout::vertical([Constraint::Max(height), Constraint::Fill(1)])
        .spacing(1)
        .areas(area);
    if rest.height < among::LEAST_HEIGHT {
        return fields::draw(view, area, scene);
    }
    fields::draw(view, top, scene);
    among::draw(view, rest, scene);
}

/// Draws the record's JSON as it was received, without secrets, notes on its members beside it, and further parts
/// where there is room below it. Returns the viewport of the JSON's lines.
fn draw_json(view: &Detail, row: usize, area: Rect, scene: &mut Scene<'_, '_>) -> Viewport {
    let width = member_notes::json_width(area);
    let viewport = scene.report(Region::MAIN, &view.json.report, Rect { width, ..area });
    let state = scene.state;
    if let Some(listing) = state.browsers[view.resource].listing() {
        let record = listing.full_record(row);
        let note = |line| view.json.note(line, listing, &record, state.profile.dialect);
        let lines = view.json.report.visible(viewport, scene.theme);
        member_notes::draw(&lines, note, area, scene);
    }
    draw_below_json(view, row, viewport, area, scene);
    viewport
}

/// Draws the commands of a volume, its numbers and the alternatives below its JSON; on a wide screen also the
/// commands of an offer and its alternatives, and the conditions, offers and machines of a workergroup's search.
/// Nothing if not all of the JSON is visible.
fn draw_below_json(view: &Detail, row: usize, viewport: Viewport, area: Rect, scene: &mut Scene<'_, '_>) {
    let report = &view.json.report;
    let lines = report.visible(viewport, scene.theme);
    let Some((_, end)) = lines.last().filter(|(line, _)| line + 1 == viewport.total) else {
        return;
    };
    // The search has the last row.
    let area = Rect {
        height: area.height.saturating_sub(report.find().is_active().into()),
        ..area
    };
    let rest = below(end.saturating_add(1), area);
    let [left, right] = member_notes::columns(rest);
    match view.resource {
        Resource::Workergroups if scene.size == Size::Wide => {
            draw_search(row, below(0, left), scene);
            let rest = draw_offers(view, row, below(0, right), scene);
            draw_mixes(row, rest, scene);
        }
        Resource::Volumes => {
            let height = rest.height.min(COMMANDS);
            let [commands, rest] = Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(rest);
            draw_commands((view.resource, row), commands, scene);
            among::draw(view, rest, scene);
        }
        // Most offers fill all but a very high screen.
        Resource::Offers if scene.size == Size::Wide => {
            draw_commands((view.resource, row), left, scene);
            among::draw_alternatives(view, right, scene);
        }
        Resource::Offers | Resource::Workergroups => {}
    }
}

/// The areas of the card and of one or two columns beside it; the third is empty unless `is_wide`.
fn overview_columns(is_wide: bool, area: Rect) -> [Rect; 3] {
    let columns = if is_wide {
        [Constraint::Length(CARD), Constraint::Fill(1), Constraint::Fill(1)]
    } else {
        let card = (area.width * 45 / 100).min(CARD);
        [Constraint::Length(card), Constraint::Fill(1), Constraint::Length(0)]
    };
    Layout::horizontal(columns).spacing(3).areas(area)
}

/// Draws the card, the other blocks beside it (below it on a compact screen), and where there is space
/// charts, or for a workergroup its JSON and the offers of its search; returns the viewport of the text that
/// scrolls, `None` without rows.
fn draw_overview(view: &Detail, row: usize, area: Rect, scene: &mut Scene<'_, '_>) -> Option<Viewport> {
    let subject = Subject::new(view.resource, row, scene)?;
    let blocks = overview::blocks(view, scene);
    let laid_out = |blocks: &[Block], width: u16| -> Vec<Line<'static>> {
        let lines = blocks.iter().flat_map(|block| block.lines_in(width));
        lines.collect()
    };
    let is_wide = scene.size == Size::Wide && blocks.len() > 1;
    let [left, middle, right] = overview_columns(is_wide, area);
    let (card, is_cut) = subject.card_within(left.width, left.height);
    // A column beside the scrolling one does not scroll.
    if scene.size == Size::Compact || is_cut {
        let mut lines = subject.card(area.width);
        lines.push(Line::default());
        lines.extend(laid_out(&blocks, area.width));
        return Some(scroll(view, &lines, area, scene));
    }
    let mut charts = Charts::new(view, row);
    // The price over time comes first, where the card keeps its room below it.
    let free = left
        .height
        .saturating_sub(u16::try_from(card.len()).unwrap_or(u16::MAX).saturating_add(1));
    let above = Rect {
        height: free.min(TALLEST[0]),
        ..left
    };
    let left = if charts.draw_record(above, scene) {
        below(above.height, left)
    } else {
        left
    };
    let above = Rect {
        height: LEAST_CHART + 2,
        ..middle
    };
    let middle = if charts.drawn == 0 && middle.height >= 3 * above.height && charts.draw_record(above, scene) {
        below(above.height, middle)
    } else {
        middle
    };
    let below_card = paragraph(&card, left, scene);
    if view.resource == Resource::Workergroups {
        let rest = draw_search(row, below_card, scene);
        draw_mixes(row, rest, scene);
    } else {
        charts.draw(below_card, scene);
    }
    if right.width == 0 {
        let middle = Rect {
            width: area.right() - middle.x,
            ..middle
        };
        let lines = laid_out(&blocks, middle.width);
        let needed = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        charts.draw(below(needed, middle), scene);
        return Some(scroll(view, &lines, middle, scene));
    }
    let (last, first) = blocks
        .split_last()
        .map_or((None, blocks.as_slice()), |(last, first)| (Some(last), first));
    let below_text = paragraph(&laid_out(first, middle.width), middle, scene);
    if view.resource == Resource::Workergroups {
        let rest = draw_record(row, below_text, scene);
        draw_commands((view.resource, row), rest, scene);
    } else {
        charts.draw(below_text, scene);
    }
    let mut lines = last.map_or_else(Vec::new, |last| last.lines_in(right.width));
    // The parts after the alternatives are also in Fields, so they are shown only in an empty column.
    let more = below::more_fields_block(view.resource, row, scene);
    let more = more.map_or_else(Vec::new, |block| block.lines_in(right.width));
    let room = usize::from(right.height).saturating_sub(lines.len());
    lines.extend(more.into_iter().take(room));
    let needed = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    if view.resource == Resource::Workergroups {
        draw_offers(view, row, below(needed, right), scene);
    } else {
        charts.draw(below(needed, right), scene);
    }
    Some(scroll(view, &lines, right, scene))
}

/// Draws the cheapest offers that a workergroup's search finds, as many as fit; before a check those that are
/// loaded, and the key that checks. Nothing in less than five lines. Returns the area below.
fn draw_offers(view: &Detail, row: usize, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    /// The fewest offers that are worth a title and a header.
    const LEAST: u16 = 3;
    if area.height < LEAST + 2 {
        return area;
    }
    let checked = summary::supply_report_of_row(scene.state, row);
    let title = match (checked, &view.loaded) {
        (None, Some(_)) => "Cheapest loaded offers that its search finds",
        (Some(_), _) | (None, None) => "Cheapest that its search finds",
    };
    let below_title = titled(title, area, scene);
    let size = (below_title.width, below_title.height.saturating_sub(1));
    let report = checked
        .or(view.loaded.as_ref())
        .filter(|report| !report.cheapest.is_empty());
    let mut lines = report.map_or_else(Vec::new, |report| {
        preflight::parts::offers(report, None, size, scene.theme)
    });
    if checked.is_none() {
        let key = scene.key(Action::Preflight);
        let text = format!("supply not checked ({key} to check)");
        lines.insert(0, Line::styled(text, scene.theme.dim));
    }
    paragraph(&lines, below_title, scene)
}

/// Draws the machines that a workergroup's search finds by GPU model and by country; nothing before it was checked, and
/// without room for a heading and two lines.
fn draw_mixes(row: usize, area: Rect, scene: &mut Scene<'_, '_>) {
    const LEAST: u16 = 4; // with the blank line above
    if area.height < LEAST {
        return;
    }
    if let Some(report) = summary::supply_report_of_row(scene.state, row) {
        let lines = preflight::mixes(report, area.width, scene.theme);
        scene.render(Paragraph::new(lines), area);
    }
}

/// Draws a workergroup's JSON; nothing if it does not fit. Returns the area below.
fn draw_record(row: usize, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let listing = scene.state.browsers[Resource::Workergroups].listing();
    let json = listing.map_or_else(Vec::new, |listing| json_of(listing, row, scene.theme));
    let json = json.iter().flat_map(|line| wrap_line(line, area.width, 6));
    let json: Vec<Line<'static>> = json.collect();
    if json.len() >= usize::from(area.height) {
        return area;
    }
    let below_title = titled("JSON", area, scene);
    paragraph(&json, below_title, scene)
}

/// Draws the commands that show a record in a shell; nothing without its id or room.
fn draw_commands((resource, row): (Resource, usize), area: Rect, scene: &mut Scene<'_, '_>) {
    let listing = scene.state.browsers[resource].listing();
    let Some(id) = listing.and_then(|listing| listing.id(row)) else {
        return;
    };
    let commands = match resource {
        Resource::Workergroups => [
            format!("bourse groups supply id={id}"),
            format!("bourse groups --json id={id}"),
        ],
        Resource::Offers => ["", "--json "].map(|json| format!("bourse offers --no-default {json}id={id}")),
        Resource::Volumes => ["", "--json "].map(|json| format!("bourse volumes --no-default {json}id={id}")),
    };
    if area.height < COMMANDS {
        return;
    }
    let below_title = titled("Commands", area, scene);
    let lines = commands.map(|command| Line::styled(command, scene.theme.text));
    paragraph(&lines, below_title, scene);
}

/// Draws each condition of a workergroup's search with the name of its field; nothing if not all of them
/// fit. Returns the area below.
fn draw_search(row: usize, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let conditions = below::search_condition_lines(row, scene);
    let lines = conditions.iter().flat_map(|line| wrap_line(line, area.width, 2));
    let lines: Vec<Line<'static>> = lines.collect();
    if lines.is_empty() || lines.len() >= usize::from(area.height) {
        return area;
    }
    let below_title = titled("Conditions", area, scene);
    paragraph(&lines, below_title, scene)
}

/// Draws lines; returns the area below them.
fn paragraph(lines: &[Line<'static>], area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    scene.lines(lines, area);
    below(u16::try_from(lines.len()).unwrap_or(u16::MAX), area)
}

/// The area below a text of `text` lines and a blank line, within `area`.
fn below(text: u16, area: Rect) -> Rect {
    let [_, rest] = Layout::vertical([Constraint::Length(text.saturating_add(1)), Constraint::Fill(1)]).areas(area);
    rest
}

/// The charts of a row, each for the next column with room below its text: price over time, the
/// peers by price, then the peers by price and speed.
struct Charts<'a> {
    view: &'a Detail,
    row: usize,
    drawn: usize,
}

impl<'a> Charts<'a> {
    /// The charts of a row, of which none is drawn yet.
    const fn new(view: &'a Detail, row: usize) -> Self {
        Self { view, row, drawn: 0 }
    }

    /// Draws the lowest price over time of rows like this one; false if it has no room or too little is
    /// recorded.
    fn draw_record(&mut self, area: Rect, scene: &mut Scene<'_, '_>) -> bool {
        let is_drawn =
            area.height >= LEAST_CHART && draw_similar_lows((self.view.resource, self.row), &[], area, scene);
        self.drawn += usize::from(is_drawn);
        is_drawn
    }

    /// Draws the next chart that has enough data, if the area is high enough; those that lack data are passed
    /// over for good.
    fn draw(&mut self, area: Rect, scene: &mut Scene<'_, '_>) {
        if area.height < LEAST_CHART {
            return;
        }
        let tallest = TALLEST[usize::from(scene.size == Size::Wide)];
        let area = Rect {
            height: area.height.min(tallest),
            ..area
        };
        let of_row = (self.view.resource, self.row);
        let all: [&dyn Fn(&mut Scene<'_, '_>) -> bool; 3] = [
            &|scene| draw_similar_lows(of_row, &[], area, scene),
            &|scene| spread(&self.view.spread, area, scene),
            &|scene| scatter(&self.view.spread, area, scene),
        ];
        for chart in all.iter().skip(self.drawn) {
            self.drawn += 1;
            if chart(scene) {
                return;
            }
        }
    }
}

/// Draws the price distribution of comparable rows, with the bar of the row's price highlighted; false if
/// there are too few different prices or too little space.
fn spread(spread: &Spread, area: Rect, scene: &mut Scene<'_, '_>) -> bool {
    let Some(scale) = Scale::fit(spread.values.iter().copied(), None) else {
        return false;
    };
    let axis = Axis(&scale, Labels::Number);
    chart::histogram(&spread.title, (&spread.values, spread.of_row), &axis, area, scene)
}

/// Draws a title in the first line of an area; returns the area below it.
pub(super) fn titled(title: &str, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let [line, chart] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let title = Line::styled(title.to_owned(), scene.theme.heading);
    scene.render(fit(title, line.width), line);
    chart
}

/// Draws performance against price of comparable rows, so that any point up and to the left beats the row;
/// false if there are no points, or no space for axes, where only the title is drawn. The row itself is a
/// `●`.
fn scatter(spread: &Spread, area: Rect, scene: &mut Scene<'_, '_>) -> bool {
    let scale = |of: fn(&(f64, f64)) -> f64| Scale::fit(spread.points.iter().map(of), None);
    let (Some(x), Some(y)) = (scale(|point| point.0), scale(|point| point.1)) else {
        return false;
    };
    let chart = titled(spread.axes, area, scene);
    let theme = scene.theme;
    let axis = |scale| Axis(scale, Labels::Number);
    let Some(plot) = chart::axes(&axis(&x), Some(&axis(&y)), chart, scene) else {
        return false;
    };
    let at = |(price, speed): &(f64, f64)| x.position(*price).zip(y.position(*speed));
    let points: Vec<(f64, f64)> = spread.points.iter().filter_map(at).collect();
    let canvas = chart::canvas(plot).paint(|context| {
        context.draw(&Points {
            coords: &points,
            color: theme.focus.fg.unwrap_or(Color::Reset),
        });
    });
    scene.render(canvas, plot);
    if let Some(place) = spread.point_of_row.as_ref().and_then(at) {
        chart::sign(place, ("●", theme.warning), plot, scene);
    }
    true
}

impl Block {
    /// The lines for a width, followed by a blank one: rows of a table are cut, others wrapped.
    pub(crate) fn lines_in(&self, width: u16) -> Vec<Line<'static>> {
        let (table, text) = self.lines.split_at(self.table);
        let table = table.iter().map(|line| fit(line.clone(), width));
        let text = text.iter().flat_map(|line| wrap_explained(line, width, INDENT));
        table.chain(text).chain([Line::default()]).collect()
    }
}

/// Draws lines from the view's first visible one on; returns the viewport by which they scroll.
fn scroll(view: &Detail, lines: &[Line<'static>], area: Rect, scene: &mut Scene<'_, '_>) -> Viewport {
    let top = view.top;
    scene.scroll(Region::MAIN, Scrolled { lines, top }, area)
}
