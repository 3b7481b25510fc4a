//! How an experiment goes, for people who wait: on a terminal one line that is written over, elsewhere a line now and then.
//! The interval it shows is the usual one, which is not what decides when to stop.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use calor_analysis::quantity::{counted, duration};
use calor_analysis::{Experiment, Metric};

use super::rounds::Plan;
use crate::{news, terminal};

/// What is over by then needs no news.
const SILENCE: Duration = Duration::from_secs(1);
/// On a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(200);
/// Elsewhere, where lines stay.
const IN_LOG: Duration = Duration::from_secs(10);

pub(super) struct Running {
    metric: Metric,
    max_time: Duration,
    began: Instant,
    told: Option<Instant>,
    is_terminal: bool,
}

impl Running {
    pub(super) fn new(plan: &Plan, began: Instant) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { metric: plan.of.metric, max_time: plan.of.max_time, began, told: None, is_terminal }
    }

    /// Tells how far it is, if the last time is long enough ago. `is_heard`: the commands write to the same place.
    pub(super) fn tell(&mut self, experiment: &Experiment, is_heard: bool) {
        // A line that is written over and lines of the commands do not go together.
        self.is_terminal &= !is_heard;
        let pause = if self.is_terminal { ON_TERMINAL } else { IN_LOG };
        let is_due = match self.told {
            Some(told) => told.elapsed() >= pause,
            None => self.began.elapsed() >= SILENCE.max(if self.is_terminal { SILENCE } else { IN_LOG }),
        };
        if news::is_quiet() || !is_due {
            return;
        }
        self.told = Some(Instant::now());
        let line = self.line(experiment);
        if self.is_terminal {
            let line: String = line.chars().take(terminal::width_of_news().saturating_sub(1)).collect();
            // Progress that cannot be shown is no reason to stop.
            let mut err = std::io::stderr();
            let _ = write!(err, "\r\x1b[K{line}").and_then(|()| err.flush());
        } else {
            news::say(line);
        }
    }

    fn line(&self, experiment: &Experiment) -> String {
        let pairs = counted(experiment.n_rounds() as u64, "pair");
        let time = |time: Duration| duration(time.as_nanos() as f64);
        let (gone, all) = (time(self.began.elapsed()), time(self.max_time));
        let changes = ('B'..='Z').zip(1..).map_while(|(name, variant)| {
            experiment.running(variant).map(|change| format!("{name} {change}"))
        });
        let changes: Vec<String> = changes.collect();
        format!("{pairs}, {gone} of {all}: {} {}", self.metric.name(), changes.join(", "))
    }

    /// Leaves the terminal as it was.
    pub(super) fn end(&self) {
        if self.is_terminal && self.told.is_some() {
            let mut err = std::io::stderr();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}
