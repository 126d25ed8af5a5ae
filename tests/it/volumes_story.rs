//! Shopping for network volumes, key by key: cost of a size and term, an offer with a volume, and
//! markets without any.

use bourse::api::{ApiError, Request};
use bourse::domain::Resource;

use crate::desk::{Desk, THREE};
use crate::unlist_story::at_volumes;

/// The lines of the screen that hold a text.
fn lines(desk: &Desk, text: &str) -> Vec<String> {
    let screen = desk.screen();
    let found = screen.lines().filter(|line| line.contains(text));
    found.map(str::to_owned).collect()
}

/// The words of the one line that holds a text.
#[track_caller]
fn words(desk: &Desk, text: &str) -> Vec<String> {
    let found = lines(desk, text);
    assert_eq!(found.len(), 1, "{text}\n{}", desk.screen());
    found[0].split_whitespace().map(str::to_owned).collect()
}

/// Empties the line that is typed into and types a text.
fn retype(desk: &mut Desk, text: &str) {
    desk.keys("ctrl-u").type_text(text);
}

#[test]
fn both_spellings_of_the_hourly_price_are_read() {
    let desk = at_volumes();
    assert!(words(&desk, "US Texas").contains(&"0.001400".to_owned())); // storage_cost_total
    assert!(words(&desk, "IS Iceland").contains(&"0.000700".to_owned())); // storage_total_cost
}

#[test]
fn a_size_and_months_give_sortable_columns() {
    let mut desk = at_volumes();
    desk.keys("J")
        .expect("Volume cost")
        .expect("100 GB")
        .expect("1 month");
    retype(&mut desk, "500");
    desk.keys("tab");
    retype(&mut desk, "3");
    // The selected volume is the one in Iceland at 0.05 $/GB/month: 500 GB cost 25 $ a month of
    // 720 h, 0.034722 $/h, 75 $ in three months of 30 days.
    desk.expect("$0.034722/h").expect("$25.00").expect("$75.00");
    desk.expect("0.05 $/GB/month x 500 GB / 720 h");
    desk.keys("enter")
        .expect_not("Volume cost")
        .expect("Term $");
    let iceland = words(&desk, "IS Iceland");
    // It ends after 9.5 days, long before the three months: its sum is marked.
    assert!(iceland.contains(&"!75.00".to_owned()), "{iceland:?}");
    assert!(iceland.contains(&"25.00".to_owned()), "{iceland:?}");
    let texas = words(&desk, "US Texas");
    assert!(texas.contains(&"!150.00".to_owned()), "{texas:?}");
    desk.selects("4002");
    desk.click("Term $")
        .keys("g")
        .selects("4002")
        .expect("Term $▲");
    desk.click("Term $▲")
        .keys("g")
        .selects("4001")
        .expect("Term $▼");
    assert!(desk.calls.is_empty(), "all of it is worked out here");
    desk.keys("r");
    let Request::Search(query) = desk.asked() else {
        panic!()
    };
    let body = bourse::api::wire::encode(
        &Request::Search(query.clone()),
        &bourse::domain::Dialect::DOCUMENTED,
    );
    let text = body.body_text().unwrap();
    assert!(!text.contains("volume_term"), "no market knows it: {text}");
}

