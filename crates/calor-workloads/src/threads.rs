//! How many threads a workload may have: no more than there are cores. Threads that share one wait for each other, so their figures
//! say little of a machine with as many.

use crate::Error;
use crate::tokenizer::cores;

/// No machine has more.
pub(crate) const MOST: usize = 256;

/// Refuses more threads than cores.
pub(crate) fn check(threads: usize) -> Result<(), Error> {
    check_on(threads, cores().min(MOST))
}

fn check_on(threads: usize, most: usize) -> Result<(), Error> {
    if (1..=most).contains(&threads) {
        return Ok(());
    }
    let allowed = match most {
        1 => "1: there is one core".to_owned(),
        _ => format!("1 to {most}, as many as there are cores"),
    };
    Err(Error::Choice { what: "number of threads", given: threads.to_string(), allowed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_threads_than_cores() {
        for (threads, most, expected) in [
            (0, 2, "no such number of threads: 0; expected 1 to 2, as many as there are cores"),
            (3, 2, "no such number of threads: 3; expected 1 to 2, as many as there are cores"),
            (2, 1, "no such number of threads: 2; expected 1: there is one core"),
        ] {
            assert_eq!(check_on(threads, most).expect_err("it is refused").to_string(), expected);
        }
        assert!(check_on(2, 2).is_ok() && check(1).is_ok());
    }
}
