//! The files as this version's stores read them.

use std::collections::{BTreeMap, BTreeSet};

use bourse::domain::annotations::{Annotations, Supplier};
use bourse::domain::journal::{self, Verdict, WriteKind};
use bourse::domain::saved::{DashboardState, Searches};
use bourse::domain::workergroup::MadeGroups;
use bourse::domain::{Condition, Dialect, Operand, Operator, Query, Resource, Value};
use bourse::features::history::prices::series::PriceSeries;
use bourse::features::history::tape::events::RecentEvents;
use bourse::features::workergroups::drift::SeenGroups;
use bourse::record::alerts::{Alerts, Followed};
use bourse::record::store::{Database, ProgramId};
use bourse::record::{Moment, PollOutcome, Question, Repeat, Trigger};
use bourse::store::{Journal, PacingFile, StateFile, StateStore};

use super::{ADDRESS, DAY, END, Home};

#[test]
fn searches_panes_annotations_and_alerts_are_read_whole() {
    let home = Home::of_0_1();
    let store = StateStore::new(&home.paths, "work");
    let mut notices = Vec::new();
    let searches: Searches = store.read(&mut notices).unwrap();
    let ui: DashboardState = store.read(&mut notices).unwrap();
    let all: Annotations = store.read(&mut notices).unwrap();
    let alerts: Alerts = store.read(&mut notices).unwrap();
    assert_eq!(notices, Vec::<String>::new());
    let names: Vec<_> = searches.saved.iter().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["night shift", "big iron"]);
    assert_eq!(searches.startup.as_deref(), Some("night shift"));
    assert_eq!(searches.hidden, ["Cheap network storage"]);
    let (query, words, job) = searches.saved[0].read(&Dialect::VAST).unwrap();
    assert_eq!((query.conditions.len(), words.len()), (2, 0));
    assert_eq!(
        (query.limit, query.storage, query.unbundled),
        (Some(200), Some(64.0), true)
    );
    assert_eq!(job.unwrap().run_hours, 36.0);
    assert_eq!(ui.panes.len(), 3);
    let offers = ui.panes[0].search.read(&Dialect::VAST).unwrap().0;
    let off: Vec<_> = offers.conditions.iter().map(|own| own.enabled).collect();
    assert_eq!(off, [true, true, false]);
    assert_eq!(ui.panes[0].marks, [101, 103]);
    assert_eq!(ui.panes[1].history, ["disk_space>=500"]);
    assert_eq!(
        (ui.job.unwrap().disk_gb, ui.split, ui.is_welcomed),
        (64.0, Some(62), true)
    );
    assert_eq!(ui.volume_term.map(|term| (term.gb, term.days)), Some((512.5, 45.0)));
    assert!(all.is_starred(Supplier::Machine(7)) && all.is_banned(Supplier::Host(74)));
    assert_eq!(all.get(Supplier::Machine(9)).unwrap().note, "slow disk in May");
    let names: Vec<_> = alerts.alerts.iter().map(|own| own.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "cheap cards",
            "cheap space",
            "eight hundred",
            "seven is back",
            "falling",
            "scarce",
            "starving"
        ]
    );
    let named = |name| alerts.named(name).unwrap();
    assert_eq!(named("seven is back").rule.repeat, Repeat::Until(Moment(4_102_444_800)));
    assert_eq!(named("falling").rule.model.as_deref(), Some("RTX 4090"));
    let at_least = Trigger::GpusAtLeast {
        gpus: 800,
        below: Some(0.5),
    };
    assert_eq!(named("eight hundred").rule.trigger, at_least);
    assert_eq!(named("starving").follows, Followed::Group(12));
    assert!(named("starving").is_paused && !named("falling").is_paused);
    assert_eq!((alerts.log.len(), alerts.log[0].at), (1, Moment(END - 3600)));
}

