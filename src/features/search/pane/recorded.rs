//! The notes on recorded rows, which are shown until the reply arrives.

use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::Paragraph;

use crate::core::view::Scene;
use crate::domain::Listing;
use crate::domain::format::{counted, grouped};
use crate::domain::time::Now;
use crate::table::browser::Browser;
use crate::tui::panel::Panel;
use crate::tui::text::{capitalized, wrap};

/// The age of recorded rows, and whether a request is in flight: `recorded 3 h ago, asking…`. `None` if the
/// rows are of a response.
pub(super) fn age(browser: &Browser, now: Now) -> Option<String> {
    let age = browser.recorded_age(now)?;
    let asking = if browser.remote().is_loading() {
        ", asking…"
    } else {
        ""
    };
    Some(format!("{age}{asking}"))
}

/// The number of recorded rows and their age, for the title of the table; `None` if the rows are of a
/// response.
pub(super) fn note(browser: &Browser, now: Now) -> Option<String> {
    let age = age(browser, now)?;
    let rows = browser.displayed();
    let all = rows.listing().map_or(0, Listing::len);
    let resource = browser.resource();
    let counted = counted(all, resource.noun(), resource.nouns());
    let shown = rows.view().len();
    Some(if shown < all {
        format!("{} of {counted}, {age}", grouped(shown))
    } else {
        format!("{counted}, {age}")
    })
}

/// Draws the reason why recorded rows have no preview, in its place.
pub(super) fn preview(browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    let inner = scene.panel(Panel::new(""), area);
    let why = scene.state.awaits_reply(browser).unwrap_or_default();
    let dim = scene.theme.dim;
    let lines = wrap(&capitalized(&why), inner.width).into_iter();
    let text: Text<'_> = lines.map(|line| Line::styled(line, dim)).collect();
    scene.render(Paragraph::new(text), inner);
}
