use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Markets;
use super::form::MarketForm;
use crate::core::view::{Region, Scene};
use crate::core::views::sheet;
use crate::features::markets::Market;
use crate::keys::{Action, Context};
use crate::tui::dialog;
use crate::tui::list::{Item, List};
use crate::tui::panel::{Panel, Tone};
use crate::tui::text::wrap_line;

/// Draws the list of markets, and in a second panel the status and the details of the selected one; without
/// space for that panel, only the status below the list.
pub(super) fn markets(view: &Markets, area: Rect, scene: &mut Scene<'_, '_>) {
    let all = &scene.state.markets.market_list.markets;
    let items = all.iter().map(|market| item(market, scene)).collect();
    let mut list: List<()> = List::new(items);
    list.select(view.selected_index(scene.state), false);
    let name = view.market(scene.state).map(|market| market.name.clone());
    let main = Panel::new("Markets").note(format!("{}", all.len()));
    let side = Panel::new(name.unwrap_or_default());
    let mut lines: Vec<Line<'static>> = status(scene).into_iter().collect();
    lines.extend(details(view, scene));
    let width = sheet::side_width(area, scene.size);
    let needed = sheet::rows(&lines, width).max(all.len());
    let sheet = sheet::open(main, side, needed, area, scene);
    if let Some(side) = sheet.side {
        sheet::text(lines, side, scene);
        scene.list(Region::MAIN, &list, sheet.main);
        return;
    }
    // Without a second panel, the status goes to the last lines.
    let width = sheet.main.width;
    let wanted: usize = lines.iter().take(1).map(|line| wrap_line(line, width, 2).len()).sum();
    let wanted = u16::try_from(wanted).unwrap_or(0).min(sheet.main.height / 2);
    let [main, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(wanted)]).areas(sheet.main);
    scene.list(Region::MAIN, &list, main);
    sheet::text(lines, below, scene);
}

/// The list item of a market; a star marks the connected one.
fn item(market: &Market, scene: &Scene<'_, '_>) -> Item<()> {
    let is_current = market.name == scene.state.profile.name;
    let access = if market.read_only { ", read-only" } else { "" };
    let title = format!("{} {}", if is_current { "*" } else { " " }, market.name);
    let address = market.address.as_deref().unwrap_or("inside bourse");
    Item::new(title, address, ()).note(format!("{}{access}", market.key.short()))
}

/// The status line of the list of markets: a connection or test in progress, else the last message, else a
/// mistake in the configuration; `None` if there is none of these.
fn status(scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    let theme = scene.theme;
    let markets = &scene.state.markets;
    if let Some(name) = markets.connecting() {
        let key = scene.key_in(&[Context::Global], Action::Back);
        let text = format!("Connecting to {name} … {key} cancels");
        return Some(Line::styled(text, theme.accent));
    }
    if let Some(name) = markets.testing() {
        let text = format!("Testing {name} with one request …");
        return Some(Line::styled(text, theme.accent));
    }
    if let Some(said) = &markets.status {
        let (sign, style) = if said.is_error {
            ("! ", theme.error)
        } else {
            ("", theme.good)
        };
        return Some(Line::styled(format!("{sign}{}", said.text), style));
    }
    let wrong = markets.market_list.wrong.as_ref()?;
    let text = format!("! Correct the configuration to connect: {wrong}");
    Some(Line::styled(text, theme.error))
}

/// A blank line, then the address, routing, dialect, writes and key source of the selected market, a line
/// each; one line "No markets configured" without a market.
fn details(view: &Markets, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let Some(market) = view.market(scene.state) else {
        return vec![Line::styled("No markets configured", theme.dim)];
    };
    let address = market.address.clone();
    let routing = market.route.clone().or_else(|| address.clone());
    let writes = if market.read_only { "off (read-only)" } else { "on" };
    let rows = [
        (
            "Address",
            address.or_else(|| Some("inside bourse: free of charge".to_owned())),
        ),
        ("Routing", routing),
        ("Works like", Some(market.dialect.name.to_owned())),
        ("Writes", Some(writes.to_owned())),
        ("Key", Some(market.key.sentence())),
    ];
    let rows = rows.into_iter().filter_map(|(label, value)| {
        Some(Line::from(vec![
            Span::styled(format!("{label:>10}  "), theme.dim),
            Span::styled(value?, Style::default()),
        ]))
    });
    std::iter::once(Line::default()).chain(rows).collect()
}

/// Draws the form of a market in a dialog, with its complaint or the explanation of the focused field below.
pub(super) fn form(view: &MarketForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let width = area.width.saturating_sub(4).min(90);
    let mut notes: Vec<Line<'static>> = Vec::new();
    if let Some(progress) = view.progress() {
        notes.push(Line::styled(progress, theme.accent));
    } else if let Some(complaint) = view.complaint() {
        notes.push(Line::styled(format!("! {complaint}"), theme.error));
    } else {
        notes.push(Line::styled(
            view.note(&scene.key_in(&[Context::Form], Action::Submit)),
            theme.dim,
        ));
    }
    let inner_width = width.saturating_sub(4);
    let notes: Vec<_> = notes.iter().flat_map(|line| wrap_line(line, inner_width, 2)).collect();
    let below = u16::try_from(notes.len()).unwrap_or(1).clamp(1, 6);
    // Fields, one error, the buttons, the note and the frame.
    let height = (view.field_count() + 4 + below + 3).min(area.height);
    let panel = Panel::new(view.title()).tone(Tone::Focused);
    let buffer = scene.frame.buffer_mut();
    let inner = dialog::open(panel, (width, height), area, buffer, theme);
    let [fields, rest] = Layout::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(inner);
    scene.form(view.form(), fields);
    for (row, line) in rest.rows().zip(notes) {
        scene.render(line, row);
    }
}
