//! Finds copies of secrets in a text, in one pass regardless of the number of secrets.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use memchr::memchr;

/// The length of the shortest secret that is searched for as text, in bytes.
///
/// A shorter one would match by chance.
const SHORTEST: usize = 4;

/// The length of the shortest hex or base64 form that is searched for.
///
/// A shorter one would match by chance.
const SHORTEST_FORM: usize = 8;

/// The number of leading bytes of a form that are searched for.
///
/// Keys are shorter. A search looks ahead as far as its longest form, at every position of a text that is made to
/// repeat.
const LONGEST_FORM: usize = 256;

/// The maximum number of secrets that are also searched for in hex and base64.
///
/// An account has fewer keys; a response with more is made to fill the memory.
const MOST_ENCODED: usize = 1000;

/// The maximum total of bytes of forms that are searched for. If the forms are longer, only their beginnings are
/// searched for: there are few distinct ones.
///
/// The search takes about 60 bytes of memory for each byte.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The maximum number of times a text is decoded.
///
/// An address in an address in an address: more than any server nests, and a text of percent signs ends.
const MOST_DECODED: usize = 4;

/// The number of bytes of each form that are searched for if there are too many forms.
///
/// Three bytes have 16 million values: the automaton stays small, and it removes too much rather than too little.
const BEGINNING: usize = 3;

/// An automaton without patterns, which finds nothing.
///
/// Most records have no secrets, and building an automaton takes longer than reading a record.
static NOTHING: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| automaton(&[]));

/// The automaton that finds any of `forms`, the leftmost and longest first; `None` if they are too many for
/// one.
fn automaton(forms: &[&[u8]]) -> Option<AhoCorasick> {
    // The kind that is built fastest: most lists are searched for once.
    let automaton = AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .match_kind(MatchKind::LeftmostLongest)
        .build(forms);
    automaton.ok()
}

/// Secrets in all the forms in which they can occur in a text.
#[derive(Debug)]
pub struct Copies {
    /// The automaton; `None` if there are too many forms for one: every text then counts as a copy.
    search: Option<AhoCorasick>,
    /// The number of leading bytes of each form that are searched for.
    searched: usize,
    /// Whether a secret contains a space, which an address may spell as a plus sign.
    has_blanks: bool,
}

impl Default for Copies {
    fn default() -> Self {
        Self::new::<&str>([])
    }
}

impl Copies {
    /// Builds the search for the secrets as they are, as JSON escapes them and, if they are at most 1,000, in
    /// hex and base64. Secrets below 4 bytes are ignored. Only the first 256 bytes of each form are searched
    /// for, or the first three if all together exceed 4 MB.
    pub fn new<'s, S: Into<Cow<'s, str>>>(secrets: impl IntoIterator<Item = S>) -> Self {
        let secrets = secrets.into_iter().map(Into::into);
        // A response may have hundreds of thousands of them, so no list is built twice.
        let mut forms: Vec<Cow<'s, str>> = secrets.filter(|secret| secret.len() >= SHORTEST).collect();
        let many = forms.len();
        let has_blanks = forms.iter().any(|secret| secret.contains(' '));
        for index in 0..many {
            forms.extend(in_json(&forms[index]).map(Cow::from));
            if many <= MOST_ENCODED {
                forms.extend(encoded(&forms[index]).into_iter().map(Cow::from));
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

    /// Whether no secret is searched for; false if there were too many secrets, so that every text counts as
    /// a copy.
    pub fn is_empty(&self) -> bool {
        let search = self.search.as_ref();
        search.is_some_and(|search| search.patterns_len() == 0)
    }

    /// The text with `sign` in place of every copy of a secret, overlapping ones once. If there were too many
    /// secrets to search for, `sign` replaces the whole text.
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

    /// The ranges of copies of the secrets in the text, in order and without overlap: as they stand, and in
    /// percent encoding, nested up to four times, with a plus sign for a space. The whole text if there were
    /// too many secrets to search for; none if there are no secrets.
    pub fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        if self.is_empty() {
            return Vec::new();
        }
        let Some(search) = &self.search else {
            let all = 0..text.len();
            return if all.is_empty() { Vec::new() } else { vec![all] };
        };
        let mut ranges = self.find_copies(search, text.as_bytes(), text, |at| at);
        for blanks in [false, true].into_iter().take(1 + usize::from(self.has_blanks)) {
            let mut address = Address::new(text, blanks);
            for _ in 0..MOST_DECODED {
                let Some(decoded) = address.filter(|address| address.is_coded) else {
                    break;
                };
                ranges.extend(self.find_copies(search, &decoded.bytes, text, |at| decoded.place(at)));
                address = decoded.again();
            }
        }
        merge_overlaps(ranges)
    }

    /// The copies of secrets in `bytes`, as ranges of `text`; `place` converts positions. Where only the
    /// beginning of a long secret is searched for, a match extends to the end of its JSON string.
    fn find_copies(
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
            // A match of the beginning of a long secret is removed to the end of its string: it is the secret, or
            // probably another of the same kind.
            let end = match place(at) {
                end if matched.len() < self.searched => end,
                end => string_end(text.as_bytes(), end),
            };
            found.push(place(matched.start())..end);
        }
        found
    }
}

/// A text with its percent escapes decoded.
struct Address {
    bytes: Vec<u8>,
    /// For each decoded byte its position in `bytes`, once for each two bytes that its escape was longer.
    shorter: Vec<usize>,
    /// Whether any escape was decoded.
    is_coded: bool,
}

impl Address {
    /// Decodes the percent escapes of a text; `None` if it has no percent sign. With `blanks` a plus sign
    /// becomes a space, and a text with one is decoded, too.
    fn new(text: &str, blanks: bool) -> Option<Self> {
        let text = text.as_bytes();
        let may_be = memchr(b'%', text).is_some() || (blanks && memchr(b'+', text).is_some());
        may_be.then(|| decoded(text, blanks, &[]))
    }

