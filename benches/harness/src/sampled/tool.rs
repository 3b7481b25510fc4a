//! A tool: how it is started, why it cannot be where it cannot, what is in its file, and what it costs.

use std::path::Path;
use std::process::Command;

use super::Recorded;
use crate::Figures;
use crate::area::Participant;
use crate::watched::child::{self, Ended};
use crate::watched::{Program, truth};

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// Its name on the command line and in the tables.
    pub name: &'static str,
    /// Its version, or why it is not available here and what would make it so.
    pub version: fn() -> Result<String, String>,
    /// The command that samples a program at a rate in hertz into a file of the folder.
    pub record: fn(&Program, u32, &Path) -> Command,
    /// What it left in the folder; `None` for one that records nothing.
    pub read: Option<Read>,
    /// Its files in the folder, to be measured.
    pub files: &'static [&'static str],
}

impl Participant for Tool {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> Result<String, String> {
        (self.version)()
    }
}

/// Makes stacks of the files in a folder.
pub type Read = fn(&Path) -> Result<Recorded, String>;

/// A program that a tool has watched to its end.
#[derive(Debug)]
pub struct Watched {
    /// What both cost: `target_cpu_s`, `own_cpu_ms`, `own_cpu_pct`, `end_ms`.
    pub figures: Figures,
    /// What the program said about itself.
    pub truth: Figures,
    /// CPU time of the program.
    pub cpu_s: f64,
    /// The tool, which has ended.
    pub ended: Ended,
}

/// Has a tool watch a program, with its files in `own`.
pub fn watch(tool: &Tool, program: &Program, rate: u32, own: &Path) -> Result<Watched, String> {
    let ended = child::run(&mut (tool.record)(program, rate, own))?;
    let truth = truth(&ended.stdout)?;
    let said = |name: &str| truth.get(name).ok_or_else(|| format!("the program did not say '{name}'"));
    let (cpu_s, end_ns) = (said("cpu_s")?, said("end_ns")?);
    // Some tools never wait for the program they have started: then its CPU is not in theirs. A program without a
    // tool, or with one inside, is what was waited for.
    let is_apart = ended.cpu_s < cpu_s || (ended.cpu_s > 1.2 * cpu_s && ended.children_cpu_s < 0.5 * cpu_s);
    let own_cpu_s = ended.cpu_s - if is_apart { 0.0 } else { cpu_s };
    let figures = Figures::default()
        .with("target_cpu_s", cpu_s)
        .with("own_cpu_ms", own_cpu_s * 1e3)
        .with("own_cpu_pct", own_cpu_s / cpu_s * 1e2)
        .with("end_ms", (ended.at_nanos as f64 - end_ns) / 1e6);
    Ok(Watched { figures, truth, cpu_s, ended })
}
