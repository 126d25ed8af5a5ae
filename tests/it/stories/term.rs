//! The form of a volume's size and term, key by key; bills are worked out by hand.

use bourse::api::Request;

use crate::stories::unlist::at_volumes;
use crate::test_app::{THREE, TestApp};

/// The words of the one line that holds a text.
#[track_caller]
fn words(desk: &TestApp, text: &str) -> Vec<String> {
    let screen = desk.screen();
    let found: Vec<_> = screen.lines().filter(|line| line.contains(text)).collect();
    assert_eq!(found.len(), 1, "{text}\n{screen}");
    found[0].split_whitespace().map(str::to_owned).collect()
}

/// Empties the line that is typed into and types a text.
fn retype(desk: &mut TestApp, text: &str) {
    desk.keys("ctrl-u").type_text(text);
}

#[test]
fn a_size_and_months_give_sortable_columns() {
    let mut desk = at_volumes();
    desk.keys("J")
        .expect("Size and term")
        .expect("100 GB")
        .expect("1 month");
    retype(&mut desk, "500");
    desk.keys("tab");
    retype(&mut desk, "3");
    // The selected volume is the one in Iceland at 0.05 $/GB/month: 500 GB cost 25 $ a month of
    // 720 h, 0.034722 $/h, 75 $ in three months of 30 days.
    desk.expect("$0.034722/h").expect("$25.00").expect("$75.00");
    desk.expect("0.05 $/GB/month × 500 GB / 720 h");
    desk.keys("enter").expect_not("Size and term").expect("Term $");
    desk.resize(200, 60);
    let iceland = words(&desk, " Iceland  ");
    // It ends after 9.5 days, long before the three months: its sum is marked.
    assert!(iceland.contains(&"!75.00".to_owned()), "{iceland:?}");
    assert!(iceland.contains(&"25.00".to_owned()), "{iceland:?}");
    let texas = words(&desk, "US Texas");
    assert!(texas.contains(&"!150.00".to_owned()), "{texas:?}");
    desk.selects("4002");
    desk.click("Term $").keys("g").selects("4002").expect("Term $ ▲");
    desk.click("Term $ ▲ Loc").keys("g").selects("4001").expect("Term $ ▼");
    assert!(desk.calls.is_empty(), "all of it is worked out here");
    desk.keys("r");
    let Request::Search(query) = desk.asked() else { panic!() };
    let body = bourse::api::wire::encode(&Request::Search(query.clone()), &bourse::domain::Dialect::DOCUMENTED);
    let text = body.body_text().unwrap();
    assert!(!text.contains("volume_term"), "no market knows it: {text}");
}

#[test]
fn a_size_and_a_time_in_the_query_bar_price_the_volumes() {
    let mut desk = at_volumes();
    desk.keys("/")
        .type_text(" 2 TB network volume for 3 months")
        .expect("bill 2TB for 3 months");
    desk.keys("ctrl-u")
        .type_text(" 2 TB for 3 months")
        .expect("bill 2TB for 3 months");
    desk.keys("ctrl-u")
        .type_text(" 2 TB for a quarter")
        .expect("bill 2TB for 3 months");
    desk.keys("ctrl-u")
        .type_text(" 2 TB fortnight")
        .expect("bill 2TB for 14 days");
    desk.keys("ctrl-u").type_text(" 2 TB for 3 months");
    desk.keys("enter").expect("Term $");
    let Request::Search(query) = desk.asked() else { panic!() };
    assert_eq!(query.active().filter(|own| own.field.key == "duration").count(), 1);
    desk.answer(crate::stories::unlist::TWO);
    desk.keys("J").expect("2TB").expect("3 months");
    desk.keys("esc /").type_text(" term 6 months").keys("enter J");
    desk.expect("2TB").expect("6 months");
}

#[test]
fn either_field_takes_the_whole_sentence() {
    for keys in ["", "tab"] {
        let mut desk = at_volumes();
        desk.keys("J").keys(keys);
        retype(&mut desk, "2 TB for 3 months");
        // 0.05 $/GB/month × 2000 GB × 3 months.
        desk.expect("$300.00");
        desk.keys("enter").expect_not("Size and term");
        desk.keys("J").expect("2TB").expect("3 months");
    }
    let mut desk = at_volumes();
    desk.keys("J");
    retype(&mut desk, "2 TB and 3 bananas");
    desk.keys("enter").expect("Not a size");
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
        assert!(whole.contains(&total.to_owned()), "{size} {span}: {whole:?}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_the_form_stays() {
    for (line, typed, complaint) in [
        ("", "much", "Not a size: write 200, 200GB or 1.5TB"),
        ("", "-5", "Out of range: 0 to 1,000,000,000 GB"),
        ("", "1e99", "Not a size"),
        ("", "99999999999", "Out of range: 0 to 1,000,000,000 GB"),
        ("tab", "long", "Not a duration: write 3 months"),
        ("tab", "", "Required"),
        ("tab", "1300 months", "Out of range: 0 to 36,500 days"),
    ] {
        let mut desk = at_volumes();
        desk.keys("J").keys(line);
        retype(&mut desk, typed);
        desk.resize(200, 60).keys("enter").expect("Size and term");
        desk.expect(complaint).expect_not("Term $");
        let screen = desk.screen();
        assert_eq!(screen.matches(complaint).count(), 1, "{screen}");
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
    desk.click("Term $").expect("Term $ ▲");
    desk.keys("J ctrl-x")
        .expect_not("Term $")
        .expect("Term pricing cleared");
    desk.keys("r");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn the_size_and_term_come_back_after_a_restart() {
    let mut desk = at_volumes();
    desk.keys("J");
    retype(&mut desk, "512.5");
    desk.keys("enter");
    let snapshot = desk.model.snapshot();
    let mut desk = TestApp::with_offers(THREE);
    desk.model
        .restore(Some(&snapshot), bourse::domain::saved::Searches::default(), false);
    desk.keys("1 2 r").answer(crate::stories::unlist::TWO);
    desk.resize(200, 60);
    let texas = words(&desk, "Texas");
    assert!(texas.contains(&"51.25".to_owned()), "{texas:?}"); // 0.1 x 512.5
}

#[test]
fn the_bill_tells_whether_the_volume_serves_the_term() {
    let mut desk = at_volumes();
    // Until 1796000000, 824000 s from now: 9.5 days, 20.5 days short of a month; 9000 GB are there.
    desk.keys("J")
        .expect("! The volume ends 20 days before the term does")
        .expect_not("too small");
    retype(&mut desk, "12TB");
    desk.expect("! The volume is 3,000 GB too small");
    desk.keys("tab");
    retype(&mut desk, "5 days");
    desk.expect("Available for 4.5 days after the term");
}

#[test]
fn the_form_is_usable_at_every_size() {
    let mut desk = at_volumes();
    desk.keys("J");
    for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        desk.resize(columns, rows).expect("Size   ").expect("Term   ");
    }
}
