//! What scopes have GPUs do, with a library in CUPTI's place that launches what a test asks for. CUPTI serves one at a time, so
//! this is one test of steps.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(unsafe_code, reason = "the library is driven by the addresses of its functions")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use calor::gpu::GpuError;
use calor::model::{CopyKind, Profile, Recorder};

/// So that it is known whose memory is whose.
#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::exact(std::alloc::System);

/// Kinds of records, and what the library can refuse.
const KERNEL: u32 = 10;
const REGISTER: c_int = 1;
const BETWEEN_DEVICES: c_int = 2;
const DRIVER: c_int = 4;
const RUNTIME: c_int = 8;

/// The library, as a test drives it.
struct StandIn {
    kernel: extern "C" fn(*const c_char, u64),
    begin_kernel: extern "C" fn(*const c_char, u64),
    lose_times: extern "C" fn(*const c_char),
    copy: extern "C" fn(c_int, c_int, c_int, u64, u64),
    fill: extern "C" fn(u64, u64),
    copy_between: extern "C" fn(u64, u64),
    be_taken: extern "C" fn(c_int),
    refuse: extern "C" fn(c_int),
    enable: extern "C" fn(u32, c_int),
    is_enabled: extern "C" fn(u32) -> c_int,
    drop: extern "C" fn(usize),
    hand_over: extern "C" fn(),
    is_subscribed: extern "C" fn() -> c_int,
}

impl StandIn {
    /// CUPTI, and the driver that it needs.
    fn build(folder: &Path) -> Self {
        open(&compile(folder, "driver.c", "libcuda.so.1"));
        let handle = open(&compile(folder, "cupti.c", "libcupti.so.12"));
        macro_rules! function {
            ($name:literal) => {{
                // SAFETY: the library is open, and the name ends with a zero.
                let found = unsafe { libc::dlsym(handle, $name.as_ptr()) };
                assert!(!found.is_null(), "{:?}", $name);
                // SAFETY: it is the library above, whose functions are so declared.
                unsafe { std::mem::transmute_copy(&found) }
            }};
        }
        Self {
            kernel: function!(c"stand_in_kernel"),
            begin_kernel: function!(c"stand_in_begin_kernel"),
            lose_times: function!(c"stand_in_lose_times"),
            copy: function!(c"stand_in_copy"),
            fill: function!(c"stand_in_fill"),
            copy_between: function!(c"stand_in_copy_between"),
            be_taken: function!(c"stand_in_be_taken"),
            refuse: function!(c"stand_in_refuse"),
            enable: function!(c"stand_in_enable"),
            is_enabled: function!(c"stand_in_is_enabled"),
            drop: function!(c"stand_in_drop"),
            hand_over: function!(c"stand_in_hand_over"),
            is_subscribed: function!(c"stand_in_is_subscribed"),
        }
    }

    fn kernel(&self, name: &'static CStr, nanos: u64) {
        (self.kernel)(name.as_ptr(), nanos);
    }
}

/// A library made of a source beside this file. It goes by its name wherever it lies.
fn compile(folder: &Path, source: &str, name: &str) -> PathBuf {
    let library = folder.join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpu").join(source);
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", &format!("-Wl,-soname,{name}"), "-o"])
        .args([&library, &source])
        .status();
    assert!(built.is_ok_and(|status| status.success()), "the stand-in is compiled");
    library
}

fn open(library: &Path) -> *mut c_void {
    let name = CString::new(library.display().to_string()).expect("a path");
    // SAFETY: the name ends with a zero, and the library does nothing when it is loaded.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
    assert!(!handle.is_null());
    handle
}

/// Kernels: name, the scopes around the launch, how often, how long.
fn kernels(profile: &Profile) -> Vec<(String, String, u64, u64)> {
    let mut told: Vec<_> = profile
        .gpu
        .kernels
        .iter()
        .map(|(key, durations)| {
            let path = key.launched_from.map(|stack| profile.path_names(stack).join("/")).unwrap_or_default();
            let name = profile.strings.get(key.name).to_owned();
            (name, path, durations.count, durations.total_nanos)
        })
        .collect();
    told.sort();
    told
}

fn row(name: &str, path: &str, count: u64, nanos: u64) -> (String, String, u64, u64) {
    (name.to_owned(), path.to_owned(), count, nanos)
}

fn count_of(profile: &Profile, code: &str) -> Option<u64> {
    profile.warnings.iter().find(|warning| warning.code == code).and_then(|warning| warning.count)
}

