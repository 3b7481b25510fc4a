//! Runs of a program, each in a process of its own that records itself.

use std::path::Path;

use calor_report::SizedRun;
use harness::{Arguments, Folder};

use crate::kernels::Kernel;
use crate::program;

/// How many times the largest size is forecast, and run.
pub(crate) const TIMES: usize = 4;

/// A program does all of its work so often, so that the recorder's own CPU time is little beside it.
const REPEATS: usize = 4;

/// All runs of a kernel.
pub(crate) struct Runs {
    /// Those that the forecast is made of.
    pub(crate) small: Vec<SizedRun>,
    /// Those that it is held against.
    pub(crate) large: Vec<SizedRun>,
}

/// Has a kernel run at all its sizes, in turns.
pub(crate) fn runs(kernel: &Kernel, n_rounds: usize, folder: &Folder) -> Result<Runs, String> {
    let mut runs = Runs { small: Vec::new(), large: Vec::new() };
    let path = folder.path().join("run.calor");
    for _ in 0..n_rounds {
        for size in kernel.sizes {
            runs.small.push(run(kernel, size, &path)?);
        }
        runs.large.push(run(kernel, TIMES * kernel.largest(), &path)?);
    }
    Ok(runs)
}

fn run(kernel: &Kernel, size: usize, path: &Path) -> Result<SizedRun, String> {
    let output =
        program(kernel, size)?.arg("--inputs").arg(path).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let profile = calor_formats::native::read(&bytes).map_err(|error| error.to_string())?;
    Ok(SizedRun::new(size as f64, &profile))
}

/// Is such a process.
pub(crate) fn be(kernel: &Kernel, arguments: &Arguments) -> Result<(), String> {
    let size: usize =
        arguments.who.as_deref().and_then(|size| size.parse().ok()).ok_or("--who expects a size")?;
    let path = arguments.inputs.as_deref().ok_or("--inputs expects a file")?;
    let options = calor::RecordingOptions::new().timeline(false);
    calor::set_label("n", size.to_string());
    let recording = calor::try_start_recording(path, &options).map_err(|error| error.to_string())?;
    let sum = {
        calor::scope!("kernel");
        (0..REPEATS).fold(0, |sum: u64, _| sum.wrapping_add((kernel.run)(size)))
    };
    println!("{sum}");
    match recording.stop().and_then(|recorded| recorded.problem) {
        None => Ok(()),
        Some(problem) => Err(problem),
    }
}
