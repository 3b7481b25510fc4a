//! Runs whose cases are repeated until their time is over, as most of `calor bench` are: what all repetitions of a case took says how
//! long it was given. What makes their history is the time of as many calls in each run, as in a comparison.

use calor_model::Warning;

use super::{HistoryMetric, HistoryRun, RunSum, ScopeRuns};

/// Whether all runs are such, and it is time in scopes that is looked at.
pub(super) fn are_repeated(metric: HistoryMetric, runs: &[HistoryRun]) -> bool {
    metric == HistoryMetric::Scopes && runs.iter().all(|run| run.is_repeated)
}

/// What the reader has to know of it.
pub(super) fn remark() -> Warning {
    Warning::new(
        "repeated_by_time",
        "cases of these runs are repeated until their time is over: what is told is the time of as many calls in each of them",
    )
}

/// What each scope would have taken with the calls that it has in a run on average.
pub(super) fn as_often(scopes: &mut [ScopeRuns]) {
    for scope in scopes {
        let known = || scope.runs.iter().flatten().filter_map(|sum| sum.calls.filter(|calls| *calls > 0));
        let n_known = known().count();
        if n_known == 0 {
            continue;
        }
        let usual = known().map(|calls| calls as f64).sum::<f64>() / n_known as f64;
        for sum in scope.runs.iter_mut().flatten() {
            let Some(calls) = sum.calls.filter(|calls| *calls > 0) else { continue };
            let scaled = |nanos: u64| (nanos as f64 * usual / calls as f64).round() as u64;
            *sum =
                RunSum { calls: Some(usual.round() as u64), own: scaled(sum.own), total: scaled(sum.total) };
        }
    }
}

/// The whole program: what its scopes take themselves.
pub(super) struct Whole {
    /// Of each run; of none where that would be a part of what the others are.
    pub(super) values: Vec<Option<f64>>,
    /// Scopes whose time is not in it.
    pub(super) n_left_out: usize,
}

/// Scopes that are not in every run are left out, as their time would be a difference between runs; and so are runs that have less
/// than half of the scopes that most have, such as one that was cut short. `None` where no scope is left.
pub(super) fn whole(scopes: &[ScopeRuns], n_runs: usize) -> Option<Whole> {
    let scopes: Vec<&ScopeRuns> = scopes.iter().filter(|scope| !scope.is_program()).collect();
    let n_scopes = |run: usize| scopes.iter().filter(|scope| scope.runs[run].is_some()).count();
    let most = (0..n_runs).map(n_scopes).max().unwrap_or(0);
    let is_whole: Vec<bool> = (0..n_runs).map(|run| most > 0 && 2 * n_scopes(run) >= most).collect();
    let is_everywhere =
        |scope: &&&ScopeRuns| (0..n_runs).all(|run| !is_whole[run] || scope.runs[run].is_some());
    let in_all: Vec<&&ScopeRuns> = scopes.iter().filter(is_everywhere).collect();
    if in_all.is_empty() {
        return None;
    }
    let of_run =
        |run: usize| in_all.iter().filter_map(|scope| scope.runs[run]).map(|sum| sum.own as f64).sum();
    let value = |run: usize| Some(of_run(run)).filter(|nanos| is_whole[run] && *nanos > 0.0);
    Some(Whole { values: (0..n_runs).map(value).collect(), n_left_out: scopes.len() - in_all.len() })
}

/// Said where scopes are not in it.
pub(super) fn left_out(n_left_out: usize) -> Option<Warning> {
    (n_left_out > 0).then(|| {
        let message = "scopes are not in every run: their time is not in that of the whole program";
        Warning::counted("scopes_not_in_all_runs", message, n_left_out as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(name: &str, runs: &[Option<(u64, u64)>]) -> ScopeRuns {
        let sum = |(calls, nanos)| RunSum { calls: Some(calls), own: nanos, total: nanos };
        ScopeRuns {
            name: name.to_owned(),
            place: String::new(),
            runs: runs.iter().map(|run| run.map(sum)).collect(),
        }
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
        let own = |at: usize| scopes[at].runs.iter().flatten().map(|sum| sum.own).collect::<Vec<_>>();
        assert_eq!((own(1), own(2)), (vec![750, 1_500], vec![800, 800]));
        let found = whole(&scopes, 2).expect("there are scopes in both");
        assert_eq!((found.values, found.n_left_out), (vec![Some(1_550.0), Some(2_300.0)], 1));
        assert!(whole(&[], 1).is_none());
    }

    #[test]
    fn runs_that_were_cut_short_do_not_make_the_others_short() {
        let both = Some((10, 100));
        let scopes = [
            sums("first", &[both, both, both]),
            sums("second", &[both, None, both]),
            sums("third", &[both, None, both]),
        ];
        let found = whole(&scopes, 3).expect("there are scopes in most");
        assert_eq!((found.values, found.n_left_out), (vec![Some(300.0), None, Some(300.0)], 0));
        // Nothing in common.
        let scopes = [sums("first", &[both, None]), sums("second", &[None, both])];
        assert!(whole(&scopes, 2).is_none());
    }
}
