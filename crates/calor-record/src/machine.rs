//! What is known of this machine and of this process's own cost.

use std::collections::BTreeSet;
use std::fs;

use calor_model::Host;
use calor_symbols::cpu_nanos;

/// The machine, as far as it tells.
pub(crate) fn host() -> Host {
    let line = |path: &str| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    let after = |text: &str, key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))
            .map(|value| value.trim().to_owned())
    };
    let memory = after(&line("/proc/meminfo"), "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    let processor = line("/proc/cpuinfo");
    Host {
        name: line("/proc/sys/kernel/hostname"),
        os: std::env::consts::OS.to_owned(),
        kernel: line("/proc/sys/kernel/osrelease"),
        arch: std::env::consts::ARCH.to_owned(),
        cpu: after(&processor, "model name").unwrap_or_default(),
        cpu_features: after(&processor, "flags").as_deref().map(vector_features).unwrap_or_default(),
        cores: std::thread::available_parallelism().ok().and_then(|count| u32::try_from(count.get()).ok()),
        memory_bytes: memory.map(|kib| kib * 1024),
    }
}

/// Of all that a processor can do, what tells how wide it computes.
fn vector_features(flags: &str) -> BTreeSet<String> {
    const BEGINNINGS: [&str; 6] = ["sse", "ssse", "avx", "fma", "f16c", "amx"];
    let is_of_vectors = |word: &&str| BEGINNINGS.iter().any(|beginning| word.starts_with(beginning));
    flags.split_whitespace().filter(is_of_vectors).map(str::to_owned).collect()
}

/// A running process's command line.
pub(crate) fn command_of(pid: i32) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<_> =
        bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty()).map(String::from_utf8_lossy).collect();
    (!words.is_empty()).then(|| typed(words))
}

/// A command as it can be typed into a shell, so that it can be run again: words with letters that mean something there are
/// quoted.
pub(crate) fn typed(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let quoted = |word: &str| {
        let is_plain = |letter: char| letter.is_alphanumeric() || "_-./=:,+@%^".contains(letter);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => word.to_owned(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    };
    words.into_iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// CPU time of this process.
pub(crate) fn own_cpu_nanos() -> u64 {
    cpu_nanos(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of the calling thread.
pub(crate) fn own_thread_cpu_nanos() -> u64 {
    cpu_nanos(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The most memory this process has held.
pub(crate) fn own_peak_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_again() {
        assert_eq!(typed(["sh", "-c", "exit 7"]), "sh -c 'exit 7'");
        assert_eq!(typed(["./a", "--x=1", "", "it's"]), r"./a --x=1 '' 'it'\''s'");
    }
}
