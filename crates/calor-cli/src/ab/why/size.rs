//! Sizes as they are typed: 1000, 4k, 1M; lists of them, and shapes of arrays.

/// Several sizes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Sizes(pub(super) Vec<f64>);

/// The lengths of an array's sides.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Shape(pub(super) Vec<u64>);

impl Shape {
    pub(super) fn elements(&self) -> f64 {
        self.0.iter().map(|side| *side as f64).product()
    }
}

/// One size. `k` is 1024, as sizes of arrays are powers of two.
pub(crate) fn size(given: &str) -> Result<f64, String> {
    let text = given.trim();
    let (number, scale) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1024.0),
        Some((at, 'm' | 'M')) => (&text[..at], 1024.0 * 1024.0),
        Some((at, 'g' | 'G')) => (&text[..at], 1024.0 * 1024.0 * 1024.0),
        _ => (text, 1.0),
    };
    let size = number.trim().parse::<f64>().ok().map(|number| number * scale);
    size.filter(|size| *size >= 1.0 && *size <= 1e15)
        .ok_or_else(|| format!("expected a size from 1 on, such as 1000, 4k or 1M, found `{given}`"))
}

/// Sizes with commas between them.
pub(super) fn sizes(given: &str) -> Result<Sizes, String> {
    let sizes: Result<Vec<f64>, String> = given.split(',').map(size).collect();
    sizes.map(Sizes)
}

/// Lengths with an `x` between them.
pub(super) fn shape(given: &str) -> Result<Shape, String> {
    let sides: Option<Vec<u64>> =
        given.split(['x', 'X']).map(|side| side.trim().parse().ok().filter(|side| *side > 0)).collect();
    sides.map(Shape).ok_or_else(|| format!("expected a shape such as 512x512 or 1000, found `{given}`"))
}

/// A size as people write it.
pub(super) fn shown(size: f64) -> String {
    let whole = size.round() as u64;
    match whole {
        whole if whole >= 1 << 20 && whole.is_multiple_of(1 << 20) => format!("{}M", whole >> 20),
        whole if whole >= 1 << 10 && whole.is_multiple_of(1 << 10) => format!("{}k", whole >> 10),
        whole => whole.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(sizes("1000, 4k,1M"), Ok(Sizes(vec![1000.0, 4096.0, 1_048_576.0])));
        assert_eq!(shape("512x64").map(|shape| shape.elements()), Ok(32_768.0));
        assert_eq!([1000.0, 4096.0, 1_048_576.0].map(shown), ["1000", "4k", "1M"]);
        for wrong in ["", "0", "k", "-4", "1z", "4k,,8k", "1e99"] {
            assert!(sizes(wrong).is_err_and(|error| error.contains("such as 1000")), "{wrong}");
        }
        for wrong in ["", "0x4", "4x", "axb"] {
            assert!(shape(wrong).is_err_and(|error| error.contains("512x512")), "{wrong}");
        }
    }
}
