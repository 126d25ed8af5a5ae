//! Plain words in the query bar, on the screen and in what is sent.

use bourse::api::{Request, wire};
use bourse::core::message::{ConfigCommand, Effect};
use bourse::domain::{Dialect, Resource, RowId, language};
use serde_json::{Value as Json, json};

use crate::test_app::TestApp;

/// Offers of two models in three places: 11 costs least for the job, 12 ends before three days.
const MARKET: &str = r#"{"offers":[
 {"id":11,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_base":0.3,"dph_total":0.35,"storage_cost":0.18,"disk_space":900,"geolocation":"Hesse, DE","duration":864000,"score":50,"dlperf":90,"inet_down_cost":0.0,"inet_up_cost":0.0},
 {"id":12,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_base":0.2,"dph_total":0.25,"storage_cost":0.18,"disk_space":900,"geolocation":", SE","duration":86400,"score":60,"dlperf":90,"inet_down_cost":0.0,"inet_up_cost":0.0},
 {"id":13,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_base":0.4,"dph_total":0.45,"storage_cost":0.18,"disk_space":900,"geolocation":", NO","duration":864000,"score":70,"dlperf":90,"inet_down_cost":0.0,"inet_up_cost":0.0}]}"#;

/// More of them, which the search is to leave out.
const OTHERS: &str = r#"{"offers":[
 {"id":1,"gpu_name":"RTX 3090","num_gpus":1,"gpu_ram":24576,"dph_total":0.15,"disk_space":900,"geolocation":"Texas, US","score":90},
 {"id":2,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_total":0.25,"disk_space":900,"geolocation":"Texas, US","score":80},
 {"id":3,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_total":0.35,"disk_space":100,"geolocation":", FR","score":70},
 {"id":13,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_total":0.45,"disk_space":900,"geolocation":", NO","score":60},
 {"id":11,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"dph_total":0.35,"disk_space":900,"geolocation":"Hesse, DE","score":50}]}"#;

fn desk() -> TestApp {
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    desk.answer(OTHERS);
    desk
}

fn body(desk: &TestApp) -> Json {
    wire::encode(desk.asked(), &Dialect::SANDBOX).body.unwrap()
}

#[test]
fn a_search_that_loses_the_selected_offer_starts_at_the_top() {
    let mut desk = desk();
    // Offer 2 is in Texas; behind the job's order it stands further down.
    desk.keys("j /").type_text("4090 europe 200gb 3d").keys("enter");
    desk.answer(MARKET);
    let offers = desk.model.browser().unwrap();
    assert_eq!(offers.selected(), Some(RowId(11)));
}

#[test]
fn a_need_in_plain_words_finds_the_right_machines() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = desk();
        desk.resize(columns, rows);
        desk.keys("/").type_text("4090 europe 200gb 3d");
        // Read before anything is sent.
        assert!(desk.calls.is_empty());
        desk.expect(if columns == 80 {
            "→ RTX 4090 · Europe · ≥ 200 GB disk · job 3d"
        } else {
            "→ gpu_name=RTX_4090 geolocation in EUROPE disk_space>=200 · job 3d"
        });
        desk.expect(if columns == 80 {
            "2 of 5 loaded"
        } else {
            "2 of the 5 loaded; Enter searches all"
        })
        .expect_not("Texas");
        desk.keys("enter");
        let sent = body(&desk);
        assert_eq!(sent["gpu_name"], json!({"eq": "RTX 4090"}));
        assert_eq!(sent["disk_space"], json!({"gte": 200}));
        assert_eq!(sent["allocated_storage"], json!(200));
        assert_eq!(sent["type"], json!("on-demand"));
        let places = sent["geolocation"]["in"].as_array().unwrap();
        assert!(places.contains(&json!("DE")) && !places.contains(&json!("US")));
        desk.answer(MARKET);
        // The conditions stand in the bar, the job below it.
        let bar = desk.model.browser().unwrap().bar.input.text();
        assert!(bar.ends_with("gpu_name=RTX_4090 geolocation in EUROPE disk_space>=200"));
        desk.expect("/ RTX 4090 · Europe · ≥ 200 GB disk · 3 days · verified · rentable · not rented")
            .expect("on-demand · 200 GB disk · job 3d, 200 GB")
            .expect("Job $ ▲");
        // 11: 0.3 x 72 + 0.18 x 200 x 72 / 720 = 25.20; 12 ends too early and comes last.
        // The first row is selected, not the one that was first while the words were typed.
        desk.selects("11").expect("25.20");
        assert_eq!(ids(&desk), ["11", "13", "12"]);
    }
}

/// The offers on screen in their order.
fn ids(desk: &TestApp) -> Vec<String> {
    let browser = desk.model.browser().unwrap();
    let listing = browser.listing().unwrap();
    let rows = browser.view().iter();
    rows.map(|row| listing.id(*row as usize).unwrap().to_string()).collect()
}

#[test]
fn what_words_mean_is_a_candidate_that_can_be_edited() {
    let mut desk = desk();
    desk.keys("/").type_text("4090");
    desk.expect("4090 → gpu_name=RTX_4090");
    desk.keys("tab").expect("rented=false gpu_name=RTX_4090");
    desk.keys("backspace").type_text("0D").keys("enter");
    assert!(desk.asked_text().ends_with("gpu_name=RTX_4090D"));
}

/// Five offers, or five GPUs: nothing is sent until one is chosen.
#[test]
fn an_ambiguous_text_offers_its_readings_and_sends_nothing() {
    let mut desk = desk();
    let before = desk.calls.len();
    desk.keys("/").type_text("verified best 5 4090");
    desk.expect("best 5 → first 5 best").expect("best 5 → num_gpus=5 best");
    desk.keys("enter")
        .expect("'best 5' can mean 'first 5 best' or 'num_gpus=5 best'");
    assert_eq!(desk.calls.len(), before);
    desk.keys("tab tab enter");
    let asked = desk.asked_text();
    assert!(
        asked.contains("num_gpus=5") && asked.ends_with("gpu_name=RTX_4090"),
        "{asked}"
    );
}

/// Wherever the cursor is: words that are understood need no completion.
#[test]
fn readings_are_offered_behind_words_that_are_understood() {
    let mut desk = desk();
    desk.keys("/").type_text("best 5 4090 with 200gb disk");
    desk.expect("best 5 → first 5 best").expect("best 5 → num_gpus=5 best");
    desk.keys("enter tab enter");
    let asked = desk.asked_text();
    assert!(
        asked.contains("disk_space>=200") && !asked.contains("num_gpus"),
        "{asked}"
    );
}

/// A field that is set twice is no search for either value.
#[test]
fn two_values_of_a_field_are_sent_neither_way() {
    let mut desk = desk();
    let before = desk.calls.len();
    desk.keys("/").type_text("8x h100 and 4x h200").keys("enter");
    desk.expect("'8x' and '4x' are two values for the same thing");
    assert_eq!(desk.calls.len(), before);
}

#[test]
fn a_size_is_memory_if_a_card_has_so_much_and_else_a_disk() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("24gb")
        .expect("24gb → gpu_ram>=23 · at least 24 GB as sold");
    desk.keys("ctrl-u").type_text("500gb disk");
    desk.expect("→ disk_space>=500 · 500 GB disk");
    desk.keys("tab enter");
    assert!(desk.asked_text().ends_with("disk_space>=500"));
    assert_eq!(desk.asked_query().storage, Some(500.0));
}

#[test]
fn words_set_the_price_model_and_the_order() {
    let mut desk = desk();
    desk.keys("/").type_text("spot 4090 dph_total<0.5 best value");
    desk.expect("→ gpu_name=RTX_4090 · bid · sort dlperf_per_dphtotal-");
    desk.keys("enter");
    let sent = body(&desk);
    assert_eq!(sent["type"], json!("bid"));
    assert_eq!(sent["order"], json!([["dlperf_per_dphtotal", "desc"]]));
    assert_eq!(sent["dph_total"], json!({"lt": 0.5}));
    desk.answer(MARKET);
    desk.expect("   bid · ").expect("DLP/$ ▼");
}

#[test]
fn other_words_filter_the_rows_and_quotes_keep_a_word_from_being_read() {
    let mut desk = desk();
    desk.keys("/").type_text("texas 4090").keys("enter");
    assert!(desk.asked_text().ends_with("rented=false gpu_name=RTX_4090"));
    desk.answer(&OTHERS.replace("RTX 3090", "RTX 4090"));
    assert_eq!(ids(&desk), ["1", "2"]);
    desk.expect("/ RTX 4090 · “texas” · verified");
    let mut desk = self::desk();
    desk.keys("/").type_text("4090 epyc").keys("enter");
    desk.answer(OTHERS).expect("/ RTX 4090 · “epyc” · verified");
    let mut desk = self::desk();
    desk.keys("/").type_text("\"4090\"").keys("enter");
    assert!(desk.calls.is_empty());
    assert_eq!(ids(&desk), ["2", "3", "13", "11"]);
    // It stays a word when the query is run again.
    desk.expect("/ “4090” · verified");
    desk.keys("/ enter");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_mistake_between_words_is_marked_where_it_was_typed() {
    let mut desk = desk();
    desk.keys("/ ctrl-u").type_text("europe num_gpu>=2 3d").keys("enter");
    assert!(desk.calls.is_empty());
    let screen = desk.screen();
    let lines: Vec<_> = screen.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("europe num_gpu>=2 3d"))
        .unwrap();
    let typed = lines[at].find("num_gpu").unwrap();
    assert_eq!(lines[at + 1].find('^'), Some(typed), "{screen}");
    assert_eq!(lines[at + 1].trim(), "^^^^^^^");
}

#[test]
fn volumes_take_the_same_words() {
    let mut desk = desk();
    desk.keys("2").answer(r#"{"offers":[]}"#);
    desk.keys("/").type_text("500gb sweden cheapest").keys("enter");
    assert_eq!(desk.asked_text(), "verified=true disk_space>=500 geolocation=SE");
    assert_eq!(language::print_order(&desk.asked_query().order), "storage_cost");
}

#[test]
fn a_count_of_gpus_is_explained_as_one_offer_where_there_is_room() {
    let mut desk = desk();
    desk.keys("/").type_text("4x 4090");
    desk.expect("→ num_gpus=4 gpu_name=RTX_4090 · 4 GPUs in one offer (K: spread over machines)");
    desk.resize(60, 24).expect("→ num_gpus=4").expect_not("in one");
    for words in ["1x 4090", "2 machines of 4 4090", "num_gpus=4 4090", "4+ 4090"] {
        desk.resize(120, 40).keys("ctrl-u").type_text(words);
        desk.expect_not("in one offer");
    }
}

#[test]
fn a_new_word_replaces_the_condition_of_its_field_and_or_adds_to_it() {
    let mut desk = desk();
    desk.keys("/").type_text("4090 not in china").keys("enter");
    desk.answer(MARKET);
    desk.keys("/").type_text("8x h100");
    desk.expect("num_gpus=8 gpu_name in [H100_SXM,H100_NVL,H100_PCIE] · replaces gpu_name=RTX_4090");
    desk.keys("enter").expect("replaces gpu_name=RTX_4090");
    let sent = body(&desk);
    let models = json!({"in": ["H100 SXM", "H100 NVL", "H100 PCIE"]});
    assert_eq!(sent["gpu_name"], models);
    assert_eq!(sent["num_gpus"], json!({"eq": 8}));
    assert_eq!(sent["geolocation"], json!({"neq": "CN"}));
    desk.answer(MARKET);
    // A bound replaces that on its side, and an exclusion adds up with others.
    desk.keys("/").type_text("under $3 not in india").keys("enter");
    desk.answer(MARKET);
    desk.keys("/").type_text("or b200, under $5").keys("enter");
    let sent = body(&desk);
    let models = json!({"in": ["H100 SXM", "H100 NVL", "H100 PCIE", "B200"]});
    assert_eq!(sent["gpu_name"], models);
    assert_eq!(sent["dph_total"], json!({"lt": 5}));
    assert_eq!(sent["geolocation"], json!({"nin": ["CN", "IN"]}));
}

#[test]
fn a_clause_that_is_not_understood_filters_the_rows_and_is_named() {
    let mut desk = desk();
    desk.keys("/").type_text("4090 closest to germany");
    desk.expect("→ gpu_name=RTX_4090 · not understood, filters the rows: closest to germany (unknown: closest to)");
    desk.keys("enter");
    let sent = body(&desk);
    assert_eq!(sent["gpu_name"], json!({"eq": "RTX 4090"}));
    assert_eq!(sent.get("geolocation"), None);
    desk.expect("not understood, filters the rows: closest to germany");
}

#[test]
fn machines_of_so_many_gpus_open_the_planner() {
    let mut desk = desk();
    desk.keys("/").type_text("2 nodes of 8 4090").keys("enter");
    desk.expect("Cluster");
    let sent = body(&desk);
    assert_eq!(sent["num_gpus"], json!({"eq": 8}));
    assert_eq!(sent["gpu_name"], json!({"eq": "RTX 4090"}));
}

#[test]
fn gpus_on_several_machines_of_one_place_open_the_planner() {
    for (words, lines) in [
        (
            "24 GPUs on at least three machines in one country",
            ["GPUs   24 ", "Min machines   3 ", "Max machines     ", "‹ country ›"],
        ),
        (
            "24 4090s in the same country",
            ["GPUs   24 ", "Min machines     ", "Max machines     ", "‹ country ›"],
        ),
        (
            "9 gpus over more than 3 nodes",
            ["GPUs   9 ", "Min machines   4 ", "Max machines     ", "‹ anywhere ›"],
        ),
        (
            "16 4090 across 2 servers",
            [
                "GPUs   16 ",
                "Min machines   2 ",
                "Max machines   2 ",
                "GPUs per machine   8 ",
            ],
        ),
    ] {
        let mut desk = desk();
        desk.keys("/").type_text(words).keys("enter");
        for line in lines {
            desk.expect(line);
        }
    }
    // Of one machine it is a plain search.
    let mut desk = desk();
    desk.keys("/")
        .type_text("4 gpus on one machine")
        .keys("enter")
        .expect_not("Cluster");
}

#[test]
fn a_rate_in_the_words_is_that_of_the_model_and_saved() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("3B tokens by 2999-12-31 on an RTX 4090 at 2500 tokens/s")
        .keys("enter");
    let rates: Vec<_> = desk.effects.iter().filter_map(saved_rate).collect();
    assert_eq!(rates, [("RTX 4090".to_owned(), Some("2500".to_owned()))]);
    desk.expect_not("not understood").expect("job 3B tokens");
    // Without a model it says what it lacks.
    let mut desk = self::desk();
    desk.keys("/")
        .type_text("3B tokens at 2500 tokens per second")
        .keys("enter");
    desk.expect("A rate is that of a GPU model: name one, or fill in Rate of the job");
    assert_eq!(desk.effects.iter().filter_map(saved_rate).count(), 0);
}

#[test]
fn a_rate_is_of_all_models_that_the_words_name() {
    let mut desk = desk();
    desk.keys("/").type_text("3090 or 4090 3B tokens at 2500 tokens/s");
    desk.expect("2500 tokens/s per GPU");
    desk.keys("enter");
    let rates = desk.effects.iter().filter_map(saved_rate);
    let models: Vec<_> = rates.map(|(model, _)| model).collect();
    assert_eq!(models, ["RTX 3090", "RTX 4090"]);
    desk.expect_not("A rate is that of");
}

#[test]
fn an_unknown_word_takes_no_understood_ones_along() {
    let mut desk = desk();
    desk.keys("/").type_text("3090 yesteryear for 5 hours").keys("enter");
    desk.expect("None of the").expect("Words name models, places, sizes");
    desk.keys("enter")
        .expect("Searched for “for 5 hours” without the rest")
        .expect("job 5h");
    // Two wrong spellings beside each other are both corrected.
    desk.keys("/ ctrl-u").type_text("cheepest germny").keys("enter");
    desk.expect("Did you mean cheapest germany?");
    // And a wrong one does not take the words beside it along.
    desk.keys("/ ctrl-u")
        .type_text("4 gpsu 48gb germny 10 days")
        .keys("enter");
    desk.expect("Did you mean 4 gpu 48gb germany 10 days?")
        .expect("Enter search for that");
    desk.keys("enter").expect("Searched for “4 gpu 48gb germany 10 days”");
    desk.expect("/ 4 GPUs").expect("Germany").expect("job 10d");
    // A reason of its own is told in place of "not understood".
    desk.keys("/ ctrl-u").type_text("a100 until friday").keys("enter");
    desk.expect("'until friday' is about a job")
        .expect_not("not understood");
}

#[test]
fn a_search_after_one_for_an_id_is_another() {
    let mut desk = desk();
    desk.keys("/").type_text("num_gpus>=2 45000123").keys("enter");
    // Left, it stays as it was; begun anew, nothing of it stays.
    desk.keys("/ esc").expect("≥ 2 GPUs · “45000123”");
    desk.keys("/ ctrl-u").expect_not("num_gpus");
    desk.keys("esc").expect("≥ 2 GPUs · “45000123”");
    desk.keys("/").type_text("2x 4090 in germany").keys("enter");
    desk.expect("/ 2 GPUs").expect("RTX 4090").expect_not("45000123");
}

#[test]
fn the_words_of_a_question_filter_no_rows() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("8x h100 cheapest when")
        .expect("opens the price history");
    desk.keys("ctrl-u").type_text("when is a 3090 cheapest for zork");
    desk.expect("opens the price history").expect_not("filters the rows");
    desk.keys("enter")
        .expect("/ RTX 3090 · ")
        .expect_not("zork")
        .expect_not("None of the");
}

