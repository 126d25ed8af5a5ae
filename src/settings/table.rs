//! Every setting of the configuration, one row each.
//!
//! Reading, checking, `bourse config show`, the printed default and the comparison at a reload
//! follow from the rows.

use std::iter;

use super::appearance::{Entry, Notifications, ThemeSource};
use super::config::Profile;
use super::reader::{Reader, Value, one_of};
use crate::domain::Dialect;
use crate::domain::cost::ModelSizes;
use crate::domain::format::{dollars, gigabytes, per_hour};
use crate::domain::limits::{Dollars, Limits};
use crate::domain::throughput::Throughput;
use crate::domain::watching::Watching;
use crate::keys::UserKeys;
use crate::keys::commands::UserCommand;
use crate::process;

/// A setting that belongs to no market.
pub(super) struct Setting {
    /// Its dotted name: `watch.every`.
    pub name: &'static str,
    /// Its comment in the printed default.
    doc: &'static str,
    /// Its default or an example, as TOML; for a table, the whole section.
    pub sample: &'static str,
    /// Sets it to the value in the file.
    pub read: fn(&mut Reader<'_>, &Value<'_>),
    /// Its value for display, in named parts; the name is empty if there is only one.
    pub show: fn(&Values) -> Vec<Pair>,
}

type Pair = (String, String);

/// Generates [`Values`] and [`SETTINGS`] from rows: the comment in the printed default, `name` =
/// `sample`, field, type and default, then the functions that read and show it.
macro_rules! settings {
    ($($(#[doc = $doc:literal])+
    $name:literal = $sample:literal, $field:ident: $type:ty = $default:expr, $read:expr, $show:expr;)+) => {
        /// The values of all settings, from the file or their defaults.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Values {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl Default for Values {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        pub(super) static SETTINGS: &[Setting] = &[$(Setting {
            name: $name,
            doc: concat!($("#", $doc, "\n"),+),
            sample: $sample,
            read: |reader, value| {
                let read: fn(&mut Reader<'_>, &Value<'_>) -> Option<$type> = $read;
                if let Some(new) = read(reader, value) {
                    reader.config.values.$field = new;
                }
            },
            show: |values| {
                let show: fn(&$type) -> Vec<Pair> = $show;
                show(&values.$field)
            },
        }),+];
    };
}

