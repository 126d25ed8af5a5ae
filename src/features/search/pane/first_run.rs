//! The card that a new user sees instead of the preview, until a key press or a search.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Paragraph;

use super::BrowserPane;
use crate::core::State;
use crate::core::view::{Cx, Scene};
use crate::domain::Resource;
use crate::keys::Action;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::wrap;

const KEYS: [(Action, &str); 6] = [
    (Action::Query, "search: 4090 eu 200gb 3d"),
    (Action::Open, "open the selected offer"),
    (Action::Job, "price offers for your job"),
    (Action::Summary, "see the market by GPU model"),
    (Action::Palette, "find any command by name"),
    (Action::Help, "list all keys"),
];

/// Whether to show the welcome card: among the offers of a first run in the sandbox, until the user has
/// closed it, searched, or opened the list of markets.
pub(super) fn is_due(resource: Resource, state: &State) -> bool {
    resource == Resource::Offers && !state.markets.is_welcomed && state.markets.invites && state.profile.is_sandbox
}

/// Closes the welcome card permanently on a search (`is_search`), or on a key or click while the screen has
/// room for it and the preview is not folded; nothing if it is not due.
///
/// On a small screen it stays due until a search, and appears once the screen is larger.
pub(super) fn close(view: &BrowserPane, is_search: bool, cx: &mut Cx<'_>) {
    let state = cx.state();
    let (columns, rows) = state.screen.size;
    let has_room = Size::new(columns, rows) != Size::Compact && !state.screen.split.is_folded();
    if (has_room || is_search) && is_due(view.resource, state) {
        cx.markets().is_welcomed = true;
    }
}

/// Draws the welcome card with the most useful keys.
pub(super) fn draw(area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let markets = scene.key(Action::Markets);
    let inner = scene.framed(Panel::new("Welcome to bourse"), area);
    let mut text = Text::default();
    let mut paragraph = |words: &str| {
        for line in wrap(words, inner.width) {
            text.push_line(Line::styled(line, theme.text));
        }
        text.push_line(Line::default());
    };
    paragraph(
        "Compare GPU offers by what your job would cost, manage serverless workergroups and test \
         their routing.",
    );
    paragraph(
        "This is the sandbox: a simulated market on your machine. Nothing costs money, and \
         no request leaves your machine.",
    );
    for (action, what) in KEYS {
        let key = scene.key(action);
        text.push_line(Line::from(vec![
            Span::styled(format!("{key:>7}  "), theme.key),
            Span::styled(what, theme.text),
        ]));
    }
    text.push_line(Line::default());
    text.push_line(Line::from(vec![
        Span::styled(format!("{markets:>7}  "), theme.key),
        Span::styled("connect to a real market", theme.accent),
    ]));
    text.push_line(Line::default());
    text.push_line(Line::styled("Any key replaces this card.", theme.dim));
    scene.render(Paragraph::new(text), inner);
}
