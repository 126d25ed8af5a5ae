//! The form for a new run, with its plan updated beside it.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::confirm::{first_request, load};
use super::{Started, explain, start};
use crate::api::wire;
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::Untrusted;
use crate::domain::dialect::RouteKey;
use crate::domain::objection::Objection;
use crate::domain::routing::{DEFAULT_RATE, PollPolicy, RoutePlan, Stop, parse_span, words};
use crate::domain::text::visible;
use crate::features::route_lab::NotStarted;
use crate::keys::{Action, Context, Motion};
use crate::widgets::dialog::centred;
use crate::widgets::form::{Field, Form, FormEvent, FormLines};
use crate::widgets::input_widget::InputWidget;
use crate::widgets::panel::{Panel, Size, Tone};
use crate::widgets::theme::Theme;

/// Cells of form and plan side by side.
const WIDTH: u16 = 116;

/// Rows of the plan below the form, where it is not beside it.
const NOTES: u16 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Endpoint,
    Cost,
    Send,
    Count,
    Duration,
    Concurrency,
    Rate,
    PollCost,
    Patience,
    Start,
}

/// The texts kept while the form is closed.
const TEXTS: [Key; 8] = [
    Key::Endpoint,
    Key::Cost,
    Key::Count,
    Key::Duration,
    Key::Concurrency,
    Key::Rate,
    Key::PollCost,
    Key::Patience,
];

impl Key {
    /// The field of a plan's parameter.
    fn of(parameter: &str) -> Self {
        match parameter {
            "endpoint" => Self::Endpoint,
            "cost" => Self::Cost,
            "count" => Self::Count,
            "duration" => Self::Duration,
            "concurrency" => Self::Concurrency,
            "rate" => Self::Rate,
            "poll" => Self::PollCost,
            _ => Self::Patience,
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Endpoint => "Endpoint",
            Self::Cost => "Cost",
            Self::Send => "Send",
            Self::Count => "Requests",
            Self::Duration => "Duration",
            Self::Concurrency => "At once",
            Self::Rate => "Rate",
            Self::PollCost => "Poll cost",
            Self::Patience => "Poll for",
            Self::Start => "Start",
        }
    }

    /// A text field with its label.
    fn text(self, value: &str) -> Field<Self> {
        Field::text(self, self.label(), value)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Single,
    Count,
    Duration,
}

impl Mode {
    const ALL: [Self; 3] = [Self::Single, Self::Count, Self::Duration];

    const fn label(self) -> &'static str {
        match self {
            Self::Single => "one request",
            Self::Count => "several requests",
            Self::Duration => "for a duration",
        }
    }
}

/// The input of a closed form.
#[derive(Debug)]
struct Remembered {
    texts: Vec<String>,
    mode: usize,
}

#[derive(Debug)]
pub(super) struct NewRun {
    form: Form<Key>,
}

/// Opens the form; the endpoint is that of the selected workergroup.
pub(super) fn open(cx: &mut Cx<'_>) {
    let form = NewRun::new(cx.state());
    cx.open(form);
    super::super::load_endpoints(cx);
}

const NOT_WHOLE: &str = "Must be a whole number, at least 1";

fn number(text: &str) -> Result<(), String> {
    text.parse::<f64>().map(drop).map_err(|_| "Not a number".to_owned())
}

fn whole(text: &str) -> Result<(), String> {
    text.parse::<u64>().map(drop).map_err(|_| NOT_WHOLE.to_owned())
}

fn blank_or_number(text: &str) -> Result<(), String> {
    optional(text).map(drop)
}

/// A number, optionally followed by `/s`, or nothing.
fn optional(text: &str) -> Result<Option<f64>, String> {
    let text = text.strip_suffix("/s").unwrap_or(text).trim_end();
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().map_err(|_| "Not a number".to_owned())?;
    Ok(Some(number))
}

fn span(text: &str) -> Result<(), String> {
    parse_span(text)
        .map(drop)
        .ok_or_else(|| "Not a time: 30s, 5m, 1h".to_owned())
}

