//! The terminal as the event loop sees it.

use std::io;

use ratatui::Frame;

use super::clipboard;
use super::dashboard::{Outside, Surface};
use super::input::Input;
use super::panics;
use super::signals::{Signal, Signals};
use super::terminal::{HANG_UP_STATUS, Screen};
use super::watchdog::Watchdog;

/// Screen, keys and signals of a real terminal.
#[derive(Debug)]
pub struct Tty {
    screen: Screen,
    input: Option<Input>,
    signals: Signals,
    watchdog: Watchdog,
}

impl Tty {
    /// Takes the terminal; to be called inside the runtime, on the thread that draws.
    ///
    /// # Errors
    /// When there is no terminal or it cannot be set up.
    pub fn open() -> io::Result<Self> {
        let signals = Signals::listen(Some(std::time::Duration::from_secs(2)))?;
        let screen = Screen::enter(true)?;
        Ok(Self {
            screen,
            input: Some(Input::start()?),
            signals,
            watchdog: Watchdog::start(),
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

    async fn next(&mut self) -> Outside {
        let input = async {
            match self.input.as_mut() {
                Some(input) => input.next_batch().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            batch = input => match batch {
                Some(events) => Outside::Input(events),
                None => Outside::Leave(HANG_UP_STATUS),
            },
            signal = self.signals.next() => match (signal, signal.exit_status()) {
                (_, Some(status)) => Outside::Leave(status),
                (Signal::Continue, None) => Outside::Continued,
                (_, None) => Outside::Stop,
            },
            () = self.watchdog.hung_up() => Outside::Leave(HANG_UP_STATUS),
            reports = panics::background_panics() => Outside::TaskLost(
                reports.first().map(ToString::to_string).unwrap_or_default(),
            ),
        }
    }

    async fn suspend(&mut self) -> io::Result<()> {
        // Two readers would share the keys between them: ours goes while the shell has the terminal.
        self.input = None;
        self.screen.suspend().await?;
        self.input = Some(Input::start()?);
        Ok(())
    }

    fn resume(&mut self) -> io::Result<()> {
        self.screen.resume()
    }

    async fn copy(&mut self, text: &str) -> Result<String, String> {
        let copied = clipboard::copy(text)
            .await
            .map_err(|error| error.to_string())?;
        let _ = self.screen.copy(text);
        Ok(copied.to_string())
    }

    fn size(&self) -> (u16, u16) {
        self.screen.size().unwrap_or((80, 24))
    }
}