    /// The text decoded once more; `None` if it has no more percent signs. A plus sign stays.
    fn again(&self) -> Option<Self> {
        memchr(b'%', &self.bytes).map(|_| decoded(&self.bytes, false, &self.shorter))
    }

    /// The position in the original text of a position in `bytes`.
    fn place(&self, at: usize) -> usize {
        at + 2 * self.shorter.partition_point(|shorter| *shorter < at)
    }
}

/// Decodes each escape such as `%41`, and with `blanks` each plus sign as a space; an incomplete escape
/// stays. `before` holds the positions of earlier decodings, as in `Address::shorter`.
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

/// The value of two hex digits; `None` if they are not two hex digits.
fn hex_byte(digits: Option<&[u8]>) -> Option<u8> {
    let digits = digits?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u8::from_str_radix(digits, 16).ok()
}

/// The ranges sorted, with overlapping ones merged; those that only touch stay separate.
fn merge_overlaps(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// The end of the JSON string that contains position `at`, before its closing quote; the end of the text
/// without one.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// The escaped form of a secret in JSON, `None` if it equals the secret.
fn in_json(secret: &str) -> Option<String> {
    let quoted = serde_json::Value::from(secret).to_string();
    let in_json = &quoted[1..quoted.len() - 1];
    (in_json != secret).then(|| in_json.to_owned())
}

/// The forms of a secret in hex (upper and lower case), and in both base64 alphabets at each of the three
/// alignments. Forms below 8 bytes are left out.
fn encoded(secret: &str) -> Vec<String> {
    let hex = hex(secret);
    let mut forms = vec![hex.to_uppercase(), hex];
    for before in 0..3 {
        let mut bytes = vec![0; before];
        bytes.extend(secret.bytes());
        // Only the part that does not depend on the neighbouring bytes.
        let (start, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            forms.push(engine.encode(&bytes)[start..end].to_owned());
        }
    }
    forms.retain(|form| form.len() >= SHORTEST_FORM);
    forms
}

/// The bytes of a text as lower-case hex digits.
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
        let copies = Copies::new(secrets.iter().copied());
        copies.remove(text, "<removed>").into_owned()
    }

    #[test]
    fn copies_are_found_among_secrets_that_begin_alike() {
        for (secrets, before, after) in [
            (&["secret-1"][..], "--key=secret-1 -v", "--key=<removed> -v"),
            // The longest match is removed, or its end would remain.
            (&["abcd", "abcdefg"], "x abcdefg abcdef", "x <removed> <removed>ef"),
            // The next one in order is not a copy, but a shorter one that it begins with is.
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
            // letters of several bytes, and invalid escapes
            (&["größe"], "gr%C3%B6%c3%9Fe grö%C3%9fe", "<removed> <removed>"),
            (&["key-one"], "%zz%4 %k%65y-one%", "%zz%4 %<removed>%"),
            (&["a\"b/c"], "a%5C%22b%2Fc", "<removed>"),
        ] {
            assert_eq!(removed(secrets, before), after, "{before}");
        }
        // Decoding ends for any text.
        assert_eq!(removed(&["key-one"], &"%25".repeat(1000)), "%25".repeat(1000));
    }

    #[test]
    fn what_begins_like_a_long_secret_goes_as_far_as_its_string() {
        let (long, longer) = ("k".repeat(300) + "1", "k".repeat(300) + "2 x");
        let text = format!(r#"{{"a":"{long} -v","b":"{longer}","c":"k"}}"#);
        let after = r#"{"a":"<removed>","b":"<removed>","c":"k"}"#;
        assert_eq!(removed(&[&long], &text), after);
        // A quote of the text itself does not end the string, and a truncated text has no end of it.
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
        let copies = Copies::new(secrets.iter().map(String::as_str));
        let clean = copies.remove(r#"{"a":"-k canary-000000007 -v","b":"k"}"#, "<removed>");
        assert_eq!(clean, r#"{"a":"-k <removed>","b":"k"}"#);
    }
}
