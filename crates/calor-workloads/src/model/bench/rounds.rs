//! Inferences in rounds. A round is a thread of its own, named by its number, with a model that was made for it: so rounds differ
//! by what runs differ by, where their memory lies and when they ran, and `calor compare` knows from one run how far that goes.
//! Inferences of all rounds take turns on two processors.

use std::thread;

use calor_analysis::ROUND;

use super::{Choice, Measured, Size, is_right, requests};
use crate::model::{Model, generate, warm_up};
use crate::processors::Processors;
use crate::repeat::unrecorded;
use crate::{Error, Watch};

/// Rounds at most: enough for an interval that is not much wider than with more.
const MOST_ROUNDS: u32 = 10;

/// Weights of more are made once and kept for all rounds: making them would take longer than all inferences.
const MOST_FRESH_BYTES: u64 = 64 << 20;

/// So many rounds of as many inferences each. Runs of few inferences have one.
pub(super) fn n_rounds(choice: &Choice) -> u32 {
    let fits = |rounds: &u32| choice.inferences.is_multiple_of(*rounds);
    if choice.is_in_rounds { (1..=MOST_ROUNDS).rev().find(fits).unwrap_or(1) } else { 1 }
}

/// All inferences; what was done by then, when the end is asked for.
pub(super) fn measure(choice: &Choice, watch: &dyn Watch) -> Result<Vec<Measured>, Error> {
    let rounds = n_rounds(choice);
    let mut models: Vec<Option<Model>> = choice.sizes.iter().map(|_| None).collect();
    let mut measured: Vec<Measured> = Vec::new();
    let steps = Steps::new(choice, watch);
    for round in 0..rounds {
        for (index, size) in choice.sizes.iter().enumerate() {
            steps.at(round, index, 0, &format!("weights of the {} model", size.name()));
            match ready(choice, size, &mut models[index], round, watch) {
                // What was measured of other models is told.
                Err(Error::Stopped) => return Ok(measured),
                outcome => outcome?,
            }
            let Some(model) = &models[index] else { continue };
            let part = Part { choice, model, round, index, steps: &steps };
            let name = format!("{ROUND}{}", round + 1);
            match on_thread(name, || part.measure(measured.get_mut(index)))? {
                Some(new) => measured.push(new),
                None if measured.len() <= index => return Ok(measured),
                None => {}
            }
            if watch.is_stopped() {
                return Ok(measured);
            }
        }
    }
    Ok(measured)
}

/// Makes a model, where there is none or each round has its own. Only the first is recorded.
fn ready(
    choice: &Choice,
    size: &Size,
    model: &mut Option<Model>,
    round: u32,
    watch: &dyn Watch,
) -> Result<(), Error> {
    if model.as_ref().is_some_and(|model| model.config().weight_bytes() > MOST_FRESH_BYTES) {
        return Ok(());
    }
    // Two of them need not fit.
    *model = None;
    let make = || -> Result<Model, Error> {
        let made = size.model(choice.seed, watch)?.with_threads(choice.threads as usize)?;
        let made = if choice.has_layer_detail { made.with_layer_detail() } else { made };
        made.on_device(&choice.place.device()?)
    };
    *model = Some(if round == 0 { make()? } else { unrecorded(make)? });
    Ok(())
}

/// Runs something in a thread of this name, and waits for it.
fn on_thread<T: Send>(name: String, run: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name).spawn_scoped(scope, run);
        let thread = thread.map_err(|cause| Error::Failed(format!("no thread can be started: {cause}")))?;
        thread.join().unwrap_or_else(|_| Err(Error::Failed("an inference failed".to_owned())))
    })
}

/// One model in one round.
struct Part<'a> {
    choice: &'a Choice,
    model: &'a Model,
    round: u32,
    index: usize,
    steps: &'a Steps<'a>,
}

impl Part<'_> {
    /// Adds the inferences of this round to those of earlier ones; where there are none, gives them back. `None` also when the
    /// end was asked for before the first was done.
    fn measure(&self, earlier: Option<&mut Measured>) -> Result<Option<Measured>, Error> {
        let Self { choice, model, round, .. } = *self;
        let config = *model.config();
        let (name, requests) = (choice.sizes[self.index].name(), requests(choice, &config)?);
        let per_round = requests.len() / n_rounds(choice) as usize;
        // Threads that share an inference are put where there is room.
        let processors = if choice.threads == 1 { Processors::of_thread() } else { Processors::any() };
        let mut session = model.session()?;
        self.tell(1, &format!("{name} model: warming up"));
        processors.take_turn(0);
        unrecorded(|| warm_up(model, &requests[0], &mut session))?;
        let mut answers = Vec::new();
        for (turn, request) in requests.iter().enumerate().skip(round as usize * per_round).take(per_round) {
            if self.steps.watch.is_stopped() {
                break;
            }
            let what = format!("{name} model: inference {} of {}", turn + 1, requests.len());
            self.tell(2 + turn % per_round, &what);
            processors.take_turn(turn);
            answers.push(generate(model, request, &mut session, || ())?);
        }
        if let Some(earlier) = earlier {
            earlier.answers.extend(answers);
            return Ok(None);
        }
        if answers.is_empty() {
            return Ok(None);
        }
        self.tell(1 + per_round, &format!("{name} model: checking"));
        let is_right = unrecorded(|| is_right(model, &requests[0], &mut session))?;
        let (prompt, tokens) = choice.lengths(&config)?;
        let session_bytes = session.bytes();
        let threads = choice.threads;
        Ok(Some(Measured { name, config, prompt, tokens, threads, answers, session_bytes, is_right }))
    }

    fn tell(&self, done: usize, what: &str) {
        self.steps.at(self.round, self.index, done, what);
    }
}

/// Where a run is.
struct Steps<'a> {
    watch: &'a dyn Watch,
    /// Of one model in one round: its weights, warming up, and inferences.
    each: usize,
    models: usize,
    rounds: usize,
}

impl<'a> Steps<'a> {
    fn new(choice: &Choice, watch: &'a dyn Watch) -> Self {
        let rounds = n_rounds(choice) as usize;
        let each = choice.inferences as usize / rounds + 2;
        Self { watch, each, models: choice.sizes.len(), rounds }
    }

    fn at(&self, round: u32, index: usize, done: usize, what: &str) {
        let before = (round as usize * self.models + index) * self.each;
        self.watch.at(before + done, self.rounds * self.models * self.each, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_as_many_inferences_each() {
        for (inferences, expected) in [(40, 10), (20, 10), (9, 9), (14, 7), (13, 1), (3, 3), (1, 1)] {
            let choice = Choice { inferences, ..Choice::enhanced() };
            assert_eq!(n_rounds(&choice), expected, "{inferences}");
            assert_eq!(n_rounds(&Choice { inferences, ..Choice::default() }), 1);
        }
    }
}
