//! The catalogs against the specification's lists, written down by hand, and lints over the tables.

use std::collections::HashSet;

use bourse::domain::language::Mode;
use bourse::domain::plain::{self, Names};
use bourse::domain::{
    Catalog, Dialect, Filter, Kind, OFFERS, Operator, Operators, Source, VOLUMES, WORKERGROUPS, language,
};

/// Specification, "Search offers": the 34 parameters that are filter objects.
const OFFER_FILTERS: [&str; 34] = [
    "verified",
    "rentable",
    "rented",
    "gpu_name",
    "reliability",
    "num_gpus",
    "gpu_ram",
    "duration",
    "host_id",
    "dlperf_per_dphtotal",
    "geolocation",
    "gpu_arch",
    "dlperf",
    "cuda_max_good",
    "inet_down",
    "inet_up",
    "driver_version",
    "compute_cap",
    "cpu_arch",
    "cpu_ghz",
    "cpu_ram",
    "disk_bw",
    "bw_nvlink",
    "gpu_max_power",
    "gpu_max_temp",
    "gpu_mem_bw",
    "gpu_total_ram",
    "gpu_frac",
    "direct_port_count",
    "pci_gen",
    "storage_cost",
    "static_ip",
    "total_flops",
    "os_version",
];

/// Specification, "Search network volumes": the eight members that are filter objects.
const VOLUME_FILTERS: [&str; 8] = [
    "verified",
    "reliability2",
    "inet_down",
    "inet_up",
    "geolocation",
    "disk_bw",
    "duration",
    "storage_cost",
];

/// Specification, "Machine offer": every member but the two nested objects.
const OFFER_MEMBERS: [&str; 94] = [
    "id",
    "ask_contract_id",
    "bundle_id",
    "bundled_results",
    "bw_nvlink",
    "compute_cap",
    "cpu_arch",
    "cpu_cores",
    "cpu_cores_effective",
    "cpu_ghz",
    "cpu_name",
    "cpu_ram",
    "credit_discount_max",
    "cuda_max_good",
    "direct_port_count",
    "disk_bw",
    "disk_name",
    "disk_space",
    "dlperf",
    "dlperf_per_dphtotal",
    "dph_base",
    "dph_total",
    "dph_total_adj",
    "driver_version",
    "driver_vers",
    "duration",
    "start_date",
    "end_date",
    "external",
    "flops_per_dphtotal",
    "total_flops",
    "geolocation",
    "geolocode",
    "gpu_arch",
    "gpu_display_active",
    "gpu_frac",
    "gpu_ids",
    "gpu_lanes",
    "gpu_mem_bw",
    "gpu_name",
    "gpu_ram",
    "gpu_total_ram",
    "gpu_max_power",
    "gpu_max_temp",
    "has_avx",
    "host_id",
    "machine_id",
    "hosting_type",
    "hostname",
    "webpage",
    "inet_down",
    "inet_up",
    "inet_down_cost",
    "inet_up_cost",
    "internet_down_cost_per_tb",
    "internet_up_cost_per_tb",
    "is_bid",
    "logo",
    "min_bid",
    "mobo_name",
    "num_gpus",
    "os_version",
    "pci_gen",
    "pcie_bw",
    "public_ipaddr",
    "reliability",
    "reliability2",
    "reliability_mult",
    "expected_reliability",
    "rentable",
    "rented",
    "score",
    "static_ip",
    "storage_cost",
    "storage_total_cost",
    "verification",
    "vericode",
    "vram_costperhour",
    "vms_enabled",
    "is_vm_deverified",
    "resource_type",
    "cluster_id",
    "avail_vol_ask_id",
    "avail_vol_size",
    "avail_vol_dph",
    "nw_disk_min_bw",
    "nw_disk_max_bw",
    "nw_disk_avg_bw",
    "rn",
    "discount_rate",
    "discounted_hourly",
    "discounted_dph_total",
    "time_remaining",
    "time_remaining_isbid",
];

/// Specification, "Machine offer": the members of `search` and of `instance`.
const PRICE_MEMBERS: [&str; 5] = [
    "gpuCostPerHour",
    "diskHour",
    "totalHour",
    "discountTotalHour",
    "discountedTotalPerHour",
];

/// Specification, "Network volume offer".
const VOLUME_MEMBERS: [&str; 14] = [
    "ask_contract_id",
    "disk_space",
    "inet_up",
    "inet_down",
    "reliability2",
    "verified",
    "geolocation",
    "nw_disk_avg_bw",
    "nw_disk_max_bw",
    "nw_disk_min_bw",
    "start_date",
    "end_date",
    "storage_cost",
    "storage_cost_total",
];

/// Specification, "Workergroup".
const GROUP_MEMBERS: [&str; 15] = [
    "id",
    "min_load",
    "target_util",
    "cold_mult",
    "test_workers",
    "template_hash",
    "template_id",
    "search_query",
    "launch_args",
    "gpu_ram",
    "endpoint_name",
    "endpoint_id",
    "api_key",
    "created_at",
    "user_id",
];

fn documented_filters(catalog: &Catalog) -> HashSet<&'static str> {
    catalog
        .fields()
        .iter()
        .filter(|field| field.filter == Filter::Documented)
        .map(|field| field.key)
        .collect()
}

#[test]
fn offers_have_exactly_the_documented_filters() {
    assert_eq!(OFFER_FILTERS.len(), 34);
    assert_eq!(documented_filters(&OFFERS), HashSet::from(OFFER_FILTERS));
}

