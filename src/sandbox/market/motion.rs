//! How the market changes: prices, rentals, scores, splits, arrivals and departures, tick by tick.

use super::super::numbers::{float, rounded, unsigned};
use super::super::random::{Purpose, Rng};
use super::Market;
use super::figures::{Figures, FiveQuantiles};
use super::host::whole_cents;
use super::machine::Machine;

/// Seconds of one tick of the market's clock.
const TICK: f64 = 5.0;
// Real prices change more slowly; these are meant to be seen.
/// Share of the machines whose price changes in a tick.
const REPRICED: f64 = 0.004;
/// Share of the machines whose GPUs are rented or released in a tick.
const RELET: f64 = 0.003;
/// Share of the machines whose reliability is remeasured in a tick.
const MEASURED: f64 = 0.006;
/// Share of the machines that leave in a tick.
const DEPARTED: f64 = 0.0005;
/// Share of the machines that are split into other offers in a tick.
const RESPLIT: f64 = 0.0005;
/// Share of the machines whose offers get new ids in a tick.
const REISSUED: f64 = 0.0005;
/// Share of the volumes that change in a tick.
const VOLUMES_CHANGED: f64 = 0.01;
/// Ticks between two checks for expired offers.
const ENDED_EVERY: u64 = 12;
/// Maximum number of machines that arrive in a tick.
const ARRIVALS: u64 = 3;

impl Market {
    /// Advances time by `seconds`. Only the sum of all steps counts, not how it is divided; a
    /// negative or non-finite step does nothing.
    pub fn step(&mut self, seconds: f64) {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return;
        }
        self.elapsed += seconds;
        let due = unsigned(self.elapsed / TICK);
        while self.ticks < due {
            self.ticks += 1;
            self.tick();
        }
    }

    fn tick(&mut self) {
        let rng = &mut Rng::keyed(self.config.seed, Purpose::Tick, self.ticks);
        let now = self.config.start + float(self.ticks) * TICK;
        let machines = float(self.machines.len() as u64);
        for _ in 0..rng.count(machines * REPRICED) {
            self.change(rng, reprice);
        }
        for _ in 0..rng.count(machines * RELET) {
            self.change(rng, |_, machine, rng| relet(machine, rng));
        }
        for _ in 0..rng.count(machines * MEASURED) {
            self.change(rng, |_, machine, rng| measure(machine, rng));
        }
        for _ in 0..rng.count(machines * DEPARTED) {
            self.depart(rng);
        }
        if self.ticks.is_multiple_of(ENDED_EVERY) {
            self.end(now);
        }
        self.relist();
        self.arrive(rng, now);
        self.change_volumes(rng, now);
    }

    /// Lists some machines' GPUs as other offers: nothing has changed hands, which those who compare
    /// offers by their ids cannot tell.
    fn relist(&mut self) {
        // Numbers of their own: what else happens in the tick stays as it was without them.
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
    }

    fn change(&mut self, rng: &mut Rng, how: impl Fn(&Figures, &mut Machine, &mut Rng)) {
        let index = rng.index(self.machines.len());
        if let Some(machine) = self.machines.get_mut(index) {
            how(&self.figures, machine, rng);
        }
    }

    fn depart(&mut self, rng: &mut Rng) {
        let index = rng.index(self.machines.len());
        if self.machines.get(index).is_some_and(|machine| !machine.anchor) {
            let gone = self.machines.swap_remove(index);
            self.listed -= gone.slices.len();
        }
    }

    /// Removes expired offers; those that the market keeps are extended.
    fn end(&mut self, now: f64) {
        for machine in &mut self.machines {
            // A sandbox that runs for months keeps the offers that people try first.
            if machine.anchor && machine.end_date < now + 86_400.0 {
                machine.end_date += 90.0 * 86_400.0;
            }
        }
        self.machines.retain(|machine| machine.end_date > now);
        self.listed = self.machines.iter().map(|machine| machine.slices.len()).sum();
    }

    fn arrive(&mut self, rng: &mut Rng, now: f64) {
        for _ in 0..ARRIVALS {
            // What leaves is replaced with some delay, so that the number of offers moves around the wanted
            // one.
            if self.offer_count() >= self.config.offers || rng.chance(0.4) {
                return;
            }
            self.list_machine(Some(now));
        }
    }

    fn change_volumes(&mut self, rng: &mut Rng, now: f64) {
        for _ in 0..rng.count(float(self.volumes.len() as u64) * VOLUMES_CHANGED) {
            let index = rng.index(self.volumes.len());
            let Some(volume) = self.volumes.get_mut(index) else {
                return;
            };
            if rng.chance(0.3) {
                let cent = if rng.chance(0.5) { 0.01 } else { -0.01 };
                volume.ask = whole_cents((volume.ask + cent).clamp(0.03, 0.2));
            } else {
                volume.disk_space = rounded(volume.disk_space * rng.between(0.9, 1.1), 1).max(10.0);
            }
        }
        for volume in &mut self.volumes {
            if volume.end_date < now + 3_600.0 {
                volume.end_date += 90.0 * 86_400.0;
            }
        }
    }
}

/// A host changes its price: a few percent up or down, at least a cent, within the usual range of
/// its GPU.
fn reprice(figures: &Figures, machine: &mut Machine, rng: &mut Rng) {
    let Some(card) = figures.gpus.get(machine.model) else {
        return;
    };
    let bid_ratio = machine.bid_ask / machine.ask;
    // A lowest bid above the on-demand price stays the exception that it is in real markets.
    let most = bid_ratio.max(1.0);
    // Hosts type whole cents.
    let step = (machine.ask * rng.between(0.02, 0.08)).max(0.01);
    let wanted = machine.ask + if rng.chance(0.5) { step } else { -step };
    let (low, high) = bounds(&card.price);
    machine.ask = whole_cents(wanted.clamp(low, high));
    let bid_ratio = (bid_ratio * rng.between(0.97, 1.03)).min(most);
    machine.bid_ask = whole_cents(machine.ask * bid_ratio);
}

/// The range of a host's price: a little beyond the usual prices of its GPU.
fn bounds(price: &FiveQuantiles) -> (f64, f64) {
    // Without bounds prices would drift away over weeks.
    (price.at(0.0) * 0.75 * 0.8, price.at(1.0) * 0.75 * 1.25)
}

fn relet(machine: &mut Machine, rng: &mut Rng) {
    if machine.anchor {
        return;
    }
    let cards = 1 + u32::try_from(rng.below(u64::from(machine.gpus))).unwrap_or(0);
    // Slightly more is released than rented, so that the market never sells out.
    machine.occupied = if machine.occupied > 0 && rng.chance(0.6) {
        machine.occupied.saturating_sub(cards)
    } else {
        (machine.occupied + cards).min(machine.gpus)
    };
}

fn measure(machine: &mut Machine, rng: &mut Rng) {
    // A new machine begins at 0.6 and earns its reliability; the others change in the fourth decimal.
    let better = if machine.new {
        0.01
    } else {
        rng.between(-0.000_6, 0.000_5)
    };
    let floor = if machine.anchor { 0.985 } else { 0.55 };
    machine.reliability = rounded((machine.reliability + better).clamp(floor, 0.999_9), 7);
    machine.gpu_max_temp = (machine.gpu_max_temp + rng.between(-2.0, 2.0))
        .round()
        .clamp(15.0, 88.0);
}
