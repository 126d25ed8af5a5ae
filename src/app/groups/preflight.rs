//! A preflight: what a group's search would find on the market now, asked in a slot of its own.

use super::form::DraftNumber;
use crate::api::{ApiError, Request};
use crate::app::Model;
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::remote::{Now, Remote, Ticket, Tickets, Waiting};
use crate::domain::catalog::{OFFERS, WORKERGROUPS};
use crate::domain::language::{self, Mode};
use crate::domain::workergroup::{
    Draft, Key, NewWorkergroup, Preflight, Recruitment, disk, group_search,
};
use crate::domain::{CellRef, Dialect, Listing, Resource, RowId, Untrusted};

/// Whose search is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A group that is being filled in.
    Draft(DraftNumber),
    /// A listed group.
    Group(RowId),
}

/// What a preflight looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Whose search it is.
    pub subject: Subject,
    /// What it is called on the screen.
    pub title: String,
    /// What is asked of the market: a report belongs to this and to nothing else.
    pub search: Recruitment,
    /// The scaling parameters, as far as they are known.
    pub group: NewWorkergroup,
    /// What was assumed or left out, in words.
    pub notes: Vec<String>,
}

impl Look {
    /// At the search of `subject` as it is now; `Err` says why it cannot be run.
    pub fn at(model: &Model, subject: Subject) -> Result<Self, String> {
        let form = &model.state.groups.form;
        let browser = &model.state.browsers[Resource::Workergroups];
        match subject {
            Subject::Draft(number) if number == form.number() => {
                Self::at_draft(number, form.draft(), model.state.profile.dialect)
            }
            Subject::Draft(_) => Err("the form holds another draft now".to_owned()),
            Subject::Group(id) => {
                let found = browser
                    .listing()
                    .and_then(|listing| Some((listing, listing.row(id)?)));
                let (listing, row) = found.ok_or("the group is no longer listed")?;
                Self::at_row(listing, row, browser.dialect())
            }
        }
    }

    /// At the group that is being filled in.
    fn at_draft(
        number: DraftNumber,
        draft: &Draft,
        dialect: &'static Dialect,
    ) -> Result<Self, String> {
        let subject = Subject::Draft(number);
        let conditions = draft
            .conditions(dialect)
            .map_err(|error| format!("the search cannot be read: {}", error.message))?;
        let mut notes = Vec::new();
        if !draft.is_set(Key::SearchParams) {
            notes.push(default_note(
                draft.is_set(Key::TemplateHash) || draft.is_set(Key::TemplateId),
            ));
        }
        let number = |key: Key| {
            let text = draft.text(key).trim();
            let text = if text.is_empty() {
                key.parameter().default.unwrap_or_default()
            } else {
                text
            };
            text.parse::<f64>().ok()
        };
        let group = draft.build(dialect).unwrap_or_else(|_| NewWorkergroup {
            max_workers: number(Key::MaxWorkers).and_then(whole),
            cold_workers: number(Key::ColdWorkers).and_then(whole),
            ..NewWorkergroup::default()
        });
        let disk = disk_of(draft.text(Key::LaunchArgs), &mut notes);
        Ok(Self {
            subject,
            title: "the new workergroup".to_owned(),
            search: Recruitment {
                conditions,
                gpu_ram: number(Key::GpuRam),
                disk,
            },
            group,
            notes,
        })
    }

    /// At a listed group; `Err` says why its search cannot be run.
    pub fn at_row(
        listing: &Listing,
        row: usize,
        dialect: &'static Dialect,
    ) -> Result<Self, String> {
        let id = listing.id(row).ok_or("there is no such group")?;
        let search = group_search(listing, row).unwrap_or_default();
        let mut notes = Vec::new();
        if !search.left_out.is_empty() {
            let names: Vec<_> = search.left_out.iter().map(Untrusted::consent).collect();
            notes.push(format!(
                "not in the search run here, for bourse cannot say it: {}",
                names.join(", ")
            ));
        }
        let text = search.text.compared().trim();
        let is_blank = text.is_empty();
        if is_blank {
            let has_template = ["template_hash", "template_id"].iter().any(|key| {
                WORKERGROUPS
                    .by_key(key)
                    .is_some_and(|field| !listing.cell(row, field).is_blank())
            });
            notes.push(default_note(has_template));
        }
        let text = if is_blank { OFFERS.defaults } else { text };
        let conditions = language::parse(text, &OFFERS, dialect, &[], Mode::Market)
            .map_err(|error| format!("its search cannot be read: {}", error.message))?
            .conditions;
        let (group, assumed) = parameters(listing, row);
        notes.extend(assumed);
        let launch_args = WORKERGROUPS.by_key("launch_args");
        let launch_args = launch_args.and_then(|field| listing.text(row, field));
        let disk = launch_args.and_then(|text| disk_of(text.compared(), &mut notes));
        Ok(Self {
            subject: Subject::Group(id),
            title: format!("workergroup {id}"),
            search: Recruitment {
                conditions,
                gpu_ram: number(listing, row, "gpu_ram"),
                disk,
            },
            group,
            notes,
        })
    }
}

