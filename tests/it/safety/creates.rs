//! Creating: at most one request for each confirmation, whatever is pressed and however the market
//! and the computer fail; and no word of an outcome that is not the truth.

use std::time::Duration;

use bourse::api::{ApiError, ErrorBody, Reply, Request, Unreachable};
use bourse::core::Pane;
use bourse::core::message::Message;
use bourse::domain::journal::{Line, Verdict, WriteKind};
use bourse::domain::workergroup::{Draft, Key};
use bourse::domain::{RowId, Untrusted};
use bourse::features::workergroups::Groups;
use crossterm::event::KeyCode;

use super::core::{Core, Sent};
use crate::cases::cases;

const ENDPOINT: &str = "chat";
const SEARCH: &str = "gpu_name=RTX_4090 verified=true rentable=true rented=false";

/// The market: what it has created, as the list shows it.
#[derive(Default)]
struct Market {
    groups: Vec<String>,
    created: usize,
}

impl Market {
    fn record(id: usize, endpoint: &str) -> String {
        format!(
            r#"{{"id":{id},"endpoint_name":"{endpoint}","search_query":"{SEARCH}","created_at":"2026-11-20T12:00:01Z"}}"#
        )
    }

    /// Carries a creation out; gives its id.
    fn create(&mut self) -> usize {
        self.created += 1;
        let id = 1000 + self.groups.len();
        self.groups.push(Self::record(id, ENDPOINT));
        id
    }

    /// Somebody else makes a group.
    fn other(&mut self, endpoint: &str) {
        let id = 1000 + self.groups.len();
        self.groups.push(Self::record(id, endpoint));
    }

    fn list(&self) -> String {
        format!(r#"{{"success":true,"results":[{}]}}"#, self.groups.join(","))
    }
}

fn said(words: &str) -> ErrorBody {
    ErrorBody::Words {
        code: None,
        message: Some(Untrusted::from(words)),
    }
}

/// Replies that leave open whether the creation was carried out.
fn losses() -> Vec<ApiError> {
    let page = || ErrorBody::Page { title: None };
    let mut losses = vec![
        ApiError::Lost,
        ApiError::TimedOut {
            after: Duration::from_secs(60),
        },
        ApiError::Cut {
            bytes: 9,
            records: None,
        },
        ApiError::TooLarge {
            bound: 1,
            is_search: false,
        },
        ApiError::Html {
            status: 200,
            title: None,
        },
        ApiError::Unreadable {
            status: 200,
            why: "no id".to_owned(),
        },
        ApiError::Empty { status: 204 },
        ApiError::Invalid {
            status: 409,
            said: said("conflict"),
        },
        ApiError::Invalid {
            status: 400,
            said: page(),
        },
        ApiError::RateLimited {
            threshold: None,
            retry_after: None,
            said: page(),
        },
        ApiError::NotPermitted { said: ErrorBody::Noise },
    ];
    losses.extend([301, 302, 303, 307, 308].map(|status| ApiError::Redirected { status, to: None }));
    losses.extend([500, 502, 503, 504].map(|status| ApiError::Server {
        status,
        said: said("try again"),
    }));
    losses
}

/// Replies after which nothing was carried out.
fn refusals() -> Vec<ApiError> {
    vec![
        ApiError::NotConnected {
            host: "h".to_owned(),
            why: Unreachable::NobodyListens,
        },
        ApiError::Misconfigured("no".to_owned()),
        ApiError::Refused {
            status: 401,
            said: said("Invalid user key"),
        },
        ApiError::Invalid {
            status: 400,
            said: said("bad template"),
        },
        ApiError::RateLimited {
            threshold: Some(5.0),
            retry_after: None,
            said: said("too frequent"),
        },
        ApiError::Failure {
            said: said("no such template"),
        },
    ]
}

/// What is put in on purpose, to see that it is found.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    /// The transport repeats what it sent, as one that follows a 307 does.
    SendsTwice,
    /// The program forgets its journal when it is killed.
    Forgets,
}

/// A person, the program and the market.
struct Schedule {
    core: Core,
    market: Market,
    random: fastrand::Rng,
    flaw: Flaw,
    /// Requests that reached the market or may have.
    arrived: usize,
    /// How often the person has typed the word since the last request.
    words: usize,
    /// Creations of unknown outcome on which the person has not decided: key and body.
    open: Vec<(String, String)>,
    /// How often the person has typed a decision since the last one was kept, and how many were kept.
    decisions: usize,
    kept: usize,
}

impl Schedule {
    fn new(seed: u64, flaw: Flaw) -> Self {
        Self {
            core: Core::new(Pane::Workergroups),
            market: Market::default(),
            random: fastrand::Rng::with_seed(seed),
            flaw,
            arrived: 0,
            words: 0,
            open: Vec::new(),
            decisions: 0,
            kept: 0,
        }
    }

