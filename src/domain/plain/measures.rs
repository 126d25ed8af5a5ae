//! Fields with a unit of their own: watts, degrees, teraflops, `DLPerf`, speeds of buses and disks.

use super::amount::{Amount, Unit, amount_in, unit};
use super::cursor::Cursor;
use super::gpus;
use super::grammar::{Fact, Read};
use super::token::Kind;
use crate::domain::catalog::Resource;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;

/// A field that people give a number for.
struct Measure {
    field: &'static str,
    /// The comparison with a number that has no bound.
    default: Operator,
    nouns: &'static [&'static str],
    /// Units as people write them, each with its size in the field's unit.
    units: &'static [(&'static str, f64)],
    /// Nouns that mean the field only in front of or behind one of its units.
    unit_nouns: &'static [&'static str],
}

const NO_UNITS: &[(&str, f64)] = &[];
const BUS: &[(&str, f64)] = &[
    ("gb / s", 1.0),
    ("gbps", 1.0),
    ("tb / s", 1e3),
    ("mb / s", 1e-3),
];
const DISK: &[(&str, f64)] = &[
    ("mb / s", 1.0),
    ("mbps", 1.0),
    ("gb / s", 1e3),
    ("gbps", 1e3),
];

#[rustfmt::skip] // a table reads as a table
const MEASURES: &[Measure] = &[
    Measure {
        field: "gpu_max_power", default: Operator::Gte,
        nouns: &["power limit", "gpu power limit", "power cap", "max power", "gpu power", "power draw", "power", "tdp", "wattage"],
        units: &[("w", 1.0), ("watt", 1.0), ("watts", 1.0), ("kw", 1e3)],
        unit_nouns: &["gpu", "gpus", "card", "cards"],
    },
    Measure {
        field: "gpu_max_temp", default: Operator::Lte,
        nouns: &["temp", "temps", "temperature", "temperatures", "gpu temp", "gpu temps", "gpu temperature", "gpu temperatures", "card temperature", "max temp", "max temperature"],
        units: &[("c", 1.0), ("° c", 1.0), ("°", 1.0), ("degrees", 1.0), ("degree", 1.0), ("deg", 1.0), ("deg c", 1.0), ("degrees c", 1.0), ("degrees celsius", 1.0), ("celsius", 1.0)],
        unit_nouns: &["gpu", "gpus", "card", "cards"],
    },
    Measure {
        field: "total_flops", default: Operator::Gte,
        nouns: &["tflops", "tflop", "teraflops", "teraflop", "flops", "total tflops", "total teraflops", "total flops", "tflops total", "tflops in total", "teraflops total"],
        units: &[("pflops", 1e3), ("petaflops", 1e3), ("petaflop", 1e3)], unit_nouns: &[],
    },
    Measure {
        field: "dlperf", default: Operator::Gte,
        nouns: &["dlperf", "dlp", "dl perf", "dlperf score", "total dlperf", "dlperf total", "deep learning performance"],
        units: NO_UNITS, unit_nouns: &[],
    },
    Measure {
        field: "dlperf_per_gpu", default: Operator::Gte,
        nouns: &["dlperf per gpu", "dlperf per card", "dlperf / gpu", "dlp per gpu"],
        units: NO_UNITS, unit_nouns: &[],
    },
    Measure {
        field: "dlperf_per_dphtotal", default: Operator::Gte,
        nouns: &["dlperf per dollar", "dlperf per $", "dlperf / $", "dlp per dollar", "dlp / $", "dlperf per usd", "dlperf / dollar", "dlperf per buck"],
        units: NO_UNITS, unit_nouns: &[],
    },
    Measure {
        field: "flops_per_dphtotal", default: Operator::Gte,
        nouns: &["tflops per dollar", "tflops per $", "tflops / $", "flops per dollar", "flops / $", "teraflops per dollar", "tflops / dollar"],
        units: NO_UNITS, unit_nouns: &[],
    },
    Measure {
        field: "gpu_mem_bw", default: Operator::Gte,
        nouns: &["memory bandwidth", "gpu memory bandwidth", "vram bandwidth", "gpu bandwidth", "mem bandwidth", "memory speed", "vram speed"],
        units: BUS, unit_nouns: &["memory", "vram", "gpu memory", "hbm"],
    },
    Measure {
        field: "pcie_bw", default: Operator::Gte,
        nouns: &["pcie bandwidth", "pcie speed", "pcie bw", "pcie throughput", "pci bandwidth", "pcie link", "bus bandwidth", "pci express bandwidth"],
        units: BUS, unit_nouns: &["pcie", "pci", "pci express"],
    },
    Measure {
        field: "bw_nvlink", default: Operator::Gte,
        nouns: &["nvlink bandwidth", "nvlink speed", "nvlink bw"],
        units: BUS, unit_nouns: &["nvlink", "nvswitch", "interconnect"],
    },
    Measure {
        field: "disk_bw", default: Operator::Gte,
        nouns: &["disk bandwidth", "disk speed", "disk throughput", "disk read", "disk reads", "disk read speed", "disk bw", "disk io", "drive speed", "ssd speed", "read speed", "storage speed", "storage bandwidth", "storage throughput", "nvme speed", "nvme read", "sequential read"],
        units: DISK, unit_nouns: &["disk", "ssd", "nvme", "storage", "drive", "read", "reads"],
    },
    Measure {
        field: "cpu_ghz", default: Operator::Gte,
        nouns: &["cpu clock", "cpu speed", "cpu frequency", "cpu clock speed", "clock speed", "clock", "cpu ghz", "processor speed"],
        units: &[("ghz", 1.0), ("mhz", 1e-3)], unit_nouns: &["cpu", "cpus", "processor", "cores", "core"],
    },
    Measure {
        field: "gpu_lanes", default: Operator::Gte,
        nouns: &["pcie lanes", "pci lanes", "lanes", "lanes per gpu", "pcie lanes per gpu"],
        units: NO_UNITS, unit_nouns: &[],
    },
    Measure {
        field: "min_bid", default: Operator::Lte,
        nouns: &["min bid", "minimum bid", "bid floor", "lowest bid", "bid price"],
        units: &[("cents", 0.01), ("cent", 0.01)], unit_nouns: &[],
    },
    Measure {
        field: "discount_rate", default: Operator::Gte,
        nouns: &["discount", "discounted", "discount rate"],
        units: &[("percent", 0.01)], unit_nouns: &["off"],
    },
];

