//! The files of state: whole or not there, damaged ones set aside, newer ones left alone, several
//! programs at once.

use std::fs;
use std::path::{Path, PathBuf};

use bourse::domain::cost::{Job, VolumeTerm};
use bourse::domain::document::Edit;
use bourse::domain::journal::{Intent, Line, WriteKind};
use bourse::domain::saved::{DashboardState, PaneState, SavedSearch, SearchChange, SearchSpec, Searches, presets};
use bourse::domain::secrets::Known;
use bourse::domain::time::UnixTime;
use bourse::domain::workergroup::GroupSnapshot;
use bourse::domain::{Dialect, Listing, Resource, WORKERGROUPS, language};
use bourse::features::workergroups::drift::SeenGroups;
use bourse::store::{Journal, Paths, StateStore};

use crate::cases::cases;
use crate::files::replace;

fn spec(query: &str) -> SearchSpec {
    SearchSpec {
        resource: Resource::Offers,
        query: query.to_owned(),
        off: vec!["num_gpus>=4".to_owned()],
        order: Some("dph_total,dlperf-".to_owned()),
        limit: Some(0),
        offer_type: Some("bid".to_owned()),
        storage: Some(200.5),
        unbundled: true,
    }
}

fn search(name: &str) -> SavedSearch {
    SavedSearch {
        name: name.to_owned(),
        note: String::new(),
        job: Some(Job {
            run_hours: 72.5,
            ..Job::default()
        }),
        spec: spec("gpu_name=RTX_4090 \"a b\""),
    }
}

pub fn snapshot() -> DashboardState {
    DashboardState {
        market: "https://market.example".to_owned(),
        panes: vec![PaneState {
            search: spec("verified=true"),
            columns: vec!["id".to_owned(), "dph_total".to_owned()],
            history: vec!["gpu_name=\"RTX 4090\"".to_owned(), "ü".to_owned()],
            marks: vec![1, -2],
        }],
        job: Some(Job {
            run_hours: 72.5,
            ..Job::default()
        }),
        volume_term: Some(VolumeTerm { gb: 512.5, days: 45.0 }),
        split: Some(62),
        is_welcomed: true,
    }
}

fn names(searches: &Searches) -> Vec<&str> {
    let saved = searches.saved.iter();
    saved.map(|search| search.name.as_str()).collect()
}

#[derive(Debug, PartialEq, Default)]
struct SavedState {
    snapshot: Option<DashboardState>,
    searches: Searches,
    notices: Vec<String>,
}

struct Home {
    root: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn open(&self) -> (StateStore, SavedState) {
        let store = StateStore::new(&Paths::below(self.root.path()), "sandbox");
        let mut notices = Vec::new();
        let kept = SavedState {
            snapshot: store.read(&mut notices),
            searches: store.read(&mut notices).unwrap_or_default(),
            notices,
        };
        (store, kept)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("state/bourse/profiles/sandbox")
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::create_dir_all(self.folder()).unwrap();
        fs::write(self.file(name), content).unwrap();
    }
}

#[test]
fn a_home_without_files_is_a_fresh_start() {
    let (_, kept) = Home::new().open();
    assert_eq!(kept, SavedState::default());
}

#[test]
fn what_was_kept_comes_back() {
    let home = Home::new();
    let (shelf, _) = home.open();
    replace(&shelf, snapshot()).unwrap();
    shelf
        .change(&SearchChange::Put(search("mine")), &Searches::default())
        .unwrap();
    shelf
        .change(&SearchChange::Startup(Some("mine".into())), &Searches::default())
        .unwrap();
    let (_, kept) = home.open();
    assert_eq!(kept.snapshot, Some(snapshot()));
    assert_eq!(kept.searches.saved, [search("mine")]);
    assert_eq!(kept.searches.startup().unwrap().name, "mine");
    assert_eq!(kept.notices, [""; 0]);
}

#[test]
fn the_files_read_as_written_down_here() {
    let home = Home::new();
    home.write(
        "searches.json",
        br#"{"version":1,"kept":{"saved":[{"name":"mine","resource":"volumes",
            "query":"disk_space>=100","from_a_later_program":[1]}],"hidden":["Fast network storage"]}}"#,
    );
    home.write(
        "ui.json",
        br#"{"version":1,"kept":{"pane":"volumes","panes":[{"search":{"resource":"volumes","query":"x"}}]}}"#,
    );
    let (_, kept) = home.open();
    assert_eq!(kept.searches.saved[0].spec.resource, Resource::Volumes);
    assert_eq!(kept.searches.saved[0].spec.limit, None);
    assert_eq!(kept.searches.hidden, ["Fast network storage"]);
    let snapshot = kept.snapshot.unwrap();
    assert_eq!(snapshot.panes[0].search.query, "x");
    assert_eq!(kept.notices, [""; 0]);
}

