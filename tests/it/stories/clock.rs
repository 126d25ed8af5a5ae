//! A clock that is set: by years, in either direction, under a running dashboard.

use crate::test_app::{THREE, TestApp};

const YEARS: f64 = 10.0 * 365.25 * 86_400.0;

#[test]
fn a_clock_set_by_ten_years_breaks_nothing_and_asks_for_nothing() {
    for shift in [YEARS, -YEARS] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys("w").wait(10.0);
        assert!(desk.calls.is_empty());
        desk.now.epoch += shift;
        desk.wait(1.0);
        assert!(
            desk.calls.is_empty(),
            "the pause counts what passed, not what the clock says"
        );
        for keys in ["enter tab tab tab esc", "p esc", "J esc", "2", "3", "4", "1"] {
            desk.keys(keys).wait(0.1);
        }
        desk.calls.clear();
        // Control: in its own time it refreshes, once.
        desk.wait(30.0);
        assert_eq!(desk.calls.len(), 1, "{shift}");
        desk.answer(THREE).expect("updated 0 s ago");
    }
}
