//! One scope under the roofs.

use calor_model::Work;

use super::{MachineRoof, RoofCores, RoofNumber, RoofTier, Told, cpu_nanos};
use crate::{CallTree, NodeId};

/// A rate may be above a roof by so much before the roof is not the one that it is under: both were measured.
const TOLERANCE: f64 = 1.05;

/// What a scope did, and what it could have done.
#[derive(Clone, PartialEq, Debug)]
pub struct RooflinePoint {
    /// The scope.
    pub node: NodeId,
    /// How often it was entered.
    pub calls: u64,
    /// Its time, children included, as a part of all that was recorded.
    pub share: f64,
    /// Floating-point operations that it told.
    pub flops: u64,
    /// Bytes that it told.
    pub bytes: u64,
    /// Operations for each byte; `None` where it told one of the two alone.
    pub intensity: Option<f64>,
    /// Operations a second; `None` where it told none or took no time.
    pub flops_per_s: Option<f64>,
    /// Bytes a second; `None` likewise.
    pub bytes_per_s: Option<f64>,
    /// The place among the machine's tiers of the one that the bytes of a call fit into; a nearer one where they came quicker
    /// than that one delivers.
    pub tier: Option<usize>,
    /// Which cores the roof is of: all where it told that it has several threads, or was faster than one core can be.
    pub cores: RoofCores,
    /// The most operations a second at that intensity, or without bytes at any; `None` where it told none or the roof is not known.
    pub attainable_flops_per_s: Option<f64>,
    /// The most bytes a second at that intensity; `None` likewise.
    pub attainable_bytes_per_s: Option<f64>,
    /// How much of that was attained.
    pub roof_share: Option<f64>,
    /// What limits it; `None` where that cannot be told from operations alone.
    pub bound: Option<Bound>,
    /// The size of numbers that its roof is of: as its label `dtype` tells, or else as was asked for.
    pub number: RoofNumber,
    /// Whether its time is an estimate.
    pub is_estimated: bool,
    /// The CPU time that it told, of which rates then are, and not of its time on the wall.
    pub cpu_nanos: Option<u64>,
}

/// What limits a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Arithmetic: it does much with each byte.
    Compute,
    /// The tier of memory that its bytes come from.
    Memory,
}

impl Bound {
    /// The word for it in files and on pages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory => "memory",
        }
    }
}

/// What a scope, or several together, worked on and how long that took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Worked {
    pub(crate) calls: u64,
    pub(crate) nanos: u64,
    pub(crate) recorded_nanos: u64,
    pub(crate) flops: u64,
    pub(crate) bytes: u64,
    pub(crate) is_estimated: bool,
}

impl RooflinePoint {
    /// `None` where the scope told neither operations nor bytes.
    pub(super) fn new(
        tree: &CallTree<'_>,
        id: NodeId,
        roof: &MachineRoof,
        number: RoofNumber,
    ) -> Option<Self> {
        let mut work = Work::default();
        tree.rows_of(id).for_each(|row| work.add(&row.work));
        let node = tree.node(id);
        let told = || Told {
            cpu_nanos: cpu_nanos(tree.profile(), tree.rows_of(id)),
            ..Told::by(tree.profile(), tree.rows[node.rows.clone()].iter().map(|(key, _)| key.labels))
        };
        let worked = Worked {
            calls: node.calls,
            nanos: node.inclusive_nanos,
            recorded_nanos: tree.recorded_nanos(),
            flops: work.flops,
            bytes: work.bytes,
            is_estimated: node.is_estimated,
        };
        if worked.is_nothing() { None } else { Self::of(id, worked, told(), roof, number) }
    }

    /// The same of work that is not all of a node's, or of several nodes.
    pub(crate) fn of(
        id: NodeId,
        worked: Worked,
        told: Told,
        roof: &MachineRoof,
        number: RoofNumber,
    ) -> Option<Self> {
        if worked.is_nothing() {
            return None;
        }
        let Worked { calls, flops, bytes, is_estimated, .. } = worked;
        let number = told.number.unwrap_or(number);
        let nanos = worked.nanos as f64;
        // Other programs make time on the wall longer. Of several threads the wall tells how fast they were together.
        let cpu = told.cpu_nanos.filter(|cpu| *cpu <= worked.nanos && !told.has_threads);
        let busy = cpu.map_or(nanos, |cpu| cpu as f64);
        let per_second = |amount: u64| (amount > 0 && busy > 0.0).then(|| amount as f64 * 1e9 / busy);
        let recorded = worked.recorded_nanos as f64;
        let mut point = Self {
            node: id,
            calls,
            share: if recorded > 0.0 { nanos / recorded } else { 0.0 },
            flops,
            bytes,
            intensity: (flops > 0 && bytes > 0).then(|| flops as f64 / bytes as f64),
            flops_per_s: per_second(flops),
            bytes_per_s: per_second(bytes),
            tier: None,
            cores: RoofCores::One,
            attainable_flops_per_s: None,
            attainable_bytes_per_s: None,
            roof_share: None,
            bound: None,
            number,
            is_estimated,
            cpu_nanos: cpu,
        };
        point.stand_under(roof, told.has_threads);
        Some(point)
    }

