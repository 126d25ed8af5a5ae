//! Stories of a market with known truth, asked through the record.

use std::path::PathBuf;

use bourse_domain::annotations::{AnnotationChange, Annotations, Bans, Mark, Supplier};
use bourse_domain::language::{Mode, parse, parse_order};
use bourse_domain::response_check::ResponseCheck;
use bourse_domain::{Dialect, Listing, OFFERS, Query, Resource};
use bourse_record::store::Database;
use bourse_record::{Arrival, Beginning, Cause, Ending, Excerpt, Moment, Poll, PollOutcome, Proof, Question, Spell};

pub const MARKET: &str = "https://market.example";

/// An offer: id, machine, model, its GPUs, $/h of them, where.
type Offer = (i64, i64, &'static str, &'static [i64], f64, &'static str);

const TWO: &[i64] = &[0, 1];
const FIRST: &[i64] = &[0];
const SECOND: &[i64] = &[1];

pub fn query(text: &str) -> Query {
    let parsed = parse(text, &OFFERS, &Dialect::SANDBOX, &[], Mode::Strict).unwrap();
    Query {
        conditions: parsed.conditions,
        limit: Some(100),
        ..Query::empty(Resource::Offers)
    }
}

struct Market {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

/// How a search is sent.
struct Sent {
    at: i64,
    query: Query,
    every: Option<u32>,
    bans: Bans,
    /// The members of its records besides those of [`Offer`].
    more: &'static str,
}

fn sent(at: i64, text: &str) -> Sent {
    Sent {
        at,
        query: query(text),
        every: Some(60),
        bans: Bans::NONE,
        more: "",
    }
}

impl Sent {
    fn limited(mut self, limit: u32) -> Self {
        self.query.limit = Some(limit);
        self.query.order = parse_order("dph_total", &OFFERS).unwrap();
        self
    }

    fn poll(&self, offers: &[Offer]) -> Poll {
        let record = |(id, machine, model, gpus, base, place): &Offer| {
            let many = gpus.len();
            let total = base + 0.72 * 8.0 / 720.0;
            format!(
                r#"{{"id":{id},"machine_id":{machine},"host_id":{},"gpu_name":"{model}","num_gpus":{many},
                "gpu_ids":{gpus:?},"gpu_ram":24564,"dph_base":{base},"dph_total":{total},"storage_cost":0.72,
                "disk_space":500,"geolocation":"{place}","verification":"verified","rentable":true,"rented":false{}}}"#,
                machine / 10,
                self.more
            )
        };
        let records: Vec<String> = offers.iter().map(record).collect();
        let body = format!(r#"{{"offers": [{}]}}"#, records.join(","));
        let listing = Listing::read(&OFFERS, body, Moment(self.at).unix()).unwrap();
        let check = ResponseCheck::new(&listing, &self.query, &Dialect::SANDBOX);
        let arrival = Arrival {
            at: Moment(self.at),
            took: 100,
            interval: self.every,
            bans: self.bans.clone(),
        };
        Poll::new(&self.query, &listing, &check, &Dialect::SANDBOX, &arrival)
    }
}

impl Market {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.sqlite");
        drop(Database::open(&path, MARKET).unwrap());
        Self { _folder: folder, path }
    }

    fn see(&self, sent: &Sent, offers: &[Offer]) -> Proof {
        let poll = sent.poll(offers);
        let mut database = Database::open(&self.path, MARKET).unwrap();
        assert!(database.record(&poll).unwrap());
        poll.proof
    }

    fn ask(&self, text: &str, since: i64, until: i64) -> Excerpt {
        let question = Question {
            query: query(text),
            since: Moment(since),
            until: Moment(until),
        };
        Database::open(&self.path, MARKET).unwrap().excerpt(&question).unwrap()
    }
}

/// Machine, first, last and end of a spell.
type Lifetime = (i64, i64, i64, Option<(Ending, i64)>);

