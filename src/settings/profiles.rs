//! Edits the profiles of the configuration file with `toml_edit`, which preserves comments, order
//! and layout.
//!
//! Every edited text is parsed and compared with the intended profile before it is written: half a
//! profile could send a key to the wrong market.

use std::io;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError, value};

use super::config::{Config, ConfigError, Profile};
use crate::domain::Dialect;
use crate::store::files;

/// The source of a profile's key in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyStorage {
    /// The environment variable, if it is set.
    Environment,
    /// A file; relative to the folder of the configuration.
    File(String),
    /// The output of a command.
    Command(String),
}

/// The reason an edit of the configuration was not made; the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The configuration file has mistakes.
    #[error("fix the configuration first: {0}")]
    Configuration(#[source] ConfigError),
    #[error("a profile named '{0}' already exists")]
    Exists(String),
    #[error("the configuration file defines no profile '{0}'")]
    Undefined(String),
    /// The editor cannot parse the file.
    ///
    /// The message quotes nothing of it, as an address may hold a password.
    #[error("{} can't be edited automatically: {message}", .path.display())]
    Syntax { path: PathBuf, message: String },
    /// The edited file would have another meaning than intended; the lines to add by hand.
    #[error("{} can't be edited automatically; add this yourself: {lines}", .path.display())]
    Meaning { path: PathBuf, lines: String },
    #[error("can't write {}: {source}", .path.display())]
    Unwritable { path: PathBuf, source: io::Error },
}

/// Adds a profile at the end of the configuration file, creating the file if needed. A profile of that name,
/// also a built-in one, is an error.
///
/// # Errors
/// The file is then unchanged, unless only the check of the written file failed.
pub fn add(path: &Path, mut new: Profile, key: &KeyStorage) -> Result<(), EditError> {
    let (mut document, config) = read(path)?;
    if config.profile(&new.name).is_some() {
        return Err(EditError::Exists(new.name));
    }
    let section = section(&new, key);
    let advice = format!("[profiles.{}]\n{section}", new.name);
    append(&mut document, &new.name, section);
    place_key(&mut new, key, path);
    write(path, &document, &config.with(new), &advice)
}

/// Sets the source of a profile's key in the configuration file, in place of the earlier one; for the
/// environment only removes that.
///
/// # Errors
/// When there is no such profile, or the file cannot be edited.
pub fn set_key(path: &Path, name: &str, key: &KeyStorage) -> Result<(), EditError> {
    let line = key_line(key);
    let advice = match &line {
        Some((setting, text)) => format!("{setting} = {}", value(*text)),
        None => format!("without {FILE} and {COMMAND}"),
    };
    let settings = [FILE, COMMAND].map(|setting| (setting, line.filter(|line| line.0 == setting).map(|line| line.1)));
    change(path, name, &settings, &advice, |profile| place_key(profile, key, path))
}

/// Sets the dialect of a profile in the configuration file.
///
/// # Errors
/// When there is no such profile, or the file cannot be edited.
pub fn set_dialect(path: &Path, name: &str, dialect: &'static Dialect) -> Result<(), EditError> {
    let advice = format!("dialect = {}", value(dialect.name));
    let settings = [("dialect", Some(dialect.name))];
    change(path, name, &settings, &advice, |profile| profile.dialect = dialect)
}

/// Removes a profile from the configuration file, and `default_profile` with it if it names the profile.
///
/// # Errors
/// When the file does not define the profile or cannot be edited. It is then unchanged, unless only the check
/// of the written file failed.
pub fn remove(path: &Path, name: &str) -> Result<(), EditError> {
    let (mut document, config) = read(path)?;
    let profiles = document.get_mut("profiles").and_then(Item::as_table_like_mut);
    if profiles.and_then(|profiles| profiles.remove(name)).is_none() {
        return Err(EditError::Undefined(name.to_owned()));
    }
    respace(document.get_mut("profiles"));
    if config.values.default_profile.as_deref() == Some(name) {
        document.remove("default_profile");
    }
    let advice = format!("the file without [profiles.{name}]");
    write(path, &document, &config.without(name), &advice)
}

