//! Saved searches, presets and what survives a restart, key by key.

use bourse::api::Request;
use bourse::core::keys::{UserKeys, configured};
use bourse::core::message::{Effect, EffectError};
use bourse::core::{Model, Pane};
use bourse::domain::cost::Job;
use bourse::domain::document::Edit;
use bourse::domain::saved::{DashboardState, SearchChange, Searches};
use bourse::domain::{Dialect, OfferType, Query, RowId, language};

use crate::test_app::{THREE, TestApp};

/// What the newest request asks for.
fn asked(desk: &TestApp) -> &Query {
    match &desk.calls.last().expect("nothing was asked").1 {
        Request::Search(query) => query,
        other => panic!("{other:?}"),
    }
}

fn text(query: &Query) -> String {
    language::print(&query.conditions)
}

/// The changes to the searches that were to be kept, in order.
fn changes(desk: &TestApp) -> Vec<&SearchChange> {
    desk.changes_of::<Searches>().collect()
}

/// A desk with two searches of its own: `cheap` (offers) and `disks` (volumes).
fn with_two() -> TestApp {
    let searches: Searches = serde_json::from_str(
        r#"{"saved":[
            {"name":"cheap","resource":"offers","query":"dph_total<0.5","order":"dph_total","limit":20},
            {"name":"disks","resource":"volumes","query":"disk_space>=100"}]}"#,
    )
    .unwrap();
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches, false);
    });
    desk.answer(THREE);
    desk
}

#[test]
fn the_list_shows_own_searches_and_presets_apart() {
    let mut desk = with_two();
    desk.keys("b")
        .expect("Your searches")
        .expect("Save this search")
        .expect("› cheap")
        .expect("Presets")
        .expect("8x H100 in a datacenter")
        .expect("offers, preset")
        .expect("dph_total<0.5");
    // The second panel shows the selected one.
    desk.expect("Sort  dph_total").expect("Limit  20");
    desk.keys("esc").expect_not("Your searches").selects("101");
}

#[test]
fn a_question_with_one_field_hints_at_no_other_field() {
    let mut desk = with_two();
    desk.keys("b up enter").expect("Name").expect("Enter save");
    desk.expect_not("next field").expect_not("last field");
}

#[test]
fn a_saved_search_runs_in_its_pane_with_all_its_settings() {
    let mut desk = with_two();
    desk.keys("b enter");
    let query = asked(&desk);
    assert_eq!(text(query), "dph_total<0.5");
    assert_eq!(language::print_order(&query.order), "dph_total");
    assert_eq!(query.limit, Some(20));
    // The rows that are here stay while the new ones load, in the new order: 103 is the cheapest.
    desk.expect("3 offers of an earlier query").selects("103");
    desk.keys("b").type_text("disks").keys("enter");
    assert_eq!(desk.model.pane, Pane::Volumes);
    assert_eq!(text(asked(&desk)), "disk_space>=100");
    desk.expect("/ ≥ 100 GB space\n");
}

#[test]
fn a_preset_runs_as_it_is() {
    let mut desk = with_two();
    desk.keys("b").type_text("bargain").keys("enter");
    let query = asked(&desk);
    assert_eq!(query.offer_type, OfferType::Bid);
    assert_eq!(query.limit, Some(500), "as a search of the pane");
    assert_eq!(query.storage, Some(8.0));
    // It can be recalled in the bar.
    desk.keys("/ ctrl-u up").expect("reliability>=0.97");
}

#[test]
fn the_running_search_is_saved_under_a_name() {
    let mut desk = with_two();
    desk.keys("/").type_text("num_gpus>=2 hundred").keys("enter b up enter");
    desk.expect("Name");
    desk.type_text("two or more").keys("enter");
    desk.expect("› two or more").expect("Saved “two or more”");
    let [SearchChange::Put(search)] = changes(&desk)[..] else {
        panic!("{:?}", desk.effects)
    };
    assert_eq!(search.name, "two or more");
    assert_eq!(
        search.spec.query,
        "verified=true rentable=true rented=false num_gpus>=2 hundred"
    );
    assert_eq!(search.spec.order.as_deref(), Some("score-"));
    assert_eq!(search.spec.limit, Some(500));
    desk.keys("esc :").type_text("save-search").keys("enter");
    desk.expect("num_gpus>=2");
}

