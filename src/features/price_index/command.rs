//! `bourse history --index`: the price index of a search.

use jiff::tz::TimeZone;
use serde_json::json;

use super::arguments::IndexArguments;
use super::index::PriceIndex;
use super::rules::{HEADS, basis, cells};
use crate::api::client::epoch_seconds;
use crate::cli::output;
use crate::cli::output::CliError;
use crate::cli::recorded;
use crate::domain::Resource;
use crate::features::history::arguments::HistoryArguments;
use crate::features::history::command::{asked, rfc3339, short, wanted, zone_name};
use crate::features::history::figures::Figures;
use crate::features::history::origin;
use crate::record::{DAY, Moment, SearchKey, price_unit};
use crate::settings::Settings;

pub fn index(settings: &Settings, options: &HistoryArguments, index: IndexArguments) -> Result<(), CliError> {
    let has_countries = index.countries;
    if options.search.volumes {
        return Err(CliError::Usage(
            "--index is about GPU models: leave out --volumes".to_owned(),
        ));
    }
    let wanted = wanted(settings, &options.search, None)?;
    let database = recorded::open(settings)?;
    let database = database.leaving_out(wanted.bans(settings).banned());
    // This second counts: a search may just have been recorded.
    let until = Moment(Moment::from_epoch(epoch_seconds()).0 + 1);
    let since = Moment(until.0 - i64::from(options.days) * DAY);
    let query = asked(&wanted.query, options)?;
    let (unit, search) = (price_unit(Resource::Offers, query.storage_gb()), SearchKey::new(&query));
    let analysis = PriceIndex { query, since, until };
    let mut figures = Figures {
        heads: HEADS.to_vec(),
        rows: Vec::new(),
    };
    let Some(index) = database.ask(&analysis)? else {
        output::note("nothing is recorded of this search: bourse watch records it");
        let document = json!({ "conditions": search.conditions, "unit": unit });
        figures.print(options.format, KIND, &[], document)?;
        return output::require_rows(options.fail_empty, true);
    };
    let lines = index
        .lines
        .iter()
        .filter(|line| has_countries || line.country.is_none());
    figures.rows = lines
        .map(cells)
        .take(options.rows.map_or(usize::MAX, |rows| rows as usize))
        .collect();
    let mut document = json!({
        "conditions": search.conditions,
        "unit": unit,
        "since": rfc3339(index.since),
        "models_withheld": index.withheld,
    });
    recorded::mark(settings, &mut document);
    let origin = origin(settings.is_sandbox());
    let zone = TimeZone::system();
    let basis = basis(
        &index,
        &format!("{} {}", short(index.since, &zone), zone_name(&zone)),
        (&unit, origin),
    );
    figures.print(options.format, KIND, &basis, document)?;
    output::require_rows(options.fail_empty, figures.rows.is_empty())
}

/// The kind of its document.
const KIND: &str = "price-index";
