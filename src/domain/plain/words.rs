//! The words around amounts, models and places, and those without a meaning.

use crate::domain::field::Operator;

/// Words in front of a number, the start of the condition that they form with it, and the factor
/// from the number to the field.
#[rustfmt::skip]
pub(super) const NUMBERED: &[(&str, &str, f64)] = &[
    ("cuda", "cuda_max_good>=", 1.0),
    ("cuda version", "cuda_max_good>=", 1.0),
    ("driver", "driver_version>=", 1.0),
    ("nvidia driver", "driver_version>=", 1.0),
    ("ubuntu", "os_version=", 1.0),
    ("compute capability", "compute_cap>=", 100.0),
    ("compute cap", "compute_cap>=", 100.0),
    ("sm", "compute_cap>=", 10.0),
    ("pcie gen", "pci_gen>=", 1.0),
    ("pci gen", "pci_gen>=", 1.0),
    ("pcie", "pci_gen>=", 1.0),
    ("gen", "pci_gen>=", 1.0),
    ("dlperf", "dlperf>=", 1.0),
    ("dlp", "dlperf>=", 1.0),
    ("host", "host_id=", 1.0),
    ("machine", "machine_id=", 1.0),
    ("cluster", "cluster_id=", 1.0),
    ("offer", "id=", 1.0), ("offer id", "id=", 1.0),
    ("host id", "host_id=", 1.0), ("hosts", "host_id=", 1.0), ("machine id", "machine_id=", 1.0),
    ("machines", "machine_id=", 1.0), ("cluster id", "cluster_id=", 1.0),
];

/// Words before or after a number that make it a bound.
#[rustfmt::skip]
pub(super) const BOUNDS: &[(&str, Operator)] = &[
    ("under", Operator::Lt), ("below", Operator::Lt), ("less than", Operator::Lt),
    ("cheaper than", Operator::Lt), ("at or below", Operator::Lte), ("at or under", Operator::Lte), ("at or above", Operator::Gte), ("at or over", Operator::Gte), ("nothing over", Operator::Lte), ("nothing above", Operator::Lte), ("nothing under", Operator::Gte), ("nothing below", Operator::Gte), ("not higher than", Operator::Lte), ("not lower than", Operator::Gte), ("equal to or less than", Operator::Lte), ("less than or equal to", Operator::Lte), ("no less", Operator::Gte), ("or more than", Operator::Gte), ("at a minimum", Operator::Gte), ("at minimum", Operator::Gte), ("at maximum", Operator::Lte), ("not exceeding", Operator::Lte), ("no higher than", Operator::Lte), ("not to exceed", Operator::Lte), ("capped at", Operator::Lte), ("cap of", Operator::Lte), ("limit of", Operator::Lte), ("upto", Operator::Lte), ("beneath", Operator::Lt), ("smaller than", Operator::Lt), ("lower than", Operator::Lt), ("fewer than", Operator::Lt),
    ("max", Operator::Lte), ("maximum", Operator::Lte), ("max of", Operator::Lte),
    ("maximum of", Operator::Lte), ("at most", Operator::Lte), ("up to", Operator::Lte),
    ("no more than", Operator::Lte), ("not more than", Operator::Lte), ("within", Operator::Lte),
    ("not over", Operator::Lte), ("not above", Operator::Lte),
    ("over", Operator::Gt), ("above", Operator::Gt), ("more than", Operator::Gt),
    ("greater than", Operator::Gt), ("better than", Operator::Gt), ("larger than", Operator::Gt), ("bigger than", Operator::Gt), ("higher than", Operator::Gt), ("faster than", Operator::Gt), ("longer than", Operator::Gt), ("in excess of", Operator::Gt),
    ("at least", Operator::Gte), ("min", Operator::Gte), ("minimum", Operator::Gte),
    ("min of", Operator::Gte), ("minimum of", Operator::Gte), ("starting at", Operator::Gte), ("a minimum of", Operator::Gte), ("a maximum of", Operator::Lte), ("a max of", Operator::Lte), ("a min of", Operator::Gte), ("not less than", Operator::Gte),
    ("no less than", Operator::Gte), ("no fewer than", Operator::Gte),
    ("not fewer than", Operator::Gte), ("not under", Operator::Gte), ("not below", Operator::Gte),
    ("limited to", Operator::Lte), ("restricted to", Operator::Lte), ("capped to", Operator::Lte),
    ("capped under", Operator::Lt), ("no greater than", Operator::Lte), ("no larger than", Operator::Lte),
    ("no bigger than", Operator::Lte), ("no hotter than", Operator::Lte), ("cooler than", Operator::Lt),
    ("hotter than", Operator::Gt), ("not exceed", Operator::Lte), ("doesn't exceed", Operator::Lte),
    ("does not exceed", Operator::Lte), ("not more", Operator::Lte), ("no longer than", Operator::Lte),
    ("not longer than", Operator::Lte), ("shorter than", Operator::Lt), ("starting from", Operator::Gte),
    ("upwards of", Operator::Gte), ("north of", Operator::Gt), ("south of", Operator::Lt),
    ("no slower than", Operator::Gte), ("not slower than", Operator::Gte), ("slower than", Operator::Lt),
    ("no older than", Operator::Gte), ("not older than", Operator::Gte), ("newer than", Operator::Gt),
    ("no smaller than", Operator::Gte), ("not smaller than", Operator::Gte), ("no lower than", Operator::Gte),
    ("no worse than", Operator::Gte), ("at the least", Operator::Gte), ("at the very least", Operator::Gte), ("at the most", Operator::Lte),
    ("anything under", Operator::Lt), ("anything below", Operator::Lt), ("anything over", Operator::Gt),
    ("anything above", Operator::Gt), ("somewhere under", Operator::Lt), ("well under", Operator::Lt), ("well over", Operator::Gt),
    ("less or equal to", Operator::Lte), ("equal to", Operator::Eq), ("precisely", Operator::Eq),
    ("a max", Operator::Lte), ("a minimum", Operator::Gte), ("or less than", Operator::Lt), ("exceeding", Operator::Gt),
    ("exceeds", Operator::Gt), ("topping out at", Operator::Lte), ("maxing out at", Operator::Lte),
    ("exactly", Operator::Eq),
];

