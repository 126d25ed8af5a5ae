//! The formats for copying rows, queries and requests: safe for a clipboard, and accepted by other
//! programs.

use std::fmt::Write as _;

use crate::api::{Origin, Request, curl, redact, wire};
use crate::core::copy_item::{CopyError, LONGEST, check_size};
use crate::domain::text::{json_for_terminal, visible};
use crate::domain::{Condition, Dialect, Listing, Operand, Query, Resource, Value, Version, export, language};

/// A record exactly as received, but without secrets; characters that a terminal would act on
/// become JSON escapes.
///
/// # Errors
///
/// When it is too long for a clipboard. Then it is not even read, as every menu calls this.
pub fn row_json(listing: &Listing, row: u32) -> Result<String, CopyError> {
    let json = listing.json(row as usize).unwrap_or_default();
    check_size(json.len())?;
    Ok(json_for_terminal(redact::without_possible_secrets(json)))
}

/// Records as a JSON list, one per line, without secrets; characters that a terminal would act on become JSON
/// escapes.
///
/// # Errors
///
/// When they are too long for a clipboard.
pub fn rows_json(listing: &Listing, rows: &[u32]) -> Result<String, CopyError> {
    let texts = rows.iter().filter_map(|row| listing.json(*row as usize));
    check_size(texts.map(str::len).sum())?;
    let records: Result<Vec<_>, _> = rows.iter().map(|row| row_json(listing, *row)).collect();
    Ok(format!("[{}]", records?.join(",\n")))
}

/// A record as a line of CSV with the cells of `columns`.
///
/// # Errors
///
/// When it is too long for a clipboard.
pub fn row_csv(listing: &Listing, row: u32, columns: &[&'static crate::domain::Field]) -> Result<String, CopyError> {
    let texts = columns.iter().filter_map(|field| listing.text(row as usize, field));
    check_size(texts.map(|text| text.unescaped().len()).sum())?;
    Ok(export::csv_line(listing, row, columns))
}

/// Records as a JSON document in the market's format, without secrets, for a file.
pub fn document(listing: &Listing, rows: &[u32]) -> String {
    let records: Vec<_> = rows
        .iter()
        .filter_map(|row| listing.json(*row as usize))
        .map(|json| json_for_terminal(redact::without_possible_secrets(json)))
        .collect();
    let key = listing.catalog().list_key;
    format!("{{\"{key}\": [{}]}}\n", records.join(",\n"))
}

/// The request of a query, as one runnable `curl` command that takes the key from an environment variable;
/// for workergroups, the one that lists them all.
///
/// # Errors
///
/// When the address of the market cannot be parsed.
pub fn search_curl(query: &Query, base: &str, dialect: &'static Dialect) -> Result<String, CopyError> {
    let request = match query.resource {
        Resource::Workergroups => Request::ListWorkergroups,
        Resource::Offers | Resource::Volumes => Request::Search(query.clone()),
    };
    let wire = wire::encode(&request, dialect);
    let origin = Origin::parse(base)?;
    Ok(curl::command(&wire, &origin.address(wire.path)))
}

/// The search as a command of the market's own client, without the conditions that the client does not
/// support. For workergroups, the command that lists all of them.
pub fn client_command(query: &Query) -> String {
    let noun = match query.resource {
        Resource::Offers => "offers",
        Resource::Volumes => "network-volumes",
        Resource::Workergroups => return "vastai show workergroups".to_owned(),
    };
    let text = client_query(query);
    // Without -n the client adds its own default conditions.
    let mut command = format!("vastai search {noun} {} -n", shell_word(&text));
    let order = query.sent_order(&Dialect::VAST);
    if !order.is_empty() {
        command.push_str(" -o ");
        command.push_str(&shell_word(&language::print_order(&order)));
    }
    if query.resource == Resource::Offers {
        command.push_str(" --type ");
        command.push_str(query.offer_type.wire());
    }
    if let Some(gigabytes) = query.storage {
        let _ = write!(command, " --storage {gigabytes}"); // writing to a String cannot fail
    }
    if let Some(limit) = query.limit {
        let _ = write!(command, " --limit {limit}"); // as above
    }
    command
}

/// The conditions that the market's own client supports, in its syntax: versions have three parts.
fn client_query(query: &Query) -> String {
    let conditions: Vec<Condition> = query
        .sent_conditions(&Dialect::VAST)
        .cloned()
        .map(|mut condition| {
            let plain = |value: &mut Value| {
                if let Value::Version(version) = value {
                    *version = Version::from_code(version.code);
                }
            };
            match &mut condition.operand {
                Operand::One(value) => plain(value),
                Operand::Many(values) => values.iter_mut().for_each(plain),
            }
            condition
        })
        .collect();
    language::print(&conditions)
}

/// Number of conditions of a query that the market's own client does not support.
pub fn unknown_to_client(query: &Query) -> usize {
    match query.resource {
        Resource::Workergroups => query.active().count(),
        Resource::Offers | Resource::Volumes => query.applied_locally(&Dialect::VAST).count(),
    }
}

/// A text as one word of a POSIX shell: in single quotes, with control characters made visible.
pub fn shell_word(text: &str) -> String {
    let clean = visible(text, LONGEST);
    format!("'{}'", clean.replace('\'', r"'\''"))
}

/// Rows as a Markdown table of the columns; `Err` if it is too long for a clipboard.
pub fn table(
    listing: &Listing,
    rows: &[u32],
    columns: &[&'static crate::domain::Field],
    dialect: &Dialect,
) -> Result<String, CopyError> {
    export::markdown(listing, rows, columns, dialect, LONGEST).ok_or(CopyError::TooManyRows { rows: rows.len() })
}
