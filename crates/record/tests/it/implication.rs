//! Which scopes contain which queries, against an evaluation of conditions that shares no code.

use bourse_domain::dialect::TransferUnit;
use bourse_domain::language::{Mode, parse};
use bourse_domain::{Condition, Dialect, OFFERS};
use bourse_record::implication::{contains, divisions};
use bourse_record::normalised;

fn conditions(text: &str) -> Vec<Condition> {
    let parsed = parse(text, &OFFERS, &Dialect::SANDBOX, &[], Mode::Strict);
    let parsed = parsed.unwrap_or_else(|error| panic!("{text}: {error:?}"));
    parsed.conditions.iter().map(normal).collect()
}

fn normal(condition: &Condition) -> Condition {
    normalised(condition, TransferUnit::MegabitsPerSecond)
}

fn holds(scope: &str, query: &str) -> bool {
    contains(&conditions(scope), &conditions(query))
}

#[test]
fn narrower_queries_are_contained() {
    for (scope, query) in [
        ("gpu_name=RTX_4090", "gpu_name=RTX_4090 geolocation in EU num_gpus>=2"),
        ("num_gpus>=3", "num_gpus>2"),
        ("num_gpus>=3 num_gpus<=3", "num_gpus=3"),
        ("cuda>=12", "cuda>=12.4"),
        ("geolocation in EU", "geolocation in [DE,FR]"),
        ("geolocation in EUROPE", "geolocation in EU"),
        ("gpu_name in [RTX_4090,RTX_3090]", "gpu_name=RTX_3090"),
        ("verified=true", "verification=verified"),
        ("verification=verified", "verified=true"),
        ("datacenter=true", "hosting_type=1"),
        ("ubuntu_version=22.04", "os_version=22.04"),
        ("driver_version>=535", "driver_version>=535.86.05"),
        ("has_avx=true", "has_avx=1"),
        ("external=false", "external=false rentable=true"),
        ("machine_id in [5,6]", "machine_id=6"),
        ("duration>=3d", "duration>=5d"),
        ("gpu_name!=RTX_3060", "gpu_name=RTX_4090"),
        ("dph_total<0.5", "dph_total<0.4"),
        ("", "gpu_name=RTX_4090"),
    ] {
        assert!(holds(scope, query), "{query} is within {scope}");
    }
}

#[test]
fn what_is_wider_or_not_certain_is_not_contained() {
    for (scope, query) in [
        ("gpu_name=RTX_4090", ""),
        ("gpu_name=RTX_4090", "num_gpus>=2"),
        ("gpu_ram>=24", "gpu_name=RTX_4090"),
        ("gpu_ram>24", "gpu_ram>=24"),
        ("cpu_cores>=3", "cpu_cores>2"),
        ("geolocation in EU", "geolocation in [DE,US]"),
        ("gpu_name!=RTX_3060", "gpu_name!=RTX_4090"),
        ("reliability>0.9", "reliability2>0.95"),
        ("external=true", "external!=null"),
        ("verified=true", "verification!=unverified"),
        ("driver_version>=535.86.05", "driver_version>=535"),
    ] {
        assert!(!holds(scope, query), "{query} is not within {scope}");
    }
}

#[test]
fn a_list_is_divided_value_by_value() {
    let query = conditions("gpu_name in [RTX_4090,RTX_3090] num_gpus=2");
    let divided = divisions(&query);
    assert_eq!(divided.len(), 2);
    let scopes = ["gpu_name=RTX_3090", "gpu_name=RTX_4090"].map(conditions);
    assert!(scopes.iter().all(|scope| !contains(scope, &query)));
    for (part, scope) in divided[1].iter().zip(&scopes) {
        assert!(contains(scope, &part.conditions));
    }
}

/// A value of a record as the oracle sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Nothing,
    Number(f64),
    Text(&'static str),
    Flag(bool),
}

/// A condition as the oracle reads it: operator and operands as they are typed.
#[derive(Debug, Clone)]
struct Test {
    field: &'static str,
    operator: &'static str,
    operands: Vec<&'static str>,
}

