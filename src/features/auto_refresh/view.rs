//! The form for the refresh interval of a search, and the baseline of its changes.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Scene};
use crate::core::views::form_view::FormView;
use crate::core::views::sheet;
use crate::domain::insight::total;
use crate::domain::quantity::{Quantity, QuantityError};
use crate::domain::{Resource, format, quantity};
use crate::features::auto_refresh;
use crate::keys::Action;
use crate::table::watch::{Baseline, Watch, shortest_interval};
use crate::tui::form::{Field, Form};
use crate::tui::panel::Panel;

/// Maximum interval of auto-refresh, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// Height of the form: its fields, and the buttons with a blank line above.
const FORM: u16 = 6;

const RESULT: u16 = 7;

/// The choices for missing rows.
const GONE: [&str; 2] = ["counted only", "listed below the table"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefreshField {
    Interval,
    Baseline,
    Gone,
    Start,
    Stop,
}

#[derive(Debug)]
pub(crate) struct WatchForm {
    resource: Resource,
    form: Form<RefreshField>,
    is_on: bool,
}

impl WatchForm {
    /// The form for auto-refresh of the open pane, with its interval, baseline, choice of gone rows and
    /// buttons; `None` if the pane has no table.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let resource = browser.resource();
        let watch = browser.watching();
        let least = shortest_interval(resource);
        let interval = watch.map_or(state.settings.pace.interval.max(least), Watch::interval);
        let baseline = watch.map_or_else(Baseline::default, Watch::baseline);
        let choice = Baseline::ALL.iter().position(|known| *known == baseline);
        let interval = quantity::write(interval, Quantity::Seconds);
        let start = if watch.is_some() { "Apply" } else { "Start" };
        let mut fields = vec![
            Field::text(RefreshField::Interval, "Every", interval)
                .note("30s, 2m, 1h")
                .check(move |text| read(text, least).map(drop)),
            Field::choice(
                RefreshField::Baseline,
                "Changes since",
                Baseline::ALL.map(Baseline::title),
                choice.unwrap_or(0),
            ),
            Field::choice(
                RefreshField::Gone,
                "Gone rows",
                GONE,
                usize::from(state.settings.pace.lists_gone),
            ),
            Field::button(RefreshField::Start, start),
        ];
        if watch.is_some() {
            fields.push(Field::button(RefreshField::Stop, "Turn off"));
        }
        Some(Self {
            resource,
            form: Form::new(fields).submits(RefreshField::Start),
            is_on: watch.is_some(),
        })
    }

    /// The typed interval in seconds; `Err` if it is invalid, below the table's minimum, or above a day.
    fn interval(&self) -> Result<f64, QuantityError> {
        read(self.form.text(RefreshField::Interval), shortest_interval(self.resource))
    }

    /// The chosen baseline, with which changes are compared.
    fn baseline(&self) -> Baseline {
        let choice = self.form.chosen(RefreshField::Baseline);
        Baseline::ALL.get(choice).copied().unwrap_or_default()
    }

    /// Applies the fields, also as the interval for other tables, starts auto-refresh and closes the form;
    /// invalid fields only show their errors.
    fn start(&mut self, cx: &mut Cx<'_>) {
        if !self.form.validate() {
            return;
        }
        if let Ok(interval) = self.interval() {
            cx.pace().interval = interval;
            cx.pace().lists_gone = self.form.chosen(RefreshField::Gone) == 1;
            auto_refresh::start(cx, self.resource, interval);
            cx.table(self.resource).compare_with(self.baseline());
            cx.toast(format!("Auto-refresh every {}", format::brief(interval)));
            cx.close();
        }
    }

    /// Turns auto-refresh of the table off, and closes the form.
    fn stop(&self, cx: &mut Cx<'_>) {
        auto_refresh::stop(cx, self.resource);
        cx.toast("Auto-refresh off");
        cx.close();
    }

    /// Lines on the requests a minute that the interval takes, those of the other table, and the limit of all
    /// together; only the error if the interval is invalid.
    fn result(&self, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
        let theme = scene.theme;
        let state = scene.state;
        let interval = match self.interval() {
            Ok(interval) => interval,
            Err(error) => return vec![Line::styled(error.to_string(), theme.warning)],
        };
        let tables = [Resource::Offers, Resource::Volumes].into_iter();
        let elsewhere = tables.filter(|resource| *resource != self.resource);
        let watched = elsewhere.filter_map(|resource| state.browsers[resource].watching());
        let elsewhere = total(watched.map(|watch| 60.0 / watch.interval()));
        let here = 60.0 / interval;
        let limit = state.settings.pace.limit;
        let rate = |many: f64| format::trimmed(many, 1);
        let requests = format::counted_decimal(here, "request", "requests");
        let mut lines = vec![Line::styled(format!("{requests} a minute"), theme.heading)];
        if elsewhere > 0.0 {
            let text = format!("and {} for the other watched search", rate(elsewhere));
            lines.push(Line::styled(text, theme.text));
        }
        let style = if here + elsewhere > f64::from(u32::try_from(limit).unwrap_or(u32::MAX)) {
            theme.warning
        } else {
            theme.dim
        };
        lines.push(Line::styled(
            format!("All watched searches together send at most {limit}; more wait."),
            style,
        ));
        lines.push(Line::styled(
            "It goes on in the background, and slows down when the market refuses.",
            theme.dim,
        ));
        lines
    }
}

/// Parses an interval of auto-refresh, such as `30s` or `2m`, into seconds, from `least` to a day.
fn read(text: &str, least: f64) -> Result<f64, QuantityError> {
    quantity::within(text, Quantity::Seconds, least..=LONGEST)
}

impl FormView for WatchForm {
    type Field = RefreshField;

    fn form(&self) -> &Form<RefreshField> {
        &self.form
    }

    fn form_mut(&mut self) -> &mut Form<RefreshField> {
        &mut self.form
    }

    fn submitted(&mut self, key: RefreshField, cx: &mut Cx<'_>) {
        if key == RefreshField::Stop {
            self.stop(cx);
        } else {
            self.start(cx);
        }
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back => cx.close(),
            Action::Remove => self.stop(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::Remove if !self.is_on => Availability::Hidden,
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.form.focused()) {
            (Action::Submit, Some(RefreshField::Stop)) | (Action::Remove, _) => Some("turn off"),
            (Action::Submit, _) if self.is_on => Some("apply"),
            (Action::Submit, _) => Some("start"),
            _ => None,
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let sheet = sheet::with_result(
            Panel::new(format!("Watch {}", self.resource.nouns())),
            Panel::new("Requests"),
            (FORM, RESULT),
            area,
            scene,
        );
        scene.form(&self.form, sheet.main);
        if let Some(side) = sheet.side {
            let lines = self.result(scene);
            sheet::text(lines, side, scene);
        }
    }
}