#[test]
fn a_search_is_saved_under_its_words_and_found_where_it_was_saved() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = with_two();
        desk.resize(columns, rows);
        if columns > 80 {
            desk.expect("A alert");
        }
        desk.keys("/").type_text("4090 europe 200gb 3 days").keys("enter");
        desk.answer(THREE).keys("B").expect("Left empty: “4090 Europe 3 days”.");
        desk.keys("enter").expect("Saved “4090 Europe 3 days”");
        // Among others it is selected; the next time the list opens on the first saved one.
        desk.keys("b").expect("› 4090 Europe 3 days");
        desk.keys("esc b").expect("› cheap");
        // The same name again asks first.
        desk.keys("esc B enter").expect("Replace the saved search?");
    }
}

/// Types a job of 3 days with 200 GB into its form and takes it.
fn set_job(desk: &mut TestApp) {
    desk.keys("J ctrl-u").type_text("3d");
    desk.keys("tab tab ctrl-u").type_text("200");
    desk.keys("enter");
    desk.expect("Offers priced for 3d, 200 GB, 20 GB in, 5 GB out");
}

#[test]
fn a_search_sorted_by_the_cost_of_a_job_keeps_the_job() {
    let mut desk = with_two();
    set_job(&mut desk);
    desk.expect("Job $ ▲");
    desk.keys("b up enter").type_text("whole job").keys("enter");
    let [SearchChange::Put(search)] = changes(&desk)[..] else {
        panic!("{:?}", desk.effects)
    };
    assert_eq!(search.spec.order.as_deref(), Some("job_cost"));
    assert_eq!(search.job.map(|job| job.run_hours), Some(72.0));
    desk.expect("Sort  job_cost")
        .expect("Limit  500")
        .expect("Prices  on-demand")
        .expect("Storage  200 GB")
        .expect("Job  3d, 200 GB, 20 GB in, 5 GB out");
    let searches = desk.model.searches.clone();
    // Another start, without a job: the search brings its own.
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches.clone(), false);
    });
    desk.answer(THREE).expect_not("Job $");
    desk.keys("b").type_text("whole job").keys("enter");
    desk.answer(THREE).expect("Job $ ▲").expect_not("needs a job");
    assert_eq!(
        desk.model.browsers[bourse::domain::Resource::Offers]
            .computed
            .job
            .map(|job| job.disk_gb),
        Some(200.0)
    );
    // So it does as the start-up search.
    let mut at_start = searches;
    at_start.startup = Some("whole job".to_owned());
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, at_start, false);
    });
    desk.answer(THREE).expect("Job $ ▲");
}

#[test]
fn a_search_without_a_job_leaves_the_persons_alone_and_says_what_its_order_needs() {
    let searches: Searches = serde_json::from_str(
        r#"{"saved":[
            {"name":"cheap","resource":"offers","query":"dph_total<50","order":"dph_total"},
            {"name":"old","resource":"offers","query":"","order":"job_cost,dph_total-"},
            {"name":"odd","resource":"offers","query":"","job":{"run_hours":-1}}]}"#,
    )
    .unwrap();
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches, false);
    });
    desk.answer(THREE);
    desk.keys("b").type_text("old").keys("enter");
    desk.answer(THREE);
    // What cannot sort has no arrow; what can sorts.
    desk.expect("disk · sort by Job $ needs a job (J)");
    assert!(!desk.screen().contains("Job $ ▲"), "{}", desk.screen());
    set_job(&mut desk);
    desk.expect("sort Job $ ▲, $/h ▼").expect_not("needs a job");
    desk.keys("b").type_text("cheap").keys("enter");
    assert_eq!(
        desk.model.browsers[bourse::domain::Resource::Offers]
            .computed
            .job
            .map(|job| job.run_hours),
        Some(72.0)
    );
    // A job that is none stands against running the search.
    desk.keys("b").type_text("odd").expect("(job: run hours must be");
}

#[test]
fn the_key_that_gives_a_job_is_the_persons_own() {
    let searches: Searches = serde_json::from_str(
        r#"{"saved":[{"name":"old","resource":"offers","query":"","order":"job_cost"}],"startup":"old"}"#,
    )
    .unwrap();
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches, false);
        let own = UserKeys {
            name: "job".to_owned(),
            keys: vec!["f7".to_owned()],
            line: 1,
        };
        model.keymap = configured(&[own]).0;
    });
    desk.answer(THREE).expect("sort by Job $ needs a job (F7)");
}

