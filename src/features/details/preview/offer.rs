//! The card of a machine offer.

use ratatui::text::{Line, Span};

use super::{Card, difference, grouped_number, network_forms, price_forms};
use crate::domain::cost::{Gap, Prices};
use crate::domain::field::Unit;
use crate::domain::format::{percent, trimmed};
use crate::domain::insight::{FEWEST, Measure, Rank, share};
use crate::domain::unit::MB_PER_GB;
use crate::domain::{OfferType, Resource, format};
use crate::table::browser::Browser;
use crate::tui::text::{capitalized, cells};

/// The lines of an offer's card, from its name and price to its availability; facts that are not reported are
/// left out.
pub(super) fn lines(card: &Card<'_>) -> Vec<Line<'static>> {
    let browser = &card.subject.state.browsers[Resource::Offers];
    let mut lines = card.title(name(card), card.text("geolocation"));
    lines.push(price(card, browser));
    lines.extend(missing_rate_note(card, browser));
    lines.extend(super::price_change(card, browser, format::per_hour));
    lines.extend(models(card, browser));
    let mut note = ranking_note(card, browser);
    // The figures below keep their place from row to row.
    note.resize(note.len().max(2), Line::default());
    lines.extend(note);
    lines.extend(card.rating(Resource::Offers));
    lines.push(Line::default());
    lines.extend(bars(card, browser));
    lines.push(Line::default());
    lines.extend(card.dotted([cpu(card), ram(card)]));
    lines.extend(card.dotted([disk(card), storage(card)]));
    lines.extend(
        card.dotted([
            card.number("cuda_max_good")
                .map(|version| format!("CUDA {}", trimmed(version, 1))),
            card.text("driver_version").map(|version| format!("driver {version}")),
            pcie(card),
        ]),
    );
    lines.extend(
        card.dotted([
            card.text("verification"),
            card.number("hosting_type").map(hosting),
            card.flag("static_ip")
                .and_then(|fixed| fixed.then(|| "static IP".to_owned())),
            card.number("direct_port_count")
                .map(|ports| format!("{} ports", trimmed(ports, 0))),
        ]),
    );
    lines.extend(availability(card));
    lines.push(Line::default());
    lines
}

/// The last lines of an offer's card: its machine and host, and the user's annotations of them.
pub(super) fn supplier(card: &Card<'_>) -> Vec<Line<'static>> {
    let mut lines = card.dotted([machine(card), host(card)]);
    lines.extend(card.annotations());
    lines
}

/// The name of the offer: `1× RTX 4090 24 GB`; `?` for an unknown number, and `GPU` for an unknown model.
pub(super) fn name(card: &Card<'_>) -> String {
    let count = card
        .number("num_gpus")
        .map_or_else(|| "?".to_owned(), |count| trimmed(count, 0));
    let model = card.text("gpu_name").unwrap_or_else(|| "GPU".to_owned());
    let memory = card
        .number("gpu_ram")
        .map(|megabytes| format!(" {}", format::gigabytes(format::nominal_gb(megabytes))));
    format!("{count}× {model}{}", memory.unwrap_or_default())
}

/// The line of the price: $/h (after `~` if it includes the storage of the search), that per GPU if there are
/// several, the bill of the job if there is one, and `◆ best value`, with a job `◆ best for the job`, for a
/// member of the Pareto front. Where they do not fit, that is shortened first, then the price per GPU is left out.
fn price(card: &Card<'_>, browser: &Browser) -> Line<'static> {
    let row = u32::try_from(card.subject.row).ok();
    let front = browser.computed.front();
    let is_best = front.is_some_and(|front| row.is_some_and(|row| front.contains(row)));
    let marks: &[&str] = match (is_best, browser.pricing().job.is_some()) {
        (false, _) => &[""],
        (true, true) => &["  ◆ best for the job", "  ◆ best", "  ◆"],
        (true, false) => &["  ◆ best value", "  ◆ best", "  ◆"],
    };
    let forms = [true, false].into_iter().flat_map(|has_per_gpu| {
        let line = price_and_bill(card, browser, has_per_gpu);
        marks.iter().map(move |mark| {
            let mut line = line.clone();
            line.push_span(Span::styled(*mark, card.theme().good));
            line
        })
    });
    let forms: Vec<Line<'static>> = forms.collect();
    let fitting = forms.iter().find(|line| line.width() <= usize::from(card.width));
    fitting.or(forms.last()).cloned().unwrap_or_default()
}

/// The price of an offer, with `has_per_gpu` also that per GPU if there are several, and the bill of the job if
/// there is one.
fn price_and_bill(card: &Card<'_>, browser: &Browser, has_per_gpu: bool) -> Line<'static> {
    let theme = card.theme();
    let pricing = browser.pricing();
    let prices = Prices::new(card.subject.listing, pricing.model);
    let mut line = Line::default();
    match prices.hourly(card.subject.row, pricing.gb) {
        Ok(hourly) => {
            let estimate = if pricing.gb.is_some() { "~" } else { "" };
            let text = format!("{estimate}{}", format::per_hour(hourly));
            line.push_span(Span::styled(text, theme.figure()));
            let per_gpu = prices.per_unit(card.subject.row, hourly).gpu;
            if let Some(per_gpu) = per_gpu.filter(|price| has_per_gpu && hourly - price > 1e-9) {
                let text = format!("  {} per GPU", format::per_hour(per_gpu));
                line.push_span(Span::styled(text, theme.dim));
            }
        }
        Err(_) => line.push_span(Span::styled("Price not reported", theme.warning)),
    }
    if pricing.job.is_some() {
        let cost = card.computed("job_cost");
        let bill = cost.map_or_else(|| "—".to_owned(), format::dollars);
        line.push_span(Span::styled("  job ", theme.dim));
        line.push_span(Span::styled(bill, theme.figure()));
    }
    line
}

/// A note that names the throughput the job's hours depend on, if it is missing; otherwise empty.
fn missing_rate_note(card: &Card<'_>, browser: &Browser) -> Vec<Line<'static>> {
    let pricing = browser.pricing();
    let prices = Prices::new(card.subject.listing, pricing.model);
    let gap = pricing
        .job
        .and_then(|job| prices.job_hours(card.subject.row, &job).err());
    match gap {
        Some(gap @ Gap::NoRate(..)) => card.sentence(&format!("! {gap}"), card.theme().warning),
        _ => Vec::new(),
    }
}

/// The prices of the other price models, from their own searches if loaded, or else from this record, each
/// with the difference to the on-demand price. `None` if none is known; a reserved price without a discount
/// and a bid above the on-demand price are left out.
fn models(card: &Card<'_>, browser: &Browser) -> Option<Line<'static>> {
    let pricing = browser.pricing();
    let row = card.subject.row;
    let price = |model| {
        let prices = Prices::new(card.subject.listing, model);
        prices.hourly(row, pricing.gb).ok()
    };
    let loaded = |key: &str, saving: &str| Some((card.computed(key)?, card.computed(saving)));
    let full = price(OfferType::OnDemand);
    let recorded = |model| {
        // Only an on-demand search has the on-demand price to compare the others with.
        let full = full.filter(|_| pricing.model == OfferType::OnDemand);
        let price = price(model)?;
        let saving = full.filter(|full| *full > 0.0).map(|full| 1.0 - price / full);
        Some((price, saving))
    };
    let written = |(price, saving): (f64, Option<f64>)| {
        let saving = saving.map(|saving| format!(" ({})", difference(saving)));
        format!("{}{}", format::per_hour(price), saving.unwrap_or_default())
    };
    let mut parts = Vec::new();
    if pricing.model != OfferType::OnDemand
        && let Some(price) = card.computed("price_on_demand")
    {
        parts.push(format!("on-demand {}", format::per_hour(price)));
    }
    if pricing.model != OfferType::Bid {
        let bid = loaded("price_bid", "saving_bid").or_else(|| recorded(OfferType::Bid));
        // Nobody bids more than the offer costs without a bid.
        let bid = bid.filter(|price| price.1.is_none_or(|saving| saving > -0.001));
        parts.extend(bid.map(|bid| format!("bid from {}", written(bid))));
    }
    if pricing.model != OfferType::Reserved {
        // The rows of a bid search have the bid where others have the discounted price.
        let reserved_price = recorded(OfferType::Reserved).filter(|_| pricing.model == OfferType::OnDemand);
        let reserved = loaded("price_reserved", "saving_reserved").or(reserved_price);
        // Without a discount there is no reason to reserve.
        let reserved = reserved.filter(|price| price.1.is_none_or(|saving| saving.abs() > 0.001));
        parts.extend(reserved.map(|price| format!("reserved {}", written(price))));
    }
    (!parts.is_empty()).then(|| Line::styled(parts.join(" · "), card.theme().text))
}

/// The offer with the same GPUs that beats this one, or the reason it is not ranked; empty if none beats it,
/// or if the row is marked.
fn ranking_note(card: &Card<'_>, browser: &Browser) -> Vec<Line<'static>> {
    let theme = card.theme();
    let row = card.subject.row;
    if let Some(short) = browser.displayed().shortfall(row) {
        let why = capitalized(&short.to_string());
        return card.sentence(&format!("! {why}: not ranked"), theme.warning);
    }
    let rival = u32::try_from(row).ok().and_then(|row| browser.computed.rival(row));
    let Some(lead) = rival.filter(|_| !browser.is_marked(row)) else {
        return Vec::new();
    };
    let lead_id = card.subject.listing.id(lead.row as usize);
    let id = lead_id.map(|id| id.to_string()).unwrap_or_default();
    let share = |share: Option<f64>| share.map_or_else(|| "much".to_owned(), percent);
    let cheaper = (lead.x > 0.0).then(|| format!("{} cheaper", share(lead.x_share)));
    let faster = (lead.y > 0.0).then(|| format!("{} faster", share(lead.y_share)));
    let by: Vec<String> = [cheaper, faster].into_iter().flatten().collect();
    let basis = if browser.computed.job.is_some() {
        "for the job"
    } else {
        "per GPU"
    };
    let hidden = if browser.view().contains(&lead.row) {
        ""
    } else {
        ", hidden by your filters,"
    };
    let texts = [
        format!("{id}{hidden} beats it: {} {basis}", by.join(" and ")),
        format!("{id}{hidden} beats it: {}", by.join(", ")),
        format!("{id}{hidden} beats it"),
    ];
    let fitting = texts.iter().find(|text| cells(text) <= card.width);
    card.sentence(fitting.unwrap_or(&texts[0]), theme.warning)
}

/// The rail of the price, and the bars of speed, network and reliability; those without data are left out.
fn bars(card: &Card<'_>, browser: &Browser) -> Vec<Line<'static>> {
    let unit = Unit::Transfer.symbol(browser.dialect());
    let price = |standing: Option<Rank>| {
        let alone = || vec!["no other of its model".to_owned()];
        // Without a bill prices per GPU are compared.
        let has_bill = browser.pricing().is_work() && card.computed("job_cost").is_some();
        let basis = |standing: Rank| match has_bill {
            _ if !card.is_roomy() => "",
            true => "the bill, ",
            // Few offers are often of other sizes than this one, which may be the lowest of its own.
            false if standing.of < FEWEST => "per GPU of any size, ",
            false => "per GPU, ",
        };
        standing.map(|rank| price_forms(basis(rank), rank).unwrap_or_else(alone))
    };
    let dlperf = || {
        let score = trimmed(card.number("dlperf")?, 0);
        let value = card.number("dlperf_per_dphtotal").filter(|_| card.is_roomy());
        let per_dollar = value.map(|value| format!(" · {} per $/h", trimmed(value, 0)));
        let alone = format!("{score} DLPerf");
        Some(vec![format!("{alone}{}", per_dollar.unwrap_or_default()), alone])
    };
    let reliable = || {
        let share = card.number("reliability")?;
        let sign = if share < 0.95 { " !" } else { "" };
        Some(vec![format!("{}%{sign}", trimmed(share * 100.0, 2))])
    };
    [
        card.rail("Price", price),
        card.ends(["low", "high"]),
        card.bar("Speed", Measure::Performance, |_| dlperf()),
        card.bar("Network", Measure::Network, |_| network_forms(card, unit)),
        card.bar("Reliable", Measure::Reliability, |_| reliable()),
        card.ends(["worst", "best"]),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The words of a CPU's name that say nothing: an offer has its own number of cores.
const EMPTY_WORDS: [&str; 3] = ["Processor", "CPU", "-Core"];

/// A CPU's name without empty words: `AMD Ryzen 9 5950X` for `AMD Ryzen 9 5950X 16-Core Processor`.
fn cpu_model(name: &str) -> String {
    let says_something = |word: &&str| !EMPTY_WORDS.iter().any(|empty| word.ends_with(empty));
    let words: Vec<&str> = name.split_whitespace().filter(says_something).collect();
    words.join(" ")
}

/// The offer's cores, those of the machine if it has more, and the CPU, in short where its whole name leaves no room
/// for the memory: `8 of 64 vCPU EPYC 7763`; `None` if neither cores nor CPU are reported.
fn cpu(card: &Card<'_>) -> Option<String> {
    /// Cells of the memory behind it.
    const MEMORY: u16 = 16;
    let share_of_offer = share(card.subject.listing, card.subject.row);
    let cores = match (share_of_offer.cores, share_of_offer.machine_cores) {
        (Some(cores), Some(all)) if all > cores => Some(format!("{} of {} vCPU", trimmed(cores, 1), trimmed(all, 0))),
        (Some(cores), _) => Some(format!("{} vCPU", trimmed(cores, 1))),
        (None, _) => None,
    };
    let name = card.text("cpu_name");
    let joined = |name: Option<String>| {
        let parts: Vec<String> = cores.clone().into_iter().chain(name).collect();
        parts.join(" ")
    };
    let whole = joined(name.clone());
    let text = if cells(&whole) + MEMORY <= card.width {
        whole
    } else {
        joined(name.map(|name| cpu_model(&name)))
    };
    (!text.is_empty()).then_some(text)
}

/// The memory as text: `64 GB RAM`; `None` if it is not reported.
fn ram(card: &Card<'_>) -> Option<String> {
    let megabytes = card.number("cpu_ram")?;
    Some(format!("{} RAM", format::gigabytes(megabytes / MB_PER_GB)))
}

/// The disk with its model and read speed: `500 GB disk, 2,100 MB/s`; `None` if its space is not reported.
fn disk(card: &Card<'_>) -> Option<String> {
    let space = card.number("disk_space")?;
    let read = card
        .number("disk_bw")
        .map(|speed| format!(", {} MB/s", grouped_number(speed)));
    let name = card.text("disk_name");
    let model = name.map(|model| format!(" {model}")).unwrap_or_default();
    Some(format!(
        "{} GB disk{model}{}",
        grouped_number(space),
        read.unwrap_or_default()
    ))
}

/// The price of storage as text: `$0.15/GB/month`; `None` if it is not reported.
fn storage(card: &Card<'_>) -> Option<String> {
    let price = card.number("storage_cost")?;
    Some(format!("${}/GB/month", trimmed(price, 4)))
}

/// The generation, lanes and bandwidth of the bus: `PCIe 4 ×16 24.1 GB/s`; `None` if none of them is
/// reported.
fn pcie(card: &Card<'_>) -> Option<String> {
    let generation = card.number("pci_gen").map(|number| trimmed(number, 1));
    let lanes = card.number("gpu_lanes").map(|number| format!(" ×{number:.0}"));
    let speed = card
        .number("pcie_bw")
        .map(|number| format!(" {} GB/s", trimmed(number, 1)));
    let parts = [generation, lanes, speed].into_iter().flatten();
    let text: String = parts.collect();
    (!text.is_empty()).then(|| format!("PCIe {}", text.trim_start()))
}

/// The kind of hosting as text: `datacenter` if the market's number `kind` is 1 or more, else `private host`.
fn hosting(kind: f64) -> String {
    if kind >= 1.0 {
        "datacenter".to_owned()
    } else {
        "private host".to_owned()
    }
}

/// The time for which the offer is available after the job, or a warning that the job ends after its deadline
/// or the offer before the job; without a job, the time for which it is available, or that it is rented.
/// Empty if its duration is not reported.
fn availability(card: &Card<'_>) -> Vec<Line<'static>> {
    let theme = card.theme();
    let spare = card.computed("job_spare");
    let slack = card.computed("job_slack");
    if let Some(slack) = slack.filter(|slack| *slack < 0.0) {
        let late = format::lasting(-slack);
        return card.sentence(&format!("! done {late} after the deadline"), theme.warning);
    }
    match spare {
        Some(spare) if spare < 0.0 => {
            let short = format::lasting(-spare);
            card.sentence(&format!("! ends {short} before the job is done"), theme.warning)
        }
        Some(spare) => {
            let text = format!("available for {} after the job", format::lasting(spare));
            card.sentence(&text, theme.text)
        }
        None => card.dotted([card.available()]),
    }
}

/// The machine's id, with the number of its loaded offers if there are several: `Machine 4711 (3 slices)`;
/// `None` if the id is not reported.
fn machine(card: &Card<'_>) -> Option<String> {
    let id = card.text("machine_id")?;
    let subject = &card.subject;
    let slices = subject.standing.on_machine(subject.listing, subject.row);
    let many = slices.filter(|slices| *slices > 1);
    let slices = many.map(|slices| format!(" ({slices} slices)"));
    Some(format!("Machine {id}{}", slices.unwrap_or_default()))
}

/// The host's id, with the number of its loaded offers if there are several; `None` if the id is not
/// reported.
fn host(card: &Card<'_>) -> Option<String> {
    let id = card.text("host_id")?;
    let subject = &card.subject;
    let offers = subject.standing.count_of_host(subject.listing, subject.row);
    let many = offers.filter(|offers| *offers > 1);
    let offers = many.map(|offers| format!(" ({offers} offers loaded)"));
    Some(format!("host {id}{}", offers.unwrap_or_default()))
}
