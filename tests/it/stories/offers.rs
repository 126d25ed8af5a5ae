//! Shopping for offers, key by key, against the pure core and the screens.

use bourse::api::{ApiError, Request};
use bourse::core::message::Effect;
use bourse::domain::OfferType;
use bourse::domain::language;

use crate::test_app::{THREE, TestApp};

#[test]
fn the_first_screen_asks_for_offers_with_the_visible_defaults() {
    let desk = TestApp::new();
    assert_eq!(desk.asked_text(), "verified=true rentable=true rented=false");
    let Request::Search(query) = desk.asked() else { panic!() };
    assert_eq!(language::print_order(&query.order), "score-");
    assert_eq!(query.limit, Some(500));
    assert_eq!(query.offer_type, OfferType::OnDemand);
    desk.expect("/ verified · rentable · not rented\n");
    desk.expect("Loading offers");
}

#[test]
fn rows_appear_in_the_server_s_order_with_their_age() {
    let mut desk = TestApp::with_offers(THREE);
    desk.selects("101")
        .expect("H100 SXM")
        .expect("All 3 ")
        .expect("updated 0 s ago");
    desk.wait(12.0).expect("updated 12 s ago");
}

#[test]
fn a_query_is_typed_run_and_kept() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("gpu_name=RTX_4090 num_gpus>=2").keys("enter");
    assert_eq!(
        desk.asked_text(),
        "verified=true rentable=true rented=false gpu_name=RTX_4090 num_gpus>=2"
    );
    desk.selects("101"); // old rows stay while new ones load
    desk.answer(r#"{"offers":[]}"#);
    desk.expect("No offers match this query");
    desk.expect("/ RTX 4090 · ≥ 2 GPUs · verified · rentable · not rented\n");
    // The slash edits the text.
    desk.keys("/").expect("rented=false gpu_name=RTX_4090 num_gpus>=2");
}

#[test]
fn a_mistake_is_shown_where_it_is_and_nothing_is_sent() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("gpu_nam=RTX_4090").keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect("gpu_name");
    desk.expect("gpu_nam=RTX_4090"); // what was typed is still there
    desk.keys("esc");
    desk.expect_not("gpu_nam=");
    desk.keys("/ up");
    desk.expect("gpu_nam=RTX_4090"); // and can be recalled
}

#[test]
fn bare_words_narrow_at_once_without_a_request() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("\"h100\"");
    desk.expect("H100 SXM").expect_not("RTX 3090").expect("1 of 3 offers");
    desk.keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect("1 of 3 offers");
    desk.keys("esc").expect("All 3 ").expect("RTX 3090");
}

#[test]
fn escape_takes_back_words_that_were_not_run() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("h100").keys("esc");
    desk.expect("RTX 3090").expect("All 3 ").selects("101");
}

#[test]
fn the_selection_follows_its_record_when_rows_change() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("s").type_text("$/h").keys("ctrl-t enter");
    desk.keys("j j").selects("103");
    desk.keys("r").answer(&THREE.replace("\"id\":101", "\"id\":999"));
    desk.selects("103");
}

#[test]
fn sorting_is_instant_and_goes_with_the_next_request() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("s").expect("Sort");
    desk.type_text("dph_total").keys("ctrl-t enter");
    assert!(desk.calls.is_empty());
    desk.keys("r");
    let Request::Search(query) = desk.asked() else { panic!() };
    assert_eq!(language::print_order(&query.order), "score-,dph_total");
}

#[test]
fn a_click_on_a_header_sorts_by_it() {
    let mut desk = TestApp::with_offers(THREE);
    desk.click("$/h").keys("g").selects("103").expect("$/h ▲");
    desk.click("$/h ▲ cheap").keys("g").selects("102").expect("$/h ▼");
}

