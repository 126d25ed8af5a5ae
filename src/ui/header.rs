//! The first line: the panes on the left, the market and current activity on the right.

use ratatui::layout::{Alignment, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::app::browser::Browser;
use crate::app::frame_layout::Target;
use crate::app::remote::{Now, Phase};
use crate::app::view::Scene;
use crate::app::{Model, Pane};
use crate::domain::format;
use crate::domain::journal::WriteKind;
use crate::domain::text::{truncate, visible};
use crate::widgets::text::cells;
use crate::widgets::theme::Theme;

const BRAND: &str = "bourse";

/// On screens up to this width the tabs get all the room.
const NARROW: u16 = 36;

/// Frames of the spinner, four a second.
const SPINNER: [&str; 4] = ["⠋", "⠙", "⠴", "⠦"];

pub fn draw(model: &Model, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let all = news(model, scene.now, theme);
    let badge = badge(model, theme);
    let room = |news: &Line<'_>| {
        let right = badge.width() + news.width();
        area.width
            .saturating_sub(u16::try_from(right).unwrap_or(u16::MAX))
    };
    // On a narrow screen pane names are shortened before the activity, down to its shortest form.
    let line = |many: usize, is_short: bool| -> Line<'static> {
        let spans = all.iter().take(many).flat_map(|news| {
            let text = if is_short { &news.short } else { &news.text };
            [Span::raw(" "), Span::styled(text.clone(), news.style)]
        });
        spans.collect()
    };
    let forms = (1..=all.len()).rev().map(|many| (many, false));
    let forms = forms.chain([(1, true), (0, true)]);
    let tabs = Pane::ALL.map(|pane| pane.title().len() + 4);
    let tabs = BRAND.len() + 2 + tabs.iter().sum::<usize>();
    let news = forms
        .map(|(many, is_short)| line(many, is_short))
        .find(|news| usize::from(room(news)) > tabs)
        .unwrap_or_else(|| line(1, true));
    let left = room(&news);
    let mut right = badge;
    right.spans.extend(news.spans);
    right.push_span(" ");
    scene.render(right.alignment(Alignment::Right), area);
    tabs_at(
        model,
        Rect {
            width: left,
            ..area
        },
        scene,
    );
}

fn tabs_at(model: &Model, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let mut x = area.x;
    // On a narrow screen the program's name goes first.
    if area.width > NARROW {
        let name = Line::from(vec![Span::raw(" "), Span::styled(BRAND, theme.accent)]);
        scene.render(name, area);
        x += cells(BRAND) + 2;
    }
    let names = names(model.pane, area.right().saturating_sub(x + 1));
    for (place, (pane, title)) in Pane::ALL.into_iter().zip(names).enumerate() {
        let text = tab(place, &title);
        let style = if pane == model.pane {
            theme.selected
        } else {
            theme.text
        };
        let cell = Rect {
            x,
            width: cells(&text),
            ..area
        }
        .intersection(area);
        scene.render(Line::styled(text, style), cell);
        scene.clickable(cell, Target::Tab(place));
        x = cell.right();
    }
}

fn tab(place: usize, title: &str) -> String {
    if title.is_empty() {
        format!(" {} ", place + 1)
    } else {
        format!(" {} {title} ", place + 1)
    }
}

/// The tab labels in `width` cells: names; else names shortened except the open one; else only the
/// numbers; else the numbers alone.
fn names(open: Pane, width: u16) -> [String; 4] {
    let shortened = |most: usize, own: usize| {
        Pane::ALL.map(|pane| {
            let most = if pane == open { own } else { most };
            match most {
                0 => String::new(),
                most => truncate(pane.title(), most),
            }
        })
    };
    let fits = |names: &[String; 4]| {
        let tabs = names.iter().enumerate();
        tabs.map(|(place, name)| cells(&tab(place, name)))
            .sum::<u16>()
            <= width
    };
    [(99, 99), (4, 99), (0, 99), (0, 6)]
        .into_iter()
        .map(|(most, own)| shortened(most, own))
        .find(fits)
        .unwrap_or_else(|| shortened(0, 0))
}

