use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Setting, Settings};
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::keys::{Action, Context};
use crate::widgets::form::FormLines;
use crate::widgets::panel::Panel;

pub(super) fn settings(view: &Settings, area: Rect, scene: &mut Scene<'_, '_>) {
    let main = Panel::new("Search settings");
    let side = Panel::new(view.preview.request.clone());
    let lines = request(view, scene);
    // The focused setting's note may take two lines, and one field may have an error.
    let width = sheet::result_width(area, scene.size);
    let body = sheet::rows(&lines, width).max(view.preview.json.len() + 3);
    let body = u16::try_from(body).unwrap_or(u16::MAX);
    let fields = FormLines::new(&view.form, scene.theme).height(area.width / 3);
    let sheet = sheet::with_result(main, side, (fields + 1, body), area, scene);
    scene.form(&view.form, sheet.main);
    if let Some(area) = sheet.side {
        sheet::text(lines, area, scene);
    }
}

/// How the focused setting is applied, and the request body.
fn request(view: &Settings, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines = Vec::new();
    if view.has_draft {
        let key = scene.state.keymap.key_in(&[Context::Form], Action::Recall);
        let text = format!("Press {key} to restore your edits");
        lines.push(Line::styled(text, theme.warning));
    }
    if let Some(note) = view.form.focused().and_then(|setting| note(view, setting)) {
        lines.push(Line::raw(note));
        lines.push(Line::default());
    }
    let body = view.preview.json.iter();
    lines.extend(body.map(|line| Line::styled(line.clone(), theme.dim)));
    lines
}

/// How a value is applied: sent, applied to the loaded rows, or ignored.
fn note(view: &Settings, setting: Setting) -> Option<String> {
    let condition = |key: &str| match view.base.catalog().by_key(key) {
        Some(field) if view.dialect.sends(field) => format!("Sent as {key}."),
        _ => "Applied to the loaded rows: this market can't filter by it.".to_owned(),
    };
    Some(match setting {
        Setting::OfferType => "Sent as type.".to_owned(),
        Setting::Storage => match view.dialect.storage_parameter {
            Some(name) => format!("Sent as {name}. Prices are estimates until the response."),
            None => "This market prices a fixed storage: other prices are estimates.".to_owned(),
        },
        Setting::Limit => "Sent as limit; empty uses the market's own.".to_owned(),
        Setting::Cores => condition("cpu_cores"),
        Setting::Hosts => condition("datacenter"),
        Setting::Bundling => match view.dialect.bundling_parameter {
            Some(name) => format!("Sent as {name}."),
            None => "This market has no parameter for it.".to_owned(),
        },
        Setting::Apply => return None,
    })
}
