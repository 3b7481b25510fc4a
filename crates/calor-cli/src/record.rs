//! `calor record`: where a program's threads run and wait, without changing it. The program's output and exit code
//! pass through; what Calor has to say goes to standard error.

mod closing;
mod file;
mod heap;
mod pace;
mod parts;
mod status;
mod variable;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use calor_record::counters::CounterSet;
use calor_record::{Ended, HeapPaths, HeapWay, LaunchError, Options, RecordError, Recording, Target};
use calor_store::Encoded;
use clap::Args;

use self::closing::Closing;
use self::file::ProfileFile;
pub(crate) use self::heap::{Choice as HeapChoice, paths as heap_paths, way as heap_choice};
pub(crate) use self::pace::{duration, pid, rate};
use self::parts::Parts;
use self::status::Status;
use crate::settings::Settings;
use crate::store::saving::SaveChoice;
use crate::{ExitCode, input, news, project};

const EXAMPLES: &str = "\
Examples:
  calor record -- ./train --epochs 1        a program from its start to its end
  calor record -p 1234 --for 30s            a running process, for half a minute
  calor record --off-cpu -- python3 app.py  also where threads wait
  calor record --heap -- ./train            also who allocates and leaks memory
  calor record --counters -- ./train        also page faults, misses by function
  calor record --rate 99 -o week.calor -p 1234";

const AFTER: &str = "\
Settings come from flags, then CALOR_* variables, then [record] in calor.toml, found in the working folder or above.";

/// How long a look at the rings may wait.
const STEP: Duration = Duration::from_millis(100);

