//! The thread that owns the recorded market, and writes and reads one job after another, since both
//! wait for the disk.
//!
//! A database that cannot be used is reported once; the dashboard continues with one in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use crate::api::client::current_time;
use crate::core::message::{EffectError, HistoryJob, News};
use crate::core::sandbox::Simulation;
use crate::core::{Message, Ticket};
use crate::domain::format::counted;
use crate::domain::{Listing, Query};
use crate::record::Moment;
use crate::record::store::{Database, HistoryError, HistoryLocation, ProgramId, Turns};
use crate::record::watch::{Claim, Right};
use crate::settings::sandbox_past::{Ensured, SandboxPast};
use crate::store::files;

/// Maximum wait for the pending jobs when quitting.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct HistoryThread {
    jobs: Option<Sender<HistoryJob>>,
    ended: Receiver<()>,
    outbox: UnboundedSender<Message>,
    /// Whether the program ends, and no longer waits for the sandbox's past.
    is_leaving: Arc<AtomicBool>,
}

impl HistoryThread {
    /// A thread that opens the database at `history` with the first job and reports to `outbox`. With a
    /// `past` it opens it at once, and fills a record that lacks the past; no job is done if the program ends
    /// meanwhile.
    ///
    /// Without a location nothing is recorded or read.
    pub fn start(
        history: Option<HistoryLocation>,
        past: Option<SandboxPast>,
        outbox: UnboundedSender<Message>,
    ) -> Self {
        let (jobs, inbox) = channel();
        let (end, ended) = channel();
        let messages = outbox.clone();
        let is_leaving = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&is_leaving);
        let thread = history.and_then(|history| {
            let run = move || {
                let mut keeper = Keeper::new(history, messages);
                let has_past = past.is_none_or(|past| keeper.record_past(past, &is_stopped));
                // A record without its past stays empty, so that the next start simulates it.
                if has_past {
                    keeper.work(&inbox);
                }
                let _ = end.send(());
            };
            thread::Builder::new().name("history".to_owned()).spawn(run).ok()
        });
        Self {
            jobs: thread.map(|_| jobs),
            ended,
            outbox,
            is_leaving,
        }
    }

    /// Queues a job for the thread. Without a thread it is answered here: an error for an analysis, no
    /// recorded rows, an alert that fires and a search that is polled here; other jobs are dropped.
    pub fn take(&self, job: HistoryJob) {
        let unsent = match &self.jobs {
            Some(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        let (ticket, news) = match unsent {
            Some(HistoryJob::Ask { ticket, .. }) => {
                let error = EffectError::new("the market is not recorded");
                (ticket, News::Recalled(Err(error)))
            }
            Some(HistoryJob::LatestRows { ticket, .. }) => (ticket, News::RecordedRows(None)),
            Some(HistoryJob::ClaimNotification { ticket, .. }) => (ticket, News::Claimed(true)),
            Some(HistoryJob::ClaimPoll { ticket, .. }) => (ticket, News::Poll(Right::Ours(Ok(())))),
            Some(HistoryJob::Record(_) | HistoryJob::EndTurn | HistoryJob::CountRequest(_)) | None => return,
        };
        let _ = self.outbox.send(Message::News { ticket, news });
    }
}

impl Drop for HistoryThread {
    /// Stops recording a simulated past, and waits until all queued jobs are done, up to a time limit.
    fn drop(&mut self) {
        self.is_leaving.store(true, Ordering::Relaxed);
        if self.jobs.take().is_some() {
            let _ = self.ended.recv_timeout(PATIENCE);
        }
    }
}

/// The state of the thread.
struct Keeper {
    history: HistoryLocation,
    outbox: UnboundedSender<Message>,
    state: State,
    turns: Turns,
    program: ProgramId,
    was_told: bool,
}

enum State {
    Closed,
    Open(Database),
    /// A record in memory, until another file replaces the one that cannot be used.
    InMemory(Database, Option<(u64, u64)>),
}

impl Keeper {
    /// The state of the thread, with the database not opened yet.
    fn new(history: HistoryLocation, outbox: UnboundedSender<Message>) -> Self {
        Self {
            turns: Turns::new(&history),
            history,
            outbox,
            state: State::Closed,
            program: ProgramId::of_process(),
            was_told: false,
        }
    }

    /// Records the sandbox's simulated past if the record lacks it, and reports the progress and an error;
    /// false only if `is_stopped` ended it.
    fn record_past(&mut self, past: SandboxPast, is_stopped: &AtomicBool) -> bool {
        let (days, outbox) = (past.days, self.outbox.clone());
        let mut is_simulated = false;
        let ensured = self.with(|database| {
            past.ensure(database, is_stopped, |percent| {
                is_simulated = true;
                let _ = outbox.send(Message::Simulating(Some(Simulation { days, percent })));
            })
        });
        if is_simulated {
            let _ = self.outbox.send(Message::Simulating(None));
        }
        match ensured {
            Ok(Ensured::Stopped) => return false,
            Ok(Ensured::WasThere) => {}
            Ok(Ensured::Recorded) => {
                let days = counted(days as usize, "simulated day", "simulated days");
                let text = format!("{days} of prices are recorded");
                let _ = self.outbox.send(Message::Report(Ok(text)));
            }
            Err(error) => self.report(&error),
        }
        true
    }

    /// Does the jobs of the inbox in order, until their sender is gone.
    fn work(mut self, inbox: &Receiver<HistoryJob>) {
        for job in inbox {
            match job {
                HistoryJob::Record(poll) => {
                    if let Err(error) = self.with(|database| database.record(&poll)) {
                        self.report(&error);
                    }
                    self.turns.end();
                }
                HistoryJob::Ask { ticket, analysis } => {
                    let result = self.with(|database| database.ask(&analysis)).map_err(|error| {
                        self.report(&error);
                        EffectError::new(error)
                    });
                    self.send_news(ticket, News::Recalled(result));
                }
                HistoryJob::LatestRows { ticket, query } => {
                    let latest = self.latest(&query);
                    self.send_news(ticket, News::RecordedRows(latest.map(Box::new)));
                }
                HistoryJob::ClaimNotification { ticket, subject, at } => {
                    let is_ours = self.claim_notification(&subject, at);
                    self.send_news(ticket, News::Claimed(is_ours));
                }
                HistoryJob::ClaimPoll { ticket, claim } => {
                    let right = self.poll_right(&claim);
                    self.send_news(ticket, News::Poll(right));
                }
                HistoryJob::EndTurn => self.turns.end(),
                HistoryJob::CountRequest(now) => self.turns.count(now),
            }
        }
    }

    /// Sends news of a ticket to the core.
    fn send_news(&self, ticket: Ticket, news: News) {
        // The receiver is gone once the program ends.
        let _ = self.outbox.send(Message::News { ticket, news });
    }

    /// Whether this program sends a notification on `subject`, as no other one has; true if the record cannot
    /// be used.
    ///
    /// Two notifications are better than none.
    fn claim_notification(&mut self, subject: &str, at: Moment) -> bool {
        let program = self.program.clone();
        self.with(|database| database.claim_ring(subject, &program, at))
            .unwrap_or(true)
    }

    /// The answer to a claim to poll a search: this program polls, tries later, or gets the poll of another
    /// one. Without a record this program polls.
    fn poll_right(&mut self, claim: &Claim) -> Right {
        if let Err(error) = self.with(|_| Ok(())) {
            self.report(&error);
        }
        let record = match &self.state {
            State::Open(database) | State::InMemory(database, _) => Some(database),
            State::Closed => None,
        };
        self.turns.claim(record, claim)
    }

    /// The rows last seen complete for a search, and the time; `None` if there are none or the record cannot
    /// be read.
    fn latest(&mut self, query: &Query) -> Option<(Listing, Moment)> {
        let now = current_time().moment();
        let latest = self.with(|database| database.latest(query, now));
        latest.unwrap_or_else(|error| {
            self.report(&error);
            None
        })
    }

    /// Runs `act` on the database, opening it if necessary. After a lasting error it is replaced by one in
    /// memory, until its file has changed.
    fn with<T>(&mut self, act: impl FnOnce(&mut Database) -> Result<T, HistoryError>) -> Result<T, HistoryError> {
        let file = self.history.path.as_deref().and_then(files::identity);
        let mut state = std::mem::replace(&mut self.state, State::Closed);
        if matches!(&state, State::InMemory(_, failed) if *failed != file) {
            state = State::Closed;
            self.was_told = false;
        }
        let result = match &mut state {
            State::Open(database) => database.reopen_if_moved().and_then(|()| act(database)),
            State::InMemory(database, _) => act(database),
            State::Closed => self.history.open().and_then(|mut database| {
                let result = act(&mut database);
                state = State::Open(database);
                result
            }),
        };
        if let Err(error) = &result
            && !error.is_passing()
        {
            let in_memory = HistoryLocation {
                path: None,
                ..self.history.clone()
            };
            state = in_memory
                .open()
                .map_or(State::Closed, |database| State::InMemory(database, file));
        }
        self.state = state;
        result
    }

    /// Reports to the user that the market is not recorded, once until another file is opened.
    fn report(&mut self, error: &HistoryError) {
        if !std::mem::replace(&mut self.was_told, true) {
            tracing::warn!(%error, "the market is not recorded");
            let text = format!("The market is not recorded: {error}");
            let _ = self.outbox.send(Message::Report(Err(EffectError::new(text))));
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;
    use crate::domain::annotations::Bans;
    use crate::domain::dialect::Dialect;
    use crate::domain::time::UnixTime;
    use crate::domain::{Query, Resource, language};
    use crate::record::{Moment, Poll, PollOutcome, Proof, Question, Scope, SearchKey, Spell, VerdictBasis};
    use crate::sandbox::market::MarketConfig;

    /// A program's thread on the files of a folder, and its reports.
    struct Program(HistoryThread, UnboundedReceiver<Message>);

    impl Program {
        fn start(history: Option<&HistoryLocation>) -> Self {
            let (outbox, messages) = unbounded_channel();
            Self(HistoryThread::start(history.cloned(), None, outbox), messages)
        }

        /// The next message but the progress of a simulation.
        fn report(&mut self) -> Option<Message> {
            loop {
                match self.1.blocking_recv() {
                    Some(Message::Simulating(Some(Simulation { percent: 1.., .. }))) => {}
                    message => return message,
                }
            }
        }

        fn claim(&mut self, resource: Resource, now: UnixTime) -> Right {
            self.0.take(HistoryJob::ClaimPoll {
                ticket: Ticket(1),
                claim: Box::new(claim(resource, now)),
            });
            match self.1.blocking_recv() {
                Some(Message::News {
                    news: News::Poll(right),
                    ..
                }) => right,
                other => panic!("{other:?}"),
            }
        }
    }

    fn claim(resource: Resource, now: UnixTime) -> Claim {
        Claim {
            query: Query::empty(resource),
            since: Some(Moment(0)),
            bans: Bans::NONE,
            now,
            requests: 1,
            a_minute: 10,
        }
    }

    fn poll(at: i64) -> Poll {
        let query = Query::empty(Resource::Offers);
        Poll {
            search: SearchKey::new(&query),
            scope: Scope::new(&query, &Dialect::SANDBOX, []),
            proof: Proof::Complete,
            lines: Vec::new(),
            at: Moment(at),
            took: 1,
            outcome: PollOutcome::Complete,
            rows: 0,
            interval: Some(30),
            bans: 0,
            sightings: Vec::new(),
            causes: Vec::new(),
        }
    }

    #[test]
    fn programs_share_one_budget() {
        let folder = tempfile::tempdir().unwrap();
        let place = HistoryLocation {
            path: Some(folder.path().join("history.db")),
            market: "https://market.example".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        let (mut first, mut second) = (Program::start(Some(&place)), Program::start(Some(&place)));
        for _ in 0..9 {
            assert!(matches!(
                first.claim(Resource::Offers, UnixTime::new(1000.0)),
                Right::Ours(Ok(()))
            ));
        }
        first.0.take(HistoryJob::EndTurn);
        second.0.take(HistoryJob::CountRequest(UnixTime::new(1010.0)));
        // Once this is answered, that has been done.
        let query = Box::new(Query::empty(Resource::Offers));
        let ticket = Ticket(2);
        second.0.take(HistoryJob::LatestRows { ticket, query });
        second.1.blocking_recv().unwrap();
        let right = first.claim(Resource::Volumes, UnixTime::new(1030.0));
        assert!(
            matches!(right, Right::Later(wait) if (wait - 30.0).abs() < 1e-6),
            "{right:?}"
        );
        let right = second.claim(Resource::Offers, UnixTime::new(1030.0));
        assert!(matches!(right, Right::Later(_)), "{right:?}");
        assert!(matches!(
            first.claim(Resource::Offers, UnixTime::new(1060.0)),
            Right::Ours(Ok(()))
        ));
    }

    #[test]
    fn one_program_asks_at_a_time_and_the_other_gets_what_it_records() {
        let folder = tempfile::tempdir().unwrap();
        let history = HistoryLocation {
            path: Some(folder.path().join("history.sqlite")),
            market: "test".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        let offers = Resource::Offers;
        let [mut first, mut second] = [(); 2].map(|()| Program::start(Some(&history)));
        assert!(matches!(first.claim(offers, UnixTime::new(1000.0)), Right::Ours(_)));
        assert!(matches!(second.claim(offers, UnixTime::new(1001.0)), Right::Later(_)));
        first.0.take(HistoryJob::Record(Box::new(poll(1002))));
        // Once this is answered, that has been done.
        let Right::Recorded(own) = first.claim(offers, UnixTime::new(1003.0)) else {
            panic!("nothing was read");
        };
        assert_eq!(*own, poll(1002));
        let Right::Recorded(read) = second.claim(offers, UnixTime::new(1003.0)) else {
            panic!("nothing was read");
        };
        assert_eq!(*read, poll(1002));
        // Nobody owns a search.
        assert!(matches!(
            second.claim(Resource::Volumes, UnixTime::new(1004.0)),
            Right::Ours(_)
        ));
        assert!(matches!(
            first.claim(Resource::Volumes, UnixTime::new(1005.0)),
            Right::Later(_)
        ));
        drop(second);
        assert!(matches!(
            first.claim(Resource::Volumes, UnixTime::new(1006.0)),
            Right::Ours(_)
        ));
    }

    #[test]
    fn the_record_of_a_sandbox_starts_with_its_past_and_gets_it_once() {
        let folder = tempfile::tempdir().unwrap();
        let history = HistoryLocation {
            path: Some(folder.path().join("history.sqlite")),
            market: "sandbox-1".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        let past = SandboxPast {
            market: MarketConfig {
                offers: 40,
                ..MarketConfig::default()
            },
            dialect: &Dialect::VAST,
            days: 1,
        };
        let start = || {
            let (outbox, messages) = unbounded_channel();
            Program(
                HistoryThread::start(Some(history.clone()), Some(past), outbox),
                messages,
            )
        };
        let mut first = start();
        let reported = [(); 3].map(|()| first.report());
        let [
            Some(Message::Simulating(Some(Simulation { days: 1, percent: 0 }))),
            Some(Message::Simulating(None)),
            Some(Message::Report(Ok(text))),
        ] = reported
        else {
            panic!("{reported:?}");
        };
        assert!(text.contains("1 simulated day of prices"));
        // A claim takes nothing else for its answer.
        start().claim(Resource::Offers, UnixTime::new(1000.0));
        let database = history.open().unwrap();
        assert_eq!(database.contents().unwrap().polls, 2 * 4);
        // The lowest price is known all the time: a verdict needs that.
        let query = language::default_query(Resource::Offers, &Dialect::VAST);
        let newest = database.contents().unwrap().span.unwrap().1;
        let basis = VerdictBasis::new(query, newest);
        let memory = database.ask(&basis).unwrap().unwrap();
        assert_eq!(memory.watched, 3 * 7 * 3600);
    }

    #[test]
    fn a_past_is_recorded_once_also_beneath_the_polls_of_a_command() {
        let folder = tempfile::tempdir().unwrap();
        let history = HistoryLocation {
            path: Some(folder.path().join("history.sqlite")),
            market: "sandbox-1".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        let past = SandboxPast {
            market: MarketConfig {
                offers: 40,
                ..MarketConfig::default()
            },
            dialect: &Dialect::VAST,
            days: 1,
        };
        let query = Query::empty(Resource::Offers);
        // The first poll of a command: what the newest moment of the past had, but for one offer; then one without it all.
        let polls = past.polls().filter(|poll| poll.scope.resource == Resource::Offers);
        let mut first = polls.max_by_key(|poll| poll.at).unwrap();
        let kept = first.sightings.split_off(1);
        let gone = std::mem::replace(&mut first.sightings, kept);
        let machine = gone[0].lot.machine;
        first.lines.retain(|seen| seen.line.lot.machine != machine);
        first.at = Moment(first.at.0 - 600);
        let second = Poll {
            at: Moment(first.at.0 + 300),
            sightings: Vec::new(),
            lines: Vec::new(),
            ..first.clone()
        };
        let mut database = history.open().unwrap();
        for poll in [&first, &second] {
            assert!(database.record(poll).unwrap());
        }
        drop(database);
        // Three programs at once.
        let programs = [(); 3].map(|()| {
            let (outbox, messages) = unbounded_channel();
            Program(
                HistoryThread::start(Some(history.clone()), Some(past), outbox),
                messages,
            )
        });
        let mut reported = 0;
        for mut program in programs {
            program.0.take(HistoryJob::ClaimPoll {
                ticket: Ticket(1),
                claim: Box::new(claim(Resource::Volumes, UnixTime::new(1000.0))),
            });
            // The answer comes after the past.
            loop {
                match program.1.blocking_recv().unwrap() {
                    Message::News { .. } => break,
                    message => reported += usize::from(matches!(message, Message::Report(Ok(_)))),
                }
            }
        }
        assert_eq!(reported, 1, "one of them records it");
        let database = history.open().unwrap();
        // Of volumes four; of offers the moments before the command's two polls, which the newest one is not.
        assert_eq!(database.contents().unwrap().polls, 4 + 3 + 2);
        let always = Question {
            query,
            since: Moment(0),
            until: Moment(i64::MAX),
        };
        let excerpt = database.excerpt(&always).unwrap();
        let times: Vec<Moment> = excerpt.polls.iter().map(|poll| poll.at).collect();
        assert!(
            times.is_sorted() && times.ends_with(&[first.at, second.at]),
            "{times:?}"
        );
        // What was there all the time is one spell, which the second poll ended, as it has nothing.
        let ends = |spell: &Spell| spell.end.map(|(_, at)| at);
        let mut spells = excerpt.spells.iter();
        assert!(spells.any(|spell| spell.first < first.at && ends(spell) == Some(second.at)));
        // What the first poll lacked had ended by then.
        let mut lacked = excerpt.spells.iter().filter(|spell| spell.lot.machine == machine);
        assert!(lacked.all(|spell| ends(spell).is_some_and(|end| end <= first.at)));
        // At most one spell of a lot is open, and all of one lot are apart.
        for spell in &excerpt.spells {
            let others = excerpt
                .spells
                .iter()
                .filter(|other| other.lot == spell.lot && other.first > spell.first);
            assert!(
                others
                    .into_iter()
                    .all(|other| ends(spell).is_some_and(|end| end <= other.first)),
                "{spell:?}"
            );
        }
    }

    #[test]
    fn a_past_that_leaving_stops_is_simulated_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let history = HistoryLocation {
            path: Some(folder.path().join("history.sqlite")),
            market: "sandbox-1".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        let past = |days| SandboxPast {
            market: MarketConfig {
                offers: 40,
                ..MarketConfig::default()
            },
            dialect: &Dialect::VAST,
            days,
        };
        let polls = || history.open().unwrap().contents().unwrap().polls;
        let start = |days| HistoryThread::start(Some(history.clone()), Some(past(days)), unbounded_channel().0);
        let thread = start(300); // much work
        thread.take(HistoryJob::Record(Box::new(poll(1002))));
        drop(thread);
        assert_eq!(polls(), 0);
        drop(start(0));
        assert_eq!(polls(), 0);
        let (outbox, messages) = unbounded_channel();
        let second = HistoryThread::start(Some(history.clone()), Some(past(1)), outbox);
        second.take(HistoryJob::Record(Box::new(poll(1002))));
        let mut second = Program(second, messages);
        // It says that it starts, and that it is done.
        let reported = [(); 3].map(|()| second.report());
        assert!(matches!(
            reported,
            [
                Some(Message::Simulating(Some(Simulation { days: 1, percent: 0 }))),
                _,
                Some(Message::Report(Ok(_)))
            ]
        ));
        second.claim(Resource::Offers, UnixTime::new(1000.0));
        assert_eq!(polls(), 2 * 4 + 1);
    }

    #[test]
    fn a_file_that_was_of_no_use_and_is_gone_starts_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.sqlite");
        std::fs::write(&path, "no database, but long enough to have a header ".repeat(9)).unwrap();
        let history = HistoryLocation {
            path: Some(path.clone()),
            market: "test".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        let mut program = Program::start(Some(&history));
        program.0.take(HistoryJob::Record(Box::new(poll(1002))));
        let reported = program.1.blocking_recv();
        assert!(matches!(reported, Some(Message::Report(Err(_)))));
        Database::set_aside(&path, "2026-11-23").unwrap();
        program.0.take(HistoryJob::Record(Box::new(poll(1032))));
        // Dropping it waits until that is written.
        drop(program);
        assert_eq!(history.open().unwrap().contents().unwrap().polls, 1);
    }

    #[test]
    fn without_a_record_every_program_polls_and_says_so_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let history = HistoryLocation {
            path: Some(file.join("history.sqlite")),
            market: "test".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        for history in [None, Some(&history)] {
            let mut program = Program::start(history);
            program.0.take(HistoryJob::Record(Box::new(poll(1002))));
            if history.is_some() {
                let reported = program.1.blocking_recv();
                assert!(matches!(reported, Some(Message::Report(Err(_)))));
            }
            let right = program.claim(Resource::Offers, UnixTime::new(1003.0));
            assert!(matches!(right, Right::Ours(_)));
        }
    }
}
