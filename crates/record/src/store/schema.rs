//! The tables and their versions.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use bourse_domain::Resource;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::HistoryError;
use super::retention::RECORDS;
use crate::attributes;

/// The application id in the header of the file, "brse", so that no other program's database is mistaken for it.
const APPLICATION: i32 = 0x6272_7365;

/// The migrations from each version to the next. Released steps never change: files of every version exist.
///
/// Version 0.1 wrote `search`, `poll`, `lot` and `spell`, and a copy of closed spells in `block`: they are read as
/// evidence of its time. A spell without an ending is on offer; its `last` is the search's last usable poll, unless the
/// column names an earlier one that saw it last.
///
/// Of the tables of version 10, `line` has the latest state of a line: a column for each attribute is added by
/// [`complete`], when the catalog has a new one. The value of a field at a time is that of the `change` with the
/// smallest `until` after it, else that of the line. A member without an ending was on offer in the last usable
/// response to its scope, unless `last` names an earlier one that saw it last.
const STEPS: [&str; 11] = [
    "CREATE TABLE search (
        id INTEGER PRIMARY KEY,
        market TEXT NOT NULL,
        resource INTEGER NOT NULL,
        offer_type INTEGER NOT NULL,
        conditions TEXT NOT NULL,
        UNIQUE (market, resource, offer_type, conditions)
    );
    CREATE TABLE poll (
        search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        took INTEGER NOT NULL,
        outcome INTEGER NOT NULL,
        found INTEGER NOT NULL,
        every INTEGER,
        PRIMARY KEY (search, at)
    ) WITHOUT ROWID;
    CREATE TABLE lot (
        id INTEGER PRIMARY KEY,
        machine INTEGER NOT NULL,
        model TEXT NOT NULL,
        host INTEGER,
        UNIQUE (machine, model)
    );
    CREATE INDEX lot_model ON lot (model);
    CREATE TABLE spell (
        id INTEGER PRIMARY KEY,
        search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
        lot INTEGER NOT NULL REFERENCES lot (id),
        amount INTEGER NOT NULL,
        price REAL NOT NULL,
        offer INTEGER NOT NULL,
        beginning INTEGER NOT NULL,
        was REAL,
        first INTEGER NOT NULL,
        last INTEGER,
        ending INTEGER,
        ended INTEGER
    );
    CREATE UNIQUE INDEX spell_open ON spell (search, lot) WHERE ending IS NULL;
    CREATE INDEX spell_closed ON spell (search, ended, first, lot, amount, price, offer, beginning,
        was, last, ending) WHERE ending IS NOT NULL;
    CREATE INDEX spell_lot ON spell (lot, search);",
    "CREATE TABLE lease (
        search INTEGER PRIMARY KEY REFERENCES search (id) ON DELETE CASCADE,
        holder TEXT NOT NULL,
        until INTEGER NOT NULL
    );",
    "ALTER TABLE poll ADD COLUMN bans INTEGER NOT NULL DEFAULT 0;",
    "ALTER TABLE search ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
    DROP INDEX spell_closed;
    CREATE INDEX spell_ended ON spell (search, ended) WHERE ending IS NOT NULL;
    CREATE TABLE block (
        search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
        since INTEGER NOT NULL,
        until INTEGER NOT NULL,
        spells BLOB NOT NULL,
        UNIQUE (search, until)
    );
    CREATE TABLE ring (
        alert TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        at INTEGER NOT NULL
    ) WITHOUT ROWID;",
    "CREATE TABLE turn (
        market TEXT NOT NULL,
        request TEXT NOT NULL,
        holder TEXT NOT NULL,
        until INTEGER NOT NULL,
        every INTEGER NOT NULL,
        wanted INTEGER NOT NULL DEFAULT 0,
        at REAL,
        body TEXT,
        PRIMARY KEY (market, request)
    );",
    "DROP TABLE lease;
    DROP TABLE turn;",
    // Only marks the file as cleaned.
    "",
    // Quotes instead of one price that includes storage, see `codes::quotes_of`; spells that have none keep
    // theirs. Blocks are written again. Prices of volumes include nothing: complete polls of them have
    // the lowest.
    "ALTER TABLE spell ADD COLUMN quotes BLOB;
    ALTER TABLE poll ADD COLUMN has_lowest INTEGER NOT NULL DEFAULT 0;
    UPDATE poll SET has_lowest = 1
        WHERE outcome = 0 AND search IN (SELECT id FROM search WHERE resource = 1);
    DELETE FROM block;",
    "ALTER TABLE lot ADD COLUMN country TEXT;",
    "CREATE TABLE market (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE scope (
        id INTEGER PRIMARY KEY,
        market INTEGER NOT NULL REFERENCES market (id),
        resource INTEGER NOT NULL,
        offer_type INTEGER NOT NULL,
        storage REAL NOT NULL,
        bundled INTEGER NOT NULL,
        conditions TEXT NOT NULL,
        excluded TEXT NOT NULL,
        ahead INTEGER NOT NULL DEFAULT 0,
        UNIQUE (market, resource, offer_type, storage, bundled, conditions, excluded)
    );
    CREATE TABLE response (
        scope INTEGER NOT NULL REFERENCES scope (id) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        took INTEGER NOT NULL,
        proof INTEGER NOT NULL,
        below REAL,
        rows INTEGER NOT NULL,
        every INTEGER,
        PRIMARY KEY (scope, at)
    ) WITHOUT ROWID;
    CREATE TABLE line (
        id INTEGER PRIMARY KEY,
        market INTEGER NOT NULL REFERENCES market (id),
        resource INTEGER NOT NULL,
        offer_type INTEGER NOT NULL,
        machine INTEGER NOT NULL,
        model TEXT NOT NULL,
        memory INTEGER NOT NULL,
        gpus INTEGER NOT NULL,
        seen INTEGER NOT NULL,
        offer INTEGER NOT NULL,
        offers INTEGER NOT NULL,
        gpu_mask INTEGER,
        UNIQUE (market, resource, offer_type, machine, model, memory, gpus)
    );
    CREATE INDEX line_model ON line (market, resource, offer_type, model);
    CREATE TABLE field (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    INSERT INTO field (name) VALUES ('offers'), ('gpu_mask');
    CREATE TABLE change (
        line INTEGER NOT NULL REFERENCES line (id) ON DELETE CASCADE,
        until INTEGER NOT NULL,
        field INTEGER NOT NULL REFERENCES field (id),
        value,
        PRIMARY KEY (line, until, field)
    ) WITHOUT ROWID;
    CREATE TABLE member (
        scope INTEGER NOT NULL REFERENCES scope (id) ON DELETE CASCADE,
        line INTEGER NOT NULL REFERENCES line (id) ON DELETE CASCADE,
        first INTEGER NOT NULL,
        beginning INTEGER NOT NULL,
        last INTEGER,
        ended INTEGER,
        ending INTEGER,
        PRIMARY KEY (line, scope, first)
    ) WITHOUT ROWID;
    CREATE INDEX member_ended ON member (scope, ended);",
    // The tables of version 9 are no longer written. Builds of version 10 wrote each response there, too: it is
    // counted once. Blocks were a copy; a program of version 0.1 that still runs may write more of them.
    "DELETE FROM block;
    CREATE TEMP TABLE begun AS
        SELECT name, min(at - ahead) AS at FROM response JOIN scope ON scope.id = scope
        JOIN market ON market.id = market GROUP BY name;
    DELETE FROM poll WHERE at >=
        (SELECT begun.at + ahead FROM search JOIN begun ON name = market WHERE search.id = search);
    DELETE FROM spell WHERE first >=
        (SELECT begun.at + ahead FROM search JOIN begun ON name = market WHERE search.id = search);
    DELETE FROM search WHERE id NOT IN (SELECT search FROM poll);
    DROP TABLE begun;",
];