/// The names of the files of a profile that were set aside.
fn aside(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".corrupt-"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_cut_at_any_byte_is_set_aside_and_never_lost() {
    let home = Home::new();
    let (shelf, _) = home.open();
    replace(&shelf, snapshot()).unwrap();
    shelf
        .change(&SearchChange::Put(search("mine")), &Searches::default())
        .unwrap();
    for name in ["ui.json", "searches.json"] {
        let whole = fs::read(home.file(name)).unwrap();
        // The last byte is the line's end.
        for end in (0..whole.len() - 1).step_by(cases(10, 1)) {
            let home = Home::new();
            home.write(name, &whole[..end]);
            let (shelf, kept) = home.open();
            assert_eq!(kept.snapshot, None, "{name} cut at {end}");
            assert_eq!(kept.searches, Searches::default(), "{name} cut at {end}");
            assert_eq!(kept.notices.len(), 1);
            assert!(
                kept.notices[0].contains(&format!("{name}.corrupt-1")),
                "{:?}",
                kept.notices
            );
            let aside = home.file(&format!("{name}.corrupt-1"));
            assert_eq!(fs::read(&aside).unwrap(), whole[..end]);
            if end % 50 == 0 {
                replace(&shelf, snapshot()).unwrap();
                assert_eq!(home.open().1.snapshot, Some(snapshot()));
                assert_eq!(fs::read(&aside).unwrap(), whole[..end]);
            }
        }
    }
}

#[test]
fn every_flipped_byte_is_read_or_set_aside() {
    let home = Home::new();
    let (shelf, _) = home.open();
    shelf
        .change(&SearchChange::Put(search("mine")), &Searches::default())
        .unwrap();
    let whole = fs::read(home.file("searches.json")).unwrap();
    for place in 0..whole.len() {
        let mut broken = whole.clone();
        broken[place] ^= 0x15;
        let home = Home::new();
        home.write("searches.json", &broken);
        let (_, kept) = home.open();
        // Read, or told about; never both lost and silent.
        let is_read = !kept.searches.saved.is_empty() || kept.notices.is_empty();
        assert!(is_read || home.file("searches.json.corrupt-1").exists() || home.file("searches.json").exists());
        assert!(kept.notices.len() <= 1);
    }
}

#[test]
fn several_damaged_files_are_all_kept() {
    let home = Home::new();
    for number in 1..=3 {
        home.write("searches.json", format!("broken {number}").as_bytes());
        home.open();
    }
    assert_eq!(
        aside(&home.folder()),
        [
            "searches.json.corrupt-1",
            "searches.json.corrupt-2",
            "searches.json.corrupt-3"
        ]
    );
}

#[test]
fn what_a_newer_program_wrote_is_left_as_it_is() {
    let home = Home::new();
    let newer = br#"{"version":2,"kept":"in a way that this program does not know"}"#;
    for name in ["ui.json", "searches.json"] {
        home.write(name, newer);
    }
    let (shelf, kept) = home.open();
    assert_eq!(kept.notices.len(), 2);
    assert!(kept.notices[0].contains("newer bourse"), "{:?}", kept.notices);
    let refused = replace(&shelf, snapshot()).unwrap_err();
    assert!(refused.to_string().contains("newer bourse"), "{refused}");
    let put = SearchChange::Put(search("mine"));
    assert!(shelf.change(&put, &Searches::default()).is_err());
    for name in ["ui.json", "searches.json"] {
        assert_eq!(fs::read(home.file(name)).unwrap(), newer);
    }
}

#[test]
fn where_nothing_can_be_written_the_reason_is_said() {
    let home = Home::new();
    // A file stands where the folder should be: no user may write below it, not even root.
    fs::create_dir_all(home.root.path().join("state")).unwrap();
    fs::write(home.root.path().join("state/bourse"), "a file").unwrap();
    let (shelf, kept) = home.open();
    assert_eq!(kept, SavedState::default());
    let why = replace(&shelf, snapshot()).unwrap_err();
    assert!(why.to_string().contains("ui.json: "), "{why}");
    let put = SearchChange::Put(search("mine"));
    assert!(shelf.change(&put, &Searches::default()).is_err());
}

#[test]
fn programs_that_run_together_do_not_undo_each_other() {
    let home = Home::new();
    let (one, _) = home.open();
    let (two, _) = home.open();
    let nothing = Searches::default();
    one.change(&SearchChange::Put(search("a")), &nothing).unwrap();
    let seen = two.change(&SearchChange::Put(search("b")), &nothing).unwrap();
    assert_eq!(names(&seen), ["a", "b"]);
    let seen = one.change(&SearchChange::Delete("b".into()), &nothing).unwrap();
    assert_eq!(names(&seen), ["a"]);
    // Many at once.
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let home = &home;
            scope.spawn(move || {
                let (shelf, _) = home.open();
                for number in 0..5 {
                    let put = SearchChange::Put(search(&format!("{writer}-{number}")));
                    shelf.change(&put, &Searches::default()).unwrap();
                }
            });
        }
    });
    assert_eq!(home.open().1.searches.saved.len(), 41);
}

