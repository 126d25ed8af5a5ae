//! Spellings of GPU models: of the market's own names, and of those of the loaded rows.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The built-in models, one series per line; see its first lines for the format.
const LIST: &str = include_str!("../../assets/gpu-models.txt");

/// Brand words that people omit before a model.
const BRANDS: [&str; 10] = [
    "rtx", "gtx", "rx", "tesla", "geforce", "quadro", "instinct", "radeon", "cmp", "pro",
];

/// The quality of a match between a spelling and a name: `7900` is the start of RX 7900 XT, XTX and GRE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Listed explicitly, which counts more than a name.
    Listed,
    Whole,
    Start,
}

/// Names of GPU models by their spellings, without blanks and in lower case; the best match counts.
#[derive(Debug, Clone, Default)]
pub struct Names(HashMap<String, (Fit, Vec<String>)>);

/// The built-in names, and the sizes in GB in which each is sold.
static KNOWN: LazyLock<(Names, HashMap<&str, Vec<f64>>)> = LazyLock::new(|| {
    let (mut names, mut sizes) = (Names::default(), HashMap::new());
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    for model in lines.flat_map(|line| line.split(';')) {
        let mut parts = model.split(':').map(str::trim);
        let [name, gigabytes, spellings] = [(); 3].map(|()| parts.next().unwrap_or_default());
        sizes.insert(name, gigabytes.split(',').flat_map(str::parse).collect());
        names.learn(name);
        for spelling in spellings.split(',').filter(|spelling| !spelling.is_empty()) {
            names.add(Fit::Listed, spelling.to_owned(), name);
            names.add(Fit::Listed, format!("rtx{spelling}"), name);
        }
    }
    (names, sizes)
});

/// The letters and digits of a spelling, in lower case; `super` becomes the market's `S`, here `s`.
fn squashed(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.collect::<String>().to_lowercase().replace("super", "s")
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(models: I) -> Self {
        let mut names = Self::default();
        models.into_iter().for_each(|name| names.learn(name));
        names
    }
}

impl Names {
    /// Adds a name for a spelling. A better fit replaces the names of a worse one; a worse fit is ignored.
    fn add(&mut self, fit: Fit, spelling: String, name: &str) {
        let known = self.0.entry(spelling).or_insert((fit, Vec::new()));
        if fit < known.0 {
            *known = (fit, Vec::new());
        }
        if fit == known.0 && !known.1.iter().any(|known| known == name) {
            known.1.push(name.to_owned());
        }
    }

    /// Adds a name that the market uses under its spellings: the whole name (`rx7900xt`), and without its
    /// brand each run of first words that has a digit (`7900`, `7900xt`).
    fn learn(&mut self, name: &str) {
        let words: Vec<_> = name.split(' ').map(squashed).collect();
        for end in 1..=words.len() {
            let fit = if end < words.len() { Fit::Start } else { Fit::Whole };
            let full = words[..end].concat();
            let unbranded = BRANDS.iter().find_map(|brand| full.strip_prefix(brand));
            let bare = unbranded.unwrap_or(&full).to_owned();
            if bare.contains(|letter: char| letter.is_ascii_digit()) {
                self.add(fit, bare, name);
            }
        }
        self.add(Fit::Whole, words.concat(), name);
    }

    /// The names of the models that match a spelling best; empty if there are none. An unknown spelling is
    /// tried without its plural `s`.
    pub(super) fn models(&self, spelling: &str) -> Vec<String> {
        let (spelling, maps) = (squashed(spelling), [&KNOWN.0, self]);
        let mut found = maps.map(|names| names.0.get(&spelling));
        if let (Some(singular), [None, None]) = (spelling.strip_suffix('s'), found) {
            found = maps.map(|names| names.0.get(singular));
        }
        let best = found.iter().flatten().map(|(fit, _)| *fit).min();
        let found = found.into_iter().flatten().filter(|(fit, _)| Some(*fit) == best);
        found.flat_map(|(_, names)| names.iter().cloned()).collect()
    }

    /// The spellings, without blanks and in lower case, of all built-in models, for suggestions.
    pub(super) fn spellings() -> impl Iterator<Item = &'static str> {
        KNOWN.0.0.keys().map(String::as_str)
    }
}

/// Whether one of `models`, or any built-in model if there are none, is sold with this much memory, in GB,
/// within half a GB.
pub(super) fn have_size(models: &[&str], gb: f64) -> bool {
    let is_meant = |name: &str| models.is_empty() || models.contains(&name);
    let mut sizes = KNOWN.1.iter().filter(|(name, _)| is_meant(name));
    sizes.any(|(_, sizes)| sizes.iter().any(|size: &f64| (size - gb).abs() < 0.5))
}

/// The least and the most memory in GB that cards sold with `gb` report, or up to `cards` equal ones that
/// have it together: 93% to 103% of it, rounded up. A size that is not sold is exact.
///
/// An L40S of 48 GB reports 46.1, a T4 of 16 GB 15.4 (error correction takes a share), an RTX 4090 of 24 GB 24.6.
pub(super) fn reported(gb: f64, cards: u32) -> (f64, f64) {
    let is_sold = (1..=cards).any(|cards| have_size(&[], gb / f64::from(cards)));
    let cards = ((gb * 0.93).ceil(), (gb * 1.03).ceil());
    if is_sold { cards } else { (gb, gb) }
}