#[test]
fn days_weeks_and_terabytes_are_understood() {
    for (size, span, total) in [
        ("2TB", "45 days", "$150.00"), // 0.05 x 2000 x 1.5 months
        ("2000 gb", "45d", "$150.00"), // the same
        ("2000", "1.5", "$150.00"),    // a bare number is months
        ("1000", "2 weeks", "$23.33"), // 0.05 x 1000 x 14 / 30
        ("1000", "0", "$0.00"),
        ("1000", "36 h", "$2.50"), // 0.05 x 1000 / 720 x 36
    ] {
        let mut desk = at_volumes();
        desk.keys("J");
        retype(&mut desk, size);
        desk.keys("down");
        retype(&mut desk, span);
        let whole = words(&desk, "Whole term");
        assert!(
            whole.contains(&total.to_owned()),
            "{size} {span}: {whole:?}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_said_and_the_form_stays() {
    for (line, typed, complaint) in [
        ("", "much", "Size: not a size"),
        ("", "-5", "Size: not a size"),
        ("", "1e99", "Size: not a size"),
        (
            "",
            "99999999999",
            "Size: size in GB must be a number from 0 to 1000000000",
        ),
        ("tab", "long", "For how long: not a span"),
        ("tab", "", "For how long: not a span"),
        (
            "tab",
            "1300 months",
            "For how long: days must be a number from 0 to 36500",
        ),
    ] {
        let mut desk = at_volumes();
        desk.keys("J").keys(line);
        retype(&mut desk, typed);
        desk.keys("enter").expect("Volume cost");
        desk.expect(complaint).expect_not("Term $");
    }
}

#[test]
fn the_form_is_left_as_it_was_and_can_be_taken_back() {
    let mut desk = at_volumes();
    desk.keys("J");
    retype(&mut desk, "777");
    desk.keys("esc").expect_not("Term $");
    desk.keys("J").expect_not("777");
    desk.keys("enter").expect("Term $");
    desk.click("Term $").expect("Term $▲");
    desk.keys("J ctrl-x")
        .expect_not("Term $")
        .expect("priced per GB again");
    desk.keys("r");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn the_detail_shows_cost_availability_room_and_the_spread_of_speeds() {
    let mut desk = at_volumes();
    desk.keys("enter");
    desk.expect("100GB for 30 days")
        .expect("An example (J sets size and term)");
    // Until 1796000000, 824000 s from now: 9.5 days, 20.5 days short of a month.
    desk.expect("! The volume ends 20 days before the term does")
        .expect_not("too small");
    desk.expect("80 MB/s (50–100)");
    desk.keys("J");
    retype(&mut desk, "12000");
    desk.keys("tab");
    retype(&mut desk, "5 days");
    desk.keys("enter").expect("12TB for 5 days");
    desk.expect("! The volume is 3000GB too small")
        .expect("Left over: 4.5 days of the volume");
}

#[test]
fn a_record_without_prices_says_what_is_missing() {
    let mut desk = Desk::with_offers(THREE);
    desk.keys("2")
        .answer(r#"{"offers":[{"ask_contract_id":1,"geolocation":"FR"}]}"#);
    desk.keys("enter")
        .expect("No bill: the record does not say storage_cost");
    desk.expect("Price not reported").expect_not("MB/s (");
}

#[test]
fn an_offer_s_basket_asks_once_and_names_the_country() {
    let mut desk = Desk::with_offers(THREE);
    desk.keys("B")
        .expect("Volumes for offer 101")
        .expect("1× RTX 4090, Texas, US: $0.410/h, $295.20 a month");
    desk.expect("Loading volumes");
    let Request::Search(query) = desk.asked() else {
        panic!()
    };
    assert_eq!(
        (query.resource, query.limit),
        (Resource::Volumes, Some(500))
    );
    desk.answer(crate::unlist_story::TWO);
    // The offer names no cluster: one volume stands in the US, at 10 $ a month for 100 GB.
    desk.expect("are in its country, none in its cluster")
        .expect("not be able to mount them");
    desk.resize(99, 40);
    let line = words(&desk, "4001");
    assert!(line.contains(&"10.00".to_owned()), "{line:?}");
    assert!(line.contains(&"305.20".to_owned()), "{line:?}");
    desk.expect_not("4002");
    desk.resize(120, 40).expect("295.2 + 10");
    desk.keys("esc").expect("All 3 ");
    desk.keys("B");
    assert!(desk.calls.is_empty(), "the volumes are here already");
}

#[test]
fn a_volume_of_the_same_cluster_comes_before_the_country() {
    let mut desk = Desk::new();
    desk.answer(&THREE.replace("\"machine_id\":7,", "\"machine_id\":7,\"cluster_id\":8,"));
    desk.keys("2").answer(crate::unlist_story::TWO).keys("1 B");
    assert!(desk.calls.is_empty(), "the Volumes pane's rows are used");
    desk.resize(99, 40)
        .expect("1 of 2 volumes in your search (verified=true) are in its cluster");
    desk.expect("4002").expect_not("4001");
    desk.keys("J");
    retype(&mut desk, "1000");
    desk.keys("enter");
    let line = words(&desk, "9000GB");
    assert!(line.contains(&"345.20".to_owned()), "{line:?}"); // 295.20 + 0.05 x 1000
    desk.keys("enter").selects("4002").expect("Term $");
}

#[test]
fn the_basket_opens_from_the_detail_and_one_step_leads_back() {
    let mut desk = Desk::with_offers(THREE);
    desk.keys("enter B")
        .answer(crate::unlist_story::TWO)
        .expect("Both $/mo");
    desk.keys("esc")
        .expect("[Overview]")
        .expect_not("Both $/mo");
}

#[test]
fn leaving_the_basket_stops_its_request() {
    let mut desk = Desk::with_offers(THREE);
    desk.keys("B");
    assert_eq!(desk.calls.len(), 1);
    desk.keys("esc");
    assert!(desk.calls.is_empty());
}

#[test]
fn the_basket_s_failure_is_told_and_r_asks_again() {
    let mut desk = Desk::with_offers(THREE);
    desk.keys("B").fail(ApiError::NotOffered);
    desk.expect("this market has no network volumes");
    desk.keys("r")
        .answer(crate::unlist_story::TWO)
        .expect("4001");
}

#[test]
fn keys_of_other_panes_say_where_they_belong() {
    let mut desk = at_volumes();
    desk.keys("B").expect("Only on Offers (1)");
}

#[test]
fn a_market_without_volumes_is_explained() {
    let mut desk = Desk::with_offers(THREE);
    desk.keys("2").fail(ApiError::NotOffered);
    desk.expect("This market has no network volumes")
        .expect("not every market offers them")
        .expect("1 offers");
    let mut desk = Desk::with_offers(THREE);
    desk.keys("2").answer(r#"{"success":true,"offers":[]}"#);
    desk.expect("No network volumes match this query");
}

#[test]
fn small_screens_keep_form_and_basket_usable() {
    let mut desk = at_volumes();
    desk.resize(40, 10)
        .keys("J")
        .expect("Size")
        .expect("For how long");
    desk.expect("$5.00");
    desk.keys("enter").expect("Term $");
    let mut desk = Desk::with_offers(THREE);
    desk.resize(40, 10)
        .keys("B")
        .answer(crate::unlist_story::TWO)
        .expect("4001");
}

#[test]
fn the_size_and_term_come_back_after_a_restart() {
    let mut desk = at_volumes();
    desk.keys("J");
    retype(&mut desk, "512.5");
    desk.keys("enter");
    let snapshot = desk.model.snapshot();
    let mut desk = Desk::with_offers(THREE);
    desk.model.restore(
        Some(&snapshot),
        bourse::domain::saved::Searches::default(),
        false,
    );
    desk.keys("1 2 r").answer(crate::unlist_story::TWO);
    let texas = words(&desk, "US Texas");
    assert!(texas.contains(&"51.25".to_owned()), "{texas:?}"); // 0.1 x 512.5
}

#[test]
fn volumes_are_summarised_and_plotted_like_offers() {
    let mut desk = at_volumes();
    desk.keys("m")
        .expect("Summary of the rows here")
        .expect("[country]");
    // 800 MB/s for 0.1 $/GB/month, 80 for 0.05.
    let texas = words(&desk, "US ");
    assert!(texas.contains(&"8000".to_owned()), "{texas:?}");
    desk.keys("right").expect("[cluster]");
    desk.keys("left s s s").expect("most MB/s per $ first");
    desk.keys("g enter");
    let Request::Search(query) = desk.asked() else {
        panic!()
    };
    assert_eq!(query.resource, Resource::Volumes);
    assert_eq!(
        bourse::domain::language::print(&query.conditions),
        "verified=true geolocation=US"
    );
    let mut desk = at_volumes();
    desk.keys("p").expect("$/GB/mo").expect("Avg MB/s");
    desk.keys("o")
        .type_text("disk_space")
        .keys("enter")
        .expect("by Space GB (x)");
    desk.keys("esc 1 p").expect("DLPerf");
}

#[test]
fn volumes_are_marked_compared_filtered_and_saved_from_the_same_code() {
    let mut desk = at_volumes();
    desk.keys("space space v")
        .expect("4001")
        .expect("4002")
        .expect("Space");
    desk.keys("esc b").expect("Cheap network storage");
}
