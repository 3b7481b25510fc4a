//! A line of a sample's stack: address, symbol and module.

use std::collections::HashMap;

use calor_model::{Frame, FrameKind, StringTable};
use foldhash::fast::RandomState;

/// The lowest address that belongs to the kernel on 64-bit machines.
const KERNEL_START: u64 = 0xffff_8000_0000_0000;

/// Frames by symbol and module, which repeat all the time while addresses and offsets do not.
#[derive(Default)]
pub(super) struct Frames<'a> {
    known: HashMap<(bool, &'a str, &'a str), Frame, RandomState>,
}

impl<'a> Frames<'a> {
    /// The frame of a line such as `12f4 symbol+0x54 (module)`; `None` when the line is none. An inlined one has no
    /// module yet.
    pub(super) fn parse(&mut self, line: &'a str, strings: &mut StringTable) -> Option<Frame> {
        let (address, rest) = line.trim_ascii().split_once(' ')?;
        let is_kernel = u64::from_str_radix(address, 16).ok()? >= KERNEL_START;
        let (symbol, module) = split_module(rest)?;
        let symbol = without_offset(symbol.trim_ascii());
        let known = self.known.entry((is_kernel, symbol, module));
        Some(*known.or_insert_with(|| frame(symbol, module, is_kernel, strings)))
    }
}

fn frame(symbol: &str, module: &str, is_kernel: bool, strings: &mut StringTable) -> Frame {
    let is_inlined = module == "inlined";
    let module = match module {
        "inlined" | "[unknown]" | "" => None,
        module => Some(module),
    };
    let is_kernel = is_kernel || module.is_some_and(|module| module.starts_with("[kernel"));
    let python = symbol.strip_prefix("py::").and_then(|rest| rest.split_once(':'));
    let (name, kind, file) = match (symbol, python) {
        (_, Some((name, file))) => (name, FrameKind::Python, Some(strings.intern(file))),
        ("[unknown]" | "", _) if module.is_none() => ("(unknown)", FrameKind::Synthetic, None),
        ("[unknown]" | "", _) if is_kernel => ("(unknown)", FrameKind::Kernel, None),
        ("[unknown]" | "", _) => ("(unknown)", FrameKind::Native, None),
        (name, _) if is_kernel => (name, FrameKind::Kernel, None),
        (name, _) => (name, FrameKind::Native, None),
    };
    let name = strings.intern(name);
    let module = module.map(|module| strings.intern(module));
    Frame { module, file, is_inlined, ..Frame::new(name, kind) }
}

/// A text that ends in a module in parentheses, which may contain parentheses itself.
fn split_module(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_end();
    let inner = text.strip_suffix(')')?;
    let mut depth = 0_usize;
    for (at, byte) in inner.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return Some((&inner[..at], &inner[at + 1..])),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    inner.rsplit_once(" (")
}

fn without_offset(symbol: &str) -> &str {
    match symbol.rsplit_once("+0x") {
        Some((name, offset)) if offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_whatever_the_symbol_contains() {
        let mut strings = StringTable::default();
        let mut check = |line, name: &str, kind, module: Option<&str>, is_inlined| {
            let frame = Frames::default().parse(line, &mut strings).expect("a frame");
            assert_eq!(strings.get(frame.name), name);
            assert_eq!(frame.module.map(|module| strings.get(module)), module, "{line}");
            assert_eq!((frame.kind, frame.is_inlined), (kind, is_inlined), "{line}");
        };
        let native = FrameKind::Native;
        check("\t 12f4 attention+0x54 (/bin/w)", "attention", native, Some("/bin/w"), false);
        check("12f4 inner+0x54 (inlined)", "inner", native, None, true);
        check(
            "1 f(int, g<(a)1>) const+0x1 (/a b/(c)/d)",
            "f(int, g<(a)1>) const",
            native,
            Some("/a b/(c)/d"),
            false,
        );
        check("1 [unknown] (/memfd:jit (deleted))", "(unknown)", native, Some("/memfd:jit (deleted)"), false);
        check("0 [unknown] ([unknown])", "(unknown)", FrameKind::Synthetic, None, false);
        check("ffffffff815ec675 do_x+0x1 ([nf])", "do_x", FrameKind::Kernel, Some("[nf]"), false);
        check(
            "1 py::forward:/m/model.py+0xb (/tmp/perf-1.map)",
            "forward",
            FrameKind::Python,
            Some("/tmp/perf-1.map"),
            false,
        );
        check("1 a+0xzz (/b))", "a+0xzz", native, Some("/b)"), false);
    }
}
