//! Hashes the ids of rows: the standard library's way takes as long as reading several members.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Multiplies an id with a number of the process's own, so that no server can make ids that collide.
#[derive(Debug, Clone, Copy)]
pub(super) struct IdHash(u64);

impl Default for IdHash {
    fn default() -> Self {
        Self(RandomState::new().hash_one(()) | 1)
    }
}

impl BuildHasher for IdHash {
    type Hasher = Folded;

    fn build_hasher(&self) -> Folded {
        Folded {
            factor: self.0,
            hash: 0,
        }
    }
}

#[derive(Debug)]
pub(super) struct Folded {
    factor: u64,
    hash: u64,
}

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // Zero would hide what follows it.
        let mixed = u128::from(self.hash ^ number ^ self.factor.rotate_left(32));
        let product = mixed * u128::from(self.factor);
        let halves =
            [product, product >> 64].map(|half| u64::try_from(half & u128::from(u64::MAX)));
        self.hash = halves
            .into_iter()
            .flatten()
            .fold(0, |hash, half| hash ^ half);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }
}
