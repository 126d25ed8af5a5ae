//! Machine offers on the wire: every member of the specification, and those that the real service
//! adds.

use super::super::numbers::{float, unsigned};
use super::figures::Figures;
use super::host::client_price;
use super::machine::{Machine, Slice, scaling, share_of};
use super::price::{Charges, Quote, Tariff, Terms};
use super::record::{Nothing, record};
use crate::domain::{OfferType, Version};

record! {
    /// A machine offer (specification, "Machine offer"), in the service's order of members. Sizes are
    /// in GB, memory in MB; the network is in Mbit/s, disks in MB/s, buses in GB/s; prices are in $ per
    /// hour, per GB for traffic.
    pub struct OfferRow<'m> {
        id: u64,
        /// The same id under the service's older name.
        ask_contract_id: u64,
        bundle_id: u64,
        bundled_results: Nothing,
        bw_nvlink: f64,
        /// CUDA compute capability x 100.
        compute_cap: u64,
        cpu_arch: &'static str,
        cpu_cores: u32,
        /// Threads of the offer's share; sometimes fractional.
        cpu_cores_effective: f64,
        cpu_ghz: f64,
        cpu_name: &'m str,
        /// Memory of the offer's share, MB.
        cpu_ram: u64,
        /// Maximum discount for a prepaid rental, 0 to 1.
        credit_discount_max: f64,
        /// Newest CUDA version; occasionally a driver number by mistake.
        cuda_max_good: f64,
        /// Open ports of the offer's share.
        direct_port_count: u64,
        disk_bw: f64,
        disk_name: &'m str,
        /// Disk of the offer's share, GB.
        disk_space: f64,
        dlperf: f64,
        /// The score per dollar and hour.
        dlperf_per_dphtotal: f64,
        /// GPUs, $ per hour.
        dph_base: f64,
        /// GPUs and disk, $ per hour.
        dph_total: f64,
        /// GPUs, disk and some traffic, $ per hour.
        dph_total_adj: f64,
        /// Driver as a nine-digit number.
        driver_vers: u64,
        /// Driver; sometimes in two parts only.
        driver_version: &'m str,
        /// Seconds until the offer ends.
        duration: f64,
        /// When the offer ends, seconds since 1970.
        end_date: f64,
        /// Reliability that the service expects, 0 to 1.
        expected_reliability: f64,
        /// Whether the machine belongs to another market; mostly null.
        external: Option<bool>,
        /// TFLOPS per dollar and hour.
        flops_per_dphtotal: f64,
        /// Location; null for newly listed machines.
        geolocation: Option<&'m str>,
        /// A number derived from the country.
        geolocode: Option<u64>,
        /// Maker of the GPUs, lower case.
        gpu_arch: &'static str,
        /// Whether a GPU drives a display.
        gpu_display_active: bool,
        /// Share of the machine's GPUs.
        gpu_frac: f64,
        gpu_ids: &'m [u64],
        /// `PCIe` lanes of a GPU.
        gpu_lanes: u32,
        gpu_max_power: f64,
        /// Temperature of the hottest GPU in °C.
        gpu_max_temp: f64,
        /// Memory bandwidth of a GPU, GB/s.
        gpu_mem_bw: f64,
        gpu_name: &'m str,
        /// Memory of a GPU, MB.
        gpu_ram: u64,
        /// Memory of all GPUs, MB.
        gpu_total_ram: u64,
        /// 1 if the processor has AVX.
        has_avx: u32,
        host_id: u64,
        /// 1 for a data centre.
        hosting_type: u32,
        hostname: Nothing,
        inet_down: f64,
        inet_down_cost: f64,
        inet_up: f64,
        inet_up_cost: f64,
        /// Download, $ per 1024 GB.
        internet_down_cost_per_tb: f64,
        /// Upload, $ per 1024 GB.
        internet_up_cost_per_tb: f64,
        /// Whether the price is a bid price.
        is_bid: bool,
        /// Whether its virtual machines failed the check.
        is_vm_deverified: bool,
        logo: &'static str,
        machine_id: u64,
        /// Lowest bid, $ per hour.
        min_bid: f64,
        /// Main board, cut to 16 characters; sometimes null or nonsense.
        mobo_name: Option<&'m str>,
        num_gpus: u32,
        os_version: &'m str,
        pci_gen: f64,
        pcie_bw: f64,
        /// Address; sometimes surrounded by white space.
        public_ipaddr: &'m str,
        reliability: f64,
        reliability2: f64,
        /// The factor by which reliability enters the score, 0 to 1.
        reliability_mult: f64,
        /// Whether it can be rented now.
        rentable: bool,
        /// Whether the caller rents it.
        rented: bool,
        resource_type: &'static str,
        rn: u32,
        /// The market's ranking.
        score: f64,
        sla_sigma_x: Nothing,
        sla_broker_rate: Nothing,
        /// Sent by the service without documentation.
        sla_r_claim: f64,
        /// When the machine was listed, seconds since 1970; sometimes null.
        start_date: Option<f64>,
        /// Whether the IP address is static.
        static_ip: bool,
        /// Disk, $ per GB and month.
        storage_cost: f64,
        /// Disk, $ per hour for the allocation of the search.
        storage_total_cost: f64,
        /// Sent by the service without documentation.
        target_reliability: f64,
        time_remaining: &'static str,
        time_remaining_isbid: &'static str,
        total_flops: f64,
        verification: &'static str,
        /// The verification status as a number.
        vericode: u32,
        /// $ per GB of GPU memory and hour.
        vram_costperhour: f64,
        /// Whether virtual machines can be rented.
        vms_enabled: bool,
        webpage: Nothing,
        /// The cluster whose network volumes it can use.
        cluster_id: Option<u64>,
        /// Offer of the machine's disk as a volume; null together with the next two at times.
        avail_vol_ask_id: Option<u64>,
        /// Its price, $ per GB and hour.
        avail_vol_dph: Option<f64>,
        avail_vol_size: Option<f64>,
        /// Always null: machines have no network disk of their own.
        nw_disk_min_bw: Nothing,
        nw_disk_max_bw: Nothing,
        nw_disk_avg_bw: Nothing,
        /// What a prepaid rental saves, 0 to 1; null if the host gives no discount.
        discount_rate: Option<f64>,
        /// What it saves, $ per hour.
        discounted_hourly: f64,
        /// The discounted price, $ per hour.
        discounted_dph_total: f64,
        search: Charges,
        instance: Charges,
    }
}

