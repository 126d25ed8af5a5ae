//! Finds the country in the text of a location, which hosts write by hand.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// The maximum length of a text that can name a country, in bytes.
///
/// Texts of a server are compared with every known name.
const LONGEST: usize = 256;

/// The country of a location: the trimmed text after the last comma, else all of it (`Texas, US`, `US` and
/// `, US` give `US`). A text above 256 bytes is returned unchanged.
pub fn code(location: &str) -> &str {
    if location.len() > LONGEST {
        return location;
    }
    location.rsplit(',').next().unwrap_or(location).trim()
}

/// A country by its code: two capital ASCII letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryCode([u8; 2]);

impl CountryCode {
    /// The country of a location, see [`code`]. `None` unless that is two capital letters: hosts write locations by
    /// hand.
    pub fn of_location(location: &str) -> Option<Self> {
        let letters: [u8; 2] = code(location).as_bytes().try_into().ok()?;
        letters.iter().all(u8::is_ascii_uppercase).then_some(Self(letters))
    }

    /// The two letters.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for CountryCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A location for display: `, CA`, where a host omits the region, becomes `CA`; any other text is unchanged,
/// as is one above 256 bytes.
pub fn place(location: &str) -> &str {
    if location.len() > LONGEST {
        return location;
    }
    match location.rsplit_once(',') {
        Some((region, _)) if region.trim().is_empty() => code(location),
        _ => location,
    }
}

/// Groups of countries that a query can name, with the codes of each.
#[rustfmt::skip] // a table reads as a table
pub const GROUPS: &[(&str, &[&str])] = &[
    ("EU", &[
        "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE",
        "IT", "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE",
    ]),
    ("EUROPE", &[
        "AT", "BE", "BG", "HR", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "GR", "HU", "IE",
        "IT", "LV", "LT", "LU", "MT", "NL", "PL", "PT", "RO", "SK", "SI", "ES", "SE", "GB",
        "NO", "IS", "CH", "UA", "RS", "MD", "AL", "BA", "ME", "MK", "LI", "MC", "AD", "SM",
    ]),
    ("WESTERN_EUROPE", &["AT", "BE", "CH", "DE", "FR", "GB", "IE", "LI", "LU", "MC", "NL"]),
    ("EASTERN_EUROPE", &[
        "BG", "CZ", "EE", "HU", "LT", "LV", "MD", "PL", "RO", "SK", "UA",
    ]),
    ("SOUTHERN_EUROPE", &[
        "AD", "AL", "BA", "CY", "ES", "GR", "HR", "IT", "ME", "MK", "MT", "PT", "RS", "SI", "SM",
    ]),
    ("CENTRAL_EUROPE", &["AT", "CH", "CZ", "DE", "HU", "LI", "PL", "SI", "SK"]),
    ("BALKANS", &["AL", "BA", "BG", "GR", "HR", "ME", "MK", "RO", "RS", "SI"]),
    ("NORTH_AMERICA", &["US", "CA", "MX"]),
    ("SOUTH_AMERICA", &["AR", "BO", "BR", "CL", "CO", "EC", "PE", "PY", "UY", "VE"]),
    ("LATIN_AMERICA", &[
        "MX", "GT", "CR", "PA", "DO", "PR", "AR", "BO", "BR", "CL", "CO", "EC", "PE", "PY", "UY",
        "VE",
    ]),
    ("ASIA", &[
        "AE", "AM", "AZ", "BD", "CN", "GE", "HK", "ID", "IL", "IN", "IQ", "IR", "JO", "JP", "KH",
        "KR", "KW", "KZ", "LA", "LK", "MN", "MO", "MY", "NP", "OM", "PH", "PK", "QA", "SA", "SG",
        "TH", "TR", "TW", "UZ", "VN",
    ]),
    ("EAST_ASIA", &["CN", "HK", "JP", "KR", "MN", "MO", "TW"]),
    ("SOUTHEAST_ASIA", &["ID", "KH", "LA", "MY", "PH", "SG", "TH", "VN"]),
    ("SOUTH_ASIA", &["BD", "IN", "LK", "NP", "PK"]),
    ("AMERICAS", &[
        "US", "CA", "MX", "GT", "CR", "PA", "DO", "PR", "AR", "BO", "BR", "CL", "CO", "EC", "PE",
        "PY", "UY", "VE",
    ]),
    ("OCEANIA", &["AU", "NZ"]),
    ("AFRICA", &["DZ", "EG", "ET", "GH", "KE", "MA", "MU", "NG", "RW", "SN", "TN", "TZ", "UG", "ZA"]),
    ("NORDICS", &["DK", "FI", "IS", "NO", "SE"]),
    ("BALTICS", &["EE", "LT", "LV"]),
    ("BENELUX", &["BE", "LU", "NL"]),
    ("DACH", &["AT", "CH", "DE"]),
    ("MIDDLE_EAST", &["AE", "IL", "IQ", "IR", "JO", "KW", "OM", "QA", "SA", "TR"]),
    ("APAC", &[
        "AU", "BD", "CN", "HK", "ID", "IN", "JP", "KH", "KR", "LA", "LK", "MN", "MO", "MY", "NP",
        "NZ", "PH", "PK", "SG", "TH", "TW", "VN",
    ]),
];

/// The codes of a group, given its name in any case or a prefix of three letters or more that fits only one
/// group: `eur` is no code, so it can only be `EUROPE`. `None` for any other text.
pub fn group(name: &str) -> Option<&'static [&'static str]> {
    let begins = |known: &str| {
        let start = known.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let exact = GROUPS
        .iter()
        .find(|(known, _)| known.len() == name.len() && begins(known));
    let mut longer = GROUPS.iter().filter(|(known, _)| name.len() > 2 && begins(known));
    let matched = exact.or_else(|| longer.next().filter(|_| longer.next().is_none()));
    matched.map(|(_, codes)| *codes)
}

/// Country codes with the names people type, in lower case.
#[rustfmt::skip] // a table reads as a table
const NAMES: &[(&str, &[&str])] = &[
    ("AD", &["andorra"]), ("AE", &["united arab emirates", "uae", "emirates", "dubai"]),
    ("AL", &["albania"]), ("AM", &["armenia"]), ("AR", &["argentina"]), ("AT", &["austria", "austrian"]),
    ("AU", &["australia", "australian"]), ("AZ", &["azerbaijan"]), ("BA", &["bosnia"]), ("BD", &["bangladesh"]),
    ("BE", &["belgium", "belgian"]), ("BG", &["bulgaria", "bulgarian"]), ("BO", &["bolivia"]),
    ("BR", &["brazil", "brasil", "brazilian"]),
    ("BY", &["belarus"]), ("CA", &["canada", "canadian"]), ("CH", &["switzerland", "swiss"]), ("CL", &["chile"]),
    ("CN", &["china", "chinese", "prc", "mainland china"]), ("CO", &["colombia"]),
    ("CR", &["costa rica"]), ("CY", &["cyprus"]),
    ("CZ", &["czechia", "czech republic", "czech"]), ("DE", &["germany", "german", "deutschland"]),
    ("DK", &["denmark", "danish"]), ("DO", &["dominican republic"]), ("DZ", &["algeria"]),
    ("EC", &["ecuador"]), ("EE", &["estonia", "estonian"]), ("EG", &["egypt"]), ("ES", &["spain", "spanish"]),
    ("ET", &["ethiopia"]), ("FI", &["finland", "finnish"]), ("FR", &["france", "french"]),
    ("GB", &["united kingdom", "uk", "great britain", "britain", "england", "british"]), ("GE", &["tbilisi"]),
    ("GH", &["ghana"]), ("GR", &["greece", "greek"]), ("GT", &["guatemala"]),
    ("HK", &["hong kong", "hongkong"]), ("HR", &["croatia"]), ("HU", &["hungary", "hungarian"]),
    ("ID", &["indonesia"]), ("IE", &["ireland", "irish"]), ("IL", &["israel", "israeli"]), ("IN", &["india", "indian"]),
    ("IQ", &["iraq"]), ("IR", &["iran"]), ("IS", &["iceland", "icelandic"]), ("IT", &["italy", "italian"]),
    ("JO", &["jordan"]), ("JP", &["japan", "japanese"]), ("KE", &["kenya"]), ("KH", &["cambodia"]),
    ("KP", &["north korea"]), ("KR", &["south korea", "korea", "korean"]), ("KW", &["kuwait"]),
    ("KZ", &["kazakhstan"]), ("LA", &["laos"]), ("LI", &["liechtenstein"]), ("LK", &["sri lanka"]),
    ("LT", &["lithuania"]), ("LU", &["luxembourg"]), ("LV", &["latvia"]), ("MA", &["morocco"]),
    ("MC", &["monaco"]), ("MD", &["moldova"]), ("ME", &["montenegro"]),
    ("MK", &["macedonia", "north macedonia"]), ("MN", &["mongolia"]), ("MO", &["macau", "macao"]),
    ("MT", &["malta"]), ("MU", &["mauritius"]), ("MX", &["mexico"]), ("MY", &["malaysia"]),
    ("NG", &["nigeria"]), ("NL", &["netherlands", "the netherlands", "holland", "dutch"]),
    ("NO", &["norway", "norwegian"]), ("NP", &["nepal"]), ("NZ", &["new zealand"]), ("OM", &["oman"]),
    ("PA", &["panama"]), ("PE", &["peru"]), ("PH", &["philippines"]), ("PK", &["pakistan"]),
    ("PL", &["poland", "polish"]), ("PR", &["puerto rico"]), ("PT", &["portugal", "portuguese"]), ("PY", &["paraguay"]),
    ("QA", &["qatar"]), ("RO", &["romania", "romanian"]), ("RS", &["serbia"]), ("RU", &["russia", "russian"]),
    ("RW", &["rwanda"]), ("SA", &["saudi arabia", "saudi"]), ("SE", &["sweden", "swedish"]),
    ("SG", &["singapore", "singaporean"]), ("SI", &["slovenia"]), ("SK", &["slovakia"]), ("SM", &["san marino"]),
    ("SN", &["senegal"]), ("TH", &["thailand"]), ("TN", &["tunisia"]),
    ("TR", &["turkey", "türkiye", "turkiye"]), ("TW", &["taiwan", "taiwanese"]), ("TZ", &["tanzania"]),
    ("UA", &["ukraine", "ukrainian"]), ("UG", &["uganda"]),
    ("US", &["united states", "united states of america", "usa", "america", "american"]), ("UY", &["uruguay"]),
    ("UZ", &["uzbekistan"]), ("VE", &["venezuela"]), ("VN", &["vietnam", "viet nam", "vietnamese"]),
    ("ZA", &["south africa"]),
];

/// Whether any place of one list is part of a different place of the other: `SE` and `EU`. Places are codes
/// or names of groups.
pub fn are_nested(some: &[String], others: &[String]) -> bool {
    let is_part = |inner: &String, outer: &String| {
        let inner_codes = group(inner).map_or_else(|| vec![inner.as_str()], <[_]>::to_vec);
        inner != outer && group(outer).is_some_and(|outer| inner_codes.iter().all(|code| outer.contains(code)))
    };
    some.iter()
        .any(|one| others.iter().any(|other| is_part(one, other) || is_part(other, one)))
}

/// Whether a region is the whole country with this code in capitals, by one of its names: `Germany` of `DE`.
pub fn is_whole(region: &str, code: &str) -> bool {
    let known = NAMES.iter().find(|(known, _)| *known == code);
    known.is_some_and(|(_, names)| names.iter().any(|name| name.eq_ignore_ascii_case(region)))
}

/// The English name, in lower case, of a country given by its code in capitals; `None` for an unknown code.
pub fn name(code: &str) -> Option<&'static str> {
    let known = NAMES.iter().find(|(known, _)| *known == code);
    known.and_then(|(_, names)| names.first().copied())
}

