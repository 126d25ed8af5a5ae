//! Mutations of inputs, the same in every run.

/// SplitMix64.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end.max(1) as u64).unwrap()
    }
}

/// What breaks readers of text, whatever their language.
const TOKENS: [&[u8]; 20] = [
    b"\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\\",
    b"\\u",
    b"\xff",
    b"\0",
    b"\x1b]52;c;x\x07",
    b"\r\n",
    "\u{feff}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{301}".as_bytes(),
    "漢".as_bytes(),
    b"1e999",
    b"-0",
];

/// Changes, removes, repeats or inserts something.
pub fn mutate(input: &mut Vec<u8>, numbers: &mut Numbers, tokens: &[&str]) {
    let at = numbers.below(input.len() + 1);
    match numbers.below(6) {
        0 => input.truncate(at),
        1 if at < input.len() => input[at] ^= 1 << numbers.below(8),
        2 if at < input.len() => {
            let end = at + 1 + numbers.below((input.len() - at).min(20));
            input.drain(at..end);
        }
        3 => {
            let end = at + numbers.below(input.len() + 1 - at);
            let again = input[at..end].to_vec();
            input.splice(at..at, again);
        }
        _ => {
            let place = numbers.below(TOKENS.len() + tokens.len());
            let token = match place.checked_sub(TOKENS.len()) {
                Some(place) => tokens[place].as_bytes(),
                None => TOKENS[place],
            };
            input.splice(at..at, token.iter().copied());
        }
    }
}

/// An endless series of inputs, made of those of a corpus.
pub struct Mutator {
    numbers: Numbers,
    inputs: Vec<Vec<u8>>,
    tokens: &'static [&'static str],
    longest: usize,
}

impl Mutator {
    pub fn new(name: &str, inputs: Vec<Vec<u8>>, tokens: &'static [&'static str], longest: usize) -> Self {
        let seed = name
            .bytes()
            .fold(1, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        Self {
            numbers: Numbers(seed),
            inputs,
            tokens,
            longest,
        }
    }

    pub fn next(&mut self) -> Vec<u8> {
        let count = self.inputs.len();
        let mut input = self.inputs[self.numbers.below(count)].clone();
        if self.numbers.below(4) == 0 {
            // The beginning of one and the end of another.
            let other = &self.inputs[self.numbers.below(count)];
            input.truncate(self.numbers.below(input.len() + 1));
            input.extend_from_slice(&other[self.numbers.below(other.len() + 1)..]);
        }
        for _ in 0..=self.numbers.below(5) {
            mutate(&mut input, &mut self.numbers, self.tokens);
        }
        input.truncate(self.longest);
        input
    }
}
