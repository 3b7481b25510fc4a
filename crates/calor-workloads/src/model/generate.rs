//! One inference: reading a prompt, then writing tokens one by one, with the time that each took.

use std::time::Instant;

use calor_analysis::CPU_NANOS;
use calor_analysis::workload::PROMPT_TOKENS;

use super::{Model, Session, bytes_of, vector};
use crate::clock::thread_nanos;
use crate::{Error, Random};

/// What one inference is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// What the model starts from.
    pub prompt: Vec<u32>,
    /// How many tokens to write.
    pub tokens: usize,
    /// How to choose them.
    pub sampling: Sampling,
    /// Decides what chance decides.
    pub seed: u64,
}

/// How the next token is chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sampling {
    /// The likeliest.
    Greedy,
    /// Any, in proportion to its probability. A temperature above 1 evens probabilities out, one below sharpens them.
    Temperature(f32),
}

/// What one inference gave.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Answer {
    /// The tokens that were written.
    pub tokens: Vec<u32>,
    /// From the beginning to the first of them.
    pub first_nanos: u64,
    /// From each to the next.
    pub next_nanos: Vec<u64>,
    /// CPU time of the calling thread to the first of them: what other programs took of the processor is not in it.
    pub first_cpu_nanos: u64,
    /// The same from the first to the last.
    pub next_cpu_nanos: u64,
}

/// Runs one inference in a session, which is cleared first. `on_token` is called after each token.
///
/// The whole prompt is read at once and gives the first token; each step of writing then passes the newest token through
/// the model and chooses the next.
///
/// # Errors
/// When the prompt is empty or has unknown tokens, or when it and the tokens do not fit the model's context.
pub fn generate(
    model: &Model,
    request: &Request,
    session: &mut Session,
    on_token: impl Fn(),
) -> Result<Answer, Error> {
    answer(model, request, session, model.site(), on_token)
}

/// The same outside of the model's own scope, so that it is not among its calls.
///
/// # Errors
/// As for an inference.
pub fn warm_up(model: &Model, request: &Request, session: &mut Session) -> Result<(), Error> {
    answer(model, request, session, calor::site!("warm-up"), || ()).map(drop)
}

fn answer(
    model: &Model,
    request: &Request,
    session: &mut Session,
    site: &'static calor::Site,
    on_token: impl Fn(),
) -> Result<Answer, Error> {
    let Request { prompt, tokens, sampling, seed } = request;
    // The last token that is written is not passed through the model again.
    let (asked, context) = (prompt.len() + tokens.saturating_sub(1), model.config().context);
    if prompt.is_empty() {
        return Err(Error::EmptyPrompt);
    }
    if asked > context {
        return Err(Error::ContextFull { asked, context });
    }
    let mut answer = Answer {
        tokens: Vec::with_capacity(*tokens),
        next_nanos: Vec::with_capacity(tokens.saturating_sub(1)),
        ..Answer::default()
    };
    if *tokens == 0 {
        return Ok(answer);
    }
    let random = &mut Random::new(*seed);
    let scope = calor::Scope::enter(site);
    // By both, runs that ask for less are told apart from runs that are quicker.
    scope.elements(*tokens as u64).add(PROMPT_TOKENS, prompt.len() as u64);
    let cpu_begin = thread_nanos();
    let begin = Instant::now();
    session.clear();
    let mut newest = {
        calor::context!("prefill");
        step(model, prompt, session, *sampling, random)?
    };
    let mut last = begin.elapsed();
    answer.first_nanos = last.as_nanos() as u64;
    let cpu_first = thread_nanos();
    answer.first_cpu_nanos = cpu_first.saturating_sub(cpu_begin);
    answer.tokens.push(newest);
    on_token();
    for _ in 1..*tokens {
        newest = {
            calor::context!("decode");
            step(model, &[newest], session, *sampling, random)?
        };
        let now = begin.elapsed();
        answer.next_nanos.push((now - last).as_nanos() as u64);
        last = now;
        answer.tokens.push(newest);
        on_token();
    }
    answer.next_cpu_nanos = thread_nanos().saturating_sub(cpu_first);
    // That of threads that help, and of a graphics processor, is not known here.
    if model.is_on_one_thread() {
        scope.add(CPU_NANOS, answer.first_cpu_nanos + answer.next_cpu_nanos);
    }
    Ok(answer)
}

