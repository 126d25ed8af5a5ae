//! The record of version 0.1, search by search: evidence of the time before the first response with a scope. It is read
//! only, and ages out.

use bourse_domain::annotations::Supplier;
use bourse_domain::country::CountryCode;
use bourse_domain::dialect::TransferUnit;
use bourse_domain::language::{Mode, parse};
use bourse_domain::value::CellRef;
use bourse_domain::{Condition, Dialect, OfferType, Query, Resource};
use rusqlite::{Connection, Params, Row, params};

use super::{Database, codes};
use crate::Question;
use crate::implication::{contains, includes_storage};
use crate::{Cause, Ending, Excerpt, Lot, Moment, PollRow, Quote, Spell, implicit, normalised, timeline};

/// The recorded fields of a lot, by which a search may be narrowed.
const RECORDED: [&str; 7] = [
    "gpu_name",
    "num_gpus",
    "machine_id",
    "cluster_id",
    "host_id",
    "geolocation",
    "dph_per_gpu",
];

/// Prices of a line, for which the storage of a search is irrelevant.
const PRICES: [&str; 4] = ["dph_total", "dph_base", "min_bid", "storage_cost"];

/// A recorded search that answers a query.
struct OldSearch {
    id: i64,
    ahead: i64,
    /// The conditions of the query that the recorded search lacks.
    narrower: Vec<Condition>,
    polls: Vec<PollRow>,
    watched: i64,
}

impl Database {
    /// The record of version 0.1 about a question, before the response `first` with which the new record
    /// begins, from the search that was watched longest; empty if none answers the question.
    pub(super) fn evidence_before(
        &self,
        connection: &Connection,
        first: Moment,
        question: &Question,
    ) -> rusqlite::Result<Excerpt> {
        let question = &Question {
            until: question.until.min(Moment(first.0.saturating_sub(1))),
            ..question.clone()
        };
        let Some(best) = self.best(connection, question)? else {
            return Ok(Excerpt::default());
        };
        let spells = self.spells_of(connection, &best, question)?;
        let old = Excerpt {
            polls: best.polls,
            spells,
            unknown: 0,
        };
        Ok(until(old, first))
    }

    /// The search of version 0.1 that answers a question and was watched longest in its time, of equal ones
    /// the one with more polls; `None` if there is none with polls. One that must be narrowed is left out if
    /// it had bans.
    fn best(&self, connection: &Connection, question: &Question) -> rusqlite::Result<Option<OldSearch>> {
        let query = &question.query;
        let offer_type = match query.resource {
            Resource::Offers => query.offer_type,
            Resource::Volumes | Resource::Workergroups => OfferType::OnDemand,
        };
        let mut statement = connection.prepare_cached(
            "SELECT id, ahead, conditions FROM search WHERE market = ?1 AND resource = ?2 AND offer_type = ?3",
        )?;
        let codes = params![
            self.market,
            codes::resource(query.resource),
            codes::offer_type(offer_type)
        ];
        let mut rows = statement.query(codes)?;
        let mut best: Option<OldSearch> = None;
        while let Some(row) = rows.next()? {
            let conditions: String = row.get(2)?;
            let Some(narrower) = narrower(&conditions, query) else {
                continue;
            };
            let (id, ahead) = (row.get(0)?, row.get(1)?);
            let polls = old_polls(connection, (id, ahead), question)?;
            // Bans are those of the recorded search.
            if !narrower.is_empty() && polls.iter().any(|poll| poll.bans != 0) {
                continue;
            }
            let usable = timeline::usable(&polls);
            let times = timeline::watched(&usable, question.since, question.until);
            let watched = timeline::overlap(&times, question.since, question.until);
            let is_better = best
                .as_ref()
                .is_none_or(|best| (watched, polls.len()) > (best.watched, best.polls.len()));
            if is_better && !polls.is_empty() {
                best = Some(OldSearch {
                    id,
                    ahead,
                    narrower,
                    polls,
                    watched,
                });
            }
        }
        Ok(best)
    }

    /// The spells of a recorded search in the question's time, reduced to those that meet the question, in
    /// order of their beginning; without machines and hosts excluded from all excerpts. A lot that changes so
    /// that it no longer meets the question has left the search.
    fn spells_of(
        &self,
        connection: &Connection,
        search: &OldSearch,
        question: &Question,
    ) -> rusqlite::Result<Vec<Spell>> {
        let from = search.polls.first().map_or(question.since, |poll| poll.at);
        let seen = timeline::usable(&search.polls)
            .last()
            .map_or(question.until, |poll| poll.at);
        let until = question.until.0.saturating_add(search.ahead);
        let shifted = |seconds: i64| Moment(seconds.saturating_add(search.ahead));
        let mut spells = Vec::new();
        for part in [
            "ending IS NULL AND ?2 IS NOT NULL",
            "ending IS NOT NULL AND ended >= ?2",
        ] {
            let values = params![search.id, shifted(from.0).0, until];
            let condition = format!("search = ?1 AND {part} AND first <= ?3");
            spells.extend(spells_where(connection, &condition, values, shifted(seen.0))?);
        }
        let recorded = Excerpt {
            polls: Vec::new(),
            spells,
            unknown: 0,
        };
        let mut spells = recorded.earlier(search.ahead).spells;
        spells.retain(|spell| !self.leaves_out(spell));
        spells.retain_mut(|spell| narrow(spell, &search.narrower, question));
        mark_left_the_search(&mut spells);
        spells.sort_by(|left, right| (left.first, &left.lot).cmp(&(right.first, &right.lot)));
        Ok(spells)
    }
}

