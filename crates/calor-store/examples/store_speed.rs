//! How long saving, listing, finding and reading take: `cargo run --release -p calor-store --example store_speed`.
//! The store is made in the folder that is given, or in the one for temporary files.

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use calor_model::{FrameKind, LabelTable, Profile, Run, RunId, SampleKey, SampleKind, SampleWeight, StackId};
use calor_store::{Filter, Note, Selector, Store};

const LARGE_SAVES: u64 = 20;
const RUNS: u64 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let parent = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(parent)?;
    let mut store = Store::create(&folder.path().join(".calor"))?;

    let mut profiles: Vec<Profile> = (0..LARGE_SAVES).map(large).collect();
    let mut bytes = 0;
    let saves = times(profiles.iter_mut(), |profile| {
        bytes = store.save(profile, &Note::default())?.bytes;
        Ok(())
    })?;
    println!("save a profile of {} KiB: {}", bytes / 1024, spread(saves));
    let runs = store.runs(&Filter::default())?;
    let reads = times(runs.iter(), |run| Ok(store.profile(&run.id)?))?;
    println!("read one: {}", spread(reads));

    let begin = Instant::now();
    for number in 0..RUNS {
        let note = Note::default().label("number", &number.to_string()).label("build", "fast");
        store.save(&small(number), &note)?;
    }
    println!("save {RUNS} small ones: {:.1?} in all", begin.elapsed());
    let lists = times(0..20, |_| {
        let runs = store.runs(&Filter::default())?;
        assert_eq!(runs.len() as u64, RUNS + LARGE_SAVES);
        Ok(())
    })?;
    println!("list {RUNS} runs with labels: {}", spread(lists));
    let page = Filter { limit: Some(50), ..Filter::default() };
    println!("list the last 50: {}", spread(times(0..20, |_| Ok(store.runs(&page)?))?));
    for text in ["latest", "number=17", "commit:abcdef"] {
        let selector: Selector = text.parse()?;
        let found = times(0..20, |_| Ok(store.find(&selector).is_ok()))?;
        println!("find {text}: {}", spread(found));
    }
    let opens = times(0..20, |_| Ok(Store::open(store.folder())?))?;
    println!("open: {}", spread(opens));
    println!("on the disk: {} KiB", store.disk_bytes() / 1024);
    Ok(())
}

fn times<T, R>(
    items: impl Iterator<Item = T>,
    mut work: impl FnMut(T) -> Result<R, Box<dyn Error>>,
) -> Result<Vec<Duration>, Box<dyn Error>> {
    let mut times = Vec::new();
    for item in items {
        let begin = Instant::now();
        work(item)?;
        times.push(begin.elapsed());
    }
    Ok(times)
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let (first, last) = (times[0], times[times.len() - 1]);
    format!("median {:.2?}, {first:.2?} to {last:.2?}", times[times.len() / 2])
}

fn small(number: u64) -> Profile {
    let run = Run { id: RunId(number.into()), command: Some("./train".to_owned()), ..Run::default() };
    let mut profile = Profile { runs: vec![run], ..Profile::default() };
    sample(&mut profile, &["main", "step"], number);
    profile
}

/// A profile of about a megabyte: as many call paths as a day of a large program has.
fn large(number: u64) -> Profile {
    let run = Run { id: RunId(number.into()), command: Some("./serve".to_owned()), ..Run::default() };
    let mut profile = Profile { runs: vec![run], ..Profile::default() };
    let mut state = number + 1;
    for path in 0..46_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let module = format!("module_{}", path % 40);
        let function = format!("function_{}_{:x}", path, state >> 40);
        sample(&mut profile, &["main", &module, &function], state >> 50);
    }
    profile
}

fn sample(profile: &mut Profile, path: &[&str], weight: u64) {
    let thread = profile.intern_thread(1, 1, "main");
    let stack: StackId = profile.intern_named_path(path, FrameKind::Native).expect("the path has frames");
    let labels = LabelTable::none();
    let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
    profile.samples.add(key, SampleWeight { count: weight, nanos: weight * 1000 });
}
