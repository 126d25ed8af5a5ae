//! Every field of a record in as many columns as fit, and the meaning of the focused one.

mod grid;
mod unknown;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::text::{Line, Span};

use self::grid::Grid;
use super::Detail;
use super::overview::lowered;
use crate::core::State;
use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::domain::field::{Kind, Section};
use crate::domain::listing::FullRecord;
use crate::domain::local::LocalTime;
use crate::domain::text::{DETAIL, detail};
use crate::domain::time::{Now, UnixTime};
use crate::domain::workergroup::group_search;
use crate::domain::{CellRef, Field, Source, format};
use crate::keys::Action;
use crate::table::browser::Browser;
use crate::tui::find::{Find, FindEvent};
use crate::tui::text::{cells, fit, wrap, wrap_line};
use crate::tui::viewport::Viewport;

/// Width of a column: a label, a value and a gap.
const COLUMN: u16 = 37;

const LABEL: usize = 19;

const GAP: u16 = 2;

/// The reason that a field has no value, where the market sends `null`.
const AS_NULL: &str = "Reported as null";

/// Height of the note on the focused field, on a low and on a tall screen.
///
/// Most notes fit in the first; a tall screen has room for long ones.
const NOTE: [u16; 2] = [4, 7];

/// The emphasis of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Normal,
    Blank,
    Unusual,
}

/// One field with its value.
#[derive(Debug)]
struct FieldEntry {
    section: &'static str,
    key: &'static str,
    label: String,
    value: String,
    tone: Tone,
    /// The meaning of the field, and the reason it is blank or unusual.
    note: String,
}

impl FieldEntry {
    /// The label, with the name on the wire of a field in the catalog: `Down (inet_down)`.
    fn name(&self) -> String {
        if self.key.is_empty() {
            return self.label.clone();
        }
        format!("{} ({})", self.label, self.key)
    }
}

/// The focused field and the search.
#[derive(Debug, Default)]
pub(super) struct Fields {
    cursor: usize,
    pub find: Find,
    /// The members that no catalog has, once they are computed.
    unknown: OnceLock<Vec<Arc<FieldEntry>>>,
}

impl Fields {
    /// Handles an action of the search or a move of the cursor; `page` is the number of entries in a page.
    /// False if the action is neither.
    pub fn update(&mut self, action: Action, page: usize, state: &State, now: Now) -> bool {
        match self.find.update(action.command()) {
            FindEvent::Handled => return true,
            FindEvent::Moved => {
                self.cursor = self.find.current().unwrap_or(self.cursor);
                return true;
            }
            FindEvent::Ignored => {}
        }
        let Some(by) = action.motion(page) else {
            return false;
        };
        let last = self.entries(state, now, false).len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
        true
    }

    /// Drops the entries of unknown members, as another record may be shown.
    pub fn rows_changed(&mut self) {
        self.unknown = OnceLock::new();
    }

    /// Moves the cursor to the entry at `index`.
    pub const fn select(&mut self, index: usize) {
        self.cursor = index;
    }

    /// Moves the cursor to the entry of the field `key`, or to the first entry if there is none.
    pub fn focus(&mut self, key: &str, state: &State, now: Now) {
        let entries = self.entries(state, now, false);
        let index = entries.iter().position(|entry| entry.key == key);
        self.cursor = index.unwrap_or(0);
    }

    /// Updates the matches and moves the cursor to the current one.
    ///
    /// Secrets are not searched: a match would reveal their content.
    pub fn search(&mut self, state: &State, now: Now) {
        let entries = self.entries(state, now, false);
        let last = entries.len().saturating_sub(1);
        self.cursor = self.cursor.min(last);
        let lines = entries
            .iter()
            .map(|entry| format!("{} {} {} {}", entry.label, entry.key, entry.value, entry.note));
        self.find.search(self.cursor, lines);
        self.cursor = self.find.current().unwrap_or(self.cursor);
    }

    /// Every field of the selected record: unusual values first, then section by section with names and ids
    /// last, those without a value as one entry, and unknown members. `reveals` shows secrets; empty without
    /// a selected record.
    fn entries(&self, state: &State, now: Now, reveals: bool) -> Vec<Arc<FieldEntry>> {
        let Some(browser) = state.browser() else {
            return Vec::new();
        };
        let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
            return Vec::new();
        };
        let reader = Reader {
            record: listing.full_record(row),
            local: state.local_time(now),
            key: state.keymap.key_of(Action::Secrets),
            browser,
            row,
            reveals,
        };
        let unknown = self.unknown.get_or_init(|| reader.unknown());
        let (blank, further): (Vec<_>, Vec<_>) = unknown.iter().partition(|entry| entry.tone == Tone::Blank);
        let mut all = reader.known(&blank);
        all.extend(further.into_iter().cloned());
        all
    }
}

struct Reader<'a> {
    record: Arc<FullRecord>,
    local: LocalTime,
    key: String,
    browser: &'a Browser,
    row: usize,
    reveals: bool,
}

