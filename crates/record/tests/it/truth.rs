//! The record against a market of known truth: programs search it in every way, and whatever the record then
//! says of any search equals the truth.

use std::collections::{BTreeMap, BTreeSet};

use bourse_domain::annotations::{AnnotationChange, Annotations, Bans, Mark, Supplier};
use bourse_domain::language::{self, Mode};
use bourse_domain::response_check::ResponseCheck;
use bourse_domain::{Dialect, Listing, OFFERS, Query, Resource};
use bourse_record::Question;
use bourse_record::store::Database;
use bourse_record::{Analysis as _, Arrival, Cause, Ending, Excerpt, Moment, Poll, PollOutcome, Spell, VerdictBasis};

use crate::world::{self, DAY, Filter, Machine, Offer, Random, Search, World};
use bourse_domain::time::UnixTime;

const START: i64 = 1_790_000_000;

/// A program that repeats a search for a while.
#[derive(Debug, Clone)]
struct Program {
    search: Search,
    every: i64,
    limit: Option<u32>,
    /// In the order of the price, else in that of the machines' ids.
    by_price: bool,
    says_truncated: bool,
    /// Machines that are left out of its searches.
    bans: BTreeSet<i64>,
    next: i64,
    until: i64,
}

impl Program {
    fn new(random: &mut Random, at: i64) -> Self {
        let mut bans = BTreeSet::new();
        if random.chance(15) {
            bans.extend((0..3).map(|_| 1000 + i64::try_from(random.below(40)).unwrap()));
        }
        Self {
            search: Search::random(random, 3),
            every: random.pick(&[600, 900, 1800, 3600, 7200]),
            limit: random.pick(&[None, Some(20), Some(64), Some(1000), Some(1000)]),
            by_price: random.chance(60),
            says_truncated: random.chance(50),
            bans,
            next: at + random.between(0, 3600),
            until: at + random.between(3600, 3 * DAY),
        }
    }
}

/// A request of the log: which search, sent when.
#[derive(Debug)]
struct Sent {
    search: Search,
    bans: BTreeSet<i64>,
}

fn query(search: &Search, limit: Option<u32>, by_price: bool) -> Query {
    let parsed = language::parse(&search.text(), &OFFERS, &Dialect::SANDBOX, &[], Mode::Strict).unwrap();
    let order = if by_price { "dph_total" } else { "machine_id" };
    Query {
        conditions: parsed.conditions,
        order: language::parse_order(order, &OFFERS).unwrap(),
        limit,
        storage: Some(search.storage),
        unbundled: true,
        ..Query::empty(Resource::Offers)
    }
}

/// Sends the search of a program at a moment, and records the response.
fn poll(world: &World, program: &Program, random: &mut Random, at: i64, record: &mut Database) {
    let query = query(&program.search, program.limit, program.by_price);
    let took = u32::try_from(random.between(100, 60_000)).unwrap();
    // The market answers for the moment at which it was asked.
    let arrival = Arrival {
        at: Moment(at + i64::from(took / 1000)),
        took,
        interval: Some(u32::try_from(program.every).unwrap()),
        bans: bans(&program.bans),
    };
    if random.chance(4) {
        record
            .record(&Poll::failed(&query, &Dialect::SANDBOX, &arrival))
            .unwrap();
        return;
    }
    let mut search = program.search.clone();
    if random.chance(4) {
        // The market ignores a condition.
        search.filters.pop();
    }
    let offers = world.offers(at);
    let mut found = search.find(&offers);
    found.retain(|offer| !program.bans.contains(&offer.machine.id));
    if program.by_price {
        found.sort_by(|left, right| left.total(search.storage).total_cmp(&right.total(search.storage)));
    }
    let most = program.limit.map_or(64, |limit| limit as usize);
    let is_cut = found.len() > most;
    found.truncate(most);
    let body = world::body(&found, search.storage, at, program.says_truncated.then_some(is_cut));
    let listing = Listing::read(&OFFERS, body, UnixTime::new(at as f64)).unwrap();
    let check = ResponseCheck::new(&listing, &query, &Dialect::SANDBOX);
    let poll = Poll::new(&query, &listing, &check, &Dialect::SANDBOX, &arrival);
    record.record(&poll).unwrap();
}

