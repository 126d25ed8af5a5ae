//! `bourse unlist` and `bourse groups create`: what is shown, what it takes to send it, that it is
//! sent once, and with which exit status it ends.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};

const KEY: &str = "canary-key-51ab";
const UNLISTED: &str = "{\"success\": true,  \"msg\": \"Unlisted Volume 7311.\", \"x\": [1.0]}";

fn write(home: &Home, url: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut command = home.bourse(arguments);
    run(command.args(["--base-url", url]).env("BOURSE_API_KEY", KEY))
}

/// The lines of the journal.
fn journal(home: &Home) -> Vec<Json> {
    let path = home.path().join(".local/state/bourse/writes.jsonl");
    let text = fs::read_to_string(path).unwrap_or_default();
    assert!(!text.contains(KEY), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn unlist_sends_one_request_and_keeps_it_in_the_journal() {
    let recorder = Recorder::always(json(200, UNLISTED));
    let home = Home::new();
    let url = recorder.url();
    let (status, out, err) = write(&home, &url, &["unlist", "7311", "--yes"]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(out, "Volume listing 7311 unlisted.\n");
    // What is sent was shown before, without the key.
    assert!(err.contains(&format!("POST {url}/api/v0/volumes/unlist/")), "{err}");
    assert!(err.contains(r#"{"id":7311}"#), "{err}");
    assert!(!err.contains(KEY), "{err}");
    let request = recorder.only();
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, "/api/v0/volumes/unlist/");
    assert_eq!(request.body, br#"{"id":7311}"#);
    assert_eq!(request.header("authorization"), Some("Bearer canary-key-51ab"));
    let journal = journal(&home);
    assert_eq!(journal.len(), 2);
    assert_eq!(journal[0]["intent"]["deed"], json!("unlist_volume"));
    assert_eq!(journal[0]["intent"]["subject"], json!("7311"));
    assert_eq!(journal[0]["intent"]["address"], json!(url));
    assert_eq!(journal[1]["outcome"]["verdict"], json!("done"));
    assert_eq!(
        journal[1]["outcome"]["key"], journal[0]["intent"]["key"],
        "the outcome of this intent"
    );
}

#[test]
fn json_is_the_reply_exactly_as_received() {
    let recorder = Recorder::always(json(200, UNLISTED));
    let home = Home::new();
    let arguments = ["unlist", "7311", "--yes", "--format", "json"];
    let (status, out, err) = write(&home, &recorder.url(), &arguments);
    assert_eq!(status, 0, "{err}");
    assert_eq!(out, format!("{UNLISTED}\n"));

    let reply = r#"{"success": false, "error": "no_such", "msg": "unknown listing"}"#;
    let recorder = Recorder::always(json(400, reply));
    let home = Home::new();
    let (status, out, err) = write(&home, &recorder.url(), &arguments);
    assert_eq!(status, 1, "{err}");
    assert_eq!(out, format!("{reply}\n"));
    assert!(err.contains("not unlisted: "), "{err}");
    assert!(err.contains("unknown listing"), "{err}");
}

#[test]
fn every_parameter_of_a_group_has_a_flag_and_only_those_given_are_sent() {
    let recorder = Recorder::always(json(200, r#"{"success":true,"id":77}"#));
    let home = Home::new();
    let url = recorder.url();
    let arguments = [
        "groups",
        "create",
        "--endpoint",
        "chat",
        "--template-hash",
        "4e17788f74f075dd9aab7d0d4427968f",
        "--search-params",
        "gpu_name=RTX_4090 gpu_ram>=24GB",
        "--launch-args",
        "--env A=1",
        "--min-load",
        "2.5",
        "--target-util",
        "90%",
        "--cold-mult",
        "2",
        "--cold-workers",
        "1",
        "--max-workers",
        "4",
        "--test-workers",
        "2",
        "--gpu-ram",
        "24",
        "--yes",
    ];
    let (status, out, err) = write(&home, &url, &arguments);
    assert_eq!(status, 0, "{err}");
    assert_eq!(out, "Workergroup 77 created for endpoint chat\n");
    let request = recorder.only();
    assert_eq!(request.path, "/api/v0/workergroups/");
    assert_eq!(
        request.json(),
        json!({
            "endpoint_name": "chat",
            "template_hash": "4e17788f74f075dd9aab7d0d4427968f",
            "search_params": "gpu_name=RTX_4090 gpu_ram>=24",
            "launch_args": "--env A=1",
            "min_load": 2.5,
            "target_util": 0.9,
            "cold_mult": 2,
            "cold_workers": 1,
            "max_workers": 4,
            "test_workers": 2,
            "gpu_ram": 24,
        })
    );
    let subject = &journal(&home)[0]["intent"]["subject"];
    assert_eq!(subject, &json!("endpoint chat"));

    // The other two, spelled as the market's own client spells them.
    let arguments = ["--endpoint_id", "4203", "--template_id", "7", "--yes"];
    let home = Home::new();
    let (status, _, err) = write(&home, &url, &[&["groups", "create"], &arguments[..]].concat());
    assert_eq!(status, 0, "{err}");
    let requests = recorder.requests();
    assert_eq!(requests[1].json(), json!({"endpoint_id": 4203, "template_id": 7}));
}

#[test]
fn all_mistakes_of_a_group_are_named_by_their_flags_at_once() {
    let recorder = Recorder::always(json(200, r#"{"success":true,"id":77}"#));
    let home = Home::new();
    let arguments = [
        "groups",
        "create",
        "--search-params",
        "gpu_name=A40 gpu_nme=3",
        "--min-load",
        "-1",
        "--gpu-ram",
        "24000",
        "--yes",
    ];
    let (status, out, err) = write(&home, &recorder.url(), &arguments);
    assert_eq!((status, out.as_str()), (2, ""));
    for words in [
        "--endpoint: ",
        "--search-params:\ngpu_name=A40 gpu_nme=3\n             ^^^^^^^\n",
        "--min-load: ",
        "--gpu-ram: ",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert!(recorder.requests().is_empty());
    assert_eq!(journal(&home), Vec::<Json>::new());
}

#[test]
fn without_a_terminal_nothing_is_sent_unless_yes_is_given() {
    let recorder = Recorder::always(json(200, UNLISTED));
    let home = Home::new();
    for arguments in [
        &["unlist", "7311"][..],
        &["groups", "create", "--endpoint", "chat", "--template-id", "7"],
    ] {
        let (status, out, err) = write(&home, &recorder.url(), arguments);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(err.contains("--yes") && err.contains("terminal"), "{err}");
    }
    for id in ["-5", "1.5", "one", "99999999999999999999"] {
        let (status, _, err) = write(&home, &recorder.url(), &["unlist", id, "--yes"]);
        assert_eq!(status, 2, "{id}: {err}");
        assert!(err.contains("a listing id is a whole number"), "{err}");
    }
    assert!(recorder.requests().is_empty());
    assert_eq!(journal(&home), Vec::<Json>::new());
}

#[test]
fn a_dry_run_prints_the_request_and_sends_nothing() {
    let recorder = Recorder::always(json(200, UNLISTED));
    let home = Home::new();
    let url = recorder.url();
    let (status, out, err) = write(&home, &url, &["unlist", "7311", "--dry-run"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(
        out,
        format!("POST {url}/api/v0/volumes/unlist/\nwith the key of profile custom\n{{\"id\":7311}}\n")
    );
    let create = ["groups", "create", "--endpoint", "chät", "--template-id", "7"];
    let dry = ["--dry-run", "--yes", "--format", "json"];
    let (status, out, err) = write(&home, &url, &[&create[..], &dry].concat());
    assert_eq!((status, err.as_str()), (0, ""));
    let whole: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(
        whole,
        json!({
            "v": 1,
            "kind": "request",
            "method": "POST",
            "url": format!("{url}/api/v0/workergroups/"),
            "body": {"endpoint_name": "chät", "template_id": 7},
            "cost": {
                "workers": null, "max_workers": null, "test_workers": null, "cold_workers": null, "worker_hourly": null,
                "hourly": null, "unknown": "its template has its own search", "has_price_limit": null,
                "group_hourly": null, "over_limit": false,
            },
        })
    );
    assert!(recorder.requests().is_empty());
    assert_eq!(journal(&home), Vec::<Json>::new());
}

#[test]
fn read_only_refuses_writes() {
    let recorder = Recorder::always(json(200, UNLISTED));
    let home = Home::new();
    let url = recorder.url();
    home.file(
        ".config/bourse/config.toml",
        &format!("[profiles.safe]\nbase_url = \"{url}\"\nread_only = true\n"),
        0o644,
    );
    let create = ["groups", "create", "--endpoint", "chat", "--yes"];
    for arguments in [
        &["unlist", "7311", "--yes", "--read-only", "--base-url", &url][..],
        &["--read-only", "--profile", "safe", "unlist", "7311", "--yes"],
        &[&create[..], &["--profile", "safe"]].concat(),
    ] {
        let (status, out, err) = run(&mut home.bourse(arguments));
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        assert!(err.contains("read-only"), "{err}");
    }
    assert!(recorder.requests().is_empty());
    assert_eq!(journal(&home), Vec::<Json>::new());
}

/// A user whom the system does not know, or the one who runs the tests, unless that is root: root is refused
/// no file.
struct OtherUser {
    /// A copy of the program in a folder that everybody may enter: those above the original may be closed.
    copy: Option<(tempfile::TempDir, PathBuf)>,
}

impl OtherUser {
    const ID: u32 = 65_432;

    /// `None`, which is said, where that user can't run a program.
    fn new() -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return Some(Self { copy: None });
        }
        let folder = tempfile::tempdir().unwrap();
        open_to_others(folder.path());
        let program = folder.path().join("bourse");
        fs::copy(env!("CARGO_BIN_EXE_bourse"), &program).unwrap();
        open_to_others(&program);
        let mut version = Command::new(&program);
        let ran = version.arg("--version").uid(Self::ID).gid(Self::ID).output();
        if ran.is_ok_and(|output| output.status.success()) {
            return Some(Self {
                copy: Some((folder, program)),
            });
        }
        // Past the capture of the output of tests that pass.
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let why = "another user can't run a program there; set TMPDIR to a folder that everybody may enter";
        let _ = writeln!(
            std::io::stderr(),
            "{name} is skipped: {}: {why}",
            folder.path().display()
        );
        None
    }

    /// The program as this user, who owns the home.
    fn bourse(&self, home: &Home, arguments: &[&str]) -> Command {
        let original = home.bourse(arguments);
        let Some((_, program)) = &self.copy else {
            return original;
        };
        for folder in ["", ".local", ".local/state", ".local/state/bourse"] {
            let folder = home.path().join(folder);
            if folder.exists() {
                chown(folder, Some(Self::ID), Some(Self::ID)).unwrap();
            }
        }
        let mut command = Command::new(program);
        command.args(original.get_args()).env_clear().stdin(Stdio::null());
        for (name, value) in original.get_envs() {
            command.env(name, value.unwrap());
        }
        command.uid(Self::ID).gid(Self::ID);
        command
    }

    fn write(&self, home: &Home, url: &str, arguments: &[&str]) -> Command {
        let mut command = self.bourse(home, arguments);
        command.args(["--base-url", url]).env("BOURSE_API_KEY", KEY);
        command
    }

    /// Whether the system knows no home of this user.
    const fn is_homeless(&self) -> bool {
        self.copy.is_some()
    }
}

fn open_to_others(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const CREATE: [&str; 7] = ["groups", "create", "--endpoint", "chat", "--template-id", "7", "--yes"];

#[test]
fn without_a_journal_no_write_is_sent() {
    const FILE: &str = ".local/state/bourse/writes.jsonl";
    let recorder = Recorder::always(json(200, UNLISTED));
    let url = recorder.url();
    let Some(other) = OtherUser::new() else { return };
    for arguments in [&["unlist", "7311", "--yes"][..], &CREATE] {
        // After one `sudo bourse` the file is root's.
        let home = Home::new();
        let file = home.file(FILE, "", 0o600);
        if !rustix::process::geteuid().is_root() {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        }
        let (status, _, err) = run(&mut other.write(&home, &url, arguments));
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("nothing was sent: can't read the write history"), "{err}");
        let advice = format!("sudo chown -R \"$USER\" {}", file.parent().unwrap().display());
        assert!(err.contains(&advice), "{err}");

        let home = Home::new();
        home.file(&format!("{FILE}/x"), "", 0o600);
        let (status, _, err) = write(&home, &url, arguments);
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("it is a directory; to fix it, move it away"), "{err}");

        let home = Home::new();
        if other.is_homeless() {
            let (status, _, err) = run(other.write(&home, &url, arguments).env_remove("HOME"));
            assert_eq!(status, 1, "{err}");
            assert!(err.contains("without a home directory; to fix it, set HOME"), "{err}");
        }
    }
    assert!(recorder.requests().is_empty());
}

#[test]
fn a_journal_whose_mode_is_another_user_s_is_written() {
    let Some(other) = OtherUser::new() else { return };
    let recorder = Recorder::always(json(200, UNLISTED));
    let home = Home::new();
    home.file(".local/state/bourse/writes.jsonl", "", 0o666);
    let mut command = other.write(&home, &recorder.url(), &["unlist", "7311", "--yes"]);
    let (status, _, err) = run(&mut command);
    assert_eq!(status, 0, "{err}");
    assert_eq!(journal(&home).len(), 2);
}

#[test]
fn in_a_sandbox_without_a_home_the_journal_is_in_memory() {
    // The system knows the home of whoever runs this, unless that is root.
    let other = OtherUser::new().filter(OtherUser::is_homeless);
    let Some(other) = other else { return };
    let home = Home::new();
    let (status, out, err) = run(other.bourse(&home, &CREATE).env_remove("HOME"));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("created for endpoint chat"), "{out}");
    assert!(err.contains("note: Writes are recorded until bourse ends"), "{err}");
}

#[test]
fn of_two_programs_that_ask_at_once_one_creates() {
    // No response: whether it was created stays unknown.
    let recorder = Recorder::always(Vec::new());
    let home = Home::new();
    let url = recorder.url();
    let state = home.path().join(".local/state");
    let ask = || {
        let variables = [("BOURSE_API_KEY", KEY), ("XDG_STATE_HOME", state.to_str().unwrap())];
        let arguments = [&CREATE[..6], &["--base-url", &url]].concat();
        let pty = Pty::bourse(&arguments, &variables, 120, 30);
        pty.wait_for_text("Type create to send it");
        pty
    };
    let (mut one, mut two) = (ask(), ask());
    one.keys("create<Enter>");
    one.wait_for_text("outcome unknown");
    two.keys("create<Enter>");
    two.wait_for_text("not created: nothing was sent: the same was sent at");
    assert_eq!(recorder.requests().len(), 1);
    assert_eq!(journal(&home).len(), 2);
}

#[test]
fn refusals_end_with_1_and_are_not_sent_again() {
    for (code, body, words) in [
        (401, r#"{"error": "auth_error"}"#, "401"),
        (
            429,
            r#"{"detail": "API requests too frequent: endpoint threshold=5.0"}"#,
            "429",
        ),
        (200, r#"{"success": false, "msg": "not yours"}"#, "not yours"),
    ] {
        let recorder = Recorder::always(json(code, body));
        let home = Home::new();
        let (status, out, err) = write(&home, &recorder.url(), &["unlist", "7311", "--yes"]);
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        assert!(err.contains("not unlisted: ") && err.contains(words), "{err}");
        recorder.only();
        assert_eq!(journal(&home)[1]["outcome"]["verdict"], json!("refused"));
    }
}

#[test]
fn an_unknown_outcome_ends_with_3_and_says_what_to_check() {
    let create = ["groups", "create", "--endpoint", "chat", "--template-id", "7"];
    let create = [&create[..], &["--yes"]].concat();
    for (answer, arguments) in [
        (Vec::new(), &["unlist", "7311", "--yes"][..]),
        (json(500, r#"{"error": "down"}"#), &["unlist", "7311", "--yes"]),
        (json(200, "<html><title>Gateway</title></html>"), &create),
        (json(200, r#"{"success": true}"#), &create),
    ] {
        let recorder = Recorder::always(answer);
        let home = Home::new();
        let url = recorder.url();
        let (status, out, err) = write(&home, &url, arguments);
        assert_eq!((status, out.as_str()), (3, ""), "{err}");
        assert!(err.contains("outcome unknown: "), "{err}");
        let check = if arguments[0] == "unlist" {
            "Check listing 7311 in the market's console".to_owned()
        } else {
            format!("bourse groups 'endpoint_name=chat' --base-url {url}")
        };
        assert!(err.contains(&check), "{err}");
        recorder.only();
        assert_eq!(journal(&home)[1]["outcome"]["verdict"], json!("unknown"));

        // The next attempt is told of it.
        if arguments[0] == "groups" {
            let (_, _, err) = write(&home, &url, arguments);
            assert!(err.contains("note: the outcome of the request of "), "{err}");
            // Another one too, but as something else.
            let other = ["groups", "create", "--endpoint", "other", "--template-id", "7"];
            let (_, _, err) = write(&home, &url, &[&other[..], &["--yes"]].concat());
            let notice = "note: Outcome unknown: the workergroup for endpoint chat, sent ";
            assert!(err.contains(notice), "{err}");
            assert!(!err.contains("note: the outcome of the request of "), "{err}");
        }
    }
}

#[test]
fn the_command_to_check_with_names_the_profile_of_the_write() {
    let recorder = Recorder::always(Vec::new());
    let home = Home::new();
    let url = recorder.url();
    let config = format!("[profiles.lab]\nbase_url = \"{url}\"\napi_key_command = \"printf canary-key-51ab\"\n");
    home.file(".config/bourse/config.toml", &config, 0o600);
    let create = ["--profile", "lab", "groups", "create", "--template-id", "7"];
    let create = [&create[..], &["--endpoint", "chat", "--yes"]].concat();
    let (status, _, err) = run(&mut home.bourse(&create));
    assert_eq!(status, 3, "{err}");
    let check = "Run bourse groups 'endpoint_name=chat' --profile lab to see";
    assert!(err.contains(check), "{err}");
}

#[test]
fn of_an_earlier_embedded_sandbox_only_workergroups_stay() {
    let home = Home::new();
    let folder = home.path().join(".local/state/bourse");
    fs::create_dir_all(&folder).unwrap();
    let intent = |deed: &str, subject: &str| {
        json!({"intent": {"key": deed, "at": 1_795_176_000.0, "profile": "sandbox",
            "address": "http://127.0.0.1:1", "deed": deed, "subject": subject}})
    };
    let path = folder.join("writes.jsonl");
    let unlisted = intent("unlist_volume", "4001");
    let created = intent("create_workergroup", "endpoint chat");
    fs::write(&path, format!("{unlisted}\n{created}\n")).unwrap();
    let (_, _, err) = run(&mut home.bourse(&["unlist", "4001", "--yes"]));
    assert!(!err.contains("the outcome of the request of"), "{err}");

    fs::write(&path, format!("{unlisted}\n{created}\n")).unwrap();
    let create = ["groups", "create", "--endpoint", "chat"];
    let create = [&create[..], &["--template-id", "7", "--yes"]].concat();
    let (status, _, err) = run(&mut home.bourse(&create));
    assert_eq!(status, 1, "{err}");
    assert!(err.contains("the same was sent before"), "{err}");
}

#[test]
fn the_pause_that_the_market_documents_is_kept() {
    let recorder = Recorder::always(json(200, UNLISTED));
    let home = Home::new();
    let url = recorder.url();
    write(&home, &url, &["unlist", "7311", "--yes"]);
    let (status, _, err) = write(&home, &url, &["unlist", "7312", "--yes"]);
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("note: sending in "), "{err}");
    assert_eq!(recorder.requests().len(), 2);
}

#[test]
fn on_a_terminal_the_id_or_the_word_is_typed() {
    let recorder = Recorder::always(json(200, UNLISTED));
    let url = recorder.url();
    let start = |arguments: &[&str]| {
        let variables = [("BOURSE_API_KEY", KEY)];
        Pty::bourse(&[arguments, &["--base-url", &url]].concat(), &variables, 100, 24)
    };
    // A question that nobody sees or answers is not asked.
    for redirection in ["</dev/null", "2>/dev/null"] {
        let program = concat!("'", env!("CARGO_BIN_EXE_bourse"), "'");
        let command = format!("{program} unlist 7311 --base-url {url} {redirection}; echo ended $?");
        let variables = [("BOURSE_API_KEY", KEY)];
        let pty = Pty::spawn(Path::new("/bin/sh"), &["-c", &command], &variables, 100, 24);
        pty.wait_for_text("ended 2");
        pty.exit().assert_clean(0);
    }
    for (typed, words) in [
        ("<Enter>", "cancelled: nothing was sent"),
        ("y<Enter>", "'y' is not 7311: nothing was sent"),
        ("<C-d>", "cancelled: nothing was sent"),
    ] {
        let mut pty = start(&["unlist", "7311"]);
        pty.wait_for_text("Type 7311 to send it, or press Enter to cancel:");
        pty.keys(typed);
        pty.wait_for_text(words);
        let exit = pty.exit();
        exit.assert_clean(1);
        // The answer has the next line to itself.
        let lines: Vec<&str> = exit.text.lines().map(str::trim_end).collect();
        let question = lines.iter().position(|line| line.starts_with("Type 7311"));
        assert_eq!(lines[question.unwrap() + 1], format!("bourse: {words}"));
    }
    assert!(recorder.requests().is_empty());

    let mut pty = start(&["unlist", "7311"]);
    let shown = pty.wait_for("the question", |screen| screen.contents().contains("Type 7311"));
    assert!(shown.contains(r#"{"id":7311}"#), "{shown}");
    pty.keys("7311<Enter>");
    pty.wait_for_text("Volume listing 7311 unlisted.");
    pty.exit().assert_clean(0);
    assert_eq!(recorder.requests().len(), 1);

    let create = ["groups", "create", "--endpoint", "chat", "--template-id", "7"];
    let mut pty = start(&create);
    pty.wait_for_text("Type create to send it");
    pty.keys("Create<Enter>");
    pty.wait_for_text("'Create' is not create: nothing was sent");
    pty.exit().assert_clean(1);
    assert_eq!(recorder.requests().len(), 1);
}

#[test]
fn an_interrupt_before_the_reply_leaves_the_outcome_unknown() {
    use crate::route_server::{Play, RouteServer};
    let server = RouteServer::start(|_, _| Play::Hang);
    let url = server.url();
    let mut pty = Pty::bourse(
        &["unlist", "7311", "--base-url", &url],
        &[("BOURSE_API_KEY", KEY)],
        100,
        24,
    );
    pty.wait_for_text("Type 7311");
    pty.keys("7311<Enter>");
    while server.seen().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    pty.keys("<C-c>");
    pty.wait_for_text("outcome unknown: interrupted before the reply arrived");
    pty.exit().assert_clean(3);
    assert_eq!(server.seen().len(), 1);
}