impl NewRun {
    fn new(state: &State) -> Self {
        let modes = Mode::ALL.map(Mode::label);
        let mut form = Form::new(vec![
            Key::Endpoint.text(""),
            Key::Cost.text("100").note("compute of one request").check(number),
            Field::choice(Key::Send, Key::Send.label(), modes, 0),
            Key::Count.text("100").note("polls do not count").check(whole),
            Key::Duration.text("30s").note("30s, 5m, 1h").check(span),
            Key::Concurrency.text("4").note("in flight").check(whole),
            Key::Rate.text("").check(blank_or_number),
            Key::PollCost
                .text("")
                .note("blank: same as Cost")
                .check(blank_or_number),
            Key::Patience.text("60s").note("while no worker is ready").check(span),
            Field::button(Key::Start, Key::Start.label()),
        ])
        .submits(Key::Start);
        if let Some(before) = state.drafts.get::<Remembered>() {
            for (key, text) in TEXTS.into_iter().zip(&before.texts) {
                form.set_text(key, text);
            }
            form.choose(Key::Send, before.mode);
        }
        if let Some(endpoint) = state.selected_endpoint() {
            form.set_text(Key::Endpoint, &endpoint);
        }
        let mut view = Self { form };
        view.arrange();
        view.propose(state);
        view.form.focus_on(Key::Endpoint);
        view
    }

    /// Enters the endpoint if there is only one to choose.
    fn propose(&mut self, state: &State) {
        if let ([only], "") = (state.endpoint_names().as_slice(), self.form.text(Key::Endpoint)) {
            self.form.set_text(Key::Endpoint, only);
        }
    }

    fn mode(&self) -> Mode {
        let chosen = self.form.chosen(Key::Send);
        Mode::ALL.get(chosen).copied().unwrap_or(Mode::Single)
    }

    /// Shows the fields that the mode needs.
    fn arrange(&mut self) {
        let mode = self.mode();
        let form = &mut self.form;
        form.set_hidden(Key::Count, mode != Mode::Count);
        form.set_hidden(Key::Duration, mode != Mode::Duration);
        for key in [Key::Concurrency, Key::Rate, Key::PollCost, Key::Patience] {
            form.set_hidden(key, mode == Mode::Single);
        }
        let rate = if mode == Mode::Duration {
            format!("per second; blank: {DEFAULT_RATE}")
        } else {
            "per second; blank: as fast as replies arrive".to_owned()
        };
        form.set_note(Key::Rate, rate);
    }

    fn focuses_endpoint(&self) -> bool {
        self.form.focused() == Some(Key::Endpoint)
    }

