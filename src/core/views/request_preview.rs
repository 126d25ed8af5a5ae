//! A query as text, with the request it would send.

use ratatui::text::{Line, Span};
use serde_json::Value as Json;

use crate::api::{Request, wire};
use crate::domain::text::visible;
use crate::domain::{Condition, Dialect, Query, Resource, language};
use crate::tui::text::cells;
use crate::tui::theme::Theme;

/// A line for each condition: its text and, from a common column on, the meaning of its field.
pub(crate) fn condition_lines<'a>(
    conditions: impl Iterator<Item = &'a Condition>,
    theme: &Theme,
) -> Vec<Line<'static>> {
    /// Maximum length of a condition's text, in cells.
    const LONGEST: usize = 200;
    /// Maximum width of the column of texts; a longer text has its meaning right behind it.
    const WIDEST: usize = 24;
    let texts: Vec<_> = conditions
        .map(|condition| {
            let text = visible(&language::print_condition_briefly(condition), LONGEST);
            (condition, text)
        })
        .collect();
    let widths = texts.iter().map(|(_, text)| usize::from(cells(text)));
    let column = widths.filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let line = |(condition, text): (&Condition, String)| {
        // The first clause: the rest has examples, which would read as values of the condition.
        let name = condition.field.doc.split(['.', ';', ':', ',']).next();
        Line::from(vec![
            Span::styled(format!("{text:column$}  "), theme.text),
            Span::styled(name.unwrap_or_default(), theme.dim),
        ])
    };
    texts.into_iter().map(line).collect()
}

/// The preview of a query, computed once so that drawing stays cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestPreview {
    /// The conditions in force, in the query language.
    pub text: String,
    /// Method and path of the request.
    pub request: String,
    /// The request body, pretty-printed, line by line.
    pub json: Vec<String>,
    /// The conditions that are applied to the loaded rows only.
    pub local: String,
}

impl RequestPreview {
    /// The text of `query`, the request it is sent as in `dialect`, and its conditions that are applied to
    /// the response here: of workergroups all.
    pub fn new(query: Query, dialect: &'static Dialect) -> Self {
        let local: Vec<_> = query
            .active()
            .filter(|condition| query.resource == Resource::Workergroups || !query.sends(condition.field, dialect))
            .map(language::print_condition_briefly)
            .collect();
        let text = language::print_briefly(&query.conditions);
        let wire = wire::encode(&Request::Search(query), dialect);
        Self {
            text,
            request: format!("{} {}", wire.method.name(), wire.path),
            json: wire
                .body
                .as_ref()
                .map_or_else(|| vec!["No body: lists everything".to_owned()], pretty),
            local: local.join(" "),
        }
    }
}

/// Pretty-prints JSON in lines: the braces and members of an object take lines of their own, indented by two
/// blanks. An object of at most one member that is no object itself, and any other value, takes one line.
fn pretty(json: &Json) -> Vec<String> {
    let members = json
        .as_object()
        .filter(|members| members.len() > 1 || members.values().any(Json::is_object));
    let Some(members) = members else {
        return vec![json.to_string()];
    };
    let mut lines = vec!["{".to_owned()];
    for (index, (name, value)) in members.iter().enumerate() {
        let mut lines_of_member = pretty(value);
        lines_of_member[0] = format!("{}: {}", Json::from(name.as_str()), lines_of_member[0]);
        if index + 1 < members.len()
            && let Some(last) = lines_of_member.last_mut()
        {
            last.push(',');
        }
        lines.extend(lines_of_member.into_iter().map(|line| format!("  {line}")));
    }
    lines.push("}".to_owned());
    lines
}
