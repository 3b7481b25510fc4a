//! Whether there is a Python, and which.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::Check;

pub(super) fn check() -> Check {
    let found = ["python3", "python"].into_iter().find_map(|name| {
        let path = on_path(name)?;
        version(&path).map(|version| {
            let shown = path.display();
            format!("{version} at {shown}; its functions are read {}", how())
        })
    });
    match found {
        Some(found) => Check::ok("python", found),
        None => Check::not_ok("python", "neither python3 nor python is on the PATH").fixed_by(remedy()),
    }
}

/// How frames of Python programs are read here.
fn how() -> String {
    match calor_record::probe_instants() {
        Ok(()) => "by the kernel at the instant of each sample".to_owned(),
        Err(error) => format!(
            "right after each sample, which leaves more of them unverified on a busy machine: the kernel runs no program \
             for this user ({error}), only for root or with cap_bpf and cap_perfmon"
        ),
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// What it says of itself; nothing when it cannot be started, as a stand-in without a Python behind it.
fn version(path: &PathBuf) -> Option<String> {
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let said = said.trim();
    (output.status.success() && said.starts_with("Python")).then(|| said.to_owned())
}

/// The command that installs it, of the package manager that is there.
fn remedy() -> &'static str {
    let managers = [
        ("apt-get", "sudo apt-get install python3"),
        ("dnf", "sudo dnf install python3"),
        ("apk", "sudo apk add python3"),
        ("pacman", "sudo pacman -S python"),
        ("brew", "brew install python"),
        ("winget", "winget install Python.Python.3.13"),
    ];
    let known = managers.into_iter().find(|(name, _)| on_path(name).is_some());
    known.map_or("sudo apt-get install python3", |(_, command)| command)
}
