//! All offers of a market that sends only so many at once.

use std::collections::BTreeSet;

use bourse::domain::catalog::OFFERS;
use bourse::domain::insight::Coverage;
use bourse::domain::language::default_query;
use bourse::domain::time::UnixTime;
use bourse::domain::{Condition, Dialect, Listing, Operand, Operator, Query, Resource};
use bourse::features::whole_market::report::Why;
use bourse::features::whole_market::rules::Plan;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cases::cases;

/// A market with quirks, its offers as a listing to filter.
struct Market {
    offers: Vec<Value>,
    all: Listing,
    /// The fields whose conditions it ignores.
    ignores: &'static [&'static str],
    /// The most records it sends, whatever the limit.
    cap: usize,
    /// The seed of the order in which it sends what was not ordered.
    shuffle: u64,
}

fn text(offers: &[Value]) -> String {
    json!({ "offers": offers }).to_string()
}

impl Market {
    fn new(offers: Vec<Value>) -> Self {
        let all = Listing::read(&OFFERS, text(&offers), UnixTime::new(0.0)).unwrap();
        Self {
            offers,
            all,
            ignores: &[],
            cap: usize::MAX,
            shuffle: 0,
        }
    }

    /// The ids of the offers that match, in the order in which they are sent.
    fn matching(&self, conditions: &[Condition]) -> Vec<usize> {
        let conditions = conditions
            .iter()
            .filter(|condition| !self.ignores.contains(&condition.field.key));
        let mut rows: Vec<usize> = self
            .all
            .matching(conditions)
            .into_iter()
            .map(|row| row as usize)
            .collect();
        rows.sort_by_key(|row| (*row as u64).wrapping_mul(self.shuffle | 1) % 1_000_003);
        rows
    }

    fn answer(&self, query: &Query) -> Listing {
        let active: Vec<Condition> = query.active().cloned().collect();
        let most = self.cap.min(query.limit.unwrap() as usize);
        let rows = self.matching(&active).into_iter().take(most);
        let offers: Vec<Value> = rows.map(|row| self.offers[row].clone()).collect();
        Listing::read(&OFFERS, text(&offers), UnixTime::new(0.0)).unwrap()
    }
}

/// What a plan made of a market.
struct Loaded {
    ids: BTreeSet<usize>,
    verdict: Vec<String>,
    whys: Vec<Why>,
    requests: usize,
    /// The requests for what a complete part already had.
    repeated: Vec<String>,
}

impl Loaded {
    fn is_complete(&self) -> bool {
        self.whys.is_empty()
    }
}

fn load(market: &Market, limit: u32, dialect: &'static Dialect) -> Loaded {
    let mut query = default_query(Resource::Offers, dialect);
    query.conditions.clear();
    let mut plan = Plan::new(&query, limit, 10_000, dialect);
    let (mut complete, mut repeated, mut requests) = (Vec::<BTreeSet<usize>>::new(), Vec::new(), 0);
    while let Some(query) = plan.next_search() {
        requests += 1;
        assert!(requests < 10_000, "endless");
        let active: Vec<Condition> = query.active().cloned().collect();
        let wanted: BTreeSet<usize> = market.matching(&active).into_iter().collect();
        if !wanted.is_empty() && complete.iter().any(|part| wanted.is_subset(part)) {
            repeated.push(bourse::domain::language::print(&active));
        }
        let listing = market.answer(&query);
        // A first one that is short may have been cut by the market: its parts are asked for.
        if requests > 1 && listing.len() == wanted.len() && listing.len() < market.cap.min(limit as usize) {
            complete.push(wanted);
        }
        plan.take(listing);
    }
    let whys = plan.open().iter().map(|open| open.why.clone()).collect();
    let verdict = plan.verdict();
    let listing = plan.into_listing().unwrap();
    let id = |row| usize::try_from(listing.id(row).unwrap().0).unwrap();
    Loaded {
        ids: (0..listing.len()).map(id).collect(),
        verdict,
        whys,
        requests,
        repeated,
    }
}

/// Random offers: few models or many, prices that differ or not.
#[derive(Debug, Clone)]
struct Shape {
    many: usize,
    models: u64,
    prices: u64,
    seed: u64,
}

