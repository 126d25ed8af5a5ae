//! Faults below HTTP: connections that break, stall or dribble.

use axum::body::Bytes;

use super::super::script::{Script, Step, head};
use super::context::{FaultContext, FaultOutput};

fn script(script: Script) -> FaultOutput {
    FaultOutput::Script(script)
}

pub fn reset(_: &mut FaultContext<'_>) -> FaultOutput {
    script(Script::default().then(Step::Reset))
}

/// Stays silent until any client has given up.
pub fn silence(cx: &mut FaultContext<'_>) -> FaultOutput {
    let pause = Step::Pause(cx.times.silence);
    script(Script::default().then(pause).then(Step::Close))
}

fn half(cx: &FaultContext<'_>) -> Bytes {
    let body = cx.reply.body();
    body.slice(..body.len() / 2)
}

pub fn cut_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let start = Script::default().send(head(&cx.reply));
    script(start.send(half(cx)).then(Step::Close))
}

pub fn dribble_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let start = Script::default().send(head(&cx.reply));
    script(start.then(Step::Dribble(cx.reply.body().clone(), cx.times.dribble)))
}

/// The response is unchanged, only late.
pub fn late(cx: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(cx.reply.clone())
}
