//! Functions that are called so often, and do so little each time, that calling them is much of the work. Told by scopes that
//! count calls, or by hot functions of a few instructions without a loop that the compiler did not put into their caller.

use calor_model::{FrameKind, StackId};

use crate::code::{Blocks, CallLoop, Decoded, Loops};
use crate::findings::{
    About, CpuSite, Evidence, Facts, Finding, Fix, Gain, Outcome, Owner, Rule, ScopeFacts, Share, Topic, Unit,
};

/// Fewer calls are over before anybody notices.
const LEAST_CALLS: u64 = 1_000_000;
/// A call that takes longer does something.
const MOST_NANOS: f64 = 100.0;
/// The part of the whole in such calls.
const LEAST_SHARE: f64 = 0.10;
/// The same of a function that is called in a loop which does little else: the time of calls is found on both sides.
const LEAST_SHARE_IN_LOOP: f64 = 0.03;
/// A loop of more instructions does something beside calling.
const MOST_ROUND: usize = 24;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 50;
/// A function of more bytes does something.
const MOST_BYTES: u64 = 96;
/// What calling costs in a compiled program: arguments, the call, the return, registers that are saved.
const CALL_NANOS: (f64, f64) = (1.0, 6.0);
/// The same in Python.
const PYTHON_CALL_NANOS: (f64, f64) = (30.0, 120.0);
/// A function that is put into its caller: from the call that is saved to a loop that becomes vectors.
const INLINED: (f64, f64) = (1.15, 25.0);

pub(super) struct SmallCalls;

const ABOUT: About<'_> = About {
    id: "CPU-SMALL-CALLS",
    version: 1,
    topic: Topic::Cpu,
    title: "a function does little and is called very often",
    needs: &[],
    suppresses: &["CPU-CRITICAL-SCOPE"],
};

impl Rule for SmallCalls {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        if facts.scopes().is_empty() && facts.profile().code.is_empty() {
            return Outcome::NotEnough {
                missing: "scopes that count calls, or the code of hot functions".to_owned(),
                how: "calor record -- PROGRAM".to_owned(),
            };
        }
        let scopes = facts.scopes().iter().filter_map(|scope| of_scope(facts, scope));
        let functions = facts.cpu_sites(|stack| is_called_by_program(facts, stack));
        let functions = functions.iter().filter_map(|site| of_code(facts, site));
        Outcome::of(scopes.chain(functions).collect())
    }
}

/// A scope without children that is entered very often.
fn of_scope(facts: &Facts<'_>, scope: &ScopeFacts) -> Option<Finding> {
    let is_leaf = scope.self_nanos == scope.total_nanos;
    let is_operation = || facts.operations().iter().any(|operation| operation.stack == scope.stack);
    if scope.calls < LEAST_CALLS || !is_leaf || is_operation() {
        return None;
    }
    // What recording a call takes of its time is not the program's.
    let costs = facts.profile().runs.iter().filter_map(|run| run.cost.inside_scope_picos);
    let recording = costs.max().unwrap_or(0) as f64 / 1e3;
    let each = (scope.self_nanos_per_call()? - recording).max(0.0);
    let is_python = facts.profile().has_python() && facts.kind(scope.stack) == FrameKind::Python;
    let (low, high) = if is_python { PYTHON_CALL_NANOS } else { CALL_NANOS };
    let share = scope.self_share.scaled(each / scope.self_nanos_per_call()?.max(f64::MIN_POSITIVE));
    if each > MOST_NANOS || share.estimate < LEAST_SHARE {
        return None;
    }
    let removed = ((low / each.max(low)).min(0.9), (high / each.max(high)).min(0.9));
    let place = facts.place(scope.stack);
    let title = format!(
        "`{}` is called {:.1} million times for {each:.0} ns of work each",
        place.function,
        scope.calls as f64 / 1e6
    );
    let reason = format!("if the cost of calling goes, {low:.0} to {high:.0} ns of each call");
    Some(
        finding(Finding::new(&ABOUT, title, place, Gain::removed(share, removed, reason)))
            .with(Evidence::new("calls", scope.calls as f64, Unit::Count).against(LEAST_CALLS as f64))
            .with(Evidence::new("time of a call", each, Unit::Nanos).against(MOST_NANOS))
            .with(Evidence::share("share of the time", share).against(LEAST_SHARE)),
    )
}

