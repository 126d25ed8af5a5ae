//! Recognizes secret members of a record or reply by name, and API keys; removes known secrets from texts.

mod json_text;
mod known;
mod secret;

use serde_json::Value as Json;

pub use json_text::without_members;
pub use known::{Known, has_secret_names, holds_secrets, scrub, without_secrets};
pub use secret::Secret;

/// The replacement of a removed secret.
pub const REMOVED: &str = "<removed>";

/// [`REMOVED`] as a JSON string.
const QUOTED: &str = "\"<removed>\"";

/// Parts of the names of members that hold secrets, by their first letter in lower case; empty for any other
/// letter.
const fn parts(letter: u8) -> &'static [&'static str] {
    match letter {
        b'k' => &["key"],
        b't' => &["token"],
        b's' => &["secret", "signature"],
        b'p' => &["pass"],
        b'l' => &["login"],
        b'a' => &["auth"],
        b'e' => &["env"],
        b'c' => &["credential"],
        _ => &[],
    }
}

/// Members whose value is a secret, by the specification or by common convention.
const MEMBERS: [&str; 8] = [
    "api_key",
    "apikey",
    "signature",
    "token",
    "secret",
    "password",
    "authorization",
    "access_token",
];

/// Whether a member with this name certainly holds a secret: `api_key`, `token`, `password` and the like, in
/// any case.
pub fn is_secret_member(name: &str) -> bool {
    MEMBERS.iter().any(|secret| secret.eq_ignore_ascii_case(name))
}

/// Whether a member with this name is excluded from everything that is stored or exported: any name that
/// contains `key`, `token`, `pass` or the like, in any case.
///
/// Unknown members are judged by their names too: a server may send an undocumented secret.
pub fn is_secret_name(name: &str) -> bool {
    let begins = |rest: &[u8], part: &str| {
        let head = rest.get(..part.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(part.as_bytes()))
    };
    let name = name.as_bytes();
    (0..name.len()).any(|at| {
        let mut parts = parts(name[at].to_ascii_lowercase()).iter();
        parts.any(|part| begins(&name[at..], part))
    })
}

/// Removes all members, with their values, whose name may be that of a secret (`is_secret_name`), at any
/// depth.
pub fn remove_secrets(json: &mut Json) {
    match json {
        Json::Object(members) => {
            members.retain(|name, _| !is_secret_name(name));
            members.values_mut().for_each(remove_secrets);
        }
        Json::Array(items) => items.iter_mut().for_each(remove_secrets),
        _ => {}
    }
}

/// The maximum length of an API key in bytes.
///
/// Anything longer is something else.
pub const LONGEST_KEY: usize = 4096;

/// The reason a text cannot be an API key, which has to fit in one line of a header. It holds no part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    #[error("it is empty")]
    Empty,
    #[error("it is too long")]
    TooLong,
    #[error("it contains spaces or several lines")]
    Blanks,
    #[error("it contains control or non-ASCII characters")]
    Characters,
}

/// The reason a text cannot be an API key: it is empty, longer than 4096 bytes, or not printable ASCII
/// without blanks. `None` if it can.
pub fn key_fault(key: &str) -> Option<KeyFault> {
    if key.is_empty() {
        Some(KeyFault::Empty)
    } else if key.len() > LONGEST_KEY {
        Some(KeyFault::TooLong)
    } else if key.bytes().any(|byte| byte.is_ascii_whitespace()) {
        Some(KeyFault::Blanks)
    } else if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Some(KeyFault::Characters)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_an_api_key_is_a_line_of_a_header() {
        let (longest, longer) = ("k".repeat(4096), "k".repeat(4097));
        for (key, fault) in [
            ("k", None),
            ("!aZ0~", None),
            (longest.as_str(), None),
            ("", Some(KeyFault::Empty)),
            (longer.as_str(), Some(KeyFault::TooLong)),
            ("two words", Some(KeyFault::Blanks)),
            ("line\n", Some(KeyFault::Blanks)),
            ("k\u{7f}", Some(KeyFault::Characters)),
            ("clé", Some(KeyFault::Characters)),
        ] {
            assert_eq!(key_fault(key), fault, "{key:?}");
        }
    }
}
