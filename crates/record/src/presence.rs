//! The times at which a line was on offer, from all scopes that cover a question.
//!
//! Each scope has its own polls, and each poll that would contain the line shows whether it is there. The
//! latest one decides, whichever scope it belongs to.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Cause, Ending, PollOutcome, PollRow, Proof};

/// A usable response of a scope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    pub row: PollRow,
    pub proof: Proof,
}

impl Response {
    /// The time of the response, in seconds since 1970.
    pub const fn at(&self) -> i64 {
        self.row.at.0
    }

    /// The moment, in seconds since 1970, until which its content is up to date without a further response.
    fn horizon(&self) -> i64 {
        self.at().saturating_add(self.row.patience())
    }

    /// The price ($/h at the scope's storage) below which it has every line; infinite if it is complete,
    /// negatively infinite if it proves nothing about absent lines.
    const fn ceiling(&self) -> f64 {
        match self.proof {
            Proof::Complete => f64::INFINITY,
            Proof::UpTo(below) => below,
            Proof::Some | Proof::Nothing => f64::NEG_INFINITY,
        }
    }

    /// Whether the response would contain a line with this standing, so that its absence means something: it
    /// is complete, or has all lines below a price, and the line's price is known and below that. Never for
    /// lines that the scope excludes.
    fn is_decisive(&self, standing: Standing) -> bool {
        match self.proof {
            _ if standing.is_outside => false,
            Proof::Complete => true,
            Proof::UpTo(below) => standing.total.is_some_and(|total| total < below),
            Proof::Some | Proof::Nothing => false,
        }
    }

    /// The meaning of a line's absence from a response that would contain it: gone for an unknown cause if
    /// the response is complete, else hidden, which is gone or more expensive.
    fn absence(&self) -> Kind {
        if self.proof == Proof::Complete {
            Kind::Gone(Cause::Unknown)
        } else {
            Kind::Hidden
        }
    }
}

/// The number of responses that share one ceiling.
const BLOCK: usize = 64;

/// The usable responses of a scope in a time, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Watch {
    pub responses: Vec<Response>,
    /// The highest ceiling of each [`BLOCK`] of responses.
    ceilings: Vec<f64>,
}

impl Watch {
    /// The watch of a scope with these usable responses, which are in order of time.
    pub fn new(responses: Vec<Response>) -> Self {
        let highest = |block: &[Response]| block.iter().map(Response::ceiling).fold(f64::NEG_INFINITY, f64::max);
        Self {
            ceilings: responses.chunks(BLOCK).map(highest).collect(),
            responses,
        }
    }

    /// The last response; `None` without responses.
    pub fn last(&self) -> Option<&Response> {
        self.responses.last()
    }

    /// The last response before a moment; `None` if there is none.
    pub fn before(&self, at: i64) -> Option<&Response> {
        let index = self.responses.partition_point(|response| response.at() < at);
        self.responses.get(index.checked_sub(1)?)
    }

    /// The first response after a moment; `None` if there is none.
    fn after(&self, at: i64) -> Option<&Response> {
        self.responses
            .get(self.responses.partition_point(|response| response.at() <= at))
    }

    /// The first response after a moment that would contain a line with its standing at the time of the
    /// response; `None` if there is none. The line's total is never below `least`.
    fn decisive_after(&self, at: i64, least: f64, standing: &dyn Fn(i64) -> Standing) -> Option<&Response> {
        let mut index = self.responses.partition_point(|response| response.at() <= at);
        loop {
            let block = index / BLOCK;
            let end = (block + 1) * BLOCK;
            let within = self.responses.get(index..end.min(self.responses.len()))?;
            let found = (*self.ceilings.get(block)? > least).then(|| {
                within
                    .iter()
                    .find(|response| response.is_decisive(standing(response.at())))
            });
            if let Some(found) = found.flatten() {
                return Some(found);
            }
            index = end;
        }
    }
}

/// The state of a line at a moment, as a scope sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Whether it does not meet the conditions of the scope, so that its absence means nothing.
    pub is_outside: bool,
    /// $/h at the storage of the scope.
    pub total: Option<f64>,
}

