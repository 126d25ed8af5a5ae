//! Shared by the dialogs of all writes: the request, its outcome, and earlier writes.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::core::State;
use crate::core::mutations::{Completed, InFlight, RequestPreview, Stage, headline, market_words};
use crate::core::view::{Availability, Cx, Outcome, Scene};
use crate::domain::format;
use crate::domain::journal::{Entry, Verdict, WriteKind};
use crate::keys::{Action, Context, bindings};
use crate::tui::dialog;
use crate::tui::form::{Form, FormLines};
use crate::tui::panel::{Panel, Tone};
use crate::tui::text::{cells, fit, wrap};

/// Cells that two buttons take.
const BUTTONS: u16 = 30;

/// Whether the latest write of this kind is done and shown, so that its dialog only informs and the keys of
/// the pane work over it.
pub(crate) fn is_done(kind: WriteKind, state: &State) -> bool {
    matches!(state.mutations.stage(kind), Stage::Completed(write) if write.verdict == Verdict::Done)
}

/// If the write is done, closes its dialog and performs the pane's `action`; before that, the action only
/// brings an error notice. Actions that the pane does not have or that are available everywhere are ignored,
/// for the core.
pub(crate) fn act_below(action: Action, kind: WriteKind, cx: &mut Cx<'_>) -> Outcome {
    let is_in = |context: Context| bindings(context).any(|row| row.action == action);
    let is_of_pane = is_in(Context::Table) || is_in(Context::Workergroups);
    if !is_of_pane || is_in(Context::Always) {
        return Outcome::Ignored;
    }
    if is_done(kind, cx.state()) {
        cx.close();
        cx.perform(action);
    } else if cx.state().mutations.in_flight(kind).is_some() {
        cx.complain("Wait for the response first");
    } else {
        cx.complain("Close this dialog first");
    }
    Outcome::Handled
}

/// Closes the dialog of a write, unless the write is still in flight.
///
/// Enter may still be held down from sending.
pub(crate) fn close_outcome(kind: WriteKind, cx: &mut Cx<'_>) {
    if cx.state.mutations.in_flight(kind).is_none() {
        cx.close();
    }
}

/// Closes the dialog of a write. If the write is in flight, it continues and a notice mentions that; `doing`
/// names it, as `unlisting`.
pub(crate) fn back(kind: WriteKind, doing: &str, cx: &mut Cx<'_>) {
    if let Some(sent) = cx.state.mutations.in_flight(kind) {
        let text = format!("Still {doing} {}: the outcome will be shown", sent.subject);
        cx.toast(text);
    }
    cx.close();
}

/// The disabled availability of help in a dialog that sends a write, with the reason.
pub(crate) fn no_help() -> Availability {
    Availability::Disabled("Finish or cancel this dialog first".to_owned())
}

enum Content {
    Text(Line<'static>),
    /// Space for the answering form, as width and height.
    Form(u16, u16),
}

impl Content {
    /// Rows that the content takes in the dialog.
    const fn height(&self) -> u16 {
        match self {
            Self::Text(_) => 1,
            Self::Form(_, height) => *height,
        }
    }

    /// Cells that the content needs in the dialog.
    fn width(&self) -> u16 {
        match self {
            Self::Text(line) => u16::try_from(line.width()).unwrap_or(u16::MAX),
            Self::Form(width, _) => *width,
        }
    }
}

/// The lines of a dialog.
///
/// If the screen is too small, lines with the highest rank are dropped first, so that the facts of
/// the decision remain.
pub(crate) struct Rows {
    rows: Vec<(u8, Content)>,
    width: u16,
}

impl Rows {
    /// No lines yet, for a dialog at most `widest` cells wide.
    pub fn new(area: Rect, widest: u16) -> Self {
        Self {
            rows: Vec::new(),
            width: area.width.saturating_sub(6).min(widest),
        }
    }

    /// Adds a text, wrapped to the dialog's width; lines of the highest `rank` are dropped first.
    pub fn text(&mut self, rank: u8, text: &str, style: Style) {
        for line in wrap(text, self.width) {
            self.line(rank, Line::styled(line, style));
        }
    }

