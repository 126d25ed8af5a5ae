//! The default key bindings, in one table.
//!
//! Its rows define the keys, the footer's hints, the help screen, the command palette and
//! docs/keys.md. Actions are generic verbs; the view with the keyboard decides what a verb means
//! there.

use super::pane::Pane;
use crate::tui::Motion;

/// A context in which keys are looked up: those of the focused view first, then the shared ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// A pane with a table of records.
    Table,
    /// The query bar of a table, while editing; [`Context::Query`] follows.
    TableQuery,
    /// A search line, while editing.
    Query,
    /// A list with a search line: help, palette, choices.
    List,
    Form,
    /// A form whose result may be higher than its panel: it scrolls while a field has the focus.
    Result,
    /// The planner of clusters, on fields that take no letters.
    Planner,
    /// A dialog that asks for confirmation.
    Dialog,
    /// The outcome of a write, over the pane whose keys work through it.
    Outcome,
    /// A chart or comparison: the arrows move the selection.
    Chart,
    /// A chart of prices over time, with a cursor that reads out its values; [`Context::Chart`] follows.
    PriceChart,
    RouteLab,
    /// A list whose lines are switched, moved and removed.
    ListEdit,
    /// A line or field without text: Space checks, toggles or presses it.
    Choice,
    /// The table and the detail view of workergroups.
    Workergroups,
    /// A report to read and scroll.
    Report,
    Editor,
    /// A list with adding and removing, without a search line.
    Items,
    Tabs,
    /// Everywhere except where text is typed: moving and opening other views.
    Global,
    /// Everywhere, even where text is typed.
    Always,
}

impl Context {
    /// Whether letters are typed as text in this context.
    pub const fn takes_text(self) -> bool {
        matches!(
            self,
            Self::TableQuery | Self::Query | Self::List | Self::Form | Self::Editor
        )
    }

    /// The heading of the context in the help screen.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Table => "Tables",
            Self::TableQuery => "Query bar",
            Self::Query => "Search lines",
            Self::List => "Lists with a search line",
            Self::Form => "Forms",
            Self::Result => "Forms with a long result",
            Self::Planner => "Cluster planner",
            Self::Dialog => "Questions",
            Self::Outcome => "Outcomes of writes",
            Self::Chart => "Charts and comparisons",
            Self::PriceChart => "Price charts",
            Self::RouteLab => "Route lab",
            Self::ListEdit => "Lists that are edited",
            Self::Choice => "Choices, switches and buttons",
            Self::Workergroups => "Workergroups",
            Self::Report => "Reports",
            Self::Editor => "Text editor",
            Self::Items => "Markets, themes and alerts",
            Self::Tabs => "Tabs",
            Self::Global => "Everywhere",
            Self::Always => "Even while typing",
        }
    }
}

/// The subject of a star or a note, named by a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The machine, or the host of a row that names no machine.
    Machine,
    Host,
}

/// One place toward the start or the end of an order, as of columns or lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    Back,
    Forward,
}

/// A side of a split screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    Table,
    Preview,
}

/// Defines the actions by group, and lists all of them, so that a test can find those without a
/// row.
macro_rules! actions {
    ($($group:ident { $($name:ident,)* })*) => {
        /// The groups of actions: the headings of the palette before anything is typed, in its
        /// order.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Group {
            $($group,)*
        }

        impl Group {
            pub const ALL: &[Self] = &[$(Self::$group,)*];

            /// The heading in the palette: the name of the group.
            pub const fn title(self) -> &'static str {
                match self {
                    $(Self::$group => stringify!($group),)*
                }
            }
        }

        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Action {
            $($($name,)*)*
            Move(Motion),
            Pane(Pane),
            Star(Subject),
            Note(Subject),
            /// Sorts by the column beside the current one, or moves a line of an edited list.
            Shift(Step),
            Widen(Side),
            /// Connects to the market at this index of the list; the palette generates its rows.
            Market(u16),
            /// Runs the user's command at this index of the configuration on the selected row.
            Command(u16),
        }

        impl Action {
            /// All actions without a value.
            pub const ALL: &[Self] = &[
                $($(Self::$name,)*)*
            ];

            /// The heading under which the palette lists the action.
            pub const fn group(self) -> Group {
                match self {
                    $($(Self::$name)|* => Group::$group,)*
                    Self::Shift(_) => Group::Find,
                    Self::Star(_) | Self::Note(_) => Group::Save,
                    Self::Market(_) => Group::Connect,
                    Self::Command(_) => Group::Build,
                    Self::Move(_) | Self::Pane(_) | Self::Widen(_) => Group::Look,
                }
            }
        }
    };
}

