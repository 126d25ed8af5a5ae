//! Terminal input: keys, clicks, pastes and resizes.
//!
//! It is read on its own thread. crossterm reads with blocking calls: half an escape sequence, or a
//! terminal that is gone, would block the calling thread, which must not be the one that draws. Key
//! releases and mouse motion end on that thread, so they never wake the dashboard.
//!
//! The clipboard may hold the sequence that ends a paste, and not every terminal removes it.
//! crossterm ends the paste there, and the rest of the text arrives as keys. So a paste is passed
//! on only when the input is quiet again, together with all input in between, none of which may
//! answer a question.

use std::collections::VecDeque;
use std::sync::mpsc as mpsc_sync;
use std::time::Duration;
use std::{io, thread};

use crossterm::event::{Event, EventStream, KeyEventKind, MouseButton, MouseEventKind};
use futures_util::StreamExt;
use tokio::sync::{mpsc, oneshot};

use super::background_color::{self, BackgroundQuery, Filtered};
use super::surface::TerminalEvent;

/// Maximum number of events per batch, so that a long paste of keys does not delay a frame.
const BATCH: usize = 256;
/// Silence of the terminal after which a paste counts as finished.
///
/// Nobody types that soon after pasting: users check the result first.
const QUIET: Duration = Duration::from_millis(50);
/// Maximum number of events held back after a paste; further ones are passed on at once, still as
/// part of it.
///
/// A terminal that never falls silent must not hold input back forever.
const MOST_HELD: usize = 4096;
/// Maximum wait of the start for the reader.
///
/// The reader is ready within a few milliseconds; on a system under load the program should still
/// start.
const READY: Duration = Duration::from_millis(100);

/// The terminal's input.
///
/// Dropping it stops reading, and a new one can be started later. This is necessary around a
/// suspension: otherwise the shell and the program would share the keys.
#[derive(Debug)]
pub struct Input {
    inbox: mpsc::UnboundedReceiver<Read>,
    /// Input that was received but not passed on yet, as its kind differs from the input before it.
    next: VecDeque<Read>,
    /// Receives the terminal's reply about its background; `None` if no query is sent.
    background: Option<oneshot::Receiver<bool>>,
    /// The reader's stop signal, sent when dropped.
    _stop: oneshot::Sender<()>,
}

/// An event, and whether it arrived with a paste.
#[derive(Debug)]
struct Read {
    event: Event,
    is_pasted: bool,
}

impl Input {
    /// Starts reading, and waits up to 100 ms until the reader is ready. Call it before the first frame, so
    /// that no resize in between is missed.
    ///
    /// # Errors
    /// When the thread cannot start.
    pub fn start() -> io::Result<Self> {
        let (input, is_ready) = Self::listening(None)?;
        // No longer: the previous reader may still hold the terminal, in half an escape sequence.
        let _ = is_ready.recv_timeout(READY);
        Ok(input)
    }

    /// Starts reading, and filters out the terminal's reply about its background.
    ///
    /// Send the query afterwards, and draw once the reply is there, which shows that the reader is
    /// ready.
    ///
    /// # Errors
    ///
    /// When the thread cannot start.
    pub fn start_asking() -> io::Result<Self> {
        let (background_found, background) = oneshot::channel();
        let (mut input, _) = Self::listening(Some(background_found))?;
        input.background = Some(background);
        Ok(input)
    }

    /// Starts the reader; the returned receiver reports when it is ready. `background_found` gets the
    /// terminal's reply about its background.
    fn listening(background_found: Option<oneshot::Sender<bool>>) -> io::Result<(Self, mpsc_sync::Receiver<()>)> {
        let (outbox, inbox) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = mpsc_sync::channel();
        // A runtime of its own without sockets: the stream only needs a waker.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        thread::Builder::new().name("input".to_owned()).spawn(move || {
            runtime.block_on(async {
                let stream = EventStream::new();
                let _ = ready.send(());
                read(stream, &outbox, background_found, stopped).await;
            });
        })?;
        let input = Self {
            inbox,
            next: VecDeque::new(),
            background: None,
            _stop: stop,
        };
        Ok((input, is_ready))
    }

    /// Waits for input, and returns up to 256 events of one kind, typed or pasted, or the terminal's reply
    /// about its background; `None` when the terminal can no longer be read. Cancel-safe.
    pub async fn next(&mut self) -> Option<TerminalEvent> {
        if self.next.is_empty() {
            let mut read = Vec::new();
            tokio::select! {
                biased;
                is_light = background_answer(&mut self.background) => {
                    return Some(TerminalEvent::Background(is_light));
                }
                _ = self.inbox.recv_many(&mut read, BATCH) => self.next.extend(read),
            }
        }
        let is_pasted = self.next.front()?.is_pasted;
        let end = self.next.iter().position(|read| read.is_pasted != is_pasted);
        let many = end.unwrap_or(self.next.len());
        let events = self.next.drain(..many).map(|read| read.event).collect();
        Some(if is_pasted {
            TerminalEvent::Pasted(events)
        } else {
            TerminalEvent::Input(events)
        })
    }

    /// A future of the reply about the background, true if it is light, which waits forever if there is none;
    /// `None` if no query is sent.
    pub fn background(&mut self) -> Option<impl Future<Output = bool>> {
        let is_expected = self.background.is_some();
        is_expected.then(|| background_answer(&mut self.background))
    }
}

