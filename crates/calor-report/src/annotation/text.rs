//! The function for a terminal: what it is, its hottest lines, its hottest instructions with the loops around them.

use std::fmt::Write;

use calor_analysis::quantity::{bytes, count, counted, percent};
use calor_analysis::{AnnotatedCode, AnnotatedInstruction, Annotation, Class, Namesake, SimdVerdict};
use calor_model::{FrameKind, Profile, SampleKind, Warning};

use super::listing::{MOST_LOOPS, loop_marks};
use super::{AnnotationOptions, Source};
use crate::text::palette::Palette;
use crate::text::printable::{cut_back, printable, width};
use crate::wrap::wrapped;

/// Narrower than this, nothing can be laid out.
const NARROWEST: usize = 40;
/// Columns of a share, of its bar, and of the widest place that is shown beside a line.
const SHARE: usize = 7;
const BAR: usize = 8;
const MOST_PLACE: usize = 32;

/// Functions that the wanted one was inlined into, or of the same name, that are shown: the hottest ones.
const MOST_PLACES: usize = 3;

/// Another class is told from this part of the samples on.
const NOTABLE_CLASS: f64 = 0.05;

struct Page<'a> {
    palette: Palette,
    columns: usize,
    options: &'a AnnotationOptions,
    text: String,
}

