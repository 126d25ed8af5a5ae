//! The marketplace in a box, with the client and the program. Its own tests are in `crates/sandbox`.

mod faults;
mod program;
mod route_load;