/// Waits for the reply about the background, true if it is light; forever if there will be none.
async fn background_answer(background: &mut Option<oneshot::Receiver<bool>>) -> bool {
    if let Some(receiver) = background {
        let answer = receiver.await;
        *background = None;
        if let Ok(is_light) = answer {
            return is_light;
        }
    }
    std::future::pending().await
}

/// Passes the input that the dashboard handles to `outbox` (no key releases, no mouse motion) until `stop`
/// resolves, the terminal is gone or the receiver is. A paste, with all input after it, waits for silence.
///
/// With `background_found`, the terminal's reply about its background is taken out of the input and sent
/// there: true if it is light; nothing is sent without a reply.
async fn read(
    mut stream: EventStream,
    outbox: &mpsc::UnboundedSender<Read>,
    mut background_found: Option<oneshot::Sender<bool>>,
    mut stop: oneshot::Receiver<()>,
) {
    let mut query = match background_found {
        Some(_) => BackgroundQuery::default(),
        None => BackgroundQuery::closed(),
    };
    let mut pasted = Pasted::default();
    let late = tokio::time::sleep(background_color::EARLY);
    tokio::pin!(late);
    loop {
        let (holds, is_pasting) = (query.holds(), pasted.is_open);
        let is_early = query.is_early();
        let next = tokio::select! {
            biased;
            _ = &mut stop => return,
            next = stream.next() => next,
            () = tokio::time::sleep(QUIET), if is_pasting => {
                if send(outbox, pasted.close()).is_err() {
                    return;
                }
                continue;
            }
            () = tokio::time::sleep(background_color::HOLD), if holds => {
                if send(outbox, pasted.take(query.release())).is_err() {
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
                    if let Some(background_found) = background_found.take() {
                        // The receiver may be gone.
                        let _ = background_found.send(is_light);
                    }
                    continue;
                }
            },
            // Dropping the channel reports it.
            Some(Err(_)) | None => return,
        };
        if send(outbox, pasted.take(keys)).is_err() {
            return;
        }
    }
}

/// A paste that may not be complete yet.
#[derive(Debug, Default)]
struct Pasted {
    is_open: bool,
    held: Vec<Read>,
}

impl Pasted {
    /// Holds back a paste and all events after it; returns the events before it, and the held ones as well
    /// once they are over 4,096.
    fn take(&mut self, events: Vec<Event>) -> Vec<Read> {
        let mut out = Vec::new();
        for event in events {
            self.is_open |= matches!(event, Event::Paste(_));
            let is_pasted = self.is_open;
            let read = Read { event, is_pasted };
            if is_pasted {
                self.held.push(read);
            } else {
                out.push(read);
            }
        }
        if self.held.len() > MOST_HELD {
            out.append(&mut self.held);
        }
        out
    }

    /// Ends the paste, as the input is quiet; returns the held events.
    fn close(&mut self) -> Vec<Read> {
        self.is_open = false;
        std::mem::take(&mut self.held)
    }
}

/// Passes events on; an error if the receiver is gone.
fn send(outbox: &mpsc::UnboundedSender<Read>, events: Vec<Read>) -> Result<(), ()> {
    let mut events = events.into_iter();
    events.try_for_each(|event| outbox.send(event).map_err(|_| ()))
}

/// Whether the dashboard handles the event: key presses and repeats, presses of any mouse button, drags and
/// releases of the left one, the wheel, pastes, resizes and focus changes.
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
        Event::Key(KeyEvent::new_with_kind(KeyCode::Char('j'), KeyModifiers::NONE, kind))
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
