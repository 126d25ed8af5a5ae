//! The addresses in the form of a market: checked, and completed with their scheme.

use super::form::{MarketField, MarketForm};
use crate::api::Origin;
use crate::features::markets::Market;

impl MarketForm {
    /// Adds the scheme to the valid addresses that were typed without one, except in the field that is
    /// still `edited`.
    pub(super) fn complete_addresses(&mut self, edited: Option<MarketField>) {
        for line in [MarketField::Address, MarketField::Route] {
            let (typed, address) = (self.text(line), Origin::complete(self.form.text(line)));
            if edited != Some(line) && address != typed && self.objection(line).is_none() {
                self.form.set_text(line, &address);
            }
        }
    }

    /// The reason `address` cannot be a market's address: blank, invalid, or unfit for the API key that will
    /// be sent to it. `None` if it can be; a missing scheme is completed first.
    pub(super) fn address_fault(&self, address: &str) -> Option<String> {
        if address.is_empty() {
            return Some("type the address, such as https://market.example".to_owned());
        }
        match Origin::parse(&Origin::complete(address)) {
            Err(why) => Some(why.to_string()),
            Ok(origin) if self.sends_key() => origin.judge_for_key().err().map(|why| why.to_string()),
            Ok(_) => None,
        }
    }

    /// The meaning of an address without a scheme, or else the field's explanation.
    pub(super) fn address_note(&self, line: MarketField) -> String {
        let (typed, address) = (self.form.text(line), Origin::complete(self.form.text(line)));
        if address != typed.trim() && self.objection(line).is_none() {
            format!("Taken as {address}")
        } else if line == MarketField::Route {
            "The routing endpoint; empty uses the address above".to_owned()
        } else {
            "The API, such as https://market.example".to_owned()
        }
    }

    /// A sentence with a leading space that names the hosts which will receive the API key, from the market's
    /// valid addresses, in plain ASCII; empty if no address is valid.
    pub(super) fn receivers(&self) -> String {
        let addresses = match &self.market {
            Some(market) => addresses(market),
            None => vec![self.text(MarketField::Address), self.text(MarketField::Route)],
        };
        let mut hosts: Vec<String> = addresses
            .iter()
            .filter_map(|address| Origin::parse(&Origin::complete(address)).ok())
            .map(|origin| origin.authority())
            .collect();
        hosts.dedup();
        if hosts.is_empty() {
            return String::new();
        }
        format!(" It is sent to {}.", hosts.join(" and "))
    }
}

/// The addresses that the key of a market is sent to: the management and the routing address, if set; empty
/// for the sandbox.
pub(super) fn addresses(market: &Market) -> Vec<String> {
    [&market.address, &market.route]
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}
