//! Keys, clicks, pastes and new sizes, as they come from the terminal.
//!
//! They are read on a thread of their own. crossterm reads a terminal with blocking calls: half an
//! escape sequence, or a terminal that is gone, would hold the thread that asks, and that must not
//! be the one that draws. Releases of keys and motion of the mouse end on that thread, so they
//! never wake the dashboard.

use std::io;
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, EventStream, KeyEventKind, MouseEventKind};
use futures_util::StreamExt;
use tokio::sync::{mpsc, oneshot};

/// Most events handed over at once, so that a long paste of keys does not keep a frame waiting.
const BATCH: usize = 256;
/// How long the start waits for the reader.
const READY: Duration = Duration::from_millis(100);

/// The input of the terminal. Dropping it stops the reading, and a new one may be started later: to
/// be done around a suspension, or the shell and the program share the keys.
#[derive(Debug)]
pub struct Input {
    inbox: mpsc::UnboundedReceiver<Event>,
    /// Its end tells the reader to stop.
    _stop: oneshot::Sender<()>,
}

impl Input {
    /// Starts reading. To be done before the first frame: a size that changes between the two is then
    /// noticed.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start() -> io::Result<Self> {
        let (outbox, inbox) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = std::sync::mpsc::channel();
        // A runtime of its own with neither timers nor sockets: the stream needs only to be woken.
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        thread::Builder::new()
            .name("input".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    let stream = EventStream::new();
                    let _ = ready.send(());
                    read(stream, &outbox, stopped).await;
                });
            })?;
        // Not longer: the reader before may still hold the terminal, in half an escape sequence.
        let _ = is_ready.recv_timeout(READY);
        Ok(Self { inbox, _stop: stop })
    }

    /// Waits for events and returns all that are there, at most a few hundred; nothing when the
    /// terminal cannot be read any more. May be dropped and asked again without losing one.
    pub async fn next_batch(&mut self) -> Option<Vec<Event>> {
        let mut events = Vec::new();
        let count = self.inbox.recv_many(&mut events, BATCH).await;
        (count > 0).then_some(events)
    }
}

/// Hands events over until told to stop, or until nobody listens.
async fn read(
    mut stream: EventStream,
    outbox: &mpsc::UnboundedSender<Event>,
    mut stop: oneshot::Receiver<()>,
) {
    loop {
        let next = tokio::select! {
            biased;
            _ = &mut stop => return,
            next = stream.next() => next,
        };
        match next {
            Some(Ok(event)) if !is_wanted(&event) => {}
            Some(Ok(event)) => {
                if outbox.send(event).is_err() {
                    return;
                }
            }
            // The end of the channel tells it.
            Some(Err(_)) | None => return,
        }
    }
}

/// Whether the dashboard has a use for the event: keys going down, clicks, the wheel, pastes, sizes.
fn is_wanted(event: &Event) -> bool {
    match event {
        Event::Key(key) => key.kind != KeyEventKind::Release,
        Event::Mouse(mouse) => matches!(
            mouse.kind,
            MouseEventKind::Down(_)
                | MouseEventKind::ScrollUp
                | MouseEventKind::ScrollDown
                | MouseEventKind::ScrollLeft
                | MouseEventKind::ScrollRight
        ),
        Event::Paste(_) | Event::Resize(..) => true,
        Event::FocusGained | Event::FocusLost => false,
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{
        KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
    };

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
            mouse(MouseEventKind::Drag(left)),
            mouse(MouseEventKind::Up(left)),
            Event::FocusGained,
            Event::FocusLost,
        ];
        for event in unwanted {
            assert!(!is_wanted(&event), "{event:?}");
        }
        let wanted = [
            key(KeyEventKind::Press),
            key(KeyEventKind::Repeat),
            mouse(MouseEventKind::Down(left)),
            mouse(MouseEventKind::ScrollUp),
            mouse(MouseEventKind::ScrollDown),
            Event::Paste("h100".to_owned()),
            Event::Resize(80, 24),
        ];
        for event in wanted {
            assert!(is_wanted(&event), "{event:?}");
        }
    }
}
