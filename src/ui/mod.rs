//! What is shown. [`draw`] reads the model and writes a frame; what it measured comes back as a
//! value. Nothing here changes the model.
//!
//! ```text
//!  bourse  1 Offers  2 Volumes  3 Workergroups  4 Requests          SANDBOX      header
//!  / verified=true rentable=true rented=false gpu_name=RTX_4090                  query bar
//!  on-demand, hourly prices with 8GB disk, sorted by score down, at most 500            settings
//!  ! the key was refused (401): ...                                              banners
//!    ID  $/h  N  GPU ...                                                         pane
//!  > ...
//!  500 rows, 12s old                                                             status
//!  / query  Enter detail  s sort ...                                             footer
//! ```

mod banner;
mod bar;
mod filter_editor;
mod filter_form;
mod footer;
mod header;
mod insights;
mod markets;
mod paint;
mod picker;
mod prompt;
pub mod records;
mod search_settings;
mod searches;
mod volume;
mod write;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::api::ApiError;
use crate::app::Model;
use crate::app::browser::Browser;
use crate::app::facts::Facts;
use crate::app::markets::explain;
use crate::app::overlay::Overlay;
use crate::app::remote::{Now, Phase};
use crate::app::view::{Placement, Scene};
use crate::domain::{Resource, format, language};
use crate::widgets::ascii;
use crate::widgets::panel::Size;
use crate::widgets::theme::Theme;

/// The smallest useful screen.
pub const SMALLEST: (u16, u16) = (40, 10);

/// Draws a frame; gives what it measured.
pub fn draw(frame: &mut Frame<'_>, model: &Model, now: Now, theme: &Theme) -> Facts {
    let area = frame.area();
    let mut facts = Facts {
        top: model.facts.top,
        overlay_top: model.facts.overlay_top,
        ..Facts::default()
    };
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let note = format!("bourse needs {}x{} cells", SMALLEST.0, SMALLEST.1);
        frame
            .buffer_mut()
            .set_string(area.x, area.y, note, theme.text);
        ascii::finish(frame.buffer_mut(), theme);
        return facts;
    }
    let cursor = screen(frame, area, model, now, theme, &mut facts);
    ascii::finish(frame.buffer_mut(), theme);
    if let Some(position) = cursor {
        frame.set_cursor_position(position);
    }
    facts
}

fn screen(
    frame: &mut Frame<'_>,
    area: Rect,
    model: &Model,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let buffer = frame.buffer_mut();
    let line = |y: u16| Rect::new(area.x, y, area.width, 1);
    header::draw(buffer, line(area.y), model, theme, facts);
    let mut top = area.y + 1;
    let mut cursor = None;
    if let Some(browser) = model.browser() {
        cursor = bar::draw(buffer, line(top), browser, &model.keymap, theme, facts);
        bar::settings(buffer, line(top + 1), browser, &model.keymap, theme);
        top += 2;
        top += banner::draw(
            buffer,
            Rect::new(area.x, top, area.width, 4),
            model,
            browser,
            &model.keymap,
            theme,
        );
    }
    let body = Rect::new(
        area.x,
        top,
        area.width,
        area.bottom().saturating_sub(2).saturating_sub(top),
    );
    footer::hints(buffer, line(area.bottom() - 1), model, theme, facts);
    if model.browser().is_some() {
        pane(buffer, body, model, now, theme, facts);
        footer::status(buffer, line(area.bottom() - 2), model, now, theme);
    }
    if let Some(browser) = model.browser()
        && browser.bar.editing
    {
        bar::candidates(buffer, area, browser, theme);
    }
    // The footer stays in sight under whatever lies over the pane.
    let free = Rect {
        height: area.height - 1,
        ..area
    };
    if let Some(view) = model.pane_view() {
        let mut scene = scene(frame, free, model, now, theme, facts);
        let page = Rect {
            y: free.y + 1,
            height: free.height - 1,
            ..free
        };
        view.draw(page, &mut scene);
        cursor = scene.cursor;
    }
    let cursor = overlays(frame, (free, body), model, now, theme, facts).or(cursor);
    if model.has_view_on_top() || model.browser().is_none() {
        footer::toast(frame.buffer_mut(), line(area.bottom() - 2), model, theme);
    }
    cursor
}

