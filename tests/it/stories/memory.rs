//! What auto-refresh costs in memory, however long it runs: each run is a process of its own.

use std::fmt::Write as _;
use std::process::Command;

use bourse::api::Request;

use crate::test_app::TestApp;

/// How many offers are refreshed how often, and how many of them are others each time.
#[derive(Clone, Copy)]
struct Load {
    offers: usize,
    refreshes: usize,
    moving: usize,
}

/// 24 hours at 10 s.
const DAY: Load = Load {
    offers: 3000,
    refreshes: 8640,
    moving: 60,
};

/// All offers are others each time.
const SAMPLE: Load = Load {
    offers: 60,
    refreshes: 600,
    moving: 60,
};

/// The load of a process that a test starts.
const VARIABLE: &str = "BOURSE_MEMORY_SAMPLE";

/// The memory of this process in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse().unwrap()
}

/// Offers with the machines `first..first + load.offers`; prices move with each refresh.
fn offers(load: Load, refresh: usize) -> String {
    let first = refresh * load.moving;
    let mut json = String::from(r#"{"offers":["#);
    for machine in first..first + load.offers {
        let price = 0.2 + ((machine * 7 + refresh * 13) % 101) as f64 / 100.0;
        let comma = if machine == first { "" } else { "," };
        write!(
            json,
            r#"{comma}{{"id":{id},"machine_id":{machine},"host_id":{host},"gpu_name":"RTX 4090","num_gpus":1,
            "gpu_ram":24564,"gpu_total_ram":24564,"cpu_name":"AMD EPYC 7K62 48-Core Processor {machine}",
            "cpu_cores":32,"cpu_ram":64000,"disk_space":500.0,"disk_name":"disk of machine {machine}",
            "dph_base":{price},"dph_total":{price},"storage_cost":0.15,"inet_up":500.0,"inet_down":900.0,
            "reliability2":0.995,"dlperf":100.0,"rentable":true,"rented":false,"verification":"verified",
            "geolocation":"Germany, DE","gpu_ids":[{machine}],"duration":2000000.0,"cuda_max_good":12.8,
            "public_ipaddr":"10.0.0.{machine}","mobo_name":"board {machine}","hostname":"host-{machine}"}}"#,
            id = machine * 10 + refresh % 10,
            host = machine / 4,
        )
        .unwrap();
    }
    json.push_str("]}");
    json
}

/// Refreshes offers as often as the load says; the memory in kB after a third and at the end, and the most.
fn refreshed(load: Load) -> [u64; 3] {
    let mut desk = TestApp::with_offers(&offers(load, 0));
    desk.keys("W ctrl-u")
        .type_text("10s")
        .keys("enter")
        .expect("Auto-refresh every 10 s");
    let [mut after_a_third, mut most] = [0; 2];
    let mut sent = 0;
    while sent < load.refreshes {
        desk.wait(10.0);
        while let Some((_, request)) = desk.calls.first() {
            let asks_causes = matches!(request, Request::Search(query) if query.active().any(|condition| {
                condition.field.key == "machine_id"
            }));
            if asks_causes {
                desk.answer(r#"{"offers":[]}"#);
            } else {
                sent += 1;
                desk.answer(&offers(load, sent));
            }
        }
        // What the test notes of it.
        desk.polls.clear();
        desk.effects.clear();
        most = most.max(resident());
        if sent == load.refreshes / 3 {
            after_a_third = resident();
        }
    }
    [after_a_third, resident(), most]
}

/// Runs the load of a day in a process of its own, or with [`VARIABLE`] the sample.
#[test]
#[ignore = "long: a virtual day of refreshes"]
#[allow(clippy::print_stdout)] // the figures are for a person, or for the test that started it
fn a_day_of_refreshes_stays_below_150_mb() {
    let load = if std::env::var_os(VARIABLE).is_some() {
        SAMPLE
    } else {
        DAY
    };
    let [third, end, most] = refreshed(load);
    println!("memory: {third} {end} {most}");
    assert!(most < 150 * 1024, "{most} kB");
}

#[test]
fn memory_is_flat_while_all_offers_move() {
    let mut test = Command::new(std::env::current_exe().unwrap());
    let name = "stories::memory::a_day_of_refreshes_stays_below_150_mb";
    test.args(["--exact", name, "--ignored", "--nocapture"]);
    let output = test.env(VARIABLE, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let figures = text.lines().find_map(|line| line.split_once("memory: ")).unwrap().1;
    let figures: Vec<i64> = figures
        .split_whitespace()
        .map(|figure| figure.parse().unwrap())
        .collect();
    // What is kept of each refresh is less than 4 kB; a lot with its cause alone is more than 100 bytes, of 50 lots.
    let grown = figures[1] - figures[0];
    assert!(grown < 400 * 4, "{grown} kB in 400 refreshes: {figures:?}");
}
