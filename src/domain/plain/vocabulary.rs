//! The words that the grammar knows, and what each can be in a clause.

use std::collections::HashMap;
use std::sync::LazyLock;

use Dim::{Bits, Bytes, Celsius, Count, Dollars, Gigahertz, Id, Plain, Share, Size, Teraflops, Time, Watts};
use End::{Better, High, Low};
use Role::{Behind, Best, Compare, Direction, Filler, Not, Number, Period, Purpose, Sort, Total, Unit, Waive, Waived};

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    High,
    Low,
    /// That which is better, as the field tells.
    Better,
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
    /// A superlative, and what it can be of, the likeliest first.
    Best(End, &'static [Dim]),
    Sort,
    Direction(End),
    /// Hours that a price or an amount of traffic is for.
    Period(f64),
    /// A price is for all of the job.
    Total,
    /// What machines are for, which no field tells.
    Purpose,
    Filler,
}

/// A field, what its quantity measures, its comparison if words give none, and its names. Of several fields
/// with a name the first counts whose measure fits; a quantity without a name is of the first that its unit
/// measures. A `+` begins parts of a job, and two fields.
#[derive(Debug)]
pub(super) struct Attribute(pub &'static str, pub Dim, pub Operator, &'static str);

/// Words, their meaning as a query (or a `type:`, an `order:`, a field to `free:`, the `form:` of a model,
/// `hours:` of a job), and that of their opposite.
#[derive(Debug)]
pub(super) struct Fixed(&'static str, pub &'static str, pub &'static str);

pub(super) const GPU_MEMORY: &Attribute = &Attribute("gpu_ram", Size, Gte, "");

/// What an order can be by, the likeliest first.
#[rustfmt::skip]
pub(super) const EVERY: &[Dim] =
    &[Plain, Bits, Share, Celsius, Watts, Teraflops, Size, Count, Bytes, Time, Gigahertz, Dollars];
const SPEEDS: &[Dim] = &[Bits, Bytes, Gigahertz];

#[rustfmt::skip] // a table reads as a table
pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute("num_gpus", Count, Eq, "gpu|gpu count|number of gpus|count|quantity|qty|pcs|of them|units"),
    Attribute("gpu_ram", Size, Gte, "vram|gpu memory|gpu ram|gpu vram|video memory|memory per gpu|vram per gpu|\
        vram each|each|per gpu|gpu|vram gpu|memory gpu"), Attribute("vram", Size, Gte, "gpu_ram"),
    Attribute("gpu_total_ram", Size, Gte, "total vram|total gpu memory|combined vram|aggregate vram|pooled vram|\
        vram total|vram in total|vram combined|vram altogether|gpu memory combined|vram across all gpus|\
        gpu memory in total|total vram across all gpus"),
    Attribute("cpu_ram", Size, Gte, "ram|memory|system ram|system memory|cpu ram|cpu memory|host ram|host memory"),
    Attribute("disk_space", Size, Gte, "disk|disk space|local disk|scratch|free disk|free disk space|fast disk|\
        fast nvme|nvme|nvme disk|volume"),
    Attribute("+down", Size, Eq, "down|download|downloads|download traffic|dataset|dataset download|\
        dataset to download|data|data in|data transfer|of data|transfer|to download|traffic"),
    Attribute("+up", Size, Eq, "up|upload|uploads|upload traffic|data upload|out|data out|to upload|results|\
        of results"),
    Attribute("inet_down", Bits, Gte, "down|download|downloads|download bandwidth|internet|internet bandwidth|\
        bandwidth|inet_down"),
    Attribute("+both", Bits, Gte, "up and down|down and up|up / down|upload and download|download and upload|\
        symmetric"), Attribute("inet_up", Bits, Gte, "up|upload|upload bandwidth|uplink|inet_up"),
    Attribute("rel", Share, Gte, "reliability|reliable|rel|uptime|availability|reliability score"),
    Attribute("discount_rate", Share, Gte, "discount|off"),
    Attribute("cpu_cores_effective", Count, Gte, "core|cpu core|core cpu|vcpu|cpu|thread|cpu thread"),
    Attribute("direct_port_count", Count, Gte, "port|open port|port open|direct port|public port"),
    Attribute("+hours", Time, Eq, "job|run|rental|rent|term|training"),
    Attribute("duration", Time, Gte, "available|available for|available for the next|availability|remaining|left|\
        time left|lease|rentable|rentable for|duration|not going offline for"),
    Attribute("cpu_ghz", Gigahertz, Gte, "cpu|cpu clock|cpu bandwidth|cpu frequency|processor|clock|clock bandwidth|\
        core"),
    Attribute("disk_bw", Bytes, Gte, "disk|disk bandwidth|disk read|disk read bandwidth|read bandwidth|nvme|nvme disk|\
        nvme bandwidth|fast nvme"),
    Attribute("gpu_mem_bw", Bytes, Gte, "memory bandwidth|gpu memory bandwidth|vram bandwidth|gpu bandwidth|vram"),
    Attribute("bw_nvlink", Bytes, Gte, "nvlink|nvlink bandwidth|interconnect"),
    Attribute("pcie_bw", Bytes, Gte, "pcie|pcie bandwidth"),
    Attribute("gpu_max_power", Watts, Gte, "power|power limit|power draw|power cap|max power|tdp|wattage|gpu power|\
        gpu"),
    Attribute("gpu_max_temp", Celsius, Lte, "temp|temperature|gpu temp|gpu temperature|max temp|max temperature|\
        gpu max temp|gpu"),
    Attribute("total_flops", Teraflops, Gte, "in total|total|tflops|total tflops|teraflops|flops"),
    Attribute("dlperf", Plain, Gte, "dlperf|dlperf score|total dlperf|dlperf power"),
    Attribute("dlperf_per_gpu", Plain, Gte, "dlperf per gpu|dlperf / gpu"),
    Attribute("dlperf_per_dphtotal", Plain, Gte, "dlperf per dollar|dlperf / $|value|value for money|bang for the buck|\
        bang for buck|cost efficient|price dlperf|price / dlperf|price to dlperf|deal|cost effective"),
    Attribute("flops_per_dphtotal", Plain, Gte, "tflops per dollar|tflops / $|flops per dollar|flops / $"),
    Attribute("gpu_lanes", Plain, Gte, "pcie lane|lane"), Attribute("cuda_max_good", Plain, Gte, "cuda|cuda version"),
    Attribute("driver_version", Plain, Gte, "driver|driver version|nvidia driver"),
    Attribute("os_version", Plain, Eq, "ubuntu|ubuntu version"),
    Attribute("compute_cap", Plain, Gte, "compute capability|compute cap|sm"),
    Attribute("pci_gen", Plain, Gte, "pcie|pcie gen|pcie version|gen"), Attribute("host_id", Id, Eq, "host|host id"),
    Attribute("machine_id", Id, Eq, "machine|machine id"), Attribute("cluster_id", Id, Eq, "cluster|cluster id"),
    Attribute("id", Id, Eq, "offer|offer id"),
    Attribute("dph_total", Dollars, Lte, "price|hourly price|price per hour|pay|bill|$|$ / h"),
    Attribute("job_cost", Dollars, Lte, "total|overall|in total|total price|budget|spend|for the job|job price"),
    Attribute("dph_per_gpu", Dollars, Lte, "price per gpu|per gpu|gpu hour|per gpu hour|$ / gpu"),
    Attribute("dph_per_vram_gb", Dollars, Lte, "vram|memory|gb of vram|gb vram|vram per gb|vram per dollar"),
    Attribute("storage_cost", Dollars, Lte, "disk|disk price|price of disk"),
    Attribute("inet_down_cost", Dollars, Lte, "download|downloads|download price|download traffic|traffic|\
        traffic price|bandwidth|bandwidth price"),
    Attribute("inet_up_cost", Dollars, Lte, "upload|uploads|upload price|upload traffic"),
    Attribute("min_bid", Dollars, Lte, "bid|min bid|minimum bid|bid price"),
];

