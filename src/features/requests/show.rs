//! Copying requests, and exporting them as an archive.

use super::send::subject;
use crate::api::redact::REMOVED;
use crate::api::{curl, har};
use crate::core::copy_item::{CopyError, CopyItem};
use crate::core::state::State;
use crate::domain::pretty;
use crate::domain::text::{json_for_terminal, visible};
use crate::features::requests::Requests;

/// The texts to copy of the open or selected request: `curl`, both bodies (the reason for one that is
/// missing) and the address; empty if there is none.
pub(crate) fn copy_items(state: &State) -> Vec<CopyItem> {
    let Ok((_, entry)) = subject(state) else {
        return Vec::new();
    };
    let (request, response) = (entry.request_body(), entry.response_body());
    let remark = |body: &Option<String>| {
        let lacks = body.as_ref().is_some_and(|body| body.contains(REMOVED));
        if lacks {
            format!("; {REMOVED} replaces a secret")
        } else {
            String::new()
        }
    };
    let mut call = "the request as curl".to_owned();
    if entry.with_key {
        call.push_str(", key from $BOURSE_API_KEY");
    }
    call.push_str(&remark(&request));
    let sent = format!("the request body{}", remark(&request));
    let cut = if entry.response_cut { ", truncated" } else { "" };
    let received = format!("the response body{cut}{}", remark(&response));
    vec![
        CopyItem::new('c', "copy-curl", call, Ok(curl::recorded(entry))),
        CopyItem::new(
            'b',
            "copy-request-body",
            sent,
            request
                .map(|body| clean(&body))
                .ok_or(CopyError::Missing("the request has no body")),
        ),
        CopyItem::new(
            'a',
            "copy-answer",
            received,
            response
                .map(|body| clean(&body))
                .ok_or(CopyError::Missing("no response was received")),
        ),
        CopyItem::new('u', "copy-address", "the URL", Ok(visible(&entry.url, 4096))),
    ]
}

/// A body without characters that a terminal would act on; JSON stays equivalent JSON.
fn clean(body: &str) -> String {
    if pretty::is_json(body, false) {
        return json_for_terminal(body);
    }
    let lines: Vec<String> = body.lines().map(|line| visible(line, usize::MAX)).collect();
    lines.join("\n")
}

/// The requests in the list as an HTTP archive, oldest first; `None` without any.
pub(crate) fn export_content(state: &State) -> Option<String> {
    let shown = &Requests::read(state).matching;
    if shown.is_empty() {
        return None;
    }
    let entries = shown.iter().filter_map(|number| state.ledger.get(*number));
    Some(har::archive_text(entries))
}
