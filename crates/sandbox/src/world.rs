//! The market and the fleet of a running sandbox, and the store of the market's runs.

use std::io;
use std::time::Instant;

use super::fleet::Fleet;
use super::market::Market;
use super::market::runs::{MarketRuns, Run};
use super::{RunStore, SandboxConfig, staffing};

/// The maximum time in seconds by which a sped-up market advances in one request: a week.
///
/// Otherwise the first request to a fast market after idle hours would wait for seconds.
const LONGEST_STEP: f64 = 604_800.0;

/// The number of ticks of the market after which its run is saved: a minute.
const SAVED_EVERY: u64 = 12;

#[derive(Debug)]
pub struct World {
    pub market: Market,
    pub fleet: Fleet,
    /// The factor by which the market moves faster than real time; the fleet does not.
    speed: f64,
    /// The time to which both have advanced.
    seen: Instant,
    /// The runs of the market before this one.
    earlier: MarketRuns,
    /// The number of ticks of this run when it was last saved; `None` if nothing is saved of the market yet.
    saved: Option<u64>,
    store: Option<RunStore>,
}

impl World {
    /// The world of a new sandbox at `now`, seconds since 1970: the market of an earlier run if it goes on from
    /// there, else one that starts now. `entropy` makes keys and ids differ from those of other runs.
    ///
    /// # Errors
    /// If the embedded figures are invalid.
    pub fn new(config: &SandboxConfig, now: f64, entropy: u64) -> io::Result<Self> {
        let (earlier, drawn) = (config.continued_runs(now), config.market_at(now));
        let saved = earlier.map(|_| 0);
        let earlier = earlier.cloned().unwrap_or_else(|| MarketRuns::new(&drawn));
        let mut market = Market::new(drawn).map_err(io::Error::other)?;
        market.resume(&earlier.runs, now);
        for id in &config.unlisted {
            // A smaller market may not have the listing.
            let _ = market.unlist(*id);
        }
        let mut fleet = Fleet::new(drawn.seed, now, entropy);
        for group in &config.groups.0 {
            fleet.restore(group.clone());
        }
        Ok(Self {
            market,
            fleet,
            speed: config.speed,
            seen: Instant::now(),
            earlier,
            saved,
            store: config.run_store.clone(),
        })
    }

    /// Advances the market and the fleet to `now`, a sped-up market by a week at most, hires workers, and saves
    /// the market's run each minute.
    pub fn advance(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.seen).as_secs_f64();
        self.seen = now;
        self.market.step((passed * self.speed).min(LONGEST_STEP.max(passed)));
        self.fleet.step(passed);
        self.hire();
        self.save_run(SAVED_EVERY);
    }

    /// Hires machines whose offers match the searches of workergroups that need workers.
    pub fn hire(&mut self) {
        for vacancy in self.fleet.vacancies() {
            let candidates = staffing::candidates(&self.market, &vacancy.search, vacancy.slots);
            self.fleet.staff(vacancy.group, &candidates);
        }
    }

    /// Saves the run of the market if there is a store, and it has made `ticks` since the last time or nothing is
    /// saved yet.
    ///
    /// A failure is ignored: it costs only that the next sandbox goes on from an earlier moment.
    pub fn save_run(&mut self, ticks: u64) {
        let run = self.market.current_run();
        let now = run.map_or(0, |run| run.ticks);
        if let Some(store) = &self.store
            && self.saved.is_none_or(|saved| now >= saved + ticks)
        {
            self.saved = Some(now);
            let runs = self.earlier.runs.iter().copied().chain(run).collect::<Vec<Run>>();
            let _ = store.save(MarketRuns {
                runs,
                ..self.earlier.clone()
            });
        }
    }
}
