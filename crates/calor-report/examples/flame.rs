//! Flame graphs of a recording, or of made-up stacks, with how long each took to write.
//!
//! ```text
//! cargo run --release -p calor-report --example flame -- profile.calor pictures/
//! cargo run --release -p calor-report --example flame -- 100000 pictures/
//! ```

use std::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use calor_model::{
    DurationStats, Frame, FrameKind, HeapKey, HeapSite, KernelKey, LabelTable, Profile, Run, SampleKey,
    SampleKind, SampleWeight,
};
use calor_report::flame::{ColourScheme, FlameInput, FlameTreeOptions, html, svg};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, folder] = &arguments[..] else {
        return Err("expected a recording or a number of stacks, and a folder to write to".into());
    };
    let folder = Path::new(folder);
    fs::create_dir_all(folder)?;
    let profile = match source.parse() {
        Ok(n_stacks) => made_up(n_stacks),
        Err(_) => {
            let bytes = fs::read(source)?;
            timed("read", || calor_formats::read(&bytes))?
        }
    };
    let input = timed("collect", || FlameInput::of_profile(&profile));
    for metric in &input.metrics {
        for (word, is_by_thread, is_inverted) in
            [("", false, false), ("-inverted", false, true), ("-threads", true, false)]
        {
            let tree = FlameTreeOptions { is_by_thread, is_inverted, ..Default::default() };
            let colours = match word {
                "-inverted" => ColourScheme::Kind,
                "-threads" => ColourScheme::Module,
                _ => ColourScheme::Hot,
            };
            let options = svg::SvgOptions { title: input.title.clone(), colours, ..Default::default() };
            let path = folder.join(format!("{}{word}.svg", metric.id));
            let file = File::create(&path)?;
            timed("svg", || svg::draw(&profile, metric, tree, &options, file))?;
            println!("{}, {} bytes", path.display(), fs::metadata(&path)?.len());
        }
    }
    let path = folder.join("flame.html");
    let file = File::create(&path)?;
    timed("html", || html::write(&profile, &input, &html::HtmlOptions::default(), file))?;
    println!("{}, {} bytes", path.display(), fs::metadata(&path)?.len());
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let result = work();
    println!("{what}: {:.1} ms", began.elapsed().as_secs_f64() * 1e3);
    result
}

/// Stacks of random depth, some with allocations and kernels, in which some functions are called more than others, as in real programs.
fn made_up(n_stacks: usize) -> Profile {
    let mut profile = Profile {
        runs: vec![Run { command: Some(format!("{n_stacks} made-up stacks")), ..Run::default() }],
        ..Profile::default()
    };
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let threads = ["main", "worker", "io"].map(|name| profile.intern_thread(1, 1, name));
    let frames: Vec<_> = (0..2_000_u32)
        .map(|number| {
            let name = profile.strings.intern(&format!("module_{}::function_{number}", number % 23));
            let module = profile.strings.intern(&format!("lib{}.so", number % 23));
            let kind = [FrameKind::Native, FrameKind::Python, FrameKind::Kernel][number as usize % 3];
            let file = Some(profile.strings.intern("src/lib.rs"));
            profile.frames.intern(Frame {
                module: Some(module),
                file,
                line: Some(number + 1),
                ..Frame::new(name, kind)
            })
        })
        .collect();
    let kernels = ["gemm_f16", "softmax", "layer_norm"].map(|name| profile.strings.intern(name));
    for _ in 0..n_stacks {
        let depth = 4 + random(28);
        let mut stack = None;
        for level in 0..depth {
            // Three calls in four go to the usual callee.
            let spread = if random(4) == 0 { 1 + random(7) } else { 0 };
            stack = Some(profile.stacks.intern(stack, frames[((level * 61 + spread) % 2_000) as usize]));
        }
        let (Some(stack), thread) = (stack, threads[random(3) as usize]) else { continue };
        let key =
            SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 1_000_000 + random(9_000_000) });
        if random(10) == 0 {
            let (allocated_bytes, peak_bytes) = (random(1 << 20), random(1 << 16));
            let site = HeapSite { allocated_bytes, peak_bytes, ..HeapSite::default() };
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        }
        if random(50) == 0 {
            let name = kernels[random(3) as usize];
            let mut durations = DurationStats::default();
            durations.record(random(5_000_000));
            profile.gpu.add_kernel(KernelKey { name, device: 0, launched_from: Some(stack) }, &durations);
        }
    }
    profile
}
