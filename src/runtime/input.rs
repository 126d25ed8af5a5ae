//! Terminal input: keys, clicks, pastes and resizes.
//!
//! It is read on its own thread. crossterm reads with blocking calls: half an escape sequence, or a
//! terminal that is gone, would block the calling thread, which must not be the one that draws. Key
//! releases and mouse motion end on that thread, so they never wake the dashboard.

use std::io;
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyEventKind, MouseButton, MouseEventKind};
use futures_util::StreamExt;
use tokio::sync::{mpsc, oneshot};

use super::background_color::{self, BackgroundQuery, Filtered};

/// The maximum number of events per batch, so that a long paste of keys does not delay a frame.
const BATCH: usize = 256;
/// How long the start waits for the reader.
const READY: Duration = Duration::from_millis(100);

/// The terminal's input. Dropping it stops reading, and a new one can be started later: needed
/// around a suspension, or the shell and the program would share the keys.
#[derive(Debug)]
pub struct Input {
    inbox: mpsc::UnboundedReceiver<Event>,
    /// Receives the terminal's reply about its background, if it was asked.
    background: Option<oneshot::Receiver<bool>>,
    /// Dropping it stops the reader.
    _stop: oneshot::Sender<()>,
}

#[derive(Debug)]
pub enum Incoming {
    /// Keys, clicks, pastes and resizes.
    Events(Vec<Event>),
    /// The reply about the background: whether it is light.
    Background(bool),
}

impl Input {
    /// Starts reading. Do this before the first frame: then no resize in between is missed.
    ///
    /// # Errors
    ///
    /// When the thread cannot start.
    pub fn start() -> io::Result<Self> {
        Self::listening(None)
    }

    /// Starts reading and filters out the terminal's reply about its background; send the query
    /// afterwards.
    ///
    /// # Errors
    ///
    /// When the thread cannot start.
    pub fn start_asking() -> io::Result<Self> {
        let (told, background) = oneshot::channel();
        let mut input = Self::listening(Some(told))?;
        input.background = Some(background);
        Ok(input)
    }

    fn listening(told: Option<oneshot::Sender<bool>>) -> io::Result<Self> {
        let (outbox, inbox) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = std::sync::mpsc::channel();
        // A runtime of its own without sockets: the stream only needs a waker.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    let stream = EventStream::new();
                    let _ = ready.send(());
                    read(stream, &outbox, told, stopped).await;
                });
            })?;
        // No longer: the previous reader may still hold the terminal, in half an escape sequence.
        let _ = is_ready.recv_timeout(READY);
        Ok(Self {
            inbox,
            background: None,
            _stop: stop,
        })
    }

    /// Waits for input; `None` when the terminal can no longer be read. Cancel-safe.
    pub async fn next(&mut self) -> Option<Incoming> {
        let mut events = Vec::new();
        tokio::select! {
            biased;
            is_light = answer(&mut self.background) => Some(Incoming::Background(is_light)),
            count = self.inbox.recv_many(&mut events, BATCH) => {
                (count > 0).then_some(Incoming::Events(events))
            }
        }
    }

    /// Waits for the reply about the background; forever if it was not asked or never replies.
    pub async fn background(&mut self) -> bool {
        answer(&mut self.background).await
    }

    /// Waits for events and returns all that are pending, at most a few hundred; `None` when the
    /// terminal can no longer be read. Cancel-safe.
    pub async fn next_batch(&mut self) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        let count = self.inbox.recv_many(&mut events, BATCH).await;
        (count > 0).then_some(events)
    }
}

/// Waits for the reply; forever if there will be none.
async fn answer(background: &mut Option<oneshot::Receiver<bool>>) -> bool {
    if let Some(receiver) = background {
        let answer = receiver.await;
        *background = None;
        if let Ok(is_light) = answer {
            return is_light;
        }
    }
    std::future::pending().await
}

