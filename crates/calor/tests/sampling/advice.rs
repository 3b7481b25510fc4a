//! What rules say of a profile that a program made of itself.

use std::arch::asm;

use calor_analysis::findings::rules::RULES;
use calor_analysis::findings::{Facts, Outcome};

use super::work::burn;
use super::*;

/// A sum that takes one number at a time, whatever the compiler thinks of it.
#[inline(never)]
fn sum_one_by_one(rounds: u64) -> u64 {
    static VALUES: [f64; 4096] = [1.0; 4096];
    let mut sum = 0.0;
    for _ in 0..rounds {
        // SAFETY: it reads the values from the first to the last, and counts up to as many as there are.
        unsafe {
            asm!(
                "2:",
                "addsd {sum}, qword ptr [{values} + 8*{at}]",
                "inc {at}",
                "cmp {at}, {n}",
                "jne 2b",
                sum = inout(xmm_reg) sum,
                values = in(reg) VALUES.as_ptr(),
                at = inout(reg) 0_u64 => _,
                n = in(reg) VALUES.len(),
                options(nostack, readonly),
            );
        }
    }
    sum as u64
}

/// Rules about vectors know what the processor offers: it stands in the profile.
pub(super) fn check() {
    let sampling = start(Source::PerfEvents);
    burn(sum_one_by_one, 1.0);
    let profile = sampling.stop();
    let features = &profile.runs[0].host.cpu_features;
    assert!(features.contains("sse2"), "{features:?}");
    let rule = RULES.iter().find(|rule| rule.about().id == "CPU-SCALAR-LOOP").expect("it is one of them");
    let outcome = rule.judge(&Facts::new(&profile, None));
    let Outcome::Findings(found) = outcome else { panic!("{outcome:?}") };
    assert!(found[0].title.contains("sum_one_by_one"), "{found:?}");
}

#[test]
fn a_scalar_loop_is_found_in_a_profile_that_the_program_made_of_itself() {
    play("scalar loop");
}
