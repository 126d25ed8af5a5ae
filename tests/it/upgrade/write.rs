//! Writes the files of this version, through the program's own code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use bourse::domain::annotations::{AnnotationChange, Annotations, Mark, Supplier};
use bourse::domain::cost::{Job, VolumeTerm};
use bourse::domain::journal::{Intent, Line, Outcome, Verdict, WriteKind};
use bourse::domain::saved::{DashboardState, PaneState, SavedSearch, SearchChange, SearchSpec, Searches};
use bourse::domain::time::UnixTime;
use bourse::domain::workergroup::{GroupChange, GroupSnapshot, MadeGroup, MadeGroups, NewWorkergroup};
use bourse::domain::{Dialect, Listing, Query, Resource, WORKERGROUPS};
use bourse::features::workergroups::drift::SeenGroups;
use bourse::keys::BINDINGS;
use bourse::record::alerts::{Alert, AlertChange, Alerts, Followed, Logged};
use bourse::record::store::{Database, ProgramId};
use bourse::record::{
    AlertState, Cause, Lot, Moment, Poll, PollOutcome, PricePer, Proof, Quote, Repeat, Rule, Scope, SearchKey,
    Sighting, Trigger, VOLUME_MODEL,
};
use bourse::store::{Journal, PacingFile, Paths, StateFile, StateStore};

use super::{ADDRESS, END, KEY, ROUTE, fixtures};
use crate::files::replace;
use crate::polls::{query_for, with_lines};

/// Settings of every kind, each other than its default; `{keys}` has a key for every action.
const CONFIG: &str = r##"default_profile = "work"
ascii = false
mouse = false
notifications = "unfocused"
alert_command = "true"

[theme]
name = "dusk"
[theme.colors]
error = "#ff0000"

[throughput."tokens/s"]
"RTX 4090" = 2900
[throughput."images/s"]
"RTX 4090" = 12

[watch]
requests_per_minute = 6
every = "2m"

[keys]
{keys}
[profiles.work]
base_url = "{address}"
route_url = "{route}"
dialect = "vast"
api_key_file = "keys/work"

[profiles.lab]
base_url = "{address}"
dialect = "documented"
api_key_command = "printf canary-key-of-lab"
read_only = true
"##;

/// The keys that are not the defaults.
pub const OWN_KEYS: [(&str, &str); 4] = [
    ("saved-searches", "ctrl-k"),
    ("alerts", "ctrl-a"),
    ("annotations", "ctrl-o"),
    ("quit", "Q"),
];

#[test]
#[ignore = "measure: writes tests/it/data/upgrade/<version>, once in a version's life"]
fn write_the_files_of_this_version() {
    let root = fixtures(concat!(
        env!("CARGO_PKG_VERSION_MAJOR"),
        ".",
        env!("CARGO_PKG_VERSION_MINOR")
    ));
    if root.exists() {
        // Written by the version itself: not again.
        return;
    }
    let paths = Paths::below(&root);
    configuration(&paths);
    let store = StateStore::new(&paths, "work");
    replace(&store, snapshot()).unwrap();
    searches(&store);
    annotations(&store);
    alerts(&store);
    journal(&paths.journal_file());
    let learned = BTreeMap::from([("search offers".to_owned(), 3.3)]);
    let pacing = PacingFile::new(&paths, "work", ADDRESS);
    pacing.save(learned, UnixTime::new(END as f64)).unwrap();
    groups(&store);
    sandbox(&paths);
    recorded(&Database::path(&paths.profile_state("work")));
}

