//! Finding copies of secrets in a text, in one pass however many secrets there are.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::Span;
use aho_corasick::packed::{self, Searcher};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::text::beginning;

/// The shortest secret that is searched for as text, in bytes: a shorter one would match by chance.
const SHORTEST: usize = 4;

/// The shortest hex or base64 form: a shorter one would match by chance.
const SHORTEST_FORM: usize = 8;

// Keys are shorter. Comparing more at every place would cost too much for texts made to repeat.
/// How much of a secret is compared before all of it is, in bytes.
const COMPARED: usize = 256;

/// The bits of the filter for each secret: about one place in sixteen passes it by chance.
const BITS_PER_SECRET: usize = 16;

/// As many beginnings as are searched for at once.
const MOST_BEGINNINGS: usize = 64;

// An account has fewer keys; a response with more is made to fill the memory.
/// The most secrets that are also searched for in hex and base64.
const MOST_ENCODED: usize = 10_000;

/// Secrets in the forms in which they can stand in a text.
#[derive(Debug, Default)]
pub(crate) struct Copies<'s> {
    /// In order.
    forms: Vec<Cow<'s, str>>,
    /// For the places of forms that begin with another: the place of the longest such.
    shorter: HashMap<usize, usize>,
    /// Which beginnings a form may have, by their hash.
    filter: Vec<u64>,
    /// Finds the beginnings of a few forms many bytes at a time.
    beginnings: Option<Searcher>,
}

impl<'s> Copies<'s> {
    /// The secrets to look for; those shorter than [`SHORTEST`] are none.
    pub(crate) fn of(secrets: impl IntoIterator<Item: Into<Cow<'s, str>>>) -> Self {
        let secrets = secrets.into_iter().map(Into::into);
        // A response may have hundreds of thousands of them: no list is made twice.
        let mut forms: Vec<Cow<'s, str>> =
            secrets.filter(|secret| secret.len() >= SHORTEST).collect();
        let many = forms.len();
        for place in 0..many {
            let others = other_forms(&forms[place]);
            forms.extend(others.into_iter().map(Cow::from));
            if many <= MOST_ENCODED {
                let encoded = encoded(&forms[place]);
                forms.extend(encoded.into_iter().map(Cow::from));
            }
        }
        forms.sort_unstable();
        forms.dedup();
        let bits = (forms.len() * BITS_PER_SECRET).next_power_of_two();
        let mut copies = Self {
            shorter: shorter(&forms),
            filter: vec![0; bits.div_ceil(64)],
            forms,
            beginnings: None,
        };
        for form in &copies.forms {
            let (word, bit) = place(&copies.filter, form.as_bytes());
            copies.filter[word] |= bit;
        }
        copies.beginnings = copies.searcher();
        copies
    }

    /// The same with its own copies of the texts, so that it outlives the record.
    pub(crate) fn into_owned(self) -> Copies<'static> {
        let forms = self.forms.into_iter();
        Copies {
            forms: forms.map(|form| form.into_owned().into()).collect(),
            shorter: self.shorter,
            filter: self.filter,
            beginnings: self.beginnings,
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The search for what the forms begin with; `None` where the processor or the number of forms
    /// does not allow it.
    fn searcher(&self) -> Option<Searcher> {
        let mut beginnings: Vec<&[u8]> = Vec::new();
        for form in &self.forms {
            let beginning = &form.as_bytes()[..SHORTEST];
            if beginnings.last() != Some(&beginning) {
                beginnings.push(beginning);
            }
            if beginnings.len() > MOST_BEGINNINGS {
                return None;
            }
        }
        packed::Config::new().builder().extend(beginnings).build()
    }

    /// The next place at which a form may begin.
    fn candidate(&self, bytes: &[u8], at: usize) -> Option<usize> {
        if let Some(searcher) = &self.beginnings {
            let found = searcher.find_in(bytes, Span::from(at..bytes.len()))?;
            return Some(found.start());
        }
        let last = bytes.len().saturating_sub(SHORTEST - 1);
        let end = if self.forms.is_empty() { 0 } else { last };
        (at..end).find(|at| {
            let (word, bit) = place(&self.filter, &bytes[*at..]);
            self.filter[word] & bit != 0
        })
    }

    /// The text with `sign` in place of every copy.
    pub(crate) fn remove<'t>(&self, text: &'t str, sign: &str) -> Cow<'t, str> {
        let mut out = String::new();
        let mut copied = 0;
        for place in self.places(text) {
            out.push_str(&text[copied..place.start]);
            out.push_str(sign);
            copied = place.end;
        }
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }

    /// Where copies stand, in order.
    pub(crate) fn places(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        self.places_outside(text, &[])
    }

    /// As [`Copies::places`], but for those that begin in one of these parts of the text, which come
    /// in order.
    pub(crate) fn places_outside(
        &self,
        text: &str,
        parts: &[Range<usize>],
    ) -> impl Iterator<Item = Range<usize>> {
        let mut parts = parts.iter().peekable();
        let mut at = 0;
        std::iter::from_fn(move || {
            while let Some(start) = self.candidate(text.as_bytes(), at) {
                if let Some(part) = parts.next_if(|part| part.start <= start) {
                    at = start.max(part.end);
                    continue;
                }
                at = start + 1;
                if let Some(end) = self.copy_at(text, start) {
                    at = end;
                    return Some(start..end);
                }
            }
            at = text.len();
            None
        })
    }

    /// The end of the longest copy that begins at a place.
    fn copy_at(&self, text: &str, at: usize) -> Option<usize> {
        let rest = text.as_bytes().get(at..)?;
        let head = &rest[..rest.len().min(COMPARED)];
        let compared = |form: &Cow<'_, str>| {
            #[cfg(test)]
            tests::COMPARISONS.with(|many| many.set(many.get() + 1));
            &form.as_bytes()[..form.len().min(COMPARED)] <= head
        };
        let behind = self.forms.partition_point(compared);
        let mut candidate = behind.checked_sub(1);
        while let Some(place) = candidate {
            let form = &self.forms[place];
            let (own, more) = beginning(form, COMPARED);
            if rest.starts_with(own.as_bytes()) {
                let is_whole = more == 0 || rest.starts_with(form.as_bytes());
                // What begins like a long secret and ends otherwise is removed as far as its string
                // goes, for it is likely another of the same kind.
                return Some(if is_whole {
                    at + form.len()
                } else {
                    string_end(text.as_bytes(), at + own.len())
                });
            }
            candidate = self.shorter.get(&place).copied();
        }
        None
    }
}

