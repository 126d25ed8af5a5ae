//! States, provinces and cities: people look for machines there, but the market filters by country.

use std::collections::HashMap;
use std::sync::LazyLock;

/// States and provinces, which hosts name in the locations of their offers (`Texas, US`).
#[rustfmt::skip] // a table reads as a table
const STATES: &[(&str, &[&str])] = &[
    ("US", &[
        "alabama", "alaska", "arizona", "arkansas", "california", "colorado", "connecticut",
        "delaware", "florida", "hawaii", "idaho", "illinois", "indiana", "iowa", "kansas",
        "kentucky", "louisiana", "maine", "maryland", "massachusetts", "michigan", "minnesota",
        "mississippi", "missouri", "montana", "nebraska", "nevada", "new hampshire", "new jersey",
        "new mexico", "new york", "north carolina", "north dakota", "ohio", "oklahoma", "oregon",
        "pennsylvania", "rhode island", "south carolina", "south dakota", "tennessee", "texas",
        "utah", "vermont", "virginia", "washington", "west virginia", "wisconsin", "wyoming",
    ]),
    ("CA", &[
        "ontario", "quebec", "québec", "british columbia", "alberta", "manitoba", "saskatchewan",
        "nova scotia", "new brunswick", "newfoundland",
    ]),
];

/// Other names in lower case by country. Names that are also words, countries or brands are left out
/// (`georgia`, `nice`, `mobile`).
#[rustfmt::skip] // a table reads as a table
const REGIONS: &[(&str, &[&str])] = &[
    ("US", &[
        "washington dc", "nyc", "new york city", "los angeles",
        "san francisco", "bay area", "silicon valley", "san jose", "seattle", "chicago", "dallas",
        "houston", "austin", "atlanta", "miami", "boston", "denver", "phoenix", "las vegas",
        "salt lake city", "ashburn", "east coast", "west coast", "us east", "us west",
        "us central", "us south", "us east coast", "us west coast", "east coast us",
        "west coast us", "east coast usa", "west coast usa", "eastern us", "western us",
        "central us", "southern us", "northern us", "midwest", "us midwest", "pacific northwest",
    ]),
    ("CA", &[
        "toronto", "montreal", "montréal",
        "vancouver", "calgary", "ottawa",
    ]),
    ("GB", &["london", "scotland", "wales", "northern ireland", "manchester", "edinburgh"]),
    ("DE", &["berlin", "frankfurt", "munich", "hamburg", "bavaria", "cologne", "nuremberg", "falkenstein", "hesse",
        "saxony"]),
    ("FR", &["paris", "marseille", "lyon", "strasbourg", "gravelines", "roubaix"]),
    ("NL", &["amsterdam", "rotterdam", "the hague", "eindhoven"]),
    ("BE", &["brussels", "antwerp"]), ("CH", &["zurich", "zürich", "geneva", "basel"]),
    ("AT", &["vienna"]), ("IE", &["dublin"]), ("ES", &["madrid", "barcelona", "catalonia", "valencia"]),
    ("PT", &["lisbon", "porto"]), ("IT", &["milan", "rome", "turin", "lombardy"]),
    ("SE", &["stockholm", "gothenburg", "malmö", "malmo", "luleå"]), ("NO", &["oslo", "stavanger"]),
    ("FI", &["helsinki"]), ("DK", &["copenhagen"]), ("IS", &["reykjavik"]),
    ("PL", &["warsaw", "krakow", "wroclaw", "gdansk", "poznan"]), ("CZ", &["prague", "brno"]),
    ("HU", &["budapest"]), ("RO", &["bucharest"]), ("BG", &["sofia"]), ("GR", &["athens"]),
    ("RS", &["belgrade"]), ("UA", &["kyiv", "kiev", "lviv"]), ("EE", &["tallinn"]),
    ("LV", &["riga"]), ("LT", &["vilnius"]), ("TR", &["istanbul", "ankara"]),
    ("RU", &["moscow", "saint petersburg"]), ("IL", &["tel aviv"]), ("AE", &["abu dhabi"]),
    ("IN", &["mumbai", "delhi", "bangalore", "hyderabad", "chennai", "pune"]),
    ("JP", &["tokyo", "osaka"]), ("KR", &["seoul", "busan"]), ("TW", &["taipei"]),
    ("CN", &["beijing", "shanghai", "shenzhen", "guangdong"]), ("VN", &["hanoi", "ho chi minh city", "saigon"]),
    ("TH", &["bangkok"]), ("MY", &["kuala lumpur"]), ("ID", &["jakarta"]), ("PH", &["manila"]),
    ("AU", &["sydney", "melbourne", "brisbane", "perth", "new south wales", "queensland", "tasmania"]),
    ("NZ", &["auckland", "wellington"]), ("BR", &["sao paulo", "são paulo", "rio de janeiro"]),
    ("AR", &["buenos aires"]), ("CL", &["santiago"]), ("CO", &["bogota", "bogotá"]),
    ("MX", &["mexico city"]), ("ZA", &["johannesburg", "cape town"]), ("EG", &["cairo"]),
    ("NG", &["lagos"]), ("KE", &["nairobi"]),
];

static COUNTRIES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let rows = STATES.iter().chain(REGIONS);
    rows.flat_map(|(country, names)| names.iter().map(|name| (*name, *country)))
        .collect()
});

/// The code of the country that a state, a province or a city is in, by its name in lower case.
pub fn country_of(name: &str) -> Option<&'static str> {
    COUNTRIES.get(name).copied()
}

/// Whether locations of offers contain such a name.
pub fn is_state(name: &str) -> bool {
    STATES.iter().any(|(_, names)| names.contains(&name))
}

/// Whether a text in lower case is the beginning of such a name, three letters or more.
pub fn begins(text: &str) -> bool {
    text.len() > 2 && COUNTRIES.keys().any(|name| name.starts_with(text))
}
