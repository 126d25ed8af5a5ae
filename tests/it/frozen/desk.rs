//! The pure core at a script's keyboard: a virtual clock and the real client.
//!
//! Time stands still but for `wait` and for replies, which take [`LATENCY`] each. The runtime's own
//! clock is paused too and follows, so that the waits and retries of the session are the real ones.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::mpsc;
use std::time::Duration;

use bourse::api::wire::{self, Answer};
use bourse::api::{ApiError, LedgerEntry, Operation, Progress, Reply, Request, Session, Wait};
use bourse::core::message as core;
use bourse::core::message::Routed;
use bourse::core::{Message, Model, Now, Ticket, update};
use bourse::domain::time::MonotonicTime;
use bourse::record::store::Database;
use bourse::table::remote::{self, Waiting};
use bourse::tui::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;

use super::effects::lines_of;
use super::given::{Given, START, key_event};
use super::golden::Record;
use super::market::{Asked, KEY, Market};
use super::script::{How, Reply as Planned, Script, Step, What};

/// How long a reply takes, in milliseconds.
const LATENCY: u64 = 100;

/// How long after a key the dashboard gets to be answered, in milliseconds.
const SETTLED: u64 = 3000;

/// Plays a script on a terminal of this size.
pub fn play(script: &Script, size: (u16, u16)) -> Record {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    // Pauses before a retry are random.
    fastrand::seed(1);
    let (tell, news) = unbounded_channel();
    let arrived = tell.clone();
    let market = Market::open(move |asked| drop(arrived.send(News::Arrived(asked))));
    runtime.block_on(async {
        // While a task blocks, the paused clock does not move by itself.
        let (end, ended) = mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || ended.recv());
        let mut desk = Desk::new(script, size, &market, (tell, news));
        for step in &script.steps {
            desk.step(step).await;
        }
        desk.show("end");
        drop(end);
        Record {
            log: desk.log,
            shots: desk.shots,
        }
    })
}

/// A request between its effect and its reply.
struct Call {
    number: usize,
    request: Request,
    task: JoinHandle<()>,
    /// When it was sent last.
    sent: u64,
    bytes: usize,
    body: Vec<u8>,
    at: At,
}

/// Where a call is.
enum At {
    /// At the client: something happens without time passing.
    Client,
    /// At the client, which waits until then.
    Pause(u64),
    /// At the server, which replies then; at the second moment the client gives up.
    Server(Box<Asked>, How, u64, u64),
}

enum News {
    Arrived(Asked),
    Progress(Ticket, Progress),
    Ended(Ticket, Result<Reply, ApiError>),
}

pub struct Desk<'m> {
    model: Model,
    is_started: bool,
    milliseconds: u64,
    pub market: &'m Market,
    pub session: Session,
    calls: BTreeMap<Ticket, Call>,
    asked: usize,
    planned: Vec<Planned>,
    is_held: bool,
    /// Requests that were given up: their connections stay open, as those of a slow server do.
    given_up: Vec<Asked>,
    news: UnboundedReceiver<News>,
    tell: UnboundedSender<News>,
    pub inbox: VecDeque<Message>,
    pub database: Database,
    pub has_past: bool,
    pub saved: HashMap<&'static str, Vec<String>>,
    pub written: BTreeSet<String>,
    terminal: Terminal<TestBackend>,
    title: String,
    logged_at: Option<u64>,
    log: Vec<String>,
    shots: Vec<(String, Buffer)>,
}

impl<'m> Desk<'m> {
    fn new(
        script: &Script,
        size: (u16, u16),
        market: &'m Market,
        (tell, news): (UnboundedSender<News>, UnboundedReceiver<News>),
    ) -> Self {
        let given = Given::of(script);
        let mut model = given.model(market);
        model.screen.size = size;
        Self {
            session: market.session(model.profile.dialect),
            saved: HashMap::from([("the state", lines_of(&model.snapshot()))]),
            model,
            is_started: false,
            milliseconds: 0,
            market,
            calls: BTreeMap::new(),
            asked: 0,
            planned: Vec::new(),
            is_held: false,
            given_up: Vec::new(),
            news,
            tell,
            inbox: VecDeque::new(),
            database: Database::in_memory("https://market.example").unwrap(),
            has_past: given.has("a recorded week"),
            written: BTreeSet::new(),
            terminal: Terminal::new(TestBackend::new(size.0, size.1)).unwrap(),
            title: String::new(),
            logged_at: None,
            log: Vec::new(),
            shots: Vec::new(),
        }
    }

