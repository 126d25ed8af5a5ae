//! What keys, pastes and answers mean for the list of markets and its form.

use crossterm::event::KeyEvent;

use super::form::{Line, Purpose};
use super::{
    Change, Done, Errand, KeyFrom, KeySource, Market, MarketForm, MarketList, News, Roster, Said,
    Trial, switch,
};
use crate::api::ApiError;
use crate::app::Model;
use crate::app::actions::movement;
use crate::app::keymap::Action;
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::prompt::Question;
use crate::app::remote::Now;
use crate::domain::Resource;

/// Opens the list on the market that is spoken to; if its key was refused, that is said there.
pub(in crate::app) fn open(model: &mut Model) -> Vec<Effect> {
    model.state.markets.invites = false;
    if list(model).is_none() {
        let said = refusal(model);
        let selected = model
            .state
            .markets
            .place(&model.state.profile.name)
            .unwrap_or(0);
        let list = MarketList { selected, said };
        model.overlays.push(Overlay::Markets(list));
    }
    vec![Effect::Market(Errand::List)]
}

/// That the market refused or missed a key, if it did.
fn refusal(model: &Model) -> Option<Said> {
    let in_sight = model.browser().into_iter();
    let all = [
        &model.state.browsers[Resource::Offers],
        &model.state.browsers[Resource::Volumes],
        &model.state.browsers[Resource::Workergroups],
    ];
    let error = in_sight
        .chain(all)
        .find_map(|browser| browser.remote().error().filter(|error| error.is_auth()))?;
    Some(Said::bad(failed(model, &model.state.profile.name, error)))
}

/// That a market did not answer as it should, and what helps against it.
fn failed(model: &Model, name: &str, error: &ApiError) -> String {
    let way = model.state.keymap.way_to("market-key");
    if matches!(error, ApiError::NoKey { .. }) {
        format!("{way} gives {name} a key: {error}.")
    } else if error.is_auth() {
        format!("{way} gives {name} another key: {error}.")
    } else {
        format!("{name}: {error}.")
    }
}

/// The list, wherever it lies.
fn list(model: &mut Model) -> Option<&mut MarketList> {
    model
        .overlays
        .iter_mut()
        .rev()
        .find_map(|overlay| match overlay {
            Overlay::Markets(list) => Some(list),
            _ => None,
        })
}

fn form(model: &mut Model) -> Option<&mut MarketForm> {
    match model.overlays.last_mut() {
        Some(Overlay::MarketForm(form)) => Some(form),
        _ => None,
    }
}

fn say(model: &mut Model, said: Said) -> Vec<Effect> {
    if let Some(list) = list(model) {
        list.said = Some(said);
    }
    Vec::new()
}

/// Does what a verb means in the list or in the form, whichever is on top.
pub(in crate::app) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    if form(model).is_some() {
        return in_form(model, now, action);
    }
    let page = model.facts.overlay_page.max(1);
    let count = model.state.markets.roster.markets.len();
    let Some(list) = list(model) else {
        return Vec::new();
    };
    if let Some(step) = movement(action, page) {
        let target = list.selected.saturating_add_signed(step);
        list.selected = target.min(count.saturating_sub(1));
        list.said = None;
        return Vec::new();
    }
    match action {
        Action::Back => back(model),
        Action::NewMarket => add(model),
        _ => {
            let selected = list.selected;
            let Some(market) = model.state.markets.roster.markets.get(selected).cloned() else {
                return Vec::new();
            };
            match action {
                Action::Submit => connect(model, &market.name),
                Action::MarketTest => test(model, &market),
                Action::MarketKey => give_key(model, &market),
                Action::Remove => ask_to_forget(model, &market),
                _ => Vec::new(),
            }
        }
    }
}

/// Esc in the list: stop connecting, else leave.
fn back(model: &mut Model) -> Vec<Effect> {
    if let Some((_, name)) = model.state.markets.connecting.take() {
        let text = format!("Not connected to {name}: you stopped it.");
        return say(model, Said::good(text));
    }
    model.overlays.pop();
    Vec::new()
}