/// Sample any program, started here or already running, with whole stacks
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
#[command(
    override_usage = "calor record [OPTIONS] [--] CMD [ARGUMENTS]...\n       calor record [OPTIONS] -p PID"
)]
pub(crate) struct Arguments {
    /// A running process to attach to, with its threads and children
    #[arg(short, long, value_name = "PID", conflicts_with = "command", value_parser = pace::pid, allow_negative_numbers = true)]
    pid: Option<i32>,
    /// Do not sample the CPU: the heap alone
    #[arg(long, env = "CALOR_NO_CPU", value_name = "BOOL", value_parser = variable::truth("CALOR_NO_CPU"))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    no_cpu: Option<bool>,
    /// Samples a second of each busy thread [default: 999]
    #[arg(short = 'F', long, value_name = "HZ", env = "CALOR_RATE", value_parser = variable::told("CALOR_RATE", pace::rate), allow_negative_numbers = true)]
    rate: Option<u32>,
    /// Stop after this long, such as 30s, 500ms, 2m; the program goes on
    #[arg(long = "for", value_name = "TIME", env = "CALOR_FOR", value_parser = variable::told("CALOR_FOR", pace::duration), allow_hyphen_values = true)]
    at_most: Option<Duration>,
    /// Where the profile goes [default: profile.calor]
    #[arg(short, long, value_name = "FILE", env = "CALOR_OUTPUT")]
    output: Option<PathBuf>,
    /// Also record where threads wait: locks, input and output, sleep
    #[arg(long, env = "CALOR_OFF_CPU", value_name = "BOOL", value_parser = variable::truth("CALOR_OFF_CPU"))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    off_cpu: Option<bool>,
    /// Also show the functions of the kernel
    #[arg(long, env = "CALOR_KERNEL", value_name = "BOOL", value_parser = variable::truth("CALOR_KERNEL"))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    kernel: Option<bool>,
    /// Also count events by function: page faults, switches, instructions, misses, or those of LIST
    #[arg(long, env = "CALOR_COUNTERS", value_name = "LIST", value_parser = variable::told("CALOR_COUNTERS", counters))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    counters: Option<CounterSet>,
    /// Also watch the heap: every block, or one for every 512 KiB (sampled, or sampled:BYTES)
    #[arg(long, env = "CALOR_RECORD_HEAP", value_name = "MODE", value_parser = variable::told("CALOR_RECORD_HEAP", heap::way))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "exact")]
    heap: Option<heap::Choice>,
    /// Call paths of the heap that are kept: those that matter (heavy), the others as part of their callers, or all
    /// [default: heavy]
    #[arg(long, env = "CALOR_HEAP_PATHS", value_name = "WHICH", value_parser = variable::told("CALOR_HEAP_PATHS", heap::paths))]
    heap_paths: Option<HeapPaths>,
    /// Keep at most this many frames of a stack, the innermost ones [default: 512]
    #[arg(long, value_name = "N", env = "CALOR_MAX_DEPTH", value_parser = variable::whole("CALOR_MAX_DEPTH"), allow_negative_numbers = true)]
    max_depth: Option<usize>,
    /// Tell threads apart (the default)
    #[arg(long, overrides_with = "no_threads")]
    threads: bool,
    /// Add up the threads of each process [env: CALOR_NO_THREADS]
    #[arg(long, overrides_with = "threads")]
    no_threads: bool,
    /// The variable apart from the flag: a flag that says the opposite wins over it
    #[arg(long, hide = true, env = "CALOR_NO_THREADS", value_parser = variable::truth("CALOR_NO_THREADS"))]
    no_threads_unless_told: Option<bool>,
    /// Leave out functions that the compiler put into others: quicker, less exact
    #[arg(long, env = "CALOR_NO_INLINES", value_name = "BOOL", value_parser = variable::truth("CALOR_NO_INLINES"))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    no_inlines: Option<bool>,
    /// Show native frames alone: do not read what Python runs
    #[arg(long, env = "CALOR_NATIVE_ONLY", value_name = "BOOL", value_parser = variable::truth("CALOR_NATIVE_ONLY"))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    native_only: Option<bool>,
    /// Shorten the names of Rust functions: no generic arguments, no hashes
    #[arg(long, env = "CALOR_SIMPLE_NAMES", value_name = "BOOL", value_parser = variable::truth("CALOR_SIMPLE_NAMES"))]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    simple_names: Option<bool>,
    #[command(flatten)]
    saving: SaveChoice,
    /// After how long the first part of the profile is written
    #[arg(long, hide = true, value_name = "TIME", env = "CALOR_PART_AFTER", value_parser = pace::duration)]
    part_after: Option<Duration>,
    /// The program and its arguments; options of calor come before it
    #[arg(value_name = "CMD", trailing_var_arg = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Settings { record: settings, store, .. } = project::settings()?;
    let path = arguments.output.clone().or(settings.output.clone()).unwrap_or_else(|| "profile.calor".into());
    let target = target_of(arguments.pid, &arguments.command, "record")?;
    let saving = arguments.saving.prepare(store, arguments.working_folder().as_deref())?;
    let has_simple_names = arguments.simple_names.or(settings.simple_names).unwrap_or(false);
    let part_of = |recording: &mut Recording| {
        let part = recording.take();
        let mut part = if has_simple_names { part.simplify_names() } else { part };
        saving.mark(&mut part);
        part
    };
    let mut file = ProfileFile::create(&path)?;
    let options = arguments.options(settings);
    let mut recording = match Recording::start(target, &options) {
        Ok(recording) => recording,
        Err(error) => {
            file.discard();
            return Err(explained(error));
        }
    };
    let at_most = arguments.at_most.or(settings.at_most);
    // What was seen is written whatever happens.
    let mut write_part = |recording: &mut Recording| file.add(part_of(recording));
    let outcome =
        watch(&mut recording, at_most, arguments.pid, Parts::new(arguments.part_after), &mut write_part);
    recording.stop();
    let ended = *outcome.as_ref().unwrap_or(&Ended::Asked);
    let closing = Closing {
        progress: recording.progress(),
        pid: recording.pid(),
        left_behind: recording.left_behind(),
        ended,
        options: &options,
        arguments,
    };
    let last = part_of(&mut recording);
    let written = file.finish(last.clone());
    // What is told and what is saved is what the file has: a long recording is more than its last part.
    let is_told = written.n_parts > 1 && !news::is_quiet();
    let place = written.place.as_deref();
    let read = place.filter(|_| is_told || saving.is_wanted()).map(input::encoded);
    let whole = read.as_ref().and_then(|read| read.as_ref().ok()).map_or(&last, Encoded::profile);
    closing.tell(place, written.size, whole);
    written.outcome?;
    if let Some(read) = read.filter(|_| saving.is_wanted()) {
        saving.save(&read?, settings_of(&options), place)?;
    }
    outcome?;
    Ok(exit_code(ended))
}

