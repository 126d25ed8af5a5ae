//! The summary: prices and supply of the loaded rows by group, with the price range of each group,
//! and the prices of the selected one below.

mod draw;
mod groups;
mod overview;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::searched::Searched;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::insight::{Depth, GroupOrder, Scale, ScaleKind, machine_prices, sort_groups, summarise};
use crate::domain::{Condition, Resource};
use crate::keys::{Action, Context};
use crate::table::browser::Browser;

use self::groups::{Grouping, Line};
use crate::core::views::searched;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;

pub use self::draw::panel;
pub use self::overview::Overview;

/// The last choice, stored per resource while the view is closed.
#[derive(Debug, Clone, Copy, Default)]
struct Choice {
    offers: usize,
    volumes: usize,
    order: GroupOrder,
}

/// The view of the groups of a pane's rows.
#[derive(Debug)]
pub struct Market {
    resource: Resource,
    grouping: usize,
    order: GroupOrder,
    lines: Vec<Line>,
    cursor: usize,
    /// The common scale of the prices; `None` if no row has a price.
    scale: Option<Scale>,
    /// The lowest price on each machine of the selected group.
    prices: Vec<f64>,
    /// The supply of the selected group by price.
    depth: Depth,
    /// Whether prices are the bills of a job.
    has_job: bool,
    /// Whether they are bills for work, so that they are not per GPU.
    is_work: bool,
    find: Find,
}

impl Market {
    /// The view of the market by group, with the last grouping and order; initially GPU models or (of
    /// volumes) countries, the largest first. `None` if the pane has no table.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let choice = state.drafts.get::<Choice>().copied().unwrap_or_default();
        let mut market = Self {
            resource: browser.resource(),
            grouping: match browser.resource() {
                Resource::Volumes => choice.volumes,
                Resource::Offers | Resource::Workergroups => choice.offers,
            },
            order: choice.order,
            lines: Vec::new(),
            cursor: 0,
            scale: None,
            prices: Vec::new(),
            depth: Depth::default(),
            has_job: false,
            is_work: false,
            find: Find::default(),
        };
        market.rebuild(browser);
        Some(market)
    }

    /// The groupings of the view's resource.
    const fn groupings(&self) -> &'static [Grouping] {
        groups::groupings(self.resource)
    }

    /// Recomputes the groups from the table's rows; the same group stays selected, or else the first is.
    fn rebuild(&mut self, browser: &Browser) {
        let Some(listing) = browser.listing() else {
            return;
        };
        let selected = self.selected().map(|line| line.group.key.clone());
        let fields = self.groupings()[self.grouping].fields(self.resource);
        let groups = browser.measured(listing, |measures| {
            let mut groups = summarise(listing, browser.view(), &fields, measures);
            sort_groups(&mut groups, self.order);
            groups
        });
        self.lines = groups.into_iter().map(|group| Line::new(group, &fields)).collect();
        let was_selected = |line: &Line| Some(&line.group.key) == selected.as_ref();
        self.cursor = self.lines.iter().position(was_selected).unwrap_or(0);
        let prices = self.lines.iter().filter_map(|line| line.group.unit_price);
        let ends = prices.flat_map(|price| [price.lowest, price.highest]);
        self.scale = Scale::fit(ends, Some(ScaleKind::Logarithmic));
        self.has_job = browser.computed.job.is_some();
        self.is_work = browser.pricing().is_work();
        self.select(self.cursor, browser);
    }

    /// The group under the cursor; `None` if there are no groups.
    fn selected(&self) -> Option<&Line> {
        self.lines.get(self.cursor)
    }

    /// Moves the cursor to a line, or to the last one, and computes the prices and the depth of its group.
    fn select(&mut self, line: usize, browser: &Browser) {
        self.cursor = line.min(self.lines.len().saturating_sub(1));
        let group = self.selected().map(|line| &line.group);
        (self.prices, self.depth) = match (group, browser.listing()) {
            (Some(group), Some(listing)) => browser.measured(listing, |measures| {
                let prices = machine_prices(listing, &group.rows, measures);
                (prices, Depth::new(listing, &group.rows, measures))
            }),
            _ => Default::default(),
        };
    }

    /// Groups by the grouping `by` places further, wrapping around, selects its first group, and remembers
    /// the grouping for the next time.
    fn regroup(&mut self, by: usize, cx: &mut Cx<'_>) {
        self.grouping = (self.grouping + by) % self.groupings().len();
        self.lines.clear();
        self.remember(cx);
        self.rows_changed(cx.state());
    }

    /// Stores the grouping and the order, for the next time that the view is opened.
    fn remember(&self, cx: &mut Cx<'_>) {
        let mut choice = cx.drafts().take::<Choice>().unwrap_or_default();
        match self.resource {
            Resource::Volumes => choice.volumes = self.grouping,
            Resource::Offers | Resource::Workergroups => choice.offers = self.grouping,
        }
        choice.order = self.order;
        cx.drafts().put(choice);
    }

    /// Closes all views and narrows the search to the selected group; nothing happens without one.
    fn narrow(&self, cx: &mut Cx<'_>) {
        if let Some(line) = self.selected() {
            let fields = self.groupings()[self.grouping].fields(self.resource);
            let conditions = line.group.conditions(&fields);
            cx.close_all();
            narrow(conditions, cx);
        }
    }
}

