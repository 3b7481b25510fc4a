//! The tiers of memory: as they are typed, or else as this machine has them.

use std::collections::BTreeSet;

use calor_analysis::MemoryTier;
use calor_host::Caches;
use calor_machine::{Machine, Processor};
use calor_model::Warning;

/// How fast the nearest tier is taken to be; only the ratios between tiers matter to a forecast.
const NEAREST_BYTES_PER_S: f64 = 80e9;

/// The tiers that were given, or those of this machine as they are measured, with what has to be known about them. `cpus` are
/// the processors that the runs are of.
pub(super) fn known(
    given: &[MemoryTier],
    cpus: &BTreeSet<String>,
    measured: impl FnOnce() -> Machine,
) -> (Vec<MemoryTier>, Vec<Warning>) {
    if !given.is_empty() {
        return (given.to_vec(), Vec::new());
    }
    let this = Processor::this().cpu;
    if let Some(other) = cpus.iter().find(|cpu| **cpu != this) {
        let message = format!(
            "the runs are of {other} and the tiers of memory those of this machine; give that one's with --tier, as `calor \
             machine` tells them there"
        );
        return (of(&measured()), vec![Warning::new("other_machine", message)]);
    }
    let tiers = of(&measured());
    match tiers.is_empty() {
        false => (tiers, Vec::new()),
        true => assumed(),
    }
}

/// The tiers of a machine of which both size and rate are known. The nearest is left again and again by whatever works: it is
/// no tier that a program would stay in.
fn of(machine: &Machine) -> Vec<MemoryTier> {
    let tiers = machine.tiers.iter().filter(|tier| tier.name != "L1").filter_map(|tier| {
        Some(MemoryTier { name: tier.name.clone(), bytes: tier.bytes?, bytes_per_s: tier.best()? })
    });
    tiers.collect()
}

/// Where nothing could be measured.
fn assumed() -> (Vec<MemoryTier>, Vec<Warning>) {
    let [_, l2, l3] = Caches::of_this_machine().levels;
    let known = [("L2", l2), ("L3", l3), ("DRAM", calor_host::memory().total_bytes)];
    let sizes: Vec<_> =
        known.into_iter().filter_map(|(name, bytes)| Some((name.to_owned(), bytes?))).collect();
    if sizes.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut rate = 2.0 * NEAREST_BYTES_PER_S;
    let tiers = sizes.into_iter().map(|(name, bytes)| {
        rate /= 2.0;
        MemoryTier { name, bytes, bytes_per_s: rate }
    });
    let message = "the tiers of memory could not be measured here, so each is taken to be half as fast as the one before; \
                   give what was measured elsewhere with --tier";
    (tiers.collect(), vec![Warning::new("tiers_assumed", message)])
}

/// `L2=1MiB:78GB/s`.
pub(super) fn tier(given: &str) -> Result<MemoryTier, String> {
    let expected = || "expected a name, what it holds and its rate, such as L2=1MiB:78GB/s".to_owned();
    let (name, rest) = given.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(expected)?;
    let (size, rate) = rest.split_once(':').ok_or_else(expected)?;
    let rate = rate.trim().trim_end_matches("/s");
    let bytes = bytes(size).filter(|bytes| *bytes > 0).ok_or_else(expected)?;
    let bytes_per_s = scaled(rate).filter(|rate| *rate > 0.0).ok_or_else(expected)?;
    Ok(MemoryTier { name: name.to_owned(), bytes, bytes_per_s })
}

fn bytes(text: &str) -> Option<u64> {
    scaled(text).map(|bytes| bytes as u64)
}

/// A number with a unit: `32K` and `1MiB` are of 1024, `78GB` of 1000.
fn scaled(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale: f64 = match unit.trim() {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "K" | "KiB" => 1024.0,
        "M" | "MiB" => 1_048_576.0,
        "G" | "GiB" => 1_073_741_824.0,
        _ => return None,
    };
    number.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| number * scale)
}

#[cfg(test)]
mod tests {
    use calor_machine::{Noise, Peaks, Tier};

    use super::*;

    fn machine(tiers: &[(&str, Option<f64>)]) -> Machine {
        let tier = |(name, read): &(&str, Option<f64>)| Tier {
            name: (*name).to_owned(),
            bytes: Some(1 << 20),
            working_set_bytes: None,
            read: *read,
            triad: None,
            all_cores: None,
            interval: None,
        };
        Machine {
            id: String::new(),
            processor: Processor::default(),
            peaks: Peaks::default(),
            tiers: tiers.iter().map(tier).collect(),
            noise: Noise::default(),
            measured_at_unix_nanos: 0,
            took_nanos: 0,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn tiers_are_measured_unless_given_and_what_is_not_of_this_machine_is_told() {
        let given = vec![tier("L2=1MiB:78GB/s").unwrap()];
        let none = BTreeSet::new();
        let told = |given: &[MemoryTier], cpus: &BTreeSet<String>, tiers: &[(&str, Option<f64>)]| {
            let (tiers, warnings) = known(given, cpus, || machine(tiers));
            let names: Vec<String> = tiers.into_iter().map(|tier| tier.name).collect();
            (names.join(" "), warnings.into_iter().map(|warning| warning.code).collect::<Vec<_>>().join(" "))
        };
        let measured = [("L1", Some(2e11)), ("L2", Some(1e11)), ("L3", None), ("DRAM", Some(4e10))];
        assert_eq!(told(&given, &none, &measured), ("L2".to_owned(), String::new()));
        assert_eq!(told(&[], &none, &measured), ("L2 DRAM".to_owned(), String::new()));
        let here = BTreeSet::from([Processor::this().cpu]);
        assert_eq!(told(&[], &here, &measured).1, "");
        let there = BTreeSet::from(["a processor that nobody has".to_owned()]);
        assert_eq!(told(&[], &there, &measured), ("L2 DRAM".to_owned(), "other_machine".to_owned()));
        let (tiers, warnings) = told(&[], &none, &[("L1", Some(2e11))]);
        assert_eq!(warnings.is_empty(), tiers.is_empty(), "what is assumed is told: {tiers}");
    }

    #[test]
    fn a_tier_is_a_name_a_size_and_a_rate() {
        let told = tier("L2=1MiB:78GB/s").unwrap();
        assert_eq!((told.name.as_str(), told.bytes, told.bytes_per_s), ("L2", 1 << 20, 78e9));
        assert_eq!(tier("RAM=16 GiB:22.5GB").unwrap().bytes_per_s, 22.5e9);
        for wrong in ["L2", "L2=1MiB", "=1MiB:1GB", "L2=x:1GB", "L2=1MiB:fast", "L2=0:1GB", "L2=1XB:1GB"] {
            assert!(tier(wrong).is_err_and(|error| error.contains("L2=1MiB:78GB/s")), "{wrong}");
        }
    }
}