impl Database {
    /// Whether the spell is of a machine or host that is excluded from all excerpts.
    fn leaves_out(&self, spell: &Spell) -> bool {
        self.left_out.iter().any(|supplier| match supplier {
            Supplier::Machine(machine) => spell.lot.machine == *machine,
            Supplier::Host(host) => spell.host == Some(*host),
        })
    }
}

/// The conditions of a query that a recorded search, given by its own `conditions`, lacks; one on the memory
/// is left out if the query names the model. `None` if the search cannot be parsed or excludes offers that
/// may meet the query, or if such a condition is on a field that was not recorded.
fn narrower(conditions: &str, query: &Query) -> Option<Vec<Condition>> {
    let parsed = parse(conditions, query.catalog(), &Dialect::SANDBOX, &[], Mode::Strict).ok()?;
    // Both have speeds in the unit of the market.
    let normal = |conditions: &mut dyn Iterator<Item = &Condition>| Query {
        conditions: conditions
            .map(|own| normalised(own, TransferUnit::MegabitsPerSecond))
            .collect(),
        ..query.clone()
    };
    let (search, query) = (&normal(&mut parsed.conditions.iter()), &normal(&mut query.active()));
    // The storage with which it was sent is not recorded.
    let mut bounds = search.active().filter(|bound| includes_storage(bound.field));
    let is_same_bound = bounds.all(|bound| query.active().any(|asked| asked == bound));
    let (added, asked_added) = (implicit(search, 0.0), implicit(query, query.storage_gb()));
    if !is_same_bound || !contains(search.active(), query.active().chain(&asked_added)) {
        return None;
    }
    let names_model = query.active().any(|condition| condition.field.key == "gpu_name");
    let others = query.active().filter(|condition| {
        // The model name implies the memory.
        let is_given = names_model && condition.field.key == "gpu_ram";
        !is_given && !contains([*condition], search.active().chain(&added))
    });
    others
        .map(|condition| {
            let key = condition.field.key;
            (RECORDED.contains(&key) || PRICES.contains(&key)).then(|| condition.clone())
        })
        .collect()
}

/// The polls of a search of version 0.1 in a question's time and the usable one before it, in order, by the
/// clock: `ahead` seconds are subtracted.
fn old_polls(connection: &Connection, (id, ahead): (i64, i64), question: &Question) -> rusqlite::Result<Vec<PollRow>> {
    let since = question.since.0.saturating_add(ahead);
    let until = question.until.0.saturating_add(ahead);
    let polls = connection
        .prepare_cached(
            "SELECT at, took, outcome, found, every, bans, has_lowest FROM poll
             WHERE search = ?1 AND at <= ?3 AND (at >= ?2 OR at =
                 (SELECT max(at) FROM poll WHERE search = ?1 AND at < ?2 AND outcome IN (0, 1)))
             ORDER BY at",
        )?
        .query_map(params![id, since, until], poll_row)?
        .collect::<rusqlite::Result<_>>()?;
    let recorded = Excerpt {
        polls,
        spells: Vec::new(),
        unknown: 0,
    };
    Ok(recorded.earlier(ahead).polls)
}

/// Reads a poll from the columns `at, took, outcome, found, every, bans, has_lowest`.
fn poll_row(row: &Row<'_>) -> rusqlite::Result<PollRow> {
    Ok(PollRow {
        at: Moment(row.get(0)?),
        took: row.get(1)?,
        outcome: codes::outcome_of(row.get(2)?),
        rows: row.get(3)?,
        interval: row.get(4)?,
        bans: row.get(5)?,
        has_lowest: row.get(6)?,
    })
}

