//! Parses request bodies that create or change workergroups and endpoints.

use bourse_domain::workergroup::MadeGroup;
use serde_json::{Map, Value as Json};

use super::answer::Refusal;
use super::fleet::Place;
use super::numbers::unsigned;

/// Undocumented members that clients send; they have no effect here.
const IGNORED: [&str; 9] = [
    "client_id",
    "api_key",
    "autoscaler_instance",
    "autojob_id",
    "min_cold_load",
    "docker_login_user",
    "docker_login_pass",
    "docker_login_host",
    "docker_login_server",
];

/// The maximum length of a text of a workergroup or an endpoint, in bytes.
///
/// The texts are stored, and searched.
const LONGEST: usize = 16 * 1024;

/// Applies the members of a body to a workergroup; missing, null and ignored ones leave it unchanged. Returns
/// the endpoint that the body names; an error for unknown members, invalid values, and more `cold_workers`
/// than the maximum number of workers. On an error some members may have been applied.
pub fn apply(body: &Map<String, Json>, group: &mut MadeGroup) -> Result<Place, Refusal> {
    let mut place = Place::default();
    let mut cold_workers = 0;
    for (name, value) in body {
        if value.is_null() {
            continue;
        }
        match name.as_str() {
            "endpoint_name" => place.endpoint_name = Some(non_blank_text(name, value)?),
            "endpoint_id" => place.endpoint_id = Some(count(name, value)?),
            "template_hash" => group.template_hash = Some(text(name, value)?),
            "template_id" => group.template_id = Some(count(name, value)?),
            "search_params" => group.search_query = search(name, value)?,
            "launch_args" => group.launch_args = text(name, value)?,
            "min_load" => group.min_load = amount(name, value)?,
            "target_util" => group.target_util = amount(name, value)?,
            "cold_mult" => group.cold_mult = amount(name, value)?,
            "cold_workers" => cold_workers = count(name, value)?,
            "max_workers" => group.max_workers = count(name, value)?,
            "test_workers" => group.test_workers = count(name, value)?,
            "gpu_ram" => group.gpu_ram = amount(name, value)?,
            _ if IGNORED.contains(&name.as_str()) => {}
            _ => return Err(Refusal::invalid(format!("{name} is not a workergroup parameter"))),
        }
    }
    if cold_workers > group.max_workers {
        return Err(Refusal::arguments("cold_workers must not be greater than max_workers"));
    }
    Ok(place)
}

/// The name in a body that creates an endpoint; an error if it is missing or blank.
///
/// The other members are about scaling, which the sandbox decides itself.
pub fn endpoint(body: &Map<String, Json>) -> Result<String, Refusal> {
    let name = body.get("endpoint_name").unwrap_or(&Json::Null);
    non_blank_text("endpoint_name", name)
}

/// A non-negative whole number, also as text; the error for other values names the member `name`.
pub fn count(name: &str, value: &Json) -> Result<u64, Refusal> {
    number(value)
        .filter(|number| number.fract() == 0.0)
        .map(unsigned)
        .ok_or_else(|| Refusal::invalid(format!("{name} must be a whole number that is not negative")))
}

/// A non-negative number, also as text; the error for other values names the member `name`.
pub fn amount(name: &str, value: &Json) -> Result<f64, Refusal> {
    number(value).ok_or_else(|| Refusal::invalid(format!("{name} must be a number that is not negative")))
}

/// A text that is not blank; the error for other values names the member `name`.
pub fn non_blank_text(name: &str, value: &Json) -> Result<String, Refusal> {
    let text = text(name, value)?;
    if text.trim().is_empty() {
        return Err(Refusal::invalid(format!("{name} must not be blank")));
    }
    Ok(text)
}

/// A text of at most 16 KiB; the error for other values names the member `name`.
fn text(name: &str, value: &Json) -> Result<String, Refusal> {
    let text = value.as_str().map(str::to_owned);
    bounded(
        name,
        text.ok_or_else(|| Refusal::invalid(format!("{name} must be a text")))?,
    )
}

/// The text, or an error that names the member `name` if it is longer than 16 KiB.
fn bounded(name: &str, text: String) -> Result<String, Refusal> {
    if text.len() > LONGEST {
        let bound = LONGEST / 1024;
        return Err(Refusal::invalid(format!("{name} must not be longer than {bound} KiB")));
    }
    Ok(text)
}

/// The search of a workergroup as it is stored: a text, or in the service's other formats a list of words,
/// joined by blanks, or an object of filters, as JSON. The error for other values, or more than 16 KiB, names
/// the member `name`.
fn search(name: &str, value: &Json) -> Result<String, Refusal> {
    match value {
        Json::Array(words) => {
            let words: Option<Vec<_>> = words.iter().map(Json::as_str).collect();
            let words = words.ok_or_else(|| Refusal::invalid(format!("{name} must be a text")))?;
            bounded(name, words.join(" "))
        }
        Json::Object(_) => bounded(name, value.to_string()),
        value => text(name, value),
    }
}

/// A finite number from 0, also as text; `None` for other values.
fn number(value: &Json) -> Option<f64> {
    let number = match value {
        Json::Number(number) => number.as_f64()?,
        Json::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    (number.is_finite() && number >= 0.0).then_some(number)
}
