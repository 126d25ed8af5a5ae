//! The first line: the panes on the left, the market and current activity on the right.

use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use crate::core::frame_layout::Target;
use crate::core::view::Scene;
use crate::core::{Model, Pane};
use crate::domain::format;
use crate::domain::journal::WriteKind;
use crate::domain::text::{truncate, visible};
use crate::domain::time::Now;
use crate::table::browser::Browser;
use crate::table::remote::Phase;
use crate::tui::text::{cells, wrap};
use crate::tui::theme::Theme;

const BRAND: &str = "bourse";

/// The width up to which the tabs get the whole line.
const NARROW: u16 = 36;

/// Cells of the tabs with shortened names, and with numbers only.
const SHORT_TABS: u16 = 42;
const NUMBERS: u16 = 13;

/// The maximum width of a notice that takes several lines.
const LONG: u16 = 76;

/// The number of cells that hold no more than fragments of words.
const LETTERS: u16 = 10;

/// Frames of the spinner, four a second.
///
/// That is enough to look alive, and each costs a frame.
const SPINNER: [&str; 4] = ["⠋", "⠙", "⠴", "⠦"];

/// Draws the first line of the screen: the program's name and the tabs, at the right the market and the
/// activities (a notice that fits replaces the age of the rows). Returns the cells of the market and the
/// activities.
///
/// They stay legible under a dialog, as they show which market a form is for and what is in progress.
pub fn draw(model: &Model, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let theme = scene.theme;
    let mut right = badge(model, theme);
    let room = area.width.saturating_sub(width(&right));
    let all = with_notice(model, room, scene).unwrap_or_else(|| activities(model, scene.now, theme));
    let (form, news) = fitting(&all, room);
    right.spans.extend(news.spans);
    right.push_span(" ");
    let left = area.width.saturating_sub(width(&right));
    let right_area = Rect {
        x: area.x + left,
        width: area.width - left,
        ..area
    };
    scene.render(right, right_area);
    let left = Rect { width: left, ..area };
    tabs_at(model, left, form.has_brand, scene);
    right_area
}

/// The activities with the current notice in place of the age, for a line of `width` cells beside the market; `None`
/// without a notice, or if it leaves the tabs no room for their names, which they would have without it.
///
/// The program's name gives way.
fn with_notice(model: &Model, width: u16, scene: &Scene<'_, '_>) -> Option<Vec<Activity>> {
    let mut all = activities(model, scene.now, scene.theme);
    let notice = notice(model, scene.theme)?;
    let text = usize::from(cells(&notice.text));
    let tabs = fitting(&all, width).0.tabs.min(tabs_width());
    all.retain(|activity| !activity.is_idle);
    all.insert(0, notice);
    let news = fitting(&all, width).1.width();
    let left = usize::from(width).saturating_sub(news + 1);
    (left > usize::from(tabs) && news > text).then_some(all)
}

/// The current short notice, an error with a cross in front; `None` if there is none.
fn notice(model: &Model, theme: &Theme) -> Option<Activity> {
    let toast = model.toast.as_ref()?;
    let sign = if toast.is_error { "✗ " } else { "" };
    let text = format!("{sign}{}", toast.text);
    Some(Activity {
        short: text.clone(),
        text,
        style: if toast.is_error { theme.error } else { theme.accent },
        is_idle: false,
    })
}

