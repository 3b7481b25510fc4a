//! Runs of a command, one after the other: how they ended, and when to stop.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::Result;
use calor_analysis::quantity::duration;
use calor_model::Warning;

use crate::launch::ending;
use crate::news;

/// Between two lines about how far it is.
const BETWEEN_NEWS: Duration = Duration::from_secs(10);

/// One run, as far as this is concerned.
pub(super) trait Ran {
    fn status(&self) -> ExitStatus;
    /// Whether somebody asked for the end.
    fn was_interrupted(&self) -> bool;
}

/// What came of all runs.
pub(super) struct Runs<R> {
    /// Those that count.
    pub(super) counted: Vec<R>,
    pub(super) exit_code: u8,
    pub(super) warnings: Vec<Warning>,
}

/// Runs as often as asked for. A run that fails is one like others, as long as nobody wants all of it to end.
pub(super) fn repeat<R: Ran>(
    warmup: usize,
    runs: usize,
    mut run: impl FnMut() -> Result<R>,
) -> Result<Runs<R>> {
    let mut all = Runs { counted: Vec::new(), exit_code: 0, warnings: Vec::new() };
    let (mut n_failed, mut n_run, mut first) = (0, 0, None);
    let began = Instant::now();
    let mut told = began;
    for n_done in 0..warmup + runs {
        let ran = run()?;
        let (code, is_over) = (code_of(ran.status()), ran.was_interrupted());
        n_run += 1;
        if code != 0 {
            n_failed += 1;
            first.get_or_insert(ran.status());
        }
        if all.exit_code == 0 {
            all.exit_code = code;
        }
        // An interrupted run is not a whole one; alone it is still better than nothing.
        let is_whole = !is_over || code == 0;
        if n_done >= warmup && (is_whole || all.counted.is_empty()) || is_over && all.counted.is_empty() {
            all.counted.push(ran);
        }
        if is_over {
            let message = format!("interrupted after {} of {runs} runs", all.counted.len());
            all.warnings.push(Warning::new("interrupted", message));
            break;
        }
        let n_left = warmup + runs - n_done - 1;
        if n_left > 0 && told.elapsed() >= BETWEEN_NEWS {
            told = Instant::now();
            let each = began.elapsed().as_nanos() as f64 / (n_done + 1) as f64;
            let left = duration(each * n_left as f64);
            news::say(format_args!("{} of {} runs, about {left} to go", n_done + 1, warmup + runs));
        }
    }
    if let Some(status) = first {
        all.warnings.push(Warning::counted("runs_failed", failure(status, n_failed, n_run), n_failed));
    }
    Ok(all)
}

/// How runs failed, as a sentence.
fn failure(first: ExitStatus, n_failed: u64, n_run: u64) -> String {
    let end = ending(first);
    match n_run {
        1 => format!("the command failed: it {end}"),
        _ => format!("{n_failed} of {n_run} runs failed: the first of them {end}"),
    }
}

/// The program's own exit code; as shells do, 128 and the signal when one ended it.
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code & 0xff).unwrap_or(2)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    struct Told(i32, bool);

    impl Ran for Told {
        fn status(&self) -> ExitStatus {
            ExitStatus::from_raw(self.0)
        }

        fn was_interrupted(&self) -> bool {
            self.1
        }
    }

    fn check(warmup: usize, runs: usize, told: &[(i32, bool)]) -> (usize, u8, Vec<String>) {
        let mut told = told.iter();
        let all = repeat(warmup, runs, || {
            let (status, is_over) = told.next().expect("no more runs than asked for");
            Ok(Told(*status, *is_over))
        })
        .expect("nothing fails");
        (all.counted.len(), all.exit_code, all.warnings.into_iter().map(|warning| warning.code).collect())
    }

    #[test]
    fn the_first_failure_is_the_exit_code_and_the_runs_go_on() {
        assert_eq!(check(1, 2, &[(0, false); 3]), (2, 0, vec![]));
        let failing = [(0, false), (7 << 8, false), (9 << 8, false)];
        assert_eq!(check(0, 3, &failing), (3, 7, vec!["runs_failed".to_owned()]));
        assert_eq!(check(0, 1, &[(11, false)]), (1, 139, vec!["runs_failed".to_owned()]));
    }

    #[test]
    fn a_failure_is_told_in_a_sentence() {
        let of = |status, n_failed, n_run| failure(ExitStatus::from_raw(status), n_failed, n_run);
        assert_eq!(of(3 << 8, 1, 1), "the command failed: it ended with exit code 3");
        assert_eq!(of(9, 2, 5), "2 of 5 runs failed: the first of them was ended by SIGKILL");
        assert_eq!(of(64, 1, 1), "the command failed: it was ended by signal 64");
    }

    #[test]
    fn an_interrupt_ends_the_runs_and_leaves_those_that_are_whole() {
        let both = vec!["interrupted".to_owned(), "runs_failed".to_owned()];
        assert_eq!(check(0, 5, &[(0, false), (0, false), (2, true)]), (2, 130, both.clone()));
        assert_eq!(check(0, 5, &[(2, true)]), (1, 130, both.clone()));
        assert_eq!(check(2, 5, &[(2, true)]), (1, 130, both));
        // The program ended in its own way, after its work.
        assert_eq!(check(0, 5, &[(0, false), (0, true)]), (2, 0, vec!["interrupted".to_owned()]));
    }
}
