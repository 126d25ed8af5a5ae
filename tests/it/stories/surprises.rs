//! The whole desk, from the keyboard alone, on an answer with the surprises of real ones, on a small
//! screen and on a large one. `data/surprises.json` is written by hand: nulls, texts in the place of
//! numbers, numbers in the place of texts, NaN, repeated ids, records that are none, a price that a
//! collector captured (0.105333 + 0.933333 x 8 / 720 = 0.1157037), names that steer terminals.

use bourse::core::message::Effect;

use crate::test_app::TestApp;

const ANSWER: &str = include_str!("../data/surprises.json");

/// The desk on a small screen and on a large one.
fn desks() -> impl Iterator<Item = TestApp> {
    [(80, 24), (200, 60)].into_iter().map(|(columns, rows)| {
        let mut desk = TestApp::with_offers(ANSWER);
        // Without the preview the table shows every column that it has room for.
        desk.resize(columns, rows).keys("z");
        desk
    })
}

/// The words of the line of the screen that shows a text.
#[track_caller]
fn words(desk: &TestApp, text: &str) -> Vec<String> {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(text));
    let line = line.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"));
    let line = line[line.find(text).unwrap()..].trim_start();
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_table_shows_what_can_be_read_and_says_what_cannot() {
    for desk in desks() {
        for id in 53_000_001..=53_000_006_u32 {
            desk.expect(&id.to_string());
        }
        // One record has no id, one is null; the second 53000002 is a repetition, its price unseen.
        desk.expect("All 6 offers, 2 skipped, 1 repeated");
        desk.expect("0.1157").expect("0.3222").expect("1.9542");
        // The text "8" is the number 8; a price that is no number is no price; what steers the
        // terminal is written out. Of a member that comes twice the last one holds.
        let words = words(&desk, "53000005");
        assert_eq!(words[1..5], ["200.0", "yes", "verified", "—"]);
        assert!(
            words
                .windows(2)
                .any(|pair| pair[0] == "8" && pair[1].starts_with("H100<U+2")),
            "{words:?}"
        );
        desk.expect("0.2100").expect_not("9.0000");
        desk.expect_not("\u{202e}");
    }
}

#[test]
fn broken_conditions_are_named_and_their_cells_flagged_though_the_column_was_hidden() {
    for mut desk in desks() {
        desk.expect("The market ignored verified=true (1 row), rentable=true (1 row)");
        desk.expect("!deverified").expect("Rentable");
        assert_eq!(words(&desk, "53000004")[2], "!no");
        assert_eq!(words(&desk, "53000001")[2..4], ["yes", "verified"]);
        // The person's own columns are as they were.
        desk.keys("c").type_text("rentable").expect("[ ]");
    }
}

#[test]
fn filters_are_edited_and_run() {
    for mut desk in desks() {
        desk.keys("f").type_text("vram").keys("enter");
        desk.expect("VRAM (gpu_ram)");
        desk.type_text("24").keys("enter");
        desk.expect("[x] gpu_ram>=24");
        desk.keys("enter").expect("/ ≥ 24 GB VRAM · verified");
        assert_eq!(
            desk.asked_text(),
            "verified=true rentable=true rented=false gpu_ram>=24"
        );
        // Nothing blocks typing while the request runs, and Esc takes one step at a time.
        desk.keys("/").type_text("turk").expect("gpu_ram>=24 turk");
        desk.expect("53000004");
        desk.keys("esc");
        desk.expect_not("turk");
    }
}

#[test]
fn rows_without_a_number_stand_last_in_either_direction() {
    for mut desk in desks() {
        desk.keys("s").type_text("dlperf").keys("ctrl-t");
        desk.keys("ctrl-u").type_text("score").keys("delete enter g");
        desk.selects("53000005"); // 2400
        desk.keys("G").selects("53000004"); // NaN
        desk.keys("~ g").selects("53000006"); // 90
        desk.keys("G").selects("53000004");
    }
}

#[test]
fn another_storage_reprices_what_has_a_storage_price() {
    for mut desk in desks() {
        desk.keys("o down ctrl-u").type_text("200").keys("enter");
        // 0.105333 + 0.933333 x 200 / 720 = 0.364592; 0.32 + 0.2 x 200 / 720 = 0.375556;
        // 1.952 + 0.055556 = 2.007556; 0.30 + 0.36 x 200 / 720 = 0.4; 0.2 + 0.9 x 200 / 720 = 0.45.
        desk.expect("0.3646").expect("0.3756").expect("2.0076");
        desk.expect("0.4000").expect("0.4500").expect("estimate");
        assert_eq!(words(&desk, "53000005")[4], "—");
    }
}

#[test]
fn three_prices_are_joined_though_a_floor_stands_above_the_price() {
    for mut desk in desks() {
        desk.keys("P");
        assert_eq!(desk.calls.len(), 3);
        desk.answer(ANSWER);
        // The floor of 53000002 is 0.40 + 0.2 x 8 / 720 = 0.402222: dearer than 0.322222 by 24.8%.
        desk.answer(
            r#"{"offers":[{"id":53000002,"min_bid":0.4,"dph_base":0.4,"dph_total":0.402222,"storage_cost":0.2},
            {"id":53000003,"min_bid":null,"dph_base":null,"dph_total":null}]}"#,
        );
        desk.answer(
            r#"{"offers":[{"id":53000001,"dph_base":0.105333,"dph_total":0.1157037,"discounted_dph_total":0.092563}]}"#,
        );
        // The flagged columns stay on the small screen: the others are a step to the right.
        desk.keys("l l l l l");
        let row = words(&desk, " 53000002 ");
        assert!(row.contains(&"0.4022".to_owned()), "{row:?}");
        assert!(row.iter().any(|word| word.starts_with("-24.8")), "{row:?}");
        // 0.092563 is 80% of 0.1157037.
        let row = words(desk.keys("l"), "53000001");
        assert!(row.contains(&"0.0926".to_owned()), "{row:?}");
        desk.keys("l");
        let row = words(&desk, "53000001");
        assert!(row.contains(&"20.0".to_owned()), "{row:?}");
    }
}

