//! The current search of a listed or drafted workergroup.

use super::draft::DraftNumber;
use super::sent::{self, created_as};
use crate::domain::catalog::{OFFERS, WORKERGROUPS};
use crate::domain::cost::ColdStart;
use crate::domain::journal::Entry;
use crate::domain::language::{LanguageError, Mode};
use crate::domain::workergroup::{
    CostOutlook, Draft, Key, NewWorkergroup, Preflight, Recruitment, UnknownCost, group_search, parse_disk_gb,
};
use crate::domain::{CellRef, Dialect, Listing, RowId, Untrusted, format, language};
use crate::settings::Values;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The draft of a group.
    Draft(DraftNumber),
    Group(RowId),
}

/// The current search of a group or draft, with the parameters that affect its cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub subject: Subject,
    /// Its name on the screen.
    pub title: String,
    /// The search, for which alone a report is valid.
    pub search: Recruitment,
    /// The scaling parameters, as far as they are known.
    pub group: NewWorkergroup,
    pub dialect: &'static Dialect,
    /// Notes on assumptions and omissions.
    pub notes: Vec<String>,
    /// The reason the search cannot determine the group's cost, or `None` if it can.
    gap: Option<UnknownCost>,
    /// The names by which the size of its model may be configured: endpoint, template's hash and
    /// id.
    names: Vec<String>,
}

/// The reason the search of a workergroup cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookError {
    #[error("Invalid search: {0}")]
    Invalid(#[from] LanguageError),
    /// The form holds another draft by now.
    #[error("The form has another draft now")]
    OtherDraft,
    #[error("The workergroup is no longer listed")]
    Unlisted,
    /// The row has no group.
    #[error("No such workergroup")]
    NoGroup,
}

impl Look {
    /// The reason the search cannot determine the group's cost (such as a template's own search), or `None`
    /// if it can.
    pub const fn gap(&self) -> Option<&UnknownCost> {
        self.gap.as_ref()
    }

    /// The worst case of the group, from the report on its search, or from the reason there is none.
    ///
    /// It is unknown if the search does not determine the group's cost.
    pub fn outlook(&self, report: Result<&Preflight, UnknownCost>) -> CostOutlook {
        let mut outlook = match report {
            Ok(report) => report.outlook(&self.group, self.dialect),
            Err(reason) => CostOutlook::unknown(reason, &self.search.conditions),
        };
        if let Some(gap) = &self.gap {
            outlook.unknown = Some(gap.clone());
            // Its limit may be in the part of the search that is not here.
            outlook.is_unlimited &= *gap == UnknownCost::Disk;
        }
        outlook
    }

    /// The search of a draft, which may have mistakes in its other parameters; the documented default one,
    /// with a note, if it has none.
    ///
    /// # Errors
    ///
    /// When the draft's search is invalid.
    pub(crate) fn at_draft(number: DraftNumber, draft: &Draft, dialect: &'static Dialect) -> Result<Self, LookError> {
        let subject = Subject::Draft(number);
        let conditions = draft.conditions(dialect)?;
        let mut notes = Vec::new();
        let mut gap = None;
        if !draft.is_set(Key::SearchParams) {
            let has_template = draft.is_set(Key::TemplateHash) || draft.is_set(Key::TemplateId);
            notes.push(default_note(has_template));
            gap = has_template.then_some(UnknownCost::Template);
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
            test_workers: number(Key::TestWorkers).and_then(whole),
            ..NewWorkergroup::default()
        });
        let disk = disk_of(draft.text(Key::LaunchArgs), &mut notes, &mut gap);
        Ok(Self {
            subject,
            title: "the new workergroup".to_owned(),
            search: Recruitment {
                conditions,
                gpu_ram: number(Key::GpuRam),
                disk,
            },
            group,
            dialect,
            notes,
            gap,
            names: NAMES.iter().map(|key| draft.text(*key).trim().to_owned()).collect(),
        })
    }

    /// The download in GB and loading time in seconds of the group's cold starts, as configured; `None` if no
    /// model size is configured for its endpoint or template.
    pub fn cold_start(&self, values: &Values) -> Option<ColdStart> {
        Some(ColdStart {
            gb: values.model_sizes.size(&self.names)?,
            loading: f64::from(values.loading),
        })
    }

    /// The search of a listed group; the documented default one, with a note, if it has none. Conditions that
    /// bourse cannot express are left out, with a note.
    ///
    /// Limits on workers that the listing lacks are taken from its creation among `writes`, the writes to its
    /// market.
    ///
    /// # Errors
    ///
    /// When the row has no group, or its search cannot be parsed.
    pub fn at_row(
        listing: &Listing,
        row: usize,
        dialect: &'static Dialect,
        writes: &[Entry],
    ) -> Result<Self, LookError> {
        let id = listing.id(row).ok_or(LookError::NoGroup)?;
        let search = group_search(listing, row).unwrap_or_default();
        let mut notes = Vec::new();
        let mut gap = None;
        if !search.left_out.is_empty() {
            gap = Some(UnknownCost::Inexpressible);
            let names: Vec<_> = search.left_out.iter().map(Untrusted::for_confirmation).collect();
            notes.push(format!(
                "not part of this search, since bourse can't express it: {}",
                names.join(", ")
            ));
        }
        let text = search.text.unescaped().trim();
        let is_blank = text.is_empty();
        if is_blank {
            let mut templates = ["template_hash", "template_id"].into_iter();
            let has_template = templates.any(|key| !listing.cell_of(row, key).is_blank());
            notes.push(default_note(has_template));
            gap = gap.or(has_template.then_some(UnknownCost::Template));
        }
        let text = if is_blank { OFFERS.defaults } else { text };
        let conditions = language::parse(text, &OFFERS, dialect, &[], Mode::Market)?.conditions;
        let (group, assumed) = parameters(listing, row, created_as(writes, listing, row));
        notes.extend(assumed);
        let launch_args = WORKERGROUPS.by_key("launch_args");
        let launch_args = launch_args.and_then(|field| listing.text(row, field));
        let disk = launch_args.and_then(|text| disk_of(text.unescaped(), &mut notes, &mut gap));
        Ok(Self {
            subject: Subject::Group(id),
            title: format!("workergroup {id}"),
            search: Recruitment {
                conditions,
                gpu_ram: number(listing, row, "gpu_ram"),
                disk,
            },
            group,
            dialect,
            notes,
            gap,
            names: NAMES.iter().filter_map(|key| name(listing, row, *key)).collect(),
        })
    }
}