/// The part of an offer's price that grows with its GPUs.
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

/// The service's ranking, approximately: a regression over recorded offers with an error of 9 %.
fn score(machine: &Machine, dlperf: f64, adjusted: f64, reliability_mult: f64) -> f64 {
    let network = -1.162 + 0.083 * machine.inet_down.ln() + 0.128 * machine.inet_up.ln();
    dlperf / adjusted * reliability_mult.powf(0.965) * network.exp()
}

/// An offer as a search with `terms` at `now` shows it.
#[expect(clippy::too_many_lines, reason = "one line for each of a record's members")]
pub fn row<'m>(
    figures: &'m Figures,
    codes: &super::geolocode::Codes,
    (machine, slice): (&'m Machine, &'m Slice),
    terms: Terms,
    now: f64,
) -> OfferRow<'m> {
    let card = &figures.gpus[machine.model];
    let spread = &figures.spread;
    let host = &machine.host;
    let tariff = tariff(machine, slice, now);
    let quote = Quote::of(&tariff, terms);
    let gpus = f64::from(slice.gpus);
    let dlperf = machine.dlperf * gpus * scaling(slice.gpus);
    let total_flops = card.tflops * gpus;
    let gpu_total_ram = machine.gpu_ram * u64::from(slice.gpus);
    // Approximately what recorded offers show.
    let reliability_mult = 1.0 / (1.0 + 10.0 * (1.0 - machine.reliability));
    // New machines have no location on the market.
    let location = (!machine.new).then(|| spread.locations[host.location].0.as_str());
    let share = |all: u64| share_of(all, slice.gpus, machine.gpus);
    let cards = usize::try_from(slice.gpus).unwrap_or(0).min(machine.gpu_ids.len());
    let volume = machine.local_volume.as_ref();
    OfferRow {
        id: slice.id,
        ask_contract_id: slice.id,
        bundle_id: slice.bundle,
        bundled_results: Nothing,
        bw_nvlink: if slice.gpus > 1 { machine.bw_nvlink } else { 0.0 },
        compute_cap: card.capability.unsigned_abs(),
        cpu_arch: if card.arm { "arm64" } else { "amd64" },
        cpu_cores: machine.cpu_cores,
        cpu_cores_effective: share(u64::from(machine.cpu_cores)),
        cpu_ghz: machine.cpu_ghz,
        cpu_name: if card.arm {
            "Neoverse-V2"
        } else {
            &spread.processors[machine.processor].name
        },
        cpu_ram: unsigned(share(machine.cpu_ram)),
        credit_discount_max: host.discount,
        cuda_max_good: machine.cuda_max_good,
        direct_port_count: unsigned(share(u64::from(machine.ports))),
        disk_bw: machine.disk_bw,
        disk_name: &spread.disks[machine.disk_name].0,
        disk_space: machine.disk_space * gpus / f64::from(machine.gpus.max(1)),
        dlperf,
        dlperf_per_dphtotal: dlperf / quote.total,
        dph_base: quote.base,
        dph_total: quote.total,
        dph_total_adj: quote.adjusted,
        driver_vers: Version::parse(&machine.driver_version).map_or(0, |version| version.code),
        driver_version: &machine.driver_version,
        duration: tariff.duration,
        end_date: machine.end_date,
        expected_reliability: machine.reliability * 0.999,
        external: machine.external,
        flops_per_dphtotal: total_flops / quote.total,
        geolocation: location,
        geolocode: (!machine.new).then(|| codes.of(host.location)),
        gpu_arch: if card.amd { "amd" } else { "nvidia" },
        gpu_display_active: machine.gpu_display_active,
        gpu_frac: gpus / f64::from(machine.gpus.max(1)),
        gpu_ids: &machine.gpu_ids[..cards],
        gpu_lanes: u32::from(machine.gpu_lanes),
        gpu_max_power: machine.gpu_max_power,
        gpu_max_temp: machine.gpu_max_temp,
        gpu_mem_bw: machine.gpu_mem_bw,
        gpu_name: &card.name,
        gpu_ram: machine.gpu_ram,
        gpu_total_ram,
        has_avx: u32::from(machine.has_avx),
        host_id: host.id,
        hosting_type: u32::from(host.datacenter),
        hostname: Nothing,
        inet_down: machine.inet_down,
        inet_down_cost: host.traffic_cost,
        inet_up: machine.inet_up,
        inet_up_cost: host.traffic_cost,
        internet_down_cost_per_tb: host.traffic_cost * 1024.0,
        internet_up_cost_per_tb: host.traffic_cost * 1024.0,
        is_bid: terms.rental == OfferType::Bid,
        is_vm_deverified: machine.vm_deverified,
        logo: "/static/logos/host.png",
        machine_id: machine.id,
        min_bid: tariff.min_bid,
        mobo_name: machine.board.map(|board| spread.boards[board].0.as_str()),
        num_gpus: slice.gpus,
        os_version: &spread.os[machine.os].0,
        pci_gen: machine.pci_gen,
        pcie_bw: machine.pcie_bw,
        public_ipaddr: &machine.public_ipaddr,
        reliability: machine.reliability,
        reliability2: machine.reliability,
        reliability_mult,
        rentable: slice.gpus <= machine.free(),
        // The GPUs that are missing for it are somebody's.
        rented: machine.rented_by_caller || slice.gpus > machine.free(),
        resource_type: "gpu",
        rn: 1,
        score: score(machine, dlperf, quote.adjusted, reliability_mult),
        sla_sigma_x: Nothing,
        sla_broker_rate: Nothing,
        sla_r_claim: machine.reliability,
        start_date: machine.start_date,
        static_ip: machine.static_ip,
        storage_cost: tariff.storage_cost,
        storage_total_cost: quote.storage,
        // The service applies this filter to the expected reliability: both are the same here.
        target_reliability: machine.reliability * 0.999,
        time_remaining: "",
        time_remaining_isbid: "",
        total_flops,
        verification: machine.verification.text(),
        vericode: u32::from(machine.verification.code()),
        vram_costperhour: quote.base / (float(gpu_total_ram) / 1024.0),
        vms_enabled: machine.vms_enabled,
        webpage: Nothing,
        cluster_id: host.cluster,
        avail_vol_ask_id: volume.map(|volume| volume.id),
        avail_vol_dph: volume.map(|_| tariff.storage_cost / super::price::HOURS_PER_MONTH),
        avail_vol_size: volume.map(|volume| volume.size),
        nw_disk_min_bw: Nothing,
        nw_disk_max_bw: Nothing,
        nw_disk_avg_bw: Nothing,
        discount_rate: quote.discount_rate,
        discounted_hourly: quote.discount,
        discounted_dph_total: quote.discounted,
        search: quote.running(),
        instance: quote.stopped(),
    }
}
