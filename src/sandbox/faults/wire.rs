//! Faults below HTTP: connections that break, stall or dribble, and bytes that are not HTTP.

use axum::body::Bytes;
use axum::http::HeaderValue;
use axum::http::header::HeaderName;

use super::super::script::{Framing, Script, Step, head, whole};
use super::context::{FaultContext, FaultOutput};

/// The maximum number of one-byte segments; the rest is output at once.
const MOST_SLICES: usize = 2_000;

fn script(script: Script) -> FaultOutput {
    FaultOutput::Script(script)
}

/// For faults of connections, which send nothing.
pub fn nothing(_: &mut FaultContext<'_>) -> FaultOutput {
    script(Script::default().then(Step::Close))
}

pub fn reset(_: &mut FaultContext<'_>) -> FaultOutput {
    script(Script::default().then(Step::Reset))
}

/// Stays silent until any client has given up.
pub fn silence(cx: &mut FaultContext<'_>) -> FaultOutput {
    let pause = Step::Pause(cx.times.silence);
    script(Script::default().then(pause).then(Step::Close))
}

pub fn cut_head(cx: &mut FaultContext<'_>) -> FaultOutput {
    let mut bytes = head(&cx.reply, Framing::Length);
    bytes.truncate(bytes.len() / 2);
    script(Script::default().send(bytes).then(Step::Close))
}

fn half(cx: &FaultContext<'_>) -> Bytes {
    let body = cx.reply.body();
    body.slice(..body.len() / 2)
}

pub fn cut_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let start = Script::default().send(head(&cx.reply, Framing::Length));
    script(start.send(half(cx)).then(Step::Close))
}

pub fn cut_chunk(cx: &mut FaultContext<'_>) -> FaultOutput {
    let size = format!("{:x}\r\n", cx.reply.body().len());
    let start = Script::default().send(head(&cx.reply, Framing::Chunked));
    script(start.send(size).send(half(cx)).then(Step::Close))
}

pub fn cut_unframed(cx: &mut FaultContext<'_>) -> FaultOutput {
    let start = Script::default().send(head(&cx.reply, Framing::Closed));
    script(start.send(half(cx)).then(Step::Close))
}

pub fn dribble_head(cx: &mut FaultContext<'_>) -> FaultOutput {
    let slow = Step::Dribble(head(&cx.reply, Framing::Length).into(), cx.times.dribble);
    script(Script::default().then(slow).send(cx.reply.body().clone()))
}

pub fn dribble_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let start = Script::default().send(head(&cx.reply, Framing::Length));
    script(start.then(Step::Dribble(cx.reply.body().clone(), cx.times.dribble)))
}

pub fn stall(cx: &mut FaultContext<'_>) -> FaultOutput {
    let start = Script::default().send(head(&cx.reply, Framing::Length));
    let pause = Step::Pause(cx.times.silence);
    script(start.send(half(cx)).then(pause).then(Step::Close))
}

/// Sends a body byte by byte, so that multi-byte characters are split.
pub fn slices(cx: &mut FaultContext<'_>) -> FaultOutput {
    let mut rest = cx.reply.body().clone();
    let mut sliced = Script::default().send(head(&cx.reply, Framing::Length));
    let is_wide = |byte: &u8| !byte.is_ascii();
    let first_wide = rest.iter().position(is_wide).unwrap_or(0);
    // The segments are limited, so they start at the first multi-byte character.
    sliced = sliced.send(rest.split_to(first_wide.saturating_sub(8)));
    for _ in 0..MOST_SLICES.min(rest.len()) {
        sliced = sliced.send(rest.split_to(1));
    }
    script(sliced.send(rest))
}

/// A good response on a connection that then closes without `Connection: close`.
pub fn close_after(cx: &mut FaultContext<'_>) -> FaultOutput {
    script(Script::default().send(whole(&cx.reply)).then(Step::Close))
}

pub fn garbage(cx: &mut FaultContext<'_>) -> FaultOutput {
    let bytes: Vec<u8> = (0..32).flat_map(|_| cx.rng.next().to_le_bytes()).collect();
    // So that it never starts like an HTTP response by chance.
    script(
        Script::default()
            .send(&b"\x16\x03"[..])
            .send(bytes)
            .then(Step::Close),
    )
}

pub fn early_hints(cx: &mut FaultContext<'_>) -> FaultOutput {
    let hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(2_000);
    script(Script::default().send(hints).send(whole(&cx.reply)))
}

pub fn huge_head(cx: &mut FaultContext<'_>) -> FaultOutput {
    let headers = cx.reply.headers_mut();
    let (count, size) = [(150, 10), (1, 1 << 20)][cx.rng.index(2)];
    for number in 0..count {
        let name = HeaderName::try_from(format!("x-filler-{number}"));
        let value = HeaderValue::try_from("x".repeat(size));
        if let (Ok(name), Ok(value)) = (name, value) {
            headers.insert(name, value);
        }
    }
    script(Script::default().send(whole(&cx.reply)))
}

/// The response is unchanged, only late.
pub fn late(cx: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(cx.reply.clone())
}
