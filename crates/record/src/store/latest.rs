//! What the record saw last for a query.

use std::fmt::Write as _;

use bourse_domain::listing::Listing;
use bourse_domain::{CellRef, Field, Kind, Query, Source};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::{Map, Value as Json, json};

use super::asked::{Asked, KnownScope};
use super::line_reader::{country_of, space_of};
use super::line_rows::{KnownLine, host_of, market, response, scopes, select_lines};
use super::{Database, HistoryError, codes};
use crate::presence::Response;
use crate::spells::{Begun, Ended, Stretch, spells};
use crate::{Moment, Poll, Proof, SearchKey, SeenLine, Sighting, Spell, State, Terms, attributes};

/// A response on record and the lines that it had.
struct Recalled {
    scope: usize,
    response: Response,
    lines: Vec<KnownLine>,
}

impl Database {
    /// The newest complete answer on record for a query, as a listing, and its time; `None` if nothing covers it.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn latest(&self, query: &Query, now: Moment) -> Result<Option<(Listing, Moment)>, HistoryError> {
        let latest = || -> rusqlite::Result<Option<(Listing, Moment)>> {
            let asked = Asked::of(query, self.transfer);
            let Some((_, recalled)) = self.recalled(&asked, Moment(i64::MIN))? else {
                return Ok(None);
            };
            let at = recalled.response.row.at.min(now);
            let terms = Terms {
                transfer: self.transfer,
                ..asked.terms
            };
            Ok(listing(query, terms, &recalled.lines, at).map(|listing| (listing, at)))
        };
        latest().map_err(|error| self.explained(&error))
    }

    /// The latest complete response that covers a query and was sent after `since`, as one to the query.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn covered_since(&self, query: &Query, since: Moment) -> Result<Option<Poll>, HistoryError> {
        let covered = || -> rusqlite::Result<Option<Poll>> {
            let asked = Asked::of(query, self.transfer);
            let recalled = self.recalled(&asked, since)?;
            Ok(recalled.and_then(|(mut scopes, recalled)| {
                let known = (recalled.scope < scopes.len()).then(|| scopes.swap_remove(recalled.scope))?;
                Some(poll(query, &asked, known, recalled))
            }))
        };
        covered().map_err(|error| self.explained(&error))
    }

    /// The latest complete response that covers a query, sent after `since`, with its lines that meet the query.
    fn recalled(&self, asked: &Asked, since: Moment) -> rusqlite::Result<Option<(Vec<KnownScope>, Recalled)>> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let Some(market) = market(&transaction, &self.market)? else {
            return Ok(None);
        };
        let scopes = scopes(&transaction, market, &asked.terms)?;
        let mut best: Option<(usize, Response)> = None;
        for (part, places) in asked.covering(&scopes) {
            if part.own.is_some() {
                // A part is not the whole; a scope that covers all of it is in every part.
                continue;
            }
            for place in places {
                let Some(known) = scopes.get(place) else { continue };
                let last = last_usable(&transaction, known)?;
                let last = last.filter(|last| last.proof == Proof::Complete && last.row.at > since);
                if let Some(last) = last
                    && best.is_none_or(|(_, best)| best.row.at < last.row.at)
                {
                    best = Some((place, last));
                }
            }
        }
        let Some((scope, response)) = best else {
            return Ok(None);
        };
        let Some(known) = scopes.get(scope) else {
            return Ok(None);
        };
        let within = format!(
            " AND id IN (SELECT line FROM member WHERE scope = {} AND ended IS NULL AND last IS NULL)",
            known.id
        );
        let places: Vec<usize> = (0..attributes(asked.terms.resource).len()).collect();
        let mut lines = select_lines(&transaction, market, asked, &places, &within)?;
        let vouched = asked.vouched(&known.scope);
        lines.retain(|known| {
            let state = state(asked.terms, known);
            !self.leaves_out_line(known, asked) && asked.judge(&state, response.row.at).is_met(vouched)
        });
        Ok(Some((scopes, Recalled { scope, response, lines })))
    }

    fn leaves_out_line(&self, known: &KnownLine, asked: &Asked) -> bool {
        let host = host_of(&known.latest.facts, asked.terms.resource);
        self.left_out.iter().any(|supplier| match supplier {
            bourse_domain::annotations::Supplier::Machine(machine) => known.line.lot.machine == *machine,
            bourse_domain::annotations::Supplier::Host(left_out) => host == Some(*left_out),
        })
    }
}

const fn state(terms: Terms, known: &KnownLine) -> State<'_> {
    State {
        line: &known.line,
        facts: known.latest.facts.as_slice(),
        terms,
    }
}

