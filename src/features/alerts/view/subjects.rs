//! The subjects that an alert can follow: a search, the model of an offer, or a workergroup.

use crate::core::{Pane, State};
use crate::domain::saved::SearchSpec;
use crate::domain::text::visible;
use crate::domain::{Operator, Resource, Value, language};
use crate::record::alerts::{Alert, Followed, describe_trigger};
use crate::tui::text::capitalized;

/// A subject that an alert can follow, with its label in the selector.
#[derive(Debug, Clone)]
pub(super) struct AlertSubject {
    pub label: String,
    pub follows: Followed,
}

/// The subjects that an alert can follow: the open pane's search or selected workergroup, the model of the
/// selected offer, and every saved search except those of workergroups.
pub(super) fn subjects(state: &State) -> Vec<AlertSubject> {
    let mut subjects = Vec::new();
    if state.pane == Pane::Workergroups {
        let group = state.browsers[Resource::Workergroups].selected();
        subjects.extend(group.map(|id| AlertSubject {
            label: format!("Workergroup {id}"),
            follows: Followed::Group(id.0),
        }));
    } else if let Some(browser) = state.browser() {
        let nouns = || capitalized(browser.resource().nouns());
        let name = Some(visible(&browser.name(), 40)).filter(|name| !name.is_empty());
        subjects.push(AlertSubject {
            label: name.unwrap_or_else(nouns),
            follows: Followed::Search(SearchSpec::new(&browser.query, &[])),
        });
    }
    subjects.extend(model(state));
    let saved = state.searches.saved.iter();
    let saved = saved.filter(|search| search.spec.resource != Resource::Workergroups);
    subjects.extend(saved.map(|search| AlertSubject {
        label: format!("“{}”", visible(&search.name, 40)),
        follows: Followed::Search(search.spec.clone()),
    }));
    subjects
}

/// All subjects that an alert can follow, and the index of the subject of `alert`, which is put first if it
/// was not among them.
pub(super) fn subjects_including(alert: &Alert, state: &State) -> (Vec<AlertSubject>, usize) {
    let mut subjects = subjects(state);
    let index = subjects.iter().position(|subject| subject.follows == alert.follows);
    if let Some(index) = index {
        return (subjects, index);
    }
    let text = describe_trigger(&alert.rule, is_volume(&alert.follows));
    let prefix = alert.name.strip_suffix(&format!(": {text}"));
    let label = match (&alert.follows, prefix) {
        (_, Some(prefix)) => prefix.to_owned(),
        (Followed::Search(_), None) => "Its search".to_owned(),
        (Followed::Group(id), None) => format!("Workergroup {id}"),
    };
    let follows = alert.follows.clone();
    subjects.insert(0, AlertSubject { label, follows });
    (subjects, 0)
}

/// Whether an alert follows a search of volumes, whose prices are in $/GB/month.
pub(super) fn is_volume(follows: &Followed) -> bool {
    matches!(follows, Followed::Search(spec) if spec.resource == Resource::Volumes)
}

/// The model of the selected offer, as a default search with the pane's price type; `None` on other panes,
/// without a selected offer, or if that names no model.
fn model(state: &State) -> Option<AlertSubject> {
    let browser = state.browser()?;
    let field = Resource::Offers.catalog().by_key("gpu_name")?;
    if browser.resource() != Resource::Offers {
        return None;
    }
    let name = browser.listing()?.text(browser.selected_row()?, field)?;
    let mut query = language::default_query(Resource::Offers, browser.dialect());
    query.offer_type = browser.query.offer_type;
    let query = query.with("gpu_name", Operator::Eq, Value::Text(name.unescaped().to_owned()));
    Some(AlertSubject {
        label: format!("Any {}", name.screen(40)),
        follows: Followed::Search(SearchSpec::new(&query, &[])),
    })
}
