//! Reads the record for a question, from all scopes that cover it.

use std::collections::BTreeMap;

use bourse_domain::Resource;
use rusqlite::Connection;

use super::asked::{Asked, KnownScope};
use super::line_reader::LineReader;
use super::line_rows::{LineSelection, market, needed, scopes, targets, watch};
use super::{Database, HistoryError};
use crate::implication::Part;
use crate::lows::LowestOfPolls;
use crate::presence::{Merged, Watch, merged};
use crate::spells::{self, Stretch};
use crate::{Excerpt, Lot, Moment, PollOutcome, PollRow, Question, Spell};

/// A callback that receives all responses and the spells of a lot.
type Take<'a> = &'a mut dyn FnMut(&[PollRow], Vec<Spell>);

/// The excerpt of a question without its spells.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub polls: Vec<PollRow>,
    /// The number of lots that only an unknown value kept from meeting the question.
    pub unknown: u32,
}

impl Database {
    /// The record of the offers of a question: the responses that cover it, and the spells of its lots by
    /// their beginning, without machines and hosts left out. It begins with the record of version 0.1, if
    /// that is older.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn excerpt(&self, question: &Question) -> Result<Excerpt, HistoryError> {
        let mut spells = Vec::new();
        let known = self.read_lots(question, &mut |_, own| spells.extend(own))?;
        spells.sort_by(|left, right| (left.first, &left.lot).cmp(&(right.first, &right.lot)));
        Ok(Excerpt {
            polls: known.polls,
            spells,
            unknown: known.unknown,
        })
    }

    /// Like [`Database::excerpt`], lot by lot: `take` receives all responses and all spells of one lot, in
    /// order of time, before those of the next; lots on record only by version 0.1 come last. Returns the
    /// responses with their final `has_lowest`.
    pub(super) fn read_lots(&self, question: &Question, take: Take<'_>) -> Result<Known, HistoryError> {
        self.lots_of(question, take).map_err(|error| self.explained(&error))
    }

    /// Does the work of `read_lots`, with the errors of `SQLite`.
    fn lots_of(&self, question: &Question, take: Take<'_>) -> rusqlite::Result<Known> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let asked = Asked::new(&question.query, self.dialect.transfer);
        let recorded = match market(&transaction, &self.market)? {
            Some(market) => Recorded::load(&transaction, market, &asked, question)?,
            None => None,
        };
        let earliest = recorded.as_ref().and_then(|recorded| recorded.responses.first());
        let first = earliest.map(|first| first.row.at);
        let mut before = match first {
            Some(first) if first < question.since => Excerpt::default(),
            _ => self.evidence_before(&transaction, first.unwrap_or(Moment(i64::MAX)), question)?,
        };
        let mut of_lots: BTreeMap<Lot, Vec<Spell>> = BTreeMap::new();
        for spell in before.spells {
            of_lots.entry(spell.lot.clone()).or_default().push(spell);
        }
        let mut unknown = 0;
        if let Some(recorded) = recorded {
            let rows = recorded.rows();
            let all = [before.polls.as_slice(), &rows].concat();
            let mut lows = recorded.lows();
            let reader = LineReader {
                asked: &asked,
                connection: &transaction,
                scopes: &recorded.scopes,
                parts: &recorded.parts,
                watches: &recorded.watches,
                vouched: recorded.vouched(&asked),
                targets: targets(&transaction, &asked)?,
                left_out: &self.left_out,
                ahead: recorded.scopes.iter().map(|known| known.ahead).max().unwrap_or(0),
                from: recorded.from,
                until: question.until.0,
                unknown: 0,
            };
            unknown = recorded.spells_of_lots(reader, |spells| {
                for spell in &spells {
                    if let Some(lows) = &mut lows {
                        lows.add(&spell.interval(question.price_of(spell)), &rows);
                    }
                }
                let old = spells.first().and_then(|spell| of_lots.remove(&spell.lot));
                take(&all, old.into_iter().flatten().chain(spells).collect());
            })?;
            before.polls.extend(recorded.settled(lows));
        }
        for spells in of_lots.into_values() {
            take(&before.polls, spells);
        }
        Ok(Known {
            polls: before.polls,
            unknown,
        })
    }
}

/// The scopes that cover a question, with their responses.
struct Recorded {
    market: i64,
    scopes: Vec<KnownScope>,
    parts: Vec<(Part, Vec<usize>)>,
    watches: BTreeMap<usize, Watch>,
    /// The merged responses, from the last one before the question's time on.
    responses: Vec<Merged>,
    /// The time of the first of them, or else the beginning of the question's time.
    from: i64,
    /// The number of GPUs if the question is about one size; `None` otherwise.
    ///
    /// Only then a response that is complete up to a price may contain the lowest price for certain.
    size: Option<f64>,
}

