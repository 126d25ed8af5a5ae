//! Sorting and filtering of rows: the quick ways give what comparing cell by cell gives.

use bourse::domain::cost::Prices;
use bourse::domain::insight::{GroupOrder, Measures, OfferIndex, Offered, sort_groups, summarise};
use bourse::domain::listing::compare_cells;
use bourse::domain::time::UnixTime;
use bourse::domain::{
    Condition, Direction, Field, Listing, OFFERS, OfferType, Operand, Operator, OrderKey, Value, Version, export,
    language,
};
use bourse::table::row_filter::narrow;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::cases::cases;

fn listing(records: &[Json]) -> Listing {
    let body = json!({ "offers": records }).to_string();
    Listing::read(&OFFERS, body, UnixTime::new(0.0)).unwrap()
}

fn field(key: &str) -> &'static Field {
    OFFERS.by_key(key).unwrap()
}

/// The ids of all rows in an order.
fn sorted(listing: &Listing, order: &str) -> Vec<i64> {
    let order = language::parse_order(order, &OFFERS).unwrap();
    let mut rows: Vec<u32> = (0..listing.len() as u32).collect();
    listing.sort(&mut rows, &order);
    let id = |row: u32| listing.id(row as usize).unwrap().0;
    rows.into_iter().map(id).collect()
}

#[test]
fn rows_without_a_value_come_last_either_way_and_ties_go_by_id() {
    let listing = listing(&[
        json!({"id": 9, "dph_total": 0.5}),
        json!({"id": 8}),
        json!({"id": 7, "dph_total": -0.5}),
        json!({"id": 6, "dph_total": 0.5}),
        json!({"id": 5, "dph_total": null}),
        json!({"id": 4, "dph_total": "cheap"}),
    ]);
    assert_eq!(sorted(&listing, "dph_total"), [7, 6, 9, 4, 5, 8]);
    assert_eq!(sorted(&listing, "dph_total-"), [6, 9, 7, 4, 5, 8]);
}

#[test]
fn texts_versions_and_numbers_sort_as_what_they_are() {
    let listing = listing(&[
        json!({"id": 1, "gpu_name": "RTX 4090", "driver_version": "535.9", "num_gpus": 8}),
        json!({"id": 2, "gpu_name": "H100", "driver_version": "535.104.05", "num_gpus": 10}),
        json!({"id": 3, "gpu_name": "RTX 4090", "driver_version": "470.1", "num_gpus": 2}),
    ]);
    assert_eq!(sorted(&listing, "gpu_name,num_gpus"), [2, 3, 1]);
    assert_eq!(sorted(&listing, "gpu_name-,num_gpus-"), [1, 3, 2]);
    assert_eq!(sorted(&listing, "driver_version"), [3, 1, 2]);
}

#[test]
fn keys_that_do_not_fit_into_one_integer_still_decide_in_their_order() {
    let record = |id: i64, price: f64, speed: f64, down: f64| json!({"id": id, "dph_total": price, "dlperf": speed, "inet_down": down});
    let listing = listing(&[
        record(1, 1e-300, 1e300, 0.1),
        record(2, 1e-300, 1e300, 1e-9),
        record(3, 1e-300, -1e300, 1e9),
        record(4, 1e300, -1e300, -1e300),
        record(5, -1e300, 1e-300, 1e300),
    ]);
    assert_eq!(sorted(&listing, "dph_total,dlperf,inet_down"), [5, 3, 2, 1, 4]);
    assert_eq!(sorted(&listing, "dph_total,dlperf-,inet_down-"), [5, 1, 2, 3, 4]);
}

/// A member of a record: of the expected type mostly, else anything that services send.
fn member(usual: impl Strategy<Value = Json> + 'static) -> BoxedStrategy<Json> {
    prop_oneof![
        6 => usual,
        1 => Just(Json::Null),
        1 => prop_oneof![Just(json!(true)), Just(json!("12")), Just(json!({})), Just(json!(-0.0)), Just(json!("é"))],
    ]
    .boxed()
}

fn records() -> impl Strategy<Value = Vec<Json>> {
    let number = prop_oneof![
        (-3_i32..4).prop_map(|number| json!(number)),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| json!(number)),
    ];
    let id = prop_oneof![
        (0_i64..5).prop_map(|id| json!(id)),
        Just(json!("9223372036854775807")),
        Just(json!(9_007_199_254_740_993_i64)),
    ];
    let record = (
        member(number.clone()),
        member(number),
        member("[abAB]{0,2}".prop_map(Json::from)),
        member("[1-9]{1,3}(\\.[0-9]{1,2})?".prop_map(Json::from)),
        member(any::<bool>().prop_map(Json::from)),
        member(id),
        member(prop_oneof![Just(json!("Texas, US")), Just(json!(", CA"))]),
    );
    prop::collection::vec(record, 0..40).prop_map(|records| {
        let records = records.into_iter().enumerate();
        let record = |(id, (price, speed, name, driver, is_static, host, place))| {
            json!({
                "id": (id * 7919) % 10_007, "dph_total": price, "dlperf": speed, "gpu_name": name,
                "driver_version": driver, "static_ip": is_static, "host_id": host,
                "geolocation": place,
            })
        };
        records.map(record).collect()
    })
}

