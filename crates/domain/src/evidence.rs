//! Detection of a market's dialect from its responses to a few searches.
//!
//! The dialects read the same number as different speeds, so a wrong one makes bills wrong. A dialect is detected only
//! if two clues agree and none contradicts; otherwise the user chooses.

use super::Dialect;
use super::catalog::OFFERS;
use super::dialect::TransferUnit;
use super::format::trimmed;
use super::listing::Listing;
use super::query::Query;
use super::response_check::{Discrepancy, ResponseCheck};
use super::value::CellRef;

/// The minimum number of records that must agree before their values count.
const FEWEST_RECORDS: usize = 5;

/// The plausible range of the typical download speed of machines with GPUs, in Mb/s: 100 Mb/s to 10 Gb/s.
const TYPICAL_MEGABITS: (f64, f64) = (100.0, 10_000.0);

/// A market's reaction to a part of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Treatment {
    /// The search was rejected as invalid.
    Refused,
    Obeyed,
    Ignored,
    /// The response does not show the reaction.
    #[default]
    Unclear,
}

/// Observations of a market's responses.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observations {
    /// Members of records that only the public service has.
    pub own_members: Vec<&'static str>,
    /// Whether records have at least half of the documented members.
    pub has_documented_members: bool,
    /// A condition with `nin`, the documented operator.
    pub nin: Treatment,
    /// The same condition with `notin`, the operator of the public service.
    pub notin: Treatment,
    /// A condition on `dph_total`, which only the public service filters by.
    pub filter: Treatment,
    /// Prices with the storage of `allocated_storage`, a parameter of the public service.
    pub storage: Treatment,
    /// The median of the download speeds as received.
    pub speed: Option<f64>,
}

/// The published dialect that a clue supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Documented,
    Vast,
}

impl Side {
    /// The published dialect of this side: the specification's, or the public service's.
    pub const fn dialect(self) -> &'static Dialect {
        match self {
            Self::Documented => &Dialect::DOCUMENTED,
            Self::Vast => &Dialect::VAST,
        }
    }
}

/// A kind of evidence, with the sentence for each outcome.
struct Evidence {
    judge: fn(&Observations) -> Option<Side>,
    documented: &'static str,
    vast: &'static str,
}

static EVIDENCE: [Evidence; 5] = [
    Evidence {
        judge: |seen| {
            if !seen.own_members.is_empty() {
                return Some(Side::Vast);
            }
            seen.has_documented_members.then_some(Side::Documented)
        },
        documented: "offers have only what the documentation lists",
        vast: "offers have details that only the public service sends",
    },
    Evidence {
        judge: |seen| match (seen.nin, seen.notin) {
            (Treatment::Obeyed, Treatment::Refused | Treatment::Ignored) => Some(Side::Documented),
            (Treatment::Refused | Treatment::Ignored, Treatment::Obeyed) => Some(Side::Vast),
            (Treatment::Obeyed, Treatment::Obeyed | Treatment::Unclear)
            | (Treatment::Unclear, _)
            | (Treatment::Refused | Treatment::Ignored, Treatment::Refused | Treatment::Ignored | Treatment::Unclear) => {
                None
            }
        },
        documented: "nin excludes values, notin does not",
        vast: "notin excludes values, nin does not",
    },
    Evidence {
        judge: |seen| seen.side_of(seen.filter),
        documented: "total price cannot be searched",
        vast: "total price can be searched",
    },
    Evidence {
        judge: |seen| seen.side_of(seen.storage),
        documented: "prices leave out the disk of the search",
        vast: "prices include the disk of the search",
    },
    Evidence {
        judge: |seen| {
            let (slowest, fastest) = TYPICAL_MEGABITS;
            let speed = seen.speed?;
            let is_plausible = |unit: TransferUnit| (slowest..=fastest).contains(&(speed * unit.megabits()));
            match (
                is_plausible(TransferUnit::MegabytesPerSecond),
                is_plausible(TransferUnit::MegabitsPerSecond),
            ) {
                (true, false) => Some(Side::Documented),
                (false, true) => Some(Side::Vast),
                (true, true) | (false, false) => None,
            }
        },
        documented: "its speeds are likely in MB/s only",
        vast: "its speeds are likely in Mb/s only",
    },
];

impl Observations {
    /// The dialect that the treatment of a parameter of the public service supports: obeyed, the service's;
    /// refused, the documented one; ignored, the documented one if the market obeyed `nin` or `notin`.
    /// `None` otherwise.
    fn side_of(&self, treatment: Treatment) -> Option<Side> {
        let obeys = self.nin == Treatment::Obeyed || self.notin == Treatment::Obeyed;
        match treatment {
            Treatment::Obeyed => Some(Side::Vast),
            Treatment::Refused => Some(Side::Documented),
            Treatment::Ignored => obeys.then_some(Side::Documented),
            Treatment::Unclear => None,
        }
    }

    /// The observations of members and speed from the response to a search without conditions; all treatments
    /// are unclear.
    pub fn from_plain_search(listing: &Listing) -> Self {
        let is_sent = |key: &str| {
            let column = OFFERS.by_key(key).map(|field| listing.sent_column(field));
            column.is_some_and(|column| (0..listing.len()).any(|row| column.cell(row) != CellRef::Missing))
        };
        let members = || OFFERS.fields().iter().filter(|field| field.in_record);
        let own = members().filter(|field| !field.documented).map(|field| field.key);
        let documented = members().filter(|field| field.documented);
        let (sent, all) = documented.fold((0, 0), |(sent, all), field| {
            (sent + usize::from(is_sent(field.key)), all + 1)
        });
        Self {
            own_members: own.filter(|key| is_sent(key)).collect(),
            has_documented_members: listing.len() >= FEWEST_RECORDS && sent * 2 >= all,
            speed: median(listing, "inet_down"),
            ..Self::default()
        }
    }
}

