//! The Workergroups pane, key by key: the table, the detail, secrets, preflight, supply,
//! changes.

use bourse::api::{ApiError, Request, Unreachable};
use bourse::core::message::Effect;
use bourse::domain::journal::{Entry, Intent, Outcome, Verdict, WriteKind};
use bourse::domain::language;
use bourse::domain::workergroup::NewWorkergroup;
use bourse::features::workergroups::Groups;
use bourse::features::workergroups::drift::SeenGroups;

use crate::cases::cases;
use crate::stories::unlist::{flat, says};
use crate::test_app::{START, THREE, TestApp};

/// Four groups of two endpoints, written by hand: searches as text and as an object, moments as
/// text and as a number, members that nobody documented.
pub const FOUR: &str = r#"{"success":true,"results":[
 {"id":12,"endpoint_name":"sdxl","endpoint_id":2,"template_hash":"abc123","template_id":55,
  "search_query":"gpu_name=RTX_4090 verified=true rentable=true rented=false","launch_args":"--env A=1","gpu_ram":24,
  "min_load":1.0,"target_util":0.9,"cold_mult":3,"test_workers":3,"api_key":"canary-sdxl-1111","user_id":9,
  "created_at":"2026-11-18T12:00:00Z"},
 {"id":11,"endpoint_name":"llama","endpoint_id":1,"template_hash":"def456","template_id":56,
  "search_query":{"gpu_ram":{"gte":80000},"num_gpus":{"eq":2},"verified":{"eq":true},"order":[["dph_total","asc"]]},
  "launch_args":"","gpu_ram":80,"min_load":10,"target_util":0.5,"cold_mult":2,"test_workers":3,
  "max_workers":8,"cold_workers":2,"api_key":"canary-llama-2222","user_id":9,"created_at":1795089600.0,
  "docker_login_pass":"canary-docker-3333"},
 {"id":10,"endpoint_name":"llama","endpoint_id":1,"search_query":"gpu_ram>=80 num_gpus=2 verified=true",
  "gpu_ram":80,"api_key":null,"user_id":9,"created_at":"yesterday"},
 {"id":13,"endpoint_name":"whisper","endpoint_id":3,"search_query":"banana=1","gpu_ram":12,"user_id":9}]}"#;

/// Four offers for a preflight: prices 0.40, 0.50, 0.90 and 3.00, the last one not rentable.
pub const FOUND: &str = r#"{"offers":[
 {"id":1,"gpu_name":"RTX 4090","gpu_ram":24564,"dph_total":0.40,"geolocation":"Texas, US","host_id":7,"rentable":true,
  "rented":false,"verification":"verified"},
 {"id":2,"gpu_name":"RTX 4090","gpu_ram":24564,"dph_total":0.50,"geolocation":"Texas, US","host_id":7,"rentable":true,
  "rented":false,"verification":"verified"},
 {"id":3,"gpu_name":"RTX 4090","gpu_ram":23028,"dph_total":0.90,"geolocation":"Iceland, IS","host_id":8,"rentable":true,
  "rented":false,"verification":"verified"},
 {"id":4,"gpu_name":"RTX 4090","gpu_ram":24564,"dph_total":3.00,"geolocation":"Iceland, IS","host_id":9,"rentable":false,
  "rented":false,"verification":"verified"}]}"#;

/// A desk in the Workergroups pane with the four groups.
pub fn at_groups() -> TestApp {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("3").answer(FOUR).expect("All 4 ");
    desk
}

/// The lines of the table, from its header on.
fn table(desk: &TestApp) -> Vec<String> {
    let screen = desk.screen();
    screen
        .lines()
        .skip_while(|line| !line.contains("ID ▲2"))
        .skip(1)
        .take(4)
        .map(str::to_owned)
        .collect()
}

