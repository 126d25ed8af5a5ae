//! The last two lines: how the data stands, and the keys that matter here.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{self, piece};
use super::theme::Theme;
use crate::app::Model;
use crate::app::browser::Browser;
use crate::app::keymap::{BINDINGS, Binding};
use crate::app::overlay::Overlay;
use crate::app::remote::{Now, Phase};
use crate::domain::journal::Deed;

/// Frames of the spinner, four a second.
const SPINNER: [&str; 4] = ["|", "/", "-", "\\"];

/// Draws the status line: rows, age, the request in flight; a notice takes the right side.
pub fn status(buffer: &mut Buffer, line: Rect, model: &Model, now: Now, theme: &Theme) {
    let notice = model.toast.as_ref();
    let taken = notice
        .map_or(0, |toast| paint::cells(&toast.text) + 2)
        .min(line.width);
    let room = line.width.saturating_sub(taken + 1);
    let is_lab = matches!(model.overlays.first(), Some(Overlay::Route(_)));
    let going_on = super::route_lab::going_on(&model.route_lab, &model.keymap, now);
    if let Some(browser) = model.browser().filter(|_| !is_lab) {
        let mut parts = vec![piece(rows(browser), theme.text)];
        if let Some(then) = browser.remote().shown_at() {
            let is_stale = browser.remote().error().is_some();
            let style = if is_stale { theme.warning } else { theme.dim };
            parts.push(piece(format!(" · {} old", super::age(now, then)), style));
        }
        for (deed, write) in model.writes.flights() {
            let seconds = (now.mono - write.since.mono).max(0.0);
            let text = format!(" · {} {} … {seconds:.0}s", under_way(deed), write.subject);
            parts.push(piece(text, theme.warning));
        }
        if browser.figures.three.is_loading() {
            parts.push(piece(" · asking for 3 prices (Esc stops)", theme.accent));
        }
        if let Some(flight) = flight(browser, now) {
            parts.push(piece(format!(" · {flight}"), theme.accent));
        }
        if let Some(text) = going_on {
            parts.push(piece(format!(" · {text}"), theme.accent));
        }
        paint::pieces(buffer, line.x + 1, line.y, room, &parts);
    }
    if let Some(toast) = notice {
        let style = if toast.is_error {
            theme.error
        } else {
            theme.good
        };
        let x = line.right().saturating_sub(taken);
        paint::text(buffer, x, line.y, taken, &toast.text, style);
    }
}

/// How many rows there are, in sight and in all.
fn rows(browser: &Browser) -> String {
    let Some(listing) = browser.listing() else {
        return "no rows".to_owned();
    };
    let (seen, here) = (browser.view().len(), listing.len());
    let mut text = if seen == here {
        format!("{here} {}", if here == 1 { "row" } else { "rows" })
    } else {
        format!("{seen} of {here} rows")
    };
    if browser.is_cut() {
        text.push_str(" loaded, more exist");
    }
    if seen > 0 {
        text = format!("{}/{text}", browser.cursor() + 1);
    }
    if !listing.skipped().is_empty() {
        let _ = write!(text, ", {} skipped", listing.skipped().len()); // a String takes everything
    }
    if listing.duplicates() > 0 {
        let _ = write!(text, ", {} repeated", listing.duplicates()); // a String takes everything
    }
    if let Some(front) = browser.figures.front()
        && !front.members().is_empty()
    {
        let (sign, many) = (super::records::FRONT, front.members().len());
        let _ = write!(text, ", {many} {sign} best value"); // a String takes everything
    }
    if !browser.marks.is_empty() {
        let _ = write!(text, ", {} marked", browser.marks.len()); // a String takes everything
    }
    text
}

/// What a write is doing.
const fn under_way(deed: Deed) -> &'static str {
    match deed {
        Deed::UnlistVolume => "unlisting",
        Deed::CreateWorkergroup => "creating a workergroup for",
    }
}

/// The request in flight, in words.
fn flight(browser: &Browser, now: Now) -> Option<String> {
    let Phase::Loading {
        since,
        attempt,
        waiting,
        ..
    } = browser.remote().phase()
    else {
        return None;
    };
    let elapsed = (now.mono - since).max(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small and positive
    let frame = SPINNER[(elapsed * 4.0) as usize % SPINNER.len()];
    Some(match waiting {
        Some(waiting) => format!(
            "{frame} {}, going in {:.0}s (try {attempt}, Esc stops)",
            waiting.why,
            (waiting.until - now.mono).max(0.0).ceil()
        ),
        None if *attempt > 1 => format!("{frame} asking, {elapsed:.0}s (try {attempt}, Esc stops)"),
        None => format!("{frame} asking, {elapsed:.0}s (Esc stops)"),
    })
}

/// Draws the keys that matter here, the most important first, as many as fit.
pub fn hints(buffer: &mut Buffer, line: Rect, model: &Model, theme: &Theme) {
    let contexts = model.contexts();
    let mut rows: Vec<(&Binding, &str, u8)> = BINDINGS
        .iter()
        .filter(|row| contexts.contains(&row.context) && model.has_use_for(row.action))
        // A key that the owner takes for itself means nothing else here.
        .filter(|row| model.keymap.owner_of(contexts, row) == Some(row.context))
        .filter_map(|row| row.hint.map(|(word, rank)| (row, word, rank)))
        .collect();
    rows.sort_by_key(|(.., rank)| *rank);
    let mut x = line.x + 1;
    for (row, word, _) in rows {
        let key = model.keymap.shown_key(row);
        let width = paint::cells(&key) + 1 + paint::cells(word);
        if x + width > line.right() {
            break;
        }
        let style = if model.disabled(row.action).is_some() {
            theme.dim
        } else {
            theme.text
        };
        let parts = [piece(key, theme.key), piece(" ", style), piece(word, style)];
        x = paint::pieces(buffer, x, line.y, line.right() - x, &parts) + 2;
    }
}
