//! The conclusions of a comparison: the cheapest row, the fastest row, and the total of all.

use crate::domain::cost::{Fit, Prices};
use crate::domain::field::Unit;
use crate::domain::format::{percent, trimmed};
use crate::domain::insight::{Supply, Totals, total};
use crate::domain::{Listing, Resource, format};
use crate::table::browser::Browser;

/// The letter of a column: A for 0; after Z it begins with A again.
pub(super) fn letter(index: usize) -> char {
    // Beyond 26 columns letters repeat: ids tell them apart.
    char::from(b'A' + u8::try_from(index % 26).unwrap_or(0))
}

/// A compared row with the values that decide.
struct Runner {
    index: usize,
    price: f64,
    speed: Option<f64>,
}

/// Sentences on the comparison: one on the cheapest and the fastest of the rows that suit the job, and one
/// for each reason that rows do not suit it.
pub(super) fn verdict(browser: &Browser, listing: &Listing, rows: &[u32]) -> Vec<String> {
    let mut runners = runners(browser, listing, rows);
    let basis = if per_gpu(browser, listing, rows, &mut runners) {
        "Per GPU, "
    } else {
        ""
    };
    let mut sentences: Vec<String> = Vec::new();
    sentences.extend(ranking(browser, &runners).map(|ranking| format!("{basis}{ranking}")));
    for fit in [Fit::No, Fit::Unknown] {
        let unfit = (0..rows.len()).filter(|index| browser.computed.fit(rows[*index] as usize) == fit);
        let unfit: Vec<String> = unfit.map(|index| letter(index).to_string()).collect();
        let verb = if unfit.len() == 1 { "is" } else { "are" };
        let why = browser.computed.unfit_words(fit).filter(|_| !unfit.is_empty());
        sentences.extend(why.map(|why| format!("! {} {verb} {why}.", unfit.join(", "))));
    }
    sentences
}

/// The compared rows that have a price and are known to suit the job, the term or the chosen disk, with their
/// speed if it is known; empty for workergroups.
fn runners(browser: &Browser, listing: &Listing, rows: &[u32]) -> Vec<Runner> {
    let (price, speed) = match browser.resource() {
        Resource::Offers => (browser.pricing().key(), "dlperf"),
        Resource::Volumes if browser.computed.term.is_some() => ("volume_term", "nw_disk_avg_bw"),
        Resource::Volumes => ("storage_cost", "nw_disk_avg_bw"),
        Resource::Workergroups => return Vec::new(),
    };
    let number = |row: u32, key: &str| {
        let field = listing.catalog().column(key)?;
        listing.cell(row as usize, field).number()
    };
    let rows = rows.iter().enumerate();
    rows.filter(|(_, row)| !browser.computed.is_unfit(**row as usize))
        .filter_map(|(index, row)| {
            Some(Runner {
                index,
                price: number(*row, price)?,
                speed: number(*row, speed).filter(|speed| *speed > 0.0),
            })
        })
        .collect()
}

/// Divides price and speed of offers by their GPUs where the rows have different numbers of them. False, and
/// nothing changed, if the numbers are equal or one is unknown, if a bill for work covers all GPUs, and for
/// volumes.
fn per_gpu(browser: &Browser, listing: &Listing, rows: &[u32], runners: &mut [Runner]) -> bool {
    let gpus = |runner: &Runner| {
        let cell = listing.cell_of(rows[runner.index] as usize, "num_gpus");
        cell.number().filter(|gpus| *gpus > 0.0)
    };
    let counts: Option<Vec<f64>> = runners.iter().map(gpus).collect();
    let counts = counts.filter(|_| browser.resource() == Resource::Offers && !browser.pricing().is_work());
    let Some(counts) = counts.filter(|counts| counts.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_ne())) else {
        return false;
    };
    for (runner, gpus) in runners.iter_mut().zip(counts) {
        runner.price /= gpus;
        runner.speed = runner.speed.map(|speed| speed / gpus);
    }
    true
}

