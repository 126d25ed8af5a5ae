//! A preflight: what a group's search would find on the market now. One at a time, shared by the
//! form, the confirmation and the report.

use super::draft::DraftNumber;
use crate::api::{ApiError, Request};
use crate::app::message::Effect;
use crate::app::remote::{Now, Remote, Ticket, Tickets, Waiting};
use crate::domain::catalog::{OFFERS, WORKERGROUPS};
use crate::domain::language::{self, Mode};
use crate::domain::workergroup::{
    Draft, Key, NewWorkergroup, Preflight, Recruitment, disk, group_search,
};
use crate::domain::{CellRef, Dialect, Listing, RowId, Untrusted};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The draft of a group.
    Draft(DraftNumber),
    Group(RowId),
}

/// The subject of a preflight, as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub subject: Subject,
    /// Its name on the screen.
    pub title: String,
    /// The search: a report is valid for this search only.
    pub search: Recruitment,
    /// The scaling parameters, as far as they are known.
    pub group: NewWorkergroup,
    /// Assumptions and omissions.
    pub notes: Vec<String>,
}

impl Look {
    /// The draft of a group.
    pub(super) fn at_draft(
        number: DraftNumber,
        draft: &Draft,
        dialect: &'static Dialect,
    ) -> Result<Self, String> {
        let subject = Subject::Draft(number);
        let conditions = draft
            .conditions(dialect)
            .map_err(|error| format!("Invalid search: {}", error.message))?;
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

    /// A listed group; `Err` says why its search cannot be run.
    pub fn at_row(
        listing: &Listing,
        row: usize,
        dialect: &'static Dialect,
    ) -> Result<Self, String> {
        let id = listing.id(row).ok_or("No such workergroup")?;
        let search = group_search(listing, row).unwrap_or_default();
        let mut notes = Vec::new();
        if !search.left_out.is_empty() {
            let names: Vec<_> = search.left_out.iter().map(Untrusted::consent).collect();
            notes.push(format!(
                "not part of this search, since bourse can't express it: {}",
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
            .map_err(|error| format!("Invalid search: {}", error.message))?
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

/// The disk set by launch arguments; an invalid one becomes a note.
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
        "the market applies the template's own search; this is for the documented default search"
            .to_owned()
    } else {
        "no search set: this is for the documented default search".to_owned()
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
            "{} is not in the listing: assuming the documented {}",
            key.wire(),
            key.parameter().default.unwrap_or_default()
        )
    })
    .collect();
    (group, assumed)
}

#[derive(Debug, Default)]
pub struct PreflightSlot {
    look: Option<Look>,
    remote: Remote<Preflight>,
    limit: Option<u32>,
    /// Banned machines and hosts that the search itself does not leave out.
    pub(super) banned: usize,
    /// Whether its report lists offers that are banned now, or lacks some that are not.
    is_expired: bool,
}

impl PreflightSlot {
    pub const fn look(&self) -> Option<&Look> {
        self.look.as_ref()
    }

    /// The report and the state of its request.
    pub const fn remote(&self) -> &Remote<Preflight> {
        &self.remote
    }

    /// The requested limit of offers.
    pub const fn limit(&self) -> Option<u32> {
        self.limit
    }

    /// Whether its response, received or awaited, is for the same search.
    pub fn is_about(&self, look: &Look) -> bool {
        !self.is_expired
            && self
                .look
                .as_ref()
                .is_some_and(|own| own.search == look.search)
            && self.remote.error().is_none()
            && (self.remote.is_loading() || self.remote.shown().is_some())
    }

    /// Relabels the report for a subject with the same search.
    pub(super) fn retitle(&mut self, look: Look) {
        self.look = Some(look);
    }

    /// Makes the next look run the search again: other offers are banned now.
    pub(in crate::app) const fn expire(&mut self) {
        self.is_expired = true;
    }

    /// Runs the search; a report on another one is dropped.
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
        self.is_expired = false;
        self.look = Some(look);
        self.remote.ask(ticket, now);
        effects.push(Effect::Call {
            ticket,
            request: Request::Search(query),
        });
        effects
    }

    pub fn cancel(&mut self) -> Option<Effect> {
        self.remote.cancel().map(Effect::Abort)
    }

    /// Whether it waits for this response.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.remote.awaited() == Some(ticket)
    }

    /// Records the progress of the request.
    pub fn progress(&mut self, ticket: Ticket, attempt: u32, waiting: Option<Waiting>) {
        self.remote.progress(ticket, attempt, waiting);
    }

    pub fn answered(&mut self, ticket: Ticket, answer: Result<Box<Listing>, ApiError>, now: Now) {
        let Some(look) = &self.look else { return };
        let answer = answer.map(|listing| {
            let mut found = Preflight::of(&listing, &look.search, self.limit);
            found.warnings.extend(banned(self.banned));
            found
        });
        self.remote.accept(ticket, now, answer);
    }
}

/// The warning that workers may start where the person does not want them.
fn banned(many: usize) -> Option<String> {
    (many > 0).then(|| {
        let verb = if many == 1 { "is" } else { "are" };
        format!(
            "{many} of your bans {verb} not in its search: the market may still use those machines"
        )
    })
}