fn bans(machines: &BTreeSet<i64>) -> Bans {
    let mut annotations = Annotations::default();
    for id in machines {
        annotations.apply(&AnnotationChange {
            of: Supplier::Machine(*id),
            mark: Mark::Ban(true),
        });
    }
    annotations.bans()
}

/// A world, searched by programs for some days: the record, and what was sent when.
struct Watched {
    world: World,
    record: Database,
    sent: BTreeMap<i64, Vec<Sent>>,
    until: i64,
}

fn watched(seed: u64, days: i64, machines: i64) -> Watched {
    let world = World::new(seed, START, days, machines);
    let mut random = Random::new(seed + 77);
    let mut record = Database::in_memory("https://market.example").unwrap();
    let mut programs: Vec<Program> = (0..5).map(|_| Program::new(&mut random, START)).collect();
    let mut sent: BTreeMap<i64, Vec<Sent>> = BTreeMap::new();
    let until = START + days * DAY;
    loop {
        let index = (0..programs.len()).min_by_key(|index| programs[*index].next).unwrap();
        let at = programs[index].next;
        if at >= until {
            break;
        }
        let program = &mut programs[index];
        program.next += program.every + random.between(0, 3);
        let program = program.clone();
        sent.entry(at).or_default().push(Sent {
            search: program.search.clone(),
            bans: program.bans.clone(),
        });
        poll(&world, &program, &mut random, at, &mut record);
        if program.next > program.until {
            programs[index] = Program::new(&mut random, at + 1);
        }
    }
    Watched {
        world,
        record,
        sent,
        until,
    }
}

/// Every state that an offer could be in: what a scope does not contain may be among them.
fn universe() -> World {
    World::new(4242, START, 60, 200)
}

#[derive(Debug, Default)]
struct Counts {
    questions: usize,
    covered: usize,
    polls: usize,
    ends: usize,
    /// Questions with a lowest price now.
    verdicts: usize,
}

