//! Everything that others write, mutated: whatever they hold, the readers neither panic nor hang, read
//! their own output back, and let no hostile character out.
//!
//! Each target replays its folder of `corpus/`, then mutates it [`MUTATIONS`] times, ten times as often in
//! the long tier, or as often as `BOURSE_FUZZ` says. An input that fails is saved; add it to the corpus.

mod config;
mod envelope;
mod error_body;
pub mod mutate;
mod query;
mod record;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mutate::Mutator;

use crate::cases::cases;

/// A target that takes this long for one input hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest mutated input, in bytes: larger ones only make each run slower.
const LONGEST: usize = 16 * 1024;

fn folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/it/fuzz/corpus").join(name)
}

/// The inputs of a target, by name.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// What reads something that others write.
struct Target {
    name: &'static str,
    /// Words of its language.
    tokens: &'static [&'static str],
    judge: fn(&[u8]),
}

/// Runs a target on its corpus, then on mutations of it.
fn run(target: &Target) {
    let &Target {
        name,
        tokens,
        judge: target,
    } = target;
    let mutations = std::env::var("BOURSE_FUZZ").map_or_else(|_| cases(100, 1000), |text| text.parse().unwrap());
    let inputs = corpus(name);
    assert!(inputs.len() >= 10, "{name} has too small a corpus");
    let current = Arc::new(Mutex::new(Vec::new()));
    let (progress, steps) = channel();
    let worker = thread::spawn({
        let current = Arc::clone(&current);
        move || {
            let judge = |input: &[u8]| {
                *current.lock().unwrap() = input.to_vec();
                let judged = catch_unwind(AssertUnwindSafe(|| target(input)));
                progress.send(judged.is_ok()).unwrap();
                judged.is_ok()
            };
            let is_fine = inputs.iter().all(|input| judge(input));
            let mut mutator = Mutator::new(name, inputs, tokens, LONGEST);
            is_fine && (0..mutations).all(|_| judge(&mutator.next()))
        }
    });
    loop {
        let step = steps.recv_timeout(PATIENCE);
        let how = match step {
            Ok(true) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
            Ok(false) => "fails",
            Err(RecvTimeoutError::Timeout) => "hangs",
        };
        let path = std::env::temp_dir().join(format!("bourse-fuzz-{name}"));
        std::fs::write(&path, &*current.lock().unwrap()).unwrap();
        panic!(
            "{name} {how}: the input is in {}; copy it to {}",
            path.display(),
            folder(name).display()
        );
    }
    assert!(worker.join().unwrap());
}