#[test]
fn writes_limits_groups_and_the_sandbox_are_read_whole() {
    let home = Home::of_0_1();
    let journal = Journal::at(&home.paths.journal_file());
    let kept = journal.read().unwrap();
    assert_eq!(kept.damage, []);
    let writes: Vec<_> = journal::entries(kept.lines)
        .iter()
        .map(|entry| (entry.intent.kind, entry.intent.subject.clone(), entry.verdict()))
        .collect();
    let (create, unlist) = (WriteKind::CreateWorkergroup, WriteKind::UnlistVolume);
    let write = |kind, subject: &str, verdict| (kind, subject.to_owned(), verdict);
    assert_eq!(
        writes,
        [
            write(create, "endpoint sdxl", Verdict::Done),
            write(unlist, "4001", Verdict::Refused),
            write(create, "endpoint chat", Verdict::Unknown),
            write(unlist, "7311", Verdict::Unknown),
        ]
    );
    let url = home.market.url();
    let learned = PacingFile::new(&home.paths, "work", &url).read(Moment(END).unix() + 60.0);
    assert_eq!(learned, BTreeMap::from([("search offers".to_owned(), 3.3)]));
    let mut notices = Vec::new();
    let seen: SeenGroups = StateStore::new(&home.paths, "work").read(&mut notices).unwrap();
    let groups = serde_json::to_value(seen.at_address(&url).unwrap()).unwrap();
    assert_eq!(groups["groups"]["13"]["endpoint_name"], "whisper");
    let file = |kind| home.paths.sandbox_file("sandbox", kind, 1);
    let made = StateFile::<MadeGroups>::open(file("groups"), &mut notices).1.unwrap();
    assert_eq!((made.0.len(), made.0[0].id), (1, 4900));
    let unlisted = StateFile::<BTreeSet<u64>>::open(file("unlisted"), &mut notices).1;
    assert_eq!(unlisted, Some(BTreeSet::from([47_287_803])));
    assert_eq!(notices, [""; 0]);
}

/// The searches that were watched.
fn watched(resource: Resource) -> Query {
    let (key, least) = match resource {
        Resource::Volumes => ("disk_space", 500.0),
        // In MB.
        Resource::Offers | Resource::Workergroups => ("gpu_ram", 24_000.0),
    };
    let field = resource.catalog().by_key(key).unwrap();
    let least = Operand::One(Value::Number(least));
    Query {
        conditions: vec![Condition::new(field, Operator::Gte, least)],
        ..Query::empty(resource)
    }
}

/// Of the file as it is, whose record ends on 2026-11-20 12:00. Prices are 0.20 $/h and a cent for each
/// number of the machine and each hour of the day.
#[test]
fn the_recorded_market_answers_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let file = super::fixtures("0.1").join("state/bourse/profiles/work/history.sqlite");
    let path = folder.path().join("history.sqlite");
    std::fs::copy(file, &path).unwrap();
    let mut database = Database::open(&path, ADDRESS).unwrap();
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
    let contents = database.contents().unwrap();
    assert_eq!((contents.searches, contents.polls), (2, 82));
    assert_eq!(contents.span, Some((Moment(END - 6 * DAY), Moment(END))));
    for resource in [Resource::Offers, Resource::Volumes] {
        let about = |machine: i128| {
            let key = if resource == Resource::Volumes {
                "cluster_id"
            } else {
                "machine_id"
            };
            let field = resource.catalog().by_key(key).unwrap();
            let mut query = watched(resource);
            let machine = Operand::One(Value::id(machine));
            query.conditions.push(Condition::new(field, Operator::Eq, machine));
            Question {
                query,
                since: Moment(END - 7 * DAY),
                until: Moment(END + 1),
            }
        };
        let prices = PriceSeries {
            question: about(8),
            buckets: 7,
        };
        let series = database.ask(&prices).unwrap().unwrap();
        // The first poll of a day is its cheapest.
        assert_eq!(series.record, Some((0.28, Moment(END - 6 * DAY))));
        assert_eq!(series.now.unwrap().levels.unwrap().lowest, 0.28);
        // The day before the first poll, and the third of the six days, were not watched.
        let watched: Vec<_> = series.buckets.iter().map(|own| own.watched > 0.0).collect();
        assert_eq!(watched, [false, true, true, false, true, true, true], "{series:?}");
        // Each day has a truncated poll, which does not tell how much is on offer.
        assert!(series.buckets.iter().all(|own| own.amount.is_none()), "{series:?}");
        let tape = RecentEvents {
            question: about(13),
            most: 1000,
        };
        let tape = database.ask(&tape).unwrap();
        let reported: Vec<_> = tape.iter().map(|event| format!("{:?}", event.kind)).collect();
        let has = |word: &str| reported.iter().filter(|own| own.contains(word)).count();
        // On its days its price changed four times: four hours had no useful poll or not all machines.
        assert_eq!((has("Rented"), has("NotWatched")), (1, 1), "{reported:#?}");
        assert_eq!((has("Repriced"), has("Listed")), (8, 2), "{reported:#?}");
    }
    let excerpt = database
        .excerpt(&Question {
            query: watched(Resource::Offers),
            since: Moment(0),
            until: Moment(END + 1),
        })
        .unwrap();
    let of = |outcome| {
        let polls = excerpt.polls.iter();
        polls.filter(|poll| poll.outcome == outcome).count()
    };
    assert_eq!(of(PollOutcome::Failed), 5);
    assert_eq!(of(PollOutcome::Truncated), 5);
    assert_eq!(of(PollOutcome::FiltersIgnored), 5);
    // Another program rings the alert no second time, an hour later it would.
    let other = ProgramId::of_process();
    assert!(!database.claim_ring("cheap cards", &other, Moment(END + 10)).unwrap());
}
