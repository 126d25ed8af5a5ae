//! Computes the times at which lines were on offer and met a question.

use std::collections::{BTreeMap, HashMap};

use bourse_domain::annotations::Supplier;
use bourse_domain::country::CountryCode;
use bourse_domain::time::UnixTime;
use bourse_domain::{CellRef, Condition, Operand, Resource, Value};
use rusqlite::{Connection, params};

use super::asked::{Asked, Judged, KnownScope, excludes};
use super::codes;
use super::line_rows::{Correction, KnownLine, Values, host_of};
use crate::implication::Part;
use crate::presence::{self, Presence, Response, Run, Sight, Standing, Watch, presences};
use crate::spells::{LineState, Stretch};
use crate::{Attribute, Beginning, Cause, Ending, Line, Moment, Onset, State, attribute_index};

/// A time in which a line did not change.
struct Piece {
    from: i64,
    until: i64,
    judged: Judged,
    /// The covering scopes whose conditions it does not meet, one bit each.
    outside: u64,
    /// `None` if its price is unknown.
    state: Option<LineState>,
}

/// Reads lines one after another.
pub(super) struct LineReader<'a> {
    pub asked: &'a Asked,
    pub connection: &'a Connection,
    pub scopes: &'a [KnownScope],
    pub parts: &'a [(Part, Vec<usize>)],
    pub watches: &'a BTreeMap<usize, Watch>,
    pub vouched: BTreeMap<usize, u64>,
    pub targets: HashMap<i64, Correction>,
    pub left_out: &'a [Supplier],
    /// Seconds by which recorded times are ahead of the clock.
    pub ahead: i64,
    pub from: i64,
    pub until: i64,
    pub unknown: u32,
}

