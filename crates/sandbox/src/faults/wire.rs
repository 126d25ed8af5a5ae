//! Faults below HTTP: connections that break, stall or dribble.

use super::super::script::{Step, head};
use super::context::{FaultContext, FaultOutput};

/// A simulated fault that plays these steps on the connection in place of a response.
fn script<const STEPS: usize>(steps: [Step; STEPS]) -> FaultOutput {
    FaultOutput::Script(steps.into())
}

/// Simulates a fault of the network: resets the connection without a response.
pub fn reset(_: &mut FaultContext<'_>) -> FaultOutput {
    script([Step::Reset])
}

/// Simulates a fault of the market: sends nothing for the configured silence, by default 5 minutes, so that
/// any client has given up; then closes the connection.
pub fn silence(cx: &mut FaultContext<'_>) -> FaultOutput {
    script([Step::Pause(cx.times.silence), Step::Close])
}

/// Simulates a fault of the network: sends the head with the full length and the first half of the body, then
/// closes the connection.
pub fn cut_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let body = cx.reply.body();
    let half = body.slice(..body.len() / 2);
    script([Step::Send(head(&cx.reply)), Step::Send(half), Step::Close])
}

/// Simulates a slow network: sends the head, then the body byte by byte with a pause after each, by default
/// 100 ms.
pub fn dribble_body(cx: &mut FaultContext<'_>) -> FaultOutput {
    let body = cx.reply.body().clone();
    script([Step::Send(head(&cx.reply)), Step::Dribble(body, cx.times.dribble)])
}

/// Simulates a slow market: sends the response unchanged; the delay was made before the call was performed.
pub fn late(cx: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(cx.reply.clone())
}
