//! The user's editor, and changes of the configuration while the dashboard runs.

use std::io;

use super::{Dashboard, Surface};
use crate::core::Message;
use crate::core::configuration::Reconfigured;
use crate::core::message::EffectError;
use crate::runtime::config_watch::{ConfigWatch, Reloaded, Saved};
use crate::runtime::editor::{Document, EditorError};
use crate::runtime::start::{Themes, theme_choices};
use crate::settings::default_config;
use crate::store::files;

impl<S: Surface> Dashboard<S> {
    /// Opens the user's editor on a document and waits for it; returns the edited text. The outer error is
    /// the terminal's, the inner one the editor's.
    pub(super) async fn edit(&mut self, document: Document) -> io::Result<Result<String, EditorError>> {
        let edited = self.surface.edit(document).await?;
        // The editor may have changed the title.
        self.title.clear();
        Ok(edited)
    }

    /// Creates the configuration, with all settings commented out, if missing, edits it and requests its
    /// reload. A missing home folder (nothing else is done then), a failed creation (no editor opens) and the
    /// editor's errors are reported; only the terminal's error is returned, without a reload.
    pub(super) async fn edit_config(&mut self) -> io::Result<()> {
        let Some(path) = self.known.as_ref().and_then(|known| known.paths()) else {
            let error = EffectError::new("no home directory for a configuration");
            let _ = self.outbox.send(Message::Report(Err(error)));
            return Ok(());
        };
        let path = path.config_file();
        let written = if path.exists() {
            Ok(())
        } else {
            files::replace(&path, default_config().as_bytes())
        };
        let edited = match written {
            Ok(()) => self.edit(Document::File(path)).await?.map_err(EffectError::new),
            Err(error) => Err(EffectError::new(format!("can't write {}: {error}", path.display()))),
        };
        if let Err(error) = edited {
            let _ = self.outbox.send(Message::Report(Err(error)));
        }
        // Where no folder can be watched, this is how the change is seen.
        self.config.iter().for_each(ConfigWatch::reload);
        Ok(())
    }

    /// Applies the terminal settings of a reloaded configuration (theme, mouse); returns the message for the
    /// core, which handles the rest. A failed reload changes nothing, and its message holds the error.
    pub(super) fn reconfigured(&mut self, reloaded: Reloaded) -> Message {
        Message::Reconfigured(reloaded.map_err(EffectError::new).map(|saved| {
            let Saved {
                preferences,
                market_list,
                notices,
                is_noticeable,
            } = *saved;
            let themes = Themes::from_config(&preferences.look);
            self.themes = themes.asked;
            let pair = themes.asked.zip(self.is_light);
            let asked = pair.map(|(asked, is_light)| asked[usize::from(is_light)]);
            self.theme = asked.unwrap_or(themes.unasked);
            self.surface.mouse(preferences.config.values.mouse);
            Box::new(Reconfigured {
                themes: theme_choices(&preferences, self.is_light),
                keymap: preferences.keymap.in_words(self.theme.ascii),
                values: preferences.config.values,
                market_list,
                notices,
                is_noticeable,
            })
        }))
    }
}
