//! The figures of a machine in cells, the same for a terminal and for Markdown.

use calor_analysis::quantity::{bytes, counted, duration, giga, percent};
use calor_machine::{Machine, Origin, Peak, Width};

/// What was measured, where and when.
pub(super) fn title(machine: &Machine) -> String {
    let processor = &machine.processor;
    let cpu = if processor.cpu.is_empty() { "processor of unknown name" } else { &processor.cpu };
    let microcode = processor.microcode.as_ref().map(|version| format!(", microcode {version}"));
    format!("{cpu}, {}{}", counted(processor.cores.into(), "core"), microcode.unwrap_or_default())
}

/// Where the figures come from.
pub(super) fn origin(machine: &Machine, origin: Origin) -> String {
    let took = duration(machine.took_nanos as f64);
    match origin {
        Origin::Cached => {
            let at = calor_wire::utc(machine.measured_at_unix_nanos).unwrap_or_default();
            format!("measured at {at} in {took}; a burst now was as quick. --fresh measures again")
        }
        Origin::Kept(_) => {
            let at = calor_wire::utc(machine.measured_at_unix_nanos).unwrap_or_default();
            format!("measured at {at} in {took}; measuring now was disturbed")
        }
        _ => format!("measured now in {took}"),
    }
}

/// Peaks: sizes of numbers down, widths across.
pub(super) fn peaks(machine: &Machine) -> Vec<Vec<String>> {
    let peaks = [("f32", &machine.peaks.f32), ("f64", &machine.peaks.f64)];
    let is_there = |width: &Width| match width {
        Width::Vector => peaks.iter().any(|(_, peak)| peak.vector.is_some()),
        _ => true,
    };
    let widths: Vec<Width> = Width::ALL.into_iter().filter(is_there).collect();
    let mut head = vec!["GFLOP/s".to_owned()];
    head.extend(widths.iter().map(|width| width.word().to_owned()));
    head.extend(["best", "least", "all cores", ""].map(str::to_owned));
    let row = |(name, peak): (&str, &Peak)| {
        let mut row = vec![name.to_owned()];
        row.extend(widths.iter().map(|width| cell(peak.of(*width))));
        let least = peak.interval.map(|[least, _]| least);
        row.extend([peak.best().map(|(_, rate)| rate), least, peak.all_cores].map(cell));
        row.push(String::new());
        row
    };
    std::iter::once(head).chain(peaks.into_iter().map(row)).collect()
}

/// Tiers of memory, the nearest first.
pub(super) fn tiers(machine: &Machine) -> Vec<Vec<String>> {
    let head =
        ["GB/s", "holds", "read", "triad", "least", "all cores", "f32 ridge", ""].map(str::to_owned).to_vec();
    let peak = machine.peaks.f32.best().map(|(_, rate)| rate);
    let rows = machine.tiers.iter().map(|tier| {
        let ridge = peak.zip(tier.best()).map(|(peak, rate)| format!("{:.2} FLOP/B", peak / rate));
        vec![
            tier.name.clone(),
            tier.bytes.map_or_else(missing, bytes),
            cell(tier.read),
            cell(tier.triad),
            cell(tier.interval.map(|[least, _]| least)),
            cell(tier.all_cores),
            ridge.unwrap_or_else(missing),
            String::new(),
        ]
    });
    std::iter::once(head).chain(rows).collect()
}

/// Sentences about how steady it is.
pub(super) fn noise(machine: &Machine) -> Vec<String> {
    let noise = &machine.noise;
    let scatter = |share: Option<f64>| share.map_or_else(|| "an unknown part".to_owned(), percent);
    let run = noise.run_nanos.map(|nanos| format!(" of {}", duration(nanos as f64))).unwrap_or_default();
    let mut lines = vec![format!(
        "Runs{run} of unchanged code scatter by {} in CPU time and by {} on the wall.",
        scatter(noise.cpu_cv),
        scatter(noise.wall_cv)
    )];
    if let Some(smallest) = noise.smallest_detectable {
        lines.push(format!(
            "The smallest change of CPU time that {} in turns find four times in five: {}.",
            counted(noise.n_pairs as u64, "pair"),
            percent(smallest)
        ));
    }
    lines
}

fn cell(rate: Option<f64>) -> String {
    rate.map_or_else(missing, giga)
}

fn missing() -> String {
    "-".to_owned()
}
