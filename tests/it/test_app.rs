//! A dashboard without a runtime: keys in, effects and screens out.

use std::collections::VecDeque;
use std::path::Path;

use bourse::api::{ApiError, Reply, Request};
use bourse::core::frame_layout::Target;
use bourse::core::message::{Effect, EffectError, HistoryJob, Message, News};
use bourse::core::view::Region;
use bourse::core::{Model, Profile, update};
use bourse::domain::annotations::Annotations;
use bourse::domain::document::{AnyDocument, AnyEdit, Document, Edit};
use bourse::domain::saved::{DashboardState, Searches};
use bourse::domain::time::{MonotonicTime, Now, UnixTime};
use bourse::domain::{Dialect, Listing, Query, Resource, language};
use bourse::features::workergroups::drift::SeenGroups;
use bourse::record::Poll;
use bourse::record::alerts::Alerts;
use bourse::record::store::{Database, HistoryLocation, ProgramId, Turns};
use bourse::record::watch::{Claim, Right};
use bourse::table::browser::Arrival;
use bourse::table::remote::Ticket;
use bourse::tui::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// The dashboard, the moment, and what it asked for and was not answered yet.
pub struct TestApp {
    pub model: Model,
    pub now: Now,
    pub calls: Vec<(Ticket, Request)>,
    pub effects: Vec<Effect>,
    /// What it added to the recorded market.
    pub polls: Vec<Poll>,
    pub theme: Theme,
    /// Whether long responses stay unarranged until [`TestApp::arrange`].
    pub holds_arrivals: bool,
    pub arrivals: Vec<Arrival>,
    /// The effects that have not brought their result, by its kind.
    awaited: Vec<(Ticket, &'static str)>,
    /// The files that it shares with other programs.
    pub files: Option<Files>,
    /// Whether another program has claimed each ring of an alert.
    pub rings_elsewhere: bool,
    /// Whether the record is too busy to say who may notify of a ring.
    pub holds_claims: bool,
    terminal: Terminal<TestBackend>,
}

/// A program's files in a state folder, where others may have theirs.
pub struct Files {
    pub database: Database,
    pub turns: Turns,
    program: ProgramId,
}

impl Files {
    pub fn open(folder: &Path) -> Self {
        let place = HistoryLocation {
            path: Some(folder.join("history.sqlite")),
            market: "test".to_owned(),
            dialect: &Dialect::SANDBOX,
        };
        Self {
            database: place.open().unwrap(),
            turns: Turns::new(&place),
            program: ProgramId::of_process(),
        }
    }

    /// Who asks, as the dashboard's own thread finds it out.
    fn right(&mut self, claim: &Claim) -> Right {
        self.turns.claim(Some(&self.database), claim)
    }
}

/// The kind of news that an effect brings.
fn awaited(effect: &Effect) -> Option<&'static str> {
    Some(match effect {
        Effect::Edit { .. } => "edited",
        Effect::Run { .. } => "ran",
        Effect::Export { .. } => "written",
        Effect::Market { .. } => "market",
        Effect::Save { edit, .. } => file(edit),
        _ => return None,
    })
}

/// The file that an edit changes.
fn file(edit: &AnyEdit) -> &'static str {
    fn of<T: Document>(edit: &AnyEdit) -> Option<&'static str> {
        edit.downcast::<T>().map(|_| T::FILE)
    }
    let files = [
        of::<DashboardState>(edit),
        of::<Searches>(edit),
        of::<Annotations>(edit),
        of::<Alerts>(edit),
        of::<SeenGroups>(edit),
    ];
    files.into_iter().flatten().next().unwrap()
}

fn kind(news: &News) -> &'static str {
    match news {
        News::Edited(_) => "edited",
        News::Ran(_) => "ran",
        News::Written(_) => "written",
        News::Market(_) => "market",
        other => panic!("{other:?} has a ticket of its own"),
    }
}

/// A long response, once another thread has arranged it.
fn arranged(arrival: Arrival) -> Message {
    Message::News {
        ticket: arrival.ticket(),
        news: News::Arranged(Box::new(arrival.arranged())),
    }
}

/// The moment at which every story starts: 2026-11-20 12:00 UTC.
pub const START: UnixTime = UnixTime::new(1_795_176_000.0);

/// A real market without a name of its own, whose addresses nobody answers.
pub fn profile(dialect: &'static Dialect) -> Profile {
    Profile {
        name: "test".to_owned(),
        is_sandbox: false,
        read_only: false,
        dialect,
        base_url: "http://127.0.0.1:1".to_owned(),
        route_url: "http://127.0.0.1:2".to_owned(),
        has_key: true,
        worker_root: Default::default(),
    }
}

