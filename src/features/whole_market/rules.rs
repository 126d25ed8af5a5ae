//! The searches that together load all offers of a market with truncated responses: a state machine
//! that takes responses and returns the next search.
//!
//! A truncated search is divided: a field that the market filters on sweeps over it, a range of
//! hosts or a few models at a time, as much as probably fits in one response. A part counts as
//! complete only if it has fewer records than fit in a response, whatever the order; a truncated
//! part is divided further, by smaller steps and then by the next field. The steps are sized by the
//! truncated response, as a sample of its part. (Compare Sheng et al., "Optimal Algorithms for
//! Crawling a Hidden Database in the Web", VLDB 2012.)

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::report::{Open, Progress, Why};
use super::sweep::{Sample, Sweep, count, whole};
use crate::api::ApiError;
use crate::domain::insight::{Coverage, query_coverage};
use crate::domain::json_split::MOST_RECORDS;
use crate::domain::listing::{ListingError, compare_cells};
use crate::domain::query::Direction;
use crate::domain::{CellRef, Condition, Dialect, Field, Listing, Operand, Operator, Query, RowId, Value, language};

/// Number of records to request at once, unless the user chose another one.
///
/// Other clients request as many from the public service; a response has 7 MB.
pub const USUAL_LIMIT: u32 = 3_000;

/// The fields that divide searches, in this order.
///
/// Hosts are first: every offer has one and keeps it, so that none moves from a part that is not
/// loaded yet to one that is. The price is last, as it changes most.
const FIELDS: [&str; 8] = [
    STEADY,
    "gpu_name",
    "num_gpus",
    "dlperf",
    "inet_down",
    "reliability",
    "disk_bw",
    "dph_total",
];

/// The field that every offer has and never changes.
pub(super) const STEADY: &str = "host_id";
/// The fields that an offer never changes, if it has them.
pub(super) const FIXED: [&str; 3] = [STEADY, "gpu_name", "num_gpus"];

/// Number of records below which a response cannot have been truncated under the limit.
///
/// The documented default of a search without a limit: no market sends fewer.
const LEAST_CAP: usize = 64;
/// The share of a response that a part is planned to fill.
pub(super) const FILL: f64 = 0.75;
/// Assumed size of the market before any sample, as a multiple of the first response.
const FIRST_GUESS: f64 = 8.0;
/// Minimum assumed size of a truncated part, as a multiple of a response.
const LEAST_CUT: f64 = 1.2;
/// One record in as many may break the condition of its part before the market counts as ignoring it.
///
/// Prices move between the market's index and its records, but not one in ten.
const TOLERANCE: usize = 10;
/// Failed requests in a row after which no more are sent.
const MOST_FAILURES: u32 = 2;
/// The reason a part is not loaded once the budget is spent.
pub const OVER_BUDGET: &str = "the budget of requests is spent";

#[derive(Debug, Clone, PartialEq)]
struct SweepPart {
    conditions: Vec<Condition>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Whole,
    /// The next step of a sweep; `after` selects the values after it.
    Step {
        after: Option<Condition>,
    },
    /// The offers without a value in a field that divided the search, which no comparison finds.
    Blank,
}

/// The offers with one value of a field: those known, and those in the sample.
struct Group {
    value: Value,
    known: usize,
    sampled: usize,
}

/// The position of the newest record of an offer.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The index of the response.
    part: usize,
    row: usize,
}

