//! Machines of hosts, split into offers of one, two, four ... GPUs.

use std::sync::Arc;

use super::super::USER;
use super::super::numbers::{float, rounded, since_midnight, unsigned, until_midnight, whole};
use super::super::random::{Purpose, Rng};
use super::figures::{Figures, GpuModel, Processor, Shares, pick};
use super::host::{Host, whole_cents};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    Verified,
    Unverified,
    /// Failed the check; the code is the reason.
    Deverified(u8),
}

impl Verification {
    /// Draws a status by the market's shares.
    pub fn draw(shares: &Shares, rng: &mut Rng) -> Self {
        let roll = rng.unit();
        if roll < shares.verified {
            Self::Verified
        } else if roll < shares.verified + shares.deverified {
            Self::Deverified(if rng.chance(0.5) { 4 } else { 8 })
        } else {
            Self::Unverified
        }
    }

    /// The value of the member `verification` in an offer's record: `verified`, `unverified` or `deverified`.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Unverified => "unverified",
            Self::Deverified(_) => "deverified",
        }
    }

    /// The value of the member `vericode` in an offer's record: 1 if verified, 0 if unverified, else the code
    /// of the reason it is deverified.
    pub const fn code(self) -> u8 {
        match self {
            Self::Verified => 1,
            Self::Unverified => 0,
            Self::Deverified(code) => code,
        }
    }
}

/// Disk space of a machine that can be rented separately.
#[derive(Debug, Clone)]
pub(super) struct LocalVolume {
    pub id: u64,
    pub size: f64,
}

/// An offered part of a machine: a power of two of its GPUs, or all of them.
#[derive(Debug, Clone)]
pub struct Slice {
    pub id: u64,
    pub bundle: u64,
    pub gpus: u32,
}

/// A machine that the market always has.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    pub model: &'static str,
    pub gpus: u32,
    pub location: &'static str,
    /// Whether it is in a data centre.
    pub datacenter: bool,
}

/// A source of ids, which increase as offers are listed.
#[derive(Debug, Clone)]
pub struct Ids {
    pub offer: u64,
    /// The largest gap between two offer ids.
    pub gap: u64,
    pub machine: u64,
    pub gpu: u64,
}

impl Ids {
    /// The next offer id; a random gap follows.
    fn next_offer(&mut self, rng: &mut Rng) -> u64 {
        let id = self.offer;
        self.offer += 1 + rng.below(self.gap);
        id
    }
}

/// The parameters for drawing a machine.
#[derive(Debug)]
pub struct Commission<'a> {
    pub figures: &'a Figures,
    pub seed: u64,
    pub serial: u64,
    pub host: Arc<Host>,
    pub order: Order,
}

/// The requirements on a machine to draw, and its time.
#[derive(Debug)]
pub struct Order {
    pub wish: Option<Wish>,
    /// The GPU model and number of the machine that it replaces; `None` for a free choice.
    pub like: Option<(usize, u32)>,
    /// The maximum number of offers to split it into.
    pub room: usize,
    /// The current time, in seconds since 1970.
    pub now: f64,
    /// Whether it arrives after the start of the market.
    pub arriving: bool,
}

