//! The query language: text to conditions and back, and conditions to filter objects.

use bourse::domain::language::{
    self, Mode, Token, complete, default_query, highlight, parse, parse_operand, parse_order,
    print, print_order,
};
use bourse::domain::{
    Catalog, Condition, Dialect, Direction, Field, OFFERS, OfferType, Operand, Operator, Query,
    Resource, VOLUMES, Value, WORKERGROUPS,
};
use serde_json::{Value as Json, json};

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

/// What a query on offers sends in a dialect; every condition must be one that is sent.
fn sent(text: &str, dialect: &'static Dialect) -> Json {
    let parsed = parse(text, &OFFERS, dialect, &[], Mode::Strict)
        .unwrap_or_else(|error| panic!("{}", error.render(text)));
    let mut query = Query::empty(Resource::Offers);
    query.conditions = parsed.conditions;
    assert_eq!(query.local(dialect).count(), 0, "{text}");
    Json::Object(query.filters_json(dialect))
}

/// A query on offers, read and printed.
fn printed(text: &str) -> String {
    let parsed = parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict)
        .unwrap_or_else(|error| panic!("{}", error.render(text)));
    print(&parsed.conditions)
}

/// The part of a text that is refused, and the text with the suggestion, if there is one.
fn refused(text: &str, catalog: &'static Catalog, mode: Mode) -> (String, Option<String>) {
    let error = parse(text, catalog, &Dialect::VAST, &[], mode).expect_err(text);
    let mended = error.suggestion.map(|suggestion| suggestion.apply(text));
    (text[error.span].to_owned(), mended)
}

#[test]
fn units_lead_to_the_wire_unit_of_the_field() {
    for (text, wire) in [
        ("gpu_ram>=24", json!({"gpu_ram": {"gte": 24000}})),
        ("gpu_ram>=24GB", json!({"gpu_ram": {"gte": 24000}})),
        ("gpu_ram>=24g", json!({"gpu_ram": {"gte": 24000}})),
        ("gpu_ram=24564MB", json!({"gpu_ram": {"eq": 24564}})),
        ("gpu_ram>=+24", json!({"gpu_ram": {"gte": 24000}})),
        ("cpu_ram>=16.1gb", json!({"cpu_ram": {"gte": 16100}})),
        (
            "gpu_total_ram>=1TB",
            json!({"gpu_total_ram": {"gte": 1_000_000}}),
        ),
        (
            "vram in [24,48GB]",
            json!({"gpu_ram": {"in": [24000, 48000]}}),
        ),
        ("disk_space>=2tb", json!({"disk_space": {"gte": 2000}})),
        ("disk_space>=500MB", json!({"disk_space": {"gte": 0.5}})),
        ("duration>=3", json!({"duration": {"gte": 259_200}})),
        ("duration>=3d", json!({"duration": {"gte": 259_200}})),
        ("duration>=12h", json!({"duration": {"gte": 43200}})),
        ("duration>90s", json!({"duration": {"gt": 90}})),
        ("reliability>=98%", json!({"reliability": {"gte": 0.98}})),
        (
            "reliability>=99.95%",
            json!({"reliability": {"gte": 0.9995}}),
        ),
        ("dph<$0.5", json!({"dph_total": {"lt": 0.5}})),
        ("dph<0.5$/h", json!({"dph_total": {"lt": 0.5}})),
        ("price<$.5/h", json!({"dph_total": {"lt": 0.5}})),
        (
            "inet_down_cost<$2/TB",
            json!({"inet_down_cost": {"lt": 0.001_953_125}}),
        ),
        ("pcie_bw>=500MB/s", json!({"pcie_bw": {"gte": 0.5}})),
        ("cpu_ghz>=3500MHz", json!({"cpu_ghz": {"gte": 3.5}})),
        (
            "gpu_max_power<=0.45kW",
            json!({"gpu_max_power": {"lte": 450}}),
        ),
        ("id=53000001", json!({"id": {"eq": 53_000_001}})),
        ("dlperf>=1e2", json!({"dlperf": {"gte": 100}})),
    ] {
        assert_eq!(sent(text, &Dialect::VAST), wire, "{text}");
    }
}

