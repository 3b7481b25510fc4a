//! Programs that are built from the sources that Debian has of them, as their authors build them. Its own packages are built by
//! other rules: of 8-bit numbers `zstd -b1` of Debian 12 tells half the speed of the library beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{beside, finished};

/// Where the system keeps the places that packages come from.
const PLACES: &str = "/etc/apt";

/// One program.
#[derive(Debug)]
pub struct Source {
    /// The source package.
    pub package: &'static str,
    /// The program that `make` makes, as it is called in the folder of the sources.
    pub program: &'static str,
    /// What `make` is told.
    pub make: &'static [&'static str],
}

impl Source {
    /// Gets and builds it, if it is not there.
    pub fn make(&self) -> Result<PathBuf, String> {
        let folder = beside("debian").join(format!("{}-source", self.package));
        if let Some(program) = self.find(&folder) {
            return Ok(program);
        }
        let failed = |error: std::io::Error| format!("cannot use {}: {error}", folder.display());
        let (places, lists) = (folder.join("places"), folder.join("lists"));
        std::fs::create_dir_all(&places).map_err(failed)?;
        std::fs::create_dir_all(lists.join("partial")).map_err(failed)?;
        write_places(Path::new(PLACES), &places).map_err(failed)?;
        let options = [
            "Dir::Etc::sourcelist=/dev/null".to_owned(),
            format!("Dir::Etc::sourceparts={}", places.display()),
            format!("Dir::State::lists={}", lists.display()),
        ];
        let apt = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            options.iter().for_each(|option| _ = command.args(["-o", option.as_str()]));
            finished(command.args(words).current_dir(&folder), "the sources of Debian have to be reachable")
        };
        apt(&["update"])?;
        apt(&["source", "--download-only", self.package])?;
        let hint = "apt-get install make gcc xz-utils";
        for archive in entries(&folder).filter(|path| is_archive(path)) {
            finished(Command::new("tar").arg("-xf").arg(archive).current_dir(&folder), hint)?;
        }
        let unpacked = entries(&folder).find(|path| path.join("Makefile").is_file());
        let unpacked = unpacked.ok_or_else(|| format!("the sources of {} have no Makefile", self.package))?;
        finished(Command::new("make").args(self.make).current_dir(unpacked), hint)?;
        self.find(&folder).ok_or_else(|| format!("`make` made no {}", self.program))
    }

    fn find(&self, folder: &Path) -> Option<PathBuf> {
        entries(folder).map(|path| path.join(self.program)).find(|program| program.is_file())
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// What the authors published, without Debian's changes and signatures.
fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.contains(".orig.tar.") && !name.ends_with(".asc")
}

/// Writes the system's places anew, as those that sources come from.
fn write_places(from: &Path, to: &Path) -> std::io::Result<()> {
    let parts = entries(&from.join("sources.list.d"));
    for file in parts.chain(std::iter::once(from.join("sources.list"))).filter(|file| file.is_file()) {
        let is_list = file.extension().is_some_and(|extension| extension == "list");
        if !is_list && file.extension().is_none_or(|extension| extension != "sources") {
            continue;
        }
        let text: String =
            std::fs::read_to_string(&file)?.lines().map(|line| of_sources(line) + "\n").collect();
        std::fs::write(to.join(file.file_name().unwrap_or_default()), text)?;
    }
    Ok(())
}

fn of_sources(line: &str) -> String {
    match line.split_once(' ') {
        Some(("deb", rest)) => format!("deb-src {rest}"),
        Some(("Types:", _)) => "Types: deb-src".to_owned(),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_packages_become_places_of_sources() {
        assert_eq!(
            of_sources("deb [signed-by=a] mirror suite main"),
            "deb-src [signed-by=a] mirror suite main"
        );
        assert_eq!(of_sources("Types: deb"), "Types: deb-src");
        assert_eq!(of_sources("Suites: a b"), "Suites: a b");
        assert!(
            is_archive(Path::new("a/x_1.0.orig.tar.xz")) && !is_archive(Path::new("a/x_1.0.orig.tar.xz.asc"))
        );
        assert!(!is_archive(Path::new("a/x_1.0-1.debian.tar.xz")));
    }
}
