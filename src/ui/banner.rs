//! Lines that stay until their cause is gone: a mistake in the query, a failed request, conditions
//! that the market ignored.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::paint;
use crate::api::ApiError;
use crate::app::Model;
use crate::app::browser::{Browser, Doubt};
use crate::app::keys::Keymap;
use crate::widgets::theme::Theme;

/// Draws the banners into at most `area.height` lines; gives how many lines were used.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    browser: &Browser,
    keymap: &Keymap,
    theme: &Theme,
) -> u16 {
    let width = area.width.saturating_sub(4);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let mut add = |text: &str, style: Style, most: usize| {
        for (index, line) in paint::wrap(text, width).into_iter().take(most).enumerate() {
            let sign = if index == 0 { "! " } else { "  " };
            lines.push((format!("{sign}{line}"), style));
        }
    };
    for notice in &model.notices {
        add(notice, theme.warning, 2);
    }
    if let Some(error) = &browser.bar.error {
        let hint = error
            .suggestion
            .as_ref()
            .map(|suggestion| {
                let key = keymap.way_to("complete");
                format!(": {key} changes it to {}", suggestion.replacement)
            })
            .unwrap_or_default();
        add(&format!("{}{hint}", error.message), theme.error, 2);
    }
    if browser.listing().is_some()
        && let Some(error) = browser.remote().error()
    {
        let text = if error.is_auth() {
            // First what to do: the market's words may be long.
            let way = model.keymap.way_to("markets");
            let key = match error {
                ApiError::NoKey { .. } => "to add a key",
                _ => "for another key",
            };
            format!("The rows below are older. Press {way} {key}: {error}")
        } else {
            format!("{error} The rows below are older.")
        };
        add(&text, theme.error, 2);
    }
    if !browser.violations().is_empty() {
        let named: Vec<_> = browser
            .violations()
            .iter()
            .map(|violation| {
                let noun = if violation.rows == 1 { "row" } else { "rows" };
                format!("{} ({} {noun})", violation.condition, violation.rows)
            })
            .collect();
        let text = format!(
            "The market ignored {}: see the cells marked !",
            named.join(", ")
        );
        add(&text, theme.warning, 2);
    }
    if !browser.doubts().is_empty() {
        let doubts: Vec<_> = browser.doubts().iter().map(Doubt::text).collect();
        let text = format!("Not as asked: {}", doubts.join("; "));
        add(&text, theme.warning, 2);
    }
    let height = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(area.height);
    for (y, (line, style)) in (area.y..area.y + height).zip(lines) {
        paint::text(
            buffer,
            area.x + 1,
            y,
            area.width.saturating_sub(1),
            &line,
            style,
        );
    }
    height
}
