//! What could not be named, and what to do about it: the package to install or the option to build with.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::debug_file::{DebugFiles, hexadecimal};
use super::mini;
use super::symbol_table::{self, Table};
use crate::image::Image;

/// What an image lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ShortcomingKind {
    /// Its functions have no names, or only those that other files use.
    NoSymbols,
    /// It has names, but no lines and no inlined functions.
    NoDebugInformation,
    /// Some of its debug information is in files that are not there.
    SplitFilesMissing,
    /// Its debug information is there and cannot be used.
    Unreadable,
}

impl fmt::Display for ShortcomingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSymbols => "no names of its own functions",
            Self::NoDebugInformation => "no debug information: no lines and no inlined functions",
            Self::SplitFilesMissing => "a part of its debug information is missing",
            Self::Unreadable => "its debug information cannot be read",
        })
    }
}

/// What an image lacks, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shortcoming {
    /// The image, as the process calls it.
    pub image: String,
    /// The kind.
    pub kind: ShortcomingKind,
    /// What is missing, for people.
    pub what: String,
    /// What to install, or how to build.
    pub advice: String,
    /// How many different addresses stayed without a name.
    pub n_unknown: usize,
}

/// What was noticed while an image was resolved.
#[derive(Default, Debug)]
pub(super) struct Evidence {
    pub(super) n_unknown: usize,
    pub(super) missing_split: Option<String>,
    pub(super) unreadable: Option<String>,
    /// What to do about it, once that was asked: it is the same each time.
    advice: OnceCell<String>,
}

impl Evidence {
    pub(super) fn shortcoming(&self, image: &Arc<Image>, files: &DebugFiles) -> Option<Shortcoming> {
        // What has no file, such as the kernel's vdso, nobody can build or install.
        let path = image.file()?;
        let (kind, what, advice) = if let Some(why) = &self.unreadable {
            let advice = "build it again, or report it as a fault of this profiler".to_owned();
            (ShortcomingKind::Unreadable, format!("its debug information cannot be read: {why}"), advice)
        } else if let Some(missing) = &self.missing_split {
            let what = format!("a part of its debug information is missing: {missing}");
            let advice =
                "keep the folder it was built in, or gather the parts with `dwp -e PROGRAM` after linking";
            (ShortcomingKind::SplitFilesMissing, what, advice.replace("PROGRAM", &path.to_string_lossy()))
        } else if files.main.is_some() {
            return None;
        } else {
            let has_names = symbol_table::has_functions(image.bytes(), Table::Full) || mini::is_in(image);
            let kind =
                if has_names { ShortcomingKind::NoDebugInformation } else { ShortcomingKind::NoSymbols };
            (kind, kind.to_string(), self.advice.get_or_init(|| advice(image)).clone())
        };
        Some(Shortcoming { image: image.name().to_owned(), kind, what, advice, n_unknown: self.n_unknown })
    }
}

fn advice(image: &Image) -> String {
    let name = image.name();
    let is_of_system = ["/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/"].iter().any(|it| name.starts_with(it))
        && !name.starts_with("/usr/local/");
    if is_of_system {
        return system_advice(image);
    }
    if name.contains("/site-packages/") || name.contains("/dist-packages/") {
        return "it comes with a Python package, which is published without debug information: \
                build that package from source with `CFLAGS=-g pip install --no-binary :all: PACKAGE`"
            .to_owned();
    }
    let compilers =
        image.section(".comment").map(|(_, bytes)| String::from_utf8_lossy(bytes)).unwrap_or_default();
    if compilers.contains("rustc version") {
        return "build it with `debug = \"line-tables-only\"` and `strip = false` under `[profile.release]`, or with \
                `CARGO_PROFILE_RELEASE_DEBUG=line-tables-only CARGO_PROFILE_RELEASE_STRIP=false` \
                (`limited` instead, which is larger, also has the modules of inlined functions)"
            .to_owned();
    }
    if image.has_section(".gopclntab") || image.has_section(".note.go.buildid") {
        return "build it without `-ldflags=-s` and `-ldflags=-w`".to_owned();
    }
    "build it with `-g`, which costs no speed, and do not strip it".to_owned()
}

/// What to install for a file of the distribution.
fn system_advice(image: &Image) -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let is_like = |name: &str| {
        release
            .lines()
            .filter_map(|line| line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE=")))
            .any(|value| value.trim_matches('"').split(' ').any(|word| word == name))
    };
    let download =
        image.build_id().map(|id| format!("fetch it with `debuginfod-find debuginfo {}`", hexadecimal(id)));
    let install = if is_like("debian") {
        debian_advice(image.name())
    } else if is_like("fedora") || is_like("rhel") {
        Some(format!("run `dnf debuginfo-install {}`", image.name()))
    } else if is_like("suse") || is_like("opensuse") {
        Some(format!("run `zypper install $(rpm -qf --qf %{{NAME}}-debuginfo {})`", image.name()))
    } else {
        None
    };
    match (install, download) {
        (Some(install), Some(download)) => format!("{install}, or {download}"),
        (Some(advice), None) | (None, Some(advice)) => advice,
        (None, None) => "install the package with its debug information".to_owned(),
    }
}

fn debian_advice(name: &str) -> Option<String> {
    let package = debian_package(Path::new("/var/lib/dpkg/info"), name)?;
    // Only the C library's has been in the main archive all along.
    Some(if package.starts_with("libc6") {
        "run `apt install libc6-dbg`".to_owned()
    } else {
        format!("run `apt install {package}-dbgsym` (with the archive of debug packages enabled)")
    })
}

/// The package that a file belongs to, by the lists that the package manager keeps.
fn debian_package(lists: &Path, name: &str) -> Option<String> {
    // On merged systems a library is mapped as `/usr/lib/…` and listed as `/lib/…`, or the other way round.
    let real = fs::canonicalize(name).ok().map(|path| path.to_string_lossy().into_owned());
    let mut names: Vec<String> = vec![name.to_owned()];
    names.extend(real.filter(|real| real != name));
    for own in names.clone() {
        names.push(own.strip_prefix("/usr").map_or_else(|| format!("/usr{own}"), str::to_owned));
    }
    let mut files: Vec<_> = fs::read_dir(lists).ok()?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "list"));
    // A system has hundreds of lists. Packages are mostly named like their files, and libraries mostly come in packages
    // of their architecture, whose lists are named so.
    let file_name = name.rsplit('/').next().unwrap_or(name);
    files.sort_by_cached_key(|path| {
        let package = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_of_architecture = package.contains(':');
        let n_alike = package.bytes().zip(file_name.bytes()).take_while(|(a, b)| a == b).count();
        (Reverse(n_alike), !is_of_architecture, path.clone())
    });
    files.iter().find_map(|path| {
        let list = fs::read(path).ok()?;
        let is_listed = names.iter().any(|name| has_line(&list, name.as_bytes()));
        let package = path.file_stem()?.to_str()?.split(':').next()?;
        is_listed.then(|| package.to_owned())
    })
}

/// Whether a text has a line, whole.
fn has_line(text: &[u8], line: &[u8]) -> bool {
    memchr::memmem::find_iter(text, line).any(|at| {
        let (before, behind) = (at.checked_sub(1).map(|at| text[at]), text.get(at + line.len()));
        before.is_none_or(|byte| byte == b'\n') && behind.is_none_or(|byte| *byte == b'\n')
    })
}
