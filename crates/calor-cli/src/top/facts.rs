//! What the header says of the program and its recording, and the sentences about how it ended.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use calor_record::{Ended, Progress};

/// What is known of the recording.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) command: String,
    pub(super) pid: i32,
    pub(super) rate: u32,
    pub(super) refresh: Duration,
    pub(super) progress: Progress,
    pub(super) ended: Option<Ended>,
    /// Whether the program is being ended.
    pub(super) is_leaving: bool,
}

impl Facts {
    /// How the program fares, in a word or two.
    pub(super) fn state(&self) -> String {
        match self.ended {
            None if self.is_leaving => "ending".to_owned(),
            None => "running".to_owned(),
            Some(ended) => how(ended),
        }
    }
}

/// How a program ended.
pub(super) fn how(ended: Ended) -> String {
    match ended {
        Ended::Program(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended (exit code {code})"),
            (_, Some(signal)) => format!("ended (signal {signal})"),
            _ => "ended".to_owned(),
        },
        Ended::Gone => "ended".to_owned(),
        _ => "stopped".to_owned(),
    }
}

/// Hours, minutes and seconds.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The name of a file that is not taken, for a profile of a process saved at a time of day.
pub(super) fn file_name(pid: i32, since_1970: Duration) -> String {
    let seconds = since_1970.as_secs() % 86_400;
    format!("calor-top-{pid}-{:02}{:02}{:02}.calor", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_names_read_as_people_write_them() {
        assert_eq!(clock(Duration::from_secs(3_725)), "1:02:05");
        assert_eq!(file_name(42, Duration::from_secs(86_400 + 3_725)), "calor-top-42-010205.calor");
    }

    #[test]
    fn an_end_is_told_with_its_code_or_signal() {
        let ended = |raw| how(Ended::Program(std::process::ExitStatus::from_raw(raw)));
        assert_eq!(
            (ended(3 << 8).as_str(), ended(15).as_str()),
            ("ended (exit code 3)", "ended (signal 15)")
        );
    }
}