/// A sentence on the cheapest of the compared rows and on how much faster and more expensive the fastest one
/// is; `None` if there are no rows. Without a known speed, only on the cheapest.
fn ranking(browser: &Browser, runners: &[Runner]) -> Option<String> {
    let cheapest = runners
        .iter()
        .min_by(|left, right| left.price.total_cmp(&right.price))?;
    let purpose = match browser.resource() {
        Resource::Offers if browser.computed.job.is_some() => " for your job",
        Resource::Volumes if browser.computed.term.is_some() => " for your term",
        Resource::Offers | Resource::Volumes | Resource::Workergroups => "",
    };
    let cheapest_letter = letter(cheapest.index);
    // Of two, one is cheaper: a superlative needs three.
    let (superlative, fastest_of) = if runners.len() > 2 {
        ("the cheapest", "the fastest")
    } else {
        ("cheaper", "faster")
    };
    let fastest = runners
        .iter()
        .filter_map(|runner| Some((runner, runner.speed?)))
        .max_by(|(_, left), (_, right)| left.total_cmp(right));
    let (Some((fastest, speed)), Some(base)) = (fastest, cheapest.speed) else {
        return Some(format!("{cheapest_letter} is {superlative}{purpose}."));
    };
    // A difference that rounds to zero is none.
    if speed < base * 1.0005 {
        return Some(if fastest.index == cheapest.index || speed <= base {
            format!("{cheapest_letter} is {superlative}{purpose} and {fastest_of}.")
        } else {
            let peer = match runners.len() {
                2 => letter(fastest.index).to_string(),
                _ => "any".to_owned(),
            };
            format!("{cheapest_letter} is {superlative}{purpose} and as fast as {peer}.")
        });
    }
    let fastest_letter = letter(fastest.index);
    let faster = match speed / base {
        ratio if ratio >= 2.0 => format!("{}× as fast", trimmed(ratio, 1)),
        ratio => format!("{} faster", percent(ratio - 1.0)),
    };
    let more = match fastest.price / cheapest.price {
        ratio if !ratio.is_finite() => String::new(),
        // A difference that rounds to zero is none.
        ratio if ratio < 1.0005 => {
            return Some(format!(
                "{fastest_letter} is as cheap as {cheapest_letter}{purpose} and {faster}."
            ));
        }
        ratio if ratio >= 2.0 => format!(" and costs {}× as much", trimmed(ratio, 1)),
        ratio => format!(" and costs {} more", percent(ratio - 1.0)),
    };
    Some(format!(
        "{cheapest_letter} is {superlative}{purpose}; {fastest_letter} is {faster}{more}."
    ))
}

/// The totals of renting all rows, as texts to be joined; a sum is left out if a row lacks the number. Empty
/// for workergroups.
pub(super) fn totals(browser: &Browser, listing: &Listing, rows: &[u32]) -> Vec<String> {
    let sum = |key: &str| -> Option<f64> {
        let field = listing.catalog().column(key)?;
        let numbers = rows.iter().map(|row| listing.cell(*row as usize, field).number());
        let numbers: Option<Vec<f64>> = numbers.collect();
        Some(total(numbers?.into_iter()))
    };
    match browser.resource() {
        Resource::Offers => offers(browser, listing, rows),
        Resource::Volumes => {
            let space = sum("disk_space").map(format::gigabytes);
            let term = sum("volume_term").map(|total| format!("{} for the term", format::dollars(total)));
            space.into_iter().chain(term).collect()
        }
        Resource::Workergroups => Vec::new(),
    }
}

/// The totals of renting all offers: GPUs and machines, then prices, memory, the slowest link and the
/// earliest end. If some share GPUs, only the number that can be rented at once follows.
fn offers(browser: &Browser, listing: &Listing, rows: &[u32]) -> Vec<String> {
    let pricing = browser.pricing();
    let prices = Prices::new(listing, pricing.model);
    let totals = Totals::new(&prices, &pricing, rows);
    let amount = totals.amount;
    let gpus = usize::try_from(amount.gpus).unwrap_or(usize::MAX);
    let mut parts = vec![format!(
        "{} on {}",
        format::counted(gpus, "GPU", "GPUs"),
        format::counted(amount.machines, "machine", "machines")
    )];
    if !totals.shared.is_empty() {
        let supply = Supply::new(listing, rows);
        // Only offers that do not share GPUs can be rented together.
        let together = supply.pick_workers(|_| Some(0.0)).most_workers();
        let letters = rows.iter().enumerate().filter(|(_, row)| totals.shared.contains(row));
        let letters: Vec<String> = letters.map(|(index, _)| letter(index).to_string()).collect();
        let who = if letters.len() == rows.len() {
            "they".to_owned()
        } else {
            letters.join(", ")
        };
        let all = rows.len();
        parts.push(format!("only {together} of {all} at once: {who} share GPUs"));
        return parts;
    }
    let divided = if pricing.is_work() { ", its work divided" } else { "" };
    parts.extend(totals.hourly.map(format::per_hour));
    parts.extend(
        totals
            .bill
            .map(|total| format!("{} for the job{divided}", format::dollars(total))),
    );
    parts.extend(totals.vram_gb.map(|gb| format!("{} VRAM", format::gigabytes(gb))));
    let unit = Unit::Transfer.symbol(browser.dialect());
    parts.extend(totals.slowest.map(|(down, up)| {
        let (down, up) = (format::figure(down, 0), format::figure(up, 0));
        format!("slowest link ↓ {down} ↑ {up} {unit}")
    }));
    parts.extend(
        totals
            .left
            .map(|left| format!("first ends in {}", format::lasting(left))),
    );
    parts
}
