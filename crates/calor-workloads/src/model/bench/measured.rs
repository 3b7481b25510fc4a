//! What the inferences of one model came to, as figures with their spread over inferences.

use calor_analysis::Median;
use calor_report::bench::{Figure, Params};

use super::super::{Answer, Config};
use super::{Roof, RoofTier};

/// The inferences of one model.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// What it is called.
    pub name: String,
    /// Its sizes.
    pub config: Config,
    /// Tokens that each inference began with.
    pub prompt: usize,
    /// Tokens that each wrote.
    pub tokens: usize,
    /// Threads that shared the matrices of one.
    pub threads: u32,
    /// What they gave.
    pub answers: Vec<Answer>,
    /// What a sequence takes: what is remembered and room for intermediate results.
    pub session_bytes: u64,
    /// Whether its scores are those of candle's own operations.
    pub is_right: bool,
}

impl Measured {
    /// All figures.
    #[must_use]
    pub fn figures(&self, roof: Option<&Roof>) -> Vec<Figure> {
        let millis = |nanos: f64| nanos / 1e6;
        let mut all = vec![
            self.figure("ttft", "ms", |answer| Some(millis(answer.first_nanos as f64))),
            self.latency("itl p50", 0.50),
            self.latency("itl p95", 0.95),
            self.latency("itl p99", 0.99),
            self.figure("prefill", "tokens/s", |answer| rate(self.prompt, answer.first_nanos)),
            self.figure("decode", "tokens/s", |answer| rate(answer.next_nanos.len(), decode_nanos(answer)))
                .map(|figure| figure.verified(self.is_right)),
        ];
        if let Some(tier) = roof.and_then(|roof| self.tier(roof)) {
            let bytes = self.decode_bytes() as f64;
            all.push(self.figure("bandwidth roof", "%", |answer| {
                Some(100.0 * bytes / (self.token_nanos(answer)? / 1e9) / tier.bytes_per_s?)
            }));
        }
        if let Some(peak) = roof.and_then(|roof| roof.flops_per_s) {
            let flops = self.config.flops(0, self.prompt) as f64;
            all.push(self.figure("compute roof", "%", |answer| {
                let nanos = if self.threads == 1 { answer.first_cpu_nanos } else { answer.first_nanos };
                Some(100.0 * flops / (nanos.max(1) as f64 / 1e9) / peak)
            }));
        }
        for (case, bytes) in [
            ("weights", self.config.weight_bytes()),
            ("kv cache", self.config.cache_bytes(self.positions())),
            ("kv cache reserved", self.config.cache_bytes(self.config.context)),
            ("session", self.session_bytes),
        ] {
            all.push(Figure::of(case, self.params(), "bytes", &[bytes as f64]));
        }
        all.into_iter().flatten().collect()
    }

    /// What a token takes where nobody disturbs it: the median of the times between tokens, or the CPU time of one thread where
    /// that is less, as with tokens that take longer than a turn of another program.
    fn token_nanos(&self, answer: &Answer) -> Option<f64> {
        let median = quantile(&answer.next_nanos, 0.5)?;
        let cpu = answer.next_cpu_nanos as f64 / answer.next_nanos.len() as f64;
        Some(if self.threads == 1 && cpu > 0.0 { median.min(cpu) } else { median })
    }

    /// Tokens a second where each takes what it usually does, the median over inferences.
    pub(super) fn usual_rate(&self) -> Option<f64> {
        let rates: Vec<f64> =
            self.answers.iter().filter_map(|answer| Some(1e9 / self.token_nanos(answer)?)).collect();
        Median::of(&rates).map(|median| median.value)
    }

    /// The part of the time of decoding that was not the program's, the median over inferences: what one thread was off the
    /// processor, and of several what tokens as they usually are do not take.
    pub(super) fn lost(&self) -> f64 {
        let lost = |answer: &Answer| {
            let needed = match answer.next_cpu_nanos {
                nanos if self.threads == 1 && nanos > 0 => nanos as f64,
                _ => self.token_nanos(answer)? * answer.next_nanos.len() as f64,
            };
            Some(1.0 - needed / decode_nanos(answer).max(1) as f64)
        };
        let lost: Vec<f64> = self.answers.iter().filter_map(lost).collect();
        Median::of(&lost).map_or(0.0, |median| median.value.max(0.0))
    }

    /// The tier that weights and what is remembered fit into.
    pub(super) fn tier<'a>(&self, roof: &'a Roof) -> Option<&'a RoofTier> {
        roof.tier(self.config.weight_bytes() + self.config.cache_bytes(self.positions()))
    }

    /// The positions that a whole inference remembers.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.prompt + self.tokens.saturating_sub(1)
    }

    /// The least that is moved for a token, on average.
    fn decode_bytes(&self) -> u64 {
        self.config.decode_bytes((self.prompt + self.positions()) / 2)
    }

    /// The latency of each token after the first, the median over inferences, in milliseconds.
    pub(super) fn latencies(&self) -> Vec<f64> {
        let at = |index: usize| {
            let nanos: Vec<u64> = self.answers.iter().map(|answer| answer.next_nanos[index]).collect();
            quantile(&nanos, 0.5).unwrap_or_default() / 1e6
        };
        (0..self.n_latencies()).map(at).collect()
    }

    fn figure(&self, case: &str, unit: &str, value: impl Fn(&Answer) -> Option<f64>) -> Option<Figure> {
        let values: Vec<f64> = self.answers.iter().filter_map(value).collect();
        Figure::of(case, self.params(), unit, &values)
    }

    /// A percentile of the latencies of each inference, with of how many it is.
    fn latency(&self, case: &str, share: f64) -> Option<Figure> {
        let millis = |nanos: f64| nanos / 1e6;
        let mut figure = self.figure(case, "ms", |answer| quantile(&answer.next_nanos, share).map(millis))?;
        figure.params.insert("latencies".to_owned(), self.n_latencies().into());
        Some(figure)
    }

    /// Times between tokens that each inference has.
    pub(super) fn n_latencies(&self) -> usize {
        self.answers.iter().map(|answer| answer.next_nanos.len()).min().unwrap_or(0)
    }

    fn params(&self) -> Params {
        Params::from([
            ("model".to_owned(), self.name.as_str().into()),
            ("parameters".to_owned(), self.config.parameters().into()),
            ("prompt".to_owned(), self.prompt.into()),
            ("tokens".to_owned(), self.tokens.into()),
            ("threads".to_owned(), self.threads.into()),
        ])
    }
}

