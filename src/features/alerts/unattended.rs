//! The texts that keep alerts checked while the dashboard is closed, to paste into a shell.

use crate::core::State;
use crate::core::copy_item::{CopyError, CopyItem};
use crate::settings::KeySource;

/// The unit of systemd for `bourse watch --saved`, by profile.
const UNIT: &str = include_str!("../../../assets/systemd/bourse-watch@.service");

/// The texts: a command that checks alerts until it is stopped, and the setup of a service that does so from
/// the next login on.
pub(super) fn copy_items(state: &State) -> Vec<CopyItem> {
    let profile = shell_words::quote(&state.profile.name);
    let command = format!("bourse watch --saved --profile {profile}");
    vec![
        CopyItem::new(
            'c',
            "copy-watch-command",
            "the command that checks alerts until it is stopped",
            Ok(command),
        ),
        CopyItem::new(
            's',
            "copy-watch-service",
            "the commands that set up a systemd service for alerts",
            service(state, &profile),
        ),
    ]
}

/// Shell commands that install the unit for the program on the path and start it for `profile`, a name that
/// is quoted for the shell already. An error if the market's key is in an environment variable, which no
/// service sees.
fn service(state: &State, profile: &str) -> Result<String, CopyError> {
    let market = state.markets.index_of(&state.profile.name);
    let market = market.and_then(|index| state.markets.market_list.markets.get(index));
    if market.is_some_and(|market| matches!(market.key, KeySource::Variable(_))) {
        return Err(CopyError::Missing(
            "the key is in an environment variable, which a service does not see: save it with the market first",
        ));
    }
    let unit = UNIT.replace("ExecStart=bourse", "ExecStart=$(command -v bourse)");
    Ok(format!(
        "mkdir -p ~/.config/systemd/user\n\
         cat > ~/.config/systemd/user/bourse-watch@.service <<END\n{unit}END\n\
         systemctl --user enable --now bourse-watch@{profile}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_starts_the_program_by_its_place() {
        // The heredoc expands `$`, and systemd alone the `%i`.
        assert!(UNIT.contains("ExecStart=bourse watch --saved --profile %i"));
        assert!(!UNIT.contains(['$', '`', '\\']));
        assert!(UNIT.ends_with('\n'));
    }
}
