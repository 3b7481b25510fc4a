//! The sizes of the caches, as the kernel tells them. Virtual machines often tell nothing, or tell of a last cache that is
//! shared with neighbours who cannot be seen: what is measured there keeps well below its size.

use std::fs;
use std::path::Path;

const CPUS: &str = "/sys/devices/system/cpu";

/// The data caches of the first core.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Caches {
    /// Sizes of the three levels in bytes; `None` where the system does not tell or there is none.
    pub levels: [Option<u64>; 3],
    /// The last level of all cores together.
    pub last_of_all: Option<u64>,
}

impl Caches {
    /// Those of this machine.
    #[must_use]
    pub fn of_this_machine() -> Self {
        Self::in_folder(Path::new(CPUS))
    }

    fn in_folder(cpus: &Path) -> Self {
        let levels = [1, 2, 3]
            .map(|level| entries(&cpus.join("cpu0/cache")).find(|e| e.level == level).map(|e| e.bytes));
        let last = levels.iter().rposition(Option::is_some).map(|at| at as u64 + 1);
        let mut of_all: Vec<(String, u64)> = Vec::new();
        for cpu in names(cpus).filter(|name| is_cpu(name)) {
            for entry in entries(&cpus.join(cpu).join("cache")).filter(|entry| Some(entry.level) == last) {
                if !of_all.iter().any(|(shared, _)| *shared == entry.shared) {
                    of_all.push((entry.shared, entry.bytes));
                }
            }
        }
        let sum = of_all.iter().map(|(_, bytes)| bytes).sum::<u64>();
        Self { levels, last_of_all: (sum > 0).then_some(sum) }
    }

    /// The largest cache that one core reaches.
    #[must_use]
    pub fn last(&self) -> Option<u64> {
        self.levels.into_iter().flatten().max()
    }
}

/// A cache that holds data.
struct Entry {
    level: u64,
    bytes: u64,
    /// The cores that share it, as the kernel lists them.
    shared: String,
}

fn entries(cache: &Path) -> impl Iterator<Item = Entry> {
    names(cache).filter_map(|name| {
        let line = |file: &str| {
            fs::read_to_string(cache.join(&name).join(file)).ok().map(|text| text.trim().to_owned())
        };
        if line("type")? == "Instruction" {
            return None;
        }
        let level = line("level")?.parse().ok()?;
        let bytes = size(&line("size")?)?;
        Some(Entry {
            level,
            bytes,
            shared: line("shared_cpu_list").unwrap_or_else(|| cache.display().to_string()),
        })
    })
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names.into_iter()
}

fn is_cpu(name: &str) -> bool {
    name.strip_prefix("cpu")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Sizes such as `32K` and `1M`; none of zero, which some virtual machines tell.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(cpus: &Path, cpu: &str, index: usize, [level, kind, bytes, shared]: [&str; 4]) {
        let folder = cpus.join(cpu).join(format!("cache/index{index}"));
        fs::create_dir_all(&folder).expect("a folder can be made");
        for (name, text) in [("level", level), ("type", kind), ("size", bytes), ("shared_cpu_list", shared)] {
            fs::write(folder.join(name), format!("{text}\n")).expect("a file can be written");
        }
    }

    #[test]
    fn sizes_are_of_data_caches_and_shared_ones_count_once() {
        let folder = tempfile::tempdir().expect("there is room");
        for (cpu, shared) in [("cpu0", "0-1"), ("cpu1", "0-1"), ("cpu2", "2-3")] {
            put(folder.path(), cpu, 0, ["1", "Data", "32K", &cpu[3..]]);
            put(folder.path(), cpu, 1, ["1", "Instruction", "64K", &cpu[3..]]);
            put(folder.path(), cpu, 2, ["2", "Unified", "1024K", &cpu[3..]]);
            put(folder.path(), cpu, 3, ["3", "Unified", "32M", shared]);
        }
        fs::create_dir(folder.path().join("cpufreq")).expect("a folder can be made");
        let caches = Caches::in_folder(folder.path());
        assert_eq!(caches.levels, [Some(32 << 10), Some(1 << 20), Some(32 << 20)]);
        assert_eq!((caches.last_of_all, caches.last()), (Some(64 << 20), Some(32 << 20)));
    }

    #[test]
    fn what_the_system_does_not_tell_is_not_known() {
        let folder = tempfile::tempdir().expect("there is room");
        assert_eq!(Caches::in_folder(folder.path()), Caches::default());
        put(folder.path(), "cpu0", 0, ["1", "Data", "0K", "0"]);
        assert_eq!(Caches::in_folder(folder.path()), Caches::default());
        for wrong in ["", "K", "lots", "99999999999999999999M"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }
}