/// What the view of the pane draws on.
fn scene<'a, 'b>(
    frame: &'a mut Frame<'b>,
    area: Rect,
    model: &'a Model,
    now: Now,
    theme: &'a Theme,
    facts: &'a mut Facts,
) -> Scene<'a, 'b> {
    Scene {
        size: Size::of(area.width, area.height + 1),
        state: &model.state,
        before: &model.facts,
        cursor: None,
        frame,
        facts,
        theme,
        now,
        depth: 0,
    }
}

fn pane(
    buffer: &mut Buffer,
    body: Rect,
    model: &Model,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let Some(browser) = model.browser() else {
        return;
    };
    let table = body;
    match browser.listing() {
        Some(listing) if !browser.view().is_empty() => {
            let local = model.local_time(now);
            records::draw(buffer, table, browser, listing, &local, theme, facts);
        }
        _ => message(buffer, table, theme, &empty_note(model, now)),
    }
}

/// What stands in place of a table without rows: why, and what to press.
fn empty_note(model: &Model, now: Now) -> Vec<String> {
    let Some(browser) = model.browser() else {
        return Vec::new();
    };
    let nouns = browser.resource().nouns();
    let way = |name| model.keymap.way_to(name);
    let (query, refresh, funnel) = (way("query"), way("refresh"), way("why-so-few"));
    let back = way("back");
    match (browser.remote().phase(), browser.listing()) {
        (Phase::Loading { since, .. }, None) => vec![
            format!("Asking for {nouns} … {:.0}s", (now.mono - since).max(0.0)),
            format!("{back} stops waiting. You can go on typing."),
        ],
        (Phase::Failed(ApiError::NotOffered), None) => vec![
            "This market has no network volumes.".to_owned(),
            "It knows no such search (status 404): not every market offers them. Offers and \
             workergroups are not touched by that."
                .to_owned(),
            format!(
                "Press {} for the offers, {refresh} to ask again.",
                way("offers")
            ),
        ],
        (Phase::Failed(error @ ApiError::NoKey { .. }), None) => vec![
            format!("No {nouns} could be fetched."),
            format!("{}.", explain(error, &model.keymap)),
            format!("Press {refresh} to try again."),
        ],
        (Phase::Failed(error), None) if error.is_auth() => vec![
            format!("No {nouns} could be fetched."),
            error.to_string(),
            format!(
                "Press {} to give another key or to change the market, {refresh} to ask again.",
                way("markets")
            ),
        ],
        (Phase::Failed(error), None) => vec![
            format!("No {nouns} could be fetched."),
            error.to_string(),
            format!("Press {refresh} to ask again, {query} to change the query."),
        ],
        (_, Some(listing)) if listing.is_empty() && listing.skipped().is_empty() => {
            let mut lines = vec![
                format!("The market has no {nouns} for this query."),
                format!(
                    "Press {funnel} to see which condition costs most, {query} to change the query."
                ),
            ];
            let warn = |condition| language::warning(condition, browser.dialect());
            lines.extend(browser.query.active().filter_map(warn));
            lines.extend(did_you_mean(browser));
            lines
        }
        (_, Some(listing)) if listing.is_empty() => vec![
            format!(
                "None of the {} records could be read.",
                listing.skipped().len()
            ),
            format!(
                "The first: {}.",
                listing
                    .skipped()
                    .first()
                    .map_or("", |skipped| skipped.reason)
            ),
        ],
        (_, Some(listing)) if !browser.words.is_empty() => vec![
            format!(
                "None of the {} {nouns} here match “{}”.",
                listing.len(),
                browser.words.join(" ")
            ),
            format!("{back} shows them all again."),
        ],
        (_, Some(listing)) => {
            let mut lines = vec![
                format!(
                    "None of the {} {nouns} here meet the local conditions.",
                    listing.len()
                ),
                format!("Press {funnel} to see which costs most, {query} to relax them."),
            ];
            lines.extend(did_you_mean(browser));
            lines
        }
        (_, None) => vec![
            format!("No {nouns} were asked for yet."),
            format!("Press {refresh} to ask the market."),
        ],
    }
}