/// Codes that are words or units in lower case: `in` is India only as `IN`.
const WORDS: [&str; 26] = [
    "al", "am", "at", "be", "by", "co", "do", "gb", "ge", "gt", "id", "il", "in", "is", "it", "la", "lt", "ma", "me",
    "mo", "my", "no", "pa", "sm", "th", "tn",
];

/// Further names of groups, in lower case.
#[rustfmt::skip]
const GROUP_NAMES: &[(&str, &str)] = &[
    ("EU", "european union"), ("EUROPE", "european"), ("NORTH_AMERICA", "north american"),
    ("LATIN_AMERICA", "latam"), ("ASIA", "asian"), ("NORDICS", "nordic"),
    ("NORDICS", "scandinavia"), ("BALTICS", "baltic"), ("OCEANIA", "anz"),
    ("APAC", "asia pacific"), ("AMERICAS", "the americas"), ("EASTERN_EUROPE", "east europe"),
    ("WESTERN_EUROPE", "west europe"), ("SOUTHEAST_ASIA", "south east asia"),
    ("EASTERN_EUROPE", "eastern european"), ("WESTERN_EUROPE", "western european"),
    ("MIDDLE_EAST", "middle eastern"), ("AFRICA", "african"),
    ("SOUTH_AMERICA", "south american"), ("LATIN_AMERICA", "latin american"),
    ("NORDICS", "scandinavian"), ("NORDICS", "nordic countries"), ("EU", "eu countries"),
    ("EUROPE", "european countries"), ("EUROPE", "continental europe"), ("BALKANS", "the balkans"),
    ("NORDICS", "northern europe"), ("EU", "eu region"), ("EU", "eu member states"),
];

