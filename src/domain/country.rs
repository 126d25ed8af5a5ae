//! Countries in location texts.

/// The longest text that names a place, in bytes; a longer one is no place.
const LONGEST: usize = 256;

/// The country of a location: the text after the last comma, else all of it (`Texas, US`, `US` and
/// `, US` give `US`).
pub fn code(location: &str) -> &str {
    if location.len() > LONGEST {
        return location;
    }
    location.rsplit(',').next().unwrap_or(location).trim()
}

/// A location for display: some hosts leave the region out, so `, CA` becomes `CA`.
pub fn place(location: &str) -> &str {
    if location.len() > LONGEST {
        return location;
    }
    match location.rsplit_once(',') {
        Some((region, _)) if region.trim().is_empty() => code(location),
        _ => location,
    }
}

/// Groups of countries that a query can name; each stands for the list of its codes.
pub const GROUPS: &[(&str, &[&str])] = &[
    (
        "EU",
        &[
            "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE",
            "IT", "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE",
        ],
    ),
    (
        "EUROPE",
        &[
            "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE",
            "IT", "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE", "GB",
            "NO", "IS", "CH", "UA", "RS", "MD", "AL", "BA", "ME", "MK", "LI", "MC", "AD", "SM",
        ],
    ),
];

/// The codes of a group, if `name` is one or its beginning: `eur` is no code, so it can only be
/// `EUROPE`.
pub fn group(name: &str) -> Option<&'static [&'static str]> {
    let begins = |known: &str| {
        let start = known.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    GROUPS
        .iter()
        .find(|(known, _)| known.len() == name.len() && begins(known))
        .or_else(|| {
            GROUPS
                .iter()
                .find(|(known, _)| name.len() > 2 && begins(known))
        })
        .map(|(_, codes)| *codes)
}
