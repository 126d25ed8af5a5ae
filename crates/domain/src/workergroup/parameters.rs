//! The thirteen parameters of a workergroup, as one table.

/// A parameter of `POST /api/v0/workergroups/`, in the order of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    EndpointName,
    EndpointId,
    TemplateHash,
    TemplateId,
    SearchParams,
    LaunchArgs,
    MinLoad,
    TargetUtil,
    ColdMult,
    ColdWorkers,
    MaxWorkers,
    TestWorkers,
    GpuRam,
}

impl Key {
    /// All thirteen parameters, in the order of the specification.
    pub fn all() -> impl Iterator<Item = Self> {
        PARAMETERS.iter().map(|row| row.key)
    }

    /// The parameter's row in the table, with its label, kind, default and help.
    pub const fn parameter(self) -> &'static Parameter {
        &PARAMETERS[self as usize]
    }

    /// The name of the parameter in requests: `max_workers`.
    pub const fn wire(self) -> &'static str {
        self.parameter().name
    }

    /// The parameter with the exact wire name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|key| key.wire() == name)
    }
}

/// The type of a parameter's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    Text,
    /// A text in the query language, over machine offers.
    Search,
    Number,
    /// A ratio: 0.9 or 90%.
    Ratio,
    Whole,
    Id,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    pub key: Key,
    /// The name on the wire.
    pub name: &'static str,
    pub label: &'static str,
    /// The type of its text.
    pub kind: ParameterKind,
    /// The server's default as text; `None` if the specification has none.
    pub default: Option<&'static str>,
    /// One or two sentences for the form.
    pub doc: &'static str,
    /// The reason setting it has no effect; `None` if it has, as far as known.
    pub inert: Option<&'static str>,
}

/// The reason the scaling parameters have no effect: the market's autoscaler reads them from the endpoint.
const ON_THE_ENDPOINT: &str = "The public market ignores it on a workergroup and uses the endpoint's value.";

/// A parameter of the table without a default, and with an effect.
const fn row(key: Key, name: &'static str, label: &'static str, kind: ParameterKind, doc: &'static str) -> Parameter {
    Parameter {
        key,
        name,
        label,
        kind,
        default: None,
        doc,
        inert: None,
    }
}

impl Parameter {
    /// The parameter with the server's default, as text.
    const fn default(mut self, text: &'static str) -> Self {
        self.default = Some(text);
        self
    }

    /// The parameter marked as without effect, because the endpoint's value counts.
    const fn inert(mut self) -> Self {
        self.inert = Some(ON_THE_ENDPOINT);
        self
    }
}

/// The table, in the order of the keys.
#[rustfmt::skip] // a table reads as a table
pub static PARAMETERS: [Parameter; 13] = [
    row(Key::EndpointName, "endpoint_name", "Endpoint", ParameterKind::Text,
        "Endpoint whose requests the group's workers serve."),
    row(Key::EndpointId, "endpoint_id", "Endpoint id", ParameterKind::Id,
        "Id of an existing endpoint, instead of its name."),
    row(Key::TemplateHash, "template_hash", "Template hash", ParameterKind::Text,
        "Hash of the template that workers start from."),
    row(Key::TemplateId, "template_id", "Template id", ParameterKind::Id,
        "Id of the template, instead of its hash."),
    row(Key::SearchParams, "search_params", "Search", ParameterKind::Search,
        "Search that finds machines for workers, in the query language; an alternative to a template. \
         The filter for GPU memory belongs here.").default("verified=true rentable=true rented=false"),
    row(Key::LaunchArgs, "launch_args", "Launch args", ParameterKind::Text,
        "Extra arguments for launching workers."),
    row(Key::MinLoad, "min_load", "Min load", ParameterKind::Number,
        "Minimum load to keep capacity for, in cost per second.").default("1").inert(),
    row(Key::TargetUtil, "target_util", "Target", ParameterKind::Ratio,
        "Target utilization: capacity is load / target, so 0.9 keeps 11% in reserve.").default("0.9").inert(),
    row(Key::ColdMult, "cold_mult", "Reserve x", ParameterKind::Number,
        "Capacity with stopped (cold) workers, as a multiple of the active capacity.").default("3").inert(),
    row(Key::ColdWorkers, "cold_workers", "Cold workers", ParameterKind::Whole,
        "Minimum number of workers, including stopped ones.").default("3").inert(),
    row(Key::MaxWorkers, "max_workers", "Max workers", ParameterKind::Whole,
        "Maximum number of workers; test and cold ones may come on top.").default("20"),
    row(Key::TestWorkers, "test_workers", "Test workers", ParameterKind::Whole,
        "Workers started first to measure performance.").default("3").inert(),
    row(Key::GpuRam, "gpu_ram", "VRAM (GB)", ParameterKind::Whole,
        "Least GPU memory in GB (machine offers have MB). The public market uses it to estimate \
         bandwidth; to filter on memory, say gpu_ram in the search as well.").default("24"),
];
