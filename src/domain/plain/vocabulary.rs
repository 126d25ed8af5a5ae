//! The words that the grammar knows, and what each can be in a clause.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::domain::field::Operator::{self, Eq, Gt, Gte, Lt, Lte};

/// What a number with its unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dim {
    Count,
    /// A number of its own scale: a version, a score.
    Plain,
    Id,
    /// In GB.
    Size,
    Dollars,
    /// From 0 to 1.
    Share,
    Celsius,
    Watts,
    Teraflops,
    Gigahertz,
    /// In MB/s: of a disk, memory, a bus.
    Bytes,
    /// In Mb/s: of a network.
    Bits,
    /// In hours.
    Time,
}

/// What an order can be by, the likeliest first.
#[rustfmt::skip]
pub(super) const EVERY: [Dim; 12] = [
    Dim::Plain, Dim::Bits, Dim::Share, Dim::Celsius, Dim::Watts, Dim::Teraflops, Dim::Size, Dim::Count, Dim::Bytes,
    Dim::Time, Dim::Gigahertz, Dim::Dollars,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    High,
    Low,
    /// That which is better, as the field tells.
    Better,
}

/// What a superlative is of, which chooses between the fields of a noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lens {
    Amount,
    Speed,
    Price,
}

/// What words can be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    /// An attribute, before or behind its quantity.
    Noun(&'static Attribute),
    Unit(Dim, f64),
    Number(f64),
    /// A comparison in front of a quantity, and behind one.
    Compare(Operator),
    Behind(Operator),
    Not,
    /// Words with a meaning of their own.
    Fixed(&'static Fixed),
    /// In front of [`Role::Fixed`] and behind it: not needed, or (`true`) accepted.
    Waive(bool),
    Waived(bool),
    Superlative(End, Lens),
    Sort,
    Direction(End),
    Architecture(&'static Architecture),
    /// Hours that a price or an amount of traffic is for.
    Period(f64),
    /// A price is for all of the job.
    Total,
    /// What machines are for, which no field tells.
    Purpose,
    Filler,
}

/// A field, what its quantity measures, its comparison if words give none, and its names. Of several fields
/// with a name the first counts whose measure fits. A `+` begins parts of a job, and two fields.
#[derive(Debug)]
pub(super) struct Attribute(pub &'static str, pub Dim, pub Operator, &'static str);

/// Words, their meaning as a query (or a `type:`, an `order:`, a field to `free:`, `hours:` of a job), and
/// that of their opposite.
#[derive(Debug)]
pub(super) struct Fixed(&'static str, pub &'static str, pub &'static str);

/// An architecture, its first compute capability, that of the next one, and the condition on it alone.
#[derive(Debug)]
pub(super) struct Architecture(&'static str, pub u32, pub u32, pub &'static str);

#[rustfmt::skip] // a table reads as a table
pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute("num_gpus", Dim::Count, Eq, "gpu|gpu count|number of gpus|count|quantity|qty|pcs|of them|units|graphics card"),
    Attribute("gpu_ram", Dim::Size, Gte, "vram|gpu memory|gpu ram|gpu vram|video memory|memory per gpu|vram per gpu|vram each|\
        each|per gpu|gpu|vram gpu|memory gpu"), Attribute("vram", Dim::Size, Gte, "gpu_ram"),
    Attribute("gpu_total_ram", Dim::Size, Gte, "total vram|total gpu memory|combined vram|aggregate vram|pooled vram|vram total|\
        vram in total|vram combined|vram altogether|vram across all gpus|gpu memory in total|gpu memory combined|\
        total vram across all gpus"),
    Attribute("cpu_ram", Dim::Size, Gte, "ram|memory|system ram|system memory|cpu ram|cpu memory|host ram|host memory|main memory"),
    Attribute("disk_space", Dim::Size, Gte, "disk|disk space|local disk|hard disk|scratch|scratch disk|free disk|free disk space|\
        nvme|nvme disk|fast disk|fast nvme|volume"),
    Attribute("+down", Dim::Size, Eq, "down|download|downloads|downloading|downloaded|download traffic|dataset|dataset download|\
        dataset to download|data|data in|data transfer|of data|transfer|to download|ingress|traffic|pull"),
    Attribute("+up", Dim::Size, Eq, "up|upload|uploads|uploading|uploaded|upload traffic|data upload|out|data out|to upload|egress|\
        results|of results"),
    Attribute("+both", Dim::Bits, Gte, "up and down|down and up|up / down|upload and download|download and upload|both ways|symmetric"),
    Attribute("inet_down", Dim::Bits, Gte, "down|download|downloads|download speed|ingress|network|networking|network speed|net|\
        internet|internet speed|internet connection|bandwidth|connection|ethernet|inet_down"),
    Attribute("inet_up", Dim::Bits, Gte, "up|upload|upload speed|uplink|egress|inet_up"),
    Attribute("rel", Dim::Share, Gte, "reliability|reliable|rel|uptime|availability|reliability score"),
    Attribute("discount_rate", Dim::Share, Gte, "discount|off"),
    Attribute("cpu_cores_effective", Dim::Count, Gte, "core|cpu core|core cpu|vcpu|cpu|thread|cpu thread"),
    Attribute("direct_port_count", Dim::Count, Gte, "port|open port|port open|direct port|public port|free port"),
    Attribute("duration", Dim::Time, Gte, "available|available for|available for the next|availability|remaining|left|time left|\
        lease|rentable|rentable for|online for|listed for|duration|not going offline for"),
    Attribute("+hours", Dim::Time, Eq, "job|run|rental|rent|term|training"),
    Attribute("cpu_ghz", Dim::Gigahertz, Gte, "cpu|cpu clock|cpu speed|clock|clock speed|cpu frequency|core|processor"),
    Attribute("gpu_mem_bw", Dim::Bytes, Gte, "memory bandwidth|gpu memory bandwidth|vram bandwidth|gpu bandwidth|memory speed|vram|memory"),
    Attribute("bw_nvlink", Dim::Bytes, Gte, "nvlink|nvlink bandwidth|nvlink speed|interconnect"),
    Attribute("pcie_bw", Dim::Bytes, Gte, "pcie|pcie bandwidth|pcie speed|pcie bw|bus bandwidth"),
    Attribute("disk_bw", Dim::Bytes, Gte, "disk|disk bandwidth|disk speed|disk throughput|disk read|disk read speed|read speed|nvme|\
        nvme disk|nvme speed|fast nvme"),
    Attribute("gpu_max_power", Dim::Watts, Gte, "power|power limit|power draw|power cap|max power|tdp|wattage|gpu power|gpu"),
    Attribute("gpu_max_temp", Dim::Celsius, Lte, "temp|temperature|gpu temp|gpu temperature|max temp|max temperature|gpu max temp|gpu"),
    Attribute("total_flops", Dim::Teraflops, Gte, "in total|total|tflops|total tflops|teraflops|flops"),
    Attribute("dlperf", Dim::Plain, Gte, "dlperf|dlp|dlperf score|total dlperf|performance|perf|powerful|compute|compute power"),
    Attribute("dlperf_per_gpu", Dim::Plain, Gte, "dlperf per gpu|dlperf / gpu|performance per gpu"),
    Attribute("dlperf_per_dphtotal", Dim::Plain, Gte, "dlperf per dollar|dlperf / $|performance per dollar|performance / $|value|\
        perf per dollar|perf / $|compute per dollar|value for money|bang for the buck|bang for buck|price performance|\
        price / performance|price to performance|deal|cost effective|cost efficient"),
    Attribute("flops_per_dphtotal", Dim::Plain, Gte, "tflops per dollar|tflops / $|flops per dollar|flops / $"),
    Attribute("gpu_lanes", Dim::Plain, Gte, "pcie lane|lane"),
    Attribute("cuda_max_good", Dim::Plain, Gte, "cuda|cuda version"),
    Attribute("driver_version", Dim::Plain, Gte, "driver|driver version|nvidia driver"),
    Attribute("os_version", Dim::Plain, Eq, "ubuntu|ubuntu version"),
    Attribute("compute_cap", Dim::Plain, Gte, "compute capability|compute cap|sm"),
    Attribute("pci_gen", Dim::Plain, Gte, "pcie|pcie gen|pcie version|pci gen|gen"),
    Attribute("host_id", Dim::Id, Eq, "host|host id"), Attribute("machine_id", Dim::Id, Eq, "machine|machine id"),
    Attribute("cluster_id", Dim::Id, Eq, "cluster|cluster id"), Attribute("id", Dim::Id, Eq, "offer|offer id"),
    Attribute("dph_total", Dim::Dollars, Lte, "price|hourly price|price per hour|pay|bill|$|$ / h"),
    Attribute("job_cost", Dim::Dollars, Lte, "total|overall|in total|total price|budget|spend|for the job|job price|total job price"),
    Attribute("dph_per_gpu", Dim::Dollars, Lte, "price per gpu|per gpu|gpu hour|per gpu hour|$ / gpu"),
    Attribute("dph_per_vram_gb", Dim::Dollars, Lte, "vram|memory|gb of vram|gb vram|vram per gb|per gb|vram per dollar|per gb of vram"),
    Attribute("storage_cost", Dim::Dollars, Lte, "disk|disk price|price of disk"),
    Attribute("inet_down_cost", Dim::Dollars, Lte, "download|downloads|download price|download traffic|ingress|traffic|traffic price|\
        bandwidth|bandwidth price"),
    Attribute("inet_up_cost", Dim::Dollars, Lte, "upload|uploads|upload price|upload traffic|egress|egress price"),
    Attribute("min_bid", Dim::Dollars, Lte, "bid|min bid|minimum bid|bid price"),
];

#[rustfmt::skip]
const FIXED: &[Fixed] = &[
    Fixed("verified|verified only|only verified|trusted", "verified=true", "verified=false"),
    Fixed("unverified", "verified=false", "verified=true"),
    Fixed("verified or unverified|verified or not|any verification", "free:verified", ""),
    Fixed("reliable|stable|dependable|rock solid|highly reliable|very reliable|high reliability|high uptime", "rel>=0.99", ""),
    Fixed("datacenter|datacentre|data center|data centre|dc only|secure cloud", "datacenter=true", "datacenter=false"),
    Fixed("static ip|fixed ip|dedicated ip|static ip address", "static_ip=true", "static_ip=false"),
    Fixed("open port|direct port", "direct_port_count>=1", ""), Fixed("long term", "duration>=30", ""),
    Fixed("nvme|fast disk|fast nvme", "disk_bw>=1000", ""),
    Fixed("gigabit|fast network|good network|fast internet|good internet|fast connection|fast bandwidth|high bandwidth|fast download|\
        fast download speed|gigabit internet|gigabit network|gigabit download|gigabit download or better", "inet_down>=1Gbps", ""),
    Fixed("fast upload|fast upload speed|gigabit upload", "inet_up>=1Gbps", ""),
    Fixed("single", "num_gpus=1", ""), Fixed("dual", "num_gpus=2", ""), Fixed("quad", "num_gpus=4", ""),
    Fixed("multi gpu|multigpu|multiple gpus", "num_gpus>=2", ""),
    Fixed("whole machine|entire machine|full machine|dedicated machine|bare metal|not shared|single tenant", "gpu_frac=1", "gpu_frac<1"),
    Fixed("nvlink|nvlinked|nvswitch", "bw_nvlink>0", "bw_nvlink=0"),
    Fixed("nvidia|nvidia gpu", "gpu_arch=nvidia", "gpu_arch!=nvidia"), Fixed("amd|amd gpu|radeon|rocm", "gpu_arch=amd", "gpu_arch!=amd"),
    Fixed("arm|arm cpu|arm64|arm64 cpu", "cpu_arch=arm64", "cpu_arch!=arm64"),
    Fixed("amd64|amd cpu|intel cpu|x 86|x 86 cpu", "cpu_arch=amd64", "cpu_arch!=amd64"), Fixed("avx|avx2", "has_avx=1", "has_avx=0"),
    Fixed("vm|vms|vm support|vm capable|virtual machine|virtual machine support", "vms_enabled=true", "vms_enabled=false"),
    Fixed("headless", "gpu_display_active=false", "gpu_display_active=true"),
    Fixed("bf16|bfloat16|tf32|flash attention", "compute_cap>=800", "compute_cap<800"),
    Fixed("fp8|fp8 capable|fp8 support", "compute_cap>=890", "compute_cap<890"), Fixed("fp4|nvfp4", "compute_cap>=1000", "compute_cap<1000"),
    Fixed("unmetered|free traffic|free bandwidth", "inet_down_cost=0 inet_up_cost=0", ""),
    Fixed("free download|free downloads|free download traffic|free ingress", "inet_down_cost=0", ""),
    Fixed("free upload|free uploads|free upload traffic|free egress", "inet_up_cost=0", ""),
    Fixed("spot|interruptible|interruptable|interrupted|interruption|preemptible|preemption|bid|bidding", "type:bid", "type:on-demand"),
    Fixed("on demand|ondemand|uninterruptible|never interrupted", "type:on-demand", ""),
    Fixed("reserved|reservation|prepaid|prepay|paid in advance|paid upfront", "type:reserved", ""),
    Fixed("cheapest|cheapest first|least expensive|cheap|as cheap as possible|cheaper|whichever is cheaper|affordable|inexpensive|low price|super cheap", "order:dph_total", ""),
    Fixed("most expensive", "order:dph_total-", ""), Fixed("longest", "order:duration-", ""), Fixed("best", "order:score-", ""),
    Fixed("fastest|strongest|as fast as possible", "order:dlperf-", ""), Fixed("most reliable", "order:rel-", ""),
    Fixed("good value|value for money|cost effective|good deal", "order:dlperf_per_dphtotal-", ""),
    Fixed("daily|daily rental", "hours:24", ""), Fixed("weekly|weekly rental", "hours:168", ""), Fixed("monthly|monthly rental", "hours:720", ""),
];

#[rustfmt::skip]
const ARCHITECTURES: &[Architecture] = &[
    Architecture("pascal", 600, 700, "compute_cap>=600 compute_cap<700"), Architecture("volta", 700, 750, "compute_cap=700"),
    Architecture("turing", 750, 800, "compute_cap=750"), Architecture("ampere", 800, 890, "compute_cap>=800 compute_cap<890"),
    Architecture("ada|ada lovelace", 890, 900, "compute_cap=890"), Architecture("hopper", 900, 1000, "compute_cap=900"),
    Architecture("blackwell", 1000, 2000, "compute_cap>=1000"),
];

#[rustfmt::skip]
const PHRASES: &[(Role, &str)] = &[
    (Role::Unit(Dim::Size, 1.0), "gb|gib|g|gig|gigabyte"), (Role::Unit(Dim::Size, 1e3), "tb|tib|t|terabyte"),
    (Role::Unit(Dim::Bits, 1.0), "mbps|mbit|mbit / s|megabit"), (Role::Unit(Dim::Bits, 1e3), "gbps|gbit|gbit / s|gigabit|g|gig"),
    (Role::Unit(Dim::Bytes, 1.0), "mb / s"), (Role::Unit(Dim::Bytes, 1e3), "gb / s"), (Role::Unit(Dim::Bytes, 1e6), "tb / s"),
    (Role::Unit(Dim::Time, 1.0), "h|hr|hrs|hour"), (Role::Unit(Dim::Time, 24.0), "d|day"), (Role::Unit(Dim::Time, 168.0), "w|wk|week"),
    (Role::Unit(Dim::Time, 720.0), "mo|month"), (Role::Unit(Dim::Time, 8760.0), "y|year"), (Role::Unit(Dim::Time, 1.0 / 60.0), "min|mins|minute"),
    (Role::Unit(Dim::Dollars, 1.0), "$|dollar|usd|buck"), (Role::Unit(Dim::Dollars, 0.01), "cent|c|ct|¢"),
    (Role::Unit(Dim::Share, 0.01), "%|percent"), (Role::Unit(Dim::Gigahertz, 1.0), "ghz"), (Role::Unit(Dim::Gigahertz, 1e-3), "mhz"),
    (Role::Unit(Dim::Watts, 1.0), "w|watt"), (Role::Unit(Dim::Watts, 1e3), "kw"), (Role::Unit(Dim::Celsius, 1.0), "c|° c|degree|degree celsius|celsius"),
    (Role::Unit(Dim::Teraflops, 1.0), "tflops|teraflops|total tflops"), (Role::Unit(Dim::Teraflops, 1e3), "pflops|petaflops"),
    (Role::Number(1.0), "one|single"), (Role::Number(2.0), "two|dual|couple"), (Role::Number(3.0), "three"), (Role::Number(4.0), "four|quad"),
    (Role::Number(5.0), "five"), (Role::Number(6.0), "six"), (Role::Number(7.0), "seven"), (Role::Number(8.0), "eight"), (Role::Number(9.0), "nine"),
    (Role::Number(10.0), "ten"), (Role::Number(12.0), "twelve|dozen"), (Role::Number(15.0), "fifteen"), (Role::Number(16.0), "sixteen"),
    (Role::Number(20.0), "twenty"), (Role::Number(30.0), "thirty"), (Role::Number(40.0), "forty"), (Role::Number(50.0), "fifty"),
    (Role::Number(80.0), "eighty"), (Role::Number(100.0), "hundred"), (Role::Number(1e3), "thousand"), (Role::Number(0.5), "half"),
    (Role::Compare(Gt), "exceed|exceeding|exceeds"), (Role::Compare(Eq), "exactly|precisely|equal to"),
    (Role::Compare(Lte), "at most|at the most|max|maximum|max of|maximum of|up to|upto|limit of|limited to|capped at|cap of"),
    (Role::Compare(Gte), "at least|at the least|min|minimum|min of|minimum of|starting at|starting from"),
    (Role::Behind(Gte), "and up|or up|or later|and later|upwards|at least|minimum|min|at a minimum"), (Role::Behind(Lte), "max|maximum|at most|tops"),
    (Role::Not, "not|no|non|nothing|none|never|nor|neither|without|except|except for|excluding|exclude|excl|outside|outside of|other than|\
        apart from|aside from|besides|avoid|avoiding|skip|ban|unless|anywhere but|anything but|everything but|all but|any but|all except|any except|everything except|everywhere but|anywhere except|anything except|\
        everywhere except|but not|doesn't|does not|don't|must not|must not be|can't be|cannot be|isn't"),
    (Role::Waive(false), "don't need|do not need|no need for|don't care about|regardless of|not necessarily|doesn't have to be|need not be"),
    (Role::Waive(true), "including|include|even|also|allow"), (Role::Waived(true), "ok|okay|is ok|is fine|fine|too|allowed|acceptable|welcome"),
    (Role::Waived(false), "not needed|not required|not necessary|not important|optional|unnecessary|doesn't matter|or not"),
    (Role::Superlative(End::High, Lens::Amount), "most|highest|largest|biggest|greatest|longest|maximum|max"),
    (Role::Superlative(End::Low, Lens::Amount), "lowest|least|smallest|fewest|shortest|coolest|minimum|minimal"),
    (Role::Superlative(End::High, Lens::Speed), "fastest|quickest"), (Role::Superlative(End::Low, Lens::Price), "cheapest|cheap"),
    (Role::Superlative(End::Better, Lens::Amount), "best|top"), (Role::Sort, "sort by|sorted by|order by|ordered by|rank by|by|sort|order"),
    (Role::Direction(End::High), "descending|desc|high to low|highest first|largest first"),
    (Role::Direction(End::Low), "ascending|asc|low to high|lowest first|smallest first"),
    (Role::Direction(End::Better), "first|best first"), (Role::Total, "total|in total|overall|altogether|for the job|for the whole job"),
    (Role::Period(1.0), "h|hr|hour|hourly"), (Role::Period(24.0), "day|d|daily"), (Role::Period(168.0), "week|weekly"),
    (Role::Period(720.0), "month|mo|monthly"),
    (Role::Purpose, "inference|llm inference|batch inference|training|train|finetuning|finetune|fine tuning|fine tune|lora|llm|llm serving|\
        serving|ai|ml|machine learning|deep learning|research|rendering|render|render farm|blender|stable diffusion|diffusion|sdxl|flux|\
        comfyui|image generation|video generation|video editing|transcoding|transcription|speech to text|embedding|whisper|llama|mistral|\
        qwen|deepseek|vllm|ollama|pytorch|tensorflow|jupyter|yolo|batch job|small job|gaming|simulation|development|testing|low latency|\
        24 / 7|always on|3d rendering|animation|model|workload|gdpr|gdpr compliant|production"),
    (Role::Filler, "a|an|the|i|we|you|me|my|it|its|that|this|there|is|are|be|am|need|want|looking|find|show|get|give|rent|use|please|thanks|\
        with|w /|and|but|plus|for|of|on|at|in|to|from|by|as|than|has|have|having|any|some|all|just|only|also|either|now|today|right now|\
        what|how much|gpu|machine|host|offer|type|region|country|location|price|per hour|hourly|asap|then|like|one machine|single machine|\
        same machine|budget|term|job|run|running|located|based|hosted|must|should|can|anything|something|anywhere|somewhere|generation|\
        architecture|support|+|:|/|requirement"),
];

/// `less than` in front of a quantity, `or less` and `and less` behind it; `under`, `or under`, `at or under`.
#[rustfmt::skip]
const COMPARATIVES: &[(Operator, &str, &str)] = &[
    (Lt, " than", "less|lower|fewer|smaller|cheaper|shorter|slower|cooler|older"), (Lt, "", "under|below"),
    (Gt, " than", "more|greater|higher|bigger|larger|better|faster|longer|hotter|newer"), (Gt, "", "over|above"),
];

/// Words that mean the same, besides plurals.
#[rustfmt::skip]
const SAME: &[(&str, &str)] = &[
    ("gpu", "card cards accelerator accelerators"), ("machine", "box boxes node nodes server servers rig rigs instance instances"),
    ("disk", "disc storage space ssd hdd drive drives"), ("price", "cost costs pricing rate rates"),
];

/// Phrases as they are looked up, as they are written, and their roles.
static LEXICON: LazyLock<HashMap<String, (String, Vec<Role>)>> = LazyLock::new(|| {
    let mut lexicon = HashMap::new();
    let mut add = |phrases: &str, role: Role| {
        for phrase in phrases.split('|') {
            let new = || (phrase.to_owned(), Vec::new());
            let (_, roles) = lexicon.entry(folded(phrase)).or_insert_with(new);
            roles.push(role);
        }
    };
    for own in ATTRIBUTES {
        add(own.3, Role::Noun(own));
    }
    for own in FIXED {
        add(own.0, Role::Fixed(own));
    }
    for own in ARCHITECTURES {
        add(own.0, Role::Architecture(own));
    }
    for (role, phrases) in PHRASES {
        add(phrases, *role);
    }
    for (operator, than, words) in COMPARATIVES {
        let inclusive = inclusive(*operator);
        for word in words.split('|') {
            add(&format!("{word}{than}"), Role::Compare(*operator));
            add(
                &format!("at or {word}|{word} than or equal to"),
                Role::Compare(inclusive),
            );
            add(&format!("or {word}|and {word}"), Role::Behind(inclusive));
        }
    }
    lexicon
});

/// The same comparison with its end included.
pub(super) const fn inclusive(operator: Operator) -> Operator {
    match operator {
        Lt | Lte => Lte,
        Gt | Gte => Gte,
        Eq | Operator::Neq | Operator::In | Operator::Nin => operator,
    }
}

/// A phrase in lower case as the vocabulary has it: `boxes` are machines, `hours` an hour.
pub(super) fn folded(phrase: &str) -> String {
    fn word(word: &str) -> &str {
        let is_same = |words: &str| words.split(' ').any(|own| own == word);
        let same = SAME.iter().find(|(_, words)| is_same(words));
        let stem = word
            .strip_suffix('s')
            .filter(|stem: &&str| stem.len() > 2 && stem.contains(['a', 'e', 'i', 'o', 'u']) && !stem.ends_with('s'));
        // Minutes are no minimum.
        let stem = stem.filter(|stem| *stem != "min");
        same.map(|(own, _)| *own).or(stem).unwrap_or(word)
    }
    phrase.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// What a phrase can be; nothing if it is unknown.
pub(super) fn roles(phrase: &str) -> &'static [Role] {
    LEXICON.get(&folded(phrase)).map_or(&[], |(_, roles)| roles)
}

/// All words of the vocabulary, to propose one.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    LEXICON.values().flat_map(|(phrase, _)| phrase.split(' '))
}
