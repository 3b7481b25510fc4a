//! Tools and libraries that Debian has: the installed one, or else its packages unpacked beside this program, which needs no root.

use std::path::{Path, PathBuf};
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
        unpack(self.packages, &self.unpacked())
    }

    fn unpacked(&self) -> PathBuf {
        beside("debian").join(self.program)
    }
}

/// A library that is loaded at run time.
#[derive(Debug)]
pub struct Library {
    /// The name of its file.
    pub file: &'static str,
    /// The packages that hold it, and those that it needs in turn.
    pub packages: &'static [&'static str],
}

/// Where a library is.
#[derive(Debug)]
pub struct Unpacked {
    /// The file.
    pub file: PathBuf,
    /// The folders that the loader has to look in for what it needs: what `LD_LIBRARY_PATH` has to name.
    pub folders: Vec<PathBuf>,
}

impl Library {
    /// Gets it, if it is not there.
    pub fn make(&self) -> Result<Unpacked, String> {
        let folder = beside("debian").join(self.file);
        if let Some(found) = self.find(&folder) {
            return Ok(found);
        }
        unpack(self.packages, &folder)?;
        self.find(&folder)
            .ok_or_else(|| format!("{} is not in the packages that Debian has of it", self.file))
    }

    fn find(&self, folder: &Path) -> Option<Unpacked> {
        let mut folders = Vec::new();
        let mut open = vec![folder.join("usr/lib")];
        while let Some(folder) = open.pop() {
            let entries =
                std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let (inside, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
            let is_library = |path: &PathBuf| path.to_string_lossy().contains(".so");
            if files.iter().any(is_library) {
                folders.push(folder);
            }
            open.extend(inside);
        }
        let file = folders.iter().map(|folder| folder.join(self.file)).find(|file| file.exists())?;
        Some(Unpacked { file, folders })
    }
}

/// Downloads packages and unpacks them into a folder.
fn unpack(packages: &[&str], folder: &Path) -> Result<(), String> {
    let hint = format!("`apt-get install {}` installs it", packages[0]);
    let failed = |error| format!("cannot use {}: {error}; {hint}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    finished(Command::new("apt-get").arg("download").args(packages).current_dir(folder), &hint)?;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            finished(Command::new("dpkg-deb").arg("-x").arg(path).arg(folder), &hint)?;
        }
    }
    Ok(())
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

    #[test]
    fn a_library_is_found_with_the_folders_of_what_it_needs() {
        let folder = std::env::temp_dir().join(format!("calor-debian-test-{}", std::process::id()));
        let lib = folder.join("usr/lib/some-machine");
        std::fs::create_dir_all(lib.join("fast")).unwrap();
        std::fs::write(lib.join("fast/libfast.so.0"), "").unwrap();
        std::fs::write(lib.join("libneeded.so.5"), "").unwrap();
        let library = Library { file: "libfast.so.0", packages: &[] };
        let found = library.find(&folder).unwrap();
        assert_eq!(found.file, lib.join("fast/libfast.so.0"));
        assert!(found.folders.contains(&lib) && found.folders.contains(&lib.join("fast")), "{found:?}");
        assert!(Library { file: "libother.so", packages: &[] }.find(&folder).is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
