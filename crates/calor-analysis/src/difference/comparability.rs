//! What two sides of a comparison differ in besides the program: another processor or another rate of samples can be all that a
//! comparison shows. It is told above the result, never hidden in it.

use std::collections::BTreeSet;
use std::fmt;

use calor_model::{Profile, Run, SampleKind, command_line, command_words};

use crate::workload::without_outputs;

/// Something that is one thing before and another after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// What differs.
    pub what: Circumstance,
    /// What it is before; of several runs, all that there is.
    pub before: String,
    /// What it is after.
    pub after: String,
}

/// What a run depends on besides the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Circumstance {
    /// The architecture.
    Architecture,
    /// The operating system.
    System,
    /// The processor.
    Processor,
    /// How many cores the program could use.
    Cores,
    /// The version of the kernel.
    Kernel,
    /// The machine's name.
    Machine,
    /// The command line.
    Command,
    /// What recorded.
    Recorders,
    /// How much time one CPU sample stands for.
    SampleInterval,
    /// A label of the runs, such as a size or a flag of the compiler.
    Label(String),
}

impl Circumstance {
    /// Whether figures of two sides that differ in this are not of one kind.
    #[must_use]
    pub fn is_serious(&self) -> bool {
        matches!(self, Self::Architecture | Self::System | Self::Processor | Self::Cores | Self::Recorders)
    }
}

impl fmt::Display for Circumstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Architecture => "architecture",
            Self::System => "operating system",
            Self::Processor => "processor",
            Self::Cores => "cores",
            Self::Kernel => "kernel",
            Self::Machine => "machine",
            Self::Command => "command",
            Self::Recorders => "recorders",
            Self::SampleInterval => "time of a sample",
            Self::Label(name) => return write!(f, "label {name}"),
        })
    }
}

/// `processor: AMD EPYC before, Intel Xeon after`.
impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} before, {} after", self.what, self.before, self.after)
    }
}

/// All that differs, the most serious first. What is not known of a side is not compared.
#[must_use]
pub fn mismatches(before: &[&Profile], after: &[&Profile]) -> Vec<Mismatch> {
    let sides = [before, after];
    let mut found = Vec::new();
    let mut compare = |what: Circumstance, of: &dyn Fn(&Run) -> Option<String>| {
        let [before, after] = sides.map(|side| {
            let runs = side.iter().flat_map(|profile| &profile.runs);
            let texts = runs.filter_map(of).filter(|text| !text.is_empty()).collect::<BTreeSet<String>>();
            if what == Circumstance::Command { without_own_words(texts) } else { texts }
        });
        if before != after && !before.is_empty() && !after.is_empty() {
            let [before, after] =
                [before, after].map(|side| side.into_iter().collect::<Vec<_>>().join(" and "));
            found.push(Mismatch { what, before, after });
        }
    };
    compare(Circumstance::Architecture, &|run| Some(run.host.arch.clone()));
    compare(Circumstance::System, &|run| Some(run.host.os.clone()));
    compare(Circumstance::Processor, &|run| Some(run.host.cpu.clone()));
    compare(Circumstance::Cores, &|run| run.host.cores.map(|cores| cores.to_string()));
    compare(Circumstance::Recorders, &|run| {
        Some(run.recorders.iter().map(|recorder| recorder.word()).collect::<Vec<_>>().join(", "))
    });
    compare(Circumstance::Machine, &|run| Some(run.host.name.clone()));
    compare(Circumstance::Kernel, &|run| Some(run.host.kernel.clone()));
    compare(Circumstance::Command, &|run| run.command.as_deref().map(without_outputs));
    let labels: BTreeSet<&String> = sides
        .into_iter()
        .flatten()
        .flat_map(|profile| &profile.runs)
        .flat_map(|run| run.labels.keys())
        .collect();
    for label in labels {
        compare(Circumstance::Label(label.clone()), &|run| run.labels.get(label).cloned());
    }
    if let [Some(before), Some(after)] = sides.map(sample_nanos)
        && !(0.9..=1.1).contains(&(before / after))
    {
        let [before, after] = [before, after].map(|nanos| format!("{:.3} ms", nanos / 1e6));
        found.push(Mismatch { what: Circumstance::SampleInterval, before, after });
    }
    found
}

