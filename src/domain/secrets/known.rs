//! Known secrets, taken out of a text in one pass, in whatever form they stand there.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::REMOVED;
use super::json_text::{scalars, scan, unquoted};

/// The shortest secret that is looked for: a shorter one would match by chance.
const SHORTEST: usize = 4;

/// The shortest value of a secret member whose copies are looked for, and the shortest form.
const SHORTEST_COPY: usize = 8;

/// Secrets to look for. Without any it finds nothing.
#[derive(Default)]
pub struct Known(Option<AhoCorasick>);

/// Without the forms: they are the secrets.
impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Known(…)")
    }
}

impl Known {
    pub fn of<'s>(secrets: impl IntoIterator<Item = &'s str>) -> Self {
        let secrets = secrets.into_iter();
        let forms: HashSet<String> = secrets
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(forms)
            .collect();
        if forms.is_empty() {
            return Self(None);
        }
        let builder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms);
        // It fails beyond two thousand million states only.
        Self(builder.ok())
    }

    /// The text without the secrets.
    pub fn remove<'t>(&self, text: &'t str) -> Cow<'t, str> {
        replaced(text, self.found(text).map(|place| (place, REMOVED.into())))
    }

    fn found(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let places = self.0.iter().flat_map(move |known| known.find_iter(text));
        places.map(|found| found.range())
    }
}

/// JSON text, or any other, without known secrets and without copies of the values of its own
/// secret members: people write a key into launch arguments, and servers repeat one in a message.
/// The members themselves stay.
pub fn scrub<'t>(text: &'t str, known: &Known, is_secret: impl Fn(&str) -> bool) -> Cow<'t, str> {
    let found = scan(text, is_secret);
    let values: HashSet<String> = found
        .values
        .iter()
        .flat_map(|value| scalars(&text[value.clone()]))
        .filter(|value| value.len() >= SHORTEST_COPY)
        .collect();
    let own = Known::of(values.iter().map(String::as_str));
    let mut cuts: Vec<(Range<usize>, Cow<'static, str>)> = Vec::new();
    for string in found.escaped {
        let plain = unquoted(&text[string.clone()]);
        let once = known.remove(&plain);
        let clean = own.remove(&once);
        if clean != plain {
            let clean = serde_json::Value::from(clean.into_owned());
            cuts.push((string, clean.to_string().into()));
        }
    }
    let mut kept = found.values.iter().peekable();
    let mut places: Vec<Range<usize>> = known.found(text).chain(own.found(text)).collect();
    places.sort_unstable_by_key(|place| place.start);
    for place in places {
        while kept.next_if(|value| value.end < place.end).is_some() {}
        if kept.peek().is_none_or(|value| place.start < value.start) {
            cuts.push((place, REMOVED.into()));
        }
    }
    cuts.sort_by_key(|(place, _)| place.start);
    replaced(text, cuts.into_iter())
}

/// The text with places replaced, which come in order; of two that overlap the first counts.
fn replaced(
    text: &str,
    cuts: impl Iterator<Item = (Range<usize>, Cow<'static, str>)>,
) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (place, instead) in cuts {
        if place.start >= copied {
            out.push_str(&text[copied..place.start]);
            out.push_str(&instead);
            copied = place.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The forms in which a secret may stand in a text: as it is, in JSON, in an address, in hex, and
/// in base64 wherever it begins there.
fn forms(secret: &str) -> Vec<String> {
    let quoted = serde_json::Value::from(secret).to_string();
    let address = percent_encoded(secret);
    let hex = secret.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}"); // a String takes everything
        hex
    });
    let mut forms = vec![
        quoted[1..quoted.len() - 1].to_owned(),
        address.to_lowercase(),
        address,
        hex.to_uppercase(),
        hex,
    ];
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend(secret.bytes());
        // Only what does not depend on the bytes around it.
        let end = bytes.len() * 8 / 6;
        let start = (before * 8).div_ceil(6);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            forms.push(engine.encode(&bytes)[start..end].to_owned());
        }
    }
    forms.retain(|form| form.len() >= SHORTEST_COPY);
    forms.push(secret.to_owned());
    forms
}

fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}"); // as above
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_key(name: &str) -> bool {
        name == "api_key"
    }

    #[test]
    fn a_known_secret_is_removed_in_all_its_forms() {
        let known = Known::of(["canary/k\"y+1"]);
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
        let known = Known::of(["account-key"]);
        let text =
            r#"{"launch_args":"--key account-key","api_key":"account-key","n":"account-key"}"#;
        assert_eq!(
            scrub(text, &known, is_key),
            r#"{"launch_args":"--key <removed>","api_key":"account-key","n":"<removed>"}"#
        );
    }
}
