//! What bourse knows of an offer, as a member of its record for programs.

use std::collections::HashMap;

use clap::ValueEnum;
use serde_json::{Value as Json, json};

use crate::cli::output;
use crate::cli::output::CliError;
use crate::domain::history::{
    Answer, DAY, LotFilter, Moment, Question, SearchKey, VERDICT_DAYS, Verdict, Want, quotes, verdict,
};
use crate::domain::insight::recorded_lot;
use crate::domain::{Listing, Query};
use crate::features::search::command::SearchResult;
use crate::settings::Settings;
use crate::store::history::Database;

/// The version of the member: it rises when a name, type or unit changes.
pub const VERSION: u32 = 1;

/// What `--with` adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Addition {
    /// The job's bill in $
    Bill,
    /// $/h for each GPU
    PricePerGpu,
    /// Whether no offer found is both cheaper and faster
    BestValue,
    /// The id of an offer that is both cheaper and faster
    BeatenBy,
    /// Whether today's lowest price of such offers is low, typical or high
    Verdict,
}

impl Addition {
    /// Its name in the member.
    const fn name(self) -> &'static str {
        match self {
            Self::Bill => "bill",
            Self::PricePerGpu => "price_per_gpu",
            Self::BestValue => "best_value",
            Self::BeatenBy => "beaten_by",
            Self::Verdict => "verdict",
        }
    }
}

/// Refuses additions without a record that they are added to, or a bill without a job.
///
/// # Errors
/// What to add to the command line.
pub fn check(additions: &[Addition], is_json: bool, json: &str, has_job: bool) -> Result<(), CliError> {
    let missing = match additions {
        [] => return Ok(()),
        _ if !is_json => format!("--with adds to records: add {json}"),
        _ if additions.contains(&Addition::Bill) && !has_job => {
            "--with bill needs a job: add --job, e.g. --job 3d,200GB".to_owned()
        }
        _ => return Ok(()),
    };
    Err(CliError::Usage(missing))
}

/// The member of each row; none without additions.
pub fn members(settings: &Settings, result: &SearchResult, rows: &[u32], additions: &[Addition]) -> Vec<Json> {
    if additions.is_empty() {
        return Vec::new();
    }
    let record = additions
        .contains(&Addition::Verdict)
        .then(|| settings.history_location().open());
    let mut verdicts = Verdicts {
        record: record.and_then(|opened| opened.inspect_err(|error| output::note(&error.to_string())).ok()),
        query: &result.query,
        known: HashMap::new(),
    };
    let mut member = |row: &u32| {
        let added = additions.iter().map(|addition| {
            let value = addition.value(result, *row, &mut verdicts);
            (addition.name().to_owned(), value)
        });
        Json::Object(std::iter::once(("v".to_owned(), json!(VERSION))).chain(added).collect())
    };
    rows.iter().map(&mut member).collect()
}

impl Addition {
    fn value(self, result: &SearchResult, row: u32, verdicts: &mut Verdicts<'_>) -> Json {
        let (listing, front) = (&result.listing, result.computed.front());
        let column = |key: &str| {
            let field = listing.catalog().column(key)?;
            listing.cell(row as usize, field).number()
        };
        match self {
            Self::Bill => json!(column("job_cost")),
            Self::PricePerGpu => json!(column("dph_per_gpu")),
            Self::BestValue => json!(column("on_front").map(|is_best| is_best > 0.0)),
            Self::BeatenBy => {
                let lead = front.and_then(|front| front.beaten_by(row));
                json!(lead.and_then(|lead| listing.id(lead.row as usize)).map(|id| id.0))
            }
            Self::Verdict => json!(verdicts.of(listing, row)),
        }
    }
}

/// What today's lowest prices are called.
struct Verdicts<'a> {
    record: Option<Database>,
    query: &'a Query,
    /// By model and number of GPUs.
    known: HashMap<(String, u32), Option<&'static str>>,
}

impl Verdicts<'_> {
    fn of(&mut self, listing: &Listing, row: u32) -> Option<&'static str> {
        let lot = recorded_lot(listing, row)?;
        let gpus = quotes(listing, self.query.offer_type)(row)?.gpus;
        let (record, query) = (self.record.as_ref()?, self.query);
        let verdict = || {
            // This second counts, too.
            let until = Moment(Moment::of(listing.read_at()).0 + 1);
            let question = Question {
                search: Some(SearchKey::of(query)),
                filter: LotFilter {
                    machine: None,
                    model: Some(lot.model.clone()),
                },
                storage: query.storage_gb(),
                since: Moment(until.0 - VERDICT_DAYS * DAY),
                until,
                want: Want::Memory { gpus: Some(gpus) },
            };
            let Ok(Answer::Memory(Some(memory))) = record.answer(&question) else {
                return None;
            };
            match verdict(&memory, memory.lowest?) {
                Verdict::Given(rating) => Some(rating.standing.name()),
                Verdict::Withheld(_) => None,
            }
        };
        *self.known.entry((lot.model.clone(), gpus)).or_insert_with(verdict)
    }
}

/// A record with bourse's member. Every other byte stays; ours is the last, which counts if a server sends one
/// of that name.
pub fn with_member(record: &str, member: &Json) -> String {
    let Some(open) = record.trim_end().strip_suffix('}') else {
        return record.to_owned();
    };
    let comma = if open.trim_end().ends_with('{') { "" } else { "," };
    format!("{open}{comma}\"bourse\":{member}}}")
}
