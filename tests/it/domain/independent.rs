//! An evaluation of the whole frozen market that knows nothing of the program's catalogs: written
//! from the specification's tables over plain JSON, against which every answer is held. What
//! client and sandbox might get wrong in the same way shows here.

use std::cmp::Ordering;

use bourse::domain::time::UnixTime;
use bourse::sandbox::SandboxConfig;
use bourse::sandbox::market::MarketConfig;
use serde_json::{Value, json};

use crate::cases::cases;
use crate::support::{Server, frozen};

/// The moment at which the frozen market stands: 2026-01-01, midnight UTC.
const NOW: UnixTime = UnixTime::new(1_767_225_600.0);

/// What a filter compares.
#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Number,
    Flag,
    Text,
    Country,
    Version,
}
use Sort::{Country, Flag, Number, Text, Version};

/// The 34 filter parameters of the offer search, in the order of the specification's table.
const OFFER_FILTERS: [(&str, Sort); 34] = [
    ("verified", Flag),
    ("rentable", Flag),
    ("rented", Flag),
    ("gpu_name", Text),
    ("reliability", Number),
    ("num_gpus", Number),
    ("gpu_ram", Number),
    ("duration", Number),
    ("host_id", Number),
    ("dlperf_per_dphtotal", Number),
    ("geolocation", Country),
    ("gpu_arch", Text),
    ("dlperf", Number),
    ("cuda_max_good", Number),
    ("inet_down", Number),
    ("inet_up", Number),
    ("driver_version", Version),
    ("compute_cap", Number),
    ("cpu_arch", Text),
    ("cpu_ghz", Number),
    ("cpu_ram", Number),
    ("disk_bw", Number),
    ("bw_nvlink", Number),
    ("gpu_max_power", Number),
    ("gpu_max_temp", Number),
    ("gpu_mem_bw", Number),
    ("gpu_total_ram", Number),
    ("gpu_frac", Number),
    ("direct_port_count", Number),
    ("pci_gen", Number),
    ("storage_cost", Number),
    ("static_ip", Flag),
    ("total_flops", Number),
    ("os_version", Text),
];

/// The eight of the network volume search.
const VOLUME_FILTERS: [(&str, Sort); 8] = [
    ("verified", Flag),
    ("reliability2", Number),
    ("inet_down", Number),
    ("inet_up", Number),
    ("geolocation", Country),
    ("disk_bw", Number),
    ("duration", Number),
    ("storage_cost", Number),
];

/// What a filter reads from an offer: mostly the member of its name.
fn offer_cell(row: &Value, name: &str) -> Value {
    match name {
        "verified" => json!(row["verification"] == "verified"),
        "duration" => json!(row["end_date"].as_f64().unwrap() - NOW.seconds()),
        _ => row[name].clone(),
    }
}

/// The same for a network volume; `duration` in days, as the specification counts it there.
fn volume_cell(row: &Value, name: &str) -> Value {
    match name {
        "disk_bw" => row["nw_disk_avg_bw"].clone(),
        "duration" => json!((row["end_date"].as_f64().unwrap() - NOW.seconds()) / 86_400.0),
        _ => row[name].clone(),
    }
}

fn version(text: &str) -> [u64; 3] {
    let mut parts = text.split('.').map(|part| part.parse().unwrap());
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

/// How a cell that is not null stands to an operand.
fn stands(sort: Sort, cell: &Value, operand: &Value) -> Option<Ordering> {
    match sort {
        Number => {
            let operand = match operand {
                Value::String(text) => text.parse().unwrap(),
                other => other.as_f64()?,
            };
            cell.as_f64().unwrap().partial_cmp(&operand)
        }
        Flag => Some(cell.as_bool().unwrap().cmp(&operand.as_bool()?)),
        Text => Some(cell.as_str().unwrap().cmp(operand.as_str()?)),
        Country => {
            let country = cell.as_str().unwrap().rsplit(", ").next().unwrap();
            Some(country.cmp(operand.as_str()?))
        }
        Version => Some(version(cell.as_str().unwrap()).cmp(&version(operand.as_str()?))),
    }
}

/// Whether a cell satisfies `operator operand`. Null is equal to null; every other comparison
/// with it is false.
fn holds(sort: Sort, cell: &Value, operator: &str, operand: &Value) -> bool {
    match (operator, operand) {
        ("eq", Value::Null) => return cell.is_null(),
        ("neq", Value::Null) => return !cell.is_null(),
        _ if cell.is_null() => return false,
        _ => {}
    }
    let equal = |operand: &Value| stands(sort, cell, operand) == Some(Ordering::Equal);
    let order = |wanted: &[Ordering]| stands(sort, cell, operand).is_some_and(|order| wanted.contains(&order));
    match operator {
        "eq" => equal(operand),
        "neq" => !equal(operand),
        "gt" => order(&[Ordering::Greater]),
        "lt" => order(&[Ordering::Less]),
        "gte" => order(&[Ordering::Greater, Ordering::Equal]),
        "lte" => order(&[Ordering::Less, Ordering::Equal]),
        "in" => operand.as_array().unwrap().iter().any(equal),
        "nin" => !operand.as_array().unwrap().iter().any(equal),
        other => panic!("{other}"),
    }
}

fn operators(sort: Sort) -> &'static [&'static str] {
    match sort {
        Number | Version => &["eq", "neq", "gt", "lt", "gte", "lte", "in", "nin"],
        Flag | Text | Country => &["eq", "neq", "in", "nin"],
    }
}