/// Declares a struct and the function that makes it, a row for each member.
macro_rules! drawn {
    (
        $(#[$about:meta])*
        pub struct $name:ident;
        $(#[$made:meta])*
        pub fn $make:ident($($argument:ident: $kind:ty),*) { $($first:tt)* }
        $( $(#[$doc:meta])* $member:ident: $type:ty = $value:expr; )*
    ) => {
        $(#[$about])*
        pub struct $name {
            $( $(#[$doc])* pub $member: $type, )*
        }

        $(#[$made])*
        pub fn $make($($argument: $kind),*) -> $name {
            $($first)*
            $name { $( $member: $value, )* }
        }
    };
}

drawn! {
    /// A listed machine. Prices are the host's; clients pay a third more. Processor memory is in MB and
    /// disk space in GB; the network is in Mbit/s, disks in MB/s, buses and GPU memory in GB/s; shares
    /// are from 0 to 1.
    #[derive(Debug, Clone)]
    pub struct Machine;

    /// Draws a machine and assigns ids to its offers.
    ///
    /// The order of the rows decides which random number each member gets.
    pub fn draw(commission: &Commission<'_>, ids: &mut Ids) {
        let Commission { figures, host, order, .. } = commission;
        let now = order.now;
        let rng = &mut Rng::keyed(commission.seed, Purpose::Machine, commission.serial);
        let shares = &figures.spread.shares;
        let model = choose_model(commission, rng);
        let card = &figures.gpus[model];
        let gpus = choose_size(card, commission, rng);
        let anchor = order.wish.is_some();
        let new = !anchor && rng.chance(shares.new_machine);
        let (driver_version, cuda_max_good) = choose_driver(figures, card, rng);
        let (processor, cpu_cores) = choose_processor(&figures.spread.processors, figures, card, gpus, rng);
        let cpu_ram = unsigned(figures.spread.ram_per_gpu.draw(rng) * f64::from(gpus));
        let disk_space = rounded(figures.spread.disk_per_gpu.draw(rng) * f64::from(gpus), 1);
        let network = |rng: &mut Rng| (host.network_level + rng.between(-0.08, 0.08)).clamp(0.0, 1.0);
        let price_roll = rng.unit();
        let bid_ratio = choose_bid_ratio(card, shares, rng);
        let (ask, bid_ask) = prices(card, host, price_roll, bid_ratio);
        // Consumer boards have too few lanes for seven cards with sixteen each.
        let lanes: u8 = if gpus > 6 && !card.server { 8 } else { 16 };
        // Server cards and those of the newest generation (compute capability 12.0) are PCIe 5; older ones
        // stand in older boards.
        let pci_gen = if card.server || card.capability >= 1200 {
            5.0
        } else {
            [3.0, 4.0, 4.0][rng.index(3)]
        };
        let (listed, end) = if order.arriving {
            (now, now)
        } else {
            (now - since_midnight(now), now + until_midnight(now))
        };
        let end_date = end
            + figures
                .spread
                .duration_days
                .draw(rng)
                .max(if anchor { 60.0 } else { 0.1 })
                * 86_400.0;
        let machine_id = ids.machine;
        ids.machine += 1 + rng.below(120);
        ids.gpu += u64::from(gpus) + rng.below(9);
    }

    id: u64 = machine_id;
    host: Arc<Host> = Arc::clone(host);
    /// Index into the GPU models of the figures.
    model: usize = model;
    /// Memory of a card, MB.
    ///
    /// One model name is sold with several sizes: an RTX 4090 has 24, 48 or 23 GB.
    gpu_ram: u64 = choose_vram(card, anchor, rng);
    gpus: u32 = gpus;
    gpu_ids: Vec<u64> = (0..u64::from(gpus)).map(|card| ids.gpu + card).collect();
    /// The number of GPUs rented to others: offers of more than the rest cannot be rented.
    occupied: u32 = if anchor { 0 } else { choose_occupied(gpus, shares, rng) };
    // A machine is listed once for every power of two of its GPUs, each with an id of its own.
    slices: Vec<Slice> = issue_slices(chunks(gpus), ids, rng);
    /// Whether it was listed recently: few measurements yet, no location, lowest scores.
    new: bool = new;
    /// Whether it stays for as long as the market runs, so that common searches always find something.
    anchor: bool = anchor;
    verification: Verification = match host.verification {
        _ if new => Verification::Unverified,
        verdict if anchor || rng.chance(0.85) => verdict,
        _ => Verification::draw(shares, rng),
    };
    /// Whether its virtual machines failed the check.
    vm_deverified: bool = rng.chance(shares.vm_deverified);
    /// Whether virtual machines can be rented.
    vms_enabled: bool = card.server && rng.chance(0.4);
    /// Whether it belongs to another market; `None` if unknown.
    ///
    /// Mostly null on the market, which the filter `external=false` lets pass.
    external: Option<bool> = rng.chance(shares.external).then(|| rng.chance(0.7));
    /// Whether the caller rents it.
    rented_by_caller: bool = !anchor && rng.chance(shares.rented_by_caller);
    reliability: f64 = if new {
        0.6
    } else {
        let drawn = figures.spread.reliability.draw(rng);
        rounded(if anchor { drawn.max(0.9871) } else { drawn }, 7)
    };
    cuda_max_good: f64 = cuda_max_good;
    /// The driver version as the market prints it, in two or three parts.
    driver_version: String = driver_version;
    /// Index into the Ubuntu versions of the figures.
    os: usize = rng.weighted(figures.spread.os.iter().map(|(_, weight)| *weight));
    /// Index into the boards of the figures; `None` if unknown.
    board: Option<usize> = (!rng.chance(shares.board_unknown))
        .then(|| rng.weighted(figures.spread.boards.iter().map(|(_, weight)| *weight)));
    /// Index into the disks of the figures.
    disk_name: usize = rng.weighted(figures.spread.disks.iter().map(|(_, weight)| *weight));
    /// Index into the processors of the figures.
    processor: usize = processor;
    cpu_cores: u32 = cpu_cores;
    cpu_ghz: f64 = figures.spread.processors.get(processor).map_or(0.0, |cpu| cpu.ghz);
    cpu_ram: u64 = cpu_ram;
    /// Whether the processor has AVX.
    ///
    /// AVX is an extension of x86.
    has_avx: bool = !card.arm && !rng.chance(shares.no_avx);
    disk_space: f64 = disk_space;
    disk_bw: f64 = rounded(figures.spread.disk_bandwidth.draw(rng), 1);
    inet_down: f64 = rounded(figures.spread.inet_down.at(network(rng)), 1);
    inet_up: f64 = rounded(figures.spread.inet_up.at(network(rng)), 1);
    ports: u32 = u32::try_from(whole(figures.spread.ports_per_machine.draw(rng))).unwrap_or(12);
    /// Whether the IP address is static.
    static_ip: bool = rng.chance(shares.static_ip);
    public_ipaddr: String = address(commission.serial, rng);
    pci_gen: f64 = pci_gen;
    /// Number of `PCIe` lanes per GPU.
    gpu_lanes: u8 = lanes;
    pcie_bw: f64 = rounded(pci_gen * f64::from(lanes) * rng.between(0.6, 0.687), 1);
    // A link needs two cards.
    bw_nvlink: f64 = if gpus > 1 { card.nvlink } else { 0.0 };
    gpu_mem_bw: f64 = rounded(card.bandwidth * rng.between(0.985, 1.0), 1);
    gpu_max_power: f64 = (card.watts * if rng.chance(0.2) { 0.8 } else { 1.0 }).round();
    /// Temperature of the hottest GPU in °C.
    gpu_max_temp: f64 = figures.spread.temperature.draw(rng).round();
    /// Whether a GPU drives a display.
    gpu_display_active: bool = !card.server && rng.chance(0.08);
    dlperf: f64 = if new {
        0.9
    } else {
        card.dlperf * rng.between(0.88, 1.12)
    };
    /// The separate offer of its disk; `None` if it has none.
    local_volume: Option<LocalVolume> = (!rng.chance(shares.local_volume_unknown)).then(|| LocalVolume {
        id: ids.next_offer(rng),
        size: disk_space * rng.between(0.2, 0.9),
    });
    /// The position of its price among its host's prices for such GPUs, 0 to 1.
    price_roll: f64 = price_roll;
    /// The lowest bid divided by the price.
    bid_ratio: f64 = bid_ratio;
    /// The host's price, $ per GPU and hour.
    ask: f64 = ask;
    /// The lowest bid, $ per GPU and hour.
    bid_ask: f64 = bid_ask;
    /// The time it was listed, in seconds since 1970; `None` if unknown.
    start_date: Option<f64> = (!rng.chance(shares.start_unknown)).then(|| {
        listed
            - if order.arriving && new {
                0.0
            } else {
                rng.between(0.05, 400.0) * 86_400.0
            }
    });
    /// The time its offers end, in seconds since 1970.
    end_date: f64 = end_date;
}

impl Machine {
    /// Whether the caller is its host.
    pub fn is_users(&self) -> bool {
        self.host.id == USER
    }

    /// The number of its GPUs that are not rented to others.
    pub fn free(&self) -> u32 {
        self.gpus.saturating_sub(self.occupied)
    }

    /// Gives its offers new ids, as after a change of its terms; their numbers of GPUs stay.
    pub fn reissue(&mut self, ids: &mut Ids, rng: &mut Rng) {
        for slice in &mut self.slices {
            slice.id = ids.next_offer(rng);
        }
    }

    /// Splits the machine into other offers, all with new ids: those of [`chunks`] from a random smallest one
    /// on, which has another number of GPUs than now. No effect on a machine of one GPU.
    pub fn resplit(&mut self, ids: &mut Ids, rng: &mut Rng) {
        let least = self.slices.first().map_or(1, |slice| slice.gpus);
        let larger: Vec<u32> = chunks(self.gpus).filter(|chunk| *chunk != least).collect();
        if let Some(least) = larger.get(rng.index(larger.len())) {
            self.slices = issue_slices(chunks(self.gpus).filter(|chunk| chunk >= least), ids, rng);
        }
    }

    /// Whether it has fewer offers than at first, when it had those of [`chunks`].
    pub fn is_resplit(&self) -> bool {
        self.slices.len() < chunks(self.gpus).count()
    }

    /// Restores the original split, with new ids.
    pub fn join(&mut self, ids: &mut Ids, rng: &mut Rng) {
        self.slices = issue_slices(chunks(self.gpus), ids, rng);
    }
}

/// Changes the price of a machine, mostly by some percent, within its host's range for such GPUs; at times
/// also the ratio of its lowest bid to the price.
pub fn reprice(figures: &Figures, machine: &mut Machine, rng: &mut Rng) {
    let Some(card) = figures.gpus.get(machine.model) else {
        return;
    };
    let step = rng.between(0.05, 0.2);
    let wanted = machine.price_roll + if rng.chance(0.5) { step } else { -step };
    // Reflected at the ends, so that each price stays as frequent as originally.
    let turned = wanted.abs();
    machine.price_roll = if turned > 1.0 { 2.0 - turned } else { turned };
    if rng.chance(0.1) {
        machine.bid_ratio = choose_bid_ratio(card, &figures.spread.shares, rng);
    }
    (machine.ask, machine.bid_ask) = prices(card, &machine.host, machine.price_roll, machine.bid_ratio);
}

/// Draws a new number of GPUs of a machine that are rented to others; no effect on anchors.
pub fn relet(figures: &Figures, machine: &mut Machine, rng: &mut Rng) {
    if !machine.anchor {
        machine.occupied = choose_occupied(machine.gpus, &figures.spread.shares, rng);
    }
}

/// Draws the number of GPUs rented to others: mostly 0, else from 1 to all of them.
fn choose_occupied(gpus: u32, shares: &Shares, rng: &mut Rng) -> u32 {
    if rng.chance(1.0 - shares.occupied * 1.8) {
        0
    } else {
        1 + draw_below(gpus, rng)
    }
}

/// A random number below `bound`; 0 if `bound` is 0.
fn draw_below(bound: u32, rng: &mut Rng) -> u32 {
    u32::try_from(rng.below(u64::from(bound))).unwrap_or(0)
}

/// The index of the GPU model: the ordered one, else a draw by the number of machines seen with each. Hosts
/// that have only data centre GPUs draw among those, others draw them less often.
fn choose_model(commission: &Commission<'_>, rng: &mut Rng) -> usize {
    let gpus = &commission.figures.gpus;
    if let Some(wish) = commission.order.wish {
        return gpus.iter().position(|card| card.name == wish.model).unwrap_or(0);
    }
    if let Some((model, _)) = commission.order.like {
        return model;
    }
    let only_server = commission.host.server_cards;
    rng.weighted(gpus.iter().map(|card| match (only_server, card.server) {
        (true, false) => 0.0,
        // Makes up for the GPUs that data centres take from the other hosts.
        (false, true) => card.machines * 0.35,
        _ => card.machines,
    }))
}

/// The number of GPUs: the ordered one, else a draw; 1 if that is split into more offers than wanted.
fn choose_size(card: &GpuModel, commission: &Commission<'_>, rng: &mut Rng) -> u32 {
    if let Some(wish) = commission.order.wish {
        return wish.gpus;
    }
    if let Some((_, gpus)) = commission.order.like {
        return gpus;
    }
    let drawn = pick(&card.sizes, rng).copied().unwrap_or(1);
    if chunks(drawn).count() > commission.order.room {
        1
    } else {
        drawn
    }
}

/// The memory of a GPU in MB: the usual size for an anchor, else a draw by weight.
fn choose_vram(card: &GpuModel, anchor: bool, rng: &mut Rng) -> u64 {
    let usual = card.vram.first().map_or(0, |(size, _)| *size);
    if anchor {
        usual
    } else {
        pick(&card.vram, rng).copied().unwrap_or(usual)
    }
}

/// The driver version and the newest CUDA version that it supports, 0 for AMD; at times the driver's own
/// number.
fn choose_driver(figures: &Figures, card: &GpuModel, rng: &mut Rng) -> (String, f64) {
    if card.amd {
        // ROCm has versions of its own, and no CUDA.
        return (["6.10.5", "6.12.12"][rng.index(2)].to_owned(), 0.0);
    }
    let Some(driver) = pick(&figures.spread.drivers, rng) else {
        return (String::new(), 0.0);
    };
    // On the market some rows carry the driver's version in place of CUDA's: a client must not read it as a
    // number of CUDA.
    let garbage = driver.starts_with("580.173") && rng.chance(figures.spread.shares.cuda_garbage);
    let cuda = if garbage { 580.173 } else { figures.cuda_of(driver) };
    (driver.clone(), cuda)
}

/// The processor (index and threads) of the right kind that is about closest to the GPUs' needs.
fn choose_processor(all: &[Processor], figures: &Figures, card: &GpuModel, gpus: u32, rng: &mut Rng) -> (usize, u32) {
    let wanted = figures.spread.cores_per_gpu.draw(rng) * f64::from(gpus);
    let server = card.server || wanted > 64.0;
    let mut best = (0, 4, f64::MAX);
    for (index, cpu) in all.iter().enumerate().filter(|(_, cpu)| cpu.server == server) {
        for sockets in 1..=cpu.sockets {
            let threads = cpu.threads * sockets;
            // A little noise spreads the choice over processors of the same size.
            let miss = (f64::from(threads) / wanted).ln().abs() + rng.between(0.0, 0.35);
            if miss < best.2 {
                best = (index, threads, miss);
            }
        }
    }
    (best.0, best.1)
}

/// The host's price in $ per GPU and hour, and its lowest bid, both in whole cents.
fn prices(card: &GpuModel, host: &Host, roll: f64, bid_ratio: f64) -> (f64, f64) {
    // Hosts are cheap or expensive with all of their machines, more than a single machine is.
    let level = (host.price_level * 0.6 + roll * 0.4).clamp(0.02, 0.98);
    let ask = whole_cents(card.price.at(level) * 0.75);
    (ask, whole_cents(ask * bid_ratio))
}

/// Draws the lowest bid divided by the on-demand price: often 1, at times above it, else below.
fn choose_bid_ratio(card: &GpuModel, shares: &Shares, rng: &mut Rng) -> f64 {
    let roll = rng.unit();
    // On the market one bid in ten is above the on-demand price, and many are equal to it.
    if roll < shares.min_bid_equal {
        1.0
    } else if roll < shares.min_bid_equal + shares.min_bid_above {
        card.bid.at(rng.between(0.9, 1.0)).clamp(1.02, 2.5)
    } else {
        card.bid.at(rng.between(0.0, 0.85)).min(1.0)
    }
}

/// An address in the range reserved for benchmarks (RFC 2544), which leads nowhere. A few have white space, as real
/// ones do.
fn address(serial: u64, rng: &mut Rng) -> String {
    let (high, low) = (serial / 250 % 512, serial % 250 + 1);
    let space = if rng.chance(0.01) { " " } else { "" };
    format!("198.{}.{}.{low}{space}", 18 + high / 256, high % 256)
}

/// The sizes of the offers of a machine: each power of two up to `gpus`, and `gpus` itself.
pub fn chunks(gpus: u32) -> impl Iterator<Item = u32> {
    let whole = (!gpus.is_power_of_two()).then_some(gpus);
    (0..u32::BITS)
        .map(|exponent| 1_u32 << exponent)
        .take_while(move |chunk| *chunk <= gpus)
        .chain(whole)
}

/// An offer with a new id for each of these numbers of GPUs.
fn issue_slices(chunks: impl Iterator<Item = u32>, ids: &mut Ids, rng: &mut Rng) -> Vec<Slice> {
    chunks
        .map(|chunk| Slice {
            id: ids.next_offer(rng),
            bundle: rng.below(1 << 31),
            gpus: chunk,
        })
        .collect()
}

/// The fraction of a single GPU's score that each GPU in a group of `gpus` reaches.
pub fn scaling(gpus: u32) -> f64 {
    1.0 - 0.03 * f64::from(gpus).log2()
}

/// The part that `gpus` of a machine's `all` GPUs get of its `machine` cores or the like; it may be
/// fractional.
pub fn share_of(machine: u64, gpus: u32, all: u32) -> f64 {
    float(machine) * f64::from(gpus) / f64::from(all.max(1))
}
