//! The planner: from a load and a measured worker to capacities and numbers of workers.

use super::form::DraftNumber;
use super::preflight::{Subject, parameters};
use crate::domain::Listing;
use crate::domain::RowId;
use crate::domain::workergroup::{CapacityPlan, Demand, Draft, Key, NewWorkergroup};
use crate::widgets::text_input::TextInput;

/// A line of the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The load to serve.
    Load,
    /// The load that one worker was measured to serve.
    PerWorker,
    /// A parameter of the group.
    Parameter(Key),
}

impl Entry {
    /// All lines, in order.
    pub const ALL: [Self; 7] = [
        Self::Load,
        Self::PerWorker,
        Self::Parameter(Key::MinLoad),
        Self::Parameter(Key::TargetUtil),
        Self::Parameter(Key::ColdMult),
        Self::Parameter(Key::ColdWorkers),
        Self::Parameter(Key::MaxWorkers),
    ];

    /// The name by which objections to it go.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::PerWorker => "per_worker",
            Self::Parameter(key) => key.wire(),
        }
    }

    /// What stands in front of it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Load => "Load",
            Self::PerWorker => "One worker serves",
            Self::Parameter(key) => key.parameter().label,
        }
    }

    /// What it means.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Load => "Load to serve: the sum of the requests' cost per second.",
            Self::PerWorker => {
                "Load that one worker was measured to serve, in the same unit. Measure it: \
                 no listing tells it."
            }
            Self::Parameter(key) => key.parameter().doc,
        }
    }

    /// Why the market is known not to look at it on a group, if so.
    pub const fn inert(self) -> Option<&'static str> {
        match self {
            Self::Parameter(key) => key.parameter().inert,
            _ => None,
        }
    }

    /// What holds when nothing is typed.
    pub const fn default(self) -> Option<&'static str> {
        match self {
            Self::Parameter(key) => key.parameter().default,
            _ => None,
        }
    }
}

/// The planner's lines.
#[derive(Debug, Clone)]
pub struct Planner {
    /// Whose parameters they are.
    pub subject: Subject,
    /// What the subject is called.
    pub title: String,
    /// What is typed, a line each.
    pub inputs: [TextInput; Entry::ALL.len()],
    /// The line that is edited.
    pub focus: usize,
}

impl Planner {
    /// For the group that is being filled in.
    pub fn of_draft(number: DraftNumber, draft: &Draft) -> Self {
        let mut planner = Self::blank(Subject::Draft(number), "the new workergroup".to_owned());
        // What the form says is taken as typed, right or wrong.
        for (entry, input) in Entry::ALL.iter().zip(&mut planner.inputs) {
            if let Entry::Parameter(key) = entry {
                input.set(draft.text(*key));
            }
        }
        planner
    }

    /// For a listed group.
    pub fn of_row(listing: &Listing, row: usize, id: RowId) -> Self {
        let mut planner = Self::blank(Subject::Group(id), format!("workergroup {id}"));
        let (group, _) = parameters(listing, row);
        let texts = [
            (Key::MinLoad, group.min_load.map(|value| value.to_string())),
            (
                Key::TargetUtil,
                group.target_util.map(|value| value.to_string()),
            ),
            (
                Key::ColdMult,
                group.cold_mult.map(|value| value.to_string()),
            ),
            (
                Key::ColdWorkers,
                group.cold_workers.map(|value| value.to_string()),
            ),
            (
                Key::MaxWorkers,
                group.max_workers.map(|value| value.to_string()),
            ),
        ];
        for (key, text) in texts {
            let place = Entry::ALL
                .iter()
                .position(|entry| *entry == Entry::Parameter(key));
            if let (Some(place), Some(text)) = (place, text) {
                planner.inputs[place].set(text);
            }
        }
        planner
    }

    /// The line that may be a percentage.
    const RATIO: Entry = Entry::Parameter(Key::TargetUtil);

    fn blank(subject: Subject, title: String) -> Self {
        Self {
            subject,
            title,
            inputs: std::array::from_fn(|_| TextInput::default()),
            focus: 0,
        }
    }

    /// The line that is edited.
    pub fn entry(&self) -> Entry {
        Entry::ALL[self.focus.min(Entry::ALL.len() - 1)]
    }

    /// Goes to another line.
    pub fn step(&mut self, by: isize) {
        self.inputs[self.focus].deselect();
        self.focus = self
            .focus
            .saturating_add_signed(by)
            .min(Entry::ALL.len() - 1);
        self.inputs[self.focus].select_all();
    }

    /// What the lines say; the entry and what is wrong with it where one cannot be read.
    pub fn demand(&self) -> Result<Demand, (Entry, &'static str)> {
        let mut numbers = [0.0; Entry::ALL.len()];
        for ((entry, input), number) in Entry::ALL.iter().zip(&self.inputs).zip(&mut numbers) {
            let text = input.text().trim();
            let text = match (text, entry.default()) {
                ("", Some(default)) => default,
                ("", None) => return Err((*entry, "type a number")),
                _ => text,
            };
            let is_ratio = *entry == Self::RATIO;
            *number = read(text, is_ratio).ok_or((*entry, "must be a number"))?;
        }
        let whole = |place: usize| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked
            (numbers[place].fract() == 0.0 && (0.0..=1e6).contains(&numbers[place]))
                .then_some(numbers[place] as u32)
                .ok_or((
                    Entry::ALL[place],
                    "must be a whole number from 0 to 1000000",
                ))
        };
        let group = NewWorkergroup {
            min_load: Some(numbers[2]),
            target_util: Some(numbers[3]),
            cold_mult: Some(numbers[4]),
            cold_workers: Some(whole(5)?),
            max_workers: Some(whole(6)?),
            ..NewWorkergroup::default()
        };
        Ok(Demand::new(numbers[0], numbers[1], &group))
    }

    /// The plan, or the entry that stands against it and why.
    pub fn plan(&self) -> Result<(Demand, CapacityPlan), (Entry, String)> {
        let demand = self
            .demand()
            .map_err(|(entry, why)| (entry, why.to_owned()))?;
        CapacityPlan::of(&demand)
            .map(|plan| (demand, plan))
            .map_err(|objections| {
                let first = objections.into_iter().next();
                let entry = first.as_ref().and_then(|objection| {
                    Entry::ALL
                        .into_iter()
                        .find(|entry| entry.name() == objection.parameter)
                });
                (
                    entry.unwrap_or(Entry::Load),
                    first.map_or_else(String::new, |objection| objection.message),
                )
            })
    }
}

/// A number; a ratio may be written as a percentage.
fn read(text: &str, is_ratio: bool) -> Option<f64> {
    let (digits, factor) = match text.strip_suffix('%') {
        Some(digits) if is_ratio => (digits.trim_end(), 100.0),
        _ => (text, 1.0),
    };
    digits
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .map(|number| number / factor)
}
