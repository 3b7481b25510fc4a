//! One layer on the processor: attention, then an MLP, each on a normalised copy of the residual stream and added back to
//! it. Every operation is a scope that tells its floating-point operations and the least bytes it must move.

use super::bytes_of;
use super::operation::{Fit, Gather, Gelu, Multiply, Normalise, Remember, Share, Span};
use super::session::{Cache, Room};
use super::slowed;
use super::vector::Class;
use super::weights::{LayerWeights, Linear, Norm};
use super::workers::Workers;
use crate::Error;

/// Operations for each number of a normalised row: added to the mean, shifted, squared and added to the variance, scaled
/// twice, shifted.
const NORM_FLOPS: usize = 7;
/// For each score: compared, shifted, exponentiated, added up, scaled.
const SOFTMAX_FLOPS: usize = 5;
/// For each number: nine, the hyperbolic tangent being one of them.
const GELU_FLOPS: usize = 9;

/// New positions on their way through the layers.
#[derive(Clone, Copy)]
pub(super) struct Pass<'a> {
    pub(super) span: Span<'a>,
    pub(super) workers: &'a Workers,
}

/// A product of rows and a matrix, and what it is.
struct Product<'a> {
    linear: &'a Linear,
    rows: usize,
    workers: &'a Workers,
}

impl Pass<'_> {
    /// Passes the new positions, whose residual stream is `room.hidden`, through a layer.
    pub(super) fn layer(self, layer: &LayerWeights, cache: &Cache, room: &Room) -> Result<(), Error> {
        let rows = self.span.rows;
        let product = |linear| Product { linear, rows, workers: self.workers };
        self.normalise(&layer.attention_norm, room)?;
        {
            let qkv = product(&layer.qkv);
            calor::scope!("qkv", flops = qkv.flops(), bytes = qkv.bytes(), backend = qkv.backend());
            room.qkv.inplace_op2(&room.narrow, &qkv.operation(false))?;
        }
        self.attend(cache, room)?;
        {
            let proj = product(&layer.proj);
            calor::scope!("proj", flops = proj.flops(), bytes = proj.bytes(), backend = proj.backend());
            room.hidden.inplace_op2(&room.narrow, &proj.operation(true))?;
        }
        self.normalise(&layer.mlp_norm, room)?;
        {
            let up = product(&layer.up);
            calor::scope!("mlp_up", flops = up.flops(), bytes = up.bytes(), backend = up.backend());
            let begun = slowed::begin();
            room.wide.inplace_op2(&room.narrow, &up.operation(false))?;
            slowed::end(begun);
        }
        {
            let n = rows * self.span.config.mlp_width();
            calor::scope!("gelu", flops = (GELU_FLOPS * n) as u64, bytes = bytes_of(2 * n));
            room.wide.inplace_op1(&Gelu { n })?;
        }
        {
            let down = product(&layer.down);
            calor::scope!("mlp_down", flops = down.flops(), bytes = down.bytes(), backend = down.backend());
            room.hidden.inplace_op2(&room.wide, &down.operation(true))?;
        }
        Ok(())
    }

    fn normalise(self, norm: &Norm, room: &Room) -> Result<(), Error> {
        normalise(norm, room, 0, self.span.rows, self.span.config.width)
    }

    fn attend(self, cache: &Cache, room: &Room) -> Result<(), Error> {
        let Span { config, past, rows } = self.span;
        let pairs = self.span.pairs();
        // Of scoring, and of gathering: a multiplication and an addition for each pair and number; what is remembered, a row
        // for each new position, and the scores.
        let flops = 2 * (pairs * config.width) as u64;
        let bytes = bytes_of((past + 2 * rows) * config.width + pairs * config.heads);
        {
            calor::scope!("cache", bytes = bytes_of(4 * rows * config.width));
            cache.keys.inplace_op2(&room.qkv, &Remember { span: self.span, part: 1 })?;
            cache.values.inplace_op2(&room.qkv, &Remember { span: self.span, part: 2 })?;
        }
        {
            calor::scope!("scores", flops = flops, bytes = bytes);
            room.scores.inplace_op3(&room.qkv, &cache.keys, &Fit(self.span))?;
        }
        {
            let n = pairs * config.heads;
            calor::scope!("softmax", flops = (SOFTMAX_FLOPS * n) as u64, bytes = bytes_of(2 * n));
            room.scores.inplace_op1(&Share(self.span))?;
        }
        calor::scope!("context", flops = flops, bytes = bytes);
        room.narrow.inplace_op3(&room.scores, &cache.values, &Gather(self.span))?;
        Ok(())
    }
}

/// Normalises rows of the residual stream from the one given on.
pub(super) fn normalise(
    norm: &Norm,
    room: &Room,
    first: usize,
    rows: usize,
    width: usize,
) -> Result<(), Error> {
    let n = rows * width;
    calor::scope!("ln", flops = (NORM_FLOPS * n) as u64, bytes = bytes_of(2 * n + 2 * width));
    Ok(room.narrow.inplace_op2(&room.hidden, &Normalise { norm, rows, first })?)
}

impl<'a> Product<'a> {
    fn operation(&self, is_added: bool) -> Multiply<'a> {
        Multiply { linear: self.linear, rows: self.rows, is_added, workers: self.workers }
    }

    fn flops(&self) -> u64 {
        (self.rows * (2 * self.linear.weight.elem_count() + self.linear.bias.elem_count())) as u64
    }

    /// Weights and inputs read, outputs written.
    fn bytes(&self) -> u64 {
        let (weight, outputs) = (self.linear.weight.elem_count(), self.linear.bias.elem_count());
        bytes_of(weight + outputs + self.rows * (weight / outputs + outputs))
    }

    fn backend(&self) -> &'static str {
        backend(self.rows)
    }
}

/// What multiplies so many rows.
pub(super) fn backend(rows: usize) -> &'static str {
    if rows == 1 { Class::widest().name() } else { "gemm" }
}
