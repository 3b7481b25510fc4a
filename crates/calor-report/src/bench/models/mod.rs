//! Models beside each other, and as `bench/1` has them.

mod comparison;
#[cfg(test)]
mod tests;

pub use comparison::{compare_models, models_page};