impl Shape {
    fn offers(&self) -> Vec<Value> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let offer = |id| {
            // The smaller of two, so that some models are frequent.
            let model = random.u64(0..self.models).min(random.u64(0..self.models));
            let price = random.u64(0..self.prices);
            // One in 50 has no price.
            let price = (random.u64(0..50) > 0).then_some(price as f64 / 1000.0);
            json!({"id": id, "gpu_name": format!("GPU {model}"), "dph_total": price, "dlperf": random.u64(0..100),
                "inet_down": random.u64(0..1000), "num_gpus": 1 << random.u64(0..4)})
        };
        (0..self.many).map(offer).collect()
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let prices = prop_oneof![Just(1_u64), Just(10), Just(1000)];
    (0..3000_usize, 1..40_u64, prices, any::<u64>()).prop_map(|(many, models, prices, seed)| Shape {
        many,
        models,
        prices,
        seed,
    })
}

/// Offers that no condition tells apart.
fn alike(many: usize) -> Vec<Value> {
    let offer = |id| json!({"id": id, "gpu_name": "A40", "dph_total": 0.5, "dlperf": 9, "inet_down": 5, "num_gpus": 1});
    (0..many).map(offer).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(10, 40)))]

    #[test]
    fn the_parts_are_complete_and_few(shape in shapes(), limit in 65..400_u32) {
        let mut market = Market::new(shape.offers());
        market.shuffle = shape.seed;
        let loaded = load(&market, limit, &Dialect::SANDBOX);
        prop_assert_eq!(loaded.ids.len(), shape.many);
        prop_assert!(loaded.is_complete(), "{:?}", loaded.verdict);
        prop_assert_eq!(loaded.repeated, Vec::<String>::new());
        // Two more for the halves of a short first response, one each for offers without a model or price, and one
        // whose part does not fill a response. Three times, as so few of so many are a poor sample:
        // a step sized by it is cut, or half empty.
        let least = shape.many.div_ceil(limit as usize);
        prop_assert!(loaded.requests <= 3 * least + 5, "{} for {least}", loaded.requests);
    }

    #[test]
    fn nothing_is_called_complete_that_is_not(
        shape in shapes(),
        limit in 65..400_u32,
        cap in 64..500_usize,
        ignores in prop_oneof![
            Just(&[][..]),
            Just(&["gpu_name"][..]),
            Just(&["dph_total"][..]),
            Just(&["gpu_name", "dph_total"][..]),
            Just(&["gpu_name", "dph_total", "dlperf", "inet_down", "num_gpus"][..]),
        ],
        is_documented in any::<bool>(),
    ) {
        let mut market = Market::new(shape.offers());
        (market.shuffle, market.cap, market.ignores) = (shape.seed, cap, ignores);
        let dialect = if is_documented { &Dialect::DOCUMENTED } else { &Dialect::SANDBOX };
        let loaded = load(&market, limit, dialect);
        prop_assert!(!loaded.is_complete() || loaded.ids.len() == shape.many, "{:?}", loaded.verdict);
        prop_assert!(ignores.len() > 1 || loaded.is_complete(), "{:?}", loaded.verdict);
        let least = shape.many.div_ceil(cap.min(limit as usize));
        prop_assert!(loaded.requests <= 8 * least + 17, "{} for {least}", loaded.requests);
    }
}

#[test]
fn one_response_that_a_market_would_hardly_cut_needs_no_second() {
    let loaded = load(&Market::new(alike(63)), 3000, &Dialect::VAST);
    assert_eq!((loaded.ids.len(), loaded.requests), (63, 1));
    assert_eq!(loaded.verdict, ["all 63 offers, in 1 request"]);
}

#[test]
fn the_parts_of_a_short_response_tell_whether_the_market_cut_it() {
    let shape = Shape {
        many: 300,
        models: 5,
        prices: 1000,
        seed: 1,
    };
    let mut market = Market::new(shape.offers());
    let loaded = load(&market, 3000, &Dialect::VAST);
    // Two halves, and the offers without a model.
    assert_eq!((loaded.is_complete(), loaded.requests), (true, 4));
    // By a single offer: whichever half it is in.
    for seed in 0..8 {
        (market.cap, market.shuffle) = (299, seed);
        let loaded = load(&market, 3000, &Dialect::VAST);
        assert_eq!((loaded.is_complete(), loaded.ids.len()), (true, 300), "{seed}");
    }
    // The control: the same first response, cut by the market.
    market.cap = 100;
    let loaded = load(&market, 3000, &Dialect::VAST);
    assert!(loaded.is_complete() && loaded.requests > 4, "{:?}", loaded.verdict);
    assert_eq!(loaded.ids.len(), 300);
}

