//! Help, palette, footer hints and mouse, key by key.

use bourse::core::message::Message;
use bourse::domain::saved::{SavedSearch, SearchSpec};
use bourse::domain::{Dialect, Resource};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::cases::cases;
use crate::stories::groups::at_groups;
use crate::test_app::{THREE, TestApp};

/// Where to go from three offers, and what the footer must still offer there.
const PLACES: [(&str, &str); 16] = [
    ("", "? help"),
    ("enter", "? help"),
    ("/", "F1 help"),
    ("s", "F1 help"),
    ("c", "F1 help"),
    ("f", "F1 help"),
    ("o", "F1 help"),
    ("b", "F1 help"),
    ("y", "F1 help"),
    ("e", "F1 help"),
    ("J", "F1 help"),
    ("m", "? help"),
    ("p", "? help"),
    ("F", "F1 help"),
    ("t", "F1 help"),
    (":", "F1 help"),
];

fn footer(desk: &TestApp) -> Vec<String> {
    let screen = desk.screen();
    let line = screen.lines().last().unwrap_or_default().trim();
    line.split("  ")
        .map(|hint| hint.trim().to_owned())
        .filter(|hint| !hint.is_empty())
        .collect()
}

/// Looks at the footer at the widths that `widths` picks, which knows the ways out and the other hints
/// of a wide screen.
fn hints_fit(widths: impl Fn(&[&String], &[&String]) -> Vec<u16>) {
    for (keys, help) in PLACES {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(keys).resize(400, 10);
        let all = footer(&desk);
        assert!(all.contains(&help.to_owned()), "{keys}: {all:?}");
        let is_way_out = |hint: &&String| {
            hint.starts_with("Esc ") || hint.ends_with(" back") || hint.ends_with(" commands") || *hint == help
        };
        let (all_ways, wanted): (Vec<_>, Vec<_>) = all.iter().partition(is_way_out);
        for width in widths(&all_ways, &wanted) {
            desk.resize(width, 10);
            let shown = footer(&desk);
            assert!(shown.contains(&help.to_owned()), "{keys} {width}: {shown:?}");
            assert!(shown.len() >= 2, "{keys} {width}: {shown:?}");
            // Full hints, in their order, none left out but at the end; the ways out are always
            // there.
            let (ways, others): (Vec<_>, Vec<_>) = shown.iter().partition(is_way_out);
            assert_eq!(ways, all_ways, "{keys} {width}: {shown:?}");
            assert_eq!(others, wanted[..others.len()], "{keys} {width}: {shown:?}");
        }
    }
}

#[test]
fn a_hint_that_does_not_fit_is_left_out_and_the_help_is_always_named() {
    // One cell short of room for every hint in turn, and the narrowest screen.
    hints_fit(|ways, others| {
        let mut room: usize = ways.iter().map(|way| way.chars().count() + 2).sum();
        let short = others.iter().map(|hint| {
            room += hint.chars().count() + 2;
            room as u16
        });
        short.filter(|width| *width > 40).chain([40]).collect()
    });
}

#[test]
#[ignore = "long: 4,176 frames"]
fn at_no_width_a_hint_is_cut_and_the_help_is_always_named() {
    hints_fit(|_, _| (40..=300).collect());
}

#[test]
fn a_hint_is_a_button() {
    let mut desk = TestApp::with_offers(THREE);
    desk.click("? help").expect("Help");
    desk.keys("esc").click("f filter").expect("▏Filters▕");
    desk.click("Esc close").expect_not("▏Filters▕");
    desk.click("/ search");
    assert!(desk.model.browsers[bourse::domain::Resource::Offers].bar.editing);
    desk.click("Esc cancel");
    assert!(!desk.model.browsers[bourse::domain::Resource::Offers].bar.editing);
}

#[test]
fn the_help_begins_with_what_is_in_sight() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(100, 30).keys("?");
    desk.expect("Offers  machines for rent").expect("Edit the query");
    desk.keys("esc s f1");
    let screen = desk.screen();
    let first = screen
        .lines()
        .position(|line| line.contains("Choices, switches and buttons"));
    let second = screen
        .lines()
        .position(|line| line.contains("Lists with a search line"));
    assert!(first.is_some() && first < second, "{screen}");
    desk.keys("f1").expect_not("Lists with a search line");
    desk.keys("esc / f1").expect("Query bar  conditions such as");
    desk.keys("esc");
    assert!(
        desk.model.browsers[bourse::domain::Resource::Offers].bar.editing,
        "the bar has the keys again"
    );
}

