//! The event loop: input first, then signals and responses, then the model's deadline.
//!
//! There is no frame rate. Pending messages are handled together and cost one frame; at
//! most one frame in 16 ms is drawn on average; with nothing to do the process sleeps.

mod configuration;
mod effects;

use crate::core::message::{EffectError, News};
use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::alarm::Rings;
pub use super::calls::{Boxed, Calls, Notify};
use super::clock::Clock;
use super::config_watch::ConfigWatch;
use super::disk_writer::{DiskWriter, Job};
use super::frame_pace::FramePace;
use super::history::HistoryThread;
use super::markets::PendingConnections;
use super::messages::{terminal_message, with_paste};
use super::start::Files;
pub use super::surface::{Surface, TerminalEvent};
use crate::core::frame_layout::FrameLayout;
use crate::core::{Message, Model, Now, update};
use crate::domain::document::{AnyEdit, Edit};
use crate::features::markets::MarketEvent;
use crate::features::markets::command::ProfileResolver;
use crate::sandbox::Running;
use crate::settings::by_name;
use crate::table::browser::Browser;
use crate::table::remote::Ticket;
use crate::tui::theme::Theme;

/// Maximum number of messages handled per frame.
///
/// A fast route run could otherwise fill the queue as quickly as it drains, and no frame be drawn.
const BATCH: usize = 512;

/// Maximum wait of the first frame for the recorded rows.
///
/// Opening the record and reading a search from it take some milliseconds.
const FIRST_FRAME: Duration = Duration::from_millis(30);

/// The event loop and its resources.
pub struct Dashboard<S> {
    model: Model,
    surface: S,
    calls: Arc<dyn Calls>,
    theme: Theme,
    /// The themes for a dark and a light background, if the terminal decides.
    themes: Option<[Theme; 2]>,
    /// Whether the terminal's background is light, if known.
    is_light: Option<bool>,
    rings: Rings,
    title: String,
    config: Option<ConfigWatch>,
    clock: Clock,
    outbox: UnboundedSender<Message>,
    inbox: UnboundedReceiver<Message>,
    flights: HashMap<Ticket, AbortHandle>,
    files: Files,
    disk_writer: Option<DiskWriter>,
    history_thread: Option<HistoryThread>,
    known: Option<Arc<ProfileResolver>>,
    pending: PendingConnections,
}

impl<S: Surface> Dashboard<S> {
    /// A dashboard that has not started, with a fixed theme, and without files of its own or other markets.
    pub fn new(model: Model, surface: S, calls: Arc<impl Calls>, theme: Theme) -> Self {
        let (outbox, inbox) = unbounded_channel();
        Self {
            model,
            surface,
            calls,
            theme,
            themes: None,
            is_light: None,
            rings: Rings::default(),
            title: String::new(),
            config: None,
            clock: Clock::start(),
            outbox,
            inbox,
            flights: HashMap::new(),
            files: Files::default(),
            disk_writer: None,
            history_thread: None,
            known: None,
            pending: PendingConnections::default(),
        }
    }

    /// Sets the themes for a dark and a light background, of which the terminal's report selects one; `None`
    /// for a fixed theme.
    #[must_use]
    pub const fn with_background_themes(mut self, themes: Option<[Theme; 2]>) -> Self {
        self.themes = themes;
        self
    }

    /// Adds the files that the dashboard reads and writes for its market, and the configuration with the
    /// markets to switch to.
    #[must_use]
    pub fn with_markets(mut self, known: ProfileResolver, files: Files) -> Self {
        self.known = Some(Arc::new(known));
        self.files = files;
        self
    }

    /// Runs until the user or a signal ends it, or the terminal fails; then queues state that is not saved
    /// yet for the disk, and saves the learned intervals between requests. Returns the exit status.
    ///
    /// # Errors
    /// When the terminal cannot be drawn on.
    pub async fn run(mut self) -> io::Result<i32> {
        let ended = self.run_loop().await;
        // Also after a signal, when the core could not ask for it.
        if let Some(snapshot) = self.model.take_unsaved() {
            let edit = AnyEdit::new(Edit::Replace(snapshot));
            self.keep(Job::Save { ticket: None, edit });
        }
        self.keep_pacing();
        ended
    }

