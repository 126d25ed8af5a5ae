//! The operations of `bourse db`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::retention::TIMES;
use super::{Database, HistoryError, schema};
use crate::{Moment, Question, SearchKey, Spell};

/// The contents of a file, including those of version 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contents {
    pub searches: i64,
    pub polls: i64,
    /// The number of price intervals: times in which an offer asked the same.
    pub prices: i64,
    /// Size of the file in bytes.
    pub size: i64,
    /// The times of the first and the last poll, by the current clock.
    pub span: Option<(Moment, Moment)>,
}

/// A spell with its search, for export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedSpell {
    pub search: SearchKey,
    pub spell: Spell,
}

impl Database {
    /// Checks the whole file of the record for damage; returns the problems found, at most 20 of its
    /// structure and one about rows without the row they belong to; empty if it is sound.
    ///
    /// # Errors
    /// If it cannot be read at all.
    pub fn check(&self) -> Result<Vec<String>, HistoryError> {
        let check = || {
            let mut wrong: Vec<String> = self
                .connection
                .prepare("PRAGMA integrity_check(20)")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            wrong.retain(|line| line != "ok");
            let strays = self
                .connection
                .prepare("PRAGMA foreign_key_check")?
                .query_map([], |row| row.get::<_, String>(0))?
                .count();
            if strays > 0 {
                wrong.push(format!("{strays} rows without the row they belong to"));
            }
            Ok(wrong)
        };
        check().map_err(|error: rusqlite::Error| self.explained(&error))
    }

    /// The contents of the record's file, of all markets: counts of searches, polls and price intervals, its
    /// size, and the times of the first and the last poll.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn contents(&self) -> Result<Contents, HistoryError> {
        let read = || {
            let pragma = |name| {
                self.connection
                    .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            };
            let span: (Option<i64>, Option<i64>) =
                self.connection
                    .query_row(&format!("SELECT min(at), max(at) FROM ({TIMES})"), [], |row| {
                        Ok((row.get(0)?, row.get(1)?))
                    })?;
            let count = |sql| self.connection.query_row(sql, [], |row| row.get(0));
            let markets: Vec<String> = self
                .connection
                .prepare("SELECT name FROM market UNION SELECT market FROM search")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let mut searches = 0;
            for market in markets {
                searches += self.searches(&market)?.len();
            }
            Ok(Contents {
                searches: i64::try_from(searches).unwrap_or(i64::MAX),
                polls: count("SELECT (SELECT count(*) FROM poll) + (SELECT count(*) FROM response)")?,
                prices: count(
                    "SELECT (SELECT count(*) FROM spell) + (SELECT count(*) FROM line) + (SELECT count(*) FROM (
                         SELECT DISTINCT line, until FROM change WHERE field IN (SELECT id FROM field
                         WHERE name IN ('dph_base', 'min_bid', 'discounted_dph_total', 'storage_cost'))))",
                )?,
                size: pragma("page_count")? * pragma("page_size")?,
                span: span.0.zip(span.1).map(|(first, last)| (Moment(first), Moment(last))),
            })
        };
        read().map_err(|error: rusqlite::Error| self.explained(&error))
    }

    /// Deletes everything of the record beyond its limits on age and size, and rewrites the file without its
    /// free space.
    ///
    /// # Errors
    /// If the disk has no room for a second copy, or another program writes.
    pub fn vacuum(&mut self, now: Moment) -> Result<(), HistoryError> {
        self.sweep(now)?;
        self.connection
            .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
            .map_err(|error| self.explained(&error))
    }

    /// Moves the record's file at `path` aside, with its write-ahead log, to the same name with `.DATE`
    /// appended, or the first free one of `.DATE-2` to `.DATE-999`. Returns the new path; `None` if there is
    /// no file.
    ///
    /// # Errors
    /// If it cannot be renamed, or all these names are taken.
    pub fn set_aside(path: &Path, date: &str) -> std::io::Result<Option<PathBuf>> {
        if !path.exists() {
            return Ok(None);
        }
        let named = |end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        let aside = (1..1000)
            .map(|number| match number {
                1 => format!(".{date}"),
                _ => format!(".{date}-{number}"),
            })
            .find(|end| !named(end).exists())
            .ok_or_else(|| std::io::Error::other("too many files of that date"))?;
        std::fs::rename(path, named(&aside))?;
        // A log without its database would be applied to the next one.
        for log in ["-wal", "-shm"] {
            let beside = named(log);
            if beside.exists() {
                std::fs::rename(beside, named(&format!("{aside}{log}")))?;
            }
        }
        Ok(Some(named(&aside)))
    }

    /// Calls `each` with every spell of every search of the market: search by search, those of each in the
    /// order of their beginning.
    ///
    /// # Errors
    /// If the database cannot be read, or `each` returns an error.
    pub fn export<E: From<HistoryError>>(
        &self,
        mut each: impl FnMut(&ExportedSpell) -> Result<(), E>,
    ) -> Result<(), E> {
        let searches = self.searches(&self.market).map_err(|error| self.explained(&error))?;
        for query in searches {
            let search = SearchKey::new(&query);
            let excerpt = self.excerpt(&Question {
                query,
                since: Moment(i64::MIN),
                until: Moment(i64::MAX),
            })?;
            for spell in excerpt.spells {
                let search = search.clone();
                each(&ExportedSpell { search, spell })?;
            }
        }
        Ok(())
    }
}

/// Migrates the files that `bourse db reset` moved aside: earlier versions stored responses in them. Unreadable ones
/// are not changed.
pub(super) fn clean_aside(path: &Path) {
    let Some((folder, name)) = path.parent().zip(path.file_name().and_then(OsStr::to_str)) else {
        return;
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let date = file
            .to_str()
            .and_then(|file| file.strip_prefix(name)?.strip_prefix('.'));
        let is_dated = |date: &str| date.starts_with(|first: char| first.is_ascii_digit());
        if date.is_some_and(|date| is_dated(date) && !date.ends_with("-wal") && !date.ends_with("-shm")) {
            let connection = super::connect(&entry.path()).ok().and_then(Result::ok);
            connection.map(|mut connection| schema::prepare(&mut connection).ok());
        }
    }
}
