//! The recorder's own histogram scale: 32 buckets for each power of two of ticks, so that a bucket is at most
//! 3.1 % wide and its middle at most 1.6 % off.

const SUB_BITS: u32 = 5;
/// Durations from 2^44 ticks on (about two hours) share the last bucket; their exact sum, minimum and maximum
/// are kept all the same.
const MAX_BITS: u32 = 44;

/// How many buckets there are.
pub(crate) const BUCKETS: usize = (MAX_BITS - SUB_BITS + 1) as usize * (1 << SUB_BITS);

/// The bucket of a duration in ticks.
#[inline(always)]
pub(crate) fn bucket_of(ticks: u64) -> usize {
    let ticks = ticks.min((1 << MAX_BITS) - 1);
    let top = 63 - (ticks | (1 << SUB_BITS)).leading_zeros();
    let shift = top - SUB_BITS;
    ((shift as usize) << SUB_BITS) + (ticks >> shift) as usize
}

/// The same for a duration of 32 bits.
#[inline(always)]
pub(crate) fn bucket_of_short(ticks: u32) -> usize {
    let shift = (ticks | (1 << SUB_BITS)).ilog2() - SUB_BITS;
    ((shift << SUB_BITS) + (ticks >> shift)) as usize
}

/// The middle of a bucket, in ticks.
pub(crate) fn middle_of(bucket: usize) -> f64 {
    let group = bucket >> SUB_BITS;
    if group < 2 {
        return bucket as f64;
    }
    let shift = group - 1;
    let mantissa = ((bucket & ((1 << SUB_BITS) - 1)) | (1 << SUB_BITS)) as u64;
    (mantissa << shift) as f64 + ((1_u64 << shift) - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_bucket_is_within_1_6_percent_of_its_values() {
        let mut previous = 0;
        for ticks in (0..10_000).chain((14..44).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (3 << bit) / 2])) {
            let bucket = bucket_of(ticks);
            assert!(bucket < BUCKETS && (bucket >= previous || ticks < 10_000));
            previous = bucket;
            let off = (middle_of(bucket) - ticks as f64).abs();
            assert!(off <= ticks as f64 * 0.016, "{ticks}: middle {}", middle_of(bucket));
        }
    }

    #[test]
    fn short_durations_have_the_same_bucket_by_either_way() {
        for ticks in
            (0..10_000).chain((0..32).flat_map(|bit| [(1_u32 << bit) - 1, 1 << bit])).chain([u32::MAX])
        {
            assert_eq!(bucket_of_short(ticks), bucket_of(u64::from(ticks)));
        }
    }

    #[test]
    fn the_longest_durations_share_the_last_bucket() {
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }
}
