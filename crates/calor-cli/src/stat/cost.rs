//! What a simulation costs: the same program once more, without it.

use std::fs::File;
use std::io::Seek;
use std::os::fd::AsFd;
use std::time::Duration;

use anyhow::Result;
use calor_model::Warning;
use calor_record::counters::{Counting, Streams};

use super::Arguments;
use super::counted::explained;

/// Times with and without.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Cost {
    pub(super) plain: Duration,
    pub(super) simulated: Duration,
}

impl Cost {
    /// How many times as long it takes.
    pub(super) fn slowdown(&self) -> f64 {
        self.simulated.as_secs_f64() / self.plain.as_secs_f64().max(1e-9)
    }
}

/// A run without the simulation.
pub(super) struct Plain {
    pub(super) elapsed: Duration,
    pub(super) status: std::process::ExitStatus,
    pub(super) warning: Option<Warning>,
}

/// Runs the program as it is, with its output thrown away. A file on standard input is read from the same place again;
/// what comes from elsewhere can be read once only, and is for the simulation.
pub(super) fn plain(arguments: &Arguments, counting: &mut Counting) -> Result<Plain> {
    let input = std::io::stdin().as_fd().try_clone_to_owned().ok().map(File::from);
    let mut file = input.filter(|input| input.metadata().is_ok_and(|about| about.is_file()));
    let start = file.as_mut().and_then(|file| file.stream_position().ok());
    let streams = Streams { no_input: start.is_none(), discards: true, ..Streams::default() };
    let run = counting.run(&arguments.command, streams).map_err(explained)?;
    if let (Some(file), Some(start)) = (&mut file, start) {
        file.seek(std::io::SeekFrom::Start(start))?;
    }
    let warning = (start.is_none() && is_pipe()).then(|| {
        Warning::new(
            "cost_without_input",
            "the run that tells the cost had nothing on its standard input, which can be read once only: give a file \
             with < for a cost that is right for a program that reads it",
        )
    });
    Ok(Plain { elapsed: run.elapsed, status: run.status, warning })
}

fn is_pipe() -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = std::fs::metadata("/proc/self/fd/0").map(|about| about.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket())
}
