//! The operations of the interface, with their paths and methods.

use axum::http::Method;

use super::answer::Refusal;

/// An operation, for pacing and faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// Searches the offers of machines.
    Offers,
    /// Searches the listings of volumes.
    Volumes,
    /// Unlists a volume of the caller.
    Unlist,
    /// Lists the workergroups of the caller.
    Groups,
    /// Creates a workergroup and its endpoint.
    Create,
    /// Requests a worker of an endpoint.
    Route,
    /// Sends a request to a worker, at its own address.
    Worker,
}

impl Call {
    /// The operations of the marketplace itself.
    pub const MARKET: [Self; 6] = [
        Self::Offers,
        Self::Volumes,
        Self::Unlist,
        Self::Groups,
        Self::Create,
        Self::Route,
    ];

    /// All operations, including those of workers.
    pub const ALL: [Self; 7] = [
        Self::Offers,
        Self::Volumes,
        Self::Unlist,
        Self::Groups,
        Self::Create,
        Self::Route,
        Self::Worker,
    ];

    /// The name in a fault specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Offers => "offers",
            Self::Volumes => "volumes",
            Self::Unlist => "unlist",
            Self::Groups => "groups",
            Self::Create => "create",
            Self::Route => "route",
            Self::Worker => "worker",
        }
    }
}

/// The target of a request to the marketplace: its six operations, and further requests of the market's own client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// One of the marketplace's operations.
    Call(Call),
    /// Searches offers with the query in the URL, as old clients do.
    OffersInQuery,
    /// Searches the volumes of single machines.
    LocalVolumes,
    UpdateGroup(u64),
    DeleteGroup(u64),
    Endpoints,
    CreateEndpoint,
    /// Shows the account of the key.
    User,
    /// Lists the names of all GPU models; needs no key.
    GpuNames,
    /// Shows the public key for route signatures; needs no key.
    PublicKey,
    /// Shows the root certificate of the workers; needs no key.
    WorkerCa,
}

impl Target {
    /// The target of a method and path; a refusal if the path is unknown or takes other methods. Empty
    /// segments are ignored: every path works with and without a final slash, and with the doubled first one
    /// that the market's own client sends.
    pub fn from_request(method: &Method, path: &str) -> Result<Self, Refusal> {
        // No redirect to the other spelling: clients follow it with a GET without the body.
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        Self::named(method.as_str(), &segments).ok_or_else(|| {
            let mut methods = vec!["GET", "PUT", "POST", "DELETE"];
            methods.retain(|method| Self::named(method, &segments).is_some());
            if methods.is_empty() {
                Refusal::path()
            } else {
                Refusal::method(methods.join(", "))
            }
        })
    }

    /// The target of a method and the segments of a path; `None` if there is none.
    fn named(method: &str, segments: &[&str]) -> Option<Self> {
        Some(match (method, segments) {
            ("POST", ["api", "v0", "bundles"]) => Self::Call(Call::Offers),
            ("PUT" | "POST", ["api", "v0", "search", "asks"]) => Self::Call(Call::Offers),
            ("GET", ["api", "v0", "bundles"]) => Self::OffersInQuery,
            ("POST", ["api", "v0", "network_volumes", "search"]) => Self::Call(Call::Volumes),
            ("POST", ["api", "v0", "volumes", "search"]) => Self::LocalVolumes,
            ("POST", ["api", "v0", "volumes" | "network_volumes", "unlist"]) => Self::Call(Call::Unlist),
            ("GET", ["api", "v0", "workergroups" | "autojobs"]) => Self::Call(Call::Groups),
            ("POST", ["api", "v0", "workergroups" | "autojobs"]) => Self::Call(Call::Create),
            ("PUT", ["api", "v0", "workergroups" | "autojobs", id]) => Self::UpdateGroup(id.parse().ok()?),
            ("DELETE", ["api", "v0", "workergroups" | "autojobs", id]) => Self::DeleteGroup(id.parse().ok()?),
            ("GET", ["api", "v0", "endptjobs"]) => Self::Endpoints,
            ("POST", ["api", "v0", "endptjobs"]) => Self::CreateEndpoint,
            ("GET", ["api", "v0", "users", "current"]) => Self::User,
            ("GET", ["api", "v0", "gpu_names", "unique"]) => Self::GpuNames,
            ("POST", ["route"]) => Self::Call(Call::Route),
            ("GET", ["pubkey"]) => Self::PublicKey,
            ("GET", ["worker-ca.pem"]) => Self::WorkerCa,
            _ => return None,
        })
    }

    /// Whether requests to this target need no API key.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::GpuNames | Self::PublicKey | Self::WorkerCa)
    }

    /// The operation whose pacing and faults apply to the target: its own, or `Offers` for the search with
    /// the query in the URL; `None` for all other requests of the market's own client.
    pub const fn call(self) -> Option<Call> {
        match self {
            Self::Call(call) => Some(call),
            Self::OffersInQuery => Some(Call::Offers),
            _ => None,
        }
    }
}
