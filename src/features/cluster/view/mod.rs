//! The planner of clusters: the cheapest offers that together have N GPUs, within limits.

mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::copy_item::CopyItem;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene};
use crate::core::views::form_view::{FormView, has_form};
use crate::domain::cost::{Gap, Prices};
use crate::domain::format::{counted, trimmed};
use crate::domain::insight::Bill;
use crate::domain::insight::plan::{Need, Offers, Plan, Planning, Same};
use crate::domain::language::{LanguageError, Mode};
use crate::domain::objection::Objection;
use crate::domain::quantity::{Quantity, QuantityError};
use crate::domain::{Condition, Dialect, Operand, Operator, Resource, RowId, Value, language, plain, quantity};
use crate::features::copy_export::copy::copy_item;
use crate::features::copy_export::handoff;
use crate::keys::{Action, Context};
use crate::table::browser::Browser;
use crate::tui::form;
use crate::tui::form::Form;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClusterField {
    Gpus,
    Vram,
    Least,
    Most,
    PerMachine,
    Same,
    Models,
    Only,
    Deadline,
    Budget,
    Mark,
    Copy,
}

const MODELS: [&str; 2] = ["all the same", "may differ"];

/// The text fields with their labels and notes; the choices follow the first five.
const TEXTS: [(ClusterField, &str, &str); 8] = [
    (ClusterField::Gpus, "GPUs", "at least"),
    (ClusterField::Vram, "Memory per GPU", "as sold: 24GB, 80GB"),
    (ClusterField::Least, "Min machines", ""),
    (ClusterField::Most, "Max machines", ""),
    (ClusterField::PerMachine, "GPUs per machine", "at least"),
    (ClusterField::Only, "Only offers", "EU, inet_up>=500"),
    (ClusterField::Deadline, "Done within", "of the job: 24h, 3d"),
    (ClusterField::Budget, "Budget", "at most"),
];

/// A field that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum FieldError {
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    #[error(transparent)]
    Conditions(#[from] LanguageError),
    /// The words set a price model or a sort order, which are no conditions.
    #[error("Only conditions, such as EU or inet_up>=500")]
    NoConditions,
    /// The values contradict each other.
    #[error("{}", .0.message)]
    Need(Objection),
    /// A deadline is set, but no job.
    #[error("Price the offers for a job first")]
    NoJob,
}

/// Parses the number in a field of the cluster planner: a count, GB, hours or dollars. `None` if it is blank,
/// so that there is no limit, and for fields without a number. `Err` for an invalid number, one out of range,
/// and a blank number of GPUs.
fn read(key: ClusterField, text: &str) -> Result<Option<f64>, FieldError> {
    let (quantity, range) = match key {
        ClusterField::Gpus | ClusterField::Least | ClusterField::Most | ClusterField::PerMachine => {
            (Quantity::Count, 1.0..=1e6)
        }
        ClusterField::Vram => (Quantity::Gigabytes, 1.0..=10_000.0),
        ClusterField::Deadline => (Quantity::Hours, 0.01..=1e6),
        ClusterField::Budget => (Quantity::Dollars, 0.01..=1e9),
        ClusterField::Only | ClusterField::Same | ClusterField::Models | ClusterField::Mark | ClusterField::Copy => {
            return Ok(None);
        }
    };
    if text.trim().is_empty() && key != ClusterField::Gpus {
        return Ok(None);
    }
    Ok(Some(quantity::within(text, quantity, range)?))
}

/// The form of the cluster planner without limits, for the number of GPUs that the search asks for, else for
/// one with work to be done, which any number does, and for eight without.
fn blank_form(offers: &Browser) -> Form<ClusterField> {
    let dialect = offers.dialect();
    let gpus = offers
        .gpus_asked()
        .unwrap_or(if offers.computed.job.is_some_and(|job| job.work.is_some()) {
            1.0
        } else {
            8.0
        });
    let gpus = trimmed(gpus, 0);
    let texts = TEXTS.into_iter().map(|(key, label, note)| {
        let text = if key == ClusterField::Gpus { gpus.as_str() } else { "" };
        let field = form::Field::text(key, label, text).note(note);
        field.check(move |text| match key {
            ClusterField::Only => parse_conditions(text, dialect).map(drop),
            _ => read(key, text).map(drop),
        })
    });
    let mut fields: Vec<_> = texts.collect();
    let same = ["anywhere"].into_iter().chain(Same::ALL.map(Same::name));
    fields.insert(5, form::Field::choice(ClusterField::Same, "Same", same, 0));
    fields.insert(6, form::Field::choice(ClusterField::Models, "GPU models", MODELS, 0));
    fields.push(form::Field::button(ClusterField::Mark, "Mark offers"));
    fields.push(form::Field::button(ClusterField::Copy, "Copy commands"));
    Form::new(fields).submits(ClusterField::Mark)
}