/// The parameters whose value names the model of a group.
const NAMES: [Key; 3] = [Key::EndpointName, Key::TemplateHash, Key::TemplateId];

/// The value of a parameter that names a listed group, as text; `None` if it is blank.
fn name(listing: &Listing, row: usize, key: Key) -> Option<String> {
    let field = WORKERGROUPS.by_key(key.wire())?;
    match listing.cell(row, field) {
        CellRef::Text(text) => Some(text.to_owned()),
        CellRef::Number(id) => Some(format::number(field, id)),
        CellRef::Flag(_) | CellRef::Missing | CellRef::Null | CellRef::Bad(_) => None,
    }
}

/// The disk in GB that a workergroup's launch arguments set; `None` for the default. An invalid one counts as
/// the default, is noted, and becomes a gap in the cost unless there is one.
fn disk_of(launch_args: &str, notes: &mut Vec<String>, gap: &mut Option<UnknownCost>) -> Option<f64> {
    parse_disk_gb(launch_args).unwrap_or_else(|error| {
        gap.get_or_insert(UnknownCost::Disk);
        notes.push(format!(
            "--disk {} in the launch arguments is not a size in GB: prices include the default disk",
            Untrusted::from(error.text).for_confirmation()
        ));
        None
    })
}

/// The note that a workergroup has no search of its own: the documented default search is shown, while the
/// market may apply its template's (`has_template`).
fn default_note(has_template: bool) -> String {
    if has_template {
        "the market applies the template's own search; this is for the documented default search".to_owned()
    } else {
        "no search set: this is for the documented default search".to_owned()
    }
}

/// The value of a numeric column in a row; `None` if it is blank or no number.
fn number(listing: &Listing, row: usize, key: &str) -> Option<f64> {
    listing.cell_of(row, key).number()
}

/// The number as an integer if it is a whole one from 0 to a million; otherwise `None`.
fn whole(number: f64) -> Option<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
    (number.fract() == 0.0 && (0.0..=1e6).contains(&number)).then_some(number as u32)
}

/// The scaling parameters of a listed group, and notes on those that are assumed.
///
/// Limits on workers that the listing lacks are taken from `sent`, as it was created. Without it they stay
/// missing, with a note on the documented default that is assumed (none for test workers).
fn parameters(listing: &Listing, row: usize, sent: Option<&NewWorkergroup>) -> (NewWorkergroup, Vec<String>) {
    let at = |key| number(listing, row, key);
    let mut group = NewWorkergroup {
        min_load: at("min_load"),
        target_util: at("target_util"),
        cold_mult: at("cold_mult"),
        cold_workers: at("cold_workers").and_then(whole),
        max_workers: at("max_workers").and_then(whole),
        test_workers: at("test_workers").and_then(whole),
        ..NewWorkergroup::default()
    };
    let mut assumed = Vec::new();
    let limits = [
        (Key::ColdWorkers, &mut group.cold_workers),
        (Key::MaxWorkers, &mut group.max_workers),
        (Key::TestWorkers, &mut group.test_workers),
    ];
    for (key, value) in limits.into_iter().filter(|(_, value)| value.is_none()) {
        let name = key.wire();
        let known = sent.and_then(|sent| Some((sent::limit(sent, key)?, sent::describe(sent, key, None)?)));
        if let Some((limit, words)) = known {
            *value = Some(limit);
            assumed.push(format!("{name}: {words}"));
        } else if key != Key::TestWorkers {
            assumed.push(format!(
                "{name} is not in the listing: assuming the documented {}",
                key.parameter().default.unwrap_or_default()
            ));
        }
    }
    (group, assumed)
}
