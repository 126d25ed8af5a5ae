//! The event loop with nothing to do, on a clock that is advanced by hand.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bourse::api::{ApiError, Reply, Request};
use bourse::domain::time::UnixTime;
use bourse::domain::{Dialect, Listing, OFFERS};
use bourse::runtime::clipboard::ClipboardError;
use bourse::runtime::dashboard::{Boxed, Calls, Dashboard, Notify, Surface, TerminalEvent};
use bourse::tui::theme::Theme;
use crossterm::event::Event;
use ratatui::backend::TestBackend;
use ratatui::{Frame, Terminal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// A market with one offer.
struct Market;

impl Calls for Market {
    fn call(&self, request: Request, _: Notify) -> Boxed<Result<Reply, ApiError>> {
        Box::pin(async move {
            match request {
                Request::Search(_) => {
                    let offers = r#"{"offers": [{"id": 101, "dph_total": 0.41}]}"#;
                    let listing = Listing::read(&OFFERS, offers, UnixTime::new(0.0)).unwrap();
                    Ok(Reply::Records(Box::new(listing)))
                }
                _ => std::future::pending().await,
            }
        })
    }
}

/// Counts frames: the loop draws one whenever it has woken.
struct Counter {
    terminal: Terminal<TestBackend>,
    events: UnboundedReceiver<Event>,
    frames: Arc<AtomicUsize>,
}

impl Surface for Counter {
    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(|frame| render(frame)).unwrap();
        self.frames.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn repaint(&mut self) {}

    async fn next(&mut self) -> TerminalEvent {
        let event = self.events.recv().await;
        event.map_or(TerminalEvent::Leave(129), |event| TerminalEvent::Input(vec![event]))
    }

    async fn suspend(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn resume(&mut self) -> io::Result<()> {
        Ok(())
    }

    async fn copy(&mut self, text: &str) -> Result<String, ClipboardError> {
        Err(ClipboardError { bytes: text.len() })
    }

    fn size(&self) -> (u16, u16) {
        (120, 40)
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_wakes_a_dashboard_without_the_focus() {
    let (person, events) = unbounded_channel();
    let frames = Arc::new(AtomicUsize::new(0));
    let surface = Counter {
        terminal: Terminal::new(TestBackend::new(120, 40)).unwrap(),
        events,
        frames: Arc::clone(&frames),
    };
    let profile = crate::test_app::profile(&Dialect::DOCUMENTED);
    let model = bourse::features::dashboard(profile, None);
    let running = Dashboard::new(model, surface, Arc::new(Market), Theme::MONO).run();
    let minutes = |many: u64| tokio::time::sleep(Duration::from_secs(many * 60));
    let watched = async {
        minutes(2).await;
        let before = frames.load(Ordering::Relaxed);
        minutes(2).await;
        let with_focus = frames.load(Ordering::Relaxed) - before;
        assert!(with_focus > 0, "the age moves");

        person.send(Event::FocusLost).unwrap();
        minutes(1).await;
        let before = frames.load(Ordering::Relaxed);
        minutes(50).await;
        assert_eq!(frames.load(Ordering::Relaxed), before);
    };
    tokio::select! {
        ended = running => panic!("{ended:?}"),
        () = watched => {}
    }
}