#[test]
fn network_speeds_follow_the_unit_of_the_dialect() {
    for (text, vast, documented) in [
        ("inet_down>=1Gbps", json!(1000), json!(125)),
        ("inet_down>=500mbps", json!(500), json!(62.5)),
        ("inet_down>=500Mb/s", json!(500), json!(62.5)),
        ("inet_down>=100MB/s", json!(800), json!(100)),
        ("inet_down>=100MBps", json!(800), json!(100)),
        ("inet_down>=1GB/s", json!(8000), json!(1000)),
        ("inet_down>=500", json!(500), json!(500)),
    ] {
        let wire = |number: Json| json!({"inet_down": {"gte": number}});
        assert_eq!(sent(text, &Dialect::VAST), wire(vast), "{text}");
        assert_eq!(sent(text, &Dialect::DOCUMENTED), wire(documented), "{text}");
    }
}

#[test]
fn everything_the_contract_names_is_read() {
    for (text, wire) in [
        ("NUM_GPUS GTE 2 and_", json!(null)),
        ("Num_GPUs Gte 2", json!({"num_gpus": {"gte": 2}})),
        ("num_gpus==2", json!({"num_gpus": {"eq": 2}})),
        ("num_gpus noteq 2", json!({"num_gpus": {"neq": 2}})),
        ("num_gpus not eq 2", json!({"num_gpus": {"neq": 2}})),
        ("num_gpus nin [2]", json!({"num_gpus": {"notin": [2]}})),
        ("num_gpus in 1,2", json!({"num_gpus": {"in": [1, 2]}})),
        (
            "num_gpus in 1, 2 dph<1",
            json!({"num_gpus": {"in": [1, 2]}, "dph_total": {"lt": 1}}),
        ),
        ("num_gpus in [1,1,2]", json!({"num_gpus": {"in": [1, 2]}})),
        ("num_gpus=2..8", json!({"num_gpus": {"gte": 2, "lte": 8}})),
        (
            "gpu_ram=24..48GB",
            json!({"gpu_ram": {"gte": 24000, "lte": 48000}}),
        ),
        (
            "duration=12..24h",
            json!({"duration": {"gte": 43200, "lte": 86400}}),
        ),
        (
            "dph $0.2..$0.5",
            json!({"dph_total": {"gte": 0.2, "lte": 0.5}}),
        ),
        ("dph ..0.5", json!({"dph_total": {"lte": 0.5}})),
        ("cuda=12.4..", json!({"cuda_max_good": {"gte": 12.4}})),
        (
            "driver=535..560.28.3",
            json!({"driver_version": {"gte": 535_000_000, "lte": 560_028_003}}),
        ),
        (
            "verified=True rentable=on rented=No",
            json!({"verified": {"eq": true}, "rentable": {"eq": true}, "rented": {"eq": false}}),
        ),
        ("has_avx=true", json!({"has_avx": {"eq": true}})),
        ("has_avx=1", json!({"has_avx": {"eq": 1}})),
        ("mobo_name=null", json!({"mobo_name": {"eq": null}})),
        ("mobo_name!=None", json!({"mobo_name": {"neq": null}})),
        ("mobo_name=none", json!({"mobo_name": {"eq": "none"}})),
        ("mobo_name=\"null\"", json!({"mobo_name": {"eq": "null"}})),
        ("external=None", json!({"external": {"eq": null}})),
        ("mobo_name=\"A_B\"", json!({"mobo_name": {"eq": "A_B"}})),
        ("mobo_name=A_B", json!({"mobo_name": {"eq": "A B"}})),
        (
            "mobo_name=\"say \"\"hi\"\"\"",
            json!({"mobo_name": {"eq": "say \"hi\""}}),
        ),
        (
            "gpu_name=\"RTX_4090\"",
            json!({"gpu_name": {"eq": "RTX 4090"}}),
        ),
        (
            "gpu_name='h100 sxm'",
            json!({"gpu_name": {"eq": "h100 sxm"}}),
        ),
        (
            "gpu in [h100_sxm, rtx 4090, Q_1]",
            json!({"gpu_name": {"in": ["H100 SXM", "RTX 4090", "Q 1"]}}),
        ),
        ("os_version=22.04", json!({"os_version": {"eq": "22.04"}})),
        ("geolocation=EU", json!({"geolocation": {"eq": "EU"}})),
        ("country=se", json!({"geolocation": {"eq": "SE"}})),
        ("geolocation=\", US\"", json!({"geolocation": {"eq": "US"}})),
        ("geolocation in [Sweden,_SE]", json!(null)),
        (
            "geolocation in [\"Sweden, SE\",no]",
            json!({"geolocation": {"in": ["SE", "NO"]}}),
        ),
        (
            "geolocation in \"US,CA\"",
            json!({"geolocation": {"in": ["US", "CA"]}}),
        ),
        (
            "num_gpus>=4,dph<1",
            json!({"num_gpus": {"gte": 4}, "dph_total": {"lt": 1}}),
        ),
        (
            "gpu_name=A40, num_gpus=2,",
            json!({"gpu_name": {"eq": "A40"}, "num_gpus": {"eq": 2}}),
        ),
        (
            "geolocation in [US],dph lt 1",
            json!({"geolocation": {"in": ["US"]}, "dph_total": {"lt": 1}}),
        ),
        (
            "num_gpus>=2 gpus<8",
            json!({"num_gpus": {"gte": 2, "lt": 8}}),
        ),
        (
            "dph<1 price<0.5 dph_total<2",
            json!({"dph_total": {"lt": 0.5}}),
        ),
        ("num_gpus>2 num_gpus>4", json!({"num_gpus": {"gt": 4}})),
        (
            "num_gpus!=3 num_gpus!=5 num_gpus notin [5,7]",
            json!({"num_gpus": {"notin": [3, 5, 7]}}),
        ),
        (
            "num_gpus!=3 num_gpus notin [5]",
            json!({"num_gpus": {"neq": 3, "notin": [5]}}),
        ),
        (
            "mobo_name!=null mobo_name!=X",
            json!({"mobo_name": {"neq": null, "notin": ["X"]}}),
        ),
        (
            "num_gpus in [1,2,4] num_gpus in [4,2,8]",
            json!({"num_gpus": {"in": [2, 4]}}),
        ),
        ("num_gpus=2 num_gpus=2", json!({"num_gpus": {"eq": 2}})),
        ("dph<1 dph=any", json!({})),
        ("dph=* dph<1", json!({"dph_total": {"lt": 1}})),
        (
            "driver_version>=535086005",
            json!({"driver_version": {"gte": 535_086_005}}),
        ),
    ] {
        if wire.is_null() {
            assert!(
                parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict).is_err(),
                "{text}"
            );
        } else {
            assert_eq!(sent(text, &Dialect::VAST), wire, "{text}");
        }
    }
    let version = sent("driver_version>=570.181", &Dialect::DOCUMENTED);
    assert_eq!(version, json!({"driver_version": {"gte": "570.181"}}));
}

