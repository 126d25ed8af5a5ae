//! What a person fills in before a run: texts until they are read, a plan once they are sound.

use crate::app::keys::Keymap;
use crate::domain::objection::Objection;
use crate::domain::routing::{DEFAULT_RATE, PollPolicy, RoutePlan, Stop, parse_span};
use crate::widgets::text_input::TextInput;

/// What kind of run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// One request.
    Single,
    /// A number of requests.
    Count,
    /// Requests for some time.
    Duration,
}

impl Mode {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Single, Self::Count, Self::Duration];

    /// Its name in the form.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Single => "single request",
            Self::Count => "series by count",
            Self::Duration => "series by duration",
        }
    }

    fn shifted(self, by: usize) -> Self {
        let place = Self::ALL.iter().position(|mode| *mode == self).unwrap_or(0);
        Self::ALL[(place + by) % Self::ALL.len()]
    }
}

/// A line of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Name of the endpoint.
    Endpoint,
    /// Load estimate of a request.
    Cost,
    /// Single or series.
    Mode,
    /// Requests of a series.
    Count,
    /// Length of a series.
    Duration,
    /// Most attempts in flight.
    Concurrency,
    /// Requests per second.
    Rate,
    /// Load estimate of a poll.
    PollCost,
    /// How long a request is polled.
    Patience,
}

impl Entry {
    /// Its label.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Endpoint => "Endpoint",
            Self::Cost => "Cost",
            Self::Mode => "Send",
            Self::Count => "Requests",
            Self::Duration => "Duration",
            Self::Concurrency => "At once",
            Self::Rate => "Rate",
            Self::PollCost => "Cost of a poll",
            Self::Patience => "Poll for",
        }
    }

    /// What belongs there in a run of that kind, with the key that changes it.
    pub fn hint(self, mode: Mode, keymap: &Keymap) -> String {
        let hint = match self {
            Self::Endpoint => {
                let key = keymap.way_to("complete-run-form");
                return format!("name; {key} takes the next one of your workergroups");
            }
            Self::Cost => "load estimate of each request, in the unit of the endpoint's workers",
            Self::Mode => "Space changes it",
            Self::Count => "in all; polls are extra",
            Self::Duration => "30s, 5m, 1h",
            Self::Concurrency => "most requests in flight",
            Self::Rate if mode == Mode::Duration => {
                return format!("requests per second; blank: {DEFAULT_RATE}");
            }
            Self::Rate => "requests per second; blank: next when one is answered",
            Self::PollCost => "load estimate of a poll; blank: the cost",
            Self::Patience => "how long, while no worker is ready; 0: never",
        };
        hint.to_owned()
    }

    /// The parameter of the plan that it fills in.
    const fn parameter(self) -> &'static str {
        match self {
            Self::Endpoint => "endpoint",
            Self::Cost => "cost",
            Self::Mode => "mode",
            Self::Count => "count",
            Self::Duration => "duration",
            Self::Concurrency => "concurrency",
            Self::Rate => "rate",
            Self::PollCost => "poll",
            Self::Patience => "patience",
        }
    }
}

/// The form. What was typed stays until it is typed over, also while the form is closed.
#[derive(Debug)]
pub struct RouteForm {
    /// Single or series.
    pub mode: Mode,
    focus: Entry,
    endpoint: TextInput,
    cost: TextInput,
    count: TextInput,
    duration: TextInput,
    concurrency: TextInput,
    rate: TextInput,
    poll_cost: TextInput,
    patience: TextInput,
    /// What stood against the last try to start.
    pub objections: Vec<Objection>,
}

impl Default for RouteForm {
    fn default() -> Self {
        let text = |text: &str| TextInput::new(text);
        Self {
            mode: Mode::Single,
            focus: Entry::Endpoint,
            endpoint: text(""),
            cost: text("100"),
            count: text("100"),
            duration: text("30s"),
            concurrency: text("4"),
            rate: text(""),
            poll_cost: text(""),
            patience: text("60s"),
            objections: Vec::new(),
        }
    }
}