    /// Saves the intervals between requests that were learned from refusals, before the market is left;
    /// nothing without a file for them, and a failure is ignored.
    fn keep_pacing(&self) {
        if let Some(file) = &self.files.pacing {
            // A failure is harmless: they only save a refusal at the next start.
            let _ = file.save(by_name(self.calls.learned()), self.clock.now().epoch);
        }
    }

    /// Runs the event loop until the user or a signal ends it; returns the exit status.
    async fn run_loop(&mut self) -> io::Result<i32> {
        if let Some(status) = self.handle(vec![Message::Started]).await? {
            return Ok(status);
        }
        // The first requests are on their way, and the terminal has had time to reply.
        // Before the first frame, or a light terminal would flash dark.
        if let Some(is_light) = self.surface.background().await {
            self.follow_background(is_light);
        }
        self.model.screen.size = self.surface.size();
        if let Some(status) = self.await_recorded_rows().await? {
            return Ok(status);
        }
        let mut pace = FramePace::new(Instant::now());
        pace.drawn(Instant::now());
        self.draw()?;
        self.config = self.known.clone().and_then(ConfigWatch::start);
        let mut dirty = false;
        let mut before = self.clock.now();
        loop {
            let wake = self.wake_time(dirty.then_some(pace.due()));
            let first = tokio::select! {
                biased;
                // A flood of responses must never keep the keyboard waiting.
                outside = self.surface.next() => match self.on_terminal_event(outside).await? {
                    ControlFlow::Continue(messages) => messages,
                    ControlFlow::Break(status) => return Ok(status),
                },
                Some(message) = self.inbox.recv() => vec![message],
                reloaded = ConfigWatch::next(self.config.as_mut()) => vec![self.reconfigured(reloaded)],
                () = tokio::time::sleep_until(wake) => vec![Message::Deadline],
            };
            let mut messages = self.with_waiting(first);
            if self.was_suspended(&mut before) {
                let spread = fastrand::f64();
                // Before the messages received meanwhile, which may include a response from before the suspend.
                messages.insert(0, Message::Woken { spread });
            }
            // A stream of responses must not delay the deadlines.
            if self.is_due() {
                messages.push(Message::Deadline);
            }
            if let Some(status) = self.handle(messages).await? {
                return Ok(status);
            }
            dirty = true;
            let now = Instant::now();
            if now >= pace.due() {
                self.draw()?;
                pace.drawn(now);
                dirty = false;
            }
        }
    }

    /// Handles messages until the shown table no longer awaits its recorded rows, for at most 30 ms, so that
    /// the first frame shows them; returns the exit status if the program ends.
    async fn await_recorded_rows(&mut self) -> io::Result<Option<i32>> {
        let latest = Instant::now() + FIRST_FRAME;
        while self.model.browser().is_some_and(Browser::awaits_recorded)
            && let Ok(Some(message)) = tokio::time::timeout_at(latest, self.inbox.recv()).await
        {
            if let Some(status) = self.handle(vec![message]).await? {
                return Ok(Some(status));
            }
        }
        Ok(None)
    }

    /// Handles a terminal event: breaks with the exit status if it ends the program, else continues with the
    /// messages for the core. Follows a reported background, and suspends or resumes, without a message.
    async fn on_terminal_event(&mut self, event: TerminalEvent) -> io::Result<ControlFlow<i32, Vec<Message>>> {
        Ok(ControlFlow::Continue(match event {
            TerminalEvent::Input(events) => events.into_iter().map(terminal_message).collect(),
            TerminalEvent::Pasted(events) => events.into_iter().map(with_paste).collect(),
            TerminalEvent::Leave(status) => return Ok(ControlFlow::Break(status)),
            TerminalEvent::Background(is_light) => {
                self.follow_background(is_light);
                Vec::new()
            }
            TerminalEvent::Stop => {
                self.surface.suspend().await?;
                Vec::new()
            }
            TerminalEvent::Continued => {
                self.surface.resume()?;
                Vec::new()
            }
            TerminalEvent::TaskLost(why) => vec![Message::Report(Err(EffectError::new(why)))],
        }))
    }

