//! The copy menu: every form in which what is here can be copied, each with its letter and the text
//! itself.

use super::Keymap;
use super::copied::{self, LONGEST};
use super::keymap::{Action, BINDINGS, Context};
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::Now;
use super::{Browser, Model, Pane};
use crate::domain::export;
use crate::domain::text::visible;

/// The menu.
#[derive(Debug)]
pub struct CopyMenu {
    /// What can be copied.
    pub items: Vec<CopyItem>,
    /// The selected one.
    pub selected: usize,
}

/// Something that can be copied.
#[derive(Debug)]
pub struct CopyItem {
    /// The action whose letter copies it.
    pub action: Action,
    /// What it is, as it follows “Copied”.
    pub what: String,
    /// The text, or why there is none.
    pub text: Result<String, String>,
    /// Whether the text is a secret: copied when asked for, shown nowhere.
    pub is_secret: bool,
}

impl CopyItem {
    /// An item; a text that is too long is none.
    pub fn new(action: Action, what: impl Into<String>, text: Result<String, String>) -> Self {
        let text = text.and_then(|text| {
            if text.is_empty() {
                Err("it is empty".to_owned())
            } else if text.len() > LONGEST {
                Err(format!(
                    "{} kB are more than the {} kB that a clipboard takes: export it with e",
                    text.len().div_ceil(1024),
                    LONGEST / 1024
                ))
            } else {
                Ok(text)
            }
        });
        Self {
            action,
            what: what.into(),
            text,
            is_secret: false,
        }
    }

    /// A secret.
    fn secret(action: Action, what: &str, text: Option<String>) -> Self {
        let text = text.ok_or_else(|| "the record came without one".to_owned());
        Self {
            is_secret: true,
            ..Self::new(action, what, text)
        }
    }

    /// The letter that copies it, as the keymap has it.
    pub fn letter(&self, keymap: &Keymap) -> String {
        BINDINGS
            .iter()
            .find(|row| row.context == Context::CopyMenu && row.action == self.action)
            .map_or_else(String::new, |row| keymap.shown_key(row))
    }
}

impl CopyMenu {
    /// The selected item.
    pub fn current(&self) -> Option<&CopyItem> {
        self.items.get(self.selected)
    }

    /// Selects another item.
    pub fn step(&mut self, by: isize) {
        let last = self.items.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }
}

/// Opens the menu over what is in sight.
pub(super) fn open(model: &mut Model) {
    if let Some(items) = menu(model) {
        let menu = CopyMenu { items, selected: 0 };
        model.overlays.push(Overlay::Copy(menu));
    }
}

/// What can be copied from where the person is; `None` where nothing can.
pub(super) fn menu(model: &Model) -> Option<Vec<CopyItem>> {
    if model.state.pane == Pane::Requests || model.state.requests.opened.is_some() {
        return Some(super::requests::copy_items(&model.state));
    }
    let browser = model.browser()?;
    let mut items = items(browser, &model.state.profile.base_url);
    if model.state.pane == Pane::Workergroups {
        items.push(CopyItem::secret(
            Action::CopySecret,
            "the group's key, unmasked",
            super::groups::secret(model),
        ));
    }
    Some(items)
}

fn items(browser: &Browser, base: &str) -> Vec<CopyItem> {
    let query = &browser.query;
    let mut items = row_items(browser);
    items.push(CopyItem::new(
        Action::CopyQuery,
        "the query",
        Ok(browser.query_text()),
    ));
    let unknown = copied::unknown_to_client(query);
    let what = match unknown {
        0 => "the market client's command".to_owned(),
        1 => "the market client's command, without 1 condition it does not know".to_owned(),
        more => format!("the market client's command, without {more} conditions it does not know"),
    };
    items.push(CopyItem::new(
        Action::CopyCommand,
        what,
        Ok(copied::client_command(query)),
    ));
    items.push(CopyItem::new(
        Action::CopyCurl,
        "the call as curl, key from $BOURSE_API_KEY",
        copied::search_curl(query, base, browser.dialect()),
    ));
    items
}

/// The forms of the selected row, of the marked rows and of the table.
fn row_items(browser: &Browser) -> Vec<CopyItem> {
    let nothing = || "no record is selected".to_owned();
    let Some(listing) = browser.listing() else {
        return Vec::new();
    };
    let noun = browser.resource().noun();
    let row = browser
        .selected_row()
        .and_then(|row| u32::try_from(row).ok());
    let id = browser.selected().map(|id| id.to_string());
    let marked = browser.marked_rows();
    let json = row.and_then(|row| copied::row_json(listing, row));
    let line = row.map(|row| export::csv_line(listing, row, &browser.columns));
    let (rows, which) = if marked.is_empty() {
        (
            browser.view().to_vec(),
            format!("{} rows", browser.view().len()),
        )
    } else {
        let many = if marked.len() == 1 { "row" } else { "rows" };
        (marked.clone(), format!("{} marked {many}", marked.len()))
    };
    let marked_text = if marked.is_empty() {
        Err("no row is marked: Space marks one".to_owned())
    } else {
        Ok(copied::rows_json(listing, &marked))
    };
    vec![
        CopyItem::new(
            Action::CopyId,
            format!("the id of the {noun}"),
            id.ok_or_else(nothing),
        ),
        CopyItem::new(
            Action::CopyJson,
            format!("the {noun} as JSON"),
            json.ok_or_else(nothing),
        ),
        CopyItem::new(
            Action::CopyCsv,
            format!("the {noun} as a CSV line"),
            line.ok_or_else(nothing),
        ),
        CopyItem::new(Action::CopyMarked, "the marked rows as JSON", marked_text),
        CopyItem::new(
            Action::CopyTable,
            format!("{which} as a Markdown table"),
            copied::table(listing, &rows, &browser.columns, browser.dialect()),
        ),
    ]
}

/// Does what an action asks of the menu.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let Some(Overlay::Copy(menu)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    let item = match action {
        Action::Down => {
            menu.step(1);
            None
        }
        Action::Up => {
            menu.step(-1);
            None
        }
        Action::Submit => menu.current(),
        letter => menu.items.iter().find(|item| item.action == letter),
    };
    let Some(item) = item else { return Vec::new() };
    match &item.text {
        Err(why) => {
            let text = format!("Not copied: {why}");
            model.show(Toast::error(text, now));
            Vec::new()
        }
        Ok(text) => {
            let what = if item.is_secret {
                item.what.clone()
            } else {
                format!("{}: {}", item.what, beginning(text))
            };
            let effect = Effect::Copy {
                what,
                text: text.clone(),
            };
            model.overlays.pop();
            vec![effect]
        }
    }
}

/// The beginning of a text, on one line.
fn beginning(text: &str) -> String {
    visible(text.lines().next().unwrap_or_default(), 40)
}
