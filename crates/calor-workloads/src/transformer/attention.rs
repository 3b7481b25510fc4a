//! Causal attention: every position looks at itself and at those before it, once for each head.

use super::cache::LayerCache;
use super::{Config, bytes_of, reduction, softmax};

/// One pass of attention over new positions of a sequence.
pub(super) struct Attention<'a> {
    pub(super) config: &'a Config,
    /// Positions that the cache holds already.
    pub(super) past: usize,
    /// Query, key and value of each new position, side by side.
    pub(super) qkv: &'a [f32],
}

impl Attention<'_> {
    /// Remembers the new positions and writes what each of them found to `out`. `scores` is room for one score for
    /// each head, new position and position of the context.
    pub(super) fn attend(&self, cache: &mut LayerCache, scores: &mut [f32], out: &mut [f32]) {
        calor::scope!("attention");
        self.remember(cache);
        self.score(cache, scores);
        self.share_out(scores);
        self.gather(cache, scores, out);
    }

    fn remember(&self, cache: &mut LayerCache) {
        calor::scope!("cache keys and values", bytes = 2 * bytes_of(2 * self.rows() * self.config.width));
        for (row, qkv) in self.qkv.chunks_exact(3 * self.config.width).enumerate() {
            let (_, key_value) = qkv.split_at(self.config.width);
            let (key, value) = key_value.split_at(self.config.width);
            cache.remember(self.past + row, key, value);
        }
    }

    /// How well each query fits each key.
    fn score(&self, cache: &LayerCache, scores: &mut [f32]) {
        calor::scope!("attention scores", flops = self.flops(), bytes = self.bytes());
        let scale = 1.0 / (self.config.head_width() as f32).sqrt();
        self.each_row(scores, |head, row, scores| {
            let query = self.query(head, row);
            for (score, key) in scores.iter_mut().zip(cache.keys(head, self.past + row + 1)) {
                *score = scale * reduction::dot(query, key);
            }
        });
    }

    fn share_out(&self, scores: &mut [f32]) {
        let n_scores = self.config.heads * self.pairs();
        calor::scope!("softmax", flops = softmax::FLOPS * n_scores as u64, bytes = bytes_of(2 * n_scores));
        self.each_row(scores, |_, _, scores| softmax::apply(scores));
    }

    /// The values, each in proportion to its share.
    fn gather(&self, cache: &LayerCache, shares: &mut [f32], out: &mut [f32]) {
        calor::scope!("attention values", flops = self.flops(), bytes = self.bytes());
        let (width, head_width) = (self.config.width, self.config.head_width());
        self.each_row(shares, |head, row, shares| {
            let out = &mut out[row * width + head * head_width..][..head_width];
            out.fill(0.0);
            for (share, value) in shares.iter().zip(cache.values(head, self.past + row + 1)) {
                for (out, value) in out.iter_mut().zip(value) {
                    *out += share * value;
                }
            }
        });
    }

    /// Calls `visit` with the scores of each head and new position: as many as that position may look at.
    fn each_row(&self, scores: &mut [f32], mut visit: impl FnMut(usize, usize, &mut [f32])) {
        let rows = self.rows();
        for head in 0..self.config.heads {
            for row in 0..rows {
                let at = (head * rows + row) * self.config.context;
                visit(head, row, &mut scores[at..at + self.past + row + 1]);
            }
        }
    }

    fn query(&self, head: usize, row: usize) -> &[f32] {
        let head_width = self.config.head_width();
        &self.qkv[row * 3 * self.config.width + head * head_width..][..head_width]
    }

    fn rows(&self) -> usize {
        self.qkv.len() / (3 * self.config.width)
    }

    /// How many pairs of a new position and one it looks at there are.
    fn pairs(&self) -> usize {
        self.rows() * self.past + self.rows() * (self.rows() + 1) / 2
    }

    /// Of scoring, and of gathering: a multiplication and an addition for each pair and number.
    fn flops(&self) -> u64 {
        2 * (self.pairs() * self.config.width) as u64
    }

    /// The least that either must move: what is remembered, one row for each new position, and the scores.
    fn bytes(&self) -> u64 {
        let rows = self.past + 2 * self.rows();
        bytes_of(rows * self.config.width + self.pairs() * self.config.heads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const CONFIG: Config = Config { width: 12, layers: 1, heads: 3, context: 6, vocabulary: 1 };

    /// Attention by its definition, for one head of one position.
    fn expected(qkv: &[f32], head: usize, position: usize) -> Vec<f64> {
        let part = |position: usize, which: usize| {
            let at = position * 36 + which * 12 + head * 4;
            qkv[at..at + 4].iter().map(|&x| f64::from(x)).collect::<Vec<_>>()
        };
        let query = part(position, 0);
        let fit = |key: Vec<f64>| query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>() / 2.0;
        let weights: Vec<f64> = (0..=position).map(|seen| fit(part(seen, 1)).exp()).collect();
        let whole: f64 = weights.iter().sum();
        let mut out = vec![0.0; 4];
        for (seen, weight) in weights.iter().enumerate() {
            out.iter_mut().zip(part(seen, 2)).for_each(|(out, value)| *out += weight / whole * value);
        }
        out
    }

    #[test]
    fn attention_follows_its_definition_in_one_go_and_position_by_position() {
        let mut random = Random::new(11);
        let qkv: Vec<f32> = (0..5 * 36).map(|_| random.normal(1.0)).collect();
        for rows_at_once in [1, 2, 5] {
            let mut cache = LayerCache::new(&CONFIG);
            let mut scores = vec![f32::NAN; 3 * 5 * 6];
            let mut found = Vec::new();
            for (index, qkv) in qkv.chunks(rows_at_once * 36).enumerate() {
                let mut out = vec![f32::NAN; qkv.len() / 3];
                let attention = Attention { config: &CONFIG, past: index * rows_at_once, qkv };
                attention.attend(&mut cache, &mut scores, &mut out);
                found.extend(out);
            }
            for position in 0..5 {
                for head in 0..3 {
                    let found = &found[position * 12 + head * 4..][..4];
                    for (found, expected) in found.iter().zip(expected(&qkv, head, position)) {
                        assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn shares_of_every_head_and_position_add_up_to_one() {
        let mut random = Random::new(12);
        let qkv: Vec<f32> = (0..4 * 36).map(|_| random.normal(2.0)).collect();
        let mut scores = vec![0.0; 3 * 4 * 6];
        let attention = Attention { config: &CONFIG, past: 0, qkv: &qkv };
        attention.attend(&mut LayerCache::new(&CONFIG), &mut scores, &mut [0.0; 48]);
        let mut rows = 0;
        attention.each_row(&mut scores, |_, _, shares| {
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{shares:?}");
            rows += 1;
        });
        assert_eq!(rows, 12);
    }

    #[test]
    fn every_position_is_paired_with_itself_and_those_before_it() {
        let attention =
            |past, rows: usize| Attention { config: &CONFIG, past, qkv: &[0.0; 36 * 4][..rows * 36] };
        assert_eq!(attention(0, 4).pairs(), 1 + 2 + 3 + 4);
        assert_eq!(attention(5, 1).pairs(), 6);
        assert_eq!(attention(2, 2).pairs(), 3 + 4);
    }
}
