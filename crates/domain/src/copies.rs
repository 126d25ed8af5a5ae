//! Finding copies of secrets in a text, in one pass however many secrets there are.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memchr;

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

// An address in an address in an address: more than any server nests, and a text of percent signs ends.
/// How often a text is decoded.
const MOST_DECODED: usize = 4;

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
pub struct Copies {
    /// `None` if they are too many even for the search, and every text counts as a copy.
    search: Option<AhoCorasick>,
    /// How much of each form is searched for, in bytes.
    searched: usize,
    /// Whether a secret has a blank, which an address may spell as a plus sign.
    has_blanks: bool,
}

impl Default for Copies {
    fn default() -> Self {
        Self::of::<&str>([])
    }
}

impl Copies {
    /// The secrets to look for; those shorter than `SHORTEST` are none.
    pub fn of<'s, S: Into<Cow<'s, str>>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let secrets = secrets.into_iter().map(Into::into);
        // A response may have hundreds of thousands of them: no list is made twice.
        let mut forms: Vec<Cow<'s, str>> = secrets.filter(|secret| secret.len() >= SHORTEST).collect();
        let many = forms.len();
        let has_blanks = forms.iter().any(|secret| secret.contains(' '));
        for index in 0..many {
            forms.extend(in_json(&forms[index]).map(Cow::from));
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
        Self {
            search,
            searched,
            has_blanks,
        }
    }

    pub fn is_empty(&self) -> bool {
        let search = self.search.as_ref();
        search.is_some_and(|search| search.patterns_len() == 0)
    }

    /// The text with `sign` in place of every copy.
    pub fn remove<'t>(&self, text: &'t str, sign: &str) -> Cow<'t, str> {
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

    /// Where copies stand, in order and apart: as they are, and as an address spells them.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let Some(search) = &self.search else {
            let all = 0..text.len();
            return if all.is_empty() { Vec::new() } else { vec![all] };
        };
        let mut ranges = self.found(search, text.as_bytes(), text, |at| at);
        for blanks in [false, true].into_iter().take(1 + usize::from(self.has_blanks)) {
            let mut address = Address::of(text, blanks);
            for _ in 0..MOST_DECODED {
                let Some(decoded) = address.filter(|address| address.is_coded) else {
                    break;
                };
                ranges.extend(self.found(search, &decoded.bytes, text, |at| decoded.place(at)));
                address = decoded.again();
            }
        }
        apart(ranges)
    }

    /// The matches in the bytes, as places of the text that `place` says.
    fn found(
        &self,
        search: &AhoCorasick,
        bytes: &[u8],
        text: &str,
        place: impl Fn(usize) -> usize,
    ) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(matched) = search.find(Input::new(bytes).range(at..)) {
            at = matched.end();
            // What begins like a long secret is removed as far as its string goes: it is the secret,
            // or likely another of the same kind.
            let end = match place(at) {
                end if matched.len() < self.searched => end,
                end => string_end(text.as_bytes(), end),
            };
            found.push(place(matched.start())..end);
        }
        found
    }
}

/// A text as it reads once the percent signs of an address are decoded.
struct Address {
    bytes: Vec<u8>,
    /// Of each byte that was decoded its place in `bytes`, once for each two bytes that it was longer before.
    shorter: Vec<usize>,
    /// Whether anything was decoded.
    is_coded: bool,
}

impl Address {
    /// `None` if the text has nothing to decode. With `blanks` a plus sign is a blank.
    fn of(text: &str, blanks: bool) -> Option<Self> {
        let text = text.as_bytes();
        let may_be = memchr(b'%', text).is_some() || (blanks && memchr(b'+', text).is_some());
        may_be.then(|| decoded(text, blanks, &[]))
    }

    /// Decoded once more.
    fn again(&self) -> Option<Self> {
        memchr(b'%', &self.bytes).map(|_| decoded(&self.bytes, false, &self.shorter))
    }

    /// Where a place is in the text.
    fn place(&self, at: usize) -> usize {
        at + 2 * self.shorter.partition_point(|shorter| *shorter < at)
    }
}

/// The bytes with each `%41` as its byte, after those that were decoded before.
fn decoded(coded: &[u8], blanks: bool, before: &[usize]) -> Address {
    let mut bytes = Vec::with_capacity(coded.len());
    let mut shorter = Vec::new();
    let mut before = before.iter().copied().peekable();
    let mut is_coded = false;
    let mut at = 0;
    while at < coded.len() {
        let (byte, length) = match coded[at] {
            b'%' => hex_byte(coded.get(at + 1..at + 3)).map_or((b'%', 1), |byte| (byte, 3)),
            b'+' if blanks => (b' ', 1),
            byte => (byte, 1),
        };
        is_coded |= length == 3 || byte != coded[at];
        while before.next_if(|earlier| *earlier < at + length).is_some() {
            shorter.push(bytes.len());
        }
        if length == 3 {
            shorter.push(bytes.len());
        }
        bytes.push(byte);
        at += length;
    }
    Address {
        bytes,
        shorter,
        is_coded,
    }
}

/// The byte that two hex digits spell.
fn hex_byte(digits: Option<&[u8]>) -> Option<u8> {
    let digits = digits?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u8::from_str_radix(digits, 16).ok()
}

/// The ranges in order, those that overlap as one.
fn apart(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// The end of the JSON string in which a place is, in front of its closing quote.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// How else a secret may stand in JSON.
fn in_json(secret: &str) -> Option<String> {
    let quoted = serde_json::Value::from(secret).to_string();
    let in_json = &quoted[1..quoted.len() - 1];
    (in_json != secret).then(|| in_json.to_owned())
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
    fn copies_are_found_however_an_address_spells_them() {
        for (secrets, before, after) in [
            // upper and lower case, in part, all of it, a letter that needs no code
            (&["key/one"][..], "?k=key%2Fone&z=1", "?k=<removed>&z=1"),
            (&["key/one"], "key%2fone", "<removed>"),
            (&["key/one"], "%6bey/%6Fne!", "<removed>!"),
            (&["key/one"], "a%6B%65%79%2F%6F%6E%65b", "a<removed>b"),
            (&["key-one"], "k%65y-one 50% key-one", "<removed> 50% <removed>"),
            (&["Key/One"], "Key%2fOne", "<removed>"),
            // coded twice and three times
            (&["key/one"], "u=%252Fkey%252Fone%26x", "u=%252F<removed>%26x"),
            (&["key/one"], "key%25252fone", "<removed>"),
            (&["key-one"], "%256bey-one", "<removed>"),
            // a blank
            (
                &["key one"],
                "key+one key%20one key one",
                "<removed> <removed> <removed>",
            ),
            (&["key+one"], "key%2Bone key+one key one", "<removed> <removed> key one"),
            (&["a b/c d", "key+one"], "a+b%2fc%20d k%65y+one", "<removed> <removed>"),
            // letters of several bytes, and what is no code
            (&["größe"], "gr%C3%B6%c3%9Fe grö%C3%9fe", "<removed> <removed>"),
            (&["key-one"], "%zz%4 %k%65y-one%", "%zz%4 %<removed>%"),
            (&["a\"b/c"], "a%5C%22b%2Fc", "<removed>"),
        ] {
            assert_eq!(removed(secrets, before), after, "{before}");
        }
        // Decoding ends, whatever the text is made of.
        assert_eq!(removed(&["key-one"], &"%25".repeat(1000)), "%25".repeat(1000));
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
