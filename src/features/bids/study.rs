//! The holds that bids would have had, from the recorded minimum bids.
//!
//! A bid holds an offer while it is on offer and its minimum bid is not above the bid. The study
//! follows a renter through the record who takes the offer with the lowest minimum bid, keeps it
//! until the bid no longer holds it, and then takes the next. Offers that others rent count as
//! lost: the record cannot tell whether the bid would have won. Only time between complete polls
//! counts, and a hold that a gap cuts off was not interrupted.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::domain::format::lasting;
use crate::domain::{OfferType, Query};
use crate::record::lows::{LowSeries, Prices, weighted_quantile};
use crate::record::timeline::{self, seconds};
use crate::record::{
    Analysis, Cause, Ending, Excerpt, Interval, LEAST_WATCHED, Lot, Moment, PollOutcome, PollRow, Question,
};

/// The price types whose searches report minimum bids, the better one first.
///
/// Of on-demand offers, the cheapest of a machine is not always the one with its lowest minimum
/// bid.
const TYPES: [OfferType; 2] = [OfferType::Bid, OfferType::OnDemand];

/// The bids to study, as quantiles of the lowest minimum bid over time.
///
/// From such a bid on, some offer is held for that share of the time.
const OF_TIME: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0];
/// The bids to study, as quantiles of all offers' minimum bids over time.
///
/// Higher bids than the lowest minimum make holds longer.
const OF_OFFERS: [f64; 5] = [0.25, 0.5, 0.75, 0.9, 1.0];

/// Steps of a bid in one $/h.
///
/// Minimum bids are sent with more digits than anyone types, and differ by rounding.
const STEPS: f64 = 1e4;

/// The recorded minimum bids of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct BidHistory {
    /// The price type of the responses that reported the minimum bids.
    pub offer_type: OfferType,
    /// The time of the first complete poll.
    pub since: Moment,
    /// Seconds between complete polls, summed.
    pub watched: i64,
    pub markets: Vec<BidMarket>,
}

/// The offers of one model and number of GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct BidMarket {
    pub model: String,
    pub gpus: u32,
    /// The bids in ascending order.
    pub levels: Vec<BidLevel>,
}

/// A bid, and the holds it would have had.
#[derive(Debug, Clone, PartialEq)]
pub struct BidLevel {
    /// $/h for all GPUs of the offer, without storage.
    pub bid: f64,
    pub holds: Vec<Hold>,
}

/// A time in which one offer was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    pub seconds: i64,
    /// Whether it began after an interruption, so that the work was restarted.
    pub is_restart: bool,
    /// Whether it ended because the bid no longer held the offer; false if it ended in a gap.
    pub is_interrupted: bool,
}

impl BidHistory {
    /// The reason there are no figures; `None` if enough is recorded for a verdict.
    pub fn withheld(&self) -> Option<String> {
        let known = [self.watched, LEAST_WATCHED].map(|span| lasting(seconds(span)));
        let [known, least] = &known;
        (self.watched < LEAST_WATCHED)
            .then(|| format!("No figures on bids yet: minimum bids are known for {known} ({least} needed)"))
    }
}

/// A time in which a lot was on offer at the same minimum bid.
#[derive(Debug)]
struct Stay {
    interval: Interval,
    /// Whether its end was observed.
    is_end_seen: bool,
    /// The index of the stay of the same lot that follows without a gap.
    next: Option<usize>,
}

impl Stay {
    /// The moment until which the offer counts as listed at this minimum bid.
    fn until(&self) -> Moment {
        self.interval.until()
    }
}

/// The analysis of bids on the offers of a query.
///
/// It uses bid searches, or on-demand ones where those are recorded for longer.
#[derive(Debug, Clone)]
pub struct BidStudy {
    pub query: Query,
    pub since: Moment,
    pub until: Moment,
}

impl Analysis for BidStudy {
    /// `None` if no matching offers are recorded.
    type Output = Option<BidHistory>;

