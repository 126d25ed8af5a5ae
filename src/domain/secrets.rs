//! Which members of a record or reply may hold a secret, by name, and what can be an API key.

use std::borrow::Cow;

use serde_json::Value as Json;

use super::catalog::{Catalog, Resource};
use super::field::{Field, Kind};
use super::text::beginning;
use super::value::CellRef;

/// Parts of names of members that hold secrets.
const PARTS: [&str; 9] = [
    "key",
    "token",
    "secret",
    "pass",
    "login",
    "signature",
    "auth",
    "env",
    "credential",
];

/// Whether a member of that name is kept out of everything that is stored or exported. Unknown
/// members are judged by their names too: a server may send an undocumented secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// Removes all members with such names at any depth, which JSON parsers bound.
pub(crate) fn remove_secrets(json: &mut Json) {
    match json {
        Json::Object(members) => {
            members.retain(|name, _| !is_secret_name(name));
            members.values_mut().for_each(remove_secrets);
        }
        Json::Array(items) => items.iter_mut().for_each(remove_secrets),
        _ => {}
    }
}

/// The maximum length of an API key in bytes: anything longer is something else.
pub(crate) const LONGEST_KEY: usize = 4096;

/// Why a text cannot be an API key, if it cannot: a key has to fit in one line of a header.
pub(crate) fn key_fault(key: &str) -> Option<&'static str> {
    if key.is_empty() {
        Some("it is empty")
    } else if key.len() > LONGEST_KEY {
        Some("it is too long")
    } else if key.bytes().any(|byte| byte.is_ascii_whitespace()) {
        Some("it contains spaces or several lines")
    } else if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        Some("it contains control or non-ASCII characters")
    } else {
        None
    }
}

/// Replaces a key that another member repeats.
const REMOVED: &str = "<removed>";

/// The shortest key that is searched for in other members: a shorter one would match by chance.
pub(crate) const SHORTEST_KEY: usize = 8;

/// A text of a workergroup without the group's own key, which people paste into launch arguments.
/// `cell` returns the record's cells.
pub(crate) fn without_own_key<'t, 'c>(
    catalog: &Catalog,
    text: &'t str,
    cell: impl Fn(&'static Field) -> CellRef<'c>,
) -> Cow<'t, str> {
    if catalog.resource != Resource::Workergroups {
        return Cow::Borrowed(text);
    }
    let secrets = catalog
        .fields()
        .iter()
        .filter(|field| field.kind == Kind::Secret);
    secrets.fold(Cow::Borrowed(text), |text, secret| match cell(secret) {
        CellRef::Text(key) if key.len() >= SHORTEST_KEY => without(text, key),
        _ => text,
    })
}

fn without<'t>(text: Cow<'t, str>, key: &str) -> Cow<'t, str> {
    // Of what is longer than any key, the beginning is looked for, and what follows it goes too.
    let (key, more) = beginning(key, LONGEST_KEY);
    match text.find(key) {
        None => text,
        Some(_) if more == 0 => Cow::Owned(text.replace(key, REMOVED)),
        Some(place) => Cow::Owned(format!("{}{REMOVED}", &text[..place])),
    }
}

/// The beginning of a text of a record, of about `most` bytes, [`without_own_key`]; and how many
/// bytes follow it. However long the text is, only its beginning is read.
pub(crate) fn shown<'t, 'c>(
    catalog: &Catalog,
    text: &'t str,
    most: usize,
    cell: impl Fn(&'static Field) -> CellRef<'c>,
) -> (Cow<'t, str>, usize) {
    // A key may begin in what is shown and end behind it.
    let (head, _) = beginning(text, most.saturating_add(LONGEST_KEY));
    let (visible, more) = beginning(text, most);
    match without_own_key(catalog, head, cell) {
        Cow::Borrowed(_) => (Cow::Borrowed(visible), more),
        Cow::Owned(safe) => {
            let (safe, _) = beginning(&safe, most);
            (Cow::Owned(safe.to_owned()), more)
        }
    }
}
