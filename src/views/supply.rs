//! The supply check: what every workergroup's search finds now, side by side. The check continues
//! when the view is closed.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Text;

use super::searched;
use crate::app::State;
use crate::app::browser::Browser;
use crate::app::groups::preflight::parameters;
use crate::app::groups::supply::Supply;
use crate::app::keymap::{Action, Context};
use crate::app::remote::Now;
use crate::app::searched::Searched;
use crate::app::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::catalog::WORKERGROUPS;
use crate::domain::insight::Coverage;
use crate::domain::workergroup::{Preflight, WorkerCounts};
use crate::domain::{Listing, Resource};
use crate::views::preflight::{mixes, offers, parts, summary};
use crate::widgets::find::Find;
use crate::widgets::panel::{Panel, Size};
use crate::widgets::table::{Column, Rows, Table, place};
use crate::widgets::theme::Theme;

/// Cells of the panel about the selected workergroup.
const PREVIEW: u16 = 50;

/// The minimum number of lines for a useful summary.
const LEAST_SUMMARY: u16 = 10;

/// The table of the supply check; its selection is the pane's.
#[derive(Debug, Default)]
struct SupplyView {
    find: Find,
}

impl Searched for SupplyView {
    fn find(&mut self) -> &mut Find {
        &mut self.find
    }

    fn texts(&self, state: &State) -> Vec<String> {
        let browser = &state.browsers[Resource::Workergroups];
        let Some(listing) = browser.listing() else {
            return Vec::new();
        };
        let text = |row: &u32| {
            let row = *row as usize;
            let id = listing.id(row).map(|id| id.to_string());
            let field = WORKERGROUPS.by_key("endpoint_name");
            let name = field.and_then(|field| listing.column(field).text(row));
            let name = name.map(|name| name.compared().to_owned());
            format!("{} {}", id.unwrap_or_default(), name.unwrap_or_default())
        };
        browser.view().iter().map(text).collect()
    }

    fn line(&self, state: &State) -> usize {
        state.browsers[Resource::Workergroups].cursor()
    }

    fn go_to_line(&mut self, line: usize, state: &mut State) {
        state.browsers[Resource::Workergroups].select(line);
    }
}

/// Opens the view, and starts the check unless it runs.
pub fn open(cx: &mut Cx<'_>) -> bool {
    if cx.state.groups.supply.running().is_none() {
        let effects = cx.state.toggle_supply_check(cx.now);
        cx.effects(effects);
    }
    cx.open(SupplyView::default());
    true
}

impl View for SupplyView {
    fn contexts(&self) -> &'static [Context] {
        searched::contexts(
            &self.find,
            [
                &[
                    Context::Workergroups,
                    Context::Report,
                    Context::Global,
                    Context::Always,
                ],
                &[
                    Context::Report,
                    Context::Workergroups,
                    Context::Global,
                    Context::Always,
                ],
            ],
        )
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::CheckSupply => Some("stop or start"),
            Action::Submit => Some("preflight"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::Left | Action::Right => Availability::Hidden,
            _ => Availability::Available,
        }
    }

    fn search(&self) -> Option<&Find> {
        Some(&self.find)
    }

    fn searched(&mut self) -> Option<&mut dyn Searched> {
        Some(self)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(by) = cx.motion(action) {
            cx.state.browsers[Resource::Workergroups].step(by);
            return Outcome::Handled;
        }
        match action {
            Action::CheckSupply => {
                let effects = cx.state.toggle_supply_check(cx.now);
                cx.effects(effects);
            }
            Action::Refresh => {
                let stopped = cx.state.groups.supply.stop();
                cx.effects(stopped);
                let effects = cx.state.toggle_supply_check(cx.now);
                cx.effects(effects);
            }
            Action::Submit => {
                super::preflight::open_selected(cx);
            }
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        cx.state.browsers[Resource::Workergroups].select(line);
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        let is_running = state.groups.supply.running().is_some();
        is_running.then(|| state.animation(now, 0.25)).flatten()
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let browser = &scene.state.browsers[Resource::Workergroups];
        let Some(listing) = browser.listing() else {
            return;
        };
        let area = searched::draw_line(&self.find, area, scene);
        let groups = u16::try_from(browser.view().len()).unwrap_or(u16::MAX);
        let [left, right] = areas(area, scene.size, groups);
        let row = browser.selected_row();
        let found = row.and_then(|row| summary::of_row(scene.state, row));
        let left = with_offers(found, left, groups, scene);
        let panel = Panel::new("Supply check")
            .facts(progress(scene))
            .focused(true)
            .sized(scene.size);
        let inner = panel.render(left, scene.frame.buffer_mut(), scene.theme);
        let rows = Checked {
            state: scene.state,
            browser,
            listing,
            theme: scene.theme,
        };
        let columns = columns();
        let placed = place(&columns, inner.width);
        let cursor = (!browser.view().is_empty()).then_some(browser.cursor());
        let table = Table::new(&rows, &columns, &placed, cursor, scene.theme);
        scene.scroll(Region::MAIN, table, inner);
        if let Some(row) = row.filter(|_| !right.is_empty()) {
            let title = browser
                .selected()
                .map_or_else(String::new, |id| format!("Workergroup {id}"));
            let panel = Panel::new(title).sized(scene.size);
            let inner = panel.render(right, scene.frame.buffer_mut(), scene.theme);
            let lines = summary::of_group(scene.state, row, scene.now, scene.theme);
            let mut lines = parts::hanging(&lines, inner.width);
            if let Some(found) = found.filter(|_| scene.size != Size::Compact) {
                lines.extend(mixes(found, inner.width, scene.theme));
            }
            scene.render(Text::from(lines), inner);
        }
    }
}

