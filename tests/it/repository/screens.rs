//! Measures screens by the limits of the design: words, styles, blank rectangles, cut sentences.

use std::collections::BTreeSet;
use std::time::Duration;

use bourse::api::{ApiError, Unreachable};
use bourse::domain::{Dialect, OFFERS};
use bourse::record::ChangeKind;
use bourse::tui::theme::Theme;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier, Style};

use self::contrast::ratio;
use crate::stories::groups::{FOUND, FOUR};
use crate::stories::recorded::volume_tape;
use crate::stories::{requests, route_lab};
use crate::test_app::{TestApp, varied_offers};

#[path = "../../../crates/tui/tests/it/contrast.rs"]
mod contrast;

/// A dashboard of 200 different offers in 24-bit colours.
fn desk(columns: u16, rows: u16) -> TestApp {
    let places = ["Texas, US", "Iceland, IS", "Quebec, CA", "Bulgaria, BG"];
    let mut desk = TestApp::with_offers(&varied_offers(places));
    desk.theme = Theme::DARK;
    desk.resize(columns, rows);
    desk
}

/// The words on the screen that have a letter.
fn words(desk: &TestApp) -> usize {
    let screen = desk.screen();
    let words = screen.split_whitespace();
    words.filter(|word| word.contains(char::is_alphabetic)).count()
}

/// The styles of texts on the screen, by colour and weight; a selected row has one more.
fn styles(desk: &TestApp) -> usize {
    let is_text = |cell: &&Cell| cell.symbol().chars().all(char::is_alphanumeric);
    let selected = Theme::DARK.selected.bg;
    let cells = desk
        .cells()
        .iter()
        .filter(is_text)
        .filter(|cell| Some(cell.bg) != selected);
    let styles: BTreeSet<_> = cells
        .map(|cell| format!("{:?} {}", cell.fg, cell.modifier.contains(Modifier::BOLD)))
        .collect();
    styles.len()
}

/// The largest rectangle without a sign or a background, in percent of the screen.
fn largest_blank(desk: &TestApp, columns: usize) -> usize {
    let cells = desk.cells();
    let mut heights = vec![0_usize; columns];
    let mut largest = 0;
    for row in cells.chunks(columns) {
        for (height, cell) in heights.iter_mut().zip(row) {
            let is_blank = cell.symbol() == " " && cell.bg == Color::Reset;
            *height = if is_blank { *height + 1 } else { 0 };
        }
        for start in 0..columns {
            let mut low = usize::MAX;
            for (end, height) in heights.iter().enumerate().skip(start) {
                low = low.min(*height);
                if low == 0 {
                    break;
                }
                largest = largest.max(low * (end + 1 - start));
            }
        }
    }
    largest * 100 / cells.len()
}

#[test]
fn the_desk_has_few_words_and_styles_and_no_cut_sentence() {
    for (columns, rows, most) in [(120, 40, 200), (80, 24, 90)] {
        let desk = desk(columns, rows);
        let screen = desk.screen();
        let (words, styles) = (words(&desk), styles(&desk));
        assert!(words <= most, "{columns}x{rows}: {words} words\n{screen}");
        assert!(styles <= 7, "{columns}x{rows}: {styles} styles\n{screen}");
        assert!(!screen.contains('…'), "{columns}x{rows}: a sentence is cut\n{screen}");
    }
}

/// A view by its keys, and the largest blank rectangle in percent at 80x24 and at 200x60.
const VIEWS: [(&str, &str, usize, usize); 19] = [
    ("desk", "", 25, 22),
    ("settings", "o", 30, 22),
    ("sort", "s", 25, 25),
    ("columns", "c", 25, 22),
    ("filters", "f", 25, 22),
    ("filter on a number", "f d p h enter", 25, 22),
    ("copy", "y", 30, 22),
    ("job", "J", 25, 22),
    ("planner", "K", 25, 22),
    ("palette", ":", 25, 22),
    ("auto-refresh", "W", 25, 22),
    ("markets", "M", 30, 22),
    ("depth", "D", 25, 22),
    ("few filters found", "f r e l i a", 25, 22),
    ("no filter found", "f q q q", 25, 22),
    ("few sort keys found", "s r e l i a", 25, 22),
    ("no sort key found", "s q q q", 25, 22),
    ("few columns found", "c r e l i a", 25, 22),
    ("no column found", "c q q q", 25, 22),
];

/// A view of a volume, by its keys, and the largest blank rectangle in percent at 80x24 and at 200x60.
const VOLUME_VIEWS: [(&str, &str, usize, usize); 3] = [
    ("overview of a volume", "enter", 25, 22),
    ("fields of a volume", "enter tab", 25, 22),
    ("JSON of a volume", "enter shift-tab", 25, 22),
];

