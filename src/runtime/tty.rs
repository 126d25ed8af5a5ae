//! The terminal as the event loop sees it.

use std::io;

use ratatui::Frame;

use super::background;
use super::clipboard;
use super::dashboard::{Outside, Surface};
use super::input::{Incoming, Input};
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
    /// Takes the terminal; to be called inside the runtime, on the thread that draws. It is asked for its
    /// background's colour if that is wanted.
    ///
    /// # Errors
    /// When there is no terminal or it cannot be set up.
    pub fn open(asks_background: bool) -> io::Result<Self> {
        let signals = Signals::listen(Some(std::time::Duration::from_secs(2)))?;
        let mut screen = Screen::enter(true)?;
        let input = if asks_background {
            let input = Input::start_asking()?;
            // A terminal that cannot be written to will say so with the first frame.
            let _ = screen.ask(background::QUESTION);
            input
        } else {
            Input::start()?
        };
        Ok(Self {
            screen,
            input: Some(input),
            signals,
            watchdog: Watchdog::start(),
        })
    }

    /// Waits a moment for the terminal to say whether its background is light. An answer that comes
    /// later is [`Outside::Background`].
    pub async fn background(&mut self) -> Option<bool> {
        let answer = self.input.as_mut()?.background();
        tokio::time::timeout(background::PATIENCE, answer)
            .await
            .ok()
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
                Some(input) => input.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            batch = input => match batch {
                Some(Incoming::Events(events)) => Outside::Input(events),
                Some(Incoming::Background(is_light)) => Outside::Background(is_light),
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