    fn stand_under(&mut self, roof: &MachineRoof, has_threads: bool) {
        self.tier = self.tier_under(roof);
        let one = self.under(roof, RoofCores::One);
        let is_above = |limits: &Limits| has_threads || limits.share > TOLERANCE;
        let all = one.filter(is_above).and_then(|_| self.under(roof, RoofCores::All));
        let Some(limits) = all.or(one) else { return };
        self.cores = if all.is_some() { RoofCores::All } else { RoofCores::One };
        self.roof_share = Some(limits.share);
        self.bound = limits.bound;
        self.attainable_flops_per_s = limits.flops_per_s;
        self.attainable_bytes_per_s = limits.bytes_per_s;
    }

    /// Bytes of a call say how far its data can be from the core at least; data that came faster than from there is nearer.
    fn tier_under(&self, roof: &MachineRoof) -> Option<usize> {
        let (mut at, _) =
            roof.tier_for(self.bytes.checked_div(self.calls).filter(|_| self.bytes > 0)? as f64)?;
        let rate = self.bytes_per_s?;
        let fits = |tier: &RoofTier| {
            let most = tier.bytes_per_s.max(tier.all_cores_bytes_per_s.unwrap_or(0.0));
            rate <= most * TOLERANCE
        };
        while at > 0 && !fits(&roof.tiers[at]) {
            at -= 1;
        }
        Some(at)
    }

    fn under(&self, roof: &MachineRoof, cores: RoofCores) -> Option<Limits> {
        let peak = roof.peak(self.number, cores);
        let tier = self.tier.and_then(|at| roof.tiers[at].rate(cores));
        match (self.flops_per_s, self.bytes_per_s, self.intensity) {
            (Some(flops), Some(_), Some(intensity)) => {
                let (peak, tier) = (peak?, tier?);
                let most = peak.min(intensity * tier);
                let bound = if intensity * tier < peak { Bound::Memory } else { Bound::Compute };
                Some(Limits {
                    share: flops / most,
                    bound: Some(bound),
                    flops_per_s: Some(most),
                    bytes_per_s: Some(most / intensity),
                })
            }
            (Some(flops), ..) => {
                let peak = peak?;
                Some(Limits { share: flops / peak, bound: None, flops_per_s: Some(peak), bytes_per_s: None })
            }
            (None, Some(bytes), _) => {
                let tier = tier?;
                Some(Limits {
                    share: bytes / tier,
                    bound: Some(Bound::Memory),
                    flops_per_s: None,
                    bytes_per_s: Some(tier),
                })
            }
            _ => None,
        }
    }
}

impl Worked {
    fn is_nothing(&self) -> bool {
        self.flops == 0 && self.bytes == 0
    }
}

/// What a roof leaves to a scope.
#[derive(Clone, Copy)]
struct Limits {
    share: f64,
    bound: Option<Bound>,
    flops_per_s: Option<f64>,
    bytes_per_s: Option<f64>,
}

#[cfg(test)]
mod tests {
    use calor_model::ScopeStats;

    use super::super::roof::tests::roof;
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;

    /// A scope that took a second in ten calls.
    fn point(flops: u64, bytes: u64) -> RooflinePoint {
        let work = Work { flops, bytes, ..Work::default() };
        let stats = ScopeStats { calls: 10, total_nanos: 1_000_000_000, work, ..ScopeStats::default() };
        let profile = Sketch::new().row("a", &["run"], stats).profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let (id, _) = tree.nodes().next().expect("there is a scope");
        RooflinePoint::new(&tree, id, &roof(), RoofNumber::F32).expect("it told its work")
    }

    const G: u64 = 1_000_000_000;

    #[test]
    fn a_scope_is_limited_by_memory_below_the_ridge_and_by_arithmetic_above() {
        let memory = point(2 * G, 8 * G);
        assert_eq!((memory.intensity, memory.tier, memory.bound), (Some(0.25), Some(3), Some(Bound::Memory)));
        assert_eq!((memory.attainable_flops_per_s, memory.roof_share), (Some(5e9), Some(0.4)));
        assert_eq!(memory.attainable_bytes_per_s, Some(20e9));
        let compute = point(60 * G, G);
        assert_eq!((compute.bound, compute.roof_share), (Some(Bound::Compute), Some(0.6)));
        assert!((compute.share - 1.0).abs() < 1e-9);
    }

