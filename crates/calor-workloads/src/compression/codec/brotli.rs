//! Brotli, in Rust. The library takes an allocator, so ours counts. A stream cannot be used for a second block, here as in the
//! library in C; what is made for each block is part of its time.

use std::cell::Cell;
use std::mem::size_of;
use std::rc::Rc;

use ::brotli::enc::encode::{BrotliEncoderOperation, BrotliEncoderParameter, BrotliEncoderStateStruct};
use ::brotli::enc::{BrotliAlloc, BrotliEncoderMaxCompressedSize};
use ::brotli::{Allocator, BrotliDecompressStream, BrotliResult, BrotliState, SliceWrapper, SliceWrapperMut};

use super::{Compressor, Decompressor, Gauge, failed};
use crate::Error;

/// The window of Brotli's own command.
const WINDOW: u32 = 22;

pub(super) struct Compressing {
    quality: u32,
    count: Counting,
}

impl Compressing {
    pub(super) fn new(level: i32) -> Self {
        Self { quality: level.unsigned_abs(), count: Counting::default() }
    }
}

impl Compressor for Compressing {
    fn bound(&self, length: usize) -> usize {
        BrotliEncoderMaxCompressedSize(length)
    }

    fn compress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let mut stream = BrotliEncoderStateStruct::new(self.count.clone());
        stream.set_parameter(BrotliEncoderParameter::BROTLI_PARAM_QUALITY, self.quality);
        stream.set_parameter(BrotliEncoderParameter::BROTLI_PARAM_LGWIN, WINDOW);
        let hint = u32::try_from(input.len()).unwrap_or(u32::MAX);
        stream.set_parameter(BrotliEncoderParameter::BROTLI_PARAM_SIZE_HINT, hint);
        let (mut left, mut from, mut room, mut to) = (input.len(), 0, output.len(), 0);
        while !stream.is_finished() {
            let before = (left, room);
            let is_well = stream.compress_stream(
                BrotliEncoderOperation::BROTLI_OPERATION_FINISH,
                &mut left,
                input,
                &mut from,
                &mut room,
                output,
                &mut to,
                &mut None,
                &mut |_, _, _, _| (),
            );
            if !is_well || (before == (left, room) && !stream.is_finished()) {
                return Err(failed("brotli", "no end of the stream"));
            }
        }
        Ok(to)
    }

    fn memory(&self) -> Gauge {
        self.count.peak(size_of::<BrotliEncoderStateStruct<Counting>>())
    }
}

#[derive(Default)]
pub(super) struct Decompressing {
    count: Counting,
}

impl Decompressor for Decompressing {
    fn decompress(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Error> {
        let [a, b, c] = [self.count.clone(), self.count.clone(), self.count.clone()];
        let mut stream = BrotliState::new(a, b, c);
        let (mut left, mut from, mut room, mut to, mut total) = (input.len(), 0, output.len(), 0, 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut from,
            input,
            &mut room,
            &mut to,
            output,
            &mut total,
            &mut stream,
        );
        match result {
            BrotliResult::ResultSuccess => Ok(to),
            _ => Err(failed("brotli", "the stream is damaged")),
        }
    }

    fn memory(&self) -> Gauge {
        self.count.peak(size_of::<BrotliState<Counting, Counting, Counting>>())
    }
}

/// An allocator that knows how much of it is in use. Brotli frees some pieces by handing them back and some by dropping them, so
/// the pieces themselves count.
#[derive(Clone, Default)]
struct Counting(Rc<Usage>);

#[derive(Default)]
struct Usage {
    bytes: Cell<usize>,
    peak: Cell<usize>,
}

impl Counting {
    fn peak(&self, fixed: usize) -> Gauge {
        Gauge::Told((self.0.peak.get() + fixed) as u64)
    }
}

impl BrotliAlloc for Counting {}

impl<T: Clone + Default> Allocator<T> for Counting {
    type AllocatedMemory = Piece<T>;

    fn alloc_cell(&mut self, length: usize) -> Piece<T> {
        let bytes = self.0.bytes.get() + length * size_of::<T>();
        self.0.bytes.set(bytes);
        self.0.peak.set(self.0.peak.get().max(bytes));
        Piece { cells: vec![T::default(); length], usage: Some(self.0.clone()) }
    }

    fn free_cell(&mut self, _: Piece<T>) {}
}

/// Memory that gives itself back to the count.
struct Piece<T> {
    cells: Vec<T>,
    usage: Option<Rc<Usage>>,
}

impl<T> Default for Piece<T> {
    fn default() -> Self {
        Self { cells: Vec::new(), usage: None }
    }
}

impl<T> Drop for Piece<T> {
    fn drop(&mut self) {
        if let Some(usage) = &self.usage {
            usage.bytes.set(usage.bytes.get().saturating_sub(self.cells.len() * size_of::<T>()));
        }
    }
}

impl<T> SliceWrapper<T> for Piece<T> {
    fn slice(&self) -> &[T] {
        &self.cells
    }
}

impl<T> SliceWrapperMut<T> for Piece<T> {
    fn slice_mut(&mut self) -> &mut [T] {
        &mut self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted_and_given_back() {
        let text = b"some words and some more words ".repeat(3_000);
        let mut compressor = Compressing::new(5);
        let mut output = vec![0; compressor.bound(text.len())];
        let length = compressor.compress(&text, &mut output).unwrap();
        let Gauge::Told(peak) = compressor.memory() else { panic!("it counts") };
        assert!(peak > 64 << 10, "{peak}");
        assert_eq!(compressor.count.0.bytes.get(), 0, "all of it is given back");
        let mut decompressor = Decompressing::default();
        decompressor.decompress(&output[..length], &mut vec![0; text.len()]).unwrap();
        assert!(decompressor.count.0.peak.get() > 0);
        assert_eq!(decompressor.count.0.bytes.get(), 0);
    }
}
