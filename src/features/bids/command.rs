//! `bourse bids`: the holds that bids would have had, and the cost of a job at each.

use super::arguments::BidsArguments;
use super::document;
use super::document::{Basis, BidFigures};
use super::rules::{HEADS, NOTHING, Run, basis, cells};
use super::study::{BidMarket, BidStudy};
use crate::cli::args::SearchArguments;
use crate::cli::output;
use crate::cli::output::CliError;
use crate::cli::recorded;
use crate::cli::wanted::{Flags, wanted};
use crate::domain::{Resource, text};
use crate::features::history::command::{rfc3339, zoned};
use crate::features::history::figures::{Figures, Head};
use crate::record::{DAY, Moment, SearchKey};
use crate::settings::Settings;

/// The columns before those of a bid.
const MARKET: [Head; 2] = [("Model", "model", 24, 0), ("GPUs", "gpus", 5, 0)];

/// Runs `bourse bids`: prints the share of the recorded time that bids would have held an offer, and the bill
/// of the job at each. `Err` for a job given as work instead of hours, and without figures if `--fail-empty`
/// is set.
pub fn bids(settings: &Settings, options: &BidsArguments) -> Result<(), CliError> {
    let search = SearchArguments {
        query: options.query.clone(),
        no_bans: options.no_bans,
        ..SearchArguments::default()
    };
    let resource = Resource::Offers;
    let flags = Flags {
        job: options.job,
        ..Flags::default()
    };
    let wanted = wanted(settings, resource, &search, options.no_default, flags)?;
    if wanted
        .job
        .is_some_and(|job| job.work_dlperf_hours.is_some() || job.work.is_some())
    {
        return Err(CliError::Usage("--job: give the hours of the work, e.g. 3d".to_owned()));
    }
    let run = Run {
        hours: wanted.job.map_or(1.0, |job| job.run_hours),
        checkpoint: options.checkpoint.as_secs_f64(),
        restart: options.restart.as_secs_f64(),
    };
    let (database, until) = recorded::without_banned(settings, &wanted)?;
    let since = Moment(until.0 - i64::from(options.days) * DAY);
    let search = SearchKey::new(&wanted.query);
    let study = BidStudy {
        query: wanted.query,
        since,
        until,
    };
    let mut document = document::Bids {
        conditions: search.conditions,
        offer_type: search.offer_type.wire(),
        ..document::Bids::default()
    };
    let Some(history) = database.ask(&study)? else {
        output::note(NOTHING);
        Figures::default().print(options.format, &[], &document.figures, (KIND, &document))?;
        return output::require_rows(options.fail_empty, true);
    };
    let withheld = history.withheld();
    let markets = if withheld.is_none() { &history.markets[..] } else { &[] };
    let (figures, lines) = figures(markets, history.watched, &run);
    document.offer_type = history.offer_type.wire();
    document.basis = Some(Basis {
        since: rfc3339(history.since),
        watched_seconds: history.watched,
        withheld: withheld.clone(),
        work_hours: run.hours,
        checkpoint_seconds: run.checkpoint,
        restart_seconds: run.restart,
    });
    document.figures = lines;
    document.simulated = recorded::simulated(settings);
    let basis = basis(&history, &zoned(history.since), &run, settings.is_sandbox());
    let sentences: Vec<_> = withheld.into_iter().chain(basis).collect();
    figures.print(options.format, &sentences, &document.figures, (KIND, &document))?;
    output::require_rows(options.fail_empty, figures.rows.is_empty())
}

/// The kind of its document.
const KIND: &str = "bids";

/// The rows of the table of bids, one for each bid of each market, and the same figures for the document;
/// `watched` is the recorded time in seconds.
fn figures(markets: &[BidMarket], watched: i64, run: &Run) -> (Figures, Vec<BidFigures>) {
    let (mut rows, mut lines) = (Vec::new(), Vec::new());
    for market in markets {
        let (outlooks, lowest) = run.outlooks(market, watched);
        for (index, outlook) in outlooks.iter().enumerate() {
            let is_lowest_bill = lowest == Some(index);
            let mark = if is_lowest_bill { "lowest" } else { "" };
            let of_market = [text::screen(&market.model, 24), market.gpus.to_string()];
            rows.push(of_market.into_iter().chain(cells(outlook, mark)).collect());
            lines.push(BidFigures {
                model: market.model.clone(),
                gpus: market.gpus,
                bid: outlook.bid,
                held: outlook.held,
                interruptions_per_day: outlook.interruptions,
                longest_hold_seconds: outlook.longest.map(|(span, _)| span),
                done_hours: outlook.done,
                bill: outlook.bill,
                is_lowest_bill,
            });
        }
    }
    let heads = MARKET.into_iter().chain(HEADS).collect();
    (Figures { heads, rows }, lines)
}
