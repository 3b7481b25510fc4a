//! Kernels whose true cost at every size is known, measured with noise at small sizes and forecast at four times the
//! largest.

use super::*;
use crate::chance::Chance;
use crate::noise;

const N_SEEDS: u64 = 8;
const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;
/// Bytes a nanosecond of each tier, near what a core of a small cloud machine reaches.
const RATES: [f64; 3] = [78.0, 40.0, 22.0];

fn tiers() -> Vec<MemoryTier> {
    let tier = |name: &str, bytes: f64, rate: f64| MemoryTier {
        name: name.to_owned(),
        bytes: bytes as u64,
        bytes_per_s: rate * 1e9,
    };
    vec![tier("L2", MIB, RATES[0]), tier("L3", 32.0 * MIB, RATES[1]), tier("RAM", 16.0 * KIB * MIB, RATES[2])]
}

fn place(bytes: f64) -> usize {
    if bytes <= MIB { 0 } else { usize::from(bytes > 32.0 * MIB) + 1 }
}

/// Nanoseconds to go through so many bytes of a working set.
fn stream(bytes: f64, footprint: f64) -> f64 {
    bytes / RATES[place(footprint)]
}

/// A kernel: its true time in nanoseconds, its working set in bytes, and the sizes that are measured.
struct Kernel {
    name: &'static str,
    nanos: fn(f64) -> f64,
    bytes: fn(f64) -> f64,
    sizes: [f64; 5],
}

const KERNELS: [Kernel; 12] = [
    Kernel {
        name: "sort",
        nanos: |n| 200.0 + 2.1 * n * n.log2(),
        bytes: |n| 8.0 * n,
        sizes: [2e4, 4e4, 6e4, 8e4, 1.2e5],
    },
    Kernel {
        name: "gemm",
        nanos: |n| 900.0 + (2.0 * n.powi(3) + 90.0 * n * n) / 50.0,
        bytes: |n| 12.0 * n * n,
        sizes: [64.0, 96.0, 128.0, 192.0, 256.0],
    },
    Kernel {
        name: "attention",
        nanos: |n| 5_000.0 + 256.0 * n * n / 50.0 + stream(24.0 * n * n, 4.0 * n * n + 768.0 * n),
        bytes: |n| 4.0 * n * n + 768.0 * n,
        sizes: [128.0, 192.0, 256.0, 320.0, 384.0],
    },
    Kernel {
        name: "axpy inside a cache",
        nanos: |n| 60.0 + stream(24.0 * n, 16.0 * n),
        bytes: |n| 16.0 * n,
        sizes: [1e3, 2e3, 4e3, 8e3, 1.2e4],
    },
    Kernel {
        name: "axpy that leaves L2",
        nanos: |n| 60.0 + stream(24.0 * n, 16.0 * n),
        bytes: |n| 16.0 * n,
        sizes: [1e4, 2e4, 3e4, 4e4, 6e4],
    },
    Kernel {
        name: "axpy measured on both sides of L2",
        nanos: |n| 60.0 + stream(24.0 * n, 16.0 * n),
        bytes: |n| 16.0 * n,
        sizes: [2e4, 4e4, 1e5, 2e5, 4e5],
    },
    Kernel {
        name: "gather that leaves L2",
        nanos: |n| {
            let near = (MIB / (12.0 * n)).min(1.0);
            n * (1.5 * near + 6.0 * (1.0 - near))
        },
        bytes: |n| 12.0 * n,
        sizes: [1e4, 2e4, 4e4, 6e4, 8e4],
    },
    Kernel {
        name: "interpreted loop",
        nanos: |n| 3_000.0 + 45.0 * n,
        bytes: |n| 200_000.0 + 32.0 * n,
        sizes: [1e3, 2e3, 4e3, 8e3, 1.6e4],
    },
    Kernel {
        name: "tokenizer",
        nanos: |n| 20_000.0 + 95.0 * n,
        bytes: |n| 3e6 + 12.0 * n,
        sizes: [1e3, 3e3, 1e4, 3e4, 1e5],
    },
    Kernel {
        name: "compressor",
        nanos: |n| 40_000.0 + 9.0 * n,
        bytes: |n| 2e6 + 2.0 * n,
        sizes: [1e5, 2e5, 4e5, 8e5, 1.6e6],
    },
    Kernel {
        name: "all pairs",
        nanos: |n| 1_000.0 + 30.0 * n + 1.1 * n * n,
        bytes: |n| 24.0 * n,
        sizes: [200.0, 400.0, 600.0, 800.0, 1200.0],
    },
    Kernel { name: "start-up", nanos: |_| 8e6, bytes: |_| 2e7, sizes: [1e3, 2e3, 4e3, 8e3, 1.6e4] },
];

