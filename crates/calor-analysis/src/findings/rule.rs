//! What a rule is: it looks at facts and says what it found, that all is well, or that it cannot tell.

use super::{Facts, Finding, Need};

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Topic {
    /// Time on the processor.
    Cpu,
    /// The heap.
    Heap,
    /// Threads that wait.
    Waiting,
    /// Threads beside each other.
    Threads,
    /// Python and its libraries.
    Python,
    /// Operations on arrays.
    Arrays,
    /// Memory bandwidth, caches and vectors.
    Machine,
    /// GPUs.
    Gpu,
    /// What users wrote.
    Own,
}

impl Topic {
    /// The word used in reports and files of rules.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Heap => "heap",
            Self::Waiting => "waiting",
            Self::Threads => "threads",
            Self::Python => "python",
            Self::Arrays => "arrays",
            Self::Machine => "machine",
            Self::Gpu => "gpu",
            Self::Own => "own",
        }
    }
}

/// A rule as others see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About<'r> {
    /// Its name, which stays: suppressions and scores refer to it. It names the pattern, never the cure.
    pub id: &'r str,
    /// Raised when its verdicts change.
    pub version: u32,
    /// What it is about.
    pub topic: Topic,
    /// What it looks for, in one line without numbers.
    pub title: &'r str,
    /// What has to be recorded for it. A rule is asked only where all of it is there.
    pub needs: &'r [Need],
    /// Rules whose findings at a related place are symptoms of this one's.
    pub suppresses: &'r [&'r str],
}

impl About<'_> {
    /// Where more is written about a rule that comes with Calor.
    #[must_use]
    pub fn doc_page(&self) -> String {
        match self.topic {
            Topic::Own => String::new(),
            _ => format!("docs/rules/{}.md", self.id),
        }
    }
}

/// What a rule says of a profile.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// What it looks for is there; never empty.
    Findings(Vec<Finding>),
    /// It looked, and all is well.
    Fine,
    /// It could not look. That is never the same as fine.
    NotEnough {
        /// What is missing: "samples of waiting threads".
        missing: String,
        /// The command that records it.
        how: String,
    },
}

impl Outcome {
    /// Findings, or fine where there are none.
    #[must_use]
    pub fn of(findings: Vec<Finding>) -> Self {
        if findings.is_empty() { Self::Fine } else { Self::Findings(findings) }
    }
}

/// One rule. Rules hold no state: the same facts give the same outcome.
pub trait Rule: Sync {
    /// What it is.
    fn about(&self) -> About<'_>;

    /// Looks at a profile. What [`About::needs`] names is there.
    fn judge(&self, facts: &Facts<'_>) -> Outcome;

    /// Whether findings of another rule at a related place are symptoms of this one's.
    fn suppresses(&self, other: &str) -> bool {
        self.about().suppresses.contains(&other)
    }

    /// Whether a finding of this rule accounts for most of what another found, of a rule that it suppresses. What it leaves
    /// unexplained is told beside it.
    fn accounts_for(&self, _cause: &Finding, _symptom: &Finding) -> bool {
        true
    }
}
