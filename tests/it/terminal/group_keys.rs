//! Where a market routes by a workergroup's own key, that key goes over the wire and nowhere else.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::files::texts_below;
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};
use crate::stories::groups::FOUR;
use crate::test_app::THREE;

/// The key of the group that serves `sdxl`, in [`FOUR`].
const KEY: &str = "canary-sdxl-1111";

/// A market that routes, and repeats the key that it was asked with.
fn market() -> Recorder {
    Recorder::start(|number, request| match request.path.as_str() {
        "/route/" => json(
            200,
            &format!(
                r#"{{"endpoint":"sdxl","url":"http://w1.example:80","cost":0,"reqnum":{number},"api_key":"{KEY}",
                    "signature":"c2lnbmF0dXJl","__request_id":"r{number}"}}"#
            ),
        ),
        path if path.ends_with("/workergroups/") => json(200, FOUR),
        _ => json(200, THREE),
    })
}

/// What was handed to the terminal's clipboard.
fn copied(log: &[u8]) -> Vec<String> {
    let log = String::from_utf8_lossy(log).into_owned();
    let parts = log.split("\u{1b}]52;").skip(1);
    parts
        .map(|part| {
            let text = part.split(['\u{7}', '\u{1b}']).next().unwrap();
            let (_, base64) = text.split_once(';').unwrap();
            String::from_utf8(STANDARD.decode(base64).unwrap()).unwrap()
        })
        .collect()
}

#[test]
fn a_group_s_key_that_routes_stays_out_of_files_screens_and_the_clipboard() {
    let recorder = market();
    let url = recorder.url();
    let arguments = ["--profile", "vast", "--base-url", &url];
    // The folders outlive the program.
    let root = tempfile::tempdir().unwrap();
    let folder = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let (config, state, data) = (folder("config"), folder("state"), folder("data"));
    let variables = [
        ("BOURSE_API_KEY", "canary-own-key"),
        ("XDG_CONFIG_HOME", &config),
        ("XDG_STATE_HOME", &state),
        ("XDG_DATA_HOME", &data),
    ];
    let mut pty = Pty::bourse(&arguments, &variables, 100, 34);
    pty.wait_for("the offers' answer", |screen| screen.contents().contains("updated "));
    pty.keys("3");
    pty.wait_for_text("whisper");
    pty.keys("jjt");
    pty.wait_for_text("with the workergroup's own key");
    // One request, whole on the screen, and the request after it; its copy; the next hop; a file.
    pty.keys("<Down><C-u>0<Enter>");
    pty.wait_for_text("assigned: a worker serves the request");
    pty.keys("G<Esc>t<Enter>");
    pty.wait_for_text("run 2 of 2");
    pty.keys("yc");
    pty.wait_for_text("Copied the request as curl");
    pty.keys("v<Esc><Enter>G<Esc>o");
    pty.wait_for_text("copied, not sent");
    pty.keys("<Esc>");
    for format in ["json", "csv"] {
        let path = root.path().join(format!("run.{format}"));
        pty.keys("e");
        pty.wait_for_text("existing file is kept");
        pty.keys("<C-u>");
        pty.keys(path.to_str().unwrap());
        pty.keys("<Enter>");
        let is_there = |_: &vt100::Screen| Path::new(&path).exists();
        pty.wait_for("the file", is_there);
    }
    // The group's own forms: JSON, a row, the call; its supply; the requests that were sent.
    pty.keys("<Esc>yj");
    pty.wait_for_text("as JSON");
    pty.keys("yr");
    pty.keys("yc");
    pty.wait_for_text("Copied the request as curl");
    pty.keys("S4");
    pty.wait_for_text("Requests");
    pty.keys("3q");
    let exit = pty.exit();
    exit.assert_clean(0);

    let routed: Vec<_> = recorder
        .requests()
        .into_iter()
        .filter(|request| request.path == "/route/")
        .collect();
    assert_eq!(routed.len(), 2);
    for request in &routed {
        let bearer = format!("Bearer {KEY}");
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
        assert_eq!(
            request.body,
            br#"{"endpoint":"sdxl","cost":0,"request_idx":0,"replay_timeout":10}"#
        );
    }
    let copied = copied(&exit.log);
    assert!(copied.len() >= 4, "{copied:?}");
    for text in &copied {
        assert!(!text.contains("canary"), "{text}");
    }
    assert!(!exit.log_text().contains("canary"));
    let mut kept = texts_below(root.path());
    assert!(kept.iter().any(|(path, _)| path.ends_with("run.csv")));
    assert!(kept.iter().any(|(path, _)| path.ends_with("groups.json")));
    kept.retain(|(_, text)| text.contains("canary"));
    assert_eq!(kept, []);
}
