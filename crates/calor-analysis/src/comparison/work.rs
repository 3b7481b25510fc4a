//! How fast scopes got through what they told to have worked on, before and after: of a kernel the rate says more than the
//! time, since it does not change with the size of the work.

use std::collections::BTreeMap;

use calor_model::Profile;

use super::repeated::CpuParts;
use super::{ComparedRun, ComparisonOptions, parts};
use crate::{Change, CommonFactor, DifferenceOptions, FigureDifference, Given, Verdict, figure_differences};

/// What scopes of one name worked on in a run, or in several.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Worked {
    flops: f64,
    bytes: f64,
    nanos: f64,
}

/// The same by side and run.
type WorkedInRuns = [Vec<Worked>; 2];

/// Rates of one scope, before and after; `None` where nothing was told.
#[derive(Clone, PartialEq, Debug)]
pub struct Rates {
    /// The scope.
    pub name: String,
    /// Floating-point operations.
    pub flops: Option<Rate>,
    /// Bytes.
    pub bytes: Option<Rate>,
}

/// One rate of a scope.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rate {
    /// All runs of a side together; `None` where it was not told on that side.
    pub per_second: [Option<f64>; 2],
    /// By how much it became faster, run by run; `None` where it is not in every run, or a side has one.
    pub change: Option<Change>,
    /// More is better.
    pub verdict: Verdict,
    /// What it seems to be, where it is undecided.
    pub suspected: Option<Verdict>,
}

/// The scopes that told what they worked on, the one with the most time first. `cpu` is there where the page is about CPU time.
pub(super) fn rates(
    sides: [&[ComparedRun]; 2],
    common: Option<&CommonFactor>,
    cpu: Option<&CpuParts>,
    options: &ComparisonOptions,
) -> Vec<Rates> {
    let n_runs = sides.map(<[ComparedRun]>::len);
    let mut found: BTreeMap<String, WorkedInRuns> = BTreeMap::new();
    for (side, runs) in sides.into_iter().enumerate() {
        for (at, run) in runs.iter().enumerate() {
            add(&run.profile, [side, at], n_runs, cpu, &mut found);
        }
    }
    let mut found: Vec<(String, WorkedInRuns)> = found.into_iter().collect();
    let time = |sides: &WorkedInRuns| sides.iter().flatten().map(|worked| worked.nanos).sum::<f64>();
    found.sort_by(|a, b| time(&b.1).total_cmp(&time(&a.1)).then_with(|| a.0.cmp(&b.0)));
    let options = DifferenceOptions {
        is_interleaved: options.is_interleaved,
        margin: options.margin.unwrap_or(parts::usual_margin(Given::Runs)),
        ..DifferenceOptions::default()
    };
    let of = |amount: &dyn Fn(&Worked) -> f64| -> Vec<Option<Rate>> {
        // Of what is worse there is more: time for a unit of work, and not work in a unit of time.
        let each: Vec<[Vec<f64>; 2]> = found
            .iter()
            .map(|(_, sides)| {
                sides.each_ref().map(|runs| runs.iter().map(|run| run.nanos / amount(run)).collect())
            })
            .collect();
        let judged = figure_differences(&each, common, &options);
        found.iter().zip(judged).map(|((_, sides), judged)| Rate::new(sides, amount, judged)).collect()
    };
    let (flops, bytes) = (of(&|worked| worked.flops), of(&|worked| worked.bytes));
    let rates = found.into_iter().zip(flops).zip(bytes);
    rates.map(|(((name, _), flops), bytes)| Rates { name, flops, bytes }).collect()
}

fn add(
    profile: &Profile,
    [side, run]: [usize; 2],
    n_runs: [usize; 2],
    cpu: Option<&CpuParts>,
    found: &mut BTreeMap<String, WorkedInRuns>,
) {
    for (key, stats) in
        profile.scopes.iter().filter(|(_, stats)| stats.work.flops > 0 || stats.work.bytes > 0)
    {
        let name = profile.stack_name(key.stack);
        let part = cpu.and_then(|cpu| cpu.get([side, run], name)).unwrap_or(1.0);
        let sides =
            found.entry(name.to_owned()).or_insert_with(|| n_runs.map(|n| vec![Worked::default(); n]));
        let worked = &mut sides[side][run];
        worked.flops += stats.work.flops as f64;
        worked.bytes += stats.work.bytes as f64;
        worked.nanos += stats.inclusive_nanos() as f64 * part;
    }
}

