//! Figures that were measured before. They are taken over after one short burst: a machine that has become much slower or
//! quicker since, by its power supply, its neighbours or a move to another host, is measured again.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::burst::Contestant;
use crate::kernel::{Arithmetic, Number};
use crate::{Machine, Processor, SmallestDetectable, measure};

/// A burst that differs by more from what is known is another machine's.
const CHANGED: f64 = 0.1;
/// Bursts until one is as quick as it should be.
const BURSTS: usize = 12;

/// The file in which figures are kept.
#[derive(Clone, Debug)]
pub struct Cache {
    path: PathBuf,
}

/// Where figures come from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Origin {
    /// Measured before, and a burst was as quick as then.
    Cached,
    /// Measured now.
    Measured,
    /// Measured again, because a burst was so many times as quick as what was known.
    Changed(f64),
    /// Measured before. A burst was so many times as quick now, but others disturbed the measurement that followed.
    Kept(f64),
}

impl Cache {
    /// `machine.json` in `$CALOR_CACHE_DIR`, or else in `calor` in the user's folder of caches; `None` for users without one.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("CALOR_CACHE_DIR")
            .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("calor")))
            .or_else(|| variable("HOME").map(|home| home.join(".cache/calor")))?;
        Some(Self::in_folder(&folder))
    }

    /// In this folder.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join("machine.json") }
    }

    /// What was measured before on this machine, as it was then; `None` where nothing was. Nothing is measured now, so it
    /// takes no time.
    #[must_use]
    pub fn kept(&self) -> Option<Machine> {
        self.read(&Processor::this().fingerprint())
    }

    /// The figures of this machine; `None` where there are none, where they are of another, and where the file is damaged.
    fn read(&self, id: &str) -> Option<Machine> {
        let text = fs::read_to_string(&self.path).ok()?;
        Machine::from_json(&text).ok().filter(|machine| machine.id == id)
    }

    /// Keeps figures. A folder that cannot be written to only means that they are measured again.
    fn write(&self, machine: &Machine) {
        let Some(folder) = self.path.parent() else { return };
        let _ = fs::create_dir_all(folder)
            .and_then(|()| calor_host::replace(&self.path, machine.to_json().as_bytes()));
    }
}

/// What is known of this machine, measured now if need be; with `is_fresh`, measured now in any case. Figures that others
/// disturbed do not take the place of those that nobody did.
#[must_use]
pub fn known(
    cache: Option<&Cache>,
    is_fresh: bool,
    smallest_detectable: SmallestDetectable,
) -> (Machine, Origin) {
    let cached = cache.and_then(|cache| cache.read(&Processor::this().fingerprint()));
    let speed = match &cached {
        Some(machine) if !is_fresh => match speed_now(machine) {
            None => return (machine.clone(), Origin::Cached),
            changed => changed,
        },
        _ => None,
    };
    let (machine, origin, is_kept) = settled(measure(smallest_detectable), cached, speed);
    if is_kept {
        cache.inspect(|cache| cache.write(&machine));
    }
    (machine, origin)
}

/// Which figures are taken after a measurement, and whether they are written down. `speed` is why it was made, where something
/// was known.
fn settled(fresh: Machine, cached: Option<Machine>, speed: Option<f64>) -> (Machine, Origin, bool) {
    // Nobody makes a machine quicker than it is.
    let is_slower = speed.is_none_or(|ratio| ratio < 1.0);
    let is_worse = |cached: &Machine| cached.disturbed().is_empty() && !fresh.disturbed().is_empty();
    match (cached.filter(is_worse).filter(|_| is_slower), speed) {
        (Some(cached), Some(ratio)) => (cached, Origin::Kept(ratio), false),
        (Some(_), None) => (fresh, Origin::Measured, false),
        (None, Some(ratio)) => (fresh, Origin::Changed(ratio), true),
        (None, None) => (fresh, Origin::Measured, true),
    }
}

/// How many times as quick as known the machine is; `None` where it is as quick, or has nothing to be held against.
fn speed_now(machine: &Machine) -> Option<f64> {
    let (width, known) = machine.peaks.f32.best()?;
    let mut burst = Contestant::new(Box::new(Arithmetic::new(Number::F32, width)?));
    let mut ratio = 0.0;
    for _ in 0..BURSTS {
        burst.burst();
        ratio = burst.rate()?.best / known;
        if ratio >= 1.0 - CHANGED {
            break;
        }
    }
    ((ratio - 1.0).abs() > CHANGED).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::sketch;

    #[test]
    fn figures_of_this_machine_are_kept_and_others_are_not_taken() {
        let folder = tempfile::tempdir().expect("there is room");
        let cache = Cache::in_folder(&folder.path().join("new"));
        let machine = sketch();
        assert_eq!(cache.read(&machine.id), None);
        cache.write(&machine);
        assert_eq!(cache.read("another"), None);
        assert_eq!(cache.read(&machine.id), Some(machine.clone()));
        fs::write(&cache.path, "{\"schema\": \"calor/mach").expect("it is ours");
        assert_eq!(cache.read(&machine.id), None);
        cache.write(&machine);
        assert!(cache.read(&machine.id).is_some());
        assert_eq!(fs::read_dir(folder.path().join("new")).map(Iterator::count).ok(), Some(1));
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_no_error() {
        let folder = tempfile::tempdir().expect("there is room");
        fs::write(folder.path().join("file"), "").expect("it is ours");
        let cache = Cache::in_folder(&folder.path().join("file/inside"));
        cache.write(&sketch());
        assert_eq!(cache.read("0123456789abcdef"), None);
    }

    #[test]
    fn disturbed_figures_do_not_take_the_place_of_good_ones() {
        let good = sketch();
        let mut bad = sketch();
        bad.tiers[0].interval = Some([1e10, 3e10]);
        bad.took_nanos = 77;
        let outcome = |fresh: &Machine, cached: Option<&Machine>, speed| {
            let (machine, origin, is_kept) = settled(fresh.clone(), cached.cloned(), speed);
            (machine == *fresh, origin, is_kept)
        };
        assert_eq!(outcome(&bad, None, None), (true, Origin::Measured, true));
        assert_eq!(outcome(&bad, Some(&good), None), (true, Origin::Measured, false));
        assert_eq!(outcome(&bad, Some(&good), Some(0.8)), (false, Origin::Kept(0.8), false));
        assert_eq!(outcome(&bad, Some(&good), Some(1.3)), (true, Origin::Changed(1.3), true));
        assert_eq!(outcome(&bad, Some(&bad), Some(0.8)), (true, Origin::Changed(0.8), true));
        assert_eq!(outcome(&good, Some(&good), Some(0.8)), (true, Origin::Changed(0.8), true));
    }

    #[test]
    fn a_machine_of_another_speed_is_noticed() {
        let mut machine = sketch();
        machine.peaks.f32 = crate::Peak { scalar: Some(1.0), ..crate::Peak::default() };
        assert!(speed_now(&machine).is_some_and(|ratio| ratio > 2.0), "nothing is as slow as one a second");
        machine.peaks.f32 = crate::Peak::default();
        assert_eq!(speed_now(&machine), None);
    }
}