impl TestApp {
    /// A desk that has asked for offers, 120x40, in a dialect.
    pub fn speaking(dialect: &'static Dialect) -> Self {
        Self::prepared(dialect, |_| {})
    }

    /// A desk whose model was made ready before it started.
    pub fn prepared(dialect: &'static Dialect, prepare: impl FnOnce(&mut Model)) -> Self {
        let mut desk = Self {
            model: bourse::features::dashboard(profile(dialect), None),
            now: Now {
                mono: MonotonicTime::new(0.0),
                epoch: START,
            },
            calls: Vec::new(),
            effects: Vec::new(),
            polls: Vec::new(),
            theme: Theme::MONO,
            holds_arrivals: false,
            arrivals: Vec::new(),
            awaited: Vec::new(),
            files: None,
            rings_elsewhere: false,
            holds_claims: false,
            terminal: Terminal::new(TestBackend::new(120, 40)).unwrap(),
        };
        desk.model.screen.size = (120, 40);
        // Only stories about it wait for what nobody asked for.
        desk.model.settings.values.checks_supply = false;
        prepare(&mut desk.model);
        desk.send(Message::Started);
        desk.draw();
        desk
    }

    /// A desk in the documented dialect.
    pub fn new() -> Self {
        Self::speaking(&Dialect::DOCUMENTED)
    }

    /// A desk whose offers have arrived.
    pub fn with_offers(json: &str) -> Self {
        let mut desk = Self::new();
        desk.answer(json);
        desk
    }