/// Who is watched: a process or a program, one of which has to be given. `verb` is the command that asks.
pub(crate) fn target_of(pid: Option<i32>, command: &[OsString], verb: &str) -> Result<Target> {
    match pid {
        Some(pid) if pid <= 0 => bail!("{pid} is no pid: see `ps -e` for the numbers of processes"),
        Some(pid) if !std::path::Path::new(&format!("/proc/{pid}")).exists() => {
            bail!("there is no process {pid}: see `ps -e` for the numbers of processes")
        }
        Some(pid) => Ok(Target::Process(pid)),
        None if command.is_empty() => bail!(
            "nothing to record: name a program, as in `calor {verb} -- ./train`, or a running process with -p PID"
        ),
        None => Ok(Target::Command(command.to_vec())),
    }
}

impl Arguments {
    /// Where the program runs, and so where its sources are most likely.
    fn working_folder(&self) -> Option<PathBuf> {
        match self.pid {
            Some(pid) => std::fs::read_link(format!("/proc/{pid}/cwd")).ok(),
            None => std::env::current_dir().ok(),
        }
    }

    fn options(&self, settings: &crate::settings::Record) -> Options {
        let default = Options::default();
        let told = (self.threads || self.no_threads).then_some(self.threads);
        let by_thread = told.or(self.no_threads_unless_told.map(|adds_up| !adds_up)).or(settings.threads);
        let inlines = self.no_inlines.map(|leaves_out| !leaves_out).or(settings.inlines);
        Options {
            cpu: self.no_cpu.map(|leaves_out| !leaves_out).or(settings.cpu).unwrap_or(true),
            rate: self.rate.or(settings.rate).unwrap_or(default.rate),
            off_cpu: self.off_cpu.or(settings.off_cpu).unwrap_or(false),
            kernel: self.kernel.or(settings.kernel).unwrap_or(false),
            max_depth: self.max_depth.or(settings.max_depth).unwrap_or(default.max_depth),
            by_thread: by_thread.unwrap_or(true),
            inlines: inlines.unwrap_or(true),
            counters: self.counters.or(settings.counters).unwrap_or_default(),
            heap: self.heap.or(settings.heap).and_then(heap::Choice::way),
            heap_paths: self.heap_paths.or(settings.heap_paths).unwrap_or_default(),
            python: !self.native_only.or(settings.native_only).unwrap_or(false),
            ..default
        }
    }
}

/// How programs are recorded where no flag is given: as variables say, or else the settings.
///
/// # Errors
/// When a variable says what cannot be.
pub(crate) fn usual_options(settings: &crate::settings::Record) -> Result<Options> {
    use clap::FromArgMatches;
    let command = Arguments::augment_args(clap::Command::new("record"));
    let given = command.try_get_matches_from(["record", "--", "program"])?;
    Ok(Arguments::from_arg_matches(&given)?.options(settings))
}

/// How it was recorded, for those who compare runs.
pub(crate) fn settings_of(options: &Options) -> BTreeMap<String, String> {
    let heap = match options.heap {
        None => "off".to_owned(),
        Some(HeapWay::Sampled(bytes)) => format!("sampled:{bytes}"),
        Some(_) => "exact".to_owned(),
    };
    let counters = match options.counters.is_empty() {
        true => "off".to_owned(),
        false => options.counters.names().join(","),
    };
    let settings = [
        ("cpu", options.cpu.to_string()),
        ("rate", options.rate.to_string()),
        ("off-cpu", options.off_cpu.to_string()),
        ("kernel", options.kernel.to_string()),
        ("counters", counters),
        ("heap", heap),
        ("heap-paths", if options.heap_paths == HeapPaths::All { "all" } else { "heavy" }.to_owned()),
        ("max-depth", options.max_depth.to_string()),
        ("threads", options.by_thread.to_string()),
        ("inlines", options.inlines.to_string()),
        ("python", options.python.to_string()),
    ];
    settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Counters by their names, or simply whether there shall be any.
pub(crate) fn counters(given: &str) -> Result<CounterSet, String> {
    match given.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(CounterSet::usual()),
        "false" | "no" | "off" | "0" => Ok(CounterSet::default()),
        _ => match CounterSet::parse(given) {
            Ok(set) if set.is_empty() => {
                let names = CounterSet::usual().names().join(",");
                Err(format!(
                    "expected names of counters, such as {names}; --counters alone takes the usual ones"
                ))
            }
            set => set.map_err(|error| error.to_string()),
        },
    }
}

