//! The operations of a model as operations of candle that write into tensors that are there already: what one needs is in
//! room that was taken when the sequence began, so that writing a token takes none for numbers.
//!
//! Each works on the first `rows` rows of its tensors, so no view of them has to be made either.

use candle_core::{CpuStorage, InplaceOp1, InplaceOp2, InplaceOp3, Layout, Result, Storage, Tensor};

use super::matrix::{self, After};
use super::weights::{Linear, Norm};
use super::workers::Workers;
use super::{Config, vector};

/// Embeddings of tokens and of their positions, added: `hidden` of `wte` and `wpe`.
pub(super) struct Embed<'a> {
    pub(super) tokens: &'a [u32],
    pub(super) past: usize,
    pub(super) width: usize,
}

/// Normalises rows: `y` of `x`.
pub(super) struct Normalise<'a> {
    pub(super) norm: &'a Norm,
    pub(super) rows: usize,
    /// The row of `x` to begin with.
    pub(super) first: usize,
}

/// Multiplies rows: `y` of `x`.
pub(super) struct Multiply<'a> {
    pub(super) linear: &'a Linear,
    pub(super) rows: usize,
    /// Whether `y` is added to, as the residual stream is.
    pub(super) is_added: bool,
    pub(super) workers: &'a Workers,
}

/// Scores all tokens by one row: `logits` of `row` and `wte`.
pub(super) struct Score<'a> {
    pub(super) workers: &'a Workers,
}

/// Copies keys or values of new positions to where they are remembered: `cache` of `qkv`.
pub(super) struct Remember<'a> {
    pub(super) span: Span<'a>,
    /// 1 for keys, 2 for values: where they lie after the queries.
    pub(super) part: usize,
}

/// How well each query fits each key: `scores` of `qkv` and the remembered keys.
pub(super) struct Fit<'a>(pub(super) Span<'a>);

/// Turns scores into shares, in place.
pub(super) struct Share<'a>(pub(super) Span<'a>);

/// The values, each in proportion to its share: rows of `scores` and the remembered values.
pub(super) struct Gather<'a>(pub(super) Span<'a>);

/// The first `n` numbers through the error unit, in place.
pub(super) struct Gelu {
    pub(super) n: usize,
}

/// New positions of a sequence, after those that are remembered.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    pub(super) config: &'a Config,
    pub(super) past: usize,
    pub(super) rows: usize,
}

impl Span<'_> {
    /// How many pairs of a new position and one it looks at there are.
    pub(super) fn pairs(self) -> usize {
        self.rows * self.past + self.rows * (self.rows + 1) / 2
    }

    /// The scores of each head and new position: as many as that position may look at.
    fn each_row(self, scores: &mut [f32], mut visit: impl FnMut(usize, usize, &mut [f32])) {
        for head in 0..self.config.heads {
            for row in 0..self.rows {
                let at = self.scores_at(head, row);
                visit(head, row, &mut scores[at..at + self.past + row + 1]);
            }
        }
    }

    fn scores_at(self, head: usize, row: usize) -> usize {
        (head * self.rows + row) * self.config.context
    }

    /// What a head remembers of all positions that the last new one may look at.
    fn remembered(self, cache: &[f32], head: usize) -> &[f32] {
        let of_head = self.config.context * self.config.head_width();
        &cache[head * of_head..][..(self.past + self.rows) * self.config.head_width()]
    }
}

impl InplaceOp3 for Embed<'_> {
    fn name(&self) -> &'static str {
        "embed"
    }

    fn cpu_fwd(
        &self,
        hidden: &mut CpuStorage,
        hidden_layout: &Layout,
        tokens: &CpuStorage,
        tokens_layout: &Layout,
        positions: &CpuStorage,
        positions_layout: &Layout,
    ) -> Result<()> {
        let (tokens, positions) = (read(tokens, tokens_layout)?, read(positions, positions_layout)?);
        let rows = write(hidden, hidden_layout)?.chunks_exact_mut(self.width);
        for ((row, token), position) in rows.zip(self.tokens).zip(self.past..) {
            let token = &tokens[*token as usize * self.width..][..self.width];
            let position = &positions[position * self.width..][..self.width];
            for ((value, token), position) in row.iter_mut().zip(token).zip(position) {
                *value = token + position;
            }
        }
        Ok(())
    }
}

impl InplaceOp2 for Normalise<'_> {
    fn name(&self) -> &'static str {
        "normalise"
    }

    fn cpu_fwd(
        &self,
        y: &mut CpuStorage,
        y_layout: &Layout,
        x: &CpuStorage,
        x_layout: &Layout,
    ) -> Result<()> {
        let (x, y) = (read(x, x_layout)?, write(y, y_layout)?);
        with_floats(&self.norm.gain, |gain| {
            with_floats(&self.norm.bias, |bias| {
                let width = gain.len();
                let x = x[self.first * width..].chunks_exact(width).take(self.rows);
                for (x, y) in x.zip(y.chunks_exact_mut(width)) {
                    vector::normalise(x, gain, bias, y);
                }
            })
        })?
    }
}

