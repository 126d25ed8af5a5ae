//! The dialog about bans: those of the selected row's machine and host, and the existing ones.

use ratatui::layout::Rect;

use super::{capitalized, change, show_banned};
use crate::core::State;
use crate::core::annotating::selected;
use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::keys::of_list;
use crate::domain::annotations::{Mark, Supplier, suppliers};
use crate::domain::format::counted;
use crate::keys::{Action, Context};
use crate::table::browser::Browser;
use crate::tui::dialog;
use crate::tui::input_widget::InputWidget;
use crate::tui::list::{Item, List};
use crate::tui::panel::{Panel, Tone};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Ban(Supplier),
    Lift(Supplier),
    /// List banned offers, or hide them again.
    Show,
    /// Open the list of all annotations.
    All,
}

#[derive(Debug)]
pub(crate) struct Ban {
    list: List<Choice>,
}

impl Ban {
    /// The dialog that bans the selected row's machine or host, or lifts a ban; `None` if the row has neither
    /// and there are no annotations, or if the pane has no table.
    pub fn new(state: &State) -> Option<Self> {
        let items = items(state);
        (!items.is_empty()).then(|| Self { list: List::new(items) })
    }

    /// Closes the dialog and carries out the choice.
    fn choose(choice: Choice, cx: &mut Cx<'_>) {
        cx.close();
        match choice {
            Choice::Ban(of) => ban(of, cx),
            Choice::Lift(of) => {
                change(of, Mark::Ban(false), cx);
                cx.toast(format!("Lifted the ban on {of}"));
            }
            Choice::Show => show_banned(cx),
            Choice::All => cx.perform_on_pane(Action::Annotations),
        }
    }
}

/// Bans a machine or host, with a notice on the number of rows that it hides, or that banned offers are
/// listed.
fn ban(of: Supplier, cx: &mut Cx<'_>) {
    let hidden = |state: &State| state.browser().map_or(0, Browser::hidden);
    let before = hidden(cx.state());
    change(of, Mark::Ban(true), cx);
    let many = hidden(cx.state()).saturating_sub(before);
    let key = cx.state().keymap.key_in(&[Context::Table], Action::Undo);
    let text = if cx.state().annotations.shows_banned {
        format!("Banned {of}; banned offers are listed ({key} to undo)")
    } else {
        let rows = counted(many, "row", "rows");
        format!("Banned {of}: {rows} hidden ({key} to undo)")
    };
    cx.toast(text);
}

/// The most bans on other rows that the dialog lists; the list of annotations has all.
const MOST_LIFTS: usize = 6;

/// The choices of the ban dialog: bans to lift, then bans of the selected row's machine and host, each with
/// the number of its loaded rows, then those for all banned offers, at most 6 bans on other rows to lift, and
/// the list of annotations, if there are any. Empty if the pane has no table.
fn items(state: &State) -> Vec<Item<Choice>> {
    let annotations = &state.annotations;
    let Some(browser) = state.browser() else {
        return Vec::new();
    };
    let lift = |of, text| Item::new(format!("Lift the ban on {of}"), text, Choice::Lift(of));
    let here = selected(browser);
    let mut items = Vec::new();
    for of in here.into_iter().flatten() {
        let many = count(browser, of);
        let noun = browser.resource();
        let text = format!("{} here", counted(many, noun.noun(), noun.nouns()));
        items.push(if annotations.all.is_banned(of) {
            lift(of, text)
        } else {
            let title = format!("Ban {}", capitalized(of).to_lowercase());
            Item::new(title, text, Choice::Ban(of))
        });
    }
    // Of a banned host, lifting that is what there is to do.
    items.sort_by_key(|item| !matches!(item.value, Some(Choice::Lift(_))));
    let others = annotations.all.banned().filter(|of| !here.contains(&Some(*of)));
    let mut others = others.take(MOST_LIFTS).map(|of| lift(of, String::new()));
    // Where all offers are hidden, lifting a ban is what brings them back.
    if items.is_empty() {
        items.extend(&mut others);
    }
    let banned = annotations.all.banned().count();
    if banned > 0 {
        let (title, text) = if annotations.shows_banned {
            ("Hide banned offers", String::new())
        } else {
            let hidden = browser.hidden();
            let text = (hidden > 0).then(|| format!("{hidden} hidden here"));
            ("Show banned offers", text.unwrap_or_default())
        };
        items.push(Item::new(title, text, Choice::Show));
    }
    items.extend(others);
    if !annotations.all.is_empty() {
        let text = format!("{banned} banned");
        items.push(Item::new("List stars, notes and bans", text, Choice::All));
    }
    items
}

/// Number of loaded rows of a machine or host.
fn count(browser: &Browser, of: Supplier) -> usize {
    let Some(listing) = browser.listing() else {
        return 0;
    };
    let rows = 0..listing.len();
    rows.filter(|row| suppliers(listing, *row).contains(&Some(of))).count()
}

impl View for Ban {
    fn contexts(&self) -> &'static [Context] {
        &[Context::List, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        of_list(&self.list, action)
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        let choice = self.list.current()?.value?;
        match (action, choice) {
            (Action::Submit, Choice::Ban(_)) => Some("ban"),
            (Action::Submit, Choice::Lift(_)) => Some("lift ban"),
            (Action::Submit, Choice::Show) => Some("show or hide"),
            (Action::Submit, Choice::All) => Some("open"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match (action, self.list.current().and_then(|item| item.value)) {
            (Action::Back, _) => cx.close(),
            (Action::Submit, Some(choice)) => Self::choose(choice, cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let height = u16::try_from(self.list.len() + 3).unwrap_or(u16::MAX);
        let size = (
            area.width.saturating_sub(4).min(dialog::READABLE),
            height.min(area.height.saturating_sub(2)),
        );
        let panel = Panel::new("Ban").tone(Tone::Focused);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        scene.searched_list(&self.list, inner);
    }
}
