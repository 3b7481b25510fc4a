//! A folder with a store in it, and profiles that differ.

use std::path::PathBuf;

use calor_model::{
    FrameKind, Host, LabelTable, Profile, Recorder, Run, RunId, SampleKey, SampleKind, SampleWeight,
};
use calor_store::{Note, SavedId, Store};
use tempfile::TempDir;

pub(crate) struct Workbench {
    pub(crate) folder: TempDir,
}

impl Workbench {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(".calor")
    }

    pub(crate) fn store(&self) -> Store {
        Store::create(&self.path()).expect("a store can be made")
    }

    /// A store with so many runs, the first of which was saved first; their ids in that order.
    pub(crate) fn filled(&self, n_runs: u64) -> (Store, Vec<SavedId>) {
        let mut store = self.store();
        let ids = (1..=n_runs).map(|number| save(&mut store, number, Note::default())).collect();
        (store, ids)
    }
}

/// Saves the profile of a number, at that number of seconds after 1970.
pub(crate) fn save(store: &mut Store, number: u64, mut note: Note) -> SavedId {
    note.saved_at_unix_nanos.get_or_insert(number * 1_000_000_000);
    store.save(&profile(number), &note).expect("a profile can be saved").id
}

/// The same, made so large by names that do not compress that writing it takes a while.
pub(crate) fn large_profile(number: u64, n_names: u64) -> Profile {
    let mut profile = profile(number);
    let mut state = number;
    for _ in 0..n_names {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        profile.strings.intern(&format!("{state:016x}"));
    }
    profile
}

/// A small profile that differs from those of other numbers.
pub(crate) fn profile(number: u64) -> Profile {
    let mut profile = Profile {
        runs: vec![Run {
            id: RunId(number.into()),
            command: Some("./train --epochs 1".to_owned()),
            started_at_unix_nanos: number,
            duration_nanos: 1000 + number,
            cpu_nanos: Some(500),
            recorders: [Recorder::Cpu].into(),
            host: Host {
                name: "here".to_owned(),
                cpu: "fast one".to_owned(),
                cores: Some(4),
                ..Host::default()
            },
            ..Run::default()
        }],
        ..Profile::default()
    };
    let thread = profile.intern_thread(1, 1, "main");
    let path = ["main", "train", "step"];
    let stack = profile.intern_named_path(&path, FrameKind::Native).expect("the path has frames");
    let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels: LabelTable::none(), at_nanos: None };
    profile.samples.add(key, SampleWeight { count: number, nanos: number * 1000 });
    profile
}
