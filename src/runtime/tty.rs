//! The terminal as the surface of the event loop.

use std::io;

use ratatui::Frame;

use super::clipboard::ClipboardError;
use super::dashboard::{Surface, TerminalEvent};
use super::editor::{self, Document, EditorError, Ended};
use super::input::Input;
use super::signals::{Signal, Signals, exit_status};
use super::terminal::{HANG_UP_STATUS, Screen};
use super::watchdog::Watchdog;
use super::{background_color, clipboard, notification, panics};

/// Screen, keys and signals of a real terminal.
#[derive(Debug)]
pub struct Tty {
    screen: Screen,
    input: Option<Input>,
    signals: Signals,
    watchdog: Watchdog,
    /// An event that arrived while another program had the terminal.
    pending: Option<TerminalEvent>,
}

impl Tty {
    /// Takes the terminal, with a query for its background's color if `asks_background`, and with mouse
    /// reports if `mouse`. Call it inside the runtime, on the thread that draws.
    ///
    /// # Errors
    ///
    /// When there is no terminal or it cannot be set up.
    pub fn open(asks_background: bool, mouse: bool) -> io::Result<Self> {
        let signals = Signals::listen(Some(std::time::Duration::from_secs(2)))?;
        let (input, question) = if asks_background {
            (Input::start_asking()?, background_color::QUESTION)
        } else {
            (Input::start()?, "")
        };
        Ok(Self {
            screen: Screen::enter(mouse, question)?,
            input: Some(input),
            signals,
            watchdog: Watchdog::start(),
            pending: None,
        })
    }
}

impl Surface for Tty {
    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()> {
        self.screen.draw(|frame| render(frame))
    }

    fn repaint(&mut self) {
        self.screen.repaint();
    }

    async fn background(&mut self) -> Option<bool> {
        let answer = self.input.as_mut()?.background()?;
        let patience = background_color::PATIENCE;
        tokio::time::timeout(patience, answer).await.ok()
    }

    async fn next(&mut self) -> TerminalEvent {
        if let Some(outside) = self.pending.take() {
            return outside;
        }
        let input = async {
            match self.input.as_mut() {
                Some(input) => input.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            event = input => event.unwrap_or(TerminalEvent::Leave(HANG_UP_STATUS)),
            signal = self.signals.next() => match exit_status(signal) {
                Some(status) => TerminalEvent::Leave(status),
                None if signal == Signal::CONT => TerminalEvent::Continued,
                None => TerminalEvent::Stop,
            },
            () = self.watchdog.hung_up() => TerminalEvent::Leave(HANG_UP_STATUS),
            reports = panics::background_panics() => {
                TerminalEvent::TaskLost(reports.into_iter().next().unwrap_or_default())
            }
        }
    }

    async fn suspend(&mut self) -> io::Result<()> {
        // Two readers would share the keys between them, so ours stops while the shell has the
        // terminal.
        self.input = None;
        self.screen.suspend().await?;
        self.input = Some(Input::start()?);
        Ok(())
    }

    fn resume(&mut self) -> io::Result<()> {
        self.screen.resume()
    }

    async fn copy(&mut self, text: &str) -> Result<String, ClipboardError> {
        let copied = clipboard::copy(text).await?;
        let _ = self.screen.copy(text);
        Ok(copied)
    }

    fn title(&mut self, text: &str) {
        let sequence = format!("\x1b]2;{}\x1b\\", notification::clean(text));
        // A terminal that cannot be written to fails at the next frame.
        let _ = self.screen.ask(sequence.as_bytes());
    }

    fn bell(&mut self) {
        let _ = self.screen.ask(b"\x07");
    }

    fn notify(&mut self, title: &str, body: &str) {
        let sequence = notification::sequence(title, body, |name| std::env::var_os(name));
        let _ = self.screen.ask(&sequence);
    }

    fn mouse(&mut self, is_on: bool) {
        let _ = self.screen.set_mouse(is_on);
    }

    async fn edit(&mut self, document: Document) -> io::Result<Result<String, EditorError>> {
        let session = match editor::Session::new(document) {
            Ok(session) => session,
            Err(error) => return Ok(Err(error)),
        };
        self.input = None;
        // A terminal that cannot be restored is no reason to refuse.
        let _ = self.screen.leave();
        let ended = session.run(&mut self.signals).await;
        self.screen.resume()?;
        self.input = Some(Input::start()?);
        Ok(match ended {
            Ended::Edited(result) => result,
            Ended::Leave(status) => {
                self.pending = Some(TerminalEvent::Leave(status));
                Err(EditorError::Ended)
            }
        })
    }

    fn size(&self) -> (u16, u16) {
        self.screen.size().unwrap_or((80, 24))
    }
}
