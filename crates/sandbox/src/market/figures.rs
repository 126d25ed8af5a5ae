//! The figures from which the market is drawn, embedded in the program.

use serde::Deserialize;

use super::super::random::Rng;

const GPUS: &str = include_str!("../../assets/gpus.toml");
const MARKET: &str = include_str!("../../assets/market.toml");

/// The error for invalid embedded figures: a broken build, since they are part of the program.
#[derive(Debug, thiserror::Error)]
#[error("the sandbox's market figures cannot be read: {0}")]
pub struct FiguresError(String);

/// A GPU model. Sources and units are in `assets/gpus.toml`.
#[derive(Debug, Deserialize)]
pub struct GpuModel {
    /// The market's name of the model, such as `RTX 4090`.
    pub name: String,
    /// The weight: the number of machines seen with it.
    pub machines: f64,
    /// Memory sizes in MB, each with a weight.
    pub vram: Vec<(u64, f64)>,
    /// CUDA compute capability x 100.
    pub capability: i64,
    /// GPUs per machine, each with a weight.
    pub sizes: Vec<(u32, f64)>,
    /// Client price in $ per GPU and hour.
    pub price: FiveQuantiles,
    /// Lowest bid over on-demand price.
    pub bid: FiveQuantiles,
    /// Benchmark score of one GPU.
    pub dlperf: f64,
    pub tflops: f64,
    /// Memory bandwidth in GB/s.
    pub bandwidth: f64,
    /// Board power limit in watts.
    pub watts: f64,
    /// Whether it is a data centre GPU.
    #[serde(default)]
    pub server: bool,
    /// `NVLink` bandwidth in GB/s; 0 without `NVLink`.
    #[serde(default)]
    pub nvlink: f64,
    #[serde(default)]
    pub amd: bool,
    /// Whether its machines have ARM processors.
    #[serde(default)]
    pub arm: bool,
}

#[derive(Debug, Deserialize)]
pub struct Processor {
    /// The market's name of the processor.
    pub name: String,
    pub threads: u32,
    pub ghz: f64,
    /// Maximum number of sockets in a machine.
    pub sockets: u32,
    /// Whether it is used in data centres.
    pub server: bool,
}

/// Shares from 0 to 1, named in `assets/market.toml`.
#[derive(Debug, Deserialize)]
pub struct Shares {
    /// Share of machines with a static address.
    pub static_ip: f64,
    /// Share of offers whose lowest bid is the on-demand price.
    pub min_bid_equal: f64,
    /// Share of offers whose lowest bid is above it.
    pub min_bid_above: f64,
    /// Share of machines without a board name.
    pub board_unknown: f64,
    /// Share of machines without a start date.
    pub start_unknown: f64,
    /// Share of machines without a volume of their own.
    pub local_volume_unknown: f64,
    /// Share of machines that failed the check of their virtual machines.
    pub vm_deverified: f64,
    /// Share of machines with driver 580.173 that report it as their CUDA version.
    pub cuda_garbage: f64,
    /// Share of hosts whose machines are verified.
    pub verified: f64,
    /// Share of hosts whose machines lost their verification.
    pub deverified: f64,
    /// Share of hosts that are data centres.
    pub datacenter: f64,
    /// Share of recently listed machines.
    pub new_machine: f64,
    /// Share of machines that the caller rents.
    pub rented_by_caller: f64,
    pub occupied: f64,
    pub no_avx: f64,
    pub external: f64,
    /// Share of hosts that discount prepaid rentals.
    pub credit_discount: f64,
}

