//! The help: what is in sight first, then every other key, the query language and the signs.

use std::fmt::Write as _;

use super::able::reach;
use super::keymap::{BINDINGS, Binding, Context, bindings};
use super::overlay::Overlay;
use super::palette::Entry;
use super::{Model, Pane};
use crate::widgets::list::{Item, List};

/// Opens the help over whoever owns the keyboard.
pub(super) fn open(model: &mut Model) {
    if matches!(model.overlays.last(), Some(Overlay::Help(_))) {
        model.overlays.pop();
        return;
    }
    let own = model.contexts();
    let mut items = Vec::new();
    for (place, context) in own.iter().enumerate() {
        let about = if place == 0 { about(model) } else { "" };
        items.push(heading(context.title(), about));
        items.extend(bindings(*context).map(|row| key(model, row, true)));
    }
    items.extend(section("Query language", LANGUAGE));
    items.extend(section("Signs on the screen", SIGNS));
    items.extend(section("Mouse", MOUSE));
    items.extend(copies(model));
    let mut seen: Vec<Context> = own.to_vec();
    for row in BINDINGS {
        if seen.contains(&row.context) {
            continue;
        }
        seen.push(row.context);
        items.push(heading(row.context.title(), ""));
        items.extend(bindings(row.context).map(|row| {
            let mut item = key(model, row, false);
            // Found by typing, it stands under no heading.
            let _ = write!(item.text, " [{}]", row.context.title()); // a String takes everything
            item
        }));
    }
    model.overlays.push(Overlay::Help(List::new(items)));
}

/// What the copy menu has here, by its letters.
fn copies(model: &Model) -> Vec<Item<Entry>> {
    let menu = model.state.keymap.key_of(super::keymap::Action::Copy);
    let forms = super::palette::forms(model);
    if forms.is_empty() {
        return Vec::new();
    }
    let items = forms.into_iter().map(|form| Item {
        title: format!("{menu} {}", form.letter),
        text: format!("Copy {}", form.what),
        note: form.name.to_owned(),
        disabled: None,
        value: Some(Entry::Copy(form.name)),
    });
    std::iter::once(heading("Copy menu", ""))
        .chain(items)
        .collect()
}

fn heading(title: &str, text: &str) -> Item<Entry> {
    Item {
        title: title.to_owned(),
        text: text.to_owned(),
        note: String::new(),
        disabled: None,
        value: None,
    }
}

/// A row of the key table. For the owner of the keyboard it also says why it cannot be done now.
fn key(model: &Model, row: &'static Binding, is_own: bool) -> Item<Entry> {
    let keys = match model.state.keymap.all_keys(row) {
        none if none.is_empty() => "(palette)".to_owned(),
        all => all,
    };
    let owner = model.state.keymap.owner_of(model.contexts(), row);
    let why = match owner {
        Some(owner) if is_own && owner != row.context => {
            Some(format!("here the key is for: {}", owner.title()))
        }
        _ if is_own => model
            .disabled(row.action)
            .map(|why| format!("not now: {why}")),
        _ => None,
    };
    Item {
        title: keys,
        text: why.map_or_else(
            || row.help.to_owned(),
            |why| format!("{} ({why})", row.help),
        ),
        note: row.name.to_owned(),
        disabled: None,
        value: Some(Entry::Do(row.action)),
    }
}

fn section(title: &str, lines: &[(&str, &str)]) -> Vec<Item<Entry>> {
    let lines = lines.iter().map(|(title, text)| Item {
        title: (*title).to_owned(),
        text: (*text).to_owned(),
        note: String::new(),
        disabled: None,
        value: Some(Entry::Read),
    });
    std::iter::once(heading(title, "")).chain(lines).collect()
}

/// What is in sight, in a few words.
fn about(model: &Model) -> &'static str {
    match (model.overlays.is_empty(), model.state.pane) {
        (true, _) if model.takes_text() => {
            "conditions such as gpu_name=RTX_4090, or words that narrow the rows"
        }
        (false, _) if reach(model).is_some() => "over the table; Esc goes back to it",
        (false, _) => "",
        (_, Pane::Offers) => "machines for rent, as the query asks for them",
        (_, Pane::Volumes) => "network disks for rent; one is unlisted by typing its id twice",
        (_, Pane::Workergroups) => "the workers behind your serverless endpoints",
        (_, Pane::Requests) => "what was sent and answered",
    }
}

/// The query language by example. The left sides are short, for the keys stand under them.
const LANGUAGE: &[(&str, &str)] = &[
    (
        "gpu_name=RTX_4090",
        "equal; a _ stands for a blank in a name",
    ),
    (
        "price<0.5 vram>=24GB",
        "several conditions: all must hold; units are understood",
    ),
    (
        "duration>3d",
        "days, hours, GB, Gbps, %, $: write the unit behind the number",
    ),
    (
        "gpu_name in [A100,H100]",
        "one of a list; notin for none of it",
    ),
    (
        "verified=any",
        "takes away a condition that a search starts from",
    ),
    (
        "texas h100",
        "bare words narrow the rows that are here, without asking",
    ),
];

/// What the signs in tables mean.
const SIGNS: &[(&str, &str)] = &[
    (">", "the selected row"),
    ("*", "a marked row"),
    (
        "◆",
        "no other offer here is both cheaper and faster: per GPU, or for the job",
    ),
    (
        "▲ ▼",
        "sorted by this column, upwards or downwards; a 2 is the second key",
    ),
    (
        "!",
        "breaks a condition that was asked for; in front of a row: too small or ends too early",
    ),
    ("~", "worked out here from what the market sends: no quote"),
    ("-", "the market sent no value"),
    ("—", "none: no discount"),
    ("?!", "the market sent something that is no such value"),
    ("…", "cut for want of room: the detail view has all of it"),
];

/// What the mouse does.
const MOUSE: &[(&str, &str)] = &[
    ("click a row", "selects it; again shows it whole"),
    (
        "click a header",
        "sorts by the column; again turns the direction round",
    ),
    ("click a tab or a hint", "does what its key does"),
    ("turn the wheel", "scrolls what is on top"),
    ("drag the rule", "widens the table or the detail beside it"),
    (
        "Shift and drag",
        "selects text as elsewhere, in most terminals",
    ),
];
