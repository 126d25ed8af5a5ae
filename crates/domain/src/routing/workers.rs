//! The workers assigned in a run, with their shares and request numbers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::text::Untrusted;

/// The maximum number of workers that are counted individually.
///
/// A server that invents an address for each response must not exhaust the memory.
const MOST: usize = 1000;

#[derive(Debug, Clone)]
pub struct WorkerShare {
    pub worker: Untrusted,
    /// The number of attempts assigned to it.
    pub assigned: u64,
    reqnums: Reqnums,
}

impl WorkerShare {
    /// The number of request numbers between its first and last that were not seen here.
    ///
    /// Other clients of the worker get numbers too, so these are not necessarily lost.
    pub fn missing(&self) -> u64 {
        self.reqnums.missing()
    }

    /// The number of gaps in its request numbers, however long each is.
    pub fn gaps(&self) -> u64 {
        self.reqnums.ranges.len().saturating_sub(1) as u64
    }

    /// The number of repetitions of request numbers. A worker may refuse those.
    pub const fn repeats(&self) -> u64 {
        self.reqnums.repeats
    }
}

/// The workers of a run.
#[derive(Debug, Clone, Default)]
pub struct Workers {
    shares: Vec<WorkerShare>,
    index: HashMap<Untrusted, usize>,
    total: u64,
}

impl Workers {
    /// Counts an assignment to a worker and its request number; beyond 1,000 different workers, one more only
    /// counts in the total.
    pub fn record(&mut self, worker: &Untrusted, reqnum: Option<i64>) {
        self.total += 1;
        let index = match self.index.get(worker) {
            Some(index) => *index,
            None if self.shares.len() >= MOST => return,
            None => {
                self.index.insert(worker.clone(), self.shares.len());
                self.shares.push(WorkerShare {
                    worker: worker.clone(),
                    assigned: 0,
                    reqnums: Reqnums::default(),
                });
                self.shares.len() - 1
            }
        };
        if let Some(share) = self.shares.get_mut(index) {
            share.assigned += 1;
            if let Some(reqnum) = reqnum {
                share.reqnums.insert(reqnum);
            }
        }
    }

    /// The workers that are counted individually, at most 1,000, most assigned first, ties by address.
    pub fn ranked(&self) -> Vec<&WorkerShare> {
        let mut ranked: Vec<_> = self.shares.iter().collect();
        ranked.sort_by_key(|share| (Reverse(share.assigned), &share.worker));
        ranked
    }

    /// Whether no worker was assigned.
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    /// A worker's share of all assignments, from 0 to 1; 0 if there are none.
    pub fn share(&self, worker: &WorkerShare) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            worker.assigned as f64 / self.total as f64
        }
    }
}

/// A set of numbers as ranges, first to last.
#[derive(Debug, Clone, Default)]
struct Reqnums {
    ranges: BTreeMap<i64, i64>,
    different: u64,
    repeats: u64,
}

impl Reqnums {
    /// Adds a number, or counts a repetition if the set has it. Responses may arrive out of order.
    fn insert(&mut self, number: i64) {
        let below = self
            .ranges
            .range(..=number)
            .next_back()
            .map(|(first, last)| (*first, *last));
        if below.is_some_and(|(_, last)| last >= number) {
            self.repeats += 1;
            return;
        }
        self.different += 1;
        let above = number.checked_add(1).and_then(|next| self.ranges.remove(&next));
        let last = above.unwrap_or(number);
        match below {
            Some((first, end)) if end.checked_add(1) == Some(number) => {
                self.ranges.insert(first, last);
            }
            _ => {
                self.ranges.insert(number, last);
            }
        }
    }

    /// The number of missing numbers: the span minus the numbers seen.
    ///
    /// Read in every frame, so it is not recounted.
    fn missing(&self) -> u64 {
        let first = self.ranges.first_key_value().map(|(first, _)| *first);
        let last = self.ranges.last_key_value().map(|(_, last)| *last);
        let Some((first, last)) = first.zip(last) else {
            return 0;
        };
        last.abs_diff(first).saturating_sub(self.different - 1)
    }
}
