//! Part `compression`: our figures beside `zstd -b` and `lz4 -b`, in turns: the same files, levels and blocks. The tools print
//! what a second each way comes to, so ours is the mean of as long a run; the best of all rounds is compared with the best, and
//! the median of the rounds with the median. Theirs is by the clock on the wall and ours by the CPU's: rounds in which a tool had to
//! share its processor are measured again, and do not count. In a round both run on one processor, in the next on another. The
//! tools are built from the sources that Debian has, with the flags that the libraries of Rust programs have, and the lock file of
//! this area has those libraries in the versions of Debian 12: what is compared is how we measure, not what a newer version,
//! another compiler or other flags are worth.

mod peer;

use std::time::Duration;

use calor_workloads::compression::{Algorithm, Block, Corpus, Setting, Source, measure as measured};
use calor_workloads::repeat::Plan;
use harness::{Arguments, Bound, Folder, Goal, Processors, Table, number};

use crate::part::{Part, Told, nobody};
use peer::Speeds;

pub(crate) const PART: Part =
    Part { name: "compression", about: "figures beside zstd -b and lz4 -b", measure, be: nobody };

const ROUNDS: usize = 4;
const BYTES: usize = 4 << 20;
const BYTES_QUICK: usize = 1 << 20;
const SEED: u64 = 2025;
/// What the tools take each way.
const SECOND: Duration = Duration::from_secs(1);
/// A tool that had less of a processor was kept from it, and tells a speed that is too low.
const LEAST_PROCESSOR: f64 = 0.97;
/// How often a round is tried until the tool has its processor.
const TRIES: usize = 3;
/// How far figures may be apart, in percent.
const MOST_APART: f64 = 10.0;

const SMALL: Block = Block::Bytes(4 << 10);
const MIDDLE: Block = Block::Bytes(64 << 10);
/// Levels and blocks: each takes four seconds in a round.
const ZSTD: [(i32, Block); 6] =
    [(1, Block::All), (3, SMALL), (3, MIDDLE), (3, Block::All), (9, Block::All), (15, Block::All)];
const LZ4: [(i32, Block); 4] = [(1, SMALL), (1, MIDDLE), (1, Block::All), (9, Block::All)];

struct Case {
    source: usize,
    setting: Setting,
    block: Block,
    /// Of each round in which the tool had its processor, theirs and ours.
    rounds: Vec<[Speeds; 2]>,
    /// The most of a processor that the tool had in the others.
    kept: Option<f64>,
}