impl Kernel {
    /// Measurements with noise of some hundredths.
    fn measured(&self, of: fn(f64) -> f64, noise: f64, seed: u64) -> Vec<SizePoint> {
        let mut chance = Chance::new(seed);
        let point =
            |size: f64| SizePoint { size, value: of(size) * (noise * noise::gauss(&mut chance)).exp() };
        self.sizes.map(point).to_vec()
    }

    fn forecast(&self, seed: u64) -> (Forecast, f64) {
        let options = ForecastOptions {
            tiers: tiers(),
            footprint: self.measured(self.bytes, 0.002, seed + 1),
            ..Default::default()
        };
        let at = 4.0 * self.sizes[4];
        let forecast = forecast(&self.measured(self.nanos, 0.015, seed), at, &options).unwrap();
        let error = forecast.value / (self.nanos)(at) - 1.0;
        (forecast, error)
    }

    fn leaves_a_tier(&self) -> bool {
        place((self.bytes)(self.sizes[4])) != place((self.bytes)(4.0 * self.sizes[4]))
    }
}

#[test]
fn four_times_the_size_is_forecast_within_fifteen_hundredths_in_the_median() {
    let (mut errors, mut n_inside) = (Vec::new(), 0);
    for kernel in &KERNELS {
        let mut own = Vec::new();
        for seed in 0..N_SEEDS {
            let (forecast, error) = kernel.forecast(seed);
            let truth = (kernel.nanos)(forecast.size);
            n_inside += u32::from(forecast.interval[0] <= truth && truth <= forecast.interval[1]);
            own.push(error.abs());
        }
        own.sort_unstable_by(f64::total_cmp);
        errors.push(own[own.len() / 2]);
    }
    let n_all = N_SEEDS as u32 * KERNELS.len() as u32;
    errors.sort_unstable_by(f64::total_cmp);
    assert!(errors[KERNELS.len() / 2] < 0.15, "median {}", errors[KERNELS.len() / 2]);
    assert!(f64::from(n_inside) >= 0.85 * f64::from(n_all), "{n_inside} of {n_all} inside their interval");
}

#[test]
fn every_tier_that_is_left_is_told_and_no_other() {
    for kernel in &KERNELS {
        for seed in 0..N_SEEDS {
            let (forecast, _) = kernel.forecast(seed);
            assert_eq!(!forecast.crossings.is_empty(), kernel.leaves_a_tier(), "{}", kernel.name);
        }
    }
    let (forecast, _) = KERNELS[4].forecast(0);
    let crossing = &forecast.crossings[0];
    assert_eq!((crossing.from.as_str(), crossing.to.as_deref()), ("L2", Some("L3")));
    assert!(crossing.bytes[0] < MIB as u64 && crossing.bytes[1] > MIB as u64);
}

#[test]
fn peak_memory_is_forecast_within_five_hundredths() {
    for kernel in &KERNELS {
        for seed in 0..N_SEEDS {
            let at = 4.0 * kernel.sizes[4];
            let measured = kernel.measured(kernel.bytes, 0.001, seed);
            let options =
                ForecastOptions { least_noise: 0.001, can_double: true, ..ForecastOptions::default() };
            let forecast = forecast(&measured, at, &options).unwrap();
            let error = forecast.value / (kernel.bytes)(at) - 1.0;
            assert!(error.abs() < 0.05, "{}: {error}", kernel.name);
        }
    }
}

