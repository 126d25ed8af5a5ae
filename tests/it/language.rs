//! The query language: text to conditions and back, and conditions to filter objects.

use bourse::domain::{
    Condition, Dialect, OFFERS, Operand, Operator, Query, Resource, VOLUMES, Value,
};
use serde_json::json;

/// A condition on an offer field with one operand.
fn one(key: &str, operator: Operator, value: Value) -> Condition {
    Condition::new(OFFERS.by_key(key).unwrap(), operator, Operand::One(value))
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn filter_objects_hold_numbers_as_numbers_and_two_bounds_in_one_object() {
    let mut query = Query::empty(Resource::Offers);
    query.conditions = vec![
        one("num_gpus", Operator::Gte, Value::Number(2.0)),
        one("reliability", Operator::Gt, Value::Number(0.98)),
        one("num_gpus", Operator::Lt, Value::Number(8.0)),
        one("verified", Operator::Eq, Value::Flag(true)),
        one("external", Operator::Eq, Value::Null),
        Condition {
            enabled: false,
            ..one("rented", Operator::Eq, Value::Flag(false))
        },
    ];
    let filters = serde_json::Value::Object(query.filters_json(&Dialect::VAST));
    let expected = r#"{"num_gpus":{"gte":2,"lt":8},"reliability":{"gt":0.98},"verified":{"eq":true},"external":{"eq":null}}"#;
    assert_eq!(filters.to_string(), expected);
    // `external` is not in the specification: it stays at home.
    let filters = query.filters_json(&Dialect::DOCUMENTED);
    assert!(!filters.contains_key("external"));
}

#[test]
fn two_conditions_of_one_operator_both_hold_in_one_filter_object() {
    let mut query = Query::empty(Resource::Offers);
    let list = |values: &[&str]| Operand::Many(values.iter().map(|value| text(value)).collect());
    let geo = OFFERS.by_key("geolocation").unwrap();
    query.conditions = vec![
        one("gpu_name", Operator::Neq, text("RTX 4090")),
        one("gpu_name", Operator::Neq, text("RTX 3090")),
        one("gpu_name", Operator::Neq, text("A40")),
        one("num_gpus", Operator::Eq, Value::Number(2.0)),
        one("num_gpus", Operator::Eq, Value::Number(4.0)),
        one("dph_total", Operator::Lt, Value::Number(2.0)),
        one("dph_total", Operator::Lt, Value::Number(0.5)),
        one("dph_total", Operator::Lt, Value::Number(1.0)),
        Condition::new(geo, Operator::In, list(&["US", "CA", "SE"])),
        Condition::new(geo, Operator::In, list(&["SE", "CA"])),
        Condition::new(geo, Operator::Nin, list(&["CN"])),
        Condition::new(geo, Operator::Nin, list(&["VN", "CN"])),
        one("mobo_name", Operator::Neq, text("X")),
        one("mobo_name", Operator::Neq, Value::Null),
    ];
    assert_eq!(
        serde_json::Value::Object(query.filters_json(&Dialect::SANDBOX)),
        json!({
            "gpu_name": {"neq": "RTX 4090", "nin": ["RTX 3090", "A40"]},
            "num_gpus": {"eq": 2, "in": [4]},
            "dph_total": {"lt": 0.5},
            "geolocation": {"in": ["CA", "SE"], "nin": ["CN", "VN"]},
            "mobo_name": {"neq": null, "nin": ["X"]},
        })
    );
}

#[test]
fn dialects_spell_not_in_versions_and_volume_durations_their_way() {
    let version = |text: &str| Value::Version(bourse::domain::Version::parse(text).unwrap());
    let mut query = Query::empty(Resource::Offers);
    query.conditions = vec![
        one("driver_version", Operator::Gte, version("535.86.05")),
        Condition::new(
            OFFERS.by_key("driver_version").unwrap(),
            Operator::Nin,
            Operand::Many(vec![version("570.181")]),
        ),
        one("duration", Operator::Gte, Value::Number(259_200.0)),
    ];
    let filters = |query: &Query, dialect| serde_json::Value::Object(query.filters_json(dialect));
    assert_eq!(
        filters(&query, &Dialect::VAST),
        json!({"driver_version": {"gte": 535_086_005, "notin": [570_181_000]}, "duration": {"gte": 259_200}})
    );
    assert_eq!(
        filters(&query, &Dialect::DOCUMENTED),
        json!({"driver_version": {"gte": "535.86.05", "nin": ["570.181"]}, "duration": {"gte": 259_200}})
    );
    let mut query = Query::empty(Resource::Volumes);
    query.conditions = vec![Condition::new(
        VOLUMES.by_key("duration").unwrap(),
        Operator::Gte,
        Operand::One(Value::Number(259_200.0)),
    )];
    assert_eq!(
        filters(&query, &Dialect::VAST),
        json!({"duration": {"gte": 259_200}})
    );
    assert_eq!(
        filters(&query, &Dialect::DOCUMENTED),
        json!({"duration": {"gte": 3}})
    );
}
