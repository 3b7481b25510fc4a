//! What a run tells people: tables, a picture and what follows from the figures.

use calor_analysis::quantity::{bytes, count};
use calor_report::bench::{Axis, Bench, Chart, ChartKind, Column, Figure, Point, Series, Table};

use super::{Choice, Measured, Place, advice, vector_class};

pub(super) fn bench(choice: &Choice, measured: &[Measured]) -> Bench {
    let mut bench = Bench::new("model", "A GPT-2 style transformer with candle");
    bench.fact("device", choice.place.name());
    match choice.place {
        Place::Cpu => {
            bench.fact("vector class", vector_class());
            bench.fact("threads of an inference", choice.threads.to_string());
        }
        Place::Cuda => bench.warn(
            "queued_operations",
            "a graphics processor works through a queue: scopes of operations tell what queuing them took, and `head`, which \
             waits for the scores, has the rest; times of tokens are whole",
        ),
    }
    bench.fact("inferences", inferences(choice, measured));
    if choice.n_rounds() > 1 {
        bench.fact("rounds", format!("{}, each with weights made for it", rounds(choice, measured)));
    }
    bench.fact("checked", checked(choice, measured));
    bench.tables.push(specifications(measured));
    let figures: Vec<Vec<Figure>> =
        measured.iter().map(|model| model.figures(choice.roof.as_ref())).collect();
    bench.tables.push(metrics(measured, &figures));
    if let Some(chart) = latency(measured) {
        bench.charts.push(chart);
    }
    for (model, figures) in measured.iter().zip(&figures) {
        advice::tell(choice, model, figures, &mut bench);
        if !model.is_right {
            let message = format!(
                "the scores of the {} model are not those of the operations that they are checked by: its figures mean little",
                model.name
            );
            bench.warn("wrong_scores", message);
        }
    }
    advice::tell_of_threads(choice, measured, &mut bench);
    bench.figures = figures.into_iter().flatten().collect();
    bench
}

/// What was done: less than was chosen where the end was asked for.
fn inferences(choice: &Choice, measured: &[Measured]) -> String {
    let n_chosen = choice.inferences as usize;
    let done =
        |name: &str| measured.iter().find(|model| model.name == name).map_or(0, |model| model.answers.len());
    let each: Vec<(String, usize)> =
        choice.sizes.iter().map(|size| (size.name(), done(&size.name()))).collect();
    if each.iter().all(|(_, n)| *n == n_chosen) {
        return format!("{n_chosen} with each model, after one to warm up");
    }
    let each: Vec<String> = each.iter().map(|(name, n)| format!("{n} with {name}")).collect();
    format!("{}, of {n_chosen} with each model, after one to warm up", each.join(", "))
}

/// How many of the rounds were begun.
fn rounds(choice: &Choice, measured: &[Measured]) -> String {
    let n_rounds = choice.n_rounds() as usize;
    let per_round = choice.inferences as usize / n_rounds;
    let begun = measured.iter().map(|model| model.answers.len().div_ceil(per_round)).max().unwrap_or(0);
    if begun < n_rounds { format!("{begun} of {n_rounds}") } else { n_rounds.to_string() }
}

/// What the scores were held against, where each model was checked.
fn checked(choice: &Choice, measured: &[Measured]) -> String {
    let against = match choice.place {
        Place::Cpu => "candle's own operations",
        Place::Cuda => "ours on the processor",
    };
    let n_right = measured.iter().filter(|model| model.is_right).count();
    let models = if measured.len() == 1 { "model agree" } else { "models agree" };
    format!("the scores of {n_right} of {} {models} with {against}", measured.len())
}

fn specifications(measured: &[Measured]) -> Table {
    let numbers = ["parameters", "width", "layers", "heads", "context", "vocabulary", "prompt", "tokens"];
    // On a narrow terminal the first of these to go are the last.
    let dispensable = [0, 2, 1, 4, 3, 5, 0, 0];
    let numbers = numbers.into_iter().zip(dispensable);
    let columns = numbers.map(|(name, order)| Column::number(name).dispensable(order));
    let columns = std::iter::once(Column::text("model")).chain(columns);
    let mut table = Table::new("Models", columns);
    for model in measured {
        let config = &model.config;
        let sizes = [
            config.parameters(),
            config.width,
            config.layers,
            config.heads,
            config.context,
            config.vocabulary,
            model.prompt,
            model.tokens,
        ];
        let row = std::iter::once(model.name.clone()).chain(sizes.map(|size| count(size as u64)));
        table.rows.push(row.collect());
    }
    table
}

/// What is told of each model: case, and what people call it.
const METRICS: [(&str, &str); 12] = [
    ("ttft", "time to first token, ms"),
    ("itl p50", "between tokens p50, ms"),
    ("itl p95", "between tokens p95, ms"),
    ("itl p99", "between tokens p99, ms"),
    ("prefill", "prefill, tokens/s"),
    ("decode", "decode, tokens/s"),
    ("bandwidth roof", "bandwidth roof, %"),
    ("compute roof", "compute roof, %"),
    ("weights", "weights"),
    ("kv cache", "KV cache, used"),
    ("kv cache reserved", "KV cache, reserved"),
    ("session", "session with KV cache"),
];

