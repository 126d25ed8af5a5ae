//! The description of a field.
//!
//! A [`Field`] is the only place that describes a member of a marketplace record: its wire name, its aliases, its unit,
//! the operators it allows, where it can be filtered, how it is read from a record and how it is shown. The filter and
//! sort editors, the query language, the table, the detail view, the wire encoding, local matching, CSV headers and
//! docs/fields.md are all derived from these rows.

use std::borrow::Cow;

use super::dialect::Dialect;
pub use super::operator::{Operator, Operators};
pub use super::unit::Unit;

/// The kind of value a field holds: decides how operands are parsed and cells compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Flag,
    /// A whole number. Services send some of these with a fraction; that is accepted.
    Integer,
    Number,
    /// An id: compared exactly, shown without separators.
    Id,
    Text,
    /// A location such as `Texas, US`, compared by the country after the last comma.
    Country,
    /// A driver version such as `535.86.05`, compared part by part.
    Version,
    /// Seconds since 1970, shown as a date.
    Epoch,
    /// An ISO 8601 text or seconds since 1970, shown as a date.
    Timestamp,
    /// A list of numbers, shown only.
    List,
    /// A secret: masked, never sorted, filtered, exported or logged.
    Secret,
}

impl Kind {
    /// Whether cells of this kind can be ordered, summed and plotted: integers, numbers, ids, epochs and
    /// versions.
    pub const fn is_numeric(self) -> bool {
        matches!(
            self,
            Self::Integer | Self::Number | Self::Id | Self::Epoch | Self::Version
        )
    }
}

/// The place where a field is filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// The specification documents the parameter, so every server takes it.
    Documented,
    /// The public service takes it although the specification does not name it: sent in dialects that support it, else
    /// applied locally.
    Market,
    /// No server takes it: applied locally to the loaded rows.
    Local,
    Never,
}

/// The way a field is read from a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The member of that name.
    Member(&'static str),
    /// The number member of that name, of which 0 means unknown.
    Known(&'static str),
    /// The first of these members that is present: servers spell it differently.
    Either(&'static [&'static str]),
    /// The member of that name, a search for machines: text, filter objects or a list of either, converted to the query
    /// language.
    Search(&'static str),
    /// A member of a nested object, as `search.totalHour`.
    Nested(&'static str, &'static str),
    /// True if the text member equals the text: the filter `verified` reads `verification`.
    TextIs(&'static str, &'static str),
    /// True if the number member equals the number: `datacenter` reads `hosting_type`.
    NumberIs(&'static str, i64),
    /// Seconds left: the first member if present, else the second (an epoch) minus now.
    TimeLeft(&'static str, &'static str),
    /// Seconds from the time in that member to the time the response was received.
    Since(&'static str),
    /// A parameter of the search; records do not carry it.
    Nowhere,
    /// Computed from other members and the user's inputs; no record carries it and it is never sent to a server. The
    /// code that computes it puts the cells into the listing.
    Computed,
}

/// The section of a detail view or editor that lists a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Ids, names and owners of the record.
    Identity,
    /// Prices, and performance per price.
    Price,
    Gpu,
    Cpu,
    Disk,
    Network,
    Trust,
    /// Rental state, remaining time and availability.
    Availability,
    Place,
    Software,
    /// Scaling parameters of a workergroup.
    Scaling,
    /// Members that the service sends but does not document.
    Other,
}

impl Section {
    /// All sections in display order.
    pub const ALL: [Self; 12] = [
        Self::Identity,
        Self::Price,
        Self::Gpu,
        Self::Cpu,
        Self::Disk,
        Self::Network,
        Self::Trust,
        Self::Availability,
        Self::Place,
        Self::Software,
        Self::Scaling,
        Self::Other,
    ];

    /// The heading of this section of a detail view or editor: `GPU`, `CPU and memory`, `Reliability`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Identity => "Identity",
            Self::Price => "Price",
            Self::Gpu => "GPU",
            Self::Cpu => "CPU and memory",
            Self::Disk => "Disk",
            Self::Network => "Network",
            Self::Trust => "Reliability",
            Self::Availability => "Availability",
            Self::Place => "Place",
            Self::Software => "Software",
            Self::Scaling => "Scaling",
            Self::Other => "Other",
        }
    }
}

/// The format of a field's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The default for the kind and unit.
    Auto,
    /// A number with exactly this many decimals.
    Places(u8),
    YesNo,
}

/// The way the record of the market stores a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Recording {
    /// Written if it differs from the stored value by more than the tolerance.
    Stored(NoiseThreshold),
    /// Computed from stored fields, from the identity of an offer, or from the time.
    Derived,
    /// Left out: a secret, an address, an id that changes without a change of the offer, or a figure that follows
    /// from price and storage by a formula of the market's own.
    Never,
}

/// The smallest change of a field worth recording: more than `absolute` plus `share` of the stored value.
///
/// The stored value stays until then, so a slow drift is still recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseThreshold {
    pub absolute: f64,
    pub share: f64,
}

