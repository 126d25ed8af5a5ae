//! Alerts: the triggers that a poll is checked for, and the repetition of an alert.

use serde::{Deserialize, Serialize};

use super::{Moment, Poll, PollOutcome, Quote, Sighting, lowest_price};

/// Seconds that an alert has to stay clear before it fires again.
///
/// A price that moves around its limit would fire with every poll, which is about once a minute.
const REST: i64 = 600;

/// The distance beyond the limit, as a share of it, at which an alert is clear at once.
///
/// So far beyond the limit it is no flutter: the next time is news again, however soon.
const MARGIN: f64 = 0.1;

/// The number of parts of the time span of [`Trigger::PriceDown`]; each stores one price.
///
/// The state is stored: a watch over days must not fill it.
const PARTS: i64 = 256;

/// The event that an alert waits for. Prices are per [`Rule::per`], of volumes per GB and month.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Any lot is below a price, in $.
    PriceBelow(f64),
    /// At least `gpus` GPUs are on offer, counting only lots below a price if there is one.
    GpusAtLeast {
        gpus: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        below: Option<f64>,
    },
    /// Anything is on offer on the machine with this id.
    MachineBack(i64),
    /// The lowest price is `percent` below the highest lowest price of the last `hours` hours.
    PriceDown { percent: f64, hours: u32 },
    /// Fewer GPUs than this are on offer.
    GpusBelow(u32),
    /// The offers suffice for fewer workers than this: see [`Figures::workers`].
    WorkersBelow(u32),
}

/// The repetition of an alert. It rests in between, see [`check`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repeat {
    #[default]
    Once,
    EveryTime,
    /// Every time until a moment.
    Until(Moment),
}

/// The basis of a rule's prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PricePer {
    #[default]
    Gpu,
    /// Per machine: all GPUs of an offer together.
    Machine,
}

impl PricePer {
    /// The lowest price of `quotes` with `storage` GB for the whole offer: for `Gpu` in $/h per GPU, for
    /// `Machine` in $/h of the whole offer; of volumes always in $/GB/month.
    ///
    /// Without quotes it is `recorded` for `Gpu`, and infinite for `Machine`, which then has no price.
    pub fn price(self, quotes: impl Iterator<Item = Quote>, recorded: f64, storage: f64) -> f64 {
        match self {
            Self::Gpu => lowest_price(quotes, recorded, None, storage).unwrap_or(recorded),
            Self::Machine => quotes.map(|quote| quote.total(storage)).fold(f64::INFINITY, f64::min),
        }
    }
}

/// An alert's rule, checked on the polls of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The GPU model whose lots count; `None` for all models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default)]
    pub repeat: Repeat,
    /// The basis of its prices. For volumes always per GPU, which means per GB.
    #[serde(default)]
    pub per: PricePer,
    pub trigger: Trigger,
}

/// The reason a rule can never fire, or always does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("the price must be above zero")]
    Price,
    #[error("the number must be at least 1")]
    Count,
    #[error("the percentage must be above 0 and below 100")]
    Percent,
    #[error("the hours must be from 1 to 168")]
    Hours,
}

impl Rule {
    /// Checks the numbers of an alert's trigger: prices finite and above zero, counts of GPUs or workers at
    /// least 1, a percentage between 0 and 100 (both excluded), 1 to 168 hours. Any machine id is valid.
    pub fn validate(&self) -> Result<(), RuleError> {
        let price = |price: f64| (price.is_finite() && price > 0.0).then_some(()).ok_or(RuleError::Price);
        let count = |number: u32| (number > 0).then_some(()).ok_or(RuleError::Count);
        match self.trigger {
            Trigger::PriceBelow(limit) => price(limit),
            Trigger::GpusAtLeast { gpus, below } => {
                count(gpus)?;
                below.map_or(Ok(()), price)
            }
            Trigger::MachineBack(_) => Ok(()),
            Trigger::PriceDown { percent, hours } => {
                let is_share = percent > 0.0 && percent < 100.0;
                is_share.then_some(()).ok_or(RuleError::Percent)?;
                // At most a week, because the highs of that time are stored with the alert.
                (1..=168).contains(&hours).then_some(()).ok_or(RuleError::Hours)
            }
            Trigger::GpusBelow(number) | Trigger::WorkersBelow(number) => count(number),
        }
    }

