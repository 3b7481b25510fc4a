//! What a run tells people: what it ran on, tables by size and by tier, charts, and what follows.

use calor_report::bench::{Axis, Bench, Chart, ChartKind, Column, Point, Series, Table};

use super::blas::Blas;
use super::case::{Outcome, Variant};
use super::run::MOST_NAIVE;
use super::{Choice, Dtype, Kernel, Level, advice};

/// The page but for the figures.
pub(crate) fn bench(choice: &Choice, outcomes: &[Outcome], blas: Option<&Blas>) -> Bench {
    let mut bench = Bench::new("simd", "SIMD kernels");
    facts(&mut bench, choice, outcomes, blas);
    for &dtype in &choice.dtypes {
        let of: Vec<&Outcome> = outcomes.iter().filter(|it| it.case.dtype == dtype).collect();
        let (products, others): (Vec<&Outcome>, Vec<&Outcome>) =
            of.into_iter().partition(|it| it.case.kernel == Kernel::Matmul);
        if !products.is_empty() {
            bench.tables.push(table_of_products(dtype, &products));
            bench.charts.push(chart_of_products(dtype, &products));
        }
        if !others.is_empty() {
            bench.tables.push(table_of_vectors(dtype, &others));
            bench.charts.push(chart_of_vectors(dtype, &others, choice));
        }
    }
    bench.advice = advice::advice(outcomes, blas);
    warn(&mut bench, choice, outcomes, blas);
    bench
}

fn facts(bench: &mut Bench, choice: &Choice, outcomes: &[Outcome], blas: Option<&Blas>) {
    let levels: Vec<&str> = Level::here().skip(1).map(Level::word).collect();
    if let Some(roof) = &choice.roof {
        bench.fact("processor", roof.cpu.clone());
    }
    bench.fact("vectors", if levels.is_empty() { "none".to_owned() } else { levels.join(", ") });
    bench.fact("threads", choice.threads.to_string());
    if choice.kernels.contains(&Kernel::Matmul) {
        bench.fact("BLAS", blas.map_or("none was found", |blas| &blas.name));
    }
    let n_right = outcomes.iter().filter(|outcome| outcome.is_right).count();
    bench
        .fact("checked", format!("{n_right} of {} cases agree with plain 64-bit arithmetic", outcomes.len()));
}

fn warn(bench: &mut Bench, choice: &Choice, outcomes: &[Outcome], blas: Option<&Blas>) {
    let wrong: Vec<String> = outcomes.iter().filter(|it| !it.is_right).map(|it| it.case.name()).collect();
    if !wrong.is_empty() {
        let message = format!("wrong results: {}; their rates mean nothing", wrong.join(", "));
        bench.warn("wrong_result", message);
    }
    if choice.roof.is_none() {
        bench.warn("no_roof", "the machine was not measured: parts of its roofs are missing");
    }
    if blas.is_some_and(|blas| !blas.is_single_threaded) {
        let message = "this BLAS cannot be told to work with one thread: its rates may be of several";
        bench.warn("blas_threads", message);
    }
    let has_none = outcomes.iter().all(|outcome| outcome.vectors.is_none());
    if has_none {
        bench.warn(
            "no_disassembly",
            "the machine code of the kernels cannot be read here: vector classes are null",
        );
    }
}

/// Rates by way and size.
fn table_of_products(dtype: Dtype, outcomes: &[&Outcome]) -> Table {
    let sizes = sorted(outcomes.iter().map(|it| it.case.size));
    let columns = [Column::text("matmul"), Column::text("vectors").dispensable(1)];
    let columns = columns.into_iter().chain(sizes.iter().map(|size| Column::number(size.to_string())));
    let mut table = Table::new(format!("matmul {}: GFLOP/s (% of roof)", dtype.word()), columns);
    for variant in sorted(outcomes.iter().map(|it| it.case.variant)) {
        let of: Vec<&&Outcome> = outcomes.iter().filter(|it| it.case.variant == variant).collect();
        let cell = |size: &usize| of.iter().find(|it| it.case.size == *size).map(|it| rate(it, "GFLOP/s"));
        let vectors = of.iter().find_map(|it| it.vectors.clone());
        let cells = sizes.iter().map(|size| cell(size).unwrap_or_default());
        table.rows.push(
            [variant.word().to_owned(), vectors.unwrap_or_default()].into_iter().chain(cells).collect(),
        );
    }
    let mut note = "Vectors are those of the machine code. One thread".to_owned();
    if outcomes.iter().any(|it| it.case.variant == Variant::Parallel) {
        note += " but for parallel";
    }
    if sizes.iter().any(|size| *size > MOST_NAIVE) {
        note += &format!("; naive up to {MOST_NAIVE} alone");
    }
    table.note = Some(note + "." + &no_roof_of_threads(outcomes));
    table
}

