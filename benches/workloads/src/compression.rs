//! Part `compression`: figures beside zstd -b and lz4 -b.

use harness::Arguments;

use crate::part::{Part, Told, nobody};

pub(crate) const PART: Part =
    Part { name: "compression", about: "figures beside zstd -b and lz4 -b", measure, be: nobody };

fn measure(_: &Arguments) -> Result<Told, String> {
    Err("nothing is measured yet".to_owned())
}
