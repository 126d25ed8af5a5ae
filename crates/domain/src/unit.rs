//! Units of a record's numbers, and their spelling.

use super::dialect::{Dialect, TransferUnit};

/// Megabytes in a gigabyte, wherever bourse shows or parses memory, as in the market's own client.
pub const MB_PER_GB: f64 = 1000.0;

/// The unit of a field's values on the wire, and of bare numbers in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    None,
    /// Memory in MB; shown and typed in GB (x 1000, as in the market's own client).
    Megabytes,
    Gigabytes,
    /// A span in seconds; shown and typed in days.
    Seconds,
    Dollars,
    DollarsPerHour,
    /// Storage price per GB and month of 720 hours.
    DollarsPerGigabyteMonth,
    DollarsPerGigabyte,
    /// Traffic price per TB of 1024 GB.
    DollarsPerTerabyte,
    /// Network speed. The specification says MB/s, the service sends Mb/s: the dialect decides.
    Transfer,
    MegabytesPerSecond,
    /// Bus and memory speed in GB/s.
    GigabytesPerSecond,
    /// A score from 0 to 1, read as a percentage.
    Ratio,
    Gigahertz,
    Watts,
    Celsius,
    /// Trillions of floating point operations per second.
    Teraflops,
    Dlperf,
    /// Deep learning performance per dollar and hour.
    DlperfPerDollar,
    /// Teraflops per dollar and hour.
    TeraflopsPerDollar,
    /// CUDA compute capability x 100.
    Capability,
}

/// The suffixes of durations, in seconds.
const DURATIONS: &[(&str, f64)] = &[
    ("s", 1.0),
    ("sec", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("h", 3600.0),
    ("d", 86_400.0),
    ("day", 86_400.0),
    ("days", 86_400.0),
    ("w", 604_800.0),
    ("mo", 2_592_000.0),
    ("y", 31_536_000.0),
];

/// The suffixes of network speeds, in lower case, with the factor to the wire unit.
const fn transfer_suffixes(unit: TransferUnit) -> &'static [(&'static str, f64)] {
    match unit {
        TransferUnit::MegabytesPerSecond => &[
            ("mb/s", 1.0),
            ("gb/s", 1e3),
            ("mbps", 0.125),
            ("mbit/s", 0.125),
            ("gbps", 125.0),
            ("gbit/s", 125.0),
        ],
        TransferUnit::MegabitsPerSecond => &[
            ("mbps", 1.0),
            ("mbit/s", 1.0),
            ("gbps", 1e3),
            ("gbit/s", 1e3),
            ("mb/s", 8.0),
            ("gb/s", 8e3),
        ],
    }
}

impl Unit {
    /// The factor from a bare number in a query to the wire value: 1000 for memory in MB (typed in GB),
    /// 86,400 for seconds (typed in days), else 1.
    pub const fn query_factor(self) -> f64 {
        match self {
            Self::Megabytes => MB_PER_GB,
            Self::Seconds => 86_400.0,
            _ => 1.0,
        }
    }

    /// The unit of a bare number in a query, for display: `GB`, `days`, `0..1` for a share, else the symbol
    /// of the wire unit; empty if it has none.
    pub const fn query_symbol(self, dialect: &Dialect) -> &'static str {
        match self {
            Self::Megabytes | Self::Gigabytes => "GB",
            Self::Seconds => "days",
            Self::Ratio => "0..1",
            unit => unit.symbol(dialect),
        }
    }

    /// The symbol of the wire unit, for display; empty if it has none.
    pub const fn symbol(self, dialect: &Dialect) -> &'static str {
        match self {
            Self::None | Self::Ratio => "",
            Self::Megabytes => "MB",
            Self::Gigabytes => "GB",
            Self::Seconds => "s",
            Self::Dollars => "$",
            Self::DollarsPerHour => "$/h",
            Self::DollarsPerGigabyteMonth => "$/GB/month",
            Self::DollarsPerGigabyte => "$/GB",
            Self::DollarsPerTerabyte => "$/TB",
            Self::Transfer => dialect.transfer.symbol(),
            Self::MegabytesPerSecond => "MB/s",
            Self::GigabytesPerSecond => "GB/s",
            Self::Gigahertz => "GHz",
            Self::Watts => "W",
            Self::Celsius => "°C",
            Self::Teraflops => "TFLOPS",
            Self::Dlperf => "DLPerf",
            Self::DlperfPerDollar => "DLPerf/$/h",
            Self::TeraflopsPerDollar => "TFLOPS/$/h",
            Self::Capability => "x100",
        }
    }

    /// Suffixes allowed after a number, in lower case, each with its factor to the wire value.
    pub const fn suffixes(self, dialect: &Dialect) -> &'static [(&'static str, f64)] {
        match self {
            Self::Megabytes => &[("mb", 1.0), ("gb", 1e3), ("g", 1e3), ("tb", 1e6), ("t", 1e6)],
            Self::Gigabytes => &[("mb", 1e-3), ("gb", 1.0), ("g", 1.0), ("tb", 1e3), ("t", 1e3)],
            Self::Seconds => DURATIONS,
            Self::Transfer => transfer_suffixes(dialect.transfer),
            Self::MegabytesPerSecond => &[("mb/s", 1.0), ("gb/s", 1e3)],
            Self::GigabytesPerSecond => &[("gb/s", 1.0), ("mb/s", 1e-3), ("tb/s", 1e3)],
            Self::Ratio => &[("%", 0.01)],
            Self::Gigahertz => &[("ghz", 1.0), ("mhz", 1e-3)],
            Self::Watts => &[("w", 1.0), ("kw", 1e3)],
            Self::Celsius => &[("c", 1.0), ("°c", 1.0)],
            Self::Teraflops => &[("tflops", 1.0), ("pflops", 1e3)],
            Self::Dollars | Self::DollarsPerHour => &[("$", 1.0), ("$/h", 1.0)],
            Self::DollarsPerGigabyteMonth => &[("$", 1.0), ("$/gb", 1.0)],
            Self::DollarsPerGigabyte => &[("$", 1.0), ("$/gb", 1.0), ("$/tb", 1.0 / 1024.0)],
            Self::DollarsPerTerabyte => &[("$", 1.0), ("$/tb", 1.0), ("$/gb", 1024.0)],
            Self::None | Self::Dlperf | Self::DlperfPerDollar | Self::TeraflopsPerDollar | Self::Capability => &[],
        }
    }

    /// The suffixes as they can be typed: in lower case, but for the bytes of a network speed, which differ from bits
    /// by their capitals.
    pub fn spellings(self, dialect: &Dialect) -> impl Iterator<Item = String> {
        let spelled = move |suffix: &str| match suffix.strip_suffix("b/s") {
            Some(prefix) if self == Self::Transfer => format!("{}B/s", prefix.to_uppercase()),
            _ => suffix.to_owned(),
        };
        self.suffixes(dialect).iter().map(move |(suffix, _)| spelled(suffix))
    }

    /// Whether the values are amounts or prices in dollars, so that a leading `$` is meaningful.
    pub const fn is_money(self) -> bool {
        matches!(
            self,
            Self::Dollars
                | Self::DollarsPerHour
                | Self::DollarsPerGigabyteMonth
                | Self::DollarsPerGigabyte
                | Self::DollarsPerTerabyte
        )
    }
}
