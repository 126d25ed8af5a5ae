//! The capacity planner: from a load and a measured worker to the number of workers.

mod draw;

use ratatui::layout::Rect;

use crate::app::State;
use crate::app::groups::preflight::{Subject, parameters};
use crate::app::keymap::{Action, Context};
use crate::app::view::{Cx, Outcome, Region, Scene, View};
use crate::domain::Resource;
use crate::domain::workergroup::{CapacityPlan, Demand, Key, NewWorkergroup};
use crate::widgets::form::{Field, Form, FormEvent};
use crate::widgets::input_widget::InputWidget;

/// A field of the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Load,
    PerWorker,
    Parameter(Key),
    Preflight,
}

impl Entry {
    const NUMBERS: [Self; 7] = [
        Self::Load,
        Self::PerWorker,
        Self::Parameter(Key::MinLoad),
        Self::Parameter(Key::TargetUtil),
        Self::Parameter(Key::ColdMult),
        Self::Parameter(Key::ColdWorkers),
        Self::Parameter(Key::MaxWorkers),
    ];

    /// The parameter name in validation errors.
    const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::PerWorker => "per_worker",
            Self::Parameter(key) => key.wire(),
            Self::Preflight => "",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Load => "Load",
            Self::PerWorker => "One worker serves",
            Self::Parameter(key) => key.parameter().label,
            Self::Preflight => "Preflight",
        }
    }

    const fn doc(self) -> &'static str {
        match self {
            Self::Load => "Load to serve: the sum of the requests' cost per second.",
            Self::PerWorker => {
                "Load that one worker serves, in the same unit. Measure it: no listing tells it."
            }
            Self::Parameter(key) => key.parameter().doc,
            Self::Preflight => "Run the search now: machines and prices for these workers.",
        }
    }

    const fn is_ignored(self) -> bool {
        match self {
            Self::Parameter(key) => key.parameter().inert.is_some(),
            Self::Load | Self::PerWorker | Self::Preflight => false,
        }
    }

    const fn is_whole(self) -> bool {
        matches!(self, Self::Parameter(Key::ColdWorkers | Key::MaxWorkers))
    }

    const fn default(self) -> Option<&'static str> {
        match self {
            Self::Parameter(key) => key.parameter().default,
            Self::Load | Self::PerWorker | Self::Preflight => None,
        }
    }
}

/// The plan of the fields, or the invalid field and its error.
type Planned = Result<(Demand, CapacityPlan), (Entry, String)>;

/// The planner for a listed workergroup or for the draft.
#[derive(Debug)]
pub struct Planner {
    subject: Subject,
    title: String,
    form: Form<Entry>,
    planned: Planned,
}

impl Planner {
    /// The planner with the parameters of `subject`; `None` if there is no such workergroup.
    pub fn new(state: &State, subject: Subject) -> Option<Self> {
        let (title, texts) = match subject {
            Subject::Draft(_) => {
                let draft = state.groups.draft.draft();
                ("the new workergroup".to_owned(), texts_of_draft(draft))
            }
            Subject::Group(id) => {
                let listing = state.browsers[Resource::Workergroups].listing()?;
                let (group, _) = parameters(listing, listing.row(id)?);
                (format!("workergroup {id}"), texts_of_group(&group))
            }
        };
        let mut fields: Vec<Field<Entry>> = Entry::NUMBERS.into_iter().map(field).collect();
        fields.push(Field::button(Entry::Preflight, Entry::Preflight.label()));
        let mut planner = Self {
            subject,
            title,
            form: Form::new(fields),
            planned: Err((Entry::Load, String::new())),
        };
        for (key, text) in texts {
            planner.form.set_text(Entry::Parameter(key), &text);
        }
        planner.plan();
        Some(planner)
    }

    /// The planner of the selected workergroup.
    pub fn of_selected(state: &State) -> Option<Self> {
        let id = state.browsers[Resource::Workergroups].selected()?;
        Self::new(state, Subject::Group(id))
    }

    fn is_typed(&self, entry: Entry) -> bool {
        !self.form.text(entry).is_empty()
    }

    /// The value of a field, or of its default.
    fn number(&self, entry: Entry) -> Result<f64, (Entry, String)> {
        let text = self.form.text(entry);
        let text = match (&*text, entry.default()) {
            ("", Some(default)) => default,
            ("", None) => return Err((entry, "type a number".to_owned())),
            (text, _) => text,
        };
        let is_ratio = entry == Entry::Parameter(Key::TargetUtil);
        let number = read(text, is_ratio).ok_or_else(|| (entry, "must be a number".to_owned()))?;
        let fits = number.fract() == 0.0 && (0.0..=1e6).contains(&number);
        if entry.is_whole() && !fits {
            let why = "must be a whole number from 0 to 1000000";
            return Err((entry, why.to_owned()));
        }
        Ok(number)
    }

