//! The form for a new run, with a live description of its plan.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::confirm::first_request;
use super::{Started, explain, start};
use crate::api::wire;
use crate::core::State;
use crate::core::endpoints::{describe_unserved, endpoint_names, next_endpoint};
use crate::core::message::{Effect, News};
use crate::core::view::{Availability, Cx, Outcome, Scene};
use crate::core::views::form_view::{FormView, has_form};
use crate::domain::Untrusted;
use crate::domain::dialect::{Dialect, RouteKey};
use crate::domain::objection::Objection;
use crate::domain::quantity::{self, Quantity};
use crate::domain::routing::{DEFAULT_RATE, Hop, PollPolicy, RoutePlan, Stop, words};
use crate::domain::text::visible;
use crate::features::route_lab::{NotStarted, selected_endpoint, series_in_the_way};
use crate::keys::{Action, Context, KeyTarget as _, Motion};
use crate::tui::Command;
use crate::tui::dialog::centred;
use crate::tui::form::{Field, Form, FormLines};
use crate::tui::panel::{Panel, Size, Tone};
use crate::tui::text::capitalized;
use crate::tui::theme::Theme;

/// Width of form and plan side by side, in cells.
const WIDTH: u16 = 116;

/// Height of the plan where it is below the form.
const NOTES: u16 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteField {
    Endpoint,
    Cost,
    Send,
    Count,
    Duration,
    Concurrency,
    Rate,
    PollCost,
    Patience,
    Path,
    Payload,
    Retries,
    Start,
}

impl RouteField {
    /// The form field for the name of a plan's parameter, as the mistakes in a plan name it; the patience for
    /// any other name.
    fn for_parameter(parameter: &str) -> Self {
        match parameter {
            "endpoint" => Self::Endpoint,
            "cost" => Self::Cost,
            "count" => Self::Count,
            "duration" => Self::Duration,
            "concurrency" => Self::Concurrency,
            "rate" => Self::Rate,
            "poll" => Self::PollCost,
            "path" => Self::Path,
            "payload" => Self::Payload,
            "retries" => Self::Retries,
            _ => Self::Patience,
        }
    }

    /// The name of the field in the form.
    const fn label(self) -> &'static str {
        match self {
            Self::Endpoint => "Endpoint",
            Self::Cost => "Load",
            Self::Send => "Send",
            Self::Count => "Requests",
            Self::Duration => "Duration",
            Self::Concurrency => "At once",
            Self::Rate => "Rate",
            Self::PollCost => "Poll load",
            Self::Patience => "Poll for",
            Self::Path => "Worker path",
            Self::Payload => "Payload",
            Self::Retries => "Retries",
            Self::Start => "Start",
        }
    }

    /// Parses the number in a field's text: counts, load units, per second, or seconds of a duration such as
    /// `30s`. `None` for an empty text that stands for the default, and for fields without a number.
    ///
    /// # Errors
    ///
    /// A short reason, shown beside the field.
    fn read(self, text: &str) -> Result<Option<f64>, String> {
        let number = |text: &str| text.parse().map(Some).map_err(|_| "Not a number".to_owned());
        match self {
            Self::Endpoint | Self::Send | Self::Path | Self::Payload | Self::Start => Ok(None),
            Self::Cost => number(text),
            Self::Count | Self::Concurrency => match text.parse::<u32>() {
                Ok(count) => Ok(Some(f64::from(count))),
                Err(_) => Err("Must be a whole number, at least 1".to_owned()),
            },
            Self::Retries => match text.parse::<u32>() {
                Ok(count) => Ok(Some(f64::from(count))),
                Err(_) => Err("Must be a whole number, 0 or more".to_owned()),
            },
            Self::Rate | Self::PollCost => match text.strip_suffix("/s").unwrap_or(text).trim_end() {
                "" => Ok(None),
                text => number(text),
            },
            Self::Duration | Self::Patience => {
                let span = quantity::parse(text, Quantity::Seconds);
                span.map(Some).map_err(|why| why.to_string())
            }
        }
    }

    /// A text field with its label and the text `value`, checked as `read` parses it.
    fn text(self, value: &str) -> Field<Self> {
        Field::text(self, self.label(), value).check(move |text| self.read(text).map(drop))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Count,
    Duration,
}

const MODES: [(Mode, &str); 2] = [
    (Mode::Count, "a number of requests"),
    (Mode::Duration, "for a duration"),
];

