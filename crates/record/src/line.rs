//! The content of a response about each line: one size of a lot.

use std::collections::BTreeMap;
use std::sync::Arc;

use bourse_domain::cost::gpu_numbers;
use bourse_domain::format::nominal_gb;
use bourse_domain::listing::{Column, Listing};
use bourse_domain::{CellRef, Field, Kind, OfferType, Resource, Unit};

use super::attributes::{Attribute, Fact, Facts, attributes};
use super::poll::{Columns, quotes};
use super::{Lot, Quote};

/// The maximum length of an attribute's text, in characters.
///
/// Real texts are shorter; a hostile one must not fill the database.
const LONGEST_TEXT: usize = 64;

/// 2^53: larger ids are stored as digits.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The offers of a lot with the same number of GPUs. Their ids are not stable: markets renumber them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    pub lot: Lot,
    /// The number of GPUs; 1 of volumes.
    pub gpus: u32,
}

/// A line in a response, with the attributes of its cheapest offer.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenLine {
    pub line: Line,
    /// The id of that offer.
    pub offer: i64,
    /// The number of offers of that size on the machine in the response.
    pub offers: u32,
    /// The GPUs that those offers cover together, one bit each; `None` unless all list theirs.
    pub gpu_mask: Option<u64>,
    pub facts: Facts,
}

/// The lines on offer in a listing, sorted.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub seen: Vec<SeenLine>,
    /// Whether each record reports its machine and size.
    pub is_read: bool,
}

/// The offers of a line in a listing.
struct Offers {
    best: (f64, u32),
    many: u32,
    gpu_mask: Option<u64>,
}

impl Lines {
    /// The lines on offer in a listing, each with its cheapest offer at the price type; one without a price
    /// counts as the most expensive. Rented and unrentable rows are left out, and so are lines whose cheapest
    /// offer has no id; a row without its machine or size makes `is_read` false.
    pub(super) fn new(listing: &Listing, offer_type: OfferType) -> Self {
        let columns = Columns::new(listing);
        let quote = quotes(listing, offer_type);
        let mut is_read = true;
        let mut lines: BTreeMap<Line, Offers> = BTreeMap::new();
        for row in 0..u32::try_from(listing.len()).unwrap_or(u32::MAX) {
            let Some(line) = columns.line(row) else {
                is_read = false;
                continue;
            };
            if columns.is_rented(row) || !columns.is_rentable(row) {
                continue;
            }
            let quote = quote(row).filter(|quote| quote.reference().is_finite());
            // An offer without a price is on offer all the same.
            let price = quote.as_ref().map_or(f64::INFINITY, Quote::reference);
            let gpu_mask = gpu_mask(listing, row);
            let offers = lines.entry(line).or_insert(Offers {
                best: (price, row),
                many: 0,
                gpu_mask,
            });
            offers.many = offers.many.saturating_add(1);
            offers.gpu_mask = offers.gpu_mask.zip(gpu_mask).map(|(known, own)| known | own);
            if price < offers.best.0 {
                offers.best = (price, row);
            }
        }
        let reader = FactReader::new(listing, offer_type);
        let seen = lines.into_iter().filter_map(|(line, offers)| {
            let (_, row) = offers.best;
            Some(SeenLine {
                line,
                offer: listing.id(row as usize)?.0,
                offers: offers.many,
                gpu_mask: offers.gpu_mask,
                facts: reader.facts(row, quote(row)),
            })
        });
        Self {
            seen: seen.collect(),
            is_read,
        }
    }

    /// Adds lines of the same response that the user hides; of two equal lines the one here stays.
    pub(super) fn extend(&mut self, hidden: Self) {
        self.is_read &= hidden.is_read;
        self.seen.extend(hidden.seen);
        self.seen.sort_by(|left, right| left.line.cmp(&right.line));
        // A host may be banned without its machine: one of two equal lines is enough.
        self.seen.dedup_by(|later, earlier| later.line == earlier.line);
    }
}

/// The GPUs of an offer, one bit each; `None` unless it lists them and none has a number above 63.
fn gpu_mask(listing: &Listing, row: u32) -> Option<u64> {
    let numbers = gpu_numbers(listing, row as usize);
    let mut mask = None;
    for number in numbers {
        let bit = u32::try_from(number)
            .ok()
            .and_then(|number| 1_u64.checked_shl(number))?;
        mask = Some(mask.unwrap_or(0) | bit);
    }
    mask
}

/// Reads the facts of rows.
struct FactReader<'a> {
    listing: &'a Listing,
    offer_type: OfferType,
    attributes: &'static [Attribute],
    columns: Vec<Column>,
    /// The texts of each column, cut to the maximum length.
    texts: Vec<Vec<Arc<str>>>,
    time_left: Option<&'a Column>,
}

