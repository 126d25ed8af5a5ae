//! The condition form: an operator, a value of the field's kind, and its error.

use crossterm::event::KeyEvent;

use super::choices::{Choice, choices, is_flag, spread};
use crate::domain::language::LanguageError;
use crate::domain::{Condition, Dialect, Field, Kind, Listing, Operand, Operator, country, language};
use crate::tui::Command;
use crate::tui::input_widget::InputWidget;
use crate::tui::list::fuzzy;
use crate::tui::text_input::{Pasted, TextInput};
use crate::tui::viewport::Viewport;

#[derive(Debug, Clone)]
pub(super) struct ConditionForm {
    pub field: &'static Field,
    /// The index of the condition being edited; `None` for a new one.
    pub index: Option<usize>,
    /// The text field for the value.
    pub input: TextInput,
    operator: Operator,
    dialect: &'static Dialect,
    choices: Vec<Choice>,
    shown: Vec<usize>,
    selected: Option<usize>,
    picked: Vec<String>,
    /// The values in the loaded rows, as text.
    seen: Option<String>,
    outcome: Result<Condition, LanguageError>,
    refusal: Option<LanguageError>,
    insisted: bool,
}

impl ConditionForm {
    /// A form for a new condition on `field`, or for editing `change`: the index of a condition, and the
    /// condition. The values to choose from are those of the catalog and of `listing`.
    pub fn new(
        field: &'static Field,
        change: Option<(usize, &Condition)>,
        listing: Option<&Listing>,
        dialect: &'static Dialect,
    ) -> Self {
        let operator = change.map_or_else(|| first_operator(field), |(_, condition)| condition.operator);
        let mut form = Self {
            field,
            index: change.map(|(index, _)| index),
            input: TextInput::default(),
            operator,
            dialect,
            choices: choices(field, listing),
            shown: Vec::new(),
            selected: None,
            picked: Vec::new(),
            seen: listing.and_then(|listing| spread(field, listing)),
            outcome: language::parse_operand(field, operator, "", dialect)
                .map(|operand| Condition::new(field, operator, operand)),
            refusal: None,
            insisted: false,
        };
        match change.map(|(_, condition)| &condition.operand) {
            Some(Operand::One(value)) => form.input.set(language::print_value(field, value)),
            Some(Operand::Many(values)) => {
                form.picked = values.iter().map(|value| language::print_value(field, value)).collect();
            }
            None => {}
        }
        form.changed();
        form
    }

    /// Whether the form edits the condition at `index` on `field`; `None` is a new condition.
    pub fn is_for(&self, field: &Field, index: Option<usize>) -> bool {
        self.field == field && self.index == index
    }

    /// The operator: the one typed before the value, or else the selected one.
    pub fn operator(&self) -> Operator {
        self.split().0
    }

    /// The offered values that match the typed text; all if nothing is typed, or if the text is exactly one
    /// of them and the operator takes a single value. `null` is only offered with `=` and `!=`.
    pub fn choices(&self) -> impl ExactSizeIterator<Item = &Choice> {
        self.shown.iter().map(|index| &self.choices[*index])
    }

    /// The index of the selected offered value; `None` while the typed text is used.
    pub const fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Whether a choice is ticked; a country group is ticked if all of its countries are. False for a text
    /// that is no value of the field.
    pub fn is_picked(&self, choice: &Choice) -> bool {
        self.members(&choice.text)
            .is_some_and(|members| members.iter().all(|text| self.picked.contains(text)))
    }

    /// The ticked values, in query syntax.
    pub fn picked(&self) -> &[String] {
        &self.picked
    }

    /// Minimum, maximum and median in the loaded rows, as text; `None` for a field without a range (text,
    /// boolean, id), without loaded rows, and if no row has a value.
    pub fn describe_loaded_values(&self) -> Option<&str> {
        self.seen.as_deref()
    }

    /// The condition in the form.
    ///
    /// # Errors
    ///
    /// The mistake in the value, with its position.
    pub const fn outcome(&self) -> Result<&Condition, &LanguageError> {
        self.outcome.as_ref()
    }

    /// A warning that the condition may not mean what the user intended; `None` if there is none, or the
    /// value is invalid.
    pub fn warning(&self) -> Option<String> {
        language::warning(self.outcome.as_ref().ok()?, self.dialect)
    }

    /// The mistake to show: a conflict with other conditions, or else the error in the value. `None` if there
    /// is neither, or it is not shown yet.
    ///
    /// An error in the value is shown once something is typed, or after an attempt to submit; with an
    /// operator for several values, only after such an attempt.
    pub fn mistake(&self) -> Option<&LanguageError> {
        self.refusal.as_ref().or_else(|| {
            let mistake = self.outcome.as_ref().err()?;
            // In a list nothing is wrong until something is checked.
            let is_begun = !self.is_blank() && !self.operator().takes_list();
            (self.insisted || is_begun).then_some(mistake)
        })
    }

    /// Whether no value is typed, ticked or selected; a typed operator alone counts as nothing.
    pub fn is_blank(&self) -> bool {
        self.split().1.trim().is_empty() && self.picked.is_empty() && self.selected.is_none()
    }

