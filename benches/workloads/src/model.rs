//! Part `model`: decoding beside candle's own way on the same weights.

use harness::Arguments;

use crate::part::{Part, Told, nobody};

pub(crate) const PART: Part = Part {
    name: "model",
    about: "decoding beside candle's own way on the same weights",
    measure,
    be: nobody,
};

fn measure(_: &Arguments) -> Result<Told, String> {
    Err("nothing is measured yet".to_owned())
}
