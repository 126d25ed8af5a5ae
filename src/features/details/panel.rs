//! The panel beside a list: the card of the selected row, and further parts where there is room.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::preview::Subject;
use super::view::{below_card, json_of};
use crate::core::view::Scene;
use crate::domain::{Resource, format};
use crate::keys::Action;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::fit;

/// Maximum width of a preview that has only its card; a wider one is below its list.
const BESIDE: u16 = 90;

/// Draws the card of the record in `row` in a panel; nothing before its list has a response. Beside the list it has the
/// place of the selected row in it and the key for facts that do not fit.
pub fn draw(resource: Resource, row: usize, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(subject) = Subject::new(resource, row, scene) else {
        return;
    };
    let browser = &scene.state.browsers[resource];
    let id = subject.listing.id(row).map(|id| id.to_string());
    let is_beside_list = scene.depth == 0;
    let place = (is_beside_list && browser.selected_row() == Some(row)).then(|| {
        let rows = format::grouped(browser.view().len());
        format!("{} of {rows}", format::grouped(browser.cursor() + 1))
    });
    let panel = Panel::new(id.unwrap_or_default()).sized(scene.size);
    let inner = panel.inner(area);
    let (columns, is_cut) = if inner.width > BESIDE {
        beside(subject, inner, scene)
    } else {
        let (mut lines, is_cut) = subject.card_within(inner.width, inner.height);
        if scene.size != Size::Compact {
            below(subject, &mut lines, inner, scene);
        }
        (vec![(lines, inner)], is_cut)
    };
    let all = (is_cut && is_beside_list).then(|| format!("{} all", scene.key(Action::Open)));
    let note: Vec<String> = [all, place].into_iter().flatten().collect();
    panel
        .note(note.join(" · "))
        .render(area, scene.frame.buffer_mut(), scene.theme);
    for (text, column) in columns {
        scene.lines(&text, column);
    }
}

/// Texts with their areas.
type Columns = Vec<(Vec<Line<'static>>, Rect)>;

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

/// The card of a wide preview, the rest of the overview and the record's JSON in two columns, or in three if
/// two do not hold them and three are wide enough for sentences; and whether facts of the card or the overview are left
/// out. Short texts side by side would leave the lower half blank.
fn beside(subject: Subject<'_>, area: Rect, scene: &Scene<'_, '_>) -> (Columns, bool) {
    /// Minimum width of one of three columns.
    const COLUMN: u16 = 44;
    let blocks = below_card(subject.resource(), subject.row, scene);
    let json = json_of(subject.listing, subject.row, scene.theme);
    let (mut texts, mut columns) = (Vec::new(), Vec::new());
    let mut is_cut = false;
    for many in 2..=3 {
        columns = Layout::horizontal(vec![Constraint::Fill(1); many])
            .spacing(3)
            .split(area)
            .to_vec();
        let width = columns.iter().map(|column| column.width).min().unwrap_or(0);
        let mut record = vec![Line::styled("JSON", scene.theme.heading)];
        record.extend(json.iter().map(|line| fit(line.clone(), width)));
        let middle: Vec<Line<'static>> = blocks.iter().flat_map(|block| block.lines_in(width)).collect();
        let (card, is_card_cut) = subject.card_within(width, area.height);
        is_cut = is_card_cut || middle.len() > usize::from(area.height);
        texts = vec![card, middle, record];
        if many == 2 {
            let record = texts.pop().unwrap_or_default();
            texts[0].push(Line::default());
            texts[0].extend(record);
        }
        let fits = texts.iter().all(|text| text.len() <= usize::from(area.height));
        if fits || area.width < 3 * COLUMN {
            break;
        }
    }
    (texts.into_iter().zip(columns).collect(), is_cut)
}
