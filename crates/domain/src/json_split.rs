//! Splits a response into records without parsing them.
//!
//! One bad record must not hide the others, so a response is first cut into the texts of its records, by counting
//! brackets outside strings and without recursion (a record nested 100,000 deep costs a counter, not the stack). Each
//! record is then parsed on its own. NaN and Infinity, which some services write, stay inside their record.

use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::{Map, Value as Json};

/// The parts of a response, as ranges of its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Envelope {
    pub records: Vec<Range<usize>>,
    /// Whether the list member was present.
    pub has_list: bool,
    /// Whether the list member was a single object instead of a list.
    pub was_single: bool,
    /// The other members: name and value.
    pub members: Vec<(String, Range<usize>)>,
}

/// The maximum number of records of a response.
///
/// Ten times the size of the largest market. An entry of a list takes sixteen bytes here and a record's cells a
/// thousand, so that a response of millions of `{}` would fill the memory.
pub const MOST_RECORDS: usize = 100_000;

/// The maximum number of other members of a response.
const MOST_MEMBERS: usize = 1000;

/// The reason a response could not be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    #[error("the response is empty")]
    Empty,
    /// The text ends inside a value, after this many complete records.
    #[error("the response ends after {0} complete records")]
    CutShort(usize),
    /// The text is not a JSON object.
    #[error("the response is not a JSON object")]
    NotAnObject,
    /// More than [`MOST_RECORDS`] records.
    #[error("the response has more than 100,000 records")]
    TooManyRecords,
    #[error("the response has more than 1,000 members")]
    TooManyMembers,
    /// Invalid JSON: a comma, colon or bracket is missing at this byte.
    #[error("invalid JSON at byte {0}")]
    Broken(usize),
}

/// Splits the object in `text`; the member named `list_key` is cut into records. Ranges do not count a
/// leading byte-order mark.
pub fn split_records(text: &str, list_key: &'static str) -> Result<Envelope, SplitError> {
    let text = text.strip_prefix('\u{feff}').map_or(text, |rest| rest);
    let mut ranges = Ranges::default();
    let mut splitter = Splitter::new(list_key);
    splitter.advance(text, true, &mut ranges)?;
    Ok(Envelope {
        records: ranges.0,
        ..splitter.envelope
    })
}

/// Receives the records of a response as they are split.
pub trait Records {
    /// Called when the list begins. Drops earlier records: of repeated lists the last one counts.
    fn clear(&mut self);

    /// Reads the record that begins at `at`, and returns its end. `None` if it is incomplete or not simple: then
    /// [`Records::take`] receives it once its brackets close.
    fn read(&mut self, text: &str, at: usize) -> Option<usize>;

    /// Receives a record that [`Records::read`] did not read.
    fn take(&mut self, text: &str, record: Range<usize>);
}

/// The ranges of the records in the text.
#[derive(Default)]
struct Ranges(Vec<Range<usize>>);

impl Records for Ranges {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn read(&mut self, _: &str, _: usize) -> Option<usize> {
        None
    }

    fn take(&mut self, _: &str, record: Range<usize>) {
        self.0.push(record);
    }
}

/// The members of an object in order, repeated ones too: names and the ranges of their values. An error if
/// the text is not an object.
pub fn members(text: &str) -> Result<Vec<(String, Range<usize>)>, SplitError> {
    let mut splitter = Splitter {
        most_members: usize::MAX,
        ..Splitter::new("")
    };
    splitter.advance(text, true, &mut Ranges::default())?;
    Ok(splitter.envelope.members)
}

/// Parses an object as a tree; `None` if the text is not an object, or invalid JSON.
///
/// If no parser accepts the whole (1e400, half a surrogate pair, 200 levels), each member is parsed on its
/// own, and unreadable ones become null.
pub fn object(text: &str) -> Option<Map<String, Json>> {
    if let Ok(whole) = serde_json::from_str(text) {
        return Some(whole);
    }
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let read = |(name, value): (String, Range<usize>)| {
        let value = serde_json::from_str(&text[value]).unwrap_or_default();
        (name, value)
    };
    Some(members(text).ok()?.into_iter().map(read).collect())
}