impl Recorded {
    /// Reads the scopes that cover a question, with their responses in its time and the last before it;
    /// `None` if no scope covers it.
    fn load(
        connection: &Connection,
        market: i64,
        asked: &Asked,
        question: &Question,
    ) -> rusqlite::Result<Option<Self>> {
        let scopes = scopes(connection, market, (asked.terms.resource, asked.terms.offer_type))?;
        let parts = asked.covering(&scopes);
        if parts.is_empty() {
            return Ok(None);
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
        let mut responses = merged(&of_parts);
        let moments = responses.iter().map(|merged| merged.row.at.0);
        let from = moments.take_while(|at| *at < question.since.0).last();
        responses.retain(|merged| Some(merged.row.at.0) >= from || merged.row.at >= question.since);
        Ok(Some(Self {
            market,
            scopes,
            parts,
            watches,
            responses,
            from: from.unwrap_or(question.since.0),
            // Of several sizes the cheapest per GPU may cost more in total.
            size: match asked.terms.resource {
                Resource::Offers => question.gpus().map(f64::from),
                Resource::Volumes | Resource::Workergroups => Some(1.0),
            },
        }))
    }

    /// The conditions that each scope guarantees, one bit each as by [`Asked::vouched`], by the index of the
    /// scope.
    fn vouched(&self, asked: &Asked) -> BTreeMap<usize, u64> {
        let places = self.watches.keys();
        let vouched = places.filter_map(|place| Some((*place, asked.vouched(&self.scopes.get(*place)?.scope))));
        vouched.collect()
    }

    /// Passes the spells of one lot after another to `take`, by machine and model, without lots that have
    /// none in the question's time; returns the number of lines that only an unknown value kept from meeting
    /// the question.
    fn spells_of_lots(&self, mut reader: LineReader<'_>, mut take: impl FnMut(Vec<Spell>)) -> rusqlite::Result<u32> {
        let moments: Vec<i64> = self.responses.iter().map(|merged| merged.row.at.0).collect();
        let until = Moment(reader.until);
        let mut finish = |(lot, stretches): (Lot, Vec<Stretch>)| {
            let spells = self.spells(&lot, &stretches, &moments);
            let spells: Vec<Spell> = spells.filter(|spell| spell.first <= until).collect();
            if !spells.is_empty() {
                take(spells);
            }
        };
        let selection = LineSelection {
            market: self.market,
            asked: reader.asked,
            places: needed(reader.asked),
            // Keeps the lines of a lot together.
            within: " ORDER BY machine, model, memory".to_owned(),
        };
        let mut open: Option<(Lot, Vec<Stretch>)> = None;
        selection.each(reader.connection, |known| {
            let stretches = reader.read(&known)?;
            match &mut open {
                Some((lot, all)) if *lot == known.line.lot => all.extend(stretches),
                _ => open
                    .replace((known.line.lot, stretches))
                    .into_iter()
                    .for_each(&mut finish),
            }
            Ok(())
        })?;
        open.into_iter().for_each(finish);
        Ok(reader.unknown)
    }

    /// The spells of a lot from the `stretches` of its lines, without those that ended before the first
    /// response. `moments` are the times of the responses. If the query is divided into parts, a spell still
    /// on offer counts as seen at the last of them.
    fn spells(&self, lot: &Lot, stretches: &[Stretch], moments: &[i64]) -> impl Iterator<Item = Spell> {
        // Responses of other parts do not prove that an offer of one is gone.
        let last = moments.last().filter(|_| self.parts.len() > 1);
        let seen = Moment(last.copied().unwrap_or(i64::MIN));
        let spells = spells::spells(lot, stretches, moments)
            .into_iter()
            .map(move |mut spell| {
                if spell.end.is_none() {
                    spell.last = spell.last.max(seen);
                }
                spell
            });
        let from = self.from;
        spells.filter(move |spell| spell.end.is_none_or(|(_, at)| at.0 >= from))
    }

    /// The merged responses as polls, before it is known which have the lowest price.
    fn rows(&self) -> Vec<PollRow> {
        self.responses.iter().map(|merged| merged.row).collect()
    }

    /// An empty finder of the lowest price of each response; `None` if all responses are complete, or the
    /// question is about offers without a fixed number of GPUs.
    fn lows(&self) -> Option<LowestOfPolls> {
        (self.size.is_some() && self.responses.iter().any(|merged| merged.below.is_some()))
            .then(|| LowestOfPolls::new(self.responses.len()))
    }

    /// The responses; those that are only complete up to a price count as having the lowest price if that is below it.
    fn settled(&self, lows: Option<LowestOfPolls>) -> Vec<PollRow> {
        let lows = lows.map(LowestOfPolls::finish).unwrap_or_default();
        let rows = self.responses.iter().enumerate().map(|(index, merged)| {
            let Merged { row, below } = *merged;
            let Some(below) = below else { return row };
            let lowest = lows.get(index).copied().flatten().zip(self.size);
            PollRow {
                has_lowest: row.outcome == PollOutcome::Complete
                    || lowest.is_some_and(|(price, size)| price * size < below),
                ..row
            }
        });
        rows.collect()
    }
}
