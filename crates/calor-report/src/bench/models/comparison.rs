//! Models beside each other: what they are, what they took with ratios, whether time grew as their parameters did, and
//! where the time goes.

use calor_analysis::quantity::{bytes, count, duration, giga, percent, rate, times};
use calor_analysis::workload::{ModelGrowth, ModelPhase, ModelRun, ModelScaling, SIZES};

use crate::bench::{Advice, Axis, Bench, Chart, ChartKind, Column, Figure, Params, Point, Series, Table};

/// What was not measured.
const NONE: &str = "-";
/// Said where a percentile is not there though it was measured.
const LEFT_OUT: &str = " A report has no room for the percentiles of short scopes, which is why some are not here: give the profile itself.";
/// Operations that are listed.
const MOST_OPERATIONS: usize = 16;

/// Adds the comparison of its models to a page. Of a single model there is nothing to compare, and only the breakdown.
pub fn compare_models(models: &[ModelRun], bench: &mut Bench) {
    if models.is_empty() {
        return;
    }
    if models.len() > 1 {
        bench.tables.push(specifications(models));
        bench.tables.push(metrics(models));
        bench.tables.push(scaling(models));
        bench.advice.extend(models.windows(2).filter_map(|pair| verdict(&pair[0], &pair[1])));
        bench.figures.extend(models.windows(2).filter_map(|pair| efficiency_figure(&pair[0], &pair[1])));
    }
    bench.tables.push(breakdown(models));
    if let [small, .., large] = models {
        bench.tables.push(operations(small, large));
    }
    bench.charts.push(breakdown_chart(models));
}

/// A page with nothing but the comparison.
#[must_use]
pub fn models_page(models: &[ModelRun]) -> Bench {
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let mut bench = Bench::new("models", format!("Models compared: {}", names.join(", ")));
    for model in models {
        let params = Params::from([("model".to_owned(), model.name.as_str().into())]);
        bench.figures.extend(figures(model, &params));
    }
    bench.models = models.to_vec();
    models.iter().for_each(|model| warn_of_others(model, &mut bench));
    compare_models(models, &mut bench);
    bench
}

/// Whoever looks at such figures takes what others did for the model's own.
fn warn_of_others(model: &ModelRun, bench: &mut Bench) {
    let Some(lost) = model.disturbed() else { return };
    let message = format!(
        "the {} model was off the processor for {} of the time of its inferences, as where other programs run, processor time is \
         limited, or there are more threads than cores; that is in the figures of whatever operation waited then, `(between \
         operations)` among them",
        model.name,
        percent(lost)
    );
    bench.warn("disturbed", message);
}

fn figures(model: &ModelRun, params: &Params) -> Vec<Figure> {
    let phase = |case: &str, phase: &Option<ModelPhase>| {
        let phase = phase.as_ref()?;
        let median = phase.p50_ns?;
        let mut figure = Figure::of(case, params.clone(), "ns", &[median])?;
        figure.n = phase.calls;
        // The percentiles of a profile are of calls: the spread of the median itself is not in it.
        (figure.low, figure.high) = (f64::NAN, f64::NAN);
        Some(figure)
    };
    [phase("time to first token", &model.prefill), phase("time between tokens", &model.decode)]
        .into_iter()
        .flatten()
        .collect()
}

fn efficiency_figure(small: &ModelRun, large: &ModelRun) -> Option<Figure> {
    let scaling = ModelScaling::of(small, large)?;
    let between = format!("{} to {}", small.name, large.name);
    let params = Params::from([("models".to_owned(), between.into())]);
    let figure = Figure::of("scaling efficiency", params, "ratio", &[scaling.efficiency()])?;
    Some(match scaling.efficiency_interval() {
        Some([low, high]) => Figure { low, high, ..figure },
        None => figure,
    })
}

fn specifications(models: &[ModelRun]) -> Table {
    let mut table = beside("Specifications", "size", models);
    for name in SIZES {
        let cells = models.iter().map(|model| model.size(name).map_or(NONE.to_owned(), count));
        table.rows.push(row(name, cells, ratio_of(models, |model| model.size(name).map(|size| size as f64))));
    }
    let weights = |model: &ModelRun| model.size("parameters").map(|parameters| 4 * parameters);
    let cells = models.iter().map(|model| weights(model).map_or(NONE.to_owned(), bytes));
    let ratio = ratio_of(models, |model| weights(model).map(|size| size as f64));
    table.rows.push(row("weights (f32)", cells, ratio));
    table
}

/// How a figure is told.
type Shown = fn(f64) -> String;

