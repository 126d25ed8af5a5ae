//! Keeping the key out of files that nobody asked for.

/// Forbids core dumps and, on Linux, reading the process's memory from other processes of the same
/// user. To be called before the key is read.
///
/// Best effort: a kernel that refuses leaves the program as safe as any other.
pub fn harden() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = setrlimit(Resource::Core, none);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
