//! What of a measurement is looked at.

use calor_analysis::smallest_paired_change;
use calor_machine::{Peak, measure};
use harness::{Figures, clock};

/// A figure and how it is shown.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) digits: usize,
    /// Whether it is something the machine has, which should come out the same every time.
    pub(crate) is_rate: bool,
}

const fn rate(name: &'static str, title: &'static str, unit: &'static str) -> Figure {
    Figure { name, title, unit, digits: 1, is_rate: true }
}

const fn other(name: &'static str, title: &'static str, unit: &'static str, digits: usize) -> Figure {
    Figure { name, title, unit, digits, is_rate: false }
}

pub(crate) const FIGURES: [Figure; 14] = [
    rate("f32", "peak f32, best width", "GFLOP/s"),
    rate("f32_scalar", "peak f32, scalar", "GFLOP/s"),
    rate("f32_sse", "peak f32, sse", "GFLOP/s"),
    rate("f64", "peak f64, best width", "GFLOP/s"),
    rate("l1", "bandwidth L1", "GB/s"),
    rate("l2", "bandwidth L2", "GB/s"),
    rate("l3", "bandwidth L3", "GB/s"),
    rate("dram", "bandwidth DRAM", "GB/s"),
    rate("f32_all", "peak f32, all cores", "GFLOP/s"),
    rate("dram_all", "bandwidth DRAM, all cores", "GB/s"),
    other("cpu_cv", "scatter of CPU time", "%", 2),
    other("smallest", "smallest detectable change", "%", 2),
    other("took", "time on the wall", "ms", 0),
    other("cpu", "CPU time of all threads", "ms", 0),
];

/// Measures this machine.
pub(crate) fn of_this_machine() -> Figures {
    let cpu = clock::process_cpu_nanos();
    let machine = measure(smallest_paired_change);
    let cpu = (clock::process_cpu_nanos() - cpu) as f64 / 1e6;
    let best = |peak: &Peak| peak.best().map(|(_, rate)| rate / 1e9);
    let tier = |name: &str| machine.tiers.iter().find(|tier| tier.name == name);
    let giga = |rate: Option<f64>| rate.map(|rate| rate / 1e9);
    let found = [
        ("f32", best(&machine.peaks.f32)),
        ("f32_scalar", giga(machine.peaks.f32.scalar)),
        ("f32_sse", giga(machine.peaks.f32.sse)),
        ("f64", best(&machine.peaks.f64)),
        ("l1", giga(tier("L1").and_then(|tier| tier.best()))),
        ("l2", giga(tier("L2").and_then(|tier| tier.best()))),
        ("l3", giga(tier("L3").and_then(|tier| tier.best()))),
        ("dram", giga(tier("DRAM").and_then(|tier| tier.best()))),
        ("f32_all", giga(machine.peaks.f32.all_cores)),
        ("dram_all", giga(tier("DRAM").and_then(|tier| tier.all_cores))),
        ("cpu_cv", machine.noise.cpu_cv.map(|part| 100.0 * part)),
        ("smallest", machine.noise.smallest_detectable.map(|part| 100.0 * part)),
        ("took", Some(machine.took_nanos as f64 / 1e6)),
        ("cpu", Some(cpu)),
    ];
    // What was not measured is not there.
    found.into_iter().fold(Figures::default(), |figures, (name, value)| match value {
        Some(value) => figures.with(name, value),
        None => figures,
    })
}
