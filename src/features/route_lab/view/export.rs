//! The prompt for the file that a run is exported to. The extension chooses the format.

use std::borrow::Cow;
use std::sync::Arc;

use crate::core::exported::{AnyContent, Content};
use crate::core::message::Effect;
use crate::core::owners::{Owner, on_written};
use crate::core::view::Cx;
use crate::core::views::confirm::{Entered, Prompt};
use crate::domain::format;
use crate::domain::routing::{Run, export_csv, export_json};
use crate::domain::time::MonotonicTime;
use crate::features::route_lab::{RouteRun, Routes, has_extension};

/// A run as it is now; a run that continues changes a copy.
#[derive(Debug)]
struct RunFile {
    run: Arc<Run>,
    now: MonotonicTime,
    is_csv: bool,
}

impl Content for RunFile {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(if self.is_csv {
            export_csv(&self.run)
        } else {
            export_json(&self.run, self.now)
        })
    }
}

/// Opens the prompt for the file that a route run is exported to; nothing if the run is no longer in memory.
/// A name that does not end in `.json` or `.csv` is rejected, and an existing file is not replaced.
pub(super) fn open(number: u64, cx: &mut Cx<'_>) {
    let Some(proposed) = Routes::read(cx.state()).run(number).map(suggestion) else {
        return;
    };
    let write = move |path: &str, cx: &mut Cx<'_>| {
        if !has_extension(path, "csv") && !has_extension(path, "json") {
            return Entered::Rejected("Name a file ending in .csv or .json".to_owned());
        }
        if let Some(route_run) = Routes::read(cx.state()).run(number) {
            let content = RunFile {
                run: Arc::clone(&route_run.run),
                now: cx.now.mono,
                is_csv: has_extension(path, "csv"),
            };
            let export = Effect::Export {
                ticket: cx.ticket(),
                path: path.to_owned(),
                content: AnyContent::new(content),
                overwrite: false,
                // Workers' addresses are private.
                is_private: true,
            };
            cx.effects_for(Owner::Feature(on_written), [export]);
            cx.feature::<Routes>().note_export(number);
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

/// A suggested name of a JSON file for a route run, with endpoint, start time and number of the run.
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