fn measure(arguments: &Arguments) -> Result<Told, String> {
    let (corpora, length) = if arguments.is_quick {
        (&[Corpus::Text][..], BYTES_QUICK)
    } else {
        (&[Corpus::Text, Corpus::Int8][..], BYTES)
    };
    let sources: Vec<Source> = corpora.iter().map(|corpus| Source::made(*corpus, SEED, length)).collect();
    let folder = Folder::new("compression")?;
    let files: Vec<_> = (0..sources.len()).map(|at| folder.path().join(format!("data-{at}"))).collect();
    for (source, file) in sources.iter().zip(&files) {
        std::fs::write(file, &source.data)
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    let mut told = Told::default();
    let processors = Processors::of_thread();
    for (algorithm, settings) in [(Algorithm::Zstd, &ZSTD[..]), (Algorithm::Lz4, &LZ4[..])] {
        let tool = match peer::Peer::of(algorithm) {
            Ok(tool) => tool,
            Err(message) => {
                told.page += &format!("{algorithm} -b not measured: {message}\n\n");
                continue;
            }
        };
        let mut cases = cases(sources.len(), algorithm, settings);
        for round in 0..arguments.n_rounds(ROUNDS) {
            eprintln!("round {}: {algorithm}", round + 1);
            processors.of_round(round);
            for case in &mut cases {
                let ours = ours(&sources[case.source], case.setting, case.block)?;
                for _ in 0..TRIES {
                    let theirs = tool.speeds(&files[case.source], case.setting, case.block)?;
                    if theirs.processor >= LEAST_PROCESSOR {
                        case.rounds.push([theirs.speeds, ours]);
                        break;
                    }
                    case.kept = Some(theirs.processor.max(case.kept.unwrap_or(0.0)));
                }
            }
        }
        told.page += &format!(
            "{} beside {}. MB/s, best of all rounds and median of the rounds.\n\n{}\n",
            algorithm.library(),
            tool.version,
            table(&cases, &sources)
        );
        let library = algorithm.library();
        let is_same = library.split_whitespace().last().is_some_and(|version| tool.version.contains(version));
        let problem = match cases.iter().find(|case| case.rounds.is_empty()) {
            _ if !is_same => Some(format!("{library} is not of the version of {}", tool.version)),
            Some(case) => Some(format!(
                "{algorithm} -b had at most {:.0} % of a processor: measure when nothing else runs",
                100.0 * case.kept.unwrap_or(0.0)
            )),
            None => None,
        };
        told.goals.extend(goals(algorithm, &cases).into_iter().map(|goal| match &problem {
            None => goal,
            Some(problem) => Goal { measured: Err(problem.clone()), ..goal },
        }));
    }
    Ok(told)
}

fn cases(n_sources: usize, algorithm: Algorithm, settings: &[(i32, Block)]) -> Vec<Case> {
    let mut cases = Vec::new();
    for source in 0..n_sources {
        for (level, block) in settings {
            let setting = Setting { algorithm, level: Some(*level) };
            cases.push(Case { source, setting, block: *block, rounds: Vec::new(), kept: None });
        }
    }
    cases
}

/// What a second each way comes to.
fn ours(source: &Source, setting: Setting, block: Block) -> Result<Speeds, String> {
    let plan = Plan { least: 3, most: 100_000, time: SECOND };
    let found = measured(setting, source, block, &plan).map_err(|error| error.to_string())?;
    if !found.is_verified {
        return Err(format!("{setting} did not give back {} as it was", source.name));
    }
    let mean = |nanos: Vec<f64>| 1e3 * nanos.len() as f64 / nanos.into_iter().sum::<f64>();
    Ok(Speeds {
        compress: mean(found.compress.nanos_per_byte(found.bytes_in)),
        decompress: mean(found.decompress.nanos_per_byte(found.bytes_in)),
        bytes: Some(found.bytes_out as u64),
    })
}

/// Theirs and ours: the best of all rounds, and the median.
fn both(case: &Case, way: fn(&Speeds) -> f64) -> [[f64; 2]; 2] {
    let side = |at: usize| {
        let mut values: Vec<f64> = case.rounds.iter().map(|round| way(&round[at])).collect();
        values.sort_by(f64::total_cmp);
        [values.last().copied().unwrap_or(f64::NAN), harness::median_of_sorted(&values)]
    };
    let [theirs, ours] = [side(0), side(1)];
    [[theirs[0], ours[0]], [theirs[1], ours[1]]]
}

const WAYS: [(&str, fn(&Speeds) -> f64); 2] =
    [("compress", |speeds| speeds.compress), ("decompress", |speeds| speeds.decompress)];

fn table(cases: &[Case], sources: &[Source]) -> Table {
    let mut table = Table::new([
        "compress, theirs",
        "ours",
        "best",
        "median",
        "decompress, theirs",
        "ours",
        "best",
        "median",
        "size",
    ]);
    for case in cases {
        let mut cells = Vec::new();
        for (_, way) in WAYS {
            let [best, median] = both(case, way);
            cells.extend([number(best[0], 0), number(best[1], 0)]);
            cells.extend([best, median].map(|[theirs, ours]| number(ours / theirs, 3)));
        }
        let sizes =
            case.rounds.first().and_then(|[theirs, ours]| Some(ours.bytes? as f64 / theirs.bytes? as f64));
        cells.extend(sizes.map(|sizes| number(sizes, 4)));
        let who = format!("{}, {}, {}", case.setting, sources[case.source].name, case.block);
        table.row(&who, cells.into_iter().map(Some));
    }
    table
}

/// The case that is furthest apart, each way, best and median.
fn goals(algorithm: Algorithm, cases: &[Case]) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (name, way) in WAYS {
        for (at, what) in ["best", "median"].into_iter().enumerate() {
            let apart = cases.iter().map(|case| {
                let [theirs, ours] = both(case, way)[at];
                100.0 * (ours / theirs - 1.0).abs()
            });
            goals.push(Goal {
                case: "compression",
                what: format!(
                    "{name} as told and as `{algorithm} -b` tells it, {what}, the case furthest apart"
                ),
                unit: "%",
                bound: Bound::AtMost(MOST_APART),
                measured: Ok(apart.fold(0.0, f64::max)),
            });
        }
    }
    goals
}
