//! Sums over many numbers. Floating-point addition may not be reordered by the compiler, so a plain sum is one long
//! chain; eight running sums are what it can turn into vector code.

const LANES: usize = 8;

/// The sum of all numbers.
pub(super) fn sum(numbers: &[f32]) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, number) in sums.iter_mut().zip(chunk) {
            *sum += number;
        }
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// The sum of the products of two rows of one length.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_hold_every_number_whatever_the_length() {
        for length in [0, 1, 7, 8, 9, 31, 64] {
            let numbers: Vec<f32> = (1..=length).map(|n| n as f32).collect();
            assert_eq!(sum(&numbers), (length * (length + 1) / 2) as f32);
            let squares: i32 = (1..=length).map(|n| n * n).sum();
            assert_eq!(dot(&numbers, &numbers), squares as f32);
        }
    }
}
