//! Writing rows or calls to a file: a small form with the format, the rows, the columns and the
//! path.

use super::copied;
use super::keymap::{Action, Context};
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::prompt::Question;
use super::remote::Now;
use super::{Browser, Model};
use crate::domain::{Field, Resource, export, format};
use crate::widgets::text_input::TextInput;

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Records of a pane.
    Records(Resource),
    /// The calls of this run.
    Calls,
}

/// A format of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values, for spreadsheets.
    Csv,
    /// The records as they came.
    Json,
    /// An HTTP archive: calls only.
    Har,
}

impl Format {
    /// The ending of a file's name.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Har => "har",
        }
    }
}

/// A line of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// CSV or JSON.
    Format,
    /// The rows in view or the marked ones.
    Rows,
    /// The columns in the table or all fields; CSV only.
    Columns,
    /// The path.
    File,
}

/// The form.
#[derive(Debug, Clone)]
pub struct ExportForm {
    /// What is exported.
    pub subject: Subject,
    /// The format.
    pub format: Format,
    /// Whether only the marked rows are exported.
    pub marked_only: bool,
    /// Whether all fields are exported, not only the columns of the table.
    pub all_fields: bool,
    /// The path, relative to the current folder.
    pub path: TextInput,
    /// Why the file was not written, if it was tried.
    pub error: Option<String>,
    /// Rows in view, and marked ones; calls.
    pub counts: (usize, usize),
    /// The line that takes the keys.
    pub at: usize,
    /// Whether the file is being written.
    is_writing: bool,
}

impl ExportForm {
    /// The form for records of a pane at the moment `now`.
    pub fn records(browser: &Browser, now: Now) -> Self {
        let resource = browser.resource();
        let marked = browser.marked_rows().len();
        let nouns = match resource {
            Resource::Offers => "offers",
            Resource::Volumes => "volumes",
            Resource::Workergroups => "workergroups",
        };
        let counts = (browser.view().len(), marked);
        let mut form = Self::new(Subject::Records(resource), nouns, counts, now);
        form.marked_only = marked > 0;
        form
    }

    /// The form for so many calls at the moment `now`.
    pub fn calls(count: usize, now: Now) -> Self {
        Self::new(Subject::Calls, "requests", (count, 0), now)
    }

    fn new(subject: Subject, nouns: &str, counts: (usize, usize), now: Now) -> Self {
        let moment: String = format::moment(now.epoch)
            .chars()
            .filter_map(|character| match character {
                ' ' => Some('-'),
                '0'..='9' => Some(character),
                _ => None,
            })
            .collect();
        let format = match subject {
            Subject::Records(_) => Format::Csv,
            Subject::Calls => Format::Har,
        };
        Self {
            subject,
            format,
            marked_only: false,
            all_fields: false,
            path: TextInput::new(format!("bourse-{nouns}-{moment}.{}", format.ending())),
            error: None,
            counts,
            at: 0,
            is_writing: false,
        }
    }

    /// The lines that the form has now.
    pub fn lines(&self) -> &'static [Line] {
        match (self.subject, self.format) {
            (Subject::Calls, _) => &[Line::File],
            (_, Format::Json) => &[Line::Format, Line::Rows, Line::File],
            _ => &[Line::Format, Line::Rows, Line::Columns, Line::File],
        }
    }

    /// The line that takes the keys.
    pub fn line(&self) -> Line {
        self.lines().get(self.at).copied().unwrap_or(Line::File)
    }

    /// The contexts whose keys it takes: letters are typed only into the path.
    pub fn contexts(&self) -> &'static [Context] {
        match self.line() {
            Line::File => &[Context::Form, Context::Always],
            _ => &[Context::FormChoice, Context::Form, Context::Always],
        }
    }

    fn step(&mut self, by: isize) {
        let last = self.lines().len() - 1;
        self.at = self.at.saturating_add_signed(by).min(last);
    }

    /// Takes the other choice of the line.
    fn flip(&mut self) {
        self.error = None;
        match self.line() {
            Line::Format => {
                let before = self.format.ending();
                self.format = match self.format {
                    Format::Csv => Format::Json,
                    _ => Format::Csv,
                };
                if let Some(stem) = self.path.text().strip_suffix(before) {
                    let path = format!("{stem}{}", self.format.ending());
                    self.path.set(path);
                }
            }
            Line::Rows if self.counts.1 > 0 => self.marked_only = !self.marked_only,
            Line::Rows => {
                self.error = Some("no row is marked: Space in the table marks".to_owned());
            }
            Line::Columns => self.all_fields = !self.all_fields,
            Line::File => {}
        }
    }

    /// Edits the path if it is its turn.
    pub(super) fn edit(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        if self.line() == Line::File && edit(&mut self.path) {
            self.error = None;
        }
    }
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its absolute path, for people.
    pub path: String,
    /// Its length in bytes.
    pub bytes: usize,
}

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotWritten {
    /// There is one of that name; its path, for people.
    Exists(String),
    /// It could not be; why, in words.
    Failed(String),
}

