//! The layouts of 3.8 to 3.12, which do not describe themselves.
//!
//! The numbers are those of `offsetof` in a C program that is compiled with the headers of each version, on x86-64;
//! a test does so again with the headers that are installed (`python/trials/headers.rs`). Releases of one minor
//! version do not differ in them.

use crate::{
    Bytecode, Bytes, Code, Entry, Frame, Gil, Interpreter, Layout, LineForm, Object, Position, Runtime, Text,
    Thread, ThreadFrame, Version,
};

pub(crate) fn layout(version: Version) -> Option<Layout> {
    let layout = match version.minor {
        8 => v3_8(version),
        9 => v3_9(version),
        10 => v3_10(version),
        11 => v3_11(version),
        12 => v3_12(version),
        _ => return None,
    };
    Some(layout)
}

fn v3_8(version: Version) -> Layout {
    Layout {
        version,
        is_free_threaded: false,
        is_unproven: false,
        runtime: Runtime { interpreters: 32, finalizing: 16 },
        interpreter: Interpreter { next: 0, threads: 8 },
        gil: Gil::OfRuntime { locked: 1168, holder: 1160, current: 1368 },
        thread: Thread {
            next: 8,
            interpreter: 16,
            id: 176,
            native_id: None,
            frame: ThreadFrame::Object { frame: 24 },
        },
        frame: Frame {
            code: 32,
            back: 24,
            position: Position::Index { offset: 104, unit: 1 },
            entry: Entry::Each,
        },
        code: Code {
            file: 104,
            name: 112,
            qualified_name: None,
            first_line: 40,
            lines: 120,
            line_form: LineForm::Lnotab,
            bytecode: Bytecode::Object { pointer: 48 },
            copies: None,
        },
        object: Object { kind: 8 },
        bytes: Bytes { length: 16, data: 32 },
        text: Text { length: 16, state: 32, ascii: 48, compact: 72 },
    }
}

fn v3_9(version: Version) -> Layout {
    Layout { gil: Gil::OfRuntime { locked: 368, holder: 360, current: 568 }, ..v3_8(version) }
}

fn v3_10(version: Version) -> Layout {
    let before = v3_9(version);
    Layout {
        frame: Frame { position: Position::Index { offset: 96, unit: 2 }, ..before.frame },
        code: Code { line_form: LineForm::Ranges, ..before.code },
        ..before
    }
}

fn v3_11(version: Version) -> Layout {
    Layout {
        runtime: Runtime { interpreters: 40, finalizing: 24 },
        interpreter: Interpreter { next: 0, threads: 16 },
        gil: Gil::OfRuntime { locked: 376, holder: 368, current: 576 },
        thread: Thread {
            next: 8,
            interpreter: 16,
            id: 152,
            native_id: Some(160),
            frame: ThreadFrame::CFrame { cframe: 56, current_frame: 8, previous: 16 },
        },
        frame: Frame {
            code: 32,
            back: 48,
            position: Position::Previous { offset: 56 },
            entry: Entry::Flag { is_entry: 68 },
        },
        code: Code {
            file: 112,
            name: 120,
            qualified_name: Some(128),
            first_line: 72,
            lines: 136,
            line_form: LineForm::Locations,
            bytecode: Bytecode::Inline { start: 184, units: 16 },
            copies: None,
        },
        ..v3_10(version)
    }
}

fn v3_12(version: Version) -> Layout {
    let before = v3_11(version);
    Layout {
        interpreter: Interpreter { next: 0, threads: 72 },
        gil: Gil::OfInterpreter { pointer: 384, locked: 16, holder: 8, enabled: None },
        thread: Thread {
            id: 136,
            native_id: Some(144),
            frame: ThreadFrame::CFrame { cframe: 56, current_frame: 0, previous: 8 },
            ..before.thread
        },
        frame: Frame {
            code: 0,
            back: 8,
            position: Position::Previous { offset: 56 },
            entry: Entry::Shim { owner: 70 },
        },
        code: Code { first_line: 68, bytecode: Bytecode::Inline { start: 192, units: 16 }, ..before.code },
        text: Text { ascii: 40, compact: 56, ..before.text },
        ..before
    }
}
