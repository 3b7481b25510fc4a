//! How `calor whatif --confirm` has a program try something, and learns what came of it: the variable `CALOR_CAUSAL` names a
//! file with the plan, which names a file for the results. Each result is appended when it is there, so a program that is
//! killed leaves those it had.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::AcqRel};
use std::time::Duration;

use crate::first_value::FirstValue;
use crate::own_memory::as_own;
use crate::process;

use super::outcome::{Experiment, Outcome};
use super::plan::Plan;
use super::session::{self, Session};

/// The variable that names the file with the plan.
pub const VARIABLE: &str = "CALOR_CAUSAL";

/// What the first line of a plan says.
const PLAN: &str = "calor-causal-plan 1";
/// What the first line of results says.
const RESULTS: &str = "calor-causal-results 1";
/// The word before a recording that the program made of itself.
const RECORDED: &str = "recorded";

/// A plan that is handed to a program.
#[derive(Clone, PartialEq, Debug)]
pub struct Handover {
    /// What is to be tried by a program that tells its progress.
    pub plan: Plan,
    /// What is to be tried all along by one that does not: the number of a speed-up from 1, or 0 for none.
    pub whole: usize,
    /// Where results go. It must not exist yet: the first process that makes it is the one that takes part.
    pub results: PathBuf,
}

impl Handover {
    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let Plan { speedups, n_visits, shortest, point, seed } = &self.plan;
        let mut text = format!("{PLAN}\nresults {}\nwhole {}\n", self.results.display(), self.whole);
        let _ = write!(text, "visits {n_visits}\nshortest {}\nseed {seed}\n", shortest.as_nanos());
        if let Some(point) = point {
            let _ = writeln!(text, "point {point}");
        }
        for (scope, factor) in speedups {
            let _ = writeln!(text, "speedup {factor} {scope}");
        }
        text
    }

    /// What the text of a file says.
    ///
    /// # Errors
    /// What is wrong with it, and in which line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, line)| line != PLAN) {
            return Err(format!("expected `{PLAN}` as the first line"));
        }
        let mut found = Self { plan: Plan::new(), whole: 0, results: PathBuf::new() };
        for (at, line) in lines {
            found
                .take(line)
                .map_err(|expected| format!("expected {expected} in line {}, found `{line}`", at + 1))?;
        }
        if found.results.as_os_str().is_empty() {
            return Err("expected a line `results PATH`".to_owned());
        }
        Ok(found)
    }

    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        let (key, value) = line.split_once(' ').ok_or("a word and a value")?;
        let number = || value.parse().map_err(|_| "a whole number");
        match key {
            "results" => self.results = PathBuf::from(value),
            "whole" => self.whole = value.parse().map_err(|_| "a whole number")?,
            "visits" => self.plan.n_visits = number()?,
            "shortest" => self.plan.shortest = Duration::from_nanos(number()?),
            "seed" => self.plan.seed = number()?,
            "point" => self.plan.point = Some(value.to_owned()),
            "speedup" => {
                let parted =
                    value.split_once(' ').and_then(|(factor, scope)| Some((factor.parse().ok()?, scope)));
                let (factor, scope) = parted.ok_or("a factor and a scope")?;
                self.plan.speedups.push((scope.to_owned(), factor));
            }
            _ => return Err("a line of a plan"),
        }
        Ok(())
    }

    /// What the text of the results says; lines that are not whole, at the end of a killed program, are left out. `None`
    /// where it is no file of results.
    #[must_use]
    pub fn outcome(&self, text: &str) -> Option<Outcome> {
        let whole_lines = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut lines = whole_lines.lines();
        lines.next().filter(|line| *line == RESULTS)?;
        let mut outcome = Outcome::default();
        for line in lines {
            match line.split_once(' ')? {
                ("experiment", figures) => outcome.experiments.extend(self.experiment(figures)),
                ("behind", name) => outcome.behind.push(name.to_owned()),
                ("left_alone", n) => outcome.left_alone = n.parse().ok()?,
                ("threads", n) => outcome.threads = n.parse().ok()?,
                ("waits_told", n) => outcome.waits_told = n.parse().ok()?,
                (RECORDED, _) => {}
                _ => return None,
            }
        }
        Some(outcome)
    }

    /// The recordings that the program made of itself where nothing was before, by the text of the results: the number of
    /// the file and its path. They are of a program that was slowed, and nobody but that program has a use for them.
    pub fn recordings(text: &str) -> impl Iterator<Item = (u64, &Path)> {
        text.lines().filter_map(|line| {
            let (number, path) = line.strip_prefix(RECORDED)?.strip_prefix(' ')?.split_once(' ')?;
            Some((number.parse().ok()?, Path::new(path)))
        })
    }

    fn experiment(&self, figures: &str) -> Option<Experiment> {
        let figures: Vec<u64> =
            figures.split(' ').map(|figure| figure.parse().ok()).collect::<Option<_>>()?;
        let [choice, round, visits, wall, effective] = figures[..] else { return None };
        let tried = usize::try_from(choice).ok()?.checked_sub(1);
        let tried = tried.map(|at| self.plan.speedups.get(at).ok_or(())).transpose().ok()?;
        Some(Experiment {
            scope: tried.map(|(scope, _)| scope.clone()),
            factor: tried.map_or(1.0, |(_, factor)| *factor),
            round,
            visits,
            wall: Duration::from_nanos(wall),
            effective: Duration::from_nanos(effective),
        })
    }
}

/// The file for results.
pub(super) struct Results(File);

