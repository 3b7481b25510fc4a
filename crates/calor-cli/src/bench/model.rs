//! `calor bench model`: inferences of a transformer, with what they cost by operation.

mod kernels;
mod tables;

use std::cell::Cell;
use std::path::PathBuf;

use anyhow::{Result, bail};
use calor_analysis::workload::{ROUNDS, models};
use calor_machine::Machine;
use calor_report::bench::models::compare_models;
use calor_workloads::model::bench::{
    Choice, MOST_INFERENCES, Place, Roof, RoofTier, Size, run as run_models,
};
use calor_workloads::model::{Config, Preset};
use clap::{Args, ValueEnum};

use super::choice::Common;
use super::measuring::{measured, repeated_by_time};
use crate::{ExitCode, machine};

const EXAMPLES: &str = "\
Examples:
  calor bench model
  calor bench model --size medium --inferences 10 --tokens 100
  calor bench model --deep -o profile-report.md
  calor bench model --enhanced --profile run.calor -o report.html
  calor bench model --size custom --width 384 --layers 6 --heads 6
  calor bench model --weights gpt2/model.safetensors";

const AFTER: &str = "\
Sizes: small has 470,528 parameters, medium 3,454,464, large 29,545,472 and gpt2 124,439,808. An inference runs on one \
thread unless --threads says otherwise. Prompt and tokens share the model's context: 64 positions in small, 128 in medium, \
256 in large, 1024 in gpt2.";

/// Run a GPT-2 style transformer and show what each operation costs
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// Which models: small, medium, large, gpt2, custom [default: small,medium]
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', value_parser = size, conflicts_with = "weights")]
    size: Vec<Named>,
    /// Inferences with each model [default: 3; 200 with --enhanced]
    #[arg(long, value_name = "N", value_parser = inferences, allow_negative_numbers = true)]
    inferences: Option<u32>,
    /// Tokens each inference writes [default: 50, or what the context holds]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    tokens: Option<u32>,
    /// Tokens each inference begins with [default: a quarter of the context]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    prompt: Option<u32>,
    /// Threads that share the matrices of one inference
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number, allow_negative_numbers = true)]
    threads: u32,
    /// Where it runs; cuda needs a build with that feature
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    device: Device,
    /// Weights of a GPT-2 model, as Hugging Face publishes them
    #[arg(long, value_name = "SAFETENSORS")]
    weights: Option<PathBuf>,
    /// Of a custom model: numbers for each position [default: 128]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    width: Option<u32>,
    /// Of a custom model [default: 2]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    layers: Option<u32>,
    /// Of a custom model, or of --weights; they share the width evenly [default: 4]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    heads: Option<u32>,
    /// Of a custom model: positions it can look back on [default: 64]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    context: Option<u32>,
    /// Of a custom model: tokens it knows [default: 512]
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    vocabulary: Option<u32>,
    /// Also show each layer, and matmul, softmax, GELU and layer norm by themselves
    #[arg(long)]
    deep: bool,
    /// Small and medium with 200 inferences each in ten rounds, by which two runs can be compared; 30 hot paths and 15
    /// allocators
    #[arg(long, conflicts_with_all = ["size", "weights"])]
    enhanced: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Device {
    /// The processor
    Cpu,
    /// The first graphics processor of NVIDIA, in candle's own operations
    Cuda,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Preset(Preset),
    Custom,
}

/// What is shown of the run's profile.
const ROWS: tables::Rows = tables::Rows { hot_paths: 10, allocators: 8 };
const ENHANCED_ROWS: tables::Rows = tables::Rows { hot_paths: 30, allocators: 15 };

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut choice = arguments.choice()?;
    arguments.common.refuse_bad_places(&arguments.weights)?;
    choice.check()?;
    let (machine, _) = machine::this(false);
    // The roofs of the processor are none of another device.
    choice.roof = roof(&machine, arguments.threads).filter(|_| choice.place == Place::Cpu);
    let kernels = arguments.deep.then(|| kernels::choice(&arguments.common, &machine));
    let rows = if arguments.enhanced { ENHANCED_ROWS } else { ROWS };
    let names: Vec<String> = choice.sizes.iter().map(Size::name).collect();
    let usual = if arguments.common.quick { "quick" } else { "default" };
    let settings = [
        ("models", names.join(",")),
        ("inferences", choice.inferences.to_string()),
        ("tokens", choice.tokens.map_or_else(|| usual.to_owned(), |tokens| tokens.to_string())),
        ("threads", choice.threads.to_string()),
        ("device", choice.place.name().to_owned()),
        ("seed", choice.seed.to_string()),
    ];
    let of_models = Cell::new(0);
    if kernels.is_some() {
        repeated_by_time();
    } else if choice.n_rounds() > 1 {
        calor::set_label(ROUNDS, choice.n_rounds().to_string());
    }
    measured(
        &arguments.common,
        "model",
        &settings,
        |watch| {
            let mut bench = run_models(&choice, watch)?;
            of_models.set(bench.tables.len());
            if let Some(kernels) = &kernels {
                kernels::add(kernels, watch, &mut bench)?;
                if choice.n_rounds() > 1 {
                    bench.warn(
                        "no_rounds",
                        "two runs like this one are not compared by rounds, since kernels are measured by themselves: leave out --deep \
                         to compare",
                    );
                }
            }
            Ok(bench)
        },
        |profile, bench| {
            bench.models = models(profile);
            // Kernels by themselves come after everything about the models.
            let of_kernels = bench.tables.split_off(of_models.get());
            tables::add(profile, rows, bench);
            if arguments.enhanced {
                let found = bench.models.clone();
                compare_models(&found, bench);
            }
            bench.tables.extend(of_kernels);
            Ok(())
        },
    )
}

