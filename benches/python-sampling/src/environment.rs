//! What the interpreters and the peers need, kept beside this program from run to run: a virtual environment with the
//! peers that are Python packages, and a folder with numpy for every interpreter.

use std::path::PathBuf;
use std::process::Command;

use harness::watched::{Environment, PYTHON_HINT, beside, finished};

use crate::interpreter::Interpreter;

/// The newer wheels of austin-dist need a newer C library than many machines have.
pub(crate) const PEERS: Environment =
    Environment { name: "python-peers", packages: &["pip", "py-spy", "austin-dist==3.7.0"] };

/// Where numpy is for an interpreter.
pub(crate) fn numpy(interpreter: &str) -> PathBuf {
    beside("python-numpy").join(interpreter)
}

/// Installs numpy for an interpreter, by way of the pip of the peers: not every interpreter has its own.
pub(crate) fn install_numpy(interpreter: &Interpreter) -> Result<(), String> {
    let folder = numpy(&interpreter.name);
    if folder.join("numpy").exists() {
        return Ok(());
    }
    let (major, minor) = interpreter.version;
    let mut command = Command::new(PEERS.program("python"));
    command.args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--python-version"]);
    command.arg(format!("{major}.{minor}")).arg("--target").arg(folder).arg("numpy");
    if interpreter.is_free_threaded {
        command.arg("--abi").arg(format!("cp{major}{minor}t"));
    }
    finished(&mut command, PYTHON_HINT)
}