#[rustfmt::skip]
const FIXED: &[Fixed] = &[
    Fixed("verified|verified only|only verified|trusted", "verified=true", "verified=false"),
    Fixed("unverified", "verified=false", "verified=true"),
    Fixed("verified or unverified|verified or not|any verification", "free:verified", ""),
    Fixed("reliable|stable|dependable|highly reliable|very reliable|high reliability|high uptime", "rel>=0.99", ""),
    Fixed("datacenter|datacentre|data center|data centre|secure cloud|dc only", "datacenter=true", "datacenter=false"),
    Fixed("static ip|fixed ip|dedicated ip", "static_ip=true", "static_ip=false"),
    Fixed("open port|direct port", "direct_port_count>=1", ""), Fixed("long term", "duration>=30", ""),
    Fixed("nvme|fast disk|fast nvme", "disk_bw>=1000", ""),
    Fixed("gigabit|fast internet|good internet|high bandwidth|fast bandwidth|fast download|fast download bandwidth|\
        gigabit internet|gigabit download|gigabit download or better", "inet_down>=1Gbps", ""),
    Fixed("fast upload|fast upload bandwidth|gigabit upload", "inet_up>=1Gbps", ""), Fixed("single", "num_gpus=1", ""),
    Fixed("dual", "num_gpus=2", ""), Fixed("quad", "num_gpus=4", ""),
    Fixed("multi gpu|multigpu|multiple gpus", "num_gpus>=2", ""),
    Fixed("whole machine|entire machine|full machine|dedicated machine|bare metal|single tenant|\
        not shared", "gpu_frac=1", "gpu_frac<1"), Fixed("nvlink|nvlinked|nvswitch", "bw_nvlink>0", "bw_nvlink=0"),
    Fixed("nvidia|nvidia gpu", "gpu_arch=nvidia", "gpu_arch!=nvidia"),
    Fixed("amd|amd gpu|radeon|rocm", "gpu_arch=amd", "gpu_arch!=amd"),
    Fixed("arm|arm cpu|arm64|arm64 cpu", "cpu_arch=arm64", "cpu_arch!=arm64"),
    Fixed("amd64|amd cpu|intel cpu|x 86|x 86 cpu", "cpu_arch=amd64", "cpu_arch!=amd64"),
    Fixed("avx|avx2", "has_avx=1", "has_avx=0"),
    Fixed("vm|vms|vm support|vm capable|virtual machine|\
        virtual machine support", "vms_enabled=true", "vms_enabled=false"),
    Fixed("headless", "gpu_display_active=false", "gpu_display_active=true"),
    Fixed("bf16|bfloat16|tf32|flash attention", "compute_cap>=800", "compute_cap<800"),
    Fixed("fp8|fp8 capable|fp8 support", "compute_cap>=890", "compute_cap<890"),
    Fixed("fp4|nvfp4", "compute_cap>=1000", "compute_cap<1000"),
    Fixed("pascal", "compute_cap>=600 compute_cap<700", ""), Fixed("volta", "compute_cap=700", ""),
    Fixed("turing", "compute_cap=750", ""), Fixed("ampere", "compute_cap>=800 compute_cap<890", ""),
    Fixed("ada|ada lovelace", "compute_cap=890", ""), Fixed("hopper", "compute_cap=900", ""),
    Fixed("blackwell", "compute_cap>=1000", ""), Fixed("sxm|sxm4|sxm5", "form:SXM", ""), Fixed("nvl", "form:NVL", ""),
    Fixed("pcie", "form:PCIE", ""),
    Fixed("unmetered|free traffic|free bandwidth", "inet_down_cost=0 inet_up_cost=0", ""),
    Fixed("free download|free downloads|free download traffic", "inet_down_cost=0", ""),
    Fixed("free upload|free uploads|free upload traffic", "inet_up_cost=0", ""),
    Fixed("spot|interruptible|interruptable|interrupted|interruption|preemptible|preemption|bid|\
        bidding", "type:bid", "type:on-demand"),
    Fixed("on demand|ondemand|uninterruptible|never interrupted", "type:on-demand", ""),
    Fixed("reserved|reservation|prepaid|prepay|paid in advance|paid upfront", "type:reserved", ""),
    Fixed("cheapest|cheapest first|least expensive|cheap|as cheap as possible|cheaper|whichever is cheaper|affordable|\
        low price|super cheap", "order:dph_total", ""), Fixed("most expensive", "order:dph_total-", ""),
    Fixed("longest", "order:duration-", ""), Fixed("best", "order:score-", ""),
    Fixed("fastest|strongest|as fast as possible", "order:dlperf-", ""), Fixed("most reliable", "order:rel-", ""),
    Fixed("good value|value for money|cost effective|good deal", "order:dlperf_per_dphtotal-", ""),
    Fixed("daily|daily rental", "hours:24", ""), Fixed("weekly|weekly rental", "hours:168", ""),
    Fixed("monthly|monthly rental", "hours:720", ""),
];

