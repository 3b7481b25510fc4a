//! Whether kept runs compare as they should, by `calor compare` on their profiles. Runs take turns, as the command's page says
//! that they should.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::watched::{beside, build, calor, finished};
use harness::{Arguments, Bound, Folder, Goal};
use serde_json::Value;

use crate::part::Told;

/// Runs of a side.
const RUNS: usize = 10;
const RUNS_QUICK: usize = 3;
/// The scope of the kernel that is slower in the other build.
const KERNEL: &str = "mlp_up";

/// Runs of the command with one build, in turns: each beside the next, as somebody compares two, and all of them together.
pub(super) fn same(arguments: &Arguments) -> Result<Told, String> {
    let folder = Folder::new("same")?;
    let n_runs = arguments.rounds.unwrap_or(if arguments.is_quick { RUNS_QUICK } else { RUNS });
    let sides = in_turns(folder.path(), n_runs, |file| {
        eprintln!("whole: {}", file.display());
        let mut command = calor::command();
        command.args(["bench", "model", "--enhanced", "--format", "json", "--profile"]).arg(file);
        finished(&mut command, "")
    })?;
    let mut page = "Enhanced runs of one build, one after the other:\n\n| compared | verdict | functions changed |\n|---|---|---:|\n".to_owned();
    let (mut n_same, mut n_changed) = (0, 0);
    for (turn, (before, after)) in sides[0].iter().zip(&sides[1]).enumerate() {
        let found = Compared::of(&[vec![before.clone()], vec![after.clone()]], &[])?;
        n_same += usize::from(found.verdict == "same");
        n_changed += found.changed.len();
        page += &format!("| two runs, {} | {} | {} |\n", turn + 1, found.told(), found.changed.len());
    }
    let all = Compared::of(&sides, &["--interleaved"])?;
    n_changed += all.changed.len();
    page += &format!("| {n_runs} a side in turns | {} | {} |\n", all.told(), all.changed.len());
    let goals = vec![
        Goal {
            case: "whole",
            what: "pairs of enhanced runs of one build that compare as the same".to_owned(),
            unit: "%",
            bound: Bound::AtLeast(100.0),
            measured: Ok(100.0 * n_same as f64 / n_runs as f64),
        },
        Goal {
            case: "whole",
            what: format!(
                "{n_runs} enhanced runs a side of one build, in turns, compare as the same within 2 %"
            ),
            unit: "comparisons",
            bound: Bound::AtLeast(1.0),
            measured: Ok(f64::from(u8::from(all.verdict == "same"))),
        },
        Goal {
            case: "whole",
            what: "functions called changed in all of these".to_owned(),
            unit: "functions",
            bound: Bound::AtMost(0.0),
            measured: Ok(n_changed as f64),
        },
    ];
    Ok(Told { page, goals })
}

/// Two builds that differ in a kernel.
pub(super) fn slowed(_: &Arguments) -> Result<Told, String> {
    let manifest = env!("CARGO_MANIFEST_DIR");
    build(manifest, |command| command.args(["--bin", "usual"]))?;
    build(manifest, |command| command.args(["--bin", "slowed", "--features", "slow-kernel"]))?;
    let folder = Folder::new("slowed")?;
    let mut turn = 0;
    let sides = in_turns(folder.path(), RUNS, |file| {
        let program = if turn % 2 == 0 { "usual" } else { "slowed" };
        turn += 1;
        finished(Command::new(beside(program)).arg(file), "")
    })?;
    let found = Compared::of(&sides, &["--interleaved"])?;
    let largest = found.changed.first();
    let others = found.changed.iter().filter(|(name, _)| name != KERNEL).count();
    let list: Vec<String> =
        found.changed.iter().map(|(name, effect)| format!("`{name}` {:+.1} %", 100.0 * effect)).collect();
    let page = format!(
        "A build whose `{KERNEL}` takes a fifth longer, {RUNS} runs a side in turns: {}. Functions called changed: {}.\n",
        found.told(),
        if list.is_empty() { "none".to_owned() } else { list.join(", ") },
    );
    let goals = vec![
        Goal {
            case: "whole",
            what: format!("`{KERNEL}` slowed by 20 % is found and named first: by how much"),
            unit: "%",
            bound: Bound::Within(15.0, 25.0),
            measured: match largest {
                Some((name, effect)) if name == KERNEL => Ok(100.0 * effect),
                Some((name, _)) => Err(format!("`{name}` was named first")),
                None => Err("nothing was found".to_owned()),
            },
        },
        Goal {
            case: "whole",
            what: "other functions called changed beside it".to_owned(),
            unit: "functions",
            bound: Bound::AtMost(0.0),
            measured: Ok(others as f64),
        },
    ];
    Ok(Told { page, goals })
}

