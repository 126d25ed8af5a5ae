//! GPU models as people spell them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A model as the market names it, other spellings without blanks (besides the name itself, with
/// and without its brand), and the sizes in GB that it is sold with.
type Model = (&'static str, &'static [&'static str], &'static [f64]);

#[rustfmt::skip] // a table reads as a table
const MODELS: &[Model] = &[
    ("RTX 5090", &[], &[32.0]),
    ("RTX 5080", &[], &[16.0]),
    ("RTX 5070 Ti", &[], &[16.0]),
    ("RTX 5070", &[], &[12.0]),
    ("RTX 5060 Ti", &[], &[8.0, 16.0]),
    ("RTX 5060", &[], &[8.0]),
    ("RTX 4090", &[], &[24.0, 48.0]),
    ("RTX 4090D", &[], &[24.0, 48.0]),
    ("RTX 4080", &[], &[16.0, 32.0]),
    ("RTX 4080S", &["4080super"], &[16.0, 32.0]),
    ("RTX 4070", &[], &[12.0]),
    ("RTX 4070 Ti", &[], &[12.0]),
    ("RTX 4070S", &["4070super"], &[12.0, 16.0]),
    ("RTX 4070S Ti", &["4070tisuper", "4070supertisuper", "4070superti", "4070tis"], &[16.0]),
    ("RTX 4060", &[], &[8.0]),
    ("RTX 4060 Ti", &[], &[8.0, 16.0]),
    ("RTX 3090", &[], &[24.0]),
    ("RTX 3090 Ti", &[], &[24.0]),
    ("RTX 3080", &[], &[10.0, 12.0, 20.0]),
    ("RTX 3080 Ti", &[], &[12.0]),
    ("RTX 3070", &[], &[8.0]),
    ("RTX 3070 Ti", &[], &[8.0]),
    ("RTX 3060", &[], &[12.0]),
    ("RTX 3060 Ti", &[], &[8.0]),
    ("RTX 3060 laptop", &[], &[12.0]),
    ("RTX 2080 Ti", &[], &[11.0, 22.0]),
    ("RTX 2080S", &["2080super"], &[8.0]),
    ("RTX 2080", &[], &[8.0]),
    ("RTX 2070S", &["2070super"], &[8.0]),
    ("RTX 2070", &[], &[8.0]),
    ("RTX 2060S", &["2060super"], &[8.0]),
    ("RTX 2060", &[], &[6.0]),
    ("GTX 1660 S", &["1660super"], &[6.0]),
    ("GTX 1660 Ti", &[], &[6.0]),
    ("GTX 1080 Ti", &[], &[11.0]),
    ("GTX 1080", &[], &[8.0]),
    ("GTX 1070 Ti", &[], &[8.0]),
    ("GTX 1070", &[], &[8.0]),
    ("Titan RTX", &["rtxtitan"], &[24.0]),
    ("Titan V", &[], &[12.0]),
    ("Titan Xp", &[], &[12.0]),
    ("RTX PRO 6000 WS", &["pro6000workstation", "rtxpro6000workstation"], &[96.0]),
    ("RTX PRO 6000 S", &["pro6000server", "rtxpro6000server"], &[96.0]),
    ("RTX PRO 5000", &[], &[48.0]),
    ("RTX PRO 4500", &[], &[32.0]),
    ("RTX PRO 4000", &[], &[24.0]),
    ("RTX 6000Ada", &["ada6000", "a6000ada"], &[48.0]),
    ("RTX 5880Ada", &["ada5880"], &[48.0]),
    ("RTX 5000Ada", &["ada5000", "a5000ada"], &[32.0]),
    ("RTX 4500Ada", &["ada4500"], &[24.0]),
    ("RTX 4000Ada", &["ada4000"], &[20.0]),
    ("RTX A6000", &[], &[48.0]),
    ("RTX A5000", &[], &[24.0]),
    ("RTX A4500", &[], &[20.0]),
    ("RTX A4000", &[], &[16.0]),
    ("Q RTX 8000", &["rtx8000", "quadrortx8000", "quadro8000"], &[48.0]),
    ("Q RTX 6000", &["quadrortx6000", "quadro6000"], &[24.0]),
    ("Quadro P4000", &["p4000"], &[8.0]),
    ("B300", &[], &[288.0]),
    ("B300 SXM6 AC", &["b300sxm", "b300sxm6"], &[288.0]),
    ("B200", &["b200sxm", "b200sxm6"], &[180.0, 192.0]),
    ("H200", &["h200sxm", "h200sxm5"], &[141.0]),
    ("H200 NVL", &["h200pcie"], &[141.0]),
    ("H100 SXM", &["h100sxm5", "h100sxm4"], &[80.0]),
    ("H100 NVL", &[], &[94.0]),
    ("H100 PCIE", &["h100pci"], &[80.0]),
    ("A100 SXM4", &["a100sxm"], &[40.0, 80.0]),
    ("A100 PCIE", &["a100pci"], &[40.0, 80.0]),
    ("A800 PCIE", &["a800"], &[80.0]),
    ("L40S", &[], &[48.0]),
    ("L40", &[], &[48.0]),
    ("L4", &[], &[24.0]),
    ("A40", &[], &[48.0]),
    ("A10", &[], &[24.0]),
    ("A10g", &[], &[24.0]),
    ("Tesla V100", &[], &[16.0, 32.0]),
    ("Tesla P100", &[], &[16.0]),
    ("Tesla P40", &[], &[24.0]),
    ("Tesla T4", &[], &[16.0]),
    ("MI300X", &[], &[192.0]),
];

/// Spellings that mean several models.
#[rustfmt::skip]
const FAMILIES: &[(&str, &[&str])] = &[
    ("h100", &["H100 SXM", "H100 NVL", "H100 PCIE"]),
    ("a100", &["A100 SXM4", "A100 PCIE"]),
    ("pro6000", &["RTX PRO 6000 WS", "RTX PRO 6000 S"]),
    ("rtxpro6000", &["RTX PRO 6000 WS", "RTX PRO 6000 S"]),
    ("6000pro", &["RTX PRO 6000 WS", "RTX PRO 6000 S"]),
    ("rtx6000pro", &["RTX PRO 6000 WS", "RTX PRO 6000 S"]),
    ("pro6000blackwell", &["RTX PRO 6000 WS", "RTX PRO 6000 S"]),
    ("rtxpro6000blackwell", &["RTX PRO 6000 WS", "RTX PRO 6000 S"]),
    ("rtx6000", &["RTX 6000Ada", "RTX PRO 6000 WS", "RTX PRO 6000 S", "Q RTX 6000"]),
];

/// Form factors that a text can name apart from the model: `a100 80gb pcie`.
pub(super) const FORMS: &[(&str, &str)] = &[
    ("sxm", "SXM"),
    ("sxm4", "SXM"),
    ("sxm5", "SXM"),
    ("nvl", "NVL"),
    ("pcie", "PCIE"),
];

/// The models of a form factor whose names do not depend on it.
pub(super) const SXM: [&str; 4] = ["A100 SXM4", "H100 SXM", "H200", "B200"];

/// Brands that may precede a model.
pub(super) const BRANDS: [&str; 7] = [
    "nvidia", "geforce", "amd", "instinct", "radeon", "tesla", "quadro",
];

/// The models by spelling, without blanks and in lower case.
static SPELLINGS: LazyLock<HashMap<String, Vec<&'static str>>> = LazyLock::new(|| {
    let mut spellings: HashMap<String, Vec<&'static str>> = HashMap::new();
    for (spelling, models) in FAMILIES {
        spellings.insert((*spelling).to_owned(), models.to_vec());
    }
    for (name, others, _) in MODELS {
        let full = name.replace(' ', "").to_ascii_lowercase();
        let brands = ["rtx", "gtx", "tesla"];
        let bare = brands.iter().find_map(|brand| full.strip_prefix(brand));
        let own = others.iter().flat_map(|other| {
            [
                (*other).to_owned(),
                format!("rtx{other}"),
                format!("gtx{other}"),
            ]
        });
        let all: Vec<_> = bare.map(str::to_owned).into_iter().chain(own).collect();
        for spelling in all.into_iter().chain([full]) {
            spellings.entry(spelling).or_insert_with(|| vec![name]);
        }
    }
    for (kinds, class) in CLASSES {
        let models: Vec<_> = MODELS.iter().map(|(name, ..)| *name).collect();
        let models: Vec<_> = models
            .into_iter()
            .filter(|name| self::class(name) == *class)
            .collect();
        for kind in *kinds {
            for noun in ["gpu", "card", "graphicscard", "gradegpu", "gradecard"] {
                spellings.insert(format!("{kind}{noun}"), models.clone());
            }
        }
    }
    spellings
});