/// So many programs save at once, so often, while another reads.
fn save_together(programs: usize, saves: usize) {
    let home = Home::new();
    let journal = home.file("writes.jsonl");
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                let (_, kept) = home.open();
                assert_eq!(kept.notices, Vec::<String>::new());
            }
        });
        let writers: Vec<_> = (0..programs)
            .map(|program| {
                let (home, journal) = (&home, &journal);
                scope.spawn(move || {
                    let (store, _) = home.open();
                    let journal = Journal::at(journal);
                    for number in 0..saves {
                        replace(&store, snapshot()).unwrap();
                        journal.append(&intent(program * saves + number)).unwrap();
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        is_over.store(true, std::sync::atomic::Ordering::SeqCst);
    });
    let history = Journal::at(&journal).read().unwrap();
    assert_eq!(history.damage, []);
    let mut keys: Vec<String> = history.lines.iter().map(key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), programs * saves);
    assert_eq!(aside(home.file("ui.json").parent().unwrap()), [""; 0]);
}

fn intent(number: usize) -> Line {
    Line::Intent(Intent {
        key: format!("{number:06}"),
        at: UnixTime::new(1_795_176_000.0),
        profile: "test".to_owned(),
        address: "https://market.example".to_owned(),
        kind: WriteKind::UnlistVolume,
        subject: "4001".to_owned(),
        group: None,
        over_limit: None,
    })
}

fn key(line: &Line) -> String {
    match line {
        Line::Intent(intent) => intent.key.clone(),
        Line::Outcome(outcome) => outcome.key.clone(),
        Line::Command(run) => run.key.clone(),
        Line::CommandEnd(end) => end.key.clone(),
    }
}

#[test]
fn programs_that_save_at_once_lose_nothing_and_leave_nothing_half_written() {
    let (programs, saves) = cases((4, 10), (8, 500));
    save_together(programs, saves);
}

#[test]
fn a_flipped_byte_in_the_journal_costs_its_own_line_at_most() {
    let home = Home::new();
    let path = home.file("writes.jsonl");
    let journal = Journal::at(&path);
    for number in 0..3 {
        journal.append(&intent(number)).unwrap();
    }
    let whole = fs::read(&path).unwrap();
    assert_eq!(journal.read().unwrap().lines.len(), 3, "control");
    for place in 0..whole.len() {
        let mut broken = whole.clone();
        broken[place] ^= 0x15;
        fs::write(&path, &broken).unwrap();
        let read = Journal::at(&path).read().unwrap();
        // The end of a line may be the one that is flipped.
        let ends = if whole[place] == b'\n' { 1 } else { 2 };
        assert!(read.lines.len() >= ends, "{place}");
        assert_eq!(fs::read(&path).unwrap(), broken, "reading changes nothing");
    }
}

#[test]
fn a_file_that_vanished_is_written_again_from_memory() {
    let home = Home::new();
    let (shelf, _) = home.open();
    let nothing = Searches::default();
    let here = shelf.change(&SearchChange::Put(search("a")), &nothing).unwrap();
    fs::remove_file(home.file("searches.json")).unwrap();
    let seen = shelf.change(&SearchChange::Put(search("b")), &here).unwrap();
    assert_eq!(names(&seen), ["a", "b"]);
}

#[test]
fn groups_come_back_for_the_same_market_only_and_without_secrets() {
    let home = Home::new();
    let (shelf, _) = home.open();
    let groups = r#"{"results":[{"id":7,"endpoint_name":"chat","api_key":"canary-42","max_workers":3}]}"#;
    let snapshot = GroupSnapshot::new(&Listing::read(&WORKERGROUPS, groups, UnixTime::new(100.0)).unwrap());
    replace(&shelf, SeenGroups::new("https://a", snapshot.clone())).unwrap();
    let seen: SeenGroups = shelf.read(&mut Vec::new()).unwrap();
    assert_eq!(seen.clone().at_address("https://a"), Some(snapshot));
    assert_eq!(seen.at_address("https://b"), None);
    let text = fs::read_to_string(home.file("groups.json")).unwrap();
    assert!(text.contains("chat") && !text.contains("canary"), "{text}");
}

#[test]
fn every_document_is_saved_without_known_secrets() {
    let home = Home::new();
    let (shelf, _) = home.open();
    let put = SearchChange::Put(search("my canary-42"));
    let edit = Edit::Change {
        change: put,
        before: Searches::default(),
    };
    shelf.save(&edit, &Known::new(["canary-42"])).unwrap();
    let text = fs::read_to_string(home.file("searches.json")).unwrap();
    assert!(text.contains("\"my ") && !text.contains("canary"), "{text}");
}

#[test]
fn changes_do_what_they_say() {
    let mut searches = Searches::default();
    for name in ["a", "b", "c"] {
        searches.apply(&SearchChange::Put(search(name)));
    }
    let shift = |name: &str, by| SearchChange::Shift {
        name: name.to_owned(),
        by,
    };
    searches.apply(&shift("a", 1));
    assert_eq!(names(&searches), ["b", "a", "c"]);
    searches.apply(&shift("c", -9));
    assert_eq!(names(&searches), ["c", "b", "a"]);
    searches.apply(&shift("c", 9));
    assert_eq!(names(&searches), ["b", "a", "c"]);
    searches.apply(&SearchChange::Startup(Some("a".into())));
    searches.apply(&SearchChange::Rename {
        from: "a".into(),
        to: "z".into(),
    });
    assert_eq!(names(&searches), ["b", "z", "c"]);
    assert_eq!(searches.startup.as_deref(), Some("z"));
    searches.apply(&SearchChange::Rename {
        from: "z".into(),
        to: "c".into(),
    });
    assert_eq!(names(&searches), ["b", "z", "c"], "a name is not taken twice");
    searches.apply(&SearchChange::Delete("z".into()));
    assert_eq!((names(&searches), &searches.startup), (vec!["b", "c"], &None));
}

#[test]
fn names_that_come_twice_are_told_apart() {
    let mut searches = Searches {
        saved: ["a", "a", "a (2)", "a"].map(search).to_vec(),
        ..Searches::default()
    };
    searches.make_names_unique();
    assert_eq!(names(&searches), ["a", "a (3)", "a (2)", "a (4)"]);
}

#[test]
fn presets_are_sound_in_every_dialect() {
    assert!(presets().len() >= 9);
    for dialect in Dialect::ALL {
        for preset in presets() {
            let (query, words) = preset.spec.read(dialect).unwrap();
            assert_eq!(words, [""; 0], "{}", preset.name);
            assert_eq!(language::print_briefly(&query.conditions), preset.spec.query);
            assert!(!query.order.is_empty() && query.limit.is_some());
            assert!(!preset.note.is_empty(), "{}", preset.name);
        }
    }
    let mut names: Vec<_> = presets().iter().map(|preset| &preset.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), presets().len());
}