/// A response of one offer with every member of the catalog, most of them null.
fn full_offer() -> String {
    let mut offer = serde_json::json!({
        "id": 40_000_000, "gpu_name": "RTX 4090", "num_gpus": 2, "dph_total": 0.62, "gpu_ram": 24_564, "cpu_ram": 64_000,
        "inet_down": 900.5, "reliability": 0.995, "geolocation": "Texas, US", "rentable": true,
    });
    let members = offer.as_object_mut().unwrap();
    for field in OFFERS.fields().iter().filter(|field| !field.key.contains('.')) {
        members.entry(field.key).or_insert(serde_json::Value::Null);
    }
    serde_json::json!({ "offers": [offer] }).to_string()
}

/// A response of 28 volumes that differ in every number.
fn varied_volumes() -> String {
    let record = |row: usize| {
        serde_json::json!({
            "id": 47_000_000 + row * 977, "ask_contract_id": 47_000_000 + row * 977, "cluster_id": row,
            "host_id": row / 2, "disk_space": 700 + row * 331, "storage_cost": 0.04 + (row * 7 % 20) as f64 / 100.0,
            "storage_cost_total": 0.0001, "geolocation": "Texas, US", "inet_up": row * 13 + 40,
            "inet_down": row * 17 + 40, "reliability": 0.97 + row as f64 / 1000.0,
            "reliability2": 0.97 + row as f64 / 1000.0, "verified": true, "verification": "verified",
            "nw_disk_min_bw": 500 + row * 90, "nw_disk_avg_bw": 800 + row * 90, "nw_disk_max_bw": 900 + row * 90,
            "start_date": 1_795_000_000.0, "end_date": 1_797_000_000.0, "duration": 864_000 + row * 5000,
            "external": null, "rentable": true, "resource_type": "network_volume", "score": 20.0 + row as f64,
        })
    };
    let offers: Vec<_> = (0..28).map(record).collect();
    serde_json::json!({ "offers": offers }).to_string()
}

/// A view of a workergroup, by its keys, and the largest blank rectangle in percent at 200x60.
const GROUP_VIEWS: [(&str, &str, usize); 2] = [("copied group form", "C", 25), ("supply", "i", 25)];
const UNCHECKED_GROUP_VIEWS: [(&str, &str, usize); 4] = [
    ("overview of a group", "G k enter", 22),
    ("blank group form", "n", 25),
    ("fields of a group", "G k enter tab", 22),
    ("JSON of a group", "G k enter tab tab", 22),
];

/// A view of a finished series of route requests, by its keys, and the largest blank rectangle in percent at 200x60.
const ROUTE_VIEWS: [(&str, &str, usize); 3] = [
    ("run", "", 22),
    ("attempt", "enter", 22),
    ("search without a match", "/ z z z", 22),
];

/// The views with too large a blank rectangle.
#[derive(Default)]
struct Found(Vec<String>);

impl Found {
    fn measure(&mut self, name: &str, desk: &TestApp, (columns, most): (u16, usize)) {
        let blank = largest_blank(desk, usize::from(columns));
        if blank > most {
            let screen = desk.screen();
            self.0.push(format!(
                "{name}, {columns} wide: {blank}% is blank, more than {most}%\n{screen}"
            ));
        }
    }
}

