//! The formats as a table: which way each goes, how its files end and what it is.

use std::fmt::Write;

use calor_formats::Format;

use super::can_write;

/// The table of `--list`.
pub(super) fn table() -> String {
    let mut table = row("FORMAT", "READ", "WRITE", "ENDINGS", "WHAT IT IS");
    for format in Format::ALL {
        let word = |can| if can { "yes" } else { "-" };
        let endings: Vec<String> = format.endings().iter().map(|ending| format!(".{ending}")).collect();
        let (reads, writes) = (word(format.can_read()), word(can_write(format)));
        table += &row(format.word(), reads, writes, &endings.join(" "), about(format));
    }
    // Not the library's: reading it takes the files that were mapped.
    let reads = if cfg!(target_os = "linux") { "yes" } else { "-" };
    table += &row("perf-data", reads, "-", ".data", "what perf record writes");
    // Reports are written by another command and carry their profile.
    for (word, ending) in [("html", ".html"), ("md", ".md")] {
        table += &row(word, "yes", "-", ending, "from calor report -o");
    }
    table += "\nWhat is read is told by its content, gzip around it or not.\nWhat is written is told by --to, or else by the ending.\n";
    table
}

fn row(format: &str, reads: &str, writes: &str, endings: &str, about: &str) -> String {
    let mut row = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(row, "{format:<12}{reads:<6}{writes:<7}{endings:<32}{about}");
    row
}

fn about(format: Format) -> &'static str {
    match format {
        Format::Native => "Calor's own: everything",
        Format::Pprof => "go tool pprof",
        Format::Folded => "a line a call path",
        Format::Speedscope => "speedscope",
        Format::Chrome => "Chrome, Perfetto",
        Format::Firefox => "Firefox Profiler",
        Format::PerfScript => "what perf script prints",
        Format::Csv => "a table",
        Format::Json => "calor report as JSON",
        _ => "",
    }
}
