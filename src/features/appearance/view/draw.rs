use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::Theme;
use crate::core::view::Scene;
use crate::tui::panel::{Panel, Tone};

/// Height of the sample below the list.
const SAMPLE: u16 = 6;

/// Draws the theme picker at the right, and dims nothing, as the screen is the preview.
pub(super) fn theme(view: &Theme, area: Rect, scene: &mut Scene<'_, '_>) {
    let lines = u16::try_from(view.list.len()).unwrap_or(u16::MAX);
    let width = area.width.min(44);
    let height = lines.saturating_add(SAMPLE + 4).min(area.height);
    let bottom = Rect {
        x: area.right() - width,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    let inner = scene.framed(Panel::new("Theme").tone(Tone::Focused), bottom);
    if let Some(background) = scene.theme.background {
        let style = ratatui::style::Style::new().bg(background);
        scene.frame.buffer_mut().set_style(bottom, style);
    }
    let sample = if inner.height > SAMPLE + 2 { SAMPLE + 1 } else { 0 };
    let [rows, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(sample)]).areas(inner);
    scene.searched_list(&view.list, rows);
    let lines = example(scene);
    scene.render(Paragraph::new(lines), below);
}

/// Lines that show the styles of the current theme as samples: `text dim accent heading`, and so on.
fn example(scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut series = Line::default();
    for style in theme.series {
        series.push_span(Span::styled("███ ", style));
    }
    vec![
        Line::default(),
        Line::from(vec![
            Span::styled("text ", theme.text),
            Span::styled("dim ", theme.dim),
            Span::styled("accent ", theme.accent),
            Span::styled("heading", theme.heading),
        ]),
        Line::from(vec![
            Span::styled("good ", theme.good),
            Span::styled("warning ", theme.warning),
            Span::styled("error ", theme.error),
            Span::styled("key", theme.key),
        ]),
        Line::from(vec![
            Span::styled(" selected ", theme.selected),
            Span::raw(" "),
            Span::styled(" input ", theme.input),
            Span::raw(" "),
            Span::styled(" match ", theme.highlight),
        ]),
        series,
        Line::from(vec![
            Span::styled(" SANDBOX ", theme.sandbox),
            Span::raw(" "),
            Span::styled(" LIVE ", theme.live),
        ]),
    ]
}
