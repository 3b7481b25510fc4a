//! The line that begins a sample: which thread, when, how much of which event.
//!
//! Command names may contain spaces and digits, so the line is taken apart from the time on, which nothing else
//! looks like, to both sides.

/// The parts of a sample's first line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Header<'a> {
    pub(super) command: &'a str,
    /// 0 when only the thread is told.
    pub(super) pid: u32,
    pub(super) tid: u64,
    pub(super) at_nanos: u64,
    pub(super) period: Option<u64>,
    /// Empty when the line tells none, as those about lost samples do.
    pub(super) event: &'a str,
    /// What stands behind the event: fields of a tracepoint, or the only frame.
    pub(super) rest: &'a str,
}

/// Takes a line apart; `None` when it does not begin a sample.
pub(super) fn parse(line: &str) -> Option<Header<'_>> {
    let mut from = 0;
    // Something in a command's name could look like a time: go on until what is in front fits as well.
    while let Some((start, end)) = next_word(line, from) {
        if let Some(at_nanos) = time(&line[start..end])
            && let Some((command, pid, tid)) = thread(&line[..start])
        {
            let (period, event, rest) = event(&line[end..]);
            return Some(Header { command, pid, tid, at_nanos, period, event, rest });
        }
        from = end;
    }
    None
}

/// Where the next word of a line begins and ends.
fn next_word(line: &str, from: usize) -> Option<(usize, usize)> {
    let rest = &line.as_bytes()[from..];
    let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let length = rest[start..].iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len() - start);
    Some((from + start, from + start + length))
}

/// Nanoseconds of `4796.844986:`.
fn time(word: &str) -> Option<u64> {
    let (seconds, fraction) = word.strip_suffix(':')?.split_once('.')?;
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(seconds) || !are_digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let scale = 10_u64.pow(9 - fraction.len() as u32);
    let nanos = fraction.parse::<u64>().ok()? * scale;
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanos)
}

/// Command, process and thread of what stands in front of the time: `worker 1  8430/8432 [001] `.
fn thread(front: &str) -> Option<(&str, u32, u64)> {
    let mut front = front.trim_end();
    // The flags of tracepoints, such as `d.h.`, and the CPU.
    let are_flags = |word: &str| matches!(word.len(), 4 | 5) && word.contains('.') && !word.contains(':');
    let is_cpu = |word: &str| word.starts_with('[') && word.ends_with(']');
    for may_stand_here in [&are_flags as &dyn Fn(&str) -> bool, &is_cpu] {
        if let Some((before, word)) = front.rsplit_once(char::is_whitespace)
            && may_stand_here(word)
        {
            front = before.trim_end();
        }
    }
    let (command, numbers) = front.rsplit_once(char::is_whitespace)?;
    let (pid, tid) = match numbers.split_once('/') {
        Some((pid, tid)) => (number(pid)?, number(tid)?),
        None => (0, number(numbers)?),
    };
    let command = command.trim();
    // perf prints -1 for a thread that was already gone.
    (!command.is_empty()).then_some((command, u32::try_from(pid).unwrap_or(0), tid))
}

fn number(text: &str) -> Option<u64> {
    if text == "-1" { Some(0) } else { text.parse().ok() }
}

/// Period, event and the rest of what stands behind the time.
fn event(behind: &str) -> (Option<u64>, &str, &str) {
    let behind = behind.trim_start();
    let (first, rest) = behind.split_once(char::is_whitespace).unwrap_or((behind, ""));
    let (period, behind) = match first.parse() {
        Ok(period) => (Some(period), rest.trim_start()),
        Err(_) => (None, behind),
    };
    let (event, rest) = behind.split_once(char::is_whitespace).unwrap_or((behind, ""));
    match event.strip_suffix(':') {
        Some(event) => (period, event, rest.trim()),
        None => (period, "", behind.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_whatever_the_command_is_called() {
        let check = |line: &str, command: &str, pid, tid, at_nanos, period, event: &str, rest: &str| {
            let expected = Header { command, pid, tid, at_nanos, period, event, rest };
            assert_eq!(parse(line), Some(expected), "{line}");
        };
        let at = 4_796_844_986_000;
        check(
            "w  8430  4796.844986:    5025125 cpu-clock:ppp: ",
            "w",
            0,
            8430,
            at,
            Some(5_025_125),
            "cpu-clock:ppp",
            "",
        );
        check("a 1 8430/8432 [001]  4796.844986: 1 cycles:", "a 1", 8430, 8432, at, Some(1), "cycles", "");
        check("   swapper     0 [000] 4796.844986: cycles:u: ", "swapper", 0, 0, at, None, "cycles:u", "");
        check("x 3.5: y -1 4796.844986: 2 page-faults:", "x 3.5: y", 0, 0, at, Some(2), "page-faults", "");
        check(
            "w 1 [000] d.h. 4796.844986: sched:sched_switch: prev_pid=1",
            "w",
            0,
            1,
            at,
            None,
            "sched:sched_switch",
            "prev_pid=1",
        );
        check("w 1 4796.844986: PERF_RECORD_LOST lost 3", "w", 0, 1, at, None, "", "PERF_RECORD_LOST lost 3");
        check(
            "w 1 4796.844986: 7 cycles:  12c4 main+0x4 (/bin/w)",
            "w",
            0,
            1,
            at,
            Some(7),
            "cycles",
            "12c4 main+0x4 (/bin/w)",
        );
    }

    #[test]
    fn other_lines_do_not_begin_a_sample() {
        for line in
            ["", "\t 12c4 main+0x4 (/bin/w)", "main;work 12", "a 1.5: b", "1.5:", "w 1 1.5 cycles", "] 1.5:"]
        {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