    /// Adds a text whose first two lines are dropped last: they hold the total or the outcome.
    pub fn lead(&mut self, text: &str, style: Style) {
        for (index, line) in wrap(text, self.width).into_iter().enumerate() {
            let rank = if index < 2 { 0 } else { 2 };
            self.line(rank, Line::styled(line, style));
        }
    }

    /// Adds a line, cut to the width; lines of the highest `rank` are dropped first.
    pub fn line(&mut self, rank: u8, line: Line<'static>) {
        let line = fit(line, self.width);
        self.rows.push((rank, Content::Text(line)));
    }

    /// Adds a blank line, which is dropped first.
    pub fn gap(&mut self) {
        self.line(7, Line::default());
    }

    /// Adds space for the answering form; the caller draws it at the area that [`Rows::draw`] returns.
    pub fn form<K: Copy + Eq>(&mut self, form: &Form<K>, scene: &Scene<'_, '_>) {
        let height = FormLines::new(form, scene.theme).height(self.width);
        let width = if form.is_on_choice() { BUTTONS } else { self.width };
        self.rows.push((0, Content::Form(width, height)));
    }

    /// Adds the exact request (method, address, body, key) below a label such as `Sends once:`.
    pub fn request(&mut self, label: &str, preview: &RequestPreview, scene: &Scene<'_, '_>) {
        let theme = scene.theme;
        self.text(3, label, theme.dim);
        let RequestPreview { method, base, path, .. } = preview;
        let address = format!("{method} {base}{path}");
        if cells(&address) <= self.width {
            self.text(1, &address, theme.text);
        } else {
            self.text(1, &format!("{method} {path}"), theme.text);
            self.text(2, &format!("at {base}"), theme.text);
        }
        for line in members(&preview.body, self.width) {
            self.text(1, &line, theme.warning);
        }
        self.text(5, &preview.key, theme.dim);
    }

    /// Adds the lines of a write in flight with the seconds since it was sent; `what` names it, as
    /// `Unlisting`.
    pub fn in_flight(&mut self, what: &str, sent: &InFlight, scene: &Scene<'_, '_>) {
        let seconds = (scene.now.mono - sent.since.mono).max(0.0);
        let text = format!("{what} {} … {seconds:.0} s", sent.subject);
        self.text(0, &text, scene.theme.accent);
        let note = "Sent once; it can't be recalled. Closing this keeps waiting for the outcome.";
        self.text(2, note, scene.theme.dim);
    }

    /// Adds the headline of a write's outcome, and the market's message or the error.
    pub fn completed(&mut self, write: &Completed, scene: &Scene<'_, '_>) {
        let style = match write.verdict {
            Verdict::Done => scene.theme.good,
            Verdict::Refused => scene.theme.error,
            Verdict::Unknown => scene.theme.warning,
        };
        self.text(0, &headline(write), style);
        self.text(0, market_words(write), scene.theme.text);
    }

    /// Adds the earlier writes of this kind, newest first, in at most `most` lines, the last of which counts
    /// those left out; none without any. A problem with the write history comes before them.
    pub fn history(&mut self, title: &str, kind: WriteKind, most: usize, scene: &Scene<'_, '_>) {
        let writes = &scene.state.mutations;
        if let Some(note) = &writes.note {
            self.text(6, note, scene.theme.warning);
        }
        let count = writes.past(kind).count();
        if count == 0 {
            return;
        }
        self.gap();
        self.text(6, title, scene.theme.heading);
        let shown = if count > most { most - 1 } else { most };
        for (index, entry) in writes.past(kind).take(shown).enumerate() {
            let is_in_flight = index == 0 && entry.outcome.is_none() && writes.in_flight(kind).is_some();
            self.line(6, past(entry, is_in_flight, scene));
        }
        if count > shown {
            let text = format!("and {} older", count - shown);
            self.text(7, &text, scene.theme.dim);
        }
    }

