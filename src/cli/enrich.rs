//! bourse's own member in the record of an offer, for programs.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value as Json, json};

use super::args::Addition;
use super::output::{self, CliError};
use super::recorded;
use super::search::SearchResult;
use super::wanted::annotations;
use crate::domain::format::counted;
use crate::domain::{Listing, Query, json_split};
use crate::record::store::Database;
use crate::record::{Memory, Moment, VERDICT_DAYS, Verdict, VerdictBasis, nothing_known_sentence, offers_like};
use crate::settings::Settings;

/// The version of the member, which rises when a name, type or unit changes.
pub const VERSION: u32 = 1;

/// Rejects additions (`--with`) if the output has no records (`is_json` is false), or a bill without a job;
/// without additions nothing is rejected. `json` names the flag that prints records, for the error.
///
/// # Errors
///
/// A usage error that names the missing flag.
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

/// The JSON member `bourse` for each of `rows`, in their order: its version, the additions, and with a
/// verdict its basis. Empty without additions. If the recorded prices cannot be opened, that is noted on
/// stderr and no row gets a verdict. Banned offers do not count in a verdict, unless the search shows them.
pub fn members(settings: &Settings, result: &SearchResult, rows: &[u32], additions: &[Addition]) -> Vec<Json> {
    if additions.is_empty() {
        return Vec::new();
    }
    let opened = additions.contains(&Addition::Verdict).then(|| recorded::open(settings));
    let record = opened.and_then(|opened| opened.inspect_err(|error| output::note(&error.to_string())).ok());
    let mut verdicts = Verdicts {
        // As `bourse history` does.
        record: match record {
            Some(record) if !result.no_bans => Some(record.leaving_out(annotations(settings).banned())),
            record => record,
        },
        query: &result.query,
        known: Vec::new(),
    };
    let mut member = |row: &u32| {
        let added = additions.iter().map(|addition| {
            let value = value(*addition, result, *row, &mut verdicts);
            (addition.name().to_owned(), value)
        });
        let mut member: Map<String, Json> = std::iter::once(("v".to_owned(), json!(VERSION))).chain(added).collect();
        let has_verdict = additions.contains(&Addition::Verdict);
        if has_verdict {
            member.extend(verdicts.basis(&result.listing, *row));
        }
        if let Some(simulated) = recorded::simulated(settings).filter(|_| has_verdict) {
            member.insert("simulated".to_owned(), simulated.into());
        }
        Json::Object(member)
    };
    rows.iter().map(&mut member).collect()
}

/// The value of an addition for a row; `null` if it is unknown, or if no offer beats the row (`BeatenBy`,
/// else the id of one that does).
fn value(addition: Addition, result: &SearchResult, row: u32, verdicts: &mut Verdicts<'_>) -> Json {
    let (listing, front) = (&result.listing, result.computed.front());
    let column = |key: &str| {
        let field = listing.catalog().column(key)?;
        listing.cell(row as usize, field).number()
    };
    match addition {
        Addition::Bill => json!(column("job_cost")),
        Addition::PricePerGpu => json!(column("dph_per_gpu")),
        Addition::BestValue => json!(column("on_front").map(|is_best| is_best > 0.0)),
        Addition::BeatenBy => {
            let lead = front.and_then(|front| front.beaten_by(row));
            json!(lead.and_then(|lead| listing.id(lead.row as usize)).map(|id| id.0))
        }
        Addition::Verdict => json!(verdicts.verdict(listing, row)),
    }
}

/// The verdicts on today's lowest prices.
struct Verdicts<'a> {
    record: Option<Database>,
    query: &'a Query,
    /// The verdicts' basis, by the query that finds comparable offers.
    known: Vec<(Query, Option<Memory>)>,
}

