//! Sends route requests and measures their times.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;

use super::clock::Clock;
use super::dashboard::{Calls, Notify};
use crate::api::attempt::send_on;
use crate::api::session::Progress;
use crate::api::{ApiError, Request};
use crate::core::Message;
use crate::core::message::{EffectError, News, Routed};
use crate::domain::routing::Hop;
use crate::store::text_file;
use crate::table::remote::Ticket;

/// Sends a route request in the background, and forwards it to the assigned worker if there is a `hop`; the
/// result arrives as news of the ticket. Returns a handle that aborts it.
///
/// The times of sending and of the complete response are measured here, without delay: the event loop may
/// handle the response later.
pub(super) fn send(
    calls: Arc<dyn Calls>,
    outbox: UnboundedSender<Message>,
    clock: Clock,
    ticket: Ticket,
    (request, hop): (Request, Option<Arc<Hop>>),
) -> AbortHandle {
    let bytes = Arc::new(AtomicU64::new(0));
    let (report, counted) = (outbox.clone(), Arc::clone(&bytes));
    let notify: Notify = Box::new(move |progress| {
        if let Progress::Tried(entry) = progress {
            let received = u64::try_from(entry.bytes_received).unwrap_or(u64::MAX);
            counted.store(received, Ordering::Relaxed);
            let _ = report.send(Message::Recorded {
                ticket: Some(ticket),
                entry,
            });
        }
    });
    let asked = clock.now().mono;
    let task = tokio::spawn(async move {
        let workers = calls.workers();
        if hop.is_some() {
            workers.prepare().await;
        }
        let sent = clock.now().mono;
        let result = calls.call(request, notify).await;
        let called = send_on(&workers, hop.as_deref(), &result).await;
        (sent, clock.now().mono, result, called)
    });
    let handle = task.abort_handle();
    tokio::spawn(async move {
        let (sent, ended, response, called) = match task.await {
            Ok(answer) => answer,
            Err(lost) if lost.is_cancelled() => return,
            // The task panicked: whether the request was sent is unknown.
            Err(_) => (asked, clock.now().mono, Err(ApiError::Lost), None),
        };
        let bytes = bytes.load(Ordering::Relaxed);
        let news = News::Routed(Box::new(Routed {
            sent,
            ended,
            bytes,
            response,
            called,
        }));
        let _ = outbox.send(Message::News { ticket, news });
    });
    handle
}

/// Reads a text file of at most 16 MiB, such as a payload, off the event loop; its content or the error
/// arrives as news of the ticket.
pub(super) fn read_text(outbox: UnboundedSender<Message>, ticket: Ticket, path: String) {
    tokio::task::spawn_blocking(move || {
        let read = text_file::read(Path::new(&path), text_file::LONGEST_PAYLOAD).map_err(EffectError::new);
        let news = News::Text(read);
        let _ = outbox.send(Message::News { ticket, news });
    });
}