    /// The plan in the fields.
    fn plan(&self) -> Result<RoutePlan, Vec<Objection>> {
        let text = |key: Key| self.form.text(key).to_owned();
        let mode = self.mode();
        let mut plan = RoutePlan::single(text(Key::Endpoint));
        let mut unread = Vec::new();
        let mut note = |parameter: &'static str, message: &str| {
            unread.push(Objection::new(parameter, message));
        };
        match text(Key::Cost).parse() {
            Ok(cost) => plan.cost = cost,
            Err(_) => note("cost", "Not a number"),
        }
        match mode {
            Mode::Single => {}
            Mode::Count => match text(Key::Count).parse() {
                Ok(count) => plan.stop = Stop::Count(count),
                Err(_) => note("count", NOT_WHOLE),
            },
            Mode::Duration => match parse_span(&text(Key::Duration)) {
                Some(span) => plan.stop = Stop::Duration(span),
                None => note("duration", "Not a time: 30s, 5m, 1h"),
            },
        }
        if mode != Mode::Single {
            match text(Key::Concurrency).parse::<u64>() {
                Ok(most) => plan.concurrency = u32::try_from(most).unwrap_or(u32::MAX),
                Err(_) => note("concurrency", NOT_WHOLE),
            }
            let usual = (mode == Mode::Duration).then_some(DEFAULT_RATE);
            match optional(&text(Key::Rate)) {
                Ok(rate) => plan.rate = rate.or(usual),
                Err(why) => note("rate", &why),
            }
            plan.poll = PollPolicy::default();
            match optional(&text(Key::PollCost)) {
                Ok(cost) => plan.poll.cost = cost,
                Err(why) => note("poll", &why),
            }
            match parse_span(&text(Key::Patience)) {
                Some(span) => plan.poll.patience = span,
                None => note("patience", "Not a time: 30s, 5m, 1h"),
            }
        }
        // A field that cannot be parsed has its own error: the placeholder value is not checked.
        let judged = plan.check().into_iter().filter(|objection| {
            let mut parsed_badly = unread.iter();
            !parsed_badly.any(|unread| unread.parameter == objection.parameter)
        });
        let mut objections: Vec<Objection> = judged.collect();
        objections.splice(0..0, unread);
        if objections.is_empty() {
            Ok(plan)
        } else {
            Err(objections)
        }
    }

    fn show_errors(&mut self, objections: &[Objection]) {
        for objection in objections {
            let mut message = objection.message.clone();
            if let Some(first) = message.get_mut(0..1) {
                first.make_ascii_uppercase();
            }
            self.form.set_error(Key::of(objection.parameter), Some(message));
        }
        if let Some(first) = objections.first() {
            self.form.focus_on(Key::of(first.parameter));
        }
    }

    fn submit(&mut self, cx: &mut Cx<'_>) {
        let plan = match self.plan() {
            Ok(plan) => plan,
            Err(objections) => return self.show_errors(&objections),
        };
        match start(plan, cx) {
            Ok(()) if cx.drafts().get::<Started>().is_some() => cx.close(),
            Ok(()) => {}
            Err(NotStarted::Plan(objections)) => self.show_errors(&objections),
            Err(why @ NotStarted::Held(_)) => explain(&why, cx),
        }
    }

    /// Replaces the endpoint by the next one of the listed workergroups.
    fn complete(&mut self, state: &State) {
        let known = state.endpoint_names();
        let present = self.form.text(Key::Endpoint).to_owned();
        let next = match known.iter().position(|name| *name == present) {
            Some(index) => known.get((index + 1) % known.len()),
            None => known
                .iter()
                .find(|name| name.starts_with(&present))
                .or_else(|| known.first()),
        };
        if let Some(name) = next {
            self.form.set_text(Key::Endpoint, name);
            self.form.focus_on(Key::Endpoint);
        }
    }

    fn after(&mut self, event: FormEvent<Key>, cx: &mut Cx<'_>) -> Outcome {
        match event {
            FormEvent::Submitted(_) => self.submit(cx),
            FormEvent::Changed(Key::Send) => self.arrange(),
            FormEvent::Changed(_) | FormEvent::Moved => {}
            FormEvent::Ignored => return Outcome::Ignored,
        }
        Outcome::Handled
    }
}

impl View for NewRun {
    fn contexts(&self) -> &'static [Context] {
        if self.focuses_endpoint() {
            // The endpoint completes like a query.
            return &[Context::Query, Context::Always];
        }
        self.form.contexts()
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.form)
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("start"),
            Action::Back => Some("cancel"),
            Action::Complete => Some("next endpoint"),
            Action::Newer => Some("next field"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        // The endpoint, which completes like a query, is the first field.
        match action {
            Action::Older => Availability::Hidden,
            _ => Availability::Available,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let action = match action {
            Action::Back => {
                cx.close();
                return Outcome::Handled;
            }
            Action::Complete => {
                self.complete(cx.state());
                return Outcome::Handled;
            }
            Action::Older => Action::Move(Motion::Up),
            Action::Newer => Action::Move(Motion::Down),
            event => event,
        };
        let event = self.form.update(action);
        self.after(event, cx)
    }

    fn click(&mut self, _: Region, field: usize, cx: &mut Cx<'_>) -> Outcome {
        let event = self.form.click(field);
        self.after(event, cx)
    }

    // The workergroups may be listed only now.
    fn rows_changed(&mut self, state: &State) {
        self.propose(state);
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        // The question was confirmed: the run has started.
        if cx.drafts().get::<Started>().is_some() {
            cx.close();
        }
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.drafts().put(Remembered {
            texts: TEXTS.map(|key| self.form.text(key).to_owned()).to_vec(),
            mode: self.form.chosen(Key::Send),
        });
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        scene.frame.buffer_mut().set_style(area, theme.backdrop);
        let title = "New run";
        if scene.size == Size::Compact && area.width < 100 {
            let width = area.width.saturating_sub(2).min(92);
            let form = FormLines::new(&self.form, theme).height(width.saturating_sub(4));
            let dialog = centred(width, form + NOTES + 3, area);
            let panel = Panel::new(title).tone(Tone::Focused);
            let inner = panel.render(dialog, scene.frame.buffer_mut(), theme);
            let [form, _, notes] =
                Layout::vertical([Constraint::Length(form), Constraint::Length(1), Constraint::Fill(1)]).areas(inner);
            scene.form(&self.form, form);
            let lines = self.notes(scene, theme);
            scene.render(Paragraph::new(lines).wrap(Wrap { trim: false }), notes);
            return;
        }
        let form = FormLines::new(&self.form, theme).height(60);
        let dialog = centred(WIDTH, (form + 2).max(15), area);
        let [left, right] = Layout::horizontal([Constraint::Fill(11), Constraint::Fill(9)]).areas(dialog);
        let panel = Panel::new(title).tone(Tone::Focused);
        let inner = panel.render(left, scene.frame.buffer_mut(), theme);
        scene.form(&self.form, inner);
        let panel = Panel::new("Plan");
        let inner = panel.render(right, scene.frame.buffer_mut(), theme);
        let mut text = self.notes(scene, theme);
        text.extend(self.request(scene, theme));
        scene.render(Paragraph::new(text).wrap(Wrap { trim: false }), inner);
    }
}

