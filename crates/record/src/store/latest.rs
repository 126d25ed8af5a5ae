//! The latest recorded response that answers a query.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bourse_domain::annotations::{Bans, Supplier};
use bourse_domain::listing::Listing;
use bourse_domain::{CellRef, Field, Kind, Query, Source};
use rusqlite::Connection;
use serde_json::{Map, Value as Json, json};

use super::asked::{Asked, KnownScope};
use super::line_reader::line_state;
use super::line_rows::{KnownLine, LineSelection, market, needed, scopes, usable};
use super::{Database, HistoryError};
use crate::presence::Response;
use crate::spells::{Stretch, spells};
use crate::{Lot, Moment, Onset, Poll, Proof, Scope, SearchKey, Spell, State, Terms, attributes};

/// A recorded response, and its lines.
struct Recalled {
    scope: Scope,
    response: Response,
    lines: Vec<KnownLine>,
}

impl Database {
    /// The newest complete response on record that answers a query, as a listing without machines and hosts
    /// left out, and its time, or `now` if that is earlier. `None` if no scope whose latest response is
    /// complete covers the query.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn latest(&self, query: &Query, now: Moment) -> Result<Option<(Listing, Moment)>, HistoryError> {
        let latest = || -> rusqlite::Result<Option<(Listing, Moment)>> {
            let asked = Asked::new(query, self.dialect.transfer);
            let Some(recalled) = self.recalled(&asked, Moment(i64::MIN), None)? else {
                return Ok(None);
            };
            let at = recalled.response.row.at.min(now);
            let terms = Terms {
                transfer: self.dialect.transfer,
                ..asked.terms
            };
            Ok(listing(query, terms, &recalled.lines, at).map(|listing| (listing, at)))
        };
        latest().map_err(|error| self.explained(&error))
    }

    /// The latest recorded response after `since` that answers a query, as a poll without the banned machines; `None`
    /// if there is none.
    ///
    /// It is a complete one that covers the query, or one to the same request, which contains as much as another one
    /// would. Its prices are the latest on record.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn answer_since(&self, query: &Query, bans: &Bans, since: Moment) -> Result<Option<Poll>, HistoryError> {
        let answer = || -> rusqlite::Result<Option<Poll>> {
            let asked = Asked::new(query, self.dialect.transfer);
            let request = Scope::new(query, self.dialect, bans.sent_bans(query, self.dialect));
            let recalled = self.recalled(&asked, since, Some((&request, bans)))?;
            Ok(recalled.map(|recalled| poll(query, &asked, recalled, bans)))
        };
        answer().map_err(|error| self.explained(&error))
    }

    /// The latest complete response after `since` that covers a query, with its lines that meet the query and
    /// are not left out; `None` if there is none.
    ///
    /// With a `request`, it must exclude nothing except the bans, and if there is none, the latest response
    /// to that request is used; its lines then have only the attributes that the query needs.
    fn recalled(
        &self,
        asked: &Asked,
        since: Moment,
        request: Option<(&Scope, &Bans)>,
    ) -> rusqlite::Result<Option<Recalled>> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let Some(market) = market(&transaction, &self.market)? else {
            return Ok(None);
        };
        let mut scopes = scopes(&transaction, market, (asked.terms.resource, asked.terms.offer_type))?;
        let Some((place, response)) = best_response(&transaction, &scopes, asked, since, request)? else {
            return Ok(None);
        };
        let known = scopes.swap_remove(place);
        let selection = LineSelection {
            market,
            asked,
            places: match request {
                Some(_) => needed(asked),
                None => (0..attributes(asked.terms.resource).len()).collect(),
            },
            within: format!(
                " AND id IN (SELECT line FROM member WHERE scope = {} AND ended IS NULL AND last IS NULL)",
                known.id
            ),
        };
        let vouched = asked.vouched(&known.scope);
        let mut lines = Vec::new();
        selection.each(&transaction, |line| {
            let is_left_out = line.is_of_any(&self.left_out, asked.terms.resource);
            if !is_left_out && asked.judge(&state(asked.terms, &line), response.row.at).is_met(vouched) {
                lines.push(line);
            }
            Ok(())
        })?;
        Ok(Some(Recalled {
            scope: known.scope,
            response,
            lines,
        }))
    }
}

