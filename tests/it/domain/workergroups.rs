//! Workergroups before anything is sent: the parameters, the draft, what a search would recruit and
//! cost, what changed, and which group may be ours.

mod drift;
mod preflight;

use bourse::domain::insight::{Amount, Coverage};
use bourse::domain::language::{self, Mode};
use bourse::domain::time::UnixTime;
use bourse::domain::workergroup::{
    Change, ChangeKind, CostOutlook, Draft, GroupSnapshot, Key, NewWorkergroup, PARAMETERS, Preflight, Recruitment,
    UnknownCost, WorkerCounts, candidates, changes_between, group_search, parse_disk_gb, search_query_text,
};
use bourse::domain::{Condition, Dialect, Listing, OFFERS, RowId, Untrusted, WORKERGROUPS};

const DIALECT: &Dialect = &Dialect::DOCUMENTED;

fn filled(texts: &[(Key, &str)]) -> Draft {
    let mut draft = Draft::default();
    for (key, text) in texts {
        draft.put(*key, *text);
    }
    draft
}

fn groups(records: &str) -> Listing {
    let body = format!(r#"{{"success":true,"results":[{records}]}}"#);
    Listing::read(&WORKERGROUPS, body, UnixTime::new(1_800_000_000.0)).unwrap()
}

fn conditions(text: &str) -> Vec<Condition> {
    language::parse(text, &OFFERS, DIALECT, &[], Mode::Strict)
        .unwrap()
        .conditions
}

#[track_caller]
fn close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} is not {right}");
}

// The table

#[test]
fn the_table_is_the_specification_s() {
    // Specification, "Create workergroup": names and defaults in its order.
    let documented = [
        ("endpoint_name", None),
        ("endpoint_id", None),
        ("template_hash", None),
        ("template_id", None),
        ("search_params", Some("verified=true rentable=true rented=false")),
        ("launch_args", None),
        ("min_load", Some("1")),
        ("target_util", Some("0.9")),
        ("cold_mult", Some("3")),
        ("cold_workers", Some("3")),
        ("max_workers", Some("20")),
        ("test_workers", Some("3")),
        ("gpu_ram", Some("24")),
    ];
    let ours: Vec<_> = PARAMETERS.iter().map(|row| (row.name, row.default)).collect();
    assert_eq!(ours, documented);
    for (key, row) in Key::all().zip(&PARAMETERS) {
        assert_eq!(key, row.key);
        assert_eq!(key.parameter(), row);
        assert_eq!(Key::named(row.name), Some(key));
        assert!(row.doc.ends_with('.'), "{}", row.name);
    }
    // ProfileResolver from the market's maintainers.
    let inert: Vec<_> = PARAMETERS
        .iter()
        .filter(|row| row.inert.is_some())
        .map(|row| row.name)
        .collect();
    assert_eq!(
        inert,
        ["min_load", "target_util", "cold_mult", "cold_workers", "test_workers"]
    );
}

// The draft

#[test]
fn only_what_is_set_is_sent() {
    let draft = filled(&[(Key::EndpointName, "chat"), (Key::TemplateHash, "abc")]);
    assert_eq!(
        draft.build(DIALECT).unwrap().body(),
        r#"{"endpoint_name":"chat","template_hash":"abc"}"#
    );
}

#[test]
fn everything_set_is_sent_as_documented() {
    let draft = filled(&[
        (Key::EndpointId, "17"),
        (Key::TemplateId, "4"),
        (Key::SearchParams, "gpu_ram>=48GB num_gpus>=2"),
        (Key::LaunchArgs, "--disk 64"),
        (Key::MinLoad, "2.5"),
        (Key::TargetUtil, "80%"),
        (Key::ColdMult, "2"),
        (Key::ColdWorkers, "1"),
        (Key::MaxWorkers, "8"),
        (Key::TestWorkers, "0"),
        (Key::GpuRam, "48"),
    ]);
    assert_eq!(
        draft.build(DIALECT).unwrap().body(),
        concat!(
            r#"{"endpoint_id":17,"template_id":4,"search_params":"gpu_ram>=48 num_gpus>=2","#,
            r#""launch_args":"--disk 64","min_load":2.5,"target_util":0.8,"cold_mult":2,"#,
            r#""cold_workers":1,"max_workers":8,"test_workers":0,"gpu_ram":48}"#
        )
    );
}

#[test]
fn all_defaults_are_sent_on_request_but_no_search_over_a_template() {
    let mut draft = filled(&[(Key::EndpointName, "chat"), (Key::MaxWorkers, "5")]);
    draft.send_defaults = true;
    assert_eq!(
        draft.build(DIALECT).unwrap().body(),
        concat!(
            r#"{"endpoint_name":"chat","search_params":"verified=true rentable=true rented=false","#,
            r#""min_load":1,"target_util":0.9,"cold_mult":3,"cold_workers":3,"max_workers":5,"#,
            r#""test_workers":3,"gpu_ram":24}"#
        )
    );
    draft.put(Key::TemplateHash, "abc");
    assert_eq!(draft.build(DIALECT).unwrap().search_params, None);
}

