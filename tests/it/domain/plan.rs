//! Clusters: plans by hand, and against every set of offers of small random markets.

use bourse::domain::cost::{Basis, Job, Prices};
use bourse::domain::insight::Bill;
use bourse::domain::insight::plan::{Need, OfferName, Offers, Planning, RemarkKind, Same};
use bourse::domain::objection::Objection;
use bourse::domain::{Condition, Listing, OFFERS, OfferType, Operand, Operator, Query, Resource, Value};
use proptest::prelude::*;

use super::supply::{near, offers};

/// An offer of a plan's market.
#[derive(Debug, Clone)]
struct Offer {
    machine: usize,
    /// Its GPUs as bits.
    gpus: u8,
    model: usize,
    price: f64,
    vram: u32,
    country: &'static str,
}

const MODELS: [&str; 2] = ["H100 SXM", "A100 PCIE"];

fn offer(machine: usize, gpus: u8, price: f64) -> Offer {
    Offer {
        machine,
        gpus,
        model: 0,
        price,
        vram: 81_559,
        country: "US",
    }
}

impl Offer {
    fn record(&self, id: usize) -> String {
        let numbers: Vec<i64> = (0..8).filter(|gpu| self.gpus & (1 << gpu) != 0).collect();
        let model = MODELS[self.model];
        format!(
            r#"{{"id":{id},"machine_id":{},"gpu_name":"{model}","num_gpus":{},"gpu_ids":{numbers:?},"gpu_ram":{},
               "dph_base":{},"dph_total":{},"inet_down":1000.0,"inet_up":5000.0,"geolocation":"Somewhere, {}",
               "storage_cost":0.0,"duration":8640000.0,"disk_space":500.0}}"#,
            self.machine,
            numbers.len(),
            self.vram,
            self.price,
            self.price,
            self.country
        )
    }
}

fn listing(market: &[Offer]) -> Listing {
    let records: Vec<String> = market
        .iter()
        .enumerate()
        .map(|(place, offer)| offer.record(place + 1))
        .collect();
    offers(&records)
}

fn planned(market: &[Offer], need: &Need, job: Option<Job>) -> Planning {
    let listing = listing(market);
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let basis = Basis {
        job,
        ..Basis::hourly(OfferType::OnDemand)
    };
    let rows: Vec<u32> = (0..listing.len() as u32).collect();
    Offers::new(&prices, basis, &rows, |_| true).plan(need)
}

fn gpus(many: u32) -> Need {
    Need {
        gpus: many,
        ..Need::default()
    }
}

#[track_caller]
fn bought(planning: &Planning) -> (Vec<u32>, f64) {
    let plan = planning.plan.as_ref().expect("no plan");
    let mut rows: Vec<u32> = plan.rows().collect();
    rows.sort_unstable();
    (rows, plan.bill)
}

/// Two machines of eight GPUs, one also in halves; four machines of two; cheap single GPUs.
fn market() -> Vec<Offer> {
    let mut market = vec![
        offer(1, 0xff, 16.0),
        offer(1, 0x0f, 9.0),
        offer(1, 0xf0, 8.5),
        offer(2, 0xff, 17.0),
    ];
    market.extend((3..7).map(|machine| offer(machine, 0x03, 4.4)));
    market.extend((7..9).map(|machine| offer(machine, 0x01, 1.9)));
    market
}

