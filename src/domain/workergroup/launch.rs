//! What launch arguments say about a group's cost.

use crate::domain::cost::Input;

/// The disk in GB that launch arguments give each worker: the last `--disk N` or `--disk=N`, split
/// into words like a POSIX shell does. `Ok(None)` if they set none; `Err` is the text that is no
/// size.
///
/// ```
/// use bourse::domain::workergroup::disk;
/// assert_eq!(disk("--env '-e A=1 --disk 9' --disk 200"), Ok(Some(200.0)));
/// assert_eq!(disk("--disk=lots"), Err("lots".to_owned()));
/// ```
pub fn disk(launch_args: &str) -> Result<Option<f64>, String> {
    let words = words(launch_args);
    let mut words = words.iter().map(String::as_str);
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
        let size = value.trim().parse::<f64>().ok();
        let size = size.filter(|size| Input::DiskGb.check(*size).is_ok());
        disk = Some(size.ok_or_else(|| value.to_owned()));
    }
    disk.transpose()
}

/// The words of a text as a POSIX shell splits them; an open quote ends with the text.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => {
                let quoted = characters.by_ref().take_while(|next| *next != '\'');
                word.get_or_insert_default().extend(quoted);
            }
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(next) = characters.next() {
                    match next {
                        '"' => break,
                        '\\' => match characters.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                            Some(plain) => word.extend(['\\', plain]),
                            None => word.push('\\'),
                        },
                        plain => word.push(plain),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(characters.next()),
            blank if blank.is_whitespace() => words.extend(word.take()),
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    words
}
