//! The cost of a job at a bid, including its interruptions.

use super::study::{BidHistory, BidLevel, BidMarket, Hold};
use crate::domain::OfferType;
use crate::domain::format::{brief, dollars, lasting, percent, trimmed};
use crate::domain::insight::total;
use crate::features::history::figures::{Head, shown};
use crate::record::{DAY, seconds};

/// Default seconds between two checkpoints, and default seconds of a restart.
pub(crate) const CHECKPOINT: f64 = 1_800.0;
pub(crate) const RESTART: f64 = 300.0;

/// The time until work is done, as a multiple of its length, that a suggested bid may take.
const PATIENCE: f64 = 1.5;

/// The work and its handling of interruptions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Run {
    /// Hours of work.
    pub hours: f64,
    /// Seconds of work between two checkpoints; 0 if all work is saved at once.
    pub checkpoint: f64,
    /// Seconds from an interruption until the work continues.
    pub restart: f64,
}

/// The result that a bid would have had.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outlook {
    /// $/h for all GPUs of the offer, without storage.
    pub bid: f64,
    /// The share of the watched time in which an offer was held.
    pub held: f64,
    /// Interruptions in a day of held time; `None` if nothing was held.
    pub interruptions: Option<f64>,
    /// Seconds of the longest hold, and whether it may have continued.
    pub longest: Option<(f64, bool)>,
    /// Hours until the work is done, waiting included; `None` if the record has less work at the
    /// bid.
    pub done: Option<f64>,
    /// $ for the GPUs until the work is done.
    pub bill: Option<f64>,
}

impl Run {
    /// Seconds of work in a hold that count: without its restart and, if it was interrupted, without the work
    /// since the last checkpoint.
    fn saved(&self, hold: &Hold) -> f64 {
        let restart = if hold.is_restart { self.restart } else { 0.0 };
        let work = (seconds(hold.seconds) - restart).max(0.0);
        if hold.is_interrupted && self.checkpoint > 0.0 {
            work - work % self.checkpoint
        } else {
            work
        }
    }

    /// The result of a bid if the work meets as many interruptions as in the record of `watched` seconds.
    /// Time and bill are `None` if the record has less work at the bid than is to be done.
    pub fn outlook(&self, level: &BidLevel, watched: i64) -> Outlook {
        let holds = level.holds.iter();
        let held = total(holds.clone().map(|hold| seconds(hold.seconds)));
        let saved = total(holds.clone().map(|hold| self.saved(hold)));
        let interruptions = total(holds.clone().map(|hold| f64::from(u8::from(hold.is_interrupted))));
        let longest = holds.max_by_key(|hold| (hold.seconds, !hold.is_interrupted));
        // For more work than the record has at a bid, the interruptions are unknown.
        let per_saved = |span: f64| (saved > 0.0 && saved >= self.hours * 3600.0).then(|| self.hours * span / saved);
        Outlook {
            bid: level.bid,
            held: held / seconds(watched),
            interruptions: (held > 0.0).then(|| interruptions * seconds(DAY) / held),
            longest: longest.map(|hold| (seconds(hold.seconds), !hold.is_interrupted)),
            done: per_saved(seconds(watched)),
            bill: per_saved(held).map(|hours| hours * level.bid),
        }
    }

    /// The results of the bids of a market in the order of its levels, and the index of the one with the
    /// lowest bill; `None` if no bill is known. `watched` is the recorded time in seconds.
    pub fn outlooks(&self, market: &BidMarket, watched: i64) -> (Vec<Outlook>, Option<usize>) {
        let outlooks = market.levels.iter().map(|level| self.outlook(level, watched));
        let outlooks: Vec<_> = outlooks.collect();
        let lowest = lowest_bill(&outlooks, |_| true);
        (outlooks, lowest)
    }

    /// The index of the bid to place: the one with the lowest bill of those whose work is done, waiting included,
    /// within [`PATIENCE`] times its length, else of those that held at least half of the time. `None` if there is
    /// neither.
    pub fn suggested(&self, outlooks: &[Outlook]) -> Option<usize> {
        let is_soon = |outlook: &Outlook| outlook.done.is_some_and(|done| done <= PATIENCE * self.hours);
        lowest_bill(outlooks, is_soon).or_else(|| lowest_bill(outlooks, |outlook| outlook.held >= 0.5))
    }
}

