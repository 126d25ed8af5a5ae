//! The dashboard on the files.

use std::fs;
use std::path::PathBuf;

use super::{Home, KEY};
use crate::files;
use crate::pty_support::Pty;

/// Waits until all texts are on the screen; a frame may come in pieces.
fn shows(pty: &Pty, texts: &[&str]) -> String {
    let all = |screen: &vt100::Screen| texts.iter().all(|text| screen.contents().contains(text));
    pty.wait_for(&texts.join(", "), all)
}

/// Goes one step back from a view that shows a text: Esc and a key at once would be another key.
fn leave(pty: &mut Pty, text: &str) {
    pty.keys("<Esc>");
    pty.wait_for(text, |screen| !screen.contents().contains(text));
}

#[test]
fn it_opens_as_it_was_left_and_asks_about_the_unsettled_writes() {
    let home = Home::of_0_1();
    let mut pty = home.dashboard();
    // The search of the start with its job, over the rows of the market, in the columns of last time.
    let search = ["RTX 4090 · ≤ 2 GPUs", "job 36h", "$/Mtoken", "All 3 offers"];
    let unsettled = ["Outcome unknown", "endpoint chat", "listing 7311"];
    let screen = shows(&pty, &[&search[..], &unsettled[..]].concat());
    assert!(
        !screen.contains("endpoint sdxl") && !screen.contains("4001"),
        "{screen}"
    );
    let sent = home.market.requests().remove(0);
    let key = format!("Bearer {KEY}");
    assert_eq!(sent.header("authorization"), Some(key.as_str()));
    pty.keys("2");
    shows(&pty, &["500 GB space", "512 GB for 45 d", "All 2 network volumes"]);
    pty.keys("3");
    // Two groups were listed last time, 12 and 13.
    shows(&pty, &["endpoint chat", "Workergroup 1"]);
    pty.keys("Q");
    pty.exit().assert_clean(0);
}

#[test]
fn searches_alerts_and_annotations_open_with_the_keys_of_old() {
    let home = Home::of_0_1();
    let mut pty = home.dashboard();
    shows(&pty, &["All 3 offers"]);
    pty.keys("<C-k>");
    shows(&pty, &["big iron", "night shift"]);
    leave(&mut pty, "big iron");
    pty.keys("<C-a>");
    let alerts = ["cheap cards", "cheap space", "eight hundred", "seven is back"];
    let more = ["falling", "scarce", "starving"];
    shows(&pty, &[&alerts[..], &more[..]].concat());
    leave(&mut pty, "seven is back");
    pty.keys("<C-o>");
    let title = "Stars, notes and bans";
    shows(&pty, &[title, "Machine 7", "Machine 9", "slow disk in May", "Host 74"]);
    leave(&mut pty, title);
    pty.keys("Q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_start_and_an_end_rewrite_nothing_that_a_person_made() {
    let home = Home::of_0_1();
    let before = files::below(home.root.path());
    let mut pty = home.dashboard();
    shows(&pty, &["All 3 offers"]);
    pty.keys("2");
    shows(&pty, &["All 2 network volumes"]);
    pty.keys("Q");
    pty.exit().assert_clean(0);
    let after = files::below(home.root.path());
    for (path, content) in &before {
        let name = path.file_name().unwrap().to_str().unwrap();
        let now = after.get(path).unwrap_or_else(|| panic!("{name} is gone"));
        match name {
            // What was seen last, and what was recorded: there is more of it now.
            "ui.json" | "history.sqlite" | "groups.json" | "pacing.json" => {}
            "writes.jsonl" => assert!(now.starts_with(content)),
            _ => assert_eq!(now, content, "{name} was rewritten"),
        }
    }
    let aside = |path: &&PathBuf| !before.contains_key(*path);
    let added: Vec<_> = after.keys().filter(aside).collect();
    let is_expected = |path: &&&PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.ends_with(".lock")
            || name.ends_with(".turn")
            || name == "budget.json"
            || name.starts_with("history.sqlite-")
    };
    let strange: Vec<_> = added.iter().filter(|path| !is_expected(path)).collect();
    assert!(strange.is_empty(), "{strange:?}");
    // The pane that nobody opened is as it was left.
    let ui: serde_json::Value = serde_json::from_slice(&fs::read(home.file("ui.json")).unwrap()).unwrap();
    let groups = &ui["kept"]["panes"][2];
    assert_eq!(groups["columns"], serde_json::json!(["id", "endpoint_name"]));
    assert_eq!(ui["kept"]["job"]["run_hours"], 36.0);
}

#[test]
fn what_no_longer_exists_is_a_notice_with_its_name() {
    let home = Home::of_0_1();
    home.rewrite(&home.paths.config_file(), "[keys]", "[keys]\nteleport = \"ctrl-t\"");
    home.rewrite(&home.file("ui.json"), "\"disk_space\"", "\"moon_phase\"");
    home.rewrite(&home.file("searches.json"), "num_gpus<=2", "moon_phase=3");
    // Of the journal, which would fill the place of the notices.
    fs::remove_file(home.paths.journal_file()).unwrap();
    let mut pty = home.dashboard();
    shows(&pty, &["there is no action 'teleport'"]);
    pty.keys(":");
    pty.wait_for_text("Commands");
    pty.keys("notices<Enter>");
    let columns = "Columns of the network volumes that no longer exist: moon_phase";
    shows(&pty, &[columns, "“night shift” is not used", "no field 'moon_phase'"]);
    // All else holds: the market, its key, and the keys of one's own.
    leave(&mut pty, "that no longer exist");
    pty.keys("<C-k>");
    pty.wait_for_text("big iron");
    let sent = home.market.requests().remove(0);
    let key = format!("Bearer {KEY}");
    assert_eq!(sent.header("authorization"), Some(key.as_str()));
    leave(&mut pty, "big iron");
    pty.keys("Q");
    pty.exit().assert_clean(0);
}
