//! The content of a response about each lot.

use std::collections::{BTreeMap, BTreeSet};

use bourse_domain::annotations::Bans;
use bourse_domain::cost::{Prices, VolumePrices};
use bourse_domain::country::CountryCode;
use bourse_domain::dialect::Dialect;
use bourse_domain::insight::{Coverage, Supply, query_coverage};
use bourse_domain::listing::{Column, Listing};
use bourse_domain::response_check::ResponseCheck;
use bourse_domain::value::CellRef;
use bourse_domain::{OfferType, Query, Resource, language};

use super::line::Lines;
use super::{Cause, Lot, Moment, Poll, PollOutcome, PricePer, Proof, Quote, Scope, SearchKey, Sighting, VOLUME_MODEL};

/// The maximum length of a model's name, in characters.
///
/// Real names have up to 20 characters; a hostile one must not fill the database.
const LONGEST_MODEL: usize = 64;

/// The time a response arrived, and the circumstances of its request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    pub at: Moment,
    /// Milliseconds until the response was complete, or until the request failed.
    pub took: u32,
    /// Seconds until the next poll; `None` unless the search is watched.
    pub interval: Option<u32>,
    /// The active bans: those that are sent are excluded from the response.
    pub bans: Bans,
}

impl Arrival {
    /// The time the request was sent: the arrival less the whole seconds that it took.
    fn sent(&self) -> Moment {
        Moment(self.at.0.saturating_sub(i64::from(self.took / 1000)))
    }
}

impl SearchKey {
    /// The key of a query: its resource, the price type of offers, and its active conditions, sorted and
    /// without duplicates; not its order, limit and storage.
    pub fn new(query: &Query) -> Self {
        let active = query.active().map(language::print_condition);
        // A repeated condition adds nothing.
        let conditions: BTreeSet<String> = active.collect();
        Self {
            resource: query.resource,
            offer_type: match query.resource {
                Resource::Offers => query.offer_type,
                Resource::Volumes | Resource::Workergroups => OfferType::OnDemand,
            },
            conditions: conditions.into_iter().collect::<Vec<_>>().join(" "),
        }
    }
}

impl Poll {
    /// The poll of a response to `query`, at the time its request was sent. Its sightings are of the rows
    /// that meet the conditions which `dialect` cannot send; an unusable response has none. Its lines include
    /// those of hidden rows; they are empty if it proves nothing. Its scope has the storage that `check`
    /// found in the prices, if that is another one than was sent. A response loaded in several requests over
    /// more than two minutes never proves that a line is absent.
    pub fn new(
        query: &Query,
        listing: &Listing,
        check: &ResponseCheck,
        dialect: &'static Dialect,
        arrival: &Arrival,
    ) -> Self {
        let outcome = outcome(query, listing, check);
        let mut lots = Lots::default();
        if outcome.is_usable() {
            let rows = matching(query, listing, dialect);
            lots = Lots::new(listing, query.offer_type, query.storage_gb(), &rows);
        }
        let mut lines = Lines::new(listing, query.offer_type);
        if let Some(hidden) = listing.hidden_rows() {
            lines.extend(Lines::new(&hidden, query.offer_type));
        }
        // Offers change while a market is loaded in parts.
        let is_of_one_moment = listing.known_coverage().is_none() || arrival.took <= LONGEST_LOAD;
        let proof = Proof::new(query, listing, check, dialect, lines.is_read && is_of_one_moment);
        let at = arrival.sent();
        let mut scope = Scope::new(query, dialect, arrival.bans.sent_bans(query, dialect));
        if let Some(included) = check.included_storage() {
            scope.storage = included;
        }
        Self {
            search: SearchKey::new(query),
            scope,
            proof,
            at,
            took: arrival.took,
            outcome,
            rows: u32::try_from(listing.len()).unwrap_or(u32::MAX),
            interval: arrival.interval,
            bans: arrival.bans.fingerprint(),
            causes: lots.rented(),
            sightings: lots.sightings,
            lines: if proof.is_usable() { lines.seen } else { Vec::new() },
        }
    }

