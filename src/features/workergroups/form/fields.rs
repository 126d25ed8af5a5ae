//! The fields of the form and their notes.

use crate::core::keys::Keymap;
use crate::domain::workergroup::Key;
use crate::features::workergroups::draft::GroupDraft;
use crate::keys::{Action, Context};
use crate::tui::form::{Field, Form};

/// A field or button of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Parameter(Key),
    /// Shows the parameters that the public market ignores.
    Advanced,
    SendDefaults,
    Preflight,
    Create,
}

impl Item {
    /// The explanation of the field or button, in a sentence or two.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Parameter(key) => key.parameter().doc,
            Self::Advanced => {
                "Scaling parameters of the endpoint. The public market is known to ignore them on a \
                 workergroup: the endpoint's own values count."
            }
            Self::SendDefaults => {
                "Blank fields are omitted, and the market's own defaults apply. On: blank fields are \
                 sent with their documented defaults."
            }
            Self::Preflight => "Run the search now: machines, prices and cost.",
            Self::Create => "Shows the request and its highest cost. Nothing is sent before you confirm.",
        }
    }
}

/// The parameters of a workergroup in the order of the form: those with an effect, or with `is_ignored` those
/// that the public market ignores.
fn keys(is_ignored: bool) -> impl Iterator<Item = Key> {
    Key::all().filter(move |key| key.parameter().inert.is_some() == is_ignored)
}

/// The form for a new workergroup with the values of a draft; ignored parameters are hidden unless one of
/// them is set.
pub(super) fn form(draft: &GroupDraft) -> Form<Item> {
    let text = |key: Key| {
        let text = draft.draft().text(key);
        Field::text(Item::Parameter(key), key.parameter().label, text)
    };
    let mut fields: Vec<_> = keys(false).map(text).collect();
    let many = keys(true).count();
    let is_open = keys(true).any(|key| draft.draft().is_set(key));
    let note = format!("{many} fields for other markets");
    fields.push(Field::toggle(Item::Advanced, "Advanced", is_open).note(note));
    fields.extend(keys(true).map(text));
    let send_defaults = draft.draft().send_defaults;
    fields.push(Field::toggle(Item::SendDefaults, "Send default values", send_defaults));
    fields.push(Field::button(Item::Preflight, "Check supply"));
    fields.push(Field::button(Item::Create, "Create"));
    let mut form = Form::new(fields);
    show_advanced(&mut form, is_open);
    form
}

/// Shows or hides the fields of the parameters that the public market ignores.
pub(super) fn show_advanced(form: &mut Form<Item>, is_open: bool) {
    form.set_on(Item::Advanced, is_open);
    for key in keys(true) {
        form.set_hidden(Item::Parameter(key), !is_open);
    }
}

/// Shows errors, warnings and defaults beside the fields of a workergroup's form.
///
/// A missing value is an error only after an attempt to create (`is_tried`).
pub(super) fn show_faults(form: &mut Form<Item>, draft: &GroupDraft, is_tried: bool, keymap: &Keymap) {
    for key in Key::all() {
        let item = Item::Parameter(key);
        let is_set = draft.draft().is_set(key);
        let objection = draft
            .objections()
            .iter()
            .find(|objection| objection.parameter == key.wire())
            .filter(|_| is_tried || is_set);
        // Words that are understood become conditions when the field is left.
        let is_typed = key == Key::SearchParams && form.focused() == Some(item);
        let meaning = is_typed.then(|| draft.meaning()).flatten();
        match objection.filter(|_| meaning.is_none()) {
            None => form.set_error(item, None),
            Some(objection) => {
                let mut text = objection.message.clone();
                if let Some(fix) = draft.fix().filter(|_| key == Key::SearchParams) {
                    let way = keymap.key_in(&[Context::Form], Action::Complete);
                    text = format!("{text} ({way} changes it to {fix})");
                }
                form.set_error(item, Some(text));
                let is_part =
                    |span: &std::ops::Range<usize>| !(span.start == 0 && span.end >= draft.draft().text(key).len());
                if let Some(span) = objection.span.clone().filter(is_part) {
                    form.mark_error(item, span);
                }
            }
        }
        let warning = meaning.map(|meaning| {
            let way = keymap.key_in(&[Context::Form], Action::Complete);
            format!("means {meaning} ({way} takes it)")
        });
        form.set_warning(item, warning.or_else(|| warnings(draft, key)));
        let note = if key == Key::SearchParams && !is_set {
            let way = keymap.key_in(&[Context::Form], Action::Complete);
            format!("{way} takes your search")
        } else {
            default_note(draft, key)
        };
        form.set_note(item, note);
    }
}

/// The warnings about a parameter with a sign, without that its market ignores it; `None` without any.
fn warnings(draft: &GroupDraft, key: Key) -> Option<String> {
    let advice = draft
        .advice()
        .iter()
        .filter(|advice| advice.parameter == key.wire() && key.parameter().inert != Some(advice.message.as_str()));
    let advice: Vec<_> = advice.map(|advice| advice.message.as_str()).collect();
    (!advice.is_empty()).then(|| format!("! {}", advice.join("; ")))
}

/// The documented default of a blank parameter, and whether it is sent: `default 5, sent`; empty for one that
/// is set or has none.
fn default_note(draft: &GroupDraft, key: Key) -> String {
    let Some(default) = key.parameter().default else {
        return String::new();
    };
    if draft.draft().is_set(key) {
        return String::new();
    }
    let body = draft.built().ok().map(serde_json::to_value);
    let is_sent = match body {
        Some(Ok(body)) => body.get(key.wire()).is_some(),
        Some(Err(_)) | None => draft.draft().send_defaults,
    };
    if is_sent {
        format!("default {default}, sent")
    } else {
        format!("default {default}")
    }
}
