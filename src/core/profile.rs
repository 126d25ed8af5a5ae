//! The profile of the current market.

use crate::api::curl::WorkerRoot;
use crate::domain::Dialect;

/// The profile of the current market, without secrets.
#[derive(Debug, Clone)]
pub struct Profile {
    pub name: String,
    /// Whether it is the embedded sandbox, whose recorded prices are simulated.
    pub is_sandbox: bool,
    /// Whether creating and unlisting are off.
    pub read_only: bool,
    pub dialect: &'static Dialect,
    /// The address of the management API, for display.
    pub base_url: String,
    /// The address of the routing endpoint, for display and for commands.
    pub route_url: String,
    /// Whether requests carry an API key.
    pub has_key: bool,
    /// The root certificate for commands that call a worker.
    pub worker_root: WorkerRoot,
}
