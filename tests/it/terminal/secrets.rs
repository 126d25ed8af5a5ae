//! Planted keys and signatures, in their own members, in ordinary ones, in wrong types and in errors:
//! none of them in anything that the program prints, paints, copies or writes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::cases::side_by_side;
use crate::files::texts_below;
use crate::pty_support::Pty;
use crate::recorder::{Recorder, answer, json};
use crate::test_app::THREE;

pub const USER: &str = "canaryUser+Key/7f3a9c21d0";
/// Stands in ordinary fields: it must be found, or nothing was looked at.
pub const PLAIN: &str = "plainly-visible-5d1";

fn group(number: usize) -> String {
    format!("canaryGroup{number:02}x8b1e6d42")
}

fn signature(number: usize) -> String {
    format!("canarySig{number:02}q5w7e2r9t1==")
}

fn percent(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'+' | b'/' | b'=' => format!("%{byte:02X}"),
        other => char::from(other).to_string(),
    };
    text.bytes().map(escape).collect()
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// The planted texts that are found, whole or 12 bytes of them, in any form; line breaks, blanks and
/// the frames of panels aside.
pub fn found(text: &str) -> Vec<String> {
    let is_dropped = |one: &char| one.is_whitespace() || ('\u{2500}'..'\u{2600}').contains(one);
    let text: String = text.chars().filter(|one| !is_dropped(one)).collect();
    let mut planted = vec![USER.to_owned()];
    planted.extend((0..50).map(group));
    planted.extend((0..20).map(signature));
    planted.retain(|secret| {
        let mut forms = vec![percent(secret), hex(secret), hex(secret).to_uppercase()];
        forms.push(STANDARD.encode(secret));
        forms.push(secret.replace('/', "\\/"));
        let windows = secret.as_bytes().windows(12);
        forms.extend(windows.map(|window| String::from_utf8(window.to_vec()).unwrap()));
        forms.iter().any(|form| text.contains(form.as_str()))
    });
    planted
}

#[test]
fn a_planted_text_is_found_in_every_form() {
    for text in [
        USER.to_owned(),
        format!("?key={}&x", percent(USER)),
        hex(USER),
        STANDARD.encode(USER),
        "canaryUser+Key\\/7f3a9c21d0".to_owned(),
        "canaryUser+K │\n│ ey/7f3a9c21d0".to_owned(),
        "ser+Key/7f3a".to_owned(),
    ] {
        assert_eq!(found(&text), [USER], "{text}");
    }
    assert!(found(&group(49)).contains(&group(49)));
    assert!(found(&signature(19)).contains(&signature(19)));
    assert_eq!(found(PLAIN), Vec::<String>::new());
}

/// Fifty workergroups; `key` makes the member of one.
fn groups(key: impl Fn(&str) -> String) -> String {
    let record = |number: usize| {
        let (own, next) = (group(number), group((number + 1) % 50));
        format!(
            r#"{{"id":{number},"endpoint_name":"ep{number:02}","api_key":{member},"template_hash":"{next}",
                "launch_args":"--note {PLAIN} --key {USER} --own {own} -e T={encoded}",
                "search_query":"gpu_name=RTX_4090","made_up":{{"deep":["{own}",{{"auth_token":"{next}"}}]}}}}"#,
            member = key(&own),
            encoded = STANDARD.encode(USER),
        )
    };
    let records: Vec<String> = (0..50).map(record).collect();
    format!(r#"{{"success":true,"results":[{}]}}"#, records.join(","))
}

/// What a server may say, by a name: whole responses to any request.
pub fn answers() -> Vec<(&'static str, Vec<u8>)> {
    let text = |text: &str| format!("\"{text}\"");
    let echo = format!(
        r#"{{"success":false,"error":"auth_error","msg":"{PLAIN}: Bearer {USER}, {}, {}, {}, c\u0061naryUser+Key\/7f3a9c21d0"}}"#,
        percent(USER),
        hex(USER),
        STANDARD.encode(USER)
    );
    let page = format!("<html><title>{PLAIN} {USER}</title></html>");
    let to = [("Location", "http://canaryUser+Key/7f3a9c21d0.example/x")];
    vec![
        ("keys", json(200, &groups(text))),
        ("a list", json(200, &groups(|key| format!("[\"{key}\"]")))),
        ("an object", json(200, &groups(|key| format!("{{\"k\":\"{key}\"}}")))),
        ("nested", json(200, &groups(|key| format!("[[{{\"k\":[\"{key}\"]}}]]")))),
        ("400", json(400, &echo)),
        ("401", json(401, &echo)),
        ("404", json(404, &echo)),
        ("429", json(429, &echo)),
        ("failed", json(200, &echo)),
        ("plain", answer(403, &[], format!("{PLAIN} no {USER}").as_bytes())),
        ("not JSON", answer(200, &[], format!("{PLAIN} no {USER}").as_bytes())),
        ("a page", answer(200, &[("Content-Type", "text/html")], page.as_bytes())),
        ("moved", answer(307, &to, page.as_bytes())),
        ("cut", json(200, &format!("{{\"results\":[{{\"id\":\"{USER}"))),
    ]
}

