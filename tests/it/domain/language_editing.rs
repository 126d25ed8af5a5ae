//! The query language as it is typed: bare words, carets, printing, editors, completion, colours.

use bourse::domain::language::{
    self, Mode, Token, complete, default_query, highlight, parse, parse_operand, parse_order, print, print_order,
};
use bourse::domain::{Dialect, Direction, Field, OFFERS, OfferType, Operand, Operator, Resource, Value};

use super::language::{one, refused, text};

/// A query on offers, read and printed.
fn printed(text: &str) -> String {
    let parsed = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict)
        .unwrap_or_else(|error| panic!("{}", error.render(text)));
    print(&parsed.conditions)
}

#[test]
fn in_the_bar_bare_words_narrow_unless_they_look_like_conditions() {
    let words = |text| parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Bar).unwrap().words;
    assert_eq!(words("4090 texas"), ["4090", "texas"]);
    assert_eq!(words("4090 dph<1 \"new york\" num_gpus=2"), ["4090", "new york"]);
    assert_eq!(words("Texas, US"), ["Texas", "US"]);
    assert_eq!(words("\"gpu\""), ["gpu"]);
    assert_eq!(words("gpu_name=RTX_4090 da"), ["da"]);
    for (text, wrong) in [
        ("texas gpu_name", "gpu_name"),
        ("VRAM", "VRAM"),
        ("num_gpus four", "num_gpus"),
        ("num_gpus >=", ""),
        ("num_gpus=four", "four"),
        ("gpu_name=RTX 4090", "4090"),
        ("foo=bar", "foo"),
        ("dph<1, texas", ","),
    ] {
        assert_eq!(refused(text, &OFFERS, Mode::Bar).0, wrong, "{text}");
    }
}

#[test]
fn a_mistake_is_drawn_with_carets_in_terminal_columns() {
    let text = "gpu_name=グラフィック num_gpu>=4";
    let error = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict).unwrap_err();
    // Six wide letters of two columns each: the mistake begins in column 22.
    let drawn = error.render(text);
    let lines: Vec<_> = drawn.lines().collect();
    assert_eq!(lines[0], text);
    assert_eq!(lines[1], format!("{}^^^^^^^", " ".repeat(9 + 12 + 1)));
    assert_eq!(lines[2], "no field 'num_gpu' in offers");
    assert_eq!(lines[3], "try: gpu_name=グラフィック num_gpus>=4");
    assert_eq!(lines.len(), 4);

    let text = "gpu_name=ア num_gpus=幅";
    let error = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict).unwrap_err();
    assert_eq!(
        error.render(text).lines().nth(1).unwrap(),
        format!("{}^^", " ".repeat(21))
    );

    let text = "dph<1\n\tnum_gpus>=";
    let error = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict).unwrap_err();
    let drawn = error.render(text);
    assert!(drawn.starts_with("dph<1  num_gpus>=\n                 ^\n"), "{drawn}");

    let text = "\u{1b}[31m=4";
    let error = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict).unwrap_err();
    assert!(!error.render(text).contains('\u{1b}'));
    assert!(!error.message.contains('\u{1b}'));
}

#[test]
fn queries_are_printed_as_the_market_writes_them() {
    for (text, expected) in [
        ("vram >= 24GB", "gpu_ram>=24"),
        ("gpu_ram>=24564MB", "gpu_ram>=24.564"),
        ("gpu_ram<1MB", "gpu_ram<0.001"),
        ("duration>=3d", "duration>=3"),
        ("duration>=12h", "duration>=0.5"),
        ("duration>=1s", "duration>=1s"),
        ("reliability>=98%", "reliability>=0.98"),
        ("gpu=rtx_4090", "gpu_name=RTX_4090"),
        ("gpu_name in [\"RTX 4090\",A40]", "gpu_name in [RTX_4090,A40]"),
        ("gpu_name!=A40 gpu_name!=A100_PCIE", "gpu_name notin [A40,A100_PCIE]"),
        ("mobo_name=X570_AORUS", "mobo_name=\"X570 AORUS\""),
        ("mobo_name=\"\"", "mobo_name=\"\""),
        ("mobo_name=\"any\"", "mobo_name=\"any\""),
        ("mobo_name='12\" rack'", "mobo_name=\"12\"\" rack\""),
        ("driver>=570.181", "driver_version>=570.181"),
        ("dph 0.2..0.5", "dph_total>=0.2 dph_total<=0.5"),
        ("external=null", "external=null"),
        ("geolocation notin [se,NO]", "geolocation notin [SE,NO]"),
    ] {
        assert_eq!(printed(text), expected, "{text}");
        assert_eq!(printed(expected), expected, "{text}");
    }
    let mut off = one("num_gpus", Operator::Eq, Value::Number(2.0));
    off.enabled = false;
    assert_eq!(print(&[off.clone()]), "");
    assert_eq!(language::print_condition(&off), "num_gpus=2");
}