impl Results {
    fn create(path: &Path) -> std::io::Result<Self> {
        let mut file = OpenOptions::new().append(true).create_new(true).open(path)?;
        file.write_all(format!("{RESULTS}\n").as_bytes())?;
        Ok(Self(file))
    }

    /// A result that cannot be written is one that was not measured: whoever reads them sees fewer.
    fn line(&mut self, line: &str) {
        let _ = self.0.write_all(line.as_bytes());
    }

    pub(super) fn tell(&mut self, choice: usize, experiment: &Experiment) {
        let Experiment { round, visits, wall, effective, .. } = experiment;
        let (wall, effective) = (wall.as_nanos(), effective.as_nanos());
        self.line(&format!("experiment {choice} {round} {visits} {wall} {effective}\n"));
    }

    pub(super) fn close(&mut self, outcome: &Outcome) {
        for name in &outcome.behind {
            self.line(&format!("behind {}\n", name.replace('\n', " ")));
        }
        let Outcome { left_alone, threads, waits_told, .. } = outcome;
        self.line(&format!("left_alone {left_alone}\nthreads {threads}\nwaits_told {waits_told}\n"));
    }
}

/// What the environment hands to this program, if anything. Read once, and on a thread of the program.
fn given() -> Option<&'static Handover> {
    static GIVEN: FirstValue<Option<Handover>> = FirstValue::new();
    let read = || {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty())?;
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
        text.and_then(|text| Handover::parse(&text)).map_err(|problem| warn(&path, &problem)).ok()
    };
    GIVEN.get_or_make(read).as_ref()
}

fn warn(path: &OsString, problem: &str) {
    eprintln!(
        "calor: the plan that {VARIABLE} names is not followed ({problem}); the program goes on without it: {}",
        path.display()
    );
}

/// Follows the plan that the environment names, the first time.
pub(crate) fn begin() {
    static IS_BEGUN: AtomicBool = AtomicBool::new(false);
    extern "C" fn at_exit() {
        let _ = as_own(session::finish);
    }
    let Some(given) = given() else { return };
    if IS_BEGUN.swap(true, AcqRel) {
        return;
    }
    // Made already by the process that started this one, which takes part.
    let Ok(results) = Results::create(&given.results) else { return };
    let session = || Session::new(&given.plan, given.whole).told_to(results);
    if session::begin(session).is_ok() {
        process::at_exit(at_exit);
    }
}

/// Where a recording goes while a plan is followed; `None` where none is. What experiments slowed must not replace what was
/// recorded of the program as it is. Where nothing was recorded yet it goes where the program wants it, which may read it
/// back.
pub(crate) fn place(wanted: &Path) -> Option<PathBuf> {
    let given = given()?;
    let is_free = std::fs::symlink_metadata(wanted).is_err();
    Some(if is_free { wanted.to_owned() } else { given.results.with_extension("calor") })
}

/// Tells whoever handed the plan over of a recording that was begun, so that it can be taken away again.
pub(crate) fn tell_recording(path: &Path) {
    let Some(given) = given() else { return };
    let number = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.ino());
    let path = std::path::absolute(path).ok();
    let path = path.as_deref().and_then(Path::to_str).filter(|path| !path.contains('\n'));
    // One that cannot be told stays where it is.
    if let (Some(number), Some(path)) = (number, path)
        && let Ok(file) = OpenOptions::new().append(true).open(&given.results)
    {
        Results(file).line(&format!("{RECORDED} {number} {path}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handover() -> Handover {
        let plan = Plan::new().speedup("layer = 3", 2.0).speedup("b", f64::INFINITY).point("step").seed(9);
        Handover { plan, whole: 2, results: PathBuf::from("/tmp/a folder/results") }
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        assert_eq!(Handover::parse(&handover().text()), Ok(handover()));
        for (wrong, expected) in [
            ("", "first line"),
            ("calor-causal-plan 1\n", "results PATH"),
            ("calor-causal-plan 1\nresults r\nspeedup fast a\n", "line 3"),
            ("calor-causal-plan 1\nresults r\nvisits many\n", "a whole number in line 3"),
            ("calor-causal-plan 1\nfuture\n", "line 2"),
        ] {
            assert!(Handover::parse(wrong).is_err_and(|error| error.contains(expected)), "{wrong}");
        }
    }

    #[test]
    fn results_are_read_up_to_the_last_whole_line() {
        let text = "calor-causal-results 1\nrecorded 7 /tmp/a folder/own.calor\nexperiment 0 1 5 2000 2000\n\
                    experiment 2 1 5 3000 1000\nbehind io\nexper";
        let outcome = handover().outcome(text).expect("they are results");
        let recordings: Vec<_> = Handover::recordings(text).collect();
        assert_eq!(recordings, [(7, Path::new("/tmp/a folder/own.calor"))]);
        let [without, with] = &outcome.experiments[..] else { panic!("{outcome:?}") };
        assert_eq!((without.scope.as_deref(), without.factor), (None, 1.0));
        assert_eq!((with.scope.as_deref(), with.factor), (Some("b"), f64::INFINITY));
        assert_eq!((with.wall.as_nanos(), with.effective.as_nanos()), (3000, 1000));
        assert_eq!(outcome.behind, ["io"]);
        assert_eq!(handover().outcome("something else\n"), None);
        // An experiment that the plan does not have.
        assert_eq!(
            handover().outcome("calor-causal-results 1\nexperiment 3 1 5 1 1\n").map(|o| o.experiments.len()),
            Some(0)
        );
    }
}
