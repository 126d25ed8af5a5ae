//! Keeps the API key out of core dumps and other processes.

use rustix::process::{Resource, Rlimit, setrlimit};

/// Forbids core dumps and, on Linux, reading the process's memory from other processes of the same
/// user. Call it before the key is read.
///
/// If the kernel refuses, the program runs nevertheless, as safe as any other.
pub fn harden() {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // A core dump would contain the key.
    let _ = setrlimit(Resource::Core, none);
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Otherwise `ptrace` and `/proc/PID/mem` show it to programs of the same user.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