/// Passes events on until told to stop, or until the receiver is gone.
async fn read(
    mut stream: EventStream,
    outbox: &mpsc::UnboundedSender<Event>,
    mut told: Option<oneshot::Sender<bool>>,
    mut stop: oneshot::Receiver<()>,
) {
    let mut query = match told {
        Some(_) => BackgroundQuery::default(),
        None => BackgroundQuery::closed(),
    };
    let late = tokio::time::sleep(background_color::EARLY);
    tokio::pin!(late);
    loop {
        let holds = query.holds();
        let is_early = query.is_early();
        let next = tokio::select! {
            biased;
            _ = &mut stop => return,
            next = stream.next() => next,
            () = tokio::time::sleep(background_color::HOLD), if holds => {
                if send(outbox, query.release()).is_err() {
                    return;
                }
                continue;
            }
            () = &mut late, if is_early => {
                query.settle();
                continue;
            }
        };
        let keys = match next {
            Some(Ok(event)) if !is_wanted(&event) => continue,
            Some(Ok(event)) => match query.filter(event) {
                Filtered::Events(keys) => keys,
                Filtered::Held => continue,
                Filtered::Answer(is_light) => {
                    if let Some(told) = told.take() {
                        // The receiver may be gone.
                        let _ = told.send(is_light);
                    }
                    continue;
                }
            },
            // Dropping the channel reports it.
            Some(Err(_)) | None => return,
        };
        if send(outbox, keys).is_err() {
            return;
        }
    }
}

fn send(outbox: &mpsc::UnboundedSender<Event>, events: Vec<Event>) -> Result<(), ()> {
    let mut events = events.into_iter();
    events.try_for_each(|event| outbox.send(event).map_err(|_| ()))
}

/// Whether the dashboard handles the event: key presses, clicks, drags, the wheel, pastes, resizes.
fn is_wanted(event: &Event) -> bool {
    match event {
        Event::Key(key) => key.kind != KeyEventKind::Release,
        Event::Mouse(mouse) => matches!(
            mouse.kind,
            MouseEventKind::Down(_)
                | MouseEventKind::Drag(MouseButton::Left)
                | MouseEventKind::Up(MouseButton::Left)
                | MouseEventKind::ScrollUp
                | MouseEventKind::ScrollDown
                | MouseEventKind::ScrollLeft
                | MouseEventKind::ScrollRight
        ),
        Event::Paste(_) | Event::Resize(..) | Event::FocusGained | Event::FocusLost => true,
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};

    use super::*;

    fn key(kind: KeyEventKind) -> Event {
        Event::Key(KeyEvent::new_with_kind(
            KeyCode::Char('j'),
            KeyModifiers::NONE,
            kind,
        ))
    }

    fn mouse(kind: MouseEventKind) -> Event {
        Event::Mouse(MouseEvent {
            kind,
            column: 1,
            row: 1,
            modifiers: KeyModifiers::NONE,
        })
    }

    #[test]
    fn releases_and_motion_are_not_wanted() {
        let left = MouseButton::Left;
        let unwanted = [
            key(KeyEventKind::Release),
            mouse(MouseEventKind::Moved),
            mouse(MouseEventKind::Drag(MouseButton::Right)),
        ];
        for event in unwanted {
            assert!(!is_wanted(&event), "{event:?}");
        }
        let wanted = [
            key(KeyEventKind::Press),
            key(KeyEventKind::Repeat),
            mouse(MouseEventKind::Down(left)),
            mouse(MouseEventKind::Drag(left)),
            mouse(MouseEventKind::Up(left)),
            mouse(MouseEventKind::ScrollUp),
            mouse(MouseEventKind::ScrollDown),
            Event::Paste("h100".to_owned()),
            Event::Resize(80, 24),
            Event::FocusGained,
            Event::FocusLost,
        ];
        for event in wanted {
            assert!(is_wanted(&event), "{event:?}");
        }
    }
}
