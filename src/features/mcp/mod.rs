//! `bourse mcp`: the market for programs that speak the Model Context Protocol, over standard input
//! and output.
//!
//! Each tool is a read-only command whose output is captured; features bring their tools. `answer`
//! makes a bounded document of the output, in which no text of the market can act on a terminal;
//! `server` speaks the protocol.

mod answer;
pub(crate) mod command;
mod server;

use crate::cli::help::Example;

/// The examples of the command.
pub const EXAMPLES: &[Example] = &[("bourse mcp", "the sandbox for an agent, until its input ends")];
