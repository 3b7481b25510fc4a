//! What Calor writes, opened by readers that are not Calor's: some are Python packages, one is the schema of another
//! project's package, which is set up inside the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::python_environment;
use super::step::{Place, Step, StepOutcome};
use crate::cargo;

pub(super) const STEP: Step = Step {
    name: "readers",
    about: "written formats in independent readers",
    is_build: false,
    is_quick: false,
    run,
};

/// Where the speedscope package keeps its schema.
const SPEEDSCOPE_SCHEMA: &str = "node_modules/speedscope/dist/release/file-format-schema.json";

fn run(place: &Place) -> anyhow::Result<StepOutcome> {
    let python = python_environment::set_up(place)?;
    let schema = speedscope_schema(place)?;
    let folder = place.target.join("readers");
    std::fs::create_dir_all(&folder)?;
    let calor = place.target.join("debug/calor");
    let demo = folder.join("demo");
    let mut record = Command::new(&calor);
    let size = ["--size", "small", "--tokens", "4", "--inferences", "2"];
    record.arg("demo").args(size).args(["--no-cpu", "--save=no", "--output"]).arg(&demo);
    cargo::run(record.stdout(std::process::Stdio::null()))?;

    let profile = demo.join("small.calor");
    let written = |format: &str| -> anyhow::Result<PathBuf> {
        let out = folder.join(format!("demo.{format}"));
        cargo::run(Command::new(&calor).arg("convert").arg(&profile).args(["--to", format, "-o"]).arg(&out))?;
        Ok(out)
    };
    let check = |script: &str, arguments: &[&Path]| {
        let script = place.root.join("tests/readers").join(script);
        // Without `-B`, Python would leave its cache beside the scripts.
        cargo::run(Command::new(&python).arg("-B").arg(script).args(arguments))
    };
    let (chrome, firefox) = (written("chrome")?, written("firefox")?);
    check("chrome_check.py", &[&chrome])?;
    check("firefox_check.py", &[&firefox])?;
    check("broken_check.py", &[&chrome, &firefox])?;
    check("speedscope_check.py", &[&schema, &written("speedscope")?])?;

    let (sample, expected) = (folder.join("sample.pb.gz"), folder.join("sample.json"));
    let mut example = place.cargo(&["run", "--quiet", "--package", "calor-formats", "--features", "all"]);
    example.args(["--example", "pprof_sample", "--"]).arg(&sample);
    let output = example.output().context("cannot run the example that writes a pprof file")?;
    anyhow::ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::write(&expected, output.stdout)?;
    check("pprof_check.py", &[&sample, &expected])?;
    Ok(StepOutcome::Passed)
}

/// The schema that speedscope publishes with its package.
fn speedscope_schema(place: &Place) -> anyhow::Result<PathBuf> {
    let folder = place.target.join("npm");
    let schema = folder.join(SPEEDSCOPE_SCHEMA);
    if !schema.exists() {
        std::fs::create_dir_all(&folder)?;
        let mut install = Command::new("npm");
        install.args(["install", "--silent", "--no-save", "--ignore-scripts", "--prefix"]).arg(&folder);
        cargo::run(install.arg("speedscope@1"))?;
    }
    anyhow::ensure!(schema.exists(), "the speedscope package has no {SPEEDSCOPE_SCHEMA} any more");
    Ok(schema)
}
