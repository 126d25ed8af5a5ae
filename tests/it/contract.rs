//! The contract with scripts as tables: `docs/scripting.md` and the man page print them, and tests hold every command
//! to them.

/// The exit statuses of every command, with their meaning.
#[rustfmt::skip] // a table reads as a table
pub const STATUSES: [(&str, &str); 6] = [
    ("0", "Done, also with nothing found."),
    ("1", "Failed, or refused by the market."),
    (
        "2",
        "Wrong usage or configuration, an option of the sandbox on a live market, or no terminal for the dashboard.",
    ),
    ("3", "The outcome of a write is unknown: the response was lost."),
    (
        "4",
        "A stated condition is not met: no offer for `pick`, no plan for `plan`, `watch --if`, `route --require`, \
         `offers --all` with offers missing, and `--fail-empty`.",
    ),
    ("128+n", "Signal n ended the dashboard."),
];

/// The environment variables that bourse reads, with their meaning.
#[rustfmt::skip] // a table reads as a table
pub const VARIABLES: [(&str, &str); 9] = [
    ("BOURSE_CONFIG", "The configuration file, unless `--config` names one."),
    ("BOURSE_PROFILE", "The profile, unless `--profile` names one."),
    ("BOURSE_API_KEY", "The API key for any market except the sandbox."),
    (
        "VAST_API_KEY",
        "The API key of the profile `vast`, if neither `BOURSE_API_KEY` nor the profile has one.",
    ),
    ("VASTAI_API_KEY", "The same, after `VAST_API_KEY`."),
    ("BOURSE_LOG", "`debug` writes a log without keys to the state folder."),
    ("NO_COLOR", "With any value no colours, as `--color never`."),
    ("XDG_CONFIG_HOME, XDG_STATE_HOME", "The folders of the configuration and of the state."),
    (
        "COLORTERM, TERM, LC_ALL, LC_CTYPE, LANG",
        "The colours and characters that the terminal supports.",
    ),
];

/// The documents of `--json`: the kind, the command that prints it, and its members after `v` and
/// `kind`.
#[rustfmt::skip] // a table reads as a table
pub const DOCUMENTS: [(&str, &str, &str); 23] = [
    ("offers", "bourse offers", "`offers`: the records as received, `matches`, `complete`; with a job `job` and `bills`, with computed columns `computed`"),
    ("volumes", "bourse volumes", "`offers`: the records as received, `matches`, `complete`"),
    ("groups", "bourse groups", "`results`: the records as received, keys hidden, `matches`, `complete`"),
    ("supply", "bourse groups supply", "`groups`: each with its search, supply, cost and cold starts"),
    ("market", "bourse market", "`query`, `unit`, `complete`, `groups`"),
    ("depth", "bourse depth", "`query`, `unit`, `complete`, `gpus`, `asked`, `sizes`, `steps`"),
    ("plan", "bourse plan", "`query`, `unit`, `complete`, `plan` or `null`, `runner_up`, `binding`, `curve`"),
    ("pick", "bourse pick --json", "without an offer `offer`, which is `null`; else the record as received, with a member `bourse`"),
    ("history", "bourse history", "`conditions`, `unit`, `now`, `record_low`, `verdict`, `series`"),
    ("price-index", "bourse history --index", "`conditions`, `unit`, `figures`"),
    ("bids", "bourse bids", "`conditions`, `type`, `figures`"),
    ("change", "bourse watch", "a line each: `at`, `event`, and the members of the event"),
    ("watch-list", "bourse watch --saved --list", "`searches`, `requests_per_minute`"),
    ("price", "bourse db export", "a line each: the search, the machine, `price`, `first`, `last`, `end`"),
    ("db-check", "bourse db check", "`file`, `searches`, `polls`, `prices`, `bytes`, `first`, `last`"),
    ("db-vacuum", "bourse db vacuum", "`file`, `bytes_before`, `bytes`"),
    ("db-reset", "bourse db reset", "`file`, `moved_to` or `null`"),
    ("market-added", "bourse markets add", "`market`, `address`, `dialect`"),
    ("market-check", "bourse markets check", "`market`, `address`, `dialect`, `kinds`"),
    ("writes", "bourse writes check", "`entries`"),
    ("request", "bourse groups create --dry-run, bourse unlist --dry-run", "`method`, `url`, `body`"),
    ("route", "bourse route", "`replies` as received, `summary`"),
    ("sandbox", "bourse sandbox", "one line: `address`, `api_key`"),
];

/// The documents about bourse itself, in the same form.
#[rustfmt::skip] // a table reads as a table
pub const OWN_DOCUMENTS: [(&str, &str, &str); 3] = [
    ("config", "bourse config show", "`settings`: each with `value` and `from`"),
    ("config-check", "bourse config check", "`file`, `exists`, `mistakes`"),
    ("paths", "bourse paths", "`paths`: each with `name`, `path`, `exists`"),
];
