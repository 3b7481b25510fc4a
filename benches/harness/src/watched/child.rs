//! A tool at work as a child of this process, with what it and all its own children cost. This process waits for no
//! other child before, so what the kernel counts for its children is the tool's.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use crate::clock::monotonic_nanos;

/// In which `/proc` counts, on every machine that Linux runs on today.
const TICKS_A_SECOND: f64 = 100.0;

/// A child that has ended well.
#[derive(Debug)]
pub struct Ended {
    /// What it printed.
    pub stdout: String,
    /// Its CPU time and that of the children it waited for, in seconds.
    pub cpu_s: f64,
    /// The part of that which its children used, to a hundredth of a second.
    pub children_cpu_s: f64,
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
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start {program}: {error}"))?;
    let (stdout, stderr) = listen(&mut child);
    // Once it is waited for, the kernel forgets how much of its CPU was its children's.
    let pid = Id::Pid(Pid::from_raw(child.id().cast_signed()));
    let is_gone = waitid(pid, WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
    let at_nanos = monotonic_nanos();
    let children_cpu_s = is_gone.ok().and_then(|_| children_cpu_s(child.id())).unwrap_or(0.0);
    let status = child.wait().map_err(|error| format!("cannot wait for {program}: {error}"))?;
    let after = usage()?;
    if !status.success() {
        return Err(format!("{program} ended with {status}: {}", last_words(&stderr)));
    }
    Ok(Ended {
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        children_cpu_s,
        cpu_s: seconds(&after) - seconds(&before),
        peak_mb: after.max_rss() as f64 * 1024.0 / 1e6,
        started_nanos,
        at_nanos,
    })
}

/// All that a child says on standard output and standard error.
fn listen(child: &mut Child) -> (Vec<u8>, Vec<u8>) {
    fn all(mut from: impl Read) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A pipe that breaks has said what it had to say.
        let _ = from.read_to_end(&mut bytes);
        bytes
    }
    let stderr = child.stderr.take().map(|stderr| thread::spawn(|| all(stderr)));
    let stdout = child.stdout.take().map(all).unwrap_or_default();
    let stderr = stderr.and_then(|stderr| stderr.join().ok()).unwrap_or_default();
    (stdout, stderr)
}

/// CPU time of the children that a process, which is gone but not forgotten, has waited for.
fn children_cpu_s(pid: u32) -> Option<f64> {
    two_times_s(pid, 13)
}

/// CPU time of a process, to a hundredth of a second; `None` when there is no such process.
#[must_use]
pub fn cpu_s_of(pid: u32) -> Option<f64> {
    two_times_s(pid, 11)
}

/// The sum of two times, in user and kernel mode, that stand next to each other in the status of a process.
fn two_times_s(pid: u32, n_before: usize) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name, in brackets, may hold anything; the third field is the first behind it.
    let mut fields = status.rsplit_once(')')?.1.split_whitespace().skip(n_before);
    let ticks: [f64; 2] = [fields.next()?.parse().ok()?, fields.next()?.parse().ok()?];
    Some(ticks.iter().sum::<f64>() / TICKS_A_SECOND)
}

/// What a program said on standard error, in one line that is not too long for a table: from its first word about an
/// error on.
pub fn last_words(stderr: &[u8]) -> String {
    const MOST: usize = 240;
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.iter().position(|line| line.contains("error")).unwrap_or_default();
    let words = lines[first..].join(" ");
    match words.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &words[..end]),
        None => words,
    }
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
        assert_eq!(ended.children_cpu_s, 0.0);
    }

    #[test]
    fn what_a_childs_children_used_is_told_apart() {
        let script = "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; echo done";
        let ended = run(Command::new("sh").args(["-c", script])).unwrap();
        assert!(ended.children_cpu_s > 0.0 && ended.children_cpu_s < ended.cpu_s + 0.02, "{ended:?}");
    }

    #[test]
    fn a_child_that_fails_is_heard() {
        let error = run(Command::new("sh").args(["-c", "echo a >&2; echo b >&2; exit 4"])).unwrap_err();
        assert!(error.contains("exit status: 4: a b"), "{error}");
    }

    #[test]
    fn last_words_begin_with_the_error_and_are_cut_between_two_characters() {
        assert_eq!(
            last_words(b"usage: tool\n\ntool: error: no such option\n"),
            "tool: error: no such option"
        );
        assert_eq!(last_words("\u{e9}".repeat(240).as_bytes()), "\u{e9}".repeat(240));
        assert_eq!(last_words("\u{e9}".repeat(241).as_bytes()), "\u{e9}".repeat(240) + " …");
        assert_eq!(last_words(b""), "");
    }
}
