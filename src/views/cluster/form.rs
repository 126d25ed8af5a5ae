//! The fields of the planner of clusters, and the need that they describe.

use crate::domain::insight::plan::{Need, Target};
use crate::domain::language::{self, Mode};
use crate::domain::quantity::{self, Quantity};
use crate::domain::{Condition, Dialect, Resource};
use crate::widgets::form::{Field, Form};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Measure,
    Amount,
    Vram,
    Machines,
    PerMachine,
    Models,
    Only,
    Network,
    Deadline,
    Budget,
    Offers,
    Workergroup,
}

impl Key {
    /// The text fields, in order.
    pub const TEXTS: [Self; 8] = [
        Self::Amount,
        Self::Vram,
        Self::Machines,
        Self::PerMachine,
        Self::Only,
        Self::Network,
        Self::Deadline,
        Self::Budget,
    ];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Measure => "Needed",
            Self::Amount => "How many",
            Self::Vram => "Memory per GPU",
            Self::Machines => "Machines",
            Self::PerMachine => "GPUs per machine",
            Self::Models => "GPU models",
            Self::Only => "Only offers",
            Self::Network => "Network",
            Self::Deadline => "Done within",
            Self::Budget => "Budget",
            Self::Offers => "Show offers",
            Self::Workergroup => "New workergroup",
        }
    }

    const fn note(self) -> &'static str {
        match self {
            Self::Vram => "24GB, 80GB",
            Self::Machines => "at most",
            Self::PerMachine | Self::Network => "at least",
            Self::Only => "EU, not CN",
            Self::Deadline => "24h, 3d",
            Self::Budget => "at most",
            Self::Measure | Self::Amount | Self::Models | Self::Offers | Self::Workergroup => "",
        }
    }

    /// What the focused field does.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Measure => "What the offers must add up to: GPUs, or DLPerf.",
            Self::Amount => "The cheapest offers with at least so much are planned.",
            Self::Vram => "Memory of each GPU as cards are sold: 80GB includes 81559 MB.",
            Self::Machines => "The largest number of machines; blank sets no limit.",
            Self::PerMachine => {
                "The fewest GPUs on each machine, in one offer or in several that share none."
            }
            Self::Models => "Whether all GPUs must be of one model.",
            Self::Only => "A region (EU, US CA, not CN) or conditions, as in the query bar.",
            Self::Network => "The slower of download and upload of each offer.",
            Self::Deadline => "Time in which the job is done, the download of its data included.",
            Self::Budget => "The highest bill. A plan over it says what the budget pays for.",
            Self::Offers => "Go to the offers of the plan: open, copy, export.",
            Self::Workergroup => "A new workergroup that searches for these offers.",
        }
    }

    /// The number in a text; `None` if it is blank, which sets no limit.
    fn read(self, text: &str) -> Result<Option<f64>, String> {
        let (quantity, range) = match self {
            Self::Machines | Self::PerMachine => (Quantity::Count, 1.0..=10_000.0),
            Self::Vram => (Quantity::Gigabytes, 1.0..=10_000.0),
            Self::Deadline => (Quantity::Hours, 0.01..=1e6),
            Self::Budget => (Quantity::Dollars, 0.01..=1e9),
            Self::Amount => return amount(text).map(Some),
            Self::Network => (Quantity::Number, 0.0..=1e9),
            Self::Measure | Self::Models | Self::Only | Self::Offers | Self::Workergroup => {
                return Ok(None);
            }
        };
        if text.trim().is_empty() {
            return Ok(None);
        }
        quantity::within(text, quantity, range).map(Some)
    }
}

fn amount(text: &str) -> Result<f64, String> {
    quantity::within(text, Quantity::Number, 1.0..=1e6)
}

/// The choices of [`Key::Measure`] and [`Key::Models`].
const MEASURES: [&str; 2] = ["GPUs", "DLPerf"];
const MODELS: [&str; 2] = ["all the same", "may differ"];

