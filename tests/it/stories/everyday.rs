//! What people try first, and what they then expect on the screen.

use bourse::api::Request;
use bourse::core::message::{EffectError, Message};
use bourse::domain::language;

use crate::stories::groups::at_groups;
use crate::stories::unlist::at_volumes;
use crate::test_app::{THREE, TestApp};

/// The last line of the screen.
fn footer(desk: &TestApp) -> String {
    desk.screen().lines().last().unwrap_or_default().to_owned()
}

/// The line of the screen that holds a text, and its number.
#[track_caller]
fn line(desk: &TestApp, text: &str) -> (usize, String) {
    let screen = desk.screen();
    let mut lines = screen.lines().enumerate();
    let found = lines.find(|(_, line)| line.contains(text));
    let (place, line) = found.unwrap_or_else(|| panic!("no {text:?}\n{screen}"));
    (place, line.to_owned())
}

/// The conditions of the oldest unanswered search, as a person would type them.
fn asked(desk: &TestApp) -> String {
    match desk.asked() {
        Request::Search(query) => language::print_briefly(&query.conditions),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_country_group_works_behind_an_equals_sign_and_tab_offers_it_with_its_rows() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("geo=eur");
    // Of the three offers, one is in Iceland.
    desk.expect("EUROPE");
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains("group of countries"));
    let line = line.unwrap_or_else(|| panic!("{screen}"));
    let count = line.split("group of countries").nth(1).unwrap();
    assert!(count.trim_start().starts_with('1'), "{line}");
    desk.keys("enter");
    assert_eq!(
        asked(&desk),
        "verified=true rentable=true rented=false geolocation in EUROPE"
    );
    desk.expect("/ Europe · verified");
}

#[test]
fn slash_finds_in_the_market_and_n_steps_through_the_matches() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("m /").type_text("rtx");
    desk.expect("1 of 2");
    desk.keys("enter");
    assert!(desk.highlighted().unwrap().contains("RTX"));
    let first = desk.highlighted();
    desk.keys("n").expect("2 of 2");
    assert_ne!(desk.highlighted(), first, "another group is selected");
    desk.keys("N").expect("1 of 2");
    // Esc ends the search, a second one closes the view.
    desk.keys("esc").expect("Market ▏Summary▕").expect_not("1 of 2");
    desk.keys("esc").expect_not("Market ▏Summary▕");
}

#[test]
fn slash_finds_in_a_comparison() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("space space v");
    desk.expect_not("The same in all");
    desk.keys("/").type_text("same in all").keys("enter");
    desk.expect("The same in all").expect("1 of 1");
}

#[test]
fn slash_finds_in_the_supply_check() {
    let mut desk = at_groups();
    desk.keys("S /").type_text("whisper").keys("enter");
    assert!(desk.highlighted().unwrap().contains("whisper"));
    // Without a search, n makes a new workergroup again.
    desk.keys("esc n").expect("New workergroup");
}

#[test]
fn the_keys_that_a_pane_is_for_are_in_the_footer_of_80_columns() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24);
    for hint in ["Enter details  / search  f filter  J job  m market", "? help"] {
        assert!(footer(&desk).contains(hint), "{hint}: {}", footer(&desk));
    }
    let mut desk = at_volumes();
    desk.resize(80, 24);
    for hint in ["u unlist", "J term", "? help"] {
        assert!(footer(&desk).contains(hint), "{hint}: {}", footer(&desk));
    }
    let mut desk = at_groups();
    desk.resize(80, 24);
    for hint in ["n new", "t test route", "? help"] {
        assert!(footer(&desk).contains(hint), "{hint}: {}", footer(&desk));
    }
}

#[test]
fn a_notice_is_in_the_place_of_the_age_and_shortens_no_tab() {
    let mut desk = TestApp::with_offers(THREE);
    let header = |desk: &TestApp| desk.screen().lines().next().unwrap_or_default().to_owned();
    for (columns, rows) in [(120, 40), (80, 24)] {
        desk.resize(columns, rows);
        let before = footer(&desk);
        assert!(header(&desk).contains(" ago"), "{}", header(&desk));
        desk.keys("esc");
        let tabs = " 1 Offers  2 Volumes  3 Workergroups  4 Requests  ";
        assert!(header(&desk).contains(tabs), "{}", header(&desk));
        assert!(header(&desk).contains("  Press q to quit"), "{}", header(&desk));
        assert!(!header(&desk).contains(" ago"), "{}", header(&desk));
        assert_eq!(footer(&desk), before);
        desk.wait(5.0);
        assert!(header(&desk).contains(" ago"), "{}", header(&desk));
    }
    // One that needs more room than the line has is shown below it, whole.
    let long = format!("{} end", "a sentence that is long, ".repeat(5));
    desk.send(Message::Report(Err(EffectError::new(long.as_str()))));
    desk.wait(0.0);
    desk.expect("✗ a sentence that is long,").expect(" end");
    assert!(header(&desk).contains("1 Offers"), "{}", header(&desk));
}

