//! What an amount can be of.

use super::cursor::Cursor;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noun {
    /// GPUs; behind a size, their memory.
    Gpus,
    Vram,
    TotalVram,
    Ram,
    Disk,
    Down,
    Up,
    BothWays,
    Network,
    GpuMemory,
    Nvlink,
    Reliability,
    Cores,
    Ports,
    Price,
    Budget,
    TimeLeft,
}

#[rustfmt::skip] // a table reads as a table
const NOUNS: &[(&str, Noun)] = &[
    ("gpu", Noun::Gpus), ("gpu count", Noun::Gpus), ("pcs", Noun::Gpus), ("of them", Noun::Gpus), ("of these", Noun::Gpus), ("of those", Noun::Gpus), ("pieces", Noun::Gpus), ("units", Noun::Gpus), ("number of gpus", Noun::Gpus), ("count", Noun::Gpus), ("qty", Noun::Gpus), ("quantity", Noun::Gpus), ("gpus", Noun::Gpus), ("card", Noun::Gpus), ("cards", Noun::Gpus),
    ("graphics card", Noun::Gpus), ("graphics cards", Noun::Gpus), ("accelerators", Noun::Gpus),
    ("vram", Noun::Vram), ("gpu memory", Noun::Vram), ("gpu ram", Noun::Vram),
    ("gpu vram", Noun::Vram), ("video memory", Noun::Vram), ("video ram", Noun::Vram),
    ("graphics memory", Noun::Vram), ("vram per gpu", Noun::Vram), ("vram per card", Noun::Vram),
    ("vram each", Noun::Vram), ("per gpu", Noun::Vram), ("per card", Noun::Vram),
    ("each", Noun::Vram), ("vram gpu", Noun::Vram), ("vram gpus", Noun::Vram),
    ("vram card", Noun::Vram), ("vram cards", Noun::Vram), ("card memory", Noun::Vram),
    ("memory per gpu", Noun::Vram), ("memory gpu", Noun::Vram), ("memory gpus", Noun::Vram),
    ("total vram", Noun::TotalVram), ("vram total", Noun::TotalVram),
    ("vram in total", Noun::TotalVram), ("vram altogether", Noun::TotalVram), ("vram across all gpus", Noun::TotalVram), ("vram across gpus", Noun::TotalVram), ("vram in all", Noun::TotalVram), ("gb vram total", Noun::TotalVram), ("gpu memory combined", Noun::TotalVram), ("combined gpu memory", Noun::TotalVram), ("pooled vram", Noun::TotalVram), ("total memory across gpus", Noun::TotalVram),
    ("combined vram", Noun::TotalVram), ("vram combined", Noun::TotalVram),
    ("aggregate vram", Noun::TotalVram), ("total gpu memory", Noun::TotalVram),
    ("total gpu ram", Noun::TotalVram), ("vram overall", Noun::TotalVram),
    ("gpu memory total", Noun::TotalVram), ("gpu memory in total", Noun::TotalVram),
    ("ram", Noun::Ram), ("memory", Noun::Ram), ("system ram", Noun::Ram),
    ("system memory", Noun::Ram), ("cpu ram", Noun::Ram), ("cpu memory", Noun::Ram),
    ("host ram", Noun::Ram), ("host memory", Noun::Ram), ("main memory", Noun::Ram),
    ("disk", Noun::Disk), ("disc", Noun::Disk), ("storage", Noun::Disk), ("space", Noun::Disk),
    ("disk space", Noun::Disk), ("storage space", Noun::Disk), ("disk storage", Noun::Disk),
    ("free space", Noun::Disk), ("ssd", Noun::Disk), ("ssd storage", Noun::Disk),
    ("hdd", Noun::Disk), ("drive", Noun::Disk), ("hard drive", Noun::Disk),
    ("hard disk", Noun::Disk), ("nvme", Noun::Disk), ("nvme disk", Noun::Disk),
    ("nvme storage", Noun::Disk), ("nvme ssd", Noun::Disk), ("local disk", Noun::Disk),
    ("local storage", Noun::Disk), ("scratch", Noun::Disk), ("scratch space", Noun::Disk),
    ("scratch disk", Noun::Disk), ("local ssd", Noun::Disk), ("local nvme", Noun::Disk), ("ssd disk", Noun::Disk), ("ssd space", Noun::Disk), ("persistent storage", Noun::Disk), ("free disk", Noun::Disk), ("free disk space", Noun::Disk), ("storage for data", Noun::Disk), ("hard drive space", Noun::Disk), ("fast ssd", Noun::Disk), ("fast disk", Noun::Disk), ("fast nvme", Noun::Disk), ("fast storage", Noun::Disk), ("volume", Noun::Disk),             ("down", Noun::Down), ("download", Noun::Down), ("downloads", Noun::Down),
    ("downloaded", Noun::Down), ("to download", Noun::Down), ("download speed", Noun::Down),
    ("downlink", Noun::Down), ("downstream", Noun::Down), ("ingress", Noun::Down),
    ("inbound", Noun::Down), ("incoming", Noun::Down), ("dataset", Noun::Down),
    ("data", Noun::Down), ("transfer", Noun::Down), ("transferring", Noun::Down), ("of transfer", Noun::Down), ("data transfer", Noun::Down), ("pull", Noun::Down), ("pulling", Noun::Down), ("fetch", Noun::Down), ("downloading", Noun::Down), ("datasets", Noun::Down), ("dataset download", Noun::Down), ("dataset to download", Noun::Down), ("of dataset", Noun::Down), ("checkpoint download", Noun::Down), ("data in", Noun::Down), ("training data", Noun::Down),
    ("input", Noun::Down), ("traffic", Noun::Down), ("traffic in", Noun::Down),
    ("download traffic", Noun::Down), ("model download", Noun::Down), ("weights", Noun::Down),
    ("up", Noun::Up), ("upload", Noun::Up), ("uploads", Noun::Up), ("uploaded", Noun::Up), ("uploading", Noun::Up), ("push", Noun::Up), ("pushing", Noun::Up), ("send", Noun::Up), ("sending", Noun::Up), ("checkpoints", Noun::Up), ("data upload", Noun::Up),
    ("to upload", Noun::Up), ("upload speed", Noun::Up), ("uplink", Noun::Up),
    ("upstream", Noun::Up), ("egress", Noun::Up), ("outbound", Noun::Up), ("outgoing", Noun::Up),
    ("out", Noun::Up), ("data out", Noun::Up), ("traffic out", Noun::Up),
    ("upload traffic", Noun::Up), ("results", Noun::Up),
    ("up and down", Noun::BothWays), ("down and up", Noun::BothWays),
    ("up / down", Noun::BothWays), ("down / up", Noun::BothWays),
    ("upload and download", Noun::BothWays), ("download and upload", Noun::BothWays),
    ("both ways", Noun::BothWays), ("both directions", Noun::BothWays),
    ("in both directions", Noun::BothWays), ("symmetric", Noun::BothWays),
    ("symmetrical", Noun::BothWays),
    ("network", Noun::Network), ("networking", Noun::Network), ("net", Noun::Network),
    ("internet", Noun::Network), ("bandwidth", Noun::Network), ("connection", Noun::Network),
    ("link", Noun::Network), ("ethernet", Noun::Network), ("network speed", Noun::Network),
    ("internet speed", Noun::Network), ("network bandwidth", Noun::Network),
    ("internet connection", Noun::Network), ("line", Noun::Network),
    ("memory bandwidth", Noun::GpuMemory), ("vram bandwidth", Noun::GpuMemory),
    ("gpu memory bandwidth", Noun::GpuMemory), ("gpu bandwidth", Noun::GpuMemory),
    ("nvlink", Noun::Nvlink),
    ("reliability", Noun::Reliability), ("reliable", Noun::Reliability),
    ("rel", Noun::Reliability), ("uptime", Noun::Reliability), ("availability", Noun::Reliability),
    ("reliability score", Noun::Reliability),
    ("core", Noun::Cores), ("cores", Noun::Cores), ("cpu core", Noun::Cores), ("core cpu", Noun::Cores), ("core machine", Noun::Cores), ("core epyc", Noun::Cores), ("thread cpu", Noun::Cores),
    ("cpu cores", Noun::Cores), ("cpu", Noun::Cores), ("cpus", Noun::Cores),
    ("vcpu", Noun::Cores), ("vcpus", Noun::Cores), ("thread", Noun::Cores),
    ("threads", Noun::Cores), ("cpu threads", Noun::Cores),
    ("port", Noun::Ports), ("ports", Noun::Ports), ("open ports", Noun::Ports), ("ports open", Noun::Ports), ("free ports", Noun::Ports), ("public ports", Noun::Ports), ("ports forwarded", Noun::Ports),
    ("direct ports", Noun::Ports),
    ("price", Noun::Price), ("cost", Noun::Price), ("costs", Noun::Price),
    ("costing", Noun::Price), ("pay", Noun::Price), ("paying", Noun::Price), ("rate", Noun::Price), ("bill", Noun::Price), ("rent", Noun::Price),
    ("for", Noun::Price), ("at", Noun::Price),
    ("budget", Noun::Budget), ("spend", Noun::Budget), ("spending", Noun::Budget),
    ("total cost", Noun::Budget), ("total price", Noun::Budget), ("total", Noun::Budget),
    ("available", Noun::TimeLeft), ("available for", Noun::TimeLeft),
    ("available for the next", Noun::TimeLeft), ("remaining", Noun::TimeLeft),
    ("left", Noun::TimeLeft), ("time left", Noun::TimeLeft), ("online for", Noun::TimeLeft), ("stays online for", Noun::TimeLeft), ("stays available for", Noun::TimeLeft), ("stays up for", Noun::TimeLeft), ("not going offline for", Noun::TimeLeft), ("available until", Noun::TimeLeft), ("listed for", Noun::TimeLeft), ("until it ends", Noun::TimeLeft), ("remaining time", Noun::TimeLeft), ("still available", Noun::TimeLeft), ("of availability", Noun::TimeLeft), ("guaranteed", Noun::TimeLeft), ("rentable", Noun::TimeLeft), ("lease", Noun::TimeLeft),
    ("lease of", Noun::TimeLeft), ("rentable for", Noun::TimeLeft),
    ("still available in", Noun::TimeLeft), ("max duration", Noun::TimeLeft),
    ("duration", Noun::TimeLeft),
];