#[rustfmt::skip]
const PHRASES: &[(Role, &str)] = &[
    (Unit(Size, 1.0), "gb|gib|g|gig|gigabyte"), (Unit(Size, 1e3), "tb|tib|t|terabyte"),
    (Unit(Bits, 1.0), "mbps|mbit|mbit / s|megabit"), (Unit(Bits, 1e3), "gbps|gbit|gbit / s|gigabit|g|gig"),
    (Unit(Bytes, 1.0), "mb / s"), (Unit(Bytes, 1e3), "gb / s"), (Unit(Bytes, 1e6), "tb / s"),
    (Unit(Time, 1.0), "h|hr|hrs|hour"), (Unit(Time, 24.0), "d|day"), (Unit(Time, 168.0), "w|wk|week"),
    (Unit(Time, 720.0), "mo|month"), (Unit(Time, 8760.0), "y|year"), (Unit(Time, 1.0 / 60.0), "min|mins|minute"),
    (Unit(Dollars, 1.0), "$|dollar|usd|buck"), (Unit(Dollars, 0.01), "cent|c|ct|¢"), (Unit(Share, 0.01), "%|percent"),
    (Unit(Gigahertz, 1.0), "ghz"), (Unit(Gigahertz, 1e-3), "mhz"), (Unit(Watts, 1.0), "w|watt"),
    (Unit(Watts, 1e3), "kw"), (Unit(Celsius, 1.0), "c|° c|degree|degree celsius|celsius"),
    (Unit(Teraflops, 1.0), "tflops|teraflops|total tflops"), (Unit(Teraflops, 1e3), "pflops|petaflops"),
    (Compare(Gt), "exceed|exceeding"), (Compare(Eq), "exactly|precisely|equal to"),
    (Compare(Lte), "at most|at the most|max|maximum|max of|maximum of|up to|upto|limit of|limited to|capped at|cap of"),
    (Compare(Gte), "at least|at the least|min|minimum|min of|minimum of|starting at|starting from"),
    (Behind(Gte), "and up|or up|or later|and later|upwards|at least|minimum|min|at a minimum"),
    (Behind(Lte), "max|maximum|at most|tops"),
    (Not, "not|no|non|nothing|none|never|nor|neither|without|except|except for|excluding|exclude|excl|outside|\
        outside of|other than|apart from|aside from|besides|avoid|avoiding|skip|ban|unless|anywhere but|anything but|\
        everything but|all but|any but|all except|any except|everything except|everywhere but|anywhere except|\
        anything except|everywhere except|but not|doesn't|does not|don't|must not|must not be|can't be|cannot be|\
        isn't"),
    (Waive(false), "don't need|do not need|no need for|don't care about|regardless of|not necessarily|\
        doesn't have to be|need not be"), (Waive(true), "including|include|even|also|allow"),
    (Waived(true), "ok|okay|is ok|is fine|fine|too|allowed|acceptable|welcome"),
    (Waived(false), "not needed|not required|not necessary|not important|optional|unnecessary|doesn't matter"),
    (Best(High, EVERY), "most|highest|largest|biggest|greatest|longest|maximum|max"),
    (Best(Low, EVERY), "lowest|least|smallest|fewest|shortest|coolest|minimum|minimal"),
    (Best(High, SPEEDS), "fastest|quickest"), (Best(Low, &[Dollars]), "cheapest|cheap"),
    (Best(Better, EVERY), "best|top"), (Sort, "sort by|sorted by|order by|ordered by|rank by|by|sort|order"),
    (Direction(High), "descending|desc|high to low|highest first|largest first"),
    (Direction(Low), "ascending|asc|low to high|lowest first|smallest first"), (Direction(Better), "first|best first"),
    (Total, "total|in total|overall|altogether|for the job|for the whole job"), (Period(1.0), "h|hr|hour|hourly"),
    (Period(24.0), "day|d|daily"), (Period(168.0), "week|weekly"), (Period(720.0), "month|mo|monthly"),
    (Purpose, "inference|training|train|finetuning|finetune|fine tuning|fine tune|lora|llm|serving|ai|ml|\
        machine learning|deep learning|research|rendering|render|render farm|blender|stable diffusion|sdxl|flux|\
        comfyui|image generation|video generation|transcoding|transcription|whisper|llama|mistral|qwen|deepseek|vllm|\
        ollama|pytorch|jupyter|yolo|batch job|small job|gaming|low latency|24 / 7|always on|animation|model|workload|\
        gdpr|gdpr compliant|production"),
    (Filler, "a|an|the|i|we|you|me|my|it|that|this|there|is|are|be|am|need|want|looking|find|show|get|give|rent|use|\
        please|thanks|with|w /|and|but|plus|for|of|on|at|in|to|from|by|as|than|has|have|having|any|some|all|just|only|\
        also|either|now|today|right now|what|how much|gpu|machine|host|offer|type|region|country|location|price|\
        per hour|hourly|asap|then|like|one machine|single machine|same machine|budget|term|job|run|running|located|\
        based|hosted|must|should|can|anything|something|anywhere|generation|architecture|support|+|:|/|requirement"),
];