const KEYS: [&str; 7] = [
    "dph_total",
    "dlperf",
    "gpu_name",
    "driver_version",
    "static_ip",
    "host_id",
    "geolocation",
];

fn order() -> impl Strategy<Value = Vec<OrderKey>> {
    let key = (prop::sample::select(&KEYS[..]), any::<bool>()).prop_map(|(key, is_up)| OrderKey {
        field: field(key),
        direction: if is_up {
            Direction::Ascending
        } else {
            Direction::Descending
        },
    });
    prop::collection::vec(key, 1..4)
}

fn condition() -> impl Strategy<Value = Condition> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Flag),
        (-3_i32..4).prop_map(|number| Value::Number(f64::from(number))),
        "[abAB]{0,2}|US|CA".prop_map(Value::Text),
        Just(Value::Version(Version::parse("535.86").unwrap())),
    ];
    let operand = prop_oneof![
        value.clone().prop_map(Operand::One),
        prop::collection::vec(value, 0..3).prop_map(Operand::Many),
    ];
    let parts = (
        prop::sample::select(&KEYS[..]),
        prop::sample::select(&Operator::ALL[..]),
        operand,
    );
    parts.prop_map(|(key, operator, operand)| Condition::new(field(key), operator, operand))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64, 256)))]

    #[test]
    fn sorting_agrees_with_comparing_cells(records in records(), order in order()) {
        // Mixed kinds of ids compare in no fixed order.
        prop_assume!(order.iter().all(|key| key.field.key != "host_id") || order.len() == 1);
        let listing = listing(&records);
        let mut rows: Vec<u32> = (0..listing.len() as u32).rev().collect();
        listing.sort(&mut rows, &order);
        for pair in rows.windows(2) {
            let [left, right] = [pair[0] as usize, pair[1] as usize];
            let keys = order.iter().map(|key| {
                let cell = |row| listing.cell(row, key.field);
                compare_cells(key.field, cell(left), cell(right), key.direction)
            });
            let unequal = keys.into_iter().find(|order| order.is_ne());
            let by_id = listing.id(left).cmp(&listing.id(right));
            prop_assert!(unequal.unwrap_or(by_id).is_lt(), "{left} before {right}");
        }
        rows.sort_unstable();
        prop_assert_eq!(rows, (0..listing.len() as u32).collect::<Vec<_>>());
    }

    #[test]
    fn filtering_agrees_with_asking_every_condition_about_every_row(
        records in records(),
        conditions in prop::collection::vec(condition(), 0..4),
    ) {
        let listing = listing(&records);
        let accepts = |row: &u32| {
            let mut conditions = conditions.iter();
            conditions.all(|it| it.accepts(listing.cell(*row as usize, it.field)))
        };
        let expected: Vec<u32> = (0..listing.len() as u32).filter(accepts).collect();
        prop_assert_eq!(listing.matching(&conditions), expected);
    }
}

/// Slices of a few machines, in models and countries that do not always agree within a machine.
fn slices() -> impl Strategy<Value = Vec<Json>> {
    let machine = prop_oneof![
        6 => (0_i32..4).prop_map(|id| json!(id)),
        1 => Just(Json::Null),
        1 => Just(json!("99999999999999999999")),
    ];
    let gpu_ids = prop_oneof![
        Just(Json::Null),
        Just(json!("[0]")),
        Just(json!("[0, 1]")),
        Just(json!("[1, 2, 3]")),
    ];
    let model = prop_oneof![4 => Just("H100"), 1 => Just("A100")];
    let place = prop_oneof![
        Just(json!("Texas, US")),
        Just(json!("US")),
        Just(json!(7)),
        Just(json!(", IS"))
    ];
    let price = prop_oneof![3 => (0_i32..5).prop_map(|price| json!(price)), 1 => Just(Json::Null)];
    let record = (machine, gpu_ids, 0_i32..4, model, place, price);
    prop::collection::vec(record, 0..24).prop_map(|records| {
        let records = records.into_iter().enumerate();
        let record = |(id, (machine, gpu_ids, gpus, model, place, price))| {
            json!({
                "id": id, "machine_id": machine, "gpu_ids": gpu_ids, "num_gpus": gpus,
                "gpu_name": model, "geolocation": place, "dph_base": price, "dph_total": price,
                "datacenter": id % 3 == 0,
            })
        };
        records.map(record).collect()
    })
}