/// Values of the market worth comparing with: a few that occur, spread over the range.
fn samples(sort: Sort, cells: &[Value]) -> Vec<Value> {
    if sort == Flag {
        return vec![json!(true), json!(false)];
    }
    let mut known: Vec<Value> = cells
        .iter()
        .filter(|cell| !cell.is_null())
        .map(|cell| match sort {
            Country => json!(cell.as_str().unwrap().rsplit(", ").next().unwrap()),
            _ => cell.clone(),
        })
        .collect();
    known.sort_by(|left, right| match sort {
        Number => left.as_f64().unwrap().total_cmp(&right.as_f64().unwrap()),
        Version => version(left.as_str().unwrap()).cmp(&version(right.as_str().unwrap())),
        _ => left.as_str().cmp(&right.as_str()),
    });
    known.dedup();
    let last = known.len() - 1;
    let mut picked: Vec<Value> = [0, last / 3, last * 2 / 3, last].map(|at| known[at].clone()).into();
    picked.dedup();
    picked
}

/// The operands to try with an operator.
fn operands(sort: Sort, operator: &str, cells: &[Value]) -> Vec<Value> {
    let samples = samples(sort, cells);
    if matches!(operator, "in" | "nin") {
        return vec![json!(samples), json!([samples[0]]), json!([])];
    }
    let mut operands = samples;
    if sort == Number {
        // A number as text is a number.
        let text = operands[operands.len() / 2].to_string();
        operands.push(json!(text));
    }
    if matches!(operator, "eq" | "neq") {
        operands.push(Value::Null);
    }
    operands
}

/// The ids of an answer, taken from its bytes: every row begins with its id.
fn ids(body: &[u8]) -> Vec<u64> {
    let text = std::str::from_utf8(body).unwrap();
    text.split("{\"id\":")
        .skip(1)
        .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
        .collect()
}

fn id(row: &Value) -> u64 {
    row["id"].as_u64().unwrap()
}

struct Market {
    server: Server,
    path: &'static str,
    rows: Vec<Value>,
}

impl Market {
    fn offers(offers: usize) -> Self {
        Self::new(offers, "/api/v0/bundles/", json!({"limit": 1_000_000}))
    }

    fn volumes() -> Self {
        Self::new(
            300,
            "/api/v0/network_volumes/search/",
            json!({"q": {"limit": 1_000_000}}),
        )
    }

    fn new(offers: usize, path: &'static str, everything: Value) -> Self {
        let server = Server::start(SandboxConfig {
            market: MarketConfig {
                offers,
                volumes: 120,
                ..MarketConfig::default()
            },
            ..frozen()
        });
        let mut rows = server.post(path, &everything).offers();
        rows.sort_by_key(id);
        Self { server, path, rows }
    }

    /// The offers under another type or allocation.
    fn repriced(&self, kind: &str, storage: Option<u32>) -> Vec<Value> {
        let mut rows = self.rows.clone();
        if let Some(gigabytes) = storage {
            rows.retain(|row| row["disk_space"].as_f64().unwrap() >= f64::from(gigabytes));
        }
        for row in &mut rows {
            reprice(row, kind, f64::from(storage.unwrap_or(8)));
        }
        rows
    }

    #[track_caller]
    fn check(&self, body: &Value, expected: &[u64]) {
        let answer = self.server.post(self.path, body);
        let text = String::from_utf8_lossy(&answer.body);
        assert_eq!(answer.status, 200, "{body}: {text:.200}");
        let found = ids(&answer.body);
        assert!(
            found == expected,
            "{body}: {} rows, {} expected; first difference {:?}",
            found.len(),
            expected.len(),
            found
                .iter()
                .zip(expected)
                .position(|(found, expected)| found != expected),
        );
    }
}

