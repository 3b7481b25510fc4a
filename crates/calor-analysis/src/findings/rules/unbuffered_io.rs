//! Text or bytes go to a file in the pieces that they are made of: each piece is a call into the kernel, which costs a
//! hundred times what putting it into a buffer does.

use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Topic, Unit,
};
use crate::wait_reason::bare;

/// Less of the whole is not worth a buffer.
const LEAST_SHARE: f64 = 0.10;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 20;
/// What a buffer saves of these calls: it still writes, once for many pieces.
const REMOVED: (f64, f64) = (0.6, 0.99);
/// Calls that move bytes between a program and the kernel.
const CALLS: [&str; 8] = ["write", "writev", "pwrite", "read", "readv", "pread", "send", "recv"];
/// Parts of the names of functions that have a buffer; what reaches the kernel through them is collected.
const BUFFERS: [&str; 2] = ["BufWriter", "BufReader"];

pub(super) struct UnbufferedIo;

const ABOUT: About<'_> = About {
    id: "CPU-UNBUFFERED-IO",
    version: 1,
    topic: Topic::Cpu,
    title: "a file is written or read in small pieces, each by a call into the kernel",
    needs: &[Need::CpuSamples],
    suppresses: &["WAIT-BLOCKING-IO"],
};

/// A way of making pieces.
struct Pieces {
    /// Parts of the names of functions that hand on one piece at a time.
    made_by: &'static [&'static str],
    /// What is done, to end "`f` spends 40 % of the time".
    does: &'static str,
    why: &'static str,
    fix: &'static str,
    code: [&'static str; 2],
}

const WAYS: [Pieces; 3] = [
    Pieces {
        made_by: &["std::io::stdio::_print", "std::io::stdio::_eprint"],
        does: "printing line by line",
        why: "Standard output is written at the end of every line, and each line takes its lock anew.",
        fix: "Lock standard output once and put a buffer around it.",
        code: [
            "for row in rows {\n    println!(\"{row}\");\n}",
            "let mut out = BufWriter::new(io::stdout().lock());\nfor row in rows {\n    writeln!(out, \"{row}\")?;\n}\nout.flush()?;",
        ],
    },
    Pieces {
        made_by: &["write_fmt", "default_write_fmt", "fmt::Write>::write_str"],
        does: "writing text in the pieces that it is formatted from",
        why: "A formatted text reaches its writer piece by piece: every number and every text between two numbers is a call \
              into the kernel of its own.",
        fix: "Put a buffer around the file, and flush it at the end.",
        code: [
            "let mut file = File::create(path)?;\nfor row in rows {\n    writeln!(file, \"{row}\")?;\n}",
            "let mut file = BufWriter::new(File::create(path)?);\nfor row in rows {\n    writeln!(file, \"{row}\")?;\n}\nfile.flush()?;",
        ],
    },
    Pieces {
        made_by: &["std::io::Bytes<", "std::io::uninlined_slow_read_byte", "io::BytesSpec"],
        does: "reading single bytes",
        why: "The bytes of a reader without a buffer are asked of the kernel one by one.",
        fix: "Put a buffer around the file.",
        code: [
            "for byte in File::open(path)?.bytes() {",
            "for byte in BufReader::new(File::open(path)?).bytes() {",
        ],
    },
];

impl Rule for UnbufferedIo {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let through = |parts: &[&str]| {
            facts.paths_through(|frame| {
                let name = facts.profile().strings.get(frame.name);
                parts.iter().any(|part| name.contains(part))
            })
        };
        let is_call = facts.paths_through(|frame| {
            let name = facts.profile().strings.get(frame.name);
            // A method of the program may well be called `write`; a function of the C library is no method.
            !name.contains("::") && CALLS.contains(&bare(name))
        });
        let is_buffered = through(&BUFFERS);
        let mut is_told = vec![false; is_call.len()];
        let mut found: Vec<Finding> = Vec::new();
        for way in &WAYS {
            let is_made = through(way.made_by);
            let is_wanted = |at: usize| is_call[at] && !is_buffered[at] && is_made[at];
            let sites = facts.cpu_sites(|stack| is_wanted(stack.index()) && !is_told[stack.index()]);
            found.extend(sites.iter().filter_map(|site| finding(facts, site, way)));
            // What was printed was formatted, too.
            for (at, is_told) in is_told.iter_mut().enumerate() {
                *is_told |= is_wanted(at);
            }
        }
        Outcome::of(found)
    }
}

fn finding(facts: &Facts<'_>, site: &CpuSite, way: &Pieces) -> Option<Finding> {
    if site.share.estimate < LEAST_SHARE || site.samples < LEAST_SAMPLES {
        return None;
    }
    let place = facts.place(site.stack);
    let percent = 100.0 * site.share.estimate;
    let title = format!("`{}` spends {percent:.0} % of the time {}", place.function, way.does);
    let reason = "if a buffer saves most of these calls";
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(site.share, REMOVED, reason))
            .because(way.why)
            .with(Evidence::share("share of the time in these calls", site.share).against(LEAST_SHARE))
            .with(Evidence::new("samples in these calls", site.samples as f64, Unit::Count))
            .fixed_by(Fix::new(way.fix).with_code(way.code[0], way.code[1])),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    const SAVE: &str = "app::save@src/save.rs:7";
    const WRITE: [&str; 2] = ["__GI___libc_write!libc.so.6", "kernel:[kernel]"];

    fn judged(between: &[&str], samples: u64) -> Outcome {
        let path: Vec<&str> =
            ["app::main@src/main.rs:3", SAVE].iter().chain(between).chain(&WRITE).copied().collect();
        let profile = Draft::new().seconds(1.0).cpu(&path, samples).cpu(&path[..2], 1000 - samples).profile();
        UnbufferedIo.judge(&Facts::new(&profile, None))
    }

    fn title(between: &[&str]) -> String {
        let Outcome::Findings(found) = judged(between, 800) else { panic!("found: {between:?}") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("src/save.rs:7"));
        assert!(finding.gain.low > 1.5, "{:?}", finding.gain);
        finding.title.clone()
    }

    #[test]
    fn pieces_of_text_lines_and_bytes_are_told_apart() {
        let adapter = "<std::io::default_write_fmt::Adapter<T> as core::fmt::Write>::write_str!app";
        let file = "<std::fs::File as std::io::Write>::write!app";
        assert!(title(&["core::fmt::write!app", adapter, file]).contains("80 % of the time writing text"));
        assert!(title(&["std::io::stdio::_print!app", adapter]).contains("printing line by line"));
        let bytes = "<std::io::Bytes<R> as core::iter::Iterator>::next!app";
        assert!(title(&[bytes]).contains("reading single bytes"));
    }

    #[test]
    fn buffers_whole_blocks_and_little_time_are_fine() {
        let adapter = "<std::io::default_write_fmt::Adapter<T> as core::fmt::Write>::write_str!app";
        let buffer = "<std::io::buffered::bufwriter::BufWriter<W>>::flush_buf!app";
        assert_eq!(judged(&[adapter, buffer], 800), Outcome::Fine);
        assert_eq!(judged(&["std::fs::write!app"], 800), Outcome::Fine);
        assert_eq!(judged(&[adapter], 99), Outcome::Fine);
        assert!(matches!(judged(&[adapter], 101), Outcome::Findings(_)));
    }
}