    /// The poll of a request for `query` that failed or was answered incompletely: no sightings, and proof of
    /// nothing.
    pub fn failed(query: &Query, dialect: &'static Dialect, arrival: &Arrival) -> Self {
        Self {
            search: SearchKey::new(query),
            at: arrival.sent(),
            scope: Scope::new(query, dialect, arrival.bans.sent_bans(query, dialect)),
            proof: Proof::Nothing,
            took: arrival.took,
            outcome: PollOutcome::Failed,
            rows: 0,
            interval: arrival.interval,
            bans: arrival.bans.fingerprint(),
            sightings: Vec::new(),
            lines: Vec::new(),
            causes: Vec::new(),
        }
    }

    /// The sightings with their prices replaced by those of offers with `storage` GB, per GPU or per machine,
    /// as by [`PricePer::price`].
    pub fn priced(&self, storage: f64, per: PricePer) -> Vec<Sighting> {
        let sightings = self.sightings.iter().map(|sighting| Sighting {
            price: per.price(sighting.quotes.iter().copied(), sighting.price, storage),
            ..sighting.clone()
        });
        sightings.collect()
    }

    /// The sighting of a lot; `None` if the poll lacks it.
    pub fn sighting(&self, lot: &Lot) -> Option<&Sighting> {
        let row = self.sightings.binary_search_by(|sighting| sighting.lot.cmp(lot));
        self.sightings.get(row.ok()?)
    }
}

/// Milliseconds after which a response in parts is no longer one moment of the market.
///
/// A whole market loads in half a minute; an offer listed minutes before its end may be gone.
const LONGEST_LOAD: u32 = 120_000;

/// The reasons `missing` lots are not on offer in a search, from the response to a search for their machines
/// without other conditions: on offer outside the search, rented, or delisted. Lots without a known reason
/// are left out.
///
/// A truncated response gives no reasons for lots that it lacks.
pub fn causes(missing: &[Lot], listing: &Listing, offer_type: OfferType, coverage: Coverage) -> Vec<(Lot, Cause)> {
    let rows: Vec<u32> = all_rows(listing).collect();
    // No price is asked of them.
    let lots = Lots::new(listing, offer_type, 0.0, &rows);
    let cause = |lot: &Lot| {
        if lots.sightings.iter().any(|sighting| sighting.lot == *lot) {
            Some(Cause::LeftTheSearch)
        } else if lots.rented.contains(lot) {
            Some(Cause::Rented)
        } else {
            (coverage == Coverage::Whole && listing.skipped().is_empty()).then_some(Cause::Delisted)
        }
    };
    let known = missing.iter().map(|lot| (lot.clone(), cause(lot)));
    known.filter_map(|(lot, cause)| Some((lot, cause?))).collect()
}

/// The usability of a response: `FiltersIgnored` if rows violate a condition that was sent, other than
/// `rented` and `rentable`, or are of another price type; `Complete` if all results are there and readable,
/// else `Truncated`.
fn outcome(query: &Query, listing: &Listing, check: &ResponseCheck) -> PollOutcome {
    // The public service ignores the filter `rented`; rented rows are not on offer anyway.
    let is_ignored = check
        .violations
        .iter()
        .any(|violation| !matches!(violation.field.key, "rented" | "rentable"));
    if is_ignored || check.is_other_type() {
        return PollOutcome::FiltersIgnored;
    }
    match query_coverage(listing, query) {
        // An unreadable record may belong to any lot.
        Coverage::Whole if listing.skipped().is_empty() => PollOutcome::Complete,
        Coverage::Whole | Coverage::Cut | Coverage::Unknown => PollOutcome::Truncated,
    }
}

/// The indices of all rows of a listing.
pub(crate) fn all_rows(listing: &Listing) -> std::ops::Range<u32> {
    0..u32::try_from(listing.len()).unwrap_or(u32::MAX)
}

/// The indices of the rows that satisfy those conditions of `query` that `dialect` cannot send.
fn matching(query: &Query, listing: &Listing, dialect: &'static Dialect) -> Vec<u32> {
    let local: Vec<_> = query
        .applied_locally(dialect)
        .map(|condition| (condition, listing.column(condition.field)))
        .collect();
    let meets = |row: &u32| {
        let mut conditions = local.iter();
        conditions.all(|(condition, column)| condition.accepts(column.cell(*row as usize)))
    };
    all_rows(listing).filter(meets).collect()
}

/// The sightings of the lots on offer in the rows of a response to `query` with these indices, sorted by lot; of no
/// other rows.
pub(crate) fn sightings(listing: &Listing, query: &Query, rows: &[u32]) -> Vec<Sighting> {
    Lots::new(listing, query.offer_type, query.storage_gb(), rows).sightings
}

