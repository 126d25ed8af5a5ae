//! Creating a workergroup with the real program in a pseudo-terminal: what goes over the wire, what
//! is told when the connection breaks, and where a group's key must not be found.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use bourse::sandbox::SandboxConfig;

use crate::files::texts_below;
use crate::pty_support::Pty;
use crate::recorder::{Recorded, Recorder, json};
use crate::route_server::{Play, RouteServer};
use crate::stories::groups::FOUR;
use crate::support::{Server, frozen};
use crate::test_app::THREE;

pub const KEY: &str = "canary-key-4712-create";

pub const SEARCH: &str = "gpu_name=RTX_4090 verified=true rentable=true rented=false";

/// The body that the form makes of the endpoint `chat` and the search.
const BODY: &str =
    r#"{"endpoint_name":"chat","search_params":"gpu_name=RTX_4090 verified=true rentable=true rented=false"}"#;

pub fn is_creation(request: &Recorded) -> bool {
    request.method == "POST" && request.path.ends_with("/workergroups/")
}

fn creations(recorder: &Recorder) -> Vec<Recorded> {
    let requests = recorder.requests().into_iter();
    requests.filter(is_creation).collect()
}

/// A market that lists `after` once a creation came, else the four groups; it answers a creation
/// with `answer`.
fn market(after: String, answer: impl Fn() -> Vec<u8> + Send + 'static) -> Recorder {
    let has_created = AtomicBool::new(false);
    Recorder::start(move |_, request| {
        if is_creation(request) {
            has_created.store(true, Ordering::SeqCst);
            answer()
        } else if request.path.ends_with("/workergroups/") {
            let is_there = has_created.load(Ordering::SeqCst);
            json(200, if is_there { &after } else { FOUR })
        } else {
            json(200, THREE)
        }
    })
}

fn with_group(id: i64) -> String {
    FOUR.replace(
        "\"results\":[",
        &format!(
            r#""results":[{{"id":{id},"endpoint_name":"chat","search_query":"{SEARCH}","api_key":"canary-new-5555","created_at":"2026-11-20T12:00:01Z"}},"#
        ),
    )
}

/// The program in the Workergroups pane.
pub fn at_groups(url: &str, key: &str, state: &Path) -> Pty {
    let variables = [("BOURSE_API_KEY", key), ("XDG_STATE_HOME", state.to_str().unwrap())];
    let mut pty = Pty::bourse(&["--base-url", url], &variables, 100, 34);
    pty.wait_for("the offers' answer", |screen| screen.contents().contains("updated "));
    pty.keys("3");
    pty.wait_for("the groups' answer", |screen| {
        let text = screen.contents();
        text.contains("Endpoint") && text.contains("updated ")
    });
    pty
}

/// Fills the form in and presses Create.
pub fn fill_in(pty: &mut Pty) {
    pty.keys("nchat<Enter><Enter><Enter><Enter>");
    pty.keys(SEARCH);
    pty.keys("<PageDown><Enter>");
}

/// Fills the form in and goes to the confirmation.
pub fn filled_in(pty: &mut Pty) {
    fill_in(pty);
    pty.wait_for_text("Create this workergroup?");
}

