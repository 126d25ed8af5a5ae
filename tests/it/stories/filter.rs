//! Building a query filter by filter, key by key.

use bourse::api::{Request, wire};
use bourse::domain::{Dialect, OFFERS, Resource};
use serde_json::{Value, json};

use crate::test_app::{THREE, TestApp};

/// The body of the oldest request in the documented dialect.
fn body(desk: &TestApp) -> Value {
    wire::encode(desk.asked(), &Dialect::DOCUMENTED).body.unwrap()
}

#[test]
fn a_filter_is_found_by_typing_written_and_run() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").expect("Filters").expect("[x] verified=true");
    desk.type_text("gpu_ram").keys("enter");
    desk.expect("VRAM (gpu_ram)").expect("[>=]").expect("value in GB");
    desk.type_text("24").expect("24000 MB");
    desk.expect("\"gpu_ram\": {\"gte\":24000}");
    desk.keys("enter").expect("[x] gpu_ram>=24");
    assert!(desk.calls.is_empty(), "nothing is asked before it is run");
    desk.keys("enter");
    assert_eq!(
        body(&desk),
        json!({
            "verified": {"eq": true}, "rentable": {"eq": true}, "rented": {"eq": false},
            "gpu_ram": {"gte": 24000},
            "order": [["score", "desc"]], "limit": 500, "type": "on-demand"
        })
    );
    desk.expect("/ ≥ 24 GB VRAM · verified · rentable · not rented\n");
}

#[test]
fn every_filter_of_the_catalog_is_there_with_what_becomes_of_it() {
    for dialect in Dialect::ALL {
        let mut desk = TestApp::speaking(dialect);
        // High enough for all of them at once.
        desk.answer(THREE).resize(200, 250).keys("f");
        let screen = desk.screen();
        let line = |key: &str| {
            // The longest are truncated.
            let wanted = format!(" {}", &key[..key.len().min(12)]);
            let mut lines = screen.lines().filter(|line| line.contains(&wanted));
            lines.next().unwrap_or_else(|| panic!("{key}\n{screen}"))
        };
        for field in OFFERS.fields().iter().filter(|field| field.is_filter()) {
            line(field.key);
        }
        // The last word in front of the second panel.
        let fate = |key: &str| {
            let line = line(key);
            let line = line
                .split('┃')
                .find(|part| part.contains(&key[..key.len().min(12)]))
                .unwrap();
            line.split_whitespace().last().unwrap().to_owned()
        };
        let knows_more = dialect.name != "documented";
        assert_eq!(fate("gpu_ram"), "sent");
        assert_eq!(fate("dph_total"), if knows_more { "extra" } else { "local" });
        assert_eq!(fate("hostname"), "local");
    }
}

#[test]
fn a_round_memory_size_is_warned_of() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("gpu_ram").keys("enter");
    desk.type_text("=24")
        .expect("[=]")
        .expect("a 24 GB card has 24564 MB")
        .expect("gpu_ram>=24 finds them");
    desk.keys("ctrl-u").type_text(">=24").expect_not("24564 MB):");
    desk.keys("ctrl-u")
        .type_text(">=24000")
        .expect("! 24000 is outside the usual range of gpu_ram: 1 GB to 2,000 GB;")
        .expect("24000MB");
}

#[test]
fn a_bare_number_that_looks_like_another_unit_is_warned_of_in_the_bar() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(160, 40);
    desk.keys("/").type_text(" duration>=86400");
    desk.expect("! duration: 86400 is read as 86,400 days; for seconds write 86400s");
    desk.keys("enter").expect("! duration: 86400 is read as 86,400 days");
    desk.keys("/ ctrl-u").type_text("cpu_ram>=32000");
    desk.expect("! cpu_ram: 32000 is read as 32,000 GB; for MB write 32000MB");
    desk.keys("ctrl-u").type_text("cpu_ram>=32000MB duration>=86400s");
    desk.expect_not("is read as");
    desk.keys("ctrl-u")
        .type_text("cpu_ram>=64 duration>=30")
        .expect_not("is read as");
}

#[test]
fn percentages_and_units_are_read_and_slips_are_named() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("reliability").keys("enter");
    desk.type_text("98")
        .expect("98 is outside the usual range of reliability: 0% to 100%; write");
    desk.type_text("%").expect_not("outside");
    desk.keys("enter").expect("[x] reliability>=0.98");
}