/// A time in which the responses of a scope contained the line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    pub first: i64,
    /// Whether the preceding response, shortly before, would have contained it.
    pub is_listed: bool,
    /// The last response that contained it.
    pub last: i64,
    /// The reason and the response with which it was gone; `None` if that was not seen.
    pub gone: Option<(Cause, i64)>,
}

impl Run {
    /// Whether a moment is within the run, both ends included.
    const fn holds(&self, at: i64) -> bool {
        self.first <= at && at <= self.last
    }
}

/// The sightings of a line by the responses of one scope.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    pub watch: &'a Watch,
    /// The runs in order of time.
    pub runs: &'a [Run],
    /// The lowest total that the line ever had at the scope's storage; infinite if none is known.
    pub least: f64,
}

/// A time in which a line was on offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Presence {
    pub first: i64,
    pub is_listed: bool,
    /// The last response with the line.
    pub last: i64,
    /// The end and its time; `None` while it is on offer.
    pub end: Option<(Ending, i64)>,
}

impl Presence {
    /// The first second at which it is no longer on offer; `i64::MAX` while it is.
    pub const fn stop(&self) -> i64 {
        match self.end {
            Some((Ending::Gone(_) | Ending::Changed, at)) => at,
            Some((Ending::LostSight, at)) => at.saturating_add(1),
            None => i64::MAX,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Seen {
        is_listed: bool,
    },
    /// Gone or more expensive than before: missing from a response that proves prices up to a bound.
    Hidden,
    Gone(Cause),
}

/// A statement of a response about the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    at: i64,
    // Of two statements at the same moment the sighting counts, so it comes last.
    is_seen: bool,
    /// 0 if it differs from the preceding response of the scope, else the number of times another scope contradicted
    /// it.
    level: u8,
    sight: usize,
    kind: Kind,
}

/// The maximum number of times scopes may contradict each other about one change.
///
/// A second opinion of each scope settles which of two is out of date. Two that keep contradicting each other would
/// fill the tape with arrivals.
const LEVELS: u8 = 2;

/// The times in which a line was on offer, in order, from its sights by all scopes. `standing(sight, moment)`
/// is the line's state for the scope of the sight with that index.
pub fn presences(sights: &[Sight<'_>], standing: &dyn Fn(usize, i64) -> Standing) -> Vec<Presence> {
    let mut line = LineSights {
        sights,
        standing,
        said: BinaryHeap::new(),
        open: None,
        presences: Vec::new(),
    };
    line.follow();
    line.presences
}

struct LineSights<'a> {
    sights: &'a [Sight<'a>],
    standing: &'a dyn Fn(usize, i64) -> Standing,
    said: BinaryHeap<Reverse<Said>>,
    open: Option<Presence>,
    presences: Vec<Presence>,
}

