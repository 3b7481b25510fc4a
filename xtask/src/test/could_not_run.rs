//! What tests could not run on this machine: each says so through `calor_testing::cannot`, which appends a line to a file
//! that a step hands to its tests. Silence would be taken for success.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::step::{Place, StepOutcome};

pub(super) struct CouldNotRun {
    file: PathBuf,
}

impl CouldNotRun {
    /// Begins anew.
    pub(super) fn begin(place: &Place) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&place.target)?;
        let file = place.target.join("could-not-run.tsv");
        std::fs::write(&file, "")?;
        Ok(Self { file })
    }

    /// Which file the variable [`calor_testing::LIST`] has to name.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Prints what was counted, and says it in one line; passed where all could run.
    pub(super) fn outcome(&self) -> anyhow::Result<StepOutcome> {
        let list = std::fs::read_to_string(&self.file)?;
        let lines: std::collections::BTreeSet<&str> = list.lines().collect();
        for line in &lines {
            println!("could not run: {}", line.replace('\t', ": "));
        }
        Ok(match summary(&lines) {
            Some(summary) => StepOutcome::Partly(summary),
            None => StepOutcome::Passed,
        })
    }
}

/// How many there were of each need; `None` where there were none. A test that was tried again is one.
fn summary(lines: &std::collections::BTreeSet<&str>) -> Option<String> {
    let mut needs: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        *needs.entry(line.split('\t').next().unwrap_or_default()).or_default() += 1;
    }
    let words: Vec<String> = needs.iter().map(|(need, n)| format!("{need} {n}")).collect();
    (!lines.is_empty()).then(|| format!("{} could not run: {}", lines.len(), words.join(", ")))
}

#[cfg(test)]
mod tests {

    #[test]
    fn needs_are_counted_and_nothing_is_nothing() {
        let lines = ["valgrind\ta\tnot there", "perf\tb\trefused", "valgrind\tc\tnot there"];
        let summary = |lines: &[&'static str]| super::summary(&lines.iter().copied().collect());
        assert_eq!(summary(&lines).as_deref(), Some("3 could not run: perf 1, valgrind 2"));
        assert_eq!(summary(&[]), None);
    }
}
