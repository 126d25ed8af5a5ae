//! The motion of the market: prices, rentals, scores, splits, arrivals and departures, tick by tick.
//!
//! The market is steady: however long it moves, it has the same distributions as the first draw. Each change repeats a
//! draw (who rents, the lowest bid, the machine in a host's place) or takes a step that is equally likely in both
//! directions. Such a motion looks the same forwards and backwards, which [`Market::go_back`] uses.

use super::super::numbers::{float, rounded, unsigned};
use super::super::random::{Purpose, Rng};
use super::figures::Figures;
use super::host::whole_cents;
use super::machine::{self, Machine};
use super::runs::Run;
use super::{Market, RunStart, Vacancy, volume};

/// The length of a tick of the market's clock, in seconds.
const TICK: f64 = 5.0;
/// Share of the machines whose price changes in a tick.
///
/// Real prices change more slowly; these changes are meant to be seen.
const REPRICED: f64 = 0.004;
/// Share of the machines whose rented GPUs may change in a tick.
const RELET: f64 = 0.005;
/// Share of the machines whose reliability is remeasured in a tick.
const MEASURED: f64 = 0.006;
/// Share of the machines that leave in a tick.
const DEPARTED: f64 = 0.0005;
/// Share of the machines that are split into other offers in a tick.
const RESPLIT: f64 = 0.0005;
/// Share of the machines without an offer of one GPU that are restored to one in a tick.
const JOINED: f64 = 0.005;
/// Share of the machines whose offers get new ids in a tick.
const REISSUED: f64 = 0.0005;
/// Share of the volumes that change in a tick.
const VOLUMES_CHANGED: f64 = 0.01;
/// Number of ticks between two checks for expired offers.
const ENDED_EVERY: u64 = 12;
/// Maximum number of machines that arrive in a tick.
const ARRIVALS: u64 = 3;

/// The direction of the market's clock.
#[derive(Debug, Clone, Copy)]
enum Direction {
    Forth,
    Back,
}

