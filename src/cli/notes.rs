//! Notes on a search, on stderr: the facts that the dashboard shows in banners and in the status
//! line.

use crate::cli::output;
use crate::domain::insight::{Coverage, query_coverage};
use crate::domain::response_check::{Discrepancy, ResponseCheck};
use crate::domain::{Dialect, Listing, Query, Resource, Untrusted, language};

/// Notes on stderr the active conditions that are unlikely to mean what the user intended.
pub fn warn(query: &Query, dialect: &'static Dialect) {
    let warnings = query.active();
    for warning in warnings.filter_map(|condition| language::warning(condition, dialect)) {
        output::note(&warning);
    }
}

/// Notes on stderr the conditions that a printed request leaves out, as the market does not filter on them.
pub fn about_request(query: &Query, dialect: &'static Dialect) {
    if let Some(conditions) = local_conditions(query, dialect) {
        output::note(&format!(
            "the command leaves out {conditions}, which this market doesn't filter"
        ));
    }
}

/// A response, its query and the shown rows.
pub struct Answer<'a> {
    pub listing: &'a Listing,
    pub query: &'a Query,
    pub dialect: &'static Dialect,
    /// The check of the response against its query.
    pub check: &'a ResponseCheck,
    pub rows: &'a [u32],
}

impl Answer<'_> {
    /// Prints notes on stderr: the differences from the request, their handling, the rows the limit left out,
    /// and suggestions.
    pub fn print(&self) {
        for note in self.notes() {
            output::note(&note);
        }
    }

    /// The texts of all notes on the response, in the order in which they are printed.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.ignored();
        notes.extend(self.estimate());
        notes.extend(self.local());
        notes.extend(self.sorted_locally());
        notes.extend(self.truncated());
        notes.extend(self.suggestions());
        notes
    }

    /// Whether the records are all that the market has; a merged listing counts as whole, as its coverage is
    /// reported elsewhere.
    fn coverage(&self) -> Coverage {
        // A listing merged from several responses has its own coverage, which is reported with it.
        if self.listing.known_coverage().is_some() {
            return Coverage::Whole;
        }
        query_coverage(self.listing, self.query)
    }

    /// A note for each condition that the market ignored, and for each other difference from the request.
    fn ignored(&self) -> Vec<String> {
        let records = self.listing.len();
        let violations = self.check.violations.iter().map(|violation| {
            let (condition, rows) = (&violation.condition, violation.rows);
            format!("the market ignored {condition}: {rows} of {records} records don't match it")
        });
        let discrepancies = self.check.discrepancies.iter().map(Discrepancy::text);
        violations.chain(discrepancies).collect()
    }

    /// A note that prices are estimates; `None` if they are not, or the check has reported another storage
    /// size already.
    fn estimate(&self) -> Option<String> {
        let gb = self.listing.estimated_storage()?;
        self.check
            .included_storage()
            .is_none()
            .then(|| format!("this market doesn't quote prices with {gb} GB of storage: $/h is an estimate"))
    }

    /// A note on the conditions applied here, with the number of rows that match; `None` without any, or for
    /// workergroups.
    fn local(&self) -> Option<String> {
        // No market filters its listing of workergroups, so filtering here loses nothing.
        if self.query.resource == Resource::Workergroups {
            return None;
        }
        let conditions = local_conditions(self.query, self.dialect)?;
        let why = if self
            .query
            .applied_locally(self.dialect)
            .any(|condition| self.dialect.sends(condition.field))
        {
            "this market filters before the discount"
        } else {
            "this market doesn't filter"
        };
        let (shown, here) = (self.rows.len(), self.listing.len());
        let matches = if shown == 1 { "matches" } else { "match" };
        Some(match self.coverage() {
            Coverage::Cut => format!(
                "{shown} of the first {here} {matches} {conditions}, which {why}; {}",
                self.advice("to search more")
            ),
            Coverage::Unknown => {
                format!("{shown} of the {here} received {matches} {conditions}, which {why}: applied locally")
            }
            Coverage::Whole => format!("{shown} of {here} {matches} {conditions}, which {why}: applied locally"),
        })
    }

    /// A note that a response that is or may be truncated is sorted among its own records only; `None` if it
    /// is whole, sorted by the market, or perhaps truncated but empty.
    fn sorted_locally(&self) -> Option<String> {
        let is_local = is_sorted_locally(self.listing, self.query, self.dialect, self.check);
        let here = self.listing.len();
        let order = || language::print_order(&self.query.order);
        match self.coverage() {
            Coverage::Cut if is_local => Some(format!("sorted by {} among the first {here} only", order())),
            Coverage::Unknown if is_local && here > 0 => {
                Some(format!("sorted by {} among the {here} received only", order()))
            }
            Coverage::Cut | Coverage::Unknown | Coverage::Whole => None,
        }
    }

    /// Advice on a truncated response: to raise `--limit`, ending in `why`, or, if the market sent fewer
    /// records than the limit, to narrow the search (offers: or `--all`).
    fn advice(&self, why: &str) -> String {
        let limit = self.query.limit.map_or(usize::MAX, |limit| limit as usize);
        if self.listing.received() < limit {
            match self.query.resource {
                Resource::Offers => "the market cuts below the limit: narrow the search, or add --all".to_owned(),
                Resource::Volumes | Resource::Workergroups => {
                    "the market cuts below the limit: narrow the search".to_owned()
                }
            }
        } else {
            format!("raise --limit {why}")
        }
    }

    /// A note that the market has, or may have, more records than it sent. `None` if they are all, if none
    /// came and more are only possible, or if it cut and the note on local conditions covers that.
    fn truncated(&self) -> Option<String> {
        let here = self.listing.len();
        let nouns = self.query.resource.nouns();
        match self.coverage() {
            Coverage::Whole => None,
            // The note on local conditions covers it.
            Coverage::Cut if local_conditions(self.query, self.dialect).is_some() => None,
            Coverage::Cut => Some(format!("first {here}, more exist: {}", self.advice("for the rest"))),
            Coverage::Unknown if here == 0 => None,
            Coverage::Unknown if self.query.limit.is_none() => Some(format!(
                "{here} {nouns} without a limit: the market may have left some out"
            )),
            Coverage::Unknown => Some(format!(
                "{here} {nouns} received, perhaps not all: a round number at which a market may cut"
            )),
        }
    }

    /// Questions such as `did you mean gpu_name=RTX_4090?` for a search without rows; empty if rows were
    /// found or no condition resembles a value received.
    fn suggestions(&self) -> Vec<String> {
        if !self.rows.is_empty() {
            return Vec::new();
        }
        let conditions = self.query.active();
        conditions
            .filter_map(|condition| {
                let seen = self.listing.column(condition.field).texts();
                let seen: Vec<String> = seen.iter().filter_map(plain).collect();
                language::did_you_mean(condition, &seen)
            })
            .map(|condition| format!("did you mean {condition}?"))
            .collect()
    }
}

/// Whether the rows are sorted among the received records only: the market cannot sort by the first field of
/// the order, did not, or has only estimates of it, or the listing is merged from several responses. False
/// without an order.
pub fn is_sorted_locally(listing: &Listing, query: &Query, dialect: &'static Dialect, check: &ResponseCheck) -> bool {
    query.order.first().is_some_and(|first| {
        listing.known_coverage().is_some()
            || !query.catalog().orders_on_server(first.field, dialect)
            || check.is_unordered()
            || listing.is_estimated(first.field)
    })
}

/// The text of a server as it is; `None` if it is over 80 characters or has characters that cannot be
/// printed.
fn plain(text: &Untrusted) -> Option<String> {
    let shown = text.screen(80);
    (shown == text.unescaped()).then_some(shown)
}

/// The active conditions that bourse applies itself, as the market does not, as text; `None` if there are
/// none.
fn local_conditions(query: &Query, dialect: &'static Dialect) -> Option<String> {
    let local: Vec<_> = query
        .applied_locally(dialect)
        .map(language::print_condition_briefly)
        .collect();
    (!local.is_empty()).then(|| local.join(" "))
}
