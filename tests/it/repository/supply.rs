//! Every dependency comes from crates.io with a checksum. Licences and advisories need
//! cargo-deny: `tests/supply/check`.

use std::fs;
use std::path::Path;

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The packages of this repository.
const MEMBERS: [&str; 7] = [
    "bourse",
    "bourse-client",
    "bourse-domain",
    "bourse-record",
    "bourse-sandbox",
    "bourse-tui",
    "benches",
];

/// The entries of a lock file that come from elsewhere, or without a checksum.
fn strangers(lock: &str) -> Vec<String> {
    let packages = lock.split("[[package]]").skip(1);
    let value = |package: &str, key: &str| {
        let line = package.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split('"').nth(1)).map(str::to_owned)
    };
    let named = packages.map(|package| {
        let source = value(package, "source = ");
        let is_sealed = value(package, "checksum = ").is_some();
        let name = value(package, "name = ").unwrap_or_default();
        (name, source, is_sealed)
    });
    named
        .filter(|(name, source, is_sealed)| {
            !MEMBERS.contains(&name.as_str()) && (source.as_deref() != Some(REGISTRY) || !is_sealed)
        })
        .map(|(name, ..)| name)
        .collect()
}

#[test]
fn every_dependency_comes_from_the_registry_with_a_checksum() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock = fs::read_to_string(path).expect("Cargo.lock");
    assert!(lock.matches("[[package]]").count() > 100);
    assert_eq!(strangers(&lock), Vec::<String>::new());
}

#[test]
fn a_dependency_from_git_would_be_found() {
    let lock = "[[package]]\nname = \"odd\"\nsource = \"git+https://example.org/odd\"\n\n\
                [[package]]\nname = \"unsealed\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
    assert_eq!(strangers(lock), ["odd", "unsealed"]);
}

/// `cargo mutants` takes a glob without a file for one without a mistake.
#[test]
fn files_of_mutants_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(".cargo/mutants.toml")).expect("mutants.toml");
    let settings: toml::Table = text.parse().expect("TOML");
    let globs = settings["examine_globs"].as_array().expect("globs");
    let missing = globs.iter().filter_map(toml::Value::as_str).filter(|glob| {
        let path = glob.strip_suffix("/*.rs").unwrap_or(glob);
        !root.join(path).exists()
    });
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
    assert!(globs.len() > 10);
}
