//! Changing the profiles of the configuration file: as little of its text as possible, so that
//! comments and the person's own order stay. Every change is read again before it is written, and a
//! text that would not say exactly what was meant is not written.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::config::{Config, ConfigError, Profile};
use super::files;
use crate::domain::Dialect;

/// Where the key of a profile comes from, as the configuration says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// From the environment, if there is one.
    Environment,
    /// From a file; relative to the folder of the configuration.
    File(String),
    /// From what a command prints.
    Command(String),
}

/// A profile to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProfile {
    /// Its name.
    pub name: String,
    /// The base address.
    pub base_url: String,
    /// The address of the routing endpoint; the base where it is missing.
    pub route_url: Option<String>,
    /// How the server speaks the interface.
    pub dialect: &'static Dialect,
    /// Whether writes are refused.
    pub read_only: bool,
    /// Where its key comes from.
    pub key: KeyPlace,
}

/// Why the configuration was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It is wrong as it is.
    #[error("the configuration is wrong, mend it first: {0}")]
    Wrong(#[from] ConfigError),
    /// There is a profile of that name.
    #[error("there is a profile named '{0}' already")]
    Exists(String),
    /// It is written in a way that bourse does not change.
    #[error("{path} is written in a way that bourse does not change; write into it: {wanted}", path = .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What should stand in it.
        wanted: String,
    },
    /// It cannot be written.
    #[error("{path} cannot be written: {why}", path = .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
}

/// Adds a profile at the end of the file; a file that is not there begins with it.
///
/// # Errors
/// When the file cannot be changed; it is as it was then.
pub fn add(path: &Path, new: &NewProfile) -> Result<(), EditError> {
    let (text, config) = read(path)?;
    if config.profile(&new.name).is_some() {
        return Err(EditError::Exists(new.name.clone()));
    }
    let section = section(new);
    let wanted = config.with(expected(new, path));
    write(path, &appended(&text, &section), &wanted, &section)
}

/// Says where the key of a profile comes from, in place of what was said before.
///
/// # Errors
/// When the file cannot be changed; it is as it was then.
pub fn set_key(path: &Path, name: &str, key: &KeyPlace) -> Result<(), EditError> {
    let (text, config) = read(path)?;
    let line = key_line(key);
    let Some(mut profile) = config.profile(name) else {
        return Err(EditError::Foreign {
            path: path.to_owned(),
            wanted: format!("[profiles.{name}]"),
        });
    };
    place_key(&mut profile, key, path);
    let advice = match &line {
        Some(line) => format!("[profiles.{name}] {line}"),
        None => format!("no api_key_file and no api_key_command in [profiles.{name}]"),
    };
    let changed = changed(&text, name, line.as_deref());
    let Some(changed) = changed else {
        return Err(EditError::Foreign {
            path: path.to_owned(),
            wanted: advice,
        });
    };
    if changed == text {
        return Ok(());
    }
    write(path, &changed, &config.with(profile), &advice)
}

fn read(path: &Path) -> Result<(String, Config), EditError> {
    let config = Config::load(path)?;
    // What could not be read was refused above.
    Ok((fs::read_to_string(path).unwrap_or_default(), config))
}

/// Writes a text if it says what is wanted, and reads it again from the disk.
fn write(path: &Path, text: &str, wanted: &Config, advice: &str) -> Result<(), EditError> {
    let says_it = |config: Result<Config, ConfigError>| {
        config.is_ok_and(|config| config.says_the_same(wanted))
    };
    let foreign = || EditError::Foreign {
        path: path.to_owned(),
        wanted: advice.trim().replace('\n', ", "),
    };
    if !says_it(Config::parse(text, path)) {
        return Err(foreign());
    }
    files::replace(path, text.as_bytes()).map_err(|why| EditError::Unwritable {
        path: path.to_owned(),
        why,
    })?;
    says_it(Config::load(path))
        .then_some(())
        .ok_or_else(foreign)
}

