//! What the machine can reach, for rules that hold work against it.

use calor_analysis::MachineRoof;
use calor_model::Profile;
use calor_project::holds_against_this_machine;

use crate::machine;

/// The roofs of this machine, if the profile was recorded on one like it and tells of work that can be held against
/// them; measuring takes half a second, once.
pub(crate) fn roof(profile: &Profile) -> Option<MachineRoof> {
    holds_against_this_machine(profile).then(|| machine::roof(&machine::this(false).0))
}
