//! Choosing an option by typing a part of it.

use std::borrow::Cow;

/// Number of options from which on a choice takes typing.
///
/// Fewer are reached by the arrows, and a text typed on the wrong field should not change them.
const MANY: usize = 8;

/// The characters typed since a choice was focused, in lower case.
#[derive(Debug, Default)]
pub(super) struct TypedOption(String);

impl TypedOption {
    /// Forgets the characters: another field is focused.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Chooses the next of at least eight options that contains all characters typed, else this one; false, and nothing
    /// chosen, if none does.
    pub(super) fn choose(&mut self, character: char, options: &[Cow<'static, str>], chosen: &mut usize) -> bool {
        if options.len() < MANY {
            return false;
        }
        let all = format!("{}{}", self.0, character.to_lowercase());
        for typed in [all, character.to_lowercase().to_string()] {
            let from_chosen = (0..options.len()).map(|step| (*chosen + step) % options.len());
            let found = from_chosen
                .into_iter()
                .find(|at| options[*at].to_lowercase().contains(&typed));
            if let Some(found) = found {
                (*chosen, self.0) = (found, typed);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_finds_an_option_among_many() {
        let names = [
            "GTX 1080",
            "RTX 3090",
            "RTX 4080",
            "RTX 4090",
            "RTX 4090 D",
            "A40",
            "H100 SXM",
            "H200",
        ];
        let options = names.map(Cow::Borrowed);
        let mut typed = TypedOption::default();
        let mut chosen = 0;
        let mut after = |text: &str| {
            let taken: Vec<bool> = text
                .chars()
                .map(|key| typed.choose(key, &options, &mut chosen))
                .collect();
            (options[chosen].clone(), taken.iter().all(|taken| *taken))
        };
        assert_eq!(after("4090"), ("RTX 4090".into(), true));
        // After what no option contains the search begins again.
        assert_eq!(after("h2"), ("H200".into(), true));
        assert_eq!(after("?"), ("H200".into(), false));
        // Of a few, the arrows choose.
        let mut chosen = 0;
        assert!(!TypedOption::default().choose('h', &options[..7], &mut chosen));
    }
}