#[test]
fn kernels_and_copies_stand_under_the_scopes_that_launched_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let gpu = StandIn::build(folder.path());
    let place = [folder.path().to_owned()];
    calor::enable();

    (gpu.be_taken)(1);
    assert_eq!(calor::gpu::start_in(&place), Err(GpuError::Taken), "another profiler has it");
    (gpu.be_taken)(0);
    // Where it is refused nothing is left behind, and what others asked for stays.
    (gpu.enable)(KERNEL, 1);
    (gpu.refuse)(REGISTER);
    assert!(matches!(calor::gpu::start_in(&place), Err(GpuError::Refused { code: 7, .. })));
    assert!((gpu.is_enabled)(KERNEL) == 1 && (gpu.is_subscribed)() == 0);
    (gpu.enable)(KERNEL, 0);
    (gpu.refuse)(DRIVER);
    assert!(matches!(calor::gpu::start_in(&place), Err(GpuError::Refused { code: 7, .. })));
    assert!((gpu.is_enabled)(KERNEL) == 0 && (gpu.is_subscribed)() == 0);
    (gpu.refuse)(0);
    assert!(!calor::gpu::is_on());
    assert_eq!(calor::gpu::start_in(&place), Ok(()));
    assert_eq!(calor::gpu::start_in(&place), Ok(()), "it is on already");
    assert!(calor::gpu::is_on() && (gpu.is_subscribed)() == 1);

    let step = || {
        calor::scope!("step");
        for _ in 0..3 {
            calor::scope!("linear");
            gpu.kernel(c"_Z4gemmIfEvPT_", 20);
        }
        gpu.kernel(c"relu", 5);
        // From memory that the system may move, and back to memory that it may not.
        (gpu.copy)(1, 1, 3, 4_096, 7);
        (gpu.copy)(2, 3, 2, 64, 2);
        (gpu.fill)(16, 1);
        (gpu.copy_between)(1_024, 3);
    };
    step();
    gpu.kernel(c"alone", 9);
    // Another thread at the same place is the same row.
    std::thread::scope(|scope| scope.spawn(step).join().expect("it ends"));
    let profile = calor::snapshot();
    let expected = [
        row("alone", "", 1, 9),
        row("relu", "step", 2, 10),
        row("void gemm<float>(float*)", "step/linear", 6, 120),
    ];
    assert_eq!(kernels(&profile), expected);
    assert_eq!(count_of(&profile, "gpu_unplaced"), Some(1));
    assert!(profile.runs[0].recorders.contains(&Recorder::Gpu));
    let mut copies: Vec<_> = profile
        .gpu
        .copies
        .iter()
        .map(|(key, copies)| (key.kind, key.is_pageable, copies.durations.count, copies.bytes))
        .collect();
    copies.sort();
    let expected = [
        (CopyKind::HostToDevice, Some(true), 2, 8_192),
        (CopyKind::DeviceToHost, Some(false), 2, 128),
        (CopyKind::DeviceToDevice, None, 2, 2_048),
        (CopyKind::Set, None, 2, 32),
    ];
    assert_eq!(copies, expected);

    // A recording has it too, each launch once.
    let file = folder.path().join("run.calor");
    calor::reset();
    let options =
        calor::RecordingOptions::new().timeline(false).interval(std::time::Duration::from_millis(50));
    let recording = calor::try_start_recording(&file, &options).expect("it begins");
    step();
    std::thread::sleep(std::time::Duration::from_millis(200));
    step();
    let recorded = recording.stop().expect("it was on");
    assert_eq!(recorded.problem, None);
    let read = calor_formats::read(&std::fs::read(&file).expect("the file")).expect("a profile");
    let expected = [row("relu", "step", 2, 10), row("void gemm<float>(float*)", "step/linear", 6, 120)];
    assert_eq!(kernels(&read), expected);
    let of_scopes: Vec<u64> = read.gpu.scopes.values().map(|work| work.count).collect();
    assert_eq!(of_scopes.iter().max(), Some(&16), "all of both steps: {of_scopes:?}");
    assert_eq!(kernels(&calor::snapshot()), expected);

    // What is launched while nothing is recorded, or was before a reset, is in no profile.
    calor::disable();
    step();
    calor::enable();
    assert_eq!(kernels(&calor::snapshot()), expected);
    gpu.kernel(c"late", 1);
    calor::reset();
    gpu.kernel(c"next", 3);
    (gpu.drop)(4);
    let profile = calor::snapshot();
    assert_eq!(kernels(&profile), [row("next", "", 1, 3)]);
    assert_eq!(count_of(&profile, "gpu_lost"), Some(4));

    // A forked child has a slate of its own and does not touch CUPTI.
    // SAFETY: the child only looks and ends at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let is_clean = !calor::gpu::is_on() && calor::snapshot().gpu.is_empty();
        calor::gpu::stop();
        let is_refused = calor::gpu::start().is_err();
        // SAFETY: nothing of the parent is torn down.
        unsafe { libc::_exit(if is_clean && is_refused { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: it writes one number.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0, "the child ended otherwise");

    // Off, nothing is left behind, and what was recorded stays.
    calor::gpu::stop();
    assert!(!calor::gpu::is_on() && (gpu.is_subscribed)() == 0);
    gpu.kernel(c"unseen", 1);
    assert_eq!(kernels(&calor::snapshot()), [row("next", "", 1, 3)]);
    assert_eq!(calor::gpu::start_in(&place), Ok(()), "it may be turned on again");
    gpu.kernel(c"again", 2);
    assert_eq!(kernels(&calor::snapshot()), [row("again", "", 1, 2), row("next", "", 1, 3)]);
    assert_eq!(count_of(&calor::snapshot(), "gpu_unfinished"), None);

    // What has no times, and what no GPU has a part in, is counted.
    calor::reset();
    (gpu.lose_times)(c"timeless".as_ptr());
    (gpu.copy)(9, 1, 1, 64, 2);
    let profile = calor::snapshot();
    assert!(kernels(&profile).is_empty() && profile.gpu.copies.is_empty());
    assert_eq!(count_of(&profile, "gpu_lost"), Some(1));
    assert_eq!(count_of(&profile, "gpu_copies_on_host"), Some(1));

    // What is not done yet comes when it is, or is counted at the end. What was not recorded is none of it.
    calor::reset();
    gpu.kernel(c"done", 4);
    (gpu.begin_kernel)(c"running".as_ptr(), 1_000);
    (gpu.begin_kernel)(c"waiting".as_ptr(), 0);
    calor::disable();
    (gpu.begin_kernel)(c"unseen".as_ptr(), 1_000);
    assert_eq!(kernels(&calor::snapshot()), [row("done", "", 1, 4)]);
    assert_eq!(count_of(&calor::snapshot(), "gpu_unfinished"), None);
    calor::gpu::stop();
    assert_eq!(kernels(&calor::snapshot()), [row("done", "", 1, 4)]);
    assert_eq!(count_of(&calor::snapshot(), "gpu_unfinished"), Some(2));
    assert_eq!(count_of(&calor::snapshot(), "gpu_lost"), None);

    // What it takes to keep all of it is none of the program's memory.
    calor::enable();
    assert_eq!(calor::gpu::start_in(&place), Ok(()));
    let names: Vec<CString> =
        (0..2_000).map(|number| CString::new(format!("kernel{number}")).expect("a name")).collect();
    calor::reset();
    {
        calor::scope!("quiet");
        names.iter().for_each(|name| (gpu.kernel)(name.as_ptr(), 1));
        (gpu.hand_over)();
    }
    let profile = calor::snapshot();
    assert_eq!(profile.gpu.kernels.len(), 2_000);
    let bytes: u64 = profile.scopes.iter().filter_map(|(_, stats)| Some(stats.memory?.allocated_bytes)).sum();
    assert!(bytes < 1_000, "{bytes} bytes are the scope's");
    calor::gpu::stop();

    // What is refused beside the rest is told.
    calor::reset();
    (gpu.refuse)(BETWEEN_DEVICES | RUNTIME);
    assert_eq!(calor::gpu::start_in(&place), Ok(()));
    gpu.kernel(c"told", 2);
    let profile = calor::snapshot();
    assert_eq!(kernels(&profile), [row("told", "", 1, 2)]);
    let told = profile.warnings.iter().find(|warning| warning.code == "gpu_refused").expect("a warning");
    assert!(told.message.starts_with("CUPTI does not tell of cudaLaunchKernel_v7000: "), "{told:?}");
    calor::gpu::stop();
}

/// Set in a process that has a test to itself: the folder of the libraries.
const FOLDER: &str = "CALOR_TEST_FOLDER";

/// Runs a test of this program again, in a process of its own.
fn alone(test: &str, folder: &Path) -> Output {
    let program = std::env::current_exe().expect("this test");
    Command::new(program)
        .args([test, "--exact", "--nocapture"])
        .env(FOLDER, folder)
        .env("STAND_IN_TELLS", "1")
        .output()
        .expect("it runs")
}

#[test]
fn what_is_asked_of_cupti_is_taken_back_when_the_program_ends() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let folder = Path::new(&folder);
        let gpu = StandIn::build(folder);
        calor::enable();
        assert_eq!(calor::gpu::start_in(&[folder.to_owned()]), Ok(()));
        gpu.kernel(c"last", 1);
        (gpu.begin_kernel)(c"running".as_ptr(), 1_000);
        std::process::exit(0);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let ended = alone("what_is_asked_of_cupti_is_taken_back_when_the_program_ends", folder.path());
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{told}");
    assert_eq!(told.matches("the stand-in is left with 0 pending").count(), 1, "{told}");
}

#[test]
fn without_nvidias_driver_cupti_is_not_called() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let folder = Path::new(&folder);
        compile(folder, "cupti.c", "libcupti.so.12");
        // SAFETY: the name ends with a zero, and on a machine with a driver it is that.
        let has_driver = unsafe { !libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_LAZY).is_null() };
        let expected = if has_driver { Ok(()) } else { Err(GpuError::NoDriver) };
        assert_eq!(calor::gpu::start_in(&[folder.to_owned()]), expected);
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let ended = alone("without_nvidias_driver_cupti_is_not_called", folder.path());
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