impl NoiseThreshold {
    pub const EXACT: Self = Self {
        absolute: 0.0,
        share: 0.0,
    };
    /// The last digit of prices with six or seven digits, some in single precision.
    pub const ROUNDING: Self = Self {
        absolute: 1e-7,
        share: 1e-6,
    };

    /// Tolerates changes up to this share of the stored value.
    pub const fn share(share: f64) -> Self {
        Self { absolute: 0.0, share }
    }

    /// Tolerates changes up to this amount, in the wire unit.
    pub const fn absolute(absolute: f64) -> Self {
        Self { absolute, share: 0.0 }
    }

    /// Whether the difference between `seen` and `stored` is within the tolerance.
    pub fn covers(&self, stored: f64, seen: f64) -> bool {
        // The difference of equal infinities is NaN.
        stored.total_cmp(&seen).is_eq() || (stored - seen).abs() <= self.absolute + self.share * stored.abs()
    }
}

/// The layout of a field as a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Preferred width of the column in terminal cells.
    pub width: u16,
    /// Rank among the columns shown by default; `None` if hidden by default.
    pub rank: Option<u8>,
    /// The order in which narrow screens drop columns: the largest number first.
    pub priority: u8,
}

/// A record member, a filter parameter or both. See the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name on the wire, and the first name in the query language.
    pub key: &'static str,
    /// Further names that the query language accepts.
    pub aliases: &'static [&'static str],
    /// The column header and detail label.
    pub label: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// The unit of its wire value.
    pub unit: Unit,
    pub operators: Operators,
    /// The place where it is filtered.
    pub filter: Filter,
    /// Whether orders by it are sent to a server.
    pub sortable: bool,
    /// Whether records carry it (a filter such as `verified` is not in the record).
    pub in_record: bool,
    /// Whether the specification names the record member.
    pub documented: bool,
    /// The way it is read from a record.
    pub source: Source,
    /// Suggested values in an editor.
    pub choices: &'static [&'static str],
    /// Smallest and largest plausible wire value; operands outside get a warning.
    pub range: Option<(f64, f64)>,
    pub section: Section,
    /// Its layout as a column.
    pub column: Column,
    pub format: Format,
    /// Whether a zero means "none", and is shown as such.
    pub zero_is_none: bool,
    /// Whether more is better (`Some(true)`), less is better (`Some(false)`), or neither (`None`): for comparisons.
    pub better: Option<bool>,
    /// The way the record of the market stores it.
    pub recording: Recording,
    pub doc: &'static str,
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || (self.key == other.key && self.doc == other.doc)
    }
}
impl Eq for Field {}

/// Builders for the tables. They are `const`, so a catalog is plain static data.
impl Field {
    /// A field with the defaults of `kind`.
    pub const fn new(key: &'static str, label: &'static str, kind: Kind) -> Self {
        let (operators, sortable) = match kind {
            Kind::Flag | Kind::Text | Kind::Country => (Operators::EQUALITY, true),
            Kind::Integer | Kind::Number | Kind::Id | Kind::Version | Kind::Epoch | Kind::Timestamp => {
                (Operators::ALL, true)
            }
            Kind::List | Kind::Secret => (Operators::NONE, false),
        };
        let filter = match kind {
            Kind::List | Kind::Secret => Filter::Never,
            _ => Filter::Local,
        };
        let recording = match kind {
            Kind::List | Kind::Secret => Recording::Never,
            _ => Recording::Stored(NoiseThreshold::EXACT),
        };
        Self {
            key,
            aliases: &[],
            label,
            kind,
            unit: Unit::None,
            operators,
            filter,
            sortable,
            in_record: true,
            documented: true,
            source: Source::Member(key),
            choices: &[],
            range: None,
            section: Section::Other,
            column: Column {
                width: 10,
                rank: None,
                priority: 200,
            },
            format: Format::Auto,
            zero_is_none: false,
            better: None,
            recording,
            doc: "",
        }
    }

    /// A number with a unit; the record ignores changes that rounding may explain.
    pub const fn number(key: &'static str, label: &'static str, unit: Unit) -> Self {
        let mut field = Self::new(key, label, Kind::Number);
        field.unit = unit;
        field.recording = Recording::Stored(NoiseThreshold::ROUNDING);
        field
    }

    /// A price in $/h.
    pub const fn hourly(key: &'static str, label: &'static str) -> Self {
        Self::number(key, label, Unit::DollarsPerHour)
    }

