//! How many samples each file was found in, so that what is missing of files that hardly ever run is not complained
//! about.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::images::{ImageId, Images};
use super::spaces::Location;
use super::tally::{Step, Tally};

/// The part of all samples from which on a file matters.
const MATTERS: f64 = 0.01;

/// The counts of a recording.
#[derive(Debug, Default)]
pub(crate) struct Attendance {
    /// By the name of the file.
    found_in: HashMap<String, u64, RandomState>,
    all: u64,
}

impl Attendance {
    /// Counts the samples of a part.
    pub(crate) fn add(&mut self, tally: &Tally, images: &Images) {
        let mut counts: HashMap<ImageId, u64, RandomState> = HashMap::default();
        let mut present: Vec<ImageId> = Vec::new();
        for (key, weight) in tally.weights() {
            present.clear();
            for step in tally.path_of(key.node) {
                if let Step::User(Location { image: Some(image), .. }) = step
                    && !present.contains(&image)
                {
                    present.push(image);
                }
            }
            for image in &present {
                *counts.entry(*image).or_default() += weight.count;
            }
            self.all += weight.count;
        }
        for (image, count) in counts {
            *self.found_in.entry_ref(images.opened(image).name.as_str()).or_default() += count;
        }
    }

    /// Whether a file was found in a part of the samples that is worth a word; where none were counted, each is.
    pub(crate) fn matters(&self, name: &str) -> bool {
        let found_in = self.found_in.get(name).copied().unwrap_or(0);
        found_in as f64 >= MATTERS * self.all as f64
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{SampleKind, SampleWeight};

    use super::*;
    use crate::call_paths::tally::TallyKey;
    use calor_symbols::unwind::Unwinder;

    #[test]
    fn a_file_matters_from_one_sample_in_a_hundred_on() {
        let (mut images, mut unwinder, mut tally) = (Images::default(), Unwinder::new(), Tally::default());
        let mut image = |name: &str| {
            let key = (name.to_owned(), (0, 0), 0);
            images.get_or_open(key, &mut unwinder, || Ok(None))
        };
        let (often, rarely) = (image("/often"), image("/rarely"));
        let step = |image| Step::User(Location { image: Some(image), address: 1 });
        for (steps, count) in [(vec![step(often), step(often)], 995), (vec![step(often), step(rarely)], 5)] {
            let node = tally.path(steps).expect("there are steps");
            let key = TallyKey { node, pid: 1, tid: 1, kind: SampleKind::Cpu, lock: None };
            tally.add(key, SampleWeight { count, nanos: count });
        }
        let mut attendance = Attendance::default();
        assert!(attendance.matters("/rarely"), "nothing was counted");
        attendance.add(&tally, &images);
        assert_eq!((attendance.found_in["/often"], attendance.all), (1_000, 1_000));
        assert!(attendance.matters("/often") && !attendance.matters("/rarely"));
    }
}
