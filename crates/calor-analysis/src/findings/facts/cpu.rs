//! Samples of running threads by call path, as time by the clock.

use std::cmp::Reverse;

use calor_model::{FunctionKey, Profile, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::whole::running_kind;
use super::{Facts, Whole};
use crate::findings::Share;

/// What was found running on each call path.
#[derive(Clone, PartialEq, Debug)]
pub struct CpuFacts {
    /// Samples in all.
    pub samples: u64,
    /// By call path: samples that ended there, and the time by the clock that they stand for.
    own: Vec<(u64, f64)>,
    /// The whole in nanoseconds.
    whole: f64,
}

/// Samples of one function of the program, those of what it called among them where that was asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct CpuSite {
    /// The path to the function with the most of these samples.
    pub stack: StackId,
    /// How many there are.
    pub samples: u64,
    /// Their part of the whole.
    pub share: Share,
    /// The paths that were sampled, the one with the most samples first.
    pub stacks: Vec<StackId>,
}

impl CpuFacts {
    pub(super) fn new(profile: &Profile, whole: &Whole) -> Self {
        let kind = running_kind(profile);
        let mut own = vec![(0, 0.0); profile.stacks.len()];
        let mut samples = 0_u64;
        for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == kind) {
            let row = &mut own[key.stack.index()];
            *row = (row.0 + weight.count, row.1 + whole.clock_nanos(&key, weight));
            samples = samples.saturating_add(weight.count);
        }
        Self { samples, own, whole: whole.nanos.max(1) as f64 }
    }

    /// Samples that ended on a path, and the time by the clock that they stand for in nanoseconds.
    #[must_use]
    pub fn own(&self, stack: StackId) -> (u64, f64) {
        self.own.get(stack.index()).copied().unwrap_or_default()
    }

    /// All paths that samples ended on.
    pub fn stacks(&self) -> impl Iterator<Item = StackId> {
        let sampled = self.own.iter().enumerate().filter(|(_, own)| own.0 > 0);
        sampled.map(|(index, _)| StackId::from_index(index))
    }

    /// The part of the whole that so many samples are, which stand for so much time by the clock. How sure it is follows
    /// from their number.
    #[must_use]
    pub fn share(&self, samples: u64, nanos: f64) -> Share {
        let counted = Share::counted(samples, self.samples);
        let estimate = nanos / self.whole;
        if counted.estimate <= 0.0 {
            Share::exact(estimate)
        } else {
            counted.scaled(estimate / counted.estimate)
        }
    }
}

pub(super) fn sites(facts: &Facts<'_>, is_wanted: impl Fn(StackId) -> bool) -> Vec<CpuSite> {
    let (cpu, profile) = (facts.cpu(), facts.profile());
    let mut sums: IndexMap<FunctionKey, Sum, RandomState> = IndexMap::default();
    for stack in cpu.stacks().filter(|stack| is_wanted(*stack)) {
        let Some(site) = facts.program_site(stack) else { continue };
        let function = profile.frames.get(profile.stacks.get(site).frame).function();
        let (samples, nanos) = cpu.own(stack);
        let sum = sums.entry(function).or_default();
        sum.samples += samples;
        sum.nanos += nanos;
        *sum.sites.entry(site).or_default() += samples;
        sum.stacks.push(stack);
    }
    let site = |mut sum: Sum| {
        sum.stacks.sort_by_key(|stack| (Reverse(cpu.own(*stack).0), *stack));
        let heaviest = sum.sites.iter().max_by_key(|(site, samples)| (**samples, Reverse(**site)));
        Some(CpuSite {
            stack: *heaviest?.0,
            samples: sum.samples,
            share: cpu.share(sum.samples, sum.nanos),
            stacks: sum.stacks,
        })
    };
    let mut list: Vec<CpuSite> = sums.into_values().filter_map(site).collect();
    list.sort_by_key(|site| (Reverse(site.samples), site.stack));
    list
}

#[derive(Default)]
struct Sum {
    samples: u64,
    nanos: f64,
    sites: IndexMap<StackId, u64, RandomState>,
    stacks: Vec<StackId>,
}

#[cfg(test)]
mod tests {
    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    #[test]
    fn samples_of_what_was_called_belong_to_the_function_of_the_program_that_called_it() {
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&["app::main@src/main.rs:3", "app::load@src/load.rs:7", "memmove!libc.so.6"], 300)
            .cpu(&["app::main@src/main.rs:4", "app::load@src/load.rs:9", "memmove!libc.so.6"], 100)
            .cpu(&["app::main@src/main.rs:3", "memmove!libc.so.6"], 50)
            .cpu(&["app::main@src/main.rs:3", "app::load@src/load.rs:7"], 550)
            .profile();
        let facts = Facts::new(&profile, None);
        let sites = facts.cpu_sites(|stack| facts.name(stack) == "memmove");
        let told: Vec<_> = sites
            .iter()
            .map(|site| {
                (facts.place(site.stack).source(), site.samples, (site.share.estimate * 100.0).round())
            })
            .collect();
        let expected =
            [(Some("src/load.rs:7".to_owned()), 400, 40.0), (Some("src/main.rs:3".to_owned()), 50, 5.0)];
        assert_eq!(told, expected);
        assert!(sites[0].share.low > 0.36 && sites[0].share.high < 0.44);
    }
}