#[test]
fn the_cheapest_offers_without_a_common_gpu_are_taken() {
    let market = market();
    // A machine of eight at $16 beats two singles and three pairs: 2 x 1.9 + 3 x 4.4 = 17.
    let planning = planned(&market, &gpus(8), None);
    assert_eq!(bought(&planning), (vec![0], 16.0));
    // The second best is half a machine, a pair and the singles: 8.5 + 4.4 + 3.8.
    near(planning.runner_up.as_ref().unwrap().bill, 16.7);
    // Two singles and half a machine: 3.8 + 8.5 = 12.3 for six GPUs.
    let planning = planned(&market, &gpus(6), None);
    assert_eq!(bought(&planning), (vec![2, 8, 9], 12.3));
    // A quarter of six is two GPUs, both singles; half is three, a pair and a single.
    let bills: Vec<_> = planning
        .curve
        .iter()
        .map(|(target, bill)| (*target, bill.unwrap()))
        .collect();
    assert_eq!(bills[0].0, 2);
    near(bills[0].1, 3.8);
    assert_eq!(bills[1].0, 3);
    near(bills[1].1, 6.3);
    assert!(planning.binding.is_empty());
    assert_eq!(planning.offers, 10);
}

#[test]
fn limits_cost_and_say_how_much() {
    let market = market();
    let need = Need {
        most_machines: Some(1),
        ..gpus(6)
    };
    let planning = planned(&market, &need, None);
    assert_eq!(bought(&planning), (vec![0], 16.0));
    assert_eq!(planning.binding.len(), 1);
    assert_eq!(planning.binding[0].0, "at most 1 machine");
    near(planning.binding[0].1, 12.3);
    // At least four GPUs a machine: the halves of the first machine are $17.5 together, so that its
    // six GPUs cost $16 as well.
    let need = Need {
        per_machine: Some(4),
        ..gpus(6)
    };
    let planning = planned(&market, &need, None);
    assert_eq!(bought(&planning), (vec![0], 16.0));
    assert_eq!(planning.binding[0].0, "at least 4 GPUs per machine");
    // A limit that costs nothing does not bind.
    let need = Need {
        most_machines: Some(3),
        ..gpus(6)
    };
    let planning = planned(&market, &need, None);
    assert_eq!(bought(&planning).1, 12.3);
    assert!(planning.binding.is_empty());
}

#[test]
fn what_cannot_be_met_says_what_is_in_the_way() {
    let need = Need {
        most_machines: Some(2),
        ..gpus(20)
    };
    let planning = planned(&market(), &need, None);
    assert_eq!(planning.plan, None);
    assert_eq!(planning.most, 16);
    // Both machines of eight, and the rest from small ones: 16 + 17 + 4.4 + 2 x 1.9 = 41.2 for 20.
    assert_eq!(planning.binding[0].0, "at most 2 machines");
    near(planning.binding[0].1, 41.2);
    let planning = planned(&market(), &gpus(100), None);
    assert_eq!(planning.plan, None);
    assert_eq!(planning.most, 26);
}

#[test]
fn models_memory_and_conditions_limit_single_offers() {
    let mut market = vec![
        offer(1, 0x01, 1.0),
        offer(2, 0x01, 2.0),
        offer(3, 0x01, 5.0),
        offer(4, 0x01, 6.0),
    ];
    market[0].model = 1;
    market[1].country = "CN";
    market[3].vram = 95_830;
    assert_eq!(bought(&planned(&market, &gpus(2), None)).0, [0, 1]);
    let one_model = Need {
        one_model: true,
        ..gpus(2)
    };
    assert_eq!(bought(&planned(&market, &one_model, None)).0, [1, 2]);
    let planning = planned(&market, &one_model, None);
    assert_eq!(planning.binding[0].0, "one GPU model");
    near(planning.binding[0].1, 3.0);
    let memory = Need {
        vram_gb: Some(94.0),
        ..gpus(1)
    };
    assert_eq!(bought(&planned(&market, &memory, None)).0, [3]);
    // 81559 MB are sold as 80 GB.
    let memory = Need {
        vram_gb: Some(80.0),
        ..gpus(4)
    };
    assert_eq!(bought(&planned(&market, &memory, None)).0, [0, 1, 2, 3]);
    let place = OFFERS.by_key("geolocation").unwrap();
    let elsewhere = Operand::One(Value::Text("CN".to_owned()));
    let conditions = Need {
        conditions: vec![Condition::new(place, Operator::Neq, elsewhere)],
        ..gpus(2)
    };
    let planning = planned(&market, &conditions, None);
    assert_eq!(bought(&planning).0, [0, 2]);
    assert_eq!(planning.binding[0].0, "geolocation!=CN");
}

