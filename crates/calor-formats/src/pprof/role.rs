//! What the values of a sample are: the roles that sample types have in a profile, under the names that we
//! write and the names that others do.

use super::role::Role::*;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Role {
    CpuCount,
    CpuNanos,
    WallCount,
    WallNanos,
    OffCpuCount,
    OffCpuNanos,
    ScopeCalls,
    ScopeNanos,
    GpuCount,
    GpuNanos,
    GpuBytes,
    AllocatedCount,
    AllocatedBytes,
    LiveCount,
    LiveBytes,
    PeakCount,
    PeakBytes,
    TemporaryCount,
    TemporaryBytes,
}

/// All roles in the order in which they are written, with the names of the type and the unit.
pub(super) const ROLES: [(Role, &str, &str); 19] = [
    (CpuCount, "samples", "count"),
    (CpuNanos, "cpu", "nanoseconds"),
    (WallCount, "wall_samples", "count"),
    (WallNanos, "wall", "nanoseconds"),
    (OffCpuCount, "off_cpu_samples", "count"),
    (OffCpuNanos, "off_cpu", "nanoseconds"),
    (ScopeCalls, "scope_calls", "count"),
    (ScopeNanos, "scope_time", "nanoseconds"),
    (GpuCount, "gpu_launches", "count"),
    (GpuNanos, "gpu_time", "nanoseconds"),
    (GpuBytes, "gpu_copied", "bytes"),
    (AllocatedCount, "alloc_objects", "count"),
    (AllocatedBytes, "alloc_space", "bytes"),
    (LiveCount, "inuse_objects", "count"),
    (LiveBytes, "inuse_space", "bytes"),
    (PeakCount, "peak_objects", "count"),
    (PeakBytes, "peak_space", "bytes"),
    (TemporaryCount, "temporary_objects", "count"),
    (TemporaryBytes, "temporary_space", "bytes"),
];

/// Amounts by role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Amounts([u64; ROLES.len()]);

impl std::ops::Index<Role> for Amounts {
    type Output = u64;

    fn index(&self, role: Role) -> &u64 {
        &self.0[role as usize]
    }
}

impl std::ops::IndexMut<Role> for Amounts {
    fn index_mut(&mut self, role: Role) -> &mut u64 {
        &mut self.0[role as usize]
    }
}

/// How many of the role's own unit one of a unit is. Units that are not known count as the role's own.
pub(super) fn scale(unit: &str) -> u64 {
    match unit.to_ascii_lowercase().as_str() {
        "microseconds" | "microsecond" | "us" => 1_000,
        "milliseconds" | "millisecond" | "ms" => 1_000_000,
        "seconds" | "second" | "s" => 1_000_000_000,
        "kilobytes" | "kilobyte" | "kb" | "kib" => 1 << 10,
        "megabytes" | "megabyte" | "mb" | "mib" => 1 << 20,
        "gigabytes" | "gigabyte" | "gb" | "gib" => 1 << 30,
        _ => 1,
    }
}

/// Whether a unit is one of time.
pub(super) fn is_time(unit: &str) -> bool {
    unit.to_ascii_lowercase().contains("second") || matches!(unit, "ns" | "us" | "ms" | "s")
}

/// Whether a unit is one of memory.
fn is_memory(unit: &str) -> bool {
    let unit = unit.to_ascii_lowercase();
    unit.contains("byte") || matches!(unit.as_str(), "b" | "kb" | "kib" | "mb" | "mib" | "gb" | "gib")
}

/// The role of a sample type by its name; `None` when it is not known. Plain `samples` are of the CPU until
/// the other sample types say otherwise.
pub(super) fn by_name(name: &str, unit: &str) -> Option<Role> {
    let name = name.to_ascii_lowercase().replace('-', "_");
    if let Some((role, ..)) = ROLES.iter().find(|(_, own, own_unit)| *own == name && is_like(unit, own_unit))
    {
        return Some(*role);
    }
    let (time, count) = match name.as_str() {
        "cpu" | "cpu_time" | "cpu_samples" | "sample" | "samples" | "on_cpu" | "itimer" => {
            (CpuNanos, CpuCount)
        }
        "wall" | "wall_time" | "wall_samples" | "goroutine" => (WallNanos, WallCount),
        "off_cpu" | "offcpu" | "off_cpu_time" | "off_cpu_samples" => (OffCpuNanos, OffCpuCount),
        "delay" | "contentions" | "contention" | "lock_time" | "lock_count" => (OffCpuNanos, OffCpuCount),
        "block_time" | "block_count" | "mutex_duration" | "mutex_count" => (OffCpuNanos, OffCpuCount),
        "alloc"
        | "alloc_size"
        | "alloc_bytes"
        | "alloc_samples"
        | "allocations"
        | "alloc_in_new_tlab_bytes" => (AllocatedBytes, AllocatedCount),
        "inuse" | "heap" | "heap_space" | "heap_live_size" | "heap_live_samples" => (LiveBytes, LiveCount),
        "space" | "objects" => (LiveBytes, LiveCount),
        _ => return None,
    };
    let is_amount = is_time(unit) || is_memory(unit);
    Some(if is_amount { time } else { count })
}

/// The role that comes nearest to a sample type of which nothing but the unit is known.
pub(super) fn by_unit(unit: &str) -> Role {
    match unit {
        unit if is_time(unit) => WallNanos,
        unit if is_memory(unit) => AllocatedBytes,
        _ => WallCount,
    }
}

/// Whether two units measure the same.
fn is_like(unit: &str, own: &str) -> bool {
    (is_time(unit), is_memory(unit)) == (is_time(own), is_memory(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_stand_at_their_own_place_and_are_read_by_the_names_they_are_written_under() {
        for (place, (role, name, unit)) in ROLES.into_iter().enumerate() {
            assert_eq!(role as usize, place);
            assert_eq!(by_name(name, unit), Some(role), "{name}/{unit}");
        }
    }

    #[test]
    fn names_of_other_tools_are_known() {
        for (name, unit, role) in [
            ("cpu", "count", CpuCount),
            ("cpu", "microseconds", CpuNanos),
            ("cpu-time", "nanoseconds", CpuNanos),
            ("wall", "nanoseconds", WallNanos),
            ("contentions", "count", OffCpuCount),
            ("delay", "nanoseconds", OffCpuNanos),
            ("alloc-size", "bytes", AllocatedBytes),
            ("alloc-samples", "count", AllocatedCount),
            ("heap-space", "bytes", LiveBytes),
            ("inuse_objects", "count", LiveCount),
            ("goroutine", "count", WallCount),
        ] {
            assert_eq!(by_name(name, unit), Some(role), "{name}/{unit}");
        }
        assert_eq!(by_name("widgets", "count"), None);
        assert_eq!(
            (by_unit("ms"), by_unit("bytes"), by_unit("widgets")),
            (WallNanos, AllocatedBytes, WallCount)
        );
        assert_eq!((scale("ms"), scale("Kilobytes"), scale("count")), (1_000_000, 1024, 1));
    }
}
