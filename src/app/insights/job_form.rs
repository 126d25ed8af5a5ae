//! The form of a job: what it needs, checked while it is typed.

use super::After;
use crate::app::Model;
use crate::app::browser::Browser;
use crate::app::keymap::Action;
use crate::app::message::{Effect, Toast};
use crate::app::remote::Now;
use crate::domain::cost::{Input, Job};
use crate::domain::format::trimmed;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{OrderKey, Query, Resource};
use crate::widgets::text_input::TextInput;

/// The inputs, in the order in which they stand.
pub const INPUTS: [Input; 6] = [
    Input::RunHours,
    Input::StoppedHours,
    Input::DiskGb,
    Input::GbIn,
    Input::GbOut,
    Input::Work,
];

/// The columns that a job adds to the table.
pub(in crate::app) const COLUMNS: [&str; 3] = ["job_cost", "job_spare", "job_time"];

/// The form.
#[derive(Debug)]
pub struct JobForm {
    lines: [TextInput; 6],
    focused: usize,
}

impl JobForm {
    /// A form with the numbers of a job, or of a usual one with the disk that a search is for.
    pub fn new(job: Option<Job>, disk_gb: Option<f64>) -> Self {
        let job = job.unwrap_or_else(|| {
            let usual = Job::default();
            Job {
                disk_gb: disk_gb.unwrap_or(usual.disk_gb),
                ..usual
            }
        });
        let number = |value: f64| TextInput::new(trimmed(value, 6));
        let mut form = Self {
            lines: [
                number(job.run_hours),
                number(job.stopped_hours),
                number(job.disk_gb),
                number(job.gb_in),
                number(job.gb_out),
                job.work_dlperf_hours
                    .map_or_else(TextInput::default, number),
            ],
            focused: 0,
        };
        form.focus(0);
        form
    }

    /// The lines, in the order of [`INPUTS`].
    pub const fn lines(&self) -> &[TextInput; 6] {
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
    }

    /// The number in a line, or what is wrong with it.
    ///
    /// # Errors
    /// When the line does not hold a number that its input takes.
    pub fn value(&self, index: usize) -> Result<Option<f64>, String> {
        let input = INPUTS[index];
        let text = self.lines[index].text().trim();
        if text.is_empty() {
            return match input {
                Input::Work => Ok(None),
                _ => Err("a number is needed: 0 for none".to_owned()),
            };
        }
        let value = quantity(text, input).ok_or_else(|| example(input).to_owned())?;
        input
            .check(value)
            .map(Some)
            .map_err(|error| format!("from 0 to {}", trimmed(error.most, 0)))
    }

    /// The job, if every line is right.
    ///
    /// # Errors
    /// The place of the first line that is wrong, and what is wrong with it.
    pub fn job(&self) -> Result<Job, (usize, String)> {
        let value = |index: usize| {
            self.value(index)
                .map(|value| value.unwrap_or(0.0))
                .map_err(|why| (index, why))
        };
        Ok(Job {
            run_hours: value(0)?,
            stopped_hours: value(1)?,
            disk_gb: value(2)?,
            gb_in: value(3)?,
            gb_out: value(4)?,
            work_dlperf_hours: self.value(5).map_err(|why| (5, why))?,
        })
    }
}

/// Suffixes that a line understands, with what they multiply by.
const fn suffixes(input: Input) -> &'static [(&'static str, f64)] {
    match input {
        Input::RunHours | Input::StoppedHours | Input::Days => &[
            ("minutes", 1.0 / 60.0),
            ("min", 1.0 / 60.0),
            ("hours", 1.0),
            ("hour", 1.0),
            ("h", 1.0),
            ("days", 24.0),
            ("day", 24.0),
            ("d", 24.0),
            ("weeks", 168.0),
            ("week", 168.0),
            ("w", 168.0),
        ],
        Input::DiskGb | Input::GbIn | Input::GbOut | Input::VolumeGb => {
            &[("mb", 0.001), ("gb", 1.0), ("tb", 1000.0)]
        }
        Input::Work => &[],
    }
}

const fn example(input: Input) -> &'static str {
    match input {
        Input::RunHours | Input::StoppedHours | Input::Days => "not a number of hours: 24, 3d, 2w",
        Input::DiskGb | Input::GbIn | Input::GbOut | Input::VolumeGb => {
            "not a number of GB: 50, 1.5TB"
        }
        Input::Work => "not a number: DLPerf times hours, or nothing",
    }
}

