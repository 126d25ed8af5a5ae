//! Searches other than that of a pane: saved ones, and those of the three price models.

pub(crate) mod view;

use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::Resource;
use crate::domain::saved::{SavedSearch, SearchSpec, presets};
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::price_models;

/// The built-in preset search with that name, hidden or not; `None` if there is none.
pub fn preset(name: &str) -> Option<&'static SavedSearch> {
    presets().iter().find(|preset| preset.name == name)
}

/// Opens the pane of a saved search with its query, filter words and job, and queries the market; only a
/// message if the search cannot be read for this market.
pub fn run(search: &SavedSearch, cx: &mut Cx<'_>) {
    let (query, words, job) = match search.read(cx.state().profile.dialect) {
        Ok(read) => read,
        Err(error) => return cx.complain(format!("“{}” cannot run: {error}", search.name)),
    };
    let resource = search.spec.resource;
    let browser = cx.table(resource);
    let is_untouched = browser.is_untouched();
    browser.load_saved(query, words, job);
    // The loaded rows are sorted by the new order, so the selection starts at the top.
    browser.select(0);
    let text = browser.query_text();
    browser.bar.remember(&text);
    cx.go_to(Pane::for_resource(resource));
    // A pane that is opened for the first time sends its own request.
    if !is_untouched {
        cx.perform_on_pane(Action::Refresh);
    }
}

/// The search of the open pane as a saved search with this name and, for offers, the job; `None` if the pane
/// has no search.
pub fn current(name: String, state: &State) -> Option<SavedSearch> {
    let browser = state.browser()?;
    let is_priced = browser.resource() == Resource::Offers;
    Some(SavedSearch {
        name,
        note: String::new(),
        job: browser.computed.job.filter(|_| is_priced),
        spec: SearchSpec::new(&browser.query, browser.ran_words()),
    })
}

/// Loads the on-demand, bid and reserved prices of the offers and shows them as columns after the price. If
/// these columns are shown and their prices loaded or loading, hides them and cancels the loading.
pub fn toggle_price_models(cx: &mut Cx<'_>) {
    let key = cx.state().keymap.key_of(Action::ThreePrices);
    let offers = cx.table(Resource::Offers);
    let is_shown = offers
        .columns
        .iter()
        .any(|field| price_models::COLUMNS.contains(&field.key));
    let was_asked = !offers.computed.price_models.is_empty() || offers.computed.price_models.is_loading();
    let text = if is_shown && was_asked {
        offers.hide_columns(&price_models::COLUMNS);
        let aborts = offers.forget_price_models();
        cx.abort(aborts);
        "Price models hidden".to_owned()
    } else {
        cx.ask_price_models();
        format!("Loading on-demand, bid and reserved prices ({key} hides them)")
    };
    cx.toast(text);
}
