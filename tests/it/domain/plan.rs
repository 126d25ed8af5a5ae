//! Clusters: plans by hand, and against every set of offers of small random markets.

use bourse::domain::cost::{Basis, Job, Prices};
use bourse::domain::insight::plan::{Bill, Limit, Need, Offers, Planning, Target};
use bourse::domain::{Condition, Listing, OFFERS, OfferType, Operand, Operator, Value};
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
    dlperf: f64,
    vram: u32,
    network: f64,
    country: &'static str,
}

const MODELS: [&str; 2] = ["H100 SXM", "A100 PCIE"];

fn offer(machine: usize, gpus: u8, price: f64) -> Offer {
    Offer {
        machine,
        gpus,
        model: 0,
        price,
        dlperf: f64::from(gpus.count_ones()) * 100.0,
        vram: 81_559,
        network: 1000.0,
        country: "US",
    }
}

impl Offer {
    fn record(&self, id: usize) -> String {
        let numbers: Vec<i64> = (0..8).filter(|gpu| self.gpus & (1 << gpu) != 0).collect();
        let model = MODELS[self.model];
        format!(
            r#"{{"id":{id},"machine_id":{},"gpu_name":"{model}","num_gpus":{},"gpu_ids":{numbers:?},"gpu_ram":{},
               "dph_base":{},"dph_total":{},"dlperf":{},"inet_down":{},"inet_up":5000.0,"geolocation":"Somewhere, {}",
               "storage_cost":0.0,"duration":8640000.0,"disk_space":500.0}}"#,
            self.machine,
            numbers.len(),
            self.vram,
            self.price,
            self.price,
            self.dlperf,
            self.network,
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
    Need::new(Target::Gpus(many))
}

#[track_caller]
fn bought(planning: &Planning) -> (Vec<u32>, f64) {
    let plan = planning.plan.as_ref().expect("no plan");
    let mut rows: Vec<u32> = plan.rows().collect();
    rows.sort_unstable();
    near(plan.gap, 0.0);
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
    assert_eq!(bills[0].0, Target::Gpus(2));
    near(bills[0].1, 3.8);
    assert_eq!(bills[1].0, Target::Gpus(3));
    near(bills[1].1, 6.3);
    assert!(planning.binding.is_empty());
    assert_eq!(planning.offers, 10);
}

#[test]
fn limits_cost_and_say_how_much() {
    let market = market();
    let need = Need {
        machines: Some(1),
        ..gpus(6)
    };
    let planning = planned(&market, &need, None);
    assert_eq!(bought(&planning), (vec![0], 16.0));
    assert_eq!(planning.binding.len(), 1);
    assert_eq!(planning.binding[0].limit, Limit::Machines);
    near(planning.binding[0].bill, 12.3);
    // At least four GPUs a machine: the halves of the first machine are $17.5 together, so that its
    // six GPUs cost $16 as well.
    let need = Need {
        per_machine: Some(4),
        ..gpus(6)
    };
    let planning = planned(&market, &need, None);
    assert_eq!(bought(&planning), (vec![0], 16.0));
    assert_eq!(planning.binding[0].limit, Limit::PerMachine);
    // A limit that costs nothing does not bind.
    let need = Need {
        machines: Some(3),
        ..gpus(6)
    };
    let planning = planned(&market, &need, None);
    assert_eq!(bought(&planning).1, 12.3);
    assert!(planning.binding.is_empty());
}

#[test]
fn what_cannot_be_met_says_what_is_in_the_way() {
    let need = Need {
        machines: Some(2),
        ..gpus(20)
    };
    let planning = planned(&market(), &need, None);
    assert_eq!(planning.plan, None);
    near(planning.most, 16.0);
    // Both machines of eight, and the rest from small ones: 16 + 17 + 4.4 + 2 x 1.9 = 41.2 for 20.
    assert_eq!(planning.binding[0].limit, Limit::Machines);
    near(planning.binding[0].bill, 41.2);
    let planning = planned(&market(), &gpus(100), None);
    assert_eq!(planning.plan, None);
    near(planning.most, 26.0);
}

#[test]
fn models_memory_network_and_conditions_limit_single_offers() {
    let mut market = vec![
        offer(1, 0x01, 1.0),
        offer(2, 0x01, 2.0),
        offer(3, 0x01, 5.0),
        offer(4, 0x01, 6.0),
    ];
    market[0].model = 1;
    market[1].country = "CN";
    market[2].network = 300.0;
    market[3].vram = 95_830;
    assert_eq!(bought(&planned(&market, &gpus(2), None)).0, [0, 1]);
    let one_model = Need {
        one_model: true,
        ..gpus(2)
    };
    assert_eq!(bought(&planned(&market, &one_model, None)).0, [1, 2]);
    let network = Need {
        network: Some(500.0),
        ..one_model.clone()
    };
    let planning = planned(&market, &network, None);
    assert_eq!(bought(&planning).0, [1, 3]);
    let binding: Vec<Limit> = planning.binding.iter().map(|own| own.limit).collect();
    assert_eq!(binding, [Limit::OneModel, Limit::Network]);
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
    assert_eq!(planning.binding[0].limit, Limit::Conditions);
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
    assert_eq!(planning.binding[0].limit, Limit::Deadline);
    near(planning.binding[0].bill, 10.0);
}

