//! Names of new markets.

/// Maximum length of a market's name, in bytes.
const LONGEST_NAME: usize = 32;

/// The reason a text cannot be the name of a new market: empty, too long, `custom`, taken (`taken` are the
/// names in use, compared without case), or other than letters, digits, `-` and `_`, the first a letter or
/// digit. `None` if it can.
pub(super) fn name_fault(name: &str, taken: &[String]) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if name.is_empty() {
        Some("enter a name".to_owned())
    } else if name.len() > LONGEST_NAME {
        Some(format!("a name has {LONGEST_NAME} characters at most"))
    } else if !name.bytes().all(is_plain) {
        Some("a name has letters, digits, - and _ only".to_owned())
    } else if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        Some("a name begins with a letter or a digit".to_owned())
    } else if name.eq_ignore_ascii_case("custom") {
        Some("'custom' is what an address without a name is called".to_owned())
    } else {
        // On a file system that ignores case they would share their files.
        taken
            .iter()
            .find(|known| known.eq_ignore_ascii_case(name))
            .map(|known| format!("there is a market named '{known}' already"))
    }
}
