//! Tools that Debian has: the installed one, or else its packages unpacked beside this program, which needs no root.

use std::path::PathBuf;
use std::process::Command;

use super::{beside, finished};

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// The name of its program.
    pub program: &'static str,
    /// The packages that hold it; what they need in turn has to be there.
    pub packages: &'static [&'static str],
}

impl Tool {
    /// The folder with `bin`, `lib` and so on that it is in: of the system, or else our own.
    #[must_use]
    pub fn prefix(&self) -> PathBuf {
        match installed(self.program) {
            Some(prefix) => prefix,
            None => self.unpacked().join("usr"),
        }
    }

    /// Gets it, if it is not there.
    pub fn make(&self) -> Result<(), String> {
        if self.prefix().join("bin").join(self.program).exists() {
            return Ok(());
        }
        let hint = format!("`apt-get install {}` installs it", self.packages[0]);
        let folder = self.unpacked();
        let failed = |error| format!("cannot use {}: {error}; {hint}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        finished(Command::new("apt-get").arg("download").args(self.packages).current_dir(&folder), &hint)?;
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "deb") {
                finished(Command::new("dpkg-deb").arg("-x").arg(path).arg(&folder), &hint)?;
            }
        }
        Ok(())
    }

    fn unpacked(&self) -> PathBuf {
        beside("debian").join(self.program)
    }
}

/// The prefix of a program on the path.
fn installed(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&folders).find(|folder| folder.join(program).is_file())?;
    found.parent().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_taken_from_the_system_or_else_from_a_folder_of_our_own() {
        let shell = Tool { program: "sh", packages: &[] };
        assert!(shell.prefix().join("bin/sh").exists());
        let missing = Tool { program: "no-such-program-on-any-machine", packages: &[] };
        assert!(missing.prefix().ends_with("debian/no-such-program-on-any-machine/usr"));
    }
}
