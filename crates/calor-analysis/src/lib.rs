//! From a profile to facts.
//!
//! **You bring** a [`Profile`](calor_model::Profile). **You get** its [`CallTree`] and what follows from it:
//! [`hot_paths`], [`functions`], [`annotate`], [`Summary`], [`waits`], [`Events`], [`work_rates`], [`allocators`],
//! [`heap_paths`], [`leaks`], [`growth`], [`heap_difference`], [`call_edges`] and [`insights`].
//! Whole questions have whole answers: a [`ReportAnswer`] to a [`ReportQuestion`], an [`OperationsAnswer`], a [`HeapAnswer`], a
//! [`RooflineAnswer`], a [`WhatIf`], [`Forecasts`], and a [`live`] window of a program that runs.
//! Measurements and runs are compared too: an [`Experiment`] of variants that take turns, the [`difference`] of sets of runs,
//! [`change_points`] of a history, and a [`Detector`] for production; each comes to a [`Verdict`] or says why not.
//! Facts are numbers and handles of the profile; how they read is the business of whoever prints them.
//!
//! Everything here is pure and deterministic: the same profile gives the same facts in the same order. The
//! crate knows no file format, no clock and no terminal.
//!
//! **Recorded time** is the sum over threads of the time of the outermost scopes (or, for samples, the time
//! all samples stand for). A **share** is a path's *self* time as a fraction of the recorded time, so that
//! the shares of all paths add up to 1.

#![forbid(unsafe_code)]

mod allocator;
mod annotation;
mod call_edge;
mod call_node;
mod call_tree;
mod chance;
mod change_point;
mod code;
pub mod comparison;
mod correction;
mod counter_relation;
mod counting_sort;
mod critical_path;
mod detector;
mod difference;
mod discovery;
mod distribution;
mod error;
mod events;
pub mod findings;
mod flame;
mod fold;
mod folded_path;
mod forecast;
mod function;
pub mod gate;
mod gpu;
mod hand_over;
mod heap;
pub mod history;
mod hot_path;
mod hottest;
mod insight;
pub mod live;
mod median;
mod nearest;
mod observation;
mod operations;
mod outline;
mod paired;
mod promise;
mod proportion;
mod python;
pub mod quantity;
mod recording_cost;
mod report;
mod roofline;
mod scope_memory;
pub mod selection;
mod short_name;
mod simd;
mod spread;
mod summary;
mod system_frame;
mod telling_callers;
mod telling_file;
mod thread_choice;
mod thread_group;
mod totals;
mod verdict;
mod wait_reason;
mod waits;
mod what_if;
mod why;
mod work_rate;
pub mod workload;

