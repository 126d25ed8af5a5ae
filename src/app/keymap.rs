//! Every key, in one table.
//!
//! From these rows come: what a key does, the footer's hints, the help screen, the command palette
//! and the key table of the README. Actions are generic verbs; the pane or overlay that owns the
//! keyboard decides what a verb means there. A person's own keys are laid over the table in
//! [`super::keys`].

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Who owns the keyboard; a key is looked up in the owner's rows first, then in the shared ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// A pane with a table of records.
    Table,
    /// The query bar, while it is edited.
    Query,
    /// A list that is narrowed by typing: help, palette, choices.
    List,
    /// The sort editor.
    Sort,
    /// The form of a volume's size and term.
    VolumeCost,
    /// The volumes that go with an offer.
    Basket,
    /// The list of saved searches.
    Searches,
    /// A form.
    Form,
    /// A dialog that asks for a line of text.
    Prompt,
    /// A dialog that asks for a yes.
    Dialog,
    /// The form of a job.
    Job,
    /// Marked rows side by side.
    Compare,
    /// The rows in groups.
    Summary,
    /// A chart, or records side by side: the arrows go from one to the next.
    Chart,
    /// Why there are so few.
    Funnel,
    /// The route lab.
    RouteLab,
    /// A question that Enter answers with a yes too.
    Ask,
    /// The column editor.
    Columns,
    /// The filter editor.
    Filter,
    /// A condition that is written in the filter editor.
    Condition,
    /// The filter editor where a blank ticks, turns or switches instead of being typed.
    Tick,
    /// The search settings.
    Settings,
    /// A field of a form that takes no text.
    Choice,
    /// The table and the detail view of workergroups.
    Workergroups,
    /// A report that is read and scrolled.
    Report,
    /// A text of several lines that is edited.
    Editor,
    /// The list of markets.
    Markets,
    /// The form of a market.
    MarketForm,
    /// A choice of the form of a market.
    MarketChoice,
    /// A view with tabs.
    Tabs,
    /// Moving in lists, whoever owns them.
    Movement,
    /// Everywhere, except where text is typed.
    Global,
    /// Everywhere, even where text is typed.
    Always,
}

impl Context {
    /// The heading in the help screen.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Table => "Tables",
            Self::Query => "Query bar",
            Self::List => "Lists with a search line",
            Self::Sort => "Sort editor",
            Self::VolumeCost => "Volume cost",
            Self::Basket => "Volumes for an offer",
            Self::Searches => "Saved searches",
            Self::Form => "Forms",
            Self::Prompt => "Dialogs that ask for a text",
            Self::Dialog => "Dialogs that ask for a yes",
            Self::Job => "Job cost",
            Self::Compare => "Comparison",
            Self::Summary => "Summary",
            Self::Chart => "Charts",
            Self::Funnel => "Why so few?",
            Self::RouteLab => "Route lab",
            Self::Ask => "Questions before a run and before leaving",
            Self::Columns => "Column editor",
            Self::Filter => "Filter editor",
            Self::Condition => "Filter editor: a condition",
            Self::Tick => "Filter editor: ticking",
            Self::Settings => "Search settings",
            Self::Choice => "Forms: a choice, switch or button",
            Self::Workergroups => "Workergroups",
            Self::Report => "Reports",
            Self::Editor => "Text editor",
            Self::Markets => "Markets",
            Self::MarketForm => "Markets: the form",
            Self::MarketChoice => "Markets: a choice of the form",
            Self::Tabs => "Tabs",
            Self::Movement => "Moving",
            Self::Global => "Everywhere",
            Self::Always => "Even while typing",
        }
    }
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is explained by its row in the table")]
pub enum Action {
    Quit,
    QuitNow,
    Suspend,
    Redraw,
    Help,
    Palette,
    NextPane,
    PreviousPane,
    NextTab,
    PreviousTab,
    Offers,
    Volumes,
    Workergroups,
    Requests,
    Down,
    Up,
    PageDown,
    PageUp,
    HalfDown,
    HalfUp,
    First,
    Last,
    Left,
    Right,
    Open,
    Back,
    Query,
    Sort,
    Refresh,
    Submit,
    Complete,
    Older,
    Newer,
    Toggle,
    MoveUp,
    MoveDown,
    Remove,
    Copy,
    FindNext,
    FindPrevious,
    Export,
    ResetQuery,
    OfferType,
    SavedSearches,
    SaveSearch,
    Rename,
    Yes,
    ThreePrices,
    Unlist,
    Watch,
    Mark,
    Unmark,
    Compare,
    Differences,
    Summary,
    Plot,
    Job,
    ForgetJob,
    Funnel,
    Loosen,
    Related,
    Basket,
    RouteLab,
    New,
    CopySignature,
    CopyWorker,
    Filter,
    Columns,
    Settings,
    FirstColumn,
    LastColumn,
    FoldPreview,
    SortLeft,
    SortRight,
    Reverse,
    Run,
    Reset,
    Edit,
    Undo,
    Redo,
    OpenRequest,
    Recall,
    Body,
    NewGroup,
    CloneGroup,
    GroupFromSearch,
    Preflight,
    PlanCapacity,
    CheckSupply,
    Drift,
    WiderDetail,
    WiderTable,
    Secrets,
    Markets,
    Market(u16),
    NewMarket,
    MarketKey,
    MarketTest,
}