/// The index of the lowest bill of the outlooks that satisfy `is_choice`; `None` if none of them has a bill.
fn lowest_bill(outlooks: &[Outlook], is_choice: impl Fn(&Outlook) -> bool) -> Option<usize> {
    let all = outlooks.iter().enumerate().filter(|(_, outlook)| is_choice(outlook));
    let bills = all.filter_map(|(index, outlook)| Some((index, outlook.bill?)));
    let lowest = bills.min_by(|(_, left), (_, right)| left.total_cmp(right));
    lowest.map(|(index, _)| index)
}

/// The columns of [`cells`], in the same order.
///
/// The share counts the time with any offer: after a loss the next one is taken. The longest hold is of a single
/// offer, so a bid may hold all the time and still lose its offer every few days.
pub(crate) const HEADS: [Head; 7] = [
    ("Bid $/h", "bid", 9, 0),
    ("Any held", "held", 11, 0),
    ("Losses/day", "interruptions_per_day", 11, 0),
    ("Longest on one", "longest_hold_seconds", 15, 2),
    ("Done in", "done_hours", 9, 1),
    ("GPU bill", "bill", 11, 0),
    ("", "is_lowest_bill", 10, 0),
];

/// The cells of a bid, in the order of `HEADS`; a dash for unknown figures, and its mark, which may be empty.
pub(crate) fn cells(outlook: &Outlook, mark: &str) -> Vec<String> {
    let longest = |span| {
        let is_longer = outlook.longest.is_some_and(|(_, is_longer)| is_longer);
        format!("{}{}", if is_longer { "≥ " } else { "" }, brief(span))
    };
    vec![
        format!("{:.4}", outlook.bid),
        percent(outlook.held),
        shown(outlook.interruptions, |number| trimmed(number, 1)),
        shown(outlook.longest.map(|(span, _)| span), longest),
        shown(outlook.done, |hours| brief(hours * 3600.0)),
        shown(outlook.bill, dollars),
        mark.to_owned(),
    ]
}

/// The basis of the figures on bids in one line: the recorded time and its source, and the cost of an
/// interruption; `since` is the start of the record, formatted for display.
pub(crate) fn short_basis(history: &BidHistory, since: &str, run: &Run, is_simulated: bool) -> String {
    let market = if is_simulated { " of a simulated market" } else { "" };
    let source = match history.offer_type {
        OfferType::Bid => "bid searches",
        OfferType::OnDemand | OfferType::Reserved => "on-demand searches",
    };
    let [checkpoint, restart] = [run.checkpoint, run.restart].map(lasting);
    format!(
        "{} of {source}{market} since {since} · a lost offer is replaced by the next · an interruption costs the work \
         since a checkpoint (every {checkpoint}) and a restart ({restart}) · storage and traffic come on top",
        lasting(seconds(history.watched))
    )
}

/// Sentences on the basis of the figures on bids: the recorded time and its source, the rule by which a bid
/// holds an offer, and the costs that come on top. `since` is the start of the record, formatted for display.
pub(crate) fn basis(history: &BidHistory, since: &str, run: &Run, is_simulated: bool) -> Vec<String> {
    let source = match history.offer_type {
        OfferType::Bid => "bid searches",
        OfferType::OnDemand | OfferType::Reserved => {
            "on-demand searches, which name the minimum bid of each machine's cheapest offer (bourse watch --type bid \
             records bid searches)"
        }
    };
    let market = if is_simulated { " of a simulated market" } else { "" };
    let [hours, checkpoint, restart] = [run.hours * 3600.0, run.checkpoint, run.restart].map(lasting);
    vec![
        format!(
            "{} recorded{market} since {since}. An interruption costs the work since the last checkpoint (every {checkpoint}) \
             and a restart ({restart}).",
            lasting(seconds(history.watched))
        ),
        format!("Recorded: the time between complete responses of {source}."),
        "A bid holds an offer while that is listed and its minimum bid is no higher. The offer with the lowest \
         minimum bid is taken, and the next one when it is lost, to another renter too."
            .to_owned(),
        format!("GPU bill: {hours} of work at the bid. Storage until it is done and traffic come on top."),
    ]
}

