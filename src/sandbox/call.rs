//! The operations of the interface, and how paths and methods name them.

use axum::http::Method;

use super::answer::Refusal;

/// One of the six operations, for pacing and faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    Offers,
    Volumes,
    Unlist,
    Groups,
    Create,
    Route,
}

impl Call {
    pub const ALL: [Self; 6] = [
        Self::Offers,
        Self::Volumes,
        Self::Unlist,
        Self::Groups,
        Self::Create,
        Self::Route,
    ];

    /// Its name in a fault specification.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Offers => "offers",
            Self::Volumes => "volumes",
            Self::Unlist => "unlist",
            Self::Groups => "groups",
            Self::Create => "create",
            Self::Route => "route",
        }
    }
}

/// What a request is for: the six operations, and what the market's own client requests besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// One of the six operations.
    Call(Call),
    /// Search offers with the query in the URL, as old clients do.
    OffersInQuery,
    /// Search the volumes of single machines.
    LocalVolumes,
    UpdateGroup(u64),
    DeleteGroup(u64),
    Endpoints,
    CreateEndpoint,
    /// The account of the key.
    User,
    /// The names of all GPU models; needs no key.
    GpuNames,
    /// The public key for route signatures; needs no key.
    PublicKey,
}

impl Target {
    /// The target of a method and path. Empty segments are ignored: every path works with and
    /// without a final slash, and with the doubled first one that the market's own client sends.
    pub fn of(method: &Method, path: &str) -> Result<Self, Refusal> {
        // Never a redirect to the other spelling: clients follow it with a GET without the body.
        let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        let (allow, choices): (_, &[(Method, Self)]) = match segments.as_slice() {
            ["api", "v0", "bundles"] => (
                "GET, POST",
                &[
                    (Method::POST, Self::Call(Call::Offers)),
                    (Method::GET, Self::OffersInQuery),
                ],
            ),
            ["api", "v0", "search", "asks"] => (
                "PUT, POST",
                &[
                    (Method::PUT, Self::Call(Call::Offers)),
                    (Method::POST, Self::Call(Call::Offers)),
                ],
            ),
            ["api", "v0", "network_volumes", "search"] => ("POST", &[(Method::POST, Self::Call(Call::Volumes))]),
            ["api", "v0", "volumes", "search"] => ("POST", &[(Method::POST, Self::LocalVolumes)]),
            ["api", "v0", "volumes" | "network_volumes", "unlist"] => {
                ("POST", &[(Method::POST, Self::Call(Call::Unlist))])
            }
            ["api", "v0", "workergroups" | "autojobs"] => (
                "GET, POST",
                &[
                    (Method::GET, Self::Call(Call::Groups)),
                    (Method::POST, Self::Call(Call::Create)),
                ],
            ),
            ["api", "v0", "workergroups" | "autojobs", id] => return Self::of_group(method, id),
            ["api", "v0", "endptjobs"] => (
                "GET, POST",
                &[(Method::GET, Self::Endpoints), (Method::POST, Self::CreateEndpoint)],
            ),
            ["api", "v0", "users", "current"] => ("GET", &[(Method::GET, Self::User)]),
            ["api", "v0", "gpu_names", "unique"] => ("GET", &[(Method::GET, Self::GpuNames)]),
            ["route"] => ("POST", &[(Method::POST, Self::Call(Call::Route))]),
            ["pubkey"] => ("GET", &[(Method::GET, Self::PublicKey)]),
            _ => return Err(Refusal::path()),
        };
        let chosen = choices.iter().find(|(known, _)| known == method);
        chosen.map(|(_, target)| *target).ok_or_else(|| Refusal::method(allow))
    }

    fn of_group(method: &Method, id: &str) -> Result<Self, Refusal> {
        let id = id.parse().map_err(|_| Refusal::path())?;
        match *method {
            Method::PUT => Ok(Self::UpdateGroup(id)),
            Method::DELETE => Ok(Self::DeleteGroup(id)),
            _ => Err(Refusal::method("PUT, DELETE")),
        }
    }

    /// Whether it needs no key.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::GpuNames | Self::PublicKey)
    }

    /// The operation, if it is one of the six.
    pub const fn call(self) -> Option<Call> {
        match self {
            Self::Call(call) => Some(call),
            Self::OffersInQuery => Some(Call::Offers),
            _ => None,
        }
    }
}
