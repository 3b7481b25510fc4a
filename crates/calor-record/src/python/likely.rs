//! Whether a command is likely to run Python, so that its first samples can be seen right too. A wrong answer costs a
//! few milliseconds, or the Python frames of the first few dozen samples.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

/// So much of a program is looked through: the names that it needs stand near its beginning.
const LOOKED_AT: u64 = 1 << 20;
/// What programs have in them that hold an interpreter, load one, or unpack one: those made by tools that freeze scripts.
const MARKS: [&[u8]; 2] = [b"Py_Initialize", b"libpython"];

/// Looks at the name of the program, at the first line of a script, and at the names in a program.
pub(crate) fn is_likely(command: &[OsString]) -> bool {
    let Some(program) = command.first() else { return false };
    let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("python") || found(program).is_some_and(|path| is_script_or_holder(&path))
}

/// Where a program is that is started by its name.
fn found(program: &OsStr) -> Option<PathBuf> {
    if program.to_string_lossy().contains('/') {
        return Some(program.into());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn is_script_or_holder(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut bytes));
    if read.is_err() {
        return false;
    }
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if line.starts_with(b"#!") {
        return memchr::memmem::find(line, b"python").is_some();
    }
    bytes.starts_with(b"\x7fELF") && MARKS.iter().any(|mark| memchr::memmem::find(&bytes, mark).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_and_their_scripts_are_told_from_others() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let script = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("the folder is ours");
            is_likely(&[path.into()])
        };
        assert!(is_likely(&["python3.12".into()]) && is_likely(&["/opt/venv/bin/python".into()]));
        assert!(script("train", "#!/usr/bin/env python3\nimport this\n"));
        assert!(!script("build", "#!/bin/sh\npython3 x.py\n") && !script("binary", "\u{7f}ELF python"));
        assert!(script("frozen", "\u{7f}ELF\0\0PyErr_Print\0Py_Initialize\0"));
        assert!(!script("notes", "how to call Py_Initialize"));
        assert!(!is_likely(&[]) && !is_likely(&["no-such-program-anywhere".into()]));
    }
}
