//! Machine offers: every member of the record and all 34 documented filter parameters
//! (specification, "Machine offer" and "Search offers"), members and parameters that only the
//! public service has, and filters that read a member of another name.

use super::{count, in_sections};
use crate::field::{Field, Kind, Section, Source, Unit};

#[rustfmt::skip]
const ARCHITECTURES: &[&str] = &["nvidia", "amd"];
#[rustfmt::skip]
const CPU_ARCHITECTURES: &[&str] = &["amd64", "arm64"];
#[rustfmt::skip]
const VERIFICATIONS: &[&str] = &["verified", "unverified", "deverified"];
#[rustfmt::skip]
const UBUNTU: &[&str] = &["24.04", "22.04", "20.04"];
#[rustfmt::skip]
const COUNTRIES: &[&str] = &[
    "US", "CA", "CZ", "KR", "VN", "JP", "CN", "HU", "IS", "BG", "TW", "GB", "DE", "ES", "NO", "SE",
    "PL", "IE", "NL", "HK", "IT", "DK", "AU", "FR", "IN", "RO", "EE", "FI", "UA", "AT", "BR", "IL",
];
#[rustfmt::skip]
const MODELS: &[&str] = &[
    "RTX 5090", "RTX 4090", "RTX 3090", "RTX 5080", "RTX 5070 Ti", "RTX 4090D", "RTX 4080",
    "RTX 4070S Ti", "RTX 3060", "RTX PRO 6000 WS", "RTX PRO 6000 S", "RTX A6000", "RTX 6000Ada",
    "L40S", "L40", "A40", "A100 SXM4", "A100 PCIE", "H100 SXM", "H100 NVL", "H100 PCIE", "H200",
    "H200 NVL", "B200", "MI300X",
];

