//! What a run tells: figures, a table for each data, the Pareto fronts as charts, advice.

use calor_analysis::quantity;
use calor_report::bench::{Axis, Bench, Chart, ChartKind, Column, Figure, Params, Point, Series, Table};

use super::front::front;
use super::{Algorithm, Block, Choice, Measured, Pace, Source, advice};

/// The page of what was measured of each source.
pub(super) fn page(choice: &Choice, sources: &[Source], cases: &[Vec<Measured>], is_complete: bool) -> Bench {
    let mut bench = Bench::new("compression", "Compressors side by side");
    facts(choice, sources, &mut bench);
    for (source, measured) in sources.iter().zip(cases) {
        for case in measured {
            bench.figures.extend(figures(source, case));
            if !case.is_verified {
                let (setting, block) = (case.setting, case.block);
                bench.warn(
                    "not_verified",
                    format!(
                        "{setting} did not give back {} in blocks of {block} as it was: do not use it",
                        source.name
                    ),
                );
            }
        }
        if !measured.is_empty() {
            bench.tables.push(table(source, measured));
            bench.charts.extend(charts(source, measured));
        }
    }
    let verdicts = advice::verdicts(choice, sources, cases);
    bench.tables.extend(advice::table(&verdicts));
    bench.advice = advice::advice(choice, &verdicts);
    warn(sources, cases, is_complete, &mut bench);
    bench
}

fn facts(choice: &Choice, sources: &[Source], bench: &mut Bench) {
    let mut seen: Vec<Algorithm> = Vec::new();
    for algorithm in &choice.algorithms {
        if !seen.contains(algorithm) {
            bench.fact(algorithm.name(), algorithm.library());
            seen.push(*algorithm);
        }
    }
    for source in sources {
        let size = quantity::bytes(source.data.len() as u64);
        let told = match (source.corpus, source.sampled_from) {
            (Some(_), _) => format!("{size}, made up from seed {}", choice.seed),
            (None, Some(whole)) => {
                format!("{size} in 16 pieces spread evenly over {}", quantity::bytes(whole))
            }
            (None, None) => size,
        };
        bench.fact(source.name.clone(), told);
    }
    bench.fact("clock", "CPU time of one thread, in memory; 1 MB is 1,000,000 bytes of data");
    let mut ways: Vec<(&str, Vec<&str>)> = Vec::new();
    for algorithm in &seen {
        let way = algorithm.told_gauge();
        match ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, names)) => names.push(algorithm.name()),
            None => ways.push((way, vec![algorithm.name()])),
        }
    }
    let ways: Vec<String> = ways.iter().map(|(way, names)| format!("{}: {way}", names.join(", "))).collect();
    bench.fact("memory", format!("without input and output; {}", ways.join("; ")));
}

fn params(source: &Source, case: &Measured) -> Params {
    let mut params = Params::from([
        ("data".to_owned(), source.name.clone().into()),
        ("algorithm".to_owned(), case.setting.algorithm.name().into()),
        ("block".to_owned(), case.block.to_string().into()),
        ("bytes_in".to_owned(), case.bytes_in.into()),
        ("bytes_out".to_owned(), case.bytes_out.into()),
    ]);
    params.extend(case.setting.level.map(|level| ("level".to_owned(), level.into())));
    params
}

/// Megabytes a second in each repetition.
fn speeds(pace: &Pace, bytes: usize) -> Vec<f64> {
    pace.nanos_per_byte(bytes).into_iter().map(|nanos| 1e3 / nanos).collect()
}

fn figures(source: &Source, case: &Measured) -> Vec<Figure> {
    let params = params(source, case);
    let speed = |name: &str, pace: &Pace| {
        let figure = Figure::of(name, params.clone(), "MB/s", &speeds(pace, case.bytes_in));
        figure.map(|figure| figure.verified(case.is_verified))
    };
    let ratio = Figure::of("ratio", params.clone(), "times smaller", &[case.ratio()]);
    let memory = |name: &str, bytes: Option<u64>| Figure::of(name, params.clone(), "bytes", &[bytes? as f64]);
    let figures = [
        speed("compress", &case.compress),
        speed("decompress", &case.decompress),
        ratio.map(|figure| figure.verified(case.is_verified)),
        memory("compress memory", case.compress_memory),
        memory("decompress memory", case.decompress_memory),
    ];
    figures.into_iter().flatten().collect()
}

/// One of the two ways.
type Way = fn(&Measured) -> &Pace;

/// The points of one size of blocks: speed of a way against ratio.
fn points(measured: &[&Measured], pace: Way) -> Vec<(f64, f64)> {
    let point = |case: &&Measured| {
        let figure = Figure::of("", Params::new(), "", &speeds(pace(case), case.bytes_in));
        (figure.map_or(0.0, |figure| figure.median), case.ratio())
    };
    measured.iter().map(point).collect()
}

fn of_block(measured: &[Measured], block: Block) -> Vec<&Measured> {
    measured.iter().filter(|case| case.block == block && case.is_verified).collect()
}

