//! What can be wrong with what an analysis is asked for.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The profile has no thread of that name.
    #[error("no thread is named `{name}`; the profile has {known}")]
    UnknownThread {
        /// What was asked for.
        name: String,
        /// The names there are, in words.
        known: String,
    },
    /// The program entered no context of that name while it was recorded.
    #[error("no context is named `{name}`; the profile has {known}")]
    UnknownContext {
        /// What was asked for.
        name: String,
        /// The names there are, in words.
        known: String,
    },
    /// The profile has no Python functions to show alone.
    #[error(
        "no Python frames in this profile: leave out --python-only, or record the program again while it runs Python, \
         see `calor doctor` for what is seen of it"
    )]
    NoPython,
    /// The recorder did not measure its own cost.
    #[error(
        "the profile does not say what recording cost, so nothing can be subtracted; leave out the option"
    )]
    CostUnknown,
    /// The heap was asked for and is not there.
    #[error(
        "the profile has no heap: record one with `calor record --heap -- CMD`, or with `calor::Alloc` as the allocator of \
         the program"
    )]
    HeapNotRecorded,
    /// The heap was to be watched, and could not be.
    #[error("the profile has no heap: {why}")]
    HeapNotWatched {
        /// What the recorder said.
        why: String,
    },
    /// Threads were asked for that the counts do not tell apart.
    #[error(
        "counts of this heap are kept by call path and not by thread, so --thread cannot choose among them: leave it out; \
         what a thread allocated stands below the function that it runs, see `calor heap FILE --tree`"
    )]
    HeapNotByThread,
    /// A profile without times.
    #[error(
        "the profile has no times of scopes or functions to ask about: record scopes with the SDK, or any program with \
         `calor record`"
    )]
    NothingTimed,
    /// Nothing is named to be tried, and no recording says what is worth it.
    #[error("no scope to try: name one with --speedup SCOPE=2x, or give a recording of the program")]
    NothingToTry,
    /// A recording says nothing of what is worth trying.
    #[error("no scope is on the critical path of this recording: name what to try with --speedup SCOPE=2x")]
    NothingOnPath,
    /// A function that is not there.
    #[error("expected the name of a function with time in it, found `{found}`; such as {known}")]
    UnknownFunction {
        /// What was asked for.
        found: String,
        /// The first of those that are there.
        known: String,
    },
    /// The allocator of the program counted for scopes alone.
    #[error(
        "the profile has no heap: its allocator (`calor::Alloc::sums`) counts what scopes allocate and does not follow \
         blocks; `calor report` shows those sums, and `calor::Alloc::system` or `exact` in its place follows blocks"
    )]
    HeapOfSums,
    /// A line of a file of suppressions.
    #[error(
        "line {line} of the suppressions: expected `leak:PATTERN` or a remark after `#`, found `{found}`"
    )]
    Suppression {
        /// Its number, from 1 on.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// An experiment with nothing to compare.
    #[error("expected at least two variants to compare, found {found}")]
    TooFewVariants {
        /// How many there are.
        found: usize,
    },
    /// A margin within which differences count as none.
    #[error("expected a margin above 0 and below 1, such as 0.02 for 2 %, found {found}")]
    Margin {
        /// What was given.
        found: f64,
    },
    /// A round of an experiment.
    #[error("expected one measurement of each of {expected} variants, found {found}")]
    Measurements {
        /// How many variants there are.
        expected: usize,
        /// How many measurements were given.
        found: usize,
    },
    /// A measurement of an experiment.
    #[error(
        "expected a measurement above 0 of variant {}, found {found}: where a run is too short to be measured, \
         let it do its work several times", .variant + 1
    )]
    Measurement {
        /// The variant's number, from 0 on.
        variant: usize,
        /// What was measured.
        found: f64,
    },
    /// A profile that is to be compared and holds nothing.
    #[error(
        "{name}: expected a profile with samples, scopes, allocations or events, found none: the program may have ended at \
         once; let it do its work several times and record it again"
    )]
    NothingToCompare {
        /// Which.
        name: String,
    },
    /// A run in which what is compared is nothing.
    #[error(
        "{name}: its {metric} adds up to nothing, so there is nothing to compare: the program may have ended at once; let it \
         do its work several times and record it again, or choose another --metric"
    )]
    ComparedNothing {
        /// Which.
        name: String,
        /// What is compared.
        metric: String,
    },
    /// A run does not hold what is to be compared.
    #[error("{name}: has no {metric} to compare; it holds {available}: choose one of these with --metric")]
    ComparedMetricMissing {
        /// Which.
        name: String,
        /// What was asked for.
        metric: String,
        /// What there is, in words.
        available: String,
    },
    /// Profiles of different kinds.
    #[error(
        "profiles of different kinds cannot be compared: {one} holds {of_one}, {other} holds {of_other}; record both in the \
         same way"
    )]
    KindsDiffer {
        /// A run.
        one: String,
        /// What it holds, in words.
        of_one: String,
        /// Another run.
        other: String,
        /// What that holds, in words.
        of_other: String,
    },
    /// A comparison that lacks a side.
    #[error("expected at least one run {side} the change, found none")]
    NoRuns {
        /// `before` or `after`.
        side: &'static str,
    },
    /// A run that says nothing.
    #[error(
        "expected figures of 0 or more that add up to more than 0, found none in run {run} {side} the change: it may have \
         ended at once, or was recorded without what is compared"
    )]
    EmptyRun {
        /// `before` or `after`.
        side: &'static str,
        /// Its number among those of the side, from 1 on.
        run: usize,
    },
    /// Runs of two programs.
    #[error(
        "expected functions that ran both before and after the change, found none: these seem to be profiles of two programs, \
         or one of them has no names"
    )]
    NoCommonFunctions,
    /// A point of a history.
    #[error("expected measurements above 0, found {found} at point {number} of the series")]
    Point {
        /// Its number, from 1 on.
        number: usize,
        /// What was measured.
        found: f64,
    },
    /// No saved run is as was asked for.
    #[error("no saved run is like that: `calor store ls` lists those that there are")]
    NoSavedRun,
    /// No saved run is of the command that was asked for.
    #[error("no saved run is of that command: there are runs of {known}")]
    NoRunOfCommand {
        /// The first of those that there are.
        known: String,
    },
    /// Runs that do not have what is to be followed.
    #[error("none of {runs} has {metric}: record with what measures it, or ask for another with --metric")]
    NotInHistory {
        /// How many runs there are.
        runs: String,
        /// What was asked for.
        metric: &'static str,
    },
    /// Calls of a scope that are not known.
    #[error("calls of {scope} are not counted: only scopes and allocations have --value call")]
    CallsNotCounted {
        /// What was asked for.
        scope: String,
    },
    /// A scope that no run has.
    #[error("no scope `{scope}` in {runs}: {advice}")]
    ScopeNotInHistory {
        /// What was asked for.
        scope: String,
        /// How many runs there are.
        runs: String,
        /// What may have been meant.
        advice: String,
    },
    /// A baseline that does not say what is usual.
    #[error("expected at least {expected} windows with calls for a baseline, found {found}")]
    ShortBaseline {
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A profile without what a critical path is made of.
    #[error(
        "expected a timeline, found none: record one with calor::start_recording or calor::Options::timeline, or give a \
         trace of another tool"
    )]
    NoTimeline,
    /// Several runs in one profile.
    #[error(
        "expected the timeline of one run, found {found} runs: times of different runs do not belong together"
    )]
    SeveralRuns {
        /// How many there are.
        found: usize,
    },
    /// A scope that is not there.
    #[error("expected the name of a scope on the timeline, found `{found}`; the longest there are: {known}")]
    UnknownScope {
        /// What was asked for.
        found: String,
        /// The first of those that are there.
        known: String,
    },
    /// A speed-up that is none.
    #[error("expected a speed-up above 0, such as 2 for twice as fast, found {found}")]
    SpeedupFactor {
        /// What was given.
        found: f64,
    },
    /// A rule that a user wrote.
    #[error("rule `{rule}`, `{key}`{}: {problem}", .column.map_or_else(String::new, |column| format!(", column {column}")))]
    Rule {
        /// Its id.
        rule: String,
        /// The key of its definition.
        key: &'static str,
        /// Where in what the key has, from 1 on; `None` where it is about all of it.
        column: Option<usize>,
        /// What was expected and found.
        problem: String,
    },
    /// Too few sizes to tell how something grows.
    #[error(
        "expected runs at {expected} different sizes at least, found {found}: record the program at more sizes"
    )]
    TooFewSizes {
        /// How many it takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A size or a measurement that a forecast cannot use.
    #[error("expected sizes, measurements and rates above 0, found {found}")]
    ForecastPoint {
        /// What was given.
        found: f64,
    },
}