fn expected(new: &NewProfile, path: &Path) -> Profile {
    let mut profile = Profile {
        name: new.name.clone(),
        base_url: Some(new.base_url.clone()),
        route_url: new.route_url.clone(),
        dialect: new.dialect,
        read_only: new.read_only,
        ..Profile::custom()
    };
    place_key(&mut profile, &new.key, path);
    profile
}

fn place_key(profile: &mut Profile, key: &KeyPlace, path: &Path) {
    (profile.api_key_file, profile.api_key_command) = match key {
        KeyPlace::Environment => (None, None),
        KeyPlace::File(file) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            (Some(folder.join(file)), None)
        }
        KeyPlace::Command(command) => (None, Some(command.clone())),
    };
}

/// The lines of a new profile.
fn section(new: &NewProfile) -> String {
    let mut text = format!("[profiles.{}]\n", new.name);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key} = {value}"); // a String takes everything
    };
    line("base_url", quoted(&new.base_url));
    if let Some(route) = &new.route_url {
        line("route_url", quoted(route));
    }
    if new.dialect != &Dialect::DOCUMENTED {
        line("dialect", quoted(new.dialect.name));
    }
    if new.read_only {
        line("read_only", "true".to_owned());
    }
    if let Some(key) = key_line(&new.key) {
        text.push_str(&key);
        text.push('\n');
    }
    text
}

/// The line that says where the key comes from, if one does.
fn key_line(key: &KeyPlace) -> Option<String> {
    match key {
        KeyPlace::Environment => None,
        KeyPlace::File(file) => Some(format!("{FILE} = {}", quoted(file))),
        KeyPlace::Command(command) => Some(format!("{COMMAND} = {}", quoted(command))),
    }
}

/// The settings that say where a key comes from.
const FILE: &str = "api_key_file";
const COMMAND: &str = "api_key_command";

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A text with a section at its end, a blank line between them.
fn appended(text: &str, section: &str) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{section}")
}

/// The text with another line for the key of a profile, or without one. `None` where the profile
/// is not written as a section of its own.
fn changed(text: &str, name: &str, line: Option<&str>) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let profiles = document.get_ref().get("profiles");
    let profile = profiles
        .and_then(|profiles| profiles.get_ref().as_table())
        .and_then(|profiles| profiles.get_key_value(name));
    let Some((key, profile)) = profile else {
        // A built-in profile that the file does not mention.
        return Some(line.map_or_else(
            || text.to_owned(),
            |line| appended(text, &format!("[profiles.{name}]\n{line}\n")),
        ));
    };
    let settings = profile.get_ref().as_table()?;
    let mut places: Vec<Range<usize>> = settings
        .iter()
        .filter(|(key, _)| matches!(key.get_ref().as_ref(), FILE | COMMAND))
        .map(|(key, value)| key.span().start..value.span().end)
        .collect();
    places.sort_by_key(|place| place.start);
    match (places.as_slice(), line) {
        ([], None) => Some(text.to_owned()),
        ([], Some(line)) => {
            let header = whole_line(text, &key.span());
            text[header.clone()].trim_start().starts_with('[').then(|| {
                let (before, after) = text.split_at(header.end);
                let gap = if before.ends_with('\n') { "" } else { "\n" };
                format!("{before}{gap}{line}\n{after}")
            })
        }
        ([place, ..], Some(line)) => Some(format!(
            "{}{line}{}",
            &text[..place.start],
            &text[place.end..]
        )),
        ([place, ..], None) => {
            let whole = whole_line(text, place);
            let is_alone = text[whole.start..place.start].trim().is_empty();
            is_alone.then(|| format!("{}{}", &text[..whole.start], &text[whole.end..]))
        }
    }
}

