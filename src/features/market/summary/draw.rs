//! Draws the market: the table of groups with a rail each on one scale, the prices and the
//! depth of the selected group, and the overview beside a table.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line as TextLine;

use super::Market;
use super::groups::Line;
use super::overview::{OfferedLine, Overview, Section};
use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels};
use crate::domain::insight::{Amount, GroupOrder, Scale, Spread};
use crate::domain::{Listing, Resource, format};
use crate::keys::Action;
use crate::tui::panel::{Panel, Size};
use crate::tui::records::Records;
use crate::tui::table::Column;
use crate::tui::text::{cells, first_parts, fit};

/// Height below which the details of a group are left out.
const LEAST_WITH_DETAIL: u16 = 16;

/// Minimum height of the details of a group.
const DETAIL: u16 = 10;

/// Minimum width of a range bar.
const BAR: u16 = 20;

/// Width of the blank cells between the table and the bars.
const GAP: u16 = 2;

/// Width of all numeric columns together.
const FIGURES: u16 = 84;

/// The unit of a resource's prices, as text: per GPU for a job with `has_job`, for the whole job with
/// `is_work`.
const fn unit(resource: Resource, has_job: bool, is_work: bool) -> &'static str {
    match resource {
        Resource::Volumes => "$/GB/month",
        Resource::Offers | Resource::Workergroups if is_work => "$ for the job",
        Resource::Offers | Resource::Workergroups if has_job => "$/GPU for the job",
        Resource::Offers | Resource::Workergroups => "$/GPU-h",
    }
}