#[test]
fn a_search_of_workergroups_points_to_the_command_that_its_words_name() {
    let mut desk = crate::stories::groups::at_groups();
    desk.keys("/")
        .type_text("create a group with at most 6 workers")
        .keys("enter");
    desk.expect("maybe n new");
}

#[test]
fn the_command_that_a_sentence_names_is_shown_before_its_mistake() {
    let mut desk = desk();
    desk.keys("/ ctrl-u").type_text("unhide host").keys("enter");
    desk.expect("maybe : ").expect("host_id is a field");
}

#[test]
fn unread_words_point_to_the_command_that_they_name() {
    let mut desk = desk();
    for (words, command) in [
        ("send 200 route requests to sdxl", "maybe 3 t test route"),
        ("add market http://127.0.0.1:1", "maybe M markets"),
        ("compare marked rows", "maybe v compare"),
        ("unban host 4821", "maybe : annotations"),
    ] {
        desk.keys("/ ctrl-u").type_text(words).expect(command);
        desk.keys("enter").expect(command);
    }
    // Neither words without a command nor a search point anywhere.
    for words in ["flibber gibbet nonsense", "zork", "4x 4090 germany"] {
        let mut desk = self::desk();
        desk.keys("/ ctrl-u").type_text(words).expect_not("maybe");
    }
}