#[test]
fn a_search_is_sent_as_typed_unless_the_market_would_not_read_it() {
    for (typed, sent) in [
        ("verified=True  rentable=True ", "verified=True rentable=True"),
        ("gpu_name=RTX_4090 num_gpus>=2", "gpu_name=RTX_4090 num_gpus>=2"),
        ("gpu_ram>=24GB", "gpu_ram>=24"),
        ("vram>=24", "gpu_ram>=24"),
        ("duration>=3d", "duration>=3"),
        // The market compares names exactly.
        ("gpu_name=rtx_4090", "gpu_name=RTX_4090"),
    ] {
        let draft = filled(&[(Key::EndpointName, "e"), (Key::SearchParams, typed)]);
        let new = draft.build(DIALECT).unwrap();
        assert_eq!(new.search_params.as_deref(), Some(sent));
    }
}

#[test]
fn a_draft_says_what_is_wrong_with_it() {
    let with = |key, text: &'static str| vec![(Key::EndpointName, "chat"), (key, text)];
    // What is typed, the parameter objected to, and words of the objection.
    type Case = (Vec<(Key, &'static str)>, &'static str, &'static str);
    let cases: Vec<Case> = vec![
        (vec![], "endpoint_name", "enter the endpoint"),
        (vec![(Key::EndpointName, "  ")], "endpoint_name", "blank"),
        (with(Key::EndpointId, "3"), "endpoint_id", "not both"),
        (vec![(Key::EndpointId, "-3")], "endpoint_id", "above 0"),
        (vec![(Key::EndpointId, "x")], "endpoint_id", "whole number"),
        (
            vec![(Key::EndpointId, "3"), (Key::TemplateHash, "a"), (Key::TemplateId, "1")],
            "template_id",
            "not both",
        ),
        (with(Key::MinLoad, "-1"), "min_load", "0 or more"),
        (with(Key::MinLoad, "NaN"), "min_load", "number"),
        (with(Key::MinLoad, "inf"), "min_load", "number"),
        (with(Key::TargetUtil, "0"), "target_util", "above 0"),
        (with(Key::TargetUtil, "1.1"), "target_util", "at most 1"),
        (with(Key::TargetUtil, "110%"), "target_util", "at most 1"),
        (with(Key::ColdMult, "three"), "cold_mult", "number"),
        (with(Key::ColdWorkers, "2.5"), "cold_workers", "whole"),
        (with(Key::ColdWorkers, "21"), "cold_workers", "which is 20"),
        (with(Key::MaxWorkers, "0"), "max_workers", "at least 1"),
        (with(Key::MaxWorkers, "1e3"), "max_workers", "whole"),
        (with(Key::TestWorkers, "-1"), "test_workers", "whole"),
        (with(Key::GpuRam, "24000"), "gpu_ram", "24, not 24000"),
        (with(Key::LaunchArgs, "a\nb"), "launch_args", "one line"),
        (with(Key::SearchParams, "   "), "search_params", "has no conditions"),
        (
            with(Key::SearchParams, "verified=any"),
            "search_params",
            "has no conditions",
        ),
    ];
    for (texts, parameter, words) in cases {
        let objections = filled(&texts).build(DIALECT).unwrap_err();
        assert_eq!(objections.len(), 1, "{texts:?}: {objections:?}");
        assert_eq!(objections[0].parameter, parameter, "{texts:?}");
        let message = &objections[0].message;
        assert!(message.contains(words), "{texts:?}: {message}");
    }
}

#[test]
fn objections_come_together_in_the_order_of_the_form() {
    let draft = filled(&[
        (Key::GpuRam, "lots"),
        (Key::TargetUtil, "2"),
        (Key::SearchParams, "gpu_nam=X"),
    ]);
    let objections = draft.build(DIALECT).unwrap_err();
    let parameters: Vec<_> = objections.iter().map(|objection| objection.parameter).collect();
    assert_eq!(parameters, ["endpoint_name", "search_params", "target_util", "gpu_ram"]);
}

#[test]
fn a_mistake_in_the_search_is_pointed_at() {
    let draft = filled(&[(Key::EndpointName, "e"), (Key::SearchParams, "num_gpus>=2 gpu_nam=X")]);
    let objections = draft.build(DIALECT).unwrap_err();
    assert_eq!(objections[0].span, Some(12..19));
}

#[test]
fn advice_stands_against_nothing() {
    let draft = filled(&[
        (Key::EndpointName, "chat"),
        (Key::SearchParams, "num_gpus>=2 rentable=true disk_space>=100"),
        (Key::GpuRam, "48"),
        (Key::MaxWorkers, "500"),
        (Key::ColdMult, "2"),
    ]);
    assert!(draft.build(DIALECT).is_ok());
    let advice: Vec<_> = draft
        .advice(DIALECT)
        .into_iter()
        .map(|advice| (advice.parameter, advice.message))
        .collect();
    let has = |parameter: &str, words: &str| {
        assert!(
            advice
                .iter()
                .any(|(own, message)| *own == parameter && message.contains(words)),
            "{parameter} {words}: {advice:?}"
        );
    };
    has("search_params", "verified=true");
    has("search_params", "disk_space");
    has("gpu_ram", "gpu_ram>=48");
    has("max_workers", "500 machines");
    has("cold_mult", "ignore");
    assert_eq!(advice.len(), 5);
    let bare = filled(&[(Key::EndpointName, "chat")]);
    assert_eq!(bare.advice(DIALECT).len(), 1);
}

#[test]
fn a_query_becomes_the_search_of_a_draft() {
    let draft = Draft::from_conditions(&conditions("verified=true gpu_ram>=24GB dph<$0.5"));
    assert_eq!(draft.text(Key::SearchParams), "verified=true gpu_ram>=24 dph_total<0.5");
    assert_eq!(draft.conditions(DIALECT).unwrap().len(), 3);
    // Without a search the documented default counts.
    assert_eq!(Draft::default().conditions(DIALECT).unwrap().len(), 3);
}

#[test]
fn a_listed_group_becomes_a_draft_without_its_key() {
    let listing = groups(
        r#"{"id":9,"endpoint_name":"chat","endpoint_id":4,"template_hash":"","template_id":77,
            "search_query":{"gpu_ram":{"gte":24000.0},"verified":{"eq":true}},"launch_args":null,
            "min_load":1.0,"target_util":0.9,"cold_mult":2.5,"test_workers":3,"gpu_ram":24.0,
            "cold_workers":4,"api_key":"c4n4ry","created_at":1790000000,"user_id":1}"#,
    );
    let draft = Draft::from_record(&listing, 0);
    assert_eq!(
        draft.build(DIALECT).unwrap().body(),
        concat!(
            r#"{"endpoint_name":"chat","template_id":77,"search_params":"gpu_ram>=24 verified=true","#,
            r#""min_load":1,"target_util":0.9,"cold_mult":2.5,"cold_workers":4,"test_workers":3,"#,
            r#""gpu_ram":24}"#
        )
    );
    assert!(!format!("{draft:?}").contains("c4n4ry"));
}

// The search of a group

#[test]
fn a_search_is_read_however_it_comes() {
    for (json, text) in [
        (r#""gpu_ram>=24 verified=true""#, "gpu_ram>=24 verified=true"),
        (r#"{"gpu_ram":{"gte":24000}}"#, "gpu_ram>=24"),
        (
            r#"{"gpu_ram":{"gte":"24000.0"},"num_gpus":{"eq":"1"}}"#,
            "gpu_ram>=24 num_gpus=1",
        ),
        (r#"{"duration":{"gte":259200}}"#, "duration>=3"),
        (r#"{"num_gpus":{"gte":2,"lte":8}}"#, "num_gpus>=2 num_gpus<=8"),
        (
            r#"{"gpu_name":{"in":["RTX 4090","H100 SXM"]},"geolocation":{"notin":["CN"]}}"#,
            "gpu_name in [RTX_4090,H100_SXM] geolocation notin [CN]",
        ),
        (r#"{"driver_version":{"gte":535086005}}"#, "driver_version>=535.86.05"),
        (
            r#"{"verified":{"eq":true},"rentable":{"eq":"any"},"rented":false}"#,
            "verified=true rented=false",
        ),
        (r#"{"external":{"eq":null}}"#, "external=null"),
        (r#"{"q":{"num_gpus":{"gte":2}}}"#, "num_gpus>=2"),
        (r#""{\"num_gpus\":{\"gte\":2}}""#, "num_gpus>=2"),
        (r#"["num_gpus>=2","verified=true"]"#, "num_gpus>=2 verified=true"),
        ("null", ""),
    ] {
        let search = search_query_text(json);
        assert_eq!(search.text.unescaped(), text, "{json}");
        assert!(search.left_out.is_empty(), "{json}: {:?}", search.left_out);
    }
}

#[test]
fn what_a_search_cannot_say_is_named() {
    let search = search_query_text(
        r#"{"num_gpus":{"gte":2},"order":[["score","desc"]],"type":"on-demand",
            "gpu_name":{"gt":"A"},"mystery":{"eq":1},"cpu_ram":{"gte":[1]}}"#,
    );
    assert_eq!(search.text.unescaped(), "num_gpus>=2");
    let left_out: Vec<_> = search.left_out.iter().map(Untrusted::unescaped).collect();
    assert_eq!(left_out, ["order", "type", "gpu_name", "mystery", "cpu_ram"]);
    assert_eq!(search_query_text("{broken").left_out.len(), 1);
}

#[test]
fn a_listing_s_search_is_found_as_text_and_as_object() {
    let listing =
        groups(r#"{"id":1,"search_query":"num_gpus>=2"},{"id":2,"search_query":{"num_gpus":{"gte":2}}},{"id":3}"#);
    for row in [0, 1] {
        let search = group_search(&listing, row).unwrap();
        assert_eq!(search.text.unescaped(), "num_gpus>=2");
    }
    assert_eq!(group_search(&listing, 2), None);
}
