//! What a search would recruit and cost.

use bourse::domain::limits::Dollars;
use bourse::domain::time::UnixTime;

use super::*;

/// Six offers: four at host 7, one that cannot be rented, one with less memory.
const OFFERS_JSON: &str = r#"{"offers":[
  {"id":1,"gpu_name":"RTX 4090","gpu_ram":24564,"dph_total":0.40,"host_id":7,"geolocation":"Sweden, SE","verification":"verified","rentable":true,"num_gpus":1},
  {"id":2,"gpu_name":"RTX 4090","gpu_ram":24564,"dph_total":0.20,"host_id":7,"geolocation":"Sweden, SE","verification":"verified","rentable":true,"num_gpus":1},
  {"id":3,"gpu_name":"RTX 3090","gpu_ram":24576,"dph_total":0.30,"host_id":7,"geolocation":"Texas, US","verification":"verified","rentable":true,"num_gpus":1},
  {"id":4,"gpu_name":"RTX 4090","gpu_ram":23028,"dph_total":0.60,"host_id":8,"geolocation":", US","verification":"verified","rentable":true,"num_gpus":1},
  {"id":5,"gpu_name":"RTX 4090","gpu_ram":24564,"dph_total":0.10,"host_id":7,"geolocation":null,"verification":"verified","rentable":false,"num_gpus":1},
  {"id":6,"gpu_name":"RTX 4090","gpu_ram":24564,"dph_total":0.05,"host_id":9,"geolocation":"Norway, NO","verification":"unverified","rentable":true,"num_gpus":1}
]}"#;

fn offers() -> Listing {
    Listing::read(&OFFERS, OFFERS_JSON, UnixTime::new(1_800_000_000.0)).unwrap()
}

fn asked(text: &str, gpu_ram: Option<f64>) -> Recruitment {
    Recruitment {
        conditions: conditions(text),
        gpu_ram,
        disk: None,
    }
}

#[test]
fn a_preflight_counts_prices_and_places_by_hand() {
    let preflight = Preflight::new(&offers(), &asked("verified=true", Some(24.0)), Some(3000));
    // 6 is not verified, 5 cannot be rented: 1, 2, 3 and 4 remain, a machine each for all we know.
    let four = Amount { machines: 4, gpus: 4 };
    assert_eq!((preflight.recruitable, preflight.not_rentable), (four, 1));
    assert_eq!((preflight.offers, preflight.most_workers), (4, 4));
    assert_eq!(preflight.coverage, Coverage::Whole);
    let prices = preflight.prices.unwrap();
    close(prices.lowest, 0.20);
    close(prices.median, 0.35);
    close(prices.highest, 0.60);
    let gpus: Vec<_> = preflight
        .gpus
        .iter()
        .map(|part| (part.label.unescaped(), part.machines))
        .collect();
    assert_eq!(gpus, [("RTX 4090", 3), ("RTX 3090", 1)]);
    let countries: Vec<_> = preflight
        .countries
        .iter()
        .map(|part| (part.label.unescaped(), part.machines))
        .collect();
    assert_eq!(countries, [("SE", 2), ("US", 2)]);
    assert_eq!(preflight.hosts, 2);
    let host = preflight.largest_host.unwrap();
    assert_eq!((host.host, host.machines), (7, 3));
    close(host.share, 0.75);
    // 24 GB are 24000 MB: a 24564 MB card has them, one of 23028 MB has not.
    let vram = preflight.vram.unwrap();
    assert_eq!((vram.enough, vram.too_small), (3, 1));
    close(vram.smallest.unwrap(), 23.028);
    let warnings = preflight.warnings.join("; ");
    for words in [
        "no rentable condition",
        "1 of 4 machines has less than 24 GB",
        "host 7 has 3 of 4 machines",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    assert!(!warnings.contains("no verified"), "{warnings}");
    assert_eq!(preflight.warnings.len(), 3);
}

#[test]
fn costs_are_bounded_by_the_most_expensive_offer() {
    let preflight = Preflight::new(&offers(), &asked("verified=true", None), Some(3000));
    let two = preflight.cost(2).unwrap();
    close(two.least, 0.50); // 0.20 + 0.30
    close(two.typical, 0.70); // 2 x 0.35
    close(two.most, 1.20); // 2 x 0.60
    assert_eq!(two.without_offer, 0);
    let twenty = preflight.cost(20).unwrap();
    close(twenty.least, 1.50); // all four
    close(twenty.most, 12.0);
    assert_eq!(twenty.without_offer, 16);
    close(preflight.cost(0).unwrap().most, 0.0);
    assert_eq!(preflight.vram, None);
}

/// A machine of four GPUs in three slices that share GPU 0, and one of two GPUs in slices that can
/// be rented side by side.
const SLICES_JSON: &str = r#"{"offers":[
  {"id":1,"machine_id":5,"host_id":1,"num_gpus":1,"gpu_frac":0.25,"gpu_ids":[0],"dph_total":0.50,"gpu_ram":24564},
  {"id":2,"machine_id":5,"host_id":1,"num_gpus":2,"gpu_frac":0.5,"gpu_ids":[0,1],"dph_total":1.00,"gpu_ram":24564},
  {"id":3,"machine_id":5,"host_id":1,"num_gpus":4,"gpu_frac":1.0,"gpu_ids":[0,1,2,3],"dph_total":2.00,"gpu_ram":24564},
  {"id":4,"machine_id":6,"host_id":1,"num_gpus":1,"gpu_frac":0.5,"gpu_ids":[0],"dph_total":0.10,"gpu_ram":24564},
  {"id":5,"machine_id":6,"host_id":1,"num_gpus":1,"gpu_frac":0.5,"gpu_ids":[1],"dph_total":0.30,"gpu_ram":24564}
]}"#;

