//! Where the parts of a recording go.

use std::io;

use super::Part;

/// Takes the parts of one recording, in the order of time.
///
/// A sink runs on the thread that records: it does not wait for long, and what it cannot take at once it refuses. It need not keep
/// what it refused or try again; the [`PartStream`](super::PartStream) before it does.
pub trait PartSink: Send {
    /// Takes a part, whole or not at all.
    ///
    /// # Errors
    /// When it does not take the part now: it hands the part back, with what it did not keep anything of.
    fn add(&mut self, part: Part) -> Result<(), Refused>;

    /// No part comes after this.
    ///
    /// # Errors
    /// When what was taken may not have arrived.
    fn end(&mut self) -> io::Result<()>;

    /// How many bytes it has written, where it writes any.
    fn n_bytes(&self) -> u64 {
        0
    }
}

impl<S: PartSink + ?Sized> PartSink for Box<S> {
    fn add(&mut self, part: Part) -> Result<(), Refused> {
        (**self).add(part)
    }

    fn end(&mut self) -> io::Result<()> {
        (**self).end()
    }

    fn n_bytes(&self) -> u64 {
        (**self).n_bytes()
    }
}

/// A part that a sink did not take.
#[derive(Debug)]
pub struct Refused {
    /// The part, as it was.
    pub part: Box<Part>,
    /// Why; [`WouldBlock`](io::ErrorKind::WouldBlock) where there is no room only now.
    pub cause: io::Error,
}

impl Refused {
    /// Hands a part back.
    #[must_use]
    pub fn new(part: Part, cause: io::Error) -> Self {
        Self { part: Box::new(part), cause }
    }
}
