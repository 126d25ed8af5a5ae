//! The form for the job that offers are priced for, with the bill on the selected offer beside it.

mod draw;

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::message::{ConfigCommand, Effect};
use crate::core::view::{Availability, Cx, Outcome, Scene};
use crate::core::views::form_view::{FormView, has_form};
use crate::domain::cost::{Input, Job, Prices};
use crate::domain::deadline::DeadlineError;
use crate::domain::format::trimmed;
use crate::domain::insight::{GroupValue, facets};
use crate::domain::local::LocalTime;
use crate::domain::quantity::{Quantity, QuantityError};
use crate::domain::text::visible;
use crate::domain::throughput::{Throughput, Work, WorkError, WorkUnit};
use crate::domain::time::Now;
use crate::domain::{Resource, deadline, quantity};
use crate::keys::Action;
use crate::table::browser::Browser;
use crate::tui::form::{Field, Form};

/// Maximum number of cheapest offers listed.
///
/// Enough to see how prices rise; the table sorts all of them by the bill.
const CHEAPEST: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobField {
    Run,
    Stopped,
    Disk,
    Download,
    Upload,
    Work,
    Rate,
    Model,
    By,
    Apply,
    Clear,
}

impl JobField {
    /// The text fields, in order.
    const TEXTS: [Self; 8] = [
        Self::Run,
        Self::Stopped,
        Self::Disk,
        Self::Download,
        Self::Upload,
        Self::Work,
        Self::Rate,
        Self::By,
    ];

    /// The label of a field or button, and the note after it, which is empty for choices and buttons.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Run => ("Run time", "24h, 3d, 2w"),
            Self::Stopped => ("Stopped time", "storage only"),
            Self::Disk => ("Disk", "50GB, 1.5TB"),
            Self::Download => ("Download", "for the job"),
            Self::Upload => ("Upload", "for the job"),
            Self::Work => ("Work", "500M tokens"),
            Self::Rate => ("Rate", NO_UNIT),
            Self::Model => ("Rate of", ""),
            Self::By => ("Done by", "friday, 18:00"),
            Self::Apply => ("Price offers", ""),
            Self::Clear => ("Clear pricing", ""),
        }
    }

    /// The label of the field or button.
    const fn label(self) -> &'static str {
        self.words().0
    }

    /// The limits of a field's number, and the quantity that its text is parsed and written as; without
    /// meaning for the model, the deadline and the buttons.
    const fn input(self) -> (Input, Quantity) {
        match self {
            Self::Run | Self::Model | Self::By | Self::Apply | Self::Clear => (Input::RunHours, Quantity::Hours),
            Self::Stopped => (Input::StoppedHours, Quantity::Hours),
            Self::Disk => (Input::DiskGb, Quantity::Gigabytes),
            Self::Download => (Input::GbIn, Quantity::Gigabytes),
            Self::Upload => (Input::GbOut, Quantity::Gigabytes),
            Self::Work | Self::Rate => (Input::Work, Quantity::Number),
        }
    }

    /// Parses the text of this field into its member of `job`. Empty work or an empty deadline clears it; a
    /// rate is only validated, and the model and buttons do nothing. `Err` if the text is invalid or out of range.
    fn read(self, text: &str, job: &mut Job, local: &LocalTime) -> Result<(), FieldError> {
        let (input, quantity) = self.input();
        let number = |text: &str| quantity::within(text, quantity, 0.0..=input.maximum());
        let is_blank = text.trim().is_empty();
        match self {
            Self::Run => job.run_hours = number(text)?,
            Self::Stopped => job.stopped_hours = number(text)?,
            Self::Disk => job.disk_gb = number(text)?,
            Self::Download => job.gb_in = number(text)?,
            Self::Upload => job.gb_out = number(text)?,
            Self::Work if is_blank => (job.work, job.work_dlperf_hours) = (None, None),
            Self::Work => {
                let lower = text.trim().to_lowercase();
                let score = lower.strip_suffix(DLPERF_HOURS).unwrap_or(&lower);
                match number(score.trim_end_matches([' ', '-'])) {
                    Ok(score) => job.work_dlperf_hours = Some(score),
                    Err(_) => job.work = Some(text.parse()?),
                }
            }
            Self::Rate if is_blank => {}
            Self::Rate => drop(rate(text)?),
            Self::By if is_blank => job.deadline = None,
            Self::By => job.deadline = Some(deadline::moment(text, local)?),
            Self::Model | Self::Apply | Self::Clear => {}
        }
        Ok(())
    }
}

/// Parses a rate in units of work per second, with or without `/s`; `Err` unless it is a number above 0.
fn rate(text: &str) -> Result<f64, FieldError> {
    let text = text.trim_end();
    let text = text.strip_suffix("/s").unwrap_or(text);
    let rate = quantity::within(text, Quantity::Number, 0.0..=Input::Work.maximum())?;
    Some(rate).filter(|rate| *rate > 0.0).ok_or(FieldError::Rate)
}