/// Draws the current notice below the line `area`, over everything, if it is too long for the line; otherwise
/// nothing. It covers neither the query of a pane nor the line of the text cursor, and is above the keys while the query
/// is typed.
pub fn long_notice(model: &Model, area: Rect, cursor: Option<Position>, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let room = area.width.saturating_sub(width(&badge(model, theme)));
    let Some(notice) = notice(model, theme).filter(|_| with_notice(model, room, scene).is_none()) else {
        return;
    };
    let lines = wrap(&notice.text, area.width.saturating_sub(2).min(LONG));
    let widest = lines.iter().map(|line| cells(line)).max().unwrap_or(0) + 2;
    // A few letters of the text below would be left beside it.
    let is_wide = widest + LETTERS > area.width;
    let widest = if is_wide { area.width } else { widest };
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let query = scene.layout.query.filter(|_| model.overlays.is_empty());
    let top = query.map_or(area.bottom(), Rect::bottom);
    let screen = scene.frame.area();
    let is_typed = |area: Rect| cursor.is_some_and(|cursor| area.contains(cursor));
    let top = match cursor {
        // The reading of the words and their completion are below the query: above the keys.
        Some(_) if query.is_some_and(is_typed) => screen.bottom().saturating_sub(1 + height),
        Some(cursor) if (top..top + height).contains(&cursor.y) => cursor.y + 1,
        Some(_) | None => top,
    };
    let below = Rect::new(area.right().saturating_sub(widest), top, widest, height);
    let below = below.intersection(screen);
    clear_cut_words(below, scene);
    scene.render(Clear, below);
    scene.frame.buffer_mut().set_style(below, theme.field);
    let lines = lines
        .into_iter()
        .map(|line| Line::styled(format!(" {line}"), notice.style));
    scene.render(Paragraph::new(lines.collect::<Vec<_>>()), below);
}

/// Clears the words that begin before an area and go on in it: covered by a notice, their rest would read as another
/// word.
fn clear_cut_words(area: Rect, scene: &mut Scene<'_, '_>) {
    for row in area.rows() {
        let buffer = scene.frame.buffer_mut();
        let is_letter = |x: &u16| {
            let cell = buffer.cell((*x, row.y));
            cell.is_some_and(|cell| cell.symbol().starts_with(|letter: char| letter.is_ascii_graphic()))
        };
        let start = (0..=row.x).rev().take_while(is_letter).last();
        let word = start.map(|x| Rect::new(x, row.y, row.x - x, 1));
        scene.render(Clear, word.unwrap_or_default());
    }
}

/// Cells of a line, at most 65,535.
fn width(line: &Line<'_>) -> u16 {
    u16::try_from(line.width()).unwrap_or(u16::MAX)
}

/// Cells of the tabs with their names.
fn tabs_width() -> u16 {
    Pane::ALL.map(|pane| cells(pane.title()) + 4).iter().sum()
}

/// A form of the line, which shows more or less of it.
#[derive(Debug, Clone, Copy)]
struct Form {
    has_brand: bool,
    /// Cells that the tabs need.
    tabs: u16,
    is_short: bool,
    /// Whether entries without activity are shown.
    has_idle: bool,
}

/// The index of the shortest form in [`forms`].
const NARROWEST: usize = 6;

/// The forms of the header from the fullest to the shortest, each with the number of activities that it
/// shows.
fn forms(all: &[Activity]) -> [(Form, usize); NARROWEST + 1] {
    let brand = cells(BRAND) + 2;
    let tabs = tabs_width();
    let full = Form {
        has_brand: true,
        tabs: tabs + brand,
        is_short: false,
        has_idle: true,
    };
    let short = Form { is_short: true, ..full };
    let busy = Form {
        has_idle: false,
        ..short
    };
    let bare = Form {
        has_brand: false,
        tabs,
        ..busy
    };
    let narrow = Form {
        tabs: SHORT_TABS,
        ..bare
    };
    let is_busy = all.iter().any(|activity| !activity.is_idle);
    let full_busy = Form {
        has_idle: !is_busy,
        ..full
    };
    [
        (full, all.len()),
        (full_busy, all.len()),
        (short, all.len()),
        (busy, all.len()),
        (bare, all.len()),
        (narrow, all.len()),
        (narrow, 1),
    ]
}