#[test]
fn no_command_prints_a_planted_key() {
    let commands: [&[&str]; 8] = [
        &["offers"],
        &["offers", "--format", "json"],
        &["volumes", "--format", "csv"],
        &["groups"],
        &["groups", "--format", "json"],
        &["groups", "--format", "csv"],
        &["route", "ep00"],
        &["route", "ep00", "--format", "json"],
    ];
    let cases = answers()
        .into_iter()
        .flat_map(|(name, response)| commands.map(|command| (name, response.clone(), command)));
    let cases: Vec<_> = cases.step_by(crate::cases::cases(5, 1)).collect();
    let (runs, seen) = (cases.len(), AtomicUsize::new(0));
    side_by_side(cases, |(name, response, arguments)| {
        let recorder = Recorder::always(response);
        let home = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_bourse"))
            .args(arguments)
            .args(["--base-url", &recorder.url()])
            .env_clear()
            .env("HOME", home.path())
            .env("BOURSE_API_KEY", USER)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let none = Vec::<String>::new();
        assert_eq!(found(&said), none, "{arguments:?}, {name}:\n{said}");
        for (path, text) in texts_below(home.path()) {
            assert_eq!(found(&text), none, "{path}, {name}");
        }
        seen.fetch_add(usize::from(said.contains(PLAIN)), Ordering::Relaxed);
    });
    let seen = seen.into_inner();
    assert!(runs >= 20 && seen * 5 >= runs, "{seen} of {runs}");
}

/// A market that tells everything that it should not, and assigns.
pub fn market() -> Recorder {
    Recorder::start(|number, request| match request.path.as_str() {
        "/route/" => {
            let sign = signature(number % 20);
            json(
                200,
                &format!(
                    r#"{{"endpoint":"ep00","url":"http://w1.example:80","cost":0,"reqnum":{number},"note":"{PLAIN} {sign}",
                        "signature":"{sign}","__request_id":"{USER}","api_key":"{USER}"}}"#
                ),
            )
        }
        path if path.ends_with("/workergroups/") => json(200, &groups(|key| format!("\"{key}\""))),
        _ => json(200, THREE),
    })
}

/// The window titles that were set.
fn titles(log: &str) -> String {
    let parts = log.split("\u{1b}]2;").skip(1);
    parts.filter_map(|part| part.split('\u{1b}').next()).collect()
}

/// What was handed to the terminal's clipboard.
fn copied(log: &str) -> Vec<String> {
    let parts = log.split("\u{1b}]52;").skip(1);
    let text = |part: &str| {
        let (_, coded) = part.split(['\u{7}', '\u{1b}']).next()?.split_once(';')?;
        String::from_utf8(STANDARD.decode(coded).ok()?).ok()
    };
    parts.filter_map(text).collect()
}

