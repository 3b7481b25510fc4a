//! Part `whole`: what profiling a run costs, and whether runs compare as they should.

use harness::Arguments;

use crate::part::{Part, Told, nobody};

pub(crate) const PART: Part = Part {
    name: "whole",
    about: "what profiling a run costs, and whether runs compare as they should",
    measure,
    be: nobody,
};

fn measure(_: &Arguments) -> Result<Told, String> {
    Err("nothing is measured yet".to_owned())
}
