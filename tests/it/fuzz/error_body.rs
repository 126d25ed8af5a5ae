//! Refusals: every status with any body and any header.

use bourse::api::wire::{Answer, decode};
use bourse::domain::time::UnixTime;

use crate::domain::malformed::requests;
use crate::hostile::forbidden;

const STATUSES: [u16; 12] = [204, 301, 307, 400, 401, 403, 404, 410, 429, 500, 502, 599];

const TOKENS: &[&str] = &[
    "\"detail\":",
    "\"msg\":",
    "\"error\":",
    "\"message\":",
    "auth_error",
    "quota_exceeded",
    "threshold=5.0",
    "threshold=",
    "<html><title>",
    "</title>",
    "http://user@h/",
    "Retry-After",
    "99999999999999999999",
    "Wed, 21 Oct 2099 07:28:00 GMT",
];

/// The most characters of an error's text: it has to fit a screen.
const LONGEST: usize = 2000;

pub const TARGET: super::Target = super::Target {
    name: "error_body",
    tokens: TOKENS,
    judge: target,
};

fn target(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    // The first line stands for the headers.
    let header = text.lines().next().filter(|line| !line.is_empty());
    for request in requests() {
        for status in STATUSES {
            let answer = Answer {
                status,
                location: header,
                retry_after: header,
                rate_limit_reset: header,
                body: input,
            };
            let Err(error) = decode(&request, answer, UnixTime::new(1_767_225_600.0)) else {
                // A 2xx may hold a good response.
                assert_eq!(status, 204);
                continue;
            };
            for shown in [error.to_string(), error.without_advice()] {
                assert!(!shown.is_empty());
                assert!(shown.chars().count() <= LONGEST, "{shown}");
                assert_eq!(forbidden(&shown), None, "{shown:?}");
            }
            assert!(!error.headline().is_empty());
        }
    }
}

#[test]
fn refusals_are_told_in_a_few_clean_words() {
    super::run(&TARGET);
}
