//! The lock files of packages outside the workspace. Those of benchmarks are built by who asks for them, so that nothing else
//! would tell when a crate of ours has got a dependency that they do not know.

use anyhow::Context as _;

use super::step::{Place, Step, StepOutcome};

pub(super) const STEP: Step =
    Step { name: "locks", about: "lock files of the benchmarks", is_build: false, is_quick: false, run };

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let mut stale = Vec::new();
    for entry in std::fs::read_dir(place.root.join("benches")).context("cannot list benches/")? {
        let folder = entry.context("cannot list benches/")?.path();
        if !folder.join("Cargo.lock").is_file() {
            continue;
        }
        // Looks at the index alone: nothing is downloaded, and nothing is written.
        let mut command = place.cargo(&["update", "--workspace", "--locked", "--quiet"]);
        let output = command.current_dir(&folder).output().context("cannot start cargo")?;
        if !output.status.success() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            if !said.contains("--locked") {
                return Ok(StepOutcome::Skipped(format!("the registry does not answer: {said}")));
            }
            stale.push(format!("benches/{name}: {said}"));
        }
    }
    stale.sort();
    match stale.is_empty() {
        true => Ok(StepOutcome::Passed),
        false => {
            anyhow::bail!("run `cargo update --workspace` in each of these and commit:\n{}", stale.join("\n"))
        }
    }
}