/// The lots of a listing.
#[derive(Debug, Default)]
struct Lots {
    /// The lots on offer, sorted by lot.
    sightings: Vec<Sighting>,
    /// The lots with rented rows, on offer or not.
    rented: BTreeSet<Lot>,
}

/// The cheapest row of a lot, and the sums over its rows.
#[derive(Debug)]
struct Offers {
    rows: Vec<u32>,
    /// The lowest reference price.
    lowest: f64,
    /// The price per GPU with the storage of the search, and the row of the cheapest; of equal ones the earlier.
    best: (f64, u32),
    /// The cheapest quote of each number of GPUs.
    quotes: BTreeMap<u32, Quote>,
}

impl Lots {
    /// The lots in some rows of a listing: those on offer with their quotes, and those with rented rows. Rows
    /// without a machine are left out, and unrented ones that are not rentable or lack a price. The offer of a
    /// sighting is the cheapest per GPU with `storage` GB.
    fn new(listing: &Listing, offer_type: OfferType, storage: f64, rows: &[u32]) -> Self {
        let columns = Columns::new(listing);
        let quote = quotes(listing, offer_type);
        let mut rented = BTreeSet::new();
        let mut lots: BTreeMap<Lot, Offers> = BTreeMap::new();
        for row in rows {
            let Some(lot) = columns.lot(*row) else {
                continue;
            };
            if columns.is_rented(*row) {
                rented.insert(lot);
            } else if columns.is_rentable(*row)
                && let Some(quote) = quote(*row).filter(|quote| quote.reference().is_finite())
            {
                let (price, of_search) = (quote.reference(), quote.per_gpu(storage));
                let offers = lots.entry(lot).or_insert_with(|| Offers {
                    rows: Vec::new(),
                    lowest: price,
                    best: (of_search, *row),
                    quotes: BTreeMap::new(),
                });
                offers.rows.push(*row);
                offers.lowest = offers.lowest.min(price);
                if of_search < offers.best.0 {
                    offers.best = (of_search, *row);
                }
                let known = offers.quotes.entry(quote.gpus).or_insert(quote);
                if price < known.reference() {
                    *known = quote;
                }
            }
        }
        let sighting = |(lot, offers): (Lot, Offers)| {
            let (_, row) = offers.best;
            Some(Sighting {
                host: columns.host(row),
                country: columns.country(row),
                amount: columns.amount(listing, &offers.rows),
                price: offers.lowest,
                offer: listing.id(row as usize)?.0,
                quotes: offers.quotes.into_values().collect(),
                lot,
            })
        };
        Self {
            sightings: lots.into_iter().filter_map(sighting).collect(),
            rented,
        }
    }

    /// The lots with rented rows that are not on offer, each with the cause `Rented`.
    fn rented(&self) -> Vec<(Lot, Cause)> {
        let is_gone = |lot: &&Lot| {
            let row = self.sightings.binary_search_by(|sighting| sighting.lot.cmp(lot));
            row.is_err()
        };
        let gone = self.rented.iter().filter(is_gone);
        gone.map(|lot| (lot.clone(), Cause::Rented)).collect()
    }
}

/// A function from the index of a listing's row to its quote; `None` for rows that lack a valid price or, of
/// offers, a valid storage price or a number of GPUs of at least 1, and for all workergroups.
pub fn quotes(listing: &Listing, offer_type: OfferType) -> Box<dyn Fn(u32) -> Option<Quote> + '_> {
    match listing.catalog().resource {
        Resource::Offers => {
            let prices = Prices::new(listing, offer_type);
            let column = |key| {
                let field = listing.catalog().by_key(key)?;
                Some(listing.sent_column(field))
            };
            let number = |column: Option<&Column>, row: u32| {
                let number = column?.cell(row as usize).number()?;
                (number.is_finite() && number >= 0.0).then_some(number)
            };
            let columns = [column("num_gpus"), column("storage_cost"), column("min_bid")];
            Box::new(move |row| {
                let [gpus, storage, min_bid] = columns.map(|column| number(column, row));
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
                let gpus = gpus? as u32;
                (gpus > 0).then_some(Quote {
                    gpus,
                    base: prices.base(row as usize).ok()?,
                    storage: storage?,
                    min_bid,
                })
            })
        }
        Resource::Volumes => {
            let prices = VolumePrices::new(listing);
            Box::new(move |row| {
                Some(Quote {
                    gpus: 1,
                    base: prices.per_gb_month(row as usize).ok()?,
                    storage: 0.0,
                    min_bid: None,
                })
            })
        }
        Resource::Workergroups => Box::new(|_| None),
    }
}