/// The disk that launch arguments set; one that cannot be read is noted.
fn disk_of(launch_args: &str, notes: &mut Vec<String>) -> Option<f64> {
    disk(launch_args).unwrap_or_else(|text| {
        notes.push(format!(
            "--disk {} in the launch arguments is not a size in GB: prices include the default disk",
            Untrusted::from(text).consent()
        ));
        None
    })
}

fn default_note(has_template: bool) -> String {
    if has_template {
        "the template's own search is not known to bourse: the documented default search is looked at"
            .to_owned()
    } else {
        "no search is given: the documented default search is looked at".to_owned()
    }
}

fn number(listing: &Listing, row: usize, key: &str) -> Option<f64> {
    match listing.cell(row, WORKERGROUPS.by_key(key)?) {
        CellRef::Number(number) => Some(number),
        _ => None,
    }
}

fn whole(number: f64) -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
    (number.fract() == 0.0 && (0.0..=1e6).contains(&number)).then_some(number as u32)
}

/// The scaling parameters of a listed group, and which were assumed.
pub fn parameters(listing: &Listing, row: usize) -> (NewWorkergroup, Vec<String>) {
    let at = |key| number(listing, row, key);
    let group = NewWorkergroup {
        min_load: at("min_load"),
        target_util: at("target_util"),
        cold_mult: at("cold_mult"),
        cold_workers: at("cold_workers").and_then(whole),
        max_workers: at("max_workers").and_then(whole),
        test_workers: at("test_workers").and_then(whole),
        ..NewWorkergroup::default()
    };
    let assumed: Vec<String> = [
        (Key::ColdWorkers, group.cold_workers),
        (Key::MaxWorkers, group.max_workers),
    ]
    .into_iter()
    .filter(|(_, value)| value.is_none())
    .map(|(key, _)| {
        format!(
            "{} is not in the listing: the documented {} is assumed",
            key.wire(),
            key.parameter().default.unwrap_or_default()
        )
    })
    .collect();
    (group, assumed)
}

/// The preflight that is shown or asked for.
#[derive(Debug, Default)]
pub struct Panel {
    look: Option<Look>,
    remote: Remote<Preflight>,
    limit: Option<u32>,
    /// Workers that a plan takes for a load, where one was made for the same subject.
    pub planned: Option<(Subject, u32)>,
}

impl Panel {
    /// What is looked at.
    pub const fn look(&self) -> Option<&Look> {
        self.look.as_ref()
    }

    /// The answer and where the request stands.
    pub const fn remote(&self) -> &Remote<Preflight> {
        &self.remote
    }

    /// How many offers were asked for.
    pub const fn limit(&self) -> Option<u32> {
        self.limit
    }

    /// Workers that were planned for what is looked at.
    pub fn planned_workers(&self) -> Option<u32> {
        let subject = self.look.as_ref()?.subject;
        self.planned
            .filter(|(planned, _)| *planned == subject)
            .map(|(_, workers)| workers)
    }

    /// Whether the answer, there or awaited, is to the same question.
    pub fn is_about(&self, look: &Look) -> bool {
        self.look
            .as_ref()
            .is_some_and(|own| own.search == look.search)
            && self.remote.error().is_none()
            && (self.remote.is_loading() || self.remote.shown().is_some())
    }

    /// The report on what `subject` searches for now, if there is one.
    pub fn report(&self, model: &Model, subject: Subject) -> Option<&Preflight> {
        let look = Look::at(model, subject).ok()?;
        self.remote.shown().filter(|_| self.is_about(&look))
    }