/// A price as text without its unit: with two decimals for a job, else three; in scientific notation from a
/// million on.
fn price(value: f64, has_job: bool) -> String {
    match value.abs() {
        magnitude if magnitude >= 1e6 => format!("{value:.1e}"),
        _ if has_job => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Draws the table of a market's groups and, on a screen with enough height, the prices and supply of the
/// selected one.
pub(super) fn market(view: &Market, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(browser) = scene.state.browser() else {
        return;
    };
    let lines = u16::try_from(view.lines.len()).unwrap_or(u16::MAX);
    let detail = if area.height < LEAST_WITH_DETAIL || view.prices.is_empty() {
        0
    } else {
        let free = area.height.saturating_sub(lines.saturating_add(3));
        free.clamp(DETAIL, area.height - 6)
    };
    let [table, detail] = Layout::vertical([Fill(1), Length(detail)]).areas(area);
    let unit = unit(view.resource, view.has_job, view.is_work);
    let facts = format!(
        "by {} · {unit} · {}",
        view.groupings()[view.grouping].name,
        browser.count_label()
    );
    let panel = scene.tabbed_panel("Market").note(facts).foot(sorted_by(view));
    let inner = scene.framed(panel, table);
    if view.lines.is_empty() {
        let text = TextLine::styled("Nothing to group: there are no rows.", scene.theme.dim);
        scene.render(text, inner);
        return;
    }
    let no_bill = browser.describe_unknown_rate(&scene.key(Action::Job));
    let [warning, table] = Layout::vertical([Length(u16::from(no_bill.is_some())), Fill(1)]).areas(inner);
    scene.render(
        TextLine::styled(no_bill.unwrap_or_default(), scene.theme.warning),
        warning,
    );
    table_of_groups(view, table, scene);
    if let Some(listing) = browser.listing().filter(|_| detail.height > 0) {
        draw_selected(view, listing, detail, scene);
    }
}

/// The order of the groups as a note: `sorted by median ▲`.
const fn sorted_by(view: &Market) -> &'static str {
    match (view.order, view.resource) {
        (GroupOrder::Count, Resource::Volumes) => "sorted by volumes ▼",
        (GroupOrder::Count, _) => "sorted by machines ▼",
        (GroupOrder::Lowest, _) => "sorted by lowest price ▲",
        (GroupOrder::Median, _) => "sorted by median ▲",
        (GroupOrder::Merit, Resource::Volumes) => "sorted by MB/s per $ ▼",
        (GroupOrder::Merit, _) => "sorted by speed (DLPerf) per $ ▼",
    }
}

/// Draws the table of groups and, beside it if there is space, a bar for the price range of each on one
/// scale.
fn table_of_groups(view: &Market, area: Rect, scene: &mut Scene<'_, '_>) {
    let bar = match (area.width.saturating_sub(FIGURES), area.width / 3) {
        (rest @ BAR.., _) => rest,
        (_, third @ BAR..) => third,
        _ => 0,
    };
    let gap = u16::from(bar > 0) * GAP;
    let [left, _, right] = Layout::horizontal([Fill(1), Length(gap), Length(bar)]).areas(area);
    let viewport = scene.table(Region::MAIN, &rows_of(view), Some(view.cursor), left);
    if let Some(scale) = view.scale.filter(|_| bar > 0) {
        scale_line(&scale, Rect { height: 1, ..right }, scene);
        let strips = Rect {
            y: right.y + 1,
            height: right.height.saturating_sub(1),
            ..right
        };
        for (line, strip) in viewport.visible().zip(strips.rows()) {
            draw_range(view, line, &scale, strip, scene);
        }
    }
}

/// Draws the tick labels of the scale that all range bars share, in one line.
fn scale_line(scale: &Scale, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let buffer = scene.frame.buffer_mut();
    for tick in Axis(scale, Labels::Number).across(area.width) {
        buffer.set_string(area.x + tick.start, area.y, tick.label, theme.heading);
    }
}

/// Draws the bar of the group at `line` from its lowest to its highest price, with a mark at the median;
/// blank if it has no prices. A click on it selects the group, whose stripe goes on from the table.
fn draw_range(view: &Market, line: usize, scale: &Scale, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    scene.clickable(area, Target::Item(Region::MAIN, line));
    if line == view.cursor {
        let stripe = Rect {
            x: area.x - GAP,
            width: area.width + GAP,
            ..area
        };
        scene.frame.buffer_mut().set_style(stripe, theme.selected);
    }
    let prices = view.lines.get(line).and_then(|line| line.group.unit_price);
    let Some(prices) = prices else { return };
    let spot = |value: f64| {
        scale
            .position(value)
            .map(|share| area.x + chart::cell(share, area.width))
    };
    let ends = [prices.lowest, prices.median, prices.highest].map(spot);
    let [Some(low), Some(median), Some(high)] = ends else {
        return;
    };
    let over = |style| if line == view.cursor { theme.selected } else { style };
    let buffer = scene.frame.buffer_mut();
    for x in low..=high {
        let (sign, style) = match x {
            _ if x == low => ("●", theme.text),
            _ if x == median => ("│", theme.dim),
            _ => ("┄", theme.border),
        };
        buffer.set_string(x, area.y, sign, over(style));
    }
}

/// A number of GPUs with commas between thousands.
fn gpus_of(amount: &Amount) -> String {
    format::grouped(usize::try_from(amount.gpus).unwrap_or(usize::MAX))
}

/// The groups as records of the table: name, GPUs (not of volumes), number of machines or volumes, levels of
/// the price, and performance per dollar.
fn rows_of(view: &Market) -> Records<'_, &Line> {
    let name = view.groupings()[view.grouping].name;
    let (machines, merit) = match view.resource {
        Resource::Volumes => ("Volumes", "MB/s per $"),
        Resource::Offers | Resource::Workergroups => ("Machines", "DLPerf/$"),
    };
    let of = move |line: &Line, pick: fn(&Spread) -> f64| {
        let value = line.group.unit_price.as_ref().map(pick);
        value.map_or_else(|| format::NONE.to_owned(), |value| price(value, view.has_job))
    };
    let sorted = |title: &str, order: GroupOrder| match order {
        _ if order != view.order => title.to_owned(),
        GroupOrder::Count | GroupOrder::Merit => format!("{title} ▼"),
        GroupOrder::Lowest | GroupOrder::Median => format!("{title} ▲"),
    };
    // With room for the sign of the order, in whichever column it is.
    let sortable = |title: &str, order: GroupOrder| Column::number(sorted(title, order), (cells(title) + 2).max(8));
    let mut rows = Records::new(view.lines.len(), |row| view.lines.get(row))
        .styled(Column::text(name, 14).grows(), |line: &Line, _| {
            (line.label.as_str().into(), Style::new())
        });
    if view.resource != Resource::Volumes {
        rows = rows.column(Column::number("GPUs", 6).priority(1), |line| {
            gpus_of(&line.group.amount)
        });
    }
    rows.column(sortable(machines, GroupOrder::Count).priority(5), |line| {
        format::grouped(line.group.amount.machines)
    })
    .column(sortable("Low", GroupOrder::Lowest), move |line| {
        of(line, |price| price.lowest)
    })
    .column(Column::number("P25", 8).priority(8), move |line| {
        of(line, |price| price.lower_quartile)
    })
    .column(sortable("Median", GroupOrder::Median).priority(2), move |line| {
        of(line, |price| price.median)
    })
    .column(Column::number("P75", 8).priority(7), move |line| {
        of(line, |price| price.upper_quartile)
    })
    .column(sortable(merit, GroupOrder::Merit).priority(6), |line| {
        let best = line.group.best.map(|best| format!("{:.1}", best.value));
        best.unwrap_or_else(|| format::NONE.to_owned())
    })
}