proptest! {
    #[test]
    fn the_market_panel_counts_as_the_market_summary_does(
        records in slices(),
        picked in prop::collection::vec(any::<bool>(), 24),
    ) {
        let listing = listing(&records);
        let fields = ["gpu_name", "geolocation", "datacenter"].map(field);
        let rows: Vec<u32> = (0..listing.len() as u32)
            .filter(|row| picked[*row as usize])
            .collect();
        let prices = Prices::new(&listing, OfferType::OnDemand);
        let measures = Measures::offers(&prices, None);
        let counted = OfferIndex::new(&listing, &fields)
            .count(&rows, |row| (measures.unit_price)(row as usize));
        for (field, counted) in fields.into_iter().zip(counted) {
            let mut groups = summarise(&listing, &rows, &[field], &measures);
            sort_groups(&mut groups, GroupOrder::Count);
            let expected = groups.into_iter().map(|group| Offered {
                key: group.key[0].clone(),
                rows: group.count(),
                amount: group.amount,
                lowest: group.unit_price.map(|price| price.lowest),
            });
            prop_assert_eq!(counted, expected.collect::<Vec<_>>(), "{}", field.key);
        }
    }
}

/// So many offers with five models and two places between them.
fn many(rows: usize) -> Listing {
    let models = ["RTX 4090", "RTX 5090", "H100 SXM", "A100 PCIE", "RTX 3090"];
    let record = |row: usize| {
        json!({
            "id": row, "gpu_name": models[row % 5], "num_gpus": row % 8, "dph_total": row,
            "geolocation": if row.is_multiple_of(2) { "Texas, US" } else { "Iceland, IS" },
        })
    };
    listing(&(0..rows).map(record).collect::<Vec<_>>())
}

#[test]
fn filtering_allocates_nothing_for_each_row() {
    let allocations = |rows: usize| {
        let listing = many(rows);
        let words = ["90".to_owned(), "us".to_owned()];
        let query = "num_gpus>=2 dph_total<1000000 gpu_name=RTX_4090";
        let dialect = &bourse::domain::Dialect::DOCUMENTED;
        let query = language::parse(query, &OFFERS, dialect, &[], language::Mode::Strict).unwrap();
        // Texts are read once, with the first word.
        narrow(&listing, vec![0], &words, &[]);
        let view: Vec<u32> = (0..rows as u32).collect();
        allocation_counter::measure(|| {
            narrow(&listing, view, &words, &[]);
            listing.matching(&query.conditions);
        })
        .count_total
    };
    assert_eq!(allocations(20_000), allocations(200));
}

#[test]
fn sorting_allocates_nothing_for_each_row() {
    let allocations = |rows: usize| {
        let listing = many(rows);
        let order = language::parse_order("gpu_name,dph_total-", &OFFERS).unwrap();
        let mut view: Vec<u32> = (0..rows as u32).collect();
        listing.sort(&mut view, &order);
        allocation_counter::measure(|| listing.sort(&mut view, &order)).count_total
    };
    assert_eq!(allocations(20_000), allocations(200));
}

#[test]
fn reading_and_printing_allocate_nothing_for_each_row() {
    let allocations = |rows: usize| {
        let record = |row: usize| {
            json!({
                "id": row, "gpu_name": "RTX 4090", "num_gpus": row % 8, "dph_total": row as f64 / 7.0,
                "unknown": {"a": [row]}, "geolocation": "Texas, US",
            })
        };
        let records: Vec<_> = (0..rows).map(record).collect();
        let body = json!({ "offers": records }).to_string();
        let fields = ["id", "gpu_name", "num_gpus", "dph_total", "geolocation"].map(field);
        let view: Vec<u32> = (0..rows as u32).collect();
        allocation_counter::measure(|| {
            let listing = Listing::read(&OFFERS, body, UnixTime::new(0.0)).unwrap();
            export::csv(&listing, &view, &fields);
        })
        .count_total
    };
    // Columns, ids and lines grow by doubling.
    let more = allocations(20_000) - allocations(200);
    assert!(more < 1_500, "{more}");
}

#[test]
fn numbers_are_printed_with_the_fewest_digits() {
    let numbers = [
        0.1,
        -0.0,
        5.0,
        -1e300,
        1e15,
        999_999_999_999_999.0,
        0.000_001,
        1.0 / 3.0,
    ];
    let printed = numbers.map(|number| {
        let body = format!(r#"{{"offers":[{{"id":1,"dph_total":{number:?}}}]}}"#);
        let listing = Listing::read(&OFFERS, body, UnixTime::new(0.0)).unwrap();
        let csv = export::csv(&listing, &[0], &[field("dph_total")]);
        csv.strip_prefix("dph_total\n").unwrap().trim_end().to_owned()
    });
    let wanted = [
        "0.1",
        "-0",
        "5",
        &format!("-1{}", "0".repeat(300)),
        "1000000000000000",
        "999999999999999",
        "0.000001",
        "0.3333333333333333",
    ];
    assert_eq!(printed, wanted);
}
