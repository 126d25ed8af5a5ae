//! What a person changed in the embedded sandbox, one file of each kind for each market (seed).
//! Programs that run at the same time share it: each reads it under a lock, makes its change and
//! writes it back.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::paths::Paths;
use super::state_file;
use crate::domain::workergroup::MadeGroups;

/// The content of a file.
pub trait Content: Default + Serialize + DeserializeOwned {
    /// The beginning of the file's name.
    const NAME: &'static str;
}

impl Content for MadeGroups {
    const NAME: &'static str = "sandbox-groups";
}

/// The ids of unlisted volumes.
impl Content for BTreeSet<u64> {
    const NAME: &'static str = "sandbox-unlisted";
}

/// The file of a profile and seed.
#[derive(Debug, Clone)]
pub struct SandboxFile<T> {
    path: PathBuf,
    content: PhantomData<fn() -> T>,
}

impl<T: Content> SandboxFile<T> {
    /// The file, its content, and a notice for the person. `None` instead of the file if it must
    /// not be written.
    pub fn open(paths: &Paths, profile: &str, seed: u64) -> (Option<Self>, T, Option<String>) {
        let name = format!("{}-{seed}.json", T::NAME);
        let path = paths.profile_state(profile).join(name);
        let read = state_file::read::<T>(&path);
        let file = read.blocked.is_none().then_some(Self {
            path,
            content: PhantomData,
        });
        (file, read.content.unwrap_or_default(), read.notice)
    }

    /// Applies a change to the current content of the file, and gives its result.
    ///
    /// # Errors
    ///
    /// When it cannot be read or written: the reason for display.
    pub fn change<R: Default>(&self, apply: impl FnOnce(&mut T) -> R) -> Result<R, String> {
        let mut result = R::default();
        state_file::change(&self.path, |stored: Option<T>| {
            let mut content = stored.unwrap_or_default();
            result = apply(&mut content);
            content
        })?;
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::workergroup::{GroupChange, MadeGroup};

    fn group(id: u64, created_at: &str) -> MadeGroup {
        MadeGroup {
            id,
            created_at: created_at.to_owned(),
            endpoint_name: "chat".to_owned(),
            endpoint_id: 9,
            template_hash: None,
            template_id: Some(3),
            search_query: "num_gpus=1".to_owned(),
            launch_args: String::new(),
            min_load: 1.0,
            target_util: 0.9,
            cold_mult: 3.0,
            test_workers: 3,
            max_workers: 20,
            gpu_ram: 24.0,
        }
    }

    #[test]
    fn groups_of_two_programs_come_back_for_their_seed() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let open = |seed| SandboxFile::<MadeGroups>::open(&paths, "sandbox", seed);
        let (first_program, none, notice) = open(1);
        assert_eq!((none, notice), (MadeGroups::default(), None));
        let (first_program, second_program) = (first_program.unwrap(), open(1).0.unwrap());
        // Both sandboxes assigned the same id.
        let (first, mut second) = (group(4210, "2026-01-01T00:00:00Z"), group(4210, "2026-01-02T00:00:00Z"));
        first_program
            .change(|groups| groups.apply(GroupChange::Put(first.clone())))
            .unwrap();
        second_program
            .change(|groups| groups.apply(GroupChange::Put(second.clone())))
            .unwrap();
        second.max_workers = 5;
        second_program
            .change(|groups| groups.apply(GroupChange::Put(second.clone())))
            .unwrap();
        assert_eq!(open(1).1.0, [first.clone(), second.clone()]);
        first_program
            .change(|groups| groups.apply(GroupChange::Deleted(first)))
            .unwrap();
        assert_eq!(open(1).1.0, [second]);
        assert_eq!(open(2).1, MadeGroups::default());
    }

    #[test]
    fn a_newer_file_is_left_as_it_is() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let folder = paths.profile_state("sandbox");
        std::fs::create_dir_all(&folder).unwrap();
        let newer = r#"{"version":2,"kept":"unlike today's"}"#;
        std::fs::write(folder.join("sandbox-groups-1.json"), newer).unwrap();
        let (file, groups, notice) = SandboxFile::<MadeGroups>::open(&paths, "sandbox", 1);
        assert!(file.is_none() && groups.0.is_empty());
        assert!(notice.unwrap().contains("newer"));
    }
}