fn metrics(models: &[ModelRun]) -> Table {
    let mut table = beside("Metrics side by side", "metric", models);
    type Value = fn(&ModelRun) -> Option<f64>;
    let rows: [(&str, Value, Shown); 10] = [
        ("inferences", |model| Some(model.inferences as f64), |n| count(n as u64)),
        ("tokens written", |model| Some(model.tokens as f64), |n| count(n as u64)),
        ("time of all", |model| Some(model.total_ns as f64), duration),
        ("time to first token, p50", |model| model.prefill.as_ref()?.p50_ns, duration),
        ("between all tokens, p50", |model| model.decode.as_ref()?.p50_ns, duration),
        ("between all tokens, p95", |model| model.decode.as_ref()?.p95_ns, duration),
        ("between all tokens, p99", |model| model.decode.as_ref()?.p99_ns, duration),
        ("tokens/s, all decoding", |model| tokens_per_s(model.decode.as_ref()?), rate),
        ("GFLOP/s, decode", |model| flops_per_s(model.decode.as_ref()?), giga),
        ("allocated", |model| model.allocated_bytes.map(|size| size as f64), |size| bytes(size as u64)),
    ];
    for (name, value, shown) in rows {
        if models.iter().all(|model| value(model).is_none()) {
            continue;
        }
        let cells = models.iter().map(|model| value(model).map_or(NONE.to_owned(), shown));
        table.rows.push(row(name, cells, ratio_of(models, value)));
    }
    let left_out = if models.iter().any(is_without_percentiles) { LEFT_OUT } else { "" };
    table.note = Some(format!(
        "Of all tokens of all inferences together, as the profile has them. A median over inferences, of the rate or of a percentile \
         within each, leaves the few that were disturbed out: it is another figure.{left_out}"
    ));
    table
}

/// Whether calls were timed whose percentiles went when a page had no room for them.
fn is_without_percentiles(model: &ModelRun) -> bool {
    [&model.prefill, &model.decode]
        .into_iter()
        .flatten()
        .any(|phase| phase.calls > 0 && phase.p50_ns.is_none())
}

fn scaling(models: &[ModelRun]) -> Table {
    let columns = ["parameters", "time of a token", "efficiency"].map(Column::number);
    let mut table = Table::new("Scaling", [Column::text("from, to")].into_iter().chain(columns));
    for pair in models.windows(2) {
        let Some(scaling) = ModelScaling::of(&pair[0], &pair[1]) else { continue };
        let name = format!("{} to {}", pair[0].name, pair[1].name);
        let efficiency = percent(scaling.efficiency());
        let efficiency = match scaling.efficiency_interval() {
            Some([low, high]) => format!("{efficiency} ({} to {})", percent(low), percent(high)),
            None => efficiency,
        };
        let cells = [times(scaling.parameters), times(scaling.time), efficiency];
        table.rows.push([name].into_iter().chain(cells).collect());
    }
    table.note = Some(
        "Efficiency is the ratio of parameters by the ratio of times: at 100 % a parameter costs the same in both, above \
         it costs less in the larger model. In brackets: as far as eight of ten inferences of either allow."
            .to_owned(),
    );
    table
}

fn verdict(small: &ModelRun, large: &ModelRun) -> Option<Advice> {
    let scaling = ModelScaling::of(small, large)?;
    let both = format!(
        "{} has {} the parameters of {} and takes {} the time for a token",
        large.name,
        times(scaling.parameters),
        small.name,
        times(scaling.time)
    );
    let (title, why) = match scaling.growth() {
        ModelGrowth::Less => (
            "Time grows less than parameters.",
            "a likely reason is that what a token costs beside its arithmetic, such as calls and small operations, weighs less there",
        ),
        ModelGrowth::More => (
            "Time grows more than parameters.",
            "a parameter costs more there, as where weights come from a slower tier of memory, or where other programs had the \
             processor: `calor roofline` holds both against the roof",
        ),
        ModelGrowth::Proportional => ("Time grows as parameters do.", "a parameter costs the same in both"),
        ModelGrowth::Open => (
            "Whether time grows as parameters do cannot be told.",
            "inferences differ by more than that; run more of them on a quiet machine, with --inferences",
        ),
    };
    let token = |model: &ModelRun| {
        Some(format!(
            "{}: {} a token, {} parameters",
            model.name,
            duration(model.token_ns()?),
            count(model.size("parameters")?)
        ))
    };
    let evidence = [small, large].into_iter().filter_map(token).collect();
    Some(Advice { title: title.to_owned(), text: format!("{both}: {why}."), evidence })
}

fn breakdown(models: &[ModelRun]) -> Table {
    let heads = models.iter().flat_map(|model| [model.name.clone(), format!("part of {}", model.name)]);
    let mut table = Table::new(
        "Forward pass breakdown",
        [Column::text("operation")].into_iter().chain(heads.map(Column::number)),
    );
    for name in operation_names(models) {
        let cells = models.iter().flat_map(|model| match own(model, &name) {
            Some(own) => {
                [duration(per_token(model, own)), percent(own as f64 / model.total_ns.max(1) as f64)]
            }
            None => [NONE.to_owned(), NONE.to_owned()],
        });
        table.rows.push([name.clone()].into_iter().chain(cells).collect());
    }
    table.note = Some(
        "Own time for each token that was written, prompts included. `(between operations)` is what is in no operation: what joins \
         them, recording, and waits for a processor there."
            .to_owned(),
    );
    table
}