settings! {
    /// The profile that `bourse` opens on. `sandbox` (a market inside the program) and `vast` are built in.
    "default_profile" = "\"sandbox\"", default_profile: Option<String> = None,
        |reader, value| reader.string(value).map(Some),
        // It is shown as the profile in use.
        |_| Vec::new();

    /// auto (dark or light, as the terminal's background is), dark, light, high-contrast,
    /// ansi (the terminal's own sixteen colours) or none. `NO_COLOR` in the environment means none.
    "theme.name" = "\"auto\"", theme: ThemeSource = ThemeSource::default(),
        |reader, value| reader.theme(value), |value| alone(value.name());

    /// Other colours: "#rrggbb", a name (red, light-blue, dark-gray ...) or a number of the 256-colour
    /// palette; with a background: "black on #ffcc00".
    "theme.colors" = r##"[theme.colors]
#text = "white"           # ordinary text
#dim = "dark-gray"        # text of less weight
#accent = "light-cyan"    # the open tab, names of fields
#heading = "magenta"      # column headers, titles
#selected = "white on 24" # the selected line
#border = "dark-gray"     # frames
#key = "light-cyan"       # keys in hints
#good = "green"           # good news, best values
#warning = "yellow"       # things to notice
#error = "light-red"      # bad news
#sandbox = "black on green"
#live = "black on yellow"
#background = "#101418"   # under everything; without it the terminal's own
"##, colors: Vec<Entry<String>> = Vec::new(),
        |reader, value| reader.colors(value),
        |value| value.iter().map(|color| (color.name.clone(), color.value.clone())).collect();

    /// Whether borders, bars and arrows are drawn with ASCII only. Without it: in locales that are not
    /// UTF-8 and on the Linux console.
    "ascii" = "false", ascii: Option<bool> = None,
        |reader, value| reader.flag(value).map(Some),
        |value| alone(&value.map_or_else(|| "from the locale".to_owned(), |on| on.to_string()));

    /// Whether clicks, drags and the wheel work. With false the terminal selects text as usual.
    "mouse" = "true", mouse: bool = true, |reader, value| reader.flag(value), |value| alone(value);

    /// Desktop notifications, such as the end of a route run: off, unfocused (only while this terminal
    /// reports that it does not have the focus) or always. The terminal shows them (OSC 9 or OSC 777).
    "notifications" = "\"off\"", notifications: Notifications = Notifications::Off,
        |reader, value| reader.parsed(value, |word| one_of("choice for notifications", word, Notifications::ALL)),
        |value| alone(value.name());

    /// A command that runs when an alert rings, without a shell. It finds `BOURSE_ALERT` (the alert's name),
    /// `BOURSE_ALERT_TEXT`, `BOURSE_PRICE`, `BOURSE_COUNT`, `BOURSE_MODEL`, `BOURSE_MACHINE` and
    /// `BOURSE_OFFER` in its environment.
    "alert_command" = "\"/home/me/bin/on-alert\"", alert_command: Option<String> = None,
        |reader, value| {
            let parse = |text: &str| process::command_words(text).map(|_| Some(text.to_owned()));
            reader.parsed(value, |text| parse(text).map_err(|why| format!("alert_command: {why}")))
        },
        // Only the program: its arguments may hold the address of a private channel.
        |value| {
            let program = value.as_deref().and_then(|text| process::command_words(text).ok());
            alone(&program.map_or_else(|| "none".to_owned(), |(program, _)| program))
        };

    /// What one GPU does for you, as you measured it, in tokens/s, images/s or steps/s: columns show what a
    /// million tokens, or a thousand images or steps, cost. An offer with 8 GPUs does 8 times as much.
    "throughput" = r#"#[throughput."tokens/s"]
#"RTX 4090" = 2900
#"H100 SXM" = 11000
"#, throughput: Throughput = Throughput::default(),
        |reader, value| reader.throughput(value),
        |value| {
            let units = value.units();
            units.map(|unit| (unit.rate().to_owned(), format!("{} GPU models", value.model_count(unit)))).collect()
        };

    /// How many requests a minute all watched searches may send together, 1 to 60.
    "watch.requests_per_minute" = "10", requests_a_minute: u32 = Watching::default().requests_a_minute,
        |reader, value| reader.number(value, 1..=Watching::MOST), |value| alone(value);

    /// How often each watched search is refreshed, from 10s to 1d, unless another interval is chosen for it.
    "watch.every" = "\"30s\"", interval: u32 = Watching::default().interval,
        |reader, value| reader.seconds(value, 10.0..=86_400.0), |value| alone(&format!("{value}s"));

    /// Whether the supply and the cost of your workergroups are checked whenever they are listed, at most as often as
    /// `requests_per_minute` allows. With false a key checks them.
    "watch.supply" = "true", checks_supply: bool = true,
        |reader, value| reader.flag(value), |value| alone(value);

    /// Whether a search shows the rows that the record last saw complete for it until the reply arrives. They are
    /// dimmed, with their age, and nothing can be done with them.
    "display.recorded_rows" = "true", recorded_rows: bool = true,
        |reader, value| reader.flag(value), |value| alone(value);

    /// The highest worst case of a workergroup, in dollars per hour: above it, or where it is unknown, a group
    /// is created only with --over-limit. The dashboard asks for the same.
    "limits.group_hourly" = "10", group_hourly: Option<Dollars> = None,
        |reader, value| reader.dollars(value).map(Some), |value| dollars_per_hour(*value);

    /// The highest bill of a job, in dollars: `pick` and copied rent commands warn above it.
    "limits.bill" = "50", bill_limit: Option<Dollars> = None,
        |reader, value| reader.dollars(value).map(Some),
        |value| alone(&value.map_or_else(|| "none".to_owned(), |limit| dollars(limit.amount())));

    /// The highest price of an offer, in dollars per hour: `pick` and copied rent commands warn above it.
    "limits.hourly" = "2.5", hourly_limit: Option<Dollars> = None,
        |reader, value| reader.dollars(value).map(Some), |value| dollars_per_hour(*value);

    /// How long a model loads at a cold start, after image and model are downloaded, from 1s to 1h.
    "models.loading" = "\"2m\"", loading: u32 = 120,
        |reader, value| reader.seconds(value, 1.0..=3600.0), |value| alone(&format!("{value}s"));

    /// How many cold starts a day their cost is shown for, 1 to 10000.
    "models.starts" = "24", starts: u32 = 24,
        |reader, value| reader.number(value, 1..=10_000), |value| alone(value);

    /// Image and model that a cold start downloads: a size for all workergroups, or sizes by the name of an
    /// endpoint, or the hash or id of a template, and a default for the others.
    "models.size" = r#"[models.size]
#default = "20 GB"
#chat = "40 GB"
"#, model_sizes: ModelSizes = ModelSizes::default(),
        |reader, value| reader.sizes(value),
        |value| value.iter().map(|(name, gb)| (name.to_owned(), gigabytes(gb))).collect();

    /// Other keys. The names stand in the help screen (?), at the right. One key or several: a character,
    /// enter, esc, tab, shift-tab, space, backspace, delete, up, down, left, right, home, end, pgup, pgdn,
    /// f1 to f12, with ctrl- or alt- in front. Not ctrl-i, ctrl-m, ctrl-[ and ctrl-h: terminals send Tab,
    /// Enter, Esc and Backspace for them. An empty list leaves an action to the palette.
    "keys" = r#"[keys]
#refresh = ["r", "f5"]
#quit = "q"
"#, keys: Vec<Entry<Vec<String>>> = Vec::new(),
        |reader, value| reader.keys(value),
        |value| value.iter().map(|keys| (keys.name.clone(), keys.value.join(" "))).collect();

    /// Commands of your own on keys: run on the selected row, without a shell. `{id}` is the row's id, and any other
    /// field of the row works the same way; a doubled brace is one. `on` is offer, volume or workergroup, and `confirm`
    /// asks first. The command finds `BOURSE_OFFER`, `BOURSE_MACHINE`, `BOURSE_MODEL` and `BOURSE_PRICE` in its
    /// environment, and no key. Fields with characters that a command may act on are refused.
    "commands" = r#"#[commands.rent]
#key = "f9"
#run = ["vastai", "create", "instance", "{id}", "--image", "pytorch/pytorch", "--disk", "20"]
#on = "offer"
#confirm = true
"#, commands: Vec<Entry<UserCommand>> = Vec::new(),
        |reader, value| reader.commands(value),
        |value| value.iter().map(|named| {
            (named.name.clone(), format!("{} on {}", named.value.chord, named.value.on.nouns()))
        }).collect();
}

