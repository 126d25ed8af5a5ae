//! The figures of a watch for its metrics.

use super::Watcher;
use crate::api::{ApiError, Reply};
use crate::domain::Resource;
use crate::features::watch_saved::metrics::{Metrics, RequestCounts, SearchSnapshot};
use crate::record::Moment;

impl Watcher<'_> {
    /// The figures of the watch at this moment: requests, alerts, and each saved search by name.
    pub fn snapshot(&self) -> Metrics {
        let searches = self.targets.iter().flat_map(|target| {
            target.saved.iter().map(|name| SearchSnapshot {
                name: name.clone(),
                is_volumes: (target.search.as_ref()).is_some_and(|search| search.query.resource == Resource::Volumes),
                last: target.progress.last.map(Moment::unix),
                figures: target.progress.figures.clone(),
            })
        });
        Metrics {
            requests: self.requests,
            alerts: self.targets.iter().map(|target| target.alerts.len()).sum(),
            searches: searches.collect(),
        }
    }
}

impl RequestCounts {
    /// Counts a request of the watch by its result: among all sent, and a failed one by its cause.
    pub fn count(&mut self, result: &Result<Reply, ApiError>) {
        self.sent += 1;
        let kind = match result {
            Ok(_) => return,
            Err(ApiError::RateLimited { .. }) => &mut self.rate_limited,
            Err(ApiError::QuotaExceeded { .. }) => &mut self.over_quota,
            Err(ApiError::Refused { .. } | ApiError::NoKey { .. } | ApiError::NotPermitted { .. }) => {
                &mut self.key_refused
            }
            Err(_) => &mut self.failed,
        };
        *kind += 1;
    }
}