/// Opens the form over what is in sight.
pub(super) fn open(model: &mut Model, now: Now) {
    let form = match model.browser() {
        Some(browser) => ExportForm::records(browser, now),
        None => ExportForm::calls(model.state.requests.count(), now),
    };
    model.overlays.push(Overlay::Export(form));
}

/// Does what an action asks of the form.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(Overlay::Export(form)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    match action {
        Action::Down => form.step(1),
        Action::Up => form.step(-1),
        Action::Toggle => form.flip(),
        Action::Submit => return write(model, false),
        _ => {}
    }
    Vec::new()
}

/// Has the file written; an existing one is overwritten only after a yes.
pub(super) fn write(model: &mut Model, overwrite: bool) -> Vec<Effect> {
    let content = match model.overlays.last() {
        Some(Overlay::Export(form)) if !form.is_writing => content(model, form),
        _ => return Vec::new(),
    };
    let Some(Overlay::Export(form)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    let path = form.path.text().trim().to_owned();
    match content {
        _ if path.is_empty() => form.error = Some("type the path of the file".to_owned()),
        Err(why) => form.error = Some(why),
        Ok(content) => {
            form.is_writing = true;
            form.error = None;
            return vec![Effect::Export {
                path,
                content,
                overwrite,
            }];
        }
    }
    Vec::new()
}

/// What the file is to hold.
fn content(model: &Model, form: &ExportForm) -> Result<String, String> {
    let Subject::Records(resource) = form.subject else {
        return super::requests::export_content(&model.state);
    };
    let browser = &model.state.browsers[resource];
    let listing = browser.listing().ok_or("there are no rows yet")?;
    let rows = if form.marked_only {
        browser.marked_rows()
    } else {
        browser.view().to_vec()
    };
    if rows.is_empty() {
        return Err("there is no row to export".to_owned());
    }
    if form.format == Format::Json {
        return Ok(copied::document(listing, &rows));
    }
    let fields: Vec<&'static Field> = if form.all_fields {
        listing.catalog().columns().collect()
    } else {
        browser.columns.clone()
    };
    Ok(export::csv(listing, &rows, &fields))
}

/// Takes the news of a file that was written or not.
pub(super) fn ended(model: &mut Model, now: Now, result: Result<Written, NotWritten>) {
    let form = model
        .overlays
        .iter_mut()
        .rev()
        .find_map(|overlay| match overlay {
            Overlay::Export(form) => Some(form),
            _ => None,
        });
    if let Some(form) = form {
        form.is_writing = false;
        match &result {
            Ok(_) => model
                .overlays
                .retain(|overlay| !matches!(overlay, Overlay::Export(_))),
            Err(NotWritten::Exists(path)) => {
                let question = Question::overwrite(path);
                model.overlays.push(Overlay::Question(question));
                return;
            }
            Err(NotWritten::Failed(why)) => {
                form.error = Some(why.clone());
                return;
            }
        }
    }
    // The form may have been left meanwhile.
    model.show(match result {
        Ok(written) => {
            let size = match written.bytes {
                bytes if bytes < 10_000 => format!("{bytes} bytes"),
                bytes => format!("{} kB", bytes.div_ceil(1000)),
            };
            let mut toast = Toast::new(format!("Wrote {} ({size})", written.path), now);
            toast.until += 8.0;
            toast
        }
        Err(NotWritten::Exists(path)) => Toast::error(format!("{path} is there already"), now),
        Err(NotWritten::Failed(why)) => Toast::error(why, now),
    });
}
