//! Draws the form for a volume's size and term, and the cost of the selected volume.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::Term;
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::domain::cost::VolumePrices;
use crate::domain::{Resource, format};
use crate::features::job::bill;
use crate::tui::panel::Panel;

/// Height of the form: its fields, and the buttons with a blank line above.
const FORM: u16 = 4;

const BILL: u16 = 8;

/// Draws the form for size and term of a volume, and beside it the bill of the selected volume; a low screen
/// shows only its total.
pub(super) fn term(view: &Term, area: Rect, scene: &mut Scene<'_, '_>) {
    let volumes = &scene.state.browsers[Resource::Volumes];
    let selected = volumes.listing().zip(volumes.selected_row());
    let title = selected
        .and_then(|(listing, row)| listing.id(row))
        .map_or_else(|| "Bill".to_owned(), |id| format!("Bill on volume {id}"));
    // A low screen shows the form alone, with the total.
    let total = view
        .chosen
        .as_ref()
        .ok()
        .zip(selected)
        .and_then(|(term, (listing, row))| {
            let prices = VolumePrices::new(listing);
            prices.term_total(row, term).ok().map(format::dollars)
        });
    let sheet = sheet::with_result(
        Panel::new("Size and term").note(total.unwrap_or_default()),
        Panel::new(title),
        (FORM, BILL),
        area,
        scene,
    );
    scene.form(&view.form, sheet.main);
    let Some(side) = sheet.side else { return };
    let lines = match (&view.chosen, selected) {
        // After a complaint the form has the reason.
        (Err((key, _)), _) if view.form.error(*key).is_some() => {
            let text = format!("No bill until {} can be read", key.label());
            vec![Line::styled(text, scene.theme.dim)]
        }
        (Err((_, why)), _) => vec![Line::styled(why.to_string(), scene.theme.warning)],
        (Ok(_), None) => vec![Line::styled("No volume selected", scene.theme.dim)],
        (Ok(term), Some((listing, row))) => {
            let moment = (scene.now.epoch, side.width);
            bill::volume(listing, row, term, moment, scene.theme)
        }
    };
    sheet::text(lines, side, scene);
}