struct Kind {
    /// The member that records carry.
    member: &'static str,
    fields: &'static [&'static str],
    operands: &'static [&'static str],
    has_order: bool,
    cells: &'static [Cell],
}

const KINDS: [Kind; 7] = [
    Kind {
        member: "num_gpus",
        fields: &["num_gpus"],
        operands: &["1", "2", "3", "5"],
        has_order: true,
        cells: &[
            Cell::Nothing,
            Cell::Number(0.0),
            Cell::Number(1.0),
            Cell::Number(2.0),
            Cell::Number(3.0),
            Cell::Number(4.0),
            Cell::Number(5.0),
            Cell::Number(6.0),
        ],
    },
    Kind {
        member: "cuda_max_good",
        fields: &["cuda_max_good"],
        operands: &["11", "12", "12.5"],
        has_order: true,
        cells: &[
            Cell::Nothing,
            Cell::Number(10.0),
            Cell::Number(11.0),
            Cell::Number(11.5),
            Cell::Number(12.0),
            Cell::Number(12.25),
            Cell::Number(12.5),
            Cell::Number(13.0),
        ],
    },
    Kind {
        member: "gpu_name",
        fields: &["gpu_name"],
        operands: &["A", "B", "C"],
        has_order: false,
        cells: &[
            Cell::Nothing,
            Cell::Text("A"),
            Cell::Text("B"),
            Cell::Text("C"),
            Cell::Text("D"),
        ],
    },
    Kind {
        member: "geolocation",
        fields: &["geolocation"],
        operands: &["DE", "FR", "US"],
        has_order: false,
        cells: &[
            Cell::Nothing,
            Cell::Text("Berlin, DE"),
            Cell::Text(", FR"),
            Cell::Text("US"),
            Cell::Text("Oslo, NO"),
        ],
    },
    Kind {
        member: "verification",
        fields: &["verified"],
        operands: &["true", "false"],
        has_order: false,
        cells: &[
            Cell::Nothing,
            Cell::Text("verified"),
            Cell::Text("unverified"),
            Cell::Text("new"),
        ],
    },
    Kind {
        member: "external",
        fields: &["external"],
        operands: &["true", "false"],
        has_order: false,
        cells: &[Cell::Nothing, Cell::Flag(true), Cell::Flag(false)],
    },
    Kind {
        member: "machine_id",
        fields: &["machine_id"],
        operands: &["4", "7", "9007199254740993"],
        has_order: true,
        cells: &[
            Cell::Nothing,
            Cell::Number(3.0),
            Cell::Number(4.0),
            Cell::Number(5.0),
            Cell::Number(7.0),
            Cell::Number(8.0),
            Cell::Text("9007199254740992"),
            Cell::Text("9007199254740993"),
            Cell::Text("9007199254740994"),
        ],
    },
];

impl Test {
    fn text(&self) -> String {
        match self.operator {
            "in" | "nin" => format!("{} {} [{}]", self.field, self.operator, self.operands.join(",")),
            operator => format!("{}{operator}{}", self.field, self.operands[0]),
        }
    }