#[test]
fn a_list_of_a_country_group_holds_its_members_and_equality_does_not() {
    // The European Union has 27 members, Sweden among them and Norway not.
    for text in ["geolocation in EU", "geolocation in [EU]", "geo in eu,SE"] {
        let wire = sent(text, &Dialect::VAST);
        let codes = wire["geolocation"]["in"].as_array().unwrap();
        assert_eq!(codes.len(), 27, "{text}");
        assert!(codes.contains(&json!("SE")) && !codes.contains(&json!("NO")));
    }
    let wire = sent("geolocation notin [Europe,US]", &Dialect::VAST);
    let codes = wire["geolocation"]["notin"].as_array().unwrap();
    assert!(codes.contains(&json!("NO")) && codes.contains(&json!("US")));
    let (wrong, _) = refused("geolocation=Europe", &OFFERS, Mode::Strict);
    assert_eq!(wrong, "Europe");
}

#[test]
fn mistakes_are_shown_where_they_are_with_a_remedy() {
    for (text, wrong, mended) in [
        ("num_gpu>=4", "num_gpu", "num_gpus>=4"),
        ("gpu-name=A40", "gpu-name", "gpu_name=A40"),
        ("num_gpus => 4", "=>", "num_gpus >= 4"),
        ("num_gpus ≥ 4", "≥", "num_gpus >= 4"),
        ("num_gpus:4", ":", "num_gpus=4"),
        ("num_gpus 4", "num_gpus", "num_gpus=4"),
        ("num_gpus is 4", "is", "num_gpus = 4"),
        ("dph<1 verified", "verified", "dph<1 verified=true"),
        ("verified false", "verified", "verified=false"),
        ("gpu_name rtx_4090", "gpu_name", "gpu_name=rtx_4090"),
        ("num_gpus>4dph<1", "dph", "num_gpus>4 dph<1"),
        ("gpu_name=A40dph<1", "dph", "gpu_name=A40 dph<1"),
        ("gpu_ram>=24_000", "24_000", "gpu_ram>=24000"),
        ("host_id=1,000", "1,000", "host_id=1000"),
        ("gpu_name=RTX 4090 dph<1", "4090", "gpu_name=RTX_4090 dph<1"),
        ("gpu_ram>=24 GB", "GB", "gpu_ram>=24GB"),
        ("num_gpus=2 and dph<1", "and", "num_gpus=2 dph<1"),
        ("geolocation=US,CA", ",", "geolocation in [US,CA]"),
        ("geolocation=US, CA", ",", "geolocation in [US, CA]"),
        ("num_gpus!=1,3", ",", "num_gpus notin [1,3]"),
        ("num_gpus = [1,3]", "[1,3]", "num_gpus in [1,3]"),
        ("gpu_name in [A40,A100", "[", "gpu_name in [A40,A100]"),
        ("gpu_name=\"RTX 4090", "\"RTX 4090", "gpu_name=\"RTX 4090\""),
        ("gpu_name=\"A40\"dph<1", "\"", "gpu_name=\"A40\" dph<1"),
        ("num_gpus in [1]2", "]", "num_gpus in [1] 2"),
        (
            "id=1 dph<2 id=2 num_gpus=1 id=3",
            "id=2",
            "id in [1,2,3] dph<2 num_gpus=1",
        ),
        ("num_gpus=8..2", "8..2", "num_gpus=2..8"),
    ] {
        let expected = (wrong.to_owned(), Some(mended.to_owned()));
        assert_eq!(refused(text, &OFFERS, Mode::Strict), expected, "{text}");
    }
}

