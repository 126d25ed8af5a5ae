//! Properties of the query language: what is printed is read back, and no text breaks it.

use bourse::domain::language::{
    Mode, complete, highlight, parse, parse_operand, parse_order, print, print_order, print_value,
};
use bourse::domain::{
    Catalog, Condition, Dialect, Direction, Field, Kind, OFFERS, Operand, Operator, OrderKey, VOLUMES, Value, Version,
    WORKERGROUPS,
};
use proptest::prelude::*;

use crate::cases::cases;

const CATALOGS: [&Catalog; 3] = [&OFFERS, &VOLUMES, &WORKERGROUPS];

fn filters(catalog: &Catalog) -> Vec<&'static Field> {
    let fields = catalog.fields().iter();
    fields.filter(|field| field.is_filter()).collect()
}

/// A value that a condition on `field` may hold, in a list or alone.
fn value(field: &'static Field) -> BoxedStrategy<Value> {
    let finite = prop_oneof![
        any::<f64>().prop_filter("finite", |number| number.is_finite()),
        (-1000_i32..100_000).prop_map(f64::from),
        (0_i32..100_000).prop_map(|number| f64::from(number) / 1000.0),
    ];
    let whole = (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(|number| Value::Number(number as f64));
    match field.kind {
        Kind::Flag => any::<bool>().prop_map(Value::Flag).boxed(),
        Kind::Id => whole.boxed(),
        Kind::Integer if field.key == "has_avx" => {
            prop_oneof![(0_i32..2).prop_map(|n| Value::Number(f64::from(n)))].boxed()
        }
        Kind::Integer => prop_oneof![whole, (0_i32..99).prop_map(|n| Value::Number(f64::from(n) / 2.0))].boxed(),
        Kind::Number | Kind::Epoch | Kind::Timestamp => finite.prop_map(Value::Number).boxed(),
        Kind::Version => prop_oneof![
            (1_u32..999, 0_u32..999, 0_u32..999)
                .prop_map(|(major, minor, patch)| format!("{major}.{minor}.{patch:02}")),
            (1_u32..999, 0_u32..999).prop_map(|(major, minor)| format!("{major}.{minor}")),
        ]
        .prop_map(|text| Value::Version(Version::parse(&text).unwrap()))
        .boxed(),
        Kind::Country => prop_oneof![
            "[A-Z]{2}",
            "[A-Za-z]{3,9}".prop_map(|text| text),
            Just("EUROPE".to_owned()),
        ]
        .prop_map(Value::Text)
        .boxed(),
        // A GPU name holds no underscore: it is a blank everywhere.
        Kind::Text => prop_oneof![
            any::<String>(),
            "[ -~]{0,12}",
            "(any|null|None|true|[*?]|in|not in|a,b|x=1|dph<1|\\[a\\]|rtx 4090|RTX 4090)",
        ]
        .prop_map(move |text| match field.key {
            "gpu_name" => Value::Text(text.replace('_', "-")),
            _ => Value::Text(text),
        })
        .boxed(),
        Kind::List | Kind::Secret => unreachable!("no filter"),
    }
}

fn condition(field: &'static Field) -> BoxedStrategy<Condition> {
    let operators: Vec<_> = field.operators.iter().collect();
    proptest::sample::select(operators)
        .prop_flat_map(move |operator| {
            let operand = match operator {
                Operator::In | Operator::Nin => proptest::collection::vec(value(field), 1..5)
                    .prop_map(|values| {
                        let mut distinct: Vec<Value> = Vec::new();
                        for value in values {
                            if !distinct.contains(&value) {
                                distinct.push(value);
                            }
                        }
                        Operand::Many(distinct)
                    })
                    .boxed(),
                Operator::Eq | Operator::Neq => prop_oneof![
                    9 => value(field),
                    1 => Just(Value::Null),
                ]
                .prop_map(Operand::One)
                .boxed(),
                _ => value(field).prop_map(Operand::One).boxed(),
            };
            operand.prop_map(move |operand| Condition::new(field, operator, operand))
        })
        .boxed()
}

/// A catalog and conditions of its fields, of which no two have field and operator in common.
fn conditions() -> impl Strategy<Value = (&'static Catalog, Vec<Condition>)> {
    (0..3_usize)
        .prop_flat_map(|index| {
            let catalog = CATALOGS[index];
            let one = proptest::sample::select(filters(catalog)).prop_flat_map(condition);
            (Just(catalog), proptest::collection::vec(one, 0..6))
        })
        .prop_map(|(catalog, conditions)| {
            let mut distinct: Vec<Condition> = Vec::new();
            for condition in conditions {
                let is_rival = |old: &Condition| old.field == condition.field && old.operator == condition.operator;
                if !distinct.iter().any(is_rival) {
                    distinct.push(condition);
                }
            }
            (catalog, distinct)
        })
}

/// Texts that look like queries, or like nothing.
fn texts() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("num_gpus"),
        Just("gpu_name"),
        Just("dph"),
        Just("geolocation"),
        Just("verified"),
        Just("driver_version"),
        Just("gpu_ram"),
        Just("foo"),
        Just(">="),
        Just("="),
        Just("!="),
        Just(" in "),
        Just(" not in "),
        Just(" "),
        Just(","),
        Just("["),
        Just("]"),
        Just("("),
        Just("\""),
        Just("'"),
        Just("24GB"),
        Just("2..8"),
        Just("RTX_4090"),
        Just("null"),
        Just("any"),
        Just("ü"),
        Just("字"),
        Just("-"),
        Just("$"),
        Just("\t"),
        Just(":"),
        Just("EU"),
    ];
    prop_oneof![
        any::<String>(),
        proptest::collection::vec(word, 0..12).prop_map(|words| words.concat()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_is_read_back((catalog, conditions) in conditions()) {
        let text = print(&conditions);
        for dialect in Dialect::ALL {
            for mode in [Mode::Strict, Mode::Bar] {
                let parsed = parse(&text, catalog, dialect, &[], mode)
                    .map_err(|error| TestCaseError::fail(error.render(&text)))?;
                prop_assert_eq!(&parsed.conditions, &conditions, "{}", text);
                prop_assert!(parsed.words.is_empty());
            }
        }
    }

    #[test]
    fn a_printed_value_is_read_back_by_the_value_editor((_, conditions) in conditions()) {
        for condition in conditions {
            let text = match &condition.operand {
                Operand::One(Value::Null) => continue,
                Operand::One(value) => print_value(condition.field, value),
                Operand::Many(values) => {
                    let values: Vec<_> = values.iter().map(|value| print_value(condition.field, value)).collect();
                    values.join(", ")
                }
            };
            let read = parse_operand(condition.field, condition.operator, &text, &Dialect::VAST)
                .map_err(|error| TestCaseError::fail(error.render(&text)))?;
            prop_assert_eq!(read, condition.operand, "{}", text);
        }
    }

    #[test]
    fn a_printed_order_is_read_back(picks in proptest::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..5)) {
        let sortable: Vec<_> = OFFERS.fields().iter().filter(|field| field.sortable).collect();
        let mut order: Vec<OrderKey> = Vec::new();
        for (index, descending) in picks {
            let field = *index.get(&sortable);
            let direction = if descending { Direction::Descending } else { Direction::Ascending };
            if order.iter().all(|key| key.field != field) {
                order.push(OrderKey { field, direction });
            }
        }
        prop_assert_eq!(parse_order(&print_order(&order), &OFFERS).unwrap(), order);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(24, 96), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_anything(text in texts(), other in any::<String>()) {
        for catalog in CATALOGS {
            for mode in [Mode::Strict, Mode::Bar] {
                let read = parse(&text, catalog, &Dialect::VAST, &[], mode);
                if let Ok(parsed) = &read {
                    let again = parse(&print(&parsed.conditions), catalog, &Dialect::VAST, &[], mode);
                    prop_assert_eq!(&again.unwrap().conditions, &parsed.conditions);
                }
                if let Err(error) = read {
                    prop_assert!(text.get(error.span.clone()).is_some());
                    error.render(&text);
                    error.render(&other);
                    if let Some(suggestion) = &error.suggestion {
                        prop_assert!(text.get(suggestion.span.clone()).is_some());
                        prop_assert_ne!(suggestion.apply(&text), text.clone());
                    }
                }
            }
            if let Err(error) = parse_order(&text, catalog) {
                prop_assert!(text.get(error.span.clone()).is_some());
            }
            let mut end = 0;
            for (span, _) in highlight(&text, catalog) {
                prop_assert!(span.start >= end && text.get(span.clone()).is_some());
                end = span.end;
            }
            for cursor in 0..=text.len() {
                let completion = complete(&text, cursor, catalog, &Dialect::VAST, &|_| vec!["a, b".to_owned()]);
                prop_assert!(text.get(completion.span).is_some());
            }
            for field in filters(catalog) {
                for operator in field.operators.iter() {
                    if let Err(error) = parse_operand(field, operator, &text, &Dialect::VAST) {
                        prop_assert!(text.get(error.span.clone()).is_some(), "{:?} {:?}", field.key, error);
                    }
                }
            }
        }
    }
}
