//! The details of one request: the sent and the received body, side by side where there is room.

mod draw;
pub(crate) mod text;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::body_editor::BodyEditor;
use super::{editable, resendable};
use crate::api::ledger::BODY_KEPT;
use crate::api::redact::REMOVED;
use crate::api::{LedgerEntry, Operation};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::{Catalog, Field, Resource, format, pretty};
use crate::keys::{Action, Context, KeyTarget as _, Motion};
use crate::tui::find::Find;
use crate::tui::report::Report;
use crate::tui::{Command, json};

/// One of the two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Request,
    Response,
}

/// Both bodies, in the order of their tabs.
const SIDES: [Side; 2] = [Side::Request, Side::Response];

impl Side {
    /// The screen region of the body, for mouse and scrolling.
    const fn region(self) -> Region {
        match self {
            Self::Request => Region::PREVIEW,
            Self::Response => Region::MAIN,
        }
    }
}

/// The view of the details of a request.
#[derive(Debug)]
pub struct RequestDetails {
    number: u64,
    /// A copy, as the ledger may drop the entry while it is shown.
    entry: LedgerEntry,
    request: Report,
    response: Report,
    /// The fields of the request's and the response's members, by their lines.
    fields: [Vec<Option<&'static Field>>; 2],
    /// Whether a secret was removed from the request, and from the response.
    lacks_secret: (bool, bool),
    focus: Side,
}

impl RequestDetails {
    /// Opens the details of a request; false if it is no longer in the ledger.
    pub fn open(number: u64, cx: &mut Cx<'_>) -> bool {
        let is_open = cx.try_open(|state| Self::new(number, state));
        if is_open {
            cx.feature::<super::Requests>().opened = Some(number);
        }
        is_open
    }

    /// The details of the request `number`, with the response focused; `None` if it is no longer in the
    /// ledger.
    fn new(number: u64, state: &State) -> Option<Self> {
        let entry = state.ledger.get(number)?.clone();
        let (request, response) = (request_lines(&entry), response_lines(&entry));
        Some(Self {
            number,
            fields: fields_of_bodies(&request, &response, entry.operation),
            request: Report::new(request).painted(json::paint),
            response: Report::new(response).painted(json::paint),
            lacks_secret: lacks_secret(&entry),
            focus: Side::Response,
            entry,
        })
    }

    /// The body that has the keyboard.
    const fn focused(&self) -> &Report {
        match self.focus {
            Side::Request => &self.request,
            Side::Response => &self.response,
        }
    }

    /// The body that has the keyboard, to scroll or search.
    const fn focused_mut(&mut self) -> &mut Report {
        match self.focus {
            Side::Request => &mut self.request,
            Side::Response => &mut self.response,
        }
    }

    /// Shows the next (`by` = 1) or previous (-1) single request of the list, from its first line and with
    /// the same search; nothing at the end of the list.
    fn step(&mut self, by: isize, cx: &mut Cx<'_>) {
        let next = cx.feature::<super::Requests>().step_request(by);
        let Some((number, entry)) = next.and_then(|number| Some((number, cx.state().ledger.get(number)?.clone())))
        else {
            return;
        };
        let (request, response) = (request_lines(&entry), response_lines(&entry));
        self.fields = fields_of_bodies(&request, &response, entry.operation);
        self.request.set_lines(request);
        self.response.set_lines(response);
        for side in [Side::Request, Side::Response] {
            let viewport = cx.viewport(side.region());
            let report = match side {
                Side::Request => &mut self.request,
                Side::Response => &mut self.response,
            };
            report.update(Command::Move(Motion::First), viewport);
        }
        self.lacks_secret = lacks_secret(&entry);
        self.number = number;
        self.entry = entry;
        cx.feature::<super::Requests>().opened = Some(number);
    }
}

/// Opens the failed request behind an error on the open pane; false if there is no error or the request is no
/// longer in the ledger.
pub(crate) fn open_failed(cx: &mut Cx<'_>) -> bool {
    cx.state()
        .failed_request()
        .is_some_and(|number| RequestDetails::open(number, cx))
}

/// Whether a secret was removed from the body of the request, and from that of the response.
fn lacks_secret(entry: &LedgerEntry) -> (bool, bool) {
    let lacks = |body: Option<String>| body.is_some_and(|body| body.contains(REMOVED));
    (lacks(entry.request_body()), lacks(entry.response_body()))
}

/// The lines of the request's body, or a line that it has none.
fn request_lines(entry: &LedgerEntry) -> Vec<Line<'static>> {
    match entry.request_body() {
        Some(body) => body_lines(&body, false),
        None => vec![Line::from("No body")],
    }
}

/// The lines of the response's body, with a note if it was truncated, or a line that none was received.
fn response_lines(entry: &LedgerEntry) -> Vec<Line<'static>> {
    let Some(body) = entry.response_body() else {
        return vec![Line::from("No response")];
    };
    let mut lines = body_lines(&body, entry.response_cut);
    if entry.response_cut {
        lines.push(Line::from(format!(
            "… truncated after {} kB of {}",
            BODY_KEPT / 1024,
            format::size(entry.bytes_received)
        )));
    }
    lines
}

/// The catalog of the records of an operation; `None` for one without records.
pub(super) const fn catalog_of(operation: Operation) -> Option<&'static Catalog> {
    match operation {
        Operation::SearchOffers => Some(Resource::Offers.catalog()),
        Operation::SearchVolumes => Some(Resource::Volumes.catalog()),
        Operation::ListWorkergroups | Operation::CreateWorkergroup => Some(Resource::Workergroups.catalog()),
        Operation::UnlistVolume | Operation::Route => None,
    }
}