#[test]
fn a_mistake_is_shown_under_its_place_as_it_is_typed() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("num_gpus").keys("enter");
    desk.type_text(">=two").expect("'two' is not valid");
    let screen = desk.screen();
    let typed = screen.lines().find(|line| line.contains(">=two")).unwrap();
    let carets = screen.lines().find(|line| line.contains("^^^")).unwrap();
    assert_eq!(
        typed
            .chars()
            .position(|c| c == 't')
            .map(|_| { typed[..typed.find("two").unwrap()].chars().count() }),
        Some(carets[..carets.find('^').unwrap()].chars().count()),
        "{screen}"
    );
    desk.keys("enter").expect("'two' is not valid");
    assert!(desk.calls.is_empty());
    desk.keys("backspace backspace backspace")
        .type_text("2")
        .keys("enter enter");
    assert_eq!(
        desk.asked_text(),
        "verified=true rentable=true rented=false num_gpus>=2"
    );
}

#[test]
fn countries_are_ticked_from_those_that_are_here_and_known() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("geolocation").keys("enter");
    desk.expect("[in]").expect("[ ] US").expect("1 row here");
    desk.type_text("us").keys("space").expect("checked: US");
    desk.type_text("no").keys("space").expect("checked: US NO");
    desk.keys("enter enter");
    assert_eq!(
        body(&desk)["geolocation"],
        json!({"in": ["US", "NO"]}),
        "{}",
        desk.screen()
    );
}

#[test]
fn a_group_of_countries_is_ticked_at_once() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("geolocation").keys("enter");
    desk.type_text("eu").keys("space enter enter");
    let Some(Value::Array(codes)) = body(&desk)["geolocation"].get("in").cloned() else {
        panic!()
    };
    assert_eq!(codes.len(), 27);
    assert!(codes.contains(&json!("SE")) && !codes.contains(&json!("GB")));
}

#[test]
fn a_model_is_suggested_from_a_part_of_its_name() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("gpu_name").keys("enter");
    desk.expect("[in]");
    desk.keys("shift-tab shift-tab");
    desk.expect("[=]");
    desk.type_text("h100 s").expect("means H100 SXM");
    desk.keys("enter enter");
    assert_eq!(body(&desk)["gpu_name"], json!({"eq": "H100 SXM"}));
}

#[test]
fn a_condition_is_switched_off_without_being_lost() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("verified=").keys("ctrl-t ctrl-s");
    assert_eq!(desk.asked_text(), "rentable=true rented=false");
    assert!(body(&desk).get("verified").is_none());
    desk.answer(THREE);
    desk.expect("off: verified").expect(" / rentable · not rented\n");
    desk.keys("f").expect("[ ] verified=true");
    desk.type_text("verified=").keys("ctrl-t ctrl-s");
    assert_eq!(desk.asked_text(), "verified=true rentable=true rented=false");
}

#[test]
fn the_bar_overrules_what_is_switched_off_in_the_editor() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("verified=").keys("ctrl-t ctrl-s");
    desk.answer(THREE);
    desk.keys("/").type_text("verified=false").keys("enter");
    assert_eq!(desk.asked_text(), "rentable=true rented=false verified=false");
    assert_eq!(desk.asked_query().conditions.len(), 3);
}

#[test]
fn a_condition_is_changed_and_removed() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("num_gpus>=2").keys("enter");
    desk.answer(THREE);
    desk.keys("f").type_text("num_gpus>=2").keys("enter");
    desk.keys("backspace").type_text("4").keys("enter ctrl-s");
    assert_eq!(body(&desk)["num_gpus"], json!({"gte": 4}));
    desk.answer(THREE);
    desk.keys("f").type_text("num_gpus>=4").keys("delete ctrl-s");
    assert!(body(&desk).get("num_gpus").is_none());
}

#[test]
fn reset_brings_the_conditions_of_a_new_search_back() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/ ctrl-u").type_text("num_gpus=8").keys("enter");
    desk.answer(THREE);
    desk.keys("f ctrl-r enter");
    assert_eq!(desk.asked_text(), "verified=true rentable=true rented=false");
}

#[test]
fn escape_goes_one_step_at_a_time_and_loses_nothing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("cpu_ram").keys("enter").type_text("6");
    desk.keys("esc").expect("Filters"); // out of the form
    desk.keys("enter").expect("RAM (cpu_ram)").expect("value in GB > 6");
    desk.type_text("4").keys("enter"); // taken into the draft
    desk.type_text("disk").keys("esc").expect("[x] cpu_ram>=64"); // out of the search
    desk.keys("esc").expect_not("Filters"); // out of the editor
    assert!(desk.calls.is_empty());
    desk.expect("/ verified · rentable · not rented\n");
    desk.keys("f").expect("Press Ctrl-y to restore your edits");
    desk.keys("ctrl-y").expect("[x] cpu_ram>=64");
    desk.keys("enter");
    assert_eq!(body(&desk)["cpu_ram"], json!({"gte": 64000}));
}