impl<'a> FactReader<'a> {
    /// A reader of the rows of a listing, for offers of a price type; texts are cut to 64 characters.
    fn new(listing: &'a Listing, offer_type: OfferType) -> Self {
        let attributes = attributes(listing.catalog().resource);
        let fields: Vec<&'static Field> = attributes.iter().map(|attribute| attribute.field).collect();
        let columns = listing.read_columns_uncached(&fields);
        let cut = |text: &str| -> Arc<str> { text.chars().take(LONGEST_TEXT).collect::<String>().into() };
        let texts = columns.iter().map(|column| {
            let texts = column.texts().iter();
            texts.map(|text| cut(text.unescaped())).collect()
        });
        let time_left = listing.catalog().by_key("duration");
        Self {
            offer_type,
            attributes,
            texts: texts.collect(),
            columns,
            time_left: time_left.map(|field| listing.sent_column(field)),
            listing,
        }
    }

    /// The facts of a row, one for each attribute in their order. `quote` gives the reserved price;
    /// attributes that offers of the price type do not have on record are unknown.
    fn facts(&self, row: u32, quote: Option<Quote>) -> Facts {
        let row = row as usize;
        let columns = self.attributes.iter().zip(&self.columns).zip(&self.texts);
        let facts = columns.map(|((attribute, column), texts)| match attribute.field.key {
            _ if !attribute.is_recorded_for(self.offer_type) => Fact::Unknown,
            "discounted_dph_total" => quote.map_or(Fact::Unknown, |quote| Fact::Number(quote.base)),
            "end_date" => self.end(row, column),
            _ => self.fact(attribute.field, column, texts, row),
        });
        facts.collect()
    }

    /// The fact in the cell of a field, network speeds in Mb/s; unknown for a missing or malformed value.
    fn fact(&self, field: &Field, column: &Column, texts: &[Arc<str>], row: usize) -> Fact {
        match column.cell(row) {
            CellRef::Missing | CellRef::Null | CellRef::Bad(_) => Fact::Unknown,
            CellRef::Flag(flag) => Fact::Flag(flag),
            CellRef::Text(_) => {
                let text = column.text_index(row).and_then(|index| texts.get(index));
                text.map_or(Fact::Unknown, |text| Fact::Text(Arc::clone(text)))
            }
            CellRef::Number(number) if field.unit == Unit::Transfer => {
                Fact::Number(number * self.listing.transfer().megabits())
            }
            CellRef::Number(number) => match field.kind {
                Kind::Id | Kind::Integer | Kind::Epoch => whole(number),
                Kind::Flag
                | Kind::Number
                | Kind::Text
                | Kind::Country
                | Kind::Version
                | Kind::Timestamp
                | Kind::List
                | Kind::Secret => finite(number),
            },
        }
    }

    /// The end of an offer in whole seconds since 1970; without a reported one, the time at which the listing
    /// was read plus the time left, which some markets send instead; unknown if there is neither.
    fn end(&self, row: usize, column: &Column) -> Fact {
        let sent = column.cell(row).number();
        let left = || {
            let left = self.time_left?.cell(row).number()?;
            Some((self.listing.read_at() + left).seconds())
        };
        sent.or_else(left).map_or(Fact::Unknown, |end| whole(end.round()))
    }
}

/// A whole number as an integer if it is exactly one below 2^53, else as by `finite`.
fn whole(number: f64) -> Fact {
    #[expect(clippy::cast_possible_truncation)] // whole and within the exact range
    if number.fract() == 0.0 && number.abs() < EXACT {
        Fact::Whole(number as i64)
    } else {
        finite(number)
    }
}

// SQLite has no NaN.
/// A number as a fact; unknown if it is infinite or NaN, which the database cannot store.
fn finite(number: f64) -> Fact {
    if number.is_finite() {
        Fact::Number(number)
    } else {
        Fact::Unknown
    }
}

impl Columns<'_> {
    /// The line of a row: its lot with the GPU memory, and its number of GPUs, 1 of volumes. `None` unless it
    /// reports its machine or cluster and, of offers, at least one GPU; always for workergroups.
    fn line(&self, row: u32) -> Option<Line> {
        let lot = self.lot(row)?;
        let memory = self.memory.and_then(|column| column.cell(row as usize).number());
        let gpus = match self.resource {
            Resource::Offers => {
                let gpus = self.gpus?.cell(row as usize).number()?;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
                let whole = gpus as u32;
                (whole > 0).then_some(whole)?
            }
            Resource::Volumes => 1,
            Resource::Workergroups => return None,
        };
        Some(Line {
            lot: Lot {
                memory: memory.map_or(0, gigabytes),
                ..lot
            },
            gpus,
        })
    }
}

/// The nominal GPU memory in whole GB from `megabytes`; 0 if it is not a valid size.
///
/// Cards of one size differ by some MB: 24564, 24576 and, with error correction, 23028 are 24 GB, 49140 are 48.
fn gigabytes(megabytes: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates; NaN is 0
    let whole = nominal_gb(megabytes).round() as u32;
    whole
}
