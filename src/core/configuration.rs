//! Applies a configuration file that is saved while the dashboard runs.

pub use super::message::Reconfigured;
use super::message::Toast;
use super::state::State;
use crate::domain::Resource;
use crate::table::remote::Now;

/// Applies a reloaded configuration, or reports why the old one stays.
pub(crate) fn reloaded(state: &mut State, now: Now, result: Result<Box<Reconfigured>, String>) {
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
            if new.values.throughput != *state.browsers[Resource::Offers].computed.throughput {
                state.set_throughput(new.values.throughput.clone());
            }
            state.watch_pace.configure(new.values.watch());
            state.settings = new.values;
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
