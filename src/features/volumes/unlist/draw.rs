//! Draws the unlist dialog: the question, then the outcome.

use ratatui::layout::Rect;

use super::{Id, Page, Unlist};
use crate::core::mutations::{Stage, preview};
use crate::core::sandbox::UserListing;
use crate::core::view::Scene;
use crate::core::views::write_dialog::{Rows, outcome_tone};
use crate::domain::journal::{Verdict, WriteKind};
use crate::keys::Action;
use crate::tui::panel::Tone;

/// Maximum width of the dialog, in cells.
const WIDEST: u16 = 80;

/// Maximum number of history lines.
const HISTORY: usize = 8;

/// Draws the page of the dialog that unlists a volume, id, question or outcome, with the latest unlistings
/// below.
pub(super) fn dialog(view: &Unlist, area: Rect, scene: &mut Scene<'_, '_>) {
    let mut rows = Rows::new(area, WIDEST);
    match view.page {
        Page::Id | Page::Confirm => form(view, &mut rows, scene),
        Page::Outcome => unlisting_outcome(&mut rows, scene),
    }
    rows.history("History (UTC)", WriteKind::UnlistVolume, HISTORY, scene);
    let tone = match view.page {
        Page::Id | Page::Confirm => Tone::Danger,
        Page::Outcome => outcome_tone(WriteKind::UnlistVolume, scene),
    };
    let form = rows.draw("Unlist a volume", tone, area, scene);
    match view.page {
        Page::Id => scene.form(&view.id, form),
        Page::Confirm => scene.form(view.question.form(), form),
        Page::Outcome => {}
    }
}

/// Adds the lines for the id of the volume listing, or for the question about it with its warnings and the
/// request, and the next step.
fn form(view: &Unlist, rows: &mut Rows, scene: &Scene<'_, '_>) {
    let theme = scene.theme;
    if view.page == Page::Id {
        rows.form(&view.id, scene);
        rows.text(4, &note(scene), theme.dim);
        let ids = view.completions(scene.state);
        // In a sandbox the note lists the ids already.
        if !ids.is_empty() && scene.state.sandbox.listings.is_empty() {
            let key = scene.key(Action::Complete);
            rows.text(3, &format!("{key}: {}", ids.join(", ")), theme.accent);
        }
        rows.gap();
    } else {
        let id = view.id.text(Id);
        let what = view
            .listed(scene.state)
            .map_or_else(String::new, |what| format!(" ({what})"));
        rows.text(
            2,
            &format!("Volume listing {id}{what} is taken off the market."),
            theme.text,
        );
        let is_rented = |listing: &UserListing| listing.rented && listing.id.to_string() == id;
        if scene.state.sandbox.listings.iter().any(is_rented) {
            rows.text(1, "Somebody rents it: the market will refuse.", theme.warning);
        }
        if view.is_offer(scene.state) {
            let text = format!("{id} is an offer id in the table: continue only if your listing has it too.");
            rows.text(1, &text, theme.warning);
        }
        if let Some(request) = view.request() {
            rows.gap();
            rows.request("Sends once:", &preview(&request, &scene.state.profile), scene);
        }
        rows.form(view.question.form(), scene);
    }
    let (text, style) = next_step(view, scene);
    rows.text(2, &text, style);
}

/// An explanation of the volume listing's id, which is easily confused with an offer id; in a sandbox with
/// listings of the user, with their ids.
fn note(scene: &Scene<'_, '_>) -> String {
    let ids = scene.state.sandbox.describe_listing_ids();
    if ids.is_empty() {
        return "The id you got when you listed the volume. An offer id in the table is not a listing \
                id, and the market has no list of your listings to look it up."
            .to_owned();
    }
    format!("Your listings in this sandbox: {ids}. On a real market an offer id is not a listing id.")
}

/// The wait until the rate limit allows the unlisting of the volume, or the effect of Enter, with its style.
fn next_step(view: &Unlist, scene: &Scene<'_, '_>) -> (String, ratatui::style::Style) {
    let theme = scene.theme;
    let enter = scene.key(Action::Submit);
    let wait = scene.state.mutations.ready_in(WriteKind::UnlistVolume, scene.now);
    let seconds = wait.ceil();
    match (view.page, wait > 0.0) {
        (Page::Id, false) => ("Nothing is sent yet.".to_owned(), theme.dim),
        (Page::Id, true) => (
            format!("Rate limit: next unlist in {seconds:.0} s. Keep typing."),
            theme.warning,
        ),
        (_, true) => (
            format!(
                "Rate limited: can be sent in {seconds:.0} s. Nothing is sent by itself: press \
                 {enter} then."
            ),
            theme.warning,
        ),
        (_, false) if view.is_early => (format!("Ready: press {enter} to send."), theme.warning),
        (_, false) if view.question.is_typed() => (format!("{enter} unlists it. This can't be undone."), theme.dim),
        (_, false) => ("This can't be undone.".to_owned(), theme.dim),
    }
}

/// Adds the lines for the outcome of a volume's unlisting: its progress while in flight; once completed, the
/// result with advice and the wait before the next one; "Nothing in flight." if none was sent.
fn unlisting_outcome(rows: &mut Rows, scene: &Scene<'_, '_>) {
    let theme = scene.theme;
    match scene.state.mutations.stage(WriteKind::UnlistVolume) {
        Stage::InFlight(sent) => rows.in_flight("Unlisting volume listing", sent, scene),
        Stage::Completed(write) => {
            rows.completed(write, scene);
            let advice = match write.verdict {
                Verdict::Done => "Refreshing the list.",
                Verdict::Refused => "Nothing changed on the market.",
                Verdict::Unknown => "It is not sent again. Check the listing in the market's console before you retry.",
            };
            rows.text(3, advice, theme.dim);
            let wait = scene.state.mutations.ready_in(WriteKind::UnlistVolume, scene.now);
            if wait > 0.0 {
                let text = format!("Rate limit: next unlist in {:.0} s.", wait.ceil());
                rows.text(4, &text, theme.dim);
            }
        }
        Stage::Idle | Stage::Confirming(_) => rows.text(0, "Nothing in flight.", theme.dim),
    }
}