pub(super) fn page(
    profile: &Profile,
    annotation: &Annotation<'_>,
    options: &AnnotationOptions,
    source: &Source<'_>,
    notes: &[Warning],
) -> String {
    let palette = Palette { is_coloured: options.color };
    let mut page = Page { palette, columns: options.width.max(NARROWEST), options, text: String::new() };
    page.heading(annotation);
    for note in notes {
        page.paragraph(&format!("Note: {}.", printable(&note.message)));
    }
    page.namesakes(annotation);
    if options.lines {
        page.lines(annotation, source);
    }
    if options.instructions {
        // Nobody expects instructions of Python, unless they asked for them.
        let is_expected = annotation.kind != FrameKind::Python || !options.lines;
        if let Some(why) = annotation.missing_code(profile).filter(|_| is_expected) {
            page.paragraph(&format!("No instructions: {why}."));
        }
        annotation.code.iter().take(MOST_PLACES).for_each(|code| page.code(annotation, code));
        let others = annotation.code.get(MOST_PLACES..).unwrap_or_default();
        if !others.is_empty() {
            let n_samples = others.iter().map(|code| code.n_samples).sum();
            page.paragraph(&format!(
                "{} more, with {}, are in the JSON.",
                counted(others.len() as u64, "place"),
                counted(n_samples, "sample")
            ));
        }
    }
    page.text
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn paragraph(&mut self, text: &str) {
        self.text.push('\n');
        for line in wrapped(text, self.columns) {
            self.line(&line);
        }
    }

    fn heading(&mut self, annotation: &Annotation<'_>) {
        let name = printable(annotation.name);
        let module = annotation.module.map_or_else(String::new, |module| format!("  {}", printable(module)));
        let room = self.columns.saturating_sub(width(&module));
        let title = self.palette.heading(&cut_back(&name, room.max(NARROWEST / 2)));
        let module = self.palette.quiet(&module);
        self.line(&format!("{title}{module}"));
        for (word, value) in facts(annotation) {
            for (index, line) in wrapped(&value, self.columns - 11).iter().enumerate() {
                let word = if index == 0 { word } else { "" };
                let blank = " ".repeat(9 - word.len());
                self.line(&format!("  {}{blank}{line}", self.palette.quiet(word)));
            }
        }
    }

    /// The functions that were added up, where they are several.
    fn namesakes(&mut self, annotation: &Annotation<'_>) {
        let chosen: Vec<_> = annotation.namesakes.iter().filter(|namesake| namesake.is_chosen).collect();
        if chosen.len() < 2 {
            return;
        }
        self.text.push('\n');
        let title = self.palette.heading("Functions of this name");
        self.line(&format!("{title}{}", self.palette.quiet("  --file or --module chooses one")));
        for namesake in chosen.iter().take(self.options.top) {
            let share = namesake.inclusive as f64 / annotation.inclusive.max(1) as f64;
            let share = self.palette.heat(share, &format!("{:>SHARE$}", percent(share)));
            let place = place(namesake);
            self.line(&format!("{share}  {}", cut_front(&printable(&place), self.columns - SHARE - 2)));
        }
        if let Some(n @ 1..) = chosen.len().checked_sub(self.options.top) {
            self.line(&self.palette.quiet(&format!("{:>SHARE$}  {} more", "", count(n as u64))));
        }
    }

    fn lines(&mut self, annotation: &Annotation<'_>, source: &Source<'_>) {
        let shown: Vec<_> = annotation.lines.iter().take(self.options.top).collect();
        if shown.is_empty() {
            self.paragraph("No lines: nothing tells which lines of the source the samples are of; build with debug information (-g).");
            return;
        }
        self.text.push('\n');
        let hidden = match annotation.lines.len() - shown.len() {
            0 => String::new(),
            n => format!(", {} more not shown", count(n as u64)),
        };
        let title = self.palette.heading("Hottest lines");
        self.line(&format!("{title}{}", self.palette.quiet(&format!("  own: in the line itself{hidden}"))));
        let file = shown[0].file;
        // Where all lines are of one file it is named once.
        let is_one_file = shown.iter().all(|line| line.file == file);
        let place = |line: &calor_analysis::HotLine<'_>| match line.file.filter(|_| !is_one_file) {
            Some(file) => format!("{}:{}", short_file(file), line.line),
            None => line.line.to_string(),
        };
        let place_width =
            shown.iter().map(|line| width(&place(line))).max().unwrap_or(0).clamp(4, MOST_PLACE);
        if let Some(file) = file.filter(|_| is_one_file) {
            let file = cut_front(&printable(file), self.columns - 2);
            self.line(&format!("  {}", self.palette.quiet(&file)));
        }
        let head = format!("{:>SHARE$} {:>SHARE$}  {:>place_width$}", "total", "own", "line");
        self.line(&self.palette.quiet(&head));
        for line in shown {
            let part = |samples: u64| samples as f64 / annotation.inclusive.max(1) as f64;
            let (total, own) = (part(line.inclusive), part(line.own));
            let place = cut_front(&place(line), place_width);
            let code = line.file.and_then(|file| source(file, line.line)).unwrap_or_default();
            let room = self.columns.saturating_sub(2 * SHARE + 5 + place_width);
            let code = cut_back(&printable(code.trim().replace('\t', " ").as_str()), room);
            let total = self.palette.heat(total, &format!("{:>SHARE$}", percent(total)));
            let own = if line.own == 0 { String::new() } else { percent(own) };
            self.line(&format!("{total} {own:>SHARE$}  {place:>place_width$}  {code}"));
        }
    }

    fn code(&mut self, annotation: &Annotation<'_>, code: &AnnotatedCode<'_>) {
        let stretches = code.stretches(self.options.top, self.options.context);
        self.text.push('\n');
        let title = self.palette.heading("Hottest instructions");
        let inside = match code.function == annotation.name {
            true => String::new(),
            false => format!("in {}, ", cut_front(&printable(code.function), 30)),
        };
        let about = format!(
            "  {inside}{}, {} at {:#x}",
            counted(code.n_samples, "sample"),
            bytes(code.size),
            code.start
        );
        self.line(&format!("{title}{}", self.palette.quiet(&about)));
        if code.n_beyond > 0 {
            self.line(&self.palette.quiet(&format!(
                "  {} past the first {} of code, which is what is kept",
                counted(code.n_beyond, "sample"),
                bytes(code.n_known)
            )));
        }
        let deepest = stretches.iter().cloned().flatten().map(|it| code.instructions[it].loops.len()).max();
        let deepest = deepest.unwrap_or(0).min(MOST_LOOPS);
        let mut last_source = None;
        let end = code.instructions.len();
        for stretch in &stretches {
            if stretch.start > 0 {
                self.line(&self.palette.quiet(&format!("{:>w$}", "…", w = SHARE + BAR + 4)));
            }
            for index in stretch.clone() {
                let instruction = &code.instructions[index];
                let source = (instruction.function, instruction.file, instruction.line);
                if last_source != Some(source) {
                    self.source(annotation, instruction, deepest);
                    last_source = Some(source);
                }
                self.instruction(code, index, deepest);
            }
        }
        if stretches.last().is_some_and(|last| last.end < end) {
            self.line(&self.palette.quiet(&format!("{:>w$}", "…", w = SHARE + BAR + 4)));
        }
    }

    /// The line that the instructions below come from.
    fn source(
        &mut self,
        annotation: &Annotation<'_>,
        instruction: &AnnotatedInstruction<'_>,
        deepest: usize,
    ) {
        let Some(line) = instruction.line else { return };
        let file = instruction.file.map_or("?", short_file);
        let inlined = instruction.function.filter(|name| *name != annotation.name);
        let indent = SHARE + BAR + 12 + deepest;
        let room = self.columns - indent;
        let mut text = cut_back(&format!("{}:{line}", printable(file)), room);
        // The end of a long name tells more than its beginning.
        if let Some(name) = inlined.filter(|_| width(&text) + 8 <= room) {
            let rest = room - width(&text) - 2;
            let _ = write!(text, "  {}", cut_front(&printable(name), rest));
        }
        let text = self.palette.quiet(&text);
        self.line(&format!("{}{text}", " ".repeat(indent)));
    }

    fn instruction(&mut self, code: &AnnotatedCode<'_>, index: usize, deepest: usize) {
        let instruction = &code.instructions[index];
        let share = instruction.count as f64 / code.n_samples.max(1) as f64;
        let figures = match instruction.count {
            0 => " ".repeat(SHARE + 1 + BAR),
            _ => {
                let bar = bar(share);
                let blank = " ".repeat(BAR - width(&bar));
                let figure = self.palette.heat(share, &format!("{:>SHARE$} {bar}", percent(share)));
                figure + &blank
            }
        };
        let marks = loop_marks(&code.instructions, index, deepest);
        let address = self.palette.quiet(&format!("{:>8x}", instruction.address));
        let room = self.columns.saturating_sub(SHARE + BAR + 12 + deepest);
        let text = cut_back(&instruction.text, room);
        let text = if share >= 0.2 { self.palette.strong(&text) } else { text };
        let _ = write!(self.text, "{figures} {address} {}", self.palette.quiet(&marks));
        self.line(&format!(" {text}"));
    }
}

