//! A market whose every moment is known, and what it answers to searches.
//!
//! It shares no code with the domain or the record: its filters, prices, sizes and orders are written
//! from the specification.

use std::fmt::Write as _;

pub const DAY: i64 = 86_400;

/// A small generator of random numbers (xorshift): the same world for the same seed.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// From 0 up to, but not including, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap()]
    }

    pub fn between(&mut self, from: i64, to: i64) -> i64 {
        from + i64::try_from(self.below(u64::try_from(to - from).unwrap())).unwrap()
    }
}

/// GPU models with the memory of a card in MB and the usual price of a GPU in cents an hour.
pub const MODELS: [(&str, u32, u32); 5] = [
    ("RTX 3090", 24_576, 16),
    ("RTX 4090", 24_564, 34),
    ("RTX 5090", 32_607, 45),
    ("A100 PCIE", 81_920, 80),
    ("H100 SXM", 81_559, 190),
];
pub const COUNTRIES: [&str; 6] = ["US", "DE", "NL", "FR", "JP", "CA"];

/// What of a machine changes.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub is_listed: bool,
    /// A bit for each GPU that nobody rents.
    pub free: u8,
    /// Tenths of a cent an hour for one GPU.
    pub price: u32,
    pub bid: u32,
    /// Thousandths.
    pub reliability: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    pub id: i64,
    pub host: i64,
    pub model: usize,
    pub gpus: u32,
    pub country: &'static str,
    /// GB of the whole machine.
    pub disk: u32,
    /// Cents per GB and month.
    pub storage: u32,
    pub is_verified: bool,
    pub down: u32,
    pub end: i64,
    /// States from a moment on, in their order; the first is of the beginning.
    pub states: Vec<(i64, State)>,
}

impl Machine {
    pub fn at(&self, moment: i64) -> &State {
        let next = self.states.partition_point(|(from, _)| *from <= moment);
        &self.states[next.saturating_sub(1)].1
    }
}

/// One offer at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer<'w> {
    pub machine: &'w Machine,
    pub gpus: u32,
    pub mask: u8,
    /// $/h of the GPUs.
    pub base: f64,
    pub bid: f64,
    pub reliability: f64,
    /// GB.
    pub disk: f64,
    /// Seconds that it can still be rented.
    pub left: i64,
}

impl Offer<'_> {
    /// $/h with `gb` of storage: a month has 720 hours.
    pub fn total(&self, gb: f64) -> f64 {
        self.base + f64::from(self.machine.storage) / 100.0 * gb / 720.0
    }
}

#[derive(Debug)]
pub struct World {
    pub machines: Vec<Machine>,
}

impl World {
    /// `machines` machines that live for `days` days.
    pub fn new(seed: u64, start: i64, days: i64, machines: i64) -> Self {
        let mut random = Random::new(seed);
        let machines = (0..machines)
            .map(|id| machine(&mut random, 1000 + id, start, days))
            .collect();
        Self { machines }
    }

    /// All offers at a moment. A machine is offered once for each power of two of its free GPUs, the slices
    /// of one size side by side.
    pub fn offers(&self, at: i64) -> Vec<Offer<'_>> {
        let mut offers = Vec::new();
        for machine in &self.machines {
            let state = machine.at(at);
            if !state.is_listed || machine.end <= at {
                continue;
            }
            let free: Vec<u32> = (0..machine.gpus).filter(|gpu| state.free & (1 << gpu) != 0).collect();
            let mut gpus = 1;
            while gpus <= machine.gpus {
                for slice in free.chunks_exact(gpus as usize) {
                    offers.push(Offer {
                        machine,
                        gpus,
                        mask: slice.iter().map(|gpu| 1 << gpu).sum(),
                        base: f64::from(state.price * gpus) / 1000.0,
                        bid: f64::from(state.bid * gpus) / 1000.0,
                        reliability: f64::from(state.reliability) / 1000.0,
                        disk: f64::from(machine.disk * gpus) / f64::from(machine.gpus),
                        left: machine.end - at,
                    });
                }
                gpus *= 2;
            }
        }
        offers
    }
}

