//! Offsets, compared with those that the headers of each interpreter give to a compiler.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use calor_testing::{Need, cannot};

use super::running::Running;
use super::{Installed, answer, from_hex, interpreters};
use crate::python::layout::TextState;
use crate::python::layout::{Bytecode, Entry, Gil, Layout, Position, ThreadFrame};

#[test]
fn offsets_are_those_of_the_headers() {
    for installed in interpreters() {
        let Some(headers) = by_headers(&installed, &[]) else { continue };
        let running = Running::start(&installed, "import sys; print('ready', flush=True); sys.stdin.read()");
        assert_eq!(by_layout(&running.layout), headers.offsets, "{}", installed.version);
        if let Some(table) = headers.table {
            assert_eq!(
                Layout::from_debug_offsets(&table),
                Ok(running.layout.clone()),
                "{}",
                installed.version
            );
        }
        assert_eq!(
            TextState::of(headers.state),
            Some(TextState { width: 2, is_compact: true, is_ascii: false })
        );
    }
}

#[test]
fn offsets_of_builds_without_the_lock_are_those_of_the_headers() {
    // They differ from other builds in how they are compiled, so the headers of those will do.
    let mut installed = interpreters();
    installed.retain(|installed| installed.version.minor >= 14);
    if installed.is_empty() {
        eprintln!("nothing to compare with: no CPython of version 3.14 or newer is installed");
    }
    for installed in installed {
        let Some(headers) = by_headers(&installed, &["-DPy_GIL_DISABLED=1"]) else { continue };
        let layout = Layout::from_debug_offsets(&headers.table.expect("3.14 and newer have a table"));
        let layout = layout.unwrap_or_else(|error| panic!("{}: {error}", installed.version));
        assert!(layout.is_free_threaded);
        assert_eq!(by_layout(&layout), headers.offsets, "{}", installed.version);
        assert_eq!(
            TextState::of(headers.state),
            Some(TextState { width: 2, is_compact: true, is_ascii: false })
        );
    }
}

/// What the headers say.
struct Headers {
    offsets: BTreeMap<String, u32>,
    /// The table of offsets; since 3.14.
    table: Option<Vec<u8>>,
    /// The state of a text of two-byte characters.
    state: u32,
}

/// None, and said aloud, where there are no headers or there is no compiler.
fn by_headers(installed: &Installed, flags: &[&str]) -> Option<Headers> {
    let include = answer(&installed.program, "import sysconfig; print(sysconfig.get_path('include'))");
    let include = Path::new(include.trim());
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (source, program) = (folder.path().join("headers.c"), folder.path().join("headers"));
    std::fs::write(&source, include_str!("headers.c")).expect("a file can be written");
    let mut compiler = Command::new("cc");
    for folder in [include, &include.join("internal"), include.parent().unwrap_or(include)] {
        compiler.arg("-I").arg(folder);
    }
    let output = compiler.args(flags).arg(&source).arg("-o").arg(&program).output();
    let Some(output) = output.ok().filter(|_| include.join("internal").is_dir()) else {
        let why = "there are no headers for it, or there is no C compiler";
        cannot(Need::Python, format_args!("{} is not compared: {why}", installed.version));
        return None;
    };
    assert!(output.status.success(), "{}: {}", installed.version, String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&program).output().expect("it has just been made");
    let output = String::from_utf8(output.stdout).expect("it prints ASCII");
    let mut said: BTreeMap<&str, &str> = output.lines().filter_map(|line| line.split_once(' ')).collect();
    let table = said.remove("table").map(from_hex);
    let number = |text: &str| text.parse().expect("a number");
    let state = number(said.remove("state").expect("all versions have texts"));
    Some(Headers {
        offsets: said.into_iter().map(|(name, at)| (name.to_owned(), number(at))).collect(),
        table,
        state,
    })
}

fn by_layout(layout: &Layout) -> BTreeMap<String, u32> {
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
        Gil::OfInterpreter { pointer, locked, holder, enabled } => {
            all.extend([("gil.pointer", pointer), ("gil.locked", locked), ("gil.holder", holder)]);
            all.extend(enabled.map(|at| ("gil.enabled", at)));
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
    all.extend(code.copies.map(|at| ("code.copies", at)));
    all.into_iter().map(|(name, offset)| (name.to_owned(), offset)).collect()
}
