//! The catalogue of faults, one row each.

use std::fmt;

use self::ConnectionFault::{Close, Flap, Hold, Refuse};
use self::Stage::{AfterCommit, BeforeBody, BeforeCommit, Connection, Delayed, Repeated};
use super::super::call::Call;
use super::context::{FaultContext, FaultOutput};
use super::{Lane, body, compressed, listing, numbers, semantic, status, strings, wire};

#[derive(Clone, Copy)]
pub struct Fault {
    pub number: u8,
    /// The name in a specification.
    pub name: &'static str,
    pub group: Group,
    pub calls: &'static [Call],
    pub stage: Stage,
    pub(super) output: fn(&mut FaultContext<'_>) -> FaultOutput,
    /// What a client should report: "response", or the kind of an error. The operation or the variant
    /// decides between several.
    pub reported: &'static [&'static str],
    pub help: &'static str,
}

impl Fault {
    /// The number as `F07`.
    pub fn id(&self) -> String {
        format!("F{:02}", self.number)
    }

    pub fn applies_to(&self, lane: Lane) -> bool {
        let is_of_connections = matches!(self.stage, Stage::Connection(_));
        match lane {
            Lane::Connection => is_of_connections,
            Lane::Call(call) => !is_of_connections && self.calls.contains(&call),
        }
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.id(), self.name)
    }
}

impl PartialEq for Fault {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    Connect,
    Wire,
    Status,
    Body,
    Strings,
    Semantic,
}

impl Group {
    pub const ALL: [Self; 6] = [
        Self::Connect,
        Self::Wire,
        Self::Status,
        Self::Body,
        Self::Strings,
        Self::Semantic,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Wire => "wire",
            Self::Status => "status",
            Self::Body => "body",
            Self::Strings => "strings",
            Self::Semantic => "semantic",
        }
    }
}

/// When a fault happens, which decides whether the request is performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// When a connection opens.
    Connection(ConnectionFault),
    /// After the head is read. The request is not performed.
    BeforeBody,
    /// After the request is read. It is not performed.
    BeforeCommit,
    /// The request is performed after a delay.
    Delayed,
    /// After the request is performed.
    AfterCommit,
    /// After the request is performed, and twice more as if by another client.
    Repeated,
}

