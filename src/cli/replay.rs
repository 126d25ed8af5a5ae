//! `bourse replay`: the dashboard on the recorded market of an earlier time.

use std::process::ExitCode;
use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::args::Arguments;
use super::history_args::ReplayArguments;
use super::output::CliError;
use super::settings::{Market, Settings};
use crate::api::client::epoch_seconds;
use crate::domain::Resource;
use crate::domain::history::{Moment, Spell};
use crate::sandbox::replay::{RecordedOffer, RecordedVolume, Replay};
use crate::sandbox::{SandboxConfig, latency::Latency};
use crate::store::history::ExportedSpell;

/// Seconds of the recording in each second, unless another speed is given.
const SPEED: f64 = 60.0;

/// The name of the profile whose folder keeps how the dashboard was left.
const NAME: &str = "replay";

/// Shows the dashboard; returns its exit status.
pub fn replay(
    arguments: &Arguments,
    mut settings: Settings,
    own: &ReplayArguments,
) -> Result<ExitCode, CliError> {
    let now = Moment::of(epoch_seconds());
    let from = moment(&own.from, now)?;
    let until = own.until.as_deref().map(|text| moment(text, now));
    let until = until.transpose()?.unwrap_or(now);
    if from >= until {
        return Err(CliError::Usage(
            "--from must be before --until, which is now by default".to_owned(),
        ));
    }
    let (offers, volumes) = recorded(&settings, from, until)?;
    if offers.is_empty() && volumes.is_empty() {
        let hint = "bourse history and bourse db check show what is";
        return Err(CliError::Failed(format!(
            "no offers or volumes are recorded in that time: {hint}"
        )));
    }
    let replay = Replay {
        offers: offers.into(),
        volumes: volumes.into(),
        from: seconds(from),
        until: seconds(until),
        speed: arguments.global.speed.map_or(SPEED, f64::from),
    };
    settings.market = Market::Embedded(SandboxConfig {
        latency: Latency::None,
        rate_limits: false,
        replay: Some(Arc::new(replay)),
        ..SandboxConfig::default()
    });
    settings.dialect = crate::store::Profile::sandbox().dialect;
    NAME.clone_into(&mut settings.profile);
    settings.read_only = true;
    let markets = super::profile_resolver(arguments, &settings);
    crate::runtime::dashboard(&settings, markets)
        .map_err(|error| CliError::Failed(error.to_string()))
}

/// The recorded offers and volumes that overlap a time.
fn recorded(
    settings: &Settings,
    from: Moment,
    until: Moment,
) -> Result<(Vec<RecordedOffer>, Vec<RecordedVolume>), CliError> {
    let database = settings.history_place().open()?;
    let (mut offers, mut volumes) = (Vec::new(), Vec::new());
    database.export(|exported| {
        let ended = exported.spell.end.map_or(exported.spell.last, |(_, at)| at);
        if exported.spell.first <= until && ended >= from {
            match exported.search.resource {
                Resource::Offers => offers.extend(offer(exported)),
                Resource::Volumes => volumes.extend(volume(&exported.spell)),
                Resource::Workergroups => {}
            }
        }
        Ok::<_, CliError>(())
    })?;
    Ok((offers, volumes))
}

/// Until when a spell is shown: what is seen in a poll lasts until the next, and the last one beyond
/// the end.
fn until(spell: &Spell) -> f64 {
    spell.end.map_or(f64::INFINITY, |(_, at)| seconds(at))
}

/// A spell as the sandbox serves it.
fn offer(exported: &ExportedSpell) -> Option<RecordedOffer> {
    let (search, spell) = (&exported.search, &exported.spell);
    Some(RecordedOffer {
        rental: search.offer_type,
        id: u64::try_from(spell.offer).ok()?,
        machine: u64::try_from(spell.lot.machine).ok()?,
        host: spell.host.and_then(|host| u64::try_from(host).ok()),
        model: spell.lot.model.clone(),
        gpus: spell.amount,
        price: spell.price * f64::from(spell.amount),
        first: seconds(spell.first),
        until: until(spell),
    })
}

/// A spell of a cluster's volumes: of several sizes the largest is recorded.
fn volume(spell: &Spell) -> Option<RecordedVolume> {
    Some(RecordedVolume {
        id: u64::try_from(spell.offer).ok()?,
        cluster: u64::try_from(spell.lot.machine).ok()?,
        host: spell.host.and_then(|host| u64::try_from(host).ok()),
        gb: spell.amount,
        price: spell.price,
        first: seconds(spell.first),
        until: until(spell),
    })
}

#[expect(clippy::cast_precision_loss)] // seconds since 1970
fn seconds(moment: Moment) -> f64 {
    moment.0 as f64
}

/// A time such as `2026-11-21 14:05`, `2026-11-21T14:05:00Z`, or `6h` ago.
fn moment(text: &str, now: Moment) -> Result<Moment, CliError> {
    let text = text.trim();
    if let Ok(ago) = text.parse::<SignedDuration>() {
        return Ok(Moment(now.0 - ago.as_secs().abs()));
    }
    if let Some(days) = text
        .strip_suffix('d')
        .and_then(|days| days.parse::<u16>().ok())
    {
        return Ok(Moment(now.0 - i64::from(days) * 86_400));
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(Moment(at.as_second()));
    }
    let civil = text.parse::<DateTime>().ok();
    let local = civil.and_then(|time| time.to_zoned(TimeZone::system()).ok());
    local
        .map(|at| Moment(at.timestamp().as_second()))
        .ok_or_else(|| {
            CliError::Usage(format!(
                "'{text}' is not a time: write 2026-11-21 14:05, 6h or 2d"
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_or_so_long_ago() {
        let now = Moment(1_795_176_000);
        let read = |text| moment(text, now).ok();
        assert_eq!(read("6h"), Some(Moment(1_795_154_400)));
        assert_eq!(read("2d"), Some(Moment(1_795_003_200)));
        assert_eq!(read("90m"), Some(Moment(1_795_170_600)));
        assert_eq!(read("2026-11-20T12:00:00Z"), Some(now));
        assert!(read("2026-11-19 12:00").is_some());
        assert_eq!(read("yesterday"), None);
    }
}