/// Has a market made ready. Nothing is sent before it is.
fn connect(model: &mut Model, name: &str) -> Vec<Effect> {
    if let Some(why) = super::held(model) {
        return say(model, Said::bad(format!("Not connected to {name}: {why}.")));
    }
    let ticket = model.state.tickets.take();
    model.state.markets.connecting = Some((ticket, name.to_owned()));
    if let Some(list) = list(model) {
        list.said = None;
    }
    // What is read of a profile is what was kept: a market can also be connected to anew.
    let snapshot = model.unkept().map(|kept| Effect::Keep(Box::new(kept)));
    let name = name.to_owned();
    let connect = Effect::Market(Errand::Connect { ticket, name });
    snapshot.into_iter().chain([connect]).collect()
}

fn test(model: &mut Model, market: &Market) -> Vec<Effect> {
    if market.address.is_none() {
        let text = "The sandbox runs inside bourse: there is nothing to test.";
        return say(model, Said::good(text));
    }
    if let Some(name) = model.state.markets.testing() {
        let text = format!("{name} is being tested: one test at a time.");
        return say(model, Said::good(text));
    }
    let ticket = model.state.tickets.take();
    model.state.markets.testing = Some((ticket, market.name.clone()));
    if let Some(list) = list(model) {
        list.said = None;
    }
    let name = market.name.clone();
    vec![Effect::Market(Errand::Test { ticket, name })]
}

/// Opens the form for a new market; one that was left comes back.
fn add(model: &mut Model) -> Vec<Effect> {
    if model.state.markets.roster.file.is_none() {
        let text = "There is no home folder to keep a market in.";
        return say(model, Said::bad(text));
    }
    let mut form = model
        .markets
        .draft
        .take()
        .unwrap_or_else(|| Box::new(MarketForm::new(&model.state.markets.roster)));
    form.refresh(&model.state.markets.roster);
    model.overlays.push(Overlay::MarketForm(form));
    Vec::new()
}

/// Why the key of a market cannot be given or forgotten here, if it cannot.
fn fixed(model: &Model, market: &Market) -> Option<&'static str> {
    if market.address.is_none() {
        Some("The sandbox makes a key of its own.")
    } else if !market.is_configurable {
        Some(
            "An address of the command line takes its key from --api-key-file or BOURSE_API_KEY. \
             Add it as a market to keep a key for it.",
        )
    } else if model.state.markets.roster.file.is_none() {
        Some("There is no home folder to keep a key in.")
    } else {
        None
    }
}

fn give_key(model: &mut Model, market: &Market) -> Vec<Effect> {
    if let Some(why) = fixed(model, market) {
        return say(model, Said::bad(why));
    }
    let form = MarketForm::key_of(market, &model.state.markets.roster);
    model.overlays.push(Overlay::MarketForm(Box::new(form)));
    Vec::new()
}

fn ask_to_forget(model: &mut Model, market: &Market) -> Vec<Effect> {
    if let Some(why) = fixed(model, market) {
        return say(model, Said::bad(why));
    }
    let what = match &market.key {
        KeySource::Variable(name) => {
            let text = format!("The key is in the environment: unset {name} to be without it.");
            return say(model, Said::bad(text));
        }
        KeySource::OtherClient(_) => {
            let text = "The key is that of the market's own client: bourse only reads it.";
            return say(model, Said::bad(text));
        }
        KeySource::None | KeySource::Own => {
            return say(model, Said::bad("There is no key to be forgotten."));
        }
        KeySource::File(path) => match &market.file {
            Some(file) if file.is_own => format!("Its file {} is deleted.", file.path),
            _ => format!("It is taken out of the configuration. {path} stays where it is."),
        },
        KeySource::Command => {
            "Its command is taken out of the configuration. What it prints stays where it is."
                .to_owned()
        }
        KeySource::Unusable(_) => "It is taken out of the configuration.".to_owned(),
    };
    let change = Change::Forget(market.name.clone());
    let question = Question::forget_key(&what, change);
    model.overlays.push(Overlay::Question(question));
    Vec::new()
}

/// Makes a change, after a yes.
pub(in crate::app) fn confirmed(model: &mut Model, change: Change) -> Vec<Effect> {
    if let Some(form) = form(model) {
        form.is_busy = true;
        form.complaint = None;
    }
    vec![Effect::Market(Errand::Change(change))]
}

