//! The real event loop with a terminal in memory against the real sandbox.

use std::sync::Arc;

use bourse::api::session::Session;
use bourse::api::{Client, ClientConfig, Origin, Pacer, Secret};
use bourse::core::Profile;
use bourse::domain::Dialect;
use bourse::runtime::dashboard::Dashboard;
use bourse::sandbox::{Running, Sandbox, SandboxConfig};
use bourse::tui::theme::Theme;
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
        sends_route_key: true,
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
        worker_root: Default::default(),
    };
    (sandbox, client, profile)
}

async fn dashboard() -> (Person, tokio::task::JoinHandle<i32>, Running) {
    let (sandbox, client, profile) = market().await;
    let (surface, person) = Memory::new(120, 40);
    let session = Session::new(client, Pacer::default());
    let running = Dashboard::new(
        bourse::features::dashboard(profile, None),
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
    person.sees("$/GB/mo ▲").await;
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
#[ignore = "long: it asks three times"]
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