/// The input of a form that was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    measure: usize,
    models: usize,
    texts: [String; 8],
}

impl Default for Draft {
    fn default() -> Self {
        let mut texts: [String; 8] = Default::default();
        "8".clone_into(&mut texts[0]);
        Self {
            measure: 0,
            models: 0,
            texts,
        }
    }
}

impl Draft {
    pub fn of(form: &Form<Key>) -> Self {
        Self {
            measure: form.chosen(Key::Measure),
            models: form.chosen(Key::Models),
            texts: Key::TEXTS.map(|key| form.text(key).into_owned()),
        }
    }

    /// The form with this input.
    pub fn form(self, dialect: &'static Dialect) -> Form<Key> {
        let mut fields: Vec<Field<Key>> = Key::TEXTS
            .into_iter()
            .zip(self.texts)
            .map(|(key, text)| {
                let field = Field::text(key, key.label(), text).note(key.note());
                field.check(move |text| match key {
                    Key::Only => only(text, dialect).map(drop),
                    key => key.read(text).map(drop),
                })
            })
            .collect();
        let models = Field::choice(Key::Models, Key::Models.label(), MODELS, self.models);
        fields.insert(4, models);
        let measure = Field::choice(Key::Measure, Key::Measure.label(), MEASURES, self.measure);
        fields.insert(0, measure);
        for key in [Key::Offers, Key::Workergroup] {
            fields.push(Field::button(key, key.label()));
        }
        let mut form = Form::new(fields).submits(Key::Offers);
        form.focus_on(Key::Amount);
        form
    }
}

/// The need in the fields, or the first invalid field.
pub(super) fn need(form: &Form<Key>, dialect: &'static Dialect) -> Result<Need, (Key, String)> {
    let number = |key: Key| key.read(&form.text(key)).map_err(|why| (key, why));
    let count = |key: Key| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
        number(key).map(|number| number.map(|number| number as u32))
    };
    let amount = number(Key::Amount)?.unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
    let target = match form.chosen(Key::Measure) {
        0 if amount.fract() != 0.0 => {
            return Err((Key::Amount, "Not a whole number".to_owned()));
        }
        0 => Target::Gpus(amount as u32),
        _ => Target::Dlperf(amount),
    };
    Ok(Need {
        machines: count(Key::Machines)?,
        per_machine: count(Key::PerMachine)?,
        one_model: form.chosen(Key::Models) == 0,
        vram_gb: number(Key::Vram)?,
        network: number(Key::Network)?,
        deadline: number(Key::Deadline)?,
        budget: number(Key::Budget)?,
        conditions: only(&form.text(Key::Only), dialect).map_err(|why| (Key::Only, why))?,
        ..Need::new(target)
    })
}

/// The conditions of a text: a list of places (`EU`, `US CA`, `not CN`), or the query language.
fn only(text: &str, dialect: &'static Dialect) -> Result<Vec<Condition>, String> {
    let text = text.trim();
    let parse = |query: &str| {
        let catalog = Resource::Offers.catalog();
        let parsed = language::parse(query, catalog, dialect, &[], Mode::Strict);
        parsed
            .map(|parsed| parsed.conditions)
            .map_err(|error| error.message)
    };
    if text.contains(['=', '<', '>', '[']) {
        return parse(text);
    }
    let (operator, places) = match text.strip_prefix("not ").or_else(|| text.strip_prefix('!')) {
        Some(rest) => ("notin", rest),
        None => ("in", text),
    };
    let places = places.to_ascii_uppercase();
    let places: Vec<&str> = places
        .split([',', ' '])
        .filter(|place| !place.is_empty())
        .collect();
    if places.is_empty() {
        return Ok(Vec::new());
    }
    parse(&match places[..] {
        [place] => format!("geolocation {operator} {place}"),
        _ => format!("geolocation {operator} [{}]", places.join(",")),
    })
}