impl Market {
    /// Advances time by `seconds`, with the random changes of each tick that ends.
    ///
    /// Only the sum of all steps counts, not its division; a negative or non-finite step does nothing.
    pub fn step(&mut self, seconds: f64) {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return;
        }
        self.elapsed += seconds;
        self.tick_to(unsigned((self.elapsed - self.run.elapsed) / TICK));
    }

    /// Moves on in the current run, until that has `ticks`.
    fn tick_to(&mut self, ticks: u64) {
        while self.ticks - self.run.ticks < ticks {
            self.ticks += 1;
            let seconds = self.run.elapsed + float(self.ticks - self.run.ticks) * TICK;
            self.tick(self.config.start + seconds, Direction::Forth);
        }
    }

    /// Repeats earlier runs, and begins a new one at `now`, seconds since 1970. Between runs only the clock moves.
    ///
    /// The time of each tick counts: it decides which offers have expired.
    pub fn resume(&mut self, runs: &[Run], now: f64) {
        for run in runs {
            self.begin_run(run.at);
            self.tick_to(run.ticks);
        }
        self.begin_run(now);
    }

    /// Sets the clock to `now`, seconds since 1970, as the start of a run.
    fn begin_run(&mut self, now: f64) {
        self.elapsed = now - self.config.start;
        self.run = RunStart {
            elapsed: self.elapsed,
            ticks: self.ticks,
        };
    }

    /// The current run so far; `None` before its first tick.
    pub fn current_run(&self) -> Option<Run> {
        let ticks = self.ticks - self.run.ticks;
        (ticks > 0).then_some(Run {
            at: self.config.start + self.run.elapsed,
            ticks,
        })
    }

    /// Takes the clock back by `seconds`, with as many changes to the market as in `motion` seconds of normal
    /// time. Removes machines listed later than the new time, except anchors.
    pub fn go_back(&mut self, seconds: f64, motion: f64) {
        self.elapsed -= seconds;
        let now = self.now();
        for _ in 0..unsigned(motion / TICK) {
            self.ticks += 1;
            self.tick(now, Direction::Back);
        }
        // A machine is not on offer before it was listed.
        self.remove(|machine| !machine.anchor && machine.start_date.is_some_and(|start| start > now));
    }

    /// Makes the random changes of one tick, whose end is `now`, in seconds since 1970.
    fn tick(&mut self, now: f64, direction: Direction) {
        let rng = &mut Rng::keyed(self.config.seed, Purpose::Tick, self.ticks);
        let machines = float(self.machines.len() as u64);
        for _ in 0..rng.count(machines * REPRICED) {
            self.change(rng, machine::reprice);
        }
        for _ in 0..rng.count(machines * RELET) {
            self.change(rng, machine::relet);
        }
        for _ in 0..rng.count(machines * MEASURED) {
            self.change(rng, |_, machine, rng| measure(machine, direction, rng));
        }
        for _ in 0..rng.count(machines * DEPARTED) {
            self.depart(rng);
        }
        if matches!(direction, Direction::Forth) && self.ticks.is_multiple_of(ENDED_EVERY) {
            self.end(now);
        }
        self.relist();
        self.arrive(rng, now, direction);
        self.change_volumes(rng);
    }

    /// Splits some machines into other offers, gives others new offer ids, and restores some that were split;
    /// not anchors.
    ///
    /// Nothing changes hands, but a comparison of offers by id cannot know that.
    fn relist(&mut self) {
        // Separate random numbers, so that the other changes of the tick are unaffected.
        let rng = &mut Rng::keyed(self.config.seed, Purpose::Relisting, self.ticks);
        let machines = float(self.machines.len() as u64);
        let resplit = rng.count(machines * RESPLIT);
        for turn in 0..resplit + rng.count(machines * REISSUED) {
            let index = rng.index(self.machines.len());
            let machine = self.machines.get_mut(index);
            let Some(machine) = machine.filter(|machine| !machine.anchor) else {
                continue;
            };
            self.listed -= machine.slices.len();
            if turn < resplit {
                machine.resplit(&mut self.ids, rng);
            } else {
                machine.reissue(&mut self.ids, rng);
            }
            self.listed += machine.slices.len();
        }
        for machine in &mut self.machines {
            if machine.is_resplit() && rng.chance(JOINED) {
                self.listed -= machine.slices.len();
                machine.join(&mut self.ids, rng);
                self.listed += machine.slices.len();
            }
        }
    }

    /// Applies a change to one random machine.
    fn change(&mut self, rng: &mut Rng, how: impl Fn(&Figures, &mut Machine, &mut Rng)) {
        let index = rng.index(self.machines.len());
        if let Some(machine) = self.machines.get_mut(index) {
            how(&self.figures, machine, rng);
        }
    }

    /// Removes a random machine, whose place is filled later; no effect if it is an anchor.
    fn depart(&mut self, rng: &mut Rng) {
        let index = rng.index(self.machines.len());
        if self.machines.get(index).is_some_and(|machine| !machine.anchor) {
            let gone = self.machines.swap_remove(index);
            self.listed -= gone.slices.len();
            self.vacancies.push_back(Vacancy::new(&gone));
        }
    }

    /// Removes machines whose offers have expired by `now`; those of anchors are extended by 90 days a day
    /// before.
    fn end(&mut self, now: f64) {
        for machine in &mut self.machines {
            // A sandbox that runs for months keeps the offers that people try first.
            if machine.anchor && machine.end_date < now + 86_400.0 {
                machine.end_date += 90.0 * 86_400.0;
            }
        }
        self.remove(|machine| machine.end_date <= now);
    }

    /// Removes the machines that meet a condition; their places are filled later.
    fn remove(&mut self, is_gone: impl Fn(&Machine) -> bool) {
        let vacancies = &mut self.vacancies;
        self.machines.retain(|machine| {
            let gone = is_gone(machine);
            if gone {
                vacancies.push_back(Vacancy::new(machine));
            }
            !gone
        });
        self.listed = self.machines.iter().map(|machine| machine.slices.len()).sum();
    }

    /// Lists up to three machines in place of those that have left, the longest ago first; after a random
    /// delay.
    fn arrive(&mut self, rng: &mut Rng, now: f64, direction: Direction) {
        for _ in 0..ARRIVALS {
            if rng.chance(0.4) {
                return;
            }
            let Some(vacancy) = self.vacancies.pop_front() else {
                return;
            };
            self.fill(vacancy, now, matches!(direction, Direction::Forth));
        }
    }

    /// Changes the price or the space of some random volumes.
    fn change_volumes(&mut self, rng: &mut Rng) {
        for _ in 0..rng.count(float(self.volumes.len() as u64) * VOLUMES_CHANGED) {
            let index = rng.index(self.volumes.len());
            let Some(volume) = self.volumes.get_mut(index) else {
                return;
            };
            if rng.chance(0.3) {
                let cent = if rng.chance(0.5) { 0.01 } else { -0.01 };
                let (low, high) = volume::PRICES;
                volume.ask = whole_cents((volume.ask + cent).clamp(low, high));
            } else {
                let factor = rng.between(1.0, 1.1);
                let space = volume.disk_space * if rng.chance(0.5) { factor } else { 1.0 / factor };
                let (low, high) = volume::SPACE;
                volume.disk_space = rounded(space.clamp(low, high), 1);
            }
        }
    }
}

/// Remeasures the reliability and temperature of a machine; a new one gets better with time, others vary a
/// little.
fn measure(machine: &mut Machine, direction: Direction, rng: &mut Rng) {
    // A new machine begins at 0.6 and earns its reliability; the others change in the fourth decimal.
    let better = match direction {
        Direction::Forth if machine.new => 0.01,
        Direction::Back if machine.new => 0.0,
        Direction::Forth | Direction::Back => rng.between(-0.000_5, 0.000_5),
    };
    let floor = if machine.anchor { 0.985 } else { 0.55 };
    machine.reliability = rounded((machine.reliability + better).clamp(floor, 0.999_9), 7);
    machine.gpu_max_temp = (machine.gpu_max_temp + rng.between(-2.0, 2.0))
        .round()
        .clamp(15.0, 88.0);
}
