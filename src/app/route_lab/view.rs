//! What of the lab lies over the panes, and which keys each part takes.

use crate::app::keymap::Context;

/// A page of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// The figures; on large screens everything beside them.
    #[default]
    Overview,
    /// The latency histogram.
    Latency,
    /// What happened when.
    Timeline,
    /// Who was assigned what.
    Workers,
    /// Every attempt.
    Attempts,
}

impl Page {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [
        Self::Overview,
        Self::Latency,
        Self::Timeline,
        Self::Workers,
        Self::Attempts,
    ];

    /// Its name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Latency => "Latency",
            Self::Timeline => "Timeline",
            Self::Workers => "Workers",
            Self::Attempts => "Attempts",
        }
    }

    pub(super) fn shifted(self, by: usize) -> Self {
        let place = Self::ALL.iter().position(|page| *page == self).unwrap_or(0);
        Self::ALL[(place + by) % Self::ALL.len()]
    }
}

/// A part of the lab that lies over what is below it.
#[derive(Debug, Clone, PartialEq)]
pub enum RouteView {
    /// The pages.
    Lab,
    /// What the next run is to be.
    Form,
    /// The search among the attempts.
    Search,
    /// One attempt, whole.
    Attempt {
        /// Its place among the attempts of the run in sight.
        place: usize,
        /// Lines scrolled away at the top.
        scroll: usize,
    },
    /// What the worker is to be sent.
    NextHop {
        /// The assignment's place among the attempts of the run in sight.
        place: usize,
    },
    /// Where the run is to be written.
    Export,
    /// The run in sight beside another one.
    Compare {
        /// The other run's number.
        other: u64,
        /// Lines scrolled away at the top.
        scroll: usize,
    },
}

impl RouteView {
    /// The contexts whose keys it takes, in order.
    pub const fn contexts(&self) -> &'static [Context] {
        match self {
            Self::Lab => &[
                Context::RouteLab,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
            Self::Form => &[Context::RouteForm, Context::Always],
            Self::Search => &[Context::RouteSearch, Context::Always],
            Self::Export => &[Context::RouteExport, Context::Always],
            Self::NextHop { .. } => &[Context::RouteHop, Context::Always],
            Self::Attempt { .. } => &[
                Context::RouteAttempt,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
            Self::Compare { .. } => &[
                Context::RouteCompare,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
        }
    }

    /// Whether typed characters go into a line.
    pub const fn takes_text(&self) -> bool {
        matches!(
            self,
            Self::Form | Self::Search | Self::Export | Self::NextHop { .. }
        )
    }
}