/// Whether the models are all of a class rather than chosen one by one.
pub(super) fn is_class(models: &[&str]) -> bool {
    [Class::Consumer, Class::Workstation, Class::Datacenter]
        .iter()
        .any(|own| {
            let names = MODELS.iter().map(|(name, ..)| *name);
            names
                .filter(|name| class(name) == *own)
                .eq(models.iter().copied())
        })
}

/// What a model is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Consumer,
    Workstation,
    Datacenter,
}

/// Words in front of `cards` for a class of models. A `datacenter` is a place, so its GPUs are no class.
const CLASSES: &[(&[&str], Class)] = &[
    (
        &["consumer", "gaming", "geforce", "gamer", "desktop"],
        Class::Consumer,
    ),
    (&["workstation", "quadro"], Class::Workstation),
    (&["enterprise", "server", "professional"], Class::Datacenter),
];

fn class(name: &str) -> Class {
    let is_workstation = ["RTX PRO ", "RTX A", "Q RTX", "Quadro"];
    let is_consumer = ["RTX ", "GTX ", "Titan "];
    let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    if starts(&is_workstation) || name.ends_with("Ada") {
        Class::Workstation
    } else if starts(&is_consumer) {
        Class::Consumer
    } else {
        Class::Datacenter
    }
}

/// The models that a spelling without blanks and in lower case means.
pub(super) fn models(spelling: &str) -> &'static [&'static str] {
    SPELLINGS.get(spelling).map_or(&[], Vec::as_slice)
}

