//! An hour at the keyboard of a market that fails now and then: memory, descriptors and threads
//! stay as they are.

use std::fs;
use std::time::{Duration, Instant};

use crate::pty_support::Pty;

/// Keys that open, close and refresh what there is.
const TOUR: &[&str] = &[
    "r", "j", "<Enter>", "<Tab>", "<Tab>", "<Esc>", "2", "r", "3", "r", "<Enter>", "<Esc>", "4", "<Esc>", "1", "s",
    "<Esc>", "?", "<Esc>", ":", "<Esc>", "/", "<Esc>", "G", "g", "p", "<Esc>", "1",
];

/// What a program holds: memory in kB, descriptors, threads.
#[derive(Debug, Clone, Copy)]
struct Sample {
    memory: usize,
    descriptors: usize,
    threads: usize,
}

fn sample(id: u32) -> Sample {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let figure = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    Sample {
        memory: figure("VmRSS:"),
        descriptors: fs::read_dir(format!("/proc/{id}/fd")).unwrap().count(),
        threads: figure("Threads:"),
    }
}

fn most(samples: &[Sample], of: impl Fn(&Sample) -> usize) -> usize {
    samples.iter().map(of).max().unwrap()
}

/// Three minutes, or as many as `BOURSE_SOAK_MINUTES` says.
#[test]
#[ignore = "long: minutes at the keyboard"]
#[allow(clippy::print_stdout)] // the figures are for a person
fn soak_under_faults() {
    let minutes = std::env::var("BOURSE_SOAK_MINUTES");
    let minutes: u64 = minutes.map_or(3, |text| text.parse().unwrap());
    // A market whose past is simulated in a second: of more offers, that would be most of the memory.
    let market = ["--faults", "flaky,seed=11", "--offers", "200"];
    let mut pty = Pty::bourse(&market, &[], 150, 45);
    pty.wait_for_text("simulated days of prices are recorded");
    pty.keys("w");
    let started = Instant::now();
    let mut samples = Vec::new();
    for key in TOUR.iter().cycle() {
        let minute = started.elapsed().as_secs() / 60;
        if minute >= samples.len() as u64 {
            samples.push(sample(pty.id()));
            println!("minute {minute}: {:?}", samples[samples.len() - 1]);
        }
        if minute >= minutes {
            break;
        }
        pty.keys(key);
        std::thread::sleep(Duration::from_secs(1));
    }
    pty.keys("<C-c><C-c>");
    pty.exit().assert_clean(0);
    // The ledger of requests and the columns of the panes fill at first.
    let third = samples.len() / 3;
    let (middle, end) = (&samples[third..2 * third], &samples[2 * third..]);
    assert!(most(end, |one| one.memory) <= most(middle, |one| one.memory) * 11 / 10);
    assert!(most(end, |one| one.descriptors) <= most(middle, |one| one.descriptors) + 2);
    assert!(most(end, |one| one.threads) <= most(middle, |one| one.threads) + 1);
}
