//! What is known of two implementations of one operation: how long a call takes at several sizes, and what each side was
//! seen to do. Whoever ran and recorded them fills this in.

use super::{WhyPoint, WhySide};
use crate::MachineRoof;

/// What the time is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WhyClock {
    /// Time on processors.
    #[default]
    Cpu,
    /// Time on the wall.
    Wall,
}

impl WhyClock {
    /// The word for it in files and options.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Wall => "wall",
        }
    }

    /// The same for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU time",
            Self::Wall => "wall time",
        }
    }
}

/// Everything that was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WhyEvidence {
    /// What a call takes, by size, the smallest first.
    pub points: Vec<WhyPoint>,
    /// The place among the points of the size at which the gap is explained.
    pub focus: usize,
    /// Which clock the gap is told by.
    pub clock: WhyClock,
    /// What A and B were seen to do at that size.
    pub sides: [WhySide; 2],
    /// What the slower side was seen to do at a size where it is hardly slower, and that size.
    pub elsewhere: Option<(f64, WhySide)>,
    /// What the machine can do; `None` where nobody measured it.
    pub roof: Option<MachineRoof>,
}