    /// The price limit of an alert's trigger, per GPU or machine by `per`, in $/h (of volumes in $/GB/month);
    /// `None` for triggers that have no price limit.
    pub const fn price_limit(&self) -> Option<f64> {
        match self.trigger {
            Trigger::PriceBelow(limit) => Some(limit),
            Trigger::GpusAtLeast { below, .. } => below,
            Trigger::MachineBack(_) | Trigger::PriceDown { .. } | Trigger::GpusBelow(_) | Trigger::WorkersBelow(_) => {
                None
            }
        }
    }

    /// The number of an alert's trigger that [`figure`] is compared with: a price in dollars, or the count of
    /// GPUs or workers. GPUs below a price give their count. `None` for a price drop and a machine's return.
    pub fn compared_limit(&self) -> Option<f64> {
        match self.trigger {
            Trigger::PriceBelow(limit) => Some(limit),
            Trigger::GpusAtLeast { gpus: count, .. } | Trigger::GpusBelow(count) | Trigger::WorkersBelow(count) => {
                Some(f64::from(count))
            }
            Trigger::MachineBack(_) | Trigger::PriceDown { .. } => None,
        }
    }

    /// The lots of a poll that have the GPU model of the alert's rule; all lots if the rule names none.
    fn lots<'a>(&self, figures: Figures<'a>) -> impl Iterator<Item = &'a Sighting> {
        let lots = figures.sightings.iter();
        lots.filter(|sighting| self.model.as_ref().is_none_or(|model| *sighting.lot.model == **model))
    }

    /// The lots of the rule's model strictly below its price limit, if it has one, and on the machine that it
    /// waits for, if any.
    fn counted<'a>(&self, figures: Figures<'a>) -> impl Iterator<Item = &'a Sighting> {
        let limit = self.price_limit().unwrap_or(f64::INFINITY);
        let is_other = |machine: i64| matches!(self.trigger, Trigger::MachineBack(wanted) if wanted != machine);
        let lots = self.lots(figures);
        lots.filter(move |sighting| sighting.price < limit && !is_other(sighting.lot.machine))
    }

    /// Whether an alert's rule will not fire again: it fires only once and has fired, or its `until` moment
    /// is reached. Never for rules that repeat every time.
    pub fn is_done(&self, state: &AlertState, now: Moment) -> bool {
        match self.repeat {
            Repeat::Once => state.phase == Phase::Rung,
            Repeat::EveryTime => false,
            Repeat::Until(end) => now >= end,
        }
    }
}

/// The state of an alert between polls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AlertState {
    phase: Phase,
    /// The moment since which no poll has met the trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    clear_since: Option<Moment>,
    /// Lowest prices of earlier polls from the highest to the latest, each above those after it.
    ///
    /// Version 0.1 stored those with 50 GB for each GPU under another name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    highs: Vec<(Moment, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    #[default]
    Armed,
    Rung,
}

/// The figures of a poll that an alert is checked against.
#[derive(Debug, Clone, Copy)]
pub struct Figures<'a> {
    pub at: Moment,
    pub outcome: PollOutcome,
    pub sightings: &'a [Sighting],
    /// The number of workers that the poll's offers can run at once; `None` unless the search is a workergroup's.
    pub workers: Option<u32>,
}

impl<'a> Figures<'a> {
    /// The figures of a poll with its own sightings; `workers` as in [`Figures::workers`].
    pub fn new(poll: &'a Poll, workers: Option<u32>) -> Self {
        Self {
            at: poll.at,
            outcome: poll.outcome,
            sightings: &poll.sightings,
            workers,
        }
    }
}