#[test]
fn an_excluded_host_is_excluded_in_this_search_only() {
    let mut desk = desk();
    let note = "in this search only, X bans in all";
    desk.keys("/").type_text("not host 4821").expect(note);
    desk.keys("enter").expect(note);
    let mut desk = self::desk();
    desk.keys("/").type_text("host 4821").expect_not(note);
}

#[test]
fn the_search_that_enter_sends_is_shown_while_no_loaded_row_matches() {
    let mut desk = desk();
    desk.resize(100, 40).keys("/ ctrl-u").type_text("8x b200");
    desk.expect("Search on Enter")
        .expect("gpu_name=B200")
        .expect("num_gpus=8");
    desk.expect_not("Your search").expect_not("POST /api/v0/bundles/");
}

/// The model and the rate of an effect that saves one.
fn saved_rate(effect: &Effect) -> Option<(String, Option<String>)> {
    match effect {
        Effect::Config(ConfigCommand::SaveRate { model, rate, .. }) => Some((model.clone(), rate.clone())),
        _ => None,
    }
}

#[test]
fn network_volumes_are_searched_on_their_tab() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("2 TB of network volume for three months")
        .expect("network volumes: disk_space>=2000")
        .expect("bill 2TB for 3 months");
    desk.keys("enter");
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(query.resource, Resource::Volumes);
    let keys: Vec<_> = query.conditions.iter().map(|condition| condition.field.key).collect();
    assert_eq!(keys, ["verified", "disk_space", "duration"]);
    desk.expect("Network volumes are searched here")
        .expect("term 2,000 GB for 90 d");
}

