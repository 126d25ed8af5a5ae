//! Network volume offers: every member of the record and all eight documented filter parameters (specification,
//! "Network volume offer" and "Search network volumes"), plus the members that the market's own client reads.

use super::{count, in_sections};
use crate::field::{Field, Kind, Section, Source, Unit};

#[rustfmt::skip]
const COUNTRIES: &[&str] = &[
    "US", "CA", "CZ", "KR", "JP", "HU", "IS", "BG", "TW", "GB", "DE", "ES", "NO", "SE", "PL", "NL",
];

#[rustfmt::skip] // a table reads as a table
const SECTIONS: &[(Section, &[Field])] = &[
    (Section::Identity, &[
        Field::id("ask_contract_id", "Offer ID").column(4, 12, 4).never_recorded()
            .doc("Id of the offer; not the id of a volume listing."),
        Field::id("id", "ID").also(&["offer_id"]).market_filter().undocumented().never_recorded()
            .doc("Offer id as the public service reports it; equal to the ask contract id."),
        Field::id("host_id", "Host").also(&["host"]).market_filter().undocumented().column(14, 8, 120)
            .doc("Id of the host who owns the cluster."),
    ]),
    (Section::Place, &[
        Field::id("cluster_id", "Cluster").also(&["cluster"]).market_filter().undocumented().column(13, 8, 90).derived()
            .doc("Id of the cluster whose machines can mount the volume."),
    ]),
    (Section::Identity, &[
        Field::flag("external", "External").market_filter().undocumented()
            .doc("Whether the offer comes from outside the market; empty counts as no."),
    ]),
    (Section::Price, &[
        Field::number("storage_cost", "$/GB/mo", Unit::DollarsPerGigabyteMonth).also(&["price", "cost"])
            .documented_filter().column(1, 9, 1).places(4).less_is_better()
            .doc("Storage price per GB per month of 720 hours."),
        Field::hourly("storage_cost_total", "1 GB $/h").column(5, 9, 30).places(6).less_is_better()
            .source(Source::Either(&["storage_cost_total", "storage_total_cost"])).derived()
            .doc("Price per hour for 1 GB, since searches name no size; servers use two names for it."),
        // The ranking has a random component.
        Field::number("score", "Score", Unit::None).undocumented().places(1).more_is_better().noisy(0.1)
            .doc("The market's ranking."),
    ]),
    (Section::Disk, &[
        Field::number("disk_space", "Space", Unit::Gigabytes).also(&["disk", "size", "space"]).market_filter()
            .column(2, 8, 2).more_is_better().noisy(0.01).doc("Storage space on offer."),
        Field::number("disk_bw", "Disk MB/s", Unit::MegabytesPerSecond).also(&["bandwidth"]).documented_filter()
            .filter_only(Source::Either(&["nw_disk_avg_bw", "disk_bw"]))
            .doc("Read speed of the network disk; compared with the average over the cluster."),
        // Measured: runs differ by some percent.
        Field::number("nw_disk_min_bw", "Min MB/s", Unit::MegabytesPerSecond).market_filter().column(6, 8, 60)
            .places(0).more_is_better().noisy(0.05)
            .doc("Slowest read speed of the network disk over the cluster's machines."),
        Field::number("nw_disk_avg_bw", "Avg MB/s", Unit::MegabytesPerSecond).market_filter().column(3, 8, 10)
            .places(0).more_is_better().noisy(0.05)
            .doc("Average read speed of the network disk over the cluster's machines."),
        Field::number("nw_disk_max_bw", "Max MB/s", Unit::MegabytesPerSecond).market_filter().column(7, 8, 65)
            .places(0).more_is_better().noisy(0.05)
            .doc("Fastest read speed of the network disk over the cluster's machines."),
    ]),
    (Section::Network, &[
        // Measured over the internet, several times a day.
        Field::number("inet_down", "Down", Unit::Transfer).also(&["down", "download"]).documented_filter()
            .column(9, 7, 50).places(0).more_is_better().noisy(0.1)
            .doc("Download speed of the cluster."),
        Field::number("inet_up", "Up", Unit::Transfer).also(&["up", "upload"]).documented_filter().column(8, 7, 55)
            .places(0).more_is_better().noisy(0.1)
            .doc("Upload speed of the cluster."),
    ]),
    (Section::Trust, &[
        // Changes every hour.
        Field::number("reliability2", "Rel.", Unit::Ratio).also(&["rel"]).documented_filter().range(0.0, 1.0)
            .column(10, 6, 20).more_is_better().wavering(0.001).doc("Reliability of the cluster from 0 to 1."),
        Field::number("reliability", "Rel. 1", Unit::Ratio).market_filter().undocumented().range(0.0, 1.0)
            .more_is_better().wavering(0.001).doc("Reliability as the public service names it."),
        Field::flag("verified", "Verified").documented_filter().column(12, 8, 80)
            .doc("Whether all machines of the cluster are verified."),
        Field::text("verification", "Verification").market_filter().undocumented().width(12)
            .choices(&["verified", "unverified", "deverified"])
            .doc("Verification status as text, as the public service reports it."),
    ]),
    (Section::Availability, &[
        Field::number("duration", "Left", Unit::Seconds).also(&["time_left", "days"]).documented_filter()
            .column(11, 7, 40).source(Source::TimeLeft("duration", "end_date")).more_is_better().derived()
            .doc("How long the volume can still be rented; typed and sent in days."),
        Field::new("start_date", "From", Kind::Epoch).width(16).doc("Start of the offer."),
        // If only the time left is sent, the end is computed from it, to some seconds.
        Field::new("end_date", "Until", Kind::Epoch).width(16).wavering(60.0).doc("End of the offer."),
    ]),
    (Section::Place, &[
        Field::new("geolocation", "Location", Kind::Country).also(&["country", "geo", "location"]).documented_filter()
            .choices(COUNTRIES).column(0, 18, 3)
            .doc("Where the cluster is; filters compare the two-letter country code."),
    ]),
];

pub static FIELDS: [Field; count(SECTIONS)] = in_sections(SECTIONS);
