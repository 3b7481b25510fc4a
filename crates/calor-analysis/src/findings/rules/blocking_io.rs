//! A thread that has work to do stops for a file or a socket again and again, and nothing else runs meanwhile.

use calor_model::ThreadId;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Share, Topic, Unit, WaitFacts,
};
use crate::wait_reason::WaitReason;

/// The part of the whole that one thread waits there.
const LEAST_SHARE: f64 = 0.10;
/// Opening a file once is no habit.
const LEAST_WAITS: u64 = 20;
/// A thread that runs less than this part of the time it waits for others has nothing to do but wait: it serves.
const LEAST_WORK: f64 = 0.1;
/// The part of the waiting that goes if it is gathered into few calls, or goes on beside the work.
const REMOVED: (f64, f64) = (0.5, 1.0);

pub(super) struct BlockingIo;

const ABOUT: About<'_> = About {
    id: "WAIT-BLOCKING-IO",
    version: 1,
    topic: Topic::Waiting,
    title: "a thread with work to do waits for files or sockets",
    needs: &[Need::CpuSamples, Need::Waits],
    suppresses: &[],
};

impl Rule for BlockingIo {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let waits = facts.waits().iter().filter(|wait| wait.wait.cause.reason == WaitReason::Io);
        let waits = waits.filter(|wait| wait.wait.cause.call.is_some_and(|call| !is_for_any(call)));
        // Time in which others work is not lost, and what one wait takes of the rest another cannot: of two threads that ask
        // and answer each other only the one that has more to do is told.
        let mut waits: Vec<&WaitFacts<'_>> = waits.collect();
        let work =
            |wait: &WaitFacts<'_>| wait.wait.threads.first().map_or(0.0, |thread| worked(facts, *thread));
        waits.sort_by(|a, b| work(b).total_cmp(&work(a)));
        let mut idle = facts.whole().idle_share().unwrap_or(1.0);
        let mut found = Vec::new();
        for wait in waits {
            if let Some((finding, share)) = finding(facts, wait, idle) {
                idle -= share;
                found.push(finding);
            }
        }
        Outcome::of(found)
    }
}

/// Calls that wait for whatever comes: of threads that serve.
fn is_for_any(call: &str) -> bool {
    ["epoll", "poll", "ppoll", "select", "pselect", "accept", "io_uring", "netpoll", "io_getevents"]
        .iter()
        .any(|any| call.starts_with(any))
}

/// Calls that return when the data is safe.
fn is_durable(call: &str) -> bool {
    ["fsync", "fdatasync", "msync", "sync"].iter().any(|sync| call.starts_with(sync))
}

/// What is told of a wait, and the part of the time in which nobody works that it takes.
fn finding(facts: &Facts<'_>, found: &WaitFacts<'_>, idle: f64) -> Option<(Finding, f64)> {
    let wait = &found.wait;
    let share = found.share.high.min(idle);
    let work = wait.threads.first().map_or(0.0, |thread| worked(facts, *thread));
    let call = wait.cause.call.unwrap_or("the system");
    let is_at_work = is_durable(call) || work >= LEAST_WORK * found.longest_nanos as f64;
    if share < LEAST_SHARE || wait.count < LEAST_WAITS || !is_at_work {
        return None;
    }
    // What makes data durable can be asked for once instead of often; other calls at best go on beside the work.
    let beside = if is_durable(call) { 1.0 } else { (work / found.longest_nanos.max(1) as f64).min(1.0) };
    let gain = Gain::removed(
        Share::between(0.8 * share, share, share),
        (REMOVED.0 * beside, REMOVED.1),
        "if half of the waiting goes on beside the work, to all of it in few large calls",
    );
    let place = facts.place(found.site);
    let title = format!("`{}` waits {:.0} % of the time in `{call}`", place.function, 100.0 * share);
    let each = wait.mean_nanos().unwrap_or(0.0);
    let finding = Finding::new(&ABOUT, title, place, gain)
            .because(
                "The thread stops at each of these calls until a device, another process or the network has answered, and \
                 goes on with its work only then. Meanwhile no other thread of the program runs.",
            )
            .with(Evidence::new("share of the time in these waits", share, Unit::Share).against(LEAST_SHARE))
            .with(Evidence::new("waits", wait.count as f64, Unit::Count).against(LEAST_WAITS as f64))
            .with(Evidence::new("time of a wait", each, Unit::Nanos))
            .with(Evidence::new("time at work of the same thread", work, Unit::Nanos))
            .fixed_by(fix(call));
    Some((finding, share))
}