fn decode_nanos(answer: &Answer) -> u64 {
    answer.next_nanos.iter().sum()
}

/// So many a second; `None` of none.
fn rate(n: usize, nanos: u64) -> Option<f64> {
    (n > 0).then(|| n as f64 / (nanos.max(1) as f64 / 1e9))
}

/// The smallest number that so large a share of all is not above (the nearest rank); `None` of none.
fn quantile(numbers: &[u64], share: f64) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).map(|number| *number as f64)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::Preset;
    use super::*;

    pub(in super::super) fn measured(next_nanos: Vec<u64>) -> Measured {
        let answer = Answer {
            tokens: vec![0; next_nanos.len() + 1],
            first_nanos: 4_000_000,
            first_cpu_nanos: 4_000_000,
            next_cpu_nanos: next_nanos.iter().sum(),
            next_nanos,
        };
        Measured {
            name: "small".to_owned(),
            config: Preset::Small.config(),
            prompt: 16,
            tokens: answer.tokens.len(),
            threads: 1,
            answers: vec![answer.clone(), answer],
            session_bytes: 1,
            is_right: true,
        }
    }

    fn median(figures: &[Figure], case: &str) -> Option<f64> {
        figures.iter().find(|figure| figure.case == case).map(|figure| figure.median)
    }

    #[test]
    fn figures_follow_from_the_times_of_tokens() {
        let figures = measured((1..=100).map(|n| n * 10_000).collect()).figures(None);
        assert_eq!(median(&figures, "ttft"), Some(4.0));
        assert_eq!(median(&figures, "itl p50"), Some(0.5));
        assert_eq!(median(&figures, "itl p95"), Some(0.95));
        assert_eq!(median(&figures, "itl p99"), Some(0.99));
        let p99 = figures.iter().find(|figure| figure.case == "itl p99").expect("it is there");
        assert_eq!(p99.params["latencies"], 100);
        assert_eq!(median(&figures, "prefill"), Some(4000.0));
        let decode = median(&figures, "decode").expect("tokens were written");
        assert!((decode - 100.0 / 0.0505).abs() < 1e-6, "{decode}");
        assert_eq!(median(&figures, "weights"), Some(4.0 * 470_528.0));
        assert_eq!(median(&figures, "kv cache"), Some((4 * 2 * 2 * 116 * 128) as f64));
        assert_eq!(median(&figures, "bandwidth roof"), None);
    }

    #[test]
    fn of_one_token_there_is_no_latency_between_tokens() {
        let figures = measured(Vec::new()).figures(None);
        assert_eq!((median(&figures, "itl p50"), median(&figures, "decode")), (None, None));
        assert_eq!(median(&figures, "ttft"), Some(4.0));
    }

    #[test]
    fn shares_of_roofs_are_what_is_needed_by_what_there_is() {
        let tiers = vec![RoofTier { name: "L3".to_owned(), bytes: None, bytes_per_s: Some(2e9) }];
        let model = measured(vec![1_000_000; 2]);
        let figures = model.figures(Some(&Roof { flops_per_s: Some(1e10), tiers }));
        let share = median(&figures, "bandwidth roof").expect("the tier is known");
        assert!((share - 100.0 * model.decode_bytes() as f64 * 1e3 / 2e9).abs() < 1e-9, "{share}");
        let share = median(&figures, "compute roof").expect("the peak is known");
        assert!((share - 100.0 * model.config.flops(0, 16) as f64 / 4e-3 / 1e10).abs() < 1e-9, "{share}");
    }

    #[test]
    fn time_off_the_processor_changes_tokens_a_second_and_not_shares_of_roofs() {
        let tiers = vec![RoofTier { name: "L3".to_owned(), bytes: None, bytes_per_s: Some(2e9) }];
        let roof = Roof { flops_per_s: Some(1e10), tiers };
        let idle = measured(vec![1_000_000; 20]);
        // Four of twenty tokens wait for a turn of others; the processor had as much to do.
        let mut loaded = idle.clone();
        for answer in &mut loaded.answers {
            answer.next_nanos[..4].fill(9_000_000);
            answer.first_nanos *= 5;
        }
        // And of tokens that are longer than a turn, all do.
        let mut long = idle.clone();
        long.answers.iter_mut().for_each(|answer| answer.next_nanos.fill(2_000_000));
        for (model, lost) in [(&idle, 0.0), (&loaded, 32.0 / 52.0), (&long, 0.5)] {
            for case in ["bandwidth roof", "compute roof"] {
                let share =
                    |model: &Measured| median(&model.figures(Some(&roof)), case).expect("it is known");
                assert!((share(model) - share(&idle)).abs() < 1e-9, "{case}");
            }
            assert!((model.lost() - lost).abs() < 1e-9, "{}", model.lost());
        }
        assert!(median(&loaded.figures(None), "decode") < median(&idle.figures(None), "decode"));
    }
}