    pub fn send(&mut self, message: Message) {
        let mut effects = VecDeque::from(update(&mut self.model, self.now, message));
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Arrange(arrival) if self.holds_arrivals => self.arrivals.push(*arrival),
                Effect::Arrange(arrival) => {
                    effects.extend(update(&mut self.model, self.now, arranged(*arrival)));
                }
                Effect::Call { ticket, request }
                | Effect::RouteOn { ticket, request, .. }
                | Effect::Write { ticket, request, .. } => self.calls.push((ticket, request)),
                Effect::Abort(ticket) => self.calls.retain(|(own, _)| *own != ticket),
                Effect::History(HistoryJob::Record(poll)) => {
                    if let Some(files) = &mut self.files {
                        files.database.record(&poll).unwrap();
                        files.turns.end();
                    }
                    self.polls.push(*poll);
                }
                Effect::History(HistoryJob::ClaimNotification { .. }) if self.holds_claims => {}
                Effect::History(HistoryJob::ClaimNotification { ticket, subject, at }) => {
                    let is_ours = match &mut self.files {
                        Some(Files { database, program, .. }) => database.claim_ring(&subject, program, at).unwrap(),
                        None => !self.rings_elsewhere,
                    };
                    let news = News::Claimed(is_ours);
                    let claimed = Message::News { ticket, news };
                    effects.extend(update(&mut self.model, self.now, claimed));
                }
                Effect::History(HistoryJob::ClaimPoll { ticket, claim }) => {
                    let right = match &mut self.files {
                        Some(files) => files.right(&claim),
                        None => Right::Ours(Ok(())),
                    };
                    let news = News::Poll(right);
                    let claimed = Message::News { ticket, news };
                    effects.extend(update(&mut self.model, self.now, claimed));
                }
                Effect::History(HistoryJob::EndTurn) => {
                    if let Some(files) = &mut self.files {
                        files.turns.end();
                    }
                }
                Effect::History(HistoryJob::LatestRows { ticket, query }) if self.files.is_some() => {
                    let database = &self.files.as_ref().unwrap().database;
                    let latest = database.latest(&query, self.now.epoch.moment()).unwrap();
                    let news = News::RecordedRows(latest.map(Box::new));
                    effects.extend(update(&mut self.model, self.now, Message::News { ticket, news }));
                }
                Effect::History(HistoryJob::Ask { ticket, analysis }) if self.files.is_some() => {
                    let files = self.files.as_ref().unwrap();
                    let output = files.database.ask(&analysis).unwrap();
                    let news = News::Recalled(Ok(output));
                    let recalled = Message::News { ticket, news };
                    effects.extend(update(&mut self.model, self.now, recalled));
                }
                other => {
                    let awaited = other.ticket().zip(awaited(&other));
                    self.awaited.extend(awaited);
                    self.effects.push(other);
                }
            }
        }
    }

    /// Presses keys, blank-separated: `/ esc ctrl-u G`. A frame is drawn after each.
    pub fn keys(&mut self, keys: &str) -> &mut Self {
        for key in keys.split_whitespace() {
            self.key(key);
        }
        self
    }

    fn key(&mut self, key: &str) {
        let (modifiers, name) = match key.strip_prefix("ctrl-") {
            Some(rest) => (KeyModifiers::CONTROL, rest),
            None => (KeyModifiers::NONE, key),
        };
        let code = match name {
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "tab" => KeyCode::Tab,
            "shift-tab" => KeyCode::BackTab,
            "space" => KeyCode::Char(' '),
            "backspace" => KeyCode::Backspace,
            "delete" => KeyCode::Delete,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "pgup" => KeyCode::PageUp,
            "pgdn" => KeyCode::PageDown,
            function if function.len() == 2 && function.starts_with('f') => KeyCode::F(function[1..].parse().unwrap()),
            one => KeyCode::Char(one.chars().next().unwrap()),
        };
        self.send(Message::Key(KeyEvent::new(code, modifiers)));
        self.draw();
    }

    /// Types a text, character by character.
    pub fn type_text(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            let key = KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE);
            self.send(Message::Key(key));
        }
        self.draw();
        self
    }

    pub fn paste(&mut self, text: &str) -> &mut Self {
        self.send(Message::Paste(text.to_owned()));
        self.draw();
        self
    }

    /// Clicks the cell where `text` begins on the screen.
    pub fn click(&mut self, text: &str) -> &mut Self {
        let screen = self.screen();
        let (row, line) = screen
            .lines()
            .enumerate()
            .find(|(_, line)| line.contains(text))
            .unwrap_or_else(|| panic!("{text:?} is not on the screen:\n{screen}"));
        let column = line[..line.find(text).unwrap()].chars().count();
        self.send(Message::Mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: column as u16,
            row: row as u16,
            modifiers: KeyModifiers::NONE,
        }));
        self.draw();
        self
    }

    /// The oldest request that was not answered yet.
    pub fn asked(&self) -> &Request {
        &self.calls.first().expect("nothing was asked").1
    }

    /// The query of the oldest search that was not answered yet.
    #[track_caller]
    pub fn asked_query(&self) -> &Query {
        match self.asked() {
            Request::Search(query) => query,
            other => panic!("{other:?}"),
        }
    }

    /// The conditions of the oldest search that was not answered yet.
    #[track_caller]
    pub fn asked_text(&self) -> String {
        language::print(&self.asked_query().conditions)
    }

    /// What was put on the clipboard last.
    #[track_caller]
    pub fn copied(&self) -> &str {
        match self.effects.last() {
            Some(Effect::Copy { text, .. }) => text,
            other => panic!("{other:?} is no copy\n{}", self.screen()),
        }
    }

    /// Answers the oldest request with an answer's text.
    pub fn answer(&mut self, json: &str) -> &mut Self {
        let (ticket, request) = self.calls.remove(0);
        let resource = match request {
            Request::Search(query) => query.resource,
            Request::ListWorkergroups => Resource::Workergroups,
            other => panic!("{other:?} has no records"),
        };
        let listing = Listing::read(resource.catalog(), json, self.now.epoch).unwrap();
        self.reply(ticket, Ok(Reply::Records(Box::new(listing))))
    }

    /// Lets the long responses be arranged.
    pub fn arrange(&mut self) -> &mut Self {
        for arrival in std::mem::take(&mut self.arrivals) {
            self.send(arranged(arrival));
        }
        self.draw();
        self
    }

    /// Lets the oldest request fail.
    pub fn fail(&mut self, error: ApiError) -> &mut Self {
        let (ticket, _) = self.calls.remove(0);
        self.reply(ticket, Err(error))
    }

    pub fn reply(&mut self, ticket: Ticket, result: Result<Reply, ApiError>) -> &mut Self {
        self.tell(ticket, News::Reply(Box::new(result)));
        self.draw();
        self
    }

    /// What a ticket brings.
    pub fn tell(&mut self, ticket: Ticket, news: News) {
        self.send(Message::News { ticket, news });
    }

    /// What the oldest effect that asked for this kind of news brings; of market commands, the newest.
    #[track_caller]
    pub fn bring(&mut self, news: News) -> &mut Self {
        self.bring_to(kind(&news), news)
    }

    /// What the oldest save of a document that was not answered yet brings.
    #[track_caller]
    pub fn bring_saved<T: Document>(&mut self, result: Result<T, EffectError>) -> &mut Self {
        self.bring_to(T::FILE, News::Saved(result.map(AnyDocument::new)))
    }

    /// The edits of a document that were to be saved, in order.
    pub fn edits<T: Document>(&self) -> impl DoubleEndedIterator<Item = &Edit<T>> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Save { edit, .. } => edit.downcast(),
            _ => None,
        })
    }

    /// The changes among [`TestApp::edits`].
    pub fn changes_of<T: Document>(&self) -> impl DoubleEndedIterator<Item = &T::Change> {
        self.edits::<T>().filter_map(|edit| match edit {
            Edit::Change { change, .. } => Some(change),
            Edit::Replace(_) => None,
        })
    }

    #[track_caller]
    fn bring_to(&mut self, kind: &str, news: News) -> &mut Self {
        let mut all = self.awaited.iter();
        let index = match kind {
            "market" => all.rposition(|(_, awaited)| *awaited == kind),
            _ => all.position(|(_, awaited)| *awaited == kind),
        };
        let index = index.unwrap_or_else(|| panic!("nothing waits for {news:?}: {:?}", self.awaited));
        let (ticket, _) = self.awaited.remove(index);
        self.tell(ticket, news);
        self
    }

    /// Lets time pass.
    pub fn wait(&mut self, seconds: f64) -> &mut Self {
        self.now.mono += seconds;
        self.now.epoch += seconds;
        self.send(Message::Deadline);
        self.draw();
        self
    }

    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        self.terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        self.send(Message::Resized(columns, rows));
        self.draw();
        self
    }

    fn draw(&mut self) {
        let (model, now, theme) = (&self.model, self.now, &self.theme);
        let mut facts = None;
        self.terminal
            .draw(|frame| facts = Some(bourse::frame::draw(frame, model, now, theme)))
            .unwrap();
        self.model.layout = facts.unwrap();
    }

    /// The screen as text, a line a row, blanks at the ends cut.
    pub fn screen(&self) -> String {
        let buffer = self.terminal.backend().buffer();
        let mut text = String::new();
        for y in 0..buffer.area.height {
            let line: String = (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The cells of the screen.
    pub fn cells(&self) -> &[ratatui::buffer::Cell] {
        &self.terminal.backend().buffer().content
    }

    /// Whether a text is on the screen, or would be if fields had no ends.
    pub fn shows(&self, text: &str) -> bool {
        self.screen().contains(text) || self.without_ends().contains(text)
    }

    /// The screen with blanks in place of the lines upwards, which end the fields of a theme without colours.
    pub fn without_ends(&self) -> String {
        self.screen().replace(['│', '┃'], " ")
    }

    /// Fails with the screen when a text is not on it.
    #[track_caller]
    pub fn expect(&self, text: &str) -> &Self {
        assert!(self.shows(text), "{text:?} is not on the screen:\n{}", self.screen());
        self
    }

    /// Fails with the screen when the highlighted row of the table is not the one of that id, or does
    /// not begin with that name.
    #[track_caller]
    pub fn selects(&self, id: &str) -> &Self {
        let browser = self.model.browser().expect("a pane with a table");
        let selected = browser.selected().map(|id| id.to_string());
        let row = self.highlighted().unwrap_or_default();
        let row = row.trim_start_matches(['›', '▌', '◆', '!', '+', ' ']);
        let is_named = selected.as_deref() == Some(id) || row.starts_with(id);
        assert!(is_named && !row.is_empty(), "{selected:?}\n{}", self.screen());
        self
    }

    /// The row of the table that shows a record, by its id, without what lies left of the table.
    #[track_caller]
    pub fn row(&self, id: &str) -> String {
        let (y, screen) = (self.row_of(id), self.screen());
        let left = self.model.layout.viewport(0, Region::MAIN).rows.x;
        let line = screen.lines().nth(usize::from(y)).unwrap();
        line.chars().skip(usize::from(left.saturating_sub(1))).collect()
    }

    /// The cell of a record under a header.
    #[track_caller]
    pub fn cell(&self, id: &str, label: &str) -> String {
        let y = self.row_of(id);
        let headers = self.model.layout.targets.iter();
        let area = headers
            .filter_map(|(area, target)| match target {
                Target::Header(field) if field.label == label => Some(*area),
                _ => None,
            })
            .next()
            .unwrap_or_else(|| panic!("no column {label}:\n{}", self.screen()));
        let buffer = self.terminal.backend().buffer();
        let cells = (area.x..area.x + area.width).map(|x| buffer[(x, y)].symbol());
        cells.collect::<String>().trim().to_owned()
    }

    #[track_caller]
    fn row_of(&self, id: &str) -> u16 {
        let browser = self.model.browser().expect("a pane with a table");
        let listing = browser.listing().expect("rows");
        let is_it = |row: &u32| listing.id(*row as usize).is_some_and(|own| own.to_string() == id);
        let place = browser.view().iter().position(is_it);
        let viewport = self.model.layout.viewport(0, Region::MAIN);
        let place = place.unwrap_or_else(|| panic!("{id} is no row:\n{}", self.screen()));
        assert!(viewport.visible().contains(&place), "{id}:\n{}", self.screen());
        viewport.rows.y + (place - viewport.top) as u16
    }

    /// The highlighted row of the table; without colours it is reversed.
    pub fn highlighted(&self) -> Option<String> {
        let buffer = self.terminal.backend().buffer();
        let is_reversed = |x, y| {
            let cell: &ratatui::buffer::Cell = &buffer[(x, y)];
            cell.modifier.contains(ratatui::style::Modifier::REVERSED)
        };
        let width = buffer.area.width;
        let row = |y: u16| -> String {
            let cells = (0..width).filter(|x| is_reversed(*x, y));
            cells.map(|x| buffer[(x, y)].symbol()).collect()
        };
        (1..buffer.area.height).map(row).find(|row| row.chars().count() > 20)
    }

    #[track_caller]
    pub fn expect_not(&self, text: &str) -> &Self {
        assert!(!self.shows(text), "{text:?} is on the screen:\n{}", self.screen());
        self
    }
}

/// An answer of three offers, written by hand.
pub const THREE: &str = r#"{"offers":[
 {"id":101,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":24564,"gpu_total_ram":24564,"dph_base":0.40,"dph_total":0.41,
  "dlperf":100.0,"dlperf_per_dphtotal":243.9,"reliability":0.995,"geolocation":"Texas, US","verification":"verified",
  "rentable":true,"rented":false,"storage_cost":0.9,"score":300.0,"machine_id":7,"host_id":70,"inet_down":900.0,
  "driver_version":"570.181","cuda_max_good":12.8,"duration":864000.0,"disk_space":500.0},
 {"id":102,"gpu_name":"H100 SXM","num_gpus":8,"gpu_ram":81559,"gpu_total_ram":652472,"dph_base":16.0,"dph_total":16.02,
  "dlperf":2400.0,"dlperf_per_dphtotal":149.8,"reliability":0.999,"geolocation":"Iceland, IS","verification":"verified",
  "rentable":true,"rented":false,"storage_cost":1.8,"score":200.0,"machine_id":8,"host_id":71,"inet_down":8000.0,
  "driver_version":"535.86.05","cuda_max_good":12.2,"duration":86400.0,"disk_space":4000.0},
 {"id":103,"gpu_name":"RTX 3090","num_gpus":2,"gpu_ram":24576,"gpu_total_ram":49152,"dph_base":0.30,"dph_total":0.31,
  "dlperf":90.0,"dlperf_per_dphtotal":290.3,"reliability":0.98,"geolocation":null,"verification":"verified",
  "rentable":true,"rented":false,"storage_cost":0.9,"score":100.0,"machine_id":9,"host_id":72,"inet_down":400.0,
  "driver_version":"550.54.14","cuda_max_good":12.4,"duration":8640000.0,"disk_space":100.0}]}"#;