/// Everything except the GPUs. Sources and units are in `assets/market.toml`.
#[derive(Debug, Deserialize)]
pub struct Distributions {
    /// Locations such as `Texas, US`, each with a weight.
    pub locations: Vec<(String, f64)>,
    /// Driver versions, each with a weight.
    pub drivers: Vec<(String, f64)>,
    /// Major driver version and the newest CUDA it supports.
    pub cuda: Vec<(u64, f64)>,
    /// Machines per host, each with a weight.
    pub hosts: Vec<(u64, f64)>,
    /// Disk names, each with a weight.
    pub disks: Vec<(String, f64)>,
    /// Main boards, each with a weight.
    pub boards: Vec<(String, f64)>,
    /// Ubuntu versions, each with a weight.
    pub os: Vec<(String, f64)>,
    pub processors: Vec<Processor>,
    pub reliability: NineQuantiles,
    /// Days until the offer ends.
    pub duration_days: NineQuantiles,
    /// Download speed in Mbit/s.
    pub inet_down: NineQuantiles,
    /// Upload speed in Mbit/s.
    pub inet_up: NineQuantiles,
    /// Open ports per machine.
    pub ports_per_machine: NineQuantiles,
    pub cores_per_gpu: NineQuantiles,
    /// Main memory per GPU in MB.
    pub ram_per_gpu: NineQuantiles,
    /// Disk per GPU in GB.
    pub disk_per_gpu: NineQuantiles,
    /// Disk price in $ per GB and month.
    pub storage_cost: NineQuantiles,
    /// Traffic price in $ per GB.
    pub traffic_cost: NineQuantiles,
    /// Disk read rate in MB/s.
    pub disk_bandwidth: NineQuantiles,
    pub temperature: NineQuantiles,
    pub shares: Shares,
}

#[derive(Debug)]
pub struct Figures {
    pub gpus: Vec<GpuModel>,
    pub spread: Distributions,
}

impl Figures {
    /// Parses the embedded figures; an error means a broken build.
    pub fn load() -> Result<Self, FiguresError> {
        #[derive(Deserialize)]
        struct Gpus {
            models: Vec<GpuModel>,
        }
        let gpus: Gpus = toml::from_str(GPUS).map_err(|error| FiguresError(error.to_string()))?;
        let spread = toml::from_str(MARKET).map_err(|error| FiguresError(error.to_string()))?;
        Ok(Self {
            gpus: gpus.models,
            spread,
        })
    }

    /// The newest CUDA version that a driver supports; 0 if it is not in the table.
    pub fn cuda_of(&self, driver: &str) -> f64 {
        let major = driver.split('.').next().and_then(|part| part.parse().ok());
        self.spread
            .cuda
            .iter()
            .find(|(known, _)| Some(*known) == major)
            .map_or(0.0, |(_, cuda)| *cuda)
    }
}

/// Quantiles 1, 5, 10, 25, 50, 75, 90, 95 and 99 %.
#[derive(Debug, Deserialize)]
pub struct NineQuantiles([f64; 9]);

impl NineQuantiles {
    const AT: [f64; 9] = [0.01, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99];

    /// The quantile at `share` (0 to 1), interpolated linearly between the known ones and constant beyond
    /// them.
    pub fn at(&self, share: f64) -> f64 {
        interpolate(&Self::AT, &self.0, share)
    }

    /// A random value of the distribution.
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        self.at(rng.unit())
    }
}

/// Quantiles 5, 25, 50, 75 and 95 %.
#[derive(Debug, Deserialize)]
pub struct FiveQuantiles([f64; 5]);

impl FiveQuantiles {
    const AT: [f64; 5] = [0.05, 0.25, 0.50, 0.75, 0.95];

    /// The quantile at `share` (0 to 1), interpolated linearly between the known ones and constant beyond
    /// them.
    pub fn at(&self, share: f64) -> f64 {
        interpolate(&Self::AT, &self.0, share)
    }
}

/// The value at `share`, linear between the points `at`, which ascend, and constant beyond them; 0 without
/// points.
fn interpolate(at: &[f64], values: &[f64], share: f64) -> f64 {
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return 0.0;
    };
    let above = at.partition_point(|point| *point < share);
    if above == 0 {
        return *first;
    }
    match (at.get(above), values.get(above)) {
        (Some(right), Some(high)) => {
            let (left, low) = (at[above - 1], values[above - 1]);
            low + (high - low) * (share - left) / (right - left)
        }
        _ => *last,
    }
}

/// A random item of a list, each with a weight; `None` if the list is empty.
pub fn pick<'a, T>(list: &'a [(T, f64)], rng: &mut Rng) -> Option<&'a T> {
    let index = rng.weighted(list.iter().map(|(_, weight)| *weight));
    list.get(index).map(|(item, _)| item)
}
