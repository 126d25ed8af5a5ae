//! Requests as shell commands: a real shell reads the very arguments out of them, and no key is in the
//! text.

use std::io::Write as _;
use std::process::{Command, Stdio};

use bourse::api::wire::encode;
use bourse::api::{Request, RouteCall, Secret, curl};
use bourse::domain::workergroup::NewWorkergroup;
use bourse::domain::{Condition, Dialect, OFFERS, Operand, Operator, Query, Resource, Value};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::Value as Json;

use super::forbidden;
use crate::cases::cases;

const KEY: &str = "canary-key-in-curl";

const ADDRESS: &str = "http://127.0.0.1:1/api/v0/x/";

/// Texts of what shells act on and terminals act on.
fn any_text() -> impl Strategy<Value = String> {
    let special = "'\"\\$`!*?~#&|;<>(){}[]% \t\r\n\0=-\u{1b}\u{7f}\u{9b}\u{202e}\u{2028}\u{e0041}é漢";
    let special = prop::sample::select(special.chars().collect::<Vec<_>>());
    let letter = prop_oneof![3 => special, 1 => prop::char::range('a', 'z'), 1 => any::<char>()];
    prop::collection::vec(letter, 0..16).prop_map(|letters| letters.into_iter().collect())
}

fn any_request() -> impl Strategy<Value = Request> {
    let group = (any_text(), any_text(), any_text(), any_text(), 0.0..1e6_f64).prop_map(
        |(endpoint, template, search, launch, load)| {
            Request::CreateWorkergroup(NewWorkergroup {
                endpoint_name: Some(endpoint),
                template_hash: Some(template),
                search_params: Some(search),
                launch_args: Some(launch),
                min_load: Some(load),
                ..NewWorkergroup::default()
            })
        },
    );
    let search = (any_text(), any_text()).prop_map(|(gpu, country)| {
        let condition = |key: &str, text: String| {
            let operand = Operand::One(Value::Text(text));
            Condition::new(OFFERS.by_key(key).unwrap(), Operator::Eq, operand)
        };
        let mut query = Query::empty(Resource::Offers);
        query.conditions = vec![condition("gpu_name", gpu), condition("geolocation", country)];
        Request::Search(query)
    });
    let route = (any_text(), 0.0..1e6_f64).prop_map(|(endpoint, cost)| {
        let key = Some(Secret::new(KEY));
        Request::Route(RouteCall {
            endpoint,
            cost,
            key,
            place: None,
        })
    });
    let unlist = any::<i64>().prop_map(|id| Request::UnlistVolume { id });
    prop_oneof![4 => group, 3 => search, 2 => route, 1 => unlist]
}

/// What a shell gives a program called `curl` for each of these commands, the key being in the
/// environment.
fn arguments(commands: &[String]) -> Vec<Vec<String>> {
    let mut shell = Command::new("/bin/sh")
        .env_clear()
        .env("BOURSE_API_KEY", "from the $environment")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut script = "curl() { printf '%s\\0' \"$#\" \"$@\"; }\n".to_owned();
    for command in commands {
        script.push_str(command);
        script.push('\n');
    }
    let mut input = shell.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(script.as_bytes()).unwrap());
    let output = shell.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let mut words = text.split('\0').map(str::to_owned);
    let mut calls = Vec::new();
    while let Some(count) = words.next().filter(|count| !count.is_empty()) {
        calls.push(words.by_ref().take(count.parse().unwrap()).collect());
    }
    calls
}

#[test]
fn a_shell_reads_back_every_argument_and_no_key_is_in_the_text() {
    read_back(cases(500, 10_000));
}

fn read_back(many: usize) {
    let mut runner = TestRunner::deterministic();
    let strategy = any_request();
    let dialects = [&Dialect::DOCUMENTED, &Dialect::VAST, &Dialect::SANDBOX];
    let mut commands = Vec::new();
    let mut bodies = Vec::new();
    for number in 0..many {
        let request = strategy.new_tree(&mut runner).unwrap().current();
        let wire = encode(&request, dialects[number % 3]);
        let command = curl::command(&wire, ADDRESS);
        assert_eq!(forbidden(&command), None, "{command}");
        assert!(!command.contains('\n') && !command.contains(KEY), "{command}");
        commands.push(command);
        bodies.push((wire.method.name(), wire.body.unwrap()));
    }
    let calls = arguments(&commands);
    assert_eq!(calls.len(), commands.len());
    for ((call, command), (method, body)) in calls.iter().zip(&commands).zip(&bodies) {
        let (sent, head) = call.split_last().unwrap();
        let key = "Authorization: Bearer from the $environment";
        let wanted = [
            "-sS",
            "-X",
            method,
            ADDRESS,
            "-H",
            key,
            "-H",
            "Content-Type: application/json",
            "--data-raw",
        ];
        assert_eq!(head, wanted);
        // Byte for byte what is in the text, and the request that was meant.
        let word = format!("'{}'", sent.replace('\'', r"'\''"));
        assert!(command.ends_with(&word), "{command}");
        assert_eq!(&serde_json::from_str::<Json>(sent).unwrap(), body);
    }
}

#[test]
fn a_command_whose_quotes_are_not_closed_would_be_found() {
    let body = r#"{"a":"it's 3 o'clock"}"#;
    let naive = format!("curl -sS '{ADDRESS}' --data-raw '{body}'");
    let call = &arguments(&[naive])[0];
    assert_ne!(call.last().unwrap(), body);
    let whole = format!("curl '{}'", body.replace('\'', r"'\''"));
    assert_eq!(arguments(&[whole])[0], [body]);
}
