//! What threads waited for each other: from the moment at which one made something available (sent, released, ended) to
//! the moment at which another went on with it. Together with the spans they say which work a run could not have ended
//! without.

use crate::ThreadId;

/// In which way one thread waited for another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum LinkKind {
    /// A thread began because another started it.
    Spawn,
    /// A thread went on because another had ended.
    Join,
    /// A thread got a lock that another had released.
    Lock,
    /// A thread received what another had sent.
    Channel,
    /// A thread could send because another had made room.
    Room,
    /// A thread went on because the last of several had arrived.
    Barrier,
    /// Whatever else the program told.
    Other,
}

impl LinkKind {
    /// The word used in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Spawn => "spawn",
            Self::Join => "join",
            Self::Lock => "lock",
            Self::Channel => "channel",
            Self::Room => "room in a channel",
            Self::Barrier => "barrier",
            Self::Other => "other",
        }
    }
}

/// One thread going on with what another made available. Times count from the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    /// In which way.
    pub kind: LinkKind,
    /// Which lock or channel: the same number means the same one, 0 none or unknown.
    pub object: u64,
    /// The thread that made it available.
    pub from: ThreadId,
    /// When it did.
    pub from_nanos: u64,
    /// The thread that went on.
    pub to: ThreadId,
    /// When it began to wait, or asked and did not have to.
    pub since_nanos: u64,
    /// When it went on.
    pub to_nanos: u64,
    /// For how long it then held the lock; 0 for other kinds.
    pub held_nanos: u64,
}

impl Link {
    /// Whether the thread that went on was there first and had to wait.
    #[must_use]
    pub fn is_wait(&self) -> bool {
        self.kind == LinkKind::Spawn || self.from_nanos > self.since_nanos
    }
}
