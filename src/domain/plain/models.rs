//! GPU models as people spell them: the market's own names, and those of the loaded rows.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A series a line; see its first lines for the format.
const LIST: &str = include_str!("../../../assets/gpu-models.txt");

/// What people leave out in front of a model.
const BRANDS: [&str; 10] = [
    "rtx", "gtx", "rx", "tesla", "geforce", "quadro", "instinct", "radeon", "cmp", "pro",
];

/// The models whose names do not tell that they are SXM modules.
const SXM: [&str; 3] = ["H200", "B200", "GH200 SXM"];

/// The models that each spelling means.
type Spellings = HashMap<String, Vec<String>>;

/// Names of GPU models by the spellings that mean them, without blanks and in lower case.
#[derive(Debug, Clone, Default)]
pub struct Names {
    exact: Spellings,
    /// Beginnings of names: `7900` is an RX 7900 XT, XTX or GRE.
    begun: Spellings,
}

struct Known {
    /// Spellings of the list, which count more than names.
    listed: Spellings,
    names: Names,
    sizes: HashMap<String, Vec<f64>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let (mut listed, mut names, mut sizes) = (Spellings::new(), Names::default(), HashMap::new());
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    for model in lines.flat_map(|line| line.split(';')) {
        let mut parts = model.split(':').map(str::trim);
        let [name, gigabytes, spellings] = [(); 3].map(|()| parts.next().unwrap_or_default());
        sizes.insert(name.to_owned(), gigabytes.split(',').flat_map(str::parse).collect());
        for spelling in spellings.split(',').filter(|spelling| !spelling.is_empty()) {
            add(&mut listed, spelling, name);
            add(&mut listed, &format!("rtx{spelling}"), name);
        }
        names.learn(name);
    }
    Known { listed, names, sizes }
});

fn add(spellings: &mut Spellings, spelling: &str, name: &str) {
    let names = spellings.entry(spelling.to_owned()).or_default();
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// A spelling without blanks and hyphens, in lower case; `super` is the market's `S`.
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
    /// Adds a name that a market uses.
    fn learn(&mut self, name: &str) {
        let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        let full = squashed(name);
        let bare = BRANDS.iter().find_map(|brand| full.strip_prefix(brand));
        let bare = bare.filter(|bare| has_digit(bare));
        let spellings = std::iter::once(&*full).chain(bare);
        spellings.for_each(|spelling| add(&mut self.exact, spelling, name));
        let words: Vec<_> = name.split(' ').map(squashed).collect();
        let from = usize::from(BRANDS.contains(&&*words[0]));
        let starts = (from + 1..words.len()).map(|end| words[from..end].concat());
        let starts = starts.filter(|start| has_digit(start));
        starts.for_each(|start| add(&mut self.begun, &start, name));
    }

    /// The models that a spelling means; none if it is no model.
    pub(super) fn models(&self, spelling: &str) -> Vec<String> {
        let spelling = squashed(spelling);
        let built_in = KNOWN.listed.get(&spelling);
        let built_in = built_in.or_else(|| KNOWN.names.exact.get(&spelling));
        let exact = [built_in, self.exact.get(&spelling)];
        let begun = [&KNOWN.names.begun, &self.begun].map(|map| map.get(&spelling));
        let maps = if exact == [None; 2] { begun } else { exact };
        let mut models: Vec<String> = Vec::new();
        for name in maps.into_iter().flatten().flatten() {
            if !models.contains(name) {
                models.push(name.clone());
            }
        }
        models
    }

    /// The spellings of all models, to propose one.
    pub(super) fn spellings(&self) -> impl Iterator<Item = &str> {
        let known = KNOWN.names.exact.keys().chain(KNOWN.listed.keys());
        known.chain(self.exact.keys()).map(String::as_str)
    }
}

/// Whether a model comes in a form factor, as far as its name tells.
pub(super) fn has_form(name: &str, form: &str) -> bool {
    name.contains(form) || (form == "SXM" && SXM.contains(&name))
}

/// Whether one of `models`, or of all if there are none, is sold with this much memory, in GB.
pub(super) fn have_size(models: &[String], gb: f64) -> bool {
    let is_meant = |name: &String| models.is_empty() || models.contains(name);
    let mut sizes = KNOWN.sizes.iter().filter(|(name, _)| is_meant(name));
    sizes.any(|(_, sizes)| sizes.iter().any(|size: &f64| (size - gb).abs() < 0.5))
}

/// What cards sold with this much memory report, in GB, of up to `cards` together: an L40S of 48 GB reports
/// 46.1, a T4 of 16 GB 15.4 (error correction takes a share), an RTX 4090 of 24 GB 24.6. A size that is
/// not sold is exact.
pub(super) fn reported(gb: f64, cards: u32) -> (f64, f64) {
    let is_sold = (1..=cards).any(|cards| have_size(&[], gb / f64::from(cards)));
    if is_sold {
        ((gb * 0.93).ceil(), (gb * 1.03).ceil())
    } else {
        (gb, gb)
    }
}