#[test]
fn the_detail_shows_every_section_and_the_record() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("enter")
        .expect("Offer 101")
        .expect("1× RTX 4090 24 GB")
        .expect("$0.410/h");
    desk.keys("tab").expect("Price per hour").expect("$0.4100/h");
    desk.keys("tab tab").expect("\"gpu_name\": \"RTX 4090\"");
    desk.keys("right g").expect("Offer 102");
    desk.keys("esc").selects("102");
}

#[test]
fn a_failed_request_keeps_the_rows_and_says_why() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("r").fail(ApiError::Lost);
    desk.selects("101")
        .expect("The rows below are older")
        .expect("Esc back");
    desk.keys("esc").expect_not("The rows below are older").selects("101");
}

#[test]
fn without_rows_a_failure_says_what_to_do() {
    let mut desk = TestApp::new();
    desk.fail(ApiError::Lost);
    desk.expect("Can't load offers").expect("r retry");
    // There is nothing that Esc could go back to.
    desk.expect_not("Esc back");
    desk.keys("r").answer(THREE).selects("101");
}

#[test]
fn a_late_answer_to_an_older_question_is_ignored() {
    let mut desk = TestApp::new();
    let (old, _) = desk.calls[0].clone();
    desk.keys("/").type_text(" num_gpus>=1").keys("enter"); // supersedes the first request
    assert_eq!(desk.calls.len(), 1, "the superseded read is aborted");
    desk.reply(old, Err(ApiError::Lost));
    desk.expect("Loading offers");
    desk.answer(THREE).selects("101");
}

#[test]
fn typing_works_while_a_request_runs() {
    let mut desk = TestApp::new();
    desk.keys("/").type_text("num_gpus>=4").expect("num_gpus>=4");
    desk.answer(THREE);
    desk.expect("num_gpus>=4").selects("101");
}

#[test]
fn skipped_records_are_counted() {
    let desk = TestApp::with_offers(r#"{"offers":[{"id":1,"gpu_name":"A"},{"gpu_name":"B"},7]}"#);
    desk.expect("All 1 ").expect("2 skipped");
}

#[test]
fn rows_that_break_what_was_asked_are_flagged_and_named() {
    let bad = THREE.replacen("\"verified\"", "\"unverified\"", 1);
    let desk = TestApp::with_offers(&bad);
    desk.expect("The market ignored verified=true (1 row)")
        .expect("!unverified");
}

#[test]
fn help_lists_every_key_and_finds_by_typing() {
    let mut desk = TestApp::with_offers(THREE);
    let help = desk.resize(140, 600).keys("?").screen();
    for row in bourse::keys::BINDINGS {
        // Long ones are shortened to their first clause in the list; the selected one is beside it in full.
        let clause = row
            .help
            .split([',', ';', ':', '('])
            .next()
            .unwrap_or_default()
            .trim_end();
        let start: String = clause.chars().take(24).collect();
        assert!(help.contains(&start), "{} is not in the help", row.name);
    }
    desk.type_text("suspend").expect("Ctrl-z").expect_not("Leave bourse");
    desk.keys("esc").selects("101");
}

#[test]
fn the_palette_does_what_it_names() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys(":").type_text("offer-type").keys("enter");
    let Request::Search(query) = desk.asked() else { panic!() };
    assert_eq!(query.offer_type, OfferType::Bid);
}

#[test]
fn q_quits_and_ctrl_c_leaves_the_bar_first() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("q");
    assert_eq!(desk.effects, [Effect::Quit]);
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/ q");
    assert_eq!(desk.effects, []);
    desk.keys("ctrl-c").expect("Ctrl-c again quits");
    assert_eq!(desk.effects, []);
    desk.keys("ctrl-c");
    assert_eq!(desk.effects, [Effect::Quit]);
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/ ctrl-c j ctrl-c");
    assert_eq!(desk.effects, [Effect::Quit], "on the table at once");
}

#[test]
fn q_goes_back_inside_a_view_and_quits_when_chosen_by_name() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("enter q");
    assert_eq!(desk.effects, []);
    assert!(desk.model.overlays.is_empty());
    desk.keys("enter :").type_text("quit").keys("enter");
    assert_eq!(desk.effects, [Effect::Quit]);
}

