//! The topics of the help other than keys.

/// A topic: its title, and lines of a sign or an example with its meaning.
type Topic = (&'static str, &'static [(&'static str, &'static str)]);

/// All topics, in the order of the help.
pub(super) const ALL: [Topic; 3] = [
    ("Query language", LANGUAGE),
    ("Signs on the screen", SIGNS),
    ("Mouse", MOUSE),
];

/// The query language by example.
///
/// The left sides are short because the keys below them are.
pub(super) const LANGUAGE: &[(&str, &str)] = &[
    ("4090 eu 200gb 3d", "plain words become conditions and a job"),
    ("gpu_name=RTX_4090", "equal; a _ is a blank in a name"),
    (
        "price<0.5 vram>=24GB",
        "all conditions must match; units are understood",
    ),
    (
        "duration>3d",
        "days, hours, GB, Gbps, %, $: the unit follows the number",
    ),
    ("gpu_name in [A100,H100]", "one of a list; notin for none of it"),
    ("verified=any", "removes a condition that every search starts with"),
    (
        "texas \"4090\"",
        "other words, and words in quotes, filter the loaded rows",
    ),
];

/// The legend of the tables.
pub(super) const SIGNS: &[(&str, &str)] = &[
    ("›", "the selected row or line"),
    ("▌", "a marked row"),
    (
        "┄●┄│",
        "the rail: the price from the 5th to the 95th percentile of its model, per GPU; │ is the median, the cheap end is left",
    ),
    ("3 alike", "3 offers of its model with this one: too few to compare"),
    ("+4 →", "columns at the right that did not fit: → scrolls to them"),
    (
        "◆",
        "best: no loaded offer is cheaper and faster; for a fixed job the lowest bill",
    ),
    ("▲ ▼", "sorted by this column, up or down; 2 is the second key"),
    (
        "!",
        "breaks a condition; before a row: unfit, with the reason in the place of the rail",
    ),
    ("@", "your own volume listing, in the sandbox"),
    ("~", "estimated here from what the market sends, not a quote"),
    ("-", "not reported"),
    ("—", "no value, such as no discount"),
    ("?!", "the market sent something that does not fit the field"),
    ("…", "truncated: the details show all of it"),
];

const MOUSE: &[(&str, &str)] = &[
    ("click a row", "selects it; again opens its details"),
    ("click a header", "sorts by the column; again reverses"),
    ("click a tab or a hint", "does what its key does"),
    ("turn the wheel", "scrolls the topmost view"),
    ("drag the divider", "resizes the two sides"),
    ("Shift and drag", "selects text, in most terminals"),
];