impl InplaceOp2 for Multiply<'_> {
    fn name(&self) -> &'static str {
        "multiply"
    }

    fn cpu_fwd(
        &self,
        y: &mut CpuStorage,
        y_layout: &Layout,
        x: &CpuStorage,
        x_layout: &Layout,
    ) -> Result<()> {
        let (x, y) = (read(x, x_layout)?, write(y, y_layout)?);
        let (outputs, inputs) = self.linear.weight.dims2()?;
        let (x, y) = (&x[..self.rows * inputs], &mut y[..self.rows * outputs]);
        with_floats(&self.linear.weight, |matrix| {
            with_floats(&self.linear.bias, |bias| {
                let after = if self.is_added { After::Add(bias) } else { After::Bias(bias) };
                matrix::multiply(matrix, inputs, x, after, y, self.workers);
            })
        })?
    }
}

impl InplaceOp3 for Score<'_> {
    fn name(&self) -> &'static str {
        "score"
    }

    fn cpu_fwd(
        &self,
        logits: &mut CpuStorage,
        logits_layout: &Layout,
        row: &CpuStorage,
        row_layout: &Layout,
        tokens: &CpuStorage,
        tokens_layout: &Layout,
    ) -> Result<()> {
        let (row, tokens) = (read(row, row_layout)?, read(tokens, tokens_layout)?);
        let logits = write(logits, logits_layout)?;
        let row = &row[..tokens_layout.dims()[1]];
        matrix::multiply(tokens, row.len(), row, After::Nothing, logits, self.workers);
        Ok(())
    }
}

impl InplaceOp2 for Remember<'_> {
    fn name(&self) -> &'static str {
        "remember"
    }

    fn cpu_fwd(
        &self,
        cache: &mut CpuStorage,
        cache_layout: &Layout,
        qkv: &CpuStorage,
        qkv_layout: &Layout,
    ) -> Result<()> {
        let Span { config, past, rows } = self.span;
        let (width, head_width) = (config.width, config.head_width());
        let (qkv, cache) = (read(qkv, qkv_layout)?, write(cache, cache_layout)?);
        for (row, qkv) in qkv.chunks_exact(3 * width).take(rows).enumerate() {
            let parts = qkv[self.part * width..][..width].chunks_exact(head_width);
            for (head, part) in parts.enumerate() {
                let at = (head * config.context + past + row) * head_width;
                cache[at..at + head_width].copy_from_slice(part);
            }
        }
        Ok(())
    }
}

impl InplaceOp3 for Fit<'_> {
    fn name(&self) -> &'static str {
        "fit"
    }

    fn cpu_fwd(
        &self,
        scores: &mut CpuStorage,
        scores_layout: &Layout,
        qkv: &CpuStorage,
        qkv_layout: &Layout,
        keys: &CpuStorage,
        keys_layout: &Layout,
    ) -> Result<()> {
        let (qkv, keys) = (read(qkv, qkv_layout)?, read(keys, keys_layout)?);
        let (width, head_width) = (self.0.config.width, self.0.config.head_width());
        let scale = 1.0 / (head_width as f32).sqrt();
        self.0.each_row(write(scores, scores_layout)?, |head, row, scores| {
            let query = &qkv[row * 3 * width + head * head_width..][..head_width];
            vector::multiply(self.0.remembered(keys, head), query, scale, scores);
        });
        Ok(())
    }
}

impl InplaceOp1 for Share<'_> {
    fn name(&self) -> &'static str {
        "share"
    }

    fn cpu_fwd(&self, scores: &mut CpuStorage, layout: &Layout) -> Result<()> {
        self.0.each_row(write(scores, layout)?, |_, _, scores| vector::softmax(scores));
        Ok(())
    }
}

impl InplaceOp3 for Gather<'_> {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn cpu_fwd(
        &self,
        out: &mut CpuStorage,
        out_layout: &Layout,
        shares: &CpuStorage,
        shares_layout: &Layout,
        values: &CpuStorage,
        values_layout: &Layout,
    ) -> Result<()> {
        let span = self.0;
        let (shares, values) = (read(shares, shares_layout)?, read(values, values_layout)?);
        let out = write(out, out_layout)?;
        let (width, head_width) = (span.config.width, span.config.head_width());
        for head in 0..span.config.heads {
            let values = span.remembered(values, head);
            for row in 0..span.rows {
                let shares = &shares[span.scores_at(head, row)..][..span.past + row + 1];
                let out = &mut out[row * width + head * head_width..][..head_width];
                vector::mix(shares, values, out);
            }
        }
        Ok(())
    }
}

impl InplaceOp1 for Gelu {
    fn name(&self) -> &'static str {
        "gelu"
    }

    fn cpu_fwd(&self, values: &mut CpuStorage, layout: &Layout) -> Result<()> {
        vector::gelu(&mut write(values, layout)?[..self.n]);
        Ok(())
    }
}

/// Calls `use_them` with the numbers of a tensor on the processor, without copying them.
pub(super) fn with_floats<T>(tensor: &Tensor, use_them: impl FnOnce(&[f32]) -> T) -> Result<T> {
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => Ok(use_them(read(storage, layout)?)),
        _ => candle_core::bail!("this operation is for tensors of the processor"),
    }
}

/// The numbers of a tensor that lies in one piece.
fn read<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    let Some((start, end)) = layout.contiguous_offsets() else {
        candle_core::bail!("this operation needs tensors that lie in one piece");
    };
    Ok(&storage.as_slice::<f32>()?[start..end])
}

fn write<'a>(storage: &'a mut CpuStorage, layout: &Layout) -> Result<&'a mut [f32]> {
    match (storage, layout.contiguous_offsets()) {
        (CpuStorage::F32(values), Some((start, end))) => Ok(&mut values[start..end]),
        _ => candle_core::bail!("this operation needs floats of 32 bits that lie in one piece"),
    }
}