/// Draws the panel of the selected group: its cheapest offer, on a wide area the distribution of its prices,
/// and its supply at or below each price.
fn draw_selected(view: &Market, listing: &Listing, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(line) = view.selected() else { return };
    let amount = line.group.amount;
    let note = match view.resource {
        Resource::Volumes => format::counted(amount.machines, "volume", "volumes"),
        Resource::Offers | Resource::Workergroups => {
            let number = usize::try_from(amount.gpus).unwrap_or(usize::MAX);
            let gpus = format::counted(number, "GPU", "GPUs");
            let machines = format::counted(amount.machines, "machine", "machines");
            format!("{gpus} on {machines}")
        }
    };
    let inner = scene.panel(Panel::new(line.label.clone()).note(note), area);
    let [best, charts] = Layout::vertical([Length(1), Fill(1)]).areas(inner);
    let all = cheapest(view, line, listing);
    let text = first_parts(&all, best.width).to_owned();
    scene.render(TextLine::styled(text, scene.theme.text), best);
    let side_by_side = charts.width >= 76;
    let [prices, _, depths] = Layout::horizontal([Fill(u16::from(side_by_side)), Length(2), Fill(1)]).areas(charts);
    let counted = match view.resource {
        Resource::Volumes => ["Volumes by price", "Volumes at or below a price"],
        Resource::Offers | Resource::Workergroups => ["Machines by price", "GPUs at or below a price"],
    };
    let scale = Scale::fit(view.prices.iter().copied(), None).filter(|_| side_by_side);
    let is_drawn = scale.is_some_and(|scale| {
        let axis = Axis(&scale, Labels::Number);
        chart::histogram(counted[0], (&view.prices, None), &axis, prices, scene)
    });
    let depths = if is_drawn { depths } else { charts };
    let [head, depths] = Layout::vertical([Length(1), Fill(1)]).areas(depths);
    let title = TextLine::styled(counted[1], scene.theme.heading);
    scene.render(fit(title, head.width), head);
    chart::draw_depth(&view.depth, None, depths, scene);
}

/// The cheapest offer and the one with the most performance per dollar in a group, with their ids, as one
/// line of text. The latter is left out for a job of fixed length.
fn cheapest(view: &Market, line: &Line, listing: &Listing) -> String {
    let id = |row: u32| listing.id(row as usize).map(|id| id.to_string());
    let price = |value: f64| match view.resource {
        Resource::Volumes => format!("{}/GB/month", format::dollars(value)),
        Resource::Offers | Resource::Workergroups if view.has_job => {
            format!("{} for the job", format::dollars(value))
        }
        Resource::Offers | Resource::Workergroups => format::per_hour(value),
    };
    let merit_unit = match view.resource {
        Resource::Volumes => "MB/s per $",
        Resource::Offers | Resource::Workergroups => "DLPerf per $",
    };
    let low = line.group.cheapest.map(|best| {
        let id = id(best.row).unwrap_or_default();
        // The table's prices are per GPU, this one is the offer's.
        let gpus = match &*format::cell_of(listing, best.row as usize, "num_gpus", 4) {
            "" | "1" => String::new(),
            many => format!(" ({many} GPUs)"),
        };
        format!("Cheapest offer {id} at {}{gpus}", price(best.value))
    });
    // A faster offer does a job of fixed length no sooner.
    let has_best = !view.has_job || view.is_work;
    let value = line.group.best.filter(|_| has_best).map(|best| {
        let id = id(best.row).unwrap_or_default();
        format!("best value {id} with {:.1} {merit_unit}", best.value)
    });
    let parts: Vec<String> = low.into_iter().chain(value).collect();
    parts.join(" · ")
}