#[test]
fn a_query_becomes_text_and_the_same_query_again() {
    let dialect = &Dialect::SANDBOX;
    let (query, words) = spec("verified=true \"two words\" h100").read(dialect).unwrap();
    assert_eq!(query.limit, None);
    assert_eq!(query.storage, Some(200.5));
    assert!(query.unbundled);
    assert_eq!(query.conditions.len(), 2);
    assert!(!query.conditions[1].enabled);
    let text = SearchSpec::new(&query, &words);
    assert_eq!(text.off, ["num_gpus>=4"]);
    assert_eq!(text.limit, Some(0));
    assert_eq!(text.read(dialect).unwrap(), (query.clone(), words));
    // Words that are names of fields or operators are no conditions.
    let words = ["24", "in", "at", "cluster", "gte", "7"].map(str::to_owned).to_vec();
    let text = SearchSpec::new(&query, &words);
    assert_eq!(text.read(dialect).unwrap(), (query, words));
}

#[test]
fn what_cannot_be_read_any_more_is_named() {
    let read = |spec: SearchSpec| spec.read(&Dialect::SANDBOX).unwrap_err().to_string();
    let broken = SearchSpec {
        query: "no_such_field>=1".to_owned(),
        ..spec("")
    };
    assert!(read(broken).starts_with("query: "));
    let broken = SearchSpec {
        order: Some("no_such_field".to_owned()),
        ..spec("")
    };
    assert!(read(broken).starts_with("sort order: "));
    let broken = SearchSpec {
        storage: Some(-1.0),
        ..spec("")
    };
    assert!(read(broken).starts_with("storage"));
}
