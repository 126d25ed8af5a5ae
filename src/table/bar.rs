//! The query bar: its text, history, completion and error.

use std::ops::Range;

use crate::domain::Condition;
use crate::domain::language::{Candidate, Completion, LanguageError};
use crate::tui::text_input::TextInput;

/// The maximum number of queries in the history.
const HISTORY: usize = 100;

/// The plain words of the text and their meaning.
#[derive(Debug, Default)]
pub struct Understood {
    /// The byte ranges of the words in the text.
    pub spans: Vec<Range<usize>>,
    /// Conditions and settings on one line; empty without plain words.
    pub text: String,
    /// The same in fewer words, without the conditions that they replace.
    pub brief: String,
    /// The conditions of the typed search; `None` while the text has a mistake.
    pub conditions: Option<Vec<Condition>>,
    /// Phrases for what the typed search keeps of the running one, the most important first.
    pub kept: Vec<String>,
    /// The number of GPUs that each offer has to have, if it is several.
    pub gpus: Option<u32>,
    /// A warning that a condition may not mean what was intended.
    pub warning: Option<String>,
    /// The words of which a command may be meant, if any.
    pub aside: Option<Aside>,
}

/// Typed words that may be meant for a command, rather than for the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Aside {
    /// Words that are not understood.
    Unread(String),
    /// The exclusion of a host or machine, which holds in this search only.
    Exclusion,
}

#[derive(Debug, Default)]
pub struct Bar {
    pub input: TextInput,
    /// Whether it is being edited.
    pub editing: bool,
    /// The error in the text, found when it was run.
    pub error: Option<LanguageError>,
    /// Whether running the text starts from the default search.
    pub resets: bool,
    /// Candidates for the word at the cursor.
    pub completion: Option<Completion>,
    /// Whether Enter would request other rows than the loaded ones.
    pub is_other_query: bool,
    /// The meaning of its plain words.
    pub understood: Understood,
    counts: Vec<usize>,
    chosen: usize,
    /// Whether the chosen candidate was inserted into the text.
    is_inserted: bool,
    history: Vec<String>,
    recalled: Option<usize>,
    before_recall: String,
    draft: Option<String>,
}

impl Bar {
    /// Starts editing, with the cursor after a space at the end of the text; drops the error and the recall.
    pub fn edit(&mut self) {
        let typed = self.input.text().trim_end().to_owned();
        let text = if typed.is_empty() { typed } else { typed + " " };
        self.input.set(text);
        self.editing = true;
        self.resets = false;
        self.recalled = None;
        self.error = None;
    }

    /// Stops editing without running. The typed text is stored as the draft that Up recalls, unless it is
    /// blank or equals `running`, the query in effect.
    pub fn leave(&mut self, running: &str) {
        let typed = self.input.text().trim();
        if !typed.is_empty() && typed != running {
            self.draft = Some(typed.to_owned());
        }
        self.close();
    }

    /// Stops editing after running; `text` goes into the history and the draft is dropped.
    pub fn ran(&mut self, text: &str) {
        self.remember(text);
        self.draft = None;
        self.close();
    }

    /// Ends editing and drops the error, the completion and the recall; the text stays.
    fn close(&mut self) {
        self.editing = false;
        self.error = None;
        self.completion = None;
        self.understood = Understood::default();
        self.recalled = None;
    }

    /// Adds a query to the end of the history, once, of at most 100; a blank one is ignored.
    pub fn remember(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.history.retain(|known| known != text);
        self.history.push(text.to_owned());
        if self.history.len() > HISTORY {
            self.history.remove(0);
        }
    }

    /// The queries that ran, oldest first.
    pub fn history(&self) -> &[String] {
        &self.history
    }

    /// Recalls the text before the recalled one: first the cancelled draft, then older queries. Texts equal
    /// to the current one are skipped; at the oldest, nothing changes.
    pub fn older(&mut self) {
        self.resets = false;
        let recallable = self.recallable();
        let at = match self.recalled {
            None => {
                self.input.text().clone_into(&mut self.before_recall);
                recallable.len()
            }
            Some(at) => at,
        };
        let current = self.input.text().trim().to_owned();
        if let Some(next) = (0..at).rev().find(|index| recallable[*index] != current) {
            self.recalled = Some(next);
            self.input.set(recallable[next].clone());
        }
    }

    /// Recalls the text after the recalled one, at last the text from before recalling; nothing if no text is
    /// recalled.
    pub fn newer(&mut self) {
        let Some(at) = self.recalled else { return };
        let recallable = self.recallable();
        if let Some(text) = recallable.get(at + 1) {
            self.recalled = Some(at + 1);
            self.input.set(text.clone());
        } else {
            self.recalled = None;
            self.input.set(std::mem::take(&mut self.before_recall));
        }
    }

    /// Whether the history or the draft has a text other than the current one.
    pub fn has_others(&self) -> bool {
        let current = self.input.text().trim();
        let mut recallable = self.history.iter().chain(&self.draft);
        recallable.any(|text| text != current)
    }

    /// The texts that Up recalls: the history, oldest first, then the cancelled draft.
    fn recallable(&self) -> Vec<String> {
        self.history.iter().chain(&self.draft).cloned().collect()
    }

    /// Sets new candidates and chooses the first; without candidates there is no completion. `counts` has the
    /// number of matching loaded rows for each one, and is empty if they are not values.
    pub fn offer(&mut self, completion: Completion, counts: Vec<usize>) {
        self.choose(0);
        self.counts = counts;
        self.completion = (!completion.candidates.is_empty()).then_some(completion);
    }

    /// The chosen candidate of the completion; `None` if there is no completion.
    fn candidate(&self) -> Option<&Candidate> {
        self.completion.as_ref()?.candidates.get(self.chosen)
    }

    /// The number of loaded rows that match the candidate at `index`; `None` if the candidates are not
    /// values.
    pub fn count(&self, index: usize) -> Option<usize> {
        self.counts.get(index).copied()
    }

    /// Highlights the candidate at `index`, which Tab then inserts.
    pub const fn choose(&mut self, index: usize) {
        self.chosen = index;
        self.is_inserted = false;
    }

    /// The index of the highlighted candidate: the inserted one, else the one that Tab inserts.
    pub const fn chosen(&self) -> usize {
        self.chosen
    }

    /// Handles Tab: applies the suggested fix of the error, else inserts the highlighted candidate; Tab again
    /// replaces it by the next one, wrapping around.
    pub fn complete(&mut self) {
        let fixed = self
            .error
            .as_ref()
            .and_then(|error| error.suggestion.as_ref())
            .map(|suggestion| suggestion.apply(self.input.text()));
        if let Some(text) = fixed {
            self.input.set(text);
            self.error = None;
            return;
        }
        if self.is_inserted
            && let Some(completion) = &self.completion
        {
            self.choose((self.chosen + 1) % completion.candidates.len());
        }
        let Some(candidate) = self.candidate().cloned() else {
            return;
        };
        let Some(completion) = &mut self.completion else {
            return;
        };
        let text = self.input.text();
        let (Some(before), Some(after)) = (text.get(..completion.span.start), text.get(completion.span.end..)) else {
            return;
        };
        let cursor = before.chars().count() + candidate.insert.chars().count();
        let new = format!("{before}{}{after}", candidate.insert);
        completion.span.end = completion.span.start + candidate.insert.len();
        self.is_inserted = true;
        self.input.set_with_cursor(new, cursor);
    }
}
