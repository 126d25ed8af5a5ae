//! Stars, notes and bans of machines and hosts.

use bourse::api::Request;
use bourse::core::message::EffectError;
use bourse::domain::annotations::{AnnotationChange, Annotations, Mark, Supplier};
use bourse::domain::workergroup::Key;
use bourse::domain::{Dialect, language};
use bourse::features::workergroups::Groups;

use super::insights::MARKET;
use crate::test_app::TestApp;

fn desk() -> TestApp {
    TestApp::with_offers(MARKET)
}

fn changes(desk: &TestApp) -> Vec<AnnotationChange> {
    desk.changes_of::<Annotations>().cloned().collect()
}

/// The conditions of the latest search.
fn asked(desk: &TestApp) -> String {
    let Request::Search(query) = desk.asked() else {
        panic!("not a search");
    };
    language::print_briefly(&query.conditions)
}

const SIZES: [(u16, u16); 2] = [(80, 24), (200, 60)];

#[test]
fn a_star_marks_all_offers_of_the_machine() {
    for (columns, rows) in SIZES {
        let mut desk = desk();
        // The preview would hide the ids.
        desk.resize(columns, rows).keys("z *");
        desk.expect("Starred machine 7");
        for id in ["101", "102"] {
            assert!(desk.row(id).contains('★'), "{id} at {columns}x{rows}");
        }
        assert!(!desk.row("103").contains('★'));
        desk.keys(":").type_text("starred-only").keys("enter");
        desk.expect("101").expect("102").expect_not("103");
        desk.expect("2 of 5 offers");
        desk.keys("*").expect("Unstarred machine 7");
        desk.expect_not("101");
        desk.keys("U").expect("Starred machine 7 again").expect("101");
        let marks: Vec<Mark> = changes(&desk).into_iter().map(|it| it.mark).collect();
        assert_eq!(marks, [Mark::Star(true), Mark::Star(false), Mark::Star(true)]);
    }
}

#[test]
fn a_note_shows_in_table_preview_and_machine_tab() {
    for (columns, rows) in SIZES {
        let mut desk = desk();
        desk.resize(columns, rows).keys("N");
        desk.expect("Your note on machine 7");
        desk.type_text("slow disk").keys("enter");
        desk.expect("Saved the note on machine 7").expect("✎");
        if columns == 200 {
            desk.expect("Machine 7: ✎ slow disk");
        }
        desk.keys("R").expect("Machine 7: ✎ slow disk");
        desk.keys("esc N").keys("ctrl-u enter");
        desk.expect("Removed the note on machine 7").expect_not("✎");
        desk.keys("U").expect("Restored the note on machine 7");
        desk.keys("U").expect("Removed the note on machine 7");
    }
}

#[test]
fn a_banned_host_leaves_table_plot_market_and_the_next_search() {
    for (columns, rows) in SIZES {
        let mut desk = desk();
        desk.resize(columns, rows).keys("X");
        desk.expect("Ban machine 7")
            .expect("Ban host 70")
            .expect("3 offers here");
        desk.keys("down enter");
        desk.expect("Banned host 70: 3 rows hidden (U to undo)");
        desk.expect("All 2 offers, 3 hidden by you");
        desk.keys("m").expect("H100 SXM").expect_not("RTX 4090");
        desk.keys("esc p").expect("H100 SXM").expect_not("RTX 4090");
        desk.keys("esc D").expect_not("RTX 4090");
        desk.keys("esc r");
        assert!(asked(&desk).contains("host_id notin [70]"), "{}", asked(&desk));
        // A market that ignores the condition changes nothing.
        desk.answer(MARKET).expect("All 2 offers, 3 hidden by you");
        desk.keys("X").expect("Show banned offers").expect("3 hidden here");
        desk.expect("Lift the ban on host 70");
        desk.type_text("show").keys("enter");
        assert!(!asked(&desk).contains("host_id"), "{}", asked(&desk));
        desk.answer(MARKET).expect("All 5 offers");
        desk.keys(":").type_text("show-banned").keys("enter");
        desk.expect("All 2 offers, 3 hidden by you");
        desk.keys("U").expect("Lifted the ban on host 70");
        assert!(!asked(&desk).contains("host_id"), "{}", asked(&desk));
        desk.answer(MARKET).expect("All 5 offers");
    }
}

#[test]
fn of_a_banned_host_lifting_the_ban_comes_first() {
    let mut desk = desk();
    desk.keys("X down enter r").answer(MARKET);
    desk.keys(":").type_text("show-banned").keys("enter");
    desk.answer(MARKET).expect("✗ banned");
    // Enter on the first choice is enough; the sign in the table goes with the ban.
    desk.keys("X").expect("› Lift the ban on host 70");
    desk.keys("enter");
    desk.expect("Lifted the ban on host 70").expect_not("✗");
}