/// Sets settings of a profile in the configuration file, or removes those without a value; `edit` makes the
/// same change to the parsed profile. A built-in profile that the file lacks is added, unless nothing is to
/// be set. An error if there is no such profile; `advice` has the lines to add by hand if the edit fails.
fn change(
    path: &Path,
    name: &str,
    settings: &[(&str, Option<&str>)],
    advice: &str,
    edit: impl FnOnce(&mut Profile),
) -> Result<(), EditError> {
    let (mut document, config) = read(path)?;
    let Some(mut profile) = config.profile(name) else {
        return Err(meaning_error(path, &format!("[profiles.{name}]")));
    };
    edit(&mut profile);
    let existing = document.get_mut("profiles").and_then(|all| all.get_mut(name));
    if let Some(table) = existing.and_then(Item::as_table_like_mut) {
        for (setting, text) in settings {
            match text {
                Some(text) => set(table, setting, text),
                None => drop(table.remove(setting)),
            }
        }
        respace(document.get_mut("profiles").and_then(|all| all.get_mut(name)));
    } else {
        // A built-in profile that the file does not mention.
        let added = settings
            .iter()
            .filter_map(|(setting, text)| Some((*setting, value((*text)?))));
        let table: Table = added.collect();
        if table.is_empty() {
            return Ok(());
        }
        append(&mut document, name, table);
    }
    write(
        path,
        &document,
        &config.with(profile),
        &format!("[profiles.{name}] {advice}"),
    )
}

/// Sets a value in place, preserving the comment after it; a missing setting is added.
pub(super) fn set(table: &mut dyn TableLike, setting: &str, text: &str) {
    match table.get_mut(setting).and_then(Item::as_value_mut) {
        Some(before) => {
            let decor = before.decor().clone();
            *before = text.into();
            *before.decor_mut() = decor;
        }
        None => {
            table.insert(setting, value(text));
        }
    }
}

/// Normalizes the spaces of an inline table.
///
/// A value inserted at its end would follow a blank and a comma.
fn respace(item: Option<&mut Item>) {
    if let Some(table) = item.and_then(Item::as_inline_table_mut) {
        table.fmt();
    }
}

/// Appends a profile at the end of the configuration file.
///
/// Next to the other profiles it would push the user's sections apart.
fn append(document: &mut DocumentMut, name: &str, mut section: Table) {
    let is_empty = document.is_empty() && document.trailing().as_str() == Some("");
    let mut before = document.trailing().as_str().unwrap_or_default().to_owned();
    if !before.is_empty() && !before.ends_with('\n') {
        before.push('\n');
    }
    if !is_empty && before != "\n" && !before.ends_with("\n\n") {
        before.push('\n');
    }
    document.set_trailing("");
    section.decor_mut().set_prefix(before);
    section.set_position(Some(isize::MAX));
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let profiles = document.entry("profiles").or_insert(Item::Table(implicit));
    if let Some(profiles) = profiles.as_table_like_mut() {
        profiles.insert(name, Item::Table(section));
    }
    respace(document.get_mut("profiles"));
}

/// Reads the configuration file as an editable document and as a configuration; an error if it has mistakes
/// or cannot be edited.
fn read(path: &Path) -> Result<(DocumentMut, Config), EditError> {
    let config = Config::load(path).map_err(EditError::Configuration)?;
    // Errors in reading or parsing were reported above.
    let text = files::read_text(path).unwrap_or_default();
    // A file that can be read cannot always be edited: `1e999` is out of the editor's range.
    let document = text.parse().map_err(|error: TomlError| EditError::Syntax {
        path: path.to_owned(),
        message: error.message().to_owned(),
    })?;
    Ok((document, config))
}

/// The error that a text would not have the intended meaning, with the `lines` to add by hand.
fn meaning_error(path: &Path, lines: &str) -> EditError {
    EditError::Meaning {
        path: path.to_owned(),
        lines: lines.trim().replace('\n', ", "),
    }
}

/// Writes the document if it has the meaning of `wanted`, otherwise an error with `advice`, the lines to add
/// by hand. The same error follows if the written file, read again, has another meaning.
fn write(path: &Path, document: &DocumentMut, wanted: &Config, advice: &str) -> Result<(), EditError> {
    let text = document.to_string();
    let means_it = |config: Result<Config, ConfigError>| config.is_ok_and(|config| config.says_the_same(wanted));
    if !means_it(Config::parse(&text, path)) {
        return Err(meaning_error(path, advice));
    }
    files::replace(path, text.as_bytes()).map_err(|source| EditError::Unwritable {
        path: path.to_owned(),
        source,
    })?;
    means_it(Config::load(path))
        .then_some(())
        .ok_or_else(|| meaning_error(path, advice))
}