#[test]
fn the_help_is_searched_and_does_what_is_chosen() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("?").type_text("next-tab").expect("Next tab");
    // It belongs to views that are not open.
    desk.keys("enter").expect("Only available in: Tabs");
    desk.keys("?").type_text("sort").keys("enter").expect("▏Sort▕");
    desk.keys("esc ?").type_text("vram").expect("vram>=24GB");
    desk.keys("enter").expect("vram>=24GB");
    desk.keys("ctrl-u").type_text("best value").keys("ctrl-u");
    desk.type_text("cheaper and faster").expect("◆");
}

#[test]
fn every_action_of_the_table_stands_in_the_help_with_its_reason() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("?").type_text("unlist");
    desk.expect("Unlist one of your volumes")
        .expect("Not now: Only on Volumes (2)");
    desk.keys("enter").expect("Only on Volumes (2)");
}

#[test]
fn the_palette_sorts_by_any_field() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys(":").type_text("sort by price").keys("enter");
    desk.expect("$/h ▲");
    desk.keys(":").type_text("sort dlperf").keys("enter").expect("DLPerf ▼");
    assert!(desk.calls.is_empty(), "rows that are here are sorted at once");
}

#[test]
fn the_markets_are_found_by_what_is_done_with_them() {
    for words in ["remove market", "delete market", "new market", "profile", "api key"] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(":").type_text(words).keys("enter");
        desk.expect("No markets configured");
    }
}

#[test]
fn a_topic_of_the_help_is_found_by_its_heading() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("?").type_text("query language");
    desk.expect("plain words become conditions and a job")
        .expect("gpu_name in [A100,H100]");
}

#[test]
fn the_palette_begins_a_condition() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys(":").type_text("filter on vram").keys("enter");
    assert!(desk.model.browsers[bourse::domain::Resource::Offers].bar.editing);
    assert!(
        desk.model.browsers[bourse::domain::Resource::Offers]
            .bar
            .input
            .text()
            .ends_with(" gpu_ram ")
    );
    desk.expect(">=");
    desk.type_text(">=24GB").keys("enter");
    assert_eq!(desk.calls.len(), 1);
    let asked = format!("{:?}", desk.asked());
    assert!(asked.contains("gpu_ram"), "{asked}");
}

#[test]
fn the_palette_runs_a_saved_search() {
    let mut desk = TestApp::with_offers(THREE);
    desk.model.searches.saved.push(SavedSearch {
        name: "big ones".to_owned(),
        note: String::new(),
        job: None,
        spec: SearchSpec {
            resource: Resource::Offers,
            query: "num_gpus>=8".to_owned(),
            off: Vec::new(),
            order: None,
            limit: None,
            offer_type: None,
            storage: None,
            unbundled: false,
        },
    });
    desk.keys(":").type_text("big ones").expect("Search: big ones");
    desk.keys("enter").expect("/ ≥ 8 GPUs");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn the_palette_reaches_the_table_from_what_lies_over_it() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("enter :").type_text("columns").keys("enter");
    desk.expect("Columns");
    desk.keys("esc");
    desk.selects("101").expect_not("▏Overview▕");
}

#[test]
fn what_cannot_be_done_stays_in_the_palette_and_says_why() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys(":").type_text("new-workergroup");
    desk.expect("Only on Workergroups (3)");
    desk.keys("enter").expect("Commands");
    desk.keys("esc").expect_not("Commands ");
}

