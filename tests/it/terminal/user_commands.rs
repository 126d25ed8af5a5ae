//! A command of the user's with the real program: it runs without a shell, its output is shown, and the write history
//! has both of its lines.

use std::fs;

use bourse::domain::journal::Line;

use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};
use crate::test_app::THREE;

#[test]
fn a_command_rents_with_what_it_is_given_and_the_write_history_has_it() {
    let recorder = Recorder::always(json(200, THREE));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir_all(at("config/bourse")).unwrap();
    let config = format!(
        "default_profile = \"lab\"\n[profiles.lab]\nbase_url = \"{}\"\n[commands.rent]\nkey = \"f9\"\n\
         run = [\"sh\", \"-c\", \"echo rented $1 on $BOURSE_MACHINE; echo key [$BOURSE_API_KEY] >&2; exit 4\", \
         \"sh\", \"{{id}}\"]\n",
        recorder.url()
    );
    fs::write(at("config/bourse/config.toml"), config).unwrap();
    let (config, state) = (at("config"), at("state"));
    let variables = [
        ("XDG_CONFIG_HOME", config.as_str()),
        ("XDG_STATE_HOME", state.as_str()),
        ("BOURSE_API_KEY", "canary-key-77"),
    ];
    let mut pty = Pty::bourse(&[], &variables, 120, 30);
    pty.wait_for_text("H100 SXM");
    pty.wait_for_text("F9 rent");
    pty.send(b"\x1b[20~");
    let screen = pty.wait_for_text("exit status: 4");
    assert!(screen.contains("rented 101 on 7"), "{screen}");
    assert!(screen.contains("key []"), "{screen}");
    pty.keys("<Esc>");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
    let journal = fs::read_to_string(at("state/bourse/writes.jsonl")).unwrap();
    assert!(!journal.contains("canary"), "{journal}");
    let lines: Vec<Line> = journal
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [Line::Command(run), Line::CommandEnd(end)] = &lines[..] else {
        panic!("{journal}");
    };
    assert_eq!((run.name.as_str(), run.profile.as_str()), ("rent", "lab"));
    assert_eq!(run.words.last().map(String::as_str), Some("101"));
    assert_eq!((&end.key, end.status.as_str()), (&run.key, "exit status: 4"));
}
