//! The planner of clusters: the cheapest offers that together have N GPUs, within limits. The form
//! and the plan are side by side; on a small screen Enter goes from one to the other.

mod below;
mod draw;
mod form;
mod handover;

use ratatui::layout::Rect;

use crate::app::State;
use crate::app::browser::Browser;
use crate::app::keymap::{Action, Context};
use crate::app::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::cost::Prices;
use crate::domain::insight::plan::{Bill, Need, Offers, Plan, Planning};
use crate::domain::{Condition, Operand, Operator, Resource, Value, language};
use crate::views::copy::CopyMenu;
use crate::views::export::ExportForm;
use crate::views::{group_form, wider};
use crate::widgets::form::{Form, FormEvent};
use crate::widgets::input_widget::InputWidget;
use form::{Draft, Key};

/// The planner over the loaded offers.
#[derive(Debug)]
pub(super) struct Cluster {
    form: Form<Key>,
    /// The need in the fields, or the first invalid field.
    need: Result<Need, (Key, String)>,
    planning: Option<Planning>,
    /// The offers of the plan with their prices, machine by machine.
    picks: Vec<(u32, f64)>,
    /// Whether the keyboard is in the offers of the plan.
    is_on_offers: bool,
    cursor: usize,
}

impl Cluster {
    /// The planner with the last input.
    pub fn new(state: &State) -> Self {
        let draft = state.drafts.get::<Draft>().cloned().unwrap_or_default();
        let offers = &state.browsers[Resource::Offers];
        let mut view = Self {
            form: draft.form(offers.dialect()),
            need: Err((Key::Amount, String::new())),
            planning: None,
            picks: Vec::new(),
            is_on_offers: false,
            cursor: 0,
        };
        view.recompute(offers);
        view
    }

    /// The planner for this many GPUs, of one model or of any.
    pub fn with_gpus(state: &State, gpus: u64, model: Option<&str>) -> Self {
        let mut view = Self::new(state);
        let condition = model.and_then(|model| {
            let field = Resource::Offers.catalog().by_key("gpu_name")?;
            let model = Operand::One(Value::Text(model.to_owned()));
            Some(Condition::new(field, Operator::Eq, model))
        });
        view.form.choose(Key::Measure, 0);
        view.form.choose(Key::Models, usize::from(model.is_none()));
        view.form.set_text(Key::Amount, &gpus.to_string());
        let only = language::print(condition.as_slice());
        view.form.set_text(Key::Only, &only);
        view.recompute(&state.browsers[Resource::Offers]);
        view
    }

    fn recompute(&mut self, browser: &Browser) {
        self.need = form::need(&self.form, browser.dialect());
        self.planning = None;
        self.picks.clear();
        let pricing = browser.pricing();
        if let Ok(need) = &self.need {
            if let Some(why) = job_problem(browser, need) {
                self.need = Err((Key::Deadline, why));
            } else if let Some(listing) = browser.listing() {
                let prices = Prices::new(listing, pricing.model);
                let is_choice = |row| !browser.computed.is_unfit(row);
                let offers = Offers::new(&prices, pricing, browser.view(), is_choice);
                let planning = offers.plan(need);
                let rows = planning.plan.iter().flat_map(Plan::rows);
                self.picks = rows
                    .filter_map(|row| Some((row, offers.price(row)?)))
                    .collect();
                self.planning = Some(planning);
            }
        }
        self.is_on_offers &= !self.picks.is_empty();
        self.cursor = self.cursor.min(self.picks.len().saturating_sub(1));
    }

    fn changed(&mut self, cx: &Cx<'_>) {
        self.recompute(&cx.state.browsers[Resource::Offers]);
    }

    fn rows(&self) -> Vec<u32> {
        self.picks.iter().map(|(row, _)| *row).collect()
    }

    fn press(&mut self, key: Key, cx: &mut Cx<'_>) {
        if !self.form.validate() {
            return;
        }
        if self.picks.is_empty() && wider::is_possible(cx.state) {
            wider::load(cx);
        } else if self.picks.is_empty() {
            cx.complain("No plan to show: relax a limit first");
        } else if key == Key::Workergroup {
            self.new_workergroup(cx);
        } else {
            self.is_on_offers = true;
        }
    }

    fn new_workergroup(&self, cx: &mut Cx<'_>) {
        let offers = &cx.state.browsers[Resource::Offers];
        if let Some(listing) = offers.listing() {
            let mut query = offers.shown_query().unwrap_or(&offers.query).clone();
            let rows = self.rows();
            query.conditions = handover::conditions(listing, &rows, &query, offers.dialect());
            let memory = handover::least_memory(listing, &rows);
            group_form::with_plan(&query, rows.len(), memory, cx);
        }
    }