/// The spells that meet a condition in SQL; those on offer were last seen at `seen`.
fn spells_where(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
    seen: Moment,
) -> rusqlite::Result<Vec<Spell>> {
    connection
        .prepare_cached(&format!(
            "SELECT machine, model, host, country, amount, price, offer, quotes, beginning, was, first, last, ending,
                    ended
             FROM spell JOIN lot ON lot.id = spell.lot WHERE {condition}"
        ))?
        .query_map(parameters, |row| {
            let first = Moment(row.get(10)?);
            let last: Option<i64> = row.get(11)?;
            let ending: Option<i64> = row.get(12)?;
            let ended: Option<i64> = row.get(13)?;
            let end = ending.map(codes::ending_of).zip(ended.map(Moment));
            Ok(Spell {
                lot: Lot {
                    machine: row.get(0)?,
                    model: row.get(1)?,
                    memory: 0,
                },
                host: row.get(2)?,
                country: row.get_ref(3)?.as_str_or_null()?.and_then(CountryCode::of_location),
                amount: row.get(4)?,
                price: row.get(5)?,
                offer: row.get(6)?,
                quotes: codes::quotes_of(row.get_ref(7)?.as_blob_or_null()?.unwrap_or_default()).collect(),
                beginning: codes::beginning_of(row.get(8)?, row.get(9)?),
                first,
                last: last.map_or(seen.max(first), Moment),
                end,
            })
        })?
        .collect()
}

/// Reduces a spell to the quotes that meet all conditions, and its price to the lowest of them; false if
/// there are none. Without conditions it is unchanged and the result true; a spell without recorded quotes is
/// tested as a whole and unchanged.
fn narrow(spell: &mut Spell, conditions: &[Condition], question: &Question) -> bool {
    if conditions.is_empty() {
        return true;
    }
    let storage = match question.query.resource {
        Resource::Offers => question.query.storage_gb(),
        Resource::Volumes | Resource::Workergroups => 0.0,
    };
    let is_recorded = !spell.quotes.is_empty();
    let (lot, host, country) = (spell.lot.clone(), spell.host, spell.country);
    let accepts = |quote: Option<&Quote>, condition: &Condition| {
        accepts(
            condition,
            (&lot, host, country.as_ref().map(CountryCode::as_str)),
            quote,
            storage,
        )
    };
    spell
        .quotes
        .retain(|quote| conditions.iter().all(|condition| accepts(Some(quote), condition)));
    if !is_recorded {
        return conditions.iter().all(|condition| accepts(None, condition));
    }
    let lowest = spell.quotes.iter().map(Quote::reference).reduce(f64::min);
    if let Some(lowest) = lowest {
        spell.price = lowest;
    }
    lowest.is_some()
}

/// Whether a lot meets a condition with one of its quotes and `storage` GB; values that are not recorded
/// count as missing.
fn accepts(
    condition: &Condition,
    (lot, host, country): (&Lot, Option<i64>, Option<&str>),
    quote: Option<&Quote>,
    storage: f64,
) -> bool {
    let whole = |id: i64| CellRef::Number(id as f64);
    let number = |of: &dyn Fn(&Quote) -> Option<f64>| quote.and_then(of).map_or(CellRef::Missing, CellRef::Number);
    let cell = match condition.field.key {
        "gpu_name" => CellRef::Text(&lot.model),
        "machine_id" | "cluster_id" => whole(lot.machine),
        "host_id" => host.map_or(CellRef::Missing, whole),
        "geolocation" => country.map_or(CellRef::Missing, CellRef::Text),
        "num_gpus" => number(&|quote| Some(quote.gpus.into())),
        "dph_total" => number(&|quote| Some(quote.total(storage))),
        "dph_per_gpu" => number(&|quote| Some(quote.per_gpu(storage))),
        "dph_base" => number(&|quote| Some(quote.base)),
        "min_bid" => number(&|quote| quote.min_bid),
        "storage_cost" if *lot.model == *crate::VOLUME_MODEL => number(&|quote| Some(quote.base)),
        "storage_cost" => number(&|quote| Some(quote.storage)),
        _ => CellRef::Missing,
    };
    condition.accepts(cell)
}

/// Turns the end of each spell that changed, but whose lot has no spell from then on, into a departure from
/// the search.
fn mark_left_the_search(spells: &mut [Spell]) {
    let begun: std::collections::HashSet<(Lot, Moment)> =
        spells.iter().map(|spell| (spell.lot.clone(), spell.first)).collect();
    for spell in spells {
        if let Some((ending @ Ending::Changed, at)) = &mut spell.end
            && !begun.contains(&(spell.lot.clone(), *at))
        {
            *ending = Ending::Gone(Cause::LeftTheSearch);
        }
    }
}

/// The old evidence before `first`, where the new record begins: polls and spells from then on are left out,
/// and spells that go on there end as lost from sight (not if `first` is the latest possible moment).
fn until(mut old: Excerpt, first: Moment) -> Excerpt {
    old.polls.retain(|poll| poll.at < first);
    let seen = timeline::usable(&old.polls).last().map(|poll| poll.at);
    old.spells.retain(|spell| spell.first < first);
    for spell in &mut old.spells {
        // Whether it continues is decided by the new record.
        let goes_on = spell.end.is_none_or(|(_, at)| at >= first);
        if goes_on && first.0 < i64::MAX {
            let last = seen.map_or(spell.last, |seen| spell.last.min(seen)).max(spell.first);
            spell.last = last;
            spell.end = Some((Ending::LostSight, last));
        }
    }
    old
}