#[test]
fn a_job_is_priced_with_every_part_and_never_guessed() {
    for mut desk in desks() {
        desk.keys("J enter");
        // 24 h, 50 GB, 20 GB in at 900 Mb/s, which takes 0.049383 h more, 5 GB out:
        // 0.105333 x 24.049383 + 0.933333 x 50 / 720 x 24.049383 + 25 x 0.001953125
        // = 2.533194 + 1.558756 + 0.048828 = 4.140778.
        assert!(words(&desk, "53000001").contains(&"4.14".to_owned()));
        // (0.32 + 0.2 x 50 / 720) x 24.222222 = 8.0875; it leaves the market after 24 h: too early.
        assert!(words(&desk, "53000002").contains(&"!8.09".to_owned()));
        // Nothing is reported: it has no bill, and is not known to fit.
        assert!(words(&desk, "53000005").contains(&"!—".to_owned()));
        desk.keys("enter");
        let read = |desk: &TestApp| {
            let screen = desk.screen();
            let words: Vec<String> = screen.split_whitespace().map(str::to_owned).collect();
            words.join(" ")
        };
        // A small screen shows the bill further down, and wraps it.
        let mut seen = read(&desk);
        for _ in 0..3 {
            desk.keys("pgdn");
            seen.push_str(&read(&desk));
        }
        assert!(seen.contains("2.53 + 1.56"), "{seen}");
        for part in ["0.04", "0.009766"] {
            assert!(seen.contains(part), "{part}: {seen}");
        }
        desk.keys("esc");
        desk.keys("J tab tab tab tab tab").type_text("1417.7");
        // 1417.7 DLPerf-hours at 141.77 take 10 hours, the download 0.0494 more.
        desk.expect("1417.7 DLPerf-hours / 141.77 DLPerf").expect("× 10.0494 h");
    }
}

#[test]
fn marked_offers_stand_side_by_side() {
    for mut desk in desks() {
        desk.keys("g space space G space v");
        desk.expect("Compare 3 offers");
        let prices = words(&desk, "$/h    ");
        assert!(prices.contains(&"$/h".to_owned()), "{prices:?}");
        desk.expect("* $0.1157/h").expect("$0.3222/h");
        desk.keys("d").expect("differing rows only");
        desk.keys("esc").expect("3 marked");
        desk.keys("esc").expect_not("3 marked");
    }
}

#[test]
fn summary_plot_and_funnel_count_what_has_no_number() {
    for mut desk in desks() {
        desk.keys("m");
        // Three machines of 1, 1 and 2 GPUs: 0.3040, 0.3222 and 1.9542 / 2 = 0.9771 per GPU.
        let row = words(&desk, "› RTX 4090");
        let figures = row.iter().skip_while(|word| *word != "4090").skip(1);
        let figures: Vec<_> = figures.take(3).map(String::as_str).collect();
        assert_eq!(figures, ["4", "3", "0.304"]);
        // Of the four GPUs the middle ones cost 0.3222 and 0.9771.
        assert!(row.contains(&"0.650".to_owned()), "{row:?}");
        desk.keys("esc p").expect("DLPerf (y) by $/h (x) · 2 without a value");
        desk.keys("esc F");
        assert_eq!(desk.asked_text(), "");
        desk.answer(ANSWER).expect("4 of 6 offers");
        let row = words(&desk, "› [x] verified=true").join(" ");
        assert!(row.contains("−1; without it 1 more"), "{row}");
        desk.keys("esc");
    }
}

#[test]
fn the_detail_tells_null_from_missing_and_leaves_nothing_out() {
    for mut desk in desks() {
        desk.keys("j enter").expect("Offer 53000002");
        desk.keys("tab g");
        let mut seen = String::new();
        for _ in 0..110 {
            seen.push_str(&desk.screen());
            desk.keys("j");
        }
        for text in [
            "Reported as null",
            "RTX 4090",
            "Location            US",
            "570.181",
            "580.2",
        ] {
            assert!(seen.contains(text), "{text:?} is not among the fields:\n{seen}");
        }
        // Their names may take more lines than there are.
        desk.keys("/").type_text("Not reported");
        desk.expect("1 of 1");
        desk.keys("esc");
        desk.keys("esc").selects("53000002");
    }
}

#[test]
fn related_offers_are_those_of_the_host() {
    for mut desk in desks() {
        desk.keys("g R").expect("Machine 4001 of host 61");
        desk.answer(ANSWER);
        desk.expect("53000003").expect("64.3 GB of 64.3 GB RAM");
        desk.expect_not("53000006 ");
        desk.keys("esc").selects("53000001");
    }
}

#[test]
fn searches_columns_copies_and_exports_work_on_any_record() {
    for mut desk in desks() {
        desk.keys("b").expect("Presets");
        desk.keys("esc G k y j");
        let Some(Effect::Copy { text, .. }) = desk.effects.last() else {
            panic!("no copy:\n{}", desk.screen());
        };
        assert!(text.contains("\"id\": 53000005"), "{text}");
        desk.keys("e down down space enter");
        let Some(Effect::Export { content, .. }) = desk.effects.last() else {
            panic!("no export:\n{}", desk.screen());
        };
        let content = content.text();
        assert_eq!(content.lines().count(), 7, "a header and six rows\n{content}");
        // A formula in a stranger's text is defused.
        assert!(content.contains("'=HYPERLINK"), "{content}");
    }
}
