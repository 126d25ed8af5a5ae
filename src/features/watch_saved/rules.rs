//! What is asked next, and when: one budget of requests a minute, shared in turn, with pauses while the market
//! refuses or cannot be reached. Pure: the time is passed in as seconds on a monotonic clock.

// As long as a watched table pauses at most.
/// The longest pause after failures, in seconds.
pub const LONGEST_PAUSE: f64 = 600.0;

/// What a failure is about, which decides who pauses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Failure {
    /// Every request would meet it soon: an outage or a 429, with the pause in seconds that the market named.
    Market { pause: f64 },
    /// Every request meets it until a person acts, or a quota is renewed.
    Refused,
    /// Every request meets it until there is another key.
    Key,
    /// This request only.
    Request,
}

#[derive(Debug)]
struct Task<K> {
    key: K,
    /// Seconds between two requests.
    every: f64,
    next: f64,
    /// Failures in a row that are its own.
    failures: i32,
}

/// The turns of tasks that share a budget.
#[derive(Debug)]
pub struct Schedule<K> {
    /// Seconds between two requests. Even spacing holds the budget in every minute and leaves no burst to
    /// make up for, after a suspend or anything else.
    gap: f64,
    /// No request before this.
    free: f64,
    /// Failures in a row of the market.
    failures: i32,
    /// Whether the key was refused: nothing is sent with it again.
    is_stopped: bool,
    tasks: Vec<Task<K>>,
}

impl<K: Clone + PartialEq> Schedule<K> {
    pub fn new(requests_a_minute: u32, now: f64) -> Self {
        let gap = 60.0 / f64::from(requests_a_minute.max(1));
        Self {
            gap,
            // A program that was killed may have sent a request just before this one started.
            free: now + gap,
            failures: 0,
            is_stopped: false,
            tasks: Vec::new(),
        }
    }

    /// Whether nothing is sent until there is another key.
    pub const fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Goes on with another key.
    pub const fn resume(&mut self) {
        self.is_stopped = false;
    }

    /// Schedules these tasks and no others. New ones are due at once.
    pub fn keep(&mut self, tasks: impl IntoIterator<Item = (K, f64)>, now: f64) {
        let mut before = std::mem::take(&mut self.tasks);
        let kept = tasks.into_iter().map(|(key, every)| {
            let known = before.iter().position(|task| task.key == key);
            let (next, failures) = known.map_or((now, 0), |known| {
                let Task { next, failures, .. } = before.swap_remove(known);
                (next, failures)
            });
            Task {
                key,
                every,
                next,
                failures,
            }
        });
        self.tasks = kept.collect();
    }

    pub fn drop(&mut self, key: &K) {
        self.tasks.retain(|task| task.key != *key);
    }

    /// Whose turn is next, and when: who waits longest, the earlier one of equals.
    pub fn next(&self) -> Option<(K, f64)> {
        let first = self
            .tasks
            .iter()
            .min_by(|left, right| left.next.total_cmp(&right.next))?;
        Some((first.key.clone(), first.next.max(self.free)))
    }

    /// When the budget has room for a request.
    pub const fn free(&self) -> f64 {
        self.free
    }

    /// Counts a request that was answered or failed at `now`, and was sent before. Only one is under way at a
    /// time, so those sent within a minute are never more than the budget.
    pub const fn spent(&mut self, now: f64) {
        self.free = now + self.gap;
    }

    /// The market answered, and the task has its answer.
    pub fn answered(&mut self, key: &K, now: f64) {
        self.failures = 0;
        self.later(key, now, |task| {
            task.failures = 0;
            task.every
        });
    }

    /// Looks again after so many seconds, without having sent a request.
    pub fn look_again(&mut self, key: &K, now: f64, after: f64) {
        self.later(key, now, |_| after);
    }

    /// Pauses whom a failure is about, longer each time.
    pub fn failed(&mut self, key: &K, now: f64, failure: Failure) {
        let gap = self.gap;
        let doubled = |seconds: f64, failures: i32| (seconds * 2_f64.powi(failures)).min(LONGEST_PAUSE);
        match failure {
            Failure::Market { pause } => {
                self.failures += 1;
                self.free = now + doubled(gap, self.failures).max(pause.min(LONGEST_PAUSE)).max(gap);
            }
            Failure::Refused => self.free = now + LONGEST_PAUSE.max(gap),
            Failure::Key => self.is_stopped = true,
            Failure::Request => {}
        }
        // The others have their turn first: one bad search must not stop all.
        self.later(key, now, |task| {
            task.failures += i32::from(failure == Failure::Request);
            task.every.max(doubled(task.every, task.failures))
        });
    }

