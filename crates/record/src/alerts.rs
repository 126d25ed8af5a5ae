//! The person's alerts: the searches that they follow, what each waits for, and when each rang.

use bourse_domain::format;
use bourse_domain::saved::SearchSpec;
use serde::{Deserialize, Serialize};

use crate::{AlertState, Moment, PricePer, Repeat, Ring, Rule, Seen, Trigger, with_storage};

// A name is a line of a list and an argument of commands.
/// The longest name, in characters.
pub const LONGEST_NAME: usize = 60;

// The log is part of a file that is rewritten with every ring.
/// How many rings the log keeps.
const MOST_LOGGED: usize = 500;

/// What an alert follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Followed {
    /// A search, as it was when the alert was added.
    Search(SearchSpec),
    /// The search of the workergroup with that id, as it is now.
    Group(i64),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    /// Unique.
    pub name: String,
    pub follows: Followed,
    pub rule: Rule,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_paused: bool,
    #[serde(default)]
    pub state: AlertState,
}

/// A ring in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    pub alert: String,
    pub at: Moment,
    /// The sentence about what the poll showed.
    pub text: String,
}

/// The alerts of a profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Alerts {
    pub alerts: Vec<Alert>,
    /// The latest rings, the oldest first.
    pub log: Vec<Logged>,
}

/// One change. Several programs share a file: each applies its changes to the current content.
#[derive(Debug, Clone, PartialEq)]
pub enum AlertChange {
    /// Adds an alert; one with the same name is replaced.
    Put(Box<Alert>),
    /// Replaces the alert of that name, with its log if the name changes.
    Edit {
        name: String,
        alert: Box<Alert>,
    },
    Delete(String),
    Pause(String, bool),
    /// A poll was checked: what the alert remembers, and its ring.
    Checked {
        name: String,
        state: AlertState,
        rang: Option<Logged>,
    },
}

impl Alerts {
    pub fn named(&self, name: &str) -> Option<&Alert> {
        self.alerts.iter().find(|alert| alert.name == name)
    }

    /// Applies a change. Nothing happens if the alert no longer exists.
    pub fn apply(&mut self, change: &AlertChange) {
        match change {
            AlertChange::Put(alert) => match self.alerts.iter_mut().find(|existing| existing.name == alert.name) {
                Some(existing) => *existing = Alert::clone(alert),
                None => self.alerts.push(Alert::clone(alert)),
            },
            AlertChange::Edit { name, alert } => {
                let Some(existing) = self.named_mut(name) else {
                    return;
                };
                existing.clone_from(alert);
                let log = self.log.iter_mut();
                for logged in log.filter(|logged| logged.alert == *name) {
                    logged.alert.clone_from(&alert.name);
                }
            }
            AlertChange::Delete(name) => {
                self.alerts.retain(|alert| alert.name != *name);
                self.log.retain(|logged| logged.alert != *name);
            }
            AlertChange::Pause(name, is_paused) => {
                if let Some(alert) = self.named_mut(name) {
                    alert.is_paused = *is_paused;
                    // Whoever turns it on wants to hear of what is there now.
                    alert.state = AlertState::default();
                }
            }
            AlertChange::Checked { name, state, rang } => {
                let Some(alert) = self.named_mut(name) else {
                    return;
                };
                alert.state.clone_from(state);
                self.log.extend(rang.clone());
                let old = self.log.len().saturating_sub(MOST_LOGGED);
                self.log.drain(..old);
            }
        }
    }

    fn named_mut(&mut self, name: &str) -> Option<&mut Alert> {
        self.alerts.iter_mut().find(|alert| alert.name == name)
    }

    /// The name, made unique by a number.
    pub fn free_name(&self, name: &str) -> String {
        let name: String = name.trim().chars().take(LONGEST_NAME).collect();
        if self.named(&name).is_none() {
            return name;
        }
        let numbered = (2..=self.alerts.len() + 1).map(|number| format!("{name} ({number})"));
        let mut free = numbered.filter(|name| self.named(name).is_none());
        free.next().unwrap_or(name)
    }
}

impl Alert {
    /// Whether it may still ring.
    pub fn is_active(&self, now: Moment) -> bool {
        !self.is_paused && !self.rule.is_done(&self.state, now)
    }
}

/// What a rule waits for: `below $0.30/h per GPU`. `is_volume` says which unit its prices have.
pub fn condition(rule: &Rule, is_volume: bool) -> String {
    let price = |price: f64| priced(price, rule.per, is_volume);
    match rule.trigger {
        Trigger::PriceBelow(limit) => format!("any below {}", price(limit)),
        Trigger::GpusAtLeast { gpus, below: None } => {
            format!("at least {}", format::counted(gpus as usize, "GPU", "GPUs"))
        }
        Trigger::GpusAtLeast {
            gpus,
            below: Some(limit),
        } => {
            let gpus = format::counted(gpus as usize, "GPU", "GPUs");
            format!("at least {gpus} below {}", price(limit))
        }
        Trigger::MachineBack(machine) => format!("machine {machine} is back"),
        Trigger::PriceDown { percent, hours } => {
            format!("lowest price down {percent}% in {hours} h")
        }
        Trigger::GpusBelow(gpus) => {
            let gpus = format::counted(gpus as usize, "GPU", "GPUs");
            format!("fewer than {gpus}")
        }
        Trigger::WorkersBelow(workers) => {
            let workers = format::counted(workers as usize, "worker", "workers");
            format!("supply below {workers}")
        }
    }
}

/// What a poll showed when an alert rang; its prices include `storage` GB.
pub fn seen(ring: &Ring, per: PricePer, is_volume: bool, storage: f64) -> String {
    let storage = if is_volume {
        String::new()
    } else {
        with_storage(storage)
    };
    let price = |price: f64| priced(price, per, is_volume) + &storage;
    let text = match ring.seen {
        Seen::Price(lowest) => format!("{} is the lowest price", price(lowest)),
        Seen::Gpus(gpus) => format!("{} on offer", format::counted(gpus as usize, "GPU", "GPUs")),
        Seen::Machine(machine) => format!("machine {machine} is on offer"),
        Seen::Down { from, to, .. } => format!("down from {} to {}", price(from), price(to)),
        Seen::Workers(workers) => {
            let workers = format::counted(workers as usize, "worker", "workers");
            format!("supply for {workers}")
        }
    };
    match &ring.cheapest {
        Some(lot) => format!("{text}: machine {}, offer {}", lot.lot.machine, lot.offer),
        None => text,
    }
}

/// A price with its unit.
fn priced(price: f64, per: PricePer, is_volume: bool) -> String {
    if is_volume {
        return format!("${}/GB/month", format::trimmed(price, 4));
    }
    let per = match per {
        PricePer::Gpu => "per GPU",
        PricePer::Machine => "per machine",
    };
    format!("{} {per}", format::per_hour(price))
}

/// How often a rule rings.
pub fn repeat(repeat: Repeat) -> String {
    match repeat {
        Repeat::Once => "once".to_owned(),
        Repeat::EveryTime => "every time".to_owned(),
        #[expect(clippy::cast_precision_loss)] // seconds of this age of the world
        Repeat::Until(end) => format!("until {}", format::moment(end.0 as f64)),
    }
}