fn machine(random: &mut Random, id: i64, start: i64, days: i64) -> Machine {
    let model = usize::try_from(random.below(MODELS.len() as u64)).unwrap();
    let gpus = random.pick(&[1, 2, 4, 8]);
    let usual = MODELS[model].2 * 10;
    let price = usual * u32::try_from(random.between(80, 130)).unwrap() / 100;
    let all = u8::try_from((1_u32 << gpus) - 1).unwrap();
    let mut state = State {
        is_listed: !random.chance(10),
        free: all & u8::try_from(random.below(256)).unwrap(),
        price,
        bid: price / 2,
        reliability: 950 + u32::try_from(random.below(50)).unwrap(),
    };
    let mut states = vec![(start - DAY, state.clone())];
    let mut at = start;
    while at < start + days * DAY {
        at += random.between(600, 12 * 3600);
        match random.below(10) {
            // Rented and given back in part: the sizes on offer change.
            0..=4 => state.free = all & u8::try_from(random.below(256)).unwrap(),
            5..=6 => {
                state.price = (usual * u32::try_from(random.between(70, 140)).unwrap() / 100).max(20);
                state.bid = state.price * u32::try_from(random.between(40, 70)).unwrap() / 100;
            }
            7 => state.is_listed = !state.is_listed,
            // Far beyond any noise.
            8 => state.reliability = 800 + u32::try_from(random.below(200)).unwrap(),
            _ => state.free = all,
        }
        states.push((at, state.clone()));
    }
    Machine {
        id,
        host: id / 3,
        model,
        gpus,
        country: random.pick(&COUNTRIES),
        disk: random.pick(&[40, 100, 400, 1600, 6400]),
        storage: random.pick(&[5, 10, 20]),
        is_verified: random.chance(80),
        down: random.pick(&[100, 400, 900, 5000]),
        end: start + random.between(days * DAY / 2, 4 * days * DAY),
        states,
    }
}

/// A condition as the specification has it.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    Model(Vec<usize>),
    Country(Vec<&'static str>),
    Gpus(Bound, u32),
    /// $/h at the storage of the search, in tenths of a cent.
    Price(u32),
    /// GB of one card.
    Memory(u32),
    Reliability(u32),
    Verified,
    /// GB.
    Disk(u32),
    /// Mb/s.
    Down(u32),
    /// Days.
    Left(u32),
    Machine(i64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Exactly,
    AtLeast,
    AtMost,
}

impl Filter {
    pub fn accepts(&self, offer: &Offer<'_>, storage: f64) -> bool {
        let machine = offer.machine;
        match self {
            Self::Model(models) => models.contains(&machine.model),
            Self::Country(countries) => countries.contains(&machine.country),
            Self::Gpus(Bound::Exactly, gpus) => offer.gpus == *gpus,
            Self::Gpus(Bound::AtLeast, gpus) => offer.gpus >= *gpus,
            Self::Gpus(Bound::AtMost, gpus) => offer.gpus <= *gpus,
            Self::Price(most) => offer.total(storage) <= f64::from(*most) / 1000.0,
            Self::Memory(gb) => MODELS[machine.model].1 >= gb * 1000,
            Self::Reliability(least) => offer.reliability >= f64::from(*least) / 1000.0,
            Self::Verified => machine.is_verified,
            Self::Disk(gb) => offer.disk >= f64::from(*gb),
            Self::Down(speed) => machine.down >= *speed,
            Self::Left(days) => offer.left >= i64::from(*days) * DAY,
            Self::Machine(id) => machine.id == *id,
        }
    }

    /// The condition in the query language.
    pub fn text(&self) -> String {
        let names = |models: &[usize]| {
            let names: Vec<String> = models.iter().map(|model| MODELS[*model].0.replace(' ', "_")).collect();
            names.join(",")
        };
        match self {
            Self::Model(models) => format!("gpu_name in [{}]", names(models)),
            Self::Country(countries) => format!("geolocation in [{}]", countries.join(",")),
            Self::Gpus(Bound::Exactly, gpus) => format!("num_gpus={gpus}"),
            Self::Gpus(Bound::AtLeast, gpus) => format!("num_gpus>={gpus}"),
            Self::Gpus(Bound::AtMost, gpus) => format!("num_gpus<={gpus}"),
            Self::Price(most) => format!("dph_total<={}", f64::from(*most) / 1000.0),
            Self::Memory(gb) => format!("gpu_ram>={gb}"),
            Self::Reliability(least) => format!("reliability>={}", f64::from(*least) / 1000.0),
            Self::Verified => "verified=true".to_owned(),
            Self::Disk(gb) => format!("disk_space>={gb}"),
            Self::Down(speed) => format!("inet_down>={speed}"),
            Self::Left(days) => format!("duration>={days}"),
            Self::Machine(id) => format!("machine_id={id}"),
        }
    }
}

/// A search of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    pub filters: Vec<Filter>,
    /// GB.
    pub storage: f64,
}

