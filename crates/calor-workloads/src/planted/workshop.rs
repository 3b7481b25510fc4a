//! Where planted programs are built, run and recorded by the real command, and their findings asked for.

mod build;
mod python;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{Case, Healthy, Language, Told};
use python::Python;

/// One program: what is built and run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name, which is also that of its file.
    pub name: String,
    /// What it is written in.
    pub language: Language,
    /// What the compiler is told beyond the usual.
    pub flags: &'static [&'static str],
    /// The options that it is recorded with.
    pub options: &'static [&'static str],
    /// Its source.
    pub source: String,
}

impl Program {
    /// A planted program and its healthy twin, and the function with the bottleneck.
    #[must_use]
    pub fn twins(case: &Case, seed: u64) -> ([Self; 2], Option<String>) {
        let twins = case.twins(seed);
        let program = |kind: &str, source| Self {
            name: format!("{}-{kind}", case.name),
            language: case.language,
            flags: case.flags,
            options: case.options,
            source,
        };
        ([program("planted", twins.planted), program("healthy", twins.healthy)], twins.function)
    }

    /// A healthy program that has no twin.
    #[must_use]
    pub fn healthy(healthy: &Healthy, seed: u64) -> Self {
        Self {
            name: healthy.name.to_owned(),
            language: healthy.language,
            flags: healthy.flags,
            options: healthy.options,
            source: healthy.program(seed),
        }
    }
}

/// What came of recording a program.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What it printed.
    pub answer: String,
    /// What was told of it.
    pub told: Vec<Told>,
}

/// A folder with programs, and the command that records them.
#[derive(Debug)]
pub struct Workshop {
    folder: PathBuf,
    calor: PathBuf,
    python: Option<Python>,
}

impl Workshop {
    /// A workshop in a folder, which is made; `calor` is the command.
    ///
    /// # Errors
    /// Where the folder cannot be made.
    pub fn new(folder: &Path, calor: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        Ok(Self { folder: folder.to_owned(), calor: calor.to_owned(), python: Python::found() })
    }

    /// Which Python runs programs, by its own words; none where there is none.
    #[must_use]
    pub fn python(&self) -> Option<&str> {
        self.python.as_ref().map(|python| python.about.as_str())
    }

    /// Why programs of a language cannot run here; `None` where they can.
    #[must_use]
    pub fn refusal(&self, language: Language) -> Option<&'static str> {
        match (language, &self.python) {
            (Language::Rust | Language::RustWithCalor, _) => None,
            (_, None) => Some("there is no python3"),
            // Frames of other interpreters are not read.
            (_, Some(python)) if !python.about.starts_with("CPython ") => Some("its Python is no CPython"),
            (Language::Numpy, Some(python)) if !python.has_numpy => Some("its Python has no numpy"),
            _ => None,
        }
    }

    /// Builds programs, or writes them down where nothing has to be built.
    ///
    /// # Errors
    /// What the compiler says of the first that is not built.
    pub fn build(&self, programs: &[Program]) -> Result<(), String> {
        build::build(&self.folder, programs)
    }

    /// A program as it is, to be started.
    #[must_use]
    pub fn command(&self, program: &Program) -> Command {
        let file = self.path(program);
        let mut command = match &self.python {
            Some(python) if is_python(program.language) => {
                let mut command = Command::new(&python.path);
                command.arg(file);
                command
            }
            _ => Command::new(file),
        };
        self.settle(&mut command);
        command
    }

    /// Records a program and asks for its findings.
    ///
    /// # Errors
    /// Where the program, its recording or the question fails.
    pub fn record(&self, program: &Program) -> Result<Recorded, String> {
        let profile = self.folder.join(format!("{}.calor", program.name));
        let mut plain = self.command(program);
        let output = if program.language == Language::RustWithCalor {
            // It records itself into the file that it is given.
            finished(plain.arg(&profile))?
        } else {
            let mut record = Command::new(&self.calor);
            record.args(["record", "-q", "-o"]).arg(&profile).args(program.options).arg("--");
            record.arg(plain.get_program()).args(plain.get_args());
            self.settle(&mut record);
            finished(&mut record)?
        };
        let mut findings = Command::new(&self.calor);
        findings.args(["findings", "-q", "--format", "json"]).arg(&profile);
        self.settle(&mut findings);
        let told = told(&finished(&mut findings)?.stdout)?;
        // Recordings are large, and there are many.
        let _ = std::fs::remove_file(&profile);
        Ok(Recorded { answer: String::from_utf8_lossy(&output.stdout).into_owned(), told })
    }

    fn path(&self, program: &Program) -> PathBuf {
        build::path(&self.folder, program)
    }

    /// Makes a command untouched by settings of whoever runs this.
    fn settle(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALOR_"))
        {
            command.env_remove(name);
        }
        command.current_dir(&self.folder).env("XDG_CACHE_HOME", &self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }
}

fn is_python(language: Language) -> bool {
    matches!(language, Language::Python | Language::Numpy)
}

fn finished(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{command:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr)))
}

/// The findings of the page that `calor findings --format json` gives.
fn told(page: &[u8]) -> Result<Vec<Told>, String> {
    let page: serde_json::Value =
        serde_json::from_slice(page).map_err(|error| format!("findings are no JSON: {error}"))?;
    let found = page["findings"].as_array().ok_or("the page has no findings, not even none")?;
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or(1.0);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    Ok(found
        .iter()
        .map(|finding| Told {
            rule: text(&finding["rule"]),
            function: text(&finding["where"]["function"]),
            gain: (number(&finding["gain"]["low"]), number(&finding["gain"]["high"])),
        })
        .collect())
}