#[test]
fn a_group_of_countries_stays_one() {
    let mut desk = with_two();
    desk.keys("/").type_text("geolocation in EUROPE").keys("enter");
    desk.answer(THREE);
    desk.keys("b up enter").type_text("near").keys("enter");
    let [SearchChange::Put(search)] = changes(&desk)[..] else {
        panic!("{:?}", desk.effects)
    };
    assert!(
        search.spec.query.ends_with("geolocation in EUROPE"),
        "{}",
        search.spec.query
    );
    desk.expect("/ Europe · verified");
    desk.keys("enter");
    assert!(text(asked(&desk)).contains("[AT,BE,BG,HR"));
    // A search of an older file lists them one by one, and means the same.
    let codes = "[AT,BE,BG,HR,CY,CZ,DK,EE,FI,FR,DE,GR,HU,IE,IT,LV,LT,LU,MT,NL,PL,PT,RO,SK,SI,ES,SE]";
    let searches: Searches = serde_json::from_str(&format!(
        r#"{{"saved":[{{"name":"old","resource":"offers","query":"geolocation in {codes}"}}]}}"#
    ))
    .unwrap();
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches, false);
    });
    desk.keys("b").expect("geolocation in EU").expect_not("[AT,");
}

#[test]
fn a_name_is_checked_and_one_that_is_taken_is_asked_about() {
    let mut desk = with_two();
    desk.keys("b up enter").keys("enter").expect("enter a name");
    desk.type_text("Cheapest 24 GB card")
        .keys("enter")
        .expect("a preset already has this name");
    desk.keys("ctrl-u").type_text("cheap").keys("enter");
    desk.expect("Replace the saved search?");
    assert!(changes(&desk).is_empty());
    // No: what was typed is still there.
    desk.keys("n").expect("   cheap").expect_not("Replace the");
    desk.keys("enter y");
    let [SearchChange::Put(search)] = changes(&desk)[..] else {
        panic!("{:?}", desk.effects)
    };
    assert_eq!(search.name, "cheap");
    assert!(search.spec.query.starts_with("verified=true"));
    assert_eq!(desk.model.searches.saved.len(), 2);
}

#[test]
fn a_search_is_renamed_moved_and_deleted() {
    let mut desk = with_two();
    desk.keys("b f2").expect("   cheap");
    desk.keys("ctrl-u").type_text("disks").keys("enter");
    desk.expect("another search already has this name");
    desk.keys("ctrl-u").type_text("bargains").keys("enter");
    desk.expect("› bargains");
    desk.keys(">").expect("› bargains");
    let names = |desk: &TestApp| -> Vec<String> {
        let saved = desk.model.searches.saved.iter();
        saved.map(|search| search.name.clone()).collect()
    };
    assert_eq!(names(&desk), ["disks", "bargains"]);
    desk.keys("<");
    assert_eq!(names(&desk), ["bargains", "disks"]);
    desk.keys("delete").expect("Delete the saved search?");
    desk.keys("enter").expect("› bargains"); // it cancels: only y deletes
    assert_eq!(names(&desk).len(), 2);
    desk.keys("delete y").expect("Deleted “bargains”");
    assert_eq!(names(&desk), ["disks"]);
    desk.expect("› disks");
    assert_eq!(changes(&desk).len(), 4);
}

#[test]
fn a_preset_is_hidden_and_shown_again_but_stays_as_it_is() {
    let mut desk = with_two();
    desk.keys("b").type_text("h100").keys("f2");
    desk.expect("Presets can't be changed");
    desk.keys("delete").expect_not("8x H100");
    assert_eq!(changes(&desk), [&SearchChange::Hide("8x H100 in a datacenter".into())]);
    desk.keys("ctrl-u").expect_not("8x H100");
    desk.keys("end");
    desk.type_text("hidden").keys("enter ctrl-u");
    desk.expect("8x H100 in a datacenter").expect_not("1 hidden");
}

