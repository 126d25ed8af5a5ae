//! All faults: one row each.

use std::fmt;

use self::ConnectionFault::{Close, Flap, Hold, Refuse};
use self::Stage::{Connection, Done, Instead, Late, Tripled, Unread};
use super::super::call::Call;
use super::case::{Case, Sent};
use super::{Lane, body, compressed, listing, numbers, semantic, status, strings, wire};

/// A fault that the sandbox can make.
#[derive(Clone, Copy)]
pub struct Fault {
    pub number: u8,
    /// Its name in a specification.
    pub name: &'static str,
    pub group: Group,
    /// The operations that it applies to.
    pub calls: &'static [Call],
    pub stage: Stage,
    /// Makes what is sent.
    pub(super) send: fn(&mut Case<'_>) -> Sent,
    /// What a client should tell: "response", or the kind of an error. Any of several fits where
    /// the operation or the variant decides.
    pub told: &'static [&'static str],
    /// What happens, in a sentence.
    pub help: &'static str,
}

impl Fault {
    /// Its number as people write it.
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

/// When a fault strikes, and so what was done by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before anything is read.
    Connection(ConnectionFault),
    /// When the head was read: nothing is done.
    Unread,
    /// When the request was read: nothing is done.
    Instead,
    /// As before, but the request is done when some time has passed.
    Late,
    /// When everything was done.
    Done,
    /// When everything was done three times, twice by somebody else.
    Tripled,
}

impl Stage {
    /// Whether the request of the caller is done, for people.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Connection(_) | Self::Unread | Self::Instead => "no",
            Self::Late | Self::Done | Self::Tripled => "yes",
        }
    }
}

/// What becomes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionFault {
    Refuse,
    Close,
    /// Neither read nor written nor closed.
    Hold,
    /// Three are served, three are closed.
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
/// Operations whose answers hold text.
const TEXTS: &[Call] = &[
    Call::Offers,
    Call::Volumes,
    Call::Unlist,
    Call::Groups,
    Call::Route,
];
/// Operations whose answers hold secrets.
const SECRETS: &[Call] = &[Call::Groups, Call::Route];
const GROUPS: &[Call] = &[Call::Groups];
const CREATE: &[Call] = &[Call::Create];
const ROUTE: &[Call] = &[Call::Route];

