//! Programs with one known bottleneck each, and their healthy twins: what the rules of `calor findings` are judged
//! against. A twin gives the same answer, by the way that the finding asks for.
//!
//! **You get** [`cases`]: for each a rule that has to find it and a writer of both programs; [`healthy`]: programs in
//! which nothing is to be found; and a [`Round`] over all of them in a [`Workshop`], which builds and records, with its
//! [`Score`]. Names, sizes and what stands around the bottleneck are drawn from a seed, so that a rule which only knows
//! one program is found out. **You bring** the `calor` command.
//!
//! **Not for** measuring machines: a program does about a second of work on one core, and says what it computed.

mod case;
mod python;
mod round;
mod rust;
mod score;
mod template;
mod words;
mod workshop;

pub use case::{Case, Healthy, Language, Saves, Twins};
pub use round::Round;
pub use score::{Score, Told, Trial};
pub use words::Words;
pub use workshop::{Program, Recorded, Workshop};

/// Every planted bottleneck, by language.
#[must_use]
pub fn cases() -> Vec<Case> {
    [rust::CASES, python::CASES].concat()
}

/// Every healthy program that has no twin, by language.
#[must_use]
pub fn healthy() -> Vec<Healthy> {
    [rust::HEALTHY, python::HEALTHY].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_is_one_programs() {
        let names: Vec<&str> = cases()
            .iter()
            .map(|case| case.name)
            .chain(healthy().iter().map(|program| program.name))
            .collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    }

    #[test]
    fn equal_seeds_give_equal_programs_and_others_do_not() {
        for case in cases() {
            let (one, again, other) = (case.twins(1), case.twins(1), case.twins(2));
            assert_eq!((&one.planted, &one.healthy), (&again.planted, &again.healthy), "{}", case.name);
            assert_ne!(one.planted, other.planted, "{}", case.name);
            assert_ne!(one.healthy, other.healthy, "{}", case.name);
        }
        for healthy in healthy() {
            assert_eq!(healthy.program(1), healthy.program(1), "{}", healthy.name);
            assert_ne!(healthy.program(1), healthy.program(2), "{}", healthy.name);
        }
    }

    #[test]
    fn twins_differ_and_the_planted_one_has_the_function_that_is_named() {
        for case in cases() {
            for seed in 0..20 {
                let twins = case.twins(seed);
                assert_ne!(twins.planted, twins.healthy, "{}", case.name);
                if let Some(function) = twins.function {
                    assert!(twins.planted.contains(&function), "{}: {function}", case.name);
                }
            }
        }
    }
}