/// For the places of sorted forms that begin with another: the place of the longest such.
fn shorter(forms: &[Cow<'_, str>]) -> HashMap<usize, usize> {
    let mut shorter = HashMap::new();
    // Sorted, the forms that one begins with stand before it, the longest last.
    let mut around: Vec<usize> = Vec::new();
    for (place, form) in forms.iter().enumerate() {
        while let Some(last) = around.last()
            && !form.starts_with(&*forms[*last])
        {
            around.pop();
        }
        shorter.extend(around.last().map(|last| (place, *last)));
        around.push(place);
    }
    shorter
}

/// Where the beginning of a text is noted in a filter.
fn place(filter: &[u64], text: &[u8]) -> (usize, u64) {
    let start = text.iter().take(SHORTEST);
    let start = start.fold(0_u32, |hash, byte| hash << 8 | u32::from(*byte));
    // Fibonacci hashing: the upper bits are well mixed.
    let hash = (u64::from(start).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize;
    ((hash / 64) & (filter.len() - 1), 1 << (hash % 64))
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
    use std::cell::Cell;

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
            (
                &["abcd", "abcdefg"],
                "x abcdefg abcdef",
                "x <removed> <removed>ef",
            ),
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

    thread_local! {
        /// How often a place of a text was compared with a secret.
        pub(super) static COMPARISONS: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn twice_the_secrets_in_twice_the_text_are_hardly_more_than_twice_the_work() {
        let work = |many: usize| {
            let secrets: Vec<String> = (0..many).map(|one| format!("value-{one:07}")).collect();
            let text: Vec<String> = secrets.iter().map(|one| format!("--key={one} ")).collect();
            COMPARISONS.set(0);
            let copies = Copies::of(secrets.iter().map(String::as_str));
            let clean = copies.remove(&text.concat(), "<removed>").into_owned();
            assert_eq!(clean, "--key=<removed> ".repeat(many));
            COMPARISONS.get()
        };
        let (once, twice) = (work(10_000), work(20_000));
        assert!(once > 10_000 && twice * 2 <= once * 5, "{once} {twice}");
    }

    #[test]
    fn few_places_of_a_text_without_secrets_are_compared() {
        // Their forms and the text share their letters, but begin differently.
        let mut random = fastrand::Rng::with_seed(7);
        let mut word = || -> String { (0..12).map(|_| random.alphanumeric()).collect() };
        let secrets: Vec<String> = (0..1000).map(|_| word()).collect();
        let text: String = (0..5000).map(|_| word()).collect();
        let copies = Copies::of(secrets.iter().map(String::as_str));
        COMPARISONS.set(0);
        assert_eq!(copies.remove(&text, "<removed>"), text);
        // Where a place is compared, with about fourteen of the 11,000 forms.
        let (places, comparisons) = (text.len(), COMPARISONS.get());
        assert!(comparisons < 2 * places, "{comparisons} at {places} places");
    }

    #[test]
    fn what_begins_like_a_long_secret_goes_as_far_as_its_string() {
        let (long, other) = ("k".repeat(300) + "1", "k".repeat(300) + "2 x");
        let text = format!(r#"{{"a":"{long} -v","b":"{other}","c":"k"}}"#);
        let after = r#"{"a":"<removed> -v","b":"<removed>","c":"k"}"#;
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
}