/// Sets the source of the key in a parsed profile; a relative file is resolved against the folder of `path`.
fn place_key(profile: &mut Profile, key: &KeyStorage, path: &Path) {
    (profile.api_key_file, profile.api_key_command) = match key {
        KeyStorage::Environment => (None, None),
        KeyStorage::File(file) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            (Some(folder.join(file)), None)
        }
        KeyStorage::Command(command) => (None, Some(command.clone())),
    };
}

/// The table of a new profile: its addresses, its dialect and read-only setting if they are not the default,
/// and the source of its key.
fn section(new: &Profile, key: &KeyStorage) -> Table {
    let mut table = Table::new();
    for (name, address) in [("base_url", &new.base_url), ("route_url", &new.route_url)] {
        if let Some(address) = address {
            table.insert(name, value(address));
        }
    }
    if new.dialect != &Dialect::DOCUMENTED {
        table.insert("dialect", value(new.dialect.name));
    }
    if new.read_only {
        table.insert("read_only", value(true));
    }
    if let Some((setting, text)) = key_line(key) {
        table.insert(setting, value(text));
    }
    table
}

/// The setting that names the source of a key, and its value; `None` for the environment.
fn key_line(key: &KeyStorage) -> Option<(&'static str, &str)> {
    match key {
        KeyStorage::Environment => None,
        KeyStorage::File(file) => Some((FILE, file)),
        KeyStorage::Command(command) => Some((COMMAND, command)),
    }
}