    fn questions(&self) -> Vec<Question> {
        Question::of_types(&TYPES, &self.query, self.since, self.until)
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Option<BidHistory> {
        let histories = TYPES.into_iter().zip(excerpts).filter_map(|(offer_type, excerpt)| {
            let is_recorded = excerpt.polls.iter().any(|poll| poll.outcome.is_usable());
            is_recorded.then(|| self.history(offer_type, excerpt))
        });
        histories.max_by_key(|history| {
            let is_bid = history.offer_type == OfferType::Bid;
            (history.withheld().is_none(), is_bid, history.watched)
        })
    }
}

impl BidStudy {
    /// The holds of bids in the responses of one price type; only time between complete polls counts, and
    /// markets without a listed offer are left out.
    fn history(&self, offer_type: OfferType, excerpt: &Excerpt) -> BidHistory {
        let mut complete = excerpt.polls.clone();
        complete.retain(|poll| poll.outcome == PollOutcome::Complete);
        let watched = timeline::watched(&complete, self.since, self.until);
        let of_market = |((model, gpus), stays): ((Arc<str>, u32), Vec<Stay>)| BidMarket {
            model: model.to_string(),
            gpus,
            levels: levels(&stays, &complete, &watched),
        };
        let markets = stays(excerpt).into_iter().map(of_market);
        BidHistory {
            offer_type,
            since: watched.first().map_or(self.since, |(from, _)| *from),
            watched: watched.iter().map(|(from, until)| until.since(*from)).sum(),
            markets: markets.filter(|market| !market.levels.is_empty()).collect(),
        }
    }
}

/// The times that each offer was listed at the same minimum bid, by model and number of GPUs, in the order of
/// their first poll; those without a reported minimum bid are left out.
fn stays(excerpt: &Excerpt) -> BTreeMap<(Arc<str>, u32), Vec<Stay>> {
    let mut markets: BTreeMap<(Arc<str>, u32), Vec<Stay>> = BTreeMap::new();
    let mut latest: HashMap<(&Lot, u32), usize> = HashMap::new();
    for spell in &excerpt.spells {
        for quote in &spell.quotes {
            let stays = markets.entry((Arc::clone(&spell.lot.model), quote.gpus)).or_default();
            let index = stays.len();
            let before = latest.get(&(&spell.lot, quote.gpus));
            let earlier = before.and_then(|before| stays.get_mut(*before));
            let before = earlier.filter(|before| before.until() == spell.first);
            let Some(min_bid) = quote.min_bid.filter(|bid| bid.is_finite() && *bid >= 0.0) else {
                // It continues, at an unknown minimum bid.
                if let Some(before) = before {
                    before.is_end_seen = false;
                }
                continue;
            };
            if let Some(before) = before {
                before.next = Some(index);
            }
            latest.insert((&spell.lot, quote.gpus), index);
            stays.push(Stay {
                interval: spell.interval(Some(min_bid)),
                is_end_seen: match spell.end {
                    Some((Ending::Changed | Ending::Gone(Cause::Rented | Cause::Delisted | Cause::Unknown), _)) => true,
                    // It continues, with values that the search excludes.
                    Some((Ending::Gone(Cause::LeftTheSearch) | Ending::LostSight, _)) | None => false,
                },
                next: None,
            });
        }
    }
    markets
}

/// The bids to study, in ascending order, with their holds: quantiles of the lowest and of all minimum bids
/// over the `watched` time. Empty if no offer was listed in it.
fn levels(stays: &[Stay], complete: &[PollRow], watched: &[(Moment, Moment)]) -> Vec<BidLevel> {
    let (mut of_time, mut of_offers) = (Prices::default(), Prices::default());
    let intervals: Vec<Interval> = stays.iter().map(|stay| stay.interval).collect();
    let lows = LowSeries::new(&intervals, complete).of_polls;
    for (polls, low) in complete.windows(2).zip(lows) {
        if let ([poll, next], Some(low)) = (polls, low) {
            of_time.add(low, seconds(timeline::overlap(watched, poll.at, next.at)));
        }
    }
    for interval in &intervals {
        let span = timeline::overlap(watched, interval.first, interval.until());
        of_offers.add(interval.price, seconds(span));
    }
    let (of_time, of_offers) = (of_time.sorted(), of_offers.sorted());
    let of_time = OF_TIME.into_iter().filter_map(|part| weighted_quantile(&of_time, part));
    let of_offers = OF_OFFERS
        .into_iter()
        .filter_map(|part| weighted_quantile(&of_offers, part));
    let mut bids: Vec<f64> = of_time.chain(of_offers).map(rounded_up).collect();
    bids.sort_by(f64::total_cmp);
    bids.dedup();
    let level = |bid| BidLevel {
        bid,
        holds: holds(stays, watched, bid),
    };
    bids.into_iter().map(level).collect()
}

/// The lowest bid that is not below `bid`, in steps of $0.0001/h.
fn rounded_up(bid: f64) -> f64 {
    let steps = (bid * STEPS).round();
    // Not `ceil`: the product may be slightly above the whole number that it represents.
    if steps / STEPS < bid {
        (steps + 1.0) / STEPS
    } else {
        steps / STEPS
    }
}

/// The holds that a bid would have had in the `watched` intervals, one after another: always of the offer
/// with the lowest minimum bid, until that ends or exceeds the bid.
fn holds(stays: &[Stay], watched: &[(Moment, Moment)], bid: f64) -> Vec<Hold> {
    let is_held = |stay: &&Stay| stay.interval.price <= bid;
    let mut coming = stays.iter().filter(is_held).peekable();
    let mut on_offer: Vec<&Stay> = Vec::new();
    let mut holds = Vec::new();
    for (from, until) in watched {
        let (mut at, mut is_restart) = (*from, false);
        while at < *until {
            while let Some(stay) = coming.next_if(|stay| stay.interval.first <= at) {
                on_offer.push(stay);
            }
            on_offer.retain(|stay| stay.until() > at);
            let all = on_offer.iter().copied();
            let lowest = all.min_by(|left, right| left.interval.price.total_cmp(&right.interval.price));
            let Some(mut stay) = lowest else {
                at = coming.peek().map_or(*until, |stay| stay.interval.first);
                continue;
            };
            while let Some(next) = stay.next.and_then(|next| stays.get(next)).filter(is_held) {
                stay = next;
            }
            let end = stay.until().min(*until);
            let is_interrupted = stay.is_end_seen && stay.until() == end;
            holds.push(Hold {
                seconds: end.since(at),
                is_restart,
                is_interrupted,
            });
            (at, is_restart) = (end, is_interrupted);
        }
    }
    holds
}
