//! The sandbox as the program serves it: its dialogs, its settings, and what is saved for the next start.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bourse::api::{Reply, Request};
use bourse::domain::workergroup::NewWorkergroup;
use bourse::sandbox::latency::Latency;
use bourse::settings::Global;
use bourse::settings::{Environment, Market, Settings};
use bourse::store::Paths;

use crate::files::texts_below;
use crate::pty_support::Pty;

const BUNDLES: &str = "/api/v0/bundles/";

/// The most memory that a process has taken, in kB.
fn peak(process: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_search_takes_little_memory_however_it_is_sorted() {
    let mut sandbox = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(["sandbox", "--freeze", "--offers", "2000", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(sandbox.stdout.take().unwrap()).lines();
    let mut word = || {
        let line = lines.next().unwrap().unwrap();
        line.rsplit(' ').next().unwrap().to_owned()
    };
    let (url, key) = (word(), word());
    let ask = |body: &str| {
        let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
        let head = format!(
            "POST {BUNDLES} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
             Authorization: Bearer {key}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let sorted = |times: usize| {
        let key = r#"["dph_total","asc"]"#;
        ask(&format!("{{\"order\":[{}]}}", vec![key; times].join(",")))
    };
    let one = sorted(1);
    assert!(one.starts_with("HTTP/1.1 200"), "{one}");
    let before = peak(&sandbox);
    let body = |answer: &str| answer.split_once("\r\n\r\n").unwrap().1.to_owned();
    assert_eq!(body(&sorted(40_000)), body(&one));
    let grown = peak(&sandbox) - before;
    sandbox.kill().unwrap();
    sandbox.wait().unwrap();
    assert!(grown < 64 * 1024, "{grown} kB");
}

#[test]
fn the_unlist_dialog_names_the_ids_to_try() {
    let mut pty = Pty::bourse(&["--freeze"], &[], 110, 34);
    pty.wait_for_text("First 500, more exist");
    pty.keys("2");
    pty.wait_for_text("$/GB/mo");
    pty.keys("u");
    let text = pty.wait_for("the ids", |screen| {
        let text = screen.contents();
        text.contains("this sandbox:") && text.contains("Nothing is sent yet.")
    });
    let (_, listed) = text.split_once("this sandbox:").unwrap();
    let ids: Vec<&str> = listed
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() >= 7)
        .collect();
    assert!(ids.len() >= 4, "{text}");
    assert!(text.contains("(rented)"), "{text}");
    let id = ids[0];
    pty.keys(&format!("{id}<Enter>"));
    pty.wait_for_text("[ Cancel ]  [ Unlist ]");
    pty.keys("<Right><Enter>");
    pty.wait_for_text(&format!("Volume listing {id} unlisted."));
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}

async fn listed(flags: Global, root: &Path, create: Option<&str>) -> Vec<String> {
    let paths = Some(Paths::below(root));
    let settings = Settings::resolve(&flags, &Environment::default(), paths).unwrap();
    let connection = settings.connect().await.unwrap();
    if let Some(name) = create {
        let new = NewWorkergroup {
            endpoint_name: Some(name.to_owned()),
            ..NewWorkergroup::default()
        };
        let request = Request::CreateWorkergroup(new);
        connection.session.run(&request, |_| {}).await.unwrap();
    }
    let request = Request::ListWorkergroups;
    let reply = connection.session.run(&request, |_| {}).await.unwrap();
    let Reply::Records(listing) = reply else {
        panic!("{reply:?}")
    };
    let field = listing.catalog().by_key("endpoint_name").unwrap();
    let column = listing.column(field);
    let names = (0..listing.len()).filter_map(|row| column.text(row));
    names.map(|name| name.unescaped().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_of_the_embedded_sandbox_survive_a_restart_for_their_seed() {
    let root = tempfile::tempdir().unwrap();
    let flags = |seed: Option<u64>, freeze: bool| Global {
        seed,
        freeze,
        offers: Some(50),
        latency: Some(0),
        ..Global::default()
    };
    let has = |names: Vec<String>| names.iter().any(|name| name == "mine");
    assert!(has(listed(flags(None, false), root.path(), Some("mine")).await));
    assert!(has(listed(flags(None, false), root.path(), None).await));
    assert!(!has(listed(flags(Some(2), false), root.path(), None).await));
    // A frozen sandbox is the same in every run.
    assert!(!has(listed(flags(None, true), root.path(), None).await));
    listed(flags(Some(3), true), root.path(), Some("mine")).await;
    assert!(!has(listed(flags(Some(3), false), root.path(), None).await));
    for (path, text) in texts_below(root.path()) {
        assert!(!text.contains("api_key"), "{path}");
    }
}

#[test]
fn latency_is_drawn_unless_told_otherwise() {
    for (milliseconds, wanted) in [
        (None, Latency::Drawn),
        (Some(0), Latency::None),
        (Some(40), Latency::Fixed(Duration::from_millis(40))),
    ] {
        let flags = Global {
            latency: milliseconds,
            ..Global::default()
        };
        let settings = Settings::resolve(&flags, &Environment::default(), None).unwrap();
        let Market::Embedded(config) = settings.market else {
            panic!("not the sandbox")
        };
        assert_eq!(config.latency, wanted);
    }
}

#[test]
fn a_group_made_in_the_dashboard_is_there_at_the_next_start_unless_it_says_no() {
    let state = tempfile::tempdir().unwrap();
    let variables = [("XDG_STATE_HOME", state.path().to_str().unwrap())];
    let at_groups = |flags: &[&str]| {
        let mut pty = Pty::bourse(&[&["--offers", "50"], flags].concat(), &variables, 110, 40);
        pty.wait_for_text("updated ");
        pty.keys("3");
        let shown = pty.wait_for("the groups", |screen| screen.contents().contains("llama-70b"));
        (pty, shown)
    };
    let make = |pty: &mut Pty, name: &str| {
        pty.keys(&format!("n{name}<PageDown><Enter>"));
        pty.wait_for_text("Create this workergroup?");
        pty.keys("<Right><Enter>");
        pty.wait_for("the outcome", |screen| screen.contents().contains("created as"))
    };
    let (mut pty, _) = at_groups(&[]);
    let outcome = make(&mut pty, "lasting");
    assert!(!outcome.contains("when you quit"), "{outcome}");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);

    let (mut pty, shown) = at_groups(&[]);
    assert!(shown.contains("lasting"), "{shown}");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);

    let (mut pty, shown) = at_groups(&["--freeze"]);
    assert!(!shown.contains("lasting"), "{shown}");
    make(&mut pty, "fleeting");
    pty.wait_for_text("It ends with this sandbox when you quit: --freeze");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}
