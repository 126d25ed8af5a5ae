//! Which markets there are, whence their keys come, and what is changed in the configuration.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use bourse::api::Secret;
use bourse::domain::Dialect;
use bourse::domain::throughput::WorkUnit;
use bourse::features::markets::command::ProfileResolver;
use bourse::features::markets::{Change, Done, KeyFrom, NewMarket};
use bourse::settings::Global;
use bourse::settings::KeySource;
use bourse::settings::{Environment, Market};
use bourse::store::Paths;

const KEY: &str = "canary-key-4711-known";

struct Home {
    folder: tempfile::TempDir,
    paths: Paths,
}

impl Home {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::below(folder.path());
        fs::create_dir_all(&paths.config).unwrap();
        fs::write(paths.config_file(), config).unwrap();
        Self { folder, paths }
    }

    fn known(&self, flags: Global, environment: Environment, started: &str) -> ProfileResolver {
        ProfileResolver::new(flags, environment, Some(self.paths.clone()), started)
    }

    fn plain(&self) -> ProfileResolver {
        self.known(Global::default(), Environment::default(), "sandbox")
    }

    fn private(&self, name: &str, text: &str, mode: u32) -> std::path::PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn config(&self) -> String {
        fs::read_to_string(self.paths.config_file()).unwrap()
    }
}

fn key_of(known: &ProfileResolver, name: &str) -> Option<String> {
    match known.settings(name).unwrap().market {
        Market::Remote { key, .. } => key.map(|key| key.expose().to_owned()),
        Market::Embedded(_) => panic!("{name} is embedded"),
    }
}

fn source(known: &ProfileResolver, name: &str) -> KeySource {
    let markets = known.market_list().markets;
    markets
        .into_iter()
        .find(|market| market.name == name)
        .unwrap_or_else(|| panic!("there is no {name}"))
        .key
}

fn new(name: &str) -> NewMarket {
    NewMarket {
        name: name.to_owned(),
        base_url: "https://market.example".to_owned(),
        route_url: None,
        dialect: &Dialect::DOCUMENTED,
        read_only: false,
        key: KeyFrom::File(Secret::new(KEY)),
    }
}

const TWO: &str = "# two\n[profiles.a]\nbase_url = \"https://a.example\"\n\
    [profiles.b]\nbase_url = \"https://b.example\"\nroute_url = \"https://b-run.example\"\n";

#[test]
fn what_the_command_line_says_is_for_the_profile_that_it_started() {
    let home = Home::new(TWO);
    let file = home.private("key", KEY, 0o600);
    let flags = Global {
        profile: Some("a".to_owned()),
        base_url: Some("https://mirror.example".to_owned()),
        api_key_file: Some(file),
        read_only: true,
        ..Global::default()
    };
    let known = home.known(flags, Environment::default(), "a");
    assert_eq!(key_of(&known, "a").as_deref(), Some(KEY));
    assert_eq!(key_of(&known, "b"), None, "the key file was for a");
    let address = |name: &str| match known.settings(name).unwrap().market {
        Market::Remote { management, .. } => management.to_string(),
        Market::Embedded(_) => String::new(),
    };
    assert_eq!(address("a"), "https://mirror.example");
    assert_eq!(address("b"), "https://b.example");
    assert!(known.settings("b").unwrap().read_only, "--read-only is for all");
    assert!(known.settings("sandbox").unwrap().is_sandbox());
    assert!(known.settings("nowhere").is_err());
}

#[test]
fn an_address_of_the_command_line_is_a_market_too() {
    let home = Home::new(TWO);
    let flags = Global {
        base_url: Some("https://lab.example".to_owned()),
        ..Global::default()
    };
    let known = home.known(flags, Environment::default(), "custom");
    let markets = known.market_list().markets;
    let names: Vec<_> = markets.iter().map(|market| market.name.as_str()).collect();
    assert_eq!(names, ["sandbox", "vast", "a", "b", "custom"]);
    assert!(!markets[4].is_configurable && markets[2].is_configurable);
    assert_eq!(markets[4].address.as_deref(), Some("https://lab.example"));
    assert_eq!(markets[3].route.as_deref(), Some("https://b-run.example"));
    assert_eq!(known.settings("custom").unwrap().profile, "custom");
}