/// The code or group for a name in lower case: `germany`, `de`, `europe`; `None` if it is unknown. Codes that
/// are also words, such as `in`, count only with `capitals`: whether the name was typed in capitals.
pub fn named(name: &str, capitals: bool) -> Option<&'static str> {
    let country = BY_NAME.get(name).copied()?;
    (capitals || !WORDS.contains(&name)).then_some(country)
}

/// Codes and groups by name, in lower case.
static BY_NAME: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let all = GROUPS.iter();
    let groups = all.map(|(group, _)| (group.replace('_', " ").to_lowercase(), *group));
    let others = GROUP_NAMES.iter().map(|(group, name)| ((*name).to_owned(), *group));
    let countries = NAMES.iter().flat_map(|(code, names)| {
        let names = names.iter().map(|name| (*name).to_owned());
        names.chain([code.to_lowercase()]).map(|name| (name, *code))
    });
    groups.chain(others).chain(countries).collect()
});

/// Iterates over the names and codes of all countries and groups, in lower case, for suggestions. In no
/// particular order.
pub fn names() -> impl Iterator<Item = &'static str> {
    BY_NAME.keys().map(String::as_str)
}

/// Whether a text in lower case, of two letters or more, is the beginning of the name of a country or group.
/// Codes of two letters are not names here.
pub fn is_name_prefix(text: &str) -> bool {
    text.len() > 1 && BY_NAME.keys().any(|name| name.len() > 2 && name.starts_with(text))
}
