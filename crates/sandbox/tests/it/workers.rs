//! The workers over HTTPS: certificates, signatures, every status, streams, and their end.

use std::net::TcpStream;

use bourse_sandbox::faults::CATALOGUE;
use bourse_sandbox::ledger::Credential;
use bourse_sandbox::{Call, SandboxConfig};
use reqwest::{Certificate, Client, Response};
use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;

use crate::support::{Server, frozen};

const COMPLETIONS: &str = "/v1/completions";

/// A sandbox, and a client that trusts only the certificate that it serves.
struct Fleet {
    server: Server,
    client: Client,
    /// Of the client.
    runtime: Runtime,
}

/// A response that was read to its end.
#[derive(Debug)]
struct Whole {
    status: u16,
    kind: String,
    body: String,
}

impl Fleet {
    fn start(config: SandboxConfig) -> Self {
        let server = Server::start(config);
        let answer = server.send("GET", "/worker-ca.pem", &[], "");
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/x-pem-file"))
        );
        let root = Certificate::from_pem(&answer.body).unwrap();
        let client = client(vec![root]);
        let runtime = Runtime::new().unwrap();
        Self {
            server,
            client,
            runtime,
        }
    }

    fn frozen() -> Self {
        Self::start(frozen())
    }

    /// A sandbox whose workers take their time.
    fn running() -> Self {
        Self::start(SandboxConfig {
            freeze: false,
            ..frozen()
        })
    }

    fn faulty(spec: &str) -> Self {
        Self::start(SandboxConfig {
            faults: Some(spec.parse().unwrap()),
            ..frozen()
        })
    }

    /// An assignment, as the router sends it.
    fn route(&self, endpoint: &str) -> Json {
        let reply = self.server.post("/route/", &json!({"endpoint": endpoint, "cost": 1}));
        reply.good()
    }

    /// Opens a response.
    fn send(&self, url: &str, path: &str, body: &str) -> reqwest::Result<Response> {
        let request = self.client.post(format!("{url}{path}")).body(body.to_owned());
        self.runtime.block_on(request.send())
    }

    fn call(&self, auth_data: &Json, path: &str, payload: Json) -> Whole {
        let body = json!({"auth_data": auth_data, "session_id": null, "payload": payload});
        let url = auth_data["url"].as_str().unwrap();
        self.read(self.send(url, path, &body.to_string()).unwrap())
    }

    fn read(&self, response: Response) -> Whole {
        let status = response.status().as_u16();
        let kind = response.headers().get("content-type");
        let kind = kind.map_or("", |kind| kind.to_str().unwrap()).to_owned();
        let body = self.runtime.block_on(response.text()).unwrap();
        Whole { status, kind, body }
    }
}

impl Whole {
    fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap()
    }

    fn is(&self, status: u16, body: &str) -> bool {
        self.status == status && self.body == body
    }
}

fn client(roots: Vec<Certificate>) -> Client {
    // Another test may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().tls_certs_only(roots).build().unwrap()
}

fn url(auth_data: &Json) -> &str {
    auth_data["url"].as_str().unwrap()
}

fn prompt(tokens: u64) -> Json {
    json!({"prompt": "three short words", "max_tokens": tokens})
}

#[test]
fn an_assigned_worker_answers_to_who_trusts_the_root_and_to_nobody_else() {
    let fleet = Fleet::frozen();
    assert!(fleet.server.running.workers().is_empty(), "nobody was routed");
    let auth_data = fleet.route("llama-70b");
    assert!(url(&auth_data).starts_with("https://127.0.0.1:"));
    let answer = fleet.call(&auth_data, COMPLETIONS, prompt(7));
    assert_eq!((answer.status, answer.kind.as_str()), (200, "application/json"));
    let reply = answer.json();
    assert_eq!(
        reply["usage"],
        json!({"prompt_tokens": 3, "completion_tokens": 7, "total_tokens": 10})
    );
    assert_eq!(reply["choices"][0]["text"], "supply meets demand where the spread is ");
    assert_eq!(reply["choices"][0]["finish_reason"], "length");

    // Positive control: without the root there is no connection.
    let other = Fleet::frozen();
    let foreign = other.client.post(url(&auth_data)).send();
    let error = other.runtime.block_on(foreign).unwrap_err();
    assert!(error.is_connect(), "the root of another sandbox: {error:?}");
    let none = other.runtime.block_on(client(Vec::new()).post(url(&auth_data)).send());
    assert!(none.unwrap_err().is_connect());
    let port = url(&auth_data).rsplit(':').next().unwrap();
    let named = fleet
        .send(&format!("https://localhost:{port}"), COMPLETIONS, "")
        .unwrap();
    assert_eq!(named.status(), 422);
}

