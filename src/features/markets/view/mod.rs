//! The markets list: connect, add and test markets, and change their keys.

mod address;
mod dialect;
mod draw;
mod faults;
mod form;

use std::fmt::Write as _;

use ratatui::layout::Rect;

use self::form::MarketForm;
use super::{Change, Done, Market, StatusMessage};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::core::views::confirm::Confirm;
use crate::features::markets;
use crate::keys::{Action, Context};
use crate::settings::KeySource;

/// The view of the list. The selection is by name, because an index may change while the list is
/// open.
#[derive(Debug)]
pub(crate) struct Markets {
    selected: String,
}

/// Opens the list of markets with the current one selected; with an `index` (from 0) in the list, selects
/// that market and starts to connect to it as well.
pub(crate) fn open(index: Option<u16>, cx: &mut Cx<'_>) {
    markets::reload_list(cx);
    let mut view = Markets {
        selected: cx.state().profile.name.clone(),
    };
    if let Some(index) = index {
        view.connect_to(usize::from(index), cx);
    }
    cx.open(view);
}

/// Opens the form of a new market over the list of markets.
pub(crate) fn open_new(cx: &mut Cx<'_>) {
    open(None, cx);
    Markets::add(cx);
}

impl Markets {
    /// The index of the selected market; the first one if it is gone.
    fn selected_index(&self, state: &State) -> usize {
        state.markets.index_of(&self.selected).unwrap_or(0)
    }

    /// The selected market, or the first one if it is gone; `None` in an empty list.
    fn market<'a>(&self, state: &'a State) -> Option<&'a Market> {
        state.markets.market_list.markets.get(self.selected_index(state))
    }

    /// Selects the market at an index, at most the last, and clears the status.
    fn select(&mut self, index: usize, cx: &mut Cx<'_>) {
        let markets = cx.markets();
        let last = markets.market_list.markets.len().saturating_sub(1);
        if let Some(market) = markets.market_list.markets.get(index.min(last)) {
            self.selected.clone_from(&market.name);
            markets.status = None;
        }
    }

    /// Selects the market at an index and starts to connect to it.
    fn connect_to(&mut self, index: usize, cx: &mut Cx<'_>) {
        self.select(index, cx);
        let name = self.market(cx.state()).map(|market| market.name.clone());
        if let Some(name) = name {
            markets::connect(&name, cx);
        }
    }

    /// Handles Esc in the list of markets: stops connecting, or closes the list if no connection is in
    /// progress.
    fn back(cx: &mut Cx<'_>) {
        match markets::stop_connecting(cx) {
            Some(name) => {
                let text = format!("Not connected to {name}: cancelled.");
                cx.markets().status = Some(StatusMessage::good(text));
            }
            None => cx.close(),
        }
    }

    /// Opens the form of a new market; without a home directory, a status message instead.
    fn add(cx: &mut Cx<'_>) {
        if cx.state().markets.market_list.file.is_none() {
            let text = "There is no home folder for the configuration.";
            cx.markets().status = Some(StatusMessage::bad(text));
        } else {
            let form = MarketForm::new(cx);
            cx.open(form);
        }
    }

    /// Opens the form for a market's dialect and key, or shows the reason they cannot be changed.
    fn change_settings(market: &Market, cx: &mut Cx<'_>) {
        match key_fixed_reason(market, cx.state()) {
            Some(why) => cx.markets().status = Some(StatusMessage::bad(why)),
            None => cx.open(MarketForm::settings_of(market, cx.state())),
        }
    }

    /// Asks whether to remove a market from the configuration, with its stored key; of a built-in market and
    /// the connected one, only the key. Shows the reason if neither can be removed.
    fn remove(market: &Market, cx: &mut Cx<'_>) {
        let name = market.name.clone();
        let is_connected = name == cx.state().profile.name;
        if market.is_removable && !is_connected {
            let effect = market_removal_effect(market, cx.state());
            cx.open(question(&name, effect, Change::Remove(name.clone())));
            return;
        }
        match key_removal_effect(market, cx.state()) {
            Ok(effect) => {
                let key = format!("the key of {name}");
                cx.open(question(&key, effect, Change::Forget(name)));
            }
            Err(_) if market.is_removable => {
                let text = "Connect to another market to remove this one.";
                cx.markets().status = Some(StatusMessage::bad(text));
            }
            Err(error) => cx.markets().status = Some(StatusMessage::bad(error.to_string())),
        }
    }
}

/// The question before a market or a market's stored key is removed, by the name of the thing removed;
/// `effect` is its text, and "remove" carries out `change`.
fn question(removed: &str, effect: String, change: Change) -> Confirm {
    let title = format!("Remove {removed}?");
    let remove = move |cx: &mut Cx<'_>| markets::change(change, cx);
    Confirm::new(title, effect, "remove", remove).danger()
}

