//! How fast pprof files are read and written, and how much memory that takes, for a file of about 100 MB before
//! compression.
//!
//! Run with `cargo run --release -p calor-formats --features all --example pprof_speed`; another
//! number of samples may follow.

use std::time::Instant;

use calor_formats::{WriteOptions, native, pprof};
use calor_model::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n_samples = std::env::args().nth(1).map_or(Ok(900_000), |n| n.parse())?;
    let profile = walk(n_samples);
    let mut packed = Vec::new();
    let (seconds, ()) = timed(|| pprof::write(&profile, &WriteOptions::default(), &mut packed))?;
    drop(profile);
    let mut unpacked = Vec::new();
    let (unpack_seconds, _) =
        timed(|| std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&*packed), &mut unpacked))?;
    let megabytes = unpacked.len() as f64 / 1e6;
    println!("{n_samples} samples: {megabytes:.0} MB, {:.0} MB compressed", packed.len() as f64 / 1e6);
    println!("write         {seconds:.2} s");
    println!("unpack        {unpack_seconds:.2} s (without the rest of reading)");

    let before = resident("VmRSS:");
    let (seconds, read) = timed(|| pprof::read(&unpacked))?;
    let after = resident("VmRSS:");
    let peak = resident("VmHWM:");
    println!(
        "read unpacked {seconds:.2} s, {} samples, {} call paths",
        read.samples.len(),
        read.stacks.len()
    );
    println!("memory        {before} MB before, {after} MB with the profile, {peak} MB at most so far");
    for _ in 0..4 {
        let (seconds, _) = timed(|| pprof::read(&unpacked))?;
        let (packed_seconds, _) = timed(|| pprof::read(&packed))?;
        println!("again         {seconds:.2} s, packed {packed_seconds:.2} s");
    }
    let mut file = Vec::new();
    let (seconds, ()) = timed(|| native::write(&read, &mut file))?;
    println!("write .calor  {seconds:.2} s, {:.0} MB", file.len() as f64 / 1e6);
    Ok(())
}

fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(f64, T), E> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed().as_secs_f64(), result))
}

/// A figure of the process in megabytes; 0 where the system does not tell.
fn resident(figure: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(figure)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Call paths about 40 deep that branch like those of a real program, and samples spread over them.
fn walk(n_samples: u64) -> Profile {
    let mut profile = Profile::default();
    let module = Some(profile.strings.intern("/usr/lib/libinfer.so"));
    let file = Some(profile.strings.intern("src/infer.rs"));
    let frames: Vec<FrameId> = (0..20_000)
        .map(|index| {
            let name = profile.strings.intern(&format!("infer::module_{}::function_{index}", index % 97));
            let line = Some(index % 900 + 1);
            let is_inlined = index % 4 == 3;
            profile.frames.intern(Frame { name, kind: FrameKind::Native, module, file, line, is_inlined })
        })
        .collect();
    let threads: Vec<_> =
        (0..16).map(|tid| profile.intern_thread(1, tid + 1, &format!("worker {tid}"))).collect();
    let key = profile.strings.intern("request");
    let labels: Vec<_> = (0..64)
        .map(|request| {
            let value = profile.strings.intern(&format!("request {request}"));
            profile.labels.intern(&[(key, value)])
        })
        .collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for _ in 0..n_samples {
        let depth = 20 + random(40);
        let mut stack = None;
        let mut place = 0_u64;
        for level in 0..depth {
            // Few callees near the root, so that paths are shared; the number of a frame follows from its path.
            let n_callees = if level % 6 == 5 { 4 } else { 1 };
            place = place.wrapping_mul(31).wrapping_add(random(n_callees) + level * 7 + 1);
            let frame = frames[(place.wrapping_mul(0x9e37_79b9) >> 16) as usize % frames.len()];
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let Some(stack) = stack else { continue };
        let thread = threads[random(16) as usize];
        let labels = labels[random(64) as usize];
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 10_000_000 });
    }
    profile
}
