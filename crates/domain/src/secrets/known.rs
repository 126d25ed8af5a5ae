//! Removes known secrets from a text in one pass, in any form in which they occur.

use std::borrow::Cow;
use std::ops::Range;

use super::json_text::{Scan, scalars, scan, unquoted};
use super::{QUOTED, REMOVED, is_secret_member, is_secret_name};
use crate::copies::Copies;

/// The minimum length of a secret member's value whose copies are searched for, in bytes.
const SHORTEST_COPY: usize = 8;

/// The secrets to search for; empty by default.
#[derive(Default)]
pub struct Known(Copies);

/// Omits the secrets.
impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Known(…)")
    }
}

impl Known {
    /// The secrets to search for, in any form in which they may be written. Those under four bytes are
    /// ignored.
    pub fn new<'s>(secrets: impl IntoIterator<Item = &'s str>) -> Self {
        Self(Copies::new(secrets))
    }

    /// The text with each secret replaced by `<removed>`, in any form in which it occurs.
    pub fn remove<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.remove(text, REMOVED)
    }

    /// Whether the text holds one of the secrets, in any form in which it may be written.
    pub fn is_in(&self, text: &str) -> bool {
        !self.0.ranges(text).is_empty()
    }

    /// Whether a quoted JSON string holds one of the secrets once its escapes are resolved.
    pub fn is_in_string(&self, quoted: &str) -> bool {
        !self.0.is_empty() && self.is_in(&unquoted(quoted))
    }
}

/// Whether a text holds a known secret, also in escapes, or has a member that certainly holds one, such as
/// `api_key`.
pub fn holds_secrets(text: &str, known: &Known) -> bool {
    let scanned = scan(text, is_secret_member);
    let is_copied = |string: &Range<usize>| known.is_in_string(&text[string.clone()]);
    !scanned.values.is_empty() || scanned.escaped.iter().any(is_copied) || known.is_in(text)
}

/// Whether the JSON text has a member, at any depth, whose name may be that of a secret (`is_secret_name`).
pub fn has_secret_names(text: &str) -> bool {
    !scan(text, is_secret_name).values.is_empty()
}

/// Removes known secrets, and copies of at least 8 bytes of the values of its own secret members, from a
/// text, JSON or not. The members themselves stay.
///
/// People write a key into launch arguments, and servers repeat one in a message.
pub fn scrub<'t>(text: &'t str, known: &Known, is_secret: impl Fn(&str) -> bool) -> Cow<'t, str> {
    let scanned = scan(text, is_secret);
    let cuts = copies(text, known, &scanned);
    replaced(text, cuts)
}

/// Removes known secrets, the values of the text's own secret members, of any type except null, and copies of
/// these values of at least 8 bytes from a text, JSON or not.
pub fn without_secrets<'t>(text: &'t str, known: &Known, is_secret: impl Fn(&str) -> bool) -> Cow<'t, str> {
    let scanned = scan(text, is_secret);
    let cuts = copies(text, known, &scanned);
    let all = scanned.values.into_iter();
    let values = all.filter(|value| &text[value.clone()] != "null");
    replaced(text, merged(cuts, values.map(|value| (value, QUOTED.into()))))
}

