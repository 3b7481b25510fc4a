//! Cuts a large profile into parts that add up to it, so that a file of them can lose one and keep the others. What
//! grows without bound in a long recording is the timeline and the samples with their instants; everything else is the
//! first part.

use calor_model::Profile;

use crate::Error;

/// Hands `write` one part after the other, with at most `max_rows` (at least 1) spans, marks, links and samples in
/// each. Every part has all the tables that handles point into, so that rows keep their handles.
pub(super) fn for_each_part(
    profile: &Profile,
    max_rows: usize,
    mut write: impl FnMut(&Profile) -> Result<(), Error>,
) -> Result<(), Error> {
    let first = Profile {
        scopes: profile.scopes.clone(),
        heap: profile.heap.clone(),
        gpu: profile.gpu.clone(),
        counters: profile.counters.clone(),
        code: profile.code.clone(),
        events: profile.events.clone(),
        runs: profile.runs.clone(),
        warnings: profile.warnings.clone(),
        ..tables_of(profile)
    };
    write(&first)?;
    let mut cut = Cut { profile, part: tables_of(profile), n_rows: 0, max_rows, write };
    for (thread, track) in profile.timeline.iter() {
        for &span in &track.spans {
            cut.part.timeline.track_mut(thread).spans.push(span);
            cut.count_row()?;
        }
        for mark in &track.marks {
            cut.part.timeline.track_mut(thread).marks.push(mark.clone());
            cut.count_row()?;
        }
    }
    for &link in &profile.timeline.links {
        cut.part.timeline.links.push(link);
        cut.count_row()?;
    }
    for (key, weight) in profile.samples.iter() {
        cut.part.samples.add(key, weight);
        cut.count_row()?;
    }
    if cut.n_rows > 0 { (cut.write)(&cut.part) } else { Ok(()) }
}

/// The part that is being filled.
struct Cut<'a, F> {
    profile: &'a Profile,
    part: Profile,
    n_rows: usize,
    max_rows: usize,
    write: F,
}

impl<F: FnMut(&Profile) -> Result<(), Error>> Cut<'_, F> {
    fn count_row(&mut self) -> Result<(), Error> {
        self.n_rows += 1;
        if self.n_rows == self.max_rows {
            (self.write)(&self.part)?;
            self.part = tables_of(self.profile);
            self.n_rows = 0;
        }
        Ok(())
    }
}

fn tables_of(profile: &Profile) -> Profile {
    Profile {
        strings: profile.strings.clone(),
        frames: profile.frames.clone(),
        stacks: profile.stacks.clone(),
        threads: profile.threads.clone(),
        labels: profile.labels.clone(),
        ..Profile::default()
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{
        FrameKind, LabelTable, Link, LinkKind, Mark, RunId, SampleKey, SampleKind, SampleWeight, Span,
    };

    use super::*;

    #[test]
    fn the_parts_add_up_to_the_whole_whatever_their_size() {
        let mut profile = Profile::default();
        let stack = profile.intern_named_path(&["a", "b"], FrameKind::Scope).unwrap();
        profile.runs.push(calor_model::Run { id: RunId(1), duration_nanos: 9, ..Default::default() });
        for tid in 0..3 {
            let thread = profile.intern_thread(1, tid, "worker");
            let name = profile.strings.intern("mark");
            for at_nanos in 0..5 {
                let track = profile.timeline.track_mut(thread);
                track.spans.push(Span { start_nanos: at_nanos, duration_nanos: tid, stack });
                track.marks.push(Mark { at_nanos, name, details: Vec::new() });
                let (labels, at_nanos) = (LabelTable::none(), Some(at_nanos));
                let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos };
                profile.samples.add(key, SampleWeight { count: 1, nanos: 10 });
                profile.timeline.links.push(Link {
                    kind: LinkKind::Lock,
                    object: tid,
                    from: thread,
                    from_nanos: 1,
                    to: thread,
                    since_nanos: 2,
                    to_nanos: at_nanos.unwrap_or(0),
                    held_nanos: 3,
                });
            }
        }
        for max_rows in [1, 2, 7, 59, 60, 61, 1000] {
            let (mut sum, mut n_parts) = (Profile::default(), 0);
            for_each_part(&profile, max_rows, |part| {
                let n_moments = part.timeline.n_spans() + part.timeline.n_marks() + part.timeline.links.len();
                assert!(n_moments + part.samples.len() <= max_rows);
                sum.merge(part);
                n_parts += 1;
                Ok(())
            })
            .unwrap();
            assert_eq!(n_parts, 1 + 60_usize.div_ceil(max_rows));
            assert_eq!(format!("{:?}", sum.canonical()), format!("{:?}", profile.canonical()));
        }
    }
}
