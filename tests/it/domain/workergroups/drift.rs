//! What changed since the last listing, and which group may be ours.

use super::*;

#[test]
fn a_snapshot_holds_no_secret() {
    let canary = "c4n4ry-0f-the-gr0up";
    let listing = groups(&format!(
        r#"{{"id":1,"endpoint_name":"chat","api_key":"{canary}","apiKey":"{canary}",
            "launch_args":"-e HF_TOKEN=hf_s3cret --login 'me s3cret' -H 'Authorization: Bearer s3cret' --url https://x/?k={canary} --disk 64",
            "note":"the key is {canary}","deep":[{{"password":"s3cret","size":3,"env":{{"A":"s3cret"}}}}]}},
           {{"id":2,"launch_args":"unclosed 's3cret","api_key":7}}"#
    ));
    let stored = serde_json::to_string(&GroupSnapshot::new(&listing)).unwrap();
    assert!(!stored.contains(canary), "{stored}");
    assert!(!stored.contains("s3cret"), "{stored}");
    for kept in ["chat", "HF_TOKEN=", "--disk 64", "the key is <hidden>", "\"size\":3"] {
        assert!(stored.contains(kept), "{kept} is lost: {stored}");
    }
}

#[test]
fn a_snapshot_survives_storing() {
    let snapshot = GroupSnapshot::new(&groups(r#"{"id":1,"min_load":1.5}"#));
    close(snapshot.at.seconds(), 1_800_000_000.0);
    let stored = serde_json::to_string(&snapshot).unwrap();
    let read: GroupSnapshot = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, snapshot);
    assert!(changes_between(&read, &snapshot).is_empty());
}

#[test]
fn drift_names_what_is_new_gone_and_changed() {
    let old = GroupSnapshot::new(&groups(
        r#"{"id":1,"endpoint_name":"chat","min_load":1,"gpu_ram":24,"launch_args":"a","api_key":"old-key"},
           {"id":2,"endpoint_name":"gone"},
           {"id":3,"search_query":{"num_gpus":{"gte":1,"lte":4}},"target_util":0.9,"x":null}"#,
    ));
    let new = GroupSnapshot::new(&groups(
        r#"{"id":1,"endpoint_name":"chat","min_load":1.0,"gpu_ram":48,"api_key":"new-key","max_workers":5},
           {"id":3,"search_query":{"num_gpus":{"lte":4.0,"gte":1}},"target_util":0.9},
           {"id":4,"endpoint_name":"fresh"}"#,
    ));
    let changed = |parameter: &str, from: Option<&str>, to: Option<&str>| Change {
        group: RowId(1),
        endpoint: Some(Untrusted::from("chat")),
        kind: ChangeKind::Changed {
            parameter: Untrusted::from(parameter),
            from: from.map(Untrusted::from),
            to: to.map(Untrusted::from),
        },
    };
    assert_eq!(
        changes_between(&old, &new),
        [
            changed("gpu_ram", Some("24"), Some("48")),
            changed("max_workers", None, Some("5")),
            changed("launch_args", Some("a"), None),
            Change {
                group: RowId(2),
                endpoint: Some(Untrusted::from("gone")),
                kind: ChangeKind::Gone,
            },
            Change {
                group: RowId(4),
                endpoint: Some(Untrusted::from("fresh")),
                kind: ChangeKind::New,
            },
        ]
    );
}

// Reconciling

#[test]
fn only_new_groups_that_contradict_nothing_may_be_ours() {
    let listing = groups(
        r#"{"id":1,"endpoint_name":"chat","gpu_ram":24},
           {"id":2,"endpoint_name":"other","gpu_ram":24},
           {"id":3,"endpoint_name":"chat","gpu_ram":48},
           {"id":4,"endpoint_name":"chat","gpu_ram":24.0,"cold_mult":9,"template_hash":null,
            "search_query":{"rentable":{"eq":true},"num_gpus":{"gte":2},"verified":{"eq":true}}},
           {"id":5,"endpoint_name":"chat","gpu_ram":"24","search_query":"num_gpus>=4"},
           {"id":6,"endpoint_name":"chat"},
           {"id":7,"endpoint_name":"chat","launch_args":"--other"}"#,
    );
    let asked = NewWorkergroup {
        endpoint_name: Some("chat".into()),
        search_params: Some("num_gpus>=2 verified=True".into()),
        launch_args: Some("--disk 64".into()),
        gpu_ram: Some(24),
        cold_mult: Some(3.0),
        ..NewWorkergroup::default()
    };
    assert_eq!(candidates(&[RowId(1)], &listing, &asked), [RowId(4), RowId(6)]);
    let before: Vec<RowId> = (1..=7).map(RowId).collect();
    assert!(candidates(&before, &listing, &asked).is_empty());
}

#[test]
fn a_group_whose_launch_arguments_repeat_a_key_is_still_found_and_not_cloned_blindly() {
    let listing = groups(
        r#"{"id":2,"endpoint_name":"ep","api_key":"group-key-1","launch_args":"--key group-key-1 --disk 64"},
           {"id":3,"endpoint_name":"ep","api_key":"group-key-1","launch_args":"--key group-key-1 --disk 9"}"#,
    );
    let asked = NewWorkergroup {
        endpoint_name: Some("ep".into()),
        launch_args: Some("--key group-key-1 --disk 64".into()),
        ..NewWorkergroup::default()
    };
    assert_eq!(candidates(&[], &listing, &asked), [RowId(2)]);
    let objections = Draft::from_record(&listing, 0).build(&Dialect::DOCUMENTED).unwrap_err();
    assert!(
        objections
            .iter()
            .any(|objection| objection.message == "<removed> replaces a secret: enter another value"),
        "{objections:?}"
    );
}
