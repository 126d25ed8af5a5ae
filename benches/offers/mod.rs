//! Made-up offers, and a dashboard that shows them.

#![allow(clippy::cast_precision_loss, reason = "made-up prices")]
#![allow(dead_code, reason = "each benchmark uses a part")]
#![allow(clippy::expect_used, reason = "a benchmark")]

use bourse::api::Reply;
use bourse::api::curl::WorkerRoot;
use bourse::core::message::{Message, News};
use bourse::core::{Effect, Model, Profile, update};
use bourse::domain::time::{Now, UnixTime};
use bourse::domain::{Dialect, Listing, OFFERS};

/// An answer of `rows` offers whose members are those that the table and the filters read.
pub fn answer(rows: usize) -> String {
    let models = ["RTX 4090", "RTX 5090", "H100 SXM", "A100 PCIE", "RTX 3090"];
    let places = ["Texas, US", "Iceland, IS", ", CA", "Bulgaria, BG", "Taiwan, TW"];
    let records: Vec<String> = (0..rows)
        .map(|row| {
            let (model, place) = (models[row % 5], places[row % 5]);
            let price = 0.1 + (row * 7919 % 4000) as f64 / 1000.0;
            format!(
                r#"{{"id":{row},"ask_contract_id":{row},"machine_id":{m},"host_id":{h},"gpu_name":"{model}","num_gpus":{n},
"gpu_ram":24564,"gpu_total_ram":49128,"dph_base":{price},"dph_total":{price},"dlperf":{d},"dlperf_per_dphtotal":200.5,
"reliability":0.99,"reliability2":0.99,"geolocation":"{place}","verification":"verified","rentable":true,"rented":false,
"storage_cost":0.2,"storage_total_cost":0.0022,"inet_up":800.5,"inet_down":900.25,"cpu_cores_effective":16.0,"cpu_ram":64000,
"disk_space":500.5,"disk_bw":4000.0,"duration":864000.5,"end_date":1795262400.0,"cuda_max_good":12.8,"driver_version":"570.181",
"score":{d},"min_bid":0.1,"compute_cap":890,"static_ip":true,"direct_port_count":250,"os_version":"22.04","cpu_arch":"amd64",
"gpu_arch":"nvidia","cpu_ghz":3.5,"gpu_mem_bw":1000.0,"pci_gen":4.0,"total_flops":82.5,"gpu_frac":0.5,
"search":{{"gpuCostPerHour":{price},"diskHour":0.0022,"totalHour":{price},"discountTotalHour":0.0,"discountedTotalPerHour":{price}}},
"cpu_name":"AMD EPYC 7543 32-Core Processor","mobo_name":"ROMED8-2T","disk_name":"nvme","logo":"/static/logo.png"}}"#,
                m = row / 2,
                h = row / 8,
                n = 1 + row % 8,
                d = (row * 31 % 900) as f64,
            )
        })
        .collect();
    format!("{{\"offers\":[{}]}}", records.join(","))
}

/// The listing of such an answer.
pub fn listing(rows: usize) -> Listing {
    Listing::read(&OFFERS, answer(rows), UnixTime::new(0.0)).expect("at most as many rows as a response may have")
}

pub fn profile() -> Profile {
    Profile {
        name: "bench".to_owned(),
        is_sandbox: false,
        read_only: false,
        dialect: &Dialect::DOCUMENTED,
        base_url: String::new(),
        route_url: String::new(),
        has_key: false,
        worker_root: WorkerRoot::default(),
    }
}

/// A dashboard of 200x60 cells whose offers have arrived.
pub fn dashboard(listing: Listing, now: Now) -> Model {
    let mut model = bourse::features::dashboard(profile(), None);
    update(&mut model, now, Message::Resized(200, 60));
    let mut reply = Some(Box::new(listing));
    for effect in update(&mut model, now, Message::Started) {
        if let (Effect::Call { ticket, .. }, Some(listing)) = (effect, reply.take()) {
            let news = News::Reply(Box::new(Ok(Reply::Records(listing))));
            for effect in update(&mut model, now, Message::News { ticket, news }) {
                if let Effect::Arrange(arrival) = effect {
                    let news = News::Arranged(Box::new(arrival.arranged()));
                    let arranged = Message::News { ticket, news };
                    update(&mut model, now, arranged);
                }
            }
        }
    }
    model
}
