//! Part `simd`: our kernels beside BLAS and the gemm crate.

use harness::Arguments;

use crate::part::{Part, Told, nobody};

pub(crate) const PART: Part =
    Part { name: "simd", about: "our kernels beside BLAS and the gemm crate", measure, be: nobody };

fn measure(_: &Arguments) -> Result<Told, String> {
    Err("nothing is measured yet".to_owned())
}
