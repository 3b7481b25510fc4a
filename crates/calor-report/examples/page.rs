//! Writes the reports of a profile and says how large they are and how long that took: of a file, or of a made-up
//! program with so many functions.
//!
//! ```text
//! cargo run --release -p calor-report --example page -- 5000 /tmp/page
//! ```
//!
//! `chromium --headless --dump-dom 'file:///tmp/page/report.html#bench'` then tells when the page was painted.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use calor_model::{
    Frame, FrameKind, LabelTable, Profile, Recorder, Run, ScopeKey, ScopeMemory, ScopeStats, Span, StackId,
};
use calor_report::{Options, ReportFormat, render};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, folder] = arguments.as_slice() else {
        return Err("expected a profile or a number of functions, and a folder".into());
    };
    fs::create_dir_all(folder)?;
    let profile = match source.parse() {
        Ok(n_functions) => made_up(n_functions),
        Err(_) => calor_formats::read(&fs::read(source)?)?,
    };
    for format in [ReportFormat::Html, ReportFormat::Markdown, ReportFormat::Csv] {
        let began = Instant::now();
        let mut page = Vec::new();
        render(&profile, &Options { format, ..Options::default() }, &mut page)?;
        let path = Path::new(folder).join(format!("report.{format}"));
        fs::write(&path, &page)?;
        println!("{}: {} bytes, {:.0} ms", path.display(), page.len(), began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}

/// Calls of random depth on four threads, in which some functions are called more than others.
struct Program {
    profile: Profile,
    seed: u64,
    n_functions: u64,
}

fn made_up(n_functions: u64) -> Profile {
    let run = Run {
        command: Some(format!("serve --made-up {n_functions}")),
        duration_nanos: 4_000_000_000,
        recorders: [Recorder::Scopes].into(),
        ..Run::default()
    };
    let profile = Profile { runs: vec![run], ..Profile::default() };
    let mut program = Program { profile, seed: 0x9e37_79b9_7f4a_7c15, n_functions };
    for number in 0..4 {
        let thread = program.profile.intern_thread(1, 100 + number, &format!("worker {number}"));
        for call in 0..n_functions / 20 {
            let start_nanos = 3_900_000_000 / (n_functions / 20).max(1) * call;
            let length = 50_000 + program.random(60_000_000_000 / n_functions.max(1));
            program.call(thread, None, start_nanos, length, 0);
        }
    }
    program.profile
}

impl Program {
    fn random(&mut self, below: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed % below.max(1)
    }

    fn call(
        &mut self,
        thread: calor_model::ThreadId,
        caller: Option<StackId>,
        start_nanos: u64,
        length: u64,
        depth: u64,
    ) {
        // Half of the calls go to a few functions, the rest anywhere.
        let number =
            if self.random(2) == 0 { depth * 13 + self.random(5) } else { self.random(self.n_functions) };
        let number = number % self.n_functions;
        let profile = &mut self.profile;
        let name = profile.strings.intern(&format!("service::module_{}::function_{number}", number % 97));
        let file = Some(profile.strings.intern(&format!("src/module_{}.rs", number % 97)));
        let frame = Frame { file, line: Some(number as u32 + 1), ..Frame::new(name, FrameKind::Scope) };
        let frame = profile.frames.intern(frame);
        let stack = profile.stacks.intern(caller, frame);
        let mut stats = ScopeStats { calls: 1, total_nanos: length, ..ScopeStats::default() };
        stats.timed.record(length);
        stats.memory =
            Some(ScopeMemory { allocated_bytes: length / 7, allocated_count: 3, ..Default::default() });
        profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        profile.timeline.track_mut(thread).spans.push(Span { start_nanos, duration_nanos: length, stack });
        if depth < 8 {
            let n_children = self.random(4);
            for child in 0..n_children {
                let room = length / (n_children + 1);
                let inner = room / 2 + self.random(room / 2);
                self.call(thread, Some(stack), start_nanos + child * room, inner, depth + 1);
            }
        }
    }
}
