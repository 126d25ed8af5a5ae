//! The rank test against published cases and SciPy's `mannwhitneyu(method="asymptotic")`.

use super::*;

/// Values as the test takes them: ascending, each with how often it occurs.
fn counted(values: &[u64]) -> Vec<(u64, u64)> {
    let mut counts = std::collections::BTreeMap::new();
    for value in values {
        *counts.entry(*value).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

#[track_caller]
fn same(first: &[u64], second: &[u64], u: f64, p: f64) {
    let test = rank_test(&counted(first), &counted(second)).unwrap();
    close(test.u, u);
    assert!((test.p - p).abs() < 1e-6, "{test:?} is not {p}");
    let back = rank_test(&counted(second), &counted(first)).unwrap();
    close(back.u, (first.len() * second.len()) as f64 - u);
    close(back.z, -test.z);
}

#[test]
fn the_test_agrees_with_published_cases() {
    // SciPy's manual: ages at diagnosis of men and women.
    same(
        &[19, 22, 16, 29, 24],
        &[20, 11, 17, 12],
        17.0,
        0.111_346_887,
    );
    // Hollander and Wolfe, permeability constants (R's wilcox.test: W = 35), in hundredths.
    same(
        &[80, 83, 189, 104, 145, 138, 191, 164, 73, 146],
        &[115, 88, 90, 74, 121],
        35.0,
        0.244_623_605,
    );
}

#[test]
fn ties_share_their_ranks_and_narrow_the_spread() {
    same(
        &[1, 2, 2, 3, 4, 4, 4, 5, 6, 7],
        &[2, 3, 4, 5, 6, 6, 8, 9],
        24.5,
        0.178_058_879,
    );
    let low = [[1; 10], [2; 10]].concat();
    let high = [vec![2; 5], vec![3; 15]].concat();
    same(&low, &high, 25.0, 4.819_83e-7);
    // Shares: 95 of 100 and 80 of 100 got a worker.
    let share = |of: u64| vec![(0, 100 - of), (1, of)];
    let test = rank_test(&share(95), &share(80)).unwrap();
    close(test.u, 5750.0);
    assert!((test.p - 0.001_388_773).abs() < 1e-6, "{test:?}");
}

#[test]
fn equal_values_and_empty_samples_say_nothing() {
    let test = rank_test(&[(5, 8)], &[(5, 9)]).unwrap();
    close(test.u, 36.0);
    close(test.p, 1.0);
    assert_eq!(rank_test(&[], &[(1, 9)]), None);
    assert_eq!(rank_test(&[(1, 9)], &[(1, 0)]), None);
}
