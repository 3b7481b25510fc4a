//! Channels whose messages carry when and where they were sent.

use std::sync::mpsc::{self, RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use calor_model::LinkKind;

use crate::link::{self, Signal, Wait};

/// As [`std::sync::mpsc::channel`].
#[must_use]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    let object = super::next_object();
    (Sender { inner: sender, object }, Receiver { inner: receiver, object, room: None })
}

/// As [`std::sync::mpsc::sync_channel`].
#[must_use]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::sync_channel(bound);
    let (object, room) = (super::next_object(), Room::default());
    let receiver = Receiver { inner: receiver, object, room: Some(room.clone()) };
    (SyncSender { inner: sender, object, room }, receiver)
}

/// When the receiver last asked for a message. Where senders wait for room, that is when it made some.
type Room = Arc<Mutex<Signal>>;

/// As [`std::sync::mpsc::Sender`].
#[derive(Debug)]
pub struct Sender<T> {
    inner: mpsc::Sender<(Signal, T)>,
    object: u64,
}

// Not derived: that would ask messages to be copied too.
impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), object: self.object }
    }
}

impl<T> Sender<T> {
    /// Sends a message.
    ///
    /// # Errors
    /// If nobody can receive it any more.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.inner.send((link::signal(), message)).map_err(|SendError((_, message))| SendError(message))
    }
}

/// As [`std::sync::mpsc::SyncSender`].
#[derive(Debug)]
pub struct SyncSender<T> {
    inner: mpsc::SyncSender<(Signal, T)>,
    object: u64,
    room: Room,
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), object: self.object, room: Room::clone(&self.room) }
    }
}

impl<T> SyncSender<T> {
    /// Sends a message, and waits for room first if there is none.
    ///
    /// # Errors
    /// If nobody can receive it any more.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let sent = link::signal();
        let message = match self.inner.try_send((sent, message)) {
            Ok(()) => return Ok(()),
            Err(TrySendError::Disconnected((_, message))) => return Err(SendError(message)),
            Err(TrySendError::Full((_, message))) => message,
        };
        let wait = link::wait();
        if let Err(SendError((_, message))) = self.inner.send((sent, message)) {
            wait.give_up();
            return Err(SendError(message));
        }
        let room = *self.room.lock().unwrap_or_else(PoisonError::into_inner);
        wait.end_as(LinkKind::Room, self.object, room);
        Ok(())
    }

    /// Sends a message if there is room.
    ///
    /// # Errors
    /// If there is none, or nobody can receive it any more.
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.inner.try_send((link::signal(), message)).map_err(|error| match error {
            TrySendError::Full((_, message)) => TrySendError::Full(message),
            TrySendError::Disconnected((_, message)) => TrySendError::Disconnected(message),
        })
    }
}

/// As [`std::sync::mpsc::Receiver`].
#[derive(Debug)]
pub struct Receiver<T> {
    inner: mpsc::Receiver<(Signal, T)>,
    object: u64,
    room: Option<Room>,
}

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// # Errors
    /// If nobody can send any more.
    pub fn recv(&self) -> Result<T, RecvError> {
        let wait = self.ask();
        self.told(wait, self.inner.recv())
    }

    /// The next message, if there is one.
    ///
    /// # Errors
    /// If there is none yet, or nobody can send any more.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let wait = self.ask();
        self.told(wait, self.inner.try_recv())
    }

    /// Waits for a message, for so long at most.
    ///
    /// # Errors
    /// If there was none, or nobody can send any more.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        let wait = self.ask();
        self.told(wait, self.inner.recv_timeout(timeout))
    }

    /// The messages, until nobody can send any more.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    fn ask(&self) -> Wait {
        if let Some(room) = &self.room {
            // Before the message is taken out: whoever waits for room may go on at that very moment.
            *room.lock().unwrap_or_else(PoisonError::into_inner) = link::signal();
        }
        link::wait()
    }

    fn told<E>(&self, wait: Wait, received: Result<(Signal, T), E>) -> Result<T, E> {
        match received {
            Ok((sent, message)) => {
                wait.end_as(LinkKind::Channel, self.object, sent);
                Ok(message)
            }
            Err(error) => {
                wait.give_up();
                Err(error)
            }
        }
    }
}

/// The messages of a channel.
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
