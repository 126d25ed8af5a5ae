//! Market commands of the views, and their results.

use super::{Change, ConnectionTest, Done, Market, MarketCommand, MarketEvent, MarketReady, NewMarket, StatusMessage};
use crate::api::ApiError;
use crate::core::message::{Effect, News};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::Resource;
use crate::keys::{Action, Context};
use crate::table::remote::Ticket;

/// The contexts in which the keys of the list are looked up.
const LIST: &[Context] = &[Context::Items];

/// Reloads the list of markets and clears the messages of earlier commands; the status is then only about a
/// missing or refused API key of the current market.
pub fn reload_list(cx: &mut Cx<'_>) {
    let refused = key_trouble_status(cx.state());
    let markets = cx.markets();
    markets.invites = false;
    markets.finished = None;
    markets.failed = None;
    markets.status = refused;
    command(cx, MarketCommand::List);
}

/// A status message if a request of any table failed because the current market refused its API key or lacks
/// one; `None` if none did.
fn key_trouble_status(state: &State) -> Option<StatusMessage> {
    let on_pane = state.browser().into_iter();
    let all = Resource::ALL.map(|resource| &state.browsers[resource]);
    let error = on_pane
        .chain(all)
        .find_map(|browser| browser.remote().error().filter(|error| error.is_auth()))?;
    Some(StatusMessage::bad(failure_sentence(state, &state.profile.name, error)))
}

/// The sentence on a failed request to the market `name`, with the key to press if its API key is the cause.
fn failure_sentence(state: &State, name: &str, error: &ApiError) -> String {
    let key = state.keymap.key_in(LIST, Action::Settings);
    if matches!(error, ApiError::NoKey { .. }) {
        format!("{name}: {error}. Press {key} to add a key.")
    } else if error.is_auth() {
        format!("{name}: {error}. Press {key} to change the key.")
    } else {
        format!("{name}: {error}.")
    }
}

/// Saves the state and starts to connect to the saved market `name`, without sending anything to it; only
/// shows a status message if a write, a route run or a save is in progress.
pub fn connect(name: &str, cx: &mut Cx<'_>) {
    if let Some(why) = super::switch_blocked_reason(cx.state()) {
        let text = format!("Not connected to {name}: {why}.");
        cx.markets().status = Some(StatusMessage::bad(text));
        return;
    }
    // Connecting to the same market again reads the saved state, so save first.
    cx.save();
    let ticket = command(cx, MarketCommand::Connect(name.to_owned()));
    cx.markets().connecting = Some((ticket, name.to_owned()));
    cx.markets().status = None;
}

/// Stops connecting; returns the market's name, or `None` if no connection was in progress.
pub fn stop_connecting(cx: &mut Cx<'_>) -> Option<String> {
    cx.markets().connecting.take().map(|(_, name)| name)
}

/// Tests a market with one read-only request in the background. Not for the sandbox, and not during another
/// test: a status message says so.
pub fn test(market: &Market, cx: &mut Cx<'_>) {
    if market.address.is_none() {
        let text = "The sandbox runs inside bourse: there is nothing to test.";
        cx.markets().status = Some(StatusMessage::good(text));
        return;
    }
    if let Some(name) = cx.state().markets.testing() {
        let text = format!("{name} is being tested: one test at a time.");
        cx.markets().status = Some(StatusMessage::good(text));
        return;
    }
    let ticket = command(cx, MarketCommand::Test(market.name.clone()));
    cx.markets().testing = Some((ticket, market.name.clone()));
    cx.markets().status = None;
}

/// Starts to change the saved markets (add or remove one, change its key or dialect, or remove its key); the
/// outcome arrives later.
pub fn change(change: Change, cx: &mut Cx<'_>) {
    cx.markets().is_changing = true;
    command(cx, MarketCommand::Change(change));
}

/// Starts to detect the dialect of a market before it is added; the findings arrive later.
pub fn find_dialect(market: NewMarket, cx: &mut Cx<'_>) {
    cx.markets().findings = None;
    cx.markets().is_changing = true;
    command(cx, MarketCommand::Probe(market));
}

