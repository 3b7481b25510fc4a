//! How much memory processes have, as the kernel tells in `/proc`. Read every second, so only what it has at hand: the
//! exact account of shared pages takes it milliseconds for a large process, during which the process cannot map any.

use std::fs;

use calor_analysis::live::ProcessMemory;

/// More processes than this are not looked at.
const MOST: usize = 64;

/// What is known of each process that is there, the largest first.
pub(super) fn look(pids: impl Iterator<Item = i32>) -> Vec<ProcessMemory> {
    let mut found: Vec<ProcessMemory> = pids.take(MOST).filter_map(of).collect();
    found.sort_by_key(|memory| (std::cmp::Reverse(memory.resident_bytes), memory.pid));
    found
}

fn of(pid: i32) -> Option<ProcessMemory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse(pid, &status, &stat)
}

fn parse(pid: i32, status: &str, stat: &str) -> Option<ProcessMemory> {
    let field = |name: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.map_or("", str::trim)
    };
    let number = |name: &str| field(name).split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
    let bytes = |name: &str| number(name).unwrap_or(0) * 1024;
    // The name may hold anything, brackets too: what follows its last bracket are numbers.
    let (_, numbers) = stat.rsplit_once(')')?;
    let mut numbers = numbers.split_whitespace().skip(7);
    let mut next = || numbers.next()?.parse::<u64>().ok();
    let minor = next()?;
    next()?;
    let major_faults = next()?;
    Some(ProcessMemory {
        pid,
        name: field("Name").to_owned(),
        // One that has ended and was not waited for has no memory, which is not the same as none of it.
        resident_bytes: number("VmRSS")? * 1024,
        peak_bytes: bytes("VmHWM"),
        swapped_bytes: bytes("VmSwap"),
        n_threads: number("Threads").unwrap_or(0),
        faults: minor + major_faults,
        major_faults,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use calor_analysis::live::MemoryUsage;

    use super::*;

    #[test]
    fn a_process_with_an_odd_name_is_read() {
        let status =
            "Name:\tweb) 7 (x\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nVmSwap:\t       4 kB\nThreads:\t3\n";
        let stat = "42 (web) 7 (x) S 1 42 42 0 -1 4194304 900 5 17 6 1 2 0 0 20 0 3 0 99 1000 256";
        let memory = parse(42, status, stat).expect("it is whole");
        assert_eq!((memory.name.as_str(), memory.n_threads), ("web) 7 (x", 3));
        assert_eq!(
            (memory.resident_bytes, memory.peak_bytes, memory.swapped_bytes),
            (1 << 20, 2 << 20, 4096)
        );
        assert_eq!((memory.faults, memory.major_faults), (917, 17));
        assert_eq!(parse(42, status, "42 (cut"), None);
        assert_eq!(parse(42, "Name:\tended\nThreads:\t1\n", stat), None, "it has ended");
    }

    #[test]
    fn this_process_has_memory_and_a_missing_one_is_passed_over() {
        let own = i32::try_from(std::process::id()).expect("a pid fits");
        let [memory] = &look([own, i32::MAX].into_iter())[..] else { panic!("one of the two is there") };
        assert!(memory.resident_bytes > 0 && memory.peak_bytes >= memory.resident_bytes && memory.faults > 0);
        assert_eq!(
            MemoryUsage::of(&[memory.clone(), memory.clone()], Duration::ZERO).faults,
            2 * memory.faults
        );
    }
}