/// A hot function of few instructions that a function of the program calls.
fn of_code(facts: &Facts<'_>, site: &CpuSite) -> Option<Finding> {
    let profile = facts.profile();
    let frame = profile.frames.get(profile.stacks.get(site.stack).frame);
    let mut pieces =
        profile.code.iter().filter(|(key, _)| (key.name, key.module) == (frame.name, frame.module));
    let (key, code) = pieces.next()?;
    let is_small = code.size <= MOST_BYTES && code.bytes.len() as u64 == code.size && pieces.next().is_none();
    if !is_small {
        return None;
    }
    let share = share_of_calls(facts, site, key.start, code.n_samples())?;
    let decoded = Decoded::new(key.start, code);
    let blocks = Blocks::new(&decoded);
    let has_loop = !Loops::of(&blocks).all.is_empty();
    let calls = decoded
        .instructions
        .iter()
        .any(|it| it.is_call_near() || it.is_call_near_indirect() || it.is_jmp_near_indirect());
    let returns = decoded.instructions.iter().any(|it| it.flow_control() == iced_x86::FlowControl::Return);
    if has_loop || calls || !returns || calls_itself(facts, site.stack) {
        return None;
    }
    let place = facts.place(site.stack);
    let title = format!(
        "`{}`, of {} instructions, is called so often that calls take {:.0} % of the time",
        place.function,
        decoded.instructions.len(),
        100.0 * share.estimate
    );
    let reason = "if it is put into its caller, from the saved call to a loop that becomes vectors";
    Some(
        finding(Finding::new(&ABOUT, title, place, Gain::faster(share, INLINED, reason)))
            .with(
                Evidence::share("share of the time in the function itself", site.share)
                    .against(LEAST_SHARE_IN_LOOP),
            )
            .with(Evidence::share("share of the time in calls of it", share).against(LEAST_SHARE))
            .with(Evidence::new("bytes of code", code.size as f64, Unit::Bytes).against(MOST_BYTES as f64))
            .with(Evidence::new("samples", site.samples as f64, Unit::Count)),
    )
}

fn finding(finding: Finding) -> Finding {
    finding
        .because(
            "For a few instructions of work, arguments are passed, registers saved, and the processor sent elsewhere and back. \
             And the compiler cannot see through the call: what it could do once for all calls, or for several at a time, is \
             done for each.",
        )
        .fixed_by(
            Fix::new(
                "Let the function work on many elements at a time, or let the compiler put it into its caller: `#[inline]` \
                 across crates, link-time optimisation, a generic parameter instead of a trait object.",
            )
            .with_code(
                "pub fn scale(x: f32) -> f32 { x * 0.5 }\nfor x in &mut xs { *x = scale(*x) }",
                "#[inline]\npub fn scale(x: f32) -> f32 { x * 0.5 }   # or [profile.release] lto = \"thin\"",
            ),
        )
}

/// The part of the whole that calls of a function take: its own, and of the loop that calls it. `None` where that is too
/// little, and where it is known to be called through pointers, which no compiler sees through.
fn share_of_calls(facts: &Facts<'_>, site: &CpuSite, start: u64, own: u64) -> Option<Share> {
    let profile = facts.profile();
    let caller = profile.stacks.get(site.stack).parent.map(|caller| facts.compiled_into(caller))?;
    let mut code =
        profile.code.iter().filter(|(key, _)| (key.name, key.module) == (caller.name, caller.module));
    let known = code.next().filter(|(_, code)| code.bytes.len() as u64 == code.size);
    let Some((key, code)) = known else {
        return (site.share.estimate >= LEAST_SHARE && site.samples >= LEAST_SAMPLES).then_some(site.share);
    };
    let around = CallLoop::of(key, code, start)?;
    // While a function is being entered or left, its caller is not always known.
    let n_samples = own.max(site.samples) + around.n_samples;
    let with_loop = site.share.scaled(n_samples as f64 / site.samples.max(1) as f64);
    // In a longer loop nobody knows which part of it is there for the calls.
    let (least, share) = match around.n_instructions <= MOST_ROUND {
        true => (LEAST_SHARE_IN_LOOP, with_loop),
        false => (LEAST_SHARE, Share::between(site.share.low, site.share.estimate, with_loop.high)),
    };
    let is_heavy = site.share.estimate >= least && share.estimate >= LEAST_SHARE;
    (is_heavy && n_samples >= LEAST_SAMPLES).then_some(share)
}

/// Whether a path ends in a compiled function of the program that another function of the program called.
fn is_called_by_program(facts: &Facts<'_>, stack: StackId) -> bool {
    let profile = facts.profile();
    let row = profile.stacks.get(stack);
    let frame = profile.frames.get(row.frame);
    let is_own = frame.kind == FrameKind::Native && !frame.is_inlined && facts.owner(stack) == Owner::Program;
    // What the compiler put into the caller, iterators above all, is the caller's.
    let mut caller = row.parent;
    while let Some(at) = caller.filter(|at| profile.frames.get(profile.stacks.get(*at).frame).is_inlined) {
        caller = profile.stacks.get(at).parent;
    }
    is_own && caller.is_some_and(|caller| facts.owner(caller) == Owner::Program)
}

