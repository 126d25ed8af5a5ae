//! What is there before a script starts: market, profile, files, markets, themes; and keys by name.

use bourse::core::keys::{UserKeys, configured};
use bourse::core::sandbox::{SandboxNotes, UserListing};
use bourse::core::themes::{NamedTheme, Themes};
use bourse::core::{Model, Profile};
use bourse::domain::Dialect;
use bourse::domain::document::Documents;
use bourse::domain::journal::{Entry, Intent, WriteKind};
use bourse::domain::time::UnixTime;
use bourse::domain::workergroup::NewWorkergroup;
use bourse::features::markets::{Market as Listed, MarketList, RestoredState};
use bourse::record::{Moment, Poll};
use bourse::settings::KeySource;
use bourse::tui::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::market::Market;
use super::script::{Script, What};

/// When every script starts: noon of the day at which the frozen market stands still, 2026-01-01 UTC.
pub const START: UnixTime = UnixTime::new(1_767_268_800.0);

/// The `given` lines of a script.
pub struct Given<'s>(Vec<&'s str>);

impl<'s> Given<'s> {
    pub fn of(script: &'s Script) -> Self {
        let given = script.steps.iter().filter_map(|step| match &step.what {
            What::Given(text) => Some(text.as_str()),
            _ => None,
        });
        Self(given.collect())
    }

    pub fn has(&self, wanted: &str) -> bool {
        self.0.contains(&wanted)
    }

    /// What follows a verb in the first line with it.
    fn after(&self, verb: &str) -> Option<&'s str> {
        self.0.iter().find_map(|text| text.strip_prefix(verb))
    }

    /// The dashboard before its start.
    pub fn model(&self, market: &Market) -> Model {
        let is_sandbox = self.has("the sandbox");
        let dialect = match self.after("dialect ") {
            Some(name) => Dialect::named(name).unwrap(),
            None if is_sandbox => &Dialect::SANDBOX,
            None => &Dialect::DOCUMENTED,
        };
        let name = if is_sandbox { "sandbox" } else { "work" };
        let profile = Profile {
            is_sandbox,
            read_only: self.has("read-only"),
            ..profile(name, dialect)
        };
        let mut model = bourse::features::dashboard(profile, None);
        model.settings.values.checks_supply = false;
        let unsettled = self.has("a creation whose outcome is unknown");
        let own = || market.sandbox().running.user_listings().iter();
        let own = || {
            own().map(|own| UserListing {
                id: own.id,
                rented: own.rented,
            })
        };
        let restored = RestoredState {
            notices: self.after("a notice ").map(str::to_owned).into_iter().collect(),
            history: unsettled.then(unknown_creation).into_iter().collect(),
            sandbox: SandboxNotes {
                listings: if is_sandbox { own().collect() } else { Vec::new() },
                ..SandboxNotes::default()
            },
            ..nothing_restored()
        };
        model.unpack(restored, false);
        model.markets.invites = self.has("a first run");
        model.markets.market_list = market_list();
        model.settings.themes = themes();
        if let Some((name, keys)) = self.after("keys ").and_then(|own| own.split_once('=')) {
            let (keymap, errors) = configured(&[UserKeys {
                name: name.to_owned(),
                keys: keys.split_whitespace().map(str::to_owned).collect(),
                line: 1,
            }]);
            model.keymap = keymap;
            let errors = errors.into_iter().map(|error| error.message);
            model.notices.extend(errors);
        }
        model
    }
}

pub fn profile(name: &str, dialect: &'static Dialect) -> Profile {
    Profile {
        name: name.to_owned(),
        is_sandbox: false,
        read_only: false,
        dialect,
        base_url: "https://market.example".to_owned(),
        route_url: "https://run.example".to_owned(),
        has_key: true,
        worker_root: Default::default(),
    }
}

/// The files of a profile that was never used.
pub fn nothing_restored() -> RestoredState {
    RestoredState {
        documents: Some(Documents::default()),
        ..RestoredState::default()
    }
}

fn unknown_creation() -> Entry {
    Entry {
        intent: Intent {
            key: "earlier".to_owned(),
            at: START - 3600.0,
            profile: "work".to_owned(),
            address: "https://market.example".to_owned(),
            kind: WriteKind::CreateWorkergroup,
            subject: "endpoint llama-70b".to_owned(),
            group: Some(Box::new(NewWorkergroup {
                endpoint_name: Some("llama-70b".to_owned()),
                template_hash: Some("0123abc".to_owned()),
                search_params: Some("gpu_ram>=80 num_gpus=1".to_owned()),
                ..NewWorkergroup::default()
            })),
            over_limit: None,
        },
        outcome: None,
    }
}

/// The polls of the week before one: one every six hours, with prices that rise and fall over a day and
/// machines that come and go. Most of a day in between was not watched.
pub fn past(poll: &Poll) -> Vec<Poll> {
    const STEP: i64 = 6 * 3600;
    let steps = (1..=28).rev().filter(|back| !(9..12).contains(back));
    let earlier = steps.map(|back: i64| {
        let factor = [1.0, 0.95, 1.05, 1.1][usize::try_from(back % 4).unwrap()];
        let mut poll = poll.clone();
        poll.at = Moment(poll.at.0 - back * STEP);
        poll.interval = Some(u32::try_from(STEP).unwrap());
        let is_there = |machine: i64| (machine + back / 4) % 7 != 0;
        poll.sightings.retain(|own| is_there(own.lot.machine));
        poll.lines.retain(|own| is_there(own.line.lot.machine));
        for own in &mut poll.sightings {
            own.price = (own.price * factor * 1e4).round() / 1e4;
        }
        poll
    });
    earlier.collect()
}

pub fn market(name: &str, address: Option<&str>, key: KeySource) -> Listed {
    Listed {
        name: name.to_owned(),
        address: address.map(str::to_owned),
        route: None,
        dialect: &Dialect::DOCUMENTED,
        read_only: false,
        key,
        file: None,
        is_removable: false,
        is_configurable: address.is_some(),
    }
}

pub fn market_list() -> MarketList {
    MarketList {
        markets: vec![
            market("sandbox", None, KeySource::Generated),
            market("work", Some("https://market.example"), KeySource::Command),
            market("other", Some("https://other.example"), KeySource::None),
        ],
        has_variable: false,
        file: Some("/home/me/.config/bourse/config.toml".to_owned()),
        wrong: None,
    }
}

fn themes() -> Themes {
    let all = [("dark", Theme::DARK), ("light", Theme::LIGHT)];
    let all = all.into_iter().map(|(name, theme)| NamedTheme {
        name: name.to_owned(),
        theme: Some(theme),
        is_users: false,
    });
    Themes {
        all: all.collect(),
        chosen: "dark".to_owned(),
        ..Themes::default()
    }
}

/// The key of a name, as the configuration spells it.
pub fn key_event(key: &str) -> KeyEvent {
    let (modifiers, name) = match key.split_once('-') {
        Some(("ctrl", name)) => (KeyModifiers::CONTROL, name),
        _ => (KeyModifiers::NONE, key),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "space" => KeyCode::Char(' '),
        "backspace" => KeyCode::Backspace,
        "delete" => KeyCode::Delete,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "end" => KeyCode::End,
        "pgdn" => KeyCode::PageDown,
        "f2" => KeyCode::F(2),
        "f5" => KeyCode::F(5),
        _ if name.chars().count() == 1 => KeyCode::Char(name.chars().next().unwrap()),
        _ => panic!("no key is called {name}"),
    };
    KeyEvent::new(code, modifiers)
}