    #[test]
    fn bytes_of_a_call_choose_the_tier_and_bytes_that_came_faster_a_nearer_one() {
        assert_eq!(point(0, 300_000).tier, Some(0));
        assert_eq!(point(0, 100_000_000).tier, Some(2));
        // A call touches 8 GB, which no cache holds, at a rate that only the second tier has: it went over little data often.
        assert_eq!((point(0, 80 * G).tier, point(0, 80 * G).roof_share), (Some(1), Some(0.8)));
    }

    #[test]
    fn what_one_core_cannot_do_was_done_by_all() {
        let many = point(150 * G, G);
        assert_eq!(
            (many.cores, many.attainable_flops_per_s),
            (RoofCores::All, Some(30e9 * 150.0).map(|most: f64| most.min(190e9)))
        );
        let streams = point(0, 28 * G);
        assert_eq!((streams.cores, streams.tier), (RoofCores::All, Some(3)));
        assert!(streams.roof_share.is_some_and(|share| (share - 28.0 / 30.0).abs() < 1e-9));
    }

    #[test]
    fn labels_tell_the_size_of_numbers_and_other_threads() {
        let labelled = |name: &str, value: &str| {
            let work = Work { flops: 40 * G, ..Work::default() };
            let stats = ScopeStats { calls: 1, total_nanos: G, work, ..ScopeStats::default() };
            let mut profile = Sketch::new().profile();
            let stack = profile.intern_named_path(&["run"], calor_model::FrameKind::Scope).unwrap();
            let label = (profile.strings.intern(name), profile.strings.intern(value));
            let labels = profile.labels.intern(&[label]);
            let thread = profile.intern_thread(1, 1, "main");
            profile.scopes.add(calor_model::ScopeKey { stack, thread, labels }, stats);
            let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
            let (id, _) = tree.nodes().next().expect("there is a scope");
            let point = RooflinePoint::new(&tree, id, &roof(), RoofNumber::F32).expect("it told its work");
            (point.number, point.cores, point.attainable_flops_per_s)
        };
        assert_eq!(labelled("dtype", "float64"), (RoofNumber::F64, RoofCores::One, Some(50e9)));
        assert_eq!(labelled("threads", "2"), (RoofNumber::F32, RoofCores::All, Some(190e9)));
        assert_eq!(labelled("n", "2"), (RoofNumber::F32, RoofCores::One, Some(100e9)));
    }

    #[test]
    fn rates_are_of_cpu_time_where_one_thread_told_it() {
        let told = |cpu: Option<i64>, threads: &str| {
            let mut profile = Sketch::new().profile();
            let mut work = Work { flops: 25 * G, ..Work::default() };
            if let Some(cpu) = cpu {
                work.add_counter(profile.strings.intern(crate::CPU_NANOS), cpu);
            }
            let stats = ScopeStats { calls: 10, total_nanos: G, work, ..ScopeStats::default() };
            let stack = profile.intern_named_path(&["run"], calor_model::FrameKind::Scope).unwrap();
            let label = (profile.strings.intern("threads"), profile.strings.intern(threads));
            let labels = profile.labels.intern(&[label]);
            let thread = profile.intern_thread(1, 1, "main");
            profile.scopes.add(calor_model::ScopeKey { stack, thread, labels }, stats);
            let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
            let (id, _) = tree.nodes().next().expect("there is a scope");
            let point = RooflinePoint::new(&tree, id, &roof(), RoofNumber::F32).expect("it told its work");
            (point.flops_per_s, point.cpu_nanos.is_some(), point.share)
        };
        // Others had the processor half of the time, which the part of the recorded time still says.
        assert_eq!(told(Some(500_000_000), "1"), (Some(50e9), true, 1.0));
        assert_eq!(told(None, "1"), (Some(25e9), false, 1.0));
        assert_eq!(told(Some(500_000_000), "2"), (Some(25e9), false, 1.0), "others worked for it as well");
        assert_eq!(told(Some(2_000_000_000), "1"), (Some(25e9), false, 1.0), "it was more than one thread");
    }

    #[test]
    fn one_of_the_two_alone_is_held_against_its_own_roof() {
        let flops = point(25 * G, 0);
        assert_eq!((flops.roof_share, flops.bound, flops.intensity), (Some(0.25), None, None));
        let bytes = point(0, 5 * G);
        assert_eq!((bytes.roof_share, bytes.bound), (Some(0.25), Some(Bound::Memory)));
        assert_eq!(bytes.attainable_flops_per_s, None);
    }
}