#[test]
fn what_means_nothing_is_refused() {
    for (text, wrong) in [
        ("frobnicate=4", "frobnicate"),
        ("gpu_ids=4", "gpu_ids"),
        ("gpu_name>A40", ">"),
        ("verified<=true", "<="),
        ("os_version>=22.04", ">="),
        ("gpu_name>=any", ">="),
        ("num_gpus>=any", "any"),
        ("num_gpus!=any", "any"),
        ("num_gpus>null", "null"),
        ("num_gpus in [1,null]", "null"),
        ("num_gpus>=", ""),
        ("num_gpus>= dph<1", ""),
        ("num_gpus in", ""),
        ("num_gpus in []", "[]"),
        ("num_gpus in [1] num_gpus in [2]", "num_gpus in [2]"),
        ("verified=true verified=false", "verified=false"),
        ("num_gpus>=inf", "inf"),
        ("num_gpus>=-Infinity", "-Infinity"),
        ("dph<1e999", "1e999"),
        ("id=1.5", "1.5"),
        ("id=9007199254740993000", "9007199254740993000"),
        ("gpu_ram>=24QB", "24QB"),
        ("num_gpus>=4GB", "4GB"),
        ("inet_down>=100mb/s", "100mb/s"),
        ("num_gpus=..", ".."),
        ("num_gpus>=2..8", "2..8"),
        ("driver_version>=535.x", "535.x"),
        ("driver_version>=1.2.3.4", "1.2.3.4"),
        ("dph<1 or dph>2", "or"),
        ("dph<1 cheap", "cheap"),
        ("\"RTX 4090\"", "\"RTX 4090\""),
        ("num_gpus=2 =4", "="),
        ("(num_gpus>=4)", "("),
    ] {
        assert_eq!(refused(text, &OFFERS, Mode::Strict).0, wrong, "{text}");
    }
    assert_eq!(
        refused("gpu_name=A40", &VOLUMES, Mode::Strict).0,
        "gpu_name"
    );
    assert_eq!(
        refused("api_key=x", &WORKERGROUPS, Mode::Strict).0,
        "api_key"
    );
}