impl Action {
    /// By how many lines it moves a cursor or a text of which `page` lines are visible, if it
    /// moves.
    pub fn motion(self, page: usize) -> Option<isize> {
        let page = isize::try_from(page.max(1)).unwrap_or(isize::MAX);
        match self {
            Self::Down => Some(1),
            Self::Up => Some(-1),
            Self::PageDown => Some(page),
            Self::PageUp => Some(-page),
            Self::HalfDown => Some((page / 2).max(1)),
            Self::HalfUp => Some(-(page / 2).max(1)),
            Self::First => Some(isize::MIN),
            Self::Last => Some(isize::MAX),
            _ => None,
        }
    }
}

/// A key with its modifiers, as it is written in the table: `j`, `G`, `ctrl-d`, `shift-tab`, `f5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    /// Reads a chord.
    pub fn parse(text: &str) -> Option<Self> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            rest = if let Some(rest) = rest.strip_prefix("ctrl-") {
                modifiers |= KeyModifiers::CONTROL;
                rest
            } else if let Some(rest) = rest.strip_prefix("alt-") {
                modifiers |= KeyModifiers::ALT;
                rest
            } else {
                break;
            };
        }
        let code = match rest {
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "tab" => KeyCode::Tab,
            "shift-tab" => KeyCode::BackTab,
            "space" => KeyCode::Char(' '),
            "backspace" => KeyCode::Backspace,
            "delete" => KeyCode::Delete,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "home" => KeyCode::Home,
            "end" => KeyCode::End,
            "pgup" => KeyCode::PageUp,
            "pgdn" => KeyCode::PageDown,
            other => {
                let mut characters = other.chars();
                match (characters.next(), characters.as_str()) {
                    (Some(character), "") => KeyCode::Char(character),
                    (Some('f'), number) => KeyCode::F(number.parse().ok()?),
                    _ => return None,
                }
            }
        };
        // As it arrives: with Ctrl, terminals do not tell capitals from small letters.
        let code = match code {
            KeyCode::Char(character) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(character.to_ascii_lowercase())
            }
            code => code,
        };
        Some(Self { code, modifiers })
    }

    /// The key that terminals send the same byte for, so that this one never arrives as itself:
    /// Ctrl takes the upper bits of a character away, which makes Ctrl-i a Tab (0x09) and Ctrl-m an
    /// Enter (0x0D). Ctrl-j (0x0A) is told from Enter in raw mode.
    pub fn arrives_as(self) -> Option<&'static str> {
        let with_ctrl = self.modifiers.contains(KeyModifiers::CONTROL);
        let with_alt = self.modifiers.contains(KeyModifiers::ALT);
        match self.code {
            KeyCode::Char('m') | KeyCode::Enter if with_ctrl => Some("Enter"),
            KeyCode::Char('i') | KeyCode::Tab if with_ctrl => Some("Tab"),
            KeyCode::BackTab if with_ctrl => Some("Shift-Tab"),
            KeyCode::Char('[' | '3') if with_ctrl => Some("Esc"),
            KeyCode::Esc if with_ctrl || with_alt => Some("Esc"),
            // Some terminals send 0x08 for Backspace, some 0x7F.
            KeyCode::Char('h' | '?' | '8') | KeyCode::Backspace if with_ctrl => Some("Backspace"),
            _ => None,
        }
    }

    /// Whether it is a letter or a digit as one types it.
    pub fn is_text(self) -> bool {
        self.modifiers.is_empty()
            && matches!(self.code, KeyCode::Char(character) if character.is_alphanumeric())
    }

    /// The chord of a key event. Shift is part of the character; terminals report it in both ways.
    pub fn of(key: KeyEvent) -> Self {
        let modifiers = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        let code = match key.code {
            KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            KeyCode::Char(character) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(character.to_ascii_lowercase())
            }
            code => code,
        };
        Self { code, modifiers }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.modifiers.contains(KeyModifiers::CONTROL) {
            f.write_str("Ctrl-")?;
        }
        if self.modifiers.contains(KeyModifiers::ALT) {
            f.write_str("Alt-")?;
        }
        match self.code {
            KeyCode::Enter => f.write_str("Enter"),
            KeyCode::Esc => f.write_str("Esc"),
            KeyCode::Tab => f.write_str("Tab"),
            KeyCode::BackTab => f.write_str("Shift-Tab"),
            KeyCode::Char(' ') => f.write_str("Space"),
            KeyCode::Char(character) => write!(f, "{character}"),
            KeyCode::Backspace => f.write_str("Backspace"),
            KeyCode::Delete => f.write_str("Del"),
            KeyCode::Up => f.write_str("↑"),
            KeyCode::Down => f.write_str("↓"),
            KeyCode::Left => f.write_str("←"),
            KeyCode::Right => f.write_str("→"),
            KeyCode::Home => f.write_str("Home"),
            KeyCode::End => f.write_str("End"),
            KeyCode::PageUp => f.write_str("PgUp"),
            KeyCode::PageDown => f.write_str("PgDn"),
            KeyCode::F(number) => write!(f, "F{number}"),
            other => write!(f, "{other}"),
        }
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Binding {
    /// Where it holds.
    pub context: Context,
    /// The keys, the one that is shown first.
    pub keys: &'static [&'static str],
    /// What they do.
    pub action: Action,
    /// Short name: in the palette and in the configuration.
    pub name: &'static str,
    /// One sentence for the help screen.
    pub help: &'static str,
    /// The word in the footer and its rank there (small ranks stay longest), if it is shown there.
    pub hint: Option<(&'static str, u8)>,
}

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
        hint: None,
    }
}