/// The fields of the members of both bodies, by their lines; none for an operation without records.
fn fields_of_bodies(
    request: &[Line<'_>],
    response: &[Line<'_>],
    operation: Operation,
) -> [Vec<Option<&'static Field>>; 2] {
    let Some(catalog) = catalog_of(operation) else {
        return [Vec::new(), Vec::new()];
    };
    [
        fields_of_parameters(request, catalog),
        fields_of_members(response, catalog),
    ]
}

/// The fields of the conditions or parameters of a request, by its lines.
fn fields_of_parameters(lines: &[Line<'_>], catalog: &'static Catalog) -> Vec<Option<&'static Field>> {
    let field = |line: &Line<'_>| field_of_parameter(&line.to_string(), catalog);
    lines.iter().map(field).collect()
}

/// The field of the condition or parameter in a line of a request's indented body: of a member, or of one of its only
/// member.
pub(super) fn field_of_parameter(line: &str, catalog: &'static Catalog) -> Option<&'static Field> {
    /// The greatest indent of a member of the only member.
    const DEEPEST: usize = 4;
    let member = line.trim_start();
    let (key, _) = member.strip_prefix('"')?.split_once("\":")?;
    let is_parameter = line.len() - member.len() <= DEEPEST;
    is_parameter.then(|| catalog.by_key(key)).flatten()
}

/// The field of each line that is a member of a record in a response, from the catalog of the operation's records;
/// `None` for other lines, empty for an operation without records.
fn fields_of_members(lines: &[Line<'_>], catalog: &'static Catalog) -> Vec<Option<&'static Field>> {
    // The indent of the list of records, the response itself or one of its members, while it is open.
    let mut list = None;
    let field = |line: &Line<'_>| {
        let text = line.to_string();
        let member = text.trim_start();
        let indent = text.len() - member.len();
        if member.ends_with('[') && indent <= 2 {
            list = Some(indent);
        } else if list == Some(indent) {
            list = None;
        }
        let (key, _) = member.strip_prefix('"')?.split_once('"')?;
        let is_of_record = list.is_some_and(|list| indent == list + 4);
        is_of_record.then(|| catalog.by_key(key)).flatten()
    };
    lines.iter().map(field).collect()
}

/// The lines of a request's or response's body, JSON indented, or the line "Empty body"; `is_cut` for a
/// truncated one.
fn body_lines(body: &str, is_cut: bool) -> Vec<Line<'static>> {
    if body.is_empty() {
        return vec![Line::from("Empty body")];
    }
    let lines = pretty::body_lines(body, is_cut).into_iter();
    lines.map(Line::from).collect()
}

impl View for RequestDetails {
    fn contexts(&self) -> &'static [Context] {
        if self.focused().is_typing() {
            return self.focused().contexts();
        }
        &[
            Context::Tabs,
            Context::Report,
            Context::Table,
            Context::Global,
            Context::Always,
        ]
    }

    fn search(&self) -> Option<&Find> {
        Some(self.focused().find())
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::NextTab => Some(match self.focus {
                Side::Request => "response",
                Side::Response => "request",
            }),
            Action::Refresh => Some("resend"),
            Action::Filter => Some("edit and send"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        let refused = match action {
            Action::Refresh => resendable(state).err().map(|error| error.to_string()),
            Action::Filter => editable(state).err().map(|error| error.to_string()),
            action => super::view::unavailable(action),
        };
        refused.map_or(Availability::Available, Availability::Disabled)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let viewport = cx.viewport(self.focus.region());
        if !self.focused().is_typing() {
            match action {
                Action::NextTab | Action::PreviousTab => {
                    self.focus = match self.focus {
                        Side::Request => Side::Response,
                        Side::Response => Side::Request,
                    };
                    return Outcome::Handled;
                }
                Action::Right | Action::Left => {
                    self.step(if action == Action::Right { 1 } else { -1 }, cx);
                    return Outcome::Handled;
                }
                Action::Refresh => {
                    resend(cx);
                    return Outcome::Handled;
                }
                Action::Filter => {
                    BodyEditor::open(cx);
                    return Outcome::Handled;
                }
                Action::Submit => {
                    cx.close();
                    return Outcome::Handled;
                }
                _ => {}
            }
        }
        if self.focused_mut().update(action.command(), viewport) {
            Outcome::Handled
        } else if action == Action::Back {
            cx.close();
            Outcome::Handled
        } else {
            Outcome::Ignored
        }
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let viewport = cx.viewport(self.focus.region());
        Outcome::handled_if(self.focused_mut().key(key, viewport))
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        let pasted = self.focused_mut().paste(text);
        Outcome::handled_if(pasted.map(|pasted| cx.pasted(pasted)).is_some())
    }

    fn click(&mut self, region: Region, line: usize, _: &mut Cx<'_>) -> Outcome {
        let is_clicked = |(index, side): &(usize, Side)| match region {
            Region::TABS => *index == line,
            region => region == side.region(),
        };
        let clicked = SIDES.into_iter().enumerate().find(is_clicked);
        self.focus = clicked.map_or(self.focus, |(_, side)| side);
        Outcome::Handled
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.feature::<super::Requests>().opened = None;
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::details(self, area, scene);
    }
}

/// Resends the open or selected request if it is a read, or shows the reason it cannot.
pub(crate) fn resend(cx: &mut Cx<'_>) {
    match resendable(cx.state()) {
        Ok((number, request)) => super::resend(cx, number, request),
        Err(error) => cx.complain(error.to_string()),
    }
}
