//! The user's own commands on keys: `[commands.NAME]` of the configuration, run on the selected
//! row.

mod arguments;
mod output;

use crate::core::State;
use crate::core::feature::{Feature, FeatureState, Headline};
use crate::core::message::{Effect, News, Ran, RunCommand};
use crate::core::owners::Owner;
use crate::core::view::Cx;
use crate::core::views::confirm::Confirm;
use crate::domain::journal::CommandRun;
use crate::domain::text::visible;
use crate::keys::Action;
use crate::keys::commands::UserCommand;
use crate::settings::NamedCommand;
use crate::table::remote::Ticket;
use crate::tui::text::capitalized;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(UserCommands::default())),
    hides: |state, action| {
        let Action::Command(index) = action else { return false };
        command(state, index).is_none_or(|named| state.pane.resource() != Some(named.value.on))
    },
    disabled: |state, action, _| {
        let Action::Command(index) = action else { return None };
        disabled(state, index)
    },
    headline: |state, _| {
        let run = state.feature::<UserCommands>().running()?;
        let text = format!("running {}", run.name);
        Some(Headline {
            short: text.clone(),
            text,
        })
    },
    lost_by_quitting: |state| {
        let run = state.feature::<UserCommands>().running()?;
        Some(format!("The command {} is running, and ends with bourse.", run.name))
    },
    ..Feature::IDLE
};

/// The runs of commands, with the output of the last one.
#[derive(Debug, Default)]
pub(crate) struct UserCommands {
    last: Option<Run>,
}

impl FeatureState for UserCommands {}

impl UserCommands {
    /// The run that has not ended; `None` if there is none.
    fn running(&self) -> Option<&Run> {
        self.last.as_ref().filter(|run| run.ended.is_none())
    }
}

/// A run of a command.
#[derive(Debug)]
struct Run {
    ticket: Ticket,
    name: String,
    words: Vec<String>,
    ended: Option<Ran>,
}

/// The user's command at this index (from 0) of the configuration; `None` if there are fewer.
pub(crate) fn command(state: &State, index: u16) -> Option<&NamedCommand> {
    state.settings.values.commands.get(usize::from(index))
}

/// The words of a user's command as configured, quoted for a shell and cut to 300 characters.
pub(crate) fn describe(command: &UserCommand) -> String {
    visible(&shell_words::join(&command.run), 300)
}

/// The reason a user's command cannot run now: another pane, a read-only market, a running command, or no
/// selected row; `None` if it can, or there is no such command.
fn disabled(state: &State, index: u16) -> Option<String> {
    let named = command(state, index)?;
    if state.pane.resource() != Some(named.value.on) {
        return Some(format!("only for {}", named.value.on.nouns()));
    }
    if state.profile.read_only {
        return Some("commands do not run in READ-ONLY".to_owned());
    }
    if let Some(run) = state.feature::<UserCommands>().running() {
        return Some(format!("{} is still running", run.name));
    }
    let row = state.browser().and_then(crate::table::browser::Browser::selected_row);
    row.is_none().then(|| "no row is selected".to_owned())
}

/// Runs the user's command at `index` on the selected row, after a question if it is configured so or in the
/// sandbox, or complains why it cannot. False if there is no such command.
pub(crate) fn start(index: u16, cx: &mut Cx<'_>) -> bool {
    let Some(named) = command(cx.state(), index) else {
        return false;
    };
    if let Some(why) = disabled(cx.state(), index) {
        cx.complain(why);
        return true;
    }
    let (name, command) = (named.name.clone(), named.value.clone());
    let prepared = arguments::of_selected(cx.state(), &command);
    let (words, environment) = match prepared {
        Ok(prepared) => prepared,
        Err(why) => {
            cx.complain(format!("{} was not run: {why}", capitalized(&name)));
            return true;
        }
    };
    let is_sandbox = cx.state().profile.is_sandbox;
    if !command.confirm && !is_sandbox {
        run(name, words, environment, cx);
        return true;
    }
    let mut text = shell_words::join(&words);
    if is_sandbox {
        text.push_str(
            "\n\nThis row is of the sandbox. The command is your own: on a real market its id may be something else.",
        );
    }
    let title = format!("Run {name}?");
    cx.open(Confirm::new(title, text, "run", move |cx| {
        run(name, words, environment, cx);
    }));
    true
}

/// Starts a user's command, with its words recorded, and opens the dialog of its output.
fn run(name: String, words: Vec<String>, environment: Vec<(&'static str, String)>, cx: &mut Cx<'_>) {
    let ticket = cx.ticket();
    let profile = &cx.state().profile;
    let record = CommandRun {
        key: format!("{:.6}-{}", cx.now.epoch.seconds(), ticket.0),
        at: cx.now.epoch,
        profile: profile.name.clone(),
        address: profile.base_url.clone(),
        name: name.clone(),
        words: words.clone(),
    };
    cx.feature::<UserCommands>().last = Some(Run {
        ticket,
        name,
        words,
        ended: None,
    });
    let command = Box::new(RunCommand { record, environment });
    cx.effects_for(Owner::Feature(ended), [Effect::Run { ticket, command }]);
    let dialog = output::dialog(cx.state());
    cx.open(dialog);
}

/// Stores the output of the user's command that has ended, and shows its status; a command that is not the
/// last one is ignored.
fn ended(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Ran(ran) = news else { return };
    let last = &mut cx.feature::<UserCommands>().last;
    let Some(run) = last.as_mut().filter(|run| run.ticket == ticket) else {
        return;
    };
    let text = format!("{}: {}", run.name, ran.status);
    let is_error = ran.is_error;
    run.ended = Some(*ran);
    // The panel may be closed.
    if is_error {
        cx.complain(text);
    } else {
        cx.toast(text);
    }
}
