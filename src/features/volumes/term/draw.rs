//! Draws the form for a volume's size and term, and the cost of the selected volume.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Term;
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::domain::cost::{Outlives, Room, VolumePrices, VolumeTerm};
use crate::domain::{Listing, Resource, format};
use crate::features::job::view::lines_of;
use crate::widgets::panel::Panel;
use crate::widgets::theme::Theme;

/// Rows of the form: its fields, and the buttons with a blank line above.
const FORM: u16 = 4;

const BILL: u16 = 8;

/// Draws the form and what the volume costs.
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
        (Err((key, why)), _) => vec![Line::styled(format!("{}: {why}", key.label()), scene.theme.warning)],
        (Ok(_), None) => vec![Line::styled("No volume selected", scene.theme.dim)],
        (Ok(term), Some((listing, row))) => {
            let moment = (scene.now.epoch, side.width);
            bill(listing, row, term, moment, scene.theme)
        }
    };
    sheet::text(lines, side, scene);
}

/// The cost of a volume, step by step, and whether it is available long enough and has the space.
pub(crate) fn bill(
    listing: &Listing,
    row: usize,
    term: &VolumeTerm,
    (epoch, width): (f64, u16),
    theme: &Theme,
) -> Vec<Line<'static>> {
    let cost = match VolumePrices::new(listing).cost(row, term, epoch) {
        Ok(cost) => cost,
        Err(gap) => return vec![Line::styled(format!("No price: {gap}"), theme.warning)],
    };
    let span = |hours: f64| format::lasting(hours * 3600.0);
    let mut lines: Vec<Line<'static>> = cost
        .steps
        .iter()
        .flat_map(|step| lines_of(step, width, theme))
        .collect();
    let (text, style) = match cost.outlives {
        Outlives::Yes { spare } => (format!("Available for {} after the term", span(spare)), theme.good),
        Outlives::No { short_by } => (format!("! Ends {} before the term does", span(short_by)), theme.error),
        Outlives::Unknown => ("! End of the offer not reported".to_owned(), theme.warning),
    };
    lines.push(Line::from(Span::styled(text, style)));
    let (text, style) = match cost.room {
        Room::Enough => ("Enough space".to_owned(), theme.good),
        Room::ShortBy(gb) => (format!("! {} too small", format::gigabytes(gb)), theme.warning),
        Room::Unknown => ("! Free space not reported".to_owned(), theme.warning),
    };
    lines.push(Line::from(Span::styled(text, style)));
    lines
}
