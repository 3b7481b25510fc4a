//! Part `tokenizer`: throughput as told beside the bare library.

use harness::Arguments;

use crate::part::{Part, Told, nobody};

pub(crate) const PART: Part =
    Part { name: "tokenizer", about: "throughput as told beside the bare library", measure, be: nobody };

fn measure(_: &Arguments) -> Result<Told, String> {
    Err("nothing is measured yet".to_owned())
}