    /// Records the terminal's background, and draws with the theme for it from now on, unless the theme is
    /// fixed.
    fn follow_background(&mut self, is_light: bool) {
        self.is_light = Some(is_light);
        if let Some(themes) = self.themes {
            self.theme = themes[usize::from(is_light)];
        }
    }

    /// The next time to wake up: the earlier of that of a pending `frame` and the model's deadline; in an
    /// hour if there is neither.
    fn wake_time(&self, frame: Option<Instant>) -> Instant {
        let asked = self
            .model
            .deadline(self.clock.now())
            .map(|deadline| self.clock.instant(deadline));
        [frame, asked]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or_else(|| Instant::now() + Duration::from_hours(1))
    }

    /// Whether the computer was suspended since `before`, which is set to the current time. Open connections
    /// are then no longer reused, as their other end may be gone.
    fn was_suspended(&self, before: &mut Now) -> bool {
        let now = self.clock.now();
        let was_suspended = now.was_suspended_since(std::mem::replace(before, now));
        if was_suspended {
            // The other end of open connections may be gone.
            self.calls.drop_connections();
        }
        was_suspended
    }

    /// Whether the model's deadline has passed.
    fn is_due(&self) -> bool {
        let now = self.clock.now();
        let deadline = self.model.deadline(now);
        deadline.is_some_and(|deadline| deadline <= now.mono)
    }

    /// The messages, followed by those that wait in the inbox, taken from it while there are fewer than 512.
    fn with_waiting(&mut self, mut messages: Vec<Message>) -> Vec<Message> {
        while messages.len() < BATCH
            && let Ok(message) = self.inbox.try_recv()
        {
            messages.push(message);
        }
        messages
    }

    /// Draws a frame, stores its measurements in the model, and sets the window's title if it has changed.
    fn draw(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        let (model, theme) = (&self.model, &self.theme);
        let mut layout = FrameLayout::default();
        self.surface
            .draw(&mut |frame| layout = crate::frame::draw(frame, model, now, theme))?;
        self.model.layout = layout;
        let title = crate::core::title(&self.model);
        if title != self.title {
            self.surface.title(&title);
            self.title = title;
        }
        Ok(())
    }

    /// Passes messages to the core and carries out the effects; returns the exit status if the
    /// program ends.
    async fn handle(&mut self, messages: Vec<Message>) -> io::Result<Option<i32>> {
        for message in messages {
            if let Message::News {
                ticket,
                news: News::Reply(_) | News::Routed(_),
            } = &message
            {
                self.flights.remove(ticket);
                let unsaved = self.files.sandbox.as_ref().and_then(Running::take_unsaved);
                unsaved.map(|why| self.outbox.send(Message::NotSaved(why)));
            }
            let ready = ready_market(&message);
            for effect in update(&mut self.model, self.clock.now(), message) {
                if let ControlFlow::Break(status) = self.carry_out(effect).await? {
                    return Ok(Some(status));
                }
            }
            // A market that was not activated is no longer wanted.
            ready.map(|ticket| self.pending.take(ticket));
        }
        Ok(None)
    }
}

/// The ticket of the connection that a message reports as ready; `None` for other messages.
fn ready_market(message: &Message) -> Option<Ticket> {
    if let Message::News {
        news: News::Market(event),
        ..
    } = message
        && let MarketEvent::Ready(ready) = &**event
    {
        return Some(ready.ticket);
    }
    None
}