impl NewRun {
    /// A description of the run and its maximum cost.
    fn notes(&self, scene: &Scene<'_, '_>, theme: &Theme) -> Text<'static> {
        let mut lines = Vec::new();
        match self.plan() {
            Ok(plan) => {
                lines.push(Line::styled(words::plan(&plan), theme.accent));
                if let (Stop::Count(count), Some(rate)) = (plan.stop, plan.rate) {
                    #[expect(clippy::cast_precision_loss)] // at most 250,000
                    let seconds = count as f64 / rate;
                    lines.push(Line::from(format!("Takes about {}.", words::span(seconds))));
                }
                if plan.injects_load() {
                    lines.push(Line::from(load(&plan)));
                    if !scene.state.profile.is_sandbox {
                        let text = "Requests can wake workers, and workers are billed.";
                        lines.push(Line::styled(text, theme.warning));
                    }
                } else {
                    lines.push(Line::from("Cost 0 adds no load."));
                }
            }
            Err(objections) => {
                let first = objections.first();
                let text = first.map_or_else(String::new, |objection| {
                    let label = Key::of(objection.parameter).label();
                    format!("{label}: {}", objection.message)
                });
                lines.push(Line::styled(text, theme.warning));
            }
        }
        let key = match scene.state.profile.dialect.route_key {
            RouteKey::Profile => "with the profile's key",
            RouteKey::Group => "with the workergroup's own key",
        };
        let address = visible(&scene.state.profile.route_url, 200);
        lines.push(Line::from(vec![
            Span::styled("POST ", theme.dim),
            Span::raw(format!("{address}/route/")),
        ]));
        lines.push(Line::styled(key, theme.dim));
        Text::from(lines)
    }

    /// The first request's body, and the endpoints that can be completed.
    fn request(&self, scene: &Scene<'_, '_>, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if let Ok(plan) = self.plan() {
            let wire = wire::encode(&first_request(&plan), scene.state.profile.dialect);
            let body = wire.body_text().unwrap_or_default();
            lines.push(Line::styled(visible(&body, 200), theme.dim));
        }
        let endpoints = scene.state.endpoint_names();
        if !endpoints.is_empty() {
            let present = self.form.text(Key::Endpoint);
            lines.push(Line::default());
            lines.push(Line::styled("Endpoints of your workergroups", theme.heading));
            for name in endpoints.iter().take(8) {
                let is_present = *name == present;
                let sign = if is_present { "▸ " } else { "  " };
                let style = if is_present { theme.accent } else { Style::new() };
                let name = Untrusted::from(name.as_str()).screen(40);
                lines.push(Line::styled(format!("{sign}{name}"), style));
            }
        }
        lines
    }
}