#[test]
fn bills_deadlines_and_budgets_are_those_of_the_job() {
    let market = vec![offer(1, 0x01, 1.0), offer(2, 0x03, 3.0)];
    let job = Job {
        run_hours: 10.0,
        stopped_hours: 0.0,
        disk_gb: 0.0,
        gb_in: 0.0,
        gb_out: 0.0,
        work_dlperf_hours: None,
        work: None,
        deadline: None,
        shared_by: None,
    };
    let planning = planned(&market, &gpus(3), Some(job));
    assert_eq!(bought(&planning).1, 40.0);
    let need = Need {
        budget: Some(35.0),
        ..gpus(3)
    };
    // $30 pay for two GPUs: the pair.
    let planning = planned(&market, &need, Some(job));
    assert_eq!((planning.affordable, bought(&planning).1), (Some(2), 40.0));
    let need = Need {
        deadline: Some(9.0),
        ..gpus(1)
    };
    let planning = planned(&market, &need, Some(job));
    assert_eq!(planning.plan, None);
    assert_eq!(planning.binding[0].0, "done in 9h");
    near(planning.binding[0].1, 10.0);
}

#[test]
fn machines_have_a_least_number_a_shape_and_something_in_common() {
    let mut market = vec![
        offer(1, 0xff, 10.0),
        offer(2, 0xff, 12.0),
        offer(3, 0x0f, 4.0),
        offer(4, 0x0f, 4.5),
    ];
    market[0].country = "SE";
    market[2].country = "SE";
    market[3].country = "SE";
    // 4 + 4.5 on two machines; with at least three 10 more.
    assert_eq!(bought(&planned(&market, &gpus(8), None)).1, 8.5);
    let three = Need {
        least_machines: Some(3),
        ..gpus(8)
    };
    let planning = planned(&market, &three, None);
    assert_eq!(bought(&planning), (vec![0, 2, 3], 18.5));
    assert_eq!(planning.binding, [("at least 3 machines".to_owned(), 8.5)]);
    // Two machines with eight on each.
    let shape = Need {
        least_machines: Some(2),
        most_machines: Some(2),
        per_machine: Some(8),
        ..gpus(16)
    };
    assert_eq!(bought(&planned(&market, &shape, None)), (vec![0, 1], 22.0));
    // In one country there are 16: 10 + 4 + 4.5.
    let same = Need {
        same: Some(Same::Country),
        ..gpus(12)
    };
    let planning = planned(&market, &same, None);
    assert_eq!(bought(&planning), (vec![0, 2], 14.0));
    let twenty = Need { gpus: 20, ..same };
    let planning = planned(&market, &twenty, None);
    assert_eq!((&planning.plan, planning.most), (&None, 16));
    let remarks = planning.remarks(&twenty, Bill::Hourly, &Query::empty(Resource::Offers), offer_name);
    assert_eq!(
        remarks[0].text,
        "Not enough: 4 offers within the limits, at most 16 GPUs in one country"
    );
    assert_eq!(planning.binding, [("one country".to_owned(), 26.0)]);
    // The records have no cluster: nothing is known to be in the same one.
    let cluster = Need {
        same: Some(Same::Cluster),
        ..gpus(4)
    };
    let planning = planned(&market, &cluster, None);
    assert_eq!((planning.plan, planning.offers), (None, 0));
}