/// The fullest form whose activity fits beside the tabs in `width` cells, and that activity as a line,
/// perhaps empty. If none fits, the fullest form, with the activity that fits beside the numbers of the tabs.
///
/// Activity is shortened before the program's name and the names of the tabs.
fn fitting(all: &[Activity], width: u16) -> (Form, Line<'static>) {
    let forms = forms(all);
    let line = |form: Form, many: usize| -> Line<'static> {
        let shown = all.iter().filter(|activity| form.has_idle || !activity.is_idle);
        let spans = shown.take(many).enumerate().flat_map(|(index, activity)| {
            let text = if form.is_short { &activity.short } else { &activity.text };
            let gap = if index == 0 { " " } else { " · " };
            [Span::raw(gap), Span::styled(text.clone(), activity.style)]
        });
        spans.collect()
    };
    let fits = |form: &Form, news: &Line<'_>| {
        let news = u16::try_from(news.width() + 1).unwrap_or(u16::MAX);
        form.tabs.saturating_add(news) <= width
    };
    forms
        .into_iter()
        .map(|(form, many)| (form, line(form, many)))
        .find(|(form, news)| fits(form, news))
        .unwrap_or_else(|| {
            // Not even the numbers of the tabs leave more room.
            let room = usize::from(width.saturating_sub(NUMBERS));
            let mut lines = [all.len(), 1].map(|many| line(forms[NARROWEST].0, many)).into_iter();
            let news = lines.find(|news| news.width() < room);
            (forms[0].0, news.unwrap_or_default())
        })
}

/// Draws the program's name if `has_brand`, unless the line is narrow, and the tabs of the panes, which can
/// be clicked.
fn tabs_at(model: &Model, area: Rect, has_brand: bool, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let mut x = area.x;
    // On a narrow screen the program's name is dropped first.
    if has_brand && area.width > NARROW {
        let name = Line::from(vec![Span::raw(" "), Span::styled(BRAND, theme.accent)]);
        scene.render(name, area);
        x += cells(BRAND) + 2;
    }
    let names = names(model.pane, area.right().saturating_sub(x));
    for (index, (pane, title)) in Pane::ALL.into_iter().zip(names).enumerate() {
        let text = tab(index, &title);
        let style = if pane == model.pane { theme.selected } else { theme.text };
        let cell = Rect {
            x,
            width: cells(&text),
            ..area
        }
        .intersection(area);
        scene.render(Line::styled(text, style), cell);
        scene.clickable(cell, Target::Tab(index));
        x = cell.right();
    }
}

/// The text of the tab at an index from 0: its number, counted from 1, and its title, or the number alone.
fn tab(index: usize, title: &str) -> String {
    if title.is_empty() {
        format!(" {} ", index + 1)
    } else {
        format!(" {} {title} ", index + 1)
    }
}

/// The tab labels in `width` cells: full names; else all but the open tab's shortened; else only
/// the open tab's name, shortened if necessary; else numbers only.
fn names(open: Pane, width: u16) -> [String; 4] {
    let shortened = |most: usize, most_of_open: usize| {
        Pane::ALL.map(|pane| {
            let most = if pane == open { most_of_open } else { most };
            match most {
                0 => String::new(),
                most => truncate(pane.title(), most),
            }
        })
    };
    let fits = |names: &[String; 4]| {
        let tabs = names.iter().enumerate();
        tabs.map(|(index, name)| cells(&tab(index, name))).sum::<u16>() <= width
    };
    // The name of the open tab is dropped last, as it shows where the user is.
    [(99, 99), (4, 99), (0, 99), (0, 6)]
        .into_iter()
        .map(|(most, most_of_open)| shortened(most, most_of_open))
        .find(fits)
        .unwrap_or_else(|| shortened(0, 0))
}

/// The name of the market, `SANDBOX` or `LIVE name`, and a mark if it is read-only.
fn badge(model: &Model, theme: &Theme) -> Line<'static> {
    let profile = &model.profile;
    let mut line = if profile.is_sandbox {
        Line::from(Span::styled(" SANDBOX ", theme.sandbox))
    } else {
        let name = format!(" LIVE {} ", visible(&profile.name, 64));
        Line::from(Span::styled(name, theme.live))
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
    /// Whether nothing is in progress; such entries are dropped first.
    is_idle: bool,
}