/// Issues a market command in the background; returns its ticket, which its result for `on_news` carries.
fn command(cx: &mut Cx<'_>, command: MarketCommand) -> Ticket {
    let ticket = cx.ticket();
    cx.effects_for(Owner::Feature(on_news), [Effect::Market { ticket, command }]);
    ticket
}

/// Handles the result of a market command (list, connect, test, detect a dialect, or change); that of a
/// connection or test that was given up meanwhile is ignored.
fn on_news(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Market(event) = news else { return };
    let markets = cx.markets();
    match *event {
        MarketEvent::Listed(market_list) => markets.market_list = market_list,
        MarketEvent::Ready(ready) => on_ready(cx, *ready),
        MarketEvent::ConnectFailed(why) => {
            let awaited = |(own, _): &mut (_, String)| *own == ticket;
            if let Some((_, name)) = markets.connecting.take_if(awaited) {
                markets.status = Some(StatusMessage::bad(format!("Not connected to {name}: {why}")));
            }
        }
        MarketEvent::Tested(outcome) => {
            let awaited = |(own, _): &mut (_, String)| *own == ticket;
            if let Some((_, name)) = markets.testing.take_if(awaited) {
                let status = test_status(cx.state(), &name, &outcome);
                cx.markets().status = Some(status);
            }
        }
        MarketEvent::Probed(found) => {
            markets.is_changing = false;
            markets.findings = Some(found);
        }
        MarketEvent::Changed { result, market_list } => {
            markets.market_list = market_list;
            markets.is_changing = false;
            match result {
                Ok(done) => markets.finished = Some(done),
                Err(error) => markets.failed = Some(error.to_string()),
            }
        }
    }
}

/// Switches to a connected market, if the user still wants it; a status message instead if something blocks
/// the switch.
fn on_ready(cx: &mut Cx<'_>, ready: MarketReady) {
    let is_awaited = |(ticket, _): &mut (_, String)| *ticket == ready.ticket;
    if cx.markets().connecting.take_if(is_awaited).is_none() {
        return;
    }
    match super::switch_blocked_reason(cx.state()) {
        Some(why) => {
            let text = format!("Not connected to {}: {why}.", ready.profile.name);
            cx.markets().status = Some(StatusMessage::bad(text));
        }
        None => cx.switch(ready),
    }
}

/// A sentence about a finished change of the market `name`; after one that a request can test, with the key
/// for it, and for a new market also that which connects.
pub fn explain_done(name: &str, done: Done, state: &State) -> String {
    let key = |action| state.keymap.key_in(LIST, action);
    let (connect, test) = (key(Action::Submit), key(Action::Refresh));
    match done {
        Done::Added => {
            format!("{name} added. {test} tests it with one request, {connect} connects.")
        }
        Done::KeyGiven => format!("Key of {name} saved. {test} tests it with one request."),
        Done::DialectSet => format!("Settings of {name} saved. {test} tests it with one request."),
        Done::KeyForgotten => format!("Key of {name} removed."),
        Done::Removed => format!("{name} removed."),
    }
}

/// The status message for the outcome of a market's test.
fn test_status(state: &State, name: &str, outcome: &ConnectionTest) -> StatusMessage {
    match outcome {
        ConnectionTest::Groups(count) => {
            let noun = if *count == 1 { "workergroup" } else { "workergroups" };
            StatusMessage::good(format!(
                "{name} responded and accepts the key: its account has {count} {noun}."
            ))
        }
        ConnectionTest::Offers(0) => {
            StatusMessage::good(format!("{name} responded to a search without a key, with no offers."))
        }
        ConnectionTest::Offers(_) => StatusMessage::good(format!(
            "{name} responds to searches. No API key configured: workergroups and volumes may need one."
        )),
        ConnectionTest::Failed(error) => StatusMessage::bad(failure_sentence(state, name, error)),
        ConnectionTest::NotSent(why) => StatusMessage::bad(format!("{name} was not tested: {why}.")),
    }
}