fn last_usable(connection: &Connection, known: &KnownScope) -> rusqlite::Result<Option<Response>> {
    connection
        .prepare_cached(
            "SELECT at, took, proof, below, rows, every FROM response
             WHERE scope = ?1 AND proof != ?2 ORDER BY at DESC LIMIT 1",
        )?
        .query_row(params![known.id, codes::proof(Proof::Nothing).0], |row| {
            response(row, known.ahead)
        })
        .optional()
}

/// A listing of lines, read like a response of the market.
fn listing(query: &Query, terms: Terms, lines: &[KnownLine], at: Moment) -> Option<Listing> {
    let catalog = query.catalog();
    let mut text = format!("{{\"truncated\":false,\"{}\":[", catalog.list_key);
    for (index, known) in lines.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let record = Json::Object(record(query, &state(terms, known), known.latest.offer, at));
        let _ = write!(text, "{separator}{record}");
    }
    text.push_str("]}");
    #[expect(clippy::cast_precision_loss)] // seconds of a plausible time
    let now = at.0 as f64;
    let listing = Listing::read(catalog, text, now).ok()?;
    Some(listing.in_units(terms.transfer))
}

/// The members of a record, as the market sends them.
fn record(query: &Query, state: &State<'_>, offer: i64, at: Moment) -> Map<String, Json> {
    let catalog = query.catalog();
    let mut members = Map::new();
    for name in catalog.id_members {
        members.insert((*name).to_owned(), json!(offer));
    }
    for field in catalog.fields() {
        if let Some((name, value)) = member(field, state, at) {
            members.entry(name).or_insert(value);
        }
    }
    members
}

fn member(field: &Field, state: &State<'_>, at: Moment) -> Option<(String, Json)> {
    let name = match field.source {
        Source::Member(name) | Source::Known(name) if field.in_record => name,
        Source::Either(names) if field.in_record => names.first()?,
        Source::Member(_)
        | Source::Known(_)
        | Source::Either(_)
        | Source::Search(_)
        | Source::Nested(..)
        | Source::TextIs(..)
        | Source::NumberIs(..)
        | Source::TimeLeft(..)
        | Source::Since(_)
        | Source::Nowhere
        | Source::Computed => return None,
    };
    let value = match state.cell(field, at) {
        CellRef::Flag(flag) => json!(flag),
        CellRef::Number(number) => number_json(field, number)?,
        CellRef::Text(text) => json!(text),
        CellRef::Missing | CellRef::Null | CellRef::Bad(_) => return None,
    };
    Some((name.to_owned(), value))
}

fn number_json(field: &Field, number: f64) -> Option<Json> {
    #[expect(clippy::cast_possible_truncation)] // whole and within the exact range
    if number.fract() == 0.0 && number.abs() < 9e15 && field.kind != Kind::Number {
        return Some(json!(number as i64));
    }
    serde_json::Number::from_f64(number).map(Json::Number)
}

/// The response to a scope as one to a query that it covers.
fn poll(query: &Query, asked: &Asked, known: KnownScope, recalled: Recalled) -> Poll {
    let row = recalled.response.row;
    let mut lines: Vec<SeenLine> = Vec::with_capacity(recalled.lines.len());
    let mut lots: std::collections::BTreeMap<_, Vec<Stretch>> = std::collections::BTreeMap::new();
    for line in recalled.lines {
        let state = state(asked.terms, &line);
        if let Some(quote) = state.quote().filter(|quote| quote.reference().is_finite()) {
            lots.entry(line.line.lot.clone()).or_default().push(Stretch {
                from: row.at.0,
                stop: i64::MAX,
                begun: Begun::Found,
                ended: Ended::Open(row.at.0),
                quote,
                offers: line.latest.offers,
                gpu_mask: line.latest.gpu_mask,
                space: space_of(&state),
                offer: line.latest.offer,
                host: host_of(&line.latest.facts, asked.terms.resource),
                country: country_of(&state),
            });
        }
        lines.push(SeenLine {
            line: line.line,
            offer: line.latest.offer,
            offers: line.latest.offers,
            gpu_mask: line.latest.gpu_mask,
            facts: line.latest.facts,
        });
    }
    lines.sort_by(|left, right| left.line.cmp(&right.line));
    let sightings = lots
        .iter()
        .flat_map(|(lot, stretches)| spells(lot, stretches, &[row.at.0]))
        .map(Spell::sighting)
        .collect::<Vec<Sighting>>();
    Poll {
        search: SearchKey::of(query),
        scope: known.scope,
        proof: recalled.response.proof,
        at: row.at,
        took: row.took,
        outcome: row.outcome,
        rows: row.rows,
        has_lowest: true,
        interval: row.interval,
        bans: row.bans,
        sightings,
        lines,
        causes: Vec::new(),
    }
}
