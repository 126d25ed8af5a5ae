//! Work on long responses that would keep the loop's thread from its keys.

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use crate::api::{ApiError, Reply};
use crate::core::Message;
use crate::domain::Listing;
use crate::table::browser::Arrival;

/// Reads ahead in a response, so that the loop's thread need not do it between two frames.
pub(super) async fn read_ahead(result: Result<Reply, ApiError>) -> Result<Reply, ApiError> {
    // In a few milliseconds.
    const READ_AT_ONCE: usize = 200;
    let read = |listing: Box<Listing>| {
        crate::core::read_ahead(&listing);
        Reply::Records(listing)
    };
    match result {
        Ok(Reply::Records(listing)) if listing.len() > READ_AT_ONCE => {
            let reading = spawn_blocking(move || read(listing));
            reading.await.map_err(|_| ApiError::Lost)
        }
        Ok(Reply::Records(listing)) => Ok(read(listing)),
        message => message,
    }
}

/// Arranges a response on another thread.
pub(super) fn arrange(outbox: UnboundedSender<Message>, arrival: Box<Arrival>) {
    spawn_blocking(move || {
        // The receiver is gone once the program ends.
        let _ = outbox.send(Message::Arranged(Box::new(arrival.arranged())));
    });
}
