//! The conditions of a query, compared with scopes and lines.

use bourse_domain::dialect::TransferUnit;
use bourse_domain::field::{NoiseThreshold, Recording};
use bourse_domain::{CellRef, Condition, OfferType, Operand, Query, Resource, Value};

use crate::implication::{Part, contains, divisions, includes_storage};
use crate::{Moment, Scope, State, Terms, implicit, normalised};

pub(super) struct KnownScope {
    pub id: i64,
    pub scope: Scope,
    /// Seconds by which its times are ahead of the clock.
    pub ahead: i64,
}

/// A query in the form in which it is compared with scopes and lines.
pub(super) struct Asked {
    pub terms: Terms,
    pub conditions: Vec<Condition>,
    /// The number of the query's own conditions, which come first; the rest are implicit.
    own: usize,
    is_bundled: bool,
}

impl Asked {
    /// The query with its active conditions normalised, and those that markets add. `transfer` is the unit of
    /// the network speeds in its conditions.
    pub fn new(query: &Query, transfer: TransferUnit) -> Self {
        let (offer_type, storage) = match query.resource {
            Resource::Offers => (query.offer_type, query.storage_gb()),
            Resource::Volumes | Resource::Workergroups => (OfferType::OnDemand, 0.0),
        };
        let mut conditions: Vec<Condition> = query.active().map(|own| normalised(own, transfer)).collect();
        let own = conditions.len();
        conditions.extend(implicit(query, storage));
        Self {
            terms: Terms {
                resource: query.resource,
                offer_type,
                storage,
                transfer: TransferUnit::MegabitsPerSecond,
            },
            conditions,
            own,
            is_bundled: query.resource != Resource::Offers || !query.unbundled,
        }
    }

    /// Whether responses to a scope have everything that meets `conditions`. They do not if a bound of the
    /// scope depends on the storage, and the query has another one.
    fn covers(&self, scope: &Scope, conditions: &[Condition]) -> bool {
        let mut bounds = scope.conditions.iter();
        !((scope.storage - self.terms.storage).abs() > 1e-9 && bounds.any(|bound| includes_storage(bound.field)))
            && contains(&scope.conditions, conditions)
    }

    /// The query as one part, or divided into parts by the values of a list, see [`divisions`], each with the
    /// indices of the scopes that cover it: those that bundle like the query, or others if there are none. It
    /// is divided only if all parts are covered, one of them by more scopes than the whole; empty if neither
    /// is covered.
    pub fn covering(&self, scopes: &[KnownScope]) -> Vec<(Part, Vec<usize>)> {
        let covering = |conditions: &[Condition]| -> Vec<usize> {
            let all = scopes.iter().enumerate();
            let covering = all.filter(|(_, known)| self.covers(&known.scope, conditions));
            let (same, other): (Vec<_>, Vec<_>) =
                covering.partition(|(_, known)| known.scope.is_bundled == self.is_bundled);
            let best = if same.is_empty() { other } else { same };
            best.into_iter().map(|(place, _)| place).collect()
        };
        let mut whole = Vec::new();
        for parts in divisions(&self.conditions) {
            let is_whole = parts.len() == 1;
            let parts: Vec<(Part, Vec<usize>)> = parts
                .into_iter()
                .map(|part| {
                    let places = covering(&part.conditions);
                    (part, places)
                })
                .collect();
            if is_whole {
                whole = parts;
                continue;
            }
            let known = whole.first().map_or(0, |(_, places)| places.len());
            let are_all = parts.iter().all(|(_, places)| !places.is_empty());
            if are_all && parts.iter().any(|(_, places)| places.len() > known) {
                return parts;
            }
        }
        whole.retain(|(_, places)| !places.is_empty());
        whole
    }

    /// The conditions of the query that every offer in responses to a scope meets, one bit each, the first 64
    /// only.
    pub fn vouched(&self, scope: &Scope) -> u64 {
        let conditions = self.conditions.iter().take(64).enumerate();
        let vouched = conditions.filter(|(_, condition)| contains([*condition], &scope.conditions));
        vouched.fold(0, |bits, (place, _)| bits | 1 << place)
    }

    /// Tests the conditions on a line at a moment. A blank value or one too close to a bound leaves a
    /// condition open; an implicit condition on a blank value counts as met, and one beyond the 64th that is
    /// open as not met.
    pub fn judge(&self, state: &State<'_>, at: Moment) -> Judged {
        let mut judged = Judged::default();
        for (place, condition) in self.conditions.iter().enumerate() {
            let cell = state.cell(condition.field, at);
            if condition.accepts(cell) {
                continue;
            }
            let is_blank = cell.is_blank();
            if is_blank && place >= self.own {
                continue;
            }
            let bit = 1_u64.checked_shl(u32::try_from(place).unwrap_or(u32::MAX));
            match bit {
                Some(bit) if is_blank || is_near(condition, cell) => {
                    judged.open |= bit;
                    judged.has_near |= !is_blank;
                }
                Some(_) | None => judged.is_refused = true,
            }
        }
        judged
    }
}

/// Whether a line in that state is certainly not among the offers of a scope. A blank value proves nothing.
pub(super) fn excludes(scope: &Scope, state: &State<'_>, at: Moment) -> bool {
    scope.conditions.iter().any(|condition| {
        let cell = state.cell(condition.field, at);
        !condition.accepts(cell) && !cell.is_blank() && !is_near(condition, cell)
    })
}

/// Whether the stored value is so close to a bound that the real one may be on its other side; false for
/// fields that are never recorded, and for operands other than one number.
fn is_near(condition: &Condition, cell: CellRef<'_>) -> bool {
    let tolerance = match condition.field.recording() {
        Recording::Stored(tolerance) => tolerance,
        Recording::Derived => NoiseThreshold::ROUNDING,
        Recording::Never => return false,
    };
    match (&condition.operand, cell) {
        (Operand::One(Value::Number(bound)), CellRef::Number(number)) => tolerance.covers(number, *bound),
        (Operand::One(_) | Operand::Many(_), _) => false,
    }
}

/// The result of testing conditions on a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Judged {
    pub is_refused: bool,
    /// The conditions that its recorded values do not decide, one bit each.
    pub open: u64,
    has_near: bool,
}

impl Judged {
    /// Whether the line meets all conditions, where `vouched` are those that the scope guarantees, one bit
    /// each.
    pub const fn is_met(self, vouched: u64) -> bool {
        !self.is_refused && self.open & !vouched == 0
    }

    /// Whether only unknown values keep the line from meeting the conditions, and none that is too close to a
    /// bound; `vouched` as in `is_met`.
    pub const fn is_unknown(self, vouched: u64) -> bool {
        !self.is_refused && !self.has_near && self.open & !vouched != 0
    }
}