#[test]
fn a_market_without_a_filter_for_machines_is_not_sent_one() {
    for (dialect, is_sent) in [(&Dialect::DOCUMENTED, false), (&Dialect::VAST, true)] {
        let mut desk = TestApp::speaking(dialect);
        desk.answer(MARKET).keys("X enter");
        desk.expect("Banned machine 7: 2 rows hidden");
        desk.keys("r");
        assert_eq!(asked(&desk).contains("machine_id notin [7]"), is_sent);
        desk.answer(MARKET).expect("All 3 offers, 2 hidden by you");
    }
}

#[test]
fn a_workergroup_from_the_search_leaves_banned_hosts_out() {
    let mut desk = desk();
    desk.resize(200, 60).keys("X down enter n");
    let draft = Groups::read(&desk.model).draft.draft();
    let search = draft.text(Key::SearchParams);
    assert!(search.contains("host_id notin [70]"), "{search}");
}

#[test]
fn the_preflight_warns_of_bans_that_the_group_ignores() {
    let mut desk = desk();
    desk.keys("X down enter 3")
        .answer(r#"{"results":[{"id":5,"endpoint_name":"llama","search_query":"gpu_name=H100_SXM"}]}"#);
    desk.keys("i").answer(MARKET);
    desk.expect("1 of your bans");
}

#[test]
fn all_annotations_are_listed_and_removed_with_undo() {
    for (columns, rows) in SIZES {
        let mut desk = desk();
        desk.resize(columns, rows).keys("* N").type_text("mine").keys("enter");
        desk.keys("X down enter");
        desk.keys(":").type_text("annotations").keys("enter");
        desk.expect("Host 70").expect("Machine 7").expect("mine");
        desk.keys("delete").expect_not("Host 70");
        desk.keys("ctrl-y").expect("Host 70").expect("Banned host 70 again");
        desk.type_text("host").keys("enter");
        assert!(asked(&desk).contains("host_id=70"), "{}", asked(&desk));
        desk.answer(MARKET).expect("Offers");
    }
}

#[test]
fn annotations_of_other_programs_arrive_with_the_next_change() {
    let mut desk = desk();
    desk.keys("*");
    let mut merged = Annotations::default();
    for (of, mark) in [
        (Supplier::Machine(7), Mark::Star(true)),
        (Supplier::Host(71), Mark::Ban(true)),
    ] {
        merged.apply(&AnnotationChange { of, mark });
    }
    desk.bring_saved(Ok(merged));
    desk.wait(0.0);
    desk.expect("All 4 offers, 1 hidden by you");
}

#[test]
fn a_file_that_cannot_be_written_is_reported() {
    let mut desk = desk();
    desk.keys("*");
    desk.bring_saved::<Annotations>(Err(EffectError::new("disk full")));
    desk.wait(0.0);
    desk.expect("Changes can't be saved: disk full");
}

#[test]
fn rows_without_machine_and_host_cannot_be_annotated() {
    let mut desk = TestApp::with_offers(r#"{"offers":[{"id":1,"gpu_name":"T4"}]}"#);
    for key in ["*", "N", "X"] {
        desk.keys(key).expect("The selected row names no machine or host");
    }
}

/// Two offers of host 70.
const OF_ONE_HOST: &str = r#"{"offers":[
    {"id":201,"machine_id":7,"host_id":70,"gpu_name":"RTX 4090","num_gpus":1,"dph_total":0.3,"rentable":true},
    {"id":202,"machine_id":8,"host_id":70,"gpu_name":"RTX 4090","num_gpus":1,"dph_total":0.4,"rentable":true}]}"#;

#[test]
fn bans_that_hide_every_match_are_named_in_the_empty_table() {
    let mut desk = TestApp::with_offers(OF_ONE_HOST);
    desk.keys("X down enter").expect("Banned host 70: 2 rows hidden");
    desk.keys("r").answer(OF_ONE_HOST);
    desk.expect("Your bans hide all 2 offers that match")
        .expect_not("No offers match");
    desk.keys(":").type_text("show-banned").keys("enter");
    desk.answer(OF_ONE_HOST).expect("✗ banned");
    // Where the market itself left them out, nobody knows how many there are.
    let mut desk = TestApp::with_offers(OF_ONE_HOST);
    desk.keys("X down enter r").answer(r#"{"offers":[]}"#);
    desk.expect("No offers match this query")
        .expect("1 ban in force may hide matches");
}
