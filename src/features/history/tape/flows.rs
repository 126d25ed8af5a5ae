//! The sums of the tape's events by GPU model, of a single model by machine and of volumes by cluster, shown beside them
//! on a wide screen.

use std::collections::HashMap;

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Tape;
use crate::core::view::Scene;
use crate::domain::{Resource, Untrusted, format};
use crate::record::{Change, ChangeKind, EventKind};
use crate::tui::panel::Panel;
use crate::tui::records::Records;
use crate::tui::table;
use crate::tui::table::{Column, Table};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// Width of a GPU model's name, in cells.
const MODEL: usize = 24;

/// The lots that are added up together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum By {
    /// Offers of a GPU model.
    #[default]
    Model,
    /// Offers on a machine.
    Machine,
    /// Volumes of a cluster.
    Cluster,
}

/// The sums of the tape's events, those with the most events first.
#[derive(Debug, Default)]
pub(super) struct Flows {
    by: By,
    flows: Vec<Flow>,
}

impl Flows {
    /// Whether no event is counted.
    pub const fn is_empty(&self) -> bool {
        self.flows.is_empty()
    }

    /// Width of the panel with its frame, in cells; that of volumes also has places and new sizes.
    pub const fn width(&self) -> u16 {
        match self.by {
            By::Model | By::Machine => 58,
            By::Cluster => 75,
        }
    }
}

/// The number of events of each kind, for the offers of a model or on a machine, or the volumes of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Flow {
    /// The GPU model or the machine; of volumes the cluster and its place.
    name: String,
    listed: usize,
    gone: usize,
    cheaper: usize,
    costlier: usize,
    /// New sizes, of volumes only.
    resized: usize,
}

impl Flow {
    /// Counts a change; moves into and out of the results do not count, nor do new sizes of offers.
    fn add(&mut self, change: &Change, resource: Resource) {
        match change.kind {
            ChangeKind::Listed => self.listed += 1,
            ChangeKind::Gone(_) => self.gone += 1,
            ChangeKind::Repriced { from } if change.price < from => self.cheaper += 1,
            ChangeKind::Repriced { .. } => self.costlier += 1,
            ChangeKind::Resized { .. } if resource == Resource::Volumes => self.resized += 1,
            // Nothing was offered or taken.
            ChangeKind::IntoView | ChangeKind::OutOfView | ChangeKind::Resized { .. } => {}
        }
    }

    /// The number of all counted events.
    const fn total(&self) -> usize {
        self.listed + self.gone + self.cheaper + self.costlier + self.resized
    }
}

/// The numbers of offers that came, went, became cheaper or more expensive among the tape's listed events, by
/// GPU model; of a single model by machine, of volumes by cluster and with new sizes. Lots without any are left out.
pub(super) fn flows(view: &Tape) -> Flows {
    match view.resource {
        Resource::Volumes => flows_by(By::Cluster, view),
        Resource::Offers | Resource::Workergroups => {
            let models = flows_by(By::Model, view);
            if models.flows.len() == 1 {
                flows_by(By::Machine, view)
            } else {
                models
            }
        }
    }
}

/// The sums of the tape's listed events by lots of one kind, those with the most events first.
fn flows_by(by: By, view: &Tape) -> Flows {
    let mut flows: HashMap<(i64, &str), Flow> = HashMap::new();
    let events = view.rows.iter().filter_map(|row| view.events.get(*row));
    for event in events {
        if let EventKind::Change { change, .. } = &event.kind {
            let key = match by {
                By::Model => (0, &*change.lot.model),
                By::Machine | By::Cluster => (change.lot.machine, ""),
            };
            flows.entry(key).or_default().add(change, view.resource);
        }
    }
    let named = flows.into_iter().map(|((lot, model), flow)| Flow {
        name: match by {
            By::Model => Untrusted::from(model).screen(MODEL),
            By::Machine => format!("{lot:>8}"),
            By::Cluster => format!("{lot:>5} {}", view.place(lot)),
        },
        ..flow
    });
    let mut flows: Vec<Flow> = named.filter(|flow| flow.total() > 0).collect();
    flows.sort_by(|left, right| {
        let busiest = right.total().cmp(&left.total());
        busiest.then_with(|| left.name.cmp(&right.name))
    });
    Flows { by, flows }
}

/// The sums over all of them: `12 listed, 9 gone, 8 cheaper, 5 more expensive in the last 7 days`; zeros
/// are left out, and the line is empty without events.
pub(super) fn headline(flows: &Flows, days: i64, theme: &Theme) -> Line<'static> {
    let sum = |count: fn(&Flow) -> usize| flows.flows.iter().map(count).sum::<usize>();
    let parts = [
        (sum(|flow| flow.listed), "listed", theme.accent),
        (sum(|flow| flow.gone), "gone", theme.text),
        (sum(|flow| flow.cheaper), "cheaper", theme.good),
        (sum(|flow| flow.costlier), "more expensive", theme.warning),
        (sum(|flow| flow.resized), "resized", theme.text),
    ];
    let mut line = Line::default();
    for (many, word, style) in parts.into_iter().filter(|(many, ..)| *many > 0) {
        let comma = if line.spans.is_empty() { "" } else { ", " };
        line.push_span(Span::styled(comma, theme.text));
        line.push_span(Span::styled(format::grouped(many), style));
        line.push_span(Span::styled(format!(" {word}"), theme.text));
    }
    if !line.spans.is_empty() {
        line.push_span(Span::styled(format!(" in the last {days} days"), theme.text));
    }
    line
}

/// Draws the panel with the counts of market events for each GPU model, machine or cluster, a line each.
pub(super) fn draw(Flows { by, flows }: &Flows, area: Rect, scene: &mut Scene<'_, '_>) {
    let many = flows.len();
    let (title, head, name, note) = match by {
        By::Model => ("By GPU", "GPU", 18, format::counted(many, "model", "models")),
        By::Machine => (
            "By machine",
            " Machine",
            18,
            format::counted(many, "machine", "machines"),
        ),
        By::Cluster => (
            "By cluster",
            "Cluster",
            26,
            format::counted(many, "cluster", "clusters"),
        ),
    };
    let panel = Panel::new(title).note(note).sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let theme = scene.theme;
    let count = |count: fn(&Flow) -> usize, style: Style| {
        move |flow: &Flow, _| match count(flow) {
            0 => (format::NONE.into(), theme.dim),
            many => (format::grouped(many).into(), style),
        }
    };
    let mut rows = Records::new(many, |row| flows.get(row))
        .column(Column::text(head, name), |flow: &Flow| flow.name.clone())
        .styled(Column::number("listed", 6), count(|flow| flow.listed, theme.accent))
        .styled(Column::number("gone", 6), count(|flow| flow.gone, theme.text))
        .styled(Column::number("▼ cheaper", 9), count(|flow| flow.cheaper, theme.good))
        .styled(Column::number("▲ more", 7), count(|flow| flow.costlier, theme.warning));
    if *by == By::Cluster {
        rows = rows.styled(Column::number("resized", 7), count(|flow| flow.resized, theme.text));
    }
    let placed = table::place(rows.columns(), inner.width);
    let table = Table::new(&rows, rows.columns(), &placed, None, theme);
    scene
        .frame
        .render_stateful_widget(table, inner, &mut Viewport::default());
}
