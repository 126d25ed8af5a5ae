//! How fast a response of 10,000 offers is read, against what a plain program would do with it.
//!
//! The offers are the sandbox's, about 3 kB each with all the members that the public service sends.
//! `bourse` is the whole way from bytes to a listing: tolerant of a broken record, every member kept,
//! secrets looked for; `bourse, in pieces` also copies them, as the client does while they arrive. The others stop at the first mistake and keep what
//! they name: `all fields` is `serde_json::from_slice` into a structure of every member, `hot fields`
//! is `sonic-rs` into the members that the table and the filters use, `walk` adds up the bytes.

#![allow(missing_docs, reason = "criterion's macros make items without them")]
#![allow(dead_code, reason = "the fields of the structures are read, not used")]
#![allow(clippy::struct_field_names, reason = "the market's names")]

use std::hint::black_box;
use std::sync::Arc;

use bourse::domain::listing::Reader;
use bourse::domain::time::UnixTime;
use bourse::domain::{Listing, OFFERS};
use bourse::sandbox::market::{Market, MarketConfig, Terms};
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group};
use serde::Deserialize;

/// What a piece of a response holds that comes over loopback.
const PIECE: usize = 64 * 1024;

#[derive(Deserialize)]
struct Offers<T> {
    offers: Vec<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Charges {
    gpu_cost_per_hour: Option<f64>,
    disk_hour: Option<f64>,
    total_hour: Option<f64>,
    discount_total_hour: Option<f64>,
    discounted_total_per_hour: Option<f64>,
}

/// Every member of an offer.
#[derive(Deserialize)]
struct AllFields {
    id: Option<u64>,
    ask_contract_id: Option<u64>,
    bundle_id: Option<u64>,
    bundled_results: Option<()>,
    bw_nvlink: Option<f64>,
    compute_cap: Option<u64>,
    cpu_arch: Option<String>,
    cpu_cores: Option<u64>,
    cpu_cores_effective: Option<f64>,
    cpu_ghz: Option<f64>,
    cpu_name: Option<String>,
    cpu_ram: Option<u64>,
    credit_discount_max: Option<f64>,
    cuda_max_good: Option<f64>,
    direct_port_count: Option<u64>,
    disk_bw: Option<f64>,
    disk_name: Option<String>,
    disk_space: Option<f64>,
    dlperf: Option<f64>,
    dlperf_per_dphtotal: Option<f64>,
    dph_base: Option<f64>,
    dph_total: Option<f64>,
    dph_total_adj: Option<f64>,
    driver_vers: Option<u64>,
    driver_version: Option<String>,
    duration: Option<f64>,
    end_date: Option<f64>,
    expected_reliability: Option<f64>,
    external: Option<bool>,
    flops_per_dphtotal: Option<f64>,
    geolocation: Option<String>,
    geolocode: Option<u64>,
    gpu_arch: Option<String>,
    gpu_display_active: Option<bool>,
    gpu_frac: Option<f64>,
    gpu_ids: Option<Vec<u64>>,
    gpu_lanes: Option<u64>,
    gpu_max_power: Option<f64>,
    gpu_max_temp: Option<f64>,
    gpu_mem_bw: Option<f64>,
    gpu_name: Option<String>,
    gpu_ram: Option<u64>,
    gpu_total_ram: Option<u64>,
    has_avx: Option<u64>,
    host_id: Option<u64>,
    hosting_type: Option<u64>,
    hostname: Option<()>,
    inet_down: Option<f64>,
    inet_down_cost: Option<f64>,
    inet_up: Option<f64>,
    inet_up_cost: Option<f64>,
    internet_down_cost_per_tb: Option<f64>,
    internet_up_cost_per_tb: Option<f64>,
    is_bid: Option<bool>,
    is_vm_deverified: Option<bool>,
    logo: Option<String>,
    machine_id: Option<u64>,
    min_bid: Option<f64>,
    mobo_name: Option<String>,
    num_gpus: Option<u64>,
    os_version: Option<String>,
    pci_gen: Option<f64>,
    pcie_bw: Option<f64>,
    public_ipaddr: Option<String>,
    reliability: Option<f64>,
    reliability2: Option<f64>,
    reliability_mult: Option<f64>,
    rentable: Option<bool>,
    rented: Option<bool>,
    resource_type: Option<String>,
    rn: Option<u64>,
    score: Option<f64>,
    sla_sigma_x: Option<()>,
    sla_broker_rate: Option<()>,
    sla_r_claim: Option<f64>,
    start_date: Option<f64>,
    static_ip: Option<bool>,
    storage_cost: Option<f64>,
    storage_total_cost: Option<f64>,
    target_reliability: Option<f64>,
    time_remaining: Option<String>,
    time_remaining_isbid: Option<String>,
    total_flops: Option<f64>,
    verification: Option<String>,
    vericode: Option<u64>,
    vram_costperhour: Option<f64>,
    vms_enabled: Option<bool>,
    webpage: Option<()>,
    cluster_id: Option<u64>,
    avail_vol_ask_id: Option<u64>,
    avail_vol_dph: Option<f64>,
    avail_vol_size: Option<f64>,
    nw_disk_min_bw: Option<()>,
    nw_disk_max_bw: Option<()>,
    nw_disk_avg_bw: Option<()>,
    discount_rate: Option<f64>,
    discounted_hourly: Option<f64>,
    discounted_dph_total: Option<f64>,
    search: Option<Charges>,
    instance: Option<Charges>,
}

/// The members that the table, the filters and the prices use.
#[derive(Deserialize)]
struct HotFields {
    id: Option<u64>,
    bw_nvlink: Option<f64>,
    compute_cap: Option<u64>,
    cpu_arch: Option<String>,
    cpu_cores: Option<u64>,
    cpu_cores_effective: Option<f64>,
    cpu_ghz: Option<f64>,
    cpu_ram: Option<u64>,
    cuda_max_good: Option<f64>,
    direct_port_count: Option<u64>,
    disk_bw: Option<f64>,
    disk_name: Option<String>,
    disk_space: Option<f64>,
    dlperf: Option<f64>,
    dlperf_per_dphtotal: Option<f64>,
    dph_base: Option<f64>,
    dph_total: Option<f64>,
    driver_version: Option<String>,
    duration: Option<f64>,
    end_date: Option<f64>,
    external: Option<bool>,
    flops_per_dphtotal: Option<f64>,
    geolocation: Option<String>,
    gpu_arch: Option<String>,
    gpu_display_active: Option<bool>,
    gpu_frac: Option<f64>,
    gpu_lanes: Option<u64>,
    gpu_max_power: Option<f64>,
    gpu_max_temp: Option<f64>,
    gpu_mem_bw: Option<f64>,
    gpu_name: Option<String>,
    gpu_ram: Option<u64>,
    gpu_total_ram: Option<u64>,
    has_avx: Option<u64>,
    host_id: Option<u64>,
    hosting_type: Option<u64>,
    inet_down: Option<f64>,
    inet_down_cost: Option<f64>,
    inet_up: Option<f64>,
    inet_up_cost: Option<f64>,
    machine_id: Option<u64>,
    min_bid: Option<f64>,
    num_gpus: Option<u64>,
    os_version: Option<String>,
    pci_gen: Option<f64>,
    pcie_bw: Option<f64>,
    reliability: Option<f64>,
    rentable: Option<bool>,
    rented: Option<bool>,
    score: Option<f64>,
    static_ip: Option<bool>,
    storage_cost: Option<f64>,
    storage_total_cost: Option<f64>,
    total_flops: Option<f64>,
    verification: Option<String>,
    vms_enabled: Option<bool>,
    discounted_dph_total: Option<f64>,
    search: Option<Charges>,
}

/// A response with so many offers of the sandbox.
fn response(offers: usize) -> String {
    let config = MarketConfig {
        // The number of offers in a market only comes close to this.
        offers: offers + offers / 10 + 50,
        ..MarketConfig::default()
    };
    let market = Market::new(config).ok();
    let rows: Vec<String> = market
        .iter()
        .flat_map(|market| market.offers(Terms::default()))
        .take(offers)
        .filter_map(|row| serde_json::to_string(&row).ok())
        .collect();
    format!("{{\"offers\":[{}]}}", rows.join(","))
}

/// From a response in memory, which becomes part of the listing.
fn read(body: Vec<u8>) -> Option<Listing> {
    Listing::read(&OFFERS, String::from_utf8(body).ok()?, UnixTime::new(0.0)).ok()
}

/// From the pieces in which it arrives.
fn read_pieces(body: &[u8]) -> usize {
    let mut reader = Reader::new(&OFFERS, Arc::default(), UnixTime::new(0.0));
    reader.reserve(body.len());
    for piece in body.chunks(PIECE) {
        reader.push(piece);
    }
    reader.finish().map_or(0, |whole| whole.listing.len())
}

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reading");
    for offers in [64, 1000, 10_000] {
        let body = response(offers).into_bytes();
        group.throughput(Throughput::Elements(offers as u64));
        group.sample_size(if offers > 1000 { 20 } else { 100 });
        let mut bench = |name: &str, read: &dyn Fn(&[u8]) -> usize| {
            assert!(read(&body) >= offers, "{name} reads all {offers}");
            group.bench_function(BenchmarkId::new(name, offers), |bencher| {
                bencher.iter(|| read(&body));
            });
        };
        bench("walk", &|body| {
            let sum = |sum: usize, byte: &u8| sum.wrapping_add(usize::from(*byte));
            body.iter().fold(0, sum)
        });
        bench("bourse, in pieces", &read_pieces);
        bench("all fields", &|body| {
            serde_json::from_slice::<Offers<AllFields>>(body).map_or(0, |read| read.offers.len())
        });
        bench("hot fields", &|body| {
            sonic_rs::from_slice::<Offers<HotFields>>(body).map_or(0, |read| read.offers.len())
        });
        group.bench_function(BenchmarkId::new("bourse", offers), |bencher| {
            bencher.iter_batched(|| body.clone(), read, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, reading);

fn main() {
    // Copies are made whether or not they are read: they are not part of reading.
    const MOST: usize = 11;
    let times = std::env::var("READ_TIMES").ok();
    let Some(times) = times.and_then(|times| times.parse().ok()) else {
        benches();
        Criterion::default().configure_from_args().final_summary();
        return;
    };
    // Only this, for benches/instructions.
    let bodies = vec![response(1_000).into_bytes(); MOST];
    for body in bodies.into_iter().take(times) {
        black_box(read(body));
    }
}