#[test]
fn what_no_market_can_meet_is_told() {
    let machines = |least, most| Need {
        least_machines: least,
        most_machines: most,
        ..gpus(8)
    };
    assert_eq!(machines(None, None).check(), Ok(()));
    assert_eq!(machines(Some(8), Some(8)).check(), Ok(()));
    for (need, field, words) in [
        (gpus(0), "gpus", "From 1 to 1,024 GPUs"),
        (gpus(1_025), "gpus", "From 1 to 1,024 GPUs"),
        (
            Need {
                gpus: 600,
                ..machines(None, Some(9))
            },
            "gpus",
            "From 1 to 512 GPUs",
        ),
        (
            machines(Some(3), Some(2)),
            "min-machines",
            "At least 3 machines is more than at most 2",
        ),
        (machines(Some(9), None), "min-machines", "8 GPUs can't be on 9 machines"),
        (
            machines(None, Some(65)),
            "machines",
            "At most 64 machines; blank sets no limit",
        ),
    ] {
        assert_eq!(need.check(), Err(Objection::new(field, words)));
    }
}

fn offer_name(row: u32) -> OfferName {
    OfferName {
        id: row.to_string(),
        kind: "RTX 4090 in CZ".to_owned(),
    }
}

#[test]
fn the_bill_of_a_job_says_that_disk_and_traffic_are_per_offer() {
    let market = vec![offer(1, 0x01, 1.0), offer(2, 0x01, 2.0)];
    let job = Job {
        run_hours: 10.0,
        stopped_hours: 0.0,
        disk_gb: 0.0,
        gb_in: 0.0,
        gb_out: 0.0,
        work_dlperf_hours: None,
        work: None,
        deadline: None,
        shared_by: None,
    };
    let texts = |need: &Need, bill| -> Vec<String> {
        let remarks =
            planned(&market, need, Some(job)).remarks(need, bill, &Query::empty(Resource::Offers), offer_name);
        remarks.into_iter().map(|remark| remark.text).collect()
    };
    let said = "The bill has disk and traffic for each of the 2 offers".to_owned();
    assert!(texts(&gpus(2), Bill::Job).contains(&said));
    assert!(!texts(&gpus(2), Bill::Hourly).contains(&said));
    assert!(!texts(&gpus(1), Bill::Job).contains(&said));
}

/// Up to ten offers on up to four machines of up to four GPUs.
fn some_market() -> impl Strategy<Value = Vec<Offer>> {
    let one = (0_usize..4, 1_u8..16, 0_usize..2, 0_u32..60, 0_usize..3);
    let one = one.prop_map(|(machine, gpus, model, price, country)| Offer {
        model,
        country: ["US", "SE", "CN"][country],
        ..offer(machine, gpus, f64::from(price))
    });
    prop::collection::vec(one, 1..10)
}

fn some_need() -> impl Strategy<Value = Need> {
    let limit = |most: u32| prop::option::of(1..most);
    let machines = (prop::option::of(1_u32..3), limit(5));
    (1_u32..12, machines, limit(5), any::<[bool; 2]>()).prop_map(
        |(gpus, (least_machines, most_machines), per_machine, [one_model, one_country])| Need {
            gpus,
            least_machines,
            most_machines,
            per_machine,
            one_model,
            same: one_country.then_some(Same::Country),
            ..Need::default()
        },
    )
}