#[test]
fn every_filter_of_the_offer_search_selects_what_the_specification_says() {
    let market = Market::offers(160);
    assert_eq!(market.rows.len(), 160);
    let (mut checked, step) = (0, cases(5, 1));
    for (name, sort) in OFFER_FILTERS {
        let cells: Vec<Value> = market.rows.iter().map(|row| offer_cell(row, name)).collect();
        for operator in operators(sort) {
            for operand in operands(sort, operator, &cells) {
                checked += 1;
                if checked % step != 0 {
                    continue;
                }
                let hits = market.rows.iter().zip(&cells);
                let expected: Vec<u64> = hits
                    .filter(|(_, cell)| holds(sort, cell, operator, &operand))
                    .map(|(row, _)| id(row))
                    .collect();
                let body = json!({ name: { *operator: operand }, "limit": 1_000_000 });
                market.check(&body, &expected);
            }
        }
    }
    assert!(checked > 900, "{checked}");
}

#[test]
fn every_filter_of_the_volume_search_selects_what_the_specification_says() {
    let market = Market::volumes();
    assert_eq!(market.rows.len(), 120);
    for (name, sort) in VOLUME_FILTERS {
        let cells: Vec<Value> = market.rows.iter().map(|row| volume_cell(row, name)).collect();
        for operator in operators(sort) {
            let operands = if name == "duration" && !matches!(*operator, "in" | "nin") {
                vec![json!(3.5), json!(30), json!("71.5"), json!(400)]
            } else {
                operands(sort, operator, &cells)
            };
            for operand in operands {
                let hits = market.rows.iter().zip(&cells);
                let expected: Vec<u64> = hits
                    .filter(|(_, cell)| holds(sort, cell, operator, &operand))
                    .map(|(row, _)| id(row))
                    .collect();
                let body = json!({"q": { name: { *operator: operand }, "limit": 1_000_000 }});
                market.check(&body, &expected);
            }
        }
    }
}

/// Compares two cells for an order: numbers by size, texts byte by byte, false before true.
/// Nothing comes last, whichever way the order goes.
fn compare(name: &str, left: &Value, right: &Value, descending: bool) -> Ordering {
    let order = match (left, right) {
        (Value::Null, Value::Null) => return Ordering::Equal,
        (Value::Null, _) => return Ordering::Greater,
        (_, Value::Null) => return Ordering::Less,
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) if name == "driver_version" => {
            version(left).cmp(&version(right)).then_with(|| left.cmp(right))
        }
        (Value::String(left), Value::String(right)) => left.cmp(right),
        _ => left.as_f64().unwrap().total_cmp(&right.as_f64().unwrap()),
    };
    if descending { order.reverse() } else { order }
}

fn sorted(mut rows: Vec<&Value>, order: &[(&str, &str)], limit: usize) -> Vec<u64> {
    rows.sort_by(|left, right| {
        order
            .iter()
            .map(|(name, way)| compare(name, &offer_cell(left, name), &offer_cell(right, name), *way == "desc"))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
            .then_with(|| id(left).cmp(&id(right)))
    });
    rows.into_iter().take(limit).map(id).collect()
}

#[test]
fn orders_of_one_and_several_keys_sort_as_said() {
    let market = Market::offers(160);
    let orders: [&[(&str, &str)]; 14] = [
        &[("dph_total", "asc")],
        &[("score", "desc")],
        &[("num_gpus", "desc"), ("dph_total", "asc")],
        &[("gpu_name", "asc"), ("num_gpus", "desc"), ("reliability", "desc")],
        &[("geolocation", "desc")],
        &[("geolocation", "asc"), ("dph_total", "desc")],
        &[("start_date", "asc")],
        &[("start_date", "desc")],
        &[("mobo_name", "asc"), ("id", "desc")],
        &[("static_ip", "desc"), ("rentable", "asc"), ("duration", "asc")],
        &[("driver_version", "desc"), ("gpu_ram", "asc")],
        &[("discount_rate", "desc"), ("verification", "asc")],
        &[("min_bid", "asc"), ("os_version", "desc")],
        &[],
    ];
    for order in orders {
        for limit in [1, 17, 1_000] {
            let keys: Vec<Value> = order.iter().map(|(name, way)| json!([name, way])).collect();
            let expected = sorted(market.rows.iter().collect(), order, limit);
            market.check(&json!({"order": keys, "limit": limit}), &expected);
        }
    }
}