#[test]
fn the_palette_is_short_and_grouped_until_a_field_is_asked_for() {
    const GROUPS: [&str; 8] = ["Find", "Price", "Compare", "Save", "Build", "Test", "Connect", "Look"];
    for keys in ["", "2", "3", "4", "enter", "m"] {
        let mut desk = TestApp::with_offers(THREE);
        desk.resize(120, 130).keys(keys).keys(":");
        let screen = desk.screen();
        let title = screen.lines().find(|line| line.contains(" Commands ")).unwrap();
        let listed: String = title.chars().filter(char::is_ascii_digit).collect();
        assert!(listed.parse::<usize>().unwrap() <= 100, "{keys}: {screen}");
    }
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(120, 130)
        .keys(":")
        .expect_not("Sort by Rel.")
        .expect_not("Filter on");
    // Its headings, page by page.
    let mut headings: Vec<&str> = Vec::new();
    for _ in 0..4 {
        let screen = desk.screen();
        for line in screen.lines().map(|line| line.trim_matches([' ', '│', '┃', '▐'])) {
            let heading = GROUPS.into_iter().find(|group| *group == line);
            headings.extend(heading.filter(|group| !headings.contains(group)));
        }
        desk.keys("pgdn");
    }
    assert_eq!(headings, GROUPS);
    // A field is named together with what to do with it.
    desk.type_text("reliability").expect_not("Sort by Rel.");
    for (typed, listed) in [
        ("sort rel", "Sort by Rel."),
        ("filter rel", "Filter on Rel."),
        ("column rel", "Column Rel."),
    ] {
        desk.keys("ctrl-u").type_text(typed).expect(listed);
    }
    let shown = |desk: &TestApp| {
        let mut columns = desk.model.browser().unwrap().columns.iter();
        columns.any(|field| field.key == "reliability")
    };
    assert!(shown(&desk));
    desk.keys("enter");
    assert!(!shown(&desk), "{}", desk.screen());
    desk.keys(":").type_text("column rel").keys("enter");
    assert!(shown(&desk), "{}", desk.screen());
}

#[test]
fn the_palette_selects_what_can_be_used() {
    let mut desk = TestApp::with_offers(THREE);
    // “New workergroup” is nearer, but only on the pane of workergroups.
    desk.keys(":")
        .type_text("new workergroup")
        .expect("Only on Workergroups (3)");
    desk.keys("ctrl-u").type_text("workergroup").expect("› From search");
    desk.keys("enter").expect("New workergroup");
    assert_eq!(desk.model.pane, bourse::core::Pane::Offers);
    // On their own pane the form for a new one comes first.
    let mut desk = at_groups();
    desk.keys(":").type_text("show banned").expect("Show banned");
    desk.keys("ctrl-u").type_text("workergroup").expect_not("› From search");
}

#[test]
fn the_palette_speaks_of_the_fields_of_its_pane() {
    let mut desk = at_groups();
    desk.keys(":").type_text("sort by cold").expect("cold_mult");
    desk.keys("ctrl-u").type_text("dlperf").expect_not("sort by DLPerf");
    let mut desk = TestApp::speaking(&Dialect::VAST);
    desk.keys(":").type_text("sort by price").expect("dph_total");
}

#[test]
fn nothing_comes_over_a_write_that_is_confirmed() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2").answer(r#"{"offers":[]}"#);
    desk.keys("u f1").expect("Finish or cancel this dialog first");
    desk.expect_not("Query language");
}

fn mouse(desk: &mut TestApp, kind: MouseEventKind, column: u16, row: u16) {
    desk.send(Message::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    }));
    desk.type_text("");
}

/// The column of the border between table and preview.
fn border(desk: &TestApp) -> usize {
    let screen = desk.screen();
    let line = screen.lines().nth(8).unwrap_or_default();
    line.chars().position(|sign| sign == '│').unwrap_or_default()
}

#[test]
fn the_border_is_dragged_and_stays_where_it_is_let_go() {
    let left = MouseButton::Left;
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(150, 40);
    assert_eq!(border(&desk), 90);
    // Motion without the border in hand moves nothing.
    mouse(&mut desk, MouseEventKind::Drag(left), 75, 8);
    mouse(&mut desk, MouseEventKind::Down(left), 90, 8);
    mouse(&mut desk, MouseEventKind::Drag(left), 75, 9);
    mouse(&mut desk, MouseEventKind::Up(left), 75, 9);
    mouse(&mut desk, MouseEventKind::Drag(left), 60, 9);
    desk.resize(150, 40);
    assert_eq!(border(&desk), 75);
    assert_eq!(desk.model.snapshot().split, Some(50));
    // Neither side goes away.
    mouse(&mut desk, MouseEventKind::Down(left), 75, 8);
    mouse(&mut desk, MouseEventKind::Drag(left), 149, 8);
    desk.resize(150, 40);
    assert_eq!(border(&desk), 120);
}