/// A row: number, name, group, operations, stage, what makes it, what a client should tell, help.
macro_rules! catalogue {
    ($($number:literal $name:literal $group:ident $calls:ident $stage:expr, $send:path,
        [$($told:literal)|+], $help:literal;)*) => {
        &[$(Fault {
            number: $number,
            name: $name,
            group: Group::$group,
            calls: $calls,
            stage: $stage,
            send: $send,
            told: &[$($told),+],
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
    3 "hang" Connect EACH Instead, wire::silence, ["timed out"],
        "The request is taken and never answered.";
    4 "half_open" Connect EACH Connection(Hold), wire::nothing, ["timed out"],
        "A connection is accepted; nothing is read, nothing is sent, and its end is ignored.";
    5 "flapping" Connect EACH Connection(Flap), wire::nothing, ["connection lost"],
        "Three connections are served, the next three are closed.";
    6 "reset_unread" Wire EACH Unread, wire::reset, ["connection lost"],
        "The connection is reset before the request's body is read.";
    7 "drop_before_commit" Wire EACH Instead, wire::reset, ["connection lost"],
        "The connection is reset; nothing was done.";
    8 "drop_after_commit" Wire EACH Done, wire::reset, ["connection lost"],
        "The connection is reset; everything was done.";
    9 "cut_head" Wire EACH Done, wire::cut_head, ["connection lost"],
        "The response ends in its head.";
    10 "cut_body" Wire EACH Done, wire::cut_body, ["response cut off"],
        "The body ends before its Content-Length.";
    11 "cut_chunk" Wire EACH Done, wire::cut_chunk, ["response cut off"],
        "A chunked body ends in a chunk.";
    12 "cut_unframed" Wire EACH Done, wire::cut_unframed, ["response cut off"],
        "A body without a length ends halfway.";
    13 "dribble_head" Wire EACH Done, wire::dribble_head, ["timed out"],
        "The head arrives at 10 bytes a second.";
    14 "dribble_body" Wire EACH Done, wire::dribble_body, ["timed out"],
        "The body arrives at 10 bytes a second.";
    15 "stall" Wire EACH Done, wire::stall, ["timed out"],
        "The body stops halfway; the connection stays open.";
    16 "slices" Wire EACH Done, wire::slices, ["response"],
        "The body arrives byte by byte, also inside characters.";
    17 "close_after" Wire EACH Done, wire::close_after, ["response"],
        "The connection is closed behind the response, unannounced.";
    18 "garbage_bytes" Wire EACH Done, wire::garbage, ["connection lost"],
        "Bytes that are no HTTP.";
    19 "early_hints" Wire EACH Done, wire::early_hints, ["response"],
        "2,000 interim responses before the response.";
    20 "huge_head" Wire EACH Done, wire::huge_head, ["connection lost"],
        "150 headers, or one of 1 MiB.";
    21 "redirect" Status EACH Instead, status::redirect, ["redirected"],
        "301, 302, 303, 307 or 308 to the same host, another port or another host.";
    22 "status_401" Status EACH Instead, status::unauthorized, ["API key rejected"],
        "401.";
    23 "status_403" Status EACH Instead, status::forbidden, ["not permitted"],
        "403: the key lacks a permission.";
    24 "status_404" Status EACH Instead, status::not_found, ["request rejected" | "not supported here"],
        "404.";
    25 "status_429" Status EACH Instead, status::too_many, ["too many requests"],
        "429 with the documented `detail`.";
    26 "status_429_text" Status EACH Instead, status::too_many_text, ["too many requests"],
        "429 in plain text with a threshold.";
    27 "status_429_bare" Status EACH Instead, status::too_many_bare, ["too many requests"],
        "429 without any number.";
    28 "retry_after" Status EACH Instead, status::retry_after, ["too many requests"],
        "429 with Retry-After: seconds, a date, a past date, 1e9 or a word.";
    29 "status_500" Status EACH Instead, status::server_error, ["server error"],
        "500 with a single `error`.";
    30 "status_502_html" Status EACH Instead, status::bad_gateway, ["server error"],
        "502 with a web page.";
    31 "status_503" Status EACH Instead, status::unavailable, ["server error"],
        "503 without a body.";
    32 "status_504" Status EACH Done, status::gateway_timeout, ["server error"],
        "504 after everything was done.";
    33 "status_204" Status EACH Done, status::no_content, ["empty response"],
        "204 after everything was done.";
    34 "captive_portal" Status EACH Instead, status::captive_portal, ["web page instead of JSON"],
        "200 with the web page of a login.";
    35 "content_type" Status EACH Done, status::content_type, ["response"],
        "The response under the content type of a picture.";
    36 "empty_body" Body EACH Instead, body::empty, ["empty response"],
        "200 without a body.";
    37 "not_an_object" Body EACH Done, body::not_an_object, ["unexpected response"],
        "`null`, `[]` or `\"x\"`.";
    38 "success_false" Body EACH Instead, status::success_false, ["failed"],
        "200 with `success` false.";
    39 "key_missing" Body EACH Done, body::key_missing, ["unexpected response" | "response"],
        "The member that matters is missing.";
    40 "single_object" Body SEARCHES Done, body::single_object, ["response"],
        "`offers` is one object, not a list.";
    41 "byte_order_mark" Body EACH Done, body::byte_order_mark, ["response"],
        "A byte order mark before the JSON.";
    42 "invalid_utf8" Body EACH Done, body::invalid_utf8, ["response" | "unexpected response"],
        "Bytes that are no UTF-8, in a text or between members.";
    43 "odd_numbers" Body NUMBERS Done, numbers::odd, ["response" | "unexpected response"],
        "NaN, 1e999, 2^64, or integers as 1.0.";
    44 "deep" Body EACH Done, body::deep, ["response"],
        "A member nested 100,000 levels deep.";
    45 "million" Body LISTS Done, body::million, ["response too large"],
        "1,000,000 records.";
    46 "megabyte" Body EACH Done, body::megabyte, ["response"],
        "A text of 1 MiB.";
    47 "bomb" Body EACH Done, compressed::bomb, ["response too large"],
        "1 MiB of gzip that grows to 1 GiB.";
    48 "damaged_gzip" Body EACH Done, compressed::damaged, ["response cut off" | "unexpected response"],
        "Compression that is cut off or corrupt.";
    49 "duplicate_keys" Body EACH Done, body::duplicate_keys, ["response"],
        "Every member twice.";
    50 "duplicate_ids" Body LISTS Done, numbers::duplicate_ids, ["response"],
        "Two records with one id.";
    51 "positional" Body EACH Done, body::positional, ["response" | "unexpected response"],
        "A record as the list of its values.";
    52 "all_null" Body EACH Done, body::all_null, ["response" | "unexpected response"],
        "Every member null.";
    53 "wrong_types" Body EACH Done, body::wrong_types, ["response" | "unexpected response"],
        "Every member of another type.";
    54 "unknown_fields" Body EACH Done, body::unknown_fields, ["response"],
        "500 members that nobody specified.";
    55 "mistyped_secret" Body SECRETS Done, body::mistyped_secret, ["response"],
        "A key or signature that is no text.";
    56 "odd_id" Body CREATE Done, body::odd_id, ["response" | "unexpected response"],
        "A created id that is missing, negative or a text.";
    57 "escapes" Strings TEXTS Done, strings::escapes, ["response"],
        "Terminal control sequences: CSI, OSC 0, 8 and 52, DCS, APC.";
    58 "c1" Strings TEXTS Done, strings::c1, ["response"],
        "C1 controls.";
    59 "bidi" Strings TEXTS Done, strings::bidi, ["response"],
        "All twelve controls of text direction.";
    60 "zero_width" Strings TEXTS Done, strings::zero_width, ["response"],
        "Characters without width, and tags.";
    61 "marks" Strings TEXTS Done, strings::marks, ["response"],
        "5,000 combining marks on one letter.";
    62 "emoji" Strings TEXTS Done, strings::emoji, ["response"],
        "Wide and joined emoji.";
    63 "right_to_left" Strings TEXTS Done, strings::right_to_left, ["response"],
        "Right-to-left text.";
    64 "line_breaks" Strings TEXTS Done, strings::line_breaks, ["response"],
        "CR, LF, TAB and other breaks.";
    65 "formula" Strings TEXTS Done, strings::formula, ["response"],
        "Spreadsheet formulas.";
    66 "shell" Strings TEXTS Done, strings::shell, ["response"],
        "Shell quotes and commands.";
    67 "look_alikes" Strings TEXTS Done, strings::look_alikes, ["response"],
        "Letters that look like others.";
    68 "clock_skew" Semantic GROUPS Done, semantic::clock_skew, ["response"],
        "`created_at` a day ahead or behind.";
    69 "lag" Semantic GROUPS Done, listing::lag, ["response"],
        "A created workergroup appears in the fourth list only.";
    70 "vanish" Semantic GROUPS Done, listing::vanish, ["response"],
        "A created workergroup is listed once, then not.";
    71 "namesakes" Semantic CREATE Tripled, wire::reset, ["connection lost"],
        "The response to a create is lost, and two workergroups like it appear from elsewhere.";
    72 "odd_status" Semantic ROUTE Instead, status::odd_status, ["response"],
        "A status reply of unknown shape.";
    73 "evil_url" Semantic ROUTE Done, semantic::evil_url, ["response"],
        "A worker's address that is `javascript:`, `file:` or link-local.";
    74 "echo" Semantic EACH Instead, status::echo, ["request rejected"],
        "A refusal that repeats the request's API key.";
    75 "slow" Wire EACH Late, wire::late, ["response"],
        "The response is 3 s late.";
    76 "status_400" Status EACH Instead, status::invalid, ["request rejected"],
        "400 with the documented body.";
    77 "garbage" Body EACH Instead, body::garbage, ["unexpected response"],
        "200 with bytes that are no JSON.";
    78 "bad_row" Body LISTS Done, body::bad_row, ["response"],
        "One record is no object.";
};
