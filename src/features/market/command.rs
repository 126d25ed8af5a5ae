//! `bourse market` and `bourse depth`: prices and supply of the offers of a search.

use std::collections::BTreeMap;

use serde::Serialize;

use super::arguments::{AnalysisArguments, DepthArguments, Grouping, MarketArguments};
use super::document;
use crate::cli::args::ReportFormat;
use crate::cli::output::CliError;
use crate::cli::search::SearchResult;
use crate::cli::{notes, output, search, table, wanted};
use crate::domain::cost::{Basis, Job, Prices};
use crate::domain::insight::{
    Bill, Coverage, Depth, Group, GroupOrder, GroupValue, Lot, Measures, Purchase, Spread, query_coverage, sort_groups,
    summarise,
};
use crate::domain::time::UnixTime;
use crate::domain::{Field, Resource, export, format, language};
use crate::settings::Settings;

/// The offers of a search, with the basis of their prices.
pub struct PricedOffers {
    /// Maximum number of lines to show.
    pub rows: Option<u32>,
    pub result: SearchResult,
    pub basis: Basis,
}

impl PricedOffers {
    /// Runs the search of the arguments, the cheapest offers first; with `by`, the job must be done by then.
    /// An empty result is `Ok`, with a note on stderr.
    pub async fn load(
        settings: &Settings,
        options: &AnalysisArguments,
        by: Option<UnixTime>,
    ) -> Result<Self, CliError> {
        // Offers that a limit leaves out are the most expensive ones.
        let order = Some("dph_total".to_owned());
        let wanted = wanted::priced(settings, &options.search, (order, Some(options.limit)), by)?;
        notes::warn(&wanted.query, settings.dialect);
        let (model, job) = (wanted.query.offer_type, wanted.job);
        let connection = settings.connect().await?;
        let result = search::load(settings, &connection.session, wanted).await?;
        if result.rows.is_empty() {
            output::note("no offers match");
        }
        let basis = Basis {
            model,
            gb: result.listing.estimated_storage(),
            job,
        };
        Ok(Self {
            rows: options.rows,
            result,
            basis,
        })
    }

    /// Divides the work of the job among `gpus` GPUs and recomputes the prices; without a job given as work,
    /// nothing changes.
    pub fn divide_work(&mut self, gpus: u32) {
        if let Some(job) = self.basis.job.filter(Job::is_work) {
            self.basis.job = Some(job.on_gpus(gpus));
            self.result.set_basis(self.basis);
        }
    }

    /// The kind of the amounts: bills of the job if there is one, else prices per hour.
    pub fn bill(&self) -> Bill {
        match self.basis.job {
            Some(_) => Bill::Job,
            None => Bill::Hourly,
        }
    }

    /// The prices of the loaded offers, for the price type of the search.
    pub fn prices(&self) -> Prices<'_> {
        Prices::new(&self.result.listing, self.basis.model)
    }

    /// Whether the offer at `row` has the disk and the time for the job, started when the offers were
    /// received; true without a job.
    fn suits_job(&self, prices: &Prices<'_>, row: usize) -> bool {
        let now = self.result.listing.read_at();
        let job = self.basis.job;
        job.is_none_or(|job| prices.fits(row, &job, now))
    }

    /// Passes the measures of the offers, for the price basis, to `measure`; offers that do not suit the job
    /// are not choices.
    fn measured<T>(&self, measure: impl FnOnce(&Measures<'_>) -> T) -> T {
        let prices = self.prices();
        let is_choice = |row| self.suits_job(&prices, row);
        measure(&Measures::priced(&prices, self.basis, is_choice))
    }

    /// The id of a row's offer as text; empty if it has none.
    pub fn id(&self, row: u32) -> String {
        let id = self.result.listing.id(row as usize);
        id.map_or_else(String::new, |id| id.to_string())
    }

    /// Whether the response has all offers of the search.
    pub fn is_complete(&self) -> bool {
        query_coverage(&self.result.listing, &self.result.query) == Coverage::Whole
    }

    /// The members that describe the basis in every JSON document.
    fn basis_document(&self) -> document::Basis {
        let query = &self.result.query;
        let unit = match self.bill() {
            Bill::Job => "$ for the job",
            Bill::Hourly => "$/h",
        };
        document::Basis {
            query: language::print(&query.conditions),
            offer_type: query.offer_type.wire().to_owned(),
            job: self.basis.job.map(|job| table::job_json(&job, &self.result.listing)),
            unit: unit.to_owned(),
            offers: self.result.rows.len(),
            complete: self.is_complete(),
        }
    }
}