#[test]
fn the_border_moves_by_keys_and_comes_back_with_the_profile() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(150, 40).keys("+ +");
    assert_eq!(border(&desk), 75);
    desk.keys("-");
    assert_eq!(border(&desk), 82);
    let kept = desk.model.snapshot();
    assert_eq!(kept.split, Some(55));
    let mut next = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        model.restore(Some(&kept), Default::default(), false);
    });
    next.answer(THREE).resize(150, 40);
    assert_eq!(border(&next), 82);
    // On a narrow screen there is nothing to divide, and the key says so.
    next.resize(99, 30)
        .keys("+")
        .expect("The preview needs 100 columns and 30 rows");
}

#[test]
fn a_question_is_answered_by_a_click() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("b").type_text("cheapest").keys("ctrl-u esc");
    desk.keys(":").type_text("save-search").keys("enter");
    desk.type_text("mine").keys("enter");
    desk.keys("b")
        .type_text("mine")
        .keys("delete")
        .expect("Delete the saved");
    desk.click("Esc cancel").expect_not("Delete the saved");
    desk.keys("delete").click("y delete");
    assert!(desk.model.searches.saved.is_empty());
}

#[test]
fn lines_and_buttons_of_forms_are_clicked() {
    let mut desk = at_groups();
    desk.keys("n").click("Template hash").type_text("abc");
    desk.expect("abc");
    desk.click("[ Create ]");
    // Pressing the button leads to the dialog or names what is missing; nothing is sent.
    assert!(desk.calls.is_empty());
    let screen = desk.screen();
    assert!(screen.contains("fix the highlighted fields first"), "{screen}");
}

/// Wherever one is, on every screen: the last line names keys, the header names the panes, and what
/// lies over the table does not run into the lines at the bottom.
#[test]
fn every_view_keeps_header_and_footer_on_every_screen() {
    let step = cases(5, 1);
    for (turn, (keys, help)) in PLACES.into_iter().enumerate() {
        let sizes = [(40, 10), (80, 24), (120, 40), (200, 60), (300, 80)];
        for (columns, rows) in sizes.into_iter().skip(turn % step).step_by(step) {
            let mut desk = TestApp::with_offers(THREE);
            desk.resize(columns, rows).keys(keys);
            let screen = desk.screen();
            let lines: Vec<_> = screen.lines().collect();
            let last = lines.last().unwrap();
            assert!(last.contains(help), "{columns}x{rows} {keys}:\n{screen}");
            assert!(
                !last.contains('│') && !last.contains('└'),
                "{columns}x{rows} {keys}:\n{screen}"
            );
        }
    }
}

#[test]
fn the_narrowest_screen_still_has_every_tab() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(40, 10).expect(" 1 Offers  2  3  4 ");
    desk.click(" 3 ").answer(crate::stories::groups::FOUR).expect("All 4 ");
}

#[test]
fn a_query_that_is_cut_says_so() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("gpu_name=RTX_4090").keys("enter");
    desk.resize(40, 10);
    let screen = desk.screen();
    let bar = screen.lines().nth(1).unwrap();
    assert_eq!(bar.trim(), "/ RTX 4090 · verified · rentable +1");
    desk.resize(80, 24)
        .expect("/ RTX 4090 · verified · rentable · not rented\n");
}

#[test]
fn the_preview_follows_clicks_the_wheel_and_the_cursor() {
    let mut desk = TestApp::with_offers(THREE);
    desk.expect("╭ 101 ");
    desk.click("8 H100 SXM");
    desk.selects("102").expect("╭ 102 ");
    mouse(&mut desk, MouseEventKind::ScrollDown, 5, 8);
    desk.selects("103").expect("╭ 103 ");
    desk.click("VRAM").expect("VRAM ▼");
    // A click on the selected row opens it.
    desk.keys("g").click("8 H100 SXM").expect("Offer 102");
    // Where the details cover the table, a click behind them does nothing.
    let before = desk.screen();
    mouse(&mut desk, MouseEventKind::Down(MouseButton::Left), 5, 7);
    assert_eq!(desk.screen(), before);
}