    fn accepts(&self, cell: Cell) -> bool {
        let cell = match (self.field, cell) {
            ("external", Cell::Nothing) => Cell::Flag(false),
            ("verified", Cell::Text(text)) => Cell::Flag(text == "verified"),
            ("geolocation", Cell::Text(text)) => Cell::Text(text.rsplit(',').next().unwrap().trim()),
            (_, cell) => cell,
        };
        let is = |operand: &str| match cell {
            Cell::Nothing => false,
            Cell::Text(text) => text == operand,
            Cell::Flag(flag) => flag.to_string() == operand,
            Cell::Number(number) => number == operand.parse::<f64>().unwrap(),
        };
        // Ids beyond what a double holds are digits.
        let order = |operand: &str| match cell {
            Cell::Number(number) if self.field != "machine_id" => number.partial_cmp(&operand.parse().unwrap()),
            Cell::Number(number) => Some((number as i128).cmp(&operand.parse().unwrap())),
            Cell::Text(text) => Some(text.parse::<i128>().ok()?.cmp(&operand.parse().unwrap())),
            Cell::Nothing | Cell::Flag(_) => None,
        };
        if cell == Cell::Nothing {
            return false;
        }
        let first = self.operands[0];
        match self.operator {
            "=" if self.field == "machine_id" => order(first) == Some(std::cmp::Ordering::Equal),
            "!=" if self.field == "machine_id" => order(first) != Some(std::cmp::Ordering::Equal),
            "=" => is(first),
            "!=" => !is(first),
            ">" => order(first).is_some_and(std::cmp::Ordering::is_gt),
            ">=" => order(first).is_some_and(std::cmp::Ordering::is_ge),
            "<" => order(first).is_some_and(std::cmp::Ordering::is_lt),
            "<=" => order(first).is_some_and(std::cmp::Ordering::is_le),
            "in" => self.operands.iter().any(|operand| is(operand)),
            "nin" => !self.operands.iter().any(|operand| is(operand)),
            other => panic!("{other}"),
        }
    }
}

fn pick<T: Copy>(random: &mut fastrand::Rng, of: &[T]) -> T {
    of[random.usize(..of.len())]
}

fn test(random: &mut fastrand::Rng) -> Test {
    let kind = &KINDS[random.usize(..KINDS.len())];
    let operators: &[&str] = match (kind.has_order, kind.member) {
        (true, "machine_id") => &["=", "!=", ">", ">=", "<", "<="],
        (true, _) => &["=", "!=", ">", ">=", "<", "<=", "in", "nin"],
        (false, "verification" | "external") => &["=", "!="],
        (false, _) => &["=", "!=", "in", "nin"],
    };
    let operator = pick(random, operators);
    let mut operands = vec![pick(random, kind.operands)];
    let other = pick(random, kind.operands);
    if matches!(operator, "in" | "nin") && other != operands[0] {
        operands.push(other);
    }
    Test {
        field: pick(random, kind.fields),
        operator,
        operands,
    }
}

/// At most two conditions on a field: with more, the language merges lists into other conditions.
fn tests(random: &mut fastrand::Rng, most: usize) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    for _ in 0..random.usize(..=most) {
        let new = test(random);
        let known = tests.iter().filter(|known| known.field == new.field);
        if known.count() < 2 {
            tests.push(new);
        }
    }
    tests
}

fn parsed(tests: &[Test]) -> Vec<Condition> {
    // One by one: what contradicts itself is refused as a text.
    tests.iter().flat_map(|test| conditions(&test.text())).collect()
}

/// Whether some cell of a member meets the query's conditions on it and breaks one of the scope's.
fn escapes(kind: &Kind, scope: &[Test], query: &[Test]) -> bool {
    let on = |tests: &[Test]| -> Vec<Test> {
        tests
            .iter()
            .filter(|test| kind.fields.contains(&test.field))
            .cloned()
            .collect()
    };
    let (scope, query) = (on(scope), on(query));
    kind.cells
        .iter()
        .any(|cell| query.iter().all(|test| test.accepts(*cell)) && !scope.iter().all(|test| test.accepts(*cell)))
}

#[test]
fn containment_is_what_trying_every_record_says() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut contained, mut bound) = (0, 0);
    for _ in 0..8_000 {
        let scope = tests(&mut random, 3);
        let mut query = tests(&mut random, 5);
        // Half of the queries are built on the scope, or few would be within it.
        if random.bool() {
            query.extend(scope.iter().cloned());
        }
        let expected = !KINDS.iter().any(|kind| escapes(kind, &scope, &query));
        let found = contains(&parsed(&scope), &parsed(&query));
        let texts = |tests: &[Test]| tests.iter().map(Test::text).collect::<Vec<_>>().join(" ");
        assert_eq!(found, expected, "{} within {}", texts(&query), texts(&scope));
        contained += u32::from(found);
        bound += u32::from(found && !scope.is_empty());
    }
    assert!(bound > 1_500 && contained < 7_500, "{bound} of {contained}");
}
