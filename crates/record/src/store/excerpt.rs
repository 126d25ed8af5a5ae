//! Reading what the record knows about a question, whoever recorded it.

use std::collections::{BTreeMap, HashMap};

use bourse_domain::Resource;
use rusqlite::Connection;

use super::asked::Asked;
use super::line_reader::LineReader;
use super::line_rows::{market, needed, scopes, select_lines, targets, watch};
use super::{Database, HistoryError};
use crate::Question;
use crate::lows::LowSeries;
use crate::presence::{Merged, Watch, merged};
use crate::spells;
use crate::{Excerpt, Interval, Moment, PollOutcome, PollRow, Spell};

impl Database {
    /// What was recorded of the offers of a question: the responses that cover it, and the spells of its lots.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn excerpt(&self, question: &Question) -> Result<Excerpt, HistoryError> {
        self.known(question).map_err(|error| self.explained(&error))
    }

    fn known(&self, question: &Question) -> rusqlite::Result<Excerpt> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let asked = Asked::of(&question.query, self.dialect.transfer);
        let recorded = match market(&transaction, &self.market)? {
            Some(market) => self.recorded_since(&transaction, market, &asked, question)?,
            None => Excerpt::default(),
        };
        let is_from_before = recorded.polls.first().is_some_and(|first| first.at < question.since);
        if is_from_before {
            return Ok(recorded);
        }
        self.with_evidence_of_before(&transaction, recorded, question)
    }

    fn recorded_since(
        &self,
        connection: &Connection,
        market: i64,
        asked: &Asked,
        question: &Question,
    ) -> rusqlite::Result<Excerpt> {
        let scopes = scopes(connection, market, (asked.terms.resource, asked.terms.offer_type))?;
        let parts = asked.covering(&scopes);
        if parts.is_empty() {
            return Ok(Excerpt::default());
        }
        let mut watches: BTreeMap<usize, Watch> = BTreeMap::new();
        for place in parts.iter().flat_map(|(_, places)| places) {
            if let Some(known) = scopes.get(*place)
                && !watches.contains_key(place)
            {
                watches.insert(*place, watch(connection, known, question)?);
            }
        }
        let of_parts: Vec<Vec<&Watch>> = parts
            .iter()
            .map(|(_, places)| places.iter().filter_map(|place| watches.get(place)).collect())
            .collect();
        let responses = merged(&of_parts);
        let from = responses.iter().map(|merged| merged.row.at.0);
        let from = from.take_while(|at| *at < question.since.0).last();
        let mut reader = LineReader {
            asked,
            connection,
            scopes: &scopes,
            parts: &parts,
            vouched: watches
                .keys()
                .filter_map(|place| Some((*place, asked.vouched(&scopes.get(*place)?.scope))))
                .collect(),
            watches: &watches,
            targets: targets(connection, asked)?,
            left_out: &self.left_out,
            ahead: scopes.iter().map(|known| known.ahead).max().unwrap_or(0),
            from: from.unwrap_or(question.since.0),
            until: question.until.0,
            unknown: 0,
            stretches: HashMap::new(),
        };
        for known in select_lines(connection, market, asked, &needed(asked), "")? {
            reader.read(&known)?;
        }
        let mut polls: Vec<Merged> = responses;
        polls.retain(|merged| Some(merged.row.at.0) >= from || merged.row.at >= question.since);
        let moments: Vec<i64> = polls.iter().map(|merged| merged.row.at.0).collect();
        let mut spells = Vec::new();
        for (lot, stretches) in &reader.stretches {
            spells.extend(spells::spells(lot, stretches, &moments));
        }
        let end = moments.last().copied();
        for spell in spells.iter_mut().filter(|spell| spell.end.is_none()) {
            // Responses of other parts do not say otherwise.
            if let Some(end) = end.filter(|end| spell.last.0 < *end && parts.len() > 1) {
                spell.last = Moment(end);
            }
        }
        spells.retain(|spell| spell.end.is_none_or(|(_, at)| at.0 >= reader.from) && spell.first <= question.until);
        spells.sort_by(|left, right| (left.first, &left.lot).cmp(&(right.first, &right.lot)));
        let unknown = reader.unknown;
        Ok(Excerpt {
            polls: settled(polls, &spells, question, asked),
            spells,
            unknown,
        })
    }
}

/// The responses, where those that prove prices only up to one count as having the lowest price if that is below it.
fn settled(polls: Vec<Merged>, spells: &[Spell], question: &Question, asked: &Asked) -> Vec<PollRow> {
    let is_settled = |merged: &Merged| merged.below.is_none();
    if polls.iter().all(is_settled) {
        return polls.into_iter().map(|merged| merged.row).collect();
    }
    let rows: Vec<PollRow> = polls.iter().map(|merged| merged.row).collect();
    // Of several sizes the cheapest for each GPU may cost more altogether.
    let size = match asked.terms.resource {
        Resource::Offers => question.gpus().map(f64::from),
        Resource::Volumes | Resource::Workergroups => Some(1.0),
    };
    let Some(size) = size else {
        return rows
            .into_iter()
            .map(|row| PollRow {
                has_lowest: row.outcome == PollOutcome::Complete,
                ..row
            })
            .collect();
    };
    let intervals: Vec<Interval> = excerpt_intervals(spells, question);
    let lowest = LowSeries::of(&intervals, &rows).of_polls;
    let rows = polls.iter().zip(lowest).map(|(merged, lowest)| {
        let is_below = |below: f64| lowest.is_some_and(|price| price * size < below);
        PollRow {
            has_lowest: merged.row.outcome == PollOutcome::Complete || merged.below.is_some_and(is_below),
            ..merged.row
        }
    });
    rows.collect()
}

fn excerpt_intervals(spells: &[Spell], question: &Question) -> Vec<Interval> {
    let intervals = spells.iter().map(|spell| Interval {
        price: question.price_of(spell).unwrap_or(f64::NAN),
        ..spell.interval(0)
    });
    intervals.collect()
}