#[test]
fn what_the_dialect_cannot_send_is_applied_here_at_once() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("dph_total").keys("enter");
    desk.expect("Applied to the loaded rows: this market can't filter by it");
    desk.expect("[<=]");
    desk.type_text("$0.5").keys("enter");
    desk.expect("applied to the loaded rows: dph_total<=0.5")
        .expect("2 of 3 loaded rows match");
    desk.keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect("2 of 3 offers").expect("/ ≤ $0.5/h (local) · verified");
}

#[test]
fn two_bounds_on_one_field_both_hold_and_a_tighter_one_replaces() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("num_gpus").keys("enter");
    desk.type_text(">=2").keys("enter");
    for bound in ["<=8", ">=4"] {
        // The field's own line adds a condition; those above it change one.
        desk.type_text("num_gpus Number of GPUs").keys("enter");
        desk.type_text(bound).keys("enter");
    }
    desk.keys("enter");
    assert_eq!(body(&desk)["num_gpus"], json!({"gte": 4, "lte": 8}));
    desk.expect("/ ≥ 4 GPUs · ≤ 8 GPUs · verified");
}

#[test]
fn conditions_that_the_language_refuses_are_refused_here_too() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("gpu_arch").keys("enter");
    desk.keys("shift-tab shift-tab").expect("[=]");
    desk.type_text("nvidia").keys("enter");
    desk.expect("[x] gpu_arch=nvidia");
    desk.type_text("gpu_arch Maker");
    desk.keys("enter shift-tab shift-tab").type_text("amd");
    desk.keys("enter")
        .expect("gpu_arch cannot equal several values at once");
    desk.keys("esc esc esc");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_flag_is_switched_by_one_key_or_turned_in_its_form() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("static_ip").keys("ctrl-t");
    desk.keys("esc").expect("[x] static_ip=true");
    desk.type_text("static_ip=").keys("enter").expect("[=]");
    desk.keys("space enter").expect("[x] static_ip=false");
    desk.keys("enter");
    assert_eq!(body(&desk)["static_ip"], json!({"eq": false}));
}

#[test]
fn versions_go_as_the_dialect_writes_them() {
    for (dialect, wanted) in [
        (&Dialect::DOCUMENTED, json!({"gte": "570.181"})),
        (&Dialect::VAST, json!({"gte": 570_181_000})),
    ] {
        let mut desk = TestApp::speaking(dialect);
        desk.answer(THREE).keys("f");
        desk.type_text("driver_version").keys("enter");
        desk.type_text("570.181").keys("enter enter");
        let body = wire::encode(desk.asked(), dialect).body.unwrap();
        assert_eq!(body["driver_version"], wanted);
    }
}

#[test]
fn the_body_is_shown_whole_where_there_is_no_room_beside_the_list() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("f").expect_not("\"limit\": 500");
    desk.type_text("sent to the market").keys("enter");
    desk.expect("POST /api/v0/bundles/")
        .expect("\"verified\": {\"eq\":true},")
        .expect("\"order\": [[\"score\",\"desc\"]],")
        .expect("\"limit\": 500");
    desk.keys("esc esc").expect("type to search");
}

/// The body in the second panel.
fn side_json(desk: &TestApp) -> Value {
    // The border of the list may have the thumb of a scrollbar.
    let screen = desk.screen().replace('▐', "┃");
    let cells = screen
        .lines()
        .filter_map(|line| line.split("┃│").nth(1)?.split('│').next());
    let body: Vec<_> = cells.skip_while(|line| line.trim() != "{").collect();
    let end = body.iter().position(|line| line.starts_with(" }")).unwrap();
    serde_json::from_str(&body[..=end].join("\n")).unwrap()
}

#[test]
fn what_is_shown_is_what_is_sent() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(THREE).keys("f");
    desk.type_text("machine_id").keys("enter").type_text("=7");
    desk.keys("enter");
    let shown = side_json(&desk);
    desk.keys("enter");
    let sent = wire::encode(desk.asked(), &Dialect::VAST).body.unwrap();
    assert_eq!(shown, sent);
    assert_eq!(sent["machine_id"], json!({"eq": 7}));
    assert_eq!(sent["allocated_storage"], json!(8));
    desk.expect("/ machine 7 · verified · rentable · not rented\n");
}