#[test]
fn the_preview_folds_and_needs_room() {
    let mut desk = TestApp::with_offers(THREE);
    desk.expect("╭ 101 ").expect_not(" ID ");
    // Without it the table names the ids and has room for more columns.
    desk.keys("z").expect_not("╭ 101 ").expect(" ID ").expect("Disk GB");
    desk.keys("z").expect("╭ 101 ");
    for (columns, rows) in [(99, 40), (120, 29)] {
        desk.resize(columns, rows).expect_not("╭ 101 ").expect(" ID ");
    }
}

#[test]
fn what_can_be_copied_is_found_by_name() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys(":").type_text("curl").expect("› Copy curl");
    desk.keys("enter");
    let copied = desk.effects.iter().rev().find_map(|effect| match effect {
        bourse::core::Effect::Copy { text, .. } => Some(text),
        _ => None,
    });
    assert!(copied.is_some_and(|text| text.starts_with("curl ")));
    // A form that there is nothing for says why.
    desk.keys(":").type_text("copy marked").expect("Copy marked");
}

#[test]
fn what_the_help_lists_for_elsewhere_is_not_taken_for_copying() {
    let mut desk = TestApp::with_offers(THREE);
    // Enter has a meaning in the copy menu too, but this is the one of forms.
    desk.keys("?").type_text("form-submit").keys("enter");
    desk.expect("Only available in: ");
    assert!(
        !desk
            .effects
            .iter()
            .any(|effect| matches!(effect, bourse::core::Effect::Copy { .. }))
    );
    // A form of the copy menu that there is here is copied.
    desk.keys("?").type_text("copy-curl").keys("enter");
    assert!(
        desk.effects
            .iter()
            .any(|effect| matches!(effect, bourse::core::Effect::Copy { .. }))
    );
}

#[test]
fn the_footer_of_a_search_says_what_its_keys_do_now() {
    for view in ["m", "space space v", "enter tab"] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(view).keys("/");
        desk.expect("Enter keep").expect("Esc clear search");
        for wrong in ["history", "matches", "filter by this", "Tab complete"] {
            desk.expect_not(wrong);
        }
        desk.keys("enter").expect_not("Enter keep");
    }
    // More than one match can be stepped through, kept and cleared.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("m /").type_text("rtx").expect("matches");
    desk.keys("enter").expect("Esc clear search");
    desk.keys("esc").expect_not("clear search").expect("Market ▏Summary▕");
}

#[test]
fn the_query_bar_offers_its_history_once_there_is_one() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").expect("Enter run").expect_not("history");
    desk.type_text("num_gpus=2").keys("enter").answer(THREE);
    desk.keys("/ ctrl-u").expect("history");
}

#[test]
fn a_notice_goes_with_the_view_that_it_is_about() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("esc").expect("Press q to quit");
    desk.keys("m").expect_not("Press q to quit");
    desk.keys("Z").expect("Z does nothing here");
    desk.keys("esc").expect_not("does nothing here");
    // What a view says when it closes is shown below it.
    desk.keys("3").answer(crate::stories::groups::FOUR);
    desk.keys("n").type_text("chat").keys("esc").expect("Draft saved");
    desk.keys("?").expect_not("Draft saved");
}

#[test]
fn the_palette_finds_actions_by_what_they_mean() {
    for (typed, wanted) in [
        ("block", "› Ban "),
        ("blacklist", "› Ban "),
        ("hide", "› Ban "),
        ("ignore", "› Ban "),
        ("why", "› Funnel "),
        ("undo", "› Undo annotation"),
        ("unban host", "› Annotations "),
    ] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(":").type_text(typed).expect(wanted);
    }
    // Half a word undoes nothing.
    for typed in ["u", "un", "und"] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(":").type_text(typed).expect_not("Undo annotation");
    }
}
