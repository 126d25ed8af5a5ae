//! The prompt for the file that a run is exported to. The extension chooses the format.

use crate::core::message::Effect;
use crate::core::view::Cx;
use crate::core::views::confirm::{Entered, Prompt};
use crate::domain::format;
use crate::features::route_lab::{RouteRun, Routes};

/// Opens the prompt for the file of a run.
pub(super) fn open(number: u64, cx: &mut Cx<'_>) {
    let Some(proposed) = Routes::read(cx.state()).run(number).map(suggestion) else {
        return;
    };
    let write = move |path: &str, cx: &mut Cx<'_>| {
        let mut stems = [".json", ".csv"].iter().filter_map(|ending| path.strip_suffix(ending));
        if stems.all(str::is_empty) {
            return Entered::Rejected("Name a file ending in .csv or .json".to_owned());
        }
        if let Some(run) = Routes::read(cx.state()).run(number).map(RouteRun::snapshot) {
            let (now, path) = (cx.now.mono, path.to_owned());
            cx.effect(Effect::SaveRun { run, now, path });
        }
        Entered::Accepted
    };
    let text = "Attempts and parameters, without keys and signatures: JSON, or CSV if the name ends in .csv. \
                An existing file is kept.";
    cx.open(
        Prompt::new("Export the run", "File", "export", write)
            .text(text)
            .value(&proposed),
    );
}

/// A suggested file name, with endpoint, time and number of the run.
fn suggestion(route_run: &RouteRun) -> String {
    let run = route_run.run();
    let endpoint = run.plan().endpoint.chars();
    let name: String = endpoint
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    let mut moment = format::moment(run.started_at());
    moment.retain(|digit| digit.is_ascii_digit());
    format!("route-{name}-{moment}-{}.json", route_run.number)
}
