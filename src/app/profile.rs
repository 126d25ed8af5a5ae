//! For whom the dashboard speaks.

use crate::domain::Dialect;

/// What is known of the profile that the dashboard speaks for; no secret is in it.
#[derive(Debug, Clone)]
pub struct Profile {
    pub name: String,
    /// Whether it is the embedded sandbox.
    pub is_sandbox: bool,
    /// Whether creating and unlisting are off.
    pub read_only: bool,
    pub dialect: &'static Dialect,
    /// Where the management interface is, for people.
    pub base_url: String,
    /// Where the routing endpoint is, for people and for commands that they run.
    pub route_url: String,
    /// Whether a key is sent.
    pub has_key: bool,
}