/// Words behind an amount that make it a bound.
#[rustfmt::skip]
pub(super) const BOUNDS_BEHIND: &[(&str, Operator)] = &[
    ("or more", Operator::Gte), ("and up", Operator::Gte), ("and more", Operator::Gte),
    ("or better", Operator::Gte), ("or higher", Operator::Gte), ("or greater", Operator::Gte),
    ("or above", Operator::Gte), ("or over", Operator::Gte), ("or bigger", Operator::Gte), ("or larger", Operator::Gte), ("or faster", Operator::Gte), ("or longer", Operator::Gte), ("and over", Operator::Gte), ("upwards", Operator::Gte), ("or later", Operator::Gte), ("or below", Operator::Lte), ("or smaller", Operator::Lte), ("and under", Operator::Lte), ("at the most", Operator::Lte), ("and above", Operator::Gte), ("or newer", Operator::Gte),
    ("minimum", Operator::Gte), ("min", Operator::Gte), ("plus", Operator::Gte),
    ("or less", Operator::Lte), ("or lower", Operator::Lte), ("or under", Operator::Lte),
    ("or cheaper", Operator::Lte), ("or fewer", Operator::Lte), ("max", Operator::Lte), ("maximum", Operator::Lte),
    ("at most", Operator::Lte), ("tops", Operator::Lte),
    ("and below", Operator::Lte), ("or slower", Operator::Lte), ("or beyond", Operator::Gte),
    ("and beyond", Operator::Gte), ("and higher", Operator::Gte), ("and better", Operator::Gte),
    ("and newer", Operator::Gte), ("and larger", Operator::Gte), ("and bigger", Operator::Gte),
    ("and faster", Operator::Gte), ("and less", Operator::Lte), ("and lower", Operator::Lte),
    ("and fewer", Operator::Lte), ("at minimum", Operator::Gte), ("at a minimum", Operator::Gte),
    ("at the minimum", Operator::Gte), ("at the least", Operator::Gte), ("at the very least", Operator::Gte), ("at max", Operator::Lte),
    ("at maximum", Operator::Lte), ("at the maximum", Operator::Lte), ("cap", Operator::Lte), ("ceiling", Operator::Lte),
    ("upward", Operator::Gte), ("and upwards", Operator::Gte), ("and upward", Operator::Gte), ("or up", Operator::Gte), 
    ("or cooler", Operator::Lte), ("or shorter", Operator::Lte), ("or cheaper", Operator::Lte),
];