/// The whole lines in which a place lies, with the end of the last one.
fn whole_line(text: &str, place: &Range<usize>) -> Range<usize> {
    let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[place.end..]
        .find('\n')
        .map_or(text.len(), |at| place.end + at + 1);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str) -> NewProfile {
        NewProfile {
            name: name.to_owned(),
            base_url: "https://market.example".to_owned(),
            route_url: None,
            dialect: &Dialect::DOCUMENTED,
            read_only: false,
            key: KeyPlace::Environment,
        }
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
        let all = NewProfile {
            route_url: Some("https://run.example".to_owned()),
            dialect: &Dialect::VAST,
            read_only: true,
            key: KeyPlace::File("keys/work".to_owned()),
            ..new("work")
        };
        add(&path, &all).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            format!(
                "{OWN}\n\n[profiles.work]\nbase_url = \"https://market.example\"\n\
                 route_url = \"https://run.example\"\ndialect = \"vast\"\nread_only = true\n\
                 api_key_file = \"keys/work\"\n"
            )
        );
        assert!(matches!(add(&path, &all), Err(EditError::Exists(_))));
        assert!(matches!(
            add(&path, &new("vast")),
            Err(EditError::Exists(_))
        ));
        let tricky = NewProfile {
            key: KeyPlace::Command("sh -c \"echo 'a\\b'\"".to_owned()),
            ..new("tricky")
        };
        add(&path, &tricky).unwrap();
        let config = Config::load(&path).unwrap();
        let read = config.profile("tricky").unwrap();
        assert_eq!(
            read.api_key_command.as_deref(),
            Some("sh -c \"echo 'a\\b'\"")
        );
    }

    #[test]
    fn a_first_file_is_made_and_a_wrong_one_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("bourse/config.toml");
        add(&path, &new("work")).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "[profiles.work]\nbase_url = \"https://market.example\"\n"
        );
        for text in [
            "theme = 3",
            "profiles = { a = { base_url = \"https://a\" } }",
        ] {
            fs::write(&path, text).unwrap();
            let error = add(&path, &new("work")).unwrap_err().to_string();
            assert!(error.contains("config.toml"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn the_place_of_a_key_is_changed_in_its_own_line() {
        let (_folder, path) = file(OWN);
        let text = || fs::read_to_string(&path).unwrap();
        let file = |name: &str| KeyPlace::File(format!("keys/{name}"));
        set_key(&path, "a", &file("a")).unwrap();
        let line = "[profiles.a] # first\napi_key_file = \"keys/a\"\n# the address\n";
        assert!(text().contains(line), "{}", text());
        set_key(&path, "a", &KeyPlace::Command("pass a".to_owned())).unwrap();
        let line = "first\napi_key_command = \"pass a\"\n# the address\n";
        assert!(text().contains(line), "{}", text());
        set_key(&path, "a", &KeyPlace::Environment).unwrap();
        assert_eq!(text(), OWN);
        set_key(&path, "vast", &KeyPlace::Environment).unwrap();
        assert_eq!(text(), OWN);
        set_key(&path, "vast", &file("vast")).unwrap();
        let wanted = format!("{OWN}\n\n[profiles.vast]\napi_key_file = \"keys/vast\"\n");
        assert_eq!(text(), wanted);
        let vast = Config::load(&path).unwrap().profile("vast").unwrap();
        assert_eq!(vast.base_url.as_deref(), Some("https://console.vast.ai"));
    }

    #[test]
    fn what_is_written_in_another_way_is_not_touched() {
        for text in [
            "profiles.a.base_url = \"https://a\"\n",
            "[profiles]\na = { base_url = \"https://a\" }\n",
            "[profiles]\na = { base_url = \"https://a\", api_key_command = \"x\" }\n",
        ] {
            let (_folder, path) = file(text);
            let ended = set_key(&path, "a", &KeyPlace::File("keys/a".to_owned()));
            let now = fs::read_to_string(&path).unwrap();
            match ended {
                // In one line with others it can be replaced where it stands.
                Ok(()) => assert_eq!(
                    now,
                    text.replace("api_key_command = \"x\"", "api_key_file = \"keys/a\"")
                ),
                Err(error) => {
                    assert!(error.to_string().contains("write into it"), "{error}");
                    assert_eq!(now, text);
                }
            }
        }
    }

    #[cfg(unix)]
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
        add(&path, &new("work")).unwrap();
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