fn badge(model: &Model, theme: &Theme) -> Line<'static> {
    let profile = &model.profile;
    let mut line = if profile.is_sandbox {
        Line::from(Span::styled(" SANDBOX ", theme.sandbox))
    } else {
        Line::from(Span::styled(
            format!(" {} ", visible(&profile.name, 64)),
            theme.live,
        ))
    };
    if profile.read_only {
        line.push_span(Span::styled(" READ-ONLY", theme.warning));
    }
    line
}

struct Activity {
    text: String,
    short: String,
    style: Style,
}

/// Current activity, the open pane's first.
fn news(model: &Model, now: Now, theme: &Theme) -> Vec<Activity> {
    let mut news: Vec<Activity> = Vec::new();
    if let Some(browser) = model.browser() {
        news.extend(activity(browser, now, theme));
    }
    for (kind, write) in model.mutations.all_in_flight() {
        let seconds = (now.mono - write.since.mono).max(0.0);
        let text = format!("{} {} {seconds:.0} s", under_way(kind), write.subject);
        news.push(Activity {
            short: text.clone(),
            text,
            style: theme.warning,
        });
    }
    if let Some(text) = crate::app::routes::headline(&model.state, now) {
        news.push(Activity {
            short: text.clone(),
            text,
            style: theme.accent,
        });
    }
    news
}

/// The request in flight, else the age of the rows.
fn activity(browser: &Browser, now: Now, theme: &Theme) -> Option<Activity> {
    let accent = |text: String, short: String| Activity {
        text,
        short,
        style: theme.accent,
    };
    if let Phase::Loading {
        since,
        attempt,
        waiting,
        arrived,
        ..
    } = browser.remote().phase()
    {
        let elapsed = (now.mono - since).max(0.0);
        let tries = match attempt {
            0 | 1 => String::new(),
            many => format!(" (try {many})"),
        };
        let size = arrived.as_ref().map_or_else(String::new, |arrived| {
            format!(", {}", format::size(arrived.bytes))
        });
        let what = match (browser.order_request(), browser.listing()) {
            (Some(order), _) => order,
            (None, Some(_)) => "refreshing".to_owned(),
            (None, None) => "loading".to_owned(),
        };
        return Some(match waiting {
            Some(waiting) => {
                let seconds = (waiting.until - now.mono).max(0.0).ceil();
                accent(
                    format!("{}: sending in {seconds:.0} s{tries}", waiting.why),
                    format!("in {seconds:.0} s{tries}"),
                )
            }
            None => accent(
                format!("{} {what} {elapsed:.0} s{size}{tries}", spinner(elapsed)),
                format!("{} {elapsed:.0} s{tries}", spinner(elapsed)),
            ),
        });
    }
    if let Some(order) = browser.order_request() {
        return Some(accent(order, "sorting".to_owned()));
    }
    if browser.computed.price_models.is_loading() {
        let text = "loading price models".to_owned();
        return Some(accent(text, "loading".to_owned()));
    }
    let age = ago((now.epoch - browser.remote().shown_at()?.epoch).max(0.0));
    let is_stale = browser.remote().error().is_some();
    Some(Activity {
        text: format!("updated {age} ago"),
        short: format!("{age} ago"),
        style: if is_stale { theme.warning } else { theme.dim },
    })
}

/// An age in the largest unit that fits.
fn ago(seconds: f64) -> String {
    match seconds {
        less if less < 60.0 => format!("{seconds:.0} s"),
        less if less < 3600.0 => format!("{:.0} min", seconds / 60.0),
        less if less < 86_400.0 => format!("{:.0} h", seconds / 3600.0),
        _ => format!("{:.0} d", seconds / 86_400.0),
    }
}

fn spinner(elapsed: f64) -> &'static str {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small and positive
    let frame = (elapsed * 4.0) as usize;
    SPINNER[frame % SPINNER.len()]
}

const fn under_way(kind: WriteKind) -> &'static str {
    match kind {
        WriteKind::UnlistVolume => "unlisting",
        WriteKind::CreateWorkergroup => "creating a workergroup for",
    }
}
