//! The rounds: each case of each participant in a process of its own, all of them in every round, so that whatever
//! disturbs the machine meets all alike.

use std::process::Command;

use crate::{Figures, Results};

/// Measures in every round whatever `measurements` lists for it: pairs of case and participant, each with what
/// `measure` needs to know beside.
pub fn run_rounds<T>(
    n_rounds: usize,
    measurements: impl Fn(usize) -> Vec<(&'static str, &'static str, T)>,
    mut measure: impl FnMut(T) -> Result<Figures, String>,
) -> Results {
    let mut results = Results::new(n_rounds);
    for round in 0..n_rounds {
        for (case, who, what) in measurements(round) {
            eprintln!("round {} of {n_rounds}: {case} {who}", round + 1);
            match measure(what) {
                Ok(figures) => results.insert(case, who, round, figures),
                // One that fails must not take the others with it; the tables will say that it is missing.
                Err(message) => {
                    eprintln!("warning: {case} {who}: {message}");
                    results.fail(case, who, message);
                }
            }
        }
    }
    results
}

/// The participants of a case in the order of a round: each round begins with another, so that nobody always follows
/// the same one.
#[must_use]
pub fn turned<T>(mut participants: Vec<T>, round: usize) -> Vec<T> {
    if !participants.is_empty() {
        let first = round % participants.len();
        participants.rotate_left(first);
    }
    participants
}

/// The participants of a case in an order of the round's own, the same in every run.
#[must_use]
pub fn shuffled<T>(mut participants: Vec<T>, round: usize) -> Vec<T> {
    // SplitMix64, which is good from its first number on.
    let mut state = (round as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut below = |n: usize| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % n as u64) as usize
    };
    for last in (1..participants.len()).rev() {
        participants.swap(last, below(last + 1));
    }
    participants
}

/// Has another process measure: the figures in the last line that it prints, or its message when it fails.
pub fn answer_of(command: &mut Command) -> Result<Figures, String> {
    let output = command
        .output()
        .map_err(|error| format!("cannot start {}: {error}", command.get_program().to_string_lossy()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().last() {
        Some(line) if output.status.success() => Figures::parse(line),
        _ => {
            let message = String::from_utf8_lossy(&output.stderr);
            let message = message.trim().trim_start_matches("error: ");
            Err(if message.is_empty() { output.status.to_string() } else { message.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Figures, String> {
        answer_of(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn the_last_line_of_a_process_has_its_figures() {
        assert_eq!(shell("echo starting; echo cpu_s=0.5"), Ok(Figures::default().with("cpu_s", 0.5)));
    }

    #[test]
    fn a_process_that_fails_is_heard() {
        assert_eq!(
            shell("echo cpu_s=1; echo 'error: no chromium' >&2; exit 2"),
            Err("no chromium".to_owned())
        );
        assert_eq!(shell("exit 3"), Err("exit status: 3".to_owned()));
    }

    #[test]
    fn every_round_begins_with_another_participant() {
        assert_eq!(turned(vec!["a", "b", "c"], 4), ["b", "c", "a"]);
        assert!(turned(Vec::<u8>::new(), 4).is_empty());
    }

    #[test]
    fn a_shuffle_keeps_everyone_and_gives_everyone_every_place() {
        let mut firsts = Vec::new();
        for round in 0..40 {
            let order = shuffled(vec!["a", "b", "c"], round);
            assert_eq!(order, shuffled(vec!["a", "b", "c"], round));
            firsts.push(order[0]);
            assert!(["a", "b", "c"].iter().all(|one| order.contains(one)));
        }
        for one in ["a", "b", "c"] {
            assert!(firsts.iter().filter(|first| **first == one).count() > 5, "{firsts:?}");
        }
        assert!(shuffled(Vec::<u8>::new(), 4).is_empty());
    }

    #[test]
    fn one_that_fails_does_not_take_the_others_with_it() {
        let results = run_rounds(
            2,
            |_| vec![("flat", "bad", false), ("flat", "good", true)],
            |is_good| match is_good {
                true => Ok(Figures::default().with("quickest", 1.0)),
                false => Err("broken".to_owned()),
            },
        );
        assert_eq!(results.failure("flat", "bad"), Some("broken"));
        assert!(results.spread("flat", "good", "quickest").is_some());
    }
}