fn step(
    model: &Model,
    tokens: &[u32],
    session: &mut Session,
    sampling: Sampling,
    random: &mut Random,
) -> Result<u32, Error> {
    model.forward(tokens, session)?;
    Ok(choose(model.logits(session)?, sampling, random))
}

/// Chooses the next token by its logits, which are used up.
fn choose(logits: &mut [f32], sampling: Sampling, random: &mut Random) -> u32 {
    calor::scope!("sample", bytes = bytes_of(logits.len()));
    let index = match sampling {
        Sampling::Temperature(temperature) if temperature > 0.0 => {
            logits.iter_mut().for_each(|logit| *logit /= temperature);
            vector::softmax(logits);
            draw(logits, random.unit())
        }
        // At temperature 0 all probability is with the likeliest.
        Sampling::Greedy | Sampling::Temperature(_) => largest(logits),
    };
    index as u32
}
/// The first place at which the shares so far exceed `at`.
fn draw(shares: &[f32], at: f32) -> usize {
    let mut sum = 0.0;
    let place = shares.iter().position(|share| {
        sum += share;
        sum > at
    });
    // Rounding may leave the sum a little below one.
    place.unwrap_or(shares.len() - 1)
}

fn largest(logits: &[f32]) -> usize {
    let mut best = 0;
    for (index, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Weights};
    use super::*;

    fn model() -> Model {
        let config = Config { width: 16, layers: 1, heads: 2, context: 12, vocabulary: 40 };
        Model::new("tiny", config, Weights::seeded(&config, 1).expect("the sizes fit"))
            .expect("they are its own")
    }

    fn request(prompt: &[u32], tokens: usize, seed: u64) -> Request {
        Request { prompt: prompt.to_vec(), tokens, sampling: Sampling::Temperature(1.0), seed }
    }

    fn answered(request: &Request) -> Result<Answer, Error> {
        let model = model();
        generate(&model, request, &mut model.session()?, || ())
    }

    #[test]
    fn a_request_is_answered_in_the_same_way_every_time_and_its_seed_matters() {
        let of_seed = |seed| answered(&request(&[1, 2, 3], 10, seed)).expect("it fits");
        assert_eq!(of_seed(5).tokens, of_seed(5).tokens);
        assert_ne!(of_seed(5).tokens, of_seed(6).tokens);
        let answer = of_seed(5);
        assert_eq!((answer.tokens.len(), answer.next_nanos.len()), (10, 9));
        assert!(answer.first_nanos > 0);
    }

    #[test]
    fn the_last_token_that_fits_is_written_and_one_more_is_refused() {
        assert_eq!(answered(&request(&[1, 2, 3], 10, 1)).expect("it fits").tokens.len(), 10);
        assert!(matches!(
            answered(&request(&[1, 2, 3], 11, 1)),
            Err(Error::ContextFull { asked: 13, context: 12 })
        ));
        assert_eq!(answered(&request(&[1], 12, 1)).expect("it fits").tokens.len(), 12);
        assert!(answered(&request(&[1], 0, 1)).expect("nothing is asked for").tokens.is_empty());
        assert!(matches!(answered(&request(&[], 1, 1)), Err(Error::EmptyPrompt)));
        assert!(matches!(answered(&request(&[40, 1], 1, 1)), Err(Error::UnknownToken { token: 40, .. })));
    }

    #[test]
    fn greedy_and_cold_sampling_choose_the_likeliest() {
        let random = &mut Random::new(1);
        for sampling in [Sampling::Greedy, Sampling::Temperature(0.0), Sampling::Temperature(1e-3)] {
            assert_eq!(choose(&mut [0.1, 0.9, -3.0, 0.8], sampling, random), 1);
        }
    }

    #[test]
    fn tokens_are_drawn_in_proportion_to_their_probability() {
        let random = &mut Random::new(2);
        let mut drawn = [0; 3];
        for _ in 0..4_000 {
            let mut logits = [0.5_f32, 0.3, 0.2].map(f32::ln);
            drawn[choose(&mut logits, Sampling::Temperature(1.0), random) as usize] += 1;
        }
        for (n, share) in drawn.into_iter().zip([0.5, 0.3, 0.2]) {
            assert!((f64::from(n) / 4_000.0 - share).abs() < 0.03, "{drawn:?}");
        }
        assert_eq!(draw(&[0.5, 0.499], 0.999_9), 1);
    }
}