#[test]
fn a_long_notice_covers_neither_the_search_nor_what_is_typed() {
    let long = || {
        let text = format!("{} end", "a sentence that is long, ".repeat(5));
        Message::Report(Err(EffectError::new(text.as_str())))
    };
    let line_of = |desk: &TestApp, text: &str| {
        let screen = desk.screen();
        let line = screen.lines().find(|line| line.contains(text));
        line.expect(text).to_owned()
    };
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = TestApp::with_offers(THREE);
        desk.resize(columns, rows);
        let before = line_of(&desk, "/ verified");
        desk.send(long());
        desk.wait(0.0).expect("a sentence that is long");
        assert_eq!(line_of(&desk, "/ verified"), before);
        desk.keys("/ ctrl-u").type_text("rtx 4090 in europe under 0.40");
        desk.send(long());
        desk.wait(0.0)
            .expect("a sentence that is long")
            .expect("rtx 4090 in europe under 0.40")
            .expect("dph_total<0.4");
        // The search of a list is in its first line.
        desk.keys("esc esc f").type_text("reliab");
        desk.send(long());
        desk.wait(0.0).expect("a sentence that is long").expect("/ reliab");
    }
}

#[test]
fn few_workergroups_leave_the_room_to_what_they_are() {
    for (columns, rows) in [(120, 40), (200, 60)] {
        let mut desk = at_groups();
        desk.resize(columns, rows);
        let (last, _) = line(&desk, "whisper");
        let (launch, text) = line(&desk, "Launch");
        assert!(launch > last, "below the list\n{}", desk.screen());
        assert!(
            text.chars()
                .take(usize::from(columns) / 2 + 10)
                .collect::<String>()
                .contains("Launch")
        );
        desk.expect("Scaling").expect("JSON");
        // The key stays hidden there too.
        desk.expect_not("canary");
    }
    // A moved divider stays where it is.
    let mut desk = at_groups();
    let sides = |desk: &TestApp| line(desk, "whisper").1.matches(['│', '┃']).count();
    assert_eq!(sides(&desk), 2);
    desk.keys("+");
    assert_eq!(sides(&desk), 4, "beside each other\n{}", desk.screen());
}

#[test]
fn the_preview_of_an_offer_goes_on_with_its_prices_and_fields() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("j");
    let (machine, _) = line(&desk, "Machine 8");
    let (prices, _) = line(&desk, "Prices");
    assert!(prices > machine);
    desk.expect("On-demand").expect_not("No job set");
    desk.resize(200, 60).expect("No job set (J sets one)").expect("More");
}

#[test]
fn the_countries_follow_the_models_without_a_gap() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(200, 60);
    let (country, _) = line(&desk, "Country ");
    let screen = desk.screen();
    // Three models; a blank line; the countries.
    let (gpu, _) = line(&desk, " GPU ");
    assert_eq!(country - gpu, 5, "{screen}");
}

#[test]
fn what_is_typed_does_not_touch_the_number_of_rows() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("/");
    desk.type_text("gpu_name=RTX_4090 num_gpus>=2 dph<1 inet_down>=1Gbps");
    let (_, bar) = line(&desk, "inet_down>=1Gbps");
    let rest = bar.split("1Gbps").nth(1).unwrap();
    assert_eq!(rest.trim(), "3 of 3 loaded");
    assert!(rest.starts_with("   "), "{bar}");
}

#[test]
fn sorting_by_the_cost_of_a_job_asks_for_the_job() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("s").type_text("$");
    let first = desk.highlighted().unwrap();
    assert!(!first.contains("Job $"), "{first}");
    desk.keys("ctrl-u").type_text("job_cost");
    assert!(desk.highlighted().unwrap().contains("needs a job: J"));
    desk.keys("enter").expect("Price offers");
    desk.keys("esc").expect("sort by Job $ needs a job (J)");
    desk.keys("J enter").expect("Job $ ▲");
}

#[test]
fn memory_reads_alike_in_every_view() {
    let offers = THREE.replace("\"inet_down\":900.0", "\"inet_down\":900.0,\"cpu_ram\":622000");
    let mut desk = TestApp::with_offers(&offers);
    desk.expect("24 GB").expect("622 GB RAM");
    desk.keys("space space v").expect("622 GB").expect("24 GB");
    desk.expect_not("24.6 GB").expect_not("608 GB");
}

#[test]
fn help_shows_the_signs_that_the_tables_show() {
    let mut desk = TestApp::with_offers(THREE);
    desk.expect("›");
    desk.keys("?");
    let (_, text) = line(&desk, "the selected row");
    assert!(text.contains('›'), "{text}");
}

#[test]
fn the_filters_say_what_their_last_column_means() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("f").expect("Sent to the market");
    desk.keys("down down").expect("Applied to the loaded rows");
}