#[test]
fn one_creation_goes_out_with_exactly_the_previewed_body() {
    let state = tempfile::tempdir().unwrap();
    let recorder = market(with_group(77), || json(200, r#"{"success":true,"id":77}"#));
    let mut pty = at_groups(&recorder.url(), KEY, state.path());
    filled_in(&mut pty);
    let shown = pty.wait_for("the body", |screen| {
        let text: String = screen.contents().split(['│', '┃', '\n']).collect();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // A line of the dialog ends between two members.
        text.replace(", \"", ",\"").contains(BODY)
    });
    assert!(shown.contains("/api/v0/workergroups/"), "{shown}");
    pty.keys("create<Enter>");
    pty.wait_for_text("created as 77");
    pty.keys("<Enter>");
    pty.wait_for("the new row selected", |screen| {
        let text = screen.contents();
        text.lines().any(|line| line.contains('›') && line.contains(" chat "))
    });
    pty.keys("q");
    pty.exit().assert_clean(0);
    let creations = creations(&recorder);
    assert_eq!(creations.len(), 1);
    let request = &creations[0];
    assert_eq!(request.path, "/api/v0/workergroups/");
    assert_eq!(String::from_utf8_lossy(&request.body), BODY);
    assert_eq!(request.header("content-type"), Some("application/json"));
    let bearer = format!("Bearer {KEY}");
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    let journal = fs::read_to_string(state.path().join("bourse/writes.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["intent"]["subject"], "endpoint chat");
    assert_eq!(lines[1]["outcome"]["verdict"], "done");
}

#[test]
fn a_server_that_creates_and_hangs_up_is_asked_for_its_list_and_for_nothing_else() {
    let state = tempfile::tempdir().unwrap();
    let recorder = market(with_group(77), Vec::new);
    let mut pty = at_groups(&recorder.url(), KEY, state.path());
    filled_in(&mut pty);
    pty.keys("create<Enter>");
    pty.wait_for_text("The workergroup may or may not have been created");
    pty.wait_for_text("> 77  chat");
    // Whatever is pressed: nothing is sent a second time.
    pty.keys("<Enter>create<Enter><Esc><PageDown><Enter>create<Enter><Enter><C-u>y<Enter><Esc><Esc>");
    pty.keys("n<PageDown><Enter>create<Enter>");
    pty.wait_for_text("Type mine, none or created");
    pty.paste("create\r");
    pty.wait_for_text("Can't paste here: type it.");
    pty.keys("<C-u>mine<Enter>");
    pty.wait_for_text("Workergroup 77 is the one you created");
    pty.keys("q");
    pty.exit().assert_clean(0);
    assert_eq!(creations(&recorder).len(), 1);
    let journal = fs::read_to_string(state.path().join("bourse/writes.jsonl")).unwrap();
    assert!(journal.contains(r#""verdict":"unknown""#), "{journal}");
}

#[test]
fn the_sandbox_that_drops_after_its_commit_has_one_group_more() {
    let state = tempfile::tempdir().unwrap();
    let server = Server::start(SandboxConfig {
        faults: Some("drop_after_commit@create".parse().unwrap()),
        ..frozen()
    });
    let count = || {
        let groups = server.call("GET", "/api/v0/workergroups/", "").good();
        let results = groups["results"].as_array().unwrap().clone();
        let chats = results.iter().filter(|group| group["endpoint_name"] == "chat");
        chats.count()
    };
    assert_eq!(count(), 0);
    let mut pty = at_groups(&server.running.base_url(), server.running.key(), state.path());
    filled_in(&mut pty);
    pty.keys("create<Enter>");
    pty.wait_for_text("The workergroup may or may not have been created");
    pty.wait_for_text("New and matching");
    pty.keys("<Enter><Enter><Esc>q<Esc>n<PageDown><Enter>create<Enter>");
    pty.wait_for_text("Type mine, none or created");
    pty.keys("<C-c><C-c>");
    pty.exit().assert_clean(0);
    assert_eq!(count(), 1);
}

#[test]
fn leaving_while_a_creation_is_not_answered_asks_and_the_next_start_knows_of_it() {
    let state = tempfile::tempdir().unwrap();
    let server = RouteServer::start(|_, request| match request.path.as_str() {
        "/api/v0/workergroups/" if request.method == "POST" => Play::Hang,
        "/api/v0/workergroups/" => Play::Answer(200, FOUR.to_owned()),
        _ => Play::Answer(200, THREE.to_owned()),
    });
    let sent = || {
        let seen = server.seen().into_iter();
        seen.filter(|(_, request)| is_creation(request)).count()
    };
    let mut pty = at_groups(&server.url(), KEY, state.path());
    filled_in(&mut pty);
    pty.keys("create<Enter>");
    pty.wait_for("the request to arrive", |_| sent() == 1);
    pty.keys("<Esc>");
    pty.wait_for_text("the outcome will be shown");
    pty.keys("<Esc>");
    pty.wait_for_text("Draft saved");
    pty.keys("q");
    pty.wait_for_text("Creating a workergroup for endpoint chat was sent");
    pty.keys("y");
    pty.exit().assert_clean(0);
    let journal = fs::read_to_string(state.path().join("bourse/writes.jsonl")).unwrap();
    assert_eq!(journal.lines().count(), 1, "an intent without an outcome: {journal}");

    let mut pty = at_groups(&server.url(), KEY, state.path());
    pty.wait_for_text("Outcome unknown: the workergroup for endpoint chat");
    fill_in(&mut pty);
    // The same is not created again before somebody decides.
    pty.wait_for_text("You decide");
    pty.keys("<C-c><C-c>");
    pty.exit().assert_clean(0);
    assert_eq!(sent(), 1);
}

#[test]
fn no_group_s_key_is_found_anywhere_until_it_is_shown() {
    let state = tempfile::tempdir().unwrap();
    let recorder = market(with_group(77), || json(200, r#"{"success":true,"id":77}"#));
    let mut pty = at_groups(&recorder.url(), KEY, state.path());
    let export = state.path().join("groups");
    // The detail, its end, a preflight, the changes, a clone, exports, a creation.
    pty.keys("j<Enter>");
    pty.wait_for_text("hidden (x shows it)");
    pty.keys("G<Esc>i");
    pty.wait_for_text("Supply of");
    pty.keys("<Esc><Esc>drG<Esc>C<Esc>");
    for format in ["csv", "json"] {
        pty.keys("e");
        pty.wait_for_text("Export workergroups");
        let path = format!("{}.{format}", export.display());
        if format == "json" {
            pty.keys("<Right>");
        }
        let lines = if format == "json" { 2 } else { 3 };
        pty.keys(&"<Down>".repeat(lines));
        pty.keys("<C-u>");
        pty.keys(&path);
        pty.keys("<Enter>");
        let is_there = |_: &vt100::Screen| Path::new(&path).exists();
        pty.wait_for("the export to be there", is_there);
        pty.keys("<Esc>");
    }
    filled_in_anew(&mut pty);
    pty.keys("create<Enter>");
    pty.wait_for_text("created as 77");
    pty.keys("<Enter>4");
    pty.wait_for_text("Requests");
    pty.keys("3q");
    let home = pty.home().to_owned();
    let mut seen = texts_below(state.path());
    seen.extend(texts_below(&home));
    assert!(
        seen.iter().any(|(path, _)| path.ends_with("groups.json")),
        "the groups were kept"
    );
    let exit = pty.exit();
    exit.assert_clean(0);
    seen.extend(texts_below(state.path()));
    for (path, text) in &seen {
        assert!(!text.contains("canary"), "{path}:\n{text}");
    }
    assert!(!exit.log_text().contains("canary"));
    // The same check finds a key that is shown on purpose.
    let mut pty = at_groups(&recorder.url(), KEY, state.path());
    pty.keys("jj<Enter>x");
    pty.wait_for_text("canary-");
    pty.keys("<C-c>");
    assert!(pty.exit().log_text().contains("canary-"));
}

/// Fills the form in after a clone has been in it.
fn filled_in_anew(pty: &mut Pty) {
    pty.keys("n<C-r>");
    pty.wait_for_text("New workergroup");
    pty.keys("chat<PageDown><Enter>");
    pty.wait_for_text("Create this workergroup?");
}
