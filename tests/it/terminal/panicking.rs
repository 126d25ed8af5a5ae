//! The real dashboard panics with planted keys in its hands: neither its notice nor what it leaves on
//! the terminal tells one. A stand-in, as in [`super::guard`]: this test binary started again.

use std::sync::Arc;

use bourse::api::client::Client;
use bourse::api::redact::KnownSecrets;
use bourse::api::session::Session;
use bourse::api::{ApiError, ClientConfig, Origin, Pacer, Reply, Request, Secret};
use bourse::core::Profile;
use bourse::domain::Dialect;
use bourse::runtime::dashboard::{Boxed, Calls, Dashboard, Notify};
use bourse::runtime::panics::install_panic_hook;
use bourse::runtime::tty::Tty;
use bourse::tui::theme::Theme;

use super::secrets::{USER, found, market};
use crate::pty_support::{Exit, Pty};

/// The address of the market and how to panic: `task` or `drawing`, then `reply`, `number` or `cut`.
const VARIABLE: &str = "BOURSE_TEST_PANIC";

/// A session that panics when workergroups have come, or when the state is saved.
struct Broken {
    session: Session,
    how: String,
}

/// Panics as code does that works with keys: with the values it holds, with a text that is no number,
/// at a place inside of a character.
fn fail(how: &str, session: &Session, said: &impl std::fmt::Debug) -> ! {
    let text = format!("{USER}é");
    match how.split(' ').nth(1) {
        Some("number") => {
            let number: i64 = serde_json::from_str(&format!("\"{text}\"")).unwrap();
            panic!("{number}");
        }
        Some("cut") => panic!("{}", &text[..=USER.len()]),
        _ => panic!("{said:?} of {session:?}"),
    }
}

impl Calls for Broken {
    fn call(&self, request: Request, notify: Notify) -> Boxed<Result<Reply, ApiError>> {
        let (session, how) = (self.session.clone(), self.how.clone());
        Box::pin(async move {
            let reply = session.run(&request, notify).await;
            if request == Request::ListWorkergroups && how.starts_with("task") {
                fail(&how, &session, &reply);
            }
            reply
        })
    }

    fn secrets(&self) -> KnownSecrets {
        let secrets = self.session.client().secrets().clone();
        if self.how.starts_with("drawing") {
            fail(&self.how, &self.session, &secrets);
        }
        secrets
    }
}

/// Not a test: the program that the test below starts.
#[test]
#[ignore = "the program that the other tests start"]
fn stand_in() {
    let Ok(variable) = std::env::var(VARIABLE) else {
        return;
    };
    let (url, how) = variable.split_once(' ').unwrap();
    install_panic_hook(std::thread::current().id());
    let origin = Origin::parse(url).unwrap();
    let client = Client::new(ClientConfig {
        sends_route_key: true,
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::DOCUMENTED,
        key: Some(Secret::new(USER)),
    });
    let session = Session::new(client.unwrap(), Pacer::default());
    let profile = Profile {
        base_url: url.to_owned(),
        ..crate::test_app::profile(&Dialect::DOCUMENTED)
    };
    let calls = Arc::new(Broken {
        session,
        how: how.to_owned(),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let status = runtime.block_on(async {
        let tty = Tty::open(false, true).unwrap();
        let model = bourse::features::dashboard(profile, None);
        Dashboard::new(model, tty, calls, Theme::MONO).run().await
    });
    std::process::exit(status.unwrap());
}

/// The dashboard on a market that tells keys.
fn started(url: &str, how: &str) -> Pty {
    let program = std::env::current_exe().unwrap();
    let arguments = ["--exact", "terminal::panicking::stand_in", "--ignored", "--nocapture"];
    let variable = format!("{url} {how}");
    let variables = [
        (VARIABLE, variable.as_str()),
        ("BOURSE_API_KEY", USER),
        ("RUST_BACKTRACE", "full"),
    ];
    let mut pty = Pty::spawn(&program, &arguments, &variables, 150, 45);
    pty.wait_for_text("updated ");
    pty.keys("3");
    pty
}

fn report(exit: &Exit) -> String {
    let log = exit.log_text();
    assert_eq!(found(&log), Vec::<String>::new(), "{log}");
    log
}

#[test]
fn a_panic_in_a_request_shows_no_key() {
    let market = market();
    for (how, text) in [("reply", ""), ("number", "called"), ("cut", "")] {
        let mut pty = started(&market.url(), &format!("task {how}"));
        let frame = pty.wait_for_text("internal error at tests/it/terminal/panicking.rs");
        assert!(frame.contains(text), "{frame}");
        assert_eq!(found(&frame), Vec::<String>::new(), "{frame}");
        // It goes on.
        pty.keys("1");
        pty.wait_for_text("updated ");
        pty.keys("<C-c>");
        let exit = pty.exit();
        exit.assert_clean(0);
        report(&exit);
    }
}

#[test]
fn a_panic_of_the_drawing_thread_prints_no_key() {
    let market = market();
    for how in ["reply", "number", "cut"] {
        let pty = started(&market.url(), &format!("drawing {how}"));
        let exit = pty.exit();
        exit.assert_clean(101);
        let log = report(&exit);
        assert!(
            log.contains("internal error at tests/it/terminal/panicking.rs"),
            "{log}"
        );
        assert!(log.contains("stand_in"), "control: the backtrace is there");
    }
}