impl LineSights<'_> {
    /// Collects the statements of all sights about the line, and goes through them in order of time to find
    /// when it was on offer.
    fn follow(&mut self) {
        for (index, sight) in self.sights.iter().enumerate() {
            for run in sight.runs {
                let is_listed = run.is_listed;
                self.add_statement((index, 0), run.first, Kind::Seen { is_listed });
                // Once out of sight, it is missing from the next response that would contain it.
                let missed = || {
                    let decisive = self.decisive_after(index, sight, run.last)?;
                    let next = sight.runs.iter().find(|next| next.first > run.last);
                    next.is_none_or(|next| next.first > decisive.at())
                        .then_some((decisive.absence(), decisive.at()))
                };
                let gone = run.gone.filter(|(_, at)| !(self.standing)(index, *at).is_outside);
                if let Some((kind, at)) = gone.map(|(cause, at)| (Kind::Gone(cause), at)).or_else(missed) {
                    self.add_statement((index, 0), at, kind);
                }
            }
        }
        while let Some(Reverse(said)) = self.said.pop() {
            self.end_if_lost(said.at);
            match said.kind {
                Kind::Seen { is_listed } => self.on_sighting(said, is_listed),
                Kind::Hidden => self.on_absence(said, None),
                Kind::Gone(cause) => self.on_absence(said, Some(cause)),
            }
        }
        let ends = self.sights.iter().filter_map(|sight| Some(sight.watch.last()?.at()));
        let Some(end) = ends.max() else { return };
        self.end_if_lost(end);
        if let Some(open) = self.open.take() {
            let (last, _) = seen(self.sights, open.first, i64::MAX);
            self.presences.push(Presence { last, ..open });
        }
    }

    /// The first response of a sight after a moment that would contain the line as it is at the time of the
    /// response; `None` if there is none. `index` is that of the sight.
    fn decisive_after<'w>(&self, index: usize, sight: &Sight<'w>, at: i64) -> Option<&'w Response> {
        let standing = |at| (self.standing)(index, at);
        sight.watch.decisive_after(at, sight.least, &standing)
    }

    /// Adds a statement of a sight about the line at a moment, to be considered in order of time. `level`
    /// counts contradictions.
    fn add_statement(&mut self, (sight, level): (usize, u8), at: i64, kind: Kind) {
        self.said.push(Reverse(Said {
            at,
            is_seen: matches!(kind, Kind::Seen { .. }),
            level,
            sight,
            kind,
        }));
    }

    /// Ends the open presence, as lost from sight, if it was last seen too long before a moment: no run spans
    /// the moment and the last response is out of date.
    fn end_if_lost(&mut self, at: i64) {
        let Some(open) = self.open else { return };
        let (last, horizon) = seen(self.sights, open.first, at.saturating_sub(1));
        let is_in_sight = self
            .sights
            .iter()
            .any(|sight| sight.runs.iter().any(|run| run.first < at && at <= run.last));
        if !is_in_sight && horizon < at {
            self.open = None;
            self.presences.push(Presence {
                last,
                end: Some((Ending::LostSight, last)),
                ..open
            });
        }
    }

    /// Considers a sighting: begins a presence if none is open, which counts as listed if the run is or if
    /// the line `was_missing` before; and asks the other scopes, which do not see the line now, for their
    /// next response that would contain it, up to `LEVELS` contradictions.
    fn on_sighting(&mut self, said: Said, is_listed: bool) {
        if self.open.is_none() {
            self.open = Some(Presence {
                first: said.at,
                is_listed: is_listed || self.was_missing(said.at),
                last: said.at,
                end: None,
            });
        }
        if said.level >= LEVELS {
            return;
        }
        for (index, sight) in self.sights.iter().enumerate() {
            if index == said.sight || sight.runs.iter().any(|run| run.holds(said.at)) {
                continue;
            }
            let next = sight.runs.iter().find(|run| run.first > said.at);
            if let Some(response) = self.decisive_after(index, sight, said.at)
                && next.is_none_or(|run| response.at() < run.first)
            {
                self.add_statement((index, said.level + 1), response.at(), response.absence());
            }
        }
    }

    /// Considers an absence: ends the open presence, as gone if there is a `cause`, else as lost from sight
    /// one second before; without an open one, a more specific `cause` of a scope's own replaces that of the
    /// last departure. Scopes that still see the line are asked for their next response with it, up to
    /// `LEVELS` contradictions.
    fn on_absence(&mut self, said: Said, cause: Option<Cause>) {
        if let Some(open) = self.open.take() {
            let (last, _) = seen(self.sights, open.first, said.at.saturating_sub(1));
            let end = match cause {
                Some(cause) => (Ending::Gone(cause), said.at),
                None => (Ending::LostSight, said.at.saturating_sub(1)),
            };
            self.presences.push(Presence {
                last,
                end: Some(end),
                ..open
            });
        } else if said.level == 0
            && let Some(cause) = cause
            && let Some((Ending::Gone(known), _)) = self.presences.last_mut().and_then(|last| last.end.as_mut())
        {
            *known = (*known).max(cause);
        }
        if said.level >= LEVELS {
            return;
        }
        for (index, sight) in self.sights.iter().enumerate() {
            let run = sight.runs.iter().find(|run| run.holds(said.at));
            if index != said.sight
                && let Some(run) = run
                && let Some(response) = sight.watch.after(said.at)
                && response.at() <= run.last
            {
                let kind = Kind::Seen { is_listed: false };
                self.add_statement((index, said.level + 1), response.at(), kind);
            }
        }
    }

    /// Whether a complete and still up-to-date response before a moment lacked the line although it met the
    /// conditions of the scope then.
    fn was_missing(&self, at: i64) -> bool {
        self.sights.iter().enumerate().any(|(index, sight)| {
            sight.watch.before(at).is_some_and(|response| {
                sight.runs.iter().all(|run| !run.holds(response.at()))
                    && response.horizon() >= at
                    && response.proof == Proof::Complete
                    && !(self.standing)(index, response.at()).is_outside
            })
        })
    }
}

