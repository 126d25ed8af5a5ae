//! The last two lines: how the data stands, and the keys that matter here.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::markets;
use super::paint::{self, piece};
use crate::app::Model;
use crate::app::browser::Browser;
use crate::app::facts::{Facts, Target};
use crate::app::keymap::{Action, BINDINGS};
use crate::app::remote::{Now, Phase};
use crate::domain::journal::Deed;
use crate::widgets::theme::Theme;

/// Frames of the spinner, four a second.
const SPINNER: [&str; 4] = ["|", "/", "-", "\\"];

/// Draws the status line: rows, age, the request in flight; a notice takes the right side.
pub fn status(buffer: &mut Buffer, line: Rect, model: &Model, now: Now, theme: &Theme) {
    let notice = model.toast.as_ref();
    let taken = notice
        .map_or(0, |toast| paint::cells(&toast.text) + 1)
        .min(line.width);
    // One cell on the left, two between the rows and the notice.
    let room = line.width.saturating_sub(taken + 3);
    let going_on = crate::app::routes::headline(&model.state, now);
    let stop = model.keymap.way_to("back");
    if let Some(browser) = model.browser() {
        let order = browser.order_request();
        let mut parts = match &order {
            // The counts are about to change.
            Some(text) => vec![piece(format!("{text} ({stop} cancels)"), theme.accent)],
            None => vec![piece(rows(browser), theme.text)],
        };
        if let Some(then) = browser.remote().shown_at() {
            let is_stale = browser.remote().error().is_some();
            let style = if is_stale { theme.warning } else { theme.dim };
            parts.push(piece(format!(" · {} old", super::age(now, then)), style));
        }
        if let Some(text) = watching(browser, now) {
            parts.push(piece(format!(" · {text}"), theme.accent));
        }
        for (deed, write) in model.mutations.all_in_flight() {
            let seconds = (now.mono - write.since.mono).max(0.0);
            let text = format!(" · {} {} … {seconds:.0}s", under_way(deed), write.subject);
            parts.push(piece(text, theme.warning));
        }
        if browser.figures.three.is_loading() {
            let text = format!(" · asking for 3 prices ({stop} stops)");
            parts.push(piece(text, theme.accent));
        }
        let is_told = order.is_some() && !is_delayed(browser);
        if let Some(flight) = flight(browser, now, &stop).filter(|_| !is_told) {
            parts.push(piece(format!(" · {flight}"), theme.accent));
        }
        if let Some(text) = going_on {
            parts.push(piece(format!(" · {text}"), theme.accent));
        }
        let end = paint::pieces(buffer, line.x + 1, line.y, room, &parts);
        let free = line.right().saturating_sub(end + 4);
        if let Some(text) = markets::invitation(model, free).filter(|_| notice.is_none()) {
            paint::right(buffer, end + 3, line.y, free, &text, theme.accent);
        }
    }
    toast(buffer, line, model, theme);
}

/// Draws the short notice at the right of a line.
pub fn toast(buffer: &mut Buffer, line: Rect, model: &Model, theme: &Theme) {
    if let Some(toast) = &model.toast {
        let taken = (paint::cells(&toast.text) + 1).min(line.width);
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
    if browser.is_sorted_among_loaded() {
        let _ = write!(text, ", sorted among the {here} loaded only"); // a String takes everything
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
        let best = match browser.figures.job {
            Some(_) => "best for the job",
            None => "best per GPU",
        };
        let _ = write!(text, ", {many} {sign} {best}"); // a String takes everything
    }
    let unfit = browser.figures.unfit();
    if unfit > 0 {
        let sign = super::records::UNFIT;
        let _ = write!(text, ", {unfit} {sign} too small or too short"); // a String takes everything
    }
    if !browser.marks.is_empty() {
        let _ = write!(text, ", {} marked", browser.marks.len()); // a String takes everything
    }
    text
}

/// What watching has found, and when it asks again.
fn watching(browser: &Browser, now: Now) -> Option<String> {
    let watch = browser.watching()?;
    let stop = browser
        .remote()
        .error()
        .filter(|error| error.stops_timers(now.epoch));
    if let Some(error) = stop {
        return Some(format!("watching is on hold: {}", error.headline()));
    }
    let next = watch.next_in(now);
    let Some(since) = watch.since() else {
        return Some(format!("watching, asks in {next:.0}s"));
    };
    let changes = watch.changes();
    let (cheaper, dearer) = changes.moves();
    // Where the limit cut an answer, what is missing may only have been pushed out of it.
    let gone = if changes.is_cut { "out" } else { "gone" };
    let new = changes.new_rows();
    let since = super::age(now, since);
    let lost = changes.gone;
    Some(format!(
        "in {since}: {new} new, {lost} {gone}, {cheaper} cheaper, {dearer} dearer, asks in {next:.0}s"
    ))
}

/// What a write is doing.
const fn under_way(deed: Deed) -> &'static str {
    match deed {
        Deed::UnlistVolume => "unlisting",
        Deed::CreateWorkergroup => "creating a workergroup for",
    }
}

