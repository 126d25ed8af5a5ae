//! Draws the planner of clusters: the form, and the plan with its offers.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::form::Key;
use super::{Cluster, below, bill};
use crate::app::frame_layout;
use crate::app::keymap::{Action, Context};
use crate::app::view::{Region, Scene};
use crate::domain::insight::plan::{Bill, Planning, Target};
use crate::domain::{Listing, Resource, format};
use crate::views::{sheet, wider};
use crate::widgets::form::{FormLayout, FormLines};
use crate::widgets::panel::{Panel, Size};
use crate::widgets::table::{self, Column, Rows, Table};
use crate::widgets::text::wrap_line;
use crate::widgets::theme::Theme;

/// The offers of the plan and the form, while the other one has the keyboard.
pub(super) const OFFERS: Region = Region(2);
const FIELDS: Region = Region(3);

/// Cells of the form beside the plan.
const FORM: u16 = 52;

/// Lines of the focused field's explanation, with the space below it.
const ABOUT: u16 = 4;

/// The fewest lines of a useful plan below the form, with its title.
const LEAST_PLAN: u16 = 4;

/// Lines of the table of offers that notes must leave.
const LEAST_TABLE: u16 = 4;

pub(super) fn cluster(view: &Cluster, area: Rect, scene: &mut Scene<'_, '_>) {
    let is_compact = scene.size == Size::Compact;
    let [left, right] = match (is_compact, view.is_on_offers) {
        (true, true) => [Rect::default(), area],
        (true, false) => {
            let needed = FormLines::new(&view.form, scene.theme).height(area.width) + 1;
            let below = area.height.saturating_sub(needed);
            let below = if below < LEAST_PLAN { 0 } else { below };
            Layout::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(area)
        }
        (false, _) => {
            Layout::horizontal([Constraint::Length(FORM), Constraint::Fill(1)]).areas(area)
        }
    };
    let total = total(view, scene);
    if !left.is_empty() {
        let facts = if right.is_empty() {
            total.clone()
        } else {
            String::new()
        };
        fields(view, left, facts, scene);
    }
    if !right.is_empty() {
        let panel = Panel::new("Plan")
            .facts(total)
            .focused(view.is_on_offers)
            .sized(scene.size);
        let inner = panel.render(right, scene.frame.buffer_mut(), scene.theme);
        plan(view, inner, scene);
    }
}

/// The form, below it the focused field's explanation and how the bill changes with the target.
fn fields(view: &Cluster, area: Rect, facts: String, scene: &mut Scene<'_, '_>) {
    let panel = Panel::new("Cluster")
        .facts(facts)
        .focused(!view.is_on_offers)
        .sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let needed = FormLines::new(&view.form, scene.theme).height(inner.width);
    let [form, below] =
        Layout::vertical([Constraint::Max(needed + 1), Constraint::Fill(1)]).areas(inner);
    let [about, bills] =
        Layout::vertical([Constraint::Max(ABOUT), Constraint::Fill(1)]).areas(below);
    let doc = view.form.focused().map_or("", Key::doc);
    sheet::text([Line::styled(doc, scene.theme.dim)], about, scene);
    if scene.size != Size::Compact {
        below::bills(view, bills, scene);
    }
    if view.is_on_offers {
        let mut layout = FormLayout::default();
        let lines = FormLines::new(&view.form, scene.theme);
        scene.frame.render_stateful_widget(lines, form, &mut layout);
        for (place, field) in layout.fields {
            scene.clickable(place, frame_layout::Target::Item(FIELDS, field));
        }
    } else {
        scene.form(&view.form, form);
    }
}

/// The bill, for the border.
fn total(view: &Cluster, scene: &Scene<'_, '_>) -> String {
    let bill = bill(&scene.state.browsers[Resource::Offers]);
    let plan = view.planning.as_ref().and_then(|own| own.plan.as_ref());
    plan.map_or_else(
        || "no plan".to_owned(),
        |plan| {
            let total = bill.money(plan.bill);
            match bill {
                Bill::Job => format!("{total} for the job"),
                Bill::Hourly => total,
            }
        },
    )
}