#[test]
fn the_dashboard_paints_copies_and_writes_no_planted_key() {
    let recorder = market();
    let root = tempfile::tempdir().unwrap();
    let folder = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let (config, state) = (folder("config"), folder("state"));
    let variables = [
        ("BOURSE_API_KEY", USER),
        ("XDG_CONFIG_HOME", &config),
        ("XDG_STATE_HOME", &state),
    ];
    let mut pty = Pty::bourse(&["--base-url", &recorder.url()], &variables, 150, 45);
    let mut frames = Vec::new();
    let mut look = |pty: &mut Pty, keys: &str, text: &str| {
        pty.keys(keys);
        frames.push(pty.wait_for_text(text));
    };
    look(&mut pty, "", "updated ");
    look(&mut pty, "3", "ep00");
    look(&mut pty, "<Enter>", "Launch args");
    look(&mut pty, "<Tab>", "Other fields");
    look(&mut pty, "<Tab>", "\"made_up\"");
    look(&mut pty, "<Esc>yj", "as JSON");
    look(&mut pty, "yr", "Copied");
    look(&mut pty, "C", "<removed>");
    look(&mut pty, "<Esc>", "ep01");
    for path in [folder("groups.csv"), folder("groups.json")] {
        look(&mut pty, "e", "Export");
        // A JSON file has no columns to choose.
        let to_file = match path.ends_with("json") {
            true => "<Right><Down><Down>",
            false => "<Down><Down><Down>",
        };
        pty.keys(&format!("{to_file}<C-u>{path}<Enter>"));
        pty.wait_for("the file", |screen| {
            Path::new(&path).exists() && !screen.contents().contains("Esc cancel")
        });
    }
    look(&mut pty, "<Esc>t", "ep00");
    look(&mut pty, "<Enter>", "assigned");
    look(&mut pty, "<Esc>4", "search offers");
    look(&mut pty, "<Enter>", "esponse");
    look(&mut pty, "ya", "Copied");
    let har = folder("requests.har");
    look(&mut pty, "<Esc>e", "Export");
    pty.keys(&format!("<C-u>{har}<Enter>"));
    pty.wait_for("the file", |_| Path::new(&har).exists());
    look(&mut pty, "<Esc>", "search offers");
    // What a person types themselves stays theirs on the screen, and is kept nowhere.
    pty.keys(&format!("<Esc>1/\"{USER}\"<Enter>"));
    pty.wait_for_text("canaryUser");
    pty.keys("<Esc>/<C-u><Enter>");
    let line = std::fs::read_to_string(format!("/proc/{}/cmdline", pty.id())).unwrap();
    pty.keys("<C-c>");
    let exit = pty.exit();
    exit.assert_clean(0);

    let none = Vec::<String>::new();
    for frame in &frames {
        assert_eq!(found(frame), none, "{frame}");
    }
    assert!(frames.iter().any(|frame| frame.contains(PLAIN)), "control");
    assert_eq!(found(&line), none);
    let titles = titles(&exit.log_text());
    assert!(!titles.is_empty(), "control");
    assert_eq!(found(&titles), none);
    let copied = copied(&exit.log_text());
    assert!(copied.len() >= 3 && copied[0].contains(PLAIN), "{copied:?}");
    for text in &copied {
        assert_eq!(found(text), none, "{text}");
    }
    let kept = texts_below(root.path());
    for name in ["groups.csv", "groups.json", "requests.har", "ui.json"] {
        assert!(kept.iter().any(|(path, _)| path.ends_with(name)), "{name}");
    }
    for (path, text) in &kept {
        assert_eq!(found(text), none, "{path}: {text}");
    }
    for name in ["groups.csv", "groups.json"] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(folder(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    // It was sent, and only where it belongs.
    for request in recorder.requests() {
        let bearer = format!("Bearer {USER}");
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    }
}

/// The key of the environment belongs to a market; the embedded sandbox has its own.
#[tokio::test]
async fn the_sandbox_never_sees_the_key_of_the_environment() {
    use bourse::api::Request;
    use bourse::settings::{Environment, Market, Settings};
    use clap::Parser as _;

    let environment = Environment {
        key: Some(USER.to_owned()),
        ..Environment::default()
    };
    let flags = bourse::cli::Arguments::parse_from(["bourse", "--latency", "0"]).global;
    let mut settings = Settings::resolve(&flags, &environment, None).unwrap();
    if let Market::Embedded(sandbox) = &mut settings.market {
        sandbox.keeps_ledger = true;
    }
    let connection = settings.connect().await.unwrap();
    let client = connection.session.client();
    let token = client.config().key.clone().unwrap();
    assert!(client.call(&Request::ListWorkergroups).await.result.is_ok());
    let sandbox = connection.sandbox.as_ref().unwrap();
    let entries = sandbox.ledger().entries();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].credential, bourse::sandbox::ledger::Credential::Account);
    let seen = format!("{entries:?} {}", token.expose());
    assert_eq!(found(&seen), Vec::<String>::new());
    // Nor does its own token show.
    let shown = format!("{connection:?} {settings:?} {entries:?}");
    assert!(!shown.contains(token.expose()));
}
