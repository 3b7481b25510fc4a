//! Inferences in rounds. A round is a thread of its own, named by its number, with a model that was made for it: so rounds differ
//! by much of what runs differ by, where their memory lies and when they ran, and `calor compare` knows from one run how far that
//! goes. It finds them by the label of the run and that of the model; the threads' names are for people. Inferences of all rounds take turns on two processors.

use std::thread;

use super::{Choice, Measured, Place, is_right, requests};
use crate::model::{Answer, Model, generate, warm_up};
use crate::processors::Processors;
use crate::repeat::unrecorded;
use crate::{Error, Watch};

/// All inferences; what was done by then, when the end is asked for.
pub(super) fn measure(choice: &Choice, watch: &dyn Watch) -> Result<Vec<Measured>, Error> {
    let device = choice.place.device()?;
    let mut measured: Vec<Measured> = Vec::new();
    let steps = Steps::new(choice, watch);
    for round in 0..choice.n_rounds() {
        for (index, size) in choice.sizes.iter().enumerate() {
            steps.at(round, index, 0, &format!("weights of the {} model", size.name()));
            let make = || -> Result<Model, Error> {
                let made = size.model(choice.seed, watch)?.with_threads(choice.threads as usize)?;
                let made = if choice.has_layer_detail { made.with_layer_detail() } else { made };
                made.on_device(&device)
            };
            // Only the first is recorded: all others would be a part of what is compared.
            let model = match if round == 0 { make() } else { unrecorded(make) } {
                // What was measured of other models is told.
                Err(Error::Stopped) => return Ok(measured),
                model => model?,
            };
            let part = Part { choice, model: &model, round, index, steps: &steps };
            let answers = on_thread(format!("round {}", round + 1), || part.answers())?;
            match measured.get_mut(index) {
                Some(earlier) => earlier.answers.extend(answers),
                None if answers.is_empty() => return Ok(measured),
                None => measured.push(part.checked(answers)?),
            }
            if watch.is_stopped() {
                return Ok(measured);
            }
        }
    }
    Ok(measured)
}

/// Runs something in a thread of this name, and waits for it.
fn on_thread<T: Send>(name: String, run: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name).spawn_scoped(scope, run);
        let thread = thread.map_err(|cause| Error::Failed(format!("no thread can be started: {cause}")))?;
        thread.join().unwrap_or_else(|_| {
            Err(Error::Failed("an inference ended its thread: this is a fault of Calor".to_owned()))
        })
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
    /// The inferences of this round, or those that were done when the end was asked for.
    fn answers(&self) -> Result<Vec<Answer>, Error> {
        let Self { choice, model, round, .. } = *self;
        let (name, requests) = (choice.sizes[self.index].name(), requests(choice, model.config())?);
        let per_round = requests.len() / choice.n_rounds() as usize;
        // Threads that share an inference are put where there is room, and a graphics processor has its own.
        let is_alone = choice.threads == 1 && choice.place == Place::Cpu;
        let processors = if is_alone { Processors::of_thread() } else { Processors::any() };
        let mut session = model.session()?;
        self.tell(1, &format!("{name} model: warming up"));
        for turn in 0..processors.n_turns() {
            processors.take_turn(turn);
            unrecorded(|| warm_up(model, &requests[0], &mut session))?;
        }
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
        Ok(answers)
    }

    /// What they came to, with whether scores are right. Not in the thread of the round, which stays on a processor: whatever
    /// threads the check starts would stay there, too.
    fn checked(&self, answers: Vec<Answer>) -> Result<Measured, Error> {
        let Self { choice, model, .. } = *self;
        let (name, config) = (choice.sizes[self.index].name(), *model.config());
        self.tell(1, &format!("{name} model: checking"));
        let mut session = unrecorded(|| model.session())?;
        let request = requests(choice, &config)?.swap_remove(0);
        let is_right = unrecorded(|| is_right(model, &request, &mut session))?;
        let (prompt, tokens) = choice.lengths(&config)?;
        let (session_bytes, threads) = (session.bytes(), choice.threads);
        Ok(Measured { name, config, prompt, tokens, threads, answers, session_bytes, is_right })
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
        let rounds = choice.n_rounds() as usize;
        let each = choice.inferences as usize / rounds + 2;
        Self { watch, each, models: choice.sizes.len(), rounds }
    }

    fn at(&self, round: u32, index: usize, done: usize, what: &str) {
        let before = (round as usize * self.models + index) * self.each;
        self.watch.at(before + done, self.rounds * self.models * self.each, what);
    }
}