fn plan(view: &Cluster, area: Rect, scene: &mut Scene<'_, '_>) {
    let wrapped = |lines: Vec<Line<'static>>| -> Vec<Line<'static>> {
        let lines = lines.iter();
        lines
            .flat_map(|line| wrap_line(line, area.width, 2))
            .collect()
    };
    let head = wrapped(head(view, scene));
    let notes = wrapped(notes(view, area.width, scene));
    let count = |lines: &[Line<'_>]| u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let picks = u16::try_from(view.picks.len()).unwrap_or(u16::MAX);
    let table = if picks == 0 {
        0
    } else {
        picks.saturating_add(2)
    };
    let room = area.height.saturating_sub(count(&head));
    let remarks = count(&notes).min(room.saturating_sub(table.min(LEAST_TABLE)));
    let [top, offers, bottom, _, cards] = Layout::vertical([
        Constraint::Length(count(&head)),
        Constraint::Length(table.min(room - remarks)),
        Constraint::Length(remarks),
        Constraint::Max(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    sheet::text(head, top, scene);
    if let Some(listing) = scene.state.browsers[Resource::Offers].listing()
        && table > 0
    {
        let hidden = (picks + 1).saturating_sub(offers.height);
        let is_cut = hidden > 0 && !view.is_on_offers;
        let [offers, more] =
            Layout::vertical([Constraint::Fill(1), Constraint::Length(u16::from(is_cut))])
                .areas(offers);
        table_of_offers(view, listing, offers, scene);
        if is_cut {
            // The line that counts them takes the place of one more.
            let key = scene.key_in(&[Context::Form], Action::Submit);
            let text = format!("{} more ({key} shows all)", hidden + 1);
            sheet::text([Line::styled(text, scene.theme.dim)], more, scene);
        }
    }
    sheet::text(notes, bottom, scene);
    below::cards(view, cards, scene);
}

/// What the plan is, and what it is based on.
fn head(view: &Cluster, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let offers = &scene.state.browsers[Resource::Offers];
    let mut lines = Vec::new();
    match (&view.need, &view.planning) {
        (Err((key, why)), _) => {
            lines.push(Line::styled(
                format!("! {}: {why}", key.label()),
                theme.warning,
            ));
        }
        (Ok(_), None) => lines.push(Line::styled("No offers yet", theme.dim)),
        (Ok(_), Some(planning)) => {
            if let Some(plan) = &planning.plan {
                lines.push(Line::styled(plan.words(), theme.accent));
            }
        }
    }
    let basis = offers.pricing().job.map_or_else(
        || "per hour; a job gives the whole bill".to_owned(),
        |job| format!("job {}", job.brief()),
    );
    // While a field has the keyboard, letters are text.
    let load = scene.key(Action::Settings);
    let submit = scene.key_in(&[Context::Form], Action::Submit);
    let keys = if view.is_on_offers {
        load
    } else if view.picks.is_empty() {
        submit
    } else {
        format!("{submit}, then {load}")
    };
    let note = wider::note(&keys, scene);
    let text = if note.is_some() {
        basis
    } else {
        format!("{} · {basis}", offers.count_label())
    };
    lines.push(Line::styled(text, theme.dim));
    lines.extend(note);
    lines
}

/// Remarks on the plan, and how the bill changes with the number of GPUs.
fn notes(view: &Cluster, width: u16, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let offers = &scene.state.browsers[Resource::Offers];
    let (Ok(need), Some(planning), Some(listing)) = (&view.need, &view.planning, offers.listing())
    else {
        return Vec::new();
    };
    let bill = bill(offers);
    let id = |row: u32| {
        listing
            .id(row as usize)
            .map_or_else(String::new, |id| id.to_string())
    };
    let remarks = planning.remarks(need, bill, id).into_iter();
    let mut lines: Vec<Line<'static>> = remarks
        .map(|remark| {
            if remark.is_warning {
                Line::styled(format!("! {}", remark.text), theme.warning)
            } else {
                Line::styled(format!("- {}", remark.text), theme.text)
            }
        })
        .collect();
    // On a larger screen the bills are bars below the form.
    if scene.size == Size::Compact && planning.curve.len() > 1 {
        lines.push(Line::default());
        lines.extend(curve((planning, need.target), bill, width, theme));
    }
    lines
}

/// The bills of smaller and larger targets, in two rows.
fn curve(
    (planning, own): (&Planning, Target),
    bill: Bill,
    width: u16,
    theme: &Theme,
) -> Vec<Line<'static>> {
    const LABEL: usize = 6;
    let title = match own {
        Target::Gpus(_) => "GPUs",
        Target::Dlperf(_) => "DLPerf",
    };
    let mut rows = [
        vec![Span::styled(format!("{title:LABEL$}"), theme.dim)],
        vec![Span::styled(format!("{:LABEL$}", "Bill"), theme.dim)],
    ];
    let mut used = LABEL;
    for (target, total) in &planning.curve {
        let total = total.map_or_else(|| format::NONE.to_owned(), |total| bill.money(total));
        let pair = [target.number(), total];
        let longest = pair.iter().map(|cell| cell.chars().count()).max();
        let wide = longest.unwrap_or(0) + 2;
        used += wide;
        if used > usize::from(width) {
            break;
        }
        let style = if *target == own {
            theme.accent
        } else {
            theme.text
        };
        for (row, cell) in rows.iter_mut().zip(pair) {
            row.push(Span::styled(format!("{cell:>wide$}"), style));
        }
    }
    rows.into_iter().map(Line::from).collect()
}

fn table_of_offers(view: &Cluster, listing: &Listing, area: Rect, scene: &mut Scene<'_, '_>) {
    let offers = &scene.state.browsers[Resource::Offers];
    let bill = bill(offers);
    let price = match bill {
        Bill::Job => "Job $",
        Bill::Hourly => "$/h",
    };
    let title = |key: &str| {
        let field = listing.catalog().by_key(key);
        field.map_or_else(String::new, |field| {
            listing.header(field, offers.dialect()).into_owned()
        })
    };
    let columns = [
        Column::number(price, 10),
        Column::text("GPUs", 18).grows(),
        Column::text("ID", 10),
        Column::text("Machine", 9).priority(1),
        Column::text("Place", 16).priority(3),
        Column::number(title("inet_down"), 9).priority(2),
        Column::number(title("duration"), 6).priority(4),
    ];
    let placed = table::place(&columns, area.width);
    let rows = Picks {
        view,
        listing,
        bill,
    };
    let cursor = view.is_on_offers.then_some(view.cursor);
    let table = Table::new(&rows, &columns, &placed, cursor, scene.theme);
    let region = if view.is_on_offers {
        Region::MAIN
    } else {
        OFFERS
    };
    scene.scroll(region, table, area);
}

/// The offers of the plan as rows of the table.
struct Picks<'a> {
    view: &'a Cluster,
    listing: &'a Listing,
    bill: Bill,
}

impl Rows for Picks<'_> {
    fn count(&self) -> usize {
        self.view.picks.len()
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style) {
        let Some((row, price)) = self.view.picks.get(row) else {
            return (Cow::Borrowed(""), Style::new());
        };
        let cell = |key: &str| {
            let field = self.listing.catalog().by_key(key);
            field.map_or_else(String::new, |field| {
                format::cell(self.listing, *row as usize, field, usize::from(width))
            })
        };
        let text = match column {
            0 => self.bill.money(*price),
            1 => format!(
                "{}× {} {}",
                cell("num_gpus"),
                cell("gpu_name"),
                cell("gpu_ram")
            ),
            2 => cell("id"),
            3 => cell("machine_id"),
            4 => cell("geolocation"),
            5 => cell("inet_down"),
            _ => cell("duration"),
        };
        (Cow::Owned(text), Style::new())
    }
}