    fn later(&mut self, key: &K, now: f64, after: impl FnOnce(&mut Task<K>) -> f64) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.key == *key) {
            task.next = now + after(task);
        }
    }

    /// Requests a minute that all tasks want.
    pub fn wanted(&self) -> f64 {
        self.tasks.iter().map(|task| 60.0 / task.every).sum()
    }

    /// Requests a minute that there will be.
    pub fn rate(&self) -> f64 {
        self.wanted().min(60.0 / self.gap)
    }

    /// Whether a request beside the tasks delays none of them for long.
    pub fn has_room(&self) -> bool {
        self.wanted() + 1.0 <= 60.0 / self.gap
    }

    /// Seconds between two requests of a task that wants one `every` so many: more where all together want more
    /// than the budget.
    pub fn interval(&self, every: f64) -> f64 {
        every * (self.wanted() * self.gap / 60.0).max(1.0)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the moments are chosen to be exact")]
mod tests {
    use super::*;

    /// Runs tasks for `seconds`, each request answered after `took`; what was sent when.
    fn run(schedule: &mut Schedule<u8>, from: f64, seconds: f64, took: f64) -> Vec<(u8, f64)> {
        let (mut now, mut sent) = (from, Vec::new());
        while let Some((key, at)) = schedule.next() {
            now = at.max(now);
            if now >= from + seconds {
                break;
            }
            sent.push((key, now));
            now += took;
            schedule.spent(now);
            schedule.answered(&key, now);
        }
        sent
    }

    fn count(sent: &[(u8, f64)], key: u8) -> usize {
        sent.iter().filter(|(of, _)| *of == key).count()
    }

    #[test]
    fn more_tasks_than_the_budget_take_turns() {
        let mut schedule = Schedule::new(10, 0.0);
        schedule.keep((0..20).map(|key| (key, 60.0)), 0.0);
        assert_eq!(
            (schedule.wanted(), schedule.rate(), schedule.interval(60.0)),
            (20.0, 10.0, 120.0)
        );
        assert!(!schedule.has_room());
        let sent = run(&mut schedule, 0.0, 3600.0, 0.0);
        assert_eq!(sent.len(), 599); // the first after a gap
        assert!((0..20).all(|key| (29..=30).contains(&count(&sent, key))));
        assert!(sent.windows(11).all(|ten| ten[10].1 - ten[0].1 >= 60.0));
    }

    #[test]
    fn after_hours_asleep_there_is_no_burst() {
        let mut schedule = Schedule::new(10, 0.0);
        schedule.keep((0..5).map(|key| (key, 60.0)), 0.0);
        run(&mut schedule, 0.0, 600.0, 0.5);
        let sent = run(&mut schedule, 40_000.0, 60.0, 0.5);
        assert_eq!(sent.len(), 5, "{sent:?}");
        assert!(sent.windows(2).all(|two| two[1].1 - two[0].1 >= 6.0));
    }

    #[test]
    fn an_outage_doubles_the_pause_of_all_and_ends_with_the_first_answer() {
        let mut schedule = Schedule::new(10, 0.0);
        schedule.keep([(1, 1.0), (2, 1.0)], 0.0);
        let mut pauses = Vec::new();
        let mut now = 0.0;
        for _ in 0..9 {
            let (key, at) = schedule.next().unwrap();
            pauses.push(at - now);
            now = at;
            schedule.spent(now);
            schedule.failed(&key, now, Failure::Market { pause: 0.0 });
        }
        assert_eq!(pauses, [6.0, 12.0, 24.0, 48.0, 96.0, 192.0, 384.0, 600.0, 600.0]);
        let (key, at) = schedule.next().unwrap();
        schedule.spent(at);
        schedule.answered(&key, at);
        assert_eq!(schedule.free(), at + 6.0);
        // What a 429 names counts, but no more than the longest pause.
        for (named, paused) in [(30.0, 30.0), (5000.0, 600.0)] {
            schedule.failed(&key, 0.0, Failure::Market { pause: named });
            assert_eq!(schedule.free(), paused);
        }
    }

    #[test]
    fn a_search_that_fails_pauses_alone_and_a_refused_key_pauses_all() {
        let mut schedule = Schedule::new(60, 0.0);
        schedule.keep([(1, 60.0), (2, 60.0)], 0.0);
        for pause in [120.0, 240.0, 480.0, 600.0] {
            schedule.failed(&1, 1000.0, Failure::Request);
            schedule.look_again(&2, 2000.0, 0.0);
            assert_eq!(schedule.next().unwrap(), (1, 1000.0 + pause));
        }
        schedule.failed(&2, 3000.0, Failure::Refused);
        assert_eq!(schedule.free(), 3600.0);
    }

    #[test]
    fn tasks_that_stay_keep_their_turn() {
        let mut schedule = Schedule::new(10, 0.0);
        schedule.keep([(1, 60.0), (2, 60.0)], 0.0);
        schedule.answered(&1, 0.0);
        schedule.answered(&2, 1.0);
        schedule.keep([(2, 60.0), (3, 60.0), (1, 60.0)], 7.0);
        assert_eq!(schedule.next(), Some((3, 7.0)));
        schedule.drop(&3);
        assert_eq!(schedule.next(), Some((1, 60.0)));
    }
}
