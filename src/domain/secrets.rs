//! Which members of a record or reply may hold a secret, by their name.

use serde_json::Value as Json;

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
/// members are judged by their names too: a server may send a secret that nobody documented.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    PARTS.iter().any(|part| name.contains(part))
}

/// Takes all members with such names out, however deep they stand. JSON readers bound the depth.
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
