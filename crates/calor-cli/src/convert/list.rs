//! The formats as a table: which way each goes, how its files end and what it is.

use std::fmt::Write;

use calor_formats::Format;

use super::can_write;

/// One line of the table.
pub(super) struct Row {
    pub(super) word: &'static str,
    pub(super) reads: bool,
    writes: bool,
    endings: &'static [&'static str],
    about: &'static str,
}

/// Everything that is read or written here: the one list of it, which messages are made from as well.
pub(super) fn rows() -> Vec<Row> {
    let formats = Format::ALL.into_iter().map(|format| Row {
        word: format.word(),
        reads: format.can_read(),
        writes: can_write(format),
        endings: format.endings(),
        about: about(format),
    });
    let only_read = |word, reads, endings, about| Row { word, reads, writes: false, endings, about };
    formats
        .chain([
            // Not the library's: reading it takes the files that were mapped.
            only_read("perf-data", cfg!(target_os = "linux"), &["data"], "what perf record writes"),
            // Reports are written by another command and carry their profile.
            only_read("html", true, &["html"], "from calor report -o"),
            only_read("md", true, &["md"], "from calor report -o"),
        ])
        .collect()
}

/// The table of `--list`.
pub(super) fn table() -> String {
    let mut table = line("FORMAT", "READ", "WRITE", "ENDINGS", "WHAT IT IS");
    for row in rows() {
        let word = |can| if can { "yes" } else { "-" };
        let endings: Vec<String> = row.endings.iter().map(|ending| format!(".{ending}")).collect();
        table += &line(row.word, word(row.reads), word(row.writes), &endings.join(" "), row.about);
    }
    table += "\nWhat is read is told by its content, gzip around it or not.\nWhat is written is told by --to, or else by the ending.\n";
    table
}

fn line(format: &str, reads: &str, writes: &str, endings: &str, about: &str) -> String {
    let mut line = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(line, "{format:<12}{reads:<6}{writes:<7}{endings:<32}{about}");
    line
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