/// Whether any graphics card is sold with this much memory, in GB.
pub(super) fn is_card_size(gb: f64) -> bool {
    MODELS.iter().any(|(_, _, sizes)| has(sizes, gb))
}

/// Whether one of `models` is sold with this much memory, in GB.
pub(super) fn have_size(models: &[&str], gb: f64) -> bool {
    sizes_of(models).any(|sizes| has(sizes, gb))
}

/// What cards sold with this much memory report, in GB: an L40S of 48 GB reports 46.1, a T4 of 16 GB
/// 15.4 (error correction takes a share), an RTX 4090 of 24 GB 24.6. A size that no card is sold with
/// is exact.
pub(super) fn reported(gb: f64) -> (f64, f64) {
    if is_card_size(gb) {
        ((gb * 0.93).ceil(), (gb * 1.03).ceil())
    } else {
        (gb, gb)
    }
}

/// [`reported`] of all cards of a machine together: 320 GB are eight cards of 40 or four of 80.
pub(super) fn reported_total(gb: f64) -> (f64, f64) {
    const MOST_CARDS: u32 = 16;
    let is_sum = (1..=MOST_CARDS).any(|cards| is_card_size(gb / f64::from(cards)));
    if is_sum {
        ((gb * 0.93).ceil(), (gb * 1.03).ceil())
    } else {
        (gb, gb)
    }
}

fn sizes_of<'a>(models: &'a [&str]) -> impl Iterator<Item = &'static [f64]> + 'a {
    let known = MODELS.iter();
    known.filter_map(|(name, _, sizes)| models.contains(name).then_some(*sizes))
}

fn has(sizes: &[f64], gb: f64) -> bool {
    sizes.iter().any(|size| (size - gb).abs() < 0.5)
}
