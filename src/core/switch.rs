//! Switching markets: data of the old market is dropped, data of the user survives.

use crate::core::persistence;
use std::sync::Arc;

use super::Update;
use super::feature::Event;
use super::markets::{MarketReady, RestoredState};
use super::message::{Effect, Toast};
use super::model::Model;
use super::profile::Profile;
use super::state::State;
use crate::domain::Resource;
use crate::domain::document::Edit;
use crate::domain::throughput::Throughput;
use crate::domain::time::Now;

impl Model {
    /// Adopts the restored data of the profile: queries, searches, annotations, the write history with its
    /// damaged lines, sandbox notes and notices; features are informed first. A query `given` on the command
    /// line takes precedence over the saved ones. Without `documents`, no queries or searches are restored,
    /// and nothing is saved.
    pub fn unpack(&mut self, restored: RestoredState, given: bool) {
        self.lend(Now::default(), |cx| cx.emit(Event::Restored(&restored)));
        let state = &mut self.state;
        state.notices.extend_from_slice(&restored.notices);
        if let Some(documents) = &restored.documents {
            state.restore(documents.get(), restored.document(), given);
        }
        state.restore_annotations(restored.document());
        state.mutations.history = restored.history;
        state.mutations.note = restored.history_note;
        state.set_damage(restored.damage);
        state.sandbox = restored.sandbox;
        state.show_unsettled_notices();
    }

    /// Resets the dashboard for another profile: settings, keys, markets, ledger and the open pane stay; data
    /// of the old market, such as rows, searches and annotations, and all open views are dropped.
    ///
    /// Every field is named, here and in [`State::take_over`], so that a new one must be assigned to the
    /// market or to the user.
    fn start_over(&mut self, profile: Profile) {
        let fresh = Self::new(profile, None, self.views);
        let Self {
            state,
            layout,
            panes: _,
            overlays: _,
            views: _,
        } = std::mem::replace(self, fresh);
        self.layout = layout;
        self.state.take_over(state);
    }
}

impl State {
    /// Moves the data that belongs to no market over from the old state: pane, keys, screen, ledger,
    /// features' data of the user, tickets, markets and settings. All else has its fresh value, and news for
    /// views of the old market is dropped.
    fn take_over(&mut self, old: Self) {
        let Self {
            pane,
            now,
            keymap,
            screen,
            ledger,
            feature_states,
            tickets,
            owners,
            keyboard,
            markets,
            settings,
            // These belong to the market.
            profile: _,
            browsers: _,
            hold: _,
            notices: _,
            toast: _,
            mutations: _,
            searches: _,
            annotations: _,
            persistence: _,
            drafts: _,
            sandbox: _,
            watching: _,
            features: _,
        } = old;
        self.pane = pane;
        self.now = now;
        self.keymap = keymap;
        self.screen = screen;
        self.ledger = ledger;
        self.feature_states.keep(feature_states);
        // Tickets continue, so that no response to the old market's requests is taken for one of
        // the new.
        self.tickets = tickets;
        self.owners = owners;
        self.owners.closed(0);
        self.keyboard = keyboard;
        self.markets = markets;
        self.settings = settings;
    }
}

impl Update<'_> {
    /// Switches to another, connected market: saves the state of the old one, restores that of the new one,
    /// sends its first search and names it in a notice. The throughput stays.
    pub(crate) fn switch(&mut self, ready: MarketReady) {
        if let Some(snapshot) = self.model.state.take_unsaved() {
            let save = self
                .model
                .state
                .saving(Edit::Replace(snapshot), persistence::state_saved);
            self.effects.push(save);
        }
        let profile = &ready.profile;
        let text = match (profile.is_sandbox, profile.has_key) {
            (true, _) => "Switched to the sandbox".to_owned(),
            (false, true) => format!("Switched to {}", profile.name),
            (false, false) => format!("Switched to {}, without a key", profile.name),
        };
        let throughput = Arc::clone(&self.model.state.browsers[Resource::Offers].computed.throughput);
        self.model.start_over(ready.profile);
        self.model.unpack(ready.restored, false);
        let state = &mut self.model.state;
        state.set_throughput(Throughput::clone(&throughput));
        state.markets.market_list = ready.market_list;
        state.markets.status = None;
        self.effects.push(Effect::Activate(ready.ticket));
        self.start();
        self.model.state.show(Toast::new(text, self.now));
    }
}