#[test]
fn an_address_of_the_public_service_has_its_dialect_but_not_its_key() {
    let home = Home::new(TWO);
    let flags = Global {
        base_url: Some("https://console.vast.ai".to_owned()),
        ..Global::default()
    };
    let environment = Environment {
        vast_key: Some(("VAST_API_KEY", KEY.to_owned())),
        ..Environment::default()
    };
    let known = home.known(flags, environment, "custom");
    let settings = known.settings("custom").unwrap();
    assert_eq!(settings.dialect.name, "vast");
    assert_eq!(
        settings.notices,
        ["console.vast.ai is the public service: using the vast dialect, network speeds in Mb/s"]
    );
    assert_eq!(key_of(&known, "custom"), None);
    let markets = known.market_list().markets;
    assert_eq!(markets.last().unwrap().dialect.name, "vast");
    assert!(known.settings("a").unwrap().notices.is_empty());
}

#[test]
fn the_list_names_where_a_key_is_and_why_it_cannot_be_used() {
    let home = Home::new("");
    let open = home.private("open", KEY, 0o644);
    let good = home.private("good", KEY, 0o600);
    let text = format!(
        "{TWO}api_key_file = \"{}\"\n[profiles.c]\nbase_url = \"https://c\"\napi_key_file = \"{}\"\n\
         [profiles.d]\nbase_url = \"https://d\"\napi_key_command = \"false\"\n",
        open.display(),
        good.display()
    );
    fs::write(home.paths.config_file(), text).unwrap();
    let known = home.plain();
    assert_eq!(source(&known, "sandbox"), KeySource::Generated);
    assert_eq!(source(&known, "a"), KeySource::None);
    let KeySource::Unusable(why) = source(&known, "b") else {
        panic!("a file that is open to others");
    };
    assert!(why.contains("chmod 600") && !why.contains("canary"), "{why}");
    let path = good.to_str().unwrap().to_owned();
    assert_eq!(source(&known, "c"), KeySource::File(path));
    assert_eq!(source(&known, "d"), KeySource::Command, "it is not run for that");
    let environment = Environment {
        vast_key: Some(("VAST_API_KEY", KEY.to_owned())),
        ..Environment::default()
    };
    let known = home.known(Global::default(), environment, "sandbox");
    assert_eq!(source(&known, "vast"), KeySource::Variable("VAST_API_KEY"));
    assert_eq!(source(&known, "a"), KeySource::None);
    assert!(!format!("{known:?} {:?}", known.market_list()).contains("canary"));
}

#[test]
fn a_setting_that_is_saved_is_recognized_once_when_the_file_is_reloaded() {
    let home = Home::new("");
    let known = home.plain();
    let reload = || known.recognize_saved(&known.preferences().unwrap().0.config);
    assert!(!reload());
    known.save_rate(WorkUnit::Tokens, "RTX 4090", Some("5000")).unwrap();
    known.choose_theme("light").unwrap();
    assert_eq!([reload(), reload()], [true, false]);
    // An edit of the file after it, before it is reloaded.
    known.choose_theme("dark").unwrap();
    fs::write(home.paths.config_file(), "mouse = false\n").unwrap();
    assert!(!reload());
}

#[test]
fn a_market_that_cannot_be_kept_leaves_no_key() {
    let home = Home::new("theme = 3\n");
    let error = home.plain().change(Change::Add(new("work"))).unwrap_err().to_string();
    assert!(error.contains("config.toml:1:9"), "{error}");
    assert!(!home.paths.key_file("work").exists());
    fs::write(home.paths.config_file(), TWO).unwrap();
    let error = home.plain().change(Change::Add(new("a"))).unwrap_err().to_string();
    assert_eq!(error, "a market named 'a' already exists");
    assert!(!home.paths.key_file("a").exists());
    // Not even a file.
    fs::remove_file(home.paths.config_file()).unwrap();
    fs::create_dir(home.paths.config_file()).unwrap();
    let error = home.plain().change(Change::Add(new("work"))).unwrap_err().to_string();
    assert!(!error.contains("canary"), "{error}");
    assert!(!home.paths.key_file("work").exists());
}

