//! The Requests pane: one row per request, with route runs folded into one row, and a preview of
//! the selected one.

mod draw;
mod preview;

use ratatui::layout::Rect;

use super::body_editor::BodyEditor;
use super::request::{RequestDetails, resend};
use super::{Filter, Row, editable, resendable};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::time::{MonotonicTime, Now};
use crate::features::requests::Requests;
use crate::keys::{Action, Context};
use crate::tui::input_widget::InputWidget;

/// The filters above the list.
const FILTERS: Region = Region(2);

const SEARCH: Region = Region(3);

/// The view of the Requests pane.
///
/// Its list is part of the state, as requests are recorded while other panes are open.
#[derive(Debug, Default)]
pub struct RequestsPane {
    is_typing: bool,
}

impl RequestsPane {
    /// Handles an action while the search for requests is typed: Esc clears it and ends typing, Enter only
    /// ends typing, Older and Newer move the selection. Others are ignored.
    fn on_search(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Submit => self.is_typing = false,
            Action::Back => {
                self.is_typing = false;
                clear_search(cx);
            }
            Action::Older => cx.feature::<Requests>().step(-1),
            Action::Newer => cx.feature::<Requests>().step(1),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }
}

/// The reason an action is unavailable on the Requests pane, or `None` if it is available.
///
/// The pane shares the keys of tables, but its rows are not records of the market.
pub(crate) fn unavailable(action: Action) -> Option<String> {
    let is_for_records = matches!(
        action,
        Action::Sort
            | Action::Columns
            | Action::Settings
            | Action::Shift(_)
            | Action::Reverse
            | Action::Mark
            | Action::Unmark
            | Action::MarkedOnly
            | Action::Compare
            | Action::Summary
            | Action::Plot
            | Action::Funnel
            | Action::Related
            | Action::Host
            | Action::Watch
            | Action::WatchSettings
            | Action::Tape
            | Action::History
            | Action::ThreePrices
            | Action::Job
            | Action::ForgetJob
            | Action::Unlist
            | Action::OfferType
            | Action::GroupFromSearch
            | Action::Reset
            | Action::SaveSearch
            | Action::OpenRequest
    );
    is_for_records.then(|| "Not available for requests, only on the other tabs".to_owned())
}

/// Empties the search for requests and shows all requests of the filter.
fn clear_search(cx: &mut Cx<'_>) {
    cx.feature::<Requests>().search.set("");
    narrow(cx);
}

/// Applies the filter and the search to all requests of the ledger.
fn narrow(cx: &mut Cx<'_>) {
    let lent = cx.lend::<Requests>();
    lent.feature.narrow(lent.ledger);
}

/// Shows the requests of a filter (all, reads, writes, route or errors) that match the search.
fn show(filter: Filter, cx: &mut Cx<'_>) {
    let lent = cx.lend::<Requests>();
    lent.feature.set_filter(filter, lent.ledger);
}

/// Shows the requests of the filter (all, reads, writes, route, errors) `by` places after the current one,
/// wrapping around.
fn step_filter(by: isize, cx: &mut Cx<'_>) {
    let many = Filter::ALL.len();
    let shown = Requests::read(cx.state()).filter();
    let here = Filter::ALL.iter().position(|filter| *filter == shown).unwrap_or(0);
    let next = here.checked_add_signed(by).unwrap_or(many - 1) % many;
    show(Filter::ALL[next], cx);
}

/// Opens the selected request, or folds or unfolds the selected route run.
fn open(cx: &mut Cx<'_>) {
    match Requests::read(cx.state()).selected() {
        Some(Row::Request(number)) => {
            let line = Requests::read(cx.state()).cursor();
            cx.feature::<Requests>().select(line);
            RequestDetails::open(number, cx);
        }
        Some(Row::Run(run)) => cx.feature::<Requests>().toggle_run(run),
        None => {}
    }
}

/// Whether Esc undoes anything, as listed at [`step_back`]; otherwise it only names the key that quits.
fn goes_back(state: &State) -> bool {
    let requests = Requests::read(state);
    let is_narrowed = !requests.search.is_empty() || requests.filter() != Filter::All;
    is_narrowed || !requests.flights().is_empty() || !state.notices.is_empty()
}

/// Undoes one thing on Esc in the list of requests: cancels the resent requests, or else clears the notices,
/// the search or the filter. Without any of these, names the key that quits.
fn step_back(cx: &mut Cx<'_>) {
    let cancelled = cx.feature::<Requests>().cancel();
    if !cancelled.is_empty() {
        cx.abort(cancelled);
        cx.toast("Request cancelled");
    } else if !cx.state().notices.is_empty() {
        cx.dismiss_notices();
    } else if !Requests::read(cx.state()).search.is_empty() {
        clear_search(cx);
    } else if Requests::read(cx.state()).filter() != Filter::All {
        show(Filter::All, cx);
    } else {
        let key = cx.state().keymap.key_of(Action::Quit);
        cx.toast(format!("Press {key} to quit"));
    }
}

impl View for RequestsPane {
    fn contexts(&self) -> &'static [Context] {
        if self.is_typing {
            return &[Context::Query, Context::Always];
        }
        &[Context::Table, Context::Global, Context::Always]
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Query => Some("search"),
            Action::Open => Some("open"),
            Action::Refresh => Some("resend"),
            Action::Filter => Some("edit and send"),
            Action::Submit => Some("keep"),
            Action::Back if self.is_typing => Some("clear search"),
            Action::Older | Action::Newer => Some("select"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        let requests = &Requests::read(state);
        let refused = match action {
            Action::Open | Action::Copy | Action::Export if requests.rows().is_empty() => {
                resendable(state).err().map(|error| error.to_string())
            }
            Action::Refresh => resendable(state).err().map(|error| error.to_string()),
            Action::Filter => editable(state).err().map(|error| error.to_string()),
            Action::Complete if self.is_typing => return Availability::Hidden,
            Action::Back if !self.is_typing && !goes_back(state) => return Availability::Hidden,
            action => unavailable(action),
        };
        refused.map_or(Availability::Available, Availability::Disabled)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.is_typing {
            return self.on_search(action, cx);
        }
        if let Some(by) = cx.motion(action) {
            cx.feature::<Requests>().step(by);
            return Outcome::Handled;
        }
        match action {
            Action::Left => step_filter(-1, cx),
            Action::Right => step_filter(1, cx),
            Action::Query => self.is_typing = true,
            Action::Open => open(cx),
            Action::Refresh => resend(cx),
            Action::Filter => BodyEditor::open(cx),
            Action::Back => step_back(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget<'a>(&'a mut self, cx: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        let search: &mut dyn InputWidget = &mut cx.feature::<Requests>().search;
        self.is_typing.then_some(search)
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        narrow(cx);
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        match region {
            FILTERS => {
                if let Some(filter) = Filter::ALL.get(line) {
                    show(*filter, cx);
                }
            }
            SEARCH => self.is_typing = true,
            Region::PREVIEW => open(cx),
            _ if Requests::read(cx.state()).cursor() == line => open(cx),
            _ => cx.feature::<Requests>().select(line),
        }
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        // Their elapsed seconds are shown.
        (!Requests::read(state).flights().is_empty())
            .then(|| state.animation(now, 0.25))
            .flatten()
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::pane(self, area, scene);
    }
}
