//! Faults below HTTP: connections that break, stall or dribble.

use super::super::script::{Step, head};
use super::context::{FaultContext, FaultOutput};

fn script<const STEPS: usize>(steps: [Step; STEPS]) -> FaultOutput {
    FaultOutput::Script(steps.into())
}

pub fn reset(_: &mut FaultContext<'_>) -> FaultOutput {
    script([Step::Reset])
}

/// Stays silent until any client has given up.
pub fn silence(cx: &mut FaultContext<'_>) -> FaultOutput {
    script([Step::Pause(cx.times.silence), Step::Close])
}

pub fn cut_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let body = cx.reply.body();
    let half = body.slice(..body.len() / 2);
    script([Step::Send(head(&cx.reply)), Step::Send(half), Step::Close])
}

pub fn dribble_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let body = cx.reply.body().clone();
    script([Step::Send(head(&cx.reply)), Step::Dribble(body, cx.times.dribble)])
}

/// Sends the response unchanged, only late.
pub fn late(cx: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(cx.reply.clone())
}