#[test]
fn offers_that_nothing_tells_apart_are_not_called_all() {
    let loaded = load(&Market::new(alike(500)), 100, &Dialect::VAST);
    assert_eq!((loaded.ids.len(), loaded.whys), (100, vec![Why::Alike]));
    assert_eq!(
        loaded.verdict,
        [
            "not all: 100 offers, in 1 request; what is incomplete:",
            "the whole search: more than one response brings, and no condition divides it further"
        ]
    );
    // Nothing divides it, so that nothing can tell whether the market cut it.
    let loaded = load(&Market::new(alike(100)), 3000, &Dialect::VAST);
    assert_eq!(loaded.whys, [Why::Capped(100)]);
}

#[test]
fn a_market_that_ignores_every_condition_is_told_so() {
    let shape = Shape {
        many: 1000,
        models: 5,
        prices: 1000,
        seed: 1,
    };
    let mut market = Market::new(shape.offers());
    market.ignores = &[
        "gpu_name",
        "dph_total",
        "dlperf",
        "inet_down",
        "num_gpus",
        "reliability",
        "disk_bw",
    ];
    let loaded = load(&market, 100, &Dialect::VAST);
    assert_eq!((loaded.ids.len(), loaded.whys), (100, vec![Why::Ignored]));
    assert_eq!(loaded.requests, 6);
}

#[test]
fn an_offer_is_taken_from_the_newest_part_and_what_was_stopped_is_named() {
    let mut plan = Plan::new(
        &default_query(Resource::Offers, &Dialect::VAST),
        100,
        100,
        &Dialect::VAST,
    );
    let shape = Shape {
        many: 150,
        models: 3,
        prices: 1000,
        seed: 1,
    };
    let mut offers = shape.offers();
    let first = plan.next_search().unwrap();
    assert_eq!(plan.next_search(), Some(first), "the same until it is answered");
    plan.take(Listing::read(&OFFERS, text(&offers[..100]), UnixTime::new(0.0)).unwrap());
    let part: Vec<Condition> = plan.next_search().unwrap().conditions.split_off(3);
    let all = Listing::read(&OFFERS, text(&offers), UnixTime::new(0.0)).unwrap();
    let rows: Vec<usize> = all.matching(&part).into_iter().map(|row| row as usize).collect();
    offers[rows[0]]["dph_total"] = json!(77.5);
    let part: Vec<Value> = rows.iter().map(|row| offers[*row].clone()).collect();
    plan.take(Listing::read(&OFFERS, text(&part), UnixTime::new(1.0)).unwrap());
    plan.stop("stopped");
    assert_eq!(plan.next_search(), None);
    assert!(
        matches!(&plan.open()[0].why, Why::Stopped("stopped")),
        "{:?}",
        plan.open()
    );
    let listing = plan.into_listing().unwrap();
    let id = listing.id(0).unwrap();
    let newest = (0..listing.len())
        .find(|row| listing.id(*row).unwrap().0 == rows[0] as i64)
        .unwrap();
    assert_eq!(
        listing.json(newest),
        Some(offers[rows[0]].to_string().as_str()),
        "{id:?}"
    );
}

/// Offers of 40 hosts and 5 models; every tenth has no model, every seventh no price.
fn hosted(many: u64) -> Vec<Value> {
    let offer = |id: u64| {
        let model = (!id.is_multiple_of(10)).then(|| format!("GPU {}", id % 5));
        let price = (!id.is_multiple_of(7)).then_some(id as f64 / 100.0);
        json!({"id": id + 1, "host_id": 100 + id * 37 % 40, "gpu_name": model, "dph_total": price, "num_gpus": 1})
    };
    (0..many).map(offer).collect()
}

/// What is loaded of a market that changes after each request.
fn load_moving(mut offers: Vec<Value>, limit: u32, mut change: impl FnMut(&mut [Value])) -> (Listing, Vec<String>) {
    let mut query = default_query(Resource::Offers, &Dialect::VAST);
    query.conditions.clear();
    let mut plan = Plan::new(&query, limit, 1000, &Dialect::VAST);
    while let Some(query) = plan.next_search() {
        plan.take(Market::new(offers.clone()).answer(&query));
        change(&mut offers);
    }
    let verdict = plan.verdict();
    (plan.into_listing().unwrap(), verdict)
}