#[rustfmt::skip] // a table reads as a table
const SECTIONS: &[(Section, &[Field])] = &[
    (Section::Identity, &[
        Field::id("id", "ID").also(&["offer_id", "offer"]).market_filter().column(1, 9, 4).never_recorded()
            .doc("The id you rent by."),
        Field::id("ask_contract_id", "Ask ID").never_recorded()
            .doc("Id of the ask behind the offer; the same as the offer's id where both are reported."),
        Field::id("bundle_id", "Bundle").never_recorded().doc("Identical offers are grouped under one bundle id."),
        Field::id("machine_id", "Machine").also(&["machine"]).market_filter().column(21, 8, 150).derived()
            .doc("Machine id; offers that slice one machine share it."),
        Field::id("host_id", "Host").also(&["host"]).documented_filter().column(22, 8, 160)
            .doc("Id of the host who owns the machine."),
        Field::integer("hosting_type", "Hosting").doc("0 for a private host, 1 for a datacenter."),
        Field::flag("datacenter", "Datacenter").market_filter().also(&["dc"])
            .filter_only(Source::NumberIs("hosting_type", 1)).doc("Only machines in a datacenter (hosting type 1)."),
        Field::text("resource_type", "Resource").doc("Kind of resource on offer."),
        Field::text("hostname", "Host name").never_recorded().doc("Machine name, if the host sets one."),
        Field::text("webpage", "Web page").never_recorded().doc("The host's website, if there is one."),
        Field::text("logo", "Logo").never_recorded().doc("Relative path of the machine's logo."),
        Field::flag("external", "External").market_filter()
            .doc("Whether the offer comes from outside the market; empty counts as no."),
    ]),
    (Section::Price, &[
        Field::hourly("dph_total", "$/h").also(&["dph", "price", "dphtotal", "cost"]).market_filter().column(2, 9, 2)
            .places(4).less_is_better().derived()
            .doc("Price per hour for GPUs and allocated storage, without traffic; after the discount for reserved \
                offers."),
        Field::hourly("dph_base", "GPU $/h").places(4).less_is_better()
            .doc("Price per hour for the GPUs alone, before discounts; the bid floor in bid searches."),
        // In recorded offers the price plus 1 GB of traffic each way per hour: not a bill.
        Field::hourly("dph_total_adj", "Adjusted $/h").places(4).width(12).less_is_better().never_recorded()
            .doc("Price per hour with the market's rough allowance for traffic, used for ranking, not billing."),
        // In bid searches `dph_base` equals it on every row.
        Field::hourly("min_bid", "Bid floor").also(&["bid"]).market_filter().places(4).less_is_better()
            .doc("Lowest hourly bid that wins the offer as an interruptible instance."),
        Field::number("discount_rate", "Discount", Unit::Ratio).zero_is_none()
            .doc("Current discount, as a share of the price."),
        Field::number("credit_discount_max", "Max discount", Unit::Ratio).width(12)
            .doc("Largest discount for prepaying."),
        Field::hourly("discounted_hourly", "Saved $/h").places(4).zero_is_none().more_is_better().never_recorded()
            .doc("Amount the discount saves per hour."),
        // Recorded of reserved offers without storage: two rounded prices are subtracted.
        Field::hourly("discounted_dph_total", "Discounted $/h").width(14).places(4).less_is_better().wavering(2e-6)
            .doc("Price per hour after discounts; in a search for reserved instances, their price."),
        // Sources disagree on its formula, so nothing is computed from it.
        Field::hourly("vram_costperhour", "Quoted VRAM $/GB/h").places(5).width(18).less_is_better().never_recorded()
            .doc("Price per hour per GB of GPU memory, as reported; sources disagree on the formula."),
        Field::number("dlperf_per_dphtotal", "DLP/$", Unit::DlperfPerDollar).also(&["dlperf_usd", "dlp_usd"])
            .documented_filter().column(8, 8, 30).places(1).more_is_better().derived()
            .doc("Deep learning performance per dollar per hour; changes with the allocated storage."),
        Field::number("flops_per_dphtotal", "TFLOPS/$", Unit::TeraflopsPerDollar).also(&["flops_usd"]).market_filter()
            .places(1).more_is_better().derived().doc("Teraflops per dollar per hour."),
        Field::hourly("search.gpuCostPerHour", "Running: GPU").width(14).nested("search", "gpuCostPerHour").places(4)
            .less_is_better().never_recorded().doc("Price per hour while running, GPUs only."),
        Field::hourly("search.diskHour", "Running: disk").width(14).nested("search", "diskHour").places(5)
            .less_is_better().never_recorded().doc("Price per hour while running, storage only."),
        Field::hourly("search.totalHour", "Running: total").width(14).nested("search", "totalHour").places(4)
            .less_is_better().never_recorded().doc("Price per hour while running."),
        Field::hourly("search.discountTotalHour", "Running: discount").width(17).nested("search", "discountTotalHour")
            .places(4).zero_is_none().more_is_better().never_recorded()
            .doc("Amount the discount saves per hour while running."),
        Field::hourly("search.discountedTotalPerHour", "Running: discounted").width(19)
            .nested("search", "discountedTotalPerHour").places(4).less_is_better().never_recorded()
            .doc("Price per hour while running, after the discount."),
        Field::hourly("instance.gpuCostPerHour", "Stopped: GPU").width(14).nested("instance", "gpuCostPerHour")
            .places(4).less_is_better().never_recorded().doc("Price per hour while stopped, GPUs only."),
        Field::hourly("instance.diskHour", "Stopped: disk").width(14).nested("instance", "diskHour").places(5)
            .less_is_better().never_recorded()
            .doc("Price per hour while stopped, storage only: a stopped instance still pays it."),
        Field::hourly("instance.totalHour", "Stopped: total").width(14).nested("instance", "totalHour").places(5)
            .less_is_better().never_recorded().doc("Price per hour while stopped."),
        Field::hourly("instance.discountTotalHour", "Stopped: discount").width(17)
            .nested("instance", "discountTotalHour").places(4).zero_is_none().more_is_better().never_recorded()
            .doc("Amount the discount saves per hour while stopped."),
        Field::hourly("instance.discountedTotalPerHour", "Stopped: discounted").width(19)
            .nested("instance", "discountedTotalPerHour").places(5).less_is_better().never_recorded()
            .doc("Price per hour while stopped, after the discount."),
        // The ranking has a random component.
        Field::number("score", "Score", Unit::None).places(1).more_is_better().noisy(0.1)
            .doc("The market's ranking: performance for the adjusted price, reliability and network."),
        Field::flag("is_bid", "Bid").doc("Whether this record's prices are bid prices."),
    ]),
    (Section::Gpu, &[
        Field::integer("num_gpus", "N").also(&["gpus", "count"]).documented_filter().range(1.0, 64.0).column(3, 2, 1)
            .derived().doc("Number of GPUs in the offer."),
        Field::text("gpu_name", "GPU").also(&["gpu", "model"]).documented_filter().choices(MODELS).column(4, 16, 1)
            .derived().doc("GPU model: RTX 4090, H100 SXM."),
        Field::number("gpu_ram", "VRAM", Unit::Megabytes).also(&["vram"]).documented_filter()
            .range(1000.0, 2_000_000.0).column(5, 8, 8).more_is_better()
            .doc("Memory of one GPU. Cards report slightly less or more: a 24 GB card has 24564 MB, so >=24 finds it \
                and =24 does not."),
        Field::number("gpu_total_ram", "Total VRAM", Unit::Megabytes).also(&["gpu_totalram", "total_vram"])
            .documented_filter().range(1000.0, 20_000_000.0).width(10).more_is_better()
            .doc("Memory of all GPUs of the offer together."),
        Field::text("gpu_arch", "GPU maker").documented_filter().choices(ARCHITECTURES)
            .doc("Maker of the GPU: nvidia or amd."),
        Field::integer("compute_cap", "Compute cap.").also(&["capability"]).unit(Unit::Capability).documented_filter()
            .range(100.0, 2000.0).width(12).doc("CUDA compute capability times 100: 890 means 8.9."),
        // Depends on the clock rate, which varies.
        Field::number("total_flops", "TFLOPS", Unit::Teraflops).also(&["tflops"]).documented_filter().places(1)
            .more_is_better().noisy(0.02).doc("Teraflops of all GPUs together."),
        // Measured repeatedly; the market's runs differ by a percent or two.
        Field::number("dlperf", "DLPerf", Unit::Dlperf).documented_filter().column(7, 7, 40).places(1).more_is_better()
            .noisy(0.02).doc("The market's deep learning performance score for all GPUs of the offer."),
        Field::number("gpu_frac", "Share", Unit::Ratio).documented_filter().range(0.0, 1.0)
            .doc("The offer's share of the machine's GPUs."),
        Field::new("gpu_ids", "GPU ids", Kind::List).width(12)
            .doc("Ids of the GPUs in the offer; slices that share one overlap."),
        Field::integer("gpu_lanes", "PCIe lanes").more_is_better().doc("PCIe lanes of each GPU."),
        // Measured: runs differ by some percent.
        Field::number("gpu_mem_bw", "VRAM GB/s", Unit::GigabytesPerSecond).documented_filter().places(0)
            .more_is_better().noisy(0.05).doc("Memory bandwidth of a GPU."),
        // Measured: runs differ by some percent.
        Field::number("bw_nvlink", "NVLink GB/s", Unit::GigabytesPerSecond).also(&["nvlink"]).documented_filter()
            .places(0).width(11).more_is_better().noisy(0.05)
            .doc("NVLink bandwidth between the GPUs; 0 without NVLink."),
        Field::number("pci_gen", "PCIe gen", Unit::None).documented_filter().range(1.0, 7.0).more_is_better()
            .doc("PCIe generation."),
        // Measured: runs differ by some percent.
        Field::number("pcie_bw", "PCIe GB/s", Unit::GigabytesPerSecond).also(&["pcie"]).market_filter().places(1)
            .more_is_better().noisy(0.05).doc("Bandwidth between processor and GPU over PCIe."),
        Field::number("gpu_max_power", "Max watts", Unit::Watts).documented_filter().places(0).noisy(0.02)
            .doc("Power limit of a GPU."),
        // Changes with every load; only the rough level is of use later.
        Field::number("gpu_max_temp", "Hottest °C", Unit::Celsius).documented_filter().places(0).less_is_better()
            .wavering(5.0).doc("Temperature of the hottest GPU, as reported by the machine."),
        Field::flag("gpu_display_active", "Display").also(&["display_active"]).market_filter()
            .doc("Whether a display is attached to the GPU."),
    ]),
    (Section::Cpu, &[
        Field::text("cpu_name", "CPU").width(24).doc("Model of the processor."),
        Field::text("cpu_arch", "CPU arch.").documented_filter().choices(CPU_ARCHITECTURES)
            .doc("Processor architecture; amd64 is the documented default and only sent if you ask for it."),
        // Every slice reports the cores of the whole machine; its own are `cpu_cores_effective`.
        Field::integer("cpu_cores", "vCPUs").market_filter().more_is_better()
            .doc("Virtual CPUs of the machine."),
        Field::number("cpu_cores_effective", "vCPU", Unit::None).also(&["cores", "vcpus", "cpus"]).market_filter()
            .column(10, 6, 70)
            .more_is_better().doc("Virtual CPUs of the offer: its share of the machine."),
        Field::number("cpu_ghz", "CPU GHz", Unit::Gigahertz).documented_filter().places(1).range(0.1, 10.0)
            .more_is_better().noisy(0.02).doc("Clock speed of the processor."),
        // In recorded offers it grows in step with the GPUs, so it is the slice's own memory.
        // The kernel's share changes with a restart.
        Field::number("cpu_ram", "RAM", Unit::Megabytes).also(&["ram", "memory"]).documented_filter().column(11, 8, 60)
            .more_is_better().noisy(0.01).doc("RAM of the offer: its share of the machine."),
        Field::integer("has_avx", "AVX").market_filter().yes_no().doc("Whether the processor has AVX: 1 yes, 0 no."),
        Field::text("mobo_name", "Mainboard").also(&["motherboard"]).market_filter().width(18)
            .doc("Mainboard model, as reported by the machine."),
    ]),
    (Section::Disk, &[
        // Changes with the images and logs of the host.
        Field::number("disk_space", "Disk", Unit::Gigabytes).also(&["disk", "storage"]).market_filter()
            .column(12, 8, 65).more_is_better().noisy(0.01)
            .doc("Largest disk you can allocate: the offer's share of the machine."),
        // Measured: runs differ by some percent.
        Field::number("disk_bw", "Disk MB/s", Unit::MegabytesPerSecond).documented_filter().places(0).more_is_better()
            .noisy(0.05).doc("Read speed of the disk."),
        Field::text("disk_name", "Disk model").width(20).doc("Model of the disk."),
        Field::number("storage_cost", "$/GB/mo", Unit::DollarsPerGigabyteMonth).also(&["storage_price"])
            .documented_filter().column(13, 8, 90).places(3).less_is_better()
            .doc("Storage price per GB per month of 720 hours."),
        Field::hourly("storage_total_cost", "Storage $/h").places(5).width(11).less_is_better().derived()
            .doc("Price per hour of the allocated storage: storage price x GB / 720."),
        Field::id("avail_vol_ask_id", "Volume ask").never_recorded()
            .doc("Id of the machine's local volume offer, if there is one."),
        Field::number("avail_vol_size", "Volume GB", Unit::Gigabytes).more_is_better().noisy(0.01)
            .doc("Size of the local volume on offer."),
        Field::hourly("avail_vol_dph", "Volume $/GB/h").places(6).width(13).less_is_better()
            .doc("Price per hour of one GB of the local volume."),
        // Measured: runs differ by some percent.
        Field::number("nw_disk_min_bw", "Net disk min", Unit::MegabytesPerSecond).width(12).places(0).noisy(0.05)
            .doc("Slowest read speed of the network disk, if there is one."),
        Field::number("nw_disk_max_bw", "Net disk max", Unit::MegabytesPerSecond).width(12).places(0).noisy(0.05)
            .doc("Fastest read speed of the network disk, if there is one."),
        Field::number("nw_disk_avg_bw", "Net disk avg", Unit::MegabytesPerSecond).width(12).places(0).noisy(0.05)
            .doc("Average read speed of the network disk, if there is one."),
    ]),
    (Section::Network, &[
        // Measured over the internet, several times a day.
        Field::number("inet_down", "Down", Unit::Transfer).also(&["down", "download"]).documented_filter()
            .column(15, 7, 80).places(0).more_is_better().noisy(0.1)
            .doc("Download speed of the machine."),
        // Measured over the internet, several times a day.
        Field::number("inet_up", "Up", Unit::Transfer).also(&["up", "upload"]).documented_filter().column(14, 7, 85)
            .places(0).more_is_better().noisy(0.1)
            .doc("Upload speed of the machine."),
        Field::number("inet_down_cost", "Down $/GB", Unit::DollarsPerGigabyte).market_filter().places(5)
            .less_is_better().doc("Price per GB downloaded, billed in every state."),
        Field::number("inet_up_cost", "Up $/GB", Unit::DollarsPerGigabyte).market_filter().places(5).less_is_better()
            .doc("Price per GB uploaded, billed in every state."),
        Field::number("internet_down_cost_per_tb", "Down $/TB", Unit::DollarsPerTerabyte).places(2).less_is_better()
            .doc("Price per TB (1024 GB) downloaded."),
        Field::number("internet_up_cost_per_tb", "Up $/TB", Unit::DollarsPerTerabyte).places(2).less_is_better()
            .doc("Price per TB (1024 GB) uploaded."),
        Field::integer("direct_port_count", "Ports").also(&["ports"]).documented_filter().more_is_better()
            .doc("Ports that can be opened to the internet."),
        Field::flag("static_ip", "Static IP").documented_filter().doc("Whether the machine's IP address is static."),
        Field::text("public_ipaddr", "Address").width(15).never_recorded().doc("Public IP address of the machine."),
    ]),
    (Section::Trust, &[
        // Changes with every hour that a machine is up: filters need a tenth of a percent.
        Field::number("reliability", "Rel.", Unit::Ratio).also(&["rel"]).documented_filter().range(0.0, 1.0)
            .column(9, 6, 20).more_is_better().wavering(0.001)
            .doc("Reliability of the machine from 0 to 1; new machines start at 0.6."),
        Field::number("reliability2", "Rel. 2", Unit::Ratio).range(0.0, 1.0).more_is_better().wavering(0.001)
            .doc("Alternative name of the reliability; equal to it in real records."),
        Field::number("expected_reliability", "Expected rel.", Unit::Ratio).width(13).range(0.0, 1.0).more_is_better()
            .source(Source::Known("expected_reliability")).wavering(0.001)
            .doc("Reliability the market expects; 0 means unknown."),
        Field::number("reliability_mult", "Rel. factor", Unit::None).width(11).places(4).noisy(0.01)
            .doc("Factor by which reliability enters the score."),
        Field::number("target_reliability", "Target rel.", Unit::Ratio).width(11).market_filter().undocumented()
            .range(0.0, 1.0).more_is_better().source(Source::Known("target_reliability")).wavering(0.001)
            .doc("Target reliability of the machine; 0 means unknown."),
        // Rows carry `verification` instead.
        Field::flag("verified", "Verified").documented_filter().filter_only(Source::TextIs("verification", "verified"))
            .doc("Only machines verified by the market."),
        Field::text("verification", "Verification").market_filter().choices(VERIFICATIONS).column(17, 12, 100)
            .doc("Verification status: verified, unverified or deverified."),
        Field::integer("vericode", "Veri. code")
            .doc("Verification status as a code: 1 verified, 0 unverified, 4 and 8 deverified."),
        Field::flag("is_vm_deverified", "VM deverified").width(13)
            .doc("Whether the machine lost its verification for VMs."),
    ]),
    (Section::Availability, &[
        Field::flag("rentable", "Rentable").documented_filter().derived().doc("Whether the offer can be rented now."),
        // The public service does not filter by it: it is about the caller's own rentals.
        Field::flag("rented", "Rented").documented_filter().derived()
            .doc("Whether you already rent it; the public service ignores this filter."),
        Field::number("duration", "Left", Unit::Seconds).also(&["time_left", "days"]).documented_filter()
            .column(16, 7, 50).source(Source::TimeLeft("duration", "end_date")).more_is_better().derived()
            .doc("How long the offer can still be rented."),
        Field::new("start_date", "From", Kind::Epoch).width(16).doc("Start of the offer."),
        // If only the time left is sent, the end is computed from it, to some seconds.
        Field::new("end_date", "Until", Kind::Epoch).width(16).wavering(60.0).doc("End of the offer."),
        Field::text("time_remaining", "Remaining").never_recorded().doc("Time left of your rental, as text."),
        Field::text("time_remaining_isbid", "Bid remaining").width(13).never_recorded()
            .doc("Time left of your bid, as text."),
    ]),
    (Section::Place, &[
        // Some hosts omit the region (`, US`), so only the country code is compared.
        Field::new("geolocation", "Location", Kind::Country).also(&["country", "geo", "location"]).documented_filter()
            .choices(COUNTRIES).column(6, 14, 25)
            .doc("Where the machine is; filters compare the two-letter country code."),
        Field::integer("geolocode", "Country number").width(16)
            .doc("Numeric code that the service derives from the country."),
        Field::id("cluster_id", "Cluster").also(&["cluster"]).market_filter()
            .doc("Id of the machine's cluster; a network volume can be mounted within its cluster."),
    ]),
    (Section::Software, &[
        Field::number("cuda_max_good", "CUDA", Unit::None).also(&["cuda_vers", "cuda"]).documented_filter()
            .range(8.0, 20.0).column(18, 5, 110).places(1).more_is_better()
            .doc("Newest CUDA version the driver supports."),
        Field::new("driver_version", "Driver", Kind::Version).also(&["driver"]).documented_filter().column(19, 11, 140)
            .doc("Version of the GPU driver, compared part by part: 535.86.05."),
        Field::integer("driver_vers", "Driver number").doc("Version of the GPU driver as one number: 535086005."),
        Field::text("os_version", "Ubuntu").also(&["os"]).documented_filter().choices(UBUNTU)
            .doc("Ubuntu version on the host, compared as text."),
        Field::text("ubuntu_version", "Ubuntu").market_filter().choices(UBUNTU)
            .filter_only(Source::Member("os_version")).doc("Alternative name of the Ubuntu version filter."),
        Field::flag("vms_enabled", "VMs").also(&["vms"]).market_filter().doc("Whether it can run virtual machines."),
    ]),
    (Section::Other, &[
        Field::integer("rn", "Rank").never_recorded().doc("Rank within the bundle, as reported."),
        Field::text("bundled_results", "Bundled").never_recorded().doc("Offers bundled with this one, if reported."),
    ]),
];

pub static FIELDS: [Field; count(SECTIONS)] = in_sections(SECTIONS);
