//! The program that is counted, and the command that counts it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

/// The compiled program of this folder, or the one of `record`'s tests that refuses system calls.
pub(crate) fn program(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stat-programs");
        std::fs::create_dir_all(&folder).expect("a folder can be made where the tests are built");
        for source in ["stat/programs/worker", "record/programs/refuse"] {
            let name = source.rsplit('/').next().unwrap_or(source);
            // Tests run in processes of their own, side by side: a program appears whole, by its new name.
            let unfinished = folder.join(format!("{name}.{}", std::process::id()));
            let source = format!("{}/tests/{source}.c", env!("CARGO_MANIFEST_DIR"));
            let mut compiler = Command::new("cc");
            compiler.args(["-O1", "-g", "-Wno-unused-result", "-o"]).arg(&unfinished).arg(source);
            let outcome = compiler.output().expect("these tests build small programs and need `cc`");
            assert!(outcome.status.success(), "{}", text(&outcome.stderr));
            std::fs::rename(&unfinished, folder.join(name)).expect("the folder is ours");
        }
        folder
    });
    folder.join(name)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `calor stat` with options, on the program with its words; not started yet.
pub(crate) fn command(options: &[&str], words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calor"));
    command.arg("stat").args(options).arg("--").arg(program("worker")).args(words);
    command.env_remove("COLUMNS").env_remove("NO_COLOR").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn run(options: &[&str], words: &[&str]) -> Output {
    command(options, words).output().expect("the command can be started")
}

/// The table of a run, which stands on standard error: standard output is the program's.
pub(crate) fn table(output: &Output) -> String {
    text(&output.stderr)
}

/// What comes of it as JSON.
pub(crate) fn json(options: &[&str], words: &[&str]) -> Value {
    let output = run(&[&["--format", "json"], options].concat(), words);
    parsed(&output)
}

pub(crate) fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", text(&output.stdout), text(&output.stderr)))
}

/// A counter of a page.
pub(crate) fn counter<'p>(page: &'p Value, name: &str) -> &'p Value {
    let counters = page["counters"].as_array().expect("counters are a list");
    counters.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {page:#}"))
}

/// The value of a counter, which has to be there.
pub(crate) fn value(page: &Value, name: &str) -> f64 {
    counter(page, name)["value"].as_f64().unwrap_or_else(|| panic!("no value of {name}: {page:#}"))
}

/// The codes of the warnings of a page.
pub(crate) fn codes(page: &Value) -> Vec<&str> {
    let warnings = page["warnings"].as_array().expect("warnings are a list");
    warnings.iter().filter_map(|warning| warning["code"].as_str()).collect()
}
