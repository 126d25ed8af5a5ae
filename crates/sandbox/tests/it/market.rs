//! The simulated market and fleet, without a network: shapes, arithmetic, reproducibility.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bourse_domain::OfferType;
use bourse_sandbox::USER;
use bourse_sandbox::fleet::{Fleet, PUBLIC_KEY, Place, RouteOutcome, RouteReply, RouteRequest, Signer, default_group};
use bourse_sandbox::market::runs::{MarketRuns, Run};
use bourse_sandbox::market::{FROZEN_AT, Market, MarketConfig, Terms, UnlistError, geolocode};
use serde_json::Value;

fn market() -> Market {
    Market::new(MarketConfig::default()).unwrap()
}

/// For what does not depend on how many offers there are.
fn small() -> Market {
    let config = MarketConfig {
        offers: 400,
        ..MarketConfig::default()
    };
    Market::new(config).unwrap()
}

fn offers(market: &Market, terms: Terms) -> Vec<Value> {
    market
        .offers(terms)
        .map(|row| serde_json::to_value(row).unwrap())
        .collect()
}

fn number(row: &Value, member: &str) -> f64 {
    row[member]
        .as_f64()
        .unwrap_or_else(|| panic!("{member} is {}", row[member]))
}

#[track_caller]
fn assert_close(left: f64, right: f64) {
    assert!(
        (left - right).abs() <= 1e-9 * right.abs().max(1.0),
        "{left} is not {right}"
    );
}

/// The members of the specification's table of machine offers.
const OFFER_MEMBERS: &str = "id ask_contract_id bundle_id bundled_results bw_nvlink compute_cap \
    cpu_arch cpu_cores cpu_cores_effective cpu_ghz cpu_name cpu_ram credit_discount_max \
    cuda_max_good direct_port_count disk_bw disk_name disk_space dlperf dlperf_per_dphtotal \
    dph_base dph_total dph_total_adj driver_version driver_vers duration start_date end_date \
    external flops_per_dphtotal total_flops geolocation geolocode gpu_arch gpu_display_active \
    gpu_frac gpu_ids gpu_lanes gpu_mem_bw gpu_name gpu_ram gpu_total_ram gpu_max_power \
    gpu_max_temp has_avx host_id machine_id hosting_type hostname webpage inet_down inet_up \
    inet_down_cost inet_up_cost internet_down_cost_per_tb internet_up_cost_per_tb is_bid logo \
    min_bid mobo_name num_gpus os_version pci_gen pcie_bw public_ipaddr reliability reliability2 \
    reliability_mult expected_reliability rentable rented score static_ip storage_cost \
    storage_total_cost verification vericode vram_costperhour vms_enabled is_vm_deverified \
    resource_type cluster_id avail_vol_ask_id avail_vol_size avail_vol_dph nw_disk_min_bw \
    nw_disk_max_bw nw_disk_avg_bw rn discount_rate discounted_hourly discounted_dph_total \
    time_remaining time_remaining_isbid search instance";