impl Search {
    pub fn random(random: &mut Random, most: u64) -> Self {
        let mut filters = Vec::new();
        for _ in 0..random.below(most + 1) {
            let filter = filter(random);
            let kind = std::mem::discriminant(&filter);
            if filters.iter().all(|other| std::mem::discriminant(other) != kind) {
                filters.push(filter);
            }
        }
        Self {
            filters,
            storage: random.pick(&[8.0, 8.0, 8.0, 100.0, 200.0]),
        }
    }

    /// The offers that it finds: a disk has to hold the storage.
    pub fn find<'w>(&self, offers: &[Offer<'w>]) -> Vec<Offer<'w>> {
        let fits = |offer: &&Offer<'w>| {
            offer.disk >= self.storage.max(8.0) && self.filters.iter().all(|filter| filter.accepts(offer, self.storage))
        };
        offers.iter().filter(fits).cloned().collect()
    }

    pub fn text(&self) -> String {
        let texts: Vec<String> = self.filters.iter().map(Filter::text).collect();
        texts.join(" ")
    }
}

fn filter(random: &mut Random) -> Filter {
    match random.below(13) {
        0..=2 => Filter::Model(few(random, MODELS.len())),
        3 | 4 => {
            let places = few(random, COUNTRIES.len());
            Filter::Country(places.into_iter().map(|place| COUNTRIES[place]).collect())
        }
        5 => Filter::Gpus(Bound::Exactly, random.pick(&[1, 2, 4, 8])),
        6 => Filter::Gpus(random.pick(&[Bound::AtLeast, Bound::AtMost]), random.pick(&[2, 4])),
        7 => Filter::Price(u32::try_from(random.between(100, 4000)).unwrap()),
        8 => Filter::Memory(random.pick(&[20, 24, 40, 80])),
        9 => Filter::Reliability(random.pick(&[850, 900, 960])),
        10 => Filter::Verified,
        11 => Filter::Disk(random.pick(&[50, 200])),
        _ => match random.below(3) {
            0 => Filter::Down(random.pick(&[300, 800])),
            1 => Filter::Left(random.pick(&[1, 3, 10])),
            _ => Filter::Memory(random.pick(&[24, 30])),
        },
    }
}

fn few(random: &mut Random, of: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..of).filter(|_| random.chance(30)).collect();
    if all.is_empty() {
        all.push(usize::try_from(random.below(of as u64)).unwrap());
    }
    all
}

/// The body of a response with these offers.
pub fn body(offers: &[Offer<'_>], storage: f64, at: i64, is_truncated: Option<bool>) -> String {
    let mut text = "{\"offers\":[".to_owned();
    for (index, offer) in offers.iter().enumerate() {
        let Offer { machine, gpus, .. } = offer;
        let (model, memory, _) = MODELS[machine.model];
        let ids: Vec<String> = (0..8)
            .filter(|gpu| offer.mask & (1 << gpu) != 0)
            .map(|gpu| gpu.to_string())
            .collect();
        // Every response numbers its offers again: ids mean nothing.
        let id = at * 1000 + i64::try_from(index).unwrap();
        let comma = if index == 0 { "" } else { "," };
        let verification = if machine.is_verified { "verified" } else { "unverified" };
        write!(
            text,
            "{comma}{{\"id\":{id},\"machine_id\":{},\"host_id\":{},\"gpu_name\":\"{model}\",\"gpu_ram\":{memory},\
             \"gpu_total_ram\":{},\"num_gpus\":{gpus},\"gpu_ids\":[{}],\"geolocation\":\"Somewhere, {}\",\
             \"disk_space\":{},\"storage_cost\":{},\"dph_base\":{},\"dph_total\":{},\"min_bid\":{},\
             \"reliability\":{},\"verification\":\"{verification}\",\"inet_down\":{},\"rentable\":true,\
             \"rented\":false,\"end_date\":{},\"duration\":{}}}",
            machine.id,
            machine.host,
            memory * gpus,
            ids.join(","),
            machine.country,
            offer.disk,
            f64::from(machine.storage) / 100.0,
            offer.base,
            offer.total(storage),
            offer.bid,
            offer.reliability,
            machine.down,
            machine.end,
            offer.left,
        )
        .unwrap();
    }
    text.push(']');
    if let Some(is_truncated) = is_truncated {
        write!(text, ",\"truncated\":{is_truncated}").unwrap();
    }
    text.push('}');
    text
}
