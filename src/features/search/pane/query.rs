//! The query bar: editing, completion, and the settings below it.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};
use unicode_segmentation::UnicodeSegmentation;

use super::{BrowserPane, Focus, POPUP, advice, first_run, submit};
use crate::core::frame_layout::Target;
use crate::core::keys::Keymap;
use crate::core::view::{Cx, Outcome, Region, Scene};
use crate::domain::format::grouped;
use crate::domain::language::{LanguageError, Token};
use crate::domain::local::LocalTime;
use crate::domain::text::visible;
use crate::domain::{Condition, Resource, format, language};
use crate::keys::Action;
use crate::table::bar::Bar;
use crate::table::browser::Browser;
use crate::table::column_prerequisites::not_applied;
use crate::tui::panel::Panel;
use crate::tui::text::{cells, fit};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// An example of a short search.
pub(super) const EXAMPLE: &str = "4090 eu 200gb 3d";

/// Cells of the prompt before the query.
const PROMPT: u16 = 3;

/// Maximum height and width of the completion list.
const SHOWN: u16 = 9;
const WIDEST: u16 = 84;

/// Maximum width of a candidate, in cells; the readings of plain words are the longest.
const LONGEST_LABEL: u16 = 60;

/// Carries out an action while a table's query is edited: runs it, cancels, completes, resets, or recalls
/// earlier ones; others are ignored.
pub(super) fn update(view: &mut BrowserPane, action: Action, cx: &mut Cx<'_>) -> Outcome {
    let local = cx.state().local_time(cx.now);
    let browser = cx.table(view.resource);
    match action {
        Action::Submit => submit::submit(view, &local, cx),
        Action::Back => {
            browser.cancel_typed();
            view.focus = Focus::Table;
        }
        Action::Complete => {
            browser.bar.complete();
            browser.read_words();
        }
        Action::Reset => {
            let defaults = language::default_conditions(browser.query.catalog(), browser.dialect());
            browser.bar.input.set(language::print_briefly(&defaults));
            browser.edit_query();
            browser.bar.resets = browser.resource() != Resource::Workergroups;
        }
        Action::Older => {
            browser.bar.older();
            browser.query_typed();
        }
        Action::Newer => {
            browser.bar.newer();
            browser.query_typed();
        }
        _ => return Outcome::Ignored,
    }
    Outcome::Handled
}

/// Cells between the query and the number of matching rows.
const GAP: u16 = 3;

/// The number of loaded rows that match the typed query; shorter where the full text would take more than two
/// fifths of `width`. Empty without a response.
fn count_text(browser: &Browser, width: u16, scene: &Scene<'_, '_>) -> String {
    let Some(listing) = browser.listing() else {
        return String::new();
    };
    let (shown, loaded) = (grouped(browser.view().len()), grouped(listing.len()));
    let full = if browser.bar.is_other_query {
        let key = scene.key(Action::Submit);
        format!("{shown} of the {loaded} loaded; {key} searches all")
    } else {
        super::draw::row_count_text(browser)
    };
    if cells(&full) <= width * 2 / 5 {
        full
    } else {
        format!("{shown} of {loaded} loaded")
    }
}

/// Lays out the query bar: the areas of the prompt, the query and the text at the right, and that text.
///
/// It is the number of matching rows while typing, and an example on the first run; otherwise it is empty.
fn layout(browser: &Browser, area: Rect, scene: &Scene<'_, '_>) -> ([Rect; 3], String) {
    let shown = if browser.bar.editing {
        count_text(browser, area.width, scene)
    } else if first_run::is_due(browser.resource(), scene.state) {
        format!("try {} {EXAMPLE}", scene.key(Action::Query))
    } else {
        String::new()
    };
    let gap = if shown.is_empty() { 1 } else { GAP + 1 };
    let areas = Layout::horizontal([Length(PROMPT), Fill(1), Length(cells(&shown) + gap)]).areas(area);
    (areas, shown)
}

/// Number of cells of the edited query that are scrolled away on the left.
///
/// One cell is reserved for the cursor after the last character.
fn scroll(browser: &Browser, text: Rect) -> usize {
    let width = usize::from(text.width.saturating_sub(1));
    browser.bar.input.scroll(width)
}

