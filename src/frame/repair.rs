//! The screen of a broken configuration, in place of any market.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::text::{Line, Span};

use super::is_too_small;
use crate::tui::finish::finish;
use crate::tui::panel::{Panel, Tone};
use crate::tui::text::wrap_line;
use crate::tui::theme::Theme;

const HINTS: [(&str, &str); 3] = [("e", "edit"), ("r", "reload"), ("q", "quit")];

/// Draws the mistakes in the configuration, with advice. `failure` is the reason the editor could
/// not be opened.
pub fn draw_repair(frame: &mut Frame<'_>, mistakes: &[String], failure: Option<&str>, theme: &Theme) {
    if is_too_small(frame, theme) {
        return;
    }
    let [body, bottom] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(frame.area());
    let panel = Panel::new("Configuration").tone(Tone::Danger);
    let inner = panel.render(body, frame.buffer_mut(), theme);
    let mut lines = vec![
        Line::styled("The configuration cannot be used, so no market is open.", theme.error),
        Line::default(),
    ];
    lines.extend(mistakes.iter().map(|mistake| Line::styled(mistake.clone(), theme.text)));
    lines.extend([
        Line::default(),
        Line::styled(
            "Correct the file: bourse opens your market as soon as it is saved.",
            theme.text,
        ),
    ]);
    lines.extend(failure.map(|why| Line::styled(format!("! {why}"), theme.error)));
    let lines = lines.iter().flat_map(|line| wrap_line(line, inner.width, 2));
    for (row, line) in inner.rows().zip(lines) {
        frame.render_widget(line, row);
    }
    let hints = HINTS.iter().flat_map(|(key, effect)| {
        [
            Span::styled(format!(" {key} "), theme.key),
            Span::styled(format!("{effect} "), theme.dim),
        ]
    });
    frame.render_widget(hints.collect::<Line<'_>>(), bottom);
    finish(frame.buffer_mut(), theme);
}