impl Watched {
    /// Compares all that the record says of a search with the truth.
    fn check(&self, search: &Search, since: i64, until: i64, universe: &[Offer<'_>], counts: &mut Counts) {
        let question = Question {
            query: query(search, None, false),
            since: Moment(since),
            until: Moment(until),
        };
        let excerpt = self.record.excerpt(&question).unwrap();
        let basis = VerdictBasis::for_question(question);
        let by_lots = self.record.ask(&basis).unwrap();
        assert_eq!(
            by_lots,
            basis.answer(std::slice::from_ref(&excerpt)),
            "lot by lot as from all at once"
        );
        counts.verdicts += usize::from(by_lots.is_some_and(|memory| memory.lowest.is_some()));
        let complete: Vec<i64> = excerpt
            .polls
            .iter()
            .filter(|poll| poll.outcome == PollOutcome::Complete)
            .map(|poll| poll.at.0)
            .collect();
        counts.questions += 1;
        counts.covered += usize::from(complete.len() > 1);
        let step = (complete.len() / 25).max(1);
        for at in complete.iter().step_by(step) {
            self.check_poll(search, *at, &excerpt, universe);
            counts.polls += 1;
        }
        for spell in &excerpt.spells {
            counts.ends += usize::from(self.check_end(search, spell, &excerpt, universe));
        }
    }

    /// The requests of a moment that have all that the search finds: another market would else answer the same, and
    /// have such an offer.
    fn covering(&self, search: &Search, at: i64, universe: &[Offer<'_>]) -> Vec<&Sent> {
        let finds = |search: &Search, offer: &Offer<'_>| search.find(std::slice::from_ref(offer)).len() == 1;
        let contains = |sent: &&Sent| {
            let mut offers = universe.iter().filter(|offer| finds(search, offer));
            offers.all(|offer| finds(&sent.search, offer))
        };
        self.sent.get(&at).into_iter().flatten().filter(contains).collect()
    }

    fn is_covered_whole(&self, search: &Search, at: i64, universe: &[Offer<'_>]) -> bool {
        !self.covering(search, at, universe).is_empty()
    }

    /// What was on offer at a poll that covers the search: machines, GPUs, prices and bids.
    fn check_poll(&self, search: &Search, at: i64, excerpt: &Excerpt, universe: &[Offer<'_>]) {
        let covering = self.covering(search, at, universe);
        if covering.is_empty() {
            // Several searches together may be all of it; what each saw is of its own time.
            let recent: Vec<&Sent> = self.sent.range(at - 6 * 7200..=at).flat_map(|(_, sent)| sent).collect();
            let is_in = |offer: &Offer<'_>| {
                recent
                    .iter()
                    .any(|sent| sent.search.find(std::slice::from_ref(offer)).len() == 1)
            };
            let offers = universe
                .iter()
                .filter(|offer| search.find(std::slice::from_ref(*offer)).len() == 1);
            let outside: Vec<&Offer<'_>> = offers.filter(|offer| !is_in(offer)).take(1).collect();
            assert!(
                outside.is_empty(),
                "{} is not covered: {:?}",
                search.text(),
                outside[0].machine
            );
            return;
        }
        let offers = self.world.offers(at);
        let mut truth: BTreeMap<i64, Vec<Offer<'_>>> = BTreeMap::new();
        for offer in search.find(&offers) {
            truth.entry(offer.machine.id).or_default().push(offer);
        }
        // Nobody knows of those that were left out.
        truth.retain(|machine, _| covering.iter().any(|sent| !sent.bans.contains(machine)));
        let on_offer: Vec<&Spell> = excerpt
            .spells
            .iter()
            .filter(|spell| spell.first.0 <= at && at < removed(spell))
            .filter(|spell| covering.iter().any(|sent| !sent.bans.contains(&spell.lot.machine)))
            .collect();
        let machines: BTreeSet<i64> = on_offer.iter().map(|spell| spell.lot.machine).collect();
        let expected: BTreeSet<i64> = truth.keys().copied().collect();
        if let Some(wrong) = machines.symmetric_difference(&expected).next() {
            let machine = self.world.machines.iter().find(|machine| machine.id == *wrong).unwrap();
            let states = machine.states.iter().filter(|(from, _)| (from - at).abs() < DAY);
            let spells = excerpt.spells.iter().filter(|spell| spell.lot.machine == *wrong);
            let polls = excerpt.polls.iter().filter(|poll| (poll.at.0 - at).abs() < 4000);
            let sent = self.sent.range(at - 7200..at + 3600);
            panic!(
                "{} ({} GB) at {at}: {machines:?}, not {expected:?}\n{:?}\n{:#?}\n{:?}\n{:#?}",
                search.text(),
                search.storage,
                Machine {
                    states: states.cloned().collect(),
                    ..machine.clone()
                },
                spells.collect::<Vec<_>>(),
                polls.collect::<Vec<_>>(),
                sent.map(|(at, sent)| (at, sent[0].search.text(), sent[0].search.storage, &sent[0].bans))
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(machines.len(), on_offer.len(), "one spell a machine");
        for spell in on_offer {
            let offers = &truth[&spell.lot.machine];
            for quote in &spell.quotes {
                let offer = offers.iter().find(|offer| offer.gpus == quote.gpus).unwrap();
                near(quote.base, offer.base);
                near(quote.min_bid.unwrap(), offer.bid);
                near(
                    quote.per_gpu(search.storage) * f64::from(quote.gpus),
                    offer.total(search.storage),
                );
            }
            let sizes: BTreeSet<u32> = offers.iter().map(|offer| offer.gpus).collect();
            assert_eq!(
                spell.quotes.iter().map(|quote| quote.gpus).collect::<BTreeSet<_>>(),
                sizes
            );
            let all = offers.iter().fold(0, |all, offer| all | offer.mask);
            assert_eq!(spell.amount, all.count_ones(), "{} at {at}", search.text());
        }
    }

    /// Whether a machine left where the record says so: it was there at the poll before, and is not at the poll
    /// that missed it. False of spells that ended in no departure.
    fn check_end(&self, search: &Search, spell: &Spell, excerpt: &Excerpt, universe: &[Offer<'_>]) -> bool {
        let Some((Ending::Gone(cause), at)) = spell.end else {
            return false;
        };
        let is_there = |at: i64| {
            let offers = self.world.offers(at);
            let mut found = search.find(&offers).into_iter();
            found.any(|offer| offer.machine.id == spell.lot.machine)
        };
        // Other polls, or the time alone, may show that it no longer meets the search.
        let is_seen = cause == Cause::LeftTheSearch || excerpt.polls.iter().any(|poll| poll.at == at);
        assert!(is_seen, "no poll misses it: {spell:?}");
        if is_there(at.0) {
            let machine = self
                .world
                .machines
                .iter()
                .find(|machine| machine.id == spell.lot.machine)
                .unwrap();
            let states: Vec<_> = machine
                .states
                .iter()
                .filter(|(from, _)| (from - at.0).abs() < DAY)
                .collect();
            let polls: Vec<_> = excerpt
                .polls
                .iter()
                .filter(|poll| (poll.at.0 - at.0).abs() < 9000)
                .collect();
            let sent: Vec<_> = self
                .sent
                .range(at.0 - 9000..at.0 + 3600)
                .flat_map(|(at, all)| {
                    all.iter()
                        .map(move |sent| (at, sent.search.text(), sent.search.storage, &sent.bans))
                })
                .collect();
            panic!(
                "{} is still on offer: {spell:?}\n{states:#?}\n{polls:?}\n{sent:#?}",
                search.text()
            );
        }
        // What a search for other sizes shows in between is true of those.
        let is_whole = excerpt
            .polls
            .iter()
            .any(|poll| poll.at == spell.first && poll.outcome == PollOutcome::Complete);
        if is_whole && self.is_covered_whole(search, spell.first.0, universe) {
            assert!(
                is_there(spell.first.0),
                "{} was never on offer: {spell:?}",
                search.text()
            );
        }
        true
    }
}

fn removed(spell: &Spell) -> i64 {
    match spell.end {
        Some((Ending::Gone(_) | Ending::Changed, at)) => at.0,
        Some((Ending::LostSight, at)) => at.0 + 1,
        None => spell.last.0 + 1,
    }
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-6 * expected.abs().max(1e-3),
        "{found} is not {expected}"
    );
}

fn whatever_is_asked_equals_the_truth(seed: u64, days: i64, machines: i64, questions: usize) -> Counts {
    let watched = watched(seed, days, machines);
    let universe = universe();
    let mut all = Vec::new();
    for day in 0..60 {
        all.extend(universe.offers(START + day * DAY));
    }
    let mut random = Random::new(seed + 5);
    let sent: Vec<&Search> = watched.sent.values().flatten().map(|sent| &sent.search).collect();
    let mut counts = Counts::default();
    for _ in 0..questions {
        // A search that somebody sent with more conditions, or any.
        let mut search = if random.chance(70) {
            random.pick(&sent).clone()
        } else {
            Search::random(&mut random, 4)
        };
        let more = Search::random(&mut random, 2);
        for filter in more.filters {
            let kind = std::mem::discriminant(&filter);
            if search.filters.iter().all(|own| std::mem::discriminant(own) != kind) {
                search.filters.push(filter);
            }
        }
        if random.chance(10) {
            search
                .filters
                .push(Filter::Machine(1000 + i64::try_from(random.below(40)).unwrap()));
        }
        let since = random.between(START, watched.until - DAY);
        let until = random.between(since + 3600, watched.until);
        watched.check(&search, since, until, &all, &mut counts);
    }
    counts
}

#[test]
fn whatever_is_asked_of_a_few_days_equals_the_truth() {
    let counts = whatever_is_asked_equals_the_truth(1, 4, 30, 80);
    // Else it would prove nothing.
    assert!(counts.covered * 4 > counts.questions, "{counts:?}");
    assert!(
        counts.polls > 300 && counts.ends > 50 && counts.verdicts > 10,
        "{counts:?}"
    );
}

#[test]
#[ignore = "minutes"]
fn whatever_is_asked_of_two_months_equals_the_truth() {
    let counts = whatever_is_asked_equals_the_truth(2, 60, 60, 2000);
    assert!(counts.covered * 4 > counts.questions, "{counts:?}");
}

#[test]
#[ignore = "minutes"]
fn whatever_is_asked_of_small_markets_equals_the_truth() {
    for seed in [3, 5, 6, 25].into_iter().chain(30..40) {
        whatever_is_asked_equals_the_truth(seed, 6, 30, 100);
    }
}