    fn on_form(&mut self, event: FormEvent<Key>, cx: &mut Cx<'_>) -> Outcome {
        match event {
            FormEvent::Ignored => return Outcome::Ignored,
            FormEvent::Moved => {}
            FormEvent::Changed(_) => self.changed(cx),
            FormEvent::Submitted(key) => self.press(key, cx),
        }
        Outcome::Handled
    }

    fn in_offers(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            let last = self.picks.len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(lines).min(last);
            return Outcome::Handled;
        }
        match action {
            Action::Submit | Action::Open => {
                let pick = self.picks.get(self.cursor);
                if let (Some((row, _)), Some(browser)) = (pick, cx.state.browser_mut()) {
                    browser.select_row(*row);
                    cx.perform_on_pane(Action::Open);
                }
            }
            Action::New => self.new_workergroup(cx),
            Action::Copy => {
                let items = handover::items(self, cx.state);
                cx.open(CopyMenu::new(items));
            }
            Action::Export => {
                let form = ExportForm::of_plan(cx.state, &self.rows(), cx.now);
                cx.open(form);
            }
            Action::Settings => wider::load(cx),
            Action::Refresh => cx.perform_on_pane(action),
            Action::Back => self.is_on_offers = false,
            Action::Quit => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }
}

/// What bills are in a pane.
fn bill(browser: &Browser) -> Bill {
    match browser.pricing().job {
        Some(_) => Bill::Job,
        None => Bill::Hourly,
    }
}

/// Why the job of the pane cannot be planned, if it cannot.
fn job_problem(browser: &Browser, need: &Need) -> Option<String> {
    match browser.pricing().job {
        // Each offer would be billed for all of the work.
        Some(job) if job.work_dlperf_hours.is_some() => {
            Some("Give the job a run time: work in DLPerf-hours can't be split".to_owned())
        }
        None if need.deadline.is_some() => Some("Price the offers for a job first".to_owned()),
        Some(_) | None => None,
    }
}

impl View for Cluster {
    fn contexts(&self) -> &'static [Context] {
        if self.is_on_offers {
            &[Context::Items, Context::Global, Context::Always]
        } else {
            self.form.contexts()
        }
    }

    fn widget(&mut self, _: &Cx<'_>) -> Option<&mut dyn InputWidget> {
        (!self.is_on_offers).then_some(&mut self.form as &mut dyn InputWidget)
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        self.changed(cx);
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        match action {
            Action::Remove => Availability::Hidden,
            Action::Settings => wider::availability(state),
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        let focused = self.form.focused();
        match action {
            Action::Submit if self.is_on_offers => Some("details"),
            Action::Submit if focused == Some(Key::Workergroup) => Some("new workergroup"),
            Action::Submit => Some("to the offers"),
            Action::New => Some("new workergroup"),
            Action::Settings => Some("load more"),
            Action::Refresh => Some("refresh"),
            Action::Job => Some("job"),
            Action::Back if self.is_on_offers => Some("to the form"),
            Action::Back => Some("close"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.is_on_offers {
            return self.in_offers(action, cx);
        }
        match action {
            Action::Back => cx.close(),
            Action::Refresh => cx.perform_on_pane(action),
            Action::Reset => {
                let dialect = cx.state.browsers[Resource::Offers].dialect();
                self.form = Draft::default().form(dialect);
                self.changed(cx);
            }
            action => {
                let event = self.form.update(action);
                return self.on_form(event, cx);
            }
        }
        Outcome::Handled
    }

    fn click(&mut self, region: Region, place: usize, cx: &mut Cx<'_>) -> Outcome {
        let is_offer = match region {
            Region::MAIN => self.is_on_offers,
            region => region == draw::OFFERS,
        };
        if !is_offer {
            self.is_on_offers = false;
            let event = self.form.click(place);
            return self.on_form(event, cx);
        }
        if self.is_on_offers && place == self.cursor {
            return self.in_offers(Action::Submit, cx);
        }
        self.is_on_offers = true;
        self.cursor = place;
        Outcome::Handled
    }

    fn rows_changed(&mut self, state: &State) {
        self.recompute(&state.browsers[Resource::Offers]);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.state.drafts.put(Draft::of(&self.form));
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::cluster(self, area, scene);
    }
}
