//! The query language.

use bourse::domain::language::{Mode, complete, highlight, parse, parse_order, print, print_order};
use bourse::domain::{Dialect, OFFERS, VOLUMES, WORKERGROUPS};

use crate::hostile::forbidden;

const TOKENS: &[&str] = &[
    "num_gpus",
    "gpu_name",
    "dph",
    "geolocation",
    "driver_version",
    "gpu_ram",
    " in ",
    " not in ",
    ">=",
    "!=",
    "..",
    "24GB",
    "$0.5",
    "EU",
    "RTX_4090",
    "any",
    "null",
    "-",
    "(",
    ")",
    "²",
    "570.1",
];

pub const TARGET: super::Target = super::Target {
    name: "query",
    tokens: TOKENS,
    judge: target,
};

fn target(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for catalog in [&OFFERS, &VOLUMES, &WORKERGROUPS] {
        for mode in [Mode::Strict, Mode::Bar] {
            match parse(&text, catalog, &Dialect::VAST, &[], mode) {
                Ok(parsed) => {
                    let printed = print(&parsed.conditions);
                    let again = parse(&printed, catalog, &Dialect::VAST, &[], mode).unwrap();
                    assert_eq!(again.conditions, parsed.conditions, "{printed}");
                }
                Err(error) => {
                    assert!(text.get(error.span.clone()).is_some());
                    let shown = error.render(&text);
                    assert_eq!(forbidden(&shown), None, "{shown:?}");
                    if let Some(suggestion) = &error.suggestion {
                        assert_ne!(suggestion.apply(&text), text);
                    }
                }
            }
        }
        match parse_order(&text, catalog) {
            Ok(order) => assert_eq!(parse_order(&print_order(&order), catalog).unwrap(), order),
            Err(error) => assert!(text.get(error.span).is_some()),
        }
        let mut end = 0;
        for (span, _) in highlight(&text, catalog) {
            assert!(span.start >= end && text.get(span.clone()).is_some());
            end = span.end;
        }
        for cursor in [0, text.len() / 2, text.len()] {
            let seen = |_: &_| vec!["a, b".to_owned()];
            let completion = complete(&text, cursor, catalog, &Dialect::VAST, &seen);
            assert!(text.get(completion.span).is_some());
        }
    }
}

#[test]
fn queries_are_read_back_or_name_their_mistake() {
    super::run(&TARGET);
}
