//! Runs whose cases are repeated until their time is over, as most of `calor bench` are: what all repetitions of a case took says how
//! long it was given. What makes their history is the time of as many calls in each run, as in a comparison.

use calor_model::Warning;
use calor_report::REPEATED_BY_TIME;
use calor_store::{SavedRun, ScopeSums, Sum, SumKind};

/// Whether all runs are such, and it is time in scopes that is looked at.
pub(super) fn are_repeated(kind: SumKind, runs: &[SavedRun]) -> bool {
    let (key, value) = REPEATED_BY_TIME;
    let is_repeated = |run: &SavedRun| run.labels.get(key).is_some_and(|told| told == value);
    kind == SumKind::Scopes && runs.iter().all(is_repeated)
}

/// What the reader has to know of it.
pub(super) fn remark() -> Warning {
    Warning::new(
        "repeated_by_time",
        "cases of these runs are repeated until their time is over: what is told is the time of as many calls in each of them",
    )
}

/// What each scope would have taken with the calls that it has in a run on average.
pub(super) fn as_often(scopes: &mut [ScopeSums]) {
    for sums in scopes {
        let known = || sums.sums.iter().flatten().filter_map(|sum| sum.calls.filter(|calls| *calls > 0));
        let n_known = known().count();
        if n_known == 0 {
            continue;
        }
        let usual = known().map(|calls| calls as f64).sum::<f64>() / n_known as f64;
        for sum in sums.sums.iter_mut().flatten() {
            let Some(calls) = sum.calls.filter(|calls| *calls > 0) else { continue };
            let scaled = |nanos: u64| (nanos as f64 * usual / calls as f64).round() as u64;
            *sum = Sum { calls: Some(usual.round() as u64), own: scaled(sum.own), total: scaled(sum.total) };
        }
    }
}

/// The whole program: what its scopes take themselves. Those that are not in every run are left out, as their time would be a
/// difference between runs.
pub(super) fn whole(scopes: &[ScopeSums], n_runs: usize) -> Vec<Option<f64>> {
    let is_everywhere = |sums: &&ScopeSums| !sums.scope.is_program() && sums.sums.iter().all(Option::is_some);
    let in_all: Vec<&ScopeSums> = scopes.iter().filter(is_everywhere).collect();
    let of_run = |run: usize| in_all.iter().filter_map(|sums| sums.sums[run]).map(|sum| sum.own as f64).sum();
    (0..n_runs).map(|run| Some(of_run(run)).filter(|nanos| *nanos > 0.0)).collect()
}

#[cfg(test)]
mod tests {
    use calor_store::Scope;

    use super::*;

    fn sums(name: &str, runs: &[Option<(u64, u64)>]) -> ScopeSums {
        let sum = |(calls, nanos)| Sum { calls: Some(calls), own: nanos, total: nanos };
        let scope = Scope { name: name.to_owned(), place: String::new() };
        ScopeSums { scope, sums: runs.iter().map(|run| run.map(sum)).collect() }
    }

    #[test]
    fn a_scope_that_is_slower_and_called_less_often_is_slower() {
        // A call of `slower` takes 10, then 20; both runs give it the same time.
        let mut scopes = [
            sums("", &[Some((1, 2_000)), Some((1, 2_000))]),
            sums("slower", &[Some((100, 1_000)), Some((50, 1_000))]),
            sums("same", &[Some((100, 1_000)), Some((60, 600))]),
            sums("once", &[Some((10, 400)), None]),
        ];
        as_often(&mut scopes);
        let own = |at: usize| scopes[at].sums.iter().flatten().map(|sum| sum.own).collect::<Vec<_>>();
        assert_eq!((own(1), own(2)), (vec![750, 1_500], vec![800, 800]));
        assert_eq!(whole(&scopes, 2), [Some(1_550.0), Some(2_300.0)]);
        assert_eq!(whole(&[], 1), [None]);
    }
}
