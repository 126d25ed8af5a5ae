//! The plot, key by key.

use crate::stories::insights::wide;
use crate::stories::unlist::at_volumes;
use crate::test_app::TestApp;

#[test]
fn the_plot_moves_the_selection_and_tells_who_is_better() {
    let mut desk = wide();
    desk.keys("p").expect("DLPerf (y) by $/h (x)");
    desk.expect("◆ Pareto front: 4 rows, low $/h and high DLPerf");
    desk.expect("On this plot")
        .expect("1× RTX 4090")
        .expect("nothing beats it");
    desk.expect("$/h  $0.4100/h").expect("DLPerf  100.0 DLPerf");
    desk.keys("left").expect(" 103 ").expect("RTX 3090");
    desk.keys("right").expect(" 105 ");
    // 103 is 0.08 of 0.30 cheaper and 10 of 40 faster.
    desk.expect("103 beats it: $/h −26.7%, DLPerf");
    desk.expect("+25%");
    desk.keys("up").expect(" 103 ");
    desk.keys("up").expect(" 101 ");
    desk.keys("G").expect(" 104 ").expect("8× H100 SXM");
    desk.keys("g").expect(" 103 ");
    desk.keys("pgdn").expect(" 101 ");
    desk.keys("esc").selects("101");
}

#[test]
fn axes_are_chosen_by_typing_and_kept() {
    let mut desk = wide();
    desk.keys("p o").expect("X axis");
    desk.type_text("dph_per_gpu").keys("enter");
    desk.expect("DLPerf (y) by $/h per GPU (x)");
    desk.keys("o tab").expect("Y axis");
    desk.type_text("dlperf_per_gpu").keys("enter");
    desk.expect("DLP per GPU (y) by $/h per GPU (x)");
    desk.keys("o esc").expect("by $/h per GPU (x)");
    desk.keys("esc p").expect("by $/h per GPU (x)");
    desk.keys("enter").expect("Offer 101");
    desk.keys("esc");
    desk.expect("by $/h per GPU (x)");
    desk.keys("esc").selects("101");
}

#[test]
fn the_plot_has_a_histogram_and_survives_without_special_characters() {
    let mut desk = wide();
    desk.theme.ascii = true;
    desk.keys("p").expect("# Pareto front: 4 rows");
    desk.expect("RTX 4090").expect_not("•").expect_not("─");
    // From 0.22 to 16.02: four of the five prices are in the first bars.
    desk.keys("d").expect("Distribution of $/h");
    desk.keys("d").expect("DLPerf (y) by $/h (x)");
}

#[test]
fn a_number_that_all_rows_share_is_a_sentence_instead_of_a_histogram() {
    let offers: Vec<String> = (1..=57)
        .map(|id| {
            let price = 0.2 + f64::from(id) / 100.0;
            format!(r#"{{"id": {id}, "gpu_name": "RTX 4090", "num_gpus": 1, "gpu_ram": 24564, "dlperf": {id}, "dph_total": {price}}}"#)
        })
        .collect();
    let mut desk = TestApp::with_offers(&format!(r#"{{"offers": [{}]}}"#, offers.join(",")));
    desk.resize(200, 60);
    desk.keys("f")
        .type_text("gpu_ram")
        .expect("all 57 rows: 24 GB")
        .expect_not("█");
    desk.keys("ctrl-u")
        .type_text("dph_total")
        .expect_not("all 57 rows")
        .expect("█");
    desk.keys("esc esc p o").type_text("gpu_ram").keys("enter d");
    desk.expect("Distribution of VRAM")
        .expect("All 57 rows: 24 GB")
        .expect_not("█");
}

#[test]
fn rows_are_marked_from_the_plot() {
    let mut desk = wide();
    desk.keys("p space left space").expect("■");
    desk.keys("esc").expect("2 marked");
    desk.keys("v").expect("Compare 2 offers");
}

#[test]
fn volumes_are_plotted_like_offers() {
    let mut desk = at_volumes();
    desk.keys("p").expect("$/GB/mo").expect("Avg MB/s");
    desk.keys("o")
        .type_text("disk_space")
        .keys("enter")
        .expect("by Space GB (x)");
    desk.keys("esc 1 p").expect("DLPerf");
}