#[test]
fn the_value_editor_takes_blanks_and_lists_without_ceremony() {
    let read = |key: &str, operator, text| parse_operand(OFFERS.by_key(key).unwrap(), operator, text, &Dialect::VAST);
    let texts = |values: &[&str]| Operand::Many(values.iter().map(|value| self::text(value)).collect());
    let name = Operand::One(text("RTX 4090"));
    assert_eq!(read("gpu_name", Operator::Eq, " rtx 4090 ").unwrap(), name);
    assert_eq!(read("gpu_name", Operator::Eq, "\"RTX 4090\"").unwrap(), name);
    let two = texts(&["RTX 4090", "A40"]);
    assert_eq!(read("gpu_name", Operator::In, "rtx 4090, a40").unwrap(), two);
    assert_eq!(read("gpu_name", Operator::Nin, "[RTX_4090,\"A40\"]").unwrap(), two);
    assert_eq!(
        read("gpu_ram", Operator::Gte, "24 GB").unwrap(),
        Operand::One(Value::Number(24000.0))
    );
    assert_eq!(
        read("mobo_name", Operator::Eq, "a, b").unwrap(),
        Operand::One(text("a, b"))
    );
    for (key, operator, text, span) in [
        ("num_gpus", Operator::Gte, "  four ", 2..6),
        ("num_gpus", Operator::In, "1, x, 3", 3..4),
        ("num_gpus", Operator::In, " [1, x]", 5..6),
        ("num_gpus", Operator::In, "[1] 2", 3..5),
        ("gpu_name", Operator::Gt, "A40", 0..3),
        ("gpu_name", Operator::Eq, "", 0..0),
        ("gpu_name", Operator::Eq, "any", 0..3),
        ("gpu_name", Operator::Eq, "\"A40\" x", 4..5),
    ] {
        assert_eq!(read(key, operator, text).unwrap_err().span, span, "{text:?}");
    }
}

#[test]
fn orders_are_read_and_printed() {
    for (text, expected) in [
        ("dph_total,dlperf-", "dph_total,dlperf-"),
        ("-price, +score", "dph_total-,score"),
        ("DPH DESC, reliability asc", "dph_total-,reliability"),
        ("dph,price-,score", "dph_total,score"),
        ("", ""),
    ] {
        assert_eq!(print_order(&parse_order(text, &OFFERS).unwrap()), expected, "{text}");
    }
    for (text, span, mended) in [
        ("dph,scor-", 4..8, Some("dph,score-")),
        ("dph score-", 0..10, Some("dph,score-")),
        ("datacenter", 0..10, None),
        ("gpu_ids-", 0..7, None),
    ] {
        let error = parse_order(text, &OFFERS).unwrap_err();
        assert_eq!(error.span, span, "{text}");
        let suggested = error.suggestion.map(|suggestion| suggestion.apply(text));
        assert_eq!(suggested.as_deref(), mended, "{text}");
    }
}

