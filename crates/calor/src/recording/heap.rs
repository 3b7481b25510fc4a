//! The heap in a recording: with the first part what was counted since the program began, with later ones what came since.
//!
//! Every part that has something of the heap names all call paths that hold memory. So they come more rarely the longer a
//! recording goes on: a file does not grow with time as it does with spans, and a program that is killed lacks of its heap
//! about a thirtieth of the time that was recorded.

use calor_heap::Image;
use calor_model::{HeapSnapshot, HeapSnapshots, Profile, Recorder};

use crate::heap::naming::Naming;

/// What was told of the heap.
#[derive(Default)]
pub(super) struct HeapParts {
    naming: Naming,
    /// Says when another part is worth its size; the snapshots in it are empty.
    schedule: HeapSnapshots,
}

impl HeapParts {
    /// Adds what is new, when it is time to, to a part of the recording.
    pub(super) fn add_to(&mut self, part: &mut Profile, is_last: bool, is_program_end: bool) {
        let at_nanos = part.runs.first().map_or(0, |run| run.duration_nanos);
        if !is_last && at_nanos < self.schedule.next_at_nanos() {
            return;
        }
        if is_program_end {
            crate::heap::end();
        }
        // Where call paths of blocks are not kept, there is nothing to tell.
        let Ok(image) = crate::heap::image() else { return };
        self.naming.tell_moment(&image, at_nanos, part);
        self.schedule.push(HeapSnapshot::new(at_nanos));
        note_run(&image, part);
    }
}

fn note_run(image: &Image, part: &mut Profile) {
    for run in &mut part.runs {
        run.recorders.insert(Recorder::Heap);
        run.cost.memory_bytes = Some(image.own_bytes);
    }
}