fn metrics(measured: &[Measured], figures: &[Vec<Figure>]) -> Table {
    let columns = measured.iter().map(|model| Column::number(model.name.as_str()));
    let mut table =
        Table::new("Latency, throughput, memory", std::iter::once(Column::text("metric")).chain(columns));
    for (case, name) in METRICS {
        let cell = |figures: &Vec<Figure>| {
            let figure = figures.iter().find(|figure| figure.case == case);
            figure.map_or_else(|| "not available".to_owned(), shown)
        };
        table.rows.push(std::iter::once(name.to_owned()).chain(figures.iter().map(cell)).collect());
    }
    let has = |case: &str| figures.iter().flatten().any(|figure| figure.case == case);
    let is_of_one_thread = measured.iter().any(|model| model.threads == 1);
    let bandwidth = match is_of_one_thread {
        true => {
            " The bandwidth roof is of decoding, by the p50 between tokens or the CPU time of one where that is less."
        }
        false => " The bandwidth roof is of decoding, by the p50 between tokens.",
    };
    let compute = match is_of_one_thread {
        true => " The compute roof is of reading the prompt, by CPU time.",
        false => " The compute roof is of reading the prompt.",
    };
    table.note = Some(format!(
        "{} {} The first token is that of the prompt.{}{}",
        spread(measured),
        percentiles(measured),
        if has("bandwidth roof") { bandwidth } else { "" },
        if has("compute roof") { compute } else { "" },
    ));
    table
}

/// What stands in brackets, as [`Figure`] has it: fewer than six values have no interval of 95 %.
fn spread(measured: &[Measured]) -> &'static str {
    let n = || measured.iter().map(|model| model.answers.len());
    match (n().min().unwrap_or(0), n().max().unwrap_or(0)) {
        (_, 0..2) => "Of one inference.",
        (_, 2..6) => "Medians over inferences; in brackets the least and the most.",
        (6.., _) => "Medians over inferences; in brackets the 95 % interval of the median.",
        _ => {
            "Medians over inferences; in brackets the 95 % interval of the median, of fewer than six inferences the least and the most."
        }
    }
}

/// Of how many values percentiles are: few have no 99th.
fn percentiles(measured: &[Measured]) -> String {
    let n = || measured.iter().map(Measured::n_latencies);
    let (least, most) = (n().min().unwrap_or(0), n().max().unwrap_or(0));
    let of = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let longest = match least {
        0..20 => ": of so few, p95 and p99 are the longest",
        20..100 => ": of so few, p99 is the longest",
        _ => "",
    };
    format!("Percentiles are of the times between tokens within an inference, {of} of them{longest}.")
}

fn shown(figure: &Figure) -> String {
    let number = |value: f64| match figure.unit.as_str() {
        "bytes" => bytes(value as u64),
        "tokens/s" => count(value.round() as u64),
        "%" => format!("{value:.1}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    };
    if figure.n < 2 {
        return number(figure.median);
    }
    format!("{} ({} to {})", number(figure.median), number(figure.low), number(figure.high))
}

fn latency(measured: &[Measured]) -> Option<Chart> {
    let series = |model: &Measured| Series {
        name: model.name.clone(),
        points: (2..)
            .zip(model.latencies())
            .map(|(token, millis)| Point { x: f64::from(token), y: millis, label: None })
            .collect(),
        is_front: false,
    };
    let series: Vec<Series> = measured.iter().map(series).filter(|series| series.points.len() > 1).collect();
    (!series.is_empty()).then(|| Chart {
        title: "Latency of each token after the first".to_owned(),
        kind: ChartKind::Lines,
        x: Axis::linear("token"),
        y: Axis::linear("ms"),
        series,
        note: Some("Medians over inferences.".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Size;
    use super::super::measured::tests::measured;
    use super::*;
    use crate::model::Preset;

    /// A model that so many inferences were done with.
    fn of(name: &str, n: usize) -> Measured {
        let mut model = Measured { name: name.to_owned(), ..measured(vec![1_000_000; 20]) };
        let answer = model.answers[0].clone();
        model.answers = vec![answer; n];
        model
    }

    #[test]
    fn what_stands_in_brackets_is_told_as_it_is() {
        for (ns, expected) in [
            (&[1, 1][..], "Of one inference."),
            (&[3, 3], "the least and the most."),
            (&[5, 2], "the least and the most."),
            (&[6], "the 95 % interval of the median."),
            (&[200, 5], "the median, of fewer than six inferences the least and the most."),
        ] {
            let models: Vec<Measured> = ns.iter().map(|n| of("small", *n)).collect();
            assert!(spread(&models).ends_with(expected), "{ns:?}: {}", spread(&models));
        }
    }

    #[test]
    fn a_run_that_was_cut_short_tells_what_was_done() {
        let choice = Choice { inferences: 200, is_in_rounds: true, ..Choice::default() };
        for (done, told, begun) in [
            ([200, 200], "200 with each model, after one to warm up", "10"),
            (
                [45, 40],
                "45 with small, 40 with medium, of 200 with each model, after one to warm up",
                "3 of 10",
            ),
            ([5, 0], "5 with small, 0 with medium, of 200 with each model, after one to warm up", "1 of 10"),
        ] {
            let models: Vec<Measured> = ["small", "medium"]
                .into_iter()
                .zip(done)
                .filter(|(_, n)| *n > 0)
                .map(|(name, n)| of(name, n))
                .collect();
            assert_eq!(inferences(&choice, &models), told);
            assert_eq!(rounds(&choice, &models), begun);
        }
    }

    #[test]
    fn what_scores_were_held_against_is_told() {
        let sizes = vec![Size::Preset(Preset::Small)];
        let choice = Choice { sizes, ..Choice::default() };
        let right = of("small", 3);
        let wrong = Measured { is_right: false, ..right.clone() };
        assert_eq!(
            checked(&choice, std::slice::from_ref(&right)),
            "the scores of 1 of 1 model agree with candle's own operations"
        );
        assert!(checked(&choice, &[right, wrong]).starts_with("the scores of 1 of 2 models agree"));
    }
}