/// The figure of the poll that met the trigger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seen {
    /// The lowest price, in the rule's unit.
    Price(f64),
    /// The number of GPUs on offer.
    Gpus(u32),
    Machine(i64),
    /// The lowest price, and the higher one at an earlier moment.
    Down {
        from: f64,
        since: Moment,
        to: f64,
    },
    /// The number of workers that can run.
    Workers(u32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ring {
    pub at: Moment,
    pub seen: Seen,
    /// The cheapest lot to which the rule applies; `None` if none is on offer.
    pub cheapest: Option<Sighting>,
    /// The number of machines on offer to which the rule applies, of volumes clusters.
    pub count: usize,
}

/// The result of checking a poll for a trigger.
enum Sight<'a> {
    Met(Seen, Option<&'a Sighting>),
    Clear {
        is_far: bool,
    },
    /// Unknown: the response failed, or was truncated and the rest could decide.
    Unknown,
}

/// Checks an alert's rule on a poll and updates the alert's state; returns the figures if the alert fires.
/// `None` if its trigger is not met or cannot be decided, if it has not rested since it last fired, or if the
/// rule is done (then the state stays).
///
/// To rest it must be clear by a tenth of its limit, or for ten minutes. For a machine's return, a price
/// drop, and a price limit with nothing on offer only the ten minutes count.
pub fn check(rule: &Rule, state: &mut AlertState, figures: Figures<'_>) -> Option<Ring> {
    let at = figures.at;
    if rule.is_done(state, at) {
        return None;
    }
    // After the clock was set back, times in the future must not be counted from.
    state.clear_since = state.clear_since.map(|since| since.min(at));
    let sight = evaluate(rule, state, figures);
    let has_rested = state.clear_since.is_some_and(|since| at.since(since) >= REST);
    match sight {
        Sight::Unknown => None,
        Sight::Clear { is_far } => {
            state.clear_since.get_or_insert(at);
            if is_far || has_rested {
                state.phase = Phase::Armed;
            }
            None
        }
        Sight::Met(seen, cheapest) => {
            state.clear_since = None;
            let may_ring = state.phase == Phase::Armed || has_rested;
            state.phase = Phase::Rung;
            may_ring.then(|| Ring {
                at,
                seen,
                cheapest: cheapest.cloned(),
                count: rule.counted(figures).count(),
            })
        }
    }
}

/// The figure of a poll that an alert's rule compares with its limit: the lowest price (also for a price
/// drop), the GPUs on offer below the rule's price if it has one, or the workers that the offers could run at
/// once. `None` if the poll failed or ignored filters, for a price with nothing on offer, for workers if the
/// poll has no such number, and for a machine's return. Of a truncated poll it is that of the rows it has.
pub fn figure(rule: &Rule, figures: Figures<'_>) -> Option<f64> {
    if !figures.outcome.is_usable() {
        return None;
    }
    match rule.trigger {
        Trigger::PriceBelow(_) | Trigger::PriceDown { .. } => {
            cheapest(rule.lots(figures)).map(|sighting| sighting.price)
        }
        Trigger::GpusAtLeast { .. } | Trigger::GpusBelow(_) => Some(f64::from(total(rule.counted(figures)))),
        Trigger::WorkersBelow(_) => figures.workers.map(f64::from),
        Trigger::MachineBack(_) => None,
    }
}

/// Compares a poll with the trigger of an alert's rule: met, clear or unknown. Unknown if the poll is
/// unusable or lacks the number of workers, or if it is truncated and more rows could change the result. A
/// price drop also updates the earlier prices in `state`.
fn evaluate<'a>(rule: &Rule, state: &mut AlertState, figures: Figures<'a>) -> Sight<'a> {
    if !figures.outcome.is_usable() {
        return Sight::Unknown;
    }
    let cheapest = cheapest(rule.lots(figures));
    let total = total(rule.counted(figures));
    let sight = match rule.trigger {
        Trigger::PriceBelow(limit) => price_below(cheapest, limit),
        Trigger::GpusAtLeast { gpus, .. } if total >= gpus => Sight::Met(Seen::Gpus(total), cheapest),
        Trigger::GpusAtLeast { gpus, .. } => Sight::Clear {
            is_far: total.saturating_add(margin(gpus)) < gpus,
        },
        Trigger::MachineBack(machine) => match self::cheapest(rule.counted(figures)) {
            Some(sighting) => Sight::Met(Seen::Machine(machine), Some(sighting)),
            None => Sight::Clear { is_far: false },
        },
        Trigger::PriceDown { percent, hours } => state.price_down(figures, i64::from(hours) * 3600, percent, cheapest),
        Trigger::GpusBelow(gpus) => fewer_than(gpus, total, Sight::Met(Seen::Gpus(total), cheapest)),
        Trigger::WorkersBelow(workers) => match figures.workers {
            Some(have) => fewer_than(workers, have, Sight::Met(Seen::Workers(have), cheapest)),
            None => Sight::Unknown,
        },
    };
    // A truncated response proves only conclusions that further rows cannot change.
    if figures.outcome == PollOutcome::Complete || rule.trigger.holds_for_parts(&sight) {
        sight
    } else {
        Sight::Unknown
    }
}