#[test]
fn the_root_stays_the_same_while_the_sandbox_runs() {
    let server = Server::start(frozen());
    let root = || server.send("GET", "/worker-ca.pem", &[], "").body;
    assert_eq!(root(), root());
    assert!(root() != Server::start(frozen()).send("GET", "/worker-ca.pem", &[], "").body);
}

/// RSA as in RFC 8017, section 8.2.2, with nothing but whole numbers and a hash: the signature to the power of the
/// public exponent is the padded hash of the text.
fn holds(pem: &str, text: &str, signature: &str) -> bool {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use num_bigint::BigUint;
    let lines: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let der = STANDARD.decode(lines).unwrap();
    // A key of 2048 bits: 33 bytes of DER, the modulus, 2 bytes of DER, the exponent.
    assert_eq!(der.len(), 33 + 256 + 2 + 3);
    let (modulus, exponent) = (&der[33..289], &der[291..]);
    let [modulus, exponent] = [modulus, exponent].map(BigUint::from_bytes_be);
    assert_eq!(exponent, BigUint::from(65_537_u32));
    let signature = BigUint::from_bytes_be(&STANDARD.decode(signature).unwrap());
    let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let sha256 = [
        0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
        0x20,
    ];
    let padding = vec![0xff; 256 - 3 - sha256.len() - 32];
    let padded = [&[0, 1][..], &padding, &[0], &sha256, hash.as_ref()].concat();
    signature.modpow(&exponent, &modulus) == BigUint::from_bytes_be(&padded)
}

#[test]
fn the_signature_holds_for_the_address_of_the_worker_alone() {
    let fleet = Fleet::frozen();
    let pem = String::from_utf8(fleet.server.send("GET", "/pubkey/", &[], "").body).unwrap();
    let auth_data = fleet.route("sdxl");
    let signature = auth_data["signature"].as_str().unwrap();
    let signed = format!("{{\n    \"url\": \"{}\"\n}}", url(&auth_data));
    assert!(holds(&pem, &signed, signature));
    assert!(!holds(&pem, &signed.replace("127.0.0.1", "127.0.0.2"), signature));
    let compact = json!({"url": url(&auth_data)}).to_string();
    assert!(!holds(&pem, &compact, signature));
}

#[test]
fn incomplete_requests_are_422_with_what_they_lack() {
    let fleet = Fleet::frozen();
    let auth_data = fleet.route("llama-70b");
    let ask = |body: &str| fleet.read(fleet.send(url(&auth_data), COMPLETIONS, body).unwrap());
    for text in ["", "{", "no JSON"] {
        let answer = ask(text);
        assert_eq!((answer.status, answer.json()), (422, json!({"error": "invalid JSON"})));
    }
    for (body, lacks) in [
        (
            json!({}),
            json!({"auth_data": "field missing", "payload": "field missing"}),
        ),
        (json!({"auth_data": auth_data}), json!({"payload": "field missing"})),
        (
            json!({"auth_data": auth_data, "payload": "text"}),
            json!({"payload": {"data": "payload must be a dictionary"}}),
        ),
        (
            json!({"auth_data": {"cost": 1, "endpoint": "e", "reqnum": 1, "url": "u"}, "payload": {}}),
            json!({"auth_data": {"request_idx": "missing parameter", "signature": "missing parameter"}}),
        ),
    ] {
        let answer = ask(&body.to_string());
        assert_eq!((answer.status, answer.json()), (422, lacks), "{body}");
    }
    // Each member is asked for.
    for name in ["cost", "endpoint", "reqnum", "request_idx", "signature", "url"] {
        let mut less = auth_data.clone();
        less.as_object_mut().unwrap().remove(name);
        let answer = ask(&json!({"auth_data": less, "payload": {}}).to_string());
        let lacks = json!({"auth_data": {name: "missing parameter"}});
        assert_eq!((answer.status, answer.json()), (422, lacks));
    }
}