/// Draws the query bar: the conditions as phrases (a note if there are none), or while it is edited the query
/// text with the cursor.
pub(super) fn line(browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let bar = &browser.bar;
    scene.clickable(area, Target::Hint(Action::Query));
    scene.layout.query = Some(area);
    let ([prompt, text, count], count_text) = layout(browser, area, scene);
    scene.render(Line::styled(format!("{count_text} "), theme.dim).right_aligned(), count);
    let style = if bar.editing { theme.accent } else { theme.dim };
    scene.render(Line::styled(" / ", style), prompt);
    if !bar.editing {
        // The last letter may take the place of the blank at the end.
        let area = if count_text.is_empty() { text.union(count) } else { text };
        let words = words(browser, theme);
        if words.is_empty() {
            let key = scene.key(Action::Query);
            let text = format!("No filters: showing everything ({key} to add some)");
            return scene.render(fit(Line::styled(text, theme.dim), area.width), area);
        }
        return scene.render(separated(&words, area.width, theme), area);
    }
    let width = text.width.saturating_sub(1);
    let scroll = scroll(browser, text);
    let column = bar.input.cursor_column().saturating_sub(scroll);
    let column = u16::try_from(column).unwrap_or(width).min(width);
    scene.cursor = Some(Position::new(text.x + column, text.y));
    let (line, is_cut) = highlighted(browser, scroll, usize::from(width), theme);
    let line = if is_cut {
        let mut spans = vec![Span::styled("…", theme.dim)];
        spans.extend(line.spans);
        Line::from(spans)
    } else {
        line
    };
    scene.render(fit(line, width), text);
}

/// The search as phrases, each with its style: the conditions other than the default ones (marked `(local)`
/// if only the loaded rows are filtered by them), the filter words, the job, then the default conditions,
/// dimmed. Empty without any.
fn words(browser: &Browser, theme: &Theme) -> Vec<(String, Style)> {
    let defaults = language::default_conditions(browser.query.catalog(), browser.dialect());
    // Workergroups are always filtered here.
    let local = match browser.resource() {
        Resource::Workergroups => Vec::new(),
        Resource::Offers | Resource::Volumes => browser.local_conditions(),
    };
    let (usual, chosen): (Vec<_>, Vec<_>) = browser.query.active().partition(|own| defaults.contains(own));
    let in_words = |own: &Condition| language::describe_condition(own, browser.dialect());
    let chosen = chosen.into_iter().map(|own| {
        if local.contains(&own) {
            (format!("{} (local)", in_words(own)), theme.warning)
        } else {
            (in_words(own), theme.text)
        }
    });
    let typed = browser
        .words
        .iter()
        .map(|word| (format!("“{}”", visible(word, usize::MAX)), theme.warning));
    let job = browser.computed.job.map(|job| (job.length(), theme.text));
    let usual = usual.into_iter().map(|own| (in_words(own), theme.dim));
    chosen.chain(typed).chain(job).chain(usual).collect()
}

/// As many of the texts as fit into `width` cells, in one line with a dot between them, and the number of the others. The
/// first one is cut if it is too wide alone.
fn separated(parts: &[(String, Style)], width: u16, theme: &Theme) -> Line<'static> {
    let first = |many: usize| {
        let mut line = Line::default();
        for (text, style) in &parts[..many] {
            if !line.spans.is_empty() {
                line.push_span(Span::styled(" · ", theme.border));
            }
            line.push_span(Span::styled(text.clone(), *style));
        }
        let others = parts.len() - many;
        line.extend((others > 0).then(|| Span::styled(format!(" +{others}"), theme.dim)));
        line
    };
    let mut many = parts.len();
    while many > 1 && first(many).width() > usize::from(width) {
        many -= 1;
    }
    fit(first(many), width)
}

/// The query in the colors of its parts, without its first `scroll` cells and cut soon after `width` more;
/// true if its start is cut.
fn highlighted(browser: &Browser, scroll: usize, width: usize, theme: &Theme) -> (Line<'static>, bool) {
    let text = browser.bar.input.text();
    let tokens = language::highlight(text, browser.query.catalog());
    let understood = &browser.bar.understood.spans;
    // If cells are scrolled away, the ellipsis takes the place of one more.
    let hidden = if scroll > 0 { scroll + 1 } else { 0 };
    let mut column = 0;
    let mut line = Line::default();
    for (at, letter) in text.grapheme_indices(true) {
        // One cell more than fits shows that the text continues.
        if column > scroll + width + 1 {
            break;
        }
        let shown = visible(letter, usize::MAX);
        let end = column + usize::from(cells(&shown));
        if end <= hidden {
            column = end;
            continue;
        }
        let style = match &browser.bar.error {
            Some(error) if error.span.contains(&at) => theme.error,
            _ if understood.iter().any(|span| span.contains(&at)) => theme.good,
            _ => tokens
                .iter()
                .find(|(span, _)| span.contains(&at))
                .map_or(theme.text, |(_, token)| style_of(*token, theme)),
        };
        for cell in shown.graphemes(true) {
            if column >= hidden {
                line.push_span(Span::styled(cell.to_owned(), style));
            }
            column += usize::from(cells(cell));
        }
    }
    (line, scroll > 0)
}

/// The style of a part of the query text.
const fn style_of(token: Token, theme: &Theme) -> Style {
    match token {
        Token::Field => theme.accent,
        Token::Operator => theme.dim,
        Token::Value => theme.good,
        Token::Word => theme.warning,
        Token::Error => theme.error,
    }
}