impl Binding {
    const fn hint(mut self, word: &'static str, rank: u8) -> Self {
        self.hint = Some((word, rank));
        self
    }
}

/// The table. Rows without keys are reached through the palette.
#[rustfmt::skip] // a table reads as a table
pub static BINDINGS: &[Binding] = &[
    row(Context::Table, &["/"], Action::Query, "query",
        "Edit the query: conditions, or words that filter the loaded rows").hint("search", 1),
    row(Context::Table, &["f"], Action::Filter, "filter", "Edit filters one by one").hint("filter", 2),
    row(Context::Table, &["s"], Action::Sort, "sort", "Choose what to sort by").hint("sort", 3),
    row(Context::Table, &["J"], Action::Job, "job",
        "Price offers for a job, volumes for a size and term").hint("job", 4),
    row(Context::Table, &["space"], Action::Mark, "mark", "Mark or unmark the row and go to the next").hint("mark", 5),
    row(Context::Table, &["v"], Action::Compare, "compare", "Compare the marked rows").hint("compare", 6),
    row(Context::Table, &["m"], Action::Summary, "summary", "Group the rows and compare their prices").hint("market", 7),
    row(Context::Table, &["p"], Action::Plot, "plot", "Plot two numbers of the rows, with the Pareto front").hint("plot", 8),
    row(Context::Table, &["enter"], Action::Open, "open", "Open details").hint("details", 2),
    row(Context::Table, &["r", "f5"], Action::Refresh, "refresh", "Refresh").hint("refresh", 10),
    row(Context::Table, &["w"], Action::Watch, "watch",
        "Auto-refresh every 30 s and mark changes").hint("auto-refresh", 11),
    row(Context::Table, &["c"], Action::Columns, "columns", "Choose columns and their order").hint("columns", 12),
    row(Context::Table, &["o"], Action::Settings, "settings",
        "Search settings: price type, storage, limit, vCPUs, datacenters, bundling").hint("settings", 12),
    row(Context::Table, &["F"], Action::Funnel, "why-so-few", "Show how many rows each condition removes").hint("funnel", 13),
    row(Context::Table, &["P"], Action::ThreePrices, "three-prices",
        "Load or hide on-demand, bid and reserved prices").hint("price models", 14),
    row(Context::Table, &["R"], Action::Related, "related", "Machine and host: all slices, price of one more GPU").hint("machine & host", 15),
    row(Context::Table, &["B"], Action::Basket, "basket",
        "Volumes that go with the offer, and what both cost a month").hint("volumes with it", 16),
    row(Context::Table, &["n"], Action::GroupFromSearch, "from-search",
        "Create a workergroup from this search").hint("new group", 17),
    row(Context::Table, &["z"], Action::FoldPreview, "fold-preview", "Hide or show the preview").hint("preview", 18),
    row(Context::Table, &["<"], Action::SortLeft, "sort-left", "Sort by the next column to the left"),
    row(Context::Table, &[">"], Action::SortRight, "sort-right", "Sort by the next column to the right"),
    row(Context::Table, &["~"], Action::Reverse, "reverse", "Reverse sort"),
    row(Context::Table, &["left", "h"], Action::Left, "columns-left", "Scroll columns left"),
    row(Context::Table, &["right", "l"], Action::Right, "columns-right", "Scroll columns right"),
    row(Context::Table, &["0"], Action::FirstColumn, "first-column", "Scroll to the first column"),
    row(Context::Table, &["$"], Action::LastColumn, "last-column", "Scroll to the last column"),
    row(Context::Table, &["+", "="], Action::WiderDetail, "wider-preview", "Widen the preview"),
    row(Context::Table, &["-"], Action::WiderTable, "wider-table", "Widen the table"),
    row(Context::Table, &[], Action::Unmark, "unmark-all", "Unmark all rows"),
    row(Context::Table, &[], Action::ForgetJob, "forget-job", "Clear job pricing"),
    row(Context::Table, &["E"], Action::OpenRequest, "open-request",
        "Open the request that failed").hint("failed request", 2),
    row(Context::Table, &[], Action::OfferType, "offer-type",
        "Switch between on-demand, bid and reserved prices"),
    row(Context::Table, &[], Action::ResetQuery, "reset-query", "Reset the query to its defaults"),
    row(Context::Table, &[], Action::SaveSearch, "save-search", "Save this search under a name"),

    row(Context::Query, &["enter"], Action::Submit, "run-query", "Run the query").hint("run", 1),
    row(Context::Query, &["esc"], Action::Back, "leave-query", "Cancel; Up recalls what was typed").hint("cancel", 2),
    row(Context::Query, &["tab"], Action::Complete, "complete", "Complete a field, operator or value; apply a suggested fix").hint("complete", 3),
    row(Context::Query, &["up"], Action::Older, "older-query", "Recall an older query").hint("history", 4),
    row(Context::Query, &["down"], Action::Newer, "newer-query", "Recall a newer query"),

    row(Context::List, &["enter"], Action::Submit, "choose", "Do or take what is selected").hint("choose", 1),
    row(Context::List, &["esc"], Action::Back, "close-list", "Close the list").hint("close", 2),
    row(Context::List, &["down", "ctrl-n"], Action::Down, "list-down", "Select the next line"),
    row(Context::List, &["up", "ctrl-p"], Action::Up, "list-up", "Select the previous line"),
    row(Context::List, &["pgdn", "ctrl-d"], Action::PageDown, "list-page-down", "A page down"),
    row(Context::List, &["pgup"], Action::PageUp, "list-page-up", "A page up"),

    row(Context::Sort, &["space"], Action::Toggle, "flip", "Add the field, or turn its direction round").hint("add or flip", 2),
    row(Context::Sort, &["<"], Action::MoveUp, "key-up", "Make the key more important").hint("up", 4),
    row(Context::Sort, &[">"], Action::MoveDown, "key-down", "Make the key less important").hint("down", 5),
    row(Context::Sort, &["delete", "-"], Action::Remove, "key-remove", "Remove the key").hint("remove", 3),
    row(Context::Sort, &["enter"], Action::Submit, "sort-apply", "Sort the rows so").hint("sort", 1),

    row(Context::VolumeCost, &["enter"], Action::Submit, "volume-apply", "Price the volumes for this size and term").hint("price", 1),
    row(Context::VolumeCost, &["esc"], Action::Back, "volume-leave", "Leave size and term as they were").hint("cancel", 2),
    row(Context::VolumeCost, &["tab", "down"], Action::Down, "volume-next", "To the other line").hint("other line", 3),
    row(Context::VolumeCost, &["shift-tab", "up"], Action::Up, "volume-previous", "To the line before"),
    row(Context::VolumeCost, &["ctrl-x"], Action::Remove, "volume-forget", "Price for no size any more").hint("no size", 4),

    row(Context::Basket, &["enter"], Action::Submit, "basket-open", "Show the volume in the Volumes pane").hint("show volume", 1),
    row(Context::Basket, &["J"], Action::Job, "basket-term", "Change size and term of the volume").hint("size and term", 3),
    row(Context::Basket, &["r"], Action::Refresh, "basket-refresh", "Load all verified volumes").hint("load all", 4),

    row(Context::Searches, &["enter"], Action::Submit, "search-run", "Run the search in its pane").hint("run", 1),
    row(Context::Searches, &["*"], Action::Toggle, "search-startup", "Run this search at every start, or no more").hint("at start", 3),
    row(Context::Searches, &["ctrl-r"], Action::Rename, "search-rename", "Give the search another name").hint("rename", 4),
    row(Context::Searches, &["delete", "ctrl-x"], Action::Remove, "search-delete", "Delete the search; hide a preset").hint("delete", 5),
    row(Context::Searches, &["<"], Action::MoveUp, "search-up", "Move the search up").hint("up", 6),
    row(Context::Searches, &[">"], Action::MoveDown, "search-down", "Move the search down").hint("down", 7),


    row(Context::Form, &["enter"], Action::Submit, "form-submit", "Next field, or what the button says").hint("next", 1),
    row(Context::Form, &["esc"], Action::Back, "leave-form", "Close the form").hint("cancel", 2),
    row(Context::Form, &["down", "tab"], Action::Down, "form-down", "Next field").hint("next field", 4),
    row(Context::Form, &["up", "shift-tab"], Action::Up, "form-up", "Previous field"),
    row(Context::Form, &["pgup"], Action::First, "form-first", "First field"),
    row(Context::Form, &["pgdn"], Action::Last, "form-last", "Last field or button").hint("last field", 6),
    row(Context::Form, &["f5"], Action::Refresh, "form-refresh", "Run again what the form shows"),
    row(Context::Form, &["ctrl-g"], Action::Complete, "apply-fix", "Apply the suggested fix"),
    row(Context::Form, &["ctrl-r"], Action::Reset, "form-reset", "Start over"),
    row(Context::Form, &["ctrl-y"], Action::Recall, "form-recall", "Bring back the previous draft"),

    row(Context::Prompt, &["enter"], Action::Submit, "take-text", "Take what is typed").hint("take it", 1),
    row(Context::Prompt, &["esc"], Action::Back, "leave-text", "Leave without it").hint("leave", 2),
    row(Context::Dialog, &["y"], Action::Yes, "say-yes", "Do it").hint("do it", 1),
    row(Context::Dialog, &["esc", "n"], Action::Back, "say-no", "Leave it").hint("leave it", 2),
    row(Context::Ask, &["enter"], Action::Yes, "yes", "Do it: start the series, leave bourse"),
    row(Context::Job, &["enter"], Action::Submit, "job-apply", "Price the offers for this job").hint("price offers", 1),
    row(Context::Job, &["esc"], Action::Back, "job-leave", "Leave the job as it was").hint("cancel", 2),
    row(Context::Job, &["tab", "down"], Action::Down, "job-next", "To the next line").hint("next line", 3),
    row(Context::Job, &["shift-tab", "up"], Action::Up, "job-previous", "To the line before"),
    row(Context::Job, &["ctrl-x"], Action::Remove, "job-forget", "Price for no job").hint("no job", 4),

    row(Context::Compare, &["left", "h"], Action::Left, "compare-left", "To the row at the left").hint("row", 1),
    row(Context::Compare, &["right", "l"], Action::Right, "compare-right", "To the row at the right"),
    row(Context::Compare, &["d"], Action::Differences, "differences", "Show all lines, or those that differ").hint("differences", 2),
    row(Context::Compare, &["space"], Action::Toggle, "compare-unmark", "Take the row out of the comparison").hint("unmark", 3),
    row(Context::Compare, &["enter"], Action::Submit, "compare-select", "Select the row in the table").hint("select", 3),

    row(Context::Summary, &["right", "l"], Action::Right, "next-grouping", "Group by the next: model, country, host and others").hint("group by", 1),
    row(Context::Summary, &["left", "h"], Action::Left, "previous-grouping", "Group by the one before"),
    row(Context::Summary, &["s"], Action::Sort, "summary-order", "Order by count, lowest, median or most for the money").hint("order", 3),
    row(Context::Summary, &["enter"], Action::Submit, "narrow", "Narrow the query to the group and ask").hint("narrow", 2),

    row(Context::Chart, &["left", "h"], Action::Left, "chart-left", "Next point to the left").hint("move", 1),
    row(Context::Chart, &["right", "l"], Action::Right, "chart-right", "Next point to the right"),
    row(Context::Chart, &["o"], Action::Settings, "axes", "Choose the axes").hint("axes", 3),
    row(Context::Chart, &["enter"], Action::Open, "chart-open", "Open details").hint("details", 4),

    row(Context::Funnel, &["enter"], Action::Submit, "relax", "Remove the condition and ask").hint("remove and ask", 1),
    row(Context::Funnel, &["right", "l"], Action::Loosen, "loosen", "Loosen the bound until the next row comes back").hint("loosen and ask", 2),

    row(Context::RouteLab, &["n"], Action::New, "new-run", "New run: one request or a series").hint("new run", 1),
    row(Context::RouteLab, &["space"], Action::Toggle, "pause-run", "Pause or resume the run").hint("pause", 2),
    row(Context::RouteLab, &["delete"], Action::Remove, "stop-run", "Stop the run; requests in flight are aborted").hint("stop", 3),
    row(Context::RouteLab, &["r", "f5"], Action::Refresh, "run-again", "Run the same plan again").hint("run again", 4),
    row(Context::RouteLab, &["enter"], Action::Open, "open-attempt", "Open the selected attempt").hint("details", 5),
    row(Context::RouteLab, &["/"], Action::Query, "search-attempts", "Search the attempts").hint("search", 6),
    row(Context::RouteLab, &["v"], Action::Compare, "compare-runs", "Compare with another run").hint("compare", 7),
    row(Context::RouteLab, &["e"], Action::Export, "export-run", "Export the run as CSV or JSON").hint("export", 8),
    row(Context::RouteLab, &["o"], Action::Settings, "worker-request", "Write the request for the assigned worker").hint("worker request", 9),
    row(Context::RouteLab, &["<"], Action::Older, "previous-run", "Previous run").hint("previous run", 10),
    row(Context::RouteLab, &[">"], Action::Newer, "next-run", "Next run"),

    row(Context::Columns, &["space"], Action::Toggle, "column-toggle", "Show or hide the column").hint("show or hide", 2),
    row(Context::Columns, &["<"], Action::MoveUp, "column-left", "Move the column to the left").hint("left", 3),
    row(Context::Columns, &[">"], Action::MoveDown, "column-right", "Move the column to the right").hint("right", 4),
    row(Context::Columns, &["ctrl-r"], Action::Reset, "columns-reset", "Back to the columns shown at first").hint("reset", 5),
    row(Context::Columns, &["enter"], Action::Submit, "columns-apply", "Show these columns").hint("apply", 1),

    row(Context::Filter, &["enter"], Action::Submit, "filter-edit", "Run the query, or write the selected condition").hint("run or edit", 1),
    row(Context::Filter, &["ctrl-t"], Action::Toggle, "filter-switch", "Switch the condition off or on, without losing it").hint("on/off", 2),
    row(Context::Filter, &["delete", "-"], Action::Remove, "filter-remove", "Remove the condition").hint("remove", 3),
    row(Context::Filter, &["ctrl-s"], Action::Run, "filter-run", "Run the query from any line").hint("run", 4),
    row(Context::Filter, &["tab"], Action::Body, "filter-body", "Show the body that would be sent, or the filters").hint("body", 5),
    row(Context::Filter, &["ctrl-r"], Action::Reset, "filter-reset", "Back to the conditions that a search starts from").hint("reset", 6),
    row(Context::Filter, &["ctrl-y"], Action::Recall, "filter-recall", "Take up the draft that was left without running it"),
    row(Context::Filter, &["ctrl-o"], Action::Settings, "filter-settings", "Price type, storage, limit and switches").hint("settings", 7),

    row(Context::Condition, &["enter"], Action::Submit, "condition-accept", "Take the condition into the query").hint("take", 1),
    row(Context::Condition, &["esc"], Action::Back, "condition-leave", "Back to the filters; what was written stays in the form").hint("back", 2),
    row(Context::Condition, &["tab"], Action::Right, "next-operator", "Compare with the next operator").hint("operator", 3),
    row(Context::Condition, &["shift-tab"], Action::Left, "previous-operator", "Compare with the previous operator"),
    row(Context::Condition, &["down"], Action::Down, "value-down", "Select the next value").hint("values", 4),
    row(Context::Condition, &["up"], Action::Up, "value-up", "Select the previous value, or what is typed"),
    row(Context::Condition, &["pgdn"], Action::PageDown, "value-page-down", "A page of values down"),
    row(Context::Condition, &["pgup"], Action::PageUp, "value-page-up", "A page of values up"),

    row(Context::Tick, &["space"], Action::Toggle, "tick", "Tick or untick a value; switch a condition off or on").hint("on/off", 2),

    row(Context::Settings, &["enter"], Action::Submit, "settings-apply", "Search with these settings").hint("apply", 1),
    row(Context::Settings, &["esc"], Action::Back, "settings-leave", "Leave the settings as they were").hint("cancel", 2),
    row(Context::Settings, &["down", "tab"], Action::Down, "setting-down", "Next setting").hint("next", 3),
    row(Context::Settings, &["up", "shift-tab"], Action::Up, "setting-up", "Previous setting"),
    row(Context::Settings, &["ctrl-r"], Action::Reset, "settings-reset", "Back to what a search starts from").hint("reset", 5),
    row(Context::Settings, &["ctrl-y"], Action::Recall, "settings-recall", "Take up the settings that were left without applying them"),

    row(Context::Choice, &["space"], Action::Toggle, "change", "Change the value").hint("change", 3),
    row(Context::Choice, &["right"], Action::Right, "next-value", "Next value or button"),
    row(Context::Choice, &["left"], Action::Left, "previous-value", "Previous value or button"),

    row(Context::Workergroups, &["n"], Action::NewGroup, "new-workergroup",
        "New workergroup; reopens your draft").hint("new", 2),
    row(Context::Workergroups, &["t"], Action::RouteLab, "test-endpoint",
        "Route lab: test the endpoint's latency, p99 and load").hint("test route", 2),
    row(Context::Workergroups, &["C"], Action::CloneGroup, "clone-workergroup",
        "New workergroup like the selected one").hint("clone", 4),
    row(Context::Workergroups, &["i"], Action::Preflight, "preflight",
        "Preflight: what the search finds now, and what it costs").hint("preflight", 3),
    row(Context::Workergroups, &["a"], Action::PlanCapacity, "plan-capacity",
        "Capacity planner: workers for a load").hint("planner", 6),
    row(Context::Workergroups, &["S"], Action::CheckSupply, "check-supply",
        "Supply check: run every workergroup's search").hint("supply", 5),
    row(Context::Workergroups, &["d"], Action::Drift, "drift",
        "What changed since the last listing").hint("changes", 7),
    row(Context::Workergroups, &["x"], Action::Secrets, "secrets",
        "Reveal or hide the API key in the details, for 15 s").hint("reveal", 6),

    row(Context::Report, &["/"], Action::Query, "find", "Find in the text").hint("find", 3),
    row(Context::Report, &["n"], Action::FindNext, "next-match", "Next match").hint("next match", 3),
    row(Context::Report, &["N"], Action::FindPrevious, "previous-match", "Previous match"),
    row(Context::Report, &["right", "l"], Action::Right, "next-record", "Next record").hint("next", 4),
    row(Context::Report, &["left", "h"], Action::Left, "previous-record", "Previous record").hint("previous", 5),
    row(Context::Report, &["r", "f5"], Action::Refresh, "report-refresh", "Refresh").hint("refresh", 6),
    row(Context::Report, &["enter"], Action::Submit, "close-report", "Close, or open what is selected").hint("close", 1),

    row(Context::Editor, &["ctrl-s", "f5"], Action::Run, "editor-run", "Send the text").hint("send", 1),
    row(Context::Editor, &["esc"], Action::Back, "editor-close", "Close; reopening brings your draft back").hint("close", 2),
    row(Context::Editor, &["ctrl-e"], Action::Edit, "editor-external", "Edit the text in $VISUAL or $EDITOR").hint("$EDITOR", 3),
    row(Context::Editor, &["ctrl-_", "ctrl-7", "ctrl-/"], Action::Undo, "editor-undo", "Undo").hint("undo", 4),
    row(Context::Editor, &["ctrl-y"], Action::Redo, "editor-redo", "Redo").hint("redo", 5),
    row(Context::Editor, &["ctrl-r"], Action::Reset, "editor-reset", "Switch between the original text and yours").hint("original", 6),
    row(Context::Editor, &["enter"], Action::Submit, "editor-newline", "New line"),
    row(Context::Editor, &["down", "ctrl-n"], Action::Down, "editor-down", "Next line"),
    row(Context::Editor, &["up", "ctrl-p"], Action::Up, "editor-up", "Previous line"),
    row(Context::Editor, &["pgdn"], Action::PageDown, "editor-page-down", "Page down"),
    row(Context::Editor, &["pgup"], Action::PageUp, "editor-page-up", "Page up"),
    row(Context::Editor, &["ctrl-home"], Action::First, "editor-first", "First line"),
    row(Context::Editor, &["ctrl-end"], Action::Last, "editor-last", "Last line"),

    row(Context::Markets, &["enter"], Action::Submit, "market-connect", "Connect to the market, without leaving bourse").hint("connect", 1),
    row(Context::Markets, &["esc"], Action::Back, "close-markets", "Stop connecting, else close the list").hint("back", 2),
    row(Context::Markets, &["n"], Action::NewMarket, "new-market", "Add a market").hint("new", 3),
    row(Context::Markets, &["K"], Action::MarketKey, "market-key", "Give the market a key, or another one").hint("key", 3),
    row(Context::Markets, &["t"], Action::MarketTest, "market-test", "Test it: one request that changes nothing").hint("test", 4),
    row(Context::Markets, &["delete", "x"], Action::Remove, "market-forget-key", "Forget the key of the market, after a question").hint("forget key", 5),

    row(Context::MarketForm, &["enter"], Action::Submit, "market-save", "Keep the market, or its key").hint("keep", 1),
    row(Context::MarketForm, &["esc"], Action::Back, "leave-market", "Leave the form; what is typed is kept, but not the key").hint("leave", 2),
    row(Context::MarketForm, &["down", "tab"], Action::Down, "market-down", "Next line").hint("next line", 3),
    row(Context::MarketForm, &["up", "shift-tab"], Action::Up, "market-up", "Previous line"),

    row(Context::MarketChoice, &["space", "right"], Action::Toggle, "market-next", "Next value").hint("change", 2),
    row(Context::MarketChoice, &["left"], Action::Left, "market-previous", "Previous value"),

    row(Context::Tabs, &["tab"], Action::NextTab, "next-tab", "Next tab of the view").hint("next tab", 2),
    row(Context::Tabs, &["shift-tab"], Action::PreviousTab, "previous-tab", "Previous tab of the view"),

    row(Context::Movement, &["down", "j"], Action::Down, "down", "Down").hint("move", 22),
    row(Context::Movement, &["up", "k"], Action::Up, "up", "Up"),
    row(Context::Movement, &["pgdn", "ctrl-f"], Action::PageDown, "page-down", "A page down"),
    row(Context::Movement, &["pgup", "ctrl-b"], Action::PageUp, "page-up", "A page up"),
    row(Context::Movement, &["ctrl-d"], Action::HalfDown, "half-page-down", "Half a page down"),
    row(Context::Movement, &["ctrl-u"], Action::HalfUp, "half-page-up", "Half a page up"),
    row(Context::Movement, &["g", "home"], Action::First, "first", "To the first line"),
    row(Context::Movement, &["G", "end"], Action::Last, "last", "To the last line"),
    row(Context::Movement, &["esc"], Action::Back, "back", "One step back").hint("back", 9),

    row(Context::Global, &["1"], Action::Offers, "offers", "Offers pane"),
    row(Context::Global, &["2"], Action::Volumes, "volumes", "Volumes pane"),
    row(Context::Global, &["3"], Action::Workergroups, "workergroups", "Workergroups pane"),
    row(Context::Global, &["4"], Action::Requests, "requests", "Requests pane"),
    row(Context::Global, &["tab", "]"], Action::NextPane, "next-pane", "Next pane").hint("pane", 20),
    row(Context::Global, &["shift-tab", "["], Action::PreviousPane, "previous-pane", "Previous pane"),
    row(Context::Global, &["b"], Action::SavedSearches, "saved-searches", "Saved searches and presets: run, save, rename, order").hint("searches", 9),
    row(Context::Global, &["y"], Action::Copy, "copy", "Copy: a menu of forms with their letters").hint("copy", 9),
    row(Context::Global, &["e"], Action::Export, "export", "Export to a file").hint("export", 13),
    row(Context::Global, &[":", "ctrl-p"], Action::Palette, "palette", "Every action by name").hint("actions", 7),
    row(Context::Global, &["?", "f1"], Action::Help, "help", "All keys, searchable").hint("help", 4),
    row(Context::Global, &["t"], Action::RouteLab, "route-lab",
        "Route lab: test the endpoint of a workergroup, or a typed one"),
    row(Context::Global, &["u"], Action::Unlist, "unlist",
        "Unlist a volume: type its listing id twice").hint("unlist", 5),
    row(Context::Global, &["M"], Action::Markets, "markets", "Markets: connect to another one, add one, give a key, test it").hint("markets", 19),
    row(Context::Global, &["q"], Action::Quit, "quit", "Leave bourse").hint("quit", 21),

    row(Context::Always, &["f1"], Action::Help, "help-now", "Help, also while text is typed").hint("help", 4),
    row(Context::Always, &["ctrl-c"], Action::QuitNow, "quit-now", "Leave at once"),
    row(Context::Always, &["ctrl-z"], Action::Suspend, "suspend", "Suspend; fg comes back"),
    row(Context::Always, &["ctrl-l"], Action::Redraw, "redraw", "Paint the screen anew"),
];

/// The rows of a context.
pub fn bindings(context: Context) -> impl Iterator<Item = &'static Binding> {
    BINDINGS
        .iter()
        .filter(move |binding| binding.context == context)
}

/// What a key does for an owner: its contexts are asked in order.
pub fn resolve(contexts: &[Context], key: KeyEvent) -> Option<Action> {
    let pressed = Chord::of(key);
    contexts.iter().find_map(|context| {
        bindings(*context)
            .find(|binding| {
                binding
                    .keys
                    .iter()
                    .any(|key| Chord::parse(key) == Some(pressed))
            })
            .map(|binding| binding.action)
    })
}