fn configuration(paths: &Paths) {
    let mut keys = String::new();
    for row in BINDINGS {
        let own = OWN_KEYS.iter().find(|(name, _)| *name == row.name);
        let own = own.map(|(_, key)| vec![*key]);
        let bound = own.unwrap_or_else(|| row.keys.to_vec());
        keys += &format!("{} = {bound:?}\n", row.name);
    }
    let config = CONFIG
        .replace("{keys}", &keys)
        .replace("{address}", ADDRESS)
        .replace("{route}", ROUTE);
    for (file, content) in [
        (paths.config_file(), config),
        (paths.key_file("work"), format!("{KEY}\n")),
        (
            paths.config.join("themes/dusk.toml"),
            "base = \"dark\"\naccent = \"#ffaa00\"\n".to_owned(),
        ),
    ] {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
}

fn spec(resource: Resource, query: &str, order: &str) -> SearchSpec {
    let is_offers = resource == Resource::Offers;
    SearchSpec {
        resource,
        query: query.to_owned(),
        off: Vec::new(),
        order: Some(order.to_owned()),
        limit: Some(200),
        offer_type: is_offers.then(|| "on-demand".to_owned()),
        storage: is_offers.then_some(64.0),
        unbundled: is_offers,
    }
}

fn job() -> Job {
    Job {
        run_hours: 36.0,
        disk_gb: 64.0,
        ..Job::default()
    }
}

fn snapshot() -> DashboardState {
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
    DashboardState {
        market: ADDRESS.to_owned(),
        panes: vec![
            PaneState {
                search: SearchSpec {
                    off: vec!["geolocation in EU".to_owned()],
                    ..spec(Resource::Offers, "gpu_ram>=24 reliability>=0.98", "dph_total")
                },
                columns: texts(&["gpu_name", "dph_total", "machine_id"]),
                history: texts(&["num_gpus>=8", "gpu_ram>=24 reliability>=0.98"]),
                marks: vec![101, 103],
            },
            PaneState {
                search: spec(Resource::Volumes, "disk_space>=500", "storage_cost"),
                columns: texts(&["ask_contract_id", "storage_cost", "disk_space"]),
                history: texts(&["disk_space>=500"]),
                marks: Vec::new(),
            },
            PaneState {
                search: spec(Resource::Workergroups, "endpoint_name=chat", "id"),
                columns: texts(&["id", "endpoint_name"]),
                history: Vec::new(),
                marks: Vec::new(),
            },
        ],
        job: Some(job()),
        volume_term: Some(VolumeTerm { gb: 512.5, days: 45.0 }),
        split: Some(62),
        is_welcomed: true,
    }
}

fn searches(store: &StateStore) {
    let saved = |name: &str, query: &str, job| SavedSearch {
        name: name.to_owned(),
        note: String::new(),
        job,
        spec: spec(Resource::Offers, query, "dph_total"),
    };
    let mut here = Searches::default();
    for change in [
        SearchChange::Put(saved("night shift", "gpu_name=RTX_4090 num_gpus<=2", Some(job()))),
        SearchChange::Put(saved("big iron", "gpu_ram>=80 num_gpus=8", None)),
        SearchChange::Startup(Some("night shift".to_owned())),
        SearchChange::Hide("Cheap network storage".to_owned()),
    ] {
        here = store.change(&change, &here).unwrap();
    }
}

fn annotations(store: &StateStore) {
    let mut here = Annotations::default();
    for (of, mark) in [
        (Supplier::Machine(7), Mark::Star(true)),
        (Supplier::Machine(9), Mark::Note("slow disk in May".to_owned())),
        (Supplier::Host(74), Mark::Ban(true)),
    ] {
        let change = AnnotationChange { of, mark };
        here = store.change(&change, &here).unwrap();
    }
}

/// An alert on every trigger, with every repetition.
fn alerts(store: &StateStore) {
    let search = || Followed::Search(spec(Resource::Offers, "gpu_name=RTX_4090", "dph_total"));
    let volumes = || Followed::Search(spec(Resource::Volumes, "", "storage_cost"));
    let every_time = Repeat::EveryTime;
    let at_least = Trigger::GpusAtLeast {
        gpus: 800,
        below: Some(0.5),
    };
    let down = Trigger::PriceDown {
        percent: 10.0,
        hours: 24,
    };
    let all = [
        ("cheap cards", search(), Trigger::PriceBelow(0.0001), Repeat::Once),
        ("cheap space", volumes(), Trigger::PriceBelow(0.000_01), every_time),
        ("eight hundred", search(), at_least, every_time),
        // In the year 2100.
        (
            "seven is back",
            search(),
            Trigger::MachineBack(70_007),
            Repeat::Until(Moment(4_102_444_800)),
        ),
        ("falling", search(), down, every_time),
        ("scarce", search(), Trigger::GpusBelow(0), every_time),
        ("starving", Followed::Group(12), Trigger::WorkersBelow(1), Repeat::Once),
    ];
    let mut here = Alerts::default();
    for (name, follows, trigger, repeat) in all {
        let alert = Alert {
            name: name.to_owned(),
            follows,
            rule: Rule {
                model: (name == "falling").then(|| "RTX 4090".to_owned()),
                repeat,
                per: PricePer::Gpu,
                trigger,
            },
            is_paused: matches!(name, "scarce" | "starving"),
            state: AlertState::default(),
        };
        let change = AlertChange::Put(Box::new(alert));
        here = store.change(&change, &here).unwrap();
    }
    let rang = Logged {
        alert: "cheap cards".to_owned(),
        at: Moment(END - 3600),
        text: "$0.290/h per GPU with 50 GB is the lowest price: machine 7, offer 101".to_owned(),
    };
    let checked = AlertChange::Checked {
        name: "cheap cards".to_owned(),
        state: AlertState::default(),
        rang: Some(rang),
    };
    store.change(&checked, &here).unwrap();
}

/// Writes of each kind: done, refused, and two without an outcome.
fn journal(path: &Path) {
    let journal = Journal::at(path);
    let group = |endpoint: &str| NewWorkergroup {
        endpoint_name: Some(endpoint.to_owned()),
        search_params: Some("gpu_name=RTX_4090 num_gpus=1".to_owned()),
        ..NewWorkergroup::default()
    };
    let create = WriteKind::CreateWorkergroup;
    for (key, kind, subject, outcome) in [
        ("k1", create, "endpoint sdxl", Some((Verdict::Done, "created as 12"))),
        (
            "k2",
            WriteKind::UnlistVolume,
            "4001",
            Some((Verdict::Refused, "Volume is rented")),
        ),
        ("k3", create, "endpoint chat", None),
        ("k4", WriteKind::UnlistVolume, "7311", None),
    ] {
        let at = UnixTime::new(END as f64 - 600.0);
        let intent = Intent {
            key: key.to_owned(),
            at,
            profile: "work".to_owned(),
            address: ADDRESS.to_owned(),
            kind,
            subject: subject.to_owned(),
            group: subject.strip_prefix("endpoint ").map(|name| Box::new(group(name))),
            over_limit: None,
        };
        journal.append(&Line::Intent(intent)).unwrap();
        if let Some((verdict, words)) = outcome {
            let outcome = Outcome {
                key: key.to_owned(),
                at: at + 1.0,
                verdict,
                words: words.to_owned(),
            };
            journal.append(&Line::Outcome(outcome)).unwrap();
        }
    }
}

fn groups(store: &StateStore) {
    let listed = r#"{"results":[
        {"id":12,"endpoint_name":"sdxl","search_query":"gpu_ram>=24","max_workers":3},
        {"id":13,"endpoint_name":"whisper","search_query":"gpu_ram>=12","max_workers":5}]}"#;
    let listed = Listing::read(&WORKERGROUPS, listed, UnixTime::new(END as f64)).unwrap();
    replace(store, SeenGroups::new(ADDRESS, GroupSnapshot::new(&listed))).unwrap();
}