#[test]
fn a_text_is_laid_over_the_visible_defaults() {
    let seed = language::default_conditions(&OFFERS, &Dialect::VAST);
    assert_eq!(print(&seed), "verified=true rentable=true rented=false");
    for (text, expected) in [
        ("", "verified=true rentable=true rented=false"),
        (
            "dph<1",
            "verified=true rentable=true rented=false dph_total<1",
        ),
        (
            "verified=False",
            "verified=false rentable=true rented=false",
        ),
        (
            "verified!=true",
            "verified!=true rentable=true rented=false",
        ),
        ("verified=any", "rentable=true rented=false"),
        ("rented=any dph<1 verified=?", "rentable=true dph_total<1"),
        (
            "rentable in [true,false]",
            "verified=true rentable in [true,false] rented=false",
        ),
        (
            "rentable=any rentable=false",
            "verified=true rentable=false rented=false",
        ),
    ] {
        let parsed = parse(text, &OFFERS, &Dialect::VAST, &seed, Mode::Strict).unwrap();
        assert_eq!(print(&parsed.conditions), expected, "{text}");
    }
    let parsed = parse("verified=any", &OFFERS, &Dialect::VAST, &seed, Mode::Strict).unwrap();
    let removed: Vec<_> = parsed.removed.iter().map(|field| field.key).collect();
    assert_eq!(removed, ["verified"]);

    let seed = parse(
        "disk_space>=1 disk_space<9",
        &VOLUMES,
        &Dialect::VAST,
        &[],
        Mode::Strict,
    );
    let seed = seed.unwrap().conditions;
    for (text, expected) in [
        ("disk_space>50", "disk_space>=1 disk_space<9 disk_space>50"),
        ("disk_space>=50", "disk_space>=50 disk_space<9"),
        ("disk=any", ""),
    ] {
        let parsed = parse(text, &VOLUMES, &Dialect::VAST, &seed, Mode::Strict).unwrap();
        assert_eq!(print(&parsed.conditions), expected, "{text}");
    }
}

#[test]
fn in_the_bar_bare_words_narrow_unless_they_look_like_conditions() {
    let words = |text| {
        parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Bar)
            .unwrap()
            .words
    };
    assert_eq!(words("4090 texas"), ["4090", "texas"]);
    assert_eq!(
        words("4090 dph<1 \"new york\" num_gpus=2"),
        ["4090", "new york"]
    );
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
    assert_eq!(lines[2], "there is no field 'num_gpu' in offers");
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
    assert!(
        drawn.starts_with("dph<1  num_gpus>=\n                 ^\n"),
        "{drawn}"
    );

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
        (
            "gpu_name in [\"RTX 4090\",A40]",
            "gpu_name in [RTX_4090,A40]",
        ),
        (
            "gpu_name!=A40 gpu_name!=A100_PCIE",
            "gpu_name notin [A40,A100_PCIE]",
        ),
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
    let read = |key: &str, operator, text| {
        parse_operand(OFFERS.by_key(key).unwrap(), operator, text, &Dialect::VAST)
    };
    let texts =
        |values: &[&str]| Operand::Many(values.iter().map(|value| self::text(value)).collect());
    let name = Operand::One(text("RTX 4090"));
    assert_eq!(read("gpu_name", Operator::Eq, " rtx 4090 ").unwrap(), name);
    assert_eq!(
        read("gpu_name", Operator::Eq, "\"RTX 4090\"").unwrap(),
        name
    );
    let two = texts(&["RTX 4090", "A40"]);
    assert_eq!(
        read("gpu_name", Operator::In, "rtx 4090, a40").unwrap(),
        two
    );
    assert_eq!(
        read("gpu_name", Operator::Nin, "[RTX_4090,\"A40\"]").unwrap(),
        two
    );
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
        assert_eq!(
            read(key, operator, text).unwrap_err().span,
            span,
            "{text:?}"
        );
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
        assert_eq!(
            print_order(&parse_order(text, &OFFERS).unwrap()),
            expected,
            "{text}"
        );
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
    assert_eq!(
        print(&query.conditions),
        "verified=true rentable=true rented=false"
    );
    assert_eq!(print_order(&query.order), "score-");
    assert_eq!(query.order[0].direction, Direction::Descending);
    assert_eq!((query.limit, query.storage), (Some(500), Some(8.0)));
    assert_eq!(
        (query.offer_type, query.unbundled),
        (OfferType::OnDemand, false)
    );
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
    let labels: Vec<_> = completion
        .candidates
        .iter()
        .map(|one| one.label.clone())
        .collect();
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
        (
            "gpu_name in [RTX_5090,rtx_5|",
            "gpu_name in [RTX_5090,RTX_5080",
        ),
        ("gpu_name in [|", "gpu_name in [RTX_5090"),
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
