//! The four panes, which the keys 1 to 4 and the tabs of the header open.

use crate::domain::Resource;

/// The panes, in the order of their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pane {
    Offers,
    Volumes,
    Workergroups,
    Requests,
}

impl Pane {
    pub const ALL: [Self; 4] = [Self::Offers, Self::Volumes, Self::Workergroups, Self::Requests];

    /// The name in the header.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Offers => "Offers",
            Self::Volumes => "Volumes",
            Self::Workergroups => "Workergroups",
            Self::Requests => "Requests",
        }
    }

    /// The pane of a resource.
    pub const fn for_resource(resource: Resource) -> Self {
        match resource {
            Resource::Offers => Self::Offers,
            Resource::Volumes => Self::Volumes,
            Resource::Workergroups => Self::Workergroups,
        }
    }

    /// The resource that it lists, if any.
    pub const fn resource(self) -> Option<Resource> {
        match self {
            Self::Offers => Some(Resource::Offers),
            Self::Volumes => Some(Resource::Volumes),
            Self::Workergroups => Some(Resource::Workergroups),
            Self::Requests => None,
        }
    }

    /// Whether its rows are for rent, so that prices can be compared and watched.
    pub(crate) const fn has_prices(self) -> bool {
        match self {
            Self::Offers | Self::Volumes => true,
            Self::Workergroups | Self::Requests => false,
        }
    }

    /// The pane `by` places to the right, wrapping around.
    pub(crate) fn shifted(self, by: usize) -> Self {
        let index = Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        Self::ALL[(index + by) % Self::ALL.len()]
    }
}