/// The file of a key that a change makes away with: that is asked about.
fn lost_key(model: &Model, change: &Change) -> Option<String> {
    match change {
        Change::Key { name, from } if !matches!(from, KeyFrom::File(_)) => {
            let place = model.state.markets.place(name)?;
            let file = model.state.markets.roster.markets[place].file.as_ref();
            file.filter(|file| file.is_own)
                .map(|file| file.path.clone())
        }
        _ => None,
    }
}

fn in_form(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let Some(form) = form(model) else {
        return Vec::new();
    };
    match action {
        Action::Back => leave_form(model, now),
        _ if form.is_busy => {}
        Action::Down => form.step(1),
        Action::Up => form.step(-1),
        Action::Toggle | Action::Right => form.turn(true),
        Action::Left => form.turn(false),
        Action::Submit => {
            if let Some(change) = form.change() {
                return keep(model, change);
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Has a change made; if a kept key goes with it, only after a yes.
fn keep(model: &mut Model, change: Change) -> Vec<Effect> {
    let Some(file) = lost_key(model, &change) else {
        return confirmed(model, change);
    };
    let what = format!("The key that is kept now goes: its file {file} is deleted.");
    let question = Question::forget_key(&what, change);
    model.overlays.push(Overlay::Question(question));
    Vec::new()
}

/// Leaves the form; what was typed is kept, the key is not.
fn leave_form(model: &mut Model, now: Now) {
    let Some(Overlay::MarketForm(mut form)) = model.overlays.pop() else {
        return;
    };
    let had_key = !form.key().is_empty();
    let is_new = form.purpose == Purpose::Add;
    form.put_away();
    if is_new && form.is_begun() {
        model.state.markets.draft = Some(form);
        let way = model.state.keymap.way_to("new-market");
        let key = if had_key { ", without the key" } else { "" };
        model.show(Toast::new(
            format!("What you typed is kept{key}: {way} brings it back"),
            now,
        ));
    } else if had_key {
        model.show(Toast::new("The key that you typed is forgotten", now));
    }
}

/// Types into the form; false where there is none.
pub(in crate::app) fn typed(model: &mut Model, key: KeyEvent) -> bool {
    let Some(form) = form(model) else {
        return false;
    };
    if form.is_busy {
        return true;
    }
    let is_taken = if form.line() == Line::Key {
        form.key_mut().key(key)
    } else {
        form.input_mut().is_some_and(|input| input.key(key))
    };
    if is_taken {
        form.complaint = None;
    }
    true
}

/// Pastes into the form; gives how many characters were left out. `None` where there is no form.
pub(in crate::app) fn pasted(model: &mut Model, text: &str) -> Option<usize> {
    let form = form(model)?;
    if form.is_busy {
        return Some(0);
    }
    form.complaint = None;
    if form.line() == Line::Key {
        if let Err(fault) = form.key_mut().paste(text) {
            form.complaint = Some(format!("nothing was taken: {fault}"));
        }
        return Some(0);
    }
    if let Err(why) = form.takes_paste(text) {
        form.complaint = Some(why.to_owned());
        return Some(0);
    }
    form.input_mut()
        .map(|input| input.paste(text.trim()).refused)
}

/// Takes the news of an errand.
pub(in crate::app) fn news(model: &mut Model, now: Now, news: News) -> Vec<Effect> {
    match news {
        News::Listed(roster) => relist(model, roster),
        News::Arrived(arrival) => {
            // Whoever has left the list does not want to be carried off.
            if list(model).is_none() {
                model.state.markets.connecting = None;
            }
            return switch::arrived(model, now, *arrival);
        }
        News::Stayed { ticket, why } => {
            let awaited = |(own, _): &mut (_, String)| *own == ticket;
            if let Some((_, name)) = model.state.markets.connecting.take_if(awaited) {
                return say(model, Said::bad(format!("Not connected to {name}: {why}")));
            }
        }
        News::Tested { ticket, outcome } => {
            let awaited = |(own, _): &mut (_, String)| *own == ticket;
            if let Some((_, name)) = model.state.markets.testing.take_if(awaited) {
                let said = tested(model, &name, &outcome);
                return say(model, said);
            }
        }
        News::Changed { result, roster } => {
            relist(model, roster);
            return changed(model, result);
        }
    }
    Vec::new()
}

/// Takes a new list up; the selection stays with its market.
fn relist(model: &mut Model, roster: Roster) {
    let before = list(model).map_or(0, |list| list.selected);
    let name = model.state.markets.roster.markets.get(before);
    let name = name.map(|market| market.name.clone());
    model.state.markets.roster = roster;
    let last = model.state.markets.roster.markets.len().saturating_sub(1);
    let place = name
        .or_else(|| Some(model.state.profile.name.clone()))
        .and_then(|name| model.state.markets.place(&name));
    if let Some(list) = list(model) {
        list.selected = place.unwrap_or(before).min(last);
    }
}

fn changed(model: &mut Model, result: Result<(String, Done), String>) -> Vec<Effect> {
    let (name, done) = match result {
        Ok(done) => done,
        Err(why) => {
            if let Some(form) = form(model).filter(|form| form.is_busy) {
                form.is_busy = false;
                form.complaint = Some(why);
                return Vec::new();
            }
            return say(model, Said::bad(why));
        }
    };
    if form(model).is_some_and(|form| form.is_busy) {
        model.overlays.pop();
    }
    let way = |name| model.state.keymap.way_to(name);
    let (connect_key, test_key) = (way("market-connect"), way("market-test"));
    let text = match done {
        Done::Added => {
            format!(
                "{name} is added. {test_key} tests it with one request, {connect_key} connects."
            )
        }
        Done::KeyGiven => format!("{name} has its key. {test_key} tests it with one request."),
        Done::KeyForgotten => format!("The key of {name} is forgotten."),
    };
    let place = model.state.markets.place(&name);
    if let Some(list) = list(model) {
        list.selected = place.unwrap_or(list.selected);
        list.said = Some(Said::good(text));
    }
    if done != Done::Added && name == model.state.profile.name && list(model).is_some() {
        // What is spoken to now still has the old key.
        return connect(model, &name);
    }
    Vec::new()
}

/// What a test came to, in words.
fn tested(model: &Model, name: &str, outcome: &Trial) -> Said {
    match outcome {
        Trial::Groups(count) => {
            let noun = if *count == 1 {
                "workergroup"
            } else {
                "workergroups"
            };
            Said::good(format!(
                "{name} answered and takes the key: its account has {count} {noun}."
            ))
        }
        Trial::Offers(0) => Said::good(format!(
            "{name} answered a search without a key, with no offer."
        )),
        Trial::Offers(_) => Said::good(format!(
            "{name} answers searches. No key is known for it: workergroups and volumes may want one."
        )),
        Trial::Failed(error) => Said::bad(failed(model, name, error)),
        Trial::NotSent(why) => Said::bad(format!("{name} was not asked: {why}.")),
    }
}

/// Connects to the market at a place of the list, which shows how that goes.
pub(in crate::app) fn chosen(model: &mut Model, place: u16) -> Vec<Effect> {
    let market = model.state.markets.roster.markets.get(usize::from(place));
    let Some(name) = market.map(|market| market.name.clone()) else {
        return Vec::new();
    };
    let mut effects = open(model);
    if let Some(list) = list(model) {
        list.selected = usize::from(place);
    }
    effects.extend(connect(model, &name));
    effects
}

/// Moves in the list or the form by turns of the wheel.
pub(in crate::app) fn wheel(model: &mut Model, now: Now, by: isize) {
    let action = if by < 0 { Action::Up } else { Action::Down };
    act(model, now, action);
}

/// Takes a click on a line: it is selected; once it is, a second one does what Enter or a blank does.
pub(in crate::app) fn click(model: &mut Model, now: Now, index: usize) -> Vec<Effect> {
    if let Some(form) = form(model) {
        let was_at = form.at() == index;
        form.select(index);
        if was_at && form.line().is_choice() {
            form.turn(true);
        }
        return Vec::new();
    }
    let Some(list) = list(model) else {
        return Vec::new();
    };
    if list.selected == index {
        return act(model, now, Action::Submit);
    }
    list.selected = index;
    list.said = None;
    Vec::new()
}
