//! What commands are for: the headings of the palette before anything is typed.

use crate::keys::Action;

/// In the order of the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Find,
    Price,
    Compare,
    Save,
    Build,
    Test,
    Connect,
    Look,
}

impl Group {
    pub(super) const ALL: [Self; 8] = [
        Self::Find,
        Self::Price,
        Self::Compare,
        Self::Save,
        Self::Build,
        Self::Test,
        Self::Connect,
        Self::Look,
    ];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Find => "Find",
            Self::Price => "Price",
            Self::Compare => "Compare",
            Self::Save => "Save",
            Self::Build => "Build",
            Self::Test => "Test",
            Self::Connect => "Connect",
            Self::Look => "Look",
        }
    }

    pub(super) const fn of(action: Action) -> Self {
        match action {
            Action::Query
            | Action::Filter
            | Action::Sort
            | Action::Reverse
            | Action::Shift(_)
            | Action::Settings
            | Action::OfferType
            | Action::Refresh
            | Action::Reset
            | Action::Funnel
            | Action::Host
            | Action::SavedSearches
            | Action::Open
            | Action::StarredOnly
            | Action::ShowBanned
            | Action::Submit
            | Action::Complete
            | Action::Older
            | Action::Newer
            | Action::Recall => Self::Find,
            Action::Job
            | Action::ForgetJob
            | Action::ThreePrices
            | Action::History
            | Action::Tape
            | Action::Watch
            | Action::WatchSettings
            | Action::Alerts => Self::Price,
            Action::Compare
            | Action::Mark
            | Action::Unmark
            | Action::Differences
            | Action::Summary
            | Action::Plot
            | Action::Depth
            | Action::Cluster
            | Action::Related => Self::Compare,
            Action::SaveSearch
            | Action::Copy
            | Action::Export
            | Action::Star(_)
            | Action::Note(_)
            | Action::Ban
            | Action::Annotations
            | Action::Undo
            | Action::Redo => Self::Save,
            Action::New
            | Action::NewGroup
            | Action::CloneGroup
            | Action::GroupFromSearch
            | Action::Preflight
            | Action::CheckSupply
            | Action::Unlist
            | Action::Resolve
            | Action::Edit
            | Action::Toggle
            | Action::Remove
            | Action::Yes => Self::Build,
            Action::RouteLab | Action::Run | Action::OpenRequest => Self::Test,
            Action::Markets | Action::Market(_) | Action::ForgetLimits | Action::EditConfig | Action::ReloadConfig => {
                Self::Connect
            }
            Action::Quit
            | Action::QuitNow
            | Action::Suspend
            | Action::Redraw
            | Action::Help
            | Action::Palette
            | Action::Notices
            | Action::Theme
            | Action::Pane(_)
            | Action::NextPane
            | Action::PreviousPane
            | Action::NextTab
            | Action::PreviousTab
            | Action::Move(_)
            | Action::Left
            | Action::Right
            | Action::Back
            | Action::Columns
            | Action::FoldPreview
            | Action::Widen(_)
            | Action::Secrets => Self::Look,
        }
    }
}
