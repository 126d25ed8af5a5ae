//! The records of machine offers: every member of the specification, and those that the real service adds.

use bourse_domain::{OfferType, Version};

use super::super::numbers::{float, unsigned};
use super::figures::Figures;
use super::host::client_price;
use super::machine::{Machine, Slice, scaling, share_of};
use super::price::{Charges, Quote, Tariff, Terms};
use super::record::record;

/// The prices of an offer of a machine as clients see them, those of the GPUs in total.
fn tariff(machine: &Machine, slice: &Slice, now: f64) -> Tariff {
    let gpus = f64::from(slice.gpus);
    Tariff {
        on_demand: client_price(machine.ask) * gpus,
        min_bid: client_price(machine.bid_ask) * gpus,
        storage_cost: client_price(machine.host.storage_ask),
        inet_down_cost: machine.host.traffic_cost,
        discount: machine.host.discount,
        duration: machine.end_date - now,
    }
}

/// An approximation of the service's ranking, higher is better: a regression over recorded offers with an
/// error of 9 %. `adjusted` is the price with some traffic in $/h.
fn score(machine: &Machine, dlperf: f64, adjusted: f64, reliability_mult: f64) -> f64 {
    let network = -1.162 + 0.083 * machine.inet_down.ln() + 0.128 * machine.inet_up.ln();
    dlperf / adjusted * reliability_mult.powf(0.965) * network.exp()
}

record! {
    /// A machine offer (specification, "Machine offer"), in the service's order of members. Sizes are
    /// in GB, memory in MB; the network is in Mbit/s, disks in MB/s, buses in GB/s; prices are in $ per
    /// hour, per GB for traffic.
    pub struct OfferRow<'m>;

    /// An offer as a record of a search with `terms` at `now`.
    pub fn row(
        figures: &'m Figures,
        codes: &super::geolocode::Codes,
        listed: (&'m Machine, &'m Slice),
        terms: Terms,
        now: f64,
    ) {
        let (machine, slice) = listed;
        let card = &figures.gpus[machine.model];
        let spread = &figures.spread;
        let host = &machine.host;
        let tariff = tariff(machine, slice, now);
        let quote = Quote::new(&tariff, terms);
        let gpus = f64::from(slice.gpus);
        let dlperf = machine.dlperf * gpus * scaling(slice.gpus);
        let total_flops = card.tflops * gpus;
        let gpu_total_ram = machine.gpu_ram * u64::from(slice.gpus);
        // An approximation of recorded offers.
        let reliability_mult = 1.0 / (1.0 + 10.0 * (1.0 - machine.reliability));
        // New machines have no location on the market.
        let location = (!machine.new).then(|| spread.locations[host.location].0.as_str());
        let share = |all: u64| share_of(all, slice.gpus, machine.gpus);
        let cards = usize::try_from(slice.gpus).unwrap_or(0).min(machine.gpu_ids.len());
        let volume = machine.local_volume.as_ref();
    }

