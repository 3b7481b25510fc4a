//! The names of the kernel's functions: only where the kernel that was recorded is the one that runs now, at the same
//! addresses. Any other would give wrong names.

use std::fs;

use calor_model::Warning;

use super::replay::Replay;
use crate::call_paths::tally::Step;
use crate::perf::Fields;
use calor_symbols::KernelSymbols;

/// What names the kernel's addresses, or a warning why nothing does.
pub(super) fn symbols(replay: &Replay<'_>) -> (Option<KernelSymbols>, Option<Warning>) {
    if !replay.tally.steps().any(|step| matches!(step, Step::Kernel(_))) {
        return (None, None);
    }
    let found = match recorded_is_running(replay) {
        true => KernelSymbols::load().map_err(|error| error.to_string()).and_then(|symbols| {
            let start = replay.recorded_kernel_start();
            let is_same = start.is_none_or(|start| {
                ["_text", "_stext"].iter().any(|name| symbols.address(name) == Some(start))
            });
            is_same.then_some(symbols).ok_or_else(|| "this machine was started again since".to_owned())
        }),
        false => Err("they were recorded under another kernel than the one that runs here".to_owned()),
    };
    match found {
        Ok(symbols) => (Some(symbols), None),
        Err(why) => {
            let message = format!("the kernel's functions are shown as offsets: {why}");
            (None, Some(Warning::new("kernel_symbols_missing", message)))
        }
    }
}

fn recorded_is_running(replay: &Replay<'_>) -> bool {
    match replay.features.build_ids.of("[kernel.kallsyms]") {
        Some(recorded) => running_build_id().as_deref() == Some(recorded),
        None => replay.features.is_of_this_machine(),
    }
}

/// The running kernel's build id, from the notes that it publishes.
fn running_build_id() -> Option<Vec<u8>> {
    const BUILD_ID: u32 = 3;
    let notes = fs::read("/sys/kernel/notes").ok()?;
    let mut notes = Fields(&notes);
    while !notes.0.is_empty() {
        let (name, content, kind) = (notes.u32() as usize, notes.u32() as usize, notes.u32());
        let name = notes.bytes(name.next_multiple_of(4));
        let content = notes.bytes(content.next_multiple_of(4));
        if kind == BUILD_ID && name.starts_with(b"GNU") {
            return Some(content.to_vec());
        }
    }
    None
}