#[test]
fn one_search_is_marked_to_run_at_the_start() {
    let mut desk = with_two();
    desk.keys("b space")
        .expect("offers, start")
        .expect("Runs at every start");
    assert_eq!(desk.model.searches.startup.as_deref(), Some("cheap"));
    desk.keys("space esc");
    assert_eq!(desk.model.searches.startup, None);
    // The next start runs the marked one, in its pane.
    let mut searches = desk.model.searches.clone();
    searches.startup = Some("disks".to_owned());
    let desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches.clone(), false);
    });
    assert_eq!(desk.model.pane, Pane::Volumes);
    assert_eq!(text(asked(&desk)), "disk_space>=100");
    // A query on the command line comes first.
    let desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches, true);
    });
    assert_eq!(desk.model.pane, Pane::Offers);
}

#[test]
fn a_search_that_cannot_be_read_any_more_stays_and_says_why() {
    let searches: Searches = serde_json::from_str(
        r#"{"saved":[{"name":"old","resource":"offers","query":"no_such_field>=1"}],"startup":"old"}"#,
    )
    .unwrap();
    let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(None, searches, false);
    });
    desk.expect("The start-up search “old” is not used: query:");
    desk.answer(THREE);
    desk.keys("b").expect("Can't run: query:");
    desk.keys("enter").expect("“old” cannot run");
    assert_eq!(desk.model.searches.saved.len(), 1);
}

#[test]
fn what_other_programs_saved_appears_with_the_answer() {
    let mut desk = with_two();
    desk.keys("b space");
    let mut merged = desk.model.searches.clone();
    merged.apply(&SearchChange::Put({
        let mut search = merged.saved[0].clone();
        search.name = "of another window".to_owned();
        search
    }));
    desk.keys("space"); // a second change is on its way: the first answer is old
    desk.bring_saved(Ok(merged.clone()));
    assert_eq!(desk.model.searches.startup, None);
    merged.startup = None;
    desk.bring_saved(Ok(merged));
    desk.keys("down").expect("of another window");
}

#[test]
fn a_full_disk_is_told_once_and_the_search_is_kept_in_memory() {
    let mut desk = with_two();
    desk.keys("b space space");
    let full = || Err(EffectError::new("searches.json: no space left on device"));
    desk.bring_saved::<Searches>(full());
    desk.bring_saved::<Searches>(full());
    desk.keys("esc")
        .expect("Changes can't be saved: searches.json: no space left on device");
    assert_eq!(desk.model.notices.len(), 1);
    assert_eq!(desk.model.searches.saved.len(), 2);
}

/// The dashboard as another start would bring it back.
fn restarted(snapshot: &DashboardState, given: bool) -> TestApp {
    TestApp::prepared(&Dialect::SANDBOX, |model| {
        model.restore(Some(snapshot), Searches::default(), given);
    })
}

/// What is asked to be kept, newest.
fn kept(desk: &TestApp) -> Option<DashboardState> {
    desk.edits().next_back().cloned().map(Edit::into_content)
}

fn left() -> TestApp {
    let mut desk = with_two();
    desk.keys("/").type_text("num_gpus>=2 hundred").keys("enter");
    desk.answer(THREE);
    let model: &mut Model = &mut desk.model;
    model.browsers[bourse::domain::Resource::Offers].columns.truncate(3);
    model.browsers[bourse::domain::Resource::Offers].query.storage = Some(200.0);
    model.browsers[bourse::domain::Resource::Offers]
        .marks
        .insert(RowId(102));
    model.browsers[bourse::domain::Resource::Offers].computed.job = Some(Job {
        run_hours: 72.0,
        disk_gb: 200.0,
        ..Job::default()
    });
    desk
}

/// The market gives offers new ids: an id of the last session is that of another offer, or of none. Machines stay.
#[test]
fn a_filter_for_an_offer_s_id_ends_with_the_session() {
    let mut desk = with_two();
    desk.keys("/")
        .type_text("id=102 machine_id=7 num_gpus>=1")
        .keys("enter");
    desk.answer(THREE).keys("q");
    let snapshot = kept(&desk).expect("nothing is kept");
    let desk = restarted(&snapshot, false);
    assert_eq!(
        text(asked(&desk)),
        "verified=true rentable=true rented=false machine_id=7 num_gpus>=1"
    );
}