/// A response of 200 offers that differ in everything that a table shows, in four places.
pub fn varied_offers(places: [&str; 4]) -> String {
    let models = ["RTX 4090", "RTX 5090", "H100 SXM", "A100 PCIE", "RTX 3090"];
    let record = |row: usize| {
        let price = 0.1 + (row * 7919 % 4000) as f64 / 1000.0;
        serde_json::json!({
            "id": 40_000_000 + row * 977, "machine_id": row, "host_id": row / 2,
            "gpu_name": models[row % 5], "num_gpus": 1 << (row % 4), "gpu_ram": 24_564,
            "dph_base": price, "dph_total": price + 0.2 * 8.0 / 720.0, "dlperf": row * 31 % 900,
            "reliability": 0.9 + (row % 99) as f64 / 1000.0, "geolocation": places[row % 4],
            "inet_up": row * 13 % 900, "inet_down": row * 17 % 900, "cpu_ram": 64_000 + row,
            "storage_cost": 0.2, "duration": 864_000 + row * 5000, "verification": "verified",
            "cuda_max_good": 12.8, "driver_version": "570.181", "disk_space": 100 + row,
            "score": 1000 - row, "static_ip": true, "rentable": true,
        })
    };
    let offers: Vec<_> = (0..200).map(record).collect();
    serde_json::json!({ "offers": offers }).to_string()
}