/// The files of two sides whose runs take turns.
fn in_turns(
    folder: &Path,
    n_runs: usize,
    mut run: impl FnMut(&Path) -> Result<(), String>,
) -> Result<[Vec<PathBuf>; 2], String> {
    let mut sides = [Vec::new(), Vec::new()];
    for turn in 0..n_runs {
        for (side, name) in ["a", "b"].iter().enumerate() {
            let file = folder.join(format!("{name}{turn}.calor"));
            run(&file)?;
            sides[side].push(file);
        }
    }
    Ok(sides)
}

/// What `calor compare` said.
struct Compared {
    verdict: String,
    effect: f64,
    interval: Option<[f64; 2]>,
    /// Functions with a verdict of a change and by how much, the largest difference first.
    changed: Vec<(String, f64)>,
}

impl Compared {
    fn of([before, after]: &[Vec<PathBuf>; 2], options: &[&str]) -> Result<Self, String> {
        let mut command = calor::command();
        command.args(["compare", "--format", "json"]).args(options).args(before).arg("--").args(after);
        let output = command.output().map_err(|error| format!("cannot start calor compare: {error}"))?;
        if !output.status.success() {
            return Err(format!("calor compare failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let page: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("what calor compare wrote is no JSON: {error}"))?;
        Self::parse(&page)
            .ok_or_else(|| format!("what calor compare wrote has not the fields of compare/1: {page}"))
    }

    fn parse(page: &Value) -> Option<Self> {
        let number = |value: &Value| value.as_f64();
        let is_change =
            |function: &&Value| matches!(function["verdict"].as_str(), Some("regressed" | "improved"));
        let name =
            |function: &Value| Some((function["name"].as_str()?.to_owned(), function["effect"].as_f64()?));
        Some(Self {
            verdict: page["verdict"].as_str()?.to_owned(),
            effect: page["effect"].as_f64()?,
            interval: number(&page["interval"][0])
                .zip(number(&page["interval"][1]))
                .map(|(low, high)| [low, high]),
            changed: page["functions"]
                .as_array()?
                .iter()
                .filter(is_change)
                .map(name)
                .collect::<Option<_>>()?,
        })
    }

    fn told(&self) -> String {
        let percent = |part: f64| format!("{:+.1}", 100.0 * part);
        let interval = self.interval.map(|[low, high]| format!(" ({} to {} %)", percent(low), percent(high)));
        format!("{}, {} %{}", self.verdict, percent(self.effect), interval.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compare_says_is_read() {
        let page = serde_json::json!({
            "verdict": "regressed", "effect": 0.05, "interval": [0.04, 0.06],
            "functions": [
                {"name": "mlp_up", "effect": 0.2, "verdict": "regressed"},
                {"name": "gelu", "effect": 0.01, "verdict": "same"},
            ],
        });
        let found = Compared::parse(&page).unwrap();
        assert_eq!(found.told(), "regressed, +5.0 % (+4.0 to +6.0 %)");
        assert_eq!(found.changed, [("mlp_up".to_owned(), 0.2)]);
        assert!(Compared::parse(&serde_json::json!({"verdict": "same"})).is_none());
    }
}
