//! What CPython keeps in memory, read from outside the process: which functions its threads are in, and at which
//! lines.
//!
//! Nothing runs inside the interpreter and nothing waits for it, so what is read may be half changed. Every size is
//! bounded and every pointer may lead nowhere; what does not look right is refused, never guessed.

#![expect(dead_code, unused_imports, reason = "the parts are being joined")]

mod code;
mod fields;
mod layout;
mod lines;
mod memory;
mod text;
