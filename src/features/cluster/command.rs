//! `bourse plan`: the cheapest offers that together have N GPUs.

use std::fmt::Write as _;

use super::document;
use super::offer_name;
use crate::cli::args::ReportFormat;
use crate::cli::output::CliError;
use crate::cli::{output, table};
use crate::domain::insight::plan::{Need, Offers, Plan, Planning};
use crate::domain::{Resource, export, format};
use crate::features::market::arguments::PlanArguments;
use crate::features::market::command::{PricedOffers, print_analysis};
use crate::settings::Settings;

/// Runs `bourse plan`: prints the cheapest offers that together have the GPUs. `Err` if there are none within
/// the limits, or if the cheapest are over the budget.
pub async fn plan(settings: &Settings, options: &PlanArguments) -> Result<(), CliError> {
    let need = need(options)?;
    let mut market = PricedOffers::load(settings, &options.analysis, options.by).await?;
    let planning = Offers::new(&market.prices(), market.basis, &market.result.rows, |_| true).plan(&need);
    let shares = planning.plan.as_ref().map_or(need.gpus, Plan::gpu_count);
    market.divide_work(shares);
    let shown = Shown {
        market: &market,
        need: &need,
        planning: &planning,
    };
    match (options.analysis.format, &planning.plan) {
        (ReportFormat::Json, _) => print_analysis(&market, "plan", shown.json())?,
        (ReportFormat::Table, Some(plan)) => output::print(&shown.table(plan))?,
        (ReportFormat::Csv, Some(plan)) => output::print(&shown.csv(plan))?,
        (ReportFormat::Csv, None) => output::print(&shown.csv_head())?,
        (ReportFormat::Table, None) => {}
    }
    market.result.print_notes(settings.dialect, "left out");
    if let Some(plan) = &planning.plan {
        let budget = need.budget.filter(|budget| plan.bill > *budget);
        return budget.map_or(Ok(()), |budget| {
            let budget = market.bill().money(budget);
            output::complain(&format!("the cheapest plan is over the budget of {budget}"));
            Err(CliError::NotMet)
        });
    }
    let remarks = planning.remarks(&need, market.bill(), &market.result.query, |row| {
        offer_name(&market.result.listing, row)
    });
    let texts: Vec<String> = remarks.into_iter().map(|remark| remark.text).collect();
    output::complain(&texts.join("\n"));
    Err(CliError::NotMet)
}

/// The need of a cluster that the flags describe; a usage error if they contradict each other. `--shape`
/// fixes the number of machines and the least GPUs on each.
fn need(options: &PlanArguments) -> Result<Need, CliError> {
    let (machines, per_machine) = options.shape.unzip();
    let gpus = options.shape.map(|(machines, gpus)| machines.saturating_mul(gpus));
    let need = Need {
        gpus: gpus.or(options.gpus).unwrap_or(1),
        least_machines: machines.or(options.min_machines),
        most_machines: machines.or(options.machines),
        per_machine: per_machine.or(options.per_machine),
        same: options.same,
        one_model: !options.any_model,
        vram_gb: options.vram,
        deadline: options.within,
        budget: options.budget,
        conditions: Vec::new(),
    };
    need.check().map_err(|why| CliError::Usage(why.message))?;
    Ok(need)
}

/// A plan with the settings it is printed by.
struct Shown<'a> {
    market: &'a PricedOffers,
    need: &'a Need,
    planning: &'a Planning,
}

