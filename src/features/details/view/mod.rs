//! The details of one record: overview, every field, its machine, its JSON.

mod among;
mod below;
mod draw;
mod fields;
mod host;
mod json;
mod machine;
mod overview;
mod spread;

use crate::core::message::News;
use ratatui::layout::Rect;

pub(crate) use self::below::below_card;
pub(crate) use self::json::json_of;
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::cost::ThreePrices;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::workergroup::Preflight;
use crate::domain::{Resource, RowId};
use crate::features::copy_export::copy::api_key;
use crate::features::workergroups::preflight::summary;
use crate::keys::{Action, Context, Motion};
use crate::table::remote::Ticket;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;

use self::fields::Fields;
use self::json::Json;
use self::machine::Machine;
use self::spread::Spread;

/// Seconds for which secrets are shown.
const SECRET_SHOWN: f64 = 15.0;

/// A tab of the details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Overview,
    Fields,
    Machine,
    Json,
}

impl Tab {
    /// The tabs of a resource; only offers have one of their machine.
    const fn for_resource(resource: Resource) -> &'static [Self] {
        match resource {
            Resource::Offers => &[Self::Overview, Self::Fields, Self::Machine, Self::Json],
            Resource::Volumes | Resource::Workergroups => &[Self::Overview, Self::Fields, Self::Json],
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Fields => "Fields",
            Self::Machine => "Machine",
            Self::Json => "JSON",
        }
    }
}

/// The view of the selected record.
#[derive(Debug)]
pub struct Detail {
    resource: Resource,
    tab: Tab,
    /// The id of the record to which `json` and `alternatives` belong.
    id: Option<RowId>,
    /// The first visible line of the overview, if it is longer than the screen.
    top: usize,
    fields: Fields,
    json: Json,
    alternatives: Vec<u32>,
    /// The loaded offers that a workergroup's search finds, while its supply is not checked.
    loaded: Option<Preflight>,
    /// The joined price models of the rows, as three listings have too many rows for a frame.
    price_models: ThreePrices,
    spread: Spread,
    figures: Vec<among::Figure>,
    /// The offers of the same machine and host, once requested.
    machine: Option<Machine>,
    /// The record whose secrets are shown, and the time until which they are.
    revealed: Option<(RowId, MonotonicTime)>,
}