/// Words that exclude the models or places behind them.
#[rustfmt::skip]
pub(super) const NEGATIONS: &[&str] = &[
    "not", "no", "non", "except", "except for", "excluding", "exclude", "without", "outside",
    "outside of", "anywhere but", "anything but", "everywhere but", "anywhere except",
    "anything except", "other than", "but not", "nothing in", "nothing from", "none in", "none from", "ban", "skip", "but never", "anywhere except for", "everywhere except", "except in", "not in", "apart from", "aside from", "besides", "avoid", "avoiding", "never", "but no",
];

/// Words for what the GPUs are for and what no field tells: they are repeated as no condition.
#[rustfmt::skip]
pub(super) const PURPOSES: &[&str] = &[
    "inference", "inferencing", "training", "train", "pretraining", "finetuning", "finetune",
    "fine tuning", "fine tune", "lora", "llm", "llms", "llm serving", "llm inference", "serving",
    "ai", "ml", "machine learning", "deep learning", "research", "rendering", "render", "renders",
    "render farm", "blender", "stable diffusion", "sdxl", "flux", "comfyui", "comfy ui",
    "image generation", "video generation", "video editing", "transcoding", "video encoding",
    "transcription", "transcribing", "speech to text", "diffusion", "embedding", "embeddings", "ocr",
    "whisper", "llama",
    "mistral", "qwen", "deepseek", "vllm", "ollama", "pytorch", "tensorflow", "batch", "batch job",
    "batch jobs", "batch inference", "small job", "small jobs", "many small jobs", "many jobs", "large job", "large jobs",
    "gaming", "simulation", "simulations", "development", "testing", "experiments", "low latency",
    "rental", "rentals", "day", "ok", "okay", "model", "models", "workload", "workloads",
    "24 / 7", "4 bit", "8 bit", "16 bit", "4 bits", "8 bits", "not needed", "not required", "not necessary", "not important", "doesn't matter", "does not matter", "don't care", "if possible", "whisper large", "large v 3", "large batch", "large batches", "large model", "large models", "large scale", "linux", "ubuntu", "windows", "rstudio", "matlab", "webui", "automatic 1111", "a1111", "kohya", "unsloth", "axolotl", "sglang", "tensorrt", "onnx", "triton", "nim", "ray", "slurm", "k8s", "ssh", "gpt", "gpt 2", "bert", "vit", "unet", "gan", "reinforcement learning", "rl", "nlp", "vision", "images", "audio", "music", "voice", "voice cloning", "3d rendering", "animation", "vfx", "cgi", "cad", "maya", "3ds max", "davinci resolve", "premiere", "after effects", "encode", "encoding", "decode", "decoding", "compile", "compiling", "build", "builds", "ci", "bioinformatics", "genomics", "physics", "chemistry", "cfd", "fea", "monte carlo", "zk", "zk proofs", "proving", "always on", "around the clock", "non stop", "nonstop", "round the clock", "overnight", "tonight", "over the weekend", "production", "prod", "dev", "staging", "agents", "agent", "rag", "rlhf", "grpo", "sft", "qlora", "dreambooth", "gaussian splatting", "nerf", "octane", "redshift", "v ray", "vray", "cycles", "unreal", "houdini", "molecular dynamics", "gromacs", "folding", "alphafold", "hashcat", "mining", "jupyter", "notebook", "docker", "kubernetes", "tts", "text to speech", "image gen", "video gen", "wan", "hunyuan", "gemma", "phi", "mixtral", "llama 3", "gpt oss", "yolo", "computer vision", "data science", "cuda development", "quantized", "quantization", "distributed training", "multi node", "multinode", "hyperparameter search", "hyperparameter sweep", "sweep", "sweeps", "benchmark", "benchmarks", "benchmarking", "hobby", "hobby project", "school project", "thesis", "bot", "chatbot", "website", "service", "demo", "prototype", "poc", "startup", "no budget limit", "no budget", "no limit", "no price limit", "unlimited budget", "budget doesn't matter", "price doesn't matter", "cost doesn't matter", "price is no object", "money is no object", "price no object", "is fine", "are fine", "fine", "is ok", "are ok", "is okay", "any gpu", "any card", "any model", "any region", "any country", "any count", "any number", "any number of gpus", "any gpu count",
];