/// A limit in $/h for display, `none` without a limit, as a single pair with an empty name.
fn dollars_per_hour(limit: Option<Dollars>) -> Vec<Pair> {
    alone(&limit.map_or_else(|| "none".to_owned(), |limit| per_hour(limit.amount())))
}

/// A setting with a single value for display: one pair with an empty name.
fn alone(value: &(impl ToString + ?Sized)) -> Vec<Pair> {
    vec![(String::new(), value.to_string())]
}

impl Values {
    /// The key bindings in the form the key table reads.
    pub fn user_keys(&self) -> Vec<UserKeys> {
        let keys = self.keys.iter().map(|entry| UserKeys {
            name: entry.name.clone(),
            keys: entry.value.clone(),
            line: entry.position.line,
        });
        keys.collect()
    }

    /// The spending limits of the user, `None` for each that is not set: of a workergroup and of an offer in
    /// $/h, of a job's bill in $.
    pub const fn limits(&self) -> Limits {
        Limits {
            group_hourly: self.group_hourly,
            bill: self.bill_limit,
            hourly: self.hourly_limit,
        }
    }

    /// The polling interval of watched searches in seconds, and their requests a minute.
    pub const fn watch(&self) -> Watching {
        Watching {
            requests_a_minute: self.requests_a_minute,
            interval: self.interval,
        }
    }
}