    /// Draws the dialog, sized to its lines; if it is too small, lines of the highest rank are dropped, from
    /// the bottom up. Returns the area of its form, empty if it has none.
    pub fn draw(mut self, title: &str, tone: Tone, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
        let room = area.height.saturating_sub(2);
        let height = |rows: &[(u8, Content)]| rows.iter().map(|(_, content)| content.height()).sum::<u16>();
        while height(&self.rows) > room {
            let lines = self.rows.iter().enumerate();
            let lines = lines.filter(|(_, (_, content))| matches!(content, Content::Text(_)));
            let Some((index, _)) = lines.max_by_key(|(index, (rank, _))| (*rank, *index)) else {
                break;
            };
            self.rows.remove(index);
        }
        let panel = Panel::new(title.to_owned()).tone(tone);
        let widths = self.rows.iter().map(|(_, content)| content.width());
        let width = widths.fold(cells(title) + 4, u16::max).min(self.width);
        let size = (width + 4, height(&self.rows) + 2);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        let (mut form, mut y) = (Rect::default(), inner.y);
        for (_, content) in self.rows {
            let row = Rect {
                y,
                height: content.height(),
                ..inner
            };
            y += row.height;
            match content {
                Content::Text(line) => scene.render(line, row.intersection(inner)),
                Content::Form(..) => form = row.intersection(inner),
            }
        }
        form
    }
}

/// The tone of the frame of a write's dialog: danger in flight, as only that cannot be undone; `Ask` for an
/// outcome other than done; else focused.
pub(crate) fn outcome_tone(kind: WriteKind, scene: &Scene<'_, '_>) -> Tone {
    match scene.state.mutations.stage(kind) {
        Stage::InFlight(_) => Tone::Danger,
        Stage::Completed(write) => match write.verdict {
            Verdict::Done => Tone::Focused,
            Verdict::Refused | Verdict::Unknown => Tone::Ask,
        },
        Stage::Idle | Stage::Confirming(_) => Tone::Focused,
    }
}

/// The line of an earlier write in the history: time, subject, verdict and message.
fn past(entry: &Entry, is_in_flight: bool, scene: &Scene<'_, '_>) -> Line<'static> {
    let theme = scene.theme;
    let (verdict, style) = match (is_in_flight, entry.verdict()) {
        (true, _) => ("in flight", theme.accent),
        (false, Verdict::Done) => ("done", theme.good),
        (false, Verdict::Refused) => ("refused", theme.dim),
        (false, Verdict::Unknown) => ("UNKNOWN", theme.warning),
    };
    let over_limit = entry.intent.over_limit.map_or("", |_| ", over your limit");
    let message = match &entry.outcome {
        Some(outcome) => outcome.words.clone(),
        None if is_in_flight => String::new(),
        None => "no response seen".to_owned(),
    };
    let when = format::moment(entry.intent.at);
    Line::from(vec![
        Span::styled(format!("{when}  {:<10}  ", entry.intent.subject), theme.text),
        Span::styled(format!("{verdict:<9}  "), style),
        Span::styled(message + over_limit, theme.dim),
    ])
}

/// A JSON object in lines of up to `width` cells that break only between its members; a longer member gets
/// its own line.
fn members(json: &str, width: u16) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    let mut member = String::new();
    let (mut depth, mut is_text, mut is_escaped) = (0_u32, false, false);
    let mut add = |member: &mut String| {
        let member = std::mem::take(member);
        match lines.last_mut() {
            Some(line) if cells(line).saturating_add(cells(&member)) <= width => {
                line.push_str(&member);
            }
            _ => lines.push(member),
        }
    };
    for letter in json.chars() {
        member.push(letter);
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '{' | '[' if !is_text => depth += 1,
            '}' | ']' if !is_text => depth = depth.saturating_sub(1),
            ',' if !is_text && depth == 1 => add(&mut member),
            _ => {}
        }
    }
    add(&mut member);
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::members;

    #[test]
    fn a_body_breaks_between_its_members() {
        let body = r#"{"endpoint_name":"a,b","search":{"x":[1,2],"y":3},"max_workers":5}"#;
        assert_eq!(
            members(body, 30),
            [
                r#"{"endpoint_name":"a,b","#,
                r#""search":{"x":[1,2],"y":3},"#,
                r#""max_workers":5}"#,
            ]
        );
        assert_eq!(members(body, 80), [body]);
        assert_eq!(members("{}", 80), ["{}"]);
    }
}
