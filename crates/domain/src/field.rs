//! One row describes a field completely.
//!
//! A [`Field`] is the only place that describes a member of a marketplace record: its wire name,
//! its aliases, its unit, the operators it allows, who can filter on it, how it is read from a
//! record and how it is shown. The filter and sort editors, the query language, the table, the
//! detail view, the wire encoding, local matching, CSV headers and docs/fields.md are all derived from
//! these rows.

use std::borrow::Cow;

use super::dialect::Dialect;
pub use super::operator::{Operator, Operators};
pub use super::unit::Unit;

/// What kind of value a field holds: decides how operands are read and cells compared.
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
    /// Whether cells of this kind are numbers, so that they can be ordered, summed and plotted.
    pub const fn is_numeric(self) -> bool {
        matches!(
            self,
            Self::Integer | Self::Number | Self::Id | Self::Epoch | Self::Version
        )
    }
}

/// Who can filter on a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// The specification documents the parameter, so every server takes it.
    Documented,
    /// The public service takes it although the specification does not name it: sent in dialects
    /// that say so, else applied locally.
    Market,
    /// No server takes it: applied locally to the loaded rows.
    Local,
    Never,
}

/// How a field is read from a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The member of that name.
    Member(&'static str),
    /// The number member of that name, where a market sends 0 for unknown.
    Known(&'static str),
    /// The first of these members that is present: servers spell it differently.
    Either(&'static [&'static str]),
    /// The member of that name, a search for machines: text, filter objects or a list of either,
    /// read as text in the query language.
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
    /// A switch of the search itself; records do not carry it.
    Nowhere,
    /// Computed from other members and the person's inputs; no record carries it and no server
    /// knows it. The code that computes it puts the cells into the listing.
    Computed,
}

/// The section of a detail view or editor that lists a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Ids, names and owners.
    Identity,
    /// Prices and ratios to price.
    Price,
    Gpu,
    Cpu,
    Disk,
    Network,
    Trust,
    /// How long and to whom it is available.
    Availability,
    Place,
    Software,
    /// Scaling parameters of a workergroup.
    Scaling,
    /// Members that the service sends without documenting them.
    Other,
}

impl Section {
    /// All sections in the order in which they are shown.
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

/// How a cell of the field is formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// As the kind and unit suggest.
    Auto,
    /// With exactly this many decimals.
    Places(u8),
    YesNo,
}

/// How the record of the market keeps a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Recording {
    /// Written when it differs from the stored value by more than that.
    Stored(Tolerance),
    /// Computed from stored fields, from what identifies an offer, or from the time.
    Derived,
    /// Left out: a secret, an address, an id that changes without a change of the offer, or a figure that follows
    /// from price and storage by a formula of the market's own.
    Never,
}

/// The noise of a field: differences from the stored value up to `absolute` plus a `share` of it say nothing. As
/// the stored value stays until then, a slow drift is recorded all the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    pub absolute: f64,
    pub share: f64,
}

impl Tolerance {
    pub const EXACT: Self = Self {
        absolute: 0.0,
        share: 0.0,
    };
    /// The last digit of prices with six or seven, some in single precision.
    pub const ROUNDING: Self = Self {
        absolute: 1e-7,
        share: 1e-6,
    };

    pub const fn share(share: f64) -> Self {
        Self { absolute: 0.0, share }
    }

    pub const fn absolute(absolute: f64) -> Self {
        Self { absolute, share: 0.0 }
    }

    /// Whether `seen` says nothing new where `stored` is on record.
    pub fn covers(&self, stored: f64, seen: f64) -> bool {
        // Of equal infinities the difference is no number.
        stored.total_cmp(&seen).is_eq() || (stored - seen).abs() <= self.absolute + self.share * stored.abs()
    }
}

/// How a field behaves as a table column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Width in terminal cells.
    pub width: u16,
    /// Rank among the columns shown by default; `None` if hidden by default.
    pub rank: Option<u8>,
    /// Which column a narrow screen drops first: the one with the largest number.
    pub priority: u8,
}

