//! Work on GPUs in the shape that the profiler of PyTorch writes it. The trace is written by hand after its
//! documentation and code; it stands here because a recording needs a GPU.

use calor_formats::Metric;
use calor_model::{CopyKind, FrameKind};

use crate::told::{read, scopes, warnings};

const TRACE: &str = r#"{"schemaVersion":1,"baseTimeNanoseconds":1700000000000000000,"traceEvents":[
{"ph":"X","cat":"python_function","name":"model.py(12): forward","pid":100,"tid":100,"ts":0,"dur":90,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":10,"dur":50,"args":{"External id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":20,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":100,"tid":100,"ts":70,"dur":5,"args":{"correlation":8}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":40,"dur":30,"args":{"device":0,"stream":7,"correlation":7}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":80,"dur":10,"args":{"device":0,"correlation":99}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":90,"dur":4,
 "args":{"device":0,"correlation":8,"bytes":4096}},
{"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":95,"dur":1,"args":{"device":0,"bytes":64}},
{"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":0,"args":{"name":"stream 7"}}]}"#;

#[test]
fn kernels_and_copies_know_the_call_path_that_launched_them() {
    let profile = read(TRACE);
    assert_eq!(warnings(&profile), [""; 0]);
    let path = |stack| profile.path_names(stack).join(";");
    let kernels: Vec<_> = profile
        .gpu
        .kernels
        .iter()
        .map(|(key, stats)| (profile.strings.get(key.name), key.launched_from.map(path), stats.total_nanos))
        .collect();
    let launch = "forward;aten::mm;cudaLaunchKernel".to_owned();
    assert_eq!(kernels, [("gemm", Some(launch), 30_000), ("gemm", None, 10_000)]);
    let copies: Vec<_> = profile
        .gpu
        .copies
        .iter()
        .map(|(key, stats)| (key.kind, key.is_pageable, key.launched_from.map(path), stats.bytes))
        .collect();
    let copied = "forward;cudaMemcpyAsync".to_owned();
    assert_eq!(
        copies,
        [(CopyKind::HostToDevice, Some(true), Some(copied), 4096), (CopyKind::Set, None, None, 64)]
    );
}

#[test]
fn work_on_a_gpu_is_on_the_timeline_and_not_counted_as_time_of_the_host() {
    let profile = read(TRACE);
    assert_eq!(profile.timeline.n_spans(), 8);
    assert!(scopes(&profile).iter().all(|line| line.starts_with("thread 100: ")), "{:?}", scopes(&profile));
    let of_gpu = profile.frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Gpu).count();
    assert_eq!(of_gpu, 3);
    assert!(Metric::available(&profile).contains(&Metric::Gpu));
}