/// Advice where no minimum bids are recorded.
pub(crate) const NOTHING: &str = "No minimum bids are recorded of this search: bourse watch --type bid with the same words \
                           records them";

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;

    fn hold(seconds: i64, is_restart: bool, is_interrupted: bool) -> Hold {
        Hold {
            seconds,
            is_restart,
            is_interrupted,
        }
    }

    #[test]
    fn the_bill_has_the_work_that_is_done_twice_and_the_restarts() {
        let run = Run {
            hours: 2.0,
            checkpoint: 1800.0,
            restart: 300.0,
        };
        // Of 100 minutes, 90 are saved; of 65 after a restart of 5, all 60; of 3, which the restart takes, none; the
        // last hold was not interrupted, so that 25 of its 30 minutes count: 175.
        let holds = vec![
            hold(6000, false, true),
            hold(3900, true, true),
            hold(180, true, true),
            hold(1800, true, false),
        ];
        let level = BidLevel { bid: 0.5, holds };
        let outlook = run.outlook(&level, 10 * HOUR);
        let (held, saved) = (198.0 * 60.0, 175.0 * 60.0);
        assert!((outlook.held - held / 36_000.0).abs() < 1e-12);
        assert!((outlook.bill.unwrap() - 0.5 * 2.0 * held / saved).abs() < 1e-12);
        assert!((outlook.done.unwrap() - 2.0 * 36_000.0 / saved).abs() < 1e-12);
        assert!((outlook.interruptions.unwrap() - 3.0 * 86_400.0 / held).abs() < 1e-12);
        assert_eq!(outlook.longest, Some((6000.0, false)));
        // The record has less than three hours of work.
        assert_eq!(Run { hours: 3.0, ..run }.outlook(&level, 10 * HOUR).bill, None);
        // Without a checkpoint that it reaches, no work is ever saved.
        let never = Run {
            checkpoint: 20_000.0,
            ..run
        };
        let level = BidLevel {
            bid: 0.5,
            holds: vec![hold(6000, false, true)],
        };
        assert_eq!(never.outlook(&level, 10 * HOUR).bill, None);
    }

    #[test]
    fn a_higher_bid_is_cheaper_where_a_lower_one_loses_its_work() {
        let run = Run {
            hours: 8.0,
            checkpoint: 3600.0,
            restart: 600.0,
        };
        let often = (0..10).map(|index| hold(HOUR + 1200, index > 0, true)).collect();
        let market = BidMarket {
            model: "RTX 4090".to_owned(),
            gpus: 1,
            levels: vec![
                // Of 80 minutes, 60 are saved.
                BidLevel {
                    bid: 0.30,
                    holds: often,
                },
                BidLevel {
                    bid: 0.35,
                    holds: vec![hold(20 * HOUR, false, false)],
                },
                BidLevel {
                    bid: 0.45,
                    holds: vec![hold(20 * HOUR, false, false)],
                },
            ],
        };
        let (outlooks, lowest) = run.outlooks(&market, 30 * HOUR);
        let bills: Vec<f64> = outlooks.iter().filter_map(|outlook| outlook.bill).collect();
        for (bill, expected) in bills.iter().zip([0.30 * 8.0 * 80.0 / 60.0, 0.35 * 8.0, 0.45 * 8.0]) {
            assert!((bill - expected).abs() < 1e-9, "{bills:?}");
        }
        assert_eq!(lowest, Some(1));
        // The second is done in 12 hours, the 8 hours of work and half of them.
        assert_eq!(run.suggested(&outlooks), Some(1));
    }

    #[test]
    fn a_bid_is_suggested_that_ends_soon_or_else_held_half_of_the_time() {
        let run = Run {
            hours: 1.0,
            checkpoint: CHECKPOINT,
            restart: RESTART,
        };
        let of = |held: f64, done: f64, bill: f64| Outlook {
            bid: bill,
            held,
            interruptions: None,
            longest: None,
            done: Some(done),
            bill: Some(bill),
        };
        let rarely = of(0.01, 100.0, 1.0);
        assert_eq!(
            run.suggested(&[rarely, of(0.6, 2.0, 2.0), of(0.7, 1.5, 3.0), of(1.0, 1.0, 4.0)]),
            Some(2)
        );
        assert_eq!(run.suggested(&[rarely, of(0.5, 2.0, 2.0), of(0.6, 1.8, 3.0)]), Some(1));
        assert_eq!(run.suggested(&[rarely, of(0.4, 2.5, 2.0)]), None);
    }
}
