//! Names come from the profiled program and may hold anything; in a picture they are text and nothing else.

use calor_analysis::short_name;
use calor_analysis::{FlameFrame, FlameKind};
use calor_model::FrameKind;

use crate::text::printable::{cut_back, printable};

/// Names longer than this many columns are cut: nobody reads more, and thousands of them would be a large file.
const LONGEST: usize = 400;
/// What Python calls the outermost code of a file.
const MODULE: &str = "<module>";

/// A name that can be shown: control characters and turned writing made visible, not too long.
pub(super) fn shown(name: &str) -> String {
    // XML has no way to write these two, not even escaped.
    let name = printable(name).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}");
    if name.is_empty() { "(no name)".to_owned() } else { cut_back(&name, LONGEST) }
}

/// What a frame is called: threads of one name are told apart by their numbers, as in the rest of a report.
pub(super) fn frame_name(frame: &FlameFrame<'_>) -> String {
    match (frame.kind, frame.tid) {
        (FlameKind::Thread, Some(tid)) => format!("{} ({tid})", shown(frame.name)),
        _ => shown(frame.name),
    }
}

/// What stands in the frame, where that is not its name: a shorter one, or for the outermost code of a Python file, which is
/// called the same in all of them, with the file.
pub(super) fn frame_short_name(frame: &FlameFrame<'_>) -> Option<String> {
    let FlameKind::Code(kind) = frame.kind else { return None };
    if let (FrameKind::Python, MODULE, Some(file)) = (kind, frame.name, frame.file) {
        return Some(shown(&format!("{MODULE} {}", module_file(file))));
    }
    let short = short_name(kind, frame.name);
    (short.len() < frame.name.len()).then(|| shown(&short))
}

/// The name of a Python file; that of a package is the same in all of them, and has its folder.
fn module_file(path: &str) -> &str {
    let at = match path.strip_suffix("/__init__.py") {
        Some(folder) => folder.rfind('/'),
        None => path.rfind('/'),
    };
    at.map_or(path, |at| &path[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Escaped;

    #[test]
    fn names_cannot_be_markup_or_hide() {
        let hostile = "</title><script>\"'&\x00\x1b\u{202e}\u{ffff}";
        let escaped = Escaped(&shown(hostile)).to_string();
        assert_eq!(escaped, "&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(shown(""), "(no name)");
        assert_eq!(shown(&"x".repeat(5_000)).chars().count(), LONGEST);
    }

    #[test]
    fn outermost_code_of_python_stands_there_with_its_file() {
        let label = |name, file| {
            let kind = FlameKind::Code(FrameKind::Python);
            frame_short_name(&FlameFrame { name, kind, tid: None, module: None, file, line: None })
        };
        assert_eq!(label(MODULE, Some("/home/me/app.py")).as_deref(), Some("<module> app.py"));
        let package = Some("/usr/lib/python3/numpy/__init__.py");
        assert_eq!(label(MODULE, package).as_deref(), Some("<module> numpy/__init__.py"));
        assert_eq!((label(MODULE, None), label("load", Some("app.py"))), (None, None));
    }
}