impl RouteForm {
    /// The lines that matter for what is to be sent, in order.
    pub const fn entries(&self) -> &'static [Entry] {
        use Entry::{
            Concurrency, Cost, Count, Duration, Endpoint, Mode as Kind, Patience, PollCost, Rate,
        };
        match self.mode {
            Mode::Single => &[Endpoint, Cost, Kind],
            Mode::Count => &[
                Endpoint,
                Cost,
                Kind,
                Count,
                Concurrency,
                Rate,
                PollCost,
                Patience,
            ],
            Mode::Duration => &[
                Endpoint,
                Cost,
                Kind,
                Duration,
                Concurrency,
                Rate,
                PollCost,
                Patience,
            ],
        }
    }

    /// The line that takes what is typed.
    pub const fn focus(&self) -> Entry {
        self.focus
    }

    /// The text of a line; `None` for the choice.
    pub const fn input(&self, entry: Entry) -> Option<&TextInput> {
        Some(match entry {
            Entry::Endpoint => &self.endpoint,
            Entry::Cost => &self.cost,
            Entry::Mode => return None,
            Entry::Count => &self.count,
            Entry::Duration => &self.duration,
            Entry::Concurrency => &self.concurrency,
            Entry::Rate => &self.rate,
            Entry::PollCost => &self.poll_cost,
            Entry::Patience => &self.patience,
        })
    }

    /// The text of the line in focus, to be edited.
    pub(super) const fn input_mut(&mut self) -> Option<&mut TextInput> {
        Some(match self.focus {
            Entry::Endpoint => &mut self.endpoint,
            Entry::Cost => &mut self.cost,
            Entry::Mode => return None,
            Entry::Count => &mut self.count,
            Entry::Duration => &mut self.duration,
            Entry::Concurrency => &mut self.concurrency,
            Entry::Rate => &mut self.rate,
            Entry::PollCost => &mut self.poll_cost,
            Entry::Patience => &mut self.patience,
        })
    }

    /// Moves the focus by so many lines, round the ends.
    pub(super) fn step(&mut self, by: isize) {
        let entries = self.entries();
        let place = entries
            .iter()
            .position(|entry| *entry == self.focus)
            .unwrap_or(0);
        let count = entries.len().cast_signed();
        let target = (place.cast_signed() + by).rem_euclid(count);
        self.select(target.cast_unsigned());
    }

    /// Puts the focus on a line.
    pub(super) fn select(&mut self, line: usize) {
        if let Some(entry) = self.entries().get(line) {
            self.go_to(*entry);
        }
    }

    /// Leaves the line in focus for another, whose text what is typed takes the place of.
    fn go_to(&mut self, entry: Entry) {
        if let Some(input) = self.input_mut() {
            input.deselect();
        }
        self.focus = entry;
        if let Some(input) = self.input_mut() {
            input.select_all();
        }
    }

    /// The next (or previous) kind of run.
    pub(super) fn turn(&mut self, back: bool) {
        self.mode = self.mode.shifted(if back { 2 } else { 1 });
        self.objections.clear();
    }

    /// Puts an endpoint in and the focus on it.
    pub(super) fn name(&mut self, endpoint: &str) {
        self.endpoint.set(endpoint);
        self.go_to(Entry::Endpoint);
        self.objections.clear();
    }

    /// Puts the endpoint in that follows the present one among `known`.
    pub(super) fn next_endpoint(&mut self, known: &[String]) {
        let present = self.endpoint.text();
        let next = match known.iter().position(|name| name == present) {
            Some(place) => known.get((place + 1) % known.len()),
            None => known
                .iter()
                .find(|name| name.starts_with(present))
                .or_else(|| known.first()),
        };
        if let Some(name) = next {
            self.endpoint.set(name.as_str());
            self.endpoint.select_all();
            self.objections.clear();
        }
    }

    /// What stands against a line, if something does.
    pub fn objection(&self, entry: Entry) -> Option<&str> {
        self.objections
            .iter()
            .find(|objection| objection.parameter == entry.parameter())
            .map(|objection| objection.message.as_str())
    }

    /// Reads the form; what stands against it is kept for the screen.
    pub(super) fn plan(&mut self) -> Option<RoutePlan> {
        match self.read() {
            Ok(plan) => {
                self.objections.clear();
                Some(plan)
            }
            Err(objections) => {
                self.objections = objections;
                None
            }
        }
    }

    fn read(&self) -> Result<RoutePlan, Vec<Objection>> {
        let mut found = Vec::new();
        let mut plan = RoutePlan::single(self.endpoint.text().trim());
        let mut take = |entry: Entry, result: Result<(), &str>| {
            if let Err(message) = result {
                found.push(Objection::new(entry.parameter(), message));
            }
        };
        let cost = number(&self.cost).map(|cost| plan.cost = cost);
        take(Entry::Cost, cost);
        match self.mode {
            Mode::Single => {}
            Mode::Count => {
                let count = whole(&self.count).map(|count| plan.stop = Stop::Count(count));
                take(Entry::Count, count);
            }
            Mode::Duration => {
                let span = parse_span(self.duration.text())
                    .map(|span| plan.stop = Stop::Duration(span))
                    .ok_or("write a time such as 30s or 5m");
                take(Entry::Duration, span);
            }
        }
        if self.mode != Mode::Single {
            let concurrency = whole(&self.concurrency)
                .map(|most| plan.concurrency = u32::try_from(most).unwrap_or(u32::MAX));
            take(Entry::Concurrency, concurrency);
            let usual = (self.mode == Mode::Duration).then_some(DEFAULT_RATE);
            let rate = optional(&self.rate).map(|rate| plan.rate = rate.or(usual));
            take(Entry::Rate, rate);
            plan.poll = PollPolicy::default();
            let cost = optional(&self.poll_cost).map(|cost| plan.poll.cost = cost);
            take(Entry::PollCost, cost);
            let patience = parse_span(self.patience.text())
                .map(|span| plan.poll.patience = span)
                .ok_or("write a time such as 30s or 5m");
            take(Entry::Patience, patience);
        }
        // A text that is no number has been named; what stands in its place is not judged.
        let unread: Vec<_> = found.iter().map(|objection| objection.parameter).collect();
        found.extend(
            plan.check()
                .into_iter()
                .filter(|objection| !unread.contains(&objection.parameter)),
        );
        if found.is_empty() {
            Ok(plan)
        } else {
            Err(found)
        }
    }
}

fn number(input: &TextInput) -> Result<f64, &'static str> {
    let text = input.text().trim();
    text.parse().map_err(|_| "write a number")
}

fn whole(input: &TextInput) -> Result<u64, &'static str> {
    let text = input.text().trim();
    text.parse().map_err(|_| "write a whole number")
}

/// A number, perhaps with `/s` behind it, or nothing.
fn optional(input: &TextInput) -> Result<Option<f64>, &'static str> {
    let text = input.text().trim();
    let text = text.strip_suffix("/s").unwrap_or(text).trim_end();
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| "write a number")
}
