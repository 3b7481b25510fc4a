//! Counters as events. Chrome's counters belong to a process, so one of a thread carries the thread in its name.

use std::io::Write;

use calor_model::Profile;

use super::event_writer::{EventWriter, json};
use super::lanes::Lanes;
use super::series::ONLY_VALUE;
use crate::Error;

pub(super) fn write<W: Write>(
    profile: &Profile,
    lanes: &Lanes,
    events: &mut EventWriter<'_, W>,
) -> Result<(), Error> {
    for (key, points) in profile.counters.iter() {
        let mut name = profile.strings.get(key.name).to_owned();
        let mut pid = lanes.main_pid();
        if let Some(thread) = key.thread {
            name = format!("{name} ({})", lanes.name(profile, thread));
            pid = lanes.of(thread).pid;
        }
        let unit = match profile.strings.get(key.unit) {
            "" => ONLY_VALUE,
            unit => unit,
        };
        let (name, unit) = (json(&name), json(unit));
        // JSON has no word for what is not a finite number.
        for point in points.iter().filter(|point| point.value.is_finite()) {
            events.point(pid, point.at_nanos, &name, &unit, point.value)?;
        }
    }
    Ok(())
}
