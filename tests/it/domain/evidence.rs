//! Which dialect the evidence shows. The speeds are worked out by hand: 1 MB/s is 8 Mb/s.

use bourse::domain::evidence::{Findings, Observations, Treatment};

use Treatment::{Ignored, Obeyed, Refused, Unclear};

fn found(seen: &Observations) -> Option<&'static str> {
    Findings::from_observations(seen).dialect().map(|dialect| dialect.name)
}

/// Operators as treated, then the two parameters of the public service.
fn treated(nin: Treatment, notin: Treatment, filter: Treatment, storage: Treatment) -> Observations {
    Observations {
        nin,
        notin,
        filter,
        storage,
        ..Observations::default()
    }
}

#[test]
fn two_clues_that_agree_show_the_dialect() {
    for (seen, dialect) in [
        (treated(Refused, Obeyed, Obeyed, Obeyed), Some("vast")),
        (treated(Refused, Obeyed, Obeyed, Unclear), Some("vast")),
        (treated(Obeyed, Obeyed, Obeyed, Obeyed), Some("vast")),
        (treated(Obeyed, Refused, Refused, Unclear), Some("documented")),
        (treated(Obeyed, Ignored, Ignored, Ignored), Some("documented")),
        (treated(Obeyed, Obeyed, Ignored, Ignored), Some("documented")),
        // One clue, or none.
        (treated(Refused, Obeyed, Unclear, Unclear), None),
        (treated(Unclear, Unclear, Unclear, Unclear), None),
        // A market that ignores every condition shows nothing by ignoring one more.
        (treated(Ignored, Ignored, Ignored, Ignored), None),
        // Clues that disagree.
        (treated(Refused, Obeyed, Ignored, Unclear), None),
        (treated(Obeyed, Refused, Unclear, Obeyed), None),
    ] {
        assert_eq!(found(&seen), dialect, "{seen:?}");
    }
}

#[test]
fn a_typical_speed_counts_only_if_one_unit_makes_it_impossible() {
    let at = |speed: f64, seen: Observations| Observations {
        speed: Some(speed),
        ..seen
    };
    let one = || treated(Refused, Obeyed, Unclear, Unclear);
    // 2240 MB/s would be 17.9 Gb/s.
    assert_eq!(found(&at(2240.0, one())), Some("vast"));
    // 895 may be 0.9 Gb/s or 7.2 Gb/s.
    assert_eq!(found(&at(895.0, one())), None);
    // 60 Mb/s are too slow, 60 MB/s are not: against the operators.
    assert_eq!(found(&at(60.0, one())), None);
    let other = || treated(Obeyed, Refused, Unclear, Unclear);
    assert_eq!(found(&at(60.0, other())), Some("documented"));
    assert_eq!(found(&at(2240.0, other())), None);
    // Contradiction: three clues for one side do not outvote the units.
    let three = || treated(Obeyed, Refused, Refused, Unclear);
    assert_eq!(found(&at(2240.0, three())), None);
}

#[test]
fn members_of_the_public_service_are_a_clue_and_so_is_that_there_are_none() {
    let own = Observations {
        own_members: vec!["target_reliability"],
        has_documented_members: true,
        speed: Some(2240.0),
        ..Observations::default()
    };
    assert_eq!(found(&own), Some("vast"));
    let documented = Observations {
        own_members: Vec::new(),
        speed: Some(60.0),
        ..own
    };
    assert_eq!(found(&documented), Some("documented"));
}

#[test]
fn a_sample_is_shown_as_both_dialects_read_it() {
    let sample = |speed: f64| {
        let seen = Observations {
            speed: Some(speed),
            ..Observations::default()
        };
        Findings::from_observations(&seen).describe_speed().unwrap()
    };
    assert_eq!(
        sample(895.0),
        "half of its machines download at 7.2 Gb/s or more if documented, 0.9 Gb/s if vast"
    );
    assert_eq!(
        sample(60.0),
        "half of its machines download at 0.5 Gb/s or more if documented, 0.06 Gb/s if vast"
    );
    assert_eq!(
        Findings::from_observations(&Observations::default()).describe_speed(),
        None
    );
}