/// A number with a unit of its input, or without.
fn quantity(text: &str, input: Input) -> Option<f64> {
    let text = text.to_ascii_lowercase();
    let suffix = suffixes(input)
        .iter()
        .find_map(|(suffix, factor)| Some((text.strip_suffix(suffix)?, *factor)));
    let (number, factor) = suffix.unwrap_or((&text, 1.0));
    let number = number.trim().replace('_', "");
    let is_plain = number
        .chars()
        .all(|character| character.is_ascii_digit() || matches!(character, '.' | '-'));
    let value = number.parse::<f64>().ok().filter(|_| is_plain)?;
    Some(value * factor)
}

/// Does what an action asks of the form.
pub(super) fn act(
    form: &mut JobForm,
    model: &mut Model,
    now: Now,
    action: Action,
    effects: &mut Vec<Effect>,
) -> After {
    let last = INPUTS.len() - 1;
    match action {
        Action::Down => form.focus((form.focused + 1) % INPUTS.len()),
        Action::Up => form.focus(form.focused.checked_sub(1).unwrap_or(last)),
        Action::Remove => {
            effects.extend(super::forget_job(model, now));
            return After::Close;
        }
        Action::Submit => match form.job() {
            Err((index, why)) => {
                form.focus(index);
                let text = format!("{}: {why}", INPUTS[index].label());
                model.show(Toast::error(text, now));
            }
            Ok(job) => {
                effects.extend(set(model, now, Some(job)));
                let sort = model.state.keymap.way_to("sort");
                let text = format!("Job $ is a column now: {sort} sorts by it");
                model.show(Toast::new(text, now));
                return After::Close;
            }
        },
        _ => {}
    }
    After::Stay
}

/// Prices the offers for a job or for none, and asks the market for the prices with its disk.
pub(super) fn set(model: &mut Model, now: Now, job: Option<Job>) -> Vec<Effect> {
    let crate::app::State {
        browsers, tickets, ..
    } = &mut model.state;
    let offers = &mut browsers[Resource::Offers];
    if offers.set_job(job) {
        offers.ask(tickets, now)
    } else {
        Vec::new()
    }
}

impl Browser {
    /// Runs a saved search; a job that was saved with it takes the place of the one there is.
    pub fn load_saved(&mut self, query: Query, words: Vec<String>, job: Option<Job>) {
        if job.is_some() && job != self.figures.job {
            self.set_job(job);
        }
        self.load(query, words);
    }

    /// Prices the offers for a job, or for none; its columns come and go with it, and an order by
    /// price follows. The job's disk is the storage that prices include. True if the market must
    /// be asked for those.
    pub fn set_job(&mut self, job: Option<Job>) -> bool {
        let before = self.query.clone();
        match (self.figures.job, job) {
            (None, Some(_)) => {
                self.figures.jobless_storage = self.query.storage;
                self.reorder("dph_total", "job_cost");
            }
            (Some(_), None) => {
                self.query.storage = self.figures.jobless_storage.or(Some(DEFAULT_STORAGE_GB));
                self.reorder("job_cost", "dph_total");
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
        if self.is_at_top() {
            self.go_to_top();
        }
        self.figures.job = job;
        self.take_disk_of_job();
        self.hide_columns(&COLUMNS);
        if let Some(job) = job {
            let many = if job.work_dlperf_hours.is_some() {
                3
            } else {
                2
            };
            self.show_columns(&COLUMNS[..many], "dph_total");
        } else {
            self.query
                .order
                .retain(|key| !COLUMNS.contains(&key.field.key));
        }
        self.revalue();
        self.asks_other_than(&before)
    }

    /// Makes the job's disk, if there is a job, the storage that prices include.
    pub(in crate::app) fn take_disk_of_job(&mut self) {
        if let Some(job) = self.figures.job {
            self.query.storage = Some(job.disk_gb);
        }
    }

    /// Orders by another column in place of one, unless it is a key already.
    fn reorder(&mut self, from: &str, to: &str) {
        let order = &mut self.query.order;
        if order.iter().any(|key| key.field.key == to) {
            return;
        }
        let key = order.iter_mut().find(|key| key.field.key == from);
        if let (Some(key), Some(field)) = (key, self.query.resource.catalog().column(to)) {
            *key = OrderKey { field, ..*key };
        }
    }
}
