//! A folder for one test, the program that is watched there, and the command that watches it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use calor_testing::{Need, cannot};
use tempfile::TempDir;

use crate::terminal::Terminal;

pub(crate) struct Workbench {
    folder: TempDir,
}

/// The program that spins, built once.
pub(crate) fn spin() -> &'static str {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("top-programs");
        std::fs::create_dir_all(&folder).expect("a folder can be made where the tests are built");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/top/programs/spin.c");
        // Tests run in processes of their own, side by side: the program appears whole, by its new name.
        let unfinished = folder.join(format!("spin.{}", std::process::id()));
        let built =
            Command::new("cc").args(["-O2", "-g", "-pthread", "-o"]).arg(&unfinished).arg(source).status();
        assert!(built.expect("these tests need `cc`: install gcc").success(), "{source} is not built");
        let program = folder.join("spin");
        std::fs::rename(&unfinished, &program).expect("the folder is ours");
        program
    });
    program.to_str().expect("the path is text")
}

/// Whether the kernel lets this user sample; counted where it does not.
pub(crate) fn may_sample() -> bool {
    let refusal = calor_record::probe().err();
    if let Some(refusal) = &refusal {
        cannot(Need::Perf, refusal);
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

    /// `calor top` in this folder, not started yet. Its rounds are short, so that tests are.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
        command.args(["top", "--rate", "499"]);
        if !arguments.contains(&"--refresh") {
            command.args(["--refresh", "200ms"]);
        }
        command.args(arguments);
        for name in ["NO_COLOR", "LC_CTYPE", "LANG"] {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C.UTF-8").env("TERM", "xterm-256color");
        let folder = self.folder.path();
        command.current_dir(folder).env("XDG_CACHE_HOME", folder).env("TMPDIR", folder);
        command
    }

    /// The same in a terminal of 80 columns and 24 rows.
    pub(crate) fn top(&self, arguments: &[&str]) -> Terminal {
        Terminal::start(&mut self.command(arguments), (80, 24))
    }

    /// The files that are left in the folder, but for what is looked up again.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.retain(|name| name != "calor");
        names.sort();
        names
    }
}

/// The program running beside, ended with the test.
pub(crate) struct Beside {
    child: Child,
}

impl Beside {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(spin()).stdout(Stdio::piped()).spawn().expect("it can be started");
        let mut line = String::new();
        let output = child.stdout.take().expect("it was piped");
        BufReader::new(output).read_line(&mut line).expect("it says a line");
        assert!(line.starts_with("ready"), "{line}");
        Self { child }
    }

    pub(crate) fn pid(&self) -> String {
        self.child.id().to_string()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("it is our child").is_none()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