/// What to do about a call.
fn fix(call: &str) -> Fix {
    if ["read", "pread", "recv", "accept", "poll", "select", "epoll"]
        .iter()
        .any(|begin| call.starts_with(begin))
    {
        return Fix::new(
            "Ask for more at a time, and read ahead on another thread while this one works on what is there; ask for all that \
             is needed before waiting for the first answer.",
        )
        .with_code(
            "while let Some(block) = read_block(&mut source)? {\n    work(&block);\n}",
            "let (send, blocks) = mpsc::sync_channel(4);\nthread::spawn(move || {\n    while let Some(block) = read_block(&mut source)? {\n        send.send(block)?;\n    }\n    Ok(())\n});\nfor block in blocks {\n    work(&block);\n}",
        );
    }
    Fix::new("Gather what is written and write it in large pieces; make it durable once for many records.").with_code(
        "for record in records {\n    file.write_all(record)?;\n    file.sync_data()?;\n}",
        "let mut file = BufWriter::new(file);\nfor record in records {\n    file.write_all(record)?;\n}\nfile.into_inner()?.sync_data()?;",
    )
}

/// How long a thread ran.
fn worked(facts: &Facts<'_>, thread: ThreadId) -> f64 {
    let summary = facts.summary().threads.iter().find(|summary| summary.thread == thread);
    summary.and_then(|summary| summary.cpu_nanos).unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    const MILLI: u64 = 1_000_000;

    fn judged(call: &str, millis: u64, count: u64, own_cpu: u64, others_cpu: u64) -> Outcome {
        let path = ["app::main@src/main.rs:3", "app::save@src/log.rs:9", call];
        let profile = Draft::new()
            .seconds(1.0)
            .wait_on("main", &path, count, millis * MILLI)
            .cpu(&path[..2], own_cpu)
            .cpu_on("other", &["app::serve@src/main.rs:80"], others_cpu)
            .profile();
        BlockingIo.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn the_advice_is_about_the_call() {
        let code = |call| fix(call).after.unwrap_or_default();
        assert!(code("read").contains("sync_channel") && code("recvfrom").contains("read_block"));
        assert!(code("fsync").contains("sync_data") && code("write").contains("BufWriter"));
    }

    #[test]
    fn a_worker_that_waits_for_each_record_is_found() {
        let Outcome::Findings(found) = judged("fsync!libc.so.6", 500, 100, 500, 0) else { panic!("found") };
        assert_eq!(found[0].place.source().as_deref(), Some("src/log.rs:9"));
        assert!(found[0].title.contains("waits 50 % of the time in `fsync`"), "{}", found[0].title);
        assert!(found[0].gain.low > 1.15 && found[0].gain.high <= 2.001, "{:?}", found[0].gain);
    }

    #[test]
    fn little_rare_and_hidden_waiting_is_fine() {
        assert_eq!(judged("fsync!libc.so.6", 99, 100, 901, 0), Outcome::Fine);
        assert_eq!(judged("fsync!libc.so.6", 500, 19, 500, 0), Outcome::Fine);
        assert_eq!(judged("fsync!libc.so.6", 500, 100, 300, 650), Outcome::Fine, "others work meanwhile");
    }

    #[test]
    fn of_two_threads_that_wait_for_each_other_the_one_with_more_to_do_is_told() {
        let wait = |draft: Draft, thread: &str, function: &str, millis: u64, cpu: u64| {
            let path = [function, "recv!libc.so.6"];
            draft.wait_on(thread, &path, 100, millis * MILLI).cpu_on(thread, &path[..1], cpu)
        };
        let draft = wait(Draft::new().seconds(1.0), "service", "app::answer@src/main.rs:9", 800, 90);
        let profile = wait(draft, "main", "app::ask@src/main.rs:3", 700, 200).profile();
        let Outcome::Findings(found) = BlockingIo.judge(&Facts::new(&profile, None)) else { panic!("found") };
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(found[0].title.contains("app::ask"), "{}", found[0].title);
    }

    #[test]
    fn threads_that_serve_or_sleep_are_fine() {
        assert_eq!(judged("epoll_wait!libc.so.6", 500, 100, 450, 0), Outcome::Fine);
        assert_eq!(judged("nanosleep!libc.so.6", 500, 100, 450, 0), Outcome::Fine);
        assert_eq!(judged("read!libc.so.6", 900, 100, 80, 0), Outcome::Fine, "it only waits");
        assert!(
            matches!(judged("fsync!libc.so.6", 900, 100, 80, 0), Outcome::Findings(_)),
            "nobody asks for it"
        );
    }
}