#[derive(Debug)]
pub(super) struct NewRun {
    form: Form<RouteField>,
    /// The dialect of the profile's market.
    dialect: &'static Dialect,
    /// The name and the content of the payload file that was read.
    file: Option<(String, String)>,
    /// The payload file that is being read, after which the run starts.
    reading: Option<String>,
}

/// Opens the form for a new route run with the last input and an endpoint: `shown`, that of the run on screen, else that
/// of the selected workergroup, or the only one listed if the field is empty. Requests the workergroups if they are not
/// loaded yet.
pub(super) fn open(shown: Option<String>, cx: &mut Cx<'_>) {
    let left = cx.drafts().take::<Form<RouteField>>();
    let mut view = NewRun {
        form: left.unwrap_or_else(blank),
        dialect: cx.state().profile.dialect,
        file: None,
        reading: None,
    };
    if let Some(endpoint) = shown.or_else(|| selected_endpoint(cx.state())) {
        view.form.set_text(RouteField::Endpoint, &endpoint);
    }
    view.arrange();
    view.propose(cx.state());
    view.form.focus_on(RouteField::Endpoint);
    let plan = view.plan().ok();
    let is_held = plan.is_some_and(|plan| series_in_the_way(cx.state(), &plan).is_some());
    cx.open(view);
    super::super::load_endpoints(cx);
    if is_held {
        let stop = cx.state().keymap.key_in(&[Context::RouteLab], Action::Remove);
        cx.complain(format!("A run is in progress: {stop} stops it"));
    }
}

/// The form for a new route run with its default values: one request of load 100.
fn blank() -> Form<RouteField> {
    let modes = MODES.map(|(_, label)| label);
    Form::new(vec![
        RouteField::Endpoint.text(""),
        RouteField::Cost.text("100").note("load units of a request"),
        Field::choice(RouteField::Send, RouteField::Send.label(), modes, 0),
        RouteField::Count.text("1").note("100 for percentiles"),
        RouteField::Duration.text("30s").note("30s, 5m, 1h"),
        RouteField::Concurrency.text("4").note("in flight"),
        RouteField::Rate.text(""),
        RouteField::PollCost.text("").note("blank: same as Load"),
        RouteField::Patience.text("60s").note("while no worker is ready"),
        RouteField::Path.text("").note("blank: nothing is sent on"),
        RouteField::Payload.text("").note("JSON, or @FILE; blank is {}"),
        RouteField::Retries.text("0").note("after 408, 429, 5xx"),
        Field::button(RouteField::Start, RouteField::Start.label()),
    ])
    .submits(RouteField::Start)
}

impl NewRun {
    /// Enters the endpoint if exactly one is listed and the field is empty.
    fn propose(&mut self, state: &State) {
        if let ([only], "") = (endpoint_names(state).as_slice(), self.form.text(RouteField::Endpoint)) {
            self.form.set_text(RouteField::Endpoint, only);
        }
    }

    /// The selected way to end the run: after a number of requests or a duration.
    fn mode(&self) -> Mode {
        MODES[self.form.chosen(RouteField::Send)].0
    }

    /// Shows the fields that the mode, the number of requests and the worker path use, and hides the others.
    fn arrange(&mut self) {
        let mode = self.mode();
        let is_single = mode == Mode::Count && self.form.text(RouteField::Count) == "1";
        let form = &mut self.form;
        form.set_hidden(RouteField::Count, mode != Mode::Count);
        form.set_hidden(RouteField::Duration, mode != Mode::Duration);
        let sends = !form.text(RouteField::Path).is_empty();
        for key in [RouteField::Payload, RouteField::Retries] {
            form.set_hidden(key, !sends);
        }
        for key in [RouteField::Concurrency, RouteField::Rate] {
            form.set_hidden(key, is_single);
        }
        form.set_hidden(RouteField::Patience, is_single && !sends);
        // A poll keeps the place of its request there and adds no load.
        form.set_hidden(RouteField::PollCost, is_single || self.dialect.route_queue);
        let rate = if mode == Mode::Duration {
            format!("per second; blank: {DEFAULT_RATE}")
        } else {
            "per second; blank: as fast as replies arrive".to_owned()
        };
        form.set_note(RouteField::Rate, rate);
    }