    id: u64 = slice.id;
    /// The id under the service's older name.
    ask_contract_id: u64 = slice.id;
    bundle_id: u64 = slice.bundle;
    bundled_results: Option<bool> = None;
    bw_nvlink: f64 = if slice.gpus > 1 { machine.bw_nvlink } else { 0.0 };
    /// CUDA compute capability x 100.
    compute_cap: u64 = card.capability.unsigned_abs();
    cpu_arch: &'static str = if card.arm { "arm64" } else { "amd64" };
    cpu_cores: u32 = machine.cpu_cores;
    /// Threads of the offer's share; sometimes fractional.
    cpu_cores_effective: f64 = share(u64::from(machine.cpu_cores));
    cpu_ghz: f64 = machine.cpu_ghz;
    cpu_name: &'m str = if card.arm { "Neoverse-V2" } else { &spread.processors[machine.processor].name };
    /// Memory of the offer's share, MB.
    cpu_ram: u64 = unsigned(share(machine.cpu_ram));
    /// Maximum discount for a prepaid rental, 0 to 1.
    credit_discount_max: f64 = host.discount;
    /// Newest CUDA version; occasionally a driver number by mistake.
    cuda_max_good: f64 = machine.cuda_max_good;
    /// Open ports of the offer's share.
    direct_port_count: u64 = unsigned(share(u64::from(machine.ports)));
    disk_bw: f64 = machine.disk_bw;
    disk_name: &'m str = &spread.disks[machine.disk_name].0;
    /// Disk of the offer's share, GB.
    disk_space: f64 = machine.disk_space * gpus / f64::from(machine.gpus.max(1));
    dlperf: f64 = dlperf;
    /// The score per dollar and hour.
    dlperf_per_dphtotal: f64 = dlperf / quote.total;
    /// Price of the GPUs, $ per hour.
    dph_base: f64 = quote.base;
    /// Price of GPUs and disk, $ per hour.
    dph_total: f64 = quote.total;
    /// Price of GPUs, disk and some traffic, $ per hour.
    dph_total_adj: f64 = quote.adjusted;
    /// Driver version as a nine-digit number.
    driver_vers: u64 = Version::parse(&machine.driver_version).map_or(0, |version| version.code);
    /// Driver version; sometimes in two parts only.
    driver_version: &'m str = &machine.driver_version;
    /// Seconds until the offer ends.
    duration: f64 = tariff.duration;
    /// The time the offer ends, seconds since 1970.
    end_date: f64 = machine.end_date;
    /// Reliability that the service expects, 0 to 1.
    expected_reliability: f64 = machine.reliability * 0.999;
    /// Whether the machine belongs to another market; mostly null.
    external: Option<bool> = machine.external;
    /// TFLOPS per dollar and hour.
    flops_per_dphtotal: f64 = total_flops / quote.total;
    /// Location; null for newly listed machines.
    geolocation: Option<&'m str> = location;
    /// A number derived from the country.
    geolocode: Option<u64> = (!machine.new).then(|| codes.code(host.location));
    /// Maker of the GPUs, lower case.
    gpu_arch: &'static str = if card.amd { "amd" } else { "nvidia" };
    /// Whether a GPU drives a display.
    gpu_display_active: bool = machine.gpu_display_active;
    /// Share of the machine's GPUs, 0 to 1.
    gpu_frac: f64 = gpus / f64::from(machine.gpus.max(1));
    gpu_ids: &'m [u64] = &machine.gpu_ids[..cards];
    /// Number of `PCIe` lanes per GPU.
    gpu_lanes: u32 = u32::from(machine.gpu_lanes);
    gpu_max_power: f64 = machine.gpu_max_power;
    /// Temperature of the hottest GPU in °C.
    gpu_max_temp: f64 = machine.gpu_max_temp;
    /// Memory bandwidth of a GPU, GB/s.
    gpu_mem_bw: f64 = machine.gpu_mem_bw;
    gpu_name: &'m str = &card.name;
    /// Memory of a GPU, MB.
    gpu_ram: u64 = machine.gpu_ram;
    /// Memory of all GPUs, MB.
    gpu_total_ram: u64 = gpu_total_ram;
    /// 1 if the processor has AVX.
    has_avx: u32 = u32::from(machine.has_avx);
    host_id: u64 = host.id;
    /// 1 for a data centre.
    hosting_type: u32 = u32::from(host.datacenter);
    hostname: Option<bool> = None;
    inet_down: f64 = machine.inet_down;
    inet_down_cost: f64 = host.traffic_cost;
    inet_up: f64 = machine.inet_up;
    inet_up_cost: f64 = host.traffic_cost;
    /// Download price, $ per 1024 GB.
    internet_down_cost_per_tb: f64 = host.traffic_cost * 1024.0;
    /// Upload price, $ per 1024 GB.
    internet_up_cost_per_tb: f64 = host.traffic_cost * 1024.0;
    /// Whether the price is a bid price.
    is_bid: bool = terms.rental == OfferType::Bid;
    /// Whether its virtual machines failed the check.
    is_vm_deverified: bool = machine.vm_deverified;
    logo: &'static str = "/static/logos/host.png";
    machine_id: u64 = machine.id;
    /// Lowest bid, $ per hour.
    min_bid: f64 = tariff.min_bid;
    /// Main board, cut to 16 characters; sometimes null or nonsense.
    mobo_name: Option<&'m str> = machine.board.map(|board| spread.boards[board].0.as_str());
    num_gpus: u32 = slice.gpus;
    os_version: &'m str = &spread.os[machine.os].0;
    pci_gen: f64 = machine.pci_gen;
    pcie_bw: f64 = machine.pcie_bw;
    /// The IP address; sometimes surrounded by white space.
    public_ipaddr: &'m str = &machine.public_ipaddr;
    reliability: f64 = machine.reliability;
    reliability2: f64 = machine.reliability;
    /// The factor by which reliability enters the score, 0 to 1.
    reliability_mult: f64 = reliability_mult;
    /// Whether it can be rented now.
    rentable: bool = slice.gpus <= machine.free();
    /// Whether the caller rents it.
    ///
    /// GPUs that are missing for it are rented by others.
    rented: bool = machine.rented_by_caller || slice.gpus > machine.free();
    resource_type: &'static str = "gpu";
    rn: u32 = 1;
    /// The market's ranking.
    score: f64 = score(machine, dlperf, quote.adjusted, reliability_mult);
    sla_sigma_x: Option<bool> = None;
    sla_broker_rate: Option<bool> = None;
    /// Reliability; sent by the service without documentation.
    sla_r_claim: f64 = machine.reliability;
    /// The time the machine was listed, seconds since 1970; sometimes null.
    start_date: Option<f64> = machine.start_date;
    /// Whether the IP address is static.
    static_ip: bool = machine.static_ip;
    /// Disk price, $ per GB and month.
    storage_cost: f64 = tariff.storage_cost;
    /// Disk price, $ per hour for the allocation of the search.
    storage_total_cost: f64 = quote.storage;
    /// Reliability; sent by the service without documentation.
    ///
    /// The service applies this filter to the expected reliability: both are the same here.
    target_reliability: f64 = machine.reliability * 0.999;
    time_remaining: &'static str = "";
    time_remaining_isbid: &'static str = "";
    total_flops: f64 = total_flops;
    verification: &'static str = machine.verification.text();
    /// The verification status as a number.
    vericode: u32 = u32::from(machine.verification.code());
    /// Price per GB of GPU memory, $ per hour.
    vram_costperhour: f64 = quote.base / (float(gpu_total_ram) / 1024.0);
    /// Whether virtual machines can be rented.
    vms_enabled: bool = machine.vms_enabled;
    webpage: Option<bool> = None;
    /// The cluster whose network volumes it can use.
    cluster_id: Option<u64> = host.cluster;
    /// The id of the machine's disk as a volume offer; null together with the next two at times.
    avail_vol_ask_id: Option<u64> = volume.map(|volume| volume.id);
    /// The price of that volume, $ per GB and hour.
    avail_vol_dph: Option<f64> = volume.map(|_| tariff.storage_cost / super::price::HOURS_PER_MONTH);
    avail_vol_size: Option<f64> = volume.map(|volume| volume.size);
    /// Always null: machines have no network disk of their own.
    nw_disk_min_bw: Option<bool> = None;
    nw_disk_max_bw: Option<bool> = None;
    nw_disk_avg_bw: Option<bool> = None;
    /// The discount for a prepaid rental, 0 to 1; null if the host gives none.
    discount_rate: Option<f64> = quote.discount_rate;
    /// The discount, $ per hour.
    discounted_hourly: f64 = quote.discount;
    /// The discounted price, $ per hour.
    discounted_dph_total: f64 = quote.discounted;
    search: Charges = quote.running();
    instance: Charges = quote.stopped();
}
