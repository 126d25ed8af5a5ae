//! `bourse sandbox`: the sandbox marketplace for other clients.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::args::{ReplyFormat, SandboxArguments};
use super::documents;
use super::output::{self, CliError};
use crate::process::{self, Claim};
use crate::sandbox::{Sandbox, SandboxConfig, Token};
use crate::settings::Global;
use crate::settings::resolve::apply_sandbox_flags;
use crate::store::keys;

/// `bourse sandbox`: starts the sandbox, prints its address and key, and serves until SIGINT or SIGTERM.
pub async fn serve(flags: &Global, arguments: &SandboxArguments) -> Result<(), CliError> {
    let mut config = SandboxConfig {
        listen: arguments.listen,
        rate_limits: !arguments.no_rate_limits,
        ..SandboxConfig::default()
    };
    apply_sandbox_flags(&mut config, flags)?;
    if flags.api_key_file.is_some() {
        output::note("--api-key-file ignored: --api-key sets the key that clients must send");
    }
    if let Some(key) = &arguments.api_key {
        keys::parse(key, "--api-key").map_err(|error| CliError::Usage(error.to_string()))?;
        config.api_key = Some(Token::new(key));
    }
    if let Some(volumes) = arguments.volumes {
        config.market.volumes = volumes;
    }
    // Installed before the address is printed, so that a signal always stops it cleanly.
    let mut stop = Stop::new()?;
    let running = Sandbox::start(config)
        .await
        .map_err(|error| CliError::Failed(format!("can't listen on {}: {error}", arguments.listen)))?;
    if !running.addr().ip().is_loopback() {
        output::note(
            "other computers can reach the sandbox, without encryption and under any host name: \
             whoever has its key, or reads it on the way, can create and unlist in it. No real market \
             is behind it",
        );
    }
    let (address, key) = (format!("http://{}", running.addr()), running.key());
    match arguments.format {
        ReplyFormat::Text => output::print(&format!("bourse sandbox on {address}\napi key: {key}\n"))?,
        ReplyFormat::Json => {
            let api_key = key.to_owned();
            output::print_line("sandbox", documents::Sandbox { address, api_key })?;
        }
    }
    stop.wait().await;
    running.stop().await;
    Ok(())
}

/// The signals that end the program cleanly.
pub struct Stop {
    interrupt: Signal,
    terminate: Signal,
    _claim: Claim,
}

impl Stop {
    /// Starts to listen for SIGINT and SIGTERM, which no longer end the program by themselves.
    pub fn new() -> Result<Self, CliError> {
        let listen = |kind| signal(kind).map_err(|error| CliError::Failed(format!("cannot await signals: {error}")));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            _claim: Claim::new(&[process::Signal::INT, process::Signal::TERM]),
        })
    }

    /// Waits for SIGINT or SIGTERM. Cancel-safe.
    pub async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
