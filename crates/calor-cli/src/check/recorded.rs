//! Commands recorded several times, for baselines and for what is held against them. Commands that take turns do so in random
//! order, so that neither has the better moments. What they write goes to standard error: standard output is for the result.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use calor_analysis::quantity::{counted, duration};
use calor_model::Profile;
use calor_record::counters::Streams;
use calor_record::{Ended, Options, Recording};

use crate::{input, launch, news, record};

/// How long a look at the recording may wait.
const STEP: Duration = Duration::from_millis(100);
/// No file is written then.
const LONG_AGO: SystemTime = SystemTime::UNIX_EPOCH;
/// Between two lines about how far it is.
const NEWS: Duration = Duration::from_secs(10);

/// What is recorded, and how often.
pub(crate) struct Plan<'c> {
    /// One command, or several that take turns.
    pub(crate) commands: &'c [Vec<OsString>],
    pub(crate) n_runs: usize,
    /// Runs of each before, which do not count.
    pub(crate) warmup: usize,
    pub(crate) options: Options,
    /// The file that the commands write their profile to by themselves; they are not recorded then.
    pub(crate) own_profile: Option<PathBuf>,
}

impl Plan<'_> {
    /// Runs all; the profiles by command, in the order of time.
    pub(crate) fn record(&self) -> Result<Vec<Vec<Profile>>> {
        let mut profiles: Vec<Vec<Profile>> = vec![Vec::new(); self.commands.len()];
        for number in 0..self.warmup {
            for command in self.commands {
                self.run(command, &format!("run {} to warm up", number + 1))?;
            }
        }
        let (began, mut told) = (Instant::now(), Instant::now());
        let chance = RandomState::new();
        for number in 1..=self.n_runs {
            let mut order: Vec<usize> = (0..self.commands.len()).collect();
            order.sort_by_key(|at| chance.hash_one((number, at)));
            for at in order {
                let when = format!("run {number} of {}", self.n_runs);
                profiles[at].push(self.run(&self.commands[at], &when)?);
            }
            if told.elapsed() >= NEWS && number < self.n_runs {
                told = Instant::now();
                let seconds = duration(began.elapsed().as_nanos() as f64);
                news::say(format_args!("{number} of {} in {seconds}", counted(self.n_runs as u64, "run")));
            }
        }
        Ok(profiles)
    }

    fn run(&self, command: &[OsString], when: &str) -> Result<Profile> {
        let (profile, status) = match &self.own_profile {
            Some(file) => of_program(command, file)?,
            None => recorded(command, &self.options)?,
        };
        if !status.success() {
            let (shown, end) = (launch::shown(command), launch::ending(status));
            bail!(
                "{when} failed, and with it all: `{shown}` {end}; see whether it works on its own, and where such an end is \
                 as it should be, give it to a shell, as in `sh -c '... || true'`"
            );
        }
        Ok(profile)
    }
}

fn streams() -> Streams {
    Streams { no_input: true, output_to_errors: true, ..Streams::default() }
}

/// Records a command to its end.
fn recorded(command: &[OsString], options: &Options) -> Result<(Profile, ExitStatus)> {
    let target = record::target_of(None, command, "check")?;
    let options = Options { streams: streams(), ..options.clone() };
    let mut recording = Recording::start(target, &options).map_err(record::explained)?;
    let mut profile = Profile::default();
    let ended = loop {
        if let Some(ended) = recording.step(STEP).map_err(record::explained)? {
            break ended;
        }
        if recording.is_large() {
            profile.merge(&recording.take());
        }
    };
    recording.stop();
    if recording.is_asked() {
        bail!("interrupted before all runs were recorded: nothing is decided");
    }
    profile.merge(&recording.take());
    match ended {
        Ended::Program(status) => Ok((profile, status)),
        _ => bail!("the recording of `{}` ended before the program did", launch::shown(command)),
    }
}

/// Runs a command that records itself, and reads what it wrote.
fn of_program(command: &[OsString], file: &Path) -> Result<(Profile, ExitStatus)> {
    use std::os::fd::AsFd;
    use std::process::{Command, Stdio};
    let Some((program, arguments)) = command.split_first() else { bail!("the command is empty") };
    // A file of before is told from one that is written now by its time, which clocks of file systems tell too coarsely.
    if let Ok(left) = std::fs::File::options().append(true).open(file) {
        left.set_modified(LONG_AGO).with_context(|| format!("cannot mark {} as old", file.display()))?;
    }
    let errors =
        std::io::stderr().as_fd().try_clone_to_owned().context("standard error cannot be given on")?;
    let mut started = Command::new(program);
    started.args(arguments).stdin(Stdio::null()).stdout(errors);
    let shown = launch::shown(command);
    let status = started.status().with_context(|| format!("`{shown}` does not start: check the name"))?;
    let is_written = file.metadata().and_then(|about| about.modified()).is_ok_and(|at| at != LONG_AGO);
    if status.success() && !is_written {
        let file = file.display();
        bail!(
            "`{shown}` did not write {file}: name the profile that it writes with --profile, or leave that out to record it"
        );
    }
    let profile = if status.success() { input::profile(file)? } else { Profile::default() };
    Ok((profile, status))
}
