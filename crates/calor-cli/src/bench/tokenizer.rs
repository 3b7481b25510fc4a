//! `calor bench tokenizer`: how fast text becomes ids, where the time goes, and what caches, batches and threads are worth.

use std::path::PathBuf;

use anyhow::Result;
use calor_workloads::tokenizer::{Choice, run as engine};
use clap::Args;

use super::choice::Common;
use super::measuring::{measured, repeated_by_time};
use crate::ExitCode;

const EXAMPLES: &str = "\
Examples:
  calor bench tokenizer --quick
  calor bench tokenizer --model tokenizer.json --text corpus.txt
  calor bench tokenizer --lengths 64,1K,16K --batch 1,64 --threads 1,2
  calor bench tokenizer --cache 0,1000,10000,100000 -o tokenizer.html";

const AFTER: &str = "\
The crate `tokenizers` of Hugging Face is the reference. Calor's own byte-level BPE is built from the same merges, \
and its ids are compared with the reference's; where the model is something else, it is left out and the page says why. \
Throughput is of the bare libraries; stages and counts have passes of their own.";

/// Measure tokenizers: stages, caches, merges, batches, threads
#[derive(Args)]
#[command(before_help = EXAMPLES, after_help = AFTER, help_template = crate::HELP)]
pub(crate) struct Arguments {
    /// The tokenizer.json of a Hugging Face model [default: a vocabulary that is trained on generated text]
    #[arg(long, value_name = "JSON")]
    model: Option<PathBuf>,
    /// The text to encode, UTF-8; of a large file the beginning [default: generated, in several scripts]
    #[arg(long, value_name = "FILE")]
    text: Option<PathBuf>,
    /// Lengths of inputs in bytes, such as 64,1K,16K
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = size, allow_negative_numbers = true)]
    lengths: Option<Vec<usize>>,
    /// How many inputs are encoded together, such as 1,32,512
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = size, allow_negative_numbers = true)]
    batch: Option<Vec<usize>>,
    /// By how many threads, up to the number of cores
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = size, allow_negative_numbers = true)]
    threads: Option<Vec<usize>>,
    /// Words that the cache has room for, such as 0,1000,100K
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = size, allow_negative_numbers = true)]
    cache: Option<Vec<usize>>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { common, .. } = arguments;
    let mut choice = Choice::new(common.quick, common.seed);
    choice.model.clone_from(&arguments.model);
    choice.text.clone_from(&arguments.text);
    let given = [
        (&arguments.lengths, &mut choice.lengths),
        (&arguments.batch, &mut choice.batches),
        (&arguments.threads, &mut choice.threads),
        (&arguments.cache, &mut choice.caches),
    ];
    for (given, chosen) in given {
        if let Some(given) = given {
            chosen.clone_from(given);
        }
    }
    // What is refused is refused before anything else is looked at.
    choice.check()?;
    common.refuse_bad_places(arguments.model.iter().chain(&arguments.text))?;
    let settings = [
        ("model", choice.model.as_ref().map_or("trained".to_owned(), |path| path.display().to_string())),
        ("text", choice.text.as_ref().map_or("generated".to_owned(), |path| path.display().to_string())),
        ("seed", common.seed.to_string()),
        ("quick", common.quick.to_string()),
    ];
    repeated_by_time();
    measured(common, "tokenizer", &settings, |watch| engine(&choice, watch), |_, _| Ok(()))
}

/// A whole number; K and M are 1,024 of it and 1,024 of those.
fn size(given: &str) -> Result<usize, String> {
    let (digits, factor) = match given.trim().to_ascii_uppercase() {
        text if text.ends_with('K') => (text[..text.len() - 1].to_owned(), 1 << 10),
        text if text.ends_with('M') => (text[..text.len() - 1].to_owned(), 1 << 20),
        text => (text, 1),
    };
    let number = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(factor));
    number.ok_or_else(|| "expected a whole number such as 64, or 16K for 16,384".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_numbers_with_k_and_m() {
        assert_eq!(
            (size("64"), size("16K"), size("1m"), size("0")),
            (Ok(64), Ok(16_384), Ok(1 << 20), Ok(0))
        );
        for wrong in ["", "K", "-1", "1.5K", "16KB", "99999999999999999999", "99999999999999999M"] {
            assert!(size(wrong).is_err_and(|error| error.contains("such as 64")), "{wrong}");
        }
    }
}
