//! The query language: text to conditions and back, and conditions to filter objects.

use bourse::domain::language::{self, Mode, parse, print};
use bourse::domain::{
    Catalog, Condition, Dialect, OFFERS, Operand, Operator, Query, Resource, VOLUMES, Value, WORKERGROUPS,
};
use serde_json::{Value as Json, json};

/// A condition on an offer field with one operand.
pub fn one(key: &str, operator: Operator, value: Value) -> Condition {
    Condition::new(OFFERS.by_key(key).unwrap(), operator, Operand::One(value))
}

pub fn text(text: &str) -> Value {
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
    let expected =
        r#"{"num_gpus":{"gte":2,"lt":8},"reliability":{"gt":0.98},"verified":{"eq":true},"external":{"eq":null}}"#;
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
            "gpu_name": {"nin": ["RTX 4090", "RTX 3090"], "neq": "A40"},
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
    assert_eq!(filters(&query, &Dialect::VAST), json!({"duration": {"gte": 259_200}}));
    assert_eq!(filters(&query, &Dialect::DOCUMENTED), json!({"duration": {"gte": 3}}));
}

/// What a query on offers sends in a dialect; every condition must be one that is sent.
fn sent(text: &str, dialect: &'static Dialect) -> Json {
    let parsed =
        parse(text, &OFFERS, dialect, &[], Mode::Strict).unwrap_or_else(|error| panic!("{}", error.render(text)));
    let mut query = Query::empty(Resource::Offers);
    query.conditions = parsed.conditions;
    assert_eq!(query.applied_locally(dialect).count(), 0, "{text}");
    Json::Object(query.filters_json(dialect))
}

