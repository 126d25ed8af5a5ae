//! The vocabulary of the grammar, with the possible roles of each word.

use std::collections::HashMap;
use std::sync::LazyLock;

#[rustfmt::skip]
use Dim::{
    Bill, Bits, Bus, Bytes, Celsius, Count, Dollars, Each, Foreign, GbEach, GbInAll, Gigahertz, Hourly, NetworkBytes, PerGb,
    PerTb, Plain, Share, Size, Teraflops, Time, Watts, Work, WorkRate,
};
#[rustfmt::skip]
use Role::{Ask, Behind, Best, Compare, Direction, Filler, Fixed, Half, Joint, Not, Noun, Number, Per, Thing, Unit};

use super::question::{QUESTIONS, Question};
use crate::Operator::{self, Eq, Gt, Gte, Lt, Lte, Neq};
use crate::throughput::{MULTIPLES, WorkUnit};

/// The dimension that a number with its unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[rustfmt::skip]
pub(super) enum Dim {
    /// A count, and a number on a scale of its own: a version, a score.
    Count, Plain,
    /// In GB: of one device, of each GPU, of all GPUs.
    Size, GbEach, GbInAll,
    /// Prices: unspecified, per hour, per hour and GPU, per job, per GB or TB of data.
    Dollars, Hourly, Each, Bill, PerGb, PerTb,
    /// A share from 0 to 1.
    Share,
    Celsius, Watts, Teraflops, Gigahertz,
    /// Money that no market here counts in.
    Foreign,
    /// Speeds of a disk in MB/s, of memory or a bus in GB/s, of a network in Mb/s or MB/s; a time in hours.
    Bytes, Bus, Bits, NetworkBytes, Time,
    Work(WorkUnit),
    /// Work of a GPU each second.
    WorkRate(WorkUnit),
}