/// Words between an amount and its noun.
const JOINTS: &[&str] = &[
    "of",
    "the",
    "free",
    "or",
    "usable",
    "worth",
    "size",
    "is",
    "are",
    "must",
    "should",
    "be",
    "stays",
    "stay",
    "staying",
    "kept",
    "around",
    "about",
    "roughly",
    "approximately",
];

/// Whether the words are those of a noun.
pub(super) fn is_noun(words: &str) -> bool {
    NOUNS.iter().any(|(noun, _)| *noun == words)
}

/// The words of all nouns.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    NOUNS.iter().map(|(words, _)| *words)
}

/// The noun at a position, and the position behind it.
pub(super) fn noun(cursor: Cursor<'_>, at: usize) -> Option<(Noun, usize)> {
    cursor.longest(at, NOUNS.iter().copied())
}

/// The noun behind an amount: `200gb of disk`, `4 of them`.
pub(super) fn noun_behind(cursor: Cursor<'_>, at: usize) -> Option<(Noun, usize)> {
    let from = cursor.skip(at, &["of", "the", "free", "usable", "worth"]);
    let found = [noun(cursor, from), noun(cursor, at)];
    found.into_iter().flatten().max_by_key(|(_, next)| *next)
}

/// The noun in front of an amount (`vram at least 24gb`), and the position of the amount.
pub(super) fn noun_in_front(cursor: Cursor<'_>, at: usize) -> Option<(Noun, usize)> {
    let (noun, next) = noun(cursor, at)?;
    Some((noun, cursor.skip_joint(next, JOINTS)))
}
