//! A text expected at a position, compared as a few words: most members of a record are recognized by one such
//! comparison.

/// The number of words of eight bytes that are compared at once.
///
/// Nearly all names of members fit.
const WORDS: usize = 4;
const WIDE: usize = 8 * WORDS;

/// An expected text.
#[derive(Debug)]
pub(super) struct Lead {
    text: Box<[u8]>,
    /// Its beginning, padded with zeros.
    words: [u64; WORDS],
    /// The bits of each word to compare.
    masks: [u64; WORDS],
}

impl Lead {
    /// Prepares an expected text, which `end` then finds whole at a position; its first 32 bytes are compared
    /// as words.
    pub(super) fn new(text: &[u8]) -> Self {
        let words_of = |byte: &dyn Fn(usize) -> u8| {
            std::array::from_fn(|word| u64::from_le_bytes(std::array::from_fn(|at| byte(8 * word + at))))
        };
        Self {
            words: words_of(&|at| text.get(at).copied().unwrap_or(0)),
            masks: words_of(&|at| if at < text.len() { 0xFF } else { 0 }),
            text: text.into(),
        }
    }

    /// The position after the expected text if `bytes` have it at `at`; else `None`.
    #[inline]
    pub(super) fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let end = at + self.text.len();
        let rest = bytes.get(at..)?;
        let Some((window, _)) = rest.split_first_chunk::<WIDE>() else {
            return self.is_start_of(rest).then_some(end);
        };
        let (window, _) = window.as_chunks::<8>();
        let mut differences = 0;
        for ((wanted, mask), there) in self.words.iter().zip(&self.masks).zip(window) {
            differences |= (u64::from_le_bytes(*there) ^ wanted) & mask;
        }
        if differences != 0 || (self.text.len() > WIDE && !self.is_start_of(rest)) {
            return None;
        }
        Some(end)
    }

    /// Whether `rest` begins with the expected text, byte by byte: for a text longer than 32 bytes, or near
    /// the end of a response.
    #[cold]
    fn is_start_of(&self, rest: &[u8]) -> bool {
        rest.starts_with(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_only_where_all_of_it_stands() {
        for length in 1..70 {
            let text: Vec<u8> = (0..length).map(|at| b'a' + at % 26).collect();
            let lead = Lead::new(&text);
            for behind in [0, 1, 40] {
                let whole = [b"..", text.as_slice(), &vec![b'.'; behind]].concat();
                assert_eq!(lead.end(&whole, 2), Some(2 + text.len()));
                for offset in 2..2 + text.len() {
                    let mut changed = whole.clone();
                    changed[offset] ^= 1;
                    assert_eq!(lead.end(&changed, 2), None, "{length} {offset}");
                }
                assert_eq!(lead.end(&whole[..whole.len() - behind - 1], 2), None);
                assert_eq!(lead.end(&whole, whole.len() + 1), None);
            }
        }
    }
}