/// What was probably meant by conditions that name something unknown.
fn did_you_mean(browser: &Browser) -> impl Iterator<Item = String> {
    let suggestions = browser.suggestions().into_iter();
    suggestions.map(|condition| format!("Did you mean {condition}?"))
}

/// A few lines in the middle of an area, the first one stronger.
fn message(buffer: &mut Buffer, area: Rect, theme: &Theme, lines: &[String]) {
    let width = area.width.saturating_sub(4).min(72);
    let wrapped: Vec<(String, bool)> = lines
        .iter()
        .enumerate()
        .flat_map(|(index, line)| {
            paint::wrap(line, width)
                .into_iter()
                .map(move |part| (part, index == 0))
        })
        .collect();
    let height = u16::try_from(wrapped.len())
        .unwrap_or(u16::MAX)
        .min(area.height);
    let top = area.y + (area.height - height) / 3;
    for (y, (line, is_first)) in (top..area.bottom()).zip(wrapped) {
        let style = if is_first { theme.heading } else { theme.text };
        let cells = paint::cells(&line).min(area.width);
        let x = area.x + (area.width - cells) / 2;
        paint::text(buffer, x, y, cells, &line, style);
    }
}

fn overlays(
    frame: &mut Frame<'_>,
    (area, body): (Rect, Rect),
    model: &Model,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let mut cursor = None;
    for (depth, overlay) in model.overlays.iter().enumerate() {
        if let Overlay::View(view) = overlay {
            let mut scene = Scene {
                size: Size::of(area.width, area.height + 1),
                state: &model.state,
                before: &model.facts,
                cursor: None,
                frame: &mut *frame,
                facts: &mut *facts,
                theme,
                now,
                // The pane is at the bottom of the stack.
                depth: depth + 1,
            };
            // The header stays above a page.
            let page = match view.placement() {
                Placement::Page => Rect {
                    y: area.y + 1,
                    height: area.height - 1,
                    ..area
                },
                Placement::Dialog => area,
            };
            view.draw(page, &mut scene);
            cursor = scene.cursor;
            continue;
        }
        let buffer = &mut *frame.buffer_mut();
        cursor = match overlay {
            Overlay::View(_) => None,
            Overlay::Insight(insight) => {
                insights::draw(buffer, area, body, model, insight, now, theme, facts)
            }
            Overlay::Volume(form) => volume::form(
                buffer,
                area,
                &model.browsers[Resource::Volumes],
                form,
                now,
                theme,
                facts,
            ),
            Overlay::Help(picker) => {
                picker::draw(buffer, area, "Help: type to search", picker, theme, facts)
            }
            Overlay::Palette(picker) => picker::draw(
                buffer,
                area,
                "Actions: type to search",
                picker,
                theme,
                facts,
            ),
            Overlay::Sort(editor) => picker::draw(
                buffer,
                area,
                "Sort: type to find a field",
                &editor.picker,
                theme,
                facts,
            ),
            Overlay::Searches(list) => searches::draw(buffer, area, list, theme, facts),
            Overlay::Prompt(prompt) => Some(prompt::text(buffer, area, prompt, theme)),
            Overlay::Question(question) => {
                prompt::question(buffer, area, question, &model.keymap, theme, facts);
                None
            }
            Overlay::Columns(editor) => picker::draw(
                buffer,
                area,
                "Columns: type to find one",
                &editor.picker,
                theme,
                facts,
            ),
            Overlay::Filter(editor) => {
                filter_editor::draw(buffer, area, editor, model, theme, facts)
            }
            Overlay::Settings(settings) => {
                search_settings::draw(buffer, area, settings, model, theme, facts)
            }
            Overlay::Markets(list) => {
                markets::list(buffer, area, list, model, theme, facts);
                None
            }
            Overlay::MarketForm(form) => markets::form(buffer, area, form, theme, facts),
        };
    }
    cursor
}

/// The age of something that arrived at `then`, in words.
pub(crate) fn age(now: Now, then: Now) -> String {
    format::span((now.epoch - then.epoch).max(0.0))
}