impl Reader<'_> {
    /// The entries of the fields in the catalog, unusual ones first; all fields without a value, also the
    /// unknown members `unknown`, are one entry at the end.
    fn known(&self, unknown: &[&Arc<FieldEntry>]) -> Vec<Arc<FieldEntry>> {
        let sections = Section::ALL.into_iter();
        let (ids, further): (Vec<_>, Vec<_>) = sections.partition(|section| *section == Section::Identity);
        let fields = further
            .into_iter()
            .chain(ids)
            .flat_map(|section| self.browser.query.catalog().section(section));
        let (mut all, rest): (Vec<FieldEntry>, Vec<FieldEntry>) = fields
            .map(|field| self.entry(field))
            .partition(|entry| entry.tone == Tone::Unusual);
        for entry in &mut all {
            entry.section = "Unusual";
        }
        let (blank, known): (Vec<FieldEntry>, Vec<FieldEntry>) =
            rest.into_iter().partition(|entry| entry.tone == Tone::Blank);
        all.into_iter()
            .chain(known)
            .chain(folded(blank.iter().chain(unknown.iter().map(|entry| &***entry))))
            .map(Arc::new)
            .collect()
    }

    /// The entry of a field; an unusual value has the reason before its note.
    fn entry(&self, field: &'static Field) -> FieldEntry {
        let cell = self.record.cell(field);
        let (value, mut note) = self.value(field, cell);
        let is_blank = value == format::NONE;
        let oddity = self.oddity(field, cell);
        if let Some(oddity) = &oddity {
            note = format!("{oddity}. {note}");
        }
        let tone = match oddity {
            Some(_) => Tone::Unusual,
            None if is_blank => Tone::Blank,
            None => Tone::Normal,
        };
        FieldEntry {
            section: field.section.title(),
            key: field.key,
            label: field.label.to_owned(),
            value,
            tone,
            note,
        }
    }

    /// The displayed value of a field, and a note on it; secrets are hidden unless they are revealed.
    fn value(&self, field: &'static Field, cell: CellRef<'_>) -> (String, String) {
        let doc = field.doc.to_owned();
        match (field.kind, cell) {
            (_, CellRef::Missing) => {
                return (format::NONE.to_owned(), format!("Not reported. {doc}"));
            }
            (_, CellRef::Null) if matches!(field.source, Source::Known(_)) => {
                return (format::NONE.to_owned(), format!("Not known to the market. {doc}"));
            }
            (_, CellRef::Null) => {
                return (format::NONE.to_owned(), format!("{AS_NULL}. {doc}"));
            }
            (_, CellRef::Number(0.0)) if field.zero_is_none => {
                return (format::NONE.to_owned(), format!("Reported as 0. {doc}"));
            }
            (Kind::Secret, CellRef::Text(_)) if !self.reveals => {
                return (format!("hidden ({} shows it)", self.key), doc);
            }
            (Kind::Secret, CellRef::Text(_)) => {
                let secret = self.record.text(field);
                return (
                    secret.map_or_else(String::new, |secret| detail(secret.unescaped(), 0)),
                    doc,
                );
            }
            (Kind::Timestamp, CellRef::Number(seconds)) => return (self.local.detail(UnixTime::new(seconds)), doc),
            _ => {}
        }
        let value = format::detail(&self.record, field, self.browser.dialect());
        if value.is_empty() {
            return (format::NONE.to_owned(), format!("Reported as empty. {doc}"));
        }
        let doc = match cell {
            CellRef::Text(text) => note_on_truncated(text, doc),
            _ => doc,
        };
        (self.qualified(field, value), self.left_out(field, doc))
    }

    /// The text of a price, marked if it is an estimate or the price of a reservation; others are unchanged.
    fn qualified(&self, field: &Field, text: String) -> String {
        let Some(listing) = self.browser.listing() else {
            return text;
        };
        if listing.is_estimated(field) {
            format!("~{text} estimate")
        } else if listing.is_reserved_price(field) {
            format!("{text} reserved")
        } else {
            text
        }
    }

    /// The note `doc` of a field; for the search of a workergroup, preceded by the names of its members that
    /// are no conditions.
    fn left_out(&self, field: &Field, doc: String) -> String {
        if !matches!(field.source, Source::Search(_)) {
            return doc;
        }
        let listing = self.browser.listing();
        let search = listing.and_then(|listing| group_search(listing, self.row));
        let names = search.map_or_else(Vec::new, |search| search.left_out);
        if names.is_empty() {
            return doc;
        }
        let names: Vec<String> = names.iter().map(|name| name.screen(24)).collect();
        format!("Not shown here, see the JSON: {}. {doc}", names.join(", "))
    }

    /// The reason a value is unusual; `None` if it is usual.
    fn oddity(&self, field: &Field, cell: CellRef<'_>) -> Option<String> {
        if self.browser.is_violating(self.row, field) {
            return Some("Not what you searched for".to_owned());
        }
        match (field.key, cell) {
            (_, CellRef::Bad(kind)) => Some(format!("Unusable: {} sent", kind.noun())),
            ("verification", CellRef::Text(text)) if text != "verified" => Some("Not verified".to_owned()),
            ("verified" | "rentable", CellRef::Flag(false)) => Some("No".to_owned()),
            ("rented" | "is_vm_deverified" | "external", CellRef::Flag(true)) => Some("Yes".to_owned()),
            ("reliability" | "reliability2", CellRef::Number(share)) if share < 0.95 => Some("Under 95%".to_owned()),
            (_, CellRef::Number(number)) => {
                let (least, most) = field.range?;
                (!(least..=most).contains(&number)).then(|| "Outside the usual range".to_owned())
            }
            _ => None,
        }
    }
}