#[test]
fn a_key_that_does_nothing_says_so_once() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("Z").expect("Z does nothing here");
    desk.wait(9.0).expect_not("Z does nothing here");
    desk.keys("Z").expect_not("Z does nothing here");
    desk.keys("j Z").expect("Z does nothing here");
    desk.keys("f9").expect("F9 does nothing here");
}

#[test]
fn a_paste_goes_into_the_bar_and_only_there() {
    let mut desk = TestApp::with_offers(THREE);
    desk.paste("q").expect("press / to edit the query");
    assert_eq!(desk.effects, []);
    desk.keys("/").paste("num_gpus=8\n\u{202e}cpu_ram>=64");
    desk.expect("num_gpus=8 cpu_ram>=64")
        .expect("1 invisible or control characters");
}

#[test]
fn hostile_text_is_shown_escaped() {
    let desk = TestApp::with_offers(&THREE.replace("Texas, US", "Te\\u202exas\\u001b[2J, US"));
    desk.expect("Te<U+202E>xas");
}

#[test]
fn columns_scroll_and_the_first_stays() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).expect_not("570.181");
    desk.keys("right right right right right right right right right right right right right right right right right");
    desk.expect("570.181").expect("101");
}

#[test]
fn every_size_is_drawn_without_a_panic() {
    let mut desk = TestApp::with_offers(THREE);
    for keys in ["", "/", "esc enter", "esc ?", "esc :", "esc s", "esc 2", "3", "4"] {
        desk.keys(keys);
        for (columns, rows) in [(1, 1), (3, 2), (39, 9), (40, 10), (80, 24), (200, 60), (300, 80)] {
            desk.resize(columns, rows);
        }
    }
}

#[test]
fn what_is_typed_overrules_the_defaults_in_front_of_it() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("verified=false rented=any").keys("enter");
    assert_eq!(desk.asked_text(), "verified=false rentable=true");
}

#[test]
fn a_mistake_gets_a_caret_and_tab_takes_the_suggestion() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/ ctrl-u").type_text("num_gpu>=2").keys("enter");
    desk.expect("   ^^^^^^^\n").expect("Tab changes it to num_gpus");
    desk.keys("tab enter");
    assert_eq!(
        desk.asked_text(),
        "verified=true rentable=true rented=false num_gpus>=2"
    );
}

#[test]
fn the_defaults_are_those_of_the_whole_search() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").expect(" → type what you need: 4090 eu 200gb 3d");
    desk.type_text("4090 eu 200gb 3d").keys("enter").answer(THREE);
    desk.expect("job 3d").expect("Job $ ▲");
    desk.keys("/ ctrl-u")
        .expect(" → resets job, disk, price type, sort and limit, too");
    // Without Enter nothing is reset, nor by an older query.
    desk.keys("esc").expect("job 3d");
    desk.keys("/ ctrl-u up enter").expect("job 3d");
    desk.calls.clear();
    desk.keys("/ ctrl-u enter").expect_not("job 3d").expect("Score ▼");
    let asked = desk.asked_query();
    assert_eq!(
        language::print(&asked.conditions),
        "verified=true rentable=true rented=false"
    );
    assert_eq!(asked.storage, Some(8.0));
}

#[test]
fn commands_that_need_rows_can_be_used_once_they_are_there() {
    let mut desk = TestApp::new();
    desk.keys(":").type_text("Compare prices").expect("Still loading");
    desk.answer(THREE).expect_not("Still loading");
    desk.keys("enter").expect("RTX 4090").expect_not("Commands");
}