fn lifetimes(excerpt: &Excerpt) -> Vec<Lifetime> {
    let spell = |spell: &Spell| {
        let end = spell.end.map(|(ending, at)| (ending, at.0));
        (spell.lot.machine, spell.first.0, spell.last.0, end)
    };
    excerpt.spells.iter().map(spell).collect()
}

const GONE: Ending = Ending::Gone(Cause::Unknown);
const LEFT: Ending = Ending::Gone(Cause::LeftTheSearch);

const BERLIN: Offer = (1, 10, "RTX 4090", FIRST, 0.4, "Berlin, DE");
const PARIS: Offer = (2, 20, "RTX 4090", FIRST, 0.5, "Paris, FR");
const TEXAS: Offer = (3, 30, "RTX 4090", FIRST, 0.3, "Texas, US");
const OLD: Offer = (4, 40, "RTX 3090", FIRST, 0.2, "Berlin, DE");

#[test]
fn a_narrower_search_reads_the_record_of_a_wider_one() {
    let market = Market::new();
    for at in [1000, 1060, 1120] {
        assert_eq!(
            market.see(&sent(at, "gpu_name=RTX_4090"), &[BERLIN, PARIS, TEXAS]),
            Proof::Complete
        );
    }
    market.see(&sent(1180, "gpu_name=RTX_4090"), &[PARIS, TEXAS]);
    let europe = market.ask(
        "gpu_name=RTX_4090 geolocation in EU num_gpus=1 disk_space>=200",
        900,
        1200,
    );
    assert_eq!(
        lifetimes(&europe),
        [(10, 1000, 1120, Some((GONE, 1180))), (20, 1000, 1180, None)]
    );
    assert_eq!(europe.polls.len(), 4);
    assert!(europe.polls.iter().all(|poll| poll.outcome == PollOutcome::Complete));
    assert_eq!(europe.unknown, 0);
    // Nothing is known of other models, and of all of them.
    assert_eq!(market.ask("gpu_name=RTX_3090", 900, 1200), Excerpt::default());
    assert_eq!(market.ask("geolocation in EU", 900, 1200), Excerpt::default());
}

#[test]
fn an_ignored_condition_proves_nothing_but_presence() {
    let market = Market::new();
    // The market lists a 3090 although a 4090 was asked for.
    assert_eq!(
        market.see(&sent(1000, "gpu_name=RTX_4090"), &[BERLIN, OLD]),
        Proof::Some
    );
    assert_eq!(market.see(&sent(1060, "gpu_name=RTX_4090"), &[OLD]), Proof::Some);
    let excerpt = market.ask("gpu_name=RTX_4090", 900, 1100);
    assert!(excerpt.polls.iter().all(|poll| poll.outcome == PollOutcome::Truncated));
    assert_eq!(lifetimes(&excerpt), [(10, 1000, 1000, None)]);
}

#[test]
fn a_price_was_last_asked_at_the_response_that_showed_it() {
    let market = Market::new();
    let (id, machine, model, gpus, base, place) = BERLIN;
    let see = |at, offers: &[Offer]| market.see(&sent(at, "gpu_name=RTX_4090"), offers);
    see(1000, &[BERLIN]);
    see(1060, &[BERLIN]);
    assert_eq!(see(1120, &[OLD]), Proof::Some);
    see(1180, &[(id, machine, model, gpus, base + 0.1, place)]);
    let spells = market.ask("gpu_name=RTX_4090", 900, 1200).spells;
    let times = spells
        .iter()
        .map(|spell| (spell.first.0, spell.last.0, spell.end.map(|(_, at)| at.0)));
    assert_eq!(
        times.collect::<Vec<_>>(),
        [(1000, 1060, Some(1180)), (1180, 1180, None)]
    );
}

