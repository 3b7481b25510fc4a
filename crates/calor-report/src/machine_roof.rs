//! From what was measured to the roofs that the analysis knows.

use calor_analysis::{MachineRoof, RoofNumber, RoofPeak, RoofTier};
use calor_machine::{Machine, Peak, Width};

/// The roofs of a machine that was measured.
#[must_use]
pub fn machine_roof(machine: &Machine) -> MachineRoof {
    let peaks = [(RoofNumber::F32, &machine.peaks.f32), (RoofNumber::F64, &machine.peaks.f64)];
    let tiers = machine.tiers.iter().filter_map(|tier| {
        Some(RoofTier {
            name: tier.name.clone(),
            bytes: tier.bytes,
            bytes_per_s: tier.best()?,
            all_cores_bytes_per_s: tier.all_cores,
        })
    });
    MachineRoof {
        cpu: machine.processor.cpu.clone(),
        cores: Some(machine.processor.cores),
        peaks: peaks.into_iter().flat_map(|(number, peak)| peaks_of(number, peak)).collect(),
        tiers: tiers.collect(),
    }
}

fn peaks_of(number: RoofNumber, peak: &Peak) -> Vec<RoofPeak> {
    let best = peak.best().map(|(width, _)| width);
    let of_width = |width: Width| {
        Some(RoofPeak {
            number,
            width: width.word().to_owned(),
            flops_per_s: peak.of(width)?,
            // All cores ran with the best width alone.
            all_cores_flops_per_s: peak.all_cores.filter(|_| best == Some(width)),
        })
    };
    Width::ALL.into_iter().filter_map(of_width).collect()
}

#[cfg(test)]
mod tests {
    use calor_analysis::RoofCores;
    use calor_machine::{Noise, Peaks, Processor, Tier};

    use super::*;

    #[test]
    fn what_was_measured_becomes_a_roof_and_what_was_not_is_left_out() {
        let peak = Peak { scalar: Some(10.0), avx2: Some(100.0), all_cores: Some(190.0), ..Peak::default() };
        let tier = |name: &str, read| Tier {
            name: name.to_owned(),
            bytes: Some(1),
            working_set_bytes: None,
            read,
            triad: None,
            all_cores: None,
            interval: None,
        };
        let machine = Machine {
            id: String::new(),
            processor: Processor { cpu: "Some CPU".to_owned(), cores: 2, ..Processor::default() },
            peaks: Peaks { f32: peak, f64: Peak::default() },
            tiers: vec![tier("L1", Some(7.0)), tier("L2", None)],
            noise: Noise::default(),
            measured_at_unix_nanos: 0,
            took_nanos: 0,
            warnings: Vec::new(),
        };
        let roof = machine_roof(&machine);
        assert_eq!((roof.cpu.as_str(), roof.cores, roof.tiers.len()), ("Some CPU", Some(2), 1));
        assert_eq!(roof.peak(RoofNumber::F32, RoofCores::One), Some(100.0));
        assert_eq!(roof.peak(RoofNumber::F32, RoofCores::All), Some(190.0));
        assert_eq!(roof.peak_of_width(RoofNumber::F32, "scalar"), Some(10.0));
        assert_eq!(roof.peak(RoofNumber::F64, RoofCores::One), None);
    }
}