/// Draws the offers of the selected workergroup's search below the table where there is room;
/// returns the area of the table.
fn with_offers(
    found: Option<&Preflight>,
    area: Rect,
    groups: u16,
    scene: &mut Scene<'_, '_>,
) -> Rect {
    let table = groups.saturating_add(3); // the frame and the header
    let (Some(found), Size::Medium | Size::Wide) = (found, scene.size) else {
        return area;
    };
    if found.cheapest.is_empty() || area.height.saturating_sub(table) < LEAST_SUMMARY {
        return area;
    }
    let [table, below] =
        Layout::vertical([Constraint::Length(table), Constraint::Fill(1)]).areas(area);
    offers(found, below, scene);
    table
}

/// The areas of the table and the summary of the selected workergroup: side by side, on a compact
/// screen one below the other if there is room.
fn areas(area: Rect, size: Size, groups: u16) -> [Rect; 2] {
    let table = groups.saturating_add(2); // the title and the header
    match size {
        Size::Compact if area.height.saturating_sub(table) < LEAST_SUMMARY => {
            [area, Rect::default()]
        }
        Size::Compact => {
            Layout::vertical([Constraint::Length(table), Constraint::Fill(1)]).areas(area)
        }
        Size::Medium => {
            Layout::horizontal([Constraint::Fill(1), Constraint::Length(PREVIEW)]).areas(area)
        }
        Size::Wide => {
            Layout::horizontal([Constraint::Fill(1), Constraint::Percentage(45)]).areas(area)
        }
    }
}

fn progress(scene: &Scene<'_, '_>) -> String {
    let supply = &scene.state.groups.supply;
    match (supply.running(), supply.waits_until()) {
        (Some((done, all)), Some(until)) => {
            let wait = (until - scene.now.mono).max(0.0).ceil();
            format!("{done} of {all} searches, rate limited: next in {wait:.0} s")
        }
        (Some((done, all)), None) => format!("{done} of {all} searches …"),
        (None, _) => String::new(),
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("ID", 9),
        Column::text("Endpoint", 14).grows(),
        Column::number("GPUs", 7),
        Column::number("Machines", 8),
        Column::number("Hosts", 6).priority(2),
        Column::number("From $/h", 9),
        Column::number("Max $/h", 9).priority(1),
    ]
}

struct Checked<'a> {
    state: &'a State,
    browser: &'a Browser,
    listing: &'a Listing,
    theme: &'a Theme,
}

impl Checked<'_> {
    /// The figures of a group whose search is done; the worst-case cost needs its maximum number of
    /// workers.
    fn figure(&self, found: &Preflight, row: usize, column: usize) -> String {
        let more = if found.coverage == Coverage::Cut {
            "+"
        } else {
            ""
        };
        match column {
            2 => format!("{}{more}", found.recruitable.gpus),
            3 => format!("{}{more}", found.recruitable.machines),
            4 => format!("{}{more}", found.hosts),
            5 => found
                .prices
                .map_or_else(|| "—".to_owned(), |prices| format!("{:.3}", prices.lowest)),
            _ => {
                let (group, _) = parameters(self.listing, row);
                // Few markets list the maximum: the default is a guess.
                let guess = if group.max_workers.is_none() { "?" } else { "" };
                found
                    .cost(WorkerCounts::of(&group).max)
                    .map_or_else(|| "—".to_owned(), |cost| format!("{:.2}{guess}", cost.most))
            }
        }
    }
}

impl Rows for Checked<'_> {
    fn count(&self) -> usize {
        self.browser.view().len()
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style) {
        let plain = Style::new();
        let Some(row) = self.browser.view().get(row).map(|row| *row as usize) else {
            return ("".into(), plain);
        };
        let id = self.listing.id(row);
        match column {
            0 => {
                let id = id.map_or_else(String::new, |id| id.to_string());
                (id.into(), plain)
            }
            1 => {
                let field = WORKERGROUPS.by_key("endpoint_name");
                let name = field.and_then(|field| self.listing.column(field).text(row));
                let name = name.map_or_else(|| "—".to_owned(), |name| name.screen(width.into()));
                (name.into(), plain)
            }
            _ => match id.and_then(|id| self.state.groups.supply.of(id)) {
                None => ("—".into(), self.theme.dim),
                Some(Supply::Waiting) => ("…".into(), self.theme.dim),
                Some(Supply::Failed(_)) if column > 2 => ("".into(), plain),
                Some(Supply::Failed(_)) => ("unknown".into(), self.theme.warning),
                Some(Supply::Found(found, _)) => {
                    let style = if found.recruitable.machines == 0 {
                        self.theme.warning
                    } else {
                        plain
                    };
                    (self.figure(found, row, column).into(), style)
                }
            },
        }
    }
}
