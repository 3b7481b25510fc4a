//! One inference: reading a prompt, then writing tokens one by one.

use super::{Model, Session, bytes_of, softmax};
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

/// Runs one inference in a session, which is cleared first, and returns the tokens that were written. `on_token` is
/// called after each.
///
/// The whole prompt but its last token is read at once; each step of writing then passes the newest token through
/// the model and chooses the next, so there are as many steps as tokens are asked for.
///
/// # Errors
/// When the prompt is empty or has unknown tokens, or when it and the tokens do not fit the model's context.
pub fn generate(
    model: &Model,
    request: &Request,
    session: &mut Session,
    on_token: impl Fn(),
) -> Result<Vec<u32>, Error> {
    let (&last, start) = request.prompt.split_last().ok_or(Error::EmptyPrompt)?;
    let (asked, context) = (start.len() + request.tokens, model.config().context);
    if asked > context {
        return Err(Error::ContextFull { asked, context });
    }
    let scope = calor::Scope::enter(model.site());
    scope.elements(request.tokens as u64);
    session.clear();
    prefill(model, start, session)?;
    let random = &mut Random::new(request.seed);
    let mut written = Vec::with_capacity(request.tokens);
    let mut newest = last;
    for _ in 0..request.tokens {
        newest = decode(model, newest, session, request.sampling, random)?;
        written.push(newest);
        on_token();
    }
    Ok(written)
}

fn prefill(model: &Model, tokens: &[u32], session: &mut Session) -> Result<(), Error> {
    calor::context!("prefill");
    model.forward(tokens, session)
}

fn decode(
    model: &Model,
    newest: u32,
    session: &mut Session,
    sampling: Sampling,
    random: &mut Random,
) -> Result<u32, Error> {
    calor::context!("decode");
    model.forward(&[newest], session)?;
    model.logits(session);
    Ok(choose(&mut session.logits, sampling, random))
}

/// Chooses the next token by its logits, which are used up.
fn choose(logits: &mut [f32], sampling: Sampling, random: &mut Random) -> u32 {
    calor::scope!("sample", bytes = bytes_of(logits.len()));
    let index = match sampling {
        Sampling::Temperature(temperature) if temperature > 0.0 => {
            logits.iter_mut().for_each(|logit| *logit /= temperature);
            softmax::apply(logits);
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
    use super::super::Config;
    use super::*;

    fn model() -> Model {
        let config = Config { width: 16, layers: 1, heads: 2, context: 12, vocabulary: 40 };
        Model::new(config, 1).expect("the sizes fit")
    }

    fn request(prompt: &[u32], tokens: usize, seed: u64) -> Request {
        Request { prompt: prompt.to_vec(), tokens, sampling: Sampling::Temperature(1.0), seed }
    }

    fn written(request: &Request) -> Result<Vec<u32>, Error> {
        let model = model();
        generate(&model, request, &mut model.session(), || ())
    }

    #[test]
    fn a_request_is_answered_in_the_same_way_every_time_and_its_seed_matters() {
        let of_seed = |seed| written(&request(&[1, 2, 3], 10, seed)).expect("it fits");
        assert_eq!(of_seed(5), of_seed(5));
        assert_ne!(of_seed(5), of_seed(6));
        assert_eq!(of_seed(5).len(), 10);
    }

    #[test]
    fn the_last_token_that_fits_is_written_and_one_more_is_refused() {
        assert_eq!(written(&request(&[1, 2, 3], 10, 1)).expect("it fits").len(), 10);
        assert!(matches!(
            written(&request(&[1, 2, 3], 11, 1)),
            Err(Error::ContextFull { asked: 13, context: 12 })
        ));
        assert_eq!(written(&request(&[1], 12, 1)).expect("a prompt of one has nothing to read").len(), 12);
        assert!(matches!(written(&request(&[], 1, 1)), Err(Error::EmptyPrompt)));
        assert!(matches!(written(&request(&[40, 1], 1, 1)), Err(Error::UnknownToken { token: 40, .. })));
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