#[test]
fn slices_of_a_machine_are_one_supply() {
    let listing = Listing::read(&OFFERS, SLICES_JSON, UnixTime::new(0.0)).unwrap();
    let preflight = Preflight::new(&listing, &asked("num_gpus>=1", Some(24.0)), Some(3000));
    // Five offers, two machines: one with 4 GPUs, one with 2.
    let two = Amount { machines: 2, gpus: 6 };
    assert_eq!((preflight.recruitable, preflight.offers), (two, 5));
    assert_eq!(preflight.hosts, 1);
    assert_eq!(preflight.largest_host.unwrap().machines, 2);
    assert_eq!(preflight.vram.unwrap().enough, 2);
    // Offers 1, 4 and 5 run at once; 2 and 3 need GPU 0, which 1 has taken.
    assert_eq!(preflight.most_workers, 3);
    let prices = preflight.prices.unwrap();
    close(prices.lowest, 0.10);
    close(prices.median, 0.30);
    close(prices.highest, 2.00); // the market may recruit the largest slice
    let three = preflight.cost(3).unwrap();
    close(three.least, 0.90);
    close(three.typical, 0.90);
    let two = preflight.cost(2).unwrap();
    close(two.least, 0.40);
    close(two.typical, 0.60); // between 0.10 + 0.30 and 0.30 + 0.50
    let five = preflight.cost(5).unwrap();
    close(five.least, 0.90);
    close(five.typical, 1.50); // the two that find nothing count at the median
    close(five.most, 10.00);
    assert_eq!(five.without_offer, 2);
}

#[test]
fn a_disk_that_launch_arguments_set_is_in_the_price_and_must_fit() {
    let json = r#"{"offers":[
      {"id":1,"num_gpus":1,"dph_base":0.40,"dph_total":0.402,"storage_cost":0.18,"disk_space":500},
      {"id":2,"num_gpus":1,"dph_base":0.50,"dph_total":0.502,"storage_cost":0.36,"disk_space":2000},
      {"id":3,"num_gpus":1,"dph_base":0.10,"dph_total":0.102,"storage_cost":0.18,"disk_space":300}
    ]}"#;
    let listing = Listing::read(&OFFERS, json, UnixTime::new(0.0)).unwrap();
    let asked = Recruitment {
        disk: Some(400.0),
        ..asked("num_gpus>=1", None)
    };
    assert_eq!(asked.query().storage, Some(400.0));
    let preflight = Preflight::new(&listing, &asked, Some(3000));
    // The third cannot hold 400 GB. 0.40 + 0.18 x 400 / 720 = 0.50, 0.50 + 0.36 x 400 / 720 = 0.70.
    assert_eq!(preflight.recruitable.machines, 2);
    let prices = preflight.prices.unwrap();
    close(prices.lowest, 0.50);
    close(prices.highest, 0.70);
    close(preflight.cost(20).unwrap().most, 14.0);
}