    /// The plan in the fields, or the mistakes with their fields.
    fn plan(&self) -> Result<RoutePlan, Vec<(RouteField, String)>> {
        if let Some(fault) = self.form.fault() {
            return Err(vec![fault]);
        }
        let number = |key: RouteField| key.read(self.form.text(key)).ok().flatten();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // read as whole numbers
        let count = |key: RouteField| number(key).unwrap_or_default() as u32;
        let mut plan = RoutePlan::single(self.form.text(RouteField::Endpoint)).for_dialect(self.dialect);
        plan.cost = number(RouteField::Cost).unwrap_or_default();
        let mode = self.mode();
        match mode {
            Mode::Count => plan.stop = Stop::Count(count(RouteField::Count).into()),
            Mode::Duration => plan.stop = Stop::Duration(number(RouteField::Duration).unwrap_or_default()),
        }
        if !plan.is_single() {
            plan.concurrency = count(RouteField::Concurrency);
            plan.rate = number(RouteField::Rate).or((mode == Mode::Duration).then_some(DEFAULT_RATE));
            plan.poll = PollPolicy {
                cost: number(RouteField::PollCost).filter(|_| !self.dialect.route_queue),
                patience: number(RouteField::Patience).unwrap_or_default(),
                ..PollPolicy::default()
            };
        }
        if !self.form.text(RouteField::Path).is_empty() {
            plan.poll.patience = number(RouteField::Patience).unwrap_or_default();
            plan = plan.sending(Hop {
                path: self.form.text(RouteField::Path).to_owned(),
                payload: self.payload(),
                retries: count(RouteField::Retries),
            });
        }
        match plan.check() {
            objections if objections.is_empty() => Ok(plan),
            objections => Err(at_fields(objections)),
        }
    }

    /// The name of the payload file, from `@FILE` in the field; `None` for a typed payload and without a
    /// worker path.
    fn payload_file(&self) -> Option<&str> {
        let has_path = !self.form.text(RouteField::Path).is_empty();
        let file = self
            .form
            .text(RouteField::Payload)
            .strip_prefix('@')
            .filter(|_| has_path);
        file.map(str::trim)
    }

    /// The payload as typed, or as read from its file; `{}` for an empty field and while the file is not read
    /// yet.
    fn payload(&self) -> String {
        let empty = || "{}".to_owned();
        match (self.payload_file(), &self.file) {
            (Some(path), Some((name, text))) if path == name => text.clone(),
            (Some(_), _) => empty(),
            (None, _) => match self.form.text(RouteField::Payload) {
                "" => empty(),
                text => text.to_owned(),
            },
        }
    }

    /// Starts the run that the fields describe, after a question if it needs one, and closes the form once it
    /// has started; otherwise shows the mistakes.
    fn begin(&mut self, cx: &mut Cx<'_>) {
        let plan = match self.plan() {
            Ok(plan) => plan,
            Err(errors) => return self.show_errors(errors),
        };
        match start(plan, cx) {
            Ok(()) if cx.drafts().get::<Started>().is_some() => cx.close(),
            Ok(()) => {}
            Err(NotStarted::Plan(objections)) => self.show_errors(at_fields(objections)),
            Err(why @ NotStarted::Held(_)) => explain(&why, cx),
        }
    }

    /// Shows the mistakes beside their fields, and focuses the first.
    fn show_errors(&mut self, errors: Vec<(RouteField, String)>) {
        let first = errors.first().map(|(key, _)| *key);
        for (key, why) in errors {
            self.form.set_error(key, Some(capitalized(&why)));
        }
        if let Some(first) = first {
            self.form.focus_on(first);
        }
    }

    /// Replaces the typed endpoint by the next one of the loaded workergroups; nothing if none is listed.
    fn complete(&mut self, state: &State) {
        if let Some(name) = next_endpoint(state, self.form.text(RouteField::Endpoint)) {
            self.form.set_text(RouteField::Endpoint, &name);
            self.form.focus_on(RouteField::Endpoint);
        }
    }
}

/// The mistakes in the plan of a route run, each with its field in the form.
fn at_fields(objections: Vec<Objection>) -> Vec<(RouteField, String)> {
    let objections = objections.into_iter();
    let at_field = |objection: Objection| (RouteField::for_parameter(objection.parameter), objection.message);
    objections.map(at_field).collect()
}

impl FormView for NewRun {
    has_form!(RouteField);