    /// Opens the dialog for the same workergroup.
    fn open(&mut self) {
        for _ in 0..6 {
            self.core.key(KeyCode::Esc);
        }
        self.core.type_text("3");
        let draft = &mut self.core.model.feature_mut::<Groups>().draft;
        draft.load(Draft::default());
        draft.put(Key::EndpointName, ENDPOINT);
        draft.put(Key::SearchParams, SEARCH);
        self.core.type_text("n");
        self.core.key(KeyCode::PageDown);
        self.core.key(KeyCode::Enter);
    }

    /// One thing that happens.
    fn step(&mut self) -> Result<(), String> {
        match self.random.u8(0..20) {
            0..4 => self.open(),
            4..8 => {
                self.core.type_text("create");
                self.words += 1;
                self.enter(1)?;
            }
            8 => self.enter(2)?,
            9 => self.enter(6)?,
            10 => self.core.send(Message::Paste("create\n".to_owned())),
            11 => {
                let size = (self.random.u16(20..200), self.random.u16(5..60));
                self.core.send(Message::Resized(size.0, size.1));
            }
            12 => self.core.key(KeyCode::Esc),
            13 => self.core.control('u'),
            14 => self.core.wait(self.random.f64() * 70.0),
            15 => {
                let groups = self.market.list();
                self.core.answer_reads(&groups);
            }
            16 => self.decide()?,
            17 => {
                self.core.now.epoch += 3600.0;
                self.core.send(Message::Woken { spread: 0.5 });
            }
            18 => self.kill(),
            _ => self.reply(),
        }
        self.deliver()
    }

    fn enter(&mut self, times: usize) -> Result<(), String> {
        for _ in 0..times {
            self.core.key(KeyCode::Enter);
            self.deliver()?;
        }
        Ok(())
    }

    /// The person decides on what is unknown, if that is asked.
    fn decide(&mut self) -> Result<(), String> {
        self.core.control('u');
        let words = ["none", "created", "mine"];
        self.core.type_text(words[self.random.usize(..3)]);
        self.decisions += 1;
        self.enter(1)
    }

    /// Takes the decisions that were kept since the last look; only words that were typed make one.
    fn take_decisions(&mut self) -> Result<(), String> {
        let decided = self.core.journal.iter().filter_map(|line| match line {
            Line::Outcome(outcome) if outcome.words.ends_with("as you decided") => Some(outcome.key.clone()),
            Line::Outcome(_) | Line::Intent(_) | Line::Command(_) | Line::CommandEnd(_) => None,
        });
        let decided: Vec<String> = decided.collect();
        if decided.len() > self.kept && self.decisions == 0 {
            return Err("a decision that nobody made".to_owned());
        }
        if decided.len() > self.kept {
            (self.kept, self.decisions) = (decided.len(), 0);
        }
        self.open.retain(|(key, _)| !decided.contains(key));
        Ok(())
    }

    /// Takes what the core has sent to the market.
    fn deliver(&mut self) -> Result<(), String> {
        if self.core.writes.len() > 1 {
            return Err("a second one while the first is under way".to_owned());
        }
        self.take_decisions()?;
        if !self.is_new() {
            return Ok(());
        }
        self.arrived += 1 + usize::from(self.flaw == Flaw::SendsTwice);
        let sent = self.core.writes.last().ok_or("nothing is under way")?;
        let Request::CreateWorkergroup(new) = &sent.request else {
            return Err("another write".to_owned());
        };
        if self.open.iter().any(|(_, body)| *body == new.body()) {
            return Err("the same again, its outcome unknown".to_owned());
        }
        if self.words == 0 {
            return Err("one that nobody confirmed".to_owned());
        }
        self.words = 0;
        self.open.push((sent.intent.key.clone(), new.body()));
        Ok(())
    }

    /// Whether a request is under way that was not counted.
    fn is_new(&self) -> bool {
        let is_intent = |line: &&Line| matches!(line, Line::Intent(_));
        self.core.journal.iter().filter(is_intent).count() > self.counted()
    }

    fn counted(&self) -> usize {
        self.arrived / (1 + usize::from(self.flaw == Flaw::SendsTwice))
    }

    /// The market answers what is under way, or the answer is lost.
    fn reply(&mut self) {
        let Some(sent) = self.core.writes.pop() else {
            return;
        };
        let (losses, refusals) = (losses(), refusals());
        let result = match self.random.u8(0..3) {
            0 => Ok(Reply::Created {
                id: self.market.create() as i64,
            }),
            1 => {
                if self.random.bool() {
                    self.market.create();
                }
                Err(losses[self.random.usize(..losses.len())].clone())
            }
            _ => Err(refusals[self.random.usize(..refusals.len())].clone()),
        };
        let is_known = match &result {
            Ok(_) => true,
            Err(error) => refusals.contains(error),
        };
        if is_known {
            self.open.retain(|(key, _)| *key != sent.intent.key);
        }
        self.core.answer(&sent, result);
    }

