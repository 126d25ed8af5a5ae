//! What people try first, and what they then expect on the screen.

use bourse::api::Request;
use bourse::domain::language;

use crate::desk::{Desk, THREE};

/// The conditions of the oldest unanswered search, as a person would type them.
fn asked(desk: &Desk) -> String {
    match desk.asked() {
        Request::Search(query) => language::print_briefly(&query.conditions),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_country_group_works_behind_an_equals_sign_and_tab_offers_it_with_its_rows() {
    let mut desk = Desk::with_offers(THREE);
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
    desk.expect("geolocation in EUROPE");
}