    /// Whether Space ticks or toggles instead of being typed: with an operator for several values, and for a
    /// boolean field.
    pub fn uses_space_as_toggle(&self) -> bool {
        self.operator().takes_list() || is_flag(self.field)
    }

    /// The operator and the value in the typed text: a leading sign such as `>=` selects the operator if the
    /// field allows it, otherwise the operator chosen before and the whole text.
    fn split(&self) -> (Operator, &str) {
        const SIGNS: [(&str, Operator); 8] = [
            (">=", Operator::Gte),
            ("<=", Operator::Lte),
            ("!=", Operator::Neq),
            ("==", Operator::Eq),
            (">", Operator::Gt),
            ("<", Operator::Lt),
            ("=", Operator::Eq),
            ("!", Operator::Neq),
        ];
        let text = self.input.text();
        let typed = text.trim_start();
        SIGNS
            .iter()
            .find(|(sign, operator)| typed.starts_with(sign) && self.field.operators.allows(*operator))
            .map_or((self.operator, text), |(sign, operator)| {
                (*operator, &typed[sign.len()..])
            })
    }

    /// The byte index at which the value starts in the typed text.
    fn value_start(&self) -> usize {
        self.input.text().len() - self.split().1.len()
    }

    /// Selects the next or (`forward` false) previous operator of the field, wrapping around; the typed value
    /// stays, as far as the operator allows it.
    pub fn turn(&mut self, forward: bool) {
        let (operator, value) = self.split();
        let value = value.to_owned();
        let allowed: Vec<Operator> = self.field.operators.iter().collect();
        let index = allowed.iter().position(|candidate| *candidate == operator);
        let step = if forward { 1 } else { allowed.len() - 1 };
        let Some(next) = index.and_then(|index| allowed.get((index + step) % allowed.len())) else {
            return;
        };
        self.operator = *next;
        self.input.set(value);
        self.carry(operator);
        self.changed();
    }

    /// Converts the value after the operator `from` was replaced: for one with several values, the typed
    /// value becomes a ticked one; for one with a single value, a single ticked value becomes the typed one,
    /// and of several all are dropped.
    fn carry(&mut self, from: Operator) {
        let to = self.operator;
        if to.takes_list() && !from.takes_list() {
            let text = std::mem::take(&mut self.input).text().trim().to_owned();
            self.pick(&text);
        } else if from.takes_list() && !to.takes_list() {
            if let [only] = &self.picked[..] {
                self.input.set(only.clone());
            }
            self.picked.clear();
        }
    }

    /// Moves the selection by `by` offered values, up to the last one; above the first, nothing is selected
    /// and the typed text is used.
    fn step(&mut self, by: isize) {
        let last = self.shown.len().checked_sub(1);
        self.selected = match (self.selected, last) {
            (_, None) => None,
            (None, Some(_)) if by < 0 => None,
            (None, Some(last)) => Some(usize::try_from(by - 1).unwrap_or(0).min(last)),
            (Some(0), Some(_)) if by < 0 => None,
            (Some(index), Some(last)) => Some(index.saturating_add_signed(by).min(last)),
        };
        self.read();
    }

    /// Selects the offered value at an index, or none if there are fewer.
    fn select(&mut self, index: usize) {
        self.selected = (index < self.shown.len()).then_some(index);
        self.read();
    }

    /// Ticks or unticks the selected value, or else the typed one, and clears the typed text; nothing if that
    /// is no value of the field. With an operator for a single value, selects the next offered value instead,
    /// wrapping around.
    pub fn toggle(&mut self) {
        if !self.operator().takes_list() {
            let count = self.shown.len().max(1);
            self.select(self.selected.map_or(0, |index| (index + 1) % count));
            return;
        }
        let text = match self.current() {
            Some(choice) => choice.text.clone(),
            None => self.split().1.trim().to_owned(),
        };
        let was_typed = !self.split().1.trim().is_empty();
        if !self.pick(&text) {
            return;
        }
        if was_typed {
            let kept = self.operator();
            self.operator = kept;
            self.input.set("");
            self.changed();
        } else {
            self.read();
        }
    }

    /// Ticks the values of a text (several for a country group), or unticks them if all are ticked; false if
    /// the text is no value of the field.
    fn pick(&mut self, text: &str) -> bool {
        let Some(members) = self.members(text) else {
            return false;
        };
        if members.iter().all(|member| self.picked.contains(member)) {
            self.picked.retain(|picked| !members.contains(picked));
        } else {
            for member in members {
                if !self.picked.contains(&member) {
                    self.picked.push(member);
                }
            }
        }
        true
    }

    /// The values of a list entry: itself, or the members of a country group; `None` if it is no value of the
    /// field.
    fn members(&self, text: &str) -> Option<Vec<String>> {
        let read = language::parse_operand(self.field, Operator::In, text, self.dialect);
        match read {
            Ok(Operand::Many(values)) => Some(
                values
                    .iter()
                    .map(|value| language::print_value(self.field, value))
                    .collect(),
            ),
            _ => None,
        }
    }

