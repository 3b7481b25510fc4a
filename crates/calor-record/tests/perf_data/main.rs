//! Files of `perf record`: kept ones, damaged ones, and ones that are made now and compared with what perf tells.

#![cfg(target_os = "linux")]

mod damage;
mod kept;
mod live;
mod made;

use std::collections::BTreeMap;
use std::path::Path;

use calor_model::{Profile, SampleKind};
use calor_record::perf_data::{PerfDataError, ReadOptions};
use calor_symbols::SymbolOptions;

/// Reads without the user's cache of names.
fn read(bytes: &[u8]) -> Result<Profile, PerfDataError> {
    let symbols = SymbolOptions { cache: None, ..SymbolOptions::default() };
    calor_record::perf_data::read(bytes, &ReadOptions { symbols, ..ReadOptions::default() })
}

/// The bytes of a kept file.
fn kept_bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/perf_data").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Samples of a kind by thread.
fn by_thread(profile: &Profile, kind: SampleKind) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == kind) {
        let name = profile.strings.get(profile.threads.get(key.thread).name);
        *counts.entry(name.to_owned()).or_default() += weight.count;
    }
    counts
}

fn n_samples(profile: &Profile, kind: SampleKind) -> u64 {
    by_thread(profile, kind).values().sum()
}

fn warning_codes(profile: &Profile) -> Vec<&str> {
    profile.warnings.iter().map(|warning| warning.code.as_str()).collect()
}
