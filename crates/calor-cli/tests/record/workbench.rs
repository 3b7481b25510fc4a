//! Programs to record, the command that records them, and what came of it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use calor_model::{Profile, SampleKey, SampleKind, SampleWeight};
use calor_testing::{Need, cannot};
use tempfile::TempDir;

/// A folder of its own for one test.
pub(crate) struct Workbench {
    folder: TempDir,
}

/// What came of a recording that was let.
pub(crate) struct Recorded {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) profile: Profile,
}

/// The compiled programs of this folder; they are needed by nearly every test.
pub(crate) fn program(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("record-programs");
        std::fs::create_dir_all(&folder).expect("a folder can be made where the tests are built");
        for source in ["actor", "known", "refuse"] {
            // Tests run in processes of their own, side by side: a program appears whole, by its new name, so that
            // none of them starts what another one is writing.
            let unfinished = folder.join(format!("{source}.{}", std::process::id()));
            compile(source, &["-fomit-frame-pointer"], &unfinished);
            std::fs::rename(&unfinished, folder.join(source)).expect("the folder is ours");
        }
        folder
    });
    folder.join(name)
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("it is ours");
}

/// Builds a program of this folder.
pub(crate) fn compile(source: &str, flags: &[&str], output: &Path) {
    let outcome = try_compile(source, flags, output);
    assert!(outcome.status.success(), "{source} is not built: {}", text(&outcome.stderr));
}

pub(crate) fn try_compile(source: &str, flags: &[&str], output: &Path) -> Output {
    let source = format!("{}/tests/record/programs/{source}.c", env!("CARGO_MANIFEST_DIR"));
    let usual = ["-O2", "-g", "-pthread", "-Wno-unused-result", "-o"];
    Command::new("cc").args(usual).arg(output).arg(source).args(flags).output().unwrap_or_else(|error| {
        panic!(
            "these tests build small programs and need `cc`, which cannot be started ({error}): install gcc"
        )
    })
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether the kernel lets this user sample; counted where it does not, since tests then check other things.
pub(crate) fn may_sample() -> bool {
    let refusal = calor_record::probe().err();
    if let Some(refusal) = &refusal {
        cannot(Need::Perf, format_args!("only the refusal is tested: {refusal}"));
    }
    refusal.is_none()
}

impl Workbench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `calor record` in this folder, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
        self.settle(command.arg("record").args(arguments));
        command
    }

    /// Makes a command run in this folder, untouched by settings of whoever runs the tests.
    pub(crate) fn settle(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALOR_"))
        {
            command.env_remove(name);
        }
        command.current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.folder.path());
        // Names are looked up for each part, which takes a build without optimizations so long that on a busy machine
        // the kernel runs out of room meanwhile.
        command.env("CALOR_PART_AFTER", "10s");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command can be started")
    }

    /// Records one of the programs; `None` where sampling is refused, which has then been checked.
    pub(crate) fn record(&self, options: &[&str], words: &[&str]) -> Option<Recorded> {
        let program = program(words[0]);
        let program = program.to_str().expect("a temporary path is text");
        let command = self.command(&[options, &["--", program], &words[1..]].concat());
        self.outcome(command)
    }

    /// What comes of a command that records into `profile.calor` here.
    pub(crate) fn outcome(&self, mut command: Command) -> Option<Recorded> {
        let output = command.output().expect("the command can be started");
        self.recorded(&output)
    }

    pub(crate) fn recorded(&self, output: &Output) -> Option<Recorded> {
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        if !may_sample() {
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains("cannot sample: ") && stderr.contains("to change that: "), "{stderr}");
            assert!(!self.path("profile.calor").exists(), "nothing was recorded");
            return None;
        }
        Some(Recorded { code: output.status.code(), stdout, profile: self.profile(&stderr), stderr })
    }

    /// The profile in this folder, which has to be whole.
    pub(crate) fn profile(&self, stderr: &str) -> Profile {
        let bytes = std::fs::read(self.path("profile.calor"))
            .unwrap_or_else(|error| panic!("there is no profile ({error}):\n{stderr}"));
        let profile = calor_formats::read(&bytes).unwrap_or_else(|error| panic!("{error}\n{stderr}"));
        for damage in ["chunk_damaged", "file_truncated", "recording_cut_off"] {
            assert!(!warns(&profile, damage), "{damage}: {stderr}");
        }
        profile
    }

    /// Standard error of a command that has to fail: exit code 2, one `error:`, and no file that was not there before.
    pub(crate) fn failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert_eq!(message.matches("error: ").count(), 1, "{message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        message
    }
}

/// A program that runs beside, and is ended with the test.
pub(crate) struct Beside {
    pub(crate) child: Child,
    /// Its first line, which begins with `ready`.
    pub(crate) first: String,
    pub(crate) lines: BufReader<std::process::ChildStdout>,
}

impl Beside {
    /// Starts it and waits for its first line.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("it can be started");
        let mut lines = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut first = String::new();
        lines.read_line(&mut first).expect("it says a line");
        assert!(first.starts_with("ready"), "{first}");
        Self { child, first, lines }
    }

    pub(crate) fn pid(&self) -> String {
        self.child.id().to_string()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal, such as `-INT`, to a process, or to a group as `-1234`.
pub(crate) fn send(signal: &str, to: &str) {
    let outcome = Command::new("kill").args([signal, "--", to]).status().expect("kill can be started");
    assert!(outcome.success(), "kill {signal} {to}");
}

/// The rows of one kind, each with the names of its frames, outermost first, and of its thread.
pub(crate) fn rows(
    profile: &Profile,
    kind: SampleKind,
) -> impl Iterator<Item = (Vec<&str>, &str, SampleWeight)> {
    let is_kind = move |(key, _): &(SampleKey, SampleWeight)| key.kind == kind;
    profile.samples.iter().filter(is_kind).map(|(key, weight)| {
        let thread = profile.strings.get(profile.threads.get(key.thread).name);
        (profile.path_names(key.stack), thread, weight)
    })
}

/// How many CPU samples have all of these functions on their path.
pub(crate) fn samples_in(profile: &Profile, names: &[&str]) -> u64 {
    rows(profile, SampleKind::Cpu)
        .filter(|(path, ..)| names.iter().all(|name| path.contains(name)))
        .map(|(.., weight)| weight.count)
        .sum()
}

/// How many CPU samples there are.
pub(crate) fn samples(profile: &Profile) -> u64 {
    samples_in(profile, &[])
}

/// Whether a profile warns of something.
pub(crate) fn warns(profile: &Profile, code: &str) -> bool {
    profile.warnings.iter().any(|warning| warning.code == code)
}
