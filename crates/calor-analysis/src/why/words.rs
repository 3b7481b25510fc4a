//! Figures in the sentences of causes: three digits and a unit.

/// A time.
pub(super) fn nanos(nanos: f64) -> String {
    scaled(nanos, 1_000.0, &["ns", "µs", "ms", "s"])
}

/// An amount of memory.
pub(super) fn bytes(bytes: f64) -> String {
    scaled(bytes, 1_024.0, &["B", "KiB", "MiB", "GiB"])
}

/// A part of a whole.
pub(super) fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// A factor.
pub(super) fn times(factor: f64) -> String {
    format!("{factor:.1} times")
}

/// A size as people write it: 4k, 1M.
pub(super) fn size(size: f64) -> String {
    let whole = size as u64;
    if size.fract() != 0.0 {
        format!("{size}")
    } else if whole >= 1 << 20 && whole.is_multiple_of(1 << 20) {
        format!("{}M", whole >> 20)
    } else if whole >= 1 << 10 && whole.is_multiple_of(1 << 10) {
        format!("{}k", whole >> 10)
    } else {
        whole.to_string()
    }
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut at = 0;
    while value >= step && at + 1 < units.len() {
        value /= step;
        at += 1;
    }
    let digits = if at == 0 && value.fract() == 0.0 || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {}", units[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!(
            (nanos(12.34), nanos(2_500.0), nanos(3e9)),
            ("12.3 ns".into(), "2.50 µs".into(), "3.00 s".into())
        );
        assert_eq!((bytes(512.0), bytes(1_048_576.0)), ("512 B".into(), "1.00 MiB".into()));
        assert_eq!(
            (size(4096.0), size(1_048_576.0), size(1000.0)),
            ("4k".into(), "1M".into(), "1000".into())
        );
        assert_eq!((percent(0.256), times(7.94)), ("26 %".into(), "7.9 times".into()));
    }
}