/// The index of the scope with the best response after `since` that answers a query, and that response: the latest
/// complete one, or else the latest one to the same request; `None` if there is none.
fn best_response(
    connection: &Connection,
    scopes: &[KnownScope],
    asked: &Asked,
    since: Moment,
    request: Option<(&Scope, &Bans)>,
) -> rusqlite::Result<Option<(usize, Response)>> {
    let parts = asked.covering(scopes);
    // A response that covers each part covers the whole.
    let covers = |place: usize| !parts.is_empty() && parts.iter().all(|(_, places)| places.contains(&place));
    let mut best: Option<(usize, bool, Response)> = None;
    for (place, known) in scopes.iter().enumerate() {
        let is_covering = covers(place)
            && request.is_none_or(|(_, bans)| known.scope.excluded.iter().all(|supplier| bans.contains(supplier)));
        let is_same = || request.is_some_and(|(request, _)| known.scope.is_same_request(request));
        if !is_covering && !is_same() {
            continue;
        }
        let Some(last) = usable(connection, known.id, "DESC", known.ahead)?.filter(|last| last.row.at > since) else {
            continue;
        };
        let is_whole = is_covering && last.proof == Proof::Complete;
        let is_better = best.is_none_or(|(_, was_whole, best)| (was_whole, best.row.at) < (is_whole, last.row.at));
        if is_better && (is_whole || is_same()) {
            best = Some((place, is_whole, last));
        }
    }
    Ok(best.map(|(place, _, response)| (place, response)))
}

/// The latest recorded state of a line, measured by `terms`.
const fn state(terms: Terms, known: &KnownLine) -> State<'_> {
    State {
        line: &known.line,
        facts: known.latest.facts.as_slice(),
        terms,
    }
}

/// A listing of lines, in the form of a response of the market; `None` if it cannot be read.
fn listing(query: &Query, terms: Terms, lines: &[KnownLine], at: Moment) -> Option<Listing> {
    let catalog = query.catalog();
    let mut text = format!("{{\"truncated\":false,\"{}\":[", catalog.list_key);
    for (index, known) in lines.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let record = Json::Object(record(query, &state(terms, known), known.latest.offer, at));
        let _ = write!(text, "{separator}{record}");
    }
    text.push_str("]}");
    let listing = Listing::read(catalog, text, at.unix()).ok()?;
    Some(listing.in_units(terms.transfer))
}

/// The members of a line's record, in the form in which the market sends them; unknown values are left out.
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

/// The name and value of a field's member in a record; `None` if records have no such member, or its value is
/// unknown.
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

/// A number as JSON, without a fraction if it is whole and the field is not fractional; `None` if it is not
/// finite.
fn number_json(field: &Field, number: f64) -> Option<Json> {
    #[expect(clippy::cast_possible_truncation)] // whole and within the exact range
    if number.fract() == 0.0 && number.abs() < 9e15 && field.kind != Kind::Number {
        return Some(json!(number as i64));
    }
    serde_json::Number::from_f64(number).map(Json::Number)
}

/// A response as a poll of a query without the banned machines and hosts. It has no lines: they are on
/// record.
fn poll(query: &Query, asked: &Asked, recalled: Recalled, bans: &Bans) -> Poll {
    let row = recalled.response.row;
    let mut lots: BTreeMap<Lot, Vec<Stretch>> = BTreeMap::new();
    for line in &recalled.lines {
        let Some(state) = line_state(&state(asked.terms, line), &line.latest) else {
            continue;
        };
        let host = state.host.map(Supplier::Host);
        let machine = Supplier::Machine(line.line.lot.machine);
        if bans.contains(&machine) || host.is_some_and(|host| bans.contains(&host)) {
            continue;
        }
        // Polls distinguish the models of a machine by name alone.
        let lot = Lot {
            memory: 0,
            ..line.line.lot.clone()
        };
        lots.entry(lot).or_default().push(Stretch {
            from: row.at.0,
            stop: i64::MAX,
            onset: Onset::Found,
            last: row.at.0,
            end: None,
            state,
        });
    }
    let spells = lots
        .iter()
        .flat_map(|(lot, stretches)| spells(lot, stretches, &[row.at.0]));
    Poll {
        search: SearchKey::new(query),
        scope: recalled.scope,
        proof: recalled.response.proof,
        at: row.at,
        took: row.took,
        outcome: row.outcome,
        rows: row.rows,
        interval: row.interval,
        bans: bans.fingerprint(),
        sightings: spells.map(Spell::sighting).collect(),
        lines: Vec::new(),
        causes: Vec::new(),
    }
}
