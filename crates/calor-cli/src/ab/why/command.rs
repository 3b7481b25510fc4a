//! Two commands. `{n}` or `{size}` in one stands for the size and `{calls}` for how often it is to do its work; where a shell reads
//! `$CALOR_SIZE` and `$CALOR_CALLS` instead, it finds them there.

use std::ffi::OsString;

use anyhow::{Result, bail};
use calor_analysis::Metric;

use super::super::captured::Onward;
use super::super::measuring::Measuring;
use super::super::rounds::Plan;
use super::super::variant::Variant;
use super::call::Time;
use super::operation::Operation;
use super::size::{Sizes, shown};
use crate::failure::Interrupted;

/// The second is for the help, in which the first would be the end of a line.
const SIZE: [&str; 4] = ["{n}", "{size}", "$CALOR_SIZE", "${CALOR_SIZE}"];
const CALLS: [&str; 3] = ["{calls}", "$CALOR_CALLS", "${CALOR_CALLS}"];
/// Where no sizes are named: from what is near a processor to what no cache holds.
const SIZES: [f64; 7] = [256.0, 1024.0, 4096.0, 16_384.0, 65_536.0, 262_144.0, 1_048_576.0];
/// A turn of a command.
const TURN_NANOS: f64 = 40e6;

pub(super) struct Commands {
    variants: [Variant; 2],
    measuring: Measuring,
    has_sizes: bool,
    has_calls: bool,
}

impl Commands {
    pub(super) fn new(variants: [Variant; 2], sizes: Option<&Sizes>, plan: &Plan) -> Result<Self> {
        let mentions = |letters: &[&str]| {
            let in_all: Vec<bool> = variants
                .iter()
                .map(|variant| {
                    variant
                        .words
                        .iter()
                        .any(|word| letters.iter().any(|letters| word.to_string_lossy().contains(letters)))
                })
                .collect();
            (in_all.contains(&true), in_all.contains(&false))
        };
        let (has_sizes, lacks_sizes) = mentions(&SIZE);
        let (has_calls, lacks_calls) = mentions(&CALLS);
        if has_sizes && lacks_sizes || has_calls && lacks_calls {
            bail!(
                "one command has {{n}} or {{calls}} and the other does not: write it in both, or in neither"
            );
        }
        if sizes.is_some() && !has_sizes {
            bail!(
                "`--sizes` is given, and the commands do not say where the size goes: write {{n}} there, as in \
                 `calor ab --why --sizes 1k,1M './old {{n}} {{calls}}' './new {{n}} {{calls}}'`"
            );
        }
        let onward = if plan.shows_output { [Onward::Nowhere, Onward::Errors] } else { [Onward::Nowhere; 2] };
        let measuring = Measuring::new(Metric::Cpu, onward)?;
        Ok(Self { variants, measuring, has_sizes, has_calls })
    }

    fn run(&mut self, side: usize, size: f64, calls: u64) -> Result<super::super::measuring::Ran> {
        let variant = Variant { words: self.command(side, size, calls), ..self.variants[side].clone() };
        let when = match self.has_sizes {
            true => format!("at size {}", shown(size)),
            false => "while it was measured".to_owned(),
        };
        let ran = self.measuring.run(&variant, &when)?;
        if ran.was_interrupted {
            return Err(Interrupted("before everything was measured: nothing is explained").into());
        }
        Ok(ran)
    }
}

impl Operation for Commands {
    fn shown(&self) -> [String; 2] {
        self.variants.each_ref().map(|variant| variant.shown.clone())
    }

    fn usual_sizes(&self) -> Vec<f64> {
        // Without a size to set there is one, whatever it is.
        if self.has_sizes { SIZES.to_vec() } else { vec![1.0] }
    }

    fn has_calls(&self) -> bool {
        self.has_calls
    }

    fn has_start(&self) -> bool {
        true
    }

    fn turn_nanos(&self) -> f64 {
        TURN_NANOS
    }

    fn time(&mut self, side: usize, size: f64, calls: u64) -> Result<Time> {
        let ran = self.run(side, size, calls)?;
        let mut time = Time::default();
        for (metric, figure) in self.measuring.metrics().iter().zip(&ran.figures) {
            match (metric, figure) {
                (Metric::Cpu, Ok(nanos)) => time.cpu = *nanos,
                (Metric::Wall, Ok(nanos)) => time.wall = *nanos,
                _ => {}
            }
        }
        Ok(time)
    }

    fn check(&mut self, size: f64) -> Result<Option<String>> {
        let [a, b] = [self.run(0, size, 1)?, self.run(1, size, 1)?];
        if a.digest != b.digest {
            let at = if self.has_sizes { format!(" at size {}", shown(size)) } else { String::new() };
            bail!(
                "A and B print different things{at}: what they do is not the same, or not printed the same; compare what \
                 they print, or leave that out with --no-check"
            );
        }
        let prints = a.digest.0 > 0;
        Ok((!prints)
            .then(|| "A and B print nothing: whether they do the same work was not checked".to_owned()))
    }

    fn bytes(&mut self, _: f64) -> Result<Option<f64>> {
        Ok(None)
    }

    fn command(&self, side: usize, size: f64, calls: u64) -> Vec<OsString> {
        let (size, calls) = (format!("{}", size.round() as u64), calls.to_string());
        let put = |word: &OsString| match word.to_str() {
            Some(text) => {
                OsString::from(text.replace("{n}", &size).replace("{size}", &size).replace("{calls}", &calls))
            }
            None => word.clone(),
        };
        let words = &self.variants[side].words;
        let in_variables = words.iter().any(|word| word.to_string_lossy().contains("CALOR_"));
        let mut command: Vec<OsString> = Vec::new();
        if in_variables {
            let variables = [format!("CALOR_SIZE={size}"), format!("CALOR_CALLS={calls}")];
            command.push("env".into());
            command.extend(variables.map(OsString::from));
        }
        command.extend(words.iter().map(put));
        command
    }

    fn within(&self) -> Option<&'static str> {
        None
    }
}