actions! {
    Find {
        Open,
        Pick,
        LoadAll,
        Query,
        Sort,
        Refresh,
        Submit,
        Complete,
        Older,
        Newer,
        OfferType,
        SavedSearches,
        Funnel,
        Host,
        Filter,
        Settings,
        Reverse,
        Reset,
        Recall,
        ShowBanned,
        StarredOnly,
    }
    Price {
        ThreePrices,
        Watch,
        WatchSettings,
        Tape,
        History,
        Job,
        ForgetJob,
        Alerts,
        Bids,
        PriceIndex,
    }
    Compare {
        Mark,
        Unmark,
        MarkedOnly,
        Compare,
        Differences,
        Summary,
        Depth,
        Cluster,
        Plot,
        Related,
    }
    Save {
        Copy,
        Export,
        SaveSearch,
        Undo,
        Redo,
        Ban,
        Annotations,
    }
    Build {
        Toggle,
        Remove,
        Yes,
        Unlist,
        New,
        Edit,
        NewGroup,
        CloneGroup,
        GroupFromSearch,
        Preflight,
        CheckSupply,
        Resolve,
    }
    Test {
        RouteLab,
        Run,
        OpenRequest,
    }
    Connect {
        EditConfig,
        ReloadConfig,
        Markets,
        ForgetLimits,
    }
    Look {
        Quit,
        QuitNow,
        Suspend,
        Redraw,
        Help,
        Palette,
        Notices,
        Theme,
        NextPane,
        PreviousPane,
        NextTab,
        PreviousTab,
        Left,
        Right,
        Back,
        Columns,
        FoldPreview,
        Secrets,
    }
}

/// The views whose footer shows the hint of an action, if its key works there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintPlace {
    Everywhere,
    /// Views with the keys of a table.
    Tables,
    /// Panes without a view open over them.
    Panes,
}

/// A row of the key table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    pub context: Context,
    /// The keys; the first one is shown.
    pub keys: &'static [&'static str],
    pub action: Action,
    /// The short name in the palette and in the configuration.
    pub name: &'static str,
    /// A sentence for the help screen.
    pub help: &'static str,
    /// Other words that people look it up by.
    pub words: &'static [&'static str],
    /// The word in the footer and its rank there (small ranks stay longest), if it is shown there.
    pub hint: Option<(&'static str, u8)>,
    /// Where the hint is shown.
    pub hint_place: HintPlace,
    /// Whether it has a meaning on Offers only.
    pub is_of_offers: bool,
}

/// A row of the key table, without other words and hint.
const fn row(
    context: Context,
    keys: &'static [&'static str],
    action: Action,
    name: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        context,
        keys,
        action,
        name,
        help,
        words: &[],
        hint: None,
        hint_place: HintPlace::Everywhere,
        is_of_offers: false,
    }
}

impl Binding {
    /// Whether it moves the cursor or goes back in any view, a key that nobody looks up by name.
    pub fn moves(&self) -> bool {
        let moves = matches!(self.action, Action::Move(_) | Action::Back);
        self.context == Context::Global && moves
    }

    /// Shows `word` in the footer; hints with a smaller `rank` are shown first.
    const fn hint(mut self, word: &'static str, rank: u8) -> Self {
        self.hint = Some((word, rank));
        self
    }

    /// Shows the hint only in views with the keys of a table, where the row is visible that the action is
    /// about.
    const fn about_row(mut self) -> Self {
        self.hint_place = HintPlace::Tables;
        self
    }

    /// Shows the hint only in panes: the action leads away from a view that is open over one.
    const fn in_panes(mut self) -> Self {
        self.hint_place = HintPlace::Panes;
        self
    }

    /// Adds other words that people look it up by.
    const fn also(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    /// All that it is found by besides its sentence: its name in the configuration, then other words.
    pub fn names(&self) -> Vec<&'static str> {
        std::iter::once(self.name).chain(self.words.iter().copied()).collect()
    }

