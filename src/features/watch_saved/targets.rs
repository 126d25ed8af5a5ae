//! The targets of a watch: the searches of saved searches and alerts, each of them once.

use super::watcher::Rhythm;
use crate::cli::wanted::{LOCAL_LIMIT, Wanted};
use crate::domain::annotations::Annotations;
use crate::domain::cost::Job;
use crate::domain::saved::{SavedSearch, Searches, SpecError};
use crate::domain::text::visible;
use crate::domain::time::MonotonicTime;
use crate::domain::{Listing, Query, Resource};
use crate::features::workergroups::followed::{FollowedSearch, cheapest_first};
use crate::keys::{Action, Context};
use crate::record::alerts::{Alerts, Followed};
use crate::record::watch::{SearchFigures, Wish};
use crate::record::{Moment, SearchKey};
use crate::settings::Settings;
use crate::store::StateStore;

/// A task that is polled in turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// A search with prices for this storage in GB, unbundled or not.
    ///
    /// Storage matters to the rows too: a smaller disk fits on more machines.
    Search(SearchKey, f64, bool),
    /// The search of a workergroup, which also gives the number of workers it can have.
    Group(i64),
    /// The list of workergroups, which holds their searches.
    Groups,
}

impl Task {
    /// The task of polling a search; queries that differ only in order or limit have the same one.
    pub fn from_query(query: &Query) -> Self {
        Self::Search(SearchKey::new(query), query.storage_gb(), query.unbundled)
    }
}

#[derive(Debug)]
pub struct Target {
    pub task: Task,
    /// The search to poll; `None` for the list of workergroups, and while the search is not known.
    pub search: Option<FollowedSearch>,
    pub job: Option<Job>,
    /// The names of the saved searches of this target.
    pub saved: Vec<String>,
    /// The names of the alerts on it.
    pub alerts: Vec<String>,
    pub progress: Progress,
}

/// The state of a target between polls.
#[derive(Debug, Default)]
pub struct Progress {
    /// The time up to which its changes were printed.
    pub reported_until: Option<Moment>,
    /// The time at which the newest recorded response was requested.
    pub last: Option<Moment>,
    /// Prices and supply in the last usable response.
    pub figures: Option<SearchFigures>,
}

/// The documents of a profile that a watch reads.
#[derive(Debug, Default)]
pub struct SavedState {
    pub searches: Searches,
    pub annotations: Annotations,
    pub alerts: Alerts,
    /// Problems with their files.
    pub notices: Vec<String>,
}

impl SavedState {
    /// Reads the saved searches, annotations and alerts of a profile from their files; an unreadable one is
    /// empty, with a notice.
    pub fn read(store: &StateStore) -> Self {
        let mut notices = Vec::new();
        Self {
            searches: store.read(&mut notices).unwrap_or_default(),
            annotations: store.read(&mut notices).unwrap_or_default(),
            alerts: store.read(&mut notices).unwrap_or_default(),
            notices,
        }
    }
}

/// The targets of the saved searches and of the alerts active `at` that time, one for all with the same
/// search, and notes on those that cannot be watched.
///
/// `groups` are the listed workergroups; before they are listed, the targets of workergroups have no search.
/// Their list is the first target if there is one of a group.
pub fn targets(
    settings: &Settings,
    saved: &SavedState,
    groups: Option<&Listing>,
    at: Moment,
) -> (Vec<Target>, Vec<String>) {
    let (mut targets, mut left_out) = (Vec::new(), Vec::new());
    for search in &saved.searches.saved {
        let name = visible(&search.name, 60);
        match watched_query(settings, search) {
            Ok((query, job)) => {
                let task = Task::from_query(&query);
                let search = FollowedSearch { query, recruits: None };
                target(&mut targets, task, Some(search), job).saved.push(name);
            }
            Err(why) => left_out.push(format!("“{name}” is not watched: {why}")),
        }
    }
    for alert in saved.alerts.alerts.iter().filter(|alert| alert.is_active(at)) {
        let mut search = FollowedSearch::new(&alert.follows, groups, settings.dialect);
        let task = match (&alert.follows, &mut search) {
            (Followed::Group(id), search) if search.is_some() || groups.is_none() => Task::Group(*id),
            (Followed::Search(_), Some(search)) => {
                search.query.limit = Some(LOCAL_LIMIT);
                Task::from_query(&search.query)
            }
            (Followed::Search(_) | Followed::Group(_), _) => {
                let name = visible(&alert.name, 60);
                left_out.push(format!("alert “{name}” is not watched: its search cannot be read"));
                continue;
            }
        };
        target(&mut targets, task, search, None).alerts.push(alert.name.clone());
    }
    if targets.iter().any(|target| matches!(target.task, Task::Group(_))) {
        // First: the searches of groups are in it.
        targets.insert(0, Target::new(Task::Groups, None, None));
    }
    (targets, left_out)
}

