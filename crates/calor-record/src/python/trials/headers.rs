//! Offsets, compared with those that the headers of each interpreter give to a compiler.

use std::path::Path;
use std::process::Command;

use super::running::Running;
use super::{Installed, answer, interpreters};
use crate::python::layout::{Bytecode, Entry, Gil, Layout, Position, ThreadFrame};

#[test]
fn offsets_are_those_of_the_headers() {
    for installed in interpreters() {
        let Some(mut expected) = by_headers(&installed) else {
            eprintln!("{} is not compared: there are no headers for it, or no compiler", installed.version);
            continue;
        };
        let running = Running::start(&installed, "import sys; print('ready', flush=True); sys.stdin.read()");
        let mut found = by_layout(&running.layout);
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{}", installed.version);
    }
}

fn by_headers(installed: &Installed) -> Option<Vec<String>> {
    let include = answer(&installed.program, "import sysconfig; print(sysconfig.get_path('include'))");
    let include = Path::new(include.trim());
    include.join("internal").is_dir().then_some(())?;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (source, program) = (folder.path().join("headers.c"), folder.path().join("headers"));
    std::fs::write(&source, include_str!("headers.c")).expect("a file can be written");
    let mut compiler = Command::new("cc");
    for folder in [include, &include.join("internal"), include.parent()?] {
        compiler.arg("-I").arg(folder);
    }
    let output = compiler.arg(&source).arg("-o").arg(&program).output().ok()?;
    assert!(output.status.success(), "{}: {}", installed.version, String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&program).output().expect("it has just been made");
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn by_layout(layout: &Layout) -> Vec<String> {
    let Layout { runtime, interpreter, gil, thread, frame, code, object, bytes, text, .. } = layout;
    let mut all: Vec<(&str, u32)> = vec![
        ("runtime.interpreters", runtime.interpreters),
        ("runtime.finalizing", runtime.finalizing),
        ("interpreter.next", interpreter.next),
        ("interpreter.threads", interpreter.threads),
        ("thread.next", thread.next),
        ("thread.interpreter", thread.interpreter),
        ("thread.id", thread.id),
        ("frame.code", frame.code),
        ("frame.back", frame.back),
        ("code.file", code.file),
        ("code.name", code.name),
        ("code.first_line", code.first_line),
        ("code.lines", code.lines),
        ("object.type", object.kind),
        // Where the name of a type is taken to be.
        ("type.name", object.kind + 16),
        ("bytes.length", bytes.length),
        ("bytes.data", bytes.data),
        ("text.length", text.length),
        ("text.state", text.state),
        ("text.ascii", text.ascii),
        ("text.compact", text.compact),
    ];
    match *gil {
        Gil::OfRuntime { locked, holder, current } => {
            all.extend([("gil.locked", locked), ("gil.holder", holder), ("gil.current", current)]);
        }
        Gil::OfInterpreter { pointer, locked, holder, .. } => {
            all.extend([("gil.pointer", pointer), ("gil.locked", locked), ("gil.holder", holder)]);
        }
    }
    match thread.frame {
        ThreadFrame::Object { frame } => all.push(("thread.frame", frame)),
        ThreadFrame::CFrame { cframe, current_frame, previous } => all.extend([
            ("thread.cframe", cframe),
            ("cframe.current_frame", current_frame),
            ("cframe.previous", previous),
        ]),
        ThreadFrame::Current { current_frame } => all.push(("thread.current_frame", current_frame)),
    }
    match frame.position {
        Position::Index { offset, .. } | Position::Previous { offset } | Position::Current { offset } => {
            all.push(("frame.instruction", offset));
        }
    }
    match frame.entry {
        Entry::Each => {}
        Entry::Flag { is_entry } => all.push(("frame.is_entry", is_entry)),
        Entry::Shim { owner } => all.push(("frame.owner", owner)),
    }
    match code.bytecode {
        Bytecode::Object { pointer } => all.push(("code.bytecode", pointer)),
        Bytecode::Inline { start, units } => {
            all.extend([("code.bytecode", start), ("code.bytecode_units", units)]);
        }
    }
    all.extend(thread.native_id.map(|at| ("thread.native_id", at)));
    all.extend(code.qualified_name.map(|at| ("code.qualified_name", at)));
    all.into_iter().map(|(name, offset)| format!("{name} {offset}")).collect()
}