/// The bill of a set of offers, if it meets the need.
fn bill(market: &[Offer], set: u32, need: &Need) -> Option<f64> {
    let chosen = || {
        (0..market.len())
            .filter(move |at| set & (1 << at) != 0)
            .map(|at| &market[at])
    };
    let mut machines = 0;
    for machine in 0..4 {
        let own = || chosen().filter(move |offer| offer.machine == machine);
        let sum: u32 = own().map(|offer| offer.gpus.count_ones()).sum();
        if own().fold(0, |all, offer| all | offer.gpus).count_ones() != sum {
            return None;
        }
        if sum > 0 && need.per_machine.is_some_and(|least| sum < least) {
            return None;
        }
        machines += u32::from(sum > 0);
    }
    let mut models = chosen().map(|offer| offer.model);
    let first = models.next();
    let is_mixed = models.any(|model| Some(model) != first);
    let mut countries = chosen().map(|offer| offer.country);
    let first = countries.next();
    let is_spread = countries.any(|country| Some(country) != first);
    let is_outside = need.most_machines.is_some_and(|most| machines > most)
        || need.least_machines.is_some_and(|least| machines < least);
    if is_outside || (need.one_model && is_mixed) || (need.same.is_some() && is_spread) {
        return None;
    }
    let sum: u32 = chosen().map(|offer| offer.gpus.count_ones()).sum();
    (sum >= need.gpus).then(|| chosen().map(|offer| offer.price).sum())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn plan_and_runner_up_are_the_cheapest_of_all_sets_of_offers(
        market in some_market(),
        need in some_need(),
    ) {
        let sets: Vec<(u32, f64)> = (1_u32..1 << market.len())
            .filter_map(|set| Some((set, bill(&market, set, &need)?)))
            .collect();
        let least = sets.iter().map(|(_, bill)| *bill).reduce(f64::min);
        let planning = planned(&market, &need, None);
        prop_assert_eq!(planning.plan.is_some(), least.is_some());
        let Some(plan) = planning.plan else { return Ok(()) };
        prop_assert!((plan.bill - least.unwrap()).abs() < 1e-9);
        let set = plan.rows().fold(0, |set, row| set | 1 << row);
        prop_assert!((bill(&market, set, &need).unwrap() - plan.bill).abs() < 1e-9);
        let others = sets.iter().filter(|(other, _)| other & set != set);
        let second = others.map(|(_, bill)| *bill).reduce(f64::min);
        let runner_up = planning.runner_up.as_ref().map(|plan| plan.bill);
        prop_assert_eq!(runner_up.is_some(), second.is_some());
        if let (Some(own), Some(second)) = (runner_up, second) {
            prop_assert!((own - second).abs() < 1e-9, "{} is not {}", own, second);
        }
        for (gpus, bill_of_target) in planning.curve {
            let need = Need { gpus, ..need.clone() };
            let bills = (1_u32..1 << market.len()).filter_map(|set| bill(&market, set, &need));
            let least = bills.reduce(f64::min);
            prop_assert_eq!(bill_of_target.is_some(), least.is_some());
            if let (Some(own), Some(least)) = (bill_of_target, least) {
                prop_assert!((own - least).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_runner_up_of_the_same_name_is_distinguished_by_ids() {
    let named = |second: Offer| {
        let market = [offer(0, 1, 1.0), second];
        let need = gpus(1);
        let planning = planned(&market, &need, None);
        let remarks = planning.remarks(&need, Bill::Hourly, &Query::empty(Resource::Offers), offer_name);
        let found = remarks.into_iter().find(|remark| remark.kind == RemarkKind::RunnerUp);
        found.map(|remark| remark.text).unwrap()
    };
    let same = named(offer(1, 1, 1.0001));
    assert_eq!(same.matches('(').count(), 3, "{same}");
    let pricier = named(offer(1, 1, 2.0));
    assert_eq!(pricier.matches('(').count(), 3, "{pricier}");
    let larger = named(offer(1, 3, 2.0));
    assert_eq!(larger.matches('(').count(), 2, "{larger}");
    // The price of a replaced offer is in the table above.
    assert_eq!(larger.matches(" at $").count(), 1, "{larger}");
}

proptest! {
    /// The parts of a bill as printed add up to the bill as printed.
    #[test]
    fn printed_parts_add_up(amounts in prop::collection::vec(0.01_f64..500.0, 1..12)) {
        let cents = |text: &str| text.replace(['$', ',', '.'], "").parse::<i64>().unwrap();
        let total = cents(&Bill::Job.money(amounts.iter().sum()));
        let parts: Vec<i64> = Bill::Job.parts(&amounts).iter().map(|part| cents(part)).collect();
        prop_assert_eq!(parts.iter().sum::<i64>(), total);
        for (part, amount) in parts.iter().zip(&amounts) {
            #[expect(clippy::cast_precision_loss)] // small numbers
            let part = *part as f64;
            prop_assert!((part - amount * 100.0).abs() < 1.0 + 1e-6);
        }
    }
}
