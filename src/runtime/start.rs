//! Starting the dashboard: terminal, panic hook, runtime, loop, in an order that leaves the
//! terminal sane whatever fails.

use std::io;
use std::sync::Arc;
use std::thread;

use super::dashboard::Dashboard;
use super::panics;
use super::tty::Tty;
use crate::api::client::Client;
use crate::api::pacing::Pacer;
use crate::api::session::Session;
use crate::app::Model;
use crate::ui::theme::Theme;

/// Shows the dashboard until the person or a signal ends it; gives the exit status. To be called
/// inside a multi-threaded runtime, on its `block_on` thread: that is the thread that draws.
///
/// # Errors
/// When there is no terminal, or it cannot be drawn on and is not simply gone.
pub async fn show(model: Model, client: Client, theme: Theme) -> io::Result<i32> {
    panics::install_panic_hook(thread::current().id());
    let session = Session::new(client, Pacer::default());
    let surface = Tty::open()?;
    let ended = Dashboard::new(model, surface, Arc::new(session), theme)
        .run()
        .await;
    match ended {
        Err(error) if super::terminal::is_hang_up(&error) => Ok(super::terminal::HANG_UP_STATUS),
        ended => ended,
    }
}
