//! Many inferences on a few threads, as a server would run them: the weights are shared, and each thread takes the
//! next request when it has finished one.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{Builder, ScopedJoinHandle};

use super::{Model, Request, generate};
use crate::Error;

/// Runs all requests on at most `threads` threads, named `worker 1` and so on, and returns the tokens each one
/// wrote. `on_token` is called after every token, on the thread that wrote it.
///
/// # Errors
/// When a request does not fit the model, or a thread cannot be started.
pub fn run_batch(
    model: &Model,
    requests: &[Request],
    threads: usize,
    on_token: impl Fn() + Sync,
) -> Result<Vec<Vec<u32>>, Error> {
    let n_workers = threads.clamp(1, requests.len().max(1));
    // The first request of each worker is its own, so that none is left without work by one that started earlier.
    let next = &AtomicUsize::new(n_workers);
    let on_token = &on_token;
    let mut answers = std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for index in 0..n_workers {
            let work = move || answer(model, requests, index, next, on_token);
            let worker = Builder::new().name(format!("worker {}", index + 1)).spawn_scoped(scope, work);
            workers.push(worker.map_err(Error::Thread)?);
        }
        workers.into_iter().map(join).collect::<Result<Vec<_>, Error>>()
    })?
    .concat();
    answers.sort_unstable_by_key(|&(index, _)| index);
    Ok(answers.into_iter().map(|(_, tokens)| tokens).collect())
}

type Answers = Vec<(usize, Vec<u32>)>;

/// Answers a request and then the next one until there are no more, all in one session.
fn answer(
    model: &Model,
    requests: &[Request],
    mut index: usize,
    next: &AtomicUsize,
    on_token: &impl Fn(),
) -> Result<Answers, Error> {
    let mut session = model.session()?;
    let mut answers = Vec::new();
    while let Some(request) = requests.get(index) {
        answers.push((index, generate(model, request, &mut session, on_token)?.tokens));
        index = next.fetch_add(1, Relaxed);
    }
    Ok(answers)
}

fn join(worker: ScopedJoinHandle<'_, Result<Answers, Error>>) -> Result<Answers, Error> {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Sampling, Weights};
    use super::*;

    fn model() -> Model {
        let config = Config { width: 16, layers: 1, heads: 2, context: 12, vocabulary: 40 };
        let weights = Weights::seeded(&config, 1).expect("the sizes fit");
        Model::new("tiny", config, weights).expect("they are its own")
    }

    fn requests(n: u64) -> Vec<Request> {
        let request = |seed| Request {
            prompt: vec![1, 2, seed as u32],
            tokens: 6,
            sampling: Sampling::Temperature(1.0),
            seed,
        };
        (0..n).map(request).collect()
    }

    #[test]
    fn answers_are_the_same_on_one_thread_and_on_three_and_in_the_order_of_the_requests() {
        let (model, requests) = (model(), requests(9));
        let written = AtomicUsize::new(0);
        let on = |threads| {
            run_batch(&model, &requests, threads, || {
                written.fetch_add(1, Relaxed);
            })
            .expect("requests fit")
        };
        let expected: Vec<_> = requests
            .iter()
            .map(|request| {
                let session = &mut model.session().expect("there is memory");
                generate(&model, request, session, || ()).expect("it fits").tokens
            })
            .collect();
        assert_eq!(on(1), expected);
        assert_eq!(on(3), expected);
        assert_eq!(written.into_inner(), 2 * 9 * 6);
    }

    #[test]
    fn one_request_that_does_not_fit_fails_the_batch_and_none_is_no_failure() {
        let mut requests = requests(3);
        requests[1].tokens = 100;
        assert!(matches!(run_batch(&model(), &requests, 2, || ()), Err(Error::ContextFull { .. })));
        assert!(run_batch(&model(), &[], 2, || ()).expect("nothing to refuse").is_empty());
    }
}