/// Rates by kernel, way and footprint.
fn table_of_vectors(dtype: Dtype, outcomes: &[&Outcome]) -> Table {
    let n_columns = outcomes.iter().map(|it| place(it, outcomes)).max().map_or(0, |most| most + 1);
    let heading = |at: usize| {
        let there: Vec<&&Outcome> = outcomes.iter().filter(|it| place(it, outcomes) == at).collect();
        let tiers = sorted(there.iter().filter_map(|it| it.tier.clone()));
        let sizes = sorted(there.iter().map(|it| it.case.size));
        match (&tiers[..], &sizes[..]) {
            (_, [size]) => size.to_string(),
            ([tier], _) => tier.clone(),
            _ => format!("size {}", at + 1),
        }
    };
    let columns = [Column::text("kernel"), Column::text("way"), Column::text("vectors").dispensable(1)];
    let columns = columns.into_iter().chain((0..n_columns).map(|at| Column::number(heading(at))));
    let mut table = Table::new(format!("vectors {}: GB/s (% of roof)", dtype.word()), columns);
    for kernel in sorted(outcomes.iter().map(|it| it.case.kernel)) {
        for variant in sorted(outcomes.iter().map(|it| it.case.variant)) {
            let of: Vec<&&Outcome> =
                outcomes.iter().filter(|it| it.case.kernel == kernel && it.case.variant == variant).collect();
            let Some(first) = of.first() else { continue };
            let mut row = vec![kernel.word().to_owned(), variant.word().to_owned()];
            row.push(first.vectors.clone().unwrap_or_default());
            row.extend((0..n_columns).map(|at| {
                let there = of.iter().find(|it| place(it, outcomes) == at);
                there.map(|it| rate(it, "GB/s")).unwrap_or_default()
            }));
            table.rows.push(row);
        }
    }
    let note =
        "The roof is the slower of arithmetic and reading the input from the tier of memory that holds it.";
    table.note = Some(note.to_owned() + &no_roof_of_threads(outcomes));
    table
}

/// What to do for the roof of several threads, where it is missing.
fn no_roof_of_threads(outcomes: &[&Outcome]) -> String {
    let is_without = |it: &&&Outcome| it.case.threads > 1 && it.median("% of roof").is_none();
    let is_known = outcomes.iter().any(|it| it.median("% of roof").is_some());
    match is_known && outcomes.iter().any(|it| is_without(&it)) {
        true => " Several threads have no % of roof where that of all cores, or of the tier that holds their data, is not known: \
                 `calor machine` shows what is, and `calor machine --fresh` measures all cores anew."
            .to_owned(),
        false => String::new(),
    }
}

/// Which of the sizes of its kernel this is.
fn place(outcome: &Outcome, outcomes: &[&Outcome]) -> usize {
    let same = outcomes.iter().filter(|it| it.case.kernel == outcome.case.kernel);
    let sizes = sorted(same.map(|it| it.case.size));
    sizes.iter().position(|size| *size == outcome.case.size).unwrap_or(0)
}

fn rate(outcome: &Outcome, unit: &str) -> String {
    let Some(rate) = outcome.median(unit) else { return String::new() };
    let rate = match rate {
        rate if rate < 9.995 => format!("{rate:.2}"),
        rate if rate < 99.95 => format!("{rate:.1}"),
        rate => format!("{rate:.0}"),
    };
    match outcome.median("% of roof") {
        Some(part) => format!("{rate} ({part:.0} %)"),
        None => rate,
    }
}

fn chart_of_products(dtype: Dtype, outcomes: &[&Outcome]) -> Chart {
    let series = sorted(outcomes.iter().map(|it| it.case.variant)).into_iter().map(|variant| {
        let of = outcomes.iter().filter(|it| it.case.variant == variant);
        line(variant.word(), of.map(|it| (it.case.size as f64, it, "GFLOP/s")))
    });
    Chart {
        title: format!("matmul {}: GFLOP/s by size", dtype.word()),
        kind: ChartKind::Lines,
        x: Axis::log("rows and columns"),
        y: Axis::log("GFLOP/s"),
        series: series.collect(),
        note: None,
    }
}

fn chart_of_vectors(dtype: Dtype, outcomes: &[&Outcome], choice: &Choice) -> Chart {
    let footprint = |it: &Outcome| it.case.kernel.footprint(dtype, it.case.size) as f64;
    let best = |it: &&&Outcome| {
        let others = outcomes.iter().filter(|other| {
            let is_level = matches!(other.case.variant, Variant::Level(_));
            is_level && other.case.kernel == it.case.kernel
        });
        Some(it.case.variant) == others.map(|other| other.case.variant).max()
    };
    let mut series: Vec<Series> = sorted(outcomes.iter().map(|it| it.case.kernel))
        .into_iter()
        .map(|kernel| {
            let of = outcomes.iter().filter(|it| it.case.kernel == kernel).filter(best);
            line(kernel.word(), of.map(|it| (footprint(it), it, "GB/s")))
        })
        .collect();
    let ends = outcomes.iter().map(|it| footprint(it));
    let (least, most) = (ends.clone().fold(f64::INFINITY, f64::min), ends.fold(0.0, f64::max));
    let mut from = least;
    for tier in choice.roof.iter().flat_map(|roof| &roof.tiers) {
        let to = if tier.is_main_memory() {
            most
        } else {
            tier.bytes.map_or(most, |bytes| bytes as f64).min(most)
        };
        if to <= from {
            continue;
        }
        let rate = tier.bytes_per_s / 1e9;
        let named = Point { x: from, y: rate, label: Some(format!("{}: {rate:.0} GB/s", tier.name)) };
        let points = vec![named, Point { x: to, y: rate, label: None }];
        series.push(Series { name: tier.name.clone(), points, is_front: true });
        from = to;
    }
    Chart {
        title: format!("vectors {}: GB/s by footprint", dtype.word()),
        kind: ChartKind::Lines,
        x: Axis::log("bytes").of_bytes(),
        y: Axis::log("GB/s"),
        series,
        note: Some(
            "Each kernel with its widest vectors, on one thread, by what it reads and writes. The level lines are what `calor \
             machine` measured of each tier of memory; what is written over what was read can be above them."
                .to_owned(),
        ),
    }
}

fn line<'o>(name: &str, points: impl Iterator<Item = (f64, &'o &'o Outcome, &'static str)>) -> Series {
    let mut points: Vec<Point> = points
        .filter_map(|(x, outcome, unit)| {
            let y = outcome.median(unit)?;
            Some(Point { x, y, label: Some(format!("{}: {y:.1} {unit}", outcome.case.name())) })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    Series { name: name.to_owned(), points, is_front: false }
}

fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}
