//! Faults below HTTP: connections that break, stall or dribble, and bytes that are no answer.

use axum::body::Bytes;
use axum::http::HeaderValue;
use axum::http::header::HeaderName;

use super::super::script::{Framing, Script, Step, head, whole};
use super::case::{Case, Sent};

/// Segments that a sliced answer is sent in at most; what is left goes in one.
const MOST_SLICES: usize = 2_000;

fn script(script: Script) -> Sent {
    Sent::Script(script)
}

/// A connection fault sends nothing, ever.
pub fn nothing(_: &mut Case<'_>) -> Sent {
    script(Script::default().then(Step::Close))
}

pub fn reset(_: &mut Case<'_>) -> Sent {
    script(Script::default().then(Step::Reset))
}

/// Says nothing until the caller has long given up.
pub fn silence(case: &mut Case<'_>) -> Sent {
    let pause = Step::Pause(case.times.silence);
    script(Script::default().then(pause).then(Step::Close))
}

pub fn cut_head(case: &mut Case<'_>) -> Sent {
    let mut bytes = head(&case.reply, Framing::Length);
    bytes.truncate(bytes.len() / 2);
    script(Script::default().send(bytes).then(Step::Close))
}

/// The first half of an answer's body.
fn half(case: &Case<'_>) -> Bytes {
    let body = case.reply.body();
    body.slice(..body.len() / 2)
}

pub fn cut_body(case: &mut Case<'_>) -> Sent {
    let start = Script::default().send(head(&case.reply, Framing::Length));
    script(start.send(half(case)).then(Step::Close))
}

pub fn cut_chunk(case: &mut Case<'_>) -> Sent {
    let size = format!("{:x}\r\n", case.reply.body().len());
    let start = Script::default().send(head(&case.reply, Framing::Chunked));
    script(start.send(size).send(half(case)).then(Step::Close))
}

pub fn cut_unframed(case: &mut Case<'_>) -> Sent {
    let start = Script::default().send(head(&case.reply, Framing::Closed));
    script(start.send(half(case)).then(Step::Close))
}

pub fn dribble_head(case: &mut Case<'_>) -> Sent {
    let slow = Step::Dribble(
        head(&case.reply, Framing::Length).into(),
        case.times.dribble,
    );
    script(Script::default().then(slow).send(case.reply.body().clone()))
}

pub fn dribble_body(case: &mut Case<'_>) -> Sent {
    let start = Script::default().send(head(&case.reply, Framing::Length));
    script(start.then(Step::Dribble(case.reply.body().clone(), case.times.dribble)))
}

pub fn stall(case: &mut Case<'_>) -> Sent {
    let start = Script::default().send(head(&case.reply, Framing::Length));
    let pause = Step::Pause(case.times.silence);
    script(start.send(half(case)).then(pause).then(Step::Close))
}

/// Sends a body in pieces that end behind every character and inside those of several bytes.
pub fn slices(case: &mut Case<'_>) -> Sent {
    let mut rest = case.reply.body().clone();
    let mut sliced = Script::default().send(head(&case.reply, Framing::Length));
    let is_wide = |byte: &u8| !byte.is_ascii();
    let first_wide = rest.iter().position(is_wide).unwrap_or(0);
    // The pieces are spent where characters of several bytes are.
    sliced = sliced.send(rest.split_to(first_wide.saturating_sub(8)));
    for _ in 0..MOST_SLICES.min(rest.len()) {
        sliced = sliced.send(rest.split_to(1));
    }
    script(sliced.send(rest))
}

/// A good answer on a connection that is then closed without a word in the head.
pub fn close_after(case: &mut Case<'_>) -> Sent {
    script(Script::default().send(whole(&case.reply)).then(Step::Close))
}

pub fn garbage(case: &mut Case<'_>) -> Sent {
    let bytes: Vec<u8> = (0..32)
        .flat_map(|_| case.rng.next().to_le_bytes())
        .collect();
    // Never by chance the beginning of an answer.
    script(
        Script::default()
            .send(&b"\x16\x03"[..])
            .send(bytes)
            .then(Step::Close),
    )
}

pub fn early_hints(case: &mut Case<'_>) -> Sent {
    let hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(2_000);
    script(Script::default().send(hints).send(whole(&case.reply)))
}

pub fn huge_head(case: &mut Case<'_>) -> Sent {
    let headers = case.reply.headers_mut();
    let (count, size) = [(150, 10), (1, 1 << 20)][case.rng.index(2)];
    for number in 0..count {
        let name = HeaderName::try_from(format!("x-filler-{number}"));
        let value = HeaderValue::try_from("x".repeat(size));
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.insert(name, value);
        }
    }
    script(Script::default().send(whole(&case.reply)))
}

/// The answer as it is: only its time is a fault.
pub fn late(case: &mut Case<'_>) -> Sent {
    Sent::Answer(case.reply.clone())
}
