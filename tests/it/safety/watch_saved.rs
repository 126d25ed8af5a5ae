//! `bourse watch --saved` in a scripted market, with virtual time: two programs on one record, killed every day,
//! in a market that refuses, drops out and rejects the key, on a machine that sleeps. Every due ring rings once
//! and none twice, and both together send no more than the budget in any minute.

use std::collections::BTreeMap;
use std::path::Path;

use bourse::api::error::ErrorBody;
use bourse::api::{ApiError, Reply, Request};
use bourse::domain::saved::{SavedSearch, SearchChange, SearchSpec, Searches};
use bourse::domain::time::{MonotonicTime, Now, UnixTime};
use bourse::domain::{Listing, OFFERS, Resource, WORKERGROUPS};
use bourse::features::watch_saved::watcher::{Output, Rhythm, Step, Watcher};
use bourse::record::alerts::{Alert, AlertChange, Alerts, Followed};
use bourse::record::{PricePer, Repeat, Rule, SearchKey, Trigger};
use bourse::settings::{Environment, Global, Settings};
use bourse::store::{Paths, StateStore};
use serde_json::json;

use crate::cases::cases;

const EPOCH: UnixTime = UnixTime::new(1_800_000_000.0);
const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;

/// Requests a minute that a program may send.
const BUDGET: u32 = 10;

/// The saved searches, each for a model of its own, and the alerts on the first ten.
const SEARCHES: usize = 20;
const ALERTS: usize = 10;

/// Fewer searches, and so seldom that an episode has two answers: for the quick tier.
const LIGHT: (usize, u32) = (12, 1500);

/// How long the market is other than usual.
const EPISODE: f64 = 50.0 * MINUTE;

/// The number of the episode of a model that a moment is in.
fn episode(model: usize, at: f64) -> Option<u64> {
    let period = 7.0 * HOUR + model as f64 * 13.0 * MINUTE;
    let since = at - model as f64 * 31.0 * MINUTE - HOUR;
    let is_in = since >= 0.0 && since % period < EPISODE;
    is_in.then_some((since / period) as u64)
}

fn trigger(alert: usize) -> Trigger {
    match alert {
        1 => Trigger::GpusAtLeast { gpus: 6, below: None },
        2 => Trigger::GpusAtLeast {
            gpus: 4,
            below: Some(0.3),
        },
        3 => Trigger::MachineBack(999),
        4 => Trigger::PriceDown {
            percent: 30.0,
            hours: 6,
        },
        5 => Trigger::GpusBelow(3),
        6 => Trigger::WorkersBelow(3),
        _ => Trigger::PriceBelow(0.3),
    }
}

/// The offers of a model, as its alert's trigger has it during an episode.
fn offers(model: usize, at: f64) -> Listing {
    let is_special = episode(model, at).is_some();
    let (mut price, mut machines) = (0.5, 4);
    if is_special {
        match model {
            1 => machines = 8,
            2 => (price, machines) = (0.2, 5),
            5 | 6 => machines = 1,
            _ => price = 0.2,
        }
    }
    // Something always happens.
    let wobble = ((at / (17.0 * MINUTE)) as usize + model) % 3;
    let mut machines: Vec<usize> = (0..machines).map(|machine| model * 10 + machine).collect();
    if model == 3 {
        price = 0.5;
        machines.extend(is_special.then_some(999));
    }
    let records = machines.iter().enumerate().map(|(index, machine)| {
        let price = price + 0.002 * index as f64 + 0.001 * wobble as f64;
        json!({
            "id": machine * 10 + wobble, "machine_id": machine, "host_id": machine, "gpu_name": format!("M{model}"),
            "num_gpus": 1, "dph_base": price, "dph_total": price, "storage_cost": 0.0, "rentable": true,
            "verification": "verified", "gpu_ids": [machine], "reliability2": 0.99,
        })
    });
    let body = json!({ "offers": records.collect::<Vec<_>>() }).to_string();
    Listing::read(&OFFERS, body, EPOCH + at).unwrap()
}