/// Prints a JSON document of that kind, with the members on its basis.
pub fn print_analysis<T: Serialize>(market: &PricedOffers, kind: &str, result: T) -> Result<(), CliError> {
    let basis = market.basis_document();
    output::print_document(kind, document::Analysis { basis, result })
}

/// The text of a number in CSV; empty for `None`.
fn cell(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Runs `bourse market`: prints the supply and prices of each GPU model, country or host, those with the most
/// machines first, at most as many as the flags allow. No group is an error with `--fail-empty` only.
pub async fn market(settings: &Settings, options: &MarketArguments) -> Result<(), CliError> {
    let market = PricedOffers::load(settings, &options.analysis, None).await?;
    let key = match options.group_by {
        Grouping::Gpu => "gpu_name",
        Grouping::Country => "geolocation",
        Grouping::Host => "host_id",
    };
    let Some(field) = Resource::Offers.catalog().by_key(key) else {
        return Ok(());
    };
    let result = &market.result;
    let groups = market.measured(|measures| {
        let mut groups = summarise(&result.listing, &result.rows, &[field], measures);
        sort_groups(&mut groups, GroupOrder::Count);
        output::first(groups, options.analysis.rows, "groups")
    });
    match options.analysis.format {
        ReportFormat::Table => output::print(&market_table(&market, options.group_by, field, &groups))?,
        ReportFormat::Csv => output::print(&market_csv(&market, key, field, &groups))?,
        ReportFormat::Json => {
            let lines = groups.iter().map(|group| group_json(&market, key, field, group));
            let groups = lines.collect();
            print_analysis(&market, "market", document::Market { groups })?;
        }
    }
    result.print_notes(settings.dialect, "left out");
    output::require_rows(options.analysis.fail_empty, groups.is_empty())
}

/// The name of a group as text; empty if its records have no value of the field.
fn name(group: &Group, field: &Field) -> String {
    match group.key.first() {
        Some(GroupValue::Text(text)) => text.screen(40),
        Some(GroupValue::Number(number)) => format::number(field, *number),
        Some(GroupValue::Flag(flag)) => format::yes_no(*flag).to_owned(),
        Some(GroupValue::Blank) | None => String::new(),
    }
}

/// The groups as a text table: GPUs, machines, levels of the price per GPU (of the whole bill for work), and
/// the id of the cheapest offer.
fn market_table(market: &PricedOffers, by: Grouping, field: &Field, groups: &[Group]) -> String {
    let title = match by {
        Grouping::Gpu => "GPU",
        Grouping::Country => "Country",
        Grouping::Host => "Host",
    };
    let unit = match market.bill() {
        Bill::Job if market.basis.is_work() => "Low $",
        Bill::Job => "Low $/GPU",
        Bill::Hourly => "Low $/GPU-h",
    };
    let titles = [title, "GPUs", "Machines", unit, "P25", "Median", "P75", "Cheapest"];
    let mut rows: Vec<Vec<String>> = vec![titles.map(str::to_owned).to_vec()];
    let money = |amount: f64| match market.bill() {
        Bill::Job => format!("{amount:.2}"),
        Bill::Hourly => format!("{amount:.3}"),
    };
    rows.extend(groups.iter().map(|group| {
        let of = |pick: fn(&Spread) -> f64| {
            let price = group.unit_price.as_ref().map(pick);
            price.map_or_else(|| format::NONE.to_owned(), money)
        };
        let name = name(group, field);
        let cheapest = group.cheapest.map(|best| market.id(best.row));
        vec![
            if name.is_empty() { format::NONE.to_owned() } else { name },
            group.amount.gpus.to_string(),
            group.amount.machines.to_string(),
            of(|price| price.lowest),
            of(|price| price.lower_quartile),
            of(|price| price.median),
            of(|price| price.upper_quartile),
            cheapest.unwrap_or_else(|| format::NONE.to_owned()),
        ]
    }));
    table::plain(&rows)
}

/// The groups as CSV with a header; `key` is the name of the column with their names.
fn market_csv(market: &PricedOffers, key: &str, field: &Field, groups: &[Group]) -> String {
    let head = [
        key,
        "gpus",
        "machines",
        "offers",
        "lowest",
        "lower_quartile",
        "median",
        "upper_quartile",
        "highest",
        "cheapest_id",
    ];
    let lines = groups.iter().map(|group| {
        let of = |pick: fn(&Spread) -> f64| cell(group.unit_price.as_ref().map(pick));
        vec![
            crate::domain::text::csv_text(&name(group, field)),
            group.amount.gpus.to_string(),
            group.amount.machines.to_string(),
            group.count().to_string(),
            of(|price| price.lowest),
            of(|price| price.lower_quartile),
            of(|price| price.median),
            of(|price| price.upper_quartile),
            of(|price| price.highest),
            group.cheapest.map_or_else(String::new, |best| market.id(best.row)),
        ]
    });
    export::csv_lines(std::iter::once(head.map(str::to_owned).to_vec()).chain(lines))
}

/// The JSON member of a group; its price levels are under `bill` for a job given as work, else under
/// `price_per_gpu`.
fn group_json(market: &PricedOffers, key: &str, field: &Field, group: &Group) -> document::MarketGroup {
    let levels = group.unit_price.map(|price| document::Levels {
        lowest: price.lowest,
        lower_quartile: price.lower_quartile,
        median: price.median,
        upper_quartile: price.upper_quartile,
        highest: price.highest,
    });
    let (bill, price_per_gpu) = if market.basis.is_work() {
        (Some(levels), None)
    } else {
        (None, Some(levels))
    };
    document::MarketGroup {
        key: BTreeMap::from([(key.to_owned(), name(group, field))]),
        gpus: group.amount.gpus,
        machines: group.amount.machines,
        offers: group.count(),
        price_per_gpu,
        bill,
        cheapest: group.cheapest.map(|best| market.id(best.row)),
    }
}

/// Runs `bourse depth`: prints the price of buying increasing numbers of GPUs, or only of the cheapest offers
/// with `--gpus` GPUs or, as offers are rented whole, a few more. `Err` for a job given as work, and with
/// `--fail-empty` if nothing can be bought; too few GPUs are noted on stderr.
pub async fn depth(settings: &Settings, options: &DepthArguments) -> Result<(), CliError> {
    let market = PricedOffers::load(settings, &options.analysis, None).await?;
    if market.basis.is_work() {
        let message = "each offer would be billed for all of the work: give the job a run time; bourse plan divides it";
        return Err(CliError::Usage(message.to_owned()));
    }
    let result = &market.result;
    let depth = market.measured(|measures| Depth::new(&result.listing, &result.rows, measures));
    let purchases = match options.gpus {
        None => output::first(depth.purchases(), options.analysis.rows, "sizes"),
        Some(gpus) => {
            let purchase = depth.buy(gpus.into());
            if let Some(larger) = purchase.as_ref().filter(|purchase| purchase.gpus > gpus.into()) {
                output::note(&format!(
                    "offers are rented whole: the cheapest with {gpus} GPUs or more have {}",
                    larger.gpus
                ));
            }
            purchase.into_iter().collect()
        }
    };
    let is_short = options.gpus.is_some() && purchases.is_empty();
    match options.analysis.format {
        ReportFormat::Table if is_short => {}
        ReportFormat::Table => output::print(&depth_table(&market, &depth, &purchases, options.gpus.is_none()))?,
        ReportFormat::Csv => output::print(&depth_csv(&market, &purchases))?,
        ReportFormat::Json => {
            print_analysis(&market, "depth", depth_json(&market, &depth, &purchases, options.gpus))?;
        }
    }
    result.print_notes(settings.dialect, "left out");
    if is_short {
        let all = depth.gpus();
        let hint = "drop a condition or raise --limit";
        output::note(&format!("only {all} GPUs match: {hint}"));
    }
    output::require_rows(options.analysis.fail_empty, purchases.is_empty())
}

/// The purchases as a text table, below a sentence on the supply if `is_all`.
fn depth_table(market: &PricedOffers, depth: &Depth, purchases: &[Purchase], is_all: bool) -> String {
    let bill = market.bill();
    let titles = ["GPUs", "Offers", "Average per GPU", "Highest per GPU", "Total"];
    let mut rows: Vec<Vec<String>> = vec![titles.map(str::to_owned).to_vec()];
    rows.extend(purchases.iter().map(|purchase| {
        vec![
            purchase.gpus.to_string(),
            purchase.lots.len().to_string(),
            bill.money(purchase.average()),
            bill.money(purchase.highest()),
            bill.money(purchase.cost),
        ]
    }));
    let supply = depth.describe_supply(market.is_complete(), |price| bill.money(price));
    let sentence = supply.filter(|_| is_all);
    let head = sentence.map_or_else(String::new, |sentence| format!("{sentence}\n\n"));
    head + &table::plain(&rows)
}

/// The offers of the largest purchase, cheapest per GPU first, each with the GPUs and the cost up
/// to it.
fn steps(purchases: &[Purchase]) -> impl Iterator<Item = (Lot, u64, f64)> {
    let lots = purchases.last().into_iter().flat_map(|purchase| &purchase.lots);
    let (mut gpus, mut cost) = (0, 0.0);
    lots.map(move |lot| {
        gpus += lot.gpus;
        cost += lot.price;
        (*lot, gpus, cost)
    })
}

/// The offers of the largest purchase as CSV, cheapest per GPU first, with the running totals of GPUs and
/// price.
fn depth_csv(market: &PricedOffers, purchases: &[Purchase]) -> String {
    let head = ["id", "gpus", "price", "price_per_gpu", "total_gpus", "total_price"];
    let lines = steps(purchases).map(|(lot, gpus, cost)| {
        vec![
            market.id(lot.row),
            lot.gpus.to_string(),
            lot.price.to_string(),
            lot.unit_price().to_string(),
            gpus.to_string(),
            cost.to_string(),
        ]
    });
    export::csv_lines(std::iter::once(head.map(str::to_owned).to_vec()).chain(lines))
}

/// The document of the depth: a line per purchase, and a step per offer of the largest one; `asked` is the
/// value of `--gpus`.
fn depth_json(market: &PricedOffers, depth: &Depth, purchases: &[Purchase], asked: Option<u32>) -> document::Depth {
    let steps = steps(purchases).map(|(lot, total_gpus, total_price)| document::DepthStep {
        id: market.result.listing.id(lot.row as usize).map(|id| id.0),
        gpus: lot.gpus,
        price: lot.price,
        price_per_gpu: lot.unit_price(),
        total_gpus,
        total_price,
    });
    let sizes = purchases.iter().map(|purchase| document::DepthSize {
        gpus: purchase.gpus,
        offers: purchase.lots.len(),
        average_per_gpu: purchase.average(),
        highest_per_gpu: purchase.highest(),
        total: purchase.cost,
    });
    document::Depth {
        gpus: depth.gpus(),
        asked,
        sizes: sizes.collect(),
        steps: steps.collect(),
    }
}