/// The effect of removing a market from the configuration, as sentences for the question.
fn market_removal_effect(market: &Market, state: &State) -> String {
    let file = state.markets.market_list.file.as_deref().unwrap_or_default();
    let mut effect = format!("It is removed from {file}.");
    if let KeySource::File(_) = &market.key
        && let Some(file) = market.file.as_ref().filter(|file| file.is_ours)
    {
        let _ = write!(effect, " Its key file {} will be deleted.", file.path);
    }
    effect.push_str(" Its saved searches, its record and its write history stay.");
    let settings = state.keymap.key_in(&[Context::Items], Action::Settings);
    let _ = write!(
        effect,
        "\n\nTo remove only its key, choose another source of the key with {settings}."
    );
    effect
}

/// The reason the key of a market cannot be changed here: the sandbox, an address of the command line, or no
/// home directory. `None` if it can.
fn key_fixed_reason(market: &Market, state: &State) -> Option<&'static str> {
    if market.address.is_none() {
        Some("The sandbox creates its own key.")
    } else if !market.is_configurable {
        Some(
            "An address of the command line takes its key from --api-key-file or BOURSE_API_KEY. \
             Add it as a market to save a key for it.",
        )
    } else if state.markets.market_list.file.is_none() {
        Some("There is no home folder for the key.")
    } else {
        None
    }
}

/// The reason a key cannot be removed here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum RemovalError {
    /// The market's key cannot be changed here.
    #[error("{0}")]
    Fixed(&'static str),
    #[error("The key is in the environment: unset {0} to remove it.")]
    Variable(&'static str),
    #[error("The key is that of the market's own client: bourse only reads it.")]
    OtherClient,
    #[error("No stored key.")]
    NoKey,
}

/// The effect of removing a market's key, as a sentence for the question.
///
/// # Errors
///
/// When it cannot be removed here: no key is stored, or it belongs to the environment, the sandbox or another
/// program.
fn key_removal_effect(market: &Market, state: &State) -> Result<String, RemovalError> {
    if let Some(why) = key_fixed_reason(market, state) {
        return Err(RemovalError::Fixed(why));
    }
    match &market.key {
        KeySource::Variable(name) => Err(RemovalError::Variable(name)),
        KeySource::OtherClient(_) => Err(RemovalError::OtherClient),
        KeySource::None | KeySource::Generated | KeySource::Withheld(_) => Err(RemovalError::NoKey),
        KeySource::File(path) => Ok(match &market.file {
            Some(file) if file.is_ours => format!("Its file {} will be deleted.", file.path),
            _ => format!("It is removed from the configuration. {path} stays where it is."),
        }),
        KeySource::Command => Ok("Its command is removed from the configuration. What it prints stays.".to_owned()),
        KeySource::Unusable(_) => Ok("It is removed from the configuration.".to_owned()),
    }
}

impl View for Markets {
    fn contexts(&self) -> &'static [Context] {
        &[Context::Items, Context::Global, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(action, Action::Job | Action::Export))
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            let index = self.selected_index(cx.state()).saturating_add_signed(lines);
            self.select(index, cx);
            return Outcome::Handled;
        }
        match action {
            Action::Back => Self::back(cx),
            Action::New => Self::add(cx),
            // The list is open already.
            Action::Markets => {}
            // They are about the pane below.
            Action::Job | Action::Export => {}
            Action::Market(index) => self.connect_to(usize::from(index), cx),
            Action::Submit | Action::Refresh | Action::Settings | Action::Remove => {
                let Some(market) = self.market(cx.state()).cloned() else {
                    return Outcome::Ignored;
                };
                match action {
                    Action::Submit => markets::connect(&market.name, cx),
                    Action::Refresh => markets::test(&market, cx),
                    Action::Settings => Self::change_settings(&market, cx),
                    _ => Self::remove(&market, cx),
                }
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN {
            return Outcome::Ignored;
        }
        // A click selects, a second one connects.
        if line == self.selected_index(cx.state()) {
            return self.update(Action::Submit, cx);
        }
        self.select(line, cx);
        Outcome::Handled
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        if let Some(why) = cx.markets().failed.take() {
            cx.markets().status = Some(StatusMessage::bad(why));
        }
        let Some((name, done)) = cx.markets().finished.take() else {
            return;
        };
        let text = markets::explain_done(&name, done, cx.state());
        cx.markets().status = Some(StatusMessage::good(text));
        self.selected.clone_from(&name);
        if done != Done::Added && name == cx.state().profile.name {
            // The current connection still has the old key.
            markets::connect(&name, cx);
        }
    }

    // Closing the list also means not switching.
    fn closing(&mut self, cx: &mut Cx<'_>) {
        markets::stop_connecting(cx);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::markets(self, area, scene);
    }
}
