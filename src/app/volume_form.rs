//! What a volume is wanted for: how many GB and how long, checked while it is typed.

use super::browser::Browser;
use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::Now;
use super::{Model, Pane};
use crate::domain::Resource;
use crate::domain::cost::{DAYS_PER_MONTH, Input, VolumeTerm};
use crate::domain::format::trimmed;
use crate::widgets::text_input::TextInput;

/// The columns that a term adds to the table.
pub(super) const COLUMNS: [&str; 4] = [
    "volume_term",
    "volume_monthly",
    "volume_hourly",
    "volume_spare",
];

/// Days in a week.
const DAYS_PER_WEEK: f64 = 7.0;

/// Hours in a day.
const HOURS_PER_DAY: f64 = 24.0;

/// The lines, in their order, with what they ask for.
pub const LABELS: [&str; 2] = ["Size", "For how long"];

/// The form.
#[derive(Debug, Clone)]
pub struct VolumeForm {
    lines: [TextInput; 2],
    focused: usize,
    /// What is wrong, once it was tried to apply it.
    pub complaint: Option<String>,
}

impl VolumeForm {
    /// A form with the numbers of a term, or of a usual one.
    pub fn new(term: Option<VolumeTerm>) -> Self {
        let term = term.unwrap_or_default();
        let months = term.days / DAYS_PER_MONTH;
        let span = if trimmed(months, 2) == trimmed(months, 9) {
            let unit = if months.total_cmp(&1.0).is_eq() {
                "month"
            } else {
                "months"
            };
            format!("{} {unit}", trimmed(months, 2))
        } else {
            format!("{} days", trimmed(term.days, 6))
        };
        let mut form = Self {
            lines: [
                TextInput::new(format!("{} GB", trimmed(term.gb, 6))),
                TextInput::new(span),
            ],
            focused: 0,
            complaint: None,
        };
        form.focus(0);
        form
    }

    /// The lines, in the order of [`LABELS`].
    pub const fn lines(&self) -> &[TextInput; 2] {
        &self.lines
    }

    /// The place of the line that is typed into.
    pub const fn focused(&self) -> usize {
        self.focused
    }

    /// Types into another line.
    pub fn focus(&mut self, index: usize) {
        self.lines[self.focused].deselect();
        self.focused = index.min(self.lines.len() - 1);
        self.lines[self.focused].select_all();
    }

    /// Types into the line that has the focus.
    pub(super) fn edit(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        edit(&mut self.lines[self.focused]);
        self.complaint = None;
    }

    /// The size in GB.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn gb(&self) -> Result<f64, String> {
        const UNITS: &[(&str, f64)] = &[("tb", 1000.0), ("gb", 1.0), ("mb", 0.001)];
        let gb = quantity(self.lines[0].text(), UNITS)
            .ok_or("not a size: 500, 500 GB or 2 TB is one")?;
        Input::VolumeGb.check(gb).map_err(|error| error.to_string())
    }

    /// The days of the term.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub fn days(&self) -> Result<f64, String> {
        const UNITS: &[(&str, f64)] = &[
            ("months", DAYS_PER_MONTH),
            ("month", DAYS_PER_MONTH),
            ("mo", DAYS_PER_MONTH),
            ("weeks", DAYS_PER_WEEK),
            ("week", DAYS_PER_WEEK),
            ("w", DAYS_PER_WEEK),
            ("hours", 1.0 / HOURS_PER_DAY),
            ("hour", 1.0 / HOURS_PER_DAY),
            ("h", 1.0 / HOURS_PER_DAY),
            ("days", 1.0),
            ("day", 1.0),
            ("d", 1.0),
            ("", DAYS_PER_MONTH),
        ];
        let days = quantity(self.lines[1].text(), UNITS)
            .ok_or("not a span: 3 months, 45 days or 2 weeks is one; a bare number is months")?;
        Input::Days.check(days).map_err(|error| error.to_string())
    }

    /// The term, if both lines are right.
    ///
    /// # Errors
    /// The place of the first line that is wrong, and what is wrong with it.
    pub fn term(&self) -> Result<VolumeTerm, (usize, String)> {
        Ok(VolumeTerm {
            gb: self.gb().map_err(|why| (0, why))?,
            days: self.days().map_err(|why| (1, why))?,
        })
    }
}

/// A plain number with one of the units, or without one.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, factor) = units
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))
        .unwrap_or((&text, 1.0));
    let number = number.trim().replace('_', "");
    let is_plain = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value = number.parse::<f64>().ok().filter(|_| is_plain)?;
    Some(value * factor)
}

/// Whether the price of volumes is meant, and not that of offers.
pub(super) fn is_meant(model: &Model) -> bool {
    model.state.pane == Pane::Volumes || model.contexts().contains(&super::keymap::Context::Basket)
}

/// Opens the form.
pub(super) fn open(model: &mut Model) {
    let form = VolumeForm::new(model.state.browsers[Resource::Volumes].figures.term);
    model.overlays.push(Overlay::Volume(form));
}

/// Does what a verb means in the form.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let Some(Overlay::Volume(form)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    match action {
        Action::Down | Action::Up => form.focus(1 - form.focused),
        Action::Back => drop(model.overlays.pop()),
        Action::Remove => {
            model.overlays.pop();
            model.state.browsers[Resource::Volumes].set_term(None);
            model.show(Toast::new("Volumes are priced per GB again", now));
        }
        Action::Submit => match form.term() {
            Err((index, why)) => {
                form.focus(index);
                form.complaint = Some(format!("{}: {why}.", LABELS[index]));
            }
            Ok(term) => {
                model.overlays.pop();
                model.state.browsers[Resource::Volumes].set_term(Some(term));
                if model.state.pane == Pane::Volumes {
                    model.show(Toast::new("Term $ is a column now: s sorts by it", now));
                }
            }
        },
        _ => {}
    }
    Vec::new()
}

impl Browser {
    /// Prices the volumes for a size and term, or for none; the columns come and go with it.
    pub fn set_term(&mut self, term: Option<VolumeTerm>) {
        if self.is_at_top() {
            self.go_to_top();
        }
        self.figures.term = term;
        if term.is_some() {
            self.show_columns(&COLUMNS, "storage_cost");
        } else {
            self.hide_columns(&COLUMNS);
            self.query
                .order
                .retain(|key| !COLUMNS.contains(&key.field.key));
        }
        self.revalue();
    }
}
