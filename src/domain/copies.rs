//! Finding copies of secrets in a text, in one pass however many secrets there are.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

// A shorter one would match by chance.
/// The shortest secret that is searched for as text, in bytes.
const SHORTEST: usize = 4;

// A shorter one would match by chance.
/// The shortest hex or base64 form.
const SHORTEST_FORM: usize = 8;

// Keys are shorter. A search looks ahead as far as its longest form, at every place of a text that is
// made to repeat.
/// How much of a form is searched for, in bytes.
const LONGEST_FORM: usize = 256;

// An account has fewer keys; a response with more is made to fill the memory.
/// The most secrets that are also searched for in hex and base64.
const MOST_ENCODED: usize = 1000;

// The search takes about 60 bytes of memory for each of them.
/// The most bytes of forms that are searched for. Of longer lists only the beginnings are, which are
/// few however many the forms.
const MOST_BYTES: usize = 4 * 1024 * 1024;

// Three bytes have 16 million values: the automaton stays small, and more than the secret is removed rather
// than less.
/// How much of each form is searched for if there are too many.
const BEGINNING: usize = 3;

// Most records have no secrets, and making an automaton takes longer than reading a record.
/// Finds nothing.
static NOTHING: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| automaton(&[]));

fn automaton(forms: &[&[u8]]) -> Option<AhoCorasick> {
    // Of the kinds, it is made quickly: most lists are searched for once.
    let automaton = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .match_kind(MatchKind::LeftmostLongest)
        .build(forms);
    automaton.ok()
}

/// Secrets in the forms in which they can stand in a text.
#[derive(Debug)]
pub(crate) struct Copies {
    /// `None` if they are too many even for the search, and every text counts as a copy.
    search: Option<AhoCorasick>,
    /// How much of each form is searched for, in bytes.
    searched: usize,
}

impl Default for Copies {
    fn default() -> Self {
        Self::of::<&str>([])
    }
}

impl Copies {
    /// The secrets to look for; those shorter than [`SHORTEST`] are none.
    pub(crate) fn of<'s, S: Into<Cow<'s, str>>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let secrets = secrets.into_iter().map(Into::into);
        // A response may have hundreds of thousands of them: no list is made twice.
        let mut forms: Vec<Cow<'s, str>> = secrets.filter(|secret| secret.len() >= SHORTEST).collect();
        let many = forms.len();
        for index in 0..many {
            let others = other_forms(&forms[index]);
            forms.extend(others.into_iter().map(Cow::from));
            if many <= MOST_ENCODED {
                let encoded = encoded(&forms[index]);
                forms.extend(encoded.into_iter().map(Cow::from));
            }
        }
        let bytes: usize = forms.iter().map(|form| form.len().min(LONGEST_FORM)).sum();
        let searched = if bytes > MOST_BYTES { BEGINNING } else { LONGEST_FORM };
        let heads = forms.iter().map(|form| form.as_bytes());
        let mut heads: Vec<&[u8]> = heads.map(|form| &form[..form.len().min(searched)]).collect();
        heads.sort_unstable();
        heads.dedup();
        let search = match &heads[..] {
            [] => NOTHING.clone(),
            heads => automaton(heads),
        };
        Self { search, searched }
    }

    pub(crate) fn is_empty(&self) -> bool {
        let search = self.search.as_ref();
        search.is_some_and(|search| search.patterns_len() == 0)
    }

    /// The text with `sign` in place of every copy.
    pub(crate) fn remove<'t>(&self, text: &'t str, sign: &str) -> Cow<'t, str> {
        let mut out = String::new();
        let mut copied = 0;
        for range in self.ranges(text) {
            out.push_str(&text[copied..range.start]);
            out.push_str(sign);
            copied = range.end;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }

    /// Where copies stand, in order.
    pub(crate) fn ranges(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            if self.is_empty() {
                return None;
            }
            let Some(search) = &self.search else {
                let rest = std::mem::replace(&mut at, text.len())..text.len();
                return (!rest.is_empty()).then_some(rest);
            };
            let matched = search.find(Input::new(text).range(at..))?;
            // What begins like a long secret is removed as far as its string goes: it is the secret,
            // or likely another of the same kind.
            at = match matched.end() {
                end if matched.len() < self.searched => end,
                end => string_end(text.as_bytes(), end),
            };
            Some(matched.start()..at)
        })
    }
}