/// One entry for all fields without a value, with their names by the reason; `None` if there are no such
/// fields.
fn folded<'a>(blank: impl Iterator<Item = &'a FieldEntry>) -> Option<FieldEntry> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in blank {
        let reason = entry.note.split('.').next().unwrap_or_default();
        reasons.entry(reason).or_default().push(entry.name());
    }
    let all: usize = reasons.values().map(Vec::len).sum();
    // The few that are out of the ordinary first.
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, names)| names.len());
    let texts = reasons.iter().map(|(reason, names)| {
        let count = format!("{} {}", format::grouped(names.len()), lowered(reason));
        (count, format!("{reason}: {}.", names.join(", ")))
    });
    let (counts, note): (Vec<String>, Vec<String>) = texts.unzip();
    (all > 0).then(|| FieldEntry {
        section: "Without a value",
        key: "",
        label: format::counted(all, "field", "fields"),
        value: counts.join(", "),
        tone: Tone::Blank,
        note: note.join(" "),
    })
}

/// Prefixes the note on a field with the size of its text and a reference to the JSON tab if the text is too
/// long to be shown in full.
fn note_on_truncated(text: &str, note: String) -> String {
    if text.len() <= DETAIL {
        return note;
    }
    let size = format::size(text.len());
    format!("{size}: the JSON tab shows all of it. {note}")
}

/// The height that the fields, the note on the focused one and the search line need in this area.
pub(super) fn height(view: &Detail, area: Rect, scene: &Scene<'_, '_>) -> u16 {
    let entries = view.fields.entries(scene.state, scene.now, view.reveals(scene.now));
    let grid = Grid::new(&entries, &view.fields, area, scene.theme).height();
    let grid = u16::try_from(grid).unwrap_or(u16::MAX);
    grid.saturating_add(1 + NOTE[0] + u16::from(view.fields.find.is_active()))
}

/// Draws the Fields tab of the details: the columns, a note on the focused field, and the search line.
pub(super) fn draw(view: &Detail, area: Rect, scene: &mut Scene<'_, '_>) {
    let entries = view.fields.entries(scene.state, scene.now, view.reveals(scene.now));
    let has_find = view.fields.find.is_active();
    let note = match area.height {
        ..=8 => 1,
        9..45 => NOTE[0],
        _ => NOTE[1],
    };
    let [grid, below, find] = Layout::vertical([Fill(1), Length(note), Length(u16::from(has_find))]).areas(area);
    let widget = Grid::new(&entries, &view.fields, grid, scene.theme);
    let before = scene.before.viewport(scene.depth, Region::MAIN);
    let mut state = (before, Vec::new());
    scene.frame.render_stateful_widget(&widget, grid, &mut state);
    let (viewport, lines) = state;
    scene.layout.viewports.push((
        scene.depth,
        Region::MAIN,
        Viewport {
            rows: Rect::default(),
            ..viewport
        },
    ));
    for (line, entry) in lines {
        scene.clickable(line, Target::Item(Region::MAIN, entry));
    }
    let cursor = view.fields.cursor.min(entries.len().saturating_sub(1));
    if let Some(entry) = entries.get(cursor) {
        explain(entry, widget.room(grid.width), below, scene);
    }
    if has_find {
        scene.find_line(&view.fields.find, find);
    }
}

/// Draws the focused field: its wire name, its meaning, and its full value if the column has cut
/// it.
fn explain(entry: &FieldEntry, room: usize, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let name = Line::from(vec![
        Span::styled(entry.name(), theme.accent),
        Span::raw("  "),
        Span::styled(entry.note.clone(), theme.dim),
    ]);
    let mut lines = wrap_line(&name, area.width, 0);
    if usize::from(cells(&entry.value)) > room {
        let value = wrap(&entry.value, area.width).into_iter();
        lines.extend(value.map(|part| Line::styled(part, theme.text)));
    }
    // A rule above them if there is room.
    let text = if area.height > 1 {
        let rule = "─".repeat(usize::from(area.width));
        scene.render(Line::styled(rule, theme.border), Rect { height: 1, ..area });
        Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        }
    } else {
        area
    };
    for (row, line) in text.rows().zip(lines) {
        scene.render(fit(line, row.width), row);
    }
}