/// What was created and unlisted in the sandbox of the default seed.
fn sandbox(paths: &Paths) {
    let made = MadeGroup {
        id: 4900,
        created_at: "2026-11-20T11:00:00Z".to_owned(),
        endpoint_name: "old-endpoint".to_owned(),
        endpoint_id: 4901,
        template_hash: None,
        template_id: None,
        search_query: "gpu_name=RTX_4090 num_gpus=1".to_owned(),
        launch_args: String::new(),
        min_load: 1.0,
        target_util: 0.9,
        cold_mult: 3.0,
        test_workers: 3,
        max_workers: 20,
        gpu_ram: 24.0,
    };
    let put = |groups: &mut MadeGroups| groups.apply(GroupChange::Put(made));
    let open = |kind| paths.sandbox_file("sandbox", kind, 1);
    let (file, _) = StateFile::<MadeGroups>::open(open("groups"), &mut Vec::new());
    file.change(MadeGroups::default(), put).unwrap();
    let (file, _) = StateFile::<BTreeSet<u64>>::open(open("unlisted"), &mut Vec::new());
    file.change(BTreeSet::new(), |ids| ids.insert(47_287_803)).unwrap();
}

/// The searches that were watched.
fn watched(resource: Resource) -> Query {
    let conditions = match resource {
        Resource::Volumes => "disk_space>=500",
        Resource::Offers | Resource::Workergroups => "gpu_ram>=24",
    };
    query_for(resource, conditions)
}