impl Stage {
    /// Whether the request is performed, for people.
    pub const fn performed(self) -> &'static str {
        match self {
            Self::Connection(_) | Self::BeforeBody | Self::BeforeCommit => "no",
            Self::Delayed | Self::AfterCommit | Self::Repeated => "yes",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionFault {
    Refuse,
    Close,
    /// Left open without reading or writing.
    Hold,
    /// Three are served, the next three are closed.
    Flap,
}

const EACH: &[Call] = &Call::ALL;
const LISTS: &[Call] = &[Call::Offers, Call::Volumes, Call::Groups];
const SEARCHES: &[Call] = &[Call::Offers, Call::Volumes];
const NUMBERS: &[Call] = &[
    Call::Offers,
    Call::Volumes,
    Call::Groups,
    Call::Create,
    Call::Route,
];
/// Operations with strings in their responses.
const TEXTS: &[Call] = &[
    Call::Offers,
    Call::Volumes,
    Call::Unlist,
    Call::Groups,
    Call::Route,
];
/// Operations with secrets in their responses.
const SECRETS: &[Call] = &[Call::Groups, Call::Route];
const GROUPS: &[Call] = &[Call::Groups];
const CREATE: &[Call] = &[Call::Create];
const ROUTE: &[Call] = &[Call::Route];

/// A row: number, name, group, operations, stage, function, what a client should report, help.
macro_rules! catalogue {
    ($($number:literal $name:literal $group:ident $calls:ident $stage:expr, $output:path,
        [$($reported:literal)|+], $help:literal;)*) => {
        &[$(Fault {
            number: $number,
            name: $name,
            group: Group::$group,
            calls: $calls,
            stage: $stage,
            output: $output,
            reported: &[$($reported),+],
            help: $help,
        }),*]
    };
}

/// All faults, in the order of their numbers.
pub const CATALOGUE: &[Fault] = catalogue! {
    1 "refused" Connect EACH Connection(Refuse), wire::nothing, ["unreachable" | "connection lost"],
        "Connections are refused for a while.";
    2 "accept_close" Connect EACH Connection(Close), wire::nothing, ["connection lost"],
        "A connection is accepted and closed.";
    3 "hang" Connect EACH BeforeCommit, wire::silence, ["timed out"],
        "The request is read and never answered.";
    4 "half_open" Connect EACH Connection(Hold), wire::nothing, ["timed out"],
        "A connection is accepted; nothing is read or sent, and the client's FIN is ignored.";
    5 "flapping" Connect EACH Connection(Flap), wire::nothing, ["connection lost"],
        "Three connections are served, the next three are closed.";
    6 "reset_unread" Wire EACH BeforeBody, wire::reset, ["connection lost"],
        "The connection is reset before the request's body is read.";
    7 "drop_before_commit" Wire EACH BeforeCommit, wire::reset, ["connection lost"],
        "The connection is reset before the request is performed.";
    8 "drop_after_commit" Wire EACH AfterCommit, wire::reset, ["connection lost"],
        "The connection is reset after the request is performed.";
    9 "cut_head" Wire EACH AfterCommit, wire::cut_head, ["connection lost"],
        "The response ends in its head.";
    10 "cut_body" Wire EACH AfterCommit, wire::cut_body, ["response cut off"],
        "The body ends before its Content-Length.";
    11 "cut_chunk" Wire EACH AfterCommit, wire::cut_chunk, ["response cut off"],
        "A chunked body ends in a chunk.";
    12 "cut_unframed" Wire EACH AfterCommit, wire::cut_unframed, ["response cut off"],
        "A body without a length ends halfway.";
    13 "dribble_head" Wire EACH AfterCommit, wire::dribble_head, ["timed out"],
        "The head arrives at 10 bytes a second.";
    14 "dribble_body" Wire EACH AfterCommit, wire::dribble_body, ["timed out"],
        "The body arrives at 10 bytes a second.";
    15 "stalled_body" Wire EACH AfterCommit, wire::stall, ["timed out"],
        "The body stops halfway; the connection stays open.";
    16 "sliced_body" Wire EACH AfterCommit, wire::slices, ["response"],
        "The body arrives byte by byte, with characters split.";
    17 "close_after" Wire EACH AfterCommit, wire::close_after, ["response"],
        "The connection closes after the response, unannounced.";
    18 "garbage_bytes" Wire EACH AfterCommit, wire::garbage, ["connection lost"],
        "Random bytes instead of HTTP.";
    19 "early_hints" Wire EACH AfterCommit, wire::early_hints, ["response"],
        "2,000 interim responses before the response.";
    20 "huge_head" Wire EACH AfterCommit, wire::huge_head, ["connection lost"],
        "150 headers, or one of 1 MiB.";
    21 "redirect" Status EACH BeforeCommit, status::redirect, ["redirected"],
        "301, 302, 303, 307 or 308 to the same host, another port or another host.";
    22 "status_401" Status EACH BeforeCommit, status::unauthorized, ["API key rejected"],
        "401.";
    23 "status_403" Status EACH BeforeCommit, status::forbidden, ["not permitted"],
        "403: the key lacks a permission.";
    24 "status_404" Status EACH BeforeCommit, status::not_found, ["request rejected" | "not supported here"],
        "404.";
    25 "status_429" Status EACH BeforeCommit, status::too_many, ["too many requests"],
        "429 with the documented `detail`.";
    26 "status_429_text" Status EACH BeforeCommit, status::too_many_text, ["too many requests"],
        "429 in plain text with a threshold.";
    27 "status_429_bare" Status EACH BeforeCommit, status::too_many_bare, ["too many requests"],
        "429 without any number.";
    28 "status_429_retry_after" Status EACH BeforeCommit, status::retry_after, ["too many requests"],
        "429 with Retry-After: seconds, a date, a past date, 1e9 or a word.";
    29 "status_500" Status EACH BeforeCommit, status::server_error, ["server error"],
        "500 with a single `error`.";
    30 "status_502_html" Status EACH BeforeCommit, status::bad_gateway, ["server error"],
        "502 with a web page.";
    31 "status_503" Status EACH BeforeCommit, status::unavailable, ["server error"],
        "503 without a body.";
    32 "status_504" Status EACH AfterCommit, status::gateway_timeout, ["server error"],
        "504 after the request is performed.";
    33 "status_204" Status EACH AfterCommit, status::no_content, ["empty response"],
        "204 after the request is performed.";
    34 "captive_portal" Status EACH BeforeCommit, status::captive_portal, ["web page instead of JSON"],
        "200 with the web page of a login portal.";
    35 "content_type" Status EACH AfterCommit, status::content_type, ["response"],
        "The response with the content type `image/png`.";
    36 "empty_body" Body EACH BeforeCommit, body::empty, ["empty response"],
        "200 without a body.";
    37 "not_an_object" Body EACH AfterCommit, body::not_an_object, ["unexpected response"],
        "`null`, `[]` or `\"x\"`.";
    38 "success_false" Body EACH BeforeCommit, status::success_false, ["failed"],
        "200 with `success` false.";
    39 "key_missing" Body EACH AfterCommit, body::key_missing, ["unexpected response" | "response"],
        "The list, the id, the address or `success` is missing.";
    40 "single_object" Body SEARCHES AfterCommit, body::single_object, ["response"],
        "`offers` is one object, not a list.";
    41 "byte_order_mark" Body EACH AfterCommit, body::byte_order_mark, ["response"],
        "A byte order mark before the JSON.";
    42 "invalid_utf8" Body EACH AfterCommit, body::invalid_utf8, ["response" | "unexpected response"],
        "Invalid UTF-8, in a string or between members.";
    43 "invalid_numbers" Body NUMBERS AfterCommit, numbers::odd, ["response" | "unexpected response"],
        "NaN, 1e999, 2^64, or integers as 1.0.";
    44 "deep_nesting" Body EACH AfterCommit, body::deep, ["response"],
        "A member nested 100,000 levels deep.";
    45 "million_records" Body LISTS AfterCommit, body::million, ["response too large"],
        "1,000,000 records.";
    46 "long_string" Body EACH AfterCommit, body::megabyte, ["response"],
        "A string of 1 MiB.";
    47 "gzip_bomb" Body EACH AfterCommit, compressed::bomb, ["response too large"],
        "1 MiB of gzip that grows to 1 GiB.";
    48 "damaged_gzip" Body EACH AfterCommit, compressed::damaged, ["response cut off" | "unexpected response"],
        "Compression that is cut off or corrupt.";
    49 "duplicate_keys" Body EACH AfterCommit, body::duplicate_keys, ["response"],
        "Every member twice.";
    50 "duplicate_ids" Body LISTS AfterCommit, numbers::duplicate_ids, ["response"],
        "Two records with one id.";
    51 "positional" Body EACH AfterCommit, body::positional, ["response" | "unexpected response"],
        "A record as an array of its values.";
    52 "all_null" Body EACH AfterCommit, body::all_null, ["response" | "unexpected response"],
        "Every member null.";
    53 "wrong_types" Body EACH AfterCommit, body::wrong_types, ["response" | "unexpected response"],
        "Every member of another type.";
    54 "unknown_fields" Body EACH AfterCommit, body::unknown_fields, ["response"],
        "500 unknown members.";
    55 "mistyped_secret" Body SECRETS AfterCommit, body::mistyped_secret, ["response"],
        "A key or signature that is an object.";
    56 "invalid_id" Body CREATE AfterCommit, body::odd_id, ["response" | "unexpected response"],
        "The id of the new workergroup is missing, negative or a string.";
    57 "escapes" Strings TEXTS AfterCommit, strings::escapes, ["response"],
        "Terminal control sequences: CSI, OSC 0, 8 and 52, DCS, APC.";
    58 "c1_controls" Strings TEXTS AfterCommit, strings::c1, ["response"],
        "C1 controls.";
    59 "bidi_controls" Strings TEXTS AfterCommit, strings::bidi, ["response"],
        "All 12 bidi controls.";
    60 "zero_width" Strings TEXTS AfterCommit, strings::zero_width, ["response"],
        "Zero-width and tag characters.";
    61 "combining_marks" Strings TEXTS AfterCommit, strings::marks, ["response"],
        "5,000 combining marks on one letter.";
    62 "emoji" Strings TEXTS AfterCommit, strings::emoji, ["response"],
        "Wide and ZWJ emoji, wide letters.";
    63 "right_to_left" Strings TEXTS AfterCommit, strings::right_to_left, ["response"],
        "Right-to-left text.";
    64 "line_breaks" Strings TEXTS AfterCommit, strings::line_breaks, ["response"],
        "CR, LF, TAB and other breaks.";
    65 "formula" Strings TEXTS AfterCommit, strings::formula, ["response"],
        "Spreadsheet formulas.";
    66 "shell" Strings TEXTS AfterCommit, strings::shell, ["response"],
        "Shell quotes and commands.";
    67 "look_alikes" Strings TEXTS AfterCommit, strings::look_alikes, ["response"],
        "Look-alike letters.";
    68 "clock_skew" Semantic GROUPS AfterCommit, semantic::clock_skew, ["response"],
        "`created_at` a day ahead or behind.";
    69 "list_lag" Semantic GROUPS AfterCommit, listing::lag, ["response"],
        "A new workergroup is missing in the first three lists.";
    70 "list_forgets" Semantic GROUPS AfterCommit, listing::vanish, ["response"],
        "A new workergroup is listed once, then not.";
    71 "duplicate_creates" Semantic CREATE Repeated, wire::reset, ["connection lost"],
        "The response to a create is lost, and another client creates two more like it.";
    72 "unknown_status" Semantic ROUTE BeforeCommit, status::odd_status, ["response"],
        "A status reply of unknown shape.";
    73 "unsafe_url" Semantic ROUTE AfterCommit, semantic::unsafe_url, ["response"],
        "A worker's address that is `javascript:`, `file:` or link-local.";
    74 "echo_key" Semantic EACH BeforeCommit, status::echo, ["request rejected"],
        "An error message that contains the request's API key.";
    75 "slow" Wire EACH Delayed, wire::late, ["response"],
        "The response is 3 s late.";
    76 "status_400" Status EACH BeforeCommit, status::invalid, ["request rejected"],
        "400 with the documented body.";
    77 "garbage" Body EACH BeforeCommit, body::garbage, ["unexpected response"],
        "200 with bytes that are not JSON.";
    78 "bad_row" Body LISTS AfterCommit, body::bad_row, ["response"],
        "One record is a string.";
};