impl Verdicts<'_> {
    /// The recorded prices of offers comparable to a row, read once for all rows with the same ones; `None`
    /// without a record or such offers, or if it cannot be read.
    fn memory(&mut self, listing: &Listing, row: u32) -> Option<&Memory> {
        let like = offers_like(self.query, listing, row)?;
        let known = self.known.iter().position(|(known, _)| *known == like);
        let index = known.unwrap_or_else(|| {
            // This second counts, too.
            let until = Moment(listing.read_at().moment().0 + 1);
            let basis = VerdictBasis::new(like.clone(), until);
            let memory = self.record.as_ref().and_then(|record| record.ask(&basis).ok());
            self.known.push((like, memory.flatten()));
            self.known.len() - 1
        });
        self.known.get(index)?.1.as_ref()
    }

    /// `low`, `typical` or `high` for today's lowest price of offers comparable to a row; `None` if nothing
    /// or too little is recorded, or the record cannot be read.
    fn verdict(&mut self, listing: &Listing, row: u32) -> Option<&'static str> {
        match self.memory(listing, row)?.verdict() {
            Verdict::Given(rating) => Some(rating.standing.name()),
            Verdict::Withheld(_) => None,
        }
    }

    /// The members on the basis of a verdict: its window in days, the share of it that is recorded (0 if
    /// nothing), and the reason if there is no verdict, else `null`.
    fn basis(&mut self, listing: &Listing, row: u32) -> [(String, Json); 3] {
        let memory = self.memory(listing, row);
        let withheld = memory.filter(|memory| matches!(memory.verdict(), Verdict::Withheld(_)));
        [
            ("verdict_window_days".to_owned(), json!(VERDICT_DAYS)),
            (
                "verdict_known_share".to_owned(),
                json!(memory.map_or(0.0, Memory::known)),
            ),
            (
                "verdict_withheld".to_owned(),
                match memory {
                    Some(_) => json!(withheld.map(Memory::verdict_sentence)),
                    None => json!(nothing_known_sentence()),
                },
            ),
        ]
    }
}

/// The name of bourse's member.
const MEMBER: &str = "bourse";

/// Appends bourse's member to a JSON record, as the only one of that name; anything but an object is returned
/// unchanged.
///
/// A server's member of that name is renamed, however it is escaped; every other byte stays.
pub fn with_member(record: &str, member: &Json) -> String {
    let record = renamed(record);
    let Some(open) = record.trim_end().strip_suffix('}') else {
        return record.into_owned();
    };
    let comma = if open.trim_end().ends_with('{') { "" } else { "," };
    format!("{open}{comma}\"{MEMBER}\":{member}}}")
}

/// Notes on stderr how many of these records have a server's member of bourse's name, which is renamed;
/// nothing if none has.
pub fn note_renamed<'r>(records: impl Iterator<Item = &'r str>) {
    let count = records
        .filter(|record| matches!(renamed(record), Cow::Owned(_)))
        .count();
    if count > 0 {
        let records = counted(count, "record", "records");
        output::note(&format!(
            "the server has a member {MEMBER} of its own in {records}: printed as {MEMBER}_received"
        ));
    }
}

/// The record with each server's member named `bourse` renamed to the first free name of `bourse_received`,
/// `bourse_received_2` and so on; borrowed if there is none.
fn renamed(record: &str) -> Cow<'_, str> {
    // A name in escapes has a backslash.
    let may_be = record.contains(MEMBER) || record.contains('\\');
    let read = may_be.then(|| json_split::members(record).ok()).flatten();
    let members = read.unwrap_or_default();
    let mut names: HashSet<String> = members.iter().map(|(name, _)| name.clone()).collect();
    let mut out = String::new();
    let mut copied = 0;
    for (_, value) in members.iter().filter(|(name, _)| name == MEMBER) {
        let numbered = (2..).map(|number: u32| format!("{MEMBER}_received_{number}"));
        let mut free = std::iter::once(format!("{MEMBER}_received")).chain(numbered);
        let (Some(quoted), Some(name)) = (
            name_before(record, value.start),
            free.find(|name| !names.contains(name)),
        ) else {
            break;
        };
        out.push_str(&record[copied..quoted.start]);
        out.extend(["\"", &name, "\""]);
        copied = quoted.end;
        names.insert(name);
    }
    if copied == 0 {
        return Cow::Borrowed(record);
    }
    out.push_str(&record[copied..]);
    Cow::Owned(out)
}

/// The byte range of the member name before the value at offset `value`, with its quotes; `None` if no quoted
/// name and colon precede it.
fn name_before(record: &str, value: usize) -> Option<Range<usize>> {
    let name = record[..value].trim_end().strip_suffix(':')?.trim_end();
    let open = name.strip_suffix('"')?;
    // A quote inside a name has a backslash in front of it, and the one that opens it has none.
    let mut quotes = open.rmatch_indices('"').map(|(at, _)| at);
    let start = quotes.find(|at| !open[..*at].ends_with('\\'))?;
    Some(start..name.len())
}