impl LineReader<'_> {
    /// The times in which a line was on offer and met the question; empty if it never was, or if its machine
    /// or host is excluded from all excerpts. Counts the line as unknown if only an unknown value kept it
    /// from that.
    pub fn read(&mut self, known: &KnownLine) -> rusqlite::Result<Vec<Stretch>> {
        let host = host_of(&known.latest.facts, self.asked.terms.resource);
        let machine = known.line.lot.machine;
        if known.is_of_any(self.left_out, self.asked.terms.resource) || !self.may_meet(&known.line) {
            return Ok(Vec::new());
        }
        let places: Vec<usize> = self.places(known);
        let runs = self.runs(known, &places, host)?;
        if runs.values().all(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let first = runs.values().flatten().map(|run| run.first).min();
        let pieces = self.pieces(known, &places, first.unwrap_or(self.from))?;
        let is_sighted: Vec<(usize, Sight<'_>)> = places
            .iter()
            .filter_map(|place| {
                let watch = self.watches.get(place)?;
                let scope = &self.scopes.get(*place)?.scope;
                let is_seen = !scope.excludes(machine, host);
                let runs = runs.get(place).map_or(&[][..], Vec::as_slice);
                let totals = pieces
                    .iter()
                    .filter_map(|piece| Some(piece.state.as_ref()?.quote.total(scope.storage)));
                let least = totals.fold(f64::INFINITY, f64::min);
                is_seen.then_some((*place, Sight { watch, runs, least }))
            })
            .collect();
        let sights: Vec<Sight<'_>> = is_sighted.iter().map(|(_, sight)| *sight).collect();
        let standing = |index: usize, at: i64| {
            let piece = pieces.get(pieces.partition_point(|piece| piece.until <= at));
            let place = is_sighted.get(index).map(|(place, _)| *place);
            let storage = || Some(self.scopes.get(place?)?.scope.storage);
            let bit = places.iter().position(|own| Some(*own) == place).map_or(0, bit);
            Standing {
                is_outside: piece.is_some_and(|piece| piece.outside & bit != 0),
                total: piece
                    .and_then(|piece| piece.state.as_ref().zip(storage()))
                    .map(|(state, storage)| state.quote.total(storage)),
            }
        };
        let vouched = is_sighted
            .iter()
            .filter(|(_, sight)| !sight.runs.is_empty())
            .filter_map(|(place, _)| self.vouched.get(place))
            .fold(0, |all, own| all | own);
        let seen = |from, until| presence::seen(&sights, from, until).0;
        let (stretches, is_unknown) = self.stretches_of(&pieces, &presences(&sights, &standing), &seen, vouched);
        self.unknown = self
            .unknown
            .saturating_add(u32::from(is_unknown && stretches.is_empty()));
        Ok(stretches)
    }

    /// The times in which a line was on offer and met the question; and whether at some time only an unknown
    /// value kept it from that. `seen` is the last response with the line between two moments; `vouched` are
    /// the conditions that the line's scopes guarantee, one bit each.
    fn stretches_of(
        &self,
        pieces: &[Piece],
        presences: &[Presence],
        seen: &dyn Fn(i64, i64) -> i64,
        vouched: u64,
    ) -> (Vec<Stretch>, bool) {
        let mut stretches = Vec::new();
        let mut is_unknown = false;
        for presence in presences {
            let stop = presence.stop();
            if stop < self.from || presence.first > self.until {
                continue;
            }
            let first = pieces.partition_point(|piece| piece.until <= presence.first);
            let within = pieces.get(first..).unwrap_or_default();
            for piece in within.iter().take_while(|piece| piece.from < stop) {
                let (from, until) = (piece.from.max(presence.first), piece.until.min(stop));
                if from >= until {
                    continue;
                }
                is_unknown |= piece.judged.is_unknown(vouched);
                let Some(state) = piece.state.clone().filter(|_| piece.judged.is_met(vouched)) else {
                    continue;
                };
                let onset = match (from == presence.first, presence.is_listed) {
                    (true, true) => Onset::Listed,
                    (true, false) => Onset::Found,
                    (false, _) => Onset::Continued,
                };
                let (last, end) = if until < stop {
                    (seen(presence.first, until.saturating_sub(1)), Some(Ending::Changed))
                } else {
                    (presence.last, presence.end.map(|(ending, _)| ending))
                };
                stretches.push(Stretch {
                    from,
                    stop: until,
                    onset,
                    last,
                    end,
                    state,
                });
            }
        }
        (stretches, is_unknown)
    }

    /// Whether a line may meet the conditions, judged only by its machine, model and number of GPUs, which
    /// never change.
    fn may_meet(&self, line: &Line) -> bool {
        let state = State {
            line,
            facts: &[],
            terms: self.asked.terms,
        };
        let mut fixed = self
            .asked
            .conditions
            .iter()
            .filter(|condition| IDENTITY.contains(&condition.field.key));
        fixed.all(|condition| {
            let cell = state.cell(condition.field, Moment(0));
            cell.is_blank() || condition.accepts(cell)
        })
    }

    /// The indices of the scopes that cover the parts of the question to which the line belongs, ascending.
    fn places(&self, known: &KnownLine) -> Vec<usize> {
        let state = State {
            line: &known.line,
            facts: &known.latest.facts,
            terms: self.asked.terms,
        };
        let mut places: Vec<usize> = self
            .parts
            .iter()
            .filter(|(part, _)| {
                let own = part.own.as_ref();
                own.is_none_or(|own| own.accepts(state.cell(own.field, Moment(self.until))))
            })
            .flat_map(|(_, places)| places.iter().copied())
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The times in which each scope saw a line, by the index of the scope; those of excluded lines and
    /// outside the question's time are left out.
    fn runs(
        &self,
        known: &KnownLine,
        places: &[usize],
        host: Option<i64>,
    ) -> rusqlite::Result<BTreeMap<usize, Vec<Run>>> {
        let mut runs: BTreeMap<usize, Vec<Run>> = BTreeMap::new();
        let mut statement = self.connection.prepare_cached(
            "SELECT scope, first, beginning, last, ended, ending FROM member WHERE line = ?1 ORDER BY scope, first",
        )?;
        let mut rows = statement.query([known.id])?;
        while let Some(row) = rows.next()? {
            let scope: i64 = row.get(0)?;
            let place = places
                .iter()
                .find(|place| self.scopes.get(**place).is_some_and(|known| known.id == scope));
            let Some(place) = place else { continue };
            let (Some(known_scope), Some(watch)) = (self.scopes.get(*place), self.watches.get(place)) else {
                continue;
            };
            if known_scope.scope.excludes(known.line.lot.machine, host) {
                continue;
            }
            let ahead = known_scope.ahead;
            let first: i64 = row.get(1)?;
            let last: Option<i64> = row.get(3)?;
            let ended: Option<i64> = row.get(4)?;
            let ending: Option<i64> = row.get(5)?;
            let first = first.saturating_sub(ahead);
            let ended = ended.map(|at| at.saturating_sub(ahead));
            // The last response that contained it may be before the question's time.
            let begin = watch
                .responses
                .first()
                .map_or(self.from, |first| first.at().min(self.from));
            if first > self.until || ended.is_some_and(|at| at < begin) {
                continue;
            }
            let gone = match (ending.map(codes::ending_of), ended) {
                (Some(Ending::Gone(cause)), Some(at)) if at <= self.until => Some((cause, at)),
                (Some(Ending::Changed), Some(at)) if at <= self.until => Some((Cause::LeftTheSearch, at)),
                _ => None,
            };
            let seen = || {
                let seen = match ended {
                    Some(ended) => watch.before(ended.min(self.until.saturating_add(1))),
                    None => watch.last(),
                };
                seen.map_or(first, Response::at)
            };
            let last = last.map_or_else(seen, |last| last.saturating_sub(ahead));
            runs.entry(*place).or_default().push(Run {
                first,
                is_listed: codes::beginning_of(row.get(2)?, None) == Beginning::Listed,
                last: last.clamp(first, self.until.max(first)),
                gone,
            });
        }
        Ok(runs)
    }

    /// The states of a line in order of time, each until the next change; changes up to `first` are ignored,
    /// so that the earliest state has no beginning.
    fn pieces(&self, known: &KnownLine, places: &[usize], first: i64) -> rusqlite::Result<Vec<Piece>> {
        let mut values = known.latest.clone();
        let mut pieces = Vec::new();
        let mut until = i64::MAX;
        let mut statement = self.connection.prepare_cached(
            "SELECT until, field, value FROM change WHERE line = ?1 AND until > ?2 ORDER BY until DESC",
        )?;
        let mut rows = statement.query(params![known.id, first.saturating_add(self.ahead)])?;
        // The state holds from `at` on, down to the changes that are not yet undone.
        let mut undone: Option<i64> = None;
        while let Some(row) = rows.next()? {
            let at = row.get::<_, i64>(0)?.saturating_sub(self.ahead);
            let Some(target) = self.targets.get(&row.get(1)?) else {
                continue;
            };
            if undone != Some(at) {
                self.add_pieces(&mut pieces, (&known.line, places), &values, (at, until));
                until = at;
                undone = Some(at);
            }
            values.set(*target, row.get_ref(2)?, self.asked.terms.resource);
        }
        self.add_pieces(&mut pieces, (&known.line, places), &values, (i64::MIN, until));
        pieces.reverse();
        Ok(pieces)
    }

    /// Adds the state of a line in a time, divided at the moments when the time left passes a bound; the latest first.
    fn add_pieces(
        &self,
        pieces: &mut Vec<Piece>,
        (line, places): (&Line, &[usize]),
        values: &Values,
        (from, until): (i64, i64),
    ) {
        let state = State {
            line,
            facts: &values.facts,
            terms: self.asked.terms,
        };
        let mut edges = Vec::new();
        let durations = self
            .asked
            .conditions
            .iter()
            .filter(|condition| condition.field.key == "duration");
        for bound in durations.flat_map(bounds) {
            let left = bound.0.field;
            if let CellRef::Number(left) = state.cell(left, Moment(0)) {
                let crossing = UnixTime::new(left - bound.1).moment().0;
                let near = [crossing, crossing.saturating_add(1)];
                edges.extend(
                    near.into_iter()
                        .filter(|at| from < *at && *at < until && *at <= self.until),
                );
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let known = line_state(&state, values);
        let mut end = until;
        for from in edges.into_iter().rev().chain([from]) {
            let is_outside = |place: &usize| {
                let scope = self.scopes.get(*place).map(|known| &known.scope);
                scope.is_some_and(|scope| excludes(scope, &state, Moment(from.max(0))))
            };
            let outside = places.iter().enumerate().filter(|(_, place)| is_outside(place));
            pieces.push(Piece {
                from,
                until: end,
                outside: outside.fold(0, |all, (index, _)| all | bit(index)),
                judged: self.asked.judge(&state, Moment(from.max(0))),
                state: known.clone(),
            });
            end = from;
        }
    }
}

/// The bit of a covering scope; 0 for those after the 64th.
fn bit(index: usize) -> u64 {
    u32::try_from(index)
        .ok()
        .and_then(|index| 1_u64.checked_shl(index))
        .unwrap_or(0)
}

/// Fields of a line that never change.
const IDENTITY: [&str; 4] = ["machine_id", "cluster_id", "gpu_name", "num_gpus"];

/// The numbers in a condition's operand, each with the condition.
fn bounds(condition: &Condition) -> Vec<(&Condition, f64)> {
    let values = match &condition.operand {
        Operand::One(value) => std::slice::from_ref(value),
        Operand::Many(values) => values.as_slice(),
    };
    let numbers = values.iter().filter_map(|value| match value {
        Value::Number(number) => Some((condition, *number)),
        Value::Null | Value::Flag(_) | Value::Text(_) | Value::Version(_) => None,
    });
    numbers.collect()
}

/// The figures of a line in a state; `None` if its price is unknown.
pub(super) fn line_state(state: &State<'_>, values: &Values) -> Option<LineState> {
    Some(LineState {
        quote: state.quote().filter(|quote| quote.reference().is_finite())?,
        offers: values.offers,
        gpu_mask: values.gpu_mask,
        space: space_of(state),
        offer: values.offer,
        host: host_of(&values.facts, state.terms.resource),
        country: country_of(state),
    })
}

/// The size of a volume in whole GB, rounded down; `None` for offers, and if it is unknown.
fn space_of(state: &State<'_>) -> Option<u32> {
    if state.terms.resource != Resource::Volumes {
        return None;
    }
    let space = state.facts.get(attribute_index(Resource::Volumes, "disk_space")?)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
    let space = Attribute::cell(space).number().map(|space| space as u32);
    space
}

/// The country in the line's location; `None` if it has none.
fn country_of(state: &State<'_>) -> Option<CountryCode> {
    let location = state.facts.get(attribute_index(state.terms.resource, "geolocation")?)?;
    CountryCode::of_location(Attribute::cell(location).text()?)
}