/// Follows the program to its end, or as long as asked for.
fn watch(
    recording: &mut Recording,
    at_most: Option<Duration>,
    attached: Option<i32>,
    mut parts: Parts,
    write_part: &mut impl FnMut(&mut Recording),
) -> Result<Ended> {
    let mut status = Status::new(attached);
    loop {
        let progress = recording.progress();
        let left = at_most.map(|at_most| at_most.saturating_sub(progress.elapsed));
        if left == Some(Duration::ZERO) {
            recording.stop();
        }
        if let Some(ended) = recording.step(left.unwrap_or(STEP).min(STEP)).map_err(explained)? {
            return Ok(ended);
        }
        if parts.is_due() || recording.is_large() {
            write_part(recording);
            parts.written();
        }
        status.show(&recording.progress());
    }
}

/// The program's own exit code; as shells do, 128 and the signal when one ended it.
fn exit_code(ended: Ended) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    match ended {
        Ended::Program(status) => {
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            ExitCode::from(u8::try_from(code & 0xff).unwrap_or(2))
        }
        _ => ExitCode::SUCCESS,
    }
}

/// An error with what still works.
pub(crate) fn explained(error: RecordError) -> anyhow::Error {
    match error {
        RecordError::Refused(refusal) => anyhow::anyhow!(
            "cannot sample: {}\n  to change that: {}\n  what still works: scopes of the SDK (`calor::scope!`), \
             `calor report` on any profile; `calor doctor` shows the rest",
            refusal.what(),
            refusal.remedy()
        ),
        RecordError::Launch(LaunchError::NotFound(program)) => {
            let meant = heap::meant(&program.to_string_lossy());
            let error = LaunchError::NotFound(program);
            match meant {
                Some(hint) => anyhow::anyhow!("{error}: {hint}"),
                None => crate::launch::explained(&error, "calor record"),
            }
        }
        RecordError::Launch(error) => crate::launch::explained(&error, "calor record"),
        error => anyhow::Error::new(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::FromArgMatches;

    fn options(given: &[&str], settings: &crate::settings::Record) -> Options {
        let command = Arguments::augment_args(clap::Command::new("record"));
        let matches = command.get_matches_from([&["record"], given, &["--", "program"]].concat());
        Arguments::from_arg_matches(&matches).expect("the arguments are right").options(settings)
    }

    #[test]
    fn a_flag_wins_over_the_variable_and_both_over_the_file() {
        let file = crate::settings::Record {
            off_cpu: Some(true),
            threads: Some(false),
            inlines: Some(false),
            ..Default::default()
        };
        let of_file = options(&[], &file);
        assert!(of_file.off_cpu && !of_file.by_thread && !of_file.inlines && !of_file.kernel);
        let told = options(&["--off-cpu=false", "--threads", "--no-inlines=0", "--kernel"], &file);
        assert!(!told.off_cpu && told.by_thread && told.inlines && told.kernel);
        let by_variable = "--no-threads-unless-told=1";
        assert!(!options(&[by_variable], &crate::settings::Record::default()).by_thread);
        assert!(options(&[by_variable, "--threads"], &file).by_thread);
        assert!(options(&["--no-threads", "--threads"], &file).by_thread);
        assert!(!options(&["--threads", "--no-threads"], &crate::settings::Record::default()).by_thread);
    }
}