impl Detail {
    /// The details of the selected row, with the overview open; `None` without one.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        browser.selected_row()?;
        let mut detail = Self {
            resource: browser.resource(),
            tab: Tab::Overview,
            id: None,
            top: 0,
            fields: Fields::default(),
            json: Json::default(),
            alternatives: Vec::new(),
            loaded: None,
            price_models: ThreePrices::default(),
            spread: Spread::default(),
            figures: Vec::new(),
            machine: None,
            revealed: None,
        };
        detail.rebuild(state);
        Some(detail)
    }

    /// The details opened on the machine tab, which requests the machine's offers once it is shown; `None`
    /// without a selected row.
    pub fn on_machine(state: &State) -> Option<Self> {
        let mut detail = Self::new(state)?;
        detail.tab = Tab::Machine;
        Some(detail)
    }

    /// Updates everything that is shown for the selected record; the folds in the JSON of an unchanged record
    /// stay. Another record is shown from the top, with its secrets hidden. Nothing changes without a
    /// selected row.
    fn rebuild(&mut self, state: &State) {
        let browser = &state.browsers[self.resource];
        let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
            return;
        };
        let id = listing.id(row);
        if id != self.id {
            self.top = 0;
            self.revealed = None;
        }
        self.id = id;
        self.fields.rows_changed();
        if !self.json.is_of(listing, row) {
            self.json = Json::default();
            self.lay_out_json(state);
        }
        self.alternatives = overview::alternatives(browser, listing, row);
        self.spread = Spread::new(browser, listing, row);
        self.figures = among::figures(listing, row, self.resource);
        let is_group = self.resource == Resource::Workergroups;
        self.loaded = is_group.then(|| summary::loaded_supply_of_row(state, row)).flatten();
        self.price_models = if browser.computed.price_models.is_empty() {
            ThreePrices::default()
        } else {
            browser.computed.join(listing, browser.pricing()).prices_of_row(row)
        };
        if let Some(machine) = &mut self.machine {
            machine.rebuild(browser);
        }
    }

    /// Lays out the record's JSON if its tab is open and that was not done yet, as a record may be large.
    fn lay_out_json(&mut self, state: &State) {
        let browser = &state.browsers[self.resource];
        if self.tab == Tab::Json
            && self.json.is_empty()
            && let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row())
        {
            self.json = Json::new(listing, row);
        }
    }

    /// Moves the table's cursor by `by` rows and shows the record there. For another or an unknown host, the
    /// machine tab's offers are dropped, and requested again if that tab is open.
    fn step(&mut self, by: isize, cx: &mut Cx<'_>) {
        cx.table(self.resource).step(by);
        self.rebuild(cx.state());
        let browser = &cx.state().browsers[self.resource];
        let is_same = self
            .machine
            .as_ref()
            .is_some_and(|machine| machine.is_same_host(browser));
        if self.machine.is_some() && !is_same {
            self.forget_machine(cx);
            self.show(self.tab, cx);
        }
    }

    /// Opens a tab; that of the machine requests its offers if there are none yet, that of the JSON lays it
    /// out.
    fn show(&mut self, tab: Tab, cx: &mut Cx<'_>) {
        self.tab = tab;
        self.lay_out_json(cx.state());
        if tab == Tab::Machine && self.machine.is_none() {
            self.machine = Some(Machine::new(cx));
        }
    }

    /// Drops the offers of the machine, and cancels the request for them.
    fn forget_machine(&mut self, cx: &mut Cx<'_>) {
        cx.abort(self.machine.take().and_then(|mut machine| machine.remote.cancel()));
    }

    /// Opens the tab `by` places further, wrapping around.
    fn turn(&mut self, by: usize, cx: &mut Cx<'_>) {
        let tabs = Tab::for_resource(self.resource);
        let here = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        self.show(tabs[(here + by) % tabs.len()], cx);
    }

    /// Whether the secrets of this record are shown at present.
    fn reveals(&self, now: Now) -> bool {
        self.revealed
            .is_some_and(|(id, until)| self.id == Some(id) && now.mono < until)
    }

    /// Whether a search is being typed in the open tab.
    fn is_typing(&self) -> bool {
        self.search().is_some_and(Find::is_typing)
    }

    /// Whether the open tab marks the matches of a search.
    fn has_search(&self) -> bool {
        self.search().is_some_and(Find::is_active)
    }

    /// Performs an action in the open tab; false if it has no meaning there.
    fn in_tab(&mut self, action: Action, cx: &mut Cx<'_>) -> bool {
        let viewport = cx.viewport(Region::MAIN);
        match self.tab {
            Tab::Overview => {
                let Some(by) = action.motion(viewport.page) else {
                    return false;
                };
                self.top = self.top.saturating_add_signed(by).min(viewport.last_top());
                true
            }
            Tab::Fields => self.fields.update(action, viewport.page, cx.state(), cx.now),
            Tab::Machine => {
                let step = action.motion(viewport.page);
                match (&mut self.machine, step) {
                    (Some(machine), Some(by)) => machine.step(by),
                    _ => return false,
                }
                true
            }
            Tab::Json => {
                let folds = matches!(action, Action::Submit | Action::Mark);
                if folds {
                    self.json.toggle();
                }
                folds
            }
        }
    }

    /// Shows the overview of the offer selected on the machine tab. If it is not in the table, closes all
    /// views and searches every offer of the host; nothing happens if the host is unknown.
    fn open_related(&mut self, cx: &mut Cx<'_>) {
        let Some(machine) = &self.machine else { return };
        let Some(id) = machine.current() else { return };
        let browser = cx.table(self.resource);
        let row = browser.listing().and_then(|listing| listing.row(id));
        if row.is_some_and(|row| browser.view().iter().any(|shown| *shown as usize == row)) {
            browser.select_id(id);
            self.tab = Tab::Overview;
            self.rebuild(cx.state());
        } else if let Some(host) = machine.host() {
            browser.jump_to(vec![host]);
            browser.select_id(id);
            cx.close_all();
            cx.perform_on_pane(Action::Refresh);
        }
    }

    /// Opens the tab of fields and shows the API key of a workergroup there for 15 seconds, or hides it;
    /// complains if there is none.
    fn toggle_secrets(&mut self, cx: &mut Cx<'_>) {
        if self.reveals(cx.now) {
            self.revealed = None;
        } else if api_key(cx.state()).is_none() {
            cx.complain("This workergroup has no API key");
        } else {
            self.revealed = self.id.map(|id| (id, cx.now.mono + SECRET_SHOWN));
            self.show(Tab::Fields, cx);
            self.fields.focus("api_key", cx.state(), cx.now);
        }
    }

    /// Marks the record in its table, or removes the mark.
    fn mark(&self, cx: &mut Cx<'_>) {
        let browser = cx.table(self.resource);
        if let Some(id) = self.id
            && !browser.marks.remove(&id)
        {
            browser.marks.insert(id);
        }
    }
}

