//! Applies a configuration file that is saved while the dashboard runs.

pub use super::message::Reconfigured;
use super::message::{EffectError, Toast};
use super::state::State;
use crate::domain::Resource;
use crate::domain::time::Now;

impl State {
    /// Applies a reloaded configuration: keys, markets, whether the current one is read-only, themes,
    /// throughput, pace and other values. One that cannot be used is reported, and the old one stays in
    /// force. Notices of the last reload are replaced.
    pub(crate) fn reloaded(&mut self, now: Now, result: Result<Box<Reconfigured>, EffectError>) {
        let outdated = std::mem::take(&mut self.settings.notices);
        self.notices.retain(|notice| !outdated.contains(notice));
        match result {
            Ok(new) => {
                let has_notices = !new.notices.is_empty();
                self.notify_of_config(new.notices);
                self.keymap = new.keymap;
                self.markets.market_list = new.market_list;
                self.settings.themes = new.themes;
                if new.values.throughput != *self.browsers[Resource::Offers].computed.throughput {
                    self.set_throughput(new.values.throughput.clone());
                }
                self.settings.pace.configure(new.values.watch());
                self.settings.values = new.values;
                let markets = self.markets.market_list.markets.iter();
                let mut reloaded_market = markets.filter(|market| market.name == self.profile.name);
                if let Some(market) = reloaded_market.next() {
                    self.profile.read_only = market.read_only;
                }
                if has_notices {
                    self.show(Toast::error("Configuration reloaded with errors", now));
                } else if new.is_noticeable {
                    self.show(Toast::new("Configuration reloaded", now));
                }
            }
            Err(why) => {
                let notice = vec![format!("Configuration not reloaded: {why}")];
                // An editor may save in several steps: the same error is reported once.
                if outdated != notice {
                    self.show(Toast::error("Configuration not reloaded", now));
                }
                self.notify_of_config(notice);
            }
        }
    }

    /// Shows these notices about the configuration file, to be removed at the next reload.
    fn notify_of_config(&mut self, notices: Vec<String>) {
        self.notices.extend_from_slice(&notices);
        self.settings.notices = notices;
    }
}