/// A field that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
enum FieldError {
    #[error("A number per second, above 0")]
    Rate,
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    #[error(transparent)]
    Work(#[from] WorkError),
    #[error(transparent)]
    Deadline(#[from] DeadlineError),
}

/// The note of the run time of a job with work, which has the length that the work takes on each offer.
const UNUSED: &str = "not used with work";

/// The note of the rate while the work is in no unit that a rate is for.
const NO_UNIT: &str = "of the work per second";

/// The error of a rate without work, or without an offer whose model it is for.
const NO_WORK: &str = "Type the work first, such as 500M tokens, with an offer selected";

/// The name of the unit of work that needs no throughput.
const DLPERF_HOURS: &str = "dlperf-hours";

/// The unit of work and the GPU model that a rate is for.
type Rated = (WorkUnit, String);

/// The input of a form that was closed without pricing.
struct Draft {
    texts: [String; 8],
    /// The GPU model of the rate, if there was one.
    model: Option<String>,
    /// The job of the search meanwhile: a draft of another one is out of date.
    job: Option<Job>,
}

/// An offer that suits the job.
#[derive(Debug, Clone, PartialEq)]
struct Candidate {
    row: usize,
    total: f64,
}

#[derive(Debug)]
pub struct JobForm {
    form: Form<JobField>,
    /// The time zone and the time at which the form was opened.
    local: LocalTime,
    has_job: bool,
    /// The rates before any was typed.
    rates: Arc<Throughput>,
    /// The unit and the model that the rate is for, if the work has one.
    rated: Option<Rated>,
    /// The changed rates of other units and models, until the form is closed.
    others: BTreeMap<Rated, String>,
    /// The GPU models of the loaded offers, as the choices of the rate's: that of the selected offer, then those
    /// with the most offers.
    models: Vec<String>,
    /// The job in the fields, or the first invalid field.
    job: Result<Job, (JobField, FieldError)>,
    /// The cheapest offers that suit the job; their total number follows.
    candidates: Vec<Candidate>,
    fitting: usize,
}

impl JobForm {
    /// The form with the last input for the job of the search, or else that job, or else a typical one with
    /// the disk of the search. The rate has the focus if the job needs one and none is configured.
    pub fn new(state: &State, now: Now) -> Self {
        let local = state.local_time(now);
        let offers = &state.browsers[Resource::Offers];
        let draft = state.drafts.get::<Draft>();
        let draft = draft.filter(|draft| draft.job == offers.computed.job);
        let model = draft.and_then(|draft| draft.model.clone());
        let texts = if let Some(draft) = draft {
            draft.texts.clone()
        } else {
            let usual = Job::default();
            let usual = Job {
                disk_gb: offers.searched_disk().unwrap_or(usual.disk_gb),
                ..usual
            };
            texts(offers.computed.job.unwrap_or(usual), &local)
        };
        let has_job = offers.computed.job.is_some();
        let fields = JobField::TEXTS.into_iter().zip(texts).map(|(key, text)| {
            let local = local.clone();
            let field = Field::text(key, key.label(), text).note(key.words().1);
            field.check(move |text| key.read(text, &mut Job::default(), &local))
        });
        let mut fields: Vec<_> = fields.collect();
        let choice = Field::choice(JobField::Model, JobField::Model.label(), [""; 0], 0);
        fields.insert(fields.len() - 1, choice);
        let mut buttons = vec![Field::button(JobField::Apply, JobField::Apply.label())];
        if has_job {
            buttons.push(Field::button(JobField::Clear, JobField::Clear.label()));
        }
        let mut view = Self {
            form: Form::new(fields.into_iter().chain(buttons).collect()).submits(JobField::Apply),
            local,
            has_job,
            rates: Arc::clone(&offers.computed.throughput),
            rated: None,
            others: BTreeMap::new(),
            models: model.into_iter().collect(),
            job: Ok(Job::default()),
            candidates: Vec::new(),
            fitting: 0,
        };
        view.rows_changed(state);
        if view.lacks_rate() {
            view.form.focus_on(JobField::Rate);
        }
        view
    }

    /// Parses all text fields into a job; `Err` has the first invalid field and the reason.
    fn read(&self) -> Result<Job, (JobField, FieldError)> {
        let mut job = Job::default();
        for key in JobField::TEXTS {
            let read = key.read(self.form.text(key), &mut job, &self.local);
            read.map_err(|why| (key, why))?;
        }
        Ok(job)
    }

    /// Sets the GPU models to choose from, in the order that they had, then new ones; the chosen one stays if it is
    /// among them, else the first is chosen.
    fn set_models(&mut self, mut models: Vec<String>) {
        let chosen = self.models.get(self.form.chosen(JobField::Model)).cloned();
        let place = |model: &String| self.models.iter().position(|own| own == model).unwrap_or(usize::MAX);
        // The sort is stable.
        models.sort_by_key(place);
        let index = models.iter().position(|model| Some(model) == chosen.as_ref());
        let names = models.iter().map(|model| visible(model, 24));
        self.form.set_options(JobField::Model, names, index.unwrap_or(0));
        self.models = models;
    }

    /// Fills the rate field for the unit of the typed work and the chosen GPU model: with the text that it had for them,
    /// else their configured rate. Without one a text stays that is no change of the last model's configured rate: it
    /// is for this model instead. Without a unit or offers only the note changes. Nothing changes while unit and model
    /// are the same as at the last call.
    fn prefill_rate(&mut self) {
        let work = self.form.text(JobField::Work).parse::<Work>();
        let model = self.models.get(self.form.chosen(JobField::Model));
        let rated = work.ok().map(|work| work.unit).zip(model.cloned());
        self.form.set_hidden(JobField::Model, rated.is_none());
        if self.rated == rated {
            return;
        }
        let known = |(unit, model): &Rated| {
            let rate = self.rates.rate(*unit, model, 1.0)?;
            Some(quantity::write(rate, Quantity::Number))
        };
        let mut text = self.form.text(JobField::Rate).to_owned();
        let before = std::mem::replace(&mut self.rated, rated);
        if let Some(before) = before.filter(|before| known(before).is_some()) {
            self.others.insert(before, std::mem::take(&mut text));
        }
        let Some(rated) = &self.rated else {
            self.form.set_note(JobField::Rate, NO_UNIT.to_owned());
            return;
        };
        let note = format!("{} of {}", rated.0.rate(), visible(&rated.1, 24));
        let own = self.others.remove(rated).or_else(|| known(rated)).unwrap_or(text);
        self.form.set_text(JobField::Rate, &own);
        self.form.set_note(JobField::Rate, note);
    }

    /// Whether the unit of the work needs a rate of the chosen GPU model and none is configured; false
    /// without such work or offers.
    fn lacks_rate(&self) -> bool {
        let rated = self.rated.as_ref();
        rated.is_some_and(|(unit, model)| self.rates.rate(*unit, model, 1.0).is_none())
    }

    /// The work units, the GPU models and the typed rates per second that are not those of the configuration; a rate is
    /// `None` if a configured one was erased. Invalid ones are left out; none without work or offers.
    fn new_rates(&self) -> Vec<(WorkUnit, String, Option<f64>)> {
        let shown = self.rated.iter().map(|rated| (rated, self.form.text(JobField::Rate)));
        let others = self.others.iter().map(|(rated, text)| (rated, text.as_str()));
        let new = shown.chain(others).filter_map(|((unit, model), text)| {
            let rate = match text.trim() {
                "" => None,
                text => Some(rate(text).ok()?),
            };
            (self.rates.rate(*unit, model, 1.0) != rate).then(|| (*unit, model.clone(), rate))
        });
        new.collect()
    }

    /// Updates the note beside the run time, which work makes superfluous.
    fn annotate_run(&mut self) {
        let is_work = !self.form.text(JobField::Work).is_empty();
        let note = if is_work { UNUSED } else { JobField::Run.words().1 };
        self.form.set_note(JobField::Run, note.to_owned());
    }

    /// Updates the notes, prefills the rate, parses the job from the fields, and collects the cheapest of the table's offers
    /// that fit it, lowest bill first. There are none while a field is invalid.
    fn recompute(&mut self, offers: &Browser) {
        self.annotate_run();
        self.prefill_rate();
        self.job = self.read();
        self.candidates.clear();
        self.fitting = 0;
        let (Ok(job), Some(listing)) = (&self.job, offers.listing()) else {
            return;
        };
        let prices = Prices::new(listing, offers.pricing().model);
        let now = listing.read_at();
        let rows = offers.view().iter().map(|row| *row as usize);
        let candidates = rows.filter(|row| prices.fits(*row, job, now));
        let mut candidates: Vec<Candidate> = candidates
            .filter_map(|row| {
                let total = prices.job_total(row, job).ok()?;
                Some(Candidate { row, total })
            })
            .collect();
        self.fitting = candidates.len();
        candidates.sort_by(|left, right| left.total.total_cmp(&right.total));
        candidates.truncate(CHEAPEST);
        self.candidates = candidates;
    }

    /// Prices the offers for the job, saves a changed or erased rate to the configuration, and closes the
    /// form. With an invalid field, or a rate without work, only the error is shown.
    fn apply(&mut self, cx: &mut Cx<'_>) {
        if !self.form.validate() {
            return;
        }
        if self.rated.is_none() && !self.form.text(JobField::Rate).is_empty() {
            self.form.set_error(JobField::Rate, Some(NO_WORK.to_owned()));
            self.form.focus_on(JobField::Rate);
            return;
        }
        if let Ok(job) = self.job {
            cx.drafts().take::<Draft>();
            let new = self.new_rates();
            if !new.is_empty() {
                self.rates = Arc::clone(&cx.state().browsers[Resource::Offers].computed.throughput);
            }
            for (unit, model, rate) in new {
                let rate = rate.map(|rate| trimmed(rate, 9));
                cx.effect(Effect::Config(ConfigCommand::SaveRate { unit, model, rate }));
            }
            cx.price_job(Some(job));
            cx.toast(format!("Offers priced for {}", job.brief(&self.local)));
            cx.close();
        }
    }

    /// Removes the job from the search and the draft of the form, and closes the form.
    fn clear(cx: &mut Cx<'_>) {
        cx.drafts().take::<Draft>();
        cx.price_job(None);
        cx.toast("Job pricing cleared");
        cx.close();
    }
}

/// The GPU models of the table's rows, that of the selected row first, then those with the most rows; of as many rows
/// by name. Empty without rows.
fn models(offers: &Browser) -> Vec<String> {
    let Some((listing, field)) = offers
        .listing()
        .and_then(|listing| Some((listing, listing.catalog().by_key("gpu_name")?)))
    else {
        return Vec::new();
    };
    let groups = facets(listing, offers.view(), field).into_iter();
    let names = groups.filter_map(|(value, _)| match value {
        GroupValue::Text(name) => Some(name.unescaped().to_owned()),
        GroupValue::Blank | GroupValue::Flag(_) | GroupValue::Number(_) => None,
    });
    let mut models: Vec<String> = names.collect();
    let selected = offers.selected_row().and_then(|row| listing.text(row, field));
    // The sort is stable.
    models.sort_by_key(|model| selected.is_none_or(|selected| selected.unescaped() != model));
    models
}

/// The texts of the fields that show a job, in the order of `JobField::TEXTS`; the rate is blank.
fn texts(job: Job, local: &LocalTime) -> [String; 8] {
    let write = |value: f64, key: JobField| quantity::write(value, key.input().1);
    let score = job.work_dlperf_hours;
    let score = score.map(|work| format!("{} {DLPERF_HOURS}", write(work, JobField::Work)));
    let work = job.work.map(|work| work.to_string());
    [
        write(job.run_hours, JobField::Run),
        write(job.stopped_hours, JobField::Stopped),
        write(job.disk_gb, JobField::Disk),
        write(job.gb_in, JobField::Download),
        write(job.gb_out, JobField::Upload),
        work.or(score).unwrap_or_default(),
        String::new(),
        job.deadline.map_or_else(String::new, |at| local.minute(at)),
    ]
}

impl FormView for JobForm {
    has_form!(JobField);

    fn submitted(&mut self, key: JobField, cx: &mut Cx<'_>) {
        if key == JobField::Clear {
            Self::clear(cx);
        } else {
            self.apply(cx);
        }
    }

    /// Recomputes the bills; a typed rate is applied to the table at once, without being saved.
    fn changed(&mut self, key: JobField, cx: &mut Cx<'_>) {
        if matches!(key, JobField::Rate | JobField::Model) {
            self.prefill_rate();
            // The bills follow the rate while it is typed.
            let mut rates = Throughput::clone(&self.rates);
            for (unit, model, rate) in self.new_rates() {
                match rate {
                    Some(rate) => drop(rates.set(unit, &model, rate)),
                    None => rates.remove(unit, &model),
                }
            }
            cx.set_throughput(rates);
        }
        self.recompute(&cx.state().browsers[Resource::Offers]);
    }

    /// Undoes a rate that was applied while it was typed but not saved.
    fn closing(&mut self, cx: &mut Cx<'_>) {
        if cx.state().browsers[Resource::Offers].computed.throughput != self.rates {
            cx.set_throughput(Throughput::clone(&self.rates));
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back => {
                let texts = JobField::TEXTS.map(|key| self.form.text(key).to_owned());
                let job = cx.state().browsers[Resource::Offers].computed.job;
                let model = self.rated.as_ref().map(|(_, model)| model.clone());
                cx.drafts().put(Draft { texts, model, job });
                cx.close();
            }
            Action::Remove => Self::clear(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(action, Action::Remove if !self.has_job))
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.form.focused()) {
            (Action::Submit, Some(JobField::Clear)) => Some("clear pricing"),
            (Action::Submit, _) => Some("price offers"),
            (Action::Remove, _) => Some("clear pricing"),
            _ => None,
        }
    }

    fn rows_changed(&mut self, state: &State) {
        let offers = &state.browsers[Resource::Offers];
        self.set_models(models(offers));
        self.recompute(offers);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::job(self, area, scene);
    }
}
