//! Reads well-formed records in one pass over their text.
//!
//! The records of a response have the same members in the same order, so the text between two values is expected to be
//! the same as in earlier records: one comparison replaces reading a name and looking it up. Skipped text is checked as
//! strictly as a JSON parser does. Anything unusual (a repeated member, a number beyond a double, broken JSON) is left
//! to the tolerant reader.

use std::borrow::Cow;
use std::ops::Range;

use super::digits::{bytes_of, number, skip_number, word};
use super::lead::Lead;
use super::raw_cell::RawCell;
use super::read::{Plan, Role};
use crate::secrets::{is_secret_member, is_secret_name};

/// The maximum number of expected members of a record.
///
/// Records with ever new names must not grow the list without end.
const MOST_STEPS: usize = 512;

/// The number of expected members to try if one is missing.
const AHEAD: usize = 8;

/// The maximum number of objects whose members are expected: the record, and those in it.
///
/// An offer has two, `search` and `instance`; the members of further ones are not learned.
const MOST_SHAPES: usize = 16;

/// The maximum nesting depth.
///
/// The scanner is recursive. Deeper nesting is left to the tolerant reader, which has its own limit.
const DEEPEST: usize = 32;

/// One expected member: the text between the preceding value and its own, and the use of its value.
#[derive(Debug)]
struct ScanStep {
    lead: Lead,
    role: Role,
}

/// Reads records, and learns from each the expected members of the next.
#[derive(Debug)]
pub(super) struct Scanner {
    /// The expected members of records, of the nested objects of the plan, and of other nested objects.
    shapes: Vec<Vec<ScanStep>>,
    /// Whether any member is certainly a secret.
    pub(super) has_secrets: bool,
    /// Whether any member has the name of a secret.
    pub(super) has_secret_names: bool,
    /// The ranges of the strings in the last record that have escapes.
    pub(super) escaped: Vec<Range<usize>>,
}

/// The position at which a member is expected.
struct Here<'t> {
    text: &'t str,
    at: usize,
    /// Whether it is the first member of its object.
    is_first: bool,
}

/// The part found where a member is expected.
enum Next {
    /// A member: the position of its value, and its use.
    Value(usize, Role),
    /// The end of the object.
    End(usize),
}

