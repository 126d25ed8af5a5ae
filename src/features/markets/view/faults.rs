//! What is wrong in the form of a market, before anything is sent or saved.

use super::form::{MarketField, MarketForm};
use crate::features::markets::name::name_fault;

impl MarketForm {
    /// The first invalid field and its mistake; a required field that is blank counts as invalid. `None` if
    /// all are valid.
    pub(super) fn first_fault(&self) -> Option<(MarketField, String)> {
        let mut lines = vec![MarketField::KeyFrom];
        if self.is_new() {
            lines.splice(
                0..0,
                [
                    MarketField::Address,
                    MarketField::Name,
                    MarketField::Route,
                    MarketField::Dialect,
                ],
            );
        }
        lines.extend(Some(self.key_line()).filter(|line| *line != MarketField::KeyFrom));
        let mut lines = lines.into_iter();
        lines.find_map(|line| Some((line, self.objection(line)?)))
    }

    /// The reason a pasted text cannot be meant for the focused field; `None` if it may be.
    ///
    /// A key pasted into the wrong field would be shown.
    pub(super) fn paste_fault(&self, text: &str) -> Option<&'static str> {
        match self.form.focused() {
            Some(MarketField::Name) if name_fault(text, &[]).is_some() => Some("not a name: nothing was pasted"),
            Some(MarketField::Address | MarketField::Route) if !text.contains(['.', ':']) => {
                Some("not an address: nothing was pasted")
            }
            Some(MarketField::Dialect | MarketField::Writes | MarketField::KeyFrom | MarketField::Save) => {
                Some("nothing can be pasted here: go to the Key field")
            }
            _ => None,
        }
    }
}
