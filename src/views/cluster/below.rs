//! What fills a large screen: bars of the bills below the form, cards of the offers below the plan.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{Cluster, bill};
use crate::app::view::Scene;
use crate::domain::insight::plan::Target;
use crate::domain::{Resource, format};
use crate::views::preview::Subject;
use crate::widgets::panel::{Panel, Size};

/// The least width of a card: its bars and their texts.
const CARD: u16 = 44;

/// Lines of a card that has everything to say, with its border.
const CARD_LINES: u16 = 19;

/// The fewest lines of a card that says more than the table above it.
const LEAST_CARD: u16 = 9;

/// Draws how the bill changes with the target, a bar for each, if there is room for all of them.
pub(super) fn bills(view: &Cluster, area: Rect, scene: &mut Scene<'_, '_>) {
    const LABEL: usize = 6;
    const PRICE: usize = 13;
    const SPACING: usize = 3;
    let (Ok(need), Some(planning)) = (&view.need, &view.planning) else {
        return;
    };
    let curve = &planning.curve;
    let height = usize::from(area.height);
    if curve.len() < 2 || height <= curve.len() {
        return;
    }
    let theme = scene.theme;
    let bill = bill(&scene.state.browsers[Resource::Offers]);
    let title = match need.target {
        Target::Gpus(_) => "GPUs",
        Target::Dlperf(_) => "DLPerf",
    };
    let room = usize::from(area.width).saturating_sub(LABEL + PRICE + 1);
    let highest = curve.iter().filter_map(|(_, total)| *total);
    let highest = highest.fold(0.0, f64::max);
    let spacing = ((height - 1) / curve.len()).clamp(1, SPACING);
    let head = format!("{title:>LABEL$}{:>PRICE$}", "Bill");
    let mut lines = vec![Line::styled(head, theme.heading)];
    for (target, total) in curve {
        let style = if *target == need.target {
            theme.accent
        } else {
            theme.text
        };
        let price = total.map_or_else(|| format::NONE.to_owned(), |total| bill.money(total));
        let bar = bar(total.unwrap_or(0.0), highest, room);
        let label = format!("{:>LABEL$}{price:>PRICE$} ", target.number());
        let blank = " ".repeat(label.chars().count());
        lines.push(Line::from(vec![
            Span::styled(label, style),
            Span::styled(bar.clone(), style),
        ]));
        for line in 1..spacing {
            // The last line of each is the gap to the next.
            let bar = if line + 1 < spacing { &bar } else { "" };
            lines.push(Line::styled(format!("{blank}{bar}"), style));
        }
    }
    scene.render(Paragraph::new(lines), area);
}

/// A bar as long as the share that `amount` is of `highest`.
fn bar(amount: f64, highest: f64, room: usize) -> String {
    let share = if highest > 0.0 { amount / highest } else { 0.0 };
    let room = f64::from(u16::try_from(room).unwrap_or(u16::MAX));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to `room`
    let cells = (share.clamp(0.0, 1.0) * room).round() as usize;
    "█".repeat(cells)
}

/// Draws as many cards of the plan's offers as fit, those around the selected one.
pub(super) fn cards(view: &Cluster, area: Rect, scene: &mut Scene<'_, '_>) {
    let browser = &scene.state.browsers[Resource::Offers];
    let Some(listing) = browser.listing() else {
        return;
    };
    if scene.size == Size::Compact || area.height < LEAST_CARD || view.picks.is_empty() {
        return;
    }
    let across = usize::from(area.width / CARD).max(1);
    let down = usize::from(area.height / CARD_LINES).max(1);
    let first = view.cursor / (across * down) * (across * down);
    let shown: Vec<u32> = view.picks.iter().map(|(row, _)| *row).collect();
    let shown = shown.get(first..).unwrap_or_default();
    let shown = shown.get(..across * down).unwrap_or(shown);
    let down = shown.len().div_ceil(across).max(1);
    let across = shown.len().div_ceil(down).max(1);
    let bands = Layout::vertical(vec![Constraint::Max(CARD_LINES); down]).split(area);
    for (rows, band) in shown.chunks(across).zip(bands.iter()) {
        let places = Layout::horizontal(vec![Constraint::Fill(1); across]).split(*band);
        for (row, place) in rows.iter().zip(places.iter()) {
            let row = *row as usize;
            let id = listing.id(row).map(|id| id.to_string());
            let panel = Panel::new(format!("Offer {}", id.unwrap_or_default()));
            let inner = panel.render(*place, scene.frame.buffer_mut(), scene.theme);
            let subject = Subject {
                listing,
                row,
                standing: &browser.computed.standing,
                state: scene.state,
                now: scene.now,
                theme: scene.theme,
            };
            let card = subject.card(inner.width);
            scene.render(Paragraph::new(card), inner);
        }
    }
}
