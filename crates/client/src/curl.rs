//! Requests as curl commands for a POSIX shell, without their key.

use bourse_domain::text;

use super::ledger::LedgerEntry;
use super::wire::{Method, WireRequest};

/// The runnable POSIX shell command that sends `request` to `url`.
///
/// The body follows `--data-raw` as one quoted word; the key comes from the environment (`BOURSE_API_KEY`)
/// and is never in the text.
pub fn command(request: &WireRequest, url: &str) -> String {
    written(request.method, url, true, request.body_text().as_deref())
}

/// The request of a ledger entry as a POSIX shell command, its body without possible secrets; without a key
/// if none was sent.
pub fn recorded(entry: &LedgerEntry) -> String {
    let body = entry.request_body();
    written(entry.method, &entry.url, entry.with_key, body.as_deref())
}

/// The place from which a command for a worker reads the root certificate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum WorkerRoot {
    /// The certificates of the computer on which it runs.
    #[default]
    System,
    /// A PEM file, by its path.
    File(String),
    /// An address with the certificate, such as that of a sandbox.
    Address(String),
}

/// The runnable POSIX shell command that posts a JSON body to a worker without any key; over https it trusts
/// the certificates of `root`. `None` unless the untrusted `url` starts with `http://` or `https://` and has
/// printable ASCII without blanks after it.
pub fn to_worker(url: &str, body: &str, root: &WorkerRoot) -> Option<String> {
    let command = without_key(url, body)?;
    let Some(rest) = command.strip_prefix("curl ").filter(|_| url.starts_with("https://")) else {
        return Some(command);
    };
    Some(match root {
        WorkerRoot::System => command,
        WorkerRoot::File(path) => format!("curl --cacert {} {rest}", quoted(path)),
        WorkerRoot::Address(address) => {
            format!("curl -sS {} | curl --cacert /dev/stdin {rest}", quoted(address))
        }
    })
}

/// The curl command of a request, with its JSON body if there is one; with `with_key` it sends the key in
/// `BOURSE_API_KEY`.
fn written(method: Method, url: &str, with_key: bool, body: Option<&str>) -> String {
    let mut command = format!("curl -sS -X {} {}", method.name(), quoted(url));
    if with_key {
        command.push_str(r#" -H "Authorization: Bearer $BOURSE_API_KEY""#);
    }
    if let Some(body) = body {
        command.push_str(" -H 'Content-Type: application/json' --data-raw ");
        // `\uXXXX` is equivalent JSON that is harmless on a terminal.
        command.push_str(&quoted(&text::json_for_terminal(body)));
    }
    command
}

/// The runnable POSIX shell command that posts a JSON body to an address without any key. `None` unless the
/// untrusted `url` starts with `http://` or `https://` and has printable ASCII without blanks after it.
pub fn without_key(url: &str, body: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    (!rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic()))
        .then(|| written(Method::Post, url, false, Some(body)))
}

/// A word in single quotes for a POSIX shell. NUL, which no argument can contain, is encoded as in an
/// address.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\0', "%00").replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Target;

    #[test]
    fn quotes_and_controls_in_a_body_stay_one_word() {
        let request = WireRequest {
            method: Method::Post,
            target: Target::Management,
            path: "/x/",
            body: Some(serde_json::json!({"a": "it's $(id) \u{202e}"})),
            key: None,
        };
        let command = command(&request, "http://127.0.0.1:1/x/");
        assert_eq!(
            command,
            r#"curl -sS -X POST 'http://127.0.0.1:1/x/' -H "Authorization: Bearer $BOURSE_API_KEY" -H 'Content-Type: application/json' --data-raw '{"a":"it'\''s $(id) \u202e"}'"#
        );
    }
}