/// Commands of one side that are the same but for one word, such as the file that each run writes, are one command.
fn without_own_words(commands: BTreeSet<String>) -> BTreeSet<String> {
    let all: Vec<Vec<String>> = commands.iter().map(|command| command_words(command)).collect();
    let [first, .., _] = &all[..] else { return commands };
    let are_as_long = all.iter().all(|words| words.len() == first.len());
    let differs = |at: &usize| are_as_long && all.iter().any(|words| words[*at] != first[*at]);
    match (0..first.len()).filter(differs).collect::<Vec<_>>()[..] {
        // The first word is the program.
        [at] if at > 0 => {
            let mut words = first.clone();
            words[at] = "...".to_owned();
            [command_line(&words)].into()
        }
        _ => commands,
    }
}

fn sample_nanos(side: &[&Profile]) -> Option<f64> {
    let rows = side.iter().flat_map(|profile| profile.samples.iter());
    let (count, nanos) = rows
        .filter(|(key, _)| key.kind == SampleKind::Cpu)
        .fold((0.0, 0.0), |sum, (_, weight)| (sum.0 + weight.count as f64, sum.1 + weight.nanos as f64));
    (count > 0.0 && nanos > 0.0).then(|| nanos / count)
}

#[cfg(test)]
mod tests {
    use calor_model::Host;

    use super::*;
    use crate::sketch::Sketch;

    fn profile(cpu: &str, cores: Option<u32>, label: &str, samples: u64) -> Profile {
        let host = Host { cpu: cpu.to_owned(), cores, ..Host::default() };
        let labels = [("size".to_owned(), label.to_owned())].into_iter().collect();
        let run = Run { host, labels, ..Run::default() };
        Sketch::new().samples("main", SampleKind::Cpu, &["run"], samples).run(run).profile()
    }

    #[test]
    fn what_differs_is_told_and_what_is_not_known_is_not_compared() {
        let before = profile("EPYC", Some(2), "1024", 5);
        let after = profile("Xeon", None, "2048", 9);
        let found: Vec<String> = mismatches(&[&before], &[&after]).iter().map(Mismatch::to_string).collect();
        assert_eq!(found, ["processor: EPYC before, Xeon after", "label size: 1024 before, 2048 after"]);
        let both = mismatches(&[&before, &after], &[&before]);
        assert_eq!(both[0].before, "EPYC and Xeon");
        assert!(both[0].what.is_serious() && !both[1].what.is_serious());
        assert_eq!(mismatches(&[&before], &[&before]), []);
        assert_eq!(mismatches(&[], &[&before]), []);
    }

    #[test]
    fn benches_that_differ_in_what_they_write_are_one_command() {
        let run = |command: &str| Run { command: Some(command.to_owned()), ..Run::default() };
        let told = |commands: [&str; 2]| {
            let [before, after] = commands.map(|command| Sketch::new().run(run(command)).profile());
            mismatches(&[&before], &[&after]).iter().map(Mismatch::to_string).collect::<Vec<_>>()
        };
        let quick = "calor bench model --quick --save --profile a.calor";
        assert_eq!(told([quick, "calor bench model --quick -o b.html --profile b.calor"]), [""; 0]);
        let other = "command: calor bench model --quick before, calor bench model after";
        assert_eq!(told([quick, "calor bench model -o b.html"]), [other]);
    }

    #[test]
    fn commands_of_a_side_that_differ_in_the_file_they_write_are_one() {
        let run = |command: String| Run { command: Some(command), ..Run::default() };
        let side = |name: &str, size: u32| -> Vec<Profile> {
            let command = |number: u32| format!("./demo --size {size} -o {name}{number}.calor");
            (1..4).map(|number| Sketch::new().run(run(command(number))).profile()).collect()
        };
        let told = |before: &[Profile], after: &[Profile]| -> Vec<String> {
            let [before, after] = [before, after].map(|side| side.iter().collect::<Vec<_>>());
            mismatches(&before, &after).iter().map(Mismatch::to_string).collect()
        };
        assert_eq!(told(&side("a", 5), &side("b", 5)), [""; 0]);
        let larger = "command: ./demo --size 5 -o ... before, ./demo --size 6 -o ... after";
        assert_eq!(told(&side("a", 5), &side("b", 6)), [larger]);
        let one = &side("a", 5)[..1];
        assert_eq!(
            told(one, &side("b", 5)[..1]).len(),
            1,
            "of one run a side nobody knows which word is its own"
        );
    }
}
