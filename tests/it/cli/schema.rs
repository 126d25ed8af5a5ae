//! `bourse schema`: a schema for every kind of document, to which the output of commands is held.

use bourse::cli::schema;
use serde_json::{Value as Json, json};

use super::commands::{Home, run};

/// The names of JSON's types that a value has.
fn types(value: &Json) -> &'static [&'static str] {
    match value {
        Json::Null => &["null"],
        Json::Bool(_) => &["boolean"],
        Json::Number(number) if number.is_f64() => &["number"],
        Json::Number(_) => &["number", "integer"],
        Json::String(_) => &["string"],
        Json::Array(_) => &["array"],
        Json::Object(_) => &["object"],
    }
}

/// Where a value differs from a schema, of the keywords that the schemas use; any other one is a difference, too. A
/// member that an object's schema does not name is one unless the schema has `additionalProperties`: what is new in the
/// output and missing in the schema is found. The members of an object whose schema has some of its members in `anyOf`
/// are those of both.
pub fn differences(value: &Json, schema: &Json, at: &str) -> Vec<String> {
    differences_beside(value, schema, &[], at)
}

/// As [`differences`]; members named `beside` belong to the schema around this one.
fn differences_beside(value: &Json, schema: &Json, beside: &[&str], at: &str) -> Vec<String> {
    let Some(keywords) = schema.as_object() else {
        return if schema == &json!(true) {
            Vec::new()
        } else {
            vec![format!("{at}: not allowed")]
        };
    };
    let mut found = Vec::new();
    let mut require = |is_met: bool, why: String| {
        if !is_met {
            found.push(format!("{at}: {why}, is {value}"));
        }
    };
    let (members, items) = (value.as_object(), value.as_array());
    for (keyword, wanted) in keywords {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "format" | "properties" | "items" | "additionalProperties" => {}
            "const" => require(value == wanted, format!("not {wanted}")),
            "enum" => require(wanted.as_array().unwrap().contains(value), format!("none of {wanted}")),
            "type" => {
                let names = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                let is_one = types(value).iter().any(|own| names.contains(&json!(own)));
                require(is_one, format!("no {wanted}"));
            }
            "minimum" => {
                let number = value.as_f64();
                require(
                    number.is_none_or(|number| number >= wanted.as_f64().unwrap()),
                    format!("below {wanted}"),
                );
            }
            "maximum" => {
                let number = value.as_f64();
                require(
                    number.is_none_or(|number| number <= wanted.as_f64().unwrap()),
                    format!("above {wanted}"),
                );
            }
            "required" => {
                for name in wanted.as_array().unwrap() {
                    let is_there = members.is_none_or(|members| members.contains_key(name.as_str().unwrap()));
                    require(is_there, format!("lacks {name}"));
                }
            }
            "anyOf" => {
                let own = keywords.get("properties").and_then(Json::as_object);
                let names: Vec<&str> = own.into_iter().flat_map(|own| own.keys().map(String::as_str)).collect();
                let mut all = wanted.as_array().unwrap().iter();
                require(
                    all.any(|one| differences_beside(value, one, &[beside, &names].concat(), at).is_empty()),
                    "fits nothing of anyOf".to_owned(),
                );
            }
            other => require(false, format!("the test does not know {other}")),
        }
    }
    for (index, item) in items.into_iter().flatten().enumerate() {
        let all = keywords.get("items").unwrap_or(&Json::Bool(true));
        found.extend(differences(item, all, &format!("{at}/{index}")));
    }
    let named = keywords.get("properties");
    let others = keywords.get("additionalProperties");
    // The schemas of anyOf hold the members that are not named here.
    let is_open = named.is_none() || keywords.contains_key("anyOf");
    let others = others.cloned().unwrap_or_else(|| is_open.into());
    let is_own = |name: &&String| !beside.contains(&name.as_str());
    for (name, member) in members.into_iter().flatten().filter(|(name, _)| is_own(name)) {
        let own = named.and_then(|named| named.get(name)).unwrap_or(&others);
        found.extend(differences(member, own, &format!("{at}/{name}")));
    }
    found
}

/// The differences between a document and the schema of its kind.
pub fn faults(document: &Json) -> Vec<String> {
    let kind = document["kind"].as_str().unwrap_or_default();
    match schema::schema(kind) {
        Some(schema) => differences(document, &schema, kind),
        None => vec![format!("no schema of '{kind}'")],
    }
}

#[test]
fn every_kind_has_a_schema_that_begins_with_version_and_kind() {
    let home = Home::new();
    let (status, out, _) = run(&mut home.bourse(&["schema"]));
    assert_eq!(status, 0);
    let kinds: Vec<&str> = out.lines().collect();
    assert_eq!(kinds.len(), 26, "{out}");
    for kind in kinds {
        let (status, out, err) = run(&mut home.bourse(&["schema", kind]));
        assert_eq!(status, 0, "{err}");
        let schema: Json = serde_json::from_str(&out).unwrap();
        let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().take(2).collect();
        assert_eq!(names, ["v", "kind"], "{kind}");
        assert_eq!(schema["properties"]["kind"]["const"], kind);
        assert!(!out.contains("$ref"), "{kind} can be part of another schema");
    }
    let (status, out, err) = run(&mut home.bourse(&["schema", "markets"]));
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(
        err.contains("invalid value 'markets'") && err.contains("market-check"),
        "{err}"
    );
}

/// Positive control.
#[test]
fn a_document_that_differs_is_found() {
    let sound = json!({
        "v": 1, "kind": "db-vacuum", "file": "f", "bytes_before": 2, "bytes": 1
    });
    assert_eq!(faults(&sound), [""; 0]);
    let with = |name: &str, value: Json| {
        let mut document = sound.clone();
        document[name] = value;
        faults(&document).len()
    };
    assert_eq!(with("bytes", json!("1")), 1);
    assert_eq!(with("v", json!(2)), 1);
    assert_eq!(with("extra", json!(1)), 1);
    assert_eq!(with("kind", json!("nothing")), 1);
    // Of an event, the members of its kind and no others.
    let event = json!({ "v": 1, "kind": "change", "at": "", "event": "not_watched", "since": "" });
    assert_eq!(faults(&event), [""; 0]);
    for (name, value) in [("since", json!(1)), ("price", json!(1.0)), ("extra", json!(1))] {
        let mut wrong = event.clone();
        wrong[name] = value;
        assert_eq!(faults(&wrong).len(), 1, "{wrong}");
    }
}