/// A setting of a market: its name, an example with its comment, and the function that reads it.
type ProfileSetting = (
    &'static str,
    &'static str,
    fn(&mut Profile, &Value<'_>, &mut Reader<'_>),
);

/// The settings of a market, in the order of reading.
#[rustfmt::skip] // a table reads as a table
pub(super) static PROFILE: &[ProfileSetting] = &[
    ("base_url", "\"https://market.example\"", |profile, value, reader| {
        if let Some(base) = reader.address(value, "base_url") {
            profile.base_url = Some(base);
            // The route address of the old base does not belong to the new one.
            profile.route_url = None;
        }
    }),
    ("route_url", "\"https://run.example\"    # without it the base address",
        |profile, value, reader| {
            profile.route_url = reader.address(value, "route_url").or(profile.route_url.take());
        }),
    ("dialect", "\"documented\"               # documented, vast or sandbox: how the server spells things",
        |profile, value, reader| {
            let known = Dialect::ALL.map(|dialect| (dialect.name, dialect));
            let dialect = reader.parsed(value, |word| one_of("dialect", word, known));
            profile.dialect = dialect.unwrap_or(profile.dialect);
        }),
    ("api_key_file", "\"keys/work\"           # mode 0600; relative to this folder",
        |profile, value, reader| profile.api_key_file = reader.path(value)),
    ("api_key_command", "\"pass show market\" # instead of a file: a command that prints the key",
        |profile, value, reader| {
            let parse = |text: &str| process::command_words(text).map(|_| text.to_owned());
            let command = reader.parsed(value, |text| parse(text).map_err(|why| format!("api_key_command: {why}")));
            profile.api_key_command = command;
        }),
    ("read_only", "false                    # true refuses to create workergroups and to unlist volumes",
        |profile, value, reader| profile.read_only = reader.flag(value).unwrap_or(true)),
    ("worker_ca", "\"worker-ca.pem\"         # the root certificate of the workers, PEM; relative to this folder",
        |profile, value, reader| profile.worker_ca = reader.path(value)),
];

const HEAD: &str = "\
# The configuration of bourse: $XDG_CONFIG_HOME/bourse/config.toml
# (~/.config/bourse/config.toml if that is not set). Every setting is listed after a #, with its
# default or an example. `bourse config check` reports mistakes in yours.
";

const MARKET: &str = "
# A market of your own. The key comes from --api-key-file, else BOURSE_API_KEY, else from here.
#[profiles.work]
";

/// A configuration without effect: every setting with its default or an example, commented out.
pub fn default_config() -> String {
    let is_alone = |setting: &&Setting| !setting.name.contains('.') && !setting.sample.ends_with('\n');
    // In TOML, lines below the heading of a section belong to it.
    let (alone, in_sections): (Vec<_>, Vec<_>) = SETTINGS.iter().partition(is_alone);
    let mut text = HEAD.to_owned();
    let mut open = "";
    for setting in alone.into_iter().chain(in_sections) {
        let Setting { name, doc, sample, .. } = setting;
        if sample.ends_with('\n') {
            text.extend(["\n", doc, sample]);
            continue;
        }
        let (section, last) = name.rsplit_once('.').unwrap_or(("", name));
        if section != open {
            text.extend(["\n[", section, "]"]);
            open = section;
        }
        text.extend(["\n", doc, "#", last, " = ", sample, "\n"]);
    }
    let market = PROFILE
        .iter()
        .flat_map(|(name, sample, _)| ["#", *name, " = ", *sample, "\n"]);
    text.extend(iter::once(MARKET).chain(market));
    text
}