#[test]
fn no_view_is_mostly_empty() {
    let mut found = Found::default();
    for (name, keys, narrow, wide) in VIEWS {
        for (columns, rows, most) in [(80_u16, 24, narrow), (200, 60, wide)] {
            let mut desk = desk(columns, rows);
            desk.keys(keys);
            found.measure(name, &desk, (columns, most));
        }
    }
    // Without a record the prices on offer now stand where the chart would be.
    let mut alerts = desk(200, 60);
    alerts.keys("A").expect("On offer now").expect(" now, $/h per GPU");
    found.measure("alerts without a record", &alerts, (200, 25));
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

#[test]
fn no_view_of_a_volume_is_mostly_empty() {
    let mut found = Found::default();
    let volumes = varied_volumes();
    for (name, keys, narrow, wide) in VOLUME_VIEWS {
        for (columns, rows, most) in [(80_u16, 24, narrow), (200, 60, wide)] {
            let mut desk = desk(columns, rows);
            desk.keys("2").answer(&volumes).keys(keys);
            found.measure(name, &desk, (columns, most));
        }
    }
    let changes: Vec<_> = (0..100_u32)
        .map(|index| match index % 3 {
            0 => (i64::from(index % 28), ChangeKind::Resized { from: 8000 + index }),
            1 => (i64::from(index % 28), ChangeKind::Repriced { from: 0.45 }),
            _ => (i64::from(index % 28), ChangeKind::Repriced { from: 0.35 }),
        })
        .collect();
    for (columns, rows, most) in [(80, 24, 25), (200, 60, 22)] {
        let mut tape = volume_tape((columns, rows), &volumes, &changes);
        tape.theme = Theme::DARK;
        tape.resize(columns, rows);
        found.measure("tape of volumes", &tape, (columns, most));
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

#[test]
fn the_json_of_an_offer_is_not_mostly_empty() {
    let mut found = Found::default();
    for (columns, rows, most) in [(80, 24, 25), (200, 60, 22)] {
        let mut desk = TestApp::with_offers(&full_offer());
        desk.theme = Theme::DARK;
        desk.resize(columns, rows).keys("enter shift-tab").expect("▏JSON▕");
        found.measure("JSON of an offer", &desk, (columns, most));
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

#[test]
fn no_details_of_a_request_are_mostly_empty() {
    let mut found = Found::default();
    let places = ["Texas, US", "Iceland, IS", "Quebec, CA", "Bulgaria, BG"];
    let answer = varied_offers(places);
    let body = r#"{"verified":{"eq":true},"rentable":{"eq":true},"rented":{"eq":false},"gpu_name":{"eq":"RTX 4090"},
        "geolocation":{"eq":"DE"},"order":[["dph_total","asc"]],"limit":500,"type":"on-demand"}"#;
    for (columns, rows, most) in [(80, 24, 30), (200, 60, 25)] {
        let mut desk = requests::desk(vec![requests::search(1.0, body, &answer)]);
        desk.theme = Theme::DARK;
        desk.resize(columns, rows).keys("enter");
        found.measure("details of a request", &desk, (columns, most));
        desk.keys("f").expect("Edit and send").expect("Further conditions");
        found.measure("body in the editor", &desk, (columns, most));
    }
    for (count, answer) in [
        (1_u32, &*answer),
        (12, &answer),
        (16, &answer),
        (22, &answer),
        (30, &answer),
        (7, r#"{"offers":[]}"#),
        (22, r#"{"offers":[]}"#),
    ] {
        let entries = (0..count).map(|after| {
            let mut entry = requests::search(f64::from(after), body, answer);
            entry.took += Duration::from_millis(u64::from(after) * 37 % 90);
            entry
        });
        let mut desk = requests::desk(entries.collect());
        desk.theme = Theme::DARK;
        desk.resize(200, 60).expect("Request body");
        found.measure(&format!("{count} requests"), &desk, (200, 22));
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

#[test]
fn no_view_of_a_workergroup_is_mostly_empty() {
    let mut found = Found::default();
    let mut form = desk(80, 24);
    form.keys("3").answer(FOUR).keys("n");
    found.measure("blank group form", &form, (80, 25));
    let mut compared = desk(200, 60);
    compared
        .keys("3")
        .answer(FOUR)
        .keys("space j space v")
        .expect("Compare 2");
    found.measure("comparison of two groups", &compared, (200, 22));
    compared.resize(120, 40).keys("esc G k enter tab").expect("▏Fields▕");
    found.measure("fields of a group", &compared, (120, 25));
    for (name, keys, most) in UNCHECKED_GROUP_VIEWS {
        let mut desk = desk(200, 60);
        desk.keys("3").answer(FOUR).keys(keys);
        found.measure(name, &desk, (200, most));
    }
    for (name, keys, most) in GROUP_VIEWS {
        let mut desk = desk(200, 60);
        desk.keys("3")
            .answer(FOUR)
            .keys("G k i")
            .answer(FOUND)
            .keys("esc")
            .keys(keys);
        found.measure(name, &desk, (200, most));
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

#[test]
fn no_view_without_results_is_mostly_empty() {
    let mut found = Found::default();
    for (name, offers) in [("server down", None), ("no result", Some(r#"{"offers":[]}"#))] {
        let mut desk = TestApp::new();
        desk.theme = Theme::DARK;
        match offers {
            Some(offers) => desk.answer(offers),
            None => desk.fail(ApiError::NotConnected {
                host: "market.example".to_owned(),
                why: Unreachable::NobodyListens,
            }),
        };
        for (columns, rows, most) in [(80, 24, 25), (200, 60, 30)] {
            desk.resize(columns, rows);
            found.measure(name, &desk, (columns, most));
        }
        desk.expect("Your search").expect("POST /api/v0/bundles/");
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

#[test]
fn no_view_of_the_route_lab_is_mostly_empty() {
    let lab = || {
        let mut desk = route_lab::at_groups(&Dialect::DOCUMENTED);
        desk.theme = Theme::DARK;
        desk
    };
    let mut found = Found::default();
    for (name, keys, most) in ROUTE_VIEWS {
        let mut series = lab();
        route_lab::series(&mut series, "100", "40", "1", "");
        for attempt in 0..40 {
            let worker = route_lab::assigned("http://w1.example:8080", 17);
            route_lab::route(&mut series, 0.1 + f64::from(attempt * 7 % 40) / 100.0, worker);
        }
        series.keys(keys).resize(200, 60);
        found.measure(name, &series, (200, most));
    }
    let mut waiting = lab();
    route_lab::series(&mut waiting, "100", "40", "1", "");
    for attempt in 0..40 {
        let reply = if attempt < 39 {
            route_lab::assigned("http://w1.example:8080", 17)
        } else {
            route_lab::waiting(r#"{"endpoint":"chat","status":"queued behind 3 requests","request_idx":7}"#)
        };
        route_lab::route(&mut waiting, 0.1 + f64::from(attempt * 7 % 40) / 100.0, reply);
    }
    waiting.keys("enter").resize(120, 40);
    waiting
        .expect("waiting: no worker is ready")
        .expect("Attempts of this run by router reply");
    found.measure("attempt without a worker", &waiting, (120, 25));
    waiting.resize(200, 60);
    found.measure("attempt without a worker", &waiting, (200, 22));
    let mut started = lab();
    route_lab::series(&mut started, "100", "40", "1", "");
    started.resize(200, 60).expect("No attempt has ended yet");
    found.measure("run without an attempt", &started, (200, 22));
    let mut none = lab();
    none.keys("t esc").resize(200, 60).expect("No run yet");
    found.measure("no run", &none, (200, 22));
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

#[test]
fn no_view_of_a_single_route_request_is_mostly_empty() {
    let mut found = Found::default();
    for (columns, rows, most) in [(80_u16, 24, 25), (120, 40, 25), (200, 60, 22)] {
        let mut single = route_lab::at_groups(&Dialect::DOCUMENTED);
        single.theme = Theme::DARK;
        single.keys("t enter").resize(columns, rows);
        single.expect("It ends within 15").expect("/route/");
        found.measure("waiting for the first reply", &single, (columns, most));
        let worker = route_lab::assigned("http://w1.example:8080", 17);
        route_lab::route(&mut single, 0.25, worker);
        single.resize(columns, rows);
        found.measure("result", &single, (columns, most));
        single.keys("enter");
        found.measure("attempt", &single, (columns, most));
        single.keys("esc r").resize(columns, rows);
        found.measure("waiting for another reply", &single, (columns, most));
        route_lab::route(&mut single, 0.5, Err(ApiError::Lost));
        single.resize(columns, rows);
        found.measure("failure", &single, (columns, most));
    }
    assert!(found.0.is_empty(), "{}", found.0.join("\n"));
}

/// The letters and digits whose contrast with their background is below `least`.
fn faint(desk: &TestApp, least: f64) -> String {
    let is_faint = |cell: &&Cell| {
        let has_colors = matches!(cell.fg, Color::Rgb(..));
        // The terminal's own ground is black.
        let ground = Some(cell.bg).filter(|ground| *ground != Color::Reset);
        has_colors && ratio(cell.fg, ground.unwrap_or(Color::Rgb(0, 0, 0))) < least
    };
    let letters = desk
        .cells()
        .iter()
        .filter(|cell| cell.symbol().chars().all(char::is_alphanumeric));
    letters.filter(is_faint).map(Cell::symbol).collect()
}

#[test]
fn the_text_of_all_themes_is_readable() {
    const VIEWS: &str = ", down, enter, enter tab down, enter shift-tab down down, space down space v, f down, s down, \
        c down, J, K, m, m tab, D, H, y down, : down, M, o, W, ? down, 4, 3, 2";
    let themes = [
        ("dark", Theme::DARK, 3.0),
        ("light", Theme::LIGHT_PAINTED, 3.0),
        ("high contrast", Theme::HIGH_CONTRAST, 4.5),
    ];
    let mut faint_views = String::new();
    for keys in VIEWS.split(", ") {
        let mut desk = desk(120, 40);
        desk.keys(keys);
        for (name, theme, least) in themes {
            desk.theme = theme;
            desk.resize(120, 40);
            let letters = faint(&desk, least);
            if !letters.is_empty() {
                faint_views += &format!("{name}, keys {keys}: {letters}\n");
            }
        }
    }
    assert!(faint_views.is_empty(), "{faint_views}");
}

#[test]
fn what_is_measured_is_seen() {
    let desk = desk(120, 40);
    assert!(words(&desk) > 20);
    assert!(styles(&desk) > 3);
    let mut blank = TestApp::new();
    blank.theme = Theme::DARK;
    blank.resize(80, 24);
    // Before the first response the table is empty.
    assert!(largest_blank(&blank, 80) > 15, "{}", blank.screen());
    let mut dark = self::desk(120, 40);
    dark.theme = Theme::HIGH_CONTRAST;
    dark.theme.text = Style::new().fg(Color::Rgb(20, 20, 20));
    dark.resize(120, 40);
    assert!(!faint(&dark, 4.5).is_empty());
}
