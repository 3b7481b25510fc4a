//! `calor top`: where a program's time goes, live in the terminal.
//!
//! Three threads, none of which waits for another: [`feed`] records, [`keeper`] adds up what may be saved, and
//! [`session`] answers keys and shows. Each part of the recording is added up in a
//! [`LiveWindow`](calor_analysis::live::LiveWindow), which answers what is [`draw`]n.

mod draw;
mod facts;
mod feed;
mod keeper;
mod keys;
mod memory;
mod news;
mod output;
mod screen;
mod session;
mod shorten;
mod source;
mod state;
mod theme;
mod view;

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use calor_analysis::quantity::{counted, duration};
use calor_record::{Ended, Options, Progress, Recording, Target};
use clap::Args;

use self::facts::Facts;
use self::feed::Feed;
use self::output::Output;
use self::screen::Screen;
use self::session::Session;
use crate::{launch, record};

const EXAMPLES: &str = "\
Examples:
  calor top -p 1234                  a running process, threads and children
  calor top -- python3 train.py      a program from its start
  calor top --off-cpu -p 1234        also where threads wait";

const AFTER: &str = "\
Keys: q leaves (and ends a program that was started here), h explains the others. What a started \
program prints is in view 6, and is printed when the view is left, or stays in a file if it is long.";

/// Longer parts than this would be no live view, shorter ones no sums.
const REFRESH: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));

/// Watch live where a program's time goes: functions, threads, Python lines, memory
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(override_usage = "calor top [OPTIONS] -p PID\n       calor top [OPTIONS] [--] CMD [ARGUMENTS]...")]
pub(crate) struct Arguments {
    /// A running process to attach to, with its threads and children
    #[arg(short, long, value_name = "PID", conflicts_with = "command", value_parser = record::pid, allow_negative_numbers = true)]
    pid: Option<i32>,
    /// Samples a second of each busy thread
    #[arg(short = 'F', long, value_name = "HZ", default_value = "199", value_parser = record::rate, allow_negative_numbers = true)]
    rate: u32,
    /// How often the view is renewed, such as 1s or 500ms
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = record::duration, allow_hyphen_values = true)]
    refresh: Duration,
    /// Leave after this long, such as 30s
    #[arg(long = "for", value_name = "TIME", value_parser = record::duration, allow_hyphen_values = true)]
    at_most: Option<Duration>,
    /// Also show where threads wait: locks, input and output, sleep
    #[arg(long)]
    off_cpu: bool,
    /// Also show the functions of the kernel
    #[arg(long)]
    kernel: bool,
    /// The program and its arguments; options of calor come before it
    #[arg(value_name = "CMD", trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    screen::check()?;
    let target = record::target_of(arguments.pid, &arguments.command, "top")?;
    if arguments.refresh < REFRESH.0 || arguments.refresh > REFRESH.1 {
        bail!("--refresh is too short or too long: ask for a time from 100ms to 60s");
    }
    let options = Options {
        rate: arguments.rate,
        off_cpu: arguments.off_cpu,
        kernel: arguments.kernel,
        ..Options::default()
    };
    let output = match &target {
        Target::Command(_) => Some(Output::create()?),
        _ => None,
    };
    let recording = match start(target, &options, output.as_ref()) {
        Ok(recording) => recording,
        Err(error) => {
            if let Some(output) = output {
                output.hand_on(true);
            }
            return Err(error);
        }
    };
    show(arguments, recording, output)
}

fn start(target: Target, options: &Options, output: Option<&Output>) -> Result<Recording> {
    let start = || Recording::start(target, options);
    let started = match output {
        Some(output) => output.of(start)?,
        None => start(),
    };
    started.map_err(record::explained)
}

fn show(arguments: &Arguments, recording: Recording, output: Option<Output>) -> Result<()> {
    let facts = Facts {
        command: launch::shown(&arguments.command),
        pid: recording.pid(),
        rate: arguments.rate,
        refresh: arguments.refresh,
        progress: Progress::default(),
        ended: None,
        is_leaving: false,
    };
    const NO_PIPE: &str = "no pipe can be made: close files, or raise the limit with `ulimit -n`";
    let (sent, mut mailbox) = news::mailbox().context(NO_PIPE)?;
    let (to_keeper, orders) = channel();
    let (is_left, is_unread) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let feed = Feed {
        recording,
        refresh: arguments.refresh,
        is_own: output.is_some(),
        is_left: Arc::clone(&is_left),
        is_unread: Arc::clone(&is_unread),
        news: sent.try_clone().context(NO_PIPE)?,
    };
    let keeper = spawned("keeper", move || keeper::run(&orders, &sent))?;
    let mut session = Session::new(facts, arguments.off_cpu, output, to_keeper, is_unread);
    let mut screen = Screen::take()?;
    let feed = spawned("recorder", move || feed.run())?;
    let until = arguments.at_most.map(|at_most| Instant::now() + at_most);
    let shown = session.run(&mut screen, &mut mailbox, until);

    is_left.store(true, Relaxed);
    let is_running = session.facts.ended.is_none();
    if is_running && !feed.is_finished() {
        // A terminal that is gone shows nothing.
        let _ = session.show_leaving(&mut screen);
    }
    let (ended, progress) = feed.join().unwrap_or((None, session.facts.progress));
    drop(screen);
    finish(session, ended, progress, arguments);
    // Whatever is being saved is saved.
    let _ = keeper.join();
    shown
}

fn spawned<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(work).context("no thread can be started")
}

/// The last words, on the terminal as it was before.
fn finish(session: Session, ended: Option<Ended>, progress: Progress, arguments: &Arguments) {
    let Facts { pid, ended: seen, .. } = session.facts;
    let ended = ended.or(seen).filter(|ended| *ended != Ended::Asked);
    if let Some(output) = session.into_output() {
        output.hand_on(ended.is_some());
    }
    let how = match (ended, arguments.pid) {
        (Some(ended), _) => facts::how(ended),
        (None, Some(_)) => "goes on".to_owned(),
        (None, None) => "was asked to end and goes on".to_owned(),
    };
    let (samples, time) = (counted(progress.samples, "sample"), duration(progress.elapsed.as_nanos() as f64));
    let lost = match progress.lost {
        0 => String::new(),
        lost => format!(", {lost} lost"),
    };
    crate::news::say(format_args!("process {pid} {how}: {samples} in {time}{lost}"));
}