#[derive(Debug)]
pub struct Plan {
    query: Query,
    fields: Vec<&'static Field>,
    /// Maximum number of records in a response.
    pub(super) size: usize,
    /// Whether that number may be the market's own limit.
    pub(super) is_doubtful: bool,
    /// The responses, and whether their part is complete.
    parts: Vec<(Listing, bool)>,
    known: HashMap<RowId, Known>,
    pub(super) sweeps: Vec<Sweep>,
    asked: Option<SweepPart>,
    pub(super) open: Vec<Open>,
    /// The fields that divided a part, and whether the offers without a value were searched for.
    blanks: Vec<(&'static Field, bool)>,
    ignored: Vec<&'static Field>,
    /// The fields that divided the offers, and whether a search for those without a value found some.
    pub(super) divided: Vec<(&'static Field, bool)>,
    pub(super) requests: usize,
    /// Maximum number of requests of the whole load.
    pub(super) budget: usize,
    failures: u32,
    /// The first response.
    pub(super) sample: Option<Sample>,
}

impl Plan {
    /// A plan for all offers of a search, by up to `budget` responses of at most `limit` records.
    pub fn new(query: &Query, limit: u32, budget: u32, dialect: &'static Dialect) -> Self {
        let mut query = query.clone();
        query.limit = Some(limit);
        // Sorted neither by model nor by price, so that a truncated response is a sample of both.
        query.order = language::parse_order("id", query.catalog()).unwrap_or_default();
        let fields = FIELDS.iter().filter_map(|key| query.catalog().by_key(key));
        Self {
            fields: fields.filter(|field| query.sends(field, dialect)).collect(),
            query,
            size: limit as usize,
            is_doubtful: false,
            parts: Vec::new(),
            known: HashMap::new(),
            sweeps: Vec::new(),
            asked: Some(SweepPart {
                conditions: Vec::new(),
                kind: Kind::Whole,
            }),
            open: Vec::new(),
            blanks: Vec::new(),
            ignored: Vec::new(),
            divided: Vec::new(),
            requests: 0,
            budget: budget as usize,
            failures: 0,
            sample: None,
        }
    }

    /// The search to send next; `None` at the end. It stays the same until its response is taken.
    pub fn next_search(&mut self) -> Option<Query> {
        if self.asked.is_none() {
            self.asked = self.step();
        }
        let mut query = self.query.clone();
        query.conditions.extend(self.asked.as_ref()?.conditions.iter().cloned());
        Some(query)
    }

    /// Stores the response to the search of `next_search`, and divides the search further if it is truncated
    /// or may be; then stops the load at its limits. Nothing if no search is awaited.
    pub fn take(&mut self, listing: Listing) {
        let Some(part) = self.asked.take() else { return };
        (self.requests, self.failures) = (self.requests + 1, 0);
        let received = listing.received();
        let said = listing.is_truncated();
        let is_cut = said.unwrap_or(received >= self.size);
        // Markets have caps of their own, and don't say so.
        let is_proven =
            said == Some(false) || (received < LEAST_CAP && query_coverage(&listing, &self.query) == Coverage::Whole);
        let field = self.sweeps.last().map(|sweep| sweep.field);
        let broken = (0..listing.len()).filter(|row| !meets(&listing, *row, &part.conditions));
        let is_ignored =
            broken.count() * TOLERANCE > listing.len() || (!is_cut && self.lacks_known(&listing, &part.conditions));
        let many = listing.len();
        if part.kind == Kind::Blank && !is_ignored && many > 0 {
            for (field, is_answered) in &mut self.divided {
                *is_answered |= part.conditions.iter().any(|condition| condition.field == *field);
            }
        }
        let ids = self.keep(listing, !is_cut && !is_ignored);
        match (part.kind, field) {
            (Kind::Whole, _) if is_cut || !is_proven => {
                // A short response may be complete, or the most that the market sends: other offers in its
                // parts decide.
                (self.size, self.is_doubtful, self.parts[0].1) = (self.size.min(received).max(1), !is_cut, false);
                let sample = Sample::new(if is_cut { FIRST_GUESS } else { 1.0 }, ids);
                self.sample = Some(sample.clone());
                self.divide(Vec::new(), 0, sample);
            }
            (Kind::Whole, _) => {}
            (Kind::Blank, _) if is_ignored => self.leave_open(part.conditions, Why::Ignored),
            (Kind::Blank, _) if is_cut => self.divide(part.conditions, 0, Sample::new(LEAST_CUT, ids)),
            (Kind::Blank, _) => self.cover(&part.conditions, many),
            (Kind::Step { .. }, Some(field)) if is_ignored => self.give_up(field),
            (Kind::Step { .. }, _) if is_cut => {
                self.is_doubtful = false;
                let Some(mut sweep) = self.sweeps.pop() else { return };
                let sampled = self.among(&sweep.sample, &part.conditions);
                let likely = sweep.sample.scale() * count(sampled) / count(self.size);
                if !sweep.sample.has_sample() {
                    sweep.sample.guess *= 2.0;
                }
                sweep.cut = Some((part.conditions, Sample::new(likely.max(LEAST_CUT), ids)));
                self.sweeps.push(sweep);
            }
            (Kind::Step { after }, _) => {
                self.cover(&part.conditions, many);
                self.advance(after);
            }
        }
        self.stop_at_limits();
    }

    /// Stops the load at 100,000 records, at its budget of requests, and if its parts do not get smaller.
    fn stop_at_limits(&mut self) {
        if self.known.len() >= MOST_RECORDS {
            self.stop("bourse takes at most 100,000 records");
        }
        // A market whose answers do not get smaller.
        if self.requests > 16 + 8 * self.known.len().div_ceil(self.size) {
            self.stop("the parts did not get smaller");
        }
        if self.requests >= self.budget {
            self.stop(OVER_BUDGET);
        }
    }

    /// Handles the failure of the search: its part stays incomplete, or is divided by another field if the
    /// market rejects the condition. A second failure in a row, or the end of the budget, ends the load.
    ///
    /// # Errors
    ///
    /// The error, if nothing was loaded yet.
    pub fn fail(&mut self, error: ApiError) -> Result<(), ApiError> {
        let Some(part) = self.asked.take() else { return Ok(()) };
        if part.kind == Kind::Whole {
            return Err(error);
        }
        (self.requests, self.failures) = (self.requests + 1, self.failures + 1);
        let field = self.sweeps.last().map(|sweep| sweep.field);
        match (part.kind, field) {
            // The market does not take the condition.
            (Kind::Step { .. }, Some(field)) if matches!(error, ApiError::Invalid { .. }) => {
                self.give_up(field);
            }
            (Kind::Step { after }, _) => {
                self.leave_open(part.conditions, Why::Failed(error.to_string()));
                self.advance(after);
            }
            (Kind::Blank | Kind::Whole, _) => self.leave_open(part.conditions, Why::Failed(error.to_string())),
        }
        if self.failures >= MOST_FAILURES {
            self.stop("not searched after that");
        }
        if self.requests >= self.budget {
            self.stop(OVER_BUDGET);
        }
        Ok(())
    }

    /// Ends the load; all that is not searched yet counts as incomplete for the reason `why`.
    pub fn stop(&mut self, why: &'static str) {
        self.asked = None;
        for sweep in std::mem::take(&mut self.sweeps) {
            self.leave_open(sweep.region(), Why::Stopped(why));
        }
        for (field, is_done) in std::mem::take(&mut self.blanks) {
            if !is_done {
                self.leave_open(blank(field), Why::Stopped(why));
            }
        }
        if self.parts.is_empty() {
            self.leave_open(Vec::new(), Why::Stopped(why));
        }
    }

    /// The offers and requests so far, and the estimates of those left.
    pub fn progress(&self) -> Progress {
        let is_over = self.asked.is_none() && self.sweeps.is_empty();
        let sample = self.sample.as_ref();
        let covered = sample.map_or(0, |sample| sample.covered.0);
        let total = sample.filter(|sample| sample.has_sample()).map(|sample| {
            let rest = sample.scale() * count(sample.ids.len().saturating_sub(sample.covered.1));
            (covered + whole(rest)).max(self.known.len())
        });
        let blanks = self.blanks.iter().filter(|(_, is_done)| !is_done).count();
        let left = total.map(|total| {
            let rest = count(total.saturating_sub(covered));
            blanks + whole((rest / (FILL * count(self.size))).ceil()).max(self.sweeps.len().min(1))
        });
        Progress {
            loaded: self.known.len(),
            total: if is_over { Some(self.known.len()) } else { total },
            requests: self.requests,
            left: if is_over { Some(blanks) } else { left },
        }
    }

    /// The conditions under which offers may be missing, each list with its reason.
    pub fn open(&self) -> &[Open] {
        &self.open
    }

    /// All loaded offers in one listing, each with its newest record; an error if they cannot be merged.
    pub fn into_listing(self) -> Result<Listing, ListingError> {
        let catalog = self.query.catalog();
        let (parts, coverage) = self.into_parts();
        Listing::merged(catalog, &parts, coverage)
    }

    /// The responses, each with whether it is complete, and the coverage of the whole search.
    pub fn into_parts(self) -> (Vec<(Listing, bool)>, Coverage) {
        let coverage = self.coverage();
        (self.parts, coverage)
    }

    /// Divides the search of `base` by the first usable field from index `from` on, or lists it as
    /// incomplete.
    fn divide(&mut self, base: Vec<Condition>, from: usize, sample: Sample) {
        let usable = (from..self.fields.len()).find(|index| !self.ignored.contains(&self.fields[*index]));
        let Some(field) = usable else {
            let why = match (self.is_doubtful, self.ignored.is_empty()) {
                (true, _) => Why::Capped(self.size),
                (false, true) => Why::Alike,
                (false, false) => Why::Ignored,
            };
            return self.leave_open(base, why);
        };
        self.sweeps.push(Sweep {
            base,
            field,
            rest: None,
            cut: None,
            sample,
        });
    }

    /// The next narrower search: of the innermost sweep, or for offers without a value; `None` at the end.
    fn step(&mut self) -> Option<SweepPart> {
        while let Some(sweep) = self.sweeps.last() {
            let field = self.fields[sweep.field];
            let (index, region) = (sweep.field, sweep.region());
            let groups = self.groups(&region, field, &sweep.sample);
            let (own, after) = self.slice(field, &groups, sweep);
            let conditions: Vec<Condition> = match &own {
                // A list of models leaves out those that were searched by itself.
                Some(own) if own.operator == Operator::In => sweep.base.iter().chain([own]).cloned().collect(),
                own => region.iter().chain(own).cloned().collect(),
            };
            let cut = sweep.cut.as_ref().filter(|(cut, _)| *cut == conditions);
            let is_cut = cut.is_some() || conditions == sweep.base;
            let sample = cut.map_or(&sweep.sample, |(_, sample)| sample).clone();
            // An offer without the value meets no condition on the field, the user's or that of a part.
            let is_used = own.is_some() && self.query.active().all(|condition| condition.field != field);
            if own.is_some() && self.divided.iter().all(|(known, _)| *known != field) {
                self.divided.push((field, !is_used));
            }
            if is_used && self.blanks.iter().all(|(known, _)| *known != field) {
                self.blanks.push((field, false));
            }
            if is_cut {
                self.advance(after);
                self.divide(conditions, index + 1, sample);
                continue;
            }
            let kind = Kind::Step { after };
            return Some(SweepPart { conditions, kind });
        }
        let (field, is_done) = self.blanks.iter_mut().find(|(_, is_done)| !is_done)?;
        *is_done = true;
        Some(SweepPart {
            conditions: blank(field),
            kind: Kind::Blank,
        })
    }

    /// The condition of the next values whose offers probably fit in one response, and that of the values
    /// after them; both `None` if these are all that remain.
    fn slice(&self, field: &'static Field, groups: &[Group], sweep: &Sweep) -> (Option<Condition>, Option<Condition>) {
        let is_text = !field.kind.is_numeric();
        let scale = sweep.sample.scale();
        let likely = |group: &Group| (count(group.sampled) * scale).max(count(group.known));
        let all: f64 = groups.iter().map(likely).sum();
        let fewest = if sweep.rest.is_none() { 2.0 } else { 1.0 };
        let steps = (all / (FILL * count(self.size))).ceil().max(fewest);
        let (mut filled, mut values) = (0.0, Vec::new());
        for group in groups {
            let more = likely(group);
            if filled + more <= all / steps || values.is_empty() {
                filled += more;
                values.push(group.value.clone());
            } else if !is_text {
                // A range has no gaps.
                break;
            }
        }
        let Some(last) = values.last().filter(|_| values.len() < groups.len()) else {
            return (None, None);
        };
        if !is_text {
            let last = Operand::One(last.clone());
            let bound = |operator| Some(Condition::new(field, operator, last.clone()));
            return (bound(Operator::Lte), bound(Operator::Gt));
        }
        let mut done = match sweep.rest.as_ref().map(|rest| &rest.operand) {
            Some(Operand::Many(done)) => done.clone(),
            Some(Operand::One(_)) | None => Vec::new(),
        };
        done.extend(values.iter().cloned());
        let listed = |operator, values| Some(Condition::new(field, operator, Operand::Many(values)));
        (listed(Operator::In, values), listed(Operator::Nin, done))
    }

    /// The values of `field` among the known offers that meet `region`, with their number and that in
    /// `sample`: numbers ascending, texts with the most frequent first. Unusable values are left out.
    fn groups(&self, region: &[Condition], field: &'static Field, sample: &Sample) -> Vec<Group> {
        let mut cells: Vec<(CellRef<'_>, bool)> = Vec::new();
        for (id, known) in &self.known {
            let listing = &self.parts[known.part].0;
            let cell = listing.sent_column(field).cell(known.row);
            let is_usable = match cell {
                CellRef::Number(_) => field.kind.is_numeric(),
                CellRef::Text(_) => !field.kind.is_numeric(),
                CellRef::Missing | CellRef::Null | CellRef::Flag(_) | CellRef::Bad(_) => false,
            };
            if is_usable && meets(listing, known.row, region) {
                cells.push((cell, sample.ids.contains(id)));
            }
        }
        cells.sort_by(|(left, _), (right, _)| compare_cells(field, *left, *right, Direction::Ascending));
        let runs = cells.chunk_by(|(left, _), (right, _)| left == right);
        let groups = runs.filter_map(|cells| {
            let value = match cells.first()?.0 {
                CellRef::Number(number) => Value::Number(number),
                CellRef::Text(text) => Value::Text(text.to_owned()),
                CellRef::Missing | CellRef::Null | CellRef::Flag(_) | CellRef::Bad(_) => return None,
            };
            Some(Group {
                value,
                known: cells.len(),
                sampled: cells.iter().filter(|(_, is_sampled)| *is_sampled).count(),
            })
        });
        let mut groups: Vec<Group> = groups.collect();
        if !field.kind.is_numeric() {
            groups.sort_by_key(|group| Reverse(group.known));
        }
        groups
    }

    /// Whether the market seems to have ignored `conditions`: its response lacks more than 3 plus a tenth of
    /// the known offers that meet them, as some may be rented or repriced. False without conditions.
    fn lacks_known(&self, listing: &Listing, conditions: &[Condition]) -> bool {
        if conditions.is_empty() {
            return false;
        }
        let received: HashSet<RowId> = (0..listing.len()).filter_map(|row| listing.id(row)).collect();
        let expected: Vec<&RowId> = self
            .known
            .iter()
            .filter(|(_, known)| meets(&self.parts[known.part].0, known.row, conditions))
            .map(|(id, _)| id)
            .collect();
        let missing = expected.iter().filter(|id| !received.contains(id)).count();
        // Some are rented or repriced meanwhile.
        missing > 3 + expected.len() / TOLERANCE
    }

    /// Stores a response, and whether it `is_complete` for its conditions; returns the ids of its records.
    fn keep(&mut self, listing: Listing, is_complete: bool) -> HashSet<RowId> {
        let part = self.parts.len();
        let ids = (0..listing.len()).filter_map(|row| Some((listing.id(row)?, Known { part, row })));
        let ids: HashMap<RowId, Known> = ids.collect();
        self.known.extend(&ids);
        self.parts.push((listing, is_complete));
        ids.into_keys().collect()
    }

    /// Number of a sample's offers that meet all `conditions`.
    fn among(&self, sample: &Sample, conditions: &[Condition]) -> usize {
        let known = sample.ids.iter().filter_map(|id| self.known.get(id));
        known
            .filter(|known| meets(&self.parts[known.part].0, known.row, conditions))
            .count()
    }

    /// Counts `records` offers, all that meet `conditions`, as loaded in every sample, for its estimates.
    fn cover(&mut self, conditions: &[Condition], records: usize) {
        let sweeps = self.sweeps.iter().map(|sweep| &sweep.sample);
        let sampled: Vec<usize> = sweeps
            .chain(&self.sample)
            .map(|sample| self.among(sample, conditions))
            .collect();
        let sweeps = self.sweeps.iter_mut().map(|sweep| &mut sweep.sample);
        for (sample, sampled) in sweeps.chain(&mut self.sample).zip(sampled) {
            sample.covered.0 += records;
            sample.covered.1 += sampled;
        }
    }

    /// Moves the innermost sweep on to the values `after` a step; `None` ends that sweep.
    fn advance(&mut self, after: Option<Condition>) {
        if after.is_none() {
            self.sweeps.pop();
        } else if let Some(sweep) = self.sweeps.last_mut() {
            (sweep.rest, sweep.cut) = (after, None);
        }
    }

    /// Stops dividing by the field at `index`, which the market ignores, and goes on with the next one.
    fn give_up(&mut self, index: usize) {
        let field = self.fields[index];
        self.ignored.push(field);
        self.divided.retain(|(used, _)| *used != field);
        self.blanks.retain(|(used, _)| *used != field);
        // Its response is no part.
        let sweeps = self.sweeps.iter_mut().map(|sweep| &mut sweep.sample);
        for sample in sweeps.chain(&mut self.sample) {
            sample.covered = (0, 0);
        }
        if let Some(sweep) = self.sweeps.pop() {
            self.divide(sweep.base, index + 1, sweep.sample);
        }
    }

    /// Notes that offers that meet `conditions` may be missing, with the reason.
    fn leave_open(&mut self, conditions: Vec<Condition>, why: Why) {
        self.open.push(Open { conditions, why });
    }
}

/// Whether a record meets all `conditions`, by its values as the market sent them.
fn meets(listing: &Listing, row: usize, conditions: &[Condition]) -> bool {
    conditions
        .iter()
        .all(|condition| condition.accepts(listing.sent_column(condition.field).cell(row)))
}

/// The condition that selects the offers without a value in a field.
fn blank(field: &'static Field) -> Vec<Condition> {
    vec![Condition::new(field, Operator::Eq, Operand::One(Value::Null))]
}
