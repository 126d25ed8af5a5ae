//! The form that exports rows or requests to a file: format, rows, columns, path, and a preview.

mod draw;

use ratatui::layout::Rect;

use super::formats as copy_formats;
use crate::core::exported::{AnyContent, NotWritten, announce};
use crate::core::message::{Effect, News};
use crate::core::view::{Cx, Scene};
use crate::core::views::confirm::Confirm;
use crate::core::views::form_view::{FormView, has_form};
use crate::core::{State, copy_item};
use crate::domain::time::Now;
use crate::domain::{Field, Resource, export, format};
use crate::features::requests;
use crate::features::requests::Requests;
use crate::keys::Action;
use crate::table::browser::Browser;
use crate::tui::form::{Field as Input, Form};

/// The reason a file has no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum ContentError {
    #[error("No rows yet")]
    NoRows,
    #[error("No row to export")]
    NoRow,
    #[error("there is no request to export")]
    NoRequest,
    #[error("Too large to preview")]
    TooLarge,
}

/// The fields of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportField {
    Format,
    Rows,
    Columns,
    File,
    Export,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportSubject {
    Records(Resource),
    Requests,
}

/// Marks that the user agreed to overwrite the file.
struct Overwrite;

#[derive(Debug)]
pub struct ExportForm {
    subject: ExportSubject,
    title: String,
    form: Form<ExportField>,
    is_writing: bool,
}

impl ExportForm {
    /// The form that exports the rows of the open pane, or the requests if it has no table.
    pub fn new(state: &State, now: Now) -> Self {
        let form = match state.browser() {
            Some(browser) => Self::of_records(browser, now),
            None => Self::of_requests(Requests::read(state).count(), now),
        };
        let mut form = form;
        form.form.set_note(ExportField::File, "in the current folder");
        form
    }

    /// The form for the rows of a table, with the marked ones chosen if there are any.
    fn of_records(browser: &Browser, now: Now) -> Self {
        let resource = browser.resource();
        let file = match resource {
            Resource::Offers => "offers",
            Resource::Volumes => "volumes",
            Resource::Workergroups => "workergroups",
        };
        let all = format!("all {} shown", format::grouped(browser.view().len()));
        let marked = browser.marked_rows().len();
        let mut rows = vec![all];
        if marked > 0 {
            rows.push(format!("{} marked", format::grouped(marked)));
        }
        let last = rows.len() - 1;
        let mut rows = Input::choice(ExportField::Rows, "Rows", rows, last);
        if marked == 0 {
            rows = rows.note("mark rows to export only those");
        }
        let formats = ["CSV, for spreadsheets", "JSON, as received"];
        let columns = ["as in the table", "all fields"];
        Self::build(
            ExportSubject::Records(resource),
            format!("Export {}", resource.nouns()),
            vec![
                Input::choice(ExportField::Format, "Format", formats, 0),
                rows,
                Input::choice(ExportField::Columns, "Columns", columns, 0),
                path(&format!("bourse-{file}"), "csv", now),
            ],
        )
    }

    /// The form for a HAR file of the `count` requests, which has the path as its only field.
    fn of_requests(count: usize, now: Now) -> Self {
        let plural = if count == 1 { "" } else { "s" };
        Self::build(
            ExportSubject::Requests,
            format!("Export {} request{plural} as HAR", format::grouped(count)),
            vec![path("bourse-requests", "har", now)],
        )
    }

    /// The form with these fields, and the button to export below them.
    fn build(subject: ExportSubject, title: String, mut fields: Vec<Input<ExportField>>) -> Self {
        fields.push(Input::button(ExportField::Export, "Export"));
        Self {
            subject,
            title,
            form: Form::new(fields).submits(ExportField::Export),
            is_writing: false,
        }
    }

    /// Whether JSON is the chosen format.
    fn is_json(&self) -> bool {
        self.form.chosen(ExportField::Format) == 1
    }