#[test]
fn keys_come_and_go_with_their_files() {
    let home = Home::new(TWO);
    let known = home.plain();
    let file = KeyFrom::File(Secret::new(KEY));
    let key = |name: &str, from: &KeyFrom| Change::Key {
        name: name.to_owned(),
        from: from.clone(),
    };
    assert_eq!(known.change(key("a", &file)).unwrap(), ("a".to_owned(), Done::KeyGiven));
    let kept = home.paths.key_file("a");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&kept), mode(kept.parent().unwrap())), (0o600, 0o700));
    assert_eq!(key_of(&known, "a").as_deref(), Some(KEY));
    let other = KeyFrom::File(Secret::new("other"));
    known.change(key("a", &other)).unwrap();
    assert_eq!(key_of(&known, "a").as_deref(), Some("other"));
    known.change(Change::Forget("a".to_owned())).unwrap();
    assert!(!kept.exists());
    assert_eq!(home.config(), TWO);
    // A file that another market uses, too, stays.
    known.change(key("a", &file)).unwrap();
    let shared = home.config() + "[profiles.b2]\nbase_url = \"https://b2\"\napi_key_file = \"keys/a\"\n";
    fs::write(home.paths.config_file(), shared).unwrap();
    known.change(Change::Forget("a".to_owned())).unwrap();
    assert!(kept.exists());
    home.plain().change(Change::Forget("b2".to_owned())).unwrap();
    assert!(!kept.exists());
    fs::write(home.paths.config_file(), TWO).unwrap();
    // A command takes the file's place.
    known.change(key("a", &file)).unwrap();
    let command = KeyFrom::Command("printf from-command".to_owned());
    known.change(key("a", &command)).unwrap();
    assert!(!kept.exists());
    assert_eq!(key_of(&known, "a").as_deref(), Some("from-command"));
    // A removed market takes its key file along; the others stay as they were.
    let before = home.config();
    let market = NewMarket {
        key: file.clone(),
        ..new("gone")
    };
    known.change(Change::Add(market)).unwrap();
    assert!(home.paths.key_file("gone").exists());
    let removed = known.change(Change::Remove("gone".to_owned())).unwrap();
    assert_eq!(removed, ("gone".to_owned(), Done::Removed));
    assert!(!home.paths.key_file("gone").exists());
    assert_eq!(home.config(), before);
    // And a built-in market gets a section of its own.
    known.change(key("vast", &file)).unwrap();
    assert_eq!(key_of(&known, "vast").as_deref(), Some(KEY));
    assert!(
        home.config()
            .ends_with("\n[profiles.vast]\napi_key_file = \"keys/vast\"\n")
    );
}

#[test]
fn a_key_file_of_the_person_is_replaced_but_never_deleted_and_its_folder_left_alone() {
    let home = Home::new("");
    let path = home.private("mine", "before", 0o600);
    fs::set_permissions(home.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let text = format!(
        "[profiles.a]\nbase_url = \"https://a\"\napi_key_file = \"{}\" # mine\n",
        path.display()
    );
    fs::write(home.paths.config_file(), &text).unwrap();
    let known = home.plain();
    let change = Change::Key {
        name: "a".to_owned(),
        from: KeyFrom::File(Secret::new(KEY)),
    };
    known.change(change).unwrap();
    assert_eq!(key_of(&known, "a").as_deref(), Some(KEY));
    assert_eq!(home.config(), text);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(home.folder.path())), (0o600, 0o755));
    known.change(Change::Forget("a".to_owned())).unwrap();
    assert!(path.exists());
    assert_eq!(key_of(&known, "a"), None);
}
