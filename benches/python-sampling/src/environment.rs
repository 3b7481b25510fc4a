//! What the interpreters and the peers need, kept beside this program from run to run: a virtual environment with the
//! peers that are Python packages, and a folder with numpy for every interpreter.

use std::path::PathBuf;
use std::process::Command;

use harness::sampled::child::last_words;

use crate::interpreter::Interpreter;

const HINT: &str = "Debian has it in the packages python3 and python3-venv";
/// The newer wheels of austin-dist need a newer C library than many machines have.
const PEERS: [&str; 3] = ["pip", "py-spy", "austin-dist==3.7.0"];

/// A file beside this program.
fn beside(name: &str) -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name(name)
}

/// A program of the peers' environment.
pub(crate) fn peer(name: &str) -> PathBuf {
    beside("python-peers").join("bin").join(name)
}

/// Where numpy is for an interpreter.
pub(crate) fn numpy(interpreter: &str) -> PathBuf {
    beside("python-numpy").join(interpreter)
}

/// Installs the peers.
pub(crate) fn install_peers() -> Result<(), String> {
    if !peer("python").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(beside("python-peers")))?;
    }
    let has_all = ["py-spy", "austin"].iter().all(|name| peer(name).exists());
    if has_all {
        return Ok(());
    }
    run(Command::new(peer("python")).args(["-m", "pip", "install", "--quiet", "--upgrade"]).args(PEERS))
}

/// Installs numpy for an interpreter, by way of the pip of the peers: not every interpreter has its own.
pub(crate) fn install_numpy(interpreter: &Interpreter) -> Result<(), String> {
    let folder = numpy(&interpreter.name);
    if folder.join("numpy").exists() {
        return Ok(());
    }
    let (major, minor) = interpreter.version;
    let mut command = Command::new(peer("python"));
    command.args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--python-version"]);
    command.arg(format!("{major}.{minor}")).arg("--target").arg(folder).arg("numpy");
    if interpreter.is_free_threaded {
        command.arg("--abi").arg(format!("cp{major}{minor}t"));
    }
    run(&mut command)
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot start {name}: {error}; {HINT}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} failed: {}; {HINT}", last_words(&output.stderr))),
    }
}