#[test]
fn sixty_four_rows_without_a_key_are_not_all() {
    let market = Market::new();
    let offers: Vec<Offer> = (0..64).map(|id| (id, id * 10, "RTX 4090", FIRST, 0.4, "DE")).collect();
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[BERLIN]);
    assert_ne!(market.see(&sent(1060, "gpu_name=RTX_4090"), &offers), Proof::Complete);
    let excerpt = market.ask("gpu_name=RTX_4090 machine_id=10", 900, 1100);
    assert_eq!(lifetimes(&excerpt).first(), Some(&(10, 1000, 1060, None)));
}

#[test]
fn a_cut_response_says_nothing_of_its_last_price() {
    let market = Market::new();
    let offers = [OLD, TEXAS, BERLIN, PARIS];
    for (at, limit) in [(1000, 10), (1060, 3)] {
        market.see(
            &sent(at, "").limited(limit),
            &offers[..usize::try_from(limit).unwrap().min(4)],
        );
    }
    // Berlin costs as much as the last row did; Texas cost less, and would be there. It is gone or more expensive.
    let tied: Offer = (5, 50, "RTX 4090", FIRST, 0.4, "Berlin, DE");
    let proof = market.see(
        &sent(1120, "").limited(3),
        &[OLD, (6, 60, "RTX 4090", FIRST, 0.35, "DE"), tied],
    );
    assert!(matches!(proof, Proof::UpTo(_)));
    let excerpt = market.ask("gpu_name=RTX_4090 num_gpus=1", 900, 1200);
    let of = |machine: i64| lifetimes(&excerpt).into_iter().find(|lot| lot.0 == machine);
    assert_eq!(of(30), Some((30, 1000, 1060, Some((Ending::LostSight, 1119)))));
    assert_eq!(of(10), Some((10, 1000, 1060, None)));
    assert_eq!(of(20), Some((20, 1000, 1000, None)));
    let lowest: Vec<bool> = excerpt.polls.iter().map(|poll| poll.has_lowest).collect();
    assert_eq!(lowest, [true, true, true]);
    // Of two GPUs there are none below that price; whether there are others nobody knows.
    let pairs = market.ask("gpu_name=RTX_4090 num_gpus=2", 900, 1200);
    let lowest: Vec<bool> = pairs.polls.iter().map(|poll| poll.has_lowest).collect();
    assert_eq!(lowest, [true, false, false]);
}

#[test]
fn a_machine_that_is_split_anew_is_not_gone() {
    let market = Market::new();
    let whole: Offer = (1, 10, "RTX 4090", TWO, 0.8, "DE");
    let half: Offer = (2, 10, "RTX 4090", FIRST, 0.4, "DE");
    let other: Offer = (3, 10, "RTX 4090", SECOND, 0.4, "DE");
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[whole, half, other]);
    market.see(&sent(1060, "gpu_name=RTX_4090"), &[half]);
    let lots = market.ask("gpu_name=RTX_4090", 900, 1100);
    assert_eq!(
        lifetimes(&lots),
        [(10, 1000, 1000, Some((Ending::Changed, 1060))), (10, 1060, 1060, None)]
    );
    assert_eq!([lots.spells[0].amount, lots.spells[1].amount], [2, 1]);
    assert_eq!(lots.spells[1].beginning, Beginning::Resized { from: 2 });
    // A question about two GPUs is about that size.
    let pairs = market.ask("gpu_name=RTX_4090 num_gpus=2", 900, 1100);
    assert_eq!(lifetimes(&pairs), [(10, 1000, 1000, Some((GONE, 1060)))]);
}

#[test]
fn of_two_searches_that_cover_a_question_the_later_response_decides() {
    let market = Market::new();
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[BERLIN, TEXAS]);
    market.see(&sent(1030, "geolocation in EU"), &[BERLIN, OLD]);
    // It is gone for the search of Europe first.
    market.see(&sent(1090, "geolocation in EU"), &[OLD]);
    market.see(&sent(1120, "gpu_name=RTX_4090"), &[TEXAS]);
    let both = market.ask("gpu_name=RTX_4090 geolocation=DE", 900, 1200);
    assert_eq!(lifetimes(&both), [(10, 1000, 1030, Some((GONE, 1090)))]);
    assert_eq!(both.polls.len(), 4);
    // What neither covers is unknown, though the two overlap.
    assert_eq!(market.ask("geolocation in [DE,US]", 900, 1200), Excerpt::default());
}

