//! One program with one scope faster: what that really gives, what an experiment says, and what the recorded timeline says.

use std::time::Instant;

use calor::causal::experiment;
use calor_analysis::{CriticalPath, Speedup};
use harness::Figures;

use crate::programs::Program;
use crate::work::Work;

/// What is made faster.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) program: &'static Program,
    pub(crate) scope: &'static str,
    pub(crate) factor: f64,
}

pub(crate) fn measured(case: &Case) -> Result<Figures, String> {
    let Case { program, scope, factor } = *case;
    let Replayed { gain: replayed, path } = replayed(case)?;
    calor::enable_with(&calor::Options::new());
    let really = |faster| {
        let began = Instant::now();
        (program.run)(Work { faster });
        began.elapsed().as_secs_f64()
    };
    let tried = |factor| {
        let outcome = experiment(scope, factor, || (program.run)(Work::default()));
        outcome.map(|((), tried)| tried).map_err(|error| error.to_string())
    };
    // Threads get used to doing without a timeline.
    really(None);
    let (before, without) = (really(None), tried(1.0)?);
    let (after, with) = (really(Some((scope, factor))), tried(factor)?);
    let gain = |before: f64, after: f64| 100.0 * (1.0 - after / before);
    Ok(Figures::default()
        .with("truth", gain(before, after))
        .with("tried", gain(without.effective.as_secs_f64(), with.effective.as_secs_f64()))
        .with("replayed", replayed)
        .with("path", path)
        .with("predicted", 100.0 * ((100.0 - replayed) / (100.0 - gain(before, after)) - 1.0).abs())
        .with("slowed", with.wall.as_secs_f64() / without.wall.as_secs_f64()))
}

/// What `calor whatif` says to a recording.
struct Replayed {
    /// Of the whole run, in percent.
    gain: f64,
    /// How much the critical path differs from what the clock said, in percent.
    path: f64,
}

/// Threads have their memory from it when the others run.
fn replayed(case: &Case) -> Result<Replayed, String> {
    calor::enable_with(&calor::Options::new().timeline(true));
    // The first run of all makes the rings of the timeline, which takes time.
    (case.program.run)(Work::default());
    calor::reset();
    let began = Instant::now();
    (case.program.run)(Work::default());
    let wall = began.elapsed().as_secs_f64();
    let profile = calor::snapshot();
    let path = CriticalPath::of(&profile).map_err(|error| error.to_string())?;
    let asked = [Speedup { scope: case.scope.to_owned(), factor: case.factor }];
    let found = path.what_if(&profile, &asked).map_err(|error| error.to_string())?;
    Ok(Replayed {
        gain: 100.0 * (1.0 - 1.0 / found.overall),
        path: 100.0 * (path.nanos() as f64 * 1e-9 / wall - 1.0).abs(),
    })
}
