//! What lies over a pane: an enum stack, topmost last.

use super::basket::Basket;
use super::copy::CopyMenu;
use super::export::ExportForm;
use super::insights::Insight;
use super::keymap::Context;
use super::prompt::Question;
use super::view::View;

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
    /// The volumes that go with an offer.
    Basket(Basket),
    /// What can be copied.
    Copy(CopyMenu),
    /// A file to be written.
    Export(ExportForm),
    /// A yes is asked for.
    Question(Question),
    /// What the rows tell beyond themselves.
    Insight(Box<Insight>),
}

impl Overlay {
    /// The contexts whose keys it takes, in order.
    pub fn contexts(&self) -> &'static [Context] {
        match self {
            Self::View(view) => view.contexts(),
            Self::Copy(_) => &[Context::CopyMenu, Context::Always],
            Self::Export(form) => form.contexts(),
            Self::Question(_) => &[Context::Dialog, Context::Always],
            Self::Insight(insight) => insight.contexts(),
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
            | Self::Insight(_)
            | Self::Copy(_) => false,
            Self::Export(_) => true,
        }
    }

    /// Whether it shows the volumes that go with an offer.
    pub const fn is_basket(&self) -> bool {
        matches!(self, Self::Basket(_))
    }
}