#[test]
fn panes_start_from_visible_defaults() {
    let query = default_query(Resource::Offers, &Dialect::VAST);
    assert_eq!(print(&query.conditions), "verified=true rentable=true rented=false");
    assert_eq!(print_order(&query.order), "score-");
    assert_eq!(query.order[0].direction, Direction::Descending);
    assert_eq!((query.limit, query.storage), (Some(500), Some(8.0)));
    assert_eq!((query.offer_type, query.unbundled), (OfferType::OnDemand, false));
    let query = default_query(Resource::Volumes, &Dialect::DOCUMENTED);
    assert_eq!(print(&query.conditions), "verified=true");
    assert_eq!(query.storage, None);
    let query = default_query(Resource::Workergroups, &Dialect::DOCUMENTED);
    assert!(query.conditions.is_empty());
    assert_eq!(print_order(&query.order), "endpoint_name,id");
}

/// The text with the first candidate put in at the place of `|`, and the labels of all.
fn completed(marked: &str) -> (String, Vec<String>) {
    let cursor = marked.find('|').unwrap();
    let text = marked.replace('|', "");
    let seen = |field: &Field| match field.key {
        "gpu_name" => vec!["Weird GPU".to_owned()],
        "geolocation" => vec!["Sweden, SE".to_owned(), "Nowhere, XX".to_owned()],
        _ => vec![],
    };
    let completion = complete(&text, cursor, &OFFERS, &Dialect::VAST, &seen);
    let labels: Vec<_> = completion.candidates.iter().map(|one| one.label.clone()).collect();
    let mut done = text;
    if let Some(first) = completion.candidates.first() {
        done.replace_range(completion.span, &first.insert);
    }
    (done, labels)
}

#[test]
fn completion_offers_fields_then_operators_then_values() {
    for (marked, expected) in [
        ("num_g|", "num_gpus"),
        ("dph<1 NUM_G|", "dph<1 num_gpus"),
        ("dph<1,num_g| verified=true", "dph<1,num_gpus verified=true"),
        ("vra|", "gpu_ram"),
        ("num_gpus |", "num_gpus ="),
        ("num_gpus no|", "num_gpus notin ["),
        ("num_gpus|", "num_gpus="),
        ("verified=|", "verified=true"),
        ("verified=f|", "verified=false"),
        ("gpu_name=h200_|", "gpu_name=H200_NVL"),
        ("gpu_name=weird|", "gpu_name=Weird_GPU"),
        ("gpu_name=\"rtx 50|", "gpu_name=RTX_5090"),
        ("gpu_name in [RTX_5090,rtx_5|", "gpu_name in [RTX_5090,RTX_5080"),
        ("gpu_name in [|", "gpu_name in [Weird_GPU"),
        ("geolocation=x|", "geolocation=XX"),
        ("geolocation in [euro|", "geolocation in [EUROPE"),
        ("cpu_arch=arm|", "cpu_arch=arm64"),
    ] {
        assert_eq!(completed(marked).0, expected, "{marked}");
    }
    assert_eq!(completed("gpu_name |").1, ["=", "!=", "in", "notin"]);
    assert_eq!(completed("verified=|").1, ["true", "false", "any"]);
    assert!(completed("|").1.len() > 40);
    assert!(!completed("|").1.contains(&"gpu_ids".to_owned()));
    // A longer name stays on offer behind a name that is whole.
    let labels = completed("disk|").1;
    assert!(labels.contains(&">=".to_owned()) && labels.contains(&"disk_bw".to_owned()));
}

#[test]
fn parts_are_told_apart_for_colouring() {
    let text = "texas num_gpus>=2 gpu_name in [A40,\"B\"] dph<x foo=1 verified=";
    let parts: Vec<_> = highlight(text, &OFFERS)
        .into_iter()
        .map(|(span, token)| (&text[span], token))
        .collect();
    let expected = [
        ("texas", Token::Word),
        ("num_gpus", Token::Field),
        (">=", Token::Operator),
        ("2", Token::Value),
        ("gpu_name", Token::Field),
        ("in", Token::Operator),
        ("[A40,\"B\"]", Token::Value),
        ("dph", Token::Field),
        ("<", Token::Operator),
        ("x", Token::Error),
        ("foo", Token::Error),
        ("=", Token::Operator),
        ("1", Token::Value),
        ("verified", Token::Field),
        ("=", Token::Operator),
    ];
    assert_eq!(parts, expected);
}