/// A range of a text, and its replacement.
type Cut = (Range<usize>, Cow<'static, str>);

/// The ranges of known secrets and of copies of the secret members' values, without the values themselves, in order.
fn copies(text: &str, known: &Known, scanned: &Scan) -> Vec<Cut> {
    let mut values = Vec::with_capacity(scanned.values.len());
    for value in &scanned.values {
        scalars(&text[value.clone()], &mut values);
    }
    values.retain(|value| value.len() >= SHORTEST_COPY);
    let copies_of_values = Copies::new(values);
    let mut cuts = Vec::new();
    for string in &scanned.escaped {
        let plain = unquoted(&text[string.clone()]);
        let once = known.remove(&plain);
        let clean = copies_of_values.remove(&once, REMOVED);
        if clean != plain {
            let clean = serde_json::Value::from(clean.into_owned());
            cuts.push((string.clone(), clean.to_string().into()));
        }
    }
    let mut kept = scanned.values.iter().peekable();
    let mut ranges = known.0.ranges(text);
    ranges.extend(copies_of_values.ranges(text));
    ranges.sort_unstable_by_key(|range| range.start);
    for range in ranges {
        while kept.next_if(|value| value.end < range.end).is_some() {}
        if kept.peek().is_none_or(|value| range.start < value.start) {
            cuts.push((range, REMOVED.into()));
        }
    }
    cuts.sort_by_key(|(range, _)| range.start);
    cuts
}

/// Merges two sequences of cuts, each in the order of the text, into one in that order.
fn merged(cuts: impl IntoIterator<Item = Cut>, rest: impl IntoIterator<Item = Cut>) -> impl Iterator<Item = Cut> {
    let (mut cuts, mut rest) = (cuts.into_iter().peekable(), rest.into_iter().peekable());
    std::iter::from_fn(move || {
        let next = rest.peek().map_or(usize::MAX, |(range, _)| range.start);
        cuts.next_if(|(range, _)| range.start <= next).or_else(|| rest.next())
    })
}

/// The text with ranges replaced, which are in order. Of two that overlap, both are removed and the first replacement
/// is used.
fn replaced(text: &str, cuts: impl IntoIterator<Item = Cut>) -> Cow<'_, str> {
    let mut cuts = cuts.into_iter().peekable();
    if cuts.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, instead) in cuts {
        if range.start >= copied {
            out.push_str(&text[copied..range.start]);
            out.push_str(&instead);
        }
        copied = copied.max(range.end);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_key(name: &str) -> bool {
        name == "api_key"
    }

    #[test]
    fn a_known_secret_is_removed_in_all_its_forms() {
        let known = Known::new(["canary/k\"y+1"]);
        for (before, after) in [
            ("x canary/k\"y+1 y", "x <removed> y"),
            (r#"{"e":"canary/k\"y+1"}"#, r#"{"e":"<removed>"}"#),
            (r#"{"e":"c\u0061nary\/k\"y+1!"}"#, r#"{"e":"<removed>!"}"#),
            ("?k=canary%2Fk%22y%2B1&z", "?k=<removed>&z"),
            ("?k=canary%2fk%22y%2b1&z", "?k=<removed>&z"),
            ("63616e6172792f6b22792b31", "<removed>"),
            // base64 of `canary/k"y+1`, of `u:` and it, of `us:` and it
            ("Y2FuYXJ5L2sieSsx", "<removed>"),
            ("dTpjYW5hcnkvayJ5KzE=", "dTp<removed>E="),
            ("dXM6Y2FuYXJ5L2sieSsx", "dXM6<removed>"),
        ] {
            assert_eq!(scrub(before, &known, is_key), after);
        }
        assert!(matches!(known.remove("nothing"), Cow::Borrowed(_)));
        assert_eq!(format!("{known:?}"), "Known(…)");
    }

    #[test]
    fn a_secret_member_stays_and_its_copies_go() {
        let none = Known::default();
        for (before, after) in [
            (
                r#"[{"args":"-k group-key-1"},{"api_key":"group-key-1","x":"group-key-1"}]"#,
                r#"[{"args":"-k <removed>"},{"api_key":"group-key-1","x":"<removed>"}]"#,
            ),
            (
                r#"{"api_key":["group-key-1",{"namelong":"group-key-2"}],"a":"group-key-2 namelong"}"#,
                r#"{"api_key":["group-key-1",{"namelong":"group-key-2"}],"a":"<removed> namelong"}"#,
            ),
            // Text between secrets is not a secret.
            (
                "{\"api_key\":[\"group-key-1\",\n        \"k\"],\"a\":[1,\n        \"k\"]}",
                "{\"api_key\":[\"group-key-1\",\n        \"k\"],\"a\":[1,\n        \"k\"]}",
            ),
            (
                r#"{"api_key":1234567890,"a":"k=1234567890"}"#,
                r#"{"api_key":1234567890,"a":"k=<removed>"}"#,
            ),
            (
                r#"{"api_key":"short","a":"short"}"#,
                r#"{"api_key":"short","a":"short"}"#,
            ),
            (
                r#"{"echo":"{\"api_key\":\"group-key-1\"}","api_key":"group-key-1"}"#,
                r#"{"echo":"{\"api_key\":\"<removed>\"}","api_key":"group-key-1"}"#,
            ),
        ] {
            assert_eq!(scrub(before, &none, is_key), after);
        }
    }

    #[test]
    fn a_known_secret_stays_where_it_is_a_member_of_its_own() {
        let known = Known::new(["account-key"]);
        // Text that is not JSON is not converted to JSON.
        for (before, after) in [
            ("say \"\taccount-key!\" \n", "say \"\t<removed>!\" \n"),
            (r#"cut "account-key of"#, r#"cut "<removed> of"#),
            (r#"{"api_key":12,"x":"ac"#, r#"{"api_key":12,"x":"ac"#),
        ] {
            assert_eq!(scrub(before, &known, is_key), after);
        }
        let text = r#"{"launch_args":"--key account-key","api_key":"account-key","n":"account-key"}"#;
        assert_eq!(
            scrub(text, &known, is_key),
            r#"{"launch_args":"--key <removed>","api_key":"account-key","n":"<removed>"}"#
        );
    }
}