/// The part of a text that is refused, and the text with the suggestion, if there is one.
pub fn refused(text: &str, catalog: &'static Catalog, mode: Mode) -> (String, Option<String>) {
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
        ("gpu_total_ram>=1TB", json!({"gpu_total_ram": {"gte": 1_000_000}})),
        ("vram in [24,48GB]", json!({"gpu_ram": {"in": [24000, 48000]}})),
        ("disk_space>=2tb", json!({"disk_space": {"gte": 2000}})),
        ("disk_space>=500MB", json!({"disk_space": {"gte": 0.5}})),
        ("duration>=3", json!({"duration": {"gte": 259_200}})),
        ("duration>=3d", json!({"duration": {"gte": 259_200}})),
        ("duration>=12h", json!({"duration": {"gte": 43200}})),
        ("duration>90s", json!({"duration": {"gt": 90}})),
        ("reliability>=98%", json!({"reliability": {"gte": 0.98}})),
        ("reliability>=99.95%", json!({"reliability": {"gte": 0.9995}})),
        ("dph<$0.5", json!({"dph_total": {"lt": 0.5}})),
        ("dph<0.5$/h", json!({"dph_total": {"lt": 0.5}})),
        ("price<$.5/h", json!({"dph_total": {"lt": 0.5}})),
        ("inet_down_cost<$2/TB", json!({"inet_down_cost": {"lt": 0.001_953_125}})),
        ("pcie_bw>=500MB/s", json!({"pcie_bw": {"gte": 0.5}})),
        ("cpu_ghz>=3500MHz", json!({"cpu_ghz": {"gte": 3.5}})),
        ("gpu_max_power<=0.45kW", json!({"gpu_max_power": {"lte": 450}})),
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
        ("gpu_ram=24..48GB", json!({"gpu_ram": {"gte": 24000, "lte": 48000}})),
        ("duration=12..24h", json!({"duration": {"gte": 43200, "lte": 86400}})),
        ("dph $0.2..$0.5", json!({"dph_total": {"gte": 0.2, "lte": 0.5}})),
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
        ("gpu_name=\"RTX_4090\"", json!({"gpu_name": {"eq": "RTX 4090"}})),
        ("gpu_name='h100 sxm'", json!({"gpu_name": {"eq": "h100 sxm"}})),
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
        ("geolocation in \"US,CA\"", json!({"geolocation": {"in": ["US", "CA"]}})),
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
        ("num_gpus>=2 gpus<8", json!({"num_gpus": {"gte": 2, "lt": 8}})),
        ("dph<1 price<0.5 dph_total<2", json!({"dph_total": {"lt": 0.5}})),
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
fn a_country_group_stands_for_the_list_of_its_members() {
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
    // Behind = and != too, and by its beginning.
    for (text, same) in [
        ("geolocation=EUROPE", "geolocation in EUROPE"),
        ("geo=eur", "geolocation in EUROPE"),
        ("geo!=Europe", "geolocation notin EUROPE"),
        ("geo in [euro,US]", "geolocation in [EUROPE,US]"),
    ] {
        assert_eq!(sent(text, &Dialect::VAST), sent(same, &Dialect::VAST), "{text}");
    }
    // The market's client sends the two letters `EU` as a code.
    assert_eq!(
        sent("geolocation=EU", &Dialect::VAST),
        json!({"geolocation": {"eq": "EU"}})
    );
    let bar = parse("geo=eu", &OFFERS, &Dialect::VAST, &[], Mode::Bar).unwrap();
    assert_eq!(language::print_briefly(&bar.conditions), "geolocation in EU");
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
    assert_eq!(refused("gpu_name=A40", &VOLUMES, Mode::Strict).0, "gpu_name");
    assert_eq!(refused("api_key=x", &WORKERGROUPS, Mode::Strict).0, "api_key");
}

#[test]
fn a_text_is_laid_over_the_visible_defaults() {
    let seed = language::default_conditions(&OFFERS, &Dialect::VAST);
    assert_eq!(print(&seed), "verified=true rentable=true rented=false");
    for (text, expected) in [
        ("", "verified=true rentable=true rented=false"),
        ("dph<1", "verified=true rentable=true rented=false dph_total<1"),
        ("verified=False", "verified=false rentable=true rented=false"),
        ("verified!=true", "verified!=true rentable=true rented=false"),
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
fn a_group_of_countries_is_written_by_its_name_for_people_and_whole_for_the_market() {
    let read = |text: &str| {
        parse(text, &OFFERS, &Dialect::VAST, &[], Mode::Strict)
            .unwrap()
            .conditions
    };
    for text in ["geolocation in EU", "geolocation notin EUROPE"] {
        assert_eq!(language::print_briefly(&read(text)), text);
        let whole = print(&read(text));
        assert!(whole.contains("[AT,BE,BG,"), "{whole}");
        assert_eq!(read(&whole), read(text));
    }
    // Two countries are no group.
    let text = "geolocation in [SE,NO] gpu_ram>=24";
    assert_eq!(language::print_briefly(&read(text)), text);
}

#[test]
fn an_unknown_name_leads_to_the_names_that_were_meant() {
    let seen = ["RTX 4090".to_owned(), "GTX 1080 Ti".to_owned()];
    for (typed, meant) in [
        // A word of the name: an RTX 4090D is another model.
        ("gpu_name=4090", Some("gpu_name=RTX_4090")),
        ("gpu_name=1080", Some("gpu_name=GTX_1080_Ti")),
        ("gpu_name=H100", Some("gpu_name in [H100_NVL,H100_SXM,H100_PCIE]")),
        ("gpu_name=\"h100 sxm\"", Some("gpu_name=H100_SXM")),
        ("gpu_name=5070ti", Some("gpu_name=RTX_5070_Ti")),
        ("gpu_name=RTX_4900", Some("gpu_name=RTX_4090")),
        ("gpu_name in [4090,A40]", Some("gpu_name in [RTX_4090,A40]")),
        // ProfileResolver names, other models and other operators are no mistakes.
        ("gpu_name=RTX_4090", None),
        ("gpu_name=\"GTX 1080 Ti\"", None),
        ("gpu_name=RTX_3080", None),
        ("gpu_name!=4090", None),
        ("num_gpus=3", None),
        ("geolocation=US", None),
    ] {
        let parsed = parse(typed, &OFFERS, &Dialect::VAST, &[], Mode::Strict).unwrap();
        let found = bourse::domain::language::did_you_mean(&parsed.conditions[0], &seen);
        assert_eq!(found.as_deref(), meant, "{typed}");
    }
}
