//! Switching markets for real: the loop in memory, and the program in a pseudo-terminal.

use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bourse::api::Pacer;
use bourse::api::session::Session;

use bourse::features::markets::command::ProfileResolver;
use bourse::runtime::dashboard::Dashboard;
use bourse::runtime::start::Files;
use bourse::settings::Environment;
use bourse::settings::Global;
use bourse::store::Paths;
use bourse::tui::theme::Theme;
use crossterm::event::{Event, KeyCode};

use crate::files::texts_below;
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};
use crate::terminal::memory::{Memory, Person, on_a_thread, until};
use crate::test_app::THREE;

const KEY: &str = "canary-key-4711-markets-live";

/// A market that takes one key: for any other it is the one that refuses.
fn market(key: &'static str) -> Recorder {
    Recorder::start(move |_, request| {
        if request.header("authorization") != Some(&format!("Bearer {key}")) {
            return json(
                401,
                r#"{"success":false,"error":"auth_error","msg":"Invalid user key"}"#,
            );
        }
        if request.path.contains("workergroups") {
            return json(200, r#"{"success":true,"results":[]}"#);
        }
        json(200, THREE)
    })
}

/// Every file below a folder whose content has the key in it.
fn files_with_key(folder: &Path) -> Vec<PathBuf> {
    let with_key = |(_, text): &(String, String)| text.contains(KEY);
    let found = texts_below(folder).into_iter().filter(with_key);
    found.map(|(path, _)| PathBuf::from(path)).collect()
}

/// Fills in the form of a market on this computer and keeps it.
fn add(pty: &mut Pty, name: &str, url: &str, key: &str) {
    pty.keys("M");
    pty.wait_for_text("Markets");
    pty.keys("n");
    pty.wait_for_text("New market");
    pty.keys(&format!("{url}<Tab>{name}<Tab><Tab><Right><Tab><Tab><Tab>"));
    pty.wait_for_text("Type or paste it");
    pty.paste(key);
    pty.wait_for_text("********");
    pty.keys("<Enter>");
    pty.wait_for_text(&format!("{name} added."));
}

#[test]
fn from_the_sandbox_to_a_market_of_one_s_own_and_its_key_stays_where_it_is() {
    let home = tempfile::tempdir().unwrap();
    let (config, state) = (home.path().join("c"), home.path().join("s"));
    std::fs::create_dir_all(config.join("bourse")).unwrap();
    let own = "# my settings\nascii = false # for now\n";
    std::fs::write(config.join("bourse/config.toml"), own).unwrap();
    let recorder = market(KEY);
    let variables = [
        ("XDG_CONFIG_HOME", config.to_str().unwrap()),
        ("XDG_STATE_HOME", state.to_str().unwrap()),
    ];
    let mut pty = Pty::bourse(&[], &variables, 100, 30);
    pty.wait_for_text("First 500, more exist");
    add(&mut pty, "work", &recorder.url(), KEY);
    assert!(recorder.requests().is_empty(), "nothing is sent unasked");
    pty.keys("r");
    pty.wait_for_text("work responded and accepts");
    assert_eq!(recorder.only().path, "/api/v0/workergroups/");
    pty.keys("<Enter>");
    pty.wait_for_text("Switched to work");
    pty.wait_for_text("All 3 ");
    let screen = pty.screen_text();
    assert!(screen.lines().next().unwrap().contains(" work"), "{screen}");
    assert!(!screen.contains("SANDBOX"), "{screen}");
    // And back again.
    pty.keys("M");
    pty.wait_for_text("key file");
    pty.keys("g<Enter>");
    pty.wait_for_text("SANDBOX");
    pty.wait_for_text("First 500, more exist");
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert!(!exit.log_text().contains("canary"), "the key was on a screen");
    let requests = recorder.requests();
    let paths: Vec<_> = requests.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/api/v0/workergroups/", "/api/v0/bundles/"]);
    for request in &requests {
        let bearer = format!("Bearer {KEY}");
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    }
    let key_file = config.join("bourse/keys/work");
    assert_eq!(files_with_key(home.path()), std::slice::from_ref(&key_file));
    let mode = std::fs::metadata(&key_file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = std::fs::read_to_string(config.join("bourse/config.toml")).unwrap();
    let url = recorder.url();
    assert_eq!(
        text,
        format!("{own}\n[profiles.work]\nbase_url = \"{url}\"\napi_key_file = \"keys/work\"\n")
    );
    // The next start knows it by its name.
    let mut pty = Pty::bourse(&["--profile", "work"], &variables, 100, 30);
    pty.wait_for_text("All 3 ");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_refused_key_is_replaced_where_it_was_refused() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("c");
    let folder = config.join("bourse");
    let recorder = market(KEY);
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "default_profile = \"work\"\n[profiles.work]\nbase_url = \"{}\"\n",
        recorder.url()
    );
    std::fs::write(folder.join("config.toml"), &text).unwrap();
    let variables = [("XDG_CONFIG_HOME", config.to_str().unwrap())];
    let mut pty = Pty::bourse(&[], &variables, 100, 30);
    pty.wait_for_text("or press M to add one");
    pty.keys("M");
    pty.wait_for_text("! work: no API key configured");
    pty.keys("o");
    pty.wait_for_text("Settings of work");
    pty.paste(KEY);
    pty.wait_for_text("********");
    pty.keys("<Enter>");
    // It is connected to anew with the new key, without another word.
    pty.wait_for_text("All 3 ");
    // The key can go again; the file goes with it.
    pty.keys("M");
    pty.wait_for_text("key file");
    pty.keys("<C-x>");
    pty.wait_for_text("Remove the key of work?");
    pty.keys("y");
    // The rows from before stay if they are on record by now; the reason is said either way.
    pty.wait_for_text("no API key configured");
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert!(!exit.log_text().contains("canary"));
    assert_eq!(files_with_key(home.path()), Vec::<PathBuf>::new());
    assert!(!folder.join("keys/work").exists());
    assert_eq!(std::fs::read_to_string(folder.join("config.toml")).unwrap(), text);
}

/// The loop on a sandbox, knowing the markets of a configuration.
async fn dashboard(config: &str, environment: Environment) -> (Person, Loop) {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::below(home.path());
    std::fs::create_dir_all(&paths.config).unwrap();
    std::fs::write(paths.config_file(), config).unwrap();
    let (sandbox, client, profile) = super::real_loop::market().await;
    let flags = Global {
        freeze: true,
        latency: Some(0),
        ..Global::default()
    };
    let known = ProfileResolver::new(flags, environment, Some(paths), "sandbox");
    let mut model = bourse::features::dashboard(profile, None);
    model.markets.market_list = known.market_list();
    let (surface, person) = Memory::new(120, 40);
    let address = sandbox.addr();
    let session = Session::new(client, Pacer::default());
    let files = Files {
        sandbox: Some(sandbox),
        ..Files::default()
    };
    let running = Dashboard::new(model, surface, Arc::new(session), Theme::MONO).with_markets(known, files);
    let handle = on_a_thread(running);
    let ended = tokio::task::spawn_blocking(move || handle.join().unwrap());
    let kept = Loop {
        address,
        ended,
        _home: home,
    };
    (person, kept)
}

struct Loop {
    /// Where the first sandbox listens.
    address: std::net::SocketAddr,
    ended: tokio::task::JoinHandle<i32>,
    _home: tempfile::TempDir,
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sandbox_stops_when_it_is_left_and_comes_back_as_it_was_left() {
    let recorder = market(KEY);
    let config = format!(
        "[profiles.lab]\nbase_url = \"{}\"\napi_key_command = \"printf {KEY}\"\n",
        recorder.url()
    );
    let (person, running) = dashboard(&config, Environment::default()).await;
    person.sees("First 500, more exist").await;
    assert!(TcpStream::connect(running.address).is_ok());
    person.press(KeyCode::Char('M'));
    person.sees("key command").await;
    person.press(KeyCode::Char('G'));
    person.press(KeyCode::Enter);
    person.sees("Switched to lab").await;
    person.sees("All 3 ").await;
    let bearer = format!("Bearer {KEY}");
    let request = recorder.only();
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    // It is stopped, but not necessarily before the other market has answered.
    until(|| TcpStream::connect(running.address).is_err()).await;
    // What is changed here is kept for this market, and the sandbox has its own.
    person.press(KeyCode::Char('/'));
    person.types(" num_gpus>=8");
    person.press(KeyCode::Enter);
    person.sees("num_gpus>=8").await;
    person.press(KeyCode::Char('M'));
    person.sees("key command").await;
    person.press(KeyCode::Char('g'));
    person.press(KeyCode::Enter);
    person.sees("Switched to the sandbox").await;
    person.sees("First 500, more exist").await;
    assert!(!person.screen().contains("num_gpus>=8"));
    person.press(KeyCode::Char('M'));
    person.sees("key command").await;
    person.press(KeyCode::Char('G'));
    person.press(KeyCode::Enter);
    person.sees("Switched to lab").await;
    person.sees("num_gpus>=8").await;
    person.press(KeyCode::Char('q'));
    assert_eq!(running.ended.await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_the_environment_goes_to_named_markets_and_never_to_the_sandbox() {
    let recorder = market(KEY);
    let config = format!("[profiles.lab]\nbase_url = \"{}\"\n", recorder.url());
    let environment = Environment {
        key: Some(KEY.to_owned()),
        ..Environment::default()
    };
    let (person, running) = dashboard(&config, environment).await;
    person.sees("First 500, more exist").await;
    person.press(KeyCode::Char('M'));
    person.sees("environment").await;
    person.press(KeyCode::Char('G'));
    person.sees("BOURSE_API_KEY in the environment.").await;
    person.press(KeyCode::Enter);
    person.sees("All 3 ").await;
    person.press(KeyCode::Char('M'));
    person.sees("environment").await;
    person.press(KeyCode::Char('g'));
    person.press(KeyCode::Enter);
    // A sandbox takes its own key only: with another one it would refuse.
    person.sees("First 500, more exist").await;
    let _ = person.keys.send(Event::Paste(KEY.to_owned()));
    person.sees("Can't paste here").await;
    person.press(KeyCode::Char('q'));
    assert_eq!(running.ended.await.unwrap(), 0);
    let bearer = format!("Bearer {KEY}");
    assert_eq!(recorder.only().header("authorization"), Some(bearer.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_market_that_cannot_be_spoken_to_leaves_everything_as_it_is() {
    let config = "[profiles.far]\nbase_url = \"http://far.example\"\napi_key_command = \"printf k\"\n\
        [profiles.lost]\nbase_url = \"https://lost.example\"\napi_key_file = \"keys/lost\"\n";
    let (person, running) = dashboard(config, Environment::default()).await;
    person.sees("First 500, more exist").await;
    person.press(KeyCode::Char('M'));
    person.sees("key unusable").await;
    person.press(KeyCode::Char('G'));
    person.press(KeyCode::Enter);
    person.sees("! Not connected to lost: the key file").await;
    person.press(KeyCode::Char('k'));
    person.press(KeyCode::Enter);
    person.sees("! Not connected to far:").await;
    // An address is not broken: it begins a line.
    person.sees("http://far.example: an API key").await;
    person.press(KeyCode::Char('r'));
    person.sees("! far was not tested: http://").await;
    person.press(KeyCode::Esc);
    person.sees("SANDBOX").await;
    person.sees("First 500, more exist").await;
    person.press(KeyCode::Char('q'));
    assert_eq!(running.ended.await.unwrap(), 0);
}
