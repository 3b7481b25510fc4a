//! What a processor would have counted, by valgrind's cachegrind: exact numbers of instructions, and misses of modelled
//! caches and of a modelled branch prediction. For machines whose processor shows no counters. It is slow.

mod cachegrind;
mod folder;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

pub use cachegrind::{Events, FileError, FunctionCounts};
use folder::Folder;

/// Why a simulation did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// There is no valgrind.
    #[error("valgrind is not installed, which simulates the counters: install it, as with `{0}`")]
    NotInstalled(&'static str),
    /// Its counts could not be kept.
    #[error("there is no room for valgrind's counts, set TMPDIR to a folder with some: {0}")]
    NoRoom(#[source] io::Error),
    /// It left no counts.
    #[error("valgrind left no counts ({ended}){said}", ended = ended(*.status))]
    NoCounts {
        /// How it ended.
        status: ExitStatus,
        /// What it said, if anything.
        said: String,
    },
    /// Its counts cannot be read.
    #[error("{0}")]
    File(#[from] FileError),
}

impl SimulationError {
    /// The command that would change it, where there is one.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NotInstalled(command) => Some(command),
            _ => None,
        }
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_owned(),
    }
}

/// A valgrind that is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valgrind {
    path: PathBuf,
    /// What it calls itself, such as `valgrind-3.19.0`.
    pub version: String,
}

/// What was counted in all processes of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Simulated {
    /// The sums.
    pub totals: Events,
    /// By function, without what it called; most instructions first.
    pub functions: Vec<FunctionCounts>,
    /// How many processes were counted.
    pub n_processes: usize,
    /// How many of them went on as copies of another one, whose counts up to then are theirs as well.
    pub n_copies: usize,
    /// The caches that were modelled, one line each.
    pub caches: Vec<String>,
}

/// A simulation that is made ready: a folder for its counts, and the command that leaves them there.
#[derive(Debug)]
pub struct Simulation {
    folder: Folder,
    /// The command to run in place of the program's.
    pub command: Vec<OsString>,
}

impl Valgrind {
    /// The valgrind of the PATH.
    ///
    /// # Errors
    /// If there is none, or it does not start.
    pub fn find() -> Result<Self, SimulationError> {
        let missing = || SimulationError::NotInstalled(package());
        let path = on_path("valgrind").ok_or_else(missing)?;
        let output = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
        let version = output.ok().filter(|output| output.status.success()).ok_or_else(missing)?.stdout;
        Ok(Self { path, version: String::from_utf8_lossy(&version).trim().to_owned() })
    }

    /// Makes ready to simulate a program.
    ///
    /// # Errors
    /// If there is no place for its counts.
    pub fn prepare(&self, command: &[OsString]) -> Result<Simulation, SimulationError> {
        let folder = Folder::create().map_err(SimulationError::NoRoom)?;
        let into = |option: &str, ending: &str| {
            let mut word = OsString::from(option);
            word.push(folder.path().join(format!("%p.{ending}")));
            word
        };
        let mut words: Vec<OsString> = vec![self.path.clone().into_os_string()];
        words.extend(["--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes"].map(OsString::from));
        // Programs that a program starts are part of it; what it merely says goes where it can be looked up.
        words.extend(["--trace-children=yes", "-q"].map(OsString::from));
        words.push(into("--cachegrind-out-file=", COUNTS));
        words.push(into("--log-file=", WORDS));
        words.push("--".into());
        words.extend(command.iter().cloned());
        Ok(Simulation { folder, command: words })
    }
}

const COUNTS: &str = "counts";
const WORDS: &str = "words";

impl Simulation {
    /// Reads what a run left.
    ///
    /// # Errors
    /// If it left nothing, or something that cannot be read.
    pub fn read(&self, status: ExitStatus) -> Result<Simulated, SimulationError> {
        let mut simulated = Simulated::default();
        let mut commands = Vec::new();
        for path in self.files(COUNTS) {
            let text = std::fs::read(&path).map_err(SimulationError::NoRoom)?;
            // A process that was killed leaves a file with nothing in it.
            if text.is_empty() {
                continue;
            }
            let file = cachegrind::parse(&String::from_utf8_lossy(&text))?;
            simulated.totals.add(&file.totals);
            cachegrind::join(&mut simulated.functions, file.functions);
            simulated.n_processes += 1;
            simulated.caches = file.caches;
            if commands.contains(&file.command) {
                simulated.n_copies += 1;
            }
            commands.push(file.command);
        }
        if simulated.n_processes == 0 {
            let said = self.files(WORDS).iter().find_map(|path| first_words(path));
            let said = said.map_or_else(String::new, |said| format!(": it said \"{said}\""));
            return Err(SimulationError::NoCounts { status, said });
        }
        simulated.functions = cachegrind::by_name(simulated.functions);
        simulated.functions.sort_by_key(|function| std::cmp::Reverse(function.counts.instructions));
        Ok(simulated)
    }

    fn files(&self, ending: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == ending))
            .collect();
        paths.sort();
        paths
    }
}

/// The first line that says something.
fn first_words(path: &Path) -> Option<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned();
    let words =
        text.lines().map(|line| line.trim_start_matches(|c: char| "=-".contains(c) || c.is_ascii_digit()));
    words.map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The command that installs it, of the package manager that is there.
fn package() -> &'static str {
    let managers = [
        ("apt-get", "sudo apt-get install valgrind"),
        ("dnf", "sudo dnf install valgrind"),
        ("apk", "sudo apk add valgrind"),
        ("pacman", "sudo pacman -S valgrind"),
        ("zypper", "sudo zypper install valgrind"),
    ];
    let known = managers.into_iter().find(|(name, _)| on_path(name).is_some());
    known.map_or("sudo apt-get install valgrind", |(_, command)| command)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simulation of which the run is over, with what it left.
    fn left(files: &[(&str, &str)]) -> Result<Simulated, SimulationError> {
        let folder = Folder::create().expect("a folder can be made");
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).expect("it is ours");
        }
        let simulation = Simulation { folder, command: Vec::new() };
        let place = simulation.folder.path().to_owned();
        let read = simulation.read(ExitStatus::from_raw(9));
        drop(simulation);
        assert!(!place.exists(), "nothing stays behind");
        read
    }

    const FILE: &str = "cmd: a\nevents: Ir\nfl=a.c\nfn=work\n1 30\nsummary: 30\n";

    #[test]
    fn processes_add_up_and_copies_are_noticed() {
        let other = FILE.replace("cmd: a", "cmd: b");
        let two =
            left(&[("1.counts", FILE), ("2.counts", &other), ("3.counts", "")]).expect("they are whole");
        assert_eq!((two.n_processes, two.n_copies, two.totals.instructions), (2, 0, 60));
        assert_eq!((two.functions.len(), two.functions[0].counts.instructions), (1, 60));
        let copy = left(&[("1.counts", FILE), ("2.counts", FILE)]).expect("they are whole");
        assert_eq!((copy.n_processes, copy.n_copies), (2, 1));
    }

    #[test]
    fn a_run_that_left_nothing_is_an_error_with_what_was_said() {
        let words = "==77== \n--77-- cannot run this\n==77== more\n";
        let error =
            left(&[("1.counts", ""), ("1.words", words)]).expect_err("there are no counts").to_string();
        assert_eq!(error, "valgrind left no counts (it was ended by signal 9): it said \"cannot run this\"");
        assert!(left(&[]).expect_err("there is nothing").to_string().ends_with("signal 9)"));
        assert!(left(&[("1.counts", "nonsense")]).expect_err("it is none").to_string().contains("line 1"));
    }
}
