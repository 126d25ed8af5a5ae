//! What can be copied of an attempt, each with its letter.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::attempt::{assignment, signature};
use super::worker_request::Written;
use crate::api::{Request, RouteCall, curl, wire};
use crate::app::State;
use crate::app::keymap::{Action, Context};
use crate::app::message::Effect;
use crate::app::view::{Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::Untrusted;
use crate::domain::dialect::RouteKey;
use crate::domain::routing::Run;
use crate::domain::text::visible;
use crate::widgets::dialog;
use crate::widgets::list::{Item, List};
use crate::widgets::panel::{Panel, Tone};

/// The most characters of a server's text that are copied.
const LONGEST: usize = 10_000;

/// Cells of the menu with its frame.
const SIZE: (u16, u16) = (100, 14);

/// Something that can be copied: the action of its letter, what it is, and the text or why there is
/// none.
#[derive(Debug, Clone)]
struct Entry {
    action: Action,
    what: &'static str,
    text: Result<String, &'static str>,
}

/// The menu.
#[derive(Debug)]
pub(super) struct CopyMenu {
    entries: Vec<Entry>,
    list: List<usize>,
}

impl CopyMenu {
    /// For an attempt; without one, for the next request of the run.
    pub fn new(state: &State, run: u64, place: Option<usize>) -> Option<Self> {
        let run = state.routes.run(run)?.run();
        let entries = entries(state, run, place);
        let item = |(place, entry): (usize, &Entry)| Item {
            title: state.keymap.key_of(entry.action),
            text: entry.what.to_owned(),
            note: String::new(),
            disabled: entry.text.as_ref().err().map(|why| (*why).to_owned()),
            value: Some(place),
        };
        let list = List::new(entries.iter().enumerate().map(item).collect());
        Some(Self { entries, list })
    }

    fn current(&self) -> Option<&Entry> {
        let place = self.list.current()?.value?;
        self.entries.get(place)
    }
}

fn entries(state: &State, run: &Run, place: Option<usize>) -> Vec<Entry> {
    let assigned = place.and_then(|place| assignment(run, place));
    let nothing = "no worker was assigned, or its reply is no longer in memory";
    let of_worker = |text: &dyn Fn(&Untrusted, &Untrusted) -> Result<String, &'static str>| {
        assigned.map_or(Err(nothing), |(worker, reply)| text(worker, reply))
    };
    let what = match state.profile.dialect.route_key {
        RouteKey::Profile => "the request as curl",
        RouteKey::Group => "the request as curl; set BOURSE_API_KEY to the workergroup's key",
    };
    vec![
        Entry {
            action: Action::CopyCurl,
            what,
            text: Ok(request(state, run, place)),
        },
        Entry {
            action: Action::CopySignature,
            what: "the signature",
            text: of_worker(&|_, reply| {
                let signature = signature(reply).ok_or("the reply has no signature")?;
                Ok(visible(signature.compared(), LONGEST))
            }),
        },
        Entry {
            action: Action::CopyAddress,
            what: "the worker's address",
            text: of_worker(&|worker, _| {
                let worker = worker.compared();
                // As a command it would run: only what is plainly an address of the web is copied.
                if curl::without_key(worker, "").is_none() {
                    return Err("the address is no plain http or https address");
                }
                Ok(worker.to_owned())
            }),
        },
        Entry {
            action: Action::CopyWorker,
            what: "the worker's request as curl",
            text: of_worker(&|worker, reply| {
                let command = Written::of(state).command(worker, reply);
                command.map_err(|_| "its address is not of the web, or the payload is invalid")
            }),
        },
    ]
}

/// The request of an attempt, or the next one of the run, with the key as a variable.
fn request(state: &State, run: &Run, place: Option<usize>) -> String {
    let sample = place.and_then(|place| run.samples().get(place));
    let request = Request::Route(RouteCall {
        endpoint: run.plan().endpoint.clone(),
        cost: sample.map_or(run.plan().cost, |sample| sample.cost),
        key: None,
    });
    let wire = wire::encode(&request, state.profile.dialect);
    let address = format!("{}{}", state.profile.route_url, wire.path);
    curl::command(&wire, &address)
}

impl View for CopyMenu {
    fn contexts(&self) -> &'static [Context] {
        &[Context::CopyMenu, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(by) = cx.motion(action) {
            self.list.step(by);
            return Outcome::Handled;
        }
        let entry = match action {
            Action::Back => {
                cx.close();
                return Outcome::Handled;
            }
            Action::Submit => self.current(),
            letter => self.entries.iter().find(|entry| entry.action == letter),
        };
        let Some(entry) = entry else {
            return Outcome::Ignored;
        };
        match &entry.text {
            Err(why) => cx.complain(format!("Not copied: {why}")),
            Ok(text) => {
                cx.effect(Effect::Copy {
                    what: entry.what.to_owned(),
                    text: text.clone(),
                });
                cx.close();
            }
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        self.list.select(line, false);
        self.update(Action::Submit, cx)
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let panel = Panel::new("Copy").tone(Tone::Focused);
        let inner = dialog::open(panel, SIZE, area, scene.frame.buffer_mut(), theme);
        let lines = u16::try_from(self.entries.len()).unwrap_or(4);
        let [list, _, preview] = Layout::vertical([
            Constraint::Length(lines),
            Constraint::Length(1),
            Constraint::Fill(1),
        ])
        .areas(inner);
        scene.list(Region::MAIN, &self.list, list);
        if let Some(Ok(text)) = self.current().map(|entry| &entry.text) {
            let room = usize::from(preview.width) * usize::from(preview.height);
            let text = Line::styled(visible(text, room), theme.dim);
            scene.render(Paragraph::new(text).wrap(Wrap { trim: false }), preview);
        }
    }
}