/// What is said of the function before its lines.
fn facts(annotation: &Annotation<'_>) -> Vec<(&'static str, String)> {
    let part = |samples: u64| percent(samples as f64 / annotation.n_all.max(1) as f64);
    let of = match annotation.sampled {
        SampleKind::OffCpu => "waits",
        SampleKind::Wall => "wall samples",
        _ => "CPU samples",
    };
    let mut facts = vec![(
        "samples",
        format!(
            "{} in the function itself ({}), {} with what it called ({}), of {} {of}",
            count(annotation.own),
            part(annotation.own),
            count(annotation.inclusive),
            part(annotation.inclusive),
            count(annotation.n_all)
        ),
    )];
    facts.extend(added_up(annotation));
    match &annotation.verdict {
        Some(verdict) => {
            let class = match verdict.class {
                Class::Integer => "none: integer code".to_owned(),
                Class::Scalar => "none: one floating-point number at a time".to_owned(),
                class => format!("{} ({} bits)", class.label(), class.bits().unwrap_or(0)),
            };
            let fused = if verdict.fma() { ", with FMA" } else { "" };
            let crypto = if verdict.is_crypto() { ", with instructions for ciphers and hashes" } else { "" };
            let packed = match verdict.class {
                Class::Integer => String::new(),
                _ => format!("; packed {}", percent(verdict.packed_share)),
            };
            let could_be_wider = verdict.class != Class::Integer && !verdict.is_crypto();
            let is_narrow = |widest: Class| could_be_wider && widest > verdict.class;
            let offered = annotation.offered.filter(|offered| is_narrow(offered.widest));
            let offered = offered
                .map_or_else(String::new, |offered| format!("; the CPU offers {}", offered.widest.label()));
            let others = others(verdict);
            facts.push(("vectors", format!("{class}{fused}{crypto}{others}{packed}{offered}")));
            if let Some(range) = &verdict.hottest_loop {
                let share = percent(verdict.loop_share);
                facts.push((
                    "loop",
                    format!(
                        "{share} of the samples in loops, the hottest from {:#x} to {:#x}",
                        range.start, range.end
                    ),
                ));
            }
        }
        None if !annotation.code.is_empty() => {
            facts.push(("vectors", "too few samples to tell: record for longer".to_owned()));
        }
        None => {}
    }
    facts
}

/// What else it computes with, where that is worth a word.
fn others(verdict: &SimdVerdict) -> String {
    let is_notable = |(_, share): &&(Class, f64)| *share >= NOTABLE_CLASS;
    let notable = verdict.others.iter().filter(is_notable);
    let words: String =
        notable.map(|(class, share)| format!(", {} in {}", class.label(), percent(*share))).collect();
    match words.is_empty() {
        true => words,
        false => format!(", in {} of the samples{words}", percent(verdict.class_share)),
    }
}

/// The file of a function, and what it was built into.
fn place(namesake: &Namesake<'_>) -> String {
    match (namesake.file, namesake.module) {
        (Some(file), Some(module)) => format!("{file} in {}", short_file(module)),
        (Some(place), None) | (None, Some(place)) => place.to_owned(),
        (None, None) => "(unknown)".to_owned(),
    }
}

/// How many functions of that name there are, where it is more than one, and how to choose.
fn added_up(annotation: &Annotation<'_>) -> Option<(&'static str, String)> {
    let n_all = annotation.namesakes.len() as u64;
    let n_chosen = annotation.namesakes.iter().filter(|namesake| namesake.is_chosen).count() as u64;
    match (n_chosen, n_all) {
        (_, 0..=1) => None,
        (1, _) => Some(("chosen", format!("1 of {} of that name", counted(n_all, "function")))),
        _ => Some(("added up", format!("{} of that name, listed below", counted(n_chosen, "function")))),
    }
}

/// A share as a bar of up to `BAR` columns.
fn bar(share: f64) -> String {
    const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let eighths = (share * (BAR * 8) as f64).round().clamp(1.0, (BAR * 8) as f64) as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar.extend((eighths % 8).checked_sub(1).map(|rest| EIGHTHS[rest]));
    bar
}

/// The last part of a path.
fn short_file(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// The end of `text` in at most `columns`, marked where its beginning was cut.
fn cut_front(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept: Vec<char> = text
        .chars()
        .rev()
        .take_while(|letter| {
            used += width(letter.encode_utf8(&mut [0; 4]));
            used <= columns
        })
        .collect();
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}
