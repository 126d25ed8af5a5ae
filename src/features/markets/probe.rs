//! Detects a market's dialect by four small searches.

use crate::api::{ApiError, Client, ClientConfig, LedgerEntry, Origin, Pacer, Progress, Request, Secret, Session};
use crate::domain::evidence::{self, Findings, Observations, Treatment};
use crate::domain::{CellRef, Condition, Dialect, Listing, OFFERS, Query, Resource, language};

/// Number of records that each search requests.
const RECORDS: u32 = 50;

/// Storage in GB of the search that shows whether prices depend on it.
const STORAGE: f64 = 64.0;

/// Detects the dialect of the market at an address by up to four searches for offers; `on_record` gets every
/// attempt.
///
/// # Errors
///
/// When the first, plain search fails; a later one that fails is evidence.
pub async fn probe(
    address: &Origin,
    key: Option<&Secret>,
    mut on_record: impl FnMut(Box<LedgerEntry>),
) -> Result<Findings, ApiError> {
    let session = |dialect: &'static Dialect, pacer: Pacer| {
        let config = ClientConfig {
            management: address.clone(),
            route: address.clone(),
            dialect,
            key: key.cloned(),
            sends_route_key: false,
        };
        Client::new(config).map(|client| Session::new(client, pacer))
    };
    let documented = session(&Dialect::DOCUMENTED, Pacer::default())?;
    let listing = search(&documented, &query(None), &mut on_record).await?;
    let mut seen = Observations::from_plain_search(&listing);
    let exclusion = most_common_model(&listing).and_then(|model| {
        let text = format!("gpu_name notin [{}]", model.replace(' ', "_"));
        condition(&text, &Dialect::DOCUMENTED)
    });
    if let Some(exclusion) = exclusion.clone() {
        let query = query(Some(exclusion));
        let result = search(&documented, &query, &mut on_record).await;
        seen.nin = treatment(result, |listing| evidence::condition_treatment(listing, &query));
    }
    let vast = session(&Dialect::VAST, Pacer::with_learned(documented.learned()))?;
    if let Some(exclusion) = exclusion {
        let query = query(Some(exclusion));
        let result = search(&vast, &query, &mut on_record).await;
        seen.notin = treatment(result, |listing| evidence::condition_treatment(listing, &query));
    }
    let price = evidence::median(&listing, "dph_total");
    let cheap = price.and_then(|price| condition(&format!("dph_total<={price}"), &Dialect::VAST));
    if let Some(cheap) = cheap {
        let query = Query {
            storage: Some(STORAGE),
            ..query(Some(cheap))
        };
        match search(&vast, &query, &mut on_record).await {
            Ok(listing) => {
                seen.filter = evidence::condition_treatment(&listing, &query);
                seen.storage = evidence::storage_treatment(&listing, &query, &Dialect::VAST);
            }
            // The response does not show which of the two was refused.
            Err(error) => seen.filter = treatment(Err(error), |_| Treatment::Unclear),
        }
    }
    Ok(Findings::from_observations(&seen))
}

/// Parses one condition on offers; `None` if the text is invalid or the dialect cannot express it.
fn condition(text: &str, dialect: &'static Dialect) -> Option<Condition> {
    let parsed = language::parse(text, &OFFERS, dialect, &[], language::Mode::Strict);
    parsed.ok()?.conditions.pop()
}

/// The default search for offers, limited to 50 rows, with `condition` added, if any.
///
/// The other conditions are always the same, so that a difference is due to this one.
fn query(condition: Option<Condition>) -> Query {
    let mut query = language::default_query(Resource::Offers, &Dialect::DOCUMENTED);
    query.conditions.extend(condition);
    query.limit = Some(RECORDS);
    query
}

/// Runs a search; every attempt is passed to `on_record`.
async fn search(
    session: &Session,
    query: &Query,
    on_record: &mut impl FnMut(Box<LedgerEntry>),
) -> Result<Listing, ApiError> {
    let request = Request::Search(query.clone());
    let reply = session.run(&request, |progress| match progress {
        Progress::Tried(entry) => on_record(entry),
        Progress::Waiting { .. } | Progress::Sent { .. } | Progress::Received(_) => {}
    });
    Ok(*reply.await?.into_records()?)
}

/// The market's treatment of a condition: judged by the rows of the response, refused if the market rejected
/// the search, unclear after other errors.
fn treatment(result: Result<Listing, ApiError>, judge: impl FnOnce(&Listing) -> Treatment) -> Treatment {
    match result {
        Ok(listing) => judge(&listing),
        Err(ApiError::Invalid { .. } | ApiError::Failure { .. }) => Treatment::Refused,
        Err(_) => Treatment::Unclear,
    }
}

/// The GPU model of most rows, to exclude it in a search; `None` if the rows have fewer than two models.
fn most_common_model(listing: &Listing) -> Option<String> {
    let column = listing.sent_column(OFFERS.by_key("gpu_name")?);
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for row in 0..listing.len() {
        if let CellRef::Text(name) = column.cell(row) {
            *counts.entry(name).or_default() += 1;
        }
    }
    // Excluding the only model would leave nothing to look at.
    let most = counts
        .iter()
        .filter(|_| counts.len() > 1)
        .max_by_key(|(_, count)| **count)?;
    Some((*most.0).to_owned())
}