#[test]
fn offers_without_model_or_price_and_those_repriced_meanwhile_are_loaded() {
    let mut random = fastrand::Rng::with_seed(1);
    let (listing, verdict) = load_moving(hosted(900), 100, |offers| {
        for offer in offers.iter_mut().filter(|offer| offer["dph_total"].is_number()) {
            offer["dph_total"] = json!(random.f64() * 10.0);
        }
    });
    assert_eq!(listing.len(), 900, "{verdict:?}");
    assert_eq!(listing.known_coverage(), Some(Coverage::Whole));
    assert!(verdict[0].starts_with("all 900 offers, in "), "{verdict:?}");
}

#[test]
fn what_may_be_missing_is_said_where_no_field_is_sure() {
    // Without hosts the offers are divided by model, and by price.
    let mut offers = hosted(900);
    offers.iter_mut().for_each(|offer| offer["host_id"] = Value::Null);
    let (listing, verdict) = load_moving(offers.clone(), 100, |_| ());
    assert_eq!(listing.known_coverage(), Some(Coverage::Unknown), "{verdict:?}");
    assert!(verdict[0].starts_with("900 offers, in "), "{verdict:?}");
    assert!(
        verdict[0].ends_with(": others whose dph_total changed meanwhile may be missing"),
        "{verdict:?}"
    );
    // No offer is known to lack a model: perhaps the market finds none of them.
    offers.retain(|offer| offer["gpu_name"].is_string());
    let (_, verdict) = load_moving(offers, 200, |_| ());
    assert!(
        verdict[0].ends_with(": others without gpu_name may be missing"),
        "{verdict:?}"
    );
}

#[test]
fn a_market_that_fills_every_page_is_asked_as_often_as_the_budget_allows() {
    let query = default_query(Resource::Offers, &Dialect::VAST);
    let mut plan = Plan::new(&query, 50, 30, &Dialect::VAST);
    let mut requests = 0_u64;
    while let Some(query) = plan.next_search() {
        // Hosts within the bounds of the part: a billion of them, each with many offers.
        let bound = |operator, usual: f64| {
            let mut bounds = query.active().filter(|condition| condition.field.key == "host_id");
            let bound = bounds.find(|condition| condition.operator == operator);
            bound.map_or(usual, |condition| match condition.operand {
                Operand::One(bourse::domain::Value::Number(host)) => host,
                _ => usual,
            })
        };
        let (low, high) = (bound(Operator::Gt, 0.0), bound(Operator::Lte, 1e9));
        let host = |index: u64| (low + 1.0 + (high - low - 1.0) * index as f64 / 49.0).floor();
        let offer = |index| json!({"id": requests * 50 + index + 1, "host_id": host(index), "num_gpus": 1});
        let page: Vec<Value> = (0..50).map(offer).collect();
        plan.take(Listing::read(&OFFERS, text(&page), UnixTime::new(0.0)).unwrap());
        requests += 1;
        // Eight pages, each filled to three quarters, and the offers without a host.
        let estimate = "one response does not bring all: about 12 more requests, 30 in all at most";
        assert_eq!(
            plan.estimate().as_deref(),
            (requests == 1).then_some(estimate),
            "after {requests}"
        );
        assert!(requests <= 30, "over the budget");
    }
    assert!(
        plan.open()
            .iter()
            .any(|open| open.why == Why::Stopped("the budget of requests is spent")),
        "{:?}",
        plan.open()
    );
}

#[test]
fn the_markets_own_word_ends_the_load_or_begins_it() {
    let said = |many: usize, said: bool| {
        let query = default_query(Resource::Offers, &Dialect::VAST);
        let mut plan = Plan::new(&query, 3000, 100, &Dialect::VAST);
        plan.next_search();
        let offers = text(&alike(many)).replace("]}", &format!("],\"truncated\":{said}}}"));
        plan.take(Listing::read(&OFFERS, offers, UnixTime::new(0.0)).unwrap());
        (plan.next_search().is_none(), plan.coverage())
    };
    assert_eq!(said(100, false), (true, Coverage::Whole));
    assert_eq!(said(20, true), (true, Coverage::Cut));
}
