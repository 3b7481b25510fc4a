//! Parts for another thread of the program.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use super::{Part, PartSink, Refused};

/// A sink and the end at which its parts come out. At most so many wait between the two; a part beyond them is refused, so that a
/// slow receiver costs spans and not memory.
#[must_use]
pub fn channel(n_waiting: usize) -> (PartSender, Receiver<Part>) {
    let (sender, parts) = sync_channel(n_waiting);
    (PartSender { sender: Some(sender) }, parts)
}

/// The sink of [`channel`].
#[derive(Debug)]
pub struct PartSender {
    /// Gone at the end, by which the receiver knows of it.
    sender: Option<SyncSender<Part>>,
}

impl PartSink for PartSender {
    fn add(&mut self, part: Part) -> Result<(), Refused> {
        let Some(sender) = &self.sender else {
            return Err(Refused::new(part, io::Error::other("the recording has ended")));
        };
        sender.try_send(part).map_err(|error| match error {
            TrySendError::Full(part) => {
                let cause = "parts of the recording are not taken as fast as they come";
                Refused::new(part, io::Error::new(io::ErrorKind::WouldBlock, cause))
            }
            TrySendError::Disconnected(part) => {
                let cause = "nobody takes the parts of the recording any more";
                Refused::new(part, io::Error::new(io::ErrorKind::BrokenPipe, cause))
            }
        })
    }

    fn end(&mut self) -> io::Result<()> {
        self.sender = None;
        Ok(())
    }
}