impl Shown<'_> {
    /// The value `key` of the offer in `row` as text, at most 30 cells wide, as in a table of offers; empty
    /// if there is no such field.
    fn cell(&self, row: u32, key: &str) -> String {
        let field = Resource::Offers.catalog().column(key);
        field.map_or_else(String::new, |field| {
            format::cell(&self.market.result.listing, row as usize, field, 30)
        })
    }

    /// Whether the job is given as work, so that its hours depend on the offer.
    fn is_work(&self) -> bool {
        self.market.basis.is_work()
    }

    /// The plan as text: its bill, its offers up to `--rows`, the remarks, and the bills of other numbers of
    /// GPUs.
    fn table(&self, plan: &Plan) -> String {
        let bill = self.market.bill();
        let mut text = format!("{}: {}\n\n", plan.describe_size(), bill.total(plan.bill));
        let titles = ["ID", "Machine", "GPUs", "Place", "Price"].into_iter();
        let titles = titles.chain(self.is_work().then_some("Job time"));
        let mut rows: Vec<Vec<String>> = vec![titles.map(str::to_owned).collect()];
        let shown = self.market.rows.map_or(usize::MAX, |rows| rows as usize);
        let prices: Vec<f64> = plan.lots().map(|lot| lot.price).collect();
        let lots = plan.lots().zip(bill.parts(&prices)).take(shown);
        rows.extend(lots.map(|(lot, price)| {
            let cell = |key| self.cell(lot.row, key);
            let mut cells = vec![
                cell("id"),
                cell("machine_id"),
                format!("{}× {} {}", cell("num_gpus"), cell("gpu_name"), cell("gpu_ram")),
                cell("geolocation"),
                price,
            ];
            cells.extend(self.is_work().then(|| cell("job_time")));
            cells
        }));
        text.push_str(&table::left(&rows));
        text.push('\n');
        let searched = &self.market.result.query;
        let name = |row| offer_name(&self.market.result.listing, row);
        let remarks = self.planning.remarks(self.need, bill, searched, name);
        for remark in remarks {
            text.push_str(&remark.text);
            text.push('\n');
        }
        let mut curve: Vec<Vec<String>> = vec![vec!["GPUs".to_owned(), "Bill".to_owned()]];
        curve.extend(self.planning.curve.iter().map(|(gpus, total)| {
            let total = total.map_or_else(|| format::NONE.to_owned(), |total| bill.money(total));
            vec![gpus.to_string(), total]
        }));
        text.push('\n');
        text.push_str(&table::plain(&curve));
        text
    }

    /// The columns of the offers in CSV, except the price.
    fn csv_keys(&self) -> Vec<&'static str> {
        let mut keys = vec!["id", "machine_id", "num_gpus", "gpu_name", "gpu_ram", "geolocation"];
        keys.extend(self.is_work().then_some("job_time"));
        keys
    }

    /// The header of the CSV, with its line end.
    fn csv_head(&self) -> String {
        format!("{},price\n", self.csv_keys().join(","))
    }

    /// The offers of the plan as CSV, up to `--rows`, with their price in the last column.
    fn csv(&self, plan: &Plan) -> String {
        let keys = self.csv_keys();
        let fields = keys.iter().filter_map(|key| Resource::Offers.catalog().column(key));
        let fields: Vec<_> = fields.collect();
        let shown = self.market.rows.map_or(usize::MAX, |rows| rows as usize);
        let mut text = self.csv_head();
        for lot in plan.lots().take(shown) {
            text.push_str(&export::csv_line(&self.market.result.listing, lot.row, &fields));
            let _ = writeln!(text, ",{}", lot.price); // writing to a String cannot fail
        }
        text
    }

    /// The document of the plan, the runner-up, the limits that cost something, and the bills of other
    /// numbers of GPUs.
    fn json(&self) -> document::Plans {
        let bill = self.market.bill();
        let binding = self.planning.binding.iter();
        let binding = binding.map(|(limit, without)| document::Binding {
            limit: limit.clone(),
            bill_without: *without,
        });
        let curve = self.planning.curve.iter();
        let curve = curve.map(|(gpus, total)| document::PlanSize {
            gpus: *gpus,
            bill: *total,
        });
        let searched = &self.market.result.query;
        let name = |row| offer_name(&self.market.result.listing, row);
        let remarks = self.planning.remarks(self.need, bill, searched, name);
        let plan = |plan: &Option<Plan>| plan.as_ref().map(|plan| self.plan_json(plan));
        document::Plans {
            plan: plan(&self.planning.plan),
            runner_up: plan(&self.planning.runner_up),
            binding: binding.collect(),
            curve: curve.collect(),
            remarks: remarks.into_iter().map(|remark| remark.text).collect(),
        }
    }

    /// The JSON member of a plan; the hours are those of an offer for its share of the job, `None` without a
    /// job or if they are unknown.
    fn plan_json(&self, plan: &Plan) -> document::Plan {
        let job = self.market.basis.job.map(|job| job.on_gpus(plan.gpu_count()));
        let prices = self.market.prices();
        let offers = plan.lots().map(|lot| document::PlanOffer {
            id: self.market.result.listing.id(lot.row as usize).map(|id| id.0),
            machine_id: self.cell(lot.row, "machine_id"),
            price: lot.price,
            hours: job.and_then(|job| prices.job_hours(lot.row as usize, &job).ok()),
        });
        document::Plan {
            bill: plan.bill,
            gpus: plan.gpus,
            machines: plan.machines.len(),
            offers: offers.collect(),
        }
    }
}