/// Units that need no noun.
const UNITS_ALONE: &[&str] = &["watt", "watts", "degrees", "celsius"];

/// Words between a number and the noun behind it, and a noun and the number behind it.
const BEHIND: &[&str] = &["of", "the", "in", "on"];
const IN_FRONT: &[&str] = &["of", "is", "at", "to", "should", "be", "must"];

/// A number of one of these fields: `power limit 350w`, `under 85c gpu temp`, `600+ tflops`.
pub(super) fn measured(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let fields = MEASURES.iter();
    let fields = fields.filter(|own| resource.catalog().column(own.field).is_some());
    let found = fields.filter_map(|own| {
        let read = own.behind(cursor, at).or_else(|| own.in_front(cursor, at));
        read.or_else(|| own.alone(cursor, at))
    });
    found.max_by_key(|(_, next)| *next)
}

/// The field of a noun at a position, and the position behind it.
pub(super) fn named(cursor: Cursor<'_>, at: usize) -> Option<(&'static str, usize)> {
    let nouns = MEASURES.iter().flat_map(|own| {
        let nouns = own.nouns.iter();
        nouns.map(|noun| (*noun, own.field))
    });
    cursor.longest(at, nouns)
}

impl Measure {
    fn unit(&self, cursor: Cursor<'_>, at: usize) -> Option<(Unit, f64, usize)> {
        if cursor.kind(at) == Some(Kind::Percent) {
            let is_share = self.field == "discount_rate";
            return is_share.then_some((Unit::Own, 0.01, at + 1));
        }
        let (factor, next) = cursor.longest(at, self.units.iter().copied())?;
        Some((Unit::Own, factor, next))
    }

    /// The noun at a position; without a unit it must be one that means nothing else.
    fn noun(&self, cursor: Cursor<'_>, at: usize, has_unit: bool) -> Option<usize> {
        let nouns = self.unit_nouns.iter().filter(|_| has_unit);
        let nouns = nouns.chain(self.nouns).map(|noun| (*noun, ()));
        cursor.longest(at, nouns).map(|((), next)| next)
    }

    /// A number at a position, unless it is of something else: `4090`, `3 days`, `2x`.
    fn number(&self, cursor: Cursor<'_>, at: usize) -> Option<Amount> {
        let found = amount_in(cursor, at, |at| self.unit(cursor, at))?;
        let is_model = found.bound.is_none() && !gpus::models(&trimmed(found.low, 6)).is_empty();
        let is_other = is_model
            || unit(cursor, found.next).is_some()
            || cursor.kind(found.next) == Some(Kind::Times);
        (found.unit == Unit::Own || !is_other).then_some(found)
    }

    /// A number and the noun behind it.
    fn behind(&self, cursor: Cursor<'_>, at: usize) -> Read {
        let found = self.number(cursor, at)?;
        let (found, next) = found.bounded_at(cursor, found.next);
        let next = cursor.skip(next, BEHIND);
        let next = self.noun(cursor, next, found.unit == Unit::Own)?;
        let (found, next) = found.bounded_at(cursor, next);
        Some((self.condition(&found), next))
    }

    /// A number with a unit that no other field has.
    fn alone(&self, cursor: Cursor<'_>, at: usize) -> Read {
        let found = self.number(cursor, at)?;
        let unit = cursor.tokens.get(found.next.checked_sub(1)?)?;
        let is_own = UNITS_ALONE.iter().any(|word| unit.is(word));
        let (found, next) = found.bounded_at(cursor, found.next);
        is_own.then(|| (self.condition(&found), next))
    }

    /// The noun and a number behind it.
    fn in_front(&self, cursor: Cursor<'_>, at: usize) -> Read {
        let (bound, from) = cursor.bound(at);
        let behind = self.noun(cursor, from, true)?;
        let is_own = self.noun(cursor, from, false) == Some(behind);
        let found = self.number(cursor, cursor.skip_joint(behind, IN_FRONT))?;
        if !is_own && found.unit != Unit::Own {
            return None;
        }
        let bound = found.bound.or(bound);
        let (found, next) = Amount { bound, ..found }.bounded_at(cursor, found.next);
        Some((self.condition(&found), next))
    }

    fn condition(&self, amount: &Amount) -> Vec<Fact> {
        Fact::conditions(amount.on(self.field, self.default, 1.0, ""))
    }
}