    async fn step(&mut self, step: &Step) {
        match &step.what {
            What::Given(_) => return,
            What::Reply(reply) => return self.planned.push(reply.clone()),
            What::Hold(true) => {
                self.is_held = true;
                return;
            }
            _ => {}
        }
        if !std::mem::replace(&mut self.is_started, true) {
            self.note("# start");
            self.input(Message::Started).await;
        }
        self.note(&format!("# {}", step.line));
        match &step.what {
            What::Press(keys) => {
                // How many lines there are, and which: a frame says it. Quick hands share one.
                self.draw();
                for key in keys {
                    self.input(Message::Key(key_event(key))).await;
                }
            }
            What::Type(text) => {
                for character in text.chars() {
                    let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE);
                    self.input(Message::Key(key)).await;
                }
            }
            What::Paste(text) => self.input(Message::Paste(text.clone())).await,
            What::Click(text) => {
                let (column, row) = self.place_of(text);
                let event = MouseEvent {
                    kind: MouseEventKind::Down(MouseButton::Left),
                    column,
                    row,
                    modifiers: KeyModifiers::NONE,
                };
                self.input(Message::Mouse(event)).await;
            }
            What::Wait(span) => self.advance(self.milliseconds + span, false).await,
            What::Show(name) => self.show(name),
            What::Size(columns, rows) => {
                self.terminal = Terminal::new(TestBackend::new(*columns, *rows)).unwrap();
                self.input(Message::Resized(*columns, *rows)).await;
            }
            What::Hold(_) => {
                self.is_held = false;
                self.settle().await;
            }
            What::Given(_) | What::Reply(_) => {}
        }
    }

    async fn input(&mut self, message: Message) {
        self.inbox.push_back(message);
        self.settle().await;
    }

    fn now(&self) -> Now {
        let seconds = self.milliseconds as f64 / 1000.0;
        let (mono, epoch) = (MonotonicTime::new(seconds), START + seconds);
        Now { mono, epoch }
    }

    /// Handles messages, and carries out their effects, until there are none.
    async fn pump(&mut self) {
        while let Some(message) = self.inbox.pop_front() {
            let now = self.now();
            for effect in update(&mut self.model, now, message) {
                self.carry_out(effect).await;
            }
        }
        let title = bourse::core::title(&self.model);
        if title != self.title {
            self.note(&format!("title {title}"));
            self.title = title;
        }
    }

    /// Lets the replies arrive that are on their way.
    async fn settle(&mut self) {
        self.advance(self.milliseconds + SETTLED, true).await;
    }

    /// Lets time pass until then, or until no reply is on its way.
    async fn advance(&mut self, until: u64, only_while_asked: bool) {
        let mut idle = 0;
        loop {
            self.pump().await;
            let is_coming = |call: &Call| !self.is_held && matches!(call.at, At::Server(..) | At::Client);
            if only_while_asked && !self.calls.values().any(is_coming) {
                return;
            }
            let now = self.milliseconds;
            let deadline = self.model.deadline(self.now());
            let deadline = deadline.map(|at| ((at.seconds() * 1000.0).ceil() as u64).max(now));
            let calls = self.calls.values().map(|call| match &call.at {
                At::Client => now,
                At::Pause(until) => *until,
                At::Server(_, _, _, given_up) if self.is_held => *given_up,
                At::Server(_, _, due, given_up) => *due.min(given_up),
            });
            let next = calls.chain(deadline).min().unwrap_or(u64::MAX);
            idle = if next > now { 0 } else { idle + 1 };
            assert!(idle < 1000, "something is due all the time");
            self.milliseconds = next.min(until);
            tokio::time::advance(Duration::from_millis(self.milliseconds - now)).await;
            if next > until {
                return;
            }
            self.serve().await;
            if deadline == Some(next) {
                self.inbox.push_back(Message::Deadline);
            }
        }
    }

    /// Replies to what is due, and lets the client go on where its wait is over.
    async fn serve(&mut self) {
        let now = self.milliseconds;
        let tickets: Vec<Ticket> = self.calls.keys().copied().collect();
        for ticket in tickets {
            let Some(call) = self.calls.get_mut(&ticket) else {
                continue;
            };
            call.at = match std::mem::replace(&mut call.at, At::Client) {
                At::Server(asked, how, due, _) if due <= now && !self.is_held => {
                    let (number, said) = (call.number, self.market.reply(*asked, &how));
                    call.body = said.0;
                    self.note(&format!("{} (#{number})", said.1));
                    self.hear().await;
                    continue;
                }
                At::Server(asked, _, _, given_up) if given_up <= now => {
                    self.given_up.push(*asked);
                    At::Client
                }
                At::Pause(until) if until <= now => At::Client,
                waits => waits,
            };
            self.hear().await;
        }
    }

    /// Hears of the calls until none of them is at the client.
    pub async fn hear(&mut self) {
        let is_moving = |call: &Call| matches!(call.at, At::Client);
        while self.calls.values().any(is_moving) {
            let news = self.news.recv().await.unwrap();
            self.heard(news);
        }
    }

    fn heard(&mut self, news: News) {
        match news {
            News::Arrived(asked) => self.arrived(asked),
            News::Progress(ticket, progress) => self.progressed(ticket, progress),
            News::Ended(ticket, result) => {
                let Some(call) = self.calls.remove(&ticket) else {
                    return;
                };
                let response = self.read_now(&call, result);
                let is_route = call.request.operation() == Operation::Route;
                let news = if is_route {
                    core::News::Routed(Box::new(Routed {
                        sent: MonotonicTime::new(call.sent as f64 / 1000.0),
                        ended: self.now().mono,
                        bytes: call.bytes as u64,
                        response,
                        called: None,
                    }))
                } else {
                    core::News::Reply(Box::new(response))
                };
                self.inbox.push_back(Message::News { ticket, news });
            }
        }
    }

    /// A request is at the server. Calls are followed one after the other: it is of the one that moves.
    fn arrived(&mut self, asked: Asked) {
        let mut calls = self.calls.values_mut();
        let call = calls.find(|call| matches!(call.at, At::Client));
        let call = call.expect("nobody asked");
        let to = operation_word(call.request.operation());
        let planned = self.planned.iter().position(|reply| reply.to == to);
        let how = planned.map_or(How::Sandbox, |place| self.planned.remove(place).how);
        let recorded = &asked.0;
        let headers = recorded.headers.iter();
        let headers: Vec<String> = headers.map(|(name, value)| header(name, value)).collect();
        let mut said = format!(
            ">> {} {} (#{}) | {}",
            recorded.method,
            recorded.path,
            call.number,
            headers.join(" | ")
        );
        if !recorded.body.is_empty() {
            said += "\n>> ";
            said += &String::from_utf8_lossy(&recorded.body);
        }
        call.sent = self.milliseconds;
        let silence = call.request.operation().longest_silence().as_millis() as u64;
        // A timer fires at the next millisecond.
        let given_up = call.sent + silence + 2;
        call.at = At::Server(Box::new(asked), how, call.sent + LATENCY, given_up);
        self.note(&said);
    }

    fn progressed(&mut self, ticket: Ticket, progress: Progress) {
        let (now, epoch) = (self.milliseconds, self.now().epoch);
        let call = self.calls.get_mut(&ticket);
        let brings = |number, waiting| Message::News {
            ticket,
            news: core::News::Progress(remote::Progress::Attempt { number, waiting }),
        };
        let message = match progress {
            // How a body is cut into packets is up to the system.
            Progress::Received(_) => return,
            Progress::Sent { attempt } => brings(attempt, None),
            Progress::Waiting { attempt, span, why } => {
                let until = now + span.as_millis() as u64;
                let why = match why {
                    Wait::Turn => "rate limited".to_owned(),
                    Wait::Fault(error) => error.to_string(),
                };
                if let Some(call) = call {
                    call.at = At::Pause(until);
                    let number = call.number;
                    self.note(&format!("wait {} ms with #{number}: {why}", until - now));
                }
                let until = MonotonicTime::new(until as f64 / 1000.0);
                brings(attempt, Some(Waiting { until, why }))
            }
            Progress::Tried(entry) => {
                if let Some(call) = call {
                    call.bytes = entry.bytes_received;
                }
                let url = self.market.named(&entry.url, "https://market.example");
                let at = epoch - entry.took.as_secs_f64();
                Message::Recorded {
                    ticket: Some(ticket),
                    entry: Box::new(LedgerEntry { at, url, ..*entry }),
                }
            }
        };
        self.inbox.push_back(message);
    }

    /// The records as they are read at this moment of the virtual clock.
    fn read_now(&self, call: &Call, result: Result<Reply, ApiError>) -> Result<Reply, ApiError> {
        let Ok(Reply::Records(_)) = result else {
            return result;
        };
        let answer = Answer {
            status: 200,
            body: &call.body,
            ..Answer::default()
        };
        wire::decode(&call.request, answer, self.now().epoch)
    }

    /// Starts a call; returns its number.
    pub fn call(&mut self, ticket: Ticket, request: Request) -> usize {
        self.asked += 1;
        let (session, tell, own) = (self.session.clone(), self.tell.clone(), request.clone());
        let task = tokio::spawn(async move {
            let notify = |progress| drop(tell.send(News::Progress(ticket, progress)));
            let result = session.run(&own, notify).await;
            let _ = tell.send(News::Ended(ticket, result));
        });
        let call = Call {
            number: self.asked,
            request,
            task,
            sent: self.milliseconds,
            bytes: 0,
            body: Vec::new(),
            at: At::Client,
        };
        self.calls.insert(ticket, call);
        self.asked
    }

    pub async fn abort(&mut self, ticket: Ticket) {
        if let Some(call) = self.calls.remove(&ticket) {
            self.note(&format!("abort #{}", call.number));
            call.task.abort();
            let _ = call.task.await;
            while let Ok(news) = self.news.try_recv() {
                self.heard(news);
            }
        }
    }

    pub fn note(&mut self, text: &str) {
        if self.logged_at.replace(self.milliseconds) != Some(self.milliseconds) {
            self.log.push(format!("at {:.3} s", self.now().mono.seconds()));
        }
        self.log.extend(text.lines().map(|line| format!("  {line}")));
    }

    fn draw(&mut self) -> &Buffer {
        let (model, now) = (&self.model, self.now());
        let theme = model.settings.themes.shown.unwrap_or(Theme::DARK);
        let mut layout = None;
        let drawn = self.terminal.draw(|frame| {
            layout = Some(bourse::frame::draw(frame, model, now, &theme));
        });
        drawn.unwrap();
        self.model.layout = layout.unwrap();
        self.terminal.backend().buffer()
    }

    fn show(&mut self, name: &str) {
        let screen = self.draw().clone();
        self.shots.push((name.to_owned(), screen));
    }

    /// The cell where a text begins on the screen.
    fn place_of(&mut self, text: &str) -> (u16, u16) {
        let screen = self.draw();
        let place = (0..screen.area.height).find_map(|y| {
            let cells = (0..screen.area.width).map(|x| screen[(x, y)].symbol());
            let line: String = cells.collect();
            let at = line.find(text)?;
            Some((line[..at].chars().count() as u16, y))
        });
        place.unwrap_or_else(|| panic!("{text:?} is not on the screen"))
    }
}

/// The name of an operation; `reply` has the same.
pub const fn operation_word(operation: Operation) -> &'static str {
    match operation {
        Operation::SearchOffers => "offers",
        Operation::SearchVolumes => "volumes",
        Operation::UnlistVolume => "unlist",
        Operation::ListWorkergroups => "groups",
        Operation::CreateWorkergroup => "create",
        Operation::Route => "route",
    }
}

/// A header without key, port and version.
fn header(name: &str, value: &str) -> String {
    let value = match name {
        "authorization" if value == format!("Bearer {KEY}") => "Bearer <key>".to_owned(),
        "authorization" => "Bearer <another key>".to_owned(),
        "host" => "<host>".to_owned(),
        "user-agent" => value.replace(env!("CARGO_PKG_VERSION"), "<version>"),
        _ => value.to_owned(),
    };
    format!("{name}: {value}")
}
