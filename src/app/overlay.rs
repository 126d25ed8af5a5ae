//! What lies over a pane: an enum stack, topmost last.

use super::column_editor::ColumnEditor;
use super::filter_editor::FilterEditor;
use super::insights::Insight;
use super::keymap::Context;
use super::markets::{MarketForm, MarketList};
use super::palette::Entry;
use super::prompt::{Prompt, Question};
use super::search_settings::SearchSettings;
use super::searches::SearchList;
use super::sort_editor::SortEditor;
use super::view::View;
use super::volume_form::VolumeForm;
use crate::widgets::list::List;

/// One overlay and its state.
#[derive(Debug)]
pub enum Overlay {
    /// A view that knows itself.
    View(Box<dyn View>),
    /// All keys, searchable.
    Help(List<Entry>),
    /// Actions, searches and fields by name.
    Palette(List<Entry>),
    /// What to sort by.
    Sort(SortEditor),
    /// The size and term that volumes are priced for.
    Volume(VolumeForm),
    /// The saved searches and the presets.
    Searches(SearchList),
    /// A line of text is asked for.
    Prompt(Prompt),
    /// A yes is asked for.
    Question(Question),
    /// What the rows tell beyond themselves.
    Insight(Box<Insight>),
    /// Which columns to show.
    Columns(ColumnEditor),
    /// Every filter, and the conditions of the query.
    Filter(Box<FilterEditor>),
    /// Price type, storage, limit and switches.
    Settings(Box<SearchSettings>),
    /// The markets to connect to.
    Markets(MarketList),
    /// A new market, or another key of one.
    MarketForm(Box<MarketForm>),
}

impl Overlay {
    /// The contexts whose keys it takes, in order.
    pub fn contexts(&self) -> &'static [Context] {
        match self {
            Self::View(view) => view.contexts(),
            Self::Help(_) | Self::Palette(_) => &[Context::List, Context::Always],
            Self::Sort(_) => &[Context::Sort, Context::List, Context::Always],
            Self::Searches(_) => &[Context::Searches, Context::List, Context::Always],
            Self::Prompt(_) => &[Context::Prompt, Context::Always],
            Self::Question(question) => question.contexts(),
            Self::Insight(insight) => insight.contexts(),
            Self::Volume(_) => &[Context::VolumeCost, Context::Always],
            Self::Columns(_) => &[Context::Columns, Context::List, Context::Always],
            Self::Filter(editor) => match &editor.form {
                None if editor.picker.input.is_empty() => &[
                    Context::Tick,
                    Context::Filter,
                    Context::List,
                    Context::Always,
                ],
                None => &[Context::Filter, Context::List, Context::Always],
                Some(form) if form.takes_blank() => {
                    &[Context::Tick, Context::Condition, Context::Always]
                }
                Some(_) => &[Context::Condition, Context::Always],
            },
            Self::Settings(settings) if settings.current().is_choice() => {
                &[Context::Choice, Context::Settings, Context::Always]
            }
            Self::Settings(_) => &[Context::Settings, Context::Always],
            Self::Markets(_) => &[
                Context::Markets,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
            Self::MarketForm(form) => form.contexts(),
        }
    }

    /// Whether typed characters go into a search line.
    pub fn takes_text(&self) -> bool {
        match self {
            Self::View(view) => view.takes_text(),
            Self::Question(_) | Self::Markets(_) => false,
            Self::Insight(insight) => insight.takes_text(),
            _ => true,
        }
    }
}
