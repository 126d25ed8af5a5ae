//! The request for the assigned worker: prepared here, sent by the user in a shell.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::attempt::assignment;
use crate::api::curl::WorkerRoot;
use crate::api::{curl, redact};
use crate::core::State;
use crate::core::message::Effect;
use crate::core::view::{Cx, Scene};
use crate::core::views::form_view::{FormView, has_form};
use crate::domain::Untrusted;
use crate::domain::routing::{PayloadError, Run, check_payload, next_hop_body};
use crate::domain::text::json_for_terminal;
use crate::features::route_lab::Routes;
use crate::keys::Action;
use crate::tui::dialog;
use crate::tui::form::{Field, Form};
use crate::tui::panel::{Panel, Tone};

/// Maximum length of a worker's address with the path in a command, in bytes.
const LONGEST_URL: usize = 2000;

const NO_PAYLOAD: &str = "{}";

/// The parts of the request that the user enters: path and payload.
#[derive(Debug, Clone)]
pub(super) struct Written {
    path: String,
    payload: String,
    /// The source of the workers' root certificate for the command.
    root: WorkerRoot,
}

/// The reason there is no command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unwritten {
    Payload(PayloadError),
    /// The worker's address is not a plain web address.
    Address,
}

impl std::fmt::Display for Unwritten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Payload(error) => write!(f, "Payload, {error}"),
            Self::Address => {
                f.write_str("The worker's address with the path is no plain http or https address: not copied")
            }
        }
    }
}

impl Written {
    /// The path and payload that the route run forwarded, or else those entered last, or else `/` without a
    /// payload; with the root certificate of the current profile.
    pub fn new(state: &State, run: &Run) -> Self {
        let sent = run
            .plan()
            .hop
            .as_ref()
            .map(|hop| (hop.absolute_path(), hop.payload.clone()));
        let entered = || {
            state
                .drafts
                .get::<Self>()
                .map(|own| (own.path.clone(), own.payload.clone()))
        };
        let (path, payload) = sent.or_else(entered).unwrap_or_else(|| ("/".to_owned(), String::new()));
        Self {
            path,
            payload,
            root: state.profile.worker_root.clone(),
        }
    }

    /// The request for the worker at the address `worker`, as a `curl` command. `reply` is the full
    /// assignment as JSON text.
    ///
    /// # Errors
    ///
    /// When the payload is invalid, or the address with the path is longer than 2,000 bytes or no plain
    /// `http` or `https` address.
    pub fn command(&self, worker: &Untrusted, reply: &Untrusted) -> Result<String, Unwritten> {
        let body = self.body(reply)?;
        let url = format!(
            "{}/{}",
            worker.unescaped().trim_end_matches('/'),
            self.path.trim().trim_start_matches('/')
        );
        if url.len() > LONGEST_URL {
            return Err(Unwritten::Address);
        }
        curl::to_worker(&url, &body, &self.root).ok_or(Unwritten::Address)
    }

    /// The body of the request: the router's reply without API keys, and the payload (`{}` if blank). An
    /// error for an invalid payload.
    fn body(&self, reply: &Untrusted) -> Result<String, Unwritten> {
        let reply = redact::without_api_keys(reply.unescaped());
        let payload = if self.payload.trim().is_empty() {
            NO_PAYLOAD
        } else {
            &self.payload
        };
        next_hop_body(&reply, payload).map_err(Unwritten::Payload)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartField {
    Path,
    Payload,
    Command,
    Body,
}

/// The form for path and payload, with the command updated below.
#[derive(Debug)]
pub(super) struct WorkerRequest {
    run: u64,
    attempt: usize,
    form: Form<PartField>,
}

impl WorkerRequest {
    /// The form for an attempt by its index in the run; `None` if it has no worker, or its reply is no longer
    /// in memory.
    pub fn new(state: &State, run: u64, attempt: usize) -> Option<Self> {
        let shown = Routes::read(state).run(run)?.run();
        assignment(shown, attempt)?;
        let written = Written::new(state, shown);
        let payload = Field::text(PartField::Payload, "Payload", written.payload)
            .note("JSON; blank is {}")
            .check(|text| {
                if text.is_empty() {
                    return Ok(());
                }
                check_payload(text).map_err(|error| error.to_string())
            });
        let mut form = Form::new(vec![
            Field::text(PartField::Path, "Path", written.path).note("at the worker"),
            payload,
            Field::button(PartField::Command, "Copy curl"),
            Field::button(PartField::Body, "Copy body"),
        ])
        .submits(PartField::Command);
        form.focus_on(PartField::Payload);
        Some(Self { run, attempt, form })
    }

    /// The path and payload in the form, with the given source of the root certificate.
    fn written(&self, root: &WorkerRoot) -> Written {
        Written {
            root: root.clone(),
            path: self.form.text(PartField::Path).to_owned(),
            payload: self.form.text(PartField::Payload).to_owned(),
        }
    }

    /// Copies the `curl` command for the worker, or for the field `Body` the request body, or shows the
    /// reason it cannot.
    fn copy(&self, key: PartField, cx: &mut Cx<'_>) {
        let run = Routes::read(cx.state()).run(self.run);
        let Some((worker, reply)) = run.and_then(|run| assignment(run.run(), self.attempt)) else {
            cx.complain("The reply of this attempt is no longer in memory");
            return;
        };
        let written = self.written(&cx.state().profile.worker_root);
        let (what, text) = if key == PartField::Body {
            let body = written.body(reply).map(|body| json_for_terminal(&body));
            ("the worker's request body", body)
        } else {
            let command = written.command(worker, reply);
            ("the worker's request as curl", command)
        };
        match text {
            Ok(text) => cx.effect(Effect::Copy {
                what: what.to_owned(),
                text,
            }),
            Err(why) => cx.complain(why.to_string()),
        }
    }
}

impl FormView for WorkerRequest {
    has_form!(PartField);

    fn submitted(&mut self, key: PartField, cx: &mut Cx<'_>) {
        self.copy(key, cx);
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit if self.form.focused() == Some(PartField::Body) => Some("copy body"),
            Action::Submit => Some("copy curl"),
            Action::Back => Some("close"),
            _ => None,
        }
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        let written = self.written(&WorkerRoot::System);
        cx.drafts().put(written);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let panel = Panel::new("Worker request")
            .note("copied, not sent")
            .tone(Tone::Focused);
        let size = (110, 24);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), theme);
        let [form, _, heading, command] = Layout::vertical([Length(5), Length(1), Length(2), Fill(1)]).areas(inner);
        scene.form(&self.form, form);
        let run = Routes::read(scene.state).run(self.run);
        let Some((worker, reply)) = run.and_then(|run| assignment(run.run(), self.attempt)) else {
            let text = "The reply of this attempt is no longer in memory";
            scene.render(Line::styled(text, theme.warning), heading);
            return;
        };
        let to = Line::styled(format!("For {}", worker.screen(200)), theme.heading);
        scene.render(to, heading);
        let (text, style) = match self.written(&scene.state.profile.worker_root).command(worker, reply) {
            Ok(text) => (text, theme.text),
            Err(why) => (why.to_string(), theme.error),
        };
        // The command contains the signature: the worker checks it.
        let text = Line::styled(json_for_terminal(&text), style);
        scene.render(Paragraph::new(text).wrap(Wrap { trim: false }), command);
    }
}