#[test]
fn a_wrong_signature_is_401_and_a_session_410() {
    let fleet = Fleet::frozen();
    let auth_data = fleet.route("llama-70b");
    let with = |name: &str, value: Json| {
        let mut changed = auth_data.clone();
        changed[name] = value;
        let body = json!({"auth_data": changed, "session_id": null, "payload": prompt(1)});
        fleet.read(fleet.send(url(&auth_data), COMPLETIONS, &body.to_string()).unwrap())
    };
    let other = fleet.route("sdxl");
    for (name, value) in [
        ("signature", json!("no base64")),
        ("signature", json!("AAAA")),
        ("signature", other["signature"].clone()),
        ("signature", json!(7)),
        ("url", other["url"].clone()),
        ("url", json!(null)),
    ] {
        let answer = with(name, value);
        assert!(answer.is(401, ""), "{name}: {answer:?}");
    }
    // The cost is no part of what is signed.
    assert_eq!(with("cost", json!(1_000_000)).status, 200);
    // Sessions are looked up before the signature is checked.
    let body = json!({"auth_data": {"cost": 1, "endpoint": "e", "reqnum": 1, "request_idx": 1,
        "signature": "", "url": ""}, "session_id": "gone", "payload": {}});
    let answer = fleet.read(fleet.send(url(&auth_data), COMPLETIONS, &body.to_string()).unwrap());
    assert_eq!(
        (answer.status, answer.json()),
        (410, json!({"error": "invalid session"}))
    );
}

#[test]
fn the_model_answers_for_itself() {
    let fleet = Fleet::frozen();
    let auth_data = fleet.route("llama-70b");
    let answer = fleet.call(&auth_data, COMPLETIONS, json!({"max_tokens": 5}));
    assert_eq!(
        (answer.status, &answer.json()["error"]["param"]),
        (400, &json!("prompt"))
    );
    let answer = fleet.call(&auth_data, "/v1/chat/completions", json!({"prompt": "p"}));
    assert_eq!(
        (answer.status, &answer.json()["error"]["param"]),
        (400, &json!("messages"))
    );
    let answer = fleet.call(&auth_data, COMPLETIONS, prompt(32_769));
    assert_eq!(
        (answer.status, &answer.json()["error"]["param"]),
        (400, &json!("max_tokens"))
    );
    let chat = json!({"messages": [{"role": "user", "content": "hello there"}], "model": "m", "max_tokens": 2});
    let reply = fleet.call(&auth_data, "/v1/chat/completions", chat).json();
    assert_eq!(
        (&reply["object"], &reply["model"]),
        (&json!("chat.completion"), &json!("m"))
    );
    assert_eq!(
        reply["choices"][0]["message"],
        json!({"role": "assistant", "content": "supply meets "})
    );
    assert_eq!(reply["usage"]["completion_tokens"], 2);
    // The work of other models is in other members, or not in the payload at all.
    for (payload, work) in [
        (json!({"inputs": "x", "parameters": {"max_new_tokens": 9}}), 9),
        (json!({"prompt": "x", "options": {"num_predict": 4}}), 4),
        (json!({"input": {"steps": 30}}), 30),
        (json!({"input": "x"}), 100),
        (json!({"input": "x", "max_tokens": -4}), 100),
        (json!({"input": "x", "max_tokens": "many"}), 100),
    ] {
        let reply = fleet.call(&auth_data, "/generate", payload.clone()).json();
        assert_eq!(
            (&reply["eval_count"], &reply["done"]),
            (&json!(work), &json!(true)),
            "{payload}"
        );
    }
    for (path, status) in [("/session/create", 404), ("/pyworker/update", 404)] {
        assert_eq!(fleet.call(&auth_data, path, json!({})).status, status, "{path}");
    }
    let get = fleet.client.get(format!("{}{COMPLETIONS}", url(&auth_data))).send();
    assert_eq!(fleet.runtime.block_on(get).unwrap().status(), 405);
}

