//! Counters without a value, put together by their reason: one line for people, one warning for scripts.

use calor_model::Warning;
use calor_record::counters::Absence;

use super::simulated;

/// Names by reason, in the order in which the reasons came.
#[derive(Clone, Debug, Default)]
pub(super) struct Absent {
    reasons: Vec<(Absence, Vec<String>)>,
}

impl Absent {
    pub(super) fn add(&mut self, absence: Absence, name: &str) {
        match self.reasons.iter_mut().find(|(known, _)| *known == absence) {
            Some((_, names)) => names.push(name.to_owned()),
            None => self.reasons.push((absence, vec![name.to_owned()])),
        }
    }

    /// One line a reason.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(absence, names): &(Absence, Vec<String>)| {
            // Valgrind knows fewer counters than processors have.
            let is_helped =
                !matches!(absence, Absence::NoPmu { .. }) || names.iter().any(|name| simulated::has(name));
            let remedy = absence.remedy().filter(|_| is_helped);
            let remedy = remedy.map_or_else(String::new, |remedy| format!("; {remedy}"));
            format!("not available {}: {}{remedy}", absence.what(), names.join(", "))
        };
        self.reasons.iter().map(line).collect()
    }

    pub(super) fn warnings(&self) -> impl Iterator<Item = Warning> {
        let codes = self.reasons.iter().map(|(absence, _)| absence.code());
        codes.zip(self.lines()).map(|(code, line)| Warning::new(code, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulation_is_offered_for_what_it_counts_alone() {
        for (name, is_offered) in [("cycles", false), ("r1a2", false), ("instructions", true)] {
            let mut absent = Absent::default();
            absent.add(Absence::NoPmu { is_virtual: true }, name);
            assert_eq!(absent.lines()[0].contains("--simulate"), is_offered, "{name}");
        }
    }

    #[test]
    fn counters_that_lack_for_one_reason_share_a_line() {
        let mut absent = Absent::default();
        let machine = Absence::NoPmu { is_virtual: true };
        absent.add(machine, "cycles");
        absent.add(Absence::KernelHidden, "cpu-migrations");
        absent.add(machine, "instructions");
        let lines = absent.lines();
        assert_eq!(lines.len(), 2);
        let expected =
            "not available on this machine (virtual machine without PMU): cycles, instructions; `calor stat";
        assert!(lines[0].starts_with(expected), "{lines:?}");
        let codes: Vec<String> = absent.warnings().map(|warning| warning.code).collect();
        assert_eq!(codes, ["pmu_missing", "kernel_hidden"]);
    }
}