#[test]
fn a_response_that_comes_late_ends_what_only_a_slow_search_saw() {
    let market = Market::new();
    let hourly = |at: i64| Sent {
        every: Some(3600),
        ..sent(at, "")
    };
    market.see(&sent(990, "gpu_name=RTX_4090"), &[]);
    market.see(&hourly(1000), &[BERLIN]);
    market.see(&sent(1050, "gpu_name=RTX_4090"), &[]);
    let excerpt = market.ask("gpu_name=RTX_4090", 900, 1100);
    assert_eq!(lifetimes(&excerpt), [(10, 1000, 1000, Some((GONE, 1050)))]);
    assert_eq!(excerpt.spells[0].beginning, Beginning::Listed);
}

#[test]
fn a_ban_is_a_hole_and_its_end_no_arrival() {
    let market = Market::new();
    let banned = |at: i64| {
        let mut annotations = Annotations::default();
        annotations.apply(&AnnotationChange {
            of: Supplier::Machine(10),
            mark: Mark::Ban(true),
        });
        Sent {
            bans: annotations.bans(),
            ..sent(at, "gpu_name=RTX_4090")
        }
    };
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[BERLIN, TEXAS]);
    market.see(&banned(1060), &[TEXAS]);
    market.see(&sent(1120, "gpu_name=RTX_4090"), &[BERLIN, TEXAS]);
    let excerpt = market.ask("gpu_name=RTX_4090", 900, 1200);
    assert_eq!(lifetimes(&excerpt), [(10, 1000, 1120, None), (30, 1000, 1120, None)]);
    assert_eq!(excerpt.polls.len(), 3);
}

#[test]
fn a_price_bound_counts_with_its_storage() {
    let market = Market::new();
    for at in [1000, 1060] {
        market.see(&sent(at, "gpu_name=RTX_4090 dph_total<0.45"), &[BERLIN, TEXAS]);
    }
    let excerpt = market.ask("gpu_name=RTX_4090 dph_total<0.4", 900, 1100);
    assert_eq!(lifetimes(&excerpt), [(30, 1000, 1060, None)]);
    let mut large = query("gpu_name=RTX_4090 dph_total<0.4");
    large.storage = Some(200.0);
    let question = Question {
        query: large,
        since: Moment(900),
        until: Moment(1100),
    };
    let database = Database::open(&market.path, MARKET).unwrap();
    assert_eq!(database.excerpt(&question).unwrap(), Excerpt::default());
}

#[test]
fn a_price_that_passes_a_bound_leaves_the_search() {
    let market = Market::new();
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[TEXAS]);
    let raised: Offer = (3, 30, "RTX 4090", FIRST, 0.6, "Texas, US");
    // Another search, which covers nothing of the question, sees the new price first.
    market.see(&sent(1030, "geolocation=US dph_total<0.7"), &[raised]);
    market.see(&sent(1060, "gpu_name=RTX_4090"), &[raised]);
    let cheap = market.ask("gpu_name=RTX_4090 dph_base<0.5", 900, 1100);
    assert_eq!(lifetimes(&cheap), [(30, 1000, 1000, Some((LEFT, 1030)))]);
    let all = market.ask("gpu_name=RTX_4090", 900, 1100);
    assert_eq!(lifetimes(&all).len(), 2);
    assert!(matches!(all.spells[1].beginning, Beginning::Repriced { .. }));
}

