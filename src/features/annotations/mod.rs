//! Stars, notes and bans of machines and hosts: the keys that set them, and the list of them.

pub(crate) mod view;
