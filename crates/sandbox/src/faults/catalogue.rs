//! The catalogue of faults, one row each.

use std::fmt;

use self::Stage::{AfterCommit, BeforeCommit, Delayed, Repeated};
use super::super::call::Call;
use super::context::{FaultContext, FaultOutput};
use super::{body, bomb, status, wire, worker};

/// A kind of fault that can happen to a call.
#[derive(Clone, Copy)]
pub struct Fault {
    /// The number in the catalogue, from 1.
    pub number: u8,
    /// The name in a specification.
    pub name: &'static str,
    /// The operations to which it can happen.
    pub calls: &'static [Call],
    /// The stage of the call at which it happens.
    pub stage: Stage,
    pub(super) output: fn(&mut FaultContext<'_>) -> FaultOutput,
    /// The expected report of a client: "response", or the kind of an error. The operation or the variant decides
    /// between several.
    pub reported: &'static [&'static str],
    /// A line for the guide.
    pub help: &'static str,
}

impl Fault {
    /// The number as text, with at least two digits: `F07`.
    pub fn id(&self) -> String {
        format!("F{:02}", self.number)
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

/// The stage of a call at which a fault happens, which decides whether the request is performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// After the request is read; it is not performed.
    BeforeCommit,
    /// Before the request is performed, which is delayed.
    Delayed,
    /// After the request is performed.
    AfterCommit,
    /// After the request is performed, and twice more as if by another client.
    Repeated,
}

/// All operations, including those of workers.
const ALL: &[Call] = &Call::ALL;
/// All operations of the marketplace.
const EACH: &[Call] = &Call::MARKET;
const LISTS: &[Call] = &[Call::Offers, Call::Volumes, Call::Groups];
/// All operations with strings in their responses.
const TEXTS: &[Call] = &[Call::Offers, Call::Volumes, Call::Unlist, Call::Groups, Call::Route];
const GROUPS: &[Call] = &[Call::Groups];
const CREATE: &[Call] = &[Call::Create];
const WORKER: &[Call] = &[Call::Worker];

/// Builds a catalogue from rows: number, name, operations, stage, function, expected report, help.
macro_rules! catalogue {
    ($($number:literal $name:literal $calls:ident $stage:expr, $output:path,
        [$($reported:literal)|+], $help:literal;)*) => {
        &[$(Fault {
            number: $number,
            name: $name,
            calls: $calls,
            stage: $stage,
            output: $output,
            reported: &[$($reported),+],
            help: $help,
        }),*]
    };
}

/// All faults, in the order of their numbers.
///
/// The numbers never change, even when a fault is removed: people store specifications and labels.
pub const CATALOGUE: &[Fault] = catalogue! {
    3 "hang" ALL BeforeCommit, wire::silence, ["timed out"],
        "The request is read and never answered.";
    7 "drop_before_commit" ALL BeforeCommit, wire::reset, ["connection lost"],
        "The connection is reset before the request is performed.";
    8 "drop_after_commit" ALL AfterCommit, wire::reset, ["connection lost"],
        "The connection is reset after the request is performed.";
    10 "cut_body" EACH AfterCommit, wire::cut_body, ["response cut off"],
        "The body ends before its Content-Length.";
    14 "dribble_body" EACH AfterCommit, wire::dribble_body, ["timed out"],
        "The body arrives at 10 bytes a second.";
    21 "redirect" EACH BeforeCommit, status::redirect, ["redirected"],
        "301, 302, 303, 307 or 308 to the same host, another port or another host.";
    22 "status_401" EACH BeforeCommit, status::unauthorized, ["API key rejected"],
        "401.";
    25 "status_429" EACH BeforeCommit, status::too_many, ["too many requests"],
        "429 with the documented `detail`.";
    28 "status_429_retry_after" EACH BeforeCommit, status::retry_after, ["too many requests"],
        "429 with Retry-After: seconds, a date, a past date, 1e9 or a word.";
    29 "status_500" EACH BeforeCommit, status::server_error, ["server error"],
        "500 with a single `error`.";
    30 "status_502_html" EACH BeforeCommit, status::bad_gateway, ["server error"],
        "502 with a web page.";
    32 "status_504" EACH AfterCommit, status::gateway_timeout, ["server error"],
        "504 after the request is performed.";
    34 "captive_portal" EACH BeforeCommit, status::captive_portal, ["web page instead of JSON"],
        "200 with the web page of a login portal.";
    38 "success_false" EACH BeforeCommit, status::success_false, ["failed"],
        "200 with `success` false.";
    47 "gzip_bomb" EACH AfterCommit, bomb::bomb, ["response too large"],
        "1 MiB of gzip that grows to 1 GiB.";
    53 "wrong_types" EACH AfterCommit, body::wrong_types, ["response" | "unexpected response"],
        "Every member of another type.";
    56 "invalid_id" CREATE AfterCommit, body::odd_id, ["response" | "unexpected response"],
        "The id of the new workergroup is missing, negative or a string.";
    57 "escapes" TEXTS AfterCommit, body::escapes, ["response"],
        "Terminal control sequences: CSI, OSC 0, 8 and 52, DCS, APC.";
    69 "list_lag" GROUPS AfterCommit, body::list_lag, ["response"],
        "A new workergroup is missing in the first three lists.";
    71 "duplicate_creates" CREATE Repeated, wire::reset, ["connection lost"],
        "The response to a create is lost, and another client creates two more like it.";
    74 "echo_key" EACH BeforeCommit, status::echo, ["request rejected"],
        "An error message that contains the request's API key.";
    75 "slow" ALL Delayed, wire::late, ["response"],
        "The response is 3 s late.";
    76 "status_400" EACH BeforeCommit, status::invalid, ["request rejected"],
        "400 with the documented body.";
    77 "garbage" ALL BeforeCommit, body::garbage, ["unexpected response"],
        "200 with bytes that are not JSON.";
    78 "bad_row" LISTS AfterCommit, body::bad_row, ["response"],
        "One record is a string.";
    91 "worker_422" WORKER BeforeCommit, worker::incomplete, ["request rejected"],
        "422: a member of `auth_data` is missing, or the body is not JSON.";
    92 "worker_401" WORKER BeforeCommit, worker::unsigned, ["signature rejected"],
        "401 without a body: the signature is wrong, or the worker has no public key yet.";
    93 "worker_429" WORKER BeforeCommit, worker::queue_full, ["queue too long"],
        "429 without a body: the worker's queue takes more than 30 s.";
    94 "worker_410" WORKER BeforeCommit, worker::session_over, ["session invalid"],
        "410: the session is over.";
    95 "worker_500" WORKER AfterCommit, worker::model_failed, ["model failed"],
        "500 without a body: the call to the model failed.";
    96 "worker_cut" WORKER AfterCommit, worker::cut, ["response cut off"],
        "The connection is closed in the middle of the response.";
};