#[test]
fn what_is_dearer_than_a_cut_response_reaches_has_not_departed() {
    let market = Market::new();
    market.see(&sent(1000, "").limited(10), &[OLD, TEXAS, BERLIN]);
    // The limit cuts after Berlin, so Texas at its old price would be there.
    let other: Offer = (6, 60, "RTX 4090", FIRST, 0.35, "DE");
    let cheapest = [OLD, other, BERLIN];
    market.see(&sent(1060, "").limited(3), &cheapest);
    let raised: Offer = (3, 30, "RTX 4090", FIRST, 0.6, "Texas, US");
    market.see(&sent(1080, "gpu_name=RTX_4090"), &[other, BERLIN, raised]);
    // Its price of then is above what this one reaches, its first price was not.
    market.see(&sent(1120, "").limited(3), &cheapest);
    let excerpt = market.ask("gpu_name=RTX_4090 num_gpus=1", 900, 1200);
    let of_texas: Vec<_> = lifetimes(&excerpt).into_iter().filter(|lot| lot.0 == 30).collect();
    assert_eq!(
        of_texas,
        [
            (30, 1000, 1000, Some((Ending::LostSight, 1059))),
            (30, 1080, 1080, None)
        ]
    );
}

#[test]
fn a_cut_response_without_an_offer_did_not_see_it() {
    let market = Market::new();
    let other: Offer = (6, 60, "RTX 4090", FIRST, 0.35, "DE");
    let dear: Offer = (3, 30, "RTX 4090", FIRST, 0.6, "Texas, US");
    let cut = |at, offers: &[Offer]| market.see(&sent(at, "").limited(3), offers);
    cut(1000, &[BERLIN, dear]);
    // What is above the last price may be there or not.
    cut(1060, &[OLD, other, BERLIN]);
    market.see(&sent(1090, "gpu_name=RTX_4090"), &[other, BERLIN]);
    cut(1120, &[BERLIN, dear]);
    let excerpt = market.ask("gpu_name=RTX_4090 num_gpus=1", 900, 1200);
    let of_dear: Vec<_> = lifetimes(&excerpt).into_iter().filter(|lot| lot.0 == 30).collect();
    assert_eq!(of_dear, [(30, 1000, 1000, Some((GONE, 1090))), (30, 1120, 1120, None)]);
}

#[test]
fn a_search_that_an_offer_left_says_nothing_of_its_return() {
    let market = Market::new();
    let raised: Offer = (3, 30, "RTX 4090", FIRST, 0.6, "Texas, US");
    let all = |at, offer| market.see(&sent(at, "gpu_name=RTX_4090"), &[offer]);
    let cheap = |at, offers: &[Offer]| market.see(&sent(at, "dph_total<0.5"), offers);
    all(1000, TEXAS);
    cheap(1010, &[TEXAS]);
    all(1060, raised);
    cheap(1070, &[]);
    all(1120, raised);
    cheap(1130, &[]);
    // The second search is not repeated: the first alone sees that the price is the old one again.
    all(1180, TEXAS);
    all(1240, TEXAS);
    let excerpt = market.ask("gpu_name=RTX_4090 dph_total<0.5", 900, 1300);
    assert_eq!(
        lifetimes(&excerpt),
        [(30, 1000, 1010, Some((LEFT, 1060))), (30, 1180, 1240, None)]
    );
}

#[test]
fn time_left_runs_out_without_a_poll() {
    let market = Market::new();
    let day = 86_400;
    let ends = |at: i64| Sent {
        every: Some(3600),
        more: r#","end_date":360000"#,
        ..sent(at, "gpu_name=RTX_4090")
    };
    // It ends at 360000: three days before are 100800.
    market.see(&ends(100_000), &[BERLIN]);
    market.see(&ends(103_600), &[BERLIN]);
    let excerpt = market.ask("gpu_name=RTX_4090 duration>=3d", 99_000, 105_000);
    assert_eq!(
        lifetimes(&excerpt),
        [(10, 100_000, 100_000, Some((LEFT, 360_000 - 3 * day + 1)))]
    );
    assert_eq!(lifetimes(&market.ask("gpu_name=RTX_4090", 99_000, 105_000)).len(), 1);
}