#[test]
fn memory_that_grows_in_doublings_is_forecast_as_it_grows() {
    // A hash map that holds its keys beside: the old table and the new at its last growth, 17 bytes a slot.
    let bytes = |n: f64| 1_000.0 + 8.0 * n + 1.5 * 17.0 * (n * 8.0 / 7.0).log2().ceil().exp2();
    let options = ForecastOptions { least_noise: 0.001, can_double: true, ..ForecastOptions::default() };
    for sizes in
        [[4e4, 6e4, 8e4, 12e4, 16e4], [1e4, 2e4, 3e4, 4e4, 5e4], [700.0, 900.0, 1_300.0, 1_600.0, 2_100.0]]
    {
        let measured = sizes.map(|size| SizePoint { size, value: bytes(size) });
        let at = 4.0 * sizes[4];
        let forecast = forecast(&measured, at, &options).unwrap();
        let error = forecast.value / bytes(at) - 1.0;
        assert!(error.abs() < 0.02, "{sizes:?}: {error} {}", forecast.scaling);
        assert!(forecast.scaling.to_string().ends_with("in doublings"), "{}", forecast.scaling);
    }
}

#[test]
fn how_it_grows_is_told() {
    for (kernel, expected) in [("all pairs", "n^2"), ("interpreted loop", "n"), ("start-up", "constant")] {
        let kernel = KERNELS.iter().find(|known| known.name == kernel).unwrap();
        let measured = kernel.measured(kernel.nanos, 0.005, 3);
        let forecast = forecast(&measured, 4.0 * kernel.sizes[4], &ForecastOptions::default()).unwrap();
        let told = forecast.scaling.to_string();
        assert!(told == expected || told == format!("n + {expected}"), "{}: {told}", kernel.name);
    }
}

#[test]
fn a_size_to_measure_next_lies_between_and_narrows_the_interval() {
    let kernel = &KERNELS[6];
    let (wide, _) = kernel.forecast(5);
    let options = |footprint| ForecastOptions { tiers: tiers(), footprint, ..ForecastOptions::default() };
    let known = options(kernel.measured(kernel.bytes, 0.002, 6));
    let next = next_size(&kernel.measured(kernel.nanos, 0.015, 5), wide.size, &known).unwrap();
    let next = next.expect("a crossing leaves room");
    assert!(next.size > kernel.sizes[4] && next.size < wide.size && next.narrower < 0.9, "{next:?}");
    let mut measured = kernel.measured(kernel.nanos, 0.015, 5);
    measured.push(SizePoint { size: next.size, value: (kernel.nanos)(next.size) });
    let mut footprint = kernel.measured(kernel.bytes, 0.002, 6);
    footprint.push(SizePoint { size: next.size, value: (kernel.bytes)(next.size) });
    let narrow = forecast(&measured, wide.size, &options(footprint)).unwrap();
    let width = |forecast: &Forecast| (forecast.interval[1] / forecast.interval[0]).ln();
    assert!(width(&narrow) < width(&wide), "{:?} after {:?}", narrow.interval, wide.interval);
}

#[test]
fn the_same_measurements_give_the_same_forecast() {
    assert_eq!(KERNELS[2].forecast(1).0, KERNELS[2].forecast(1).0);
}

#[test]
fn a_forecast_of_a_size_that_was_measured_is_near_what_was_measured() {
    for kernel in &KERNELS {
        let measured = kernel.measured(kernel.nanos, 0.01, 9);
        let footprint = kernel.measured(kernel.bytes, 0.002, 6);
        let options = ForecastOptions { tiers: tiers(), footprint, ..ForecastOptions::default() };
        let forecast = forecast(&measured, kernel.sizes[2], &options).unwrap();
        let error = forecast.value / (kernel.nanos)(kernel.sizes[2]) - 1.0;
        assert!(error.abs() < 0.2, "{}: {error}", kernel.name);
    }
}

#[test]
fn too_few_sizes_and_what_is_no_measurement_are_refused() {
    let point = |size: f64, value: f64| SizePoint { size, value };
    let three = [1.0, 2.0, 3.0, 3.0].map(|size| point(size, size));
    let refused = |measured: &[SizePoint], at: f64| {
        forecast(measured, at, &ForecastOptions::default()).unwrap_err().to_string()
    };
    assert!(refused(&three, 9.0).contains("4 different sizes at least, found 3"));
    let four = [1.0, 2.0, 3.0, 4.0].map(|size| point(size, size));
    assert!(refused(&four, 0.0).contains("above 0, found 0"));
    assert!(refused(&four, f64::NAN).contains("found NaN"));
    let mut wrong = four;
    wrong[1].value = -1.0;
    assert!(refused(&wrong, 9.0).contains("found -1"));
}
