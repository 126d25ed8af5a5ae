//! The contexts and the available actions of lists, charts and reports.

use crate::core::view::Availability;
use crate::keys::{Action, Context};
use crate::tui::list::List;

/// The contexts of a chart with tabs.
pub(crate) const TABBED_CHART: &[Context] = &[Context::Tabs, Context::Chart, Context::Global, Context::Always];

/// The contexts of a price chart with tabs.
pub(crate) const TABBED_PRICE_CHART: &[Context] = &[
    Context::Tabs,
    Context::PriceChart,
    Context::Chart,
    Context::Global,
    Context::Always,
];

/// The contexts of a list whose lines are edited. Until a search is typed, a space toggles the line;
/// afterwards it is text.
pub(crate) const fn edits(is_typed: bool) -> &'static [Context] {
    if is_typed {
        &[Context::ListEdit, Context::List, Context::Always]
    } else {
        &[Context::Choice, Context::ListEdit, Context::List, Context::Always]
    }
}

/// Hides the editing actions of a list that are not in `used`; any other action is available.
pub(crate) fn only(used: &[Action], action: Action) -> Availability {
    let is_edit = matches!(
        action,
        Action::Toggle
            | Action::Shift(_)
            | Action::Remove
            | Action::Edit
            | Action::Reset
            | Action::Recall
            | Action::Run
            | Action::Settings
    );
    Availability::hidden_if(is_edit && !used.contains(&action))
}

/// Hides the choice of a list of which no line can be chosen, such as one whose search matches nothing; any
/// other action is available.
pub(crate) fn of_list<T: Clone>(list: &List<T>, action: Action) -> Availability {
    Availability::hidden_if(action == Action::Submit && !list.has_choice())
}

/// Hides actions that mean something only to the table below a chart; any other is available.
pub(crate) const fn of_chart(action: Action) -> Availability {
    Availability::hidden_if(matches!(
        action,
        Action::Sort
            | Action::Differences
            | Action::Mark
            | Action::Settings
            | Action::Copy
            | Action::Export
            | Action::Submit
            | Action::Open
    ))
}

/// Hides the moves to the next and the previous record, of which a single report has none; any other action
/// is available.
pub(crate) const fn of_report(action: Action) -> Availability {
    Availability::hidden_if(matches!(action, Action::Left | Action::Right))
}
