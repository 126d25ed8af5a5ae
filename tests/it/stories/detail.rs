//! The details of a row: its fields, where they stand and what explains them.

use crate::test_app::{THREE, TestApp};

/// The place of a text on the screen: its row and its column.
#[track_caller]
fn place(desk: &TestApp, text: &str) -> (usize, usize) {
    let screen = desk.screen();
    let mut lines = screen.lines().enumerate();
    let found = lines.find_map(|(row, line)| Some((row, line[..line.find(text)?].chars().count())));
    found.unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"))
}

#[test]
fn a_wide_screen_shows_the_fields_in_columns_each_of_them_once() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(300, 60).keys("enter tab g");
    for label in ["GPU $/h", "Driver", "Verification"] {
        let count = desk.screen().matches(label).count();
        assert_eq!(count, 1, "{label}\n{}", desk.screen());
    }
    // Side by side: the section of the GPU begins beside the prices, not below all of them.
    let (price, first) = place(&desk, "GPU $/h");
    let (gpu, second) = place(&desk, "RTX 4090");
    let (disk, third) = place(&desk, "500 GB");
    assert!(first + 30 < second && second + 30 < third);
    assert!(gpu.abs_diff(price) < 20 && disk.abs_diff(price) < 20);
    // Those without a value are one line.
    desk.expect("82 fields");
    // One column where there is room for one: what comes later is further down.
    desk.resize(60, 24).keys("g").expect("GPU $/h");
    desk.expect_not("Driver").expect_not("82 fields");
}

#[test]
fn a_text_longer_than_the_panel_says_which_lines_are_visible() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 12).keys("enter").expect("lines 1–");
    desk.resize(200, 60).expect_not("lines 1–");
}

/// The lines of the folded fields of the first offer, with further members of its record.
fn folded(members: &str) -> TestApp {
    let mut desk = TestApp::with_offers(&THREE.replace("\"id\":101,", &format!("\"id\":101,{members},")));
    desk.resize(200, 60).keys("enter tab");
    desk
}

#[test]
fn fields_without_a_value_are_counted_by_their_reason() {
    let desk = folded("\"discounted_hourly\":0,\"discount_rate\":null,\"sla_sigma_x\":null,\"sla_r_claim\":0.5");
    desk.expect("1 reported as 0, 2 reported as null, ");
    // Those that are null are a field of the catalog and one that is not documented.
    desk.expect("sla_r_claim").expect_not("sla_sigma_x         null");
}

#[test]
fn the_price_of_a_machines_volume_is_per_gb() {
    folded("\"avail_vol_dph\":0.000407").expect("Volume $/GB/h       $0.000407/h");
}

#[test]
fn a_bid_above_the_price_without_a_bid_is_not_offered() {
    let with_floor = |floor: &str| {
        let mut desk = TestApp::with_offers(&THREE.replace("\"id\":101,", &format!("\"id\":101,\"min_bid\":{floor},")));
        desk.resize(200, 60);
        desk
    };
    with_floor("0.2").expect("bid from $0.210/h (−49%)");
    with_floor("0.8").expect_not("bid from");
}

#[test]
fn the_details_of_a_volume_name_its_term() {
    let mut desk = crate::stories::unlist::at_volumes();
    desk.resize(200, 60).keys("enter").expect("J term").expect_not("J job");
}

#[test]
fn names_and_values_stand_beside_the_json_and_meanings_where_they_fit_whole() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("enter tab tab tab").resize(80, 24);
    let line = |desk: &TestApp, key: &str| {
        let screen = desk.screen();
        let line = screen.lines().find(|line| line.contains(key));
        line.unwrap_or_else(|| panic!("{key}\n{screen}")).to_owned()
    };
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    let ram = line(&desk, "\"gpu_ram\"");
    assert_eq!(words(&ram), "\"gpu_ram\": 24564, VRAM 24 GB", "{ram}");
    // A text is not repeated, and no sentence is cut.
    assert_eq!(words(&line(&desk, "\"gpu_name\"")), "\"gpu_name\": \"RTX 4090\", GPU");
    desk.expect_not("…");
    desk.resize(200, 60);
    assert!(
        line(&desk, "\"gpu_ram\"").contains("Memory of one GPU"),
        "{}",
        desk.screen()
    );
}

#[test]
fn a_note_never_overwrites_a_long_line_of_json() {
    let long = "L40S Ada Generation with a name";
    let longest = "a name that leaves no room for a note on a screen of eighty columns";
    let offer = format!(
        r#"{{"offers":[{{"id":1,"gpu_name":"{long}","cpu_name":"{longest}","num_gpus":1,"dph_total":0.5,"rentable":true}}]}}"#
    );
    let mut desk = TestApp::with_offers(&offer);
    desk.keys("enter tab tab tab").resize(80, 24);
    desk.expect(&format!("\"gpu_name\": \"{long}\",  GPU"));
    let screen = desk.screen();
    let line = screen.lines().skip_while(|line| !line.contains("cpu_name"));
    let wrapped: Vec<_> = line.take(2).map(str::trim).collect();
    assert_eq!(wrapped.join(" "), format!("\"cpu_name\": \"{longest}\","), "{screen}");
}

/// The card of the first offer with names of 190 letters, beside the table.
fn long_card(rows: u16) -> TestApp {
    let name = "x".repeat(190);
    let members = format!(
        r#""id":101,"disk_name":"{name}","cpu_name":"{name}","cpu_cores_effective":8,"cpu_ram":64000,"disk_space":500,"#
    );
    let mut desk = TestApp::with_offers(&THREE.replace("\"id\":101,", &members));
    desk.resize(120, rows);
    desk
}

#[test]
fn a_card_without_room_keeps_machine_and_host_and_says_that_it_has_more() {
    long_card(30).expect("Machine 7 · host 70").expect("Enter all · 1 of 3");
    long_card(60).expect("Machine 7 · host 70").expect_not("Enter all");
}

#[test]
fn the_card_names_a_cpu_by_its_model_and_the_fields_by_its_record() {
    let name = r#""id":101,"cpu_name":"AMD Ryzen 9 5950X 16-Core Processor","cpu_cores_effective":8,"#;
    let mut desk = TestApp::with_offers(&THREE.replace("\"id\":101,", name));
    desk.resize(120, 40)
        .expect("8 vCPU AMD Ryzen 9 5950X")
        .expect_not("16-Core");
    desk.keys("enter tab").expect("AMD Ryzen 9 5950X 16-Core Processor");
}
