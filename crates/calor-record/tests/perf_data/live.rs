//! A program that is recorded now with perf, where perf is installed and the kernel allows it: what is read of the file
//! is compared with what `perf script` tells of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use calor_model::{Profile, SampleKind};

use super::{n_samples, read};

/// The program, with functions that are not inlined.
const SOURCE: &str = "
#include <pthread.h>
#define KEPT __attribute__((noinline, noclone))
KEPT double first(double x) { for (int i = 0; i < 20000; i++) x = x * 0.999 + i; return x; }
KEPT double second(double x) { for (int i = 0; i < 40000; i++) x = x * 0.998 - i; return x; }
KEPT double both(double x) { return first(x) + second(x); }
KEPT void *worker(void *sum) { for (int i = 0; i < 4000; i++) *(volatile double *)sum += both(i); return 0; }
int main(void) {
    static double sums[2];
    pthread_t thread;
    pthread_create(&thread, 0, worker, &sums[0]);
    worker(&sums[1]);
    pthread_join(thread, 0);
    return sums[0] == sums[1] ? 0 : 1;
}";

/// Records the program and returns the file and what `perf script` prints of it; `None`, with the reason printed, where
/// that is not possible.
fn recorded(folder: &Path, flags: &[&str]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, SOURCE).expect("a temporary folder can be written to");
    let built = Command::new("cc")
        .args(["-g", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o"])
        .args([&program, &source])
        .arg("-lpthread")
        .status()
        .expect("these tests build a small program and need `cc`: install gcc");
    assert!(built.success());
    let file = folder.join("perf.data");
    let mut perf = Command::new("perf");
    perf.args(["record", "-N", "-e", "cpu-clock:u", "-F", "499"])
        .args(flags)
        .arg("-o")
        .arg(&file)
        .arg(&program);
    let outcome = match perf.output() {
        Ok(outcome) if outcome.status.success() => outcome,
        Ok(outcome) => {
            eprintln!("not compared: perf record failed: {}", String::from_utf8_lossy(&outcome.stderr));
            return None;
        }
        Err(error) => {
            eprintln!("not compared: perf cannot be started: {error}");
            return None;
        }
    };
    drop(outcome);
    let script = Command::new("perf")
        .args(["script", "--no-inline", "-i"])
        .arg(&file)
        .output()
        .expect("perf has just run");
    Some((std::fs::read(&file).expect("perf has just written it"), script.stdout))
}

/// How many samples each function of the program was found in, innermost, and how many of those came through `worker`.
fn leaves(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let mut leaves: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu) {
        let names = profile.path_names(key.stack);
        let leaf = names[names.len() - 1];
        if ["first", "second", "both", "worker"].contains(&leaf) {
            let (all, rooted) = leaves.entry(leaf.to_owned()).or_default();
            *all += weight.count;
            *rooted += if names.contains(&"worker") { weight.count } else { 0 };
        }
    }
    leaves
}

#[track_caller]
fn check(flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let Some((file, script)) = recorded(folder.path(), flags) else { return };
    let profile = read(&file).expect("what perf wrote can be read");
    let told = calor_formats::perf_script::read(&script).expect("what perf printed can be read");
    assert!(n_samples(&told, SampleKind::Cpu) > 20, "too short to compare");
    assert_eq!(n_samples(&profile, SampleKind::Cpu), n_samples(&told, SampleKind::Cpu));
    let nanos = |profile: &Profile| profile.samples.iter().map(|(_, weight)| weight.nanos).sum::<u64>();
    assert_eq!(nanos(&profile), nanos(&told));
    assert_eq!(leaves(&profile), leaves(&told));
    let [(first, first_rooted), (second, second_rooted)] =
        ["first", "second"].map(|name| leaves(&profile)[name]);
    assert!(second > first, "{first} {second}");
    assert!(first_rooted == first && second_rooted == second, "all come through worker");
}

#[test]
fn call_chains_agree_with_perf_script() {
    check(&["-g"]);
}

#[test]
fn copies_of_stacks_are_unwound_as_perf_does() {
    check(&["--call-graph", "dwarf,4096"]);
}

#[test]
fn compressed_recordings_agree_with_perf_script() {
    check(&["-z", "-g"]);
}

#[test]
fn recordings_with_build_ids_in_their_mappings_agree_with_perf_script() {
    check(&["--buildid-mmap", "-g"]);
}