    fn demand(&self) -> Result<Demand, (Entry, String)> {
        // What is wrong comes before what is blank.
        for entry in Entry::NUMBERS {
            if self.is_typed(entry) {
                self.number(entry)?;
            }
        }
        let number = |key| self.number(Entry::Parameter(key));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked
        let whole = |key| number(key).map(|number| number as u32);
        let load = self.number(Entry::Load)?;
        let per_worker = self.number(Entry::PerWorker)?;
        let group = NewWorkergroup {
            min_load: Some(number(Key::MinLoad)?),
            target_util: Some(number(Key::TargetUtil)?),
            cold_mult: Some(number(Key::ColdMult)?),
            cold_workers: Some(whole(Key::ColdWorkers)?),
            max_workers: Some(whole(Key::MaxWorkers)?),
            ..NewWorkergroup::default()
        };
        Ok(Demand::new(load, per_worker, &group))
    }

    fn worked_out(&self) -> Planned {
        let demand = self.demand()?;
        CapacityPlan::of(&demand)
            .map(|plan| (demand, plan))
            .map_err(|objections| {
                let first = objections.into_iter().next();
                let entry = first.as_ref().and_then(|objection| {
                    let mut entries = Entry::NUMBERS.into_iter();
                    entries.find(|entry| entry.name() == objection.parameter)
                });
                (
                    entry.unwrap_or(Entry::Load),
                    first.map_or_else(String::new, |objection| objection.message),
                )
            })
    }

    /// Recomputes the plan and shows what is wrong with each field.
    fn plan(&mut self) {
        self.planned = self.worked_out();
        for entry in Entry::NUMBERS {
            let of_plan = self.planned.as_ref().err();
            let of_plan = of_plan.filter(|(wrong, _)| *wrong == entry).cloned();
            let error = self.number(entry).err().or(of_plan);
            let error = error.filter(|_| self.is_typed(entry));
            self.form.set_error(entry, error.map(|(_, why)| why));
        }
    }

    /// Remembers the planned workers, for the costs of a preflight.
    fn note(&self, state: &mut State) {
        if let Ok((_, plan)) = &self.planned {
            state.groups.preflight.planned = Some((self.subject, plan.active));
        }
    }
}

fn field(entry: Entry) -> Field<Entry> {
    let note = entry
        .default()
        .map_or_else(String::new, |default| format!("default {default}"));
    Field::text(entry, entry.label(), "").note(note)
}

const SCALING: [Key; 5] = [
    Key::MinLoad,
    Key::TargetUtil,
    Key::ColdMult,
    Key::ColdWorkers,
    Key::MaxWorkers,
];

/// The texts of the form are copied as typed, valid or not.
fn texts_of_draft(draft: &crate::domain::workergroup::Draft) -> Vec<(Key, String)> {
    let text = |key| (key, draft.text(key).to_owned());
    SCALING.into_iter().map(text).collect()
}

fn texts_of_group(group: &NewWorkergroup) -> Vec<(Key, String)> {
    let decimal = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let whole = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
    vec![
        (Key::MinLoad, decimal(group.min_load)),
        (Key::TargetUtil, decimal(group.target_util)),
        (Key::ColdMult, decimal(group.cold_mult)),
        (Key::ColdWorkers, whole(group.cold_workers)),
        (Key::MaxWorkers, whole(group.max_workers)),
    ]
}

/// A number; a ratio can be a percentage.
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

impl View for Planner {
    fn contexts(&self) -> &'static [Context] {
        self.form.contexts()
    }

    fn widget(&mut self, _: &Cx<'_>) -> Option<&mut dyn InputWidget> {
        Some(&mut self.form)
    }

    fn text_changed(&mut self, _: &mut Cx<'_>) {
        self.plan();
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit if self.form.focused() == Some(Entry::Preflight) => Some("preflight"),
            Action::Toggle => Some("press"),
            Action::Refresh => Some("preflight"),
            Action::Back => Some("close"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back => cx.close(),
            Action::Refresh => self.preflight(cx),
            action => match self.form.update(action) {
                FormEvent::Submitted(_) => self.preflight(cx),
                FormEvent::Changed(_) | FormEvent::Moved => self.plan(),
                FormEvent::Ignored => return Outcome::Ignored,
            },
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, place: usize, cx: &mut Cx<'_>) -> Outcome {
        if let FormEvent::Submitted(_) = self.form.click(place) {
            self.preflight(cx);
        }
        self.plan();
        Outcome::Handled
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        self.note(cx.state);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::planner(self, area, scene);
    }
}

impl Planner {
    fn preflight(&mut self, cx: &mut Cx<'_>) {
        self.note(cx.state);
        crate::views::preflight::open(self.subject, cx);
    }
}