#[test]
fn an_id_may_have_its_noun() {
    let mut desk = desk();
    desk.keys("/").type_text("18479272").keys("enter");
    desk.expect("why it is missing").expect_not("not understood");
    for words in ["id 18479272", "ID 18479272", "offer 18479272", "find offer #18479272"] {
        let mut desk = self::desk();
        desk.keys("/").type_text(words).keys("enter");
        assert_eq!(body(&desk)["id"], json!({"eq": 18_479_272}), "{words}");
        desk.answer(r#"{"offers":[]}"#)
            .expect("why it is missing")
            .expect_not("not understood");
    }
}

#[test]
fn a_question_opens_the_view_that_answers_it() {
    for (words, answer) in [
        ("why can't I see offer 18479272", "Offer 18479272"),
        ("alert me when a 4090 goes below 25 cents", "Rings at"),
        ("serverless endpoint on 4090, at most 6 workers", "New workergroup"),
    ] {
        let mut desk = desk();
        desk.keys("/").type_text(words).keys("enter").expect(answer);
    }
}

/// A question that names a model is about all its offers; one that does not is about the search before.
#[test]
fn a_question_about_a_model_leaves_the_search_before() {
    for (words, keeps) in [
        ("when is 8x h100 cheapest", false),
        ("alert me when a 3090 is below 0.20", false),
        ("serverless workers with 3090, at most 6 workers", false),
        ("alert me below 0.20", true),
        ("3090", true),
    ] {
        let mut desk = desk();
        desk.keys("/").type_text("4090 germany").keys("enter").answer(MARKET);
        desk.keys("/").type_text(words);
        assert_eq!(
            desk.shows("from before: Germany"),
            keeps && words == "3090",
            "{words}\n{}",
            desk.screen()
        );
        desk.keys("enter");
        let conditions = language::print(&desk.model.browser().unwrap().query.conditions);
        assert_eq!(conditions.contains("geolocation=DE"), keeps, "{words}: {conditions}");
    }
}

#[test]
fn a_cluster_by_its_name_opens_the_planner() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("cluster of 24 h100 in at least 3 machines same country for 10 days")
        .expect_not("not understood")
        .expect("24 GPUs on at least 3 machines in one country");
}

