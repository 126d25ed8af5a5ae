//! A request at its worker, as counted by the fleet.

use std::sync::Weak;

use super::super::state::State;
use super::request::WorkerRequest;

/// The load of a request while its worker has it. Dropping it releases the load.
#[derive(Debug)]
pub struct Work {
    state: Weak<State>,
    endpoint: String,
    request_idx: u64,
}

impl Work {
    /// Counts the load of a request at the worker of a machine, until the result is dropped.
    pub fn start(state: &Weak<State>, machine: &str, request: &WorkerRequest) -> Self {
        let work = Self {
            state: Weak::clone(state),
            endpoint: request.endpoint.clone(),
            request_idx: request.request_idx,
        };
        if let Some(state) = state.upgrade() {
            state.start_work(&work.endpoint, machine, work.request_idx, request.load());
        }
        work
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if let Some(state) = self.state.upgrade() {
            state.finish_work(&self.endpoint, self.request_idx);
        }
    }
}
