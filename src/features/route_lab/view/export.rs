//! Exports a run to a file.

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::message::Effect;
use crate::core::view::{Cx, Scene};
use crate::core::views::form_view::FormView;
use crate::domain::format;
use crate::features::route_lab::{RouteRun, is_csv};
use crate::keys::Action;
use crate::widgets::dialog;
use crate::widgets::form::{Field, Form};
use crate::widgets::panel::{Panel, Tone};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    File,
    Format,
    Write,
}

/// The file extensions, in the order of the choice.
const ENDINGS: [&str; 2] = [".json", ".csv"];

/// The typed file name, and the suggestion that it replaced.
#[derive(Debug, Clone)]
struct Remembered {
    typed: String,
    suggested: String,
}

/// The form of the export.
#[derive(Debug)]
pub(super) struct Export {
    run: u64,
    suggested: String,
    form: Form<Key>,
}

impl Export {
    pub fn new(state: &State, run: u64) -> Option<Self> {
        let route_run = state.routes().run(run)?;
        let before = state.drafts.get::<Remembered>();
        let was_csv = before.is_some_and(|before| is_csv(&before.typed));
        let suggested = suggestion(route_run, was_csv);
        let typed = before.filter(|before| before.typed != before.suggested);
        let path = typed.map_or_else(|| suggested.clone(), |before| before.typed.clone());
        let form = Form::new(vec![
            Field::text(Key::File, "File", path.as_str()),
            Field::choice(Key::Format, "Format", ["JSON", "CSV"], usize::from(is_csv(&path)))
                .note("attempts and parameters; no keys, no signatures"),
            Field::button(Key::Write, "Export"),
        ])
        .submits(Key::Write);
        Some(Self { run, suggested, form })
    }

    fn write(&mut self, cx: &mut Cx<'_>) {
        let path = self.form.text(Key::File).to_owned();
        if stem(&path).is_none_or(str::is_empty) {
            let why = "Name a file ending in .csv or .json";
            self.form.set_error(Key::File, Some(why.to_owned()));
            if self.form.focused() != Some(Key::File) {
                self.form.focus_on(Key::File);
            }
            return;
        }
        if let Some(run) = cx.state().routes().run(self.run).map(RouteRun::snapshot) {
            let now = cx.now.mono;
            cx.effect(Effect::SaveRun { run, now, path });
        }
        cx.close();
    }
}

fn stem(path: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending))
}

/// A file name with endpoint, time and number of the run.
fn suggestion(route_run: &RouteRun, is_csv: bool) -> String {
    let run = route_run.run();
    let endpoint = run.plan().endpoint.chars();
    let name: String = endpoint
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    let moment: String = format::moment(run.started_at())
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let ending = ENDINGS[usize::from(is_csv)];
    format!("route-{name}-{moment}-{}{ending}", route_run.number)
}

impl FormView for Export {
    type Key = Key;

    fn form(&self) -> &Form<Key> {
        &self.form
    }

    fn form_mut(&mut self) -> &mut Form<Key> {
        &mut self.form
    }

    fn submitted(&mut self, _: Key, cx: &mut Cx<'_>) {
        self.write(cx);
    }

    fn changed(&mut self, key: Key, _: &mut Cx<'_>) {
        let path = self.form.text(Key::File).to_owned();
        match key {
            Key::Format => {
                let ending = ENDINGS[self.form.chosen(Key::Format).min(1)];
                let path = format!("{}{ending}", stem(&path).unwrap_or(&path));
                self.form.set_text(Key::File, &path);
                if let Some(suggested) = stem(&self.suggested) {
                    self.suggested = format!("{suggested}{ending}");
                }
            }
            Key::File => self.form.choose(Key::Format, usize::from(is_csv(&path))),
            Key::Write => {}
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("export"),
            Action::Back => Some("cancel"),
            Action::Toggle => Some("change format"),
            _ => None,
        }
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.drafts().put(Remembered {
            typed: self.form.text(Key::File).to_owned(),
            suggested: self.suggested.clone(),
        });
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let panel = Panel::new(format!("Export run {}", self.run))
            .note("an existing file is kept")
            .tone(Tone::Focused);
        let size = (area.width.saturating_sub(4).min(92), 8);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        scene.form(&self.form, inner);
    }
}