impl Scanner {
    /// A scanner that has not learned any expected members yet.
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            shapes: (0..plan.object_count()).map(|_| Vec::new()).collect(),
            has_secrets: false,
            has_secret_names: false,
            escaped: Vec::new(),
        }
    }

    /// Reads the record that begins at `at` into `values`, one for each slot of the plan. Returns its
    /// end; `None` if it is incomplete or unusual.
    pub(super) fn record<'t>(
        &mut self,
        plan: &Plan,
        text: &'t str,
        at: usize,
        values: &mut [RawCell<'t>],
    ) -> Option<usize> {
        self.escaped.clear();
        self.object(plan, 0, text, at, values)
    }

    /// Reads the object at `start` into `values`: the record (`object` is 0) or a nested one. Returns its
    /// end; `None` if it is incomplete or invalid, repeats or escapes a member, or holds a search or too deep
    /// a value: the tolerant reader then reads the record again.
    fn object<'t>(
        &mut self,
        plan: &Plan,
        object: usize,
        text: &'t str,
        start: usize,
        values: &mut [RawCell<'t>],
    ) -> Option<usize> {
        let bytes = text.as_bytes();
        if bytes.get(start) != Some(&b'{') {
            return None;
        }
        let mut step_index = 0;
        let mut at = start;
        loop {
            let step = self.shapes[object].get(step_index);
            let known = step.and_then(|step| Some((step.lead.end(bytes, at)?, step.role)));
            let (value, role) = if let Some(known) = known {
                known
            } else {
                let here = Here {
                    text,
                    at,
                    is_first: at == start,
                };
                match self.unexpected(plan, object, &mut step_index, &here)? {
                    Next::End(end) => return Some(end),
                    Next::Value(value, role) => (value, role),
                }
            };
            at = match role {
                Role::Skipped => match bytes.get(value)? {
                    b'-' | b'0'..=b'9' => skip_number(bytes, value)?,
                    _ => self.skip(text, value, 0)?,
                },
                Role::Slot(slot) => {
                    let (cell, end) = self.value(text, value)?;
                    let cell_of_slot = values.get_mut(slot)?;
                    // The choice among repeated members is left to the tolerant reader.
                    if !matches!(cell_of_slot, RawCell::Missing) {
                        return None;
                    }
                    *cell_of_slot = cell;
                    end
                }
                Role::Object(inner) if bytes.get(value) == Some(&b'{') => {
                    self.object(plan, inner, text, value, values)?
                }
                Role::Object(_) => self.skip(text, value, 0)?,
                Role::Search(_) => return None,
            };
            step_index += 1;
        }
    }

    /// Determines the part at `here` if it is not the expected member: one expected later, a new one, which
    /// is expected from now on, or the end of the object. `None` if it is unusual.
    ///
    /// `step_index` moves to the expected member that was found.
    fn unexpected(&mut self, plan: &Plan, object: usize, step_index: &mut usize, here: &Here<'_>) -> Option<Next> {
        let Here { text, at, is_first } = *here;
        let bytes = text.as_bytes();
        let ahead = self.shapes[object].iter().enumerate().skip(*step_index + 1);
        for (index, step) in ahead.take(AHEAD) {
            if let Some(value) = step.lead.end(bytes, at) {
                *step_index = index;
                return Some(Next::Value(value, step.role));
            }
        }
        let mut name = blanks(bytes, at);
        match bytes.get(name)? {
            b'{' if is_first => name = blanks(bytes, name + 1),
            b',' if !is_first => name = blanks(bytes, name + 1),
            b'}' if !is_first => return Some(Next::End(name + 1)),
            _ => return None,
        }
        if is_first && bytes.get(name) == Some(&b'}') {
            return Some(Next::End(name + 1));
        }
        let (end, is_escaped) = string(bytes, name)?;
        let colon = blanks(bytes, end);
        if is_escaped || bytes.get(colon) != Some(&b':') {
            return None;
        }
        let value = blanks(bytes, colon + 1);
        let member = text.get(name + 1..end - 1)?;
        self.judge(member);
        let mut role = plan.role(object, member);
        if role == Role::Skipped && bytes.get(value) == Some(&b'{') && self.shapes.len() < MOST_SHAPES {
            // Members of nested objects have the same order in every record, too.
            role = Role::Object(self.shapes.len());
            self.shapes.push(Vec::new());
        }
        let shape = &mut self.shapes[object];
        if shape.len() < MOST_STEPS {
            let lead = Lead::new(bytes.get(at..value)?);
            shape.insert((*step_index).min(shape.len()), ScanStep { lead, role });
        }
        Some(Next::Value(value, role))
    }

    /// The JSON value at `at`, of a member that the plan reads, and its end; `None` if it is incomplete or
    /// unusual.
    fn value<'t>(&mut self, text: &'t str, at: usize) -> Option<(RawCell<'t>, usize)> {
        let bytes = text.as_bytes();
        match bytes.get(at)? {
            b'"' => {
                let (end, is_escaped) = string(bytes, at)?;
                let cell = if is_escaped {
                    self.escaped.push(at..end);
                    Cow::Owned(serde_json::from_str(text.get(at..end)?).ok()?)
                } else {
                    Cow::Borrowed(text.get(at + 1..end - 1)?)
                };
                Some((RawCell::Text(cell), end))
            }
            b'-' | b'0'..=b'9' => number(text, at),
            b'[' | b'{' => {
                let end = self.skip(text, at, 0)?;
                let json = text.get(at..end)?;
                let cell = if is_short_list(json.as_bytes()) {
                    RawCell::Text(Cow::Borrowed(json))
                } else {
                    RawCell::parse(json).into_owned()
                };
                Some((cell, end))
            }
            _ => literal(bytes, at),
        }
    }

    /// The end of the JSON value at `at`, which is checked but not read; `None` if it is incomplete, invalid
    /// or nested too deep. `depth` is the number of lists and objects around it.
    fn skip(&mut self, text: &str, at: usize, depth: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        match bytes.get(at)? {
            b'"' => {
                let (end, is_escaped) = string(bytes, at)?;
                if is_escaped {
                    self.escaped.push(at..end);
                }
                Some(end)
            }
            b'-' | b'0'..=b'9' => skip_number(bytes, at),
            b'[' if depth < DEEPEST => self.skip_items(text, at, depth),
            b'{' if depth < DEEPEST => self.skip_members(text, at, depth),
            _ => literal(bytes, at).map(|(_, end)| end),
        }
    }

    /// The end of the JSON list at `at`, which is checked but not read; `None` if it is incomplete, invalid
    /// or nested too deep.
    fn skip_items(&mut self, text: &str, at: usize, depth: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = blanks(bytes, at + 1);
        if bytes.get(at) == Some(&b']') {
            return Some(at + 1);
        }
        loop {
            at = blanks(bytes, self.skip(text, at, depth + 1)?);
            match bytes.get(at)? {
                b',' => at = blanks(bytes, at + 1),
                b']' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Notes in `has_secrets` if a member with this name certainly holds a secret, and in `has_secret_names`
    /// if it may hold one.
    fn judge(&mut self, name: &str) {
        self.has_secrets |= is_secret_member(name);
        self.has_secret_names |= is_secret_name(name);
    }

    /// The end of the JSON object at `at`, which is checked but not read; `None` if it is incomplete,
    /// invalid, nested too deep, or a name has an escape. Notes names of secrets in it.
    fn skip_members(&mut self, text: &str, at: usize, depth: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = blanks(bytes, at + 1);
        if bytes.get(at) == Some(&b'}') {
            return Some(at + 1);
        }
        loop {
            let (end, is_escaped) = string(bytes, at)?;
            let colon = blanks(bytes, end);
            if is_escaped || bytes.get(colon) != Some(&b':') {
                return None;
            }
            self.judge(text.get(at + 1..end - 1)?);
            at = blanks(bytes, colon + 1);
            at = blanks(bytes, self.skip(text, at, depth + 1)?);
            match bytes.get(at)? {
                b',' => at = blanks(bytes, at + 1),
                b'}' => return Some(at + 1),
                _ => return None,
            }
        }
    }
}

/// The position after the JSON whitespace that begins at `at`.
fn blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The `null`, `true` or `false` at `at` and its end; `None` for anything else.
fn literal(bytes: &[u8], at: usize) -> Option<(RawCell<'static>, usize)> {
    let rest = bytes.get(at..)?;
    if rest.starts_with(b"null") {
        Some((RawCell::Null, at + 4))
    } else if rest.starts_with(b"true") {
        Some((RawCell::Flag(true), at + 4))
    } else if rest.starts_with(b"false") {
        Some((RawCell::Flag(false), at + 5))
    } else {
        None
    }
}

/// Whether a valid list is stored unchanged as text: whole numbers without signs, blanks and nested lists, in
/// at most 17 bytes.
fn is_short_list(json: &[u8]) -> bool {
    // A double with more than 15 digits may be written differently.
    json.len() <= 17
        && json.iter().all(|byte| matches!(byte, b'0'..=b'9' | b',' | b'[' | b']'))
        && json.iter().skip(1).all(|byte| *byte != b'[')
}

/// A word with the highest bit set in the bytes that are zero in `word`. Only exact up to the lowest one,
/// which is all that is used.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(bytes_of(0x01)) & !word & bytes_of(0x80)
}

/// The end of the JSON string whose opening quote is at `at`, and whether it has escapes; `None` if there is
/// no quote, or the string is incomplete or invalid.
fn string(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut is_escaped = false;
    let mut at = at + 1;
    loop {
        // Eight bytes at a time up to a quote, a backslash or a control character.
        while let Some(word) = word(bytes, at) {
            let ends = zeros(word ^ bytes_of(b'"')) | zeros(word ^ bytes_of(b'\\'));
            let controls = word.wrapping_sub(bytes_of(b' ')) & !word & bytes_of(0x80);
            let stops = ends | controls;
            if stops != 0 {
                at += (stops.trailing_zeros() / 8) as usize;
                break;
            }
            at += 8;
        }
        match bytes.get(at)? {
            b'"' => return Some((at + 1, is_escaped)),
            b'\\' => {
                is_escaped = true;
                at += escape(bytes, at + 1)?;
            }
            0..b' ' => return None,
            _ => at += 1,
        }
    }
}

/// The length of the JSON escape whose letter is at `at`, including its backslash: 2, or 6 for `\u00e9`;
/// `None` if it is invalid.
fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => {
            let digits = bytes.get(at + 1..at + 5)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(6)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::OFFERS;
    use crate::listing::read::is_hot;

    fn plan() -> Plan {
        let hot = (0..OFFERS.fields.len()).filter(|index| is_hot(&OFFERS.fields[*index]));
        Plan::new(&OFFERS, &hot.collect::<Vec<_>>())
    }

    /// Reads a record that is followed by a comma; the tolerant reader must agree.
    fn agrees(scanner: &mut Scanner, plan: &Plan, record: &str) -> bool {
        let text = format!("{record},");
        let mut values = plan.blank();
        let Some(end) = scanner.record(plan, &text, 0, &mut values) else {
            return false;
        };
        assert_eq!(&text[..end], record);
        let tolerant = plan.read(record).unwrap();
        assert_eq!(format!("{values:?}"), format!("{tolerant:?}"), "{record}");
        assert!(serde_json::from_str::<serde::de::IgnoredAny>(record).is_ok());
        true
    }

    #[test]
    fn usual_records_are_read_here_and_unusual_ones_are_not() {
        let plan = plan();
        let mut scanner = Scanner::new(&plan);
        for record in [
            r#"{"id":1,"gpu_name":"RTX 4090","dph_total":0.25,"rentable":true,"score":null}"#,
            r#"{"id":2,"gpu_name":"RTX 4090","dph_total":-1.5e-3,"rentable":false,"score":7}"#,
            r#"{"id":3,"dph_total":0.1234567890123456789,"gpu_name":"a \"b\" é\u00e9"}"#,
            r#"{ "id" : 4 , "unknown" : [ 1 , {"a":[]} , "x\/" ] , "gpu_name" : "" }"#,
            r#"{"id":5,"search":{"totalHour":1.25,"x":2},"instance":[],"gpu_ids":[0,1]}"#,
            r#"{"id":9999999999999999999,"host_id":-9223372036854775807,"machine_id":-0}"#,
            "{}",
            "{ }",
        ] {
            assert!(agrees(&mut scanner, &plan, record), "{record}");
        }
        for record in [
            r#"{"id":1,"id":2}"#,
            r#"{"id":1,"dph_total":1e400}"#,
            r#"{"id":1,"x":01}"#,
            r#"{"id":1,"x":NaN}"#,
            r#"{"id":1,"x":1.}"#,
            r#"{"id":1,"x":.5}"#,
            r#"{"id":1,"x":+5}"#,
            r#"{"id":1,"x":tru}"#,
            r#"{"id":1,"x":truex}"#,
            r#"{"id":1,"x":"\x"}"#,
            r#"{"id":1,"x":"\u12"}"#,
            "{\"id\":1,\"x\":\"a\tb\"}",
            r#"{"id":1,}"#,
            r#"{,"id":1}"#,
            r#"{"id":1 "x":2}"#,
            r#"{"id":1,"x":[1,]}"#,
            r#"{"id":1,"x":{"a"}}"#,
            r#"{"id":1"#,
            r#"{"id":1,"gpu_name":"\ud800"}"#,
            "[1]",
        ] {
            assert!(!agrees(&mut scanner, &plan, record), "{record}");
        }
    }

    #[test]
    fn members_may_be_missing_added_or_in_another_order() {
        let plan = plan();
        let mut scanner = Scanner::new(&plan);
        let member = |number: u32| format!("\"m{number}\":{number}");
        for round in 0..50_u32 {
            let mut members: Vec<String> = (0..20).filter(|number| (round + number) % 3 > 0).map(member).collect();
            members.rotate_left((round % 7) as usize);
            members.insert(members.len() / 2, format!("\"id\":{round}"));
            let record = format!("{{{}}}", members.join(","));
            assert!(agrees(&mut scanner, &plan, &record), "{record}");
        }
    }

    proptest! {
        #[test]
        fn doubles_are_read_as_they_round(bits: u64, digits in 1_usize..25, power in -330_i32..310) {
            let double = f64::from_bits(bits);
            let long: String = bits.to_string().chars().cycle().take(digits).collect();
            let long = format!("{}.{long}e{power}", bits % 10);
            for text in [double.to_string(), format!("{double:e}"), long] {
                let Ok(wanted) = text.parse::<f64>() else { continue };
                let text = format!("{text},");
                match number(&text, 0) {
                    Some((RawCell::Number(read), _)) => prop_assert_eq!(read.to_bits(), wanted.to_bits()),
                    Some((RawCell::Text(digits), _)) => prop_assert_eq!(digits.as_ref(), &text[..text.len() - 1]),
                    Some(unread) => prop_assert!(false, "{:?}", unread),
                    // Beyond a double, or too many digits for a whole number.
                    None => prop_assert!(!wanted.is_finite() || !text.contains(['.', 'e'])),
                }
            }
        }

        #[test]
        fn whatever_is_read_here_is_read_so_by_the_tolerant_reader(
            names in proptest::collection::vec("[a-c]|id|gpu_name|dph_total|search|rentable|score", 0..6),
            values in proptest::collection::vec(
                r#"-?[0-9]{1,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,3})?|true|false|null|"[a-z\\"é/u0-9]{0,12}"|\[[0-9, ]{0,5}\]|\{("[a-z]":[0-9])?\}|[ -~]{0,6}"#,
                6,
            ),
            gap in "[ \t\n]?",
        ) {
            let plan = plan();
            let mut scanner = Scanner::new(&plan);
            let members: Vec<String> = names
                .iter()
                .zip(&values)
                .map(|(name, value)| format!("\"{name}\":{gap}{value}"))
                .collect();
            let record = format!("{{{}}}", members.join(&format!("{gap},{gap}")));
            // Twice: the second time the members are expected.
            for _ in 0..2 {
                let text = format!("{record},");
                let mut read = plan.blank();
                if let Some(end) = scanner.record(&plan, &text, 0, &mut read) {
                    let object = &text[..end];
                    prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(object).is_ok());
                    let tolerant = plan.read(object).unwrap();
                    prop_assert_eq!(format!("{read:?}"), format!("{tolerant:?}"));
                }
            }
        }
    }
}
