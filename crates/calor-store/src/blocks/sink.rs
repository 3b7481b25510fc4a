//! A recording that goes to a store part by part.

use std::io;

use calor_formats::parts::{Part, PartSink, Refused};

use super::{Blocks, Limits, Series};
use crate::encoded::encode;
use crate::{Encoded, Error};

/// Keeps the parts of a recording as blocks of one series. A store that others write to makes it wait for as long as the
/// [patience](crate::Store::set_patience) of the store is; what it then refuses goes with the next part.
#[derive(Debug)]
pub struct BlockSink<B> {
    blocks: B,
    series: Series,
    limits: Limits,
    n_bytes: u64,
}

impl<B: Blocks> BlockSink<B> {
    /// Parts go to this series of a store, which is held within limits.
    #[must_use]
    pub fn new(blocks: B, series: Series, limits: Limits) -> Self {
        Self { blocks, series, limits, n_bytes: 0 }
    }

    /// The store.
    #[must_use]
    pub fn blocks(&self) -> &B {
        &self.blocks
    }
}

impl<B: Blocks + Send> PartSink for BlockSink<B> {
    fn add(&mut self, part: Part) -> Result<(), Refused> {
        let Part { window, profile } = part;
        let encoded = match encode(&profile) {
            Ok(bytes) => Encoded::pair(profile, bytes),
            Err(error) => return Err(refused(Part { window, profile }, error)),
        };
        match self.blocks.append(&self.series, window, &encoded, &self.limits) {
            Ok(_) => {
                self.n_bytes += encoded.bytes().len() as u64;
                Ok(())
            }
            Err(error) => Err(refused(Part { window, profile: encoded.into_profile() }, error)),
        }
    }

    /// Each part was on the disk when it was taken.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn n_bytes(&self) -> u64 {
        self.n_bytes
    }
}

fn refused(part: Part, error: Error) -> Refused {
    let kind = match error {
        Error::Busy { .. } => io::ErrorKind::WouldBlock,
        Error::Full { .. } => io::ErrorKind::StorageFull,
        _ => io::ErrorKind::Other,
    };
    Refused::new(part, io::Error::new(kind, error))
}