    /// A whole number without a unit.
    pub const fn integer(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Integer)
    }

    /// An id: compared exactly, shown without separators.
    pub const fn id(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Id)
    }

    /// A text, filtered by equality and lists, not by bounds.
    pub const fn text(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Text)
    }

    /// A boolean, filtered by equality and lists, not by bounds.
    pub const fn flag(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Flag)
    }

    /// Sets the description that help and editors show.
    pub const fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// Sets the further names that the query language accepts, in place of earlier ones.
    pub const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Sets the unit of its value in records.
    pub const fn unit(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    /// Sets the section of a detail view or editor that lists it.
    pub const fn section(mut self, section: Section) -> Self {
        self.section = section;
        self
    }

    /// Sets the place where it is filtered.
    pub const fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Marks it as a filter parameter of the specification.
    pub const fn documented_filter(self) -> Self {
        self.filter(Filter::Documented)
    }

    /// Marks it as a filter parameter of the public service that the specification does not name.
    pub const fn market_filter(self) -> Self {
        self.filter(Filter::Market)
    }

    /// Makes it a filter that no record carries under this name: read from `source`, not sortable, never
    /// stored.
    pub const fn filter_only(mut self, source: Source) -> Self {
        self.source = source;
        self.in_record = false;
        self.documented = false;
        self.sortable = false;
        self.derived()
    }

    /// Makes it a computed column, undocumented and never stored: no record carries it, and conditions on it are
    /// applied locally.
    pub const fn computed(mut self) -> Self {
        self.source = Source::Computed;
        self.filter = Filter::Local;
        self.in_record = false;
        self.documented = false;
        self.derived()
    }

    /// Marks it as a record member that the specification does not list but real records have.
    pub const fn undocumented(mut self) -> Self {
        self.documented = false;
        self
    }

    /// Sets the way it is read from a record.
    pub const fn source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }

    /// Reads it from a member of a nested object.
    pub const fn nested(self, object: &'static str, member: &'static str) -> Self {
        self.source(Source::Nested(object, member))
    }

    /// Sets the values that an editor suggests; others are accepted as well.
    pub const fn choices(mut self, choices: &'static [&'static str]) -> Self {
        self.choices = choices;
        self
    }

    /// Sets the plausible range, in wire units.
    pub const fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Shows it by default with this `rank`, `width` cells wide; narrow screens drop columns with a larger `priority`
    /// first.
    pub const fn column(mut self, rank: u8, width: u16, priority: u8) -> Self {
        self.column = Column {
            width,
            rank: Some(rank),
            priority,
        };
        self
    }

    /// Sets the preferred width of its column, in terminal cells.
    pub const fn width(mut self, width: u16) -> Self {
        self.column.width = width;
        self
    }

    /// Sets the order in which narrow screens drop it, if it is shown: the largest number first.
    pub const fn priority(mut self, priority: u8) -> Self {
        self.column.priority = priority;
        self
    }

    /// Shows its numbers with exactly this many decimals.
    pub const fn places(mut self, places: u8) -> Self {
        self.format = Format::Places(places);
        self
    }

    /// Shows it as yes or no, and compares it with `true` and `false` too.
    pub const fn yes_no(mut self) -> Self {
        self.format = Format::YesNo;
        self
    }

    /// Shows a zero as `—`, for none.
    pub const fn zero_is_none(mut self) -> Self {
        self.zero_is_none = true;
        self
    }

    /// Marks larger values as better in comparisons.
    pub const fn more_is_better(mut self) -> Self {
        self.better = Some(true);
        self
    }

    /// Marks smaller values as better in comparisons.
    pub const fn less_is_better(mut self) -> Self {
        self.better = Some(false);
        self
    }

    /// Sets the way the record of the market stores it.
    pub const fn recorded(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    /// Records it if it differs from the stored value by more than `share` of it.
    pub const fn noisy(self, share: f64) -> Self {
        self.recorded(Recording::Stored(NoiseThreshold::share(share)))
    }

    /// Records it if it differs from the stored value by more than `absolute`.
    pub const fn wavering(self, absolute: f64) -> Self {
        self.recorded(Recording::Stored(NoiseThreshold::absolute(absolute)))
    }

    /// Never stores it: it is computed when the record is read.
    pub const fn derived(self) -> Self {
        self.recorded(Recording::Derived)
    }

    /// Leaves it out of the record of the market.
    pub const fn never_recorded(self) -> Self {
        self.recorded(Recording::Never)
    }

    /// The way the record of the market stores it.
    pub const fn recording(&self) -> Recording {
        self.recording
    }

    /// The header of its column; of network speeds with their unit in the dialect, of other fields the label.
    pub fn header(&self, dialect: &Dialect) -> Cow<'static, str> {
        match self.unit {
            Unit::Transfer => format!("{} {}", self.label, self.unit.symbol(dialect)).into(),
            _ => self.label.into(),
        }
    }

    /// Whether it can be a table column: in records or computed, and not a secret.
    pub const fn is_column(&self) -> bool {
        (self.in_record || self.is_computed()) && !matches!(self.kind, Kind::Secret)
    }

    /// Whether bourse computes it, so that no record carries it.
    pub const fn is_computed(&self) -> bool {
        matches!(self.source, Source::Computed)
    }

    /// Whether it can be filtered on, by a server or locally.
    pub const fn is_filter(&self) -> bool {
        !matches!(self.filter, Filter::Never)
    }
}