impl Trigger {
    /// Whether the result of an alert's trigger for a truncated response would be the same with all rows:
    /// clear for triggers that wait for few GPUs or workers, met for all others, unknown for any.
    const fn holds_for_parts(self, sight: &Sight<'_>) -> bool {
        match (self, sight) {
            (_, Sight::Unknown) => true,
            // More rows can only mean more GPUs and workers.
            (Self::GpusBelow(_) | Self::WorkersBelow(_), sight) => {
                matches!(sight, Sight::Clear { .. })
            }
            (Self::PriceBelow(_) | Self::GpusAtLeast { .. } | Self::MachineBack(_) | Self::PriceDown { .. }, sight) => {
                matches!(sight, Sight::Met(..))
            }
        }
    }
}

/// The lot with the lowest price, of equal ones the first; `None` for no lots.
fn cheapest<'a>(lots: impl Iterator<Item = &'a Sighting>) -> Option<&'a Sighting> {
    lots.min_by(|left, right| left.price.total_cmp(&right.price))
}

/// The sum of the amounts of lots: GPUs on offer, of volumes GB.
fn total<'a>(lots: impl Iterator<Item = &'a Sighting>) -> u32 {
    lots.fold(0, |sum, lot| sum.saturating_add(lot.amount))
}

/// The result for a price limit: met if the cheapest lot is strictly below it, else clear; the price is far
/// if it is at least 10 % above the limit. Without lots it is clear, but not far.
fn price_below(cheapest: Option<&Sighting>, limit: f64) -> Sight<'_> {
    match cheapest {
        Some(sighting) if sighting.price < limit => Sight::Met(Seen::Price(sighting.price), Some(sighting)),
        Some(sighting) => Sight::Clear {
            is_far: sighting.price >= limit * (1.0 + MARGIN),
        },
        // A single offer that comes and goes flaps as well.
        None => Sight::Clear { is_far: false },
    }
}

/// A tenth of a count, rounded down, at least 1: how far beyond its limit a count is clear at once.
fn margin(wanted: u32) -> u32 {
    // The same tenth as for prices; at least one GPU.
    (wanted / 10).max(1)
}

/// `met` if `have` is less than `wanted`, else clear; it is far if `have` exceeds `wanted` by a tenth, at
/// least by 1.
fn fewer_than(wanted: u32, have: u32, met: Sight<'_>) -> Sight<'_> {
    if have < wanted {
        return met;
    }
    Sight::Clear {
        is_far: have >= wanted.saturating_add(margin(wanted)),
    }
}

impl AlertState {
    /// Compares a poll's lowest price with the highest stored one of the last `span` seconds: met if it is at
    /// least `percent` % below, else clear, never far. Drops stored prices outside the span; a complete poll
    /// with lots also drops those not above its own, which it stores if the last stored one is older than a
    /// 256th of the span.
    fn price_down<'a>(
        &mut self,
        figures: Figures<'a>,
        span: i64,
        percent: f64,
        cheapest: Option<&'a Sighting>,
    ) -> Sight<'a> {
        let at = figures.at;
        self.highs
            .retain(|(moment, _)| *moment <= at && at.since(*moment) <= span);
        let Some(sighting) = cheapest else {
            return Sight::Clear { is_far: false };
        };
        let low = sighting.price;
        let peak = self.highs.first().copied();
        // The rest of a truncated response may be cheaper.
        if figures.outcome == PollOutcome::Complete {
            // A price not above this one can never be the peak again, so the first of the rest always is the peak.
            self.highs.retain(|(_, price)| *price > low);
            if self.highs.last().is_none_or(|last| at.since(last.0) > span / PARTS) {
                self.highs.push((at, low));
            }
        }
        match peak {
            // A drop of exactly `percent` counts, although the product may round to just below it.
            Some((since, from)) if low <= from * (1.0 - percent / 100.0) + 1e-9 => {
                let to = low;
                Sight::Met(Seen::Down { from, since, to }, Some(sighting))
            }
            Some(_) | None => Sight::Clear { is_far: false },
        }
    }
}