/// The next expected part of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    /// The first member, or the end of an empty object.
    FirstMember,
    Member,
    BehindMember,
    /// The first record, or the end of an empty list.
    FirstRecord,
    Record,
    BehindRecord,
    End,
}

/// Splits a response that may still grow: an incomplete part is retried once there is more text.
pub struct Splitter {
    list_key: &'static str,
    phase: Phase,
    at: usize,
    records: usize,
    /// The number of members with the list's name.
    lists: usize,
    /// The minimum length of the text for another attempt.
    ///
    /// A record that arrives in many pieces is not scanned from its start with each of them.
    patience: usize,
    most_members: usize,
    /// The members of the response except its records.
    pub envelope: Envelope,
}

impl Splitter {
    /// A splitter at the start of a response with its records in the member `list_key`.
    pub fn new(list_key: &'static str) -> Self {
        Self {
            list_key,
            phase: Phase::Start,
            at: 0,
            records: 0,
            lists: 0,
            patience: 0,
            most_members: MOST_MEMBERS,
            envelope: Envelope::default(),
        }
    }

    /// The position up to which the text is split, in bytes.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// The number of members with the list's name so far.
    pub const fn lists(&self) -> usize {
        self.lists
    }

    /// Continues with a longer `text` that begins as before; `is_whole` if it is complete. Until then an
    /// incomplete value at the end is no error, and nothing is done before there is enough more text to try
    /// it again.
    pub fn advance(&mut self, text: &str, is_whole: bool, records: &mut impl Records) -> Result<(), SplitError> {
        if !is_whole && text.len() < self.patience {
            return Ok(());
        }
        loop {
            let mut cursor = Cursor {
                bytes: text.as_bytes(),
                text,
                at: self.at,
                records: self.records,
            };
            match self.step(&mut cursor, records) {
                Ok(true) => self.at = cursor.at,
                Ok(false) => return Ok(()),
                Err(SplitError::Empty | SplitError::CutShort(_)) if !is_whole => {
                    self.patience = text.len() + (text.len() - self.at);
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Splits off one part of the response: a bracket, a comma, a member or a record; false at its end. An
    /// error changes nothing.
    fn step(&mut self, cursor: &mut Cursor<'_>, records: &mut impl Records) -> Result<bool, SplitError> {
        let next = cursor.peek();
        match (self.phase, next) {
            (Phase::Start, None) => return Err(SplitError::Empty),
            (Phase::Start, Some(b'{')) => self.go(cursor, Phase::FirstMember),
            (Phase::Start, Some(_)) => return Err(SplitError::NotAnObject),
            (Phase::FirstMember | Phase::BehindMember, Some(b'}')) => self.go(cursor, Phase::End),
            (Phase::FirstMember | Phase::Member, _) => self.member(cursor, records)?,
            (Phase::BehindMember, Some(b',')) => self.go(cursor, Phase::Member),
            (Phase::FirstRecord | Phase::BehindRecord, Some(b']')) => {
                self.go(cursor, Phase::BehindMember);
            }
            (Phase::FirstRecord | Phase::Record, _) => self.record(cursor, records)?,
            (Phase::BehindRecord, Some(b',')) => self.go(cursor, Phase::Record),
            (Phase::BehindMember | Phase::BehindRecord, None) => return Err(cursor.cut()),
            (Phase::End, None) => return Ok(false),
            (Phase::BehindMember | Phase::BehindRecord | Phase::End, Some(_)) => {
                return Err(SplitError::Broken(cursor.at));
            }
        }
        Ok(true)
    }

    /// Skips one byte and sets the next expected part.
    fn go(&mut self, cursor: &mut Cursor<'_>, phase: Phase) {
        cursor.at += 1;
        self.phase = phase;
    }

    /// Splits off a member of the response: its name and value, or the beginning of the list of records.
    fn member(&mut self, cursor: &mut Cursor<'_>, records: &mut impl Records) -> Result<(), SplitError> {
        let name = cursor.name()?;
        cursor.expect(b':')?;
        if name == self.list_key {
            return self.list(cursor, records);
        }
        let value = cursor.value()?;
        if self.envelope.members.len() == self.most_members {
            return Err(SplitError::TooManyMembers);
        }
        self.envelope.members.push((name, value));
        self.phase = Phase::BehindMember;
        Ok(())
    }

    /// Enters the list of records; a single object is taken as the only one, and another value becomes the
    /// member `(list)`. Records of an earlier list are dropped.
    fn list(&mut self, cursor: &mut Cursor<'_>, records: &mut impl Records) -> Result<(), SplitError> {
        let first = cursor.peek();
        let value = match first {
            Some(b'[') => None,
            _ => Some(cursor.value()?),
        };
        // The last of repeated members wins, as in other JSON parsers.
        records.clear();
        self.records = 0;
        self.lists += 1;
        self.envelope.was_single = first == Some(b'{');
        self.envelope.has_list = matches!(first, Some(b'[' | b'{'));
        self.phase = Phase::BehindMember;
        match value {
            None => self.go(cursor, Phase::FirstRecord),
            Some(record) if self.envelope.was_single => {
                self.records = 1;
                records.take(cursor.text, record);
            }
            Some(value) => self.envelope.members.push(("(list)".to_owned(), value)),
        }
        Ok(())
    }

    /// Passes the next record to `records`; an error beyond `MOST_RECORDS`.
    fn record(&mut self, cursor: &mut Cursor<'_>, records: &mut impl Records) -> Result<(), SplitError> {
        if self.records < MOST_RECORDS
            && let Some(end) = records.read(cursor.text, cursor.at)
        {
            cursor.at = end;
        } else {
            let record = cursor.value()?;
            if self.records == MOST_RECORDS {
                return Err(SplitError::TooManyRecords);
            }
            records.take(cursor.text, record);
        }
        self.records += 1;
        self.phase = Phase::BehindRecord;
        Ok(())
    }
}

/// A position in a text, and the number of records before it.
struct Cursor<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    records: usize,
}

impl Cursor<'_> {
    /// The error for a text that ends before the response does.
    fn cut(&self) -> SplitError {
        SplitError::CutShort(self.records)
    }

    /// Skips whitespace and returns the next byte, without consuming it; `None` at the end.
    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Skips whitespace and then the byte `wanted`; an error if another byte or the end follows.
    fn expect(&mut self, wanted: u8) -> Result<(), SplitError> {
        match self.peek() {
            Some(byte) if byte == wanted => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(SplitError::Broken(self.at)),
            None => Err(self.cut()),
        }
    }

    /// Reads a member's name and unescapes it; one with half a surrogate pair stays as it is written.
    fn name(&mut self) -> Result<String, SplitError> {
        if self.peek() != Some(b'"') {
            return Err(match self.peek() {
                Some(_) => SplitError::Broken(self.at),
                None => self.cut(),
            });
        }
        let range = self.value()?;
        let name = &self.text[range.clone()];
        serde_json::from_str(name).or_else(|_| {
            // Half a surrogate pair is valid JSON but not a text.
            serde_json::from_str::<IgnoredAny>(name)
                .map(|_| name.trim_matches('"').to_owned())
                .map_err(|_| SplitError::Broken(range.start))
        })
    }

    /// Skips one value and returns its range; only brackets and strings are checked, not the value itself.
    fn value(&mut self) -> Result<Range<usize>, SplitError> {
        if self.peek().is_none() {
            return Err(self.cut());
        }
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.string()?;
                    if depth == 0 {
                        return Ok(start..self.at);
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 0 => return self.scalar(start),
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(start..self.at);
                    }
                }
                b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return self.scalar(start),
                _ => {}
            }
            self.at += 1;
        }
        Err(self.cut())
    }

    /// The range from `start` to the current position; an error if it is empty.
    fn scalar(&self, start: usize) -> Result<Range<usize>, SplitError> {
        if start == self.at {
            Err(SplitError::Broken(start))
        } else {
            Ok(start..self.at)
        }
    }

    /// Skips a string from its opening quote to behind the closing one; an error if that is missing.
    fn string(&mut self) -> Result<(), SplitError> {
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => 2,
                _ => 1,
            };
        }
        Err(self.cut())
    }
}