/// Draws the market panel: GPU models, countries and kinds of hosts, with their supply and lowest price. The
/// cursor is drawn only if `is_focused`.
pub fn panel(overview: &Overview, area: Rect, scene: &mut Scene<'_, '_>, is_focused: bool) {
    let Some(browser) = scene.state.browser() else {
        return;
    };
    let (action, what) = if is_focused {
        (Action::Open, "filter by this")
    } else {
        (Action::Left, "choose")
    };
    let inner = scene.framed(
        Panel::new("Market")
            .note(match browser.resource() {
                Resource::Volumes => "by volumes ▼",
                Resource::Offers | Resource::Workergroups => "by machines ▼",
            })
            .foot(format!("{} {what}", scene.key(action)))
            .focused(is_focused)
            .on_blank()
            .sized(Size::Wide),
        area,
    );
    if overview.is_empty() {
        let nouns = browser.resource().nouns();
        let text = TextLine::styled(format!("No {nouns} loaded"), scene.theme.dim);
        scene.render(text, inner);
        return;
    }
    let areas = heights(overview, inner);
    let last = areas.len().saturating_sub(1);
    for (index, (section, area)) in overview.sections.iter().zip(areas).enumerate() {
        // A blank line separates it from the next one.
        let height = area.height.saturating_sub(u16::from(index < last));
        let area = Rect { height, ..area };
        let cursor = (is_focused && overview.cursor.0 == index).then_some(overview.cursor.1);
        groups_of(section, index, cursor, area, scene);
    }
}

/// The areas of the sections of the market panel, each as high as its heading, its lines and, except for the
/// last, a blank line.
///
/// Where they do not all fit, none but the first gets more than two fifths unless the first leaves space, and
/// the first gets the rest.
fn heights(overview: &Overview, area: Rect) -> Vec<Rect> {
    let last = overview.sections.len().saturating_sub(1);
    let needed = |(index, section): (usize, &Section)| {
        u16::try_from(section.lines.len() + 1 + usize::from(index < last)).unwrap_or(u16::MAX)
    };
    let needed: Vec<u16> = overview.sections.iter().enumerate().map(needed).collect();
    let most = area.height * 2 / 5;
    let mut heights: Vec<u16> = needed.iter().map(|needed| *needed.min(&most)).collect();
    let mut rest = area.height.saturating_sub(heights.iter().sum());
    for (height, needed) in heights.iter_mut().zip(&needed) {
        let more = (needed - *height).min(rest);
        *height += more;
        rest -= more;
    }
    let constraints = heights.into_iter().map(Length);
    Layout::vertical(constraints.chain([Fill(1)])).split(area)[..needed.len()].to_vec()
}

/// Draws the section at `index` of the market panel: each group with its GPUs (or volumes) and lowest price.
/// `cursor` is the selected line of this section; the heading counts the lines if not all fit.
fn groups_of(section: &Section, index: usize, cursor: Option<usize>, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(browser) = scene.state.browser() else {
        return;
    };
    let has_job = browser.computed.job.is_some();
    let (count, unit) = match browser.resource() {
        Resource::Volumes => ("Volumes", "$/GB/mo"),
        Resource::Offers | Resource::Workergroups if browser.pricing().is_work() => ("GPUs", "$ job"),
        Resource::Offers | Resource::Workergroups if has_job => ("GPUs", "$ job/GPU"),
        Resource::Offers | Resource::Workergroups => ("GPUs", "$/GPU-h"),
    };
    let is_volume = browser.resource() == Resource::Volumes;
    // Under the heading.
    let shown = usize::from(area.height.saturating_sub(1));
    let name = if shown < section.lines.len() {
        format!("{} ({shown} of {})", section.name, section.lines.len())
    } else {
        section.name.to_owned()
    };
    let rows = Records::new(section.lines.len(), |row| section.lines.get(row))
        .styled(Column::text(name, 8).grows(), |line: &OfferedLine, _| {
            (line.label.as_str().into(), Style::new())
        })
        .column(Column::number(count, cells(count).max(5)), |line| {
            if is_volume {
                format::grouped(line.group.amount.machines)
            } else {
                gpus_of(&line.group.amount)
            }
        })
        .column(Column::number(unit, cells(unit).max(7)), |line| {
            let lowest = line.group.lowest;
            lowest.map_or_else(|| format::NONE.to_owned(), |lowest| price(lowest, has_job))
        });
    scene.table(Overview::region(index), &rows, cursor, area);
}
