//! What profiling costs. In one process, each inference of the enhanced run is done twice, with profiling on and off, one right
//! after the other and each as often first; CPU time of the process, all threads. Making weights, warming up and checking are
//! not in it: they would only make the share smaller.

use std::hint::black_box;

use calor_report::bench::{Figure, Params};
use calor_workloads::Error;
use calor_workloads::model::bench::requests;
use calor_workloads::model::{Model, Preset, Request, Session, generate};
use harness::clock::process_cpu_nanos;
use harness::{Arguments, Bound, Goal, Processors};
use workloads_bench::enhanced;

use crate::part::{Told, lines, pair, process, quartiles};

/// Nanoseconds of one inference with profiling and without.
struct Pair {
    model: String,
    on: f64,
    off: f64,
}

pub(super) fn measure(arguments: &Arguments) -> Result<Told, String> {
    let rounds = arguments.rounds.unwrap_or(if arguments.is_quick { 1 } else { 6 });
    let pairs = lines(&mut process(&super::PART, "cost", rounds)?, parse)?;
    let mut page = "Profiling the inferences of an enhanced run, as a share of their CPU time: medians of pairs, one with and one \
                    without, with 95 % intervals.\n\n| model | ms without | cost, % | pairs |\n|---|---:|---:|---:|\n"
        .to_owned();
    // Of all inferences together: each model's cost by its part of the time.
    let (mut whole, mut cost, mut bounds) = (0.0, 0.0, [0.0; 2]);
    for preset in Preset::BOTH {
        let of_model: Vec<&Pair> = pairs.iter().filter(|pair| pair.model == preset.name()).collect();
        let shares: Vec<f64> = of_model.iter().map(|pair| 100.0 * (pair.on / pair.off - 1.0)).collect();
        let [_, nanos, _] = quartiles(&of_model.iter().map(|pair| pair.off).collect::<Vec<f64>>());
        let share = Figure::of("cost", Params::new(), "%", &shares).ok_or("no inference was measured")?;
        let row = [share.median, share.low, share.high].map(|share| format!("{share:.2}"));
        page += &format!(
            "| {} | {:.2} | {} ({} to {}) | {} |\n",
            preset.name(),
            nanos / 1e6,
            row[0],
            row[1],
            row[2],
            share.n
        );
        whole += nanos;
        cost += nanos * share.median;
        bounds = [bounds[0] + nanos * share.low, bounds[1] + nanos * share.high];
    }
    page += &format!(
        "\nBoth models together: {:.2} % ({:.2} to {:.2} %).\n",
        cost / whole,
        bounds[0] / whole,
        bounds[1] / whole
    );
    let goals = vec![Goal {
        case: "whole",
        what: "profiling on against off, CPU time of the inferences of an enhanced run".to_owned(),
        unit: "%",
        bound: Bound::AtMost(1.0),
        measured: Ok(cost / whole),
    }];
    Ok(Told { page, goals })
}

fn parse(line: &str) -> Option<Pair> {
    let (model, rest) = line.split_once(' ')?;
    let [on, off] = pair(rest)?;
    Some(Pair { model: model.to_owned(), on, off })
}

/// Is the process that measures: a line for each inference.
pub(super) fn be(_: &str, arguments: &Arguments) -> Result<(), String> {
    for Pair { model, on, off } in rounds(arguments.n_rounds(1)).map_err(|error| error.to_string())? {
        println!("{model} {on} {off}");
    }
    Ok(())
}

struct Inferences {
    name: &'static str,
    model: Model,
    session: Session,
    requests: Vec<Request>,
}

fn rounds(n: usize) -> Result<Vec<Pair>, Error> {
    let choice = enhanced::choice();
    let mut models = Vec::new();
    for preset in Preset::BOTH {
        let model = Model::of_preset(preset, choice.seed)?;
        let requests = requests(&choice, model.config())?;
        models.push(Inferences { name: preset.name(), session: model.session()?, model, requests });
    }
    let mut found = Vec::new();
    let processors = Processors::of_thread();
    // The first round warms up.
    for round in 0..=n {
        // Both of a pair on one, as inferences of a run are.
        processors.of_round(round);
        for Inferences { name, model, session, requests } in &mut models {
            for (index, request) in requests.iter().enumerate() {
                let mut nanos = [0.0; 2];
                let first = (round + index) % 2;
                for way in [first, 1 - first] {
                    if way == 0 {
                        calor::enable();
                    } else {
                        calor::disable();
                    }
                    // As in a run, where the recorder was on for the one before, too.
                    black_box(generate(model, request, session, || ())?);
                    let begin = process_cpu_nanos();
                    black_box(generate(model, request, session, || ())?);
                    nanos[way] = (process_cpu_nanos() - begin) as f64;
                }
                let [on, off] = nanos;
                found.extend((round > 0).then(|| Pair { model: (*name).to_owned(), on, off }));
            }
        }
    }
    calor::disable();
    Ok(found)
}