#[test]
fn the_disk_of_launch_arguments_is_found_as_a_shell_would_find_it() {
    for (text, size) in [
        ("", None),
        ("--env A=1", None),
        ("--disk 200", Some(200.0)),
        ("--disk=200", Some(200.0)),
        ("-e B=2 --disk  '62.5'  --ssh", Some(62.5)),
        ("--disk \"80\"", Some(80.0)),
        ("--disk 10 --disk 20", Some(20.0)),
        // Inside one word it belongs to somebody else.
        ("--env '-e A=1 --disk 9'", None),
        (r#"--onstart-cmd "df \" --disk 9""#, None),
        ("--env it\\'s --disk 30", Some(30.0)),
        ("--diskette 7", None),
        ("--args serve --disk 9", None),
        ("--disk 5 -- --disk 9", Some(5.0)),
    ] {
        assert_eq!(parse_disk_gb(text), Ok(size), "{text}");
    }
    for (text, wrong) in [
        ("--disk", ""),
        ("--disk=", ""),
        ("--disk big", "big"),
        ("--disk -5", "-5"),
        ("--disk nan", "nan"),
        ("--disk 1e12", "1e12"),
    ] {
        assert_eq!(parse_disk_gb(text).unwrap_err().text, wrong, "{text}");
    }
}

#[test]
fn a_preflight_owns_up_to_what_it_does_not_know() {
    let none = Preflight::new(&offers(), &asked("num_gpus>=8", Some(24.0)), Some(6));
    assert_eq!(none.recruitable, Amount::default());
    assert_eq!(none.prices, None);
    assert_eq!(none.cost(3), None);
    assert_eq!(none.largest_host, None);
    let warnings = none.warnings.join("; ");
    for words in [
        "no verified",
        "no rentable",
        "no machine can be recruited",
        "the highest price is unknown",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    let odd = r#"{"offers":[{"id":1,"dph_total":"free"},{"id":2}]}"#;
    let odd = Listing::read(&OFFERS, odd, UnixTime::new(0.0)).unwrap();
    let odd = Preflight::new(&odd, &asked("verified=true rentable=true", Some(1.0)), None);
    assert_eq!(odd.recruitable.machines, 2);
    assert_eq!(odd.gpus[0].label.unescaped(), "not reported");
    assert!(odd.warnings.join("; ").contains("2 offers have no price"));
}

#[test]
fn the_preflight_s_query_asks_for_what_the_group_asks_cheapest_first() {
    let query = asked("num_gpus>=2", None).query();
    let filters = serde_json::Value::Object(query.filters_json(DIALECT)).to_string();
    assert_eq!(filters, r#"{"num_gpus":{"gte":2}}"#);
    assert_eq!(language::print_order(&query.order), "dph_total");
    assert_eq!((query.limit, query.storage), (Some(3000), None));
}

#[test]
fn worker_counts_have_documented_defaults() {
    let counts = |group: &NewWorkergroup| {
        let WorkerCounts { min, typical, max, .. } = WorkerCounts::new(group, &Dialect::DOCUMENTED);
        (min, typical, max)
    };
    let mut group = NewWorkergroup::default();
    assert_eq!(counts(&group), (3, 12, 20));
    group.max_workers = Some(2);
    assert_eq!(counts(&group), (2, 2, 2));
    group.cold_workers = Some(0);
    assert_eq!(counts(&group), (0, 1, 2));
}

#[test]
fn worst_cases_of_ten_groups_are_those_worked_out_by_hand() {
    // The most expensive offer that matches costs $0.60/h.
    let report = Preflight::new(&offers(), &asked("verified=true", None), Some(3000));
    for (max_workers, test_workers, cold_workers, workers, hourly) in [
        (None, None, None, 26, 15.60),                  // 20 + 3 + 3, the market's defaults
        (Some(6), None, None, 12, 7.20),                // 6 + 3 + 3
        (Some(6), Some(0), None, 9, 5.40),              // 6 + 0 + 3
        (Some(6), None, Some(0), 9, 5.40),              // 6 + 3 + 0
        (Some(6), Some(0), Some(0), 6, 3.60),           // 6
        (Some(1), None, None, 7, 4.20),                 // 1 + 3 + 3: defaults are not cut to the maximum
        (None, Some(1), Some(2), 23, 13.80),            // 20 + 1 + 2
        (Some(40), Some(10), Some(5), 55, 33.00),       // 40 + 10 + 5
        (None, Some(0), Some(0), 20, 12.00),            // 20
        (Some(1_000), Some(3), Some(3), 1_006, 603.60), // 1,000 + 3 + 3
    ] {
        let group = NewWorkergroup {
            max_workers,
            test_workers,
            cold_workers,
            ..NewWorkergroup::default()
        };
        let outlook = report.outlook(&group, &Dialect::DOCUMENTED);
        let worst = outlook.worst.unwrap();
        assert_eq!(worst.workers.worst(), workers, "{group:?}");
        close(worst.hourly(), hourly);
        assert_eq!(outlook.unknown, None);
    }
    // A market that scales by the endpoint ignores fewer test and cold workers of a group.
    let ignored = NewWorkergroup {
        max_workers: Some(6),
        test_workers: Some(0),
        cold_workers: Some(0),
        ..NewWorkergroup::default()
    };
    let worst = report.outlook(&ignored, &Dialect::VAST).worst.unwrap();
    close(worst.hourly(), 7.20); // 6 + 3 + 3
    let worst = report
        .outlook(&NewWorkergroup::default(), &Dialect::DOCUMENTED)
        .worst
        .unwrap();
    assert_eq!(worst.formula(), "26 workers (20 + 3 test + 3 cold) × $0.600 = $15.60/h");
}

#[test]
fn a_search_without_a_price_limit_is_named_with_the_cost_of_the_most_expensive_offer() {
    let group = NewWorkergroup::default();
    let outlook = |search: &str, limit| {
        Preflight::new(&offers(), &asked(search, None), limit).outlook(&group, &Dialect::DOCUMENTED)
    };
    let text = |search| outlook(search, Some(3000)).no_price_limit();
    assert_eq!(
        text("verified=true").as_deref(),
        Some("no price limit: could pay up to $15.60/h")
    );
    for limited in [
        "dph<=0.4",
        "dph_total<0.4",
        "dph_total in [0.2,0.4]",
        "dph_base<=0.4",
        "dph=0.2",
    ] {
        assert_eq!(text(limited), None, "{limited}");
    }
    for unlimited in ["dph>=0.1", "dph!=0.3", "min_bid<=0.4", "dlperf_per_dphtotal>=1"] {
        assert!(text(unlimited).is_some(), "{unlimited}");
    }
    // Six offers where six were allowed: more may exist.
    assert_eq!(
        outlook("verified=true", Some(6)).no_price_limit().as_deref(),
        Some("no price limit: could pay more than $15.60/h: only the cheapest offers were loaded")
    );
    assert_eq!(
        text("num_gpus>=8").as_deref(),
        Some("no price limit: could pay any price: no offer with a price matches its search now")
    );
}

fn dollars(amount: f64) -> Dollars {
    Dollars::new(amount).unwrap()
}

#[test]
fn a_worst_case_that_is_unknown_is_over_every_limit() {
    let group = NewWorkergroup::default();
    let outlook = |search: &str, limit| {
        Preflight::new(&offers(), &asked(search, None), limit).outlook(&group, &Dialect::DOCUMENTED)
    };
    let whole = outlook("verified=true", Some(3000));
    assert_eq!(whole.excess(dollars(15.6)), None);
    assert_eq!(
        whole.excess(dollars(15.59)).as_deref(),
        Some("the worst case is $15.60/h")
    );
    for (search, limit, reason) in [
        ("verified=true", 6, "only the cheapest offers were loaded"),
        ("num_gpus>=8", 3000, "no offer with a price matches its search now"),
    ] {
        let excess = outlook(search, Some(limit)).excess(dollars(1e9));
        assert_eq!(excess, Some(format!("the worst case is unknown: {reason}")));
    }
    let odd = r#"{"offers":[{"id":1,"dph_total":0.1},{"id":2}]}"#;
    let odd = Listing::read(&OFFERS, odd, UnixTime::new(0.0)).unwrap();
    let odd = Preflight::new(&odd, &asked("verified=true", None), Some(3000)).outlook(&group, &Dialect::DOCUMENTED);
    assert_eq!(
        odd.excess(dollars(1e9)).as_deref(),
        Some("the worst case is unknown: 1 matching offer has no price")
    );
    let failed = CostOutlook::unknown(UnknownCost::Failed("no response".to_owned()), &[]);
    assert_eq!(
        failed.excess(dollars(1e9)).as_deref(),
        Some("the worst case is unknown: its supply is unknown: no response")
    );
}