/// The screen column of the byte index `byte` in the query's text, in the bar `line`.
fn column_of(byte: usize, browser: &Browser, line: Rect, scene: &Scene<'_, '_>) -> u16 {
    let ([_, text, _], _) = layout(browser, line, scene);
    let column = browser.bar.input.column_of(byte);
    let column = column.saturating_sub(scroll(browser, text));
    line.x + PROMPT + u16::try_from(column).unwrap_or(line.width)
}

/// Draws the completion list in a box below the word it completes.
///
/// Nothing is drawn without candidates or room, with an error in the query, or if the only candidate is
/// already typed.
pub(super) fn popup(browser: &Browser, line: Rect, screen: Rect, scene: &mut Scene<'_, '_>) {
    let bar = &browser.bar;
    let Some(completion) = bar.completion.as_ref().filter(|_| bar.error.is_none()) else {
        return;
    };
    // A finished word needs no list over the rows.
    let typed = bar.input.text().get(completion.span.clone());
    if let [only] = completion.candidates.as_slice()
        && Some(only.insert.trim_end()) == typed
    {
        return;
    }
    let theme = scene.theme;
    let labels = completion.candidates.iter().map(|candidate| cells(&candidate.label));
    let label = labels.max().unwrap_or(0).clamp(8, LONGEST_LABEL);
    let many = u16::try_from(completion.candidates.len()).unwrap_or(u16::MAX);
    let height = many.min(SHOWN).min(screen.bottom().saturating_sub(line.y + 3));
    if height == 0 {
        return;
    }
    let docs = completion.candidates.iter().map(|candidate| cells(&candidate.doc));
    let count = if bar.count(0).is_some() { 8 } else { 0 };
    let wanted = label + count + docs.max().unwrap_or(0) + 8;
    let width = wanted.min(WIDEST).min(screen.width);
    // The labels are aligned with the word they complete: frame and gap take two cells before them.
    let x = column_of(completion.span.start, browser, line, scene)
        .saturating_sub(2)
        .min(screen.right().saturating_sub(width));
    // The meaning of plain words is shown below the query.
    let below = if advice::is_due(browser) { 2 } else { 1 };
    let height = height.min(screen.bottom().saturating_sub(line.y + below + 2)).max(1);
    let area = Rect::new(x, line.y + below, width, height + 2).intersection(screen);
    Clear.render(area, scene.frame.buffer_mut());
    let key = scene.key(Action::Complete);
    let mut panel = Panel::new("").foot(format!("{key} complete")).focused(true);
    if count > 0 {
        panel = panel.note("loaded rows");
    }
    let inner = panel.render(area, scene.frame.buffer_mut(), theme);
    let mut viewport = scene.before.viewport(scene.depth, POPUP);
    viewport.follow(bar.chosen(), completion.candidates.len(), inner);
    for (row, index) in inner.rows().zip(viewport.visible()) {
        draw_candidate(bar, index, [label, count], row, scene);
    }
    keep(POPUP, viewport, scene);
}

/// Draws the candidate at `index` as a line of the completion list, highlighted if it is the chosen one;
/// `label` and `count` are the widths of its columns.
fn draw_candidate(bar: &Bar, index: usize, [label, count]: [u16; 2], row: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let Some(candidate) = bar
        .completion
        .as_ref()
        .and_then(|completion| completion.candidates.get(index))
    else {
        return;
    };
    let is_chosen = index == bar.chosen();
    let (name, doc) = if is_chosen {
        (theme.selected, theme.selected)
    } else {
        (theme.accent, theme.dim)
    };
    let [first, middle, last] = Layout::horizontal([Length(label + 1), Fill(1), Length(count)]).areas(row);
    if is_chosen {
        scene.frame.buffer_mut().set_style(row, theme.selected);
    }
    let text = Line::styled(candidate.label.as_str(), name);
    scene.render(fit(text, label), first);
    let text = Line::styled(candidate.doc.as_str(), doc);
    scene.render(fit(text, middle.width), middle);
    if let Some(count) = bar.count(index) {
        scene.render(Line::styled(count.to_string(), doc).right_aligned(), last);
    }
}

/// Stores the viewport of a screen region in the layout, for the mouse and for the next frame.
fn keep(region: Region, viewport: Viewport, scene: &mut Scene<'_, '_>) {
    let depth = scene.depth;
    scene.layout.viewports.push((depth, region, viewport));
}