/// The target among `targets` with this task, which is added with `search` and `job` if it is missing.
fn target(targets: &mut Vec<Target>, task: Task, search: Option<FollowedSearch>, job: Option<Job>) -> &mut Target {
    let known = targets.iter().position(|target| target.task == task);
    let index = known.unwrap_or(targets.len());
    if known.is_none() {
        targets.push(Target::new(task, search, job));
    }
    &mut targets[index]
}

/// A note on the ways to have something to watch, where no search or alert is saved.
pub fn nothing_saved(settings: &Settings) -> String {
    let key = |action| settings.preferences.keymap.key_in(&[Context::Table], action);
    format!(
        "nothing is saved in '{}' that can be watched: in the dashboard {} saves a search and {} adds an alert; bourse \
         watch QUERY watches one search",
        settings.profile,
        key(Action::SaveSearch),
        key(Action::Alerts)
    )
}

/// The reason a saved search cannot be watched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum TargetError {
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error("workergroups have no prices")]
    NoPrices,
    #[error("it compares price models")]
    PriceModels,
    #[error("it needs a job, a term or your throughput")]
    Needs,
}

/// The query that watches a saved search, and its job: the cheapest offers first, as many as for any watched
/// search. An error if it cannot be read, has no price, compares price models, or lacks what it needs.
fn watched_query(settings: &Settings, saved: &SavedSearch) -> Result<(Query, Option<Job>), TargetError> {
    let (mut query, _, job) = saved.read(settings.dialect)?;
    query.order = cheapest_first(query.resource).ok_or(TargetError::NoPrices)?;
    query.limit = Some(LOCAL_LIMIT);
    let wanted = Wanted::new(query, job);
    if wanted.needs_price_models() {
        return Err(TargetError::PriceModels);
    }
    wanted
        .check_needs(&settings.preferences.config.values.throughput)
        .map_err(|_| TargetError::Needs)?;
    Ok((wanted.query, job))
}

impl Target {
    /// A target of a task that was not polled yet; no saved search or alert is named for it.
    pub fn new(task: Task, search: Option<FollowedSearch>, job: Option<Job>) -> Self {
        Self {
            task,
            search,
            job,
            saved: Vec::new(),
            alerts: Vec::new(),
            progress: Progress::default(),
        }
    }

    /// The poll that the target wants from the engine: its search, its interval, and the first time, `now`.
    ///
    /// Workergroups need their own responses, which give the number of workers they can have.
    pub fn wish(&self, rhythm: Rhythm, now: MonotonicTime) -> Wish<Task> {
        let query = self.search.as_ref().map(|search| search.query.clone());
        Wish {
            id: self.task.clone(),
            query: query.unwrap_or_else(|| Query::empty(Resource::Workergroups)),
            every: rhythm.every(&self.task),
            first: now,
            requests: 1,
            is_own: !matches!(self.task, Task::Search(..)),
        }
    }

    /// The names of its saved searches and alerts, joined by commas; "this search" without any.
    pub fn name(&self) -> String {
        let alerts = self.alerts.iter().map(|name| visible(name, 60));
        let names: Vec<String> = self.saved.iter().cloned().chain(alerts).collect();
        if names.is_empty() {
            return "this search".to_owned();
        }
        names.join(", ")
    }
}
