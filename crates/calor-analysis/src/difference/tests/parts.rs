//! One run a side, compared by its parts.

use super::*;

#[test]
fn parts_of_one_run_a_side_have_intervals_and_are_at_most_suspected() {
    let mut program = Program::new(50, 0.05, 4);
    program.costs[0] = 0.3;
    let [before, after] = program.in_turns(10, |at| if at == 0 { 1.6 } else { 1.0 });
    let options = DifferenceOptions { given: Given::Blocks, ..IN_TURNS };
    let found = difference(&before, &after, &options).unwrap();
    let first = &found.functions[0];
    assert_eq!((first.verdict, first.suspected), (Verdict::Undecided, Some(Verdict::Regressed)));
    assert!(first.change.is_some() && found.n_runs == [1, 1] && found.needs_runs == Some(10), "{found}");
    assert_eq!(found.verdict, Verdict::Undecided);
}

#[test]
fn rounds_of_one_run_a_side_tell_that_nothing_changed_and_suspect_what_did() {
    let options = DifferenceOptions { given: Given::Rounds, ..DifferenceOptions::default() };
    let mut program = Program::new(50, 0.01, 4);
    program.costs[0] = 0.3;
    let mut rounds = |slower: f64| -> Vec<RunFigures> {
        (0..10).map(|_| program.run(1.0, |at| if at == 0 { slower } else { 1.0 })).collect()
    };
    let (before, after) = (rounds(1.0), rounds(1.0));
    let same = difference(&before, &after, &options).unwrap();
    assert_eq!((same.verdict, same.suspected), (Verdict::Same, None), "{same}");
    assert_eq!((same.n_runs, same.n_rounds, same.needs_runs), ([1, 1], Some([5, 5]), None));
    assert!(same.to_string().contains("one run a side, the 5 and 5 faster of its rounds"), "{same}");
    let after = rounds(1.6);
    let slower = difference(&before, &after, &options).unwrap();
    assert_eq!((slower.verdict, slower.suspected), (Verdict::Undecided, Some(Verdict::Regressed)));
    let first = &slower.functions[0];
    assert_eq!((first.verdict, first.suspected), (Verdict::Undecided, Some(Verdict::Regressed)));
    assert!(slower.functions[1..].iter().all(|function| !function.verdict.is_change()));
    assert_eq!(slower.needs_runs, Some(10));
    // Others were at work while half of the second run went on.
    let mut after = rounds(1.0);
    for figures in after[5..].iter_mut().flat_map(|round| &mut round.functions) {
        figures.value *= 1.3;
    }
    assert_eq!(difference(&before, &after, &options).unwrap().verdict, Verdict::Same);
}
