//! Where a history of measurements changed, commit by commit or day by day.
//!
//! The largest sum of scores by rank on one side of a point says where a series changed; how large it must be depends on how much
//! neighbouring measurements resemble each other. Without that correction two series in three of a machine that has slow and
//! quick days are found to have changed. In a series of few points that leaves only chance; there, a gap that is many times as
//! wide as the scatter on either side tells as much.

mod clusters;
mod evidence;
mod gap;
mod long_run;
mod runs;
mod segments;
mod sensitivity;

pub use clusters::{ChangeCluster, change_clusters};
pub use runs::{ChangeCause, RunChange, changes_of_runs};
pub use segments::{ChangePoint, ChangePointOptions, change_points};
pub use sensitivity::{FEWEST_POINTS, smallest_change};