/// Draws the line below the query: a caret at an error; while the query is edited, the meaning of its words
/// or a warning, if any; otherwise its settings.
pub(super) fn settings(browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    if let Some(error) = &browser.bar.error {
        return caret(browser, error, area, scene);
    }
    let width = area.width.saturating_sub(1);
    if browser.bar.editing
        && let Some(line) = advice::line(browser, width, scene)
    {
        return scene.render(fit(line, width), area);
    }
    if browser.resource() != Resource::Workergroups {
        scene.clickable(area, Target::Hint(Action::Settings));
    }
    let (theme, keymap) = (scene.theme, &scene.state.keymap);
    let local = scene.state.local_time(scene.now);
    let parts = parts(browser, keymap, &local, theme);
    let mut line = separated(&parts, width.saturating_sub(3), theme);
    line.spans.insert(0, Span::raw("   "));
    scene.render(line, area);
}

/// The texts of the settings line below the query, as far as they apply: conditions that are not applied,
/// warnings (none of both while it is edited), the price type and basis, unbundled offers, the term, the order if by several columns, the
/// prerequisites that sorted columns lack, the limit of a truncated response, and switched-off conditions.
fn parts(browser: &Browser, keymap: &Keymap, local: &LocalTime, theme: &Theme) -> Vec<(String, Style)> {
    let query = &browser.query;
    let mut parts: Vec<(String, Style)> = Vec::new();
    // First, so that even a narrow screen shows which conditions are not applied. While another search is typed, those
    // of the running one would seem to be about that.
    if !browser.bar.editing {
        let unmet = not_applied(browser.unmet_conditions(), keymap);
        parts.extend(unmet.map(|text| (text, theme.warning)));
        let warnings = query
            .active()
            .filter_map(|own| language::warning(own, browser.dialect()));
        parts.extend(warnings.map(|text| (format!("! {text}"), theme.warning)));
    }
    if query.resource == Resource::Offers {
        parts.push((query.offer_type.wire().to_owned(), theme.text));
        parts.extend(basis(browser, local, theme));
        if query.unbundled && browser.dialect().bundling_parameter.is_some() {
            parts.push(("not bundled".to_owned(), theme.text));
        }
    }
    if let Some(term) = &browser.computed.term {
        let (size, days) = (format::gigabytes(term.gb), format::trimmed(term.days, 2));
        parts.push((format!("term {size} for {days} d"), theme.text));
    }
    let order: Vec<_> = browser
        .sorting_keys()
        .iter()
        .map(|key| {
            // With its unit: “Down” alone reads as a direction.
            let label = key.field.header(browser.dialect());
            format!("{label} {}", key.direction.arrow())
        })
        .collect();
    // The table marks the first column that it is sorted by.
    if order.len() > 1 {
        parts.push((format!("sort {}", order.join(", ")), theme.text));
    }
    let unmet_order = browser.unmet_order().into_iter();
    for (need, labels) in unmet_order.filter(|_| !browser.bar.editing) {
        let (labels, words) = (labels.join(", "), need.noun_phrase());
        let key = keymap.key_of(need.action());
        let text = format!("sort by {labels} needs {words} ({key})");
        parts.push((text, theme.warning));
    }
    // A limit that left nothing out needs no words.
    let limit = browser.shown_query().filter(|_| browser.is_cut());
    if let Some(limit) = limit.and_then(|shown| shown.limit) {
        parts.push((format!("limit {}", grouped(limit as usize)), theme.text));
    }
    let off = query.conditions.iter().filter(|condition| !condition.enabled);
    let off: Vec<_> = off
        .map(|own| language::describe_condition(own, browser.dialect()))
        .collect();
    if !off.is_empty() {
        parts.push((format!("off: {}", off.join(", ")), theme.dim));
    }
    parts
}

/// The basis of the prices in $/h, a part each: the disk size included in GB, marked if prices are estimates
/// for it, and the job if there is one.
fn basis(browser: &Browser, local: &LocalTime, theme: &Theme) -> Vec<(String, Style)> {
    let (storage, is_estimate) = browser.storage();
    let disk = format!("{} GB disk", format::trimmed(storage, 1));
    let disk = if is_estimate {
        (format!("{disk} (estimate)"), theme.warning)
    } else {
        (disk, theme.text)
    };
    let job = browser
        .computed
        .job
        .map(|job| (format!("job {}", job.brief(local)), theme.text));
    std::iter::once(disk).chain(job).collect()
}

/// Draws carets under the visible part of the error in the query.
fn caret(browser: &Browser, error: &LanguageError, area: Rect, scene: &mut Scene<'_, '_>) {
    let input = &browser.bar.input;
    let ([_, text, _], _) = layout(browser, area, scene);
    let scroll = scroll(browser, text);
    let column = |byte| input.column_of(byte).saturating_sub(scroll);
    let start = column(error.span.start).min(usize::from(text.width));
    let under = column(error.span.end).saturating_sub(start).max(1);
    let x = usize::from(PROMPT) + start;
    let line = format!("{}{}", " ".repeat(x), "^".repeat(under));
    let style = scene.theme.error;
    scene.render(Line::styled(line, style), area);
}
