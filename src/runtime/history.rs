//! The thread that owns the recorded market: it writes and reads one job after another, since both
//! wait for the disk.
//!
//! A database that cannot be used costs one message; the dashboard goes on without it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use crate::api::wire::{self, Answer as WireAnswer};
use crate::api::{Reply, Request};
use crate::app::message::RingClaim;
use crate::app::turns::{GivenBack, SharedRequest, Turn, TurnRequest};
use crate::app::{Message, Ticket};
use crate::domain::history::{Answer, Moment, Poll, Question};
use crate::store::history::{Database, HistoryError, HistoryPlace, Holder, SharedResponse};

/// How long leaving waits for the pending jobs.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) enum HistoryJob {
    Record(Box<Poll>),
    Recall {
        ticket: Ticket,
        question: Question,
    },
    Claim(Box<RingClaim>),
    TakeTurn {
        ticket: Ticket,
        turn: Box<TurnRequest>,
        now: Moment,
    },
    Share {
        request: Box<SharedRequest>,
        response: SharedResponse,
    },
    GiveBack(Box<GivenBack>),
}

impl HistoryJob {
    /// Leaves the response received at `at` for other dashboards.
    pub fn share(request: Box<SharedRequest>, at: f64, body: String) -> Self {
        let response = SharedResponse { at, body };
        Self::Share { request, response }
    }
}

#[derive(Debug)]
pub(super) struct HistoryThread {
    jobs: Option<Sender<HistoryJob>>,
    ended: Receiver<()>,
    outbox: UnboundedSender<Message>,
}

impl HistoryThread {
    /// A thread that opens the database at `place` with the first job and reports to `outbox`.
    /// Without a place nothing is recorded, and nothing recalled.
    pub fn start(place: Option<HistoryPlace>, outbox: UnboundedSender<Message>) -> Self {
        let (jobs, inbox) = channel();
        let (end, ended) = channel();
        let messages = outbox.clone();
        let thread = place.and_then(|place| {
            let run = move || {
                Keeper::new(place, messages).work(&inbox);
                let _ = end.send(());
            };
            let thread = thread::Builder::new().name("history".to_owned());
            thread.spawn(run).ok()
        });
        Self {
            jobs: thread.map(|_| jobs),
            ended,
            outbox,
        }
    }