/// Views for other programs, see docs/history.md; created with version 10. A view with another meaning gets another
/// name.
const VIEWS: &str = include_str!("views.sql");

/// The versions that stored responses of the market, in a table or in the free pages that it left.
///
/// The text of a response can contain anything.
const WITH_RESPONSES: [usize; 2] = [5, 6];

/// The latest plausible time, in seconds since 1970: the year 11970.
///
/// Sums of such times stay far from the ends of the integers, and no loop over days runs forever.
const LATEST: i64 = 10_000 * 365 * 86_400;

/// The maximum number of attempts while another program creates the file.
///
/// `SQLite` does not wait before it switches to a write-ahead log: of two programs that started at once one recorded
/// nothing. Creating the file takes milliseconds.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// The reason a file at a path cannot be used, as a function of the path.
type Unusable = fn(String) -> HistoryError;

/// Sets up a connection and migrates the tables to the current version; returns the reason if that is impossible.
///
/// A file of a later version, or of another program, is not changed.
pub(super) fn prepare(connection: &mut Connection) -> rusqlite::Result<Option<Unusable>> {
    // Before the file is read, which fails with an unreadable log beside it.
    if connection.is_readonly("main")? {
        return Ok(Some(|path| HistoryError::ReadOnly { path }));
    }
    // Triggers that somebody added to the file must not run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // Otherwise a statement with a bound range is compiled again for every line: a third of a question's time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let Some(version) = version_if_ours(connection)? else {
        return Ok(Some(|path| HistoryError::Foreign { path }));
    };
    if version > STEPS.len() {
        return Ok(Some(|path| HistoryError::Newer { path }));
    }
    if version == 0 {
        // Only before the first table: it decides on the layout of pages.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    log_ahead(connection)?;
    // With a write-ahead log a power cut may lose the last polls, but never corrupts.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The file may have been edited or damaged: SQLite checks what it reads, and runs no functions named in it.
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // Deleted text would stay in free pages; overwriting it costs less than a tenth of a poll's time.
    connection.pragma_update(None, "secure_delete", true)?;
    if WITH_RESPONSES.contains(&version) {
        clean(connection)?;
    }
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Memory held for as long as the program runs: it grows to its limit, regardless of the size of a poll.
    connection.pragma_update(None, "cache_size", -8_000)?;
    // A long migration leaves a log of its size, which SQLite would keep.
    connection.pragma_update(None, "journal_size_limit", 4 * 1024 * 1024)?;
    if version < STEPS.len() {
        migrate(connection, STEPS.len())?;
    }
    complete(connection)?;
    // Damage that prevents this check is reported by the query that needs the data.
    Ok(if is_plausible(connection).unwrap_or(true) {
        None
    } else {
        Some(|path| HistoryError::Corrupt { path })
    })
}