#[test]
fn the_carets_are_under_the_mistake_in_a_scrolled_query_too() {
    let mut desk = TestApp::with_offers(THREE);
    let filler = "cpu_ram>=16 ".repeat(12);
    desk.keys("/ ctrl-u")
        .type_text(&format!("{filler}num_gpu>=2 dph<1"))
        .keys("enter");
    let screen = desk.screen();
    let column = |text: &str| {
        let mut lines = screen.lines();
        let found = lines.find_map(|line| Some(line[..line.find(text)?].chars().count()));
        found.unwrap_or_else(|| panic!("{text}\n{screen}"))
    };
    assert_eq!(column(" / "), 0);
    desk.expect("/ …");
    assert_eq!(column("^^^^^^^"), column("num_gpu>=2"), "{screen}");
}

#[test]
fn a_missing_space_is_named() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/ ctrl-u").type_text("num_gpus=2dph<1").keys("enter");
    desk.expect("missing space before this condition: Tab inserts a space");
    desk.keys("tab enter");
    assert_eq!(
        desk.asked_text(),
        "verified=true rentable=true rented=false num_gpus=2 dph_total<1"
    );
}

#[test]
fn the_completion_list_highlights_what_tab_inserted() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/ ctrl-u").type_text("gpu_name=");
    let mut inserted = Vec::new();
    for _ in 0..3 {
        desk.keys("tab");
        let bar = &desk.model.browser().unwrap().bar;
        let candidates = &bar.completion.as_ref().unwrap().candidates;
        let highlighted = candidates[bar.chosen()].insert.clone();
        assert!(bar.input.text().ends_with(&highlighted), "{highlighted}");
        inserted.push(highlighted);
    }
    assert!(inserted[0] != inserted[1] && inserted[1] != inserted[2]);
}

#[test]
fn enter_before_the_first_rows_says_that_they_are_loading() {
    let mut desk = TestApp::new();
    desk.keys("enter").expect("The offers are still loading");
    desk.answer(THREE).keys("enter").expect("Offer 101");
}

#[test]
fn any_removes_a_default_from_the_bar() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("rented=any gpu_name=H100_SXM").keys("enter");
    assert_eq!(desk.asked_text(), "verified=true rentable=true gpu_name=H100_SXM");
    // Ctrl-u brings all of them back, and nothing else.
    desk.answer(THREE).keys("/").expect("Ctrl-u start over");
    desk.keys("ctrl-u enter");
    assert_eq!(desk.asked_text(), "verified=true rentable=true rented=false");
}

#[test]
fn half_a_condition_narrows_nothing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("gpu_na").expect("All 3 offers");
    desk.type_text("me=H100")
        .expect("3 of the 3 loaded; Enter searches all");
    desk.type_text("_SXM iceland")
        .expect("1 of the 3 loaded; Enter searches all");
}

#[test]
fn enter_on_a_field_of_the_sort_editor_sorts_by_it_alone() {
    let mut desk = TestApp::with_offers(THREE);
    // 103 costs 0.31, 101 costs 0.41, 102 costs 16.02: who never left the first row sees the cheapest.
    desk.keys("s").type_text("dph_total").keys("enter");
    desk.selects("103").expect("$/h ▲ ");
    // With keys added or turned, Enter sorts by those.
    desk.keys("s").type_text("dlperf").keys("ctrl-t");
    desk.keys("ctrl-u").type_text("num_gpus").keys("enter");
    desk.expect("sort $/h ▲, DLPerf ▼");
}

#[test]
fn a_sort_starts_at_the_top_and_so_does_another_search_for_who_is_there() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("j").selects("102");
    desk.keys("s").type_text("dph_total");
    desk.keys("enter").selects("103");
    desk.keys("/").type_text(" num_gpus>=1").keys("enter");
    // The new answer begins with another row.
    desk.answer(&THREE.replace("\"id\":103", "\"id\":104"));
    desk.selects("104");
}

