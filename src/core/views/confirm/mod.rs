//! A question before an action, and a prompt for one line of text.
//!
//! Both get a closure for the answer when they are opened. To pass an answer to the view that
//! asked, put a value into `drafts` and read it in [`View::on_top`].

mod prompt;

use std::fmt;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

use crate::core::frame_layout::Target;
use crate::core::view::{Cx, Outcome, Placement, Scene, View};
use crate::domain::text::visible;
use crate::keys::{Action, Context};
use crate::widgets::dialog::Message;
use crate::widgets::panel::Tone;
use crate::widgets::text::cells;

pub use self::prompt::{Entered, Prompt, accept};

const CONTEXTS: &[Context] = &[Context::Dialog, Context::Always];

/// The maximum length of a paragraph in a question, which may name a file or a market.
const LONGEST: usize = 600;

type Then = Box<dyn FnOnce(&mut Cx<'_>) + Send>;

pub struct Confirm {
    title: String,
    text: String,
    tone: Tone,
    yes: &'static str,
    then: Option<Then>,
}

impl fmt::Debug for Confirm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Confirm({:?})", self.title)
    }
}

impl Confirm {
    /// A question whose confirmation is labelled `yes` (a verb) and runs `then` after the question
    /// is closed.
    pub fn new(
        title: impl Into<String>,
        text: impl Into<String>,
        yes: &'static str,
        then: impl FnOnce(&mut Cx<'_>) + Send + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            text: text.into(),
            tone: Tone::Ask,
            yes,
            then: Some(Box::new(then)),
        }
    }

    /// Marks an action that cannot be undone.
    #[must_use]
    pub const fn danger(mut self) -> Self {
        self.tone = Tone::Danger;
        self
    }

    fn accept(&mut self, cx: &mut Cx<'_>) {
        if let Some(then) = self.then.take() {
            cx.close();
            then(cx);
        }
    }

    /// The keys, each with its effect.
    fn keys(&self, scene: &Scene<'_, '_>) -> [(String, &'static str, Action); 2] {
        let key = |action| scene.state.keymap.key_in(CONTEXTS, action);
        [
            (key(Action::Yes), self.yes, Action::Yes),
            (key(Action::Back), "cancel", Action::Back),
        ]
    }
}

impl View for Confirm {
    fn contexts(&self) -> &'static [Context] {
        CONTEXTS
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Yes => Some(self.yes),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Yes => self.accept(cx),
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    // The wheel answers nothing.
    fn wheel(&mut self, _: isize, _: &mut Cx<'_>) {}

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let keys = self.keys(scene);
        let mut paragraphs: Vec<String> = self.text.lines().map(|line| visible(line, LONGEST)).collect();
        // On a small screen the text matters more than the space around it.
        if area.height < 16 {
            paragraphs.retain(|line| !line.is_empty());
        }
        let mut line = Line::default();
        for (key, word, action) in &keys {
            // The default, which Enter answers with.
            let (of_key, of_word) = if *action == Action::Back {
                (theme.selected, theme.selected)
            } else {
                (theme.key, theme.text)
            };
            line.push_span(Span::styled(key.clone(), of_key));
            line.push_span(Span::styled(format!(" {word}"), of_word));
            line.push_span(Span::raw("   "));
        }
        let message = Message {
            title: &self.title,
            text: Text::from_iter(paragraphs),
            keys: line,
            tone: self.tone,
        };
        let row = message.render(area, scene.frame.buffer_mut(), theme);
        let mut x = row.x;
        for (key, word, action) in keys {
            let width = cells(&key) + 1 + cells(word);
            let button = Rect { x, width, ..row }.intersection(row);
            scene.clickable(button, Target::Hint(action));
            x += width + 3;
        }
    }
}
