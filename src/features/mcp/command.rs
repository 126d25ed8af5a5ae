//! The command `bourse mcp`, which serves until its input ends.

use std::sync::Arc;
use std::thread;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use super::server::Server;
use crate::cli::output::{CliError, captured};
use crate::cli::recorded;
use crate::cli::sandbox::Stop;
use crate::settings::Settings;

/// Serves the tools over standard input and output, until the input ends or a signal.
///
/// # Errors
///
/// When the client does not speak the protocol.
pub async fn serve(settings: Settings) -> Result<(), CliError> {
    let mut stop = Stop::new()?;
    let settings = Arc::new(settings);
    if settings.sandbox_past().is_some() {
        // It takes seconds: soon enough for the first question about prices, which reports what fails.
        let settings = Arc::clone(&settings);
        thread::spawn(move || captured(|| recorded::open(&settings).map(drop)));
    }
    let served = async {
        let running = match Server::new(settings).serve(stdio()).await {
            Ok(running) => running,
            // The input ended before a client sent anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(CliError::Failed(format!("the client broke the protocol: {error}"))),
        };
        let ended = running.waiting().await;
        ended.map_err(|error| CliError::Failed(error.to_string()))?;
        Ok(())
    };
    tokio::select! {
        ended = served => ended,
        () = stop.wait() => Ok(()),
    }
}
