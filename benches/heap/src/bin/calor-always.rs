//! The program with Calor's allocator. Its arguments are the name of a workload, a number of turns, the file for the
//! profile, and `always` or `exact`.

use std::fs::File;
use std::process::ExitCode;

use heap_bench::workloads;

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::system();

fn main() -> ExitCode {
    harness::exit(record())
}

fn record() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [workload, n_turns, path, mode] = arguments.as_slice() else {
        return Err("expected a workload, turns, a file and a mode".to_owned());
    };
    let options = match mode.as_str() {
        "always" => calor::heap::Options::always_on(),
        "exact" => calor::heap::Options::exact(),
        _ => return Err(format!("expected always or exact, found '{mode}'")),
    };
    calor::heap::start(options).map_err(|error| format!("heap profiling does not start: {error}"))?;
    workloads::run([workload, n_turns].into_iter().cloned())?;
    let profile = calor::heap::snapshot();
    let file = File::create(path).map_err(|error| format!("cannot write {path}: {error}"))?;
    calor_formats::native::write(&profile, file).map_err(|error| format!("cannot write {path}: {error}"))
}
