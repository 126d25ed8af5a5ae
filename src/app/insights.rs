//! What the offers here tell beyond their rows: opening the views that work it out.

use super::keymap::Action;
use super::message::{Effect, Toast};
use super::remote::Now;
use super::{Model, Pane, three};

/// Why a view cannot be opened now, if it cannot.
pub(super) fn disabled(model: &Model, action: Action) -> Option<String> {
    let is_offers_only = matches!(action, Action::ThreePrices);
    if is_offers_only && model.pane != Pane::Offers {
        return Some("it is about machine offers: press 1".to_owned());
    }
    None
}

/// Opens a view or shows its columns.
pub(super) fn open(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    match action {
        Action::ThreePrices => three_prices(model, now),
        _ => Vec::new(),
    }
}

fn three_prices(model: &mut Model, now: Now) -> Vec<Effect> {
    let Model {
        offers, tickets, ..
    } = model;
    let is_shown = offers
        .columns
        .iter()
        .any(|field| three::COLUMNS.contains(&field.key));
    let was_asked = !offers.figures.three.is_empty() || offers.figures.three.is_loading();
    if is_shown && was_asked {
        offers.hide_columns(&three::COLUMNS);
        let effects = offers.forget_three();
        model.show(Toast::new("The three prices are hidden", now));
        return effects;
    }
    let effects = offers.ask_three(tickets, now);
    model.show(Toast::new("Asking for the three price models", now));
    effects
}