#[test]
fn speed_is_a_target_too() {
    let mut market = vec![
        offer(1, 0x01, 1.0),
        offer(2, 0x01, 1.5),
        offer(3, 0x01, 2.0),
    ];
    market[0].dlperf = 40.0;
    market[1].dlperf = 70.0;
    market[2].dlperf = 100.0;
    let planning = planned(&market, &Need::new(Target::Dlperf(105.0)), None);
    assert_eq!(bought(&planning), (vec![0, 1], 2.5));
    near(planning.plan.unwrap().dlperf, 110.0);
    near(planning.runner_up.unwrap().bill, 3.0);
}

/// Up to ten offers on up to four machines of up to four GPUs.
fn some_market() -> impl Strategy<Value = Vec<Offer>> {
    let one = (
        0_usize..4,
        1_u8..16,
        0_usize..2,
        0_u32..60,
        1_u32..50,
        0_usize..3,
    );
    let one = one.prop_map(|(machine, gpus, model, price, dlperf, country)| Offer {
        model,
        dlperf: f64::from(dlperf),
        country: ["US", "SE", "CN"][country],
        ..offer(machine, gpus, f64::from(price))
    });
    prop::collection::vec(one, 1..10)
}

fn some_need() -> impl Strategy<Value = Need> {
    let target = prop_oneof![
        (1_u32..12).prop_map(Target::Gpus),
        (1_u32..150).prop_map(|speed| Target::Dlperf(f64::from(speed))),
    ];
    let limit = |most: u32| prop::option::of(1..most);
    (target, limit(5), limit(5), any::<bool>()).prop_map(
        |(target, machines, per_machine, one_model)| Need {
            machines,
            per_machine,
            one_model,
            ..Need::new(target)
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
    if need.machines.is_some_and(|most| machines > most) || (need.one_model && is_mixed) {
        return None;
    }
    let is_reached = match need.target {
        Target::Gpus(wanted) => {
            chosen().map(|offer| offer.gpus.count_ones()).sum::<u32>() >= wanted
        }
        Target::Dlperf(wanted) => chosen().map(|offer| offer.dlperf).sum::<f64>() >= wanted,
    };
    is_reached.then(|| chosen().map(|offer| offer.price).sum())
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
        prop_assert_eq!(plan.gap, 0.0);
        let set = plan.rows().fold(0, |set, row| set | 1 << row);
        prop_assert!((bill(&market, set, &need).unwrap() - plan.bill).abs() < 1e-9);
        let others = sets.iter().filter(|(other, _)| other & set != set);
        let second = others.map(|(_, bill)| *bill).reduce(f64::min);
        let runner_up = planning.runner_up.as_ref().map(|plan| plan.bill);
        prop_assert_eq!(runner_up.is_some(), second.is_some());
        if let (Some(own), Some(second)) = (runner_up, second) {
            prop_assert!((own - second).abs() < 1e-9, "{} is not {}", own, second);
        }
        for (target, bill_of_target) in planning.curve {
            let need = Need { target, ..need.clone() };
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
fn a_search_that_is_given_up_says_by_how_much_it_may_be_off() {
    // Every offer costs a dollar per point, and no sum is 100,000.5: the bound of 100,000.5 is never
    // reached, and the sums of 300 offers are too many to go through.
    let market: Vec<Offer> = (0..300)
        .map(|machine| {
            let speed = f64::from(1000 + machine * 7919 % 997);
            Offer {
                dlperf: speed,
                ..offer(machine as usize, 0x01, speed)
            }
        })
        .collect();
    let need = Need::new(Target::Dlperf(100_000.5));
    let planning = planned(&market, &need, None);
    let plan = planning.plan.as_ref().unwrap();
    assert!(plan.bill >= 100_001.0 && plan.gap > 0.0, "{plan:?}");
    // Sums count as reached within a billionth of the target.
    assert!((plan.bill - plan.gap - 100_000.5).abs() < 1e-3, "{plan:?}");
    let remarks = planning.remarks(&need, Bill::Hourly, |row| row.to_string());
    assert!(
        remarks[0].is_warning && remarks[0].text.starts_with("Stopped searching: "),
        "{remarks:?}"
    );
}