    /// Queues a job; a question that nobody will answer is answered so, and an alert that nobody can
    /// claim rings.
    pub fn take(&self, job: HistoryJob) {
        let unsent = match &self.jobs {
            Some(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        let answer = match unsent {
            Some(HistoryJob::Recall { ticket, .. }) => Message::Recalled {
                ticket,
                result: Box::new(Err("the market is not recorded".to_owned())),
            },
            Some(HistoryJob::Claim(claim)) => Message::RingClaimed {
                claim,
                is_ours: true,
            },
            Some(HistoryJob::TakeTurn { ticket, .. }) => Message::Turn {
                ticket,
                turn: Box::new(Turn::Ask),
            },
            Some(HistoryJob::Record(_) | HistoryJob::Share { .. } | HistoryJob::GiveBack(_))
            | None => return,
        };
        let _ = self.outbox.send(answer);
    }
}

impl Drop for HistoryThread {
    /// Waits until all is written.
    fn drop(&mut self) {
        if self.jobs.take().is_some() {
            let _ = self.ended.recv_timeout(PATIENCE);
        }
    }
}

/// What the thread works with.
struct Keeper {
    place: HistoryPlace,
    outbox: UnboundedSender<Message>,
    state: State,
    holder: Holder,
    has_lease: bool,
    was_told: bool,
}

enum State {
    Closed,
    Open(Database),
    /// It failed for good.
    Off(HistoryError),
}

impl Keeper {
    fn new(place: HistoryPlace, outbox: UnboundedSender<Message>) -> Self {
        Self {
            place,
            outbox,
            state: State::Closed,
            holder: Holder::of_process(),
            has_lease: false,
            was_told: false,
        }
    }

    fn work(mut self, inbox: &Receiver<HistoryJob>) {
        for job in inbox {
            match job {
                HistoryJob::Record(poll) => {
                    if let Err(error) = self.record(&poll) {
                        self.tell(&error);
                    }
                }
                HistoryJob::Recall { ticket, question } => {
                    let result = self.recall(&question).map_err(|error| {
                        self.tell(&error);
                        error.to_string()
                    });
                    // The receiver is gone once the program ends.
                    let _ = self.outbox.send(Message::Recalled {
                        ticket,
                        result: Box::new(result),
                    });
                }
                HistoryJob::Claim(claim) => {
                    let is_ours = self.claim(&claim);
                    let _ = self.outbox.send(Message::RingClaimed { claim, is_ours });
                }
                HistoryJob::TakeTurn { ticket, turn, now } => {
                    let turn = Box::new(self.turn(&turn, now));
                    let _ = self.outbox.send(Message::Turn { ticket, turn });
                }
                HistoryJob::Share { request, response } => {
                    let (key, holder) = (request.key(), self.holder.clone());
                    // Without it the others ask once the turn lapses.
                    let _ = self.with(|database| database.share(&key, &holder, &response));
                }
                HistoryJob::GiveBack(given) => {
                    let holder = self.holder.clone();
                    // What stays lapses.
                    let _ = self.with(|database| give_back(database, &given, &holder));
                }
            }
        }
        if self.has_lease
            && let State::Open(database) = &mut self.state
        {
            // If it stays, it ends by itself.
            let _ = database.release(&self.holder);
        }
    }

    fn record(&mut self, poll: &Poll) -> Result<(), HistoryError> {
        let holder = self.holder.clone();
        self.with(|database| {
            database.record(poll)?;
            match poll.interval {
                Some(every) => database.take_over(&poll.search, &holder, poll.at, every),
                None => Ok(()),
            }
        })?;
        self.has_lease |= poll.interval.is_some();
        Ok(())
    }

    /// Whether an alert rings here. Better twice than not at all.
    fn claim(&mut self, claim: &RingClaim) -> bool {
        let holder = self.holder.clone();
        let logged = &claim.logged;
        self.with(|database| database.claim_ring(&logged.alert, &holder, logged.at))
            .unwrap_or(true)
    }

    /// Whose turn it is to send a request. Without a database nobody else is known: it is ours.
    fn turn(&mut self, turn: &TurnRequest, now: Moment) -> Turn {
        let holder = self.holder.clone();
        let found = self.with(|database| turn_of(database, turn, &holder, now));
        self.has_lease |= matches!(found, Ok(Turn::Ask));
        found.unwrap_or(Turn::Ask)
    }

    fn recall(&mut self, question: &Question) -> Result<Answer, HistoryError> {
        self.with(|database| database.answer(question))
    }

    /// Uses the database, opened if it is not; one that is beyond use is closed.
    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut Database) -> Result<T, HistoryError>,
    ) -> Result<T, HistoryError> {
        let mut state = std::mem::replace(&mut self.state, State::Closed);
        let result = match &mut state {
            State::Open(database) => act(database),
            State::Off(error) => Err(error.clone()),
            State::Closed => self.place.open().and_then(|mut database| {
                let result = act(&mut database);
                state = State::Open(database);
                result
            }),
        };
        if let Err(error) = &result
            && !error.is_passing()
        {
            state = State::Off(error.clone());
        }
        self.state = state;
        result
    }

    /// Tells the person once.
    fn tell(&mut self, error: &HistoryError) {
        if !std::mem::replace(&mut self.was_told, true) {
            let text = format!("The market is not recorded: {error}");
            let _ = self.outbox.send(Message::HistoryOff(text));
        }
    }
}

/// Lets other programs ask what this one no longer does.
///
/// # Errors
///
/// When the database cannot be written.
pub fn give_back(
    database: &mut Database,
    given: &GivenBack,
    holder: &Holder,
) -> Result<(), HistoryError> {
    if let Some(search) = &given.search {
        database.give_back_lease(search, holder)?;
    }
    database.give_back_turn(&given.request.key(), holder)
}

/// Takes the turn to send a request, or reads what the program that has it received. What cannot be
/// read as a response is no reason to wait.
///
/// # Errors
///
/// When the database cannot be used.
pub fn turn_of(
    database: &mut Database,
    turn: &TurnRequest,
    holder: &Holder,
    now: Moment,
) -> Result<Turn, HistoryError> {
    let key = turn.request.key();
    if database.take_turn(&key, holder, now, turn.every)? {
        return Ok(Turn::Ask);
    }
    let Some(SharedResponse { at, body }) = database.shared(&key, turn.shown)? else {
        return Ok(Turn::Wait);
    };
    let request = Request::Search(turn.request.query.clone());
    let answer = WireAnswer {
        status: 200,
        body: body.as_bytes(),
        ..WireAnswer::default()
    };
    Ok(match wire::decode(&request, answer, at) {
        Ok(Reply::Records(listing)) => {
            crate::app::read_ahead(&listing);
            Turn::Read { listing, at }
        }
        Ok(Reply::Unlisted { .. } | Reply::Created { .. } | Reply::Routed(_)) | Err(_) => Turn::Ask,
    })
}
