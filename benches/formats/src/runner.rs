//! The rounds: each case of each participant in a process of its own, all of them in every round, so that whatever
//! disturbs the machine meets all alike.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::case::{Case, Job};
use crate::figures::Figures;
use crate::results::Results;
use crate::{goals, tables};

/// Makes the inputs, runs all rounds and prints the tables.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let folder = Folder::new()?;
    for input in arguments.cases.iter().map(|case| case.input).collect::<BTreeSet<_>>() {
        input.write(&folder.0)?;
    }
    let program = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let mut results = Results::new(arguments.rounds);
    for round in 0..arguments.rounds {
        for (case, job) in measurements(&arguments.cases, round) {
            eprintln!("round {} of {}: {} {}", round + 1, arguments.rounds, case.name, job.who);
            match measure(&program, case, job, &folder.0) {
                Ok(figures) => results.insert(case.name, job.who, round, figures),
                // One that fails must not take the others with it; the tables will say that it is missing.
                Err(message) => {
                    eprintln!("warning: {} {}: {message}", case.name, job.who);
                    results.fail(case.name, job.who, message);
                }
            }
        }
    }
    print!("{}{}", tables::markdown(arguments, &results), goals::markdown(&arguments.cases, &results));
    Ok(())
}

/// All measurements of a round, case by case. Each round begins with another participant, so that nobody always
/// follows the same one.
fn measurements(cases: &[&'static Case], round: usize) -> Vec<(&'static Case, &'static Job)> {
    let mut all = Vec::new();
    for &case in cases {
        let n_jobs = case.jobs.len();
        all.extend((0..n_jobs).map(|place| (case, &case.jobs[(place + round) % n_jobs])));
    }
    all
}

fn measure(program: &Path, case: &Case, job: &Job, folder: &Path) -> Result<Figures, String> {
    let output = Command::new(program)
        .args(["--case", case.name, "--who", job.who, "--inputs"])
        .arg(folder)
        .output()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().last() {
        Some(line) if output.status.success() => Figures::parse(line),
        _ => {
            let message = String::from_utf8_lossy(&output.stderr);
            let message = message.trim().trim_start_matches("error: ");
            Err(if message.is_empty() { output.status.to_string() } else { message.to_owned() })
        }
    }
}

/// A folder for the inputs, which is gone when the run is over.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("calor-formats-bench-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("warning: cannot remove {}: {error}", self.0.display());
        }
    }
}