#[test]
fn every_offer_has_every_member_of_the_specification_and_an_id_of_its_own() {
    let rows = offers(&market(), Terms::default());
    assert_eq!(rows.len(), 2_400);
    for row in &rows {
        for member in OFFER_MEMBERS.split_whitespace() {
            assert!(row.get(member).is_some(), "{member}");
        }
    }
    let ids: HashSet<u64> = rows.iter().map(|row| row["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), rows.len());
}

#[test]
fn the_arithmetic_of_every_offer_adds_up() {
    for storage in [8.0, 5.0, 200.0] {
        let terms = Terms {
            rental: OfferType::OnDemand,
            storage,
        };
        for row in offers(&small(), terms) {
            let n = |member| number(&row, member);
            assert_close(n("gpu_total_ram"), n("num_gpus") * n("gpu_ram"));
            assert_close(n("storage_total_cost"), n("storage_cost") * storage / 720.0);
            assert_close(n("dph_total"), n("dph_base") + n("storage_total_cost"));
            assert_close(n("dph_total_adj"), n("dph_total") + n("inet_down_cost") * storage / 4.0);
            assert_close(n("dlperf_per_dphtotal"), n("dlperf") / n("dph_total"));
            assert_close(n("flops_per_dphtotal"), n("total_flops") / n("dph_total"));
            assert_close(n("vram_costperhour"), n("dph_base") / (n("gpu_total_ram") / 1024.0));
            assert_close(n("internet_down_cost_per_tb"), n("inet_down_cost") * 1024.0);
            assert_close(n("internet_up_cost_per_tb"), n("inet_up_cost") * 1024.0);
            assert_close(n("cpu_cores_effective"), n("cpu_cores") * n("gpu_frac"));
            assert_close(n("duration"), n("end_date") - FROZEN_AT);
            assert_close(n("discounted_dph_total"), n("dph_total"));
            assert_eq!(
                row["gpu_ids"].as_array().unwrap().len() as u64,
                row["num_gpus"].as_u64().unwrap()
            );
            assert_eq!(row["reliability"], row["reliability2"]);
            let (search, instance) = (&row["search"], &row["instance"]);
            assert_close(number(search, "gpuCostPerHour"), n("dph_base"));
            assert_close(number(search, "diskHour"), n("storage_total_cost"));
            assert_close(number(search, "totalHour"), n("dph_total"));
            assert_close(number(search, "discountedTotalPerHour"), n("dph_total"));
            assert_close(number(instance, "gpuCostPerHour"), 0.0);
            assert_close(number(instance, "totalHour"), n("storage_total_cost"));
        }
    }
}

#[test]
fn a_bid_costs_the_lowest_bid_and_everything_follows() {
    let market = small();
    let bids = offers(
        &market,
        Terms {
            rental: OfferType::Bid,
            ..Terms::default()
        },
    );
    let fixed = offers(&market, Terms::default());
    let mut cheaper = 0;
    for (bid, fixed) in bids.iter().zip(&fixed) {
        assert_eq!(bid["id"], fixed["id"]);
        assert_eq!(
            (&bid["is_bid"], &fixed["is_bid"]),
            (&Value::Bool(true), &Value::Bool(false))
        );
        assert_eq!(bid["dph_base"], fixed["min_bid"]);
        let total = number(bid, "min_bid") + number(bid, "storage_total_cost");
        assert_close(number(bid, "dph_total"), total);
        assert_close(number(bid, "dlperf_per_dphtotal"), number(bid, "dlperf") / total);
        cheaper += usize::from(number(bid, "dph_total") < number(fixed, "dph_total"));
    }
    assert!(cheaper > bids.len() / 3, "{cheaper}");
}

#[test]
fn renting_ahead_is_cheaper_at_some_hosts_and_never_dearer() {
    let rows = offers(
        &market(),
        Terms {
            rental: OfferType::Reserved,
            ..Terms::default()
        },
    );
    let mut discounted = 0;
    for row in &rows {
        let (total, less) = (number(row, "dph_total"), number(row, "discounted_dph_total"));
        assert!(less <= total);
        assert_close(less, total - number(row, "discounted_hourly"));
        assert_close(
            number(row, "discounted_hourly"),
            number(row, "dph_base") * number(row, "discount_rate"),
        );
        assert!(number(row, "discount_rate") <= number(row, "credit_discount_max"));
        discounted += usize::from(less < total);
    }
    assert!((100..1_200).contains(&discounted), "{discounted}");
}

#[test]
fn the_surprises_of_the_real_market_are_there() {
    let rows = offers(&market(), Terms::default());
    let share = |of: &dyn Fn(&Value) -> bool| {
        let count = rows.iter().filter(|row| of(row)).count();
        f64::from(u32::try_from(count).unwrap()) / f64::from(u32::try_from(rows.len()).unwrap())
    };
    let between = |low: f64, high: f64, what: &str, of: &dyn Fn(&Value) -> bool| {
        let found = share(of);
        assert!((low..=high).contains(&found), "{what}: {found}");
    };
    between(0.02, 0.25, "start_date null", &|row| row["start_date"].is_null());
    between(0.15, 0.5, "no board", &|row| row["mobo_name"].is_null());
    between(0.05, 0.4, "no disk name", &|row| row["disk_name"] == "");
    between(0.02, 0.2, "two-part driver", &|row| {
        row["driver_version"].as_str().unwrap().matches('.').count() == 1
    });
    between(0.001, 0.1, "no place", &|row| row["geolocation"].is_null());
    between(0.01, 0.2, "no region", &|row| {
        row["geolocation"].as_str().is_some_and(|at| at.starts_with(", "))
    });
    between(0.4, 0.85, "verified", &|row| row["verification"] == "verified");
    between(0.02, 0.3, "deverified", &|row| row["verification"] == "deverified");
    between(0.05, 0.4, "data centre", &|row| row["hosting_type"] == 1);
    between(0.05, 0.6, "not rentable", &|row| row["rentable"] == false);
    between(0.01, 0.15, "no volume", &|row| {
        let members = ["avail_vol_ask_id", "avail_vol_size", "avail_vol_dph"];
        let nulls = members.iter().filter(|member| row[**member].is_null()).count();
        assert!(nulls == 0 || nulls == 3);
        nulls == 3
    });
    between(0.05, 0.3, "bid above price", &|row| {
        number(row, "min_bid") > number(row, "dph_base")
    });
    assert!(rows.iter().any(|row| row["cpu_arch"] == "arm64"));
    assert!(rows.iter().any(|row| row["gpu_arch"] == "amd"));
    let mut sizes: HashMap<&str, HashSet<u64>> = HashMap::new();
    for row in &rows {
        let name = row["gpu_name"].as_str().unwrap();
        sizes.entry(name).or_default().insert(row["gpu_ram"].as_u64().unwrap());
    }
    assert!(sizes["RTX 4090"].len() > 1, "one name, several memories");
    assert!(sizes.len() > 40, "{} models", sizes.len());
}

#[test]
fn drivers_judgements_and_countries_follow_their_rules() {
    for row in offers(&market(), Terms::default()) {
        let version = row["driver_version"].as_str().unwrap();
        let mut parts = version.split('.').map(|part| part.parse::<u64>().unwrap()).chain([0]);
        let mut part = || parts.next().unwrap();
        let expected = part() * 1_000_000 + part() * 1_000 + part();
        assert_eq!(row["driver_vers"].as_u64().unwrap(), expected, "{version}");
        let code = row["vericode"].as_u64().unwrap();
        match row["verification"].as_str().unwrap() {
            "verified" => assert_eq!(code, 1),
            "unverified" => assert_eq!(code, 0),
            "deverified" => assert!(code == 4 || code == 8),
            other => panic!("{other}"),
        }
        assert_eq!(row["geolocation"].is_null(), row["geolocode"].is_null());
    }
    for (country, code) in [("US", 433_199_645), ("TW", 2_068_045_917), ("DE", 584_345_388)] {
        assert_eq!(geolocode(country), code);
    }
}

#[test]
fn the_searches_that_people_try_first_find_something() {
    let rows = offers(&market(), Terms::default());
    let open = |row: &&Value| row["verification"] == "verified" && row["rentable"] == true && row["rented"] == false;
    let country = |row: &Value, codes: &[&str]| {
        row["geolocation"]
            .as_str()
            .is_some_and(|at| codes.iter().any(|code| at.ends_with(code)))
    };
    let count = |of: &dyn Fn(&Value) -> bool| rows.iter().filter(open).filter(|row| of(row)).count();
    assert!(
        count(&|row| row["gpu_name"] == "RTX 4090"
            && number(row, "num_gpus") >= 2.0
            && number(row, "gpu_ram") >= 24_000.0
            && number(row, "reliability") > 0.98
            && country(row, &["US", "CA"]))
            >= 3
    );
    assert!(count(&|row| row["gpu_name"] == "H100 SXM" && row["num_gpus"] == 8 && row["hosting_type"] == 1) >= 2);
    assert!(count(&|row| row["gpu_name"] == "RTX 4090" && country(row, &["DE", "FR", "CZ"])) >= 5);
}

#[test]
fn the_same_seed_gives_the_same_market_and_another_seed_another() {
    let text = |seed| {
        let market = Market::new(MarketConfig {
            seed,
            offers: 500,
            ..MarketConfig::default()
        })
        .unwrap();
        serde_json::to_string(&offers(&market, Terms::default())).unwrap()
    };
    assert!(text(7) == text(7) && text(7) != text(8));
}

#[test]
fn the_market_moves_the_same_way_however_its_time_is_cut() {
    let (mut once, mut often) = (market(), market());
    let before = offers(&once, Terms::default());
    once.step(3_600.0);
    for _ in 0..7_200 {
        often.step(0.5);
    }
    let after = offers(&once, Terms::default());
    assert!(after == offers(&often, Terms::default()), "the two differ");
    let ids = |rows: &[Value]| {
        rows.iter()
            .map(|row| row["id"].as_u64().unwrap())
            .collect::<HashSet<_>>()
    };
    let (old, new) = (ids(&before), ids(&after));
    assert!(old.difference(&new).count() > 10, "offers leave");
    assert!(new.difference(&old).count() > 10, "offers come");
    let prices: HashMap<u64, f64> = before
        .iter()
        .map(|row| (row["id"].as_u64().unwrap(), number(row, "dph_base")))
        .collect();
    let changed = after.iter().filter(|row| {
        let price = prices.get(&row["id"].as_u64().unwrap());
        price.is_some_and(|price| (price - number(row, "dph_base")).abs() > 1e-12)
    });
    assert!(changed.count() > 50, "prices change");
    assert!((2_000..2_600).contains(&after.len()), "{}", after.len());
    assert!(after.iter().all(|row| number(row, "duration") > 0.0));
}

#[test]
fn a_market_goes_on_where_its_earlier_runs_ended() {
    let config = MarketConfig {
        offers: 400,
        ..MarketConfig::default()
    };
    let day = 86_400.0;
    let mut live = small();
    live.step(1_800.0);
    let first = live.current_run().unwrap();
    assert_eq!((first.at, first.ticks), (config.start, 360));
    // A day in which nobody looks, and another run of a little over ten minutes.
    live.resume(&[], config.start + day);
    assert_eq!(live.current_run(), None);
    live.step(603.0);
    let second = live.current_run().unwrap();
    assert_eq!((second.at, second.ticks), (config.start + day, 120));

    let runs = MarketRuns {
        runs: vec![first, second],
        ..MarketRuns::new(&config)
    };
    let now = config.start + day + 603.0;
    assert!(runs.continues(&config, now));
    let mut again = small();
    again.resume(&runs.runs, now);
    let rows = |market: &Market| offers(market, Terms::default());
    assert!(rows(&live) == rows(&again), "the two differ");
    again.step(60.0);
    assert!(rows(&live) != rows(&again), "it moves on");
    assert_eq!(again.current_run().unwrap().ticks, 12);
    let mut without = small();
    without.resume(&[first], now);
    assert!(rows(&live) != rows(&without), "the second run counts");

    let smaller = MarketConfig { offers: 300, ..config };
    assert!(!runs.continues(&smaller, now), "another market");
    assert!(!runs.continues(&config, config.start + 8.0 * day), "it is too old");
    assert!(
        !runs.continues(&config, config.start + 0.5 * day),
        "the clock was set back"
    );
    let mut long = runs.clone();
    long.runs[0].ticks = u64::MAX;
    assert!(!long.continues(&config, now), "it has moved too much");
}

#[test]
fn of_the_runs_of_two_programs_the_longer_ones_stay() {
    let of = |start: f64, ticks: &[u64]| MarketRuns {
        runs: ticks.iter().map(|&ticks| Run { at: start, ticks }).collect(),
        ..MarketRuns::new(&MarketConfig {
            start,
            ..MarketConfig::default()
        })
    };
    for (saved, other, stays) in [
        (of(5.0, &[10]), of(5.0, &[10, 3]), 13),
        (of(5.0, &[10, 3]), of(5.0, &[10]), 13),
        (of(5.0, &[10]), of(9.0, &[1]), 1),
        (of(9.0, &[1]), of(5.0, &[10]), 1),
        (MarketRuns::default(), of(9.0, &[]), 0),
    ] {
        let mut merged = saved.clone();
        merged.merge(other.clone());
        assert_eq!(merged.ticks(), stays, "{saved:?} {other:?}");
    }
}

#[test]
fn the_sizes_asked_for_are_the_sizes_had() {
    for (offers_wanted, volumes_wanted) in [(0, 0), (1, 1), (5, 3), (333, 10), (5_000, 200)] {
        let config = MarketConfig {
            offers: offers_wanted,
            volumes: volumes_wanted,
            ..MarketConfig::default()
        };
        let mut market = Market::new(config).unwrap();
        assert_eq!(market.offer_count(), offers_wanted);
        assert_eq!(market.volumes(1.0).count(), volumes_wanted);
        market.step(600.0);
    }
}

#[test]
fn network_speeds_are_those_of_a_market_in_megabits() {
    let market = market();
    let volumes: Vec<Value> = market
        .volumes(1.0)
        .map(|row| serde_json::to_value(row).unwrap())
        .collect();
    for rows in [offers(&market, Terms::default()), volumes] {
        for name in ["inet_down", "inet_up"] {
            let mut speeds: Vec<f64> = rows.iter().map(|row| number(row, name)).collect();
            speeds.sort_by(f64::total_cmp);
            let median = speeds[speeds.len() / 2];
            assert!((300.0..1000.0).contains(&median), "{name}: {median}");
            let best = speeds[speeds.len() - 1];
            assert!((2000.0..=10_000.0).contains(&best), "{name}: {best}");
        }
    }
    // The best lines of the whole market are 10 Gbit/s.
    let best = offers(&market, Terms::default())
        .iter()
        .map(|row| number(row, "inet_down"))
        .fold(0.0, f64::max);
    assert_close(best, 10_000.0);
}

#[test]
fn volumes_have_the_members_of_both_worlds_and_clusters_with_machines() {
    let market = market();
    let rows: Vec<Value> = market
        .volumes(100.0)
        .map(|row| serde_json::to_value(row).unwrap())
        .collect();
    assert_eq!(rows.len(), 60);
    let members = "ask_contract_id disk_space inet_up inet_down reliability2 verified geolocation \
        nw_disk_avg_bw nw_disk_max_bw nw_disk_min_bw start_date end_date storage_cost \
        storage_cost_total id reliability duration verification host_id cluster_id \
        storage_total_cost";
    let clusters: HashSet<u64> = offers(&market, Terms::default())
        .iter()
        .filter_map(|row| row["cluster_id"].as_u64())
        .collect();
    let mut shared = 0;
    for row in &rows {
        for member in members.split_whitespace() {
            assert!(row.get(member).is_some(), "{member}");
        }
        assert_close(
            number(row, "storage_cost_total"),
            number(row, "storage_cost") * 100.0 / 720.0,
        );
        assert_eq!(row["verified"], row["verification"] == "verified");
        assert!(number(row, "nw_disk_min_bw") <= number(row, "nw_disk_avg_bw"));
        assert!(number(row, "nw_disk_avg_bw") <= number(row, "nw_disk_max_bw"));
        shared += usize::from(clusters.contains(&row["cluster_id"].as_u64().unwrap()));
    }
    assert!(shared > 30, "{shared}");
}

#[test]
fn unlisting_takes_a_volume_away_once() {
    let mut market = market();
    let ids: Vec<u64> = market.volumes(1.0).map(|row| row.id).collect();
    let results: Vec<_> = ids.iter().map(|id| market.unlist(*id)).collect();
    assert!(results.contains(&Ok(())) && results.contains(&Err(UnlistError::Active)));
    let gone = ids.iter().zip(&results).find(|(_, result)| result.is_ok()).unwrap().0;
    assert_eq!(market.unlist(*gone), Err(UnlistError::Missing));
    assert!(market.volumes(1.0).all(|row| row.id != *gone));
    let local = |market: &Market, own: bool| {
        market
            .offers(Terms::default())
            .filter(|row| (row.host_id == USER) == own)
            .find_map(|row| row.avail_vol_ask_id)
            .unwrap()
    };
    let foreign = local(&market, false);
    assert_eq!(market.unlist(foreign), Err(UnlistError::Missing));
    let local = local(&market, true);
    assert_eq!(market.unlist(local), Ok(()));
    assert!(
        market
            .offers(Terms::default())
            .all(|row| row.avail_vol_ask_id != Some(local))
    );
}

fn route(fleet: &mut Fleet, endpoint: &str, cost: f64, request_idx: u64) -> RouteReply {
    fleet
        .route(RouteRequest {
            endpoint,
            cost,
            request_idx,
            replay_timeout: None,
        })
        .unwrap()
}

#[test]
fn each_worker_counts_its_requests_one_by_one_and_ids_are_unique() {
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    let mut last: HashMap<String, u64> = HashMap::new();
    let mut ids = HashSet::new();
    for _ in 0..200 {
        let RouteReply {
            request_id, outcome, ..
        } = route(&mut fleet, "llama-70b", 100.0, 0);
        let RouteOutcome::Assigned { url, reqnum } = outcome else {
            panic!("llama-70b has ready workers");
        };
        if let Some(before) = last.insert(url, reqnum) {
            assert_eq!(reqnum, before + 1);
        }
        assert!(ids.insert(request_id));
    }
    assert!(last.len() >= 4, "{} workers", last.len());
}

#[test]
fn a_cold_endpoint_wakes_when_work_comes_and_sleeps_again() {
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    let cold = route(&mut fleet, "whisper-large", 0.0, 0);
    assert_eq!(cold.outcome, RouteOutcome::Waiting("3 stopped".to_owned()));
    fleet.step(60.0);
    assert_eq!(
        fleet.census("whisper-large"),
        Some([0, 0, 3]),
        "polling with cost 0 wakes nobody"
    );
    let waiting = route(&mut fleet, "whisper-large", 100.0, 0);
    assert!(matches!(waiting.outcome, RouteOutcome::Waiting(_)), "{waiting:?}");
    fleet.step(60.0);
    let ready = route(&mut fleet, "whisper-large", 100.0, waiting.request_idx);
    assert!(matches!(ready.outcome, RouteOutcome::Assigned { .. }), "{ready:?}");
    assert_eq!(ready.request_idx, waiting.request_idx);
    for _ in 0..100 {
        fleet.step(10.0);
    }
    assert_eq!(fleet.census("whisper-large"), Some([0, 0, 3]));
    assert!(
        fleet
            .route(RouteRequest {
                endpoint: "unknown",
                cost: 1.0,
                request_idx: 0,
                replay_timeout: None
            })
            .is_none()
    );
}

/// The only worker of an endpoint that has slept, and the request that woke it.
fn woken(fleet: &mut Fleet, replay_timeout: Option<f64>) -> (String, u64) {
    let first = route(fleet, "whisper-large", 100.0, 0);
    fleet.step(60.0);
    let request = RouteRequest {
        endpoint: "whisper-large",
        cost: 1e6,
        request_idx: first.request_idx,
        replay_timeout,
    };
    let reply = fleet.route(request).unwrap();
    let RouteOutcome::Assigned { url, .. } = reply.outcome else {
        panic!("{reply:?}");
    };
    (url, reply.request_idx)
}

#[test]
fn an_assignment_holds_its_load_until_its_worker_is_done_or_nobody_has_used_it() {
    let next = |fleet: &mut Fleet| {
        let reply = route(fleet, "whisper-large", 1.0, 0);
        matches!(reply.outcome, RouteOutcome::Assigned { .. })
    };
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    let (url, request_idx) = woken(&mut fleet, Some(20.0));
    assert!(!next(&mut fleet), "more than thirty seconds of work");
    // Unused, it would be released after 20 s; its worker has it.
    fleet.start_work("whisper-large", &url, request_idx, 1e6);
    fleet.step(21.0);
    assert!(!next(&mut fleet), "it is worked on");
    fleet.finish_work("whisper-large", request_idx);
    assert!(next(&mut fleet), "done");
    // The control: nobody calls the worker.
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    woken(&mut fleet, Some(20.0));
    fleet.step(19.0);
    assert!(!next(&mut fleet), "held");
    fleet.step(2.0);
    assert!(next(&mut fleet), "released");
}

#[test]
fn a_worker_does_not_sleep_over_its_work() {
    let ready_after_hours = |works: bool| {
        let mut fleet = Fleet::new(1, FROZEN_AT, 0);
        let (url, request_idx) = woken(&mut fleet, None);
        if works {
            fleet.start_work("whisper-large", &url, request_idx, 100.0);
        }
        for _ in 0..1000 {
            fleet.step(10.0);
        }
        fleet.census("whisper-large").unwrap()[0]
    };
    assert_eq!(ready_after_hours(false), 0);
    assert!(ready_after_hours(true) > 0);
}

#[test]
fn load_beyond_the_ready_workers_wakes_the_others() {
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    assert_eq!(fleet.census("sdxl"), Some([2, 0, 3]));
    for _ in 0..400 {
        route(&mut fleet, "sdxl", 100.0, 0);
        fleet.step(0.1);
    }
    assert!(fleet.census("sdxl").unwrap()[0] > 2, "{:?}", fleet.census("sdxl"));
}

#[test]
fn a_new_workergroup_starts_empty_and_hires_later() {
    let mut fleet = Fleet::new(1, FROZEN_AT, 0);
    let place = Place {
        endpoint_name: Some("fresh".to_owned()),
        ..Place::default()
    };
    let id = fleet.create(default_group(), place).unwrap();
    let group = fleet.workergroups().last().unwrap();
    assert_eq!(group["id"], id);
    assert_eq!(group["search_query"], "verified=true rentable=true rented=false");
    assert_eq!((&group["min_load"], &group["target_util"]), (&1.0.into(), &0.9.into()));
    assert_eq!((&group["test_workers"], &group["gpu_ram"]), (&3.into(), &24.into()));
    assert_eq!(group["created_at"], "2026-01-01T00:00:00Z");
    let waiting = RouteOutcome::Waiting("no workers".to_owned());
    assert_eq!(route(&mut fleet, "fresh", 100.0, 0).outcome, waiting);
    assert!(fleet.vacancies().is_empty());
    fleet.step(30.0);
    let vacancies = fleet.vacancies();
    assert_eq!((vacancies.len(), vacancies[0].group, vacancies[0].slots), (1, id, 3));
    fleet.staff(id, &["198.18.0.1 ".to_owned()]);
    assert!(fleet.vacancies().is_empty());
    fleet.step(30.0);
    let assigned = route(&mut fleet, "fresh", 100.0, 0).outcome;
    assert!(
        matches!(&assigned, RouteOutcome::Assigned { url, .. } if url.starts_with("https://198.18.0.1:")),
        "{assigned:?}"
    );
}

#[test]
fn signatures_are_those_of_the_published_key() {
    let signature = Signer::new().unwrap().sign("https://198.19.0.10:40123").unwrap();
    let der = pem_to_der(PUBLIC_KEY);
    // The modulus and exponent sit behind the fixed head of a 2048-bit key's SubjectPublicKeyInfo.
    let key = ring::signature::UnparsedPublicKey::new(&ring::signature::RSA_PKCS1_2048_8192_SHA256, &der[24..]);
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, signature).unwrap();
    let text = "{\n    \"url\": \"https://198.19.0.10:40123\"\n}";
    key.verify(text.as_bytes(), &bytes).unwrap();
    assert!(
        key.verify(b"{\n    \"url\": \"https://198.19.0.11:40123\"\n}", &bytes)
            .is_err()
    );
}

fn pem_to_der(pem: &str) -> Vec<u8> {
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    base64::Engine::decode(&base64::engine::general_purpose::STANDARD, body).unwrap()
}

#[test]
fn restarts_on_one_day_list_the_same_dates() {
    let dates = |hour: f64| -> Vec<[Value; 2]> {
        let start = FROZEN_AT + hour * 3_600.0;
        let market = Market::new(MarketConfig {
            start,
            ..MarketConfig::default()
        })
        .unwrap();
        let rows = offers(&market, Terms::default());
        rows.iter()
            .map(|row| [row["start_date"].clone(), row["end_date"].clone()])
            .collect()
    };
    let morning = dates(8.0);
    assert_eq!(morning, dates(17.5));
    assert_ne!(morning, dates(8.0 + 24.0));
    let created = |hour: f64| {
        let fleet = Fleet::new(1, FROZEN_AT + hour * 3_600.0, 1);
        let dates = fleet.workergroups().map(|group| group["created_at"].clone());
        dates.collect::<Vec<_>>()
    };
    assert_eq!(created(8.0), created(17.5));
}

#[test]
fn bids_above_the_price_stay_the_exception() {
    let mut market = small();
    let share = |market: &Market| {
        let rows = offers(market, Terms::default());
        let above = rows
            .iter()
            .filter(|row| number(row, "min_bid") > number(row, "dph_base") + 1e-9);
        (above.count(), rows.len())
    };
    for _ in 0..4 {
        market.step(6.0 * 3_600.0);
        let (above, all) = share(&market);
        // 11 % of recorded offers.
        assert!(above * 5 < all, "{above} of {all}");
    }
}

/// The offers by id: machine, GPUs, price, whether it can be rented and is rented.
fn listed(market: &Market) -> BTreeMap<u64, (u64, u64, u64, bool, bool)> {
    let rows = offers(market, Terms::default());
    let rows = rows.iter().map(|row| {
        let whole = |name: &str| row[name].as_u64().unwrap();
        let cents = (number(row, "dph_base") * 1e4).round() as u64;
        let flag = |name: &str| row[name].as_bool().unwrap();
        let look = (
            whole("machine_id"),
            whole("num_gpus"),
            cents,
            flag("rentable"),
            flag("rented"),
        );
        (whole("id"), look)
    });
    rows.collect()
}

#[test]
fn every_kind_of_change_is_seen_within_five_minutes() {
    let mut market = market();
    let before = listed(&market);
    let machines: BTreeSet<u64> = before.values().map(|it| it.0).collect();
    market.step(300.0);
    let after = listed(&market);
    let now: BTreeSet<u64> = after.values().map(|it| it.0).collect();
    let both = || before.iter().filter_map(|(id, old)| Some((old, after.get(id)?)));
    assert!(both().any(|(old, new)| old.2 != new.2), "a price");
    assert!(both().any(|(old, new)| old.3 && !new.3 && new.4), "a rental");
    assert!(both().any(|(old, new)| !old.3 && new.3), "a release");
    assert!(machines.difference(&now).next().is_some(), "a departure");
    assert!(now.difference(&machines).next().is_some(), "an arrival");
    let sizes = |all: &BTreeMap<u64, (u64, u64, u64, bool, bool)>, machine: u64| {
        let mut sizes: Vec<u64> = (all.values().filter(|it| it.0 == machine)).map(|it| it.1).collect();
        sizes.sort_unstable();
        sizes
    };
    let has_new_ids = |machine: &&u64| {
        before
            .iter()
            .any(|(id, it)| it.0 == **machine && !after.contains_key(id))
    };
    let relisted: Vec<u64> = (machines.intersection(&now).filter(has_new_ids)).copied().collect();
    let is_resplit = |machine: &u64| sizes(&before, *machine) != sizes(&after, *machine);
    assert!(relisted.iter().any(is_resplit), "a new split");
    assert!(!relisted.iter().all(is_resplit), "new ids alone");
}

#[test]
fn what_is_occupied_is_rented() {
    for (_, look) in listed(&market()) {
        let (.., rentable, rented) = look;
        assert!(rentable || rented);
    }
}