/// The median of a member's positive finite numbers as read from the records, without estimates; of an even
/// number the larger of the middle two. `None` if there are fewer than five, or `key` is no field of offers.
pub fn median(listing: &Listing, key: &str) -> Option<f64> {
    let column = listing.sent_column(OFFERS.by_key(key)?);
    let numbers = (0..listing.len()).filter_map(|row| column.cell(row).number());
    let mut numbers: Vec<f64> = numbers.filter(|number| number.is_finite() && *number > 0.0).collect();
    numbers.sort_by(f64::total_cmp);
    (numbers.len() >= FEWEST_RECORDS).then(|| numbers[numbers.len() / 2])
}

/// `Ignored` if any row breaks the last condition of `query`, `Obeyed` if none does; `Unclear` without rows
/// or conditions.
///
/// Only meaningful if responses without the condition had rows that violate it.
pub fn condition_treatment(listing: &Listing, query: &Query) -> Treatment {
    let Some(condition) = query.conditions.last().filter(|_| !listing.is_empty()) else {
        return Treatment::Unclear;
    };
    let column = listing.sent_column(condition.field);
    if (0..listing.len()).any(|row| condition.is_broken_by(column.cell(row))) {
        Treatment::Ignored
    } else {
        Treatment::Obeyed
    }
}

/// Whether prices include the storage of the search (`Obeyed`) or another size (`Ignored`); `Unclear` if
/// fewer than five offers report a storage price or a base price above zero, or the size cannot be
/// determined.
pub fn storage_treatment(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Treatment {
    let charges = median(listing, "storage_cost").is_some() && median(listing, "dph_base").is_some();
    let check = ResponseCheck::new(listing, query, dialect);
    let other = check.discrepancies.iter().find_map(|found| match found {
        Discrepancy::OtherStorage { included, .. } => Some(*included),
        Discrepancy::TooMany { .. }
        | Discrepancy::Unordered { .. }
        | Discrepancy::OtherType { .. }
        | Discrepancy::TooSmall { .. } => None,
    });
    match other {
        _ if !charges => Treatment::Unclear,
        None => Treatment::Obeyed,
        Some(Some(_)) => Treatment::Ignored,
        Some(None) => Treatment::Unclear,
    }
}

/// The conclusion from the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The clues: the side that each supports, and its sentence.
    pub clues: Vec<(Side, &'static str)>,
    /// The typical download speed as received.
    pub speed: Option<f64>,
}

impl Findings {
    /// The clues in the observations; kinds of evidence that support neither side give none.
    pub fn from_observations(seen: &Observations) -> Self {
        let clues = EVIDENCE.iter().filter_map(|evidence| {
            let side = (evidence.judge)(seen)?;
            Some(match side {
                Side::Documented => (side, evidence.documented),
                Side::Vast => (side, evidence.vast),
            })
        });
        Self {
            clues: clues.collect(),
            speed: seen.speed,
        }
    }

    /// The dialect that at least two clues support and none contradicts; `None` otherwise.
    pub fn dialect(&self) -> Option<&'static Dialect> {
        let (first, _) = self.clues.first()?;
        let agree = self.clues.len() >= 2 && self.clues.iter().all(|(side, _)| side == first);
        agree.then(|| first.dialect())
    }

    /// The clues by the dialect they support, in one line: `like documented: A, B; like vast: C`. Without clues
    /// `nothing in its responses shows it`.
    pub fn describe(&self) -> String {
        if self.clues.is_empty() {
            return "nothing in its responses shows it".to_owned();
        }
        let part = |wanted: Side| {
            let texts: Vec<_> = self
                .clues
                .iter()
                .filter(|(side, _)| *side == wanted)
                .map(|(_, text)| *text)
                .collect();
            (!texts.is_empty()).then(|| format!("like {}: {}", wanted.dialect().name, texts.join(", ")))
        };
        let parts: Vec<_> = [part(Side::Documented), part(Side::Vast)]
            .into_iter()
            .flatten()
            .collect();
        parts.join("; ")
    }

    /// Describes a typical speed as the detected dialect reads it, `half of its machines download at 0.9 Gb/s or more`, or
    /// as each does if none is clear: `half of its machines download at 7.2 Gb/s or more if documented, 0.9 Gb/s if vast`.
    /// `None` without a speed.
    pub fn describe_speed(&self) -> Option<String> {
        let speed = self.speed?;
        let read = |dialect: &Dialect| {
            let gigabits = speed * dialect.transfer.megabits() / 1000.0;
            format!("{} Gb/s", trimmed(gigabits, if gigabits < 0.1 { 3 } else { 1 }))
        };
        let speeds = if let Some(dialect) = self.dialect() {
            format!("{} or more", read(dialect))
        } else {
            let [documented, vast] = [Side::Documented, Side::Vast].map(|side| read(side.dialect()));
            format!("{documented} or more if documented, {vast} if vast")
        };
        Some(format!("half of its machines download at {speeds}"))
    }
}