#[test]
fn streams_have_an_event_or_a_line_for_each_token() {
    let fleet = Fleet::frozen();
    let auth_data = fleet.route("llama-70b");
    let payload = json!({"prompt": "p", "max_tokens": 3, "stream": true});
    let answer = fleet.call(&auth_data, COMPLETIONS, payload.clone());
    assert_eq!((answer.status, answer.kind.as_str()), (200, "text/event-stream"));
    let events: Vec<&str> = answer.body.split_terminator("\n\n").collect();
    let data = |index: usize| events[index].strip_prefix("data: ").unwrap();
    let json = |index: usize| -> Json { serde_json::from_str(data(index)).unwrap() };
    assert_eq!((events.len(), data(4)), (5, "[DONE]"));
    let texts: Vec<Json> = (0..4).map(|index| json(index)["choices"][0]["text"].clone()).collect();
    assert_eq!(texts, ["supply ", "meets ", "demand ", ""]);
    let ends: Vec<Json> = (0..4)
        .map(|index| json(index)["choices"][0]["finish_reason"].clone())
        .collect();
    assert_eq!(ends, [json!(null), json!(null), json!(null), json!("length")]);
    assert!((0..4).all(|index| json(index).get("usage").is_none()));

    let chat = json!({"messages": [], "max_tokens": 2, "stream": true, "stream_options": {"include_usage": true}});
    let body = fleet.call(&auth_data, "/v1/chat/completions", chat).body;
    let events: Vec<&str> = body.split_terminator("\n\n").collect();
    let first: Json = serde_json::from_str(events[0].strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(first["object"], "chat.completion.chunk");
    assert_eq!(first["choices"][0]["delta"]["content"], "supply ");
    let last: Json = serde_json::from_str(events[2].strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(last["usage"]["completion_tokens"], 2);

    let answer = fleet.call(&auth_data, "/api/generate", payload);
    assert_eq!((answer.status, answer.kind.as_str()), (200, "application/x-ndjson"));
    let lines: Vec<Json> = answer
        .body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let seen: Vec<_> = lines.iter().map(|line| (&line["response"], &line["done"])).collect();
    let (texts, no, yes) = (
        ["supply ", "meets ", "demand ", ""].map(Json::from),
        json!(false),
        json!(true),
    );
    assert_eq!(
        seen,
        [(&texts[0], &no), (&texts[1], &no), (&texts[2], &no), (&texts[3], &yes)]
    );
    assert_eq!(lines[3]["eval_count"], 3);
}

/// A stream of several minutes: its first pieces arrive long before its end, it fills the queue, and it is over when
/// its client leaves.
#[test]
fn a_stream_arrives_piece_by_piece_and_fills_the_queue_until_its_client_leaves() {
    let fleet = Fleet::running();
    let auth_data = fleet.route("llama-70b");
    // The cost in `auth_data` is 1: only the payload counts.
    let long = json!({"prompt": "p", "max_tokens": 20_000, "stream": true});
    let body = json!({"auth_data": auth_data, "session_id": null, "payload": long}).to_string();
    let mut stream = fleet.send(url(&auth_data), COMPLETIONS, &body).unwrap();
    for word in ["supply ", "meets ", "demand "] {
        let piece = fleet.runtime.block_on(stream.chunk()).unwrap().unwrap();
        let piece = String::from_utf8(piece.to_vec()).unwrap();
        assert!(piece.starts_with("data: ") && piece.ends_with("\n\n"), "{piece}");
        assert_eq!(piece.matches("data: ").count(), 1);
        assert!(piece.contains(word), "{piece}");
    }
    let refused = fleet.call(&auth_data, COMPLETIONS, prompt(1));
    assert!(refused.is(429, ""), "{refused:?}");
    drop(stream);
    let after = std::iter::repeat_with(|| fleet.call(&auth_data, COMPLETIONS, prompt(1)))
        .find(|answer| answer.status != 429)
        .unwrap();
    assert_eq!(after.json()["usage"]["completion_tokens"], 1);
}

#[test]
fn a_worker_that_loads_or_has_stopped_refuses_connections() {
    let fleet = Fleet::frozen();
    // Each route request is a second of a frozen fleet. The endpoint has no warm workers.
    let assigned = std::iter::repeat_with(|| fleet.route("whisper-large"))
        .take(60)
        .find(|reply| reply.get("url").is_some());
    let auth_data = assigned.expect("a worker comes up");
    assert_eq!(fleet.call(&auth_data, "/generate", json!({})).status, 200);
    for _ in 0..400 {
        fleet
            .server
            .post("/route/", &json!({"endpoint": "empty", "cost": 0}))
            .good();
    }
    assert_eq!(
        fleet
            .server
            .post("/route/", &json!({"endpoint": "whisper-large", "cost": 0}))
            .good()["status"],
        "3 stopped"
    );
    // A connection that is open is reset; then the port is closed.
    assert!(fleet.send(url(&auth_data), "/generate", "{}").is_err());
    let address = url(&auth_data).strip_prefix("https://").unwrap();
    assert!(is_closed_soon(address));
    // It comes back under the same address.
    let again = std::iter::repeat_with(|| fleet.route("whisper-large"))
        .take(60)
        .find(|reply| reply.get("url").is_some());
    assert_eq!(url(&again.expect("a worker comes up again")), url(&auth_data));
    assert_eq!(fleet.call(&auth_data, "/generate", json!({})).status, 200);
}

#[test]
fn keys_of_clients_are_tolerated_and_never_kept() {
    let fleet = Fleet::frozen();
    let auth_data = fleet.route("llama-70b");
    let body = json!({"auth_data": auth_data, "session_id": null, "payload": prompt(1)}).to_string();
    let request = fleet
        .client
        .post(format!("{}{COMPLETIONS}?api_key=canary-in-query", url(&auth_data)))
        .header("Authorization", "Bearer canary-in-header")
        .body(body.clone());
    assert_eq!(fleet.runtime.block_on(request.send()).unwrap().status(), 200);
    assert_eq!(fleet.call(&auth_data, COMPLETIONS, prompt(1)).status, 200);
    let entries = fleet.server.running.ledger().entries();
    let [.., with_key, without] = &entries[..] else {
        panic!("{entries:?}");
    };
    assert_eq!(with_key.worker.as_deref(), Some(url(&auth_data)));
    assert_eq!(
        (with_key.credential, &with_key.query[..]),
        (Credential::Other, &["api_key".to_owned()][..])
    );
    assert_eq!((without.credential, without.query.len()), (Credential::None, 0));
    assert_eq!(with_key.body, body.as_bytes());
    assert!(!format!("{entries:?}").contains("canary"));
    assert!(entries[..entries.len() - 2].iter().all(|entry| entry.worker.is_none()));
}

#[test]
fn a_body_of_more_than_a_mebibyte_is_refused() {
    let fleet = Fleet::frozen();
    let auth_data = fleet.route("llama-70b");
    let long = "x".repeat(1 << 20);
    let body = json!({"auth_data": auth_data, "session_id": null, "payload": {"prompt": long}}).to_string();
    let answer = fleet.send(url(&auth_data), COMPLETIONS, &body);
    // The connection may break before the client has sent all of it.
    assert!(answer.is_err() || answer.is_ok_and(|answer| answer.status() == 413));
    assert_eq!(fleet.call(&auth_data, COMPLETIONS, prompt(1)).status, 200);
}

/// Whether connections to an address are refused within 5 seconds.
fn is_closed_soon(address: &str) -> bool {
    (0..1_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        TcpStream::connect(address).is_err()
    })
}

#[test]
fn workers_end_with_the_sandbox() {
    for is_dropped in [false, true] {
        let Fleet {
            server,
            client,
            runtime,
        } = Fleet::running();
        let auth_data = server.post("/route/", &json!({"endpoint": "llama-70b"})).good();
        let long = json!({"prompt": "p", "max_tokens": 20_000, "stream": true});
        let body = json!({"auth_data": auth_data, "session_id": null, "payload": long}).to_string();
        let request = client.post(format!("{}{COMPLETIONS}", url(&auth_data))).body(body);
        let mut stream = runtime.block_on(request.send()).unwrap();
        assert!(runtime.block_on(stream.chunk()).unwrap().is_some());
        let running = server.running;
        if is_dropped {
            drop(running);
        } else {
            runtime.block_on(running.stop());
        }
        let rest = runtime.block_on(async {
            loop {
                match stream.chunk().await {
                    Ok(Some(_)) => {}
                    end => break end,
                }
            }
        });
        assert!(rest.is_err(), "the stream is cut off");
        let address = url(&auth_data).strip_prefix("https://").unwrap();
        assert!(is_closed_soon(address));
    }
}

#[test]
fn every_fault_of_workers_happens() {
    let mut seen = Vec::new();
    for fault in CATALOGUE.iter().filter(|fault| fault.calls.contains(&Call::Worker)) {
        let fleet = Fleet::faulty(&format!("{}@worker", fault.id()));
        let auth_data = fleet.route("llama-70b");
        let body = json!({"auth_data": auth_data, "session_id": null, "payload": prompt(40)}).to_string();
        let request = fleet
            .client
            .post(format!("{}{COMPLETIONS}", url(&auth_data)))
            .body(body);
        // Of a silent worker, only that it is silent for a while.
        let patience = std::time::Duration::from_millis(if fault.name == "hang" { 200 } else { 60_000 });
        let outcome = fleet.runtime.block_on(async {
            let response = request.timeout(patience).send().await?;
            let label = response.headers().get("x-sandbox-fault").cloned();
            assert_eq!(label.unwrap().to_str().unwrap(), format!("{}/1/1", fault.id()));
            let status = response.status().as_u16();
            response.bytes().await.map(|body| (status, body))
        });
        let outcome = match outcome {
            Ok((status, body)) => format!("{status} {}", String::from_utf8_lossy(&body[..body.len().min(40)])),
            Err(error) if error.is_timeout() => "timeout".to_owned(),
            Err(error) if error.is_request() => "broken".to_owned(),
            Err(error) => {
                assert!(error.is_decode() || error.is_body(), "{error:?}");
                "cut".to_owned()
            }
        };
        let injected = fleet.server.running.ledger().injected();
        assert_eq!((injected.len(), injected[0].call), (1, Call::Worker), "{fault:?}");
        seen.push((fault.name, outcome));
    }
    let garbage = String::from_utf8_lossy(b"200 \x00\xff{\"offers\": [\xc3\x28 nonsense").into_owned();
    let expected = [
        ("hang", "timeout"),
        ("drop_before_commit", "broken"),
        ("drop_after_commit", "broken"),
        ("slow", r#"200 {"id":"cmpl-"#),
        ("garbage", garbage.as_str()),
        ("worker_422", "422 "),
        ("worker_401", "401 "),
        ("worker_429", "429 "),
        ("worker_410", r#"410 {"error": "invalid session"}"#),
        ("worker_500", "500 "),
        ("worker_cut", "cut"),
    ];
    assert_eq!(seen.len(), expected.len(), "{seen:?}");
    for ((name, outcome), (wanted, start)) in seen.iter().zip(expected) {
        assert!(*name == wanted && outcome.starts_with(start), "{name}: {outcome}");
    }
    let empty = |name: &str| seen.iter().find(|(fault, _)| *fault == name).unwrap().1.len() == "401 ".len();
    assert!(
        empty("worker_401") && empty("worker_429") && empty("worker_500"),
        "{seen:?}"
    );
}
