//! Removes secrets from texts that are stored or shown.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use bourse_domain::secrets::{self, Known, is_secret_member, without_members, without_secrets};
use bourse_domain::{CellRef, Kind, Listing};

use super::Secret;
pub use bourse_domain::secrets::REMOVED;

/// JSON text with the values of members that certainly hold a secret, of any type except null, replaced by
/// `"<removed>"`.
///
/// The text may be truncated or invalid: an unfinished value is removed up to the end.
pub fn without_secret_members(json: &str) -> String {
    without_members(json, is_secret_member)
}

/// An assignment to forward to its worker, as JSON text, with the values of its members `api_key`, `apikey`
/// and `authorization`, in any case, replaced by `"<removed>"`: no worker should see a key that the market
/// echoes.
///
/// The signature stays, because the worker checks it.
pub fn without_api_keys(json: &str) -> String {
    let is_key = |name: &str| {
        let keys = ["api_key", "apikey", "authorization"];
        keys.iter().any(|key| key.eq_ignore_ascii_case(name))
    };
    without_members(json, is_key)
}

/// JSON text of a request or response, for a clipboard or a file, without possible secrets.
///
/// Members with the name of a secret, a larger set than that of the specification, lose their value, and so
/// do copies of it.
pub fn without_possible_secrets(json: &str) -> String {
    without_secrets(json, &Known::default(), secrets::is_secret_name).into_owned()
}

/// All keys that the program has seen: those of its accounts, and those of their workergroups. Shared by all sessions;
/// cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct KnownSecrets(Arc<RwLock<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    accounts: Vec<Secret>,
    /// The keys of the workergroups in the latest listing.
    groups: Vec<Secret>,
    known: Arc<Known>,
}

impl KnownSecrets {
    /// Adds the key of an account; one that is known already is not added again.
    pub fn add(&self, key: &Secret) {
        self.change(|seen| {
            if !seen.accounts.contains(key) {
                seen.accounts.push(key.clone());
            }
        });
    }

    /// Adds the key of a workergroup, unless it is known already.
    pub(super) fn add_group(&self, key: &Secret) {
        let seen = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = seen.groups.contains(key);
        drop(seen);
        if !is_known {
            self.change(|seen| seen.groups.push(key.clone()));
        }
    }

    /// Replaces the known keys of workergroups by those in a listing.
    pub(super) fn note(&self, listing: &Listing) {
        let fields = listing.catalog().fields().iter();
        let mut groups = Vec::new();
        for field in fields.filter(|field| field.kind == Kind::Secret) {
            for row in 0..listing.len() {
                if let CellRef::Text(key) = listing.cell(row, field) {
                    groups.push(Secret::new(key));
                }
            }
        }
        if self.0.read().unwrap_or_else(PoisonError::into_inner).groups != groups {
            self.change(|seen| seen.groups = groups);
        }
    }

    /// The current secrets, as one searcher for all of them; later changes need a new one.
    pub fn known(&self) -> Arc<Known> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).known)
    }

    /// A text with each of the secrets replaced by `<removed>`.
    pub fn remove<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.known().remove(text)
    }

    /// Changes the secrets, and rebuilds the searcher for them.
    fn change(&self, change: impl FnOnce(&mut Seen)) {
        let mut seen = self.0.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut seen);
        let keys = seen.accounts.iter().chain(&seen.groups);
        seen.known = Arc::new(Known::new(keys.map(Secret::expose)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_members_are_removed_whatever_their_type() {
        for (before, after) in [
            (r#"{"api_key":"k1","id":2}"#, r#"{"api_key":"<removed>","id":2}"#),
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
            (r#"{"api_key":12"#, r#"{"api_key":"<removed>""#),
            (r#"{"api_key":[{"a":1},"#, r#"{"api_key":"<removed>""#),
            (r#"{"api_key":"a\"b","z":1}"#, r#"{"api_key":"<removed>","z":1}"#),
            (r#"not json "api_key" at all"#, r#"not json "api_key" at all"#),
        ] {
            assert_eq!(without_secret_members(before), after, "{before}");
        }
    }

    #[test]
    fn a_secret_member_s_value_is_removed_elsewhere_too() {
        let text = r#"{"msg":"bad key group/key-1","api_key":"group/key-1","token":"short","x":"short",
            "echo":"{\"api_key\":\"group/key-1\"}"}"#;
        let clean = without_possible_secrets(text);
        assert!(!clean.contains("key-1"), "{clean}");
        assert!(clean.contains(r#""x":"short""#), "{clean}");
    }
}
