//! The cost of a group that follows from its launch arguments.

use crate::cost::Input;

/// The text of a `--disk` in launch arguments that is not a size in GB; empty if nothing follows it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--disk {text} in the launch arguments is not a size in GB")]
pub struct DiskError {
    pub text: String,
}

/// The disk in GB that launch arguments give each worker: the last `--disk N` or `--disk=N` before a `--` or
/// `--args`, split into words like a POSIX shell does. `Ok(None)` if they set none.
///
/// # Errors
/// If the last one is not a size from 0 to 1e9.
///
/// ```
/// use bourse_domain::workergroup::parse_disk_gb;
/// assert_eq!(parse_disk_gb("--env '-e A=1 --disk 9' --disk 200"), Ok(Some(200.0)));
/// assert_eq!(parse_disk_gb("--disk=lots").unwrap_err().text, "lots");
/// ```
pub fn parse_disk_gb(launch_args: &str) -> Result<Option<f64>, DiskError> {
    let words = shell_words::split(launch_args);
    // A text with an open quote is not valid for a shell.
    let split = words.unwrap_or_else(|_| launch_args.split_whitespace().map(str::to_owned).collect());
    let mut words = split.iter().map(String::as_str);
    let mut disk = None;
    while let Some(word) = words.next() {
        let value = match word {
            // The rest belongs to the container's own command.
            "--" | "--args" => break,
            "--disk" => words.next().unwrap_or_default(),
            _ => match word.strip_prefix("--disk=") {
                Some(value) => value,
                None => continue,
            },
        };
        let number = value.trim().parse::<f64>().ok();
        let size = number.filter(|size| Input::DiskGb.check(*size).is_ok());
        disk = Some(size.ok_or_else(|| DiskError { text: value.to_owned() }));
    }
    disk.transpose()
}