const FILE: &str = "api_key_file";
const COMMAND: &str = "api_key_command";

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn new(name: &str) -> Profile {
        Profile {
            base_url: Some("https://market.example".to_owned()),
            ..Profile::bare(name, &Dialect::DOCUMENTED)
        }
    }

    /// Adds a profile without a key.
    fn add(path: &Path, new: Profile) -> Result<(), EditError> {
        super::add(path, new, &KeyStorage::Environment)
    }

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    const OWN: &str = "# mine\ntheme = \"light\" # for the sun\n\n[profiles.a] # first\n\
        # the address\nbase_url = \"https://a\"\n\n[keys]\nsort = \"S\"";

    #[test]
    fn a_profile_is_appended_and_everything_else_stays() {
        let (_folder, path) = file(OWN);
        let all = Profile {
            route_url: Some("https://run.example".to_owned()),
            dialect: &Dialect::VAST,
            read_only: true,
            ..new("work")
        };
        super::add(&path, all.clone(), &KeyStorage::File("keys/work".to_owned())).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!(
                "{OWN}\n\n[profiles.work]\nbase_url = \"https://market.example\"\n\
                 route_url = \"https://run.example\"\ndialect = \"vast\"\nread_only = true\n\
                 api_key_file = \"keys/work\"\n"
            )
        );
        for again in [all, new("vast")] {
            assert!(add(&path, again).unwrap_err().to_string().ends_with("already exists"));
        }
        let key = KeyStorage::Command("sh -c \"echo 'a\\b'\"".to_owned());
        super::add(&path, new("tricky"), &key).unwrap();
        let config = Config::load(&path).unwrap();
        let read = config.profile("tricky").unwrap();
        assert_eq!(read.api_key_command.as_deref(), Some("sh -c \"echo 'a\\b'\""));
    }

    #[test]
    fn a_first_file_is_made_and_a_wrong_one_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("bourse/config.toml");
        add(&path, new("work")).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "[profiles.work]\nbase_url = \"https://market.example\"\n"
        );
        fs::write(&path, "theme = 3").unwrap();
        let error = add(&path, new("work")).unwrap_err().to_string();
        assert!(error.contains("config.toml"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "theme = 3");
        let inline = "profiles = { a = { base_url = \"https://a\" } }\n";
        fs::write(&path, inline).unwrap();
        add(&path, new("work")).unwrap();
        let added = inline.replace(" }\n", ", work = { base_url = \"https://market.example\" } }\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), added);
    }

    #[test]
    fn setting_a_key_changes_its_own_line_only() {
        let (_folder, path) = file(OWN);
        let text = || fs::read_to_string(&path).unwrap();
        let file = |name: &str| KeyStorage::File(format!("keys/{name}"));
        set_key(&path, "a", &file("a")).unwrap();
        let line = "base_url = \"https://a\"\napi_key_file = \"keys/a\"\n\n[keys]";
        assert!(text().contains(line), "{}", text());
        set_key(&path, "a", &KeyStorage::Command("pass a".to_owned())).unwrap();
        let line = "base_url = \"https://a\"\napi_key_command = \"pass a\"\n\n[keys]";
        assert!(text().contains(line), "{}", text());
        set_key(&path, "a", &KeyStorage::Environment).unwrap();
        assert_eq!(text().trim_end(), OWN);
        set_key(&path, "vast", &KeyStorage::Environment).unwrap();
        assert_eq!(text().trim_end(), OWN);
        set_key(&path, "vast", &file("vast")).unwrap();
        let wanted = format!("{OWN}\n\n[profiles.vast]\napi_key_file = \"keys/vast\"\n");
        assert_eq!(text(), wanted);
        let vast = Config::load(&path).unwrap().profile("vast").unwrap();
        assert_eq!(vast.base_url.as_deref(), Some("https://console.vast.ai"));
    }

    #[test]
    fn setting_a_dialect_changes_its_own_line_only() {
        for (before, after) in [
            (
                "[profiles.a]\nbase_url = \"https://a\"\ndialect = \"documented\" # mine\n",
                "[profiles.a]\nbase_url = \"https://a\"\ndialect = \"vast\" # mine\n",
            ),
            (
                "[profiles]\na = { base_url = \"https://a\" }\n",
                "[profiles]\na = { base_url = \"https://a\", dialect = \"vast\" }\n",
            ),
        ] {
            let (_folder, path) = file(before);
            set_dialect(&path, "a", &Dialect::VAST).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
        let (_folder, path) = file(OWN);
        assert!(set_dialect(&path, "unknown", &Dialect::VAST).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), OWN);
    }

    #[test]
    fn a_removed_profile_takes_its_own_lines_along_only() {
        for (before, after) in [
            (OWN, "# mine\ntheme = \"light\" # for the sun\n\n[keys]\nsort = \"S\"\n"),
            (
                "default_profile = \"a\"\nascii = true\n[profiles.a]\nbase_url = \"https://a\"\n",
                "ascii = true\n",
            ),
            (
                "default_profile = \"b\"\nprofiles = { a = { base_url = \"https://a\" }, b = { base_url = \"https://b\" } }\n",
                "default_profile = \"b\"\nprofiles = { b = { base_url = \"https://b\" } }\n",
            ),
            (
                "[profiles.vast]\nread_only = true\n\n[profiles.a]\nbase_url = \"https://a\"\n# the end\n",
                "[profiles.vast]\nread_only = true\n# the end\n",
            ),
        ] {
            let (_folder, path) = file(before);
            remove(&path, "a").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
        let (_folder, path) = file(OWN);
        for unknown in ["vast", "b"] {
            let error = remove(&path, unknown).unwrap_err().to_string();
            assert!(error.contains("defines no profile"), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), OWN);
    }

    #[test]
    fn every_way_to_write_a_profile_is_edited_in_its_own_style() {
        for (before, after) in [
            (
                "profiles.a.base_url = \"https://a\"\n",
                "profiles.a.base_url = \"https://a\"\nprofiles.a.api_key_file = \"keys/a\"\n",
            ),
            (
                "[profiles]\na = { base_url = \"https://a\" }\n",
                "[profiles]\na = { base_url = \"https://a\", api_key_file = \"keys/a\" }\n",
            ),
            (
                "[profiles.a]\nbase_url = \"https://a\"\n# mine\napi_key_file = \"old\" # here\n",
                "[profiles.a]\nbase_url = \"https://a\"\n# mine\napi_key_file = \"keys/a\" # here\n",
            ),
        ] {
            let (_folder, path) = file(before);
            set_key(&path, "a", &KeyStorage::File("keys/a".to_owned())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
    }

    #[test]
    fn a_comment_at_the_end_stays_above_a_new_profile() {
        let (_folder, path) = file("ascii = true\n# the end");
        add(&path, new("work")).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "ascii = true\n# the end\n\n[profiles.work]\nbase_url = \"https://market.example\"\n"
        );
    }

    #[test]
    fn modes_and_links_of_the_person_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let root = tempfile::tempdir().unwrap();
        let dotfiles = root.path().join("dotfiles");
        fs::create_dir(&dotfiles).unwrap();
        fs::set_permissions(&dotfiles, fs::Permissions::from_mode(0o755)).unwrap();
        let real = dotfiles.join("bourse.toml");
        fs::write(&real, "ascii = true\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
        let path = root.path().join("config.toml");
        symlink(&real, &path).unwrap();
        add(&path, new("work")).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert!(path.is_symlink());
        assert_eq!((mode(&real), mode(&dotfiles)), (0o644, 0o755));
        assert!(
            fs::read_to_string(&real)
                .unwrap()
                .starts_with("ascii = true\n\n[profiles.work]")
        );
    }
}