impl Rate {
    /// `None` where neither side told anything.
    fn new(
        sides: &WorkedInRuns,
        amount: &dyn Fn(&Worked) -> f64,
        judged: Option<FigureDifference>,
    ) -> Option<Self> {
        let per_second = sides.each_ref().map(|runs| {
            let (work, nanos) =
                runs.iter().fold((0.0, 0.0), |(work, nanos), run| (work + amount(run), nanos + run.nanos));
            (work > 0.0 && nanos > 0.0).then(|| work / nanos * 1e9)
        });
        let change = judged.and_then(|judged| judged.change).map(|change| {
            let inverse = |change: f64| 1.0 / (1.0 + change) - 1.0;
            let [low, high] = change.interval;
            Change { effect: inverse(change.effect), interval: [inverse(high), inverse(low)] }
        });
        per_second.iter().any(Option::is_some).then_some(Self {
            per_second,
            change,
            verdict: judged.map_or(Verdict::Undecided, |judged| judged.verdict),
            suspected: judged.and_then(|judged| judged.suspected),
        })
    }

    /// By how much it became faster, as far as that is known.
    #[must_use]
    pub fn effect(&self) -> Option<f64> {
        let [before, after] = self.per_second;
        let plain = before.zip(after).map(|(before, after)| after / before - 1.0);
        self.change.map(|change| change.effect).or(plain)
    }
}

impl Rates {
    /// The rate that the verdict is of.
    #[must_use]
    pub fn judged(&self) -> Option<&Rate> {
        self.flops.as_ref().or(self.bytes.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, LabelTable, ScopeKey, ScopeStats, Work};

    use super::*;

    fn run(flops: u64, total_nanos: u64) -> ComparedRun {
        told(flops, total_nanos, None)
    }

    fn told(flops: u64, total_nanos: u64, cpu_nanos: Option<i64>) -> ComparedRun {
        let mut profile = Profile::default();
        let stack = profile.intern_named_path(&["run", "matmul"], FrameKind::Scope).unwrap();
        let (thread, labels) = (profile.intern_thread(1, 1, "main"), LabelTable::none());
        let mut work = Work { flops, ..Work::default() };
        if let Some(nanos) = cpu_nanos {
            work.add_counter(profile.strings.intern(crate::CPU_NANOS), nanos);
        }
        let stats = ScopeStats { calls: 1, total_nanos, work, ..ScopeStats::default() };
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        ComparedRun::new("run", profile)
    }

    #[test]
    fn rates_are_of_all_runs_of_a_side_and_what_was_not_told_is_missing() {
        let options = ComparisonOptions::default();
        let found = rates([&[run(100, 10), run(200, 20)], &[run(100, 5)]], None, None, &options);
        let [matmul] = &found[..] else { panic!("{found:?}") };
        let rate = matmul.flops.expect("it told");
        assert_eq!(
            (&*matmul.name, rate.per_second, matmul.bytes),
            ("matmul", [Some(1e10), Some(2e10)], None)
        );
        // One run on a side has no more than a suspicion.
        assert_eq!((rate.verdict, rate.suspected), (Verdict::Undecided, Some(Verdict::Improved)));
        assert_eq!(rates([&[run(0, 10)], &[run(0, 10)]], None, None, &options), []);
    }

    #[test]
    fn rates_are_of_cpu_time_where_the_page_is() {
        // The second was kept from running for half of its time.
        let sides = [[told(100, 10, Some(10))], [told(100, 20, Some(10))]];
        let sides = sides.each_ref().map(|side| &side[..]);
        let options = ComparisonOptions::default();
        let per_second =
            |cpu: Option<&CpuParts>| rates(sides, None, cpu, &options)[0].flops.expect("it told").per_second;
        assert_eq!(per_second(Some(&CpuParts::of(sides))), [Some(1e10), Some(1e10)]);
        assert_eq!(per_second(None), [Some(1e10), Some(5e9)]);
    }

    #[test]
    fn rates_of_several_runs_have_an_interval_and_steep_ones_of_noisy_runs_are_open() {
        let side = |nanos: [u64; 4]| nanos.map(|nanos| run(1_000, nanos));
        let options = ComparisonOptions { is_interleaved: true, ..ComparisonOptions::default() };
        let judged = |before: [u64; 4], after: [u64; 4]| {
            let found = rates([&side(before), &side(after)], None, None, &options);
            let rate = found[0].flops.expect("it told");
            (rate.verdict, rate.change.expect("several runs have an interval"))
        };
        let (verdict, change) = judged([100, 101, 99, 100], [200, 201, 199, 200]);
        assert_eq!(verdict, Verdict::Regressed);
        let [low, high] = change.interval;
        assert!(
            low < change.effect && change.effect < high && (change.effect + 0.5).abs() < 0.01,
            "{change}"
        );
        let (verdict, change) = judged([100, 900, 120, 4_000], [100, 100, 130, 110]);
        assert!(change.effect > 1.0, "{change}");
        assert_eq!(verdict, Verdict::Undecided);
    }
}
