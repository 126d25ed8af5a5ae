//! Removes secrets from texts that are stored or shown.

use std::borrow::Cow;

use super::Secret;
use crate::domain::copies::{Copies, SHORTEST, forms};
use crate::domain::pretty::string_end;
use crate::domain::secrets;

pub const REMOVED: &str = "<removed>";

/// Members of JSON objects whose value is a secret.
const SECRET_MEMBERS: [&str; 8] = [
    "api_key",
    "apikey",
    "signature",
    "token",
    "secret",
    "password",
    "authorization",
    "access_token",
];

/// The shortest value of a secret member whose copies are searched for.
const SHORTEST_COPY: usize = 8;

/// The text without a known secret, in any encoding that JSON or a URL may use.
pub fn known(text: &str, secret: &Secret) -> String {
    let plain = secret.expose();
    if plain.len() < SHORTEST {
        return text.to_owned();
    }
    forms(plain)
        .iter()
        .fold(text.to_owned(), |text, form| text.replace(form, REMOVED))
}

/// JSON text with the values of secret members replaced, whatever their type. The text may be
/// truncated or invalid: an unfinished value is removed up to the end.
pub fn members(json: &str) -> String {
    without(json, is_secret_name, |_| {})
}

/// Like [`members`], and also removes copies of those values everywhere else: a server may repeat a
/// key in a message.
pub fn members_and_copies(json: &str) -> String {
    without_copies(json, is_secret_name, SHORTEST_COPY)
}

/// As [`without`]; the values that were texts of at least `shortest` bytes are taken out wherever
/// else they stand.
fn without_copies(json: &str, is_secret: impl Fn(&str) -> bool, shortest: usize) -> String {
    let mut values: Vec<String> = Vec::new();
    let text = without(json, is_secret, |value| {
        let value: Option<String> = serde_json::from_str(value).ok();
        values.extend(value.filter(|value| value.len() >= shortest));
    });
    let copies = Copies::of(values.iter().map(String::as_str));
    match copies.remove(&text, REMOVED) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    }
}

/// An assignment to forward to its worker: everything but a key that the market echoes, which no
/// worker should see. The signature stays, because the worker checks it.
pub fn api_keys(json: &str) -> String {
    let is_key = |quoted: &str| {
        let name = unquoted(quoted);
        ["api_key", "apikey", "authorization"]
            .iter()
            .any(|key| key.eq_ignore_ascii_case(&name))
    };
    without(json, is_key, |_| {})
}

/// A record as received, for the clipboard or a file: members with names like a secret's lose their
/// values too, not only the documented ones.
pub fn record(json: &str) -> String {
    let is_secret = |quoted: &str| secrets::is_secret_name(&unquoted(quoted));
    // People write a key into launch arguments as well.
    without_copies(json, is_secret, secrets::SHORTEST_KEY)
}

/// The text without the values of secret members; each of them is passed to `removed`.
fn without<'j>(
    json: &'j str,
    is_secret: impl Fn(&str) -> bool,
    mut removed: impl FnMut(&'j str),
) -> String {
    let bytes = json.as_bytes();
    let mut out = String::with_capacity(json.len());
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] != b'"' {
            at += 1;
            continue;
        }
        let end = string_end(bytes, at);
        let name = &json[at..end];
        at = end;
        let Some(value) = value_after_colon(bytes, end) else {
            continue;
        };
        if !is_secret(name) {
            continue;
        }
        let value_end = skip_value(bytes, value);
        if &json[value..value_end] != "null" {
            removed(&json[value..value_end]);
            out.push_str(&json[copied..value]);
            out.push('"');
            out.push_str(REMOVED);
            out.push('"');
            copied = value_end;
        }
        at = value_end;
    }
    out.push_str(&json[copied..]);
    out
}

fn is_secret_name(quoted: &str) -> bool {
    let name = unquoted(quoted);
    SECRET_MEMBERS
        .iter()
        .any(|secret| secret.eq_ignore_ascii_case(&name))
}

/// A name without its quotes; it may contain escapes.
fn unquoted(quoted: &str) -> String {
    serde_json::from_str(quoted).unwrap_or_else(|_| quoted.trim_matches('"').to_owned())
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The start of a member's value, if a colon follows its name.
fn value_after_colon(bytes: &[u8], name_end: usize) -> Option<usize> {
    let colon = skip_blanks(bytes, name_end);
    (bytes.get(colon) == Some(&b':')).then(|| skip_blanks(bytes, colon + 1))
}

/// The end of the value that starts at `at`.
fn skip_value(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = at;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth <= 1 {
                    return at + depth;
                }
                depth -= 1;
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_members_are_removed_whatever_their_type() {
        for (before, after) in [
            (
                r#"{"api_key":"k1","id":2}"#,
                r#"{"api_key":"<removed>","id":2}"#,
            ),
            (r#"{"api_key" : 12}"#, r#"{"api_key" : "<removed>"}"#),
            (
                r#"{"a":{"signature":["x","y"],"b":1}}"#,
                r#"{"a":{"signature":"<removed>","b":1}}"#,
            ),
            (r#"{"api\u005fkey":"k"}"#, r#"{"api\u005fkey":"<removed>"}"#),
            (r#"{"Signature":{"s":"}"}}"#, r#"{"Signature":"<removed>"}"#),
            (r#"{"api_key":null}"#, r#"{"api_key":null}"#),
            (
                r#"{"x":"api_key","y":"signature"}"#,
                r#"{"x":"api_key","y":"signature"}"#,
            ),
            (r#"{"api_key":"cut sho"#, r#"{"api_key":"<removed>""#),
            (
                r#"{"api_key":"a\"b","z":1}"#,
                r#"{"api_key":"<removed>","z":1}"#,
            ),
            (
                r#"not json "api_key" at all"#,
                r#"not json "api_key" at all"#,
            ),
        ] {
            assert_eq!(members(before), after, "{before}");
        }
    }

    #[test]
    fn a_secret_member_s_value_is_removed_elsewhere_too() {
        let text = r#"{"msg":"bad key group/key-1","api_key":"group/key-1","token":"short","x":"short",
            "echo":"{\"api_key\":\"group/key-1\"}"}"#;
        let clean = members_and_copies(text);
        assert!(!clean.contains("key-1"), "{clean}");
        assert!(clean.contains(r#""x":"short""#), "{clean}");
    }

    #[test]
    fn a_known_secret_is_removed_in_all_its_forms() {
        let secret = Secret::new("a/b\"c+d");
        assert_eq!(known("x a/b\"c+d y", &secret), "x <removed> y");
        assert_eq!(
            known(r#"{"e":"a/b\"c+d"}"#, &secret),
            r#"{"e":"<removed>"}"#
        );
        assert_eq!(known("?k=a%2Fb%22c%2Bd&z", &secret), "?k=<removed>&z");
    }
}