/// The columns that identify lots and lines.
pub(crate) struct Columns<'a> {
    pub(super) resource: Resource,
    machine: Option<&'a Column>,
    model: Option<&'a Column>,
    host: Option<&'a Column>,
    location: Option<&'a Column>,
    rented: Option<&'a Column>,
    rentable: Option<&'a Column>,
    space: Option<&'a Column>,
    pub(super) memory: Option<&'a Column>,
    pub(super) gpus: Option<&'a Column>,
}

impl<'a> Columns<'a> {
    /// The columns of a listing by which its rows are recorded, as the market sent them.
    pub(crate) fn new(listing: &'a Listing) -> Self {
        let column = |key| {
            let field = listing.catalog().by_key(key)?;
            Some(listing.sent_column(field))
        };
        let is_volumes = listing.catalog().resource == Resource::Volumes;
        Self {
            resource: listing.catalog().resource,
            machine: column(if is_volumes { "cluster_id" } else { "machine_id" }),
            model: column("gpu_name"),
            host: column("host_id"),
            location: column("geolocation"),
            rented: column("rented"),
            rentable: column("rentable"),
            space: column("disk_space").filter(|_| is_volumes),
            memory: column("gpu_ram"),
            gpus: column("num_gpus"),
        }
    }

    /// The lot of a row, with memory 0; `None` if the row does not report its machine or cluster. The model
    /// of an offer is cut to 64 characters, and empty if missing; that of a volume is `network volume`.
    pub(crate) fn lot(&self, row: u32) -> Option<Lot> {
        Some(Lot {
            machine: id(self.machine?, row)?,
            model: match self.model {
                Some(column) => match column.cell(row as usize) {
                    CellRef::Text(name) => name.chars().take(LONGEST_MODEL).collect::<String>().into(),
                    _ => "".into(),
                },
                None => VOLUME_MODEL.into(),
            },
            memory: 0,
        })
    }

    /// The identity of an offer that survives a change of its id: its lot and number of GPUs (the bits of the
    /// number). `None` if it does not report its machine, and for everything but offers: the volumes of a
    /// cluster are rented one by one, and are distinguished by their ids.
    pub(crate) fn slice(&self, row: u32) -> Option<(Lot, Option<u64>)> {
        let gpus = self.gpus.and_then(|column| column.cell(row as usize).number());
        Some((self.lot(row)?, gpus.map(f64::to_bits))).filter(|_| self.resource == Resource::Offers)
    }

    /// The id of the row's host; `None` if it is not reported.
    fn host(&self, row: u32) -> Option<i64> {
        id(self.host?, row)
    }

    /// The country in the row's location; `None` if it has none.
    fn country(&self, row: u32) -> Option<CountryCode> {
        let location = self.location?.cell(row as usize).text()?;
        CountryCode::of_location(location)
    }

    /// Whether the row is marked as rented; false if it is not reported.
    pub(super) fn is_rented(&self, row: u32) -> bool {
        let cell = self.rented.map(|column| column.cell(row as usize));
        cell == Some(CellRef::Flag(true))
    }

    /// Whether the row can be rented; true unless it is marked otherwise.
    pub(super) fn is_rentable(&self, row: u32) -> bool {
        let cell = self.rentable.map(|column| column.cell(row as usize));
        cell != Some(CellRef::Flag(false))
    }

    /// The number of GPUs of some offers of one lot that can be rented at once; of volumes the size of the
    /// largest in GB.
    ///
    /// Markets do not report whether several volumes of one cluster share their space.
    fn amount(&self, listing: &Listing, rows: &[u32]) -> u32 {
        match self.space {
            None => u32::try_from(Supply::new(listing, rows).amount().gpus).unwrap_or(u32::MAX),
            Some(space) => {
                let sizes = rows.iter().filter_map(|row| space.cell(*row as usize).number());
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
                let largest = sizes.fold(0.0, f64::max) as u32;
                largest
            }
        }
    }
}

/// The whole number in a cell as an id; `None` for any other value.
fn id(column: &Column, row: u32) -> Option<i64> {
    i64::try_from(column.cell(row as usize).whole()?).ok()
}
