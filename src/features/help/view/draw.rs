use crate::features::help::palette;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

use super::{Help, HelpEntry, topics};
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::keys::Binding;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::wrap_hanging;

/// Draws the help: the list of keys, and beside it the description of the selected one with the legend. On a
/// compact screen the legend is shown only if no key is selected.
pub(super) fn help(view: &Help, area: Rect, scene: &mut Scene<'_, '_>) {
    let main = Panel::new("Help").note("type to search");
    let selected = match view.list.current().and_then(|item| item.value.clone()) {
        Some(HelpEntry::Key(row)) => Some(row),
        Some(HelpEntry::Copy(_) | HelpEntry::Read(_) | HelpEntry::Own(_)) | None => None,
    };
    let side = Panel::new(match selected {
        Some(row) => palette::label(row.name),
        None => "Legend".to_owned(),
    });
    let sheet = sheet::open(main, side, view.list.len(), area, scene);
    scene.searched_list(&view.list, sheet.main);
    if let Some(area) = sheet.side {
        let mut lines = selected.map_or_else(Vec::new, |row| key(view, row, scene));
        if scene.size > Size::Compact || selected.is_none() {
            lines.extend(legend(scene));
        }
        scene.render(Text::from(wrap_hanging(&lines, area.width)), area);
    }
}

/// The full description of an action in the help: its effect, the reason it is disabled now, its keys, where
/// they hold, and its name in the configuration.
fn key(view: &Help, row: &Binding, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let help = palette::action_effect(row);
    let mut lines: Vec<Line<'static>> = (!help.is_empty()).then(|| Line::raw(help)).into_iter().collect();
    if let Some(why) = view.commands.disabled(row.action, scene.state) {
        lines.push(Line::styled(format!("Not now: {why}"), theme.warning));
    }
    let details = [
        ("Keys", super::keys(row, scene.state)),
        ("Where", row.context.title().to_owned()),
        ("Config name", row.name.to_owned()),
    ];
    lines.extend(details.into_iter().map(|(label, value)| {
        Line::from(vec![
            Span::styled(format!("{label:>11}  "), theme.dim),
            Span::raw(value),
        ])
    }));
    lines.push(Line::default());
    lines
}

/// The legend of the help: the signs on the screen and the query language by example, which users look up
/// most.
fn legend(scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines = Vec::new();
    let parts = [("Signs", topics::SIGNS, 8), ("Query language", topics::LANGUAGE, 24)];
    for (title, topic, width) in parts {
        lines.push(Line::styled(title, theme.heading));
        lines.extend(topic.iter().map(|(sign, text)| {
            Line::from(vec![
                Span::styled(format!("{sign:<width$}"), theme.key),
                Span::raw(*text),
            ])
        }));
        lines.push(Line::default());
    }
    lines
}