/// Whether the request in flight waits its turn or is tried again.
const fn is_delayed(browser: &Browser) -> bool {
    matches!(
        browser.remote().phase(),
        Phase::Loading { attempt: 2.., .. }
            | Phase::Loading {
                waiting: Some(_),
                ..
            }
    )
}

/// The request in flight, in words.
fn flight(browser: &Browser, now: Now, stop: &str) -> Option<String> {
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
            "{frame} {}, going in {:.0}s (try {attempt}, {stop} stops)",
            waiting.why,
            (waiting.until - now.mono).max(0.0).ceil()
        ),
        None if *attempt > 1 => {
            format!("{frame} asking, {elapsed:.0}s (try {attempt}, {stop} stops)")
        }
        None => format!("{frame} asking, {elapsed:.0}s ({stop} stops)"),
    })
}

/// A key and what it does.
struct Hint<'a> {
    key: String,
    word: &'a str,
    rank: u8,
    action: Action,
}

impl Hint<'_> {
    fn width(&self) -> u16 {
        paint::cells(&self.key) + 1 + paint::cells(self.word)
    }
}

/// Draws the keys that matter here, the most important first, as many as fit whole; what cannot be
/// done now takes no room. The way to the help stays longest.
pub fn hints(buffer: &mut Buffer, line: Rect, model: &Model, theme: &Theme, facts: &mut Facts) {
    let mut x = line.x + 1;
    for hint in fitting(all_hints(model), line.width.saturating_sub(1)) {
        let place = Rect::new(x, line.y, hint.width(), 1);
        let target = Target::Hint(hint.action);
        facts.targets.push((paint::area(place), target));
        let parts = [
            piece(hint.key, theme.key),
            piece(" ", theme.text),
            piece(hint.word, theme.text),
        ];
        x = paint::pieces(buffer, x, line.y, line.right() - x, &parts) + GAP;
    }
}

/// Cells between two hints.
const GAP: u16 = 2;

fn all_hints(model: &Model) -> Vec<Hint<'static>> {
    let contexts = model.contexts();
    let mut hints: Vec<_> = BINDINGS
        .iter()
        .filter(|row| contexts.contains(&row.context) && model.has_use_for(row.action))
        .filter(|row| row.hint.is_some() && model.disabled(row.action).is_none())
        // A key that the owner takes for itself means nothing else here.
        .filter(|row| model.keymap.owner_of(contexts, row) == Some(row.context))
        .filter_map(|row| {
            row.hint.map(|(word, rank)| Hint {
                key: model.keymap.shown_key(row),
                word: model.hint(row.action).unwrap_or(word),
                rank: if is_at_hand(model, row.action) {
                    1
                } else {
                    rank
                },
                action: row.action,
            })
        })
        .collect();
    hints.sort_by_key(|hint| hint.rank);
    // The same under two keys is said once.
    let mut seen = Vec::new();
    hints.retain(|hint| {
        let is_new = !seen.contains(&(hint.action, hint.word));
        seen.push((hint.action, hint.word));
        is_new
    });
    hints
}

/// Whether an action is what one probably wants next.
fn is_at_hand(model: &Model, action: Action) -> bool {
    let Some(browser) = model.browser() else {
        return false;
    };
    match action {
        Action::Compare => browser.marks.len() > 1,
        Action::Funnel => browser.listing().is_some() && browser.view().is_empty(),
        _ => false,
    }
}

/// The hints that fit into `width` cells, in their order.
fn fitting(hints: Vec<Hint<'_>>, width: u16) -> Vec<Hint<'_>> {
    let is_help = |hint: &Hint<'_>| hint.action == Action::Help;
    let mut room = width;
    let help = hints.iter().find(|hint| is_help(hint));
    if let Some(help) = help {
        room = room.saturating_sub(help.width() + GAP);
    }
    let mut is_full = false;
    hints
        .into_iter()
        .filter(|hint| {
            if is_help(hint) {
                return hint.width() <= width;
            }
            is_full |= hint.width() > room;
            if !is_full {
                room = room.saturating_sub(hint.width() + GAP);
            }
            !is_full
        })
        .collect()
}