fn calls_itself(facts: &Facts<'_>, stack: StackId) -> bool {
    let profile = facts.profile();
    let mut functions = profile.stacks.frames(stack).map(|frame| profile.frames.get(frame).function());
    let own = functions.next();
    functions.any(|function| Some(function) == own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    /// mulss xmm0, xmm1; ret
    const SMALL: &[u8] = &[0xf3, 0x0f, 0x59, 0xc1, 0xc3];
    /// dec rax; jne to the first; ret
    const LOOP: &[u8] = &[0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3];
    const PATH: [&str; 2] = ["app::main@src/main.rs:3", "geometry::scale@src/geometry.rs:7"];

    fn by_scope(calls: u64, nanos: u64, seconds: f64) -> Outcome {
        let profile = Draft::new()
            .seconds(seconds)
            .scope(&["run"], 1, (seconds * 1e9) as u64)
            .scope(&["run", "scale"], calls, calls * nanos)
            .change(|profile| profile.runs[0].cost.inside_scope_picos = Some(10_000))
            .profile();
        SmallCalls.judge(&Facts::new(&profile, None))
    }

    fn by_code(code: &[u8], path: &[&str], own: u64, others: u64) -> Outcome {
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(path, own)
            .cpu(&path[..1], others)
            .code("geometry::scale", code, &[(0, own)])
            .profile();
        SmallCalls.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn millions_of_calls_that_do_little_are_found_without_what_recording_took() {
        let Outcome::Findings(found) = by_scope(5_000_000, 30, 0.3) else { panic!("found") };
        assert!(found[0].title.contains("5.0 million times for 20 ns"), "{}", found[0].title);
        assert!(found[0].gain.low > 1.01 && found[0].gain.high < 1.2, "{:?}", found[0].gain);
    }

    #[test]
    fn fewer_longer_and_lesser_calls_are_fine() {
        assert_eq!(by_scope(999_999, 30, 0.05), Outcome::Fine);
        assert_eq!(by_scope(5_000_000, 111, 0.6), Outcome::Fine);
        assert_eq!(by_scope(5_000_000, 30, 1.1), Outcome::Fine, "9 % of the time");
    }

    #[test]
    fn a_hot_function_of_two_instructions_is_found_and_one_with_a_loop_is_fine() {
        let Outcome::Findings(found) = by_code(SMALL, &PATH, 400, 600) else { panic!("found") };
        assert!(found[0].title.contains("of 2 instructions"), "{}", found[0].title);
        assert_eq!(found[0].place.source().as_deref(), Some("src/geometry.rs:7"));
        assert_eq!(by_code(LOOP, &PATH, 400, 600), Outcome::Fine);
        assert_eq!(by_code(SMALL, &PATH, 95, 905), Outcome::Fine);
        assert_eq!(by_code(SMALL, &PATH, 49, 51), Outcome::Fine);
    }

    /// call geometry::scale; dec rbx; jne to the first; ret
    const CALLING: &[u8] = &[0xe8, 0xfb, 0xef, 0xff, 0xff, 0x48, 0xff, 0xcb, 0x75, 0xf6, 0xc3];
    /// call rax; dec rbx; jne to the first; ret
    const BY_POINTER: &[u8] = &[0xff, 0xd0, 0x48, 0xff, 0xcb, 0x75, 0xf9, 0xc3];

    fn by_caller(caller: &[u8], own: u64, in_loop: u64, others: u64) -> Outcome {
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&PATH, own)
            .cpu(&PATH[..1], in_loop + others)
            .code("geometry::scale", SMALL, &[(0, own)])
            .code("app::main", caller, &[(0, in_loop), (caller.len() as u32 - 1, others)])
            .profile();
        SmallCalls.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn the_loop_that_does_little_but_call_counts_with_the_function() {
        let Outcome::Findings(found) = by_caller(CALLING, 50, 850, 100) else { panic!("found") };
        assert!(found[0].title.contains("calls take 90 % of the time"), "{}", found[0].title);
        assert!(found[0].gain.low > 1.08 && found[0].gain.high > 5.0, "{:?}", found[0].gain);
        assert_eq!(by_caller(CALLING, 25, 875, 100), Outcome::Fine, "the function itself hardly shows");
        assert_eq!(by_caller(CALLING, 40, 50, 910), Outcome::Fine, "9 % of the time");
        assert_eq!(by_caller(BY_POINTER, 400, 500, 100), Outcome::Fine, "no compiler sees through that");
    }

    #[test]
    fn functions_that_libraries_or_themselves_call_are_fine() {
        let sorted = ["qsort!libc.so.6", "geometry::scale@src/geometry.rs:7"];
        assert_eq!(by_code(SMALL, &sorted, 400, 600), Outcome::Fine);
        assert_eq!(by_code(SMALL, &[PATH[1], PATH[1]], 400, 600), Outcome::Fine);
    }

    #[test]
    fn without_scopes_and_code_it_cannot_tell() {
        let profile = Draft::new().seconds(1.0).cpu(&PATH, 500).profile();
        assert!(matches!(SmallCalls.judge(&Facts::new(&profile, None)), Outcome::NotEnough { .. }));
    }
}
