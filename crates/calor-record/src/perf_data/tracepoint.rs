//! The one tracepoint whose own fields matter here: `sched:sched_switch`, which says who runs next.

/// Where `next_pid` has been in every kernel without patches since 2009.
const USUAL_OFFSET: usize = 56;

/// Where a switch has the thread that is switched to, by the formats that were recorded along.
pub(super) fn next_tid_offset(formats: &[u8]) -> usize {
    recorded_offset(formats).unwrap_or(USUAL_OFFSET)
}

/// Finds `field:pid_t next_pid; offset:56;`, with a tab between, behind `name: sched_switch`.
fn recorded_offset(formats: &[u8]) -> Option<usize> {
    let switch = behind(formats, b"name: sched_switch\n")?;
    let offset = behind(behind(switch, b" next_pid;")?, b"offset:")?;
    let digits = offset.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&offset[..digits]).ok()?.parse().ok()
}

fn behind<'a>(text: &'a [u8], what: &[u8]) -> Option<&'a [u8]> {
    let at = text.windows(what.len()).position(|window| window == what)?;
    text.get(at + what.len()..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_format_counts_and_else_the_usual_one() {
        let formats = b"\x17\x08\x44tracing name: sched_wakeup\nfield:pid_t next_pid;\toffset:1;\n\
            name: sched_switch\nID: 314\n\tfield:pid_t prev_pid;\toffset:24;\n\
            \tfield:pid_t next_pid;\toffset:64;\tsize:4;\n";
        assert_eq!(next_tid_offset(formats), 64);
        for other in [&formats[..60], b"", b"name: sched_switch\n next_pid; offset:x"] {
            assert_eq!(next_tid_offset(other), USUAL_OFFSET);
        }
    }
}
