//! The texts that can be copied: ids, records, tables, queries and requests, each with its letter.

use super::{formats as copy_formats, handoff};
use crate::core::commands::Commands;
use crate::core::copy_item::{CopyError, CopyItem};
use crate::core::message::Effect;
use crate::core::profile::Profile;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::format::counted;
use crate::domain::limits::Limits;
use crate::domain::text::visible;
use crate::domain::{Resource, WORKERGROUPS};
use crate::features::requests::Requests;
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::browser::Browser;

/// The texts that help and palette offer to copy: those of the copy menu, where that can be opened; none
/// elsewhere.
pub fn reachable_items(commands: &Commands, state: &State) -> Vec<CopyItem> {
    let has_menu = commands.rows().any(|row| row.action == Action::Copy);
    has_menu.then(|| items(state)).flatten().unwrap_or_default()
}

/// Copies an item, or shows the reason it cannot be copied.
pub fn copy_item(item: &CopyItem, cx: &mut Cx<'_>) {
    match copy(item) {
        Ok(effect) => cx.effect(effect),
        Err(why) => cx.complain(format!("Not copied: {why}")),
    }
}

/// The effect that copies an item.
///
/// # Errors
///
/// When there is no text to copy, or it is too long for a clipboard.
pub fn copy(item: &CopyItem) -> Result<Effect, CopyError> {
    let text = item.text.clone()?;
    let what = if item.is_secret {
        item.what.clone()
    } else {
        let first = text.lines().next().unwrap_or_default();
        format!("{}: {}", item.what, visible(first, 40))
    };
    Ok(Effect::Copy { what, text })
}

/// The texts that can be copied, some of them disabled with a reason: of the request that is open or selected
/// if one is open or the pane is Requests, else of the open pane's table. `None` if there is neither.
pub fn items(state: &State) -> Option<Vec<CopyItem>> {
    if state.pane == Pane::Requests || Requests::read(state).opened.is_some() {
        return Some(crate::features::requests::copy_items(state));
    }
    let browser = state.browser()?;
    let mut items = pane_items(
        browser,
        &state.profile,
        state.settings.values.limits(),
        state.awaits_reply(browser),
    );
    if state.pane == Pane::Workergroups {
        let key = api_key(state).ok_or(CopyError::Missing("this record has no key"));
        items.push(CopyItem::new('k', "copy-key", "the group's API key, unmasked", key).secret());
    }
    Some(items)
}

/// The API key of the selected workergroup, unmasked; `None` if none is selected or its record has no key.
pub fn api_key(state: &State) -> Option<String> {
    let browser = &state.browsers[Resource::Workergroups];
    let field = WORKERGROUPS.by_key("api_key")?;
    let record = browser.listing()?.full_record(browser.selected_row()?);
    record.text(field).map(|key| key.unescaped().to_owned())
}

/// The texts that can be copied from a pane of records: its rows, how to rent, the query, and commands for
/// the search. `waits` is the reason no rows are copied while they are recorded ones.
fn pane_items(browser: &Browser, profile: &Profile, limits: Limits, waits: Option<String>) -> Vec<CopyItem> {
    let query = &browser.query;
    let mut items = match &waits {
        Some(why) => waiting_items(browser, why),
        None => row_items(browser),
    };
    if browser.resource() == Resource::Offers {
        items.extend(rent_items(browser, profile, limits, waits));
    }
    items.push(CopyItem::new('q', "copy-query", "the query", Ok(browser.query_text())));
    let (line, left_out) = handoff::search_line(browser);
    let what = without("the search as one line for a shell", left_out, "can't have");
    items.push(CopyItem::new('b', "copy-line", what, Ok(line)));
    let unknown = copy_formats::unknown_to_client(query);
    let what = without("the market's own command line", unknown, "does not support");
    items.push(CopyItem::new(
        'v',
        "copy-command",
        what,
        Ok(copy_formats::client_command(query)),
    ));
    items.push(CopyItem::new(
        'c',
        "copy-curl",
        "the request as curl, key from $BOURSE_API_KEY",
        copy_formats::search_curl(query, &profile.base_url, browser.dialect()),
    ));
    items
}

