//! Reads a response piece by piece, as it arrives.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::read::{self, Plan};
use super::scan::Scanner;
use super::{Builder, Listing, RawCell, RowId, Skipped};
use crate::catalog::Catalog;
use crate::dialect::TransferUnit;
use crate::json_split::{Envelope, Records, SplitError, Splitter};
use crate::secrets::{Known, has_secret_names, holds_secrets, is_secret_member, scrub};
use crate::time::UnixTime;

/// The maximum size of an unsplit piece of a response, in bytes: a record has some thousands.
pub const LONGEST_PIECE: usize = 16 * 1024 * 1024;

/// The maximum number of blanks between records that are stored.
///
/// Pretty-printed responses have some dozens between records, which are not worth a copy.
const MOST_BLANKS: usize = 1024;

/// A completely read response.
pub struct Whole {
    pub listing: Listing,
    /// The members of the response except its records, as ranges of its text.
    pub envelope: Envelope,
    /// Whether no member of the response has the name of a secret.
    pub is_clean: bool,
}

/// A response that has no records, or cannot be split.
pub struct Unsplit {
    pub error: SplitError,
    /// The whole text, without known secrets.
    pub text: String,
}

/// Reads the records of a response while it arrives.
///
/// The result is only valid after [`Reader::finish`]: a later part may be broken, or hold a secret whose copies have to
/// be removed.
pub struct Reader {
    text: String,
    /// The first bytes of an incomplete character.
    carry: Vec<u8>,
    splitter: Splitter,
    rows: Rows,
    failed: Option<SplitError>,
    known: Arc<Known>,
}

/// The rows read so far.
struct Rows {
    plan: Plan,
    scanner: Scanner,
    hot: Vec<usize>,
    builders: Vec<Builder>,
    seen: HashSet<RowId>,
    /// The listing, except for its text and columns.
    listing: Listing,
    /// A reusable buffer for the values of a record.
    room: Vec<RawCell<'static>>,
    /// The number of records so far, including unreadable ones.
    index: usize,
    known: Arc<Known>,
    /// Whether no secret was found in the records so far, except by the scanner.
    is_clean: bool,
    /// Whether a record was not read by the scanner.
    has_unusual: bool,
}

impl Reader {
    /// A reader for a response that may hold copies of known secrets.
    ///
    /// `now` is the time it is received: `duration` counts from it if records have only an end
    /// date.
    pub fn new(catalog: &'static Catalog, known: Arc<Known>, now: UnixTime) -> Self {
        Self {
            text: String::new(),
            carry: Vec::new(),
            splitter: Splitter::new(catalog.list_key),
            rows: Rows::new(catalog, Arc::clone(&known), now),
            failed: None,
            known,
        }
    }

    /// Sets the unit of the records' network speeds; the default is Mb/s.
    #[must_use]
    pub fn in_units(mut self, transfer: TransferUnit) -> Self {
        self.rows.listing.transfer = transfer;
        self
    }

