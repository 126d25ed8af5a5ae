//! The key: it reaches the two configured addresses and nothing else, wherever an answer points.

use bourse_client::{ApiError, Client, ClientConfig, Origin, Pacer, Request, Secret, Session};
use bourse_domain::Dialect;

use crate::recorder::{Recorder, answer, json};
use crate::requests;

const KEY: &str = "canary-key-88fe";

fn client(management: &str, route: &str, key: &str) -> Client {
    Client::new(ClientConfig {
        sends_route_key: true,
        management: Origin::parse(management).unwrap(),
        route: Origin::parse(route).unwrap(),
        dialect: &Dialect::DOCUMENTED,
        key: Some(Secret::new(key)),
    })
    .unwrap()
}

fn localhost(url: &str) -> String {
    url.replace("127.0.0.1", "localhost")
}

#[tokio::test]
async fn a_redirect_of_any_kind_is_one_request_and_no_key_elsewhere() {
    let elsewhere = Recorder::always(json(200, "{}"));
    for status in [301, 302, 303, 307, 308] {
        for place in ["same host", "other port", "other host", "https"] {
            let location = match place {
                "same host" => "/elsewhere/".to_owned(),
                "other port" => format!("{}/x/", elsewhere.url()),
                "other host" => format!("{}/x/", localhost(&elsewhere.url())),
                _ => elsewhere.url().replace("http:", "https:"),
            };
            let redirect = answer(status, &[("Location", &location)], b"");
            let recorder = Recorder::always(redirect);
            let client = client(&recorder.url(), &recorder.url(), KEY);
            // With all its retries.
            let session = Session::new(client, Pacer::default());
            for (place, request) in requests().iter().enumerate() {
                let result = session.run(request, |_| {}).await;
                assert!(
                    matches!(result, Err(ApiError::Redirected { status: own, .. }) if own == status),
                    "{result:?}"
                );
                assert_eq!(recorder.requests().len(), place + 1, "{status} {location}");
            }
        }
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn a_client_that_follows_redirects_is_found_out() {
    let elsewhere = Recorder::always(json(200, "{}"));
    let location = format!("{}/x/", elsewhere.url());
    let recorder = Recorder::always(answer(307, &[("Location", &location)], b""));
    // It sets the TLS provider up.
    let own = client(&recorder.url(), &recorder.url(), KEY);
    let _ = own.call(&Request::ListWorkergroups).await;
    let other = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/api/v0/workergroups/", recorder.url());
    other.post(url).bearer_auth(KEY).send().await.unwrap();
    assert_eq!(elsewhere.requests().len(), 1);
}

/// Clients of random addresses: each request arrives at the one that is configured for it, with the
/// key of its client, and nowhere else.
async fn random_configurations(seeds: std::ops::Range<u64>) {
    let servers: Vec<Recorder> = (0..3).map(|_| Recorder::always(json(200, "{}"))).collect();
    let mut seen = [0; 3];
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut base = || {
            let server = random.usize(..servers.len());
            let url = servers[server].url();
            let host = if random.bool() { url.clone() } else { localhost(&url) };
            let prefix = ["", "/", "/market", "/a/b/", "/api/v0"][random.usize(..5)];
            (server, prefix, host + prefix)
        };
        let (management, route) = (base(), base());
        let key = format!("canary-{seed}");
        let client = client(&management.2, &route.2, &key);
        let requests = requests();
        let request = &requests[random.usize(..requests.len())];
        let _ = client.call(request).await;
        let (server, prefix, _) = match request {
            Request::Route(_) => route,
            _ => management,
        };
        seen[server] += 1;
        let arrived: Vec<_> = servers.iter().map(|own| own.requests().len()).collect();
        assert_eq!(arrived, seen, "seed {seed}");
        let requests = servers[server].requests();
        let last = requests.last().unwrap();
        let bearer = format!("Bearer {key}");
        assert_eq!(last.header("authorization"), Some(bearer.as_str()));
        let path = format!("{}/", prefix.trim_end_matches('/'));
        assert!(last.path.starts_with(&path), "{} {path}", last.path);
    }
}

#[tokio::test]
async fn the_key_reaches_the_configured_address_only() {
    random_configurations(0..200).await;
}

#[tokio::test]
#[ignore = "long: 9,800 more configurations"]
async fn the_key_reaches_one_address_in_ten_thousand_configurations() {
    for from in (200..10_000).step_by(200) {
        random_configurations(from..from + 200).await;
    }
}