    /// The program dies, with a write under way or not, and is started again.
    fn kill(&mut self) {
        if self.core.writes.pop().is_some() && self.random.bool() {
            self.market.create();
        }
        let journal = std::mem::take(&mut self.core.journal);
        let epoch = self.core.now.epoch + 5.0;
        let restored = match self.flaw {
            Flaw::Forgets => Vec::new(),
            Flaw::None | Flaw::SendsTwice => journal.clone(),
        };
        self.core = Core::restarted(Pane::Workergroups, epoch, restored);
        self.core.journal = journal;
    }
}

/// Runs a schedule; gives the confirmations and the creations at the market.
fn run(seed: u64, flaw: Flaw) -> Result<usize, String> {
    let mut schedule = Schedule::new(seed, flaw);
    let (mut confirmed, mut counted) = (0, 0);
    for _ in 0..60 {
        schedule.step()?;
        confirmed += usize::from(schedule.counted() > counted);
        counted = schedule.counted();
        if schedule.arrived > confirmed {
            return Err("more requests than confirmations".to_owned());
        }
        if schedule.market.created > schedule.arrived {
            return Err("more creations than requests".to_owned());
        }
    }
    Ok(confirmed)
}

fn run_all(seeds: std::ops::Range<u64>) {
    let many = seeds.clone().count();
    let mut confirmed = 0;
    for seed in seeds {
        confirmed += run(seed, Flaw::None).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    assert!(confirmed > many, "{confirmed}: hardly anything was sent");
}

#[test]
fn no_schedule_sends_more_than_was_confirmed() {
    run_all(0..cases(30, 3_000));
}

#[test]
fn a_transport_that_repeats_and_a_program_that_forgets_are_found_out() {
    for flaw in [Flaw::SendsTwice, Flaw::Forgets] {
        let found = (0..25).filter(|seed| run(*seed, flaw).is_err()).count();
        assert!(found > 2, "{found}");
    }
}

/// Sends a creation; gives what is under way.
fn creation(others: &Market) -> (Core, Sent) {
    let mut core = Core::new(Pane::Workergroups);
    core.answer_reads(&others.list());
    let draft = &mut core.model.feature_mut::<Groups>().draft;
    draft.put(Key::EndpointName, ENDPOINT);
    draft.put(Key::SearchParams, SEARCH);
    core.type_text("n");
    core.key(KeyCode::PageDown);
    core.key(KeyCode::Enter);
    core.answer_reads(&others.list());
    core.type_text("create");
    core.key(KeyCode::Enter);
    let sent = core.writes.pop().expect("a creation");
    assert!(matches!(sent.request, Request::CreateWorkergroup(_)));
    (core, sent)
}

/// What the program says became of the latest creation.
fn verdict(core: &Core) -> Verdict {
    let mut past = core.model.mutations.past(WriteKind::CreateWorkergroup);
    past.next().unwrap().verdict()
}

/// One creation with a reply of any kind; `is_liar` says so of every lost one, as a check of this
/// check.
fn check_outcome(seed: u64, is_liar: bool) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut market = Market::default();
    for _ in 0..random.usize(..4) {
        // Also older groups of the same endpoint.
        market.other([ENDPOINT, "other"][random.usize(..2)]);
    }
    let (mut core, sent) = creation(&market);
    let (losses, refusals) = (losses(), refusals());
    let is_lost = random.u8(0..4) > 0;
    let mut created = None;
    let result = if is_lost {
        created = random.bool().then(|| market.create());
        Err(losses[random.usize(..losses.len())].clone())
    } else if random.bool() {
        created = Some(market.create());
        Ok(Reply::Created {
            id: created.unwrap() as i64,
        })
    } else {
        Err(refusals[random.usize(..refusals.len())].clone())
    };
    core.answer(&sent, result);
    let verdict = match (is_liar && is_lost, verdict(&core)) {
        (true, _) => Verdict::Refused,
        (false, verdict) => verdict,
    };
    match (verdict, created) {
        (Verdict::Refused, Some(_)) => return Err("created, and told as refused".to_owned()),
        (Verdict::Done, None) => return Err("not created, and told as done".to_owned()),
        (Verdict::Unknown, _) if !is_lost => return Err("known, and told as unknown".to_owned()),
        _ => {}
    }
    if !is_lost {
        return Ok(());
    }
    // Somebody else's group appears meanwhile; the list may lag behind.
    if random.bool() {
        market.other("somebody-else");
    }
    core.answer_reads(&market.list());
    let unresolved = Groups::read(&core.model).creation.unresolved();
    let candidates = &unresolved.ok_or("nothing is left to decide")?.candidates;
    let right: Vec<RowId> = created.map(|id| RowId(id as i64)).into_iter().collect();
    (*candidates == right)
        .then_some(())
        .ok_or_else(|| format!("{candidates:?} in place of {right:?}"))
}

#[test]
fn no_lost_reply_is_told_as_done_or_refused_and_the_list_names_the_right_one() {
    all_told(cases(50, 2000));
    let found = (0..50).filter(|seed| check_outcome(*seed, true).is_err()).count();
    assert!(found > 5, "{found}: a liar is found out");
}

fn all_told(many: u64) {
    for seed in 0..many {
        check_outcome(seed, false).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}