#[test]
fn every_word_must_be_part_of_a_text_as_it_is() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text(" \"4090\"").keys("enter");
    desk.expect("1 of 3 offers").selects("101");
    // Letters that are scattered over a row find nothing.
    desk.keys("/ ctrl-u").type_text("rtx49").keys("enter");
    desk.expect("None of the 3 loaded offers match “rtx49”");
    // Each word counts, in whatever column and case it stands.
    desk.keys("/ ctrl-u").type_text("RTX texas").keys("enter");
    desk.expect("1 of 3 offers").selects("101");
    desk.keys("/ ctrl-u").type_text("RTX \"iceland\"").keys("enter");
    desk.expect("None of the 3 loaded offers match “RTX iceland”");
    // A blank is written as in a query.
    desk.keys("/ ctrl-u").type_text("\"rtx_3090\"").keys("enter");
    desk.expect("1 of 3 offers").selects("103");
}

/// The texts that are underlined in the rows of the table.
fn underlined(desk: &TestApp) -> Vec<String> {
    let mut found = Vec::new();
    let width = 120;
    for line in desk.cells().chunks(width).skip(6).take(30) {
        let mut text = String::new();
        for cell in line {
            if cell.modifier.contains(ratatui::style::Modifier::UNDERLINED) {
                text.push_str(cell.symbol());
            } else if !text.is_empty() {
                found.push(std::mem::take(&mut text));
            }
        }
    }
    found
}

#[test]
fn words_are_underlined_where_they_were_found() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("z");
    assert_eq!(underlined(&desk), Vec::<String>::new());
    desk.keys("/").type_text(" rtx as").keys("enter");
    assert_eq!(underlined(&desk), ["RTX", "as"], "RTX 4090 in Texas");
    desk.keys("esc");
    assert_eq!(underlined(&desk), Vec::<String>::new());
}

#[test]
fn a_word_that_only_a_hidden_column_holds_brings_it_into_sight() {
    let with_board = THREE.replace("\"id\":102", "\"id\":102,\"mobo_name\":\"X13 Supermicro\"");
    let mut desk = TestApp::with_offers(&with_board);
    desk.keys("z").expect_not("X13 Supermicro");
    desk.keys("/").type_text(" supermicro").keys("enter");
    desk.selects("102").expect("X13 Supermicro");
    assert_eq!(underlined(&desk), ["Supermicro"]);
    desk.keys("esc").expect_not("X13 Supermicro");
    // One that a shown column holds, too, needs no other.
    let twice = with_board.replace("X13 Supermicro", "Made in Iceland");
    let mut desk = TestApp::with_offers(&twice);
    desk.keys("z /").type_text(" \"iceland\"").keys("enter");
    desk.selects("102").expect_not("Made in");
}

#[test]
fn a_name_that_the_market_does_not_use_gets_a_suggestion() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/ ctrl-u").type_text("gpu_name=4090").keys("enter");
    desk.answer(r#"{"offers":[]}"#);
    desk.expect("No offers match this query")
        .expect("Did you mean gpu_name=RTX_4090?")
        .expect("Enter apply suggestion");
    desk.keys("enter");
    assert_eq!(
        desk.asked_text(),
        "verified=true rentable=true rented=false gpu_name=RTX_4090"
    );
    desk.answer(THREE)
        .expect("/ RTX 4090 · verified · rentable · not rented\n")
        .expect_not("apply suggestion");
    desk.keys("enter").expect("Offer 101");
    desk.keys("esc");
    // A known name that nobody offers today is no mistake.
    desk.keys("/ ctrl-u").type_text("gpu_name=RTX_4090").keys("enter r");
    desk.answer(r#"{"offers":[]}"#).expect_not("Did you mean");
}

#[test]
fn names_of_earlier_rows_are_suggested_too() {
    let rare = THREE.replace("H100 SXM", "Tesla V100");
    let mut desk = TestApp::with_offers(&rare);
    for answered in [r#"{"offers":[]}"#, r#"{"offers":[]}"#] {
        desk.keys("/ ctrl-u").type_text("gpu_name=v100 ").keys("enter");
        if !desk.calls.is_empty() {
            desk.answer(answered);
        }
        desk.expect("Did you mean gpu_name=Tesla_V100?");
        desk.keys("r").answer(answered);
        desk.expect("Did you mean gpu_name=Tesla_V100?");
    }
}

#[test]
fn conditions_on_the_loaded_rows_get_suggestions_too() {
    // The documented interface does not filter on the processor's name.
    let named = THREE.replace("\"id\":102", "\"id\":102,\"cpu_name\":\"AMD EPYC 7763\"");
    let mut desk = TestApp::with_offers(&named);
    desk.keys("/ ctrl-u").type_text("cpu_name=epyc").keys("enter");
    if !desk.calls.is_empty() {
        desk.answer(&named);
    }
    desk.expect("None of the 3 loaded offers meet the local conditions")
        .expect("Did you mean cpu_name=\"AMD EPYC 7763\"?");
    desk.keys("enter").selects("102").expect("1 of 3 offers");
}

#[test]
fn a_notice_that_was_read_goes_with_the_next_key() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("v").expect("Mark at least two rows");
    desk.keys("space").expect("Mark at least two rows");
    desk.now.mono += 1.5;
    desk.keys("space").expect_not("Mark at least two rows");
    // With two rows marked, comparing them is the first hint.
    assert!(desk.screen().lines().last().unwrap().contains("v compare"));
}