    /// Gives the row a meaning on Offers only.
    const fn of_offers(mut self) -> Self {
        self.is_of_offers = true;
        self
    }
}

/// The key table. Rows without keys are available in the palette.
#[rustfmt::skip] // a table reads as a table
pub static BINDINGS: &[Binding] = &[
    row(Context::Table, &["/"], Action::Query, "query",
        "Edit the query or filter the loaded rows").also(&["find", "where", "search", "look up"]).hint("search", 2),
    row(Context::Table, &["f"], Action::Filter, "filter", "Edit filters one by one").also(&["condition", "where", "restrict"]).hint("filter", 3),
    row(Context::Table, &["s"], Action::Sort, "sort", "Choose what to sort by").also(&["order", "rank", "cheapest first"]).hint("sort", 7),
    row(Context::Table, &["J"], Action::Job, "job",
        "Price the rows for a job or volume term").also(&["bill", "work", "tokens", "throughput", "rate", "speed", "total cost", "hours", "days", "deadline", "monthly"]).hint("job", 4),
    row(Context::Table, &["B"], Action::SaveSearch, "save-search", "Save this search under a name").also(&["bookmark", "remember"]).hint("save", 9),
    row(Context::Table, &["A"], Action::Alerts, "alert", "Alert on the prices and supply of this search").also(&["notify", "closed", "background", "notification", "price drop", "ring"]).hint("alert", 6),
    row(Context::Table, &["space"], Action::Mark, "mark", "Mark or unmark the row and go to the next").hint("mark", 6),
    row(Context::Table, &["v"], Action::Compare, "compare", "Compare the marked rows side by side").also(&["diff", "versus", "side by side"]).hint("compare", 8),
    row(Context::Table, &["m"], Action::Summary, "market", "Compare prices and supply by group").also(&["overview", "summary", "by country", "by model"]).hint("market", 5),
    row(Context::Table, &["p"], Action::Plot, "plot",
        "Plot two numbers of the rows, with the Pareto front").also(&["scatter", "front", "best value", "◆"]).hint("plot", 10),
    row(Context::Table, &["D"], Action::Depth, "depth",
        "Show how many GPUs each price buys").also(&["order book", "how many"]).hint("depth", 13).of_offers(),
    row(Context::Table, &["K"], Action::Cluster, "cluster",
        "Plan N GPUs from the cheapest offers").also(&["split", "machines", "nodes", "multi-node", "several machines", "runner-up"]).hint("cluster", 10).of_offers(),
    row(Context::Table, &["*"], Action::Star(Subject::Machine), "star", "Star or unstar the machine").also(&["favorite", "bookmark"]),
    row(Context::Table, &["N"], Action::Note(Subject::Machine), "note", "Edit your note on the machine"),
    row(Context::Table, &["X"], Action::Ban, "ban",
        "Ban the machine or host").also(&["block", "blacklist", "hide", "ignore", "exclude"]),
    row(Context::Table, &["U"], Action::Undo, "undo-annotation", "Undo the last star, note or ban"),
    row(Context::Table, &[], Action::Star(Subject::Host), "star-host", "Star or unstar the host"),
    row(Context::Table, &[], Action::Note(Subject::Host), "note-host", "Edit your note on the host"),
    row(Context::Table, &[], Action::StarredOnly, "starred-only", "List starred rows only, or all again").also(&["favorites"]),
    row(Context::Table, &[], Action::ShowBanned, "show-banned", "List banned offers, or hide them again").also(&["hidden", "unhide"]),
    row(Context::Table, &["enter"], Action::Open, "open", "Open details").also(&["details", "inspect"]).hint("details", 1),
    row(Context::Table, &["r", "f5"], Action::Refresh, "refresh", "Refresh").hint("refresh", 10),
    row(Context::Table, &["w"], Action::Watch, "watch",
        "Auto-refresh and mark changes").also(&["live", "poll"]).hint("auto-refresh", 11),
    row(Context::Table, &["W"], Action::WatchSettings, "watch-settings",
        "Set the interval and the baseline of auto-refresh"),
    row(Context::Table, &["T"], Action::Tape, "tape",
        "Show what was listed, repriced and gone").also(&["changes", "gone", "events", "lately"]).hint("tape", 13),
    row(Context::Table, &["H"], Action::History, "history",
        "Show lowest and typical prices over time").also(&["trend", "chart", "when", "moment", "cheapest", "good price", "is it low", "timing", "over time", "lifetime", "how long", "last", "by hour", "weekday"]).hint("history", 13),
    row(Context::Table, &["Y"], Action::PriceIndex, "price-index",
        "Compare what GPU models usually cost").also(&["models", "ranking", "usual price"]).of_offers(),
    row(Context::Table, &["L"], Action::Bids, "bids", "Show what bids would have held and cost").also(&["spot", "interruptible", "bid price"]).of_offers(),
    row(Context::Table, &["c"], Action::Columns, "columns", "Choose columns and their order").hint("columns", 12),
    row(Context::Table, &["o"], Action::Settings, "settings",
        "Set price type, storage, limit and bundling").also(&["limit", "spot", "disk", "on-demand", "reserved"]).hint("settings", 12),
    row(Context::Table, &["F"], Action::Funnel, "funnel",
        "Edit filters, with how many rows each removes").also(&["why", "missing", "hidden", "not shown", "explain", "excluded", "filtered out"]).hint("funnel", 13),
    row(Context::Table, &["P"], Action::ThreePrices, "three-prices",
        "Load or hide on-demand, bid and reserved prices").also(&["spot", "interruptible"]).hint("price models", 14).of_offers(),
    row(Context::Table, &["R"], Action::Related, "related",
        "Show all slices of the machine and host").also(&["same machine", "slices"]).hint("machine & host", 15).of_offers(),
    row(Context::Table, &["I"], Action::Host, "host", "Search every offer of this host").also(&["owner", "provider"]).of_offers(),
    row(Context::Table, &["n"], Action::GroupFromSearch, "from-search",
        "Create a workergroup from this search").also(&["workergroup", "serverless"]).hint("new group", 17),
    row(Context::Table, &["z"], Action::FoldPreview, "fold-preview", "Hide or show the preview").also(&["sidebar"]).hint("preview", 18),
    row(Context::Table, &["<"], Action::Shift(Step::Back), "sort-left", "Sort by the next column to the left"),
    row(Context::Table, &[">"], Action::Shift(Step::Forward), "sort-right", "Sort by the next column to the right"),
    row(Context::Table, &["~"], Action::Reverse, "reverse", "Reverse sort"),
    row(Context::Table, &["left", "h"], Action::Left, "columns-left", "Scroll columns left"),
    row(Context::Table, &["right", "l"], Action::Right, "columns-right", "Scroll columns right"),
    row(Context::Table, &["+", "="], Action::Widen(Side::Preview), "wider-preview", "Widen the preview"),
    row(Context::Table, &["-"], Action::Widen(Side::Table), "wider-table", "Widen the table"),
    row(Context::Table, &[], Action::Pick, "pick", "Copy what rents the best offer that is still there").also(&["rent", "buy", "cheapest", "best offer"]),
    row(Context::Table, &[], Action::LoadAll, "load-all", "Load all offers of the search, in parts"),
    row(Context::Table, &["ctrl-space"], Action::Unmark, "unmark-all", "Unmark all rows, or mark them again").also(&["clear marks", "restore marks"]),
    row(Context::Table, &[], Action::MarkedOnly, "marked-only", "List the marked rows only").also(&["plan", "selection"]),
    row(Context::Table, &[], Action::ForgetJob, "clear-job", "Clear job pricing"),
    row(Context::Table, &["E"], Action::OpenRequest, "open-request",
        "Open the request that failed").hint("failed request", 2),
    row(Context::Table, &[], Action::OfferType, "offer-type",
        "Switch between on-demand, bid and reserved prices"),
    row(Context::Table, &[], Action::Reset, "reset-query", "Return to the default search, without a job"),

    row(Context::Query, &["enter"], Action::Submit, "run-query", "Run the query").hint("run", 1),
    row(Context::Query, &["esc"], Action::Back, "leave-query", "Cancel, and keep the text for Up").hint("cancel", 2),
    row(Context::Query, &["tab"], Action::Complete, "complete",
        "Complete the word, or apply the suggested fix").hint("complete", 3),
    row(Context::TableQuery, &["ctrl-u"], Action::Reset, "query-defaults",
        "Return to the default search").hint("start over", 4),
    row(Context::Query, &["up"], Action::Older, "older-query", "Recall an older query").hint("history", 5),
    row(Context::Query, &["down"], Action::Newer, "newer-query", "Recall a newer query"),

    row(Context::List, &["enter"], Action::Submit, "choose", "Choose the selected line").hint("choose", 1),
    row(Context::List, &["esc"], Action::Back, "close-list", "Close the list").hint("close", 2),
    row(Context::List, &["down", "ctrl-n"], Action::Move(Motion::Down), "list-down", "Next line"),
    row(Context::List, &["up", "ctrl-p"], Action::Move(Motion::Up), "list-up", "Previous line"),
    row(Context::List, &["pgdn", "ctrl-d"], Action::Move(Motion::PageDown), "list-page-down", "Page down"),
    row(Context::List, &["pgup"], Action::Move(Motion::PageUp), "list-page-up", "Page up"),

    row(Context::Form, &["esc"], Action::Back, "form-close", "Close the form").hint("cancel", 2),
    row(Context::Form, &["down", "tab"], Action::Move(Motion::Down), "form-down", "Next field").hint("next field", 4),
    row(Context::Form, &["up", "shift-tab"], Action::Move(Motion::Up), "form-up", "Previous field"),
    row(Context::Form, &["right"], Action::Right, "next-value", "Choose the next value or button"),
    row(Context::Form, &["left"], Action::Left, "previous-value",
        "Choose the previous value or button"),
    row(Context::Form, &["ctrl-x"], Action::Remove, "form-clear", "Clear what the form has set"),
    row(Context::Form, &["enter"], Action::Submit, "form-submit",
        "Next field, or press the button").hint("next", 1),
    row(Context::Form, &["pgup"], Action::Move(Motion::First), "form-first", "First field"),
    row(Context::Form, &["pgdn"], Action::Move(Motion::Last), "form-last",
        "Last field or button").hint("last field", 6),
    row(Context::Form, &["f5"], Action::Refresh, "form-refresh", "Refresh the result"),
    row(Context::Form, &["ctrl-g"], Action::Complete, "apply-fix", "Take the suggested fix or value"),
    row(Context::Form, &["ctrl-y"], Action::Recall, "form-recall", "Restore your draft"),
    row(Context::Form, &["ctrl-r"], Action::Reset, "form-reset", "Restore the defaults"),

    row(Context::Result, &["pgdn"], Action::Move(Motion::PageDown), "result-down", "Scroll the result down"),
    row(Context::Result, &["pgup"], Action::Move(Motion::PageUp), "result-up", "Scroll the result up"),

    row(Context::Planner, &["y"], Action::Copy, "copy-plan",
        "Copy the commands that rent the planned offers").hint("copy rent commands", 1),

    row(Context::Dialog, &["y"], Action::Yes, "say-yes", "Confirm").hint("confirm", 1),
    row(Context::Dialog, &["esc", "n", "q"], Action::Back, "say-no", "Cancel").hint("cancel", 2),

    row(Context::ListEdit, &["ctrl-t"], Action::Toggle, "switch",
        "Switch the line on or off, even while typing").hint("on/off", 3),
    row(Context::ListEdit, &["delete", "ctrl-x"], Action::Remove, "remove", "Remove the line").hint("remove", 4),
    row(Context::ListEdit, &["f2"], Action::Edit, "rename", "Rename").hint("rename", 4),
    row(Context::ListEdit, &["<"], Action::Shift(Step::Back), "move-up", "Move the line up").hint("up", 5),
    row(Context::ListEdit, &[">"], Action::Shift(Step::Forward), "move-down",
        "Move the line down, or loosen a filter").hint("down", 6),
    row(Context::ListEdit, &["ctrl-r"], Action::Reset, "reset", "Restore the defaults").hint("reset", 7),
    row(Context::ListEdit, &["ctrl-s"], Action::Run, "run", "Run from any line").hint("run", 3),
    row(Context::ListEdit, &["ctrl-y"], Action::Recall, "restore-draft", "Restore your draft").hint("restore draft", 5),
    row(Context::ListEdit, &["ctrl-o"], Action::Settings, "list-settings",
        "History of a saved search").hint("history", 8),

    row(Context::Outcome, &["enter"], Action::Submit, "close-outcome", "Close the outcome").hint("close", 1),

    row(Context::Chart, &["left", "h"], Action::Left, "chart-left", "Next point to the left"),
    row(Context::Chart, &["right", "l"], Action::Right, "chart-right", "Next point to the right").hint("move", 1),
    row(Context::Chart, &["o"], Action::Settings, "axes", "Choose the axes").hint("axes", 3),
    row(Context::Chart, &["enter"], Action::Submit, "chart-select", "Open or apply the selection").hint("details", 2),
    row(Context::Chart, &["space"], Action::Mark, "chart-mark", "Mark or unmark").hint("mark", 5),
    row(Context::Chart, &["s"], Action::Sort, "chart-sort", "Change the sort order").hint("sort", 3),
    row(Context::Chart, &["d"], Action::Differences, "differences",
        "Show differing rows only, or the distribution of x").hint("differences", 3),
    row(Context::Chart, &["r", "f5"], Action::Refresh, "chart-refresh", "Refresh").hint("refresh", 7),

    row(Context::PriceChart, &["<"], Action::Shift(Step::Back), "read-left",
        "Read out the prices of an earlier time").also(&["cursor", "value"]).hint("read prices", 2),
    row(Context::PriceChart, &[">"], Action::Shift(Step::Forward), "read-right",
        "Read out the prices of a later time"),

    row(Context::RouteLab, &["n"], Action::New, "new-run", "Send one route request or a series").hint("new run", 1),
    row(Context::RouteLab, &["space"], Action::Toggle, "pause-run", "Pause or resume the run").hint("pause", 2),
    row(Context::RouteLab, &["delete"], Action::Remove, "stop-run",
        "Stop the run and abort its requests").hint("stop", 3),
    row(Context::RouteLab, &["r", "f5"], Action::Refresh, "run-again", "Run the same plan again").hint("run again", 4),
    row(Context::RouteLab, &["enter"], Action::Open, "open-attempt", "Open the selected attempt").hint("details", 5),
    row(Context::RouteLab, &["/"], Action::Query, "search-attempts", "Search the attempts").hint("search", 6),
    row(Context::RouteLab, &["v"], Action::Compare, "compare-runs", "Compare with another run").hint("compare", 3),
    row(Context::RouteLab, &["e"], Action::Export, "export-run", "Export the run as CSV or JSON").also(&["csv", "download"]).hint("export", 8),
    row(Context::RouteLab, &["o"], Action::Settings, "worker-request",
        "Write the request for the assigned worker").hint("worker request", 9),
    row(Context::RouteLab, &["<"], Action::Older, "previous-run", "Previous run").hint("previous run", 10),
    row(Context::RouteLab, &[">"], Action::Newer, "next-run", "Next run"),

    row(Context::Choice, &["space"], Action::Toggle, "change",
        "Change the value, check the line, press the button").hint("change", 3),

    row(Context::Workergroups, &["n"], Action::NewGroup, "new-workergroup",
        "Create a workergroup, or reopen your draft").also(&["serverless", "deploy"]).hint("new", 2),
    row(Context::Workergroups, &["t"], Action::RouteLab, "test-endpoint",
        "Measure the endpoint with route requests").also(&["route", "send requests", "load test", "latency", "benchmark"]).hint("test route", 2),
    row(Context::Workergroups, &["C"], Action::CloneGroup, "clone-workergroup",
        "New workergroup like the selected one").hint("clone", 4),
    row(Context::Workergroups, &["i"], Action::Preflight, "preflight",
        "Check what the search finds now, and its cost").also(&["offers", "cost"]).hint("supply", 3),
    row(Context::Workergroups, &["S"], Action::CheckSupply, "check-supply",
        "Check the supply of every workergroup, or stop").hint("all supply", 5),
    row(Context::Workergroups, &["x"], Action::Secrets, "secrets",
        "Reveal or hide the API key for 15 s").hint("reveal", 6),

    row(Context::Report, &["/"], Action::Query, "find", "Find in the text").hint("find", 3),
    row(Context::Report, &["n"], Action::Newer, "next-match", "Next match").hint("next match", 3),
    row(Context::Report, &["N"], Action::Older, "previous-match", "Previous match"),
    row(Context::Report, &["right", "l"], Action::Right, "next-record", "Next record").hint("next", 4),
    row(Context::Report, &["left", "h"], Action::Left, "previous-record", "Previous record").hint("previous", 5),
    row(Context::Report, &["r", "f5"], Action::Refresh, "report-refresh", "Refresh").hint("refresh", 6),
    row(Context::Report, &["enter"], Action::Submit, "close-report",
        "Close, or open what is selected").hint("close", 1),

    row(Context::Editor, &["ctrl-s", "f5"], Action::Run, "editor-run", "Send the text").hint("send", 1),
    row(Context::Editor, &["esc"], Action::Back, "editor-close",
        "Close, and keep your draft").hint("close", 2),
    row(Context::Editor, &["ctrl-e"], Action::Edit, "editor-external",
        "Edit the text in $VISUAL or $EDITOR").hint("$EDITOR", 3),
    row(Context::Editor, &["ctrl-_", "ctrl-7", "ctrl-/"], Action::Undo, "editor-undo", "Undo").hint("undo", 4),
    row(Context::Editor, &["ctrl-y"], Action::Redo, "editor-redo", "Redo").hint("redo", 5),
    row(Context::Editor, &["ctrl-r"], Action::Reset, "editor-reset",
        "Switch between the original text and yours").hint("original", 6),
    row(Context::Editor, &["enter"], Action::Submit, "editor-newline", "New line"),
    row(Context::Editor, &["down", "ctrl-n"], Action::Move(Motion::Down), "editor-down", "Next line"),
    row(Context::Editor, &["up", "ctrl-p"], Action::Move(Motion::Up), "editor-up", "Previous line"),
    row(Context::Editor, &["pgdn"], Action::Move(Motion::PageDown), "editor-page-down", "Page down"),
    row(Context::Editor, &["pgup"], Action::Move(Motion::PageUp), "editor-page-up", "Page up"),
    row(Context::Editor, &["ctrl-home"], Action::Move(Motion::First), "editor-first", "First line"),
    row(Context::Editor, &["ctrl-end"], Action::Move(Motion::Last), "editor-last", "Last line"),

    row(Context::Items, &["enter"], Action::Submit, "connect",
        "Connect to the market, use the theme, open the alert").hint("connect", 1),
    row(Context::Items, &["n"], Action::New, "new", "Add one").hint("new", 2),
    row(Context::Items, &["o"], Action::Settings, "change-key",
        "Change the API key or the dialect").also(&["dialect"]).hint("settings", 3),
    row(Context::Items, &["r", "f5"], Action::Refresh, "test", "Test the market").hint("test", 4),
    row(Context::Items, &["delete", "ctrl-x"], Action::Remove, "forget-key",
        "Remove the entry, or a built-in market's API key").hint("remove", 5).also(&["delete market", "remove key"]),

    row(Context::Tabs, &["tab"], Action::NextTab, "next-tab", "Next tab of the view").hint("next tab", 2),
    row(Context::Tabs, &["shift-tab"], Action::PreviousTab, "previous-tab", "Previous tab of the view"),

    row(Context::Global, &["down", "j"], Action::Move(Motion::Down), "down", "Down").hint("move", 22),
    row(Context::Global, &["up", "k"], Action::Move(Motion::Up), "up", "Up"),
    row(Context::Global, &["pgdn", "ctrl-f"], Action::Move(Motion::PageDown), "page-down", "Page down"),
    row(Context::Global, &["pgup", "ctrl-b"], Action::Move(Motion::PageUp), "page-up", "Page up"),
    row(Context::Global, &["ctrl-d"], Action::Move(Motion::HalfDown), "half-page-down", "Half a page down"),
    row(Context::Global, &["ctrl-u"], Action::Move(Motion::HalfUp), "half-page-up", "Half a page up"),
    row(Context::Global, &["g", "home"], Action::Move(Motion::First), "first", "To the first line"),
    row(Context::Global, &["G", "end"], Action::Move(Motion::Last), "last", "To the last line"),
    row(Context::Global, &["0"], Action::Move(Motion::FirstColumn), "first-column", "To the first column"),
    row(Context::Global, &["$"], Action::Move(Motion::LastColumn), "last-column", "To the last column"),
    row(Context::Global, &["esc"], Action::Back, "back", "One step back").hint("back", 9),

    row(Context::Global, &["1"], Action::Pane(Pane::Offers), "offers", "Offers pane"),
    row(Context::Global, &["2"], Action::Pane(Pane::Volumes), "volumes", "Volumes pane").also(&["disk", "storage"]),
    row(Context::Global, &["3"], Action::Pane(Pane::Workergroups), "workergroups", "Workergroups pane").also(&["serverless", "endpoint", "autoscaling"]),
    row(Context::Global, &["4"], Action::Pane(Pane::Requests), "requests", "Requests pane").also(&["log", "http"]),
    row(Context::Global, &["tab", "]"], Action::NextPane, "next-pane", "Next pane").hint("pane", 20).in_panes(),
    row(Context::Global, &["shift-tab", "["], Action::PreviousPane, "previous-pane", "Previous pane"),
    row(Context::Global, &["b"], Action::SavedSearches, "saved-searches",
        "Run, save, rename or delete searches").also(&["bookmarks"]).hint("searches", 9).in_panes(),
    row(Context::Global, &["A"], Action::Alerts, "alerts", "Add, pause or delete alerts on prices and supply").also(&["notify", "closed", "background"]),
    row(Context::Global, &[], Action::Annotations, "annotations", "List, edit or lift stars, notes and bans").also(&["bans", "unban", "unhide", "hosts"]),
    row(Context::Global, &["y"], Action::Copy, "copy", "Copy the row, the query or a command").also(&["clipboard", "rent", "command", "vastai"]).hint("copy", 10),
    row(Context::Global, &["e"], Action::Export, "export", "Export to a file").also(&["csv", "json", "save to file"]).hint("export", 13),
    row(Context::Global, &[":", "ctrl-p"], Action::Palette, "palette", "Every command by name").hint("commands", 7),
    row(Context::Global, &["?", "f1"], Action::Help, "help", "All keys, searchable").also(&["keys", "shortcuts"]).hint("help", 4),
    row(Context::Global, &["t"], Action::RouteLab, "route-lab",
        "Measure an endpoint with route requests").also(&["benchmark", "latency", "load test", "queue"]),
    row(Context::Global, &["u"], Action::Unlist, "unlist",
        "Unlist one of your volumes").hint("unlist", 2).about_row(),
    row(Context::Global, &["M"], Action::Markets, "markets",
        "Connect to, add, test or change a market").also(&["profile", "login", "account", "api key", "connect", "real market", "sandbox",
        "remove market", "delete market"]).hint("markets", 19).in_panes(),
    row(Context::Global, &[], Action::Theme, "theme", "Choose the colors, with a preview").also(&["colour", "dark", "light"]),
    row(Context::Global, &[], Action::Notices, "notices", "Notices from the start of the program").also(&["warnings", "startup"]),
    row(Context::Global, &[], Action::Resolve, "resolve",
        "Settle a creation whose outcome is unknown"),
    row(Context::Global, &[], Action::ForgetLimits, "forget-limits",
        "Forget the learned rate limits"),
    row(Context::Global, &[], Action::EditConfig, "edit-config", "Open the configuration in $VISUAL or $EDITOR").also(&["settings", "preferences"]),
    row(Context::Global, &[], Action::ReloadConfig, "reload-config", "Reload the configuration").also(&["settings"]),
    row(Context::Global, &["q"], Action::Quit, "quit", "Quit, or go back inside a view").also(&["exit"]).hint("quit", 21),

    row(Context::Always, &["f1"], Action::Help, "help-now", "Help, even while typing").hint("help", 4),
    row(Context::Always, &["ctrl-c"], Action::QuitNow, "quit-now",
        "Close a text field, or quit now"),
    row(Context::Always, &["ctrl-z"], Action::Suspend, "suspend", "Suspend (the shell's fg resumes)"),
    row(Context::Always, &["ctrl-l"], Action::Redraw, "redraw", "Redraw the screen"),
];

/// The rows of the key table for a context, in the table's order.
pub fn bindings(context: Context) -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(move |binding| binding.context == context)
}