/// A field and the dimension of its quantity. A `+` begins parts of a job, two fields, and the number of rows.
pub(super) type Measure = (Dim, &'static str);

#[derive(Debug, Clone, Copy)]
#[rustfmt::skip]
pub(super) enum Role {
    /// A noun for a quantity before or after it, with its possible measures: the first that fits counts.
    Noun(&'static [Measure]),
    Unit(Dim, f64), Number(f64),
    /// A comparison before a quantity, of these dimensions unless the list is empty; and one after it.
    Compare(Operator, &'static [Dim]), Behind(Operator),
    /// Excludes the words after it; with `false` it may also follow them, and means that they are not needed.
    Not(bool),
    /// Words with a fixed meaning as a query (or `type:`, `order:`, `hours:` of a job), and the meaning of their
    /// opposite.
    Fixed(&'static str, &'static str),
    /// A superlative: whether the higher is wanted, or the better if `None`; and its possible dimensions, the likeliest
    /// first.
    Best(Option<bool>, &'static [Dim]),
    /// Whether the higher comes first; `None` if the words leave it open.
    Direction(Option<bool>),
    /// The unit that an amount is per: a number of hours, a GPU, data, the whole job; memory is per GPU or of all.
    Per(Dim, f64),
    /// After a number or its unit: another half.
    Half,
    /// A question that a view answers.
    Ask(Question),
    /// No meaning for a machine. A joint needs a word after it, a thing no number before it.
    Filler, Joint, Thing,
}

/// The possible dimensions of an order, the likeliest first.
#[rustfmt::skip]
pub(super) const EVERY: &[Dim] = &[
    Plain, Bits, Share, Celsius, Watts, Teraflops, Size, Count, Bytes, Bus, Time, Gigahertz, Dollars, PerGb, Each,
    GbInAll,
];

/// The dimensions that can be good or bad.
const GOOD: &[Dim] = &[Plain, Bits, Share, Bytes, Bus, Gigahertz, Dollars, PerGb];

/// The possible dimensions of a number without a unit.
#[rustfmt::skip]
pub(super) const BARE: &[Dim] = &[Count, Plain, Size, Dollars, Share, Celsius, Watts, Teraflops, Gigahertz];

const SPEEDS: &[Dim] = &[Bits, Bytes, Bus, NetworkBytes, Gigahertz, Teraflops];

/// The dimensions of which less is better by default.
pub(super) const PRICES: [Dim; 7] = [Dollars, Hourly, Each, Bill, PerGb, PerTb, Celsius];

/// The field to which a quantity without a noun refers (`24gb` → VRAM), by its dimension.
#[rustfmt::skip]
pub(super) const UNNAMED: &[Measure] = &[
    (Size, "+size"), (Size, "disk_space"), (Size, "gpu_ram"), (GbEach, "gpu_ram"), (Dollars, "dph_total"), (Dollars, "storage_cost"),
    (Hourly, "dph_total"), (Each, "dph_per_gpu"), (Bill, "job_cost"), (PerGb, "storage_cost"), (Share, "rel"),
    (Bits, "inet_down"), (Bytes, "disk_bw"), (Time, "+hours"), (Time, "duration"), (Watts, "gpu_max_power"),
    (Celsius, "gpu_max_temp"), (Teraflops, "total_flops"), (Gigahertz, "cpu_ghz"), (Count, "num_gpus"),
    (Work(WorkUnit::Tokens), "+work"), (Work(WorkUnit::Images), "+work"), (Work(WorkUnit::Steps), "+work"),
];

#[rustfmt::skip] // a table reads as a table
const PHRASES: &[(Role, &str)] = &[
    (Noun(&[(Count, "num_gpus"), (Size, "gpu_ram"), (GbEach, "gpu_ram"), (GbInAll, "gpu_total_ram"),
        (Watts, "gpu_max_power"), (Celsius, "gpu_max_temp")]), "gpu"),
    (Noun(&[(Count, "num_gpus")]), "count|quantity|of them|units|x|gpu total|gpu in total|gpu altogether|gpu overall"),
    (Noun(&[(Count, "+rows")]), "top|first|limit|offer|result|row"),
    (Noun(&[(Size, "gpu_ram"), (GbEach, "gpu_ram"), (GbInAll, "gpu_total_ram"), (Bus, "gpu_mem_bw")]), "vram|\
        gpu memory|gpu ram"), (Noun(&[(Bus, "gpu_mem_bw")]), "memory bandwidth|gpu memory bandwidth"),
    (Noun(&[(Hourly, "dph_per_vram_gb")]), "gb of vram|gb vram"),
    (Noun(&[(Size, "cpu_ram")]), "ram|memory"), (Noun(&[(GbEach, "gpu_ram"), (Size, "gpu_ram")]), "memory"),
    (Noun(&[(Size, "cpu_ram")]), "system ram|system memory|cpu ram"),
    (Noun(&[(Size, "disk_space"), (Bytes, "disk_bw"), (PerGb, "storage_cost")]), "disk|nvme|fast nvme"),
    (Noun(&[(Size, "disk_space")]), "free disk|fast disk|volume|vol|shared disk|network drive|persistent volume|persistent disk|network volume|network disk|network storage"),
    (Noun(&[(Bytes, "disk_bw")]), "disk bandwidth|disk read|disk read bandwidth"),
    (Noun(&[(PerGb, "storage_cost"), (Dollars, "storage_cost")]), "disk price"),
    (Noun(&[(Bits, "inet_down"), (NetworkBytes, "inet_down"), (Size, "+down"), (PerGb, "inet_down_cost"),
        (PerTb, "internet_down_cost_per_tb")]), "down|download|download price|traffic|download traffic"),
    (Noun(&[(Size, "+down")]), "dataset|data|data in|transfer"),
    (Noun(&[(Bits, "inet_up"), (NetworkBytes, "inet_up"), (Size, "+up"), (PerGb, "inet_up_cost"), (PerTb, "internet_up_cost_per_tb")]), "up|\
        upload|upload price|upload traffic"), (Noun(&[(Size, "+up")]), "out|results"),
    (Noun(&[(Bits, "inet_down"), (NetworkBytes, "inet_down"), (Bits, "inet_up"), (PerGb, "inet_down_cost")]), "bandwidth"),
    (Noun(&[(Bits, "inet_down"), (NetworkBytes, "inet_down")]), "internet|inet_down"),
    (Noun(&[(Bits, "inet_up"), (NetworkBytes, "inet_up")]), "inet_up"),
    (Noun(&[(Size, "vram")]), "gpu_ram"), (Noun(&[(Bits, "+both"), (NetworkBytes, "+both")]), "up and down|symmetric|both ways"),
    (Noun(&[(Share, "rel")]), "reliability|reliable|rel|uptime"),
    (Noun(&[(Share, "rel"), (Time, "duration")]), "availability"), (Noun(&[(Share, "discount_rate")]), "discount|off"),
    (Noun(&[(Time, "duration")]), "available|available for|available for the next|remaining|left|time left|rentable|\
        rentable for|duration|not going offline for"), (Noun(&[(Time, "+hours"), (Time, "+term")]), "job|run|rental|rent|term|training"),
    (Noun(&[(Count, "cpu_cores_effective"), (Gigahertz, "cpu_ghz")]), "core|cpu|vcpu|thread"),
    (Noun(&[(Gigahertz, "cpu_ghz")]), "cpu clock|clock"),
    (Noun(&[(Count, "direct_port_count")]), "port|open port|port open|direct port"),
    (Noun(&[(Bus, "bw_nvlink")]), "nvlink"), (Noun(&[(Plain, "pci_gen"), (Bus, "pcie_bw")]), "pcie|gen"),
    (Noun(&[(Bus, "pcie_bw")]), "pcie bandwidth"),
    (Noun(&[(Watts, "gpu_max_power")]), "power|power limit|max power|tdp"),
    (Noun(&[(Celsius, "gpu_max_temp")]), "temp|temperature|max temp|max temperature"),
    (Noun(&[(Teraflops, "total_flops")]), "tflops|flops"), (Noun(&[(Plain, "dlperf")]), "dlperf"),
    (Noun(&[(Plain, "dlperf_per_dphtotal")]), "dlperf per dollar|dlperf / $|dlperf / dollar|value|value for money|bang for the buck|bang for buck|\
        price / dlperf|cost effective"), (Noun(&[(Plain, "flops_per_dphtotal")]), "tflops per dollar|flops per dollar|tflop per dollar|tflops / $|flops / $|flops / dollar"),
    (Noun(&[(Plain, "cuda_max_good")]), "cuda"), (Noun(&[(Plain, "os_version")]), "ubuntu"),
    (Noun(&[(Plain, "driver_version")]), "driver|nvidia driver"),
    (Noun(&[(Plain, "compute_cap")]), "compute capability|compute cap|sm"),
    (Noun(&[(Dollars, "dph_total"), (Dollars, "storage_cost"), (Hourly, "dph_total"), (Each, "dph_per_gpu"),
        (Bill, "job_cost")]), "price|pay|bill|$|$ / h|$ / hr|$ / hour|$ per hour|price / h|price / hr|price / hour"),
    (Noun(&[(Count, "max_workers"), (Count, "+workers")]), "worker|max worker|maximum worker|max_worker|serverless worker"), (Noun(&[(Count, "cold_workers")]), "cold worker|cold"),
    (Noun(&[(Count, "test_workers")]), "test worker"), (Noun(&[(Plain, "min_load")]), "load"),
    (Noun(&[(Share, "target_util")]), "target|utilization|target utilization"),
    (Noun(&[(Plain, "cold_mult")]), "reserve"), (Noun(&[(Time, "age")]), "age|old"),
    (Noun(&[(Dollars, "min_bid"), (Hourly, "min_bid")]), "min bid|minimum bid|lowest bid"),
    (Noun(&[(Dollars, "job_cost"), (Bill, "job_cost"), (Hourly, "dph_total")]), "budget|spend|total price|job price"),
    (Fixed("verified=true", "verified=false"), "verified"),
    (Fixed("verified=false", "verified=true"), "unverified"),
    (Fixed("verified=any", ""), "verified or not|no verification needed|verification not needed|including unverified|unverified ok|unverified is fine"),
    (Fixed("rentable=true", "rentable=false"), "rentable"), (Fixed("rented=false", "rented=true"), "not rented|unrented"),
    (Fixed("rel>=0.99", ""), "reliable|stable|good reliability|high reliability|good uptime|high uptime"),
    (Fixed("datacenter=true", "datacenter=false"), "datacenter|datacentre|data center|data centre|dc|secure cloud"),
    (Fixed("static_ip=true", ""), "static ip|fixed ip|dedicated ip"),
    (Fixed("direct_port_count>=1", ""), "open port|direct port"), (Fixed("duration>=30", ""), "long term"),
    (Fixed("disk_bw>=1000", ""), "nvme|fast disk|fast nvme"), (Fixed("inet_down>=1Gbps", ""), "gigabit|fast internet|\
        good internet|fast download|fast download bandwidth|gigabit internet|gigabit download|\
        gigabit download or better"), (Fixed("inet_up>=1Gbps", ""), "fast upload|gigabit upload"),
    (Fixed("num_gpus=1", ""), "single"), (Fixed("num_gpus>=2", ""), "multi gpu"), (Fixed("gpu_frac=1", "gpu_frac<1"), "whole machine|not shared"),
    (Fixed("bw_nvlink>0", "bw_nvlink=0"), "nvlink|nvlinked"), (Fixed("gpu_arch=nvidia", "gpu_arch!=nvidia"), "nvidia"),
    (Fixed("gpu_arch=amd", "gpu_arch!=amd"), "amd|rocm"),
    (Fixed("cpu_arch=arm64", "cpu_arch!=arm64"), "arm|arm cpu|arm64|arm64 cpu"), (Fixed("cpu_arch=amd64", "cpu_arch!=amd64"), "x86|x86 64|x64|amd64"),
    (Fixed("vms_enabled=true", "vms_enabled=false"), "vm|vm support|vm capable|virtual machine|virtual machine support"),
    (Fixed("compute_cap>=890", "compute_cap<890"), "fp8|fp8 capable"),
    (Fixed("compute_cap>=1000", "compute_cap<1000"), "blackwell"),
    (Fixed("compute_cap>=600 compute_cap<700", ""), "pascal"), (Fixed("compute_cap=700", ""), "volta"),
    (Fixed("compute_cap=750", ""), "turing"), (Fixed("compute_cap>=800 compute_cap<890", ""), "ampere"),
    (Fixed("compute_cap=890", ""), "ada|ada lovelace"), (Fixed("compute_cap=900", ""), "hopper"),
    (Fixed("inet_down_cost=0", ""), "free download|free download traffic"),
    (Fixed("inet_down_cost=0 inet_up_cost=0", ""), "free traffic|free bandwidth|free internet traffic|traffic is free|internet traffic is free|\
        traffic free|no traffic price|traffic price nothing|bandwidth is free"),
    (Fixed("type:bid", "type:on-demand"), "spot|interruptible|preemptible|bid"),
    (Fixed("type:on-demand", ""), "on demand|ondemand|uninterrupted|without interruption|without being interrupted"),
    (Fixed("order:min_bid", ""), "lowest bid|cheapest bid"),
    (Fixed("type:reserved", ""), "reserved|prepaid|paid in advance"), (Fixed("order:duration-", ""), "longest"),
    (Fixed("order:score-", ""), "best"), (Fixed("order:dlperf-", ""), "fastest"),
    (Fixed("order:dlperf_per_dphtotal-", ""), "value for money|cost effective"), (Fixed("hours:24", ""), "daily|per day"),
    (Fixed("hours:336", ""), "fortnight"), (Fixed("hours:2160", ""), "quarter|a quarter|quarter of a year"), (Fixed("hours:168", ""), "weekly|weekly rental|per week"),
    (Fixed("hours:720", ""), "monthly|monthly rental|per month"), (Fixed("hours:8760", ""), "per year"),
    (Unit(Size, 1.0), "gb|gib|g|gig|gigabyte"), (Unit(Size, 1e3), "tb|terabyte"),
    (Unit(Bits, 1.0), "mbps|mbit|mbit / s|megabit"), (Unit(Bits, 1e3), "gbps|gbit|gbit / s|gigabit|g|gig"),
    (Unit(Bytes, 1.0), "mb / s|mb per second"), (Unit(Bytes, 1e3), "gb / s|gb per second"),
    (Unit(Bus, 1e-3), "mb / s|mb per second"), (Unit(Bus, 1.0), "gb / s|gb per second"),
    (Unit(Bus, 1e3), "tb / s"), (Unit(Time, 1.0), "h|hr|hrs|hour"), (Unit(Time, 24.0), "d|day"),
    (Unit(Time, 168.0), "w|wk|week"), (Unit(Time, 720.0), "mo|month"), (Unit(Time, 8760.0), "y|year"),
    (Unit(Time, 1.0 / 60.0), "min|minute"), (Unit(Dollars, 1.0), "$|dollar|usd|buck"),
    (Unit(Dollars, 0.01), "cent|c|ct|¢"), (Unit(Foreign, 1.0), "euro|eur|€|pound|gbp|£|yen|jpy|rupee|inr|yuan|cny|rmb|franc|chf|cad|aud"), (Unit(Share, 0.01), "%|percent"), (Unit(Gigahertz, 1.0), "ghz"),
    (Unit(Gigahertz, 1e-3), "mhz"), (Unit(Watts, 1.0), "w|watt"), (Unit(Watts, 1e3), "kw"),
    (Unit(Celsius, 1.0), "c|° c|degree|celsius"), (Unit(Teraflops, 1.0), "tflops"), (Unit(Teraflops, 1e3), "pflops"),
    (Compare(Neq, &[]), "!="), (Compare(Gt, &[]), ">"), (Compare(Lt, &[]), "<"), (Compare(Eq, &[]), "=|==|exactly|equal to"), (Compare(Gte, &[]), "from"), (Compare(Lte, &PRICES), "from"),
    (Compare(Lte, &[]), "<=|≤|at most|max|maximum|up to|limited to|capped at|cap|not exceed|not exceeding|not price more than"), (Compare(Lte, &PRICES), "threshold|falls to|fall to|drops to|drop to|reaches|reach|hits|hit"), (Compare(Gte, &[]), ">=|≥|at least|min|minimum"),
    (Behind(Gte), "and up|or later|and later|at least|minimum|min"), (Behind(Lte), "max|maximum|at most|tops|cap"),
        (Not(true), "not|no|non|nothing|none|never|nor|neither|without|except|except for|excluding|exclude|excl|\
        outside|outside of|other than|besides|apart from|aside from|leave out|leaving out|hide|ignore|ignoring|block|\
        don't show|don't show me|do not show|don't want|do not want|never show|never show me|avoid|avoiding|skip|ban|minus|anywhere but|anything but|\
        anywhere except|but not|don't|isn't|doesn't|can't|can't be|cannot|cannot be"),
    (Not(false), "don't need|do not need|not needed|not required|not necessary|not necessarily|\
        doesn't have to be|does not have to be|need not be|needn't be"),
    (Best(Some(true), EVERY), "most|highest|largest|biggest|greatest|longest"),
    (Best(Some(false), EVERY), "lowest|least|smallest|fewest|shortest|coolest"),
    (Best(Some(true), &[Bits, Bytes, Gigahertz]), "fastest"), (Best(None, GOOD), "best|top"),
    (Best(Some(false), &[Dollars, PerGb, Hourly]), "cheapest|cheap|low|least expensive|cheaper|whichever is cheaper|\
        super cheap|as cheap as possible"), (Best(None, EVERY), "sort by|sort everything by|sort them by|sort all by|order by|sorted by|by|sort|order"),
    (Direction(Some(true)), "descending|desc|high to low|highest first"),
    (Direction(Some(false)), "ascending|asc|low to high|lowest first"), (Direction(None), "first"),
    (Per(Each, 1.0), "each"), (Per(Bill, 1.0), "total|in total|altogether|all in|overall|for the job|for the whole job|for the whole machine|across all gpus"),
    (Per(GbInAll, 1.0), "over|across"), (Per(Hourly, 1.0), "hourly"), (Per(Hourly, 24.0), "daily"),
    (Per(Hourly, 168.0), "weekly"), (Per(Hourly, 720.0), "monthly"), (Thing, "inference|training|train|fine tuning|\
        fine tune|lora|llm|serving|ai|ml|deep learning|rendering|render|blender|stable diffusion|sdxl|comfyui|whisper|\
        llama|deepseek|yolo|render farm|animation|batch job|batch|simulation|image generation|small job|24 / 7|model|7 b|\
        8 b|70 b|gpu|machine|host|offer|type|region|country|location|price|budget|term|job|run|generation|\
        architecture|requirement|one machine|single machine|1 machine|1 host|one host|single host|finetuning|\
        fine tuning|finetune|pretraining|pytorch|tensorflow|vllm|ollama|octane|redshift|hashcat|homework|testing|test|\
        experiment|research|gpu cluster|cluster of|a cluster of|fleet|distributed|multi node|which country|which region|to render|to generate|to process|to train|to run|to do|to make|\
        to finish|to produce|to rent|to buy|to get|to see|to have|to use"),
    (Filler, "a|an|the|i|i'm|i'd|we|want to|like to|could you|can you|would|you|me|my|it|that|this|there|is|are|be|am|need|want|looking|find|show|get|give|rent|\
        use|please|pls|plz|kindly|thanks|thx|thank you|hi|hello|hey|has|have|been|having|who|which|could|could i|can i|may|might|such|\
        will|do|doe|did|so|searching|search|seeking|hunting|wondering|wonder|wonder whether|whether|list|display|see|\
        everything|whatever is|whichever is|ones|sit|stay|staying|become|drop|fall|go|goe|get|was|were|keep|finish|finishe|complete|really|\
        renting|process|generate|produce|crunch|create|make|set up|spread|split|distribute|\
        quite|very|maybe|again|still|our|their|its|them|they|we have|i've|we'd|there's|what's|sure|way|\
        enough|etc|connected|any|some|all|just|only|also|either|now|today|tonight|right now|what|how much|\
        with the bill|with bill|and the bill|the bill|runner up|runner - up|and runner up|and the runner up|with runner up|with the runner up|\
        per hour|hourly|asap|then|like|running|located|based|hosted|must|should|can|anything|something|anywhere"),
    (Joint, "with|w /|@|and|but|plus|for|of|on|at|in|+|:|/|if|when|where|as long as|while"),
    (Half, "and a half"), (Number(0.5), "half"), (Number(1.0), "one|single"), (Number(2.0), "two|dual|couple"), (Number(3.0), "three"),
    (Number(4.0), "four|quad"), (Number(5.0), "five"), (Number(6.0), "six"), (Number(7.0), "seven"),
    (Number(8.0), "eight"), (Number(9.0), "nine"), (Number(10.0), "ten"), (Number(12.0), "twelve|dozen"),
    (Number(11.0), "eleven"), (Number(14.0), "fourteen"), (Number(15.0), "fifteen"), (Number(16.0), "sixteen"),
    (Number(18.0), "eighteen"), (Number(20.0), "twenty"), (Number(24.0), "twenty four|two dozen"), (Number(30.0), "thirty"),
    (Number(32.0), "thirty two"), (Number(40.0), "forty"), (Number(48.0), "forty eight"), (Number(50.0), "fifty"),
    (Number(60.0), "sixty"), (Number(64.0), "sixty four"), (Number(100.0), "hundred|a hundred|one hundred"),
];

/// Units of a speed whose letters decide between bits and bytes; those of `gb/s` of a network do not.
#[rustfmt::skip]
const RATES: [(&str, &[(Dim, f64)]); 5] = [
    ("MB / s|MBps", &[(Bytes, 1.0), (Bus, 1e-3), (NetworkBytes, 1.0)]),
    ("GB / s|GBps", &[(Bytes, 1e3), (Bus, 1.0), (NetworkBytes, 1e3)]),
    ("Mb / s", &[(Bits, 1.0)]), ("Gb / s", &[(Bits, 1e3)]), ("MBPS|GBPS", &[]),
];

/// The units of a speed as typed (`MB / s`); empty if its letters fit none. `None` unless its letters decide
/// between bits and bytes.
pub(super) fn speed_units(raw: &str) -> Option<&'static [(Dim, f64)]> {
    let mut rates = RATES.iter();
    rates
        .find(|(names, _)| names.split('|').any(|name| name == raw))
        .map(|(_, units)| *units)
}

/// The dimension of a unit in combination with a basis: unit, basis, result.
#[rustfmt::skip]
pub(super) const BASED: [(Dim, Dim, Dim); 13] = [
    (Dollars, Hourly, Hourly), (Each, Hourly, Each), (Dollars, Each, Each), (Hourly, Each, Each), (Size, Each, GbEach),
    (Dollars, Bill, Bill), (Hourly, Bill, Hourly), (Size, Bill, GbInAll), (GbInAll, Bill, GbInAll),
    (Size, GbInAll, GbInAll), (Teraflops, Bill, Teraflops), (Dollars, PerGb, PerGb), (Dollars, PerTb, PerTb),
];

/// The bases of a price, after each of `per`, `/`, `a`, `an`, `each`, `every`.
#[rustfmt::skip]
const BASES: &[(Role, &str)] = &[
    (Per(Hourly, 1.0), "h|hr|hour"), (Per(Hourly, 24.0), "d|day"), (Per(Hourly, 168.0), "week"),
    (Per(Hourly, 720.0), "mo|month"), (Per(Each, 1.0), "gpu|gpu hour|gpu hr|gpu h"), (Per(PerTb, 1.0), "tb"),
    (Per(PerGb, 1.0), "gb|gig|gb month|gb mo|gb per month|gb / month|gb a month"),
];

/// Comparing words, the `than` after them, and the dimensions they compare, all if empty.
///
/// `not less than` and `or less` follow from `less than`.
#[rustfmt::skip]
const COMPARATIVES: [(Operator, &str, &str, &[Dim]); 13] = [
    (Lt, " than", "less|lower|fewer|smaller", &[]),
    (Gt, " than", "more|greater|higher|bigger|larger|better", &[]),
    (Lt, "", "under|below", &[]), (Gt, "", "over|above|exceeding|exceed", &[]),
    (Lt, " than", "cheaper", &PRICES), (Lt, " than", "shorter", &[Time]),
    (Gt, " than", "longer", &[Time]), (Lt, " than", "slower", SPEEDS),
    (Gt, " than", "faster", SPEEDS), (Lt, " than", "cooler", &[Celsius]),
    (Gt, " than", "hotter", &[Celsius]), (Lt, " than", "older", &[Plain]),
    (Gt, " than", "newer", &[Plain]),
];

/// Synonyms, besides plurals.
#[rustfmt::skip]
const SAME: [(&str, &str); 9] = [
    ("gpu", "card cards accelerator accelerators"), ("disk", "disc storage space ssd hdd drive drives"),
    ("machine", "box boxes node nodes server servers rig rigs instance instances"),
    ("bandwidth", "speed throughput bw"), ("price", "cost costs pricing rate rates"),
    ("internet", "network networking net connection ethernet"), ("download", "downloading downloaded ingress"),
    ("upload", "uploading uploaded egress"), ("dlperf", "dlp performance perf compute powerful"),
];

/// The possible roles of each phrase.
static LEXICON: LazyLock<HashMap<String, Vec<Role>>> = LazyLock::new(|| {
    let mut lexicon: HashMap<String, Vec<Role>> = HashMap::new();
    let mut add = |phrase: &str, role: Role| lexicon.entry(folded(phrase)).or_default().push(role);
    for (role, phrases) in PHRASES {
        phrases.split('|').for_each(|phrase| add(phrase, *role));
    }
    for (question, phrases) in QUESTIONS {
        phrases.split('|').for_each(|phrase| add(phrase, Ask(question)));
    }
    for joint in ["per", "/", "a", "an", "each", "every"] {
        for (role, words) in BASES {
            words.split('|').for_each(|word| add(&format!("{joint} {word}"), *role));
        }
    }
    for (unit, (names, factor)) in WorkUnit::ALL
        .into_iter()
        .flat_map(|unit| MULTIPLES.map(|own| (unit, own)))
    {
        for (name, spelling) in names
            .iter()
            .flat_map(|name| spellings(unit).map(move |own| (name, own)))
        {
            add(format!("{name} {spelling}").trim(), Unit(Work(unit), factor));
            for second in ["/ s", "/ sec", "/ second", "per s", "per sec", "per second", "a second"] {
                add(
                    format!("{name} {spelling} {second}").trim(),
                    Unit(WorkRate(unit), factor),
                );
            }
        }
        for (name, abbreviation) in names.iter().flat_map(|name| rates(unit).map(move |own| (name, own))) {
            add(format!("{name} {abbreviation}").trim(), Unit(WorkRate(unit), factor));
        }
    }
    for (operator, than, words, dims) in COMPARATIVES {
        let (opposite, inclusive) = if operator == Lt { (Gte, Lte) } else { (Lte, Gte) };
        for word in words.split('|') {
            for (phrase, role) in [
                (format!("{word}{than}"), Compare(operator, dims)),
                (format!("not {word}{than}"), Compare(opposite, dims)),
                (format!("no {word}{than}"), Compare(opposite, dims)),
                (format!("nothing {word}{than}"), Compare(opposite, dims)),
                (format!("at or {word}"), Compare(inclusive, dims)),
                (format!("{word}{than} or equal to"), Compare(inclusive, dims)),
                (format!("or {word}"), Behind(inclusive)),
                (format!("and {word}"), Behind(inclusive)),
            ] {
                add(&phrase, role);
            }
        }
    }
    lexicon
});

/// The spellings of a unit of work after a number: its noun and its abbreviations.
fn spellings(unit: WorkUnit) -> impl Iterator<Item = &'static str> {
    let own: &[_] = match unit {
        WorkUnit::Tokens => &["token", "tok"],
        WorkUnit::Images => &["image", "img", "picture", "frame"],
        WorkUnit::Steps => &["step", "iteration", "iter"],
    };
    own.iter().copied()
}

/// The abbreviations of a unit's rate that are no abbreviation of the unit: `tps`, `it/s`.
fn rates(unit: WorkUnit) -> impl Iterator<Item = &'static str> {
    let own: &[_] = match unit {
        WorkUnit::Tokens => &["tps", "t / s", "tk / s"],
        WorkUnit::Images => &["fps"],
        WorkUnit::Steps => &["it / s", "its / s"],
    };
    own.iter().copied()
}

/// A phrase in lower case in the form of the vocabulary, singular and without synonyms: `boxes` become
/// `machine`, `hours` become `hour`.
pub(super) fn folded(phrase: &str) -> String {
    /// The singular of a word, or the word it is a synonym of.
    fn word(word: &str) -> &str {
        let same = SAME.iter().find(|(_, words)| words.split(' ').any(|same| same == word));
        // `minutes` is not the plural of `min`.
        let is_plural = |stem: &&str| {
            stem.len() > 2 && *stem != "min" && stem.contains(['a', 'e', 'i', 'o', 'u']) && !stem.ends_with('s')
        };
        let stem = word.strip_suffix('s').filter(is_plural).unwrap_or(word);
        same.map_or(stem, |(meant, _)| *meant)
    }
    phrase.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The possible roles of a phrase in lower case, also in the plural or as a synonym; empty if it is unknown.
pub(super) fn roles(phrase: &str) -> &'static [Role] {
    LEXICON.get(&folded(phrase)).map_or(&[], |roles| roles)
}

/// Whether a word, in any case, is in the vocabulary with a role other than a number.
pub(super) fn is_known(word: &str) -> bool {
    let roles = roles(&word.to_lowercase());
    roles.iter().any(|role| !matches!(role, Number(_)))
}

/// All words of the phrases of the vocabulary, in no order and with repetitions, for suggestions.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    LEXICON.keys().flat_map(|phrase| phrase.split(' '))
}
