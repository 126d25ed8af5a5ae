//! The real event loop with a terminal in memory against the real sandbox.

use std::sync::Arc;
use std::time::Duration;

use bourse::api::session::Session;
use bourse::api::{Client, ClientConfig, Origin, Pacer, Secret};
use bourse::app::Profile;
use bourse::domain::Dialect;
use bourse::runtime::dashboard::Dashboard;
use bourse::sandbox::{Running, Sandbox, SandboxConfig};
use bourse::store::history::HistoryPlace;
use bourse::widgets::theme::Theme;
use crossterm::event::KeyCode;

use crate::terminal::memory::{Memory, Person, on_a_thread};

/// A frozen sandbox, a client of it and the profile that speaks to it.
pub async fn market() -> (Running, Client, Profile) {
    let sandbox = Sandbox::start(SandboxConfig {
        freeze: true,
        ..SandboxConfig::default()
    })
    .await
    .unwrap();
    let origin = Origin::of_listener(sandbox.addr()).unwrap();
    let client = Client::new(ClientConfig {
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::SANDBOX,
        key: Some(Secret::new(sandbox.key())),
    })
    .unwrap();
    let profile = Profile {
        name: "sandbox".to_owned(),
        is_sandbox: true,
        read_only: false,
        dialect: &Dialect::SANDBOX,
        base_url: sandbox.base_url(),
        route_url: sandbox.base_url(),
        has_key: true,
    };
    (sandbox, client, profile)
}

async fn dashboard() -> (Person, tokio::task::JoinHandle<i32>, Running) {
    let (sandbox, client, profile) = market().await;
    let (surface, person) = Memory::new(120, 40);
    let session = Session::new(client, Pacer::default());
    let running = Dashboard::new(
        bourse::views::dashboard(profile, None),
        surface,
        Arc::new(session),
        Theme::MONO,
    );
    let handle = on_a_thread(running);
    let handle = tokio::task::spawn_blocking(move || handle.join().unwrap());
    (person, handle, sandbox)
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_volumes_and_workergroups_come_over_http() {
    let (person, ended, sandbox) = dashboard().await;
    person.sees("First 500, more exist").await;
    person.press(KeyCode::Char('2'));
    person.sees("$/GB/mo▲").await;
    person.press(KeyCode::Char('3'));
    person.sees("llama-70b").await;
    person.press(KeyCode::Char('1'));
    person.press(KeyCode::Char('/'));
    person.types("num_gpus>=8 gpu_name=H100_SXM");
    person.press(KeyCode::Enter);
    person.sees("H100 SXM").await;
    person.press(KeyCode::Char('q'));
    assert_eq!(ended.await.unwrap(), 0);
    sandbox.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_market_that_goes_away_leaves_the_rows_and_says_so() {
    let (person, ended, sandbox) = dashboard().await;
    person.sees("First 500, more exist").await;
    sandbox.stop().await;
    person.press(KeyCode::Char('r'));
    person.sees("The rows below are older").await;
    person.sees("First 500, more exist").await;
    person.press(KeyCode::Char('q'));
    assert_eq!(ended.await.unwrap(), 0);
}

/// Turns auto-refresh on, every ten seconds.
async fn watch(person: &Person) {
    person.press(KeyCode::Char('W'));
    person.sees("Watch offers").await;
    person.erase();
    person.types("10s");
    person.press(KeyCode::Enter);
    person.sees("next refresh in").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_dashboards_on_one_record_send_one_request_an_interval() {
    let (sandbox, client, profile) = market().await;
    let folder = tempfile::tempdir().unwrap();
    let place = HistoryPlace {
        path: Some(folder.path().join("history.sqlite")),
        market: sandbox.base_url(),
    };
    let mut dashboards = Vec::new();
    for _ in 0..2 {
        let (surface, person) = Memory::new(120, 40);
        let session = Arc::new(Session::new(client.clone(), Pacer::default()));
        let mut model = bourse::views::dashboard(profile.clone(), None);
        model.recall.is_on = true;
        let running = Dashboard::new(model, surface, session, Theme::MONO);
        let handle = on_a_thread(running.with_history(Some(place.clone())));
        person.sees("First 500, more exist").await;
        dashboards.push((person, handle));
    }
    let (first, reader) = (&dashboards[0].0, &dashboards[1].0);
    watch(first).await;
    assert_eq!(sandbox.ledger().entries().len(), 2, "one each");
    // Nobody wants its first response, however late that is.
    let asked_again = async {
        while sandbox.ledger().entries().len() < 3 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), asked_again)
        .await
        .unwrap();
    watch(reader).await;
    // The second or third response of the other one is the first that somebody wanted.
    reader.sees("read from another bourse").await;
    let requests = sandbox.ledger().entries().len();
    assert!((4..=5).contains(&requests), "{requests}");
    // It goes on alone.
    let (first, handle) = dashboards.remove(0);
    first.press(KeyCode::Char('q'));
    tokio::task::spawn_blocking(move || handle.join().unwrap())
        .await
        .unwrap();
    let (reader, handle) = dashboards.remove(0);
    reader.sees("updated").await;
    reader.press(KeyCode::Char('q'));
    tokio::task::spawn_blocking(move || handle.join().unwrap())
        .await
        .unwrap();
    sandbox.stop().await;
}