fn groups(at: f64) -> Listing {
    let group = json!({"id": 5, "endpoint_name": "llama", "max_workers": 3, "search_query": "gpu_name=M6"});
    Listing::read(&WORKERGROUPS, json!({ "results": [group] }).to_string(), EPOCH + at).unwrap()
}

fn spec(model: usize) -> SearchSpec {
    SearchSpec {
        resource: Resource::Offers,
        query: format!("gpu_name=M{model}"),
        off: Vec::new(),
        order: None,
        limit: None,
        offer_type: None,
        storage: None,
        unbundled: false,
    }
}

/// The profile's files below a folder.
fn saved(root: &Path, searches: usize) -> Settings {
    let store = StateStore::new(&Paths::below(root), "sandbox");
    for model in 0..searches {
        let search = SavedSearch {
            name: format!("search {model}"),
            note: String::new(),
            job: None,
            spec: spec(model),
        };
        store.change(&SearchChange::Put(search), &Searches::default()).unwrap();
    }
    for alert in 0..ALERTS {
        let alert = Alert {
            name: format!("alert {alert}"),
            follows: match alert {
                6 => Followed::Group(5),
                _ => Followed::Search(spec(alert)),
            },
            rule: Rule {
                model: (alert == 0).then(|| "M0".to_owned()),
                repeat: match alert {
                    8 => Repeat::Once,
                    9 => Repeat::Until((EPOCH + DAY).moment()),
                    _ => Repeat::EveryTime,
                },
                per: if alert == 7 { PricePer::Machine } else { PricePer::Gpu },
                trigger: trigger(alert),
            },
            is_paused: false,
            state: bourse::record::AlertState::default(),
        };
        store
            .change(&AlertChange::Put(Box::new(alert)), &Alerts::default())
            .unwrap();
    }
    settings(root, false)
}

/// With `alone` the record ends with the program, so that no other sees its claims.
fn settings(root: &Path, alone: bool) -> Settings {
    let flags = Global {
        freeze: alone,
        ..Global::default()
    };
    Settings::resolve(&flags, &Environment::default(), Some(Paths::below(root))).unwrap()
}

/// When the market does not answer as it should, in parts of a day.
fn trouble(at: f64, chance: &mut fastrand::Rng) -> Option<ApiError> {
    let (day, time) = ((at / DAY) as u64, at % DAY);
    let is_within = |from: f64, minutes: f64| (from..from + minutes * MINUTE).contains(&time);
    if is_within(3.2 * HOUR, 12.0) || is_within((9 + day % 7) as f64 * HOUR, 4.0) {
        return Some(ApiError::Lost);
    }
    if day % 5 == 1 && is_within(16.3 * HOUR, 15.0) {
        return Some(ApiError::Refused {
            status: 401,
            said: ErrorBody::Nothing,
        });
    }
    (chance.f64() < 0.02).then(|| ApiError::RateLimited {
        threshold: None,
        retry_after: chance.bool().then(|| std::time::Duration::from_secs(20)),
        said: ErrorBody::Nothing,
    })
}

/// A program, with its own monotonic clock.
struct Program<'a> {
    settings: &'a Settings,
    watcher: Option<Watcher<'a>>,
    /// When it does something next: it starts if it does not run, else it has its answer or has waited.
    wakes: f64,
    answer: Option<(Result<Reply, ApiError>, f64)>,
    /// Whether it has another key when it wakes.
    awaits_key: bool,
    /// When it was killed and started, in turn, the last one first.
    kills: Vec<f64>,
    sent: Vec<f64>,
}

/// What a run showed.
#[derive(Default)]
struct Seen {
    /// How often an alert rang in an episode; without one it had no reason.
    rings: BTreeMap<(usize, Option<u64>), usize>,
    /// The good answers to the search of an alert that a program took in an episode.
    answers: BTreeMap<(usize, u64), usize>,
    changes: usize,
    notes: Vec<String>,
}

struct World<'a> {
    days: f64,
    rhythm: Rhythm,
    programs: Vec<Program<'a>>,
    chance: fastrand::Rng,
    seen: Seen,
}