    /// Reserves memory for this many more bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.text.reserve(bytes);
    }

    /// Adds the next bytes, and reads the records that are complete with them. Invalid UTF-8 becomes
    /// replacement characters in its record: it must not hide a response. A byte-order mark at the start is
    /// dropped.
    pub fn push(&mut self, bytes: &[u8]) {
        let was_empty = self.text.is_empty();
        if self.carry.is_empty() {
            self.decode(bytes);
        } else {
            let mut joined = std::mem::take(&mut self.carry);
            joined.extend_from_slice(bytes);
            self.decode(&joined);
        }
        // Some servers begin JSON with a byte order mark, which is not JSON.
        if was_empty && self.text.starts_with('\u{feff}') {
            self.text.remove(0);
        }
        self.advance(false);
        self.drop_blanks();
    }

    /// Drops the whitespace after the last split part, if there is much of it and nothing follows.
    ///
    /// A megabyte of gzip unpacks to a gigabyte of it.
    fn drop_blanks(&mut self) {
        let consumed = self.splitter.position();
        let rest = &self.text.as_bytes()[consumed..];
        if rest.len() > MOST_BLANKS && rest.trim_ascii_start().is_empty() {
            self.text.truncate(consumed);
        }
    }

    /// Replaces the text by a whole response, without its byte-order mark; `Reader::finish` splits it.
    pub(super) fn take(&mut self, text: String) {
        self.text = text;
        if self.text.starts_with('\u{feff}') {
            self.text.remove(0);
        }
    }

    /// Appends bytes to the text. An incomplete character at the end waits in `carry`; other invalid bytes
    /// become replacement characters.
    fn decode(&mut self, bytes: &[u8]) {
        if let Ok(text) = str::from_utf8(bytes) {
            return self.text.push_str(text);
        }
        let mut rest = bytes.len();
        for chunk in bytes.utf8_chunks() {
            let (valid, invalid) = (chunk.valid(), chunk.invalid());
            self.text.push_str(valid);
            rest -= valid.len() + invalid.len();
            let is_begun = || str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if rest == 0 && is_begun() {
                self.carry = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }

    /// Splits the received text as far as possible, to its end if `is_whole`: nothing follows it. The first
    /// error ends the splitting and is stored in `failed`.
    fn advance(&mut self, is_whole: bool) {
        // A part that cannot be split is judged once the response is complete.
        if self.failed.is_none() {
            let split = self.splitter.advance(&self.text, is_whole, &mut self.rows);
            self.failed = split.err();
        }
    }

    /// Whether there are more than [`MOST_RECORDS`](crate::json_split::MOST_RECORDS) records, so that the rest need not
    /// be read.
    pub fn is_too_long(&self) -> bool {
        self.failed == Some(SplitError::TooManyRecords)
    }

    /// Whether a record, or a part that cannot be split, exceeds [`LONGEST_PIECE`].
    pub fn has_too_long_a_piece(&self) -> bool {
        self.text.len() - self.splitter.position() > LONGEST_PIECE
    }

    /// The number of rows so far.
    pub const fn rows(&self) -> usize {
        self.rows.listing.ids.len()
    }

    /// The first rows, at most `most`, for display until the response is complete; `None` without rows, or if there may
    /// be a secret among them.
    pub fn first_rows(&self, most: usize) -> Option<Listing> {
        let rows = &self.rows.listing;
        let many = most.min(rows.ids.len());
        let text = self.text.get(..rows.spans.get(many.checked_sub(1)?)?.end)?;
        if !self.is_clean_until(text.len()) {
            return None;
        }
        let listing = Listing {
            text: text.to_owned(),
            spans: rows.spans[..many].to_vec(),
            ids: rows.ids[..many].to_vec(),
            now: rows.now,
            transfer: rows.transfer,
            ..Listing::empty(rows.catalog)
        };
        let columns = self.rows.builders.iter().map(|builder| builder.column.first(many));
        Some(listing.with_columns(&self.rows.hot, columns))
    }

    /// Ends the response and returns its contents, without known secrets and without copies of its own
    /// secrets outside their members. An error if it cannot be split into records; one without a list is
    /// none.
    pub fn finish(mut self) -> Result<Whole, Unsplit> {
        if !std::mem::take(&mut self.carry).is_empty() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        self.advance(true);
        if self.is_clean() {
            let is_clean = !self.has_secret_names();
            return self.into_whole(is_clean);
        }
        let clean = match scrub(&self.text, &self.known, is_secret_member) {
            Cow::Borrowed(_) => return self.into_whole(false),
            Cow::Owned(clean) => clean,
        };
        let listing = &self.rows.listing;
        let mut again = Self::new(listing.catalog, Arc::default(), listing.now);
        again.rows.listing.transfer = listing.transfer;
        again.text = clean;
        again.advance(true);
        again.into_whole(false)
    }

    /// Whether no secret has to be removed from the text; false also if there is not exactly one list, or no
    /// row.
    fn is_clean(&self) -> bool {
        let last = self.rows.listing.spans.last();
        self.splitter.lists() == 1
            && self.is_clean_until(self.text.len())
            && last.is_some_and(|last| !holds_secrets(&self.text[last.end..], &self.known))
    }

    /// Whether a member may have the name of a secret; true without rows.
    fn has_secret_names(&self) -> bool {
        let spans = &self.rows.listing.spans;
        let around = spans.first().zip(spans.last()).map(|(first, last)| {
            has_secret_names(&self.text[..first.start]) || has_secret_names(&self.text[last.end..])
        });
        self.rows.has_unusual || self.rows.scanner.has_secret_names || around.unwrap_or(true)
    }

    /// Whether no secret has to be removed from the first `end` bytes of the text, which end after a record;
    /// false also without rows or if the text cannot be split.
    ///
    /// The records were checked one by one.
    fn is_clean_until(&self, end: usize) -> bool {
        let first = self.rows.listing.spans.first();
        self.failed.is_none()
            && self.rows.is_clean()
            && first.is_some_and(|first| !holds_secrets(&self.text[..first.start], &self.known))
            && !self.known.is_in(&self.text[..end])
    }

    /// The contents as they are read, with `is_clean` as given; an error if the text could not be split.
    fn into_whole(mut self, is_clean: bool) -> Result<Whole, Unsplit> {
        if self.failed.is_some() {
            // The error of a response that is read in one piece.
            let again = Splitter::new(self.rows.listing.catalog.list_key).advance(&self.text, true, &mut Ignored);
            let error = again.err().unwrap_or(SplitError::Empty);
            let text = self.text;
            return Err(Unsplit { error, text });
        }
        let envelope = self.splitter.envelope;
        let mut listing = self.rows.listing;
        listing.text = std::mem::take(&mut self.text);
        listing.was_single = envelope.was_single;
        listing.truncated = reported_truncated(&listing.text, &envelope);
        let columns = self.rows.builders.into_iter().map(|builder| builder.column);
        let listing = listing.with_columns(&self.rows.hot, columns);
        Ok(Whole {
            listing,
            envelope,
            is_clean,
        })
    }
}

/// The member `truncated` of the response; of several, any `true` counts. `None` if there is none with a
/// boolean.
fn reported_truncated(text: &str, envelope: &Envelope) -> Option<bool> {
    let said = envelope.members.iter().filter(|(name, _)| name == "truncated");
    let flags = said.filter_map(|(_, value)| text.get(value.clone())?.trim().parse::<bool>().ok());
    flags.reduce(|left, right| left || right)
}

/// A receiver that only counts records.
struct Ignored;

impl Records for Ignored {
    fn clear(&mut self) {}

    fn read(&mut self, _: &str, _: usize) -> Option<usize> {
        None
    }

    fn take(&mut self, _: &str, _: Range<usize>) {}
}

impl Rows {
    /// No rows yet, and a plan to read the hot columns of the catalog; see `read::is_hot`.
    fn new(catalog: &'static Catalog, known: Arc<Known>, now: UnixTime) -> Self {
        let hot: Vec<usize> = (0..catalog.fields.len())
            .filter(|index| read::is_hot(&catalog.fields[*index]))
            .collect();
        let plan = Plan::new(catalog, &hot);
        Self {
            scanner: Scanner::new(&plan),
            plan,
            builders: hot.iter().map(|_| Builder::default()).collect(),
            hot,
            seen: HashSet::default(),
            listing: Listing {
                now,
                ..Listing::empty(catalog)
            },
            room: Vec::new(),
            index: 0,
            known,
            is_clean: true,
            has_unusual: false,
        }
    }

    /// Whether no secret was found in the records so far. Known secrets are searched for only in strings with
    /// escapes and in records that the scanner could not read; the caller searches the rest of the text.
    const fn is_clean(&self) -> bool {
        self.is_clean && !self.scanner.has_secrets
    }
}

impl Listing {
    /// The listing with these columns at the given catalog positions.
    fn with_columns(mut self, positions: &[usize], columns: impl Iterator<Item = super::Column>) -> Self {
        for (position, column) in positions.iter().zip(columns) {
            self.columns[*position] = OnceLock::from(column);
        }
        self
    }

    /// Adds the id of a record; false for a repeated one, which is counted instead, an error without a usable
    /// id.
    fn add_id(&mut self, id: Option<RowId>, seen: &mut HashSet<RowId>) -> Result<bool, &'static str> {
        let id = id.ok_or("no usable id")?;
        if !seen.insert(id) {
            self.duplicates += 1;
            return Ok(false);
        }
        self.ids.push(id);
        Ok(true)
    }
}

