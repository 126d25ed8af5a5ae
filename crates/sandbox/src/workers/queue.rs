//! The queue of a worker: one request at a time, in the order of arrival.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::work::Work;

/// The maximum wait in the queue, in seconds, before requests are refused.
const LIMIT: f64 = 30.0;

/// The requests that a worker has accepted but not finished.
#[derive(Debug)]
pub struct Queue {
    turn: Arc<Semaphore>,
    /// The total load of the requests.
    load: Mutex<f64>,
}

/// The place of a request in the queue. Dropping it leaves the queue: the request is answered, or its client is gone.
#[derive(Debug)]
pub struct Place {
    queue: Arc<Queue>,
    load: f64,
    turn: Option<OwnedSemaphorePermit>,
    /// The work that ends when the place is dropped.
    work: Option<Work>,
}

impl Queue {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
            turn: Arc::new(Semaphore::new(1)),
            load: Mutex::new(0.0),
        }
    }

    /// Appends a request to a worker's queue; `None` if the requests before it take more than 30 s. `load` is
    /// in the unit of `speed`, which is per second.
    ///
    /// A running request counts in full until it ends, as at the market's own workers.
    pub fn enqueue(self: &Arc<Self>, load: f64, speed: f64) -> Option<Place> {
        let mut total = self.load.lock().unwrap_or_else(PoisonError::into_inner);
        if *total / speed > LIMIT {
            return None;
        }
        *total += load;
        Some(Place {
            queue: Arc::clone(self),
            load,
            turn: None,
            work: None,
        })
    }
}

impl Place {
    /// Attaches work that ends when the place is dropped.
    pub fn attach_work(&mut self, work: Work) {
        self.work = Some(work);
    }

    /// Waits until the requests before it have left the queue; the turn lasts until the place is dropped.
    pub async fn turn(&mut self) {
        // The semaphore is never closed.
        self.turn = Arc::clone(&self.queue.turn).acquire_owned().await.ok();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut total = self.queue.load.lock().unwrap_or_else(PoisonError::into_inner);
        *total = (*total - self.load).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_of_more_than_thirty_seconds_takes_no_more() {
        let queue = Arc::new(Queue::new());
        let first = queue.enqueue(301.0, 10.0);
        assert!(first.is_some());
        assert!(queue.enqueue(1.0, 10.0).is_none(), "30.1 s");
        assert!(
            queue.enqueue(1.0, 11.0).is_some(),
            "27.4 s; the place is given up at once"
        );
        drop(first);
        let places = [
            queue.enqueue(100.0, 10.0),
            queue.enqueue(200.0, 10.0),
            queue.enqueue(1.0, 10.0),
        ];
        assert!(places.iter().all(Option::is_some), "10 s, and 30 s are the limit");
        assert!(queue.enqueue(1.0, 10.0).is_none(), "30.1 s");
    }

    #[tokio::test]
    async fn requests_have_their_turns_in_order() {
        let queue = Arc::new(Queue::new());
        let [mut first, mut second] = [(); 2].map(|()| queue.enqueue(1.0, 1.0).unwrap());
        first.turn().await;
        let waits = tokio::spawn(async move {
            second.turn().await;
        });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished());
        drop(first);
        waits.await.unwrap();
    }
}