/// Seconds until a moment that the machine slept: two hours of each night from the second on.
fn slept(at: f64) -> f64 {
    let nights = (at / DAY).floor();
    let tonight = (at % DAY - 4.5 * HOUR).clamp(0.0, 2.0 * HOUR);
    (nights * 2.0 * HOUR + tonight - 2.0 * HOUR).max(0.0)
}

/// The moment at which a machine has been awake for so long after `from`.
fn awake_after(from: f64, seconds: f64) -> f64 {
    let mut until = from + seconds;
    while until - from - (slept(until) - slept(from)) < seconds - 1e-6 {
        until = from + seconds + slept(until) - slept(from);
    }
    until
}

fn now(at: f64) -> Now {
    Now {
        mono: MonotonicTime::new(at - slept(at)),
        epoch: EPOCH + at,
    }
}

impl World<'_> {
    fn run(mut self) -> (Seen, Vec<Vec<f64>>) {
        loop {
            let wakes = |program: &Program<'_>| program.wakes;
            let Some(next) = (0..self.programs.len())
                .min_by(|left, right| wakes(&self.programs[*left]).total_cmp(&wakes(&self.programs[*right])))
            else {
                break;
            };
            if self.programs[next].wakes >= self.days * DAY {
                break;
            }
            self.step(next);
        }
        let sent = self.programs.into_iter().map(|program| program.sent);
        (self.seen, sent.collect())
    }

    fn step(&mut self, index: usize) {
        let program = &mut self.programs[index];
        let at = program.wakes;
        if program.kills.last().is_some_and(|kill| *kill <= at) {
            // Whatever it was doing.
            program.kills.pop();
            program.answer = None;
            program.watcher = program
                .watcher
                .take()
                .map_or_else(|| Some(Watcher::new(program.settings, self.rhythm, now(at))), |_| None);
        }
        let Some(watcher) = &mut program.watcher else {
            program.wakes = program.kills.last().map_or(f64::INFINITY, |start| start.max(at + 1e-3));
            return;
        };
        if std::mem::take(&mut program.awaits_key) {
            watcher.use_new_key();
        }
        if let Some((result, took)) = program.answer.take() {
            watcher.answered(result, (took * 1000.0) as u32, now(at));
        }
        let step = watcher.next(now(at));
        for output in watcher.take_output() {
            match output {
                Output::Event {
                    document,
                    ring: Some(_),
                    ..
                } => {
                    let event = json!(document);
                    let alert = event["alert"].as_str().unwrap().strip_prefix("alert ");
                    let alert = alert.unwrap().parse().unwrap();
                    *self.seen.rings.entry((alert, episode(alert, at))).or_default() += 1;
                }
                Output::Event { .. } => self.seen.changes += 1,
                Output::Note(text) => self.seen.notes.push(text),
            }
        }
        let is_key = matches!(step, Step::AwaitApiKey(_));
        let (took, until) = match step {
            Step::Send(request) => {
                program.sent.push(at);
                let took = 0.1 + self.chance.f64() * 2.0;
                let until = awake_after(at, took);
                // What was on its way when the machine fell asleep is lost.
                let is_lost = slept(until) > slept(at);
                let trouble = if is_lost {
                    Some(ApiError::Lost)
                } else {
                    trouble(at, &mut self.chance)
                };
                let result = match trouble {
                    Some(error) => Err(error),
                    None => Ok(Reply::Records(Box::new(answer(&request, until, &mut self.seen)))),
                };
                program.answer = Some((result, took));
                (took, until)
            }
            Step::Wait(mono) | Step::AwaitApiKey(mono) => {
                program.awaits_key = is_key;
                let wait = (mono - now(at).mono).max(1e-3);
                (wait, awake_after(at, wait))
            }
            Step::Done => panic!("a watch without --once never ends"),
        };
        let _ = took;
        let kill = program.kills.last().copied().unwrap_or(f64::INFINITY);
        program.wakes = until.min(kill.max(at + 1e-6));
    }
}