impl Arguments {
    fn choice(&self) -> Result<Choice> {
        let sizes = match &self.weights {
            Some(path) => vec![Size::File(path.clone(), self.heads.map(|heads| heads as usize))],
            None if self.size.is_empty() => Preset::BOTH.map(Size::Preset).to_vec(),
            None => self.size.iter().map(|size| self.size(*size)).collect(),
        };
        self.refuse_sizes_of_none()?;
        let usual = if self.enhanced { Choice::enhanced() } else { Choice::default() };
        Ok(Choice {
            sizes,
            inferences: self.inferences.unwrap_or(usual.inferences),
            tokens: self.tokens,
            prompt: self.prompt,
            threads: self.threads,
            seed: self.common.seed,
            is_quick: self.common.quick,
            has_layer_detail: self.deep,
            place: match self.device {
                Device::Cpu => Place::Cpu,
                Device::Cuda => Place::Cuda,
            },
            ..usual
        })
    }

    fn size(&self, named: Named) -> Size {
        let Named::Preset(preset) = named else {
            let or = |given: Option<u32>, otherwise: usize| given.map_or(otherwise, |given| given as usize);
            let small = Preset::Small.config();
            return Size::Custom(Config {
                width: or(self.width, small.width),
                layers: or(self.layers, small.layers),
                heads: or(self.heads, small.heads),
                context: or(self.context, small.context),
                vocabulary: or(self.vocabulary, small.vocabulary),
            });
        };
        Size::Preset(preset)
    }

    /// Sizes of a custom model would go unheard without one.
    fn refuse_sizes_of_none(&self) -> Result<()> {
        if self.size.contains(&Named::Custom) {
            return Ok(());
        }
        let heads = self.heads.filter(|_| self.weights.is_none());
        let given = [
            ("--width", self.width),
            ("--layers", self.layers),
            ("--heads", heads),
            ("--context", self.context),
            ("--vocabulary", self.vocabulary),
        ];
        match given.into_iter().find(|(_, size)| size.is_some()) {
            Some((option, _)) => bail!("{option} is for a custom model: add --size custom, or leave it out"),
            None => Ok(()),
        }
    }
}

/// What as many threads as an inference has can do at most.
fn roof(machine: &Machine, threads: u32) -> Option<Roof> {
    let is_one = threads == 1;
    // All cores are no measure of some of them.
    if !is_one && threads != machine.processor.cores {
        return None;
    }
    let peak = &machine.peaks.f32;
    let tiers = machine.tiers.iter().map(|tier| {
        let bytes_per_s = if is_one { tier.read } else { tier.all_cores };
        RoofTier { name: tier.name.clone(), bytes: tier.bytes, bytes_per_s }
    });
    let flops_per_s = if is_one { peak.best().map(|(_, flops)| flops) } else { peak.all_cores };
    Some(Roof { flops_per_s, tiers: tiers.collect() })
}

fn size(given: &str) -> Result<Named, String> {
    let given = given.trim();
    if given == "custom" {
        return Ok(Named::Custom);
    }
    let names = Preset::ALL.map(Preset::name).join(", ");
    Preset::of_name(given)
        .map(Named::Preset)
        .ok_or_else(|| format!("expected {names} or custom, several with commas between them"))
}

fn inferences(given: &str) -> Result<u32, String> {
    let number = given.parse().ok().filter(|number| (1..=MOST_INFERENCES).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST_INFERENCES}"))
}

/// A number from 1 on; whether it fits the model is seen once the model is known. Beyond what a number can hold no model goes.
fn number(given: &str) -> Result<u32, String> {
    let number = given.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "expected a whole number from 1 on, as far as the model has room for it".to_owned())
}
