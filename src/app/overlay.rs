//! What lies over a pane: an enum stack, topmost last.

use super::basket::Basket;
use super::copy::CopyMenu;
use super::export::ExportForm;
use super::groups::create::{self, CreateDialog};
use super::groups::planner::Planner;
use super::insights::Insight;
use super::keymap::Context;
use super::prompt::Question;
use super::unlist::{Page, UnlistDialog};
use super::view::View;
use super::volume_form::VolumeForm;
use crate::domain::journal::Deed;

/// One overlay and its state.
#[derive(Debug)]
pub enum Overlay {
    /// A view that knows itself.
    View(Box<dyn View>),
    /// The selected record, whole; so many lines are scrolled away.
    Detail {
        /// Lines scrolled away at the top.
        scroll: usize,
    },
    /// The size and term that volumes are priced for.
    Volume(VolumeForm),
    /// The volumes that go with an offer.
    Basket(Basket),
    /// Unlisting a volume.
    Unlist(UnlistDialog),
    /// What can be copied.
    Copy(CopyMenu),
    /// A file to be written.
    Export(ExportForm),
    /// A yes is asked for.
    Question(Question),
    /// What the rows tell beyond themselves.
    Insight(Box<Insight>),
    /// The form of a new workergroup.
    GroupForm,
    /// The confirmation and the outcome of creating it.
    GroupCreate(CreateDialog),
    /// What a group's search finds.
    GroupPreflight {
        /// Lines scrolled away at the top.
        scroll: usize,
    },
    /// What a load amounts to.
    GroupPlan(Box<Planner>),
    /// What changed among the groups.
    GroupDrift {
        /// Lines scrolled away at the top.
        scroll: usize,
    },
}

impl Overlay {
    /// The contexts whose keys it takes, in order.
    pub fn contexts(&self) -> &'static [Context] {
        match self {
            Self::View(view) => view.contexts(),
            Self::Unlist(dialog) => dialog.contexts(),
            Self::Copy(_) => &[Context::CopyMenu, Context::Always],
            Self::Export(form) => form.contexts(),
            Self::Question(_) => &[Context::Dialog, Context::Always],
            Self::Insight(insight) => insight.contexts(),
            Self::GroupForm | Self::GroupPlan(_) => &[Context::GroupForm, Context::Always],
            Self::GroupCreate(dialog) => dialog.contexts(),
            Self::GroupPreflight { .. } | Self::GroupDrift { .. } => &[
                Context::Report,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
            Self::Volume(_) => &[Context::VolumeCost, Context::Always],
            Self::Basket(_) => &[
                Context::Basket,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
            Self::Detail { .. } => &[
                Context::Detail,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
        }
    }

    /// Whether typed characters go into a search line.
    pub fn takes_text(&self) -> bool {
        match self {
            Self::View(view) => view.takes_text(),
            Self::Detail { .. }
            | Self::Question(_)
            | Self::Basket(_)
            | Self::Copy(_)
            | Self::GroupPreflight { .. }
            | Self::GroupDrift { .. } => false,
            Self::GroupCreate(dialog) => !matches!(dialog.page, create::Page::Outcome),
            Self::Unlist(dialog) => !matches!(dialog.page, Page::Outcome),
            Self::Insight(insight) => insight.takes_text(),
            _ => true,
        }
    }

    /// Whether it shows the volumes that go with an offer.
    pub const fn is_basket(&self) -> bool {
        matches!(self, Self::Basket(_))
    }

    /// The write whose dialog it is.
    pub const fn deed(&self) -> Option<Deed> {
        match self {
            Self::Unlist(_) => Some(Deed::UnlistVolume),
            Self::GroupCreate(_) => Some(Deed::CreateWorkergroup),
            _ => None,
        }
    }
}