impl View for Detail {
    fn contexts(&self) -> &'static [Context] {
        use Context::{Always, Global, Query, Report, Table, Tabs, Workergroups};
        // The keys of a record are those of its row; n is the next match only during a search.
        match self.resource {
            _ if self.is_typing() => &[Query, Always],
            Resource::Workergroups if self.has_search() => &[Tabs, Report, Workergroups, Table, Global, Always],
            Resource::Workergroups => &[Tabs, Workergroups, Report, Table, Global, Always],
            Resource::Offers | Resource::Volumes => &[Tabs, Report, Table, Global, Always],
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.in_tab(action, cx) {
            return Outcome::Handled;
        }
        match action {
            Action::Left => self.step(-1, cx),
            Action::Right => self.step(1, cx),
            Action::NextTab => self.turn(1, cx),
            Action::PreviousTab => self.turn(Tab::for_resource(self.resource).len() - 1, cx),
            Action::Related => self.show(Tab::Machine, cx),
            // The overview has no searchable lines: its facts are found among the fields.
            Action::Query | Action::Newer | Action::Older => {
                self.show(Tab::Fields, cx);
                self.fields.update(Action::Query, 1, cx.state(), cx.now);
            }
            Action::Submit if self.tab == Tab::Machine => self.open_related(cx),
            Action::Submit | Action::Back => cx.close(),
            Action::Refresh => match &mut self.machine {
                Some(machine) if self.tab == Tab::Machine => machine.ask(cx),
                _ => cx.perform_on_pane(Action::Refresh),
            },
            Action::Secrets => self.toggle_secrets(cx),
            Action::Mark => self.mark(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        let is_of_table = matches!(
            action,
            Action::Sort
                | Action::Filter
                | Action::Columns
                | Action::Settings
                | Action::Shift(_)
                | Action::Reverse
                | Action::Watch
                | Action::WatchSettings
                | Action::OfferType
                | Action::Reset
                | Action::SaveSearch
                | Action::GroupFromSearch
                | Action::Open
                | Action::Unmark
                | Action::MarkedOnly
                | Action::Move(Motion::FirstColumn | Motion::LastColumn)
                | Action::FoldPreview
                | Action::Widen(_)
        );
        let is_elsewhere = match action {
            Action::Related | Action::Host => self.resource != Resource::Offers,
            Action::Toggle => self.tab != Tab::Json,
            Action::Newer | Action::Older => self.search().is_none(),
            Action::Left | Action::Right => state.browsers[self.resource].view().len() < 2,
            _ => is_of_table,
        };
        Availability::hidden_if(is_elsewhere)
    }

    fn search(&self) -> Option<&Find> {
        match self.tab {
            Tab::Fields => Some(&self.fields.find),
            Tab::Json => Some(self.json.report.find()),
            Tab::Overview | Tab::Machine => None,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.tab) {
            (Action::Job, _) if self.resource == Resource::Volumes => Some("term"),
            (Action::Submit, Tab::Machine) => Some("show offer"),
            (Action::Submit, Tab::Json) => Some("fold"),
            (Action::Submit, _) => Some("back"),
            (Action::Mark, Tab::Json) => Some("fold"),
            _ => None,
        }
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        match self.tab {
            Tab::Fields => Some(&mut self.fields.find),
            Tab::Json => Some(&mut self.json.report),
            Tab::Overview | Tab::Machine => None,
        }
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        if self.tab == Tab::Fields {
            self.fields.search(cx.state(), cx.now);
        }
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        match (region, self.tab) {
            (Region::TABS, _) => {
                if let Some(tab) = Tab::for_resource(self.resource).get(line) {
                    self.show(*tab, cx);
                }
            }
            (_, Tab::Fields) => self.fields.select(line),
            (_, Tab::Machine) => {
                if let Some(machine) = &mut self.machine
                    && machine.select(line)
                {
                    self.open_related(cx);
                }
            }
            (_, Tab::Overview | Tab::Json) => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn on_news(&mut self, ticket: Ticket, news: News, cx: &mut Cx<'_>) {
        if let Some(machine) = &mut self.machine {
            machine.on_news(ticket, news, cx);
        }
    }

    fn deadline(&self, _: &State, now: Now) -> Option<MonotonicTime> {
        let loading = self.machine.as_ref().is_some_and(|machine| machine.remote.is_loading());
        let seconds = loading.then_some(now.mono + 0.25);
        let secret = self.revealed.map(|(_, until)| until);
        [seconds, secret].into_iter().flatten().min()
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        self.revealed.take_if(|(_, until)| *until <= cx.now.mono);
    }

    fn rows_changed(&mut self, state: &State) {
        self.rebuild(state);
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.rebuild(cx.state());
        self.show(self.tab, cx);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        self.forget_machine(cx);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::detail(self, area, scene);
    }
}