/// The occasion on which the planner was opened.
#[derive(Debug, Default)]
struct Origin {
    /// Why it was opened in place of a single offer; shown above the plan.
    reason: Option<String>,
    /// Whether the number of GPUs was taken from the search, which gets it back when the planner is left without a
    /// plan.
    widens_search: bool,
    /// Whether a sentence gave the limits.
    is_sentence: bool,
}

/// The view of the planner over the loaded offers.
#[derive(Debug)]
pub(crate) struct Cluster {
    form: Form<ClusterField>,
    /// The need in the fields, or the first invalid field.
    need: Result<Need, (ClusterField, FieldError)>,
    planning: Option<Planning>,
    /// The offers of the plan with their prices, grouped by machine.
    picks: Vec<(u32, f64)>,
    /// The ids of these offers.
    ids: Vec<RowId>,
    /// The number of offers whose rate for the work of the job is unknown.
    unrated: usize,
    origin: Origin,
    /// Whether a response has replaced the plan since the last key: it is marked or copied by the second key only, as
    /// the first may have meant the plan before.
    is_replaced: bool,
    /// The first visible line of the plan, from 0.
    top: usize,
}

/// Opens the cluster planner over the loaded offers; the result is always true.
///
/// If the search asks for a number of GPUs, that condition moves from the search to the planner, and the
/// search is sent: several offers may have them together. Leaving without a plan brings it back, unless no
/// single offer had met it. If no single offer does the job in time, the plan divides it.
pub(crate) fn open(cx: &mut Cx<'_>) -> bool {
    let offers = cx.table(Resource::Offers);
    if let Some(reason) = offers.describe_split() {
        let origin = Origin {
            reason: Some(format!("{reason}: this plan divides the work")),
            ..Origin::default()
        };
        return open_with(cx, origin, |form| form.set_text(ClusterField::Gpus, "1"));
    }
    let Some(gpus) = offers.gpus_asked() else {
        return open_with(cx, Origin::default(), |_| {});
    };
    let is_beyond_offers = gpus > 1.0 && offers.listing().is_some() && offers.view().is_empty();
    let mut conditions = offers.query.conditions.clone();
    conditions.retain(|condition| condition.field.key != "num_gpus");
    offers.jump_to(conditions);
    cx.ask_plenty();
    let gpus = trimmed(gpus, 0);
    let reason = is_beyond_offers.then(|| format!("No offer found has {gpus} GPUs: this plan combines several"));
    let origin = Origin {
        reason,
        widens_search: !is_beyond_offers,
        ..Origin::default()
    };
    open_with(cx, origin, |form| form.set_text(ClusterField::Gpus, &gpus))
}

/// Opens the cluster planner for `gpus` GPUs of one model, or of any models if it is `None`; the other fields
/// are as they were last.
pub(crate) fn open_for(gpus: u64, model: Option<&str>, cx: &mut Cx<'_>) {
    open_with(cx, Origin::default(), |form| {
        let condition = model.and_then(|model| {
            let field = Resource::Offers.catalog().by_key("gpu_name")?;
            let model = Operand::One(Value::Text(model.to_owned()));
            Some(Condition::new(field, Operator::Eq, model))
        });
        form.choose(ClusterField::Models, usize::from(model.is_none()));
        form.set_text(ClusterField::Gpus, &gpus.to_string());
        form.set_text(ClusterField::Only, &language::print(condition.as_slice()));
    });
}

/// Opens the cluster planner for a cluster, without conditions on offers; the other fields are as they were
/// last.
pub(crate) fn open_shape(wanted: plain::Cluster, cx: &mut Cx<'_>) {
    let origin = Origin {
        is_sentence: true,
        ..Origin::default()
    };
    open_with(cx, origin, |form| {
        for (key, number) in [
            (ClusterField::Gpus, Some(wanted.gpus)),
            (ClusterField::PerMachine, wanted.per_machine),
            (ClusterField::Least, wanted.least_machines),
            (ClusterField::Most, wanted.most_machines),
        ] {
            form.set_text(key, &number.map_or_else(String::new, |number| number.to_string()));
        }
        let same = wanted
            .same
            .and_then(|same| Same::ALL.iter().position(|known| *known == same));
        form.choose(ClusterField::Same, same.map_or(0, |index| index + 1));
        form.set_text(ClusterField::Only, "");
    });
}

