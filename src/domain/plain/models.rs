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

/// Names of GPU models by the spellings that mean them, without blanks and in lower case.
#[derive(Debug, Clone, Default)]
pub struct Names {
    exact: HashMap<String, Vec<String>>,
    /// Beginnings of names: `7900` is an RX 7900 XT, XTX or GRE.
    begun: HashMap<String, Vec<String>>,
}

struct Known {
    /// Spellings of the list, which count more than names.
    listed: HashMap<String, Vec<String>>,
    names: Names,
    sizes: HashMap<String, Vec<f64>>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let (mut listed, mut names) = (HashMap::<_, Vec<_>>::new(), Names::default());
    let mut sizes = HashMap::new();
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    for model in lines.flat_map(|line| line.split(';')) {
        let mut parts = model.split(':').map(str::trim);
        let mut part = || parts.next().unwrap_or_default();
        let name = part().to_owned();
        let own = part().split(',').filter_map(|size| size.parse().ok());
        sizes.insert(name.clone(), own.collect());
        for other in part().split(',').filter(|other| !other.is_empty()) {
            for spelling in [other.to_owned(), format!("rtx{other}")] {
                listed.entry(spelling).or_default().push(name.clone());
            }
        }
        names.learn(&name);
    }
    Known { listed, names, sizes }
});

/// A spelling without blanks and hyphens, in lower case; `super` is the market's `S`.
fn squashed(text: &str) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.collect::<String>().to_lowercase().replace("super", "s")
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(models: I) -> Self {
        let mut names = Self::default();
        for name in models {
            names.learn(name);
        }
        names
    }
}

impl Names {
    /// Adds a name that a market uses.
    fn learn(&mut self, name: &str) {
        let full = squashed(name);
        let add = |map: &mut HashMap<String, Vec<String>>, spelling: &str| {
            let names = map.entry(spelling.to_owned()).or_default();
            if !names.iter().any(|own| own == name) {
                names.push(name.to_owned());
            }
        };
        add(&mut self.exact, &full);
        let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
        let bare = BRANDS.iter().find_map(|brand| full.strip_prefix(brand));
        if let Some(bare) = bare.filter(|bare| has_digit(bare)) {
            add(&mut self.exact, bare);
        }
        let words: Vec<_> = name.split(' ').map(squashed).collect();
        let from = usize::from(BRANDS.contains(&&*words[0]));
        for end in from + 1..words.len() {
            let start = words[from..end].concat();
            if has_digit(&start) {
                add(&mut self.begun, &start);
            }
        }
    }

    /// The models that a spelling means; none if it is no model.
    pub(super) fn models(&self, spelling: &str) -> Vec<String> {
        let spelling = squashed(spelling);
        let of = |map: &HashMap<String, Vec<String>>| map.get(&spelling).cloned();
        let built_in = of(&KNOWN.listed).or_else(|| of(&KNOWN.names.exact));
        let exact = built_in.into_iter().chain(of(&self.exact));
        let begun = || [of(&KNOWN.names.begun), of(&self.begun)].into_iter().flatten();
        let mut found: Vec<String> = exact.flatten().collect();
        if found.is_empty() {
            found = begun().flatten().collect();
        }
        let mut seen = Vec::new();
        found.retain(|name| {
            !seen.contains(name) && {
                seen.push(name.clone());
                true
            }
        });
        found
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
    let mut sizes = KNOWN.sizes.iter();
    sizes.any(|(name, sizes)| {
        (models.is_empty() || models.contains(name)) && sizes.iter().any(|size| (size - gb).abs() < 0.5)
    })
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