/// A small generator: the same combinations in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

#[test]
fn combinations_of_filters_orders_limits_types_and_storage_agree() {
    let (offers, rounds) = cases((600, 24), (2_400, 80));
    let market = Market::offers(offers);
    let dice = &mut Dice(2026);
    let order_keys = [
        "dph_total",
        "score",
        "num_gpus",
        "dlperf",
        "reliability",
        "geolocation",
        "gpu_ram",
    ];
    // Prices differ from search to search: each is held against a market of its own prices.
    let worlds = [
        ("on-demand", None),
        ("bid", None),
        ("reserved", Some(64)),
        ("on-demand", Some(500)),
    ]
    .map(|(kind, storage)| (kind, storage, market.repriced(kind, storage)));
    for round in 0..rounds {
        let (kind, storage, world) = &worlds[round % 4];
        let limit = [5, 64, 300][dice.roll(3)];
        let mut body = json!({"type": kind, "limit": limit});
        if let Some(gigabytes) = storage {
            body["allocated_storage"] = json!(gigabytes);
        }
        let mut rows: Vec<&Value> = world.iter().collect();
        for _ in 0..=dice.roll(3) {
            let (name, sort) = OFFER_FILTERS[dice.roll(OFFER_FILTERS.len())];
            // Ratios and scores of other prices are only nearly what the sandbox works out.
            if rows.is_empty() || body.get(name).is_some() || (name == "dlperf_per_dphtotal" && round % 4 != 0) {
                continue;
            }
            let cells: Vec<Value> = rows.iter().map(|row| offer_cell(row, name)).collect();
            if cells.iter().all(Value::is_null) {
                continue;
            }
            let operators = operators(sort);
            let operator = operators[dice.roll(operators.len())];
            let operands = operands(sort, operator, &cells);
            let operand = operands[dice.roll(operands.len())].clone();
            rows.retain(|row| holds(sort, &offer_cell(row, name), operator, &operand));
            body[name] = json!({ operator: operand });
        }
        let order: Vec<(&str, &str)> = (0..=dice.roll(2))
            .map(|_| (order_keys[dice.roll(order_keys.len())], ["asc", "desc"][dice.roll(2)]))
            .filter(|(name, _)| *name != "score" || round % 4 == 0)
            .collect();
        body["order"] = order.iter().map(|(name, way)| json!([name, way])).collect();
        market.check(&body, &sorted(rows, &order, limit));
    }
}

/// The price members of an offer under another type or allocation (market's own arithmetic).
fn reprice(row: &mut Value, kind: &str, storage: f64) {
    let base = if kind == "bid" {
        &row["min_bid"]
    } else {
        &row["dph_base"]
    };
    let base = base.as_f64().unwrap();
    let disk = row["storage_cost"].as_f64().unwrap() * storage / 720.0;
    row["dph_base"] = json!(base);
    row["storage_total_cost"] = json!(disk);
    row["dph_total"] = json!(base + disk);
    row["dlperf_per_dphtotal"] = json!(row["dlperf"].as_f64().unwrap() / (base + disk));
}

#[test]
fn the_prices_of_every_type_and_storage_follow_from_the_base_market() {
    let market = Market::offers(160);
    for (kind, storage) in [("on-demand", 1.0), ("bid", 8.0), ("bid", 40.0), ("reserved", 100.0)] {
        let body = json!({"type": kind, "allocated_storage": storage, "limit": 1_000_000});
        let answer = market.server.post(market.path, &body).offers();
        assert!(!answer.is_empty());
        for row in &answer {
            let mut expected = market.rows.iter().find(|base| id(base) == id(row)).unwrap().clone();
            reprice(&mut expected, kind, storage);
            for member in ["dph_base", "storage_total_cost", "dph_total", "dlperf_per_dphtotal"] {
                let (found, wanted) = (row[member].as_f64().unwrap(), expected[member].as_f64().unwrap());
                assert!((found - wanted).abs() <= 1e-9 * wanted.max(1.0), "{member} of {kind}");
            }
            assert_eq!(row["search"]["totalHour"], row["dph_total"]);
            assert_eq!(row["search"]["gpuCostPerHour"], row["dph_base"]);
            assert_eq!(row["instance"]["totalHour"], row["storage_total_cost"]);
            let adjusted = row["dph_total"].as_f64().unwrap() + row["inet_down_cost"].as_f64().unwrap() * storage / 4.0;
            assert!((row["dph_total_adj"].as_f64().unwrap() - adjusted).abs() < 1e-9);
        }
    }
}
