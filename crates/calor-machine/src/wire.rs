//! A machine as JSON, `calor/machine/1`: what scripts read, what is cached, and what is carried to another machine to judge a
//! profile that was recorded here. Written once, so that the three cannot differ.

use calor_model::Warning;
use serde::{Deserialize, Serialize};

use crate::{Error, Machine, Noise, Peak, Peaks, Processor, Tier};

const SCHEMA: &str = "calor/machine/1";

/// What a machine can do at most, and how steady it is. What was not measured is null, and a warning says why.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineFile {
    schema: String,
    /// The version of the command.
    calor: String,
    /// What could not be measured.
    warnings: Vec<Said>,
    /// Equal as long as figures may be taken over: made of machine, processor, microcode and cores, and tells none of them.
    id: String,
    host: Processor,
    measured_at_unix_ns: u64,
    /// How long measuring took, on the wall.
    took_ns: u64,
    /// Whether the parts of the measurement differ by more than 5 % in a peak or a bandwidth; a warning names which.
    #[serde(default)]
    disturbed: bool,
    /// Floating-point operations a second.
    peak_flops: PeakFlops,
    /// Tiers of memory, the nearest first.
    bandwidth: Vec<Bandwidth>,
    noise: NoiseFloor,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Said {
    code: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PeakFlops {
    f32: Widths,
    f64: Widths,
}

/// Of one core by the width of its vectors, of all cores with the best width. Without fused operations for scalar and sse, with
/// them for the others.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Widths {
    scalar: Option<f64>,
    sse: Option<f64>,
    avx2: Option<f64>,
    avx512: Option<f64>,
    /// What the compiler makes of a plain loop; on processors without the widths above.
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<f64>,
    best: Option<f64>,
    all_cores: Option<f64>,
    /// What the parts of the measurement found with the best width or the better pass, the least and the most; the most is the figure.
    #[serde(default)]
    interval: Option<[f64; 2]>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Bandwidth {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["L1", "L2", "L3", "DRAM"])))]
    tier: String,
    /// How much it holds.
    bytes: Option<u64>,
    /// The better of reading and of the triad, one core.
    bytes_per_s: Option<f64>,
    read_bytes_per_s: Option<f64>,
    triad_bytes_per_s: Option<f64>,
    /// Of main memory alone; null for the others.
    all_cores_bytes_per_s: Option<f64>,
    /// What the parts of the measurement found with the best width or the better pass, the least and the most; the most is the figure.
    #[serde(default)]
    interval: Option<[f64; 2]>,
    /// How much was passed over to measure it.
    working_set_bytes: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct NoiseFloor {
    /// Standard deviation over mean of the CPU time of unchanged code.
    cpu_cv: Option<f64>,
    /// The same on the wall.
    wall_cv: Option<f64>,
    /// The least change of CPU time, as a part of it, that so many pairs find four times in five.
    smallest_detectable: Option<f64>,
    pairs: usize,
    /// The CPU time of one run of that code.
    run_ns: Option<u64>,
}

impl Machine {
    /// The page that scripts read.
    #[must_use]
    pub fn to_json(&self) -> String {
        let page = MachineFile {
            schema: SCHEMA.to_owned(),
            calor: env!("CARGO_PKG_VERSION").to_owned(),
            warnings: self.warnings.iter().map(Said::new).collect(),
            id: self.id.clone(),
            host: self.processor.clone(),
            measured_at_unix_ns: self.measured_at_unix_nanos,
            took_ns: self.took_nanos,
            disturbed: !self.disturbed().is_empty(),
            peak_flops: PeakFlops { f32: Widths::new(&self.peaks.f32), f64: Widths::new(&self.peaks.f64) },
            bandwidth: self.tiers.iter().map(Bandwidth::new).collect(),
            noise: NoiseFloor::new(&self.noise),
        };
        serde_json::to_string_pretty(&page).expect("plain values become JSON") + "\n"
    }

    /// Reads such a page.
    ///
    /// # Errors
    /// When it is another text, of another kind or version, or has figures that no machine has.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let any: serde_json::Value = serde_json::from_str(text)?;
        let found = any.get("schema").and_then(|schema| schema.as_str()).unwrap_or("nothing");
        if found != SCHEMA {
            return Err(Error::OtherSchema { found: found.to_owned() });
        }
        let page: MachineFile = serde_json::from_value(any)?;
        page.check()?;
        Ok(Self {
            id: page.id,
            processor: page.host,
            peaks: Peaks { f32: page.peak_flops.f32.peak(), f64: page.peak_flops.f64.peak() },
            tiers: page.bandwidth.into_iter().map(Bandwidth::tier).collect(),
            noise: Noise {
                cpu_cv: page.noise.cpu_cv,
                wall_cv: page.noise.wall_cv,
                smallest_detectable: page.noise.smallest_detectable,
                n_pairs: page.noise.pairs,
                run_nanos: page.noise.run_ns,
            },
            measured_at_unix_nanos: page.measured_at_unix_ns,
            took_nanos: page.took_ns,
            warnings: page.warnings.into_iter().map(Said::warning).collect(),
        })
    }
}

