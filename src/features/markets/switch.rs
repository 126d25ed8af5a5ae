//! Switching markets: what belongs to the old market is dropped, what belongs to the person stays.

use crate::core::markets::MarketCommand;
use std::sync::Arc;

use crate::core::actions;
use crate::core::markets::{MarketReady, RestoredState, StatusMessage};
use crate::core::message::{Effect, Toast};
use crate::core::model::Model;
use crate::core::profile::Profile;
use crate::core::state::State;
use crate::domain::Resource;
use crate::domain::throughput::Throughput;
use crate::table::remote::Now;

impl Model {
    /// Restores the saved state of the profile. A query `given` on the command line takes
    /// precedence.
    pub fn unpack(&mut self, restored: RestoredState, given: bool) {
        self.routes_mut().seed(restored.seed);
        self.notices.extend(restored.notices);
        if let Some((snapshot, searches)) = restored.kept {
            self.restore(snapshot.as_ref(), searches, given);
            self.recall_mut().is_on = true;
        }
        self.restore_annotations(restored.annotations);
        self.alerts_mut().restore(restored.alerts);
        self.mutations.history = restored.history;
        self.mutations.note = restored.history_note;
        self.sandbox = restored.sandbox;
        self.tell_unsettled();
        if !self.profile.is_sandbox {
            self.groups_mut().drift.resume(restored.groups);
        }
    }

    /// Resets the dashboard for another profile. Every field is named, here and in
    /// [`State::take_over`], so that a new one must be assigned to the market or to the person.
    fn start_over(&mut self, profile: Profile) {
        let fresh = Self::new(profile, None, self.views);
        let Self {
            state,
            facts,
            panes: _,
            overlays: _,
            views: _,
        } = std::mem::replace(self, fresh);
        self.facts = facts;
        self.state.take_over(state);
    }
}

impl State {
    /// Takes what belongs to the person from the state of the old market.
    fn take_over(&mut self, old: Self) {
        let Self {
            pane,
            keymap,
            size,
            is_focused,
            config_notices,
            ledger,
            feature_states,
            split,
            zone,
            tickets,
            keyboard,
            markets,
            themes,
            settings,
            watch_pace,
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
            left_open: _,
            features: _,
        } = old;
        self.pane = pane;
        self.keymap = keymap;
        self.size = size;
        self.is_focused = is_focused;
        self.config_notices = config_notices;
        self.ledger = ledger;
        self.feature_states.keep(feature_states);
        self.split = split;
        self.zone = zone;
        // Tickets continue, so that no response to the old market's requests is taken for one of
        // the new.
        self.tickets = tickets;
        self.keyboard = keyboard;
        self.markets = markets;
        self.themes = themes;
        self.settings = settings;
        self.watch_pace = watch_pace;
    }
}

/// Switches to a connected market, if it is still wanted and nothing blocks the switch.
pub(super) fn on_ready(model: &mut Model, now: Now, ready: MarketReady) -> Vec<Effect> {
    let awaited = model.state.markets.connecting.as_ref().map(|(own, _)| *own);
    if awaited != Some(ready.ticket) {
        return Vec::new();
    }
    model.state.markets.connecting = None;
    let mut effects = Vec::new();
    if let Some(why) = super::held(model) {
        let text = format!("Not connected to {}: {why}.", ready.profile.name);
        model.state.markets.status = Some(StatusMessage::bad(text));
        return effects;
    }
    if let Some(snapshot) = model.unkept() {
        effects.push(Effect::Keep(Box::new(snapshot)));
    }
    let profile = &ready.profile;
    let text = match (profile.is_sandbox, profile.has_key) {
        (true, _) => "Switched to the sandbox".to_owned(),
        (false, true) => format!("Switched to {}", profile.name),
        (false, false) => format!("Switched to {}, without a key", profile.name),
    };
    let throughput = Arc::clone(&model.browsers[Resource::Offers].computed.throughput);
    model.start_over(ready.profile);
    model.unpack(ready.restored, false);
    model.set_throughput(Throughput::clone(&throughput));
    model.state.markets.market_list = ready.market_list;
    model.state.markets.status = None;
    effects.push(Effect::Market(MarketCommand::Activate(ready.ticket)));
    effects.extend(actions::start(model, now));
    model.show(Toast::new(text, now));
    effects
}
