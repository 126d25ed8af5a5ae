//! Plain words: sentences of `data/sentences.json`, whose meanings were labelled by someone who had not seen the grammar,
//! and sentences made of clauses with known meanings.

use std::collections::BTreeSet;

use bourse::domain::cost::JobWords;
use bourse::domain::language::{self, Mode};
use bourse::domain::query::Operand;
use bourse::domain::{Condition, Dialect, OFFERS, Operator, Value, plain};
use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Label {
    conditions: String,
    job: Option<String>,
    work: Option<String>,
    by: Option<String>,
    order: Option<String>,
    #[serde(rename = "type")]
    offer_type: Option<String>,
    storage: Option<f64>,
    free: Option<String>,
    limit: Option<u32>,
    cluster: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Case {
    words: String,
    /// `read`, `ambiguous` or `refuse`: the last two are never taken.
    verdict: String,
    #[serde(flatten)]
    label: Label,
    /// Other readings that are as good; or, of what should be refused, the only one that does no harm.
    #[serde(default)]
    also: Vec<Label>,
}

/// A meaning in a form that compares: conditions without order, the rest as text.
#[derive(Debug, PartialEq)]
struct Meaning {
    conditions: Vec<Condition>,
    rest: String,
}

fn settings(job: &JobWords, order: Option<String>, offer_type: Option<String>, storage: Option<f64>) -> String {
    let disk = storage.or(job.disk_gb);
    let work = job.work.map(|work| work.to_string());
    format!(
        "{:?} {:?} {:?} {disk:?} {work:?} {:?} {order:?} {offer_type:?}",
        job.hours,
        job.gb_in,
        job.gb_out,
        job.by.map(|by| by.to_string())
    )
}

impl Label {
    fn meaning(&self) -> Meaning {
        let parsed = language::parse(&self.conditions, &OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
        let parsed = parsed.unwrap_or_else(|error| panic!("{}", error.render(&self.conditions)));
        let mut job = JobWords::default();
        for part in self.job.iter().flat_map(|job| job.split(',')) {
            let number = |end: &str| part.strip_suffix(end).and_then(|text| text.parse::<f64>().ok());
            match (
                number("d"),
                number("h"),
                number("GB-down"),
                number("GB-up"),
                number("GB"),
            ) {
                (Some(days), ..) => job.hours = Some(days * 24.0),
                (_, Some(hours), ..) => job.hours = Some(hours),
                (_, _, Some(gb), ..) => job.gb_in = Some(gb),
                (_, _, _, Some(gb), _) => job.gb_out = Some(gb),
                (.., gb) => job.disk_gb = Some(gb.unwrap_or_else(|| panic!("{part}"))),
            }
        }
        job.work = self.work.as_ref().map(|work| work.parse().unwrap());
        job.by = self.by.as_ref().map(|by| by.parse().unwrap());
        let rest = settings(&job, self.order.clone(), self.offer_type.clone(), self.storage);
        let rest = format!("{rest} {:?} {:?} {:?}", self.free, self.limit, self.cluster);
        Meaning {
            conditions: parsed.conditions,
            rest,
        }
    }
}

/// What a sentence is taken for; `None` if it is refused, or offered in several readings.
fn taken(words: &str) -> Option<Meaning> {
    let reading = plain::read(words, &OFFERS, &Dialect::SANDBOX, &plain::Names::default());
    let parsed = reading.parse(&OFFERS, &Dialect::SANDBOX, &[], Mode::Strict).ok()?;
    let said = &reading.meaning.settings;
    let order = said.order.as_deref().map(language::print_order);
    let offer_type = said.offer_type.map(|own| own.wire().to_owned());
    let rest = settings(&said.job, order, offer_type, said.storage);
    let free = parsed.removed.first().map(|field| field.key.to_owned());
    let cluster = said
        .cluster
        .map(|own| own.flags().trim_start_matches("--shape ").to_owned());
    let rest = format!("{rest} {free:?} {:?} {cluster:?}", said.limit);
    Some(Meaning {
        conditions: parsed.conditions,
        rest,
    })
}

/// Whether two meanings select the same: numbers within a rounding, whole numbers as bounds of either kind.
fn same(one: &Meaning, other: &Meaning) -> bool {
    let is_covered =
        |some: &[Condition], all: &[Condition]| some.iter().all(|own| all.iter().any(|rival| equal(own, rival)));
    one.rest == other.rest
        && is_covered(&one.conditions, &other.conditions)
        && is_covered(&other.conditions, &one.conditions)
}

fn equal(one: &Condition, other: &Condition) -> bool {
    let whole = |condition: &Condition| match (condition.operator, &condition.operand) {
        (Operator::Gt, Operand::One(Value::Number(number))) if condition.field.key == "num_gpus" => {
            (Operator::Gte, Some(number + 1.0))
        }
        (operator, Operand::One(Value::Number(number))) => (operator, Some(*number)),
        (operator, Operand::One(_) | Operand::Many(_)) => (operator, None),
    };
    let texts = |condition: &Condition| -> BTreeSet<String> {
        let value = |value: &Value| format!("{value:?}");
        match &condition.operand {
            Operand::One(own) => [value(own)].into(),
            Operand::Many(values) => values.iter().map(value).collect(),
        }
    };
    let ((operator, number), (rival, value)) = (whole(one), whole(other));
    let is_close = match (number, value) {
        (Some(number), Some(value)) => (number - value).abs() <= 1e-4 * number.abs(),
        (None, None) => texts(one) == texts(other),
        (Some(_), None) | (None, Some(_)) => false,
    };
    one.field == other.field && operator == rival && is_close
}

#[test]
fn no_sentence_is_misread() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../data/sentences.json")).unwrap();
    let (mut wrong, mut right, mut readable) = (Vec::new(), 0, 0);
    for case in &cases {
        let is_readable = case.verdict == "read";
        readable += usize::from(is_readable);
        let Some(found) = taken(&case.words) else { continue };
        let own = std::iter::once(&case.label).filter(|_| is_readable);
        if own.chain(&case.also).any(|label| same(&found, &label.meaning())) {
            right += 1;
        } else {
            wrong.push(format!("{}: {found:?}", case.words));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
    assert!(right * 4 >= readable * 3, "{right} of {readable} are read");
}

/// A clause with its meaning, worked out beside it.
#[derive(Clone)]
struct Clause {
    text: String,
    /// What it sets: two clauses of one subject contradict each other.
    subject: &'static str,
    label: Label,
}

/// Picks at random, the same in each run.
struct Pick(fastrand::Rng);

impl Pick {
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.usize(..of.len())]
    }

    fn clause(&mut self) -> Clause {
        let make = self.one(&[
            Self::model,
            Self::count,
            Self::place,
            Self::price,
            Self::disk,
            Self::memory,
            Self::network,
            Self::share,
            Self::job,
            Self::fixed,
            Self::fixed,
        ]);
        make(self)
    }

    fn condition(subject: &'static str, text: String, conditions: String) -> Clause {
        let label = Label {
            conditions,
            ..Label::default()
        };
        Clause { text, subject, label }
    }

    fn model(&mut self) -> Clause {
        let (text, conditions) = self.one(&[
            ("4090", "gpu_name=RTX_4090"),
            ("rtx 5090", "gpu_name=RTX_5090"),
            ("h100 sxm", "gpu_name=H100_SXM"),
            ("4090s or 5090s", "gpu_name in [RTX_4090,RTX_5090]"),
            ("l40s, a40 or a10", "gpu_name in [L40S,A40,A10]"),
            ("no 3090", "gpu_name!=RTX_3090"),
            ("not a t4 or l4", "gpu_name notin [Tesla_T4,L4]"),
        ]);
        Self::condition("model", text.to_owned(), conditions.to_owned())
    }

    fn count(&mut self) -> Clause {
        let gpus = self.one(&[2, 3, 4, 6, 8]);
        let (text, conditions) = self.one(&[
            ("N gpus", "num_gpus=N"),
            ("at least N gpus", "num_gpus>=N"),
            ("no more than N gpus", "num_gpus<=N"),
            ("fewer than N cards", "num_gpus<N"),
            ("N or 16 gpus", "num_gpus in [N,16]"),
            ("N to 16 gpus", "num_gpus>=N num_gpus<=16"),
            ("between N and 12 gpus", "num_gpus>=N num_gpus<=12"),
        ]);
        let with = |text: &str| text.replace('N', &gpus.to_string());
        Self::condition("count", with(text), with(conditions))
    }

    fn place(&mut self) -> Clause {
        let (text, conditions) = self.one(&[
            ("in germany", "geolocation=DE"),
            ("us or canada", "geolocation in [US,CA]"),
            ("not in china", "geolocation!=CN"),
            ("europe", "geolocation in EUROPE"),
            ("outside of india and china", "geolocation notin [IN,CN]"),
            ("not in us, canada or mexico", "geolocation notin [US,CA,MX]"),
        ]);
        Self::condition("place", text.to_owned(), conditions.to_owned())
    }

    fn price(&mut self) -> Clause {
        let cents = f64::from(self.0.u32(11..400));
        let dollars = cents / 100.0;
        let (operator, word) = self.one(&[
            ("<", "under"),
            ("<=", "at most"),
            ("<=", "no more than"),
            (">=", "at least"),
            ("<", "less than"),
        ]);
        let (text, field, amount) = match self.0.u8(..7) {
            0 => (format!("{word} ${dollars}/h"), "dph_total", dollars),
            1 => (format!("{word} {cents} cents per hour"), "dph_total", dollars),
            2 => (format!("{word} ${dollars} per gpu"), "dph_per_gpu", dollars),
            3 => (
                format!("{word} ${} a month", cents * 10.0),
                "dph_total",
                cents * 10.0 / 720.0,
            ),
            4 => (
                format!("{word} ${cents},000 per month"),
                "dph_total",
                cents * 1000.0 / 720.0,
            ),
            5 => (
                format!(
                    "{word} {},{:02} dollars an hour",
                    cents as u32 / 100,
                    cents as u32 % 100
                ),
                "dph_total",
                dollars,
            ),
            _ => (format!("{word} ${cents} a week"), "dph_total", cents / 168.0),
        };
        let subject = if field == "dph_total" {
            "price"
        } else {
            "price of a gpu"
        };
        Self::condition(subject, text, format!("{field}{operator}{amount:.9}"))
    }

    fn disk(&mut self) -> Clause {
        let gb = f64::from(self.0.u32(11..90)) * 10.0;
        let (text, gb) = match self.0.u8(..5) {
            0 => (format!("{gb}gb disk"), gb),
            1 => (format!("disk {gb} GB"), gb),
            2 => (format!("at least {gb} gb of storage"), gb),
            3 => ("disk 1,5tb".to_owned(), 1500.0),
            _ => ("2.5 TB disk".to_owned(), 2500.0),
        };
        let mut clause = Self::condition("disk", text, format!("disk_space>={gb}"));
        clause.label.storage = Some(gb);
        clause
    }

    fn memory(&mut self) -> Clause {
        let (text, conditions) = self.one(&[
            ("24gb vram", "gpu_ram>=23"),
            ("at least 48 GB of vram", "gpu_ram>=45"),
            ("64gb ram", "cpu_ram>=64"),
            ("256 gb of system memory", "cpu_ram>=256"),
            ("ram 100gb or more", "cpu_ram>=100"),
            ("16 cores", "cpu_cores_effective>=16"),
            ("fewer than 65 vcpus", "cpu_cores_effective<65"),
        ]);
        Self::condition(
            if conditions.starts_with("gpu") {
                "vram"
            } else if conditions.contains("ram") {
                "ram"
            } else {
                "cores"
            },
            text.to_owned(),
            conditions.to_owned(),
        )
    }

    fn network(&mut self) -> Clause {
        let speed = self.0.u32(2..9) * 100;
        let (text, subject, field, megabits) = match self.0.u8(..6) {
            0 => (format!("{speed} mbps down"), "down", "inet_down", speed),
            1 => (format!("at least {speed} Mbit/s upload"), "up", "inet_up", speed),
            2 => (format!("{speed} MB/s download"), "down", "inet_down", speed * 8),
            3 => (format!("{speed} MBps up"), "up", "inet_up", speed * 8),
            4 => ("1 Gb/s down".to_owned(), "down", "inet_down", 1000),
            _ => ("download 2gbps".to_owned(), "down", "inet_down", 2000),
        };
        Self::condition(subject, text, format!("{field}>={megabits}"))
    }

    fn share(&mut self) -> Clause {
        let (text, conditions) = self.one(&[
            ("99% reliability", "reliability>=0.99"),
            ("reliability over 98.5%", "reliability>0.985"),
            ("uptime of at least 99,5%", "reliability>=0.995"),
            ("more than 97 percent reliable", "reliability>0.97"),
        ]);
        Self::condition("reliability", text.to_owned(), conditions.to_owned())
    }

    fn job(&mut self) -> Clause {
        let (days, hours) = (self.0.u32(2..9), self.0.u32(2..20));
        let (text, length) = match self.0.u8(..8) {
            0 => (format!("{days}d"), days * 24),
            1 => (format!("for {days} days"), days * 24),
            2 => (format!("{days} days {hours} hours"), days * 24 + hours),
            3 => (format!("{days} weeks and {hours} days"), days * 168 + hours * 24),
            4 => ("1 month and 1 week".to_owned(), 888),
            5 => ("for a week and a half".to_owned(), 252),
            6 => (format!("{days}d{hours}h"), days * 24 + hours),
            _ => (format!("{hours} hours"), hours),
        };
        let label = Label {
            job: Some(format!("{length}h")),
            ..Label::default()
        };
        Clause {
            text,
            subject: "job",
            label,
        }
    }

    fn fixed(&mut self) -> Clause {
        let (subject, text, conditions) = self.one(&[
            ("verified", "verified", "verified=true"),
            ("verified", "not verified", "verified=false"),
            ("datacenter", "datacenter", "datacenter=true"),
            ("static", "static ip", "static_ip=true"),
            ("nvlink", "nvlink", "bw_nvlink>0"),
            ("nvlink", "without nvlink", "bw_nvlink=0"),
            ("type", "spot", ""),
            ("type", "on-demand", ""),
            ("order", "cheapest", ""),
            ("order", "most reliable", ""),
            ("cuda", "cuda 12.4 or newer", "cuda_max_good>=12.4"),
            ("limit", "top 5 offers", ""),
        ]);
        let mut clause = Self::condition(subject, text.to_owned(), conditions.to_owned());
        match text {
            "spot" => clause.label.offer_type = Some("bid".to_owned()),
            "on-demand" => clause.label.offer_type = Some("on-demand".to_owned()),
            "cheapest" => clause.label.order = Some("dph_total".to_owned()),
            "most reliable" => clause.label.order = Some("reliability-".to_owned()),
            "top 5 offers" => clause.label.limit = Some(5),
            _ => {}
        }
        clause
    }
}

/// The meaning of all clauses.
fn together(clauses: &[Clause]) -> Label {
    let mut all = Label::default();
    for Clause { label, .. } in clauses {
        all.conditions = format!("{} {}", all.conditions, label.conditions);
        all.job = label.job.clone().or(all.job);
        all.order = label.order.clone().or(all.order);
        all.offer_type = label.offer_type.clone().or(all.offer_type);
        all.storage = label.storage.or(all.storage);
        all.limit = label.limit.or(all.limit);
    }
    // The cheapest offer for a job is the one with the lowest bill.
    if let (Some(_), Some("dph_total")) = (&all.job, all.order.as_deref()) {
        all.order = Some("job_cost".to_owned());
    }
    all
}

/// What is done to a sentence, and with it to its meaning.
enum Change {
    /// Nothing that matters: the text means what its clauses mean, or is refused.
    None,
    /// The clause at a position is negated: it means something else, the others what they meant.
    Negated(usize),
    /// The text has no meaning that a search can express.
    Senseless,
}

/// Whether two clauses on one subject go together: the ends of a range, or one that excludes.
fn go_together(one: &Clause, other: &Clause) -> bool {
    let has = |clause: &Clause, operators: &[Operator]| {
        let conditions = clause.label.meaning().conditions;
        !conditions.is_empty() && conditions.iter().all(|own| operators.contains(&own.operator))
    };
    let (lower, upper, excluded) = (
        [Operator::Gt, Operator::Gte],
        [Operator::Lt, Operator::Lte],
        [Operator::Neq, Operator::Nin],
    );
    let is_range = |low: &Clause, high: &Clause| has(low, &lower) && has(high, &upper);
    // Models and places in a row are a list, and one range may lie in another.
    let is_inner = |clause: &Clause| {
        clause.text.contains(" to ") || clause.text.starts_with("between") || clause.text.contains("memory")
    };
    let is_list = matches!(one.subject, "model" | "place") || is_inner(one) || is_inner(other);
    is_list || is_range(one, other) || is_range(other, one) || has(one, &excluded) || has(other, &excluded)
}

/// A sentence of clauses with known meanings, and of things that people do to them, that is taken for something else.
fn misread(pick: &mut Pick) -> Option<String> {
    let mut clauses: Vec<Clause> = Vec::new();
    for _ in 0..pick.0.usize(1..5) {
        let clause = pick.clause();
        if clauses.iter().all(|own| own.subject != clause.subject) {
            clauses.push(clause);
        }
    }
    let mut parts: Vec<String> = clauses.iter().map(|clause| clause.text.clone()).collect();
    let mut joints: Vec<&str> = Vec::new();
    joints.resize_with(6, || {
        pick.one(&[" ", " ", ", ", " and ", ", and ", " with ", " but ", "; "])
    });
    let wanted = together(&clauses);
    let (at, mut change) = (pick.0.usize(..parts.len()), Change::None);
    match pick.0.u8(..10) {
        0 if at + 1 < parts.len() => {
            joints[at] = " or ";
            change = Change::Senseless;
        }
        1 => {
            parts[at] = format!("{} {}", pick.one(&["not", "no", "without", "except"]), parts[at]);
            change = Change::Negated(at);
        }
        2 => {
            let own = &clauses[at];
            let is_rival = |rival: &Clause| {
                let is_other = own.subject == rival.subject && own.label.meaning() != rival.label.meaning();
                // `3 days, 12 hours` is one job.
                is_other && own.subject != "job" && !go_together(own, rival)
            };
            if let Some(rival) = std::iter::repeat_with(|| pick.clause()).take(100).find(is_rival) {
                parts.push(rival.text);
                change = Change::Senseless;
            }
        }
        3 => {
            let word = pick.one(&[
                "than",
                "bananas",
                "nearly",
                "beyond",
                "versus",
                "instead of",
                "not only",
            ]);
            parts[at] = format!("{word} {}", parts[at]);
            change = Change::Senseless;
        }
        4 => parts[at] = parts[at].to_uppercase(),
        _ => {}
    }
    let ends = (1..parts.len()).map(|end| joints[end - 1]).chain([""]);
    let text: String = parts
        .iter()
        .zip(ends)
        .map(|(part, joint)| format!("{part}{joint}"))
        .collect();
    let found = taken(&text)?;
    let is_right = match change {
        Change::None => same(&found, &wanted.meaning()),
        Change::Senseless => false,
        Change::Negated(at) => {
            let rest = clauses.iter().enumerate().filter(|(other, _)| *other != at);
            let rest: Vec<_> = rest.flat_map(|(_, clause)| clause.label.meaning().conditions).collect();
            let keeps = |own: &Condition| found.conditions.iter().any(|rival| equal(own, rival));
            !same(&found, &wanted.meaning()) && rest.iter().all(keeps)
        }
    };
    let printed = language::print_briefly(&found.conditions);
    (!is_right).then(|| format!("{text}\n    {printed} {}", found.rest))
}

/// Some hundreds here, twelve thousand in the long tier; as many as one wants from a seed of its own:
/// `BOURSE_SENTENCES='45 1000000' cargo test --locked --test it -- no_sentence_of_known_clauses`.
#[test]
fn no_sentence_of_known_clauses_is_misread() {
    let (seed, count) = std::env::var("BOURSE_SENTENCES").map_or_else(
        |_| (44, crate::cases::cases(250, 12_000)),
        |text| {
            let (seed, count) = text.split_once(' ').unwrap();
            (seed.parse().unwrap(), count.parse().unwrap())
        },
    );
    let mut pick = Pick(fastrand::Rng::with_seed(seed));
    let wrong: Vec<_> = (0..count).filter_map(|_| misread(&mut pick)).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
