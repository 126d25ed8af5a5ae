//! A job as text, for command lines and for shared searches: `3d,200GB,300GB-down`.

use std::ops::Range;
use std::str::FromStr;

use super::{Input, Job};
use crate::deadline;
use crate::language::LanguageError;
use crate::quantity::{self, Quantity};
use crate::query::DEFAULT_STORAGE_GB;
use crate::throughput::Work;
use crate::time::UnixTime;

/// The input that a part of a job sets, by the word after its number.
const ENDINGS: [(&str, Input); 10] = [
    ("run", Input::RunHours),
    ("stopped", Input::StoppedHours),
    ("disk", Input::DiskGb),
    ("down", Input::GbIn),
    ("download", Input::GbIn),
    ("in", Input::GbIn),
    ("up", Input::GbOut),
    ("upload", Input::GbOut),
    ("out", Input::GbOut),
    ("dlperf-hours", Input::Work),
];

/// The kind of quantity, with its units, in which a value of this input is written.
const fn quantity_of(input: Input) -> Quantity {
    match input {
        Input::RunHours | Input::StoppedHours => Quantity::Hours,
        Input::DiskGb | Input::GbIn | Input::GbOut | Input::VolumeGb => Quantity::Gigabytes,
        Input::Work | Input::Amount | Input::Deadline => Quantity::Number,
        Input::Days => Quantity::Days,
    }
}

impl FromStr for Job {
    type Err = LanguageError;

    /// Reads a job as [`Job::from_spec`] does.
    fn from_str(text: &str) -> Result<Self, LanguageError> {
        Self::from_spec(text)
    }
}

impl Job {
    /// Reads parts separated by commas; blank ones are ignored.
    ///
    /// A duration is the run time, a size the disk; `300GB-down`, `50GB-up` and `2d-stopped` name others,
    /// `500M-tokens` or `5000-dlperf-hours` replaces the run time, and `by-2026-12-01T18:00Z` is the
    /// deadline. The default disk is the storage that prices include by default; the default traffic is none.
    ///
    /// # Errors
    /// If a part is wrong, out of range or given twice, or unless exactly one of run time and work is given.
    ///
    /// ```
    /// use bourse_domain::cost::Job;
    /// let job = Job::from_spec("3d,200GB,300GB-down").unwrap();
    /// assert_eq!((job.run_hours, job.disk_gb, job.gb_in, job.gb_out), (72.0, 200.0, 300.0, 0.0));
    /// ```
    pub fn from_spec(text: &str) -> Result<Self, LanguageError> {
        let mut job = Self {
            run_hours: 0.0,
            disk_gb: DEFAULT_STORAGE_GB,
            gb_in: 0.0,
            gb_out: 0.0,
            ..Self::default()
        };
        let mut given: Vec<Input> = Vec::new();
        let mut start = 0;
        for part in text.split(',') {
            let trimmed = part.trim();
            let begin = start + (part.len() - part.trim_start().len());
            start += part.len() + 1;
            if trimmed.is_empty() {
                continue;
            }
            let span = begin..begin + trimmed.len();
            let work = trimmed.parse::<Work>().ok();
            let (input, value) = match work {
                Some(work) => (Input::Amount, work.amount),
                None => read(trimmed, &span)?,
            };
            if given.contains(&input) {
                let message = format!("{} given twice: keep one", input.label());
                return Err(LanguageError::new(span, message));
            }
            given.push(input);
            match input {
                Input::RunHours => job.run_hours = value,
                Input::StoppedHours => job.stopped_hours = value,
                Input::DiskGb => job.disk_gb = value,
                Input::GbIn => job.gb_in = value,
                Input::GbOut => job.gb_out = value,
                Input::Work => job.work_dlperf_hours = Some(value),
                Input::Amount => job.work = work,
                Input::Deadline => job.deadline = Some(UnixTime::new(value)),
                Input::VolumeGb | Input::Days => {}
            }
        }
        let end = text.len()..text.len();
        let lengths = [Input::RunHours, Input::Work, Input::Amount];
        match lengths.iter().filter(|input| given.contains(input)).count() {
            1 => Ok(job),
            0 => Err(LanguageError::new(
                end,
                "a job needs a run time or work, e.g. 3d,200GB,300GB-down or 500M-tokens,200GB",
            )),
            _ => Err(LanguageError::new(
                0..text.len(),
                "a job has a run time or work, not both",
            )),
        }
    }
}

