//! What to use for which purpose, the figures that it follows from, and how close the next one is.

use calor_report::bench::{Advice, Column, Table};

use super::goal::told;
use super::{Choice, Goal, Measured, Source, Verdict};

/// The verdicts of all purposes on all data that they are for.
pub(super) fn verdicts(choice: &Choice, sources: &[Source], cases: &[Vec<Measured>]) -> Vec<Verdict> {
    let of_goal = |goal: Goal| {
        let sources = sources.iter().zip(cases).filter(move |(source, _)| goal.is_for(source));
        sources.filter_map(move |(source, measured)| goal.judge(&source.name, measured, &choice.terms))
    };
    choice.goals().into_iter().flat_map(of_goal).collect()
}

/// All verdicts as a table; `None` without any.
pub(super) fn table(verdicts: &[Verdict]) -> Option<Table> {
    let columns = [
        Column::text("goal"),
        Column::text("data"),
        Column::text("use"),
        Column::number("ratio"),
        Column::number("costs"),
        Column::number("as it is").dispensable(1),
        Column::text("runner-up").dispensable(2),
        Column::number("costs more").dispensable(3),
        Column::text("pipelined").dispensable(4),
    ];
    let mut table = Table::new("What to use", columns);
    for verdict in verdicts {
        let second = verdict.second.as_ref();
        table.rows.push(vec![
            verdict.goal.to_string(),
            format!("{}, {}", verdict.data, verdict.block),
            verdict.best.name(),
            format!("{:.3}", verdict.best.ratio),
            score(verdict.goal, verdict.best.score),
            score(verdict.goal, verdict.nothing),
            second.map(super::Candidate::name).unwrap_or_default(),
            margin(verdict),
            verdict.pipelined.map(|(setting, _)| told(setting)).unwrap_or_default(),
        ]);
    }
    table.note = Some(
        "Costs: milliseconds for a megabyte of data, or the part of its size that is left. Pipelined: the best where all steps \
         run at the same time, so that the slowest counts alone."
            .to_owned(),
    );
    (!verdicts.is_empty()).then_some(table)
}

fn score(goal: Goal, score: f64) -> String {
    if goal.is_time() { format!("{score:.2} ms/MB") } else { format!("{:.1} %", 100.0 * score) }
}

fn margin(verdict: &Verdict) -> String {
    match verdict.margin() {
        None => String::new(),
        Some(margin) if verdict.is_tie() => {
            format!("{}, {}", signed(margin), if verdict.goal.is_time() { "more CPU" } else { "slower" })
        }
        Some(_) if !verdict.is_clear() => "not told apart".to_owned(),
        Some(margin) => signed(margin),
    }
}

/// A part in per cent with its sign, which nothing has none of.
fn signed(part: f64) -> String {
    let told = format!("{:+.1} %", 100.0 * part);
    if matches!(told.as_str(), "+0.0 %" | "-0.0 %") { "0.0 %".to_owned() } else { told }
}

/// One piece of advice for each purpose.
pub(super) fn advice(choice: &Choice, verdicts: &[Verdict]) -> Vec<Advice> {
    let of_goal = |goal: Goal| {
        let verdicts: Vec<&Verdict> = verdicts.iter().filter(|verdict| verdict.goal == goal).collect();
        (!verdicts.is_empty()).then(|| Advice {
            title: format!("{}: {}", heading(goal, choice), uses(&verdicts)),
            text: method(goal).to_owned(),
            evidence: verdicts.iter().map(|verdict| evidence(verdict)).collect(),
        })
    };
    choice.goals().into_iter().filter_map(of_goal).collect()
}

fn heading(goal: Goal, choice: &Choice) -> String {
    let (link, budget) = (choice.terms.link, choice.terms.budget);
    match goal {
        Goal::Link => format!("Fastest over a link of {link}"),
        Goal::Small => format!("Smallest at {budget} or more for a core"),
        Goal::Logs => format!("Logs, smallest at {budget} or more for a core"),
        Goal::Weights => format!("Model weights, read at {link}"),
        Goal::Checkpoints => format!("Checkpoints, written at {link}"),
    }
}

/// What is used for what, data of the same choice together: `zstd 1 for text, logs; no compression for random`.
fn uses(verdicts: &[&Verdict]) -> String {
    let mut uses: Vec<(String, Vec<&str>)> = Vec::new();
    for verdict in verdicts {
        let name = verdict.best.name();
        match uses.iter_mut().find(|(known, _)| *known == name) {
            Some((_, data)) => data.push(&verdict.data),
            None => uses.push((name, vec![&verdict.data])),
        }
    }
    let uses: Vec<String> =
        uses.iter().map(|(name, data)| format!("{name} for {}", data.join(", "))).collect();
    uses.join("; ")
}

fn method(goal: Goal) -> &'static str {
    match goal {
        Goal::Link => {
            "Time is that to compress, to send and to decompress, one after the other, on one core at each end. Where the three \
             run at the same time, the slowest counts alone: that is told as pipelined."
        }
        Goal::Small => {
            "The smallest output of all that compress at least as fast as the budget asks; see --budget."
        }
        Goal::Logs => {
            "Logs are sent in blocks, so those of at most 1 MiB are judged if there are any: the smallest that the budget \
             allows; see --budget."
        }
        Goal::Weights => {
            "Weights are written once and read often: time is that to receive and to decompress. What compressing takes does \
             not count."
        }
        Goal::Checkpoints => {
            "Checkpoints are written often, and training waits: time is that to compress and to write. What decompressing \
             takes does not count."
        }
    }
}

fn evidence(verdict: &Verdict) -> String {
    let (goal, best) = (verdict.goal, &verdict.best);
    let [compress, send, decompress] = best.steps;
    let mut text = format!("{}: {} costs {}", verdict.data, best.name(), score(goal, best.score));
    if best.setting.is_some() {
        text += &format!(
            " (compress {compress:.2}, send {send:.2}, decompress {decompress:.2} ms/MB; {:.3} times smaller)",
            best.ratio
        );
        text += &format!(", as it is {}", score(goal, verdict.nothing));
    }
    if let Some(second) = &verdict.second {
        text += &match verdict.margin() {
            Some(margin) if verdict.is_tie() && goal.is_time() => {
                format!("; {} takes as long ({}) and more CPU time", second.name(), signed(margin))
            }
            Some(margin) if verdict.is_tie() => {
                format!("; {} is as small ({}) and slower", second.name(), signed(margin))
            }
            Some(_) if !verdict.is_clear() => format!(
                "; {} at {} cannot be told apart from it, so either will do",
                second.name(),
                score(goal, second.score)
            ),
            margin => format!("; then {}, {}", second.name(), signed(margin.unwrap_or_default())),
        };
    }
    if let Some((setting, nanos)) = verdict.pipelined {
        text += &format!("; pipelined {} at {nanos:.2} ms/MB", told(setting));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn nothing_has_no_sign() {
        for (part, expected) in
            [(-0.0001, "0.0 %"), (0.0001, "0.0 %"), (0.0, "0.0 %"), (-0.002, "-0.2 %"), (0.1, "+10.0 %")]
        {
            assert_eq!(signed(part), expected);
        }
    }
}
