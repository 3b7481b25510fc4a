//! What these tests share: small programs, recorded with their heap, and what became of their call paths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use calor_model::{HeapSite, Profile};

/// A folder of a test's own, gone with it.
pub(crate) struct Workbench {
    folder: tempfile::TempDir,
}

/// What came of a recording.
pub(crate) struct Recorded {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) profile: Profile,
}

/// How a program of this folder is built.
pub(crate) const C: &[&str] = &["cc", "-O2", "-g", "-fno-optimize-sibling-calls", "-fno-builtin", "-pthread"];

impl Workbench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds a source of this folder, or of one beside it, with a compiler and its words, into this test's folder.
    pub(crate) fn build(&self, source: &str, compiler: &[&str], last: &[&str]) -> PathBuf {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/heap/programs").join(source);
        let name = source.file_name().and_then(|name| name.to_str()).expect("a source has a name");
        let program = self.path(&name.replace('.', "-"));
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).arg("-o").arg(&program).arg(&source).args(last);
        let output = command.output().unwrap_or_else(|error| {
            panic!("these tests build small programs and need `{}`: {error}", compiler[0])
        });
        assert!(output.status.success(), "{}: {}", source.display(), text(&output.stderr));
        program
    }

    /// A library with a function of this name that allocates.
    pub(crate) fn plugin(&self, name: &str) -> String {
        let definition = format!("-DNAME={name}");
        let compiler = [C, &["-shared", "-fPIC", &definition]].concat();
        let path = self.path(&format!("{name}.so"));
        std::fs::rename(self.build("plugin.c", &compiler, &[]), &path).expect("the folder is ours");
        path.to_str().expect("a temporary path is text").to_owned()
    }

    /// `calor record` in this folder, into `profile.calor`, not started yet.
    pub(crate) fn command(&self, options: &[&str], program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALOR_"))
        {
            command.env_remove(name);
        }
        command.current_dir(self.folder.path()).env("XDG_CACHE_HOME", self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.arg("record").args(options).args(["-o", "profile.calor", "--"]).arg(program).args(words);
        command
    }

    pub(crate) fn record(&self, options: &[&str], program: &Path, words: &[&str]) -> Recorded {
        self.outcome(self.command(options, program, words))
    }

    pub(crate) fn outcome(&self, mut command: Command) -> Recorded {
        let output = command.output().expect("the command can be started");
        self.recorded(&output)
    }

    pub(crate) fn recorded(&self, output: &Output) -> Recorded {
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let bytes = std::fs::read(self.path("profile.calor"))
            .unwrap_or_else(|error| panic!("there is no profile ({error}):\n{stderr}"));
        let profile = calor_formats::read(&bytes).unwrap_or_else(|error| panic!("{error}\n{stderr}"));
        Recorded { code: output.status.code(), stdout, stderr, profile }
    }
}

impl Recorded {
    /// What became of the blocks whose paths hold all these functions.
    pub(crate) fn through(&self, names: &[&str]) -> HeapSite {
        let mut sum = HeapSite::default();
        for (path, site) in self.paths() {
            if names.iter().all(|name| path.contains(name)) {
                sum.add(site);
            }
        }
        sum
    }

    /// All of it.
    pub(crate) fn all(&self) -> HeapSite {
        self.through(&[])
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = (Vec<&str>, &HeapSite)> {
        let profile = &self.profile;
        profile.heap.iter().map(|(key, site)| (profile.path_names(key.stack), site))
    }

    /// The message of a warning, if there is one of this code.
    pub(crate) fn warning(&self, code: &str) -> Option<&str> {
        self.profile.warnings.iter().find(|warning| warning.code == code).map(|it| &*it.message)
    }

    /// Panics if something of the heap was not seen. That several processes have several peaks, and that one gave a
    /// sample before it had a block, are no losses.
    pub(crate) fn expect_all_seen(&self) {
        let warnings: BTreeMap<_, _> = self
            .profile
            .warnings
            .iter()
            .filter(|warning| warning.code.starts_with("heap_"))
            .filter(|warning| !["heap_peak_of_one", "heap_partly_watched"].contains(&&*warning.code))
            .map(|warning| (&warning.code, (&warning.message, warning.count)))
            .collect();
        assert!(warnings.is_empty(), "{warnings:#?}\n{}", self.stderr);
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
