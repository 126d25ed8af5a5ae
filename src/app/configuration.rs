//! Applies a configuration file that is saved while the dashboard runs.

use super::keymap::Keymap;
use super::markets::MarketList;
use super::message::Toast;
use super::remote::Now;
use super::themes::Themes;
use super::{Model, State};

/// The parts of the configuration that apply without reconnecting.
#[derive(Debug)]
pub struct Reconfigured {
    pub keymap: Keymap,
    /// The markets of the configuration.
    pub market_list: MarketList,
    /// The themes; only the one named in the file is shown.
    pub themes: Themes,
    /// Mistakes in the file that stop nothing: an unknown key, a bad colour.
    pub notices: Vec<String>,
    /// Whether keys, colours or switches have changed; adding a market changes none of them.
    pub is_noticeable: bool,
}

/// Applies a reloaded configuration, or reports why the old one stays.
pub(super) fn reloaded(model: &mut Model, now: Now, result: Result<Box<Reconfigured>, String>) {
    let state = &mut model.state;
    let outdated = std::mem::take(&mut state.config_notices);
    state.notices.retain(|notice| !outdated.contains(notice));
    match result {
        Ok(new) => {
            let has_notices = !new.notices.is_empty();
            let saved = state.themes.saved.as_ref();
            let is_own_change = saved.is_some_and(|name| *name == new.themes.chosen);
            notify(state, new.notices);
            state.keymap = new.keymap;
            state.markets.market_list = new.market_list;
            state.themes = new.themes;
            let own = state.markets.market_list.markets.iter();
            let mut own = own.filter(|market| market.name == state.profile.name);
            if let Some(market) = own.next() {
                state.profile.read_only = market.read_only;
            }
            if has_notices {
                state.show(Toast::error("Configuration reloaded with errors", now));
            } else if new.is_noticeable && !is_own_change {
                state.show(Toast::new("Configuration reloaded", now));
            }
        }
        Err(why) => {
            notify(state, vec![format!("Configuration not reloaded: {why}")]);
            state.show(Toast::error("Configuration not reloaded", now));
        }
    }
}

fn notify(state: &mut State, notices: Vec<String>) {
    state.notices.extend_from_slice(&notices);
    state.config_notices = notices;
}
