//! The real event loop with a terminal in memory against the real sandbox.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bourse::api::session::Session;
use bourse::api::{Client, ClientConfig, Origin, Pacer, Secret};
use bourse::app::{Model, Profile};
use bourse::domain::Dialect;
use bourse::runtime::dashboard::{Dashboard, Outside, Surface};
use bourse::sandbox::{Running, Sandbox, SandboxConfig};
use bourse::ui::theme::Theme;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

type Screen = Arc<Mutex<String>>;

struct Memory {
    terminal: Terminal<TestBackend>,
    keys: UnboundedReceiver<Event>,
    screen: Screen,
}

impl Surface for Memory {
    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        let frame = self.terminal.draw(|frame| render(frame)).unwrap();
        let area = frame.buffer.area;
        let text: Vec<String> = (0..area.height)
            .map(|y| {
                (0..area.width)
                    .map(|x| frame.buffer[(x, y)].symbol())
                    .collect()
            })
            .collect();
        *self.screen.lock().unwrap() = text.join("\n");
        Ok(())
    }

    fn repaint(&mut self) {}

    async fn next(&mut self) -> Outside {
        match self.keys.recv().await {
            Some(event) => Outside::Input(vec![event]),
            None => Outside::Leave(129),
        }
    }

    async fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn resume(&mut self) -> io::Result<()> {
        Ok(())
    }

    async fn copy(&mut self, _: &str) -> Result<String, String> {
        Ok("in memory".to_owned())
    }

    fn size(&self) -> (u16, u16) {
        (120, 40)
    }
}

/// A person at the keyboard.
struct Person {
    keys: UnboundedSender<Event>,
    screen: Screen,
}

impl Person {
    fn press(&self, code: KeyCode) {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        self.keys.send(Event::Key(key)).unwrap();
    }

    fn types(&self, text: &str) {
        text.chars()
            .for_each(|character| self.press(KeyCode::Char(character)));
    }

    async fn sees(&self, text: &str) {
        for _ in 0..600 {
            if self.screen.lock().unwrap().contains(text) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{text:?} never came:\n{}", self.screen.lock().unwrap());
    }
}

async fn dashboard() -> (Person, tokio::task::JoinHandle<i32>, Running) {
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
    let (keys, inbox) = unbounded_channel();
    let screen = Screen::default();
    let surface = Memory {
        terminal: Terminal::new(TestBackend::new(120, 40)).unwrap(),
        keys: inbox,
        screen: Arc::clone(&screen),
    };
    let session = Session::new(client, Pacer::default());
    let running = Dashboard::new(
        Model::new(profile, None),
        surface,
        Arc::new(session),
        Theme::MONO,
    );
    let handle = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(running.run()).unwrap()
    });
    let handle = tokio::task::spawn_blocking(move || handle.join().unwrap());
    (Person { keys, screen }, handle, sandbox)
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_volumes_and_workergroups_come_over_http() {
    let (person, ended, sandbox) = dashboard().await;
    person.sees("500 rows loaded, more exist").await;
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
    person.sees("500 rows loaded, more exist").await;
    sandbox.stop().await;
    person.press(KeyCode::Char('r'));
    person.sees("The rows below are older").await;
    person.sees("500 rows loaded").await;
    person.press(KeyCode::Char('q'));
    assert_eq!(ended.await.unwrap(), 0);
}