/// The current activities for the right of the header: that of the open pane's table, writes in flight, and
/// those of features; perhaps none.
fn activities(model: &Model, now: Now, theme: &Theme) -> Vec<Activity> {
    let mut news: Vec<Activity> = Vec::new();
    if let Some(browser) = model.browser() {
        news.extend(activity(model, browser, now, theme));
    }
    let busy = |text: String, short: String, style: Style| Activity {
        text,
        short,
        style,
        is_idle: false,
    };
    for (kind, write) in model.mutations.all_in_flight() {
        let seconds = (now.mono - write.since.mono).max(0.0);
        let (word, link) = under_way(kind);
        let text = format!("{word}{link} {} {seconds:.0} s", write.subject);
        news.push(busy(text, format!("{word} {seconds:.0} s"), theme.warning));
    }
    for feature in model.features {
        if let Some(run) = (feature.headline)(&model.state, now) {
            news.push(busy(run.text, run.short, theme.accent));
        }
    }
    news
}

/// The progress of the table's request in flight, in full and short; `None` if there is none.
fn loading(browser: &Browser, now: Now) -> Option<(String, String)> {
    let Phase::Loading {
        since,
        attempt,
        waiting,
        arrived,
        ..
    } = browser.remote().phase()
    else {
        return None;
    };
    if let Some(waiting) = waiting {
        let countdown = waiting.countdown(*attempt, now);
        return Some((format!("{countdown}: {}", waiting.why), countdown));
    }
    let elapsed = (now.mono - *since).max(0.0);
    let size = arrived
        .as_ref()
        .map_or_else(String::new, |arrived| format!(", {}", format::size(arrived.bytes)));
    let what = match (browser.order_request(), browser.listing()) {
        (Some(order), _) => order,
        (None, Some(_)) => "refreshing".to_owned(),
        (None, None) => "loading".to_owned(),
    };
    let retry = retry(*attempt).map_or_else(String::new, |wait| format!(", {wait}"));
    let sign = spinner(elapsed);
    Some((
        format!("{sign} {what} {elapsed:.0} s{size}{retry}"),
        format!("{sign} {elapsed:.0} s{retry}"),
    ))
}

/// The activity of a table: its request in flight, a sort order to be requested, the loading of price models,
/// or else the age of its rows; `None` before the first response, unless recorded rows are shown.
fn activity(model: &Model, browser: &Browser, now: Now, theme: &Theme) -> Option<Activity> {
    let busy = |text: String, short: String| Activity {
        text,
        short,
        style: theme.accent,
        is_idle: false,
    };
    if let Some((text, short)) = loading(browser, now) {
        return Some(busy(text, short));
    }
    if let Some(order) = browser.order_request() {
        return Some(busy(order, "sorting".to_owned()));
    }
    if browser.computed.price_models.is_loading() {
        let text = "loading price models".to_owned();
        return Some(busy(text, "loading".to_owned()));
    }
    if let Some(age) = browser.recorded_age(now) {
        return Some(Activity {
            short: age.clone(),
            text: age,
            style: theme.warning,
            is_idle: false,
        });
    }
    let age = format::brief((now.epoch - browser.remote().shown_at()?.epoch).max(0.0));
    let is_stale = browser.remote().is_outdated();
    let watch = browser.watching().filter(|_| !is_stale);
    Some(Activity {
        text: format!("updated {age} ago"),
        // The line that counts the changes may be too long for a narrow screen.
        short: match watch.filter(|watch| watch.recorded().is_none() && !watch.is_paused()) {
            Some(_) => format!("next in {:.0} s", model.next_refresh(browser.resource(), now)),
            None => format!("{age} ago"),
        },
        style: if is_stale { theme.warning } else { theme.dim },
        is_idle: watch.is_none(),
    })
}

/// The text for a retry: `retry 1` for attempt 2; `None` for attempt 1.
fn retry(attempt: u32) -> Option<String> {
    (attempt > 1).then(|| format!("retry {}", attempt - 1))
}

/// The sign of the spinner after `elapsed` seconds.
fn spinner(elapsed: f64) -> &'static str {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small and positive
    let frame = (elapsed * 4.0) as usize;
    SPINNER[frame % SPINNER.len()]
}

/// The verb for a write in flight, and the words between it and its subject.
const fn under_way(kind: WriteKind) -> (&'static str, &'static str) {
    match kind {
        WriteKind::UnlistVolume => ("unlisting", ""),
        WriteKind::CreateWorkergroup => ("creating", " a workergroup for"),
    }
}