    /// Takes over what else is known of the subject, without asking again.
    pub fn retitle(&mut self, look: Look) {
        self.look = Some(look);
    }

    /// Runs the search; an answer about something else is not kept on the screen.
    pub fn ask(&mut self, look: Look, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let mut effects: Vec<Effect> = self
            .remote
            .cancel()
            .map(Effect::Abort)
            .into_iter()
            .collect();
        if !self.is_about(&look) {
            self.remote = Remote::default();
        }
        let query = look.search.query();
        let ticket = tickets.take();
        self.limit = query.limit;
        self.look = Some(look);
        self.remote.ask(ticket, now);
        effects.push(Effect::Call {
            ticket,
            request: Request::Search(query),
        });
        effects
    }

    /// Stops waiting.
    pub fn cancel(&mut self) -> Option<Effect> {
        self.remote.cancel().map(Effect::Abort)
    }

    /// Whether it waits for this answer.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.remote.awaited() == Some(ticket)
    }

    /// Notes how the request fares.
    pub fn progress(&mut self, ticket: Ticket, attempt: u32, waiting: Option<Waiting>) {
        self.remote.progress(ticket, attempt, waiting);
    }

    /// Takes the answer in.
    pub fn answered(&mut self, ticket: Ticket, answer: Result<Box<Listing>, ApiError>, now: Now) {
        let Some(look) = &self.look else { return };
        let answer = answer.map(|listing| Preflight::of(&listing, &look.search, self.limit));
        self.remote.accept(ticket, now, answer);
    }
}

/// What the keys of preflight and plan are about: the draft in the form, also under its planner, else
/// the group of the planner, else the selected one.
pub(super) fn subject(model: &Model) -> Option<Subject> {
    match model.overlays.last() {
        Some(Overlay::GroupPlan(planner)) => Some(planner.subject),
        Some(Overlay::GroupForm) => Some(Subject::Draft(model.state.groups.form.number())),
        _ => model.state.browsers[Resource::Workergroups]
            .selected()
            .map(Subject::Group),
    }
}

/// Opens the report on what [`subject`] searches for.
pub(super) fn open(model: &mut Model, now: Now) -> Vec<Effect> {
    super::note_plan(model);
    subject(model).map_or_else(Vec::new, |subject| look_at(model, now, subject, true))
}

/// Looks at what is being filled in, without opening the report.
pub(super) fn look_at_draft(model: &mut Model, now: Now) -> Vec<Effect> {
    let subject = Subject::Draft(model.state.groups.form.number());
    look_at(model, now, subject, false)
}

/// Runs the search of a group; `show` opens the report.
fn look_at(model: &mut Model, now: Now, subject: Subject, show: bool) -> Vec<Effect> {
    match Look::at(model, subject) {
        Ok(look) if show => show_preflight(model, now, look),
        Ok(look) => ask(model, now, look, false),
        Err(why) => {
            model.show(Toast::error(why, now));
            Vec::new()
        }
    }
}

fn show_preflight(model: &mut Model, now: Now, look: Look) -> Vec<Effect> {
    model.overlays.push(Overlay::GroupPreflight { scroll: 0 });
    ask(model, now, look, false)
}

/// Asks for a preflight, unless the answer is there already and new ones need not be `forced`.
fn ask(model: &mut Model, now: Now, look: Look, forced: bool) -> Vec<Effect> {
    let panel = &mut model.state.groups.preflight;
    let is_fresh = panel
        .remote()
        .shown_at()
        .is_none_or(|then| now.epoch - then.epoch < 60.0);
    if !forced && is_fresh && panel.is_about(&look) {
        panel.retitle(look);
        return Vec::new();
    }
    panel.ask(look, &mut model.state.tickets, now)
}

/// Runs the search of the report again, as it is now.
pub(super) fn again(model: &mut Model, now: Now) -> Vec<Effect> {
    let subject = model.state.groups.preflight.look().map(|look| look.subject);
    match subject.map(|subject| Look::at(model, subject)) {
        Some(Ok(look)) => return ask(model, now, look, true),
        Some(Err(why)) => model.show(Toast::error(why, now)),
        None => {}
    }
    Vec::new()
}
