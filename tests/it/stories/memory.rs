//! What auto-refresh costs in memory, however long it runs: each run is a process of its own.

use std::fmt::Write as _;
use std::process::Command;

use bourse::api::Request;
use bourse::domain::Dialect;
use bourse::features::history::Recall;

use crate::test_app::{Files, TestApp};

/// How many offers are refreshed how often, and how many of them are others each time.
#[derive(Clone, Copy)]
struct Load {
    offers: usize,
    refreshes: usize,
    moving: usize,
}

/// An hour at 10 s; nothing that is kept grows after the first half hour. 24 hours:
/// `BOURSE_MEMORY='3000 8640 60' cargo test --locked --test it -- --ignored --nocapture an_hour_of_refreshes`.
const HOUR: Load = Load {
    offers: 3000,
    refreshes: 360,
    moving: 60,
};

/// All offers are others each time.
const SAMPLE: Load = Load {
    offers: 60,
    refreshes: 240,
    moving: 60,
};

/// The load of a process that a test starts, or of one that a user asks for: offers, refreshes, moving.
const VARIABLE: &str = "BOURSE_MEMORY";

/// The memory of a dashboard.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Memory {
    /// Growth in the second half, in bytes that are allocated and not freed.
    grown: i64,
    /// The most that was resident after a refresh, in kB.
    resident: u64,
}

impl Load {
    fn text(self) -> String {
        format!("{} {} {}", self.offers, self.refreshes, self.moving)
    }

    fn read(text: &str) -> Self {
        let numbers: Vec<usize> = text.split(' ').map(|number| number.parse().unwrap()).collect();
        let [offers, refreshes, moving] = numbers[..] else {
            panic!("{text}");
        };
        Self {
            offers,
            refreshes,
            moving,
        }
    }

    /// The memory of a process of its own, see [`refreshed`]: other tests have theirs.
    fn measured(self) -> Memory {
        let mut test = Command::new(std::env::current_exe().unwrap());
        let name = "stories::memory::an_hour_of_refreshes_stays_below_150_mb";
        test.args(["--exact", name, "--ignored", "--nocapture"]);
        let output = test.env(VARIABLE, self.text()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let (_, figures) = text.split_once("memory: ").expect(&text);
        let mut figures = figures.split_whitespace();
        let mut figure = || figures.next().unwrap();
        Memory {
            grown: figure().parse().unwrap(),
            resident: figure().parse().unwrap(),
        }
    }
}

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
    json.push_str("],\"truncated\":false}");
    json
}

/// Refreshes offers with their record as often as the load says.
fn refreshed(load: Load) -> Memory {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| model.feature_mut::<Recall>().is_on = true);
    desk.files = Some(Files::open(folder.path()));
    desk.answer(&offers(load, 0));
    desk.keys("W ctrl-u")
        .type_text("10s")
        .keys("enter")
        .expect("Auto-refresh every 10 s");
    let (mut sent, mut most) = (0, 0);
    let mut refresh_until = |goal: usize| {
        while sent < goal {
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
        }
    };
    refresh_until(load.refreshes / 2);
    let second = allocation_counter::measure(|| refresh_until(load.refreshes));
    Memory {
        grown: second.bytes_current,
        resident: most,
    }
}

#[test]
#[ignore = "long: a virtual hour of refreshes"]
#[allow(clippy::print_stdout)] // the figures are for a user, or for the test that started it
fn an_hour_of_refreshes_stays_below_150_mb() {
    let Memory { grown, resident } = match std::env::var(VARIABLE) {
        Ok(load) => refreshed(Load::read(&load)),
        Err(_) => HOUR.measured(),
    };
    println!("\nmemory: {grown} {resident}");
    assert!(resident < 150 * 1024, "{resident} kB");
    assert!(grown < 256 * 1024, "{grown} bytes more in the second half");
}

#[test]
fn memory_is_flat_while_all_offers_move() {
    let Memory { grown, .. } = refreshed(SAMPLE);
    // 50 lots leave with each refresh; if only the cause of each was kept, they would be 600 kB.
    assert!(
        grown < 64 * 1024,
        "{grown} bytes more in {} refreshes",
        SAMPLE.refreshes / 2
    );
}