impl MachineFile {
    /// Rates are divided by, so none may be nothing.
    fn check(&self) -> Result<(), Error> {
        let peaks = [("f32", &self.peak_flops.f32), ("f64", &self.peak_flops.f64)];
        let of_peaks = peaks.into_iter().flat_map(|(name, widths)| {
            let rates =
                [widths.scalar, widths.sse, widths.avx2, widths.avx512, widths.vector, widths.all_cores];
            rates.into_iter().flatten().map(move |rate| (format!("a peak of {name}"), rate))
        });
        let of_tiers = self.bandwidth.iter().flat_map(|tier| {
            let rates = [tier.read_bytes_per_s, tier.triad_bytes_per_s, tier.all_cores_bytes_per_s];
            rates.into_iter().flatten().map(|rate| (format!("a bandwidth of {}", tier.tier), rate))
        });
        match of_peaks.chain(of_tiers).find(|(_, rate)| !(rate.is_finite() && *rate > 0.0)) {
            Some((what, found)) => Err(Error::Impossible { what, found }),
            None => Ok(()),
        }
    }
}

impl Said {
    fn new(warning: &Warning) -> Self {
        Self { code: warning.code.clone(), message: warning.message.clone(), count: warning.count }
    }

    fn warning(self) -> Warning {
        Warning { code: self.code, message: self.message, count: self.count }
    }
}

impl Widths {
    fn new(peak: &Peak) -> Self {
        Self {
            scalar: peak.scalar,
            sse: peak.sse,
            avx2: peak.avx2,
            avx512: peak.avx512,
            vector: peak.vector,
            best: peak.best().map(|(_, rate)| rate),
            all_cores: peak.all_cores,
            interval: peak.interval,
        }
    }

    fn peak(&self) -> Peak {
        Peak {
            scalar: self.scalar,
            sse: self.sse,
            avx2: self.avx2,
            avx512: self.avx512,
            vector: self.vector,
            all_cores: self.all_cores,
            interval: self.interval,
        }
    }
}

impl Bandwidth {
    fn new(tier: &Tier) -> Self {
        Self {
            tier: tier.name.clone(),
            bytes: tier.bytes,
            bytes_per_s: tier.best(),
            read_bytes_per_s: tier.read,
            triad_bytes_per_s: tier.triad,
            all_cores_bytes_per_s: tier.all_cores,
            interval: tier.interval,
            working_set_bytes: tier.working_set_bytes,
        }
    }

    fn tier(self) -> Tier {
        Tier {
            name: self.tier,
            bytes: self.bytes,
            working_set_bytes: self.working_set_bytes,
            read: self.read_bytes_per_s,
            triad: self.triad_bytes_per_s,
            all_cores: self.all_cores_bytes_per_s,
            interval: self.interval,
        }
    }
}

impl NoiseFloor {
    fn new(noise: &Noise) -> Self {
        Self {
            cpu_cv: noise.cpu_cv,
            wall_cv: noise.wall_cv,
            smallest_detectable: noise.smallest_detectable,
            pairs: noise.n_pairs,
            run_ns: noise.run_nanos,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sketch() -> Machine {
        let peak =
            Peak { scalar: Some(1e10), avx2: Some(1.1e11), all_cores: Some(2.1e11), ..Peak::default() };
        Machine {
            id: "0123456789abcdef".to_owned(),
            processor: Processor { cpu: "Some CPU".to_owned(), cores: 2, ..Processor::default() },
            peaks: Peaks { f32: peak, f64: peak },
            tiers: vec![Tier {
                name: "DRAM".to_owned(),
                bytes: None,
                working_set_bytes: Some(1 << 27),
                read: Some(3e10),
                triad: None,
                all_cores: Some(4e10),
                interval: Some([2.9e10, 3e10]),
            }],
            noise: Noise { cpu_cv: Some(0.01), n_pairs: 25, ..Noise::default() },
            measured_at_unix_nanos: 1,
            took_nanos: 2,
            warnings: vec![Warning::counted("code", "what", 3)],
        }
    }

    #[test]
    fn a_machine_survives_its_page() {
        let machine = sketch();
        assert_eq!(Machine::from_json(&machine.to_json()).ok(), Some(machine));
    }

    #[test]
    fn what_is_no_machine_is_refused_with_the_reason() {
        let text = sketch().to_json();
        for (text, expected) in [
            ("".to_owned(), "found something else"),
            ("{}".to_owned(), "found `nothing`"),
            (text.replace("machine/1", "machine/2"), "found `calor/machine/2`"),
            (text.replace("\"scalar\": 10000000000.0", "\"scalar\": -1"), "a peak of f32 is -1"),
            (text.replace("\"bandwidth\"", "\"band\""), "missing field `bandwidth`"),
        ] {
            let error = Machine::from_json(&text).map_err(|error| error.to_string());
            assert!(error.as_ref().is_err_and(|error| error.contains(expected)), "{error:?}");
        }
    }
}