#[test]
fn volumes_and_workergroups_have_the_same_editor() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2")
        .answer(r#"{"offers":[{"ask_contract_id":5,"storage_cost":0.1,"disk_space":900}]}"#);
    desk.keys("f").type_text("duration").keys("enter");
    desk.type_text("30")
        .expect("\"q\": {")
        .expect("\"duration\": {\"gte\":30}");
    desk.keys("enter enter");
    assert_eq!(desk.asked_query().resource, Resource::Volumes);
    assert_eq!(body(&desk)["q"]["duration"], json!({"gte": 30}));
    desk.keys("3")
        .calls
        .retain(|(_, request)| matches!(request, Request::ListWorkergroups));
    desk.answer(
        r#"{"success":true,"results":[{"id":1,"endpoint_name":"a","gpu_ram":24.0},{"id":2,"endpoint_name":"b","gpu_ram":80.0}]}"#,
    );
    desk.keys("f").expect("GET /api/v0/workergroups/").expect("No body");
    desk.type_text("gpu_ram").keys("enter").type_text("48");
    desk.keys("enter enter");
    assert!(desk.calls.is_empty());
    desk.expect("1 of 2 workergroups");
}

#[test]
fn the_settings_are_a_tab_of_the_same_search() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f shift-tab").expect("▏Settings▕");
    desk.keys("space tab").expect("▏Filters▕");
    desk.expect("\"type\": \"bid\"");
    desk.keys("ctrl-s");
    assert_eq!(body(&desk)["type"], json!("bid"));
}

#[test]
fn a_paste_goes_into_the_line_that_is_typed() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").paste("num_gpus").keys("enter").paste("8");
    desk.keys("enter enter");
    assert_eq!(body(&desk)["num_gpus"], json!({"gte": 8}));
}

#[test]
fn zero_rows_say_which_condition_finds_nothing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("gpu_ram=24").keys("enter");
    desk.answer(r#"{"offers":[]}"#);
    desk.expect("a 24 GB card has 24564 MB");
}

#[test]
fn strangers_texts_that_cannot_be_written_are_no_choices() {
    let hostile = THREE.replace("H100 SXM", "H100\\u202e SXM");
    let mut desk = TestApp::with_offers(&hostile);
    desk.keys("f").type_text("gpu_name").keys("enter");
    desk.expect("RTX 4090");
    assert!(!desk.screen().contains('\u{202e}'));
}

#[test]
fn every_size_is_drawn_without_a_panic() {
    let mut desk = TestApp::with_offers(THREE);
    for keys in [
        "f",
        "enter f g e o enter",
        "u",
        "space esc b o d y enter",
        "esc esc shift-tab",
        "down",
    ] {
        desk.keys(keys);
        for (columns, rows) in [(1, 1), (39, 9), (40, 10), (60, 16), (80, 24), (200, 60)] {
            desk.resize(columns, rows);
        }
    }
}

#[test]
fn the_editor_opens_on_what_most_searches_filter_by() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("f").expect("›     GPU  ");
    for key in [
        "num_gpus",
        "dph_total",
        "geolocation",
        "gpu_ram",
        "disk_space",
        "reliability",
    ] {
        desk.expect(&format!("  {key} "));
    }
    desk.keys("enter").expect("GPU (gpu_name)");
}

#[test]
fn the_loaded_rows_that_match_are_counted_while_one_types() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").expect("3 of 3 loaded rows match");
    desk.type_text("num_gpus").keys("enter").type_text(">=2");
    desk.expect("2 of 3 loaded rows match").expect_not("the market may");
    desk.keys("esc esc").type_text("verified=").keys("ctrl-t");
    // Without a condition that was sent there may be others.
    desk.expect("3 of 3 loaded rows match; the market may");
}

#[test]
fn an_id_typed_in_the_filters_becomes_its_condition_and_replaces_another() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(THREE);
    desk.keys("f").type_text("123456");
    desk.expect("id=123456")
        .expect("machine_id=123456")
        .expect("host_id=123456");
    desk.keys("enter")
        .expect("[x] id=123456")
        .expect_not("machine_id=123456");
    desk.type_text("654321").keys("enter");
    desk.expect("[x] id=654321").expect_not("id=123456");
    // The list is whole again once the number is gone.
    desk.type_text("777777").expect("machine_id=777777");
    desk.keys("esc").expect_not("machine_id=777777");
    desk.keys("ctrl-s");
    assert_eq!(desk.asked_text(), "verified=true rentable=true rented=false id=654321");
}

#[test]
fn a_second_id_in_the_bar_replaces_the_first() {
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.answer(THREE);
    desk.keys("/").type_text("123456").keys("enter");
    desk.keys("/").type_text("654321").keys("enter");
    desk.expect("“654321”").expect_not("“123456”");
    // A word takes the place of the condition, too.
    desk.keys("/ ctrl-u").type_text("id=123456").keys("enter").answer(THREE);
    desk.keys("/").type_text("654321").keys("enter");
    assert!(!desk.asked_text().contains("id="), "{}", desk.asked_text());
    desk.expect("“654321”");
}