pub use allocator::{Allocator, allocators};
pub use annotation::{
    AnnotatedCode, AnnotatedInstruction, Annotation, HotLine, Namesake, Unchosen, Whereabouts, annotate,
    choose_function, namesakes,
};
pub use call_edge::{CallEdge, call_edges, calls_of};
pub use call_node::{CallNode, NodeId};
pub use call_tree::{CallTree, Source, TreeOptions};
pub use change_point::{
    ChangeCause, ChangeCluster, ChangePoint, ChangePointOptions, FEWEST_POINTS, RunChange, change_clusters,
    change_points, changes_of_runs, smallest_change,
};
pub use correction::Correction;
pub use counter_relation::{CounterRelation, counter_ratios, counter_relation};
pub use critical_path::{
    AmdahlScope, Basis, CriticalPath, PathScope, PathSegment, Prediction, ScopeGain, Speedup, Stretch, Waits,
    amdahl, amdahl_overall,
};
pub use detector::{Alarm, CallBaseline, CallWindow, Detector, DetectorOptions, Signal};
pub use difference::{
    Circumstance, CommonCause, CommonFactor, Difference, DifferenceInWords, DifferenceOptions,
    FigureDifference, FunctionDifference, FunctionFigures, FunctionName, Given, Mismatch, Presence, Quantity,
    RunFigures, Waterfall, WaterfallStep, difference, figure_differences, mismatches,
};
pub use discovery::q_values;
pub use distribution::t_975;
pub use error::Error;
pub use events::{EventCounter, EventFigures, EventPath, Events};
pub use flame::{
    FlameColumn, FlameColumns, FlameFrame, FlameHeld, FlameInput, FlameKind, FlameLeaf, FlameLeftOut,
    FlameLeftOutRow, FlameMetric, FlameName, FlameNode, FlameTree, FlameTreeOptions, FlameUnion, FlameUnit,
    FlameWeight, UnionFrame,
};
pub use folded_path::folded_paths;
pub use forecast::{
    Crossing, FEWEST_SIZES, Forecast, ForecastOptions, Forecasts, MemoryTier, NextSize, Scaling, SizePoint,
    SizedForecast, SizedRun, Term, forecast, next_size,
};
pub use function::{Function, functions};
pub use gpu::{CopySum, GpuSums, GpuTimes, KernelSum};
pub use heap::{
    GROWTH_NANOS, GROWTH_SNAPSHOTS, GROWTH_SURE_NANOS, Growth, GrowthRow, GrowthTrend, HeapAnswer,
    HeapChange, HeapDifference, HeapGroup, HeapMoment, HeapMove, HeapOrder, HeapPath, HeapPlaces, HeapSide,
    HeapTree, Leaks, LineFit, Residence, SuppressedLeaks, Suppressions, check_heap, growth, heap_as_samples,
    heap_difference, heap_difference_by, heap_insights, heap_of_mappings, heap_on_short_paths, heap_paths,
    is_heap_by_thread, leaks, mapped, mean_lifetimes,
};
pub use hot_path::{Grouping, HotPath, async_paths, hot_functions, hot_paths, n_listed_paths};
pub use hottest::Hottest;
pub use insight::{Evidence, insights};
pub use median::Median;
pub use nearest::{last_part, nearest, nearest_functions};
pub use observation::Insight;
pub use operations::{
    LabelledSum, OperationRow, OperationsAnswer, SampledFunction, ScopeCalls, ScopeSum, ScopeSumKind,
    operation_rows, scope_sums, shapes, spread_of_calls,
};
pub use outline::OutlineRow;
pub use paired::{
    Comparison, Doubt, Experiment, ExperimentOptions, ExperimentOutcome, ExperimentPlan, FEWEST_PAIRS,
    MeasuredRow, MeasuredSeries, Middle, NullControl, Step, TooLong, paired_change, smallest_paired_change,
    too_short, unmeasurable,
};
pub use promise::{Kept, MeasuredGain, Promise, promised};
pub use proportion::share_interval;
pub use python::PythonSummary;
pub use recording_cost::RecordingCost;
pub use report::{PathDetail, ReportAnswer, ReportQuestion, ReportRows, SampledLists, SelectedProfile};
pub use roofline::{
    Bound, CPU_NANOS, MachineRoof, RoofCores, RoofNumber, RoofPeak, RoofTier, Roofline, RooflineAnswer,
    RooflinePoint, roofline,
};
pub use scope_memory::{ScopeMemoryRow, scope_memory};
pub use short_name::short_name;
pub use simd::{Class, Offered, SimdVerdict, Verdicts, narrow_vectors, vectors_of};
pub use spread::Spread;
pub use summary::{HeapTotals, Summary, ThreadSummary};
pub use telling_callers::telling_callers;
pub use telling_file::telling_files;
pub use thread_choice::ThreadChoice;
pub use thread_group::{ThreadGroup, threads_by_name};
pub use totals::{Order, Totals};
pub use verdict::{Change, Metric, Verdict};
pub use wait_reason::{WaitCause, WaitReason, wait_cause};
pub use waits::{Wait, waits, waits_by_site};
pub use what_if::{
    WhatIf, WhatIfAgreement, WhatIfCandidate, WhatIfConfirmation, WhatIfGain, WhatIfMethod, WhatIfScope,
    what_if_candidates,
};
pub use why::{
    Why, WhyCause, WhyClock, WhyEvidence, WhyLine, WhyLoop, WhyParts, WhyPoint, WhyReason, WhySide, WhyStay,
    why, why_clock, why_elsewhere, why_focus, why_lines,
};
pub use work_rate::{Measure, WorkRate, work_rates};

#[cfg(test)]
mod noise;
#[cfg(test)]
mod sketch;
