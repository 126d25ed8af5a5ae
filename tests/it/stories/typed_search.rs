//! A search that is typed over the running one: what the screen says of both.

use bourse::domain::Dialect;

use crate::stories::insights::MARKET;
use crate::test_app::{THREE, TestApp};

/// A desk that runs a search for `text`, `columns` wide.
fn searching(text: &str, columns: u16) -> TestApp {
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    desk.resize(columns, 24);
    desk.answer(MARKET);
    desk.keys("/").type_text(text).keys("enter").answer(MARKET);
    desk
}

#[test]
fn words_added_to_a_search_show_what_it_had_before() {
    for columns in [80, 120, 200] {
        let mut desk = searching("4090 europe 200gb disk 3d", columns);
        desk.keys("/");
        desk.expect("→ type to add to this search; Ctrl-u starts a new one");
        desk.type_text("2x 5090");
        // The model is replaced; place, disk and job stay.
        desk.expect("from before: Europe, ≥ 200 GB disk, 3 days (Ctrl-u: new)");
        desk.type_text(" germany for 5d");
        desk.expect("from before: ≥ 200 GB disk").expect("Ctrl-u");
        // A new search has nothing from before.
        desk.keys("ctrl-u").type_text("5090").expect_not("from before");
        desk.keys("esc").expect("/ RTX 4090 · Europe · ≥ 200 GB disk · 3 days");
    }
}

/// On a narrow screen the meaning is shortened first, then the list of what stays.
#[test]
fn what_a_search_had_before_fits_a_narrow_screen() {
    let mut desk = searching("4090 europe 200gb disk reliability>=0.99 inet_down>=500 3d", 80);
    desk.keys("/").type_text("2x 5090 24gb");
    desk.expect("→ 2 GPUs · ").expect("from before: reliability ≥ 99%, ");
    desk.expect(" more");
    // A filter word hides rows like a condition.
    let mut desk = TestApp::with_offers(MARKET);
    desk.resize(80, 24);
    desk.keys("/")
        .type_text("zzz")
        .keys("enter /")
        .type_text("5090")
        .expect("from before: “zzz” (Ctrl-u: new)");
}

/// Before anything is typed, an unfiltered table shows an example.
#[test]
fn the_default_search_has_nothing_from_before() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.keys("/").expect("type what you need: 4090 eu 200gb 3d");
    desk.type_text("5090")
        .expect("→ gpu_name=RTX_5090")
        .expect_not("from before");
}

#[test]
fn a_warning_of_the_running_search_is_not_one_of_the_typed_search() {
    let warning = "4000 is outside the usual range of gpu_ram";
    let mut desk = searching("gpu_ram>=4000", 120);
    desk.expect(warning);
    desk.keys("/").expect_not(warning);
    desk.type_text("5090").expect_not(warning);
    desk.type_text(" dlperf>=9").expect_not(warning);
    desk.keys("esc").expect(warning);
    // One of a condition that is typed now is shown.
    desk.keys("/ ctrl-u")
        .type_text("gpu_ram>=5000")
        .expect("5000 is outside the usual range");
}

#[test]
fn enter_without_rows_names_the_key_that_leads_to_some() {
    let mut desk = TestApp::with_offers(r#"{"offers":[]}"#);
    desk.keys("enter").expect("No offers to open: / changes the search");
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    desk.keys("3").answer(MARKET);
    desk.answer(r#"{"success":true,"results":[]}"#)
        .keys("enter")
        .expect("No workergroups yet: n creates one");
}

#[test]
fn no_offer_with_several_gpus_names_the_planner() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.keys("/")
        .type_text("4x 4090")
        .keys("enter")
        .answer(r#"{"offers":[]}"#);
    desk.expect("Several offers may have 4 GPUs together.")
        .expect("K plan a cluster");
    desk.keys("K").answer(MARKET);
    desk.expect("No offer found has 4 GPUs: this plan combines several");
}

#[test]
fn a_sentence_says_what_its_search_has_from_before() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.keys("/")
        .type_text(" 48gb vram in europe 10 days")
        .keys("enter")
        .answer(MARKET);
    desk.keys("/").type_text(" rtx 4090").keys("enter");
    desk.expect("from before: ").expect("Europe").expect("10 days");
    // Nothing is left of it after a new start.
    desk.wait(6.0);
    desk.keys("/ ctrl-u")
        .type_text("rtx 4090")
        .keys("enter")
        .expect_not("from before");
}

#[test]
fn the_palette_names_the_place_of_sentences() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.keys(":").type_text("alert me when a 4090 is below 0.25");
    desk.expect("Nothing matches").expect("Sentences and ids: / on Offers");
    // Half of a name is enough to name its command.
    desk.keys("ctrl-u").type_text("send route requests now");
    desk.expect("Nothing matches").expect("maybe 3 t test route");
    // The route lab has commands of its own.
    desk.keys("ctrl-u").type_text("compare runs");
    desk.expect("Nothing matches").expect("maybe 3 t ");
    // Words that few names have count more than `offer`.
    desk.keys("ctrl-u").type_text("why is an offer not shown");
    desk.expect("Nothing matches").expect("maybe F funnel");
    // A sentence typed without a slash opens a list, whose search names the place for it.
    desk.keys("esc c").type_text("heapest 4 gpus of 48 gb in germany");
    desk.expect("Nothing matches; sentences are for the search of Offers");
    desk.keys("esc esc enter");
    desk.expect("▏Overview▕");
    desk.keys("/").type_text("why is it dear");
    desk.expect("no match; sentences are for the search of Offers");
}

#[test]
fn an_alert_says_that_its_search_has_a_limit_of_its_own() {
    let mut desk = TestApp::with_offers(MARKET);
    desk.keys("/").type_text(" dph_total<0.3").keys("enter");
    desk.keys("A n").expect("Only offers with dph_total<0.3 can ring");
}

#[test]
fn lines_without_a_match_stay_dim_below_the_hits() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(120, 60);
    for tab in ["f", "s", "c"] {
        // Without a text each line is listed under its heading.
        desk.keys(tab).expect_not("Without a match");
        desk.type_text("relia").expect("Without a match");
        let screen = desk.screen();
        let line = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
        let heading = line("Without a match");
        assert!(line("reliability") < heading && heading < line("gpu_name"), "{screen}");
        // Moving ends at the last hit.
        desk.keys("pgdn pgdn pgdn");
        let screen = desk.screen();
        let selected = screen.lines().position(|line| line.contains(" › "));
        assert!(selected.is_some_and(|selected| selected < heading), "{screen}");
        // A click on a line that does not match does nothing.
        let before = desk.screen();
        desk.click("gpu_name");
        assert_eq!(desk.screen(), before);
        desk.keys("esc esc").expect_not("Without a match");
    }
}

#[test]
fn a_search_without_a_hit_keeps_the_lines_and_enter_chooses_none() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").type_text("qqqq");
    desk.expect("Nothing matches").expect("gpu_name").expect_not(" › ");
    desk.keys("enter").expect("Nothing matches").expect("/ qqqq");
    assert!(desk.calls.is_empty());
    desk.keys("esc").expect_not("Nothing matches").expect("Common");
}
