//! A terminal in memory and a person in front of it, for the real event loop.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bourse::api::session::Session;
use bourse::api::{Client, ClientConfig, Origin, Pacer, Secret};
use bourse::core::Profile;
use bourse::domain::Dialect;
use bourse::runtime::clipboard::ClipboardError;
use bourse::runtime::dashboard::{Dashboard, Surface, TerminalEvent};
use bourse::tui::theme::Theme;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

/// After this long a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Memory {
    terminal: Terminal<TestBackend>,
    keys: UnboundedReceiver<Event>,
    screen: watch::Sender<String>,
}

impl Surface for Memory {
    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        let frame = self.terminal.draw(|frame| render(frame)).unwrap();
        let area = frame.buffer.area;
        let text: Vec<String> = (0..area.height)
            .map(|y| (0..area.width).map(|x| frame.buffer[(x, y)].symbol()).collect())
            .collect();
        self.screen.send_replace(text.join("\n"));
        Ok(())
    }

    fn repaint(&mut self) {}

    async fn next(&mut self) -> TerminalEvent {
        match self.keys.recv().await {
            Some(event) => TerminalEvent::Input(vec![event]),
            None => TerminalEvent::Leave(129),
        }
    }

    async fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn resume(&mut self) -> io::Result<()> {
        Ok(())
    }

    async fn copy(&mut self, _: &str) -> Result<String, ClipboardError> {
        Ok("in memory".to_owned())
    }

    fn size(&self) -> (u16, u16) {
        let size = self.terminal.size().unwrap();
        (size.width, size.height)
    }
}

/// Runs a dashboard on a thread of its own, as the real one has the main thread; gives its exit
/// status.
pub fn on_a_thread(dashboard: Dashboard<Memory>) -> std::thread::JoinHandle<i32> {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(dashboard.run()).unwrap()
    })
}

/// A person at the keyboard.
pub struct Person {
    pub keys: UnboundedSender<Event>,
    screen: watch::Receiver<String>,
}

impl Person {
    pub fn press(&self, code: KeyCode) {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        let _ = self.keys.send(Event::Key(key)); // after its end nobody reads
    }

    pub fn types(&self, text: &str) {
        text.chars().for_each(|character| self.press(KeyCode::Char(character)));
    }

    /// Erases the line that is edited.
    pub fn erase(&self) {
        let key = KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL);
        self.keys.send(Event::Key(key)).unwrap();
    }

    pub fn screen(&self) -> String {
        self.screen.borrow().clone()
    }

    pub async fn sees(&self, text: &str) {
        let mut screen = self.screen.clone();
        let seen = screen.wait_for(|screen| screen.contains(text));
        let seen = tokio::time::timeout(PATIENCE, seen).await.is_ok();
        assert!(seen, "{text:?} never came:\n{}", self.screen());
    }
}

impl Memory {
    /// A terminal of so many columns and rows, and the person in front of it.
    pub fn new(columns: u16, rows: u16) -> (Self, Person) {
        let (keys, inbox) = unbounded_channel();
        let (shown, screen) = watch::channel(String::new());
        let memory = Self {
            terminal: Terminal::new(TestBackend::new(columns, rows)).unwrap(),
            keys: inbox,
            screen: shown,
        };
        (memory, Person { keys, screen })
    }
}

/// A client with a key, for a server that has the routing endpoint too.
pub fn client(url: &str, key: &str) -> Client {
    let origin = Origin::parse(url).unwrap();
    Client::new(ClientConfig {
        sends_route_key: true,
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::DOCUMENTED,
        key: Some(Secret::new(key)),
    })
    .unwrap()
}

/// A dashboard of 120x40 on a server.
pub fn dashboard(url: &str, key: &str, read_only: bool) -> (Person, std::thread::JoinHandle<i32>) {
    let profile = Profile {
        name: "test".to_owned(),
        is_sandbox: false,
        read_only,
        dialect: &Dialect::DOCUMENTED,
        base_url: url.to_owned(),
        route_url: url.to_owned(),
        has_key: true,
        worker_root: Default::default(),
    };
    let (surface, person) = Memory::new(120, 40);
    let session = Arc::new(Session::new(client(url, key), Pacer::default()));
    let running = Dashboard::new(
        bourse::features::dashboard(profile, None),
        surface,
        session,
        Theme::MONO,
    );
    (person, on_a_thread(running))
}

/// Waits for what is not on the screen.
pub async fn until(condition: impl Fn() -> bool) {
    for _ in 0..600 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it never came");
}
