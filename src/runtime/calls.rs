//! Carries out requests: a session with a market, or a stand-in in tests.

use std::future::Future;
use std::pin::Pin;

use crate::api::redact::KnownSecrets;
use crate::api::session::{Progress, Session};
use crate::api::{ApiError, Operation, Reply, Request, WorkerClient};

/// Receives the progress of a call.
pub type Notify = Box<dyn FnMut(Progress) + Send>;

/// A future that can be sent between threads.
pub type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub trait Calls: Send + Sync + 'static {
    /// Runs a request to its end, with retries as the session does, reporting progress to `notify`.
    fn call(&self, request: Request, notify: Notify) -> Boxed<Result<Reply, ApiError>>;

    /// The operations with a minimum interval between two requests that was learned from refusals, and that
    /// interval in seconds; empty by default.
    fn learned(&self) -> Vec<(Operation, f64)> {
        Vec::new()
    }

    /// The client for calling workers, which has no API key.
    fn workers(&self) -> WorkerClient {
        WorkerClient::default()
    }

    /// The secrets to be removed from texts that leave the program; none by default.
    fn secrets(&self) -> KnownSecrets {
        KnownSecrets::default()
    }

    /// Forgets the intervals learned from refusals; does nothing by default.
    fn forget_pacing(&self) {}

    /// Stops reusing the connections that are open now; does nothing by default.
    fn drop_connections(&self) {}
}

impl Calls for Session {
    fn call(&self, request: Request, notify: Notify) -> Boxed<Result<Reply, ApiError>> {
        let session = self.clone();
        Box::pin(async move { session.run(&request, notify).await })
    }

    fn learned(&self) -> Vec<(Operation, f64)> {
        Self::learned(self)
    }

    fn workers(&self) -> WorkerClient {
        Self::workers(self).clone()
    }

    fn secrets(&self) -> KnownSecrets {
        self.client().secrets().clone()
    }

    fn forget_pacing(&self) {
        Self::forget_pacing(self);
    }

    fn drop_connections(&self) {
        Self::drop_connections(self);
    }
}