/// The input that one part of a written job sets, and its value: `3d`, `200GB`, `300gb-down`, `by-…`. A bare
/// number is hours. `span` is the range that an error points at.
fn read(part: &str, span: &Range<usize>) -> Result<(Input, f64), LanguageError> {
    let lower = part.to_ascii_lowercase();
    let wrong = |why: &dyn std::fmt::Display| LanguageError::new(span.clone(), why.to_string());
    let of = |text: &str, input: Input| {
        quantity::within(text, quantity_of(input), 0.0..=input.maximum()).map(|value| (input, value))
    };
    let due = lower.strip_prefix("by").filter(|due| due.starts_with(['-', ' ']));
    if let Some(due) = due {
        let at = deadline::absolute(&due[1..]).and_then(|at| Input::Deadline.check(at.seconds()).ok());
        let wanted = "a deadline here is a full time such as by-2026-12-01T18:00Z; --by takes friday or 18:00";
        return at.map(|at| (Input::Deadline, at)).ok_or_else(|| wrong(&wanted));
    }
    let ending = ENDINGS.iter().find_map(|(ending, input)| {
        let rest = lower.strip_suffix(ending)?;
        // A unit such as “min” also ends with a word in the list.
        let number = rest.trim_end_matches(['-', ' ']);
        let is_apart = number.len() < rest.len() || *input == Input::Work;
        (is_apart && !number.is_empty()).then_some((number, *input))
    });
    if let Some((number, input)) = ending {
        return of(number, input).map_err(|error| wrong(&error));
    }
    // A bare number is hours.
    for input in [Input::RunHours, Input::DiskGb] {
        if quantity::parse(&lower, quantity_of(input)).is_ok() {
            return of(&lower, input).map_err(|error| wrong(&error));
        }
    }
    let message =
        format!("'{part}' is no part of a job: write 3d, 200GB, 300GB-down, 50GB-up, 2d-stopped or 500M-tokens");
    Err(wrong(&message))
}

impl Job {
    /// The job as text that [`Job::from_spec`] reads back, to six decimal places: its length, its disk, then
    /// its traffic, stopped hours and deadline if there are any.
    pub fn spec(&self) -> String {
        let hours = |hours: f64| quantity::write(hours, Quantity::Hours);
        let size = |gb: f64| quantity::write(gb, Quantity::Gigabytes);
        let mut parts = vec![match (self.work, self.work_dlperf_hours) {
            (Some(work), _) => work.to_string().replace(' ', "-"),
            (None, Some(work)) => format!("{}-dlperf-hours", quantity::write(work, Quantity::Number)),
            (None, None) => hours(self.run_hours),
        }];
        parts.push(size(self.disk_gb));
        let amounts = [
            (self.gb_in, size(self.gb_in), "down"),
            (self.gb_out, size(self.gb_out), "up"),
            (self.stopped_hours, hours(self.stopped_hours), "stopped"),
        ];
        let more = amounts.into_iter().filter(|(value, ..)| *value > 0.0);
        parts.extend(more.map(|(_, text, ending)| format!("{text}-{ending}")));
        parts.extend(self.deadline.map(|at| format!("by-{}", deadline::written(at))));
        parts.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, wanted: [f64; 5], work: Option<f64>) {
        let job: Job = text.parse().unwrap_or_else(|why| panic!("{text}: {why}"));
        let got = [job.run_hours, job.disk_gb, job.gb_in, job.gb_out, job.stopped_hours];
        for (got, wanted) in got.into_iter().zip(wanted) {
            assert!((got - wanted).abs() < 1e-9, "{text}: {got} is not {wanted}");
        }
        assert_eq!(job.work_dlperf_hours, work, "{text}");
        assert_eq!(job.spec().parse(), Ok(job), "{text}: {}", job.spec());
    }

    #[test]
    fn unit_and_word_distinguish_the_parts_of_a_job() {
        reads("3d", [72.0, 8.0, 0.0, 0.0, 0.0], None);
        reads("3d,200GB,300GB-down", [72.0, 200.0, 300.0, 0.0, 0.0], None);
        reads("300 GB down, 1TB, 90 min", [1.5, 1000.0, 300.0, 0.0, 0.0], None);
        reads("24h,50gb-out,2d-stopped,5GB in", [24.0, 8.0, 5.0, 50.0, 48.0], None);
        reads("5000-dlperf-hours,1.5TB", [0.0, 1500.0, 0.0, 0.0, 0.0], Some(5000.0));
        reads("72-run,100-disk,10-upload", [72.0, 100.0, 0.0, 10.0, 0.0], None);
    }

    #[test]
    fn a_mistake_is_underlined_and_explained() {
        for (text, wanted) in [
            (
                "3d,soon",
                "3d,soon\n   ^^^^\n'soon' is no part of a job: write 3d, 200GB, 300GB-down, 50GB-up, 2d-stopped or \
                    500M-tokens",
            ),
            (
                "200GB",
                "200GB\n     ^\na job needs a run time or work, e.g. 3d,200GB,300GB-down or 500M-tokens,200GB",
            ),
            ("3d, 2d", "3d, 2d\n    ^^\nrun hours given twice: keep one"),
            (
                "3d,5GB-stopped",
                "3d,5GB-stopped\n   ^^^^^^^^^^^\nNot a duration: write 24, 24h, 3d or 2w",
            ),
            ("-1d-run", "-1d-run\n^^^^^^^\nOut of range: 0 to 1,000,000 hours"),
            (
                "3d,9-dlperf-hours",
                "3d,9-dlperf-hours\n^^^^^^^^^^^^^^^^^\na job has a run time or work, not both",
            ),
        ] {
            let error = Job::from_spec(text).unwrap_err();
            assert_eq!(error.render(text), wanted);
        }
    }
}
