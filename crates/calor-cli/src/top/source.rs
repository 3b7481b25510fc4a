//! The text around a line of Python, read once when it is asked for: whoever looks at a hot line wants to see it.

use calor_analysis::live::PythonLine;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// Files are read up to here; no line that people write lies further.
const MOST_BYTES: u64 = 8 << 20;
/// Lines before and behind.
const AROUND: u32 = 4;

/// What was read last.
#[derive(Debug)]
pub(super) struct Source {
    of: Option<PythonLine>,
    /// Numbers and texts, or why there are none.
    pub(super) lines: Result<Vec<(u32, String)>, String>,
}

impl Default for Source {
    fn default() -> Self {
        Self { of: None, lines: Ok(Vec::new()) }
    }
}

impl Source {
    /// Reads what is around a line, unless it is what was read last.
    pub(super) fn show(&mut self, line: &PythonLine) {
        if self.of.as_ref() != Some(line) {
            self.lines = read(line).map_err(|error| error.to_string());
            self.of = Some(line.clone());
        }
    }
}

fn read(line: &PythonLine) -> std::io::Result<Vec<(u32, String)>> {
    let file = BufReader::new(File::open(&line.file)?.take(MOST_BYTES));
    let first = line.number.saturating_sub(AROUND).max(1);
    let numbers = first..=line.number.saturating_add(AROUND);
    let mut found = Vec::new();
    for (number, bytes) in (1_u32..).zip(file.split(b'\n')) {
        if number > *numbers.end() {
            break;
        }
        let bytes = bytes?;
        if numbers.contains(&number) {
            let text = String::from_utf8_lossy(&bytes).replace('\t', "    ");
            found.push((number, text.trim_end().to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_shown_with_its_neighbours_as_far_as_there_are_any() {
        let path = std::env::temp_dir().join(format!("calor-source-{}.py", std::process::id()));
        let text: String = (1..=20).map(|number| format!("\tx = {number}\n")).collect();
        std::fs::write(&path, text).expect("a temporary file can be written");
        let file = path.to_string_lossy().into_owned();
        let numbers = |number| {
            let line = PythonLine { file: file.clone(), number, function: "f".to_owned() };
            let lines = read(&line).expect("the file is there");
            assert!(lines.iter().all(|(number, text)| *text == format!("    x = {number}")));
            (lines.first().map(|(number, _)| *number), lines.last().map(|(number, _)| *number))
        };
        assert_eq!(numbers(2), (Some(1), Some(6)));
        assert_eq!(numbers(19), (Some(15), Some(20)));
        assert_eq!(numbers(90), (None, None));
        std::fs::remove_file(&path).expect("it was just written");
        let mut source = Source::default();
        source.show(&PythonLine { file, number: 1, function: String::new() });
        assert!(source.lines.is_err());
    }
}