/// The description `what` of a copy, with the number of conditions that it leaves out, and the reason `why`;
/// `what` alone if there are none.
fn without(what: &str, left_out: usize, why: &str) -> String {
    match left_out {
        0 => what.to_owned(),
        1 => format!("{what}, without 1 condition it {why}"),
        more => format!("{what}, without {more} conditions it {why}"),
    }
}

const NOTHING_SELECTED: CopyError = CopyError::Missing("no record is selected");

/// The command that rents the selected offer outside bourse, and on the public service the address of its
/// console. Without a selected offer the command is disabled, with the reason `waits` if there is one.
fn rent_items(browser: &Browser, profile: &Profile, limits: Limits, waits: Option<String>) -> Vec<CopyItem> {
    let command = browser
        .selected()
        .zip(browser.listing())
        .ok_or_else(|| waits.map_or(NOTHING_SELECTED, CopyError::Waiting))
        .and_then(|(id, listing)| handoff::rent_command(&browser.query, listing, id, profile));
    let label = handoff::rent_label(browser.query.offer_type, profile);
    let offer = browser.selected().zip(browser.listing());
    let warning = offer.and_then(|(id, listing)| handoff::limit_warning(limits, browser.pricing(), listing, id));
    let what = warning.map_or(label.clone(), |warning| format!("{label}: {warning}"));
    let mut items = vec![CopyItem::new('n', "copy-rent", what, command)];
    if let Some(address) = handoff::console_address(profile) {
        let what = "the console's page that rents machines, where offers go by their id";
        let address = Ok(address.to_owned());
        items.push(CopyItem::new('l', "copy-link", what, address));
    }
    items
}

/// The ways to copy rows (id, JSON, CSV, table), all disabled for the reason `why`.
fn waiting_items(browser: &Browser, why: &str) -> Vec<CopyItem> {
    let noun = browser.resource().noun();
    let all = [
        ('i', "copy-id", format!("the id of the {noun}")),
        ('j', "copy-json", format!("the {noun} as JSON")),
        ('r', "copy-csv", format!("the {noun} as a CSV line")),
        ('t', "copy-table", "the rows as a Markdown table".to_owned()),
    ];
    let items = all.into_iter();
    items
        .map(|(letter, name, what)| CopyItem::new(letter, name, what, Err(CopyError::Waiting(why.to_owned()))))
        .collect()
}

/// The ways to copy the selected row, the marked rows as JSON, and the table (of the marked rows if there are
/// any); disabled with the reason if there is no such row. Empty without a response.
fn row_items(browser: &Browser) -> Vec<CopyItem> {
    let Some(listing) = browser.listing() else {
        return Vec::new();
    };
    let noun = browser.resource().noun();
    let selected = browser.selected_row().and_then(|row| u32::try_from(row).ok());
    let row = selected.ok_or(NOTHING_SELECTED);
    let id = browser.selected().map(|id| id.to_string());
    let marked = browser.marked_rows();
    let (rows, which) = if marked.is_empty() {
        (browser.view().to_vec(), counted(browser.view().len(), "row", "rows"))
    } else {
        (marked.clone(), counted(marked.len(), "marked row", "marked rows"))
    };
    let marked = if marked.is_empty() {
        Err(CopyError::Missing("no row is marked"))
    } else {
        copy_formats::rows_json(listing, &marked)
    };
    let columns = &browser.columns;
    let json = row.clone().and_then(|row| copy_formats::row_json(listing, row));
    let line = row.and_then(|row| copy_formats::row_csv(listing, row, columns));
    let table = copy_formats::table(listing, &rows, columns, browser.dialect());
    let all = [
        (
            'i',
            "copy-id",
            format!("the id of the {noun}"),
            id.ok_or(NOTHING_SELECTED),
        ),
        ('j', "copy-json", format!("the {noun} as JSON"), json),
        ('r', "copy-csv", format!("the {noun} as a CSV line"), line),
        ('m', "copy-marked", "the marked rows as JSON".to_owned(), marked),
        ('t', "copy-table", format!("{which} as a Markdown table"), table),
    ];
    let items = all.into_iter();
    items
        .map(|(letter, name, what, text)| CopyItem::new(letter, name, what, text))
        .collect()
}
