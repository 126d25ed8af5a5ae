//! Stars, notes and bans of machines and hosts: the keys that set them, the list of them, and the subcommand.

pub(crate) mod command;
pub(crate) mod view;
