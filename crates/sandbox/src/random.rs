//! Random numbers that depend only on a key.
//!
//! The simulated market draws from generators keyed by their purpose (a machine, a tick of its clock, a fault of a
//! request), so that a result never depends on thread scheduling or on other generators. `SplitMix64` is small, fast
//! and good enough for a simulation.

/// The purpose of a generator: two purposes never share a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// A host and the shared properties of its machines.
    Host = 1,
    Machine = 2,
    /// One tick of the market's clock.
    Tick = 3,
    Volume = 4,
    /// A worker behind an endpoint.
    Worker = 5,
    Token = 6,
    Fault = 7,
    /// The latency of a response.
    Latency = 8,
    /// New splits and ids of offers in one tick.
    Relisting = 9,
}

#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Generator number `index` for `purpose` in the market of `seed`; equal arguments give equal numbers.
    pub fn keyed(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut rng = Self(seed);
        rng.0 = rng.next().wrapping_add((purpose as u64).rotate_left(32));
        rng.0 = rng.next() ^ index.wrapping_mul(0xd6e8_feb8_6659_fd93);
        rng.0 = rng.next();
        rng
    }

    /// The next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 (included) to 1 (excluded).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from `low` (included) to `high` (excluded).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// A whole number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 { 0 } else { self.next() % bound }
    }

    /// An index below `len`; 0 if `len` is 0.
    #[expect(clippy::cast_possible_truncation, reason = "below a usize")]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// True with this probability, from 0 to 1.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A random index of an item, with a probability in proportion to its weight; 0 if there are no positive
    /// weights.
    pub fn weighted(&mut self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let mut left = self.unit() * weights.clone().sum::<f64>();
        let mut last = 0;
        for (index, weight) in weights.enumerate() {
            if weight > 0.0 {
                last = index;
                if left < weight {
                    return index;
                }
            }
            left -= weight;
        }
        last
    }

    /// The number of events with the expectation `mean`: its integer part, plus one with the
    /// probability of its fraction.
    pub fn count(&mut self, mean: f64) -> u64 {
        let whole = mean.floor();
        super::numbers::unsigned(whole) + u64::from(self.chance(mean - whole))
    }
}
