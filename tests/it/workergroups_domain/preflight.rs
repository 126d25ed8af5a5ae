//! What a search would recruit and cost.

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
    Listing::read(&OFFERS, OFFERS_JSON, 1_800_000_000.0).unwrap()
}

#[test]
fn a_preflight_counts_prices_and_places_by_hand() {
    let preflight = Preflight::of(
        &offers(),
        &conditions("verified=true"),
        Some(24.0),
        Some(3000),
    );
    // 6 is not verified, 5 cannot be rented: 1, 2, 3 and 4 remain.
    assert_eq!((preflight.recruitable, preflight.not_rentable), (4, 1));
    assert_eq!(preflight.coverage, Coverage::Whole);
    let prices = preflight.prices.unwrap();
    close(prices.lowest, 0.20);
    close(prices.median, 0.35);
    close(prices.highest, 0.60);
    let gpus: Vec<_> = preflight
        .gpus
        .iter()
        .map(|part| (part.label.compared(), part.offers))
        .collect();
    assert_eq!(gpus, [("RTX 4090", 3), ("RTX 3090", 1)]);
    let countries: Vec<_> = preflight
        .countries
        .iter()
        .map(|part| (part.label.compared(), part.offers))
        .collect();
    assert_eq!(countries, [("SE", 2), ("US", 2)]);
    assert_eq!(preflight.hosts, 2);
    let host = preflight.largest_host.unwrap();
    assert_eq!((host.host, host.offers), (7, 3));
    close(host.share, 0.75);
    // 24 GB are 24000 MB: a 24564 MB card has them, one of 23028 MB has not.
    let vram = preflight.vram.unwrap();
    assert_eq!((vram.enough, vram.too_small), (3, 1));
    close(vram.smallest.unwrap(), 23.028);
    let warnings = preflight.warnings.join("; ");
    for words in [
        "no rentable condition",
        "1 of 4 offers have less than 24 GB",
        "host 7 has 3 of 4 offers",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    assert!(!warnings.contains("no verified"), "{warnings}");
    assert_eq!(preflight.warnings.len(), 3);
}

#[test]
fn costs_are_bounded_by_the_dearest_offer() {
    let preflight = Preflight::of(&offers(), &conditions("verified=true"), None, Some(3000));
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

#[test]
fn a_preflight_owns_up_to_what_it_does_not_know() {
    let none = Preflight::of(&offers(), &conditions("num_gpus>=8"), Some(24.0), Some(6));
    assert_eq!(none.recruitable, 0);
    assert_eq!(none.prices, None);
    assert_eq!(none.cost(3), None);
    assert_eq!(none.largest_host, None);
    let warnings = none.warnings.join("; ");
    for words in [
        "no verified",
        "no rentable",
        "no offer",
        "dearest is not known",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    let odd = r#"{"offers":[{"id":1,"dph_total":"free"},{"id":2}]}"#;
    let odd = Listing::read(&OFFERS, odd, 0.0).unwrap();
    let odd = Preflight::of(
        &odd,
        &conditions("verified=true rentable=true"),
        Some(1.0),
        None,
    );
    assert_eq!(odd.recruitable, 2);
    assert_eq!(odd.gpus[0].label.compared(), "not said");
    assert!(odd.warnings.join("; ").contains("2 offers have no price"));
}

#[test]
fn the_preflight_s_query_asks_for_what_the_group_asks_cheapest_first() {
    let query = preflight_query(conditions("num_gpus>=2"));
    let filters = serde_json::Value::Object(query.filters_json(DIALECT)).to_string();
    assert_eq!(filters, r#"{"num_gpus":{"gte":2}}"#);
    assert_eq!(language::print_order(&query.order), "dph_total");
    assert_eq!(query.limit, Some(3000));
}

#[test]
fn worker_counts_have_documented_defaults() {
    let counts = |group: &NewWorkergroup, planned| {
        let WorkerCounts { min, typical, max } = WorkerCounts::of(group, planned);
        (min, typical, max)
    };
    let mut group = NewWorkergroup::default();
    assert_eq!(counts(&group, None), (3, 12, 20));
    assert_eq!(counts(&group, Some(7)), (3, 7, 20));
    assert_eq!(counts(&group, Some(70)), (3, 20, 20));
    group.max_workers = Some(2);
    assert_eq!(counts(&group, None), (2, 2, 2));
    group.cold_workers = Some(0);
    assert_eq!(counts(&group, None), (0, 1, 2));
}