    fn contexts(&self) -> &'static [Context] {
        if self.form.focused() == Some(RouteField::Endpoint) {
            // The endpoint completes like a query.
            return &[Context::Query, Context::Always];
        }
        self.form.contexts()
    }

    fn submitted(&mut self, _: RouteField, cx: &mut Cx<'_>) {
        if !self.form.validate() {
            return;
        }
        let file = self.payload_file().map(str::to_owned);
        let Some(path) = file else {
            return self.begin(cx);
        };
        // It may have changed since it was last read.
        self.reading = Some(path.clone());
        let ticket = cx.ticket();
        cx.effect_for_view(Effect::ReadText { ticket, path });
    }

    fn on_news(&mut self, news: News, cx: &mut Cx<'_>) {
        let (News::Text(read), Some(path)) = (news, self.reading.take()) else {
            return;
        };
        // Another file may be named by now.
        if self.payload_file() != Some(path.as_str()) {
            return;
        }
        match read {
            Ok(text) => {
                self.file = Some((path, text));
                self.begin(cx);
            }
            Err(why) => self.show_errors(vec![(RouteField::Payload, why.to_string())]),
        }
    }

    fn changed(&mut self, key: RouteField, _: &mut Cx<'_>) {
        if matches!(key, RouteField::Send | RouteField::Count | RouteField::Path) {
            self.arrange();
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let moved = match action {
            Action::Older => Motion::Up,
            Action::Newer => Motion::Down,
            Action::Complete => {
                self.complete(cx.state());
                return Outcome::Handled;
            }
            Action::Back => {
                cx.close();
                return Outcome::Handled;
            }
            _ => return Outcome::Ignored,
        };
        self.form.update(Command::Move(moved));
        Outcome::Handled
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
        Availability::hidden_if(matches!(action, Action::Older))
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
        let form = std::mem::replace(&mut self.form, Form::new(Vec::new()));
        cx.drafts().put(form);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        scene.frame.buffer_mut().set_style(area, theme.backdrop);
        let title = "New run";
        if scene.size == Size::Compact && area.width < 100 {
            let width = area.width.saturating_sub(2).min(92);
            let form = FormLines::new(&self.form, theme).height(width.saturating_sub(4));
            let dialog = centred(width, form + NOTES + 3, area);
            let inner = scene.framed(Panel::new(title).tone(Tone::Focused), dialog);
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
        let inner = scene.framed(Panel::new(title).tone(Tone::Focused), left);
        scene.form(&self.form, inner);
        let inner = scene.framed(Panel::new("Plan"), right);
        let mut text = self.notes(scene, theme);
        text.extend(self.body_and_endpoints(scene, theme));
        scene.render(Paragraph::new(text).wrap(Wrap { trim: false }), inner);
    }
}

impl NewRun {
    /// The description of the planned run with its load and cost, its duration if the plan fixes it, and a
    /// series that is in the way; or the first mistake. Then the address and the key used.
    fn notes(&self, scene: &Scene<'_, '_>, theme: &Theme) -> Text<'static> {
        let mut lines = Vec::new();
        match self.plan() {
            Ok(plan) => {
                let unserved = describe_unserved(&plan.endpoint, scene.state);
                lines.extend(unserved.map(|text| Line::styled(format!("{text}."), theme.warning)));
                lines.push(Line::styled(words::describe_plan(&plan), theme.accent));
                let in_the_way = series_in_the_way(scene.state, &plan);
                lines.extend(in_the_way.map(|why| Line::styled(why, theme.warning)));
                if let (Stop::Count(count), Some(rate)) = (plan.stop, plan.rate) {
                    let seconds = count as f64 / rate;
                    lines.push(Line::from(format!("Takes about {}.", words::clock_span(seconds))));
                }
                if plan.injects_load() {
                    lines.push(Line::from(words::describe_load(&plan)));
                    if !scene.state.profile.is_sandbox {
                        let text = "Requests can wake workers, and workers are billed.";
                        lines.push(Line::styled(text, theme.warning));
                    }
                } else {
                    lines.push(Line::from("Requests of load 0 add no load."));
                }
            }
            Err(errors) => {
                let first = errors.first().map(|(key, why)| format!("{}: {why}", key.label()));
                lines.push(Line::styled(first.unwrap_or_default(), theme.warning));
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

    /// The first request's body (left out if the plan has mistakes), and up to 8 endpoints of the
    /// workergroups that Tab completes.
    fn body_and_endpoints(&self, scene: &Scene<'_, '_>, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        if let Ok(plan) = self.plan() {
            let wire = wire::encode(&first_request(&plan), scene.state.profile.dialect);
            let body = wire.body_text().unwrap_or_default();
            lines.push(Line::styled(visible(&body, 200), theme.dim));
        }
        let endpoints = endpoint_names(scene.state);
        if !endpoints.is_empty() {
            let present = self.form.text(RouteField::Endpoint);
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
