//! The outermost message as it is written: one field after the other through gzip, so that a file is never held
//! as a whole.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::Error;

/// How much is gathered before it is compressed.
const BUFFER_BYTES: usize = 1 << 16;

/// Fields on their way into a file.
pub(super) struct Output<W: Write> {
    buffer: Vec<u8>,
    gzip: GzEncoder<W>,
}

impl<W: Write> Output<W> {
    pub(super) fn new(out: W) -> Self {
        // The lowest level is what other tools of this format use; files hardly get smaller with more.
        Self { buffer: Vec::with_capacity(BUFFER_BYTES), gzip: GzEncoder::new(out, Compression::fast()) }
    }

    pub(super) fn message(&mut self, field: u32, message: &impl Message) -> Result<(), Error> {
        encode_key(field, WireType::LengthDelimited, &mut self.buffer);
        message.encode_length_delimited(&mut self.buffer).expect("a vector grows as needed");
        self.flush_full()
    }

    pub(super) fn text(&mut self, field: u32, text: &str) -> Result<(), Error> {
        encode_key(field, WireType::LengthDelimited, &mut self.buffer);
        encode_varint(text.len() as u64, &mut self.buffer);
        self.buffer.extend(text.as_bytes());
        self.flush_full()
    }

    /// A number; 0 is what a field that is not there means.
    pub(super) fn number(&mut self, field: u32, number: i64) -> Result<(), Error> {
        if number != 0 {
            encode_key(field, WireType::Varint, &mut self.buffer);
            encode_varint(number as u64, &mut self.buffer);
        }
        self.flush_full()
    }

    fn flush_full(&mut self) -> Result<(), Error> {
        if self.buffer.len() >= BUFFER_BYTES {
            self.gzip.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.gzip.write_all(&self.buffer)?;
        self.gzip.finish()?.flush()?;
        Ok(())
    }
}