    /// The selected offered value; `None` while the typed text is used.
    fn current(&self) -> Option<&Choice> {
        self.shown.get(self.selected?).map(|index| &self.choices[*index])
    }

    /// On Enter, ticks the selected value, or without a selection ticks or unticks the typed one, and clears
    /// the typed text. If nothing is typed, ticks the selected value only if none is ticked yet.
    ///
    /// Does nothing with an operator for a single value.
    pub fn tick_pending(&mut self) {
        if !self.operator().takes_list() {
            return;
        }
        if self.split().1.trim().is_empty() {
            if self.picked.is_empty() && self.selected.is_some() {
                self.toggle();
            }
            return;
        }
        let ticked = self.current().is_some_and(|choice| self.is_picked(choice));
        if ticked {
            self.input.set("");
            self.changed();
        } else {
            self.toggle();
        }
    }

    /// Shows missing values as errors until the next change, after an attempt to submit.
    pub const fn insist(&mut self) {
        self.insisted = true;
    }

    /// Shows the reason the condition conflicts with the others.
    pub fn refuse(&mut self, why: LanguageError) {
        self.refusal = Some(why);
    }

    /// Replaces the typed text, as if typed: lists the matching values and selects the likeliest.
    pub fn set_typed(&mut self, text: &str) {
        self.input.set(text);
        self.changed();
    }

    /// Handles a change of the text: lists the matching values, selects the likeliest, if any, and parses the
    /// condition.
    fn changed(&mut self) {
        let (operator, typed) = self.split();
        let typed = typed.trim().to_owned();
        let written =
            |choice: &Choice| choice.text.eq_ignore_ascii_case(&typed) || choice.label.eq_ignore_ascii_case(&typed);
        let is_whole = self.choices.iter().any(written);
        // Null is only allowed with = and !=.
        let can_be_null = matches!(operator, Operator::Eq | Operator::Neq);
        let offered = self
            .choices
            .iter()
            .enumerate()
            .filter(|(_, choice)| can_be_null || choice.text != "null");
        self.shown = if typed.is_empty() || (is_whole && !operator.takes_list()) {
            offered.map(|(index, _)| index).collect()
        } else {
            let lines: Vec<(usize, String)> = offered
                .map(|(index, choice)| (index, format!("{} {}", choice.label, choice.note)))
                .collect();
            fuzzy(&typed, &lines)
        };
        let suggests = matches!(self.field.kind, Kind::Text | Kind::Country | Kind::Flag);
        let is_quoted = typed.starts_with(['"', '\'']);
        self.selected = if typed.is_empty() {
            (is_flag(self.field) && !operator.takes_list()).then_some(0)
        } else if is_whole && !operator.takes_list() {
            let index = self.shown.iter().position(|index| written(&self.choices[*index]));
            index.filter(|_| suggests)
        } else {
            (suggests && !is_quoted && !self.shown.is_empty()).then_some(0)
        };
        self.read();
    }

    /// Parses the ticked, selected or typed value into the condition or its error, and clears earlier
    /// refusals.
    fn read(&mut self) {
        self.refusal = None;
        self.insisted = false;
        let (operator, typed) = self.split();
        let (text, shift) = if operator.takes_list() {
            (self.picked.join(","), 0)
        } else {
            match self.current() {
                Some(choice) => (choice.text.clone(), 0),
                None => (typed.to_owned(), self.value_start()),
            }
        };
        let is_group = self.field.kind == Kind::Country && country::group(&text).is_some();
        let operator = if is_group { operator.with_list() } else { operator };
        self.outcome = language::parse_operand(self.field, operator, &text, self.dialect)
            .map(|operand| Condition::new(self.field, operator, operand))
            .map_err(|mut error| {
                error.span.start += shift;
                error.span.end += shift;
                error
            });
    }
}

impl InputWidget for ConditionForm {
    /// Moves the selection of the offered values; above the first one, the typed text is used again. False
    /// for commands that do not move.
    fn act(&mut self, command: Command, viewport: Viewport) -> bool {
        let by = command.lines(viewport.page);
        by.inspect(|by| self.step(*by)).is_some()
    }

    fn typed(&mut self, key: KeyEvent, _: Viewport) -> bool {
        if self.input.key(key) {
            self.changed();
        }
        true
    }

    fn pasted(&mut self, text: &str) -> Option<Pasted> {
        let pasted = self.input.paste(text);
        self.changed();
        Some(pasted)
    }

    fn select_line(&mut self, line: usize) -> bool {
        self.select(line);
        true
    }
}

/// The operator of a new condition: one of several values (`in`) for countries and texts; at most for numbers
/// of which fewer are better, such as prices; at least for other numbers; equals for the rest (booleans,
/// ids).
fn first_operator(field: &Field) -> Operator {
    match field.kind {
        Kind::Country | Kind::Text if field.operators.allows(Operator::In) => Operator::In,
        Kind::Number | Kind::Version | Kind::Epoch | Kind::Timestamp | Kind::Integer if !is_flag(field) => {
            if field.better == Some(false) {
                Operator::Lte
            } else {
                Operator::Gte
            }
        }
        _ => Operator::Eq,
    }
}