/// Opens the cluster planner with its last fields, or else blank ones, changed by `fill`, and searches for
/// more offers if the response was cut off. The result is always true.
fn open_with(cx: &mut Cx<'_>, origin: Origin, fill: impl FnOnce(&mut Form<ClusterField>)) -> bool {
    let draft = cx.drafts().take::<Form<ClusterField>>();
    let offers = &cx.state().browsers[Resource::Offers];
    let mut view = Cluster {
        form: draft.unwrap_or_else(|| blank_form(offers)),
        need: Err((ClusterField::Gpus, QuantityError::Missing.into())),
        planning: None,
        picks: Vec::new(),
        ids: Vec::new(),
        unrated: 0,
        origin,
        is_replaced: false,
        top: 0,
    };
    fill(&mut view.form);
    view.form.focus_on(ClusterField::Gpus);
    view.recompute(offers);
    cx.open(view);
    cx.load_more_offers();
    true
}

impl Cluster {
    /// Recomputes the need, the plan and its offers from the fields and the table's rows; there is no plan
    /// while a field is invalid or no offers are loaded.
    fn recompute(&mut self, browser: &Browser) {
        self.need = self.read(browser);
        self.planning = None;
        self.picks.clear();
        self.ids.clear();
        self.is_replaced = false;
        self.top = 0;
        let (Ok(need), Some(listing)) = (&self.need, browser.listing()) else {
            return;
        };
        let pricing = browser.pricing();
        let prices = Prices::new(listing, pricing.model);
        let rows = browser.view().iter().map(|row| *row as usize);
        let hours = rows.filter_map(|row| Some(prices.job_hours(row, &pricing.job?)));
        self.unrated = hours.filter(|hours| matches!(hours, Err(Gap::NoRate(..)))).count();
        let is_choice = |row| !browser.computed.is_unfit(row);
        let planning = Offers::new(&prices, pricing, browser.view(), is_choice).plan(need);
        let lots = planning.plan.iter().flat_map(Plan::lots);
        self.picks = lots.map(|lot| (lot.row, lot.price)).collect();
        let ids = self.picks.iter().filter_map(|(row, _)| listing.id(*row as usize));
        self.ids = ids.collect();
        self.planning = Some(planning);
    }

    /// The need in the fields, or the first invalid field, also one that contradicts others; a deadline is
    /// invalid if there is no job.
    fn read(&self, browser: &Browser) -> Result<Need, (ClusterField, FieldError)> {
        let text = |key: ClusterField| self.form.text(key);
        let number = |key: ClusterField| read(key, text(key)).map_err(|why| (key, why));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
        let count = |key: ClusterField| number(key).map(|number| number.map(|number| number as u32));
        let need = Need {
            gpus: count(ClusterField::Gpus)?.unwrap_or(1),
            least_machines: count(ClusterField::Least)?,
            most_machines: count(ClusterField::Most)?,
            per_machine: count(ClusterField::PerMachine)?,
            same: self
                .form
                .chosen(ClusterField::Same)
                .checked_sub(1)
                .map(|choice| Same::ALL[choice]),
            one_model: self.form.chosen(ClusterField::Models) == 0,
            vram_gb: number(ClusterField::Vram)?,
            deadline: number(ClusterField::Deadline)?,
            budget: number(ClusterField::Budget)?,
            conditions: parse_conditions(text(ClusterField::Only), browser.dialect())
                .map_err(|why| (ClusterField::Only, why))?,
        };
        need.check().map_err(|objection| {
            let key = match objection.parameter {
                "machines" => ClusterField::Most,
                "min-machines" => ClusterField::Least,
                _ => ClusterField::Gpus,
            };
            (key, FieldError::Need(objection))
        })?;
        match browser.pricing().job {
            None if need.deadline.is_some() => Err((ClusterField::Deadline, FieldError::NoJob)),
            Some(_) | None => Ok(need),
        }
    }

    /// Marks the offers of the plan and no others in the pane, so that they can be compared, copied and
    /// exported; selects the first and closes the planner. Only for a plan with offers: without any, all
    /// marks would go.
    fn mark(&self, cx: &mut Cx<'_>) {
        let offers = cx.table(Resource::Offers);
        offers.marks = self.ids.iter().copied().collect();
        if let Some((first, _)) = self.picks.first() {
            offers.select_row(*first);
        }
        let mut text = format!("{} marked", counted(self.ids.len(), "offer", "offers"));
        if self.origin.widens_search {
            text.push_str("; the search is for any number of GPUs now");
        }
        cx.toast(text);
        cx.close();
    }

