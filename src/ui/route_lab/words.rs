//! Numbers of the lab in words.

pub use crate::domain::routing::words::{amount, count, early_end, plan, span};
use crate::domain::routing::{Figure, FigureUnit};

/// A latency in the unit that suits it.
pub fn latency(seconds: f64) -> String {
    let size = seconds.abs();
    if size < 0.000_999_5 {
        format!("{:.2} ms", seconds * 1e3)
    } else if size < 0.099_95 {
        format!("{:.1} ms", seconds * 1e3)
    } else if size < 0.999_5 {
        format!("{:.0} ms", seconds * 1e3)
    } else if size < 99.995 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.0} s")
    }
}

/// A number of bytes.
pub fn bytes(number: u64) -> String {
    #[expect(clippy::cast_precision_loss)] // shown to three digits
    let size = number as f64;
    match number {
        0..10_000 => format!("{} B", count(number)),
        10_000..10_000_000 => format!("{:.1} kB", size / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", size / 1e6),
        _ => format!("{:.1} GB", size / 1e9),
    }
}

/// A share as a percentage.
pub fn share(part: f64) -> String {
    format!("{:.1}%", part * 100.0)
}

/// A value of a figure.
pub fn figure(figure: &Figure, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    match figure.unit {
        FigureUnit::Seconds => latency(value),
        FigureUnit::Share => share(value),
        FigureUnit::PerSecond => format!("{value:.1}/s"),
        FigureUnit::Bytes if value >= 0.0 => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // not negative
            bytes(value as u64)
        }
        FigureUnit::Count | FigureUnit::Load | FigureUnit::Bytes if value < 0.0 => {
            format!("-{}", amount(-value))
        }
        FigureUnit::Count | FigureUnit::Load | FigureUnit::Bytes => amount(value),
    }
}

/// A difference of two values of a figure; of shares in percentage points.
pub fn difference(of: &Figure, value: f64) -> String {
    match of.unit {
        FigureUnit::Share => format!("{:.1} pts", value * 100.0),
        FigureUnit::Bytes if value < 0.0 => format!("-{}", figure(of, Some(-value))),
        _ => figure(of, Some(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(amount(100.0), "100");
        assert_eq!(amount(0.5), "0.5");
        assert_eq!(latency(0.000_25), "0.25 ms");
        assert_eq!(latency(0.0123), "12.3 ms");
        assert_eq!(latency(0.25), "250 ms");
        assert_eq!(latency(1.5), "1.50 s");
        assert_eq!(span(9.5), "9.5s");
        assert_eq!(span(75.0), "1m15s");
        assert_eq!(bytes(1_234), "1,234 B");
        assert_eq!(bytes(42_100), "42.1 kB");
    }
}
