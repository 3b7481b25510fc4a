//! A folder with the demo's profile in it, and the command run there.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

/// A folder of its own for one test, with `profile.calor` in it.
pub(crate) struct Workbench {
    folder: TempDir,
}

/// The profile of a short demo, recorded once for all tests.
fn demo() -> &'static [u8] {
    static PROFILE: OnceLock<Vec<u8>> = OnceLock::new();
    PROFILE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let size = ["--size", "small", "--tokens", "5", "--inferences", "1"];
        let mut demo = calor();
        demo.arg("demo").args(size).args(["--no-cpu", "--save=no"]);
        let output = demo.current_dir(folder.path()).output().expect("it can be started");
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read(folder.path().join("calor-demo/small.calor")).expect("the demo leaves its profile")
    })
}

fn calor() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("CALOR_STORE").stdin(Stdio::null());
    command
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("what is written is UTF-8")
}

impl Workbench {
    pub(crate) fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().expect("a temporary folder can be made") };
        bench.put("profile.calor", demo());
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: &[u8]) {
        std::fs::write(self.path(name), content).expect("a file can be written");
    }

    pub(crate) fn get(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name} was not written: {error}"))
    }

    /// The names in the folder, hidden ones included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder can be listed");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command in this folder, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = calor();
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the command can be started")
    }

    /// Standard output of a command that has to succeed.
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(arguments)).expect("the output is JSON")
    }

    /// Runs the command with something on its standard input.
    pub(crate) fn piped(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command can be started");
        let mut stdin = child.stdin.take().expect("it was piped");
        // A command that does not want its input ends before it took all.
        let _ = stdin.write_all(input);
        drop(stdin);
        child.wait_with_output().expect("the command ends")
    }

    /// Standard error of a command that has to fail: exit code 2, one `error:`, nothing on standard output.
    pub(crate) fn failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.starts_with("error: ") && message.matches("error:").count() == 1, "{message}");
        assert!(output.stdout.is_empty(), "{message}");
        message
    }
}