    /// Copies the commands that rent the offers of the plan, a line each, or shows the reason why not, such
    /// as an unknown bid floor. Only for a plan with offers.
    fn copy(&self, cx: &mut Cx<'_>) {
        let (state, offers) = (cx.state(), &cx.state().browsers[Resource::Offers]);
        let Some(listing) = offers.listing() else {
            return;
        };
        let ids = self.ids.iter();
        let commands = ids.map(|id| handoff::rent_command(&offers.query, listing, *id, &state.profile));
        let label = handoff::rent_label(offers.query.offer_type, &state.profile);
        let what = format!("{} × {label}", self.picks.len());
        let text = commands.collect::<Result<Vec<_>, _>>().map(|lines| lines.join("\n"));
        copy_item(&CopyItem::new('y', "copy-plan", what, text), cx);
    }
}

impl FormView for Cluster {
    has_form!(ClusterField);

    fn contexts(&self) -> &'static [Context] {
        use Context::{Always, Choice, Form, Planner, Result};
        match self.form.focused() {
            // The only text with letters.
            Some(ClusterField::Only) => &[Result, Form, Always],
            _ if self.form.is_on_choice() => &[Result, Planner, Choice, Form, Always],
            _ => &[Result, Planner, Form, Always],
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::Copy if self.picks.is_empty() => Availability::Disabled("No plan to copy".to_owned()),
            _ => Availability::Available,
        }
    }

    fn submitted(&mut self, key: ClusterField, cx: &mut Cx<'_>) {
        if !self.form.validate() {
            return;
        }
        if let Err((key, why)) = &self.need {
            self.form.set_error(*key, Some(why.to_string()));
            self.form.focus_on(*key);
        } else if self.picks.is_empty() {
            cx.complain("No plan: relax a limit first");
        } else if std::mem::take(&mut self.is_replaced) {
            let bill = bill(&cx.state().browsers[Resource::Offers]);
            let plan = self.planning.as_ref().and_then(|planning| planning.plan.as_ref());
            let total = plan.map_or_else(String::new, |plan| format!(": {}", bill.total(plan.bill)));
            cx.complain(format!(
                "Another plan since a new response{total}. Press again to take it"
            ));
        } else if key == ClusterField::Copy {
            self.copy(cx);
        } else {
            self.mark(cx);
        }
    }

    fn changed(&mut self, _: ClusterField, cx: &mut Cx<'_>) {
        self.recompute(&cx.state().browsers[Resource::Offers]);
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Move(motion) => {
                let plan = cx.viewport(Region::PREVIEW);
                let Some(by) = motion.lines(plan.page) else {
                    return Outcome::Ignored;
                };
                self.top = plan.top.saturating_add_signed(by).min(plan.last_top());
            }
            Action::Back => {
                if self.origin.widens_search && cx.table(Resource::Offers).jump_back() {
                    cx.ask(Resource::Offers);
                }
                cx.close();
            }
            Action::Refresh => cx.perform_on_pane(action),
            Action::Copy => self.submitted(ClusterField::Copy, cx),
            Action::Reset => {
                let offers = &cx.state().browsers[Resource::Offers];
                self.form = blank_form(offers);
                self.recompute(offers);
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit if self.form.focused() == Some(ClusterField::Copy) => Some("copy rent commands"),
            Action::Submit => Some("mark the offers"),
            Action::Reset => Some("reset"),
            _ => None,
        }
    }

    fn rows_changed(&mut self, state: &State) {
        let before = std::mem::take(&mut self.ids);
        self.recompute(&state.browsers[Resource::Offers]);
        self.is_replaced = !before.is_empty() && before != self.ids;
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        // The limits of a sentence are those of its search.
        if self.origin.is_sentence {
            return;
        }
        let form = std::mem::replace(&mut self.form, Form::new(Vec::new()));
        cx.drafts().put(form);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::cluster(self, area, scene);
    }
}

/// The kind of bill for a cluster plan: of the job if the offers are priced for one, else per hour.
fn bill(browser: &Browser) -> Bill {
    match browser.pricing().job {
        Some(_) => Bill::Job,
        None => Bill::Hourly,
    }
}

/// Parses conditions on offers, in plain words or the query language; `Err` if they are invalid, or if the
/// words set anything else, such as an order.
fn parse_conditions(text: &str, dialect: &'static Dialect) -> Result<Vec<Condition>, FieldError> {
    let catalog = Resource::Offers.catalog();
    let reading = plain::read(text, catalog, dialect, &plain::Names::default());
    if reading.meaning.settings != plain::Settings::default() {
        return Err(FieldError::NoConditions);
    }
    let parsed = reading.parse(catalog, dialect, &[], Mode::Strict)?;
    Ok(parsed.conditions)
}
