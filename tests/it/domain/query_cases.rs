//! The query language against recorded results of the market's own client: what that client
//! documents is read alike, and where bourse knows better a table says so, case by case.

use std::collections::HashMap;

use bourse::domain::language::{Mode, parse, parse_order, print};
use bourse::domain::{Catalog, Condition, Dialect, OFFERS, Operand, Operator, Query, Resource, VOLUMES, Value};
use serde_json::{Value as Json, json};

/// Inputs that bourse reads in another way than the client: table, input, and what bourse does.
/// `{..}` is what it sends, `here: ..` what it compares itself, `refused: ..` the part that it
/// complains about.
const BETTER: &[(&str, &str, &str)] = &[
    // Quotes are closed, single ones too, and nothing is glued to values.
    ("offers", "gpu_name=\"", "refused: \""),
    (
        "offers",
        "gpu_name in ['RTX_4090','RTX_3090']",
        r#"{"gpu_name":{"in":["RTX 4090","RTX 3090"]}}"#,
    ),
    ("offers", "mobo_name=''", r#"{"mobo_name":{"eq":""}}"#),
    ("offers", "gpu_name=RTX\"4090", "refused: RTX\"4090"),
    ("offers", "gpu_name=RTX=4090", "refused: RTX=4090"),
    ("offers", "num_gpus>4dph<1", "refused: dph"),
    // Blanks, brackets and letter case.
    ("offers", "num_gpus in[1,2]", r#"{"num_gpus":{"in":[1,2]}}"#),
    ("offers", "num_gpus notin[1,2]", r#"{"num_gpus":{"notin":[1,2]}}"#),
    ("offers", "num_gpus not  in [1,2]", r#"{"num_gpus":{"notin":[1,2]}}"#),
    ("offers", "num_gpus Not In 4", r#"{"num_gpus":{"notin":[4]}}"#),
    ("offers", "num_gpus NOT IN 4", r#"{"num_gpus":{"notin":[4]}}"#),
    ("offers", "num_gpus\tin\t[1,2]", r#"{"num_gpus":{"in":[1,2]}}"#),
    (
        "offers",
        "num_gpus>=2\tdph<1",
        r#"{"num_gpus":{"gte":2},"dph_total":{"lt":1}}"#,
    ),
    ("offers", "num_gpus\n>=\n2", r#"{"num_gpus":{"gte":2}}"#),
    (
        "offers",
        "gpu_name in (RTX_4090,RTX_3090)",
        r#"{"gpu_name":{"in":["RTX 4090","RTX 3090"]}}"#,
    ),
    ("offers", "gpu_name in RTX_4090]", "refused: ]"),
    // A list needs an operator for lists.
    ("offers", "gpu_name=H100_SXM,H100_NVL", "refused: ,"),
    ("offers", "geolocation=[US,CA]", "refused: [US,CA]"),
    ("offers", "gpu_ram in [24,48]", r#"{"gpu_ram":{"in":[24000,48000]}}"#),
    // Truth values and the wildcard.
    ("offers", "verified=TRUE", r#"{"verified":{"eq":true}}"#),
    ("offers", "verified=FALSE", r#"{"verified":{"eq":false}}"#),
    ("offers", "verified=yes", r#"{"verified":{"eq":true}}"#),
    ("offers", "verified=no", r#"{"verified":{"eq":false}}"#),
    ("offers", "verified=on", r#"{"verified":{"eq":true}}"#),
    ("offers", "verified=t", "refused: t"),
    ("offers", "verified=0", "refused: 0"),
    ("offers", "verified=all", "refused: all"),
    ("offers", "verified=ANY", "{}"),
    ("offers", "verified=Any", "{}"),
    ("offers", "verified in any", "refused: any"),
    ("offers", "verified in [any]", "refused: any"),
    (
        "offers",
        "verified in [true,false]",
        r#"{"verified":{"in":[true,false]}}"#,
    ),
    (
        "offers",
        "verified in [true]",
        r#"{"verified":{"in":[true]},"external":{"eq":false},"rentable":{"eq":true}}"#,
    ),
    (
        "offers",
        "verified!=true",
        r#"{"verified":{"neq":true},"external":{"eq":false},"rentable":{"eq":true}}"#,
    ),
    // Nothing is lost within a text.
    ("offers", "num_gpus=2 num_gpus=4", "refused: num_gpus=4"),
    ("offers", "id=1 id=2 id=3", "refused: id=2"),
    (
        "offers",
        "gpu_name=RTX_4090 gpu_name=RTX_3090",
        "refused: gpu_name=RTX_3090",
    ),
    (
        "offers",
        "gpu_name!=RTX_4090 gpu_name!=RTX_3090",
        r#"{"gpu_name":{"notin":["RTX 4090","RTX 3090"]}}"#,
    ),
    // Numbers.
    ("offers", "gpu_ram>=nan", "refused: nan"),
    ("offers", "num_gpus>=--1", "refused: --1"),
    ("offers", "gpu_ram>=24GB", r#"{"gpu_ram":{"gte":24000}}"#),
    ("offers", "dph<$0.5", r#"{"dph_total":{"lt":0.5}}"#),
    ("offers", "gpu_ram=null", r#"{"gpu_ram":{"eq":null}}"#),
    // Driver versions of any length, quoted and in lists.
    ("offers", "driver_version>=0.0.0", r#"{"driver_version":{"gte":0}}"#),
    (
        "offers",
        "driver_version>=535",
        r#"{"driver_version":{"gte":535000000}}"#,
    ),
    (
        "offers",
        "driver_version>=570.181",
        r#"{"driver_version":{"gte":570181000}}"#,
    ),
    (
        "offers",
        "driver_version=\"535.86.05\"",
        r#"{"driver_version":{"eq":535086005}}"#,
    ),
    (
        "offers",
        "driver_version in [535.86.05]",
        r#"{"driver_version":{"in":[535086005]}}"#,
    ),
    (
        "offers",
        "driver_version in [535.86.05,550.54.14]",
        r#"{"driver_version":{"in":[535086005,550054014]}}"#,
    ),
    // Names as the market spells them, countries by code.
    ("offers", "gpu_name=rtx_4090", r#"{"gpu_name":{"eq":"RTX 4090"}}"#),
    ("offers", "gpu_name=RTX__4090", r#"{"gpu_name":{"eq":"RTX 4090"}}"#),
    ("offers", "gpu_name=_RTX_4090_", r#"{"gpu_name":{"eq":"RTX 4090"}}"#),
    ("offers", "geolocation=Taiwan,_TW", r#"{"geolocation":{"eq":"TW"}}"#),
    ("offers", "geolocation=USA", "refused: USA"),
    // Record members that the service does not filter on are compared here.
    ("offers", "cpu_name=5", "here: cpu_name=5"),
    ("offers", "driver_vers=5", "here: driver_vers=5"),
    ("offers", "expected_reliability=5", "here: expected_reliability=5"),
    // No field, no condition.
    ("offers", "order=5", "refused: order"),
    ("offers", "type=5", "refused: type"),
    ("offers", "limit=5", "refused: limit"),
    ("offers", "allocated_storage=5", "refused: allocated_storage"),
    ("offers", "chunked=5", "refused: chunked"),
    ("volumes", "dph<1", "refused: dph"),
    ("volumes", "cuda_vers>=12", "refused: cuda_vers"),
    ("volumes", "gpu_name=RTX_4090", "refused: gpu_name"),
];

/// Orders that bourse reads in another way: the keys, or `refused: ..`.
const BETTER_ORDERS: &[(&str, &str)] = &[
    ("- dph", r#"[["dph_total","desc"]]"#),
    ("dph -", r#"[["dph_total","desc"]]"#),
    ("DPH-", r#"[["dph_total","desc"]]"#),
    ("dph desc", r#"[["dph_total","desc"]]"#),
    ("dph_total desc,score asc", r#"[["dph_total","desc"],["score","asc"]]"#),
    ("score-,score-", r#"[["score","desc"]]"#),
    ("+dph-", "refused: +dph-"),
    ("dph-+", "refused: dph-+"),
    ("-dph+", "refused: -dph+"),
    ("-", "refused: -"),
    ("unknown_field-", "refused: unknown_field"),
    ("dph\u{200b}", "refused: dph\u{200b}"),
    ("dph_total,reliability-total", "refused: reliability-total"),
];

/// The conditions that a case starts from: the client's own defaults.
fn seed(case: &Json, catalog: &Catalog) -> Vec<Condition> {
    let one = |key, operator, value| Condition::new(catalog.by_key(key).unwrap(), operator, Operand::One(value));
    let flag = |key, flag| one(key, Operator::Eq, Value::Flag(flag));
    match (case["seed"].as_str().unwrap(), catalog.resource) {
        ("none", _) => vec![],
        ("cli", Resource::Offers) => {
            vec![flag("verified", true), flag("external", false), flag("rentable", true)]
        }
        ("cli", Resource::Volumes) => vec![
            flag("verified", true),
            flag("external", false),
            one("disk_space", Operator::Gte, Value::Number(1.0)),
        ],
        other => panic!("unknown seed {other:?}"),
    }
}

/// The text of a case; the client joins its arguments by blanks.
fn input(case: &Json) -> String {
    match &case["input"] {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(words) => {
            let words: Vec<_> = words.iter().map(|word| word.as_str().unwrap()).collect();
            words.join(" ")
        }
        other => panic!("unknown input {other}"),
    }
}

/// Whether two filters are the same; the client sends most numbers as text.
fn same(left: &Json, right: &Json) -> bool {
    let number = |value: &Json| match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.parse::<f64>().ok(),
        _ => None,
    };
    match (left, right) {
        (Json::Object(left), Json::Object(right)) => {
            let found = |(key, value): (&String, &Json)| right.get(key).is_some_and(|other| same(value, other));
            left.len() == right.len() && left.iter().all(found)
        }
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same(a, b))
        }
        _ => left == right || number(left).is_some_and(|value| Some(value) == number(right)),
    }
}

/// What bourse makes of a case, as the table above writes it.
fn outcome(text: &str, catalog: &'static Catalog, seed: &[Condition]) -> String {
    match parse(text, catalog, &Dialect::VAST, seed, Mode::Strict) {
        Err(error) => format!("refused: {}", &text[error.span]),
        Ok(parsed) => {
            assert!(parsed.words.is_empty());
            let mut query = Query::empty(catalog.resource);
            query.conditions = parsed.conditions;
            let local: Vec<_> = query.applied_locally(&Dialect::VAST).cloned().collect();
            if local.is_empty() {
                Json::Object(query.filters_json(&Dialect::VAST)).to_string()
            } else {
                format!("here: {}", print(&local))
            }
        }
    }
}

#[test]
fn queries_are_read_as_the_client_documents_them_or_better() {
    let mut better: HashMap<_, _> = BETTER
        .iter()
        .map(|(table, input, outcome)| (((*table).to_owned(), (*input).to_owned()), *outcome))
        .collect();
    assert_eq!(better.len(), BETTER.len());
    let mut documented = 0;
    for line in include_str!("../data/query-cases.jsonl").lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let text = input(&case);
        let table = case["table"].as_str().unwrap().to_owned();
        let catalog = if table == "offers" { &OFFERS } else { &VOLUMES };
        let got = outcome(&text, catalog, &seed(&case, catalog));
        let sent: Option<Json> = serde_json::from_str(&got).ok();
        let alike = match (&sent, case["ok"].as_bool().unwrap()) {
            (Some(sent), true) => same(sent, &case["json"]),
            (None, false) => got.starts_with("refused: "),
            _ => false,
        };
        if case["class"] == "documented" {
            documented += 1;
            assert!(alike, "{text:?}: {got}, the client has {case}");
        } else if let Some(expected) = better.remove(&(table, text.clone())) {
            assert!(!alike, "{text:?} is read as the client reads it");
            let expected_sent: Option<Json> = serde_json::from_str(expected).ok();
            assert!(
                got == expected || (sent.is_some() && sent == expected_sent),
                "{text:?}: {got}, expected {expected}"
            );
        } else {
            assert!(alike, "{text:?}: {got}, the client has {case}");
        }
    }
    assert!(documented > 150, "the corpus is there");
    assert!(better.is_empty(), "no case has {better:?}");
}

#[test]
fn orders_are_read_as_the_client_documents_them_or_better() {
    let mut better: HashMap<_, _> = BETTER_ORDERS.iter().copied().collect();
    for line in include_str!("../data/order-cases.jsonl").lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let text = input(&case);
        let got = match parse_order(&text, &OFFERS) {
            Err(error) => format!("refused: {}", &text[error.span]),
            Ok(keys) => keys
                .iter()
                .map(|key| json!([key.field.key, key.direction.wire()]))
                .collect::<Json>()
                .to_string(),
        };
        // Without an order the client has null; no key at all means the same.
        let theirs = match &case["json"] {
            Json::Null => "[]".to_owned(),
            keys => keys.to_string(),
        };
        match better.remove(&*text) {
            Some(expected) => {
                assert_ne!(case["class"], "documented", "{text:?}");
                assert_eq!(got, expected, "{text:?}");
            }
            None => assert_eq!(got, theirs, "{text:?}"),
        }
    }
    assert!(better.is_empty(), "no case has {better:?}");
}
