//! What the programs of this area share.

pub mod enhanced;
