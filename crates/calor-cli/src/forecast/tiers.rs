//! The tiers of memory: as they are typed, or else as this machine tells of its caches.

use calor_analysis::MemoryTier;
use calor_model::Warning;

/// Where Linux tells of the caches of a core.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";
/// How fast the nearest tier is taken to be; only the ratios between tiers matter to a forecast.
const NEAREST_BYTES_PER_S: f64 = 80e9;

/// The tiers that were given, or those of this machine with what has to be known about them.
pub(super) fn known(given: &[MemoryTier]) -> (Vec<MemoryTier>, Vec<Warning>) {
    if !given.is_empty() {
        return (given.to_vec(), Vec::new());
    }
    let mut sizes = caches();
    if let Some(bytes) = memory() {
        sizes.push(("RAM".to_owned(), bytes));
    }
    if sizes.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut rate = 2.0 * NEAREST_BYTES_PER_S;
    let tiers = sizes.into_iter().map(|(name, bytes)| {
        rate /= 2.0;
        MemoryTier { name, bytes, bytes_per_s: rate }
    });
    let message = "the tiers of memory are those of this machine, each taken to be half as fast as the one before; give \
                   what was measured with --tier";
    (tiers.collect(), vec![Warning::new("tiers_assumed", message)])
}

/// The caches of a core that hold data, the smallest first. The first is left again and again by whatever works: it is no
/// tier that a program would stay in.
fn caches() -> Vec<(String, u64)> {
    let mut caches = Vec::new();
    for index in 0..8 {
        let read = |what: &str| std::fs::read_to_string(format!("{CACHES}/index{index}/{what}"));
        let (Ok(level), Ok(kind), Ok(size)) = (read("level"), read("type"), read("size")) else { continue };
        if kind.trim() != "Instruction"
            && level.trim() != "1"
            && let Some(bytes) = bytes(size.trim())
        {
            caches.push((format!("L{}", level.trim()), bytes));
        }
    }
    caches.sort_by_key(|(_, bytes)| *bytes);
    caches
}

fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
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
    use super::*;

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