#[test]
fn words_on_a_cut_answer_say_that_the_market_has_more() {
    let mut desk = TestApp::new();
    desk.model.browsers[bourse::domain::Resource::Offers].query.limit = Some(3);
    desk.calls.clear();
    desk.keys("r").answer(THREE);
    desk.keys("/").type_text(" \"4090\"").keys("enter");
    desk.expect("1 of the first 3");
    desk.expect("Words filter the 3 loaded rows");
    assert!(desk.calls.is_empty());
    // A whole answer needs no such advice.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text(" \"4090\"").keys("enter");
    desk.expect_not("Words filter");
}

#[test]
fn values_are_completed_by_how_many_rows_have_them() {
    let mut desk = crate::stories::insights::wide();
    desk.keys("/ ctrl-u").type_text("gpu_name=");
    let labels = |desk: &TestApp| -> Vec<String> {
        let bar = &desk.model.browser().unwrap().bar;
        let candidates = &bar.completion.as_ref().unwrap().candidates;
        candidates.iter().map(|it| it.label.clone()).collect()
    };
    // Two 3090s, two 4090s, one H100; then what the market may have besides.
    assert_eq!(labels(&desk)[..3], ["RTX 3090", "RTX 4090", "H100 SXM"]);
    let bar = &desk.model.browser().unwrap().bar;
    assert_eq!([bar.count(0), bar.count(2)], [Some(2), Some(1)]);
    desk.keys("ctrl-u").type_text("geolocation=");
    assert_eq!(labels(&desk)[..2], ["US", "IS"]);
    // What begins with the typed text comes before what contains it.
    desk.keys("ctrl-u").type_text("gpu_name=h");
    assert_eq!(labels(&desk)[0], "H100 SXM");
}

#[test]
fn a_mistyped_model_and_more_gpus_than_a_machine_has_are_helped() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("4900").keys("enter");
    desk.expect("None of the 3 loaded offers match “4900”")
        .expect("Did you mean 4090?");
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("16 gpus").keys("enter");
    desk.answer(r#"{"success": true, "offers": []}"#);
    desk.expect("One offer has at most 8 GPUs or so")
        .expect("K plan a cluster");
    // The planner searches the machines that have so many together.
    desk.keys("K").expect("Cluster");
    let sent = bourse::api::wire::encode(desk.asked(), &bourse::domain::Dialect::SANDBOX)
        .body
        .unwrap();
    assert_eq!(sent.get("num_gpus"), None);
    desk.answer(THREE);
    desk.expect("16").expect_not("No rows");
}

#[test]
fn the_narrowest_screen_names_the_gpu_of_every_offer() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(40, 10);
    let screen = desk.screen();
    let header = screen.lines().find(|line| line.contains("$/h")).unwrap();
    assert!(header.contains("GPU"), "{screen}");
    desk.expect("RTX 4090").expect("H100");
}