fn table(source: &Source, measured: &[Measured]) -> Table {
    let is_all_equal = measured.iter().all(|case| case.is_verified);
    let columns = [
        Column::text("algorithm"),
        Column::text("block"),
        Column::number("ratio"),
        Column::number("compress MB/s"),
        Column::number("decompress MB/s"),
        Column::number("memory to compress").dispensable(2),
        Column::number("memory to decompress").dispensable(3),
        Column::text("front").dispensable(1),
    ];
    // What is the same everywhere is said once.
    let trip = (!is_all_equal).then(|| Column::text("round trip"));
    let mut table = Table::new(source.name.clone(), columns.into_iter().chain(trip));
    for case in measured {
        let together = of_block(measured, case.block);
        let place = together.iter().position(|other| std::ptr::eq(*other, case));
        let is_on = |pace| place.is_some_and(|place| front(&points(&together, pace))[place]);
        let way = |pace: &Pace| {
            let figure = Figure::of("", Params::new(), "", &speeds(pace, case.bytes_in));
            figure.map_or("?".to_owned(), |figure| {
                let off = (figure.high - figure.median).max(figure.median - figure.low) / figure.median;
                format!("{} ±{:.1} %", three_digits(figure.median), 100.0 * off)
            })
        };
        let memory = |bytes: Option<u64>| bytes.map_or("?".to_owned(), quantity::bytes);
        let on = match (is_on(|case| &case.compress), is_on(|case| &case.decompress)) {
            (true, true) => "both",
            (true, false) => "compress",
            (false, true) => "decompress",
            (false, false) => "",
        };
        let trip = (!is_all_equal).then(|| if case.is_verified { "equal" } else { "DIFFERS" }.to_owned());
        let cells = [
            case.setting.to_string(),
            case.block.to_string(),
            format!("{:.3}", case.ratio()),
            way(&case.compress),
            way(&case.decompress),
            memory(case.compress_memory),
            memory(case.decompress_memory),
            on.to_owned(),
        ];
        table.rows.push(cells.into_iter().chain(trip).collect());
    }
    let mut note = "Medians; ± is how far the 95 % interval of the median reaches, of fewer than six repetitions how far the \
                    values do. Front: nothing measured in the same blocks is both faster and smaller, compressing, \
                    decompressing or both."
        .to_owned();
    if is_all_equal {
        note += " All of it came back byte for byte.";
    }
    table.note = Some(note);
    table
}

/// Three significant digits, all of those before the point.
fn three_digits(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// The fronts of both ways, in the largest blocks.
fn charts(source: &Source, measured: &[Measured]) -> Vec<Chart> {
    let Some(block) = measured.iter().map(|case| case.block).max() else { return Vec::new() };
    let together = of_block(measured, block);
    let ways: [(&str, Way); 2] =
        [("compress", |case| &case.compress), ("decompress", |case| &case.decompress)];
    // One point is no front.
    let ways = ways.into_iter().filter(|_| together.len() > 1);
    ways.map(|(way, pace)| {
        let points = points(&together, pace);
        let mut named: Vec<(Algorithm, Point)> = Vec::new();
        let mut best: Vec<Point> = Vec::new();
        for ((case, (x, y)), is_on) in together.iter().zip(&points).zip(front(&points)) {
            let point = Point { x: *x, y: *y, label: Some(case.setting.to_string()) };
            named.push((case.setting.algorithm, point.clone()));
            best.extend(is_on.then_some(point));
        }
        best.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut series = vec![Series { name: "front".to_owned(), points: best, is_front: true }];
        for algorithm in Algorithm::ALL {
            let of = named.iter().filter(|(of, _)| *of == algorithm);
            let points: Vec<Point> = of.map(|(_, point)| point.clone()).collect();
            if !points.is_empty() {
                series.push(Series { name: algorithm.name().to_owned(), points, is_front: false });
            }
        }
        Chart {
            title: format!("{}: ratio against the speed to {way}", source.name),
            kind: ChartKind::Points,
            x: Axis::log(format!("{way} MB/s")),
            y: Axis::linear("ratio"),
            series,
            note: Some(format!(
                "Blocks: {block}. Nothing measured is faster and smaller than what is on the front."
            )),
        }
    })
    .collect()
}

fn warn(sources: &[Source], cases: &[Vec<Measured>], is_complete: bool, bench: &mut Bench) {
    if !is_complete {
        bench.warn("incomplete", "the run was ended early: cases that were not reached are missing");
    }
    if cases.iter().flatten().any(|case| case.compress_memory.is_none()) {
        bench.warn(
            "memory_unknown",
            "the memory of deflate, gzip and snappy is not known on this system: its allocator does not tell",
        );
    }
    for source in sources.iter().filter(|source| source.sampled_from.is_some()) {
        let size = quantity::bytes(source.data.len() as u64);
        bench.warn(
            "sampled",
            format!("{}: only a sample of {size} was compressed; --sample 1G takes up to 1 GiB", source.name),
        );
    }
}
