//! The subjects of a pane that the record can be read for: the selected offer's model, size and
//! machine, and the search.

use super::like;
use crate::core::State;
use crate::domain::{Operator, Query, Resource, Untrusted, Value};
use crate::features::workergroups::look::Look;
use crate::record::differences::recorded_lot;
use crate::record::{Lot, SearchKey, quotes};

/// Maximum width of a search's conditions, in cells.
const LONGEST_TITLE: usize = 60;

/// A set of offers whose prices are shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Subject {
    pub title: String,
    pub query: Query,
    /// The search they belong to, whose alerts apply to them too.
    pub search: SearchKey,
    /// Whether they are all offers of the search.
    pub is_search: bool,
    /// The query of the offers that the verdict on the lowest price compares.
    pub like: Query,
}

impl Subject {
    /// The subject of all offers of a search, whose title is `name` with the conditions.
    pub fn of_search(query: Query, name: &str) -> Self {
        let search = SearchKey::new(&query);
        let text = Untrusted::from(search.conditions.as_str()).screen(LONGEST_TITLE);
        let conditions = if text.is_empty() {
            format!("all {}", query.resource.nouns())
        } else {
            text
        };
        Self {
            title: format!("{name} {conditions}"),
            is_search: true,
            search,
            like: query.clone(),
            query,
        }
    }
}

/// The subjects of the open pane's price charts, the first one shown first: the selected offer's model, size
/// and machine, then the search; of volumes the search, then the cluster; without a selected row only the
/// search. Of the selected workergroup only its search. Empty before a response, without a workergroup, and
/// if its search is unreadable.
pub(crate) fn subjects(state: &State) -> Vec<Subject> {
    let Some(browser) = state.browser() else {
        return Vec::new();
    };
    let row = browser.listing().zip(browser.selected_row());
    if browser.resource() == Resource::Workergroups {
        let look = row.and_then(|(rows, row)| Look::at_row(rows, row, browser.dialect(), &[]).ok());
        let query = look.map(|look| look.search.query());
        return query
            .map(|query| Subject::of_search(query, "supply of"))
            .into_iter()
            .collect();
    }
    let Some(query) = browser.shown_query() else {
        return Vec::new();
    };
    let query = Query {
        storage: Some(browser.storage().0),
        ..query.clone()
    };
    let all = Subject::of_search(query.clone(), "search");
    let lot = row.and_then(|(rows, row)| {
        let row = u32::try_from(row).ok()?;
        let gpus = quotes(rows, query.offer_type)(row)?.gpus;
        Some((recorded_lot(rows, row)?, gpus, like(browser, row)?))
    });
    let Some((Lot { machine, model, .. }, gpus, like)) = lot else {
        return vec![all];
    };
    let search = SearchKey::new(&query);
    let subject = |title: String, query: &Query, like: &Query| Subject {
        title,
        query: query.clone(),
        search: search.clone(),
        is_search: false,
        like: like.clone(),
    };
    let id = Value::id(machine.into());
    if browser.resource() == Resource::Volumes {
        let query = query.with("cluster_id", Operator::Eq, id);
        return vec![all, subject(format!("cluster {machine}"), &query, &query)];
    }
    let name = Untrusted::from(&*model).screen(24);
    let of_model = query.with("gpu_name", Operator::Eq, Value::Text(model.to_string()));
    let on_machine = of_model.clone().with("machine_id", Operator::Eq, id);
    vec![
        subject(name.clone(), &of_model, &like),
        subject(format!("{gpus}x {name}"), &like, &like),
        subject(format!("{name} on machine {machine}"), &on_machine, &on_machine),
        all,
    ]
}
