//! The text of `perf script`: a line for each sample, its stack in indented lines, an empty line. Calor's own reader
//! is not used, so that a mistake in it cannot show here as one of perf's.

use super::Recorded;

/// Reads samples and lost events.
pub(super) fn read(text: &str) -> Recorded {
    let mut recorded = Recorded { n_lost: Some(0), ..Recorded::default() };
    for line in text.lines() {
        if line.starts_with(char::is_whitespace) {
            if let (Some((frames, _)), Some((_, name))) =
                (recorded.stacks.last_mut(), line.trim_start().split_once(' '))
            {
                frames.push(name.trim().to_owned());
            }
        } else if let Some(lost) = lost(line) {
            recorded.n_lost = recorded.n_lost.map(|sum| sum + lost);
        } else if line.contains("cpu-clock") {
            recorded.stacks.push((Vec::new(), 1));
            recorded.n_samples += 1;
        }
    }
    recorded.stacks.iter_mut().for_each(|(frames, _)| frames.reverse());
    recorded
}

/// `PERF_RECORD_LOST lost 7` and `PERF_RECORD_LOST_SAMPLES lost 7`, after the thread and the time.
fn lost(line: &str) -> Option<u64> {
    let (_, event) = line.split_once("PERF_RECORD_LOST")?;
    let (_, count) = event.split_once("lost ")?;
    count.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_their_frames_and_losses_are_added_up() {
        let text = "work-0 31721 12868.387607: cpu-clock: \n\
                    \t           193e9 bench::native::mix\n\t          1098eb clone3\n\n\
                    work-1 31722 12868.39: PERF_RECORD_LOST lost 7\n\
                    work-1 31722 12868.40: PERF_RECORD_LOST_SAMPLES lost 2\n\
                    work-1 31722 12868.394352: cpu-clock:u: \n\t    7f00 [unknown]\n\n";
        let recorded = read(text);
        assert_eq!((recorded.n_samples, recorded.n_lost), (2, Some(9)));
        assert_eq!(recorded.stacks[0].0, ["clone3", "bench::native::mix"]);
        assert_eq!(recorded.rooted_share(), Some(0.5));
    }
}
