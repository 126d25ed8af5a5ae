//! A job in a word, for the command line: `3d,200GB,300GB-down`.

use std::str::FromStr;

use super::{Input, Job};
use crate::domain::quantity::{self, Quantity};
use crate::domain::query::DEFAULT_STORAGE_GB;

/// What a part of the text sets, by its ending after a `-` or a blank.
const ENDINGS: [(&str, Input); 7] = [
    ("down", Input::GbIn),
    ("in", Input::GbIn),
    ("up", Input::GbOut),
    ("out", Input::GbOut),
    ("disk", Input::DiskGb),
    ("stopped", Input::StoppedHours),
    ("dlperf-hours", Input::Work),
];

impl FromStr for Job {
    type Err = String;

    /// Reads parts between commas: a duration is the run time, a size the disk; `300GB-down`,
    /// `50GB-up` and `2d-stopped` say more, and `5000dlperf-hours` replaces the run time.
    ///
    /// ```
    /// use bourse::domain::cost::Job;
    /// let job: Job = "3d,200GB,300GB-down".parse().unwrap();
    /// assert_eq!((job.run_hours, job.disk_gb, job.gb_in, job.gb_out), (72.0, 200.0, 300.0, 0.0));
    /// ```
    fn from_str(text: &str) -> Result<Self, String> {
        let mut job = Self {
            run_hours: 0.0,
            stopped_hours: 0.0,
            disk_gb: DEFAULT_STORAGE_GB,
            gb_in: 0.0,
            gb_out: 0.0,
            work_dlperf_hours: None,
        };
        let mut is_timed = false;
        for part in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let (input, value) = read(part)?;
            is_timed |= matches!(input, Input::RunHours | Input::Work);
            match input {
                Input::RunHours => job.run_hours = value,
                Input::StoppedHours => job.stopped_hours = value,
                Input::DiskGb => job.disk_gb = value,
                Input::GbIn => job.gb_in = value,
                Input::GbOut => job.gb_out = value,
                Input::Work => job.work_dlperf_hours = Some(value),
                Input::VolumeGb | Input::Days => {}
            }
        }
        if is_timed {
            Ok(job)
        } else {
            Err("a job needs a run time, e.g. 3d,200GB,300GB-down".to_owned())
        }
    }
}

/// The input that a part sets, and its value.
fn read(part: &str) -> Result<(Input, f64), String> {
    let lower = part.to_ascii_lowercase();
    let ending = ENDINGS.iter().find_map(|(ending, input)| {
        let rest = lower.strip_suffix(ending)?;
        let rest = rest.trim_end_matches(['-', ' ']);
        (!rest.is_empty()).then_some((rest, *input))
    });
    let of = |text: &str, quantity, input: Input| {
        let value = quantity::within(text, quantity, 0.0..=input.most());
        value.map(|value| (input, value))
    };
    let value = match ending {
        Some((rest, Input::StoppedHours)) => of(rest, Quantity::Hours, Input::StoppedHours),
        Some((rest, Input::Work)) => of(rest, Quantity::Number, Input::Work),
        Some((rest, input)) => of(rest, Quantity::Gigabytes, input),
        // A bare number is hours.
        None => of(&lower, Quantity::Hours, Input::RunHours)
            .or_else(|_| of(&lower, Quantity::Gigabytes, Input::DiskGb)),
    };
    value.map_err(|_| {
        format!("'{part}' is no part of a job: write e.g. 3d,200GB,300GB-down,50GB-up,2d-stopped")
    })
}
