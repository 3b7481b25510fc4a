//! Shapes as they are recorded, `512x512,512`, as numbers.

/// The extents of each operand; a scalar has none. A bucket of sizes (`<=1024`, `~1024`) counts as its number, and what is no
/// number is left out.
#[must_use]
pub fn shapes(recorded: &str) -> Vec<Vec<u64>> {
    if recorded.is_empty() {
        return Vec::new();
    }
    recorded.split(',').map(extents).collect()
}

fn extents(operand: &str) -> Vec<u64> {
    let number = |part: &str| part.trim_matches(|letter: char| !letter.is_ascii_digit()).parse().ok();
    operand.split('x').filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_and_extents_become_numbers() {
        assert_eq!(shapes("512x512,512"), [vec![512, 512], vec![512]]);
        assert_eq!(shapes("10,()"), [vec![10], vec![]]);
        assert_eq!(shapes("10,"), [vec![10], vec![]]);
        assert_eq!(shapes("<=1024x~3"), [vec![1024, 3]]);
        assert_eq!(shapes("many"), [Vec::<u64>::new()]);
        assert!(shapes("").is_empty());
    }
}
