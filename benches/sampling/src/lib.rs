//! The native program that is sampled. It is a library so that the program alone and the program with a sampler
//! inside run the same code.

pub mod native;