fn breakdown_chart(models: &[ModelRun]) -> Chart {
    let series = models.iter().map(|model| Series {
        name: model.name.clone(),
        points: operation_names(models)
            .into_iter()
            .take(8)
            .filter_map(|name| {
                let y = 100.0 * own(model, &name)? as f64 / model.total_ns.max(1) as f64;
                Some(Point { x: 0.0, y, label: Some(name) })
            })
            .collect(),
        is_front: false,
    });
    Chart {
        title: "Where a forward pass spends its time".to_owned(),
        kind: ChartKind::Bars,
        x: Axis::linear("operation"),
        y: Axis::linear("%"),
        series: series.collect(),
        note: None,
    }
}

/// How each operation grew: what it has to do for a token, and what it takes.
fn operations(small: &ModelRun, large: &ModelRun) -> Table {
    let columns = ["work", "time", "efficiency"].map(Column::number);
    let title = format!("Scaling by operation, {} to {}", small.name, large.name);
    let mut table = Table::new(title, [Column::text("operation")].into_iter().chain(columns));
    let both = [small.clone(), large.clone()];
    for name in operation_names(&both) {
        let row_of = |model: &ModelRun| model.operations.iter().find(|row| row.name == name).cloned();
        let (Some(before), Some(after)) = (row_of(small), row_of(large)) else { continue };
        let grown = |before: u64, after: u64| {
            let [before, after] = [per_token(small, before), per_token(large, after)];
            (before > 0.0 && after > 0.0).then(|| after / before)
        };
        let work = grown(before.flops, after.flops).or_else(|| grown(before.bytes, after.bytes));
        let time = grown(before.own_ns, after.own_ns);
        let efficiency = work.zip(time).map(|(work, time)| work / time);
        let cells = [work.map(times), time.map(times), efficiency.map(percent)];
        table
            .rows
            .push([name].into_iter().chain(cells.map(|cell| cell.unwrap_or(NONE.to_owned()))).collect());
    }
    table.note = Some(
        "How many times as much for each token that was written, prompts included; work is floating-point operations, or bytes where \
         an operation tells none. Below 100 % an operation became dearer by more than its work."
            .to_owned(),
    );
    table
}

/// The operations that take the largest part of any model, largest first.
fn operation_names(models: &[ModelRun]) -> Vec<String> {
    let mut names: Vec<(String, f64)> = Vec::new();
    for model in models {
        for row in &model.operations {
            let part = row.own_ns as f64 / model.total_ns.max(1) as f64;
            match names.iter_mut().find(|(name, _)| *name == row.name) {
                Some((_, most)) => *most = most.max(part),
                None => names.push((row.name.clone(), part)),
            }
        }
    }
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    names.into_iter().take(MOST_OPERATIONS).map(|(name, _)| name).collect()
}

fn own(model: &ModelRun, name: &str) -> Option<u64> {
    model.operations.iter().find(|row| row.name == name).map(|row| row.own_ns)
}

fn per_token(model: &ModelRun, nanos: u64) -> f64 {
    nanos as f64 / model.tokens.max(1) as f64
}

fn tokens_per_s(phase: &ModelPhase) -> Option<f64> {
    (phase.total_ns > 0).then(|| phase.calls as f64 * 1e9 / phase.total_ns as f64)
}

fn flops_per_s(phase: &ModelPhase) -> Option<f64> {
    (phase.total_ns > 0 && phase.flops > 0).then(|| phase.flops as f64 * 1e9 / phase.total_ns as f64)
}

/// A table with a column for each model, and a last one for ratios where there are two.
fn beside(title: &str, subject: &str, models: &[ModelRun]) -> Table {
    let mut columns = vec![Column::text(subject)];
    columns.extend(models.iter().map(|model| Column::number(model.name.clone())));
    columns.push(Column::number("ratio"));
    Table::new(title, columns)
}

fn row(name: &str, cells: impl Iterator<Item = String>, ratio: String) -> Vec<String> {
    [name.to_owned()].into_iter().chain(cells).chain([ratio]).collect()
}

/// The last model's figure by the first one's.
fn ratio_of(models: &[ModelRun], value: impl Fn(&ModelRun) -> Option<f64>) -> String {
    let ends = models.first().and_then(&value).zip(models.last().and_then(&value));
    let ratio = ends.map(|(first, last)| last / first).filter(|ratio| ratio.is_finite());
    ratio.map_or(NONE.to_owned(), times)
}
