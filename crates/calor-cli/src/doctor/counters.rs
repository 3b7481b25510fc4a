//! What `calor stat` can count here: by the processor, and without it by valgrind.

use calor_record::counters::simulation::Valgrind;
use calor_record::counters::{Absence, pmu};

use super::Check;

pub(super) fn checks() -> Vec<Check> {
    vec![hardware(), simulation()]
}

/// Counters of the processor, found by trying them. A machine that has none has nothing wrong with it: sampling and
/// software events need none.
fn hardware() -> Check {
    let name = "pmu";
    match pmu() {
        Ok(pmu) => {
            let kernel = if pmu.sees_kernel { "" } else { ", in the program's own code alone" };
            Check::ok(name, format!("the processor counts {}{kernel}", pmu.offered.join(", ")))
        }
        Err(absence @ Absence::Refused(_)) => {
            let check =
                Check::not_ok(name, format!("hardware counters are not available {}", absence.what()));
            check.fixed_by(absence.remedy().unwrap_or("calor doctor"))
        }
        Err(absence) => Check::absent(
            name,
            format!(
                "hardware counters are not available {}; sampling by the clock needs none, and `calor stat` counts \
                 faults, switches and migrations all the same",
                absence.what()
            ),
        ),
    }
}

fn simulation() -> Check {
    match Valgrind::find() {
        Ok(valgrind) => {
            Check::ok("simulation", format!("`calor stat --simulate` counts with {}", valgrind.version))
        }
        Err(error) => {
            let found = "`calor stat --simulate` needs valgrind, which is not installed";
            Check::not_ok("simulation", found).fixed_by(error.remedy().unwrap_or("calor doctor"))
        }
    }
}
