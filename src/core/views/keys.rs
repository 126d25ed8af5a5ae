//! The contexts and the available actions of lists, charts and reports, and the commands that words name.

use crate::core::State;
use crate::core::view::Availability;
use crate::keys::pane::Pane;
use crate::keys::{Action, BINDINGS, Binding, Context};
use crate::tui::list::{List, fuzzy, nearest};

/// The key and the name of the command that words of a text may be meant for: `maybe 3 t test route`; of a command of the
/// route lab the key that opens it: `maybe 3 t compare runs`. `None` if no command is near.
pub(crate) fn command_named(text: &str, state: &State) -> Option<String> {
    // Numbers and the shortest words are in no name.
    let is_telling = |word: &&str| word.chars().count() > 2 && word.chars().all(char::is_alphabetic);
    let words: Vec<_> = text.split_whitespace().filter(is_telling).collect();
    let row = row_named(&words, &[Context::Table, Context::Workergroups, Context::Global])
        .or_else(|| row_named(&words, &[Context::RouteLab]))?;
    let is_of_lab = row.context == Context::RouteLab;
    let action = if is_of_lab { Action::RouteLab } else { row.action };
    let key = state.keymap.key_of(action);
    if row.keys.is_empty() {
        return Some(format!("maybe {key}"));
    }
    let name = row.hint.map_or(row.name, |(word, _)| word);
    let is_elsewhere = (is_of_lab || row.context == Context::Workergroups) && state.pane != Pane::Workergroups;
    let pane = is_elsewhere.then(|| state.keymap.key_of(Action::Pane(Pane::Workergroups)) + " ");
    Some(format!("maybe {}{key} {name}", pane.unwrap_or_default()))
}

/// The row of the key table in these contexts whose names words are, or that is nearest to several words.
fn row_named(words: &[&str], contexts: &[Context]) -> Option<&'static Binding> {
    // The user is typing into a search already; the palette names the search of Offers itself.
    let is_search = |row: &Binding| row.action == Action::Query;
    let has_name = |row: &&Binding| contexts.contains(&row.context) && !row.moves() && !is_search(row);
    let mut rows = BINDINGS.iter().filter(has_name);
    if let [word] = words[..] {
        // A single word has to be a name, as many names contain it.
        return rows.find(|row| row.names().iter().any(|name| name.eq_ignore_ascii_case(word)));
    }
    let lines: Vec<_> = rows
        .map(|row| (row, format!("{} {}", row.help, row.names().join(" "))))
        .collect();
    let all = fuzzy(&words.join(" "), &lines);
    all.first().or(nearest(words, &lines).first()).copied()
}

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
