//! The question before a run that adds load.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

use super::{begin, explain};
use crate::app::keymap::{Action, Context};
use crate::app::view::{Cx, Outcome, Placement, Scene, View};
use crate::domain::routing::{RoutePlan, Stop, words};
use crate::widgets::dialog::Message;
use crate::widgets::panel::Tone;

/// Asks whether to start a series: load can wake workers, and workers are billed.
#[derive(Debug)]
pub(super) struct ConfirmRun {
    plan: RoutePlan,
}

impl ConfirmRun {
    pub const fn new(plan: RoutePlan) -> Self {
        Self { plan }
    }
}

/// The maximum load of a plan, and what its polls add.
pub(super) fn load(plan: &RoutePlan) -> String {
    let requests = match (plan.stop, plan.rate) {
        #[expect(clippy::cast_precision_loss)] // at most 250,000
        (Stop::Count(count), _) => Some(count as f64),
        (Stop::Duration(span), Some(rate)) => Some((rate * span).ceil()),
        (Stop::Duration(_), None) => None,
    };
    let mut text = requests.map_or_else(
        || "The total load depends on how fast replies arrive.".to_owned(),
        |requests| {
            let load = words::amount(plan.cost * requests);
            format!("A load of up to {load} in all.")
        },
    );
    let poll = plan.poll.cost.unwrap_or(plan.cost);
    if !plan.is_single() && poll > 0.0 && plan.poll.patience > 0.0 {
        let poll = words::amount(poll);
        text = format!("{text} Each poll while no worker is ready adds {poll}.");
    }
    text
}

impl View for ConfirmRun {
    fn contexts(&self) -> &'static [Context] {
        &[Context::Dialog, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Yes => Some("start"),
            Action::Back => Some("cancel"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Yes => {
                if let Err(why) = begin(self.plan.clone(), cx) {
                    explain(&why, cx);
                }
                cx.close();
            }
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let (title, bill) = if scene.state.profile.is_sandbox {
            ("Start this run?", "This is the sandbox: nothing is billed.")
        } else {
            (
                "This sends real traffic",
                "Load can wake workers, and workers are billed.",
            )
        };
        let text = Text::from(vec![
            Line::styled(words::plan(&self.plan), theme.accent),
            Line::default(),
            Line::from(load(&self.plan)),
            Line::from(bill),
        ]);
        let keymap = &scene.state.keymap;
        let yes = keymap.key_in(&[Context::Dialog], Action::Yes);
        let keys = Line::from(vec![
            Span::styled(yes, theme.key),
            Span::raw(" start   "),
            Span::styled(keymap.key_in(&[Context::Dialog], Action::Back), theme.key),
            Span::raw(" cancel"),
        ]);
        let message = Message {
            title,
            text,
            keys,
            tone: Tone::Ask,
        };
        message.render(area, scene.frame.buffer_mut(), theme);
    }
}
