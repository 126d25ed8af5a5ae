//! The panel beside a list: the card of the selected row, and further parts where there is room.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::preview::Subject;
use super::view::{below_card, json_of};
use crate::core::view::Scene;
use crate::domain::{Resource, format};
use crate::tui::panel::{Panel, Size};
use crate::tui::text::fit;

/// Maximum width of a preview that has only its card; a wider one is below its list.
const BESIDE: u16 = 90;

/// Draws the card of the record in `row` in a panel beside its list; nothing before the list has a response.
pub fn draw(resource: Resource, row: usize, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(subject) = Subject::new(resource, row, scene) else {
        return;
    };
    let browser = &scene.state.browsers[resource];
    let id = subject.listing.id(row).map(|id| id.to_string());
    let note = if browser.selected_row() == Some(row) {
        format!(
            "{} of {}",
            format::grouped(browser.cursor() + 1),
            format::grouped(browser.view().len())
        )
    } else {
        String::new()
    };
    let panel = Panel::new(id.unwrap_or_default()).note(note).sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    if inner.width > BESIDE {
        return beside(subject, inner, scene);
    }
    let mut lines = subject.card(inner.width);
    if scene.size == Size::Compact {
        // With few rows, blank lines go first.
        lines.retain(|line| line.width() > 0);
    } else {
        below(subject, &mut lines, inner, scene);
    }
    scene.lines(&lines, inner);
}

/// Adds further blocks of the overview below the card, without their blank lines, as long as a block's
/// heading and one line fit; only the last block is cut.
fn below(subject: Subject<'_>, lines: &mut Vec<Line<'static>>, area: Rect, scene: &Scene<'_, '_>) {
    for block in below_card(subject.resource(), subject.row, scene) {
        // A heading without lines is useless.
        if lines.len() + 3 > usize::from(area.height) {
            return;
        }
        lines.push(Line::default());
        lines.extend(block.lines_in(area.width).into_iter().filter(|line| line.width() > 0));
    }
}

/// Draws the card of a wide preview, the rest of the overview and the record's JSON in two columns, or in
/// three if two do not hold them on a wide screen. Short texts side by side would leave the lower half blank.
fn beside(subject: Subject<'_>, area: Rect, scene: &mut Scene<'_, '_>) {
    let blocks = below_card(subject.resource(), subject.row, scene);
    let json = json_of(subject.listing, subject.row, scene.theme);
    for many in 2..=3 {
        let columns = Layout::horizontal(vec![Constraint::Fill(1); many])
            .spacing(3)
            .split(area);
        let width = columns.iter().map(|column| column.width).min().unwrap_or(0);
        let mut record = vec![Line::styled("JSON", scene.theme.heading)];
        record.extend(json.iter().map(|line| fit(line.clone(), width)));
        let middle = blocks.iter().flat_map(|block| block.lines_in(width)).collect();
        let mut texts = vec![subject.card(width), middle, record];
        if many == 2 {
            let record = texts.pop().unwrap_or_default();
            texts[0].push(Line::default());
            texts[0].extend(record);
        }
        let fits = texts.iter().all(|text| text.len() <= usize::from(area.height));
        if many == 3 || fits || scene.size != Size::Wide {
            for (text, column) in texts.iter().zip(columns.iter()) {
                scene.lines(text, *column);
            }
            return;
        }
    }
}