#[test]
fn groups_stand_by_endpoint_with_searches_as_text_and_local_time() {
    let mut desk = at_groups();
    desk.model.settings.zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
    desk.resize(160, 30);
    let rows = table(&desk);
    let starts: Vec<_> = rows
        .iter()
        .map(|row| {
            let mut words = row.trim_start_matches(['┃', '›', ' ']).split_whitespace();
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect();
    assert_eq!(
        starts,
        [("llama", "10"), ("llama", "11"), ("sdxl", "12"), ("whisper", "13")]
    );
    // The object reads as the text does, in the units of the language; order is none of a search.
    assert!(rows[1].contains("gpu_ram>=80 num_gpus=2 verified=true"), "{}", rows[1]);
    // 1795089600 is 2026-11-19 12:00 UTC, a day before the story starts.
    assert!(rows[1].contains("2026-11-19 14:00 1d"), "{}", rows[1]);
    assert!(rows[2].contains("2026-11-18 14:00 2d"), "{}", rows[2]);
    assert!(rows[0].contains("yesterday"), "{}", rows[0]);
    assert!(!flat(&desk).contains("canary"));
}

#[test]
fn the_palette_says_what_is_only_on_offers() {
    let mut desk = at_groups();
    desk.keys(":").type_text("price index");
    desk.expect("(Only on Offers (1))");
    desk.keys("ctrl-u")
        .type_text("tape")
        .expect("(Only on Offers and Volumes)");
    desk.keys("esc esc 1 :").type_text("price index").expect_not("Only on");
}

#[test]
fn groups_are_filtered_and_sorted_here_without_a_request() {
    let mut desk = at_groups();
    desk.keys("/").type_text("gpu_ram>=80").keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect("2 of 4 workergroups").expect_not("whisper");
    desk.keys("/ ctrl-u").type_text("endpoint=llama sdxl").keys("esc");
    desk.keys("/ ctrl-u enter").expect("All 4 ");
    desk.keys("s").type_text("created").keys("ctrl-t enter");
    assert!(desk.calls.is_empty());
}

#[test]
fn groups_are_narrowed_by_the_moment_of_their_creation_and_by_age() {
    let mut desk = at_groups();
    desk.resize(160, 40);
    // sdxl is of 2026-11-18 12:00 UTC, two days old; llama 11 of a day later; "yesterday" and
    // nothing are no moments and pass no comparison.
    for (query, rows, there) in [
        ("created_at>=2026-11-19", "1 of 4 workergroups", "llama"),
        ("created_at<2026-11-19", "1 of 4 workergroups", "sdxl"),
        ("created_at=2026-11-18T12:00:00Z", "1 of 4 workergroups", "sdxl"),
        // A time without an offset is in UTC too, and counts.
        ("created_at<2026-11-18T11:59", "0 of 4 workergroups", "No"),
        ("created_at=2026-11-18T12:00", "1 of 4 workergroups", "sdxl"),
        ("created_at<=2026-11-18T13:00+01:00", "1 of 4 workergroups", "sdxl"),
        ("created_at<=2026-11-18T12:59+01:00", "0 of 4 workergroups", "No"),
        ("created_at=2026-11-18..2026-11-20", "2 of 4 workergroups", "sdxl"),
        ("created_at!=null", "3 of 4 workergroups", "yesterday"),
        ("age<36h", "1 of 4 workergroups", "llama"),
        ("age>=2", "1 of 4 workergroups", "sdxl"),
        ("age<3d", "2 of 4 workergroups", "sdxl"),
        ("age=null", "2 of 4 workergroups", "whisper"),
    ] {
        desk.keys("/ ctrl-u").type_text(query).keys("enter");
        assert!(desk.calls.is_empty(), "{query} asked the market");
        desk.expect(rows).expect(there);
    }
    // The line says it as a person would.
    desk.keys("/ ctrl-u").type_text("created_at>2026-01-01").keys("enter");
    desk.expect("/ created > 2026-01-01\n");
    desk.keys("/ ctrl-u").type_text("created_at>soon").keys("enter");
    desk.expect("created_at takes a date such as 2030-01-31");
    // The filter editor has both.
    desk.keys("esc f").type_text("created_at").keys("enter");
    desk.expect("Creation time; a date in a query");
    desk.keys("ctrl-u").type_text("2026-11-19");
    desk.keys("enter ctrl-s");
    desk.expect("1 of 4 workergroups").expect("/ created > 2026-11-19\n");
    desk.keys("f").type_text("age").keys("enter");
    desk.expect("Time since the group was created");
    desk.type_text("<12h").keys("enter ctrl-s");
    desk.expect("0 of 4 workergroups")
        .expect("/ created > 2026-11-19 · age < 0.5 days\n");
    assert!(desk.calls.is_empty());
}

#[test]
fn the_detail_shows_every_field_and_what_the_search_leaves_out() {
    let mut desk = at_groups();
    desk.resize(120, 90).keys("j enter");
    desk.expect("Workergroup 11");
    desk.expect("Search           gpu_ram>=80 ");
    for line in ["num_gpus=2", "verified=true", "and order"] {
        desk.expect(&format!("┃                  {line} "));
    }
    says(&desk, "2026-11-19 12:00:00 +00:00, 1d ago");
    // A field is explained where it is focused: / finds it.
    desk.keys("/").type_text("in GB here").keys("enter");
    says(&desk, "Minimum GPU memory of a worker, in GB here");
    desk.keys("esc /").type_text("search_query").keys("enter");
    says(&desk, "Not shown here, see the JSON: order.");
    desk.expect("docker_login_pass"); // shown as there, hidden as a secret
    assert!(!flat(&desk).contains("canary"), "{}", desk.screen());
}

#[test]
fn the_fields_are_all_there_and_each_is_explained_in_full() {
    let long = "words that go on and on, ".repeat(12);
    let listing = FOUR.replace(
        r#""docker_login_pass":"canary-docker-3333""#,
        &format!(
            r#""docker_login_pass":"canary-docker-3333","a_member_whose_name_is_longer_than_its_column":{{"note":"{long}the end"}}"#
        ),
    );
    let listing = listing.replace(r#""launch_args":"""#, r#""launch_args":"--env B=2""#);
    for columns in [60, 80, 120] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys("3").answer(&listing);
        desk.resize(columns, 60).keys("j enter tab g");
        let mut seen = String::new();
        for _ in 0..30 {
            seen.push_str(&flat(&desk));
            assert!(!flat(&desk).contains("canary"), "{}", desk.screen());
            desk.keys("j");
        }
        let fields = bourse::domain::WORKERGROUPS.fields();
        for field in fields.iter().filter(|field| field.in_record) {
            let doc: String = field.doc.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(seen.contains(&doc), "{}: {doc}", field.key);
            assert!(seen.contains(field.label), "{}", field.label);
        }
        // Every parameter that can be sent is there by its label, and what identifies the group.
        for label in [
            "ID",
            "Endpoint",
            "Endpoint id",
            "Created",
            "API key",
            "Template hash",
            "Template",
            "Search",
            "Launch args",
            "Min load",
            "Target",
            "Reserve x",
            "Cold workers",
            "Max workers",
            "Test",
            "VRAM",
        ] {
            assert!(seen.contains(&format!("{label} ")), "{label}:\n{seen}");
        }
        assert!(seen.contains("a_member_whose_name_is_longer_than_its_column"));
        assert!(seen.contains("words that go on and on"));
        // The JSON has it to its end.
        desk.keys("tab").resize(columns, 120);
        says(&desk, "the end\"");
    }
}

#[test]
fn a_key_that_other_members_repeat_is_hidden_there_too() {
    let listing = FOUR
        .replace("--env A=1", "-e MARKET_KEY=canary-sdxl-1111 -e B=2")
        .replace("gpu_name=RTX_4090", "gpu_name=canary-sdxl-1111")
        .replace(
            r#""launch_args":"","#,
            r#""launch_args":"","notes":["run with canary-llama-2222"],"#,
        );
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("3").answer(&listing);
    desk.resize(100, 120).keys("j enter"); // 11: an unknown member repeats it
    desk.keys("tab tab");
    assert!(flat(&desk).contains("run with <removed>"));
    assert!(!flat(&desk).contains("canary"), "{}", desk.screen());
    desk.keys("right"); // 12: the launch arguments repeat it
    desk.keys("tab");
    says(&desk, "-e MARKET_KEY=<removed> -e B=2");
    says(&desk, "gpu_name=<removed>");
    assert!(!flat(&desk).contains("canary"), "{}", desk.screen());
    for letter in ["j", "r", "t"] {
        desk.keys("y").keys(letter);
        let Some(Effect::Copy { text, .. }) = desk.effects.last() else {
            panic!()
        };
        assert!(!text.contains("canary"), "{text}");
    }
    // Shown on purpose, it stands in its own line and nowhere else.
    desk.keys("x").expect("canary-sdxl-1111");
    assert_eq!(desk.screen().matches("canary-sdxl-1111").count(), 1);
    // As a column, cut or not.
    desk.keys("esc c").type_text("launch").keys("ctrl-t enter");
    desk.expect_not("canary");
}

#[test]
fn a_key_is_shown_while_x_is_on_for_fifteen_seconds_and_for_its_record_only() {
    let mut desk = at_groups();
    desk.keys("x").expect("Open the details first (Enter)");
    desk.keys("j enter").expect("hidden (x shows it)");
    desk.keys("x").expect("canary-llama-2222");
    // The record as it came stays masked all the same.
    assert_eq!(desk.screen().matches("canary-llama-2222").count(), 1);
    desk.keys("x").expect_not("canary");
    desk.keys("x").expect("canary-llama-2222");
    desk.wait(14.0).expect("canary-llama-2222");
    desk.wait(1.1).expect_not("canary");
    desk.keys("x right").expect("Workergroup 12").expect_not("canary");
    desk.keys("left x x esc enter").expect_not("canary");
    // A record without a key says so.
    desk.keys("esc g enter x").expect("This workergroup has no API key");
    desk.expect_not("canary");
}

#[test]
fn a_key_is_copied_only_when_the_key_is_asked_for() {
    let mut desk = at_groups();
    desk.keys("j enter y j");
    let copied = |desk: &TestApp| match desk.effects.last() {
        Some(Effect::Copy { text, .. }) => text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(copied(&desk).contains("\"llama\""));
    assert!(!copied(&desk).contains("canary"), "{}", copied(&desk));
    for letter in ["r", "t", "c"] {
        desk.keys("y").keys(letter);
        assert!(!copied(&desk).contains("canary"), "{}", copied(&desk));
    }
    desk.keys("y down down down down down down down down down down")
        .expect("(hidden;\u{a0}copied");
    desk.keys("k").expect_not("canary");
    assert_eq!(copied(&desk), "canary-llama-2222");
    let Some(Effect::Copy { what, .. }) = desk.effects.last() else {
        panic!()
    };
    assert_eq!(what, "the group's API key, unmasked");
}

#[test]
fn a_preflight_says_what_a_group_could_recruit_and_for_how_much() {
    let mut desk = at_groups();
    desk.resize(90, 48).keys("G k").selects("sdxl");
    desk.keys("i");
    assert_eq!(
        desk.asked_text(),
        "gpu_name=RTX_4090 verified=true rentable=true rented=false"
    );
    let Request::Search(query) = desk.asked() else { panic!() };
    assert_eq!(language::print_order(&query.order), "dph_total");
    desk.expect("Searching …");
    // The one that cannot be rented breaks rentable=true: the group would not recruit it.
    desk.answer(FOUND);
    desk.expect("Supply of workergroup 12");
    says(&desk, "3 machines, 3 GPUs at 2 hosts (3 offers)");
    says(&desk, "cheapest $0.400/h, median $0.500/h, most expensive $0.900/h");
    says(&desk, "3 machines (100%)");
    says(&desk, "2 machines (67%)");
    says(&desk, "1 machine (33%)");
    says(&desk, "host 7 has 2 of 3 machines (67%)");
    says(
        &desk,
        "2 of 3 machines have the 24 GB of gpu_ram; the smallest has 23 GB",
    );
    says(&desk, "1 of 3 machines has less than 24 GB of GPU memory");
    // 3 cold workers, 12 halfway, 20 at most. Three run on the 3 machines there are, $1.80; the
    // second column counts the others at the median of $0.50, the third all at $0.90.
    says(&desk, "min: 3 workers $1.80 $1.80 $2.70");
    says(&desk, "middle: 12 workers — $6.30 $10.80");
    says(&desk, "max: 20 workers — $10.30 $18.00");
    // The worst case adds 3 test workers and 3 cold ones.
    says(&desk, "worst: 26 workers — $13.30 $23.40");
    says(&desk, "23 of 26 workers would find no machine now");
    says(&desk, "no price limit: could pay up to $23.40/h");
    says(&desk, "max_workers is not in the listing: assuming the documented 20");
    desk.keys("esc").selects("sdxl");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_report_has_the_cost_of_a_cold_start_once_the_size_of_the_model_is_known() {
    let found = FOUND.replace("\"rented\"", "\"inet_down\":800,\"inet_down_cost\":0.002,\"rented\"");
    let mut desk = at_groups();
    desk.resize(90, 48).keys("G k").selects("sdxl");
    desk.keys("i").answer(&found);
    says(&desk, "Cold start unknown: set [models] size in the configuration");
    let values = &mut desk.model.settings.values;
    values.model_sizes.set("sdxl", 40.0);
    (values.loading, values.starts) = (200, 10);
    desk.resize(90, 47);
    // 40 GB at 800 Mbit/s are 400 s, and 200 s of loading: $0.067 at $0.40/h, $0.15 at $0.90/h. The traffic is $0.08.
    says(
        &desk,
        "$0.15 to $0.23 a start (40 GB, 3m loading); 10 a day: $1.47 to $2.30",
    );
}

#[test]
fn limits_that_were_sent_stand_beside_those_that_the_market_returns() {
    let mut desk = at_groups();
    desk.model.mutations.history = vec![Entry {
        intent: Intent {
            key: "a".to_owned(),
            at: START,
            profile: "test".to_owned(),
            address: "http://127.0.0.1:1".to_owned(),
            kind: WriteKind::CreateWorkergroup,
            subject: "endpoint sdxl".to_owned(),
            group: Some(Box::new(NewWorkergroup {
                endpoint_name: Some("sdxl".to_owned()),
                max_workers: Some(6),
                test_workers: Some(1),
                ..NewWorkergroup::default()
            })),
            over_limit: None,
        },
        outcome: Some(Outcome {
            key: "a".to_owned(),
            at: START,
            verdict: Verdict::Done,
            words: "created as 12".to_owned(),
        }),
    }];
    desk.resize(120, 48).keys("G k").selects("sdxl");
    desk.expect("6 workers at most, as created here");
    desk.keys("enter").expect("at most 6, as created here; not returned");
    desk.expect("3, 1 as created here");
    // The worst case takes what was sent, and what the market returns where it does: 6 + 3 + 3.
    desk.resize(90, 48).keys("esc i").answer(FOUND);
    says(
        &desk,
        "max_workers: at most 6, as created here; not returned by this market",
    );
    says(&desk, "worst: 12 workers");
    desk.keys("esc k").selects("llama").expect_not("as created here");
}

#[test]
fn a_preflight_that_was_cut_says_so_and_a_search_that_makes_no_sense_is_not_run() {
    let mut desk = at_groups();
    desk.keys("G i").expect("Invalid search");
    assert!(desk.calls.is_empty());
    desk.resize(90, 48).keys("g i");
    let Request::Search(query) = desk.asked() else { panic!() };
    let limit = query.limit.unwrap() as usize;
    let record = |id: usize| {
        format!(
            r#"{{"id":{id},"gpu_ram":81559,"num_gpus":2,"dph_total":2.5,"host_id":{id},"verification":"verified","rentable":true}}"#
        )
    };
    let records: Vec<_> = (1..=limit).map(record).collect();
    desk.answer(&format!("{{\"offers\":[{}]}}", records.join(",")));
    says(
        &desk,
        &format!("at least 3,000 machines, 6,000 GPUs (3,000 offers): the limit of {limit} truncated the result"),
    );
    says(&desk, "the search has no rentable condition");
}

#[test]
fn a_preflight_can_be_given_up_asked_again_and_may_fail() {
    let mut desk = at_groups();
    desk.resize(90, 48);
    desk.keys("i esc").expect("Stopped waiting");
    assert!(desk.calls.is_empty());
    desk.expect_not("Supply of");
    desk.keys("i").fail(ApiError::Lost);
    says(&desk, "Search failed");
    desk.keys("r").answer(FOUND);
    // None of them has two GPUs.
    says(&desk, "0 machines, 0 GPUs at 0 hosts (0 offers)");
    says(&desk, "no machine can be recruited");
    says(&desk, "No offer has a price: no cost known.");
}

#[test]
fn supply_is_asked_one_search_at_a_time_and_shared_by_equal_searches() {
    let mut desk = at_groups();
    desk.resize(160, 40).keys("S");
    assert_eq!(desk.calls.len(), 1);
    assert_eq!(
        desk.asked_text(),
        "gpu_name=RTX_4090 verified=true rentable=true rented=false"
    );
    desk.expect("Checking the supply of 3 workergroups");
    desk.answer(FOUND);
    assert_eq!(desk.calls.len(), 1, "the next one, and only that");
    assert_eq!(desk.asked_text(), "gpu_ram>=80 num_gpus=2 verified=true");
    desk.answer(r#"{"offers":[{"id":1,"num_gpus":2,"gpu_ram":81559,"dph_total":2.0,"verification":"verified"}]}"#);
    assert!(desk.calls.is_empty());
    // Each search has a record of its own.
    let recorded = desk.polls.iter().map(|poll| poll.search.conditions.as_str());
    assert_eq!(
        recorded.collect::<Vec<_>>(),
        [
            // That of the offers at the start.
            "rentable=true rented=false verified=true",
            "gpu_name=RTX_4090 rentable=true rented=false verified=true",
            "gpu_ram>=80 num_gpus=2 verified=true",
        ]
    );
    let screen = desk.screen();
    // GPUs and the cheapest; what is no search has neither.
    for (id, figures) in [
        ("llama 2 2.0000", "10"),
        ("llama 2 2.0000", "11"),
        ("sdxl 3 0.4000", "12"),
        ("whisper — —", "13"),
    ] {
        let wanted = format!("{id} {figures}");
        let mut lines = screen.lines();
        let is_there = lines.any(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            words.join(" ").contains(&wanted)
        });
        assert!(is_there, "{wanted}\n{screen}");
    }
    // The table sorts by them.
    desk.keys("/ ctrl-u").type_text("supply_gpus>=3").keys("enter");
    desk.expect("sdxl").expect_not("llama");
}

#[test]
fn supply_stops_when_asked_and_at_a_wall() {
    let mut desk = at_groups();
    desk.keys("S S").expect("Supply check stopped");
    assert!(desk.calls.is_empty());
    desk.keys("S").fail(ApiError::NotConnected {
        host: "127.0.0.1:1".to_owned(),
        why: Unreachable::NobodyListens,
    });
    assert!(desk.calls.is_empty(), "the next search would fail as well");
    desk.resize(120, 40).keys("down down");
    desk.expect("unknown: unreachable");
    // One that fails for itself does not keep the others from being asked.
    desk.keys("S").fail(ApiError::Lost);
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn changes_between_two_listings_are_told_with_times_and_without_secrets() {
    let mut desk = at_groups();
    let kept = |desk: &TestApp| {
        desk.edits::<SeenGroups>()
            .map(|edit| serde_json::to_string(&edit.clone().into_content()).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(&desk).len(), 1);
    let later = FOUR
        .replace(r#""gpu_ram":24,"#, r#""gpu_ram":48,"#)
        .replace("\"id\":13", "\"id\":14")
        .replace("canary-sdxl-1111", "canary-sdxl-9999");
    desk.wait(3600.0).keys("r").answer(&later);
    desk.resize(200, 40);
    desk.expect("Workergroup 12 (sdxl) gpu_ram: 24 → 48 and 2 other changes");
    // The details tell it for as long as bourse runs.
    desk.keys("G k").selects("sdxl");
    desk.expect("gpu_ram: 24 → 48 (2026-11-20 13:00)");
    let kept = kept(&desk);
    assert_eq!(kept.len(), 2);
    assert!(kept.iter().all(|text| !text.contains("canary")), "{kept:?}");
}

#[test]
fn an_earlier_run_s_listing_is_compared_with() {
    let desk = at_groups();
    let seen = desk.edits::<SeenGroups>().next().unwrap().clone().into_content();
    let last = seen.at_address(&desk.model.profile.base_url);
    let mut desk = TestApp::with_offers(THREE);
    desk.model.feature_mut::<Groups>().drift.resume(last);
    desk.now.epoch = START + 86_400.0;
    desk.resize(200, 40)
        .keys("3")
        .answer(&FOUR.replace("\"id\":10,", "\"id\":9,"));
    desk.expect("Workergroup 9 (").expect(" and 1 other change");
}

#[test]
fn a_preflight_is_searched_for_words() {
    let mut desk = at_groups();
    desk.resize(90, 48).keys("G k i").answer(FOUND);
    desk.keys("/").type_text("machine").keys("enter");
    desk.expect("1 of ");
    desk.keys("n").expect("2 of ");
    desk.keys("N").expect("1 of ");
    desk.keys("esc").expect("Supply of").expect_not("/ machine");
}

#[test]
fn at_120_columns_costs_and_spread_stand_beside_the_report() {
    let mut desk = at_groups();
    desk.resize(120, 40).keys("G k i").answer(FOUND);
    desk.expect("╭ Cost per hour, estimated")
        .expect("max: 20 workers                —    $10.30    $18.00")
        .expect("Countries");
}

#[test]
fn the_preview_tells_the_supply_of_the_selected_workergroup() {
    let mut desk = at_groups();
    desk.resize(120, 40).keys("G k S");
    desk.expect("checking …");
    desk.answer(FOUND);
    desk.expect("gpu_name=RTX_4090")
        .expect("3 machines, 3 GPUs")
        .expect("$0.400/h to $0.900/h")
        .expect("Changed          —")
        .expect("none since the start (t tests it)");
    // The report has the same answer: nothing is asked again.
    desk.calls.clear();
    desk.keys("i").expect("Supply of workergroup 12");
    assert!(desk.calls.is_empty());
    desk.expect("3 machines, 3 GPUs at 2 hosts");
}

#[test]
fn everything_fits_small_and_large_screens() {
    use bourse::tui::theme::Theme;
    let step = cases(3, 1);
    for (turn, theme) in [Theme::DARK, Theme::LIGHT, Theme::MONO].into_iter().enumerate() {
        let sizes = [(40, 10), (80, 24), (120, 40), (200, 60)];
        for (columns, rows) in sizes.into_iter().skip(turn % step).step_by(step) {
            let mut desk = at_groups();
            desk.theme = theme;
            desk.resize(columns, rows);
            for keys in [
                "n",
                "n c h a t pgdn enter",
                "G k i",
                "enter x",
                "S",
                "g C",
                "2 u 7 tab enter 7 enter",
                "3 j",
            ] {
                desk.keys(keys).keys("down down pgdn esc esc esc");
                desk.calls.clear();
            }
        }
    }
}

#[test]
fn listed_groups_are_checked_by_themselves_within_the_budget() {
    let open = |is_on: bool| {
        let mut desk = TestApp::with_offers(THREE);
        desk.model.settings.values.checks_supply = is_on;
        desk.keys("3").answer(FOUR);
        desk
    };
    assert!(open(false).calls.is_empty());
    let mut desk = open(true);
    // One search at a time; the one that cannot be read is none.
    assert_eq!(desk.calls.len(), 1);
    desk.answer(FOUND);
    assert_eq!(desk.calls.len(), 1);
    desk.answer(FOUND);
    while !desk.calls.is_empty() {
        desk.answer(FOUND);
    }
    desk.expect("Supply");
    // The next listing asks for nothing that is known.
    desk.keys("r").answer(FOUR);
    assert!(desk.calls.is_empty());
}

/// The listing has no search of its own: plain words, conditions, names and ids all find its rows.
#[test]
fn groups_are_found_by_plain_words_names_and_ids() {
    let mut desk = at_groups();
    desk.resize(160, 40);
    for (query, rows, there) in [
        ("sdxl", "1 of 4 workergroups", "sdxl"),
        // Names of models are names of endpoints here.
        ("whisper", "1 of 4 workergroups", "whisper"),
        ("llama", "2 of 4 workergroups", "llama"),
        ("13", "1 of 4 workergroups", "whisper"),
        ("24gb", "3 of 4 workergroups", "sdxl"),
        (
            "llama at least 5 workers",
            "1 of 4 workergroups",
            "gpu_ram>=80 num_gpus=2",
        ),
        ("target utilization at least 80%", "1 of 4 workergroups", "sdxl"),
        ("load over 5", "1 of 4 workergroups", "llama"),
        ("at most 36h old", "1 of 4 workergroups", "llama"),
        ("llama min_load>5", "1 of 4 workergroups", "llama"),
    ] {
        desk.keys("/ ctrl-u").type_text(query).keys("enter");
        assert!(desk.calls.is_empty(), "{query} asked the market");
        desk.expect(rows).expect(there);
    }
    desk.keys("/ ctrl-u").type_text("at least 5 workers");
    desk.expect("1 of 4 workergroups").expect_not("searches all");
    desk.keys("enter");
    desk.expect("/ max workers ≥ 5\n");
}

#[test]
fn the_selected_group_stays_selected_without_the_words_that_found_it() {
    let mut desk = at_groups();
    desk.keys("/").type_text("sdxl").keys("enter").selects("sdxl");
    desk.keys("esc").expect("All 4 workergroups").selects("sdxl");
}

#[test]
fn the_supply_leads_to_the_offers_that_the_search_finds() {
    let mut desk = at_groups();
    desk.keys("/").type_text("sdxl").keys("enter i").answer(FOUND);
    desk.expect("list offers");
    desk.keys("enter");
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    let conditions = language::print(&query.conditions);
    assert!(conditions.contains("gpu_name=RTX_4090"), "{conditions}");
    desk.expect("1 Offers");
    desk.answer(FOUND).keys("esc").expect_not("Supply of workergroup");
}
