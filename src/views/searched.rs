//! `/` in views that are a list of lines: it finds, `n` and `N` step through the matches.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::app::State;
use crate::app::keymap::{Action, Context};
use crate::app::view::{Cx, Scene};
use crate::widgets::find::{Find, FindEvent, FindLine};

/// A view whose lines can be searched.
pub(super) trait Searched {
    fn find(&mut self) -> &mut Find;

    /// The lines as texts, in the order in which they are shown.
    fn texts(&self, state: &State) -> Vec<String>;

    /// The line from which on matches are looked for.
    fn line(&self, state: &State) -> usize;

    /// Shows a line and makes it the selected one, where one is.
    fn go_to_line(&mut self, line: usize, state: &mut State);
}

/// The contexts of a view of lines under a chart's keys, without and with a search.
pub(super) const CHART: [&[Context]; 2] = [
    &[
        Context::Chart,
        Context::Report,
        Context::Global,
        Context::Always,
    ],
    &[
        Context::Report,
        Context::Chart,
        Context::Global,
        Context::Always,
    ],
];

/// Where keys are looked up: while a search is typed, letters are text; while there is one, its
/// keys come before the view's.
pub(super) fn contexts(find: &Find, [idle, active]: [&'static [Context]; 2]) -> &'static [Context] {
    match (find.is_typing(), find.is_active()) {
        (true, _) => &[Context::Query, Context::Always],
        (false, true) => active,
        (false, false) => idle,
    }
}

/// Gives an action to the search; false if it means nothing to it.
pub(super) fn act(view: &mut impl Searched, action: Action, cx: &mut Cx<'_>) -> bool {
    match view.find().update(action) {
        FindEvent::Ignored => return false,
        FindEvent::Handled => {}
        FindEvent::Moved => show_match(view, cx),
    }
    true
}

/// Finds the matches again, from the selected line on.
pub(super) fn search(view: &mut impl Searched, cx: &mut Cx<'_>) {
    let texts = view.texts(cx.state);
    let line = view.line(cx.state);
    view.find().search(line, texts.into_iter());
    show_match(view, cx);
}

fn show_match(view: &mut impl Searched, cx: &mut Cx<'_>) {
    if let Some(line) = view.find().current() {
        view.go_to_line(line, cx.state);
    }
}

/// Draws the line of a search at the bottom, if there is one; gives the rest.
pub(super) fn draw_line(find: &Find, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let height = u16::from(find.is_active());
    let [rest, line] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(height)]).areas(area);
    if height > 0 {
        let widget = FindLine::new(find, scene.theme);
        let mut cursor = None;
        scene
            .frame
            .render_stateful_widget(widget, line, &mut cursor);
        scene.cursor = cursor.or(scene.cursor);
    }
    rest
}