/// Words that ask for a place with the European Union's privacy law.
pub(super) const PRIVACY: &[&str] = &[
    "gdpr",
    "gdpr compliant",
    "gdpr compliance",
    "gdpr compatible",
    "gdpr friendly",
];

/// Words around a need that change nothing about it.
#[rustfmt::skip]
pub(super) const FILLERS: &[&str] = &[
    "i", "we", "need", "want", "would", "like", "looking", "find", "show", "get", "give", "me",
    "my", "a", "an", "the", "some", "any", "all", "with", "and", "or", "plus", "of", "for",
    "at", "in", "on", "to", "from", "by", "is", "are", "be", "that", "which", "has", "have",
    "having", "but", "only", "just", "please", "rent", "run", "running", "per", "located", "based",
    "within", "inside", "must", "should", "can", "gpu", "gpus", "card", "cards", "machine",
    "machines", "box", "boxes", "node", "nodes", "server", "servers", "instance", "instances",
    "offer", "offers", "rig", "rigs", "host", "hosts", "region", "country", "location", "price",
    "cost", "job", "budget", "about", "around", "first", "volume", "volumes", "storage", "disk",
    "anywhere", "anything", "something", "everything", "asap", "now", "today", "thanks", "hi",
    "hello", "there", "it", "so", "also", "around", "each", "generation", "architecture", "jobs", "use", "using", "support", "supports",
    "hosted", "transfer", "yo", "small", "modded", "like", "got", "lots", "pcs", "how", "much", "does", "did", "way", "ways", "either", "replacement", "replacing", "replace", "right", "now", "available", "offered", "offering", "around", "near", "nearby", "close", "closest", "nearest", "somewhere", "someone", "anyone", "could", "would", "will", "might", "may", "shall", "want", "wanted", "wants", "needs", "needed", "require", "required", "requires", "requirement", "requirements", "requiring", "search", "searching", "list", "listing", "listings", "tell", "see", "display", "pick", "choose", "select", "recommend", "suggest", "buy", "hire", "lease", "leasing", "renting", "rented", "use", "used", "usage", "uses", "user", "users", "while", "during", "until", "till", "because", "since", "though", "although", "however", "maybe", "perhaps", "roughly", "approximately", "approx", "circa", "basically", "really", "very", "quite", "simple", "whole", "count", "quantity", "qty", "amount", "term", "duration", "period", "area", "areas", "zone", "zones", "site", "sites", "place", "places", "they", "them", "their", "its", "he", "she", "his", "her", "than", "here", "when", "whenever", "next", "last", "other", "another", "everyone", "team", "company", "customers", "customer", "client", "clients", "people", "students", "colleagues", "lab", "home", "pc", "computer", "computers", "rack", "cloud", "provided", "includes", "included", "plus", "along", "together", "combined", "suitable", "enough", "spec", "specs", "config", "configuration", "configs", "hey", "hello", "pls", "plz", "thx", "ty", "asap", "urgent", "urgently", "soon", "quickly", "straight", "away", "immediately", "then", "capable", "still", "ones", "option", "options", "possible", "preferably", "ideally", "let's", "i'm", "im", "i'd", "ill", "what", "whats", "what's", "do", "you", "u", "if", "my", "our", "this", "these", "those", "as", "well", "too", "setup", "system", "systems", "hardware", "provider", "providers", "deal", "deals", "rentals", "project", "projects", "work", "task", "tasks", "model", "cpu", "cpus", "processor", "total", "overall", "limit", "temp",
];
