//! The user's alerts: their searches, rules, and the log of their firings.

use bourse_domain::document::Document;
use bourse_domain::saved::SearchSpec;
use bourse_domain::text::{truncate, visible};
use bourse_domain::{Resource, format};
use serde::{Deserialize, Serialize};

use crate::{
    AlertState, Figures, Moment, Poll, PricePer, Repeat, Ring, Rule, Seen, Trigger, check, figure, with_storage,
};

/// The maximum length of a name, in characters.
///
/// A name is a line of a list and an argument of commands.
pub const LONGEST_NAME: usize = 60;

/// The maximum number of entries in the log.
///
/// The log is part of a file that is rewritten with every entry.
const MOST_LOGGED: usize = 500;

/// The subject of an alert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Followed {
    /// A search, as of the time the alert was added.
    Search(SearchSpec),
    /// The current search of the workergroup with this id.
    Group(i64),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    /// The name, unique among the alerts of a profile.
    pub name: String,
    pub follows: Followed,
    pub rule: Rule,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_paused: bool,
    #[serde(default)]
    pub state: AlertState,
}

/// An entry of the log: one firing of an alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    pub alert: String,
    pub at: Moment,
    /// The sentence about the figures of the poll.
    pub text: String,
}

/// The alerts of a profile.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Alerts {
    pub alerts: Vec<Alert>,
    /// The latest entries, the oldest first.
    pub log: Vec<Logged>,
}

/// One change of the alerts.
///
/// Several programs share the file: each applies its changes to the current content.
#[derive(Debug, Clone, PartialEq)]
pub enum AlertChange {
    /// Adds an alert; one with the same name is replaced.
    Put(Box<Alert>),
    /// Replaces the alert with the name, and renames it in the log if the name changes.
    Edit {
        name: String,
        alert: Box<Alert>,
    },
    Delete(String),
    Pause(String, bool),
    /// Stores the result of a checked poll: the state of the alert, and its firing.
    Checked {
        name: String,
        state: AlertState,
        rang: Option<Logged>,
    },
}

impl Alerts {
    /// The alert with this name; `None` if there is none.
    pub fn named(&self, name: &str) -> Option<&Alert> {
        self.alerts.iter().find(|alert| alert.name == name)
    }

    /// Applies a change to the alerts: adds or replaces one, edits or renames it, deletes it with all log
    /// entries of its name, pauses or resumes it (which resets its state), or stores a check; the log then
    /// has at most the latest 500 entries. Editing, pausing or checking an alert that does not exist has no
    /// effect.
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
                    // Clears the state, so that a resumed alert fires for offers that are there now.
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

    /// The alert with this name, to change it; `None` if there is none.
    fn named_mut(&mut self, name: &str) -> Option<&mut Alert> {
        self.alerts.iter_mut().find(|alert| alert.name == name)
    }

    /// A name for an alert: trimmed, cut to 60 cells with an ellipsis and, if an alert has it already, followed
    /// by the first free number from 2, as in `name (2)`, which may make it longer than 60.
    pub fn free_name(&self, name: &str) -> String {
        let name = truncate(name.trim(), LONGEST_NAME);
        if self.named(&name).is_none() {
            return name;
        }
        let numbered = (2..=self.alerts.len() + 1).map(|number| format!("{name} ({number})"));
        let mut free = numbered.filter(|name| self.named(name).is_none());
        free.next().unwrap_or(name)
    }
}

impl Document for Alerts {
    type Change = AlertChange;

    const FILE: &'static str = "alerts.json";

    fn apply(&mut self, change: &AlertChange) {
        self.apply(change);
    }
}

impl Alert {
    /// Whether it may still fire: it is not paused, has not fired for the only time, and is not expired.
    pub fn is_active(&self, now: Moment) -> bool {
        !self.is_paused && !self.rule.is_done(&self.state, now)
    }

    /// Checks it on a poll with prices for `storage` GB and updates its state; if it fires, returns the
    /// figures and the log entry, else `None`. `workers` is the number that the offers can run at once, if it
    /// follows a workergroup.
    pub fn check(&mut self, poll: &Poll, workers: Option<u32>, storage: f64) -> Option<(Ring, Logged)> {
        let sightings = &poll.priced(storage, self.rule.per);
        let figures = Figures {
            sightings,
            ..Figures::new(poll, workers)
        };
        let ring = check(&self.rule, &mut self.state, figures)?;
        let logged = Logged {
            alert: self.name.clone(),
            at: ring.at,
            text: describe_ring(&ring, self.rule.per, poll.search.resource == Resource::Volumes, storage),
        };
        Some((ring, logged))
    }
}

impl Alert {
    /// The figure of a poll that the alert's rule compares with its limit: the lowest price (also for a price
    /// drop), GPUs, or `workers`, the number that the offers could run at once. `None` if the poll failed or
    /// ignored filters, for a price with nothing on offer, for workers without `workers`, and for a machine's
    /// return.
    pub fn figure(&self, poll: &Poll, workers: Option<u32>, storage: f64) -> Option<f64> {
        let sightings = &poll.priced(storage, self.rule.per);
        let figures = Figures {
            sightings,
            ..Figures::new(poll, workers)
        };
        figure(&self.rule, figures)
    }
}

/// The environment variables for the user's command about a fired alert: its name, text and number of
/// machines, and the offer, machine, model and price of the cheapest lot, if there is one.
pub fn environment_variables(ring: &Ring, logged: &Logged) -> Vec<(&'static str, String)> {
    let mut values = vec![
        ("BOURSE_ALERT", visible(&logged.alert, 60)),
        ("BOURSE_ALERT_TEXT", logged.text.clone()),
        ("BOURSE_COUNT", ring.count.to_string()),
    ];
    if let Some(lot) = &ring.cheapest {
        values.extend([
            ("BOURSE_OFFER", lot.offer.to_string()),
            ("BOURSE_MACHINE", lot.lot.machine.to_string()),
            ("BOURSE_MODEL", visible(&lot.lot.model, 64)),
            ("BOURSE_PRICE", lot.price.to_string()),
        ]);
    }
    values
}

/// Describes the trigger of an alert's rule: `any below $0.30/h per GPU`. With `is_volume` its prices are in
/// $/GB/month.
pub fn describe_trigger(rule: &Rule, is_volume: bool) -> String {
    let price = |price: f64| format_price(price, rule.per, is_volume);
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

/// Describes the figures of the poll at which an alert fired, and the cheapest lot's machine and offer if
/// there is one; prices of offers include `storage` GB.
fn describe_ring(ring: &Ring, per: PricePer, is_volume: bool, storage: f64) -> String {
    let storage = if is_volume {
        String::new()
    } else {
        with_storage(storage)
    };
    let price = |price: f64| format_price(price, per, is_volume) + &storage;
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

/// Formats a price with its unit: `$0.30/h per GPU`, `$1.20/h per machine`, of volumes `$0.1/GB/month`.
fn format_price(price: f64, per: PricePer, is_volume: bool) -> String {
    if is_volume {
        return format!("${}/GB/month", format::trimmed(price, 4));
    }
    let per = match per {
        PricePer::Gpu => "per GPU",
        PricePer::Machine => "per machine",
    };
    format!("{} {per}", format::per_hour(price))
}

/// Describes how often an alert fires: `once`, `every time`, or `until` a date and time.
pub fn describe_repeat(repeat: Repeat) -> String {
    match repeat {
        Repeat::Once => "once".to_owned(),
        Repeat::EveryTime => "every time".to_owned(),
        Repeat::Until(end) => format!("until {}", format::moment(end.unix())),
    }
}
