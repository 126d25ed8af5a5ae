//! The command: serves until its input ends.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::transport::stdio;

use super::server::Server;
use crate::cli::output::CliError;
use crate::cli::sandbox::Stop;
use crate::settings::Settings;

/// Serves the tools over standard input and output.
///
/// # Errors
/// When the client does not speak the protocol.
pub async fn serve(settings: Settings) -> Result<(), CliError> {
    let mut stop = Stop::new()?;
    let served = async {
        let running = Server::new(Arc::new(settings)).serve(stdio()).await;
        let running = running.map_err(|error| CliError::Failed(format!("the client broke the protocol: {error}")))?;
        let ended = running.waiting().await;
        ended.map_err(|error| CliError::Failed(error.to_string()))?;
        Ok(())
    };
    tokio::select! {
        ended = served => ended,
        () = stop.wait() => Ok(()),
    }
}