/// Six days of polls, one every three hours: prices follow the hour of the day, machine 13 is there on
/// even days, the third day was not watched, and some polls failed, were cut by the limit or useless.
fn recorded(path: &Path) {
    const HOUR: i64 = 3600;
    let mut database = Database::open(path, ADDRESS).unwrap();
    for hour in (0..=6 * 24).step_by(3) {
        let at = Moment(END - (6 * 24 - hour) * HOUR);
        let day = hour / 24;
        if day == 2 {
            continue;
        }
        for resource in [Resource::Offers, Resource::Volumes] {
            let price = |machine: i64| 0.01 * (20 + machine + hour % 24) as f64;
            let sighting = |machine: i64| Sighting {
                lot: Lot {
                    machine,
                    model: match (resource, machine % 2) {
                        (Resource::Volumes, _) => VOLUME_MODEL.into(),
                        (_, 0) => "H100 SXM".into(),
                        _ => "RTX 4090".into(),
                    },
                    memory: 0,
                },
                host: Some(60 + machine),
                country: None,
                amount: 2,
                price: price(machine),
                offer: machine * 100,
                quotes: vec![Quote {
                    gpus: 1,
                    base: price(machine),
                    storage: 0.0,
                    min_bid: None,
                }],
            };
            let is_there = |machine: &i64| *machine != 13 || day % 2 == 0;
            let mut poll = Poll {
                search: SearchKey::new(&watched(resource)),
                scope: Scope::new(&watched(resource), &Dialect::SANDBOX, []),
                proof: Proof::Nothing,
                lines: Vec::new(),
                at,
                took: 150,
                outcome: match hour % 24 {
                    6 => PollOutcome::Failed,
                    9 => PollOutcome::Truncated,
                    15 => PollOutcome::FiltersIgnored,
                    _ => PollOutcome::Complete,
                },
                rows: 8,
                interval: Some(3 * 3600),
                bans: 0,
                sightings: (7..=14).filter(is_there).map(sighting).collect(),
                causes: Vec::new(),
            };
            match poll.outcome {
                PollOutcome::Complete => {}
                PollOutcome::Truncated => poll.sightings.truncate(5),
                PollOutcome::Failed | PollOutcome::FiltersIgnored => poll.sightings.clear(),
            }
            if hour == 24 {
                poll.causes = vec![(sighting(13).lot, Cause::Rented)];
            }
            poll.sightings.sort_by(|one, other| one.lot.cmp(&other.lot));
            database.record(&with_lines(poll)).unwrap();
        }
    }
    let now = Moment(END);
    let program = ProgramId::of_process();
    database.claim_ring("cheap cards", &program, now).unwrap();
    database.sweep(now).unwrap();
    database.vacuum(now).unwrap();
}
