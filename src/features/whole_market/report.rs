//! The progress and the summary of a full load.

use super::rules::{FILL, FIXED, Plan, STEADY};
use super::sweep::{count, whole};
use crate::domain::insight::Coverage;
use crate::domain::text::truncate;
use crate::domain::{Condition, format, language};

/// The reason a part is incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// No field that the market filters on divides it further.
    Alike,
    /// The response had fewer records than requested, without a sign whether there are more.
    Capped(usize),
    /// The market ignores the condition.
    Ignored,
    Failed(String),
    /// The load ended before this part.
    Stopped(&'static str),
}

impl Why {
    /// The reason a part of a full load is incomplete, as a phrase for the verdict.
    fn text(&self) -> String {
        match self {
            Self::Alike => "more than one response brings, and no condition divides it further".to_owned(),
            Self::Capped(most) => format!("the market may send at most {} records at once", format::grouped(*most)),
            Self::Ignored => "the market ignores the conditions that would single it out".to_owned(),
            Self::Failed(error) => error.clone(),
            Self::Stopped(why) => (*why).to_owned(),
        }
    }
}

/// An incomplete part of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    /// Its conditions, in addition to those of the search.
    pub conditions: Vec<Condition>,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub loaded: usize,
    /// Estimated total number of offers, with the first response as a sample; `None` while it
    /// cannot be estimated.
    pub total: Option<usize>,
    pub requests: usize,
    /// Estimated number of requests left, if it can be estimated.
    pub left: Option<usize>,
}

impl Progress {
    /// The progress of a full load: a bar and an estimate of offers, requests and time left, `seconds` after
    /// the start; without an estimate, the counts so far.
    pub fn text(&self, seconds: f64) -> String {
        const CELLS: usize = 12;
        let (loaded, next) = (format::grouped(self.loaded), self.requests + 1);
        let Some((total, left)) = self.total.zip(self.left) else {
            return format!("{loaded} offers, request {next}");
        };
        let filled = (CELLS * self.requests / (self.requests + left).max(1)).min(CELLS);
        let bar = "█".repeat(filled) + &"░".repeat(CELLS - filled);
        let rest = seconds / (self.requests.max(1) as f64) * (left as f64);
        let (total, all) = (format::grouped(total), self.requests + left);
        format!(
            "{bar} {loaded} of about {total} offers, request {next} of about {all}, about {} left",
            format::brief(rest)
        )
    }
}

impl Progress {
    /// The progress of a full load as short text, for a narrow screen: `1,200 of about 9,000`, or without an
    /// estimate `1,200 offers`.
    pub fn short(&self) -> String {
        let loaded = format::grouped(self.loaded);
        match self.total {
            Some(total) => format!("{loaded} of about {}", format::grouped(total)),
            None => format::counted(self.loaded, "offer", "offers"),
        }
    }
}

impl Plan {
    /// An estimate of the number of requests left, and their maximum; `None` except after the first response,
    /// if that is or may be truncated.
    pub fn estimate(&self) -> Option<String> {
        let sample = self
            .sample
            .as_ref()
            .filter(|_| self.requests == 1 && !self.sweeps.is_empty())?;
        let parts = whole((sample.guess * count(sample.ids.len()) / (FILL * count(self.size))).ceil());
        // And those without a value in the field that divides it.
        let more = format::counted(parts.max(2) + 1, "more request", "more requests");
        let budget = format!("{} in all at most", self.budget);
        Some(if self.is_doubtful {
            let offers = format::counted(sample.ids.len(), "offer", "offers");
            format!("{offers} in the first response, perhaps all: {more} if they are, {budget}")
        } else {
            format!("one response does not bring all: about {more}, {budget}")
        })
    }

    /// The reasons for doubt although every part is complete: the keys of the fields that offers may lack,
    /// and of those whose value may have changed meanwhile.
    fn doubts(&self) -> [Vec<&'static str>; 2] {
        let divided = || self.divided.iter().filter(|(field, _)| field.key != STEADY);
        let blank = divided().filter(|(_, is_answered)| !is_answered);
        let moving = divided().filter(|(field, _)| !FIXED.contains(&field.key));
        [
            blank.map(|(field, _)| field.key).collect(),
            moving.map(|(field, _)| field.key).collect(),
        ]
    }

    /// Whether the loaded offers are all of the search: `Cut` if a search for a part of them stayed
    /// incomplete, `Unknown` if offers may be missing nevertheless, else `Whole`.
    pub fn coverage(&self) -> Coverage {
        match (self.open.is_empty(), self.doubts().concat().is_empty()) {
            (false, _) => Coverage::Cut,
            (true, false) => Coverage::Unknown,
            (true, true) => Coverage::Whole,
        }
    }

    /// The result of a full load: one line with the counts and any doubts if every part is complete;
    /// otherwise a heading, a line for each of the first 5 incomplete parts, with its reason, and the number
    /// of the others.
    pub fn verdict(&self) -> Vec<String> {
        const MOST: usize = 5;
        let Progress { loaded, requests, .. } = self.progress();
        let offers = format::counted(loaded, "offer", "offers");
        let requests = format::counted(requests, "request", "requests");
        if self.open().is_empty() {
            return vec![match &self.doubts().map(|keys| keys.join(", "))[..] {
                [blank, moving] if blank.is_empty() && moving.is_empty() => format!("all {offers}, in {requests}"),
                [blank, moving] if moving.is_empty() => {
                    format!("{offers}, in {requests}: others without {blank} may be missing")
                }
                [blank, moving] if blank.is_empty() => {
                    format!("{offers}, in {requests}: others whose {moving} changed meanwhile may be missing")
                }
                [blank, moving, ..] => format!(
                    "{offers}, in {requests}: others without {blank}, or whose {moving} changed meanwhile, may be missing"
                ),
                [] | [_] => format!("{offers}, in {requests}"),
            }];
        }
        let mut lines = vec![format!("not all: {offers}, in {requests}; what is incomplete:")];
        lines.extend(self.open().iter().take(MOST).map(|open| {
            let what = match &open.conditions[..] {
                [] => "the whole search".to_owned(),
                conditions => language::print_briefly(conditions),
            };
            format!("{}: {}", truncate(&what, 200), open.why.text())
        }));
        if let Some(more) = self.open().len().checked_sub(MOST).filter(|more| *more > 0) {
            lines.push(format!("and {}", format::counted(more, "more part", "more parts")));
        }
        lines
    }
}