#[test]
fn panes_queries_columns_and_marks_survive_a_restart() {
    let mut desk = left();
    desk.keys("2 q");
    let snapshot = kept(&desk).expect("nothing is kept");
    assert_eq!(desk.effects.last(), Some(&Effect::Quit));
    let mut desk = restarted(&snapshot, false);
    // A start is on the offers, wherever the last one ended.
    assert_eq!(desk.model.pane, Pane::Offers);
    let query = asked(&desk);
    assert_eq!(text(query), "verified=true rentable=true rented=false num_gpus>=2");
    assert_eq!(query.storage, Some(200.0));
    assert_eq!(desk.model.browsers[bourse::domain::Resource::Offers].words, ["hundred"]);
    assert_eq!(desk.model.browsers[bourse::domain::Resource::Offers].columns.len(), 3);
    assert!(
        desk.model.browsers[bourse::domain::Resource::Offers]
            .marks
            .contains(&RowId(102))
    );
    assert_eq!(
        desk.model.browsers[bourse::domain::Resource::Offers]
            .computed
            .job
            .map(|job| job.run_hours),
        Some(72.0)
    );
    desk.expect("/ ≥ 2 GPUs · “hundred” · ");
    desk.keys("/ ctrl-u up").expect("num_gpus>=2 hundred");
}

#[test]
fn a_query_on_the_command_line_comes_before_the_last_one() {
    let mut desk = left();
    desk.keys("2 q");
    let snapshot = kept(&desk).unwrap();
    let desk = restarted(&snapshot, true);
    assert_eq!(desk.model.pane, Pane::Offers);
    assert_eq!(text(asked(&desk)), "verified=true rentable=true rented=false");
    assert_eq!(desk.model.browsers[bourse::domain::Resource::Offers].columns.len(), 3);
}

#[test]
fn another_market_starts_afresh() {
    let mut desk = left();
    desk.keys("q");
    let mut snapshot = kept(&desk).unwrap();
    snapshot.market = "https://another.example".to_owned();
    let desk = restarted(&snapshot, false);
    assert_eq!(text(asked(&desk)), "verified=true rentable=true rented=false");
}

#[test]
fn what_cannot_be_read_of_the_last_session_is_named_and_left() {
    let mut desk = left();
    desk.keys("q");
    let mut snapshot = kept(&desk).unwrap();
    snapshot.panes[0].search.query = "no_such_field=1".to_owned();
    snapshot.panes[0].columns = vec!["no_such_column".to_owned()];
    let desk = restarted(&snapshot, false);
    desk.expect("The last query of the offers is not used: query:");
    assert_eq!(text(asked(&desk)), "verified=true rentable=true rented=false");
    assert!(desk.model.browsers[bourse::domain::Resource::Offers].columns.len() > 3);
}

#[test]
fn changes_are_kept_a_moment_after_an_input_and_only_then() {
    let mut desk = with_two();
    desk.keys("j j").wait(3.0);
    assert_eq!(kept(&desk), None, "moving changes nothing that is kept");
    desk.keys("space");
    assert_eq!(kept(&desk), None);
    assert!(desk.model.deadline(desk.now).unwrap() <= desk.now.mono + 2.0);
    desk.wait(2.5);
    assert!(kept(&desk).is_some());
    desk.effects.clear();
    desk.wait(60.0).wait(60.0);
    assert_eq!(kept(&desk), None, "once is enough");
    desk.keys("q");
    assert_eq!(desk.effects, [Effect::Quit]);
}

#[test]
fn a_search_that_is_run_begins_at_the_top_though_its_order_is_another() {
    // By score 101, 102, 103; by price 103, 101, 102.
    let mut desk = with_two();
    desk.keys("b enter");
    assert_eq!(text(asked(&desk)), "dph_total<0.5");
    desk.answer(THREE).selects("103");
}

#[test]
fn a_new_search_is_selected_in_the_list_whatever_was_typed_there() {
    let mut desk = with_two();
    desk.keys("b").type_text("save this").keys("enter");
    desk.type_text("mine").keys("enter");
    desk.expect("› mine").expect("Saved “mine”: Enter runs it");
}

#[test]
fn enter_is_a_hint_where_it_chooses_something() {
    let mut desk = with_two();
    desk.keys("b").type_text("disk").expect("Enter ");
    desk.type_text("zzz").expect("Nothing matches").expect_not("Enter ");
    desk.keys("enter").expect("Enter does nothing here");
}