impl Rows {
    /// Adds a record with its values, or with an error among the skipped ones; a repeated id only counts as
    /// duplicate.
    fn add_record(&mut self, values: Result<&[RawCell<'_>], &'static str>, record: Range<usize>) {
        let index = self.index;
        self.index += 1;
        let kept = values.and_then(|values| {
            let id = self.plan.id(values);
            if self.listing.add_id(id, &mut self.seen)? {
                self.plan.fill(values, self.listing.now, &mut self.builders);
                self.listing.spans.push(record);
            }
            Ok(())
        });
        if let Err(reason) = kept {
            self.listing.skipped.push(Skipped { index, reason });
        }
    }
}

impl Records for Rows {
    fn clear(&mut self) {
        let catalog = self.listing.catalog;
        let (is_clean, has_unusual) = (self.is_clean(), self.has_unusual);
        let transfer = self.listing.transfer;
        *self = Self {
            is_clean,
            has_unusual,
            ..Self::new(catalog, Arc::clone(&self.known), self.listing.now)
        };
        self.listing.transfer = transfer;
    }

    fn read(&mut self, text: &str, at: usize) -> Option<usize> {
        let mut values: Vec<RawCell<'_>> = std::mem::take(&mut self.room);
        values.resize(self.plan.slots(), RawCell::Missing);
        let end = self.scanner.record(&self.plan, text, at, &mut values)?;
        for string in &self.scanner.escaped {
            self.is_clean &= !self.known.is_in_string(&text[string.clone()]);
        }
        self.add_record(Ok(&values), at..end);
        values.clear();
        // Converts the empty vector to one of owned values, which reuses its memory.
        self.room = values.into_iter().map(RawCell::into_owned).collect();
        Some(end)
    }

    fn take(&mut self, text: &str, record: Range<usize>) {
        let json = &text[record.clone()];
        self.has_unusual = true;
        self.is_clean &= !holds_secrets(json, &self.known);
        let values = self.plan.read(json);
        self.add_record(values.as_deref().map_err(|reason| *reason), record);
    }
}
