//! The column of what each workergroup could recruit, once supply was counted.

use std::borrow::Cow;

use ratatui::style::Style;

use crate::app::State;
use crate::app::browser::Browser;
use crate::app::groups::health::{Health, Supply};
use crate::app::remote::Now;
use crate::domain::{Resource, RowId};
use crate::widgets::table::Column;
use crate::widgets::theme::Theme;

/// The supply to show beside the rows of a pane, if it was counted.
pub(super) fn of<'a>(browser: &Browser, state: &'a State) -> Option<&'a Health> {
    let health = &state.groups.health;
    (browser.resource() == Resource::Workergroups && !health.is_blank()).then_some(health)
}

/// The column; its header says how far the count is.
pub(super) fn column(health: &Health, now: Now) -> Column {
    let title = match (health.running(), health.waits_until()) {
        (Some((done, all)), Some(until)) => {
            let wait = (until - now.mono).max(0.0).ceil();
            format!("Supply {done}/{all} {wait:.0} s")
        }
        (Some((done, all)), None) => format!("Supply {done}/{all} …"),
        (None, _) => "Machines/GPUs, from $/h".to_owned(),
    };
    Column::number(title, 24)
}

/// What a group could recruit.
pub(super) fn cell<'a>(health: &Health, group: RowId, theme: &Theme) -> (Cow<'a, str>, Style) {
    match health.of(group) {
        None => ("".into(), Style::new()),
        Some(Supply::Waiting) => ("…".into(), theme.dim),
        Some(Supply::Found { amount, .. }) if amount.machines == 0 => {
            ("none".into(), theme.warning)
        }
        Some(Supply::Found {
            amount,
            more,
            cheapest,
            ..
        }) => {
            let more = if *more { "+" } else { "" };
            let price = match cheapest {
                Some(price) => format!("${price:.4}"),
                None => "no price".to_owned(),
            };
            let (machines, gpus) = (amount.machines, amount.gpus);
            let text = format!("{machines}{more}/{gpus}{more} from {price}");
            (text.into(), Style::new())
        }
        Some(Supply::Unknown(why)) => (format!("? {why}").into(), theme.warning),
    }
}