    /// The content of the file with the chosen rows and columns: at most `limit` rows for a preview, all for
    /// `None`. `Err` if there is nothing to export, or too much to preview. Requests have no choices and no
    /// limit.
    fn content(&self, state: &State, limit: Option<usize>) -> Result<String, ContentError> {
        let ExportSubject::Records(resource) = self.subject else {
            return requests::export_content(state).ok_or(ContentError::NoRequest);
        };
        let browser = &state.browsers[resource];
        let listing = browser.listing().ok_or(ContentError::NoRows)?;
        let mut rows = match self.form.chosen(ExportField::Rows) {
            1 => browser.marked_rows(),
            _ => browser.view().to_vec(),
        };
        if rows.is_empty() {
            return Err(ContentError::NoRow);
        }
        rows.truncate(limit.unwrap_or(usize::MAX));
        let bytes = |row: &u32| listing.json(*row as usize).map_or(0, str::len);
        if limit.is_some() && rows.iter().map(bytes).sum::<usize>() > copy_item::LONGEST {
            return Err(ContentError::TooLarge);
        }
        if self.is_json() {
            return Ok(copy_formats::document(listing, &rows));
        }
        let fields: Vec<&'static Field> = if self.form.chosen(ExportField::Columns) == 1 {
            listing.catalog().columns().collect()
        } else {
            browser.columns.clone()
        };
        Ok(export::csv(listing, &rows, &fields))
    }

    /// Starts to write the file, unless it is being written; a missing path or content is shown as an error.
    /// `overwrite` allows to replace a file.
    fn write(&mut self, overwrite: bool, cx: &mut Cx<'_>) {
        if self.is_writing {
            return;
        }
        let path = self.form.text(ExportField::File).to_owned();
        if path.is_empty() {
            self.refuse("Type the path of the file".to_owned());
            return;
        }
        match self.content(cx.state(), None) {
            Err(error) => self.refuse(error.to_string()),
            Ok(content) => {
                self.is_writing = true;
                self.form.set_error(ExportField::File, None);
                let ticket = cx.ticket();
                cx.effect_for_view(Effect::Export {
                    ticket,
                    path,
                    content: AnyContent::new(content),
                    overwrite,
                    // Launch arguments and environments are private.
                    is_private: match self.subject {
                        ExportSubject::Records(Resource::Workergroups) | ExportSubject::Requests => true,
                        ExportSubject::Records(Resource::Offers | Resource::Volumes) => false,
                    },
                });
            }
        }
    }

    /// Focuses the path and shows the reason below it.
    fn refuse(&mut self, why: String) {
        self.form.focus_on(ExportField::File);
        self.form.set_error(ExportField::File, Some(why));
    }
}

/// The field for the path of an exported file, with `stem`, the time and `ending` as the proposed name; the
/// time prevents collisions of files.
fn path(stem: &str, ending: &str, now: Now) -> Input<ExportField> {
    let moment: String = format::moment(now.epoch)
        .chars()
        .filter_map(|character| match character {
            ' ' => Some('-'),
            '0'..='9' => Some(character),
            _ => None,
        })
        .collect();
    Input::text(ExportField::File, "File", format!("{stem}-{moment}.{ending}"))
}

impl FormView for ExportForm {
    has_form!(ExportField);

    fn submitted(&mut self, _: ExportField, cx: &mut Cx<'_>) {
        self.write(false, cx);
    }

    /// Removes the error below an edited path. On another format, adapts the file's extension if it is that
    /// of the other format, and hides the columns for JSON.
    fn changed(&mut self, key: ExportField, _: &mut Cx<'_>) {
        match key {
            ExportField::File => self.form.set_error(ExportField::File, None),
            ExportField::Format => {
                let (before, now) = if self.is_json() {
                    (".csv", ".json")
                } else {
                    (".json", ".csv")
                };
                let path = self.form.text(ExportField::File).to_owned();
                if let Some(stem) = path.strip_suffix(before) {
                    self.form.set_text(ExportField::File, &format!("{stem}{now}"));
                }
                self.form.set_hidden(ExportField::Columns, self.is_json());
            }
            ExportField::Rows | ExportField::Columns | ExportField::Export => {}
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("export"),
            Action::Back => Some("cancel"),
            _ => None,
        }
    }

    fn on_news(&mut self, news: News, cx: &mut Cx<'_>) {
        let News::Written(result) = news else { return };
        self.is_writing = false;
        match result {
            Ok(written) => {
                cx.show(announce(Ok(written), cx.now));
                cx.close();
            }
            Err(NotWritten::Exists(path)) => {
                let effect = format!("{path} already exists. Its contents will be lost.");
                let overwrite = |cx: &mut Cx<'_>| cx.drafts().put(Overwrite);
                cx.open(Confirm::new("Overwrite the file?", effect, "overwrite", overwrite));
            }
            Err(NotWritten::Failed(why)) => self.refuse(why),
        }
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        if cx.drafts().take::<Overwrite>().is_some() {
            self.write(true, cx);
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::export(self, area, scene);
    }
}