/// The history is that of the new search, whose rows it waits for.
#[test]
fn a_question_about_the_past_waits_for_the_rows_of_its_search() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("3090 price history, should I wait?")
        .keys("enter")
        .expect_not("History");
    desk.answer(&OTHERS.replace("RTX 4090", "RTX 3090"))
        .expect("History")
        .expect("RTX 3090")
        .expect_not("RTX 4090");
    let mut desk = self::desk();
    desk.keys("/")
        .type_text("how many 4090s for 3b tokens by sunday")
        .keys("enter")
        .expect_not("Cluster");
    desk.answer(MARKET).expect("Cluster");
    // Typing again is another question.
    let mut desk = self::desk();
    desk.keys("/").type_text("4090 price trend").keys("enter /");
    desk.answer(MARKET).expect_not("History");
}

#[test]
fn the_price_of_an_alert_is_its_limit_and_no_condition() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("tell me when an RTX 4090 in europe falls below 0.25")
        .keys("enter");
    desk.expect("0.25").expect("GPU");
    let body = body(&desk);
    assert_eq!(body["gpu_name"], json!({"eq": "RTX 4090"}));
    assert_eq!(body["dph_total"], json!(null));
}

#[test]
fn the_workers_of_a_group_are_its_maximum() {
    let mut desk = desk();
    desk.keys("/")
        .type_text("24gb cards for a worker group, up to 6 workers")
        .keys("enter");
    desk.expect("Max workers   6");
}

#[test]
fn top_limits_the_rows_that_are_asked_for() {
    let mut desk = desk();
    desk.keys("/").type_text("top 5 4090").keys("enter");
    assert_eq!(body(&desk)["limit"], json!(5));
}

/// Words that no row has are a key away from the rest of the search.
#[test]
fn enter_searches_on_without_words_that_no_row_has() {
    let mut desk = desk();
    desk.keys("/").type_text("4090 that is gdpr compliant").keys("enter");
    desk.answer(MARKET).expect("Enter search without these words");
    desk.keys("enter").expect("RTX 4090").expect_not("compliant");
}