/// The end of the JSON string in which a place is, in front of its closing quote.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// How else a secret may stand in a text: in JSON, in an address.
fn other_forms(secret: &str) -> Vec<String> {
    let is_plain = |byte: u8| is_unreserved(byte) && !byte.is_ascii_uppercase();
    if secret.bytes().all(is_plain) {
        return Vec::new(); // Most keys: the same in all forms.
    }
    let quoted = serde_json::Value::from(secret).to_string();
    let address = percent_encoded(secret);
    let in_json = quoted[1..quoted.len() - 1].to_owned();
    vec![in_json, address.to_lowercase(), address]
}

/// A secret in hex, and in base64 wherever it begins there.
fn encoded(secret: &str) -> Vec<String> {
    let hex = hex(secret);
    let mut forms = vec![hex.to_uppercase(), hex];
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend(secret.bytes());
        // Only what does not depend on the bytes around it.
        let (start, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            forms.push(engine.encode(&bytes)[start..end].to_owned());
        }
    }
    forms.retain(|form| form.len() >= SHORTEST_FORM);
    forms
}

fn hex(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}"); // a String takes everything
        hex
    })
}

/// Whether an address takes a byte as it is (RFC 3986).
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn percent_encoded(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_unreserved(byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}"); // a String takes everything
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removed(secrets: &[&str], text: &str) -> String {
        let copies = Copies::of(secrets.iter().copied());
        copies.remove(text, "<removed>").into_owned()
    }

    #[test]
    fn copies_are_found_among_secrets_that_begin_alike() {
        for (secrets, before, after) in [
            (&["secret-1"][..], "--key=secret-1 -v", "--key=<removed> -v"),
            // The longest one goes, or its end would stay.
            (&["abcd", "abcdefg"], "x abcdefg abcdef", "x <removed> <removed>ef"),
            // The next one in order is no copy, but a shorter one that it begins with is.
            (&["abcd", "abcdz", "abcdea"], "abcdeb", "<removed>eb"),
            (
                &["a/b\"c"],
                r#"a/b\"c a/b"c a%2Fb%22c"#,
                "<removed> <removed> <removed>",
            ),
            (&["abc"], "abc", "abc"),
            (&["größe"], "die größe é", "die <removed> é"),
            (&["aaaab"], "aaaaaaab", "aaa<removed>"),
            (&["abcd"], "abcd abcd", "<removed> <removed>"),
            (&[], "text", "text"),
        ] {
            assert_eq!(removed(secrets, before), after, "{secrets:?}");
        }
    }

    #[test]
    fn what_begins_like_a_long_secret_goes_as_far_as_its_string() {
        let (long, longer) = ("k".repeat(300) + "1", "k".repeat(300) + "2 x");
        let text = format!(r#"{{"a":"{long} -v","b":"{longer}","c":"k"}}"#);
        let after = r#"{"a":"<removed>","b":"<removed>","c":"k"}"#;
        assert_eq!(removed(&[&long], &text), after);
        // A quote of the text itself ends no string, and a text that is cut has no end of it.
        let start = "k".repeat(256);
        for (behind, kept) in [
            ("", ""),
            ("x", ""),
            ("\\", ""),
            (r#"\"x" y"#, r#"" y"#),
            (r#"\\" y"#, r#"" y"#),
            ("é", ""),
            (r"\é", ""),
        ] {
            let after = format!("- <removed>{kept}");
            assert_eq!(removed(&[&long], &format!("- {start}{behind}")), after);
        }
    }

    #[test]
    fn of_too_many_secrets_the_beginnings_are_looked_for() {
        let secrets: Vec<String> = (0..20_000).map(|number| format!("canary-{number:0240}")).collect();
        let copies = Copies::of(secrets.iter().map(String::as_str));
        let clean = copies.remove(r#"{"a":"-k canary-000000007 -v","b":"k"}"#, "<removed>");
        assert_eq!(clean, r#"{"a":"-k <removed>","b":"k"}"#);
    }
}
