//! What changes when the configuration file is saved while the dashboard runs.

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
    /// The markets that can be connected to.
    pub market_list: MarketList,
    /// The themes, none shown but the one that the file names.
    pub themes: Themes,
    /// What is wrong with the file but stops nothing: an unknown key, a bad color.
    pub notices: Vec<String>,
    /// Whether keys, colors or switches differ from before; adding a market changes none of them.
    pub is_noticeable: bool,
}

/// Applies a configuration that was read again, or says why the one before stays.
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
