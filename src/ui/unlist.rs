//! The dialog in which a volume is unlisted.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::write::{self, Row};
use crate::app::Model;
use crate::app::remote::Now;
use crate::app::unlist::{Page, UnlistDialog};
use crate::app::write::{Stage, consent};
use crate::domain::Resource;
use crate::domain::journal::{Deed, Verdict};
use crate::ui::picker::frame;
use crate::widgets::theme::Theme;

/// What is unlisted, for all who confuse the two kinds of id.
const NOTE: &str = "The id of a listing of yours: hosts got it when they listed the volume. The numbers in \
this table are offers: an offer id is not a listing id. This market shows no list of listings, so bourse \
cannot look it up.";

/// The note, in the sandbox with the listings to try it on.
fn note(model: &Model) -> String {
    let ids = model.sandbox.ids();
    if ids.is_empty() {
        return NOTE.to_owned();
    }
    format!(
        "The id of a listing of yours. Your listings in this sandbox: {ids}. In a real market an offer id \
         is not a listing id."
    )
}

/// The widest that the dialog gets, in cells.
const WIDEST: u16 = 84;

/// Lines of history that are shown at most.
const HISTORY: usize = 8;

/// Draws the dialog; gives the cursor's place.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    dialog: &UnlistDialog,
    now: Now,
    theme: &Theme,
) -> Option<Position> {
    let width = area.width.saturating_sub(2).min(WIDEST);
    let text_width = width.saturating_sub(4);
    let mut rows = match dialog.page {
        Page::Id | Page::Again => form(model, dialog, now, text_width, theme),
        Page::Outcome => outcome(model, now, text_width, theme),
    };
    rows.extend(write::history(
        "Unlistings in this profile (UTC)",
        &model.writes,
        Deed::UnlistVolume,
        HISTORY,
        text_width,
        theme,
    ));
    let height = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    // The footer with the keys stays in sight.
    let place = Rect {
        height: area.height.saturating_sub(1),
        ..area
    };
    let title = "Unlist a volume";
    let inner = frame(buffer, place, (width, height), title, theme);
    let inner = Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        ..inner
    };
    write::draw(buffer, inner, rows)
}

fn form(model: &Model, dialog: &UnlistDialog, now: Now, width: u16, theme: &Theme) -> Vec<Row> {
    let is_first = dialog.page == Page::Id;
    let mut rows = vec![Row::input(
        "Listing id",
        &dialog.id.input,
        is_first,
        width,
        theme,
    )];
    if is_first {
        rows.extend(write::wrapped(4, &note(model), width, theme.dim));
    } else {
        rows.push(Row::input(
            "Once more",
            &dialog.again.input,
            true,
            width,
            theme,
        ));
        // In the sandbox they are the same.
        if !model.profile.is_sandbox && dialog.is_offer(model.browsers[Resource::Volumes].listing())
        {
            let warning = format!(
                "{} is the number of an offer in the table: go on only if your listing has it too.",
                dialog.id.text()
            );
            rows.extend(write::wrapped(1, &warning, width, theme.warning));
        }
        if let Some(request) = dialog.request() {
            rows.push(Row::new(7, "", theme.dim));
            let shown = consent(&request, &model.profile);
            rows.extend(write::consent(&shown, width, theme));
        }
    }
    rows.push(Row::new(7, "", theme.dim));
    if let Some(complaint) = &dialog.complaint {
        rows.extend(write::wrapped(0, complaint, width, theme.error));
    }
    rows.extend(when(model, dialog, now, width, theme));
    rows
}

/// When it may be sent, and what Enter does.
fn when(model: &Model, dialog: &UnlistDialog, now: Now, width: u16, theme: &Theme) -> Vec<Row> {
    let wait = model.writes.ready_in(Deed::UnlistVolume, now);
    let enter = model.keymap.way_to("confirm");
    let back = model.keymap.way_to("step-back");
    let (text, style) = match (dialog.page, wait > 0.0) {
        (Page::Id, false) => (format!("{enter} goes on; nothing is sent yet."), theme.dim),
        (_, false) if dialog.early => {
            (format!("It may be sent now: press {enter}."), theme.warning)
        }
        (_, false) => (
            format!("Type the id again; {enter} then sends it, once. {back} goes back."),
            theme.dim,
        ),
        (page, true) => {
            let seconds = wait.ceil();
            let advice = if page == Page::Id {
                "Go on typing.".to_owned()
            } else {
                format!("Nothing is sent by itself: press {enter} then.")
            };
            (
                format!(
                    "The market wants a pause between unlistings: may be sent in {seconds:.0} s. {advice}"
                ),
                theme.warning,
            )
        }
    };
    write::wrapped(2, &text, width, style)
}

fn outcome(model: &Model, now: Now, width: u16, theme: &Theme) -> Vec<Row> {
    match model.writes.stage(Deed::UnlistVolume) {
        Stage::Sent(flight) => {
            write::under_way("Unlisting volume listing", flight, now, width, theme)
        }
        Stage::Over(settled) => {
            let mut rows = write::over(Deed::UnlistVolume, settled, width, theme);
            let wait = model.writes.ready_in(Deed::UnlistVolume, now);
            let advice = match settled.verdict {
                Verdict::Done => format!(
                    "The table is as it was fetched: {}, then {} fetches it anew.",
                    model.keymap.way_to("close-outcome"),
                    model.keymap.way_to("refresh")
                ),
                Verdict::Refused => "Nothing has changed at the market.".to_owned(),
                Verdict::Unknown => {
                    "It may or may not have been carried out. bourse does not send it again by \
                     itself: look at the listing at the market before you do."
                        .to_owned()
                }
            };
            rows.extend(write::wrapped(3, &advice, width, theme.dim));
            if wait > 0.0 {
                let text = format!("The next one may be sent in {:.0} s.", wait.ceil());
                rows.extend(write::wrapped(4, &text, width, theme.dim));
            }
            rows
        }
        Stage::Idle | Stage::Confirming(_) => {
            vec![Row::new(0, "Nothing is under way.", theme.dim)]
        }
    }
}
