//! `bourse history --index`: the price index of a search.

use super::arguments::IndexArguments;
use super::document;
use super::document::IndexFigures;
use super::index::{IndexLine, PriceIndex};
use super::rules::{HEADS, basis, cells, known_seconds};
use crate::cli::output;
use crate::cli::output::CliError;
use crate::cli::recorded;
use crate::domain::Resource;
use crate::features::history::arguments::HistoryArguments;
use crate::features::history::command::{narrowed_query, rfc3339, wanted, zoned};
use crate::features::history::figures::Figures;
use crate::features::history::price_origin;
use crate::record::{DAY, Moment, SearchKey, price_unit};
use crate::settings::Settings;

/// Runs `bourse history --index`: prints the recorded usual prices of each GPU model, with `--countries` also
/// those in each country.
///
/// A usage error with `--volumes`; with `--fail-empty` an error if there is no figure.
pub fn index(settings: &Settings, options: &HistoryArguments, index: IndexArguments) -> Result<(), CliError> {
    let has_countries = index.countries;
    if options.search.volumes {
        return Err(CliError::Usage(
            "--index is about GPU models: leave out --volumes".to_owned(),
        ));
    }
    let wanted = wanted(settings, &options.search, None)?;
    let (database, until) = recorded::without_banned(settings, &wanted)?;
    let since = Moment(until.0 - i64::from(options.days) * DAY);
    let query = narrowed_query(&wanted.query, options)?;
    let (unit, search) = (price_unit(Resource::Offers, query.storage_gb()), SearchKey::new(&query));
    let analysis = PriceIndex { query, since, until };
    let mut figures = Figures {
        heads: HEADS.to_vec(),
        rows: Vec::new(),
    };
    let mut document = document::PriceIndex {
        conditions: search.conditions,
        unit: unit.clone(),
        since: None,
        models_withheld: None,
        figures: Vec::new(),
        simulated: None,
    };
    let Some(index) = database.ask(&analysis)? else {
        output::note("nothing is recorded of this search: bourse watch records it");
        figures.print(options.format, &[], &document.figures, (KIND, &document))?;
        return output::require_rows(options.fail_empty, true);
    };
    let lines = index
        .lines
        .iter()
        .filter(|line| has_countries || line.country.is_none())
        .take(options.rows.map_or(usize::MAX, |rows| rows as usize));
    figures.rows = lines.clone().map(cells).collect();
    document.figures = lines.map(figures_of_line).collect();
    document.since = Some(rfc3339(index.since));
    document.models_withheld = Some(index.withheld);
    document.simulated = recorded::simulated(settings);
    let origin = price_origin(settings.is_sandbox());
    let basis = basis(&index, &zoned(index.since), (&unit, origin));
    figures.print(options.format, &basis, &document.figures, (KIND, &document))?;
    output::require_rows(options.fail_empty, figures.rows.is_empty())
}

/// The figures of one model (in one country or all) in the price index, for the printed document.
fn figures_of_line(line: &IndexLine) -> IndexFigures {
    let [premium_2x, premium_4x, premium_8x] = line.premiums;
    IndexFigures {
        model: line.model.clone(),
        country: line.country.map(|country| country.to_string()),
        gpus_on_offer: line.gpus,
        lowest_per_gpu: line.lowest,
        premium_2x,
        premium_4x,
        premium_8x,
        bid: line.bid,
        reserved: line.reserved,
        rented: line.rented,
        known_seconds: known_seconds(line),
    }
}

/// The kind of its document.
const KIND: &str = "price-index";