#[test]
fn volumes_have_exactly_the_documented_filters() {
    assert_eq!(VOLUME_FILTERS.len(), 8);
    assert_eq!(documented_filters(&VOLUMES), HashSet::from(VOLUME_FILTERS));
}

#[test]
fn every_documented_member_is_in_its_catalog() {
    let nested = ["search", "instance"]
        .into_iter()
        .flat_map(|outer| PRICE_MEMBERS.map(|inner| format!("{outer}.{inner}")));
    let offers = OFFER_MEMBERS.map(String::from).into_iter().chain(nested);
    let volumes = VOLUME_MEMBERS.map(String::from).into_iter();
    let groups = GROUP_MEMBERS.map(String::from).into_iter();
    for (catalog, wanted) in [
        (&OFFERS, offers.collect::<HashSet<_>>()),
        (&VOLUMES, volumes.collect()),
        (&WORKERGROUPS, groups.collect()),
    ] {
        let documented = catalog
            .fields()
            .iter()
            .filter(|field| field.in_record && field.documented);
        let ours: HashSet<String> = documented.map(|field| field.key.to_owned()).collect();
        let missing: Vec<_> = wanted.difference(&ours).collect();
        assert!(missing.is_empty(), "{:?} lacks {missing:?}", catalog.resource);
        let extra: Vec<_> = ours.difference(&wanted).collect();
        let computed = ["duration"]; // volumes: counted from end_date where it is not sent
        assert!(
            extra.iter().all(|key| computed.contains(&key.as_str())),
            "{:?} calls {extra:?} documented",
            catalog.resource
        );
    }
}

#[test]
fn names_are_unique_within_a_catalog() {
    for catalog in [&OFFERS, &VOLUMES, &WORKERGROUPS] {
        let mut seen = HashSet::new();
        for field in catalog.fields() {
            for name in std::iter::once(&field.key).chain(field.aliases) {
                assert!(
                    seen.insert(name.to_ascii_lowercase()),
                    "{name} stands twice in {:?}",
                    catalog.resource
                );
            }
        }
    }
}

#[test]
fn the_client_s_own_aliases_are_understood() {
    for (alias, key) in [
        ("cuda_vers", "cuda_max_good"),
        ("display_active", "gpu_display_active"),
        ("dlperf_usd", "dlperf_per_dphtotal"),
        ("dph", "dph_total"),
        ("flops_usd", "flops_per_dphtotal"),
        ("vram", "gpu_ram"),
        ("price", "dph_total"),
    ] {
        assert_eq!(OFFERS.named(alias).map(|field| field.key), Some(key));
    }
}

#[test]
fn every_field_has_a_sentence_and_a_label() {
    for catalog in [&OFFERS, &VOLUMES, &WORKERGROUPS] {
        for field in catalog.fields() {
            assert!(field.doc.ends_with('.'), "{} has no sentence", field.key);
            assert!(!field.label.is_empty(), "{} has no label", field.key);
            assert!(field.column.width >= 2, "{} has no width", field.key);
            if let Some((low, high)) = field.range {
                assert!(low < high, "{} has an empty range", field.key);
            }
        }
    }
}

#[test]
fn every_filter_allows_operators_that_fit_its_kind() {
    for catalog in [&OFFERS, &VOLUMES] {
        for field in catalog.fields().iter().filter(|field| field.is_filter()) {
            for operator in [Operator::Eq, Operator::Neq, Operator::In, Operator::Nin] {
                assert!(field.operators.allows(operator), "{}", field.key);
            }
            let ordered = matches!(
                field.kind,
                Kind::Integer | Kind::Number | Kind::Id | Kind::Version | Kind::Epoch
            );
            assert_eq!(field.operators == Operators::ALL, ordered, "{}", field.key);
        }
    }
}

#[test]
fn every_filter_is_read_from_a_record() {
    for catalog in [&OFFERS, &VOLUMES] {
        for field in catalog.fields().iter().filter(|field| field.is_filter()) {
            assert_ne!(field.source, Source::Nowhere, "{}", field.key);
        }
    }
}

#[test]
fn only_the_group_s_key_is_secret() {
    let secrets: Vec<_> = [&OFFERS, &VOLUMES, &WORKERGROUPS]
        .into_iter()
        .flat_map(|catalog| catalog.fields())
        .filter(|field| field.kind == Kind::Secret)
        .map(|field| field.key)
        .collect();
    assert_eq!(secrets, ["api_key"]);
}

#[test]
fn a_misspelt_name_finds_its_neighbour() {
    for (wrong, right) in [
        ("gpu_nam", "gpu_name"),
        ("relaibility", "reliability"),
        ("dph_totl", "dph_total"),
        ("numgpus", "num_gpus"),
    ] {
        assert_eq!(OFFERS.suggest(wrong), Some(right));
    }
    assert_eq!(OFFERS.suggest("xyzzy"), None);
}

/// In conditions as in plain words, vCPUs are those of the offer, not of its machine.
#[test]
fn virtual_cpus_are_the_offer_s_own() {
    let dialect = &Dialect::SANDBOX;
    let words = plain::read("at least 16 vcpus", &OFFERS, dialect, &Names::default());
    assert_eq!(words.meaning.conditions, "cpu_cores_effective>=16");
    for condition in ["vcpus>=16", "cpus>=16", "cores>=16"] {
        let parsed = language::parse(condition, &OFFERS, dialect, &[], Mode::Strict).unwrap();
        assert_eq!(language::print(&parsed.conditions), words.meaning.conditions);
    }
}