#[test]
fn a_list_is_known_where_each_of_its_parts_is() {
    let market = Market::new();
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[BERLIN]);
    market.see(&sent(1060, "gpu_name=RTX_4090"), &[BERLIN]);
    market.see(&sent(1070, "gpu_name=RTX_3090"), &[OLD]);
    market.see(&sent(1120, "gpu_name=RTX_4090"), &[BERLIN]);
    let excerpt = market.ask("gpu_name in [RTX_4090,RTX_3090]", 900, 1200);
    let outcomes: Vec<PollOutcome> = excerpt.polls.iter().map(|poll| poll.outcome).collect();
    assert_eq!(
        outcomes,
        [
            PollOutcome::Truncated,
            PollOutcome::Truncated,
            PollOutcome::Complete,
            PollOutcome::Complete
        ]
    );
    assert_eq!(lifetimes(&excerpt), [(10, 1000, 1120, None), (40, 1070, 1120, None)]);
}

#[test]
fn a_value_that_is_unknown_meets_no_condition_and_is_counted() {
    let market = Market::new();
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[BERLIN]);
    let excerpt = market.ask("gpu_name=RTX_4090 reliability>=0.9", 900, 1100);
    assert_eq!((excerpt.spells.len(), excerpt.unknown, excerpt.polls.len()), (0, 1, 1));
    // The market vouches for what it was asked.
    market.see(&sent(1010, "gpu_name=RTX_4090 reliability>=0.95"), &[BERLIN]);
    let excerpt = market.ask("gpu_name=RTX_4090 reliability>=0.95", 900, 1100);
    assert_eq!((excerpt.spells.len(), excerpt.unknown), (1, 0));
}

#[test]
fn worlds_that_answer_alike_but_differ_for_a_question_are_not_known() {
    // The same responses, whether or not a 3090 is on offer in Texas.
    let market = Market::new();
    for at in [1000, 1060, 1120] {
        market.see(&sent(at, "gpu_name=RTX_4090"), &[TEXAS]);
        market.see(&sent(at + 5, "geolocation in EU"), &[OLD]);
        market.see(&sent(at + 10, "num_gpus>=2"), &[]);
    }
    for text in [
        "gpu_name=RTX_3090",
        "geolocation=US",
        "gpu_name in [RTX_4090,RTX_3090]",
        "geolocation in [DE,US]",
        "num_gpus>=1",
        "",
    ] {
        assert_eq!(market.ask(text, 900, 1200), Excerpt::default(), "{text}");
    }
}

#[test]
fn the_latest_complete_response_comes_back_as_rows() {
    let market = Market::new();
    market.see(&sent(1000, "gpu_name=RTX_4090"), &[BERLIN, PARIS, TEXAS]);
    market.see(&sent(1060, "gpu_name=RTX_4090"), &[BERLIN, TEXAS]);
    let database = Database::open(&market.path, MARKET).unwrap();
    let asked = query("gpu_name=RTX_4090 geolocation in EU");
    let (listing, at) = database.latest(&asked, Moment(2000)).unwrap().unwrap();
    assert_eq!((listing.len(), at), (1, Moment(1060)));
    let cell = |key: &str| listing.cell(0, OFFERS.by_key(key).unwrap()).number();
    assert_eq!(cell("machine_id"), Some(10.0));
    assert!((cell("dph_total").unwrap() - 0.408).abs() < 1e-9);
    assert!(database.latest(&query(""), Moment(2000)).unwrap().is_none());
    let answer = |since: i64| database.answer_since(&asked, &Bans::NONE, Moment(since)).unwrap();
    let poll = answer(1000).unwrap();
    assert_eq!((poll.at, poll.sightings.len()), (Moment(1060), 1));
    assert!(answer(1060).is_none());
    // A narrower response came later: the wider one still answers.
    market.see(&sent(1090, "gpu_name=RTX_4090 geolocation=DE"), &[BERLIN]);
    let list = query("gpu_name=RTX_4090 geolocation in [DE,FR]");
    let (listing, at) = database.latest(&list, Moment(2000)).unwrap().unwrap();
    assert_eq!((listing.len(), at), (1, Moment(1060)));
}
