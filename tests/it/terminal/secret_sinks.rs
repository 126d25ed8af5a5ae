//! Planted keys again, in places that no screen shows: the journal of writes and what `{:?}` prints.

use std::process::Command;

use bourse::api::client::{Client, ClientConfig, Origin};
use bourse::api::pacing::Pacer;
use bourse::api::wire::{self, Answer};
use bourse::api::{Request, RouteCall, Secret, Session};
use bourse::domain::time::UnixTime;
use bourse::domain::{Dialect, Listing, WORKERGROUPS};
use bourse::features::markets::KeyFrom;
use bourse::sandbox::SandboxConfig;

use super::creating::SEARCH;
use super::secrets::{PLAIN, USER, answers, found};
use crate::cases::cases;
use crate::cli::commands::{Home, run};
use crate::files::texts_below;
use crate::recorder::Recorder;

#[test]
fn no_write_leaves_a_planted_key_in_its_output_or_the_journal() {
    let writes: [&[&str]; 3] = [
        &["unlist", "7311", "--yes"],
        &["unlist", "7311", "--yes", "--format", "json"],
        &[
            "groups",
            "create",
            "--endpoint",
            "ep00",
            "--search-params",
            SEARCH,
            "--yes",
        ],
    ];
    let none = Vec::<String>::new();
    let mut journals = String::new();
    let step = cases(3, 1);
    for (turn, (name, response)) in answers().into_iter().enumerate() {
        let recorder = Recorder::always(response);
        for arguments in writes.into_iter().skip(turn % step).step_by(step) {
            let home = Home::new();
            let mut command: Command = home.bourse(arguments);
            command.args(["--base-url", &recorder.url()]);
            let (_, out, err) = run(command.env("BOURSE_API_KEY", USER));
            assert_eq!(found(&(out + &err)), none, "{arguments:?}, {name}");
            for (path, text) in texts_below(home.path()) {
                assert_eq!(found(&text), none, "{path}, {name}: {text}");
                if path.ends_with("writes.jsonl") {
                    journals.push_str(&text);
                }
            }
        }
    }
    let controls = [PLAIN, "\"unlist_volume\"", "\"create_workergroup\""];
    for control in controls {
        assert!(journals.contains(control), "{control}: {journals}");
    }
}

#[tokio::test]
async fn nothing_that_holds_a_key_prints_it() {
    let key = Secret::new(USER);
    let origin = Origin::parse("http://127.0.0.1:9").unwrap();
    let config = ClientConfig {
        sends_route_key: true,
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::VAST,
        key: Some(key.clone()),
    };
    let client = Client::new(config.clone()).unwrap();
    let session = Session::new(client.clone(), Pacer::default());
    let route = Request::Route(RouteCall {
        endpoint: "chat".to_owned(),
        cost: 1.0,
        key: Some(key.clone()),
        place: None,
    });
    let assigned =
        format!(r#"{{"endpoint":"chat","cost":1,"url":"http://w1.example","signature":"{USER}","api_key":"{USER}"}}"#);
    let answer = Answer {
        status: 200,
        body: assigned.as_bytes(),
        ..Answer::default()
    };
    let reply = wire::decode(&route, answer, UnixTime::new(0.0)).unwrap();
    let group = format!(r#"{{"results":[{{"id":1,"api_key":"{USER}","launch_args":"{USER}"}}]}}"#);
    let listing = Listing::read(&WORKERGROUPS, group, UnixTime::new(0.0)).unwrap();
    let outcome = client.call(&route).await;
    let sandbox = SandboxConfig {
        api_key: Some(bourse::sandbox::Token::new(USER)),
        ..SandboxConfig::default()
    };
    let mut shown = String::new();
    macro_rules! print {
        ($($value:expr),*) => { $(shown += &format!("{:?} {:#?}\n", $value, $value);)* };
    }
    print!(
        key,
        KeyFrom::File(key.clone()),
        config,
        client,
        session,
        route,
        reply,
        listing
    );
    print!(outcome, outcome.record, sandbox, wire::encode(&route, &Dialect::VAST));
    print!(
        listing.skipped(),
        listing.full_record(0),
        listing.cell(0, &WORKERGROUPS.fields()[0])
    );
    assert_eq!(found(&shown), Vec::<String>::new(), "{shown}");
    assert!(shown.contains("chat"), "control");
}
