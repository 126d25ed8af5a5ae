//! Filters rows by words: each word must occur in some text column, in any case, or be an id of the
//! row.

use crate::domain::field::Kind;
use crate::domain::listing::Column;
use crate::domain::text::{beginning, occurrences};
use crate::domain::{Field, Listing};

/// Number of bytes of each text that are searched at every key press.
///
/// More than any column shows.
const SEARCHED: usize = 1024;

/// The fields whose whole value a word may be: people have these numbers from elsewhere.
const IDS: [&str; 2] = ["id", "machine_id"];

/// Whether a column is searched for filter words: texts, countries and versions of the record, not computed
/// ones.
pub const fn is_searched(field: &Field) -> bool {
    field.in_record && matches!(field.kind, Kind::Text | Kind::Country | Kind::Version)
}

/// The rows of a column that contain a word.
struct Hits<'a> {
    field: &'static Field,
    column: &'a Column,
    /// Whether each distinct text contains the word.
    ///
    /// Texts are interned, so that each is searched once, however many rows have it.
    texts: Vec<bool>,
}

impl Hits<'_> {
    /// Whether a row contains the word in this column.
    fn has(&self, row: u32) -> bool {
        let text = self.column.text_index(row as usize);
        text.is_some_and(|text| self.texts[text])
    }
}

/// The result of filtering a view by words.
#[derive(Debug)]
pub struct Narrowed {
    /// The rows that contain all words, in their order.
    pub rows: Vec<u32>,
    /// Columns that contain a word that no shown column contains.
    ///
    /// They are shown too, as otherwise nobody would see why a row matches.
    pub revealed: Vec<&'static Field>,
}

/// Filters the row numbers `view`, in their order: each word must occur in a text column, in any case, or
/// equal an id of the row. For each word that none of the columns `shown` contains, one column is revealed.
pub fn narrow(listing: &Listing, view: Vec<u32>, words: &[String], shown: &[&'static Field]) -> Narrowed {
    if words.is_empty() {
        // Without words there is no reason to read all text columns.
        return Narrowed {
            rows: view,
            revealed: Vec::new(),
        };
    }
    let fields = || searched(listing);
    listing.prepare(fields());
    let mut rows = view;
    let mut hits: Vec<Vec<Hits<'_>>> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        // Where nothing is left, a pasted page of words changes nothing.
        if rows.is_empty() {
            break;
        }
        if words[..index].contains(word) {
            continue;
        }
        let columns: Vec<Hits<'_>> = fields()
            .map(|field| hits_in(listing, field, word))
            .filter(|hits| hits.texts.contains(&true))
            .collect();
        let ids = IDS.into_iter().filter_map(|key| listing.catalog().by_key(key));
        let ids: Vec<&Column> = ids.map(|field| listing.column(field)).collect();
        let number: Option<i128> = word.parse().ok();
        let has_id = |row: &u32| {
            let mut cells = ids.iter().map(|column| column.cell(*row as usize));
            number.is_some() && cells.any(|cell| cell.whole() == number)
        };
        rows.retain(|row| columns.iter().any(|hits| hits.has(*row)) || has_id(row));
        hits.push(columns);
    }
    let holds = |hits: &&Hits<'_>| rows.iter().any(|row| hits.has(*row));
    let mut revealed = Vec::new();
    for columns in &hits {
        let mut columns = columns.iter().filter(holds).map(|hits| hits.field);
        let Some(first) = columns.next() else {
            continue;
        };
        let is_shown = |field: &&'static Field| shown.contains(field) || revealed.contains(field);
        if !is_shown(&first) && !columns.any(|field| is_shown(&field)) {
            revealed.push(first);
        }
    }
    Narrowed { rows, revealed }
}

/// The columns that are searched for words.
pub(crate) fn searched(listing: &Listing) -> impl Iterator<Item = &'static Field> {
    let fields = listing.catalog().fields().iter();
    fields.filter(|field| is_searched(field))
}

/// The rows of a column that contain a word, in the first 1,024 bytes and in any case.
fn hits_in<'a>(listing: &'a Listing, field: &'static Field, word: &str) -> Hits<'a> {
    let column = listing.column(field);
    let texts = column.texts().iter();
    Hits {
        field,
        column,
        texts: texts
            .map(|text| !occurrences(beginning(text.unescaped(), SEARCHED).0, word).is_empty())
            .collect(),
    }
}
