//! What can go wrong with a project. A message says what happened, to what, and what to do next.

use std::path::PathBuf;
use std::sync::Arc;

/// Why something of a project could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no folder to begin from.
    #[error("cannot tell the working folder: name the store with --store DIR")]
    NoFolder,

    /// The file of settings is there and cannot be read.
    #[error("cannot read the settings: {}", path.display())]
    SettingsUnreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },

    /// The file of settings says what cannot be understood.
    #[error(
        "cannot use the settings, see docs/findings.md, `calor record --help` and `calor check --help`: {}",
        path.display()
    )]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        cause: toml::de::Error,
    },

    /// The same, for whoever asks again.
    #[error(transparent)]
    Known(Arc<Error>),

    /// A file of rules cannot be read.
    #[error(
        "cannot read the rules: give a file of rules of your own, see docs/findings.md, or leave out --rules: {}",
        path.display()
    )]
    RulesUnreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },

    /// A file of rules is no such file.
    #[error("cannot use the rules, see docs/findings.md: {}", path.display())]
    Rules {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        cause: toml::de::Error,
    },

    /// A file of rules has none.
    #[error("{}: expected at least one [[rule]], found none", path.display())]
    NoRules {
        /// The file.
        path: PathBuf,
    },

    /// A rule of a file cannot be one.
    #[error("cannot use the rules: {}", path.display())]
    Rule {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        #[source]
        cause: calor_analysis::Error,
    },

    /// Two rules have one id.
    #[error("{}: there is another rule `{id}`: choose another id", path.display())]
    RuleTwice {
        /// The file of the second.
        path: PathBuf,
        /// Their id.
        id: String,
    },

    /// A file cannot be opened or looked at.
    #[error("cannot open {name}")]
    Open {
        /// The file as it was named.
        name: String,
        /// What the system says.
        #[source]
        cause: std::io::Error,
    },

    /// A folder was named.
    #[error("{name}: expected a profile, found a directory; name a file inside it")]
    Folder {
        /// The folder as it was named.
        name: String,
    },

    /// What is there cannot be read, or is no profile.
    #[error("cannot read {name}")]
    Read {
        /// The file or the run as it was named.
        name: String,
        /// Why.
        #[source]
        cause: Box<Error>,
    },

    /// The system does not give it.
    #[error(transparent)]
    System(#[from] std::io::Error),

    /// There is more of it than of any profile.
    #[error("more than {most}, which no profile is: check that it is the right file")]
    TooLarge {
        /// The bound, as people read it.
        most: String,
    },

    /// There is no room for it.
    #[error("not enough memory for the whole of it")]
    Memory(#[source] std::collections::TryReserveError),

    /// It is none of the formats, or damaged.
    #[error(transparent)]
    Format(#[from] calor_formats::Error),

    /// A file of perf record that cannot be read.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    PerfData(#[from] calor_record::perf_data::PerfDataError),

    /// A file of perf record, elsewhere.
    #[cfg(not(target_os = "linux"))]
    #[error("perf.data is read on Linux only: run `perf script` there and give its text instead")]
    PerfDataElsewhere,

    /// The store does not give it.
    #[error(transparent)]
    Store(#[from] calor_store::Error),
}

impl Error {
    /// It with its causes, in one line.
    #[must_use]
    pub fn whole(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        text
    }

    /// What is beneath: why what was named cannot be read.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::Read { cause, .. } => cause.cause(),
            Self::Known(known) => known.cause(),
            other => other,
        }
    }
}