/// The version of the tables, 0 of an empty file; `None` if they are another program's.
fn version_if_ours(connection: &Connection) -> rusqlite::Result<Option<usize>> {
    // One moment of the file: another program may create it.
    let transaction = connection.unchecked_transaction()?;
    let version = version(&transaction)?;
    let application: i32 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let is_empty = || {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)";
        transaction.query_row(sql, [], |row| row.get(0))
    };
    Ok((application == APPLICATION || (application == 0 && version == 0 && is_empty()?)).then_some(version))
}

/// Whether all times in the file are between the years -8000 and 11970. Computations with damaged ones might
/// never end.
fn is_plausible(connection: &Connection) -> rusqlite::Result<bool> {
    for [of, times, responses] in RECORDS {
        let is_plausible: bool = connection.query_row(
            &format!(
                "SELECT NOT EXISTS (SELECT 1 FROM {of} WHERE ahead NOT BETWEEN 0 AND ?1
                OR (SELECT min(at) FROM {responses} WHERE {of} = {of}.id) < -?1
                OR (SELECT max(at) FROM {responses} WHERE {of} = {of}.id) > ?1
                OR (SELECT min(ended) FROM {times} WHERE {of} = {of}.id AND ended IS NOT NULL AND ending IS NOT NULL) < -?1
                OR (SELECT max(ended) FROM {times} WHERE {of} = {of}.id AND ended IS NOT NULL AND ending IS NOT NULL) > ?1)"
            ),
            [LATEST],
            |row| row.get(0),
        )?;
        if !is_plausible {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Switches to a write-ahead log, and tries again for a second while the file is busy.
///
/// If programs create a file at the same moment, `SQLite` refuses this to all but one of them at once,
/// whatever the busy timeout is.
fn log_ahead(connection: &Connection) -> rusqlite::Result<()> {
    for _ in 0..TRIES {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                thread::sleep(PAUSE);
            }
            result => return result,
        }
    }
    connection.pragma_update(None, "journal_mode", "WAL")
}

/// Removes responses that earlier versions stored, which deleting left in free pages and the log.
///
/// The version is set once it is done, so that it is retried after a crash.
fn clean(connection: &mut Connection) -> rusqlite::Result<()> {
    migrate(connection, WITH_RESPONSES[1])?;
    connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
}

/// Adds the columns and names of attributes that an earlier version of the catalog lacked, and the views, which name
/// some of them.
fn complete(connection: &mut Connection) -> rusqlite::Result<()> {
    if missing(connection)?.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have added them meanwhile.
    transaction.execute_batch(VIEWS)?;
    for name in missing(&transaction)? {
        transaction.execute_batch(&format!("ALTER TABLE line ADD COLUMN \"{name}\""))?;
        transaction.execute("INSERT OR IGNORE INTO field (name) VALUES (?1)", [name])?;
    }
    transaction.commit()
}

/// The keys of recorded attributes for which the table of lines has no column.
fn missing(connection: &Connection) -> rusqlite::Result<BTreeSet<&'static str>> {
    let columns: BTreeSet<String> = connection
        .prepare("SELECT name FROM pragma_table_info('line')")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let attributes = Resource::ALL.into_iter().flat_map(attributes);
    let names = attributes.map(|attribute| attribute.field.key);
    Ok(names.filter(|name| !columns.contains(*name)).collect())
}

/// The version of the tables; 0 of an empty file, and the largest number for a negative one, which is not
/// bourse's.
fn version(connection: &Connection) -> rusqlite::Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // A negative version is not ours.
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// Runs the migration steps up to version `until` in one transaction; only sets the ids in the header if the
/// file is of that version already.
fn migrate(connection: &mut Connection, until: usize) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another program may have migrated it meanwhile.
    let version = version(&transaction)?;
    for step in STEPS.iter().take(until).skip(version) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    let reached = i64::try_from(until.max(version)).unwrap_or(i64::MAX);
    transaction.pragma_update(None, "user_version", reached)?;
    transaction.commit()
}
