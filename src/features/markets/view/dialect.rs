//! The dialect in the form of a new market: chosen, or detected by searches before it is saved.

use super::form::{MarketField, MarketForm};
use crate::domain::Dialect;
use crate::domain::evidence::Findings;
use crate::features::markets::ProbeError;
use crate::tui::text::capitalized;

impl MarketForm {
    /// The chosen dialect; `None` to detect it.
    pub(super) fn dialect(&self) -> Option<&'static Dialect> {
        let index = self.form.chosen(MarketField::Dialect).checked_sub(self.undetected())?;
        Dialect::ALL.get(index).copied()
    }

    /// Selects a dialect in the form; `None` selects detection for a new market, the first dialect for
    /// another.
    pub(super) fn choose_dialect(&mut self, dialect: Option<&'static Dialect>) {
        let index = dialect.and_then(|dialect| Dialect::ALL.iter().position(|known| *known == dialect));
        self.form
            .choose(MarketField::Dialect, index.map_or(0, |index| index + self.undetected()));
    }

    /// Number of choices before the first dialect: 1 for a new market ("find out"), 0 for an existing one.
    fn undetected(&self) -> usize {
        usize::from(self.is_new())
    }

    /// Selects the detected dialect and focuses Save, or focuses the dialect field if it is not clear. A
    /// refused key becomes the complaint, with the key focused. If the market cannot be searched, that is the
    /// complaint, with the address focused, and the documented dialect is selected. Nothing is saved until another Enter.
    pub(super) fn on_findings(&mut self, result: Result<Findings, ProbeError>) {
        match result {
            Ok(findings) => {
                let dialect = findings.dialect();
                self.choose_dialect(dialect);
                self.findings = Some(findings);
                self.form.focus_on(if dialect.is_some() {
                    MarketField::Save
                } else {
                    MarketField::Dialect
                });
            }
            Err(ProbeError::Key(why)) => {
                self.form.focus_on(self.key_line());
                self.form.refuse_secret(MarketField::Key);
                let is_typed = self.key_line() == MarketField::Key;
                let remedy = if is_typed { "Type another key" } else { "Change the key" };
                self.complaint = Some(format!("{why}. {remedy} and save again: nothing is saved yet."));
            }
            Err(ProbeError::Failed(why)) => {
                self.choose_dialect(Some(&Dialect::DOCUMENTED));
                self.is_dialect_assumed = true;
                self.form.focus_on(MarketField::Address);
                self.complaint = Some(format!(
                    "How it works was not found: {why}. Nothing is saved yet: saving again takes the documented way."
                ));
            }
        }
        self.check();
    }

    /// Drops the findings, if there are any, and the detected or assumed dialect with them, if the address is
    /// being edited, as they are those of another address.
    pub(super) fn on_address(&mut self) {
        if self.form.focused() != Some(MarketField::Address) {
            return;
        }
        let is_assumed = std::mem::take(&mut self.is_dialect_assumed);
        if self.findings.take().is_some() || is_assumed {
            self.choose_dialect(None);
        }
    }

    /// The evidence for the detected dialect, in sentences; `submit` is the key that saves. Empty without
    /// findings.
    pub(super) fn findings_note(&self, submit: &str) -> String {
        let Some(findings) = &self.findings else {
            return String::new();
        };
        let next =
            (self.form.focused() == Some(MarketField::Save)).then(|| format!("Not saved yet: {submit} saves it"));
        let speed = findings.describe_speed();
        let is_open = findings.dialect().is_none() && speed.is_some();
        let advice = is_open.then(|| "Choose the one with the likely speed, or costs of traffic are wrong".to_owned());
        let clues = Some(capitalized(&findings.describe()));
        let sentences = [next, clues, speed.map(|speed| capitalized(&speed)), advice];
        sentences.into_iter().flatten().collect::<Vec<_>>().join(". ") + "."
    }
}