/// The last response between `first` and `until` that contained a line, and the moment until which its
/// content is up to date; both are `first` if there is none.
pub fn seen(sights: &[Sight<'_>], first: i64, until: i64) -> (i64, i64) {
    let (mut last, mut horizon) = (first, first);
    for sight in sights {
        let begun = sight.runs.partition_point(|run| run.first <= until);
        let Some(run) = begun.checked_sub(1).and_then(|index| sight.runs.get(index)) else {
            continue;
        };
        let end = run.last.min(until);
        if let Some(response) = sight.watch.before(end.saturating_add(1)) {
            last = last.max(response.at().min(end));
            horizon = horizon.max(response.horizon());
        }
    }
    (last, horizon)
}

/// The merged responses at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merged {
    pub row: PollRow,
    /// The price up to which they prove which lines are there; `None` if they are complete.
    pub below: Option<f64>,
}

/// Merges the responses of all scopes that cover a question into one row for each moment, in order of time.
/// `parts` has, for each part into which the question is divided, the watches of the scopes that cover it. A
/// moment is complete if the latest response of each part is complete and each part is still up to date, else
/// truncated. With several parts a truncated moment proves no price.
pub fn merged(parts: &[Vec<&Watch>]) -> Vec<Merged> {
    let mut all: Vec<(usize, Response)> = Vec::new();
    for (part, watches) in parts.iter().enumerate() {
        let responses = watches.iter().flat_map(|watch| &watch.responses);
        all.extend(responses.map(|response| (part, *response)));
    }
    all.sort_by_key(|(_, response)| response.at());
    let mut horizons = vec![i64::MIN; parts.len()];
    // Whether the latest response of a part has all of it.
    let mut wholes = vec![false; parts.len()];
    let mut rows = Vec::new();
    for responses in all.chunk_by(|(_, left), (_, right)| left.at() == right.at()) {
        for (part, response) in responses {
            let reached = response.horizon();
            if let Some(horizon) = horizons.get_mut(*part) {
                // An earlier one with a slower rhythm is still up to date.
                *horizon = reached.max(*horizon);
            }
            if let Some(whole) = wholes.get_mut(*part) {
                *whole = response.proof == Proof::Complete;
            }
        }
        let Some((_, first)) = responses.first() else { continue };
        let at = first.at();
        let known = horizons.iter().copied().min().unwrap_or(i64::MIN);
        let is_known = known >= at;
        let is_whole = is_known && wholes.iter().all(|whole| *whole);
        let own = || responses.iter().map(|(_, response)| response);
        // A part does not prove anything about the others.
        let ceiling = own().map(Response::ceiling).fold(f64::NEG_INFINITY, f64::max);
        let below = if parts.len() == 1 && is_known {
            ceiling
        } else {
            f64::NEG_INFINITY
        };
        let patience = known.saturating_sub(at).max(0) / 3;
        rows.push(Merged {
            row: PollRow {
                outcome: if is_whole {
                    PollOutcome::Complete
                } else {
                    PollOutcome::Truncated
                },
                has_lowest: is_whole,
                rows: own().map(|response| response.row.rows).max().unwrap_or(0),
                interval: u32::try_from(patience).ok().filter(|seconds| *seconds > 200),
                ..first.row
            },
            below: (!is_whole).then_some(below),
        });
    }
    rows
}
