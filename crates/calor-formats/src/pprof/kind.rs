//! What kind of place a frame is, and the module it belongs to, told by the name of a mapping. The format knows
//! no kinds; a file of another tool lets us guess, and in one of ours the name of the mapping says it where the
//! guess would be wrong: `[scope]`, or `numpy [python]` for a place of a module. So the kinds can also be
//! looked for with the options of other tools that match the names of mappings.

use calor_model::FrameKind;

const WORDS: [(FrameKind, &str); 7] = [
    (FrameKind::Scope, "[scope]"),
    (FrameKind::Context, "[context]"),
    (FrameKind::Native, "[native]"),
    (FrameKind::Kernel, "[kernel]"),
    (FrameKind::Python, "[python]"),
    (FrameKind::Gpu, "[gpu]"),
    (FrameKind::Synthetic, "[synthetic]"),
];

/// The module that the name of a mapping stands for, and the kind it says.
pub(super) fn parse(mapping: &str) -> (Option<&str>, Option<FrameKind>) {
    for (kind, word) in WORDS {
        if let Some(before) = mapping.strip_suffix(word) {
            if before.is_empty() {
                return (None, Some(kind));
            }
            if let Some(module) = before.strip_suffix(' ') {
                return (Some(module), Some(kind));
            }
        }
    }
    ((!mapping.is_empty()).then_some(mapping), None)
}

/// The kind of a frame of which nothing is known but where it is.
pub(super) fn guess(module: Option<&str>, file: Option<&str>) -> FrameKind {
    if file.is_some_and(|file| file.ends_with(".py") || file.starts_with("<frozen ")) {
        return FrameKind::Python;
    }
    match module {
        Some(module) if module.starts_with("[kernel") || module.ends_with(".ko") => FrameKind::Kernel,
        _ => FrameKind::Native,
    }
}

/// The name of the mapping from which [`parse`] and [`guess`] take the same module and kind again; `None` when
/// no mapping is needed.
pub(super) fn mapping_name(kind: FrameKind, module: Option<&str>, file: Option<&str>) -> Option<String> {
    let plain = module.unwrap_or_default();
    if parse(plain) == (module, None) && guess(module, file) == kind {
        return module.map(str::to_owned);
    }
    let word = WORDS.iter().find(|(known, _)| *known == kind).map_or("[native]", |(_, word)| word);
    Some(match module {
        Some(module) => format!("{module} {word}"),
        None => word.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_and_kind_are_read_back_from_the_name_of_the_mapping() {
        let modules =
            [None, Some(""), Some("libc.so.6"), Some("[kernel.kallsyms]"), Some("[gpu]"), Some("x [scope]")];
        for (kind, _) in WORDS {
            for module in modules {
                for file in [None, Some("a.py"), Some("a.rs")] {
                    let name = mapping_name(kind, module, file).unwrap_or_default();
                    let (read_module, read_kind) = parse(&name);
                    let read_kind = read_kind.unwrap_or_else(|| guess(read_module, file));
                    assert_eq!((read_module, read_kind), (module, kind), "{name:?} of {file:?}");
                }
            }
        }
    }

    #[test]
    fn mappings_of_other_tools_keep_their_names() {
        assert_eq!(mapping_name(FrameKind::Native, Some("/usr/bin/waits"), None).unwrap(), "/usr/bin/waits");
        assert_eq!(mapping_name(FrameKind::Native, None, Some("a.c")), None);
        assert_eq!(guess(Some("[kernel.kallsyms]"), None), FrameKind::Kernel);
        assert_eq!(parse("[vdso]"), (Some("[vdso]"), None));
    }
}
