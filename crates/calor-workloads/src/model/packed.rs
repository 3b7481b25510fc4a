//! Weights in one piece of memory. Each tensor begins at a cache line, so that no vector is read from two of them, and large
//! pages hold them where the system has some, so that what a token takes depends less on where a run happened to get its
//! memory.

#![expect(unsafe_code, reason = "the system is asked for large pages by address")]

use calor_analysis::quantity;
use candle_core::{Device, Tensor};

use super::operation::with_floats;
use super::{Config, Weights};
use crate::Error;

/// Floats of a cache line, and of a large page.
const LINE: usize = 64 / size_of::<f32>();
const PAGE: usize = (2 << 20) / size_of::<f32>();

impl Weights {
    /// The same weights in one piece. What they were in is given back as it goes, so that no more than one of them is there twice.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub(super) fn packed(self, config: &Config) -> Result<Self, Error> {
        let tensors: Vec<Tensor> = self.named().into_iter().map(|(_, tensor)| tensor.clone()).collect();
        drop(self);
        let room = |tensor: &Tensor| tensor.elem_count().next_multiple_of(LINE);
        let (mut values, begin) = pages(tensors.iter().map(room).sum())?;
        let mut places = Vec::new();
        for tensor in tensors {
            places.push((values.len(), tensor.elem_count()));
            with_floats(&tensor, |floats| values.extend_from_slice(floats))?;
            values.resize(begin + (values.len() - begin).next_multiple_of(LINE), 0.0);
        }
        let n = values.len();
        let all = Tensor::from_vec(values, n, &Device::Cpu)?;
        // They are asked for in the order of their names.
        let mut places = places.into_iter();
        Self::collect(config, &mut |wanted| {
            let (at, n) = places.next().ok_or_else(|| Error::Failed("a tensor is missing".to_owned()))?;
            Ok(all.narrow(0, at, n)?.reshape(wanted.shape)?)
        })
    }
}

/// Room for so many floats, on large pages where there are some, filled up to where they begin.
fn pages(n: usize) -> Result<(Vec<f32>, usize), Error> {
    // Less does not fill a page.
    let unit = if n < PAGE / 4 { LINE } else { PAGE };
    let mut values: Vec<f32> = Vec::new();
    values.try_reserve_exact(n.next_multiple_of(unit) + unit).map_err(|_| {
        let size = quantity::bytes(super::bytes_of(n));
        Error::Failed(format!(
            "there is no memory for the weights, which take {size}: choose a smaller model"
        ))
    })?;
    let begin = values.as_ptr().align_offset(unit * size_of::<f32>()).min(unit);
    #[cfg(target_os = "linux")]
    if let Some(room) = values.spare_capacity_mut().get_mut(begin..).filter(|_| unit == PAGE) {
        // SAFETY: the pages are those of the vector, from a whole one on; which size they have changes nothing for whoever uses
        // them, and where the system refuses they stay as they are.
        unsafe {
            libc::madvise(
                room.as_mut_ptr().cast(),
                n.next_multiple_of(PAGE) * size_of::<f32>(),
                libc::MADV_HUGEPAGE,
            )
        };
    }
    values.resize(begin, 0.0);
    Ok((values, begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: Config = Config { width: 12, layers: 2, heads: 3, context: 5, vocabulary: 40 };

    #[test]
    fn tensors_lie_one_after_the_other_at_cache_lines_with_their_values() {
        let of_index = |weights: &Weights| -> Vec<Vec<f32>> {
            let floats = |tensor: &Tensor| with_floats(tensor, <[f32]>::to_vec).expect("it is one piece");
            weights.named().into_iter().map(|(_, tensor)| floats(tensor)).collect()
        };
        let mut n = 0.0;
        let weights = Weights::collect(&TINY, &mut |wanted| {
            n += 1.0;
            let values = (0..wanted.shape.iter().product::<usize>()).map(|at| n + at as f32 / 1e3);
            Ok(Tensor::from_vec(values.collect::<Vec<f32>>(), wanted.shape, &Device::Cpu)?)
        });
        let weights = weights.expect("the sizes fit");
        let before = of_index(&weights);
        let packed = weights.packed(&TINY).expect("there is memory");
        assert_eq!(of_index(&packed), before);
        let address = |tensor: &Tensor| with_floats(tensor, |floats| floats.as_ptr().addr()).expect("floats");
        let addresses: Vec<usize> = packed.named().into_iter().map(|(_, tensor)| address(tensor)).collect();
        assert!(addresses.iter().all(|address| address.is_multiple_of(64)), "{addresses:?}");
        assert!(addresses.is_sorted());
        assert_eq!(packed.layers[1].up.weight.dims(), [48, 12]);
    }
}