fn answer(request: &Request, at: f64, seen: &mut Seen) -> Listing {
    let Request::Search(query) = request else {
        return groups(at);
    };
    let key = SearchKey::new(query).conditions;
    let Some(model) = key.strip_prefix("gpu_name=M") else {
        // Nothing is left of what is gone.
        return Listing::read(&OFFERS, r#"{"offers":[]}"#.to_owned(), EPOCH + at).unwrap();
    };
    let model: usize = model.parse().unwrap();
    // Of model 6 both the saved search and the workergroup ask; only the latter knows workers.
    let is_counted = model != 6 || query.limit != Some(3000);
    if let Some(episode) = episode(model, at).filter(|_| is_counted) {
        *seen.answers.entry((model, episode)).or_default() += 1;
    }
    offers(model, at)
}

/// What a run is expected to show; what it does not is described.
fn faults(seen: &Seen, sent: &[Vec<f64>], days: f64, is_shared: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let is_due = |alert: usize, episode: u64| match alert {
        // Once.
        8 => (0..episode).all(|earlier| !seen.answers.contains_key(&(8, earlier))),
        // Until the first day is over.
        9 => episode_starts(9, episode) + EPISODE < DAY,
        _ => true,
    };
    for (&(alert, episode), &answers) in seen.answers.iter().filter(|((alert, _), _)| *alert < ALERTS) {
        let rang = seen.rings.get(&(alert, Some(episode))).copied().unwrap_or(0);
        let is_over = episode_starts(alert, episode) + EPISODE < days * DAY;
        // The only answer of an episode may be lost with the program.
        let is_right = match (is_due(alert, episode), answers) {
            (true, 2..) if is_over => rang == 1,
            (true, _) => rang <= 1,
            (false, _) => rang == 0 || (alert == 9 && rang == 1 && episode_starts(9, episode) < DAY),
        };
        if !is_right {
            faults.push(format!(
                "alert {alert} rang {rang} times in episode {episode} ({answers} answers)"
            ));
        }
    }
    for ((alert, episode), rang) in &seen.rings {
        if !episode.is_some_and(|episode| seen.answers.contains_key(&(*alert, episode))) {
            faults.push(format!("alert {alert} rang {rang} times without a reason"));
        }
    }
    // Programs with one record have one budget.
    let together = is_shared.then(|| {
        let mut all = sent.concat();
        all.sort_by(f64::total_cmp);
        all
    });
    for (program, sent) in sent.iter().chain(&together).enumerate() {
        let most = BUDGET as usize;
        let over = sent
            .windows(most + 1)
            .find(|window| window[most] - window[0] < MINUTE - 1e-6);
        if let Some(window) = over {
            faults.push(format!(
                "program {program} sent more than {most} a minute at {:.0} s",
                window[0]
            ));
        }
    }
    faults
}

fn episode_starts(model: usize, episode: u64) -> f64 {
    let period = 7.0 * HOUR + model as f64 * 13.0 * MINUTE;
    HOUR + model as f64 * 31.0 * MINUTE + episode as f64 * period
}

/// Two programs: one that runs always and is killed once a day, and one that runs for some hours a day, while
/// the other is killed.
fn watched(
    days: f64,
    (searches, every): (usize, u32),
    requests_a_minute: u32,
    alone: bool,
) -> (Seen, Vec<Vec<f64>>, Vec<String>) {
    let root = tempfile::tempdir().unwrap();
    let shared = saved(root.path(), searches);
    let other = settings(root.path(), alone);
    let mut chance = fastrand::Rng::with_seed(7);
    let (mut first, mut second) = (vec![0.0], Vec::new());
    for day in 0..days.ceil() as u32 {
        let day = f64::from(day) * DAY;
        let kill = day + DAY * (0.3 + 0.5 * chance.f64());
        // Back at once, or after minutes.
        let pause = [0.0, 30.0, 900.0][chance.usize(..3)];
        first.extend([kill, kill + pause]);
        // Alone it runs all day: the two meet in every episode.
        second.extend(if alone {
            [day, day + DAY - HOUR]
        } else {
            [kill - HOUR, kill + HOUR]
        });
    }
    let program = |settings, mut kills: Vec<f64>| {
        kills.reverse();
        Program {
            settings,
            watcher: None,
            wakes: *kills.last().unwrap(),
            answer: None,
            awaits_key: false,
            kills,
            sent: Vec::new(),
        }
    };
    let world = World {
        days,
        rhythm: Rhythm {
            requests_a_minute,
            every: Some(every),
            is_once: false,
        },
        programs: vec![program(&shared, first), program(&other, second)],
        chance,
        seen: Seen::default(),
    };
    let (seen, sent) = world.run();
    let faults = faults(&seen, &sent, days, !alone);
    (seen, sent, faults)
}

#[track_caller]
fn hold(days: f64, load: (usize, u32)) {
    let (seen, sent, faults) = watched(days, load, BUDGET, false);
    assert!(faults.is_empty(), "{faults:#?}");
    let rang: usize = seen.rings.values().sum();
    let least = days * 15.0;
    assert!(rang as f64 > least, "only {rang} rings");
    assert!(seen.changes > rang, "{}", seen.changes);
    for alert in 0..ALERTS {
        assert!(
            seen.rings.keys().any(|(rang, _)| *rang == alert),
            "alert {alert} never rang"
        );
    }
    // Each program had its turn, and troubles are told.
    assert!(sent.iter().all(|sent| !sent.is_empty()));
    for words in [
        "connection lost",
        "too many requests",
        "the market is back to normal",
        "another program watches",
    ] {
        let mut notes = seen.notes.iter();
        assert!(notes.any(|note| note.contains(words)), "{words}: {:#?}", seen.notes);
    }
}

#[test]
fn every_due_ring_rings_once_within_the_budget() {
    hold(1.0, cases(LIGHT, (SEARCHES, 600)));
}

#[test]
#[ignore = "long: a virtual month"]
fn a_month_with_outages_and_a_kill_every_day() {
    hold(30.0, (SEARCHES, 1800));
}

#[test]
#[ignore = "long: many turns of a watch without its claim"]
fn control_without_the_claim_or_the_budget_it_fails() {
    let (_, _, faults) = watched(2.0, (ALERTS, 1500), BUDGET, true);
    assert!(faults.iter().any(|fault| fault.contains("rang 2 times")), "{faults:#?}");
    let (_, _, faults) = watched(0.1, LIGHT, 6 * BUDGET, false);
    assert!(faults.iter().any(|fault| fault.contains("a minute at")), "{faults:#?}");
}

/// Seconds for which a watch sends, its answers, and what it says.
fn answered(
    watcher: &mut Watcher<'_>,
    from: f64,
    seconds: f64,
    mut answer: impl FnMut(usize) -> Option<ApiError>,
) -> (usize, Vec<String>) {
    let (mut at, mut sent, mut notes) = (from, 0, Vec::new());
    while at < from + seconds {
        match watcher.next(now(at)) {
            Step::Send(request) => {
                at += 0.1;
                let result = match answer(sent) {
                    Some(error) => Err(error),
                    None => Ok(Reply::Records(Box::new(self::answer(
                        &request,
                        at,
                        &mut Seen::default(),
                    )))),
                };
                sent += 1;
                watcher.answered(result, 100, now(at));
            }
            Step::Wait(mono) | Step::AwaitApiKey(mono) => at = awake_after(at, (mono - now(at).mono).max(1e-3)),
            Step::Done => break,
        }
        notes.extend(watcher.take_output().into_iter().filter_map(|output| match output {
            Output::Note(text) => Some(text),
            Output::Event { .. } => None,
        }));
    }
    (sent, notes)
}

const RHYTHM: Rhythm = Rhythm {
    requests_a_minute: BUDGET,
    every: Some(60),
    is_once: false,
};

fn refused(status: u16) -> ApiError {
    match status {
        401 => ApiError::Refused {
            status,
            said: ErrorBody::Nothing,
        },
        _ => ApiError::NotPermitted {
            said: ErrorBody::Nothing,
        },
    }
}

#[test]
fn a_refused_key_sends_nothing_until_there_is_another() {
    for status in [401, 403] {
        let root = tempfile::tempdir().unwrap();
        saved(root.path(), 3);
        let file = root.path().join("key");
        std::fs::write(&file, "canary-key-51ab").unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let flags = Global {
            base_url: Some("http://127.0.0.1:1".to_owned()),
            api_key_file: Some(file.clone()),
            profile: Some("sandbox".to_owned()),
            ..Global::default()
        };
        let settings = Settings::resolve(&flags, &Environment::default(), Some(Paths::below(root.path()))).unwrap();
        let mut watcher = Watcher::new(&settings, RHYTHM, now(0.0));
        let (sent, notes) = answered(&mut watcher, 0.0, 0.25 * DAY, |_| Some(refused(status)));
        assert_eq!(sent, 1, "{notes:#?}");
        let said = format!("nothing more is sent until {} has another key", file.display());
        let said = notes
            .iter()
            .filter(|note| note.starts_with("the API key: ") && note.contains(&said));
        assert_eq!(said.count(), 1, "{notes:#?}");
        watcher.use_new_key();
        let (sent, notes) = answered(&mut watcher, 4.0 * DAY, 0.2 * HOUR, |_| None);
        assert!(sent > 20, "{sent}");
        let back = notes.iter().filter(|note| *note == "the API key is back to normal");
        assert_eq!(back.count(), 1, "{notes:#?}");
    }
}

#[test]
fn a_key_that_cannot_change_says_so() {
    let root = tempfile::tempdir().unwrap();
    saved(root.path(), 3);
    let flags = Global {
        base_url: Some("http://127.0.0.1:1".to_owned()),
        profile: Some("sandbox".to_owned()),
        ..Global::default()
    };
    let environment = Environment {
        key: Some("canary-key-51ab".to_owned()),
        ..Environment::default()
    };
    let settings = Settings::resolve(&flags, &environment, Some(Paths::below(root.path()))).unwrap();
    let mut watcher = Watcher::new(&settings, RHYTHM, now(0.0));
    let (sent, notes) = answered(&mut watcher, 0.0, DAY, |_| Some(refused(401)));
    assert_eq!(sent, 1);
    let mut said = notes.iter();
    assert!(
        said.any(|note| note.contains("BOURSE_API_KEY can't change while this runs")),
        "{notes:#?}"
    );
}

#[test]
fn each_trouble_is_said_once_and_once_more_when_it_is_over() {
    let root = tempfile::tempdir().unwrap();
    let settings = saved(root.path(), 3);
    let mut watcher = Watcher::new(&settings, RHYTHM, now(0.0));
    // An outage shows itself in many ways, again and again.
    let outage = |sent: usize| {
        Some(match sent % 3 {
            0 => ApiError::Lost,
            1 => ApiError::Cut {
                bytes: 1000 + sent,
                records: Some(sent),
            },
            _ => ApiError::TimedOut {
                after: std::time::Duration::from_secs(60),
            },
        })
    };
    let (sent, notes) = answered(&mut watcher, 0.0, DAY, outage);
    assert!(sent > 20, "{sent}");
    let said = notes.iter().filter(|note| note.starts_with("the market: "));
    assert_eq!(said.count(), 3, "{notes:#?}");
    let (_, notes) = answered(&mut watcher, 2.0 * DAY, 0.2 * HOUR, |_| None);
    let back = notes.iter().filter(|note| note.contains("back to normal"));
    assert_eq!(back.count(), 1, "{notes:#?}");
    let (_, notes) = answered(&mut watcher, 3.0 * DAY, 0.2 * HOUR, |_| Some(ApiError::Lost));
    assert_eq!(
        notes.iter().filter(|note| note.starts_with("the market: ")).count(),
        1,
        "{notes:#?}"
    );
}

#[test]
fn a_long_watch_has_a_flat_memory() {
    let root = tempfile::tempdir().unwrap();
    let settings = saved(root.path(), ALERTS);
    let mut watcher = Watcher::new(&settings, RHYTHM, now(0.0));
    answered(&mut watcher, 0.0, HOUR / 2.0, |_| None);
    let (mut sent, half) = (0, HOUR / 2.0);
    let second = allocation_counter::measure(|| sent = answered(&mut watcher, half, half, |_| None).0);
    assert!(sent > 250, "{sent} requests");
    // If only the machines of each poll were kept, they would be 300 kB.
    assert!(
        second.bytes_current < 64 * 1024,
        "{} bytes more after {sent} requests",
        second.bytes_current
    );
}