/// One member, filter parameter or both. See the module documentation.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name on the wire, and the first name in the query language.
    pub key: &'static str,
    /// Further names that people may use.
    pub aliases: &'static [&'static str],
    /// The column header and detail label.
    pub label: &'static str,
    /// What sort of value it is.
    pub kind: Kind,
    /// The unit of its wire value.
    pub unit: Unit,
    pub operators: Operators,
    /// Who can filter on it.
    pub filter: Filter,
    /// Whether a server is asked to order by it.
    pub sortable: bool,
    /// Whether records carry it (a filter such as `verified` is not in the record).
    pub in_record: bool,
    /// Whether the documentation names the record member.
    pub documented: bool,
    /// How it is read from a record.
    pub source: Source,
    /// Values worth offering in an editor.
    pub choices: &'static [&'static str],
    /// Smallest and largest plausible wire value; operands outside get a warning.
    pub range: Option<(f64, f64)>,
    pub section: Section,
    /// How it behaves as a column.
    pub column: Column,
    pub format: Format,
    /// Whether a zero means "none", and is shown as that.
    pub zero_is_none: bool,
    /// Whether more is better (`Some(true)`), less is better (`Some(false)`), or neither: for
    /// comparisons.
    pub better: Option<bool>,
    /// How the record of the market keeps it.
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
            _ => Recording::Stored(Tolerance::EXACT),
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

    /// A number with a unit.
    pub const fn number(key: &'static str, label: &'static str, unit: Unit) -> Self {
        let mut field = Self::new(key, label, Kind::Number);
        field.unit = unit;
        field.recording = Recording::Stored(Tolerance::ROUNDING);
        field
    }

    pub const fn hourly(key: &'static str, label: &'static str) -> Self {
        Self::number(key, label, Unit::DollarsPerHour)
    }

    pub const fn integer(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Integer)
    }

    pub const fn id(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Id)
    }

    pub const fn text(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Text)
    }

    pub const fn flag(key: &'static str, label: &'static str) -> Self {
        Self::new(key, label, Kind::Flag)
    }

    pub const fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    pub const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub const fn unit(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    pub const fn section(mut self, section: Section) -> Self {
        self.section = section;
        self
    }

    /// Who can filter on it.
    pub const fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// The specification documents it as a filter parameter.
    pub const fn documented_filter(self) -> Self {
        self.filter(Filter::Documented)
    }

    /// The service takes it as a filter although the specification does not say so.
    pub const fn market_filter(self) -> Self {
        self.filter(Filter::Market)
    }

    /// A filter that no record carries under this name.
    pub const fn filter_only(mut self, source: Source) -> Self {
        self.source = source;
        self.in_record = false;
        self.documented = false;
        self.sortable = false;
        self.derived()
    }

    /// A computed column; conditions on it are applied locally.
    pub const fn computed(mut self) -> Self {
        self.source = Source::Computed;
        self.filter = Filter::Local;
        self.in_record = false;
        self.documented = false;
        self.derived()
    }

    /// A record member that the specification does not list, seen in real records.
    pub const fn undocumented(mut self) -> Self {
        self.documented = false;
        self
    }

    /// Where it is read from.
    pub const fn source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }

    /// Read from a member of a nested object.
    pub const fn nested(self, object: &'static str, member: &'static str) -> Self {
        self.source(Source::Nested(object, member))
    }

    pub const fn choices(mut self, choices: &'static [&'static str]) -> Self {
        self.choices = choices;
        self
    }

    /// The plausible range in wire units.
    pub const fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Shown by default with this `rank`, `width` cells wide; narrow screens drop larger `priority`
    /// first.
    pub const fn column(mut self, rank: u8, width: u16, priority: u8) -> Self {
        self.column = Column {
            width,
            rank: Some(rank),
            priority,
        };
        self
    }

    pub const fn width(mut self, width: u16) -> Self {
        self.column.width = width;
        self
    }

    /// Which column a narrow screen drops first, if shown: the one with the largest number.
    pub const fn priority(mut self, priority: u8) -> Self {
        self.column.priority = priority;
        self
    }

    pub const fn places(mut self, places: u8) -> Self {
        self.format = Format::Places(places);
        self
    }

    /// Shown as yes or no, and compared with `true` and `false` too.
    pub const fn yes_no(mut self) -> Self {
        self.format = Format::YesNo;
        self
    }

    pub const fn zero_is_none(mut self) -> Self {
        self.zero_is_none = true;
        self
    }

    pub const fn more_is_better(mut self) -> Self {
        self.better = Some(true);
        self
    }

    pub const fn less_is_better(mut self) -> Self {
        self.better = Some(false);
        self
    }

    /// How the record of the market keeps it.
    pub const fn recorded(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    /// Recorded when it differs from the stored value by more than a share of it.
    pub const fn noisy(self, share: f64) -> Self {
        self.recorded(Recording::Stored(Tolerance::share(share)))
    }

    /// Recorded when it differs from the stored value by more than that.
    pub const fn wavering(self, absolute: f64) -> Self {
        self.recorded(Recording::Stored(Tolerance::absolute(absolute)))
    }

    /// Computed wherever the record is read.
    pub const fn derived(self) -> Self {
        self.recorded(Recording::Derived)
    }

    pub const fn never_recorded(self) -> Self {
        self.recorded(Recording::Never)
    }

    pub const fn recording(&self) -> Recording {
        self.recording
    }

    /// The header of its column, with the unit where the dialect decides it.
    pub fn header(&self, dialect: &Dialect) -> Cow<'static, str> {
        match self.unit {
            Unit::Transfer => format!("{} {}", self.label, self.unit.symbol(dialect)).into(),
            _ => self.label.into(),
        }
    }

    /// Whether it can be a table column.
    pub const fn is_column(&self) -> bool {
        (self.in_record || self.is_computed()) && !matches!(self.kind, Kind::Secret)
    }

    pub const fn is_computed(&self) -> bool {
        matches!(self.source, Source::Computed)
    }

    /// Whether it can be filtered on at all, by a server or locally.
    pub const fn is_filter(&self) -> bool {
        !matches!(self.filter, Filter::Never)
    }
}
