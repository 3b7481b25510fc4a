//! A tool at work as a child of this process, with what it and all its own children cost. This process waits for no
//! other child before, so what the kernel counts for its children is the tool's.

use std::process::Command;

use nix::sys::resource::{Usage, UsageWho, getrusage};

use crate::clock::monotonic_nanos;

/// A child that has ended well.
#[derive(Debug)]
pub struct Ended {
    /// What it printed.
    pub stdout: String,
    /// Its CPU time and that of its children, in seconds.
    pub cpu_s: f64,
    /// The most memory that it, or one of its children, held at a time.
    pub peak_mb: f64,
    /// When it was started, by the clock that all processes share.
    pub started_nanos: u64,
    /// When it was gone, by the same clock.
    pub at_nanos: u64,
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Result<Ended, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let before = usage()?;
    let started_nanos = monotonic_nanos();
    let output = command.output().map_err(|error| format!("cannot start {program}: {error}"))?;
    let at_nanos = monotonic_nanos();
    let after = usage()?;
    if !output.status.success() {
        return Err(format!("{program} ended with {}: {}", output.status, last_words(&output.stderr)));
    }
    Ok(Ended {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        cpu_s: seconds(&after) - seconds(&before),
        peak_mb: after.max_rss() as f64 * 1024.0 / 1e6,
        started_nanos,
        at_nanos,
    })
}

/// What a program said on standard error, in one line.
pub fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// CPU time of all children that have ended so far.
pub fn cpu_seconds() -> Result<f64, String> {
    usage().map(|usage| seconds(&usage))
}

fn usage() -> Result<Usage, String> {
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|error| format!("cannot ask for the usage of children: {error}"))
}

fn seconds(usage: &Usage) -> f64 {
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_child_used_and_said_is_known() {
        let ended =
            run(Command::new("sh").args(["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $i"]));
        let ended = ended.unwrap();
        assert_eq!(ended.stdout, "20000\n");
        assert!(ended.cpu_s > 0.0 && ended.peak_mb > 0.0, "{ended:?}");
    }

    #[test]
    fn a_child_that_fails_is_heard() {
        let error = run(Command::new("sh").args(["-c", "echo a >&2; echo b >&2; exit 4"])).unwrap_err();
        assert!(error.contains("exit status: 4: a b"), "{error}");
    }
}
