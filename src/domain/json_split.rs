//! Splits a response into records without parsing them.
//!
//! One bad record must not hide the others, so a response is first cut into the texts of its
//! records, by counting brackets outside strings and without recursion (a record nested 100,000
//! deep costs a counter, not the stack). Each record is then parsed on its own. NaN and Infinity,
//! which some services write, stay inside their record.

use std::ops::Range;

/// The parts of a response, as ranges of its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Envelope {
    pub records: Vec<Range<usize>>,
    /// Whether the list member was present.
    pub has_list: bool,
    /// Whether the list member was one object instead of a list.
    pub was_single: bool,
    /// The other members: name and value.
    pub members: Vec<(String, Range<usize>)>,
}

// Ten times what the largest market has. A place in a list takes sixteen bytes here and a record's
// cells a thousand, so that a response of millions of `{}` would fill the memory.
/// The most records that are taken from a response.
pub const MOST_RECORDS: usize = 100_000;

/// The most other members that a response may have.
const MOST_MEMBERS: usize = 1000;

/// Why a response could not be split.
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
    /// More records than are taken.
    #[error("the response has more than 100,000 records")]
    TooManyRecords,
    #[error("the response has more than 1,000 members")]
    TooManyMembers,
    /// JSON needs a comma, colon or bracket at this byte, and there is none.
    #[error("invalid JSON at byte {0}")]
    Broken(usize),
}

/// Splits the object in `text`; the member named `list_key` is cut into records.
pub fn split_records(text: &str, list_key: &str) -> Result<Envelope, SplitError> {
    let text = text.strip_prefix('\u{feff}').map_or(text, |rest| rest);
    Splitter {
        bytes: text.as_bytes(),
        text,
        at: 0,
        envelope: Envelope::default(),
    }
    .object(list_key)
}

struct Splitter<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    envelope: Envelope,
}

impl Splitter<'_> {
    fn object(mut self, list_key: &str) -> Result<Envelope, SplitError> {
        match self.peek() {
            None => return Err(SplitError::Empty),
            Some(b'{') => self.at += 1,
            Some(_) => return Err(SplitError::NotAnObject),
        }
        if self.peek() == Some(b'}') {
            return self.finish();
        }
        loop {
            let name = self.name()?;
            self.expect(b':')?;
            if name == list_key {
                self.list()?;
            } else {
                let value = self.value()?;
                if self.envelope.members.len() == MOST_MEMBERS {
                    return Err(SplitError::TooManyMembers);
                }
                self.envelope.members.push((name, value));
            }
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => return self.finish(),
                None => return Err(self.cut()),
                Some(_) => return Err(SplitError::Broken(self.at)),
            }
        }
    }

    fn finish(mut self) -> Result<Envelope, SplitError> {
        self.at += 1;
        match self.peek() {
            None => Ok(self.envelope),
            Some(_) => Err(SplitError::Broken(self.at)),
        }
    }

    fn list(&mut self) -> Result<(), SplitError> {
        // The last of repeated members wins, as in other JSON parsers.
        self.envelope.records.clear();
        self.envelope.was_single = false;
        self.envelope.has_list = true;
        match self.peek() {
            Some(b'[') => self.at += 1,
            Some(b'{') => {
                let record = self.value()?;
                self.envelope.records.push(record);
                self.envelope.was_single = true;
                return Ok(());
            }
            _ => {
                let value = self.value()?;
                self.envelope.has_list = false;
                let name = "(list)".to_owned();
                self.envelope.members.push((name, value));
                return Ok(());
            }
        }
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let record = self.value()?;
            if self.envelope.records.len() == MOST_RECORDS {
                return Err(SplitError::TooManyRecords);
            }
            self.envelope.records.push(record);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                None => return Err(self.cut()),
                Some(_) => return Err(SplitError::Broken(self.at)),
            }
        }
    }

    fn cut(&self) -> SplitError {
        SplitError::CutShort(self.envelope.records.len())
    }

    fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

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

    fn name(&mut self) -> Result<String, SplitError> {
        if self.peek() != Some(b'"') {
            return Err(match self.peek() {
                Some(_) => SplitError::Broken(self.at),
                None => self.cut(),
            });
        }
        let range = self.value()?;
        serde_json::from_str(&self.text[range.clone()]).map_err(|_| SplitError::Broken(range.start))
    }

    /// Skips one value and returns its range.
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

    fn scalar(&self, start: usize) -> Result<Range<usize>, SplitError> {
        if start == self.at {
            Err(SplitError::Broken(start))
        } else {
            Ok(start..self.at)
        }
    }

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
