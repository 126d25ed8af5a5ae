//! The files of a folder, while programs may still write them; and documents in their files.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bourse::domain::document::{Document, Edit};
use bourse::domain::secrets::Known;
use bourse::store::{StateFileError, StateStore};

/// Replaces a document in its file.
pub fn replace<T: Document>(store: &StateStore, document: T) -> Result<T, StateFileError> {
    store.save(&Edit::Replace(document), &Known::default())
}

/// Every file below a folder with its content. One that is renamed or removed meanwhile, as the temporary files of a
/// running program are, is left out.
pub fn below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(below(&path));
            continue;
        }
        match fs::read(&path) {
            Ok(content) => {
                found.insert(path, content);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
    found
}

/// Every file below a folder with its text, invalid UTF-8 replaced.
pub fn texts_below(folder: &Path) -> Vec<(String, String)> {
    let text = |(path, content): (PathBuf, Vec<u8>)| {
        (
            path.display().to_string(),
            String::from_utf8_lossy(&content).into_owned(),
        )
    };
    below(folder).into_iter().map(text).collect()
}