/// Replaces the pane's conditions on the same fields by these, and runs the query; nothing happens if the
/// pane has no table.
pub fn narrow(conditions: Vec<Condition>, cx: &mut Cx<'_>) {
    if let Some(browser) = cx.pane_table() {
        browser.narrow_to(conditions);
        cx.perform_on_pane(Action::Refresh);
    }
}

impl Searched for Market {
    fn find(&mut self) -> &mut Find {
        &mut self.find
    }

    fn texts(&self, _: &State) -> Vec<String> {
        self.lines.iter().map(|line| line.label.clone()).collect()
    }

    fn line(&self, _: &State) -> usize {
        self.cursor
    }

    fn go_to_line(&mut self, line: usize, cx: &mut Cx<'_>) {
        if let Some(browser) = cx.state().browser() {
            self.select(line, browser);
        }
    }
}

impl View for Market {
    fn contexts(&self) -> &'static [Context] {
        use Context::{Always, Chart, Global, Report, Tabs};
        let idle = &[Tabs, Chart, Report, Global, Always];
        searched::contexts(&self.find, [idle, &[Tabs, Report, Chart, Global, Always]])
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(action, Action::Mark | Action::Differences | Action::Settings))
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("filter by this"),
            Action::Right => Some("group by"),
            _ => None,
        }
    }

    fn search(&self) -> Option<&Find> {
        Some(&self.find)
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.find)
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        self.search_again(cx);
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.act_on_search(action, cx) {
            return Outcome::Handled;
        }
        if let Some(lines) = cx.motion(action) {
            if let Some(browser) = cx.state().browser() {
                self.select(self.cursor.saturating_add_signed(lines), browser);
            }
            return Outcome::Handled;
        }
        match action {
            Action::Right => self.regroup(1, cx),
            Action::Left => self.regroup(self.groupings().len() - 1, cx),
            Action::Sort => {
                self.order = self.order.next();
                self.lines.clear();
                self.remember(cx);
                self.rows_changed(cx.state());
            }
            Action::Submit => self.narrow(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN {
            return Outcome::Ignored;
        }
        if line == self.cursor {
            self.narrow(cx);
        } else if let Some(browser) = cx.state().browser() {
            self.select(line, browser);
        }
        Outcome::Handled
    }

    fn rows_changed(&mut self, state: &State) {
        if let Some(browser) = state.browser() {
            self.rebuild(browser);
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let area = searched::draw_line(&self.find, area, scene);
        draw::market(self, area, scene);
    }
}