#[rustfmt::skip]
const NUMBERS: [(f64, &str); 21] = [
    (0.5, "half"), (1.0, "one|single"), (2.0, "two|dual|couple"), (3.0, "three"), (4.0, "four|quad"), (5.0, "five"),
    (6.0, "six"), (7.0, "seven"), (8.0, "eight"), (9.0, "nine"), (10.0, "ten"), (12.0, "twelve|dozen"),
    (15.0, "fifteen"), (16.0, "sixteen"), (20.0, "twenty"), (30.0, "thirty"), (40.0, "forty"), (50.0, "fifty"),
    (80.0, "eighty"), (100.0, "hundred"), (1e3, "thousand"),
];

/// `less than` in front of a quantity, `or less` and `and less` behind it; `under`, `or under`, `at or under`.
#[rustfmt::skip]
const COMPARATIVES: [(Operator, &str, &str); 4] = [
    (Lt, " than", "less|lower|fewer|smaller|cheaper|shorter|slower|cooler|older"), (Lt, "", "under|below"),
    (Gt, " than", "more|greater|higher|bigger|larger|better|faster|longer|hotter|newer"), (Gt, "", "over|above"),
];

/// Words that mean the same, besides plurals.
#[rustfmt::skip]
const SAME: [(&str, &str); 9] = [
    ("gpu", "card cards accelerator accelerators"), ("disk", "disc storage space ssd hdd drive drives"),
    ("machine", "box boxes node nodes server servers rig rigs instance instances"),
    ("bandwidth", "speed throughput bw"),
    ("price", "cost costs pricing rate rates"), ("internet", "network networking net connection ethernet"),
    ("download", "downloading downloaded ingress"), ("upload", "uploading uploaded egress"),
    ("dlperf", "dlp performance perf compute powerful"),
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
    let nouns = ATTRIBUTES.iter().map(|row| (row.3, Role::Noun(row)));
    let fixed = FIXED.iter().map(|row| (row.0, Role::Fixed(row)));
    let numbers = NUMBERS.iter().map(|(number, words)| (*words, Number(*number)));
    let phrases = PHRASES.iter().map(|(role, phrases)| (*phrases, *role));
    for (phrases, role) in nouns.chain(fixed).chain(numbers).chain(phrases) {
        add(phrases, role);
    }
    for (operator, than, words) in COMPARATIVES {
        let inclusive = inclusive(operator);
        for word in words.split('|') {
            add(&format!("{word}{than}"), Compare(operator));
            add(&format!("at or {word}|{word} than or equal to"), Compare(inclusive));
            add(&format!("or {word}|and {word}"), Behind(inclusive));
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
        let same = SAME.iter().find(|(_, words)| words.split(' ').any(|same| same == word));
        // Minutes are no minimum.
        let is_plural = |stem: &&str| {
            stem.len() > 2 && *stem != "min" && stem.contains(['a', 'e', 'i', 'o', 'u']) && !stem.ends_with('s')
        };
        let stem = word.strip_suffix('s').filter(is_plural).unwrap_or(word);
        same.map_or(stem, |(meant, _)| *meant)
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
